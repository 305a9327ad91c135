"""Messages: one English text with its fields, in the language of whoever reads it, through every way it is kept."""

import json
import pickle
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.base import errors, messages
from core.base.errors import ProviderError, QuestionSetError, SourceError, TesseraError, UnknownChoice
from core.base.messages import (
    Message,
    from_json,
    in_context,
    language_of,
    lines,
    message,
    plural,
    readable,
    reason_of,
    render,
    terminal_language,
    to_json,
    verbatim,
)

CATALOGUE = """
msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\\n"
"Plural-Forms: nplurals=1; plural=0;\\n"

msgid ", "
msgstr "、"

msgid "Questions"
msgstr "问题"

msgid "base"
msgstr "知识库"

msgid "There is no {what} '{name}'. Choices: {choices}."
msgstr "没有{what}“{name}”。可选：{choices}。"

msgid "{path}: {reason}"
msgstr "{path}：{reason}"

msgid "is {size:.1f} MB."
msgstr "有 {size:.1f} MB。"

msgid "{n} note"
msgid_plural "{n} notes"
msgstr[0] "{n} 篇笔记"

msgctxt "button"
msgid "Open"
msgstr "打开"

msgctxt "state"
msgid "Open"
msgstr "未完成"

msgid "Failed: {reason}"
msgstr "失败：{reason}"
"""
ZH = "zh_CN"


@pytest.fixture(autouse=True)
def _catalogue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    folder = tmp_path / ZH / "LC_MESSAGES"
    folder.mkdir(parents=True)
    (folder / "tessera.po").write_text(CATALOGUE, encoding="utf-8")
    monkeypatch.setattr(messages, "LOCALE", tmp_path)
    messages.catalogue.cache_clear()
    yield
    messages.catalogue.cache_clear()


def test_a_message_is_english_until_it_is_rendered() -> None:
    said = message(
        "There is no {what} '{name}'. Choices: {choices}.", what=message("base"), name="x", choices=["a", "b"]
    )
    assert str(said) == "There is no base 'x'. Choices: a, b."
    assert render(said, ZH) == "没有知识库“x”。可选：a、b。"


def test_a_text_without_a_translation_stays_english() -> None:
    assert render(message("Nobody translated {n} of these.", n=2), ZH) == "Nobody translated 2 of these."
    assert render(message(""), ZH) == ""


def test_what_carries_a_message_is_rendered_as_it() -> None:
    error = SourceError("a.md", "is {size:.1f} MB.", size=20.26)
    assert (str(error), render(error, ZH)) == ("a.md: is 20.3 MB.", "a.md：有 20.3 MB。")
    assert render("as it stands", ZH) == "as it stands"


def test_a_message_within_another_is_in_the_same_language() -> None:
    within = message("Failed: {reason}", reason=SourceError("a.md", plural("{n} note", "{n} notes", n=2)))
    assert render(within, ZH) == "失败：a.md：2 篇笔记"
    assert str(within) == "Failed: a.md: 2 notes"


def test_what_a_person_typed_is_never_translated() -> None:
    error = UnknownChoice("base", "Questions", ["base", "Notes"])
    assert render(error, ZH) == "没有知识库“Questions”。可选：Notes、base。"
    assert render(verbatim("Questions"), ZH) == "Questions"
    assert render(message("Failed: {reason}", reason="{n} notes"), ZH) == "失败：{n} notes"


@pytest.mark.parametrize("text", ["{", "{}", "{0}", "{name!r:>9}", "100 %"])
def test_braces_in_a_field_are_only_text(text: str) -> None:
    assert render(verbatim(text), ZH) == text
    assert render(from_json(to_json(message("Failed: {reason}", reason=text)))) == f"Failed: {text}"


def test_a_list_is_joined_as_the_language_does() -> None:
    said = message("Failed: {reason}", reason=[message("base"), "base", 1234])
    assert (str(said), render(said, ZH)) == ("Failed: base, base, 1,234", "失败：知识库、base、1,234")
    assert str(message("Failed: {reason}", reason=())) == "Failed: "


@pytest.mark.parametrize(
    ("n", "english", "chinese"),
    [
        (0, "0 notes", "0 篇笔记"),
        (1, "1 note", "1 篇笔记"),
        (2, "2 notes", "2 篇笔记"),
        (1234, "1,234 notes", "1,234 篇笔记"),
    ],
)
def test_a_number_decides_the_form(n: int, english: str, chinese: str) -> None:
    said = plural("{n} note", "{n} notes", n=n)
    assert (str(said), render(said, ZH)) == (english, chinese)


def test_whole_numbers_have_separators_and_nothing_else_has() -> None:
    said = message("{n} {port} {share:.2f} {flag} {none}", n=1234567, port="8501", share=0.5, flag=True, none=None)
    assert str(said) == "1,234,567 8501 0.50 True None"


def test_one_text_has_a_translation_for_each_context() -> None:
    assert render(in_context("button", "Open"), ZH) == "打开"
    assert render(in_context("state", "Open"), ZH) == "未完成"
    assert str(in_context("state", "Open")) == "Open"


def test_lines_keep_their_order_and_languages() -> None:
    said = lines(message("base"), "base", plural("{n} note", "{n} notes", n=1))
    assert (str(said), render(said, ZH)) == ("base\nbase\n1 note", "知识库\nbase\n1 篇笔记")


