"""Conversion of PDF files to Markdown, based on their layout."""

import re
from importlib.metadata import version

from core.base.errors import SourceError
from core.base.messages import plural
from core.documents import Converted
from core.documents.kinds import has, need, sound_title


class Pdf:
    """Reads text with pdfium, tables with pdfplumber, and scanned pages with OCR if OCR is installed."""

    kinds = "pdf"

    @property
    def version(self) -> str:
        if not has("pdfplumber"):
            return "pdfplumber"
        return f"pdfplumber {version('pdfplumber')}, pdfium {version('pypdfium2')}"

    def convert(self, data: bytes, kind: str) -> Converted:
        """Convert a PDF to Markdown, with the offset of each page. Raises SourceError."""
        need("pdfplumber")
        from core.documents.ocr import Ocr, page_text
        from core.documents.pdf import layout, reading

        views = []
        left = reading.LeftOut()
        asides = {}
        with reading.open_document(data) as document:
            outline = reading.outline(document)
            count = len(document)
            left.files += reading.attached_files(document)
            for number in range(1, count + 1):
                page = reading.page(document, number)
                made = layout.views_of(page)
                left.check(page, layout.letters_in(made))
                asides[number] = page.asides
                views += made
            is_read = has("rapidocr")
            if 0 < len(left.scans) == count and not is_read:
                raise scan()
            read = {number: page_text(document, number) for number in left.scans if is_read}
            stated = document.get_metadata_dict()
        text, starts, running = layout.text_of(views, count, outline, read, asides)
        if not text.strip():
            raise SourceError("", "This file contains no readable text.")
        unread = plural(
            "{n} page is a picture and was not read. To read it, run this command, restart Tessera, and import the "
            "file again: pip install 'tessera-notes[ocr]'",
            "{n} pages are pictures and were not read. To read them, run this command, restart Tessera, and import the "
            "file again: pip install 'tessera-notes[ocr]'",
            n=len(left.scans),
        )
        return Converted(
            text,
            title=sound_title(stated.get("Title", "")),
            author=stated.get("Author", "").strip(),
            created=_date(stated.get("CreationDate", "")),
            updated=_date(stated.get("ModDate", "")),
            pages=tuple(starts),
            warnings=(unread,) if left.scans and not is_read else (),
            left_out=left.omissions(read, running),
            tags=stated.get("Keywords", "").strip(),
            ocr=Ocr().version if any(read.values()) else "",
        )


class PdfText:
    """Reads a PDF's text in file order, regardless of the layout."""

    kinds = "pdf"

    @property
    def version(self) -> str:
        return f"pdfium {version('pypdfium2')}" if has("pypdfium2") else "pdfium"

    def convert(self, data: bytes, kind: str) -> Converted:
        """Return the lines of text on each page. Raises SourceError."""
        need("pypdfium2")
        from core.documents.pdf import reading
        from core.documents.pdf.lines import clean_text

        with reading.open_document(data) as document:
            pages = (page.get_textpage().get_text_range().splitlines() for page in document)
            return reading.join_pages(
                ("\n".join(clean_text(line).rstrip() for line in lines).strip() for lines in pages), scan()
            )


def scan() -> SourceError:
    """Return the error for a PDF with only scanned pages. It says how to install OCR."""
    return SourceError(
        "",
        "This file contains only scanned pages. To read them, run this command, restart Tessera, and import the file "
        "again: pip install 'tessera-notes[ocr]'",
    )


def _date(stated: str) -> str:
    """Convert a PDF date, such as D:20240131120000+01'00', to ISO 8601, or return "" if `stated` isn't one."""
    match = re.match(r"D:(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?", stated)
    if not match:
        return ""
    year, month, day, hour, minute, second = match.groups()
    date = f"{year}-{month or '01'}-{day or '01'}"
    return f"{date}T{hour}:{minute or '00'}:{second or '00'}" if hour else date
