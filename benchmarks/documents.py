"""Documents that are made of the words of a vault in Latin letters: Word documents, a book as a PDF, scans."""

import io
import re
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.documents.making import of_markdown
from tests.documents.pdfs import HEIGHT, PdfPage, pdf

_WORD = re.compile(r"\b[A-Za-z]{2,}\b")
_PARAGRAPH, _PARAGRAPHS = 40, 30
"""Words of a paragraph, and paragraphs of a Word document."""
_LINES, _LETTERS = 45, 90
"""Lines of a page, and letters of a line."""
_SCAN = (1240, 1754)
"""Pixels of a page of A4 at 150 dots an inch."""


def words(folder: Path) -> list[str]:
    """Return the words of a folder's notes, in order."""
    return [word for file in sorted(folder.rglob("*.md")) for word in _WORD.findall(file.read_text("utf-8"))]


def word_document(text: Sequence[str], number: int) -> bytes:
    """Return a Word document of headings, paragraphs, lists and tables; each number begins at other words."""
    start = number * _PARAGRAPH * _PARAGRAPHS % len(text)
    parts = [f"% Document {number}"]
    for at in range(_PARAGRAPHS):
        part = [text[(start + _PARAGRAPH * at + word) % len(text)] for word in range(_PARAGRAPH)]
        match at % 10:
            case 0 | 5:
                parts.append("## " + " ".join(part[:4]))
            case 2 | 7:
                parts.append("\n".join(f"- {' '.join(part[word : word + 5])}" for word in range(0, _PARAGRAPH, 5)))
            case 4:
                rows = [" | ".join(part[word : word + 4]) for word in range(0, _PARAGRAPH, 4)]
                parts.append("\n".join(f"| {row} |" for row in (rows[0], "---|---|---|---", *rows[1:])))
            case _:
                parts.append(" ".join(part) + ".")
    return of_markdown("\n\n".join(parts), "docx")


def book(text: Sequence[str], count: int) -> bytes:
    """Return a PDF of so many pages, with chapters, a running head and the numbers of the pages."""
    lines, made = textwrap.wrap(" ".join(text), _LETTERS), []
    for number in range(count):
        page = PdfPage()
        page.text(60, 40, "The book", 9)
        page.text(300, HEIGHT - 30, str(number + 1), 9)
        if number % 10 == 0:
            page.text(60, 70, f"Chapter {number // 10 + 1}", 18, "bold")
        for at in range(_LINES):
            page.text(60, 95 + 15 * at, lines[(number * _LINES + at) % len(lines)], 10)
        made.append(page)
    return pdf(made)


def scan(text: Sequence[str], count: int, kind: str = "PDF") -> bytes:
    """Return so many pages that are pictures of text, as a PDF or in another format of Pillow's."""
    from PIL import Image, ImageDraw, ImageFont

    lines, font, images = textwrap.wrap(" ".join(text[: 1_000 * count]), 80), ImageFont.load_default(24), []
    for at in range(count):
        images.append(Image.new("RGB", _SCAN, "white"))
        drawing = ImageDraw.Draw(images[-1])
        for row, line in enumerate(lines[40 * at : 40 * (at + 1)]):
            drawing.text((80, 80 + 40 * row), line, "black", font)
    made = io.BytesIO()
    more: dict[str, Any] = {"save_all": True, "append_images": images[1:]} if kind == "PDF" else {}
    images[0].save(made, kind, **more)
    return made.getvalue()
