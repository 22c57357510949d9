"""Skills: the screened corpus, every drop with the line that caused it, contexts and pairs."""

import streamlit as st

from facet.ui.place import current, person
from facet.ui.skills import skills_page
from facet.ui.status import status_line

place = current()
status_line(place, person())
st.subheader("Skills", anchor=False)
skills_page(place)
