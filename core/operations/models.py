"""Operations on models, and on the data that a base keeps for them."""

from typing import TYPE_CHECKING, Annotated

from core.base.errors import ConfigError
from core.model import Progress
from core.operations.declaring import About, operation
from core.operations.parameters import Base
from core.operations.text import models as text
from core.operations.views.models import ModelDetails, ModelList, RecheckData

if TYPE_CHECKING:
    from core.workspace import Workspace

_TOOL = {"tool": "models are the person's choice"}


@operation(
    "model.list",
    "Show every model: installed, used by a base, configured, or worth having.",
    http="GET /models",
    cli="models list",
    by_hand=("cli",),
    lacks=_TOOL,
)
def list_(workspace: "Workspace") -> ModelList:
    return ModelList(tuple(map(ModelDetails.from_card, workspace.models.all())))


@operation(
    "model.tokens",
    "Keep the data for fast reranking of a base, which then takes milliseconds, or delete it.",
    cli="models tokens {base} {keep}",
    writes=True,
    job="tokens",
    takes={"base": "work", "keep": "on"},
    lines=text.format_recheck_data,
    lacks={"http": "it can take hours, so the person begins it", **_TOOL},
)
def tokens(
    workspace: "Workspace", progress: Progress, base: Base, keep: Annotated[str, About("on or off")]
) -> RecheckData:
    if keep not in ("on", "off"):
        raise ConfigError("The data for fast reranking is 'on' or 'off', not '{choice}'.", choice=keep)
    embedded = workspace.bases.keep_tokens(base, keep == "on", progress=progress)
    state = workspace.bases.status(workspace.bases.get(base))
    return RecheckData(
        base, state.base.keep_tokens, embedded, state.windows, windows_with_bits=state.with_bits, bytes=state.bit_bytes
    )
