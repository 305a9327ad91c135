"""Parts shared by all pages, such as the open workspace, the menu, the status display in the sidebar, and dialogs."""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit

import streamlit as st
from streamlit import container, rerun, session_state, switch_page
from streamlit import html as draw_html
from streamlit.delta_generator import DeltaGenerator

from core.base.app_paths import PROGRAM
from core.base.errors import DiskFull, NewerSchema, NotWritable, StoreError, TesseraError, WorkspaceLocked
from core.base.messages import message, message_table
from core.base.text import name_key
from core.model import JOB_KINDS, Freshness, NoteSummary
from core.workspace import Workspace, bug_report
from pages.ui.shared import jobs, language_and_look, server, shortcuts, style, welcome
from pages.ui.shared.names import READONLY, megabytes
from pages.ui.shared.safe import elements, html, plain, t_html
from pages.ui.shared.server import workspace
from pages.ui.shared.text import page_title, small_print, t, text_of
from pages.ui.shared.widgets import (
    Callback,
    Dialog,
    bound,
    button,
    caption,
    code,
    on_demand,
    paragraph,
    problem,
    small,
    text_box,
    warn,
)

# The quick switcher. It opens a note (by title, alias or path), a page or a new note from anywhere.

SHOWN = 10
_SWITCHER = Dialog("switching")
# Session key that asks the Notes page to open today's note.
TODAY = "today_wanted"
# Session key that asks the Notes page to start a new note. The value is the note's title, which may be "", and whether
# the user comes from another page, where no open note shows the folder.
NEW = "new_title"


def open_today() -> None:
    """Go to the Notes page, which opens today's note."""
    session_state[TODAY] = True
    _go_to_notes()


def open_new(title: str = "") -> None:
    """Go to the Notes page, which starts a new note."""
    session_state[NEW] = title, session_state["page"] != "notes"
    _go_to_notes()


def _go_to_notes() -> None:
    """Go to the Notes page. If it is the current page, rerun it instead, so that the URL keeps the open note."""
    if session_state["page"] == "notes":
        rerun()
    switch_page("notes.py")


def dialog(*, wanted: bool) -> None:
    """Draw the quick switcher if it is open. If `wanted` is True, open it first."""
    if wanted:
        _SWITCHER.open(True)
    if not _SWITCHER.subject:
        return

    def content() -> None:
        text = text_box("Title, alias, path or page name", "switch_text", icon=":material/search:", live="120ms")
        kept = pinned_notes()
        several = len(workspace.bases.all()) > 1
        cards = workspace.notes.switch(text, SHOWN) if text.strip() else likely_notes(SHOWN, opened=True)
        with container(key="switcher", gap="xxsmall"):
            for card in cards:
                place = " / ".join(filter(None, [card.base if several else "", card.path]))
                label = f"{plain(card.title)} :gray[{plain(place)}]"
                icon = "keep" if card.id in kept else "description"
                if small(label, f"switch_to_{card.id}", icon, width="stretch"):
                    _SWITCHER.close()
                    switch_page("notes.py", query_params={"note": card.id})
            label = t("Today's note")
            if text.casefold().strip() in label.casefold() and small(label, "switch_to_today", "today"):
                _SWITCHER.close()
                open_today()
            key = name_key(text.strip())
            for name, (path, icon, title) in PAGES.items():
                if not key or key not in name_key(text_of(title)):
                    continue
                label = f"{icon} {text_of(title)}"
                if button(label, f"switch_to_{name}", type="tertiary", width="stretch"):
                    _SWITCHER.close()
                    switch_page(path)
            label = t("New note: {title}", title=plain(text)) if text.strip() else t("New note")
            if not workspace.readonly and small(label, "switch_to_new", "edit_square", width="stretch"):
                _SWITCHER.close()
                open_new(text.strip())
        if not cards:
            small_print("No note has this name.")
        draw_html(f'<i data-listed="{html(text)}"></i>')  # drawn last, when the list for this text is complete

    _SWITCHER.draw(t("Open a note or a page"), content, width="medium")


# Seconds to wait for another process that has the workspace open for writing.
#
# After that, the workspace is opened read-only.
PATIENCE = 3.0
# Seconds between opening the workspace and loading the models, so that the first page and a first click aren't delayed.
WARM_AFTER = 3.5

