"""Parser for the query language of the search box, and for filters chosen in addition to a question.

A piece (an exclusion, a field or a #tag) can begin at the start of the question, after whitespace, after the Chinese
punctuation ，、。；！？ or directly after another piece. All other text is searched for unchanged.

- Phrases: `"…"` and `＂…＂`, anywhere. A straight mark after a digit is a length (27"), and an unclosed mark is text.
  Empty phrases are ignored.
- Emphasis: `“…”`, `「…」` and `『…』` next to other words, as in running text. Chunks with these words rank higher, but
  needn't contain them. If a question consists only of such marks, they are phrases. An unclosed mark is text.
- Exclusions: a minus directly before a letter, a quotation mark, a field or a #tag. `-1`, `--flag`, `-->` and
  single-letter Latin options (`-v`) are words.
- Fields: a name in `FIELDS` and a colon, directly followed by a value. `std::mem` and `http://` are words. Values in a
  list are separated by commas without spaces, and a value that contains spaces is put in quotation marks. A
  capitalised name later in the question with a space after its colon is prose (`Final Project: Building a Server`).
- Properties: the name of any property in the notes works as a field if a value directly follows the colon.
- Other names before an ASCII colon (`KeyError:foo`) are words too. `colons` lists them in case a field was meant.
- #tags: `#` directly followed by a tag name, up to whitespace or punctuation. Numbers (`#12`) and C directives
  (`#include`) are words.
- Contents: see `own_words.named_contents`. If the only other words ask for notes, those words are dropped.
- Times: see `dates`. If a question names two different times, it compares them, so both are words.
- A backslash before a quotation mark, contents, a time or the start of a piece makes it plain text.

Punctuation directly after a piece other than a phrase belongs to the piece. If a question names two types, categories,
projects, statuses, paths or bases, either may match. If it names two tags, titles or sections, both must match.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from datetime import date, datetime
from itertools import groupby
from typing import TypedDict, Unpack

from core.base.errors import QueryError, UnknownChoice
from core.base.frozen import Texts, ValueMap
from core.base.messages import message
from core.base.text import CJK, find_half_character, is_punctuation, make_storable
from core.model import (
    CallerContext,
    Condition,
    Filters,
    SearchOptions,
    Term,
    Understood,
    fields_of,
    in_utc,
    local_now,
    midnight,
    on_clock,
)
from core.model.limits import QUESTION, check_question, check_terms
from core.query import own_words
from core.query.fields import ANY_OF, DAYS, stored
from core.query.lexer import STRAIGHT, QuerySpan, QuestionLexer

_LATIN = re.compile(rf"(?![{CJK}])\w")
# Invisible characters that occur in copied text but that nobody types.
COPIED = re.compile("[\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]")


def parse(
    typed: str,
    *,
    now: datetime,
    properties: Collection[str] = (),
    vocabulary: own_words.Vocabulary = own_words.NOTHING,
    has_filters: bool = False,
) -> Understood:
    """Parse a question. `now` is the user's local time, including the time zone.

    `properties` are the folded names of the notes' properties, which work as fields too. If a question asks for notes
    and names a value in the `vocabulary`, notes with that value come first. If `has_filters` is True, other filters
    narrow the search, so the question may be empty.

    A term includes everything that belongs to it, so that removing it doesn't change the meaning of the rest. A time in
    running text is an `after` term without a field. If the time has an end, as `last week` does, it also sets the end
    of the range. Raises QueryError, with the error's position, if the question is invalid.
    """
    if (half := find_half_character(typed)) is not None:
        raise QueryError(
            "The question contains an incomplete character. Delete it, or type it again.", (half, half + 1)
        )
    check_question(typed)
    places = [*(at for at, character in enumerate(typed) if not COPIED.match(character)), len(typed)]
    try:
        understood = _parse_pieces(
            "".join(typed[at] for at in places[:-1]), now, properties, vocabulary, has_filters=has_filters
        )
    except QueryError as error:
        at = error.at and (places[error.at[0]], places[error.at[1]])
        raise QueryError(error.message, at) from error
    terms = (replace(term, start=places[term.start], end=places[term.end]) for term in understood.terms)
    return replace(understood, terms=tuple(terms))


def _parse_pieces(
    typed: str, now: datetime, properties: Collection[str], vocabulary: own_words.Vocabulary, *, has_filters: bool
) -> Understood:
    """Parse a question whose invisible characters have been removed."""
    reader = QuestionLexer(typed, now.date(), properties, vocabulary)
    pieces = _times(reader)
    if any(piece.is_text and not is_punctuation(piece.text) for piece in pieces):
        # Next to other words, curly and corner marks mean emphasis.
        pieces = [
            replace(piece, term=replace(piece.term, kind="emphasis"))
            if piece.term and piece.term.kind == "phrase" and typed[piece.start] not in STRAIGHT
            else piece
            for piece in pieces
        ]
    filters = _filters(pieces, now)
    filtered = filters != Filters()
    phrases = _values(pieces, "phrase")
    excluded = _values(pieces, "excluded")
    text = _join_text(pieces)
    runs = [list(group) for is_text, group in groupby(pieces, key=lambda piece: piece.term is None) if is_text]
    words = [Term("words", _join_text(run), run[0].start, run[-1].end) for run in runs]
    is_idle = is_punctuation(text) or (reader.names_contents and own_words.is_frame(text))
    if (filtered or excluded) and not phrases and is_idle:
        text = ""
        words = []
    terms = sorted([piece.term for piece in pieces if piece.term] + words, key=lambda term: term.start)
    if not text and not filtered and not has_filters:
        if excluded:
            raise QueryError(
                "The question only excludes things. Add a word to search for, or a filter such as tag:rust.",
                (terms[0].start, terms[-1].end),
            )
        raise QueryError("The question is empty. Type a word or a sentence to search for.")
    return Understood(
        text,
        phrases,
        excluded,
        filters,
        _values(pieces, "emphasis"),
        tuple(condition for piece in pieces for condition in piece.preferred),
        tuple(thing for piece in pieces if piece.term and piece.term.kind == "avoided" for thing in piece.values),
        tuple(terms),
        reader.unclosed or (bool(text) and not phrases and is_punctuation(text)),
        tuple(reader.colons.items()),
    )


def as_text(typed: str) -> Understood:
    """Return a question that is searched for literally, without query syntax.

    The question is truncated to the length limit, and characters that can't be stored are removed.
    """
    text = " ".join(make_storable(typed[:QUESTION]).split())
    return Understood(text, terms=(Term("words", text, 0, len(typed)),) if text else ())


def _times(reader: QuestionLexer) -> list[QuerySpan]:
    """Return all spans, applying the rules that need the whole question.

    A time such as a week becomes a filter if it is at the end of the question. If there are two different times, both
    become words.
    """
    pieces = list(reader.pieces())
    tail: list[QuerySpan] = []
    while pieces and (pieces[-1].late or pieces[-1].term or is_punctuation(pieces[-1].text)):
        piece = pieces.pop()
        if piece.late and (time := reader.time(piece.start, piece.late)):
            piece = time
            while tail and tail[-1].start < piece.end:
                tail.pop()
        tail.append(piece)
    pieces += reversed(tail)
    spoken = {piece.span for piece in pieces if _is_spoken(piece)}
    return [reader.text(piece.start, piece.end) if len(spoken) > 1 and _is_spoken(piece) else piece for piece in pieces]


def _is_spoken(piece: QuerySpan) -> bool:
    return bool(piece.span and piece.term and not piece.term.field)


def _values(pieces: Iterable[QuerySpan], kind: str) -> Texts:
    return tuple(dict.fromkeys(piece.term.value for piece in pieces if piece.term and piece.term.kind == kind))


def _join_text(pieces: Iterable[QuerySpan]) -> str:
    """Return the text of words and phrases. Whitespace and each removed span become a single space."""
    parts = []
    last = None
    for piece in pieces:
        if not piece.text:
            continue
        # A quotation mark is enough to separate two Latin words.
        if last and (
            piece.start > last.end
            or ((last.term or piece.term) and _LATIN.match(last.text[-1]) and _LATIN.match(piece.text[0]))
        ):
            parts.append(" ")
        parts.append(piece.text)
        last = piece
    return " ".join("".join(parts).split())


def _filters(pieces: Iterable[QuerySpan], now: datetime) -> Filters:
    bases: dict[str, None] = {}
    conditions: dict[tuple[str, bool, Texts], dict[str, None]] = {}
    begins: datetime | None
    after = None
    before = None
    for piece in pieces:
        term = piece.term
        if not term:
            continue
        if piece.span:
            begins = midnight(piece.span.first, now.tzinfo)
            ends = midnight(piece.span.end, now.tzinfo) if piece.span.end else None
            if term.kind == "before":
                ends = begins
                begins = None
            after = max(filter(None, (after, begins)), default=None)
            before = min(filter(None, (before, ends)), default=None)
            if after and before and after >= before:
                raise QueryError(
                    "No note can match, because {after} isn't earlier than {before}. Change one of the dates.",
                    (term.start, term.end),
                    after=str(on_clock(after, now.tzinfo).date()),
                    before=str(on_clock(before, now.tzinfo).date()),
                )
        elif term.kind == "base":
            bases |= dict.fromkeys(piece.values)
        elif term.kind == "condition":
            alike = (term.field, term.negated, () if term.negated or term.field in ANY_OF else piece.values)
            values = piece.values
            if term.field in DAYS:  # convert ranges of local days to ranges of instants in UTC
                values = tuple(
                    "..".join(midnight(date.fromisoformat(day), now.tzinfo).isoformat() if day else "" for day in ends)
                    for ends in [value.split("..") for value in values]
                )
            conditions.setdefault(alike, {}).update(dict.fromkeys(values))
    return Filters(
        tuple(bases),
        tuple(Condition(field, tuple(values), negated) for (field, negated, _), values in conditions.items()),
        after,
        before,
    )


class FilterValues(TypedDict, total=False):
    """Keyword arguments for filters given as options. A note must have all `tags`.

    `after` and `before` are dates. `terms` are written in the query language.
    """

    bases: Sequence[str]
    tags: Sequence[str]
    path: str
    after: str
    before: str
    terms: Sequence[str]


def filters_of(*, properties: Collection[str] = (), **values: Unpack[FilterValues]) -> Filters:
    """Build filters from the values of options. In `terms`, the names in `properties` are fields too.

    Raises QueryError if a date is invalid, a term isn't a filter, or values are too many or too long.
    """
    tags = values.get("tags", ())
    path = values.get("path", "")
    terms = values.get("terms", ())
    days = {"after": values.get("after", ""), "before": values.get("before", "")}
    check_terms([*tags, *filter(None, (path, *days.values())), *terms])
    conditions = [Condition("tag", (tag,)) for tag in tags]
    if path:
        conditions.append(Condition("path", (path,)))
    chosen = Filters(tuple(values.get("bases", ())), tuple(conditions))
    for term in (*terms, *(f'{name}:"{day}"' for name, day in days.items() if day)):
        understood = parse(term, now=local_now(), properties=properties)
        if understood.text or understood.excluded:
            raise QueryError(
                "'{term}' isn't a filter. Write it like tag:rust, type:guide or after:2026-01-31.", term=term
            )
        chosen = combine(chosen, understood.filters)
    return chosen


def merge_filters(typed: Filters, options: SearchOptions) -> Filters:
    """Combine a question's filters with those from the options. Raises UnknownChoice if a status is unknown."""
    caller = options.get("caller") or CallerContext()
    given = [
        ("type", caller.types),
        ("tag", caller.tags),
        *((name, _several(options.get(name))) for name in fields_of("word")),  # type: ignore[arg-type]
        ("status", [stored("status", status) for status in _several(options.get("status"))]),
        ("tag", _several(options.get("any_tags"))),
        *(("tag", (tag,)) for tag in _several(options.get("all_tags"))),
    ]
    if (least := options.get("min_priority")) is not None:
        given.append(("priority", [f"{int(least)}.."]))
    conditions = tuple(Condition(field, tuple(values)) for field, values in given if values)
    from_options = Filters(tuple(_several(options.get("bases"))), conditions)
    return combine(typed, combine(options.get("filters") or Filters(), from_options))


