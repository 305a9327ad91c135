"""Documents generated from the words of a vault in Latin script: Word documents, a book as a PDF, scans."""

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
"""Number of words per paragraph, and of paragraphs per Word document."""
_LINES, _LETTERS = 45, 90
"""Number of lines per page, and of letters per line."""
_SCAN = (1240, 1754)
"""Size of an A4 page in pixels at 150 dpi."""


def words(folder: Path) -> list[str]:
    """Return the words of a folder's notes, in order."""
    return [word for file in sorted(folder.rglob("*.md")) for word in _WORD.findall(file.read_text("utf-8"))]


def word_document(text: Sequence[str], number: int) -> bytes:
    """Return a Word document with headings, paragraphs, lists and tables; each number starts at different words."""
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
    """Return a PDF with this many pages, with chapters, a running head and page numbers."""
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
    """Return this many pages as pictures of text, in a PDF or another format of Pillow."""
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
