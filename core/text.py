"""The lines of a text, its keywords, its folded form, and its hash."""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from hashlib import blake2b
from pathlib import PurePosixPath

CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
"""Scripts written without spaces (with Hangul, whose particles cling to the word), as a character class."""

_RUNS = re.compile(
    rf"(?P<cjk>[{CJK}]+)"
    r"|[vV]?\d+(?:\.\d+)+"
    rf"|(?:(?![{CJK}])\w)+(?:\+\+|#(?!\w))?"
)
_HALVES = re.compile("[\ud800-\udfff]")
_HAN = range(0x3400, 0xA000)
"""Chinese characters of Unicode's basic plane, which includes those in practical use."""
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
LINE_END = r"(?:\r\n|\n|\r)"
"""What ends a line, here as in Markdown and in browsers: all else that may (form feed, U+2028) is white space in it."""
STOP_WORDS = frozenset(
    "a about an and are as at be been but by can could did do does for from had has have how i if in into is it"
    " its me my of on or our so than that the their them then there these they this those to was we were what"
    " when where which while who why will with would you your s t don doesn isn"
    " 什么 怎么 为什 么样 如何 哪些 哪个 是否 可以 这个 那个".split()
)
"""Words that carry no subject, as `keywords` gives them."""


def digest(text: str) -> bytes:
    """Return the hash of a text in the store: 16 bytes (BLAKE2b)."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def half_character(text: str) -> int | None:
    """Return where the first half of a character stands, which no file or database can hold; None if there is none."""
    half = _HALVES.search(text)
    return half and half.start()


def storable(text: str) -> str:
    """Return a text of the same length with a mark in place of NULs and of halves of characters."""
    return _HALVES.sub("�", text.replace("\0", "�"))


def escaped(text: str) -> str:
    """Return a text that can be printed anywhere: halves of characters are escaped."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def fold(text: str) -> str:
    """Return the common form of a text's spellings: normal width, folded case, simplified characters."""
    return simplified(unicodedata.normalize("NFKC", text).casefold())


def composed(text: str) -> str:
    """Return a text with each letter and its marks as one character, where there is one: as most programs write names.

    Files of macOS have names in which they stand apart (NFD).
    """
    return unicodedata.normalize("NFC", text)


def name_key(name: str) -> str:
    """Return the common form of a name's spellings, which differ in case or in how letters and marks are composed."""
    return composed(composed(name).casefold())


def stem(path: str) -> str:
    """Return the name of a file as a title: composed, on one line, without its suffix."""
    return composed(" ".join(PurePosixPath(path).stem.split()))


def line_starts(text: str) -> list[int]:
    """Return where each line begins; behind the last end of a line none does unless text follows."""
    ending = LINE_END if "\r" in text else r"\n"
    return [0, *(match.end() for match in re.finditer(ending, text) if match.end() < len(text))]


def with_newlines(text: str) -> str:
    """Return a text whose lines all end in \\n, in which every character keeps its place: \\r\\n is a space and \\n."""
    return text.replace("\r\n", " \n").replace("\r", "\n")


def with_line_ends(text: str, before: str) -> str:
    """Return a text of an editor, all of whose lines end in \\n, with the line ends of the text before the edit.

    Lines at the start and the end that are the same keep theirs; the others get the commonest. A text with any \\r
    stays.
    """
    if "\r" in text or "\r" not in before:
        return text
    new = re.split(LINE_END, text)
    old = re.split(LINE_END, before)
    ends = re.findall(LINE_END, before)
    commonest = max(dict.fromkeys(ends), key=ends.count)
    head = _common(new, old)
    tail = _common(new[head:][::-1], old[head:][::-1])
    most = len(new) - 1
    first = ends[: min(head, most)]
    last = ends[len(ends) - max(0, min(tail - 1, most - len(first))) :]
    middle = [commonest] * (most - len(first) - len(last))
    return "".join(f"{line}{end}" for line, end in zip(new, [*first, *middle, *last, ""], strict=True))


