"""OCR of pictures and scanned pages with rapidocr. Its package contains the models, so no network is needed."""

import base64
import io
import logging
import math
import re
from collections.abc import Callable, Sequence
from functools import cache
from importlib.metadata import version
from statistics import fmean, median
from typing import TYPE_CHECKING, Any

from core.base.errors import SourceError
from core.base.frozen import Values, frozen
from core.documents import Converted, process
from core.documents.kinds import PICTURES, damaged, has, name_of, need, wrong_kind
from core.documents.pdf.lines import GlyphRun
from core.documents.pdf.order import PageTable, order_parts
from core.markdown.writing import table

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from PIL.Image import Image
    from pypdfium2 import PdfDocument
    from rapidocr import RapidOCR

# The lines recognized in a picture become text by the same layout rules as in a PDF.

# Size in points to which the median line height is scaled.
_SIZE = 12.0


@frozen
class ScannedLine:
    """A line of text, and the corners of its box in pixels, as an array of shape (4, 2)."""

    corners: Any
    text: str

    @property
    def is_tall(self) -> bool:
        width, height = self.corners.max(axis=0) - self.corners.min(axis=0)
        return bool(height >= 1.5 * width)

    @property
    def tilt(self) -> float:
        """Angle between the box's longest edge and the horizontal, in radians."""
        x, y = max((self.corners - self.corners[[1, 2, 3, 0]]).tolist(), key=lambda edge: math.hypot(*edge))
        return math.atan(y / x) if x else 0.0


def turn_lines(
    lines: Sequence[ScannedLine], width: int, height: int, is_upside_down: Callable[[ScannedLine], bool]
) -> list[ScannedLine]:
    """Return a picture's lines, rotated so that most of them are upright and level."""
    import numpy as np

    down = sum(len(line.text) for line in lines if line.is_tall) > 0.5 * sum(len(line.text) for line in lines)
    votes = [
        is_upside_down(line) for line in sorted(lines, key=lambda line: -len(line.text))[:5] if line.is_tall == down
    ]
    corners = [line.corners for line in lines]
    if down:  # rotate counterclockwise
        corners = [np.stack([corner[:, 1], width - corner[:, 0]], axis=1) for corner in corners]
        width, height = height, width
    if 2 * sum(votes) > len(votes):
        corners = [np.array([width, height]) - corner for corner in corners]
    placed = [ScannedLine(corner, line.text) for corner, line in zip(corners, lines, strict=True)]
    tilt = median([line.tilt for line in placed if not line.is_tall] or [0.0])
    level = np.array([[math.cos(tilt), -math.sin(tilt)], [math.sin(tilt), math.cos(tilt)]])
    return [ScannedLine(line.corners @ level, line.text) for line in placed]


def text_in_order(lines: Sequence[ScannedLine]) -> str:
    """Return the text of the lines in reading order, column by column.

    Tables are written in Markdown. A gap between lines that is taller than a line becomes a blank line.
    """
    frames = [(*line.corners.min(axis=0).tolist(), *line.corners.max(axis=0).tolist()) for line in lines]
    scale = _SIZE / max(1.0, median(bottom - top for _, top, _, bottom in frames))
    runs = []
    for (x0, top, x1, bottom), line in zip(frames, lines, strict=True):
        own = (bottom - top) * scale
        # A line of about the usual size gets exactly that size.
        size = _SIZE if 0.6 * _SIZE < own < 1.5 * _SIZE else own
        baseline = (top + bottom) / 2 * scale + size / 2
        runs.append(GlyphRun(line.text, x0 * scale, x1 * scale, baseline, size))
    paragraphs = []
    for column in order_parts(runs, []):
        bottom = -math.inf  # of the previous line
        for part in column:
            if isinstance(part, PageTable):
                paragraphs.append(table(part.rows))
                bottom = -math.inf
                continue
            if part.top - bottom <= part.size:
                paragraphs[-1] += "\n" + part.text
            else:
                paragraphs.append(part.text)
            bottom = part.bottom
    return "\n\n".join(paragraphs)


MAX_PIXELS = 60_000_000


class NoText(SourceError):
    """A valid picture contains no text, or only text that OCR is unsure of."""


