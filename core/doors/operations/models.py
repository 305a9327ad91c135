"""Operations on models, and on the data that a base keeps for them."""

from typing import TYPE_CHECKING, Annotated

from typing_extensions import TypedDict

from core.base.errors import ConfigError
from core.base.messages import message
from core.doors.json_forms.models import CARDS
from core.doors.operations.declaring import About, operation
from core.doors.operations.examples import MODEL
from core.doors.operations.parameters import Base
from core.model import ModelCard, Progress

if TYPE_CHECKING:
    from core.workspace import Workspace

_TOOL = {"tool": "models are the person's choice"}


class RecheckData(TypedDict):
    """The data of a base for the precise re-check; `windows` are its pieces of text."""

    base: str
    keep_tokens: bool
    embedded_windows: int
    windows: int
    windows_with_bits: int
    bytes: int


@operation(
    "model.list",
    message("Show every model: installed, used by a base, configured, or worth having."),
    http="GET /models",
    cli="models list",
    by_hand=("cli",),
    gives={"models": [MODEL]},
    form=CARDS,
    lacks=_TOOL,
)
def list_(workspace: "Workspace") -> list[ModelCard]:
    return workspace.models.all()


@operation(
    "model.tokens",
    message("Keep the re-check data for a base, which then takes milliseconds, or delete it."),
    cli="models tokens {base} {keep}",
    writes=True,
    job="tokens",
    takes={"base": "work", "keep": "on"},
    gives={
        "base": "work",
        "keep_tokens": True,
        "embedded_windows": 203,
        "windows": 203,
        "windows_with_bits": 203,
        "bytes": 2_500_000,
    },
    lacks={"http": "it can take hours, so the person begins it", **_TOOL},
)
def tokens(
    workspace: "Workspace", progress: Progress, base: Base, keep: Annotated[str, About(message("on or off"))]
) -> RecheckData:
    if keep not in ("on", "off"):
        raise ConfigError("The re-check data is 'on' or 'off', not '{choice}'.", choice=keep)
    embedded = workspace.bases.keep_tokens(base, keep == "on", progress=progress)
    state = workspace.bases.status(workspace.bases.get(base))
    return {
        "base": base,
        "keep_tokens": state.base.keep_tokens,
        "embedded_windows": embedded,
        "windows": state.windows,
        "windows_with_bits": state.with_bits,
        "bytes": state.bit_bytes,
    }
