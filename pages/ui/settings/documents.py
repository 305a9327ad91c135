"""Documents on the settings page: what converts them, and the switch for pages of the web."""

import streamlit as st

from core.model import ConverterCard
from core.workspace import Workspace
from pages.ui.shared import names, widgets
from pages.ui.shared.safe import html
from pages.ui.shared.text import t, text_of


def draw_documents(workspace: Workspace) -> None:
    """Draw the switch and the converters."""
    st.caption(
        t(
            "Tessera loads a page only when you type its address: one request, and nothing that the page links to. "
            "It goes online for a note in no other case."
        )
    )
    now = widgets.bound("web_pages", workspace.documents.asks_web, workspace.documents.let_ask_web)
    st.toggle(t("Import pages of the web by their address"), disabled=workspace.readonly, **now)
    st.html(f'<div class="t-list">{"".join(map(_converter_row, workspace.documents.converters()))}</div>')


def _converter_row(converter_card: ConverterCard) -> str:
    name = html(names.converter(converter_card.name))
    if converter_card.problem:
        return f"<div><b>{name}</b>: <i>{html(text_of(converter_card.problem))}</i></div>"
    state = html(converter_card.version if converter_card.installed else t("not installed"))
    return f"<div><b>{name}</b>: {html(' '.join(converter_card.kinds))} <i>{state}</i></div>"
