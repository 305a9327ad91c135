"""A question as typed -> its pieces, by the rules of `language`."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from typing import cast

from core.errors import QueryError
from core.model import Term, TermKind
from core.retrieval import dates, fields
from core.text import CJK

_QUOTES = {'"': '"', "＂": "＂", "“": "”", "「": "」", "『": "』"}
_MARKS = "".join({*_QUOTES, *_QUOTES.values()})
_STRAIGHT = '"＂'
_STOPS = "，。；！？"
_JOINING = "-_./\\@#:=+&$'’"
"""Behind these, a Latin word is part of a larger one."""

_BLANK = r"\s\u200b\u200e\u200f\ufeff"  # with marks that nobody sees and that are copied along
_SPACE = re.compile(rf"[{_BLANK}]+")
_WORD = re.compile(rf"(?:(?![{CJK}])\w)+")
_MINUS = re.compile(rf"[-－](?=[^\W\d_]|[{''.join(_QUOTES)}]|[#＃][^\W\d_])")
_EXCLUDED = re.compile(rf"[^{_BLANK}{_STOPS}]+")
_TAG = re.compile(
    rf"[#＃]([^\W\d_][\w/-]*+)(?=[{_BLANK},、{_STOPS}{''.join(_QUOTES)}]|[.:;!?]++(?:[{_BLANK}{''.join(_QUOTES)}]|\Z)|\Z)"
)
_DIRECTIVES = frozenset("include define undef ifdef ifndef endif pragma".split())
_FIELD = re.compile(rf"([^{_BLANK}:：]{{1,12}})[:：]")
_UNKNOWN = re.compile(rf"([A-Za-z]{{2,20}}):(?=(?P<figure>\d)|[^\W_]|[{''.join(_QUOTES)}])")
_VALUE = re.compile(rf"[^{_BLANK},{_STOPS}]*+")
_ENDED = re.compile(rf"[{_BLANK},;:!?)\]}}{_STOPS}：）】]|\Z")
_BEHIND = re.compile(rf"[,.!?、{_STOPS}]*")


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a question: a term with what it says, or `text`, which is a time if it comes `late` enough.

    The `text` of a phrase is searched too.
    """

    start: int
    end: int
    text: str = ""
    term: Term | None = None
    values: tuple[str, ...] = ()
    span: dates.Span | None = None
    late: dates.Spoken | None = None


def is_punctuation(text: str) -> bool:
    """Return whether no character of a text is one to search for."""
    return all(unicodedata.category(character)[0] in "PZC" for character in text)


