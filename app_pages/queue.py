"""Queue: every task with its status and why, what waits for a decision, and the way in."""

import streamlit as st

from facet.ui.batch import start_demo
from facet.ui.place import current, own, person, seat
from facet.ui.queue import headline, queue_table
from facet.ui.status import status_line
from facet.ui.words import EMPTY_OWN, SAMPLE_NOTE

place = current()
seat().jump("")
status_line(place, person())

if place.name == "sample":
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        st.markdown(f":material/science: {SAMPLE_NOTE}", width="stretch")
        start_demo(own())
elif not place.store.count_tasks():
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        st.markdown(f":material/inbox: {EMPTY_OWN}", width="stretch")
        start_demo(own())

headline(place)
queue_table(place)
