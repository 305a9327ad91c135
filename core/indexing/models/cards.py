"""Cards of the known models. A card shows a model's properties, whether it is on this machine, and how to get it."""

import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cache
from importlib.metadata import distributions
from pathlib import Path

from core import embedding, reranking
from core.base import files
from core.base.app_paths import expand_home
from core.base.errors import ConfigError, ModelError, TesseraError
from core.base.messages import Message, message
from core.embedding import EMBEDDERS, e5, hub, is_built_in, onnx, sentence, tokens
from core.embedding.loading import choose_device
from core.embedding.model_folder import ModelFacts, languages, read_facts
from core.model import Device, ModelCard, Part, Progress, no_progress
from core.reranking import RERANKERS, cross_encoder
from core.settings.config import settings
from core.settings.sections import EmbeddingServer

# Languages shown for the bundled model. Its model card lists 100.
LANGUAGES = ("multilingual", "zh", "en")

_BY_TORCH = ("bundled", "sentence", "late-interaction", "cross-encoder")
# Values of settings that don't name a model.
NO_MODEL = (embedding.AUTO, reranking.NONE, "")


def cards(names: Iterable[str] = ()) -> list[ModelCard]:
    """Return cards for the models that Tessera knows, those on this machine, and those in `names`.

    No models are loaded, and no requests are sent.
    """
    # A base from another installation may name a kind of model that isn't installed here.
    known = [name for name in names if name.partition(":")[0] in (*EMBEDDERS, *RERANKERS)]
    local = [*known, *_on_machine()]
    kinds = [kind for kind in EMBEDDERS if kind not in ("sentence", "server")]
    kinds += [f"server:{name}" for name in settings().embeddings.servers]
    every = dict.fromkeys(["bundled", "onnx", *local, *kinds, *_rerankers(local)])
    # A model with two names gets one card, under the name in its base.
    unique: dict[tuple[Part, Path | str], ModelCard] = {}
    for name in every:
        if name not in NO_MODEL:
            described = card(name)
            unique.setdefault((described.part, described.folder or name), described)
    return sorted(unique.values(), key=lambda card: card.part)


def card(name: str) -> ModelCard:
    """Return a model's card. Raises ConfigError if the model's kind is unknown."""
    part, kind, argument = parse(name)
    describe = _DESCRIBERS.get(kind, _plain)
    try:
        described = describe(ModelCard(name, part), argument)
    except TesseraError as error:
        return ModelCard(name, part, problem=error.message)
    if part == "reranker":
        return replace(described, running=getattr(reranking.built(name), "running", None))
    if described.problem:
        return described
    embedder = embedding.built(name) or embedding.make(name)
    return replace(
        described,
        has_token_vectors=tokens.token_embedder(embedder) is not None,
        running=getattr(embedder, "running", None),
    )


def device_of(card: ModelCard) -> Device | None:
    """Return the device that a model runs on or would run on.

    Return None if the model has no device on this machine, or if torch is needed but not imported yet.
    """
    if card.running:
        return card.running.device
    if (kind := card.name.partition(":")[0]) == "onnx":
        return onnx.PROCESSOR
    return choose_device() if kind in _BY_TORCH and "torch" in sys.modules else None


def parse(name: str) -> tuple[Part, str, str]:
    """Split a model's name into its role (embedder or reranker), kind and argument.

    Raises ConfigError if the kind is unknown.
    """
    kind, _, argument = name.partition(":")
    if kind in EMBEDDERS:
        return "embedder", kind, argument
    if kind in RERANKERS:
        return "reranker", kind, argument
    raise ConfigError(
        "There is no model '{name}'. Write sentence:OWNER/MODEL for searching by meaning, "
        "cross-encoder:OWNER/MODEL for reranking, or one of: {names}.",
        name=name,
        names=[*EMBEDDERS, *RERANKERS],
    )


def usable_rerankers(names: Iterable[str] = ()) -> list[str]:
    """Return the usable rerankers: those that Tessera knows, those on this machine, and those in `names`."""
    return [name for name in _rerankers([*names, *_on_machine()]) if name not in NO_MODEL and not card(name).problem]


