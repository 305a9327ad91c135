"""The guide in the app: in both languages, in the order of docs/guide.md, with links that lead to chapters."""

import re
from pathlib import Path

import pytest

from core.base.messages import LANGUAGES
from core.workspace import Workspace
from pages.ui import guide
from pages.ui.guide import GuideSources, chapters
from pages.ui.shared import shell
from pages.ui.shared.document import document
from tests import guide_pack
from tests.pages.conftest import Screen


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_chapters_are_those_of_the_guide_in_its_order(language: str) -> None:
    assert [f"{path}.md" for path in chapters(language)] == list(guide_pack.notes())
    assert {*shell.CHAPTERS.values()} <= {*chapters(language)}


@pytest.mark.parametrize("language", LANGUAGES)
def test_links_of_the_guide_lead_to_its_chapters(language: str) -> None:
    links = set()
    for path, chapter in chapters(language).items():
        drawn = document(chapter.text, GuideSources(language, path)).html
        assert 'class="dead"' not in drawn, path
        assert 'class="missing"' not in drawn, path
        assert "**" not in re.sub("<code>.*?</code>", "", drawn), path  # letters after 。** leave it no end of bold
        links |= {*re.findall('data-note="([^"]+)"', drawn)}
    assert len(links) >= 8
    assert links <= {*chapters(language)}


@pytest.mark.parametrize(
    ("language", "words", "path"),
    [("en", "trash HISTORY", "notes/history-and-trash"), ("zh_CN", "地图", "measure/a-map-of-the-notes")],
)
def test_a_filter_finds_chapters_by_their_titles_first(language: str, words: str, path: str) -> None:
    assert guide.find(language, words)[0].path == path
    assert not guide.find(language, "zyzzyva")


def test_a_filter_finds_words_and_their_beginnings_and_first_where_a_sentence_holds_all() -> None:
    found = guide.find("en", "rename a note")
    assert found == guide.find("en", "rename note")
    text, spans = guide.excerpt(found[0], "rename a note")
    assert {text[start:end].casefold() for start, end in spans} == {"rename", "note"}
    assert all(start == 0 or not text[start - 1].isalnum() for start, _ in spans)


@pytest.mark.parametrize(
    ("language", "question", "path"),
    [
        ("en", "how do I make a backup?", "backups"),
        ("en", "how can I undo deleting a note?", "notes/history-and-trash"),
        ("zh_CN", "怎么备份笔记？", "backups"),
        ("zh_CN", "误删的笔记怎么恢复？", "notes/history-and-trash"),
    ],
)
def test_a_question_finds_the_chapters_with_most_of_its_words(language: str, question: str, path: str) -> None:
    found = guide.find(language, question)
    assert path in [chapter.path for chapter in found[:3]]
    assert all(guide.excerpt(chapter, question)[1] for chapter in found)


def test_what_is_shown_of_a_chapter_holds_the_words() -> None:
    for chapter in guide.find("en", "drafts backup"):
        text, spans = guide.excerpt(chapter, "drafts backup")
        assert {text[start:end].casefold() for start, end in spans} & {"drafts", "backup"}


@pytest.mark.parametrize("text", [f"{'word ' * 90}needle{' word' * 90}.", f"{'词' * 400}needle{'词' * 400}", "needle"])
def test_of_a_long_sentence_the_part_with_the_words_is_shown(text: str) -> None:
    shown, spans = guide.excerpt(guide.Chapter("a", "A", text), "needle")
    assert [shown[start:end] for start, end in spans] == ["needle"]
    assert len(shown) <= guide.LONGEST + 4


QUESTIONS = {
    "en": {
        "how do I get my notes out again": "bases/export-import-and-the-trash-of-bases",
        "something I removed by mistake, can it come back": "notes/history-and-trash",
        "protect everything against a dying hard disk": "backups",
        "let Claude read what I wrote": "assistants",
        "the program sees words inside photos": "search/pictures-by-what-they-show",
        "which shortcuts of my Obsidian folder keep working": "import/vaults-and-other-programs",
        "a robot edited my text, who approves it": "notes/what-programs-write",
        "two pages say opposite things": "notes/what-waits-for-your-decision",
        "my laptop is running out of disk": "health-and-space",
        "how good are the results, give me a score": "measure/runs",
    },
    "zh_CN": {
        "怎么把笔记导出来": "bases/export-import-and-the-trash-of-bases",
        "不小心删掉的东西还能找回来吗": "notes/history-and-trash",
        "硬盘坏了怎么不丢数据": "backups",
        "让 Claude 看到我写的内容": "assistants",
        "用文字搜照片里的东西": "search/pictures-by-what-they-show",
        "从 Notion 搬过来": "import/vaults-and-other-programs",
        "机器人改了我的文字，谁来批准": "notes/what-programs-write",
        "两篇说法互相矛盾": "notes/what-waits-for-your-decision",
        "磁盘快满了": "health-and-space",
        "打不开了，报错该找谁": "when-something-is-wrong",
    },
}
"""Questions with hardly a word of the title of the chapter that answers them."""


@pytest.mark.parametrize("language", LANGUAGES)
def test_questions_find_chapters_by_meaning(language: str, place: Path) -> None:
    with Workspace(place) as workspace:
        compare = workspace.models.similarities
        assert not compare("backup", ["Backups"])
        workspace.jobs.wait("warm_reranker", 60)
        ranks = []
        for question, path in QUESTIONS[language].items():
            found = guide.find(language, question, compare)
            paths = [chapter.path for chapter in found]
            ranks.append(paths.index(path) if path in paths else len(paths))
            assert all(len(guide.excerpt(chapter, question)[0]) <= guide.LONGEST + 4 for chapter in found)
        assert sum(rank == 0 for rank in ranks) >= 5, ranks
        assert sum(rank < 3 for rank in ranks) >= 8, ranks
        assert guide.find(language, next(iter(QUESTIONS[language])), compare)[0].path.startswith("bases/export")
        assert not guide.find(language, "zyzzyva", compare)
        for hostile in ("|" * guide.LONGEST, "\ud800 \0 \n", "( [ \\", " ".join(["a"] * 100)):
            guide.find(language, hostile, compare)


@pytest.mark.parametrize(("locale", "question"), [("en-US", "get my notes out again"), ("zh-CN", "怎么把笔记导出来")])
def test_a_question_is_answered_by_words_at_once_and_by_meaning_with_the_model(locale: str, question: str) -> None:
    screen = Screen(locale).open("help")
    screen.app.text_input("guide_words").input(question).run()
    assert not screen.app.exception
    screen.finish("warm_reranker")
    first = re.search('data-note="([^"]+)"', screen.document)
    assert first
    assert first[1] == "bases/export-import-and-the-trash-of-bases"


@pytest.mark.parametrize("language", LANGUAGES)
def test_excerpts_have_no_marks_of_tables(language: str) -> None:
    for chapter in chapters(language).values():
        for text in guide.passages(chapter):
            assert text
            assert not re.search(r"(?m)^\s*\||\|\s*$|--- ·", text), (chapter.path, text)
    command = guide.excerpt(chapters(language)["chunks"], "merge split hide")[0]
    assert "edit | merge | split" in command  # which is no table


@pytest.mark.parametrize(("locale", "title"), [("en-US", "Backups"), ("zh-CN", "备份")])
def test_help_opens_the_chapter_of_the_address(locale: str, title: str) -> None:
    screen = Screen(locale)  # without a note and without the pack
    assert screen.open("help", note="backups").app.title[0].value == title
