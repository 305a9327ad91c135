"""Bytes -> text, or a sentence that says why they are none."""

import re
from collections.abc import Iterator

from core.errors import SourceError

MAX_BYTES = 20 * 1024 * 1024
SAMPLE = 64 * 1024

_BOMS = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
_SIGNATURES = {
    b"\x89PNG": "a PNG picture",
    b"\xff\xd8\xff": "a JPEG picture",
    b"GIF8": "a GIF picture",
    b"%PDF-": "a PDF",
    b"PK\x03\x04": "a zip archive or an Office document",
    b"\x1f\x8b": "a gzip archive",
}
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\r\f\v\b\x1b")) + b"\x7f"


def decode(data: bytes, path: str) -> tuple[str, str]:
    """Return the text without its byte order mark, and the encoding's name.

    Single bytes that are wrong in UTF-8, and single NULs, become U+FFFD: one character each, so that
    offsets hold. Raises SourceError for what is not text, is empty or is over MAX_BYTES.
    """
    if not data:
        raise SourceError(path, "is empty.")
    if len(data) > MAX_BYTES:
        raise too_large(path, len(data))
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            try:
                return _text_only(data[len(bom) :].decode(encoding), path), encoding
            except UnicodeDecodeError as error:
                reason = f"begins as {encoding.upper()} but is damaged at byte {error.start + len(bom)}."
                raise SourceError(path, reason) from error
    for signature, kind in _SIGNATURES.items():
        if data.startswith(signature):
            raise SourceError(path, f"is {kind}, not text, whatever its name says.")
    for candidate in _guesses(data):
        try:
            return _text_only(data.decode(candidate), path), candidate
        except UnicodeDecodeError:
            continue
    if _is_damaged_utf8(data):
        return _text_only(data.decode("utf-8", "replace"), path), "utf-8"
    raise SourceError(path, "is not text in any known encoding. Save it as UTF-8 and try again.")


def too_large(path: str, size: int) -> SourceError:
    """Say that a file is over the limit."""
    return SourceError(path, f"is {size / 2**20:.1f} MB; the limit is {MAX_BYTES // 2**20} MB.")


def _guesses(data: bytes) -> Iterator[str]:
    """Encodings worth trying, the likeliest first, each judged by a sample only."""
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
    """Whether all but a twentieth of the characters beyond ASCII are good UTF-8: no other encoding is."""
    mended = data.decode("utf-8", "replace")
    return mended.count("�") * 20 <= sum(len(run) for run in re.findall(r"[^\x00-\x7f]+", mended))


def _familiar(sample: bytes, encoding: str) -> float:
    """The share of the sample's characters beyond ASCII that everyday Chinese is written with.

    Those are GB 2312's first level (3,755 characters) and its punctuation. Random bytes, and other
    encodings taken for this one, land on rare characters. ASCII counts as familiar in the two-byte
    encodings, where it tells the byte order.
    """
    text = sample[: len(sample) & ~1].decode(encoding, "ignore")
    if "\0" in text:
        return 0.0
    if encoding == "gb18030":
        text = re.sub(r"[\x00-\x7f]+", "", text)
    known = sum(" " <= char <= "~" or char in "\t\r\n" for char in text)
    pairs = re.sub(r"[\x00-\x7f]+", "", text).encode("gb2312", "ignore")[::2]
    known += sum(0xB0 <= lead <= 0xD7 or lead in (0xA1, 0xA3) for lead in pairs)
    return known / len(text) if text else 0.0


def _detected(sample: bytes) -> Iterator[str]:
    """What charset-normalizer takes the sample for; slow on more than a sample."""
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


def damage(text: str) -> tuple[str, ...]:
    """Say how many characters were lost, if any."""
    count = text.count("�")
    if not count:
        return ()
    return (f"{count} character{'s' * (count > 1)} of the file can't be read and show as '�'.",)
