"""Blobs: spans of text that aren't language, such as pasted pictures, keys, drawings and minified code."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain

# Minimum length in characters of a blob that is removed from its passage. Smaller blobs stay in their sentences.
LARGE = 400

Span = tuple[int, int]

# Minimum length of each line in a blob, and minimum length of a single line that is a blob by itself.
#
# Hashes have at most 128 characters.
_SHORTEST = 60
_LONGEST_WORD = 200
# For each byte, whether it can occur in base64 or hexadecimal data.
_IS_SIGN = bytes(bool(re.match("[A-Za-z0-9+/=_-]", chr(code))) for code in range(256))
# Minimum number of equally long lines that together form a blob. Base64 is usually wrapped.
_FEWEST_LINES = 3
# Sample sizes: characters from a run, lines from a block, and characters from a line.
_SAMPLE = 2_000
_SAMPLED_LINES = 30
_LONGEST_SAMPLE = 100_000
_TURN = re.compile(r"[a-z](?=[A-Z0-9])|[0-9](?=[A-Za-z])|[A-Z](?=[0-9])")
_PAIR = re.compile(r"([A-Za-z0-9])(?!\1)(?=[A-Za-z0-9])")
# Minimum share of adjacent character pairs in a blob that switch case, or switch between letters and digits.
#
# The share is 0.2 in all-caps names, and 0.3 to 0.6 in base64.
_MIXED = 0.28
_HEXADECIMAL = re.compile(r"[0-9A-Fa-f]*+\Z")
_WIDEST_BREAK = 40
_BREAK = re.compile(r"[ \t]*\r?\n[ \t>]*")
_TAIL = re.compile(r"[ \t]*\r?\n[ \t>]*[A-Za-z0-9+/]{1,76}={1,2}(?![^\s])")

_ADDRESS = re.compile(r"(?i)data:[a-z]{1,20}/[\w.+-]{1,80}(?:;[\w.=+-]{1,80}){0,8},")
_BASE64 = re.compile(
    r"[A-Za-z0-9+/=%_-]*+(?:[ \t]*\r?\n[ \t>]*[A-Za-z0-9+/=_-]{40,}+)*+"
    r"(?:[ \t]*\r?\n[ \t>]*[A-Za-z0-9+/]++={0,2}(?=[\"'>)]))?"
)
_UNTIL = {'"': re.compile(r'[^"\r\n]*'), "'": re.compile(r"[^'\r\n]*"), "<": re.compile(r"[^>\r\n]*")}
_UNQUOTED = re.compile(r"[^\s\"'<>()]*")
_OPENING = re.compile(r"(?:\]\(<?|=[\"']?|[\"'<(])\Z")
_CLOSING = re.compile(r"[\"'>)]{0,2}")

_KEY = re.compile(
    r"(-----BEGIN [A-Z0-9 ]{1,60}-----[ \t]*\r?\n(?:[ \t>]*[A-Za-z-]{1,40}:[^\r\n]*\r?\n)*)"
    r"(?:[ \t>]*(?:[A-Za-z0-9+/=]++[ \t]*)?\r?\n)++(?=[ \t>]*-----END )"
)
_DRAWING = re.compile(
    r"(?m)^[ \t]*(`{3,}|~{3,})(?:compressed-json[ \t]*$|json\s{1,20}\{\s{0,20}\"type\"\s?:\s?\"excalidraw\")"
)

_LONG_LINE = 1_000
_BLANK = re.compile(r"\s")
_BRACKET = re.compile(r"[{}();]")
# Limits on the shares of certain characters in minified code.
#
# JSON has more quotation marks. Prose has more spaces or non-ASCII characters.
_FEWEST_BRACKETS = 0.025
_MOST_BLANKS = 0.04
_MOST_QUOTES = 0.08
_MOST_OTHER = 0.2
_ON_A_LINE = re.compile(r"[^\r\n]+")


def blobs(text: str) -> list[Span]:
    """Find the spans of text that aren't language, in order and in linear time.

    These are `data:` URLs, base64 and hexadecimal data (wrapped or not), keys and certificates, Excalidraw drawings,
    and lines of minified code. Hashes, numbers, web addresses and long words count as language.
    """
    if len(text) < _SHORTEST and "data:" not in text:
        return []
    parts = [_runs(text), _code(text)]
    if "data:" in text:
        parts.append(_addresses(text))
    if "-----BEGIN " in text:
        parts.append((match.end(1), match.end()) for match in _KEY.finditer(text))
    if "excalidraw" in text or "compressed-json" in text:
        parts.append(_drawings(text))
    return join_spans(sorted(chain.from_iterable(parts)))


def join_spans(spans: Iterable[Span]) -> list[Span]:
    """Merge sorted spans that touch or overlap, and drop empty ones."""
    apart: list[Span] = []
    for start, end in spans:
        if apart and start <= apart[-1][1]:
            apart[-1] = apart[-1][0], max(apart[-1][1], end)
        elif start < end:
            apart.append((start, end))
    return apart


def blank_blobs(text: str, spans: Sequence[Span] | None = None) -> str:
    """Overwrite the blobs in the text with spaces, keeping its length and line endings.

    `spans` are the positions of the blobs, if already known.
    """
    return remove_blobs(text, spans, lambda blob: _ON_A_LINE.sub(lambda line: " " * len(line[0]), blob))


def remove_blobs(
    text: str, spans: Sequence[Span] | None = None, substitute: Callable[[str], str] = lambda _: " "
) -> str:
    """Replace each blob in the text with a single space, or with what `substitute` returns for it.

    `spans` are the positions of the blobs, if already known.
    """
    pieces = []
    at = 0
    for start, end in blobs(text) if spans is None else spans:
        pieces += [text[at:start], substitute(text[start:end])]
        at = end
    return "".join([*pieces, text[at:]]) if at else text


def _addresses(text: str) -> Iterator[Span]:
    """Yield the `data:` URLs, including the Markdown or HTML delimiters around them."""
    at = 0
    last_drawing = text.rfind("</svg>") if "<svg" in text else -1
    while match := _ADDRESS.search(text, at):
        start, at = match.span()
        if match[0].lower().endswith(";base64,"):
            at = _end(_BASE64, text, at)
        elif text.startswith("<svg", at) and at < last_drawing:
            at = text.index("</svg>", at) + len("</svg>")
        else:
            at = _end(_UNTIL.get(text[start - 1 : start], _UNQUOTED), text, at)
        opening = _OPENING.search(text[max(0, start - 3) : start])
        at = _end(_CLOSING, text, at)
        yield start - len(opening[0] if opening else ""), at


def _drawings(text: str) -> Iterator[Span]:
    at = 0
    while match := _DRAWING.search(text, at):
        closing = text.find(f"\n{match[1]}", match.end())
        start = text.find("\n", match.end(1)) + 1
        at = closing + 1 if closing >= 0 else len(text)
        if start:
            yield start, at


def _runs(text: str) -> Iterator[Span]:
    """Yield long runs of base64 characters, and blocks of shorter runs of equal length.

    Searching bytes is ten times as fast as a regex.
    """
    signs = text.encode("ascii", "replace").translate(_IS_SIGN)
    block: list[Span] = []
    end = 0
    while (start := signs.find(b"\1" * _SHORTEST, end)) >= 0:
        end = signs.find(b"\0", start)
        end = end if end >= 0 else len(text)
        if block and not _continues(text, block, (start, end)):
            yield from _block_spans(text, block)
            block = []
        block.append((start, end))
    yield from _block_spans(text, block)


def _continues(text: str, block: list[Span], run: Span) -> bool:
    """Return whether a run continues a block of equally long lines. It must be on the next line and not be longer."""
    first, last = block[0]
    start, end = block[-1]
    if end - start != last - first or run[1] - run[0] > last - first:
        return False
    return run[0] - end < _WIDEST_BREAK and bool(_BREAK.fullmatch(text, end, run[0]))


def _block_spans(text: str, block: list[Span]) -> Iterator[Span]:
    if len(block) >= _FEWEST_LINES:
        lines = "".join(text[slice(*span)] for span in block[:_SAMPLED_LINES])
        if _is_mixed(lines) and not _HEXADECIMAL.match(lines):
            yield block[0][0], _end(_TAIL, text, block[-1][1])
            return
    for start, end in block:
        if end - start >= _LONGEST_WORD and _is_mixed(text[start:end]):
            yield start, end


def _is_mixed(run: str) -> bool:
    """Return whether a run switches case, or between letters and digits, more often than words do.

    Pairs of the same character don't count.
    """
    middle = max(_SAMPLE, len(run) // 2)
    sample = run[:_SAMPLE] + run[middle : middle + _SAMPLE]
    return len(_TURN.findall(sample)) > _MIXED * len(_PAIR.findall(sample))


def _code(text: str) -> Iterator[Span]:
    at = 0
    while len(text) - at >= _LONG_LINE:
        if (end := text.rfind("\n", at, at + _LONG_LINE)) < 0:
            end = text.find("\n", at)
            end = end if end >= 0 else len(text)
            line = text[at : min(end, at + _LONGEST_SAMPLE)]
            if (
                len(_BRACKET.findall(line)) >= _FEWEST_BRACKETS * len(line)
                and len(_BLANK.findall(line)) <= _MOST_BLANKS * len(line)
                and line.count('"') <= _MOST_QUOTES * len(line)
                and len(line.encode("ascii", "ignore")) >= (1 - _MOST_OTHER) * len(line)
            ):
                yield at, end
        at = end + 1


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return match.end() if match else at
