"""Documents on the settings page: what converts them, and the switch for pages of the web."""

import streamlit as st

from core.workspace import Workspace
from pages.ui.shared import widgets
from pages.ui.shared.safe import html
from pages.ui.shared.text import t


def section(workspace: Workspace) -> None:
    """Draw the switch and the converters."""
    st.caption(
        t(
            "Tessera asks the network for a page only when you type its address: one request, and nothing that the page "
            "links to. Nothing else in it asks the network for the sake of a note."
        )
    )
    now = widgets.bound("web_pages", workspace.documents.asks_web, workspace.documents.let_ask_web)
    st.toggle(t("Import pages of the web by their address"), disabled=workspace.readonly, **now)
    rows = []
    for one in workspace.documents.converters():
        state = "" if one.installed else t("not installed")
        rows.append(f"<div><b>{html(one.name)}</b>: {html(' '.join(one.kinds))} <i>{html(state)}</i></div>")
    st.html(f'<div class="t-list">{"".join(rows)}</div>')
