"""Texts: lines, keywords, common forms of spellings, hashes, places of quotes."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from hashlib import blake2b
from itertools import chain, groupby
from operator import add
from pathlib import PurePosixPath
from urllib.parse import quote

from core.base.blobs import Span, remove_blobs

LINE_END = r"(?:\r\n|\n|\r)"
"""What ends a line, here as in Markdown and in browsers: all else that may (form feed, U+2028) is white space in it."""

_NEAR = 256
_UNSAFE = re.compile(r"[\s()<>%\\#?`]|&(?=#?\w+;)")
"""Signs that have a meaning in an address, or may begin something else."""


def line_starts(text: str) -> list[int]:
    """Return where each line begins; after the last line end a line begins only if text follows."""
    ending = LINE_END if "\r" in text else r"\n"
    return [0, *(match.end() for match in re.finditer(ending, text) if match.end() < len(text))]


def text_end(text: str, start: int, end: int) -> int:
    """Return where a span ends without the white space at its end; a long span isn't copied for it."""
    near = max(start, end - _NEAR)
    while not (tail := text[near:end].rstrip()) and near > start:
        near = max(start, end - 2 * (end - near))
    return near + len(tail)


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
        (n for n, (item, other) in enumerate(zip(first, second, strict=False)) if item != other),
        min(len(first), len(second)),
    )


CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
"""Chinese, Japanese and Korean, as a character class: written without spaces, or with particles that cling to words."""
UNSPACED = f"{CJK}\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0edf\u1000-\u103f\u1050-\u108f\u1780-\u17d3"
"""All scripts written without spaces, as a character class: also Thai, Lao, Burmese and Khmer."""
INVISIBLE = (
    "\u00ad\u034f\u061c\u0640\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
    "\U000e0000-\U000e0fff"
)
"""Characters that change only how others look, as a character class.

Soft hyphens, spaces of no width, joiners, marks of direction, variation selectors, the stroke that stretches Arabic.
"""
_CHINESE = re.compile(f"[{CJK}]")
_LETTER = re.compile(r"[^\W\d_]")


def _marks() -> Iterator[str]:
    """Yield the ranges of the marks: a pattern with single characters takes twice as long, and longer to compile."""
    unseen = re.compile(f"[{INVISIBLE}]")
    codes = chain(range(0x300, 0x3100), range(0xA660, 0xAC00), range(0xFB1E, 0xFE30), range(0x11000, 0x12000))
    marks = (code for code in codes if unicodedata.category(chr(code))[0] == "M" and not unseen.match(chr(code)))
    for _, group in groupby(enumerate(marks), lambda numbered: numbered[1] - numbered[0]):
        run = [chr(code) for _, code in group]
        yield f"{run[0]}-{run[-1]}"


MARKS = "".join(_marks())
"""Accents, vowel signs and points, which belong to the letter before, as a character class."""
WORD = rf"[^\W{UNSPACED}]+(?:[{MARKS}{INVISIBLE}]+[^\W{UNSPACED}]*)*"
"""A pattern of a word of the scripts that have spaces, with what belongs to its letters."""

_POINTS = (
    "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"
    "\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed"
)
"""Vowels and accents of Hebrew and Arabic, which most texts leave out."""
_ACCENTS = re.compile(
    rf"[{_POINTS}\u0300-\u036f\u0483-\u0489\u0711\u0730-\u074a\u0898-\u089f\u08ca-\u08ff\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff"
    r"\ufe20-\ufe2f]+"
)
"""Marks without which a letter is still read; a vowel sign of an Indian script is a letter."""
_UNSEEN = re.compile(f"[{INVISIBLE}]")
_UNREAD = re.compile(f"[{INVISIBLE}{_POINTS}]")
_STROKES = str.maketrans(
    {"đ": "d", "ð": "d", "ħ": "h", "ı": "i", "ł": "l", "ŋ": "n", "ø": "o", "ŧ": "t", "æ": "ae", "œ": "oe", "þ": "th"}
)
"""Letters that Unicode doesn't take apart into a letter and an accent."""
_EMOJI = (
    "\u231a\u231b\u23e9-\u23fa\u2600-\u2775\u2794-\u27bf\u2b00-\u2bff\U0001f000-\U0001f1e5\U0001f200-\U0001f3fa"
    "\U0001f400-\U0001faff"
)
_FLAG = "\U0001f1e6-\U0001f1ff"

