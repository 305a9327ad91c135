"""What an import unpacks lies in the workspace, and goes with the process that unpacked it."""

import io
import os
import signal
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from core.base.errors import SourceError
from core.base.files import TEMPORARY_FOLDER as FOLDER
from core.workspace import Workspace
from tests.waiting import PATIENCE, wait_until

_PLAN = """
import sys, time
from pathlib import Path
from core.workspace import Workspace
with Workspace(Path(sys.argv[1]), readonly=sys.argv[2] == "reads") as workspace:
    print(workspace.imports.plan_upload([("a.zip", Path(sys.argv[3]).read_bytes())], "notes").folder, flush=True)
    time.sleep(600)
"""
_ENVIRONMENT = {"TESSERA_EMBEDDER": "tfidf", "TESSERA_INDEX__KIND": "none"}


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in _ENVIRONMENT.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    return _archive(tmp_path / "archive.zip", 3)


@pytest.fixture
def system(tmp_path: Path) -> Path:
    """The temporary folder of the system."""
    folder = tmp_path / "system"
    folder.mkdir()
    return folder


def _archive(file: Path, notes: int) -> Path:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as made:
        for number in range(notes):
            made.writestr(f"note {number}.md", f"# Note {number}\n\nThe text of one note.\n" * 20)
    file.write_bytes(buffer.getvalue())
    return file


@contextmanager
def _process(system: Path, *command: str) -> Iterator["subprocess.Popen[str]"]:
    environment = os.environ | {"TMPDIR": str(system)}
    with subprocess.Popen([sys.executable, *command], env=environment, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def _planned(process: "subprocess.Popen[str]") -> Path:
    assert process.stdout is not None
    folder = Path(process.stdout.readline().strip())
    assert sorted(file.name for file in folder.iterdir()) == ["note 0.md", "note 1.md", "note 2.md"]
    return folder


def _left(place: Path) -> list[Path]:
    return [one for one in (place / FOLDER).iterdir() if one.is_dir()]


def test_what_a_killed_import_unpacked_goes_at_the_next_opening(tmp_path: Path, system: Path, archive: Path) -> None:
    place = tmp_path / "workspace"
    with _process(system, "-c", _PLAN, str(place), "writes", str(archive)) as process:
        folder = _planned(process)
        assert folder.is_relative_to(place / FOLDER)
        process.send_signal(signal.SIGKILL)
    assert folder.is_dir()
    with Workspace(place):
        assert not _left(place)
    assert not any(system.iterdir())


def test_a_link_in_place_of_the_folder_deletes_nothing(tmp_path: Path) -> None:
    (tmp_path / "photos" / "2026").mkdir(parents=True)
    (tmp_path / "workspace").mkdir()
    (tmp_path / "workspace" / FOLDER).symlink_to(tmp_path / "photos", target_is_directory=True)
    with Workspace(tmp_path / "workspace"):
        pass
    assert [path.name for path in (tmp_path / "photos").iterdir()] == ["2026"]


def test_what_a_running_process_unpacked_stays(tmp_path: Path, system: Path, archive: Path) -> None:
    place = tmp_path / "workspace"
    with ExitStack() as stack:
        Workspace(place).close()
        reader = stack.enter_context(_process(system, "-c", _PLAN, str(place), "reads", str(archive)))
        folder = _planned(reader)
        with Workspace(place) as workspace:
            plan = workspace.imports.plan_upload([("b.md", b"# B\n\ntext")], "notes")
            assert folder.is_dir()
            assert len(_left(place)) == 2
            assert workspace.imports.apply(plan).added == 1
        assert [folder.parent] == _left(place)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGTERM")
def test_an_import_that_is_ended_cleans_up(tmp_path: Path, system: Path) -> None:
    place, archive = tmp_path / "workspace", _archive(tmp_path / "many.zip", 3000)
    command = ["-m", "core.doors.cli", "import", str(archive), "--workspace", str(place)]
    with _process(system, *command) as process:
        wait_until(lambda: list(place.glob(f"{FOLDER}/*/*/note 9*.md")) or process.poll() is not None)
        assert process.poll() is None
        process.terminate()
        assert process.wait(PATIENCE) == 128 + signal.SIGTERM
    assert not _left(place)
    assert not any(system.iterdir())


def test_a_refused_upload_leaves_nothing(tmp_path: Path) -> None:
    with Workspace(tmp_path / "workspace") as workspace:
        with pytest.raises(SourceError):
            workspace.imports.plan_upload([("a.zip", b"PK no archive")], "notes")
        [own] = _left(workspace.store.folder)
        assert [one.name for one in own.iterdir()] == ["lock"]
    assert not _left(tmp_path / "workspace")
