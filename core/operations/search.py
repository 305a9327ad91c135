"""Search operations and their results."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, cast

from core.base.codec import assemble
from core.base.frozen import AnyMap, AnyValues, Pair, TextMap, Texts, frozen
from core.base.messages import Message, Messages, Text, lines, message, plural
from core.base.terminal import _, say
from core.base.text import CJK, STOP_WORDS, fold
from core.model import (
    LEVELS,
    LOST,
    MARKS,
    MODES,
    NOTE_FIELDS,
    NOTICES,
    STAGES,
    Decomposition,
    Facet,
    FieldValues,
    FileState,
    Hit,
    Level,
    LlmSelection,
    LostAt,
    NoteSummary,
    Notice,
    PictureHit,
    ResultMode,
    SearchOptions,
    SearchResult,
    SearchSettings,
    StageScore,
    SubQueryResult,
    Understood,
    classification,
    expired_notes,
    ordering_lines,
    remarks,
)
from core.operations.declaring import About, Parameter, Parameters, operation
from core.operations.parameters import SEARCH, Names, NoteName
from core.operations.printing import details, sentence

if TYPE_CHECKING:
    from core.workspace import Workspace

# Stages listed in every hit's scores. If a hit didn't go through a stage, its score for that stage is None.
_STAGES = ("vector", "keyword", "fused", "rerank", "final")


@frozen
class NoteReference:
    """A reference to a note by id, base, path and title."""

    note_id: str
    base: str
    path: str | None
    title: str

    @classmethod
    def from_noun(cls, noun: Any) -> Self:
        """Create a view of an object that has a `note` attribute, such as a hit."""
        return assemble(cls, noun, noun.note, note_id=noun.note.id)


def place_in_file(note: NoteSummary, at: int) -> int | None:
    """Convert an offset in a note's body to an offset in its file. Return None if the note has no text file."""
    return note.body_start + at if note.path is not None and note.document is None else None


