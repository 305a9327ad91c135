"""Every file of a used workspace, damaged in 15 ways, with the app closed or open; then a person goes on.

After each damage: `status`, `search`, the app, `import`, `rebuild`, the app again. Where the database or the index is
damaged each runs in a process of its own; else all in one, without the index. All that is damaged beside the database
has to be healed then, nothing that was written may be gone, and no answer may differ from exact search without a word.
"""

import os
import random
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Any

import chromadb  # noqa: F401 loaded once, for every process to come

from benchmarks.drills import used
from benchmarks.drills.breakage import BREAKAGES, OF_FOLDERS
from benchmarks.drills.given import Given
from benchmarks.drills.tally import Tally
from benchmarks.drills.used import QUESTION, WORDS, Projected
from benchmarks.drills.verbs import FORK, SECONDS, Outcome, begun, command, in_time, run
from core.base.registry import Entry
from core.embedding import EMBEDDERS
from core.workspace import Workspace

QUESTIONS = 12
LEAST = 0.97
"""Least share of the exact top ten that the index returns; a sound one returns 0.99 and more."""
TOLD = "notes.db"
"""What isn't healed: a sentence says what is wrong with it. The rest is made again."""
_INDEX = ("notes.db", "chroma")
_DERIVED = (*_INDEX, "lock", "logs", "scratch", "floors.json", "bars.json")
"""Files that hold nothing of a person's."""
_UNKNOWABLE = ("notes.db-wal", "another's")
"""A sound log of another database is played into this one by SQLite: neither file names the other."""
_VALID = ("read-only", "another's")
"""Damages after which a file is as good as before: the program may write it again."""


@dataclass(frozen=True)
class Case:
    """A damage of a file, by its path in the workspace, while the app is open or not."""

    place: Path
    path: str
    damage: str
    app_open: bool

    @property
    def of_index(self) -> bool:
        """Whether the database or the index is damaged."""
        return self.path.startswith(_INDEX)

    @property
    def kind(self) -> str:
        """The path, without the part that differs from workspace to workspace."""
        return _kind_of(self.path)


def drill(tally: Tally, given: Given) -> None:
    """Try cases, in an order by the seed, until there are `count` of them or the time is up."""
    EMBEDDERS["damage"] = Entry("benchmarks.drills.used:Projected")
    os.environ |= {"TESSERA_EMBEDDER": "damage", "TESSERA_SEARCH__RERANKER": "none"}
    with tempfile.TemporaryDirectory(prefix="damage") as scratch:
        place = Path(scratch).resolve()
        cases = [*_cases(_made(place / "large", 1)), *_cases(_made(place / "small", 1))]
        cases = [case for case in cases if case.place.name == ("large" if case.of_index else "small")]
        random.Random(given.seed).shuffle(cases)
        for number, case in enumerate(cases[: given.count], 1):
            if not given.goes_on:
                break
            _count(tally, case, _tried(case, place, random.Random(f"{given.seed} {case.kind} {case.damage}")))
            if number % 20 == 0:
                print(f"{number} of {len(cases)}, {len(tally.faults)} faults", flush=True)


def _made(place: Path, seed: int) -> Path:
    """Return a folder with workspaces of these notes."""
    if not place.exists():
        made = run(partial(used.make, place, seed, used.SMALL if "small" in place.name else used.LARGE))
        assert not made.died + made.told, made
    return place


def _cases(own: Path) -> Iterator[Case]:
    """Yield every damage of every file of a closed workspace, and of those that only a killed process leaves."""
    paths: dict[str, bool] = {}
    for folder in ("closed", "killed"):
        for file in sorted((own / folder).rglob("*")):
            paths.setdefault(file.relative_to(own / folder).as_posix(), file.is_dir())
    # By what they are: names that differ from workspace to workspace would change the order that a seed draws.
    for path, is_folder in sorted(paths.items(), key=lambda item: _kind_of(item[0])):
        for damage in OF_FOLDERS if is_folder else BREAKAGES:
            if (path, damage) == _UNKNOWABLE:
                continue
            yield Case(own, path, damage, app_open=False)
            copied = path.startswith("scratch/")  # which is open only while something is tried with it
            if not copied and (path != "notes.db-shm" or damage not in ("empty", "cut", "other types")):
                # SQLite maps that file: whoever makes it shorter ends the processes that have it open.
                yield Case(own, path, damage, app_open=True)


