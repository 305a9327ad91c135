"""The left side of the Notes page, with the filter box and a tree or table of notes. Clicking a note opens it."""

import re
from collections.abc import Container, Sequence
from contextlib import suppress

import streamlit as st
from streamlit import session_state

from core.base.errors import QueryError
from core.base.frozen import Texts, frozen
from core.base.messages import message_table
from core.model import BY_USE, Filters, NoteSummary, day_of
from pages.ui.notes import actions, opened
from pages.ui.shared import links, tree
from pages.ui.shared.jobs import is_shut
from pages.ui.shared.names import NOTE_STATES
from pages.ui.shared.server import workspace
from pages.ui.shared.text import small_print, t, text_of
from pages.ui.shared.widgets import button, count_column, guarded, page_link, segments, table, text_column

_FILTERS = "notes_filters"


@frozen
class Narrowing:
    """The parsed contents of the filter box, with filters, and words that a note's title or path must contain."""

    filters: Filters
    words: Texts

    @property
    def base(self) -> str:
        """The base named in the filters, or "" if there are none or several."""
        return self.filters.bases[0] if len(self.filters.bases) == 1 else ""

    @property
    def parts(self) -> list[object]:
        """The base, words and other filters that narrow the list of notes, in this order."""
        return [self.base, self.words, self.filters.conditions, self.filters.after, self.filters.before]

    def cards(self) -> list[NoteSummary]:
        """Return the notes that match the filters and have every word in their title or path."""
        found = [workspace.notes.all(self.filters, text=word) for word in self.words or [""]]
        passing = set.intersection(*({card.id for card in cards} for cards in found))
        return [card for card in found[0] if card.id in passing]


def narrowing(bases: list[str]) -> Narrowing:
    """Draw the filter box, and return its parsed contents."""
    if bases[1:] and (base := links.arrived_value("base")) in bases:
        others = [item for item in session_state.get(_FILTERS, []) if not item.startswith("base:")]
        session_state[_FILTERS] = [f"base:{base}", *others]
    # The term and the label of each entry.
    offered = {
        **{f"base:{name}": (f'base:"{name}"', t("base:{value}", value=name)) for name in bases},
        **{f"tag:{tag}": (f'tag:"{tag}"', t("tag:{value}", value=tag)) for tag in workspace.vocabulary.tags()},
        **{f"use:{use}": (f'use:"{use}"', t("use:{value}", value=label)) for use, label in BY_USE.items()},
    }
    options = [item for item in offered if bases[1:] or not item.startswith("base:")]
    typed = st.multiselect(
        t("Filter"),
        list(dict.fromkeys([*session_state.get(_FILTERS, []), *options])),
        format_func=lambda item: offered[item][1] if item in offered else item,
        key=_FILTERS,
        placeholder=t("Filter by words, tag: or base:") if bases[1:] else t("Filter by words or tag:"),
        label_visibility="collapsed",
        accept_new_options=True,
        filter_mode="prefix",
        select_all=False,
        persist_state="session",
    )
    pieces = list[str]()
    for item in typed:
        pieces += [offered[item][0]] if item in offered else re.findall(r'(?:"[^"]*"|[^\s"])+', item)
    narrowed = _read(bases, pieces)
    links.set_value("base", narrowed.base)
    session_state["notes_base"] = narrowed.base
    return narrowed


def _read(bases: Container[str], pieces: Sequence[str]) -> Narrowing:
    """Parse the entries of the filter box. Terms of the query language become filters, and all others become words."""
    named = list[str]()
    terms = list[str]()
    words = list[str]()
    for piece in pieces:
        filters = None
        if ":" in piece or "：" in piece:
            with suppress(QueryError):
                filters = workspace.searching.filters(terms=[piece])
        if filters is None or not all(name in bases for name in filters.bases):
            words.append(piece.strip('"'))
        elif filters.bases:
            named += filters.bases
        else:
            terms.append(piece)
    return Narrowing(workspace.searching.filters(bases=named, terms=terms), tuple(filter(None, words)))