_RUNS = re.compile(
    # Most places where a word could begin have none of these: looking for one character first saves a sixth.
    rf"(?=[\w{_EMOJI}{_FLAG}])(?:"
    rf"(?P<unspaced>[{UNSPACED}][{UNSPACED}{MARKS}]*)"
    r"|[vV]?\d+(?:\.\d+)+"
    rf"|\w[^\W{UNSPACED}]*(?:[{MARKS}]+[^\W{UNSPACED}]*)*(?:\+\+|#(?!\w))?"
    rf"|[{_EMOJI}]|[{_FLAG}]{{2}})"
)
_CLUSTER = re.compile(rf".[{MARKS}]*")
_HALVES = re.compile("[\ud800-\udfff]")
_HAN = range(0x3400, 0xA000)
"""Chinese characters of Unicode's basic plane, which includes those in practical use."""
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_LETTERS = re.compile(rf"[^\W\d_]+(?:[{MARKS}{INVISIBLE}]+[^\W\d_]*)*")
_LEAST_LETTERS = 3
"""Least letters between digits that are a word: `5th` isn't `th`."""
_JOINED = re.compile(
    r"\b(?:(?<![./-])(?=[A-Za-z])[A-Za-z\d]++(?:-[A-Za-z\d]++){1,2}+(?![\w/-])"
    r"|(?<![.+-])(?:(?<!\d )|(?<=\+\d )|(?<=\+\d\d )|(?<=\+\d{3} ))"
    r"(?P<digits>\d{2,8}+(?:[ -]\d{2,8}+){1,6}+)(?![\w:-]|[ .]\d))"
)
"""Words and figures that are written apart or together: e-mail and email, 138 0013 8000 and 13800138000."""
_NUMBER = re.compile(r"(?<=[A-Za-z_])(?:\d++(?:\.\d++)++|\d{3,}+)(?![A-Za-z_])")
_NUMBERED = re.compile(rf"(?a:\b)[A-Za-z_][A-Za-z\d_]*?({_NUMBER.pattern})")
"""A name that ends in a number, by which people look for it: v1.2.3, ERR_CONN_4071."""
WORDS_FORM = 2
"""Number of the form in which `index_words` gives words. A workspace with words in another form is indexed anew."""
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


def find_half_character(text: str) -> int | None:
    """Return the offset of the first half of a character, which no file or database can hold; None if there is none."""
    half = _HALVES.search(text)
    return half and half.start()


def make_storable(text: str) -> str:
    """Return a text of the same length with a mark in place of NULs and of halves of characters."""
    return _HALVES.sub("�", text.replace("\0", "�"))


def escape_halves(text: str) -> str:
    """Return a text that can be printed anywhere: halves of characters are escaped."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def fold(text: str) -> str:
    """Return the common form of a text's spellings.

    Normal width, folded case, simplified characters, nothing invisible, and no points in Hebrew and Arabic.
    """
    return simplify(_remove(_UNREAD, unicodedata.normalize("NFKC", text)).casefold())


def fold_in_place(text: str) -> str:
    """Fold case and full-width forms; every character keeps its place."""
    return text.lower() if text.isascii() else "".join(map(_letter, text))


def _letter(character: str) -> str:
    plain = unicodedata.normalize("NFKC", character).lower()
    return plain if len(plain) == 1 else character


def _remove(pattern: re.Pattern[str], text: str) -> str:
    return text if text.isascii() else pattern.sub("", text)


def compose(text: str) -> str:
    """Return a text with each letter and its marks as one character, where there is one: as most programs write names.

    Names of files on macOS have them as separate characters (NFD).
    """
    return unicodedata.normalize("NFC", text)


def name_key(name: str) -> str:
    """Return the common form of a name's spellings, which differ in case or in how letters and marks are composed."""
    return compose(compose(name).casefold())


def stem(path: str) -> str:
    """Return the name of a file as a title: composed, on one line, without its suffix."""
    return compose(" ".join(PurePosixPath(path).stem.split()))


def one_line(text: str) -> str:
    """Return a text on one line without control characters, which a terminal would obey."""
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())


