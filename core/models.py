"""The models there are names for: which are on this machine, what each is by its own folder, how to have the others."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import distributions
from pathlib import Path
from typing import Literal

from core import embedding, reranking
from core.config import settings
from core.embedding import EMBEDDERS, bundled, e5, hub, onnx, packaged, sentence, tokens
from core.embedding.device import Device, Running, choose
from core.embedding.folder import Facts, bytes_in, facts, languages
from core.errors import ConfigError, ModelError, TesseraError
from core.model import Progress, unheard
from core.reranking import RERANKERS, cross_encoder, own

Part = Literal["embedder", "reranker"]

LANGUAGES = ("multilingual", "zh", "en")
"""Those of the bundled model, as its card says: 100, Chinese and English among them."""

NO_MODEL = (embedding.AUTO, reranking.NONE, "")
"""What may stand in the place of a name."""


@dataclass(frozen=True, slots=True)
class ModelCard:
    """A model by the name that a base or a search gives it.

    `problem` says why it can't be used now, and what to do. What is read off its folder is missing where
    there is none, or no statement in it: `languages` are codes or words, `input_tokens` counts special
    tokens too. `downloadable` ones can be had from the hub, of about `download_bytes` where that is
    known. `running` is there once its model is loaded in this process. `server` answers for it. An
    embedder that `tells_tokens` can have their bits kept, for late interaction.
    """

    name: str
    part: Part
    problem: str = ""
    folder: Path | None = None
    bytes_on_disk: int = 0
    languages: tuple[str, ...] = ()
    dimension: int | None = None
    input_tokens: int | None = None
    downloadable: bool = False
    download_bytes: int = 0
    running: Running | None = None
    server: str = ""
    tells_tokens: bool = False


def cards(named: Iterable[str] = ()) -> list[ModelCard]:
    """Return the models of the tables, of this machine and `named` ones; loads no model and asks no server."""
    # A base of another installation may name what this one has no table row for.
    known = [name for name in named if name.partition(":")[0] in EMBEDDERS | RERANKERS]
    found = [*known, *_on_machine()]
    rows = [kind for kind in EMBEDDERS if kind != "sentence"]
    names = ["bundled", "onnx", *found, *rows, *_rerankers(found)]
    told = [card(name) for name in dict.fromkeys(names) if name not in NO_MODEL]
    # One that is named in two ways is shown as its base names it.
    first = {(one.part, one.folder or one.name): one for one in reversed(told)}
    return sorted((one for one in told if first[one.part, one.folder or one.name] is one), key=lambda one: one.part)


def card(name: str) -> ModelCard:
    """Describe a model; raises ConfigError for a name of neither table."""
    part, kind, argument = parse(name)
    describe = _DESCRIBERS.get(kind, _plain)
    try:
        told = describe(ModelCard(name, part), argument)
    except TesseraError as error:
        return ModelCard(name, part, problem=str(error))
    if part == "reranker":
        return replace(told, running=getattr(reranking.built(name), "running", None))
    if told.problem:
        return told
    embedder = embedding.built(name) or embedding.make(name)
    return replace(told, tells_tokens=tokens.of(embedder) is not None, running=getattr(embedder, "running", None))


def device_of(card: ModelCard) -> Device | None:
    """Return where a model runs, or would; None for one without a model here. Imports torch."""
    if card.running:
        return card.running.device
    kind = card.name.partition(":")[0]
    if kind == "onnx":
        return onnx.PROCESSOR
    return choose() if kind in ("bundled", "sentence", "late-interaction", "cross-encoder") else None


def parse(name: str) -> tuple[Part, str, str]:
    """Return what a name is of, its table's name, and what stands behind the colon."""
    kind, _, argument = name.partition(":")
    if kind in EMBEDDERS:
        return "embedder", kind, argument
    if kind in RERANKERS:
        return "reranker", kind, argument
    raise ConfigError(
        f"'{name}' is neither an embedder nor a reranker. Write sentence:OWNER/MODEL for an embedder, "
        f"cross-encoder:OWNER/MODEL for a reranker, or one of: {', '.join([*EMBEDDERS, *RERANKERS])}."
    )


