"""Helpers for lines, keywords, spelling variants, hashes, and finding quotes in text."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from hashlib import blake2b
from itertools import chain, groupby
from operator import add
from pathlib import PurePosixPath
from urllib.parse import quote

from core.base.blobs import Span, remove_blobs
from core.base.frozen import TextValues
from core.base.irregular import IRREGULAR

# Pattern for a line ending, as in Markdown and browsers. Form feed, U+2028 and the like count as whitespace.
LINE_END = r"(?:\r\n|\n|\r)"

_NEAR = 256
# Characters with a special meaning in a URL or in Markdown.
_UNSAFE = re.compile(r"[\s()<>%\\#?`]|&(?=#?\w+;)")


def line_starts(text: str) -> list[int]:
    """Return the offset at which each line starts. A final line ending doesn't start a new line."""
    ending = LINE_END if "\r" in text else r"\n"
    return [0, *(match.end() for match in re.finditer(ending, text) if match.end() < len(text))]


def text_end(text: str, start: int, end: int) -> int:
    """Return the end of a span without its trailing whitespace. The span isn't copied."""
    near = max(start, end - _NEAR)
    while not (tail := text[near:end].rstrip()) and near > start:
        near = max(start, end - 2 * (end - near))
    return near + len(tail)


def with_newlines(text: str) -> str:
    """Convert all line endings to \\n without moving any characters, so \\r\\n becomes a space and \\n."""
    return text.replace("\r\n", " \n").replace("\r", "\n")


def with_line_ends(text: str, before: str) -> str:
    """Restore the original line endings in text from an editor, which always uses \\n.

    `before` is the text before the edit. Unchanged lines at the start and end keep their line endings. The lines in
    between get the most common line ending. Text that already contains \\r is left unchanged.
    """
    if "\r" in text or "\r" not in before:
        return text
    new = re.split(LINE_END, text)
    old = re.split(LINE_END, before)
    ends = re.findall(LINE_END, before)
    commonest = max(dict.fromkeys(ends), key=ends.count)
    head = shared_length(new, old)
    tail = shared_length(new[head:][::-1], old[head:][::-1])
    most = len(new) - 1
    first = ends[: min(head, most)]
    last = ends[len(ends) - max(0, min(tail - 1, most - len(first))) :]
    middle = [commonest] * (most - len(first) - len(last))
    return "".join(f"{line}{end}" for line, end in zip(new, [*first, *middle, *last, ""], strict=True))


def shared_length(first: Sequence[object], second: Sequence[object]) -> int:
    """Return the length of the common prefix of two strings or lists."""
    pairs = enumerate(zip(first, second, strict=False))
    return next((at for at, (item, other) in pairs if item != other), min(len(first), len(second)))


# Pattern to put before a period, so that the period of an abbreviation doesn't count as the end of a sentence.
ABBREVIATED = "".join(
    [
        *(rf"(?<!\b{item}(?=\.))" for item in r"e\.g i\.e vs cf Mr Mrs Ms Dr Prof St Fig approx ca incl".split()),
        r"(?<![ap]\.m(?=\.))(?<![AP]\.M(?=\.))(?!(?:(?<=\bNo)|(?<=\bNr)|(?<=\bp)|(?<=\bpp)|(?<=\bvol)|(?<=\bVol))\.\s*\d)",
    ]
)

# Chinese, Japanese and Korean characters, as a regex character class.
#
# These scripts use no spaces, or attach particles to words.
CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
# Characters of all scripts written without spaces, as a character class, including Thai, Lao, Burmese and Khmer.
UNSPACED = f"{CJK}\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0edf\u1000-\u103f\u1050-\u108f\u1780-\u17d3"
# Characters that only change how other characters look, as a character class.
#
# They are soft hyphens, zero-width spaces, joiners, direction marks, variation selectors, and the stroke that stretches
# Arabic words.
INVISIBLE = (
    "\u00ad\u034f\u061c\u0640\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
    "\U000e0000-\U000e0fff"
)
CHINESE = re.compile(f"[{CJK}]")
_FULL_WIDTH = re.compile("[\u2026\u3000\uff01-\uff5e]")
_LETTER = re.compile(r"[^\W\d_]")


