from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.registry import Entry
from core.base.text import STOP_WORDS
from core.embedding import EMBEDDERS, windows
from core.model import ChunkingOptions
from core.retrieval.highlights import sentences, words_in
from core.workspace import Workspace
from tests import samples

NOTE = """## Oven

Heat the oven first. The dough rests in
a cold fridge overnight, as e.g. bakers do!
- one item
  of two lines

```sh
bake --hot
```
先揉面。再发酵！
"""


def test_sentences_are_of_prose_and_run_over_the_lines_of_a_paragraph() -> None:
    assert [NOTE[start:end] for start, end in sentences(NOTE)][:2] == [
        "Heat the oven first.",
        "The dough rests in\na cold fridge overnight, as e.g. bakers do!",
    ]
    texts = [NOTE[start:end] for start, end in sentences(NOTE)]
    assert "- one item\n  of two lines" in texts
    assert texts[-2:] == ["先揉面。", "再发酵！"]
    assert not any("bake" in text and "--hot" in text for text in texts)
    assert sentences("# Only a title") == [(0, 14)]


@pytest.fixture
def filled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    monkeypatch.setitem(EMBEDDERS, "word-tokens", Entry("tests.fakes:WordTokens"))
    monkeypatch.setenv("TESSERA_EMBEDDER", "word-tokens")
    with Workspace(tmp_path / "workspace") as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(samples.write(tmp_path / "vault")))
        workspace.models.start_warming()
        workspace.jobs.wait("warm", 30)
        yield workspace


@pytest.mark.parametrize("end", ["\r", "\r\n"])
def test_sentences_are_the_same_whatever_ends_their_lines(end: str) -> None:
    text = NOTE.replace("\n", end)
    found = [text[start:stop].replace(end, "\n") for start, stop in sentences(text)]
    assert found == [NOTE[start:stop] for start, stop in sentences(NOTE)]


LONG = "eNp" * 130
SHAPES = [
    "是",
    "更新后的例子",
    "か",
    "、",
    "，",
    "。",
    " ",
    "\n",
    "|",
    "word",
    ". ",
    "😀",
    f"[例子](https://a.b/#{LONG})",
    f"`{LONG}`",
    LONG,
]


@given(st.lists(st.sampled_from(SHAPES), max_size=12).map("".join))
def test_every_text_is_cut_into_sentences_in_order(text: str) -> None:
    ends = [0, *(place for span in sentences(text) for place in span)]
    assert ends == sorted(ends)
    assert all(start < end for start, end in zip(ends[1::2], ends[2::2], strict=True))


def test_a_hit_has_its_words_in_any_form_and_its_nearest_sentence(filled: Workspace) -> None:
    result = filled.search("restoring backups", reranker="none")
    seen = filled.searching.highlights(result)
    text = result.hits[0].chunk.text
    first = seen[result.hits[0].chunk.id]
    assert [text[start:end] for start, end in first.words] == ["Backups", "Backups", "restore", "Restoring", "restore"]
    assert first.sentence in sentences(text)
    assert -1 <= first.nearness <= 1
    assert first.held == 1


def test_by_words_alone_nothing_is_said_of_meaning(filled: Workspace) -> None:
    result = filled.search("restore", mode="keyword")
    assert {one.nearness for one in filled.searching.highlights(result).values()} == {None}


KEYS = """# Keys

Press them together. None of these is asked.

| what happens | which keys |
|---|---|
| abc. Wide words are deleted | hij |
| mnopqrstu is duplicated again | vwx |
"""


@pytest.fixture
def keys(filled: Workspace) -> str:
    """The id of a note with a table, split into one chunk."""
    filled.bases.add("table", chunking=ChunkingOptions(strategy="none"))
    return filled.notes.add("table", KEYS).id


def marked(workspace: Workspace) -> str:
    result = workspace.search("mnopqrstu duplicated", bases="table", reranker="none")
    sentence = workspace.searching.highlights(result)[result.hits[0].chunk.id].sentence
    assert sentence
    return result.hits[0].chunk.text[slice(*sentence)]