@frozen
class CopyView:
    """A chunk from another note with nearly the same text as a hit."""

    note_id: str
    path: str | None
    chunk_index: int
    line: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class HitView(FieldValues):
    """A hit together with its note's fields. An expired note has the status `expired`.

    `start` and `end` are the passage's offsets in the note's body, and `file_start` and `file_end` are its offsets in
    the note's file. `definitions` holds the passage's footnotes and reference link targets from elsewhere in the note.
    """

    rank: int
    note_id: str
    base: str
    path: str | None
    section: Texts
    sections: Texts
    line: int | None
    page: int | None
    picture: str | None
    source_url: str
    language: str
    hierarchy_level: int
    chunk_id: str
    chunk_index: int
    total_chunks: int
    chunk_start: int
    chunk_end: int
    edited: bool
    start: int
    end: int
    file_start: int | None
    file_end: int | None
    text: str
    definitions: Texts
    score: float
    scores: Mapping[str, float | None]
    ranks: Mapping[str, int | None]
    status: str  # type: ignore[assignment]
    superseded_by: tuple[NoteReference, ...]
    file: FileState
    remarks: Messages
    matched: Texts
    joined: tuple[int, ...]
    copies: tuple[CopyView, ...]
    sub_query: str

    @classmethod
    def from_hit(cls, hit: Hit, **more: object) -> Self:
        note = hit.note
        chunk = hit.chunk
        passage = hit.passage
        by_stage = {stage: hit.scores.get(stage) for stage in (*_STAGES, *hit.scores)}
        return assemble(
            cls,
            hit,
            passage,
            note,
            chunk,
            note_id=note.id,
            status="expired" if note.expired else note.status,
            line=chunk.line or None,
            page=hit.page or None,
            picture=chunk.picture or None,
            chunk_id=chunk.id,
            chunk_index=chunk.index,
            total_chunks=chunk.total,
            chunk_start=chunk.start,
            chunk_end=chunk.end,
            file_start=place_in_file(note, passage.start),
            file_end=place_in_file(note, passage.end),
            scores={stage: score.score if score else None for stage, score in by_stage.items()},
            ranks={stage: score.rank if score else None for stage, score in by_stage.items()},
            superseded_by=tuple(assemble(NoteReference, item, note_id=item.id) for item in hit.superseded_by),
            remarks=tuple(remarks(hit)),
            copies=tuple(
                CopyView(copy.note.id, copy.note.path, copy.chunk.index, copy.chunk.line or None) for copy in hit.copies
            ),
            sub_query=hit.asked,
            **more,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class DroppedHit(HitView):
    """A candidate that didn't become a hit, with the stage that dropped it."""

    lost_at: LostAt


@frozen
class PictureHitView(NoteReference):
    """A picture found by a search."""

    rank: int
    score: float
    picture: str
    start: int
    file_start: int | None
    kind: Literal["picture"] = "picture"

    @classmethod
    def from_hit(cls, hit: PictureHit) -> Self:
        note = hit.note
        return assemble(cls, hit, note, note_id=note.id, file_start=place_in_file(note, hit.start))


@frozen
class ResultView:
    """A search's hits, and how they were found. The problem fields are empty if there was no problem."""

    query: str
    mode: ResultMode
    level: Level
    level_reason: Message
    understood: Understood
    took_ms: float
    notices: tuple[Notice, ...]
    reranker: str
    rerank_problem: Text
    sub_queries: tuple[SubQueryResult, ...]
    decompositions: tuple[Decomposition, ...]
    decompose_problem: Text
    spelled: TextMap
    choice: LlmSelection | None
    confident: bool
    expired: int
    facets: tuple[Facet, ...]
    hits: tuple[HitView, ...]
    pictures: tuple[PictureHitView, ...]
    lost: tuple[DroppedHit, ...]

    @classmethod
    def from_result(cls, result: SearchResult) -> Self:
        return assemble(
            cls,
            result,
            level=result.classified.level,
            level_reason=result.classified.reason,
            took_ms=round(result.took_ms, 3),
            rerank_problem=result.rerank_problem or "",
            sub_queries=result.asked,
            decompose_problem=result.decompose_problem or "",
            hits=tuple(map(HitView.from_hit, result.hits)),
            pictures=tuple(map(PictureHitView.from_hit, result.pictures)),
            lost=tuple(DroppedHit.from_hit(dropped.hit, lost_at=dropped.stage) for dropped in result.lost),
        )


@frozen
class CitationView(NoteReference):
    """A numbered source in a context, with its position in the note's body and file."""

    number: int
    section: Texts
    start: int
    end: int
    file_start: int | None
    file_end: int | None
    page: int | None
    line: int | None
    picture: str | None


@frozen
class ContextView:
    """Passages as one block for a prompt. `left_out` is the number of hits that didn't fit into the token budget."""

    text: str
    tokens: int
    budget: int
    left_out: int
    confident: bool
    notices: tuple[Notice, ...]
    citations: tuple[CitationView, ...]


@frozen
class WhyNotView:
    """An explanation of why a note isn't a hit, with the stage that dropped it and the scores of its best chunk."""

    note_id: str
    path: str | None
    title: str
    stage: LostAt | None
    explanation: Message
    scores: Mapping[str, StageScore]
    chunk_index: int | None


# The result printed by `tessera search`, depending on its options.
SearchOutput = ResultView | ContextView | WhyNotView


_WORD = rf"(?=([{CJK}]{{2}}))|((?:(?![{CJK}])\w)+)"
# Maximum number of lines to print from a hit's passage.
SNIPPET = 6


def format_found(found: SearchOutput, *, full: bool = False, explain: bool = False) -> list[str]:
    """Return the lines printed by `tessera search`."""
    if isinstance(found, ContextView):
        return format_context(found)
    return details(found) if isinstance(found, WhyNotView) else format_result(found, full=full, explain=explain)


def format_context(context: ContextView) -> list[str]:
    if not context.text:
        return [say(NOTICES[notice]) for notice in context.notices] or [_("Nothing found.")]
    return [*([] if context.confident else [_("Nothing similar was found. The closest hits:"), ""]), context.text]


def format_result(result: ResultView, *, full: bool = False, explain: bool = False) -> list[str]:
    """Return the lines that show a result's hits.

    With `full`, whole passages are shown. With `explain`, scores and matching words are added.
    """
    printed = _format_head(result)
    if result.expired and not (result.hits and result.confident):
        printed.append(say(expired_notes(result.expired)))
    if result.hits and not result.confident:
        printed.append(_("Nothing similar was found. The closest hits:"))
    for hit in result.hits:
        text = hit.text.splitlines() if full else snippet_lines(hit, result.understood.text)
        fields = [
            message("{field}: {value}", field=NOTE_FIELDS[name].title, value=value)
            for name, value in classification(hit).items()
        ]
        printed += ["", *_format_hit(hit, explain=explain)]
        printed += [f"   {say(lines(*fields, separator=' · '))}"] if fields else []
        printed += [f"   ! {say(remark)}" for remark in hit.remarks]
        printed += [f"   {line}" for line in (*text, *hit.definitions)]
    if result.lost:
        printed += ["", _("Also considered:")]
    for dropped in result.lost:
        first, second = _format_hit(dropped, explain=explain)
        printed += [first, f"{second} [{say(LOST[dropped.lost_at])}]"]
    if result.pictures:
        printed += ["", _("Pictures:")]
    for picture in result.pictures:
        place = _("{path}, picture {picture}", path=f"{picture.base}: {picture.path}", picture=picture.picture)
        printed += [f"{picture.rank}. {picture.title}", f"   {place}"]
    return printed


_ROUND = sentence("round {round}: {text} ({why}; {found} found, {new} new)")


def _format_head(result: ResultView) -> list[str]:
    """Return the lines above the hits, which say how the search was done, and list problems and a model's choice."""
    head = lines(
        plural("{n} hit", "{n} hits", n=len(result.hits)),
        MODES[result.mode],
        LEVELS[result.level],
        *([message("reranking: {name}", name=result.reranker)] if result.reranker else []),
        message("{ms:.0f} ms", ms=result.took_ms),
        separator=" · ",
    )
    printed = [
        *map(say, (head, *(NOTICES[notice] for notice in result.notices), *ordering_lines(result.understood))),
        *(
            _(
                (
                    "No note contains '{word}', so '{nearest}' was searched for too. To search only for '{word}', "
                    "use --as-typed"
                ),
                word=word,
                nearest=nearest,
            )
            for word, nearest in result.spelled.items()
        ),
    ]
    if result.rerank_problem:
        printed.append(_("Not reranked: {reason}", reason=result.rerank_problem))
    if result.decompose_problem:
        printed.append(_("The question was broken down by rules instead: {reason}", reason=result.decompose_problem))
    printed += [line for sub_query in result.sub_queries for line in _ROUND(sub_query)]
    if choice := result.choice:
        printed += [say(choice.explanation), *choice.answer.splitlines()]
    return printed


def _format_hit(hit: HitView, *, explain: bool) -> Pair:
    where = " > ".join([hit.title, *hit.section[hit.section[:1] == (hit.title,) :]])
    place = f"{hit.path}:{hit.line}" if hit.line else hit.path
    scores = ", ".join(
        f"{say(STAGES.get(stage, stage))} {score:.3f}" for stage, score in hit.scores.items() if score is not None
    )
    matched = f"; {', '.join(hit.matched)}" if hit.matched else ""
    place = _("{path}, picture {picture}", path=place, picture=hit.picture) if hit.picture else place
    return f"{hit.rank}. {where}", f"   {hit.base}: {place}" + (f" ({scores}{matched})" if explain else "")


def snippet_lines(hit: HitView, question: str) -> list[str]:
    """Return up to SNIPPET consecutive lines of a hit, choosing those that contain the most words from the question.

    Blank lines are omitted, and so is the heading, which is printed above the snippet.
    """
    heading = re.compile(rf"#+\s+{re.escape(hit.section[-1])}\s*" if hit.section else "(?!)")
    every = [line for line in hit.text.splitlines() if line.strip()]
    every = [line for line in every if not heading.fullmatch(line)] or every
    wanted = {pair or word for pair, word in re.findall(_WORD, fold(question))} - STOP_WORDS
    matches = [{word for word in wanted if word in fold(line)} for line in every]
    start = max(range(max(1, len(every) - SNIPPET + 1)), key=lambda at: len(set().union(*matches[at : at + SNIPPET])))
    before = ["…"] * (start > 0)
    after = ["…"] * (start + SNIPPET < len(every))
    within = every[start : start + SNIPPET]
    return [*before, *within[len(before) : len(within) - len(after)], *after]


def format_sentence(sentence: Any) -> str:
    """Return a sentence of an answer, with a remark on how well the notes support it.

    An unsupported sentence is indented and followed by an explanation. A supported one is followed by its citations.
    """
    mark = say(MARKS[sentence.mark])
    if sentence.explanation:
        return f"  {sentence.text} ({mark}: {say(sentence.explanation)})"
    return f"{sentence.text} {''.join(f'[{number}]' for number in sentence.citations)} ({mark})"


Question = Annotated[
    str,
    About(
        'The question, which may contain "phrases", -words and filters such as tag:rust or after:2026-01-31.',
        searched=True,
    ),
]
_PLAIN = About("Search for the text exactly as typed. Quotation marks, -words and filters have no special meaning.")
# The parameters of a search, which are its filters and its settings.
OPTIONS: Parameters = (
    Parameter("bases", Names, About("Only notes in this base.", flag="base")),
    Parameter("tags", Names, About("Only notes with this tag.", flag="tag")),
    Parameter("path", str | None, About("Only notes under this path, or matching this pattern.")),
    Parameter("after", str | None, About("Only notes updated on or after this date.")),
    Parameter("before", str | None, About("Only notes updated before this date.")),
    Parameter("filters", Names, About("A filter as in the search box, such as type:guide.", flag="filter")),
    Parameter("plain", bool, _PLAIN, default=False),
    Parameter("as_typed", bool, About("Search for the exact words only, not for similar spellings."), default=False),
    *SEARCH,
)


@operation(
    "search.find",
    "Find the passages that answer a question, by meaning and by keyword.",
    http="POST /search",
    cli="search {query}",
    tool="knowledge_query",
    takes={"query": "where do we begin", "bases": ["work"], "limit": 5},
    fields=OPTIONS,
    lines=format_found,
)
def find(
    workspace: "Workspace",
    query: Question = "",
    explain: Annotated[bool, About("Show the words that match, and what else was considered.")] = False,
    **given: object,
) -> ResultView:
    chosen = options(workspace, given | {"explain": explain})
    result = workspace.search(query, **chosen)
    workspace.uses.found(result, chosen["filters"])
    return ResultView.from_result(result)


@operation(
    "search.context",
    "Combine the passages that answer a question into one text for a prompt, with numbered citations.",
    http="POST /context",
    cli="context {query}",
    tool="knowledge_context",
    takes={"query": "where do we begin", "budget": 1000},
    fields=OPTIONS,
    lines=format_context,
)
def context(
    workspace: "Workspace",
    query: Question = "",
    budget: Annotated[int | None, About("The maximum length of the context, in tokens.", least=1, most=100_000)] = None,
    **given: object,
) -> ContextView:
    built = workspace.context(query, budget=budget, **options(workspace, given))
    workspace.uses.cited(query, built)
    return assemble(
        ContextView,
        built,
        citations=tuple(
            assemble(
                CitationView,
                citation,
                citation.note,
                note_id=citation.note.id,
                file_start=place_in_file(citation.note, citation.start),
                file_end=place_in_file(citation.note, citation.end),
                page=citation.page or None,
                line=citation.line or None,
                picture=citation.picture or None,
            )
            for citation in built.citations
        ),
    )


_OneOrSeveral = str | list[str] | None
_CALLER = Annotated[
    AnyValues | None,
    About(
        "The types, tags and scopes of the task that the search is for.",
        parts=(
            Parameter("type", _OneOrSeveral, About("Only notes of this type, or of any of these types.")),
            Parameter(
                "tags",
                _OneOrSeveral,
                About(
                    "Only notes with any of these tags. Notes that match more of these tags rank higher.", flag="tag"
                ),
            ),
            Parameter("scope", _OneOrSeveral, About("Notes with this scope, or any of these scopes, rank higher.")),
        ),
    ),
]


@operation(
    "search.retrieve",
    (
        "Find passages for a task, only in notes with the task's type and tags. Notes that match more tags or "
        "the scope rank higher. Each hit shows how its score is made up."
    ),
    http="POST /retrieve",
    cli="retrieve {query}",
    tool="knowledge_retrieve",
    takes={"query": "where do we begin", "context": {"tags": ["plan"], "scope": "work"}},
    lines=format_result,
)
def retrieve(
    workspace: "Workspace",
    query: Question = "",
    context: _CALLER = None,
    bases: Annotated[Names, About("Only notes in this base.", flag="base")] = None,
    limit: Annotated[int | None, About("The maximum number of hits.", least=1, most=100)] = None,
    plain: Annotated[bool, _PLAIN] = False,
) -> ResultView:
    result = workspace.retrieve(query, context, bases=bases, limit=limit, plain=plain)
    workspace.uses.found(result)
    return ResultView.from_result(result)


@operation(
    "search.why_not",
    "Explain why a note isn't among the hits for a question.",
    http="POST /why-not",
    cli="search {query} --why-not {note}",
    by_hand="cli",
    takes={"query": "roadmap", "note": "plans/roadmap.md"},
    fields=OPTIONS,
)
def why_not(workspace: "Workspace", query: Question, note: NoteName, **given: object) -> WhyNotView:
    why_not = workspace.searching.why_not(query, note, **options(workspace, given))
    item = why_not.note
    return assemble(
        WhyNotView,
        why_not,
        item,
        note_id=item.id,
        explanation=why_not.message,
        chunk_index=why_not.chunk.index if why_not.chunk else None,
    )


def options(workspace: "Workspace", given: AnyMap) -> SearchOptions:
    """Return search options built from values for OPTIONS. Raises QueryError if a filter is invalid."""
    chosen = {name: given[name] for name in ("bases", "tags", "path", "after", "before") if given.get(name)}
    return cast(
        SearchOptions,
        {
            "filters": workspace.searching.filters(**chosen, terms=given.get("filters") or ()),
            **SearchSettings.from_values(given).chosen(),
            **{name: given.get(name, False) for name in ("as_typed", "explain", "plain")},
        },
    )
