"""Description of a sentence-transformers model, read from the JSON files of its folder without loading it."""

import hashlib
import json
import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.base.errors import ModelError
from core.base.messages import message, reason_of
from core.embedding import prompts
from core.markdown import frontmatter
from core.model import Role

# These families number positions from the padding token on, so two positions never hold a token.
OFFSET_POSITIONS = {"camembert", "mpnet", "roberta", "xlm-roberta"}

SAMPLES, SAMPLE_BYTES = 32, 4096
"""Most samples that `digest` reads of a file, and the bytes of each."""

KIND = "SentenceTransformer"
"""The `model_type` of a model with one vector per text; older folders state none."""


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """Properties of a model from its folder. `digest` is equal for equal weights."""

    folder: Path
    tokenizer: Path
    dimension: int
    max_tokens: int
    prompts: Mapping[Role, str]
    digest: str


def facts(folder: Path, name: str) -> ModelFacts:
    """Describe the model in `folder`. If the folder has no prompts, they follow from `name`.

    Raises ModelError if it isn't a complete sentence-transformers model.
    """
    if not folder.is_dir():
        raise ModelError(
            "There is no folder {folder}. Name the folder that holds the model's modules.json.", folder=str(folder)
        )
    if not (folder / "modules.json").is_file():
        lack = message("it has no modules.json") if any(folder.iterdir()) else message("it is empty")
        raise ModelError(
            "{folder} is not a sentence-transformers model: {reason}. "
            "Name the model's own folder, or save the model with SentenceTransformer.save().",
            folder=str(folder),
            reason=lack,
        )
    with explain_read_error(folder):
        return _facts(folder, name)


@contextmanager
def explain_read_error(folder: Path) -> Iterator[None]:
    """Turn an error of reading the files in `folder` into a ModelError."""
    try:
        yield
    except (OSError, ValueError, TypeError, KeyError, AttributeError, IndexError) as error:
        raise ModelError(
            "The model in {folder} can't be understood ({reason}). Copy or download it again.",
            folder=str(folder),
            reason=reason_of(error),
        ) from error


def _facts(folder: Path, name: str) -> ModelFacts:
    modules: list[dict[str, Any]] = read_json(folder / "modules.json")
    options_file = folder / "config_sentence_transformers.json"
    options: dict[str, Any] = read_json(options_file) if options_file.is_file() else {}
    _check(folder, modules, options)
    parts = [folder / str(module.get("path", "")) for module in modules]
    tokenizer = next((path for part in (parts[0], folder) if (path := part / "tokenizer.json").is_file()), None)
    if tokenizer is None:
        raise ModelError(
            "The model in {folder} has no tokenizer.json. Open it once with transformers and save it again: {command}",
            folder=str(folder),
            command="AutoTokenizer.from_pretrained(folder).save_pretrained(folder)",
        )
    config = read_json(parts[0] / "config.json")
    return ModelFacts(
        folder=folder,
        tokenizer=tokenizer,
        dimension=_dimension(modules, parts, config),
        max_tokens=max_tokens(parts[0], config),
        prompts=prompts.model_prompts(options, name),
        digest=digest([*weights(folder, parts), tokenizer, parts[0] / "config.json"]),
    )


def _check(folder: Path, modules: list[dict[str, Any]], options: dict[str, Any]) -> None:
    """Raise an error for a model without one vector per text, or with code of its own."""
    if not modules:
        raise ValueError(message("its modules.json is empty"))
    kind = options.get("model_type", KIND)
    if kind == "CrossEncoder":
        raise ModelError(
            "The model in {folder} is a CrossEncoder, no model for meaning. Choose another model; for a re-check "
            "its name is cross-encoder:{folder}.",
            folder=str(folder),
        )
    if kind != KIND:
        raise ModelError(
            "The model in {folder} is a {kind}, no model for meaning. Choose another model.",
            folder=str(folder),
            kind=str(kind),
        )
    refuse_own_code(folder, modules)
    if not any(str(module["type"]).endswith(".Pooling") for module in modules):
        raise ModelError(
            "The model in {folder} has no Pooling module, so it is no model for meaning. Choose another model.",
            folder=str(folder),
        )


