"""A note's own text with its chunks as coloured bands; nothing in it is interpreted."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import streamlit as st

from core.model import Chunk, Note
from pages.ui import links, look
from pages.ui.text import t

LIMIT = 2_000_000
"""Characters that are laid out at once; a longer note shows the part around the chosen chunk."""

TILES = "".join(
    f".tile{number} {{ --tile: {tile}; }} .next{number} {{ --next: {tile}; }}" for number, tile in enumerate(look.TILES)
)

VIEW = st.components.v2.component(
    "chunk_bands",
    html="<div class='note' tabindex='0'></div>",
    css=TILES
    + """
.note { height: 41rem; overflow: auto; position: relative; border: 1px solid var(--st-border-color); border-radius: .5rem;
  padding: .4rem; font: .9rem/1.6 var(--st-font); color: var(--st-text-color); }
.own, .both, .gap { white-space: pre-wrap; overflow-wrap: anywhere; padding: .1rem .7rem; }
.own { border-left: 4px solid var(--tile); background: color-mix(in srgb, var(--tile) 9%, transparent); cursor: pointer; }
.own:hover { background: color-mix(in srgb, var(--tile) 15%, transparent); }
.own.on { background: color-mix(in srgb, var(--tile) 22%, transparent); outline: 2px solid var(--tile); outline-offset: -2px; }
.both { border-left: 4px solid; border-image: linear-gradient(var(--tile), var(--next)) 1;
  background: repeating-linear-gradient(-45deg, color-mix(in srgb, var(--tile) 20%, transparent) 0 6px, color-mix(in srgb, var(--next) 20%, transparent) 6px 12px); }
.gap { opacity: .5; border-left: 4px solid transparent; line-height: 1; padding-block: 0; }
.head { font-size: .74rem; opacity: .8; user-select: none; padding-top: .15rem; color: color-mix(in srgb, var(--tile) 60%, var(--st-text-color)); }
""",
    js="""
export default function({ parentElement, data, setTriggerValue }) {
  const note = parentElement.querySelector('.note');
  if (note.dataset.stamp !== data.stamp) {
    note.dataset.stamp = data.stamp;
    const made = data.pieces.map(([kind, index, tile, next, head, text]) => {
      const band = document.createElement('div');
      band.className = `${kind} tile${tile} next${next}`;
      if (kind === 'own') band.dataset.index = index;
      if (head) {
        const line = document.createElement('div');
        line.className = 'head';
        line.textContent = head;
        band.append(line);
      }
      band.append(document.createTextNode(text));
      return band;
    });
    note.replaceChildren(...made);
  }
  note.onclick = event => {
    const band = event.target.closest('.own');
    if (band && !getSelection().toString()) setTriggerValue('pick', Number(band.dataset.index));
  };
  const shown = data.shown === null ? null : note.querySelector(`.own[data-index="${data.shown}"]`);
  const before = note.querySelector('.own.on');
  if (before !== shown) {
    before?.classList.remove('on');
    if (shown) {
      shown.classList.add('on');
      const top = shown.offsetTop - note.offsetTop;
      const seen = top >= note.scrollTop && top + shown.offsetHeight <= note.scrollTop + note.clientHeight;
      if (!seen) note.scrollTop = shown.offsetTop - 24;
    }
  }
}
""",
)


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of the text: of one chunk (`own`), of it and the next (`both`), or of none (`gap`)."""

    kind: Literal["own", "both", "gap"]
    index: int
    start: int
    end: int


def pieces(chunks: Sequence[Chunk], length: int) -> list[Piece]:
    """Return the whole text, each character once, divided where chunks begin and end."""
    found: list[Piece] = []
    at = 0
    for number, chunk in enumerate(chunks):
        following = chunks[number + 1].start if number + 1 < len(chunks) else length
        if chunk.start > at:
            found.append(Piece("gap", number, at, chunk.start))
            at = chunk.start
        own = max(at, min(chunk.end, following))
        found.append(Piece("own", number, at, own))
        if chunk.end > own:
            found.append(Piece("both", number, own, chunk.end))
        at = max(own, chunk.end)
    if length > at:
        found.append(Piece("gap", len(chunks), at, length))
    return found


def window(chunks: Sequence[Chunk], shown: int, limit: int = LIMIT) -> tuple[int, int]:
    """Return which chunks (from, up to) are laid out: all, or those around the shown one."""
    first = last = shown
    size = len(chunks[shown].text)
    while size < limit and (first > 0 or last < len(chunks) - 1):
        if first > 0:
            first -= 1
            size += len(chunks[first].text)
        if last < len(chunks) - 1:
            last += 1
            size += len(chunks[last].text)
    return first, last + 1


def text(note: Note, chunks: Sequence[Chunk], shown: int | None) -> None:
    """Draw the text of a note; clicking a band chooses its chunk."""
    first, last = window(chunks, shown or 0)
    if (first, last) != (0, len(chunks)):
        st.info(t("chunks.part", a=first + 1, b=last))
    key = f"bands_{note.id}"
    drawn = [
        _drawn(piece, chunks, note.body)
        for piece in pieces(chunks, len(note.body))
        if first <= piece.index < max(last, 1) or last == len(chunks)
    ]
    data: dict[str, Any] = {
        "pieces": drawn,
        "shown": shown,
        "stamp": f"{note.id}:{note.generation}:{first}:{last}:{st.session_state.get('language')}",
    }

    def picked() -> None:
        index = st.session_state[key].pick
        if index is not None:
            links.say("chunk", str(index))

    VIEW(key=key, data=data, on_pick_change=picked)


def _drawn(piece: Piece, chunks: Sequence[Chunk], body: str) -> list[object]:
    tile = piece.index % len(look.TILES)
    following = (piece.index + 1) % len(look.TILES)
    text = body[piece.start : piece.end]
    if piece.kind == "both":
        head = t("chunks.overlap", a=piece.index + 1, b=piece.index + 2)
    elif piece.kind == "own":
        chunk = chunks[piece.index]
        head = " · ".join([str(piece.index + 1), *chunk.section[-2:], t("n.tokens", n=chunk.token_count)])
    else:
        head = ""
        # The line break that ends the band before is there as the border between the two.
        text = text.removeprefix("\r").removeprefix("\n")
    return [piece.kind, piece.index, tile, following, head, text]
