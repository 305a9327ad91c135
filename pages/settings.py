"""Settings: the models, the default settings of a search, the vector index, backups, health, a bug report."""

import streamlit as st

from pages.ui.settings import (
    assistants,
    backups,
    defaults,
    documents,
    health,
    modelcards,
    packs,
    programs,
    servers,
    vocabulary,
)
from pages.ui.shared import shell, widgets
from pages.ui.shared.safe import plain
from pages.ui.shared.text import t, text_of

workspace = shell.workspace()
st.title(t("Settings"))

with shell.errors():
    status, models = workspace.status(), workspace.models.all()
    if status.settings_problem:
        text = t("A change of tessera.toml can't be used: {why}", why=text_of(status.settings_problem))
        st.warning(plain(text), icon=":material/warning:")
    if status.set_aside:
        names = ", ".join(status.set_aside)
        text = t("Damaged, so it was set aside and made anew: {names}. Delete what you don't need.", names=names)
        st.warning(plain(f"{text} {t('It lies in {folder}.', folder=str(status.folder))}"), icon=":material/warning:")
    widgets.tabs(
        {
            t("Models"): lambda: modelcards.section(workspace, status, models),
            t("Model servers"): lambda: servers.section(workspace, status),
            t("Assistants"): lambda: assistants.section(workspace),
            t("Other programs"): lambda: programs.section(workspace),
            t("Search"): lambda: defaults.search(workspace),
            t("Documents"): lambda: documents.section(workspace),
            t("Types of notes"): lambda: vocabulary.section(workspace),
            t("Packs"): lambda: packs.section(workspace),
            t("Search index"): lambda: defaults.index(workspace, status),
            t("Backups"): lambda: backups.section(workspace),
            t("Health and space"): lambda: health.section(workspace),
        }
    )
