"""`tessera models`: lists, tests and downloads models, and switches the embedder of a base."""

import sys
from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Self

import typer

from core.base.codec import assemble
from core.base.errors import ConfigError
from core.base.frozen import frozen
from core.base.messages import message_table
from core.base.terminal import _, say
from core.doors.cli.calling import call
from core.doors.cli.options import WORKSPACE, Folder, Json, argument, option
from core.doors.cli.output import progress, show
from core.model import Device, ModelTrial, Part, ServerCard, ServerTrial
from core.operations import models as operations
from core.operations.models import ModelDetails, ModelList, format_languages, format_models, megabytes

# `tessera models server`: shows, sets up and tests the servers that run models.

SOURCES = message_table(
    {
        "environment": "from the environment",
        "file": "from tessera.toml",
        "entered": "entered",
        "default": "not set up",
    }
)
KEYS = message_table(
    {
        "environment": "key: from the environment variable {variable}",
        "keyring": "key: in the system's keyring",
        "file": "key: in a file that only you can read",
        "": "key: none",
    }
)


@frozen
class ServerList:
    """Model servers, and the result of testing one of them."""

    servers: tuple[ServerCard, ...]
    test: ServerTrial | None


def server(
    name: Annotated[str | None, argument("embeddings (meaning), rerank (reranking) or llm (language model).")] = None,
    url: Annotated[str | None, typer.Option(help=_("Its address, such as http://localhost:11434/v1."))] = None,
    model: Annotated[str | None, typer.Option(help=_("The name of the model on the server."))] = None,
    key: Annotated[
        bool, option("--key", "Ask for the server's key and save it; without a terminal, read a line from stdin.")
    ] = False,
    remove_key: Annotated[bool, option("--remove-key", "Delete the saved key.")] = False,
    remove: Annotated[bool, option("--remove", "Delete the address, the model and the key.")] = False,
    test: Annotated[bool, option("--test", "Test the server and report the result.")] = False,
    workspace: Folder = WORKSPACE,
    as_json: Json = False,
) -> None:
    from core.indexing.models.servers import Servers

    servers = Servers()
    trial = None
    if name is None:
        if url is not None or model is not None or key or remove_key or remove or test:
            raise ConfigError("Name the server: embeddings, rerank or llm.")
    else:
        servers.get(name)
        if remove:
            servers.delete_for_good(name)
        entered = {"base_url": url, "model": model}
        if changes := {field: value for field, value in entered.items() if value is not None}:
            servers.update(name, **changes)
        if remove_key:
            servers.remove_key(name)
        if key:
            servers.enter_key(name, _typed_key())
        if test:
            trial = servers.test(name, progress)
    cards = (servers.get(name),) if name else tuple(servers.all())
    show(ServerList(cards, trial), as_json, _format_servers)


def _typed_key() -> str:
    if sys.stdin.isatty():
        return str(typer.prompt(_("Key"), hide_input=True, err=True))
    return sys.stdin.readline().strip()


def _format_servers(listed: ServerList) -> list[str]:
    lines = [line for server in listed.servers for line in _format_server(server)]
    if test := listed.test:
        lines.append(_("The server answered in {ms:,.0f} ms.", ms=1000 * test.seconds))
        if test.dimension:
            lines.append(_("{n} numbers per text", n=test.dimension))
        lines.append(say(test.verdict))
    return lines


def _format_server(server: ServerCard) -> list[str]:
    lines = [f"{server.section}: {server.base_url or '-'} ({say(SOURCES[server.sources['base_url']])})"]
    if server.base_url:
        source = say(SOURCES[server.sources["model"]])
        lines.append("    " + _("model: {model} ({source})", model=server.model or "-", source=source))
        lines.append("    " + say(replace(KEYS[server.key], fields={"variable": server.variable})))
    if server.host and not server.here:
        if server.encrypted:
            lines.append("    " + _("The text of your notes leaves this machine, encrypted."))
        else:
            lines.append(
                "    " + _("The text of your notes and the key leave this machine UNENCRYPTED. Use https:// instead.")
            )
    return lines


app = typer.Typer()

Model = Annotated[str, argument("A name that `tessera models list` shows, such as sentence:BAAI/bge-m3.")]
BaseName = Annotated[str, argument("The knowledge base.")]


