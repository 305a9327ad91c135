"""PDF -> Markdown: pages in every direction, columns, tables without rules, words, headings, and what is left out."""

import pytest

from core.documents import CONVERTERS, Converted
from core.documents.converting import convert
from core.documents.pdf.lines import join_texts
from tests.documents.pdfs import PdfPage, file_of, pdf

DIARY = (
    "The orchard was planted in the",
    "spring of the second year by",
    "two brothers who had come from",
    "the coast. They kept a diary of",
    "every tree and wrote down when",
    "it first carried fruit.",
)
HOUSE = (
    "The press house holds four oak",
    "barrels and a copper kettle. The",
    "kettle must be cleaned on each",
    "Saturday. The barrels were bought",
    "in the town of Marle, and nobody",
    "knows how old they are.",
)


def converted(*pages: PdfPage) -> Converted:
    return CONVERTERS.build("pdf").convert(pdf(list(pages)), "pdf")


def text_of(*pages: PdfPage) -> str:
    return converted(*pages).text


def page(
    lines: tuple[str, ...] = DIARY,
    x: float = 72,
    y: float = 300,
    pitch: float = 14,
    size: float = 11,
    turned: float = 0,
) -> PdfPage:
    made = PdfPage()
    return add(made, lines, x, y, pitch, size, turned)


def add(
    made: PdfPage,
    lines: tuple[str, ...],
    x: float,
    y: float = 300,
    pitch: float = 14,
    size: float = 11,
    turned: float = 0,
) -> PdfPage:
    for number, line in enumerate(lines):
        made.text(x, y + pitch * number, line, size, turned=turned)
    return made


def rows(
    made: PdfPage, cells: list[tuple[str, ...]], places: tuple[float, ...], y: float = 300, pitch: float = 20
) -> None:
    for number, row in enumerate(cells):
        for x, cell in zip(places, row, strict=True):
            if cell:
                made.text(x, y + pitch * number, cell)


