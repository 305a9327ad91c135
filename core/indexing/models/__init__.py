"""A workspace's models, which its bases share. They are built once, loaded in the background, described and tested."""

import time
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from core import embedding, reranking
from core.base.errors import EmbeddingMismatch, ModelError, ProviderError, ProviderUnavailable, TesseraError
from core.base.jobs import Jobs
from core.base.text import digest
from core.embedding import Embedder, shipped, tokens
from core.embedding.loading import choose_device
from core.embedding.sentence import Encoder
from core.indexing.models import cards, trials
from core.model import Floor, KnowledgeBase, Matrix, ModelCard, Progress, complete
from core.reranking import Cached, Reranker
from core.settings.config import Settings, settings
from core.store import Store

# Everyday questions and nonsense words. A user's notes answer at most a few of them.
UNRELATED: Sequence[str] = tuple(
    """
how do I get wax out of a tablecloth
which vaccinations does a puppy need
opening hours of the town hall
who painted the ceiling of the Sistine Chapel
what time does the ferry to the island leave
is it normal that a baby wakes up every two hours
how many calories are in a slice of cheesecake
how to prune roses in spring
what did grandma write in her last letter
the rent went up again, what can I do
best hiking trails near the lake
penalty shootout final result
how long does chicken soup keep in the fridge
why do cats purr
price of a return ticket to Madrid
treaty that ended the Thirty Years' War
piano lessons for adults
sore throat remedies
size of a queen bed in centimetres
dentist appointment
sourdough
volcanoes in Iceland
driving licence
wedding speech for my brother
怎么去除衣服上的油渍
小狗要打哪些疫苗
谁画了清明上河图
红烧肉要炖多长时间
嗓子疼吃什么药
从上海坐船去大阪要几天
宝宝晚上老是醒怎么办
房租又涨了
春天怎么给月季剪枝
钢琴多久调一次音
三国演义里谁最会打仗
驾照过期了怎么换
端午节放几天假
牙医预约
羽毛球双打规则
奶奶的生日
brelth omnik tarvo
vuxq 40817 dlph
snirp gallow tembid rackle
hjkl uiop
8842 71 nnz
魑魉咚锵 呜哩哇
cómo se quita una mancha de vino
wann blüht der Flieder
""".strip().split("\n")
)

# Maximum number of questions to read from each of the user's question sets, newest first.
_OWN = 100
# Maximum share of the user's answered questions whose similarity is below the background similarity.
_BELOW = 0.02
# Factor by which a base grows or shrinks before its background similarity is measured again.
_GROWN = 1.5
_LEAST_SPREAD = 0.005
# Seconds to wait before retrying a server that didn't respond.
_REST_SECONDS = 60.0


def _nearest(store: Store, base: KnowledgeBase, questions: Matrix) -> Matrix:
    """Return the similarity of each question to the nearest window in a base."""
    centring = store.vectors.centring(base)
    centred = centring.centred(questions, role="query")
    nearest = np.full(len(questions), -1.0, np.float32)
    for _, vectors in store.chunks.windows(base):
        nearest = np.maximum(nearest, (centred @ vectors.T).max(axis=1))
    return centring.similarity(nearest)


