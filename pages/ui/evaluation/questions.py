"""A table of a question set's questions, and next to it one question with the passages that answer it correctly."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

import streamlit as st
from streamlit import columns, container, rerun, session_state
from streamlit import html as draw_html

from core.base.messages import Message, message_table
from core.model import (
    NOTICES,
    QUESTION_KINDS,
    ComparisonRow,
    GoldSpan,
    Hit,
    Question,
    QuestionSet,
    SearchOptions,
)
from pages.ui.shared import cards, jobs, links, widgets
from pages.ui.shared.safe import Spans, html, plain, t_html
from pages.ui.shared.server import workspace
from pages.ui.shared.text import busy, small_print, t, t_plural, text_of
from pages.ui.shared.widgets import (
    Callback,
    Dialog,
    begin_with,
    button,
    count_button,
    errors,
    form,
    guarded,
    page_link,
    paragraph,
    popup,
    problem_of,
    row,
    stamp,
    text_area,
    text_column,
    text_input,
)

Listed = TypeVar("Listed", Question, ComparisonRow)

# Marking a search hit as a correct passage for its query, in one of the base's question sets.

_MARKED = "marked"
# Session state key for the name of the base being evaluated.
BASE = "eval_base"


def mark_button(hit: Hit, text: str) -> None:
    """Draw the button that marks a hit as a correct passage for the question `text`, or removes the mark."""
    questions = workspace.questions
    base = hit.note.base
    question_set = last_used(base)
    name = question_set.name if question_set else t("My questions")
    marked = any(gold.is_within(hit) for gold in (questions.marked(question_set, text) if question_set else ()))

    def act() -> None:
        # Each hit is a separate fragment. Another fragment may have added the set, and an earlier click the mark.
        now = last_used(base)
        if now and any(gold.is_within(hit) for gold in questions.marked(now, text)):
            questions.unmark(now, text, hit)
            return
        into = now or workspace.question_sets.add(base, t("My questions"))
        questions.mark(into, text, hit)
        use(into)
        session_state[BASE] = base  # the Evaluation page opens with this base
        # A toast in a callback would replace the page's first elements.
        session_state[_MARKED] = hit.chunk.id, into.name

    toggle(
        hit,
        marked=marked,
        about=t(
            "Saves this as a correct passage for the question, in the question set '{set}'. Click again to undo.",
            set=name,
        ),
        act=act,
    )
    if marked:
        page_link("evaluation.py", "Evaluation", "query_stats")
    if session_state.get(_MARKED, ("", ""))[0] == hit.chunk.id:
        _, into = session_state.pop(_MARKED)
        st.toast(plain(t("Added to '{set}'", set=into)), icon=":material/check_circle:")


def toggle(hit: Hit, *, marked: bool, act: Callback, about: str = "") -> None:
    """Draw the button that adds a hit to a question's correct passages or removes it. `about` is the tooltip.

    The button is disabled for a chunk that the user added, because the chunk isn't part of the note's text.
    """
    added = hit.chunk.start == hit.chunk.end
    key = f"mark_{hit.chunk.id}"
    button(
        "Correct passage",
        key,
        "check_circle" if marked else "radio_button_unchecked",
        guarded(act, key),
        type="primary" if marked else "secondary",
        help=plain(about),
        writes=True,
        disabled=added and t("You added this chunk yourself. A correct passage must be in the note's own text."),
    )
    problem_of(key)


def last_used(base: str) -> QuestionSet | None:
    """Return the question set last used for a base, or else its first one, or None if it has none."""
    sets = workspace.question_sets.all(base)
    used = workspace.preferences.get(f"question_set_{sets[0].base_id}") if sets else ""
    return next((question_set for question_set in sets if question_set.id == used), sets[0] if sets else None)


def use(question_set: QuestionSet) -> None:
    """Remember a question set as the last one used for its base."""
    key = f"question_set_{question_set.base_id}"
    if workspace.preferences.get(key) != question_set.id:
        workspace.preferences.set(key, question_set.id)


# A question's correct passages: where each one is in its note, and the search for another.

# Maximum number of correct passages to draw. Any others are only counted.
SHOWN = 20
# Number of hits in the search for another passage.
FOUND = 8
LINES = 6
# Number of characters above which a passage can be shortened.
#
# A shorter passage is easier to find, because a hit counts only if it contains at least half of the passage.
LONG = 300


def _passage(question_set: QuestionSet, question: Question, gold: GoldSpan, key: str) -> None:
    with row(f"gold_head_{key}", wrap=False):
        if gold.flagged:
            draw_html(
                f'<div class="t-head"><span class="t-crumb">{html(gold.path)}</span>'
                f'<span class="t-tag t-gone">{t_html("Passage no longer exists")}</span></div>'
            )
        else:
            # The chunk that contains most of the passage.
            held = {
                chunk.index: min(chunk.end, gold.end) - max(chunk.start, gold.start)
                for chunk in workspace.chunks.all(gold.note_id)
            }
            index = max(held, key=held.__getitem__, default=None)
            widgets.chunk_link(gold.note_id, index, plain(gold.path), width="stretch")
        act = partial(workspace.questions.remove_passage, question_set, question.id, gold)
        widgets.close(key, "Remove", guarded(act, key), writes=True)
    problem_of(key)
    draw_html(f'<div class="t-hit">{cards.foldable(gold.quote, lines=LINES)}</div>')
    if gold.flagged:
        small_print(
            "The note was deleted, or this passage in it was changed. Test runs skip the question until you remove "
            "this passage."
        )
        return
    if len(gold.quote) <= LONG:
        return
    key = f"narrow_{key}"

    def narrow() -> None:
        workspace.questions.narrow_passage(question_set, question.id, gold, session_state[f"{key}_text"])

    with popup("Shorten", "content_cut", type="tertiary"):
        small_print(
            "Delete the text that doesn't answer the question. The passage counts as found when at least half "
            "of the remaining text is found. Keeping the whole chunk would favour the current split."
        )
        text_area("Shorten", f"{key}_text", gold.quote, height=240, label_visibility="collapsed")
        button("Save", key, "", guarded(narrow, key), writes=True)
    problem_of(key)


# Searching for another correct passage.


def find(question_set: QuestionSet, question: Question, key: str) -> None:
    """Draw a box for searching the base, prefilled with the question. A button on each hit marks it as correct."""
    # Initially expanded if the question has no correct passage. After that, the user decides.
    session_state.setdefault(f"find_{key}", not question.gold)
    box = st.expander(t("Find a passage"), icon=":material/search:", key=f"find_{key}", on_change="rerun")
    if not box.open:
        return
    with box, errors():
        key = f"find_text_{key}"
        text = text_input("Search for", key, question.text, icon=":material/search:", label_visibility="collapsed")
        with busy("Searching…"):
            # The search uses the base's own settings. A repeated search is answered from the cache.
            result = workspace.search(
                text.strip() or question.text,
                **SearchOptions(
                    filters=workspace.searching.filters(bases=[workspace.bases.by_id(question_set.base_id).name]),
                    limit=FOUND,
                    wait=False,
                    choose=False,
                ),
            )
        if not result.hits:
            small_print("Nothing was found for this question.")
        if "model_loading" in result.notices:
            st.caption(text_of(NOTICES["model_loading"]))
        seen = workspace.searching.highlights(result)
        for hit in result.hits:
            with container(border=True, gap="xsmall", key=f"found_{hit.rank}"):
                _hit(question_set, question, hit, seen[hit.chunk.id].words)


def _hit(question_set: QuestionSet, question: Question, hit: Hit, words: Spans) -> None:
    right = [gold for gold in question.spans if gold.is_within(hit)]

    def act() -> None:
        for gold in right:
            workspace.questions.remove_passage(question_set, question.id, gold)
        if not right:
            workspace.questions.add_passage(question_set, question.id, hit)

    with row(f"gold_head_found_{hit.rank}", wrap=False):
        name = " › ".join([hit.note.path or hit.note.title, *cards.section(hit.note, hit.chunk)[-1:]])
        widgets.chunk_link(hit.note.id, hit.chunk.index, plain(name), width="stretch")
        toggle(hit, marked=bool(right), act=act)
    draw_html(f'<div class="t-hit">{cards.foldable(hit.chunk.text, words, LINES)}</div>')


# Maximum number of characters in a question.
LONGEST = 20_000


def kind_name(kind: str) -> str:
    """Return the display name of a question kind. A user-defined kind is returned unchanged."""
    return text_of(QUESTION_KINDS.get(kind, kind))


# States to offer as filters even if no question has them.
ALWAYS = ("all", "missed")


def narrow(
    questions: Sequence[Listed],
    names: Mapping[str, Message],
    states: Callable[[Listed], set[str]],
    text: Callable[[Listed], str],
    key: str,
) -> list[Listed]:
    """Draw filters for state (with counts), kind and text, and return the matching questions.

    `names` maps states to their labels, and `states` returns a question's states. Every question has the state "all".
    """
    counts = Counter(state for item in questions for state in states(item))
    labels = {
        name: f"{text_of(label)} {counts[name]:,}" for name, label in names.items() if counts[name] or name in ALWAYS
    }
    kinds = {"": t("All kinds"), **{kind: kind_name(kind) for kind in sorted({item.kind for item in questions} - {""})}}
    begin_with(f"{key}_state", labels, "all")
    begin_with(f"{key}_kind", kinds, "")
    with row(f"{key}_filters", vertical_alignment="bottom"):
        state: str | None = "all"
        if len(labels) > 1:
            state = widgets.pills("Which questions", labels, f"{key}_state", required=True, persist_state="session")
        kind = ""
        if len(kinds) > 1:
            kind = widgets.select(
                "Kind", kinds, f"{key}_kind", label_visibility="collapsed", width=170, persist_state="session"
            )
        typed = widgets.text_box(
            "Words in the question", f"{key}_text", icon=":material/search:", width=230, persist_state="session"
        )
    wanted = typed.strip().casefold()
    return [
        item
        for item in questions
        if state in states(item) and kind in ("", item.kind) and wanted in text(item).casefold()
    ]


def _draw_chosen(question_set: QuestionSet, question: Question, kinds: Sequence[str]) -> None:
    """Draw a question's form, its correct passages, and a search box for another passage."""
    key = stamp((question_set.id, question.id))
    if question.suggested:
        small_print("This question is only suggested. Test runs don't use it until you accept it.")
    # If the question has changed, its widgets get new keys, so that they start with the new values.
    stored = stamp((question.text, question.kind, question.note, question.any, question.answer))
    draw_form(question_set, question, kinds, f"{key}_{stored}")
    paragraph(t_plural("{n} correct passage", "{n} correct passages", n=len(question.spans)), "t-name")
    if not question.spans:
        small_print(
            "Without a correct passage, this counts as a question that your notes don't answer. If they do "
            "answer it, find the passage below."
        )
    for number, gold in enumerate(question.spans[:SHOWN]):
        with container(border=True, gap="xxsmall", key=f"gold_{number}_{key}"), errors():
            _passage(question_set, question, gold, f"remove_{number}_{key}")
    widgets.more(len(question.spans) - SHOWN)
    find(question_set, question, key)


