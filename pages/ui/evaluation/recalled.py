"""One question: its right passages, and what each run recalled for it, with the right characters marked."""

from collections.abc import Sequence
from functools import cached_property

import streamlit as st

from core.errors import NoteNotFound
from core.model import Chunk, Diagnosis, FoundSpan, GoldSpan, KnowledgeBase, Note, QuestionResult, Row, Run, SideBySide
from core.workspace import Workspace
from pages.ui.evaluation import figures, ways
from pages.ui.evaluation.question import kind_called
from pages.ui.shared import cards, names
from pages.ui.shared.safe import Span, html, marked
from pages.ui.shared.text import said, t, t_plural

LINES = 4
"""Lines that are shown of a chunk that isn't right."""
SHOWN = 2
"""Right passages that are shown before the others are unfolded."""
QUOTE = 600
"""Characters of a right passage that are shown before it is unfolded."""


class Place:
    """A note that was recalled from, as it is now."""

    def __init__(self, workspace: Workspace, note_id: str) -> None:
        self._workspace = workspace
        self._note_id = note_id

    @cached_property
    def note(self) -> Note | None:
        """The note, None where it is gone."""
        try:
            return self._workspace.notes.get(self._note_id)
        except NoteNotFound:
            return None

    @cached_property
    def chunks(self) -> list[Chunk]:
        """Its chunks in the base."""
        return self._workspace.chunks.of_note(self._note_id) if self.note else []

    def chunk_at(self, start: int) -> Chunk | None:
        """Return the chunk of the base that holds a character of the note."""
        return next((chunk for chunk in self.chunks if chunk.start <= start < chunk.end), None)


class Places:
    """The notes that a question's runs recalled from; each is looked up once."""

    def __init__(self, workspace: Workspace, runs: Sequence[Run]) -> None:
        self._workspace = workspace
        self._current = {run.id: workspace.runs.is_current(run) for run in runs}
        self._places: dict[str, Place] = {}

    def of(self, note_id: str) -> Place:
        """Return a note's place."""
        return self._places.setdefault(note_id, Place(self._workspace, note_id))

    def found(self, run: Run, hit: FoundSpan) -> tuple[Span | None, Chunk | None]:
        """Return where a hit stands now, None where that can't be told any more, and the base's chunk there."""
        place = self.of(hit.note_id)
        same = next((chunk for chunk in place.chunks if chunk.id == hit.chunk_id), None)
        if place.note is None:
            return None, None
        if self._current[run.id]:
            return (hit.start, hit.end), same or place.chunk_at(hit.start)
        if same is None or same.end - same.start != hit.end - hit.start:
            return None, None
        # A chunk's id is made from its text: it is the same, wherever it stands now.
        return (same.start, same.end), same

    def gold(self, gold: GoldSpan) -> Span | None:
        """Return where a right passage stands now, None where something else stands in its place."""
        note = self.of(gold.note_id).note
        there = note is not None and note.body[gold.start : gold.end] == gold.quote
        return (gold.start, gold.end) if there else None


def section(workspace: Workspace, base: KnowledgeBase, shown: SideBySide, row: Row) -> None:
    """Draw a question with its right passages, and below what each run recalled."""
    places = Places(workspace, shown.runs)
    _question(row, places)
    if len(shown.runs) > 2:
        labels = [f"{ways.LETTERS[number]} · {_standing(result)}" for number, result in enumerate(row.results)]
        parts = st.tabs(labels, key=f"recalled_{row.id}_{len(labels)}")
    else:
        parts = st.columns(len(shown.runs), gap="small")
    for number, part in enumerate(parts):
        with part:
            _run(base, shown.runs[number], row.results[number], number, places)


def _question(row: Row, places: Places) -> None:
    kind = f'<span class="t-tag">{html(kind_called(row.kind))}</span>' if row.kind else ""
    st.html(f'<div class="t-title">{html(row.question)}</div>{kind}')
    golds = row.results[0].golds
    if not golds:
        unanswered = t("Your notes don't answer this question.")
        st.html(f'<div class="t-facts">{html(unanswered)}</div>')
        return
    needed = (
        t("The right passage")
        if len(golds) == 1
        else t("Right passages: one of these {n} is enough", n=len(golds))
        if row.results[0].any
        else t("Right passages: all {n} are needed", n=len(golds))
    )
    told = [_gold(gold, places) for gold in golds]
    more = ""
    if len(told) > SHOWN:
        rest = html(t("and {n} more", n=len(told) - SHOWN))
        more = f'<details class="t-more"><summary>{rest}</summary>{"".join(told[SHOWN:])}</details>'
    st.html(f'<div class="t-caption">{html(needed)}</div>{"".join(told[:SHOWN])}{more}')


def _gold(gold: GoldSpan, places: Places) -> str:
    changed = (
        "" if places.gold(gold) else f' <span class="t-tag t-problem">{html(t("changed in the note since"))}</span>'
    )
    text = f'<div class="t-text">{html(gold.quote[:QUOTE])}</div>'
    if len(gold.quote) > QUOTE:
        whole = f'<div class="t-text">{html(gold.quote)}</div>'
        text = f"{text[:-6]} …</div><details><summary>{html(t('Whole chunk, {n} characters', n=len(gold.quote)))}</summary>{whole}</details>"
    return f'<div class="t-gold"><div class="t-crumb">{html(gold.path)}{changed}</div>{text}</div>'


