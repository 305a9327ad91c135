"""Operations on models, and on the token data that bases keep for reranking."""

from typing import TYPE_CHECKING, Annotated, Self

from core.base.codec import assemble
from core.base.errors import ConfigError
from core.base.frozen import Texts, frozen
from core.base.messages import Message
from core.model import (
    Device,
    ModelCard,
    Part,
    Progress,
)
from core.operations.declaring import About, operation
from core.operations.parameters import Base
from core.operations.printing import sentence, table

if TYPE_CHECKING:
    from core.workspace import Workspace


@frozen
class RecheckData:
    """The data that a base keeps for reranking by late interaction. `windows` is the total number of text windows."""

    base: str
    keep_tokens: bool
    embedded_windows: int
    windows: int
    windows_with_bits: int
    bytes: int


@frozen
class ModelDetails:
    """A model. See `ModelCard` for the fields."""

    name: str
    part: Part
    folder: str | None
    bytes: int
    languages: Texts
    dimension: int | None
    input_tokens: int | None
    downloadable: bool
    usable: bool
    problem: str | Message
    download_bytes: int | None
    server: str | None
    loaded: bool
    memory_bytes: int | None
    device: Device | None

    @classmethod
    def from_card(cls, card: ModelCard) -> Self:
        from core.indexing.models import Models  # takes half a second, so --help doesn't import it

        return assemble(
            cls,
            card,
            folder=str(card.folder) if card.folder else None,
            bytes=card.bytes_on_disk,
            usable=not card.problem,
            problem=card.problem or "",
            download_bytes=card.download_bytes or None,
            server=card.server or None,
            loaded=card.running is not None,
            memory_bytes=card.running.bytes if card.running else None,
            device=Models.device_of(card),
        )


@frozen
class ModelList:
    """The available models."""

    models: tuple[ModelDetails, ...]


_MODELS = table(
    "name",
    "part",
    "dimension",
    "input_tokens",
    "bytes",
    "loaded",
    "usable",
    "problem",
    "languages",
    empty="Nothing found.",
)


_DEVICE = sentence("{name}, {dtype}: {reason}")


def format_models(listed: ModelList) -> list[str]:
    devices = {str(model.device.reason): model.device for model in listed.models if model.device}.values()
    return _MODELS(listed) + [line for device in devices for line in _DEVICE(device)]


@operation(
    "model.list",
    "Show every model: installed, used by a base, configured, or recommended.",
    http="GET /models",
    cli="models list",
    by_hand="cli",
)
def list_(workspace: "Workspace") -> ModelList:
    return ModelList(tuple(map(ModelDetails.from_card, workspace.models.all())))


@operation(
    "model.tokens",
    "Keep or delete a base's data for fast reranking. With this data, reranking takes milliseconds.",
    cli="models tokens {base} {keep}",
    writes=True,
    job="tokens",
    takes={"base": "work", "keep": "on"},
)
def tokens(
    workspace: "Workspace", progress: Progress, base: Base, keep: Annotated[str, About("on or off")]
) -> RecheckData:
    if keep not in ("on", "off"):
        raise ConfigError("'{choice}' isn't a choice. Write on or off.", choice=keep)
    embedded = workspace.bases.keep_tokens(base, keep == "on", progress=progress)
    state = workspace.bases.status(workspace.bases.get(base))
    return RecheckData(
        base, state.base.keep_tokens, embedded, state.windows, windows_with_bits=state.with_bits, bytes=state.bit_bytes
    )
