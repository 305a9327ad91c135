"""Help for new users, with buttons that import notes, example questions, and a tour."""

from collections.abc import Iterable

import streamlit as st
from streamlit import html as draw_html
from streamlit import session_state, switch_page

from core.base.frozen import frozen
from core.base.messages import ENGLISH, Message, in_context, message
from pages.ui.shared import jobs
from pages.ui.shared.jobs import hindrance
from pages.ui.shared.names import base_names
from pages.ui.shared.safe import html, t_html
from pages.ui.shared.server import workspace
from pages.ui.shared.text import label_of, session_language, t, text_of
from pages.ui.shared.widgets import button, frame, paragraph, row, small, titled_link

# Example questions about the user's own notes. If there are none, they are about the sample notes.

# Number of recently changed notes from which to generate example questions.
READ = 12
SHOWN = 3
# Number of the latest questions that aren't offered as examples.
_LATELY = 50
# Questions about the sample notes. `tests/features/answers/test_shown.py` checks that the first quote answers each.
OF_SAMPLES = (
    message("when should I replace my bike chain"),
    message("宫保鸡丁的碗汁怎么调"),
    message("why did we decide against automatic failover"),
)

# The example answer, with a question, the highlighted part of the quote that answers it, and the quote's source.
EXAMPLE = (
    in_context("picture of an answer", "why did we decide against automatic failover"),
    message(
        "Automatic failover needs a consensus store and fencing, and somebody who understands both at three in the "
        "morning."
    ),
    message("Kestrel decision log › D-04: One primary, no automatic failover › Context"),
)


def questions() -> list[str]:
    """Return up to SHOWN example questions about the user's own notes, each checked to have an answer there.

    If there are only sample notes, return questions about those. Questions that were asked lately are left out.
    """
    asked = {search.query for search in workspace.searches.all(_LATELY)}
    cards = workspace.notes.switch("", READ)
    own = [card for card in cards if card.base != jobs.SAMPLE and card.status == "active"]
    found: Iterable[str] = map(text_of, OF_SAMPLES) if cards else ()
    if own:
        found = workspace.answers.examples(tuple((card.id, str(card.updated_at)) for card in own))
    return [text for text in found if text not in asked][:SHOWN]


def links() -> None:
    """Show the example questions, if any, as links."""
    if texts := questions():
        with row("examples"):
            st.caption(t("For example"), width="content")
            for text in texts:
                titled_link("search.py", text, "arrow_outward", q=text)


def example() -> str:
    """Return an example answer from the sample notes as HTML."""
    question, marked, source = map(text_of, EXAMPLE)
    return (
        f'<figure class="t-example" role="img" aria-label="{t_html("A question, and the passage that answers it")}">'
        f'<div class="t-example-question">{html(question)}</div><div class="t-answer">'
        f'<span class="t-dim t-small">{t_html("From your notes")}</span>'
        f'<span class="t-near">{html(marked)}</span>'
        f'<span class="t-example-source">[1] {html(source)}</span></div></figure>'
    )


def no_notes(text: str) -> None:
    """Draw a page without notes: a text, buttons that import notes, and the progress of an import."""
    paragraph(label_of(text), "t-lead", "p")
    beginnings()
    jobs.job_panel()


def beginnings() -> None:
    """Draw a button that imports the sample notes, and a button that opens the form for importing the user's notes."""
    with row():
        samples(type="primary")
        if button("Import my notes", "to_import", "folder_open", disabled=hindrance("import")):
            switch_page("notes.py")


def samples(**more: object) -> None:
    """Draw the button that imports the sample notes, if packs are available."""
    if workspace.has("packs") and button(
        "Try it with sample notes", "try", "play_arrow", disabled=hindrance("import"), **more
    ):
        workspace.jobs.start(
            "import",
            lambda progress: workspace.packs.install(jobs.SAMPLE, embed=False, progress=progress),
            base=jobs.SAMPLE,
        )
        st.rerun()


# The tour of the sample notes. It has five steps, each with a card and a highlighted control on some page.

# Session key for the number of the current step, or None after the tour.
_STEP = "tour_step"
_PREFERENCE = "tour"
_ENDED = "ended"
# Paths of two sample notes for each language, one with many chunks and one with links.
TOUR_NOTES = {
    ENGLISH: {"split": "Engineering/postgresql-backup-runbook.md", "linked": "生活/bicycle-maintenance.md"},
    "zh_CN": {"split": "生活/川菜做法.md", "linked": "生活/年度旅行计划.md"},
}

_MARK = "outline: 3px solid var(--t-accent); outline-offset: 5px; border-radius: .5rem;"