class Reader:
    """Reads a question once, from left to right; `today` is the person's day."""

    def __init__(self, typed: str, today: date) -> None:
        self._typed = typed
        self._today = today
        self._last = {closing: typed.rfind(closing) for closing in _QUOTES.values()}

    def pieces(self) -> Iterator[Piece]:
        """Yield what is neither white space nor an empty phrase."""
        at, begins, leads = 0, True, True
        while at < len(self._typed):
            if blank := _SPACE.match(self._typed, at):
                at, begins = blank.end(), True
                continue
            piece = self._piece(at, begins, leads)
            if piece.term or piece.text:
                yield piece
            at, begins = piece.end, bool(piece.term or piece.late or not piece.text or piece.text in _STOPS + "、")
            leads = leads and (piece.term is not None or is_punctuation(piece.text))

    def _piece(self, at: int, begins: bool, leads: bool) -> Piece:
        if self._typed[at] == "\\" and (end := self._protected(at + 1, begins)):
            return Piece(at, end, self._typed[at + 1 : end])
        piece = self._phrase(at, begins)
        if begins and not piece:
            piece = self._left_out(at) or self._tag(at, at) or self._field(at, at)
        return piece or self._time(at, begins, leads) or self._word(at)

    def _protected(self, at: int, begins: bool) -> int:
        """Return the end of what a backslash before `at` makes words, 0 where it is one itself."""
        if self._typed[at : at + 1] and self._typed[at] in _MARKS:
            return at + 1
        if begins and (_MINUS.match(self._typed, at) or _TAG.match(self._typed, at)):
            return at + 1
        if begins and ((found := _FIELD.match(self._typed, at)) and fields.field_of(found[1])):
            return found.end()
        if begins and (found := _UNKNOWN.match(self._typed, at)):
            return found.end()
        return said.end if (said := dates.spoken(self._typed, at)) else 0

    def _word(self, at: int) -> Piece:
        found = _WORD.match(self._typed, at)
        end = found.end() if found else at + 1
        return Piece(at, end, self._typed[at:end])

    def _phrase(self, at: int, begins: bool) -> Piece | None:
        if self._typed[at] not in _QUOTES or not self._opens(at, begins):
            return None
        value, end = self._quoted(at)
        return Piece(at, end, value, Term("phrase", value, at, end) if value else None)

    def _opens(self, at: int, begins: bool) -> bool:
        """Return whether a quotation mark opens a phrase, and isn't an inch mark or a closing one left alone."""
        mark, behind, following = self._typed[at], self._typed[at - 1 : at], self._typed[at + 1 : at + 2]
        closed = self._last[_QUOTES[mark]] > at
        if begins or mark not in _STRAIGHT or not behind.isalnum():
            return closed or not _ENDED.match(following)
        more = following == mark or not is_punctuation(following or " ")
        return more and not behind.isdecimal() and (closed or not _WORD.match(behind))

    def _quoted(self, at: int) -> tuple[str, int]:
        """Return what stands between the quotation marks that open at `at`, and where they end."""
        opening = self._typed[at]
        closing = _QUOTES[opening]
        if self._last[closing] <= at:
            raise QueryError(
                f"The quotation mark {opening} is not closed. Put {closing} behind the phrase, or a backslash before"
                f" the mark to search for it: \\{opening}.",
                (at, at + 1),
            )
        end = self._typed.index(closing, at + 1)
        return self._typed[at + 1 : end].strip(), end + 1

    def _left_out(self, at: int) -> Piece | None:
        if not (minus := _MINUS.match(self._typed, at)):
            return None
        start = minus.end()
        if self._typed[start] in _QUOTES:
            value, end = self._quoted(start)
            return self._told(at, end, Term("excluded", value, at, end)) if value else Piece(at, end)
        if piece := self._tag(start, at) or self._field(start, at):
            return piece
        found = cast(re.Match[str], _EXCLUDED.match(self._typed, start))
        value = _trimmed(found.group())
        if len(value) == 1 and value.isascii():
            return None
        return self._told(at, found.end(), Term("excluded", value, at, found.end()))

    def _tag(self, at: int, start: int) -> Piece | None:
        found = _TAG.match(self._typed, at)
        if not found or found[1] in _DIRECTIVES:
            return None
        term = Term("condition", found[1], start, found.end(), "tag", start < at)
        return self._told(start, found.end(), term, (found[1],))

    def _field(self, at: int, start: int) -> Piece | None:
        """Return the field whose name begins at `at`; it is negated by a minus at `start`."""
        found = _FIELD.match(self._typed, at)
        field = fields.field_of(found[1]) if found else None
        if not found or not field:
            self._refuse_unknown(at)
            return None
        name, begins = found.group(), found.end()
        if self._typed.startswith((":", "：", "//"), begins):
            return None
        values, end = self._field_values(begins, field)
        if not values and start and name[0].isupper():
            return None  # a title: Final Project: Building a Server
        if not values:
            fields.refuse_empty(name, field, (start, end))
        if start < at:
            fields.refuse_minus(name, field, (start, begins))
        term = Term("condition", ",".join(values), start, end, field, start < at)
        if field in ("after", "before"):
            span = self._date(name, values, (begins, end))
            return self._told(start, end, replace(term, kind=cast(TermKind, field)), span=span)
        if field == "base":
            return self._told(start, end, replace(term, kind="base"), values)
        return self._told(start, end, term, fields.chosen(name, field, values, (begins, end)))

    def _field_values(self, at: int, field: str) -> tuple[tuple[str, ...], int]:
        """Return the values of the list at `at`, and where it ends."""
        values: list[str] = []
        while True:
            if self._typed[at : at + 1] and self._typed[at] in _QUOTES:
                value, at = self._quoted(at)
            else:
                found = cast(re.Match[str], _VALUE.match(self._typed, at))
                value, at = found.group(), found.end()
                if field not in fields.AS_TYPED:
                    value = _trimmed(value)
            value = value.lstrip("#＃") if field == "tag" else value
            if value:
                values.append(value)
            if self._typed[at : at + 1] not in (",", "，"):
                return tuple(values), at
            following = _FIELD.match(self._typed, at + 1)
            if following and fields.field_of(following[1]):
                return tuple(values), at
            at += 1

    def _refuse_unknown(self, at: int) -> None:
        """Raise QueryError for what looks like a field that there isn't."""
        if found := _UNKNOWN.match(self._typed, at):
            fields.refuse_unknown(found[1], (at, found.end()), surely=not found["figure"])

    def _date(self, name: str, values: tuple[str, ...], at: tuple[int, int]) -> dates.Span:
        if len(values) > 1:
            raise QueryError(f"'{name}' takes one date, not a list.", at)
        try:
            return dates.Span(dates.read(values[0], self._today).first)
        except QueryError as error:
            raise QueryError(str(error), at) from error

    def _time(self, at: int, begins: bool, leads: bool) -> Piece | None:
        """Return the time that is spoken of at `at`, as text where it counts only if nothing follows."""
        if not begins and self._typed[at].isascii() and self._typed[at - 1] in _JOINING:
            return None
        if not (said := dates.spoken(self._typed, at)):
            return None
        if said.place == "anywhere" or (said.owning and (leads or said.place == "edges")):
            return self.time(at, said)
        if said.place == "edges":
            return self.time(at, said) if leads else Piece(at, said.end, self._typed[at : said.end], late=said)
        return None

    def time(self, at: int, said: dates.Spoken) -> Piece | None:
        """Return the filter that a time spoken of at `at` is; raises QueryError for a day that doesn't exist."""
        try:
            span = dates.days(said, self._today)
        except QueryError as error:
            raise QueryError(str(error), (at, said.end)) from error
        return self._told(at, said.end, Term("after", said.value, at, said.end), span=span) if span else None

    def words(self, piece: Piece) -> Piece:
        """Return a piece as text after all."""
        return Piece(piece.start, piece.end, self._typed[piece.start : piece.end])

    def _told(
        self, start: int, end: int, term: Term, values: tuple[str, ...] = (), *, span: dates.Span | None = None
    ) -> Piece:
        """Return a piece with the punctuation directly behind it."""
        end = cast(re.Match[str], _BEHIND.match(self._typed, end)).end()
        return Piece(start, end, "", replace(term, end=end), values, span)


def _trimmed(value: str) -> str:
    """Return a word without the punctuation of the sentence that it ends."""
    value = value.rstrip(",.:;!?")
    return value if "(" in value or "（" in value else value.rstrip(")）")
