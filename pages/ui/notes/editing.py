"""The page on which a note is written: title, editor, and beside it the rendered text or the fields."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from core.model import KnowledgeBase, Note
from core.workspace import Workspace
from pages.ui.notes import composer, conflict, editor, notefields, offers, opened
from pages.ui.notes.sources import NoteSources
from pages.ui.notes.written_text import Writing
from pages.ui.shared import links, shell, widgets
from pages.ui.shared.document import as_written, document, view
from pages.ui.shared.safe import light, plain, tangled
from pages.ui.shared.text import t

AROUND = 20_000
"""Characters before and behind the caret that are rendered of a long note."""


def is_open() -> bool:
    """Return whether the editor is open; a link to another note closes it."""
    now = composer.now()
    if now is None:
        return False
    linked = links.arrived("note")
    if linked and linked != (now.note.id if now.note else ""):
        composer.leave()
        return False
    return True


def page(workspace: Workspace) -> None:
    """Draw the page. Typing draws this part again, a save the whole page."""

    @st.fragment
    def part() -> None:
        now = composer.now()
        if now is None:
            st.rerun()
        else:
            _draw(workspace, now)

    now = composer.now()
    opened.choose(now.note.id if now and now.note else "")
    part()


def _draw(workspace: Workspace, now: Writing) -> None:
    with shell.errors():
        _act(workspace, now)
    with shell.errors():
        with st.container():  # its own container: elements that come and go don't move the editor
            if now.opposed:
                conflict.draw(workspace, now)
            _bar(workspace, now)
            if now.note is None:
                notefields.place(workspace, now)
            notefields.title(workspace, now)
        left, right = st.columns([11, 9], gap="medium")
        with left:
            if _shut(workspace, now):
                _elsewhere(workspace, now)
            else:
                _editor(workspace, now)
        with right:
            _side(workspace, now)


def _act(workspace: Workspace, now: Writing) -> None:
    """Do the action that a callback noted.

    The callback itself may run before the one that takes the typed text. The action stays noted until it is done, for
    another message may break off the run that the click began.
    """
    wish = now.wish
    if wish is None:
        return
    try:
        if wish == "leave":
            composer.leave()
        elif wish == "discard":
            composer.discard(workspace, now.key)
        elif now.changed and _complete(now):
            composer.save(workspace, now)
    except Exception:
        now.wish = None
        raise
    now.wish = None
    st.rerun()


def _bar(workspace: Workspace, now: Writing) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="writing_bar"):
        widgets.small(t("Done"), "writing_leave", "arrow_back", on_click=composer.wish_for, args=(now, "leave"))
        st.caption(_state(workspace, now), width="stretch")
        label = t("Discard the changes") if now.note else t("Discard this note")
        if now.changed:
            widgets.small(label, "writing_discard", "delete", on_click=composer.wish_for, args=(now, "discard"))
        shut = workspace.readonly or not (now.changed and _complete(now))
        keys = "Ctrl+S · Ctrl+Enter"
        widgets.button(
            t("Save"),
            "writing_save",
            "check",
            type="primary",
            help=keys,
            disabled=shut,
            on_click=composer.wish_for,
            args=(now, "save"),
        )


def _state(workspace: Workspace, now: Writing) -> str:
    if now.saved and now.note and not now.changed:
        base = workspace.bases.of_id(now.note.base_id)
        if not base.embed_at_once and (n := _pending(workspace, now.note.id)):
            return t("Saved. Its words find it; {n} of its chunks wait until you index this base.", n=n)
        return t("Saved as version {n}.", n=now.note.version)
    if not now.changed:
        return t("Nothing to save.")
    if now.note is None and not now.base:
        return t("Not saved: choose a base. What you write is stored as a draft meanwhile.")
    return t("Not saved. What you write is stored as a draft meanwhile.")


def _pending(workspace: Workspace, note_id: str) -> int:
    return sum(chunk.state == "pending" for chunk in workspace.chunks.all(note_id))


def _complete(now: Writing) -> bool:
    """Return whether the text or its title is enough for a note."""
    return now.note is not None or bool(now.base and (now.body.strip() or now.value("title")))


def _editor(workspace: Workspace, now: Writing) -> None:
    offered = now.offered = now.offered or offers.of(workspace)

    def typed(sent: Mapping[str, Any]) -> None:
        now.typed(**sent)
        composer.keep(workspace, now)

    editor.write(workspace, now, offered, shell.guarded(typed))


def _shut(workspace: Workspace, now: Writing) -> bool:
    """Return whether the text belongs to a file, and the base doesn't write files."""
    return bool(now.note and now.note.in_file and not workspace.bases.of_id(now.note.base_id).write_files)


