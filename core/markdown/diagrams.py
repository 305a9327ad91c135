"""Diagrams in Markdown: fences whose language draws one, and files of drawing programs."""

import re

_LANGUAGES = "mermaid|plantuml|puml|uml|dot|graphviz|d2|ditaa|bpmn|wavedrom|nomnoml|vega|vega-lite|excalidraw"
_FENCE = re.compile(
    rf"^[ \t>]*+(?:[-*+] )?(?:`{{3,}}|~{{3,}})[ \t]*\{{?[ \t]*\.?(?:{_LANGUAGES})\b", re.MULTILINE | re.IGNORECASE
)
_DRAWING = re.compile(r"!\[[^\n]{0,300}?\.(?:excalidraw|drawio|puml)\b", re.IGNORECASE)


def opens_diagram(line: str) -> bool:
    """Return whether the line that opens a fence names a language of diagrams."""
    return _FENCE.match(line) is not None


def has_diagram(text: str) -> bool:
    """Return whether a text has a fence with a diagram, or shows a drawing."""
    return _FENCE.search(text) is not None or _DRAWING.search(text) is not None
