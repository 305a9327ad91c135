"""Notes with two texts to choose from: edited notes whose pack has newer text, conflict copies, contradictions."""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import pairwise
from typing import Protocol

from core.base.cache import Cache
from core.base.errors import EditError, NoteNotFound, UnknownChoice
from core.base.frozen import Pair, TextMap, Texts, TextValues
from core.model import SIDES, Note, NoteDifference, NoteSummary, ReviewItem, Side
from core.notes.collection import Notes
from core.notes.trash import Trash
from core.notes.versions import Versions, between
from core.store import Store

# Conflict copies are recognized by the names that sync programs give them. If a user may have chosen the name, their
# contents are compared as well.

# Beginnings of the word for *conflict*. Dropbox writes names in the user's language.
_CONFLICT = r"(?:[ck]onfli[ckt]|mo[dt]strid|конфл|冲突|衝突|競合|問題のある|충돌|çakış)"
_COPY = r"(?:c[oó]p[iy]|kop[iy]|exemplaar|коп[иі]|副本|複本|拷[贝貝]|コピー|사본)"
# Words for Dropbox's other conflicts: names that differ only in case or encoding, and selective sync.
_OTHERWISE = (
    r"(?:case|casse|schreib|may[uú]sc|mai[uú]sc|大小|大文字|unicode|encod|[ck]odi|编码|編碼|s[eé]le[ck]|选择|選擇|選択"
    r"|white ?space|leerzeichen)"
)
# Maximum number of characters that a sync program appends to a name.
_LONGEST = 160
# A quick first test, passed by every name with an ending in SURE.
_HINT = re.compile(rf"{_CONFLICT}|case clash|safebackup|_conf\(|@")


# A pattern for the end of a conflict copy's folded name without suffix, and a flag.
#
# The flag is True if the ending may begin at several positions in the name.
Ending = tuple[re.Pattern[str], bool]


def _endings(*patterns: str, divided: bool = False) -> tuple[Ending, ...]:
    return tuple((re.compile(rf"(?=(?:{pattern})\Z)"), divided) for pattern in patterns)


def _bracket_pattern(*parts: str) -> str:
    """Return a pattern for parentheses that contain all the given parts, and may contain one nested level."""
    ahead = "".join(rf"(?=.*{part})" for part in parts)
    return rf" ?\({ahead}(?:[^()]|\([^()]*\))*\)"


# Name endings used only by programs.
SURE = (
    *_endings(
        _bracket_pattern(_CONFLICT, _COPY),  # Dropbox, Nextcloud, ownCloud, Obsidian Sync, Box, Nutstore
        _bracket_pattern(_CONFLICT, r"(?:\d{4}-\d\d-\d\d|\d{8})"),  # Tessera, FSNotes, Seafile, Tresorit
        _bracket_pattern(_CONFLICT, _OTHERWISE),  # Dropbox
        r" ?\(case clash from [^()]*\)",  # Nextcloud
        r" ?\([^()\s]+@[^()\s]+ \d{4}-\d\d-\d\d(?:-\d\d){3}\)",  # Seafile
        rf" ?\[{_CONFLICT}[^\[\]]*\]",  # pCloud, Google Drive
        r"\.sync-conflict-\d{8}-\d{6}(?:-[a-z\d]{7})?",  # Syncthing
        r"\.conflict(?:ed)?\d*",  # Resilio Sync, rclone
        r"_conflict-(?:[^_()]{1,64}-)?\d{8}-\d{6}",  # ownCloud
        r"_conf\(\d{1,3}\)",  # Google Drive
    ),
    *_endings(
        r"_[^()]{1,64}_[^_()\d]{2,12}-\d\d-\d{6}-\d{4}_(?:case|unreadable)?conflict",  # Synology Drive
        r"-[^()]{1,63}-safebackup-\d{4}",  # OneDrive on Linux
        rf"[-_] ?(?=[^()]*{_CONFLICT})(?=[^()]*{_COPY})[^-_()][^()]*",  # programs without brackets
        divided=True,
    ),
)
_NUMBERS = _endings(
    r" ?\(\d{1,3}\)",  # Google Drive, Resilio Sync, Windows
    r" (?:[2-9]|[1-9]\d)",  # iCloud, Finder
)
# Name endings that users may choose as well.
POSSIBLE = (
    *_NUMBERS,
    *_endings(r" ?\((?:sync)?conflict(?:ed|ing)?(?: ?\(?\d{1,3}\)?)?\)"),  # programs that only name the conflict
    *_endings(r"-(?=[^()]*[^\W\d_])\w[\w .'’-]{1,39}", divided=True),  # OneDrive
)


