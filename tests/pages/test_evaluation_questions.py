"""Question sets on the Evaluation page, and correct passages marked on hits."""

import json
from pathlib import Path

import pytest

from core.model import Question, QuestionSet, SearchSettings
from core.workspace import Workspace
from pages.ui.shared.jobs import SAMPLES
from tests import samples
from tests.pages.conftest import Screen

QUOTE = "Create an empty database and run `pg_restore --dbname=shop_test shop.dump`."
GOOD = {"id": "q1", "question": "how do I restore?", "gold": [{"path": "backups.md", "quote": QUOTE}], "kind": "how"}
NEGATIVE = {"id": "q2", "question": "who wrote this?", "gold": []}
HOSTILE = "<script>alert(1)</script> **bold** ![x](http://evil.test/x.png) :smile: $x$ " + "endless " * 620


def lines(*rows: object) -> bytes:
    return "\n".join(json.dumps(row, ensure_ascii=False) for row in rows).encode()


def keep(screen: Screen, *rows: object, base: str = "vault", name: str = "mine") -> QuestionSet:
    """A set with the questions of these rows."""
    return screen.workspace.question_sets.add_file(base, name, lines(*rows), "rows.jsonl")


def kept(screen: Screen, base: str = "vault") -> list[Question]:
    """The questions of the base's only set."""
    (only,) = screen.workspace.question_sets.all(base)
    return screen.workspace.questions.all(only)


def look(screen: Screen, **address: str) -> Screen:
    return screen.open("evaluation", base="vault", view="questions", **address)


def choose(screen: Screen, *ids: str) -> Screen:
    screen.app.session_state["chosen_questions"] = list(ids)
    screen.app.run()
    return screen


def table(screen: Screen) -> list[str]:
    return [str(text) for text in screen.app.dataframe[0].value["question"]]


def menu(screen: Screen, name: str) -> Screen:
    (button,) = [one for one in screen.app.menu_button if (one.key or "").startswith("set_menu_")]
    button.click(name).run()
    return screen


def upload(screen: Screen, name: str, data: bytes, into: str | None = None) -> Screen:
    screen.app.file_uploader("question_file").set_value([(name, data, "")]).run()
    if into is not None:
        screen.app.selectbox(f"import_into_{name}").set_value(into).run()
    return screen.press("import_questions")


def field(screen: Screen, kind: str, key: str) -> object:
    return next(one for one in getattr(screen.app, kind) if (one.key or "").startswith(key))


def hits(screen: Screen) -> list[str]:
    return [element.proto.body for element in screen.app.get("html") if 'class="t-hit"' in element.proto.body]


# sets


def test_a_base_without_questions_offers_the_ways_to_them(filled: Screen) -> None:
    look(filled)
    assert "This base has no questions yet" in filled.text
    keys = {button.key for button in filled.app.button}
    assert {"suggest_first", "import_first", "type_first"} <= keys
    assert "sample_questions" not in keys


def test_the_sample_questions_are_there_for_the_sample_notes(place: Path) -> None:
    with Workspace(place) as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(SAMPLES, "sample"))
    screen = Screen().finish("warm").open("evaluation", base="sample").press("sample_questions")
    assert len(kept(screen, "sample")) == 20
    assert kept(screen, "sample")[0].text.startswith("I typed the wrong command")
    assert "20 questions" in screen.text


def test_the_sample_questions_are_there_beside_ones_own(place: Path) -> None:
    with Workspace(place) as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(SAMPLES, "sample"))
        workspace.question_sets.add("sample", "mine")
    screen = menu(Screen().finish("warm").open("evaluation", base="sample"), "samples")
    assert "20 questions" in screen.text
    screen.app.selectbox(next(box.key for box in screen.app.selectbox if "question_set" in box.key)).set_value(
        "mine"
    ).run()
    assert "20 questions" in menu(screen, "samples").text
    assert sorted(one.name for one in screen.workspace.question_sets.all("sample")) == ["Sample questions", "mine"]


