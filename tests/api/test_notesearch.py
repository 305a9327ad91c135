"""Searches by the paths of an older design."""

from typing import Any

import pytest
from starlette.testclient import TestClient

from core.workspace import Workspace


def found(program: TestClient, how: str, **values: object) -> Any:
    answer = program.post(f"/api/notes/search/{how}", json=values)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_an_answer_tells_the_level_the_sub_queries_and_the_rounds(program: TestClient) -> None:
    broad = found(program, "complex", query="compare herons and kestrels")
    assert (broad["level"], broad["rounds"] >= 1) == ("exploratory", True)
    assert {sub_query["round"] for sub_query in broad["sub_queries"]} == set(range(1, broad["rounds"] + 1))
    direct = found(program, "semantic", query="compare herons and kestrels")
    assert (direct["level"], direct["mode"], direct["sub_queries"], direct["rounds"]) == ("simple", "semantic", [], 1)


def test_the_context_of_a_hit_is_widened_unless_the_program_says_no(program: TestClient, workspace: Workspace) -> None:
    sections = [f"## Bird {number}\n\n{'It stands in the water. ' * 40}\n" for number in range(8)]
    workspace.notes.add("birds", "\n".join(sections), author="person")
    plain, wide, usual = (
        found(program, "semantic", query="water", top_k=1, filters={"base": "birds"}, **wider)["hits"]
        for wider in ({"expand_context": False}, {"expand_context": True}, {})
    )
    assert usual[0]["text"] == wide[0]["text"]
    assert plain[0]["chunk_id"] == wide[0]["chunk_id"]
    assert plain[0]["text"] in wide[0]["text"]
    assert len(wide[0]["text"]) > 1.5 * len(plain[0]["text"])


def test_filters_narrow_and_a_second_look_is_chosen(program: TestClient) -> None:
    (path, *_) = [hit["path"] for hit in found(program, "complex", query="markdown")["hits"]]
    narrowed = found(program, "complex", query="markdown", filters={"path": path, "base": ["vault"]}, rerank=False)
    assert {hit["path"] for hit in narrowed["hits"]} == {path}
    assert narrowed["reranker"] == ""


@pytest.mark.parametrize(
    "wrong",
    [
        {"top_k": 0},
        {"context_size": 9},
        {"filters": {"colour": "red"}},
        {"filters": {"after": "soon"}},
        {"query": ""},
        {"query": None},
    ],
)
def test_what_is_wrong_with_a_search_is_told(program: TestClient, wrong: dict[str, object]) -> None:
    refused = program.post("/api/notes/search/semantic", json={"query": "heron", **wrong})
    assert refused.status_code == 422
    assert refused.json()["detail"]