# What can be searched, keyed by the state of the models or, once they are loaded, by a job that adds to what is found.
MODEL = message_table(
    {
        "ready": "Ready to search",
        "loading": "Getting ready…",
        "failed": "The model can't be used",
        "import": "You can already search the imported notes",
        "embed": "You can search by keyword now",
    }
)
# Hints about what searches can't find yet.
MEANWHILE = message_table(
    {
        "loading": "Until then, you can search by keyword.",
        "failed": "You can still search by keyword.",
        "embed": "A note is also found by meaning once it is indexed.",
    }
)

# The colour of the dot and the title for each state of freshness. If the title is None, the first message is the title.
FRESHNESS = {
    "current": ("ready", message("Up to date")),
    "working": ("", message("Updating…")),
    "notice": ("absent", None),
    "attention": ("failed", None),
}
# Seconds between updates of the freshness display while folders are being watched.
IDLE = 3.0

# Pages in menu order, each with its file, icon and title.
PAGES = {
    "home": ("home.py", ":material/home:", message("Home")),
    "search": ("search.py", ":material/search:", message("Search")),
    "notes": ("notes.py", ":material/description:", message("Notes")),
    "review": ("review.py", ":material/rule:", message("Review")),
    "map": ("map.py", ":material/scatter_plot:", message("Map")),
    "chunks": ("chunks.py", ":material/splitscreen:", message("Chunks")),
    "evaluation": ("evaluation.py", ":material/query_stats:", message("Evaluation")),
    "bases": ("bases.py", ":material/database:", message("Bases")),
    "settings": ("settings.py", ":material/settings:", message("Settings")),
    "help": ("help.py", ":material/help:", message("Help")),
}
# Parts of the menu. The workbench is for users who want to see how notes are found. It is initially collapsed.
EVERY_DAY, WORKBENCH, FOOT = (tuple(PAGES)[part] for part in (slice(4), slice(4, 8), slice(8, None)))
_DOOR = "workbench"
# Session key for the place of the link to Review, and the number that it shows.
_COUNT = "review_count"
# The path of the guide's chapter about each page.
CHAPTERS = {
    "search": "search",
    "notes": "notes/reading",
    "map": "measure/a-map-of-the-notes",
    "review": "notes/what-waits-for-your-decision",
    "bases": "bases",
    "chunks": "chunks",
    "evaluation": "measure/questions",
    "settings": "settings",
}


def start() -> st.Page:
    """Draw the elements shared by all pages, and return the page to run.

    If the workspace can't be opened, draw the reason and stop.
    """
    try:
        workspace, holder = _opened()
    except TesseraError as error:
        _frame(None)
        page_title("This workspace can't be opened")
        problem(error)
        if isinstance(error, NewerSchema):
            small_print("Your notes are untouched. Update Tessera, or set TESSERA_WORKSPACE to another folder.")
        st.button(t("Try again"), key="open_again")
        report(bug_report)
        st.stop()
    page = _frame(workspace)
    if holder is not None:
        st.warning(f"**{text_of(READONLY)}** {plain(holder)}", icon=":material/lock:")
        if button("Open for writing", "reopen"):
            reopen()
    return page


def open_workspace() -> Workspace:
    """Return this server's workspace, opening it if necessary."""
    return _opened()[0]


def reopen() -> None:
    """Reopen the workspace and redraw the page. A backup that is waiting to be restored is restored first."""
    _opened.clear()
    rerun()


@contextmanager
def unreadable() -> Iterator[None]:
    """After the `with` block, show warnings in the sidebar about database rows that couldn't be read."""
    try:
        yield
    finally:
        for sentence in open_workspace().unreadable:
            st.sidebar.warning(plain(sentence), icon=":material/warning:")


@st.cache_resource(show_spinner=False, on_release=lambda opened: opened[0].close())
def _opened() -> tuple[Workspace, StoreError | None]:
    """Open this server's workspace.

    Return the workspace, and the reason why it is read-only, or None if it is writable.
    """
    holder = None
    try:
        workspace = Workspace(patience=PATIENCE)
    except (WorkspaceLocked, NotWritable, DiskFull) as error:
        workspace = Workspace(readonly=True)
        holder = error
    # Streamlit handles errors in pages. With rich, it would print them instead of logging them.
    st.set_option("logger.enableRich", False)
    workspace.log.listen("streamlit.error_util", "uvicorn.error", "asyncio")
    workspace.models.start_warming(after=WARM_AFTER)
    if not workspace.readonly:
        with suppress(OSError):  # commands are then refused while the app is open, but nothing else changes
            workspace.access.open(server.address())
    try:
        workspace.start_watching()
        workspace.start_backups()
    except StoreError:
        workspace.close()
        raise
    server.current.opened = workspace
    return workspace, holder


