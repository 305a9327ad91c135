"""The log of a workspace: what happened stands in it, what notes say does not, and a broken log breaks nothing."""

import logging
import re
import stat
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from core import operations
from core.base import log
from core.base.errors import ModelError, TesseraError
from core.doors import cli
from core.doors.api import guard as serving
from core.doors.assistants import server
from core.intake.imports import Imports
from core.operations.declaring import PROGRAM
from core.workspace import Workspace
from tests import samples

SECRET = "Zaubernuss"


@pytest.fixture(autouse=True)
def _place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TESSERA_EMBEDDER", "tfidf")
    monkeypatch.chdir(tmp_path)


def written(folder: Path) -> str:
    return (folder / log.FILE).read_text(encoding="utf-8")


def test_starts_imports_and_failed_files_are_logged_for_the_owner_only(tmp_path: Path) -> None:
    vault = samples.write(tmp_path / "vault")
    (vault / "binary.md").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20)
    with Workspace(tmp_path / "w") as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(vault))
    said = written(tmp_path / "w")
    assert "Opened on python 3" in said
    assert "import: base=vault model=tfidf added=3 changed=0 renamed=0 removed=0 unchanged=0 chunks=" in said
    assert "Not imported: binary.md: " in said
    assert said.rstrip().endswith("Closed")
    assert "rested for two hours" not in said
    assert stat.S_IMODE((tmp_path / "w" / log.FILE).stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "w" / log.FILE).parent.stat().st_mode) == 0o700


def test_what_is_healed_is_logged(tmp_path: Path) -> None:
    vault = samples.write(tmp_path / "vault")
    with Workspace(tmp_path / "w") as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(vault))
    (tmp_path / "w" / "chroma" / "chroma.sqlite3").write_bytes(b"no database")
    with Workspace(tmp_path / "w") as workspace:
        workspace.store.index.open()
    said = written(tmp_path / "w").rpartition("Opened on")[2]
    assert "WARNING core.store.index.vector_index:" in said
    assert "Rebuilding the search index: core.base.errors.IndexDamaged: " in said
    assert "The search index is in use" in said


def test_a_failed_command_leaves_its_kind_and_lines_but_no_text_of_a_note(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: Imports, folder: Path, base: str | None = None) -> None:
        raise KeyError(f"{SECRET}\nin two lines")

    monkeypatch.setattr(Imports, "plan_folder", fail)
    command = ["import", str(tmp_path), "--workspace", str(tmp_path / "w")]
    for texts in ("false", "true"):
        monkeypatch.setenv("TESSERA_LOG_TEXTS", texts)
        with pytest.raises(KeyError):
            cli.main(command)
        assert (SECRET in written(tmp_path / "w")) == (texts == "true")
    error = log.errors(tmp_path / "w", 10)[-1]
    assert error.trace[0] == "KeyError"
    assert error.trace[1].startswith("core.doors.cli.")


def test_a_failed_job_leaves_the_chain_of_its_errors(tmp_path: Path) -> None:
    def fail(progress: object) -> None:
        raise ModelError("The model '{name}' can't be loaded.", name=SECRET) from OSError(28, SECRET, SECRET)

    with Workspace(tmp_path / "w") as workspace:
        workspace.jobs.start("warm", fail)
        workspace.jobs.wait("warm")
    said = written(tmp_path / "w")
    assert "  core.base.errors.ModelError: The model '{name}' can't be loaded.\n    core.base.jobs:" in said
    assert "  OSError: ENOSPC\n" in said
    assert SECRET not in said


def test_a_reader_logs_what_fails_and_leaves_the_file_to_the_writer(tmp_path: Path) -> None:
    with Workspace(tmp_path / "w") as writer:
        before = written(tmp_path / "w")
        with Workspace(tmp_path / "w", readonly=True) as reader:
            assert reader.log.maxBytes == 0 < writer.log.maxBytes
        assert written(tmp_path / "w") == before
        with pytest.raises(ZeroDivisionError), Workspace(tmp_path / "w", readonly=True):
            _ = 1 / 0
        assert "ZeroDivisionError" in written(tmp_path / "w")


def test_a_large_log_begins_anew_and_is_kept_three_times(tmp_path: Path) -> None:
    with Workspace(tmp_path / "w"):
        for _ in range(50):
            logging.getLogger("core.test").info("%s", "x" * 100_000)
    files = sorted((tmp_path / "w" / "logs").iterdir())
    assert [file.name for file in files] == ["tessera.log", "tessera.log.1", "tessera.log.2"]
    assert all(file.stat().st_size <= 1_000_000 for file in files)
    assert log.tail(tmp_path / "w", 2)[-1].endswith("Closed")


