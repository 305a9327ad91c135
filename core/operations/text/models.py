"""Output about models for people."""

from collections.abc import Sequence

from core.base.messages import Message
from core.base.terminal import _, say
from core.model import Part
from core.operations.views.models import ModelDetails, ModelList, RecheckData


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
        facts.append(_("reads {n} tokens", n=model.input_tokens))
    if model.languages:
        facts.append(format_languages(model.languages))
    if model.bytes:
        facts.append(_("{size} on disk", size=megabytes(model.bytes)))
    elif model.download_bytes:
        facts.append(_("a download of {size}", size=megabytes(model.download_bytes)))
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
