"""A self-contained HTML page of a cut: one coloured band per chunk, the note's text uninterpreted."""

from html import escape

from core.base.messages import plural, terminal_language
from core.base.terminal import say
from core.doors.operations.text.chunks import size_message
from core.doors.operations.views.chunks import CutNote, CutPreview

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
