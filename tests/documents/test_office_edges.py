"""Office documents that are damaged, hostile or odd: what can be read is read, and the rest has a sentence."""

import io
import json
import re
import zipfile
from pathlib import Path

import pytest

from core.base.errors import SourceError
from core.documents import CONVERTERS, Converted, converting, worker
from core.documents.converting import convert, is_document
from core.documents.workbook import Workbook
from core.model import Omission
from tests.documents import office, written
from tests.documents.making import xlsx, zipped
from tests.documents.office import docx, item, p, pptx, slide, word


@pytest.mark.parametrize(
    ("path", "data", "names"),
    [
        ("a.docx", written.lease(), ["prices.xlsx", "gone.rtf"]),
        ("a.odt", written.essay(), ["Object 2"]),
        ("a.rtf", written.LETTER, ["Excel.Sheet.12"]),
        ("a.pptx", written.talk(), []),
        ("a.xlsx", written.sheet(), []),
    ],
)
def test_files_within_a_document_are_named(path: str, data: bytes, names: list[str]) -> None:
    assert convert(data, path)[0].left_out == tuple(Omission("attachment", 1, name) for name in names)


@pytest.mark.parametrize(
    ("path", "data", "count"),
    [
        ("a.docx", written.lease(), 1),
        ("a.pptx", written.talk(), 1),
        ("a.odt", written.essay(), 1),
        ("a.rtf", written.LETTER, 1),
    ],
)
def test_comments_are_left_out_and_named_where_a_person_says_so(path: str, data: bytes, count: int) -> None:
    with_them, without = convert(data, path)[0], convert(data, path, converter="uncommented")[0]
    assert "[!comment]" in with_them.text
    assert "[!comment]" not in without.text
    assert sum(one.count for one in without.left_out if one.kind == "comment") == count
    assert not [one for one in with_them.left_out if one.kind == "comment"]


def test_tracked_deletions_are_named() -> None:
    gone = '<w:del w:id="1"><w:r><w:delText>not this</w:delText></w:r></w:del>'
    made = convert(docx(p("Kept.") + f"<w:p>{gone}<w:r><w:t>New.</w:t></w:r></w:p>"), "a.docx")[0]
    assert (made.text, made.left_out) == ("Kept.\n\nNew.\n", (Omission("deletion"),))
    change = "<text:changed-region><text:deletion><text:p>not this</text:p></text:deletion></text:changed-region>"
    made = convert(office.odt(f"<text:tracked-changes>{change}</text:tracked-changes><text:p>Kept.</text:p>"), "a.odt")[
        0
    ]
    assert (made.text, made.left_out) == ("Kept.\n", (Omission("deletion"),))
    rich = rb"{\rtf1 Kept.{\deleted not {\b this}}{\deleted  }\deleted nor this\deleted0\par New.}"
    made = convert(rich, "a.rtf")[0]
    assert (made.text, made.left_out) == ("Kept.\n\nNew.\n", (Omission("deletion", 2),))


def test_numbers_of_a_chart_have_the_digits_that_office_shows() -> None:
    drawn = '<w:drawing><a:graphic><a:graphicData><c:chart r:id="r7"/></a:graphicData></a:graphic></w:drawing>'
    chart = office.CHART.replace("3.5", "4.4000000000000004").replace(">7<", ">2.0<")
    dates = chart.replace("<c:numCache>", "<c:numCache><c:formatCode>mmm yyyy</c:formatCode>").replace(
        ">2.0<", ">46121<"
    )
    relations = {"r7": ("chart", "charts/chart1.xml")}
    made = convert(docx(f"<w:p><w:r>{drawn}</w:r></w:p>", {"charts/chart1.xml": chart}, relations), "a.docx")[0]
    assert "| Apples | 4.4  |\n| Pears  | 2    |\n" in made.text
    made = convert(docx(f"<w:p><w:r>{drawn}</w:r></w:p>", {"charts/chart1.xml": dates}, relations), "a.docx")[0]
    assert "| Pears  | Apr 2026 |\n" in made.text


