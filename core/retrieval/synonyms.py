"""Words that mean the same, from a file that a person edits: a question asked again in other words."""

import re
import threading
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from shutil import copyfile

from core.errors import ConfigError
from core.text import CJK

FILE = "synonyms.txt"
"""The file of a workspace in which a person lists words that mean the same."""

_BUILT_IN = Path(__file__).parents[2] / "data" / FILE

MOST_CHARACTERS = 100
"""Of a word in the file."""

_COMMA = re.compile("[,，]")
_LETTER = re.compile(rf"(?![{CJK}])\w")
"""A letter of a script that is written with spaces."""
_BEFORE = re.compile(rf"(?:(?![{CJK}])\w[.\-/_']?|[@#$\\])\Z")
_AFTER = re.compile(rf"[+#]|[.\-/_']?(?![{CJK}])\w")
"""What makes a word part of a longer one, as in node.js, C++ or k8s-pod."""


class Synonyms:
    """Groups of words that mean the same; safe to share between threads."""

    def __init__(self, groups: Sequence[Sequence[str]] = ()) -> None:
        self._others: dict[str, dict[str, None]] = {}
        """Folded word -> the others of all its groups, in their order."""
        lengths: dict[str, set[int]] = {}
        for group in groups:
            for word in group:
                folded = _folded(word)
                others = {other: None for other in group if _folded(other) != folded}
                self._others.setdefault(folded, {}).update(others)
                lengths.setdefault(folded[0], set()).add(len(folded))
        self._lengths = {first: sorted(found, reverse=True) for first, found in lengths.items()}

    def __len__(self) -> int:
        return len(self._others)

    def variants(self, text: str, limit: int = 3) -> list[str]:
        """Return the text with one known word in another way, at most `limit` times.

        Every known word has its turn before one is replaced a second time. Of overlapping words the first,
        then the longest is known; a word of letters is known where it stands by itself, Chinese everywhere.
        """
        found = list(self._known(text))
        words: dict[str, list[str]] = {}
        for start, end in found:
            word = _folded(text[start:end])
            words.setdefault(word, list(self._others[word]))
        turns = max(map(len, words.values()), default=0)
        replaced = (
            _replaced(text, [place for place in found if _folded(text[slice(*place)]) == word], others[turn])
            for turn in range(turns)
            for word, others in words.items()
            if turn < len(others)
        )
        return list(islice(dict.fromkeys(replaced), limit))

    def _known(self, text: str) -> Iterator[tuple[int, int]]:
        folded = _folded(text)
        at = 0
        while at < len(folded):
            end = next((end for end in self._ends(folded, at)), 0)
            if end:
                yield at, end
            at = end or at + 1

    def _ends(self, folded: str, start: int) -> Iterator[int]:
        """Where known words end that start here, the longest first."""
        for length in self._lengths.get(folded[start], ()):
            end = start + length
            if end <= len(folded) and folded[start:end] in self._others and _by_itself(folded, start, end):
                yield end


def file_in(folder: Path, *, make: bool) -> Path:
    """Return a workspace's file of synonyms; where there is none the built-in one, of which it is made a copy."""
    file = folder / FILE
    if make and not file.exists():
        beside = file.with_suffix(f".{threading.get_ident()}")
        copyfile(_BUILT_IN, beside)
        beside.replace(file)
    return file if file.exists() else _BUILT_IN


def load(path: Path) -> Synonyms:
    """Return the synonyms of a file, none where there is no file.

    Raises ConfigError that names the line, for a group of fewer than two words and for what is no text.
    """
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return Synonyms()
    except OSError as error:
        raise ConfigError(f"{path} can't be read: {error.strerror or error}.") from error
    try:
        lines = content.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    except UnicodeDecodeError as error:
        number = content[: error.start].count(b"\n") + 1
        raise ConfigError(f"{path}, line {number}: this is no UTF-8 text. Save the file as UTF-8.") from error
    groups = []
    for number, line in enumerate(lines, 1):
        if line.strip() and not line.lstrip().startswith("#"):
            groups.append(_group(line, f"{path}, line {number}"))
    return Synonyms(groups)


def _group(line: str, where: str) -> list[str]:
    words = {_folded(word): word for word in (" ".join(word.split()) for word in _COMMA.split(line)) if word}
    for word in words.values():
        if len(word) > MOST_CHARACTERS:
            raise ConfigError(
                f"{where}: a word has more than {MOST_CHARACTERS} characters. Put commas between the words."
            )
        if not word.isprintable() or not any(map(str.isalnum, word)):
            raise ConfigError(
                f"{where}: '{_shown(word)}' is no word. Write words that mean the same, with commas between."
            )
    if len(words) < 2:
        raise ConfigError(f"{where}: a group needs two words or more, with commas between, such as: k8s, kubernetes")
    return list(words.values())


def _shown(word: str) -> str:
    return "".join(letter if letter.isprintable() else "?" for letter in word)


def _folded(text: str) -> str:
    """The text without case and full-width forms, each character in its place."""
    return text.lower() if text.isascii() else "".join(map(_letter, text))


def _letter(character: str) -> str:
    plain = unicodedata.normalize("NFKC", character).lower()
    return plain if len(plain) == 1 else character


def _by_itself(text: str, start: int, end: int) -> bool:
    """Whether what stands here is no part of a longer word."""
    if _LETTER.match(text, start) and _BEFORE.search(text, max(0, start - 2), start):
        return False
    return not (_LETTER.match(text, end - 1) or text[end - 1] in "+#") or not _AFTER.match(text, end)


def _replaced(text: str, places: Sequence[tuple[int, int]], word: str) -> str:
    """The text with a word in other places' stead, apart from letters beside it."""
    pieces = [text[: places[0][0]]]
    ends = [*(start for start, _ in places[1:]), len(text)]
    for (_, end), following in zip(places, ends, strict=True):
        after = text[end:following]
        pieces.append(" " if _touch(pieces[-1], word) else "")
        pieces.append(word)
        pieces.append(f" {after}" if _touch(word, after) else after)
    return "".join(pieces)


def _touch(left: str, right: str) -> bool:
    return bool(left and right and _LETTER.match(left[-1]) and _LETTER.match(right[0]))