def test_of_other_programs_only_the_place_of_warnings_is_written(tmp_path: Path) -> None:
    with Workspace(tmp_path / "w") as workspace:
        workspace.log.listen("tests.other")
        other = logging.getLogger("tests.other")
        other.setLevel(logging.INFO)
        other.info("%s is served", SECRET)
        other.warning("%s fails", SECRET)
    lines = [line for line in log.tail(tmp_path / "w", 100) if "tests.other" in line]
    assert len(lines) == 1
    assert SECRET not in lines[0]


def a_folder(file: Path) -> None:
    file.mkdir(parents=True)


def no_folder(file: Path) -> None:
    file.parent.write_text("a file")


def a_broken_link(file: Path) -> None:
    file.parent.mkdir()
    file.symlink_to("/nowhere/at/all")


def a_full_disk(file: Path) -> None:
    file.parent.mkdir()
    file.symlink_to("/dev/full")


@pytest.mark.parametrize("damage", [a_folder, no_folder, a_broken_link, a_full_disk])
def test_a_log_that_cant_be_written_breaks_nothing(
    damage: object, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    if damage is a_full_disk and not Path("/dev/full").exists():
        pytest.skip("a system without /dev/full")
    (tmp_path / "w").mkdir()
    damage(tmp_path / "w" / log.FILE)  # type: ignore[operator]
    vault = samples.write(tmp_path / "vault")
    with Workspace(tmp_path / "w") as workspace:
        assert workspace.imports.apply(workspace.imports.plan_folder(vault)).added == 3
    assert "Traceback" not in capfd.readouterr().err
    assert {error.where.partition(":")[0] for error in log.errors(tmp_path / "w", 5)} <= {"core.base.files"}
    assert damage is a_full_disk or "is set aside as" in written(tmp_path / "w")


def test_the_end_of_the_log_is_a_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def status(*more: str) -> str:
        with pytest.raises(SystemExit, match="0"):
            cli.main(["status", "--log", "--workspace", str(tmp_path / "w"), *more])
        return capsys.readouterr().out

    assert "is empty." in status()
    Workspace(tmp_path / "w").close()
    assert status().splitlines()[-1].endswith("Closed")
    assert '"lines": ["20' in status("--json")


def test_nothing_is_printed_without_a_log(capfd: pytest.CaptureFixture[str]) -> None:
    assert sys.stderr is not None
    logging.getLogger("core.store").warning("The index is built again")
    assert capfd.readouterr().err == ""


def test_searches_and_calls_leave_one_line_each_without_their_texts(tmp_path: Path) -> None:
    vault = samples.write(tmp_path / "vault")
    with Workspace(tmp_path / "w") as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(vault))
        before = len(written(tmp_path / "w").splitlines())
        operations.search.find.run(workspace, PROGRAM, {"query": "pg_restore Zaubernuss", "bases": ["vault"]})
        with suppress(TesseraError):
            operations.search.find.run(workspace, PROGRAM, {"query": "Zaubernuss", "bases": [f"{SECRET} vault"]})
        server.run(lambda: workspace, "knowledge_query", {"knowledge_base": "vault", "query": "Zaubernuss"})
        server.run(lambda: workspace, "knowledge_list", {})
        api = TestClient(serving.server(workspace, "127.0.0.1"), base_url="http://127.0.0.1")
        shown = {"Authorization": f"Bearer {workspace.access.token}"}
        assert api.post("/api/v1/search", json={"query": "Zaubernuss"}, headers=shown).status_code == 200
        assert api.get("/api/v1/notes/Zaubernuss", headers=shown).status_code == 404
        assert api.get("/api/v1/status").status_code == 401
        calls = [line.partition(" ")[2] for line in written(tmp_path / "w").splitlines()[before:]]
    assert SECRET not in "".join(calls)
    starts = (*["search.find: by=program"] * 2, "tool knowledge_query:", "tool knowledge_list:", *["http: method="] * 3)
    calls = [line.split(" ", 2)[2] for line in calls if "core.base.call_log:" in line]
    assert [line[: len(start)] for line, start in zip(calls, starts, strict=True)] == [*starts]
    found, _, tool, _, http, missing, refused = calls
    assert "base=vault" in found
    for one in (found, tool, http):
        assert re.search(r" hits=\d+ .*ms=\d+$", one)
        assert "model=tfidf" in one
    assert "work=search.find" in http
    assert "status=200" in http
    assert "status=404" in missing
    assert "status=401" in refused