def test_titles_of_several_paragraphs_are_whole() -> None:
    names = ("Title", "Subtitle")
    styled = {name: f'<w:pPr><w:pStyle w:val="{name}"/></w:pPr>' for name in names}
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="{name}"><w:name w:val="{name}"/></w:style>' for name in names
    )
    head = "".join(p(f"{name} {part}", styled[name]) for name in names for part in ("one", "two"))
    parts, relations = {"styles.xml": word("styles", styles)}, {"r1": ("styles", "styles.xml")}
    made = convert(docx(head + p("", styled["Title"]) + p("Text."), parts, relations), "a.docx")[0]
    assert (made.title, made.text) == ("Title one Title two", "Subtitle one Subtitle two\n\nText.\n")
    long = [f"Paragraph {number} is a title by its style." for number in range(20)]
    made = convert(docx("".join(p(text, styled["Title"]) for text in long), parts, relations), "a.docx")[0]
    assert all(text in f"{made.title}\n{made.text}" for text in long)
    assert len(made.title) < 400


def test_a_list_directly_within_a_list_is_read() -> None:
    inner = "<text:list><text:list-item><text:p>inner</text:p></text:list-item></text:list>"
    outer = f"<text:list><text:list-item><text:p>outer</text:p></text:list-item>{inner}</text:list>"
    made = convert(office.odt(f"{outer}<text:p>Text.</text:p>"), "a.odt")[0]
    assert re.findall(r"[a-z]+", made.text.lower()) == ["outer", "inner", "text"]


def test_raw_cells_of_a_notebook_are_read() -> None:
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": ["Text."]},
        {
            "cell_type": "raw",
            "metadata": {"raw_mimetype": "text/restructuredtext"},
            "source": [".. note::\n", "   ``Keep``"],
        },
        {"cell_type": "raw", "metadata": {"format": "text/markdown"}, "source": "**Bold**"},
    ]
    data = json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}).encode()
    assert convert(data, "a.ipynb")[0].text == "Text.\n\n    .. note::\n       ``Keep``\n\n**Bold**\n"


def test_columns_beyond_the_limit_and_margins_of_a_sheet_are_told() -> None:
    data = xlsx({"Wide": [[f"c{at}" for at in range(503)], ["one"]]})
    made = convert(data, "a.xlsx")[0]
    assert made.left_out == (Omission("column", 3, "Wide"),)
    assert "c499" in made.text
    assert "c500" not in made.text
    margins = "<headerFooter><oddHeader>&amp;L&amp;&quot;Arial,Bold&quot;&amp;12Budget &amp;R&amp;P</oddHeader>"
    margins += "<oddFooter>&amp;CR&amp;&amp;D only</oddFooter></headerFooter>"
    with zipfile.ZipFile(io.BytesIO(xlsx({"S": [["a"]]}))) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    sheet = "xl/worksheets/sheet1.xml"
    files[sheet] = files[sheet].replace(b"</worksheet>", margins.encode() + b"</worksheet>")
    text = convert(zipped(files), "a.xlsx")[0].text
    assert text.endswith("|---|\n\n> [!header]\n>\n> Budget\n\n> [!footer]\n>\n> R&D only\n")


def test_a_part_that_cannot_be_read_is_named_and_stops_nothing() -> None:
    parts = {"comments.xml": "<w:comments", "header1.xml": "no XML", "numbering.xml": "<", "styles.xml": "<"}
    relations = {f"r{at}": (name.rstrip("1.xml"), name) for at, name in enumerate(parts)}
    made = CONVERTERS.build("pandoc").convert(docx(p("Text."), parts, relations), "docx")
    assert made.text == "Text.\n"
    assert made.left_out == (Omission("comment"), Omission("header", 1, "word/header1.xml"))


