"""Maps of the notes of a base, or of all bases that have one model."""

import re
import threading
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from math import log, sqrt

import numpy as np
from threadpoolctl import ThreadpoolController

from core.base.text import CJK, query_keywords
from core.model import KnowledgeBase, Matrix, NoteMap, Progress, Region, no_progress
from core.notes import layout
from core.notes.links import NoteLinks
from core.store import Store

MOST_REGIONS = 24
_WIDE = re.compile(f"[{CJK}]")
WORDS = 2
"""Words that name a region."""
_LEAST = 3
"""Fewest notes of a region that hold a word of its name."""
_READ = 100
"""Most notes of a region whose beginnings are read for its name."""


class NoteMaps:
    """The maps of a workspace; one is computed again when what searches find has changed."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._maps: dict[str, tuple[int, NoteMap]] = {}
        self._computing = threading.Lock()

    def build_map(self, base: str = "", progress: Progress = no_progress) -> NoteMap:
        """Return the map of a base, or without one of all bases that have the commonest model; raises UnknownChoice."""
        bases = [self._store.bases.named(base)] if base else self._store.bases.all()
        with self._computing:
            version = self._store.database.version()
            known = self._maps.get(base)
            if known is None or known[0] != version:
                known = self._maps[base] = version, self._computed(bases, progress)
            return known[1]

    def is_known(self, base: str = "") -> bool:
        """Whether the map is computed for the notes as they are."""
        return base in self._maps and self._maps[base][0] == self._store.database.version()

    def _computed(self, bases: Sequence[KnowledgeBase], progress: Progress) -> NoteMap:
        every = self._store.notes.count([base.id for base in bases])
        meant = Counter(base.fingerprint for base in bases if base.has_vectors and self._store.chunks.count(base)[2])
        if not meant:
            return NoteMap(left_out=every)
        common = meant.most_common(1)[0][0]
        notes: list[str] = []
        blocks: list[Matrix] = []
        for base in bases:
            if base.fingerprint == common and base.has_vectors:
                ids, vectors = self._store.vectors.note_directions(base)
                notes += ids
                blocks.append(vectors)
        if not notes:
            return NoteMap(left_out=every)
        # While other programs keep the cores busy, two threads of BLAS take longer than one: they wait for each other.
        with ThreadpoolController().select(internal_api="openblas").limit(limits=1):
            plane = layout.places(np.concatenate(blocks), lambda step: progress(step, layout.STEPS, ""))
        numbers = {note: number for number, note in enumerate(notes)}
        return NoteMap(
            tuple(notes),
            tuple((round(x, 4), round(y, 4)) for x, y in plane.tolist()),
            tuple(self._regions(notes, plane)),
            tuple(self._links(numbers)),
            every - len(notes),
        )

    def _regions(self, notes: Sequence[str], plane: layout.Places) -> list[Region]:
        """Return the regions, each named by the words that most set its notes apart from all notes."""
        count = max(1, min(MOST_REGIONS, round(sqrt(len(notes) / 4))))
        own = layout.regions(plane, count)
        members = [inside for at in range(count) if len(inside := np.flatnonzero(own == at))]
        samples = [[notes[number] for number in inside[:: -(-len(inside) // _READ)]] for inside in members]
        texts = self._store.notes.beginnings([note for sample in samples for note in sample])
        words = [
            Counter(word for note in sample for word in set(query_keywords(texts.get(note, "")))) for sample in samples
        ]
        everywhere: defaultdict[str, float] = defaultdict(float)
        for inside, sample, here in zip(members, samples, words, strict=True):
            for word, bearing in here.items():
                everywhere[word] += bearing * len(inside) / len(sample)
        named = []
        for inside, sample, here in zip(members, samples, words, strict=True):
            if len(inside) >= _LEAST:
                x, y = plane[inside].mean(0).tolist()
                named.append(Region(x, y, len(inside), _name(here, everywhere, len(sample), len(notes))))
        return named

    def _links(self, numbers: Mapping[str, int]) -> set[tuple[int, int]]:
        links = NoteLinks(self._store)
        targets = self._store.notes.links_of(numbers)
        pairs = (
            (numbers[note], numbers[link.note_id])
            for note, written in targets.items()
            for link in links.resolve(links.names[note], written)
            if link.note_id is not None and link.note_id in numbers
        )
        return {(min(pair), max(pair)) for pair in pairs}


def _name(here: Mapping[str, int], everywhere: Mapping[str, float], inside: int, notes: int) -> tuple[str, ...]:
    """Return the words with the greatest share of a region's notes times the log of how much oftener they are there."""

    def weight(word: str) -> float:
        share = here[word] / inside
        return share * log(share / (everywhere[word] / notes) + 1e-9)

    fitting = [word for word, count in here.items() if count >= min(_LEAST, inside) and not word.isdigit()]
    chosen: list[str] = []
    for word in sorted(fitting, key=lambda word: (-weight(word), word)):
        overlaps = any(set(word) & set(other) if _is_cjk(word) else word in other or other in word for other in chosen)
        if len(word) > 1 and not overlaps:
            chosen.append(word)
        if len(chosen) == WORDS:
            break
    return tuple(chosen)


def _is_cjk(word: str) -> bool:
    return bool(_WIDE.match(word))
