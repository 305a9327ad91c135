"""Commands and edits on a disk that is full or can only be read, or under a limit of the size of files.

The disk is a small file system where mounting is allowed. Then the space is given back, and everything has to be there.
"""

import os
import random
import resource
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import chromadb  # noqa: F401 loaded once, for every process to come

from benchmarks.drills import sound, vault
from benchmarks.drills.given import Given
from benchmarks.drills.operations import BASE, MODELS, question_file
from benchmarks.drills.schemas import NEWEST, rows
from benchmarks.drills.tally import Tally
from benchmarks.drills.verbs import Outcome, command, run
from core.model import Pipeline, SearchSettings
from core.store import Store
from core.workspace import Workspace

NOTES, MORE = 40, 40
_SIZE = 48 << 20
_MOST = 3 << 20
"""Bytes of the disk, and the most that are left of it."""
TOLD = {
    "full": ("no space left", "Make space there"),
    "read-only": ("can't be written",),
    "quota": ("no space left", "search index"),
}
"""What has to be said, of a backup before it begins. A limit ends Chroma's process without a reason."""


def _edit(folder: Path, _: Path) -> None:
    with Workspace(folder) as workspace:
        card = workspace.notes.all()[3]
        chunk = workspace.chunks.all(card.id)[0]
        workspace.chunks.update(chunk.id, f"{chunk.text} edited")


def _delete(folder: Path, _: Path) -> None:
    with Workspace(folder) as workspace:
        workspace.notes.delete([card.id for card in workspace.notes.all()[:5]])


def _evaluate(folder: Path, _: Path) -> None:
    with Workspace(folder) as workspace:
        (questions,) = workspace.question_sets.all(BASE)
        workspace.runs.run(questions, [Pipeline("words", search=SearchSettings(mode="keyword", reranker="none"))])


def _open(folder: Path, _: Path) -> None:
    with Workspace(folder) as workspace:
        workspace.store.open_index()


def _typed(*arguments: object) -> Callable[[Path, Path], object]:
    return lambda folder, _: command(*arguments, "--workspace", folder)


VERBS: dict[str, Callable[[Path, Path], object]] = {
    "import": lambda folder, notes: command("import", notes, "--base", BASE, "--workspace", folder),
    "search": _typed("search", "n3v1"),
    "status": _typed("status"),
    "rechunk": _typed("rechunk", "--base", BASE, "--strategy", "lines", "--chunk-size", 300),
    "rebuild": _typed("rebuild"),
    "edit": _edit,
    "delete": _delete,
    "evaluate": _evaluate,
    "opening": _open,
    "migration": lambda folder, _: Store(folder).close(),
}


