"""Questions made from notes find them; what none of them reaches, what vanished and what a setting loses is named."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from core.base.errors import ConfigError
from core.features.evaluation.note_questions import plain_question
from core.model import NoteCheck, SearchSettings
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
    workspace.notes.apply(workspace.notes.plan_folder(folder, "things"), confirmed=True)


def checked(workspace: Workspace) -> NoteCheck:
    return workspace.findability.check("things")


def test_notes_are_reached_by_what_they_hold(workspace: Workspace) -> None:
    check = checked(workspace)
    assert check.findings == ()
    assert check.ranks.share() == 1.0
    assert check.ranks.share(1) > 0.8
    assert check.left_out == 0
    results = check.ranks.results
    assert len(results) > 3 * len(THINGS)
    assert {"title", "sentence", "heading", "identifier", "link"} <= {one.kind for one in results}
    gapped = [one for one in results if one.kind == "sentence"]
    assert all(one.question not in one.golds[0].quote for one in gapped)
    assert all(one.golds[0].quote in workspace.notes.get(one.golds[0].note_id).body for one in gapped)
    linked = next(one for one in results if one.question == "the lantern at night")
    assert workspace.notes.get(linked.golds[0].note_id).title == "The lantern handbook"
    assert all(check.ranks.findable(note.id) is not None for note in workspace.notes.all())


def test_the_questions_are_a_set_whose_runs_are_those_of_the_check(workspace: Workspace) -> None:
    check = checked(workspace)
    (kept,) = workspace.question_sets.all("things")
    assert (kept.id, kept.questions) == (check.run.set_id, check.run.questions)
    assert {run.pipeline.search.mode for run in workspace.runs.all("things")} == {None, "semantic"}
    again = checked(workspace)
    assert [one.id for one in again.ranks.results] == [one.id for one in check.ranks.results]
    assert [one.id for one in workspace.question_sets.all("things")] == [kept.id]
    assert workspace.runs.measured([check.run.id])[0][0].metrics["hit@10"] > 0.9


def test_each_note_has_its_first_question_before_any_has_its_second(workspace: Workspace) -> None:
    assert workspace.findability.check("things", seconds=0.0).left_out > 0
    order = [one.golds[0].note_id for one in checked(workspace).ranks.results]
    assert len(set(order[: len(THINGS)])) == len(THINGS)


def test_a_note_behind_another_and_one_with_too_little_text_are_named(workspace: Workspace, folder: Path) -> None:
    (folder / "zz.md").write_text((folder / "the-walnut.md").read_text())
    (folder / "todo.md").write_text("# TODO\n")
    bring(workspace, folder)
    named = {one.title: one for one in checked(workspace).findings}
    assert named.keys() == {"The walnut handbook", "TODO"}
    behind = named["The walnut handbook"]
    assert (behind.reason, behind.other_title) == ("behind", "The walnut handbook")
    assert behind.other != behind.note_id
    assert named["TODO"].reason == "short"


def test_no_question_quotes_what_is_hidden_or_answers_nothing(workspace: Workspace) -> None:
    note = workspace.notes.add("things", "# The bobsled\n\nThe hidden bobsled of the king is kept in a golden shed.\n")
    archived = workspace.notes.add("things", "# The archived one\n\nThe archived bobsled is kept in an iron shed.\n")
    workspace.notes.archive([archived.id])
    for chunk in workspace.chunks.all(note.id):
        workspace.chunks.delete(chunk.id)
    check = checked(workspace)
    assert archived.id not in check.ranks.by_note
    results = check.ranks.results
    assert not [one.question for one in results if "king" in one.question or "iron" in one.question]


def test_what_vanished_since_the_last_check_is_named(workspace: Workspace, folder: Path) -> None:
    checked(workspace)
    file = folder / "the-violin.md"
    file.write_text(file.read_text().replace("## Cleaning the violin\n", ""))
    (folder / "the-saddle.md").unlink()
    bring(workspace, folder)
    since = workspace.findability.check("things").since
    assert since is not None
    assert {(one.title, one.heading) for one in since.vanished} == {
        ("The violin handbook", "Cleaning the violin"),
        ("The saddle handbook", ""),
    }
    assert not since.settings
    assert not since.comparison.settled
    assert workspace.findability.last("things").since == since  # type: ignore[union-attr]


def test_a_worse_search_is_told_against_the_last_check(workspace: Workspace) -> None:
    checked(workspace)
    workspace.bases.update("things", search=SearchSettings(score_threshold=1.0, mode="semantic"))
    since = workspace.findability.check("things").since
    assert since is not None
    assert {"mode", "score_threshold"} <= set(since.settings)
    assert since.comparison.settled
    assert since.comparison.difference < 0
    assert since.lost
    assert "less well" in str(since.message)


def test_settings_are_tried_before_they_are_taken(workspace: Workspace) -> None:
    assert workspace.findability.try_settings("things", SearchSettings(limit=3)) is None
    checked(workspace)
    losing = SearchSettings(score_threshold=1.0, mode="semantic")
    trial = workspace.findability.try_settings("things", losing)
    assert trial is not None
    assert trial.loses
    assert trial.lost
    same = workspace.findability.try_settings("things", replace(losing, score_threshold=None, mode=None))
    assert same is not None
    assert not same.loses
    assert not same.lost
    # What a base has now counts as it is: leaving its settings for those of the program is a gain.
    workspace.bases.update("things", search=losing)
    back = workspace.findability.try_settings("things", SearchSettings())
    assert back is not None
    assert back.comparison.difference > 0
    assert not back.loses


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
    assert workspace.jobs.find("findable") is None
    workspace.findability.check_after_import(True)
    workspace.start_indexing()
    job = workspace.jobs.wait("findable", 30)
    assert job is not None
    assert job.state == "done"
    assert job.quiet
    assert workspace.findability.is_current("things")
    assert not workspace.findability.start_due()
    (folder / "new.md").write_text("# A new one\n\nThe windmill of the new one turns in the evening.\n")
    bring(workspace, folder)
    assert not workspace.findability.is_current("things")
    assert workspace.findability.start_due()


def test_the_newest_checks_stay_and_leave_with_their_base(workspace: Workspace) -> None:
    for _ in range(7):
        workspace.findability.check("things", seconds=0.0)
    assert len(workspace.runs.all("things")) == 2 * 5
    workspace.bases.add("bare")
    with pytest.raises(ConfigError, match="no notes"):
        workspace.findability.check("bare")
    assert workspace.findability.last("bare") is None


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
