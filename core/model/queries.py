"""Questions: typed, parsed, classified and decomposed."""

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
    """A condition on a chunk or its note: `field` has one of `values`, or none of them where `negated`.

    `tag` and words such as `type` match the note's fields in any case; `status` its status, where an active note that
    is expired has the status `expired`; `priority` a range of numbers, as in 1..3, 2.. and ..3; `in` a part of the
    title or path, `path` a prefix or a glob of the path, `section` a part of a title in the chunk's chain of titles,
    and `has:code` a chunk with code.
    """

    field: str
    values: tuple[str, ...]
    negated: bool = False


@frozen
class Filters:
    """Filters of the chunks: every condition holds, and the note was updated at or after `after` and before `before`.

    Empty `bases` mean all bases. Without a condition on `status` only active notes answer, and expired ones only where
    a condition names `expired`.
    """

    bases: tuple[str, ...] = ()
    conditions: tuple[Condition, ...] = ()
    after: datetime | None = None
    before: datetime | None = None


@frozen
class Term:
    """A parsed span of a question; `start` and `end` are its place in the typed text.

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
    """A parsed question: `text` is searched by meaning and by word, and includes the phrases.

    A chunk must contain `phrases` literally and nothing of `excluded`. `terms` are in typed order. `emphasised` are
    phrases that raise the chunks with them. Notes that pass any of the conditions `preferred` come first, and
    what is only about one of the things `avoided` comes last. `signs_as_text`: an unclosed quotation mark, or a
    question of signs only, is searched literally. `colons` are names before a colon that are no fields, so that they
    are searched too, each with the field that may be meant.
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
        """The phrases and the emphasised ones: each is kept whole where a question is decomposed."""
        return (*self.phrases, *self.emphasised)


ORDERING: frozenset[TermKind] = frozenset(("preferred", "avoided"))
"""Kinds of terms that put notes first or last and leave none out."""
NOT_NARROWING: frozenset[TermKind] = ORDERING | {"words", "emphasis"}
"""Kinds of terms that leave no note out."""

SCOPE_GAIN = TAGS_GAIN = 0.1
"""Gain of a hit, from 0 to 1, whose note has the scope of a caller, and of one that has all its tags."""


@frozen
class CallerContext:
    """The context of a caller: notes of other types or without its tags are left out, others gain by scope and tags.

    A note gains `SCOPE_GAIN` if it has one of the scopes, and `TAGS_GAIN` times the share of the tags that it has. An
    empty field leaves out nothing and adds nothing.
    """

    types: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    scopes: tuple[str, ...] = ()


@frozen
class Query:
    """A question for the retriever.

    `typed` is the whole question, which may hold a note's title. `explain` adds the dropped candidates to the result.
    `as_typed`: no word is searched by another spelling. `choose`: a language model may choose among the hits.
    `indexed`: chunks that wait for their vectors are no hits.
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
    """The level of a question, and the rule that chose it."""

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
    """A question as it was `typed`, ready to be searched; its `query` is complete and within all limits.

    `decomposition` is that of the rules for an exploratory question, else None. `asks_model`: a language model is set
    up and chooses among the hits. Without `wait` a base whose model still loads answers by words.
    """

    typed: str
    understood: Understood
    classified: Classified
    query: Query
    decomposition: Decomposition | None = None
    asks_model: bool = False
    wait: bool = field(default=True, compare=False)


class SearchOptions(Chosen, NoteOptions, total=False):
    """Options of one search; the base, else the settings decide what is None.

    `filters` are added to those of the question. Unless a reranker is chosen here, only hybrid search is reranked, and
    the semantic and keyword modes keep their own order. Without `wait`, a base whose model is still loading answers by
    keyword, with a notice. `plain`: the question is literal text, and never refused. `as_typed`: no word is searched by
    another spelling. Unless it is False, `choose` lets a language model that is set up choose among the hits of literal
    bases. `indexed`: chunks that wait for their vectors are no hits. `caller` is the context of the caller.
    """

    filters: Filters | None
    explain: bool
    as_typed: bool
    plain: bool
    choose: bool
    indexed: bool
    wait: bool
    caller: CallerContext
