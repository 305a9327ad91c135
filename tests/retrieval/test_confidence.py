"""What has no answer in the notes is told from what has one, in every mode."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.model import SearchOptions
from core.workspace import Workspace
from tests import samples

pytestmark = pytest.mark.usefixtures("bundled")


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    folder = samples.write(tmp_path_factory.mktemp("confidence") / "vault")
    with Workspace(folder.with_name("workspace")) as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(folder))
        yield workspace


MEANING: list[SearchOptions] = [{}, {"reranker": "none"}, {"mode": "semantic"}]
EVERY: list[SearchOptions] = [*MEANING, {"mode": "keyword"}]


@pytest.mark.parametrize("options", EVERY)
@pytest.mark.parametrize(
    "typed",
    ["pg_dump", "how do I restore a database", "Backups", "an empty database and", "缓存为什么会雪崩", '"only worth"'],
)
def test_what_the_notes_answer_is_answered(filled: Workspace, options: SearchOptions, typed: str) -> None:
    assert filled.search(typed, **options).confident


@pytest.mark.parametrize(
    "typed", ["how long did the bread rise", "why do all the keys expire at once", "怎么备份数据库"]
)
@pytest.mark.parametrize("options", MEANING)
def test_other_words_and_another_language_are_answered(filled: Workspace, options: SearchOptions, typed: str) -> None:
    assert filled.search(typed, **options).confident


@pytest.mark.parametrize("options", EVERY)
@pytest.mark.parametrize("typed", ["zxqv blorptang 99817", "who won the chess championship", "去北京的火车几点开"])
def test_what_they_do_not_answer_is_not(filled: Workspace, options: SearchOptions, typed: str) -> None:
    result = filled.search(typed, **options)
    assert not result.confident
    assert result.hits or options.get("mode") == "keyword"
    assert not filled.context(typed, **options).confident


def test_a_list_by_filters_is_no_guess(filled: Workspace) -> None:
    assert filled.search("tag:redis").confident


def test_nothing_is_said_of_a_base_whose_floor_is_unknown(filled: Workspace, tmp_path: Path) -> None:
    floor = filled.store.floors.get(base := filled.bases.get("vault"))
    assert floor
    assert floor.windows == 3
    filled.store.database.execute("UPDATE bases SET floor = '{}' WHERE id = ?", base.id)
    try:
        assert filled.store.floors.get(base) is None
        assert filled.search("zxqv blorptang 99818").confident
    finally:
        filled.models.settle_floor(base)
    assert filled.store.floors.get(base) == floor


def test_a_base_that_has_grown_is_measured_again(tmp_path: Path) -> None:
    folder = samples.write(tmp_path / "vault")
    with Workspace(tmp_path / "workspace") as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(folder))
        (folder / "long.md").write_text(samples.long_note(8))
        workspace.imports.apply(workspace.imports.plan_folder(folder))
        base = workspace.bases.get("vault")
        floor = workspace.store.floors.get(base)
        assert floor
        assert floor.windows == workspace.bases.status(base).windows > 3


def test_the_persons_own_questions_move_the_floor(tmp_path: Path) -> None:
    with Workspace(tmp_path / "workspace") as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(samples.write(tmp_path / "vault")))
        base = workspace.bases.get("vault")

        def mean_with(question: dict[str, object]) -> float:
            workspace.question_sets.add_file(
                "vault", "mine", json.dumps({"id": question["question"]} | question).encode(), "mine.jsonl"
            )
            workspace.models.settle_floor(base)
            floor = workspace.store.floors.get(base)
            assert floor
            return floor.mean

        floor = workspace.store.floors.get(base)
        assert floor
        assert mean_with({"question": "how are caches warmed by night", "gold": []}) > floor.mean
        answer = {"path": "kitchen/bread.txt", "quote": "Crumb open"}
        assert mean_with({"question": "who painted the ceiling of the Sistine Chapel", "gold": [answer]}) < floor.mean