def refuse_own_code(folder: Path, modules: list[dict[str, Any]]) -> None:
    """Raise ModelError for a model whose modules aren't those of sentence-transformers."""
    for module in modules:
        if not str(module["type"]).startswith("sentence_transformers."):
            raise ModelError(
                "The model in {folder} needs code of its own ({code}), which Tessera never runs. Choose another model.",
                folder=str(folder),
                code=str(module["type"]),
            )


def languages(folder: Path) -> tuple[str, ...]:
    """Return the languages in the README of a model, as its author wrote them: codes, mostly."""
    readme = folder / "README.md"
    if not readme.is_file():
        return ()
    text = readme.read_text(encoding="utf-8", errors="replace")
    start, end, _ = frontmatter.span(text)
    value = frontmatter.parse(text[start:end]).extra.get("language", ())
    codes = value if isinstance(value, list | tuple) else [value]
    return tuple("no" if code is False else str(code) for code in codes)  # YAML reads Norwegian's code as False


def bytes_in(folder: Path) -> int:
    """Return the total size of a folder's files."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def read_json(path: Path) -> Any:
    """Return the content of a JSON file; raises OSError or ValueError."""
    return json.loads(path.read_text(encoding="utf-8"))


def weights(folder: Path, parts: list[Path]) -> list[Path]:
    """Return the weight files in the parts of a model's folder; pickled ones only from a part without safetensors.

    Raises ModelError if there are none.
    """
    files = [
        file
        for part in dict.fromkeys(parts)
        for file in sorted(part.glob("*.safetensors")) or sorted(part.glob("pytorch_model*.bin"))
    ]
    if not files:
        raise ModelError(
            "The model in {folder} has no weights (*.safetensors). Copy or download it again.", folder=str(folder)
        )
    return files


def _dimension(modules: list[dict[str, Any]], parts: list[Path], config: dict[str, Any]) -> int:
    dimension = config.get("hidden_size") or config.get("dim") or config.get("d_model")
    for module, part in zip(modules, parts, strict=True):
        kind = str(module["type"]).rpartition(".")[2]
        if kind == "Pooling":
            pooling = read_json(part / "config.json")
            modes = pooling.get("pooling_mode")
            if modes is None:  # before version 6: one flag per mode, and a missing flag is off
                count = sum(value is True for key, value in pooling.items() if key.startswith("pooling_mode_"))
            else:
                count = 1 if isinstance(modes, str) else len(modes)
            dimension = (pooling.get("embedding_dimension") or pooling["word_embedding_dimension"]) * max(count, 1)
        elif kind == "Dense":
            dimension = read_json(part / "config.json")["out_features"]
    if not isinstance(dimension, int) or dimension <= 0:
        raise ValueError(message("its config.json doesn't say how many numbers it gives"))
    return dimension


def max_tokens(transformer: Path, config: dict[str, Any]) -> int:
    """Return how many tokens a transformer reads, with special ones; raises ValueError if its files don't state it."""
    stated = []
    for name, key in (("sentence_bert_config.json", "max_seq_length"), ("tokenizer_config.json", "model_max_length")):
        path = transformer / name
        if path.is_file():
            stated.append(read_json(path).get(key))
    positions = config.get("max_position_embeddings")
    if isinstance(positions, int) and config.get("model_type") in OFFSET_POSITIONS:
        positions -= 2
    # The first stated length counts, up to the number of positions. transformers writes "unlimited" as an int of 30
    # digits, which the positions limit too.
    lengths = [length for length in stated if isinstance(length, int) and length > 0][:1]
    lengths += [positions] if isinstance(positions, int) else []
    if not lengths or min(lengths) > 10**9:
        raise ValueError(message("it doesn't say how many tokens it reads"))
    return min(lengths)


def digest(paths: list[Path]) -> str:
    """Hash the sizes and evenly spaced samples of files; reading gigabytes would be slow."""
    sha = hashlib.sha256()
    for path in paths:
        size = path.stat().st_size
        sha.update(f"{path.name}:{size}\n".encode())
        step = max(SAMPLE_BYTES, math.ceil(size / SAMPLES))
        with path.open("rb") as file:
            for offset in range(0, size, step):
                file.seek(offset)
                sha.update(file.read(SAMPLE_BYTES))
    return sha.hexdigest()[:16]
