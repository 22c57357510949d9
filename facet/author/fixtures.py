"""Untidy data: what real exports look like, and what a careful reader makes of them."""

from facet.author.dice import Dice
from facet.author.recipe import Item, Record
from facet.author.themes import Theme

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
BASIC_REASONS: tuple[tuple[str, str], ...] = (
    ("no-id", "the identifier is empty"),
    ("bad-date", "the date is missing or is no real date"),
    ("bad-number", "the number is missing or is no number"),
)
DATE_FORMS = "`2024-03-07`, `07/03/2024` (day first) or `7 Mar 2024`"


def truth(theme: Theme, dice: Dice, count: int) -> list[Record]:
    """Clean records: distinct identifiers, days of one year, every group present."""
    groups = theme.groups[: dice.between(4, 6)]
    start = dice.between(101, 180) * 10
    months = dice.sample(range(1, 13), dice.between(4, 6))
    rows = []
    for number in range(count):
        group = groups[number] if number < len(groups) else dice.pick(groups)
        day = f"2024-{dice.pick(months):02d}-{dice.between(1, 28):02d}"
        rows.append(
            Record(
                key=f"{theme.prefix}-{start + number + number // 7}",
                group=group,
                day=day,
                number=dice.between(105, 48_999),
                text=dice.pick(theme.texts),
            )
        )
    return dice.shuffled(rows)


def _day(day: str, dice: Dice) -> str:
    year, month, date = day.split("-")
    return dice.pick(
        (day, day, f"{date}/{month}/{year}", f"{int(date)} {MONTHS[int(month) - 1]} {year}")
    )


def decimal(cents: int) -> str:
    """Hundredths as text with two decimals."""
    return f"{cents // 100}.{cents % 100:02d}"


def _number(cents: int, dice: Dice) -> str:
    plain = decimal(cents)
    short = plain.rstrip("0").rstrip(".") if cents % 10 == 0 else plain
    whole, _, rest = plain.partition(".")
    spaced = f"{int(whole):,}.{rest}"
    return dice.pick((plain, plain, short, spaced))


def untidy(rows: list[Record], theme: Theme, dice: Dice, *, blanks: bool = True) -> list[Item]:
    """Raw items of these records, with errors, mixed forms and repeated identifiers among them.

    `blanks` = False leaves out stray spaces around values (formats that cannot carry them).
    """
    items = []
    for row in rows:
        key = f"  {row.key}" if blanks and dice.chance(0.12) else row.key
        group = row.group.upper() if dice.chance(0.15) else row.group
        text = f"{row.text}  " if blanks and dice.chance(0.12) else row.text
        items.append(Item(key, group, _day(row.day, dice), _number(row.number, dice), text))
    for _ in range(4):  # a record entered again, with other values
        row = dice.pick(rows)
        changed = Item(
            row.key,
            dice.pick([g for g in theme.groups[:4] if g != row.group]),
            _day(f"2024-{dice.between(1, 12):02d}-{dice.between(1, 28):02d}", dice),
            _number(row.number + dice.between(150, 9000), dice),
            row.text,
        )
        items.insert(dice.between(0, len(items)), changed)
    serial = 9000
    for fault in ("no-id", "no-id", "bad-date", "bad-date", "bad-number", "bad-number"):
        serial += dice.between(1, 9)
        row = dice.pick(rows)
        item = Item(
            "" if fault == "no-id" else f"{theme.prefix}-{serial}",
            row.group,
            dice.pick(("", "2024-02-30", "31/04/2024")) if fault == "bad-date" else row.day,
            dice.pick(("", "n/a", "12.3.4")) if fault == "bad-number" else decimal(row.number),
            row.text,
        )
        items.insert(dice.between(0, len(items)), item)
    return items
