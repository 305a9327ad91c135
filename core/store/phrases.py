"""Phrase search: an FTS5 expression finds candidates, and their text is checked exactly."""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from itertools import chain, pairwise

from core.base.text import CJK, MARKS, UNSPACED, fold, index_words, keywords
from core.model import ADDRESSES, Chunk


def word_row(title: str, chunk: Chunk, property_text: str = "") -> tuple[str, str, str]:
    """Return the words to index for a chunk: from its note's title, from its headings, and from its text.

    `property_text` is indexed with the text (`PropertyTable.chunk_texts`).
    """
    text = "\n".join((chunk.text, ADDRESSES.sub("", "\n".join(chunk.definitions)), property_text)).rstrip("\n")
    return _words_of(title), _words_of(" ".join(chunk.titles)), _words_of(text)


@lru_cache(maxsize=2048)
def _words_of(text: str) -> str:
    """Return the words of a text; cached because an edited note is indexed again with nearly the same texts."""
    return " ".join(index_words(text))


_LATIN = re.compile(rf"[^\W{UNSPACED}]|[{MARKS}]")
_LETTER = re.compile(rf"[^\W{UNSPACED}][{MARKS}]*\Z")
"""A letter with its combining marks at the end of a text; marks without a letter don't belong to a word."""
_MOST = 32
"""Maximum number of characters, runs or words of a phrase in its expression."""
_CAPITALS = re.compile("[A-Z]+")
_PLANE = (range(0xD800), range(0xE000, 0x10000))
"""Unicode's basic plane without surrogates; a regular expression matches its characters with a table, which is fast."""
_BEYOND = re.compile("[\U00010000-\U0001f2ff\U0002f800-\U0002fa1f\U000e0000-\U000effff]")
"""Blocks beyond the basic plane with characters that fold to others or combine with others; most emoji don't."""
_JAMO = "\u1100-\u11ff\u3130-\u318f\uffa0-\uffdc"
"""Parts of Korean syllables, which folding composes."""


