"""Each place of a PDF that may hold text arrives in its note or is named, in each form in which programs store it."""

import re

import pytest

from core.documents import Converted
from tests.documents import pdf_places
from tests.documents.pdf_places import FORMS, PLACES, marked, plain
from tests.documents.test_markers import arrived, read

PROPERTY = "a property that no page shows"
FOR_PROGRAMS = "a name by which programs and readers' menus refer to something"
INSIDE = "what is in an attached file, which is named"
REPEATED = "what the file says in another place, which is read"
LOST: dict[str, dict[str, str]] = {
    "fields": {
        "zzhiddenzz": "a field that its form hides",
        "zzpasswordzz": "a password, shown as stars",
        "zzreasonzz": "what a signature says of itself, and no page shows",
        "zzsignerzz": "what a signature says of itself, and no page shows",
    },
    "annotations": {
        "zzaddresszz": "the address behind a text, which isn't shown",
        "zzinsidezz": INSIDE,
        "zzlinktitlezz": "what a reader says while the pointer is on a link",
        "zzpopupzz": REPEATED,
        "zzsubjectzz": PROPERTY,
    },
    "attachments": {
        "zzcolumnzz": FOR_PROGRAMS,
        "zzdescribedzz": "what is said of an attached file, which is named by its name",
        "zzinsidezz": INSIDE,
    },
    "layers": {"zzhiddennamezz": FOR_PROGRAMS, "zzlayernamezz": FOR_PROGRAMS},
    "tagged": {
        "zzelementtextzz": "what is read aloud in the place of letters, which are read as they are drawn",
        "zzelementtitlezz": FOR_PROGRAMS,
        "zzexpansionzz": "what an abbreviation is short for, which no page shows",
    },
    "metadata": {
        "zzbookmarkzz": "a bookmark in words of its own, which no page shows",
        "zzcreatorzz": "the program that wrote the file",
        "zzlabelzz": FOR_PROGRAMS,
        "zzsubjectzz": PROPERTY,
        "zzxmptitlezz": REPEATED,
    },
}
"""What is lost without a word, by place: the marker, and why."""


def lost(made: Converted, markers: set[str]) -> set[str]:
    """Return the markers, among them Chinese ones, that neither the note nor its report has."""
    return {marker for marker in markers - arrived(made) if marker not in made.text}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("place", PLACES)
def test_each_place_with_text_arrives(place: str, form: str) -> None:
    held = marked(place)
    assert lost(read(FORMS[form](held.objects), "pdf"), held.markers) == {*LOST.get(place, ())}


@pytest.mark.parametrize("rotate", [0, 90, 180, 270])
@pytest.mark.parametrize("turned", [0, 90, 180, 270])
def test_columns_and_notes_are_read_in_order_however_they_are_turned(turned: int, rotate: int) -> None:
    held, expected = pdf_places.ordered(turned, rotate)
    made = read(plain(held.objects), "pdf")
    assert [marker for marker in re.findall("zz[a-z0-9]+zz", made.text) if marker in expected] == expected
    assert lost(made, held.markers) == set()


def test_damaged_annotations_and_a_structure_that_holds_itself_harm_nobody() -> None:
    held = pdf_places.MarkedPdf()
    broken = ("<<>>", "7", "null", "<</Subtype/FileAttachment/FS 7>>", "<</Subtype/Text/Contents 7/T[1]>>",
              "<</Subtype/Widget/FT/Tx/V[1 2]>>", "<</Subtype/Highlight/Contents(zzkeptzz)>>")  # fmt: skip
    root = len(held.objects) + 1
    element = f"<</S/P/P {root} 0 R/K[{root + 1} 0 R {root} 0 R 0]/Alt(zzagainzz)/Pg {root + 2 + len(broken) + 1} 0 R>>"
    parents = f"/ParentTree<</Nums[0[{root + 1} 0 R]]>>"
    for body in (f"<</Type/StructTreeRoot/K {root + 1} 0 R{parents}>>", element):
        held.add(body)
    held.catalog["StructTreeRoot"] = f"{root} 0 R"
    held.page(pdf_places.line(60, 700, "zzwordszz"), [held.add(one) for one in broken], more="/StructParents 0")
    made = read(plain(held.finish().objects), "pdf")
    assert {"zzwordszz", "zzkeptzz"} <= arrived(made)
    assert made.text.count("zzagainzz") <= 1
