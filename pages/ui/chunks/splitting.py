"""The choice of a place to split a chunk at, and a preview of both parts."""

import re

import streamlit as st

from core.model import Chunk, Note
from core.text import with_newlines
from pages.ui.shared.text import t, t_plural

PLACES = 400
"""Places in the list; any other is given by its character."""
SEEN = 700
"""Characters of each half in the preview."""

_PLACE = re.compile(r"(?<=\n)(?=[^\n])|(?<=[。！？；])(?=.)|(?<=[.!?;]\s)(?=\S)")


def place(note: Note, chunk: Chunk) -> int:
    """Draw the choice of a place with the text before and behind it, and return it."""
    text = chunk.text
    offered = places(text)
    chosen = len(text) // 2
    if offered:
        chosen = st.selectbox(
            t("Split before"),
            offered,
            index=len(offered) // 2,
            format_func=lambda at: f"{at:,} · {' '.join(text[at : at + 80].split())}",
            key=f"place_{chunk.id}_{note.generation}",
        )
    at = st.number_input(t("At character"), 1, len(text) - 1, chosen, key=f"at_{chunk.id}_{note.generation}_{chosen}")
    left, right = text[:at], text[at:]
    titles = t("First part"), t("Second part")
    for column, half, title in zip(st.columns(2), (left, right), titles, strict=True):
        shown = half if len(half) <= SEEN else f"… {half[-SEEN:]}" if half is left else f"{half[:SEEN]} …"
        column.caption(f"{title} · {t_plural('{n} character', '{n} characters', n=len(half))}")
        column.code(shown, language=None, wrap_lines=True)
    return at


def places(text: str) -> list[int]:
    """Return the starts of a text's lines and sentences, without the first; only of lines where these are too many."""
    text = with_newlines(text)
    starts = [match.start() for match in _PLACE.finditer(text) if text[: match.start()].strip()]
    if len(starts) > PLACES:
        starts = [at for at in starts if text[at - 1] == "\n"]
    return starts[:PLACES]
