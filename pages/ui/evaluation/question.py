"""An evaluation question: its text, its kind, and its right passages; a click on a hit adds one."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import TypeVar

import streamlit as st

from core.base.messages import Message
from core.model import NOTICES, QUESTION_KINDS, ComparisonRow, GoldSpan, Hit, Question, QuestionSet, SearchOptions
from core.workspace import Workspace
from pages.ui.shared import cards, shell, widgets
from pages.ui.shared.safe import Span, html, plain
from pages.ui.shared.text import busy, small_print, t, t_plural, text_of

Listed = TypeVar("Listed", Question, ComparisonRow)

# Right passages by a click: a hit becomes one of its question, in a question set of its base.

_MARKED = "marked"
BASE = "eval_base"
"""Key of the evaluated base in the session state."""


class Marks:
    """Which hits of a question are marked as right passages in their base's question set; cached until a change."""

    def __init__(self, workspace: Workspace, text: str) -> None:
        self._workspace = workspace
        self._text = text
        self._find = cache(self._read)

    def button(self, hit: Hit) -> None:
        """Draw the button that marks a hit; a second click removes the mark."""
        question_set, golds = self._find(hit.note.base)
        name = question_set.name if question_set else t("My questions")
        marked = any(gold.is_within(hit) for gold in golds)
        about = t(
            "Saves this passage as a right answer to the question, in the set '{set}'; click again to undo.", set=name
        )
        toggle(self._workspace, hit, marked=marked, about=about, act=lambda: self._toggle(hit))
        if marked:
            st.page_link("evaluation.py", label=t("Evaluation"), icon=":material/query_stats:")
        chunk_id, into = st.session_state.get(_MARKED, ("", ""))
        if chunk_id == hit.chunk.id:
            del st.session_state[_MARKED]
            st.toast(plain(t("Added to '{set}'", set=into)), icon=":material/check_circle:")

    def _read(self, base: str) -> tuple[QuestionSet | None, tuple[GoldSpan, ...]]:
        question_set = last_used(self._workspace, base)
        return question_set, self._workspace.questions.marked(question_set, self._text) if question_set else ()

    def _toggle(self, hit: Hit) -> None:
        questions, base = self._workspace.questions, hit.note.base
        question_set, golds = self._find(base)
        self._find.cache_clear()
        if question_set and any(gold.is_within(hit) for gold in golds):
            questions.unmark(question_set, self._text, hit)
            return
        question_set = question_set or self._workspace.question_sets.add(base, t("My questions"))
        questions.mark(question_set, self._text, hit)
        use(self._workspace, question_set)
        st.session_state[BASE] = base  # the page Evaluation begins with it
        # What a callback draws takes the place of the page's first elements.
        st.session_state[_MARKED] = hit.chunk.id, question_set.name


def toggle(workspace: Workspace, hit: Hit, *, marked: bool, about: str, act: Callable[[], None]) -> None:
    """Draw the button that adds a hit to the right passages or removes it; `about` is its tooltip."""
    added = hit.chunk.start == hit.chunk.end
    key = f"mark_{hit.chunk.id}"
    if added:
        about = t("You added this chunk yourself. A right passage must be in the note's own text.")
    widgets.button(
        t("Right passage"),
        key,
        "check_circle" if marked else "radio_button_unchecked",
        type="primary" if marked else "secondary",
        help=plain(about),
        on_click=widgets.guarded(act, key),
        disabled=workspace.readonly or added,
    )
    widgets.problem_of(key)


def last_used(workspace: Workspace, base: str) -> QuestionSet | None:
    """Return the last used question set of a base, else its first set, else None."""
    sets = workspace.question_sets.all(base)
    used = workspace.preferences.get(_preference(sets[0].base_id)) if sets else ""
    return next((question_set for question_set in sets if question_set.id == used), sets[0] if sets else None)


def use(workspace: Workspace, question_set: QuestionSet) -> None:
    """Remember a question set as the last used one of its base."""
    if workspace.preferences.get(_preference(question_set.base_id)) != question_set.id:
        workspace.preferences.set(_preference(question_set.base_id), question_set.id)


def _preference(base_id: str) -> str:
    return f"question_set_{base_id}"


# The right passages of a question: the place of each in its note, and the search for another.

SHOWN = 20
"""Maximum number of right passages to draw; the rest are counted."""
FOUND = 8
"""Number of hits in the search for another passage."""
LINES = 6
LONG = 300
"""Minimum number of characters of a passage that can be shortened: half of a passage must be retrieved to count."""


def draw_passages(workspace: Workspace, question_set: QuestionSet, question: Question, key: str) -> None:
    """Draw a question's right passages with their places."""
    st.html(
        f'<div class="t-name">{html(t_plural("{n} right passage", "{n} right passages", n=len(question.spans)))}</div>'
    )
    if not question.spans:
        small_print(
            "Without a right passage, this counts as a question that your notes don't answer. If "
            "they do answer it, find the passage below."
        )
    for number, gold in enumerate(question.spans[:SHOWN]):
        with st.container(border=True, gap="xxsmall", key=f"gold_{number}_{key}"), shell.errors():
            _passage(workspace, question_set, question, gold, f"remove_{number}_{key}")
    widgets.more(len(question.spans) - SHOWN)


