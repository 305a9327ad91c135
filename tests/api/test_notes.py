"""Notes over HTTP."""

import pytest
from starlette.testclient import TestClient

from core.workspace import Workspace


def test_a_note_that_a_program_adds_waits_for_the_person(program: TestClient, workspace: Workspace) -> None:
    added = program.post("/api/v1/notes", json={"base": "vault", "body": "# Mine\n\nA heron.\n", "tags": ["bird"]})
    assert added.status_code == 201
    assert added.json()["status"] == "pending"
    read = program.get(added.headers["Location"])
    assert (read.json()["title"], read.json()["tags"], read.json()["status"]) == ("Mine", ["bird"], "pending")
    assert [one.note.id for one in workspace.proposals.all()] == [added.json()["id"]]


def test_a_deleted_note_is_brought_back_as_it_was(program: TestClient, workspace: Workspace, note: str) -> None:
    waits = program.post("/api/v1/notes", json={"base": "vault", "body": "# Mine\n\nA heron.\n"}).json()["id"]
    before = program.get(f"/api/v1/notes/{note}").json()
    for each in (note, waits):
        assert program.delete(f"/api/v1/notes/{each}").status_code == 200
    assert [one["id"] for one in program.get("/api/v1/trash").json()["trash"]] == [waits, note]
    assert [one["id"] for one in program.get("/api/v1/trash?base=vault").json()["trash"]] == [waits]
    assert program.get(f"/api/v1/notes/{note}").status_code == 404
    for each, status in ((note, before["status"]), (waits, "pending")):
        assert program.post(f"/api/v1/trash/{each}/restore").json()["status"] == status
    after = program.get(f"/api/v1/notes/{note}").json()
    assert {name for name in before if after[name] != before[name]} <= {"version", "updated_at"}
    assert program.get("/api/v1/trash").json() == {"trash": []}
    assert program.post(f"/api/v1/trash/{note}/restore").status_code == 404
    assert [one.note.id for one in workspace.proposals.all()] == [waits]


def test_a_change_of_another_version_is_refused(program: TestClient, workspace: Workspace, note: str) -> None:
    etag = program.get(f"/api/v1/notes/{note}").headers["ETag"]
    workspace.notes.update(note, body="# Meanwhile\n", author="person")
    refused = program.patch(f"/api/v1/notes/{note}", json={"body": "# Late\n"}, headers={"If-Match": etag})
    assert refused.status_code == 412
    assert refused.json()["error"] == "Conflict"
    assert workspace.proposals.all() == []
    assert (
        program.patch(
            f"/api/v1/notes/{note}", json={"body": "# In time\n"}, headers={"If-Match": refused.headers["ETag"]}
        ).json()["status"]
        == "pending"
    )
    assert workspace.notes.get(note).body == "# Meanwhile\n"


@pytest.mark.parametrize(
    ("body", "kind", "status", "said"),
    [
        ("[" * 100_000, "application/json", 400, "can't be read"),
        ('{"base": "vault"}', "text/plain", 422, "Content-Type"),
        ('{"base": "vault\\u0000"}', "application/json", 422, "a character"),
        ('{"base": "\\ud800"}', "application/json", 422, "must be text"),
    ],
)
def test_a_body_that_cannot_be_taken_is_told_in_words(
    program: TestClient, body: str, kind: str, status: int, said: str
) -> None:
    refused = program.post("/api/v1/notes", content=body, headers={"Content-Type": kind})
    assert (refused.status_code, refused.headers["Content-Type"]) == (status, "application/problem+json")
    assert said in refused.json()["detail"]
