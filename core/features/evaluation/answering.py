"""The answers of a pipeline to the questions of a run, and the judgement on them."""

from dataclasses import replace

from core.features.answers import budget
from core.features.answers.writing import PASSAGES
from core.features.evaluation import answer_scoring, judging
from core.model import AnswerThreshold, GivenAnswer, Pipeline, QuestionResult, SearchResult
from core.providers.chat import Chat
from core.providers.connection import Stop
from core.retrieval.engine import SearchEngine
from core.settings.sections import LlmSettings
from core.store import Store


class Answering:
    """Answers questions by a pipeline, in a store that holds its chunks. Raises ConfigError as Chat does."""

    def __init__(
        self, store: Store, searching: SearchEngine, llm: LlmSettings, pipeline: Pipeline, bar: AnswerThreshold
    ) -> None:
        self._store = store
        self._searching = searching
        self._llm = llm
        self._writer = Chat(llm) if pipeline.answers == "model" else None
        self._judge = Chat(llm) if pipeline.judge == "model" else None
        self._bar = bar

    def answer(self, hits: SearchResult, stop: Stop) -> GivenAnswer:
        """Return the answer to a question from its hits; raises Cancelled once `stop` says so."""
        if self._writer:
            characters = budget.characters(self._llm, hits.hits[:PASSAGES])
            return answer_scoring.written(self._store, self._searching, self._writer, hits, self._bar, characters, stop)
        return answer_scoring.answer_result(self._store, self._searching, hits, self._bar)

    def judged(self, result: QuestionResult, stop: Stop) -> QuestionResult:
        """Return a result with the judgement on its answer, where a model judges; raises Cancelled as `answer`."""
        if not self._judge or not result.given or not judging.is_due(result):
            return result
        judgement = judging.judge(self._judge, result, self._llm.input_characters, stop)
        return replace(result, given=replace(result.given, judged=judgement))
