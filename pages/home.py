"""The Home page, with a search box, unsaved drafts, today's digest, problems, tasks, recent notes, and the bases."""

from collections.abc import Collection, Sequence
from datetime import date

import streamlit as st
from streamlit import container
from streamlit import html as draw_html

from core.base.messages import message
from core.model import AUTHORS, DIGEST, MATTERS, NOTICES, NoteChange, QuotedLine, Status, day_of
from pages.ui.notes import agenda, today
from pages.ui.notes.history import draw_undo
from pages.ui.settings import upkeep
from pages.ui.shared import jobs, language_and_look, shell, welcome
from pages.ui.shared.jobs import job_panel, redraw_after
from pages.ui.shared.names import base_name, browser_zone, draft_label, last_update, near_day, note_counts
from pages.ui.shared.reports import draw_unread
from pages.ui.shared.safe import elements, html
from pages.ui.shared.server import workspace
from pages.ui.shared.text import join_facts, join_list, section_title, t, t_plural, text_of, with_note
from pages.ui.shared.widgets import (
    base_link,
    caption,
    close,
    form,
    halves,
    in_columns,
    more,
    page_link,
    paragraph,
    row,
    small,
    submit,
    text_box,
    titled_link,
)

COLUMNS = 2
# Maximum number of changed notes to name in the digest.
NAMED = 3
# Number of recent notes to list.
RECENT = 6
# Number of characters to show of a recent note, at most.
FIRST_CHARACTERS = 200
# An explanation of what Tessera is for, in three sentences.
PURPOSE = (
    message(
        "Ask your notes a question in your own words. Tessera shows you the passage with the answer, and where "
        "it comes from."
    ),
    message("Tessera reads folders of Markdown, Word and PDF files, web pages and more, in English and Chinese."),
    message("Everything stays on this machine, and you need no account and no network."),
)


def introduce() -> None:
    """Show an introduction for users without notes, with import buttons, and the selectors for language and theme."""
    st.title("Tessera", anchor=False)
    words, picture = st.columns([1, 1], gap="large", vertical_alignment="center")
    with words:
        draw_html(elements(PURPOSE, "p", "t-lead"))
        welcome.beginnings()
    picture.html(welcome.example())
    st.space("small")
    with row("first_choices"):
        language_and_look.choose_language("language_switch")
        language_and_look.choose_look("look_switch")


def quick_search() -> None:
    """Draw the search box. Submitting a question opens the Search page."""
    with form("quick"), row(vertical_alignment="bottom"):
        text = text_box("What are you looking for?", "quick_q")
        submitted = submit("Search", "quick_go", "search", type="primary")
    if submitted and text.strip():
        st.switch_page("search.py", query_params={"q": text})


def attention(status: Status) -> None:
    """Show any problems that need the user's attention."""
    unread = [base.base for base in status.bases if workspace.folders.unread(base.base)]
    unfinished = workspace.pending.any() and not workspace.jobs.running("import", "embed")
    if not (unread or status.index_problem or unfinished):
        return
    section_title("Needs attention")
    if unfinished:
        st.info(text_of(NOTICES["unfinished"]))
        if not jobs.resumes("embed"):
            jobs.resume()
    if status.index_problem:
        upkeep.problem(status)
        upkeep.rebuild()
    for base in unread:
        draw_unread(base)


def drafts() -> None:
    """Draw links to the first RECENT unsaved drafts. Drafts of new and deleted notes are offered on the Notes page."""
    every = workspace.drafts.all()
    shown = every[:RECENT]
    there = workspace.notes.cards_of(draft.note_id for draft in shown)
    for draft in shown:
        titled_link("notes.py", draft_label(draft), "edit_note", note=draft.note_id if draft.note_id in there else "")
    more(len(every) - RECENT)


