"""The fields of a note in the editor: words in use are offered, and any other may be typed."""

from collections.abc import Callable, Sequence
from datetime import date
from typing import Any, cast

import streamlit as st

from core.base.messages import Message, message
from core.model import CLASSIFYING, NOTE_FIELDS, RELATIONS
from core.model import STATUSES as EVERY_STATUS
from core.workspace import Workspace
from pages.ui.notes import composer, offers
from pages.ui.notes.session import EditorSession, as_json
from pages.ui.shared import widgets
from pages.ui.shared.safe import plain
from pages.ui.shared.text import t, text_of

STATUSES = {name: text for name, text in EVERY_STATUS.items() if name != "expired"}
ABOUT: dict[str, Message] = {
    "scope": message("Where the note holds, for instance a team or a system"),
    "status": message("An archived note is found only where a search asks for archived ones."),
    "priority": message("A higher one comes first where two notes answer equally well."),
    "expires_at": message("After this day searches leave the note out unless they ask for expired ones."),
    "supersedes": message("Notes that this one takes the place of"),
}
MOST = 999_999
"""The highest priority."""


_SEEN = ("tags", "status")
"""The fields that are in sight next to the title; the others are folded."""
_FOLDED = tuple(name for name in CLASSIFYING if name not in _SEEN)


def draw_head(workspace: Workspace, now: EditorSession) -> None:
    """Draw the title, and below it where the note goes, its tags and its status."""
    _title(workspace, now)
    if now.note is None or now.created:
        base, folder, tags, status = st.columns([3, 3, 4, 2])
        _place(workspace, now, base, folder)
    else:
        tags, status = st.columns([10, 2])
    for name, column in zip(_SEEN, (tags, status), strict=True):
        _field(workspace, now, name, column)


def _place(workspace: Workspace, now: EditorSession, left: Any, right: Any) -> None:
    """Draw the choice of the base and the folder of a new note."""
    bases = [base.name for base in workspace.bases.all() if not base.plain]
    options = [*bases, *([now.base] if now.base not in ("", *bases) else [])]
    base_key, folder_key = f"new_base_{now.token}", f"new_folder_{now.token}"

    def chosen() -> None:
        values = [st.session_state.get(key, now_is) for key, now_is in ((base_key, now.base), (folder_key, now.folder))]
        base, folder = ((value or "").strip() for value in values)
        composer.move_to(workspace, now, base or now.base, folder)

    left.selectbox(
        t("Knowledge base"),
        options,
        index=options.index(now.base) if now.base in options else None,
        accept_new_options=True,
        placeholder=t("Choose one, or type the name of a new one"),
        key=base_key,
        on_change=widgets.guarded(chosen),
    )
    folders = _load_offers(workspace, now).folders.get(now.base, [])
    word_box(
        right,
        t("Folder"),
        folder_key,
        folders,
        now.folder,
        placeholder=t("No folder"),
        on_change=widgets.guarded(chosen),
    )
    if now.base and now.base not in bases:
        st.caption(t("The base '{base}' is made with this note.", base=plain(now.base)))


def draw(workspace: Workspace, now: EditorSession) -> None:
    """Draw the fields that aren't in sight."""
    for at in range(0, len(_FOLDED), 2):
        for column, name in zip(st.columns(2), _FOLDED[at : at + 2], strict=False):
            _field(workspace, now, name, column)
    for name in RELATIONS:
        _field(workspace, now, name, st)


def key_of(now: EditorSession, name: str) -> str:
    """Return the key of a field's widget."""
    return f"note_{name}_{now.token}_{now.redraws}"


def _title(workspace: Workspace, now: EditorSession) -> None:
    """Draw the title; where the text gives it, in grey."""
    key, given = key_of(now, "title"), workspace.notes.title_of(now.body) if now.body.strip() else ""
    own = "title" in now.fields or now.note is None or now.note.title != workspace.notes.title_of(now.note.body)
    st.text_input(
        t("Title"),
        (now.value("title") or "") if own else "",
        key=key,
        placeholder=given or t("Title (optional)"),
        label_visibility="collapsed",
        on_change=_on_change(workspace, now, "title", key),
        disabled=workspace.readonly,
    )
    _draw_file_value(workspace, now, "title", st)


