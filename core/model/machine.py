"""Models and model servers, with their devices and test results."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from core.base.frozen import Texts, frozen
from core.base.messages import Message, message

Part = Literal["embedder", "reranker"]


@frozen
class Device:
    """A torch device, its dtype, and the reason for choosing it."""

    name: Literal["cuda", "mps", "cpu"]
    dtype: Literal["float32", "bfloat16"]
    reason: Message


@frozen
class Running:
    """A loaded model: its device, and the size of its weights on that device, in bytes."""

    device: Device
    bytes: int


@frozen
class ModelCard:
    """A model, identified by its name in bases and searches.

    `problem` says why the model can't be used now and what to do about it, or is None if the model is usable. Fields
    read from the model's folder are empty if there is no folder or the folder doesn't state them. `languages` are codes
    or words, and `input_tokens` includes special tokens. A `downloadable` model is on the hub. Its approximate size is
    `download_bytes`, if known. `running` is set once the model is loaded in this process. `server` is the address of
    the server that runs the model. An embedder with `has_token_vectors` can store token bits for late interaction.
    """

    name: str
    part: Part
    problem: Message | None = None
    folder: Path | None = None
    bytes_on_disk: int = 0
    languages: Texts = ()
    dimension: int | None = None
    input_tokens: int | None = None
    downloadable: bool = False
    download_bytes: int = 0
    running: Running | None = None
    server: str = ""
    has_token_vectors: bool = False


@frozen
class ModelTrial:
    """The result of testing a model: how many questions were `asked` and ranked `right` in each language.

    `seconds_a_text` is the time taken to embed one text, or to judge one text for one question. `resident_bytes` is
    this process's memory, or None if the system doesn't report it. `languages` are the languages that the model
    declares.
    """

    name: str
    part: Part
    seconds_to_load: float
    seconds_a_text: float
    dimension: int | None
    running: Running | None
    resident_bytes: int | None
    right: Mapping[str, int]
    asked: Mapping[str, int]
    languages: Texts

    @property
    def wrong(self) -> Texts:
        """Languages with a question for which the right sentence wasn't ranked first."""
        return tuple(language for language, asked in self.asked.items() if self.right[language] < asked)

    @property
    def usable(self) -> bool:
        """Whether all rankings are right in the model's declared languages, or in all languages if it declares none."""
        known = [language for language in self.asked if language in self.languages] or list(self.asked)
        return not set(known) & set(self.wrong)


@frozen
class ServerCard:
    """A model server: its section in the settings, its address and model, and their sources.

    `sources` says where `base_url` and `model` come from: "environment", "file", "entered" or "default". `key` says
    where the key is stored: "environment", "keyring", "file", or "" if there is no key. `variable` is the environment
    variable that overrides the key. `key_for` is the server that the key was entered for. `host` names the server's
    machine, and `here` is True if that is this machine. `encrypted` is True if requests use HTTPS.
    """

    section: str
    base_url: str
    model: str
    sources: Mapping[str, str]
    variable: str
    key_for: str = ""
    key: str = ""
    host: str = ""
    here: bool = False
    encrypted: bool = False

    @property
    def complete(self) -> bool:
        return bool(self.base_url and self.model)


@frozen
class LocalServer:
    """A common address for model servers on this machine, and whether a server is running there.

    `address` is the host and port. `models` are the server's language models, as named in requests.
    """

    name: str
    address: str
    running: bool = False
    models: Texts = ()

    @property
    def base_url(self) -> str:
        """The base URL, to which `/chat/completions` is appended."""
        return f"http://{self.address}/v1"


@frozen
class ServerTrial:
    """The result of testing a server: how long one request took, the dimension of its vectors, and its ranking.

    `right` is True if the server ranked the right one of three sentences first.
    """

    section: str
    seconds: float
    dimension: int | None
    right: bool

    @property
    def verdict(self) -> Message:
        if self.right:
            return message("It ranked the right one of three sentences first.")
        return message("It ranked a wrong one of three sentences first. Check that the model fits this purpose.")
