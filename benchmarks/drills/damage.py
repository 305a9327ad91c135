"""Every file of a workspace, damaged in ten ways, with the app closed and with the app open; then a person goes on.

After each damage: `status`, `search`, the app, `import`, `rebuild`, the app again, each in a process of its own. All
that is damaged beside the database has to be healed then; no answer may differ from exact search without a word.
"""

import os
import random
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import product
from multiprocessing.synchronize import Event
from pathlib import Path

import numpy as np

from benchmarks.drills.breakage import BREAKAGES, OF_FOLDERS
from benchmarks.drills.given import Given
from benchmarks.drills.tally import Tally
from benchmarks.drills.verbs import FORK, SECONDS, Outcome, begun, command, run
from core.embedding import EMBEDDERS
from core.embedding.tfidf import DIMENSION, Tfidf
from core.model import Matrix, Role
from core.registry import Entry
from core.workspace import Workspace

NOTES, SECTIONS = 36, 32
"""More than 1,000 windows: with fewer Chroma writes no HNSW file."""
QUESTIONS = 12
LEAST = 0.97
"""Least share of the exact top ten that the index returns; a sound one returns 0.99 and more."""
TOLD = ("notes.db", "lock")
"""What isn't healed: a sentence says what is wrong with it. The rest is built again."""
_SYLLABLES = (("ka", "lo", "mi", "nu", "re", "sa"), ("bar", "den", "fil"), ("ix", "um", "a"))
_WORDS = ["".join(parts) for parts in product(*_SYLLABLES)]
QUESTION = " ".join(_WORDS[::11])


class Projected(Tfidf):
    """Hashed words in few numbers, so that an index is built in a second."""

    fingerprint = "damage-48"
    dimension = 48
    _map = np.random.default_rng(0).standard_normal((DIMENSION, dimension), np.float32)

    def embed(self, texts: list[str], *, role: Role) -> Matrix:  # type: ignore[override]
        """Return one vector per text, the same for notes and questions."""
        vectors = super().embed(texts, role=role) @ self._map
        unit: Matrix = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return unit


@dataclass(frozen=True)
class Case:
    """A damage of a file, by its path in the workspace, while the app is open or not."""

    path: str
    damage: str
    app_open: bool

    @property
    def kind(self) -> str:
        """The path, without the part that differs from workspace to workspace."""
        return "/".join("SEGMENT" if _is_segment(part) else part for part in self.path.split("/"))


def drill(tally: Tally, given: Given) -> None:
    """Try cases, in an order by the seed, until there are `count` of them or the time is up."""
    EMBEDDERS["damage"] = Entry("benchmarks.drills.damage:Projected")
    os.environ |= {"TESSERA_EMBEDDER": "damage", "TESSERA_SEARCH__RERANKER": "none"}
    with tempfile.TemporaryDirectory(prefix="damage") as scratch:
        place = Path(scratch).resolve()
        _made(place / "own", 1)
        cases = list(_cases(place / "own"))
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
        made = run(partial(_make, place, seed))
        assert not made.died + made.told, made
    return place


def _make(place: Path, seed: int) -> None:
    """Make a workspace, closed and clean, and a copy of it as a killed process would leave it."""
    chance = random.Random(seed)
    notes = place / "notes"
    notes.mkdir(parents=True)
    for number in range(NOTES):
        heads = (" ".join(chance.choices(_WORDS, k=4)) for _ in range(SECTIONS))
        parts = [f"## {head}\n\n{' '.join(chance.choices(_WORDS, k=40))}.\n" for head in heads]
        (notes / f"{number}.md").write_text("\n".join(parts))
    with Workspace(place / "closed") as workspace:
        workspace.notes.apply(workspace.notes.plan_folder(notes, "base"))
        workspace.preferences.set("language", "en")
        workspace.search(QUESTION)
    shutil.copytree(place / "closed", place / "killed")
    with Workspace(place / "killed") as workspace:
        workspace.store.open_index()
        (notes / "late.md").write_text(f"# Late\n\n{QUESTION}")
        workspace.notes.apply(workspace.notes.plan_folder(notes, "base"))
        shutil.copytree(place / "killed", place / "now")
    (notes / "late.md").unlink()
    shutil.rmtree(place / "killed")
    (place / "now").rename(place / "killed")


