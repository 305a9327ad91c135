"""Questions, from the typed text to parsed, classified and decomposed ones."""

from dataclasses import field
from datetime import datetime
from typing import Literal

from core.base.frozen import frozen
from core.base.messages import Message
from core.model.note_fields import NoteOptions
from core.model.settings import DEFAULTS, Chosen, CompleteSettings, Level

TermKind = Literal[
    "words", "phrase", "emphasis", "excluded", "condition", "base", "after", "before", "preferred", "avoided"
]
ExploratoryKind = Literal["comparison", "list", "summary", "relation"]


@frozen
class Condition:
    """A condition on a chunk or its note: `field` has one of `values`, or none of them if `negated`.

    `tag` and words such as `type` match the note's fields in any case; `status` its status, which is `expired` for an
    active note past its expiry; `priority` a range of numbers, as in 1..3, 2.. and ..3; `in` a part of the title or
    path; `path` a prefix or a glob of the path; `section` a part of a title in the chunk's chain of titles; and
    `has:code` a chunk with code.
    """

    field: str
    values: tuple[str, ...]
    negated: bool = False


@frozen
class Filters:
    """Filters of chunks: all conditions hold, and the note was updated at or after `after` and before `before`.

    Empty `bases` mean all bases. Without a condition on `status`, only active notes match; expired notes match only if
    a condition names `expired`.
    """

    bases: tuple[str, ...] = ()
    conditions: tuple[Condition, ...] = ()
    after: datetime | None = None
    before: datetime | None = None


@frozen
class Term:
    """A parsed span of a question; `start` and `end` are its offsets in the typed text.

    `value` is the text after the colon, between the quotation marks or after the minus.
    """

    kind: TermKind
    value: str
    start: int
    end: int
    field: str = ""
    negated: bool = False


@frozen
class Understood:
    """A parsed question; `text` is searched by meaning and by words, and includes the phrases.

    A chunk must contain all `phrases` literally and nothing of `excluded`. `terms` are in typed order. Chunks that
    contain `emphasised` phrases rank higher. Notes that meet any of the `preferred` conditions come first; chunks that
    are only about an `avoided` subject come last. `signs_as_text`: an unclosed quotation mark, or a question with only
    symbols, is searched literally. `colons` are words before a colon that aren't fields and are searched as text, each
    with the field that may be intended.
    """

    text: str
    phrases: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    filters: Filters = Filters()
    terms: tuple[Term, ...] = ()
    emphasised: tuple[str, ...] = ()
    signs_as_text: bool = False
    colons: tuple[tuple[str, str], ...] = ()
    preferred: tuple[Condition, ...] = ()
    avoided: tuple[str, ...] = ()

    @property
    def quoted(self) -> tuple[str, ...]:
        """All phrases, including emphasised ones; decomposing a question keeps each of them whole."""
        return (*self.phrases, *self.emphasised)


ORDERING: frozenset[TermKind] = frozenset(("preferred", "avoided"))
"""Kinds of terms that rank notes first or last without excluding any."""
NOT_NARROWING: frozenset[TermKind] = ORDERING | {"words", "emphasis"}
"""Kinds of terms that don't exclude notes."""

SCOPE_GAIN = TAGS_GAIN = 0.1
"""Gain of a hit, 0 to 1, if its note has one of the caller's scopes, or all of the caller's tags."""


@frozen
class CallerContext:
    """The context of a caller, which excludes notes by type and tags, and boosts notes by scope and tags.

    Notes of other types, and notes without any of the tags, are excluded. A note gains `SCOPE_GAIN` if it has one of
    the scopes, and `TAGS_GAIN` times the share of the tags that it has. An empty field has no effect.
    """

    types: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    scopes: tuple[str, ...] = ()


@frozen
class Query:
    """A question for the retriever.

    `typed` is the whole question, which may contain a note's title. `explain` adds the dropped candidates to the
    result. `as_typed`: words aren't replaced by other spellings. `choose`: a language model may choose among the hits.
    `indexed`: chunks without vectors can't be hits.
    """

    text: str
    filters: Filters = Filters()
    phrases: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    emphasised: tuple[str, ...] = ()
    preferred: tuple[Condition, ...] = ()
    avoided: tuple[str, ...] = ()
    typed: str = ""
    settings: CompleteSettings = DEFAULTS
    explain: bool = False
    as_typed: bool = False
    choose: bool = False
    indexed: bool = False
    caller: CallerContext = CallerContext()


@frozen
class Classified:
    """The level of a question, and the reason for it."""

    level: Level
    reason: Message


@frozen
class SubQuery:
    """A part of a decomposed question; `why` is the name of the part."""

    text: str
    why: Message


@frozen
class Decomposition:
    """The sub-queries of a question; `by` is `rules` or the name of a language model."""

    kind: ExploratoryKind
    sub_queries: tuple[SubQuery, ...]
    by: str = "rules"


@frozen
class Prepared:
    """A question ready for search: the `typed` text and its complete `query`, within all limits.

    `decomposition` is the rules' decomposition of an exploratory question, else None. `asks_model`: a language model is
    set up and chooses among the hits. Without `wait`, a base whose model is still loading is searched by words.
    """

    typed: str
    understood: Understood
    classified: Classified
    query: Query
    decomposition: Decomposition | None = None
    asks_model: bool = False
    wait: bool = field(default=True, compare=False)


class SearchOptions(Chosen, NoteOptions, total=False):
    """Options of one search; options that are None are decided by the base, else by the settings.

    `filters` are added to the question's filters. Unless a reranker is chosen here, only hybrid search is reranked; the
    semantic and keyword modes keep their own order. Without `wait`, a base whose model is still loading is searched by
    words, with a notice. `plain`: the question is literal text, and never refused. `as_typed`: words aren't replaced by
    other spellings. `choose`: unless False, a configured language model chooses among the hits of literal bases.
    `indexed`: chunks without vectors can't be hits.
    """

    filters: Filters | None
    explain: bool
    as_typed: bool
    plain: bool
    choose: bool
    indexed: bool
    wait: bool
    caller: CallerContext
