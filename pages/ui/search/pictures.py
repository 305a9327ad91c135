"""The pictures that a question asks for: each with its note, and the way to others like it."""

from functools import partial

import streamlit as st

from core.model import PictureHit, SearchResult
from core.workspace import Workspace
from pages.ui.notes import attachments
from pages.ui.search import question_box
from pages.ui.shared import widgets
from pages.ui.shared.safe import html, plain
from pages.ui.shared.text import t

PICTURE_COLUMNS = 3


def draw_pictures(workspace: Workspace, result: SearchResult) -> None:
    """Draw a card for each picture."""
    for column, hit in widgets.in_columns(result.pictures, PICTURE_COLUMNS):
        with column.container(border=True, height="stretch", key=f"picture_{hit.rank}", gap="xsmall"):
            _draw_picture(workspace, hit)


def _draw_picture(workspace: Workspace, hit: PictureHit) -> None:
    file = workspace.notes.attachment(hit.note.id, f"/{hit.picture}")
    if file and attachments.is_shown(file):
        address = attachments.address(hit.note.id, file.place)
        st.html(f'<img class="t-picture" src="{html(address)}" alt="{html(hit.picture)}" loading="lazy">')
    st.page_link("notes.py", label=plain(hit.note.title), query_params={"note": hit.note.id})
    st.html(f'<div class="t-crumb">{html(hit.picture)}</div>')
    ask = partial(question_box.put, f"has:image like:{_quoted(hit.picture)}")
    widgets.small(t("Pictures like this"), f"like_{hit.rank}", "image_search", on_click=ask)


def _quoted(name: str) -> str:
    """Return a name as a value of a field."""
    return f"「{name}」" if '"' in name else f'"{name}"'