def path(name: str) -> Path:
    """Return the folder with a model's files. If Tessera generates them (`bundled`, `onnx`), write them first.

    Raises ModelError if the model isn't on this machine, and ConfigError if it has no files.
    """
    _, kind, argument = parse(name)
    if kind == "bundled":
        return sentence.find_bundled()[1]()
    if kind == "onnx":
        encoder = onnx.build(argument)
        return onnx.ensure_file(encoder.facts, encoder.name).parent
    described = card(name)
    if described.problem:
        raise ModelError(described.problem)
    if described.folder is None:
        raise ConfigError("'{name}' has no files of its own on this machine.", name=name)
    return described.folder


def download(name: str, progress: Progress = no_progress) -> Path:
    """Download a model from the hub unless it is already here, and return its folder. `progress` counts bytes.

    If the model doesn't come from the hub, return its folder as `path` does.

    Raises ModelError if the download fails, or if the model isn't of the kind in its name.
    """
    _, kind, _ = parse(name)
    if kind not in ("sentence", "cross-encoder") or not (hub_name := _on_hub(name)):
        return path(name)
    if kind == "sentence":
        read_facts(folder := hub.snapshot(hub_name, "sentence", progress), hub_name)
    else:
        cross_encoder.facts(folder := hub.snapshot(hub_name, "cross-encoder", progress))
    return folder


def _on_hub(name: str) -> str:
    """Return the hub name of a sentence or cross-encoder model, or "" for a folder or a package."""
    _, kind, argument = parse(name)
    if not argument.strip():
        # If the argument is required, this raises an error with examples.
        (embedding if kind == "sentence" else reranking).make(name)
        return ""
    return sentence.on_hub(argument, sentence.DEFAULT_OWNER if kind == "sentence" else cross_encoder.DEFAULT_OWNER)


def _rerankers(local: Iterable[str]) -> list[str]:
    """Return the names of the rerankers to list: the recommended ones, those in `local`, and all known kinds."""
    pairs = [name for name in local if name.partition(":")[0] in RERANKERS]
    pairs += [f"cross-encoder:{model}" for model in cross_encoder.RECOMMENDED]
    quick = [kind for kind in RERANKERS if RERANKERS[kind].reads_tokens]
    return list(dict.fromkeys([*quick, "cross-encoder", *pairs, *RERANKERS]))


def _on_machine() -> Iterator[str]:
    """Yield the names of the models on this machine that come from the hub or from packages."""
    for name in hub.names():
        with suppress(ModelError):
            if folder := hub.cached(name, "cross-encoder"):
                cross_encoder.facts(folder)
                yield f"cross-encoder:{name}"
                continue
        if hub.folders(name):
            yield f"sentence:{name}"
    yield from _in_packages()


@cache
def _in_packages() -> list[str]:
    # Search the raw text of RECORD, because parsing the file lists of all packages takes a second.
    packages = [package for package in distributions() if hub.PACKAGE_MARK in (package.read_text("RECORD") or "")]
    return sorted(f"sentence:{sentence.PACKAGE}{package.name}" for package in packages)


def _plain(model: ModelCard, argument: str) -> ModelCard:
    """Complete the card of an embedder or reranker that has no model files.

    Raises the same errors as building the model.
    """
    if model.part == "reranker":
        reranking.make(model.name)
        return model
    embedder = embedding.make(model.name)
    return replace(model, dimension=embedder.dimension, input_tokens=embedder.input_tokens)


def _bundled(model: ModelCard, argument: str) -> ModelCard:
    model = replace(model, dimension=sentence.BUNDLED_DIMENSION, languages=LANGUAGES)
    folder = e5.models_dir() / e5.NAME if e5.is_available() else hub.cached(sentence.BUNDLED_ON_HUB)
    if folder is None:
        return replace(_absent(model, sentence.BUNDLED_ON_HUB), downloadable=False)
    if not folder.is_dir():
        return model  # the folder is created at the first use of the model
    return _folder_card(model, read_facts(folder, folder.name))


def _onnx(model: ModelCard, argument: str) -> ModelCard:
    encoder = onnx.build(argument)
    source = card(f"sentence:{argument}" if argument else "bundled")
    model = replace(source, name=model.name, folder=None, bytes_on_disk=0)
    if source.folder is None:
        return model
    folder = onnx.graph_folder(encoder.facts, encoder.name)
    return replace(model, folder=folder, bytes_on_disk=files.size(folder)) if folder.is_dir() else model


def _sentence(model: ModelCard, argument: str) -> ModelCard:
    hub_name = _on_hub(model.name)
    folder = hub.cached(hub_name) if hub_name else sentence.find(argument)[1]()
    if folder is None:
        return _absent(model, hub_name)
    return _folder_card(model, read_facts(folder, hub_name or folder.name))


