"""Split text into units that an answer can quote: sentences, list items, table rows and code blocks."""

import re
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from core.base.blobs import Span, blank_blobs
from core.base.fences import FENCE, open_fence
from core.base.flow import ROW, RULE
from core.base.frozen import frozen
from core.base.text import query_keywords, strip_span, with_newlines
from core.markdown.parser import quote_admonitions
from core.model import Chunk
from core.retrieval.highlights import SENTENCE_END, hide_inline, split_sentences

Kind = Literal["sentence", "item", "row", "code"]

# Maximum length of a unit in characters. A longer sentence is split at pauses, and longer code at line breaks.
LONGEST = 400
# Maximum number of characters of a code block to quote.
WHOLE_CODE = 1_000

_QUOTED = r"[ \t>]*+"
_ITEM = re.compile(rf"({_QUOTED})(?:(?:[-*+]|\d+[.)])[ \t]+(?=\S)|\d+、)")
# A line that isn't part of any unit: blank, a heading, HTML, a formula, a directive, or a link definition.
_ASIDE = re.compile(
    rf"{_QUOTED}(?:#{{1,6}}[ \t].*|</?[A-Za-z!].*|={{2,}}|\$\$.*|:\w[\w-]*:.*|\{{\{{.*\}}\}}|\[\^?[^\]]+\]:.*)?\s*$"
)
# A line that continues the paragraph or list item above.
_GOES_ON = re.compile(rf"(?!{_ASIDE.pattern}|{_ITEM.pattern}|{FENCE.pattern})")
_COMMENT = re.compile(r"<!--(?s:.*?)(?:-->|\Z)|%%[^%\n]*%%")
# A line of code that includes another file.
_INSERTED = re.compile(r"^\s*(?:\{\{.*\}\}|!include\b.*|@import\b.*)\s*$")
# An HTML element of at most ten lines, none of them blank. It is skipped as a whole.
_ELEMENT = re.compile(
    rf"{_QUOTED}<(?P<tag>[A-Za-z][\w-]*+)(?:[^\n]*\n(?![^\S\n]*(?:\n|\Z))){{0,9}}?[^\n]*?(?:</(?P=tag)\s*>|/>)"
)
# The closing fence below code, after any blank lines.
_CLOSING = re.compile(rf"[\s>]*\n{FENCE.pattern}")
# The end of a code line whose statement continues on the next line.
_UNFINISHED = re.compile(r"(?:[\\|^`]|&&)\s*$")
_LEADS = re.compile(r"[:：][ \t*_]*$")
_PICTURE = re.compile(r"!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])?|!\[\[[^\]]*\]\]")
_LINK = re.compile(r"\[\[[^\]]*\]\]|\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])|<?https?://\S+")
_STRESSED = re.compile(
    r"\*\*[^*\n]{1,60}\*\*|(?<![*\w])\*[^*\n]{1,60}\*(?!\*)|(?<![_\w])_[^_\n]{1,60}_(?!\w)|[“「][^”」\n]{1,60}[”」]"
)
_EXERCISES = re.compile(r"(?i)\W*(?:[\d.]+\W+)?(?:练习题?|习题|思考题|(?:exercises?|quiz|questions)\b.{0,20})\W*")
# Beginnings of lines that state a cause, a remedy, or how something is done, keyed by how questions ask for it.
_STATING = {
    r"(?i)^\W*(?:and |so )?why\b|\bhow come\b|\bcause|\breason\b|为什么|为何|为啥|怎么会|原因": (
        r"(?i)\W*(?:(?:root )?cause|reason|why|because|根本原因|原因|根因)s?\W*[:：]"
    ),
    r"(?i)\bhow\b.*\b(?:fix|solve|cure|repair|resolve|mend)|\b(?:fix|cure|solution|remedy)\b|解决|[怎如].*修[好复理]": (
        r"(?i)\W*(?:fix(?:ed)?|cure|solution|remedy|what helped|解决(?:办法|方法|方案)?|办法|对策|修复)s?\W*[:：]"
    ),
    r"(?i)^\W*how (?:do|does|did|can|could|should|would|to)(?: (?:i|you|we|one)|(?<=how to)) (\w+)": r"(?i)\W*\b{}\b",
}
# Minimum number of letters in a unit outside links and images. A unit with fewer is probably an entry in a list of
# links.
_LEAST_WORDS = 2


