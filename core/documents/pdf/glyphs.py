"""The letters on a PDF page as read by pdfium, grouped by writing direction."""

import ctypes
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, NamedTuple

import pypdfium2.raw as pdfium
from pypdfium2 import PdfPage

from core.base.frozen import frozen
from core.documents.pdf.lines import Letter, clean_text

_MOST_LETTERS = 200_000
# Character codes that need special treatment: controls, space, hyphen, and glyphs without a character.
_SPECIAL = {*range(32), 32, 45, 0xFFFD, 0xFFFE, 0xFFFF}
# Codes used by TeX fonts (OT1, T1). If a font doesn't map them to characters, pdfium returns them unchanged.
_CODES = {
    **dict(zip((*range(11, 16), *range(27, 32)), ("ff", "fi", "fl", "ffi", "ffl") * 2, strict=True)),
    **dict(zip(range(16, 23), "“”„«»–—", strict=True)),
}
# Step to which directions are rounded, in degrees.
_STEP = 0.5


@frozen
class Direction:
    """The direction of a line, in degrees counterclockwise from upright, and whether its letters are mirrored."""

    degrees: float = 0.0
    mirrored: bool = False

    def is_like(self, other: "Direction") -> bool:
        """Return whether letters with the two directions may share a line."""
        apart = abs(self.degrees - other.degrees) % 360
        return self.mirrored == other.mirrored and min(apart, 360 - apart) <= 3.0

    def seen_from(self, upright: "Direction") -> "Direction":
        """Return this direction relative to the page rotated so that `upright` is upright."""
        degrees = self.degrees - upright.degrees
        if upright.mirrored:
            return Direction(-degrees % 360, not self.mirrored)
        return Direction(degrees % 360, self.mirrored)


UPRIGHT = Direction()


@dataclass(slots=True)
class Glyphs:
    """A page's letters by direction.

    `unknown` counts glyphs without a character, and `beyond` counts letters over the limit. Only the positions of
    upright letters are reliable. To read any other direction, rotate the page first.
    """

    letters: dict[Direction, list[Letter]] = field(default_factory=dict)
    unknown: int = 0
    beyond: int = 0

    @property
    def count(self) -> int:
        text = "".join(letter.text for letters in self.letters.values() for letter in letters)
        return sum(map(str.isalnum, text)) + self.beyond

    def directions(self) -> list[Direction]:
        """Return the directions of the letters, most frequent first. Similar directions count as one."""
        found = list[Direction]()
        for direction in sorted(self.letters, key=lambda letter: -len(self.letters[letter])):
            if self.letters[direction] and not any(map(direction.is_like, found)):
                found.append(direction)
        return sorted(found, key=lambda item: -len(self.alike(item)))

    def alike(self, wanted: Direction, without: Sequence[Direction] = ()) -> list[Letter]:
        """Return the visible letters in directions similar to `wanted` but not to any in `without`, in file order."""
        alike = [
            held
            for direction, held in self.letters.items()
            if direction.is_like(wanted) and not any(map(direction.is_like, without))
        ]
        letters = alike[0] if len(alike) == 1 else sorted(chain.from_iterable(alike), key=lambda letter: letter.at)
        return [letter for letter in letters if letter.size >= 0.5]


class _TextStyle(NamedTuple):
    """Properties shared by the letters in a text object, and the lists to add these letters to.

    If `varies` is True, each letter has its own baseline. `widest` limits a letter's width, because pdfium makes the
    boxes of vertical letters too wide on a rotated page. `drawn` is a second list for letters whose font has no
    size, or None for any other font.
    """

    size: float
    bold: bool
    fixed: bool
    letters: list[Letter]
    y: float
    varies: bool
    widest: float
    drawn: list[Letter] | None


