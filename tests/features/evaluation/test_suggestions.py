"""What notes define and how they say to do things becomes questions; a model's word is checked letter by letter."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest

from core.base.errors import Cancelled, ProviderError
from core.features.evaluation.note_questions import LONGEST, SHORTEST, suggest, suggest_by_model
from core.model import Note, Question
from core.providers.chat import Chat
from core.query.phrasing import Casing, definition_question, heading_question
from core.settings.sections import LlmSettings
from tests.growth import assert_linear
from tests.model_server import Answer, ModelServer, chat

PROSE = "some words of a note, which mentions Docker and the ownership of a slice in hash maps on Linux."

DEFINITIONS = """
Slices | A _slice_ is a reference to a contiguous run of elements. | What is a slice?
Anything | _Ownership_ is a set of rules that govern how memory is managed. | What is ownership?
Hash Maps | Hash maps are a way of keeping values under their keys. | What are hash maps?
Anything | **Docker** is an engine that runs programs in containers. | What is Docker?
Cargo | Cargo is Rust’s build system and package manager of choice. | What is Cargo?
Anything | `Rc<T>` is a pointer that counts its owners at run time. | What is Rc<T>?
Anything | The process of asking a future for its value is called _polling_. | What is polling?
Anything | A slice is a reference to a contiguous run of elements. | -
Slices | A _slice_ is useful when you want no copy of the elements. | -
Slices | A slice is a good thing that everybody should know about. | -
Slices | It is a reference to a contiguous run of elements in memory. | -
Slices | A slice is a list. | -
Introduction | **Chapter 2** is a hands-on introduction to writing a program. | -
Anything | This kind of pointer is called a _smart pointer_. | -
回归 | *回归*（regression）是能为变量之间的关系建模的一类方法。 | 回归是什么？
张量 | 张量是描述具有任意数量轴的数组的通用方法。 | 张量是什么？
误差 | *训练误差*（training error）是指模型在训练数据集上的误差。 | 训练误差是什么？
Docker 简介 | **Docker** 是一种在容器里运行程序的技术。 | Docker 是什么？
概率 | 方差的平方根被称为*标准差*（standard deviation）。 | 标准差是什么？
缓存 | 添加缓存是一把双刃剑，要小心使用才行。 | -
回归 | 这是一种能为变量之间的关系建模的方法。 | -
概率 | 这个属性叫做*校准*（calibration）。 | -
回归 | 回归是很重要的，所以大家都要认真学。 | -
"""

HEADINGS = """
How to Install Docker | How do I install Docker?
Installing Docker on Linux | How do I install Docker on Linux?
Running Slices | How do I run slices?
Reading and Writing Hash Maps | How do I read and write hash maps?
2.3 Creating a Slice | How do I create a slice?
Create a slice | How do I create a slice?
Why does the build fail? | Why does the build fail?
Understanding Ownership | -
Running | -
Accessing: Why and How | -
Test Organization | -
Summary | -
如何写测试 | 如何写测试？
怎么部署到服务器？ | 怎么部署到服务器？
安装 Docker | 如何安装 Docker？
1. 备份数据库 | 如何备份数据库？
安装步骤 | -
使用场景 | -
部署案例 | -
使用经验 | -
配置文件 | -
使用块的网络 | -
小结 | -
练习 | -
"""


def cases(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split(" | ")] for line in table.strip().split("\n")]


@pytest.mark.parametrize(("heading", "sentence", "question"), cases(DEFINITIONS))
def test_a_definition_answers_what_a_thing_is(heading: str, sentence: str, question: str) -> None:
    assert (definition_question(sentence, heading, Casing(PROSE)) or "-") == question


@pytest.mark.parametrize(("heading", "question"), cases(HEADINGS))
def test_a_heading_answers_how_to_do_a_thing(heading: str, question: str) -> None:
    chinese = any("\u4e00" <= char <= "\u9fff" for char in heading)
    assert (heading_question(heading, Casing(PROSE), chinese=chinese) or "-") == question


def note(name: str, body: str) -> Note:
    return Note(name, "b", body, "h", title=name, path=f"{name}.md")


RUST = note(
    "rust",
    """# Rust

## Slices

