"""The Home page: a quick search, problems that need attention, recent notes, and the bases with their state."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime

import streamlit as st

from core.base.messages import message
from core.model import MATTERS, BaseStatus, MatterKind, NoteSummary, Status, day_of
from core.workspace import Workspace
from pages.ui.settings import upkeep
from pages.ui.shared import ignoring, jobs, look, names, pinned, shell, tour, welcome, widgets
from pages.ui.shared.safe import html, plain
from pages.ui.shared.text import section_title, t, t_plural, text_of

COLUMNS = 2
SOON = 14
"""Days before its expiry from which a note is listed."""
SHOWN = 10
"""Maximum number of notes in a list."""
KINDS = 5
"""Kinds of items to review that are listed."""
RECENT = 6
"""Number of recent notes."""
PURPOSE = (
    message("Ask your notes a question in your own words: Tessera shows the passage that answers it, and where it is."),
    message("It reads folders of Markdown, Word and PDF files, web pages and more, in English and Chinese."),
    message("Everything stays on this machine: no account, no network."),
)
"""The purpose of Tessera in three sentences."""


def introduce(workspace: Workspace) -> None:
    """Introduce Tessera if there are no notes, and offer two ways to begin."""
    st.title("Tessera", anchor=False)
    words, picture = st.columns([1, 1], gap="large", vertical_alignment="center")
    with words:
        st.html("".join(f'<p class="t-lead">{html(sentence)}</p>' for sentence in PURPOSE))
        welcome.beginnings(workspace)
    picture.html(welcome.example())
    st.space("small")
    with widgets.row("first_choices"):
        look.choose_language(workspace, "language_switch")
        look.choose_look(workspace, "look_switch")


def quick_search() -> None:
    """Draw the search box; the search page answers the question."""
    with st.form("quick", border=False), widgets.row(vertical_alignment="bottom"):
        text = widgets.text_box(t("What are you looking for?"), "quick_q")
        submitted = widgets.submit(t("Search"), "quick_go", "search", type="primary")
    if submitted and text.strip():
        st.switch_page("search.py", query_params={"q": text})


def attention(workspace: Workspace, status: Status) -> None:
    """Draw the problems that need the user's attention; draws nothing without problems."""
    unread = [base.base for base in status.bases if workspace.folders.unread(base.base)]
    unfinished = workspace.pending.any() and not workspace.jobs.running("import", "embed")
    lapsing = workspace.notes.expiring(days=SOON)
    waiting = workspace.review.counts()
    workspace.start_comparing()
    if not (unread or status.index_problem or unfinished or lapsing or waiting):
        return
    section_title("Needs attention")
    if unfinished:
        _unfinished(workspace, status)
    _draw_waiting(waiting)
    if status.index_problem:
        upkeep.problem(status)
        upkeep.rebuild(workspace)
    _draw_expiring(workspace, lapsing)
    for base in unread:
        ignoring.unread(workspace, base)


def _draw_waiting(counts: Counter[MatterKind]) -> None:
    """Draw what waits for the user, a link for each of the first kinds."""
    kinds = [kind for kind in MATTERS if counts[kind]]
    with st.container(gap="xxsmall", key="home_waiting"):
        for kind in kinds[:KINDS]:
            label = f"{text_of(MATTERS[kind].title)} · {counts[kind]:,}"
            icon, address = f":material/{MATTERS[kind].icon}:", {"kind": kind}
            st.page_link("review.py", label=plain(label), icon=icon, query_params=address)
    widgets.more(len(kinds) - KINDS)


def _draw_expiring(workspace: Workspace, cards: Sequence[NoteSummary]) -> None:
    """Draw the expired notes, with a button that archives them, and the notes that expire soon."""
    expired = [card for card in cards if card.expired]
    soon = [card for card in cards if not card.expired]
    if expired:
        about = t_plural(
            "{n} note has expired: searches leave it out",
            "{n} notes have expired: searches leave them out",
            n=len(expired),
        )
        with st.expander(about, icon=":material/event_busy:"):
            _draw_rows(expired)
            label = t("Archive the expired ones")
            widgets.button(
                label,
                "archive_expired",
                "archive",
                disabled=workspace.readonly,
                on_click=workspace.notes.archive,
                args=([card.id for card in expired],),
            )
    if soon:
        about = t_plural(
            "{n} note expires within {days} days", "{n} notes expire within {days} days", n=len(soon), days=SOON
        )
        with st.expander(about, icon=":material/event_upcoming:"):
            _draw_rows(soon)


