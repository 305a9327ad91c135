"""Questions to begin with: of the person's own notes, else of the sample notes."""

from collections.abc import Sequence

import streamlit as st

from core.workspace import Workspace
from pages.ui.shared import jobs
from pages.ui.shared.safe import plain
from pages.ui.shared.text import t

READ = 12
"""Notes, the last changed first, that examples are made from."""
SHOWN = 3


def questions(workspace: Workspace) -> dict[str, str]:
    """Return questions by their labels: the sample notes' own, or those of other notes, else their titles."""
    cards = workspace.notes.switch("", READ)
    own = [card for card in cards if card.base != jobs.SAMPLE and card.status == "active"]
    if cards and not own:
        return {text: text for text in _of_samples()}
    stamp = tuple((card.id, str(card.updated_at)) for card in own)
    titles = {t("“{title}”", title=card.title): card.title for card in own}
    every = {text: text for text in _of_notes(workspace, stamp)} | titles
    return dict(list(every.items())[:SHOWN])


def links(workspace: Workspace) -> None:
    """Draw the questions, each a link that asks it; nothing while an import brings the first notes."""
    texts = questions(workspace)
    if not texts:
        return
    with st.container(horizontal=True, vertical_alignment="center", key="examples"):
        st.caption(t("For example"), width="content")
        for label, text in texts.items():
            icon = ":material/arrow_outward:"
            st.page_link("search.py", label=plain(label), icon=icon, query_params={"q": text})


def _of_samples() -> Sequence[str]:
    return (
        t("How do I undo a commit that I already pushed?"),
        t("缓存穿透怎么办"),
        t("why does my bread turn out dense"),
    )


@st.cache_data(max_entries=8, show_spinner=False)
def _of_notes(_workspace: Workspace, stamp: Sequence[tuple[str, str]]) -> list[str]:
    return _workspace.questions.examples((note_id for note_id, _ in stamp), SHOWN)
