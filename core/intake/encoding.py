"""Bytes -> text, or the reason why they aren't text."""

import re
from collections.abc import Iterator

from core.errors import EditError, SourceError
from core.messages import message
from core.model import Omission

MAX_BYTES = 20 * 1024 * 1024
SAMPLE = 64 * 1024
_NAMED, _AROUND = 3, 20
"""Words with unreadable characters that are named, and how many of their characters on each side of one."""

_BOMS = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
_SIGNATURES = {
    b"\x89PNG": message("a PNG picture"),
    b"\xff\xd8\xff": message("a JPEG picture"),
    b"GIF8": message("a GIF picture"),
    b"%PDF-": message("a PDF"),
    b"PK\x03\x04": message("a zip archive or an Office document"),
    b"\x1f\x8b": message("a gzip archive"),
}
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\r\f\v\b\x1b")) + b"\x7f"


def decode(data: bytes, path: str, *, most: int = MAX_BYTES) -> tuple[str, str]:
    """Return the text without its byte order mark, and the encoding's name.

    Single invalid bytes in UTF-8 and single NULs become U+FFFD, one character each, so that offsets
    stay the same. Raises SourceError for data that isn't text, is empty or has more than `most` bytes.
    """
    if not data:
        raise SourceError(path, "is empty.")
    if len(data) > most:
        raise too_large(path, len(data), most)
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            try:
                return _text_only(data[len(bom) :].decode(encoding), path), encoding
            except UnicodeDecodeError as error:
                raise SourceError(
                    path,
                    "begins as {encoding} but is damaged at byte {byte}.",
                    encoding=encoding.upper(),
                    byte=error.start + len(bom),
                ) from error
    for signature, kind in _SIGNATURES.items():
        if data.startswith(signature):
            raise SourceError(path, "is {kind}, not text, whatever its name says.", kind=kind)
    for candidate in _guesses(data):
        try:
            return _text_only(data.decode(candidate), path), candidate
        except UnicodeDecodeError:
            continue
    if _is_damaged_utf8(data):
        return _text_only(data.decode("utf-8", "replace"), path), "utf-8"
    raise SourceError(path, "is not text in any known encoding. Save it as UTF-8 and try again.")


def encoded(text: str, like: bytes, path: str) -> bytes:
    """Return a text in the encoding of the bytes of a file, with their byte order mark.

    Raises EditError where bytes of the file can't be read, and where the text can't be held in that encoding or would
    be read in another one; SourceError as `decode` does.
    """
    before, encoding = decode(like, path)
    mark = next((bom for bom, of in _BOMS if of == encoding and like.startswith(bom)), b"")
    if mark + before.encode(encoding, "replace") != like:
        raise EditError(
            "'{path}' holds bytes that can't be read, and saving would drop them. Save it as UTF-8 in another program "
            "first.",
            path=path,
        )
    try:
        data = mark + text.encode(encoding)
        if decode(data, path)[0] == text:
            return data
    except UnicodeEncodeError:
        pass
    raise EditError(
        "'{path}' is in the encoding {encoding}, which can't hold this text. Save it as UTF-8 in another program "
        "first.",
        path=path,
        encoding=encoding.upper(),
    )


def too_large(path: str, size: int, most: int = MAX_BYTES) -> SourceError:
    """Return the error for a file over the limit."""
    return SourceError(path, "is {size:.1f} MB; the limit is {limit} MB.", size=size / 2**20, limit=most // 2**20)


def _guesses(data: bytes) -> Iterator[str]:
    """Yield the encodings to try, the likeliest first, judged by a sample."""
    sample = data[:SAMPLE]
    if b"\0" not in sample:
        yield "utf-8"
    wide_share, wide = max((_familiar(sample, name), name) for name in ("utf-16-le", "utf-16-be"))
    if b"\0" in sample:
        if wide_share > 0.9:
            yield wide
        yield "utf-8"
    if _controls(sample) > 1 + len(sample) // 100 or _is_damaged_utf8(data):
        return
    if _familiar(sample, "gb18030") >= max(wide_share, 0.6):
        yield "gb18030"
    if wide_share > 0.9:
        yield wide
    yield from _detected(sample)


def _is_damaged_utf8(data: bytes) -> bool:
    """Tell whether at least 95 % of the non-ASCII characters are valid UTF-8; no other encoding gives as many."""
    text = data.decode("utf-8", "replace")
    return text.count("�") * 20 <= sum(len(run) for run in re.findall(r"[^\x00-\x7f]+", text))


def _familiar(sample: bytes, encoding: str) -> float:
    """Return the share of everyday Chinese characters among the sample's non-ASCII characters.

    Everyday characters are GB 2312's first level (3,755 characters) and its punctuation. Random bytes
    and text of other encodings decode to rare characters. In the two-byte encodings ASCII counts as
    everyday text, because it tells the byte order.
    """
    text = sample[: len(sample) & ~1].decode(encoding, "ignore")
    if "\0" in text:
        return 0.0
    if encoding == "gb18030":
        text = re.sub(r"[\x00-\x7f]+", "", text)
    familiar = sum(" " <= char <= "~" or char in "\t\r\n" for char in text)
    lead_bytes = re.sub(r"[\x00-\x7f]+", "", text).encode("gb2312", "ignore")[::2]
    familiar += sum(0xB0 <= lead <= 0xD7 or lead in (0xA1, 0xA3) for lead in lead_bytes)
    return familiar / len(text) if text else 0.0


def _detected(sample: bytes) -> Iterator[str]:
    """Yield the encoding that charset-normalizer detects in the sample. It is too slow for whole files."""
    from charset_normalizer import from_bytes

    whole_lines = sample[: sample.rfind(b"\n") + 1] if len(sample) == SAMPLE else sample
    best = from_bytes(whole_lines or sample).best()
    if best is not None:
        yield best.encoding


def _controls(data: bytes) -> int:
    return len(data) - len(data.translate(None, _CONTROLS))


def _text_only(text: str, path: str) -> str:
    if not text:
        raise SourceError(path, "is empty.")
    controls = _controls(text.encode("utf-8", "replace"))
    if controls > 1 + len(text) // 100:
        raise SourceError(path, "holds binary data, not text, whatever its name says.")
    return text.replace("\0", "�") if controls else text


def unreadable(text: str) -> tuple[Omission, ...]:
    """Return how many characters of a file show as U+FFFD, if any do, and the first words in which they stand."""
    words: list[str] = []
    at = text.find("�")
    while at >= 0 and len(words) < _NAMED:
        before, after = re.split(r"\s", text[max(0, at - _AROUND) : at])[-1], text[at : at + _AROUND].split()[0]
        words.append(before + after)
        at = text.find("�", at + len(after))
    return (Omission("character", text.count("�"), ", ".join(words)),) if words else ()
