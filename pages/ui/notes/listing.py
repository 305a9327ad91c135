"""The notes at the left of the page: their filters, and the tree or the list where a click opens one."""

from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.model import BY_USE, NoteSummary, day_of
from core.workspace import Workspace
from pages.ui.notes import opened
from pages.ui.shared import links, names, tree, widgets
from pages.ui.shared.text import t, text_of


def filters(workspace: Workspace, bases: list[str], *, wide: bool) -> tuple[str, list[str], str, str]:
    """Draw the filters, in one row if it is `wide`; return the base (empty: all), the tags, the text to look for, and the use (empty: any)."""
    if (base := links.arrived_value("base")) in bases:
        st.session_state["notes_base"] = base
    left, right, third, fourth = st.columns(4, vertical_alignment="bottom") if wide else _two_rows()
    base = widgets.base_filter(bases, "notes_base", left)
    links.set_value("base", base)
    tags = workspace.notes.tags(base or None)
    st.session_state["notes_tags"] = [tag for tag in st.session_state.get("notes_tags", []) if tag in tags]
    chosen = right.multiselect(t("Tags"), list(tags), key="notes_tags", placeholder=t("Any"), persist_state="session")
    look = {"icon": ":material/filter_alt:", "persist_state": "session"}
    with third:
        text = widgets.text_box(t("Title or path"), "notes_text", **look)
    uses = {"": t("Any"), **{name: text_of(title) for name, title in BY_USE.items()}}
    use = widgets.select(t("Use"), uses, "notes_use", fourth, persist_state="session")
    return base, chosen, text.strip(), use


def _two_rows() -> list[DeltaGenerator]:
    return [*st.columns(2), *st.columns(2, vertical_alignment="bottom")]


def is_list() -> bool:
    """Return whether the notes are shown as a list."""
    return st.session_state.get("notes_view") == "list"


def view() -> str:
    """Draw the choice between tree, list and trash; return it."""
    views = {"tree": t("Tree"), "list": t("List"), "trash": t("Trash")}

    def changed() -> None:
        if is_list():  # it takes the place of the open note
            opened.choose("")

    return widgets.segments(t("View"), views, "notes_view", default="tree", persist_state="session", on_change=changed)


def marked_notes() -> list[str]:
    """Return the ids of the notes that are marked in the list."""
    return list(st.session_state.get("chosen", []))


def notes(cards: Sequence[NoteSummary], view: str, note_id: str, filtered: Sequence[object], *, several: bool) -> None:
    """Draw the notes that pass the filters."""
    if not cards and not any(filtered[1:]):
        st.caption(t("There is no note here yet."))
    elif not cards:
        st.caption(t("No note matches these filters."))
        widgets.button(t("Clear the filters"), "notes_clear", "filter_alt_off", on_click=clear)
    elif view == "list":
        _table(cards, several=several)
    else:
        with st.container(key="notes_tree"):
            shown = tree.NoteTree(cards, filtered, several, counts=False)
            tree.draw(shown, note_id, opened.choose, "notes_tree_view")


def clear() -> None:
    """Remove all filters in the next run."""
    narrow("")


def narrow(base: str, tags: Sequence[str] = ()) -> None:
    """Show the notes of a base with some tags in the next run, of all bases with ""."""
    st.session_state.update(notes_base=base, notes_tags=list(tags), notes_text="", notes_use="")


def _table(cards: Sequence[NoteSummary], *, several: bool) -> None:
    """Draw the notes as a table: a click on a cell opens its note, the box at the left of a row marks it."""
    # Rows are marked by position: another listing is another widget, to which the marks are carried over.
    key = f"notes_{hash(tuple(card.id for card in cards))}"
    optional = {"base": several, "tags": any(card.tags for card in cards)}
    present = [name for name, is_present in optional.items() if is_present]
    marks = set(marked_notes())

    def picked() -> None:
        selection = st.session_state[key]["selection"]
        rows, cells = selection["rows"], selection.get("cells", [])
        if cells:
            opened.choose(cards[cells[0][0]].id)
        st.session_state["chosen"] = [cards[row].id for row in rows]

    widgets.table(
        [_row(card) for card in cards],
        {
            "title": st.column_config.TextColumn(t("Title"), width="medium"),
            "state": st.column_config.TextColumn(t("State"), width=95),
            "base": st.column_config.TextColumn(t("Base"), width="small"),
            "tags": st.column_config.ListColumn(t("Tags")),
            "chunks": st.column_config.NumberColumn(t("Chunks"), width=65),
            "updated": st.column_config.TextColumn(t("Updated"), width=95),
            "path": st.column_config.TextColumn(t("Path")),
        },
        key,
        most=560,
        column_order=["title", "state", "updated", *present, "chunks", "path"],
        on_select=picked,
        selection_mode=["multi-row", "single-cell"],
        selection_default={"selection": {"rows": [row for row, card in enumerate(cards) if card.id in marks]}},
    )
    st.caption(t("Click a title to read the note; select rows at their left to change several."))


def _row(card: NoteSummary) -> dict[str, object]:
    return {
        "title": card.title,
        "state": text_of(names.NOTE_STATES[card.state]),
        "path": card.path or "",
        "base": card.base,
        "tags": list(card.tags),
        "chunks": card.chunks,
        "updated": day_of(card.updated_at) if card.updated_at else "",
    }