A _slice_ is a reference to a contiguous run of elements in a collection. It owns nothing.

## Installing the Compiler

To install the compiler, run the installer and open a new terminal. You can check it with `rustc`. In this
chapter we look at more.

```
_Code_ is a thing that is never a definition, whatever it holds.
```

| _A table_ is a thing that is never a definition | whatever it holds |
|--|--|
| x | y |

## Creating Threads

As we saw in the last chapter, you can do this with the function that was shown in Listing 3.

## Summary

_Rest_ is a state in which nothing is left to be done by anybody.
""",
)
CHINESE = note(
    "zh",
    """# 笔记

## 安装编译器

下载安装程序后双击运行，按照提示完成各个步骤，最后重新打开终端即可。可以用 `rustc` 检查版本号是否正确。

## 所有权

*所有权*（ownership）是一套由编译器检查的、用来管理内存的规则。它不会让程序变慢。
""",
)


def told(questions: Sequence[Question]) -> list[tuple[str, str]]:
    return [(one.text, gold.quote) for one in questions for gold in one.gold]


def test_questions_of_a_note_in_its_language() -> None:
    assert told(suggest([RUST], 9)) == [
        ("What is a slice?", "A _slice_ is a reference to a contiguous run of elements in a collection."),
        (
            "How do I install the compiler?",
            "To install the compiler, run the installer and open a new terminal. You can check it with `rustc`.",
        ),
        ("What is Rest?", "_Rest_ is a state in which nothing is left to be done by anybody."),
    ]
    assert told(suggest([CHINESE], 9)) == [
        ("所有权是什么？", "*所有权*（ownership）是一套由编译器检查的、用来管理内存的规则。它不会让程序变慢。"),
        (
            "如何安装编译器？",
            "下载安装程序后双击运行，按照提示完成各个步骤，最后重新打开终端即可。可以用 `rustc` 检查版本号是否正确。",
        ),
    ]


def test_a_suggestion_waits_with_its_place() -> None:
    for question in suggest([RUST, CHINESE], 9):
        (gold,) = question.spans
        body = {"rust": RUST, "zh": CHINESE}[gold.note_id].body
        assert body[gold.start : gold.end] == gold.quote
        assert body.count(gold.quote) == 1
        assert SHORTEST <= len(gold.quote) <= LONGEST
        assert question.suggested
        assert question.kind in ("definition", "heading")
    assert len({question.id for question in suggest([RUST, CHINESE], 9)}) == 5


def test_they_are_the_same_whatever_the_order_and_spread_over_notes() -> None:
    notes = [replace(RUST, id=f"n{n}", path=f"{n}.md", body=RUST.body.replace("lice", f"lice{n}")) for n in range(8)]
    found = suggest(notes, 6)
    assert suggest(reversed(notes), 6) == found
    assert len(found) == 6
    assert len({one.spans[0].note_id for one in found}) == 6
    assert suggest(notes, 0) == suggest([], 5) == []


def test_what_two_notes_define_is_one_question_and_their_headings_none() -> None:
    other = replace(RUST, id="other", path="other.md")
    found = suggest([RUST, other], 9)
    assert sorted(one.text for one in found) == ["What is Rest?", "What is a slice?"]
    assert all({gold.note_id for gold in one.spans} == {"rust", "other"} for one in found)


def test_a_passage_that_stands_twice_is_left_out() -> None:
    sentence = "A _slice_ is a reference to a contiguous run of elements."
    assert suggest([note("n", f"{sentence}\n\n{sentence}")], 9) == []
    assert suggest([note("n", "A _slice_ is a reference to elements that" + " go on" * 80 + ".")], 9) == []


@pytest.mark.parametrize(
    "body",
    [
        "word " * 400_000,
        "_A_ is a " * 100_000,
        "。" * 500_000,
        "# Installing x\n\n" * 20_000,
        "A _slice_ is a reference to a contiguous run of elements.\n\n" * 20_000,
        "*是" * 300_000,
        "x" * 2_000_000,
        "## \n\n" + "![" * 200_000,
        "a. " * 300_000,
    ],
)
def test_hostile_notes_take_no_long_time(body: str) -> None:
    assert_linear(lambda body: suggest([note("n", body)], 5), body)


# by a model


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


def asked_of(server: ModelServer, answers: Sequence[object], notes: Sequence[Note], count: int) -> list[Question]:
    texts = [answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False) for answer in answers]
    server.answers.extend(Answer(chat(text)) for text in texts)
    return suggest_by_model(
        notes, Chat(LlmSettings(base_url=server.url, model="m", retries=0, timeout_seconds=5)), count
    )


SLICE = "A _slice_ is a reference to a contiguous run of elements in a collection."
GOOD = {"note": 1, "question": "What points into  a list\nwithout owning it?", "quote": SLICE}


def test_what_a_model_quotes_is_placed(server: ModelServer) -> None:
    wrapped = {**GOOD, "question": "and again?", "quote": SLICE.replace(" ", "\n", 3)}
    (first, second) = asked_of(server, [f"Thoughts: [1].\n{json.dumps([GOOD, wrapped])}"], [RUST], 5)
    assert first.text == "What points into a list without owning it?"
    assert first.gold[0].quote == second.gold[0].quote == SLICE
    assert (first.suggested, first.kind, first.spans[0].note_id) == (True, "model", "rust")
    (request,) = server.requests
    task, material = (message["content"] for message in request.body["messages"])
    assert "never follow" in task
    assert "slice" not in task
    (given,) = json.loads(material)["notes"]
    assert given["text"] in RUST.body
    assert (given["number"], given["title"], json.loads(material)["most"]) == (1, "rust", 2)


@pytest.mark.parametrize(
    "row",
    [
        {**GOOD, "note": 2},
        {**GOOD, "note": 0},
        {**GOOD, "note": True},
        {**GOOD, "note": "1"},
        {**GOOD, "quote": "A _slice_ is a pointer to a contiguous run of elements in a list."},
        {**GOOD, "quote": "a reference to"},
        {**GOOD, "quote": ["x"]},
        {**GOOD, "quote": RUST.body[:500]},
        {**GOOD, "question": ""},
        {**GOOD, "question": "?" * 500},
        {**GOOD, "question": None},
        {"question": "x"},
    ],
)
def test_what_does_not_hold_is_dropped(server: ModelServer, row: dict[str, object]) -> None:
    assert [one.text for one in asked_of(server, [[row, {**GOOD, "question": "the good one"}]], [RUST], 5)] == [
        "the good one"
    ]


@pytest.mark.parametrize("answer", ["I can't do that.", "[]", '["a"]', "[" * 300, '{"note": 1}'])
def test_an_answer_in_another_form_is_told(server: ModelServer, answer: str) -> None:
    with pytest.raises(ProviderError, match="didn't return a list of questions with quotes"):
        asked_of(server, [answer], [RUST], 5)


def test_notes_are_asked_of_by_fours_until_there_are_enough(server: ModelServer) -> None:
    notes = [replace(RUST, id=f"n{n}", path=f"{n}.md") for n in range(30)]
    rows = [{**GOOD, "note": n, "question": f"question {n}?"} for n in (1, 2, 3)]
    more = [{**row, "question": f"another {row['question']}"} for row in rows]
    found = asked_of(server, [rows, "nothing", more], notes, 5)
    assert len(found) == 5
    assert [len(json.loads(one.body["messages"][1]["content"])["notes"]) for one in server.requests] == [4, 4, 4]
    assert [json.loads(one.body["messages"][1]["content"])["most"] for one in server.requests] == [5, 2, 2]
    server.requests.clear()
    assert len(asked_of(server, [rows[:1]] * 3, notes, 3)) == 1
    assert len(server.requests) == 3, "a request for each question that is wanted, at most"


def test_it_can_be_stopped(server: ModelServer) -> None:
    def stop(done: float, total: float, what: str) -> None:
        raise Cancelled

    connected = Chat(LlmSettings(base_url=server.url, model="m", retries=0, timeout_seconds=5))
    with pytest.raises(Cancelled):
        suggest_by_model([RUST], connected, 5, progress=stop)
    assert suggest_by_model([note("n", " \n")], connected, 5) == suggest_by_model([RUST], connected, 0) == []
    assert server.requests == []
