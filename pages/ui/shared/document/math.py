"""Formulas as MathML, which browsers render; elements and attributes that aren't on the lists here are removed."""

import re
from collections.abc import Iterator
from html import unescape
from xml.etree.ElementTree import Element

from latex2mathml.converter import convert_to_element

from pages.ui.shared.formulas import formula
from pages.ui.shared.safe import html

MOST = 4_000
"""Characters of a formula; a longer one is shown as it is written."""
DEEPEST = 40
"""Braces within each other."""

_ELEMENTS = frozenset(
    "math mrow mi mo mn ms mtext mspace mfrac msqrt mroot msub msup msubsup munder mover munderover mtable mtr mtd mstyle"
    " mpadded mphantom menclose mlabeledtr".split()
)
_ATTRIBUTES = frozenset(
    "display mathvariant stretchy fence separator accent linethickness columnalign rowspacing columnspacing width"
    " minsize maxsize movablelimits displaystyle scriptlevel lspace rspace notation form symmetric largeop".split()
)
_VALUE = re.compile(r"[a-z -]{1,40}|-?\d{0,2}(?:\.\d{1,4})?(?:em|ex|px|pt|%)?")
_FENCES = {("(", ")"): "round", ("[", "]"): "square", ("|", "|"): "bars"}
"""Brackets around a table that the style draws: where no font for formulas is there, browsers don't stretch them."""
_ENVIRONMENT = re.compile(r"\\(begin|end)\{(aligned|alignedat|split|gathered|gather\*?|eqnarray\*?|equation\*?)\}")
_SIZE = re.compile(r"\\(?:tag|label)\*?\{[^{}]*\}|\\nonumber|\\notag")


def math(tex: str, *, block: bool) -> str:
    """Return a formula as HTML; one that can't be parsed as a line of its signs."""
    if len(tex) > MOST or _depth(tex) > DEEPEST:
        return f"<code>{html(tex[:MOST])}</code>"
    try:
        source = _ENVIRONMENT.sub(_environment, _SIZE.sub("", " ".join(tex.split())))
        element = convert_to_element(source, display="block" if block else "inline")
    except Exception:  # noqa: BLE001 the library's errors have nothing else in common
        return formula(tex)
    return "".join(_drawn(element))


def _environment(match: re.Match[str]) -> str:
    return "" if match[2].startswith("equation") else f"\\{match[1]}{{align*}}"


def _depth(tex: str) -> int:
    depth = most = 0
    for sign in re.findall(r"[{}]|\\(?:left|right|frac|sqrt|begin|end)\b|[_^]", tex):
        depth += {"{": 1, "}": -1, "\\end": -1, "\\right": -1}.get(sign, 0 if sign in "_^" else 1)
        depth = max(0, depth - (sign in ("\\frac", "\\sqrt")))
        most = max(most, depth)
    return most


def _drawn(element: Element) -> Iterator[str]:
    known = element.tag in _ELEMENTS
    children = list(_fenced(element))
    if known:
        attributes = (
            f' {name}="{html(value)}"'
            for name, value in element.attrib.items()
            if name in _ATTRIBUTES and _VALUE.fullmatch(value)
        )
        css = f' class="{css}"' if (css := element.get("class", "")) in _FENCES.values() else ""
        yield f"<{element.tag}{css}{''.join(attributes)}>"
    yield html(unescape(element.text or ""))
    for child in children:
        yield from _drawn(child)
        yield html(unescape(child.tail or ""))
    if known:
        yield f"</{element.tag}>"


def _fenced(element: Element) -> Iterator[Element]:
    """Yield the children of an element; of a table between brackets the table, with these as its class."""
    children = list(element)
    while children:
        first, *rest = children[:3]
        css = ""
        if [item.tag for item in (first, *rest)] == ["mo", "mtable", "mo"]:
            table, last = rest
            css = _FENCES.get((unescape(first.text or ""), unescape(last.text or "")), "")
        if css:
            table.set("class", css)
            table.tail = last.tail
            yield table
        else:
            yield first
        del children[: 3 if css else 1]
