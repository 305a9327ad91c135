"""What other notes say about the open note: related notes and copies, and suggestions that a click accepts."""

from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st

from core.model import Hint, LinkSuggestion, Note, NoteSummary, PlaceSuggestion, Related, RelatedNote, TagSuggestion
from core.workspace import Workspace
from pages.ui.notes import opened, undo
from pages.ui.shared import jobs, shell, widgets
from pages.ui.shared.safe import plain
from pages.ui.shared.text import t, text_of


def panel(workspace: Workspace, note: Note) -> None:
    """Draw the panel, which is folded at first; what it shows is computed while it is open."""
    shell.on_demand(t("Related notes and suggestions"), "related", "hub", lambda: _Panel(workspace, note).draw())


class _Panel:
    def __init__(self, workspace: Workspace, note: Note) -> None:
        self._workspace = workspace
        self._note = note
        self._base = workspace.bases.by_id(note.base_id).name
        self._shut = jobs.shut(workspace)

    def draw(self) -> None:
        related = self._workspace.related.related_to(self._note.id)
        if related == Related(writable=related.writable):
            st.caption(t("No other note is near this one."))
            return
        suggested = related.tags or related.places or related.links or related.hints
        left, right = st.columns([3, 2], gap="medium") if suggested else (st.container(), None)
        with left, st.container(gap=None):
            self._notes(t("Related notes"), related.notes, "related")
            self._notes(t("Possible copies"), related.copies, "copy")
            if not (related.notes or related.copies):
                st.caption(t("No other note is near this one."))
        if right:
            with right, st.container(gap="xsmall"):
                self._tags(related.tags)
                self._places(related.places)
                self._links(related.links, writable=related.writable)
                self._hints(related.hints)

    def _notes(self, title: str, notes: Sequence[RelatedNote], key: str) -> None:
        if notes:
            st.caption(f"**{title}**")
        for related_note in notes:
            self._opening(related_note.note, f"{key}_{related_note.note.id}")
            base = [] if related_note.note.base_id == self._note.base_id else [related_note.note.base]
            st.caption(plain(" · ".join([*base, *map(text_of, related_note.reasons)])))

    def _tags(self, tags: Sequence[TagSuggestion]) -> None:
        if tags:
            st.caption(f"**{t('Suggested tags')}**")
        for number, tag in enumerate(tags):
            if self._accepted(f"#{tag.tag}", f"tag_{number}", "new_label", text_of(tag.reason)):
                self._workspace.notes.tag([self._note.id], add=[tag.tag])
                self._done(
                    t("The tag #{tag} is added.", tag=tag.tag),
                    partial(self._workspace.notes.tag, [self._note.id], remove=[tag.tag]),
                )

    def _places(self, places: Sequence[PlaceSuggestion]) -> None:
        if places:
            st.caption(f"**{t('Suggested places')}**")
        for number, place_suggestion in enumerate(places):
            place = place_suggestion.folder or t("the top of the base")
            place = place if place_suggestion.base == self._base else f"{place_suggestion.base}: {place}"
            if not place_suggestion.movable:
                st.markdown(plain(place))
                st.caption(plain(text_of(place_suggestion.reason)))
                continue
            if self._accepted(
                t("Move to {place}", place=place),
                f"place_{number}",
                "drive_file_move",
                text_of(place_suggestion.reason),
            ):
                before = (self._note.path or "").rpartition("/")[0]
                moved = self._workspace.notes.move(self._note.id, place_suggestion.folder)
                self._done(
                    t("The note is at '{path}' now.", path=moved.path or ""),
                    partial(self._workspace.notes.move, self._note.id, before),
                )

    def _links(self, links: Sequence[LinkSuggestion], *, writable: bool) -> None:
        if links:
            st.caption(f"**{t('Suggested links')}**")
            if not writable:
                st.caption(t("This note is a file, and its base doesn't write to files: write the links in the file."))
        for link in links:
            label = link.note.title if link.text == link.note.title else f"{link.text} → {link.note.title}"
            if self._accepted(label, f"link_{link.note.id}", "add_link", text_of(link.reason), shut=not writable):
                version = self._workspace.notes.history(self._note.id)[0].number
                self._workspace.related.link(self._note.id, link.note.id, expected_version=self._note.version)
                self._done(
                    t("The link to '{title}' is there.", title=link.note.title),
                    partial(self._workspace.notes.revert, self._note.id, version),
                )

    def _hints(self, hints: Sequence[Hint]) -> None:
        if hints:
            st.caption(f"**{t('What would help this note')}**")
        for number, hint in enumerate(hints):
            st.markdown(plain(text_of(hint.about)))
            for quote in hint.quotes:
                st.caption(f"> {plain(quote)}")
            st.caption(plain(text_of(hint.remedy)))
            if hint.other:
                self._opening(hint.other, f"hint_{number}_{hint.other.id}")

    def _opening(self, card: NoteSummary, key: str) -> None:
        """Draw a title that opens its note."""
        if widgets.small(plain(card.title), key, "description"):
            opened.choose(card.id)
            st.rerun()

    def _accepted(self, label: str, key: str, icon: str, reason: str, *, shut: bool = False) -> bool:
        """Draw a suggestion with its reason; return whether a click accepts it."""
        pressed = widgets.button(plain(label), f"accept_{key}", icon, disabled=shut or self._shut)
        st.caption(plain(reason))
        return pressed

    def _done(self, text: str, take_back: Callable[[], object]) -> None:
        undo.offer(plain(text), take_back)
        st.rerun()
