"""Questions that the sample notes answer."""

import streamlit as st

from pages.ui.shared.text import t


def questions() -> tuple[str, ...]:
    """Return the questions in the language of the session."""
    return (
        t("How do I undo a commit that I already pushed?"),
        t("缓存穿透怎么办"),
        t("why does my bread turn out dense"),
    )


def links() -> None:
    """Draw the questions, each a link that asks it."""
    with st.container(horizontal=True, vertical_alignment="center", key="examples"):
        st.caption(t("For example"), width="content")
        for text in questions():
            st.page_link("search.py", label=text, icon=":material/arrow_outward:", query_params={"q": text})
