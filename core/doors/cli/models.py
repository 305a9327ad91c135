"""`tessera models`: lists, tests and downloads models, and switches the embedder of a base."""

import sys
from dataclasses import replace
from typing import Annotated, Any

import typer

from core.base.codec import encode
from core.base.errors import ConfigError
from core.base.messages import Message, message
from core.base.terminal import _, say
from core.doors.cli.calling import call
from core.doors.cli.options import WORKSPACE, Folder, Json
from core.doors.cli.output import progress, show
from core.doors.json_forms.models import CARDS
from core.doors.operations import models as operations
from core.model import Part

# `tessera models server`: shows, sets up and tests the servers that run models.

SOURCES = {
    "environment": message("from the environment"),
    "file": message("from tessera.toml"),
    "entered": message("entered"),
    "default": message("not set up"),
}
KEYS = {
    "environment": message("key: from the environment variable {variable}"),
    "keyring": message("key: in the system's keyring"),
    "file": message("key: in a file that only you can read"),
    "": message("key: none"),
}


def server(
    name: Annotated[
        str | None, typer.Argument(help=_("embeddings (meaning), rerank (re-check) or llm (language model)."))
    ] = None,
    url: Annotated[str | None, typer.Option(help=_("Its address, such as http://localhost:11434/v1."))] = None,
    model: Annotated[str | None, typer.Option(help=_("The name of the model on the server."))] = None,
    key: Annotated[
        bool, typer.Option("--key", help=_("Ask for the server's key and keep it; without a terminal, read a line."))
    ] = False,
    remove_key: Annotated[bool, typer.Option("--remove-key", help=_("Delete the key that was kept."))] = False,
    remove: Annotated[bool, typer.Option("--remove", help=_("Delete the address, the model and the key."))] = False,
    test: Annotated[bool, typer.Option("--test", help=_("Ask the server, and say how it did."))] = False,
    workspace: Folder = WORKSPACE,
    as_json: Json = False,
) -> None:
    from core.indexing.models.servers import Servers

    servers = Servers()
    values: dict[str, Any] = {}
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
            values["test"] = encode(servers.test(name, progress))
    values["servers"] = encode([servers.get(name)] if name else servers.all())
    show(values, as_json, _server_lines)


def _typed_key() -> str:
    if sys.stdin.isatty():
        return str(typer.prompt(_("Key"), hide_input=True, err=True))
    return sys.stdin.readline().strip()


def _server_lines(values: dict[str, Any]) -> list[str]:
    lines: list[str] = []
    for server in values["servers"]:
        lines += _lines_of(server)
    if test := values.get("test"):
        lines.append(_("The server answered in {ms:,.0f} ms.", ms=1000 * test["seconds"]))
        if test["dimension"]:
            lines.append(_("{n} numbers per text", n=test["dimension"]))
        if test["right"]:
            lines.append(_("Of three sentences it put the right one first."))
        else:
            lines.append(_("Of three sentences it put a wrong one first. Check that the model fits this purpose."))
    return lines


def _lines_of(server: dict[str, Any]) -> list[str]:
    lines = [f"{server['section']}: {server['base_url'] or '-'} ({say(SOURCES[server['sources']['base_url']])})"]
    if server["base_url"]:
        source = say(SOURCES[server["sources"]["model"]])
        lines.append("    " + _("model: {model} ({source})", model=server["model"] or "-", source=source))
        lines.append("    " + say(replace(KEYS[server["key"]], fields={"variable": server["variable"]})))
    if server["host"] and not server["here"]:
        if server["encrypted"]:
            lines.append("    " + _("The text of your notes leaves this machine, encrypted."))
        else:
            lines.append(
                "    " + _("The text of your notes and the key leave this machine UNENCRYPTED. Use https:// instead.")
            )
    return lines


app = typer.Typer(
    help=_("The models there are, whether they work, how to have others, and which one a base has."),
    no_args_is_help=True,
    rich_markup_mode=None,
)

Model = Annotated[str, typer.Argument(help=_("A name that `tessera models list` shows, such as sentence:BAAI/bge-m3."))]
BaseName = Annotated[str, typer.Argument(help=_("The knowledge base."))]


@app.command("list", help=say(operations.list_.about))
def list_(workspace: Folder = WORKSPACE, as_json: Json = False) -> None:
    from core.indexing.models import Models

    values = call(operations.list_, workspace, {}) if workspace.is_dir() else CARDS(Models.without_bases())
    show(values, as_json, _list_lines)


@app.command(
    "test",
    help=_(
        "Load a model and have it rank a few sentences in Chinese and English; exit with 1 where it ranks them wrongly."
    ),
)
def try_(name: Model, workspace: Folder = WORKSPACE, as_json: Json = False) -> None:
    from core.indexing.models import Models

    trial = Models.test(name, progress)
    running = trial.running
    values = {
        "name": trial.name,
        "part": trial.part,
        "seconds_to_load": round(trial.seconds_to_load, 3),
        "ms_per_text": round(1000 * trial.seconds_a_text, 3),
        "dimension": trial.dimension,
        "device": encode(running.device) if running else None,
        "memory_bytes": running.bytes if running else None,
        "process_bytes": trial.resident_bytes,
        "languages": trial.languages,
        "ranking": {name: {"right": trial.right[name], "asked": count} for name, count in trial.asked.items()},
        "usable": trial.usable,
    }
    show(values, as_json, _test_lines)
    if not trial.usable:
        raise typer.Exit(1)


