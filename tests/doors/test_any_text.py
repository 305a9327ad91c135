"""A text of anything is searched for through every door, and a note is first by its exact title."""

import json
import os
import random
import unicodedata
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient
from typer.testing import CliRunner

from core.base.errors import QueryError
from core.doors import cli
from core.doors.api import PLACE
from core.doors.assistants import server
from core.model import Filters
from core.workspace import Workspace
from tests.doors.programs import connected

COUNT = int(os.environ.get("TEXTS", "60"))
"""Titles, and texts, that are tried."""
_SIGNS = "\"'`“”「」『』＂()[]{}<>（）【】-－+*/\\|:：;,.。，!?#＃@$%^&=~_…·"
_WORDS = "what 忘记密码 备份 C++ tag: has:code after:2020 today 最近一周 std::mem -rf base: http://x.org NOT OR".split()


def _character(chance: random.Random) -> str:
    code = chance.choice(
        (chance.randrange(0x20, 0x250), chance.randrange(0x250, 0x3000), chance.randrange(0x3000, 0x2FA20))
    )
    return "x" if 0xD800 <= code < 0xE000 else chr(code)


def _text(chance: random.Random) -> str:
    """Return signs, words of the query language and characters of any script, with a blank here and there."""
    kinds = (lambda: chance.choice(_SIGNS), lambda: chance.choice(_WORDS), lambda: _character(chance), lambda: " ")
    return "".join(chance.choice(kinds)() for _ in range(chance.randrange(1, 25)))


def _titles() -> list[str]:
    chance = random.Random(40)
    fixed = ['what does "foo mean', "-忘记密码", "C++ (advanced", "-", "(", "???", "tag:rust", "today", "“", 'a"b" -c']
    made = (_text(chance) for _ in range(3 * COUNT))
    shown = (text for text in made if not all(unicodedata.category(sign)[0] in "CZ" for sign in text))
    return list(dict.fromkeys(" ".join(text.split()) for text in (*fixed, *shown)))[:COUNT]


def _texts() -> list[str]:
    chance = random.Random(41)
    return ["\0", "\ud800", " \u200b", "", '"', "x" * 12_000, *(_text(chance) for _ in range(COUNT))]


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TESSERA_EMBEDDER", "tfidf")
        patch.setenv("TESSERA_INDEX__KIND", "none")
        patch.setenv("TESSERA_SEARCH__RERANKER", "none")
        with Workspace(tmp_path_factory.mktemp("titles")) as opened:
            opened.bases.add("any", embedder="tfidf", keep_tokens=False)
            notes = [{"title": title, "body": f"One of {len(title)} signs."} for title in _titles()]
            assert not opened.notes.add_many("any", notes, strict=True).failed
            opened.set_program_access(True)
            yield opened


@pytest.fixture(scope="module")
def program(workspace: Workspace) -> TestClient:
    return connected(workspace)


def tool(workspace: Workspace, name: str, **arguments: Any) -> Any:
    result: Any = server.run(lambda: workspace, name, arguments)
    assert not result.is_error, (arguments, result.content[0].text)
    return result


def test_a_note_is_first_by_its_exact_title_through_every_door(workspace: Workspace, program: TestClient) -> None:
    for card in workspace.notes.all():
        title = card.title
        assert workspace.search(title).hits[0].note.id == card.id, title
        assert workspace.search(title, plain=True).hits[0].note.id == card.id, title
        answer = program.post(f"{PLACE}/v1/search", json={"query": title, "plain": True, "limit": 1})
        assert answer.json()["hits"][0]["title"] == title, title
        [first] = tool(workspace, "knowledge_retrieve", query=title, limit=1).structured_content["result"]
        assert first["note"] == card.id, title


