"""Fuzz: inputs at random, `--count` of each kind; nothing but a TesseraError may come of one.

An attempt is known by its kind, the seed and its number: `again(kind, seed, number)` makes it once more and raises what
it raises. A fault is any other exception, more than SECONDS of the processor's time in all threads (a hang ends after
HANG seconds by the clock), a peak of the process's memory that is more than GROWTH above the one before, and what a
function `use_…` returns as lost.
"""

import json
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

from benchmarks.drills.fuzzing import files, lines, settings, texts
from benchmarks.drills.given import Given
from benchmarks.drills.tally import Tally
from core import chunking, embedding
from core.base.errors import TesseraError
from core.chunking import CHUNKERS
from core.doors import remote as wire
from core.doors.registry import OPERATIONS
from core.doors.remote import calls
from core.features.evaluation import questions as question_files
from core.intake import notefile
from core.intake.notefile import is_note
from core.model import ChunkingOptions, Note, SyncReport
from core.settings import config
from core.workspace import Workspace

SECONDS = 5.0
HANG = 60
GROWTH = 2**30

BY_MEANING = 20
"""One question of so many is searched for by meaning too, and its hits are reranked, which takes long."""

_BASE = "fuzz"
_UPLOADED = 100
"""Notes of uploads that are kept before they are deleted."""


class Hung(BaseException):
    """An attempt that doesn't end."""


class Bench:
    """A workspace with some notes, and a folder in which every temporary file of the program is made."""

    def __init__(self, folder: Path, vault: Path) -> None:
        self.folder = folder
        self.temporary = folder / "temporary"
        self.temporary.mkdir()
        self.workspace = Workspace(folder / "workspace")
        self.workspace.imports.apply(self.workspace.imports.plan_folder(vault))
        self.workspace.bases.add(_BASE, embed_at_once=False)
        self.tokens = embedding.build("bundled").tokens
        self.workspace.search("warm")

    def outside(self) -> set[Path]:
        """Return what lies outside the workspace and the temporary files, where nothing may be written."""
        return {path for path in self.folder.iterdir() if path.name not in ("workspace", "temporary", "settings")}


def use_question(bench: Bench, made: str) -> str:
    mode = "auto" if len(made) % BY_MEANING == 0 else "keyword"
    bench.workspace.search(made, mode=mode, explain=len(made) % 2 == 0)
    return ""


def use_markdown(bench: Bench, made: str) -> str:
    note, outline = notefile.read(made.encode("utf-8", "replace"), "fuzz.md")
    note = replace(note, id="fuzz")
    for strategy in CHUNKERS:
        for chunk in chunking.cut(note, ChunkingOptions(strategy=strategy), bench.tokens, outline).chunks:
            if note.body[chunk.start : chunk.end] != chunk.text:
                return f"{strategy}: the chunk at {chunk.start} isn't a slice of the note"
    return _unstorable(note)


def use_front_matter(bench: Bench, made: str) -> str:
    note, _ = notefile.read(f"---\n{made}\n---\nbody".encode("utf-8", "replace"), "fuzz.md")
    json.dumps(note.extra, allow_nan=False)
    return _unstorable(note) or ("" if note.body.endswith("body") else "the body is gone")


def use_table(bench: Bench, made: bytes) -> str:
    return _unreadable(made, "fuzz.csv")


def use_json_lines(bench: Bench, made: bytes) -> str:
    return _unreadable(made, "fuzz.jsonl")


def use_settings_file(bench: Bench, made: bytes) -> str:
    folder = bench.folder / "settings"
    folder.mkdir(exist_ok=True)
    (folder / config.FILE).write_bytes(made)
    with patch.object(config, "FILE", folder / config.FILE):
        config.settings()
    return ""


def use_environment(bench: Bench, made: dict[str, str]) -> str:
    with patch.dict(os.environ, made):
        config.settings()
    return ""


def use_archive(bench: Bench, made: bytes) -> str:
    return _uploaded(bench, [("fuzz.zip", made)])


def use_upload(bench: Bench, made: list[tuple[str, bytes]]) -> str:
    return _uploaded(bench, made)


def use_call(_: Bench, made: tuple[str, bytes]) -> str:
    """Check the arguments of an operation as the app does."""
    name, body = made
    try:
        given = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise TesseraError("refused") from error
    arguments = calls.arguments(OPERATIONS[name], given)
    unknown = arguments.keys() - {each.name for each in OPERATIONS[name].parameters}
    return f"took {unknown}" if unknown else ""


def use_line(_: Bench, made: bytes) -> str:
    """Read a line as a command does."""
    try:
        kind, value = wire.read(made)
        error = wire.error_of(value) if kind == "error" else None
    except (ValueError, RecursionError) as error:
        raise TesseraError("refused") from error
    return "" if kind != "error" or isinstance(error, TesseraError) else f"read {error!r}"


