"""Looking before writing: read-only glances into the realized container, bounded per stage.

`list`, `read` and `search` run fixed commands; `run` runs the writer's own command as nobody in a
container without network that is thrown away afterwards. What they show is third-party text.
"""

from collections.abc import Callable

from facet.errors import ReplyError
from facet.llm.client import Caller
from facet.sandbox.base import Sandbox
from facet.types.asks import Ask, Look, Looked
from facet.types.value import Value

MAX_TURNS = 4  # asks of one stage that may look
MAX_LOOKS = 12  # looks of one stage in all
OUTPUT = 6_000  # characters shown of one look
TIMEOUT_S = 15.0
NO_MORE = "no looks are left: write now"

type Looker = Callable[[Look], Looked]


def write_after_looking[R: Value](
    caller: Caller,
    ask: Callable[[tuple[Looked, ...]], Ask[R]],
    written: Callable[[R], bool],
    looks: Callable[[R], tuple[Look, ...]],
    looker: Looker,
) -> R:
    """Ask until something is written. ReplyError when the looks are used up without that."""
    looked: tuple[Looked, ...] = ()
    for turn in range(MAX_TURNS + 1):
        reply = caller.call(ask(looked))
        if written(reply):
            return reply
        wanted = looks(reply)
        if not wanted:
            raise ReplyError("the reply holds neither an artifact nor looks")
        room = MAX_LOOKS - len(looked) if turn < MAX_TURNS - 1 else 0
        looked = (*looked, *(looker(look) for look in wanted[:room]))
        if len(wanted) > room:
            looked = (*looked, Looked(look=wanted[room], ok=False, output=NO_MORE))
    raise ReplyError(f"nothing was written after {MAX_TURNS} turns of looking")


def look_into(sandbox: Sandbox, look: Look, workdir: str) -> Looked:
    """One glance. A command that fails or an odd argument is a result, not an error."""
    arg = look.arg.replace("\0", "")[:2000]
    commands: dict[str, tuple[str, ...]] = {
        "list": ("ls", "-la", "--", arg or workdir),
        "read": ("head", "-c", str(OUTPUT + 1), "--", arg),
        "search": ("grep", "-rnIs", "-m", "20", "-e", arg, "--", workdir),
        "run": ("sh", "-c", arg),
    }
    result = sandbox.exec(
        commands[look.kind],
        timeout_s=TIMEOUT_S,
        user="nobody" if look.kind == "run" else "root",
        workdir="" if look.kind == "run" else "/",
        max_output=OUTPUT * 4,
    )
    text = result.stdout.text + result.stderr.text
    total = result.stdout.bytes_total + result.stderr.bytes_total
    if len(text) > OUTPUT:
        text = f"{text[:OUTPUT]}\n[cut: {total} bytes in all]"
    if result.timed_out:
        text += f"\n[ended after {TIMEOUT_S:.0f} s]"
    return Looked(look=look, ok=result.ok, output=text)
