"""Each element of Office documents that may hold text is in the note or named, in Transitional and Strict."""

from collections.abc import Callable

import pytest

from tests.documents import ooxml
from tests.documents.making import zipped
from tests.documents.office import parts_of, pptx, shape, slide
from tests.documents.test_markers import arrived, held, read

MAKERS: dict[str, Callable[[], bytes]] = {
    "docx": ooxml.word,
    "pptx": ooxml.presentation,
    "xlsx": ooxml.workbook,
}
PROPERTY = "a property that no page shows"
FOR_PROGRAMS = "a name by which programs and links refer to something"
UNUSED = "what a diagram holds, and its layout doesn't show"
ASKED = {
    f"zzask{name}zz": FOR_PROGRAMS for name in "point nodepoint assistant transition parted whole presented".split()
}
ASKED |= dict.fromkeys(("zzpresentedzz", "zzwholezz"), UNUSED)
LOST: dict[str, dict[str, str]] = {
    "docx": {
        **ASKED,
        "zzaliaszz": FOR_PROGRAMS,
        "zzbookmarkzz": FOR_PROGRAMS,
        "zzcodezz": "the code of a field, whose result is shown",
        "zzglossaryzz": "blocks that may be put in, and aren't",
        "zzgonezz": "a deletion, which is named without its words",
        "zzmovedfromzz": "where a text was, before it was moved",
        "zznotchosenzz": "what may be chosen, and isn't",
        "zzsubjectzz": PROPERTY,
        "zzvariablezz": "a value for macros",
    },
    "pptx": {
        **ASKED,
        "zznamezz": FOR_PROGRAMS,
        "zzplaceholderzz": "what asks for a text on a layout, and no slide shows",
        "zzsubjectzz": PROPERTY,
    },
    "xlsx": {
        "zzfallbackzz": "what older programs show in the place of a chart that is read",
        **ASKED,
        "zzchoicezz": "what may be entered, and isn't",
        "zznamezz": FOR_PROGRAMS,
        "zzphoneticzz": "how the word before it is pronounced",
        "zzpromptzz": "what asks for a value while it is entered",
        "zzsolvedzz": "a formula, whose value is shown",
        "zzsubjectzz": PROPERTY,
        "zztipzz": "what is shown above a link while the pointer is there",
    },
}
"""What is lost without a word, by format: the marker, and why."""


@pytest.mark.parametrize("form", ["transitional", "strict"])
@pytest.mark.parametrize("kind", MAKERS)
def test_each_element_with_text_arrives(kind: str, form: str) -> None:
    data = MAKERS[kind]()
    data = ooxml.strict(data) if form == "strict" else data
    assert len(held(data)) > 20
    assert held(data) - arrived(read(data, kind)) == {*LOST[kind]}


def drawn(text: str, left: int, top: int) -> str:
    """Return a box on a slide, 100 wide and 50 high."""
    place = f'<p:spPr><a:xfrm><a:off x="{left}" y="{top}"/><a:ext cx="100" cy="50"/></a:xfrm></p:spPr>'
    return shape(text).replace("<p:txBody>", place + "<p:txBody>")


def test_boxes_of_a_slide_are_read_down_their_column() -> None:
    columns = [("left head", 0, 0), ("left text", 0, 60), ("right head", 200, 0), ("right text", 200, 60)]
    late = [("left foot", 0, 300), ("left middle", 0, 200), ("above all", 50, 0)]
    text = read(pptx([slide("".join(drawn(*one) for one in [*columns, *late]))], {}, {}), "pptx").text
    words = [line for line in text.splitlines() if line][1:]
    assert words == ["left head", "above all", "left text", "right head", "right text", "left middle", "left foot"]
    many = "".join(drawn(f"box {at}", 0, 99_999 - 50 * at) for at in range(900))
    assert read(pptx([slide(many)], {}, {}), "pptx").text.count("box") == 900


def test_a_chart_of_a_workbook_that_can_not_be_read_is_named() -> None:
    parts = parts_of(ooxml.workbook()) | {"xl/charts/chartEx1.xml": b"<cx:chartSpace"}
    left_out = read(zipped(parts), "xlsx").left_out
    assert [(one.count, one.place) for one in left_out if one.kind == "chart"] == [(1, "zzsheetzz")]
