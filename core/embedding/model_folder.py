"""Read a sentence-transformers model's properties from the files in its folder, without loading the model."""

import hashlib
import json
import math
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from core.base.errors import ModelError
from core.base.frozen import AnyMap, AnyValues, TextMap, Texts, frozen
from core.base.messages import Message, message, reason_of
from core.markdown import frontmatter
from core.model import Role

# Names of prompts for notes, in the order in which sentence-transformers' encode_document tries them.
NOTE_KEYS = ("document", "passage", "corpus")

_WEB_SEARCH = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"
# The contents of a JSON file in a model's folder.
Config = AnyValues


# Maps patterns for model names to (prompt for questions, prompt for notes).
#
# A name is matched in lower case, with spaces in place of punctuation, and the first match applies. Any other model,
# such as all-MiniLM-L6-v2, has no prompts. The comments name the models on huggingface.co whose cards state the
# prompts.
FAMILIES = {
    r"\be5\b.*\binstruct\b": (f"{_WEB_SEARCH} ", ""),  # intfloat/multilingual-e5-large-instruct
    r"\be5\b": ("query: ", "passage: "),  # intfloat/multilingual-e5-base
    r"\bbge\b.*\bzh\b": ("为这个句子生成表示以用于检索相关文章：", ""),  # BAAI/bge-large-zh-v1.5
    # BAAI/bge-large-en-v1.5
    r"\bbge\b.*\ben\b(?! icl)": ("Represent this sentence for searching relevant passages: ", ""),
    r"\bqwen3 embedding\b": (_WEB_SEARCH, ""),  # Qwen/Qwen3-Embedding-0.6B
}


def model_prompts(config: AnyMap, name: str) -> dict[Role, str]:
    """Return the prompts in a model's config_sentence_transformers.json, or else the prompts of the model's family."""
    stated: TextMap = config.get("prompts") or {}
    default = stated.get(config.get("default_prompt_name") or "") or ""
    configured: dict[Role, str] = {
        "query": stated.get("query") or default,
        "note": next((stated[key] for key in NOTE_KEYS if stated.get(key)), default),
    }
    if any(configured.values()):
        return configured
    plain = re.sub(r"[-_/.:]", " ", name.lower())
    query, note = next((prompts for pattern, prompts in FAMILIES.items() if re.search(pattern, plain)), ("", ""))
    return {"query": query, "note": note}


@contextmanager
def create_folder(folder: Path, cannot_write: Message, *, mark: str) -> Iterator[Path]:
    """Yield a temporary folder. On success, rename it to `folder`. On an error, delete it.

    Several processes may do this at once. If another process has already written a complete `folder`, which contains
    the file `mark`, that folder is kept. Raises ModelError with the message `cannot_write` if the folder can't be
    written. The message has the fields `folder` and `why`.
    """

    def refused(error: OSError) -> ModelError:
        return ModelError(replace(cannot_write, fields={"folder": folder, "why": error.strerror or str(error)}))

    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    except OSError as error:
        raise refused(error) from error
    try:
        yield temporary
        temporary.chmod(0o755)  # mkdtemp makes it 0o700, but a shared folder must be readable
        temporary.rename(folder)
    except OSError as error:
        # Another process may have renamed its own folder first. Renaming is atomic, so that folder is complete.
        if not (folder / mark).is_file():
            raise refused(error) from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


# Model types whose position numbers start after the padding token's. Two of their positions can't be used.
OFFSET_POSITIONS = {"camembert", "mpnet", "roberta", "xlm-roberta"}

# Maximum number of samples that `digest` reads from each file, and the size of a sample in bytes.
SAMPLES = 32
SAMPLE_BYTES = 4096

# The `model_type` of a model that returns one vector per text. Older folders don't state it.
KIND = "SentenceTransformer"


@frozen
class ModelFacts:
    """A model's properties, read from its folder. Models with the same weights have the same `digest`."""

    folder: Path
    tokenizer: Path
    dimension: int
    max_tokens: int
    prompts: Mapping[Role, str]
    digest: str
    lower_case: bool = False