def digest() -> Collection[QuotedLine]:
    """Show today's digest, and return the lines of notes that it quotes.

    If there is no news or the user has hidden the digest, show nothing and return an empty collection.
    """
    now = today.now()
    news = workspace.review.digest(now)
    workspace.start_comparing()
    if workspace.jobs.running("compare"):
        redraw_after("compare")
    if news is None:
        return ()
    with row("digest_head"):
        section_title("Coming up")
        close("digest_away", "Hide until tomorrow", workspace.review.days.put_away, news.day, writes=True)
    with container(gap="xxsmall", key="digest"):
        for line in news.coming:
            agenda.draw(line, now.date())
        for kinds in DIGEST:
            if waiting := [kind for kind in kinds if news.waiting.get(kind)]:
                label = " · ".join(f"{text_of(MATTERS[kind].title)} {news.waiting[kind]:,}" for kind in waiting)
                titled_link("review.py", label, MATTERS[waiting[0]].icon, kind=waiting[0])
        if news.changed:
            _draw_changed(news.changed)
    return news.coming


def _draw_changed(changed: Sequence[NoteChange]) -> None:
    """Draw the digest's line about changed notes, with their number, the first titles, and who changed them."""
    names = [change.note.title for change in changed[:NAMED]] + ["…"] * (len(changed) > NAMED)
    about = t_plural("{n} note changed: {names}", "{n} notes changed: {names}", n=len(changed), names=names)
    label = with_note(about, join_list(dict.fromkeys(text_of(AUTHORS[change.author]) for change in changed)))
    if len(changed) == 1:
        titled_link("notes.py", label, "edit_note", note=changed[0].note.id)
        return
    first = min((day_of(change.note.updated_at) for change in changed if change.note.updated_at), default="")
    titled_link("search.py", label, "edit_note", q=f"updated:{first}..")


def recent() -> None:
    """Draw links to pinned and recently changed notes, each with the day of its last change and its first words.

    If there are several bases, each note's base is also shown.
    """
    kept = shell.pinned_notes()
    cards = shell.likely_notes(len(kept) + RECENT, opened=False)
    if not cards:
        return
    section_title("Recent notes")
    texts = workspace.texts.beginnings([card.id for card in cards], FIRST_CHARACTERS)
    with container(gap="xxsmall", key="recent_notes"):
        for card in cards:
            with row(f"recent_{card.id}"):
                titled_link("notes.py", card.title, "keep" if card.id in kept else "", note=card.id, width="stretch")
                changed = card.updated_at and date.fromisoformat(day_of(card.updated_at, browser_zone()))
                day = near_day(changed, today.now().date()) if changed else ""
                caption(join_facts((day, base_name(card.base))), width="content")
            if text := texts.get(card.id):
                paragraph(text, "t-first-words")


def bases(status: Status) -> None:
    """Draw a card for each base, and buttons for adding notes. If there is only one base, its name isn't shown."""
    is_only = len(status.bases) == 1
    st.subheader(t("My notes") if is_only else t("Knowledge bases"), anchor=False)
    for column, item in in_columns(status.bases, COLUMNS):
        base = item.base
        with column.container(border=True, key=f"base_{base.id}"):
            about = [*note_counts(workspace.notes.counts(base.name)), last_update(base)]
            folders = [folder for folder, _ in item.folders[:3] if folder != "upload"]
            lines = elements([join_facts(about), *folders], "div", "t-facts")
            draw_html(lines if is_only else f'<div class="t-name">{html(base.name)}</div>{lines}')
            base_link(base.name)
    with row("more_notes"):
        if not is_only:
            page_link("bases.py", "New base", "database", new="yes")
        page_link("notes.py", "Import more notes", "add", **{"import": "open"})
        if not workspace.readonly and small("Today's note", "home_today", "today"):
            shell.open_today()
        if not welcome.has_sample():
            welcome.samples(type="tertiary")


status = workspace.status()

if not status.bases:
    introduce()
    job_panel()
else:
    st.title("Tessera", anchor=False)
    quick_search()
    today.jot()
    draw_undo()
    welcome.links()
    welcome.offer_tour()
    job_panel()
    drafts()
    quoted = digest()
    attention(status)
    left, right = halves("home")
    with left:
        agenda.tasks(quoted, today.now())
        recent()
    with right:
        bases(status)