def draw_form(question_set: QuestionSet, question: Question, kinds: Sequence[str], key: str) -> Question | None:
    """Draw a question's form. Return the question if it is new and was just added, or None otherwise.

    If the question is changed elsewhere, the changed question replaces any text typed in the form.
    """
    with form(f"question_{key}"), errors():
        text = text_area("Question", f"question_text_{key}", question.text, height=100, max_chars=LONGEST)
        answer = text_area(
            "Expected answer",
            f"question_answer_{key}",
            question.answer,
            height=70,
            max_chars=LONGEST,
            help=t(
                "If you enter an expected answer, each test run counts how many of the figures and names in it "
                "appear in the actual answer."
            ),
        )
        left, right = columns(2)
        with left:
            # The user can also type a new kind.
            labels = {"": t("No kind"), **{name: kind_name(name) for name in (question.kind, *kinds) if name}}
            kind = widgets.select_or_type("Kind", labels, question.kind, f"question_kind_{key}")
        note = right.text_input(t("Comment"), value=question.note, key=f"question_note_{key}")
        needed = st.toggle(
            t("All correct passages are needed"),
            value=not question.any,
            key=f"question_all_{key}",
            help=t(
                "If this is off, finding one of the correct passages is enough. If it is on, the question is "
                "answered only when all of them are found."
            ),
        )
        with row():
            label = t("Save") if question.id else t("Add")
            saved = widgets.submit(label, f"save_question_{key}", type="primary", writes=True)
            small_print("Ctrl+Enter in a text box saves the question, too.")
        if saved:
            text, note, answer = (typed.strip() for typed in (text, note, answer))
            changed = replace(question, text=text, kind=kind, note=note, any=not needed, answer=answer)
            if not question.id:
                return workspace.questions.add(question_set, [changed])[0]
            workspace.questions.update(question_set, question.id, changed)
            st.toast(t("Saved"), icon=":material/check:")
            rerun()
    return None