def test_a_section_is_first_by_its_exact_title_through_every_door(workspace: Workspace, program: TestClient) -> None:
    titles = ("[Stove]", "Stove", "(Stove)", "Stove: once more")
    workspace.bases.add("sections", embedder="tfidf", keep_tokens=False)
    for number, title in enumerate(titles):
        steps = "".join(f"Step {step} of the stove, once more: turn it.\n\n" for step in range(200))
        workspace.notes.add(
            "sections", f"# Manual {number}\n\n{'Before. ' * 300}\n\n## {title}\n\nLight it.\n\n{steps}"
        )
    for card in workspace.notes.all(Filters(bases=("sections",))):
        title = titles[int(card.title[-1])]
        own, *more = [one.id for one in workspace.chunks.all(card.id) if title in one.sections]
        assert more
        for plain in (False, True):
            result = workspace.search(title, plain=plain, filters=Filters(bases=("sections",)))
            assert result.hits[0].chunk.id == own, title
        asked = {"query": title, "plain": True, "limit": 1}
        [hit] = program.post(f"{PLACE}/v1/search", json=asked).json()["hits"]
        assert hit["chunk_id"] == own, title
        [first] = tool(workspace, "knowledge_retrieve", query=title, limit=1).structured_content["result"]
        assert first["note"] == card.id, title
        place = ["--json", "--workspace", str(workspace.store.folder), "--limit", "1"]
        done = CliRunner().invoke(cli.app, ["search", "--plain", *place, "--", title])
        assert json.loads(done.stdout)["hits"][0]["chunk_id"] == own, title


def test_no_text_is_refused_through_any_door(workspace: Workspace, program: TestClient) -> None:
    for text in _texts():
        assert workspace.search(text, plain=True) is not None
        sent = json.dumps({"query": text, "plain": True, "limit": 2}).encode()
        answer = program.post(f"{PLACE}/v1/search", content=sent, headers={"Content-Type": "application/json"})
        assert answer.status_code == 200, (text, answer.text)
        tool(workspace, "knowledge_query", knowledge_base="any", query=text, limit=2)


@pytest.mark.parametrize(
    "text", ['what is "open', "-", "(", "-only this", 'tag:"open', "x" * 12_000, "\ud800", "status:nowhere"]
)
def test_each_tool_and_path_takes_any_text(workspace: Workspace, program: TestClient, text: str) -> None:
    for name in ("knowledge_context", "knowledge_answer", "knowledge_retrieve"):
        tool(workspace, name, query=text)
    for name in ("knowledge_query", "knowledge_semantic_search"):
        tool(workspace, name, knowledge_base="any", query=text)
    headers = {"Content-Type": "application/json"}
    for path in (
        "v1/search",
        "v1/context",
        "v1/retrieve",
        "v1/answer",
        "notes/search/complex",
        "notes/search/semantic",
    ):
        answer = program.post(f"{PLACE}/{path}", content=json.dumps({"query": text, "plain": True}), headers=headers)
        assert answer.status_code == 200, (path, answer.text)


def test_an_assistant_is_told_why_its_query_was_taken_as_plain_text(workspace: Workspace) -> None:
    result = tool(workspace, "knowledge_query", knowledge_base="any", query="status:nowhere")
    assert "plain text: 'status:' can't be 'nowhere'" in result.content[1].text
    assert result.structured_content["remarks"][0] == result.content[1].text


def test_a_command_takes_a_plain_text(workspace: Workspace) -> None:
    place = ["--json", "--workspace", str(workspace.store.folder)]
    done = CliRunner().invoke(cli.app, ["search", "--plain", *place, "--", "-only this"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["mode"] == "hybrid"


def test_signs_alone_and_an_open_quotation_mark_are_text_with_a_notice(workspace: Workspace) -> None:
    for typed in ("[", "- ]", 'an "open mark', "«"):
        assert workspace.search(typed).notices[0] == "signs_as_text", typed
    assert workspace.search("x" * 12_000, plain=True).notices[0] == "text_cut"
    with pytest.raises(QueryError, match="the limit is"):
        workspace.search("x" * 12_000)
    assert not workspace.search("a - b (c").notices
    assert not workspace.search("???").notices
    assert not workspace.search("[", plain=True).notices
