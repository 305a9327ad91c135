"""The drawer for changing a chunk, the edits that no longer fit their note, and the undo button for changes."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import streamlit as st
from streamlit import html as draw_html
from streamlit import rerun, session_state

from core.base.messages import message, message_table
from core.base.text import with_newlines
from core.model import CHUNK_STATES, Chunk, Decision, Edit, Flagged, KnowledgeBase, Note
from pages.ui.chunks import bands
from pages.ui.chunks.bands import Chunks
from pages.ui.shared import links, widgets
from pages.ui.shared.jobs import hindrance, start_job
from pages.ui.shared.safe import facts, html, plain, t_html
from pages.ui.shared.server import workspace
from pages.ui.shared.text import busy, label_of, small_print, t, t_plural, text_of
from pages.ui.shared.widgets import (
    Callback,
    Dialog,
    Label,
    button,
    close,
    code,
    errors,
    expander,
    frame,
    row,
    segments,
    small,
    text_area,
)

# Undoing the latest chunk edits, step by step.

_STEPS = "chunk_edits"
# Maximum number of edits to keep for undo.
_MOST = 20


@dataclass
class EditStep:
    """An undo step, with the description of an action (`text`) and the note's edits before and after the action.

    `after` is None until the action has run.
    """

    note_id: str
    text: str
    before: Sequence[Edit]
    after: Sequence[Edit] | None = None

    def run(self, act: Callback) -> None:
        """Run the action, then record the note's edits, even if the action fails. This can run in a background job."""
        try:
            act()
        finally:
            self.after = workspace.chunks.edits(self.note_id)


def begin_step(note: Note, text: str) -> EditStep:
    """Create the undo step for an action on a note. `text` describes the action. The caller runs the step."""
    step = EditStep(note.id, text, workspace.chunks.edits(note.id))
    session_state[_STEPS] = [*session_state.get(_STEPS, []), step][-_MOST:]
    return step


def draw_undo(note: Note, why: str) -> None:
    """Show a note's last undo step with an undo button. If `why` says why nothing can be changed, disable the button.

    Show nothing if the action changed no edits, or if the note's edits have changed since.
    """
    last: EditStep | None = next(
        (step for step in reversed(session_state.get(_STEPS, [])) if step.note_id == note.id), None
    )
    if not last or last.after in (None, last.before) or last.after != workspace.chunks.edits(note.id):
        return

    def take_back() -> None:
        workspace.chunks.revert(note.id, last.before, expected=last.after or ())
        session_state[_STEPS] = [step for step in session_state.get(_STEPS, []) if step is not last]

    with row("chunks_done"):
        st.caption(last.text, width="content")
        small("Undo", "chunks_undo", "undo", take_back, disabled=why)
        close("chunks_done_close", "Close", session_state.pop, _STEPS, None)


# Edits that no longer fit their note and await the user's decision.

SHOWN = 20
# Maximum number of characters of an edit to show.
LENGTH = 600


def draw_flagged() -> None:
    """Show the edits that no longer fit their note, if any, each with buttons for keeping and discarding the edit."""
    waiting = workspace.chunks.flagged()
    if not waiting:
        return
    with expander(
        t_plural(
            "{n} edit no longer matches the text. Keep or discard it?",
            "{n} edits no longer match the text. Keep or discard them?",
            n=len(waiting),
        ),
        "flag",
        "flagged",
    ):
        small_print("The text that these edits belong to is no longer in the note. Nothing is lost until you decide.")
        for item in waiting[:SHOWN]:
            with frame(f"flagged_{item.edit.id}"):
                _draw_flagged(item)
        widgets.more(len(waiting) - SHOWN)


def _draw_flagged(item: Flagged) -> None:
    edit = item.edit
    note = item.note
    text = edit.text or edit.anchor
    draw_html(
        f'<div class="t-head"><b>{html(note.title) if note else t_html("The note was deleted")}</b>'
        f'<span class="t-tag">{html(bands.CHANGES[edit.kind])}</span></div>'
        f'<div class="t-text t-small">{html(text[:LENGTH])}{" …" if len(text) > LENGTH else ""}</div>'
    )
    shut = hindrance(base=note.base if note else "")

    def decide(decision: Decision) -> None:
        start_job("edits", lambda _: workspace.chunks.resolve(edit.id, decision))

    with row():
        is_placeable = note is not None and edit.kind != "delete"
        if is_placeable and button(
            "Keep",
            f"keep_{edit.id}",
            "check",
            disabled=shut,
            help="The edit becomes a separate chunk at the end of the note.",
        ):
            decide("keep")
        if button("Discard", f"drop_{edit.id}", "close", disabled=shut):
            decide("drop")


