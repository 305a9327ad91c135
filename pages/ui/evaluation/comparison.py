"""The comparison of two evaluation runs, with the verdict, its certainty, metrics, differing settings and questions."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial

import streamlit as st
from streamlit import columns, container, session_state
from streamlit import html as draw_html

from core.base.blobs import join_spans
from core.base.errors import NoteNotFound
from core.base.messages import Message, Text, message_table
from core.model import (
    ANSWER_METRICS,
    FIGURES,
    LOST,
    MAIN,
    METRICS,
    STAGES,
    Chunk,
    ComparisonRow,
    Diagnosis,
    FoundSpan,
    GivenAnswer,
    GoldSpan,
    KnowledgeBase,
    Note,
    Pipeline,
    QuestionResult,
    QuestionSet,
    Run,
    SideBySide,
)
from pages.ui.evaluation.questions import kind_name, narrow
from pages.ui.evaluation.runs import ABOUT, LETTERS, badge, chosen_runs, pipeline_name
from pages.ui.shared import cards, links, widgets
from pages.ui.shared.jobs import EVALUATION, WRITING, hindrance, start_job
from pages.ui.shared.knobs import value_label
from pages.ui.shared.safe import Span, elements, facts, folded, html, t_html
from pages.ui.shared.server import workspace
from pages.ui.shared.text import busy, section_title, session_language, small_print, t, t_plural, text_of, with_label
from pages.ui.shared.widgets import caption, errors, expander, frame, page_link, popup, text_column

# One question: the passages that answer it ("correct passages"), and each run's hits with those passages highlighted.

# Number of lines to show of a hit that contains no correct passage.
LINES = 4
# Number of correct passages to show expanded.
SHOWN = 2
# Function that returns a note's chunks. They are cached while a question is drawn.
ChunksOf = Callable[[str], Sequence[Chunk]]


def _find_note(note_id: str) -> Note | None:
    """Return the note with the given id, or None if it no longer exists."""
    with suppress(NoteNotFound):
        return workspace.notes.get(note_id)
    return None


def _place_of(run: Run, hit: FoundSpan, chunks_of: ChunksOf) -> tuple[Span | None, Chunk | None]:
    """Return the current position of an evaluation run's hit in its note, and the chunk at that position.

    Both are None if the note has changed and the position is unknown.
    """
    chunks = chunks_of(hit.note_id)
    # A chunk's id depends only on its text, so chunks with the same id have the same text.
    same = next((chunk for chunk in chunks if chunk.id == hit.chunk_id), None)
    if workspace.runs.is_current(run):
        return (hit.start, hit.end), same or next(
            (chunk for chunk in chunks if chunk.start <= hit.start < chunk.end), None
        )
    if same and same.end - same.start == hit.end - hit.start:
        return (same.start, same.end), same
    return None, None


def _is_in_place(gold: GoldSpan) -> bool:
    """Return whether a correct passage is still at its original position."""
    note = _find_note(gold.note_id)
    return note is not None and note.body[gold.start : gold.end] == gold.quote


def draw_question(base: KnowledgeBase, shown: SideBySide, row: ComparisonRow) -> None:
    """Show a question with its correct passages, and each evaluation run's hits below them."""
    result = row.results[0]
    kind = f'<span class="t-tag">{html(kind_name(row.kind))}</span>' if row.kind else ""
    draw_html(f'<div class="t-title">{html(row.question)}</div>{kind}')
    if result.golds:
        _golds(result)
        if result.wished:
            draw_html(
                f'<div class="t-caption">{t_html("Expected answer")}</div>'
                f'<div class="t-text">{html(result.wished)}</div>'
            )
    else:
        draw_html(facts([t("Your notes don't answer this question.")]))
    chunks_of = cache(workspace.chunks.all)
    for number, part in enumerate(columns(len(shown.runs))):
        with part:
            _run(base, shown.runs[number], row, number, chunks_of)


