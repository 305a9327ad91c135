"""Fields of forms in PDFs: what was entered, and which boxes, buttons and entries are chosen."""

import pytest

from core.documents import CONVERTERS
from core.documents.pdf.reading import MOST_CHOICES
from tests.documents.pdfs import file_of


def field(kind: str, name: str, place: str, more: str = "") -> str:
    """Return a field with its place as left, bottom, right and top."""
    return f"<</Type/Annot/Subtype/Widget/F 4/FT/{kind}/T({name})/Rect[{place}]{more}>>"


def form(fields: list[str], lines: dict[str, str], rotate: int = 0) -> bytes:
    """Return a PDF of one page with fields, which look as their programs draw them, and lines of text at places."""
    text = "".join(f"BT /F1 12 Tf 1 0 0 1 {place} Tm ({line}) Tj ET\n" for place, line in lines.items())
    font = "<</Font<</F1 4 0 R>>>>"
    look = "<</Type/XObject/Subtype/Form/BBox[0 0 20 20]/Length 0>>stream\n\nendstream"
    first = 7
    listed = " ".join(f"{first + at} 0 R" for at in range(len(fields)))
    objects = [
        f"<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[{listed}]/DR{font}/DA(/F1 12 Tf 0 g)>>>>",
        "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Rotate {rotate}/Resources{font}/Contents 5 0 R"
        f"/Annots[{listed}]>>",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        f"<</Length {len(text)}>>stream\n{text}endstream",
        look,
        *fields,
    ]
    return file_of([one.encode("latin-1") for one in objects], b"/Root 1 0 R")


def box(name: str, place: str, state: str, kind: str = "") -> str:
    """Return a box to tick, or a button of a group."""
    look = "/AP<</N<</Yes 6 0 R/Off 6 0 R>>>>"
    return field("Btn", name, place, f"{look}/AS/{state}/V/{state}{kind}")


KINDS = [
    field("Tx", "name", "150 690 350 710", "/V(Ines Berg)/DA(/F1 12 Tf 0 g)"),
    field("Tx", "remarks", "150 640 350 680", "/Ff 4096/V(first line\\rsecond line)/DA(/F1 12 Tf 0 g)"),
    box("smoker", "60 598 72 610", "Yes"),
    box("diabetic", "60 578 72 590", "Off"),
    box("how", "150 538 162 550", "Off", "/Ff 32768"),
    box("how2", "250 538 262 550", "Yes", "/Ff 32768"),
    field("Ch", "boat", "150 490 350 510", "/Ff 131072/Opt[(sail)(row)]/V(row)/DA(/F1 12 Tf 0 g)"),
    field("Ch", "days", "150 430 350 480", "/Ff 2097152/Opt[(Mon)(Tue)(Wed)]/V[(Mon)(Wed)]/I[0 2]"),
    field("Btn", "send", "150 390 350 410", "/Ff 65536/MK<</CA(Send it)>>/DA(/F1 12 Tf 0 g)"),
    field("Sig", "signed", "150 350 350 380"),
    box("far from any text", "60 200 72 212", "Yes"),
]
LINES = {
    "60 694": "Name:", "60 664": "Remarks:", "76 600": "Smoker", "76 580": "Diabetic", "60 540": "Pay:",
    "166 540": "monthly", "266 540": "yearly", "60 494": "Boat:", "60 466": "Days:", "60 360": "Signature:",
}  # fmt: skip


@pytest.mark.parametrize("rotate", [0, 90])
def test_each_kind_of_field_says_what_is_in_it(rotate: int) -> None:
    made = CONVERTERS.build("pdf").convert(form(KINDS, LINES, rotate), "pdf")
    words = " ".join(made.text.split())
    for said in (
        "Name: Ines Berg",
        "Remarks: first line second line",
        "☑ Smoker",
        "☐ Diabetic",
        "Pay: ☐ monthly ☑ yearly",
        "Boat: row",
        "Days: ☑ Mon ☐ Tue ☑ Wed",
        "☑ far from any text",
    ):
        assert said in words
    assert made.left_out == ()


def test_a_long_list_says_what_is_chosen_only_and_boxes_in_lines_are_items() -> None:
    options = "".join(f"(option {at})" for at in range(40))
    days = field("Ch", "days", "150 430 350 480", f"/Opt[{options}]/V(option 7)/I[7]")
    made = CONVERTERS.build("pdf").convert(form([*KINDS[2:4], days], LINES), "pdf").text
    assert "- ☑ Smoker\n- ☐ Diabetic" in made
    assert "Days: ☑ option 7\n" in made
    assert "option 8" not in made


def test_more_boxes_than_are_read_and_damaged_fields_harm_nobody() -> None:
    boxes = [
        box(f"b{at}", f"{60 + at % 30 * 15} {700 - at // 30 * 15} 72 712", "Yes") for at in range(MOST_CHOICES + 9)
    ]
    broken = [field("Ch", "days", "0 0 0 0", "/Opt 7/V 9"), field("Btn", "x", "1e9 1e9 0 0"), "<<>>", "7"]
    made = CONVERTERS.build("pdf").convert(form([*boxes, *broken], LINES), "pdf").text
    assert made.count("☑") == MOST_CHOICES