MERGED = message("The chunks were merged.")

# The drawer for one chunk. Its subject is the chunk's id.
_DRAWER = Dialog("drawer")
# Initial width of the drawer in pixels. The note stays visible next to it, and the user can resize it.
WIDTH = 680
# Maximum number of split positions to list. The user can enter any other position as an offset.
PLACES = 400
# Maximum number of characters to show of each half in the preview of a split.
SEEN = 700
_PLACE = r"(?<=\n)(?=[^\n])|(?<=[。！？；])(?=.)|(?<=[.!?;]\s)(?=\S)"
# A line that must not be separated from the text after it: a list marker or a heading.
_BELONGS_TO_NEXT = r"\s*(?:[-*+]|\d+[.)]|#{1,6}\s.*)"


def open_next(chunk_id: str) -> None:
    """Open the drawer for a chunk on the next rerun. Use this in callbacks."""
    _DRAWER.open(chunk_id)
    session_state["drawer_mode"] = "edit"


def drawer(base: KnowledgeBase, note: Note, chunks: Chunks, edits: Mapping[str, Edit]) -> None:
    """Draw the drawer if it is open. Close the drawer if its chunk no longer exists."""
    chunk = next((chunk for chunk in chunks if chunk.id == _DRAWER.subject), None)
    if chunk is None:
        _DRAWER.close()
        return

    _DRAWER.draw(
        t("Chunk {index} of {total}", index=chunk.index + 1, total=chunk.total),
        partial(_draw_chunk, base, note, chunks, chunk, edits.get(chunk.id)),
        width=WIDTH,
        position="right",
    )


def _draw_lock_reason(base: KnowledgeBase) -> bool:
    """Return whether the base's chunks are currently locked. If they are, show the reason."""
    why = hindrance(base=base.name)
    if why:
        st.info(plain(why), icon=":material/lock:")
    return bool(why)


@errors()
def _draw_chunk(base: KnowledgeBase, note: Note, chunks: Chunks, chunk: Chunk, edit: Edit | None) -> None:
    shut = _draw_lock_reason(base)

    def restore() -> None:
        _finish(
            note,
            chunk.index,
            "The chunk was restored to the note's text.",
            lambda: workspace.chunks.restore(chunk.id),
        )

    draw_html(
        facts(
            [
                " › ".join(chunk.section),
                t_plural("{n} token", "{n} tokens", n=chunk.token_count),
                text_of(CHUNK_STATES[chunk.state]),
                bands.change(chunk, edit) if chunk.state != "deleted" else "",
            ]
        )
    )
    if chunk.state == "deleted":
        code(chunk.text)
        if _done("restore", "Restore", "", shut=shut):
            restore()
        return
    mode = segments(
        "What to do",
        message_table({"edit": "Edit the text", "split": "Split", "add": "Add after this"}),
        "drawer_mode",
    )
    if mode == "split":
        _split(note, chunk, shut=shut)
    elif mode == "add":
        text = text_area("Text of the new chunk", f"add_{chunk.id}_{note.generation}", height=300, disabled=shut)
        small_print("The new chunk comes after this one and can be found like any other. Ctrl+Enter adds it.")
        if _done("add", "Add after this", "add", shut=shut):
            _finish(
                note,
                chunk.index + 1,
                "The chunk was added.",
                lambda: workspace.chunks.add(note.id, text, after=chunk.id),
            )
    else:
        text = text_area(
            "Text of the chunk", f"text_{chunk.id}_{note.generation}", chunk.text, height=380, disabled=shut
        )
        small_print(
            "Ctrl+Enter saves. The note's file isn't changed, and your edit is kept when the note is split again."
        )
        if _done("save", "Save", "save", shut=shut):
            _finish(note, chunk.index, "The chunk was edited.", lambda: workspace.chunks.update(chunk.id, text))
        run = chunks_to_merge(chunks, [chunk])
        with row():
            label = t("Merge with the next chunk") if run[:1] == [chunk] else t("Merge with the previous chunk")
            if run and button(label, "drawer_merge", "merge", disabled=shut):
                _finish(note, run[0].index, MERGED, lambda: workspace.chunks.merge(*(part.id for part in run)))
            if button("Hide", "drawer_delete", "delete", disabled=shut):
                _finish(note, chunk.index, "The chunk was hidden.", lambda: workspace.chunks.delete(chunk.id))
            if edit and button("Restore", "drawer_restore", "settings_backup_restore", disabled=shut):
                restore()
        if edit and edit.kind != "add" and edit.text:
            with expander("The note's own text"):
                code(edit.anchor)


