"""The needs of a model that an archive names, derived from the name: nothing is loaded or requested."""

import re
from pathlib import Path

from core.base.errors import ModelError
from core.base.messages import Message, message
from core.embedding import EMBEDDERS, hub, is_built_in, sentence
from core.embedding.model_folder import bytes_in
from core.settings.config import settings

_ON_HUB = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*", re.ASCII)


def asks(name: str) -> Message:
    """Return what a model for meaning needs: the network, a server, or files of this machine."""
    kind, _, argument = name.partition(":")
    if kind not in EMBEDDERS:
        return message("This version of Tessera doesn't know it.")
    if is_built_in(name):
        return message("It is part of Tessera and needs no network.")
    if kind in ("openai_compatible", "server"):
        return _server_message(argument if kind == "server" else "")
    if package := EMBEDDERS[kind].package:
        return message("It comes with the Python package {name}.", name=package)
    if argument.startswith(sentence.PACKAGE):
        return message("It is in the Python package {name}, and needs no network.", name=argument.partition(":")[2])
    full = argument if "/" in argument else f"{sentence.DEFAULT_OWNER}/{argument}"
    if not _ON_HUB.fullmatch(full):
        return message("It is read from the folder {folder} of this machine.", folder=argument)
    folder = _cached(full)
    if folder is None:
        return message("It isn't on this machine: it would be downloaded from huggingface.co, often 100 MB to 3 GB.")
    return message("It is on this machine ({size:.0f} MB) and needs no network.", size=bytes_in(folder) / 1e6)


def _cached(name: str) -> Path | None:
    try:
        return hub.cached(name)
    except ModelError:  # a name that no model can have
        return None


def _server_message(name: str) -> Message:
    configured = settings().embeddings
    server = configured.servers.get(name) if name else configured
    address = server.base_url if server else ""
    if not address:
        return message("It runs on a server, which has to be set up first; the notes' text is sent there.")
    return message("It runs on the server {address}; the notes' text is sent there.", address=address)
