"""One JSON document: groups with their items and totals, and a lookup."""

from facet.author.choice import Choice, choice
from facet.author.recipe import (
    Check,
    NoMaterial,
    Raw,
    View,
    fill,
    outputs,
)
from facet.author.themes import Theme


class Document(NoMaterial):
    """One JSON document: groups with their items and totals, and a lookup."""

    def choices(self, theme: Theme) -> tuple[Choice, ...]:
        """Paths, key names, order, forms."""
        return (
            outputs("document", theme, "report.json", "document.json", "tree.json"),
            outputs("lookup", theme, "lookup.json", "index.json", "by_id.json"),
            choice(
                "document_names",
                ("groups,members,total", "`groups`, `members` and `total`"),
                ("sections,entries,sum", "`sections`, `entries` and `sum`"),
                ("units,lines,amount", "`units`, `lines` and `amount`"),
            ),
            choice(
                "document_order",
                ("name", "groups by name"),
                ("size", "groups by how many members they have, most first, ties by name"),
            ),
            choice(
                "document_numbers",
                ("integer", "integers (hundredths)"),
                ("text", "strings with two decimals"),
            ),
            choice("indent", ("2", "indented by 2 spaces"), ("4", "indented by 4 spaces")),
        )

    def say(self, view: View) -> tuple[tuple[str, ...], ...]:
        """All of the product."""
        p, f = view.pick, view.fields
        groups, members, total = p["document_names"].split(",")
        numbers = {"integer": "integers (hundredths)", "text": "strings with two decimals"}
        order = {
            "name": "groups by name",
            "size": "groups by how many members they have, most first, ties by name",
        }
        return (
            (
                f"From the table build `{p['document']}`, a JSON object with `count` (all "
                f"{f.plural}), `first_day`, `last_day` and `{groups}`. Its lists and sums are "
                f"called `{groups}`, `{members}` and `{total}`.",
                f"Then write the JSON document `{p['document']}`: an object with `count`, "
                f"`first_day`, `last_day` and `{groups}` (the names used in it are `{groups}`, "
                f"`{members}` and `{total}`); `count` is the number of all {f.plural}.",
            ),
            (
                f"`{groups}` is a list of objects with `name`, `{total}` and `{members}`, that is "
                f"the {f.words[1]}, the sum of its {f.words[3]} and a list of its {f.plural}; "
                f"order the {order[p['document_order']]}.",
                f"Each element of `{groups}` has `name` (the {f.words[1]}), `{total}` (sum of the "
                f"{f.words[3]}) and `{members}` (list of its {f.plural}); put the "
                f"{order[p['document_order']]}.",
            ),
            (
                f"A member has `id`, `day`, `value`, `text`, and members go by day, then by "
                f"{f.words[0]}. Days are `YYYY-MM-DD`; values and sums are "
                f"{numbers[p['document_numbers']]}.",
                f"Members are objects with `id`, `day` (`YYYY-MM-DD`), `value` and `text`, sorted "
                f"by day and {f.words[0]}; values and sums are {numbers[p['document_numbers']]}.",
            ),
            (
                f"The file is UTF-8, not escaped, and indented by {p['indent']} spaces.",
                f"Keep letters such as é as they are (UTF-8, no escapes); the file is indented by "
                f"{p['indent']} spaces.",
            ),
            (
                f"`{p['lookup']}` is a second JSON object that maps each {f.words[0]} to the name "
                f"of its {f.words[1]}, keys in ascending order.",
                f"Also write `{p['lookup']}`, an object from {f.words[0]} to {f.words[1]}, with "
                "ascending keys.",
            ),
        )

    def solve(self, view: View) -> str:
        """Build and dump."""
        p = view.pick
        groups, members, total = p["document_names"].split(",")
        order = {"name": "name", "size": "(-len(by_group[name]), name)"}[p["document_order"]]
        value = {"integer": "value", "text": "decimal(value)"}[p["document_numbers"]]
        return fill(
            """
DOCUMENT = Path(@document@)
LOOKUP = Path(@lookup@)
for path in (DOCUMENT, LOOKUP):
    path.parent.mkdir(parents=True, exist_ok=True)


def shown(value):
    return @value@


by_group = defaultdict(list)
for row in sorted(rows, key=lambda row: (row[2], row[0])):
    by_group[row[1]].append(row)
document = {
    "count": len(rows),
    "first_day": min(row[2] for row in rows),
    "last_day": max(row[2] for row in rows),
    @groups@: [
        {
            "name": name,
            @total@: shown(sum(row[3] for row in by_group[name])),
            @members@: [
                {"id": key, "day": day, "value": shown(value), "text": text}
                for key, _, day, value, text in by_group[name]
            ],
        }
        for name in sorted(by_group, key=lambda name: @order@)
    ],
}
with DOCUMENT.open("w", encoding="utf-8") as out:
    json.dump(document, out, ensure_ascii=False, indent=@indent@)
    out.write("\\n")
with LOOKUP.open("w", encoding="utf-8") as out:
    json.dump({row[0]: row[1] for row in sorted(rows)}, out, ensure_ascii=False)
    out.write("\\n")
""",
            document=p["document"],
            lookup=p["lookup"],
            groups=groups,
            members=members,
            total=total,
            order=Raw(order),
            value=Raw(value),
            indent=int(p["indent"]),
        )

    def helpers(self, view: View) -> str:
        """Parse both."""
        p = view.pick
        groups, members, total = p["document_names"].split(",")
        return fill(
            """
DOCUMENT = @document@
LOOKUP = @lookup@
PARTS, MEMBERS, TOTAL = @groups@, @members@, @total@


def loaded(path):
    try:
        found = json.loads(there(path))
    except ValueError as error:
        raise AssertionError(f"{path} is no JSON: {error}") from None
    assert isinstance(found, dict), f"{path} holds no object"
    return found


def parts():
    found = loaded(DOCUMENT).get(PARTS)
    assert isinstance(found, list) and found, f"{DOCUMENT}: no list {PARTS}"
    assert all(isinstance(part, dict) for part in found), f"{DOCUMENT}: {PARTS} holds no objects"
    return found


def listed(part):
    entries = part.get(MEMBERS)
    assert isinstance(entries, list), f"{DOCUMENT}: no list {MEMBERS}"
    return entries


def member(name):
    found = {m.get("id"): m.get(name) for part in parts() for m in listed(part)}
    return {key: value for key, value in found.items() if key in truth()[0]}


def shown(value):
    return @shown@
""",
            document=p["document"],
            lookup=p["lookup"],
            groups=groups,
            members=members,
            total=total,
            shown=Raw("value" if p["document_numbers"] == "integer" else "money(value)"),
        )

    def checks(self, view: View) -> tuple[Check, ...]:
        """Parts of the document."""
        p, f = view.pick, view.fields
        order = {
            "name": "GROUPS()",
            "size": "sorted(GROUPS(), key=lambda g: (-sum(r[1] == g for r in ROWS()), g))",
        }[p["document_order"]]
        values = (
            ("day", f"the {f.words[2]}", "row[2]"),
            ("value", f"the {f.words[3]}", "shown(row[3])"),
            ("text", f"the {f.words[4]}", "row[4]"),
        )
        return (
            Check(
                "document-count",
                f"The document counts all {f.plural}",
                "assert loaded(DOCUMENT).get('count') == len(ROWS()), f'count in {DOCUMENT}'",
            ),
            Check(
                "document-days",
                "The document names the first and the last day",
                "found = loaded(DOCUMENT)\n"
                "actual = [found.get('first_day'), found.get('last_day')]\n"
                "expected = [min(r[2] for r in ROWS()), max(r[2] for r in ROWS())]\n"
                "assert actual == expected, f'days in {DOCUMENT}'",
            ),
            Check(
                "document-groups",
                f"Every {f.words[1]} has one object",
                "actual = sorted(str(part.get('name')) for part in parts())\n"
                "assert actual == GROUPS(), f'names in {DOCUMENT}'",
            ),
            Check(
                "document-order",
                "The groups stand in the demanded order",
                "actual = [part.get('name') for part in parts()]\n"
                f"assert actual == {order}, f'order of groups in {{DOCUMENT}}'",
            ),
            Check(
                "document-totals",
                f"Every {f.words[1]} has the right sum",
                "actual = {part.get('name'): part.get(TOTAL) for part in parts()}\n"
                "expected = {g: shown(sum(r[3] for r in ROWS() if r[1] == g)) for g in GROUPS()}\n"
                "assert actual == expected, f'sums in {DOCUMENT}'",
            ),
            Check(
                "document-members",
                f"Every {f.noun} is a member of its {f.words[1]}, and only there",
                "actual = sorted((part.get('name'), m.get('id')) for part in parts() "
                "for m in listed(part))\n"
                "expected = sorted((r[1], r[0]) for r in ROWS())\n"
                "assert actual == expected, f'members in {DOCUMENT}'",
            ),
            Check(
                "document-sorted",
                f"Members go by day, then by {f.words[0]}",
                "actual = {part.get('name'): [m.get('id') for m in listed(part)] "
                "for part in parts()}\n"
                "days = sorted(ROWS(), key=lambda r: (r[2], r[0]))\n"
                "expected = {g: [r[0] for r in days if r[1] == g] for g in GROUPS()}\n"
                "assert actual == expected, f'order of members in {DOCUMENT}'",
            ),
            *(
                Check(
                    f"document-{name}",
                    f"Every member shows {what}",
                    f"actual = member({name!r})\n"
                    f"expected = {{row[0]: {value} for row in ROWS() if row[0] in actual}}\n"
                    f"assert actual and actual == expected, f'{name} in {{DOCUMENT}}'",
                )
                for name, what, value in values
            ),
            Check(
                "document-form",
                f"The document is unescaped UTF-8 and indented by {p['indent']} spaces",
                "text = there(DOCUMENT)\n"
                "steps = {len(x) - len(x.lstrip(' ')) for x in text.splitlines() if x.strip()}\n"
                "actual = (min(steps - {0}, default=0), '\\\\u' in text)\n"
                f"assert actual == ({p['indent']}, False), f'form of {{DOCUMENT}}'",
            ),
            Check(
                "lookup-pairs",
                f"The lookup maps every {f.words[0]} to its {f.words[1]}",
                "expected = {r[0]: r[1] for r in ROWS()}\n"
                "assert loaded(LOOKUP) == expected, f'pairs in {LOOKUP}'",
            ),
            Check(
                "lookup-order",
                "The keys of the lookup ascend",
                "actual = list(loaded(LOOKUP))\n"
                "assert actual and actual == sorted(actual), f'order of keys in {LOOKUP}'",
            ),
        )
