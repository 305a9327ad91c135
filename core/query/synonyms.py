"""Synonyms for the words of a question, from a file that the user can edit, and spelling corrections."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, pairwise
from pathlib import Path
from string import ascii_lowercase, digits

from core.base.app_paths import provide_file
from core.base.blobs import Span
from core.base.errors import ConfigError
from core.base.frozen import TextMap, frozen
from core.base.messages import Message, message
from core.base.text import CJK, LINE_END, STOP_WORDS, fold, fold_in_place
from core.model import Spans
from core.query.compared_things import cut
from core.settings.errors import read_file

# Name of a workspace's synonym file.
FILE = "synonyms.txt"

# Maximum number of characters per word in the synonym file.
MOST_CHARACTERS = 100

# A letter from a script that puts spaces between words.
_LETTER = re.compile(rf"(?![{CJK}])\w")
_BEFORE = re.compile(rf"(?:(?![{CJK}])\w[.\-/_']?|[@#$\\])\Z")
# Text next to a word that makes the word part of a longer one, as in node.js, C++ or k8s-pod.
_AFTER = re.compile(rf"[+#]|[.\-/_']?(?![{CJK}])\w")

# Function that returns those of the given words that occur in at least one chunk.
Known = Callable[[Sequence[str]], Collection[str]]

# Function that returns whether a word is in general use, regardless of the notes.
IsWord = Callable[[str], bool]

# Function that returns the number of chunks that contain each word, omitting words found in no chunk.
Counts = Callable[[Sequence[str]], Mapping[str, int]]

_WORD = re.compile(rf"(?P<cjk>[{CJK}]{{2,}})|(?<![^\W{CJK}])(?P<latin>[a-z0-9_]{{3,30}})(?![^\W{CJK}])")
# Maximum number of words in a question to correct. Two Chinese characters count as one word. In a longer question, a
# word found in no note is usually not a mistake, and the remaining words are enough.
_MOST = 6
# English word endings.
_ENDINGS = frozenset(
    "s es d ed ing er ers or ors ly ies est ness ment ments able ful less ion ions ation ization ity ism ive".split()
)
# Minimum word length for correcting a wrong letter. In shorter words, only swapped letters are corrected.
_LEAST = 5
# Endings without which a word must have at least _LEAST letters if one of its vowels is to be replaced by another.
# Short words that differ in a vowel are often words, such as washing and wishing.
_ENDING = re.compile(r"(?<=[a-z]{3})(?:ing|ed|ers?|e?s)\Z")
# Regular inflections, as a pattern and what to put in its place to get the base form. Short words double their final
# consonant, so that *runing* isn't a form of *run*.
_INFLECTIONS = tuple(
    (re.compile(rf"(?<=[a-z]{{2}}){ending}\Z"), base)
    for ending, base in {
        r"(?<=[a-z])e?s": "",
        r"ie(?:s|d|rs?)": "y",
        r"(?<!\b[^aeiou][aeiou][^aeiouwxy])(?<!\b[^aeiou][^aeiou][aeiou][^aeiouwxy])(?:ing|ed|ers?)": "",
        r"(?:ing|ed|ers?)": "e",
        r"(?<=[aeiou])([b-df-hj-np-tvz])\1(?:ing|ed|ers?)": r"\1",
    }.items()
)


class Synonyms:
    """Groups of synonyms. Thread-safe."""

    def __init__(self, groups: Sequence[Sequence[str]]) -> None:
        # Maps each folded word to its synonyms from all groups, in order.
        self._others: dict[str, dict[str, None]] = {}
        for group in groups:
            for word in group:
                folded = fold_in_place(word)
                others = self._others.setdefault(folded, {})
                others |= {other: None for other in group if fold_in_place(other) != folded}
        # Maps each first character to the lengths of the folded words that start with it, longest first.
        self._lengths: dict[str, dict[int, None]] = {}
        for word in sorted(self._others, key=len, reverse=True):
            self._lengths.setdefault(word[0], {})[len(word)] = None

    def __len__(self) -> int:
        return len(self._others)

    def variants(self, text: str, limit: int = 3) -> list[str]:
        """Return at most `limit` variants of the text, in each of which one known word is replaced by a synonym.

        Every known word is replaced once before any word is replaced a second time. If known words overlap, the one
        that starts first is replaced. If several start together, the longest is replaced. Words made of letters must
        match whole words. Chinese words match anywhere.
        """
        places = list(self._known(text))
        words: dict[str, list[str]] = {}
        for start, end in places:
            word = fold_in_place(text[start:end])
            words.setdefault(word, list(self._others[word]))
        replaced = (
            _replaced(text, [place for place in places if fold_in_place(text[slice(*place)]) == word], others[turn])
            for turn in range(max(map(len, words.values()), default=0))
            for word, others in words.items()
            if turn < len(others)
        )
        return list(islice(dict.fromkeys(replaced), limit))

    def _known(self, text: str) -> Iterator[Span]:
        folded = fold_in_place(text)
        at = 0
        while at < len(folded):
            words = (folded[at : at + length] for length in self._lengths.get(folded[at], ()))
            ends = (at + len(word) for word in words if word in self._others)
            end = next((end for end in ends if _by_itself(folded, at, end)), 0)
            if end:
                yield at, end
            at = end or at + 1


def load(path: Path) -> Synonyms:
    """Load the synonyms from a file. A file that doesn't exist counts as empty.

    Raises ConfigError, naming the line, if a word is invalid, a group has fewer than two words, or the file isn't UTF-8
    text.
    """
    content = read_file(path)
    try:
        lines = re.split(LINE_END, content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        number = content[: error.start].count(b"\n") + 1
        raise ConfigError(
            "{where}: this isn't UTF-8 text. Save the file as UTF-8.", where=_line(path, number)
        ) from error
    return Synonyms([_group(line, where) for line, where in _rows(lines, path)])


def problems(text: str) -> Iterator[Message]:
    """Yield the errors in text that is to be written to the synonym file."""
    for line, where in _rows(re.split(LINE_END, text), Path(FILE)):
        try:
            _group(line, where)
        except ConfigError as error:
            yield error.message


def _rows(lines: Sequence[str], path: Path) -> Iterator[tuple[str, Message]]:
    """Yield the lines that contain words, each with its file name and line number."""
    for number, line in enumerate(lines, 1):
        if line.strip()[:1] not in ("", "#"):
            yield line, _line(path, number)


def _line(path: Path, number: int) -> Message:
    return message("{path}, line {line}", path=str(path), line=number)


def _group(line: str, where: Message) -> list[str]:
    words = {fold_in_place(word): word for word in (" ".join(word.split()) for word in re.split("[,，]", line)) if word}
    for word in words.values():
        if len(word) > MOST_CHARACTERS:
            raise ConfigError(
                "{where}: a word has more than {most} characters. Separate the words with commas.",
                where=where,
                most=MOST_CHARACTERS,
            )
        if not word.isprintable() or not any(map(str.isalnum, word)):
            raise ConfigError(
                "{where}: '{word}' isn't a word. Write words with the same meaning, separated by commas.",
                where=where,
                word="".join(letter if letter.isprintable() else "?" for letter in word),
            )
    if len(words) < 2:
        raise ConfigError(
            "{where}: a group needs two words or more, separated by commas, such as: k8s, kubernetes", where=where
        )
    return list(words.values())


def _by_itself(text: str, start: int, end: int) -> bool:
    """Return whether a span isn't part of a longer word."""
    if _LETTER.match(text, start) and _BEFORE.search(text, max(0, start - 2), start):
        return False
    return not (_LETTER.match(text, end - 1) or text[end - 1] in "+#") or not _AFTER.match(text, end)


