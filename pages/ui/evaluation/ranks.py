"""The questions of compared runs: a list with their ranks in each run, and the hits for one question."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache

import streamlit as st

from core.base.blobs import join_spans
from core.base.errors import NoteNotFound
from core.base.messages import Message, message_table
from core.model import (
    LOST,
    STAGES,
    Chunk,
    ComparisonRow,
    Diagnosis,
    FoundSpan,
    GivenAnswer,
    GoldSpan,
    KnowledgeBase,
    Note,
    QuestionResult,
    Run,
    SideBySide,
)
from core.workspace import Workspace
from pages.ui.evaluation import pipelines, question
from pages.ui.shared import cards, knobs, links, shell, widgets
from pages.ui.shared.safe import Span, facts, folded, html
from pages.ui.shared.text import section_title, small_print, t, t_plural, text_of, with_label

# One question: its right passages, and the hits of each run with the right characters marked.

LINES = 4
"""Number of visible lines of a chunk that isn't right."""
SHOWN = 2
"""Number of right passages that are shown unfolded."""


class Places:
    """Lookup of the current places of hits and right passages; each note is read once."""

    def __init__(self, workspace: Workspace) -> None:
        self._is_current = workspace.runs.is_current
        self._chunks = cache(workspace.chunks.all)

        @cache
        def note(note_id: str) -> Note | None:
            """Return a note, or None if it is gone."""
            with suppress(NoteNotFound):
                return workspace.notes.get(note_id)
            return None

        self.note = note

    def hit(self, run: Run, hit: FoundSpan) -> tuple[Span | None, Chunk | None]:
        """Return the current span of a hit, None if unknown, and the chunk there."""
        if self.note(hit.note_id) is None:
            return None, None
        chunks = self._chunks(hit.note_id)
        same = next((chunk for chunk in chunks if chunk.id == hit.chunk_id), None)
        if self._is_current(run):
            around = next((chunk for chunk in chunks if chunk.start <= hit.start < chunk.end), None)
            return (hit.start, hit.end), same or around
        if same is None or same.end - same.start != hit.end - hit.start:
            return None, None
        # A chunk's id is made from its text: the same id means the same text, at any place.
        return (same.start, same.end), same

    def gold(self, gold: GoldSpan) -> Span | None:
        """Return the span of a right passage, None if the note's text there has changed."""
        note = self.note(gold.note_id)
        present = note is not None and note.body[gold.start : gold.end] == gold.quote
        return (gold.start, gold.end) if present else None


def draw_question(workspace: Workspace, base: KnowledgeBase, shown: SideBySide, row: ComparisonRow) -> None:
    """Draw a question with its right passages, and below it the hits of each run."""
    places = Places(workspace)
    _question(row, places)
    for number, part in enumerate(st.columns(len(shown.runs))):
        with part:
            _run(base, shown.runs[number], row, number, places)


def _question(row: ComparisonRow, places: Places) -> None:
    kind = f'<span class="t-tag">{html(question.kind_name(row.kind))}</span>' if row.kind else ""
    st.html(f'<div class="t-title">{html(row.question)}</div>{kind}')
    golds = row.results[0].golds
    if not golds:
        st.html(facts([t("Your notes don't answer this question.")]))
        return
    needed = (
        t("The right passage")
        if len(golds) == 1
        else t("Right passages: one of these {n} is enough", n=len(golds))
        if row.results[0].any
        else t("Right passages: all {n} are needed", n=len(golds))
    )
    drawn = [_gold(gold, places) for gold in golds]
    more = ""
    if len(drawn) > SHOWN:
        more = folded(t("and {n} more", n=len(drawn) - SHOWN), "".join(drawn[SHOWN:]), css="t-more")
    st.html(f'<div class="t-caption">{html(needed)}</div>{"".join(drawn[:SHOWN])}{more}')
    if wished := row.results[0].wished:
        st.html(f'<div class="t-caption">{html(t("Expected answer"))}</div><div class="t-text">{html(wished)}</div>')


def _gold(gold: GoldSpan, places: Places) -> str:
    crumb = f'<div class="t-crumb">{html(gold.path)}</div>'
    if places.gold(gold) is None:
        crumb = _tagged(gold.path, t("changed in the note since then"), "t-problem")
    return f'<div class="t-gold">{crumb}{cards.foldable(gold.quote)}</div>'


