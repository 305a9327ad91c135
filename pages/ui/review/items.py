"""The list of items to review, and the open item with the possible decisions."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import PurePosixPath
from typing import get_args

import streamlit as st
from streamlit import container, session_state, switch_page

from core.base.errors import Conflict
from core.base.frozen import TextValues, frozen
from core.base.messages import message_table, verbatim
from core.base.text import shorten
from core.model import (
    AUTHORS,
    MATTERS,
    SUBMISSIONS,
    MatterKind,
    NoteSummary,
    Progress,
    ReviewItem,
    Side,
    Submission,
    day_of,
    later,
    place_line,
    settled_line,
    utc_now,
)
from core.model import Decision as Verdict
from pages.ui.notes import actions, composer, opened, trash
from pages.ui.notes.files import NoteSources
from pages.ui.notes.history import draw_difference, offer_undo
from pages.ui.review import pairs
from pages.ui.shared import links
from pages.ui.shared.document import Clicked, document_part, show_document
from pages.ui.shared.jobs import is_shut, start_job
from pages.ui.shared.names import base_name, local
from pages.ui.shared.safe import plain
from pages.ui.shared.server import workspace
from pages.ui.shared.shortcuts import REVIEW
from pages.ui.shared.text import join_facts, label_of, small_print, t, t_plural, text_of, with_note
from pages.ui.shared.widgets import (
    bound,
    button,
    caption,
    errors,
    expander,
    frame,
    more,
    note_link,
    page_link,
    paragraph,
    pills,
    row,
    small,
)

Items = Sequence[ReviewItem]

# The box shown above a note that awaits review or has a change proposed by a program.


def box(note_id: str) -> None:
    """Show the pending submission for a note, if any, with buttons to accept, edit or reject it.

    A submission is either the new note or a proposed change, which is shown as a difference.
    """
    submission = next((proposal for proposal in workspace.proposals.all() if proposal.note.id == note_id), None)
    if submission is None:
        return
    kind = MATTERS[submission.kind]
    with frame("waiting_box"):
        st.markdown(f":material/{kind.icon}: {text_of(kind.about)}")
        st.caption(f"{_done(submission)} · {local(submission.at)}")
        if submission.change:
            draw_difference(workspace.proposals.difference(submission))
        shut = is_shut()
        with row():
            button("Accept", "accept_box", "check", accept, [submission], type="primary", disabled=shut)
            button("Edit, then accept", "waiting_edit", "edit", composer.edit_proposed, submission, disabled=shut)
            button("Reject", "reject_box", "close", reject, [submission], disabled=shut)
            page_link("review.py", "Everything to review", "rule")


def _done(submission: Submission) -> str:
    return t("{done} {by}", done=SUBMISSIONS[submission.kind], by=AUTHORS[submission.author])


@frozen
class Decision:
    """A decision about items, with its button, its shortcut (`action` is a key of REVIEW), and the kinds it applies to.

    If `several` is True, it can be made for all listed items at once. `act` carries it out.
    """

    label: str
    icon: str
    action: str
    kinds: tuple[MatterKind, ...]
    act: Callable[[Items], None]
    several: bool = True


def accept(chosen: Sequence[Submission]) -> None:
    """Accept new notes and proposed changes, and offer to undo this.

    A single change is applied even if its note has changed since it was proposed. If another program has
    changed the note's file, the file's text replaces the note's before Conflict is raised.
    """
    over = chosen[0].note.version if len(chosen) == 1 else None
    try:
        workspace.proposals.accept(chosen, over=over, embed=False)
    except Conflict as conflict:
        if conflict.stored.in_file:
            # Another program has changed the file. Read its new text, so that the text can be shown with the proposal.
            workspace.files.read(conflict.stored.id)
        raise

    def wait_again() -> None:
        for submission in chosen:
            if submission.change:
                note = workspace.versions.revert(submission.note.id, submission.note.version, embed=False)
                workspace.proposals.restore([replace(submission.change, version=note.version)])
        workspace.notes.set_fields(
            [submission.note.id for submission in chosen if not submission.change], status="pending"
        )

    offer_undo(_settled(chosen, accepted=True), wait_again)


def reject(chosen: Sequence[Submission]) -> None:
    """Move new notes to the trash and discard proposed changes, and offer to undo this."""
    workspace.proposals.reject(chosen)
    new = [submission.note.id for submission in chosen if not submission.change]
    opened.forget(new)

    def undone() -> None:
        workspace.trash.restore(new)
        workspace.proposals.restore([submission.change for submission in chosen if submission.change])

    offer_undo(_settled(chosen, accepted=False), undone)


def _settled(done: Sequence[Submission], *, accepted: bool) -> str:
    """Return a sentence saying that one or several submissions were accepted or rejected."""
    if len(done) == 1:
        return text_of(settled_line(done[0].kind, done[0].note.title, accepted=accepted))
    if accepted:
        return t_plural("{n} note was accepted.", "{n} notes were accepted.", n=len(done))
    return t_plural("{n} note was rejected.", "{n} notes were rejected.", n=len(done))


def merge(matter: ReviewItem, into: str) -> None:
    """Append a new note's text to the note `into`, move the new note to the trash, and offer to undo both."""
    before = workspace.notes.get(into).version
    merged = workspace.review.merge(matter, into)

    def undo_merge() -> None:
        workspace.versions.revert(into, before, embed=False)
        workspace.trash.restore(_note_ids([matter]), embed=False)

    offer_undo(t("The text was added to '{title}'.", title=merged.title), undo_merge)


