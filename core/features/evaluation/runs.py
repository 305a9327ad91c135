"""Run question sets with pipelines, parse pipelines from strings, and diagnose why passages were missed."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import asdict, dataclass, fields, replace
from functools import partial
from typing import cast, get_args

from pydantic import TypeAdapter, ValidationError

from core import chunking, embedding
from core.base.call_log import skip_log
from core.base.datetimes import utc_now
from core.base.errors import ConfigError, QueryError, QuestionSetError, StoreError, UnknownChoice
from core.base.frozen import AnyValues, Values
from core.base.jobs import stop_check
from core.base.text import query_keywords
from core.features.evaluation import comparison, golds, scoring
from core.features.evaluation.run_table import RunTable
from core.features.evaluation.scoring import FOUND_SHARE, coverage
from core.indexing.base_copies import Scratch
from core.indexing.models import Models
from core.model import (
    DEPTH,
    PARTS,
    Answer,
    AnswersBy,
    Chunk,
    ChunkingOptions,
    Diagnosis,
    Filters,
    GivenAnswer,
    GoldSpan,
    JudgedBy,
    KnowledgeBase,
    Measured,
    NoteSummary,
    Passage,
    Pipeline,
    Progress,
    Question,
    QuestionResult,
    QuestionSet,
    Run,
    SearchOptions,
    SearchResult,
    SearchSettings,
    no_progress,
)
from core.providers.chat import Chat
from core.providers.connection import Stop
from core.query.synonyms import SynonymsFile
from core.retrieval.engine import SearchEngine
from core.retrieval.reasons import Reasons
from core.settings.config import Settings
from core.settings.errors import problem_of
from core.settings.sections import ChunkingSettings
from core.store import Store

_CUTTING = tuple(field.name for field in fields(ChunkingOptions))
# Pipeline settings for which a language model can be chosen, with all their choices.
_BY_MODEL = {"answers": get_args(AnswersBy), "judge": get_args(JudgedBy)}
_NAMES = (*_CUTTING, "embedder", *_BY_MODEL, *PARTS)
_SEARCH = TypeAdapter(SearchSettings)


def parse(spec: str, start: Pipeline, chunking: ChunkingOptions) -> Pipeline:
    """Return a copy of the pipeline `start` with the settings in `spec`. `spec` becomes the copy's name.

    `chunking` contains the base's own chunking options. Raises UnknownChoice if a setting is unknown, and ConfigError
    if a value is invalid.
    """
    settings: AnyValues = {}
    for part in filter(str.strip, spec.split(",")):
        name, _, value = (piece.strip() for piece in part.partition("="))
        if not value:
            raise ConfigError("'{part}' isn't a setting with a value. Write it like chunk_size=256.", part=part.strip())
        if name not in _NAMES:
            raise UnknownChoice("setting", name, _NAMES)
        if value not in _BY_MODEL.get(name, (value,)):
            raise UnknownChoice("setting", value, _BY_MODEL[name])
        settings[name] = value
    if not settings:
        raise ConfigError("This setup contains no settings. Write it like chunk_size=256,reranker=none.")
    cut, search, others = (
        {name: value for name, value in settings.items() if name in names}
        for names in (_CUTTING, PARTS, ("embedder", *_BY_MODEL))
    )
    try:
        if cut:
            others["chunking"] = ChunkingOptions(
                **ChunkingSettings.model_validate(asdict(start.chunking or chunking) | cut).model_dump()
            )
        chosen = _SEARCH.validate_python(search).over(start.search)
    except ValidationError as error:
        first = error.errors()[0]
        raise ConfigError(
            "The setting '{name}' is not valid: {reason}.", name=str(first["loc"][0]), reason=problem_of(first)
        ) from error
    return replace(start, search=chosen, name=spec.strip(), **others)


def index_of(base: KnowledgeBase, pipeline: Pipeline) -> tuple[ChunkingOptions, str]:
    """Return the chunking options and the embedder that a pipeline uses for a base."""
    return pipeline.chunking or base.chunking, pipeline.embedder or base.embedder


def is_own(base: KnowledgeBase, pipeline: Pipeline) -> bool:
    """Return whether a pipeline uses the base's own chunking and embedder."""
    return index_of(base, pipeline) == (base.chunking, base.embedder)


def search_options(base: KnowledgeBase, pipeline: Pipeline) -> SearchOptions:
    """Return the options for searching a base with a pipeline."""
    chosen = pipeline.search.over(SearchSettings(limit=DEPTH)).chosen()
    return cast(SearchOptions, chosen | {"filters": Filters(bases=(base.name,))})


# Diagnose why correct passages were missed, based on the chunks that contain them.


