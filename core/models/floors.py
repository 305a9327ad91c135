"""How near questions come to the notes of a base that say nothing about them."""

from collections.abc import Sequence

import numpy as np

from core.embedding import Embedder
from core.errors import ModelError, ProviderError
from core.model import Floor, KnowledgeBase, Matrix
from core.store import Store

UNRELATED: Sequence[str] = (
    "how do I get wax out of a tablecloth",
    "which vaccinations does a puppy need",
    "opening hours of the town hall",
    "who painted the ceiling of the Sistine Chapel",
    "what time does the ferry to the island leave",
    "is it normal that a baby wakes up every two hours",
    "how many calories are in a slice of cheesecake",
    "how to prune roses in spring",
    "what did grandma write in her last letter",
    "the rent went up again, what can I do",
    "best hiking trails near the lake",
    "penalty shootout final result",
    "how long does chicken soup keep in the fridge",
    "why do cats purr",
    "price of a return ticket to Madrid",
    "treaty that ended the Thirty Years' War",
    "piano lessons for adults",
    "sore throat remedies",
    "size of a queen bed in centimetres",
    "dentist appointment",
    "sourdough",
    "volcanoes in Iceland",
    "driving licence",
    "wedding speech for my brother",
    "怎么去除衣服上的油渍",
    "小狗要打哪些疫苗",
    "谁画了清明上河图",
    "红烧肉要炖多长时间",
    "嗓子疼吃什么药",
    "从上海坐船去大阪要几天",
    "宝宝晚上老是醒怎么办",
    "房租又涨了",
    "春天怎么给月季剪枝",
    "钢琴多久调一次音",
    "三国演义里谁最会打仗",
    "驾照过期了怎么换",
    "端午节放几天假",
    "牙医预约",
    "羽毛球双打规则",
    "奶奶的生日",
    "brelth omnik tarvo",
    "vuxq 40817 dlph",
    "snirp gallow tembid rackle",
    "hjkl uiop",
    "8842 71 nnz",
    "魑魉咚锵 呜哩哇",
    "cómo se quita una mancha de vino",
    "wann blüht der Flieder",
)
"""Questions of everyday life and words that mean nothing. Notes may answer a few of them, but hardly many."""

_GROWN = 1.5
"""Growth of a base by which its floor is measured again."""
_LEAST_SPREAD = 0.005

_vectors: dict[str, Matrix] = {}
"""The vectors of UNRELATED by the model's fingerprint."""


def settle(store: Store, base: KnowledgeBase, embedder: Embedder) -> None:
    """Measure the floor of a base unless it is known for about this many windows; a failing model leaves it unknown."""
    windows = store.chunks.count(base)[2]
    known = store.floors.get(base)
    if store.readonly or not windows or (known and 1 / _GROWN < windows / known.windows < _GROWN):
        return
    try:
        questions = _embedded(embedder)
    except (ModelError, ProviderError):
        return
    store.floors.set(base, measured(store, base, questions))


def measured(store: Store, base: KnowledgeBase, questions: Matrix) -> Floor:
    """Return the floor of a base with windows, from the vectors of questions, shape (questions, dimension)."""
    centring = store.vectors.centring(base)
    centred = centring.questions(questions)
    nearest = np.full(len(questions), -1.0, np.float32)
    windows = 0
    for ids, vectors in store.chunks.windows(base):
        nearest = np.maximum(nearest, (centred @ vectors.T).max(axis=1))
        windows += len(ids)
    nearest = centring.similarity(nearest)
    return Floor(float(nearest.mean()), max(float(nearest.std()), _LEAST_SPREAD), windows)


def _embedded(embedder: Embedder) -> Matrix:
    if embedder.fingerprint not in _vectors:
        _vectors[embedder.fingerprint] = embedder.embed(UNRELATED, role="query")
    return _vectors[embedder.fingerprint]
