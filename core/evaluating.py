"""Question sets on a base, and runs of them: what each way to search finds of the right passages."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import asdict, replace
from datetime import UTC, datetime
from functools import partial
from typing import cast

from core import chunking, evaluation
from core.config import Settings
from core.embedding import Embedder
from core.errors import ConfigError, QueryError, QuestionSetError, StoreError, UnknownChoice
from core.evaluation import advice, golds, questions, sheets, suggestions
from core.evaluation.advice import Advice
from core.evaluation.problems import Problems
from core.evaluation.sidebyside import BY_BUDGET, Brought, SideBySide, alone, side_by_side
from core.model import (
    Filters,
    GoldSpan,
    Hit,
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
from core.providers.chat import Chat
from core.scratch import Scratch
from core.searching import Searching, SearchOptions
from core.store import Store

_TOGETHER = 25
"""Questions whose results are written together: what a kill loses at most."""

SUGGESTED = 20
"""Questions that are suggested at a time."""


class Evaluating:
    """Question sets, runs and what follows from them.

    `searching_of` makes what answers questions from a store's notes, `build` an embedder by its name.
    """

    def __init__(
        self,
        store: Store,
        settings: Settings,
        searching_of: Callable[[Store], Searching],
        build: Callable[[str], Embedder],
    ) -> None:
        self._store = store
        self._settings = settings
        self._searching_of = searching_of
        self._build = build
        self.scratch = Scratch(store, build)
        self._under_way: set[str] = set()

    # question sets

    def sets(self, base: str) -> list[QuestionSet]:
        """Return the question sets of a base."""
        return self._store.questions.sets(self._store.notes.base(base))

    def named_set(self, base: str, name: str) -> QuestionSet:
        """Return the question set of this name; raises UnknownChoice that lists those there are."""
        return self._store.questions.named(self._store.notes.base(base), name)

    def add_set(self, base: str, name: str) -> QuestionSet:
        """Make an empty set; raises ConfigError for a name that can't be or is taken."""
        return self._store.questions.add_set(self._store.notes.base(base), name)

    def rename_set(self, kept: QuestionSet, name: str) -> QuestionSet:
        return self._store.questions.rename_set(kept, name)

    def delete_set(self, kept: QuestionSet) -> None:
        """Delete a set with its questions; its runs stay."""
        self._store.questions.delete_set(kept)

    def questions(self, kept: QuestionSet) -> list[Question]:
        """Return a set's questions with their right passages where they are now; those that are gone are flagged."""
        return golds.resolve(self._store, kept)

    def read(self, base: str, data: bytes, name: str) -> list[Question]:
        """Return the questions of a file with their right passages placed in a base; raises QuestionSetError."""
        return questions.read(self._store, self._store.notes.base(base), data, name)

    def add_file(self, base: str, set_name: str, data: bytes, name: str) -> QuestionSet:
        """Add the questions of a file to a set, made where there is none of this name, all or none.

        Raises one QuestionSetError that lists what can't be taken.
        """
        known = next((kept for kept in self.sets(base) if kept.name == set_name.strip()), None)
        taken = {one.id for one in self._store.questions.of(known)} if known else ()
        found = questions.read(self._store, self._store.notes.base(base), data, name, taken=taken)
        if known is None:
            return self._store.questions.add_set(self._store.notes.base(base), set_name, found)
        self._store.questions.add(known, found)
        return self.named_set(base, known.name)

    def export(self, kept: QuestionSet, *, table: bool = False) -> bytes:
        """Return a set as JSON lines, or as a `table`, CSV, which an import reads."""
        told = golds.told(self._store, self.questions(kept))
        return sheets.dump(told) if table else questions.dump(told)

    def add_questions(self, kept: QuestionSet, added: Iterable[Question]) -> list[Question]:
        """Add questions, all or none; one without an id gets one."""
        return self._store.questions.add(kept, added)

    def edit_question(self, kept: QuestionSet, question_id: str, question: Question) -> None:
        """Put a question in the place of one."""
        self._store.questions.edit(kept, question_id, question)

    def delete_questions(self, kept: QuestionSet, question_ids: Collection[str]) -> int:
        return self._store.questions.delete(kept, question_ids)

    def accept(self, kept: QuestionSet, question_ids: Collection[str]) -> int:
        """Make suggested questions the set's own."""
        return self._store.questions.accept(kept, question_ids)

    def reject(self, kept: QuestionSet, question_ids: Collection[str]) -> int:
        """Delete questions that are still suggested."""
        return self._store.questions.reject(kept, question_ids)

    def suggest(
        self, kept: QuestionSet, count: int = SUGGESTED, *, by_model: bool = False, progress: Progress = unheard
    ) -> list[Question]:
        """Add questions that the notes answer, as suggestions, by rules or by the language model of the settings.

        What the set has already is left out. Raises ProviderError and ConfigError where the model can't be asked.
        """
        base = self._base_named(kept.base_id)
        there = {one.id for one in self._store.questions.of(kept)}
        texts = {one.text for one in self._store.questions.of(kept)}
        cards = self._store.notes.cards(Filters(bases=(base.name,)))
        notes = (self._store.notes.note(card.id) for card in cards)
        wanted = count + len(there)
        if by_model:
            found = suggestions.suggest_by_model(
                notes,
                Chat(self._settings.llm),
                wanted,
                characters=self._settings.llm.input_characters,
                progress=progress,
            )
        else:
            found = suggestions.suggest(notes, wanted)
        fresh = [one for one in found if one.id not in there and one.text not in texts]
        return self._store.questions.add(kept, fresh[:count])

    # right passages, by a click

    def mark(self, kept: QuestionSet, text: str, hit: Hit) -> Question:
        """Make a hit's passage a right one of a question, which is added to the set where it isn't there.

        Of a chunk that a person wrote over it is the note's own text. Raises QuestionSetError for one that they
        added, which no note holds.
        """
        known = self._with_text(kept, text)
        if known is None:
            return self._store.questions.add(kept, [Question("", text.strip(), (self._gold(hit),))])[0]
        self.add_passage(kept, known.id, hit)
        return self._store.questions.question(kept, known.id)

    def unmark(self, kept: QuestionSet, text: str, hit: Hit) -> None:
        """Take a hit's passage from the right ones of a question.

        A question that has none then, no kind and no remark is deleted: a click made it, and this one takes it back.
        """
        known = self._with_text(kept, text)
        if known is None:
            return
        left = [gold for gold in known.spans if not is_within(gold, hit)]
        if len(left) == len(known.spans):
            return
        if left or known.kind or known.note:
            self._store.questions.edit(kept, known.id, replace(known, gold=tuple(left)))
        else:
            self._store.questions.delete(kept, [known.id])

    def marked(self, kept: QuestionSet, text: str) -> tuple[GoldSpan, ...]:
        """Return the right passages of a question where they were last found, none where the set hasn't got it."""
        known = self._with_text(kept, text)
        return known.spans if known else ()

    def add_passage(self, kept: QuestionSet, question_id: str, hit: Hit) -> None:
        """Make a hit's passage a right one of a question of the set; raises as `mark` does."""
        self._store.questions.add_gold(kept, question_id, self._gold(hit))

    def remove_passage(self, kept: QuestionSet, question_id: str, gold: GoldSpan) -> None:
        """Take a right passage from a question."""
        self._store.questions.remove_gold(kept, question_id, gold)

    def narrow_passage(self, kept: QuestionSet, question_id: str, gold: GoldSpan, quote: str) -> None:
        """Put a part of a right passage in its place: a click marks a whole chunk, the answer may be a sentence.

        Raises QuestionSetError for what isn't a part of it, NoteNotFound.
        """
        part = golds.narrowed(self._store.notes.note(gold.note_id), gold, quote)
        question = self._store.questions.question(kept, question_id)
        spans = tuple(part if one == gold else one for one in question.spans)
        self._store.questions.edit(kept, question_id, replace(question, gold=spans))

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
        base, asked = self._base_named(kept.base_id), self.to_ask(kept)
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
        base = self._base_named(run.base_id)
        kept = next((one for one in self._store.questions.sets(base) if one.id == run.set_id), None)
        done = self._store.runs.results(run_id)
        asked = self.to_ask(kept) if kept else []
        same = len(asked) == run.questions and all(_is_of(asked[number], result) for number, result in done.items())
        if not same or (run.index_version, run.settings) != self._state(base, run.pipeline):
            raise ConfigError(
                "The notes, the settings or the questions changed since this run was stopped. Run the set again."
            )
        return self._go_on(run, asked, done, progress)

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

    def _with_text(self, kept: QuestionSet, text: str) -> Question | None:
        return next((one for one in self._store.questions.of(kept) if one.text == text.strip()), None)

    def _gold(self, hit: Hit) -> GoldSpan:
        if hit.chunk.start == hit.chunk.end:
            reason = "you wrote this passage yourself, and the note doesn't hold it. Choose one of the note's own text."
            raise QuestionSetError(hit.note.path or hit.note.title, 0, reason)
        return golds.gold_at(self._store.notes.note(hit.note.id), hit.chunk.start, hit.chunk.end)

    def to_ask(self, kept: QuestionSet) -> list[Question]:
        """Return the questions of a set that a run asks; raises QuestionSetError where there is none, or a bad one."""
        asked = [one for one in self.questions(kept) if not one.suggested and not evaluation.is_lost(one)]
        if not asked:
            reason = (
                "there is no question to ask. Add some, accept suggested ones, or mend those whose passage is gone."
            )
            raise QuestionSetError(kept.name, 0, reason)
        self._check(asked, self._base_named(kept.base_id), kept.name)
        return asked

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

    def _base_named(self, base_id: str) -> KnowledgeBase:
        bases = self._store.notes.bases()
        for base in bases:
            if base.id == base_id:
                return base
        raise UnknownChoice("base", base_id, [base.name for base in bases])

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
        options = pipeline.chunking or base.chunking
        chunking.build(options, self._build(pipeline.embedder or base.embedder).tokens)
        cut = asdict(options)
        embedder = {"embedder": pipeline.embedder or base.embedder}
        asked = self._searching_of(self._store).settings(_options(base, pipeline))
        return self._store.database.version(), cut | embedder | asked

    def _go_on(self, run: Run, asked: Sequence[Question], done: dict[int, QuestionResult], progress: Progress) -> Run:
        """Ask what isn't done and keep it, a few questions at a time."""
        base = self._base_named(run.base_id)
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
        with self._place(base, pipeline, progress) as store:
            searching = self._searching_of(store)
            searching.search("any", options)  # the first question shall not wait for the models
            for count, (number, question) in enumerate(asked.items()):
                progress(count, len(asked), question.text)
                result = evaluation.asked(question, partial(_search, searching, options))
                if not result.negative and result.found_rank is None:
                    missed = tuple(searching.diagnose(question.text, list(enumerate(result.golds)), options))
                    result = replace(result, diagnoses=missed)
                yield number, result

    def _place(self, base: KnowledgeBase, pipeline: Pipeline, progress: Progress) -> AbstractContextManager[Store]:
        options, embedder = pipeline.chunking or base.chunking, pipeline.embedder or base.embedder
        if options == base.chunking and embedder == base.embedder:
            return nullcontext(self._store)
        return self.scratch.opened(base, options, embedder, progress)


def is_within(gold: GoldSpan, hit: Hit) -> bool:
    """Tell whether a right passage stands in a hit's chunk as a whole."""
    return gold.note_id == hit.note.id and hit.chunk.start <= gold.start and gold.end <= hit.chunk.end


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