def usable_rerankers(named: Iterable[str] = ()) -> list[str]:
    """Return the rerankers that a search can name now, without asking a server; `none` is not among them."""
    names = [name for name in _rerankers([*named, *_on_machine()]) if name not in NO_MODEL]
    return [name for name in names if not card(name).problem]


def path(name: str) -> Path:
    """Return the folder of a model's files; what this program writes itself is written where it isn't yet.

    Raises ModelError where the model isn't on this machine, ConfigError for what has no files.
    """
    _, kind, argument = parse(name)
    if kind == "bundled":
        return bundled.find()[1]()
    if kind == "onnx":
        encoder = onnx.build(argument)
        return onnx.ensure_file(encoder.facts, encoder.name).parent
    told = card(name)
    if told.problem:
        raise ModelError(told.problem)
    if told.folder is None:
        raise ConfigError(f"'{name}' has no files of its own on this machine.")
    return told.folder


def download(name: str, progress: Progress = unheard) -> Path:
    """Return the folder of a model of the hub, downloaded where it isn't there whole; `progress` counts bytes.

    Raises ModelError where it can't be had, or is of another kind than the name says.
    """
    _, kind, _ = parse(name)
    if kind == "sentence" and (known := _on_hub(name)):
        folder = hub.snapshot(known, "sentence", progress)
        facts(folder, known)
        return folder
    if kind == "cross-encoder" and (known := _on_hub(name)):
        folder = hub.snapshot(known, "cross-encoder", progress)
        cross_encoder.facts(folder)
        return folder
    return path(name)


def _on_hub(name: str) -> str:
    """The hub's name of a sentence or cross-encoder model, empty for a folder or a package."""
    _, kind, argument = parse(name)
    if not argument.strip():
        (embedding if kind == "sentence" else reranking).make(name)  # says what a name is like, where one is needed
        return ""
    return sentence.on_hub(argument, sentence.DEFAULT_OWNER if kind == "sentence" else cross_encoder.DEFAULT_OWNER)


def _rerankers(found: Iterable[str]) -> list[str]:
    """The names of rerankers that are worth telling, each once."""
    pairs = [name for name in found if name.partition(":")[0] in RERANKERS]
    pairs += [f"cross-encoder:{known.name}" for known in cross_encoder.RECOMMENDED]
    shipped = ["cross-encoder"] if own.shipped() else []
    rows = [kind for kind in RERANKERS if kind != "cross-encoder"]
    return list(dict.fromkeys(["late-interaction", *shipped, *pairs, *rows]))


def _on_machine() -> Iterator[str]:
    """The models of the hub and of packages that are on this machine."""
    for name in hub.names():
        pair = hub.cached(name, "cross-encoder")
        if pair and _scores_pairs(pair):
            yield f"cross-encoder:{name}"
        elif hub.begun(name):
            yield f"sentence:{name}"
    yield from _in_packages()


def _scores_pairs(folder: Path) -> bool:
    try:
        cross_encoder.facts(folder)
    except ModelError:
        return False
    return True


@cache
def _in_packages() -> list[str]:
    # The list of a package's files is searched as it is: to take apart the lists of all packages takes a second.
    found = [one for one in distributions() if packaged.MARK in (one.read_text("RECORD") or "")]
    return sorted(f"sentence:{sentence.PACKAGE}{one.name}" for one in found)


def _plain(told: ModelCard, argument: str) -> ModelCard:
    """What needs no model: making it is all there is."""
    if told.part == "reranker":
        reranking.make(told.name)
        return told
    made = embedding.make(told.name)
    return replace(told, dimension=made.dimension, input_tokens=made.input_tokens)


def _tfidf(told: ModelCard, argument: str) -> ModelCard:
    return replace(_plain(told, argument), languages=("zh", "en"))