def table_in(text: str) -> list[list[str]]:
    lines = [line for line in text.splitlines() if line.startswith("|") and not line.startswith("|---")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


@pytest.mark.parametrize("rotate", [0, 90, 180, 270])
@pytest.mark.parametrize("turned", [0, 90, 180, 270])
def test_a_page_is_read_in_the_direction_of_its_letters(turned: float, rotate: int) -> None:
    made = page(turned=turned)
    made.rotate = rotate
    assert text_of(made) == " ".join(DIARY) + "\n"


@pytest.mark.parametrize("degrees", [-10, -4, -2, 1, 3, 7, 10])
def test_a_tilted_page_keeps_its_lines_and_columns(degrees: float) -> None:
    made = add(page(turned=degrees), HOUSE, 320, turned=degrees)
    assert text_of(made) == f"{' '.join(DIARY)}\n\n{' '.join(HOUSE)}\n"


def test_pages_of_several_directions_lose_nothing() -> None:
    sideways = page(("Appendix of the orchard", "Turbine seven is broken"), turned=90)
    margin = page()
    margin.text(200, 60, "Draft three", turned=90)
    made = converted(page(), sideways, margin)
    assert made.text.split("\n\n") == [
        " ".join(DIARY),
        "Appendix of the orchard Turbine seven is broken",
        " ".join(DIARY),
        "Draft three\n",
    ]
    assert made.text[made.pages[1] :].startswith("Appendix")
    assert not made.left_out


def test_a_table_on_a_sideways_page_is_a_table() -> None:
    made = PdfPage()
    for number, row in enumerate([("Room", "Key", "Floor"), ("Attic", "B07", "3"), ("Cellar", "C99", "-1")]):
        for x, cell in zip((100, 250, 400), row, strict=True):
            made.text(x, 300 + 20 * number, cell, turned=90)
    assert table_in(text_of(made)) == [["Room", "Key", "Floor"], ["Attic", "B07", "3"], ["Cellar", "C99", "-1"]]


@pytest.mark.parametrize("lines", [3, 4, 6])
def test_a_column_at_the_side_is_not_woven_into_the_text(lines: int) -> None:
    main = (
        "The bread goes in at two hundred and forty degrees for ten",
        "minutes, then the heat is turned down to two hundred. After forty",
        "minutes knock on the bottom. It should sound hollow. Let it cool",
        "on the rack before you cut it. The crust gets soft in a bag, so",
        "keep it in a cloth. On the second day it is best toasted, and",
        "old bread goes to the hens.",
    )[:lines]
    side = ("Note: wear", "gloves when", "you open the", "hot oven.", "The door", "sticks.")[:lines]
    assert text_of(add(page(side, size=9), main, 200)) == f"{' '.join(side)}\n\n{' '.join(main)}\n"


@pytest.mark.parametrize("count", [3, 6])
def test_rows_without_rules_are_a_table(count: int) -> None:
    keys = [("Room", "Key", "Floor"), ("Kitchen", "A12", "1"), ("Attic", "B07", "3"), ("Cellar", "C99", "-1")]
    keys = [*keys, ("Garage", "D10", "0"), ("Study", "E11", "2")][:count]
    made = page(("Keys of the house",), y=260)
    rows(made, keys, (72, 222, 372))
    made.text(72, 500, "Ask the porter for spare keys.")
    text = text_of(made)
    assert table_in(text) == [list(row) for row in keys]
    assert text.startswith("Keys of the house\n\n|")
    assert text.endswith("|\n\nAsk the porter for spare keys.\n")


def test_a_cell_goes_on_where_the_other_cells_of_the_row_are_empty() -> None:
    made = PdfPage()
    bill = [
        ("Item", "Qty", "Price"),
        ("Oak shelf, two metres", "2", "149.00"),
        ("Delivery to the third floor", "1", "45.00"),
        ("of the house behind", "", ""),
        ("Total", "", "494.00"),
    ]
    rows(made, bill, (72, 330, 420), pitch=14)
    assert table_in(text_of(made)) == [
        ["Item", "Qty", "Price"],
        ["Oak shelf, two metres", "2", "149.00"],
        ["Delivery to the third floor of the house behind", "1", "45.00"],
        ["Total", "", "494.00"],
    ]


def test_a_table_across_two_columns_of_text_is_whole() -> None:
    made = add(page(y=200), HOUSE, 320, 200)
    rows(made, [("Room", "Key", "Floor"), ("Attic", "B07", "3"), ("Cellar", "C99", "-1")], (72, 222, 372), y=400)
    text = text_of(made)
    assert table_in(text) == [["Room", "Key", "Floor"], ["Attic", "B07", "3"], ["Cellar", "C99", "-1"]]
    assert text.index("fruit.") < text.index("The press house") < text.index("| Room")


def test_rows_between_few_rules_stay_rows_and_cells_of_text_stay_whole() -> None:
    few, full = PdfPage(), PdfPage()
    few.table(72, 300, [["State", "Capital"], ["", ""]], 150, 60)
    rows(few, [("Iowa", "Des Moines"), ("Utah", "Salt Lake City"), ("Ohio", "Columbus")], (76, 226), y=374, pitch=16)
    assert table_in(text_of(few)) == [
        ["State", "Capital"],
        ["Iowa", "Des Moines"],
        ["Utah", "Salt Lake City"],
        ["Ohio", "Columbus"],
    ]
    full.table(72, 300, [["Place", "Use"], ["", ""]], 220, 100)
    add(add(full, DIARY, 76, 414), HOUSE, 296, 414)
    assert table_in(text_of(full))[1] == [" ".join(DIARY), " ".join(HOUSE)]


def test_rows_that_go_on_outside_of_their_rules_stay_rows() -> None:
    made = PdfPage()
    made.table(200, 300, [["", ""], ["", ""]], 80, 70)
    rows(made, [("Offence", "2008", "2009")], (72, 210, 290), y=330)
    rows(made, [("Theft", "608", "471"), ("Arson", "8", "2"), ("Fraud", "98", "75")], (72, 210, 290), y=385, pitch=16)
    assert [row for row in table_in(text_of(made)) if row[0] != "Offence"] == [
        ["Theft", "608", "471"],
        ["Arson", "8", "2"],
        ["Fraud", "98", "75"],
    ]


def test_letters_that_are_spaced_are_words_and_a_list_of_letters_is_none() -> None:
    made = PdfPage()
    for number, letter in enumerate("INVOICE"):
        made.text(72 + 14 * number, 200, letter, 16)
    made.text(72, 240, "A N N U A L   R E P O R T:", 11)
    made.text(72, 280, "Answers A B C D E are possible, and I a m here.", 11)
    assert text_of(made).replace("# ", "").split() == (
        ["INVOICE", "ANNUAL", "REPORT:", "Answers", *"ABCDE", "are", "possible,", "and", *"Iam", "here."]
    )


@pytest.mark.parametrize(
    ("first", "second", "whole"),
    [
        ("our inter-", "national", "our international"),
        ("a ware-", "house", "a warehouse"),
        ("re-", "sult", "result"),
        ("a well-", "known brand", "a well-known brand"),
        ("by e-", "mail", "by e-mail"),
        ("state-of-the-", "art", "state-of-the-art"),
        ("in Post-", "Brexit", "in Post-Brexit"),
        ("of COVID-", "19", "of COVID-19"),
        ("of high-", "est", "of highest"),
        ("soft\u00ad", "ware", "software"),
        ("x" * 100_000 + "-", "y", "x" * 100_000 + "y"),
    ],
)
def test_a_word_divided_at_the_end_of_a_line_is_whole(first: str, second: str, whole: str) -> None:
    assert join_texts(first, second) == whole


def test_a_hyphen_that_the_document_has_within_lines_stays() -> None:
    lines = (
        "A data-set is what the others call a collection. Each data-",
        "set has a name, and each ware-",
        "house one.",
    )
    assert text_of(page(lines)) == (
        "A data-set is what the others call a collection. Each data-set has a name, and each warehouse one.\n"
    )


def raw(content: bytes, unicode: bytes = b"", annotations: bytes = b"", *more: bytes) -> bytes:
    """Return a PDF of one page with Helvetica as /F1, whose codes may stand for other characters."""
    cmap = b"/CIDInit/ProcSet findresource begin begincmap 1 begincodespacerange<00><ff>endcodespacerange\n"
    cmap += b"%d beginbfchar %s endbfchar endcmap end" % (unicode.count(b"\n") + 1, unicode)
    font = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding%s>>"
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Count 1/Kids[3 0 R]>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Annots[%s]"
        b"/Resources<</Font<</F1 5 0 R>>>>>>" % annotations,
        b"<</Length %d>>stream\n%s\nendstream" % (len(content), content),
        font % (b"/ToUnicode 6 0 R" if unicode else b""),
        b"<</Length %d>>stream\n%s\nendstream" % (len(cmap), cmap),
        *more,
    ]
    return file_of(objects, b"/Root 1 0 R")


