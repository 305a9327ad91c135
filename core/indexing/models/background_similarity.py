"""Floors of bases: the similarity of notes to questions that they don't answer."""

from collections.abc import Callable, Sequence

import numpy as np

from core.embedding import Embedder
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

_OWN = 100
"""Questions of the person's own that are read, the newest of each set first."""
_BELOW = 0.02
"""Share of the person's answerable questions that may be no nearer than the floor."""
_GROWN = 1.5
"""Growth of a base by which its floor is measured again."""
_LEAST_SPREAD = 0.005


def settle(store: Store, base: KnowledgeBase, embedder_of: Callable[[KnowledgeBase], Embedder]) -> None:
    """Measure the floor of a base unless it is known for its notes and questions; raises the errors of its embedder.

    The user's questions without an answer count as questions about other things; answered questions limit it.
    """
    windows = store.chunks.count(base)[2]
    sets = [store.questions.for_set(question_set) for question_set in store.questions.sets(base)]
    own = [question for item in sets for question in item[::-1][:_OWN] if not question.suggested]
    known = store.floors.get(base)
    grown = not known or not 1 / _GROWN < windows / known.windows < _GROWN or len(own) != known.questions
    if store.readonly or not windows or not grown:
        return
    embedder = embedder_of(base)
    unrelated = np.concatenate(
        [
            _unrelated(store, base, embedder),
            *_questions(embedder, [question.text for question in own if not question.gold]),
        ]
    )
    related = _questions(embedder, [question.text for question in own if question.gold])
    nearest = _nearest(store, base, unrelated)
    mean = nearest.mean()
    for questions in related:
        mean = min(mean, np.quantile(_nearest(store, base, questions), _BELOW))
    store.floors.set(base, Floor(float(mean), max(float(nearest.std()), _LEAST_SPREAD), windows, len(own)))


def _nearest(store: Store, base: KnowledgeBase, questions: Matrix) -> Matrix:
    """Return the similarity of the nearest window of a base to each question."""
    centring = store.vectors.centring(base)
    centred = centring.questions(questions)
    nearest = np.full(len(questions), -1.0, np.float32)
    for _, vectors in store.chunks.windows(base):
        nearest = np.maximum(nearest, (centred @ vectors.T).max(axis=1))
    return centring.similarity(nearest)


def _questions(embedder: Embedder, texts: Sequence[str]) -> list[Matrix]:
    return [embedder.embed(texts, role="query")] if texts else []


def _unrelated(store: Store, base: KnowledgeBase, embedder: Embedder) -> Matrix:
    """Return the vectors of UNRELATED; a model embeds them once."""
    stored = store.vectors.unrelated(base)
    if stored is None or len(stored) != len(UNRELATED):
        stored = embedder.embed(UNRELATED, role="query")
        store.vectors.store_unrelated(base.fingerprint, stored)
    return stored
