"""The guide in the app: in both languages, in the order of docs/guide.md, with links that lead to chapters."""

import re

import pytest

from core.base.messages import LANGUAGES
from pages.ui.help import guide
from pages.ui.help.guide import GuideSources, chapters
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


@pytest.mark.parametrize(("locale", "title"), [("en-US", "Backups"), ("zh-CN", "备份")])
def test_help_opens_the_chapter_of_the_address(locale: str, title: str) -> None:
    screen = Screen(locale)  # without a note and without the pack
    assert screen.open("help", note="backups").app.title[0].value == title
