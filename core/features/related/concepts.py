"""Concepts (key phrases in the notes), the user's decisions about them, notes by concept, and paths between notes."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from math import inf, log
from typing import get_args

from core.base.call_log import log_bases, log_call
from core.base.errors import EditError, UnknownChoice
from core.base.frozen import Pair
from core.base.messages import Message, message
from core.base.phrases import size_of
from core.base.text import fold
from core.model import Concept, ConceptChoice, ConceptNote, Step
from core.notes.links import NoteLinks
from core.retrieval.neighbours.service import Neighbours
from core.store import Store
from core.store.table import StoreTable

# The user's decisions about concepts, by name.


# The user's decisions, keyed by concept, each with the concept to merge into or "".
Choices = dict[str, Pair]


class ConceptTable(StoreTable):
    """The pinned, hidden and merged concepts. Writing to the table doesn't affect search results."""

    def choices(self) -> Choices:
        """Return the user's decisions, keyed by concept.

        Each decision comes with the name of the concept to merge into, or "" if the decision isn't to merge.
        """
        return {
            name: (choice, into) for name, choice, into in self._rows("SELECT name, choice, into_name FROM concepts")
        }

    def put(self, name: str, choice: str, into: str = "") -> None:
        """Store the user's decision about a concept, replacing any earlier decision."""
        self._execute("INSERT OR REPLACE INTO concepts VALUES (?, ?, ?)", name, choice, into, aside=True)

    def drop(self, name: str) -> None:
        """Delete the decision about a concept, and any merges into it."""
        self._execute("DELETE FROM concepts WHERE name = ? OR into_name = ?", name, name, aside=True)


# Concepts in the notes.

CHOICES = get_args(ConceptChoice)
# Minimum number of notes that must contain a concept, unless it is pinned.
_FEWEST = 2
# Maximum share of notes that may contain a concept, because frequent phrases don't distinguish notes. _FEW notes are
# always allowed.
_MOST = 0.25
_FEW = 10
# Number of concepts per note that a path may follow, and maximum number of notes that may share such a concept.
_LEADING = 12
_COMMON = 40
# Base costs of a step along a link and along a shared concept. The cost rises with the number of links or notes.
_LINK = 1.0
_SHARED = 1.5
_FURTHEST = 8.0


# The concepts in each note with their counts, and the notes that contain each concept.
Index = tuple[Mapping[str, Mapping[str, int]], Mapping[str, Collection[str]]]


