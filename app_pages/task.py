"""Task: one bundle as a unit. Scenario, artifacts, checks, state, repairs, and the decision."""

import streamlit as st

from facet.ui.listing import neighbours, next_to_review
from facet.ui.place import at_params, current, person, seat
from facet.ui.status import status_line
from facet.ui.task import header, read_task, review
from facet.ui.verdict import verdict_bar

place = current()
who = person()
mine = seat()
rows = place.store.tasks()
asked = mine.where(st.query_params.get("task", ""))
key = asked or next_to_review(rows) or (rows[0].key if rows else "")
if key and st.query_params.get("task") != key:
    st.query_params["task"] = key

history = place.store.history(key) if key else None
if history is None:
    status_line(place, who)
    st.subheader("No such task" if key else "No task yet", anchor=False)
    st.text(key[:200])
    st.page_link("app_pages/queue.py", label="Back to the queue", icon=":material/inbox:")
    st.stop()

status_line(place, who)
before, after, position = neighbours(rows, key)
shown = mine.shown(key, history.task.digest)
if verdict_bar(
    place.desk, mine, who, history, shown, (before, after), position, next_to_review(rows, key)
):
    st.switch_page("app_pages/queue.py", query_params=at_params(place))
view = header(history)
task = read_task(place, history)
if task is not None:
    review(place, view, task, history, who, digits=mine.rejecting != history.task.digest)
shown.now()
mine.arrived()
