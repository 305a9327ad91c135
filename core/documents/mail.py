"""E-mails -> Markdown: who wrote to whom and when, the text, forwarded mails; attached files are named."""

import email
import email.policy
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from email.message import EmailMessage
from email.utils import parseaddr, parsedate_to_datetime

from core.base.encodings.guessing import decode_part
from core.documents import Converted
from core.documents.kinds import damaged
from core.model import Omission

_HEADERS = ("From", "To", "Cc", "Date")
_DEEPEST = 20
"""Forwarded mails and parts in each other."""
_LONGEST = 10_000
"""Characters of a header up to which what is encoded in it is decoded: the parser of headers takes long for more."""
_ENCRYPTED = ("multipart/encrypted", "application/pkcs7-mime", "application/x-pkcs7-mime")
_SIGNATURES = ("application/pgp-signature", "application/pkcs7-signature", "application/x-pkcs7-signature")


@dataclass(slots=True)
class _Mail:
    """What was read of the parts of an e-mail."""

    texts: list[str] = field(default_factory=list)
    attached: list[str] = field(default_factory=list)
    encrypted: int = 0
    unreadable: int = 0


class Mail:
    """Reads e-mails as mail programs save them; `emlx` are Apple Mail's."""

    kinds = "eml emlx"
    version = "Tessera 1"

    def convert(self, data: bytes, kind: str) -> Converted:
        """Return an e-mail as Markdown; raises SourceError."""
        if kind == "emlx" and (size := re.match(rb"\s*(\d{1,12})\s*\n", data)):
            data = data[size.end() : size.end() + int(size[1])]
        message = email.message_from_bytes(data, policy=email.policy.default)
        if not any(message.get_all(name) for name in ("from", "to", "subject", "date", "received", "message-id")):
            raise damaged("")
        read = _Mail()
        _read(message, read, 0)
        text = "\n\n".join(filter(None, [_head(message), *read.texts]))
        if read.attached:
            text += "\n\n" + "\n".join(f"- Attachment: {name}" for name in read.attached)
        counts = {"attachment": len(read.attached), "encrypted": read.encrypted, "character": read.unreadable}
        left_out = tuple(
            Omission(kind, count, ", ".join(read.attached) if kind == "attachment" else "")
            for kind, count in counts.items()
            if count
        )
        author = parseaddr(_header(message, "From"))
        return Converted(
            f"{text}\n", _header(message, "Subject"), author[0] or author[1], _date(message), left_out=left_out
        )


def _head(message: EmailMessage) -> str:
    said = {name: _header(message, name) for name in _HEADERS}
    return "\n".join(f"- {name}: {text}" for name, text in said.items() if text)


def _header(message: EmailMessage, name: str) -> str:
    """Return a header on one line, "" for none; bytes of no declared charset are read like a text's."""
    text = next((str(value) for key, value in message.raw_items() if key.lower() == name.lower()), "")
    if text.isascii() and len(text) <= _LONGEST:
        with suppress(Exception):  # the parser of headers raises anything for hostile ones
            text = str(message.get(name, ""))
    return " ".join(decode_part(text.encode("utf-8", "surrogateescape"), "txt").split())


def _date(message: EmailMessage) -> str:
    try:
        at: datetime = parsedate_to_datetime(_header(message, "Date"))
        return at.isoformat()
    except (ValueError, TypeError, IndexError, OverflowError):
        return ""


def _read(part: EmailMessage, into: _Mail, depth: int) -> None:
    """Read a part and those in it; of those that say the same, the one that says most plainly."""
    kind, name = part.get_content_type(), _name(part)
    if depth > _DEEPEST:
        into.attached.append(name or kind)
    elif kind in _ENCRYPTED:
        into.encrypted += 1
    elif kind == "multipart/alternative":
        _read_best([*_parts(part)], into, depth)
    elif kind == "message/rfc822":
        for inner in _parts(part):
            into.texts += filter(None, [f"## {_header(inner, 'Subject') or '…'}", _head(inner)])
            _read(inner, into, depth + 1)
    elif part.is_multipart():
        for inner in _parts(part):
            _read(inner, into, depth + 1)
    elif kind in ("text/plain", "text/html") and part.get_content_disposition() != "attachment":
        into.texts.append(_text(part, into))
    elif kind not in _SIGNATURES:
        into.attached.append(name or kind)


def _read_best(parts: list[EmailMessage], into: _Mail, depth: int) -> None:
    """Read the plain text of some alternatives where it says as much as the others, else the last with text."""
    readings = []
    for part in parts:
        mail = _Mail()
        _read(part, mail, depth + 1)
        readings.append(mail)
        into.attached += mail.attached
        into.encrypted += mail.encrypted
    lengths = [sum(len(re.findall(r"\w+", text)) for text in reading.texts) for reading in readings]
    most = max(lengths, default=0)
    for mail, length in zip(readings, lengths, strict=True):
        if length and 2 * length >= most:
            into.texts += mail.texts
            into.unreadable += mail.unreadable
            return


def _parts(part: EmailMessage) -> Iterator[EmailMessage]:
    payload = part.get_payload()
    return (
        attached for attached in (payload if isinstance(payload, list) else []) if isinstance(attached, EmailMessage)
    )


def _text(part: EmailMessage, into: _Mail) -> str:
    payload = part.get_payload(decode=True)
    try:
        charset = str(part.get_content_charset() or "")
    except Exception:  # noqa: BLE001 as of a header
        charset = ""
    kind = part.get_content_subtype().replace("plain", "txt")
    text = decode_part(payload if isinstance(payload, bytes) else b"", kind, charset).replace("\r\n", "\n")
    into.unreadable += text.count("\ufffd")
    if kind == "html":
        from core.documents.pandoc import html_to_markdown

        return html_to_markdown(text).strip()
    return text.strip()


def _name(part: EmailMessage) -> str:
    try:
        return " ".join(str(part.get_filename() or "").split())
    except Exception:  # noqa: BLE001 as of a header
        return ""