def _field(workspace: Workspace, now: EditorSession, name: str, box: Any) -> None:
    value, key = now.value(name), key_of(now, name)
    label, about = text_of(NOTE_FIELDS[name].title), ABOUT.get(name)
    more: dict[str, Any] = {"on_change": _on_change(workspace, now, name, key)}
    more |= {"help": text_of(about)} if about else {}
    match NOTE_FIELDS[name].kind:
        case "tags":
            words_box(box, label, key, [tag for tag, _ in _load_offers(workspace, now).tags], value or [], **more)
        case "notes":
            notes = [note for note, _ in _load_offers(workspace, now).notes]
            words_box(box, label, key, notes, value or [], **more)
        case "number":
            number_box(box, name, key, value or 0, **more)
        case "day":
            day_box(box, name, key, date.fromisoformat(value) if value else None, **more)
        case "status":
            texts = {status: text_of(text) for status, text in STATUSES.items()}
            index = list(texts).index(value or "active")
            widgets.select(label, texts, key, box, index=index, **more)
        case _:
            word_box(box, label, key, _words(workspace, now, name), value or "", **more)
    _draw_file_value(workspace, now, name, box)


def words_box(
    box: Any, label: str, key: str, options: Sequence[str], value: Sequence[str] = (), **more: Any
) -> list[str]:
    """Draw a box for several words and return them; the user can type others than the `options`."""
    options = list(dict.fromkeys([*value, *options]))
    more = {"accept_new_options": True, "placeholder": "", **more}
    return list(box.multiselect(label, options, list(value), key=key, **more))


def word_box(box: Any, label: str, key: str, options: Sequence[str], value: str = "", **more: Any) -> str | None:
    """Draw a box for a word and return it; the user can type another than the `options`."""
    options = list(dict.fromkeys([*([value] if value else []), *options]))
    more = {"accept_new_options": True, "placeholder": "", **more}
    return cast(str | None, box.selectbox(label, options, index=0 if value else None, key=key, **more))


def number_box(box: Any, name: str, key: str, value: int | None = None, **more: Any) -> int | None:
    """Draw a box for a field that is a number, and return it."""
    label = text_of(NOTE_FIELDS[name].title)
    return cast(int | None, box.number_input(label, -MOST, MOST, value, step=1, key=key, **more))


def day_box(box: Any, name: str, key: str, value: date | None = None, **more: Any) -> date | None:
    """Draw a box for a field that is a day, and return it."""
    label = text_of(NOTE_FIELDS[name].title)
    return cast(date | None, box.date_input(label, value, min_value=None, key=key, format="YYYY-MM-DD", **more))


def _draw_file_value(workspace: Workspace, now: EditorSession, name: str, box: Any) -> None:
    """Draw the file's value of a field that the user replaced, and the button that restores that value."""
    note = now.note
    if note is None or name not in note.overridden:
        return
    value = as_json(note.overridden[name])
    said = ", ".join(value) if isinstance(value, list) else value
    with box.container(horizontal=True, vertical_alignment="center", key=f"own_{name}"):
        text = t("Yours; the file says: {value}", value=plain(str(said))) if said else t("Yours; the file says nothing")
        st.caption(text, width="content")
        widgets.small(
            t("Give back"),
            f"give_back_{name}",
            "undo",
            help=t("Let the field be the file's own again"),
            on_click=_give_back,
            args=(workspace, now, name),
            disabled=workspace.readonly,
        )


def _give_back(workspace: Workspace, now: EditorSession, name: str) -> None:
    assert now.note is not None
    now.give_back(workspace.notes.give_back(now.note.id, [name]), name)
    composer.keep_draft(workspace, now)


def _on_change(workspace: Workspace, now: EditorSession, name: str, key: str) -> Callable[[], None]:
    """Return the callback that puts the value of a widget into a field."""

    def take() -> None:
        if key not in st.session_state:
            return
        value = st.session_state[key]
        now.set(name, value.isoformat() if isinstance(value, date) else value)
        composer.keep_draft(workspace, now)
        now.request(now.action or "rest")

    return take


def _words(workspace: Workspace, now: EditorSession, name: Any) -> list[str]:
    """Return the words that are offered for a field."""
    if name == "type":
        workspace.vocabulary.begin(st.session_state["language"])
        return workspace.vocabulary.types()
    if name == "category":
        return workspace.vocabulary.categories_of(now.value("type") or "")
    return workspace.vocabulary.in_use(name)


def _load_offers(workspace: Workspace, now: EditorSession) -> offers.Offers:
    if now.offers is None:
        now.offers = offers.load_offers(workspace)
    return now.offers
