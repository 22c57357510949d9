"""The app's parts: the only place in facet/ that imports Streamlit. Pages lay them out."""
