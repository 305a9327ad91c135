"""The tools that an assistant calls, on a workspace: plain values in, JSON values out.

What is wrong is a TesseraError, whose message the assistant reads.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from core.errors import NoteNotFound, QueryError
from core.model import FIELDS, Hit, Note, NoteCard, Proposal, SearchResult
from core.workspace import Workspace

MOST = 100
"""Results of one call at most."""
MOST_CHARACTERS = 50_000
"""Characters of note text in one answer at most: a model reads about 12,000 tokens of it."""
_CONTEXT_TOKENS = 20_000

Items = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Answer:
    """Results of a tool; `left_out` of them, or characters of the last one, didn't fit."""

    items: Items
    left_out: int = 0
    shortened: bool = False


class Tools:
    """The tools on one workspace."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    # bases

    def bases(self) -> Items:
        """Return every base: name, kind, number of notes, description."""
        states = map(self._workspace.bases.status, self._workspace.bases.all())
        return [
            {
                "name": state.base.name,
                "kind": state.base.kind,
                "notes": state.notes,
                "description": state.base.description,
            }
            for state in states
        ]

    def lines(self, base: str, keyword: str, most: int, characters: int) -> Answer:
        """Return the lines of a base that hold a text: source, line number there, content."""
        if not keyword.strip():
            raise QueryError("The keyword is empty. Give a word or a part of one.")
        lines = self._workspace.notes.lines(base, keyword)
        items = [{"source": line.source, "line": line.number, "content": line.text} for line in lines]
        return _bounded(items, _from_one(most, MOST), _from_one(characters, MOST_CHARACTERS))

    # searching

    def semantic(self, base: str, query: str, top_k: int) -> Answer:
        """Return the passages of a base that are nearest in meaning: content, source, relevance."""
        result = self._search(base, query, top_k, mode="semantic")
        items = [
            {"content": hit.passage.text, "source": _source(hit.note), "relevance": round(hit.score, 4)}
            for hit in result.hits
        ]
        return _bounded(items, MOST, MOST_CHARACTERS)

    def query(self, base: str, queries: Sequence[str], limit: int) -> Answer:
        """Return the best chunks for some questions, each searched by itself, the best score first."""
        if not any(query.strip() for query in queries):
            raise QueryError("Give a query, or keywords.")
        best: dict[str, Hit] = {}
        for query in filter(str.strip, queries):
            for hit in self._search(base, query, limit).hits:
                if hit.chunk.id not in best or hit.score > best[hit.chunk.id].score:
                    best[hit.chunk.id] = hit
        model = self._workspace.bases.get(base).embedder
        items = [
            {
                "document": _source(hit.note),
                "section": " › ".join(hit.chunk.section),
                "chunk_index": hit.chunk.index,
                "score": round(hit.score, 4),
                "embedding_model": model,
                "content": hit.passage.text,
            }
            for hit in sorted(best.values(), key=lambda hit: -hit.score)
        ]
        return _bounded(items, _from_one(limit, MOST), MOST_CHARACTERS)

    def context(self, query: str, budget: int, filters: dict[str, Any]) -> dict[str, Any]:
        """Return the passages that answer a question as a block with numbered citations."""
        chosen = self._workspace.searching.filters(**filters)
        context = self._workspace.context(query, budget=_from_one(budget, _CONTEXT_TOKENS), filters=chosen)
        return {
            "text": context.text,
            "tokens": context.tokens,
            "left_out": context.left_out,
            "citations": [
                {"number": one.number, "note": one.note.id, "base": one.note.base, "source": _source(one.note)}
                for one in context.citations
            ],
        }

    def _search(self, base: str, query: str, limit: int, **options: Any) -> SearchResult:
        self._workspace.bases.get(base)
        filters = self._workspace.searching.filters(bases=[base])
        return self._workspace.search(query, limit=_from_one(limit, MOST), filters=filters, **options)

    # notes

    def read(self, name: str) -> dict[str, Any]:
        """Return a note by its id, path or title."""
        card = self._workspace.notes.named(name)
        return _note(card, self._workspace.notes.get(card.id))

    def text(self, base: str, path: str) -> str:
        """Return the Markdown of the note at a path of a base; raises NoteNotFound."""
        filters = self._workspace.searching.filters(bases=[self._workspace.bases.get(base).name])
        for card in self._workspace.notes.cards(filters, text=path):
            if card.path == path:
                return self._workspace.notes.get(card.id).body
        raise NoteNotFound(path)

    def notes(self, filters: dict[str, Any], text: str, limit: int) -> Answer:
        """Return the notes that pass filters, without their texts."""
        cards = self._workspace.notes.cards(self._workspace.searching.filters(**filters), text=text)
        return _bounded(list(map(_card, cards)), _from_one(limit, MOST), MOST_CHARACTERS)

    # writing

    def add(self, base: str, text: str, fields: dict[str, Any]) -> dict[str, Any]:
        """Add a note; it waits for a person unless its base trusts programs."""
        note = self._workspace.proposals.add(base, text, **_given(fields))
        return {"id": note.id, "version": note.version, "path": note.path or "", "status": note.status}

    def update(self, name: str, text: str | None, version: int | None, fields: dict[str, Any]) -> dict[str, Any]:
        """Change a note; the change waits for a person unless the note's base trusts programs."""
        card = self._workspace.notes.named(name)
        done = self._workspace.proposals.update(card.id, body=text, expected_version=version, **_given(fields))
        status = "pending" if isinstance(done, Proposal) else done.status
        return {"id": card.id, "version": done.version, "path": card.path or "", "status": status}


def _given(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the fields that are given; a null says nothing."""
    return {name: value for name, value in fields.items() if value is not None}


def _from_one(number: int, most: int) -> int:
    if number < 1:
        raise QueryError("The number is {n}; it must be at least 1.", n=number)
    return min(number, most)


def _bounded(items: Iterable[dict[str, Any]], most: int, characters: int) -> Answer:
    """Return at most so many results, with so many characters of content in all."""
    every = list(items)
    chosen: Items = []
    for item in islice(every, most):
        content = str(item.get("content", ""))
        if len(content) > characters:
            if not chosen:
                chosen.append(item | {"content": content[:characters]})
            return Answer(chosen, len(every) - len(chosen), shortened=len(chosen) == 1 and characters < len(content))
        characters -= len(content)
        chosen.append(item)
    return Answer(chosen, len(every) - len(chosen))


def _source(card: NoteCard) -> str:
    return card.path or card.title


def _card(card: NoteCard) -> dict[str, Any]:
    return {
        "id": card.id,
        "base": card.base,
        "path": card.path or "",
        "title": card.title,
        "tags": list(card.tags),
        "type": card.type,
        "category": card.category,
        "status": card.status,
        "priority": card.priority,
        "version": card.version,
        "updated_at": card.updated_at.isoformat() if card.updated_at else "",
    }


def _note(card: NoteCard, note: Note) -> dict[str, Any]:
    shown = _card(card)
    fields = {name: getattr(note, name) for name in FIELDS if name not in shown}
    plain = {name: list(value) if isinstance(value, tuple) else value for name, value in fields.items()}
    expires = note.expires_at.isoformat() if note.expires_at else ""
    shortened = len(note.body) > MOST_CHARACTERS
    return shown | plain | {"expires_at": expires, "content": note.body[:MOST_CHARACTERS], "shortened": shortened}
