"""Operations on models, and on the data that bases keep for them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Self

from core.base.codec import assemble
from core.base.errors import ConfigError
from core.base.frozen import frozen
from core.base.messages import Message
from core.base.terminal import _, say
from core.model import (
    Device,
    ModelCard,
    Part,
    Progress,
)
from core.operations.declaring import About, operation
from core.operations.parameters import Base

if TYPE_CHECKING:
    from core.workspace import Workspace


@frozen
class RecheckData:
    """The data that a base keeps for late interaction; `windows` is the number of text windows."""

    base: str
    keep_tokens: bool
    embedded_windows: int
    windows: int
    windows_with_bits: int
    bytes: int


@frozen
class ModelDetails:
    """A model; `ModelCard` explains the fields."""

    name: str
    part: Part
    folder: str | None
    bytes: int
    languages: tuple[str, ...]
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
        from core.indexing.models import Models  # takes half a second, which --help avoids

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


def format_models(listed: ModelList) -> list[str]:
    lines: list[str] = []
    parts: dict[Part, str] = {"embedder": _("Models for meaning"), "reranker": _("Models for reranking")}
    for part, title in parts.items():
        lines += [*([""] if lines else []), title]
        lines += [line for model in listed.models if model.part == part for line in _format_model(model)]
    for device in {str(model.device.reason): model.device for model in listed.models if model.device}.values():
        lines += ["", _("{device}, {dtype}: {reason}", device=device.name, dtype=device.dtype, reason=device.reason)]
    return lines


def _format_model(model: ModelDetails) -> list[str]:
    facts = [_("ready") if model.usable else _("not ready")]
    if model.dimension:
        facts.append(_("{n} numbers per text", n=model.dimension))
    if model.input_tokens:
        facts.append(_("reads up to {n} tokens", n=model.input_tokens))
    if model.languages:
        facts.append(format_languages(model.languages))
    if model.bytes:
        facts.append(_("{size} on disk", size=megabytes(model.bytes)))
    elif model.download_bytes:
        facts.append(_("{size} to download", size=megabytes(model.download_bytes)))
    if model.device:
        facts.append(f"{model.device.name}, {model.device.dtype}")
    loaded = model.memory_bytes if model.loaded else None
    facts.append(_("not loaded") if loaded is None else _("loaded, {size}", size=megabytes(loaded)))
    lines = [f"  {model.name}", f"      {_('; ').join(facts)}"]
    return lines + [f"      {say(fact)}" for fact in (model.server, model.folder, model.problem) if fact]


def format_recheck_data(data: RecheckData) -> list[str]:
    if not data.keep_tokens:
        return [_("The base '{base}' keeps no data for fast reranking.", base=data.base)]
    return [
        _(
            "The base '{base}' keeps the data for fast reranking of {n} of its {every} pieces of text: {size} on disk.",
            base=data.base,
            n=data.windows_with_bits,
            every=data.windows,
            size=megabytes(data.bytes),
        )
    ]


def format_languages(names: Sequence[str]) -> str:
    if len(names) <= 6:
        return say(Message("{languages}", {"languages": [*names]}))
    return _("{languages} and {n} more", languages=[*names[:6]], n=len(names) - 6)


def megabytes(count: int) -> str:
    return f"{count / 1e6:,.1f} MB"


_TOOL = {"tool": "models are the person's choice"}


@operation(
    "model.list",
    "Show every model: installed, used by a base, configured, or recommended.",
    http="GET /models",
    cli="models list",
    by_hand=("cli",),
    lacks=_TOOL,
)
def list_(workspace: "Workspace") -> ModelList:
    return ModelList(tuple(map(ModelDetails.from_card, workspace.models.all())))


@operation(
    "model.tokens",
    "Keep the data for fast reranking in a base, so that reranking takes milliseconds, or delete the data.",
    cli="models tokens {base} {keep}",
    writes=True,
    job="tokens",
    takes={"base": "work", "keep": "on"},
    lines=format_recheck_data,
    lacks={"http": "it can take hours, so the person begins it", **_TOOL},
)
def tokens(
    workspace: "Workspace", progress: Progress, base: Base, keep: Annotated[str, About("on or off")]
) -> RecheckData:
    if keep not in ("on", "off"):
        raise ConfigError("The data for fast reranking must be 'on' or 'off', not '{choice}'.", choice=keep)
    embedded = workspace.bases.keep_tokens(base, keep == "on", progress=progress)
    state = workspace.bases.status(workspace.bases.get(base))
    return RecheckData(
        base, state.base.keep_tokens, embedded, state.windows, windows_with_bits=state.with_bits, bytes=state.bit_bytes
    )