def _frame(workspace: Workspace | None) -> st.Page:
    language_and_look.settle_language(workspace)
    pages = {
        name: st.Page(path, title=f"{text_of(title)} · Tessera", url_path=name, default=name == "home")
        for name, (path, _, title) in PAGES.items()
    }
    page = st.navigation(list(pages.values()), position="hidden")
    # Set the tab's icon here. A page's own icon would be fetched from Google.
    st.set_page_config(page_icon=PROGRAM / "data" / "icon" / "tessera.png", layout="wide")
    before = session_state.get("page")
    here = session_state["page"] = page.url_path or "home"
    arrived = before != here
    if arrived:
        jobs.leave_page()
    language_and_look.settle_look(workspace)
    words = json.dumps(t("Choose files"), ensure_ascii=False)
    draw_html(f"{style.STYLE}<style>:root {{ --t-choose-files: {words}; }}</style>")
    with st.sidebar:
        draw_html(style.LOGO)
        _menu(workspace, pages, arrived=arrived)
        st.space("small")
        draw_html(
            f'<div class="t-state t-away"><span class="t-dot absent"></span>{t_html("No connection to Tessera")}</div>'
        )
        if workspace:
            jobs.announce()
            _has_models()  # `follow` then sees that they are being loaded
            jobs.follow(_state, idle=IDLE if workspace.watching.is_on else None)
            _care()
        language_and_look.hand_over(workspace)
        shortcuts.draw_button()
        wants = shortcuts.listen(searches=here == "search", language=session_state["language"])
    if chapter := CHAPTERS.get(here):
        with container(key="page_help"):
            st.page_link(
                pages["help"], label=t("Help on this page"), icon=":material/help:", query_params={"note": chapter}
            )
    if workspace:
        with suppress(TesseraError):  # the page says what is wrong with the database
            if before is None:  # the menu counts what is found by comparing notes
                workspace.start_comparing()
            welcome.draw_tour(here)
    path = urlsplit(st.context.url or "").path.strip("/")
    if path and path not in PAGES:
        warn(t("There is no page at this address."), "help")
    if wants == "search":
        switch_page(pages["search"])
    if wants == "today" and workspace:
        open_today()
    if wants == "new" and workspace and not workspace.readonly:
        open_new()
    if workspace:
        dialog(wanted=wants == "switch")
    shortcuts.dialog(wanted=wants == "keys")
    return page


def _menu(workspace: Workspace | None, pages: Mapping[str, st.Page], *, arrived: bool) -> None:
    """Draw the links to the pages. The workbench stays expanded or collapsed, as the user left it.

    Going to one of its pages expands it.
    """

    def links(names: Iterable[str]) -> None:
        for name in names:
            _, icon, title = PAGES[name]
            if name == "review" and workspace:
                _draw_review_link(st.empty(), session_state.get(_COUNT, (None, 0))[1])
            else:
                st.page_link(pages[name], label=text_of(title), icon=icon, width="stretch")

    def store(is_open: object) -> None:
        if workspace:
            workspace.preferences.set(_DOOR, "open" if is_open else "")

    if arrived and session_state["page"] in WORKBENCH:
        store(True)
    links(EVERY_DAY)
    is_open = workspace is not None and workspace.preferences.get(_DOOR) == "open"
    with st.expander(t("Workbench"), icon=":material/construction:", **bound(_DOOR, is_open, store)):
        links(WORKBENCH)
    draw_html('<hr class="t-rule">')
    links(FOOT)


def _draw_review_link(slot: DeltaGenerator, waiting: int) -> None:
    path, icon, title = PAGES["review"]
    count = f" · {waiting:,}" if waiting else ""
    slot.page_link(path, label=f"{text_of(title)}{count}", icon=icon, width="stretch")
    session_state[_COUNT] = slot, waiting


def draw_count() -> None:
    """Count the items to review, and draw the link to Review again if their number has changed."""
    slot, drawn = session_state[_COUNT]
    with suppress(TesseraError):  # the page says what is wrong with the database
        if (waiting := workspace.review.counts().total()) != drawn:
            _draw_review_link(slot, waiting)


def _has_models() -> bool:
    """Return whether the models of all bases are loaded. If they aren't, this starts loading them."""
    with suppress(TesseraError):  # the page says what is wrong with the database
        return workspace.models.loaded
    return False