STATES = message_table(
    {
        "all": "All",
        "suggested": "Suggested",
        "gone": "Passage no longer exists",
        "negative": "No answer in the notes",
    }
)
# Maximum number of characters of a question to show in the table.
LISTED_LONGEST = 300

_CHOSEN = "chosen_questions"
_ADDING = "adding_question"
_DELETION = Dialog("deleting_questions")


def draw(question_set: QuestionSet) -> None:
    """Show a question set's questions, the actions on them, and the question chosen last."""
    with container():
        jobs.job_panel(jobs.QUESTIONS)
        if (job := workspace.jobs.find("suggest")) and job.state == "done" and not job.result:
            small_print("No new questions could be made from the definitions and headings in the notes.")
    with errors():
        every = workspace.questions.all(question_set)
        if sum("gone" in states(item) for item in every) != question_set.flagged and not workspace.readonly:
            rerun()  # the bar above was drawn before a lost passage was noticed
        chosen = _settle(question_set, every)
        _bar(question_set, every)
        left, right = columns([6, 5], gap="medium") if chosen or session_state.get(_ADDING) else (container(), None)
        with left:
            if every:
                listed = narrow(every, STATES, states, lambda item: f"{item.text}\n{item.id}", "questions")
                _table(listed, chosen)
                _actions(question_set, [item for item in listed if item.id in chosen])
            else:
                st.info(
                    t(
                        "This question set is empty. Add a question, have some suggested, import a file, or mark "
                        "correct passages on the Search page."
                    ),
                    icon=":material/quiz:",
                )
        if right:
            with right, container(key="question_side"), errors():
                _side(question_set, every)