def _draw_rows(cards: Sequence[NoteSummary]) -> None:
    for card in cards[:SHOWN]:
        _row(card, card.expires_at, f"expires_{card.id}")
    widgets.more(len(cards) - SHOWN)


def _row(card: NoteSummary, at: datetime | None, key: str, icon: str | None = None) -> None:
    """Draw a link to a note, with a day and the note's base."""
    with widgets.row(key):
        st.page_link("notes.py", label=plain(card.title), query_params={"note": card.id}, icon=icon, width="stretch")
        named = [] if len(status.bases) == 1 else [plain(card.base)]
        st.caption(" · ".join([*([day_of(at)] if at else []), *named]), width="content")


def recent(workspace: Workspace) -> None:
    """Draw links to the pinned notes and to the last changed ones."""
    kept = pinned.pinned(workspace)
    cards = pinned.likely(workspace, len(kept) + RECENT, opened=False)
    if not cards:
        return
    section_title("Recent notes")
    with st.container(gap="xxsmall", key="recent_notes"):
        for card in cards:
            _row(card, card.updated_at, f"recent_{card.id}", ":material/keep:" if card.id in kept else None)


def _unfinished(workspace: Workspace, status: Status) -> None:
    """Draw the number of notes that an import left unindexed, and the button that indexes them."""
    waiting = sum(base.waiting for base in status.bases if base.base.embed_at_once)
    text = t_plural(
        "{n} note is found by words only: it is not indexed yet.",
        "{n} notes are found by words only: they are not indexed yet.",
        n=waiting,
    )
    st.info(text, icon=":material/hourglass_top:")
    if not jobs.resumes(workspace, "embed"):
        jobs.resume(workspace)


def bases(workspace: Workspace, status: Status) -> None:
    """Draw a card for every base, and buttons for adding notes; a single base is shown without its name."""
    is_only = len(status.bases) == 1
    st.subheader(t("My notes") if is_only else t("Knowledge bases"), anchor=False)
    for column, base in widgets.in_columns(status.bases, COLUMNS):
        with column.container(border=True, key=f"base_{base.base.id}"):
            _base(workspace, base, "" if is_only else base.base.name)
    with widgets.row("more_notes"):
        if not is_only:
            st.page_link("bases.py", label=t("New base"), icon=":material/database:", query_params={"new": "yes"})
        st.page_link("notes.py", label=t("Import more notes"), icon=":material/add:", query_params={"import": "open"})
        if not workspace.readonly and widgets.small(t("Today's note"), "home_today", "today"):
            shell.open_today()
        if jobs.SAMPLE not in [base.base.name for base in status.bases]:
            welcome.samples(workspace, type="tertiary")


def _base(workspace: Workspace, status: BaseStatus, name: str) -> None:
    base = status.base
    facts = [
        " · ".join([*names.note_counts(workspace.notes.counts(base.name)), *filter(None, [names.last_update(base)])]),
        *(folder for folder, _ in status.folders[:3] if folder != "upload"),
    ]
    lines = "".join(f'<div class="t-facts">{html(fact)}</div>' for fact in facts)
    st.html(f'<div class="t-name">{html(name)}</div>{lines}' if name else lines)
    widgets.base_link(base.name)


workspace = shell.workspace()
status = workspace.status()

if not status.bases:
    introduce(workspace)
    jobs.panel(workspace)
    st.stop()

st.title("Tessera", anchor=False)
quick_search()
welcome.links(workspace)
tour.offer(workspace)
jobs.panel(workspace)
attention(workspace, status)
left, right = widgets.halves("home")
with left:
    recent(workspace)
with right:
    bases(workspace, status)