def test_a_first_question_is_typed_and_its_passage_found_and_taken_back(filled: Screen) -> None:
    look(filled).press("type_first")
    filled.app.text_area("question_text_new").input("pg_restore")
    filled.press("save_question_new")
    (question,) = kept(filled)
    assert (question.text, question.gold) == ("pg_restore", ())
    assert "this counts as a question that your notes don't answer" in filled.text
    filled.press("mark_")
    (gold,) = kept(filled)[0].spans
    assert gold.path == "backups.md"
    assert "1 correct passage" in filled.text
    filled.press("mark_")
    assert kept(filled)[0].gold == ()
    filled.press("mark_").press("remove_0")
    assert kept(filled)[0].gold == ()


def test_a_question_without_text_is_refused(filled: Screen) -> None:
    look(filled).press("type_first")
    filled.app.text_area("question_text_new").input("  ")
    filled.press("save_question_new")
    assert "a question has no text" in filled.errors
    filled.press("cancel_question")
    assert not filled.app.text_area
    assert kept(filled) == []


def test_first_questions_are_suggested_and_accepted_or_not(place: Path, tmp_path: Path) -> None:
    folder = tmp_path / "terms"
    folder.mkdir()
    for name in ("mutex", "lifetime", "crate"):
        text = f"A _{name}_ is a reference to a contiguous run of {name} elements, which knows how long it is."
        (folder / f"{name}.md").write_text(f"# {name.title()}\n\n{text}\n")
    with Workspace(place) as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(folder))
    screen = Screen().finish("warm").open("evaluation").press("suggest_first").finish("suggest")
    assert "3 questions suggested" in screen.toasts
    found = kept(screen, "terms")
    assert len(found) == 3
    assert all(one.suggested for one in found)
    choose(screen, found[0].id).press("questions_accept")
    choose(screen, found[1].id).press("questions_reject")
    assert [one.suggested for one in kept(screen, "terms")] == [False, True]
    screen.press("accept_all")
    assert [one.suggested for one in kept(screen, "terms")] == [False, False]


def test_suggestions_are_asked_for_in_the_popover(filled: Screen) -> None:
    keep(filled, NEGATIVE)
    look(filled)
    assert filled.app.radio("suggest_by").options == ["Rules for definitions and headings"]
    filled.app.select_slider("suggest_count").set_value(5).run()
    filled.press("suggest_yes").finish("suggest")
    assert filled.workspace.jobs.find("suggest").state == "done"
    assert "No new questions" in filled.text


def test_a_language_model_is_offered_where_there_is_one_and_its_failure_told(
    place: Path, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TESSERA_LLM__BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("TESSERA_LLM__MODEL", "tiny")
    monkeypatch.setenv("TESSERA_LLM__RETRIES", "0")
    with Workspace(place) as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(vault))
    screen = Screen().finish("warm")
    keep(screen, NEGATIVE)
    look(screen)
    screen.app.radio("suggest_by").set_value("model").run()
    screen.press("suggest_yes").finish("suggest")
    assert "can't be reached" in screen.errors.replace("\\", "")
    assert len(kept(screen)) == 1


def test_sets_are_made_renamed_and_deleted_with_a_second_yes(filled: Screen) -> None:
    keep(filled, GOOD)
    menu(look(filled), "new")
    filled.app.text_input("set_name_new").input("mine")
    filled.press("set_name_yes")
    assert "There is already a question set 'mine'" in filled.errors.replace("\\", "")
    filled.app.text_input("set_name_new").input("other")
    filled.press("set_name_yes")
    assert filled.app.query_params["set"] == "other"
    assert "This question set is empty" in filled.text
    menu(filled, "rename")
    filled.app.text_input("set_name_rename").input(":smile: **b**")
    filled.press("set_name_yes")
    assert filled.app.query_params["set"] == ":smile: **b**"
    menu(filled, "delete").press("questions_delete_no")
    assert len(filled.workspace.question_sets.all("vault")) == 2
    menu(filled, "delete")
    assert "Its test runs are kept" in "\n".join(one.value for one in filled.app.markdown).replace("\\", "")
    filled.press("questions_delete_yes")
    assert [one.name for one in filled.workspace.question_sets.all("vault")] == ["mine"]
    assert table(filled) == ["how do I restore?"]


def test_the_set_of_a_link_is_chosen_and_the_last_one_remembered(filled: Screen) -> None:
    keep(filled, GOOD, name="a")
    keep(filled, NEGATIVE, name="b")
    assert table(look(filled)) == ["how do I restore?"]
    assert table(look(filled, set="b")) == ["who wrote this?"]
    assert filled.workspace.preferences.get(f"question_set_{filled.workspace.bases.get('vault').id}")
    assert table(look(Screen())) == ["who wrote this?"]


