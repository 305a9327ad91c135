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
        drawn = [one for one in elements if isinstance(one, dict) and not one.get("isDeleted")]
        texts = [_text(one) for one in in_reading_order([one for one in drawn if _text(one)])]
        pictures = sum(one.get("type") == "image" for one in drawn)
        return Converted("\n\n".join(texts) + "\n", left_out=(Omission("picture", pictures),) if pictures else ())


def _text(element: dict[str, Any]) -> str:
    """Return what an element says: its text, the name of a frame, where it leads to."""
    words = element.get("originalText") or element.get("text") or element.get("name")
    link = element.get("link")
    said = [str(one).strip() for one in (words, f"<{link}>" if link else "") if one]
    return " ".join(filter(None, said))