def _golds(result: QuestionResult) -> None:
    """Show a question's correct passages, the first SHOWN of them expanded."""
    many = len(result.golds)
    drawn = []
    for gold in result.golds:
        crumb = (
            f'<div class="t-crumb">{html(gold.path)}</div>'
            if _is_in_place(gold)
            else _tagged(gold.path, t("changed since this test run"), "t-problem")
        )
        drawn.append(f'<div class="t-gold">{crumb}{cards.foldable(gold.quote)}</div>')
    needed = t("All {n} of these correct passages are needed", n=many)
    if many == 1:
        needed = t("The correct passage")
    elif result.any:
        needed = t("Any one of these {n} correct passages is enough", n=many)
    if many > SHOWN:
        drawn[SHOWN:] = [folded(t("and {n} more", n=many - SHOWN), "".join(drawn[SHOWN:]), css="t-more")]
    draw_html(f'<div class="t-caption">{html(needed)}</div>{"".join(drawn)}')


def _run(base: KnowledgeBase, run: Run, row: ComparisonRow, number: int, chunks_of: ChunksOf) -> None:
    result = row.results[number]
    count = len(result.hits)
    if result.negative:
        tone = ""
        rank_text = t_plural("{n} hit", "{n} hits", n=count)
    elif result.found_rank:
        tone = "good"
        rank_text = t("rank {rank}", rank=result.found_rank)
    else:
        tone = "bad"
        rank_text = t("missed")
    draw_html(
        f'<div class="t-head">{badge(number)}<span class="t-name">{html(pipeline_name(run.pipeline, base))}</span></div>'
        f'<div class="t-facts"><b class="t-standing {tone}">{html(rank_text)}</b>'
        f"<span>{html(value_label('level', result.level))}</span><span>{result.took_ms:,.0f} ms</span></div>"
    )
    if result.diagnoses:
        draw_html(_diagnosis(result))
    if result.given:
        draw_html(_answer(result, result.given, row.values[number]))

    def draw(part: slice) -> None:
        for rank, hit in [*enumerate(result.hits, start=1)][part]:
            with frame(f"recalled_{number}_{rank}", gap="xsmall"):
                _hit(run, result, rank, hit, chunks_of)

    seen = result.found_rank or count
    draw(slice(seen))
    if count > seen:
        with expander(t("{n} more", n=count - seen)):
            draw(slice(seen, None))
    if not result.hits:
        small_print("Nothing was found.")


def _answer(result: QuestionResult, given: GivenAnswer, of: Mapping[str, float]) -> str:
    """Return the answer in a run as HTML, with the number of quotes from correct passages, or what went wrong."""
    quotes = round(of.get("cited_precision", 0.0) * len(given.cited))
    about = t("quotes from a correct passage: {n} of {every}", n=quotes, every=len(given.cited))
    right = quotes > 0
    if given.problem:
        about = text_of(given.problem)
        right = False
    elif given.refused:
        about = t("Says that the notes don't answer this question")
        right = result.negative
    text = f'<div class="t-text">{html(given.text)}</div>' if given.text else ""
    if judged := given.judged:
        tone = {"agrees": "t-edited", "partly": ""}.get(judged.verdict or "no", "t-problem")
        text += (
            f'{_tagged(t("The language model says"), judged.label, tone)}<div class="t-small">{html(judged.why)}</div>'
        )
    return f'<div class="t-gold">{_tagged(t("Answer"), about, "t-edited" if right else "t-problem")}{text}</div>'


def _tagged(text: str, tag: Text, tone: str) -> str:
    return f'<div class="t-crumb">{html(text)} <span class="t-tag {tone}">{html(tag)}</span></div>'


