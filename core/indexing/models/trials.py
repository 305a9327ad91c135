"""Test a model on this machine with a few questions in Chinese and English, each with one right answer."""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from core import embedding, reranking
from core.base.errors import ModelError
from core.base.frozen import TextMap
from core.embedding import Embedder, tokens
from core.indexing.models import cards
from core.model import ModelTrial, Progress, no_progress
from core.reranking import Candidate

# The questions in each language, mapped to the sentences that answer them. Any other sentence is a wrong answer.
QUESTIONS: Mapping[str, TextMap] = {
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

TEXTS = [text for pairs in QUESTIONS.values() for text in pairs.values()]


def run(name: str, progress: Progress = no_progress) -> ModelTrial:
    """Load a model, ask it the questions, and return the result. A model used only by this test isn't kept in memory.

    Raises ConfigError, ModelError or ProviderError if the model can't be loaded or used, and ModelError if it would
    have to be downloaded.
    """
    card = cards.card(name)
    if card.problem and card.downloadable:
        raise ModelError(card.problem)
    embeds = card.part == "embedder"
    progress(0, 2, name)
    started = time.perf_counter()
    model, judge = _embedder(name) if embeds else _reranker(name)
    ready = time.perf_counter()
    progress(1, 2, name)
    right = {
        language: sum(_first(judge(question)) == TEXTS.index(text) for question, text in pairs.items())
        for language, pairs in QUESTIONS.items()
    }
    texts_read = len(TEXTS) + embeds  # for each question
    return ModelTrial(
        name=name,
        part=card.part,
        seconds_to_load=ready - started,
        seconds_a_text=(time.perf_counter() - ready) / (len(TEXTS) * texts_read),
        dimension=getattr(model, "dimension", None) if embeds else None,
        running=getattr(model, "running", None),
        resident_bytes=_resident(),
        right=right,
        asked={language: len(pairs) for language, pairs in QUESTIONS.items()},
        languages=card.languages,
    )


# A function that scores each of TEXTS as an answer to a question.
_Judge = Callable[[str], Sequence[float | None]]


def _embedder(name: str) -> tuple[Embedder, _Judge]:
    embedder = embedding.built(name) or embedding.make(name)
    embedder.warm()

    def judge(question: str) -> list[float]:
        vector = embedder.embed([question], role="query")[0]
        cosines: list[float] = (embedder.embed(TEXTS, role="note") @ vector).tolist()
        return cosines

    return embedder, judge


def _reranker(name: str) -> tuple[object, _Judge]:
    """Return a reranker and a function that scores TEXTS as answers to a question.

    For a reranker that reads tokens, return the embedder of the tokens instead of the reranker.
    """
    candidates = [Candidate(text) for text in TEXTS]
    running = None
    if reranking.reads_tokens(name):
        if (running := tokens.token_embedder(embedding.build("bundled"))) is None:
            raise ModelError("The built-in model can't rerank on this machine. Choose another model for reranking.")
        centre = tokens.centre(running)
        reranker = reranking.make(name, running, centre)
        _, read = running.embed_tokens(TEXTS, role="note")
        candidates = [Candidate(text, tokens.signs(rows, centre)) for text, rows in zip(TEXTS, read, strict=True)]
    else:
        reranker = reranking.built(name) or reranking.make(name)
        reranker.warm()
    return running or reranker, lambda question: reranker.score(question, candidates)


def _first(scores: Sequence[float | None]) -> int | None:
    """Return the index of the highest score, or None if there is a tie or no score."""
    best = max((score for score in scores if score is not None), default=None)
    return scores.index(best) if best is not None and scores.count(best) == 1 else None


def _resident() -> int | None:
    """Return this process's resident memory in bytes, or None on systems other than Linux."""
    try:
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    except OSError:
        return None
    return int(pages) * os.sysconf("SC_PAGE_SIZE")