def is_punctuation(text: str) -> bool:
    """Return whether a text has only punctuation, separators and control characters, which are never searched."""
    return all(unicodedata.category(character)[0] in "PZC" for character in text)


def is_chinese(text: str) -> bool:
    """Whether more than a fifth of the letters are Chinese."""
    return 5 * len(_CHINESE.findall(text)) > len(_LETTER.findall(text))


def simplify(text: str) -> str:
    """Return a text with traditional Chinese characters as simplified ones, each in its place.

    A character becomes the same in every place, so that any part of a text becomes that part: 著 is 着 in 著名 too.
    """
    if text.isascii():
        return text
    table = _simplified()
    return _traditional().sub(lambda match: table[match.group()], text)


def index_words(text: str) -> list[str]:
    """Return the words of a note's text as they are indexed: `keywords`, then other spellings of some of them.

    What a hyphen or spaces part is one word too, and a name that ends in a number is also that number.
    """
    text = unicodedata.normalize("NFKC", remove_blobs(text))
    joined = (_join(match).lower() for match in _JOINED.finditer(text))
    return [*keywords(text), *joined, *_NUMBER.findall(text)]


def respell(text: str) -> list[str]:
    """Return a question in the other spellings that `index_words` gives, none where it has no such word."""
    text = unicodedata.normalize("NFKC", text)
    return sorted({_JOINED.sub(_join, text), _NUMBERED.sub(r"\1", text)} - {text})


def _join(match: re.Match[str]) -> str:
    return re.sub("[ -]", "", match["digits"] or match[0])


def keywords(text: str) -> list[str]:
    """Return the words of a note's text, in reading order.

    Full-width forms, case and traditional characters are folded, accents, strokes and all that is invisible dropped. A
    run of a script without spaces gives every character and every pair of neighbours, so that any part of a word finds
    it. An identifier gives itself and its parts: `RefCell` is also `ref` and `cell`, `iPhone15` also `iphone`. Blobs
    have no words.
    """
    words: list[str] = []
    for run in _runs(remove_blobs(text)):
        word = run.group()
        words += _characters(word) if run.lastgroup else _identifier(word)
    return words


def query_keywords(text: str, *, limit: int = 64) -> list[str]:
    """Return the distinct words of a question that keyword search looks for, at most `limit`.

    A run of a script without spaces becomes pairs of characters, and words that carry no subject are left out unless
    nothing else would be left.
    """
    words: dict[str, None] = {}
    for run in _runs(text):
        word = run.group()
        words |= dict.fromkeys(_pairs(_clusters(word)) or [word] if run.lastgroup else _typed_words(word))
    return ([word for word in words if word not in STOP_WORDS] or list(words))[:limit]


def parts_of(word: str) -> list[Span]:
    """Return the spans of the parts of an identifier, as `keywords` gives them; nothing for a plain word."""
    if word.isalpha() and word.islower():
        return []
    humps, whole = _humps(word), len(word.strip("_"))
    letters = (match.span() for match in _LETTERS.finditer(word))
    return [*humps, *(span for span in letters if _LEAST_LETTERS <= span[1] - span[0] < whole and span not in humps)]


def _humps(word: str) -> list[Span]:
    """Return the spans of the parts into which capitals and other signs divide a word."""
    spans = [match.span() for match in _PARTS.finditer(word)] if word.isascii() else []
    return [(start, end) for start, end in spans if end - start > 1] if len(spans) > 1 else []


def _runs(text: str) -> Iterator[re.Match[str]]:
    return _RUNS.finditer(simplify(_remove(_UNSEEN, unicodedata.normalize("NFKC", text))))


def _characters(run: str) -> list[str]:
    clusters = _clusters(run)
    return [*clusters, *_pairs(clusters)]


def _clusters(run: str) -> Sequence[str]:
    """Return the letters of a run, each with its marks."""
    return run if run.isalpha() else _CLUSTER.findall(run)


def _pairs(clusters: Sequence[str]) -> list[str]:
    return list(map(add, clusters[:-1], clusters[1:]))


@lru_cache(20_000)
def _identifier(word: str) -> Sequence[str]:
    whole = _plain(word.strip("_"))
    return (whole, *(_plain(word[start:end]) for start, end in parts_of(word))) if whole else ()


