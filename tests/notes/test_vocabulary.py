"""The words that the fields of a note offer: a file that a person edits, and the notes themselves."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.base.errors import WorkspaceLocked
from core.base.registry import Entry
from core.embedding import EMBEDDERS
from core.workspace import Workspace


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    monkeypatch.setitem(EMBEDDERS, "words", Entry("tests.fakes:WordLengths"))
    monkeypatch.setenv("TESSERA_EMBEDDER", "words")
    with Workspace(tmp_path / "ws") as workspace:
        yield workspace


def write(workspace: Workspace, content: bytes) -> None:
    before = workspace.vocabulary.path.stat().st_mtime_ns
    workspace.vocabulary.path.write_bytes(content)
    os.utime(workspace.vocabulary.path, ns=(before + 10_000_000, before + 10_000_000))


def test_a_new_workspace_has_everyday_types_in_the_language_of_its_person(workspace: Workspace) -> None:
    vocabulary = workspace.vocabulary
    vocabulary.begin("zh_CN")
    assert vocabulary.types()[:2] == ["笔记", "想法"]
    vocabulary.begin("en")
    assert vocabulary.types()[0] == "笔记"
    vocabulary.path.unlink()
    assert vocabulary.types() == ["note", "idea", "how-to", "reference", "meeting", "log"]
    assert vocabulary.path == workspace.store.folder / "vocabulary.txt"
    assert vocabulary.problems() == ()


def test_the_types_of_a_software_project_are_a_preset(workspace: Workspace) -> None:
    vocabulary = workspace.vocabulary
    vocabulary.write(vocabulary.preset("project", "zh_CN"))
    assert vocabulary.types() == ["project_config", "business_rule", "module_context", "test_experience"]
    assert vocabulary.categories_of("project_config") == ["auth", "environment", "dependency"]
    assert vocabulary.categories_of("module_context") == []


def test_words_in_use_are_offered_behind_those_of_the_file(workspace: Workspace) -> None:
    workspace.vocabulary.write(workspace.vocabulary.preset("project", "en"))
    for number in range(2):
        workspace.notes.add("work", "text", title=f"n{number}", type="recipe", category="soup", embed=False)
    workspace.notes.add("work", "text", title="x", type="Project_Config", category="secrets", scope="api", embed=False)
    workspace.notes.add("work", "text", title="y", category="cake", embed=False)
    assert workspace.vocabulary.types()[4:] == ["recipe"]
    assert workspace.vocabulary.categories_of("project_config") == ["auth", "environment", "dependency", "secrets"]
    assert workspace.vocabulary.categories_of("recipe") == ["soup"]
    assert {"auth", "best_practice", "soup", "cake"} <= set(workspace.vocabulary.categories_of(""))
    assert workspace.vocabulary.in_use("scope") == ["api"]
    assert workspace.vocabulary.in_use("category") == ["soup", "cake", "secrets"]


def test_an_edited_file_is_read_at_the_next_use_and_bad_lines_are_told_by_number(workspace: Workspace) -> None:
    text = "# mine\n食谱：汤，甜点、主菜\r\n\n: lost\nRecipe: soup , , cake\nrecipe: pie\n" + "x" * 101 + "\nb\x07d\n"
    write(workspace, b"\xef\xbb\xbf" + text.encode() + b"\xff\xfe\nlast")
    assert workspace.vocabulary.types() == ["食谱", "Recipe", "last"]
    assert workspace.vocabulary.categories_of("食谱") == ["汤", "甜点", "主菜"]
    assert workspace.vocabulary.categories_of("RECIPE") == ["soup", "cake", "pie"]
    assert [problem.fields["line"] for problem in workspace.vocabulary.problems()] == [4, 7, 8, 9]
    assert str(workspace.vocabulary.problems()[0]) == "vocabulary.txt, line 4: a type is missing before the colon."


def test_what_is_written_is_read_back(workspace: Workspace) -> None:
    workspace.vocabulary.write("recipe: soup\n")
    assert workspace.vocabulary.types() == ["recipe"]
    assert workspace.vocabulary.text() == "recipe: soup\n"
    with Workspace(workspace.store.folder, readonly=True) as reader:
        assert reader.vocabulary.types() == ["recipe"]
        with pytest.raises(WorkspaceLocked):
            reader.vocabulary.write("")


def test_a_folder_in_the_place_of_the_file_is_set_aside(workspace: Workspace) -> None:
    file = workspace.store.folder / "vocabulary.txt"
    file.mkdir()
    workspace.notes.add("work", "text", title="x", type="recipe", embed=False)
    assert workspace.vocabulary.types()[-1] == "recipe"
    assert file.is_file()
    assert file.with_name("vocabulary.txt.broken").is_dir()
