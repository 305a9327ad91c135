"""What a sentence-transformers folder says of its model, read off its json files without loading it."""

import hashlib
import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import ModelError
from core.model import Role

# What a model is told before a text, where its folder doesn't say: the model cards of
# intfloat/multilingual-e5-*, BAAI/bge-*-zh-v1.5 and BAAI/bge-*-en-v1.5.
FAMILIES: tuple[tuple[str, dict[Role, str]], ...] = (
    (r"\be5\b(?!.*(instruct|mistral))", {"query": "query: ", "note": "passage: "}),
    (r"\bbge\b.*\bzh\b", {"query": "为这个句子生成表示以用于检索相关文章：", "note": ""}),
    (r"\bbge\b.*\ben\b", {"query": "Represent this sentence for searching relevant passages: ", "note": ""}),
)
NO_PROMPTS: dict[Role, str] = {"query": "", "note": ""}

# Positions of these families begin behind the padding token, so two of them are never read.
OFFSET_POSITIONS = {"camembert", "mpnet", "roberta", "xlm-roberta"}

SAMPLES, SAMPLE_BYTES = 32, 4096


@dataclass(frozen=True, slots=True)
class Facts:
    """A model, as its folder describes it; `digest` is equal where the weights are."""

    folder: Path
    tokenizer: Path
    dimension: int
    max_tokens: int
    prompts: Mapping[Role, str]
    digest: str


def facts(folder: Path, name: str) -> Facts:
    """Describe the model in `folder`; `name` decides its prompts where the folder has none.

    Raises ModelError where it isn't a whole sentence-transformers model.
    """
    if not folder.is_dir():
        raise ModelError(f"There is no folder {folder}. Name the folder that holds the model's modules.json.")
    if not (folder / "modules.json").is_file():
        raise ModelError(
            f"{folder} is not a sentence-transformers model: it has no modules.json. "
            "Name the model's own folder, or save the model with SentenceTransformer.save()."
        )
    try:
        return _facts(folder, name)
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise ModelError(f"The model in {folder} can't be understood ({error}). Copy or download it again.") from error


def _facts(folder: Path, name: str) -> Facts:
    modules: list[dict[str, Any]] = _json(folder / "modules.json")
    if not modules:
        raise ValueError("its modules.json is empty")
    for module in modules:
        if not str(module["type"]).startswith("sentence_transformers."):
            raise ModelError(
                f"The model in {folder} needs code of its own ({module['type']}), which Tessera never runs. "
                "Choose another model."
            )
    parts = [folder / str(module.get("path", "")) for module in modules]
    tokenizer = next((path for part in (parts[0], folder) if (path := part / "tokenizer.json").is_file()), None)
    if tokenizer is None:
        raise ModelError(
            f"The model in {folder} has no tokenizer.json. Open it once with transformers and save it again: "
            "AutoTokenizer.from_pretrained(folder).save_pretrained(folder)"
        )
    config = _json(parts[0] / "config.json")
    files = list(_weights(parts))
    if not files:
        raise ModelError(f"The model in {folder} has no weights (*.safetensors). Copy or download it again.")
    return Facts(
        folder=folder,
        tokenizer=tokenizer,
        dimension=_dimension(modules, parts, config),
        max_tokens=_max_tokens(parts[0], config),
        prompts=_prompts(folder, name),
        digest=_digest([*files, tokenizer, parts[0] / "config.json"]),
    )


def _json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def _weights(parts: list[Path]) -> Iterator[Path]:
    for part in dict.fromkeys(parts):
        yield from sorted(part.glob("*.safetensors")) or sorted(part.glob("pytorch_model*.bin"))


def _dimension(modules: list[dict[str, Any]], parts: list[Path], config: dict[str, Any]) -> int:
    dimension = config.get("hidden_size") or config.get("dim") or config.get("d_model")
    for module, part in zip(modules, parts, strict=True):
        kind = str(module["type"]).rpartition(".")[2]
        if kind == "Pooling":
            pooling = _json(part / "config.json")
            modes = pooling.get("pooling_mode")
            if modes is None:  # before version 6: a flag for each mode, a missing one is off
                count = sum(value is True for key, value in pooling.items() if key.startswith("pooling_mode_"))
            else:
                count = 1 if isinstance(modes, str) else len(modes)
            dimension = (pooling.get("embedding_dimension") or pooling["word_embedding_dimension"]) * max(count, 1)
        elif kind == "Dense":
            dimension = _json(part / "config.json")["out_features"]
    if not isinstance(dimension, int) or dimension <= 0:
        raise ValueError("its config.json names no dimension")
    return dimension


def _max_tokens(transformer: Path, config: dict[str, Any]) -> int:
    stated = []
    for name, key in (("sentence_bert_config.json", "max_seq_length"), ("tokenizer_config.json", "model_max_length")):
        path = transformer / name
        if path.is_file():
            stated.append(_json(path).get(key))
    positions = config.get("max_position_embeddings")
    if isinstance(positions, int) and config.get("model_type") in OFFSET_POSITIONS:
        positions -= 2
    # The first that is stated rules, and no model reads beyond its positions. "Unlimited" is
    # written as an int of 30 digits by transformers, so it falls to the positions too.
    lengths = [length for length in stated if isinstance(length, int) and length > 0][:1]
    lengths += [positions] if isinstance(positions, int) else []
    if not lengths or min(lengths) > 10**9:
        raise ValueError("it doesn't say how many tokens it reads")
    return min(lengths)


def _prompts(folder: Path, name: str) -> dict[Role, str]:
    path = folder / "config_sentence_transformers.json"
    stated = (_json(path).get("prompts") or {}) if path.is_file() else {}
    own: dict[Role, str] = {
        "query": stated.get("query") or "",
        "note": stated.get("document") or stated.get("passage") or "",
    }
    if any(own.values()):
        return own
    plain = re.sub(r"[-_/.]", " ", name.lower())
    return next((prompts for pattern, prompts in FAMILIES if re.search(pattern, plain)), NO_PROMPTS)


def _digest(paths: list[Path]) -> str:
    """Hash sizes and evenly spaced samples: gigabytes needn't be read to tell two models apart."""
    digest = hashlib.sha256()
    for path in paths:
        size = path.stat().st_size
        digest.update(f"{path.name}:{size}\n".encode())
        step = max(SAMPLE_BYTES, math.ceil(size / SAMPLES))
        with path.open("rb") as file:
            for offset in range(0, size, step):
                file.seek(offset)
                digest.update(file.read(SAMPLE_BYTES))
    return digest.hexdigest()[:16]
