"""Funnel: what went in, what came out, where the rest was lost and why."""

import streamlit as st

from facet.ui.funnel import funnel_page, run_picker, totals
from facet.ui.place import current, person
from facet.ui.status import status_line

place = current()
status_line(place, person())
with st.container(horizontal=True, vertical_alignment="center"):
    st.subheader("Funnel", anchor=False, width="content")
    st.space("stretch")
    run = run_picker(place)
totals(place, run)
funnel_page(place, run)