# files


def test_a_file_becomes_a_set_of_its_name_or_goes_into_one(filled: Screen) -> None:
    look(filled).press("import_first")
    upload(filled, "pets.jsonl", lines(GOOD))
    assert [one.name for one in filled.workspace.question_sets.all("vault")] == ["pets"]
    assert filled.app.query_params["set"] == "pets"
    assert not filled.app.file_uploader
    upload(menu(filled, "import"), "more.jsonl", lines(NEGATIVE), into="pets")
    assert [one.id for one in kept(filled)] == ["q1", "q2"]


@pytest.mark.parametrize(
    "data",
    [
        f"\ufeffid,question,path,quote\nq1,how,backups.md,{QUOTE}\n".encode(),
        f"id;question;path;quote\nq1;how;backups.md;{QUOTE}\n".encode(),
        "id,question,path,quote\nq1,怎么办,缓存/雪崩.md,大量的键同时过期，请求全部落到数据库上\n".encode("gb18030"),
    ],
    ids=["mark", "semicolons", "gb18030"],
)
def test_a_table_is_read_however_it_was_saved(filled: Screen, data: bytes) -> None:
    look(filled).press("import_first")
    upload(filled, "table.csv", data)
    assert len(kept(filled)[0].spans) == 1


BAD = {
    "no JSON": (b'{"id": 1', "bad.jsonl", ["line 1", "this isn't a JSON object"], ["第 1 行", "不是 JSON 对象"]),
    "fields": (
        lines(NEGATIVE, {"id": "x"}),
        "bad.jsonl",
        ["line 2", "the field 'question' is missing"],
        ["缺少字段“question”"],
    ),
    "path": (
        lines(GOOD, {**GOOD, "id": "x", "gold": [{"path": "<b>no</b>.md", "quote": QUOTE}]}),
        "bad.jsonl",
        ["line 2", "question 'x': there is no note '&lt;b&gt;no&lt;/b&gt;.md'"],
        ["问题“x”：没有笔记“&lt;b&gt;no&lt;/b&gt;.md”"],
    ),
    "quote": (
        lines({**GOOD, "gold": [{"path": "backups.md", "quote": "the"}]}),
        "bad.jsonl",
        ["its quote 'the…' appears more than once in 'backups.md'"],
        ["不止一处"],
    ),
    "several": (
        lines(NEGATIVE, NEGATIVE, {"id": "", "question": "", "gold": []}),
        "bad.jsonl",
        ["line 2", "the id 'q2' is already used in line 1.", "line 3", "'id' is missing"],
        ["第 2 行", "编号“q2”在第 1 行已经用过。", "第 3 行", "缺少字段“id”"],
    ),
    "many": (b"[]\n" * 25, "bad.jsonl", ["line 20", "5 more problems"], ["第 20 行", "另外还有 5 处问题"]),
    "empty": (b"", "bad.csv", ["there are no questions in this file."], ["这个文件里没有问题。"]),
    "columns": (b"id,question\n1,x\n", "bad.csv", ["the first line lacks path, quote"], ["缺少列 path、quote"]),
    "cells": (b'id,question,path,quote\n"1,x', "bad.csv", ["this isn't CSV"], ["不是有效的 CSV（引号没有闭合）"]),
    "picture": (b"\x89PNG\r\n\x1a\n" + bytes(99), "bad.csv", ["says that it is text"], ["扩展名是文本"]),
}


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("case", BAD)
def test_all_that_is_wrong_with_a_file_is_told_and_nothing_imported(filled: Screen, case: str, language: str) -> None:
    data, name, english, chinese = BAD[case]
    filled.workspace.preferences.set("language", language)
    screen = look(Screen("zh-CN" if language == "zh" else "en-US")).press("import_first")
    upload(screen, name, data)
    assert {"en": "Nothing was imported", "zh": "没有导入任何内容"}[language] in screen.errors
    (told,) = [element.proto.body for element in screen.app.get("html") if 'class="t-list"' in element.proto.body]
    told = told.replace("&#x27;", "'")
    for part in english if language == "en" else chinese:
        assert part in told
    assert screen.workspace.question_sets.all("vault") == []


