"""Output about chunks and the search index for people, and the page of a cut."""

from dataclasses import replace
from html import escape

from core.base.messages import Message, message, plural, terminal_language
from core.base.terminal import _, say
from core.model import CHUNK_KINDS, CHUNK_STATES, Sizes, setting_value
from core.operations.printing import sentence
from core.operations.views.chunks import (
    ChunkList,
    CutNote,
    CutPreview,
    RebuiltIndex,
    RefusedChunks,
)

_STYLE = """
:root { color-scheme: light dark; font: 15px/1.6 system-ui, sans-serif; }
body { margin: 2rem auto; max-width: 110rem; padding: 0 1.5rem; }
main { display: flex; gap: 2rem; align-items: flex-start; }
section { flex: 1; min-width: 0; }
li { margin: .1rem 0; }
article { border-left: .3rem solid hsl(var(--hue) 55% 50%); background: hsl(var(--hue) 55% 50% / .1);
  margin: .4rem 0; padding: .4rem .8rem; border-radius: .3rem; }
header { font-size: .8rem; opacity: .75; }
pre { margin: .3rem 0 0; white-space: pre-wrap; overflow-wrap: anywhere; font: .85rem/1.5 ui-monospace, monospace; }
mark { background: hsl(var(--hue) 55% 50% / .35); color: inherit; }
"""
_HUES = (170, 35, 215, 340, 270, 95)


def format_chunks(listed: ChunkList) -> list[str]:
    lines: list[str] = []
    for chunk in listed.chunks:
        about = _("{id}, {n} tokens, {state}", id=chunk.id, n=chunk.token_count, state=CHUNK_STATES[chunk.state])
        lines += [*([""] if lines else []), f"[{chunk.index + 1}] {' > '.join(chunk.section)} ({about})", chunk.text]
    return lines or [_("The note has no chunks.")]


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

format_indexed = sentence(plural("{n} passage indexed", "{n} passages indexed"))


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


def page(preview: CutPreview) -> str:
    """Return an HTML page that shows cuts of one note side by side; it loads no resource and runs no script."""
    columns = _column(preview) + (_column(preview.compare) if preview.compare else "")
    title, language = escape(preview.title), terminal_language().replace("_", "-")
    return (
        f'<!doctype html><html lang="{language}"><head><meta charset="utf-8"><title>{title}</title>'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<style>{_STYLE}</style></head><body><h1>{title}</h1><main>{columns}</main></body></html>\n"
    )


def _column(cut: CutNote) -> str:
    figures = say(size_message(cut.strategy, cut.sizes))
    reasons = "".join(f"<li>{escape(say(reason))}</li>" for reason in cut.reasons)
    bands = []
    end = 0
    for chunk in cut.chunks:
        shared = max(0, end - chunk.start)
        where = " › ".join(chunk.section)
        tokens = say(plural("{n} token", "{n} tokens", n=chunk.token_count))
        about = f"[{chunk.index + 1}] {escape(where)} · {tokens} · {chunk.start}-{chunk.end}"
        text = f"<mark>{escape(chunk.text[:shared])}</mark>{escape(chunk.text[shared:])}"
        hue = _HUES[chunk.index % len(_HUES)]
        bands.append(f'<article style="--hue:{hue}"><header>{about}</header><pre>{text}</pre></article>')
        end = chunk.end
    return (
        f"<section><h2>{escape(cut.strategy)}</h2><p>{escape(figures)}</p><ul>{reasons}</ul>{''.join(bands)}</section>"
    )