def _replaced(text: str, places: Sequence[Span], word: str) -> str:
    """Replace spans with a word, adding spaces between the word and adjacent letters."""
    replaced, *others = cut(text, places)
    for other in others:
        for piece in (word, other):
            touch = replaced and piece and _LETTER.match(replaced[-1]) and _LETTER.match(piece[0])
            replaced += f" {piece}" if touch else piece
    return replaced


@dataclass(eq=False)
class SynonymsFile:
    """A workspace's synonym file. Changes to the file take effect on the next use."""

    _folder: Path
    make: bool
    _read: tuple[int, Synonyms] | None = None

    @property
    def path(self) -> Path:
        """The synonym file's path. If `make` is True, a missing file is first copied into the workspace."""
        return provide_file(self._folder, FILE, make=self.make)

    def stamp(self) -> int:
        """Return a number that changes whenever the file changes."""
        return self.path.stat().st_mtime_ns

    def variants(self, text: str) -> list[str]:
        """Return variants of a question. Raises ConfigError if the file has an invalid line."""
        stamp = self.stamp()
        if self._read is None or self._read[0] != stamp:
            self._read = stamp, load(self.path)
        return self._read[1].variants(text)


@frozen
class Spelling:
    """A question with corrected spelling. `corrections` maps each misspelled word to its correction."""

    text: str
    corrections: TextMap = field(default_factory=dict)


