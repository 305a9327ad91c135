"""A note's title and fields in the editor. Words in use are suggested, and new words can be typed."""

from collections.abc import Callable, Sequence
from datetime import date

import streamlit as st
from streamlit import columns, session_state

from core.base.frozen import Values
from core.base.messages import message_table
from core.model import CLASSIFYING, NOTE_FIELDS, RELATIONS
from core.model import STATUSES as EVERY_STATUS
from pages.ui.notes import composer, places
from pages.ui.notes.composer import keep_draft
from pages.ui.notes.session import EditorSession, as_json
from pages.ui.shared.names import base_names
from pages.ui.shared.safe import plain
from pages.ui.shared.server import workspace
from pages.ui.shared.text import join_list, small_print, t, text_of
from pages.ui.shared.widgets import Place, drawn, guarded, in_columns, select_in, small, text_input

STATUSES = {name: text for name, text in EVERY_STATUS.items() if name != "expired"}
ABOUT = message_table(
    {
        "scope": "Where the note applies, such as a team or a system",
        "status": "An archived note is found only when a search includes archived notes.",
        "priority": "When two notes answer equally well, the one with the higher priority comes first.",
        "expires_at": "After this day, searches leave the note out unless they include expired notes.",
        "supersedes": "Notes that this note replaces",
    }
)
# Maximum value of a numeric field, such as the priority.
MOST = 999_999


# Fields that are always visible below the title. The rest are shown in a panel.
_SEEN = ("tags", "status")
_FOLDED = tuple(name for name in CLASSIFYING if name not in _SEEN)


def draw_head(session: EditorSession) -> None:
    """Draw the note's title, tags and status. For a new note, also draw its base and folder."""
    _title(session)
    with st.container(key="note_fields"):
        if session.note is None or session.created:
            bases = list(dict.fromkeys(filter(None, [*base_names(plain=False), session.base])))
            several = len(bases) > 1
            *place, tags, status = columns([3, 3, 4, 2] if several else [3, 7, 2])
            base_key = f"new_base_{session.token}"
            folder_key = f"new_folder_{session.token}"

            def chosen() -> None:
                composer.move_to(
                    session,
                    session_state.get(base_key) or session.base,
                    word_of(session_state.get(folder_key, session.folder) or "").strip(),
                )

            if several:
                place[0].selectbox(
                    t("Knowledge base"),
                    bases,
                    bases.index(session.base) if session.base else None,
                    placeholder=t("Choose a knowledge base"),
                    key=base_key,
                    on_change=guarded(chosen),
                )
            word_box(
                place[-1],
                t("Folder"),
                folder_key,
                session.completions.folders.get(session.base, []),
                session.folder,
                placeholder=t("No folder"),
                on_change=guarded(chosen),
            )
            if places.has_read_only_files(session.base):
                small_print(
                    "The files of this base are read-only, so the new note is stored in Tessera and not as a file."
                )
        else:
            tags, status = columns([10, 2])
        for name, column in zip(_SEEN, (tags, status), strict=True):
            _field(session, name, column)


def draw(session: EditorSession) -> None:
    """Draw the fields that aren't shown below the title."""
    for column, name in in_columns(_FOLDED, 2):
        _field(session, name, column)
    for name in RELATIONS:
        _field(session, name, st)


def key_of(session: EditorSession, name: str) -> str:
    """Return the widget key for a field in an editor session."""
    return f"note_{name}_{session.token}_{session.redraws}"


def _title(session: EditorSession) -> None:
    """Draw the title box. A default title taken from the text is shown as its placeholder."""
    key = key_of(session, "title")
    given = workspace.texts.title_of(session.body) if session.body.strip() else ""
    text_input(
        "Title",
        key,
        (session.value("title") or "") if composer.has_own_title(session) else "",
        placeholder=given or t("Title (optional)"),
        label_visibility="collapsed",
        on_change=_on_change(session, "title", key),
        disabled=workspace.readonly,
    )
    _draw_file_value(session, "title", st)


def _field(session: EditorSession, name: str, box: Place) -> None:
    value = session.value(name)
    key = key_of(session, name)
    label = text_of(NOTE_FIELDS[name].title)
    more: Values = {"on_change": _on_change(session, name, key)}
    if about := ABOUT.get(name):
        more["help"] = text_of(about)
    match NOTE_FIELDS[name].kind:
        case "tags":
            words_box(box, label, key, [tag for tag, _ in session.completions.tags], value or [], **more)
            if session.kept_tags:
                named = [f"#{tag}" for tag in session.kept_tags]
                st.toast(
                    plain(t("Tags in the text are kept. To remove them, delete them from the text: {tags}", tags=named))
                )
                session.kept_tags = []
        case "notes":
            words_box(box, label, key, [note for note, *_ in session.completions.notes], value or [], **more)
        case "number":
            number_box(box, label, key, value or 0, **more)
        case "day":
            day_box(box, label, key, date.fromisoformat(value) if value else None, **more)
        case "status":
            select_in(box, label, STATUSES, key, index=list(STATUSES).index(value or "active"), **more)
        case _:
            word_box(box, label, key, _words(session, name), value or "", **more)
    _draw_file_value(session, name, box)


