"""Decisions on review items, each with an undo, and the box above a note that waits for a decision."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import get_args

import streamlit as st

from core.base.errors import Conflict
from core.base.frozen import frozen
from core.base.messages import Message, message
from core.model import AUTHORS, MATTERS, SUBMISSIONS, MatterKind, Progress, ReviewItem, Side, Submission, settled_line
from core.model import Decision as Verdict
from core.workspace import Workspace
from pages.ui.notes import actions, composer, history, opened, trash
from pages.ui.shared import jobs, widgets
from pages.ui.shared.names import local
from pages.ui.shared.safe import plain
from pages.ui.shared.text import t, t_plural, text_of

# The box above a note that waits for the user, or for which a program proposes a change.


def box(workspace: Workspace, note_id: str) -> None:
    """Draw a note's pending submission with its differences and actions; draws nothing if there is none."""
    submission = next((proposal for proposal in workspace.proposals.all() if proposal.note.id == note_id), None)
    if submission is None:
        return
    kind = MATTERS[submission.kind]
    with st.container(border=True, key="waiting_box"):
        st.markdown(f":material/{kind.icon}: {text_of(kind.about)}")
        st.caption(
            f"{t('{done} {by}', done=SUBMISSIONS[submission.kind], by=AUTHORS[submission.author])} · {local(submission.at)}"
        )
        if submission.change:
            history.draw_difference(workspace.proposals.difference(submission))
        shut = jobs.is_shut(workspace)
        with st.container(horizontal=True):
            click = {"args": (workspace, [submission]), "disabled": shut}
            widgets.button(t("Accept"), "accept_box", "check", type="primary", on_click=accept, **click)
            widgets.button(
                t("Edit, then accept"),
                "waiting_edit",
                "edit",
                on_click=composer.edit_proposed,
                args=(workspace, submission),
                disabled=shut,
            )
            widgets.button(t("Reject"), "reject_box", "close", on_click=reject, **click)
            st.page_link("review.py", label=t("Everything to review"), icon=":material/rule:")


@frozen
class Decision:
    """A decision: its button, the kinds of items that it applies to, and whether it works on `several` at once."""

    label: Message
    icon: str
    shortcut: str
    kinds: tuple[MatterKind, ...]
    act: Callable[[Workspace, Sequence[ReviewItem]], None]
    several: bool = True


def accept(workspace: Workspace, chosen: Sequence[Submission]) -> None:
    """Accept new notes and proposed changes; a single change is applied even if its note has changed since."""
    over = chosen[0].note.version if len(chosen) == 1 else None
    try:
        workspace.proposals.accept(chosen, over=over, embed=False)
    except Conflict as conflict:
        if conflict.stored.in_file:
            # Another program changed the file; then its text and the proposal are shown.
            workspace.files.read(conflict.stored.id)
        raise
    history.offer_undo(_settled_line(chosen, accepted=True), lambda: _wait_again(workspace, chosen))


def reject(workspace: Workspace, chosen: Sequence[Submission]) -> None:
    """Move new notes to the trash, and drop proposed changes."""
    workspace.proposals.reject(chosen)
    new = [submission.note.id for submission in chosen if not submission.change]
    opened.forget(new)

    def undone() -> None:
        workspace.trash.restore(new)
        workspace.proposals.restore([submission.change for submission in chosen if submission.change])

    history.offer_undo(_settled_line(chosen, accepted=False), undone)


def _settled_line(done: Sequence[Submission], *, accepted: bool) -> str:
    if len(done) == 1:
        return plain(settled_line(done[0].kind, done[0].note.title, accepted=accepted))
    if accepted:
        return t_plural("{n} note was accepted.", "{n} notes were accepted.", n=len(done))
    return t_plural("{n} note was rejected.", "{n} notes were rejected.", n=len(done))


def _wait_again(workspace: Workspace, done: Sequence[Submission]) -> None:
    """Undo an acceptance, so that the submissions wait again."""
    for submission in done:
        if submission.change:
            note = workspace.versions.revert(submission.note.id, submission.note.version, embed=False)
            workspace.proposals.restore([replace(submission.change, version=note.version)])
    workspace.notes.set_fields([submission.note.id for submission in done if not submission.change], status="pending")


def _submissions(chosen: Sequence[ReviewItem]) -> list[Submission]:
    return [matter.submission for matter in chosen if matter.submission]