def test_a_set_is_written_to_a_file_only_when_that_is_asked_for(filled: Screen) -> None:
    keep(filled, GOOD)
    buttons = look(filled).app.get("download_button")
    assert {button.proto.label for button in buttons} >= {"JSON Lines", "Table (CSV)"}
    assert all(button.proto.deferred_file_id for button in buttons if button.proto.label == "JSON Lines")


# questions


def test_questions_are_filtered_by_state_kind_and_text(filled: Screen) -> None:
    keep(filled, GOOD, NEGATIVE, {**NEGATIVE, "id": "q3", "question": "maybe?", "suggested": True})
    assert len(table(look(filled))) == 3
    filled.app.pills("questions_state").set_value("negative").run()
    assert table(filled) == ["who wrote this?", "maybe?"]
    filled.app.pills("questions_state").set_value("suggested").run()
    assert table(filled) == ["maybe?"]
    filled.app.pills("questions_state").set_value("all").run()
    filled.app.selectbox("questions_kind").set_value("how").run()
    assert table(filled) == ["how do I restore?"]
    filled.app.selectbox("questions_kind").set_value("").run()
    filled.app.text_input("questions_text").input("WROTE").run()
    assert table(filled) == ["who wrote this?"]
    filled.app.text_input("questions_text").input("nowhere").run()
    assert "No question matches these filters" in filled.text


def test_only_a_question_that_is_listed_is_acted_on(filled: Screen) -> None:
    keep(filled, GOOD, NEGATIVE)
    choose(look(filled), "q1")
    assert not field(filled, "button", "questions_delete").disabled
    filled.app.text_input("questions_text").input("wrote").run()
    assert field(filled, "button", "questions_delete").disabled


def test_a_question_is_changed(filled: Screen) -> None:
    keep(filled, GOOD, {**NEGATIVE, "kind": "my kind"})
    look(filled, question="q1")
    field(filled, "text_area", "question_text_").input("how is it restored?")
    field(filled, "text_input", "question_note_").input("asked by Ann")
    field(filled, "text_area", "question_answer_").input(" By pg_restore. ")
    field(filled, "toggle", "question_all_").set_value(True)
    field(filled, "selectbox", "question_kind_").set_value("my kind")
    filled.press("save_question_")
    question = kept(filled)[0]
    assert (question.text, question.kind, question.note, question.any, question.answer) == (
        "how is it restored?",
        "my kind",
        "asked by Ann",
        False,
        "By pg_restore.",
    )
    assert len(question.spans) == 1
    assert field(filled, "text_area", "question_text_").value == "how is it restored?"


def test_a_right_passage_leads_to_its_chunk(filled: Screen) -> None:
    keep(filled, GOOD)
    look(filled, question="q1")
    (link,) = [link.proto for link in filled.app.get("page_link") if "backups" in link.proto.label]
    note = kept(filled)[0].spans[0].note_id
    assert link.query_string == f"note={note}&chunk=0"
    assert any("Create an empty database" in hit for hit in hits(filled))


def test_several_questions_are_deleted_with_a_second_yes(filled: Screen) -> None:
    keep(filled, GOOD, NEGATIVE, {**NEGATIVE, "id": "q3"})
    choose(look(filled), "q1", "q3").press("questions_delete").press("questions_delete_no")
    assert len(kept(filled)) == 3
    filled.press("questions_delete").press("questions_delete_yes")
    assert [one.id for one in kept(filled)] == ["q2"]


def test_a_passage_that_is_gone_is_told_and_can_be_removed(filled: Screen, vault: Path) -> None:
    keep(filled, GOOD)
    (vault / "backups.md").write_text("# Backups\n\nAll is new here.\n")
    filled.workspace.imports.apply(filled.workspace.imports.plan_folder(vault))
    look(filled, question="q1")
    assert list(filled.app.dataframe[0].value["state"]) == ["Passage no longer exists"]
    assert "1 with a passage that no longer exists" in filled.text
    assert "The note was deleted, or this passage in it was changed" in filled.text
    filled.app.pills("questions_state").set_value("gone").run()
    assert table(filled) == ["how do I restore?"]
    filled.press("remove_0")
    assert kept(filled)[0].gold == ()


