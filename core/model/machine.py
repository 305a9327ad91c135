"""Models and model servers, with their devices and test results."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from core.base.frozen import TextMap, Texts, frozen
from core.base.messages import Message, message

Part = Literal["embedder", "reranker"]


@frozen
class Device:
    """The torch device and dtype to run models with, and the reason for choosing them."""

    name: Literal["cuda", "mps", "cpu"]
    dtype: Literal["float32", "bfloat16"]
    reason: Message


@frozen
class Running:
    """A loaded model, with its device and the size of its weights on that device, in bytes."""

    device: Device
    bytes: int


@frozen
class ModelCard:
    """A model, identified by its name in bases and searches.

    `problem` says why the model can't be used now and what to do about it, or is None if the model is usable. Fields
    read from the model's folder are empty if there is no folder or its files don't provide them. `languages` are codes
    or words, and `input_tokens` includes special tokens. A `downloadable` model can be downloaded from the Hugging Face
    Hub. Its approximate size is `download_bytes`, if known. `running` is set once the model is loaded in this process.
    `server` is the address of the server that runs the model. An embedder with `has_token_vectors` can store token bits
    for late interaction.
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
    """The result of testing a model.

    `asked` counts the questions in each language, and `right` those for which the model ranked the right sentence
    first. `seconds_a_text` is the time taken to embed a passage, or to score it for a question. `resident_bytes` is
    this process's memory usage, or None if the system doesn't report it. `languages` are the languages declared by the
    model.
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
        """Languages in which the right sentence wasn't ranked first for at least one question."""
        return tuple(language for language, asked in self.asked.items() if self.right[language] < asked)

    @property
    def usable(self) -> bool:
        """Whether every ranking in the model's declared languages is right.

        If the model declares none, all languages count.
        """
        known = [language for language in self.asked if language in self.languages] or list(self.asked)
        return not set(known) & set(self.wrong)


@frozen
class ServerCard:
    """A model server, with its section in the settings, its address and model, and the sources of these values.

    `sources` says where `base_url` and `model` come from: "environment", "file", "entered" or "default". `key` says
    where the API key is stored: "environment", "keyring", "file", or "" if there is no key. `variable` is the
    environment variable that overrides a stored key. `key_for` is the server that the key was entered for. `host` is
    the server's host name, and `here` is True if it refers to this machine. `encrypted` is True if requests use HTTPS.
    """

    section: str
    base_url: str
    model: str
    sources: TextMap
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

    `address` is the host and port. `models` are the server's language models, by the names to use in requests.
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
    """The result of testing a server. `seconds` is how long one request took.

    `dimension` is the dimension of the server's vectors, if any. `right` is True if the server ranked the right one of
    three sentences first.
    """

    section: str
    seconds: float
    dimension: int | None
    right: bool

    @property
    def verdict(self) -> Message:
        if self.right:
            return message("Of three sentences, the model ranked the right one first.")
        return message(
            "Of three sentences, the model ranked a wrong one first. Check that the model is suitable for this purpose."
        )
