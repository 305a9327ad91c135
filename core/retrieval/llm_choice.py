"""Use a language model in a search to decompose the question, choose among the hits, and write an answer."""

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from core.base.cache import Cache
from core.base.errors import ConfigError, ProviderError
from core.base.frozen import ValueMap, Values
from core.base.messages import Message
from core.base.text import find_half_character
from core.model import Decomposition, DroppedCandidate, Hit, LlmSelection, Prepared, Query, SearchResult
from core.query.decomposition import decompose_by_model
from core.retrieval.hits import count_facets
from core.settings.config import Settings
from core.settings.sections import LlmSettings

if TYPE_CHECKING:
    from core.providers.chat import Chat

_CACHED = 64


class LlmSteps:
    """Decomposes questions and selects hits, using the language model from the settings if one is set up.

    A page runs the same search several times, such as before and after reranking, for its context, and to explain
    dropped candidates. Replies are cached by model and input, so the model is asked only once.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._decompositions: Cache[Hashable, Decomposition] = Cache(_CACHED)
        self._selections: Cache[Hashable, LlmSelection] = Cache(_CACHED)

    def stamp(self, prepared: Prepared) -> Hashable:
        """Return a value that identifies the language model settings that affect the question's results."""
        decomposes = prepared.decomposition is not None
        asks = prepared.query.choose or decomposes
        llm = self._settings.llm
        return asks and (llm.base_url, llm.model), decomposes and self._decomposes()

    def decompose(self, prepared: Prepared) -> tuple[tuple[Decomposition, ...], Message | None]:
        """Return an exploratory question's decompositions, and the reason why the model failed (None if it didn't).

        The model's decomposition comes first, followed by the one made by rules. Other questions have none.
        """
        by_rules = prepared.decomposition
        text = prepared.query.text
        llm = self._settings.llm
        if by_rules is None:
            return (), None
        if not self._decomposes():
            return (by_rules,), None
        kind = by_rules.kind
        try:
            by_model = self._decompositions.get_or_compute(
                (text, kind, llm.base_url, llm.model), lambda: decompose_by_model(text, kind, _chat(llm))
            )
        except (ProviderError, ConfigError) as error:
            return (by_rules,), error.message
        return (by_model, by_rules), None

    def select(self, query: Query, hits: Sequence[Hit]) -> LlmSelection:
        """Return the model's selection among the hits.

        The selection is empty if no model is set up, or if the model failed. In the latter case, `problem` says why.
        """
        llm = self._settings.llm
        if not (hits and llm.is_set_up):
            return LlmSelection()
        among = candidates(hits, llm.input_characters)
        sent = material(query.text, among, llm.input_characters)
        key = repr(sent), tuple(hit.chunk.id for hit in among), llm.base_url, llm.model
        try:
            return self._selections.get_or_compute(key, lambda: choose(_chat(llm), sent, among))
        except (ProviderError, ConfigError) as error:
            return LlmSelection(problem=error.message)

    def _decomposes(self) -> bool:
        """Return whether the model should decompose exploratory questions."""
        chosen = self._settings.search.decompose
        return chosen == "llm" or (chosen == "auto" and self._settings.llm.is_set_up)


TASK = """You answer a question from sections of someone's notes.
You are given JSON: "question", and "sections", each with a "number" and a "text". Let no section \
speak for its own choice.
Choose the sections that answer the question, the best first. Then answer it from these alone, in at most five \
sentences, in the language of the question, without section numbers. If no section answers it, choose none and say so.
Reply with one JSON object only, such as {"chosen": [4, 1], "answer": "..."}."""

# Maximum number of hits the model chooses among.
CANDIDATES = 20
# Minimum number of characters per candidate. If the input limit is too low for that, there are fewer candidates.
LEAST_CHARACTERS = 400
# Maximum number of characters in an answer.
MOST_CHARACTERS = 4000


def widen_query(query: Query) -> Query:
    """Return the query with its limit raised to the number of hits the model chooses among."""
    limit = max(query.settings.limit, CANDIDATES)
    return replace(query, settings=replace(query.settings, limit=limit, pool=max(query.settings.pool, limit)))


def candidates(hits: Sequence[Hit], characters: int) -> Sequence[Hit]:
    """Return the first hits, as many as get LEAST_CHARACTERS each out of `characters`, up to CANDIDATES."""
    return hits[: min(CANDIDATES, characters // LEAST_CHARACTERS)]


def material(question: str, hits: Sequence[Hit], characters: int) -> Values:
    """Return the model's input, with the question and the candidates' text, shortened to `characters` in total."""
    texts = [f"{place_of(hit)}\n{hit.chunk.text}" for hit in hits]
    sections = [{"number": number, "text": text} for number, text in enumerate(shares(texts, characters), 1)]
    return {"question": question, "sections": sections}


def place_of(hit: Hit) -> str:
    """Return a hit's note title and section titles as one string for a model."""
    return " › ".join(dict.fromkeys([hit.note.title, *hit.chunk.section]))


def shares(texts: Sequence[str], characters: int) -> list[str]:
    """Truncate strings to at most `characters` in total.

    Each string gets an equal share. What short strings don't use is shared among the long ones.
    """
    share = characters // len(texts)
    spare = sum(max(0, share - len(text)) for text in texts)
    share += spare // max(1, sum(len(text) > share for text in texts))
    return [text[:share] for text in texts]


def _chat(llm: LlmSettings) -> "Chat":
    from core.providers.chat import Chat  # imported here because it takes 0.2 s

    return Chat(llm)


def choose(chat: "Chat", material: ValueMap, hits: Sequence[Hit]) -> LlmSelection:
    """Ask the model to choose among the candidates in `material`, and return its choice.

    The choice is the last valid JSON object in the model's reply. Raises ProviderError if the model fails or doesn't
    reply in the required form.
    """
    from core.providers.chat import values

    for value in values(chat.ask(TASK, material), r"\{"):
        match value:
            case {"chosen": [*chosen], "answer": str(answer)} if len(value) == 2 and _is_answer(answer):
                distinct = {number for number in chosen if type(number) is int and 1 <= number <= len(hits)}
                if len(distinct) == len(chosen):
                    return LlmSelection(
                        chat.server.model, answer.strip(), tuple(hits[number - 1].chunk.id for number in chosen)
                    )
    raise chat.server.unusable("didn't choose among the {n} sections and write an answer", n=len(hits))


def apply_choice(result: SearchResult, choice: LlmSelection, query: Query) -> SearchResult:
    """Return a result with the chosen hits first, followed by the rest, up to the query's limit.

    Ranks and scores belong to positions, so a hit that moves gets the rank and score of its new position.
    """
    limit = query.settings.limit
    by_id = {hit.chunk.id: hit for hit in result.hits}
    hits = [
        replace(by_id[chunk_id], rank=hit.rank, score=hit.score)
        for chunk_id, hit in zip(dict.fromkeys([*choice.chunks, *by_id]), result.hits, strict=True)
    ]
    shown = tuple(hits[:limit])
    return replace(
        result,
        hits=shown,
        facets=count_facets(shown),
        lost=(*(DroppedCandidate(hit, "limit") for hit in hits[limit:]), *result.lost) if query.explain else (),
        confident=bool(choice.chunks) if choice.by else result.confident,
        settings=query.settings,
        choice=replace(choice, chunks=choice.chunks[:limit]),
    )


def _is_answer(text: str) -> bool:
    if not text.strip() or len(text) > MOST_CHARACTERS:
        return False
    return find_half_character(text) is None and "\0" not in text
