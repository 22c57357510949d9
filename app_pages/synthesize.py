"""Synthesize: start a run, watch it, cancel it, go on with it. The work is a process of its own."""

import streamlit as st

from facet.ui.batch import progress, run_form
from facet.ui.place import current, own, person
from facet.ui.status import status_line

current()  # stops the page with one line where the workspace cannot be used
place = own()
status_line(place, person())
st.subheader("Synthesize", anchor=False)
run_form(place)
progress(place, st.query_params.get("run", ""))