def _note_ids(chosen: Items) -> list[str]:
    return [matter.note_id for matter in chosen if matter.note_id]


def _resolve(verdict: Verdict, chosen: Items) -> None:
    def work(_: object) -> None:
        for matter in chosen:
            if matter.flagged:
                workspace.chunks.resolve(matter.flagged.edit.id, verdict)

    start_job("edits", work)


def _try_again(chosen: Items) -> None:
    bases = dict.fromkeys(matter.base for matter in chosen)

    def work(progress: Progress) -> int:
        return sum(workspace.pending.embed(base, refused=True, progress=progress) for base in bases)

    start_job("embed", work)


def _let_be(chosen: Items) -> None:
    keys = [matter.key for matter in chosen]
    workspace.review.let_be(keys)
    if chosen[0].kind == "reminder":
        text = t_plural(
            "Reminders were turned off for {n} note.", "Reminders were turned off for {n} notes.", n=len(keys)
        )
    else:
        text = t_plural("{n} item is hidden until it changes.", "{n} items are hidden until they change.", n=len(keys))
    offer_undo(text, lambda: workspace.review.reopen(keys))


def _settle(side: Side, chosen: Items) -> None:
    undone = [workspace.review.settle(matter, side) for matter in chosen]

    def back() -> None:
        for undo in undone:
            undo()

    offer_undo(
        t_plural("The choice was applied to {n} note.", "The choice was applied to {n} notes.", n=len(chosen)), back
    )


def _mark_seen(chosen: Items) -> None:
    undone = workspace.review.reminders.seen(_note_ids(chosen))
    offer_undo(
        t_plural("{n} note will be shown again later.", "{n} notes will be shown again later.", n=len(chosen)), undone
    )


def _postpone(chosen: Items) -> None:
    keys = [matter.key for matter in chosen]
    workspace.review.postpone(keys)
    offer_undo(
        t_plural("{n} item will be listed again in a week.", "{n} items will be listed again in a week.", n=len(keys)),
        lambda: workspace.review.reopen(keys),
    )


def _prolong(chosen: Items) -> None:
    before = {matter.note.id: matter.note.expires_at for matter in chosen if matter.note}
    day = later(utc_now(), 365).date().isoformat()
    workspace.notes.set_fields([*before], expires_at=day)

    def undo() -> None:
        for note_id, end in before.items():
            workspace.notes.set_fields([note_id], expires_at=end)

    offer_undo(
        t_plural("{n} note now expires on {day}.", "{n} notes now expire on {day}.", n=len(before), day=day), undo
    )


def _submissions(chosen: Items) -> list[Submission]:
    return [matter.submission for matter in chosen if matter.submission]


