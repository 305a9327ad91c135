"""The text of notes, with its tags, links and hidden parts, and the titles and file names derived from it."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from urllib.parse import unquote

from core.base.blobs import Span, remove_blobs
from core.base.errors import EditError
from core.base.file_names import harmless_name, harmless_path
from core.base.frozen import Texts, TextValues, attributes
from core.base.messages import message
from core.base.text import LINE_END, collapse_spaces, escape_halves, find_half_character, fold, shorten, stem
from core.intake.encoding import unreadable
from core.intake.folder import content_hash, is_safe
from core.markdown.body import BodyMetadata, look_into
from core.markdown.inline import tag_key
from core.model import NOTE_FIELDS, NOTE_SUFFIXES, Note, NoteLine
from core.model.limits import check_part
from core.notes.fields import check_body, with_fields
from core.notes.links import NoteLinks
from core.store import Store
from core.store.note_rows import NoteNames

# Maximum number of characters in a file name derived from a title. File systems allow 255 bytes.
_MOST = 100
# Maximum number of characters in a title derived from text.
_MOST_WORDS = 60
_PICTURE = re.compile(r"!\[\[[^\[\]]*\]\]|!\[[^\[\]]*\]\([^()]*(?:\([^()]*\)[^()]*)*\)")


def title_filename(title: str) -> str:
    name = collapse_spaces(re.sub(r'[\x00-\x1f\x7f<>:"/\\|?*#^\[\]]+', " ", title))
    while len(name.encode("utf-8")) > 2 * _MOST or len(name) > _MOST:
        name = name[:-1]
    name = name.strip(". ") or "note"
    return f"{harmless_name(name)}.md"


def renamed_path(path: str, title_before: str, title: str) -> str:
    """Return a note's path for a new title.

    The folder and suffix stay the same. If the old name had hyphens instead of spaces, the new name has them too.
    """
    pure = PurePosixPath(path)
    name = title_filename(title).removesuffix(".md")
    if "-".join(title_before.casefold().split()) == pure.stem != title_before:
        name = "-".join(name.casefold().split())
    return str(pure.with_name(f"{name}{pure.suffix or '.md'}"))


def check_path(path: str) -> str:
    """Turn a path in a base into one that is valid on every operating system and has a note suffix such as `.md`.

    Raises EditError if the path leads out of the base or isn't valid text.
    """
    if find_half_character(path) is not None or not is_safe(path.replace("\\", "/").strip("/")):
        raise EditError(
            "'{path}' isn't a valid path for a note. Enter folders and a name, such as work/plan.md.",
            path=escape_halves(path),
        )
    name = harmless_path(path)
    return name if name.lower().endswith(NOTE_SUFFIXES) else f"{name}.md"


def first_words(body: str) -> str:
    """Return a title made from the first line with text, or "Untitled". Links are replaced by their visible text."""
    shown = (collapse_spaces(_PICTURE.sub(" ", line)) if "![" in line else line for line in body.splitlines())
    lines = remove_blobs("\n".join(shown)).splitlines()
    line = next(filter(None, (re.sub(r"^(?:[\s#>*+-]|\[[ xX]\])+", "", line).strip() for line in lines)), "")
    return shorten(_without_links(line), _MOST_WORDS) or str(message("Untitled"))


def nearest_names(notes: Iterable[NoteNames], text: str, limit: int) -> list[str]:
    """Return the ids of the notes whose names and path contain all words of `text`, best match first."""
    words = fold(text).split()
    whole = " ".join(words)
    ranked = []
    for named in notes:
        names = [fold(name) for name in (named.title, *named.aliases)]
        path = fold(named.location)
        if not all(any(word in name for name in (*names, path)) for word in words):
            continue
        near = min((_distance(name, whole), len(name)) for name in names)
        ranked.append((*near, path, named.id))
    return [note_id for *_, note_id in sorted(ranked)[:limit]]


def _distance(name: str, text: str) -> int:
    """Return a rank for how well a name matches `text`, from 0 (best) to 4.

    0: the name equals the text. 1: the name starts with the text. 2: a word in the name does. 3: the name contains the
    text. 4: there is no match.
    """
    return (name == text, name.startswith(text), f" {text}" in name, text in name, True).index(True)


_END = re.compile(LINE_END)

# Character ranges in a note's body that are left out of searches, in order.
Hidden = Sequence[Span]


def with_body(note: Note, body: str, inside: BodyMetadata | None = None) -> tuple[Note, BodyMetadata | None]:
    """Return a note with a new body and the tags and links in it, and the body's metadata if the body was parsed.

    Pass the metadata as `inside` if the caller has already checked and parsed the body. Raises the same EditError as
    `check_body`.
    """
    if inside is None:
        check_body(body)
    if body == note.body and body:
        return note, inside
    path = note.path or "note.md"
    inside = inside or look_into(body, path, plain=note.plain)
    if note.plain:
        return _with_body(note, body, ()), inside
    text = fold(note.body) if note.tags else ""
    gone = {tag.casefold() for tag in note.tags if tag_key(tag) in text}
    if not gone <= {tag.casefold() for tag in inside.tags}:
        gone = {tag.casefold() for tag in look_into(note.body, path).tags}
    note = with_fields(note, {"tags": [*(tag for tag in note.tags if tag.casefold() not in gone), *inside.tags]})
    return _with_body(note, body, inside.targets(path)), inside


def title_of(body: str, inside: BodyMetadata | None = None) -> str:
    """Return the title that a note takes from its body. `inside` is the body's metadata, if already parsed."""
    return (inside.title if inside else "") or first_words(body)