def read_facts(folder: Path, name: str) -> ModelFacts:
    """Return the properties of the model in `folder`. If its files state no prompts, they are derived from `name`.

    Raises ModelError if the folder isn't a complete sentence-transformers model.
    """
    if not os.path.isdir(folder):  # noqa: PTH112 Path.is_dir raises for a path that is too long
        raise ModelError(
            "There is no folder {folder}. Choose the folder that contains the model's modules.json.", folder=folder
        )
    if not (folder / "modules.json").is_file():
        raise ModelError(
            (
                "{folder} is not a sentence-transformers model: {reason}. Choose the model's own folder, or save the "
                "model with SentenceTransformer.save()."
            ),
            folder=folder,
            reason=message("it has no modules.json"),
        )
    with explain_read_error(folder):
        modules: list[Config] = read_json(folder / "modules.json")
        options = read_options(folder / "config_sentence_transformers.json")
        _check(folder, modules, options)
        parts = parts_of(folder)
        first = parts[0]
        tokenizer = next((path for part in (first, folder) if (path := part / "tokenizer.json").is_file()), None)
        if tokenizer is None:
            raise ModelError(
                "The model in {folder} has no tokenizer.json. Open it once with transformers and save it again: "
                "{command}",
                folder=folder,
                command="AutoTokenizer.from_pretrained(folder).save_pretrained(folder)",
            )
        config = read_json(first / "config.json")
        return ModelFacts(
            folder=folder,
            tokenizer=tokenizer,
            dimension=_dimension(modules, parts, config),
            max_tokens=max_tokens(first, config),
            prompts=model_prompts(options, name),
            digest=digest([*weights(folder, parts), tokenizer, first / "config.json"]),
            lower_case=bool(read_options(first / "sentence_bert_config.json").get("do_lower_case")),
        )


@contextmanager
def explain_read_error(folder: Path) -> Iterator[None]:
    """Convert an error raised while the files in `folder` are read to a ModelError."""
    try:
        yield
    except (OSError, ValueError, TypeError, KeyError, AttributeError, IndexError) as error:
        raise ModelError(
            "The model in {folder} isn't in a format that Tessera knows ({reason}). Copy or download it again.",
            folder=folder,
            reason=reason_of(error),
        ) from error


def _check(folder: Path, modules: list[Config], options: Config) -> None:
    """Raise ModelError or ValueError if a model doesn't return one vector per text, or needs its own code."""
    if not modules:
        raise ValueError(message("its modules.json is empty"))
    kind = options.get("model_type", KIND)
    if kind == "CrossEncoder":
        raise ModelError(
            "The model in {folder} is a CrossEncoder, not a model for searching by meaning. "
            "Choose another model. To use this one for reranking, write cross-encoder:{folder}.",
            folder=folder,
        )
    if kind != KIND:
        raise ModelError(
            "The model in {folder} is a {kind}, not a model for searching by meaning. Choose another model.",
            folder=folder,
            kind=kind,
        )
    refuse_own_code(folder, modules)
    if not any(str(module["type"]).endswith(".Pooling") for module in modules):
        raise ModelError(
            "The model in {folder} has no Pooling module, so it can't be used for searching by "
            "meaning. Choose another model.",
            folder=folder,
        )


def refuse_own_code(folder: Path, modules: list[Config]) -> None:
    """Raise ModelError if a model has modules that aren't part of sentence-transformers."""
    for module in modules:
        if not str(module["type"]).startswith("sentence_transformers."):
            raise ModelError(
                "The model in {folder} needs its own code ({code}), which Tessera never runs. Choose another model.",
                folder=folder,
                code=module["type"],
            )


