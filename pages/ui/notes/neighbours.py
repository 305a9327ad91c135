"""Draw a note's neighbours, with the notes that link to it on the left and the notes it links to on the right."""

from collections.abc import Mapping, Sequence
from math import sqrt
from unicodedata import east_asian_width

from pages.ui.shared.document import SourceSpan
from pages.ui.shared.document.drawing import to_note
from pages.ui.shared.safe import html, t_html

# Maximum number of notes in the drawing.
MOST = 20
# Maximum number of notes in the drawing that are similar in meaning but not linked.
NEAR = 6
_WIDTH = 400
_ROW = 26
_HEAD = 24
_CENTRE = _WIDTH / 2
# Distance from the centre to the top and bottom notes, and extra distance of the middle notes, in pixels.
_NARROW = 26
_BULGE = 34
# Maximum length of a title in Latin letters. A wide character counts as two.
_TITLE = 19

Place = tuple[float, float]


def draw(
    back: Sequence[SourceSpan], to: Sequence[SourceSpan], near: Sequence[SourceSpan], links: Sequence[tuple[str, str]]
) -> str:
    """Return the drawing as HTML, or "" if there are no neighbours.

    `back` are the notes that link to the note, `to` the notes it links to, and `near` the notes similar in meaning.
    `links` are the links among the neighbours, as pairs of note ids.
    """
    linked = {place.id for place in (*back, *to)}
    near = [place for place in near if place.id not in linked][:NEAR]
    half = (MOST - len(near)) // 2
    right = [*to[:half]]
    left = [place for place in back if place not in right][:half]
    for place in near:
        (left if len(left) <= len(right) else right).append(place)
    if not (left or right):
        return ""
    height = _HEAD + _ROW * max(len(left), len(right))
    middle = (_CENTRE, (_HEAD + height) / 2)
    places = {**_places(left, -1, middle[1], height), **_places(right, 1, middle[1], height)}
    lines = [_line(places[one], places[other], "side") for one, other in links if one in places and other in places]
    nodes = []
    for place in (*left, *right):
        x, y = places[place.id]
        css = "near" if place in near else ""
        lines.append(_line(middle, (x, y), css))
        beside, anchor = (-9, "to-left") if x < _CENTRE else (9, "")
        nodes.append(
            f'{to_note(place)}<circle class="{css}" cx="{x:.0f}" cy="{y:.0f}" r="4"/>'
            f'<text x="{x + beside:.0f}" y="{y + 4:.0f}" class="{anchor}">{html(_short(place.title))}</text></a>'
        )
    heads = f'''<text x="{_CENTRE - 12}" y="12" class="head to-left">{t_html("link here")}</text>''' if back else ""
    heads += f'''<text x="{_CENTRE + 12}" y="12" class="head">{t_html("linked from here")}</text>''' if to else ""
    legend = f'<p class="legend">{t_html("dashed line: close in meaning")}</p>' if near else ""
    return (
        f'<div class="graph"><svg viewBox="0 0 {_WIDTH} {height}" role="group"'
        f' aria-label="{t_html("Notes linked to this note or similar to it")}">{heads}{"".join(lines)}'
        f'<circle cx="{middle[0]}" cy="{middle[1]:.0f}" r="6"/>{"".join(nodes)}</svg>{legend}</div>'
    )


def _places(notes: Sequence[SourceSpan], side: int, middle: float, height: float) -> Mapping[str, Place]:
    """Return the positions of the notes on one side, keyed by note id. The notes are placed along a curve."""
    places = {}
    for number, note in enumerate(notes):
        y = middle + (number - (len(notes) - 1) / 2) * _ROW
        away = min(1.0, 2 * abs(y - middle) / height)
        places[note.id] = (_CENTRE + side * (_NARROW + _BULGE * sqrt(1 - away**2)), y)
    return places


def _line(start: Place, end: Place, css: str) -> str:
    return f'<path class="{css}" d="M{start[0]:.0f} {start[1]:.0f}L{end[0]:.0f} {end[1]:.0f}"/>'


def _short(title: str) -> str:
    """Truncate a title to fit in the drawing."""
    room = _TITLE
    for number, letter in enumerate(title):
        room -= 2 if east_asian_width(letter) in "WF" else 1
        if room < 0:
            return f"{title[:number].rstrip()}…"
    return title
