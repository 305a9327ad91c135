"""What a sentence is marked with: word for word is sound, and what has another figure isn't in the notes."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.text import fold
from core.features.answers.wording import sources
from core.features.answers.writing import Verdict, judge
from core.workspace import Workspace
from tests import samples
from tests.features.answers.test_writing import written
from tests.growth import assert_linear
from tests.model_server import sentence

HERE = Path(__file__).parent
PAIRS: list[dict[str, Any]] = [
    pair for file in sorted(HERE.glob("polarity*.json")) for pair in json.loads(file.read_text(encoding="utf-8"))
]
"""Sentences with their quotes, half of which say what the quote doesn't; in English, Chinese, and one of each."""
FIGURES: dict[str, list[list[str]]] = json.loads(HERE.joinpath("figures.json").read_text(encoding="utf-8"))
"""Sentences with quotes that say another figure (`wrong`), and the same one in another form (`right`)."""


def verdict(text: str, passage: str, quote: str = "", place: str = "") -> Verdict:
    start = passage.index(quote)
    found = sources(passage, (start, start + len(quote or passage)))
    return judge(text, [(source, place) for source in found], [passage])


def test_nothing_that_says_otherwise_is_word_for_word_and_paraphrases_are_not_refused() -> None:
    verdicts = [(pair["right"], verdict(pair["sentence"], pair["passage"], pair["quote"])) for pair in PAIRS]
    assert not [found for right, found in verdicts if found.copied and not right]
    assert len([found for right, found in verdicts if found.missing and right]) <= 2


@pytest.mark.parametrize(("text", "quote"), FIGURES["wrong"])
def test_another_figure_is_not_in_the_notes(text: str, quote: str) -> None:
    assert verdict(text, quote).missing


@pytest.mark.parametrize(("text", "quote"), FIGURES["right"])
def test_a_figure_in_another_form_is_in_the_notes(text: str, quote: str) -> None:
    assert verdict(text, quote).missing == ()


@pytest.mark.parametrize(
    ("text", "passage", "quote"),
    [
        ("Backups are kept.", "See below. **Backups** are kept. That helps.", "Backups** are kept"),
        ("Backups Ａre kept", "The backup is kept.", ""),
        ("A server exports notes.", "Moreover, the servers also export a note.", ""),
        ("Close the door", "- Please close the [door](a.md).", ""),
        ("The key is new", "The key is new; the lock is green.", ""),
        ("关闭窗口。", "此外，请关闭窗口。", ""),
        ("缓存非常快。", "緩存非常快。", ""),
        ("Mr. Bell repairs it.", "Mr. Bell repairs it.", ""),
        ("图书馆周一闭馆。", "**图书馆**周一闭馆。", ""),
        ("flour 500 g", "| what | weight |\n|---|---|\n| flour | 500 g |", "flour"),
    ],
)
def test_a_sentence_of_the_notes_is_word_for_word(text: str, passage: str, quote: str) -> None:
    assert verdict(text, passage, quote or passage) == Verdict((), True)


@pytest.mark.parametrize(
    ("text", "passage", "quote", "place"),
    [
        ("Run the script.", "Never run the script.", "run the script", ""),
        ("Run the script.", "Never do this:\n\n- run the script\n- delete the log\n", "run the script", ""),
        ("运行脚本。", "禁止：\n\n- 运行脚本\n- 删除日志\n", "运行脚本", ""),
        ("Run the script.", "Run the script.", "", "What not to do"),
        ("The port is open.", "Is the port open?", "", ""),
        ("Is the port open.", "Is the port open?", "", ""),
        ("Notes are kept.", "Unless you delete them, notes are kept.", "notes are kept", ""),
        ("Notes are kept.", "Notes are kept, if you pay.", "Notes are kept", ""),
        ("Notes are kept.", "It is false that notes are kept.", "notes are kept", ""),
        ("Notes are kept.", "~~Notes are kept.~~", "", ""),
        ("Notes are kept.", "- [ ] Notes are kept.", "", ""),
        ("Notes are kept.", "Anna's notes are kept.", "notes are kept", ""),
        ("No backups are kept.", "No, backups are kept.", "", ""),
        ("Bell repairs it.", "Ask if Mr. Bell repairs it.", "", ""),
        ("A few users pay.", "Few users pay.", "", ""),
        ("The rate is 5 Mb.", "The rate is 5 MB.", "", ""),
        ("Use -r here.", "Use -R here.", "", ""),
        ("Use 3.1 here.", "Use 3.10 here.", "", ""),
        ("Notes are kept.", "The rest is wrong; notes are kept.", "notes are kept", ""),
        ("笔记会保留。", "如果付费，笔记会保留。", "笔记会保留", ""),
        ("这是妈妈", "这是妈妈的", "", ""),
        ("没有备份", "没有，备份", "", ""),
    ],
)
def test_what_a_word_or_a_title_turns_is_not_word_for_word(text: str, passage: str, quote: str, place: str) -> None:
    assert not verdict(text, passage, quote or passage, place).copied


