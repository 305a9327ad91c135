"""The files of words in an archive: synonyms and types, which are added to the person's own."""

from contextlib import suppress
from pathlib import Path

from core.base import files
from core.base.faults import translate_errors
from core.base.places import PROGRAM
from core.features.archives.parts import Mistakes
from core.notes import vocabulary
from core.query import synonyms

FILES = (synonyms.FILE, vocabulary.FILE)


def check(words: dict[str, str], mistakes: Mistakes) -> None:
    """Report each line of the word files of an archive that can't be read."""
    for problem in synonyms.problems(words.get(synonyms.FILE, "")):
        mistakes.add(f"words/{synonyms.FILE}", problem)
    for problem in vocabulary.parse(words.get(vocabulary.FILE, "").encode()).problems:
        mistakes.add(f"words/{vocabulary.FILE}", problem)


def user_wordlists(folder: Path) -> dict[str, str]:
    """Return the person's files in a workspace."""
    return {name: text for name in FILES if (text := _text(folder / name))}


def add(folder: Path, words: dict[str, str]) -> None:
    """Add the lines that the person's files in a workspace lack; a file that nobody edited is replaced."""
    for name in FILES:
        if name in words:
            _add(folder / name, words[name])


def _add(file: Path, text: str) -> None:
    shipped = PROGRAM / "data" / file.name
    own = _text(file)
    untouched = not own or (shipped.is_file() and own == shipped.read_text(encoding="utf-8"))
    there = {*own.splitlines()}
    more = [line for line in text.splitlines() if line.strip() and line not in there]
    if own != text and (untouched or more):
        with translate_errors(file.parent):
            files.replace(file, text if untouched else own.rstrip("\n") + "\n" + "\n".join(more) + "\n")


def _text(file: Path) -> str:
    """Return the text of a file of words, "" where it can't be read."""
    with suppress(OSError, files.Unfit):
        return files.read(file).decode("utf-8", "replace")
    return ""