def _cases(own: Path) -> Iterator[Case]:
    """Yield every damage of every file of a closed workspace, and of those that only a killed process leaves."""
    paths: dict[str, bool] = {}
    for folder in ("closed", "killed"):
        for file in sorted((own / folder).rglob("*")):
            paths.setdefault(file.relative_to(own / folder).as_posix(), file.is_dir())
    for path, is_folder in paths.items():
        for damage in OF_FOLDERS if is_folder else BREAKAGES:
            yield Case(path, damage, app_open=False)
            if path != "notes.db-shm" or damage not in ("empty", "cut"):
                # SQLite maps that file: whoever makes it shorter ends the processes that have it open.
                yield Case(path, damage, app_open=True)


def _tried(case: Case, place: Path, chance: random.Random) -> dict[str, Outcome]:
    """Damage a copy, go on as a person would, and return what came of each verb."""
    here = place / "here"
    shutil.rmtree(here, ignore_errors=True)
    own = next(one for one in (place / "own" / "closed", place / "own" / "killed") if (one / case.path).exists())
    workspace, notes = (
        shutil.copytree(own, here / "workspace"),
        shutil.copytree(place / "own" / "notes", here / "notes"),
    )
    (notes / "new.md").write_text(f"# New\n\n{QUESTION}")
    file = workspace / case.path
    other = _twin(_made(place / "other", 2) / own.name, case.path) if case.damage == "another's" else file

    def damage() -> None:
        if file.exists():  # one that only a killed process leaves may be gone
            BREAKAGES[case.damage](file, chance, other)

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
    at = ("--workspace", workspace)
    outcomes["status"] = run(partial(command, "status", *at))
    outcomes["search"] = run(partial(command, "search", QUESTION, "--mode", "semantic", *at))
    outcomes["the app"] = run(partial(_app, workspace))
    outcomes["import"] = run(partial(command, "import", notes, "--base", "base", *at))
    outcomes["rebuild"] = run(partial(command, "rebuild", *at))
    outcomes["the app at last"] = run(partial(_app, workspace))
    if left != _bytes(workspace / "notes.db") and all(one.told for one in outcomes.values()):
        outcomes["notes.db"] = Outcome(died="was written to, though no command could read it")
    return outcomes


def _bytes(file: Path) -> bytes:
    return file.read_bytes() if file.is_file() else b""


def _app(folder: Path) -> str:
    """Open a workspace as the app does and search in it; return what is wrong with the answers."""
    with Workspace(folder) as workspace:
        workspace.store.open_index()
        return _wrong(workspace)


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
    if not workspace.bases.all():
        return "the base is gone"
    (base,), store = workspace.bases.all(), workspace.store
    chance = random.Random(5)
    shares = []
    for _ in range(QUESTIONS):
        (vector,) = Projected().embed([" ".join(chance.choices(_WORDS, k=8))], role="query")
        exact = store.chunks.nearest(base, vector, 10)
        tops = store.nearest(base, vector, 10), store._from_index(base, vector, 10, None) or exact
        shares += [len(exact.keys() & top.keys()) / max(1, len(exact)) for top in tops]
    share = sum(shares) / len(shares)
    return f"{share:.2f} of the top ten" if share < LEAST and not store.index_problem else ""


def _twin(other: Path, path: str) -> Path:
    """Return the file of another workspace that is the same part of it."""
    place = other
    for part in path.split("/"):
        place = next(filter(lambda one: _is_segment(one.name), place.iterdir())) if _is_segment(part) else place / part
    return place


def _is_segment(name: str) -> bool:
    return name.count("-") == 4


def _count(tally: Tally, case: Case, outcomes: Mapping[str, Outcome]) -> None:
    """Judge a case: nothing died, no wrong answer went without a word, and what SQLite holds was healed."""
    faults = [f"{verb} {one.died}" for verb, one in outcomes.items() if one.died]
    lost = [f"{verb}: {one.answer}" for verb, one in outcomes.items() if "app" in verb and one.answer]
    if not case.path.startswith(TOLD) and case.damage != "read-only":
        lost += [f"{verb}: {outcomes[verb].told}" for verb in ("rebuild", "the app at last") if outcomes[verb].told]
    how = f"{case.damage}, app {'open' if case.app_open else 'closed'}"
    tally.count(
        case.kind,
        told=any(one.told for one in outcomes.values()),
        died=f"{how}: {'; '.join(faults)}" if faults else "",
        lost=f"{how}: {'; '.join(lost)}" if lost else "",
    )