def words_box(
    box: Place, label: str, key: str, options: Sequence[str], value: Sequence[str] | None = None, **more: object
) -> list[str]:
    """Draw a multi-select box and return the chosen words, which are set to `value` if it is given.

    The user can also type words that aren't in `options`.
    """
    if value is not None:
        session_state[key] = list(value)
    options = list(dict.fromkeys([*(value or ()), *options]))
    more = {"accept_new_options": True, "placeholder": "", **more}
    return drawn(box.multiselect, label, options, key=key, **more)


def word_box(box: Place, label: str, key: str, options: Sequence[str], value: str = "", **more: object) -> str | None:
    """Draw a select box and return the chosen word, or None if the box is empty.

    The user can also type a word that isn't in `options`.
    """
    options = list(dict.fromkeys([*([value] if value else []), *options]))
    more = {"accept_new_options": True, "placeholder": "", "format_func": _as_label, **more}
    if value:
        session_state.setdefault(key, value)  # a box with an initial index can't be emptied
    word = drawn(box.selectbox, label, options, index=None, key=key, **more)
    return word and word_of(word)


# An invisible character at the end of an option's label. Streamlit's select box drops typed text as soon as it equals the
# chosen label, so that `home/trips` became `/trips`.
_MARK = "\u2060"


def _as_label(word: str) -> str:
    return word + _MARK


def word_of(value: str) -> str:
    """Return the word in a word box's state, which is a label if the options have changed since it was chosen."""
    return value.removesuffix(_MARK)


def number_box(box: Place, label: str, key: str, value: int | None = None, **more: object) -> int | None:
    """Draw a box for a numeric field. Return the number, or None if the box is empty."""
    number: int | None = drawn(box.number_input, label, -MOST, MOST, value, step=1, key=key, **more)
    return number


def day_box(box: Place, label: str, key: str, value: date | None = None, **more: object) -> date | None:
    """Draw a box for a date field. Return the date, or None if the box is empty."""
    more |= {"min_value": None, "format": "YYYY-MM-DD"}
    day: date | None = drawn(box.date_input, label, value, key=key, **more)
    return day


def _draw_file_value(session: EditorSession, name: str, box: Place) -> None:
    """If the user has overridden a field of the note's file, draw the file's value and a button that restores it."""
    note = session.note
    if note is None or name not in note.overridden:
        return

    def give_back() -> None:
        session.give_back(workspace.files.give_back(note.id, [name]), name)
        keep_draft(session)

    value = as_json(note.overridden[name])
    if isinstance(value, list):
        value = join_list(value)
    elif name == "status":
        value = text_of(EVERY_STATUS[str(value)])
    with box.container(horizontal=True, vertical_alignment="center", key=f"own_{name}"):
        st.caption(
            t("Set only in Tessera. The file says: {value}", value=plain(str(value)))
            if value
            else t("Set only in Tessera, not in the file"),
            width="content",
        )
        small("Revert", f"give_back_{name}", "undo", give_back, help="Use the value from the file again", writes=True)


def _on_change(session: EditorSession, name: str, key: str) -> Callable[[], None]:
    """Return a callback that stores a widget's value in a field of the editor session."""

    def take() -> None:
        if key not in session_state:
            return
        value = session_state[key]
        value = word_of(value) if isinstance(value, str) else value
        if name == "tags":
            before = session.value(name) or ()
            is_plain = session.note is not None and session.note.plain
            inside = {tag.casefold() for tag in workspace.texts.look_into(session.body, "note.md", plain=is_plain).tags}
            session.kept_tags = [tag for tag in before if tag.casefold() in inside and tag not in value]
            kept = [tag for tag in before if tag in value or tag in session.kept_tags]
            value = [*kept, *(tag for tag in value if tag not in kept)]
        session.set(name, value.isoformat() if isinstance(value, date) else value)
        keep_draft(session)
        session.request(session.action or "rest")

    return take


def _words(session: EditorSession, name: str) -> list[str]:
    """Return the words to suggest for a field: note types, the categories of the type, or words in use."""
    if name == "type":
        workspace.vocabulary.begin(session_state["language"])
        return workspace.vocabulary.types()
    if name == "category":
        return workspace.vocabulary.categories_of(session.value("type") or "")
    return workspace.vocabulary.in_use(name)