# The parts of a caller's context, in the same order as in `CallerContext`.
_CALLER = ("type", "tags", "scope")


def caller_of(context: ValueMap | None) -> CallerContext:
    """Build the caller's context from `type`, `tags` and `scope`. Raises UnknownChoice or QueryError."""
    terms: dict[str, Texts] = dict.fromkeys(_CALLER, ())
    for name, value in (context or {}).items():
        if name not in terms:
            raise UnknownChoice("part of the context", name, _CALLER)
        texts = value if isinstance(value, list | tuple) else [value]
        if not all(isinstance(text, str | None) for text in texts):
            raise QueryError("'{name}' must be {kind}.", name=name, kind=message("text"))
        terms[name] = tuple(text for text in texts if text and isinstance(text, str))
    check_terms([text for texts in terms.values() for text in texts])
    return CallerContext(*terms.values())


def _several(words: str | Iterable[str] | None) -> list[str]:
    return [words] if isinstance(words, str) and words else list(words or ())


def combine(typed: Filters, chosen: Filters) -> Filters:
    """Combine a question's filters with additional filters.

    If both name bases, the bases named in both are kept. Raises QueryError if there are no such bases.
    """
    if typed.bases and chosen.bases:
        if not (bases := tuple(name for name in typed.bases if name in chosen.bases)):
            raise QueryError(
                (
                    "The question names the base {typed}, but the search is limited to {chosen}. Remove one of these "
                    "limits."
                ),
                typed=typed.bases,
                chosen=chosen.bases,
            )
    else:
        bases = typed.bases or chosen.bases
    after = max((in_utc(at) for at in (typed.after, chosen.after) if at), default=None)
    before = min((in_utc(at) for at in (typed.before, chosen.before) if at), default=None)
    return Filters(bases, (*typed.conditions, *chosen.conditions), after, before)


