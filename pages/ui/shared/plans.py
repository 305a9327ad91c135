"""What a sync would do or has done, as figures and lists."""

from collections.abc import Iterable

import streamlit as st

from core.messages import message
from core.model import Failed, Rechunked, SyncPlan, SyncReport
from pages.ui.shared.safe import html
from pages.ui.shared.text import said, t, t_plural

SHOWN = 200
"""Rows of a list that are shown; the rest is counted."""

COUNTS = {
    "added": message("Added"),
    "changed": message("Changed"),
    "renamed": message("Renamed"),
    "removed": message("Removed"),
    "unchanged": message("Unchanged"),
    "failed": message("Failed"),
}

Rows = list[tuple[str, str]]


def counts(figures: dict[str, int], remark: str = "") -> None:
    """Draw the figures of a plan or a report, and a remark; what went wrong stands out."""
    tones = {"failed": "bad", "removed": "warn"}
    boxes = [
        f'<div class="t-count {tones.get(name, "") if number else "zero"}"><b>{number:,}</b>'
        f"<span>{html(said(COUNTS[name]))}</span></div>"
        for name, number in figures.items()
    ]
    st.html(f'<div class="t-counts">{"".join(boxes)}<span class="t-facts">{html(remark)}</span></div>')


def show(plan: SyncPlan) -> None:
    """Draw a plan: its figures, and on demand which files it is about."""
    lists: dict[str, Rows] = {
        "added": [(file.path, "") for file in plan.added],
        "changed": [(match.file.path, "") for match in plan.changed],
        "renamed": [(match.file.path, f"← {match.note.path}") for match in plan.renamed],
        "removed": [(note.path, "") for note in plan.removed],
        "unchanged": [(note.path, "") for note in (*plan.unchanged, *(match.note for match in plan.touched))],
        "failed": failed(plan.failed),
    }
    counts({name: len(rows) for name, rows in lists.items()})
    for name, rows in lists.items():
        if rows:
            with st.expander(f"{said(COUNTS[name])} · {len(rows):,}", expanded=name == "failed"):
                listing(rows)


def report(done: SyncReport) -> None:
    """Draw what a sync did."""
    counts(
        {
            "added": done.added,
            "changed": done.changed,
            "renamed": done.renamed,
            "removed": done.removed,
            "unchanged": done.unchanged,
            "failed": len(done.failed),
        },
        t_plural("{n} chunk", "{n} chunks", n=done.chunks),
    )
    if done.failed:
        listing(failed(done.failed))


def rechunked(done: Rechunked) -> None:
    """Draw what splitting notes again did."""
    told = [
        t_plural("{n} note split", "{n} notes split", n=done.notes),
        t_plural("{n} chunk", "{n} chunks", n=done.chunks),
        *(
            [t_plural("{n} was already split this way", "{n} were already split this way", n=done.unchanged)]
            if done.unchanged
            else []
        ),
        *([t_plural("{n} edit lost its place", "{n} edits lost their place", n=done.flagged)] if done.flagged else []),
    ]
    st.html(f'<div class="t-facts">{"".join(f"<span>{html(fact)}</span>" for fact in told)}</div>')
    if done.failed:
        listing(failed(done.failed))


def failed(items: Iterable[Failed]) -> list[tuple[str, str]]:
    """Return files that could not be read, and why, as rows."""
    return [(item.path, said(item.error)) for item in items]


def listing(rows: Iterable[tuple[str, str]]) -> None:
    """Draw (path, remark) pairs, the first ones of many."""
    rows = list(rows)
    lines = [f"{html(path)} <i>{html(remark)}</i><br>" for path, remark in rows[:SHOWN]]
    if len(rows) > SHOWN:
        lines.append(html(t("and {n} more", n=len(rows) - SHOWN)))
    st.html(f'<div class="t-list">{"".join(lines)}</div>')
