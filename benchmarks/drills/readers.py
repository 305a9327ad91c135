"""The processes that read while another one writes, and how their answers are judged."""

import contextlib
import io
import json
import random
import re
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.drills import journal, sound, vault
from benchmarks.drills.children import Begin
from benchmarks.drills.journal import Follower, Values
from benchmarks.drills.operations import BASE, EDITED
from core.base.errors import NoteNotFound, TesseraError, WorkspaceLocked
from core.doors.cli import main
from core.model import Mode
from core.workspace import Workspace

Seen = Mapping[str, object]
"""What an answer shows: a version for each name that it had to show, or shows."""
Ask = Callable[[Values], Seen]
"""Asks a question about what may be seen, and returns what the answer shows."""
END = "end"
"""The file that tells the processes to end."""
_HELD = 2.0
"""Seconds for which a reader stays in one state of the database."""


@dataclass
class Judge:
    """Judges answers by the writer's journal, and counts them."""

    follower: Follower
    end: Path
    asked: Counter[str] = field(default_factory=Counter)
    faults: list[tuple[str, str]] = field(default_factory=list)

    @staticmethod
    def at(place: Path) -> "Judge":
        return Judge(Follower(place / "journal", json.loads((place / "held.json").read_text())), place / END)

    @property
    def goes_on(self) -> bool:
        return not self.end.exists()

    def ask(self, row: str, question: Ask) -> None:
        """Ask, and note what the answer shows that may not be seen."""
        before = self.follower.now()
        seen = question(before)
        may = self.follower.since(before)
        self.asked[row] += 1
        shown = {name: (*may.get(name, (None,)), *_sure(name, may)) for name in seen}
        self.faults += [(row, fault) for fault in journal.faults(shown, seen)]


def held_open(begin: Begin, place: Path, seed: int) -> Judge:
    """Ask a workspace that stays open for reading; now and then stay in one state of it."""
    judge, draw = Judge.at(place), random.Random(seed)
    with Workspace(place / "workspace", readonly=True) as workspace:
        begin()
        while judge.goes_on:
            judge.ask("searches, held open", lambda may: searched(workspace, may, draw))
            judge.ask("notes, held open", lambda may: opened(workspace, may, draw))
            judge.ask("everything, held open", lambda may: everything(workspace))
            if draw.random() < 0.1:
                with workspace.store.database.read():
                    judge.ask("everything, in one state for seconds", lambda may: everything(workspace))
                    first = sound.state(workspace)
                    time.sleep(_HELD)
                    judge.asked["everything, in one state for seconds"] += 1
                    if sound.state(workspace) != first:
                        judge.faults.append(("everything, in one state for seconds", "the state changed"))
    return judge


def opened_again(begin: Begin, place: Path, seed: int) -> Judge:
    """Open a workspace for reading, ask it, close it, and so on."""
    judge, draw = Judge.at(place), random.Random(seed)
    begin()
    while judge.goes_on:
        with Workspace(place / "workspace", readonly=True) as workspace:
            judge.ask("searches, opened again", lambda may, opened=workspace: searched(opened, may, draw))
            judge.ask("everything, opened again", lambda may, opened=workspace: everything(opened))
    return judge


def commanded(begin: Begin, place: Path, seed: int) -> Judge:
    """Search and look at the status by commands."""
    judge, draw = Judge.at(place), random.Random(seed)
    begin()
    while judge.goes_on:
        judge.ask("tessera search", lambda may: searched_by_command(place, may, draw))
        judge.ask("tessera status", lambda may: counted_by_command(place, may))
    return judge


def writing_too(begin: Begin, place: Path, seed: int) -> Judge:
    """Try to write to the workspace, by opening it and by a command; both are refused, and name who writes."""
    judge = Judge.at(place)
    begin()
    while judge.goes_on:
        for row, attempt in (("second writer", _second_writer), ("second writer, tessera import", _second_import)):
            judge.asked[row] += 1
            said, writer = attempt(place), (place / "writer").read_text()
            if f"process {writer}" not in said:
                judge.faults.append((row, f"{said!r} doesn't name the process {writer}"))
        time.sleep(0.1)
    return judge