def test_the_blanks_of_pdfium_are_taken_and_ligatures_are_letters() -> None:
    spaced = b"BT /F1 10 Tf 60 700 Td [(Large)-200(language)-180(models)] TJ ET"
    assert CONVERTERS.build("pdf").convert(raw(spaced), "pdf").text == "Large language models\n"
    ligatures = b"BT /F1 10 Tf 60 700 Td (o\x80cers in con\x81ict) Tj ET"
    unicode = b"<80><006600660069>\n<81><0066006C>"
    assert CONVERTERS.build("pdf").convert(raw(ligatures, unicode), "pdf").text == "officers in conflict\n"


def test_arabic_and_hebrew_are_read_from_right_to_left() -> None:
    unicode = b"\n".join(b"<%02x><%04x>" % (code, 0x5D0 + code - 0x61) for code in range(0x61, 0x7A))
    content = b"BT /F1 10 Tf 60 700 Td (fedc ba) Tj ET"
    assert CONVERTERS.build("pdf").convert(raw(content, unicode), "pdf").text == "אב גדהו\n"


def test_values_of_a_form_and_long_large_text_are_no_headings() -> None:
    form = PdfPage()
    for number in range(8):
        form.text(72, 150 + 40 * number, f"Label {number}", 7)
        form.text(72, 166 + 40 * number, f"Value of the field {number}", 11, "bold")
    add(form, DIARY, 72, 500, size=7)
    assert "#" not in text_of(form)
    large = page(
        tuple(f"This line of the notice number {number} is set in large letters." for number in range(6)), size=15
    )
    add(large, DIARY * 3, 72, 450)
    assert "#" not in text_of(large)
    titled = page(("A Title",), y=250, size=18)
    assert text_of(add(titled, DIARY, 72, 300)).startswith("# A Title\n\nThe orchard")
    assert text_of(add(page(("A Title", "", "Another"), y=250, size=18), DIARY, 72, 330)).startswith(
        "A Title\n\n# Another\n\n"
    )
    assert text_of(add(page(), ("The End",), 72, 450, size=18)).endswith("\n\nThe End\n")


