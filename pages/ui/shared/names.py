"""Display text for sizes, durations, times, bases, names used in the code, and reasons why notes are locked."""

from datetime import UTC, date, datetime, tzinfo
from zoneinfo import ZoneInfo

import streamlit as st

from core.base.messages import Message, message, message_table
from core.base.text import shorten
from core.model import MODES, KnowledgeBase, NoteCounts, NoteDraft, SearchResult, on_clock
from pages.ui.shared.server import workspace
from pages.ui.shared.text import t, t_plural, text_of

# Sizes, durations and times, formatted for the user.


def megabytes(count: int) -> str:
    """Format a number of bytes in MB, or in GB if it is at least 1 GB."""
    return f"{count / 1e9:,.2f} GB" if count >= 1e9 else f"{count / 1e6:,.1f} MB"


def duration(seconds: float) -> str:
    """Format a duration in whole seconds, or in whole minutes from 90 seconds."""
    if seconds < 90:
        return t_plural("{n} second", "{n} seconds", n=max(1, round(seconds)))
    return t_plural("{n} minute", "{n} minutes", n=round(seconds / 60))


# Phrases for the numbers of notes in a state, keyed by the field of NoteCounts.
_COUNTS = message_table(
    {
        "to_review": "{n} waiting for approval",
        "archived": "{n} archived",
        "expired": "{n} expired",
        "by_words": "{n} not yet found by meaning",
    }
)


def note_counts(counts: NoteCounts) -> list[str]:
    """Return phrases with the number of notes, and how many of them are to review, archived, expired or not indexed."""
    others = (text_of(text, n=n) for name, text in _COUNTS.items() if (n := getattr(counts, name)))
    return [t_plural("{n} note", "{n} notes", n=counts.notes), *others]


def search_mode(result: SearchResult) -> str:
    """Return the display name of the mode that a search used, which is keyword search if no model was loaded."""
    return text_of(MODES["keyword" if result.without_model and result.mode != "listed" else result.mode])


# The reason why nothing can be changed in a read-only workspace.
READONLY = message("Tessera is open in read-only mode, so you can search and read, but not change anything.")
# The reason why notes can't be changed during an import.
IMPORTING = message("An import is running. Wait for it to finish, or cancel it first.")


def why_locked() -> Message | None:
    """Return why notes can't be changed now, in a read-only workspace or during an import, or None if they can."""
    if workspace.readonly:
        return READONLY
    return IMPORTING if workspace.jobs.running("import") else None


def base_names(*, plain: bool = True) -> list[str]:
    """Return the names of all bases. If `plain` is False, leave out bases for text files."""
    return [base.name for base in workspace.bases.all() if plain or not base.plain]


def base_name(base: str) -> str:
    """Return the given base's name, or "" if there is only one base and the name needn't be shown."""
    return base if len(workspace.bases.all()) > 1 else ""


def last_update(base: KnowledgeBase) -> str:
    """Return a phrase saying when a base was last synced, or "" if it never was."""
    return t("Last updated {at}", at=local(base.synced_at)) if base.synced_at else ""


def draft_label(draft: NoteDraft) -> str:
    """Return a label for an unsaved draft, with its title or first words and the time at which it was stored."""
    title = draft.title or shorten(draft.body.strip().partition("\n")[0], 60) or t("Untitled")
    return t("Unsaved draft: {title} ({at}).", title=title, at=local(draft.at))


def local(at: datetime) -> str:
    """Format a time in the browser's time zone, or in UTC if that is unknown, to the minute."""
    return on_clock(at, browser_zone() or UTC).isoformat(" ", "minutes")[:16]


def near_day(day: date, today: date) -> str:
    """Return a word such as `Tomorrow` or `Friday` for a day from yesterday to six days ahead, or else its date."""
    ahead = (day - today).days
    weekday = _WEEKDAYS[day.weekday()] if 1 < ahead < 7 else day.isoformat()
    return text_of(_NEAR.get(ahead, weekday))


# Display names for days, keyed by the number of days from today, and for weekdays.
_NEAR = message_table({-1: "Yesterday", 0: "Today", 1: "Tomorrow"})
_WEEKDAYS = message_table(
    {0: "Monday", 1: "Tuesday", 2: "Wednesday", 3: "Thursday", 4: "Friday", 5: "Saturday", 6: "Sunday"}
)


def browser_zone() -> tzinfo | None:
    """Return the browser's time zone, or None if this machine doesn't know that zone."""
    try:
        return ZoneInfo(st.context.timezone or "")
    except (KeyError, OSError, ValueError):  # the name of a folder of time zones raises OSError
        return None


# Display names for types and categories that Tessera suggests or takes from logs. Other values are shown as written.
_FIELD_VALUES = message_table(
    {
        "project_config": "project setup",
        "auth": "sign-in",
        "environment": "environment",
        "dependency": "dependency",
        "business_rule": "business rule",
        "module": "module",
        "domain": "domain",
        "module_context": "about a module",
        "test_experience": "lesson from a log",
        "common_issue": "common problem",
        "best_practice": "good practice",
    }
)


def field_value(name: str, value: object) -> str:
    """Return the display name of a note's type or category, or the value of any other field as text."""
    return text_of(_FIELD_VALUES.get(str(value), value) if name in ("type", "category") else value)


# Display names for the languages of notes and models.
TEXT_LANGUAGES = message_table(
    {
        "en": "English",
        "zh": "Chinese",
        "mixed": "Chinese and English",
        "code": "mostly code",
        "multilingual": "about 100 languages",
    }
)

# Display names for the states of notes.
NOTE_STATES = message_table({"pending": "not indexed yet", "ready": "indexed", "empty": "no passages"})
# Display names of the built-in converters.
CONVERTERS = message_table(
    {
        "workbook": "Workbook sheets as tables",
        "canvas": "Cards of an Obsidian canvas",
        "base": "Obsidian base as source text",
        "excalidraw": "Text in a drawing",
        "mail": "E-mail",
        "feed": "Feed entries",
        "subtitles": "Subtitles with timestamps",
        "textpack": "TextPack text",
        "pandoc": "Documents, books and web pages with pandoc",
        "pdf": "PDF with headings and tables",
        "uncommented": "Without comments",
        "pdftext": "PDF as lines of plain text",
        "ocr": "Text in pictures and scans",
    }
)


def converter(name: str) -> str:
    """Return the display name of a converter."""
    return text_of(CONVERTERS.get(name, name))