@dataclass(eq=False)
class Concepts:
    """The concepts in active, unexpired notes, with the user's decisions applied."""

    _store: Store
    _neighbours: Neighbours
    _links: Callable[[], NoteLinks]

    def __post_init__(self) -> None:
        self._table = ConceptTable(self._store.database)

    @log_call("concept.list")
    def all(self, base: str = "", limit: int = 60) -> list[Concept]:
        """Return the concepts in a base, or in all bases by default.

        Pinned concepts come first, and the rest are sorted by weight.
        """
        of_note, holders = self._index(base)
        choices = self._table.choices()
        pinned = {name for name, (choice, _) in choices.items() if choice == "pin"}
        merged = defaultdict(list)
        for name, (choice, into) in choices.items():
            if choice == "merge":
                merged[into].append(name)
        every = len(of_note)
        most = max(_FEW, _MOST * every)
        weights = defaultdict[str, float](float)
        for counts in of_note.values():
            for name, count in counts.items():
                weights[name] += (1 + log(count)) * size_of(name)
        names = [
            name for name, notes in holders.items() if name in pinned or name in merged or _FEWEST <= len(notes) <= most
        ]
        names.sort(
            key=lambda name: (
                name not in pinned,
                -weights[name] * log((every + 1) / len(holders[name])) ** 2,
                name,
            )
        )
        return [
            Concept(name, len(holders[name]), name in pinned, tuple(sorted(merged[name]))) for name in names[:limit]
        ]

    @log_call("concept.notes")
    def notes(self, names: Sequence[str], base: str = "") -> list[ConceptNote]:
        """Return the notes that contain all the given concepts. Those with the most occurrences come first.

        The list is empty if no concepts are given.
        """
        of_note, _ = self._index(base)
        choices = self._table.choices()
        wanted = {_resolve_merges(_name(name), choices) for name in names}
        times = {
            note_id: sum(counts[name] for name in wanted)
            for note_id, counts in of_note.items()
            if wanted and wanted <= counts.keys()
        }
        cards = self._store.notes.cards_of(times)
        ranked = sorted(cards, key=lambda note_id: (-times[note_id], cards[note_id].title, note_id))
        return [ConceptNote(cards[note_id], times[note_id]) for note_id in ranked]

    @log_call("concept.way")
    def way(self, first: str, last: str) -> list[Step]:
        """Return the notes on the cheapest path between two notes, following links and concepts.

        The list is empty if there is no path. Raises NoteNotFound.
        """
        for note_id in (first, last):
            self._store.notes.card(note_id)
        index = self._index()
        links = self._links()
        linked = defaultdict[str, dict[str, Message]](dict)
        for note_id, other in links.among(links.names):
            linked[note_id][other] = message("Links to the next note")
            linked[other].setdefault(note_id, message("Linked from the next note"))
        costs = {first: 0.0}
        before = {}
        waiting = [(0.0, first)]
        while waiting:
            cost, note_id = heappop(waiting)
            if note_id == last or cost > _FURTHEST:
                break
            if cost > costs[note_id]:
                continue
            for step, other, way in _steps(note_id, index, linked):
                if cost + step < costs.get(other, inf):
                    costs[other] = cost + step
                    before[other] = (note_id, way)
                    heappush(waiting, (cost + step, other))
        if last not in costs:
            return []
        ways: list[tuple[str, Message | None]] = [(last, None)]
        while ways[-1][0] != first:
            ways.append(before[ways[-1][0]])
        cards = self._store.notes.cards_of(note_id for note_id, _ in ways)
        if len(cards) < len(ways):
            return []  # a note on the path was deleted in the meantime
        return [Step(cards[note_id], way) for note_id, way in reversed(ways)]

    @log_call("concept.decide")
    def decide(self, name: str, choice: ConceptChoice, into: str = "") -> None:
        """Pin a concept, hide it, merge it into another one, or undo the earlier decision.

        Raises UnknownChoice for an unknown decision, and EditError if the concept would be merged into itself or
        nothing.
        """
        if choice not in CHOICES:
            raise UnknownChoice("choice", choice, CHOICES)
        name = _name(name)
        into = _resolve_merges(_name(into), self._table.choices())
        if choice == "undo":
            self._table.drop(name)
            return
        if choice == "merge" and into in ("", name):
            raise EditError("Name the concept to merge '{name}' into.", name=name)
        self._table.put(name, choice, into if choice == "merge" else "")

    def _index(self, base: str = "") -> Index:
        """Return the concepts in a base, or in all bases by default, after applying the user's decisions."""
        choices = self._table.choices()
        every = self._neighbours.phrases()
        several = {name for counts in every.values() for name in counts}
        searched = [item for item in self._store.bases.all() if base in ("", item.name)]
        log_bases(searched)
        only = {item.id for item in searched}
        base_of = self._store.notes.base_ids(every)
        of_note = {}
        holders = defaultdict(list)
        for note_id, counts in every.items():
            if base_of.get(note_id) not in only:
                continue
            chosen = of_note[note_id] = Counter[str]()
            for phrase, count in counts.items():
                single = phrase[:-1] if phrase.endswith("s") and phrase[:-1] in several else phrase
                name = _resolve_merges(single, choices)
                if choices.get(name, ("", ""))[0] != "hide":
                    chosen[name] += count
            for name in chosen:
                holders[name].append(note_id)
        return of_note, holders


def _steps(
    note_id: str, index: Index, linked: Mapping[str, Mapping[str, Message]]
) -> Iterator[tuple[float, str, Message]]:
    """Yield each possible step from a note, as its cost, the next note's id, and an explanation."""
    of_note, holders = index
    links = linked.get(note_id, {})
    for other, way in links.items():
        if other in of_note:
            yield _LINK + len(links) / _COMMON, other, way
    counts = of_note.get(note_id, {})
    weight = {
        name: counts[name] * size_of(name) / len(holders[name]) for name in counts if 1 < len(holders[name]) <= _COMMON
    }
    for name in sorted(weight, key=lambda name: (-weight[name], name))[:_LEADING]:
        for other in holders[name]:
            if other != note_id:
                yield _SHARED + len(holders[name]) / _COMMON, other, message("Both mention {phrases}", phrases=[name])


def _name(name: str) -> str:
    """Return a concept's name in the normalized spelling of key phrases."""
    return " ".join(fold(name).replace("’", "'").split())


def _resolve_merges(name: str, choices: Choices) -> str:
    """Return the concept that `name` is finally merged into, or `name` itself if it isn't merged."""
    seen = {name}
    while choices.get(name, ("", ""))[0] == "merge" and (into := choices[name][1]) not in seen:
        seen.add(into)
        name = into
    return name
