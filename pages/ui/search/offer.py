"""The offer of a language model on this machine where a question has hits and no quotes."""

import streamlit as st

from core.model import SearchOptions
from core.workspace import Workspace
from pages.ui.search import written
from pages.ui.shared import local_servers, widgets
from pages.ui.shared.safe import plain
from pages.ui.shared.text import t


def draw(workspace: Workspace, text: str, options: SearchOptions) -> None:
    """Draw the offer, else a line that says what would help; nothing where the model is fixed by the settings."""
    if local_servers.is_open(workspace):
        local_servers.draw(workspace, lambda found: _offer(workspace, text, options, found))


def _offer(workspace: Workspace, text: str, options: SearchOptions, found: local_servers.Found | None) -> None:
    pairs = [(server, model) for server in found or () for model in server.models]
    with st.container(horizontal=True, vertical_alignment="center", key="model_offer"):
        if not pairs:
            help_ = t("A language model on this machine could write an answer from these notes.")
            st.caption(f":material/edit_note: {plain(help_)}", width="content")
            if found is not None:
                query = {"tab": "servers"}
                st.page_link("settings.py", label=t("Set one up"), query_params=query, width="content")
            return
        server, model = pairs[0]
        if len(pairs) == 1:
            line = t("{name} is running here with {model}", name=server.name, model=local_servers.short(model))
            st.caption(f":material/computer: {plain(line)}", width="content")
        else:
            st.caption(f":material/computer: {plain(t('Language models are running here'))}", width="content")
            labels = {(pair, name): f"{pair.name} · {local_servers.short(name)}" for pair, name in pairs}
            server, model = local_servers.choose(labels, "offered_model")
        about = t(
            "It writes the answer to this question now, and to others when you press Write an answer. It also breaks down "
            "broad questions. The text stays on this machine ({address}). To remove it: Settings, Model servers.",
            address=server.address,
        )
        if widgets.button(t("Let it write answers"), "let_it_write", "edit_note", help=plain(about)):
            local_servers.use(workspace, server, model)
            written.begin(workspace, text, text, **options)