app.command(help=_("Set up and test the servers that run models; without a name, show them."))(server)


@app.command(
    help=_("Download a model from huggingface.co, or from the mirror that the environment variable HF_ENDPOINT names.")
)
def download(name: Model, workspace: Folder = WORKSPACE, as_json: Json = False) -> None:
    from core.indexing.models import Models

    folder = Models.download(name, progress)
    show({"name": name, "folder": str(folder)}, as_json, lambda values: [values["folder"]])


@app.command(help=_("Show the folder of a model's files; the built-in one is unpacked if it isn't yet."))
def path(name: Model, workspace: Folder = WORKSPACE, as_json: Json = False) -> None:
    from core.indexing.models import Models

    show({"name": name, "folder": str(Models.path(name))}, as_json, lambda values: [values["folder"]])


def _list_lines(values: dict[str, Any]) -> list[str]:
    lines: list[str] = []
    parts: dict[Part, str] = {"embedder": _("Models for meaning"), "reranker": _("Models for the re-check")}
    for part, title in parts.items():
        lines += [*([""] if lines else []), title]
        for model in values["models"]:
            if model["part"] == part:
                lines += _model_lines(model)
    devices = {str(model["device"]["reason"]): model["device"] for model in values["models"] if model["device"]}
    for device in devices.values():
        lines += ["", _("{device}, {dtype}: {reason}", device=device["name"], **device)]
    return lines


def _model_lines(model: dict[str, Any]) -> list[str]:
    facts = [_("ready") if model["usable"] else _("not ready")]
    if model["dimension"]:
        facts.append(_("{n} numbers per text", n=model["dimension"]))
    if model["input_tokens"]:
        facts.append(_("reads {n} tokens", n=model["input_tokens"]))
    if model["languages"]:
        facts.append(_languages(model["languages"]))
    if model["bytes"]:
        facts.append(_("{size} on disk", size=_megabytes(model["bytes"])))
    elif model["download_bytes"]:
        facts.append(_("a download of {size}", size=_megabytes(model["download_bytes"])))
    if model["device"]:
        facts.append(f"{model['device']['name']}, {model['device']['dtype']}")
    facts.append(_("loaded, {size}", size=_megabytes(model["memory_bytes"])) if model["loaded"] else _("not loaded"))
    lines = [f"  {model['name']}", f"      {_('; ').join(facts)}"]
    return lines + [f"      {say(fact)}" for fact in (model["server"], model["folder"], model["problem"]) if fact]


def _test_lines(values: dict[str, Any]) -> list[str]:
    lines = [
        _(
            "loaded in {seconds:.1f} s, {ms:.1f} ms per text",
            seconds=values["seconds_to_load"],
            ms=values["ms_per_text"],
        )
    ]
    if values["dimension"]:
        lines.append(_("{n} numbers per text", n=values["dimension"]))
    if values["device"]:
        device = values["device"]
        lines.append(_("on {device} in {dtype}: {reason}", device=device["name"], **device))
        lines.append(_("the model takes {size} of memory", size=_megabytes(values["memory_bytes"])))
    if values["process_bytes"]:
        lines.append(_("the whole program takes {size}", size=_megabytes(values["process_bytes"])))
    names = {"en": message("English"), "zh": message("Chinese")}
    wrong = [names[language] for language, ranking in values["ranking"].items() if ranking["right"] < ranking["asked"]]
    for language, ranking in values["ranking"].items():
        counts = {"language": names[language], "right": ranking["right"], "n": ranking["asked"]}
        if names[language] in wrong:
            lines.append(_("{language}: WRONG, {right} of {n} questions found their sentence first", **counts))
        else:
            lines.append(_("{language}: right, {right} of {n} questions found their sentence first", **counts))
    if values["languages"]:
        lines.append(_("languages, by its own description: {languages}", languages=_languages(values["languages"])))
    if not values["usable"]:
        return [*lines, _("not usable: choose another model")]
    return [
        *lines,
        _("usable, but not for notes in these languages: {languages}", languages=wrong) if wrong else _("usable"),
    ]


def tokens_lines(values: dict[str, Any]) -> list[str]:
    if not values["keep_tokens"]:
        return [_("The base '{base}' keeps no re-check data.", base=values["base"])]
    return [
        _(
            "The base '{base}' keeps the re-check data for {n} of its {every} pieces of text: {size} on disk.",
            base=values["base"],
            n=values["windows_with_bits"],
            every=values["windows"],
            size=_megabytes(values["bytes"]),
        )
    ]


def _languages(names: list[str]) -> str:
    if len(names) <= 6:
        return say(Message("{languages}", {"languages": names}))
    return _("{languages} and {n} more", languages=names[:6], n=len(names) - 6)


def _megabytes(count: int) -> str:
    return f"{count / 1e6:,.1f} MB"