Use = Callable[[Bench, Any], str]
KINDS: dict[str, tuple[Callable[[Random], Any], Use]] = {
    "front matter": (texts.front_matter, use_front_matter),
    "question files, CSV": (files.table, use_table),
    "question files, JSONL": (files.json_lines, use_json_lines),
    "settings, file": (settings.file, use_settings_file),
    "settings, environment": (settings.environment, use_environment),
    "Markdown": (texts.markdown, use_markdown),
    "uploads": (files.upload, use_upload),
    "archives": (files.archive, use_archive),
    "questions": (texts.question, use_question),
    "calls": (lines.call, use_call),
    "lines": (lines.line, use_line),
}
"""Kind -> what makes an input, and what uses it and returns what was lost."""


def drill(tally: Tally, given: Given) -> None:
    """Try every kind `count` times, or until the deadline."""
    with _bench(given.vault) as bench:
        for kind in KINDS:
            for number in range(given.count):
                if not given.goes_on:
                    return
                _attempt(tally, bench, kind, given.seed, number)
            print(f"{kind}: {tally.rows[kind]}", file=sys.stderr, flush=True)


def again(kind: str, seed: int, number: int, vault: Path = Given.vault) -> object:
    """Make one attempt once more, raise what it raises, and return its input."""
    with _bench(vault) as bench:
        made = made_by(kind, seed, number)
        KINDS[kind][1](bench, made)
    return made


def made_by(kind: str, seed: int, number: int) -> Any:
    """Return the input of an attempt."""
    return KINDS[kind][0](Random(f"{kind} {seed} {number}"))


def _attempt(tally: Tally, bench: Bench, kind: str, seed: int, number: int) -> None:
    made = made_by(kind, seed, number)
    peak, started = _peak(), time.process_time()
    reported, died, lost = False, "", ""
    try:
        with _ending():
            lost = KINDS[kind][1](bench, made)
    except TesseraError:
        reported = True
    except Hung:
        died = f"not done after {HANG} s"
    except Exception as error:  # noqa: BLE001 this is what the drill looks for
        died = f"{type(error).__name__}: {error}"[:200]
    took, grown = time.process_time() - started, _peak() - peak
    if took > SECONDS or grown > GROWTH:
        died = died or f"{took:.1f} s, {grown / 2**20:.0f} MB more at its peak"
    at = f"seed {seed}, number {number}: "
    tally.count(kind, reported=reported, died=died and at + died, lost=lost and at + lost)


@contextmanager
def _bench(vault: Path) -> Iterator[Bench]:
    folder = Path(tempfile.mkdtemp(prefix="tessera-fuzz-"))
    try:
        bench = Bench(folder, vault)
        with patch.object(tempfile, "tempdir", str(bench.temporary)), bench.workspace:
            yield bench
    finally:
        shutil.rmtree(folder)


@contextmanager
def _ending() -> Iterator[None]:
    """Raise Hung after HANG seconds."""

    def hung(*_: object) -> None:
        raise Hung

    before = signal.signal(signal.SIGALRM, hung)
    signal.alarm(HANG)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def _peak() -> int:
    """Return the most memory that this process had so far, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _unstorable(note: Note) -> str:
    """Return which field of a note no database could hold."""
    texts_of = {field.name: repr(getattr(note, field.name)) for field in fields(note) if field.name != "body"}
    texts_of["body"] = note.body
    for name in ("title", "tags", "links", "category", "type", "project", "scope"):
        value = getattr(note, name)
        texts_of[name] = value if isinstance(value, str) else "".join(value)
    for name, text in texts_of.items():
        try:
            text.encode()
        except UnicodeEncodeError as error:
            return f"{name} can't be stored: {error}"
    return ""


def _unreadable(made: bytes, name: str) -> str:
    """Read a question file, write its questions and read them again; return whether they changed."""
    questions = question_files.parse(made, name)
    written = question_files.parse(question_files.dump(questions), "again.jsonl")
    return "" if [replace(one, line=0) for one in written] == [replace(one, line=0) for one in questions] else "changed"


def _uploaded(bench: Bench, made: list[tuple[str, bytes]]) -> str:
    """Import an upload without its vectors; return what was left, written elsewhere, or not reported."""
    before = bench.outside()
    notes = bench.workspace.notes
    try:
        plan = bench.workspace.imports.plan_upload(made, _BASE)
        there = [
            path
            for path in plan.folder.rglob("*")
            if path.is_file() and is_note(path.relative_to(plan.folder).as_posix())
        ]
        report = bench.workspace.imports.apply(plan, confirmed=True, embed=False)
        lost = _unreported(report, len(there))
    finally:
        left = list(bench.temporary.iterdir())
    cards = [card.id for card in notes.all() if card.source == "upload"]
    if len(cards) > _UPLOADED:
        bench.workspace.trash.put(cards)
    if left:
        return f"{left} was left"
    return lost or ("written elsewhere" if bench.outside() != before else "")


def _unreported(report: SyncReport, count: int) -> str:
    """Return the files of a report that failed with an exception of another library, or that it doesn't name."""
    odd = [f"{failed.path}: {failed.error}" for failed in report.failed if "kind" in failed.error.fields]
    if odd:
        return "; ".join(odd)
    reported = report.added + report.changed + report.unchanged + len(report.failed)
    return "" if reported == count else f"{count} files, {reported} reported"
