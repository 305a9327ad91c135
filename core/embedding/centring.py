"""Centre vectors so that text in different languages can be compared by content.

Many models place all text in one language close together regardless of content, and questions far from passages. The
offset between languages and the offset between questions and passages barely depend on the text, so both are treated as
constants of the model. They are computed from parallel text in English and Chinese (in `parallel`), and subtracted when
vectors are compared. Stored vectors stay as the model returned them. docs/decisions/0056-within-one-language.md lists
what was tried.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np

from core.base.frozen import frozen
from core.embedding import Embedder
from core.embedding.tokens import load_arrays
from core.model import Matrix, Role

_Number = TypeVar("_Number", float, Matrix)

# Share of the mean vector to subtract.
#
# Of the values tried, from 0.5 to 0.95, those from 0.75 to 0.85 find the most across languages.
SHARE = 0.8
LANGUAGES = ("en", "zh")
_TEXTS = Path(__file__).with_name("parallel")
SHIPPED = Path(__file__).with_name("centring.safetensors")
# Minimum share of questions whose nearest neighbour is their own translation. Below it, a model doesn't know both
# languages.
_TWINS = 0.5
# Minimum gain in mean reciprocal rank across languages. Below it, a model's vectors aren't centred.
_GAIN = 0.1
# Maximum accepted loss in mean reciprocal rank within a language.
_LOSS = 0.05


@dataclass(frozen=True, slots=True, eq=False)
class Centring:
    """The part that a model's vectors have in common, and the directions in which languages differ.

    Two values subtract nothing, namely `PLAIN` for a model that can't compare languages, and zeros for a model that
    compares them without centring.

    `constants` are the mean of passages, the mean of questions, and orthonormal directions, shape (2 + n, dimension).
    """

    constants: Matrix

    @property
    def compares_languages(self) -> bool:
        """True if vectors of different languages can be compared by content."""
        return bool(len(self.constants))

    def centred(self, vectors: Matrix, *, role: Role) -> Matrix:
        """Return vectors minus the parts that depend only on their role and language, scaled to unit length.

        `PLAIN` leaves vectors unchanged.
        """
        if not len(self.constants):
            return vectors
        directions = self.constants[2:]
        rest: Matrix = vectors - self.constants[0 if role == "note" else 1]
        rest -= (rest @ directions.T) @ directions
        rest /= np.maximum(np.linalg.norm(rest, axis=-1, keepdims=True), 1e-6)
        return rest

    def similarities(self, passages: Matrix, question: Matrix) -> Matrix:
        """Return each passage's similarity to a question, computed in one pass from uncentred vectors.

        The result equals `similarity` of the centred vectors' cosine.
        """
        if not self.compares_languages:
            return passages @ question
        centred = self.centred(question, role="query")
        middle = self.constants[0]
        products = passages @ np.vstack([centred, middle, self.constants[2:]]).T
        along = products[:, 2:] - self.constants[2:] @ middle
        squares = 1 - 2 * products[:, 1] + middle @ middle - (along * along).sum(axis=1)
        return self.similarity((products[:, 0] - centred @ middle) / np.sqrt(np.maximum(squares, 1e-12)))

    def similarity(self, cosine: _Number) -> _Number:
        """Map the cosine of centred vectors to the scale of the model's own cosines.

        For example, E5's own cosines are between 0.7 and 1, because all its vectors have a common part. On this scale,
        thresholds chosen by users stay valid.
        """
        return 1 - self._spread * (1 - cosine)

    @property
    def _spread(self) -> float:
        """The product of the mean lengths of centred passage vectors and centred question vectors."""
        lengths = 1 - (2 / SHARE - 1) * (self.constants[:2] ** 2).sum(axis=1)
        return float(np.sqrt(lengths.prod())) if len(lengths) else 1.0


PLAIN = Centring(np.empty((0, 0), np.float32))


def load_centring(embedder: Embedder) -> Centring:
    """Return a model's centring. It subtracts nothing if centring doesn't improve results across languages.

    The centring depends only on the model. Raises the same errors as `embed`.
    """
    constants = shipped().get(embedder.fingerprint)
    return compute_centring(embedder) if constants is None else Centring(constants)


def compute_centring(embedder: Embedder) -> Centring:
    """Compute a model's centring by embedding 100 short questions and 50 passages."""
    questions = _embed_texts(embedder, "query")
    if not _twins(*questions):
        return PLAIN
    outcome = _run_trial(_embed_texts(embedder, "note"), questions)
    gains = outcome.across[1] >= outcome.across[0] + _GAIN and outcome.within[1] >= outcome.within[0] - _LOSS
    return outcome.centring if gains else Centring(np.zeros((2, embedder.dimension), np.float32))


