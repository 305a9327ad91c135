"""A creation that is sent twice is made once."""

from concurrent.futures import ThreadPoolExecutor

from starlette.testclient import TestClient

from core.workspace import Workspace

KEY = {"Idempotency-Key": "7c2e"}


def test_the_same_request_gets_the_first_answer_again(program: TestClient, workspace: Workspace) -> None:
    new = {"base": "vault", "body": "# Heron\n"}
    first, again = (program.post("/api/v1/notes", json=new, headers=KEY) for _ in range(2))
    assert (again.status_code, again.json()) == (201, first.json())
    assert (again.headers["Location"], again.headers["ETag"]) == (first.headers["Location"], first.headers["ETag"])
    assert again.headers["Idempotent-Replayed"] == "true"
    assert len(workspace.proposals.all()) == 1


def test_another_request_with_the_key_is_refused(program: TestClient, workspace: Workspace) -> None:
    program.post("/api/v1/bases", json={"name": "one"}, headers=KEY)
    assert program.post("/api/v1/bases", json={"name": "two"}, headers=KEY).status_code == 422
    assert program.post("/api/knowledge", json={"name": "one"}, headers=KEY).status_code == 422
    assert "two" not in {base.name for base in workspace.bases.all()}


def test_a_refused_request_frees_its_key(program: TestClient) -> None:
    assert program.post("/api/v1/bases", json={"name": ""}, headers=KEY).status_code == 422
    assert program.post("/api/v1/bases", json={"name": "one"}, headers=KEY).status_code == 201


def test_requests_at_once_create_once(program: TestClient, workspace: Workspace) -> None:
    def add(_: int) -> int:
        return program.post("/api/v1/notes", json={"base": "vault", "body": "# Heron\n"}, headers=KEY).status_code

    with ThreadPoolExecutor(8) as threads:
        statuses = [*threads.map(add, range(8))]
    assert set(statuses) <= {201, 409}
    assert len(workspace.proposals.all()) == 1


def test_a_request_that_was_cut_off_is_not_made_again(program: TestClient, workspace: Workspace) -> None:
    new = {"base": "vault", "body": "# Heron\n"}
    program.post("/api/v1/notes", json=new, headers=KEY)
    workspace.store.database.execute("UPDATE creations SET status = NULL", aside=True)  # as a kill leaves it
    cut_off = program.post("/api/v1/notes", json=new, headers=KEY)
    assert cut_off.status_code == 409
    assert "Idempotency-Key" in cut_off.json()["detail"]
    assert len(workspace.proposals.all()) == 1


def test_a_form_is_the_same_whatever_divides_its_parts(program: TestClient) -> None:
    program.post("/api/knowledge", json={"name": "work"})
    first, again = (
        program.post(
            "/api/knowledge/upload",
            content=_form(boundary),
            headers=KEY | {"Content-Type": f'multipart/form-data; boundary="{boundary}"'},
        )
        for boundary in ("one", "another")
    )
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.headers["Idempotent-Replayed"] == "true"


def _form(boundary: str) -> str:
    parts = [
        '--{b}\r\nContent-Disposition: form-data; name="base"\r\n\r\nwork\r\n',
        '--{b}\r\nContent-Disposition: form-data; name="file"; filename="heron.md"\r\n\r\n# Heron\r\n',
    ]
    return "".join([*parts, "--{b}--\r\n"]).replace("{b}", boundary)


def test_answers_go_after_a_day_and_when_they_are_too_many(program: TestClient, workspace: Workspace) -> None:
    program.post("/api/v1/bases", json={"name": "one"}, headers=KEY)
    workspace.store.database.execute("UPDATE creations SET at = datetime('now', '-2 days')", aside=True)
    assert program.post("/api/v1/bases", json={"name": "two"}, headers=KEY).status_code == 201
    workspace.store.database.execute("UPDATE creations SET body = zeroblob(40000000)", aside=True)
    assert program.post("/api/v1/bases", json={"name": "three"}, headers=KEY).status_code == 201


def test_a_body_that_is_no_form_has_no_boundary(program: TestClient, workspace: Workspace) -> None:
    headers = KEY | {"Content-Type": "application/json; boundary=1"}
    first = program.post("/api/v1/bases", content='{"name": "a1"}', headers=headers)
    second = program.post("/api/v1/bases", content='{"name": "a11"}', headers=headers)
    assert (first.status_code, second.status_code) == (201, 422)
    assert "a11" not in {base.name for base in workspace.bases.all()}


def test_what_looks_like_a_boundary_within_a_line_is_text(program: TestClient) -> None:
    program.post("/api/knowledge", json={"name": "work"})
    statuses = []
    for boundary, text in (("one", "# Heron --one is here"), ("two", "# Heron --two is here")):
        kind = {"Content-Type": f"multipart/form-data; boundary={boundary}"}
        body = _form(boundary).replace("# Heron", text)
        statuses.append(program.post("/api/knowledge/upload", content=body, headers=KEY | kind).status_code)
    assert statuses == [201, 422]
