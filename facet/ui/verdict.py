"""The verdict bar: approve, reject with a reason, unsure, undo, next, and what was saved."""

import streamlit as st

from facet.curation import REASONS, VERDICT_WORDS, Desk, Shown, attempts, decision_event, standing
from facet.store.rows import TaskHistory
from facet.types.decision import Decision, Verdict
from facet.types.task import Artifact
from facet.types.value import short
from facet.ui.seat import Seat, close_strip, decide, go, open_strip, withdraw
from facet.ui.text import clock, line, md


def verdict_bar(
    desk: Desk | None,
    seat: Seat,
    person: str,
    history: TaskHistory,
    shown: Shown,
    neighbours: tuple[str, str],
    position: str,
    following: str,
) -> bool:
    """Draw the bar at the bottom of the page; `desk` is None where nothing can be decided.

    `neighbours` are the keys of the previous and the next task in the list, "" at its ends;
    `following` is where a decision leads, "" to stay. True when the queue is asked for.
    """
    row = history.task
    tag = f"{row.key}:{short(row.digest)}"
    count = attempts(history.decisions, person, row.digest)
    event = decision_event(person, row.key, row.digest, count)
    strip = bool(desk) and seat.rejecting == row.digest
    with st.bottom:
        if strip and desk is not None:
            _reject_strip(desk, seat, person, history, shown, event, following)
        bar = st.container(horizontal=True, vertical_alignment="center", gap="small")
        with bar:
            if desk is None:
                st.caption("Read-only: decisions are made in a workspace of your own.")
            elif not row.digest:
                st.caption("No task is written yet: nothing to decide.")
            else:
                _buttons(desk, seat, person, history, shown, event, tag, following, strip)
            st.space("stretch")
            saved_line(seat)
            queue = st.button(
                "Queue",
                key=f"queue:{tag}",
                icon=":material/inbox:",
                shortcut="q",
                type="tertiary",
            )
            _neighbours(seat, tag, neighbours, position)
    return queue


def _decision(history: TaskHistory, person: str, verdict: Verdict, **more: str) -> Decision:
    return Decision(
        task=history.task.key,
        task_digest=history.task.digest,
        verdict=verdict,
        person=person,
        reason=more.get("reason", ""),
    )


def _buttons(
    desk: Desk,
    seat: Seat,
    person: str,
    history: TaskHistory,
    shown: Shown,
    event: str,
    tag: str,
    following: str,
    strip: bool,
) -> None:
    title = line(history.task.title or history.task.key, 60)
    buttons: tuple[tuple[str, Verdict, str, str], ...] = (
        ("Approve", "approve", "A", ":material/check:"),
        ("Unsure", "unsure", "U", ":material/help:"),
    )
    for label, verdict, key, icon in buttons:
        st.button(
            label,
            key=f"{verdict}:{tag}:{event}",
            icon=icon,
            shortcut=key.lower(),
            type="primary" if verdict == "approve" else "secondary",
            on_click=decide,
            args=(
                desk,
                _decision(history, person, verdict),
                event,
                shown,
                seat,
                following,
                f"{VERDICT_WORDS[verdict]}: {title}",
            ),
        )
        if verdict == "approve":
            st.button(
                "Reject",
                key=f"reject:{tag}:{event}",
                icon=":material/close:",
                shortcut="x",
                disabled=strip,
                on_click=open_strip,
                args=(seat, history.task.digest),
            )
    mine = [d for d, _ in standing(history.decisions, history.task.digest) if d.person == person]
    if mine and mine[0].data.task_digest == history.task.digest:
        st.button(
            "Undo",
            key=f"undo:{tag}:{event}",
            icon=":material/undo:",
            shortcut="z",
            help="takes your decision on this task back; nothing is deleted",
            on_click=withdraw,
            args=(desk, mine[0].data, event, seat, f"taken back: {title}"),
        )


