"""FACET's web app. As a Streamlit script: page settings and navigation. As a module: the ASGI app.

`facet app`, `streamlit run app.py` and `uvicorn app:app` all work. Streamlit runs this file as a
fake `__main__` on every rerun; the server imports it once as a module and finds `app`.
"""

from pathlib import Path

import streamlit as st

ART = Path(__file__).resolve().parent / "app_pages"
# File, title, icon and address of every page; the first is the start.
PAGES = (
    ("app_pages/queue.py", "Queue", ":material/inbox:", ""),
    ("app_pages/task.py", "Task", ":material/rate_review:", "task"),
    ("app_pages/synthesize.py", "Synthesize", ":material/conveyor_belt:", "synthesize"),
    ("app_pages/funnel.py", "Funnel", ":material/filter_alt:", "funnel"),
    ("app_pages/skills.py", "Skills", ":material/school:", "skills"),
)

if __name__ == "__main__":
    st.set_page_config(page_title="FACET", page_icon=ART / "icon.svg", layout="wide")
    st.logo(ART / "facet.svg", size="large", icon_image=ART / "facet.svg")
    st.navigation(
        [
            st.Page(path, title=title, icon=icon, url_path=address or None, default=not address)
            for path, title, icon, address in PAGES
        ],
        position="top",
    ).run()
else:
    from collections.abc import AsyncIterator
    from contextlib import asynccontextmanager
    from typing import Any

    @asynccontextmanager
    async def lifespan(_: Any) -> AsyncIterator[None]:
        """Load what pages need before the first request, and take it out of the collector.

        Streamlit collects garbage after every script run; with these modules loaded that would
        be most of a rerun's time.
        """
        import gc

        import duckdb  # noqa: F401
        import pandas  # noqa: F401

        import facet.ui.place  # noqa: F401

        gc.collect()
        gc.freeze()
        yield

    app = st.App(__file__, lifespan=lifespan)