def _diagnosis(result: QuestionResult) -> str:
    """Return HTML that explains why correct passages were missed.

    Passages that were lost in the same chunk at the same stage share one reason.
    """
    together: dict[tuple[str, str], list[Diagnosis]] = {}
    for diagnosis in result.diagnoses:
        together.setdefault((diagnosis.stage, diagnosis.chunk_id or f"{diagnosis.gold}"), []).append(diagnosis)
    reasons = ""
    for group in together.values():
        first = group[0]
        stage = text_of(LOST[first.stage])
        if len(result.golds) > 1:
            numbers = [diagnosis.gold + 1 for diagnosis in group]
            stage = with_label(
                t_plural("Passage {numbers}", "Passages {numbers}", n=len(numbers), numbers=numbers), stage
            )
        reasons += f'<div class="t-reason"><b>{html(stage)}</b>{html(first.message)}{cards.stages(first.scores)}</div>'
    return reasons


def _hit(run: Run, result: QuestionResult, rank: int, hit: FoundSpan, chunks_of: ChunksOf) -> None:
    note = _find_note(hit.note_id)
    span, chunk = _place_of(run, hit, chunks_of) if note else (None, None)
    right = []
    if note and span:
        golds = [(gold.start, gold.end) for gold in result.golds if gold.note_id == note.id and _is_in_place(gold)]
        right = cards.spans_in(join_spans(sorted(golds)), *span)
        text = cards.foldable(note.body[slice(*span)], right, cards.LINES if right else LINES)
    else:
        problem = (
            t(
                "The notes have changed since this test run, so this text can't be shown. Run the questions again "
                "to see it."
            )
            if note
            else t("The note no longer exists, so its text can't be shown.")
        )
        text = f'<div class="t-small t-problem">{html(problem)}</div>'
    crumb = " › ".join([hit.path, *(cards.section(note, chunk) if note and chunk else ())])
    answer = f'<span class="t-tag t-edited">{t_html("answered here")}</span>' if rank == result.found_rank else ""
    near = "" if hit.nearness is None else f"<span>{html(STAGES['vector'])} {hit.nearness:.3f}</span>"
    draw_html(
        f'<div class="t-hit"><div class="t-head"><span class="t-rank {"" if right else "t-wrong"}">{rank}</span>'
        f'<span class="t-name">{html(note.title if note else hit.path)}</span>{answer}</div>'
        f'<div class="t-crumb">{html(crumb)}</div>{text}'
        f'<div class="t-facts"><span>{t_html("score")} {hit.score:.3f}</span>{near}</div></div>'
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


def draw_questions(base: KnowledgeBase, shown: SideBySide) -> None:
    """Show the list of questions and the chosen question.

    They form a Streamlit fragment, so that a click in the list doesn't redraw the rest of the page.
    """
    section_title("Question by question")

    @st.fragment
    def part() -> None:
        with errors():
            rows = narrow(shown.rows, FILTERS, states, lambda row: row.question, "rows")
            if not rows:
                small_print("No question matches these filters.")
                return
            left, right = columns([5, 8], gap="medium")
            with left, container(key="rows_list"):
                row = _draw_rows(shown, rows)
            with right:
                draw_question(base, shown, row)

    part()


def states(row: ComparisonRow) -> set[str]:
    """Return the keys of FILTERS that apply to a question in the compared evaluation runs."""
    conditions = {"missed": row.missed, "negative": row.negative, "all": True, row.change or "all": True}
    return {name for name, applies in conditions.items() if applies}


def _draw_rows(shown: SideBySide, rows: Sequence[ComparisonRow]) -> ComparisonRow:
    """Draw the table of questions and return the chosen row: at first, the question in the URL, or else the first."""
    if (linked := links.arrived_value("question")) is not None:
        session_state["rows_linked"] = linked
        links.set_value("question", linked)
    first = next((number for number, row in enumerate(rows) if row.id == links.last_value("question")), 0)
    # Streamlit selects rows by number, so a changed list or a list opened by a link gets a new table key.
    linked = session_state.get("rows_linked")
    state = hash((tuple(run.id for run in shown.runs), tuple(row.id for row in rows), linked))
    event = widgets.table(
        [
            {
                "change": SIGNS[row.change] if row.change else "",
                # Padded so that the strings sort like numbers.
                **{
                    f"rank_{number}": " ·" if row.negative else f"{rank or '–':>2}"
                    for number, rank in enumerate(row.ranks)
                },
                "question": row.question,
                **({"kind": kind_name(row.kind)} if row.kind else {}),
            }
            for row in rows
        ],
        {
            "change": st.column_config.TextColumn("", width=28),
            "question": text_column("Question", width=260),
            **{
                f"rank_{number}": st.column_config.TextColumn(letter, width=34, help=t("Rank of the correct passage"))
                for number, letter in enumerate(LETTERS[: len(shown.runs)])
            },
            "kind": text_column("Kind", width=80),
        },
        f"rows_{state}",
        most=620,
        on_select="rerun",
        selection_mode="single-row-required",
        selection_default={"selection": {"rows": [first]}},
    )
    small_print(
        "The columns with a letter show the rank of the correct passage in each test run, or – if it wasn't found. "
        "Click a row, or choose it with the arrow keys and Enter."
    )
    chosen = event.selection.rows
    row = rows[chosen[0] if chosen and chosen[0] < len(rows) else first]
    links.set_value("question", row.id)
    return row


# Metrics that are always visible.
SHORT = (*MAIN, "p50_ms")


def section(base: KnowledgeBase, question_set: QuestionSet) -> None:
    """Show the comparison of the evaluation runs chosen by `chosen_runs`, or the figures of a single run."""
    runs = chosen_runs(base, question_set)
    if not runs:
        small_print(
            "There are no test runs yet. The button above asks every question with both setups and shows what each "
            "one finds."
        )
        return
    with busy("Comparing…"):
        shown = _compare(runs)
    shown = replace(shown, metric=session_state.get("judged", shown.metric))
    _head(base, shown)
    for notice in shown.notices:
        caption(notice, "info")
    if shown.comparisons:
        _verdict(shown)
    if shown.is_better and replace(shown.runs[0].pipeline, name="") == Pipeline():
        _adopt(base, shown.runs[1].pipeline)
    _draw_tables(shown)
    draw_questions(base, shown)


@st.cache_resource(max_entries=12, show_spinner=False, hash_funcs={Run: lambda run: (run.id, run.asked, run.ended_at)})
def _compare(runs: Sequence[Run]) -> SideBySide:
    """Compare evaluation runs. Results are cached, because computing confidence intervals is slow."""
    return workspace.runs.side_by_side(workspace.runs.measured(run.id for run in runs))


def _head(base: KnowledgeBase, shown: SideBySide) -> None:
    with widgets.row("compared_head", vertical_alignment="bottom"):
        names = "".join(
            f'<span class="t-ran">{badge(number)}<b>{html(pipeline_name(run.pipeline, base))}</b></span>'
            for number, run in enumerate(shown.runs)
        )
        counts = t_plural(
            "{n} question, {answerable} with an answer in the notes",
            "{n} questions, {answerable} with an answer in the notes",
            n=len(shown.rows),
            answerable=shown.answerable,
        )
        draw_html(f'<div class="t-rans">{names}</div><div class="t-facts">{html(counts)}</div>')
        if shown.comparisons:
            widgets.select(
                "Judge by",
                {name: FIGURES[name] for name in METRICS},
                width=320,
                **widgets.bound("judged_by", shown.metric, partial(session_state.__setitem__, "judged")),
            )
        _report(base, shown)


def _verdict(shown: SideBySide) -> None:
    """Draw a sentence that says whether the second evaluation run is better than the first."""
    comparison = shown.comparisons[shown.metric]
    tone = ("good" if comparison.difference > 0 else "bad") if comparison.settled else ""
    draw_html(
        f'<div class="t-verdict {tone}"><div>{badge(1)} <span class="t-dim">{t_html("against")}</span> {badge(0)}</div>'
        f"<div><b>{html(comparison.message)}</b>"
        f'<div class="t-facts"><span>{html(FIGURES[shown.metric])}</span></div></div></div>'
    )


def _report(base: KnowledgeBase, shown: SideBySide) -> None:
    """Draw a popup with a download button for each report format. Reports are generated on demand."""
    forms = {
        "html": (t("Web page (HTML)"), "text/html"),
        "md": (t("Markdown"), "text/markdown"),
        "csv": (t("Table of questions (CSV)"), "text/csv"),
    }
    with popup("Report", "download", "export_runs"):
        for form, (label, mime) in forms.items():
            widgets.download(
                label,
                partial(workspace.runs.report, shown, form, base.name, session_language()),
                f"{t('comparison')}.{form}",
                mime,
                f"export_runs_{form}",
                "description",
                width="stretch",
            )


def _adopt(base: KnowledgeBase, way: Pipeline) -> None:
    """Draw the button that applies a setup's settings to the base, unless the base already has them.

    If the setup has another embedder, draw a link to the base's page instead.
    """
    if way.embedder:
        page_link("bases.py", "Change the model on this base's page", "database", base=base.name)
        small_print(
            "The whole base is then indexed with the other model. Until that is finished, searches use the current "
            "model."
        )
        return
    recut = way.chunking is not None and way.chunking != base.chunking
    if not recut and way.search.over(base.search) == base.search:
        return
    with widgets.row():
        if widgets.button(
            "Use these settings",
            "adopt",
            "check",
            type="primary",
            disabled=hindrance(*WRITING, *EVALUATION, base=base.name),
        ):
            if recut:
                start_job("rechunk", lambda progress: workspace.bases.adopt(base.name, way, progress=progress))
            workspace.bases.adopt(base.name, way)
            st.toast(t("The base now uses these settings."), icon=":material/check:")
        st.caption(
            t("Makes these the base's settings, then splits and indexes its notes again. Your edits are kept.")
            if recut
            else t("Makes these the base's settings. They apply to every search that doesn't override them."),
            width="content",
        )


def _draw_tables(shown: SideBySide) -> None:
    """Show the evaluation runs' metrics, their differing settings, and their results by question kind.

    For a single run, show all of its settings.
    """
    runs = workspace.runs
    lettered = replace(shown, labels=tuple(LETTERS[: len(shown.runs)]))
    answers = [name for name in shown.figures if name in ANSWER_METRICS]
    others = [name for name in shown.figures if name not in (*SHORT, *answers)]
    left, right = columns([7, 4], gap="large")
    with left:
        draw_html(_table(runs.figures(lettered, (*SHORT, *answers)).table))
        draw_html(folded(t("All figures"), _table(runs.figures(lettered, others).table), css="t-more"))
    with right, container(key="figures_side"):
        settings = runs.settings_table(lettered)
        sections = [*runs.kinds_table(lettered)]
        if len(shown.runs) > 1:
            sections = [*settings, *sections]
        else:
            for section in settings:
                draw_html(folded(t("Settings used in this test run"), _table(section.table), css="t-more"))
        for section in sections:
            draw_html(f'<div class="t-caption">{html(section.title)}</div>{_table(section.table)}')


def _table(rows: Sequence[Sequence[Text]]) -> str:
    """Return a table as HTML. The first row and the first column are headers. Metrics have explanatory tooltips."""
    head = elements(rows[0], "th")
    about = {FIGURES[name]: text for name, text in ABOUT.items()}
    body = ""
    for first, *cells in rows[1:]:
        title = about[first] if isinstance(first, Message) and first in about else ""
        body += f'<tr><th scope="row" title="{html(title)}">{html(first)}</th>{elements(cells, "td")}</tr>'
    return f'<table class="t-figures"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
