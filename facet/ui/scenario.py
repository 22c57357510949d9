"""The scenario behind a task: five axes, the fused text, references and what each skill meant."""

import streamlit as st

from facet.types.scenario import Reference, Scenario
from facet.types.task import Task
from facet.ui.text import line, md, plain
from facet.ui.words import AXES


def axes(scenario: Scenario) -> None:
    """The five axes, one short paragraph each."""
    for field, title in AXES:
        st.caption(title)
        st.text(line(getattr(scenario.axes, field), 600))


def scenario_page(task: Task) -> None:
    """Everything that stage 2 made, side by side."""
    scenario = task.scenario
    if scenario is None:
        st.caption("This task carries no scenario: it was not written here.")
        return
    left, right = st.columns([3, 2], gap="medium")
    with left:
        st.subheader("Fused scenario", anchor=False)
        with st.container(border=True):
            st.text(plain(scenario.text, 20_000))
        first, second = st.columns(2, gap="small")
        with first:
            _reference("Solution reference", scenario.solution_reference)
        with second:
            _reference("Instruction reference", scenario.instruction_reference)
    with right:
        st.subheader("Five axes", anchor=False)
        with st.container(border=True, gap="xsmall"):
            axes(scenario)
        _consistency(scenario)
        _skills(task, scenario)
        if scenario.facts:
            st.subheader("Fixed facts", anchor=False)
            st.dataframe(
                [{"fact": line(f.name, 80), "value": line(f.value, 200)} for f in scenario.facts],
                hide_index=True,
                alt="Concrete choices that the scenario fixes",
            )


def _reference(title: str, reference: Reference) -> None:
    st.subheader(title, anchor=False)
    with st.container(border=True, gap="xsmall"):
        st.text(plain(reference.text, 4000))
        for name, items in (
            ("Initial state", reference.initial_state),
            ("End state", reference.end_state),
        ):
            st.caption(name)
            for item in items:
                st.markdown(f"- {md(item, 400)}")


def _consistency(scenario: Scenario) -> None:
    result = scenario.consistency
    good = sum(i.agrees for i in result.items)
    st.subheader("Do the two references agree?", anchor=False)
    icon = ":green[:material/check_circle:]" if result.agrees else ":red[:material/cancel:]"
    st.markdown(f"{icon} {good} of {len(result.items)} compared items agree")
    for item in result.items:
        if not item.agrees:
            st.markdown(f"- {item.side}: {md(item.item)} — {md(item.why)}")


def _skills(task: Task, scenario: Scenario) -> None:
    st.subheader("What the skills meant", anchor=False)
    names = {s.get("id", ""): s.get("name", "") for s in task.provenance.skills}
    rows = [
        {
            "skill": line(names.get(c.skill_id, "") or c.skill_id, 80),
            "capability": line(c.name, 120),
            "used": c.used,
            "why": line(c.why, 200),
            "words of the skill": line(c.quote, 300) or "(none found)",
        }
        for c in scenario.capabilities
    ]
    st.dataframe(rows, hide_index=True, alt="Capabilities of both skills, used or dropped")
    for skill in task.provenance.skills:
        licence = skill.get("licence", "") or "no licence found"
        place = "/".join(filter(None, (skill.get("source", ""), skill.get("path", ""))))
        st.caption(f"{md(skill.get('name', ''), 80)} · {md(licence, 60)} · {md(place, 120)}")
