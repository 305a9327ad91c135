"""Runs of question sets: what each way to search finds of the right passages."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import asdict, replace
from datetime import UTC, datetime
from functools import partial
from typing import cast

from core import chunking, evaluation
from core.embedding import Embedder
from core.errors import ConfigError, QueryError, QuestionSetError, StoreError
from core.evaluation import advice, golds
from core.evaluation.advice import Advice
from core.evaluation.problems import Problems
from core.evaluation.sidebyside import BY_BUDGET, Brought, SideBySide, alone, side_by_side
from core.model import (
    Filters,
    KnowledgeBase,
    Pipeline,
    Progress,
    Question,
    QuestionResult,
    QuestionSet,
    Run,
    SearchResult,
    unheard,
)
from core.scratch import Scratch
from core.searching import Searching, SearchOptions
from core.store import Store

_TOGETHER = 25
"""Questions whose results are written together: what a kill loses at most."""


class Evaluating:
    """Runs and what follows from them.

    `searching_of` makes what answers questions from a store's notes, `build` an embedder by its name.
    """

    def __init__(
        self,
        store: Store,
        searching_of: Callable[[Store], Searching],
        build: Callable[[str], Embedder],
    ) -> None:
        self._store = store
        self._searching_of = searching_of
        self._build = build
        self.scratch = Scratch(store, build)
        self._under_way: set[str] = set()

    # runs

    def measure(
        self,
        base: str,
        asked: Sequence[Question],
        pipelines: Sequence[Pipeline],
        progress: Progress = unheard,
        *,
        name: str = "questions",
    ) -> list[Brought]:
        """Ask questions whose right passages are placed, in several ways, keeping nothing, and return what they bring.

        `name` is the questions' file, for messages. Raises what `run` does.
        """
        named = self._store.notes.base(base)
        self._check(asked, named, name)
        brought: list[Brought] = []
        for number, run in enumerate(self._new(named, "", "", pipelines, len(asked))):
            told = _part(progress, number, len(pipelines))
            results = [result for _, result in self._answers(named, run.pipeline, dict(enumerate(asked)), told)]
            run = replace(
                run,
                id=f"{number}",
                asked=len(results),
                ended_at=datetime.now(UTC),
                metrics=evaluation.summarise(results),
            )
            brought.append((run, results))
        return brought

    def run(self, kept: QuestionSet, pipelines: Sequence[Pipeline], progress: Progress = unheard) -> list[Run]:
        """Ask a set in several ways, one after the other, and keep what each brings.

        Suggested questions, and those whose right passages are gone, aren't asked. On Cancelled what was asked
        stays, and `resume` goes on. Raises QuestionSetError for a set without a question to ask, and, before anything
        is asked, what a search by the pipelines raises; later what making a place beside the base does.
        """
        base, asked = self._store.notes.base_of(kept.base_id), self.to_ask(kept)
        runs = []
        for number, run in enumerate(self._new(base, kept.id, kept.name, pipelines, len(asked))):
            begun = self._store.runs.begin(replace(run, started_at=datetime.now(UTC)))
            runs.append(self._go_on(begun, asked, {}, _part(progress, number, len(pipelines))))
        return runs

    def resume(self, run_id: str, progress: Progress = unheard) -> Run:
        """Ask what a stopped run hasn't asked yet.

        Raises ConfigError where the notes, the settings or the questions changed since, for then the two halves
        can't be compared, and RunNotFound.
        """
        run = self._store.runs.run(run_id)
        if run.ended_at is not None:
            return run
        base = self._store.notes.base_of(run.base_id)
        kept = next((one for one in self._store.questions.sets(base) if one.id == run.set_id), None)
        done = self._store.runs.results(run_id)
        asked = self.to_ask(kept) if kept else []
        same = len(asked) == run.questions and all(_is_of(asked[number], result) for number, result in done.items())
        if not same or (run.index_version, run.settings) != self._state(base, run.pipeline):
            raise ConfigError(
                "The notes, the settings or the questions changed since this run was stopped. Run the set again."
            )
        return self._go_on(run, asked, done, progress)

    def to_ask(self, kept: QuestionSet) -> list[Question]:
        """Return the questions of a set that a run asks; raises QuestionSetError where there is none, or a bad one."""
        asked = [one for one in golds.resolve(self._store, kept) if not one.suggested and not evaluation.is_lost(one)]
        if not asked:
            reason = (
                "there is no question to ask. Add some, accept suggested ones, or mend those whose passage is gone."
            )
            raise QuestionSetError(kept.name, 0, reason)
        self._check(asked, self._store.notes.base_of(kept.base_id), kept.name)
        return asked

    def runs(self, base: str) -> list[Run]:
        """Return the runs on a base, the newest first."""
        return self._store.runs.of(self._store.notes.base(base))

    def results(self, run_id: str) -> list[QuestionResult]:
        """Return what the questions of a run brought."""
        return list(self._store.runs.results(run_id).values())

    def is_under_way(self, run: Run) -> bool:
        """Return whether this process is asking a run's questions now."""
        return run.id in self._under_way

    def is_current(self, run: Run) -> bool:
        """Return whether nothing that searches find has changed since a run was begun."""
        return run.index_version == self._store.database.version()

    def delete_runs(self, run_ids: Iterable[str]) -> None:
        self._store.runs.delete(run_ids)

    def shown(self, run_ids: Sequence[str], metric: str | None = None) -> SideBySide:
        """Return runs next to each other, the first as what the others are compared with, or one by itself.

        Raises ConfigError for runs that can't be compared, UnknownChoice for a metric, RunNotFound.
        """
        brought = [(self._store.runs.run(run_id), self.results(run_id)) for run_id in run_ids]
        return alone(*brought[0], metric) if len(brought) == 1 else side_by_side(brought, metric)

    # advice

    def as_it_is(self, base: str) -> Pipeline:
        """Return how a base is cut and searched, with what it leaves to the settings: what a grid starts from."""
        own = self._store.notes.base(base)
        asked = self._searching_of(self._store).settings(_options(own, Pipeline()))
        names = ("semantic_weight", "reranker", "rerank_weight")
        return Pipeline(chunking=own.chunking, **{name: asked[name] for name in names})  # type: ignore[arg-type]

    def advise(self, run_ids: Sequence[str], metric: str = BY_BUDGET) -> Advice[str]:
        """Return what the runs of a grid advise, by run id; the first is the base as it is."""
        return advice.of_runs([(self._store.runs.run(run_id), self.results(run_id)) for run_id in run_ids], metric)

    # within

    def _check(self, asked: Sequence[Question], base: KnowledgeBase, name: str) -> None:
        """Raise one QuestionSetError that lists the questions that no search can be asked."""
        problems = Problems(name)
        searching, options = self._searching_of(self._store), _options(base, Pipeline())
        for question in asked:
            try:
                searching.settings(options, question.text)
            except QueryError as error:
                problems.add(question.line, f"question '{question.id}': {error}")
        problems.raise_any()

    def _new(
        self, base: KnowledgeBase, set_id: str, set_name: str, pipelines: Sequence[Pipeline], count: int
    ) -> list[Run]:
        """A run for each pipeline, all of which can be."""
        now = datetime.now(UTC)
        runs = []
        for pipeline in pipelines:
            version, settings = self._state(base, pipeline)
            runs.append(Run("", base.id, set_id, set_name, pipeline, settings, version, now, None, count))
        return runs

    def _state(self, base: KnowledgeBase, pipeline: Pipeline) -> tuple[int, dict[str, object]]:
        """The version of what searches find, and the pipeline's settings with what it leaves open."""
        options, embedder = pipeline.chunking or base.chunking, pipeline.embedder or base.embedder
        if not _is_own(base, pipeline):
            chunking.build(options, self._build(embedder).tokens)
        asked = self._searching_of(self._store).settings(_options(base, pipeline))
        return self._store.database.version(), asdict(options) | {"embedder": embedder} | asked

    def _go_on(self, run: Run, asked: Sequence[Question], done: dict[int, QuestionResult], progress: Progress) -> Run:
        """Ask what isn't done and keep it, a few questions at a time."""
        base = self._store.notes.base_of(run.base_id)
        left = {number: question for number, question in enumerate(asked) if number not in done}
        every, fresh = dict(done), dict[int, QuestionResult]()
        self._under_way.add(run.id)
        try:
            for number, result in self._answers(base, run.pipeline, left, progress):
                every[number] = fresh[number] = result
                if len(fresh) == _TOGETHER:
                    self._keep(run, fresh, every)
                    fresh.clear()
        except BaseException:
            # Whatever it was, what was asked stays; where that can't be kept, the first error is the one to tell.
            with suppress(StoreError):
                self._keep(run, fresh, every)
            raise
        finally:
            self._under_way.discard(run.id)
        return self._keep(run, fresh, every, ended_at=datetime.now(UTC))

    def _keep(
        self,
        run: Run,
        fresh: Mapping[int, QuestionResult],
        every: Mapping[int, QuestionResult],
        *,
        ended_at: datetime | None = None,
    ) -> Run:
        return self._store.runs.add(run, fresh, evaluation.summarise([*every.values()]), ended_at)

    def _answers(
        self, base: KnowledgeBase, pipeline: Pipeline, asked: Mapping[int, Question], progress: Progress
    ) -> Iterator[tuple[int, QuestionResult]]:
        """Ask questions one after the other; why one isn't answered is found out at once, for the notes will change."""
        options = _options(base, pipeline)
        asking = progress if _is_own(base, pipeline) else _part(progress, 1, 2)
        with self._place(base, pipeline, _part(progress, 0, 2)) as store:
            searching = self._searching_of(store)
            searching.search("any", options)  # the first question shall not wait for the models
            for count, (number, question) in enumerate(asked.items()):
                asking(count, len(asked), question.text)
                result = evaluation.asked(question, partial(_search, searching, options))
                if not result.negative and result.found_rank is None:
                    missed = tuple(searching.diagnose(question.text, list(enumerate(result.golds)), options))
                    result = replace(result, diagnoses=missed)
                yield number, result

    def _place(self, base: KnowledgeBase, pipeline: Pipeline, progress: Progress) -> AbstractContextManager[Store]:
        if _is_own(base, pipeline):
            return nullcontext(self._store)
        options, embedder = pipeline.chunking or base.chunking, pipeline.embedder or base.embedder
        return self.scratch.opened(base, options, embedder, progress)


def _is_own(base: KnowledgeBase, pipeline: Pipeline) -> bool:
    """Whether a pipeline's notes are cut and embedded as the base has them."""
    return pipeline.chunking in (None, base.chunking) and pipeline.embedder in ("", base.embedder)


def _is_of(question: Question, result: QuestionResult) -> bool:
    """Whether a result is of a question as it is now."""
    now = (question.id, question.text, question.any, {(gold.path, gold.quote) for gold in evaluation.left(question)})
    return now == (result.id, result.question, result.any, {(gold.path, gold.quote) for gold in result.golds})


def _part(progress: Progress, number: int, of: int) -> Progress:
    """The progress of one of several like parts of a work."""
    return lambda done, total, what: progress(number + done / max(1, total), of, what)


def _options(base: KnowledgeBase, pipeline: Pipeline) -> SearchOptions:
    chosen = {name: getattr(pipeline, name) for name in SearchOptions.__annotations__ if hasattr(pipeline, name)}
    return cast(SearchOptions, chosen | {"filters": Filters(bases=(base.name,))})


def _search(searching: Searching, options: SearchOptions, question: Question) -> SearchResult:
    return searching.search(question.text, options)
