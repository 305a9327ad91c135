"""Spreadsheets and slides of LibreOffice: each element with text arrives or is named; bombs and damage harm nobody."""

from collections.abc import Callable

import pytest

from core.base.errors import SourceError
from core.documents.converting import convert
from tests.documents import odf
from tests.documents.making import zipped
from tests.documents.odf import cell, document, row
from tests.documents.office import parts_of
from tests.documents.test_markers import arrived, held, read
from tests.growth import assert_grows_linearly

MAKERS: dict[str, Callable[[], bytes]] = {"ods": odf.spreadsheet, "odp": odf.presentation}
FOR_PROGRAMS = "a name by which programs and links refer to something"
PROPERTY = "a property that no page shows"
LOST: dict[str, dict[str, str]] = {
    "ods": {
        "zzbeforezz": "what a cell held before a change",
        "zzmasterzz": FOR_PROGRAMS,
        "zzpromptzz": "what asks for a value while it is entered",
        "zzrangezz": FOR_PROGRAMS,
        "zzsolvedzz": "a formula, whose value is shown",
        "zzsubjectzz": PROPERTY,
    },
    "odp": {
        "zzaskfortitlezz": "what asks for a text on a master, and no slide shows",
        "zzmasterzz": FOR_PROGRAMS,
        "zzpagezz": FOR_PROGRAMS,
        "zzsubjectzz": PROPERTY,
        "zztablezz": FOR_PROGRAMS,
    },
}
"""What is lost without a word, by kind: the marker, and why."""


@pytest.mark.parametrize("kind", MAKERS)
def test_each_element_with_text_arrives(kind: str) -> None:
    data = MAKERS[kind]()
    assert len(held(data)) > 25
    assert held(data) - arrived(read(data, kind)) == {*LOST[kind]}


def sheet(*rows: str, name: str = "One") -> bytes:
    return document("spreadsheet", f'<table:table table:name="{name}">{"".join(rows)}</table:table>')


def text(said: str, about: str = "") -> str:
    return cell(f"<text:p>{said}</text:p>", about)


def test_repeated_and_merged_cells_are_in_their_columns_and_rows() -> None:
    covered = "<table:covered-table-cell/>"
    made = read(
        sheet(
            row(text("Item"), text("Mon", 'table:number-columns-repeated="2"'), text("Sum")),
            row(text("tea", 'table:number-rows-spanned="2"'), cell("", 'table:number-columns-repeated="2"'), text("3")),
            row(covered, text("2"), covered, text("4")),
            row(text("milk"), about='table:number-rows-repeated="2"'),
            row(cell("", 'table:number-columns-repeated="16384"'), about='table:number-rows-repeated="1048571"'),
        ),
        "ods",
    )
    assert made.text == (
        "## One\n\n| Item | Mon | Mon | Sum |\n|---|---|---|---|\n| tea |  |  | 3 |\n| tea | 2 |  | 4 |\n"
        "| milk |  |  |  |\n| milk |  |  |  |\n\n"
    ).removesuffix("\n")
    assert made.left_out == ()


def test_sheets_keep_their_order_comments_their_cells_and_links_their_addresses() -> None:
    made = read(odf.spreadsheet(), "ods")
    assert made.text.index("## zzsheetzz") < made.text.index("## zzhiddensheetzz")
    assert "> [!comment] zzcommentbyzz\n>\n> zzcommentedzz: zzcommentzz\n>\n> zzcommentmorezz\n" in made.text
    assert "See [zzlinkzz](https://example.org/zzaddresszz) here" in made.text
    assert "Page" not in made.text


def test_slides_are_below_their_titles_with_their_notes() -> None:
    text = read(odf.presentation(), "odp").text
    names = ("slidetitle", "outline", "cell", "box", "chart", "comment", "note", "hidden")
    places = [text.index(f"zz{name}zz") for name in names]
    assert places == sorted(places)
    assert text.startswith("## zzslidetitlezz zztitlemorezz\n\n")
    assert "\n## Slide 2\n\nzzhiddenzz\n" in text


def wide(about: str) -> bytes:
    return sheet(row(text("word", about), text("end")))


@pytest.mark.parametrize("count", ["1000000000", "999999999", "-1", "x", "0"])
@pytest.mark.parametrize("what", ["columns-repeated", "columns-spanned", "rows-spanned"])
def test_a_cell_of_a_million_columns_is_bounded(what: str, count: str) -> None:
    made = read(wide(f'table:number-{what}="{count}"'), "ods")
    assert made.text.count("word") <= 500
    assert "word" in made.text or count == "0"
    rows = read(sheet(row(text("word"), about=f'table:number-rows-repeated="{count}"')), "ods")
    assert rows.text.count("word") <= 1_000


def test_many_repeated_rows_are_refused_before_they_are_made() -> None:
    rows = row(text("word"), about='table:number-rows-repeated="1000"') * 2_100
    with pytest.raises(MemoryError):
        read(sheet(rows), "ods")


def test_frames_within_frames_and_damaged_files_are_read_or_refused() -> None:
    nested = "<draw:g>" * 5_000 + "<draw:rect><text:p>deep</text:p></draw:rect>" + "</draw:g>" * 5_000
    for kind, content in (
        ("odp", f"<draw:page>{nested}</draw:page>"),
        ("ods", f'<table:table table:name="a">{row(cell(nested))}</table:table>'),
    ):
        whole = document({"odp": "presentation", "ods": "spreadsheet"}[kind], content)
        try:
            assert "deep" in convert(whole, f"a.{kind}")[0].text
        except SourceError as error:
            assert "nested too deeply" in str(error)  # noqa: PT017
    for kind, make in MAKERS.items():
        files = parts_of(make())
        for broken in (b"", b"<a>", b"<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", files["content.xml"][:900]):
            for part in ("content.xml", "styles.xml", "Object 1/content.xml"):
                try:
                    convert(zipped(files | {part: broken}), f"a.{kind}")
                except SourceError:
                    assert part != "Object 1/content.xml"
        del files["content.xml"]
        with pytest.raises(SourceError):
            convert(zipped(files), f"a.{kind}")


def test_time_grows_with_the_rows() -> None:
    def work(count: int) -> Callable[[], object]:
        data = sheet(*(row(text(f"tea {at}"), text("3"), text("four")) for at in range(count)))
        return lambda: read(data, "ods")

    assert_grows_linearly(work, 4_000)