def _without(ending: Ending, name: str) -> Iterator[str]:
    """Yield the possible original names with the ending removed, longest first."""
    pattern, divided = ending
    starts = [match.start() for match in pattern.finditer(name, max(0, len(name) - _LONGEST))]
    yield from (name[:start] for start in (reversed(starts) if divided else starts[:1]) if name[:start].strip())


def folded(path: str) -> str:
    """Return a path in a form for comparison, because programs change the case and Unicode form of names."""
    return unicodedata.normalize("NFKC", path).casefold()


@lru_cache(100_000)
def originals(path: str) -> tuple[tuple[str, bool], ...]:
    """Return the folded paths of the files that may be a file's original, and whether each is certain.

    Only the file's name is considered. A conflict copy may itself have a conflict copy. The name without both endings
    is then certain too.
    """
    folder, slash, name = folded(path).rpartition("/")
    stem, dot, suffix = name.rpartition(".")
    found = [(first, True) for first in _sure_originals(stem, 2)] if _HINT.search(stem) else []
    found += ((first, False) for ending in POSSIBLE for first in _without(ending, stem))
    return tuple((f"{folder}{slash}{first}{dot}{suffix}", sure) for first, sure in found)


def _sure_originals(name: str, depth: int) -> Iterator[str]:
    """Yield the names left after an ending in SURE is removed. Up to `depth` endings or numbers are removed in turn."""
    for ending in (*SURE, *_NUMBERS) if depth else ():
        for first in _without(ending, name):
            if ending in SURE:
                yield first
            if _HINT.search(first):
                yield from _sure_originals(first, depth - 1)


# Maximum number of characters of each text to compare.
_COMPARED = 200_000
# Maximum number of comparisons to cache.
_COMPARISONS = 10_000
# Minimum share of word pairs in common, and minimum share of the shorter text's word pairs that the longer text
# contains. The second minimum applies only if the shorter text has at least _MANY pairs.
_NEAR = 0.5
_WHOLE = 0.8
_MANY = 20


def are_versions(first: str, second: str) -> bool:
    """Return whether two texts are probably versions of the same file.

    They count as versions if most of their pairs of adjacent words are equal, or if one text mostly contains the other.
    """
    counter = _pairs(first)
    other = _pairs(second)
    few, all_ = sorted((counter.total(), other.total()))
    shared = (counter & other).total()
    return 2 * shared > _NEAR * (few + all_) or (few >= _MANY and shared >= _WHOLE * few)


def _pairs(text: str) -> "Counter[Pair]":
    words = re.findall(r"[㐀-鿿぀-ヿ가-힯]|[^\W_]+", folded(text[:_COMPARED]))
    return Counter(pairwise(["", *words, ""])) if words else Counter()


Undo = Callable[[], object]


class Upgrades(Protocol):
    """A feature that offers newer text for notes edited by the user."""

    def passed_by(self) -> TextMap:
        """Return the ids of the notes for which there is newer text, each with a hash of that text."""

    def offered(self, note_id: str) -> Note | None:
        """Return a note with its newer text, or None if the upgrade would delete the note."""

    def take(self, note_id: str, expected_version: int) -> None:
        """Replace a note's text with the newer text. Raises Conflict if the note isn't at `expected_version`."""

    def leave(self, note_id: str) -> None:
        """Undo `take` by offering a note's newer text again."""


