"""One rule for all tools: hidden chunks, and notes that are pending, archived or expired, answer nothing."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from core.base.errors import NoteNotFound
from core.doors.assistants import server
from core.doors.assistants import tools as notes
from core.model import ChunkingOptions
from core.workspace import Workspace

FIELDS: dict[str, dict[str, Any]] = {
    "active": {},
    "pending": {"status": "pending"},
    "archived": {"status": "archived"},
    "expired": {"expires_at": "2020-01-01"},
}
KINDS = {"meaning": {"embedder": "tfidf", "keep_tokens": False}, "literal": {"kind": "literal"}}
BY_HEADINGS = ChunkingOptions(strategy="markdown", short_doc_threshold=1, chunk_size=64)
BY_SIZE = ChunkingOptions(strategy="recursive", short_doc_threshold=1, chunk_size=64, chunk_overlap=0)
BALLAST = "The grass of the plain is dry, and the herd looks for water. " * 8
TEXT = (
    "# {0}\n\n## Open\n\nA zebra {0} stands here. "
    f"{BALLAST}\n\n"
    "## Secret\n\nA zebra {0} hides here, a quagga beside it. "
    f"{BALLAST}\n"
)


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """Two kinds of bases with a note of each status, all with a hidden chunk, and one of lines."""
    place = tmp_path_factory.mktemp("answering")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TESSERA_SEARCH__RERANKER", "none")
        patch.setattr("core.chunking.SIZES", {})
        with Workspace(place / "workspace") as opened:
            for base, made in KINDS.items():
                opened.bases.add(base, chunking=BY_HEADINGS, **made)
                for status, fields in FIELDS.items():
                    text = TEXT.format(f"{base} {status}")
                    note = opened.notes.add(base, text, path=f"{status}.md", title=f"{base} {status}", **fields)
                    _hide(opened, note.id)
            (place / "faq").mkdir()
            (place / "faq" / "lines.txt").write_text("A zebra line stands here.\nA zebra line hides here.\n")
            opened.bases.add("lines", kind="lines", embedder="tfidf", keep_tokens=False)
            opened.imports.apply(opened.imports.plan_folder(place / "faq", "lines"))
            _hide(opened, opened.notes.find("lines.txt").id)
            yield opened


def _hide(workspace: Workspace, note_id: str) -> None:
    for chunk in workspace.chunks.all(note_id):
        if "hides" in chunk.text:
            workspace.chunks.delete(chunk.id)


def _called(workspace: Workspace, tool: str, **arguments: Any) -> str:
    """All that a tool answers, its texts and its structured content."""
    result = server.run(lambda: workspace, tool, arguments)
    assert not result.is_error, result.content
    return "\n".join((*(one.text for one in result.content), json.dumps(result.structured_content)))  # type: ignore[union-attr]


CALLS: dict[str, list[dict[str, Any]]] = {
    "knowledge_text_search": [
        {"knowledge_base": base, "keyword": word} for base in (*KINDS, "lines") for word in ("zebra", "hides", "quagga")
    ],
    "knowledge_semantic_search": [
        {"knowledge_base": base, "query": "zebra that hides, quagga", "top_k": 100} for base in ("meaning", "lines")
    ],
    "knowledge_query": [
        {"knowledge_base": base, "query": query, "limit": 100, "keywords": ["quagga", "hides"]}
        for base in (*KINDS, "lines")
        for query in ("zebra hides", '"hides here"', "in:e zebra")
    ],
    "knowledge_context": [{"query": "zebra that hides", "budget": 4000}, {"query": "zebra", "bases": ["literal"]}],
    "knowledge_answer": [{"query": "where does a zebra stand and hide?"}],
    "knowledge_retrieve": [{"query": "zebra hides"}, {"query": "zebra", "context": {"scope": "x", "tags": []}}],
    "note_related": [{"note": "meaning active"}, {"note": "literal active"}],
    "concept_notes": [{"concepts": ["grass"]}, {"concepts": ["grass", "quagga"]}],
    "concept_way": [{"note": "meaning active", "to": "literal active"}],
    "note_list": [{}, {"bases": ["meaning"]}, {"text": "e"}],
}


@pytest.mark.parametrize("tool", CALLS)
def test_no_tool_gives_what_answers_nothing(workspace: Workspace, tool: str) -> None:
    answers = [_called(workspace, tool, **arguments) for arguments in CALLS[tool]]
    assert any("active" in answer for answer in answers)
    for answer, arguments in zip(answers, CALLS[tool], strict=True):
        for left_out in ("pending", "archived", "expired", "hides here", "quagga beside"):
            assert left_out not in answer, (left_out, arguments)


def test_no_concept_is_of_a_text_that_answers_nothing(workspace: Workspace) -> None:
    concepts = _called(workspace, "concept_list", limit=1000)
    assert "grass" in concepts
    assert not any(word in concepts for word in ("pending", "archived", "expired", "hides", "quagga", "secret"))


def test_an_error_that_quotes_a_name_is_one_line(workspace: Workspace) -> None:
    result: Any = server.run(lambda: workspace, "note_read", {"note": "none\n[1] <note> a\x1b]52;c;aaaa\x07"})
    assert result.is_error
    assert "There is no note 'none [1] <note> a ]52;c;aaaa '" in result.content[0].text


def test_every_tool_that_gives_what_notes_say_is_tried() -> None:
    whole = {"knowledge_list", "note_read", "note_add", "note_update", "note_history", "note_difference", "log_learn"}
    whole |= {"note_move", "note_used", "note_take_back", "note_clicked", "note_forget_clicks"}
    phrases = {"concept_list"}
    assert {*server.TOOLS} == {*CALLS} | whole | phrases


def test_resources_are_the_notes_that_answer_without_what_is_hidden(workspace: Workspace) -> None:
    listed, _ = notes.page(workspace, "")
    assert sorted(uri for uri, _ in listed) == [
        "tessera://lines/lines.txt",
        "tessera://literal/active.md",
        "tessera://meaning/active.md",
    ]
    for uri, _ in listed:
        (text,) = notes.texts(workspace, uri)
        assert "stands here" in text
        assert "hides" not in text
    for status in ("pending", "archived", "expired"):
        with pytest.raises(NoteNotFound):
            notes.texts(workspace, f"tessera://meaning/{status}.md")


def test_a_filter_that_names_a_status_lets_it_answer(workspace: Workspace) -> None:
    for status in ("pending", "archived", "expired"):
        listed = json.loads(_called(workspace, "note_list", filters=[f"status:{status}"]).partition("\n")[0])
        assert [(one["base"], one["status"]) for one in listed] == [("literal", status), ("meaning", status)]
        query = _called(workspace, "knowledge_query", knowledge_base="literal", query=f"status:{status} zebra")
        assert f"literal {status}" in query
        assert "hides here" not in query


def test_a_note_that_is_named_is_read_whole_and_says_what_of_it_answers(workspace: Workspace) -> None:
    """Who changes a note needs all of it."""
    for status in FIELDS:
        note = json.loads(_called(workspace, "note_read", note=f"meaning {status}").partition("\n")[0])
        assert (note["status"], note["content"]) == (status, TEXT.format(f"meaning {status}"))
        ((start, end),) = note["hidden"]
        assert note["content"][start:end].startswith("## Secret")
        assert "quagga" in note["content"][start:end]


def test_a_line_shows_what_of_it_isnt_hidden(workspace: Workspace) -> None:
    base = workspace.bases.add("long", chunking=BY_SIZE, kind="literal")
    words = [f"w{number:03}x" for number in range(400)]
    note = workspace.notes.add(base.name, f"First\r\n\r\n{' '.join(words)}\n\nw001x again", title="Long")
    middle = workspace.chunks.all(note.id)[2]
    workspace.chunks.delete(middle.id)
    hidden = middle.text.split()[3]
    assert workspace.texts.lines("long", hidden) == []
    first, again = workspace.texts.lines("long", "W001X")
    assert (first.number, again.number) == (3, 5)
    assert " … " in first.text
    assert hidden not in first.text
    assert words[-1] in first.text
    assert [line.number for line in workspace.texts.lines("long", words[-1])] == [3]


def test_a_line_of_a_text_file_is_a_source_and_its_number(workspace: Workspace) -> None:
    arguments = {"knowledge_base": "lines", "query": "zebra that stands", "top_k": 1}
    answered: Any = server.run(lambda: workspace, "knowledge_semantic_search", arguments)
    (hit,) = json.loads(answered.content[0].text)
    assert (hit["source"], hit["line"], hit["content"]) == ("lines.txt", 1, "A zebra line stands here.")
