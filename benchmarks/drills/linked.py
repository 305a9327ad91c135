"""Kill acts on many files at drawn moments: a note whose 60 linking files follow is renamed, moved, deleted, exported.

After the next opening no link is dead, nothing is half written, and the doctor names what can't be made as it was.
"""

import random
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.drills.children import Begin, Child
from benchmarks.drills.given import Given
from benchmarks.drills.tally import Tally
from core.workspace import Workspace

LINKED = 60
BASE = "linked"


def _hub(workspace: Workspace) -> str:
    return next(card.id for card in workspace.notes.all() if card.title in ("Hub", "Renamed"))


ACTS: dict[str, Callable[[Workspace], object]] = {
    "rename": lambda workspace: workspace.renames.rename(_hub(workspace), "Renamed"),
    "move": lambda workspace: workspace.renames.move(workspace.notes.resolve("Loose").id, "elsewhere"),
    "delete": lambda workspace: workspace.trash.put([card.id for card in workspace.notes.all()]),
    "export": lambda workspace: workspace.archives.export(BASE, workspace.store.folder.with_name("out"), "markdown"),
}


def prepare(begin: Begin, place: Path) -> None:
    """Make a vault with a note to which 60 others link, and one that is written in the workspace."""
    (place / "vault").mkdir(parents=True)
    (place / "vault" / "Hub.md").write_text("# Hub\n\nThe middle.\n")
    for number in range(LINKED - 1):
        text = f"# Leaf {number}\n\nSee [[Hub]], [it](Hub.md#hub) and [[Loose]] or [there](loose/Loose.md).\n"
        (place / "vault" / f"leaf-{number}.md").write_text(text)
    with Workspace(place / "workspace") as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(place / "vault", BASE), embed=False)
        workspace.notes.add(BASE, "Loose.\n", path="loose/Loose.md", title="Loose", embed=False)
        workspace.bases.update(BASE, write_files=True)


def act(begin: Begin, place: Path, name: str) -> float:
    """Do an act in an open workspace; return its seconds."""
    with Workspace(place / "workspace") as workspace:
        begin()
        started = time.monotonic()
        ACTS[name](workspace)
        return time.monotonic() - started


def check(begin: Begin, place: Path) -> tuple[list[str], bool]:
    """Open a workspace after a kill; return its faults, and whether the doctor names a file."""
    with Workspace(place / "workspace") as workspace:
        named = set(workspace.store.intents.left())
        links = workspace.notes.links()
        faults = []
        for note in (workspace.notes.get(card.id) for card in workspace.notes.all()):
            dead = [target for target in note.links if not links.target(note, target)]
            file = Path(note.source_ref) / str(note.path) if note.in_file else None
            if dead and note.path not in named:
                faults.append(f"{note.path}: {dead}")
            if file and not (file.is_file() and file.read_text().endswith(note.body)):
                faults.append(f"{note.path}: the file is another one")
        files = {path.name for path in place.rglob("*") if path.name.startswith(".")}
        whole = [*(place / "vault").rglob("*.md")]
        faults += [f"left: {name}" for name in files if name.endswith(".part") or name.startswith((".out", ".tessera"))]
        faults += [] if len(whole) == LINKED else [f"{len(whole)} files"]
        out = len([*(place / "out").rglob("*.md")])
        faults += [] if out in (0, LINKED + 1) else [f"{out} files are exported"]
        faults += [f"left: {path.name}" for path in (place / "workspace" / "temporary").glob("*") if path.is_dir()]
    return faults, bool(named)


def drill(tally: Tally, given: Given) -> None:
    """Kill each act at `given.count` moments of its measured time."""
    draw = random.Random(given.seed)
    with tempfile.TemporaryDirectory() as scratch:
        made, place = Path(scratch) / "made", Path(scratch) / "place"
        with Child(prepare, place) as child:
            child.result()
        place.rename(made)
        for name in ACTS:
            seconds = None
            for _ in range(given.count + 1):  # the first one is measured
                if not given.goes_on:
                    return
                shutil.copytree(made, place)
                moment = seconds and draw.random() * seconds
                with Child(act, place, name) as child:
                    seconds = child.done_or_killed(moment, alone=False) or seconds
                _count(tally, place, name, f"{name} after {moment or seconds:.3f} s")
                shutil.rmtree(place)


def _count(tally: Tally, place: Path, name: str, what: str) -> None:
    faults, named, died = list[str](), False, ""
    try:
        with Child(check, place) as child:
            faults, named = child.result()
    except RuntimeError as error:
        died = f"{what}: {error}"
    lost = f"{what}: {'; '.join(faults[:3])}" if faults else ""
    tally.count(name, reported=named, died=died, lost=lost)
