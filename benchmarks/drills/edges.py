"""Edges: dates, numbers and texts at their edges, `--count` through each door.

An attempt is known by its door, the seed and its number: `again(door, seed, number)` makes it once more in a workspace
of its own. `told` counts the refusals, each with a sentence. A fault is any exception but a TesseraError, HTTP 500, a
refusal without a sentence, more than SECONDS of the processor's time, and, after every BATCH attempts, a note that
breaks a search, a list, an export or the Search page.
"""

import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

from schemathesis.python.asgi import ASGIClient, get_client
from streamlit.testing.v1 import AppTest

from benchmarks.drills.edging.doors import BODY, DOORS
from benchmarks.drills.given import Given
from benchmarks.drills.tally import Tally
from core.base.codec import encode
from core.base.errors import TesseraError
from core.base.messages import readable
from core.doors.api.server import api
from core.doors.json_forms import search
from core.doors.operations.views.bases import WorkspaceStatus
from core.doors.operations.views.notes import NoteList, WholeNote
from core.workspace import Workspace
from pages.ui.shared import shell

BATCH = 50
"""Attempts after which the workspace is looked at; a search shows as many hits."""
PAGES = 5
"""Batches after which the Search page is drawn."""
SECONDS = 5.0
_MAIN = Path(__file__).parents[2] / "pages" / "main.py"
_SETTINGS = {
    "TESSERA_EMBEDDER": "tfidf",
    "TESSERA_SEARCH__RERANKER": "none",
    "TESSERA_INDEX__KIND": "none",
    "TESSERA_HTTP__ENABLED": "true",
}


class Bench:
    """A workspace with some notes, a client of its API, and a folder of files that are synced."""

    base = "edges"

    def __init__(self, folder: Path) -> None:
        self._vault = folder / "vault"
        self._vault.mkdir()
        self.workspace = Workspace(folder / "workspace")
        self.workspace.bases.add(self.base, embed_at_once=False, trusts_programs=True)
        self._number = 0
        self._notes: list[str] = []
        self.client: ASGIClient = get_client(api(lambda: self.workspace, programs_only=True))
        self.client.headers["Authorization"] = f"Bearer {self.workspace.access.token}"
        self.fill()
        self.exported = self.workspace.archives.exported(self.base, "json").decode()

    def fill(self) -> None:
        """Give the workspace notes again that attempts change, in place of all others."""
        workspace = self.workspace
        for base in workspace.bases.all():
            if base.name != self.base:
                workspace.store.delete_base(base)
        ids = [card.id for card in workspace.notes.all()]
        with workspace.store.changing:
            workspace.notes.delete(ids)
            workspace.notes.empty_trash()
        for draft in workspace.drafts.all():
            workspace.drafts.delete_for_good(draft.key)
        shutil.rmtree(self._vault)
        self._vault.mkdir()
        self._notes = [
            workspace.notes.add(self.base, BODY, title=f"Heron {one}", author="person", embed=False).id
            for one in range(3)
        ]

    def note(self, chance: Random) -> str:
        """Return the id of a note that is there at the beginning of a batch."""
        return chance.choice(self._notes)

    def next(self) -> int:
        """Return a number that wasn't there before."""
        self._number += 1
        return self._number

    def file(self, content: bytes) -> None:
        """Write a file, which is imported before the workspace is looked at."""
        (self._vault / f"{self.next()}.md").write_bytes(content)

    def look(self, *, draws: bool) -> None:
        """Do with all notes what a person does, after an import; raises what is wrong."""
        workspace = self.workspace
        if any(self._vault.iterdir()):
            workspace.notes.apply(workspace.notes.plan_folder(self._vault, self.base), embed=False)
        cards = workspace.notes.all()
        _json(NoteList.from_summaries(*cards))
        for number in range(0, len(cards), BATCH):
            some = workspace.notes.cards_of([card.id for card in cards[number : number + BATCH]])
            [card.expired for card in some.values()]
        for question in ("heron", "heron status:active", "heron status:expired", "heron after:1900 priority:0.."):
            result = workspace.search(question, mode="keyword", limit=BATCH, explain=True)
            _json(search.RESULT(result))
        workspace.notes.expiring(days=36_500)
        _json(WorkspaceStatus.from_status(workspace.status()))
        for card in cards:
            _json(WholeNote.from_note(workspace, workspace.notes.get(card.id)))
            _json(workspace.notes.history(card.id))
        for base in workspace.bases.all():
            for form in ("json", "zip"):
                workspace.archives.exported(base.name, form)
            workspace.question_sets.all(base.name)
        _json([one.query for one in workspace.searches.all()])
        if workspace.unreadable:
            raise AssertionError("; ".join(map(str, workspace.unreadable)))
        if draws:
            self._draw()

    def _draw(self) -> None:
        # A script that runs leaves itself as the main module, which processes that are spawned later would import.
        main = {"__main__": sys.modules["__main__"]}
        with patch.dict(sys.modules, main), patch.object(shell, "_opened", lambda: (self.workspace, None)):
            for page, address in (("search", {"q": "heron"}), ("notes", {}), ("home", {})):
                app = AppTest.from_file(str(_MAIN), default_timeout=120)
                app.context["timezone"] = "Pacific/Kiritimati"
                app.run()
                app.switch_page(shell.PAGES[page][0])
                for name, value in address.items():
                    app.query_params[name] = value
                app.run()
                if app.exception:
                    raise AssertionError(f"{page}: {app.exception[0].message}")


