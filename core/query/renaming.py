"""A base has another name: questions that name it by the filter `base:` follow."""

from core.base.errors import QueryError
from core.base.text import find_half_character
from core.model import local_now
from core.query.lexer import QuerySpan, QuestionLexer

_QUOTES = (('"', '"'), ("“", "”"), ("「", "」"), ("『", "』"))
_BEHIND = ",.!?、，。；！？"
_PLAIN = "-_./"
"""Signs in a name that needs no quotation marks, beside letters and digits."""


class _Every(frozenset[str]):
    """The names of all properties that notes may have."""

    def __contains__(self, name: object) -> bool:
        return True


_EVERY = _Every()


def rename_base(question: str, old: str, new: str) -> str:
    """Return a question with the new name in place of the old one; one that isn't valid, or can't hold it, stays."""
    try:
        pieces = _base_tokens(question, old)
    except QueryError:
        return question
    for piece in reversed(pieces):
        if (name := _quoted(new)) is None:
            return question
        values = [name if value == old else _quoted(value) or value for value in piece.values]
        written = question[piece.start : piece.end]
        field = written[: min(at for colon in ":：" if (at := written.find(colon)) >= 0) + 1]
        ending = written[len(written.rstrip(_BEHIND)) :]
        question = f"{question[: piece.start]}{field}{','.join(values)}{ending}{question[piece.end :]}"
    return question


def _base_tokens(question: str, name: str) -> list[QuerySpan]:
    """Return the pieces of a question that name a base; raises QueryError for an invalid question."""
    if find_half_character(question) is not None:
        return []
    pieces = QuestionLexer(question, local_now().date(), _EVERY).pieces()
    return [piece for piece in pieces if piece.term and piece.term.kind == "base" and name in piece.values]


def _quoted(name: str) -> str | None:
    """Return a name as it is typed behind a colon, in quotation marks where it needs them; None if it has them all."""
    if all(sign.isalnum() or sign in _PLAIN for sign in name) and name[-1].isalnum():
        return name
    return next((f"{opening}{name}{closing}" for opening, closing in _QUOTES if closing not in name), None)
