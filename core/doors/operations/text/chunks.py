"""Output about chunks and the search index for people."""

from dataclasses import replace

from core.base.messages import Message, message, plural
from core.base.terminal import _, say
from core.doors.operations.views.chunks import (
    ChunkList,
    CutNote,
    CutPreview,
    MadeChunks,
    RebuiltIndex,
    RefusedChunks,
)
from core.model import CHUNK_KINDS, CHUNK_STATES, IndexedChunks, Sizes, setting_value


def format_chunks(listed: ChunkList) -> list[str]:
    lines: list[str] = []
    for chunk in listed.chunks:
        about = _("{id}, {n} tokens, {state}", id=chunk.id, n=chunk.token_count, state=CHUNK_STATES[chunk.state])
        lines += [*([""] if lines else []), f"[{chunk.index + 1}] {' > '.join(chunk.section)} ({about})", chunk.text]
    return lines or [_("The note has no chunks.")]


def format_made(made: MadeChunks) -> list[str]:
    return [_("The chunk is there, as {id}.", id=chunk) for chunk in made.chunks]


def format_hidden(made: MadeChunks) -> list[str]:
    return [_("The chunk is hidden. Show it again: tessera chunk restore {id}", id=chunk) for chunk in made.chunks]


def format_restored(made: MadeChunks) -> list[str]:
    return [_("The chunk is as it was.")]


def format_preview(cut: CutPreview) -> list[str]:
    lines = [*map(say, cut.warnings), *_format_cut(cut)]
    if other := cut.compare:
        lines += ["", *_format_cut(other), "", _("same splits: {n}", n=len(other.cuts.both))]
        return lines + [
            _(
                "splits of {strategy} only: {places}",
                strategy=setting_value("strategy", strategy),
                places=[*map(str, places)] or "–",
            )
            for strategy, places in ((cut.strategy, other.cuts.first), (other.strategy, other.cuts.second))
        ]
    for chunk in cut.chunks:
        where = " > ".join([*chunk.parent_sections, chunk.section_title])
        about = _(
            "{kind}, {n} tokens, characters {start} to {end}",
            kind=CHUNK_KINDS[chunk.kind],
            n=chunk.token_count,
            start=str(chunk.file_start),
            end=str(chunk.file_end),
        )
        lines += ["", f"[{chunk.index + 1}] {where} ({about})", chunk.text]
    return lines


def _format_cut(cut: CutNote) -> list[str]:
    """Return why a note is split as it is, and the sizes of its chunks."""
    reasons = []
    for reason in cut.reasons:
        strategy = setting_value("strategy", reason.fields["strategy"])
        reasons.append(say(replace(reason, fields={**reason.fields, "strategy": strategy})))
    return [*reasons, say(size_message(cut.strategy, cut.sizes))]


def size_message(strategy: str, sizes: Sizes) -> Message:
    return message(
        "{strategy}: {n} chunks of {smallest} to {largest} tokens, {mean:.0f} on average",
        strategy=setting_value("strategy", strategy),
        n=sizes.count,
        smallest=sizes.smallest,
        largest=sizes.largest,
        mean=sizes.mean,
    )


# the index


def format_indexed(indexed: IndexedChunks) -> list[str]:
    return [say(plural("{n} passage indexed", "{n} passages indexed", n=indexed.chunks))]


def format_rebuilt(rebuilt: RebuiltIndex) -> list[str]:
    if rebuilt.index == "none":
        return [_("There is no search index: a search by meaning compares with every passage.")]
    return [_("The search index is rebuilt.")]


def format_refused(listed: RefusedChunks) -> list[str]:
    lines = []
    for chunk in listed.refused:
        lines += [
            f"{chunk.base}: {chunk.path or chunk.title} ({chunk.chunk_id})",
            f"  {say(chunk.reason)}",
            f"  {' '.join(chunk.text.split())[:100]}",
        ]
    return lines or [_("The model refuses no passage.")]