def is_titled_by_text(note: Note) -> bool:
    """Return whether a note's title is taken from its text.

    This includes the name of a file that is named after the text, possibly with a number added.
    """
    title = title_of(note.body)
    name = re.escape(stem(title_filename(title)))
    return title == note.title or bool(
        note.in_file and note.title == stem(note.location) and re.fullmatch(rf"{name}( \d+)?", note.title)
    )


def with_title(note: Note, changed: Note, inside: BodyMetadata | None) -> Note:
    """Return a changed note. If its title is empty or came from the old text, take the title from the new text.

    A note in a file is returned unchanged because its title comes from the file.
    """
    follows = changed.title == note.title == title_of(note.body) and changed.body != note.body
    if not note.in_file and (follows or not changed.title):
        return replace(changed, title=title_of(changed.body, inside))
    return changed


def at_path(note: Note, path: str) -> Note:
    """Return a note at another path, with links read relative to that path. Raises the same errors as `with_body`."""
    return replace(note, path=path, links=() if note.plain else look_into(note.body, path).targets(path))


def restore_version(note: Note, old: Note) -> Note:
    """Return a note with the text and fields of an earlier version."""
    note = replace(note, **attributes(old, NOTE_FIELDS))
    if note.body == old.body:
        return note
    return replace(_with_body(note, old.body, old.links), left_out=old.left_out)


def _with_body(note: Note, body: str, links: Texts) -> Note:
    document = note.document and note.document.edited(note.body, body)
    left_out = note.left_out
    if document is None:
        left_out = (
            *(omission for omission in left_out if omission.kind != "character"),
            *unreadable((note.front or "") + body),
        )
    return replace(
        note,
        body=body,
        links=links,
        content_hash=content_hash(body.encode("utf-8")),
        document=document,
        left_out=left_out,
    )


def blank_hidden(note: Note, hidden: Hidden) -> Note:
    """Replace a note's hidden parts with spaces, so that offsets stay valid."""
    body = note.body
    for start, end in hidden:
        body = body[:start] + re.sub(r"\S", " ", body[start:end]) + body[end:]
    return replace(note, body=body)


def _parts(body: str, start: int, end: int, hidden: Hidden) -> list[str]:
    parts = []
    for first, last in (*hidden, (end, end)):
        if start < min(first, end):
            parts.append(body[start : min(first, end)])
        start = max(start, last)
    return parts


# Maximum number of characters in a quoted sentence.
MOST_CHARACTERS = 240
# Number of characters in which to look for a note's first prose.
_READ = 2000
_LINK = re.compile(r"\[\[([^\[\]|\n#^]{1,500}+)[^\[\]\n]{0,500}+\]\]|\]\(<?+([^()<>\s#]{1,500}+)[^()\n]{0,300}+\)")
_SENTENCE_END = re.compile(r"[.!?…](?=\s)|[。！？]|\n")
_LINK_WORDS = re.compile(
    r"!?\[\[(?:[^\[\]|\n]{0,500}\|)?([^\[\]|\n]{0,500})\]\]|!?\[([^\[\]]{0,500})\]\([^()\n]{0,500}\)"
)
_SIGNS = re.compile(r"(?m)^(?:[-*+>#]+\s|\d{1,9}[.)]\s|\[.\]\s|\s)+|`|\{%[^%]{0,500}%\}")


def _without_links(text: str) -> str:
    return _LINK_WORDS.sub(lambda link: link[1] or link[2] or "", text)