@pytest.mark.parametrize(
    "said",
    [
        message("base"),
        message("Failed: {reason}", reason=message("base")),
        message("Failed: {reason}", reason=[message("base"), "x", 7]),
        message("is {size:.1f} MB.", size=1.25),
        plural("{n} note", "{n} notes", n=3),
        in_context("state", "Open"),
        lines(message("base"), "x"),
        verbatim("{x}"),
    ],
)
def test_json_gives_the_same_message_back(said: Message) -> None:
    again = from_json(json.loads(json.dumps(to_json(said))))
    assert again == said
    assert [render(again, language) for language in ("en", ZH)] == [render(said, language) for language in ("en", ZH)]
    assert pickle.loads(pickle.dumps(said)) == said


def test_json_keeps_the_message_of_an_error_and_the_text_of_all_else() -> None:
    kept = from_json(to_json(message("Failed: {reason}", reason=SourceError("a.md", "base"))))
    assert render(kept, ZH) == "失败：a.md：知识库"
    assert str(from_json(to_json(message("Failed: {reason}", reason=Path("a.md"))))) == "Failed: a.md"


def test_a_bare_string_of_an_earlier_version_is_kept_as_it_is() -> None:
    assert str(from_json("The {front} matter can't be read.")) == "The {front} matter can't be read."


def test_a_property_of_a_note_keeps_its_name_in_json() -> None:
    assert readable({"properties": {"message": "hello"}}) == {"properties": {"message": "hello"}}


def test_the_reason_of_an_exception_is_its_message_or_its_first_line() -> None:
    assert reason_of(ValueError(message("base"))) == message("base")
    assert reason_of(SourceError("a.md", "base")) == SourceError("a.md", "base").message
    assert str(ValueError(message("base"))) == "base"
    assert str(reason_of(ValueError("disk full\nmore"))) == "disk full"
    assert str(reason_of(OSError())) == ""


@pytest.mark.parametrize(
    ("tag", "language"),
    [
        ("zh", ZH),
        ("zh-CN", ZH),
        ("zh_CN.UTF-8", ZH),
        ("zh_TW.UTF-8", ZH),
        ("zh-Hant-HK", ZH),
        ("ZH", ZH),
        ("en", "en"),
        ("en_GB", "en"),
        ("C.UTF-8", "en"),
        ("POSIX", "en"),
        ("de-DE", "en"),
        ("", "en"),
    ],
)
def test_a_locale_asks_for_a_language(tag: str, language: str) -> None:
    assert language_of(tag) == language


@pytest.mark.parametrize(
    ("variables", "language"),
    [
        ({}, "en"),
        ({"LANG": "zh_CN.UTF-8"}, ZH),
        ({"LANG": "zh_CN.UTF-8", "LC_MESSAGES": "en_US.UTF-8"}, "en"),
        ({"LANG": "en_US.UTF-8", "LC_ALL": "zh_CN.UTF-8"}, ZH),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": ""}, ZH),
        ({"LC_ALL": "zh_CN.UTF-8", "TESSERA_LANGUAGE": "en"}, "en"),
        ({"LC_ALL": "C", "TESSERA_LANGUAGE": "zh"}, ZH),
    ],
)
def test_the_environment_names_the_language_of_the_terminal(
    variables: dict[str, str], language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("TESSERA_LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert terminal_language() == language


def kinds(kind: type[TesseraError]) -> Iterator[type[TesseraError]]:
    yield kind
    for below in kind.__subclasses__():
        yield from kinds(below)


ARGUMENTS: dict[type[TesseraError], tuple[object, ...]] = {
    errors.UnknownChoice: ("base", "x", ["y"]),
    errors.MissingDependency: (
        message("The {what} '{name}'", what=message("model for searching by meaning"), name="onnx"),
        "onnx",
        "onnx",
    ),
    errors.Unfinished: (message("why"),),
    errors.SourceError: ("a.md", "This file is empty."),
    errors.NoteNotFound: ("n",),
    errors.ChunkNotFound: ("c",),
    errors.RunNotFound: ("r",),
    errors.VersionNotFound: ("n", 3),
    errors.Conflict: ("It was changed.", "the note", 2),
    errors.ArchiveError: ("a.zip", [("line 3", message("this is no note"))]),
    errors.PackError: ("pack", [message("it has no name")]),
    errors.QuestionSetError: ("set", 3, "there is no question.", [(4, message("nor here"))], 2),
    errors.Cancelled: (),
}


@pytest.mark.parametrize("kind", [kind for kind in kinds(TesseraError) if kind.__module__ == "core.base.errors"])
def test_an_error_outlives_a_pickle(kind: type[TesseraError]) -> None:
    error = kind(*ARGUMENTS[kind]) if kind in ARGUMENTS else kind("Chunk {n} of {base}.", n=1234, base="Questions")
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is kind
    assert str(again) == str(error) != ""
    assert again.message == error.message
    assert vars(again) == vars(error)


def test_an_error_keeps_what_else_it_knows() -> None:
    refused = pickle.loads(pickle.dumps(ProviderError("refused (HTTP {code})", status=404, code="404")))
    assert (refused.status, str(refused)) == (404, "refused (HTTP 404)")
    bad = QuestionSetError("q.csv", 2, "no {what}", [(5, message("nothing"))], 1, what="text")
    assert bad.line == 2
    assert str(bad) == "q.csv, line 2: no text\nline 5: nothing\n1 more problem was found."
