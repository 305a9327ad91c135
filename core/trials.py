"""Whether a model works here: a few questions, in Chinese and English, each of which has one right sentence."""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from core import embedding, models, reranking
from core.embedding import tokens
from core.embedding.device import Running
from core.errors import ModelError
from core.model import Progress, unheard
from core.reranking import Candidate
from core.reranking.late_interaction import LateInteraction

QUESTIONS: Mapping[str, Mapping[str, str]] = {
    "en": {
        "How do I take back a commit in git?": "git revert makes a new commit that undoes an older one.",
        "How long does bread stay in the oven?": "Bake the bread for forty minutes in the hot oven, until it is dark.",
        "Why can't I sleep after a coffee?": "Caffeine from coffee takes hours to leave the body and keeps you awake.",
    },
    "zh": {
        "怎么避免缓存同时过期": "给缓存的过期时间加上随机值，请求就不会一起落到数据库上。",
        "办旅游签证要多久": "旅游签证一般五个工作日办好，旺季请提前一个月申请。",
        "换机油的里程间隔": "汽车每跑一万公里换一次机油，同时检查机油滤芯。",
    },
}
"""For each language its questions, each with the sentence that answers it; the others are wrong."""

TEXTS = [text for pairs in QUESTIONS.values() for text in pairs.values()]


@dataclass(frozen=True, slots=True)
class Trial:
    """How a model did: `right` is how many of a language's questions found their sentence first, of `asked`.

    `seconds_a_text` is the time of one embedding, or of judging one text against one question.
    `resident_bytes` is what this process takes in memory now, where that can be told, and `languages`
    are those that the model says it knows.
    """

    name: str
    part: models.Part
    seconds_to_load: float
    seconds_a_text: float
    dimension: int | None
    running: Running | None
    resident_bytes: int | None
    right: Mapping[str, int]
    asked: Mapping[str, int]
    languages: tuple[str, ...]

    @property
    def wrong(self) -> tuple[str, ...]:
        """The languages in which a question didn't find its sentence."""
        return tuple(language for language, asked in self.asked.items() if self.right[language] < asked)

    @property
    def usable(self) -> bool:
        """Whether the ranking is right in each language that the model says it knows; in all, where it names none."""
        known = [language for language in self.asked if language in self.languages] or list(self.asked)
        return not set(known) & set(self.wrong)


@dataclass(frozen=True, slots=True)
class _Loaded:
    """A model that is ready: `judge` tells how well each of TEXTS answers a question, by reading `reads` texts."""

    judge: Callable[[str], Sequence[float | None]]
    reads: int
    running: Running | None
    dimension: int | None = None


def run(name: str, progress: Progress = unheard) -> Trial:
    """Load a model, ask it the questions, and tell how it did; one that wasn't loaded before goes again.

    Raises ConfigError, ModelError or ProviderError where it can't be loaded or asked, and ModelError at
    once for one that would have to be downloaded first.
    """
    part, kind, _ = models.parse(name)
    card = models.card(name)
    if card.downloadable:
        raise ModelError(card.problem)
    progress(0, 2, name)
    started = time.perf_counter()
    load = _embedder if part == "embedder" else _late_interaction if kind == "late-interaction" else _reranker
    model = load(name)
    ready = time.perf_counter()
    progress(1, 2, name)
    right = {
        language: sum(_first(model.judge(question)) == TEXTS.index(text) for question, text in pairs.items())
        for language, pairs in QUESTIONS.items()
    }
    return Trial(
        name=name,
        part=part,
        seconds_to_load=ready - started,
        seconds_a_text=(time.perf_counter() - ready) / (len(TEXTS) * model.reads),
        dimension=model.dimension,
        running=model.running,
        resident_bytes=_resident(),
        right=right,
        asked={language: len(pairs) for language, pairs in QUESTIONS.items()},
        languages=card.languages,
    )


def _embedder(name: str) -> _Loaded:
    embedder = embedding.built(name) or embedding.make(name)
    embedder.warm()

    def judge(question: str) -> list[float]:
        asked = embedder.embed([question], role="query")[0]
        cosines: list[float] = (embedder.embed(TEXTS, role="note") @ asked).tolist()
        return cosines

    return _Loaded(judge, len(TEXTS) + 1, getattr(embedder, "running", None), embedder.dimension)


def _reranker(name: str) -> _Loaded:
    reranker = reranking.built(name) or reranking.make(name)
    reranker.warm()
    candidates = [Candidate(text) for text in TEXTS]
    return _Loaded(
        lambda question: reranker.score(question, candidates), len(TEXTS), getattr(reranker, "running", None)
    )


def _late_interaction(name: str) -> _Loaded:
    embedder = tokens.of(embedding.build("bundled"))
    if embedder is None:
        raise ModelError("The bundled model tells nothing of its tokens. Choose another reranker.")
    centre = tokens.centre(embedder)
    reranker = LateInteraction(embedder, centre)
    _, found = embedder.embed_tokens(TEXTS, role="note")
    candidates = [Candidate(text, tokens.signs(rows, centre)) for text, rows in zip(TEXTS, found, strict=True)]
    return _Loaded(
        lambda question: reranker.score(question, candidates), len(TEXTS), getattr(embedder, "running", None)
    )


def _first(scores: Sequence[float | None]) -> int | None:
    """The place of the highest score, None where several are that high."""
    told = [score for score in scores if score is not None]
    return scores.index(max(told)) if told and told.count(max(told)) == 1 else None


def _resident() -> int | None:
    """The bytes of memory that this process takes; only Linux tells it without another library."""
    try:
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    except OSError:
        return None
    return int(pages) * os.sysconf("SC_PAGE_SIZE")
