"""Questions made from notes find them; a check is a run of them as any other."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.base.errors import ConfigError
from core.features.evaluation.note_questions import plain_question
from core.model import QuestionResult
from core.workspace import Workspace

THINGS = "harbour orchard furnace glacier lantern meadow quarry saddle turbine violin walnut yoghurt".split()
NAME = "Questions from the notes"
NOTE = """# The {0} handbook

See [the {1} at night](the-{1}.md).

## Cleaning the {0}

The {0} needs a careful cleaning with warm water before winter begins in the valley. Use `{0}_scrub` for it.

## {2} years with a {0}

An old {0} was repaired by the neighbours in the spring of that year without any help.
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    for number, thing in enumerate(THINGS):
        (folder / f"the-{thing}.md").write_text(NOTE.format(thing, THINGS[number - 1], f"Number {number}"))
    return folder


@pytest.fixture
def workspace(tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    monkeypatch.setenv("TESSERA_EMBEDDER", "tfidf")
    with Workspace(tmp_path / "workspace") as opened:
        bring(opened, folder)
        yield opened


def bring(workspace: Workspace, folder: Path) -> None:
    workspace.imports.apply(workspace.imports.plan_folder(folder, "things"), confirmed=True)


def checked(workspace: Workspace) -> list[QuestionResult]:
    """Return the results of a check, combined."""
    return workspace.runs.results(workspace.findability.check("things")[0].id)


def test_notes_are_reached_by_what_they_hold(workspace: Workspace) -> None:
    results = checked(workspace)
    assert sum(one.found_rank is not None for one in results) > 0.9 * len(results)
    assert len(results) > 3 * len(THINGS)
    assert {"title", "sentence", "heading", "identifier", "link"} <= {one.kind for one in results}
    gapped = [one for one in results if one.kind == "sentence"]
    assert all(one.question not in one.golds[0].quote for one in gapped)
    assert all(one.golds[0].quote in workspace.notes.get(one.golds[0].note_id).body for one in gapped)
    linked = next(one for one in results if one.question == "the lantern at night")
    assert workspace.notes.get(linked.golds[0].note_id).title == "The lantern handbook"
    base = workspace.bases.get("things")
    assert workspace.findability.results(base.id)[1].keys() == {note.id for note in workspace.notes.all()}


def test_the_questions_are_a_set_whose_runs_are_those_of_the_check(workspace: Workspace) -> None:
    runs = workspace.findability.check("things")
    (kept,) = workspace.question_sets.all("things")
    assert {(run.set_id, run.questions, run.asked) for run in runs} == {(kept.id, kept.questions, kept.questions)}
    assert [run.pipeline.search.mode for run in runs] == [None, "semantic"]
    again = checked(workspace)
    assert [one.id for one in again] == [one.id for one in workspace.runs.results(runs[0].id)]
    assert [one.id for one in workspace.question_sets.all("things")] == [kept.id]
    assert runs[0].metrics["hit@10"] > 0.9


def test_each_note_has_its_first_question_before_any_has_its_second(workspace: Workspace) -> None:
    order = [one.golds[0].note_id for one in checked(workspace)]
    assert len(set(order[: len(THINGS)])) == len(THINGS)


def test_a_note_that_no_question_reaches_is_known(workspace: Workspace, folder: Path) -> None:
    (folder / "zz.md").write_text((folder / "the-walnut.md").read_text())
    bring(workspace, folder)
    base = workspace.bases.get("things")
    assert workspace.findability.unreached(base.id, "") is None
    checked(workspace)
    cards = workspace.notes.all()
    unreached = [card.title for card in cards if workspace.findability.unreached(base.id, card.id)]
    assert unreached == ["The walnut handbook"]


def test_no_question_quotes_what_is_hidden_or_answers_nothing(workspace: Workspace) -> None:
    note = workspace.notes.add("things", "# The bobsled\n\nThe hidden bobsled of the king is kept in a golden shed.\n")
    archived = workspace.notes.add("things", "# The archived one\n\nThe archived bobsled is kept in an iron shed.\n")
    workspace.notes.archive([archived.id])
    for chunk in workspace.chunks.all(note.id):
        workspace.chunks.delete(chunk.id)
    results = checked(workspace)
    assert archived.id not in {gold.note_id for one in results for gold in one.golds}
    assert not [one.question for one in results if "king" in one.question or "iron" in one.question]


@pytest.mark.parametrize(
    ("chosen", "terminal", "name"),
    [("zh_CN", "en_US.UTF-8", "取自笔记的问题"), ("en", "zh_CN.UTF-8", NAME), ("", "zh_CN.UTF-8", "取自笔记的问题")],
)
def test_the_question_set_has_a_name_in_the_language_of_the_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chosen: str, terminal: str, name: str
) -> None:
    monkeypatch.setenv("TESSERA_EMBEDDER", "tfidf")
    monkeypatch.setenv("TESSERA_LANGUAGE", terminal)
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "one.md").write_text(NOTE.format("harbour", "quarry", "One"), encoding="utf-8")
    with Workspace(tmp_path / "workspace") as workspace:
        bring(workspace, folder)
        workspace.preferences.set("language", chosen)
        workspace.findability.check("things")
        assert [known.name for known in workspace.question_sets.all("things")] == [name]


def test_after_an_import_its_bases_are_checked_if_wished(workspace: Workspace, folder: Path) -> None:
    workspace.start_indexing()
    assert workspace.jobs.find("evaluate") is None
    workspace.findability.enable(True)
    workspace.start_indexing()
    job = workspace.jobs.wait("evaluate", 30)
    assert job is not None
    assert job.state == "done"
    assert job.quiet
    assert not workspace.findability.start_due()
    (folder / "new.md").write_text("# A new one\n\nThe windmill of the new one turns in the evening.\n")
    bring(workspace, folder)
    assert workspace.findability.start_due()


def test_the_newest_checks_stay_and_leave_with_their_base(workspace: Workspace, folder: Path) -> None:
    for thing in THINGS[2:]:
        (folder / f"the-{thing}.md").unlink()
    bring(workspace, folder)
    for _ in range(6):
        workspace.findability.check("things")
    assert len(workspace.runs.all("things")) == 2 * 5
    workspace.bases.add("bare")
    with pytest.raises(ConfigError, match="No questions could be made"):
        workspace.findability.check("bare")
    assert workspace.findability.results(workspace.bases.get("bare").id) == (None, {})


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ('tag:secret -ownership "as typed" (a|b)', "tag secret ownership as typed a b"),
        ("What's Rc<T>?", "What's Rc T"),
        ("--flag v1.2.3 re-use 变量、函数。", "flag v1.2.3 re-use 变量 函数"),
    ],
)
def test_a_question_is_words_only(text: str, question: str) -> None:
    assert plain_question(text) == question
