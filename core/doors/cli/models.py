"""The command `tessera models`, which lists, tests and downloads models, and switches a base's embedder."""

from collections.abc import Mapping
from typing import Annotated, Self

import typer

from core.base.codec import assemble
from core.base.errors import ConfigError
from core.base.frozen import TextMap, Texts, frozen
from core.base.terminal import _, say
from core.doors.cli.calling import call
from core.doors.cli.options import WORKSPACE, Folder, Json, argument, option
from core.doors.cli.terminal import ask_secret, progress, show
from core.model import Device, ModelTrial, Part, ServerCard, ServerTrial
from core.operations import models as operations
from core.operations.declaring import without_none
from core.operations.models import ModelDetails, ModelList, format_models
from core.operations.printing import details

# Servers that run models.


@frozen
class ServerList:
    """Model servers. `test` is the result of testing a server, or None if no server was tested."""

    servers: tuple[ServerCard, ...]
    test: ServerTrial | None


def server(
    name: Annotated[
        str | None, argument("Which server: embeddings (meaning), rerank (reranking) or llm (language model).")
    ] = None,
    url: Annotated[str | None, typer.Option(help=_("The server's address, such as http://localhost:11434/v1."))] = None,
    model: Annotated[str | None, typer.Option(help=_("The name of the model on the server."))] = None,
    key: Annotated[
        bool,
        option(
            "--key", "Prompt for the server's key and save it. Without a terminal, read the key from standard input."
        ),
    ] = False,
    remove_key: Annotated[bool, option("--remove-key", "Delete the saved key.")] = False,
    remove: Annotated[bool, option("--remove", "Delete the address, the model and the key.")] = False,
    test: Annotated[bool, option("--test", "Test the server and report the result.")] = False,
    workspace: Folder = WORKSPACE,
    as_json: Json = False,
) -> None:
    from core.indexing.models.servers import Servers

    servers = Servers()
    changes = without_none({"base_url": url, "model": model})
    trial = None
    if name is None:
        if changes or key or remove_key or remove or test:
            raise ConfigError("Name the server: embeddings, rerank or llm.")
    else:
        servers.get(name)
        if remove:
            servers.delete_for_good(name)
        if changes:
            servers.update(name, **changes)
        if remove_key:
            servers.remove_key(name)
        if key:
            servers.enter_key(name, ask_secret(_("Key")).strip())
        if test:
            trial = servers.test(name, progress)
    show(ServerList((servers.get(name),) if name else tuple(servers.all()), trial), as_json, _format_servers)


def _format_servers(listed: ServerList) -> list[str]:
    lines = []
    for server in listed.servers:
        lines += [*details(server), ""]
        if server.host and not server.here:
            lines.append(
                _("The text of your notes leaves this machine, encrypted.")
                if server.encrypted
                else _("The text of your notes and the key leave this machine UNENCRYPTED. Use https:// instead.")
            )
    if listed.test:
        lines += [*details(listed.test), say(listed.test.verdict)]
    return lines


app = typer.Typer()

Model = Annotated[str, argument("A name shown by `tessera models list`, such as sentence:BAAI/bge-m3.")]
BaseName = Annotated[str, argument("The knowledge base.")]


@app.command("list", help=say(operations.list_.about))
def list_(workspace: Folder = WORKSPACE, as_json: Json = False) -> None:
    from core.indexing.models import Models
    from core.workspace import is_there  # takes a second to import, so --help avoids it

    if is_there(workspace):
        listed = call(operations.list_, workspace, {})
    else:
        listed = ModelList(tuple(map(ModelDetails.from_card, Models.without_bases())))
    show(listed, as_json, format_models)


@frozen
class TestedModel:
    """A model's test result.

    For each language, `ranking` contains the number of questions (`asked`), and the number of questions for which the
    right sentence was ranked first (`right`).
    """

    name: str
    part: Part
    seconds_to_load: float
    ms_per_text: float
    dimension: int | None
    device: Device | None
    memory_bytes: int | None
    process_bytes: int | None
    languages: Texts
    ranking: Mapping[str, Mapping[str, int]]
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
            ranking={name: {"right": trial.right[name], "asked": count} for name, count in trial.asked.items()},
        )


@app.command(
    "test",
    help=_(
        "Load a model and have it rank a few sentences in Chinese and English. Exit with 1 if the model ranks them "
        "wrongly."
    ),
)
def try_(name: Model, workspace: Folder = WORKSPACE, as_json: Json = False) -> None:
    from core.indexing.models import Models

    trial = Models.test(name, progress)
    show(TestedModel.from_trial(trial), as_json, details)
    if not trial.usable:
        raise typer.Exit(1)


app.command(help=_("Set up and test the servers that run models. Without a name, list them."))(server)


@app.command(
    help=_("Download a model from huggingface.co, or from the mirror set in the environment variable HF_ENDPOINT.")
)
def download(name: Model, workspace: Folder = WORKSPACE, as_json: Json = False) -> None:
    from core.indexing.models import Models

    show({"name": name, "folder": str(Models.download(name, progress))}, as_json, _folder)


@app.command(help=_("Show the folder that contains a model's files. The built-in model is unpacked first if needed."))
def path(name: Model, workspace: Folder = WORKSPACE, as_json: Json = False) -> None:
    from core.indexing.models import Models

    show({"name": name, "folder": str(Models.path(name))}, as_json, _folder)


def _folder(values: TextMap) -> list[str]:
    return [values["folder"]]
