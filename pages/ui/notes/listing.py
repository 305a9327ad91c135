"""The list of notes: filters, table, and what is done with several of them."""

from collections.abc import Sequence

import streamlit as st

from core.model import NoteCard
from core.workspace import Workspace
from pages.ui.notes import deletion
from pages.ui.shared import jobs, links, widgets
from pages.ui.shared.text import t, t_plural


def filters(workspace: Workspace, bases: list[str]) -> tuple[str, list[str], str]:
    """Draw the filters and return the base (empty: all), the tags, and the text to look for."""
    if links.arrived("note"):
        clear()
    if (base := links.arrived("base")) in bases:
        st.session_state["notes_base"] = base
    left, middle, right = st.columns([2, 3, 3])
    base = widgets.base_filter(bases, "notes_base", left)
    links.say("base", base)
    tags = workspace.notes.tags(base or None)
    st.session_state["notes_tags"] = [tag for tag in st.session_state.get("notes_tags", []) if tag in tags]
    chosen = middle.multiselect(t("Tags"), list(tags), key="notes_tags", placeholder=t("Any"), persist_state="session")
    text = right.text_input(t("Title or path"), key="notes_text", icon=":material/filter_alt:", persist_state="session")
    return base, chosen, text.strip()


def chosen() -> list[str]:
    """Return the ids of the chosen notes; a link's note comes chosen."""
    if linked := links.arrived("note"):
        st.session_state.update(chosen=[linked], links=st.session_state.get("links", 0) + 1)
    return list(st.session_state.get("chosen", []))


def table(cards: Sequence[NoteCard], chosen: Sequence[str], *, several_bases: bool) -> None:
    """Draw the notes; a marked row makes its note a chosen one of the next run."""
    links.say("note", chosen[0] if len(chosen) == 1 else "")
    if not cards:
        st.caption(t("No note passes these filters."))
        widgets.button(t("Clear the filters"), "notes_clear", "filter_alt_off", on_click=clear)
        return
    # Rows are marked by position: another listing is another widget, to which the choice is carried over.
    key = f"notes_{hash((tuple(card.id for card in cards), st.session_state.get('links')))}"
    optional = {"base": several_bases, "tags": any(card.tags for card in cards)}
    present = [name for name, is_present in optional.items() if is_present]

    def picked() -> None:
        st.session_state["chosen"] = [cards[row].id for row in st.session_state[key]["selection"]["rows"]]

    widgets.table(
        [_row(card) for card in cards],
        {
            "title": st.column_config.TextColumn(t("Title"), width="medium"),
            "base": st.column_config.TextColumn(t("Base"), width="small"),
            "tags": st.column_config.ListColumn(t("Tags")),
            "chunks": st.column_config.NumberColumn(t("Chunks"), width=65),
            "updated": st.column_config.TextColumn(t("Updated"), width=95),
            "path": st.column_config.TextColumn(t("Path")),
        },
        key,
        most=560,
        column_order=["title", *present, "chunks", "updated", "path"],
        on_select=picked,
        selection_mode="multi-row",
        selection_default={"selection": {"rows": [row for row, card in enumerate(cards) if card.id in chosen]}},
    )


def _row(card: NoteCard) -> dict[str, object]:
    return {
        "title": card.title,
        "path": card.path or "",
        "base": card.base,
        "tags": list(card.tags),
        "chunks": card.chunks,
        "updated": card.updated_at.strftime("%Y-%m-%d") if card.updated_at else "",
    }


def clear() -> None:
    """Let every note of every base pass in the next run."""
    st.session_state.update(notes_base="", notes_tags=[], notes_text="")


def actions(workspace: Workspace, chosen: Sequence[str], base: str) -> None:
    """Draw the buttons that delete several chosen notes or the base; the reader's menu deletes the note that is open."""
    shut = workspace.readonly or jobs.importing(workspace)
    with st.container(horizontal=True):
        if len(chosen) > 1:
            label = t_plural("Delete {n} note", "Delete {n} notes", n=len(chosen))
            widgets.button(label, "delete_notes", "delete", disabled=shut, on_click=deletion.ask, args=(chosen,))
        if base:
            label = t("Delete this base")
            widgets.small(label, "delete_base", "delete_forever", disabled=shut, on_click=deletion.ask, args=((), base))
    deletion.dialog(workspace)
