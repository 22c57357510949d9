"""An INI file with a section per group, and the same as TOML with limits."""

from facet.author.choice import Choice, choice
from facet.author.recipe import (
    Check,
    NoMaterial,
    Raw,
    View,
    fill,
    outputs,
    ticks,
)
from facet.author.themes import Theme


class Settings(NoMaterial):
    """An INI file with a section per group, and the same as TOML with limits."""

    def choices(self, theme: Theme) -> tuple[Choice, ...]:
        """Paths, names, limit, defaults."""
        return (
            outputs("ini_path", theme, "settings.ini", "groups.ini", "limits.ini"),
            outputs("toml_path", theme, "settings.toml", "groups.toml", "limits.toml"),
            choice(
                "section",
                ("group:", "sections named `group:NAME`"),
                ("unit.", "sections named `unit.NAME`"),
                ("", "sections named just `NAME`"),
            ),
            choice(
                "setting_names",
                ("items,total,peak", "keys `items`, `total`, `peak`"),
                ("count,sum,highest", "keys `count`, `sum`, `highest`"),
            ),
            choice(
                "big",
                *((n, f"`{n}` or more records") for n in ("6", "8", "9")),
            ),
            choice("currency", ("unit", "`scale = hundredths`"), ("plain", "`scale = decimal`")),
        )

    def say(self, view: View) -> tuple[tuple[str, ...], ...]:
        """All of the product."""
        p, f = view.pick, view.fields
        section = f"sections named {'just ' if not p['section'] else ''}`{p['section']}NAME`"
        keys = f"keys {ticks(p['setting_names'].split(','))}"
        scale = "`scale = hundredths`" if p["currency"] == "unit" else "`scale = decimal`"
        sums = (
            "whole hundredths in both files"
            if p["currency"] == "unit"
            else "numbers with two decimals in both files"
        )
        return (
            (
                f"Now derive settings from the table: `{p['ini_path']}` (INI) has {section}, one "
                f"per {f.words[1]} in alphabetical order.",
                f"Generate `{p['ini_path']}`, an INI file with {section} for every {f.words[1]}, "
                "alphabetically.",
            ),
            (
                f"Each has the {keys}: how many {f.plural}, the sum and the largest {f.words[3]}; "
                f"a further key `class` is `big` for a {f.words[1]} with `{p['big']}` or more "
                "records, else `small`.",
                f"Give every section the {keys} (count, sum and maximum of the {f.words[3]}) and "
                f"`class`: `big` from `{p['big']}` or more records on, `small` below.",
            ),
            (
                f"A `[general]` section comes first, with {scale} and `members` (all names, "
                f"alphabetical, joined by commas without spaces); sums and maxima are {sums}.",
                f"Begin with `[general]`: {scale} and the key `members`, the names in alphabetical "
                f"order with commas and no spaces. Sums and maxima are {sums}.",
            ),
            (
                f"`{p['toml_path']}` says the same in TOML: a table `general` (`scale` and "
                "`members`, the latter an array of strings) and below `groups` one table per name "
                f"with the same keys; counts are integers, sums and maxima "
                f"{'integers' if p['currency'] == 'unit' else 'floats'}.",
                f"The same goes to `{p['toml_path']}` as TOML, with `general` (`scale`; `members` "
                "as an array) and `groups.NAME` holding those keys (counts as integers, sums and "
                f"maxima as {'integers' if p['currency'] == 'unit' else 'floats'}).",
            ),
        )

    def solve(self, view: View) -> str:
        """Text line by line."""
        p = view.pick
        shown = "str(value)" if p["currency"] == "unit" else "decimal(value)"
        count, total, peak = p["setting_names"].split(",")
        return fill(
            """
INI = Path(@ini@)
TOML = Path(@toml@)
for path in (INI, TOML):
    path.parent.mkdir(parents=True, exist_ok=True)


def shown(value):
    return @shown@


ini = ["[general]", "scale = " + @scale@, "members = " + ",".join(groups)]
toml = ["[general]", "scale = " + json.dumps(@scale@), "members = " + json.dumps(groups)]
for group in groups:
    values = [row[3] for row in rows if row[1] == group]
    size = "big" if len(values) >= @big@ else "small"
    numbers = (
        (@count@, str(len(values))),
        (@total@, shown(sum(values))),
        (@peak@, shown(max(values))),
    )
    ini += ["", "[" + @section@ + group + "]"]
    toml += ["", f'[groups."{group}"]']
    for name, number in numbers:
        ini.append(f"{name} = {number}")
        toml.append(f"{name} = {number}")
    ini.append(f"class = {size}")
    toml.append(f'class = "{size}"')
INI.write_text("\\n".join(ini) + "\\n", encoding="utf-8")
TOML.write_text("\\n".join(toml) + "\\n", encoding="utf-8")
""",
            ini=p["ini_path"],
            toml=p["toml_path"],
            shown=Raw(shown),
            scale="hundredths" if p["currency"] == "unit" else "decimal",
            big=int(p["big"]),
            section=p["section"],
            count=count,
            total=total,
            peak=peak,
        )

    def helpers(self, view: View) -> str:
        """Parse both."""
        p = view.pick
        count, total, peak = p["setting_names"].split(",")
        return fill(
            """
INI = @ini@
TOML = @toml@
COUNT, SUM, PEAK = @count@, @total@, @peak@


def ini():
    parser = configparser.RawConfigParser()
    parser.optionxform = str
    try:
        parser.read_string(there(INI))
    except configparser.Error as error:
        raise AssertionError(f"{INI} is no INI file: {error}") from None
    return parser


def toml():
    try:
        return tomllib.loads(there(TOML))
    except tomllib.TOMLDecodeError as error:
        raise AssertionError(f"{TOML} is no TOML: {error}") from None


def ini_key(key):
    parser = ini()
    return {g: parser.get(@section@ + g, key, fallback=None) for g in GROUPS()}


def toml_key(key):
    tables = toml().get("groups", {})
    return {g: tables.get(g, {}).get(key) for g in GROUPS()}


def numbers(group):
    return [row[3] for row in ROWS() if row[1] == group]


def size(group):
    return "big" if len(numbers(group)) >= @big@ else "small"
""",
            ini=p["ini_path"],
            toml=p["toml_path"],
            count=count,
            total=total,
            peak=peak,
            section=p["section"],
            big=int(p["big"]),
        )

    def checks(self, view: View) -> tuple[Check, ...]:
        """Every key in both files."""
        p, f = view.pick, view.fields
        whole = p["currency"] == "unit"
        text = "str({})" if whole else "money({})"
        number = "{}" if whole else "{} / 100"
        scale = "hundredths" if whole else "decimal"
        keys = (
            ("count", "COUNT", f"how many {f.plural}", "len(numbers(g))", "str({})", "{}"),
            ("sum", "SUM", "the sum", "sum(numbers(g))", text, number),
            ("peak", "PEAK", "the maximum", "max(numbers(g))", text, number),
            ("class", "'class'", "the class", "size(g)", "{}", "{}"),
        )
        return (
            Check(
                "ini-sections",
                f"The INI file has `general` and then a section per {f.words[1]}, in order",
                f"expected = ['general', *({p['section']!r} + g for g in GROUPS())]\n"
                "assert ini().sections() == expected, f'sections of {INI}'",
            ),
            Check(
                "ini-general",
                "The INI file names scale and members",
                "actual = dict(ini().items('general')) if ini().has_section('general') else {}\n"
                f"expected = {{'scale': {scale!r}, 'members': ','.join(GROUPS())}}\n"
                "assert actual == expected, f'[general] of {INI}'",
            ),
            *(
                Check(
                    f"ini-{name}",
                    f"The INI file gives {what} per {f.words[1]}",
                    f"expected = {{g: {shape.format(value)} for g in GROUPS()}}\n"
                    f"assert ini_key({key}) == expected, f'{name} in {{INI}}'",
                )
                for name, key, what, value, shape, _ in keys
            ),
            Check(
                "toml-general",
                "The TOML file names scale and members",
                "actual = toml().get('general')\n"
                f"expected = {{'scale': {scale!r}, 'members': GROUPS()}}\n"
                "assert actual == expected, f'general of {TOML}'",
            ),
            Check(
                "toml-groups",
                f"The TOML file has exactly one table per {f.words[1]}",
                "assert sorted(toml().get('groups', {})) == GROUPS(), f'groups of {TOML}'",
            ),
            *(
                Check(
                    f"toml-{name}",
                    f"The TOML file gives {what} per {f.words[1]}",
                    f"expected = {{g: {shape.format(value)} for g in GROUPS()}}\n"
                    f"assert toml_key({key}) == expected, f'{name} in {{TOML}}'",
                )
                for name, key, what, value, _, shape in keys
            ),
        )
