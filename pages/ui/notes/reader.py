"""The note reader, which shows a note's title, fields, text, outline, links, related notes and usage."""

import itertools
import re
from collections.abc import Iterable, Sequence
from functools import partial

import streamlit as st
from streamlit import container, query_params, session_state
from streamlit import html as draw_html

from core.base.messages import message, message_table, verbatim
from core.base.text import LINE_END
from core.model import (
    HELPFUL,
    NOTE_FIELDS,
    RELATIONS,
    SOON,
    USED_IN,
    Chunk,
    Note,
    Related,
    Use,
    classification,
    day_of,
    property_text,
)
from pages.ui.chunks.bands import placed_edits
from pages.ui.notes import actions, files, listing, neighbours, opened
from pages.ui.notes.files import NoteSources
from pages.ui.notes.history import offer_undo
from pages.ui.notes.opened import Passage
from pages.ui.notes.places import base_of
from pages.ui.shared import widgets
from pages.ui.shared.cards import tags
from pages.ui.shared.document import Clicked, RenderedNote, SourceSpan, document, show_document
from pages.ui.shared.document.drawing import anchor, tag, to_note
from pages.ui.shared.jobs import is_shut
from pages.ui.shared.names import field_value
from pages.ui.shared.rendered import render_text
from pages.ui.shared.safe import drawable_part, facts, html, is_deeply_nested, plain, t_html
from pages.ui.shared.server import workspace
from pages.ui.shared.text import join_facts, join_list, small_print, small_title, t, t_plural, text_of, with_label
from pages.ui.shared.widgets import (
    Callback,
    button,
    caption,
    chunk_link,
    close,
    code,
    expander,
    guarded,
    on_demand,
    page_link,
    paragraph,
    row,
    small,
    warn,
)

# How an open note was found and used, and whether it helped.

# Maximum number of recorded uses of a note to list.
USES = 20
# Phrases for the numbers of verdicts, keyed by the field of UseFigures.
_VERDICTS = message_table({"helpful": "{n} helpful", "not_helpful": "{n} not helpful", "misleading": "{n} misleading"})


def draw_uses(note: Note) -> None:
    """Show how often a note was found and used, and its latest uses. If it was never found or used, show nothing."""
    figures = workspace.uses.figures(note.id)
    uses = [use for use in workspace.uses.of(note.id) if use.used_in != "found"]
    if not (figures.found or uses):
        return
    with expander("How it was used"):
        draw_html(
            facts(
                [
                    t_plural("found {n} time", "found {n} times", n=figures.found),
                    t_plural("used {n} time", "used {n} times", n=figures.used),
                    t("most recently on {day}", day=day_of(figures.last)) if figures.last else "",
                    *(text_of(text, n=n) for name, text in _VERDICTS.items() if (n := getattr(figures, name))),
                ]
            )
        )
        if uses:
            draw_html(f'<div class="t-list">{"".join(map(_line, uses[:USES]))}</div>')
        widgets.more(len(uses) - USES)
        small(
            "Delete",
            "forget_uses",
            "delete",
            workspace.uses.forget,
            [note.id],
            help="Deletes these figures and verdicts. The note itself isn't changed.",
            writes=True,
        )


def _line(use: Use) -> str:
    parts = [
        day_of(use.used_at),
        text_of(USED_IN.get(use.used_in, use.used_in)),
        f"“{use.context}”" if use.context else "",
        f"×{use.times}" if use.times > 1 else "",
        text_of(HELPFUL[use.helpful]) if use.helpful in HELPFUL else "",
    ]
    return f"<div>{html(' · '.join(filter(None, parts)))}</div>"


# Notes related to the open note, its possible duplicates, and suggestions that can be accepted with a click.


def _draw_related(note: Note) -> None:
    related = workspace.related.of(note.id)
    suggested = related.tags or related.places or related.links or related.hints
    left, right = st.columns([3, 2], gap="medium") if suggested else (container(), None)
    with left, container(gap=None):
        for title, notes, key in (
            (t("Related notes"), related.notes, "related"),
            (t("Possible duplicates"), related.copies, "copy"),
        ):
            if notes:
                st.caption(f"**{title}**")
            for item in notes:
                opened.button(item.note, f"{key}_{item.note.id}")
                base = "" if item.note.base_id == note.base_id else item.note.base
                caption(join_facts([base, *map(text_of, item.reasons)]))
        if not (related.notes or related.copies):
            small_print("No similar notes were found.")
    if right:
        with right, container(gap="xsmall"):
            _draw_suggestions(note, related)