def _elsewhere(workspace: Workspace, now: Writing) -> None:
    """Draw the ways to edit a note of a file."""
    assert now.note is not None
    note, base = now.note, workspace.bases.of_id(now.note.base_id)
    with st.container(border=True, key="writing_elsewhere"):
        st.markdown(t("This note is the file **{path}**. Its fields can be set here.", path=plain(note.path or "")))
        st.caption(_why_shut(note, base))
        with st.container(horizontal=True):
            if not note.plain:
                widgets.button(
                    t("Write to the files of '{base}'", base=plain(base.name)),
                    "write_files_on",
                    "edit_document",
                    on_click=shell.guarded(lambda: workspace.bases.update(base.name, write_files=True)),
                    disabled=workspace.readonly,
                )
            widgets.button(
                t("Make a copy that lives here"),
                "writing_copy",
                "content_copy",
                on_click=shell.guarded(_copied),
                args=(workspace, note.id),
                disabled=workspace.readonly,
            )


def _why_shut(note: Note, base: KnowledgeBase) -> str:
    if note.plain:
        return t("Its text is changed in another program: text files are only read here.")
    return t(
        "To change its text too, let Tessera write to the files of '{base}'. It replaces a file at once, "
        "and only if no other program has changed it meanwhile.",
        base=plain(base.name),
    )


def _copied(workspace: Workspace, note_id: str) -> None:
    copy = workspace.notes.copy(note_id, embed=False)
    workspace.start_indexing()
    composer.edit(workspace, copy.id)


def _side(workspace: Workspace, now: Writing) -> None:
    views = {"rendered": t("Rendered"), "fields": t("Fields")}
    view = widgets.segments(t("Beside the text"), views, "writing_side", default="rendered", persist_state="session")
    with st.container(key="writing_beside"):
        if view == "fields":
            notefields.draw(workspace, now)
        elif now.body.strip():
            _preview(workspace, now)
        else:
            st.caption(t("What you write appears here as it will be read."))


def _preview(workspace: Workspace, now: Writing) -> None:
    """Draw the text. A click on a link to a note closes the editor and opens the note; the draft stays."""

    def clicked(link: view.Clicked) -> None:
        composer.leave()
        if link.note_id:
            opened.choose(link.note_id, link.place)
        else:
            composer.begin_linked(now.base, link.make)

    shown = light(_around(now.body, now.caret))
    now.links = now.links or workspace.notes.links()
    sources = NoteSources(workspace, _provisional(workspace, now), now.links)
    drawn = as_written(shown) if tangled(shown) else document(shown, sources).html
    with st.container(key="reader_body"):
        view.show(f"<article>{drawn}</article>", "preview", arrival=now.token, on_click=clicked)


def _around(body: str, caret: int) -> str:
    """Return a text, or the lines around the caret of a long one."""
    if len(body) <= 2 * AROUND:
        return body
    first = body.rfind("\n", 0, max(0, caret - AROUND)) + 1
    return body[first : max(caret, AROUND) + AROUND]


def _provisional(workspace: Workspace, now: Writing) -> Note:
    """Return the note in the editor, a provisional one if it is new: links are resolved from its place."""
    if now.note:
        return now.note
    base = workspace.bases.find(now.base)
    path = f"{now.folder}/new" if now.folder else "new"
    return Note("", base.id if base else "", body="", content_hash="", title="", path=path)