def test_what_a_pdf_has_and_its_text_lacks_is_named() -> None:
    drawing = PdfPage()
    drawing.line(10, 10, 400, 400)
    pages = [page(), drawing, page(), page(), drawing, PdfPage(), page(HOUSE), page(HOUSE), drawing, drawing, drawing]
    for number, one in enumerate(pages):
        if one.parts and one is not drawing:
            one.text(200, 30, "Report of the harbour office", 8)
            one.text(290, 820, f"Page {number + 1}", 8)
    assert left_out(pdf(pages)) == [("page", 5, "2, 5, 9–11"), ("header", 1, "Report of the harbour office")]
    stamp = page()
    for degrees in (20, 40, 60, 80, 100):
        stamp.text(72, 300, "A word in a circle", turned=degrees)
    assert not left_out(pdf([stamp]))
    assert text_of(stamp).count("A word in a circle") == 5
    small = page()
    small.text(72, 400, "Nobody can read this", 0.3)
    assert left_out(pdf([page(), small])) == [("page_part", 1, "2")]
    comment = b"<</Type/Annot/Subtype/Text/Rect[10 10 20 20]/Contents(Is this right?)>>"
    field = b"<</Type/Annot/Subtype/Widget/FT/Tx/T(n)/V(Ada)/F 4/Rect[60 600 200 620]/AP<</N 7 0 R>>>>"
    look = b"BT /F1 10 Tf 2 5 Td (Ada Lovelace) Tj ET"
    about = b"/Type/XObject/Subtype/Form/BBox[0 0 140 20]/Resources<</Font<</F1 5 0 R>>>>"
    look = b"<<%s/Length %d>>stream\n%s\nendstream" % (about, len(look), look)
    content = b"BT /F1 10 Tf 60 700 Td (The name is below \x01\x01) Tj ET"
    form = raw(content, b"<41><0041>", comment + field, look)
    assert left_out(form) == [("character", 2, "1")]
    text = CONVERTERS.build("pdf").convert(form, "pdf").text
    assert "Ada Lovelace" in text
    assert text.endswith("\n\n> [!comment]\n> Is this right?\n")


def left_out(data: bytes) -> list[tuple[str, int, str]]:
    """Return what was left out of a PDF that is converted as an import does it."""
    return [(one.kind, one.count, one.place) for one in convert(data, "a.pdf")[0].left_out]


def test_a_block_of_code_ends_after_the_fences_in_it() -> None:
    made = page()
    for number, line in enumerate(("```", "bake()", "```", "~~~", "cool()")):
        made.text(72, 500 + 14 * number, line, 11, "fixed")
    text = text_of(made)
    assert "\n````\n```\nbake()\n```\n~~~\ncool()\n````\n" in text