@dataclass
class Models:
    """Provides the embedders and rerankers of all bases. Bases with the same model share one object."""

    _store: Store
    _settings: Settings
    _jobs: Jobs

    def __post_init__(self) -> None:
        # Rerankers, keyed by name and by the fingerprint of the token embedder, or "" if the reranker reads plain text.
        self._rerankers: dict[tuple[str, str], Reranker] = {}
        self._warm: set[str] = set()
        self._failed: set[str] = set()
        # When to retry each unresponsive server (monotonic time), keyed by embedder name.
        self._away: dict[str, float] = {}

    test = staticmethod(trials.run)
    download = staticmethod(cards.download)
    path = staticmethod(cards.path)
    device_of = staticmethod(cards.device_of)
    asks = staticmethod(cards.needs)
    device = staticmethod(choose_device)

    # models in use

    def embedder(self, base: KnowledgeBase) -> Embedder:
        """Return a base's embedder. Raises EmbeddingMismatch if the base's vectors come from another embedder."""
        embedder = embedding.build(base.embedder)
        if base.has_vectors and embedder.fingerprint != base.fingerprint:
            raise EmbeddingMismatch(
                (
                    "The base '{base}' was indexed with {old}, but '{name}' is now {new}. Keyword search still "
                    "works. To index the base again, run: {command}"
                ),
                base=base.name,
                old=base.fingerprint,
                name=base.embedder,
                new=embedder.fingerprint,
                command=f"tessera models switch {base.name} {base.embedder}",
            )
        return embedder

    def reranker(self, base: KnowledgeBase, name: str, *, cached: bool = True) -> Reranker:
        """Return a reranker for a base's chunks. Bases with the same model share one reranker.

        A reranker that reads tokens uses the base's embedder, or the bundled model if the embedder has no token
        vectors. With `cached`, the reranker reuses scores from earlier questions. Raises UnknownChoice, ModelError and
        ConfigError.
        """
        if not reranking.reads_tokens(name):
            if not cached:
                return reranking.build(name)
            return self._rerankers.setdefault((name, ""), Cached(reranking.build(name)))
        embedder = tokens.token_embedder(embedding.build(base.embedder)) or tokens.token_embedder(
            embedding.build("bundled")
        )
        assert embedder is not None, "the bundled model has token vectors"
        key = name, embedder.fingerprint
        if key not in self._rerankers:
            self._rerankers[key] = reranking.make(name, embedder, centre_of(self._store, embedder))
        return self._rerankers[key]

    def settle_floor(self, base: KnowledgeBase) -> None:
        """Measure a base's background similarity unless it is up to date.

        The background similarity is the similarity of unrelated questions to the nearest window. The user's questions
        without an answer count as unrelated. Those with an answer limit the result. May load the base's model. If the
        model isn't available, the background similarity stays unknown.
        """
        store = self._store
        windows = store.chunks.count(base).windows
        own = [
            question
            for item in map(store.questions.for_set, store.questions.sets(base))
            for question in item[::-1][:_OWN]
            if not question.suggested
        ]
        known = store.floors.get(base)
        grown = not known or not 1 / _GROWN < windows / known.windows < _GROWN or len(own) != known.questions
        if store.readonly or not windows or not grown:
            return
        with suppress(EmbeddingMismatch, ModelError, ProviderError):
            embedder = self.embedder(base)
            if (unrelated := store.vectors.unrelated(base)) is None or len(unrelated) != len(UNRELATED):
                unrelated = embedder.embed(UNRELATED, role="query")
                store.vectors.store_unrelated(base.fingerprint, unrelated)
            if unanswered := [question.text for question in own if not question.gold]:
                unrelated = np.concatenate([unrelated, embedder.embed(unanswered, role="query")])
            nearest = _nearest(store, base, unrelated)
            mean = nearest.mean()
            if answered := [question.text for question in own if question.gold]:
                answerable = _nearest(store, base, embedder.embed(answered, role="query"))
                mean = min(mean, np.quantile(answerable, _BELOW))
            store.floors.set(base, Floor(float(mean), max(float(nearest.std()), _LEAST_SPREAD), windows, len(own)))

    # loading

    def start_warming(self, *, after: float = 0.0) -> None:
        """Load the bases' models and the index in a thread, after waiting for `after` seconds.

        Screens pass a delay, because loading competes with drawing the first page. The full tokenizer comes last,
        because reading it blocks this process for 0.5 to 0.9 s, and questions don't need it.
        """
        self._jobs.start("warm", lambda progress: self._warm_up(after, progress))

    @property
    def loaded(self) -> bool:
        """Whether the embedders of all bases are loaded. If not, start loading them, as `ready` does.

        Until the index is open as well, searches don't use the index, so they are exact.
        """
        return all(self.ready(base) for base in self._store.bases.all() if base.has_vectors)

    def ready(self, base: KnowledgeBase) -> bool:
        """Return whether a base's embedder is loaded. If not, start loading it, unless loading is running or failed."""
        loaded = base.embedder in self._warm
        job = self._jobs.find("warm")
        if not loaded and base.has_vectors and (job is None or job.state == "done"):
            self.start_warming()
        return loaded

    def is_away(self, base: KnowledgeBase) -> bool:
        """Return whether the server of a base's model is unavailable. A thread tries again from time to time."""
        if (due := self._away.get(base.embedder)) is not None and time.monotonic() >= due:
            self.set_away(base.embedder)
            self.start_warming()
        return due is not None

    def set_away(self, name: str) -> None:
        """Mark a model's server as unavailable for a while, so that questions don't wait for it."""
        self._away[name] = time.monotonic() + _REST_SECONDS

    def reranker_ready(self, base: KnowledgeBase, name: str) -> bool:
        """Return whether a reranker's model is loaded. If it isn't, start loading it.

        A model that can't be loaded counts as ready, because a search with it reports the error.
        """
        if reranking.reads_tokens(name):
            name = base.embedder if tokens.token_embedder(embedding.build(base.embedder)) else "bundled"
        return self._was_loaded(name)

    def _was_loaded(self, name: str) -> bool:
        """Return whether a model was loaded or failed to load. If neither has happened yet, start loading it."""

        def warm(_: Progress) -> None:
            try:
                self._load(name)
            except TesseraError:
                self._failed.add(name)
                raise

        if name not in self._warm | self._failed:
            self._jobs.start("warm_reranker", warm)
        return name in self._warm | self._failed

    def similarities(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """Return the similarity of a question to each of `texts`, which are from the guide, using the built-in model.

        A text without a shipped vector gets 0. If the model isn't loaded yet, it is loaded in the background and the
        result is empty.
        """
        if not self._was_loaded("bundled") or "bundled" not in self._warm:
            return ()
        embedder = embedding.build("bundled")
        keys = [digest(text) for text in texts]
        if (found := shipped.find(embedder.fingerprint, {*keys}, shipped.GUIDE)) is None:
            return ()
        known = dict(zip(found.keys, found.vectors @ embedder.embed([question], role="query")[0], strict=True))
        return [float(known.get(key, 0)) for key in keys]

    def _warm_up(self, after: float, progress: Progress) -> None:
        time.sleep(after)
        bases = self._store.bases.all()
        failed = []
        names = {base.embedder for base in bases if base.has_vectors}
        if not bases:
            names = {embedding.resolve(self._settings.embedder)}
        for number, name in enumerate(sorted(names)):
            progress(number, len(names) + 1, name)
            try:
                self._load(name)
            except (ModelError, ProviderError) as error:
                failed.append(error)
                if isinstance(error, ProviderUnavailable):
                    self.set_away(name)
        self._store.index.open(heal=False)
        for base in bases:
            if base.has_vectors and base.embedder in self._warm:
                self.settle_floor(base)
        for name in names & self._warm:
            if isinstance(embedder := embedding.build(name), Encoder):
                embedder.load_tokenizer()
        if failed:
            raise failed[0]

    def forget(self, kinds: Collection[str]) -> None:
        """Drop the models of the given kinds, so that they are rebuilt on next use. If loading had failed, retry it."""
        embedding.EMBEDDERS.forget(*kinds)
        reranking.RERANKERS.forget(*kinds)
        for names in (self._warm, self._failed):
            names -= {name for name in names if name.partition(":")[0] in kinds}
        self._away.clear()
        for key in [key for key in self._rerankers if key[0].partition(":")[0] in kinds]:
            del self._rerankers[key]
        if (job := self._jobs.find("warm")) and job.state == "failed":
            self.start_warming()

    def _load(self, name: str) -> None:
        (reranking if name.partition(":")[0] in reranking.RERANKERS else embedding).build(name).warm()
        self._warm.add(name)
        self._away.pop(name, None)

    # descriptions and tests

    def all(self) -> list[ModelCard]:
        """Return the embedders and rerankers that are installed, configured, used by a base, or recommended."""
        return cards.cards(self._names())

    def rerankers(self) -> list[str]:
        """Return the names of the rerankers that a search can use now. No requests are sent to servers."""
        return cards.usable_rerankers(self._names())

    def _names(self) -> list[str]:
        """Return the names of the models used by bases, unfinished switches and the settings."""
        bases = self._store.bases.all()
        targets = [switch.embedder for base in bases if (switch := self._store.switches.for_base(base))]
        own = [base.embedder for base in bases if base.has_vectors]
        return list(dict.fromkeys([*own, *targets, *_configured(self._settings)]))

    @staticmethod
    def without_bases() -> list[ModelCard]:
        """Return the cards of the models known without opening a workspace."""
        return cards.cards(_configured(settings()))


def _configured(settings: Settings) -> list[str]:
    return [settings.embedder, complete(settings.search.chosen).reranker]


def centre_of(store: Store, embedder: tokens.TokenEmbedder) -> Matrix:
    """Return the centre of a model's token bits in this workspace. The first call computes and stores it."""
    if (centre := store.vectors.centre(embedder.fingerprint)) is None:
        centre = tokens.centre(embedder)
        if not store.readonly:
            centre = store.vectors.settle_centre(embedder.fingerprint, centre)
    return centre