def _marks() -> Iterator[str]:
    """Yield the ranges of combining marks. A pattern of single characters would take twice as long to match."""
    unseen = re.compile(f"[{INVISIBLE}]")
    codes = chain(range(0x300, 0x3100), range(0xA660, 0xAC00), range(0xFB1E, 0xFE30), range(0x11000, 0x12000))
    marks = (code for code in codes if unicodedata.category(chr(code))[0] == "M" and not unseen.match(chr(code)))
    for _, group in groupby(enumerate(marks), lambda numbered: numbered[1] - numbered[0]):
        run = [chr(code) for _, code in group]
        yield f"{run[0]}-{run[-1]}"


# Accents, vowel signs and points, which belong to the preceding letter, as a character class.
MARKS = "".join(_marks())
# Pattern for a word in a script with spaces, including combining and invisible characters.
WORD = rf"[^\W{UNSPACED}]+(?:[{MARKS}{INVISIBLE}]+[^\W{UNSPACED}]*)*"

# Hebrew and Arabic vowel points and accents, which are usually omitted in writing.
_POINTS = (
    "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"
    "\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed"
)
# Marks that can be dropped from a letter. Indic vowel signs count as letters.
_ACCENTS = re.compile(
    rf"[{_POINTS}\u0300-\u036f\u0483-\u0489\u0711\u0730-\u074a\u0898-\u089f\u08ca-\u08ff\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff"
    r"\ufe20-\ufe2f]+"
)
_UNSEEN = re.compile(f"[{INVISIBLE}]")
_UNREAD = re.compile(f"[{INVISIBLE}{_POINTS}]")
# Letters that Unicode doesn't decompose into a letter and an accent.
_STROKES = str.maketrans(
    {"đ": "d", "ð": "d", "ħ": "h", "ı": "i", "ł": "l", "ŋ": "n", "ø": "o", "ŧ": "t", "æ": "ae", "œ": "oe", "þ": "th"}
)
_EMOJI = (
    "\u231a\u231b\u23e9-\u23fa\u2600-\u2775\u2794-\u27bf\u2b00-\u2bff\U0001f000-\U0001f1e5\U0001f200-\U0001f3fa"
    "\U0001f400-\U0001faff"
)
_FLAG = "\U0001f1e6-\U0001f1ff"

_RUNS = re.compile(
    # Most matches aren't directly followed by another one, so checking one character first saves a sixth of the time.
    rf"(?=[\w{_EMOJI}{_FLAG}])(?:"
    rf"(?P<unspaced>[{UNSPACED}][{UNSPACED}{MARKS}]*)"
    r"|[vV]?\d+(?:\.\d+)+"
    rf"|\w[^\W{UNSPACED}]*(?:[{MARKS}]+[^\W{UNSPACED}]*)*(?:\+\+|#(?!\w))?"
    rf"|[{_EMOJI}]|[{_FLAG}]{{2}})"
)
_CLUSTER = re.compile(rf".[{MARKS}]*")
_HALVES = re.compile("[\ud800-\udfff]")
# The Chinese characters in Unicode's Basic Multilingual Plane. They include all those in common use.
_HAN = range(0x3400, 0xA000)
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_LETTERS = re.compile(rf"[^\W\d_]+(?:[{MARKS}{INVISIBLE}]+[^\W\d_]*)*")
# Minimum number of letters next to digits that count as a word, so that `5th` doesn't yield `th`.
_LEAST_LETTERS = 3
# Words and numbers that can also be written as one: e-mail and email, 138 0013 8000 and 13800138000.
_JOINED = re.compile(
    r"\b(?:(?<![./-])(?=[A-Za-z])[A-Za-z\d]++(?:-[A-Za-z\d]++){1,2}+(?![\w/-])"
    r"|(?<![.+-])(?:(?<!\d )|(?<=\+\d )|(?<=\+\d\d )|(?<=\+\d{3} ))"
    r"(?P<digits>\d{2,8}+(?:[ -]\d{2,8}+){1,6}+)(?![\w:-]|[ .]\d))"
)
_NUMBER = re.compile(r"(?<=[A-Za-z_])(?:\d++(?:\.\d++)++|\d{3,}+)(?![A-Za-z_])")
# A name ending in a number that people also search for by itself: v1.2.3, ERR_CONN_4071.
_NUMBERED = re.compile(rf"(?a:\b)[A-Za-z_][A-Za-z\d_]*?({_NUMBER.pattern})")
# Version of the output of `index_words`. A workspace indexed with another version is reindexed.
WORDS_FORM = 3
# Stop words, in the form returned by `keywords`.
STOP_WORDS = frozenset(
    "a about an and are as at be been but by can could did do does for from had has have how i if in into is it"
    " its me my of on or our so than that the their them then there these they this those to was we were what"
    " when where which while who why will with would you your s t don doesn isn"
    " 什么 怎么 为什 么样 如何 哪些 哪个 是否 可以 这个 那个".split()
)


