"""Settings: the models, the default settings of a search, the vector index, backups, health, a bug report."""

import streamlit as st

from pages.ui.settings import assistants, backups, defaults, health, modelcards, packs, programs, servers, vocabulary
from pages.ui.shared import shell
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
    of_models, of_servers, of_assistants, of_programs, of_search, of_types, of_packs, of_index, *of_care = st.tabs(
        [
            t("Models"),
            t("Model servers"),
            t("Assistants"),
            t("Other programs"),
            t("Search"),
            t("Types of notes"),
            t("Packs"),
            t("Search index"),
            t("Backups"),
            t("Health and space"),
        ]
    )
    with of_models:
        modelcards.section(workspace, status, models)
    with of_servers:
        servers.section(workspace, status)
    with of_assistants:
        assistants.section(workspace)
    with of_programs:
        programs.section(workspace)
    with of_search:
        defaults.search(workspace)
    with of_types:
        vocabulary.section(workspace)
    with of_packs:
        packs.section(workspace)
    with of_index:
        defaults.index(workspace, status)
    with of_care[0]:
        backups.section(workspace)
    with of_care[1]:
        health.section(workspace)
    shell.report(workspace.bug_report)
