"""Settings: the bases and their embedders, the models, what a search begins with, the vector index."""

import streamlit as st

from pages.ui import basecards, modelcards, settings, shell
from pages.ui.text import t

workspace = shell.start("settings")
st.title(t("menu.settings"))

with shell.errors():
    status, models = workspace.status(), workspace.models()
    of_bases, of_models, of_search, of_index = st.tabs(
        [t(f"settings.{name}") for name in ("bases", "models", "search", "index")]
    )
    with of_bases:
        basecards.section(workspace, status, models)
    with of_models:
        modelcards.section(workspace, status, models)
    with of_search:
        settings.search(workspace)
    with of_index:
        settings.index(workspace, status)
