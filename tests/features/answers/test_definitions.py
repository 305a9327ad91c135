"""Footnotes and reference links that are defined elsewhere in a note are with the passages that refer to them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.embedding.windows import windows_of
from core.features.answers.operations import AnswerView
from core.model import ChunkingOptions
from core.operations.search import HitView
from core.workspace import Workspace

FILLER = "We walked from the weir to the old mill and counted the coots near the boathouse. " * 9
SECTIONS = {
    "Birds": "The bittern was heard at plot nine.[^Bittern]",
    "Plants": "The rarest plant stood in frame five.[^rare]",
    "Water": "The readings follow the [field protocol][fp], and [Oda] helped.",
    "Money": "The fence is paid in two parts. Code is no reference: `[^rare]`.",
}
DEFINED = """
[^bittern]: By Lindqvist on 3 May;
    two males.

    Recording 0417.
[^rare]: Marsh gentian.
[^rare]: Twice

[fp]: https://example.org/protocol-77
[oda]: <https://example.org/oda>
"""
BITTERN = "[^Bittern]: By Lindqvist on 3 May; two males. Recording 0417."
BODY = "# Marsh\n\n" + "".join(f"## {name}\n\n{FILLER}{text}\n\n" for name, text in SECTIONS.items()) + DEFINED
WHOLE = ChunkingOptions(strategy="none")


@pytest.fixture(scope="module", params=["auto", "markdown", "recursive", "lines"])
def workspace(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TESSERA_EMBEDDER", "tfidf")
        folder: Path = tmp_path_factory.mktemp("definitions")
        with Workspace(folder / request.param) as workspace:
            options = ChunkingOptions(strategy=request.param, chunk_size=256, short_doc_threshold=300)
            workspace.bases.add("marsh", chunking=options)
            workspace.notes.add("marsh", BODY, title="Marsh")
            yield workspace


def test_a_chunk_has_the_definitions_that_it_refers_to_and_stays_a_slice(workspace: Workspace) -> None:
    note = workspace.notes.all()[0]
    chunks = workspace.chunks.all(note.id)
    assert all(chunk.text == BODY[chunk.start : chunk.end] for chunk in chunks)
    about = {name: next(chunk for chunk in chunks if text in chunk.text) for name, text in SECTIONS.items()}
    assert about["Birds"].definitions == (BITTERN,)
    assert "[^rare]: Marsh gentian." in about["Plants"].definitions
    assert {*about["Water"].definitions} >= {
        "[fp]: https://example.org/protocol-77",
        "[Oda]: <https://example.org/oda>",
    }
    embedder = workspace.models.embedder(workspace.bases.get("marsh"))
    assert "Lindqvist" in windows_of([about["Birds"]], note.title, embedder)[0].text
    held = windows_of([about["Water"]], note.title, embedder)[0]
    assert "example.org" not in held.text[: held.head]  # an address alone is shown, and means nothing


def test_an_answer_a_hit_and_a_prompt_show_them(workspace: Workspace) -> None:
    answer = workspace.answers.ask("who heard the bittern at plot nine")
    assert BITTERN in AnswerView.from_answer(answer).answer
    assert AnswerView.from_answer(answer).sentences[0].definitions == (BITTERN,)
    result = workspace.search("bittern plot nine")
    assert BITTERN in HitView.from_hit(result.hits[0]).definitions
    assert BITTERN in result.hits[0].content
    assert BITTERN in workspace.context("bittern plot nine").text
    assert any("plot nine" in hit.chunk.text for hit in workspace.search("Lindqvist plot", mode="keyword").hits)


def test_a_note_in_one_piece_repeats_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TESSERA_EMBEDDER", "tfidf")
    with Workspace(tmp_path / "here") as workspace:
        workspace.bases.add("marsh", chunking=WHOLE)
        note = workspace.notes.add("marsh", BODY, title="Marsh")
        assert [chunk.definitions for chunk in workspace.chunks.all(note.id)] == [()]


def test_many_definitions_take_little_room_and_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TESSERA_EMBEDDER", "tfidf")
    many = "".join(f"[^{number}]: {'word ' * 99}\n" for number in range(3_000))
    named = ["".join(f"[^{at}]" for at in range(number, number + 20)) for number in range(200)]
    text = "".join(f"Line {number}{labels}.\n\n" for number, labels in enumerate(named))
    with Workspace(tmp_path / "here") as workspace:
        workspace.bases.add("many", chunking=ChunkingOptions(strategy="recursive"))
        note = workspace.notes.add("many", f"{text}{many}{'[' * 9_999}{'[^a]: ' * 9_999}", title="Many", embed=False)
        assert max(len(chunk.lead) for chunk in workspace.chunks.all(note.id)) <= 8 * 251