READERS = (held_open, opened_again, commanded, writing_too)


# questions


def searched(workspace: Workspace, may: Values, draw: random.Random) -> Seen:
    """Search for a word that one version of a note has, by word or by meaning."""
    name, version = _chosen(may, draw)
    mode: Mode = draw.choice(("keyword", "semantic", "hybrid"))
    hits = workspace.search(_word(name, version), mode=mode, as_typed=True).hits
    seen = _versions(hit.chunk.text for hit in hits if hit.note.base == BASE)
    return {**seen, **_found(name, version, seen)} if mode == "keyword" else seen


def opened(workspace: Workspace, may: Values, draw: random.Random) -> Seen:
    """Read a note that may be there, in one state of the database with its chunks."""
    name, _ = _chosen(may, draw)
    with workspace.store.database.read():
        try:
            card = workspace.notes.find(f"{name.partition('/')[2]}.md")
        except TesseraError as error:
            return {name: None} if isinstance(error, NoteNotFound) else {}
        texts = [chunk.text for chunk in workspace.chunks.all(card.id) if not chunk.edited]
        return _versions([workspace.notes.get(card.id).body, *texts]) if card.base == BASE else {}


def everything(workspace: Workspace) -> Seen:
    """Read all notes with their chunks, in one state of the database."""
    with workspace.store.database.read():
        mixed = dict.fromkeys(sound.of_notes(workspace), True)
        return sound.state(workspace) | mixed


def searched_by_command(place: Path, may: Values, draw: random.Random) -> Seen:
    name, version = _chosen(may, draw)
    arguments = "search", _word(name, version), "--mode", "keyword", "--as-typed", "--base", BASE
    answer = json.loads(_command(place, *arguments, "--json"))
    seen = _versions(hit["text"] for hit in answer["hits"])
    return {**seen, **_found(name, version, seen)}


def counted_by_command(place: Path, may: Values) -> Seen:
    status = json.loads(_command(place, "status", "--json"))
    return {f"base {base['name']}": bool(base["notes"]) for base in status["bases"]}


def _second_writer(place: Path) -> str:
    try:
        Workspace(place / "workspace").close()
    except WorkspaceLocked as error:
        return str(error)
    return ""


def _second_import(place: Path) -> str:
    return _command(place, "import", str(place / "vault"), "--base", BASE)


def _command(place: Path, *arguments: str) -> str:
    """Run a command in this process, and return what it prints, on stderr where it fails."""
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    code: Any = 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main([*arguments, "--workspace", str(place / "workspace")])
        except SystemExit as ended:
            code = ended.code
    out.seek(0)
    return err.getvalue() if code else out.read()


def _chosen(may: Values, draw: random.Random) -> tuple[str, int]:
    """Return a note whose chunks nobody edits, and a version that it may have."""
    notes = [(name, values[0]) for name, values in may.items() if name.startswith(f"note {BASE}/") and values[0]]
    name, version = draw.choice(sorted(note for note in notes if int(note[0].partition("/")[2]) % EDITED))
    return name, int(str(version))


def _found(name: str, version: int, seen: Seen) -> Seen:
    """Return what it shows that a search for a version of a note found it or not."""
    return {f"{version} of {name}": seen.get(name) == version}


def _sure(name: str, may: Values) -> tuple[object, ...]:
    """Return what may be shown of "version of note": found, and not found where it wasn't sure to be there."""
    version, of, note = name.partition(" of ")
    if not of:
        return ()
    return (True,) if may[note] == (int(version),) else (True, False)


def _word(name: str, version: int) -> str:
    return f"n{name.partition('/')[2]}v{version}"


def _versions(texts: Any) -> dict[str, object]:
    """Return the versions that some texts show, by the name of the note; -1 for two of one note."""
    seen: dict[str, object] = {}
    for number, version in re.findall(vault.TOKEN, "\n".join(texts)):
        name = f"note {BASE}/{number}"
        seen[name] = int(version) if seen.get(name, int(version)) == int(version) else -1
    return seen
