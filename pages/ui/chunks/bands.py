"""Drawing a note's source text with its chunks as coloured bands."""

from bisect import bisect
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Literal

import streamlit as st

from core.base.frozen import frozen
from core.base.messages import message_table
from core.model import Chunk, Edit, Note
from pages.ui.shared.rendered import render_text
from pages.ui.shared.safe import html
from pages.ui.shared.server import workspace
from pages.ui.shared.style import TILES
from pages.ui.shared.text import join_facts, t, t_plural, text_of
from pages.ui.shared.widgets import component, on_trigger, stamp

Chunks = Sequence[Chunk]

# Display names for the kinds of chunk edits.
CHANGES = message_table(
    {
        "text": "edited",
        "merge": "merged",
        "split": "split",
        "delete": "hidden",
        "add": "added",
    }
)

# Component that draws the bands.
#
# A click or an arrow key triggers `pick` with a chunk's index. A double click or Enter triggers `edit`.
VIEW = component("chunk_bands", __file__, "<div class='note' tabindex='0'></div>")

# Maximum number of characters to render at once.
RENDERED = 200_000

# Maximum number of characters to lay out at once. In a longer note, only the text around the chosen chunk is shown.
LIMIT = 2_000_000


@frozen
class BandSpan:
    """A span of a note's text.

    The span is in one chunk (`own`), shared by that chunk and the `following` one (`both`), or in no chunk (`gap`).
    """

    kind: Literal["own", "both", "gap"]
    index: int
    start: int
    end: int
    following: int = 0


def pieces(chunks: Chunks, length: int) -> list[BandSpan]:
    """Divide the whole text into spans at the chunk boundaries.

    A chunk added by the user has an empty span.
    """
    # The indexes of the chunks that are part of the note's text, followed by the number of all chunks. Chunks added by the
    # user aren't part of the text.
    in_text = [*(number for number, chunk in enumerate(chunks) if chunk.start < chunk.end), len(chunks)]
    parts = []
    at = 0
    for number, chunk in enumerate(chunks):
        after = in_text[bisect(in_text, number)]
        begin = chunks[after].start if after < len(chunks) else length
        if chunk.start > at:
            parts.append(BandSpan("gap", number, at, chunk.start))
            at = chunk.start
        own = max(at, min(chunk.end, begin))
        parts.append(BandSpan("own", number, at, own, after))
        if chunk.end > own:
            parts.append(BandSpan("both", number, own, chunk.end, after))
        at = max(own, chunk.end)
    if length > at:
        parts.append(BandSpan("gap", len(chunks), at, length))
    return parts


def window(chunks: Chunks, shown: int, limit: int = LIMIT) -> tuple[int, int]:
    """Return the range of chunks to lay out.

    It starts as the chunk at index `shown` and grows in both directions until it has at least `limit` characters.
    """
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


def placed_edits(note: Note) -> dict[str, Edit]:
    """Return the user's edits to a note's chunks that still fit the note's text, keyed by chunk id."""
    return {edit.chunk_id: edit for edit in workspace.chunks.edits(note.id) if not edit.flagged}


def draw(
    note: Note,
    chunks: Chunks,
    edits: Mapping[str, Edit],
    shown: int | None,
    *,
    only: Collection[int] = (),
    key: str,
    on_pick: Callable[[int], None],
    on_edit: Callable[[int], None] | None = None,
) -> None:
    """Show a note's text with its chunks as bands.

    When two splits are compared, `only` has the indexes of the chunks that are missing from the other split. Clicking a
    band calls `on_pick` with the chunk's index. Double-clicking the band or pressing Enter calls `on_edit`.
    """

    def prepare(piece: BandSpan) -> list[object]:
        index = piece.index
        tile, following = (TILES[place % len(TILES)] for place in (index, piece.following))
        text = note.body[piece.start : piece.end]
        head = marks = badge = instead = ""
        if piece.kind == "both":
            head = t("shared by {a} and {b}", a=index + 1, b=piece.following + 1)
        elif piece.kind == "own":
            chunk = chunks[index]
            head = join_facts(
                [
                    str(index + 1),
                    t("line {n}", n=chunk.line) if chunk.line else "",
                    t("picture {name}", name=chunk.picture) if chunk.picture else "",
                    *chunk.section[-2:],
                    t_plural("{n} token", "{n} tokens", n=chunk.token_count),
                ]
            )
            edit = edits.get(chunk.id)
            marks = " ".join(["deleted"] * (chunk.state == "deleted") + ["only"] * (index in only))
            badge = t("only here") if index in only else change(chunk, edit)
            instead = edit.text if edit and not edit.deleted else chunk.text if chunk.picture else ""
        else:
            # The border between two bands replaces the line break at the end of the first band.
            text = text.removeprefix("\r").removeprefix("\n")
        return [piece.kind, index, tile, following, head, text, marks, badge, instead]

    first, last = window(chunks, shown or 0)
    if (first, last) != (0, len(chunks)):
        st.info(t("Showing chunks {a} to {b}. To see others, choose a chunk in the table.", a=first + 1, b=last))
    drawn = [
        prepare(piece)
        for piece in pieces(chunks, len(note.body))
        if first <= piece.index < max(last, 1) or last == len(chunks)
    ]
    VIEW(
        key=key,
        data={"pieces": drawn, "shown": shown, "editable": on_edit is not None, "stamp": stamp(drawn)},
        on_pick_change=on_trigger(key, "pick", on_pick),
        on_edit_change=on_trigger(key, "edit", on_edit or (lambda _: None)),
    )


def rendered_text(chunks: Chunks, shown: int | None) -> None:
    """Show the chunks as formatted text, in coloured bands.

    In a long note, only the chunks around the one at index `shown` are shown.
    """
    first, last = window(chunks, shown or 0, RENDERED)
    bands = "".join(
        f'<div class="t-band {"on" if chunk.index == shown else ""}" style="--tile: {TILES[chunk.index % len(TILES)]}">'
        f'<div class="t-small t-dim">{html(" · ".join([str(chunk.index + 1), *chunk.section[-2:]]))}</div>'
        f"{render_text(chunk.text)}</div>"
        for chunk in chunks[first:last]
    )
    st.html(f'<div class="t-bands">{bands}</div>')


def change(chunk: Chunk, edit: Edit | None) -> str:
    """Return the display name for the kind of edit made to a chunk, or "" if the chunk is unedited."""
    if chunk.state == "deleted":
        return text_of(CHANGES["delete"])
    return text_of(CHANGES[edit.kind]) if edit else ""