@dataclass(eq=False)
class TextConflicts:
    """The notes with two texts, and the choice between the two. Only texts that have changed are compared again."""

    _store: Store
    _notes: Notes
    _versions: Versions
    _trash: Trash
    _upgrades: Upgrades | None

    def __post_init__(self) -> None:
        self._near: Cache[tuple[str, int, str, int], bool] = Cache(_COMPARISONS)

    def second_texts(self) -> TextValues:
        """Return the ids of active notes from conflict copies, each mapped to the id of the original file's note."""
        return self._store.remembered.get("second texts", lambda: dict(self._read_second_texts()))

    def _read_second_texts(self) -> Iterator[Pair]:
        files = self._store.notes.active_files()
        of_path = {(file.base_id, file.source_ref, folded(file.path)): file for file in files}
        for copy in files:
            for path, sure in originals(copy.path):
                own = of_path.get((copy.base_id, copy.source_ref, path))
                if (
                    own
                    and own is not copy
                    and (
                        sure
                        or self._near.get_or_compute(
                            (own.id, own.generation, copy.id, copy.generation), partial(self._are_near, own.id, copy.id)
                        )
                    )
                ):
                    yield copy.id, own.id
                    break

    def _are_near(self, first: str, second: str) -> bool:
        """Return whether two notes are probably versions of the same file, and the second was created by a sync."""
        if any(
            version.kind == "create" and version.author != "sync" for version in self._store.versions.for_note(second)
        ):
            return False
        try:
            return are_versions(self._store.note(first).body, self._store.note(second).body)
        except NoteNotFound:  # deleted in the meantime
            return False

    def upgrades(self) -> Iterator[tuple[NoteSummary, str]]:
        """Yield the edited notes that a pack upgrade skipped, each with the hash of the pack's text."""
        passed = self._upgrades.passed_by() if self._upgrades else {}
        cards = self._store.notes.cards_of(passed)
        yield from ((cards[note_id], offered) for note_id, offered in passed.items() if note_id in cards)

    def files(self) -> Iterator[tuple[NoteSummary, NoteSummary]]:
        """Yield pairs of active notes, one from a file and one from the file's conflict copy."""
        pairs = self.second_texts()
        cards = self._store.notes.cards_of({*pairs, *pairs.values()})
        for copy_id, own in pairs.items():
            if {copy_id, own} <= cards.keys():
                yield cards[own], cards[copy_id]

    def other(self, matter: ReviewItem) -> Note | None:
        """Return the note to compare an item's note with, or None if the pack no longer has the note.

        Raises NoteNotFound, PackError if the pack is unreadable, and EditError if the item is of another kind.
        """
        if matter.kind == "upgrade" and matter.note and self._upgrades:
            return self._upgrades.offered(matter.note.id)
        if matter.kind == "file" and matter.other:
            return self._notes.get(matter.other.id)
        raise EditError("This item needs a different decision.")

    def difference(self, matter: ReviewItem) -> NoteDifference | None:
        """Return the difference between an item's two texts, or None if the upgrade would delete the note."""
        other = self.other(matter)
        return between(self._notes.get(str(matter.note_id)), other) if other else None

    def settle(self, matter: ReviewItem, side: Side, let_be: Undo, reopen: Undo) -> Undo:
        """Keep one side of an item, or both. Return a function that undoes the choice.

        The sentences of a contradiction replace those of the other note, which raises EditError if they can't be found.
        `let_be` closes the item, and `reopen` reopens it. The text that isn't kept stays in the history, the archive or
        the trash. Raises UnknownChoice for an unknown side, Conflict if the note has changed, and the same errors as
        `other` and `Notes.update`.
        """
        if side not in SIDES:
            raise UnknownChoice("side", side, SIDES)
        if matter.kind == "contradiction" and matter.pair and side != "both":
            right, wrong = (0, 1) if side == "mine" else (1, 0)
            return self._correct(matter.pair[wrong], matter.quotes[wrong::2], matter.quotes[right::2])
        other = self.other(matter) if side != "mine" or matter.kind == "file" else None
        note_id = str(matter.note_id)
        before = matter.note.version if matter.note else 0
        revert = partial(self._versions.revert, note_id, before, embed=False)
        undo = list[Undo]()
        if matter.kind == "file" and side != "both" and other:
            if side == "theirs":
                self._notes.update(note_id, body=other.body, expected_version=before, author="person", embed=False)
                undo.append(revert)
            self._notes.archive([other.id])
            undo.append(partial(self._trash.restore, [other.id], embed=False))
        elif side == "theirs" and self._upgrades:
            self._upgrades.take(note_id, before)
            if other:
                undo += revert, partial(self._upgrades.leave, note_id)
            else:
                undo.append(partial(self._trash.restore, [note_id], embed=False))
        else:
            if side == "both" and matter.kind == "upgrade":
                if other is None:
                    raise EditError("The pack no longer has this note. Keep it, or move it to the trash.")
                added = self._notes.add(
                    matter.base,
                    other.body,
                    title=f"{other.title} ({other.source_ref.removeprefix('pack:')})",
                    tags=other.tags,
                    author="person",
                    embed=False,
                )
                undo.append(partial(self._trash.take_back, added.id))
            let_be()
            undo.append(reopen)

        def undone() -> None:
            for step in undo:
                step()

        return undone

    def _correct(self, card: NoteSummary, wrong: Texts, right: Texts) -> Undo:
        """Replace sentences in a note, and return a function that undoes this."""
        body = self._notes.get(card.id).body
        for old, new in zip(wrong, right, strict=True):
            if body.count(old) != 1:
                raise EditError("The sentence to replace isn't in the other note exactly once. Edit that note instead.")
            body = body.replace(old, new)
        self._notes.update(card.id, body=body, expected_version=card.version, author="person", embed=False)
        return partial(self._versions.revert, card.id, card.version, embed=False)
