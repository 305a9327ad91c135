"""Reranking with a sentence-transformers cross-encoder, which reads question and passage together."""

import time
from bisect import bisect_left
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any

from core.base.blobs import Span
from core.base.errors import ConfigError, ModelError
from core.base.frozen import frozen
from core.base.messages import message
from core.base.registry import lazy
from core.base.text import fold, query_keywords
from core.embedding import hub
from core.embedding.loading import Turns, choose_device, explain_failure, load, to_device, weight_bytes
from core.embedding.model_folder import digest, explain_read_error, max_tokens, parts_of, read_json, weights
from core.embedding.sentence import SURROGATES, on_hub
from core.model import Device, Running
from core.reranking import Candidate, Judged, built_in

if TYPE_CHECKING:
    import sentence_transformers
    from transformers import PreTrainedTokenizerFast

# A question and passages -> pairs that fit the input of a cross-encoder.

PASSAGE_CHARACTERS = 8000
"""Number of characters of a passage in which the best piece is searched."""


def fit_pairs(model: "sentence_transformers.CrossEncoder", query: str, texts: Sequence[str]) -> list[tuple[str, str]]:
    """Build pairs that fit the model's input, with the piece of each passage that has the most question words.

    The question is truncated if it takes more than half of the tokens and more than the passages leave free.
    """
    room = model.max_seq_length - model.tokenizer.num_special_tokens_to_add(pair=True)
    query = SURROGATES.sub("\ufffd", query)
    clean = [SURROGATES.sub("\ufffd", text[:PASSAGE_CHARACTERS]) for text in texts]
    passages = _spans(model.tokenizer, clean, None)
    most = max(1, room // 2, room - max(map(len, passages)))
    (spans,) = _spans(model.tokenizer, [query], most)
    question = query[: spans[-1][1]] if len(spans) == most else query
    room, words = max(1, room - len(spans)), query_keywords(query)
    return [(question, _piece(text, spans, room, words)) for text, spans in zip(clean, passages, strict=True)]


def _piece(text: str, spans: Sequence[Span], room: int, words: Sequence[str]) -> str:
    """Return the best piece of a text that fits, preceded by the first line (the breadcrumb) if that is short."""
    if len(spans) <= room:
        return text
    line = text.find("\n", 0, spans[-1][1]) + 1
    first = bisect_left(spans, line, key=lambda span: span[0])
    if first > room // 4:
        line = first = 0
    left = room - first
    starts = [*range(first, len(spans) - left, max(1, left // 2)), len(spans) - left]
    pieces = [text[spans[start][0] : spans[start + left - 1][1]] for start in starts]
    return text[:line] + max(pieces, key=lambda piece: sum(word in fold(piece) for word in words))


def _spans(tokenizer: "PreTrainedTokenizerFast", texts: Sequence[str], tokens: int | None) -> list[list[Span]]:
    """Return the character spans of each text's tokens; `tokens` is their maximum number."""
    cut = {} if tokens is None else {"truncation": True, "max_length": tokens}
    spans: list[list[Span]] = tokenizer(
        list(texts), add_special_tokens=False, return_offsets_mapping=True, verbose=False, **cut
    )["offset_mapping"]
    return spans


@frozen
class Recommended:
    """A recommended model: its download size, and the codes of its languages, or `multilingual` for about 100."""

    name: str
    megabytes: int
    languages: tuple[str, ...]


RECOMMENDED = (
    Recommended("BAAI/bge-reranker-v2-m3", 2300, ("multilingual",)),
    Recommended(
        "cross-encoder/mmarco-mMiniLMv2-L12-H384-v1", 470, tuple("zh en ar nl fr de hi id it ja pt ru es vi".split())
    ),
    Recommended("cross-encoder/ms-marco-MiniLM-L6-v2", 90, ("en",)),
)

_EXAMPLE = f"cross-encoder:{RECOMMENDED[0].name}"

DEFAULT_OWNER = "cross-encoder"

READ_TOKENS = 1024
"""Maximum number of tokens per pair; some models can read 8192, but the cost of attention grows quadratically."""

SECONDS = 10.0
"""Time limit of one call; candidates are scored in order."""

BATCH = {"cpu": 8, "cuda": 64, "mps": 16}
"""Number of pairs per forward pass, by device; the time limit is checked between passes."""


@frozen
class CrossEncoderFacts:
    """Properties of a cross-encoder, read from its folder; `files` are its weights, tokenizer and configuration."""

    folder: Path
    max_tokens: int
    files: tuple[Path, ...]


class CrossEncoder:
    """A cross-encoder, given as a model name (`BAAI/bge-reranker-v2-m3`) or folder; by default the built-in one.

    Raises ConfigError for an empty name if the built-in one is not installed, and ModelError for a path without a
    cross-encoder. Safe to share between threads: only one thread at a time runs the model.
    """

    reads_bits = False

    def __init__(self, name: str = "", *, device: Device | None = None, seconds: float = SECONDS) -> None:
        unnamed = not name.strip()
        if unnamed and not built_in.shipped():
            raise ConfigError(
                "'cross-encoder' needs a model: {example} or cross-encoder:/path/to/folder",
                example=_EXAMPLE,
            )
        folder = built_in.WEIGHTS.parent if unnamed else Path(name).expanduser()
        known = "" if unnamed else on_hub(name, DEFAULT_OWNER)
        self.name = built_in.NAME if unnamed else known or folder.name
        self._folder: Callable[[], Path] = (lambda: hub.snapshot(known, "cross-encoder")) if known else (lambda: folder)
        self.running: Running | None = None
        self._device = device
        self._seconds = seconds
        self._loading = RLock()
        self._turns = Turns()
        if not known:
            _ = self._facts

    @lazy
    def fingerprint(self) -> str:
        folder = self._facts.folder
        weights = built_in.fingerprint(folder) if built_in.has_weights(folder) else digest(list(self._facts.files))
        return f"cross-encoder:{self.name}@{weights}"

    @lazy
    def _facts(self) -> CrossEncoderFacts:
        with self._loading:
            return vars(self).get("_facts") or facts(self._folder())

    def warm(self) -> None:
        """Load the model and run it once, because the first run is the slowest."""
        self.score("warm", [Candidate("warm")])

    def score(self, query: str, candidates: Sequence[Candidate]) -> Judged:
        """Score candidates from 0 to 1; None for the last ones if the time limit is reached.

        Raises ModelError if the model can't be loaded or fails.
        """
        if not candidates:
            return []
        model = self._loaded()
        scores: Judged = []
        size = BATCH[model.device.type]
        started = time.monotonic()
        for start in range(0, len(candidates), size):
            if scores and time.monotonic() - started > self._seconds:
                break
            with self._turns.take():
                texts = [candidate.text for candidate in candidates[start : start + size]]
                scores += self._forward(model, query, texts)
        return scores + [None] * (len(candidates) - len(scores))

    def _loaded(self) -> "sentence_transformers.CrossEncoder":
        with self._loading:
            return self._model

    @lazy
    def _model(self) -> "sentence_transformers.CrossEncoder":
        device = self._device or choose_device()
        if built_in.has_weights(self._facts.folder):
            model: Any = built_in.load(self._facts.folder, device)
        else:
            model = load("CrossEncoder", self._facts.folder, self.name, device)
            if model.num_labels != 1:
                raise _labels(self._facts.folder, model.num_labels)
            model.max_seq_length = self._facts.max_tokens
            _to_precision(model)
        self.running = Running(device, weight_bytes(model))
        return model

    def _forward(self, model: "sentence_transformers.CrossEncoder", query: str, texts: Sequence[str]) -> list[float]:
        import torch

        with explain_failure(self.name, len(texts)), torch.inference_mode():
            features = to_device(model.preprocess(fit_pairs(model, query, texts)), model.device)
            logits = model(features)["scores"].double().reshape(len(texts), -1)[:, 0]
        if not torch.isfinite(logits).all():
            raise ModelError(
                (
                    "The model '{name}' returned scores that aren't numbers: its weights are "
                    "damaged. Copy or download it again."
                ),
                name=self.name,
            )
        # The model's own sigmoid works in 16 bits, where the best candidates all score 1.
        return torch.sigmoid(logits).tolist()


def facts(folder: Path) -> CrossEncoderFacts:
    """Describe the cross-encoder in `folder`; raises ModelError if it is incomplete or gives more than one score."""
    if not folder.is_dir():
        raise ModelError(
            "There is no folder {folder}. Give the folder that contains the model's config.json.", folder=str(folder)
        )
    with explain_read_error(folder):
        return _facts(folder)


def _facts(folder: Path) -> CrossEncoderFacts:
    if built_in.has_weights(folder):
        return CrossEncoderFacts(folder, built_in.READ_TOKENS, (folder / built_in.FILE,))
    if not any((folder / file).is_file() for file in ("modules.json", "config.json")):
        lack = message("it has no config.json") if any(folder.iterdir()) else message("it is empty")
        raise ModelError(
            "{folder} is not a model for close reading: {reason}. Give the model's own folder.",
            folder=str(folder),
            reason=lack,
        )
    parts = parts_of(folder)
    config = read_json(parts[0] / "config.json")
    architecture = (config.get("architectures") or [""])[0]
    if architecture.endswith("ForSequenceClassification"):
        # For two labels, transformers writes neither key.
        labels = len(config["id2label"]) if "id2label" in config else config.get("num_labels", 2)
        if labels != 1:
            raise _labels(folder, labels)
    elif _kind(folder) != "sentence_transformers.CrossEncoder":
        raise ModelError(
            "The model in {folder} is a {kind}, which doesn't compare a question with a passage. Choose a model "
            "for close reading, such as {example}.",
            folder=str(folder),
            kind=architecture or message("model without a named architecture"),
            example=_EXAMPLE,
        )
    files = (*weights(folder, parts), *parts[0].glob("tokenizer.json"), parts[0] / "config.json")
    return CrossEncoderFacts(folder, min(max_tokens(parts[0], config), READ_TOKENS), files)


def _kind(folder: Path) -> object:
    options = folder / "config_sentence_transformers.json"
    return read_json(options).get("model_type") if options.is_file() else None


def _labels(folder: Path, labels: object) -> ModelError:
    return ModelError(
        (
            "The model in {folder} returns {n} scores instead of one: it sorts texts into classes. "
            "Choose a model for close reading, such as {example}."
        ),
        folder=str(folder),
        n=labels,
        example=_EXAMPLE,
    )


def _to_precision(model: "sentence_transformers.CrossEncoder") -> None:
    """Let the last layer compute in float32, because a bfloat16 score has only three digits."""
    import torch

    heads = [layer for layer in model.modules() if isinstance(layer, torch.nn.Linear) and layer.out_features == 1]
    for layer in heads[-1:]:
        layer.float()
        layer.register_forward_pre_hook(lambda _, inputs: tuple(value.float() for value in inputs))