def is_word(word: str, tokens: Callable[[str], Spans]) -> bool:
    """Return whether a tokenizer treats a word as a single token, or as a single token followed by English endings.

    With multilingual-e5-small, this recognizes 74 of 76 words that occur in only one of two vaults and differ by one
    letter from a word in the other vault. It mistakes 6% of 519 artificial typos for words.
    """
    first, *rest = dict.fromkeys(map(tuple, tokens(word).tolist())) or [(0, 0)]
    return (0, len(word)) in rest or (first[1] > 2 and all(word[start:end] in _ENDINGS for start, end in rest))


def correct(text: str, known: Known, counts: Counts, is_word: IsWord = lambda word: False) -> Spelling:
    """Correct the spelling of a short question. Longer questions stay unchanged.

    A word is corrected if no chunk contains it. A word in general use, or a regular form of such a word or of one in
    the notes, is replaced only by its own singular or plural. A sequence of Chinese characters is corrected if any of
    its character pairs is in no chunk. Candidates are generated from the word and then looked up (Norvig, How to write
    a spelling corrector, 2007), so the cost doesn't grow with the number of words in the notes.
    """
    words = [(match[0], match["cjk"]) for match in _WORD.finditer(fold(text)) if match[0] not in STOP_WORDS]
    if sum((len(word) + 1) // 2 if is_cjk else 1 for word, is_cjk in words) > _MOST:
        return Spelling(text)
    held = known([part for word, _ in words for part in _parts(word)])
    near = {word: _nearest(word, counts) for word, _ in words if not all(part in held for part in _parts(word))}
    spelled = {
        word: nearest
        for word, nearest in near.items()
        if nearest
        and (word.rstrip("s") == nearest.rstrip("s") or not (is_word(word) or _is_form(word, known, is_word)))
    }
    if not spelled:
        return Spelling(text)
    return Spelling(_WORD.sub(lambda match: spelled.get(match[0], match[0]), fold(text)), spelled)


def _is_form(word: str, known: Known, is_word: IsWord) -> bool:
    bases = [ending.sub(base, word) for ending, base in _INFLECTIONS if ending.search(word)]
    return bool(known(bases)) or any(map(is_word, bases))


def _nearest(word: str, counts: Counts) -> str | None:
    """Return the candidate spelling whose rarest part is in the most chunks, or None if no candidate is in any.

    Swapped letters are tried before wrong letters.
    """
    swapped = (word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in range(len(word) - 1))
    is_long = len(word) >= _LEAST and word.isascii() and word.isalpha()
    for way in (swapped, _one_off(word)) if is_long else (swapped,):
        candidates = list(dict.fromkeys(way))
        held = counts(list({part for candidate in candidates for part in _parts(candidate)}))
        known = {candidate: min(held.get(part, 0) for part in _parts(candidate)) for candidate in candidates}
        best = max(candidates, key=lambda candidate: known[candidate])
        if known[best]:
            return best
    return None


def _parts(word: str) -> list[str]:
    """Return a word's index entries: the word itself, or the character pairs of Chinese text."""
    return [word] if word.isascii() else ["".join(pair) for pair in pairwise(word)]


def _one_off(word: str) -> Iterator[str]:
    """Yield the word with one letter removed, added or replaced. The first letter is seldom wrong, so it is kept."""
    vowels = "aeiou" if len(_ENDING.sub("", word)) < _LEAST else ""
    for at in range(1, len(word) + 1):
        yield word[:at] + word[at + 1 :]
        for letter in ascii_lowercase + digits:
            yield word[:at] + letter + word[at:]
            if not (letter in vowels and word[at : at + 1] in vowels):
                yield word[:at] + letter + word[at + 1 :]