def _settle(question_set: QuestionSet, every: Sequence[Question]) -> list[str]:
    """Return the ids of the chosen questions that still exist in this question set.

    If the URL has a question, this question is opened first.
    """
    ids = {item.id for item in every}
    if session_state.get("questions_of") != question_set.id:
        session_state.update({"questions_of": question_set.id, _CHOSEN: []})
    if (linked := links.arrived_value("question")) in ids:
        show(linked)
    chosen = session_state[_CHOSEN] = [name for name in session_state[_CHOSEN] if name in ids]
    links.set_value("question", "".join(chosen[-1:]))
    return chosen


def show(question_id: str) -> None:
    """Select a question in the table and open it next to the table."""
    session_state.update(
        {_CHOSEN: [question_id], _ADDING: False, "questions_marked": session_state.get("questions_marked", 0) + 1}
    )


def _bar(question_set: QuestionSet, every: Sequence[Question]) -> None:
    suggested = [item.id for item in every if item.suggested]
    with row("question_bar"):
        button("New question", "add_question", "add", session_state.update, {_ADDING: True}, writes=True)
        popover(question_set)
        if suggested and button(
            t_plural("Accept {n} suggestion", "Accept all {n} suggestions", n=len(suggested)),
            "accept_all",
            "done_all",
            writes=True,
        ):
            workspace.questions.accept(question_set, suggested)
            rerun()


# Suggested questions. They are generated from the notes, by rules or by a language model.

COUNTS = (5, 10, 20, 50, 100)
USUAL = 20


def popover(question_set: QuestionSet) -> None:
    """Draw a popup for choosing how many questions to suggest, and whether by rules or by a language model."""
    llm = workspace.settings.llm
    ways = {"rules": t("Rules for definitions and headings")}
    if llm.is_set_up:
        ways["model"] = plain(t("The language model {name}", name=llm.model))
    with popup("Suggest", "auto_awesome", "suggest", disabled=workspace.readonly):
        small_print(
            "Suggests questions that your notes answer, each with its passage. You accept or reject each of them."
        )
        count = st.select_slider(t("Maximum number of questions"), COUNTS, USUAL, key="suggest_count")
        way = st.radio(t("Suggested by"), list(ways), format_func=ways.__getitem__, key="suggest_by")
        if not llm.is_set_up:
            small_print(
                "If you set up a language model in Settings, under Models, it can phrase questions in different words "
                "from the notes."
            )
        button(
            "Suggest questions",
            "suggest_yes",
            "auto_awesome",
            partial(start, question_set, count, by_model=way == "model"),
            type="primary",
            writes=True,
            disabled=jobs.blocked_by("suggest"),
        )


