"""Plans and reports of a sync as figures and lists."""

from collections.abc import Iterable, Sequence

import streamlit as st

from core.base.messages import message
from core.model import GUESSED, Failed, IncompleteNote, PackReport, Rechunked, SyncPlan, SyncReport
from pages.ui.shared.safe import boxes, facts, html, plain
from pages.ui.shared.text import t, t_plural, text_of

SHOWN = 200
"""Rows of a list at most; the rest is counted."""

COUNTS = {
    "added": message("Added"),
    "changed": message("Changed"),
    "renamed": message("Renamed"),
    "removed": message("Removed"),
    "unchanged": message("Unchanged"),
    "failed": message("Failed"),
    "skipped": message("Not read"),
    "incomplete": message("Incomplete"),
}
_UNFOLDED = {
    "not_downloaded": message("Not downloaded"),
    "left_out": message("Left out"),
}

Rows = list[tuple[str, str]]
"""Paths, each with a remark."""


def counts(figures: dict[str, int], remark: str = "") -> None:
    """Draw the figures of a plan or a report, and a remark; failed and removed notes stand out."""
    tones = {"failed": "bad", "removed": "warn", "incomplete": "warn"}
    values = (
        (text_of(COUNTS[name]), f"{number:,}", tones.get(name, "") if number else "zero")
        for name, number in figures.items()
    )
    st.html(boxes(values, remark))


def show(plan: SyncPlan) -> None:
    """Draw a plan: its figures, and its files to unfold."""
    lists: dict[str, Rows] = {
        "added": [(file.path, "") for file in plan.added],
        "changed": [
            (match.file.path, t("differs from its file") if match in plan.joined else "") for match in plan.changed
        ],
        "renamed": [(match.file.path, f"← {match.note.path}") for match in plan.renamed],
        "removed": [(note.path, "") for note in plan.removed],
        "unchanged": [(note.path, "") for note in (*plan.unchanged, *(match.note for match in plan.touched))],
        "failed": failed(plan.failed),
        "skipped": failed(plan.skipped),
    }
    if plan.importer:
        st.caption(t("Read as notes of {program}.", program=plan.importer))
    counts({name: len(rows) for name, rows in lists.items()})
    if unread := sum(not file.text for file in (*plan.added, *(match.file for match in plan.changed))):
        st.caption(
            t_plural(
                "{n} of these files is read during the import: if it can't be, it is listed then.",
                "{n} of these files are read during the import: those that can't be are listed then.",
                n=unread,
            )
        )
    for name, rows in lists.items():
        if rows:
            with st.expander(f"{text_of(COUNTS[name])} · {len(rows):,}", expanded=name == "failed"):
                listing(rows)
    _unfolded(plan, *_UNFOLDED)


def report(done: SyncReport) -> None:
    """Draw what a sync did."""
    figures = {name: getattr(done, name) for name in COUNTS if name != "incomplete"} | {
        name: len(getattr(done, name)) for name in ("failed", "skipped")
    }
    if lacks := sum(
        any(part.kind != GUESSED for part in incomplete_note.left_out) for incomplete_note in done.incomplete
    ):
        figures["incomplete"] = lacks
    counts(figures, t_plural("{n} passage", "{n} passages", n=done.chunks))
    if done.failed:
        listing(failed(done.failed))
    _unfolded(done, "not_downloaded", "skipped")
    lacking(done.incomplete)


def _unfolded(result: SyncPlan | SyncReport, *names: str) -> None:
    """Draw lists of files to unfold, those that hold any."""
    for name in names:
        rows = failed(getattr(result, name))
        _to_unfold(f"{text_of((COUNTS | _UNFOLDED)[name])} · {len(rows):,}", rows)


def _to_unfold(title: str, rows: Rows, icon: str | None = None) -> None:
    """Draw rows below a title that unfolds them; draws nothing without any."""
    if rows:
        with st.expander(title, icon=icon):
            listing(rows)


def rechunked(done: Rechunked) -> None:
    """Draw what splitting notes again did."""
    texts = [
        t_plural("{n} note split", "{n} notes split", n=done.notes),
        t_plural("{n} passage", "{n} passages", n=done.chunks),
    ]
    if done.unchanged:
        texts.append(t_plural("{n} was already split this way", "{n} were already split this way", n=done.unchanged))
    if done.flagged:
        texts.append(t_plural("{n} edit lost its place", "{n} edits lost their place", n=done.flagged))
    st.html(facts(texts))
    if done.failed:
        listing(failed(done.failed))


def failed(items: Iterable[Failed]) -> Rows:
    """Return files that could not be read, with the reasons."""
    return [(item.path, text_of(item.error)) for item in items]


def lacking(notes: Sequence[IncompleteNote]) -> None:
    """Draw the notes that lack parts of their files, and those that may be garbled; draws nothing without any."""
    parts = [
        (incomplete_note, part)
        for incomplete_note in notes
        for part in incomplete_note.left_out
        if part.kind != GUESSED
    ]
    paths = {incomplete_note.path for incomplete_note, _ in parts}
    title = t_plural("{n} note lacks parts of its file", "{n} notes lack parts of their files", n=len(paths))
    _to_unfold(
        title,
        [(incomplete_note.path, text_of(part.explanation)) for incomplete_note, part in parts],
        ":material/warning:",
    )
    guessed = [
        (incomplete_note.path, part.place)
        for incomplete_note in notes
        for part in incomplete_note.left_out
        if part.kind == GUESSED
    ]
    title = t_plural("The encoding of {n} file is a guess", "The encodings of {n} files are guesses", n=len(guessed))
    _to_unfold(title, guessed, ":material/translate:")


def listing(rows: Rows) -> None:
    """Draw the first of the rows and the number of the others."""
    lines = [f"{html(path)} <i>{html(remark)}</i><br>" for path, remark in rows[:SHOWN]]
    if len(rows) > SHOWN:
        lines.append(html(t("and {n} more", n=len(rows) - SHOWN)))
    st.html(f'<div class="t-list">{"".join(lines)}</div>')


def pack(done: PackReport) -> None:
    """Draw what an installation or an upgrade of a pack did."""
    counts({name: getattr(done, name) for name in ("added", "changed", "removed", "unchanged")})
    if done.edited:
        st.caption(t("You changed these; they stay as they are:"))
        listing([(note.path, note.title) for note in done.edited])


def unread(base: str, files: Sequence[Failed]) -> None:
    """Draw the files of a base that couldn't be read, each with its reason; draws nothing without any."""
    title = t_plural(
        "{n} file of '{base}' could not be read at the last update",
        "{n} files of '{base}' could not be read at the last update",
        n=len(files),
        base=base,
    )
    _to_unfold(plain(title), failed(files), ":material/warning:")


def not_downloaded(base: str, files: Sequence[Failed]) -> None:
    """Draw the files of a base that aren't there yet, each with what helps; draws nothing without any."""
    title = t_plural(
        "{n} file of '{base}' isn't downloaded",
        "{n} files of '{base}' aren't downloaded",
        n=len(files),
        base=base,
    )
    _to_unfold(plain(title), failed(files), ":material/cloud_download:")


def not_read(base: str, files: Sequence[Failed]) -> None:
    """Draw the files of a base that hold nothing to read, each with what helps; draws nothing without any."""
    title = t_plural(
        "{n} file of '{base}' isn't read",
        "{n} files of '{base}' aren't read",
        n=len(files),
        base=base,
    )
    _to_unfold(plain(title), failed(files), ":material/draft:")