_SUBMITTED: tuple[MatterKind, ...] = ("note", "change", "conflict")
# Decisions, keyed by name, in the order of their buttons.
DECISIONS: dict[str, Decision] = {
    "accept": Decision("Accept", "check", "accept", _SUBMITTED, lambda chosen: accept(_submissions(chosen))),
    "mine": Decision("Keep mine", "check", "accept", ("upgrade", "file"), partial(_settle, "mine")),
    "theirs": Decision(
        "Keep the other",
        "swap_horiz",
        "reject",
        ("upgrade", "file"),
        partial(_settle, "theirs"),
        several=False,
    ),
    "both": Decision("Keep both", "done_all", "both", ("upgrade", "file"), partial(_settle, "both"), several=False),
    "keep": Decision("Keep", "check", "accept", ("split",), partial(_resolve, "keep")),
    "again": Decision("Try again", "replay", "accept", ("refused",), _try_again),
    "archive": Decision(
        "Archive",
        "archive",
        "accept",
        ("expired", "expiring", "superseded"),
        lambda chosen: actions.archive_notes(_note_ids(chosen)),
    ),
    "prolong": Decision("Keep for another year", "event_repeat", "prolong", ("expired", "expiring"), _prolong),
    "reject": Decision("Reject", "close", "reject", _SUBMITTED, lambda chosen: reject(_submissions(chosen))),
    "drop": Decision("Discard", "close", "reject", ("split",), partial(_resolve, "drop")),
    "delete": Decision(
        "Delete the newer note",
        "delete",
        "reject",
        ("copy",),
        lambda chosen: trash.ask(_note_ids(chosen)),
        several=False,
    ),
    "seen": Decision("Seen", "visibility", "accept", ("reminder",), _mark_seen),
    "never": Decision("Don't remind me", "notifications_off", "reject", ("reminder",), _let_be),
    "unneeded": Decision("No note needed", "done_all", "fine", ("question",), _let_be),
    "fine": Decision(
        "Fine as it is",
        "done_all",
        "fine",
        ("superseded", "copy", "contradiction", "expired", "expiring"),
        _let_be,
    ),
    "later": Decision(
        "Later",
        "schedule",
        "later",
        get_args(MatterKind),
        _postpone,
    ),
}


# The open item: its contents, its origin, and the decisions with their effects.

# Maximum number of characters of text to show.
LONGEST = 6_000
# Session key that is set when a link is clicked. The next rerun opens the linked note on the Notes page.
_LEAVES = "review_leaves"
_ENDING = message_table({"expired": "expired on {day}", "expiring": "expires on {day}"})


def draw_item(matter: ReviewItem) -> None:
    """Show an item. The buttons for the decisions are at the top."""
    kind = MATTERS[matter.kind]
    shut = is_shut()
    st.subheader(plain(_title(matter)), anchor=False)
    st.markdown(f":material/{kind.icon}: {text_of(kind.about)}")
    decisions = row("review_decisions")
    with decisions:
        if matter.kind == "question" and button(
            "Write the answer", "decide_write", "edit_square", type="primary", shortcut=REVIEW["edit"], disabled=shut
        ):
            composer.leave()
            composer.begin_here(matter.title, at_top=True, back="review.py", answers=matter.quotes)
            switch_page("notes.py")
        for name, decision in DECISIONS.items():
            if matter.kind in decision.kinds:
                button(
                    decision.label,
                    f"decide_{name}",
                    decision.icon,
                    decision.act,
                    [matter],
                    type="primary" if decision.action == "accept" and matter.kind != "expiring" else "secondary",
                    shortcut=REVIEW[decision.action],
                    disabled=shut,
                )
        if matter.submission and button(
            "Edit, then accept", "decide_edit", "edit", shortcut=REVIEW["edit"], disabled=shut
        ):
            composer.edit_proposed(matter.submission)
            switch_page("notes.py")
        if matter.kind == "question":
            page_link("search.py", "Ask again", "search", q=matter.title)
    if not matter.pair:  # each side has its own
        caption(join_facts(_origin(matter)))
    if matter.kind != "question":
        with frame("review_matter"):
            _draw_content(matter)
    else:
        if others := [wording for wording in matter.quotes if wording != matter.title]:
            caption(t("Also asked as: {wordings}", wordings=others))
        with errors():
            _draw_part(matter.title)
    if matter.note and not matter.pair:
        note_link(matter.note.id, came="review")
    if matter.kind != "note":
        return
    # Find the nearest existing note, which the new note can be added to. Do this after drawing the page.
    if near := workspace.review.nearest(matter):
        with decisions:
            button(
                t("Add to '{title}'", title=plain(near.title)),
                "decide_merge",
                "merge",
                merge,
                matter,
                near.id,
                shortcut=REVIEW["merge"],
                disabled=shut,
                help="The text is added to the end of that note, and this note is moved to the trash.",
            )