def is_list() -> bool:
    """Return whether the list view is selected, which shows the notes as a table."""
    return session_state.get("notes_view") == "list"


def view() -> str:
    """Draw the view selector and return the selected view: "tree", "list" or "trash"."""
    views = message_table({"tree": "Tree", "list": "List", "trash": "Trash"})

    def changed() -> None:
        if is_list():  # the trash replaces the open note
            opened.choose("")

    return segments("View", views, "notes_view", default="tree", persist_state="session", on_change=changed)


def marked_notes() -> list[str]:
    """Return the ids of the notes selected in the list."""
    return list(session_state.get("chosen", []))


def notes(
    cards: Sequence[NoteSummary],
    view: str,
    note_id: str,
    narrowed: Narrowing,
    *,
    several: bool,
) -> None:
    """Draw the filtered notes as a tree or table. Dragging notes in the tree moves them."""
    if not cards and not any(narrowed.parts[1:]):
        small_print("There are no notes here yet.")
    elif not cards:
        small_print("No note matches these filters.")
        if narrowed.words:
            page_link("search.py", "Search the text of the notes", "search", q=" ".join(narrowed.words))
        button("Clear the filters", "notes_clear", "filter_alt_off", narrow, "")
    elif view == "list":
        _table(cards, several=several)
    else:
        with st.container(key="notes_tree"):

            def dropped(note_ids: Sequence[str], path: tree.Path) -> None:
                base, folders = (path[:1], path[1:]) if several else ((), path)
                guarded(actions.drop)(note_ids, "".join(base), "/".join(folders))

            tree.draw(
                cards,
                narrowed.parts,
                note_id,
                opened.choose,
                "notes_tree_view",
                several=several,
                counts=False,
                move=None if is_shut() else dropped,
            )


def narrow(base: str, tags: Sequence[str] = ()) -> None:
    """Set the filters to a base and tags, from the next rerun on. If `base` is "", notes from all bases are shown."""
    session_state[_FILTERS] = [*([f"base:{base}"] if base else []), *(f"tag:{tag}" for tag in tags)]


def _table(cards: Sequence[NoteSummary], *, several: bool) -> None:
    """Draw the table of notes. Clicking a cell opens the note. The checkbox at the left of a row selects the note."""
    # Streamlit selects rows by position, so each list of notes is a separate widget. Carry the selection over.
    key = f"notes_{hash(tuple(card.id for card in cards))}"
    present = ["base"] * several + ["tags"] * any(card.tags for card in cards)
    marks = set(marked_notes())

    def picked() -> None:
        selection = session_state[key]["selection"]
        if cells := selection.get("cells"):
            opened.choose(cards[cells[0][0]].id)
        session_state["chosen"] = [cards[row].id for row in selection["rows"]]

    table(
        [
            {
                "title": card.title,
                "state": text_of(NOTE_STATES[card.state]),
                "path": card.path or "",
                "base": card.base,
                "tags": list(card.tags),
                "chunks": card.chunks,
                "updated": day_of(card.updated_at) if card.updated_at else "",
            }
            for card in cards
        ],
        {
            "title": text_column("Title", width="medium"),
            "state": text_column("State", width=95),
            "base": text_column("Base", width="small"),
            "tags": st.column_config.ListColumn(t("Tags")),
            "chunks": count_column("Passages", width=80),
            "updated": text_column("Updated", width=95),
            "path": text_column("Path"),
        },
        key,
        most=560,
        column_order=["title", "state", "updated", *present, "chunks", "path"],
        on_select=picked,
        selection_mode=["multi-row", "single-cell"],
        selection_default={"selection": {"rows": [row for row, card in enumerate(cards) if card.id in marks]}},
    )
    small_print("Click a title to read the note. To change several notes, tick the boxes on the left.")