def _passage(workspace: Workspace, question_set: QuestionSet, question: Question, gold: GoldSpan, key: str) -> None:
    with widgets.row(f"gold_head_{key}", wrap=False):
        if gold.flagged:
            tag = f'<span class="t-tag t-gone">{html(t("Passage no longer exists"))}</span>'
            st.html(f'<div class="t-head"><span class="t-crumb">{html(gold.path)}</span>{tag}</div>')
        else:
            _link(gold.path, gold.note_id, _place(workspace, gold))
        act = partial(workspace.questions.remove_passage, question_set, question.id, gold)
        widgets.close(key, t("Remove"), on_click=widgets.guarded(act, key), disabled=workspace.readonly)
    widgets.problem_of(key)
    st.html(f'<div class="t-hit">{cards.foldable(gold.quote, lines=LINES)}</div>')
    if gold.flagged:
        small_print(
            "The note was deleted, or this text in it was changed. Runs skip the question until "
            "you remove this passage."
        )
    elif len(gold.quote) > LONG:
        _narrowing(workspace, question_set, question, gold, f"narrow_{key}")


def _narrowing(workspace: Workspace, question_set: QuestionSet, question: Question, gold: GoldSpan, key: str) -> None:
    """Draw the form that shortens a long passage to the part with the answer."""

    def narrow() -> None:
        workspace.questions.narrow_passage(question_set, question.id, gold, st.session_state[f"{key}_text"])

    with st.popover(t("Shorten"), icon=":material/content_cut:", type="tertiary"):
        small_print(
            "Delete the text that doesn't answer the question. The passage counts as found when "
            "at least half of the remaining text is found; a whole chunk would favour the "
            "current split."
        )
        st.text_area(t("Shorten"), gold.quote, height=240, key=f"{key}_text", label_visibility="collapsed")
        st.button(t("Save"), key=key, on_click=widgets.guarded(narrow, key), disabled=workspace.readonly)
    widgets.problem_of(key)


def _place(workspace: Workspace, gold: GoldSpan) -> int | None:
    """Return the index of the chunk that contains most of a right passage."""
    chunks = workspace.chunks.all(gold.note_id)
    held = {chunk.index: min(chunk.end, gold.end) - max(chunk.start, gold.start) for chunk in chunks}
    return max(held, key=held.__getitem__, default=None)


def _link(name: str, note_id: str, chunk: int | None) -> None:
    widgets.chunk_link(note_id, chunk, plain(name), help=t("Open in Chunks"), width="stretch")


# the search for another right passage


def find(workspace: Workspace, base: str, question_set: QuestionSet, question: Question, key: str) -> None:
    """Draw a search in the base, initially for the question; a click makes a hit a right passage."""
    # Open at first if there is no right passage; after that, the user opens and closes it.
    st.session_state.setdefault(f"find_{key}", not question.gold)
    box = st.expander(t("Find a passage"), icon=":material/search:", key=f"find_{key}", on_change="rerun")
    if not box.open:
        return
    with box, shell.errors():
        icon, key = ":material/search:", f"find_text_{key}"
        text = st.text_input(t("Search for"), question.text, key=key, icon=icon, label_visibility="collapsed")
        with busy("Searching…"):
            # The base's own settings; a repeated search comes from the cache.
            result = workspace.search(
                (text or "").strip() or question.text,
                **SearchOptions(
                    filters=workspace.searching.filters(bases=[base]), limit=FOUND, wait=False, choose=False
                ),
            )
        if not result.hits:
            small_print("Nothing was found for this question.")
        if "model_loading" in result.notices:
            st.caption(text_of(NOTICES["model_loading"]))
        seen = workspace.searching.highlights(result)
        for hit in result.hits:
            with st.container(border=True, gap="xsmall", key=f"found_{hit.rank}"):
                _hit(workspace, question_set, question, hit, seen[hit.chunk.id].words)


def _hit(workspace: Workspace, question_set: QuestionSet, question: Question, hit: Hit, words: Sequence[Span]) -> None:
    right = [gold for gold in question.spans if gold.is_within(hit)]

    def act() -> None:
        for gold in right:
            workspace.questions.remove_passage(question_set, question.id, gold)
        if not right:
            workspace.questions.add_passage(question_set, question.id, hit)

    with widgets.row(f"gold_head_found_{hit.rank}", wrap=False):
        name = " › ".join([hit.note.path or hit.note.title, *cards.section(hit.note, hit.chunk)[-1:]])
        _link(name, hit.note.id, hit.chunk.index)
        toggle(
            workspace,
            hit,
            marked=bool(right),
            about=t("Marks this as a right passage for the question; click again to undo."),
            act=act,
        )
    st.html(f'<div class="t-hit">{cards.foldable(hit.chunk.text, words, LINES)}</div>')