def _reject_strip(
    desk: Desk,
    seat: Seat,
    person: str,
    history: TaskHistory,
    shown: Shown,
    event: str,
    following: str,
) -> None:
    """Reasons with their digits, a free one, and a way out."""
    tag = f"{history.task.key}:{short(history.task.digest)}:{event}"
    about = f"rejected: {line(history.task.title or history.task.key, 60)}"
    with st.container(border=True, gap="small"):
        st.caption("Why is it rejected? A digit saves at once.")
        with st.container(horizontal=True, gap="small", vertical_alignment="center"):
            for reason in REASONS:
                decision = _decision(history, person, "reject", reason=reason.text)
                decision = decision.model_copy(update={"artifact": reason.artifact})
                st.button(
                    reason.text,
                    key=f"reason:{reason.key}:{tag}",
                    shortcut=reason.key,
                    on_click=decide,
                    args=(desk, decision, event, shown, seat, following, about),
                )
        with (
            st.form(f"other:{tag}", border=False, clear_on_submit=False),
            st.container(horizontal=True, gap="small", vertical_alignment="bottom"),
        ):
            text = st.text_input(
                "Another reason",
                key=f"reason-text:{tag}",
                max_chars=2000,
                placeholder="in your own words; name the line or the check",
            )
            artifact: Artifact | None = st.selectbox(
                "It speaks of",
                ["instruction", "environment", "solution", "verifier"],
                index=None,
                key=f"reason-part:{tag}",
                placeholder="the whole task",
                width=190,
            )
            sent = st.form_submit_button("Reject with this reason", icon=":material/close:")
        st.button(
            "Cancel",
            key=f"cancel:{tag}",
            shortcut="Escape",
            type="tertiary",
            on_click=close_strip,
            args=(seat,),
        )
    if sent:
        decision = _decision(history, person, "reject", reason=text or "")
        decision = decision.model_copy(update={"artifact": artifact})
        decide(desk, decision, event, shown, seat, following, about)
        st.rerun()


def saved_line(seat: Seat) -> None:
    """What became of the last attempt to write: "Saved ev_…" only when it is on disk."""
    answer = seat.answer
    if answer is None:
        return
    words = f"{md(answer.line, 200)}{' · ' + md(seat.about, 90) if answer.event else ''}"
    color = {"saved": "green", "already": "gray", "refused": "orange"}.get(answer.state, "red")
    icon = {"saved": "check_circle", "already": "check", "refused": "front_hand"}.get(
        answer.state, "error"
    )
    st.markdown(f":{color}[:material/{icon}: {words}]", width="content")


def _neighbours(seat: Seat, tag: str, neighbours: tuple[str, str], position: str) -> None:
    previous, following = neighbours
    st.button(
        "Previous",
        key=f"previous:{tag}",
        icon=":material/chevron_left:",
        shortcut="k",
        type="tertiary",
        disabled=not previous,
        on_click=go,
        args=(seat, previous),
    )
    st.caption(position, width="content")
    st.button(
        "Next",
        key=f"next:{tag}",
        icon=":material/chevron_right:",
        icon_position="right",
        shortcut="j",
        type="tertiary",
        disabled=not following,
        on_click=go,
        args=(seat, following),
    )


def opinions(history: TaskHistory) -> None:
    """Every standing decision, stale ones marked with what they spoke of."""
    found = standing(history.decisions, history.task.digest)
    if not found:
        st.caption("Nobody decided on this task yet.")
        return
    colors = {"approve": "green", "reject": "red", "unsure": "yellow", "skip": "gray"}
    for stamped, stale in found:
        one = stamped.data
        word = VERDICT_WORDS[one.verdict]
        badge = f":{colors.get(one.verdict, 'gray')}-badge[{word}]"
        about = f" ({one.artifact})" if one.artifact else ""
        old = (
            f" :orange-badge[:material/history: stale: it spoke of {short(one.task_digest, 8)}]"
            if stale
            else ""
        )
        st.markdown(f"{badge}{old} {md(one.person, 40)} · {clock(stamped.at)}", width="stretch")
        if one.reason:
            st.text(line(one.reason, 500) + about)
        if one.note:
            st.text(line(one.note, 500))