def languages(folder: Path) -> Texts:
    """Return the languages listed in a model's README, as its author wrote them. Most are language codes."""
    readme = folder / "README.md"
    if not readme.is_file():
        return ()
    text = readme.read_text("utf-8", "replace")
    start, end, _ = frontmatter.span(text)
    value = frontmatter.parse(text[start:end]).extra.get("language", ())
    codes = value if isinstance(value, list | tuple) else [value]
    return tuple("no" if code is False else str(code) for code in codes)  # in YAML, Norwegian's `no` is False


def read_json(path: Path) -> Any:
    """Return the contents of a JSON file. Raises OSError or ValueError."""
    return json.loads(path.read_text("utf-8"))


def read_options(path: Path) -> Config:
    """Return the object in a JSON file, or {} if the file is missing. Raises OSError or ValueError."""
    options: Config = read_json(path) if path.is_file() else {}
    return options


def weights(folder: Path, parts: list[Path]) -> list[Path]:
    """Return the weight files in a model's parts. Pickled files are returned only for a part that has no safetensors.

    Raises ModelError if there are none.
    """
    files = [
        file
        for part in dict.fromkeys(parts)
        for file in sorted(part.glob("*.safetensors")) or sorted(part.glob("pytorch_model*.bin"))
    ]
    if not files:
        raise ModelError(
            "The model in {folder} has no weights (*.safetensors). Copy or download it again.", folder=folder
        )
    return files


def _dimension(modules: list[Config], parts: list[Path], config: Config) -> int:
    dimension = config.get("hidden_size") or config.get("dim") or config.get("d_model")
    for module, part in zip(modules, parts, strict=True):
        kind = str(module["type"]).rpartition(".")[2]
        if kind == "Pooling":
            pooling = read_json(part / "config.json")
            per_mode = pooling.get("embedding_dimension") or pooling["word_embedding_dimension"]
            dimension = per_mode * max(len(pooling_modes(pooling)), 1)
        elif kind == "Dense":
            dimension = read_json(part / "config.json")["out_features"]
    if not isinstance(dimension, int) or dimension <= 0:
        raise ValueError(message("its config.json doesn't say how many numbers the model returns"))
    return dimension


def pooling_modes(pooling: Config) -> list[str]:
    """Return a model's pooling modes, such as `mean` or `cls`.

    If there are several modes, the model concatenates their results.
    """
    modes = pooling.get("pooling_mode")
    if modes is None:  # before version 6, each mode had a flag; a missing flag means off
        flags = [key for key, value in pooling.items() if key.startswith("pooling_mode_") and value is True]
        return [re.sub("^pooling_mode_|_tokens?$", "", flag) for flag in flags]
    return [modes] if isinstance(modes, str) else modes


def parts_of(folder: Path) -> list[Path]:
    """Return the folders of a model's modules, or the model's own folder if it lists no modules."""
    file = folder / "modules.json"
    return [folder / str(module.get("path", "")) for module in read_json(file)] if file.is_file() else [folder]


def max_tokens(transformer: Path, config: Config) -> int:
    """Return the maximum length of a transformer's input in tokens, including special tokens.

    Raises ValueError if the files don't say.
    """
    stated = [
        read_options(transformer / "sentence_bert_config.json").get("max_seq_length"),
        read_options(transformer / "tokenizer_config.json").get("model_max_length"),
    ]
    positions = config.get("max_position_embeddings")
    if isinstance(positions, int) and config.get("model_type") in OFFSET_POSITIONS:
        positions -= 2
    # The first stated length applies, up to the number of positions. transformers writes a 30-digit integer for
    # "unlimited", so that the number of positions applies.
    lengths = [length for length in stated if isinstance(length, int) and length > 0][:1]
    lengths += [positions] if isinstance(positions, int) else []
    if not lengths or min(lengths) > 10**9:
        raise ValueError(message("it doesn't say how many tokens the model can read"))
    return min(lengths)


def digest(paths: list[Path]) -> str:
    """Return a hash of the files' names, sizes, and evenly spaced samples. Reading gigabytes would be too slow."""
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