def _typed_words(word: str) -> list[str]:
    """Return the words of an identifier in a question: `iphone15` doesn't look for every iPhone."""
    whole = _plain(word.strip("_"))
    return [whole, *(word[start:end].lower() for start, end in _humps(word))] if whole else []


def _plain(word: str) -> str:
    if word.isascii():
        return word.lower()
    return _ACCENTS.sub("", unicodedata.normalize("NFKD", word.casefold())).translate(_STROKES)


@cache
def _traditional() -> re.Pattern[str]:
    """Match characters with a simplified form: most have none, and str.translate looks each one up."""
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


_WORD = re.compile(rf"(?![{CJK}])\w")
_SKIPPED = re.compile(r"[\s*_`~\\>|#]")
"""White space and marks of Markdown, which a model leaves out where it quotes."""
_ALIKE = str.maketrans("“”„‟«»「」『』‘’‚‛′`–—−‐‑", '"' * 10 + "'" * 6 + "-" * 5)
_LEAST = 8
"""Least letters and figures of a quote, a Chinese character counts as two; a shorter one occurs anywhere."""


def find_quote(quote: str, text: str) -> Span | None:
    """Return the first place of a quote in a text, None where it isn't there or is too short to be significant.

    It matches exactly, else apart from case, width, script, quotation marks, white space and marks of Markdown.
    """
    quote = quote.strip().strip("…").strip()
    if not _is_significant(quote, text):
        return None
    if (at := _find_words(quote, text)) is not None:
        return at, at + len(quote)
    wanted, _ = _fold_with_places(quote)
    letters, places = _fold_with_places(text)
    at = _find_words(wanted, letters) if wanted else None
    return None if at is None else (places[at], places[at + len(wanted) - 1] + 1)


def _find_words(quote: str, text: str) -> int | None:
    """Return the first place of a quote as whole words, None without one."""
    at = text.find(quote)
    while at >= 0:
        end = at + len(quote)
        if not (_is_inside_word(text[at - 1 : at], quote[0]) or _is_inside_word(quote[-1], text[end : end + 1])):
            return at
        at = text.find(quote, at + 1)
    return None


def _is_inside_word(before: str, after: str) -> bool:
    """Whether two characters belong to one word or number."""
    return bool(_WORD.fullmatch(before) and _WORD.fullmatch(after))


def _is_significant(quote: str, text: str) -> bool:
    """Whether a quote is long enough, or a line of its text."""
    letters = re.findall(r"\w", quote)
    weight = sum(2 if re.match(f"[{CJK}]", letter) else 1 for letter in letters)
    return weight >= _LEAST or bool(letters and quote in map(str.strip, text.splitlines()))


def _fold_with_places(text: str) -> tuple[str, list[int]]:
    """Return the letters of a text in their common form, and for each the place that it is of."""
    letters: list[str] = []
    places = []
    gap = False
    for place, character in enumerate(simplify(text)):
        if _SKIPPED.match(character):
            gap = True
            continue
        for letter in unicodedata.normalize("NFKC", character.translate(_ALIKE)).translate(_ALIKE).casefold():
            if gap and letters and _is_inside_word(letters[-1], letter):
                letters.append(" ")
                places.append(place)
            gap = False
            letters.append(letter)
            places.append(place)
    return "".join(letters), places


def strip_span(text: str, start: int, end: int) -> Span:
    """Return a span of a text without the white space at its ends."""
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), end - (len(piece) - len(piece.rstrip()))


def join_spans(spans: Iterable[Span]) -> list[Span]:
    """Return sorted spans that aren't empty with those that touch joined."""
    apart: list[Span] = []
    for start, end in spans:
        if apart and start <= apart[-1][1]:
            apart[-1] = apart[-1][0], max(apart[-1][1], end)
        elif start < end:
            apart.append((start, end))
    return apart


def link_address(path: str, *, plain: str = "") -> str:
    """Return a path as the address of a link, readable: only signs with a meaning are escaped, `plain` ones are not.

    >>> link_address("日记/June (2).md")
    '日记/June%20%282%29.md'
    """
    return _UNSAFE.sub(lambda sign: sign[0] if sign[0] in plain else quote(sign[0]), path)
