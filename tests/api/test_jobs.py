"""Long work over HTTP: begun, followed, cancelled."""

import json
import threading
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from core.base import jobs
from core.base.jobs import Pace
from core.model import Progress
from core.workspace import Workspace
from tests import samples
from tests.waiting import ManualTime


def test_an_import_is_a_job_that_is_followed_to_its_end(
    program: TestClient, workspace: Workspace, tmp_path: Path
) -> None:
    begun = program.post("/api/v1/bases/more/import", json={"folder": str(samples.write(tmp_path / "more"))})
    assert begun.status_code == 202
    place = begun.headers["Location"]
    events = program.get(f"{place}/events")
    assert events.headers["Content-Type"].startswith("text/event-stream")
    steps = [json.loads(line.removeprefix("data: ")) for line in events.text.splitlines() if line.startswith("data: ")]
    assert steps[-1]["state"] == "done"
    assert steps[-1]["result"]["added"] == 3
    assert program.get(place).json() == steps[-1]
    assert len(workspace.notes.all(workspace.searching.filters(bases=["more"]))) == 3


def test_a_job_says_how_long_it_still_takes(
    program: TestClient, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = ManualTime()
    monkeypatch.setattr(jobs, "Pace", lambda: Pace(clock.monotonic))
    half, goes_on = threading.Event(), threading.Event()

    def work(progress: Progress) -> None:
        progress(0, 10, "begun")
        clock.sleep(10)
        progress(2.5, 10, "quarter")
        clock.sleep(10)
        progress(5, 10, "half")
        half.set()
        goes_on.wait(60)

    workspace.jobs.start("import", work)
    try:
        assert half.wait(60)
        (job,) = program.get("/api/v1/jobs").json()["jobs"]
        assert (job["share"], job["what"]) == (0.5, "half")
        assert job["seconds_left"] == pytest.approx(20)
    finally:
        goes_on.set()
    workspace.jobs.wait("import", 60)
    assert program.get(f"/api/v1/jobs/{job['id']}").json()["seconds_left"] is None


def test_a_folder_that_is_not_there_fails_its_job(program: TestClient, tmp_path: Path) -> None:
    begun = program.post("/api/v1/bases/more/import", json={"folder": str(tmp_path / "none")})
    last = program.get(f"{begun.headers['Location']}/events").text.splitlines()[-2].removeprefix("data: ")
    assert json.loads(last)["state"] == "failed"
    assert "none" in json.loads(last)["error"]


def test_a_job_is_cancelled_and_another_of_its_kind_waits(program: TestClient, workspace: Workspace) -> None:
    goes_on = threading.Event()

    def work(progress: Progress) -> None:
        while not goes_on.wait(0.01):
            progress(1, 2, "half")

    workspace.jobs.start("rechunk", work)
    try:
        second = program.post("/api/v1/bases/vault/rechunk", json={})
        assert second.status_code == 409
        place = second.headers["Location"]
        assert program.delete(place).status_code == 202
        workspace.jobs.wait("rechunk", 10)
        assert program.get(place).json()["state"] == "cancelled"
    finally:
        goes_on.set()
    assert program.get("/api/v1/jobs/rechunk-99").status_code == 404
