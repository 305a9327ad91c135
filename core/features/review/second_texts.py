"""Files that are second texts of others: their names say so, and where a person may have given them, their contents."""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from core.base.errors import NoteNotFound
from core.features.review.copy_names import folded, originals
from core.store import Store
from core.store.remembered import Remembered

_WORDS = re.compile(r"[㐀-鿿぀-ヿ가-힯]|[^\W_]+")
_COMPARED = 200_000
"""Characters of a text that are compared."""
_NEAR, _WHOLE, _MANY = 0.5, 0.8, 20
"""Share of pairs of words that near texts have in common; share of the shorter one's, if it has many, in the longer."""


def near(first: str, second: str) -> bool:
    """Return whether two texts are those of one file at two times: most of their pairs of neighbouring words are equal,
    or those of one text are in the other, which goes on.
    """
    counter, other = _pairs(first), _pairs(second)
    few, all_ = sorted((counter.total(), other.total()))
    shared = (counter & other).total()
    return 2 * shared > _NEAR * (few + all_) or (few >= _MANY and shared >= _WHOLE * few)


def _pairs(text: str) -> "Counter[tuple[str, str]]":
    words = _WORDS.findall(folded(text[:_COMPARED]))
    return Counter(pairwise(["", *words, ""])) if words else Counter()


class SecondTexts:
    """The files of a workspace that are second texts of others. Texts are compared once in each of their states."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._remembered = Remembered(store.database)
        self._near: dict[tuple[tuple[str, int], tuple[str, int]], bool] = {}

    def pairs(self) -> dict[str, str]:
        """Return the ids of active notes whose files are second texts, each with the id of the note of its file."""
        return self._remembered.get("pairs", lambda: dict(self._read()))

    def _read(self) -> Iterator[tuple[str, str]]:
        files = self._store.notes.active_files()
        of_path = {(file.base_id, file.source_ref, folded(file.path)): file for file in files}
        compared = {}
        for copy in files:
            for path, sure in originals(copy.path):
                own = of_path.get((copy.base_id, copy.source_ref, path))
                if own is None or own is copy:
                    continue
                key = (own.id, own.generation), (copy.id, copy.generation)
                if not sure:
                    known = self._near.get(key)
                    compared[key] = self._are_near(own.id, copy.id) if known is None else known
                if sure or compared[key]:
                    yield copy.id, own.id
                    break
        self._near = compared

    def _are_near(self, first: str, second: str) -> bool:
        """Return whether two texts are near, and the second one wasn't written here: that has a name of a person."""
        if any(
            version.kind == "create" and version.author != "sync" for version in self._store.versions.for_note(second)
        ):
            return False
        try:
            return near(self._store.notes.note(first).body, self._store.notes.note(second).body)
        except NoteNotFound:  # it was deleted meanwhile
            return False
