"""Model servers on this machine on the settings page: what was looked for, and the button that uses one."""

from collections.abc import Callable

import streamlit as st

from core.model import LocalServer
from core.workspace import Workspace
from pages.ui.shared import local_servers, widgets
from pages.ui.shared.safe import html
from pages.ui.shared.text import t


def draw_found(workspace: Workspace, changed: Callable[[], object]) -> None:
    """Draw the places that were looked at for language models; `changed` is called before one is used."""
    with st.container(border=True, key="local_servers", gap="small"):
        local_servers.draw(workspace, lambda found: _list(workspace, found, changed))


def _list(workspace: Workspace, found: local_servers.Found | None, changed: Callable[[], object]) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.html(f'<div class="t-name">{html(t("Language models on this machine"))}</div>', width="stretch")
        if widgets.small(t("Look again"), "look_again", "refresh", disabled=found is None):
            local_servers.forget(workspace)
            st.rerun()
    about = t(
        "Programs such as Ollama run a language model on your own machine. Tessera looks for them at their usual "
        "addresses when this page opens."
    )
    st.html(f'<div class="t-small">{html(about)}</div>')
    if found is None:
        st.caption(f":material/hourglass_top: {t('Looking…')}")
    for server in found or ():
        _draw_found_server(workspace, server, changed)


def _draw_found_server(workspace: Workspace, server: LocalServer, changed: Callable[[], object]) -> None:
    card = workspace.servers.get("llm")
    used = card.complete and card.base_url == server.base_url
    if used:
        in_use = t("in use: {model}", model=local_servers.short(card.model))
        state = f'<span class="t-tag">{html(in_use)}</span>'
    else:
        state = f'<span class="t-dim t-small">{html(_state(server))}</span>'
    dot = "ready" if server.running else "absent"
    port = server.address.rpartition(":")[2]
    with st.container(horizontal=True, vertical_alignment="center", key=f"local_{port}"):
        st.html(
            f'<div class="t-head"><span class="t-dot {dot}"></span><span>{html(server.name)}</span>'
            f'<span class="t-dim t-small">{html(server.address)}</span>{state}</div>',
            width="stretch",
        )
        models = [model for model in server.models if not (used and model == card.model)]
        if not models or not local_servers.is_open(workspace):
            return
        model = models[0]
        if len(server.models) > 1:
            labels = {(server, name): local_servers.short(name) for name in models}
            _, model = local_servers.choose(labels, f"local_model_{port}")
        if widgets.button(t("Let it write answers"), f"use_local_{port}", "edit_note"):
            changed()
            local_servers.use(workspace, server, model)
            st.rerun()


def _state(server: LocalServer) -> str:
    if not server.running:
        return t("not running")
    if not server.models:
        return t("running, without a language model")
    if len(server.models) == 1:
        return t("running with {model}", model=local_servers.short(server.models[0]))
    return t("running, {n} language models", n=len(server.models))