def _common(first: list[str], second: list[str]) -> int:
    """Return how many items at the start of two lists are the same."""
    return next(
        (n for n, (one, other) in enumerate(zip(first, second, strict=False)) if one != other),
        min(len(first), len(second)),
    )


def one_line(text: str) -> str:
    """Return a text on one line without control characters, which a terminal would obey."""
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())


def is_punctuation(text: str) -> bool:
    """Return whether a text has only punctuation, separators and control characters, which no search looks for."""
    return all(unicodedata.category(character)[0] in "PZC" for character in text)


def simplified(text: str) -> str:
    """Return a text with traditional Chinese characters as simplified ones, each in its place.

    A character becomes the same wherever it stands, so that any part of a text becomes that part: 著 is 着 in 著名 too.
    """
    if text.isascii():
        return text
    table = _simplified()
    return _traditional().sub(lambda match: table[match.group()], text)


def keywords(text: str) -> list[str]:
    """Return the words of a note's text, in reading order, as they are indexed.

    Full-width forms, case and traditional characters are folded and accents dropped. A run of
    Chinese, Japanese or Korean gives every character and every pair of neighbours, so that any part
    of a word finds it. An identifier gives itself and its parts: `RefCell` is also `ref` and `cell`.
    """
    words: list[str] = []
    for run in _runs(text):
        word = run.group()
        words += [*word, *_pairs(word)] if run.lastgroup == "cjk" else _identifier(word)
    return words


def query_keywords(text: str, *, limit: int = 64) -> list[str]:
    """Return the distinct words of a question that keyword search looks for, at most `limit`.

    Pairs stand for a Chinese run, and words that carry no subject are left out unless nothing else
    would be left.
    """
    words: dict[str, None] = {}
    for run in _runs(text):
        word = run.group()
        words |= dict.fromkeys(_identifier(word) if run.lastgroup != "cjk" else _pairs(word) or word)
    return ([word for word in words if word not in STOP_WORDS] or list(words))[:limit]


def parts_of(word: str) -> list[tuple[int, int]]:
    """Return where the parts of an identifier stand, as `keywords` gives them; nothing for a plain word."""
    spans = [match.span() for match in _PARTS.finditer(word)] if word.isascii() else []
    return [(start, end) for start, end in spans if end - start > 1] if len(spans) > 1 else []


def _runs(text: str) -> Iterator[re.Match[str]]:
    return _RUNS.finditer(simplified(unicodedata.normalize("NFKC", text)))


def _pairs(run: str) -> list[str]:
    return [run[i : i + 2] for i in range(len(run) - 1)]


def _identifier(word: str) -> list[str]:
    whole = _plain(word.strip("_"))
    parts = _PARTS.findall(word) if word.isascii() else []
    if not whole:
        return []
    # A letter alone tells nothing: K8s is no k.
    return [whole, *(part.lower() for part in parts if len(part) > 1)] if len(parts) > 1 else [whole]


def _plain(word: str) -> str:
    if word.isascii():
        return word.lower()
    decomposed = unicodedata.normalize("NFKD", word.casefold())
    return "".join(character for character in decomposed if not unicodedata.combining(character))


@cache
def _traditional() -> re.Pattern[str]:
    """Match what has a simplified form: most of a text has none, and str.translate looks each character up."""
    return re.compile(f"[{''.join(_simplified())}]")


@cache
def _simplified() -> dict[str, str]:
    """Return the simplified form of the basic plane's characters, from the dictionaries of OpenCC."""
    from opencc import OpenCC

    characters = [chr(code) for code in _HAN]
    lines = "\n".join(characters)
    table: dict[str, str] = {}
    # Hong Kong and Taiwan write some characters otherwise (衞, and 著 for 着); what is standard goes first.
    for script in ("t2s", "hk2s", "tw2s"):
        for character, simple in zip(characters, OpenCC(script).convert(lines).split("\n"), strict=True):
            if simple != character and len(simple) == 1:
                table.setdefault(character, simple)
    # To Taiwan this is the character that is 幺 in simplified texts, where it is that of 什么.
    table.pop("么", None)
    return {character: table.get(simple, simple) for character, simple in table.items()}