@frozen
class TourStep:
    """A step of the tour, with its page, the CSS selector of the highlighted control, and the card's title and text.

    `note` is the key in TOUR_NOTES of the note to open, or "" for none.
    """

    page: str
    marks: str
    title: Message
    text: Message
    note: str = ""


STEPS = (
    TourStep(
        "search",
        ".st-key-ask_row > div:first-child",
        message("Search by meaning"),
        message(
            "Ask as you would ask a person. Tessera finds notes with the same meaning, even in other words or "
            "another language."
        ),
    ),
    TourStep(
        "search",
        ":is(.st-key-answer, .st-key-answer_perhaps)",
        message("The answer is a quotation"),
        message(
            "The box contains sentences from your note, word for word, with the part that answers the question "
            "highlighted. The link below the box leads to that place in the note."
        ),
    ),
    TourStep(
        "chunks",
        '[class*="st-key-bands_"]:not(.st-key-bands_view)',
        message("How a note is split"),
        message(
            "Long notes are searched in parts. Each colour is one part, and 'Why this split' gives the reason. "
            "Click a part to select it, or double-click it to edit it."
        ),
        note="split",
    ),
    TourStep(
        "notes",
        ".st-key-new_note",
        message("Write and link"),
        message(
            "'New note' opens the editor, which saves automatically. Type [[ to link to another note. Below a note, "
            "you see its links and the notes that link to it."
        ),
        note="linked",
    ),
    TourStep(
        "evaluation",
        ":is(.st-key-sample_questions, .st-key-eval_view)",
        message("Measure search quality"),
        message(
            "If you mark the passages that answer a question, a test run shows whether a search finds them, and which "
            "settings find more. Twenty questions for the sample notes are ready to use."
        ),
    ),
)


def has_sample() -> bool:
    """Return whether the base with the sample notes exists."""
    return jobs.SAMPLE in base_names()


def offer_tour() -> None:
    """Offer the tour if the sample notes exist and the user hasn't taken or declined it yet."""
    if _STEP in session_state or not has_sample() or workspace.preferences.get(_PREFERENCE) == _ENDED:
        return
    with row("tour_offer", border=True):
        _text(
            t("A tour in five steps"),
            t(
                "In two minutes, the sample notes show you how to search, read answers, write, and measure search quality."
            ),
        )
        with row(width="content"):
            tour_button(type="primary")
            button("No, thanks", "tour_refuse", "", end_tour)


def tour_button(**more: object) -> None:
    """Draw the button that starts the tour."""
    if button("Take the tour", "tour_begin", "tour", **more):
        _go(0)


def draw_tour(page: str) -> None:
    """Draw the card for the current step of the tour. On other pages, draw a button that leads back to the step.

    The tour ends if the sample notes are gone, or if the user leaves the page of the last step.
    """
    number = session_state.get(_STEP)
    if number is None:
        return
    step = STEPS[number]
    last = number == len(STEPS) - 1
    here = page == step.page
    if not has_sample() or (last and not here):
        end_tour()
        return
    with frame("tour", gap="xsmall"):
        _text(
            t("Tour, step {n} of {all}: {title}", n=number + 1, all=len(STEPS), title=step.title),
            text_of(step.text) if here else "",
        )
        with row():
            if not here:
                if button("Continue the tour", "tour_next", "arrow_forward", type="primary"):
                    _go(number)
            elif last:
                button("Done", "tour_next", "check", end_tour, type="primary")
            elif button("Next", "tour_next", "arrow_forward", type="primary"):
                _go(number + 1)
            if here and number and button(in_context("step of a tour", "Back"), "tour_back", "arrow_back"):
                _go(number - 1)
            if not (here and last):
                small("End the tour", "tour_end", "close", end_tour)
    if here:
        draw_html(f"<style>{step.marks} {{ {_MARK} }}</style>")


def end_tour() -> None:
    """End the tour and don't offer it again."""
    session_state[_STEP] = None  # remembered by this session, even if preferences can't be stored
    workspace.preferences.set(_PREFERENCE, _ENDED)


def _text(title: str, text: str) -> None:
    more = f'<div class="t-about">{html(text)}</div>' if text else ""
    draw_html(f'<div class="t-name">{html(title)}</div>{more}')


def _go(number: int) -> None:
    session_state[_STEP] = number
    step = STEPS[number]
    address = {"base": jobs.SAMPLE}
    if step.page == "search":
        address = {"q": text_of(OF_SAMPLES[0])}
    elif step.note:
        path = TOUR_NOTES.get(session_language(), TOUR_NOTES[ENGLISH])[step.note]
        notes = {card.path: card.id for card in workspace.notes.all() if card.base == jobs.SAMPLE}
        address = {"note": notes.get(path, "")}
    switch_page(f"{step.page}.py", query_params=address)