def _tried(case: Case, place: Path, chance: random.Random) -> dict[str, Outcome]:
    """Damage a copy, go on as a person would, and return what came of each verb."""
    here = place / "here"
    shutil.rmtree(here, ignore_errors=True)
    own = next(one for one in (case.place / "closed", case.place / "killed") if (one / case.path).exists())
    workspace = shutil.copytree(own, here / "workspace")
    notes = shutil.copytree(case.place / "notes", here / "notes")
    (notes / "new.md").write_text(f"# New\n\n{QUESTION}")
    file = workspace / case.path
    other = (
        _twin(_made(place / f"other {case.place.name}", 2) / own.name, case.path)
        if case.damage == "another's"
        else file
    )

    def damage() -> None:
        if file.exists() and other.exists():  # one that only a killed process leaves may be gone
            BREAKAGES[case.damage](file, chance, other)

    verbs = _verbs(case, workspace, notes)
    if not case.of_index:
        done = run(partial(_in_turn, case, workspace, notes, damage, verbs))
        outcomes: dict[str, Outcome] = done.answer or {"all": done}
    else:
        outcomes = _apart(case, workspace, notes, damage, verbs)
    return outcomes


def _verbs(case: Case, workspace: Path, notes: Path) -> dict[str, Callable[[], Any]]:
    """Return what a person does after the damage."""
    at = ("--workspace", workspace)
    commands: dict[str, Callable[[], Any]] = {
        "status": partial(command, "status", *at),
        "search": partial(command, "search", QUESTION, "--mode", "semantic", *at),
        "the app": partial(_app, workspace, case.path),
        "import": partial(command, "import", notes, "--base", "base", *at),
        "rebuild": partial(command, "rebuild", *at),
        "the app at last": partial(_app, workspace, case.path),
    }
    if not case.of_index:
        del commands["rebuild"]
        commands["status"] = lambda: [command("status", *more, *at) for more in ((), ("--log",))]
        commands["trash"] = partial(command, "restore", *at)
    return commands


def _apart(
    case: Case, workspace: Path, notes: Path, damage: Callable[[], None], verbs: Mapping[str, Callable[[], Any]]
) -> dict[str, Outcome]:
    """Do each in a process of its own."""
    outcomes: dict[str, Outcome] = {}
    if case.app_open:
        opened, damaged = FORK.Event(), FORK.Event()
        with begun(partial(_held_open, workspace, notes, opened, damaged)) as ended:
            opened.wait(SECONDS)
            damage()
            damaged.set()
            outcomes["the open app"] = ended()
    else:
        damage()
    left = _bytes(workspace / "notes.db")
    outcomes |= {name: run(verb) for name, verb in verbs.items()}
    if left != _bytes(workspace / "notes.db") and all(one.told for one in outcomes.values()):
        outcomes["notes.db"] = Outcome(died="was written to, though no command could read it")
    return outcomes


def _in_turn(
    case: Case, workspace: Path, notes: Path, damage: Callable[[], None], verbs: Mapping[str, Callable[[], Any]]
) -> dict[str, Outcome]:
    """Do all in this process, each within some seconds, and look whether what was damaged is there still."""
    os.environ["TESSERA_INDEX__KIND"] = "none"
    outcomes: dict[str, Outcome] = {}
    written: dict[str, bytes] = {}

    def harm() -> None:
        damage()
        file = workspace / case.path
        if file.is_file() and not case.path.startswith(_DERIVED) and case.damage not in _VALID:
            written["file"] = file.read_bytes()

    if case.app_open:
        outcomes["the open app"] = in_time(partial(_open_while, workspace, notes, case.path, harm))
    else:
        harm()
    outcomes |= {name: in_time(verb) for name, verb in verbs.items()}
    if written.get("file") and not _holds(workspace, case.path, written["file"]):
        outcomes["the app at the very last"] = Outcome(answer="what was damaged is gone")
    return outcomes