def _state() -> None:
    job = workspace.jobs.find("warm")
    state = "failed" if job and job.state == "failed" else "ready" if _has_models() else "loading"
    if state == "ready":
        # A note that was just saved is indexed within seconds, which isn't worth a word.
        lasts = (embed := workspace.jobs.find("embed")) is not None and embed.left is not None
        state = next(filter(workspace.jobs.running, ("import", "embed") if lasts else ("import",)), state)
    more = f'<div class="t-dim">{html(MEANWHILE[state])}</div>' if state in MEANWHILE else ""
    draw_html(f'<div class="t-state"><span class="t-dot {state}"></span><div>{html(MODEL[state])}{more}</div></div>')
    if state == "failed" and job is not None:
        paragraph(job.error, "t-list t-dim")
        button("Try again", "warm_again", "", workspace.models.start_warming)
    workspace.start_healing()
    for name, kind in JOB_KINDS.items():
        if kind.place and (running := workspace.jobs.find(name)) and running.state == "running":
            st.progress(running.share, text=f"{text_of(kind.doing)} {running.share:.0%}")
            if kind.place == "index":
                caption(t("You can keep searching by keyword and, more slowly, by meaning."))
    with suppress(TesseraError):  # the page says what is wrong with the database
        # While work is in progress, the progress is drawn above instead.
        if workspace.bases.all() and (now := workspace.freshness_of()).state != "working":
            draw_html(freshness_html(now))
            # Not a link, because a second link to the current page would be highlighted along with its menu entry.
            if now.state in ("notice", "attention") and small("See details", "see_state", "arrow_forward"):
                switch_page("bases.py")


def freshness_html(now: Freshness, remark: str = "") -> str:
    """Return HTML that shows how up to date the notes are, with a coloured dot, a title, a remark, and messages."""
    dot, title = FRESHNESS[now.state]
    first, *others = filter(None, [title, *now.messages])
    beside = f' <span class="t-dim">· {html(remark)}</span>' if remark else ""
    more = elements(others, "div", "t-dim")
    return f'<div class="t-state"><span class="t-dot {dot}"></span><div>{html(first)}{beside}{more}</div></div>'


def _care() -> None:
    """Draw a warning if the disk is nearly full, and another if the daily backup failed."""
    if free := workspace.little_space:
        warn(
            t(
                "The disk is nearly full, with only {size} left. The Settings page shows what takes up space.",
                size=megabytes(free),
            ),
            "hard_drive",
        )
    if workspace.backups.problem:
        warn(t("The daily backup failed. See Settings for the reason."), "backup")


def report(made: Callback) -> None:
    """Draw an expander with a bug report to copy. `made` generates the report when the user opens the expander."""

    def draw() -> None:
        small_print(
            "The details contain versions, sizes, settings and the last errors, but none of your text, names, "
            "paths, addresses or keys."
        )
        code(str(made()))

    on_demand("Copy details for a bug report", "bug_report", "bug_report", draw)


# Pinned and recently opened notes, which are listed first in the switcher and on the Home page.

# Maximum number of pinned notes, and of recently opened notes, to remember.
MOST_KEPT = 20
_PINNED = "pinned_notes"
_OPENED = "opened_notes"


def pinned_notes() -> list[str]:
    """Return the ids of the pinned notes, most recently pinned first."""
    return workspace.preferences.get(_PINNED).split()


def toggle_pin(note_id: str) -> None:
    """Pin a note, or unpin it if it is already pinned."""
    pinned = pinned_notes()
    if note_id in pinned:
        pinned.remove(note_id)
    else:
        pinned.insert(0, note_id)
    workspace.preferences.set(_PINNED, " ".join(pinned[:MOST_KEPT]))


def remember_opened(note_id: str) -> None:
    """Put a note first among the recently opened notes."""
    before = workspace.preferences.get(_OPENED).split()
    if before[:1] != [note_id]:
        workspace.preferences.set(_OPENED, " ".join([*dict.fromkeys([note_id, *before])][:MOST_KEPT]))


def likely_notes(limit: int, *, opened: bool) -> list[NoteSummary]:
    """Return the notes that the user is most likely to open next.

    Pinned notes come first, followed by recently opened notes (if `opened`) and recently changed notes.
    """
    ids = pinned_notes() + (workspace.preferences.get(_OPENED).split() if opened else [])
    cards = workspace.notes.cards_of(ids)
    every = [*(cards[note_id] for note_id in ids if note_id in cards), *workspace.notes.switch("", limit)]
    return [*{card.id: card for card in every}.values()][:limit]
