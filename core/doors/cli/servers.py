"""`tessera models server`: shows, sets up and tests the servers that run models."""

import sys
from dataclasses import replace
from typing import Annotated, Any

import typer

from core.base.errors import ConfigError
from core.base.messages import message
from core.doors.cli.options import WORKSPACE, Folder, Json
from core.doors.cli.output import progress, show
from core.doors.cli.texts import _, say
from core.doors.json_forms.forms import plain

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
            values["test"] = plain(servers.test(name, progress))
    values["servers"] = plain([servers.get(name)] if name else servers.all())
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
