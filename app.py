"""Home: what is here, how it is, and a quick search."""

import streamlit as st

from pages.ui import home, shell, work
from pages.ui.text import t

workspace = shell.start("home")
status = workspace.status()

if not status.bases:
    home.welcome(workspace)
    work.panel(workspace)
    st.stop()

st.title("Tessera")
home.quick_search()
work.panel(workspace)
home.attention(workspace, status)
st.subheader(t("home.bases"))
home.bases(workspace, status)