def _draw_suggestions(note: Note, related: Related) -> None:
    """Show suggested tags, locations and links, and hints, each with its reason.

    Clicking a suggestion accepts it, which can be undone.
    """

    why = (
        ""
        if related.writable
        else t("This note comes from a file that can't be changed here. Add the links to the file itself.")
    )

    def accepts(label: str, key: str, icon: str, reason: object, why: str = "") -> bool:
        pressed = button(verbatim(plain(label)), f"accept_{key}", icon, disabled=is_shut() or why)
        caption(reason)
        return pressed

    def finish(text: str, take_back: Callback) -> None:
        offer_undo(text, take_back)
        st.rerun()

    if related.tags:
        small_title("Suggested tags")
    for number, suggested in enumerate(related.tags):
        name = suggested.tag
        if accepts(f"#{name}", f"tag_{number}", "new_label", suggested.reason):
            workspace.notes.tag([note.id], add=[name])
            finish(t("The tag #{tag} was added.", tag=name), partial(workspace.notes.tag, [note.id], remove=[name]))
    if related.places:
        small_title("Suggested locations")
    for number, found in enumerate(related.places):
        place = found.folder or t("the top level")
        if found.base != base_of(note):
            place = with_label(found.base, place)
        if not found.movable:
            st.markdown(plain(place))
            caption(found.reason)
        elif accepts(t("Move to {place}", place=place), f"place_{number}", "drive_file_move", found.reason):
            (moved,) = workspace.renames.move(note.id, found.folder)
            finish(t("The note is now at '{path}'.", path=moved.path), partial(workspace.renames.undo, moved))
    if related.links:
        small_title("Suggested links")
        if why:
            st.caption(why)
    for offer in related.links:
        title = offer.note.title
        label = title if offer.text == title else f"{offer.text} → {title}"
        if accepts(label, f"link_{offer.note.id}", "add_link", offer.reason, why):
            version = workspace.versions.all(note.id)[0].number
            workspace.related.link(note.id, offer.note.id, expected_version=note.version)
            finish(
                t("The link to '{title}' was added.", title=title), partial(workspace.versions.revert, note.id, version)
            )
    if related.hints:
        small_title("How to improve this note")
    for number, hint in enumerate(related.hints):
        st.markdown(plain(hint.about))
        for quote in hint.quotes:
            draw_html(f'<div class="t-small t-dim">{render_text(quote)}</div>')
        caption(hint.remedy)
        if hint.other:
            opened.button(hint.other, f"hint_{number}_{hint.other.id}")


EDITED = message("This is the file's own text. Searches find the edited passages instead.")

# Maximum number of Markdown characters to render. A browser takes about a second for this many.
RENDERED = 100_000
RAW = 400_000
# Maximum number of links of each kind to list below a note.
LISTED = 200
# Maximum number of linking notes to show with the sentence that contains the link.
MENTIONS = 20
# Maximum number of missing files to list.
LISTED_FILES = 5
NUMBERED_LINES = 2_000
# Maximum number of lines, and of characters, to draw at once from a plain text note.
CHARACTERS = 100_000
# Number of lines to show above the target line in a plain text note.
BEFORE = 8


def note(note: Note, passage: Passage | None) -> None:
    """Show a note, scrolled to a passage if given. If a question led to the passage, record the use of the note."""
    chunk, question = passage or (None, "")
    edits = placed_edits(note)
    edited = [item.index for item in workspace.chunks.all(note.id) if item.id in edits] if edits else []
    if chunk and question:
        now = (note.id, chunk.id, question, opened.arrival())
        if session_state.get("use_recorded") != now:
            session_state["use_recorded"] = now
            places = [(note.id, chunk.id)]
            workspace.uses.note("search", places, question)
            workspace.clicks.note("open", question, places)
    with container(key="reader"):
        with container(key="reader_top", gap="xsmall"), row("reader_bar"):  # stays above the text when scrolling
            if question:
                page_link("search.py", "Back to the hits", "arrow_back", q=question)
            if query_params.get("came"):
                page_link("review.py", "Back to Review", "arrow_back")
            elif way := opened.trail():
                small("Back", "note_back", "arrow_back", opened.back, way)
            if listing.is_list():
                small("All notes", "all_notes", "description", opened.choose, "")
            else:
                opened.drawer()
            if chunk:
                files.original_link(note, chunk.page)
            paragraph(note.title, "t-title")
            actions.actions(note)
        # One block for all this, so that the text has the same place in the next note and the browser keeps its element.
        with container(key="reader_facts"):
            with row("reader_about"):
                dated = day_of(note.updated_at) if note.updated_at else ""
                size = t_plural("{n} character", "{n} characters", n=len(note.body))
                read_only = t("read-only file") if actions.fixed_base(note) else ""
                about = facts([note.path or "", size, dated, note.encoding.name if note.encoding else "", read_only])
                changed = f'<span class="t-tag t-edited" title="{html(EDITED)}">{t_html("edited")}</span>'
                draw_html(
                    f"{about}{changed if edited else ''}{tags(note.tags) if actions.is_raw() or note.plain else ''}"
                )
                actions.ways(note)
            _draw_remarks(note, chunk, edited)
        if actions.is_raw():
            _raw(note)
        else:
            _text(note, chunk)
        _fields(note)
        draw_uses(note)
        if workspace.has("related"):
            on_demand("Related notes and suggestions", "related", "hub", partial(_draw_related, note))


