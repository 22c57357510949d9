"""Settings a task can play in: their words, names and data."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Fields:
    """A record has five parts: identifier, group, day, number (two decimals), text.

    `variants` are ways to name the five columns; `words` name them in prose.
    """

    noun: str
    plural: str
    variants: tuple[tuple[str, str, str, str, str], ...]
    words: tuple[str, str, str, str, str]


@dataclass(frozen=True)
class Theme:
    """One setting."""

    slug: str
    place: str  # who has this work to do
    why: tuple[str, ...]  # why it is to be done
    fields: Fields
    prefix: str  # of identifiers
    groups: tuple[str, ...]
    texts: tuple[str, ...]
    folder: str  # where its data lies
    outs: tuple[str, str, str]  # folders for results
    stems: tuple[str, str, str]  # file names without extension
    person: str


THEMES: tuple[Theme, ...] = (
    Theme(
        "bakery",
        "the office of a bakery with six shops",
        (
            "the accountant closes the books on Friday",
            "the shop managers want figures they can trust",
            "the tax adviser has asked for the numbers twice",
        ),
        Fields(
            "order",
            "orders",
            (
                ("order_id", "shop", "ordered_on", "total", "customer"),
                ("order_no", "branch", "order_date", "amount_eur", "client"),
                ("OrderNumber", "ShopName", "OrderDate", "NetTotal", "CustomerName"),
            ),
            ("order number", "shop", "order date", "order total", "customer"),
        ),
        "ORD",
        ("harbour", "market", "old-town", "station", "hillside", "mill"),
        (
            "Café Zoë",
            "Müller & Sons",
            "Lindqvist, Anna",
            "Bistro Nord",
            "Kita Sonnenschein",
            "O'Brien Catering",
            "Hotel Astoria",
            "Peeters, J. & M.",
        ),
        "/app/bakery",
        ("/app/bakery/out", "/app/results", "/srv/bakery/books"),
        ("orders", "shop_orders", "sales"),
        "Marit Olsen",
    ),
    Theme(
        "library",
        "the lending desk of a city library",
        (
            "the yearly statistics are due",
            "the fees ledger no longer adds up",
            "the branches dispute who lent what",
        ),
        Fields(
            "loan",
            "loans",
            (
                ("loan_id", "branch", "lent_on", "fee", "title"),
                ("loan_ref", "site", "loan_date", "fee_due", "book"),
                ("LoanID", "Branch", "LentOn", "FeeDue", "BookTitle"),
            ),
            ("loan number", "branch", "lending date", "fee", "book title"),
        ),
        "LN",
        ("central", "riverside", "northgate", "campus", "bus-two", "annex"),
        (
            "Les Misérables",
            "War & Peace",
            "Emil, der Detektiv",
            "Things Fall Apart",
            "Pippi Långstrump",
            "The Trial",
            "Niels Lyhne",
            "Père Goriot, vol. 2",
        ),
        "/srv/library",
        ("/srv/library/export", "/app/lending", "/app/statistics"),
        ("loans", "lending", "circulation"),
        "Tomas Havel",
    ),
    Theme(
        "greenhouse",
        "a research greenhouse that meters water for each bench",
        (
            "the irrigation plan for spring depends on it",
            "two sensors were replaced and nobody trusts the old figures",
            "the grant report needs consumption by bench",
        ),
        Fields(
            "reading",
            "readings",
            (
                ("reading_id", "bench", "taken_on", "litres", "crop"),
                ("sample", "bed", "day", "water_l", "plant"),
                ("ReadingId", "Bench", "TakenOn", "Litres", "Crop"),
            ),
            ("reading number", "bench", "reading date", "water in litres", "crop"),
        ),
        "RD",
        ("bench-a", "bench-b", "bench-c", "nursery", "tropics", "orchid-room"),
        (
            "tomato 'Matina'",
            "basil, Genovese",
            "Jalapeño",
            "cucumber & dill",
            "Aubergine Été",
            "lettuce",
            "maïs doux",
            "chard",
        ),
        "/opt/greenhouse",
        ("/opt/greenhouse/derived", "/app/water", "/srv/irrigation"),
        ("readings", "water", "meters"),
        "Ines Carvalho",
    ),
    Theme(
        "clinic",
        "the laboratory of a veterinary clinic",
        (
            "invoices for last season go out on Monday",
            "an audit of the laboratory is announced",
            "the old laboratory system is switched off this week",
        ),
        Fields(
            "sample",
            "samples",
            (
                ("sample_id", "ward", "received_on", "cost", "animal"),
                ("lab_no", "unit", "received", "price", "patient"),
                ("SampleNo", "Ward", "ReceivedOn", "Cost", "Animal"),
            ),
            ("sample number", "ward", "date of receipt", "cost", "animal"),
        ),
        "VET",
        ("surgery", "small-animals", "equine", "exotics", "recovery", "outpatient"),
        (
            "Fjord horse 'Odin'",
            "cat, grey",
            "Bello & Luna",
            "tortoise Zoé",
            "rabbit",
            "Señor Pico (parrot)",
            "goat, tag 7",
            "whippet",
        ),
        "/srv/lab",
        ("/srv/lab/billing", "/app/lab", "/app/season"),
        ("samples", "lab", "intake"),
        "Dr. Femi Adeyemi",
    ),
    Theme(
        "fleet",
        "the dispatch office of a courier with bicycles and vans",
        (
            "the fuel and mileage claim is overdue",
            "the depots are paid by distance from this month on",
            "insurance wants the distances by depot",
        ),
        Fields(
            "trip",
            "trips",
            (
                ("trip_id", "depot", "driven_on", "km", "driver"),
                ("trip_no", "base", "trip_date", "distance_km", "rider"),
                ("TripID", "Depot", "DrivenOn", "DistanceKm", "Driver"),
            ),
            ("trip number", "depot", "trip date", "distance in km", "driver"),
        ),
        "TR",
        ("east", "west", "airport", "docks", "ring-road", "centre"),
        (
            "Åsa Berg",
            "Nguyễn Lan",
            "Diaz, Pablo",
            "Smith & Khan (tandem)",
            "Ola Nordmann",
            "Zoë Peters",
            "Ivo",
            "Marques, R.",
        ),
        "/var/lib/dispatch",
        ("/var/lib/dispatch/claims", "/app/mileage", "/app/claims"),
        ("trips", "rides", "mileage"),
        "Carla Jensen",
    ),
    Theme(
        "museum",
        "the registrar of a small museum",
        (
            "the insurer revalues the collection this month",
            "the catalogue moves to a new system",
            "the trustees meet next week",
        ),
        Fields(
            "object",
            "objects",
            (
                ("object_id", "room", "acquired_on", "value", "name"),
                ("inventory_no", "gallery", "acquired", "insured_value", "object_name"),
                ("ObjectId", "Room", "AcquiredOn", "Value", "Name"),
            ),
            ("inventory number", "room", "date of acquisition", "insured value", "object name"),
        ),
        "MUS",
        ("hall", "attic", "print-room", "cellar", "garden", "east-wing"),
        (
            "Vase, Meißen",
            "Chair & stool",
            "L'Été (etching)",
            "Loom",
            "Portrait of J. Åberg",
            "coin hoard, 41 pieces",
            "Sextant",
            "Quilt",
        ),
        "/srv/museum",
        ("/srv/museum/register", "/app/collection", "/app/valuation"),
        ("objects", "inventory", "collection"),
        "Hanneke de Wit",
    ),
    Theme(
        "helpdesk",
        "the internal help desk of a shipyard",
        (
            "the departments are charged for support by the hour",
            "the contract with the service partner is up for renewal",
            "management wants to see where the hours go",
        ),
        Fields(
            "ticket",
            "tickets",
            (
                ("ticket_id", "team", "closed_on", "hours", "subject"),
                ("ticket", "queue", "closed", "effort_h", "summary"),
                ("TicketNo", "Team", "ClosedOn", "Hours", "Subject"),
            ),
            ("ticket number", "team", "closing date", "hours spent", "subject"),
        ),
        "HD",
        ("welding", "design", "logistics", "payroll", "dock-two", "canteen"),
        (
            "printer, 3rd floor",
            "VPN drops",
            "Zugang für Gäste",
            "badge & turnstile",
            "scanner 'Kessel'",
            "password reset",
            "mailbox of crew 7",
            "naïve backup script",
        ),
        "/opt/helpdesk",
        ("/opt/helpdesk/reports", "/app/support", "/srv/charging"),
        ("tickets", "support", "cases"),
        "Ruth Okafor",
    ),
    Theme(
        "energy",
        "the housing cooperative that runs its own solar plant",
        (
            "the members get their yearly statement",
            "the grid operator contests the feed-in figures",
            "a new tariff applies as soon as the old figures are settled",
        ),
        Fields(
            "delivery",
            "deliveries",
            (
                ("meter_id", "house", "read_on", "kwh", "tenant"),
                ("delivery_no", "building", "read_date", "energy_kwh", "household"),
                ("DeliveryId", "House", "ReadOn", "EnergyKwh", "Tenant"),
            ),
            ("delivery number", "house", "meter date", "energy in kWh", "household"),
        ),
        "KW",
        ("birch", "linden", "maple", "alder", "north-block", "workshop"),
        (
            "Øyen",
            "family Çelik",
            "Brandt & Roth",
            "flat 3, left",
            "Dvořák",
            "studio 'Licht'",
            "common rooms",
            "van den Berg, T.",
        ),
        "/data/energy",
        ("/data/energy/statements", "/app/tariff", "/app/statement"),
        ("deliveries", "energy", "feed"),
        "Pavel Novak",
    ),
)


def theme(slug: str) -> Theme:
    """The theme of this name; the first one for a name nobody knows."""
    return next((t for t in THEMES if t.slug == slug), THEMES[0])
