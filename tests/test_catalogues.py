"""Every text has its translation in every catalogue, with the same fields."""

import ast
import re
import string
import subprocess
import sys
from pathlib import Path

import pytest
from babel.messages.catalog import Message

from core.base.messages import ENGLISH, LANGUAGES, catalogue, plural, render, verbatim
from core.query.fields import FIELDS
from tests import catalogues
from tests.catalogues import MARKS, Call, Entry

TRANSLATED = catalogues.PLACES
"""The places whose texts must all be translated."""

DEFINITIONS = {
    Path("core/base/messages.py"),
    Path("core/base/errors.py"),
    Path("core/base/terminal.py"),
    Path("pages/ui/shared/safe.py"),
    Path("pages/ui/shared/text.py"),
    Path("pages/ui/shared/widgets.py"),
}
"""Where the functions that mark a text hand it on."""

TRANSLATIONS = [language for language in LANGUAGES if language != ENGLISH]
CHINESE = r"[\u4e00-\u9fff]"
TYPED = [name for names in FIELDS.values() for name in names if not name.isascii()]
FIELD = re.compile(rf"(?:{'|'.join(TYPED)}):")
"""A field of the query language, whose colon is always this one."""

FAULTS = {
    "half-width punctuation": rf"{CHINESE}\s*[,;:?!]|[,;?!]{CHINESE}|{CHINESE}\.(?:\s|$)",
    "ASCII brackets": rf"{CHINESE}\(|\){CHINESE}",
    "no space beside Latin": rf"{CHINESE}[A-Za-z0-9]|[A-Za-z0-9]{CHINESE}",
    "a space between Chinese": rf"{CHINESE} {CHINESE}",
}


def texts(language: str) -> list[Message]:
    """The entries of a catalogue but its header."""
    return [one for one in catalogues.read(language) if one.id]


def forms(text: str | tuple[str, ...]) -> tuple[str, ...]:
    return (text,) if isinstance(text, str) else tuple(text)


def fields(text: str) -> set[tuple[str, str, str]]:
    """The places of a text: name, conversion, format."""
    return {
        (name, conversion or "", form or "")
        for _, name, form, conversion in string.Formatter().parse(text)
        if name is not None
    }


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_every_text_is_translated(language: str) -> None:
    known = catalogues.read(language)
    lacking = [
        entry.text
        for entry in catalogues.entries(TRANSLATED)
        if not (one := known.get(entry.text, entry.context or None)) or not all(forms(one.string))
    ]
    assert lacking == []


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_no_translation_is_unused(language: str) -> None:
    wanted = {(entry.context, entry.text, entry.plural) for entry in catalogues.entries()}
    there = {(one.context or "", *forms(one.id), "")[:3] for one in catalogues.read(language) if one.id}
    assert there - wanted == set()


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_a_catalogue_is_written_as_the_command_writes_it(language: str) -> None:
    known = catalogues.read(language)
    wanted = [Entry(*(*forms(one.id), "")[:2], one.context or "") for one in known if one.id]
    again = catalogues.written(catalogues.updated(known, wanted), language)
    assert catalogues.path(language).read_bytes() == again


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_a_translation_has_the_fields_of_its_text(language: str) -> None:
    known = catalogues.read(language)
    different = [
        one.id
        for one in texts(language)
        if len(forms(one.string)) != (1 if len(forms(one.id)) == 1 else known.num_plurals)
        or not all(forms(one.string))
        or len({frozenset(fields(form)) for form in (*forms(one.id), *forms(one.string))}) != 1
        or one.fuzzy
    ]
    assert different == []


@pytest.mark.parametrize("fault", FAULTS)
def test_chinese_is_written_as_chinese_is(fault: str) -> None:
    written = [text for one in texts("zh_CN") for text in forms(one.string)]
    assert [text for text in written if re.search(FAULTS[fault], FIELD.sub("", text).strip())] == []
    assert [text for text in written if text.endswith(" ")] == []


def test_only_literals_are_marked() -> None:
    marked = [file for file in catalogues.sources(TRANSLATED) if file.relative_to(catalogues.ROOT) not in DEFINITIONS]
    hidden = [
        f"{call.file.relative_to(catalogues.ROOT)}:{call.line}: {call.name}({ast.unparse(call.argument)})"
        for file in marked
        for call in catalogues.calls(file)
        if call.entry is None and not _is_message(call)
    ]
    assert hidden == []


def _is_message(call: Call) -> bool:
    """An error may be raised with a message, which is marked where it is made; a button may have an icon only."""
    is_empty = isinstance(call.argument, ast.Constant) and call.argument.value == ""
    return call.name not in MARKS and (is_empty or isinstance(call.argument, (ast.Call, ast.Name, ast.Attribute)))


def test_plurals_and_fields_are_those_of_the_language() -> None:
    note = plural("{n} note", "{n} notes", n=1_200)
    assert (render(note), render(note, "zh_CN")) == ("1,200 notes", "1,200 篇笔记")
    assert render(verbatim("Notes"), "zh_CN") == "Notes"


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_a_catalogue_is_read_by_gettext(language: str) -> None:
    assert catalogue(language).info()["plural-forms"].startswith("nplurals=")


def test_texts_are_found_wherever_they_are_marked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "source.py"
    source.write_text(
        "x = f\"<b>{t('inside')}</b>\"\n"
        't_plural("one", "many", n=len(f(1, 2)))\n'
        'in_context("verb", "open")\n'
        'raise SourceError(str(path), "a reason " "in two parts", why=1)\n'
        'QuestionSetError(path, 3, message("nested"))\n'
        "t(name)\n"
        'TABLE = message_table({"first": "a row", "second": "another" " row"})\n'
        'CHECK = Check("look", "a title", "a meaning", verbatim("tessera"), find)\n'
        '@operation("note.add", "Add a note.", lines=table("name", empty="There is none."))\n'
        'def add(name: Annotated[str, About("The name.")]): ...\n'
    )
    monkeypatch.setattr(catalogues, "ROOT", tmp_path)
    assert catalogues.entries(["source.py"]) == [
        Entry("Add a note."),
        Entry("The name."),
        Entry("There is none."),
        Entry("a meaning"),
        Entry("a reason in two parts"),
        Entry("a row"),
        Entry("a title"),
        Entry("another row"),
        Entry("inside"),
        Entry("nested"),
        Entry("one", "many"),
        Entry("open", context="verb"),
    ]


def test_a_catalogue_keeps_what_it_knows_and_loses_what_is_unused() -> None:
    known = catalogues.updated(catalogues.read("zh_CN"), [Entry("Notes"), Entry("Gone"), Entry("{n} a", "{n} b")])
    known["Notes"].string = "笔记"
    fresh = catalogues.updated(known, [Entry("Notes"), Entry("New"), Entry("{n} a", "{n} b")])
    assert {one.id: one.string for one in fresh if one.id} == {"Notes": "笔记", "New": "", ("{n} a", "{n} b"): ("",)}
    assert catalogues.missing(fresh) == ["New", "{n} a"]


def test_the_package_brings_its_catalogues() -> None:
    read = "[catalogue(one).gettext('Notes') for one in LANGUAGES]"
    code = f"from core.base.messages import LANGUAGES, catalogue; print({read})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, encoding="utf-8")
    assert done.stdout.strip() == "['Notes', '笔记']"