_EMPHASIS = re.compile(r"(?<![A-Za-z\d_*])(\*\*|__|==|~~|[*_])(?=\S)([^\n]{1,500}?)(?<=\S)\1(?![A-Za-z\d_*])")
# Parts that aren't prose: code, tables, headings, tags, pictures, rules, directives, and definitions of links.
_NOT_PROSE = re.compile(
    r"(?ms)^[ \t>]*(`{3,}|~{3,})(?:.*?^[ \t>]*\1[`~]*[ \t]*$|.*)"
    r"|<!--.*?(?:-->|\Z)"
    r"|^[ \t>]*(?-s:\|.*|#{1,6}[ \t].*|[-=*_]{3,}[ \t]*|:\w[\w-]*:.*|\[\^?[^\]\n]+\]:.*|\[TOC\])$"
    r"|^(?-s:[^\n|]*\|.*\n[ \t>]*:?-+:?[ \t]*\|[-:| \t]*(?:\n.*\|.*)*)$"
    r"|(?<=> )\[![\w-]+\][+-]?|</[a-z][a-z\d]*>|(?<!\w)<[a-z][a-z\d]*(?:\s[^<>\n]*)?>"
    r"|!\[\[[^\[\]\n]{0,500}\]\]|!\[[^\[\]\n]{0,500}\]\([^()\n]{0,500}\)"
)


def as_line(text: str, length: int) -> str:
    """Return text as one line without Markdown marks, cut to a length."""
    line = _SIGNS.sub("", _without_links(text.strip()))
    for _ in range(2):  # marks within marks
        line = _EMPHASIS.sub(r"\2", line)
    return shorten(collapse_spaces(line), length)


@dataclass
class NoteTexts:
    """The text of notes in all bases, as shown and quoted."""

    look_into = staticmethod(look_into)
    title_of = staticmethod(title_of)
    is_titled_by_text = staticmethod(is_titled_by_text)

    _store: Store

    def hidden(self, note_id: str) -> list[Span]:
        """Return the hidden parts of a note's body, which searches leave out."""
        return self._store.chunks.hidden(note_id)

    def shown(self, note_id: str) -> str:
        """Return a note's text without its hidden parts. Raises NoteNotFound."""
        body = self._store.note(note_id).body
        return "\n\n".join(_parts(body, 0, len(body), self.hidden(note_id)))

    def without_hidden(self, note_id: str) -> Note:
        """Return a note with its hidden parts replaced by spaces. Raises NoteNotFound."""
        return blank_hidden(self._store.note(note_id), self.hidden(note_id))

    def lines(self, base: str, text: str) -> list[NoteLine]:
        """Return the lines containing `text` in a base's searchable notes and chunks, ordered by path.

        Raises UnknownChoice if the base is unknown, and QueryError if the text is too long.
        """
        check_part(text)
        wanted = fold(text)
        found = []
        for note in self._store.notes.notes_with_text(self._store.bases.named(base), text):
            hidden = self.hidden(note.id)
            start = 0
            for number, line in enumerate(_END.split(note.body), start=1 + len(_END.findall(note.front or ""))):
                if wanted in fold(line):
                    parts = _parts(note.body, start, start + len(line), hidden)
                    if any(wanted in fold(part) for part in parts):
                        found.append(NoteLine(note.id, note.path or note.title, number, " … ".join(parts)))
                start += len(line)
                start += 2 if note.body.startswith("\r\n", start) else 1
        return found

    def beginnings(self, note_ids: Iterable[str], length: int) -> TextValues:
        """Return the beginning of each note's prose after the title, as one line.

        Markdown marks, hidden parts, code, tables and headings are left out.
        """
        found = {}
        for note_id, text in self._store.notes.beginnings(note_ids, _READ).items():
            title, _, body = text.partition("\n")
            first, _, rest = body.lstrip().partition("\n")
            is_title = as_line(first, length) == as_line(title, length)
            found[note_id] = as_line(_NOT_PROSE.sub("", rest if is_title else body), length)
        return found

    def mentions(self, links: NoteLinks, note_id: str, among: Iterable[str]) -> TextValues:
        """Return the first sentence in which each note in `among` links to a note, or "" if only a hidden part does."""

        def sentence(other: str) -> str:
            note = self.without_hidden(other)
            for link in _LINK.finditer(note.body):
                target = (link[1] or unquote(link[2])).removesuffix("\\").strip()
                if links.target(note, target) == note_id:
                    start, end = link.span()
                    first = max(0, start - MOST_CHARACTERS)
                    before = [stop.end() for stop in _SENTENCE_END.finditer(note.body, first, start)]
                    after = _SENTENCE_END.search(note.body, end, end + MOST_CHARACTERS)
                    around = slice(before[-1] if before else first, after.end() if after else end + MOST_CHARACTERS)
                    return as_line(note.body[around], MOST_CHARACTERS)
            return ""

        return {other: sentence(other) for other in among}