def _bundled(told: ModelCard, argument: str) -> ModelCard:
    told = replace(told, dimension=bundled.DIMENSION, languages=LANGUAGES)
    folder = e5.models_dir() / e5.NAME if e5.available() else hub.cached(bundled.ON_HUB)
    if folder is None:
        return replace(told, problem=_missing(told.name, bundled.ON_HUB))
    # Written at the first use.
    return _of_folder(told, facts(folder, folder.name)) if folder.is_dir() else told


def _onnx(told: ModelCard, argument: str) -> ModelCard:
    encoder = onnx.build(argument)
    source = card(f"sentence:{argument}" if argument else "bundled")
    told = replace(source, name=told.name, folder=None, bytes_on_disk=0)
    if source.folder is None:
        return told
    folder = onnx.folder_of(encoder.facts, encoder.name)
    return replace(told, folder=folder, bytes_on_disk=bytes_in(folder)) if folder.is_dir() else told


def _sentence(told: ModelCard, argument: str) -> ModelCard:
    known = _on_hub(told.name)
    folder = hub.cached(known) if known else sentence.find(argument)[1]()
    if folder is None:
        return replace(told, problem=_missing(told.name, known), downloadable=True)
    return _of_folder(told, facts(folder, known or folder.name))


def _cross_encoder(told: ModelCard, argument: str) -> ModelCard:
    known = _on_hub(told.name)
    if not argument.strip():
        return replace(
            told,
            folder=own.WEIGHTS.parent,
            bytes_on_disk=own.WEIGHTS.stat().st_size,
            languages=("zh", "en"),
            input_tokens=cross_encoder.facts(own.WEIGHTS.parent).max_tokens,
            problem=card("bundled").problem,
        )
    listed = next((one for one in cross_encoder.RECOMMENDED if one.name == known), None)
    if listed:
        told = replace(told, languages=(listed.languages,), download_bytes=listed.megabytes * 10**6)
    folder = hub.cached(known, "cross-encoder") if known else Path(argument).expanduser()
    if folder is None:
        return replace(told, problem=_missing(told.name, known), downloadable=True)
    return replace(
        told,
        folder=folder,
        bytes_on_disk=bytes_in(folder),
        languages=languages(folder) or told.languages,
        input_tokens=cross_encoder.facts(folder).max_tokens,
    )


def _late_interaction(told: ModelCard, argument: str) -> ModelCard:
    source = card("bundled")
    return replace(told, languages=LANGUAGES, problem=source.problem)


def _server(told: ModelCard, argument: str) -> ModelCard:
    given = settings()
    sections = {"openai_compatible": given.embeddings, "rerank-api": given.rerank, "llm": given.llm}
    named = sections[told.name.partition(":")[0]]
    told = replace(told, server=f"{argument or named.model} · {named.base_url}" if named.base_url else "")
    if told.part == "reranker":
        reranking.make(told.name)
        return told
    embedding.make(told.name)
    return replace(told, dimension=given.embeddings.dimensions, input_tokens=given.embeddings.input_tokens)


def _of_folder(told: ModelCard, read: Facts) -> ModelCard:
    return replace(
        told,
        folder=read.folder,
        bytes_on_disk=bytes_in(read.folder),
        languages=languages(read.folder) or told.languages,
        dimension=read.dimension,
        input_tokens=read.max_tokens,
    )


def _missing(name: str, known: str) -> str:
    kind: hub.Kind = "cross-encoder" if name.startswith("cross-encoder") else "sentence"
    lack = (
        "Only a part of the model is on this machine" if hub.begun(known, kind) else "The model isn't on this machine"
    )
    return f"{lack}. Download it: tessera models download {name}, or put its files into {hub.by_hand(known)}"


_DESCRIBERS: dict[str, Callable[[ModelCard, str], ModelCard]] = {
    "bundled": _bundled,
    "onnx": _onnx,
    "sentence": _sentence,
    "tfidf": _tfidf,
    "openai_compatible": _server,
    "late-interaction": _late_interaction,
    "cross-encoder": _cross_encoder,
    "rerank-api": _server,
    "llm": _server,
}