@frozen
class CentringTrial:
    """A centring, and the mean reciprocal ranks (before, after) across languages and within one language."""

    centring: Centring
    across: tuple[float, float]
    within: tuple[float, float]


def trial(embedder: Embedder) -> CentringTrial:
    """Evaluate a model's centring, even if the model doesn't know both languages."""
    return _run_trial(_embed_texts(embedder, "note"), _embed_texts(embedder, "query"))


def _embed_texts(embedder: Embedder, role: Role) -> list[Matrix]:
    return [embedder.embed(_texts(language, role), role=role) for language in LANGUAGES]


def _run_trial(passages: Sequence[Matrix], questions: Sequence[Matrix]) -> CentringTrial:
    plain = passages, questions
    # Make both languages' mean vectors equal, for passages and for questions.
    middles = [SHARE * np.concatenate(vectors).mean(axis=0) for vectors in plain]
    first, *others = ([vectors[number].mean(axis=0) for vectors in plain] for number in (0, 1))
    differences = [own - other for mean in others for own, other in zip(first, mean, strict=True)]
    fitted = Centring(np.vstack([*middles, np.linalg.qr(np.stack(differences).T)[0].T]).astype(np.float32))
    centred = (
        [fitted.centred(vectors, role="note") for vectors in passages],
        [fitted.centred(vectors, role="query") for vectors in questions],
    )
    across, within = ((_rank(*plain, across=which), _rank(*centred, across=which)) for which in (True, False))
    return CentringTrial(fitted, across, within)


def _twins(questions: Matrix, translated: Matrix) -> bool:
    """Return whether most questions are closest to their own translation after each language's mean is subtracted."""
    products = (questions - questions.mean(axis=0)) @ (translated - translated.mean(axis=0)).T
    return bool((products.argmax(axis=1) == np.arange(len(products))).mean() >= _TWINS)


def _rank(passages: Sequence[Matrix], questions: Sequence[Matrix], *, across: bool) -> float:
    """Return the mean reciprocal rank of the correct passage. Half of the passages are in each of the two languages.

    With `across`, a question and its passage are in different languages. Otherwise, they are in the same one.
    """
    right = np.arange(len(questions[0])) // (len(questions[0]) // len(passages[0]))
    reciprocal = []
    for even in (0, 1):
        language = (np.arange(len(passages[0])) + even) % 2
        mixed = np.where(language[:, None] == 0, *passages)
        spoken = language[right] == across
        products = np.where(spoken[:, None], *questions) @ mixed.T
        reciprocal += (1 / (products >= products[np.arange(len(right)), right][:, None]).sum(axis=1)).tolist()
    return float(np.mean(reciprocal))


def _texts(language: str, role: Role) -> list[str]:
    """Return the built-in questions or passages in a language. Each passage answers two questions."""
    text = (_TEXTS / f"{language}.md").read_text("utf-8")
    if role == "query":
        return re.findall(r"(?m)^# (.+)$", text)
    return [passage.strip() for passage in re.split(r"(?m)^(?:# .+\n)+", text)[1:]]


def shipped() -> dict[str, Matrix]:
    """Return the centring constants that ship with Tessera, keyed by model fingerprint."""
    return load_arrays(SHIPPED)
