"""Notes of unusual shapes come in with the rest of their folder, and a slow drive stops nothing else.

At full size (20,000 notes, a line of 10 MB, tables of 100,000 rows) the same takes minutes and 0.7 GB at most.
"""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from core.intake import folder as reading
from core.workspace import Workspace
from tests.documents.making import xlsx
from tests.waiting import wait_until

ROWS = 1_500


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    for name, value in {"TESSERA_EMBEDDER": "tfidf", "TESSERA_INDEX__KIND": "none"}.items():
        monkeypatch.setenv(name, value)
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / "small.md").write_text("A zebra.\n")
    with Workspace(tmp_path / "workspace") as workspace:
        yield workspace


def found(workspace: Workspace, text: str) -> list[str]:
    return [str(hit.note.path) for hit in workspace.search(text, mode="keyword").hits]


def rows(line: Callable[[int], str]) -> bytes:
    return "".join(map(line, range(ROWS))).encode()


LARGE: dict[str, Callable[[], bytes]] = {
    "line.md": lambda: b"word " * 100_000 + b"last",
    "solid.md": lambda: b"x" * 500_000 + b" last",
    "line.txt": lambda: b"word " * 100_000 + b"last",
    "table.md": lambda: b"| bird | eggs |\n|---|---|\n" + rows(lambda n: f"| bird{n} | {n} |\n") + b"| last | 1 |\n",
    "table.csv": lambda: b"bird,eggs\n" + rows(lambda n: f"bird{n},{n}\n") + b"last,1\n",
    "table.xlsx": lambda: xlsx({"S": [["bird", "eggs"], *([f"bird{n}", "1"] for n in range(ROWS)), ["last", "1"]]}),
}


@pytest.mark.parametrize("name", LARGE)
def test_the_end_of_a_long_line_and_of_a_large_table_is_found(workspace: Workspace, tmp_path: Path, name: str) -> None:
    (tmp_path / "vault" / name).write_bytes(LARGE[name]())
    report = workspace.imports.apply(workspace.imports.plan_folder(tmp_path / "vault"))
    assert (report.added, report.failed, report.waiting) == (2, (), 0)
    assert found(workspace, "last") == [name]
    assert found(workspace, "zebra") == ["small.md"]


def test_many_notes_of_one_title_are_told_apart(workspace: Workspace, tmp_path: Path) -> None:
    for number in range(60):
        (file := tmp_path / "vault" / f"in {number}" / "Same.md").parent.mkdir()
        file.write_text(f"# Same\n\nThe text number{number}. [[Same]]\n")
    workspace.imports.apply(workspace.imports.plan_folder(tmp_path / "vault"))
    assert found(workspace, "number59") == ["in 59/Same.md"]
    done = workspace.renames.rename(workspace.notes.resolve("in 7/Same.md").id, "Other", file=False)
    assert (done.title, done.linking) == ("Other", ())


def test_a_slow_drive_stops_neither_searches_nor_edits(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, waits, goes_on = reading.read, threading.Event(), threading.Event()

    def slow(folder: Path, path: str) -> bytes:
        if path == "slow.md":
            waits.set()
            goes_on.wait()
        return read(folder, path)

    workspace.imports.apply(workspace.imports.plan_folder(tmp_path / "vault"))
    (tmp_path / "vault" / "slow.md").write_text("A tortoise.\n")
    monkeypatch.setattr(reading, "read", slow)
    imports = workspace.imports
    work = lambda progress: imports.apply(imports.plan_folder(tmp_path / "vault"), progress=progress)  # noqa: E731
    workspace.jobs.start("import", work)
    wait_until(waits.is_set)
    assert found(workspace, "zebra") == ["small.md"]
    written = workspace.notes.add("own", "Herons.", embed=False)
    workspace.notes.update(written.id, body="Storks.", embed=False)
    assert found(workspace, "storks") == [written.path]
    goes_on.set()
    wait_until(lambda: not workspace.jobs.running("import"))
    assert found(workspace, "tortoise") == ["slow.md"]
