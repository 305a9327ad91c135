"""The tour: five steps on the sample notes, each with a card on a page and a highlighted control."""

import streamlit as st

from core.base.frozen import frozen
from core.base.messages import ENGLISH, Message, in_context, message
from pages.ui.shared import jobs, welcome, widgets
from pages.ui.shared.safe import html
from pages.ui.shared.server import workspace
from pages.ui.shared.text import session_language, t, text_of

_STEP = "tour_step"
"""Session key for the number of the current step, None after the tour."""
_PREFERENCE = "tour"
_ENDED = "ended"
NOTES = {
    ENGLISH: {"split": "Engineering/postgresql-backup-runbook.md", "linked": "生活/bicycle-maintenance.md"},
    "zh_CN": {"split": "生活/川菜做法.md", "linked": "生活/年度旅行计划.md"},
}
"""Paths of sample notes by language: a note with many chunks, and a note with links."""

_BACK = in_context("step of a tour", "Back")
_MARK = "outline: 3px solid var(--t-accent); outline-offset: 5px; border-radius: .5rem;"


@frozen
class TourStep:
    """A step of the tour: its page, the CSS selector of a control, and the card's text; `note` is a key in NOTES."""

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
            "Ask as you would ask a person: Tessera finds notes with the same meaning, even in "
            "other words or another language."
        ),
    ),
    TourStep(
        "search",
        ":is(.st-key-answer, .st-key-answer_perhaps)",
        message("The answer is a quotation"),
        message(
            "The box contains sentences from your note, word for word; the part that answers the "
            "question is highlighted. The link below the box leads to their place in the note."
        ),
    ),
    TourStep(
        "chunks",
        '[class*="st-key-bands_"]:not(.st-key-bands_view)',
        message("How a note is split"),
        message(
            "Long notes are searched in parts. Each colour is one part; “Why this split” gives "
            "the reason. Click a part to select it; double-click to edit it."
        ),
        note="split",
    ),
    TourStep(
        "notes",
        ".st-key-new_note",
        message("Write and link"),
        message(
            "“New note” opens the editor, which saves automatically. Type [[ to link to another "
            "note. Below a note you see its links and the notes that link to it."
        ),
        note="linked",
    ),
    TourStep(
        "evaluation",
        ":is(.st-key-sample_questions, .st-key-eval_view)",
        message("Measure search quality"),
        message(
            "Questions with known right passages show how often those passages are found, and "
            "which settings find more. Twenty questions are ready for the sample notes."
        ),
    ),
)


def has_sample() -> bool:
    """Return whether the base of sample notes exists."""
    return any(base.name == jobs.SAMPLE for base in workspace.bases.all())


def offer() -> None:
    """Offer the tour if the sample notes exist, until the user has taken or declined it."""
    if _STEP in st.session_state or not has_sample() or workspace.preferences.get(_PREFERENCE) == _ENDED:
        return
    with widgets.row("tour_offer", border=True):
        about = t("Two minutes with the sample notes: search, answers, splitting, writing, measuring.")
        _text(t("A tour in five steps"), about)
        begin_button(type="primary")
        widgets.button(t("No, thanks"), "tour_refuse", on_click=end)


def begin_button(**more: object) -> None:
    """Draw the button that begins the tour."""
    if widgets.button(t("Take the tour"), "tour_begin", "tour", **more):
        _go(0)


def draw(page: str) -> None:
    """Draw the card of the current step, or on other pages a button that leads back to the step."""
    number = st.session_state.get(_STEP)
    if number is None:
        return
    step, last = STEPS[number], number == len(STEPS) - 1
    here = page == step.page
    if not has_sample() or (last and not here):
        end()
        return
    with st.container(border=True, key="tour", gap="xsmall"):
        about = t("Tour, step {n} of {all}: {title}", n=number + 1, all=len(STEPS), title=step.title)
        _text(about, text_of(step.text) if here else "")
        with widgets.row():
            if not here:
                if widgets.button(t("Go on with the tour"), "tour_next", "arrow_forward", type="primary"):
                    _go(number)
            elif last:
                widgets.button(t("Done"), "tour_next", "check", type="primary", on_click=end)
            elif widgets.button(t("Next"), "tour_next", "arrow_forward", type="primary"):
                _go(number + 1)
            if here and number and widgets.button(text_of(_BACK), "tour_back", "arrow_back"):
                _go(number - 1)
            if not (here and last):
                widgets.small(t("End the tour"), "tour_end", "close", on_click=end)
    if here:
        st.html(f"<style>{step.marks} {{ {_MARK} }}</style>")


def end() -> None:
    """End the tour and don't offer it again."""
    st.session_state[_STEP] = None  # if preferences can't be stored, this session remembers it
    workspace.preferences.set(_PREFERENCE, _ENDED)


def _text(title: str, text: str) -> None:
    more = f'<div class="t-about">{html(text)}</div>' if text else ""
    st.html(f'<div class="t-name">{html(title)}</div>{more}')


def _go(number: int) -> None:
    st.session_state[_STEP] = number
    step = STEPS[number]
    st.switch_page(f"{step.page}.py", query_params=_address(step))


def _address(step: TourStep) -> dict[str, str]:
    if step.page == "search":
        return {"q": text_of(welcome.OF_SAMPLES[0])}
    if not step.note:
        return {"base": jobs.SAMPLE}
    path = NOTES.get(session_language(), NOTES[ENGLISH])[step.note]
    notes = {card.path: card.id for card in workspace.notes.all() if card.base == jobs.SAMPLE}
    return {"note": notes.get(path, "")}
