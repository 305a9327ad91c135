"""The table of a note's chunks, and the actions on selected chunks."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TypeVar

import streamlit as st
from streamlit import session_state

from core.base.messages import message_table
from core.model import CHUNK_KINDS, CHUNK_STATES, Chunk, Edit, KnowledgeBase, Note, Progress
from pages.ui.chunks import bands, editor
from pages.ui.chunks.bands import Chunks
from pages.ui.shared import knobs, links, widgets
from pages.ui.shared.jobs import hindrance, start_job
from pages.ui.shared.safe import plain
from pages.ui.shared.server import workspace
from pages.ui.shared.text import t, t_plural, text_of
from pages.ui.shared.widgets import caption, count_button, count_column, text_column

Item = TypeVar("Item")

# Labels of the buttons for actions on selected chunks.
ACTIONS = message_table({"edit": "Edit", "embed": "Index", "merge": "Merge", "delete": "Hide", "restore": "Restore"})
# Descriptions of the actions' effects.
EFFECTS = message_table(
    {
        "edit": "Opens the selected chunk",
        "embed": "Indexes the selected chunks that aren't indexed yet",
        "merge": (
            "Merges the selected neighbouring chunks. A single chunk is merged with the next one or, if it is "
            "the last, with the previous one"
        ),
        "delete": "Searches no longer find the selected chunks, but you can restore them",
        "restore": "Shows a hidden chunk again, or undoes an edit",
    }
)

# Columns that are always shown. Any other column is omitted if all its values are equal.
ALWAYS = ("index", "section", "tokens")
# Columns whose value is shown once below the table if it is the same in all rows.
WORDS = ("state", "edited", "kind")


def table(note: Note, chunks: Chunks, shown: int | None, edits: Mapping[str, Edit]) -> tuple[list[Chunk], int | None]:
    """Draw the table of chunks. Return the selected chunks, and the index of the chunk to show in the text, or None."""
    key = f"chunks_{note.id}_{note.generation}"
    shown = _follow(key, shown)
    sections = [chunk.section for chunk in chunks]
    shared = next(
        (number for number, titles in enumerate(zip(*sections, strict=False)) if len(set(titles)) > 1),
        min(map(len, sections)),
    )
    lines = [
        {
            "index": chunk.index + 1,
            "line": chunk.line,
            # The chunk's own heading comes first, because a narrow column hides the end.
            "section": " ‹ ".join(reversed(chunk.section[shared:] or chunk.section[-1:])),
            "tokens": chunk.token_count,
            "overlap": chunk.overlap_tokens,
            "state": text_of(CHUNK_STATES[chunk.state]),
            "edited": bands.change(chunk, edits.get(chunk.id)),
            "kind": text_of(CHUNK_KINDS[chunk.kind]),
        }
        for chunk in chunks
    ]
    said_once = [name for name in lines[0] if name not in ALWAYS and len({line[name] for line in lines}) == 1]
    widgets.table(
        lines,
        {
            "index": st.column_config.NumberColumn("#", width=36),
            "line": count_column("Line", width=56),
            "section": text_column("Section", width=112),
            "tokens": count_column("Tokens", width=56),
            "overlap": count_column("Overlap", width=56),
            "state": text_column("State", width=82),
            "edited": text_column("Edited", width=60),
            "kind": text_column("Kind", width=70),
        },
        key,
        most=368,
        column_order=[name for name in lines[0] if name not in said_once],
        on_select="rerun",
        selection_mode="multi-row",
    )
    if words := [lines[0][name] for name in WORDS if name in said_once and lines[0][name]]:
        caption(t("All rows: {words}", words=words))
    return [chunks[row] for row in sorted(_marked(key)) if row < len(chunks)], shown


def _follow(key: str, shown: int | None) -> int | None:
    """Sync the table's selection with the chunk shown in the note's text. Return that chunk's index, or None.

    The sync happens on every run rather than in a callback. A callback is lost if another message from the browser
    interrupts its run.
    """
    before = f"{key}_before"
    by_text = f"{key}_by_text"
    now = _marked(key)
    # If the table has no state, it is new because another page was open. The user hasn't deselected anything.
    seen = session_state.get(before, []) if key in session_state else now
    if now != seen:
        new = [row for row in now if row not in seen]
        automatic = session_state.get(by_text)
        if new and automatic in now and automatic not in new:
            # This row was selected by a click in the text and may be off screen. Rows selected by the user replace it.
            now.remove(automatic)
            _mark(key, now)
        shown = (new or now)[-1] if now else None
        links.set_value("chunk", "" if shown is None else str(shown))
    elif shown is not None and shown not in now:
        now = [shown]
        _mark(key, now)
        session_state[by_text] = shown
    if session_state.get(by_text) not in now:
        session_state.pop(by_text, None)
    session_state[before] = now
    return shown


def _marked(key: str) -> list[int]:
    state = session_state.get(key)
    return list(state["selection"]["rows"]) if state else []


def _mark(key: str, rows: Sequence[int]) -> None:
    session_state[key] = {"selection": {"rows": list(rows)}}


def actions(
    base: KnowledgeBase,
    note: Note,
    chunks: Chunks,
    marked: Chunks,
    edited: set[str],
) -> None:
    """Draw buttons for the actions on the selected chunks. Each action skips the chunks it can't be applied to."""
    why = hindrance(base=base.name)
    living = [chunk for chunk in marked if chunk.state != "deleted" and not chunk.picture]
    run = editor.chunks_to_merge(chunks, living)
    waiting = [chunk.id for chunk in marked if chunk.state in ("pending", "refused")]
    back = [chunk.id for chunk in marked if chunk.id in edited]

    def restore(chunk_id: str) -> None:
        # Restoring one half of a split also restores the other half.
        if chunk_id in {chunk.id for chunk in workspace.chunks.all(note.id)}:
            workspace.chunks.restore(chunk_id)

    with widgets.row("chunk_actions"):
        if _button("edit", int(len(marked) == 1 and not marked[0].picture), "edit_note"):
            editor.open_next(marked[0].id)
            st.rerun()
        if _button("embed", len(waiting), "bolt", why):
            knobs.embed(chunk_ids=waiting)
        if _button("merge", len(living) if run else 0, "merge", why):
            links.set_value("chunk", str(run[0].index))
            step = editor.begin_step(note, text_of(editor.MERGED))
            merge = partial(workspace.chunks.merge, *(chunk.id for chunk in run))
            start_job("edits", lambda _: step.run(merge))
        if _button("delete", len(living), "delete", why):
            places = [chunk.index for chunk in living]
            step = editor.begin_step(note, t_plural("{n} chunk was hidden.", "{n} chunks were hidden.", n=len(places)))
            _run_each(step, places, lambda at: workspace.chunks.delete(workspace.chunks.all(note.id)[at].id))
        if _button("restore", len(back), "settings_backup_restore", why):
            step = editor.begin_step(
                note, t_plural("{n} chunk was restored.", "{n} chunks were restored.", n=len(back))
            )
            _run_each(step, back, restore)
    st.caption(
        plain(why)
        or t(
            "Select one or more rows to act on them. In the text, click a chunk to show it, or double-click it or "
            "press Enter to open it."
        )
    )


def _button(name: str, count: int, icon: str, why: str = "") -> bool:
    """Draw an action's button with the number of chunks it applies to. If `why` gives a reason, disable the button."""
    return count_button(text_of(ACTIONS[name]), count, f"act_{name}", icon, disabled=why, help=EFFECTS[name])


def _run_each(step: editor.EditStep, items: Sequence[Item], act: Callable[[Item], object]) -> None:
    def run(progress: Progress) -> None:
        # In reverse order, because a change to a chunk can affect later chunks.
        for number, item in enumerate(reversed(items)):
            progress(number, len(items), "")
            act(item)

    start_job("edits", lambda progress: step.run(partial(run, progress)))
