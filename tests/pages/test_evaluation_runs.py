"""Evaluation: ways to search next to each other, what became of each question, the runs there were."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from core.base.errors import Cancelled
from core.model import GoldSpan, Pipeline, Question, QuestionSet, Run, SearchSettings
from core.settings.sections import LlmSettings
from core.workspace import Workspace
from tests.model_server import Handler, ModelServer, sentence, stream
from tests.pages.conftest import Screen

HOSTILE = "<img src=x onerror=alert(1)> ![p](http://evil.invalid/p.png) **bold** :red[red]"

BACKUPS, CACHE = "Create an empty database and run", "给过期时间加上随机值"


def gold(workspace: Workspace, path: str, quote: str) -> GoldSpan:
    note = workspace.notes.get(workspace.notes.find(path).id)
    start = note.body.index(quote)
    return GoldSpan(path, quote, start, start + len(quote), note.id)


def a_set(workspace: Workspace, questions: int = 3) -> QuestionSet:
    """A set of questions, of which the third has no answer and all behind that are missed by words."""
    kept = workspace.question_sets.add(workspace.bases.all()[0].name, "mine")
    restore, random = gold(workspace, "backups.md", BACKUPS), gold(workspace, "缓存/雪崩.md", CACHE)
    asked = [
        Question("q1", "restore a backup", (restore,), kind="how"),
        Question("q2", HOSTILE, (random,), kind="why"),
        Question("q3", "who wrote this", ()),
        *(Question(f"q{number}", f"zebra number {number}", (restore,)) for number in range(4, questions + 1)),
    ]
    workspace.questions.add(kept, asked)
    return workspace.question_sets.get(workspace.bases.all()[0].name, "mine")


@pytest.fixture
def kept(filled: Screen) -> QuestionSet:
    return a_set(filled.workspace)


@pytest.fixture
def compared(filled: Screen, kept: QuestionSet) -> Screen:
    """The page after one click: the base as it is and without reranking."""
    return filled.open("evaluation", view="compare").press("run").finish("evaluate")


def runs(screen: Screen) -> list[Run]:
    return screen.workspace.runs.all(screen.workspace.bases.all()[0].name)


def boxes(screen: Screen) -> str:
    return "\n".join(element.proto.body for element in screen.app.get("html"))


def rows(screen: Screen) -> list[str]:
    return list(screen.app.dataframe[0].value["question"])


def mark(screen: Screen, *lines: int) -> Screen:
    """Mark lines of the only table there is."""
    screen.app.session_state[screen.app.dataframe[0].key] = {
        "selection": {"rows": list(lines), "columns": [], "cells": []}
    }
    screen.app.run()
    assert not screen.app.exception, screen.app.exception
    return screen


def button(screen: Screen, key: str):  # type: ignore[no-untyped-def]
    return next(button for button in screen.app.button if button.key == key)


def ways(screen: Screen) -> list[Pipeline]:
    chosen: list[Pipeline] = screen.app.session_state[f"ways_{screen.workspace.bases.all()[0].id}"]
    return chosen


def pick(screen: Screen, preset: str, number: int = 1) -> Screen:
    screen.app.pills(f"way_preset_{number}").set_value(preset).run()
    assert not screen.app.exception, screen.app.exception
    return screen


def test_without_notes_it_says_where_they_come_from() -> None:
    screen = Screen().open("evaluation")
    assert "nothing to evaluate yet" in screen.text
    assert not screen.app.dataframe


def test_one_click_compares_two_ways(filled: Screen, kept: QuestionSet) -> None:
    filled.open("evaluation")
    assert filled.app.query_params["view"] == "compare"
    assert "There are no test runs yet" in filled.text
    filled.press("run").finish("evaluate")
    assert [run.pipeline for run in runs(filled)] == [Pipeline(search=SearchSettings(reranker="none")), Pipeline()]
    told = boxes(filled)
    assert "too few questions to tell" in told
    assert "3 questions, 2 with an answer in the notes" in told
    assert "First hit is correct" in told
    assert "There are no test runs yet" not in filled.text
    assert filled.workspace.jobs.find("evaluate") is None


def test_the_page_speaks_chinese(compared: Screen) -> None:
    chinese = Screen("zh-CN").open("evaluation", view="compare")
    assert chinese.app.title[0].value == "评测"
    told = chinese.text
    for said in ("不重排", "第一条就对", "当前设置", "问题太少", "正确段落", "第 1 名"):
        assert said in told


def test_a_question_shows_its_passages_and_what_each_run_recalled(compared: Screen) -> None:
    told = boxes(compared)
    assert f"<mark>{BACKUPS}</mark>" in told
    assert told.count("answered here") == 2
    assert "rank 1" in told
    links = [link for link in compared.app.get("page_link") if "chunk=" in link.proto.query_string]
    assert links
    mark(compared, 2)
    assert "Your notes don&#x27;t answer this question" in boxes(compared)
    assert compared.app.query_params["question"] == "q3"


def test_a_link_opens_a_question(compared: Screen) -> None:
    both = ",".join(run.id for run in reversed(runs(compared)))
    screen = Screen().open("evaluation", view="compare", runs=both, question="q2")
    golds = boxes(screen).split('class="t-gold"')[1].split("</div></div>")[0]
    assert CACHE in golds
    mark(screen, 0)
    assert BACKUPS in boxes(screen).split('class="t-gold"')[1].split("</div></div>")[0]


def test_texts_from_outside_are_shown_as_they_are_written(compared: Screen) -> None:
    mark(compared, 1)
    told = boxes(compared)
    assert "&lt;img src=x onerror=alert(1)&gt;" in told
    assert "<img" not in told


def test_the_list_can_be_narrowed(compared: Screen) -> None:
    assert rows(compared) == ["restore a backup", HOSTILE, "who wrote this"]
    compared.app.pills("rows_state").set_value("negative").run()
    assert rows(compared) == ["who wrote this"]
    compared.app.pills("rows_state").set_value("all").run()
    compared.app.selectbox("rows_kind").set_value("how").run()
    assert rows(compared) == ["restore a backup"]
    compared.app.text_input("rows_text").input("nothing like it").run()
    assert "No question matches these filters" in compared.text


def test_a_miss_says_why(filled: Screen) -> None:
    a_set(filled.workspace, 4)
    pick(filled.open("evaluation", view="compare"), "words").press("run").finish("evaluate")
    filled.app.pills("rows_state").set_value("missed").run()
    assert rows(filled)[-1] == "zebra number 4"
    mark(filled, len(rows(filled)) - 1)
    told = boxes(filled)
    assert "missed" in told
    assert "Other passages were closer" in told
    assert "Other chunks match better by meaning and by keyword" in told


def test_what_changed_since_isnt_shown_as_if_it_had_not(compared: Screen, vault: Path) -> None:
    file = vault / "backups.md"
    file.write_text("# Other\n\nAnother beginning.\n\n" + file.read_text().replace(BACKUPS, "Do not"), encoding="utf-8")
    workspace = compared.workspace
    workspace.imports.apply(workspace.imports.plan_folder(vault))
    compared.app.run()
    told = boxes(compared)
    assert "The notes have changed since this test run" in told
    assert "changed since this test run" in told
    assert "Do not" not in told
    workspace.trash.put([workspace.notes.find("backups.md").id])
    compared.app.run()
    assert "The note no longer exists" in boxes(compared)


# the ways


def test_a_preset_is_one_click_and_two_of_the_same_cannot_be_compared(filled: Screen, kept: QuestionSet) -> None:
    filled.open("evaluation", view="compare")
    assert ways(filled) == [Pipeline(), Pipeline(search=SearchSettings(reranker="none"))]
    assert ways(pick(filled, "meaning"))[1] == Pipeline(search=SearchSettings(mode="semantic"))
    assert ways(pick(filled, "around"))[1] == Pipeline(search=SearchSettings(expansion_size=1))
    assert not button(filled, "run").disabled
    pick(filled, "as_is")
    assert button(filled, "run").disabled
    assert "The two setups are the same" in filled.text


def test_other_chunks_are_said_to_take_longer_and_are_made_beside_the_base(filled: Screen, kept: QuestionSet) -> None:
    before = filled.workspace.chunks.all(filled.workspace.notes.find("backups.md").id)
    pick(filled.open("evaluation", view="compare"), "recursive")
    assert "For B, the notes are split and indexed again" in filled.text
    filled.press("run").finish("evaluate")
    assert "Split by size" in boxes(filled)
    assert "Settings that differ" in boxes(filled)
    assert filled.workspace.chunks.all(filled.workspace.notes.find("backups.md").id) == before


def test_everything_of_a_way_can_be_set(filled: Screen, kept: QuestionSet) -> None:
    filled.open("evaluation", view="compare")
    filled.app.slider("way_semantic_weight_0").set_value(0.3).run()
    filled.app.segmented_control("way_mode_0").set_value("hybrid").run()
    filled.app.selectbox("try_way_0_strategy").set_value("recursive").run()
    size = next(slider for slider in filled.app.slider if slider.key.startswith("try_way_0_chunk_size"))
    size.set_value(256).run()
    first = ways(filled)[0]
    assert (first.search.semantic_weight, first.search.mode) == (0.3, "hybrid")
    assert first.chunking == replace(filled.workspace.bases.all()[0].chunking, strategy="recursive", chunk_size=256)
    different = "chunks of 256 tokens, at most 1,500 · by meaning and keyword · weight of meaning 0.3"
    assert f"Split by size · {different}" in boxes(filled)
    # What is as the base has it is left to the base again.
    filled.app.slider("way_semantic_weight_0").set_value(0.6).run()
    assert ways(filled)[0].search == SearchSettings(mode="hybrid")
    filled.app.text_input("way_name_0").input(HOSTILE[:60]).run()
    filled.press("run").finish("evaluate")
    assert runs(filled)[1].pipeline.name == HOSTILE[:60]
    assert "<img" not in boxes(filled)


def test_more_than_two_runs_are_not_compared(filled: Screen, kept: QuestionSet) -> None:
    """Neither in the history nor by a link, which may be of a time when more were."""
    searches = (None, "none", "late-interaction")
    filled.workspace.runs.run(kept, [Pipeline(search=SearchSettings(reranker=reranker)) for reranker in searches])
    mark(filled.open("evaluation", view="history"), 0, 1, 2)
    assert button(filled, "history_compare").disabled
    linked = Screen().open("evaluation", view="compare", runs=",".join(run.id for run in runs(filled)))
    assert linked.app.query_params["runs"] == ",".join(run.id for run in runs(filled)[:2])
    assert boxes(linked).count('class="t-verdict') == 1


def test_reading_only_nothing_can_be_asked(place: Path, vault: Path) -> None:
    with Workspace(place) as holder:
        holder.imports.apply(holder.imports.plan_folder(vault))
        holder.runs.run(a_set(holder), [Pipeline(), Pipeline(search=SearchSettings(reranker="none"))])
        reader = Screen().finish("warm").open("evaluation", view="compare")
        assert button(reader, "run").disabled
        assert "First hit is correct" in boxes(reader)
        mark(reader.open("evaluation", view="history"), 0)
        assert button(reader, "history_delete").disabled
        assert not button(reader, "history_compare").disabled


# reports


def test_another_figure_can_be_judged_by(compared: Screen) -> None:
    compared.app.selectbox("judged_by").set_value("span_iou").run()
    assert "Overlap with the correct passage" in boxes(compared).split("t-verdict")[1].split("</div></div></div>")[0]
    assert [one.label for one in compared.app.get("download_button") if "HTML" in one.label or "CSV" in one.label]


# history


def test_runs_are_compared_looked_at_and_deleted(compared: Screen) -> None:
    compared.open("evaluation", view="history")
    table = compared.app.dataframe[0].value
    assert list(table["way"]) == ["Without reranking", "Current settings"]
    assert set(table["state"]) == {"complete"}
    assert button(compared, "history_compare").disabled
    mark(compared, 0).press("history_compare")
    assert runs(compared)[0].id in compared.app.query_params["runs"]
    assert "Settings used in this test run" in boxes(compared)
    mark(compared.open("evaluation", view="history"), 0, 1).press("history_delete")
    assert runs(compared) == []
    assert "There are no test runs yet" in compared.text


def test_a_run_says_when_the_notes_changed_since(compared: Screen) -> None:
    workspace = compared.workspace
    workspace.trash.put([workspace.notes.find("kitchen/bread.txt").id])
    compared.open("evaluation", view="history")
    assert set(compared.app.dataframe[0].value["state"]) == {"notes have changed since"}


def test_a_stopped_run_is_resumed(filled: Screen, kept: QuestionSet) -> None:
    def stop(done: float, total: float, what: str) -> None:
        if done > 0:
            raise Cancelled

    with pytest.raises(Cancelled):
        filled.workspace.runs.run(kept, [Pipeline()], stop)
    filled.open("evaluation", view="history")
    assert list(filled.app.dataframe[0].value["state"]) == ["stopped"]
    mark(filled, 0).press("history_resume").finish("evaluate")
    run = runs(filled)[0]
    assert run.ended_at is not None
    assert run.asked == 3


# a better setup


@pytest.mark.parametrize("better", [True, False])
def test_better_settings_are_taken_with_one_click_unless_it_may_be_chance(filled: Screen, *, better: bool) -> None:
    workspace = filled.workspace
    base = workspace.bases.all()[0].name
    kept = a_set(workspace, 25)
    # The questions without a word of their passage are nearer to the other note's vector.
    weights = (0.6, 0.0) if better else (0.0, 0.6)
    own, other = (SearchSettings(semantic_weight=weight) for weight in weights)
    workspace.bases.update(base, search=replace(own, limit=7))
    workspace.runs.run(kept, [Pipeline(), Pipeline(search=other)])
    filled.open("evaluation", view="compare")
    assert any(one.key == "adopt" for one in filled.app.button) == better
    if better:
        filled.press("adopt")
        assert workspace.bases.get(base).search == replace(other, limit=7)
        filled.app.run()
        assert not any(one.key == "adopt" for one in filled.app.button)


def test_a_model_writes_and_judges_the_answers_of_a_setup(filled: Screen, kept: QuestionSet) -> None:
    """One model answers both tasks: it writes where it is asked a question, and judges where it is shown an answer."""

    def reply(handler: Handler) -> None:
        material = json.loads(handler.server.models.requests[-1].body["messages"][-1]["content"])
        if "wished" in material:
            ruling = json.dumps({"reason": f"It names {HOSTILE}.", "verdict": "partly"})
            return stream(ruling)(handler)
        passage = material["passages"][0]
        line = passage["text"].strip().splitlines()[0]
        return stream(sentence("So it is, as written.", (passage["number"], line)) + "\n")(handler)

    with ModelServer(*[reply] * 4) as server:
        filled.workspace.settings.llm = LlmSettings(base_url=server.url, model="m", retries=0)
        screen = filled.open("evaluation", view="compare")
        for part in ("answers", "judge"):
            next(box for box in screen.app.selectbox if (box.key or "").startswith(f"way_{part}_1")).set_value("model")
            screen.app.run()
        assert (ways(screen)[1].answers, ways(screen)[1].judge) == ("model", "model")
        screen.press("run").finish("evaluate")
    by_notes, by_model = sorted(runs(screen), key=lambda run: run.pipeline.answers == "model")
    assert "agreed" not in by_notes.metrics
    assert by_model.metrics["agreed"] == 0.5
    shown = boxes(screen.open("evaluation", view="compare", question="q1"))
    assert "So it is, as written. [1]" in shown
    assert "Partly agrees" in shown
    assert "It names &lt;img src=x onerror=alert(1)&gt;" in shown
    assert "<img" not in shown


# whether notes can be found


def test_questions_from_the_notes_are_made_and_run_as_any_other(filled: Screen) -> None:
    workspace = filled.workspace
    filled.open("evaluation").press("check_").finish("evaluate")
    assert "First hit is correct" in boxes(filled.open("evaluation"))
    (kept,) = workspace.question_sets.all(workspace.bases.all()[0].name)
    assert {run.set_id for run in workspace.runs.all(workspace.bases.all()[0].name)} == {kept.id}
    next(one for one in filled.app.toggle if one.key.startswith("check_after_")).set_value(True).run()
    assert workspace.findability.enabled
