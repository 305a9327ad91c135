"""A small writer of PDFs: text at places, ruled lines, pictures."""

import io
import math
import zlib
from dataclasses import dataclass, field
from typing import Any

WIDTH, HEIGHT = 595, 842
_FONTS = {"body": "Helvetica", "bold": "Helvetica-Bold", "fixed": "Courier"}


@dataclass
class PdfPage:
    """What is drawn on a page, by points from the top left; it is shown turned by `rotate` degrees with the clock."""

    parts: list[bytes] = field(default_factory=list)
    pictures: list[Any] = field(default_factory=list)
    rotate: int = 0

    def text(self, x: float, y: float, text: str, size: float = 11, font: str = "body", turned: float = 0) -> None:
        """Draw a line of text, `turned` by degrees against the clock around the middle of the page.

        One with Chinese is in a font that every reader of PDFs has.
        """
        if text.isascii():
            name, shown = (
                font,
                b"(" + text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)").encode() + b")",
            )
        else:
            name, shown = "wide", b"<" + text.encode("utf-16-be").hex().encode() + b">"
        a, b = math.cos(math.radians(turned)), math.sin(math.radians(turned))
        right, up = x - WIDTH / 2, HEIGHT / 2 - y
        place = (a, b, -b, a, WIDTH / 2 + a * right - b * up, HEIGHT / 2 + b * right + a * up)
        self.parts.append(b"BT /%s %g Tf %f %f %f %f %f %f Tm %s Tj ET" % (name.encode(), size, *place, shown))

    def line(self, x0: float, y0: float, x1: float, y1: float) -> None:
        """Draw a ruled line."""
        self.parts.append(b"%g %g m %g %g l S" % (x0, HEIGHT - y0, x1, HEIGHT - y1))

    def table(self, x: float, y: float, rows: list[list[str]], width: float = 120, height: float = 20) -> float:
        """Draw a ruled table; return where it ends."""
        bottom, right = y + height * len(rows), x + width * len(rows[0])
        for number in range(len(rows) + 1):
            self.line(x, y + number * height, right, y + number * height)
        for number in range(len(rows[0]) + 1):
            self.line(x + number * width, y, x + number * width, bottom)
        for row, cells in enumerate(rows):
            for column, cell in enumerate(cells):
                self.text(x + column * width + 4, y + row * height + 14, cell)
        return bottom

    def picture(self, image: Any) -> None:
        """Draw a picture over the whole page."""
        self.pictures.append(image)
        self.parts.append(b"q %d 0 0 %d 0 0 cm /P%d Do Q" % (WIDTH, HEIGHT, len(self.pictures) - 1))


def pdf(pages: list[PdfPage], *, title: str = "", encrypted: bool = False) -> bytes:
    """Return a PDF; an `encrypted` one says so, with a password that nobody knows."""
    objects: list[bytes] = []

    def add(data: bytes) -> int:
        objects.append(data)
        return len(objects)

    fonts = {
        name: add(b"<</Type/Font/Subtype/Type1/BaseFont/%s/Encoding/WinAnsiEncoding>>" % base.encode())
        for name, base in _FONTS.items()
    }
    descriptor = add(
        b"<</Type/FontDescriptor/FontName/STSong-Light/Flags 6/FontBBox[-25 -254 1000 880]/ItalicAngle 0"
        b"/Ascent 880/Descent -120/CapHeight 880/StemV 93>>"
    )
    wide = add(
        b"<</Type/Font/Subtype/CIDFontType0/BaseFont/STSong-Light/DW 1000"
        b"/CIDSystemInfo<</Registry(Adobe)/Ordering(GB1)/Supplement 2>>/FontDescriptor %d 0 R>>" % descriptor
    )
    fonts["wide"] = add(
        b"<</Type/Font/Subtype/Type0/BaseFont/STSong-Light/Encoding/UniGB-UCS2-H/DescendantFonts[%d 0 R]>>" % wide
    )
    listed = b"".join(b"/%s %d 0 R" % (name.encode(), number) for name, number in fonts.items())
    parent = len(objects) + sum(2 + len(page.pictures) for page in pages) + 1
    kids = []
    for page in pages:
        images = b"".join(b"/P%d %d 0 R" % (number, add(_picture(image))) for number, image in enumerate(page.pictures))
        content = add(_stream(b"", b"\n".join(page.parts)))
        kids.append(
            add(
                b"<</Type/Page/Parent %d 0 R/MediaBox[0 0 %d %d]/Rotate %d/Contents %d 0 R"
                b"/Resources<</Font<<%s>>/XObject<<%s>>>>>>"
                % (parent, WIDTH, HEIGHT, page.rotate, content, listed, images)
            )
        )
    assert add(b"<</Type/Pages/Count %d/Kids[%s]>>" % (len(kids), b" ".join(b"%d 0 R" % kid for kid in kids))) == parent
    catalog = add(b"<</Type/Catalog/Pages %d 0 R>>" % parent)
    info = add(
        b"<</Title<feff%s>/Author(Ada)/CreationDate(D:20240131120000Z)>>" % title.encode("utf-16-be").hex().encode()
    )
    trailer = b"/Root %d 0 R/Info %d 0 R" % (catalog, info)
    if encrypted:
        secret = add(b"<</Filter/Standard/V 1/R 2/P -44/O<%s>/U<%s>>>" % (b"5a" * 32, b"a5" * 32))
        trailer += b"/Encrypt %d 0 R/ID[<00><00>]" % secret
    return file_of(objects, trailer)


def _stream(entries: bytes, data: bytes) -> bytes:
    packed = zlib.compress(data)
    return b"<<%s/Filter/FlateDecode/Length %d>>stream\n%s\nendstream" % (entries, len(packed), packed)


def _picture(image: Any) -> bytes:
    stored = io.BytesIO()
    image.convert("RGB").save(stored, "JPEG", quality=90)
    data = stored.getvalue()
    about = b"/Type/XObject/Subtype/Image/Width %d/Height %d/ColorSpace/DeviceRGB/BitsPerComponent 8" % image.size
    return b"<<%s/Filter/DCTDecode/Length %d>>stream\n%s\nendstream" % (about, len(data), data)


def file_of(objects: list[bytes], trailer: bytes) -> bytes:
    """Return a PDF of objects, which are numbered from 1, with the entries of its trailer."""
    written, places = bytearray(b"%PDF-1.7\n"), []
    for number, one in enumerate(objects, 1):
        places.append(len(written))
        written += b"%d 0 obj\n%s\nendobj\n" % (number, one)
    start = len(written)
    written += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    written += b"".join(b"%010d 00000 n \n" % place for place in places)
    written += b"trailer<</Size %d%s>>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, trailer, start)
    return bytes(written)
