"""A note -> the text of a file that reads as this note: front matter with the note's fields, then its body."""

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import yaml

from core.base import files, places
from core.base.faults import translate_errors
from core.base.text import LINE_END, stem
from core.markdown import frontmatter
from core.markdown.body import BodyMetadata, distinct_tags, look_into, short_title
from core.markdown.frontmatter import FrontMatter
from core.markdown.frontwriting import rewrite
from core.markdown.tags import key
from core.model import NOTE_FIELDS, Note, clock_to_utc, day_of, is_day

_FROM_FILES = ("folder", "upload")


def text_of(note: Note) -> str:
    """Return the text of a file that reads as the note; of an unchanged file, the file's own text.

    A plain note is its body: it has no place for fields. Raises EditError for a field that its front matter can't hold.
    """
    if note.plain:
        return note.body
    front = front_of(note)
    head = read_front(front)
    path = note.path or "note.md"
    inside = look_into(note.body, path)
    title = short_title(head.value("title")) or inside.title or stem(path)
    tags = distinct_tags([*head.value("tags"), *inside.tags])
    file = replace(note, **{name: head.value(name) for name in NOTE_FIELDS} | {"title": title, "tags": tags})
    fields = changed_fields(head, file, note, inside)
    if note.source not in _FROM_FILES:
        fields |= {name: at for name in ("created_at", "updated_at") if (at := getattr(note, name)) != head.value(name)}
    text = with_fields(front, fields, note.body)
    if not text or frontmatter.span(text)[2] != len(text) - len(note.body):
        text = with_fields(front, fields | {"title": note.title}, note.body)
    return text


def with_fields(front: str, fields: Mapping[str, object], body: str) -> str:
    """Return a text of front matter with other values of some fields, and a body."""
    ending = re.search(LINE_END, front + body)
    return (rewrite(front, fields, ending[0] if ending else "\n") if fields else front) + body


def read_front(front: str) -> FrontMatter:
    """Return the values of the text before a body."""
    start, end, _ = frontmatter.span(front)
    return frontmatter.parse(front[start:end])


def changed_fields(head: FrontMatter, file: Note, note: Note, inside: BodyMetadata) -> dict[str, object]:
    """Return the fields that the front matter of a file must say, so that it reads as the note.

    `head` is that front matter, `file` the note of the file as it is, `inside` what the body of the note says.
    """
    names = [name for name in NOTE_FIELDS if name not in ("title", "tags")]
    fields = {name: value for name in names if (value := getattr(note, name)) != getattr(file, name)}
    by_itself = short_title(head.value("title")) or inside.title or stem(note.path or "")
    if note.title not in (file.title, by_itself):
        fields = {"title": note.title} | fields
    tags = _own_tags(head, file, note, {*map(key, inside.tags)})
    if {*tags} != {*distinct_tags(head.value("tags"))}:
        fields["tags"] = tags
    return fields


def touched_at(head: FrontMatter) -> dict[str, object]:
    """Return the time of a change for front matter that says when its note was changed, else nothing."""
    at = head.value("updated_at")
    if at is None:
        return {}
    now = clock_to_utc(datetime.now(UTC).replace(microsecond=0))
    return {"updated_at": datetime.fromisoformat(f"{day_of(now)}T00:00:00Z") if is_day(at) else now}


def _own_tags(head: FrontMatter, file: Note, note: Note, in_text: set[str]) -> tuple[str, ...]:
    """Return the tags that the front matter of a note must hold: those it has, then those not in the text."""
    held = {key(tag) for tag in head.value("tags")}
    wanted = {key(tag) for tag in note.tags}
    unsaid = held - wanted - in_text
    was_in_text = {key(tag) for tag in look_into(file.body, file.path or "note.md").tags} if unsaid else set()
    staying = [tag for tag in head.value("tags") if key(tag) in wanted or key(tag) in was_in_text - in_text]
    more = [tag for tag in note.tags if key(tag) not in held and key(tag) not in in_text]
    return distinct_tags([*staying, *more])


def front_of(note: Note) -> str:
    """Return the front matter that a note came with; where an earlier version of Tessera read it, its unknown keys."""
    if note.front is not None:
        return note.front
    dumped = yaml.safe_dump(note.extra, allow_unicode=True, sort_keys=False)
    return f"---\n{dumped}---\n" if note.extra else ""


def export(text: str, place: Path) -> str:
    """Write a text to a place where nothing is yet, and return it; raises ConfigError for one that is taken."""
    place = places.check_vacant(place)
    with translate_errors(place.parent):
        place.parent.mkdir(parents=True, exist_ok=True)
        files.create(place, text)
    return text