def test_what_cannot_be_asked_is_told_where_its_passage_is_looked_for(filled: Screen) -> None:
    keep(filled, {**NEGATIVE, "question": "what is an opne status:quotation?"})
    look(filled, question="q2")
    assert "can't be 'quotation'" in filled.errors.replace("\\", "")
    field(filled, "text_input", "find_text_").input("pg_restore").run()
    assert "can't be" not in filled.errors
    filled.press("mark_")
    assert kept(filled)[0].text == "what is an opne status:quotation?"
    assert len(kept(filled)[0].spans) == 1


def test_hostile_texts_are_shown_as_they_are_written(place: Path, vault: Path) -> None:
    name = ":smile: [x](javascript:alert(1)).md"
    (vault / name).write_text(f"# T\n\n{HOSTILE}\n")
    with Workspace(place) as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(vault))
    screen = Screen().finish("warm")
    gold = {"path": name, "quote": HOSTILE.strip()}
    keep(screen, {"id": HOSTILE, "question": HOSTILE, "gold": [gold], "kind": HOSTILE, "note": HOSTILE}, name=HOSTILE)
    look(screen, question=HOSTILE)
    assert "&lt;script&gt;alert(1)" in "".join(hits(screen))
    bodies = [element.proto.body for element in screen.app.get("html")]
    assert not any("<script" in body or "<img" in body for body in bodies)
    labels = [link.proto.label for link in screen.app.get("page_link")]
    assert any(label.startswith(r"\:") for label in labels if "smile" in label)
    assert not any("](javascript" in label for label in labels)
    said = [element.value for kind in ("markdown", "caption", "info") for element in getattr(screen.app, kind)]
    assert not any("![" in text or "**bold**" in text for text in said)
    menu(screen, "delete")
    said = [element.value for element in screen.app.markdown]
    assert any("alert" in text for text in said)
    assert not any("![" in text or "**bold**" in text for text in said)


def test_five_hundred_questions_are_no_more_widgets_than_two(filled: Screen) -> None:
    keep(filled, GOOD, NEGATIVE)
    few = len(look(filled).app.main.children)
    widgets = len(filled.app.button)
    keep(filled, *({**GOOD, "id": f"x{number}"} for number in range(498)))
    look(filled)
    assert len(table(filled)) == 500
    assert (len(filled.app.main.children), len(filled.app.button)) == (few, widgets)


def test_open_for_reading_questions_are_shown_and_nothing_can_be_changed(place: Path, vault: Path) -> None:
    with Workspace(place) as holder:
        holder.imports.apply(holder.imports.plan_folder(vault))
        holder.question_sets.add_file("vault", "mine", lines(GOOD, {**NEGATIVE, "suggested": True}), "x.jsonl")
        screen = choose(look(Screen().finish("warm")), "q1", "q2")
        assert len(table(screen)) == 2
        changing = ("add_question", "accept_all", "questions_", "save_question_", "mark_")
        buttons = [one for one in screen.app.button if (one.key or "").startswith(changing)]
        assert len(buttons) > 5
        assert all(button.disabled for button in buttons)
        assert all(one.disabled for one in screen.app.menu_button if (one.key or "").startswith("set_menu_"))
        screen.open("search", q="pg_restore").explain()
        assert all(one.disabled for one in screen.app.button if (one.key or "").startswith("mark_"))


def test_a_passage_is_found_by_meaning_with_the_bundled_model(
    place: Path, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TESSERA_EMBEDDER", "bundled")
    with Workspace(place) as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(vault))
    screen = Screen()
    screen.workspace.jobs.wait("warm", 120)
    keep(screen, {**NEGATIVE, "question": "很多缓存一起失效，数据库扛不住了"})
    look(screen, question="q2").press("mark_")
    assert kept(screen)[0].spans[0].path == "缓存/雪崩.md"


# marks on hits


def mark(screen: Screen, number: int = 0) -> object:
    return [button for button in screen.app.button if (button.key or "").startswith("mark_")][number]