LONG = "9" * 5_000
"""More digits than Python takes for a number."""
LONG_LEVEL = f'<a:p><a:pPr lvl="{LONG}"/><a:r><a:t>Text.</a:t></a:r></a:p>'
LONG_START = f'<a:p><a:pPr><a:buAutoNum type="arabicPeriod" startAt="{LONG}"/></a:pPr><a:r><a:t>Text.</a:t></a:r></a:p>'
DROPPED = f'<w:ddList><w:result w:val="{LONG}"/><w:listEntry w:val="a"/></w:ddList>'
LIST = f'<w:num w:numId="{LONG}"/>'


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("pptx", pptx([slide(f"<p:sp><p:nvSpPr/><p:txBody>{LONG_LEVEL}</p:txBody></p:sp>")], {}, {})),
        ("pptx", pptx([slide(f"<p:sp><p:nvSpPr/><p:txBody>{LONG_START}</p:txBody></p:sp>")], {}, {})),
        ("docx", docx(f"<w:p><w:r><w:fldChar><w:ffData>{DROPPED}</w:ffData></w:fldChar></w:r></w:p>{p('Text.')}")),
        (
            "docx",
            docx(item("Text.", 0), {"numbering.xml": word("numbering", LIST)}, {"r1": ("numbering", "numbering.xml")}),
        ),
    ],
    ids=["level", "start", "choice", "list"],
)
def test_a_number_of_too_many_digits_stops_nothing(kind: str, data: bytes) -> None:
    assert "Text." in CONVERTERS.build("pandoc").convert(data, kind).text


def test_word_documents_with_other_prefixes_are_read_as_well() -> None:
    usual = docx(p("Text.") + p("a) typed"))
    with zipfile.ZipFile(io.BytesIO(usual)) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    main = files["word/document.xml"]
    files["word/document.xml"] = re.sub(rb"(</?| |xmlns:)w(?=[:=])", rb"\1ns0", main)
    made = CONVERTERS.build("pandoc").convert(zipped(files), "docx")
    assert made.text == "Text.\n\na) typed\n"


@pytest.mark.parametrize("kind", ["docx", "odt", "pptx"])
def test_entities_of_a_hostile_document_are_not_expanded(kind: str) -> None:
    names = {"docx": "word/document.xml", "odt": "content.xml", "pptx": "ppt/presentation.xml"}
    bomb = '<!DOCTYPE a [<!ENTITY x "ha"><!ENTITY y "&x;&x;">]><w:document>&y;</w:document>'
    files = {
        names[kind]: bomb.encode("utf-16"),
        "_rels/.rels": office.related({"r": ("officeDocument", names[kind])}).encode(),
    }
    with pytest.raises(SourceError, match="damaged"):
        CONVERTERS.build("pandoc").convert(zipped(files), kind)


def test_a_plain_text_within_a_document_is_read_and_one_beside_it_stays_a_note() -> None:
    within = docx('<w:altChunk r:id="r1"/>', {"a.txt": "One *line*.\nAnother."}, {"r1": ("aFChunk", "a.txt")})
    assert convert(within, "a.docx")[0].text == "One \\*line\\*.\n\nAnother.\n"
    assert not is_document("a.txt")


def test_a_document_that_holds_itself_is_read_a_few_times() -> None:
    inner = docx(p("Inner."))
    for _ in range(6):
        body = word("document", f'<w:body>{p("Level.")}<w:altChunk r:id="r1"/></w:body>')
        files = {"word/document.xml": body.encode()}
        files["_rels/.rels"] = office.related({"r": ("officeDocument", "word/document.xml")}).encode()
        files["word/_rels/document.xml.rels"] = office.related({"r1": ("aFChunk", "in.docx")}).encode()
        inner = zipped(files | {"word/in.docx": inner})
    made = CONVERTERS.build("pandoc").convert(inner, "docx")
    assert made.text.count("Level.") == 4
    assert made.left_out == (Omission("attachment", 1, "in.docx"),)


_BROKEN = {
    "deep": b"{\\rtf1 " + b"{" * 20_000 + b"Deep." + b"}" * 20_000 + b"}",
    "open": b"{\\rtf1 {{Deep.",
    "closed": b"{\\rtf1 }}}} Deep.",
    "odd": b"{\\rtf1 \\u99999999? \\u-1? \\'zz \\cell\\row\\nestcell Deep.\\",
    "table": b"{\\rtf1\\trowd A\\cell {\\footnote Deep.",
    "picture": b"{\\rtf1\\bin99999999 Deep.}",
}


@pytest.mark.parametrize("name", [*_BROKEN])
def test_a_broken_rich_text_gives_what_it_has(name: str) -> None:
    text = CONVERTERS.build("pandoc").convert(_BROKEN[name], "rtf").text
    assert ("Deep." in text) == (name != "picture")


