"""docs/library.md: every example runs, in order, and the verbs hold what they promise."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from core import Conflict, NoteNotFound, Workspace
from core.doors import library

PAGE = (Path(__file__).parents[1] / "docs" / "library.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture
def words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TESSERA_EMBEDDER", "tfidf")
    monkeypatch.setenv("TESSERA_SEARCH__RERANKER", "none")


@pytest.fixture
def workspace(tmp_path: Path, words: None) -> Iterator[Workspace]:
    with Workspace(tmp_path / "workspace") as workspace:
        yield workspace


@pytest.mark.usefixtures("bundled")
def test_every_example_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "tessera", library)  # installed under that name: tests/test_face.py
    names: dict[str, object] = {}
    printed = []
    for example in EXAMPLES:
        if "packs.install" in example:
            monkeypatch.setenv("TESSERA_EMBEDDER", "tfidf")  # the model of the others takes half a minute for a pack
        exec(example, names)
        printed.append(capsys.readouterr().out)
    assert len(EXAMPLES) == 9
    assert printed[0].startswith("Messages pile up Look at the consumer's threads first")
    assert printed[1] == "10 7\n"
    assert printed[2].startswith("['update', 'create']\nRestart the broker after office hours. {'broker': 1} {")
    assert printed[3].startswith("2 [(1, \"The priority 'high'")
    assert "dead letter" in printed[4]
    assert "Offsets" in printed[4]
    assert printed[5].endswith(" 1\n")
    assert "no such id" in printed[6]
    assert printed[7].startswith("1.0 20 []")
    assert printed[8].startswith("change Lag ()\nnote Full (FieldChange(name='status'")


def test_every_verb_of_the_table_is_there(workspace: Workspace) -> None:
    for dotted in re.findall(r"`workspace\.([a-z_.]+)\(", PAGE):
        verb = workspace
        for name in dotted.split("."):
            verb = getattr(verb, name)
        assert callable(verb)


def test_a_base_that_is_not_there_is_made_and_each_has_its_own_collection(workspace: Workspace) -> None:
    workspace.notes.add("rocketmq", "Consumers lag behind.")
    workspace.notes.add("kafka", "Consumers lag behind.")
    assert [base.name for base in workspace.bases.all()] == ["kafka", "rocketmq"]
    names = {workspace.store.index.name(base) for base in workspace.bases.all()}
    assert len(names) == 2
    assert names <= workspace.store.index._backend.names()


def test_an_unknown_id_and_an_old_version_are_errors(workspace: Workspace) -> None:
    note = workspace.notes.add("rocketmq", "The first text.")
    with pytest.raises(NoteNotFound):
        workspace.notes.update("nothing", body="x")
    with pytest.raises(NoteNotFound):
        workspace.notes.get("nothing")
    workspace.notes.update(note.id, body="The second text.", expected_version=1)
    with pytest.raises(Conflict) as conflict:
        workspace.notes.update(note.id, body="The third text.", expected_version=1)
    assert (conflict.value.stored.body, conflict.value.stored.version, conflict.value.version) == (
        "The second text.",
        2,
        1,
    )
    assert workspace.notes.get(note.id).body == "The second text."


def test_of_many_notes_the_bad_ones_are_reported_and_the_others_go_in(workspace: Workspace) -> None:
    items: list[dict[str, object]] = [{"body": f"Note number{n} of many."} for n in range(300)]
    items[7]["priority"] = "high"
    items[11] = {"body": "half \ud800 of a character"}
    items[13] = {"body": "unknown", "colour": "red"}
    items[17] = {"body": "out", "path": "../out.md"}
    added = workspace.notes.add_many("many", items)
    assert [number for number, _ in added.failed] == [7, 11, 13, 17]
    assert len(added.note_ids) == 296
    assert workspace.pending.count("many") == 0
    assert workspace.search("number299", mode="semantic").hits[0].note.id == added.note_ids[-1]


def test_categories_are_counted_by_base(workspace: Workspace) -> None:
    workspace.notes.add("rocketmq", "One.", category="lag")
    workspace.notes.add("rocketmq", "Two.", category="lag", tags=["a", "b"])
    workspace.notes.add("kafka", "Three.", category="disk", tags=["a"])
    workspace.notes.add("kafka", "Four.")
    assert workspace.vocabulary.categories() == {"lag": 2, "disk": 1}
    assert workspace.vocabulary.categories("kafka") == {"disk": 1}
    assert workspace.vocabulary.tags("kafka") == {"a": 1}
