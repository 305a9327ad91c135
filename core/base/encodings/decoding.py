"""Bytes -> text, by what they declare, else in the likeliest encoding."""

import re

from core.base.encodings.declared import CHARACTERS_OF_DAMAGE, decode_declared
from core.base.encodings.guessing import guesses
from core.base.encodings.names import EncodingOrigin

_SAMPLE = 64 * 1024
_ESCAPES = (b"\x1b$", b"\x1b(J", b"\x1b(I")
"""Start of the parts of ISO-2022-JP that aren't ASCII."""


def decode_part(data: bytes, kind: str, charset: str = "") -> str:
    """Return the text of a part of a mail or a saved page, of a kind as a suffix; `charset` is that of its header."""
    found = decode_declared(data, kind, charset) or decode_undeclared(data)
    return found[0] if found else data.decode("utf-8", "replace")


def decode_undeclared(data: bytes) -> tuple[str, str, EncodingOrigin] | None:
    """Return the text of bytes that declare no encoding, the encoding, and how it is known; None for no text.

    Single invalid bytes become U+FFFD.
    """
    if text := _decode_iso_2022_jp(data):
        return text, "iso2022_jp_ext", "guessed"
    likely = guesses(data) if 0 in data[:_SAMPLE] else []
    if not (likely and likely[0].encoding.startswith("utf-16")):
        try:
            return data.decode("utf-8"), "utf-8", "declared"
        except UnicodeDecodeError:
            if _is_damaged_utf8(data):
                return data.decode("utf-8", "replace"), "utf-8", "declared"
    for guess in likely or guesses(data):
        text = data.decode(guess.encoding, "replace")
        if text.count("\ufffd") <= len(text) // CHARACTERS_OF_DAMAGE:
            return text, guess.encoding, "guessed" if guess.sure else "unsure"
    return None


def _decode_iso_2022_jp(data: bytes) -> str:
    """Return the text of ISO-2022-JP, which is recognized by its escapes; "" for other bytes."""
    if not data.isascii() or not any(tag in data for tag in _ESCAPES):
        return ""
    try:
        text = data.decode("iso2022_jp_ext")
    except UnicodeDecodeError:
        return ""
    return "" if text.isascii() or "\x1b" in text else text


def _is_damaged_utf8(data: bytes) -> bool:
    """Tell whether at least 95 % of the non-ASCII characters are valid UTF-8; no other encoding gives as many."""
    text = data.decode("utf-8", "replace")
    return text.count("�") * 20 <= sum(len(run) for run in re.findall(r"[^\x00-\x7f]+", text))