def glyphs(loaded: PdfPage) -> Glyphs:
    left, _, _, top = loaded.get_bbox()
    page = loaded.get_textpage()
    raw = page.raw
    box = pdfium.FS_RECTF()
    made = Glyphs()
    code_of = _by_address(pdfium.FPDFText_GetUnicode, ctypes.c_uint)
    held_at = _by_address(pdfium.FPDFText_GetTextObject, ctypes.c_void_p)
    box_of = _by_address(pdfium.FPDFText_GetLooseCharBox, ctypes.c_int, ctypes.c_void_p)
    address = ctypes.cast(raw, ctypes.c_void_p).value
    box_address = ctypes.addressof(box)
    styles: dict[int | None, _TextStyle] = {}
    drawn_fonts: dict[int, list[Letter]] = {}
    down = set[int]()
    last = list[Letter]()
    left_before = right_before = 0.0
    shared = high = 0
    total = pdfium.FPDFText_CountChars(raw)
    for at in range(min(total, _MOST_LETTERS)):
        code = code_of(address, at)
        if code in _SPECIAL:
            generated = pdfium.FPDFText_IsGenerated(raw, at) == 1
            if code == 32 and generated and last:
                before = last[-1]
                last.append(replace(before, text=" ", x0=before.x1, at=at))
            if generated or code in {10, 13}:
                continue
            if code in _CODES and (_is_letter(code_of(address, at - 1)) or _is_letter(code_of(address, at + 1))):
                text = _CODES[code]
            elif code not in {2, 9, 32, 45}:
                made.unknown += 1
                continue
            else:
                # pdfium's code for a hyphen at the end of a line is 2.
                text = "-" if code == 2 else chr(code)
        elif code < 0x2E80:
            text = chr(code)
        elif 0xD800 <= code < 0xE000:
            if code < 0xDC00 or not high:
                high = code if code < 0xDC00 else 0
                continue
            text = chr(0x10000 + ((high - 0xD800) << 10) + (code - 0xDC00))
            high = 0
        else:
            text = clean_text(chr(code))
        held = held_at(address, at)
        style = styles.get(held)
        if style is None:
            style = styles[held] = _style(raw, at, made, drawn_fonts, down)
        size, bold, fixed, last, y, varies, widest, drawn = style
        box_of(address, at, box_address)
        x0 = box.left
        x1 = box.right
        letter = Letter(text, x0 - left, x1 - left, top - y, size, bold, fixed, at)
        if varies:
            letter.y = top - _origin(raw, at).imag
            letter.x1 = min(letter.x1, letter.x0 + widest)
        if drawn is not None:
            letter.size = box.top - box.bottom
            drawn.append(letter)
        last.append(letter)
        if x0 == left_before and x1 == right_before and last[-2:-1] and last[-2].at == at - 1:
            shared += 1
            if shared <= 4:  # these letters share the box of a ligature
                width = (x1 - x0) / shared
                for number, part in enumerate(last[-shared:]):
                    part.x0 = x0 - left + number * width
                    part.x1 = x0 - left + (number + 1) * width
        else:
            left_before = x0
            right_before = x1
            shared = 1
    page.close()
    for letters in drawn_fonts.values():
        tallest = max((letter.size for letter in letters), default=0.0)
        for letter in letters:
            letter.size = tallest
    made.beyond = max(0, total - _MOST_LETTERS)
    return made


def _by_address(function: Any, result: Any, *more: Any) -> Any:
    """Return a pdfium function that takes a text page and an index, in a form that accepts addresses as integers.

    The function is called for every letter, and ctypes objects would take a third of the total time.
    """
    return ctypes.PYFUNCTYPE(result, ctypes.c_void_p, ctypes.c_int, *more)(
        ctypes.cast(function, ctypes.c_void_p).value or 0
    )


def _is_letter(code: int) -> bool:
    return code > 32 and chr(code).isalnum()


def _origin(raw: object, at: int) -> complex:
    """Return a letter's origin, in points from the left and bottom of the page."""
    x = ctypes.c_double()
    y = ctypes.c_double()
    pdfium.FPDFText_GetCharOrigin(raw, at, x, y)
    return complex(x.value, y.value)


def _style(raw: object, at: int, made: Glyphs, drawn: dict[int, list[Letter]], down: set[int]) -> _TextStyle:
    """Return the properties shared by all letters in the same text object as the letter at index `at`.

    `drawn` holds the letters of drawn (Type 3) fonts, which have no name, by the font's address. `down` holds the
    addresses of the fonts used for vertical Chinese.
    """
    matrix = pdfium.FS_MATRIX()
    pdfium.FPDFText_GetMatrix(raw, at, matrix)
    held = pdfium.FPDFText_GetTextObject(raw, at)
    font = pdfium.FPDFTextObj_GetFont(held) if held else None
    address = 0
    is_drawn = bold = fixed = False
    if font:
        name = ctypes.create_string_buffer(200)
        pdfium.FPDFFont_GetBaseFontName(font, name, 200)
        called = name.value.decode("utf-8", "replace").lower()
        flags = pdfium.FPDFFont_GetFlags(font)
        # The flag for forced bold is 1 << 18, and the one for a fixed pitch is 1.
        bold = bool(
            pdfium.FPDFFont_GetWeight(font) >= 600 or flags & (1 << 18) or re.search("bold|heavy|black", called)
        )
        fixed = bool(
            "cjk" not in called
            and (flags & 1 or re.search(r"mono|courier|consol|menlo|typewriter|(?:cm|sf|ec|lm)(?:sl|it|vt)?tt", called))
        )
        address = ctypes.addressof(font.contents)
        is_drawn = not called
    if held and _runs_down(raw, at, held, matrix):
        down.add(address)
    # A drawn font's matrix may mirror the letters too, but it can't be queried.
    mirrored = not is_drawn and matrix.a * matrix.d < matrix.b * matrix.c
    degrees = math.degrees(math.atan2(matrix.b, matrix.a)) - 90 * (address in down)
    degrees = round(degrees / _STEP) * _STEP % 360
    letters = made.letters.setdefault(Direction(degrees, mirrored), [])
    size = pdfium.FPDFText_GetFontSize(raw, at) * math.hypot(matrix.c, matrix.d)
    return _TextStyle(
        size,
        bold,
        fixed,
        letters,
        _origin(raw, at).imag,
        abs(matrix.b) > 1e-4 * abs(matrix.a),
        size if address in down else math.inf,
        drawn.setdefault(address, []) if is_drawn else None,
    )


def _runs_down(raw: object, at: int, held: Any, matrix: Any) -> bool:
    """Return whether the next letter in a text object is below this one. `matrix` is this letter's matrix."""
    following = pdfium.FPDFText_GetTextObject(raw, at + 1)
    if not following or ctypes.addressof(following.contents) != ctypes.addressof(held.contents):
        return False
    step = (_origin(raw, at + 1) - _origin(raw, at)) * complex(matrix.a, -matrix.b)
    return step.imag < -10 * abs(step.real)
