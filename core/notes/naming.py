"""Names of notes: paths that are valid on every system, and the notes that best match a typed name."""

import re
from collections.abc import Iterable
from pathlib import PurePosixPath

from core.base.blobs import remove_blobs
from core.base.errors import EditError
from core.base.file_names import harmless_name, harmless_path
from core.base.messages import message
from core.base.text import escape_halves, find_half_character, fold
from core.intake.folder import is_safe
from core.model import NOTE_SUFFIXES
from core.store.note_rows import NoteNames

_FORBIDDEN = re.compile(r'[\x00-\x1f\x7f<>:"/\\|?*#^\[\]]+')
_MOST = 100
"""Maximum number of characters of a file name made from a title; file systems allow 255 bytes."""
_WORDS = 60
"""Maximum number of characters of a title made from a text."""
_PICTURE = re.compile(r"!\[\[[^\[\]]*\]\]|!\[[^\[\]]*\]\([^()]*(?:\([^()]*\)[^()]*)*\)")

_LINK = re.compile(r"\[\[(?:[^\[\]|]*\|)?(?P<wiki>[^\[\]|]+)\]\]|\[(?P<text>[^\[\]]+)\]\([^()]*\)")


def title_filename(title: str) -> str:
    """Return a file name for a title."""
    name = " ".join(_FORBIDDEN.sub(" ", title).split())
    while len(name.encode("utf-8")) > 2 * _MOST or len(name) > _MOST:
        name = name[:-1]
    name = name.strip(". ") or "note"
    return f"{harmless_name(name)}.md"


def renamed_path(path: str, title_before: str, title: str) -> str:
    """Return a note's path after a new title, with the same folder and suffix, and hyphens if the old name had them."""
    pure, name = PurePosixPath(path), title_filename(title).removesuffix(".md")
    slug = "-".join(title_before.casefold().split())
    if slug == pure.stem != title_before:
        name = "-".join(name.casefold().split())
    return str(pure.with_name(f"{name}{pure.suffix or '.md'}"))


def check_path(path: str) -> str:
    """Return a base path that is valid on every system, with the suffix of a note.

    Raises EditError for a path that leads out of the base or isn't valid text.
    """
    if find_half_character(path) is not None or not is_safe(path.replace("\\", "/").strip("/")):
        raise EditError(
            "'{path}' isn't a place for a note. Write folders and a name, such as work/plan.md.",
            path=escape_halves(path),
        )
    name = harmless_path(path)
    return name if name.lower().endswith(NOTE_SUFFIXES) else f"{name}.md"


def first_words(body: str) -> str:
    """Return a title from the first line of a text that has more than pictures; links become their visible text."""
    shown = (" ".join(_PICTURE.sub(" ", line).split()) if "![" in line else line for line in body.splitlines())
    lines = remove_blobs("\n".join(shown)).splitlines()
    line = next(filter(None, (re.sub(r"^(?:[\s#>*+-]|\[[ xX]\])+", "", line).strip() for line in lines)), "")
    line = _LINK.sub(lambda link: link["wiki"] or link["text"], line)
    short = line if len(line) <= _WORDS else line[: _WORDS - 1].rstrip() + "…"
    return short or str(message("Untitled"))


def nearest_names(notes: Iterable[NoteNames], text: str, limit: int) -> list[str]:
    """Return the ids of the notes whose names and path contain all words in a text, best match first."""
    words = fold(text).split()
    whole = " ".join(words)
    ranked = []
    for named in notes:
        names, path = [fold(name) for name in (named.title, *named.aliases)], fold(named.path or "")
        if not all(any(word in name for name in (*names, path)) for word in words):
            continue
        near = min((_distance(name, whole), len(name)) for name in names)
        ranked.append((*near, path, named.id))
    return [note_id for *_, note_id in sorted(ranked)[:limit]]


def _distance(name: str, text: str) -> int:
    """Rank how well a name matches a text: 0 equal, 1 starts with it, 2 a word starts with it, 3 contains it, 4 no."""
    if name == text:
        return 0
    if name.startswith(text):
        return 1
    if f" {text}" in name:
        return 2
    return 3 if text in name else 4
