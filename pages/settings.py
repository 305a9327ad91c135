"""The Settings page: defaults for all bases, and sections for models, access, packs, backups and health checks."""

from functools import partial

import streamlit as st

from pages.ui.settings import access, general, models, packs, servers, upkeep
from pages.ui.shared import links
from pages.ui.shared.server import workspace
from pages.ui.shared.text import page_title, section_title, sentences, t
from pages.ui.shared.widgets import errors, halves, on_demand, tabs, warn


def _general() -> None:
    left, right = halves("general")
    with left:
        general.draw_general()
    with right:
        on_demand("Today's note", "daily", "today", general.draw_daily)
        on_demand("Types of notes", "note_types", "category", general.draw_vocabulary)
        on_demand("Documents", "converters", "draft", general.draw_documents)
        general.draw_file("general")


def _search() -> None:
    left, right = halves("search")
    with left:
        general.search()
    with right:
        on_demand("Search index", "search_index", "database", partial(upkeep.index, status))
        general.draw_file("search")


def _models() -> None:
    st.markdown(models.in_use(status))
    for label, key, icon, draw in (
        (t("Use another model"), "another_model", "download", models.draw_models),
        (t("Use a model server"), "model_servers", "dns", servers.draw_servers),
        (t("Use a language model"), "language_model", "edit_note", servers.draw_language_model),
    ):
        on_demand(label, key, icon, partial(draw, status))


def _programs() -> None:
    left, right = halves("programs")
    with left:
        section_title("Assistants")
        access.draw_assistants()
    with right:
        section_title("Other programs")
        access.draw_programs()


def _care() -> None:
    left, right = halves("care")
    with left:
        section_title("Backups")
        upkeep.draw_backups()
    with right:
        section_title("Health and space")
        upkeep.draw_health()


page_title("Settings")

with errors():
    status = workspace.status()
    if status.settings_problem:
        warn(t("A change to tessera.toml can't be applied: {why}", why=status.settings_problem))
    if status.set_aside:
        texts = (
            t(
                "Some files were damaged, so they were renamed and replaced with new ones: {names}. Delete the renamed files if you don't need them.",
                names=[*status.set_aside],
            ),
            t("Folder: {folder}.", folder=str(status.folder)),
        )
        warn(sentences(texts))
    if links.arrived_value("tab") == "servers":
        st.session_state.update({"settings_tab": t("Models"), "language_model": True})
    links.set_value("tab", "")
    tabs(
        {
            t("General"): _general,
            t("Search"): _search,
            t("Models"): _models,
            t("Assistants and programs"): _programs,
            **({t("Packs"): packs.section} if workspace.has("packs") else {}),
            t("Backups and health"): _care,
        },
        "settings_tab",
    )
