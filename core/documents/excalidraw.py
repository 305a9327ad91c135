"""Drawings of Excalidraw -> the texts in them, in reading order."""

import json
from typing import Any

from core.base.errors import SourceError
from core.documents.obsidian import in_reading_order
from core.documents.protocol import Converted
from core.model import Omission


class Excalidraw:
    """Reads `.excalidraw` files; the pictures in them are named."""

    kinds = "excalidraw"
    version = "Tessera 1"

    def convert(self, data: bytes, kind: str) -> Converted:
        """Return the texts of a drawing; raises SourceError."""
        try:
            root = json.loads(data)
        except ValueError:
            root = None
        elements = root.get("elements") if isinstance(root, dict) else None
        if not isinstance(elements, list):
            raise SourceError("", "is no drawing of Excalidraw, whatever its name says.")
        drawn = [element for element in elements if isinstance(element, dict) and not element.get("isDeleted")]
        texts = [_text(item) for item in in_reading_order([item for item in drawn if _text(item)])]
        pictures = sum(item.get("type") == "image" for item in drawn)
        return Converted("\n\n".join(texts) + "\n", left_out=(Omission("picture", pictures),) if pictures else ())


def _text(element: dict[str, Any]) -> str:
    """Return what an element says: its text, the name of a frame, where it leads to."""
    words = element.get("originalText") or element.get("text") or element.get("name")
    link = element.get("link")
    said = [str(item).strip() for item in (words, f"<{link}>" if link else "") if item]
    return " ".join(filter(None, said))
