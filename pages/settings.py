"""Settings: defaults for all bases, models, access, backups, health, a bug report."""

import streamlit as st

from pages.ui.settings import access, general, models, packs, servers, upkeep
from pages.ui.shared import links, shell, widgets
from pages.ui.shared.safe import plain
from pages.ui.shared.text import t, text_of

workspace = shell.workspace()
st.title(t("Settings"))

with shell.errors():
    status = workspace.status()
    if status.settings_problem:
        text = t("A change of tessera.toml can't be used: {why}", why=text_of(status.settings_problem))
        st.warning(plain(text), icon=":material/warning:")
    if status.set_aside:
        names = ", ".join(status.set_aside)
        text = t("Damaged, so it was renamed and created again: {names}. Delete what you don't need.", names=names)
        st.warning(plain(f"{text} {t('It is in {folder}.', folder=str(status.folder))}"), icon=":material/warning:")
    if links.arrived_value("tab") == "servers":
        st.session_state["settings_tab"] = t("Model servers")
    links.set_value("tab", "")
    widgets.tabs(
        {
            t("General"): lambda: general.draw_general(workspace),
            t("Search"): lambda: general.search(workspace),
            t("Types of notes"): lambda: general.draw_vocabulary(workspace),
            t("Backups"): lambda: upkeep.draw_backups(workspace),
            t("Models"): lambda: models.draw_models(workspace, status, workspace.models.all()),
            t("Model servers"): lambda: servers.draw_servers(workspace, status),
            t("Assistants"): lambda: access.draw_assistants(workspace),
            t("Other programs"): lambda: access.draw_programs(workspace),
            t("Documents"): lambda: general.draw_documents(workspace),
            **({t("Packs"): lambda: packs.section(workspace)} if workspace.has("packs") else {}),
            t("Search index"): lambda: upkeep.index(workspace, status),
            t("Health and space"): lambda: upkeep.draw_health(workspace),
        },
        "settings_tab",
    )
