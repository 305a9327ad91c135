"""Texts of versions, compressed."""

import zlib


def packed(text: str) -> bytes:
    """Return a text as compressed UTF-8."""
    return zlib.compress(text.encode("utf-8", "surrogatepass"))


def unpacked(data: bytes) -> str:
    """Return the text of compressed UTF-8; raises ValueError and TypeError for other data."""
    try:
        return zlib.decompress(data).decode("utf-8", "surrogatepass")
    except zlib.error as error:
        raise ValueError(str(error)) from error
