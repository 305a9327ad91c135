"""Models of a machine, their devices and their tests."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from core.base.frozen import frozen
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
    """A loaded model: its device, and the bytes of its weights there."""

    device: Device
    bytes: int


@frozen
class ModelCard:
    """A model by the name that a base or a search gives it.

    `problem` says why the model is unusable now and what to do; None for a usable one. Fields read from the model's
    folder are empty without a folder, or where the folder doesn't state them: `languages` are codes or words,
    `input_tokens` includes special tokens. The hub has `downloadable` models, of about `download_bytes` where known.
    `running` is set once the model is loaded in this process. `server` is the address that runs the model. The token
    bits of an embedder that `has_token_vectors` can be stored, for late interaction.
    """

    name: str
    part: Part
    problem: Message | None = None
    folder: Path | None = None
    bytes_on_disk: int = 0
    languages: tuple[str, ...] = ()
    dimension: int | None = None
    input_tokens: int | None = None
    downloadable: bool = False
    download_bytes: int = 0
    running: Running | None = None
    server: str = ""
    has_token_vectors: bool = False


@frozen
class ModelTrial:
    """Result of a model's test. Per language, `right` of `asked` questions ranked their sentence first.

    `seconds_a_text` is the time to embed one text, or to judge one text against one question.
    `resident_bytes` is the memory of this process, None where the system doesn't report it. `languages`
    are those that the model declares.
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
    languages: tuple[str, ...]

    @property
    def wrong(self) -> tuple[str, ...]:
        """Languages in which a question didn't rank its sentence first."""
        return tuple(language for language, asked in self.asked.items() if self.right[language] < asked)

    @property
    def usable(self) -> bool:
        """Whether the ranking is right in every language that the model declares; in all where it declares none."""
        known = [language for language in self.asked if language in self.languages] or list(self.asked)
        return not set(known) & set(self.wrong)


@frozen
class ServerCard:
    """A model server: a section of the settings, its address and model, and where both are from.

    `sources` has "environment", "file", "entered" or "default" for `base_url` and `model`. `key` is the place of the
    key that is sent: "environment", "keyring" or "file", "" without one; `variable` is the environment variable that
    wins. `key_for` is the server of the key that the user entered. `host` names the machine, and `here` says whether it
    is this one. Text travels `encrypted`, or not.
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
        """Whether an address and a model are set."""
        return bool(self.base_url and self.model)


@frozen
class LocalServer:
    """A usual place of a model server on this machine, and whether one is running there.

    `address` is host and port. `models` are its language models, by the names that its requests take.
    """

    name: str
    address: str
    running: bool = False
    models: tuple[str, ...] = ()

    @property
    def base_url(self) -> str:
        """The address before `/chat/completions`."""
        return f"http://{self.address}/v1"


@frozen
class ServerTrial:
    """Result of a server's test: the seconds of one request, the `dimension` of its vectors, the answer's quality.

    `right`: it ranked the one of three sentences first that answers the question.
    """

    section: str
    seconds: float
    dimension: int | None
    right: bool

    @property
    def verdict(self) -> Message:
        if self.right:
            return message("Of three sentences it ranked the right one first.")
        return message("Of three sentences it ranked a wrong one first. Check that the model fits this purpose.")
