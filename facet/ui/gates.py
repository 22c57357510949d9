"""The gates of one judgement, each with its evidence; unasked ones never look passed."""

import streamlit as st

from facet.gates import GATES
from facet.types.verdict import Judgement
from facet.ui.text import count, md
from facet.ui.words import GATE_LOOK

TITLES = {row.name: row for row in GATES}


def gate_list(judgement: Judgement | None) -> None:
    """One line a gate: icon, title, evidence; details of the deciding one below it."""
    if judgement is None:
        st.caption("Not judged yet: no gate was asked.")
        return
    deciding = judgement.deciding
    for gate in judgement.gates:
        look = GATE_LOOK[gate.status]
        row = TITLES.get(gate.name)
        title = row.title if row else gate.name.replace("_", " ")
        words = md(gate.evidence, 220) if gate.evidence else look.word
        if gate.status in ("not_reached", "not_applicable"):
            st.markdown(f":gray[{look.icon} {title} · :small[{look.word}]]")
            continue
        if gate.status == "passed":
            st.markdown(f":{look.color}[{look.icon}] {title} :small[:gray[{words}]]")
            continue
        st.markdown(f":{look.color}[{look.icon}] **{title}** {look.word}  \n:small[{words}]")
        if gate == deciding and gate.details:
            with st.expander(f"Evidence, {count(len(gate.details), 'line')}"):
                st.code("\n".join(gate.details), language=None, wrap_lines=True, height=160)