# Renaming a base in questions that use the `base:` filter.

_QUOTES = (('"', '"'), ("“", "”"), ("「", "」"), ("『", "』"))
_AFTER_NAME = ",.!?、，。；！？"
# Characters, besides letters and digits, allowed in a name without quotation marks.
_PLAIN = "-_./"


class _Every(frozenset[str]):
    """A set that contains every property name."""

    def __contains__(self, name: object) -> bool:
        return True


def rename_base(question: str, old: str, new: str) -> str:
    """Return a question with a base renamed in its `base:` filters.

    A question that can't be parsed stays unchanged, and so does any question if no kind of quotation marks can enclose
    the new name.
    """
    if find_half_character(question) is not None or (name := _quoted(new)) is None:
        return question
    try:
        pieces = list(QuestionLexer(question, local_now().date(), _Every()).pieces())
    except QueryError:
        return question
    for piece in reversed(pieces):
        if piece.term and piece.term.kind == "base" and old in piece.values:
            values = [name if value == old else _quoted(value) or value for value in piece.values]
            written = question[piece.start : piece.end]
            field = written[: min(at for colon in ":：" if (at := written.find(colon)) >= 0) + 1]
            ending = written[len(written.rstrip(_AFTER_NAME)) :]
            question = f"{question[: piece.start]}{field}{','.join(values)}{ending}{question[piece.end :]}"
    return question


def _quoted(name: str) -> str | None:
    """Return a name as typed after a colon, in quotation marks if needed.

    Return None if no kind of quotation marks can enclose the name.
    """
    if all(sign.isalnum() or sign in _PLAIN for sign in name) and name[-1].isalnum():
        return name
    return next((f"{opening}{name}{closing}" for opening, closing in _QUOTES if closing not in name), None)
