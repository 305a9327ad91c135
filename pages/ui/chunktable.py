"""The table of a note's chunks, and what can be done with those that are marked."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import streamlit as st

from core.model import Chunk, Edit, Note, Progress
from core.workspace import Workspace
from pages.ui import bands, editor, links, work
from pages.ui.text import t

Item = TypeVar("Item")


def table(note: Note, chunks: Sequence[Chunk], shown: int | None, edits: Mapping[str, Edit]) -> list[Chunk]:
    """Draw a row for every chunk and return the marked ones; the last one marked is shown in the text."""
    key = f"chunks_{note.id}_{note.generation}"
    by_text = f"{key}_by_text"
    if shown is not None and shown not in _marked(key):
        _mark(key, [shown])
        st.session_state[by_text] = shown
    rows = _marked(key)

    def picked() -> None:
        now = _marked(key)
        new = [row for row in now if row not in rows]
        if new and (led := st.session_state.pop(by_text, None)) in now:
            # It is marked for being shown, maybe out of sight: who marks by hand means those rows only.
            now.remove(led)
            _mark(key, now)
        links.say("chunk", str((new or now)[-1]) if now else "")

    titles = [chunk.section for chunk in chunks]
    shared = _shared(titles)
    st.dataframe(
        [
            {
                "index": chunk.index + 1,
                # Its own title first: the end of what a narrow column holds isn't seen.
                "section": " ‹ ".join(reversed(chunk.section[shared:] or chunk.section[-1:])),
                "tokens": chunk.token_count,
                "overlap": chunk.overlap_tokens,
                "state": t(f"state.{chunk.state}"),
                "edited": bands.change(chunk, edits.get(chunk.id)),
                "kind": t(f"kind.{chunk.kind}"),
            }
            for chunk in chunks
        ],
        key=key,
        height=min(368, 38 + 35 * len(chunks)),
        hide_index=True,
        column_config={
            "index": st.column_config.NumberColumn(t("column.index"), width=36),
            "section": st.column_config.TextColumn(t("column.section"), width=112),
            **{name: st.column_config.NumberColumn(t(f"column.{name}"), width=56) for name in ("tokens", "overlap")},
            "state": st.column_config.TextColumn(t("column.state"), width=82),
            "edited": st.column_config.TextColumn(t("column.edited"), width=60),
            "kind": st.column_config.TextColumn(t("column.kind"), width=70),
        },
        on_select=picked,
        selection_mode="multi-row",
    )
    return [chunks[row] for row in sorted(_marked(key)) if row < len(chunks)]


def _marked(key: str) -> list[int]:
    state = st.session_state.get(key)
    return list(state["selection"]["rows"]) if state else []


def _mark(key: str, rows: Sequence[int]) -> None:
    st.session_state[key] = {"selection": {"rows": list(rows)}}


def _shared(sections: Sequence[tuple[str, ...]]) -> int:
    """Return how many titles all sections begin with: they needn't be told in every row."""
    columns = zip(*sections, strict=False)
    return next((number for number, titles in enumerate(columns) if len(set(titles)) > 1), min(map(len, sections)))


def actions(
    workspace: Workspace, note: Note, chunks: Sequence[Chunk], marked: Sequence[Chunk], edited: set[str]
) -> None:
    """Draw what can be done with the marked chunks; those that it can't be done with are left out."""
    shut = work.writing(workspace)
    living = [chunk for chunk in marked if chunk.state != "deleted"]
    last = len(living) == 1 and not _next_lives(chunks, living[0])
    waiting = [chunk.id for chunk in living if chunk.state == "pending"]
    back = [chunk.id for chunk in marked if chunk.id in edited]
    with st.container(horizontal=True, key="chunk_actions"):
        if _button("edit", len(marked) if len(marked) == 1 else 0, "edit_note", shut=workspace.readonly):
            editor.open_at(marked[0].id)
        if _button("embed", len(waiting), "bolt", shut=shut):
            work.start(workspace, "embed", lambda progress: workspace.embed(chunk_ids=waiting, progress=progress))
        merge = _button("merge", 0 if last else len(living), "merge", shut=shut)
        if _button("delete", len(living), "delete", shut=shut):
            places = [chunk.index for chunk in living]
            _each(workspace, places, lambda at: workspace.delete_chunk(workspace.chunks(note.id)[at].id))
        if _button("restore", len(back), "settings_backup_restore", shut=shut):
            _each(workspace, back, lambda chunk_id: _restore(workspace, note, chunk_id))
    if merge and living[-1].index - living[0].index >= len(living):
        st.warning(t("act.merge.apart"), icon=":material/merge:")
    elif merge:
        links.say("chunk", str(living[0].index))
        work.start(workspace, "edits", lambda _: workspace.merge_chunk(*(chunk.id for chunk in living)))
    st.caption(t("chunks.table.hint"))


def _next_lives(chunks: Sequence[Chunk], chunk: Chunk) -> bool:
    after = chunk.index + 1
    return after < len(chunks) and chunks[after].state != "deleted"


def _button(name: str, count: int, icon: str, *, shut: bool) -> bool:
    label = f"{t(f'act.{name}')} · {count}" if count > 1 else t(f"act.{name}")
    return st.button(
        label, key=f"act_{name}", icon=f":material/{icon}:", disabled=shut or not count, help=t(f"act.{name}.help")
    )


def _each(workspace: Workspace, items: Sequence[Item], act: Callable[[Item], object]) -> None:
    def job(progress: Progress) -> None:
        # From the last one back: what is done to a chunk can change those behind it.
        for number, item in enumerate(reversed(items)):
            progress(number, len(items), "")
            act(item)

    work.start(workspace, "edits", job)


def _restore(workspace: Workspace, note: Note, chunk_id: str) -> None:
    # With one part of a split the other has been restored.
    if chunk_id in {chunk.id for chunk in workspace.chunks(note.id)}:
        workspace.restore_chunk(chunk_id)