def digest(text: str) -> bytes:
    """Return the 16-byte BLAKE2b digest that identifies the text in the store."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def find_half_character(text: str) -> int | None:
    """Return the offset of the first lone surrogate, which files and databases can't hold, or None if there is none."""
    half = _HALVES.search(text)
    return half and half.start()


def make_storable(text: str) -> str:
    """Replace NULs and lone surrogates with U+FFFD, keeping the length the same."""
    return _HALVES.sub("�", text.replace("\0", "�"))


def escape_halves(text: str) -> str:
    """Escape the lone surrogates in the text, so that it can be printed."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def normalize(text: str) -> str:
    """Return the text in NFKC form. Full-width punctuation, which makes `unicodedata` slow, is replaced first."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFKC", _FULL_WIDTH.sub(lambda sign: unicodedata.normalize("NFKC", sign[0]), text))


def fold(text: str) -> str:
    """Fold spelling variants in the text.

    The result has normal width, folded case and simplified Chinese characters. It contains no invisible characters and
    no Hebrew or Arabic points.
    """
    return text.casefold() if text.isascii() else simplify(_UNREAD.sub("", normalize(text)).casefold())


def fold_in_place(text: str) -> str:
    """Fold case and full-width forms without moving any characters."""
    folded = ((sign, unicodedata.normalize("NFKC", sign).lower()) for sign in text)
    return text.lower() if text.isascii() else "".join(plain if len(plain) == 1 else sign for sign, plain in folded)


def compose(text: str) -> str:
    """Combine each letter and its marks into one character where possible (NFC), as most programs write names.

    In file names on macOS, letters and marks are separate characters (NFD).
    """
    return unicodedata.normalize("NFC", text)


def name_key(name: str) -> str:
    """Return a key for comparing names that ignores case and how letters and marks are composed."""
    return compose(compose(name).casefold())


def stem(path: str) -> str:
    """Return the title derived from a file name. It is composed (NFC), on one line, and without the suffix."""
    return compose(collapse_spaces(PurePosixPath(path).stem))


def collapse_spaces(text: str) -> str:
    """Return the text on one line, with single spaces between words."""
    return " ".join(text.split())


def shorten(text: str, most: int) -> str:
    """Return the text, cut to at most `most` characters. An ellipsis shows that the text was cut."""
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def one_line(text: str) -> str:
    """Return the text on one line, without control characters, which a terminal would interpret."""
    return collapse_spaces("".join(letter if letter.isprintable() else " " for letter in text))


def is_punctuation(text: str) -> bool:
    """Return whether the text has only punctuation, separators and control characters, which are never searched for."""
    return all(unicodedata.category(character)[0] in "PZC" for character in text)


def is_chinese(text: str) -> bool:
    """Return whether more than a fifth of the letters are Chinese, Japanese or Korean characters."""
    return 5 * len(CHINESE.findall(text)) > len(_LETTER.findall(text))


def simplify(text: str) -> str:
    """Convert traditional Chinese characters to simplified ones, one by one.

    The result for a character doesn't depend on the characters around it, so that an excerpt still matches the full
    text: 著 becomes 着 even in 著名.
    """
    if text.isascii():
        return text
    pattern, table = _simplified()
    return pattern.sub(lambda match: table[match.group()], text)


_LATIN = re.compile(rf"[^\W{UNSPACED}]|[{MARKS}]")
# A letter with its combining marks at the end of the text. Marks without a letter aren't part of a word.
_LATIN_END = re.compile(rf"[^\W{UNSPACED}][{MARKS}]*\Z")
_MOST_MARKS = 32


