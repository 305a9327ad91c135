"""The bytes of a picture -> its pixels, made small: unpacked in the process of documents, plain numbers here."""

import base64
from typing import Any

import numpy as np

from core.model import Pixels

NAME = "thumbnail"
_SIDE, _LEAST = 448, 56
"""Pixels of the longer side, and of the shorter one at least: models see 224 to 384."""


def packed(data: bytes) -> dict[str, Any]:
    """Return a picture as values for JSON; raises SourceError for one that is refused or damaged."""
    from core.documents.kinds import damaged
    from core.documents.ocr import made_smaller

    picture = made_smaller(data, _SIDE)
    try:
        if "A" in picture.getbands() or "transparency" in picture.info:
            from PIL import Image

            picture = picture.convert("RGBA")
            picture = Image.alpha_composite(Image.new("RGBA", picture.size, "white"), picture)
        width, height = (max(side, _LEAST) for side in picture.size)
        picture = picture.convert("RGB").resize((width, height))
    except (OSError, ValueError, SyntaxError) as error:
        raise damaged("") from error
    return {"height": height, "width": width, "pixels": base64.b64encode(picture.tobytes()).decode()}


def unpacked(values: dict[str, Any]) -> Pixels:
    """Return the pixels that `packed` gave."""
    flat = np.frombuffer(base64.b64decode(values["pixels"]), np.uint8)
    return flat.reshape(values["height"], values["width"], 3)