def _rank_text(result: QuestionResult) -> str:
    if result.negative:
        return t_plural("{n} hit", "{n} hits", n=len(result.hits))
    return t("rank {rank}", rank=result.found_rank) if result.found_rank else t("missed")


def _run(base: KnowledgeBase, run: Run, row: ComparisonRow, number: int, places: Places) -> None:
    result = row.results[number]
    tone = "" if result.negative else "good" if result.found_rank else "bad"
    level, took = knobs.value_label("level", result.level), f"{result.took_ms:,.0f} ms"
    st.html(
        f'<div class="t-head">{pipelines.badge(number)}<span class="t-name">{html(pipelines.pipeline_name(run.pipeline, base))}</span></div>'
        f'<div class="t-facts"><b class="t-standing {tone}">{html(_rank_text(result))}</b>'
        f"<span>{html(level)}</span><span>{html(took)}</span></div>"
    )
    if result.diagnoses:
        st.html("".join(_diagnosis(result)))
    if result.given:
        st.html(_answer(result, result.given, row.values[number]))

    def draw(part: slice) -> None:
        for rank, hit in [*enumerate(result.hits, start=1)][part]:
            with st.container(border=True, key=f"recalled_{number}_{rank}", gap="xsmall"):
                _hit(run, result, rank, hit, places)

    seen = result.found_rank or len(result.hits)
    draw(slice(seen))
    if len(result.hits) > seen:
        with st.expander(t("{n} more", n=len(result.hits) - seen)):
            draw(slice(seen, None))
    if not result.hits:
        small_print("Nothing was found.")


def _answer(result: QuestionResult, given: GivenAnswer, of: Mapping[str, float]) -> str:
    """Return a run's answer as HTML, with the share of quotes that are right."""
    quotes = round(of.get("cited_precision", 0.0) * len(given.cited))
    about, right = t("{n} of {every} quotes come from a right passage", n=quotes, every=len(given.cited)), quotes > 0
    if given.problem:
        about, right = text_of(given.problem), False
    elif given.refused:
        about, right = t("Says that the notes don't answer this question"), result.negative
    text = f'<div class="t-text">{html(given.text)}</div>' if given.text else ""
    if judged := given.judged:
        tone = {"agrees": "t-edited", "partly": ""}.get(judged.verdict or "no", "t-problem")
        text += (
            f'{_tagged(t("The language model says"), judged.label, tone)}<div class="t-small">{html(judged.why)}</div>'
        )
    return f'<div class="t-gold">{_tagged(t("Answer"), about, "t-edited" if right else "t-problem")}{text}</div>'


def _tagged(text: str, tag: str | Message, tone: str) -> str:
    return f'<div class="t-crumb">{html(text)} <span class="t-tag {tone}">{html(tag)}</span></div>'


def _diagnosis(result: QuestionResult) -> list[str]:
    """Return the reasons why passages were missed as HTML, one per chunk and stage."""
    together: dict[tuple[str, str], list[Diagnosis]] = {}
    for diagnose in result.diagnoses:
        together.setdefault((diagnose.stage, diagnose.chunk_id or f"{diagnose.gold}"), []).append(diagnose)
    reasons = []
    for same in together.values():
        first, numbers = same[0], [diagnosis.gold + 1 for diagnosis in same]
        stage = text_of(LOST[first.stage])
        if len(result.golds) > 1:
            stage = with_label(t_plural("Passage {numbers}", "Passages {numbers}", n=len(same), numbers=numbers), stage)
        reasons.append(
            f'<div class="t-reason"><b>{html(stage)}</b>{html(first.message)}{cards.stages(first.scores)}</div>'
        )
    return reasons


