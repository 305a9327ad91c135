"""Notes and changes that programs proposed: their list, and the box above a note with one."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from core.errors import Conflict
from core.messages import Message, message
from core.model import AUTHORS, SUBMISSIONS, Submission, settled_line
from core.workspace import Workspace
from pages.ui.notes import composer, history, listing, opened, undo
from pages.ui.shared import jobs, links, shell, widgets
from pages.ui.shared.safe import plain
from pages.ui.shared.text import t, t_plural, text_of
from pages.ui.shared.units import local

ICONS = {"note": "note_add", "change": "difference", "conflict": "call_split"}
_SHOWN = 50
ABOUT: dict[str, Message] = {
    "note": message("This note waits for you: searches leave it out until you accept it."),
    "change": message("A program proposes a change of this note. The note stays as it is until you accept it."),
    "conflict": message(
        "A program proposes a change of this note, which was changed since. Accepting it puts the proposed text in place "
        "of the text below; that stays in the history."
    ),
}


def arrive() -> None:
    """Choose the list of proposals if a link leads to it."""
    if links.arrived("view") == listing.WAITING:
        st.session_state["notes_view"] = listing.WAITING
        if links.arrived("note") is None:
            opened.choose("")


def listed(submissions: Iterable[Submission], base: str, text: str) -> list[Submission]:
    """Return the proposals of a base, or of all, with a text in the note's title or path."""
    look = text.casefold()
    return [
        one
        for one in submissions
        if base in ("", one.note.base) and look in f"{one.note.title}\n{one.note.path}".casefold()
    ]


def draw(workspace: Workspace, submissions: Sequence[Submission]) -> None:
    """Draw the proposals, each with its actions, and the actions on all of them."""
    if not submissions:
        st.caption(t("Nothing waits for you."))
        return
    st.caption(t("What programs write waits here until you accept it."))
    for one in submissions[:_SHOWN]:
        note_id, title = one.note.id, plain(one.note.title)
        with st.container(border=True, key=f"waiting_{note_id}", gap="xxsmall"):
            widgets.small(title, f"waits_{note_id}", ICONS[one.kind], on_click=opened.choose, args=(note_id,))
            st.caption(f"{_done(one)} · {plain(one.note.base)}")
            with st.container(horizontal=True):
                if one.kind != "conflict":
                    _button(workspace, "accept", t("Accept"), f"row_{note_id}", [one], type="tertiary")
                _button(workspace, "reject", t("Reject"), f"row_{note_id}", [one], type="tertiary")
    widgets.more(len(submissions) - _SHOWN)
    if len(submissions) > 1:
        sound = [one for one in submissions if one.kind != "conflict"]
        with st.container(horizontal=True, key="waiting_all"):
            _button(workspace, "accept", t("Accept all {n}", n=len(sound)), "all", sound)
            _button(workspace, "reject", t("Reject all {n}", n=len(submissions)), "all", submissions)


def box(workspace: Workspace, submissions: Iterable[Submission], note_id: str) -> None:
    """Draw the proposal on a note, its differences and its actions, above the note."""
    one = next((one for one in submissions if one.note.id == note_id), None)
    if one is None:
        return
    with st.container(border=True, key="waiting_box"):
        st.markdown(f":material/{ICONS[one.kind]}: {text_of(ABOUT[one.kind])}")
        st.caption(_done(one))
        if one.change:
            history.draw(workspace.proposals.difference(one))
        with st.container(horizontal=True):
            _button(workspace, "accept", t("Accept"), "box", [one], type="primary")
            edit, shut = shell.guarded(composer.edit_proposed), jobs.shut(workspace)
            label = t("Edit, then accept")
            widgets.button(label, "waiting_edit", "edit", on_click=edit, args=(workspace, one), disabled=shut)
            _button(workspace, "reject", t("Reject"), "box", [one])


def _done(one: Submission) -> str:
    done = t("{done} {by}", done=SUBMISSIONS[one.kind], by=AUTHORS[one.author])
    return f"{done} · {local(one.at)}"


def _button(workspace: Workspace, verb: str, label: str, key: str, chosen: Sequence[Submission], **more: Any) -> None:
    act, icon = {"accept": (_accept, "check"), "reject": (_reject, "close")}[verb]
    shut = jobs.shut(workspace) or not chosen
    click = {"on_click": shell.guarded(act), "args": (workspace, chosen)}
    widgets.button(label, f"{verb}_{key}", icon, disabled=shut, **click, **more)


def _accept(workspace: Workspace, chosen: Sequence[Submission]) -> None:
    """Accept the proposals that were shown; a change is made even if its note was changed since it was proposed."""
    over = chosen[0].note.version if len(chosen) == 1 else None
    try:
        workspace.proposals.accept(chosen, over=over, embed=False)
    except Conflict as conflict:
        if conflict.stored.in_file:
            workspace.notes.take_file(
                conflict.stored.id
            )  # another program changed the file: its text and the proposal are shown then
        raise
    workspace.start_indexing()
    _leave(chosen)
    undo.offer(_settled(chosen, accepted=True), lambda: _wait_again(workspace, chosen))


def _wait_again(workspace: Workspace, done: Sequence[Submission]) -> None:
    """Undo an acceptance: the proposals are open again."""
    for one in done:
        if one.change:
            note = workspace.notes.revert(one.note.id, one.note.version, embed=False)
            workspace.proposals.restore([replace(one.change, version=note.version)])
    workspace.notes.set_fields([one.note.id for one in done if not one.change], status="pending")
    workspace.start_indexing()


def _reject(workspace: Workspace, chosen: Sequence[Submission]) -> None:
    workspace.proposals.reject(chosen)
    opened.forget([one.note.id for one in chosen if not one.change])
    _leave(chosen)

    def undone() -> None:
        workspace.notes.restore([one.note.id for one in chosen if not one.change])
        workspace.proposals.restore([one.change for one in chosen if one.change])

    undo.offer(_settled(chosen, accepted=False), undone)


def _leave(done: Sequence[Submission]) -> None:
    """Close notes without a proposal while proposals are listed, so that the next one opens."""
    if st.session_state.get("notes_view") == listing.WAITING:
        opened.forget([one.note.id for one in done])


def _settled(done: Sequence[Submission], *, accepted: bool) -> str:
    if len(done) == 1:
        return plain(text_of(settled_line(done[0].kind, done[0].note.title, accepted=accepted)))
    if accepted:
        return t_plural("{n} note is accepted.", "{n} notes are accepted.", n=len(done))
    return t_plural("{n} note is rejected.", "{n} notes are rejected.", n=len(done))
