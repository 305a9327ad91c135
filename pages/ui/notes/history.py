"""Undo for recent changes, and the dialog with a note's version history."""

import streamlit as st
from streamlit import container, session_state
from streamlit import html as draw_html

from core.base.messages import message_table
from core.model import AUTHORS, NOTE_FIELDS, VERSION_KINDS, FieldChange, Note, NoteDifference, Version
from pages.ui.notes.session import as_json
from pages.ui.shared.names import local
from pages.ui.shared.safe import elements, html, plain, t_html
from pages.ui.shared.server import workspace
from pages.ui.shared.text import join_list, small_print, t
from pages.ui.shared.widgets import (
    Callback,
    Dialog,
    button,
    caption,
    close,
    errors,
    frame,
    row,
    segments,
    select,
    small,
)

# The latest changes to notes, which can be undone one by one.

_DONE = "notes_done"
_OFFERED = "notes_offered"
_PLACE = "notes_done_place"
# Session key for the versions that this session has shown or begun to edit last, by note id.
SEEN = "notes_seen"
# Maximum number of changes to keep for undo.
_KEPT = 20


def offer_undo(text: str, undo: Callback) -> None:
    """Show a message (not Markdown) about a change on the next rerun, with a button that undoes the change."""
    session_state[_OFFERED] = True
    session_state.pop(_PLACE, None)
    session_state[_DONE] = [*session_state.get(_DONE, []), (text, undo)][-_KEPT:]


def undo_edit(before: Note, after: Note) -> None:
    """Take back the change from one version of a note's text to another, and keep all later changes.

    Raises Conflict if a later change affects the same lines, or lines next to them.
    """
    now = workspace.notes.get(after.id)
    body = workspace.versions.merge_texts(after.body, before.body, now.body)
    expected = after.version if body is None else now.version
    workspace.notes.update(after.id, body=body, expected_version=expected, author="person", embed=False)


def offer_text_undo(note: Note) -> None:
    """Offer to undo the edits made since this session last showed the note or began to edit it.

    Nothing is offered if another undo has just been offered.
    """
    seen: dict[str, int] = session_state.setdefault(SEEN, {})
    before = seen.get(note.id, note.version)
    seen[note.id] = note.version
    if session_state.pop(_OFFERED, False) or note.version <= before:
        return
    last = workspace.versions.all(note.id)[0]
    if (last.kind, last.author) == ("update", "person"):
        offer_undo(
            t("'{title}' was saved as version {n}.", title=note.title, n=note.version),
            lambda: workspace.versions.revert(note.id, before, expected_version=note.version),
        )
        session_state.pop(_OFFERED, None)


def draw_undo() -> None:
    """Draw a message about the last change, with a button that undoes it.

    The message disappears when another note or page is opened.
    """
    place = session_state["page"], session_state.get("open_note")
    if session_state.setdefault(_PLACE, place) != place:
        clear_undo()
    done = session_state.get(_DONE)
    if not done:
        return
    last = text, undo = done[-1]

    def take_back() -> None:
        offered = session_state.get(_DONE, [])
        if last in offered:  # a second press may come before the page is drawn again
            offered.remove(last)
            session_state[_OFFERED] = True
            undo()

    with row("notes_done"):
        caption(text, width="content")
        small("Undo", "notes_undo", "undo", take_back)
        close("notes_done_close", "Close", clear_undo)


def clear_undo() -> None:
    """Forget the changes that could be undone, because undoing them after other changes would be wrong."""
    for key in (_DONE, _PLACE, _OFFERED):
        session_state.pop(key, None)


# Dialog with a note's history. Its subject is the note's id.
DIALOG = Dialog("history_of")
# Number of unchanged lines to show before and after a change.
_AROUND = 2
# Maximum number of characters to show of the difference between two versions.
_MOST = 60_000


def dialog() -> None:
    """Draw the history dialog if it is open."""
    if note_id := DIALOG.subject:
        DIALOG.draw(t("History"), lambda: _history(note_id), width="large")


def line(version: Version) -> str:
    """Return a one-line description of a version with its number, kind, author and time."""
    done = t("{done} {by}", done=VERSION_KINDS[version.kind], by=AUTHORS[version.author])
    if (version.kind, version.author) == ("create", "sync"):
        done = t("imported")
    return f"{version.number} · {done} · {local(version.at)}"


