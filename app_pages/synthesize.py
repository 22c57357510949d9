"""Synthesize: start a run, watch it, cancel it, go on with it. The work is a process of its own."""

import streamlit as st

from facet.ui.batch import progress, run_form
from facet.ui.place import current, own, person
from facet.ui.status import status_line

status_line(current(), person())
st.subheader("Synthesize", anchor=False)
place = own()
run_form(place)
progress(place, st.query_params.get("run", ""))