@app.command("list", help=say(operations.list_.about))
def list_(workspace: Folder = WORKSPACE, as_json: Json = False) -> None:
    from core.indexing.models import Models

    if workspace.is_dir():
        listed = call(operations.list_, workspace, {})
    else:
        listed = ModelList(tuple(map(ModelDetails.from_card, Models.without_bases())))
    show(listed, as_json, format_models)


@frozen
class ModelRanking:
    """Number of questions in a model's test (`asked`), and of those that ranked the right sentence first (`right`)."""

    right: int
    asked: int


@frozen
class TestedModel:
    """The test result of a model, with a ranking for each language."""

    name: str
    part: Part
    seconds_to_load: float
    ms_per_text: float
    dimension: int | None
    device: Device | None
    memory_bytes: int | None
    process_bytes: int | None
    languages: tuple[str, ...]
    ranking: Mapping[str, ModelRanking]
    usable: bool

    @classmethod
    def from_trial(cls, trial: ModelTrial) -> Self:
        running = trial.running
        return assemble(
            cls,
            trial,
            seconds_to_load=round(trial.seconds_to_load, 3),
            ms_per_text=round(1000 * trial.seconds_a_text, 3),
            device=running.device if running else None,
            memory_bytes=running.bytes if running else None,
            process_bytes=trial.resident_bytes,
            ranking={name: ModelRanking(trial.right[name], count) for name, count in trial.asked.items()},
        )


@app.command(
    "test",
    help=_(
        "Load a model and have it rank a few sentences in Chinese and English; exit with 1 if it ranks them wrongly."
    ),
)
def try_(name: Model, workspace: Folder = WORKSPACE, as_json: Json = False) -> None:
    from core.indexing.models import Models

    trial = Models.test(name, progress)
    show(TestedModel.from_trial(trial), as_json, _format_test)
    if not trial.usable:
        raise typer.Exit(1)


app.command(help=_("Set up and test the servers that run models; without a name, show them."))(server)


@frozen
class ModelFolder:
    """A model, and the folder of its files."""

    name: str
    folder: str


@app.command(
    help=_("Download a model from huggingface.co, or from the mirror that the environment variable HF_ENDPOINT names.")
)
def download(name: Model, workspace: Folder = WORKSPACE, as_json: Json = False) -> None:
    from core.indexing.models import Models

    show(ModelFolder(name, str(Models.download(name, progress))), as_json, lambda model: [model.folder])


@app.command(help=_("Show the folder of a model's files; the built-in model is unpacked first if needed."))
def path(name: Model, workspace: Folder = WORKSPACE, as_json: Json = False) -> None:
    from core.indexing.models import Models

    show(ModelFolder(name, str(Models.path(name))), as_json, lambda model: [model.folder])


def _format_test(test: TestedModel) -> list[str]:
    lines = [_("loaded in {seconds:.1f} s, {ms:.1f} ms per text", seconds=test.seconds_to_load, ms=test.ms_per_text)]
    if test.dimension:
        lines.append(_("{n} numbers per text", n=test.dimension))
    if device := test.device:
        lines.append(
            _("on {device} in {dtype}: {reason}", device=device.name, dtype=device.dtype, reason=device.reason)
        )
        lines.append(_("the model uses {size} of memory", size=megabytes(test.memory_bytes or 0)))
    if test.process_bytes:
        lines.append(_("the whole program uses {size}", size=megabytes(test.process_bytes)))
    names = message_table({"en": "English", "zh": "Chinese"})
    wrong = [names[language] for language, ranking in test.ranking.items() if ranking.right < ranking.asked]
    for language, ranking in test.ranking.items():
        counts = {"language": names[language], "right": ranking.right, "n": ranking.asked}
        if names[language] in wrong:
            lines.append(_("{language}: WRONG, {right} of {n} questions ranked their sentence first", **counts))
        else:
            lines.append(_("{language}: right, {right} of {n} questions ranked their sentence first", **counts))
    if test.languages:
        lines.append(
            _("languages, according to its description: {languages}", languages=format_languages(test.languages))
        )
    if not test.usable:
        return [*lines, _("not usable: choose another model")]
    return [
        *lines,
        _("usable, but not for notes in these languages: {languages}", languages=wrong) if wrong else _("usable"),
    ]
