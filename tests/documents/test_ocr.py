"""What OCR reads of a picture -> text: its columns, tables, and pictures that are turned or tilted."""

import math
import re
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image

from core.documents import Converted, converting, ocr
from core.documents.pdf import Pdf
from core.workspace import Workspace
from tests.documents.pdfs import PdfPage, pdf
from tests.documents.test_pdf import DIARY, HOUSE

KEYS = [("Room", "Key", "Floor"), ("Attic", "B07", "3"), ("Cellar", "C99", "2")]
WIDTH, HEIGHT = 1100, 800
READ = f"{chr(10).join(DIARY)}\n\n{chr(10).join(HOUSE)}\n\n| Room | Key | Floor |\n|---|---|---|\n"


class Engine:
    """Returns the lines of two columns and a table as rapidocr would on a picture that is turned."""

    def __init__(self, degrees: float) -> None:
        self.degrees = degrees

    def __call__(self, image: object, *, use_det: bool, use_cls: bool, use_rec: bool) -> SimpleNamespace:
        if not use_det:
            upside_down = self.degrees in (180, 90)  # what is turned to the left is read after a turn to the left
            return SimpleNamespace(cls_res=[("180" if upside_down else "0", 0.99)])
        lines = [(60, 60 + 40 * number, text) for number, text in enumerate(DIARY)]
        lines += [(600, 60 + 40 * number, text) for number, text in enumerate(HOUSE)]
        lines += [
            (60 + 300 * column, 500 + 40 * number, cell)
            for number, row in enumerate(KEYS)
            for column, cell in enumerate(row)
        ]
        boxes = [self._turned(x, y, 13.0 * len(text), 24) for x, y, text in lines]
        return SimpleNamespace(boxes=boxes, txts=[text for _, _, text in lines], scores=[0.99] * len(lines))

    def _turned(self, x: float, y: float, width: float, height: float) -> np.ndarray:
        corners = np.array([[x, y], [x + width, y], [x + width, y + height], [x, y + height]]) - [WIDTH / 2, HEIGHT / 2]
        a, b = math.cos(math.radians(self.degrees)), math.sin(math.radians(self.degrees))
        turned = corners @ np.array([[a, -b], [b, a]])
        centre = np.array([WIDTH, HEIGHT] if self.degrees % 180 != 90 else [HEIGHT, WIDTH]) / 2
        return turned + centre


@pytest.mark.parametrize("degrees", [0, 90, 180, 270, 2, -3])
def test_a_scan_is_read_by_columns_and_rows_however_it_is_turned(
    degrees: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ocr, "_engine", lambda: Engine(degrees))
    size = (WIDTH, HEIGHT) if degrees % 180 != 90 else (HEIGHT, WIDTH)
    assert ocr.text_of(Image.new("RGB", size, "white")) == f"{READ}| Attic | B07 | 3 |\n| Cellar | C99 | 2 |"


def test_letters_of_a_scan_that_ocr_misses_stay_and_its_text_comes_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.documents.pdf.has", lambda module: True)
    monkeypatch.setattr(ocr, "page_text", lambda document, number: "The orchard\n\nThe house")
    scanned = PdfPage()
    scanned.picture(Image.new("RGB", (100, 140), "white"))
    scanned.text(72, 300, "Plan 7")
    scanned.text(72, 400, "ORCHARD")
    scanned.text(300, 300, "fig 2", turned=90)
    converted = Pdf().convert(pdf([scanned]), "pdf")
    assert converted.text == "Plan 7\n\nfig 2\n\nThe orchard\n\nThe house\n"
    assert converted.ocr == ocr.Ocr().version
    assert re.fullmatch(r"OCR \(rapidocr [0-9.]+\)|rapidocr", converted.ocr)


def test_a_note_says_that_ocr_read_its_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = {"converted": asdict(Converted("A scan.", ocr="OCR (rapidocr 3)")), "version": "pdfium 4"}
    monkeypatch.setattr(converting, "_run", lambda *_: result)
    (tmp_path / "scans").mkdir()
    (tmp_path / "scans/a.pdf").write_bytes(pdf([PdfPage()]))
    monkeypatch.setenv("TESSERA_EMBEDDER", "tfidf")
    with Workspace(tmp_path / "workspace") as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(tmp_path / "scans"))
        (card,) = workspace.notes.all()
        document = workspace.notes.get(card.id).document
    assert document is not None
    assert document.converter == "pdfium 4, OCR (rapidocr 3)"


@pytest.mark.parametrize(
    ("read", "text"),
    [(["■", "W"], ""), (["_", "7"], ""), (["■", "W2"], "■\n\nW2"), (["福"], "福"), (["W", "Exit"], "W\n\nExit")],
)
def test_signs_and_letters_read_in_a_drawing_are_no_text(
    read: list[str], text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    boxes = [np.array([[40, y], [90, y], [90, y + 24], [40, y + 24]], dtype=float) for y in (40, 500)]
    found = SimpleNamespace(boxes=boxes[: len(read)], txts=read, scores=[0.9] * len(read), cls_res=[("0", 0.99)])
    monkeypatch.setattr(ocr, "_engine", lambda: lambda image, **how: found)
    assert ocr.text_of(Image.new("RGB", (WIDTH, HEIGHT), "white")) == text