def chunks_to_merge(chunks: Chunks, chosen: Chunks) -> list[Chunk]:
    """Return the chunks to merge for a selection, in reading order, or an empty list if they can't be merged.

    If several chunks are chosen, they must be consecutive. A single chunk is merged with the next chunk, or with the
    previous one if that isn't possible.
    """
    if len(chosen) == 1:
        at = chosen[0].index
        pairs = (chunks[at : at + 2], chunks[max(0, at - 1) : at + 1])
        return next(([*pair] for pair in pairs if len(pair) == 2 and _are_visible(pair)), [])
    follow = all(after.index == before.index + 1 for before, after in pairwise(chosen))
    return [*chosen] if chosen and follow and _are_visible(chosen) else []


def _are_visible(chunks: Chunks) -> bool:
    return all(chunk.state != "deleted" for chunk in chunks)


def _split(note: Note, chunk: Chunk, *, shut: bool) -> None:
    if len(chunk.text.strip()) < 2:
        small_print("This chunk is too short to split.")
        return
    text = chunk.text
    offered = places(text)
    chosen = len(text) // 2
    if offered:
        chosen = st.selectbox(
            t("Split before"),
            offered,
            index=offered.index(_best_place(text, offered)),
            format_func=lambda at: f"{at:,} · {' '.join(text[at : at + 80].split())}",
            key=f"place_{chunk.id}_{note.generation}",
        )
    at = st.number_input(
        t("Split at character"), 1, len(text) - 1, chosen, key=f"at_{chunk.id}_{note.generation}_{chosen}"
    )
    left = text[:at]
    for column, half, title in zip(st.columns(2), (left, text[at:]), (t("First part"), t("Second part")), strict=True):
        shown = half if len(half) <= SEEN else f"… {half[-SEEN:]}" if half is left else f"{half[:SEEN]} …"
        column.caption(f"{title} · {t_plural('{n} character', '{n} characters', n=len(half))}")
        column.code(shown, language=None, wrap_lines=True)
    if _done("split", "Split", "content_cut", shut=shut):
        _finish(note, chunk.index, "The chunk was split.", lambda: workspace.chunks.split(chunk.id, at))


def first(base: KnowledgeBase, note: Note) -> None:
    """Draw the form for adding the first chunk to a note that has no chunks."""
    shut = _draw_lock_reason(base)
    text = text_area("Text of the new chunk", f"first_{note.id}_{note.generation}", height=200, disabled=shut)
    small_print("The new chunk can be found like any other. The note's file isn't changed. Ctrl+Enter adds the chunk.")
    if _done("first", "Add a chunk", "add", shut=shut):
        _finish(note, 0, "The chunk was added.", lambda: workspace.chunks.add(note.id, text))


def _done(name: str, label: str, icon: str, *, shut: bool) -> bool:
    return button(label, f"drawer_{name}", icon, type="primary", shortcut="Ctrl+Enter", disabled=shut)


def _finish(note: Note, index: int, done: Label, act: Callback) -> None:
    """Call `act`, then close the drawer and show the chunk at `index`. `done` describes the undo step."""
    with busy("Saving…"):
        begin_step(note, label_of(done)).run(act)
    _DRAWER.close()
    links.set_value("chunk", str(min(index, len(workspace.chunks.all(note.id)) - 1)))
    rerun()


def places(text: str) -> list[int]:
    """Return the offsets above 0 at which a chunk's text can be split, which are starts of lines and sentences.

    If there are more than PLACES, return only the first PLACES line starts.
    """
    text = with_newlines(text)
    starts = [
        match.start()
        for match in re.finditer(_PLACE, text)
        if (part := text[: match.start()].rstrip()) and not re.fullmatch(_BELONGS_TO_NEXT, part.rpartition("\n")[2])
    ]
    if len(starts) > PLACES:
        starts = [at for at in starts if text[at - 1] == "\n"]
    return starts[:PLACES]


def _best_place(text: str, offered: Sequence[int]) -> int:
    """Return the offered position nearest the middle of the text, preferring starts of headings and paragraphs."""
    blocks = [at for at in offered if text[at] == "#" or text[:at].endswith("\n\n")]
    return min(blocks or offered, key=lambda at: abs(at - len(text) / 2))
