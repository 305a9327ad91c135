"""Numbers of a workbook are shown as Excel shows them, and a sheet keeps what its cells show."""

from pathlib import Path

import pytest

from core.documents import CONVERTERS, Converted
from core.documents.office.number_formats import show, show_text
from core.model import Omission
from tests.documents.making import xlsx, zipped
from tests.documents.office import SHEET, parts_of

TABLE = Path(__file__).with_name("number_formats.tsv")
"""Formats, values, and what LibreOffice 7.4 in American English showed of them in a copy as text."""
BUILT_IN = {
    **dict(enumerate(("General", "0", "0.00", "#,##0", "#,##0.00"))),
    **dict(enumerate("0%,0.00%,0.00E+00,# ?/?,# ??/??,,d-mmm-yy,d-mmm,mmm-yy".split(","), 9)),
    **dict(enumerate("h:mm AM/PM,h:mm:ss AM/PM,h:mm,h:mm:ss".split(","), 18)),
    **dict(enumerate(("#,##0_);(#,##0)", "#,##0_);(#,##0)", "#,##0.00_);(#,##0.00)", "#,##0.00_);(#,##0.00)"), 37)),
    **dict(enumerate(("mm:ss", "[h]:mm:ss", "mm:ss.0", "##0.0E+0", "@"), 45)),
}
"""Formats that a workbook names by number (ECMA-376, 18.8.30)."""
OF_EXCEL = [
    # Excel counts a day that never was, 29 February 1900; LibreOffice begins a day later.
    ("d. mmmm yyyy", "1", "1. January 1900"),
    ("dd.mm.yyyy", "59", "28.02.1900"),
    ("dd.mm.yyyy", "61", "01.03.1900"),
    ("[$-407]mmmm yyyy", "31", "Januar 1900"),
    ("dd.mm.yyyy", "2958465", "31.12.9999"),
    ("yyyy", "2958465.99999999", "2958466"),
    ("[ss].00", "0.00012346", "10.67"),
    # Formats of Excel in Chinese.
    ('上午/下午h"时"mm"分"', "0.75", "下午6时00分"),
    ("yyyy/m/d aaaa", "46121", "2026/4/9 星期四"),
    ("aaa", "46121", "四"),
    ("[$-411]aaaa", "46121", "木曜日"),
    # A fraction that makes a whole.
    ("# ??/16", "4.99", "5"),
    ("# ?/?", "0.99", "1"),
    ("# ?/?", "0.01", "0"),
    # A point stays without digits behind it.
    ("#.##", "5", "5."),
    ("#.##", "-3", "-3."),
    # The sections that Office writes for accounts.
    ('_(* #,##0_);_(* (#,##0);_(* "-"_);_(@_)', "0", "-"),
    ('_($* #,##0.00_);_($* (#,##0.00);_($* "-"??_);_(@_)', "-1234.5", "$ (1,234.50)"),
    # Digits that only the format of files has: Excel has 15.
    ("General", "1.1000000000000001", "1.1"),
    ("General", "0.30000000000000004", "0.3"),
    ("General", "7.0000000000000007E-2", "0.07"),
    ("General", "1E-3", "0.001"),
    ("General", "1.2E+20", "1.2E+20"),
    ("General", "4006381333931", "4006381333931"),
    # What a format hides, or can't show, is in full.
    (";;;", "-5", "-5"),
    ("yyyy", "-5", "-5"),
    ("yyyy", "2958466", "2958466"),
    ("0;-0;;@", "0", ""),
    ("m" * 255, "5", "5"),
    ("0" * 256, "5", "5"),
    ("[<x]0", "5", "5"),
    ("0", "none", "none"),
    ("0", "1e999", "1e999"),
]
"""What Excel shows where LibreOffice differs, or where a copy as text does."""


def rows() -> list[tuple[str, str, str]]:
    """Return the rows of the table, numbers of formats written out."""
    lines = (line.split("\t") for line in TABLE.read_text("utf-8").splitlines()[1:])
    return [(BUILT_IN[int(code)] if code.isdecimal() and len(code) < 3 else code, *said) for code, *said in lines]


def test_numbers_are_shown_as_another_program_shows_them() -> None:
    table = rows()
    assert len(table) > 500
    assert [(*row, made) for row in table if (made := " ".join(show(row[1], row[0]).split())) != row[2]] == []


@pytest.mark.parametrize(("code", "stored", "shown"), OF_EXCEL)
def test_numbers_are_shown_as_excel_shows_them(code: str, stored: str, shown: str) -> None:
    assert " ".join(show(stored, code).split()) == shown


