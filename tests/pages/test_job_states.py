"""Every page in every state of jobs and of a workspace: none fails."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Event

import pytest

from core.base.errors import ModelError
from core.base.jobs import Progress
from core.model import JOB_KINDS
from core.workspace import Workspace
from pages.ui.shared import shell
from tests.pages.conftest import Screen

STATES = ("no base", "one base", "waiting", "running", "cancelled", "failed", "readonly", "model missing")


@contextmanager
def in_state(state: str, place: Path, vault: Path) -> Iterator[Screen]:
    """Give the app in a state, with notes whose chunks wait but where the state says otherwise."""
    released = Event()
    with ExitStack() as stack:
        if state != "no base":
            with Workspace(place) as workspace:
                plan = workspace.imports.plan_folder(vault)
                workspace.imports.apply(plan, embed=state == "one base")
                if state == "model missing":
                    workspace.store.database.execute("UPDATE bases SET embedder = 'gone', fingerprint = 'gone'")
        if state == "readonly":
            stack.enter_context(Workspace(place))
        screen = Screen()
        screen.workspace.jobs.wait("warm", 30)
        screen.workspace.jobs.wait("embed", 30)
        if state in ("running", "cancelled", "failed"):
            for name in JOB_KINDS.keys() - {"warm"}:
                _start(screen.workspace, name, state, released)
        stack.callback(released.set)
        yield screen


def _start(workspace: Workspace, name: str, state: str, released: Event) -> None:
    def work(progress: Progress) -> None:
        progress(1, 3, "note.md")
        if state == "failed":
            raise ModelError("The model 'words' ended early.")
        released.wait(20)
        progress(2, 3, "note.md")

    workspace.jobs.start(name, work)
    if state == "cancelled":
        workspace.jobs.cancel(name)
        released.set()
    if state != "running":
        workspace.jobs.wait(name, 20)


@pytest.mark.parametrize("state", STATES)
def test_no_page_fails(state: str, place: Path, vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # What waits stays so: the app itself would index it.
    monkeypatch.setattr(Workspace, "start_indexing", lambda _, **_ignored: None)
    with in_state(state, place, vault) as screen:
        if state in ("waiting", "running", "cancelled", "failed"):
            assert screen.workspace.pending.any()
        for page in shell.PAGES:
            screen.open(page)
            if page == "search":
                screen.open(page, q="restore")
            if page in ("notes", "chunks") and (cards := screen.workspace.notes.all()):
                screen.open(page, note=cards[0].id)
            if page == "home" and state in ("waiting", "cancelled", "failed"):
                assert [button.label for button in screen.app.button].count("Index the rest") == 1
