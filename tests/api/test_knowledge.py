"""The bases by the paths of an older design."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from starlette.testclient import TestClient

from core.doors.assistants import server
from core.workspace import Workspace

HERON = ("birds/heron.md", b"# Heron\n\nThe heron stands in the shallow water.\n")
KESTREL = ("kestrel.md", b"# Kestrel\n\nThe kestrel hovers over the field.\n")


def upload(program: TestClient, *files: tuple[str, bytes], base: str = "work", **headers: str) -> Any:
    return program.post(
        "/api/knowledge/upload", data={"base": base}, files=[("file", one) for one in files], headers=headers
    )


@pytest.fixture
def base(program: TestClient) -> str:
    made = program.post("/api/knowledge", json={"name": "work", "type": "vector", "embedding_model": "words"})
    assert made.status_code == 201
    return "work"


def test_the_type_of_a_base_decides_what_it_needs(program: TestClient) -> None:
    lacking = program.post("/api/knowledge", json={"name": "work", "type": "vector"})
    assert lacking.status_code == 422
    assert "embedding_model" in lacking.json()["detail"]
    plain = program.post("/api/knowledge", json={"name": "plain", "embedding_model": "words"})
    assert (plain.status_code, plain.json()["type"], plain.json()["embedding_model"]) == (201, "literal", "")
    assert [base["name"] for base in program.get("/api/knowledge").json()] == ["plain", "vault"]


@pytest.mark.usefixtures("base")
def test_chunks_of_an_upload_wait_until_they_are_embedded(program: TestClient, workspace: Workspace) -> None:
    done = upload(program, HERON)
    assert done.status_code == 201
    doc = done.json()["doc_id"]
    assert (done.json()["chunk_count"], done.json()["status"]) == (1, "pending")

    def chunks() -> Any:
        return program.get("/api/knowledge/chunks", params={"base": "work", "doc_id": doc}).json()

    (chunk,) = chunks()
    assert workspace.notes.get(doc).body[chunk["start"] : chunk["end"]].startswith("# Heron")
    assert (chunk["preview"][:7], chunk["state"]) == ("# Heron", "pending")
    assert workspace.start_indexing() is False, "nothing embeds it unless that is requested"
    embedded = program.post("/api/knowledge/chunk/embed", json={"chunk_ids": [chunk["id"]]})
    assert embedded.json() == {"embedded": 1, "status": "ready"}
    assert chunks()[0]["state"] == "embedded"
    (listed,) = program.get("/api/knowledge/docs", params={"base": "work"}).json()
    assert (listed["doc_id"], listed["name"], listed["status"]) == (doc, "birds/heron.md", "ready")


@pytest.mark.usefixtures("base")
def test_several_files_are_answered_one_by_one_with_what_failed(program: TestClient, workspace: Workspace) -> None:
    done = upload(program, HERON, KESTREL, ("torn.md", b"\x00\x01\x02binary")).json()
    assert {doc["name"] for doc in done["docs"]} == {"birds/heron.md", "kestrel.md"}
    assert [failed["path"] for failed in done["failed"]] == ["torn.md"]
    before = [*workspace.store.database.connection.iterdump()]
    empty, torn = ("empty.md", b""), ("torn.md", b"\x00\x01\x02binary")
    for refused in (("film.mp4", b"\0"), ("../out.md", b"# Out\n"), empty, torn):
        answer = upload(program, refused)
        assert answer.status_code == 422
        assert "tessera-upload" not in answer.text
    assert [*workspace.store.database.connection.iterdump()] == before
    assert upload(program, HERON, base="nowhere").status_code == 404


@pytest.mark.usefixtures("base")
def test_documents_are_uploaded_with_their_reasons_where_they_can_not_be_read(program: TestClient) -> None:
    done = upload(
        program, ("garden.rst", b"Garden\n======\n\nTomatoes.\n"), ("torn.pdf", b"%PDF-1.7"), ("a.mp4", b"\0")
    )
    (doc,) = done.json()["docs"]
    assert (doc["name"], doc["title"], doc["chunk_count"], doc["status"]) == ("garden.rst", "Garden", 1, "pending")
    assert [failed["path"] for failed in done.json()["failed"]] == ["torn.pdf", "a.mp4"]
    assert upload(program, ("torn.pdf", b"%PDF-1.7")).status_code == 422


@pytest.mark.usefixtures("base")
def test_files_of_one_name_are_documents_of_their_own(program: TestClient, workspace: Workspace) -> None:
    first, second = b"Beds\n====\n\nTomatoes.\n", b"Beds\n====\n\nPeppers.\n"
    done = upload(program, ("beds.rst", first), ("beds.rst", second), ("old/beds.rst", first)).json()
    names = {doc["name"]: doc["doc_id"] for doc in done["docs"]}
    assert {*names} == {"beds.rst", "beds 2.rst", "old/beds.rst"}
    originals = [workspace.documents.original(names[name]).data for name in ("beds.rst", "beds 2.rst", "old/beds.rst")]
    assert originals == [first, second, first]


def test_a_base_is_made_with_its_sizes_and_thresholds(program: TestClient, workspace: Workspace) -> None:
    sizes = {"chunk_size": 300, "chunk_overlap": 60, "top_k": 7, "score_threshold": 0.25}
    assert program.post("/api/knowledge", json={"name": "sized", **sizes}).status_code == 201
    base = workspace.bases.get("sized")
    assert (base.chunking.chunk_size, base.chunking.chunk_overlap) == (300, 60)
    assert (base.search.limit, base.search.score_threshold) == (7, 0.25)
    shown = {one["name"]: one for one in program.get("/api/knowledge").json()}
    assert shown["sized"].items() >= sizes.items()
    usual = {"chunk_size": 512, "chunk_overlap": 100, "top_k": 10, "score_threshold": 0}
    assert shown["vault"].items() >= usual.items()


@pytest.mark.parametrize(
    ("sent", "made"),
    [((1200, 200), (300, 50)), ((1024, 200), (1024, 200)), ((1025, 1), (256, 50)), ((4096, 800), (1024, 200))],
)
def test_sizes_in_characters_become_tokens(
    program: TestClient, workspace: Workspace, sent: tuple[int, int], made: tuple[int, int]
) -> None:
    sizes = dict(zip(("chunk_size", "chunk_overlap"), sent, strict=True))
    assert program.post("/api/knowledge", json={"name": "sized", **sizes}).status_code == 201
    chunking = workspace.bases.get("sized").chunking
    assert (chunking.chunk_size, chunking.chunk_overlap) == made


@pytest.mark.usefixtures("base")
def test_a_document_without_chunks_is_empty(program: TestClient, workspace: Workspace) -> None:
    doc = upload(program, HERON).json()["doc_id"]
    assert program.post("/api/knowledge/chunk/embed", json={"doc_id": doc}).json()["status"] == "ready"
    for chunk in workspace.chunks.all(doc):
        workspace.chunks.delete(chunk.id)
    (listed,) = program.get("/api/knowledge/docs", params={"base": "work"}).json()
    assert (listed["status"], listed["chunk_count"]) == ("empty", 0)
    assert program.post("/api/knowledge/chunk/embed", json={"doc_id": doc}).json()["status"] == "empty"


@pytest.mark.usefixtures("base")
def test_what_is_embedded_is_counted_and_a_document_is_ready_with_its_last_chunk(
    program: TestClient, workspace: Workspace
) -> None:
    birds = "\n\n".join(f"## Bird {number}\n\n{f'heron{number} ' * 400}" for number in range(2))
    doc = upload(program, ("birds.md", birds.encode())).json()["doc_id"]
    first, *others = [chunk.id for chunk in workspace.chunks.all(doc)]
    assert others
    embedded = program.post("/api/knowledge/chunk/embed", json={"chunk_ids": [first]}).json()
    assert embedded == {"embedded": 1, "status": "pending"}
    assert program.get("/api/knowledge/docs", params={"base": "work"}).json()[0]["status"] == "pending"
    begun = program.post("/api/knowledge/reindex", json={"doc_id": doc})
    workspace.jobs.wait("rechunk")
    result = program.get(begun.headers["Location"]).json()["result"]
    assert (result["indexed"], result["embedded_windows"] >= len(others)) == (len(others), True)
    again = program.post("/api/knowledge/chunk/embed", json={"doc_id": doc}).json()
    assert again == {"embedded": 0, "status": "ready"}


@pytest.mark.usefixtures("base")
def test_a_document_and_a_base_are_indexed_again(program: TestClient, workspace: Workspace) -> None:
    doc = upload(program, HERON).json()["doc_id"]
    for chosen in ({"doc_id": doc}, {"base": "work"}, {"doc_id": doc, "base": "work"}):
        begun = program.post("/api/knowledge/reindex", json=chosen)
        assert begun.status_code == 202
        workspace.jobs.wait("rechunk")
        assert program.get(begun.headers["Location"]).json()["state"] == "done"
        assert program.get("/api/knowledge/docs", params={"base": "work"}).json()[0]["status"] == "ready"
    assert program.post("/api/knowledge/reindex", json={}).status_code == 422
    for other in ({"doc_id": "none"}, {"doc_id": doc, "base": "vault"}, {"base": "none"}):
        assert program.post("/api/knowledge/reindex", json=other).status_code == 404


@pytest.mark.usefixtures("base")
def test_a_question_recalls_embedded_chunks_of_its_base_only(program: TestClient, workspace: Workspace) -> None:
    upload(program, HERON, KESTREL)
    asked = {"base": "work", "query": "shallow water", "top_k": 1}
    assert program.post("/api/knowledge/test", json=asked).json()["chunks"] == [], "nothing is embedded yet"
    (waiting,) = program.post("/api/v1/search", json={"query": "shallow water", "bases": ["work"]}).json()["hits"]
    assert waiting["remarks"] == ["not indexed yet"]
    program.post("/api/knowledge/reindex", json={"base": "work"})
    workspace.jobs.wait("rechunk")
    (recalled,) = program.post("/api/knowledge/test", json=asked).json()["chunks"]
    assert recalled["name"] == "birds/heron.md"
    assert "shallow water" in recalled["content"]


@pytest.mark.usefixtures("base")
@pytest.mark.parametrize("path", ["complex", "semantic"])
def test_the_older_searches_recall_embedded_chunks_only(program: TestClient, workspace: Workspace, path: str) -> None:
    upload(program, HERON, KESTREL)

    def found(**asked: Any) -> tuple[list[str], list[str]]:
        answer = program.post(f"/api/notes/search/{path}", json={"filters": {"base": "work"}, **asked}).json()
        return [hit["title"] for hit in answer["hits"]], answer["notices"]

    assert found(query="shallow water") == ([], ["unindexed"])
    assert len(found()[0]) == 2, "without a question nothing is recalled: the notes are listed"
    program.post("/api/knowledge/reindex", json={"base": "work"})
    workspace.jobs.wait("rechunk")
    titles, notices = found(query="shallow water")
    assert (len(titles), "unindexed" in notices) == (2, False)


@pytest.mark.usefixtures("base")
def test_tools_recall_embedded_chunks_only_and_say_so(program: TestClient, workspace: Workspace) -> None:
    upload(program, HERON, KESTREL)
    asked = {"knowledge_base": "work", "query": "shallow water"}
    for tool in ("knowledge_query", "knowledge_semantic_search"):
        result: Any = server.run(lambda: workspace, tool, asked)
        assert result.structured_content["result"] == []
        assert "Some passages are not indexed yet" in "".join(part.text for part in result.content)
    listed: Any = server.run(lambda: workspace, "knowledge_query", {"knowledge_base": "work"})
    assert len(listed.structured_content["result"]) == 2
    program.post("/api/knowledge/reindex", json={"base": "work"})
    workspace.jobs.wait("rechunk")
    result = server.run(lambda: workspace, "knowledge_query", asked)
    assert result.structured_content["result"][0]["document"] == "birds/heron.md"
    assert "not indexed" not in "".join(part.text for part in result.content)


@pytest.mark.usefixtures("base")
def test_uploads_at_once_of_one_file_make_one_document(program: TestClient) -> None:
    with ThreadPoolExecutor(4) as threads:
        answers = [*threads.map(lambda _: upload(program, HERON), range(4))]
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.json()["doc_id"] for answer in answers}) == 1