def test_a_row_is_marked_as_a_whole_and_the_header_never(filled: Workspace, keys: str) -> None:
    assert marked(filled) == "| mnopqrstu is duplicated again | vwx |"
    result = filled.search("abc hij which", bases="table", mode="keyword")
    one = filled.searching.highlights(result)[result.hits[0].chunk.id]
    assert one.sentence
    assert result.hits[0].chunk.text[slice(*one.sentence)] == "| abc. Wide words are deleted | hij |"


def test_a_note_that_was_embedded_before_rows_were_is_marked_by_meaning_too(
    filled: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled.bases.add("table", chunking=ChunkingOptions(strategy="none"))
    with monkeypatch.context() as patch:
        patch.setattr(windows, "MOST_ROWS", 0)
        filled.notes.add("table", KEYS)
    result = filled.search("mnopqrstu duplicated", bases="table", reranker="none")
    assert filled.searching.highlights(result)[result.hits[0].chunk.id].nearness is not None
    assert marked(filled) == "| mnopqrstu is duplicated again | vwx |"


ENDINGS = ("", "e", "s", "es", "ed", "ing", "er", "ly", "ation", "ness")
STEMMED = [f"{word}{ending}" for word in sorted(STOP_WORDS) if word.isascii() for ending in ENDINGS]


def test_no_word_marks_a_stop_word_that_has_its_stem(filled: Workspace) -> None:
    stems = filled.store.words.stems
    marked = {}
    for word in STEMMED:
        text = " ".join(["a", *(other for other in STEMMED if other != word and other in STOP_WORDS), f"{word}."])
        marked[word] = {text[start:end] for start, end in words_in(text, [word], stems)[0]}
    assert marked == {word: {word} for word in STEMMED}


@pytest.mark.parametrize(
    ("question", "text", "words"),
    [
        ("which one is on the table", "One is on it: the one on the tables.", ["One", "one", "tables"]),
        ("how do I use the oven", "Let us use it, so that the ovens are in use.", ["use", "ovens", "use"]),
        ("烤箱的温度", "石板的温度和烤箱的位置", ["温度", "烤箱"]),
        ("怎么备份它们的数据", "什么备注？备份了它的数据库吗", ["备份", "数据"]),
        ("目的地的天气", "目的是了解天气吧", ["目的", "天气"]),
        ("有的", "有的人", ["有的"]),
        ("如何设计一个高并发系统", "如何设计一个高并发系统？", ["设计一个高并发系统"]),
        ("如何設計一個系統", "如何設計這個系統？", ["設計", "系統"]),
        ("消息队列有什么好处", "消息队列有什么用？好处很多", ["消息队列", "好处"]),
        ("什么是消息队列", "消息队列是什么？什么是消息队列", ["消息队列", "消息队列"]),
        ("哪些方法可以提高性能", "有哪些方法？它可以提高性能", ["方法", "提高性能"]),
        ("是否支持事务", "是否支持事务，能否支持事务", ["支持事务", "支持事务"]),
        ("有效性是多少", "所有的有效性是多少", ["有效性"]),
        ("什么", "什么都行", ["什么"]),
        ('"is on" shelf', "It is on a shelf, on top.", ["is on", "shelf"]),
    ],
)
def test_marks_carry_meaning(filled: Workspace, question: str, text: str, words: list[str]) -> None:
    note = filled.notes.add("vault", f"{text}\n")
    result = filled.search(question, mode="keyword")
    seen = filled.searching.highlights(result)
    (hit,) = (hit for hit in result.hits if hit.note.id == note.id)
    assert [hit.chunk.text[start:end] for start, end in seen[hit.chunk.id].words] == words
    if '"' not in question:
        assert [text[start:end] for start, end in filled.searching.marks(text, question)] == words


PARTICLES = "的了吗呢吧啊嘛啦呀么着们我你您他她它这那哪把被给与或很也"


@pytest.mark.parametrize("particle", PARTICLES)
def test_no_particle_is_marked_between_words(filled: Workspace, particle: str) -> None:
    text = f"石板{particle}温度，烤箱{particle}位置，{particle}"
    spans = filled.searching.marks(text, f"烤箱{particle}温度")
    assert [text[start:end] for start, end in spans] == ["温度", "烤箱"]
