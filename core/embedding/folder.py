"""What a sentence-transformers folder says of its model, read off its json files without loading it."""

import hashlib
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core import frontmatter
from core.embedding import prompts
from core.errors import ModelError
from core.model import Role

# Positions of these families begin behind the padding token, so two of them are never read.
OFFSET_POSITIONS = {"camembert", "mpnet", "roberta", "xlm-roberta"}

SAMPLES, SAMPLE_BYTES = 32, 4096

KIND = "SentenceTransformer"
"""What a folder's `model_type` is, where it has one, if its model gives a vector a text."""


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
        lack = "has no modules.json" if any(folder.iterdir()) else "is empty"
        raise ModelError(
            f"{folder} is not a sentence-transformers model: it {lack}. "
            "Name the model's own folder, or save the model with SentenceTransformer.save()."
        )
    try:
        return _facts(folder, name)
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise ModelError(f"The model in {folder} can't be understood ({error}). Copy or download it again.") from error


def _facts(folder: Path, name: str) -> Facts:
    modules: list[dict[str, Any]] = read_json(folder / "modules.json")
    own = folder / "config_sentence_transformers.json"
    told: dict[str, Any] = read_json(own) if own.is_file() else {}
    if not modules:
        raise ValueError("its modules.json is empty")
    if told.get("model_type", KIND) != KIND:
        raise ModelError(
            f"The model in {folder} is a {told['model_type']}, which gives no vector a text. Choose another model"
            + (f"; as a reranker its name is cross-encoder:{folder}" if told["model_type"] == "CrossEncoder" else "")
            + "."
        )
    for module in modules:
        if not str(module["type"]).startswith("sentence_transformers."):
            raise ModelError(
                f"The model in {folder} needs code of its own ({module['type']}), which Tessera never runs. "
                "Choose another model."
            )
    if not any(str(module["type"]).endswith(".Pooling") for module in modules):
        raise ModelError(
            f"The model in {folder} has no Pooling module, so it gives no vector a text. Choose another model."
        )
    parts = [folder / str(module.get("path", "")) for module in modules]
    tokenizer = next((path for part in (parts[0], folder) if (path := part / "tokenizer.json").is_file()), None)
    if tokenizer is None:
        raise ModelError(
            f"The model in {folder} has no tokenizer.json. Open it once with transformers and save it again: "
            "AutoTokenizer.from_pretrained(folder).save_pretrained(folder)"
        )
    config = read_json(parts[0] / "config.json")
    files = list(weights(parts))
    if not files:
        raise ModelError(f"The model in {folder} has no weights (*.safetensors). Copy or download it again.")
    return Facts(
        folder=folder,
        tokenizer=tokenizer,
        dimension=_dimension(modules, parts, config),
        max_tokens=max_tokens(parts[0], config),
        prompts=prompts.of(told, name),
        digest=digest([*files, tokenizer, parts[0] / "config.json"]),
    )


def languages(folder: Path) -> tuple[str, ...]:
    """Return the languages that a model's card, its README, names: codes, as its author wrote them."""
    readme = folder / "README.md"
    if not readme.is_file():
        return ()
    text = readme.read_text(encoding="utf-8", errors="replace")
    start, end, _ = frontmatter.span(text)
    told = frontmatter.parse(text[start:end]).extra.get("language", ())
    listed = told if isinstance(told, list | tuple) else [told]
    return tuple("no" if one is False else str(one) for one in listed)  # YAML takes Norwegian for a no


def bytes_in(folder: Path) -> int:
    """Return what a folder's files take."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def read_json(path: Path) -> Any:
    """Raises OSError or ValueError."""
    return json.loads(path.read_text(encoding="utf-8"))


def weights(parts: list[Path]) -> Iterator[Path]:
    """Yield the weight files of a model's folders; pickled ones only where there are no others."""
    for part in dict.fromkeys(parts):
        yield from sorted(part.glob("*.safetensors")) or sorted(part.glob("pytorch_model*.bin"))


def _dimension(modules: list[dict[str, Any]], parts: list[Path], config: dict[str, Any]) -> int:
    dimension = config.get("hidden_size") or config.get("dim") or config.get("d_model")
    for module, part in zip(modules, parts, strict=True):
        kind = str(module["type"]).rpartition(".")[2]
        if kind == "Pooling":
            pooling = read_json(part / "config.json")
            modes = pooling.get("pooling_mode")
            if modes is None:  # before version 6: a flag for each mode, a missing one is off
                count = sum(value is True for key, value in pooling.items() if key.startswith("pooling_mode_"))
            else:
                count = 1 if isinstance(modes, str) else len(modes)
            dimension = (pooling.get("embedding_dimension") or pooling["word_embedding_dimension"]) * max(count, 1)
        elif kind == "Dense":
            dimension = read_json(part / "config.json")["out_features"]
    if not isinstance(dimension, int) or dimension <= 0:
        raise ValueError("its config.json names no dimension")
    return dimension


def max_tokens(transformer: Path, config: dict[str, Any]) -> int:
    """Return how many tokens a transformer reads, special ones counted; raises ValueError where it isn't said."""
    stated = []
    for name, key in (("sentence_bert_config.json", "max_seq_length"), ("tokenizer_config.json", "model_max_length")):
        path = transformer / name
        if path.is_file():
            stated.append(read_json(path).get(key))
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


def digest(paths: list[Path]) -> str:
    """Hash files' sizes and evenly spaced samples: gigabytes needn't be read to tell two models apart."""
    found = hashlib.sha256()
    for path in paths:
        size = path.stat().st_size
        found.update(f"{path.name}:{size}\n".encode())
        step = max(SAMPLE_BYTES, math.ceil(size / SAMPLES))
        with path.open("rb") as file:
            for offset in range(0, size, step):
                file.seek(offset)
                found.update(file.read(SAMPLE_BYTES))
    return found.hexdigest()[:16]