def _standing(result: QuestionResult) -> str:
    if result.negative:
        return t_plural("{n} hit", "{n} hits", n=len(result.hits))
    return t("rank {rank}", rank=result.found_rank) if result.found_rank else t("missed")


def _run(base: KnowledgeBase, run: Run, result: QuestionResult, number: int, places: Places) -> None:
    tone = "" if result.negative else "good" if result.found_rank else "bad"
    facts = [said(names.LEVELS[result.level]), f"{result.took_ms:,.0f} ms"]
    st.html(
        f'<div class="t-head">{figures.badge(number)}<span class="t-name">{html(ways.called(run.pipeline, base))}</span></div>'
        f'<div class="t-facts"><b class="t-standing {tone}">{html(_standing(result))}</b>'
        f"{''.join(f'<span>{html(fact)}</span>' for fact in facts)}</div>"
    )
    if result.diagnoses:
        st.html("".join(_diagnosed(result)))
    for rank, hit in enumerate(result.hits, start=1):
        with st.container(border=True, key=f"recalled_{number}_{rank}", gap="xsmall"):
            _hit(run, result, rank, hit, places)
    if not result.hits:
        st.caption(t("Nothing was found."))


def _diagnosed(result: QuestionResult) -> list[str]:
    """Why passages were missed, as HTML: once for all that stand in one chunk."""
    together: dict[tuple[str, str], list[Diagnosis]] = {}
    for one in result.diagnoses:
        together.setdefault((one.stage, one.chunk_id or f"{one.gold}"), []).append(one)
    told = []
    for same in together.values():
        first, numbers = same[0], ", ".join(f"{one.gold + 1}" for one in same)
        which = (
            f"{t_plural('Passage {numbers}', 'Passages {numbers}', n=len(same), numbers=numbers)}: "
            if len(result.golds) > 1
            else ""
        )
        share = (
            f" {t('One chunk holds {share} of it at most.', share=f'{first.share:.0%}')}" if 0 < first.share < 1 else ""
        )
        told.append(
            f'<div class="t-reason"><b>{html(which + said(names.LOST[first.stage]))}</b>{html(said(first.message) + share)}'
            f"{cards.stages(first.scores, {})}</div>"
        )
    return told


def _hit(run: Run, result: QuestionResult, rank: int, hit: FoundSpan, places: Places) -> None:
    span, chunk = places.found(run, hit)
    note = places.of(hit.note_id).note
    spans = [] if span is None else right(result.golds, hit.note_id, span, places)
    title = html(note.title if note else hit.path)
    crumb = " › ".join([hit.path, *(chunk.section[chunk.section[:1] == (note.title,) :] if note and chunk else ())])
    answer = f'<span class="t-tag t-edited">{html(t("answers here"))}</span>' if rank == result.found_rank else ""
    near = "" if hit.nearness is None else f"<span>{html(said(cards.NAMES['vector']))} {hit.nearness:.3f}</span>"
    text = _text(note, span, spans)
    st.html(
        f'<div class="t-hit"><div class="t-head"><span class="t-rank {"" if spans else "t-wrong"}">{rank}</span>'
        f'<span class="t-name">{title}</span>{answer}</div><div class="t-crumb">{html(crumb)}</div>{text}'
        f'<div class="t-facts"><span>{html(t("score"))} {hit.score:.3f}</span>{near}</div></div>'
    )
    if note and span and chunk:
        st.page_link(
            "chunks.py",
            label=t("Open in Chunks"),
            icon=":material/splitscreen:",
            query_params={"note": hit.note_id, "chunk": str(chunk.index)},
        )


def _text(note: Note | None, span: Span | None, spans: Sequence[Span]) -> str:
    if note is None or span is None:
        problem = (
            t("The note is gone, so its text can't be shown.")
            if note is None
            else t("The notes changed since this run, so this text can't be shown. Ask again to see it.")
        )
        return f'<div class="t-small t-problem">{html(problem)}</div>'
    text = note.body[slice(*span)]
    inside = [(start - span[0], end - span[0]) for start, end in spans]
    shown, whole = cards.clipped(text, inside, cards.LINES if inside else LINES)
    if whole:
        return shown
    label = html(t("Whole chunk, {n} characters", n=len(text)))
    return f'{shown}<details><summary>{label}</summary><div class="t-text">{marked(text, inside)}</div></details>'


def right(golds: Sequence[GoldSpan], note_id: str, span: Span, places: Places) -> list[Span]:
    """Return the characters of a passage that belong to right ones, in order and without overlaps."""
    found: list[Span] = []
    there = (places.gold(gold) for gold in golds if gold.note_id == note_id)
    for start, end in sorted(gold for gold in there if gold):
        start, end = max(start, span[0]), min(end, span[1])
        if found and start <= found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        elif start < end:
            found.append((start, end))
    return found