def _draw_remarks(note: Note, chunk: Chunk | None, edited: Sequence[int]) -> None:
    """Show remarks about a note above its text, for example that it is archived or that files are missing."""
    if note.status == "archived":
        caption(t("This note is archived, so searches leave it out."), "archive")
    if note.expires_within(SOON) and note.expires_at:
        day = day_of(note.expires_at)
        caption(
            t("This note expired on {day}, so searches leave it out.", day=day)
            if note.expired
            else t("Expires on {day}.", day=day),
            "event_busy",
        )
    files.provenance(note, chunk)
    # Don't report unreadable properties here if each of them has its own warning.
    omissions = (
        omission.explanation
        for omission in note.left_out
        if omission.kind != "field" or omission.count > len(note.warnings)
    )
    if remarks := [text_of(remark) for remark in (*omissions, *note.warnings)]:
        st.warning(
            "\n\n".join(plain(f"{remark[:1].upper()}{remark[1:]}") for remark in remarks), icon=":material/warning:"
        )
    if note.encoding and note.encoding.known == "unsure" and not is_shut():
        small("Change the encoding…", "read_as", "translate", actions.DIALOG.open, (note.id, "read_as"))
    if lost := workspace.attachments.missing(note):
        caption(
            t_plural(
                "{n} file of this note is missing: {names}",
                "{n} files of this note are missing: {names}",
                n=len(lost),
                names=[*lost[:LISTED_FILES], *(["…"] if len(lost) > LISTED_FILES else [])],
            ),
            "broken_image",
        )
    for problem in workspace.pictures.problems(note.id):
        warn(t("Picture {name}: {reason}", name=problem.path, reason=problem.error), "image")
    if edited:
        chunk_link(
            note.id,
            edited[0],
            t_plural("See {n} edited passage", "See {n} edited passages", n=len(edited)),
            help=text_of(EDITED),
        )


def second_note(note: Note) -> None:
    """Show the second note. It can't be edited, but buttons close it or swap it with the first note."""
    with container(key="second"):
        with row("second_bar"):
            paragraph(note.title, "t-title")
            small("Swap", "second_swap", "swap_horiz", opened.swap, note.id)
            close("second_close", "Close", opened.choose_second, "")
        _text(note, None, is_first=False)


def _fields(note: Note) -> None:
    values = classification(note) | {name: join_list(getattr(note, name)) for name in RELATIONS}
    shown = [(text_of(NOTE_FIELDS[name].title), field_value(name, value)) for name, value in values.items()]
    shown += [(t("Source"), note.source_url), (t("Created"), day_of(note.created_at) if note.created_at else "")]
    if lines := "".join(itertools.starmap(_field, [*shown, *note.extra.items()])):
        with expander("Fields"):
            draw_html(f'<div class="t-list">{lines}</div>')


def _field(name: object, value: object) -> str:
    """Return a field as HTML, or "" if it has no value. The items of a mapping become nested lines."""
    if isinstance(value, dict):
        parts = "".join(itertools.starmap(_field, value.items()))
        text = parts and f"<div class='t-nested'>{parts}</div>"
    else:
        text = html(property_text(value))
    return f"<div>{with_label(f'<b>{html(str(name))}</b>', text)}</div>" if text else ""


