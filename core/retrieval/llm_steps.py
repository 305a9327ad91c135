"""The steps of a search that ask a language model, once while the model and its material stay the same."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from core.base.cache import Cache
from core.base.errors import ConfigError, ProviderError
from core.base.messages import Message
from core.model import Decomposition, Hit, LlmSelection, Prepared, Query
from core.providers.chat import Chat
from core.query.decomposition import decompose_by_model
from core.retrieval import llm_choice
from core.settings.config import Settings

_CACHED = 64


@dataclass(frozen=True, slots=True)
class Decompositions:
    """The decompositions of a question, the one to use first, none of a simple one; why a model gave none."""

    found: tuple[Decomposition, ...] = ()
    problem: Message | None = None


class LlmSteps:
    """Decomposes questions and selects among hits by the language model of the settings, where one is set up.

    A page searches a question several times: before and after reranking, for its context and for what was lost.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._decompositions: Cache[Hashable, Decomposition] = Cache(_CACHED)
        self._selections: Cache[Hashable, LlmSelection] = Cache(_CACHED)

    def stamp(self, prepared: Prepared) -> Hashable:
        """Return a value that changes with the settings that decide the answer to a question."""
        decomposes = prepared.decomposition is not None
        return self._model() if prepared.query.choose or decomposes else None, decomposes and self._decomposes()

    def decompose(self, prepared: Prepared) -> Decompositions:
        """Return the decompositions of an exploratory question, that of the model first."""
        by_rules, text = prepared.decomposition, prepared.query.text
        if by_rules is None:
            return Decompositions()
        if not self._decomposes():
            return Decompositions((by_rules,))
        key, kind = (text, by_rules.kind, self._model()), by_rules.kind
        try:
            by_model = self._decompositions.get_or_compute(
                key, lambda: decompose_by_model(text, kind, Chat(self._settings.llm))
            )
        except (ProviderError, ConfigError) as error:
            return Decompositions((by_rules,), error.message)
        return Decompositions((by_model, by_rules))

    def select(self, query: Query, hits: Sequence[Hit]) -> LlmSelection:
        """Return what the model selects among the hits, or why it selects nothing."""
        llm = self._settings.llm
        if not (hits and llm.is_set_up):
            return LlmSelection()
        candidates = llm_choice.candidates(hits, llm.input_characters)
        material = llm_choice.material(query.text, candidates, llm.input_characters)
        key = repr(material), tuple(hit.chunk.id for hit in candidates), self._model()
        try:
            return self._selections.get_or_compute(key, lambda: llm_choice.choose(Chat(llm), material, candidates))
        except (ProviderError, ConfigError) as error:
            return LlmSelection(problem=error.message)

    def _decomposes(self) -> bool:
        """Return whether the model decomposes exploratory questions."""
        chosen = self._settings.search.decompose
        return chosen == "llm" or (chosen == "auto" and self._settings.llm.is_set_up)

    def _model(self) -> tuple[str, str]:
        return self._settings.llm.base_url, self._settings.llm.model