LONGEST = 20_000
"""Maximum number of characters of a question."""


def kind_name(kind: str) -> str:
    """Return the display name of a kind of question; a kind that the user made up stays unchanged."""
    return text_of(QUESTION_KINDS.get(kind, kind))


ALWAYS = ("all", "missed")
"""States whose filters are offered even where no question has them."""


def narrow(
    questions: Sequence[Listed],
    names: Mapping[str, Message],
    states: Callable[[Listed], set[str]],
    text: Callable[[Listed], str],
    key: str,
) -> list[Listed]:
    """Draw filters of questions by state with their counts, by kind and by text, and return the matching questions.

    `names` are the names of states; every question has the state "all".
    """
    counts = Counter(state for item in questions for state in states(item))
    labels = {
        name: f"{text_of(label)} {counts[name]:,}" for name, label in names.items() if counts[name] or name in ALWAYS
    }
    kinds = {"": t("All kinds"), **{kind: kind_name(kind) for kind in sorted({item.kind for item in questions} - {""})}}
    widgets.begin_with(f"{key}_state", labels, "all")
    widgets.begin_with(f"{key}_kind", kinds, "")
    with widgets.row(f"{key}_filters", vertical_alignment="bottom"):
        state = widgets.pills(t("Which questions"), labels, f"{key}_state", required=True, persist_state="session")
        more = {"label_visibility": "collapsed", "width": 170, "persist_state": "session"}
        kind = widgets.select(t("Kind"), kinds, f"{key}_kind", **more) if len(kinds) > 1 else ""
        icon = ":material/search:"
        typed = widgets.text_box(
            t("Words in the question"), f"{key}_text", icon=icon, width=230, persist_state="session"
        )
    wanted = typed.strip().casefold()
    return [
        item
        for item in questions
        if state in states(item) and kind in ("", item.kind) and wanted in text(item).casefold()
    ]


def draw(workspace: Workspace, base: str, question_set: QuestionSet, question: Question, kinds: Sequence[str]) -> None:
    """Draw the form for a question, its right passages, and the search for another passage."""
    key = widgets.stamp((question_set.id, question.id))
    if question.suggested:
        _draw_suggestion(workspace, question_set, question)
    # Another stored question is another widget, which begins with its text.
    stored = widgets.stamp((question.text, question.kind, question.note, question.any, question.answer))
    draw_form(workspace, question_set, question, kinds, f"{key}_{stored}")
    draw_passages(workspace, question_set, question, key)
    find(workspace, base, question_set, question, key)


def _draw_suggestion(workspace: Workspace, question_set: QuestionSet, question: Question) -> None:
    with widgets.row("suggested_question", border=True):
        small_print("Suggested question: runs don't use it until you accept it.")
        if widgets.button(t("Accept"), "accept_one", "check", type="primary", disabled=workspace.readonly):
            workspace.questions.accept(question_set, [question.id])
            st.rerun()
        if widgets.button(t("Reject"), "reject_one", "close", disabled=workspace.readonly):
            workspace.questions.reject(question_set, [question.id])
            st.rerun()


def draw_form(
    workspace: Workspace, question_set: QuestionSet, question: Question, kinds: Sequence[str], key: str
) -> Question | None:
    """Draw the form of a question, and return a new one once it is added.

    A change from elsewhere replaces the typed text.
    """
    with st.form(f"question_{key}", border=False), shell.errors():
        text = st.text_area(
            t("Question"), value=question.text, key=f"question_text_{key}", height=100, max_chars=LONGEST
        )
        answer = st.text_area(
            t("Expected answer"),
            value=question.answer,
            key=f"question_answer_{key}",
            height=70,
            max_chars=LONGEST,
            help=t("If you enter one, runs count how many of its figures and names the answer contains."),
        )
        left, right = st.columns(2)
        with left:
            # A new kind can be typed.
            labels = {"": t("No kind"), **{name: kind_name(name) for name in (question.kind, *kinds) if name}}
            kind = widgets.select_or_type(t("Kind"), labels, question.kind, f"question_kind_{key}")
        note = right.text_input(t("Comment"), value=question.note, key=f"question_note_{key}")
        needed = st.toggle(
            t("All of its passages are needed"),
            value=not question.any,
            key=f"question_all_{key}",
            help=t(
                "Off: finding one of the right passages is enough. On: the question is answered only "
                "when all of them are found."
            ),
        )
        with widgets.row():
            label = t("Save") if question.id else t("Add")
            saved = widgets.submit(label, f"save_question_{key}", type="primary", disabled=workspace.readonly)
            small_print("Ctrl+Enter in the text box saves too.")
        if saved:
            text, note, answer = ((typed or "").strip() for typed in (text, note, answer))
            changed = replace(question, text=text, kind=kind, note=note, any=not needed, answer=answer)
            if not question.id:
                return workspace.questions.add(question_set, [changed])[0]
            workspace.questions.update(question_set, question.id, changed)
            st.toast(t("Saved"), icon=":material/check:")
            st.rerun()
    return None