def drill(tally: Tally, given: Given) -> None:
    """Try verbs in turn on a full and on a read-only disk, until there are `count` attempts or the time is up."""
    os.environ |= {"TESSERA_EMBEDDER": MODELS[0], "TESSERA_SEARCH__RERANKER": "none"}
    vault.offer_model()
    draw = random.Random(given.seed)
    with tempfile.TemporaryDirectory(prefix="disks") as scratch:
        place = Path(scratch).resolve()
        made = run(partial(_make, place))
        assert not made.died + made.told, made
        for number in range(given.count):
            if not given.goes_on:
                break
            verb = [*VERBS][number % len(VERBS)]
            _try(tally, place, verb, draw, read_only=number // len(VERBS) % 3 == 2)
            if number % 20 == 19:
                print(f"{number + 1} of {given.count}, {len(tally.faults)} faults", flush=True)


def _make(place: Path) -> None:
    """Make a workspace, one of an earlier schema, and notes to import."""
    for number in range(NOTES):
        vault.write(place / "notes", number, 1)
    with Workspace(place / "own") as workspace:
        workspace.notes.apply(workspace.notes.plan_folder(place / "notes", BASE))
        workspace.question_sets.add_file(BASE, "questions", question_file(place / "notes", 12), "questions.jsonl")
    for number in range(NOTES // 2, NOTES + MORE):
        vault.write(place / "notes", number, 2)
    (place / "old").mkdir()
    shutil.copyfile(NEWEST, place / "old" / "notes.db")
    shutil.copytree(place / "old", place / "migrated")
    Store(place / "migrated").close()


def _try(tally: Tally, place: Path, verb: str, draw: random.Random, *, read_only: bool) -> None:
    """Do something without space or without leave to write, then look at the workspace with both."""
    # At one path, because a sync knows notes by their folder, and every disk has it for itself.
    folder = place / "workspace"
    folder.mkdir()
    free = round(_MOST * draw.random() ** 3)
    own = place / ("old" if verb == "migration" else "own")
    with _disk(folder) as mounted:
        if read_only and not mounted:
            tally.count("read-only: not tried, mounting isn't allowed")
            return
        shutil.copytree(own, folder, dirs_exist_ok=True)
        kind = "read-only" if read_only else "full" if mounted else "quota"
        work = partial(VERBS[verb], folder, place / "notes")
        if read_only:
            _remount(folder, "ro")
            outcome = run(work)
            _remount(folder, "rw")
        elif mounted:
            with _filled(folder, free):
                outcome = run(work)
        else:
            outcome = run(partial(_limited, work, 40_000 + free))
        after = run(partial(_migrated if verb == "migration" else _whole, folder, place, verb))
    _count(tally, f"{kind}: {verb}", outcome, after, TOLD[kind], f"{free} bytes free")


def _count(tally: Tally, row: str, outcome: Outcome, after: Outcome, wanted: tuple[str, ...], what: str) -> None:
    died = outcome.died or after.died or after.told
    if outcome.told and not any(text in outcome.told for text in wanted):
        died = died or f"says: {outcome.told}"
    tally.count(
        row,
        told=bool(outcome.told),
        died=died and f"{what}: {died}",
        lost=after.answer and f"{what}: {after.answer}",
    )


def _whole(folder: Path, place: Path, verb: str) -> str:
    """Return what isn't there any more or doesn't agree, empty if all is well."""
    with Workspace(place / "own", readonly=True) as own:
        before = _held(own)
    with Workspace(folder) as workspace:
        workspace.store.open_index()
        wrong = sound.faults(workspace)
        now = _held(workspace)
    if verb == "delete":
        gone = before.keys() - now.keys()
        wrong += [f"{len(gone)} notes are gone"] if len(gone) not in (0, 5) else []
    else:
        wrong += [f"{name} is gone" for name in sorted(before.keys() - now.keys())]
    if verb not in ("import", "delete"):
        wrong += [f"{name} is another" for name in sorted(before.keys() & now.keys()) if before[name] != now[name]]
    return "; ".join(wrong)


def _held(workspace: Workspace) -> dict[str, object]:
    """Return what an attempt must leave: each note with its version, bases and questions."""
    held = {name: value for name, value in sound.state(workspace).items() if name.startswith(("note ", "base "))}
    sets = [one for base in workspace.bases.all() for one in workspace.question_sets.all(base.name)]
    return held | {f"questions {one.name}": [replace(q, line=0) for q in workspace.questions.all(one)] for one in sets}


def _migrated(folder: Path, place: Path, _: str) -> str:
    Store(folder).close()
    same = rows(folder / "notes.db") == rows(place / "migrated" / "notes.db")
    return "" if same else "the rows differ from those of a migration with space"


def _limited(work: Callable[[], object], size: int) -> object:
    """Work where no file may grow beyond a size."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
    return work()


@contextmanager
def _disk(folder: Path) -> Iterator[bool]:
    """Have a disk of its own in the place of a folder; whether that is allowed is yielded."""
    mount = ["mount", "-t", "tmpfs", "-o", f"size={_SIZE}", "tmpfs", folder]
    mounted = subprocess.run(mount, capture_output=True, check=False).returncode == 0
    try:
        yield mounted
    finally:
        if mounted:
            subprocess.run(["umount", "-l", folder], check=True)
        shutil.rmtree(folder)


def _remount(folder: Path, how: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{how}", folder], check=True)


@contextmanager
def _filled(folder: Path, free: int) -> Iterator[None]:
    """Leave so many bytes of a disk."""
    filler = folder / "filler"
    with filler.open("wb") as file:
        space = os.statvfs(folder)
        os.posix_fallocate(file.fileno(), 0, max(1, space.f_bavail * space.f_frsize - free))
    yield
    filler.unlink()
