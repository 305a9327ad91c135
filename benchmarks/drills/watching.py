"""A watched vault is changed by another program at random moments, also while Tessera is off.

After the last change the base equals the folder, no text was embedded twice, and a search found a note that nobody
touched all along. Then the processor time of an idle workspace is measured.
"""

import random
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.drills import vault
from benchmarks.drills.given import Given
from benchmarks.drills.tally import Tally
from core.base.errors import NoteNotFound
from core.base.registry import Entry
from core.embedding import EMBEDDERS
from core.model import Matrix, Role
from core.settings.config import Settings
from core.settings.sections import SearchSection
from core.workspace import Workspace

_NOTES = 5
"""Notes of the vault for each change."""
_FOLDER = 40
"""Notes of a folder at first."""
_STILL = 0
"""The number of the note that nobody touches."""
_SETTLED = 180.0
"""Seconds after the last change, at most, until the base has to equal the folder."""
_IDLE = 60.0
"""Seconds in which the idle workspace is measured; a look at all files is among them."""
_SHARE = 0.01
"""Share of a core that an idle workspace may take."""
_EMBEDDED: Counter[str] = Counter()


class Counting(vault.Folded):
    """Counts how often each text of a note is embedded."""

    def embed(self, texts: "list[str]", *, role: Role) -> Matrix:  # type: ignore[override]
        if role != "query":
            _EMBEDDED.update(texts)
        return super().embed(texts, role=role)


@dataclass
class Changes:
    """Another program: it changes the files of a folder, and knows what it did last to each."""

    folder: Path
    chance: random.Random
    numbers: int
    version: int = 1
    kinds: dict[str, str] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)

    def one(self) -> None:
        """Make a change of a random kind."""
        kind = self.chance.choices(("edit", "replace", "add", "move", "delete", "move a folder"), (8, 4, 3, 3, 2, 0.3))[
            0
        ]
        self.version += 1
        files = [file for file in self.folder.rglob("*.md") if file.stem != str(_STILL)]
        file = self.chance.choice(files)
        number = int(file.stem.partition(" ")[0])
        if kind == "edit":
            file.write_text(vault.body(number, self.version))
        elif kind == "replace":
            draft = file.with_name(".draft")
            draft.write_text(vault.body(number, self.version))
            draft.replace(file)
        elif kind == "add":
            self.numbers += 1
            file = file.with_name(f"{self.numbers}.md")
            file.write_text(vault.body(self.numbers, self.version))
        elif kind == "move":
            other = self.chance.choice(files).parent / f"{number} {self.version}.md"
            file = file.rename(other)
        elif kind == "delete":
            file.unlink()
        else:
            folder = file.parent.rename(self.folder / f"moved {self.version}")
            file = folder / file.name
        self.kinds[file.relative_to(self.folder).as_posix()] = kind
        self.counts[kind] += 1


def drill(tally: Tally, given: Given) -> None:
    """Make `count` changes of a vault of five times as many notes."""
    EMBEDDERS["counting"] = Entry(f"{__name__}:Counting")
    with tempfile.TemporaryDirectory() as scratch:
        place, chance = Path(scratch), random.Random(given.seed)
        changes = Changes(_made(place / "vault", given.count * _NOTES), chance, given.count * _NOTES)
        search = SearchSection(reranker="none")
        settings = Settings(workspace=place / "workspace", embedder="counting:16", scan_interval=30, search=search)
        with Workspace(settings=settings) as workspace:
            workspace.notes.apply(workspace.notes.plan_folder(changes.folder))
        done = threading.Event()
        changing = threading.Thread(target=_change, args=(changes, given, done))
        changing.start()
        openings = 0
        while not done.is_set():
            with Workspace(settings=settings) as workspace:
                workspace.start_watching()
                openings += 1
                _search(workspace, tally, done, time.monotonic() + chance.uniform(4, 20))
            done.wait(chance.uniform(0, 3))
        changing.join()
        with Workspace(settings=settings) as workspace:
            workspace.start_watching()
            began = time.monotonic()
            while (wrong := _differences(workspace, changes)) and time.monotonic() < began + _SETTLED:
                time.sleep(0.2)
            seconds, notes = time.monotonic() - began, len(_files(changes))
            print(f"{notes} notes, opened {openings} times meanwhile, equal {seconds:.1f} s after the last opening")
            _judge(tally, changes, wrong)
            _idle(tally)


def _made(folder: Path, notes: int) -> Path:
    for number in range(notes):
        vault.write(folder / f"{number // _FOLDER}", number, 1)
    return folder


def _change(changes: Changes, given: Given, done: threading.Event) -> None:
    """Change files one after the other, in bursts and with pauses."""
    for _ in range(given.count):
        if not given.goes_on:
            break
        changes.one()
        time.sleep(changes.chance.choices((0, 0.01, 0.1, 1.5), (5, 5, 5, 1))[0])
    done.set()


def _search(workspace: Workspace, tally: Tally, done: threading.Event, until: float) -> None:
    while time.monotonic() < until and not done.is_set():
        began = time.monotonic()
        hits = workspace.search(f"n{_STILL}v1").hits
        missing = (
            "" if any(hit.note.path == f"0/{_STILL}.md" or hit.note.title == str(_STILL) for hit in hits) else "no hit"
        )
        slow = time.monotonic() - began
        tally.count("search meanwhile", lost=missing or (f"{slow:.1f} s" if slow > 5 else ""))
        time.sleep(0.1)


def _files(changes: Changes) -> dict[str, str]:
    return {file.relative_to(changes.folder).as_posix(): file.read_text() for file in changes.folder.rglob("*.md")}


def _differences(workspace: Workspace, changes: Changes) -> dict[str, str]:
    """Return what is wrong by the path of a note; nothing else is if all is well."""
    there = _files(changes)
    cards = workspace.notes.all()
    try:
        held = {str(card.path): workspace.notes.get(card.id).body for card in cards}
    except NoteNotFound:
        return {"(changing)": "a note left meanwhile"}
    wrong = dict.fromkeys(there.keys() - held.keys(), "no note")
    wrong |= dict.fromkeys(held.keys() - there.keys(), "no file")
    wrong |= {path: "another text" for path in there.keys() & held.keys() if there[path] != held[path]}
    wrong |= {"(twice)": f"{len(cards)} notes of {len(held)} paths"} if len(cards) != len(held) else {}
    return wrong or ({"(pending)": "not embedded yet"} if workspace.chunks.unfinished() else {})


def _judge(tally: Tally, changes: Changes, wrong: dict[str, str]) -> None:
    for kind, count in changes.counts.items():
        for _ in range(count):
            tally.count(kind)
    for path, fault in list(wrong.items())[:20]:
        tally.count("after the last change", lost=f"{path} ({changes.kinds.get(path, 'untouched')}): {fault}")
    if not wrong:
        tally.count("after the last change")
    twice = {text[:60]: count for text, count in _EMBEDDED.items() if count > 1}
    tally.count("nothing embedded twice", lost=f"{len(twice)} texts, such as {list(twice)[:3]}" if twice else "")
    print(f"{len(_EMBEDDED)} texts embedded")


def _idle(tally: Tally) -> None:
    time.sleep(5)
    before, began = time.process_time(), time.monotonic()
    time.sleep(_IDLE)
    share = (time.process_time() - before) / (time.monotonic() - began)
    print(f"idle: {share:.2%} of a core over {_IDLE:.0f} s")
    tally.count("idle", lost=f"{share:.2%} of a core" if share >= _SHARE else "")