def find_words(part: str, text: str) -> int:
    """Return the offset of the first occurrence of `part` as whole words, or -1 if there is none.

    In scripts that don't separate words with spaces, any occurrence counts.
    """
    at = text.find(part)
    while at >= 0 and (_is_inside_word(text, at) or _is_inside_word(text, at + len(part))):
        at = text.find(part, at + 1)
    return at


def _is_inside_word(text: str, place: int) -> bool:
    return bool(_LATIN.match(text, place) and _LATIN_END.search(text[max(place - _MOST_MARKS, 0) : place]))


def index_words(text: str) -> list[str]:
    """Return the words to index for a note's text, followed by alternative spellings of some of them. See `keywords`.

    Hyphenated words and numbers with spaces are also indexed as one word. Numbers at the end of names are also indexed
    by themselves, and irregular forms of English words by their base form.
    """
    text = normalize(remove_blobs(text))
    words = keywords(text)
    joined = (_join(match).lower() for match in _JOINED.finditer(text))
    return [*words, *joined, *_NUMBER.findall(text), *(IRREGULAR[word] for word in words if word in IRREGULAR)]


def respell(text: str) -> list[str]:
    """Return other spellings of a question, or [] if there are none.

    In one of them, hyphenated words and numbers with spaces are joined. In the other, names such as `v1.2.3` are
    reduced to their numbers.
    """
    text = normalize(text)
    return sorted({_JOINED.sub(_join, text), _NUMBERED.sub(r"\1", text)} - {text})


def _join(match: re.Match[str]) -> str:
    return re.sub("[ -]", "", match["digits"] or match[0])


def keywords(text: str) -> list[str]:
    """Return the words in a note's text in reading order.

    Full-width forms, case and traditional characters are folded. Accents, strokes and invisible characters are dropped.
    A run in a script without spaces yields each character and each pair of adjacent characters, so that any part of a
    word is found. An identifier yields itself and its parts: `RefCell` also yields `ref` and `cell`, and `iPhone15`
    also yields `iphone`. Blobs yield no words.
    """
    words: list[str] = []
    for run in _runs(remove_blobs(text)):
        word = run.group()
        if run.lastgroup:
            clusters = _clusters(word)
            words += [*clusters, *_pairs(clusters)]
        else:
            words += _identifier(word)
    return words


def query_keywords(text: str, *, limit: int = 64) -> list[str]:
    """Return up to `limit` distinct keywords from a question.

    A run in a script without spaces becomes pairs of characters. Stop words are left out unless there are no other
    words.
    """
    words: dict[str, None] = {}
    for run in _runs(text):
        word = run.group()
        if run.lastgroup:
            words |= dict.fromkeys(_pairs(_clusters(word)) or [word])
        elif whole := without_accents(
            word.strip("_")
        ):  # digits are kept, so that `iphone15` doesn't match every iPhone
            words |= dict.fromkeys((whole, *(word[start:end].lower() for start, end in _humps(word))))
    return ([word for word in words if word not in STOP_WORDS] or list(words))[:limit]


def parts_of(word: str) -> list[Span]:
    """Return the spans of an identifier's parts, as in `keywords`, or [] for a plain word."""
    if word.isalpha() and word.islower():
        return []
    humps = _humps(word)
    whole = len(word.strip("_"))
    letters = (match.span() for match in _LETTERS.finditer(word))
    return [*humps, *(span for span in letters if _LEAST_LETTERS <= span[1] - span[0] < whole and span not in humps)]


def _humps(word: str) -> list[Span]:
    """Return the spans of an ASCII word's parts, split at capitals, digits and punctuation, or [] for a single part.

    Parts of one letter are left out.
    """
    spans = [match.span() for match in _PARTS.finditer(word)] if word.isascii() else []
    return [(start, end) for start, end in spans if end - start > 1] if len(spans) > 1 else []


def _runs(text: str) -> Iterator[re.Match[str]]:
    return _RUNS.finditer(text if text.isascii() else simplify(_UNSEEN.sub("", normalize(text))))


def _clusters(run: str) -> Sequence[str]:
    return run if run.isalpha() else _CLUSTER.findall(run)


