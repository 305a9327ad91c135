"""One waiting item: its content, its origin, the effect of a decision, and the decisions."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.base.messages import message
from core.model import AUTHORS, MATTERS, SUBMISSIONS, NoteSummary, ReviewItem, day_of
from core.workspace import Workspace
from pages.ui.notes import composer, history, opened
from pages.ui.notes.attachments import NoteSources
from pages.ui.review import deciding
from pages.ui.review.deciding import DECISIONS
from pages.ui.shared import jobs, shell, widgets
from pages.ui.shared.document import as_written, document, view
from pages.ui.shared.names import local
from pages.ui.shared.safe import html, light, plain, tangled
from pages.ui.shared.text import t, text_of

LONGEST = 6_000
"""Characters of a text at most."""
_NEAREST = "review_nearest"
"""The key of the session for the note that is nearest to the open one."""
_LEAVES = "review_leaves"
"""The key of the session under which a click on a link waits, which opens its note on the page Notes."""
_OTHER = {
    "superseded": message("The newer note"),
    "copy": message("The earlier note"),
    "contradiction": message("The earlier note"),
}


def draw_item(workspace: Workspace, matter: ReviewItem) -> None:
    """Draw an item with its decisions above it."""
    kind = MATTERS[matter.kind]
    st.subheader(plain(matter.title) or t("Its note is gone"), anchor=False)
    st.markdown(f":material/{kind.icon}: {text_of(kind.about)}")
    row = _decisions(workspace, matter)
    st.caption(" · ".join(_origin(matter)))
    with st.container(border=True, key="review_matter"):
        _DRAWN[matter.kind](workspace, matter)
    if matter.note:
        widgets.note_link(matter.note.id)
    if matter.kind == "note":
        _merge(workspace, matter, row)


def _decisions(workspace: Workspace, matter: ReviewItem) -> DeltaGenerator:
    """Draw the decisions on an item, and return their row."""
    shut = jobs.shut(workspace)
    row = st.container(horizontal=True, key="review_decisions")
    with row:
        for name, decision in DECISIONS.items():
            if matter.kind in decision.kinds:
                kind = "primary" if decision.shortcut == "A" else "secondary"
                click = {"on_click": shell.guarded(decision.act), "args": (workspace, [matter])}
                widgets.button(
                    text_of(decision.label),
                    f"decide_{name}",
                    decision.icon,
                    type=kind,
                    shortcut=decision.shortcut,
                    disabled=shut,
                    **click,
                )
        if matter.submission and widgets.button(
            t("Edit, then accept"), "decide_edit", "edit", shortcut="E", disabled=shut
        ):
            composer.edit_proposed(workspace, matter.submission)
            st.switch_page("notes.py")
    return row


def _merge(workspace: Workspace, matter: ReviewItem, row: DeltaGenerator) -> None:
    """Draw the button that adds a new note to the most similar one; the search for it runs once, after the page is drawn."""
    known = st.session_state.get(_NEAREST)
    if not known or known[0] != matter.key:
        known = st.session_state[_NEAREST] = matter.key, workspace.review.nearest(matter)
    if near := known[1]:
        click = {"on_click": shell.guarded(deciding.merge), "args": (workspace, matter, near.id)}
        about = t("The text goes to the end of that note, and this note into the trash.")
        label = t("Add to “{title}”", title=plain(near.title))
        with row:
            widgets.button(
                label, "decide_merge", "merge", shortcut="M", disabled=jobs.shut(workspace), help=about, **click
            )


def _origin(matter: ReviewItem) -> list[str]:
    """Return the origin of an item."""
    parts = [plain(matter.base)] if matter.base else []
    if matter.submission:
        done = t("{done} {by}", done=SUBMISSIONS[matter.submission.kind], by=AUTHORS[matter.submission.author])
        parts.insert(0, plain(done))
    if matter.note and matter.note.path:
        parts.append(plain(matter.note.path))
    if matter.kind == "file" and matter.other:
        parts.append(plain(str(matter.other.path)))
    if matter.kind == "upgrade" and matter.note:
        parts.append(t("pack {name}", name=plain(matter.note.source_ref.removeprefix("pack:"))))
    if matter.note and matter.note.origin:
        parts.append(plain(matter.note.origin))
    if matter.kind == "expired" and matter.at:
        parts.append(t("expired on {day}", day=day_of(matter.at)))
    elif matter.at:
        parts.append(local(matter.at))
    return parts


def _text(workspace: Workspace, matter: ReviewItem) -> None:
    if matter.note:
        note = workspace.notes.get(matter.note.id)
        shown = light(note.body[:LONGEST])
        drawn = as_written(shown) if tangled(shown) else document(shown, NoteSources(workspace, note)).html
        view.show(f"<article>{drawn}</article>", "review_text", arrival=matter.key, on_click=_clicked)
        if st.session_state.pop(_LEAVES, False):
            st.switch_page("notes.py")


def _clicked(link: view.Clicked) -> None:
    if link.note_id:
        opened.choose(link.note_id, link.place)
        st.session_state[_LEAVES] = True


def _change(workspace: Workspace, matter: ReviewItem) -> None:
    if matter.submission:
        history.draw_difference(workspace.proposals.difference(matter.submission))


def _sides(workspace: Workspace, matter: ReviewItem) -> None:
    """Draw the effect of the other text; decisions stay possible where the pack or the folder can't be read."""
    with shell.errors():
        difference = workspace.review.sides.difference(matter)
        if difference is None:
            st.caption(t("The pack no longer has this note: taking the pack's side puts it into the trash."))
        else:
            history.draw_difference(difference)


def _split(_: Workspace, matter: ReviewItem) -> None:
    if matter.flagged:
        text = matter.flagged.edit.text or matter.flagged.edit.anchor
        st.html(f'<div class="t-text t-small">{html(text[:LONGEST])}</div>')


def _refused(_: Workspace, matter: ReviewItem) -> None:
    if matter.refused:
        st.markdown(plain(text_of(matter.refused.reason)))
        st.html(f'<div class="t-text t-small">{html(matter.refused.text)}</div>')


def _pair(workspace: Workspace, matter: ReviewItem) -> None:
    """Draw both notes of a pair, side by side: the sentences in which they differ, else the beginning of their texts."""
    sides: list[tuple[str, NoteSummary | None]] = [
        (t("This note"), matter.note),
        (text_of(_OTHER[matter.kind]), matter.other),
    ]
    for number, (column, (label, card)) in enumerate(zip(st.columns(2), sides, strict=True)):
        if not card:
            continue
        with column:
            st.caption(f"{label} · {plain(card.base)}")
            st.page_link(
                "notes.py", label=plain(card.title), icon=":material/description:", query_params={"note": card.id}
            )
            text = matter.quotes[number] if matter.quotes else workspace.notes.get(card.id).body[:600]
            st.html(f'<div class="t-text t-small">{html(text)}</div>')


_DRAWN = {
    "note": _text,
    "change": _change,
    "conflict": _change,
    "upgrade": _sides,
    "file": _sides,
    "split": _split,
    "refused": _refused,
    "expired": _text,
    "superseded": _pair,
    "copy": _pair,
    "contradiction": _pair,
    "reminder": _text,
}
"""What is drawn of each kind."""