def _history(note_id: str) -> None:
    with errors():
        texts = {version.number: line(version) for version in workspace.versions.all(note_id)}
        left, right = st.columns([1, 3], gap="medium")
        with left, container(key="history_versions"):
            number = st.radio(
                t("Version"), list(texts), format_func=lambda text: plain(texts[text]), key=f"history_{note_id}"
            )
        with right:
            others = {item: text for item, text in texts.items() if item != number}
            with row("history_head", vertical_alignment="bottom"):
                view, other = _choose_view(note_id, number, others)
                now = max(texts)
                if number != now and button(
                    "Restore this version", "history_revert", "restore", type="primary", writes=True
                ):
                    note = workspace.versions.revert(note_id, number, expected_version=now)
                    DIALOG.close()
                    offer_undo(
                        t("'{title}' was restored to version {n}.", title=note.title, n=number),
                        lambda: workspace.versions.revert(note_id, now),
                    )
                    st.rerun()
            with frame("history_text"):
                if other is None:
                    note = workspace.versions.get(note_id, number)
                    head = "" if note.title == workspace.texts.title_of(note.body) else f"<b>{html(note.title)}</b>"
                    draw_html(f"{head}<div class='t-words'>{html(note.body[:_MOST])}</div>{_cut(len(note.body))}")
                else:
                    first, second = sorted((number, other))
                    draw_html(
                        f'<p class="t-words t-key"><del>{t_html("removed: only in version {n}", n=first)}</del>'
                        f" <ins>{t_html('added: only in version {n}', n=second)}</ins></p>"
                    )
                    difference = workspace.versions.difference(note_id, first, second)
                    if view == "sides" and (shown := words(difference, sides=True)):
                        heads = elements([t("Version {n}", n=first), t("Version {n}", n=second)], "b")
                        draw_html(f"{_fields(difference.fields)}<div class='t-words t-sides'>{heads}{shown}</div>")
                    else:
                        draw_difference(difference)


def _choose_view(note_id: str, number: int, others: dict[int, str]) -> tuple[str, int | None]:
    """Draw the view selector, and the selector for the version to compare with.

    Return the view, and the number of the other version or None. `others` has a label for each other version.
    """
    if not others:
        small_print("This is the only version.")
        return "alone", None
    view = segments(
        "View",
        message_table({"changes": "Changes", "sides": "Side by side", "alone": "This version"}),
        "history_view",
        default="changes",
        persist_state="session",
    )
    if view == "alone":
        st.space("stretch")
        return view, None
    newest = max(number, *others)
    texts = {item: text if item < newest else t("now · {version}", version=text) for item, text in others.items()}
    return view, select("Compared with", texts, f"history_{note_id}_{number}")


def draw_difference(difference: NoteDifference) -> None:
    """Show the differences in fields and text between two states of a note, or say that the text is the same."""
    draw_html(
        _fields(difference.fields)
        + (words(difference) or f'<span class="t-dim">{t_html("The text is the same.")}</span>')
    )


def words(difference: NoteDifference, *, sides: bool = False) -> str:
    """Return the difference between two texts as HTML, or "" if they are equal. Lines far from a change are omitted.

    If `sides` is True, return the cells of a table with the two texts side by side.
    """
    if all(piece.kind == "equal" for piece in difference.pieces):
        return ""
    joined = rows = left = right = ""
    length = 0
    for number, piece in enumerate(difference.pieces):
        if piece.kind == "equal":
            # Show only the lines near a change.
            lines = piece.text.splitlines(keepends=True)
            head = lines[: _AROUND + 1] if number else []
            tail = lines[-_AROUND - 1 :] if number < len(difference.pieces) - 1 else []
            for line in lines if len(head) + len(tail) >= len(lines) else [*head, "", *tail]:
                shown = html(line)
                joined += shown or "<hr>"
                left += shown
                right += shown
                if line.endswith("\n") or not line:
                    rows += _sides(left, right) or "<hr>"
                    left = right = ""
            continue
        text = piece.text[: max(0, _MOST - length)]
        length += len(text)
        is_removed = piece.kind == "removed"
        tag = "del" if is_removed else "ins"
        changed = f"<{tag}>{html(text)}</{tag}>"
        # Show a line break that was removed from within a line as a sign. A real break would split the current line.
        is_whole = text.endswith("\n") and joined[-1:] in "\n"
        if is_removed:
            joined += changed if is_whole else changed.replace("\n", "↵")
            left += changed
        else:
            joined += changed
            right += changed
    return (rows + _sides(left, right) if sides else f'<div class="t-words">{joined}</div>') + _cut(length)


def _sides(left: str, right: str) -> str:
    return f"<div>{left}</div><div>{right}</div>" if left or right else ""


def _cut(length: int) -> str:
    """Return an HTML hint that a difference is too long to show in full, or "" if `length` is below the limit."""
    return f'<div class="t-dim">{t_html("The rest is too long to show.")}</div>' if length >= _MOST else ""


def _fields(changes: tuple[FieldChange, ...]) -> str:
    """Return an HTML table of the changed fields with their old and new values, or "" if no field has changed."""
    if not changes:
        return ""
    rows = (
        f"<tr><td>{html(NOTE_FIELDS[change.name].title)}</td>"
        f"<td class='t-words'>{_marked('del', change.before)} {_marked('ins', change.after)}</td></tr>"
        for change in changes
    )
    return f'<table class="t-table">{"".join(rows)}</table>'


def _marked(tag: str, item: object) -> str:
    """Return a field's value as a marked HTML element, or "" if the field is empty. A time becomes its date."""
    value = as_json(item)
    text = join_list(map(str, value)) if isinstance(value, list) else "" if value is None else str(value)
    return f"<{tag}>{html(text)}</{tag}>" if text else ""
