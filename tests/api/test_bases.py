"""Bases over HTTP."""

import json
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from core.documents import converting
from core.doors.assistants import server
from core.workspace import Workspace
from tests import samples
from tests.fakes import read_picture
from tests.importers.test_importers import ENEX


def test_a_base_is_made_changed_renamed_and_deleted(program: TestClient, workspace: Workspace) -> None:
    made = program.post("/api/v1/bases", json={"name": "a/b", "chunking": {"chunk_size": 300}, "search": {"limit": 7}})
    assert made.status_code == 201
    assert (made.json()["chunking"]["chunk_size"], made.json()["search"]) == (300, {"limit": 7})
    changed = program.patch("/api/v1/bases/a%2Fb", json={"search": {"mode": "keyword"}, "name": "c"})
    assert changed.status_code == 200
    assert (changed.json()["name"], changed.json()["search"]) == ("c", {"limit": 7, "mode": "keyword"})
    assert program.delete("/api/v1/bases/c").json() == {"base": "c", "notes": 0, "deleted": True}
    assert [base.name for base in workspace.archives.trash()] == ["c"]
    gone = program.get("/api/v1/bases/c")
    assert (gone.status_code, gone.json()["error"]) == (404, "NotFound")


def test_a_name_that_is_refused_leaves_the_base_as_it_was(program: TestClient) -> None:
    for name in (" ", "a\x86b"):
        refused = program.patch("/api/v1/bases/vault", json={"description": "other", "name": name})
        assert refused.status_code == 422
        assert program.get("/api/v1/bases/vault").json()["description"] == ""


def test_a_wrong_value_names_its_place(program: TestClient) -> None:
    refused = program.post(
        "/api/v1/bases", json={"name": "x", "search": {"limit": "many"}}, headers={"Accept-Language": "zh"}
    )
    assert refused.status_code == 422
    assert refused.json()["errors"][0]["place"] == "body.search.limit"
    assert refused.json()["detail"] == "body.search.limit：应为整数"
    out_of_range = program.patch("/api/v1/bases/vault", json={"search": {"limit": 0}})
    assert (out_of_range.status_code, out_of_range.json()["error"]) == (422, "ConfigError")


def test_the_pictures_of_a_base_are_read_and_a_hit_names_its_own(
    program: TestClient, workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(converting.PictureReader, "read", read_picture)
    folder = samples.write_pictured(tmp_path / "garden")
    workspace.imports.apply(workspace.imports.plan_folder(folder, "garden"))
    changed = program.patch("/api/v1/bases/garden", json={"read_pictures": True})
    assert changed.json()["read_pictures"]
    workspace.jobs.wait("pictures")
    (hit, *_) = program.post("/api/v1/search", json={"query": "irrigation", "mode": "keyword"}).json()["hits"]
    assert (hit["path"], hit["picture"], hit["text"]) == ("plan.md", "board.png", "Irrigation of the greenhouse")
    note = program.get(f"/api/v1/notes/{hit['note_id']}").json()
    assert [(one["path"], one["reason"][:21]) for one in note["unread_attachments"]] == [
        ("torn.png", "This file is damaged.")
    ]
    assert program.post("/api/v1/pictures/read", json={"again": True}).status_code == 202
    answer = server.run(lambda: workspace, "knowledge_query", {"knowledge_base": "garden", "query": "irrigation"})
    assert '"picture": "board.png"' in json.dumps(answer, default=vars).replace("\\", "")
    assert not program.patch("/api/v1/bases/garden", json={"read_pictures": False}).json()["read_pictures"]
    assert not program.post("/api/v1/search", json={"query": "irrigation", "mode": "keyword"}).json()["hits"]


def test_a_program_cannot_make_a_base_trust_programs(program: TestClient, workspace: Workspace) -> None:
    assert program.patch("/api/v1/bases/vault", json={"trusts_programs": True}).status_code == 422
    assert not workspace.bases.get("vault").trusts_programs


def test_an_export_of_another_program_is_planned_and_then_imported(
    program: TestClient, workspace: Workspace, tmp_path: Path
) -> None:
    file = tmp_path / "Kitchen.enex"
    file.write_text(ENEX, "utf-8")
    workspace.bases.add("kitchen")
    for dry_run in (True, False):
        given = {"folder": str(file), "dry_run": dry_run}
        job = program.post("/api/v1/bases/kitchen/import", json=given).json()["id"]
        workspace.jobs.wait("import")
        result = program.get(f"/api/v1/jobs/{job}").json()["result"]
        assert (result["importer"], result["added"], result["left_out"]) == ("Evernote", 2, [])
        assert workspace.bases.status(workspace.bases.get("kitchen")).notes == (0 if dry_run else 2)
