"""What a question, a file and a saved note need is read once: counted are the calls of the functions that read it."""

import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import pytest

import core
from core.workspace import Workspace

ROOT = f"{Path(core.__file__).parent}/"


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with Workspace(tmp_path / "workspace") as opened:
        yield opened


@contextmanager
def calls() -> Iterator[Counter[str]]:
    """Count the calls of the functions of core in all threads, as `room/module.function`."""
    counted: Counter[str] = Counter()

    def count(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and (file := frame.f_code.co_filename).startswith(ROOT):
            counted[f"{file.removeprefix(ROOT).removesuffix('.py')}.{frame.f_code.co_qualname}"] += 1

    threading.setprofile(count)
    sys.setprofile(count)
    try:
        yield counted
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]


def test_an_exploratory_question_is_parsed_and_recognised_once(workspace: Workspace) -> None:
    workspace.bases.add("notes", kind="literal")
    workspace.notes.add("notes", "# Rust and Go\n\nRust has an owner for each value, Go collects garbage.")
    with calls() as counted:
        result = workspace.search("difference between Rust and Go")
    assert result.decompositions
    assert result.decompositions[0].kind == "comparison"
    assert counted["query/parser.parse"] == 1
    assert counted["query/decomposition.recognise"] == 1
    with calls() as counted:
        prepared = workspace.searching.prepare("difference between Rust and Go", {})
        again = workspace.searching.prepare("difference between Rust and Go", {"limit": 3}, like=prepared)
    assert again.decomposition == prepared.decomposition
    assert (counted["query/parser.parse"], counted["query/decomposition.recognise"]) == (1, 1)


def test_a_file_is_read_decoded_hashed_and_parsed_once(workspace: Workspace, tmp_path: Path) -> None:
    workspace.bases.add("notes", kind="literal")
    (vault := tmp_path / "vault").mkdir()
    for name in "abc":
        (vault / f"{name}.md").write_text(f"---\ntags: [x]\n---\n# {name}\n\nSee [[a]].", "utf-8")
    with calls() as counted:
        workspace.imports.apply(workspace.imports.plan_folder(vault, "notes"))
    for function in ("folder.read", "encoding.decode_file", "folder.content_hash"):
        assert counted[f"intake/{function}"] == 3, function
    assert counted["markdown/parser.parse"] == counted["markdown/frontmatter.parse"] == 3


def test_a_saved_text_is_parsed_once(workspace: Workspace) -> None:
    workspace.bases.add("notes", kind="literal")
    note = workspace.notes.add("notes", "# Bread\n\nBake it.")
    with calls() as counted:
        workspace.notes.update(note.id, body="# Bread\n\nBake it for an hour. #kitchen")
    assert counted["markdown/parser.parse"] == 1
    with calls() as counted:
        workspace.notes.add("notes", "# Butter\n\nChurn it. #kitchen")
    assert counted["markdown/parser.parse"] == 1
    assert counted["notes/fields.check_body"] == 1


def test_a_list_of_notes_reads_the_cards_of_those_alone_that_changed(workspace: Workspace) -> None:
    workspace.bases.add("notes", kind="literal")
    notes = [workspace.notes.add("notes", f"# Note {number}\n\nAll of it.") for number in range(3)]
    cards = workspace.notes.all()
    with calls() as counted:
        assert workspace.notes.all() == cards
    assert counted["store/reading.RowReader.whole"] == 0
    workspace.notes.update(notes[1].id, title="Another")
    with calls() as counted:
        titles = [card.title for card in workspace.notes.all()]
    assert "Another" in titles
    assert counted["store/reading.RowReader.whole"] == 1
