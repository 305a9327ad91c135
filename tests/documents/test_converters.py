"""Documents -> Markdown: each converter by its contract, and what comes of headings, tables, lists and pages."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from core.base.errors import SourceError
from core.documents import CONVERTERS, Converted, Converter
from core.documents.contract import ConverterContract
from core.documents.pdf.lines import clean_text, join_texts
from core.model import Omission
from tests.documents.making import mhtml, of_markdown, xlsx, zipped
from tests.documents.pdfs import PdfPage, pdf

TEXT = """---
title: Roadmap 路线图
author: Ada
---

# Search 搜索

Words with **weight** and a note[^1]. 中文段落。

[^1]: The footnote.

## Keys

- one
- two

| Key | Meaning |
|---|---|
| Ctrl\\|K | 删除 line |
| Esc | leave |

```python
print("x")
```
"""


@pytest.mark.parametrize("name", [name for name, entry in CONVERTERS.items() if not entry.package])
def test_the_table_says_which_kinds_a_converter_reads(name: str) -> None:
    assert CONVERTERS[name].kinds.split() == CONVERTERS.build(name).kinds.split()


def test_a_folder_of_notes_loads_no_converter(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# A\n")
    loaded = "[name for name in sys.modules if name.startswith(('core.documents.office', 'core.documents.pdf'))]"
    code = f"import sys, pathlib; from core.intake.folder import scan; scan(pathlib.Path(sys.argv[1])); print({loaded})"
    run = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"


def test_converters_load_no_parser_of_markdown() -> None:
    code = (
        "import sys; import core.documents.worker; from core.documents import CONVERTERS\n"
        "for name, entry in CONVERTERS.items():\n    if not entry.package: CONVERTERS.build(name)\n"
        "print('markdown_it' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "False\n"


def converted(data: bytes, kind: str) -> Converted:
    return CONVERTERS.build("pdf" if kind == "pdf" else "pandoc").convert(data, kind)


class TestPandoc(ConverterContract):
    @pytest.fixture
    def converter(self) -> Converter:
        return CONVERTERS.build("pandoc")

    @pytest.fixture
    def document(self) -> tuple[bytes, str]:
        return b"Title\n=====\n\nSome text.\n", "rst"


class TestPdf(ConverterContract):
    @pytest.fixture
    def converter(self) -> Converter:
        return CONVERTERS.build("pdf")

    @pytest.fixture
    def document(self) -> tuple[bytes, str]:
        return pdf([page("First page."), page("Second page.")]), "pdf"


class TestPdfText(ConverterContract):
    @pytest.fixture
    def converter(self) -> Converter:
        return CONVERTERS.build("pdftext")

    @pytest.fixture
    def document(self) -> tuple[bytes, str]:
        return pdf([page("First page."), page("Second page.")]), "pdf"


def page(*lines: str) -> PdfPage:
    made = PdfPage()
    for number, line in enumerate(lines):
        made.text(72, 200 + 14 * number, line)
    return made


@pytest.mark.parametrize("kind", ["docx", "epub", "html", "mediawiki"])
def test_headings_lists_tables_and_footnotes_stay_what_they_are(kind: str) -> None:
    made = converted(of_markdown(TEXT, kind), kind)
    lines = made.text.splitlines()
    assert {"# Search 搜索", "## Keys", "- one"} <= {line.rstrip() for line in lines}
    assert any(line.startswith("| Ctrl\\|K") for line in lines)
    assert "[^1]: The footnote." in made.text
    assert "中文段落。" in made.text
    assert kind == "mediawiki" or (made.title, made.author) == ("Roadmap 路线图", "Ada")


def test_a_table_with_lists_and_spans_in_cells_is_a_table() -> None:
    rows = "<tr><th>a</th><th>b</th></tr><tr><td><ul><li>x<li>y</ul></td><td><p>1</p><p>2</p></td></tr>"
    spans = "<tr><td colspan=2>wide</td></tr>"
    text = converted(f"<table>{rows}{spans}</table>".encode(), "html").text
    assert [line.replace(" ", "") for line in text.splitlines() if "---" not in line] == ["|a|b|", "|xy|12|", "|wide||"]


def test_a_page_of_the_web_loses_its_menus_and_scripts() -> None:
    web = "<title>T</title><nav>Menu</nav><main><h1>H</h1><p>Body<script>evil()</script></main><footer>Foot</footer>"
    menus = (Omission("menu", 2),)
    assert converted(web.encode(), "html") == Converted("# H\n\nBody\n", title="T", left_out=menus)
    assert converted(mhtml(web), "mhtml").text == "# H\n\nBody\n"


def test_sheets_of_a_workbook_are_tables_under_their_names() -> None:
    data = xlsx({"Prices": [["Item", "Price"], ["茶|", "", "3"]], "Empty": []}, dates=["45322", "0.5", "45322.75"])
    assert CONVERTERS.build("workbook").convert(data, "xlsx").text == (
        "## Prices\n\n| Item | Price |  |\n|---|---|---|\n| 茶\\| |  | 3 |\n\n"
        "## Empty\n\n\n## Dates\n\n| 2024-01-31 | 12:00 | 2024-01-31 |\n|---|---|---|\n"
    )


class TestWorkbook(ConverterContract):
    @pytest.fixture
    def converter(self) -> Converter:
        return CONVERTERS.build("workbook")

    @pytest.fixture
    def document(self) -> tuple[bytes, str]:
        return xlsx({"Prices": [["Item", "Price"]]}), "xlsx"


@pytest.mark.parametrize("data", [b'a,b\n1,"2,3"\n', b"a;b\n1;2,3\n", b"a\tb\n1\t2,3\n"])
def test_values_between_commas_semicolons_or_tabs_are_a_table(data: bytes) -> None:
    assert CONVERTERS.build("workbook").convert(data, "csv").text == "| a | b |\n|---|---|\n| 1 | 2,3 |\n"


def test_a_pdf_has_headings_by_size_lists_tables_code_and_pages() -> None:
    first, second = PdfPage(), PdfPage()
    first.text(72, 100, "Annual Report", 20, "bold")
    first.text(72, 130, "年度报告 Results", 15, "bold")
    for number, line in enumerate(
        ("A paragraph that goes on until the docu-", "ment ends, with a line more than", "that.")
    ):
        first.text(72, 160 + 14 * number, line)
    end = first.table(72, 300, [["Key", "Meaning"], ["Ctrl|K", "删除"], ["Esc", "leave"]])
    first.text(72, end + 40, "• first item")
    first.text(72, end + 54, "• second item")
    second.text(72, 160, "def f():", font="fixed")
    second.text(85.2, 174, "return 1", font="fixed")
    second.text(72, 220, "The last line of the text.")
    for number, one in enumerate((first, second), 1):
        one.text(250, 30, "Running head", 8)
        one.text(290, 820, f"Page {number} of 2", 8)
    made = converted(pdf([first, second], title="Report"), "pdf")
    assert made.text == (
        "# Annual Report\n\n## 年度报告 Results\n\n"
        "A paragraph that goes on until the document ends, with a line more than that.\n\n"
        "| Key | Meaning |\n|---|---|\n| Ctrl\\|K | 删除 |\n| Esc | leave |\n\n"
        "- first item\n- second item\n\n```\ndef f():\n  return 1\n```\n\nThe last line of the text.\n"
    )
    assert made.text[made.pages[1] :].startswith("```")
    assert (made.title, made.author, made.created) == ("Report", "Ada", "2024-01-31T12:00:00")


def test_two_columns_of_a_pdf_are_read_one_after_the_other() -> None:
    both = PdfPage()
    both.text(72, 90, "A Title Over Both Columns", 18, "bold")
    for number in range(12):
        both.text(72, 130 + 13 * number, f"left line {number} of the first column")
        both.text(320, 130 + 13 * number, f"right line {number} of the second one")
    text = converted(pdf([both]), "pdf").text
    words = [line for line in text.split() if line in ("left", "right")]
    assert words == ["left"] * 12 + ["right"] * 12


def test_radicals_are_common_characters_and_divided_words_are_whole() -> None:
    assert clean_text("⼀⾦⻅ﬁ") == "一金见fi"
    assert join_texts("docu-", "ment") == "document"
    assert join_texts("well-", "Known") == "well-Known"
    assert join_texts("中文", "段落") == "中文段落"
    assert join_texts("one", "two") == "one two"


@pytest.mark.parametrize(
    ("data", "kind", "reason"),
    [
        (b"", "docx", "This file is empty."),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, "docx", "This file is encrypted."),
        (b"MZ" + b"\0" * 600, "pdf", "This file is a program"),
        (b"PK\x03\x04" + b"\0" * 600, "pdf", "This file isn't a PDF"),
        (b"PK\x03\x04" + b"\0" * 600, "docx", "This file is damaged."),
        (zipped({"a.txt": b"x"}), "docx", "This file isn't a Word document"),
        (zipped({"word/document.xml": b" " * 40_000_000}), "docx", "This file unpacks to far more"),
    ],
)
def test_what_is_no_document_is_refused_before_it_is_parsed(data: bytes, kind: str, reason: str) -> None:
    from core.documents.kinds import check

    with pytest.raises(SourceError) as refused:
        check(data, kind, "a." + kind)
    assert str(refused.value.reason).startswith(reason)


def test_a_locked_pdf_and_one_of_too_many_pages_are_refused() -> None:
    from tests.documents.making import pages

    for data, reason in (
        (pdf([page("x")], encrypted=True), "This file is encrypted."),
        (pages(5_001), "This file has 5,001 pages"),
    ):
        with pytest.raises(SourceError) as refused:
            converted(data, "pdf")
        assert str(refused.value.reason).startswith(reason)


def test_a_scan_names_the_command_where_ocr_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    from PIL import Image

    from core.documents import pdf as module

    scanned, both = PdfPage(), page("There is a page of text before this scan.")
    scanned.picture(Image.new("RGB", (100, 140), "white"))
    monkeypatch.setattr(module, "has", lambda _: False)
    with pytest.raises(SourceError, match=r"pip install 'tessera-notes\[ocr\]'"):
        module.Pdf().convert(pdf([scanned]), "pdf")
    assert [str(one) for one in module.Pdf().convert(pdf([both, scanned]), "pdf").warnings] == [
        "1 page is a picture and was not read. To read it, run this command, restart Tessera, and import the file "
        "again: pip install 'tessera-notes[ocr]'"
    ]


def test_a_document_is_converted_in_a_process_that_is_ended_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    from core.documents import converting

    made, version = converting.convert(b"Title\n=====\n\nText.\n", "a.rst")
    assert made.text == "# Title\n\nText.\n"
    assert version.startswith("pandoc 3.")
    monkeypatch.setattr(converting, "SECONDS", 0)
    with pytest.raises(SourceError, match="longer than 0 seconds"):
        converting.convert(b"Title\n=====\n", "a.rst")


def test_no_document_reads_a_file_beside_it(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("confidential", "utf-8")
    for text, kind in (
        (f"\\input{{{secret}}} Text.", "tex"),
        (f".. include:: {secret}\n\nText.\n", "rst"),
        (f'#+INCLUDE: "{secret}"\nText.\n', "org"),
        (f'<iframe src="{secret}"></iframe><p>Text.</p>', "html"),
    ):
        assert "confidential" not in converted(text.encode(), kind).text
    with zipfile.ZipFile(tmp_path / "a.docx", "w") as archive:
        archive.writestr("word/document.xml", f'<!DOCTYPE a [<!ENTITY x SYSTEM "file://{secret}">]><a>&x;</a>')
    with pytest.raises(SourceError):
        converted((tmp_path / "a.docx").read_bytes(), "docx")
