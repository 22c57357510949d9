"""The line on top of every page: which workspace, who decides, containers, how far the work is."""

import streamlit as st

from facet.curation import MIN_FREE_BYTES
from facet.ui.listing import GROUPS, status_of
from facet.ui.place import Place
from facet.ui.text import count, md
from facet.ui.words import KEYS


def status_line(place: Place, who: str) -> None:
    """One line; problems come with what to do about them."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if place.read_only:
            st.badge("sample, read-only", icon=":material/science:", color="violet")
        else:
            st.badge(md(place.workspace.root.name, 40), icon=":material/folder:", color="gray")
        _pulse(place)
        st.space("stretch")
        _who(who)
        _keys()
    notice = place.store.health().notice
    if notice:
        st.warning(md(notice, 400), icon=":material/info:")


@st.fragment(run_every=5.0)
def _pulse(place: Place) -> None:
    """Counts that keep up, and the page's heartbeat.

    A page that was open while the server restarted is drawn again by the first beat, instead of
    swallowing the first press.
    """
    place.store.ingest()
    groups = [GROUPS[status_of(r)] for r in place.store.tasks()]
    decided = sum(g in ("approved", "rejected") for g in groups)
    words = f"{groups.count('to review')} to review · {decided} decided"
    with st.container(horizontal=True, vertical_alignment="center", gap="small", width="content"):
        st.caption(f"{words} · {count(len(groups), 'task')}", width="content")
        why_not = place.engine.why_not()
        if why_not:
            st.badge("no containers", icon=":material/power_off:", color="orange", help=md(why_not))
        else:
            st.badge("containers ready", icon=":material/deployed_code:", color="green")
        skipped = place.store.health().skipped
        if skipped:
            st.badge(
                count(skipped, "damaged journal line"),
                icon=":material/warning:",
                color="orange",
                help="torn or damaged lines are skipped; nothing acknowledged is among them",
            )


def _who(who: str) -> None:
    with st.popover(md(who, 30), icon=":material/person:", type="tertiary"):
        st.text_input(
            "Your name",
            key="who",
            max_chars=40,
            placeholder=who,
            help="decisions are kept per person; this browser tab uses this name",
            persist_state="session",
        )


def _keys() -> None:
    with st.popover("Keys", icon=":material/keyboard:", type="tertiary"):
        for key, what in KEYS:
            st.markdown(f"`{key}` {what}")
        st.caption(
            "A key decides only a task that was on screen for a moment, and only once. "
            f"Below {MIN_FREE_BYTES // 1_000_000} MB of free disk nothing new is accepted."
        )
