"""The hits that a language model chose in bases that answer by words only, and its answer."""

import streamlit as st

from core.model import SearchResult
from pages.ui.shared import cards
from pages.ui.shared.safe import html, plain
from pages.ui.shared.text import text_of


def section(result: SearchResult) -> None:
    """Draw the model's answer with the hits that it chose, else why the hits are ordered by words."""
    choice = result.choice
    if choice is None or not result.hits:
        return
    line = text_of(choice.explanation)
    if not choice.by:
        if choice.problem:
            st.warning(plain(line), icon=":material/warning:")
        else:
            st.caption(f":material/info: {plain(line)}")
        return
    with st.container(border=True, key="choice", gap="xsmall"):
        st.html(f'<div class="t-caption">{html(line)}</div><div class="t-text">{html(choice.answer)}</div>')
        for hit in result.hits[: len(choice.chunks)]:
            place = " › ".join([hit.note.title, *cards.section(hit.note, hit.chunk)])
            address = {"note": hit.note.id, "chunk": str(hit.chunk.index), "q": result.query}
            st.page_link("notes.py", label=plain(f"{hit.rank}. {place}"), query_params=address)
