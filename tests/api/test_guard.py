"""Who is let in, and what the others are answered."""

import pytest
from starlette.testclient import TestClient

from core.workspace import Workspace


@pytest.mark.parametrize("shown", ["", "Bearer", "Bearer wrong", "Basic {token}", "Bearer {token}x", "Bearer ü"])
def test_without_the_token_nobody_is_let_in(stranger: TestClient, workspace: Workspace, shown: str) -> None:
    header = shown.format(token=workspace.access.token).encode()
    answer = stranger.get("/api/v1/notes", headers=[(b"authorization", header)])
    assert answer.status_code == 401
    assert answer.headers["WWW-Authenticate"] == "Bearer"
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert workspace.access.token not in answer.text


def test_a_refused_request_writes_nothing(stranger: TestClient, workspace: Workspace) -> None:
    version = workspace.store.database.version()
    assert stranger.post("/api/v1/notes", json={"base": "vault", "body": "# Mine\n"}).status_code == 401
    assert stranger.post("/api/v1/bases", json={"name": "mine"}).status_code == 401
    assert stranger.delete("/api/v1/bases/vault").status_code == 401
    assert workspace.store.database.version() == version


def test_the_person_shuts_the_door(program: TestClient, workspace: Workspace) -> None:
    assert program.get("/api/v1/bases").status_code == 200
    workspace.set_program_access(False)
    refused = program.get("/api/v1/bases", headers={"Accept-Language": "zh-CN,en;q=0.5"})
    assert refused.status_code == 403
    assert "[http]" in refused.json()["detail"]
    assert refused.json()["detail"] != refused.json()["message"]["text"]


def test_another_token_ends_the_old_one(program: TestClient, workspace: Workspace) -> None:
    workspace.access.renew()
    assert program.get("/api/v1/bases").status_code == 401
