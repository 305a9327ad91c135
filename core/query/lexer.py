"""The query language's lexer. Splits a question into spans, following the rules in `core.query.parser`."""

import re
from collections.abc import Collection, Iterator
from dataclasses import replace
from datetime import date
from functools import partial
from typing import cast

from core.base.errors import QueryError
from core.base.frozen import Texts, TextValues, frozen
from core.base.text import CJK, is_punctuation
from core.markdown.inline import normalize_tag, trim_tag
from core.model import TAG_NAME, Condition, Term, TermKind
from core.query import dates, fields, own_words

_QUOTES = {'"': '"', "＂": "＂", "“": "”", "「": "」", "『": "』"}
_MARKS = {*_QUOTES, *_QUOTES.values()}
STRAIGHT = '"＂'
_STOPS = "，。；！？"
# Characters that join a Latin word to the preceding word.
_JOINING = "-_./\\@#:=+&$'’"

_SPACE = re.compile(r"\s+")
_WORD = re.compile(rf"(?:(?![{CJK}])\w)+")
_MINUS = re.compile(rf"[-－](?=[^\W\d_]|[{''.join(_QUOTES)}]|[#＃]{TAG_NAME})")
_EXCLUDED = re.compile(rf"[^\s{_STOPS}]+")
_TAG = re.compile(rf"[#＃]({TAG_NAME})(?=[\s,、{_STOPS}{''.join(_QUOTES)}]|[.:;!?]++(?:[\s{''.join(_QUOTES)}]|\Z)|\Z)")
_DIRECTIVES = frozenset("include define undef ifdef ifndef endif pragma".split())
_FIELD = re.compile(r"([^\s:：]{1,40})[:：]")
# A name and a colon that may be meant as a field.
_UNKNOWN = re.compile(rf"([^\W\d_]\w{{1,39}}):(?:(?P<second>:)|(?=(?P<figure>\d)|[^\W_]|[{''.join(_QUOTES)}]))")
_VALUE = re.compile(rf"[^\s,{_STOPS}]*+")
_ENDED = re.compile(rf"[\s,;:!?)\]}}{_STOPS}：）】]|\Z")
_AFTER_PIECE = re.compile(rf"[,.!?、{_STOPS}]*")


@frozen
class QuerySpan:
    """A span of a question. It is a term, plain text, or both, as in the case of a phrase.

    `late` is a time named in plain text. It becomes a filter only if the span is at the end of the question.
    """

    start: int
    end: int
    text: str = ""
    term: Term | None = None
    values: Texts = ()
    span: dates.DateRange | None = None
    late: dates.Spoken | None = None
    preferred: tuple[Condition, ...] = ()

    @property
    def is_text(self) -> bool:
        """Whether the span is searched for as text. This applies to plain text and to words that also name metadata."""
        return self.term is None or bool(self.preferred)


