"""The first steps: buttons that import notes, and example questions."""

import streamlit as st

from core.base.messages import in_context, message
from pages.ui.shared import jobs, widgets
from pages.ui.shared.safe import html, plain
from pages.ui.shared.server import workspace
from pages.ui.shared.text import t, text_of

# Example questions about the user's own notes, else about the sample notes.

READ = 12
"""Number of recently changed notes from which examples are made."""
SHOWN = 3
OF_SAMPLES = (
    message("when should I replace my bike chain"),
    message("宫保鸡丁的碗汁怎么调"),
    message("why did we decide against automatic failover"),
)
"""Questions about the sample notes whose first quote is the answer (`tests/features/answers/test_shown.py`)."""

EXAMPLE = (
    in_context("picture of an answer", "why did we decide against automatic failover"),
    message(
        "Automatic failover needs a consensus store and fencing, and somebody who understands both at three in the "
        "morning."
    ),
    message("Kestrel decision log › D-04: One primary, no automatic failover › Context"),
)
"""Texts in the example answer: a question, the marked part of its quote, and the quote's source."""


def questions() -> list[str]:
    """Return example questions about the sample notes, or checked questions about other notes."""
    cards = workspace.notes.switch("", READ)
    own = [card for card in cards if card.base != jobs.SAMPLE and card.status == "active"]
    if cards and not own:
        return [*map(text_of, OF_SAMPLES)]
    stamp = tuple((card.id, str(card.updated_at)) for card in own)
    return list(workspace.answers.examples.for_notes(stamp)[:SHOWN]) if own else []


def links() -> None:
    """Draw the example questions as links; draws nothing without any."""
    texts = questions()
    if not texts:
        return
    with widgets.row("examples"):
        st.caption(t("For example"), width="content")
        for text in texts:
            st.page_link("search.py", label=plain(text), icon=":material/arrow_outward:", query_params={"q": text})


def example() -> str:
    """Return an example answer from the sample notes as HTML."""
    question, marked, source = map(text_of, EXAMPLE)
    return (
        f'<figure class="t-example" role="img" aria-label="{html(t("A question, and the passage that answers it"))}">'
        f'<div class="t-example-question">{html(question)}</div><div class="t-answer">'
        f'<span class="t-dim t-small">{html(t("From your notes"))}</span>'
        f'<span class="t-near">{html(marked)}</span>'
        f'<span class="t-example-source">[1] {html(source)}</span></div></figure>'
    )


def no_notes(text: str) -> None:
    """Draw the purpose of a page that has no notes, the buttons that import notes, and the progress of an import."""
    st.html(f'<p class="t-lead">{html(text)}</p>')
    beginnings()
    jobs.panel()


def beginnings() -> None:
    """Draw two buttons to begin: one imports the sample notes, the other opens the import of the user's notes."""
    with st.container(horizontal=True):
        samples(type="primary")
        if widgets.button(t("Import my notes"), "to_import", "folder_open", disabled=jobs.is_shut()):
            st.switch_page("notes.py")


def samples(**more: object) -> None:
    """Draw the button that imports the sample notes."""
    label, shut = t("Try it with sample notes"), jobs.is_shut()
    if workspace.has("packs") and widgets.button(label, "try", "play_arrow", disabled=shut, **more):
        jobs.start_samples()
        st.rerun()