def start(question_set: QuestionSet, count: int = USUAL, *, by_model: bool = False) -> None:
    """Suggest questions in a job, and wait up to `jobs.SOON` seconds for it to finish. Use this in callbacks."""

    workspace.jobs.start(
        "suggest",
        lambda progress: len(workspace.questions.suggest(question_set, count, by_model=by_model, progress=progress)),
    )
    workspace.jobs.wait("suggest", jobs.SOON)


# The table of questions.


def states(item: Question) -> set[str]:
    """Return the keys of STATES that apply to a question."""
    gone = any(gold.flagged for gold in item.spans)
    conditions = {"all": True, "suggested": item.suggested, "gone": gone, "negative": not item.gold}
    return {name for name, applies in conditions.items() if applies}


def _table(listed: Sequence[Question], chosen: Sequence[str]) -> None:
    """Draw the questions as a table in which several can be chosen. Empty columns are left out."""
    if not listed:
        st.info(t("No question matches these filters."))
        return
    # Streamlit selects rows by position, so each list of questions is a separate widget. Carry the selection over.
    key = f"questions_{hash((tuple(item.id for item in listed), session_state.get('questions_marked')))}"

    def picked() -> None:
        now = [listed[at].id for at in session_state[key]["selection"]["rows"] if at < len(listed)]
        # The question chosen last is the one shown, so it goes to the end.
        session_state.update({_CHOSEN: sorted(now, key=lambda name: name not in chosen), _ADDING: False})

    rows = [
        {
            "question": item.text[:LISTED_LONGEST],
            "state": " · ".join(text_of(STATES[name]) for name in STATES if name != "all" and name in states(item)),
            "kind": kind_name(item.kind),
            "passages": len(item.gold),
        }
        for item in listed
    ]
    widgets.table(
        rows,
        {
            "question": text_column("Question", width="large"),
            "state": text_column("State"),
            "kind": text_column("Kind"),
            "passages": widgets.count_column("Passages"),
        },
        key,
        most=560,
        column_order=[name for name in rows[0] if any(line[name] for line in rows)],
        on_select=picked,
        selection_mode="multi-row",
        selection_default={"selection": {"rows": [at for at, item in enumerate(listed) if item.id in chosen]}},
    )


def _actions(question_set: QuestionSet, items: Sequence[Question]) -> None:
    """Draw buttons that accept, reject or delete the chosen questions. A dialog asks to confirm a deletion."""
    chosen = [item.id for item in items]
    suggested = [item.id for item in items if item.suggested]
    questions = workspace.questions
    with container(horizontal=True, key="question_actions"):
        for label, key, icon, act, about in (
            (t("Accept"), "questions_accept", "check", questions.accept, t("Accept the ticked suggestions")),
            (t("Reject"), "questions_reject", "close", questions.reject, t("Reject the ticked suggestions")),
        ):
            if count_button(label, len(suggested), key, icon, disabled=workspace.readonly, help=about):
                act(question_set, suggested)
                rerun()
        if count_button("Delete", len(chosen), "questions_delete", "delete", disabled=workspace.readonly):
            _DELETION.open(chosen)
    small_print(
        "Tick the box on the left of a row to see the question, or tick several boxes to act on several questions."
    )
    if _DELETION.subject and chosen:
        _DELETION.confirm(
            t_plural("Delete {n} question", "Delete {n} questions", n=len(chosen)),
            t("Test runs that used these questions keep their results."),
            "questions_delete",
            lambda: questions.delete_for_good(question_set, chosen),
        )


# The question next to the table.


def _side(question_set: QuestionSet, every: Sequence[Question]) -> None:
    kinds = list(dict.fromkeys(item.kind for item in every if item.kind))
    if session_state.get(_ADDING):
        widgets.group_title("New question")
        small_print(
            "After adding the question, choose its correct passage. A question without a correct passage counts as "
            "one that your notes don't answer."
        )
        added = draw_form(question_set, Question("", "", ()), kinds, "new")
        if button("Cancel", "cancel_question"):
            session_state[_ADDING] = False
            rerun()
        if added is not None:
            show(added.id)
            rerun()
        return
    for item in every:
        if item.id == session_state[_CHOSEN][-1]:
            _draw_chosen(question_set, item, kinds)
