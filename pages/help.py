"""The Help page, with the installed guide and a search box."""

from collections.abc import Iterable

import streamlit as st
from streamlit import container, query_params

from pages.ui import guide
from pages.ui.guide import Chapter, Chapters, GuideSources
from pages.ui.shared import welcome
from pages.ui.shared.document import SourceSpan, document, show_document
from pages.ui.shared.document.drawing import to_note
from pages.ui.shared.jobs import job_panel, redraw_after
from pages.ui.shared.safe import html, marked, plain
from pages.ui.shared.server import workspace
from pages.ui.shared.text import page_title, session_language, small_print
from pages.ui.shared.widgets import row, small, text_box

# Query parameter for the open chapter's path. Links to notes use the same parameter.
ADDRESS = "note"
# Maximum length of a search query, in characters.
MOST = 200


language = session_language()


def choose(path: str) -> None:
    """Open a chapter on the next rerun. If the path is empty, close the open chapter."""
    query_params.from_dict({ADDRESS: path} if path else {})


def show(body: str, key: str) -> None:
    """Show HTML. Clicking a link to a chapter opens the chapter."""
    show_document(body, key, arrival=query_params.get(ADDRESS, ""), on_click=lambda link: choose(link.note_id))


def link(chapter: Chapter, current: str = "") -> str:
    opening = to_note(SourceSpan(chapter.path, chapter.title))
    title = html(chapter.title)
    return f"{opening}{f'<strong>{title}</strong>' if chapter.path == current else title}</a>"


def listed(items: Iterable[Chapter], current: str = "") -> str:
    rows = "".join(f"<li>{link(item, current)}</li>" for item in items)
    return f"<ul>{rows}</ul>" if rows else ""


def contents(every: Chapters, current: str) -> str:
    """Return the table of contents as HTML. `current` is the open chapter's path.

    If a chapter is open, only the sections in its part are listed.
    """
    opened = current.partition("/")[0]
    parts = []
    for part, sections in guide.PARTS.items():
        shown = [every[f"{part}/{section}"] for section in sections if opened in ("", part)]
        parts.append(f"<section>{link(every[part], current)}{listed(shown, current)}</section>")
    return f'<div class="contents{" narrow" if current else ""}">{"".join(parts)}</div>'


def draw_matches(words: str) -> None:
    """Show the chapters that match a search, each with an excerpt. If a model is still loading, search again later."""
    every = guide.chapters(language)
    rows = []
    for item in guide.find(language, words, workspace.models.similarities):
        part = "" if item.path == item.part else f"{html(every[item.part].title)} › "
        rows.append(f"<p>{part}{link(item)}<br>{marked(*guide.excerpt(item, words))}</p>")
    if rows:
        show("".join(rows), "guide_contents")
    else:
        small_print("No chapter contains these words.")
    if workspace.jobs.running("warm_reranker"):
        redraw_after("warm_reranker")


def draw_contents(current: str = "") -> None:
    """Draw the search box, and below it the table of contents, or the chapters that match a search.

    `current` is the open chapter's path.
    """
    words = text_box("Find in the guide", "guide_words", icon=":material/search:", live="200ms").strip()[:MOST]
    if words:
        draw_matches(words)
    else:
        show(contents(guide.chapters(language), current), "guide_contents")


def beginning() -> None:
    """Show the page without a chapter: the table of contents, or the chapters that match a search."""
    with row("help_head", vertical_alignment="bottom"):
        page_title("Help")
        if welcome.has_sample():
            welcome.tour_button()
        else:
            welcome.samples()
    job_panel()
    draw_contents()


def reading(chapter: Chapter) -> None:
    """Show a chapter, with links to the previous and next chapters below it.

    On its left is the search box with the table of contents, or with the chapters that match a search.
    """
    every = guide.chapters(language)
    left, right = st.columns([3, 8], gap="large")
    with left, container(key="guide_side"):
        draw_contents(chapter.path)
    with right, container(key="guide_chapter"):
        part = "" if chapter.path == chapter.part else f" › {plain(every[chapter.part].title)}"
        with row("guide_way", gap="xxsmall"):
            small("Help", "guide_all", "arrow_back", choose, "")
            st.caption(part, width="content")
        st.title(plain(chapter.title), anchor=False)
        drawn = document(chapter.text, GuideSources(language, chapter.path))
        sections = listed(every[f"{chapter.path}/{name}"] for name in guide.PARTS.get(chapter.path, ()))
        order = list(every.values())
        at = order.index(chapter)
        around = [f"<div>← {link(order[at - 1])}</div>" if at else "<div></div>"]
        if at + 1 < len(order):
            around.append(f"<div>{link(order[at + 1])} →</div>")
        show(
            f'<article>{drawn.html}{sections}</article><section class="links ways">{"".join(around)}</section>',
            "guide_text",
        )


chapter = guide.chapters(language).get(query_params.get(ADDRESS, ""))
if chapter:
    reading(chapter)
else:
    beginning()