class Phrase:
    """A phrase, `folded`, with white space as single spaces.

    Every text that contains the phrase matches the FTS5 `expression`, which is empty for a phrase without words.
    `settled`: every text that matches contains the phrase, so that no further check is needed.
    """

    def __init__(self, phrase: str) -> None:
        self.folded = " ".join(fold(phrase).split())
        runs = re.findall(f"[{CJK}]+", self.folded)
        self.settled = runs == [self.folded] and len(self.folded) <= _MOST
        # The character pairs of a run are adjacent in the index. Only parts of identifiers can occur between words.
        pairs = (" ".join(map("".join, pairwise(run[:_MOST]))) or run for run in runs[:_MOST])
        words = _outer_words([word for word in whole_words(phrase) if not re.match(f"[{CJK}]", word)])[:_MOST]
        near = f"NEAR({quote(words)}, {len(self.folded)})" if words and not runs else quote(words, " AND ")
        self.expression = " AND ".join(filter(None, (quote(pairs, " AND "), near)))
        self._plain = self._pattern({})
        self._spelled = self._pattern(_spellings())
        self._made = not all(map(_is_own_folding, self.folded))
        # Few characters fold to a character that isn't a letter.
        few = not self._made and not any(item.isalnum() or item.isspace() or item == "_" for item in self.folded)
        self._others = _composed_characters(self.folded) if few else None

    def matches(self, text: str) -> bool:
        """Return whether a text contains the phrase; Latin words at its edges must be whole."""
        if self._others is not None:
            at = text.find(self.folded)
            if at < 0 and (text.isascii() or not any(map(text.__contains__, self._others))):
                return False
            if at >= 0 and not _changes_neighbours(text[at + len(self.folded) : at + len(self.folded) + 1]):
                return True
        if text.isascii():
            return self.folded.isascii() and self._place(self._plain, text.lower()) is not None
        # Folding a text takes several times as long as a search for all spellings of the phrase.
        match = self._place(self._spelled, text)
        if match and not self._made:
            around = text[max(match.start() - 1, 0) : match.start()] + text[match.end() : match.end() + 1]
            if not _changes_neighbours(around):
                return True
        if _changes_neighbours(text):
            return self._place(self._plain, fold(text)) is not None
        return match is not None

    @staticmethod
    def _place(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
        at = pattern.search(text)
        while at and (is_inside_word(text, at.start()) or is_inside_word(text, at.end())):
            at = pattern.search(text, at.start() + 1)
        return at

    def _pattern(self, spellings: Mapping[str, str]) -> re.Pattern[str]:
        return re.compile(r"\s+".join(_spelled(word, spellings) for word in self.folded.split(" ")))


def may_hold(text: str, part: str) -> bool:
    """Return whether the folded form of a text may contain a folded string; False is certain.

    The text isn't folded, because that takes three times as long as a search for all spellings.
    """
    return bool(_spellings_of(part).search(text)) or (_changes_neighbours(text) and part in fold(text))


@lru_cache
def _spellings_of(folded: str) -> re.Pattern[str]:
    return re.compile(_spelled(folded, _spellings()))


def _spelled(folded: str, spellings: Mapping[str, str]) -> str:
    return "".join(_any_of(spellings.get(item, item)) for item in folded)


def whole_words(text: str) -> list[str]:
    """Return the keywords of a text without splitting identifiers at capitals."""
    whole = unicodedata.normalize("NFKC", text)
    return keywords(_CAPITALS.sub(lambda match: match.group().lower(), whole))


def _outer_words(words: Sequence[str]) -> list[str]:
    """Return the words that aren't part of another word, because how an identifier is split depends on its spelling."""
    return [word for word in dict.fromkeys(words) if not any(word != other and word in other for other in words)]


def quote(words: Iterable[str], between: str = " ") -> str:
    """Return words quoted for FTS5."""
    return between.join(f'"{word}"' for word in words)


def is_inside_word(text: str, place: int) -> bool:
    """Return whether a position is inside a word of a script that separates words by spaces."""
    return bool(_LATIN.match(text, place) and _LETTER.search(text[max(place - _MOST, 0) : place]))


def _any_of(characters: Iterable[str], ranges: str = "") -> str:
    return f"[{''.join(map(re.escape, characters))}{ranges}]"


def _changes_neighbours(text: str) -> bool:
    """Return whether folding the text may do more than replace single characters by single characters."""
    beyond = len(text.encode("utf-16-le", "surrogatepass")) > 2 * len(text)
    return bool(_irregular_characters().search(text) or (beyond and _BEYOND.search(text)))


@cache
def _spellings() -> dict[str, str]:
    """Return, for each folded character, all characters that fold to it, if there are several."""
    spellings: dict[str, str] = {}
    for character, folded in _changed().items():
        if len(folded) == 1:
            spellings[folded] = spellings.get(folded, folded) + character
    return spellings


@cache
def _irregular_characters() -> re.Pattern[str]:
    """Return a pattern for characters that fold irregularly.

    They fold to several characters or to nothing, combine with the previous character, or start or stop being letters.
    """

    def marked(text: str) -> bool:
        return any(unicodedata.category(character).startswith("M") for character in text)

    def turns(character: str, folded: str) -> bool:
        return bool(_LATIN.match(folded)) != bool(_LATIN.match(character))

    marks = filter(marked, map(chr, chain(*_PLANE)))
    others = (item for item, folded in _changed().items() if len(folded) != 1 or marked(folded) or turns(item, folded))
    return re.compile(_any_of(chain(marks, others), _JAMO))


def _is_own_folding(character: str) -> bool:
    """Whether a folded character can't result from composing several characters."""
    return character.isascii() or (
        not character.isalnum()
        and unicodedata.category(character)[0] in "PSC"
        and unicodedata.normalize("NFD", character) == character
    )


def _composed_characters(phrase: str) -> str:
    """Return the characters whose folded form contains a character of the phrase."""
    wanted = set(phrase)
    return "".join(item for item, folded in _folding().items() if not wanted.isdisjoint(folded))


@cache
def _folding() -> dict[str, str]:
    """Return the folded form of each character, in all planes, that changes when folded."""
    beyond = map(chr, chain(range(0x10000, 0x1F300), range(0x2F800, 0x2FA20)))
    return _changed() | {character: fold(character) for character in beyond if fold(character) != character}


@cache
def _changed() -> dict[str, str]:
    """Return the folded form of each character in the basic plane that changes when folded."""
    folds = ((character, fold(character)) for character in map(chr, chain(*_PLANE)))
    return {character: folded for character, folded in folds if folded != character}