NOTES = (
    "Anna moved two servers from Berlin to Paris because Ben asked her in March",
    "If one node fails, both replicas must not restart before 8 am",
    "Backups run nightly at 20:00 and keep at least 30 days, unless disk space is low",
    "PostgreSQL 3.10 needs 5 GB for some users, never more than 20 %",
    "如果主节点失败，两个副本至少等待三十秒，之后才能重启",
    "除了日志，周一备份的文件只保留十天，不能恢复",
)
WORDS = "not never only if Ben Anna 8 second weekly at most before rose 不 没 只 之后 十 至多 也许 , ; -".split()


def parts(text: str) -> list[str]:
    return text.split() if text.isascii() else list(text)


@given(st.data())
def test_no_edit_of_a_sentence_stays_word_for_word(data: st.DataObject) -> None:
    note = data.draw(st.sampled_from(NOTES))
    words = parts(note)
    blank = " " if note.isascii() else ""
    assert verdict(blank.join(words), f"{note}.").copied
    for _ in range(data.draw(st.integers(1, 3))):
        at, kind = data.draw(st.integers(0, len(words) - 1)), data.draw(st.integers(0, 3))
        other = data.draw(st.one_of(st.sampled_from(WORDS), st.sampled_from(words)))
        match kind:
            case 0 if len(words) > 1:
                del words[at]
            case 1:
                words[at] = other
            case 2:
                words.insert(at, other)
            case _:
                second = data.draw(st.integers(0, len(words) - 1))
                words[at], words[second] = words[second], words[at]
    if [fold(word) for word in words] != parts(fold(note)):  # case and width make no difference
        assert not verdict(blank.join(words), f"{note}.").copied


def test_a_paraphrase_has_what_differs_marked_in_both() -> None:
    text, quote = "The limit is at most 5, said Ben.", "The limit is at least 5, said Anna."
    found = verdict(text, quote)
    assert [text[start:end] for start, end in found.ours] == ["most", "Ben"] or found.missing == ("Ben",)
    (theirs,) = found.theirs
    assert "Anna" in [quote[start:end] for start, end in theirs]


@pytest.mark.parametrize(
    "text", ["not " * 2000, "a, " * 3000, "不没别无" * 1500, "at least 5 " * 800, "Never:\n" + "- run\n" * 999]
)
def test_hostile_passages_are_read_in_linear_time(text: str) -> None:
    assert_linear(lambda passage: verdict("Run X before Y unless Z is on. " * 5, passage, passage), text * 4)


@pytest.mark.usefixtures("bundled")
def test_a_negated_sentence_is_in_other_words_next_to_its_whole_sentence(tmp_path: Path) -> None:
    folder = samples.write(tmp_path / "vault")
    with Workspace(tmp_path / "workspace") as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(folder))
        quote = "are only worth what their last restore proved."
        answer = written(workspace, sentence("Backups aren't worth what their last restore proved.", (1, quote)))
    (one,), (source,) = answer.written, answer.quotes
    assert (one.mark, one.citations) == ("in_other_words", (1,))
    assert source.text == "Backups are only worth what their last restore proved."
    assert [one.text[start:end] for start, end in one.marks] == ["aren't"]
    assert [source.text[start:end] for _, start, end in one.quote_marks] == ["only"]


def test_a_sentence_after_code_in_which_a_passage_begins_is_a_source_without_the_code() -> None:
    passage = "x = 1\n```\n\nRestart the server after the change. It takes a minute.\n"
    start = passage.index("Restart")
    (source,) = sources(passage, (start, start + len("Restart the server")), "```py")
    assert source.text == "Restart the server after the change."