def diagnose(store: Store, reasons: Reasons, golds: Sequence[tuple[int, GoldSpan]]) -> list[Diagnosis]:
    """Diagnose why correct passages were missed. `golds` contains pairs (number in the question, passage).

    A passage counts as found, and is left out, if at least FOUND_SHARE of its characters are in hits. If several chunks
    contain enough of a passage, the diagnosis is about the chunk that got furthest in the search.
    """
    cards = store.notes.cards_of({gold.note_id for _, gold in golds})
    chunks = {note_id: store.chunks.by_rowid(store.chunks.rowids_of(note_id)) for note_id in cards}
    missed = []
    for number, gold in golds:
        if gold.flagged or gold.note_id not in cards:
            missed.append(Diagnosis(number, "gone"))
        elif _share(gold, [hit.passage for hit in reasons.result.hits if hit.note.id == gold.note_id]) < FOUND_SHARE:
            missed.append(_missed(reasons, cards[gold.note_id], chunks[gold.note_id], number, gold))
    return missed


def _missed(reasons: Reasons, note: NoteSummary, chunks: Mapping[int, Chunk], number: int, gold: GoldSpan) -> Diagnosis:
    """Diagnose why a passage was missed, based on its note's chunks."""
    holding = {rowid: chunk for rowid, chunk in chunks.items() if _holds(chunk, gold)}
    shares = {chunk.id: _share(gold, [chunk]) for chunk in holding.values()}
    most = min(holding.values(), key=lambda chunk: (-shares[chunk.id], chunk.index), default=None)
    if most is None or _share(gold, [*holding.values()]) < FOUND_SHARE:
        held = (shares[most.id], most.id) if most else ()
        return Diagnosis(number, "not_indexed", *held)
    # Consider all chunks that contain enough of the passage. If there are none, consider those with the largest share.
    enough = min(FOUND_SHARE, shares[most.id])
    outcome = reasons.why_not(note, {rowid: chunk for rowid, chunk in holding.items() if shares[chunk.id] >= enough})
    stage = "cut_apart" if enough < FOUND_SHARE or outcome.stage is None else outcome.stage
    chunk = outcome.chunk or most
    return Diagnosis(number, stage, shares[chunk.id], chunk.id, outcome.scores)


def _holds(chunk: Chunk, gold: GoldSpan) -> bool:
    """Return whether a chunk contains part of a passage.

    An edited chunk must also contain enough of that part's words.
    """
    start = max(chunk.start, gold.start)
    end = min(chunk.end, gold.end)
    if start >= end:
        return False
    piece = gold.quote[start - gold.start : end - gold.start]
    words, held = (set(query_keywords(text, limit=len(text))) for text in (piece, chunk.text))
    return not chunk.edited or len(words & held) >= FOUND_SHARE * len(words)


def _share(gold: GoldSpan, parts: Sequence[Chunk | Passage]) -> float:
    """Return the share of a passage's characters covered by parts of its note."""
    return coverage(("", gold.start, gold.end), [("", part.start, part.end) for part in parts])


# A function that answers a search result's query. The function raises Cancelled if it is stopped.
Answerer = Callable[[SearchResult, Stop], Answer]
# A function that creates an answerer from a store and a search engine.
#
# The third argument says whether a language model should write the answers.
AnswererFactory = Callable[[Store, SearchEngine, bool], Answerer]


