"""The settings of today's note: base, folder, name and template."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from pages.ui.notes import today
from pages.ui.settings import general
from pages.ui.shared import shell
from pages.ui.shared.safe import plain
from pages.ui.shared.server import workspace
from pages.ui.shared.text import small_print, t


def draw() -> None:
    """Draw the settings, and the path that today's note gets."""
    bases = {base.name: base.name for base in workspace.bases.all() if not base.plain}
    notes = {card.path or card.title: f"{card.title} · {card.path or card.base}" for card in workspace.notes.all()}
    fields: dict[str, Callable[..., object]] = {
        "base": partial(general.select, t("Knowledge base"), {"": t("Asked at first use"), **bases}),
        "folder": partial(st.text_input, t("Folder"), placeholder=t("No folder")),
        "format": partial(
            st.text_input, t("Name"), help=t("YYYY year, MM month, DD day, dddd weekday; [text] is kept as it is")
        ),
        "template": partial(
            general.select,
            t("Template"),
            {"": t("None"), **notes},
            help=t(
                "Choose a note, and today's note begins with its text. {{date}}, {{date:dddd}}, "
                "{{time}} and {{title}} are filled in."
            ),
        ),
    }
    for name, field in fields.items():
        general.field(f"daily.{name}", field, str)
    with shell.errors():
        if problem := workspace.daily.problem:
            st.caption(plain(problem))
        else:
            small_print("Today: {path}", path=plain(workspace.daily.path(today.now(), st.session_state["language"])))
