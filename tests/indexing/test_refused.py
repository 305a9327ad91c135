"""A text that a model refuses stops no other: it is named, found by words, and tried again when asked or changed."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from core import embedding
from core.base.errors import ProviderError, ProviderUnavailable
from core.model import Filters
from core.workspace import Workspace
from tests.model_server import ModelServer

NOTES = 20
BAD = "poison"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    monkeypatch.setattr(embedding.EMBEDDERS, "_built", {})
    with ModelServer() as server:
        server.refuses = BAD
        for name, value in {"BASE_URL": server.url, "MODEL": "m", "BATCH_SIZE": "8", "RETRIES": "0"}.items():
            monkeypatch.setenv(f"TESSERA_EMBEDDINGS__{name}", value)
        monkeypatch.setenv("TESSERA_EMBEDDER", "openai_compatible")
        yield server


@pytest.fixture
def workspace(tmp_path: Path, server: ModelServer) -> Iterator[Workspace]:
    with Workspace(tmp_path / "workspace") as workspace:
        yield workspace


def folder(tmp_path: Path, *bad: int) -> Path:
    folder = tmp_path / "vault"
    folder.mkdir(exist_ok=True)
    for number in range(NOTES):
        write(folder, number, f"{BAD if number in bad else 'plain'} word{number}{'x' * number}")
    return folder


def write(folder: Path, number: int, text: str) -> None:
    (folder / f"{number:02}.md").write_text(text)


def imported(workspace: Workspace, folder: Path) -> object:
    return workspace.imports.apply(workspace.imports.plan_folder(folder, "vault"))


def embedded(workspace: Workspace) -> int:
    return workspace.bases.status(workspace.bases.get("vault")).windows


def sent(server: ModelServer) -> list[str]:
    return [text for request in server.requests for text in request.body["input"]]


@pytest.mark.parametrize("bad", [0, 7, 8, 12, NOTES - 1])
def test_one_refused_text_leaves_the_others_embedded(
    workspace: Workspace, server: ModelServer, tmp_path: Path, bad: int
) -> None:
    report = workspace.imports.apply(workspace.imports.plan_folder(folder(tmp_path, bad), "vault"))
    assert (report.problem, report.waiting, report.refused) == (None, 0, 1)
    assert embedded(workspace) == NOTES - 1
    (refused,) = workspace.pending.refused("vault")
    assert (refused.path, BAD in refused.text) == (f"{bad:02}.md", True)
    assert "input is too long" in str(refused.reason)
    assert not workspace.pending.any()
    (hit,) = workspace.search(BAD, mode="keyword").hits
    assert hit.note.id == refused.note_id


def test_it_is_tried_again_by_itself_only_when_its_text_changes(
    workspace: Workspace, server: ModelServer, tmp_path: Path
) -> None:
    vault = folder(tmp_path, 3)
    imported(workspace, vault)
    server.requests.clear()
    imported(workspace, vault)
    assert workspace.pending.embed("vault") == 0
    assert not server.requests
    write(vault, 3, "mended words")
    imported(workspace, vault)
    assert [text.rpartition("\n")[2] for text in sent(server)] == ["mended words"]
    assert (workspace.pending.refused(), embedded(workspace)) == ([], NOTES)


def test_it_is_tried_again_when_a_person_says_so(workspace: Workspace, server: ModelServer, tmp_path: Path) -> None:
    imported(workspace, folder(tmp_path, 3, 11))
    first, second = workspace.pending.refused()
    assert workspace.pending.embed(chunk_ids=[first.chunk_id]) == 0
    assert [one.chunk_id for one in workspace.pending.refused()] == [first.chunk_id, second.chunk_id]
    server.refuses, server.requests = "", []
    assert workspace.pending.embed(chunk_ids=[first.chunk_id]) == 1
    assert len([text for text in sent(server) if BAD in text]) == 1
    assert workspace.pending.embed("vault", refused=True) == 1
    assert (workspace.pending.refused(), embedded(workspace)) == ([], NOTES)


def test_a_change_of_model_and_of_splitting_come_to_their_end(
    workspace: Workspace, server: ModelServer, tmp_path: Path
) -> None:
    imported(workspace, folder(tmp_path, 3))
    workspace.switches.begin("vault", "openai_compatible:other")
    workspace.switches.run("vault")
    (refused,) = workspace.pending.refused()
    assert (refused.path, embedded(workspace)) == ("03.md", NOTES - 1)
    asked = len([text for text in sent(server) if BAD in text])
    base = workspace.bases.get("vault")
    workspace.chunks.rechunk("vault", options=base.chunking)
    ids = [card.id for card in workspace.notes.all(Filters())]
    workspace.chunks.rechunk(note_ids=ids, options=replace(base.chunking, chunk_size=300))
    assert len(workspace.pending.refused()) == 1
    assert len([text for text in sent(server) if BAD in text]) == asked, "a text is refused once by a model"


def test_a_server_that_fails_on_a_text_is_there_for_the_others(
    workspace: Workspace, server: ModelServer, tmp_path: Path
) -> None:
    server.refusal = 500
    report = workspace.imports.apply(workspace.imports.plan_folder(folder(tmp_path, 5), "vault"))
    assert (report.problem, report.refused, embedded(workspace)) == (None, 1, NOTES - 1)


@pytest.mark.parametrize("status", [401, 404, 429, 503])
def test_a_server_that_takes_nothing_names_no_text(
    workspace: Workspace, server: ModelServer, tmp_path: Path, status: int
) -> None:
    vault = folder(tmp_path)
    workspace.bases.add("vault")
    server.refuses, server.refusal = "a", status
    report = workspace.imports.apply(workspace.imports.plan_folder(vault, "vault"))
    assert (report.waiting, report.refused, workspace.pending.refused()) == (NOTES, 0, [])
    assert report.problem is not None
    with pytest.raises(ProviderUnavailable if status in (429, 503) else ProviderError):
        workspace.pending.embed("vault")
    server.refuses = ""
    assert workspace.pending.embed("vault") == NOTES


def test_a_base_is_embedded_again_by_a_model_that_changed(
    workspace: Workspace, server: ModelServer, tmp_path: Path
) -> None:
    server.refuses = ""
    vault = folder(tmp_path)
    imported(workspace, vault)
    workspace.imports.apply(workspace.imports.plan_folder(vault, "copy"))
    server.requests.clear()
    assert workspace.pending.embed_again("vault") == NOTES
    assert len([text for text in sent(server) if "word" in text]) == NOTES
    assert workspace.pending.count("copy") == NOTES
    assert workspace.pending.embed("copy") == NOTES
    assert len([text for text in sent(server) if "word" in text]) == NOTES, "equal texts are embedded once"
    (hit,) = workspace.search("word7xxxxxxx", limit=1).hits
    assert hit.note.path == "07.md"


def test_a_reason_that_can_not_be_read_is_named_and_hides_no_other(
    workspace: Workspace, server: ModelServer, tmp_path: Path
) -> None:
    imported(workspace, folder(tmp_path, 3, 11))
    workspace.store.database.execute("UPDATE refusals SET reason = '{' WHERE id = (SELECT min(id) FROM refusals)")
    reasons = [str(one.reason) for one in workspace.pending.refused()]
    assert len(reasons) == 2
    assert "input is too long" in "".join(reasons)
    assert any("rejected passage" in str(one) for one in workspace.status().unreadable)