def _text(note: Note, chunk: Chunk | None, *, is_first: bool = True) -> None:
    """Show a note's rendered text. If the text is long, show only the part around the chunk.

    If `is_first` is False, the note is the second one, and its links open in its place.
    """
    key = "reader" if is_first else "second"
    if note.plain:
        at = chunk.line if chunk else 0
        first = max(1, at - BEFORE)
        lines = re.split(LINE_END, note.body)[first - 1 :]
        shown = "\n".join(lines[:NUMBERED_LINES])[:CHARACTERS]
        rows = (
            f"<div{' class=on' if number == at else ''}><i>{number:,}</i><span>{html(line)}</span></div>"
            for number, line in enumerate(shown.split("\n"), start=first)
        )
        is_whole = first == 1 and shown == "\n".join(lines)  # lengths can differ in line ends
        _warn_if_long(note, len(note.body) if is_whole else len(shown), chunk)
        with container(key=f"{key}_body"):
            draw_html(f'<div class="t-numbered">{"".join(rows)}</div>')
        return
    body = note.body
    start, end = (chunk.start, chunk.end) if chunk else (0, 0)
    first = 0 if end <= RENDERED else body.rfind("\n", 0, start - RENDERED // 4) + 1
    last = first + max(RENDERED, end - first)
    before = drawable_part(body[first:start], last=True)
    shown = before + body[start:end] + drawable_part(body[end:last])
    _warn_if_long(note, len(shown), chunk)
    if not shown.strip():
        small_print("This note has no text.")
        return
    with container(key=f"{key}_body"):
        if is_deeply_nested(shown):
            small_print("This text is nested too deeply to format, so it is shown as plain text.")
            code(shown)
            return
        sources = NoteSources(note, can_click=True, first_line=len(re.findall(LINE_END, body[: start - len(before)])))
        drawn = document(shown, sources, (len(before), len(before) + end - start) if chunk else None)
        place = "passage" if chunk else anchor(drawn.headings, opened.place()) if is_first else ""
        arrival = f"{note.id} {chunk.index if chunk else ''} {opened.arrival() if is_first else ''}"

        def clicked(link: Clicked) -> None:
            if link.note_id:
                (opened.choose if is_first else opened.choose_second)(link.note_id, link.place)
            elif link.tag:
                listing.narrow("", [link.tag])
            elif link.line >= 0:
                guarded(workspace.notes.tick)(note.id, link.line, expected_version=note.version, embed=False)
            else:
                opened.ask_to_begin(base_of(note), link.make)

        show_document(_page(note, drawn, sources), f"{key}_document", place=place, arrival=arrival, on_click=clicked)


def _page(note: Note, drawn: RenderedNote, sources: NoteSources) -> str:
    """Return a rendered note with its tags, outline and links as HTML."""
    tagged = "".join(tag(name, can_click=True) for name in note.tags)
    tagged = f'<p class="tags">{tagged}</p>' if tagged else ""
    outline = "".join(
        f'<a class="deep-{heading.level}" href="#" data-place="{heading.id}">{html(heading.text)}</a>'
        for heading in drawn.headings
    )
    outline = (
        f"<nav><details><summary>{t_html('Outline')}</summary>{outline}</details></nav>"
        if len(drawn.headings) > 1
        else ""
    )
    to, missing, back = sources.links()
    lost = [
        f'<a class="missing" href="#" data-make="{html(at)}">{html(item)}</a>'
        for item in dict.fromkeys(missing)
        if (at := sources.missing(item, relative=False))
    ]
    near = sources.near(neighbours.NEAR)
    around = (*back[: neighbours.MOST], *to[: neighbours.MOST], *near)
    graph = neighbours.draw(back, to, near, workspace.notes.links().among(place.id for place in around))
    sentences = sources.mentions(back[:MENTIONS])
    mentioned = (
        f"{link}<p>{html(sentences[place.id])}</p>" if sentences[place.id] else link
        for link, place in zip(_notes(back), back[:MENTIONS], strict=False)
    )
    links = _links(t("Links in this note"), [*_notes(to), *lost])
    links += _links(t("Links to this note"), [*mentioned, *_notes(back[MENTIONS:])])
    below = f'<section class="links">{graph}{links}</section>' if graph or links else ""
    # The bar above already shows the title.
    titled = ' class="titled"' if [heading.text for heading in drawn.headings[:1]] == [note.title] else ""
    return f'{tagged}<div class="beside">{outline}<article{titled}>{drawn.html}</article></div>{below}'


def _notes(places: Sequence[SourceSpan]) -> Iterable[str]:
    return (f"{to_note(place)}{html(place.title)}</a>" for place in places)


def _links(title: str, links: Sequence[str]) -> str:
    if not links:
        return ""
    more = [t_html("and {n} more", n=len(links) - LISTED)] if len(links) > LISTED else []
    return f"<div><b>{html(title)} · {len(links):,}</b>{''.join([*links[:LISTED], *more])}</div>"


def _raw(note: Note) -> None:
    shown = note.body[:RAW]
    _warn_if_long(note, len(shown))
    if shown.strip():
        container(key="raw_text").code(shown, language=None, wrap_lines=True)
    else:
        small_print("This note has no text.")


def _warn_if_long(note: Note, shown: int, chunk: Chunk | None = None) -> None:
    """If a note is shown only in part, say which part. If it is the beginning, offer the whole text for download."""
    if shown >= len(note.body):
        return
    if chunk:
        small_print("This note is long, so only the part around the passage is shown.")
        return
    st.info(
        t("This note is long, so only the first {shown} of {n} characters are shown.", shown=shown, n=len(note.body))
    )
    st.download_button(
        t("Download the whole text"),
        note.body.encode("utf-8", "replace"),
        "note.txt" if note.plain else "note.md",
        "text/plain",
        key=f"whole_{note.id}",
    )