@dataclass(eq=False)
class Runs:
    """Runs question sets in a workspace, and stores, compares and reports the results."""

    is_own = staticmethod(is_own)
    side_by_side = staticmethod(comparison.side_by_side)
    figures = staticmethod(comparison.figures)
    settings_table = staticmethod(comparison.settings)
    kinds_table = staticmethod(comparison.kinds)
    report = staticmethod(comparison.report)

    _store: Store
    _settings: Settings
    _models: Models
    _synonyms: SynonymsFile
    _answerer: AnswererFactory

    def __post_init__(self) -> None:
        self._table = RunTable(self._store.database)
        self.scratch = Scratch(self._store)
        self._under_way = set[str]()

    def _searching_of(self, store: Store) -> SearchEngine:
        """Return a search engine without caches, so that each question is measured independently."""
        return SearchEngine(store, self._settings, self._models, self._synonyms, cached=False)

    # pipelines

    def variants(self, base: str, search: SearchSettings, compare: str | None) -> list[Pipeline]:
        """Return a pipeline with the given settings, followed by the pipeline to compare with it, if any.

        Raises the same errors as `parse`.
        """
        start = Pipeline(search=search)
        return [start, *([parse(compare, start, self._store.bases.named(base).chunking)] if compare else [])]

    # runs

    @skip_log()
    def measure(
        self,
        base: str,
        questions: Sequence[Question],
        pipelines: Sequence[Pipeline],
        progress: Progress = no_progress,
        *,
        name: str = "questions",
    ) -> list[Measured]:
        """Ask questions from a file with several pipelines, and return the results. The results aren't stored.

        `name` is the file name to use in messages. Raises the same errors as `run`.
        """
        named = self._store.bases.named(base)
        self._check(questions, named, name)
        measured = list[Measured]()
        for run, part in self._plan(named, "", "", pipelines, len(questions), progress):
            results = [result for _, result in self._answers(named, run.pipeline, dict(enumerate(questions)), part)]
            run = replace(
                run, id=f"{len(measured)}", asked=len(results), ended_at=utc_now(), metrics=scoring.summarise(results)
            )
            measured.append((run, results))
        return measured

    def run(
        self, question_set: QuestionSet, pipelines: Sequence[Pipeline], progress: Progress = no_progress
    ) -> list[Run]:
        """Ask a question set's questions with several pipelines in turn, and store the results.

        Suggested questions, and questions whose correct passages are gone, are skipped. If `progress` raises Cancelled,
        the results so far are kept, and `resume` can continue the run. Raises QuestionSetError if there is no usable
        question. If a pipeline is invalid, its error is raised before the first question is asked. Building a temporary
        index for a pipeline may fail later.
        """
        base = self._store.base(question_set.base_id)
        questions = self.to_ask(question_set)
        planned = self._plan(base, question_set.id, question_set.name, pipelines, len(questions), progress)
        return [self._go_on(self._table.begin(run), questions, {}, part) for run, part in planned]

    def resume(self, run_id: str, progress: Progress = no_progress) -> Run:
        """Ask the remaining questions in a stopped evaluation run, and return the run.

        Raises RunNotFound. Raises ConfigError if the notes, settings or questions have changed, because then the two
        parts of the run wouldn't be comparable.
        """
        run = self._table.run(run_id)
        if run.ended_at is not None:
            return run
        base = self._store.base(run.base_id)
        question_set = self._store.questions.find(run.set_id)
        done = self._table.results(run_id)
        questions = self.to_ask(question_set) if question_set else []
        if (
            len(questions) != run.questions
            or not all(_is_of(questions[number], result) for number, result in done.items())
            or (run.index_version, run.settings) != self._state(base, run.pipeline)
        ):
            raise ConfigError(
                "The notes, the settings or the questions have changed since this test run was stopped. Run the "
                "question set again."
            )
        return self._go_on(run, questions, done, progress)

    def to_ask(self, question_set: QuestionSet) -> list[Question]:
        """Return the questions in a question set that an evaluation run would ask.

        Raises QuestionSetError if a question is invalid, or if there are no questions to ask.
        """
        questions = [
            question
            for question in golds.resolve(self._store, question_set)
            if not question.suggested and not scoring.is_lost(question)
        ]
        if not questions:
            raise QuestionSetError(
                question_set.name,
                0,
                (
                    "there are no questions to ask. Add questions, accept suggested ones, or choose a correct "
                    "passage for questions that have none."
                ),
            )
        self._check(questions, self._store.base(question_set.base_id), question_set.name)
        return questions

    def all(self, base: str) -> list[Run]:
        """Return the evaluation runs on a base, newest first."""
        return self._table.for_base(self._store.bases.named(base))

    def results(self, run_id: str) -> list[QuestionResult]:
        """Return an evaluation run's results, one for each question. Raises RunNotFound."""
        return list(self._table.results(self._table.run(run_id).id).values())

    def measured(self, run_ids: Iterable[str]) -> list[Measured]:
        """Return evaluation runs with their results. Raises RunNotFound."""
        return [(self._table.run(run_id), self.results(run_id)) for run_id in run_ids]

    def is_under_way(self, run: Run) -> bool:
        """Return whether this process is currently asking an evaluation run's questions."""
        return run.id in self._under_way

    def is_current(self, run: Run) -> bool:
        """Return whether the searchable data is the same as when an evaluation run started."""
        return run.index_version == self._store.database.version()

    def delete_for_good(self, run_ids: Iterable[str]) -> None:
        """Permanently delete evaluation runs. If any of them doesn't exist, raise RunNotFound and delete none."""
        self._table.delete([self._table.run(run_id).id for run_id in run_ids])

    # helpers

    def _check(self, questions: Sequence[Question], base: KnowledgeBase, name: str) -> None:
        """If any questions can't be searched for, raise a single QuestionSetError that lists them."""
        problems = []
        searching = self._searching_of(self._store)
        options = search_options(base, Pipeline())
        for question in questions:
            try:
                searching.prepare(question.text, options)
            except QueryError as error:
                problems.append(golds.problem_of(question, error))
        golds.raise_any(name, problems)

    def _plan(
        self,
        base: KnowledgeBase,
        set_id: str,
        set_name: str,
        pipelines: Sequence[Pipeline],
        count: int,
        progress: Progress,
    ) -> Iterator[tuple[Run, Progress]]:
        """Yield an evaluation run and its progress function for each pipeline.

        If a pipeline is invalid, its error is raised before the first run.
        """
        for number, (version, settings) in enumerate([self._state(base, pipeline) for pipeline in pipelines]):
            run = Run("", base.id, set_id, set_name, pipelines[number], settings, version, utc_now(), None, count)
            yield run, _part(progress, number, len(pipelines))

    def _state(self, base: KnowledgeBase, pipeline: Pipeline) -> tuple[int, Values]:
        """Return the database version and a pipeline's complete settings.

        Raises ConfigError if the settings are invalid.
        """
        options, embedder = index_of(base, pipeline)
        if pipeline.embedder and not base.has_vectors:
            raise ConfigError(
                "The base '{base}' is searched only by keyword, so a setup can't have a model for searching by "
                "meaning.",
                base=base.name,
            )
        if not is_own(base, pipeline):
            embedding.build(embedder)
            chunking.check(options, base.chunking)
        search = self._searching_of(self._store).prepare("any", search_options(base, pipeline)).query.settings
        by_model = {
            name: Chat(self._settings.llm).server.model for name in _BY_MODEL if getattr(pipeline, name) == "model"
        }
        return self._store.database.version(), asdict(options) | {"embedder": embedder} | asdict(search) | by_model

    @skip_log()
    def _go_on(
        self, run: Run, questions: Sequence[Question], done: dict[int, QuestionResult], progress: Progress
    ) -> Run:
        """Ask an evaluation run's remaining questions. Each result is stored immediately, and added to `done`."""
        base = self._store.base(run.base_id)
        left = {number: question for number, question in enumerate(questions) if number not in done}
        self._under_way.add(run.id)
        try:
            for number, result in self._answers(base, run.pipeline, left, progress):
                done[number] = result
                self._table.add(run, {number: result}, run.metrics)
        except BaseException:
            with suppress(StoreError):  # the original error is more informative
                self._table.add(run, {}, scoring.summarise(list(done.values())))
            raise
        finally:
            self._under_way.discard(run.id)
        return self._table.add(run, {}, scoring.summarise(list(done.values())), utc_now())

    def _answers(
        self, base: KnowledgeBase, pipeline: Pipeline, questions: Mapping[int, Question], progress: Progress
    ) -> Iterator[tuple[int, QuestionResult]]:
        """Ask questions one by one, and yield the results.

        A miss is diagnosed at once, because the notes may change later.
        """
        options = search_options(base, pipeline)
        llm = self._settings.llm
        judge = Chat(llm) if pipeline.judge == "model" else None
        asking = progress
        place: AbstractContextManager[Store] = nullcontext(self._store)
        if not is_own(base, pipeline):
            asking = _part(progress, 1, 2)
            place = self.scratch.opened(base, *index_of(base, pipeline), _part(progress, 0, 2))
        with place as store:
            searching = self._searching_of(store)
            answerer = self._answerer(store, searching, pipeline.answers == "model")

            def search(text: str) -> SearchResult:
                return searching.answer(searching.prepare(text, options))

            def answer(found: SearchResult, stop: Stop) -> GivenAnswer:
                return scoring.given_answer(store, answerer(found, stop))

            # Load the models before measuring the first question.
            searching.answer(searching.prepare("any", {**options, "choose": False}))
            for count, (number, question) in enumerate(questions.items()):
                step = partial(asking, count, len(questions), question.text)
                step()
                stop = stop_check(lambda *_, step=step: step())
                result = scoring.ask(
                    question, search, None if pipeline.answers == "none" else partial(answer, stop=stop)
                )
                if judge and result.given and result.given.text and (result.wished or result.golds):
                    result = replace(
                        result,
                        given=replace(result.given, judged=scoring.judge(judge, result, llm.input_characters, stop)),
                    )
                if not result.negative and result.found_rank is None:
                    with searching.explained(question.text, options) as reasons:
                        result = replace(
                            result, diagnoses=tuple(diagnose(store, reasons, list(enumerate(result.golds))))
                        )
                yield number, result


def _is_of(question: Question, result: QuestionResult) -> bool:
    """Return whether a result belongs to a question in its current form."""
    golds = frozenset((gold.path, gold.quote) for gold in scoring.remaining_golds(question))
    return (question.id, question.text, question.any, golds) == result.identity and question.answer == result.wished


def _part(progress: Progress, number: int, of: int) -> Progress:
    """Return the progress function for one of several equal parts of a job."""
    return lambda done, total, what: progress(number + done / max(1, total), of, what)