def _draw_part(question: str) -> None:
    """Show what the notes say about an unanswered question, which may answer a part of it."""
    if not (workspace.has("answers") and workspace.models.loaded):  # the page doesn't wait for a model
        return
    for quote in workspace.answers.ask(question, choose=False).at_first:
        with frame("review_matter"):
            caption(t("Your notes may answer a part of this:"))
            paragraph(quote.readable(quote.shown), "t-text t-small")
            note_link(quote.note.id, quote.note.title, came="review")


def _origin(matter: ReviewItem) -> Iterator[str]:
    """Yield short strings about an item's origin, such as its base, its source, its path and the time."""
    kind, note = matter.kind, matter.note
    if matter.submission:
        origin = ""
        if note and kind == "note":
            origin = text_of(place_line(note.origin) if note.source.endswith("_learning") else note.origin)
        yield t("Suggested from {place}", place=origin) if origin else _done(matter.submission)
    yield base_name(matter.base)
    for file in (note, matter.other):
        if file:
            yield file.location
    if kind == "note" and workspace.bases.get(matter.base).write_files:
        yield t("kept in Tessera, not in a file")
    if kind == "upgrade" and note:
        yield t("pack {name}", name=note.source_ref.removeprefix("pack:"))
    if matter.at:
        yield text_of(_ENDING[kind], day=day_of(matter.at)) if kind in _ENDING else local(matter.at)


def _draw_content(matter: ReviewItem) -> None:
    """Draw an item's contents: its text, a difference, or two notes side by side."""
    if matter.pair:
        pairs.draw(matter.pair, matter.quotes, lambda side: _settle(side, [matter]))
    elif matter.kind in ("upgrade", "file"):
        # Even if the other text can't be read, the user can still decide.
        with errors():
            if difference := workspace.review.sides.difference(matter):
                draw_difference(difference)
            else:
                small_print(
                    "The pack no longer has this note, so keeping the pack's version moves the note to the trash."
                )
    elif matter.submission and matter.kind != "note":
        draw_difference(workspace.proposals.difference(matter.submission))
    elif matter.flagged:
        paragraph((matter.flagged.edit.text or matter.flagged.edit.anchor)[:LONGEST], "t-text t-small")
    elif matter.refused:
        st.markdown(plain(matter.refused.reason))
        paragraph(matter.refused.text, "t-text t-small")
    elif matter.note:
        note = workspace.notes.get(matter.note.id)
        drawn = document_part(note.body[:LONGEST], NoteSources(note))
        show_document(
            f'<article class="wrapped">{drawn.html}</article>', "review_text", arrival=matter.key, on_click=_open_link
        )
        if session_state.pop(_LEAVES, False):
            switch_page("notes.py")


def _open_link(link: Clicked) -> None:
    if link.note_id:
        opened.choose(link.note_id, link.place)
        session_state[_LEAVES] = True


# The list of items, by kind and base.

SHOWN = 50
# Maximum length of a name in the list.
LONGEST_NAME = 90
_OPEN = "review_open"


def choose_kind(matters: Items) -> list[ReviewItem]:
    """Draw the kind selector, and return the items of the chosen kind, or all items if none is chosen."""
    counts = Counter(matter.kind for matter in matters)
    if (kind := links.arrived_value("kind")) in MATTERS:
        session_state["review_kind"] = kind
    if session_state.get("review_kind") not in counts:
        session_state["review_kind"] = None
    labels = {kind: f"{text_of(MATTERS[kind].title)} {counts[kind]}" for kind in MATTERS if counts[kind]}
    kind = pills("Kind", labels, "review_kind") if len(labels) > 1 else None
    links.set_value("kind", kind or "")
    return [matter for matter in matters if kind in (None, matter.kind)]


def open_item(matters: Items) -> ReviewItem | None:
    """Return the chosen item, or None if there are no items.

    If the chosen item is no longer listed, choose the one that is now at its position.
    """
    key, place = session_state.get(_OPEN, ("", 0))
    if not matters:
        return None
    keys = [matter.key for matter in matters]
    place = keys.index(key) if key in keys else min(place, len(keys) - 1)
    _choose(keys[place], place)
    return matters[place]


