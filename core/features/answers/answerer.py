"""Answers to what a search found in any store, as an evaluation measures them."""

from dataclasses import replace

from core.base.errors import Cancelled
from core.features.answers import budget, thresholds, writing
from core.features.answers.choosing import choose
from core.features.answers.collection import build_answer
from core.model import Answer, KnowledgeBase, SearchResult
from core.providers.chat import Chat
from core.providers.connection import Stop
from core.retrieval.engine import SearchEngine
from core.settings.config import Settings
from core.store import Store


class Answerer:
    """Answers questions on a base from searches in a store that has its notes, by quotes or by a language model.

    The threshold of the base is that of the workspace. Raises ConfigError as Chat does.
    """

    def __init__(
        self,
        workspace: Store,
        settings: Settings,
        base: KnowledgeBase,
        store: Store,
        searching: SearchEngine,
        by_model: bool,
    ) -> None:
        self._store = store
        self._searching = searching
        self._llm = settings.llm
        self._writer = Chat(settings.llm) if by_model else None
        self._threshold = thresholds.current_threshold(workspace, base)

    def __call__(self, result: SearchResult, stop: Stop) -> Answer:
        """Return the answer to the question of a result; raises Cancelled once `stop` says so.

        A model isn't asked what isn't answerable.
        """
        answer = build_answer(result, choose(self._store, self._searching.tokenized_hits, result), self._threshold)
        if not self._writer:
            return answer
        answer = replace(answer, quotes=())
        if not answer.answerable:
            return answer
        question = result.understood.text or result.query
        characters = budget.characters(self._llm, result.hits[: writing.PASSAGES])
        *_, answer = writing.write(self._writer, answer, question, characters, stop)
        assert answer.writing is not None, "a model writes it"
        if answer.writing.stopped:
            raise Cancelled
        return answer