class QuestionLexer:
    """Reads a question in one pass, from left to right.

    `today` is the user's date, `properties` the folded names of all the notes' properties, and `vocabulary` the values
    of the notes' metadata.
    """

    def __init__(
        self,
        typed: str,
        today: date,
        properties: Collection[str],
        vocabulary: own_words.Vocabulary = own_words.NOTHING,
    ) -> None:
        self._typed = typed
        self._today = today
        self._properties = properties
        self._field_of = partial(fields.field_of, properties=properties)
        self._ordering = {piece.start: piece for piece in _ordering(typed, vocabulary)}
        self._last = {closing: typed.rfind(closing) for closing in _QUOTES.values()}
        self.unclosed = False
        """Whether an unclosed quotation mark was read as text."""
        self.colons: TextValues = {}
        """Maps unknown names before a colon, which are read as text, to the fields that were probably meant."""
        self.names_contents = False
        """Whether the question contains a filter on contents in plain words, such as "with a table"."""

    def pieces(self) -> Iterator[QuerySpan]:
        """Yield all spans except whitespace and empty phrases."""
        at = 0
        begins = True
        leads = True
        while at < len(self._typed):
            if (end := self._past(_SPACE, at)) > at:
                at = end
                begins = True
                continue
            piece = self._piece(at, begins, leads)
            if piece.term or piece.text:
                yield piece
            at = piece.end
            begins = bool(not piece.is_text or piece.late or not piece.text or piece.text in _STOPS + "、")
            leads = leads and (not piece.is_text or is_punctuation(piece.text))

    def _piece(self, at: int, begins: bool, leads: bool) -> QuerySpan:
        if self._typed[at] == "\\" and (end := self._protected(at + 1, begins)):
            return QuerySpan(at, end, self._typed[at + 1 : end])
        piece = self._phrase(at, begins)
        if begins and not piece:
            piece = self._left_out(at) or self._tag(at, at) or self._field(at, at)
        piece = piece or self._contents(at) or self._ordering.get(at) or self._time(at, begins, leads)
        return piece or self.text(at, max(at + 1, self._past(_WORD, at)))

    def text(self, start: int, end: int) -> QuerySpan:
        """Return a span as plain text."""
        return QuerySpan(start, end, self._typed[start:end])

    def _past(self, pattern: re.Pattern[str], at: int) -> int:
        """Return the end of the pattern's match at `at`, or `at` itself if there is no match."""
        match = pattern.match(self._typed, at)
        return match.end() if match else at

    def _protected(self, at: int, begins: bool) -> int:
        """Return the end of the text escaped by the backslash before `at`, or 0 if the backslash escapes nothing."""
        typed = self._typed
        if typed[at : at + 1] in _MARKS:
            return at + 1
        if begins:
            if _MINUS.match(typed, at) or _TAG.match(typed, at):
                return at + 1
            if (match := _FIELD.match(typed, at)) and self._field_of(match[1]):
                return match.end()
            if match := _UNKNOWN.match(typed, at):
                return match.end()
        spoken = own_words.named_contents(typed, at) or self._ordering.get(at) or dates.spoken(typed, at)
        return spoken.end if spoken else 0

    def _phrase(self, at: int, begins: bool) -> QuerySpan | None:
        if self._typed[at] not in _QUOTES or not self._opens(at, begins):
            return None
        value, end = self._quoted(at)
        return QuerySpan(at, end, value, Term("phrase", value, at, end) if value else None)

    def _opens(self, at: int, begins: bool) -> bool:
        """Return whether a quotation mark opens a phrase. Inch marks, stray marks and unclosed marks don't."""
        mark = self._typed[at]
        previous = self._typed[at - 1 : at]
        following = self._typed[at + 1 : at + 2]
        closed = self._last[_QUOTES[mark]] > at
        if mark not in STRAIGHT or begins or not previous.isalnum():
            return closed if mark not in STRAIGHT or _ENDED.match(following) else self._closes(at)
        return closed and not previous.isdecimal() and (following == mark or not is_punctuation(following or " "))

    def _closes(self, at: int) -> bool:
        """Return whether the quotation mark at `at` is closed. An unclosed mark is recorded in `unclosed`."""
        closed = self._last[_QUOTES[self._typed[at]]] > at
        self.unclosed |= not closed
        return closed

    def _quoted(self, at: int) -> tuple[str, int]:
        """Return the text in the quotation marks that open at `at`, and the offset after the closing mark."""
        end = self._typed.index(_QUOTES[self._typed[at]], at + 1)
        return self._typed[at + 1 : end].strip(), end + 1

    def _left_out(self, at: int) -> QuerySpan | None:
        if not (minus := _MINUS.match(self._typed, at)):
            return None
        start = minus.end()
        if self._typed[start] in _QUOTES:
            if not self._closes(start):
                return None
            value, end = self._quoted(start)
            if not value:
                return QuerySpan(at, end)
        elif piece := self._tag(start, at) or self._field(start, at):
            return piece
        else:
            end = self._past(_EXCLUDED, start)
            value = _trim(self._typed[start:end])
            if len(value) == 1 and value.isascii():
                return None
        return self._closed(Term("excluded", value, at, end))

    def _tag(self, at: int, start: int) -> QuerySpan | None:
        match = _TAG.match(self._typed, at)
        if not match or match[1] in _DIRECTIVES:
            return None
        name = trim_tag(match[1])
        return self._closed(Term("condition", name, start, match.end(), "tag", start < at), (name,))

    def _field(self, at: int, start: int) -> QuerySpan | None:
        """Return the field term whose name starts at `at`, or None. `start` includes any minus before the name."""
        match = _FIELD.match(self._typed, at)
        field = self._field_of(match[1]) if match else None
        if not match or not field:
            if unknown := _UNKNOWN.match(self._typed, at):
                is_port = unknown["figure"] is not None
                meant = "" if unknown["second"] else fields.nearest(unknown[1], self._properties, surely=not is_port)
                if meant or not is_port:
                    self.colons[unknown[1]] = meant
            return None
        name = match.group()
        begins = match.end()
        if self._typed.startswith((":", "：", "//"), begins):
            return None
        values, end = self._field_values(begins, field)
        if not values and (field not in fields.FIELDS or field in fields.PROSE or (start and name[0].isupper())):
            return None  # a title: Final Project: Building a Server
        fields.check_use(name, field, (start, end if not values else begins), is_empty=not values, negated=start < at)
        term = Term("condition", ",".join(values), start, end, field, start < at)
        if field == "base":
            return self._closed(replace(term, kind="base"), values)
        if field in ("after", "before") and len(values) > 1:
            raise QueryError("'{name}' accepts one date, not a list.", (begins, end), name=name)
        try:
            if field in ("after", "before"):
                return self._closed(
                    replace(term, kind=cast(TermKind, field)),
                    span=dates.DateRange(dates.read(values[0], self._today).first),
                )
            if field in fields.DAYS:
                # A day range is stored as 2026-01-01..2026-02-01, where the end is the day after the last one.
                ranges = [dates.between(value, self._today) for value in values]
                return self._closed(term, tuple(f"{first or ''}..{last or ''}" for first, last in ranges))
            return self._closed(term, fields.chosen(name, field, values, self._properties))
        except QueryError as error:
            raise QueryError(error.message, (begins, end)) from error

    def _field_values(self, at: int, field: str) -> tuple[Texts, int]:
        """Return the field values listed at `at`, and the offset where the list ends."""
        values = []
        while True:
            is_marked = self._typed[at : at + 1] in _QUOTES
            if is_marked and self._closes(at):
                value, at = self._quoted(at)
            else:
                at += is_marked
                end = self._past(_VALUE, at)
                value = self._typed[at:end]
                at = end
                if field not in fields.AS_TYPED:
                    value = _trim(value)
            value = normalize_tag(value) if field == "tag" else value
            if value:
                values.append(value)
            if self._typed[at : at + 1] not in (",", "，"):
                return tuple(values), at
            following = _FIELD.match(self._typed, at + 1)
            if following and self._field_of(following[1]):
                return tuple(values), at
            at += 1

    def _contents(self, at: int) -> QuerySpan | None:
        """Return the filter for what a note contains, such as "with a table", that starts at `at`, or None."""
        if not (named := own_words.named_contents(self._typed, at)):
            return None
        self.names_contents = True
        return self._closed(named, (named.value,))

    def _time(self, at: int, begins: bool, leads: bool) -> QuerySpan | None:
        """Return the time named at `at`, or None.

        A time that counts only at the end of the question is returned as text, with the time in `late`.
        """
        if not begins and self._typed[at].isascii() and self._typed[at - 1] in _JOINING:
            return None
        if not (spoken := dates.spoken(self._typed, at)):
            return None
        is_edge = spoken.place == "edges"
        if spoken.place == "anywhere" or (spoken.owning and (leads or is_edge)) or (leads and is_edge):
            return self.time(at, spoken)
        return replace(self.text(at, spoken.end), late=spoken) if is_edge else None

    def time(self, at: int, spoken: dates.Spoken) -> QuerySpan | None:
        """Return the filter for a time named at `at`, or None for an unusable time, such as "the last 10,000 years".

        Raises QueryError if a date after "since" doesn't exist.
        """
        try:
            span = dates.read(spoken.value, self._today)
        except QueryError as error:
            if spoken.since:
                raise QueryError(error.message, (at, spoken.end)) from error
            return None
        span = dates.DateRange(span.first) if spoken.since else span
        return self._closed(Term("after", spoken.value, at, spoken.end), span=span)

    def _closed(self, term: Term, values: Texts = (), *, span: dates.DateRange | None = None) -> QuerySpan:
        """Return a term's span, extended by the punctuation directly after it."""
        end = self._past(_AFTER_PIECE, term.end)
        return QuerySpan(term.start, end, "", replace(term, end=end), values, span)


def _ordering(typed: str, vocabulary: own_words.Vocabulary) -> Iterator[QuerySpan]:
    """Yield the spans that rank notes first or last. If such a span has text, the text is searched for too."""
    for start, end, conditions in own_words.named_metadata(typed, vocabulary):
        value = typed[start:end]
        yield QuerySpan(
            start, end, value, Term("preferred", value, start, end, conditions[0].field), preferred=conditions
        )
    if excepted := own_words.excepted(typed):
        start, end, things, keeps = excepted
        yield QuerySpan(start, end, typed[start:end] * keeps, Term("avoided", ", ".join(things), start, end), things)


def _trim(value: str) -> str:
    """Remove sentence punctuation at the end of a word."""
    value = value.rstrip(",.:;!?")
    return value if "(" in value or "（" in value else value.rstrip(")）")
