"""A notebook of Jupyter in which pandoc reads everything: it drops raw cells of other formats than its output's."""

import json
from typing import Any

from core.markdown.parts import code_block

_MARKDOWN = ("markdown", "text/markdown")


def prepared(data: bytes) -> bytes:
    """Return a notebook with its raw cells as Markdown: what is of another format is a block of code."""
    try:
        notebook = json.loads(data)
    except (ValueError, RecursionError):
        return data
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    raw = (
        [item for item in cells if isinstance(item, dict) and item.get("cell_type") == "raw"]
        if isinstance(cells, list)
        else []
    )
    for cell in raw:
        cell |= {"cell_type": "markdown", "source": _raw_cell(cell)}
    return json.dumps(notebook).encode() if raw else data


def _raw_cell(cell: dict[str, Any]) -> str:
    source, said = cell.get("source", ""), cell.get("metadata")
    text = "".join(map(str, source)) if isinstance(source, list) else str(source)
    said = said if isinstance(said, dict) else {}
    if {said.get("format"), said.get("raw_mimetype")} & {*_MARKDOWN} or not text.strip():
        return text
    return code_block(text)