def draw_list(matters: Items, open_key: str) -> None:
    """Show the list of items, grouped by kind, with the open item highlighted.

    If several items are all of the same kind, also show buttons for deciding on all of them at once. Conflicts have to
    be decided one by one.
    """
    names = _names(matters)
    with container(key="review_list", gap="xxsmall", height=620 if len(matters) > 12 else "content"):
        before = ""
        for place, matter in enumerate(matters[:SHOWN]):
            if matter.kind != before:
                before = matter.kind
                st.caption(text_of(MATTERS[matter.kind].title))
            button(
                verbatim(plain(shorten(names[matter.key], LONGEST_NAME))),
                f"open_{matter.key}",
                MATTERS[matter.kind].icon,
                _choose,
                matter.key,
                place,
                type="secondary" if matter.key == open_key else "tertiary",
            )
        more(len(matters) - SHOWN)
    kinds = {matter.kind for matter in matters}
    if len(matters) == 1 or len(kinds) != 1 or "conflict" in kinds:
        return
    for name, decision in DECISIONS.items():
        if decision.several and matters[0].kind in decision.kinds:
            small(
                t("{decision} (all {n})", decision=label_of(decision.label), n=len(matters)),
                f"all_{name}",
                decision.icon,
                decision.act,
                matters,
                disabled=is_shut(),
            )


def _names(matters: Items) -> TextValues:
    """Return the items' display names, by item key. File names or bases are added to titles to tell items apart."""
    several = len({matter.base for matter in matters} - {""}) > 1
    titles = Counter((matter.kind, _title(matter)) for matter in matters)
    files = Counter((matter.kind, matter.title, _file(matter.note)) for matter in matters)
    names = {}
    for matter in matters:
        name = _title(matter)
        file = _file(matter.note)
        if files[matter.kind, matter.title, file] > 1:
            file = _file(matter.other)
        if titles[matter.kind, name] > 1 and file:
            name = file if name in file else f"{name} · {file}"
        elif several and matter.base:
            name = f"{name} · {matter.base}"
        if matter.kind in _ENDING and matter.at:
            name = f"{name} · {day_of(matter.at)}"
        names[matter.key] = name
    return names


def _title(matter: ReviewItem) -> str:
    """Return an item's title, which names both notes of a pair. Equal titles get the notes' paths, or else bases."""
    if not matter.pair:
        return matter.title or t("The note was deleted")
    first, second = (note.title for note in matter.pair)
    if first == second:
        signs = [note.location for note in matter.pair]
        signs = signs if signs[0] != signs[1] else [note.base for note in matter.pair]
        first, second = (with_note(first, sign) for sign in signs)
    return t("{first} and {second}", first=first, second=second)


def _file(note: NoteSummary | None) -> str:
    return PurePosixPath(note.location).name if note else ""


def _choose(key: str, place: int) -> None:
    session_state[_OPEN] = (key, place)


def reminders(matters: Items) -> None:
    """Draw the toggle for reminders about notes worth another look. If it is on and there are none, say so."""
    chosen = workspace.review.reminders
    st.toggle(
        t("Show notes worth another look"),
        help=t(
            "Lists up to ten notes that came up in searches during the last day and that you haven't opened or "
            "changed for a month. A note that you mark as seen comes back after 1 day, then after 6, then at "
            "longer and longer intervals. This works only if the use of notes is recorded (Settings, under "
            "Search)."
        ),
        disabled=workspace.readonly,
        **bound("reminders", chosen.enabled, chosen.enable),
    )
    if chosen.enabled and not any(matter.kind == "reminder" for matter in matters):
        small_print("No note is worth another look today.")


def draw_put_off(matters: Items) -> None:
    """Show the items that the user has postponed or dismissed, if any. Clicking an item lists it again."""
    if not matters:
        return
    names = _names(matters)
    with expander(t_plural("{n} hidden item", "{n} hidden items", n=len(matters)), "visibility_off"):
        small_print("You postponed these items for a week or already decided on them. Click an item to list it again.")
        for matter in matters[:SHOWN]:
            small(
                verbatim(plain(f"{names[matter.key]} · {text_of(MATTERS[matter.kind].title)}")),
                f"again_{matter.key}",
                "undo",
                _list_again,
                matter.key,
            )
        more(len(matters) - SHOWN)


def _list_again(key: str) -> None:
    workspace.review.reopen([key])
    _choose(key, 0)