def test_a_hit_is_marked_into_a_first_set_and_taken_back(filled: Screen) -> None:
    filled.open("search", q="pg_restore tag:nothing OR").open("search", q="pg_restore path:b").explain()
    assert "check_circle" not in mark(filled).proto.icon
    filled.press("mark_")
    (question,) = kept(filled)
    assert question.text == "pg_restore"
    assert question.spans[0].path == "backups.md"
    assert filled.workspace.question_sets.all("vault")[0].name == "My questions"
    assert "check_circle" in mark(filled).proto.icon
    fresh = Screen().open("search", q="pg_restore").explain()
    assert "check_circle" in mark(fresh).proto.icon
    fresh.press("mark_")
    assert "check_circle" not in mark(fresh).proto.icon
    assert kept(fresh) == []


def test_several_hits_are_right_and_the_question_stays_until_the_last_is_taken_back(filled: Screen) -> None:
    filled.open("search", q="the").explain()
    for number in (0, 1):
        mark(filled, number).click().run()
    assert len(kept(filled)[0].spans) == 2
    mark(filled, 0).click().run()
    assert len(kept(filled)[0].spans) == 1


def test_a_question_with_a_kind_outlives_its_last_mark(filled: Screen) -> None:
    keep(filled, {**GOOD, "question": "pg_restore", "gold": []})
    filled.open("search", q="pg_restore").press("why_1").press("mark_")
    assert len(kept(filled)[0].spans) == 1
    filled.press("mark_")
    assert (kept(filled)[0].id, kept(filled)[0].gold) == ("q1", ())


def test_hits_go_into_the_set_that_was_used_last_of_their_own_base(filled: Screen, tmp_path: Path) -> None:
    filled.workspace.imports.apply(filled.workspace.imports.plan_folder(samples.write(tmp_path / "other")))
    keep(filled, NEGATIVE, name="a")
    keep(filled, NEGATIVE, name="b")
    look(filled, set="b").open("search", q="pg_restore base:vault").press("why_1").press("mark_")
    filled.open("search", q="pg_restore base:other").press("why_1").press("mark_")
    counts = {
        one.name: one.questions for base in ("vault", "other") for one in filled.workspace.question_sets.all(base)
    }
    assert counts == {"a": 1, "b": 2, "My questions": 1}


def test_of_an_edited_chunk_the_notes_own_text_is_right_and_an_added_one_is_refused(filled: Screen) -> None:
    workspace = filled.workspace
    note = next(card for card in workspace.notes.all() if card.path == "backups.md")
    chunk_id = workspace.chunks.update(workspace.chunks.all(note.id)[0].id, "zebra stripes")
    workspace.chunks.add(note.id, "okapi legs", after=chunk_id)
    filled.open("search", q="zebra").press("options").app.segmented_control("mode").set_value("keyword").run()
    filled.press("why_1").press("mark_")
    assert kept(filled)[0].spans[0].quote.startswith("# Backups")
    filled.open("search", q="okapi").press("why_1")
    assert mark(filled).disabled
    assert "You added this chunk yourself" in mark(filled).help.replace("\\", "")


def test_a_mark_that_cannot_be_set_says_why(filled: Screen) -> None:
    filled.open("search", q="pg_restore").press("why_1")
    workspace = filled.workspace
    note = next(card for card in workspace.notes.all() if card.path == "backups.md")
    button = mark(filled)
    found = workspace.search("pg_restore")
    workspace.trash.put([note.id])
    workspace.searching.answer = lambda _: found
    button.click().run()
    del workspace.searching.answer
    assert not filled.app.exception
    assert "There is no note" in filled.errors.replace("\\", "")


# the base's own reranker


def test_a_base_has_a_reranker_of_its_own_beside_its_other_choices(filled: Screen) -> None:
    filled.workspace.bases.update("vault", search=SearchSettings(limit=7))
    base = filled.workspace.bases.get("vault")
    filled.open("bases", base="vault").tab("Search")
    choice = filled.app.selectbox(f"reranker_{base.id}")
    assert choice.options[0] == "Default: None"
    choice.set_value("late-interaction").run()
    assert filled.workspace.bases.get("vault").search == SearchSettings(limit=7, reranker="late-interaction")
    filled.app.selectbox(f"limit_{base.id}").set_value(20).run()
    assert filled.workspace.bases.get("vault").search == SearchSettings(limit=20, reranker="late-interaction")
    filled.app.selectbox(f"reranker_{base.id}").set_value("").run()
    assert filled.workspace.bases.get("vault").search.reranker is None