@frozen
class Unit:
    """A part of a note's text that can be quoted on its own.

    `lead` is the text needed to understand the unit, such as a list's lead-in, a table's header, or the sentence or
    list item before code. `block` is the paragraph, list item, table or code block that contains the unit.
    """

    kind: Kind
    start: int
    end: int
    lead: Span | None
    block: Span

    @property
    def spans(self) -> tuple[Span, ...]:
        """The unit's span, followed by the lead's span if there is a lead."""
        return ((self.start, self.end), self.lead) if self.lead else ((self.start, self.end),)

    def holds(self, start: int, end: int) -> bool:
        """Return whether a span lies within the unit or its lead."""
        return any(first <= start and end <= last for first, last in self.spans)


@lru_cache(200)  # follow-up questions on a topic find the same hits
def units_of(text: str, fence: str = "") -> Sequence[Unit]:
    """Return the units of Markdown text in order.

    Lead-ins, headings, images, and lines that consist of links aren't units. `fence` is the opening line of the fence
    in which the text begins.
    """
    plain = _PICTURE.sub(_blank, _COMMENT.sub(_blank, quote_admonitions(with_newlines(blank_blobs(text)))))
    units = (unit for unit in _UnitReader(plain).read(fence) if _says(plain[unit.start : unit.end]))

    def bare(span: Span) -> Span:
        return strip_span(text, *span) if plain[span[0]] == ">" else span  # without an admonition's indentation

    return tuple(Unit(unit.kind, *bare(unit.spans[0]), unit.lead and bare(unit.lead), unit.block) for unit in units)


Units = Iterator[Unit]


def with_code(text: str, fence: str, span: Span) -> Span:
    """Return a span of Markdown text, extended to cover the code blocks that it introduces or overlaps.

    The text that introduces such a block is included too. Of a block longer than WHOLE_CODE, the first parts that fit
    are included, if the span introduces them or overlaps with them. `fence` is the opening line of the fence in which
    the text begins.
    """
    start, end = span
    for unit in units_of(text, fence):
        first, last = unit.block
        fitting = first, min(last, first + WHOLE_CODE)
        touched = any(begin < end and start < stop for begin, stop in (fitting, unit.lead or fitting))
        if unit.kind == "code" and touched and unit.end <= fitting[1]:
            start, _ = min((start, end), *unit.spans)
            is_fenced = start < first and open_fence(text[:first], fence)
            closing = _CLOSING.match(text, unit.end) if is_fenced else None
            end = max(end, closing.end("marks") if closing else unit.end)
    return start, end


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match[0])


def _says(text: str) -> bool:
    return len(re.findall(r"\w", _LINK.sub("", text))) >= _LEAST_WORDS


def is_question(text: str) -> bool:
    """Return whether a sentence ends with a question mark."""
    return text.rstrip(" \n\"')]*_”’」』）").endswith(("?", "？"))


def is_exercise(heading: str) -> bool:
    """Return whether a heading introduces exercises, which never answer a question."""
    return bool(_EXERCISES.fullmatch(heading))


def stating_label(question: str) -> re.Pattern[str]:
    """Return the pattern for the beginning of a line that states the cause, remedy or method that a question asks for.

    For any other question, the pattern matches nothing.
    """
    asked = ((re.search(asks, question), label) for asks, label in _STATING.items())
    return re.compile(next((label.format(match[match.lastindex or 0]) for match, label in asked if match), "(?!)"))


def stresses(text: str, count: int, places: Sequence[tuple[Span, str]], unit: Unit) -> bool:
    """Return whether text emphasizes a phrase with all the question's words, as a definition of a term does."""
    for phrase in _STRESSED.finditer(text):
        start, end = (unit.start + place for place in phrase.span())
        if len({word for (first, last), word in places if start <= first and last <= end}) == count:
            return True
    return False


def below_heading(unit: Unit, text: str, headings: Sequence[tuple[int, str, int]], words: Sequence[str]) -> Unit:
    """Return a unit with its section's heading as its lead if `words`, the question's words, include all the heading's.

    The heading must have at least two words. A table row or a unit that has a lead is returned unchanged.
    """
    above = [(start, title) for level, title, start in headings if level > 1 and start <= unit.start]
    start, title = above[-1] if above and not unit.lead and unit.kind != "row" else (0, "")
    named = {*query_keywords(title)}
    at = text.find(title, start)
    return replace(unit, lead=(at, at + len(title))) if len(named) > 1 and named <= {*words} else unit


