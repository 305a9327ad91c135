"""Lines about chunks: those of a note, and those of a split file."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from core.base.messages import Message, message
from core.base.terminal import _, say
from core.model import CHUNK_KINDS, CHUNK_STATES, setting_value


def format_chunks(values: dict[str, Any]) -> list[str]:
    lines: list[str] = []
    for chunk in values["chunks"]:
        about = _(
            "{id}, {n} tokens, {state}", id=chunk["id"], n=chunk["token_count"], state=CHUNK_STATES[chunk["state"]]
        )
        lines += [*([""] if lines else []), f"[{chunk['index'] + 1}] {' > '.join(chunk['section'])} ({about})"]
        lines.append(chunk["text"])
    return lines or [_("The note has no chunks.")]


def format_made(values: dict[str, Any]) -> list[str]:
    return [_("The chunk is there, as {id}.", id=value) for value in values["chunks"]]


def format_hidden(values: dict[str, Any]) -> list[str]:
    return [_("The chunk is hidden. Show it again: tessera chunk restore {id}", id=value) for value in values["chunks"]]


def format_restored(values: dict[str, Any]) -> list[str]:
    return [_("The chunk is as it was.")]


def format_cut(cut: dict[str, Any]) -> list[str]:
    lines = [*map(say, cut["warnings"]), *_split(cut)]
    if "compare" in cut:
        other = cut["compare"]
        cuts = other["cuts"]
        lines += ["", *_split(other), ""]
        lines.append(_("same splits: {n}", n=len(cuts["both"])))
        return lines + [
            _(
                "splits of {strategy} only: {places}",
                strategy=setting_value("strategy", shown["strategy"]),
                places=[*map(str, cuts[side])] or "–",
            )
            for shown, side in ((cut, "first"), (other, "second"))
        ]
    for chunk in cut["chunks"]:
        where = " > ".join([*chunk["parent_sections"], chunk["section_title"]])
        about = _(
            "{kind}, {n} tokens, characters {start} to {end}",
            kind=CHUNK_KINDS[chunk["kind"]],
            n=chunk["token_count"],
            start=str(chunk["file_start"]),
            end=str(chunk["file_end"]),
        )
        lines += ["", f"[{chunk['index'] + 1}] {where} ({about})", chunk["text"]]
    return lines


def _split(cut: dict[str, Any]) -> list[str]:
    """Return why a note is split as it is, and the sizes of its chunks."""
    reasons = []
    for item in cut["reasons"]:
        strategy = setting_value("strategy", item.fields["strategy"])
        reasons.append(say(replace(item, fields={**item.fields, "strategy": strategy})))
    return [*reasons, say(size_message(cut["strategy"], cut["sizes"]))]


def size_message(strategy: str, sizes: Mapping[str, Any]) -> Message:
    fields = {"strategy": setting_value("strategy", strategy), "n": sizes["count"], **sizes}
    return message("{strategy}: {n} chunks of {smallest} to {largest} tokens, {mean:.0f} on average", **fields)