def _hit(run: Run, result: QuestionResult, rank: int, hit: FoundSpan, places: Places) -> None:
    note, (span, chunk) = places.note(hit.note_id), places.hit(run, hit)
    right: list[Span] = []
    if note and span:
        golds = filter(None, (places.gold(gold) for gold in result.golds if gold.note_id == hit.note_id))
        right = cards.spans_in(join_spans(sorted(golds)), *span)
        text = cards.foldable(note.body[slice(*span)], right, cards.LINES if right else LINES)
    else:
        problem = (
            t("The notes have changed since this run, so this text can't be shown. Run the questions again to see it.")
            if note
            else t("The note no longer exists, so its text can't be shown.")
        )
        text = f'<div class="t-small t-problem">{html(problem)}</div>'
    crumb = " › ".join([hit.path, *(cards.section(note, chunk) if note and chunk else ())])
    answer = f'<span class="t-tag t-edited">{html(t("answered here"))}</span>' if rank == result.found_rank else ""
    near = "" if hit.nearness is None else f"<span>{html(STAGES['vector'])} {hit.nearness:.3f}</span>"
    st.html(
        f'<div class="t-hit"><div class="t-head"><span class="t-rank {"" if right else "t-wrong"}">{rank}</span>'
        f'<span class="t-name">{html(note.title if note else hit.path)}</span>{answer}</div>'
        f'<div class="t-crumb">{html(crumb)}</div>{text}'
        f'<div class="t-facts"><span>{html(t("score"))} {hit.score:.3f}</span>{near}</div></div>'
    )
    if note and span and chunk:
        widgets.chunk_link(hit.note_id, chunk.index)


FILTERS = message_table(
    {
        "all": "All",
        "missed": "Missed",
        "gained": "Newly found",
        "lost": "No longer found",
        "better": "Ranked higher",
        "worse": "Ranked lower",
        "negative": "Without an answer",
    }
)
SIGNS = {"gained": "▲", "lost": "▼", "better": "↑", "worse": "↓", "same": ""}


def draw_questions(workspace: Workspace, base: KnowledgeBase, shown: SideBySide) -> None:
    """Draw the list and the chosen question as a fragment, so that a click in the list redraws only these."""
    section_title("Question by question")

    @st.fragment
    def part() -> None:
        with shell.errors():
            rows = question.narrow(shown.rows, FILTERS, states, lambda row: row.question, "rows")
            if not rows:
                small_print("No question matches these filters.")
                return
            left, right = st.columns([5, 8], gap="medium")
            with left, st.container(key="rows_list"):
                row = _draw_rows(shown, rows)
            with right:
                draw_question(workspace, base, shown, row)

    part()


def states(row: ComparisonRow) -> set[str]:
    """Return the states of a question in the compared runs, with the names of FILTERS."""
    conditions = {"all": True, "missed": row.missed, "negative": row.negative}
    return {*(name for name, applies in conditions.items() if applies), *filter(None, [row.change])}


def _draw_rows(shown: SideBySide, rows: Sequence[ComparisonRow]) -> ComparisonRow:
    """Draw the table of questions and return the chosen row, initially that of the question in the address."""
    if (linked := links.arrived_value("question")) is not None:
        st.session_state["rows_linked"] = linked
        links.set_value("question", linked)
    wanted = links.last_value("question")
    first = next((number for number, row in enumerate(rows) if row.id == wanted), 0)
    # Rows are chosen by number, so another list, or one that a link leads to, is another table.
    linked = st.session_state.get("rows_linked")
    state = hash((tuple(run.id for run in shown.runs), tuple(row.id for row in rows), linked))
    about = t("Rank of the answer")
    ranks = {
        f"rank_{number}": st.column_config.TextColumn(pipelines.LETTERS[number], width=34, help=about)
        for number in range(len(shown.runs))
    }
    event = widgets.table(
        [
            {
                "change": SIGNS[row.change] if row.change else "",
                # Padded, so that texts sort like numbers.
                **{
                    f"rank_{number}": " ·" if row.negative else f"{rank or '–':>2}"
                    for number, rank in enumerate(row.ranks)
                },
                "question": row.question,
                **({"kind": question.kind_name(row.kind)} if row.kind else {}),
            }
            for row in rows
        ],
        {
            "change": st.column_config.TextColumn("", width=28),
            "question": widgets.text_column("Question", width=260),
            **ranks,
            "kind": widgets.text_column("Kind", width=80),
        },
        f"rows_{state}",
        most=620,
        on_select="rerun",
        selection_mode="single-row-required",
        selection_default={"selection": {"rows": [first]}},
    )
    small_print(
        "The rank at which each run finds the answer; – means not found. Click a line, or choose "
        "it with the arrow keys and Enter."
    )
    chosen = event.selection.rows
    row = rows[chosen[0] if chosen and chosen[0] < len(rows) else first]
    links.set_value("question", row.id)
    return row