def _open_while(folder: Path, notes: Path, path: str, harm: Callable[[], None]) -> str:
    with Workspace(folder) as workspace:
        workspace.search(QUESTION)
        harm()
        workspace.notes.apply(workspace.notes.plan_folder(notes, "base"))
        return used.missing(workspace, path)


def _holds(folder: Path, path: str, data: bytes) -> bool:
    """Whether a file of a workspace holds what was damaged, in its place, set aside, or with more behind it."""
    name = Path(path).name
    files = (file for file in folder.rglob("*") if name in file.name and file.is_file() and not file.is_symlink())
    return any(file.read_bytes().startswith(data) for file in files)


def _bytes(file: Path) -> bytes:
    return file.read_bytes() if file.is_file() else b""


def _app(folder: Path, path: str) -> str:
    """Open a workspace as the app does and use it; return what is wrong or gone."""
    with Workspace(folder) as workspace:
        workspace.store.open_index()
        return (_wrong(workspace) if path.startswith(_INDEX) else "") or used.missing(workspace, path)


def _held_open(folder: Path, notes: Path, opened: Event, damaged: Event) -> str:
    """Hold a workspace open while it is damaged, then search in it, import into it and close it."""
    with Workspace(folder) as workspace:
        workspace.store.open_index()
        _wrong(workspace)
        opened.set()
        damaged.wait(SECONDS)
        before = _wrong(workspace)
        workspace.notes.apply(workspace.notes.plan_folder(notes, "base"))
        return before or _wrong(workspace)


def _wrong(workspace: Workspace) -> str:
    """Compare the ten nearest with those of exact search; return what is wrong and not told, empty if all is well."""
    base, store = workspace.bases.find("base"), workspace.store
    if base is None:
        return "the base is gone"
    chance = random.Random(5)
    shares = []
    for _ in range(QUESTIONS):
        (vector,) = Projected().embed([" ".join(chance.choices(WORDS, k=8))], role="query")
        exact = store.chunks.nearest(base, vector, 10)
        tops = store.nearest(base, vector, 10), store._from_index(base, vector, 10, None) or exact
        shares += [len(exact.keys() & top.keys()) / max(1, len(exact)) for top in tops]
    share = sum(shares) / len(shares)
    return f"{share:.2f} of the top ten" if share < LEAST and not store.index.problem else ""


def _twin(other: Path, path: str) -> Path:
    """Return the file of another workspace that is the same part of it; one that it lacks is a path without a file."""
    place = other
    for part in path.split("/"):
        alike = (one for one in sorted(place.iterdir() if place.is_dir() else ()) if _kind(one.name) == _kind(part))
        place = next(alike, place / part)
    return place


def _kind_of(path: str) -> str:
    return "/".join(map(_kind, path.split("/")))


def _kind(name: str) -> str:
    """Return a name without what differs from workspace to workspace."""
    stem, dot, suffix = name.partition(".")
    if name.count("-") == 4:
        return "SEGMENT"
    if re.fullmatch(r"\d{8}T\d{12}-.*", stem):
        return f"BASE{'-notes' if stem.endswith('-notes') else ''}{dot}{suffix}"
    return "COPY" if re.fullmatch(r"[0-9a-f]{16}", name) else name


def _count(tally: Tally, case: Case, outcomes: Mapping[str, Outcome]) -> None:
    """Judge a case: nothing died, no wrong answer went without a word, and what SQLite holds was healed."""
    faults = [f"{verb} {one.died}" for verb, one in outcomes.items() if one.died]
    lost = [f"{verb}: {one.answer}" for verb, one in outcomes.items() if "app" in verb and one.answer]
    if not case.path.startswith(TOLD) and case.damage != "read-only":
        healed = [verb for verb in ("import", "rebuild", "the app at last") if verb in outcomes]
        lost += [f"{verb}: {outcomes[verb].told}" for verb in healed if outcomes[verb].told]
    how = f"{case.damage}, app {'open' if case.app_open else 'closed'}"
    tally.count(
        case.kind,
        told=any(one.told for one in outcomes.values()),
        died=f"{how}: {'; '.join(faults)}" if faults else "",
        lost=f"{how}: {'; '.join(lost)}" if lost else "",
    )