def _cross_encoder(model: ModelCard, argument: str) -> ModelCard:
    hub_name = _on_hub(model.name)
    if not argument.strip():
        return replace(
            model,
            folder=cross_encoder.WEIGHTS.parent,
            bytes_on_disk=cross_encoder.WEIGHTS.stat().st_size,
            languages=("zh", "en"),
            input_tokens=cross_encoder.facts(cross_encoder.WEIGHTS.parent).max_tokens,
            problem=card("bundled").problem,
        )
    if recommended := cross_encoder.RECOMMENDED.get(hub_name):
        megabytes, spoken = recommended
        model = replace(model, languages=spoken, download_bytes=megabytes * 10**6)
    folder = hub.cached(hub_name, "cross-encoder") if hub_name else expand_home(argument)
    if folder is None:
        return _absent(model, hub_name)
    return _folder_card(model, cross_encoder.facts(folder))


def _server(model: ModelCard, argument: str) -> ModelCard:
    (reranking if model.part == "reranker" else embedding).make(model.name)
    kind = model.name.partition(":")[0]
    configured = settings()
    sections = {
        "openai_compatible": configured.embeddings,
        "rerank-api": configured.rerank,
        "llm": configured.llm,
    }
    section = configured.embeddings.servers[argument] if kind == "server" else sections[kind]
    name = section.model if kind == "server" else argument or section.model
    model = replace(model, server=f"{name} · {section.base_url}" if section.base_url else "")
    if not isinstance(section, EmbeddingServer):
        return model
    return replace(model, dimension=section.dimensions, input_tokens=section.input_tokens)


def _folder_card(model: ModelCard, facts: ModelFacts | cross_encoder.CrossEncoderFacts) -> ModelCard:
    return replace(
        model,
        folder=facts.folder,
        bytes_on_disk=files.size(facts.folder),
        languages=languages(facts.folder) or model.languages,
        dimension=getattr(facts, "dimension", None),
        input_tokens=facts.max_tokens,
    )


def _absent(model: ModelCard, hub_name: str) -> ModelCard:
    problem = message(
        (
            "The model isn't on this machine. Download it with 'tessera models download {name}', or put its files into "
            "{folder}"
        ),
        name=model.name,
        folder=str(hub.manual_folder(hub_name)),
    )
    return replace(model, problem=problem, downloadable=True)


_DESCRIBERS: dict[str, Callable[[ModelCard, str], ModelCard]] = {
    "bundled": _bundled,
    "onnx": _onnx,
    "sentence": _sentence,
    "tfidf": lambda model, argument: replace(_plain(model, argument), languages=("zh", "en")),
    "openai_compatible": _server,
    "server": _server,
    "late-interaction": lambda model, _: replace(model, languages=LANGUAGES, problem=card("bundled").problem),
    "cross-encoder": _cross_encoder,
    "rerank-api": _server,
    "llm": _server,
}


_PLACE = re.compile(r"\\\\|/.*/|^[A-Za-z]:")


def needs(name: str) -> Message:
    """Return a message that says whether an embedding model needs the network, a server, or files on this machine."""
    kind, _, argument = name.partition(":")
    if kind not in EMBEDDERS:
        return message("This version of Tessera doesn't know this model.")
    if is_built_in(name):
        return message("The model is part of Tessera and needs no network.")
    if kind == "sentence" and (argument.startswith((sentence.PACKAGE, "/", ".", "~")) or _PLACE.search(argument)):
        # An imported base may name any path. Don't access it: it may be on another machine.
        return message("The model is read from the folder {folder} on this machine.", folder=argument)
    described = card(name)
    if kind in ("openai_compatible", "server"):
        if not described.server:
            return message(
                "The model runs on a server, which must be set up first. The text of the notes is sent there."
            )
        return message(
            "The model runs on the server {address}. The text of the notes is sent there.", address=described.server
        )
    if package := EMBEDDERS[kind].package:
        return message("The model comes with the Python package {name}.", name=package)
    if described.downloadable:
        return message(
            "The model isn't on this machine and would be downloaded from huggingface.co. Such a download is often "
            "between 100 MB and 3 GB."
        )
    return described.problem or message(
        "The model is already on this machine ({size:.0f} MB) and needs no network.", size=described.bytes_on_disk / 1e6
    )
