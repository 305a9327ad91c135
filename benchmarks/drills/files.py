"""A note is saved into its file while another program writes that file: neither text is lost.

The other program is a process of its own; both begin at random moments. The text of the other program is on disk
afterwards, as the file or beside it. The saved text is the file, or was overwritten later, which the next sync sees, or
the save was refused and said so.
"""

import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import IO

from benchmarks.drills.given import Given
from benchmarks.drills.otherwriter import WAYS
from benchmarks.drills.tally import Tally
from core.base import swapping
from core.base.errors import Conflict, EditError, SourceError
from core.intake import folder, notefile
from core.model import Note
from core.notes import filing
from core.store.note_to_index import NoteToIndex

_FIRST = "---\ntitle: Plan\nx: 1\n---\n\nThe first text.\n"
_SPAN = 0.004
"""Seconds in which a save begins after the other program's."""


def drill(tally: Tally, given: Given) -> None:
    """Save a note `count` times beside another program, in each of its ways, with and without a swap in one step."""
    chance = random.Random(given.seed)
    with _other() as other:
        for attempt in range(given.count):
            if not given.goes_on:
                break
            way = list(WAYS)[attempt % len(WAYS)]
            by_names = attempt // len(WAYS) % 4 == 3
            with tempfile.TemporaryDirectory() as scratch, _exchanging(by_names=by_names):
                kind = f"{way}{', by names' if by_names else ''}"
                told, lost = _attempt(Path(scratch), way, chance, other)
                tally.count(kind, told=told, lost=lost and f"attempt {attempt}: {lost}")


def _attempt(place: Path, way: str, chance: random.Random, other: "subprocess.Popen[str]") -> tuple[bool, str]:
    """Save a note while the other program writes; return whether the save was refused, and what was lost."""
    file = place / "plan.md"
    file.write_bytes(_FIRST.encode())
    note = _synced(file)
    texts = [f"Text {number} of another program, {'x' * chance.randrange(50)}.\n" for number in (1, 2)]
    texts = texts[: chance.choice((1, 2))]
    task = {"file": str(file), "way": way, "texts": texts, "seed": chance.random()}
    _pipe(other.stdin).write(f"{json.dumps(task)}\n")
    _pipe(other.stdin).flush()
    time.sleep(chance.random() * _SPAN)
    saved = None
    with suppress(Conflict, EditError, SourceError):  # the person has both texts
        saved = filing.write(note, replace(note, body="The text of the person.\n"))
    _pipe(other.stdout).readline()
    return saved is None, _lost(file, texts[-1], saved)


def _lost(file: Path, theirs: str, saved: NoteToIndex | None) -> str:
    """Return what is wrong on disk after both programs are done, or nothing."""
    held = {path: path.read_bytes().decode() for path in file.parent.iterdir()}
    if theirs not in held.values():
        return f"the other program's text is gone: {held}"
    if left := [path.name for path in held if path.name.startswith(".")]:
        return f"left over: {left}"
    if saved is not None and held.get(file) != _text(saved.note):
        state = file.stat()
        if (state.st_mtime_ns, state.st_size) == (saved.mtime_ns, saved.size):
            return "a sync would not see that the file was changed"
    return ""


def _text(note: Note) -> str:
    return f"{note.front}{note.body}"


def _synced(file: Path) -> Note:
    data = file.read_bytes()
    note, _ = notefile.read(data, file.name)
    return replace(note, id="1", content_hash=folder.content_hash(data), source="folder", source_ref=str(file.parent))


def _pipe(pipe: IO[str] | None) -> IO[str]:
    assert pipe is not None
    return pipe


@contextmanager
def _other() -> Iterator["subprocess.Popen[str]"]:
    command = [sys.executable, "-m", "benchmarks.drills.otherwriter"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        yield other
        _pipe(other.stdin).close()


@contextmanager
def _exchanging(*, by_names: bool) -> Iterator[None]:
    """Let files change places as on a file system that has no swap in one step."""
    before = swapping.exchange
    if by_names:
        swapping.exchange = swapping.exchange_by_names
    try:
        yield
    finally:
        swapping.exchange = before