class _UnitReader:
    """Reads text line by line. `_lead` is the last sentence so far. It may introduce the next list or code block."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._plain = hide_inline(text)
        self._spans = [match.span() for match in re.finditer(r"[^\n]*(?:\n|\Z)", text) if match[0]]
        self._lines = [text[slice(*span)] for span in self._spans]
        self._lead: Span | None = None
        self._parents = list[tuple[int, Span]]()

    def read(self, fence: str) -> Units:
        at = (yield from self._fenced(0, fence)) if fence else 0
        while at < len(self._lines):
            line = self._lines[at]
            after = at + 1
            if opening := open_fence(line):
                end = yield from self._fenced(after, opening)
            elif self._is_code(line):
                end = self._after(after, self._is_code)
                yield from self._code(at, end)
            elif _ASIDE.match(line):
                element = _ELEMENT.match(self._text, self._spans[at][0])
                end = after + (element[0].count("\n") if element else 0)
                if line.strip(" \t\n>"):
                    self._lead = None
                    self._parents = []
            elif item := _ITEM.match(line):
                end = self._after(after, _GOES_ON.match)
                yield from self._item(len(item[1]), self._span(at, end))
            elif (headed := "|" in line and any(map(RULE.match, self._lines[after : after + 1]))) or ROW.match(line):
                first = at + 2 if headed else at
                end = self._after(first, (lambda row: "|" in row) if headed else ROW.match)
                header = self._span(at, after) if headed else None
                block = self._span(at, end)
                yield from (Unit("row", *self._span(row, row + 1), header, block) for row in range(first, end))
                self._lead = None
                self._parents = []
            else:
                end = self._after(after, _GOES_ON.match)
                yield from self._paragraph(self._span(at, end))
            at = end

    def _span(self, first: int, last: int) -> Span:
        return strip_span(self._text, self._spans[first][0], self._spans[last - 1][1])

    def _after(self, at: int, within: Callable[[str], object]) -> int:
        while at < len(self._lines) and within(self._lines[at]):
            at += 1
        return at

    def _fenced(self, first: int, fence: str) -> Generator[Unit, None, int]:
        """Yield the units in a fence, whose code starts at line `first`, and return the line after the fence."""
        last = self._after(first, lambda line: open_fence(line, fence))
        end = min(last + 1, len(self._lines))
        yield from self._code(first, last)
        return end

    def _is_code(self, line: str) -> bool:
        """Return whether a line is indented code. In a list, code must be indented twice as far."""
        return bool(re.match(rf"(?: {{4}}|\t){{{2 if self._parents else 1}}}[ \t]*\S", line))

    def _code(self, first: int, last: int) -> Units:
        """Yield the units in the code from line `first` up to, but not including, line `last`."""
        lead = self._parents[-1][1] if self._parents else self._lead
        if not all(map(_INSERTED.match, self._lines[first:last])):
            block = self._span(first, last)
            start = first
            inside = (line for line in range(start + 1, last) if not _UNFINISHED.search(self._lines[line - 1]))
            for line, after in pairwise([start, *inside, last]):
                if start < line and self._spans[after - 1][1] - self._spans[start][0] > LONGEST:
                    yield Unit("code", self._spans[start][0], self._span(start, line)[1], lead, block)
                    start = line
            yield Unit("code", self._spans[start][0], self._span(start, last)[1], lead, block)
        if not self._parents:
            self._lead = None

    def _item(self, indent: int, block: Span) -> Units:
        self._parents = [(deep, span) for deep, span in self._parents if deep < indent]
        lead = self._parents[-1][1] if self._parents else self._lead
        start, stop = block
        if stop - start > LONGEST:
            spans = list(sentences(self._plain, *block))
            yield from (Unit("item", *span, lead, block) for span in spans)
            block = next(iter(spans), block)
        elif not _LEADS.search(self._text[start:stop]):
            yield Unit("item", *block, lead, block)
        self._parents.append((indent, block))

    def _paragraph(self, block: Span) -> Units:
        self._parents = []
        spans = list(sentences(self._plain, *block))
        for before, span in zip([self._lead, *spans], spans, strict=False):
            if span != spans[-1] or not _LEADS.search(self._text[slice(*span)]):
                asked = before and is_question(self._text[slice(*before)])
                yield Unit("sentence", *span, before if asked else None, block)
        self._lead = spans[-1] if spans and _says(self._text[slice(*spans[-1])]) else None


def sentences(plain: str, start: int, end: int) -> Iterator[Span]:
    """Yield the spans of a paragraph's sentences. Long sentences are split. `plain` is the output of `hide_inline`."""
    return split_sentences(plain, start, end, SENTENCE_END, LONGEST)


def place_in_note(chunk: Chunk, start: int, end: int) -> Span:
    """Return the span, in its note, of a part of a chunk.

    If the chunk's text comes from a picture, return the whole chunk's span.
    """
    is_read = len(chunk.text) != chunk.end - chunk.start
    return (chunk.start, chunk.end) if is_read else (chunk.start + start, chunk.start + end)