def test_days_since_1904_and_texts_have_their_format() -> None:
    assert show("44659", "yyyy-mm-dd", since_1904=True) == "2026-04-09"
    assert show("2958465", "yyyy", since_1904=True) == "2958465"
    assert show_text("7", '"No. "@') == "No. 7"
    assert show_text("7", "0;0;0;@ (text)") == "7 (text)"
    assert show_text("\ue000", "@!") == "\ue000!"


HEAD = (
    '<row r="1"><c r="A1" t="inlineStr"><is><t>List of [spring]</t></is></c></row>'
    '<row r="3"><c r="A3" t="inlineStr"><is><t>Who</t></is></c><c r="B3" t="inlineStr"><is><t>What</t></is></c></row>'
)
ROWS = (
    '<row r="4"><c r="A4" t="inlineStr"><is><t>Ana</t></is></c><c r="B4" s="1"><v>1067</v></c></row>'
    '<row r="5"><c r="B5" t="inlineStr" s="2"><is><t>7</t></is></c></row>'
    '<row r="6"><c r="A6" t="inlineStr"><is><t>a]b</t></is></c><c r="B6"><f>SUM(B4:B5)</f><v></v></c></row>'
    '<row r="7"><c r="B7" t="str"><f>HYPERLINK("https://a.b/c d","open x")</f><v>open</v></c></row>'
    '<row r="8"><c r="A8" t="d"><v>2026-04-09T00:00:00</v></c><c r="B8" t="str"><f>""</f><v></v></c></row>'
)
AFTER = (
    '<mergeCells><mergeCell ref="A4:A5"/><mergeCell ref="A7:Z1048576"/><mergeCell ref="junk"/></mergeCells>'
    '<hyperlinks><hyperlink ref="A6" r:id="l1"/><hyperlink ref="A8" r:id="gone"/><hyperlink ref="A99" r:id="l1"/>'
    "</hyperlinks>"
)


def sheet(content: str, styles: str = "") -> Converted:
    """Return a workbook of one sheet as text."""
    files = parts_of(xlsx({"S": []}))
    files["xl/worksheets/sheet1.xml"] = f"<worksheet {SHEET}>{content}</worksheet>".encode()
    files["xl/styles.xml"] = f"<styleSheet {SHEET}>{styles}</styleSheet>".encode()
    files["xl/worksheets/_rels/sheet1.xml.rels"] = (
        b'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="l1" '
        b'Type="http://x/hyperlink" Target="https://a.b/(c)" TargetMode="External"/></Relationships>'
    )
    return CONVERTERS.build("workbook").convert(zipped(files), "xlsx")


def test_a_sheet_keeps_titles_merged_cells_links_and_formulas_without_a_value() -> None:
    styles = (
        '<numFmts><numFmt numFmtId="170" formatCode="00000"/><numFmt numFmtId="171" formatCode="&quot;No. &quot;@"/>'
    )
    styles += '</numFmts><cellXfs><xf/><xf numFmtId="170"/><xf numFmtId="171"/></cellXfs>'
    made = sheet(f"<sheetData>{HEAD}{ROWS}</sheetData>{AFTER}", styles)
    assert made.text == (
        "## S\n\nList of [spring]\n\n| Who | What |\n|---|---|\n| Ana | 01067 |\n| Ana | No. 7 |\n"
        "| [a\\]b](https://a.b/%28c%29) | =SUM(B4:B5) |\n|  | [open](https://a.b/c%20d) |\n| 2026-04-09 |  |\n"
    )
    assert made.left_out == (Omission("formula", 1, "S"),)
    twice = HEAD.replace('<row r="3">', '<row r="2"/><row r="3">')
    made = sheet(f'<sheetData>{twice}</sheetData><mergeCells><mergeCell ref="A1:B2"/></mergeCells>')
    assert made.text == "## S\n\nList of [spring]\n\n| Who | What |\n|---|---|\n"


def test_merged_cells_over_and_over_are_too_much_rather_than_slow() -> None:
    row = '<row r="{}"><c r="A{}"><v>1</v></c></row>'
    rows = "".join(row.format(at, at) for at in range(1, 3_001))
    merged = '<mergeCell ref="A1:A9999"/>' * 1_000
    with pytest.raises(MemoryError):
        sheet(f"<sheetData>{rows}</sheetData><mergeCells>{merged}</mergeCells>")
