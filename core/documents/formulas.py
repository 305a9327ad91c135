"""Formulas: as text where letters, numbers and raised or lowered signs say all, else between dollars as TeX."""

import re
from typing import Any

from core.documents.office import blocks

_RAISED = str.maketrans("0123456789+-=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ")
_LOWERED = str.maketrans("0123456789+-=()", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎")
_SCRIPT = re.compile(r"([\^_])(?:\{([^{}]*)\}|(\w))")
_TEXT = re.compile(r"[\w\s.,;:=+\-*/()\[\]<>%°′'!?]*")


def written(tex: str, *, is_block: bool) -> list[Any]:
    """Return a formula of TeX as inlines: `m^{2}` is m²."""
    named = tex.replace("\\|", "\\Vert ").replace("|", "\\vert ")  # a bar would end the cell of a table
    line = " ".join(named.split())
    text = _SCRIPT.sub(_script, line)
    if _TEXT.fullmatch(text):
        return blocks.inlines(text)
    mark = "$$" if is_block else "$"
    return [{"t": "RawInline", "c": ["markdown", f"{mark}{line}{mark}"]}]


def _script(match: "re.Match[str]") -> str:
    content = match[2] if match[2] is not None else match[3]
    made = content.translate(_RAISED if match[1] == "^" else _LOWERED)
    return match[0] if any(sign in content and sign.isalnum() for sign in made) else made
