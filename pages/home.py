"""Home: the bases with their state, problems that need attention, and a quick search."""

import streamlit as st

from pages.ui.home import overview
from pages.ui.shared import examples, jobs, shell
from pages.ui.shared.text import t

workspace = shell.workspace()
status = workspace.status()

if not status.bases:
    overview.welcome(workspace)
    jobs.panel(workspace)
    st.stop()

st.title("Tessera")
overview.quick_search()
if jobs.SAMPLE in [base.base.name for base in status.bases]:
    examples.links()
jobs.panel(workspace)
overview.attention(workspace, status)
st.subheader(t("Knowledge bases"))
overview.bases(workspace, status)