class Ocr:
    """Reads pictures. It also reads PDFs, treating every page as a picture."""

    kinds = "pdf " + " ".join(PICTURES)

    @property
    def version(self) -> str:
        return f"OCR (rapidocr {version('rapidocr')})" if has("rapidocr") else "rapidocr"

    def convert(self, data: bytes, kind: str) -> Converted:
        need("rapidocr")
        if kind != "pdf":
            if not re.match(PICTURES[kind], data[:64]):
                raise wrong_kind("", name_of(kind))
            # Shrink large pictures, which would take too long.
            text = text_of(shrink(data, 3000))
            if not text:
                raise NoText("", "No text can be read in this picture.")
            return Converted(text + "\n")
        from core.documents.pdf import reading

        with reading.open_document(data) as document:
            return reading.join_pages(
                (page_text(document, number) for number in range(1, len(document) + 1)),
                SourceError("", "This file contains no readable text."),
            )


def page_text(document: "PdfDocument", number: int) -> str:
    """Return the text of a PDF page. `number` counts from 1."""
    page = document[number - 1]
    width, height = page.get_size()
    # Draw the page with 150 dots per inch, or fewer if it is large.
    return text_of(page.render(scale=min(150 / 72, (MAX_PIXELS / max(1.0, width * height)) ** 0.5)).to_pil())


def text_of(picture: "Image") -> str:
    """Return a picture's text in reading order, or "" if there is no text or OCR is unsure of it."""
    import numpy as np

    process.grant_scan()
    image = np.asarray(picture.convert("RGB"))[:, :, ::-1]
    result = _engine()(image, use_det=True, use_cls=True, use_rec=True)
    # If the mean score is low, none of the text is used.
    if not result.txts or fmean(result.scores) < 0.75:
        return ""
    # Leave out doubtful lines. Correct ones score 0.9 or more.
    lines = [
        ScannedLine(np.asarray(box, dtype=float), text.strip())
        for box, text, score in zip(result.boxes, result.txts, result.scores, strict=True)
        if score >= 0.6
    ]
    # Check for signs of real text: OCR finds single letters in drawings, such as a `W` in the mouth of a face.
    if not any(re.search(r"\w\w|[^\x00-\u2fff]", line.text) for line in lines):
        return ""
    height, width = image.shape[:2]
    return text_in_order(turn_lines(lines, width, height, lambda line: _is_upside_down(image, line)))


def _is_upside_down(image: "NDArray[np.uint8]", line: ScannedLine) -> bool:
    """Return whether a line is upside down. A vertical line is first rotated counterclockwise."""
    import numpy as np

    left, top = np.maximum(line.corners.min(axis=0), 0).astype(int)
    right, bottom = line.corners.max(axis=0).astype(int) + 1
    cut = image[top:bottom, left:right]
    result = _engine()(np.rot90(cut) if line.is_tall else cut, use_det=False, use_cls=True, use_rec=False)
    return bool(result.cls_res) and "180" in result.cls_res[0][0]


def shrink(data: bytes, side: int) -> "Image":
    """Open a picture, shrink its longer side to at most `side` pixels, and turn the picture upright.

    Raises SourceError if the picture is damaged or has more than MAX_PIXELS. The size is checked before unpacking.
    """
    from PIL import Image, ImageOps, UnidentifiedImageError

    Image.MAX_IMAGE_PIXELS = None  # the limit below raises an error with advice
    try:
        picture = Image.open(io.BytesIO(data))
        width, height = picture.size
        if width * height > MAX_PIXELS:
            raise SourceError(
                "",
                "This picture has {width} x {height} pixels, but the limit is {most} million pixels. Make it smaller.",
                width=width,
                height=height,
                most=MAX_PIXELS // 10**6,
            )
        picture.thumbnail((side, side))
        return ImageOps.exif_transpose(picture)
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError) as error:
        raise damaged() from error


def thumbnail(data: bytes) -> Values:
    """Return a picture's thumbnail as JSON data. Raises SourceError if the picture is rejected or damaged."""
    # Models use pictures of 224 to 384 pixels.
    picture = shrink(data, 448)
    try:
        if "A" in picture.getbands() or "transparency" in picture.info:
            from PIL import Image

            picture = picture.convert("RGBA")
            picture = Image.alpha_composite(Image.new("RGBA", picture.size, "white"), picture)
        # Each side of a thumbnail has at least 56 pixels.
        width, height = (max(side, 56) for side in picture.size)
        picture = picture.convert("RGB").resize((width, height))
    except (OSError, ValueError, SyntaxError) as error:
        raise damaged() from error
    return {"height": height, "width": width, "pixels": base64.b64encode(picture.tobytes()).decode()}


@cache
def _engine() -> "RapidOCR":
    from rapidocr import RapidOCR

    logging.getLogger("RapidOCR").setLevel(logging.ERROR)
    return RapidOCR(
        params={
            "EngineConfig.onnxruntime.intra_op_num_threads": 2,
            "EngineConfig.onnxruntime.inter_op_num_threads": 1,
        }
    )
