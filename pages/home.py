"""Home: a quick search, what needs attention, the last changed notes, and the bases with their state."""

import streamlit as st

from pages.ui.home import overview
from pages.ui.shared import empty, jobs, shell

workspace = shell.workspace()
status = workspace.status()

if not status.bases:
    overview.welcome(workspace)
    jobs.panel(workspace)
    st.stop()

st.title("Tessera")
overview.quick_search()
empty.links(workspace)
jobs.panel(workspace)
overview.attention(workspace, status)
overview.recent(workspace)
overview.bases(workspace, status)