def _json(value: Any) -> None:
    json.dumps(readable(encode(value)), ensure_ascii=False, allow_nan=False).encode()


def drill(tally: Tally, given: Given) -> None:
    """Send `count` values through each door, or until the deadline."""
    with bench() as own:
        for door in DOORS:
            for number in range(given.count):
                if not given.goes_on:
                    return
                _attempt(tally, own, door, given.seed, number)
                if (number + 1) % BATCH == 0 or number + 1 == given.count:
                    _look(tally, own, door, given, number)
            print(f"{door}: {tally.rows[door]}", file=sys.stderr, flush=True)


def again(door: str, seed: int, number: int) -> str:
    """Make one attempt once more, look at the workspace, and raise what they raise."""
    with bench() as own:
        said = DOORS[door](own, Random(f"{door} {seed} {number}"))
        own.look(draws=True)
        return said


def _attempt(tally: Tally, own: Bench, door: str, seed: int, number: int) -> None:
    started = time.process_time()
    told, died = False, ""
    try:
        died = DOORS[door](own, Random(f"{door} {seed} {number}"))
    except TesseraError:
        told = True
    except Exception as error:  # noqa: BLE001 this is what the drill looks for
        died = f"{type(error).__name__}: {error}"[:300]
    if (took := time.process_time() - started) > SECONDS:
        died = died or f"{took:.1f} s"
    tally.count(door, told=told, died=died and f"seed {seed}, number {number}: {died}")


def _look(tally: Tally, own: Bench, door: str, given: Given, number: int) -> None:
    lost = ""
    try:
        own.look(draws=number // BATCH % PAGES == PAGES - 1)
    except Exception as error:  # noqa: BLE001 this is what the drill looks for
        lost = f"seed {given.seed}, up to number {number}: {type(error).__name__}: {error}"[:600]
    tally.count(f"{door}: searches, lists, exports, pages", lost=lost)
    own.fill()


@contextmanager
def bench() -> Iterator[Bench]:
    """A bench in a folder of its own, which is the current one: a path among the values leads nowhere else."""
    folder, before = Path(tempfile.mkdtemp(prefix="tessera-edges-")), Path.cwd()
    os.chdir(folder)
    try:
        with patch.dict(os.environ, _SETTINGS):
            own = Bench(folder)
            with own.workspace:
                yield own
    finally:
        os.chdir(before)
        shutil.rmtree(folder)