_TITLES = {
    **dict.fromkeys(("Microsoft Word - x.doc", "untitled", "pdf.html", "Document1", "文档 1"), False),
    **dict.fromkeys(("Report 2026", "On documents", "Node.js", "无标题音乐史"), True),
}


@pytest.mark.parametrize("title", [*_TITLES])
def test_a_title_that_a_program_gave_is_no_title(title: str) -> None:
    page = f"<head><title>{title}</title></head><p>Text.</p>".encode()
    assert convert(page, "a.html")[0].title == (title if _TITLES[title] else "")


_DAMAGED = "This file is damaged. Open it in its own program, save it again, and import it."


@pytest.mark.parametrize(
    ("path", "data", "said"),
    [
        (
            "a.tex",
            b"\\begin{itemize} \\item x",
            "This file can't be read because of an error near line 2. Correct it, then import the file again.",
        ),
        ("a.docx", zipped({"word/document.xml": b"<a/>"}), _DAMAGED),
        ("a.odt", zipped({"content.xml": b"<a/>"}), _DAMAGED),
    ],
)
def test_what_pandoc_says_of_a_file_is_told_in_words(path: str, data: bytes, said: str) -> None:
    with pytest.raises(SourceError) as refused:
        convert(data, path)
    assert str(refused.value.reason) == said


@pytest.mark.parametrize("wrong", [' s="x"', ' t="s"'])
def test_a_workbook_with_a_number_that_is_none_is_damaged(wrong: str) -> None:
    with zipfile.ZipFile(io.BytesIO(xlsx({"S": [["1"]]}))) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    sheet = "xl/worksheets/sheet1.xml"
    parts[sheet] = re.sub(rb"<c [^>]*>.*?</c>", f'<c r="A1"{wrong}><v>one</v></c>'.encode(), parts[sheet])
    with pytest.raises(SourceError) as refused:
        convert(zipped(parts), "a.xlsx")
    assert str(refused.value.reason) == _DAMAGED


def test_what_a_library_says_of_its_failure_reaches_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fails(*_: object) -> Converted:
        raise LookupError("bad magic 0x00 of 'secret words'")

    monkeypatch.setattr(Workbook, "convert", fails)
    monkeypatch.setattr(converting, "_run", lambda name, kind, data, *_: worker._convert(name, kind, tmp_path))
    (tmp_path / "source").write_text("a,b\n")
    with pytest.raises(SourceError) as refused:
        convert(b"a,b\n", "a.csv")
    assert str(refused.value.reason).startswith(
        "This file can't be read because it is damaged or contains something that Tessera doesn't recognise."
    )
    assert ("LookupError" in caplog.text, "secret" in caplog.text) == (True, False)


def test_the_exit_status_of_pandoc_is_in_the_log_and_nothing_of_the_document(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(SourceError, match="an error near line 3"):
        convert(b"a secret\n\\begin{secret}\n", "a.tex")
    assert "exit_status_64" in caplog.text
    assert "secret" not in caplog.text


def test_pandoc_reads_no_workbook_for_it_drops_their_words() -> None:
    data = xlsx({"Prices": [["Item", "Price"], ["Tea", "3"]]})
    with pytest.raises(SourceError, match="The converter 'pandoc'"):
        convert(data, "a.xlsx", converter="pandoc")
    assert "Tea" in convert(data, "a.xlsx", converter="workbook")[0].text


@pytest.mark.parametrize(
    ("suffixes", "plain", "data"),
    [
        ("docm dotx dotm", "docx", docx(p("A letter."))),
        ("xlsm xltx xltm", "xlsx", xlsx({"Prices": [["Tea", "4"]]})),
        ("pptm ppsx ppsm potx potm", "pptx", pptx([slide(office.shape("Tea"))], {}, {})),
    ],
)
def test_templates_shows_and_documents_with_macros_are_read(suffixes: str, plain: str, data: bytes) -> None:
    expected = convert(data, f"a.{plain}")[0]
    assert expected.text.strip()
    for suffix in suffixes.split():
        assert is_document(f"a.{suffix.upper()}")
        assert convert(data, f"a.{suffix}")[0] == expected