def _pairs(clusters: Sequence[str]) -> list[str]:
    return list(map(add, clusters[:-1], clusters[1:]))


@lru_cache(20_000)
def _identifier(word: str) -> Sequence[str]:
    whole = without_accents(word.strip("_"))
    return (whole, *(without_accents(word[start:end]) for start, end in parts_of(word))) if whole else ()


def without_accents(word: str) -> str:
    """Return a text in lower case, without accents, and with normal width."""
    if word.isascii():
        return word.lower()
    return _ACCENTS.sub("", unicodedata.normalize("NFKD", word.casefold())).translate(_STROKES)


@cache
def _simplified() -> tuple[re.Pattern[str], TextValues]:
    """Return a pattern for the traditional characters in `_HAN`, and a table of their simplified forms.

    The forms come from OpenCC's dictionaries. The pattern is faster than `str.translate`, because most characters have
    no simplified form.
    """
    from opencc import OpenCC

    characters = [chr(code) for code in _HAN]
    lines = "\n".join(characters)
    table: TextValues = {}
    # Hong Kong and Taiwan write some characters differently (衞, and 著 for 着). The standard form takes precedence.
    for script in ("t2s", "hk2s", "tw2s"):
        for character, simple in zip(characters, OpenCC(script).convert(lines).split("\n"), strict=True):
            if simple != character and len(simple) == 1:
                table.setdefault(character, simple)
    # In Taiwan, 么 is a form of 幺. In simplified Chinese, it is the character in 什么.
    table.pop("么", None)
    forms = {character: table.get(simple, simple) for character, simple in table.items()}
    return re.compile(f"[{''.join(forms)}]"), forms


# Whitespace and Markdown marks, which models drop when quoting.
_SKIPPED = re.compile(r"[\s*_`~\\>|#]")
_ALIKE = str.maketrans("“”„‟«»「」『』‘’‚‛′`–—−‐‑", '"' * 10 + "'" * 6 + "-" * 5)
# Minimum number of letters and digits in a quote. A shorter quote could occur anywhere.
#
# A Chinese character counts as two.
_LEAST = 8


def find_quote(quote: str, text: str) -> Span | None:
    """Return the span of a quote's first occurrence in the text.

    Return None if the quote is missing or too short to be meaningful. An exact match is tried first, then one that
    ignores case, width, traditional versus simplified characters, the forms of quotation marks and dashes, whitespace
    and Markdown.
    """
    quote = quote.strip().strip("…").strip()
    letters = re.findall(r"\w", quote)
    weight = len(letters) + len(CHINESE.findall(quote))
    if weight < _LEAST and not (letters and quote in map(str.strip, text.splitlines())):
        return None
    if (at := find_words(quote, text)) >= 0:
        return at, at + len(quote)
    wanted, _ = _fold_with_places(quote)
    folded, places = _fold_with_places(text)
    at = find_words(wanted, folded) if wanted else -1
    return (places[at], places[at + len(wanted) - 1] + 1) if at >= 0 else None


def _fold_with_places(text: str) -> tuple[str, list[int]]:
    """Return the folded characters of the text, and the offset of each one in the original text."""
    letters: list[str] = []
    places = []
    gap = False
    for place, character in enumerate(simplify(text)):
        if _SKIPPED.match(character):
            gap = True
            continue
        for letter in unicodedata.normalize("NFKC", character.translate(_ALIKE)).translate(_ALIKE).casefold():
            if gap and letters and _is_inside_word(letters[-1] + letter, 1):
                letters.append(" ")
                places.append(place)
            gap = False
            letters.append(letter)
            places.append(place)
    return "".join(letters), places


def strip_span(text: str, start: int, end: int) -> Span:
    """Shrink a span to exclude the whitespace at both ends."""
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), end - (len(piece) - len(piece.rstrip()))


def link_address(path: str, *, plain: str = "") -> str:
    """Return a path as a readable link target. Only special characters that aren't in `plain` are escaped.

    >>> link_address("日记/June (2).md")
    '日记/June%20%282%29.md'
    """
    return _UNSAFE.sub(lambda sign: sign[0] if sign[0] in plain else quote(sign[0]), path)