def merge(workspace: Workspace, matter: ReviewItem, into: str) -> None:
    """Append a new note to another note."""
    before = workspace.notes.get(into).version
    workspace.review.merge(matter, into)

    def undo_merge() -> None:
        workspace.versions.revert(into, before, embed=False)
        workspace.trash.restore([matter.note.id] if matter.note else [], embed=False)

    history.offer_undo(
        t_plural("{n} note was added to another note.", "{n} notes were added to other notes.", n=1), undo_merge
    )


def _archive(workspace: Workspace, chosen: Sequence[ReviewItem]) -> None:
    actions.archive_notes(workspace, [matter.note.id for matter in chosen if matter.note])


def _delete(_: Workspace, chosen: Sequence[ReviewItem]) -> None:
    trash.ask([matter.note.id for matter in chosen if matter.note])


def _resolve(verdict: Verdict, workspace: Workspace, chosen: Sequence[ReviewItem]) -> None:
    def work(_: object) -> None:
        for matter in chosen:
            if matter.flagged:
                workspace.chunks.resolve(matter.flagged.edit.id, verdict)

    jobs.start(workspace, "edits", work)


def _try_again(workspace: Workspace, chosen: Sequence[ReviewItem]) -> None:
    bases = list(dict.fromkeys(matter.base for matter in chosen))

    def work(progress: Progress) -> int:
        return sum(workspace.pending.embed(base, refused=True, progress=progress) for base in bases)

    jobs.start(workspace, "embed", work)


def _let_be(workspace: Workspace, chosen: Sequence[ReviewItem]) -> None:
    keys = [matter.key for matter in chosen]
    workspace.review.let_be(keys)
    history.offer_undo(
        t_plural("{n} item stays as it is.", "{n} items stay as they are.", n=len(keys)),
        lambda: workspace.review.reopen(keys),
    )


def _settle(side: Side, workspace: Workspace, chosen: Sequence[ReviewItem]) -> None:
    undone = [workspace.review.settle(matter, side) for matter in chosen]

    def back() -> None:
        for item in undone:
            item()

    history.offer_undo(
        t_plural("The choice was applied to {n} note.", "The choice was applied to {n} notes.", n=len(chosen)), back
    )


def _mark_seen(workspace: Workspace, chosen: Sequence[ReviewItem]) -> None:
    undone = workspace.review.reminders.seen([matter.note.id for matter in chosen if matter.note])
    history.offer_undo(
        t_plural("{n} note will be shown again later.", "{n} notes will be shown again later.", n=len(chosen)), undone
    )


def _postpone(workspace: Workspace, chosen: Sequence[ReviewItem]) -> None:
    keys = [matter.key for matter in chosen]
    workspace.review.postpone(keys)
    history.offer_undo(
        t_plural("{n} item will be listed again in a week.", "{n} items will be listed again in a week.", n=len(keys)),
        lambda: workspace.review.reopen(keys),
    )


_SUBMITTED: tuple[MatterKind, ...] = ("note", "change", "conflict")
DECISIONS: dict[str, Decision] = {
    "accept": Decision(
        message("Accept"), "check", "A", _SUBMITTED, lambda workspace, chosen: accept(workspace, _submissions(chosen))
    ),
    "mine": Decision(message("Keep mine"), "check", "A", ("upgrade", "file"), partial(_settle, "mine")),
    "theirs": Decision(
        message("Keep the other"), "swap_horiz", "X", ("upgrade", "file"), partial(_settle, "theirs"), several=False
    ),
    "both": Decision(
        message("Keep both"), "done_all", "B", ("upgrade", "file"), partial(_settle, "both"), several=False
    ),
    "keep": Decision(message("Keep"), "check", "A", ("split",), partial(_resolve, "keep")),
    "again": Decision(message("Try again"), "replay", "A", ("refused",), _try_again),
    "archive": Decision(message("Archive"), "archive", "A", ("expired", "superseded"), _archive),
    "reject": Decision(
        message("Reject"), "close", "X", _SUBMITTED, lambda workspace, chosen: reject(workspace, _submissions(chosen))
    ),
    "drop": Decision(message("Discard"), "close", "X", ("split",), partial(_resolve, "drop")),
    "delete": Decision(message("Delete the newer note"), "delete", "X", ("copy",), _delete, several=False),
    "seen": Decision(message("Seen"), "visibility", "A", ("reminder",), _mark_seen),
    "never": Decision(message("Don't remind me"), "notifications_off", "X", ("reminder",), _let_be),
    "fine": Decision(
        message("Fine as it is"), "done_all", "F", ("superseded", "copy", "contradiction", "expired"), _let_be
    ),
    "later": Decision(
        message("Later"),
        "schedule",
        "L",
        get_args(MatterKind),
        _postpone,
    ),
}
"""Decisions in the order of their buttons."""
