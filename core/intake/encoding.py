"""Decodes files to text, or reports why a file isn't text."""

import codecs
import re
from pathlib import PurePosixPath
from typing import NamedTuple

from core.base.encodings import (
    BOMS,
    ENCODINGS,
    decode_declared,
    display_encoding,
    is_readable,
    normalize_encoding,
)
from core.base.encodings.guessing import decode_undeclared, guesses
from core.base.errors import EditError, SourceError
from core.base.messages import message_table
from core.base.text import collapse_spaces, make_storable
from core.documents.kinds import too_large
from core.intake.placeholders import EmptyFile
from core.model import EncodingOrigin, Omission, ReadAs, TextEncoding

MAX_BYTES = 20 * 1024 * 1024
SAMPLE = 64 * 1024
# Number of characters to quote on each side of an unreadable character.
_AROUND = 20
# Number of a file's characters to show when the user chooses an encoding.
_SHOWN = 80
_SIGNATURES = message_table(
    {
        b"\x89PNG": "a PNG picture",
        b"\xff\xd8\xff": "a JPEG picture",
        b"GIF8": "a GIF picture",
        b"%PDF-": "a PDF",
        b"PK\x03\x04": "a zip archive or an Office document",
        b"\x1f\x8b": "a gzip archive",
    }
)
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\r\f\v\b\x1b")) + b"\x7f"


class Decoded(NamedTuple):
    """A file's text without its byte order mark, the file's encoding, and how the encoding was determined."""

    text: str
    encoding: str
    known: EncodingOrigin

    @property
    def text_encoding(self) -> TextEncoding | None:
        """The encoding to store with a note, or None if it is UTF-8 and the user didn't choose it."""
        if self.encoding == "utf-8" and self.known != "chosen":
            return None
        return TextEncoding(display_encoding(self.encoding), self.known)


def decode_file(data: bytes, path: str, *, most: int = MAX_BYTES, chosen: str = "") -> Decoded:
    """Decode a file using the encoding it declares, the chosen one, or the most likely one.

    Each invalid byte or NUL becomes a single U+FFFD, so that offsets in UTF-8 text stay valid. Raises SourceError if
    the data isn't text, is empty, or is larger than `most` bytes.
    """
    if not data:
        raise EmptyFile(path)
    if len(data) > most:
        raise too_large(path, len(data), most)
    for bom, encoding in BOMS:
        if data.startswith(bom):
            try:
                return Decoded(_text_only(data[len(bom) :].decode(encoding), path), encoding, "declared")
            except UnicodeDecodeError as error:
                raise SourceError(
                    path,
                    "This file is marked as {encoding} text, but byte {byte} is damaged. Save it again as UTF-8.",
                    encoding=encoding.upper(),
                    byte=error.start + len(bom),
                ) from error
    for signature, kind in _SIGNATURES.items():
        if data.startswith(signature):
            raise SourceError(
                path,
                "This file is {kind}, although its extension says that it is text. Correct the extension.",
                kind=kind,
            )
    if found := decode_declared(data, PurePosixPath(path).suffix[1:].lower(), chosen):
        text, encoding = found
        is_chosen = chosen and encoding == normalize_encoding(chosen)
        return Decoded(_text_only(text, path), encoding, "chosen" if is_chosen else "declared")
    if likely := decode_undeclared(data):
        text, encoding, known = likely
        return Decoded(_text_only(text, path, data if encoding == "utf-8" else None), encoding, known)
    raise SourceError(path, "This file isn't text in any known encoding. Save it as UTF-8 and try again.")


def encode_like(text: str, like: bytes, path: str, *, chosen: str) -> tuple[bytes, TextEncoding | None]:
    """Encode text like an existing file, including its byte order mark. Return the bytes and the encoding.

    If the encoding was guessed, it counts as chosen from now on. Raises EditError if the file contains unreadable
    bytes, if the encoding can't represent the text, or if the result would be decoded differently. Raises SourceError
    like `decode_file`.
    """
    before = decode_file(like, path, chosen=chosen)
    encoding = before.encoding
    mark = next((bom for bom, of in BOMS if of == encoding and like.startswith(bom)), b"")
    if mark + before.text.encode(encoding, "replace") != like:
        raise EditError(
            "'{path}' contains bytes that can't be read, and saving would lose them. Save the file as UTF-8 in "
            "another program first.",
            path=path,
        )
    try:
        data = mark + text.encode(encoding)
        after = decode_file(data, path, chosen="" if before.known == "declared" else encoding)
        if after.text == text:
            return data, after.text_encoding
    except UnicodeEncodeError:
        pass
    raise EditError(
        (
            "'{path}' uses the encoding {encoding}, which can't represent this text. Save the file "
            "as UTF-8 in another program first."
        ),
        path=path,
        encoding=display_encoding(encoding),
    )


def _text_only(text: str, path: str, data: bytes | None = None) -> str:
    """Replace NULs in text. Raises SourceError if there are many control characters.

    `data` is the text in UTF-8, if known.
    """
    if not text:
        raise EmptyFile(path)
    data = text.encode("utf-8", "replace") if data is None else data
    controls = len(data) - len(data.translate(None, _CONTROLS))
    if controls > 1 + len(text) // 100:
        raise SourceError(
            path,
            "This file contains binary data, although its extension says that it is text. If it is a file of another "
            "kind, correct the extension.",
        )
    return text.replace("\0", "�") if controls else text


def unreadable(text: str) -> tuple[Omission, ...]:
    """Return an omission that counts the U+FFFD characters in text, and quotes the first words with such a character.

    Return an empty tuple if the text contains no U+FFFD characters.
    """
    words = list[str]()
    at = text.find("�")
    # Quote up to three words.
    while at >= 0 and len(words) < 3:
        before = re.split(r"\s", text[max(0, at - _AROUND) : at])[-1]
        after = text[at : at + _AROUND].split()[0]
        words.append(before + after)
        at = text.find("�", at + len(after))
    return (Omission("character", text.count("�"), ", ".join(words)),) if words else ()


def readings(data: bytes, path: str) -> list[ReadAs]:
    """Return the encodings that a file may have, most likely first, followed by other common encodings that fit."""
    sample = data[:SAMPLE]
    found = [decode_file(data, path).encoding, *(guess.encoding for guess in guesses(data)), *ENCODINGS]
    read = []
    for encoding in dict.fromkeys(map(normalize_encoding, found)):
        text = codecs.getincrementaldecoder(encoding)("replace").decode(sample)
        if is_readable(text):
            # The first words with non-ASCII characters show whether the encoding is right.
            first = next((at for at, char in enumerate(text) if char > "\x7f"), 0)
            start = max(text.rfind("\n", 0, first) + 1, first - _SHOWN // 2)
            shown = collapse_spaces(make_storable(text[start:][: 2 * _SHOWN]))[:_SHOWN]
            read.append(ReadAs(display_encoding(encoding), shown))
    return read
