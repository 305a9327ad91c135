"""Models and model servers, their devices and their tests."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from core.base.frozen import Texts, frozen
from core.base.messages import Message, message

Part = Literal["embedder", "reranker"]


@frozen
class Device:
    """A torch device, its number format, and the reason for the choice."""

    name: Literal["cuda", "mps", "cpu"]
    dtype: Literal["float32", "bfloat16"]
    reason: Message


@frozen
class Running:
    """A loaded model: its device, and the size of its weights there in bytes."""

    device: Device
    bytes: int


@frozen
class ModelCard:
    """A model, by its name in bases and searches.

    `problem` says why the model can't be used now and what to do; it is None for a usable model. Fields from the
    model's folder are empty if there is no folder or it doesn't state them: `languages` are codes or words,
    `input_tokens` includes special tokens. A `downloadable` model is on the hub, with about `download_bytes` if known.
    `running` is set once the model is loaded in this process. `server` is the address of the server that runs the
    model. An embedder with `has_token_vectors` can store token bits for late interaction.
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
    """Result of testing a model: per language, the number of questions `asked`, and how many were ranked `right`.

    `seconds_a_text` is the time to embed one text, or to judge one text for one question. `resident_bytes` is the
    memory of this process, None if the system doesn't report it. `languages` are the languages that the model declares.
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
        """Languages in which a question didn't rank the right sentence first."""
        return tuple(language for language, asked in self.asked.items() if self.right[language] < asked)

    @property
    def usable(self) -> bool:
        """Whether all rankings are right in the languages that the model declares, or in all if it declares none."""
        known = [language for language in self.asked if language in self.languages] or list(self.asked)
        return not set(known) & set(self.wrong)


@frozen
class ServerCard:
    """A model server: its section in the settings, its address and model, and their sources.

    `sources` says where `base_url` and `model` come from: "environment", "file", "entered" or "default". `key` says
    where the key is: "environment", "keyring", "file", or "" without a key. `variable` is the environment variable that
    overrides it. `key_for` is the server for which the key was entered. `host` names the server's machine; `here`: it
    is this machine. `encrypted`: requests use https.
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
    """A common address of model servers on this machine, and whether a server runs there.

    `address` is host and port. `models` are its language models, by the names used in requests.
    """

    name: str
    address: str
    running: bool = False
    models: Texts = ()

    @property
    def base_url(self) -> str:
        """The address before `/chat/completions`."""
        return f"http://{self.address}/v1"


@frozen
class ServerTrial:
    """Result of testing a server: the seconds of one request, the dimension of its vectors, the ranking.

    `right`: of three sentences, it ranked the right answer first.
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
