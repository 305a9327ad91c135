"""Conversion of emails to Markdown, including the main headers, forwarded emails, and attachment names."""

import email
import email.policy
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from email.message import EmailMessage
from email.utils import parseaddr, parsedate_to_datetime

from core.base.encodings.guessing import decode_part
from core.base.text import collapse_spaces
from core.documents import Converted
from core.documents.kinds import damaged
from core.model import Omission, summed

_SIGNATURE = "-- "


@dataclass(slots=True)
class _Mail:
    """The text and attachments read from an email's parts."""

    texts: list[str] = field(default_factory=list)
    attached: list[str] = field(default_factory=list)
    encrypted: int = 0
    unreadable: int = 0


class Mail:
    """Reads email files. `emlx` is Apple Mail's format."""

    kinds = "eml emlx"
    version = "Tessera 1"

    def convert(self, data: bytes, kind: str) -> Converted:
        if kind == "emlx" and (size := re.match(rb"\s*(\d{1,12})\s*\n", data)):
            data = data[size.end() : size.end() + int(size[1])]
        message = email.message_from_bytes(data, policy=email.policy.default)
        if not any(map(message.get_all, ("from", "to", "subject", "date", "received", "message-id"))):
            raise damaged()
        read = _Mail()
        _read(message, read, 0)
        attached = "\n".join(f"- Attachment: {name}" for name in read.attached)
        text = "\n\n".join(filter(None, [_head(message), *read.texts, attached]))
        name, address = parseaddr(_header(message, "From"))
        created = ""
        with suppress(ValueError, TypeError, IndexError, OverflowError):
            created = parsedate_to_datetime(_header(message, "Date")).isoformat()
        return Converted(
            f"{text}\n",
            _header(message, "Subject"),
            name or address,
            created,
            left_out=summed(
                (
                    Omission("attachment", len(read.attached), ", ".join(read.attached)),
                    Omission("encrypted", read.encrypted),
                    Omission("character", read.unreadable),
                )
            ),
        )


def _head(message: EmailMessage) -> str:
    return "\n".join(f"- {name}: {text}" for name in ("From", "To", "Cc", "Date") if (text := _header(message, name)))


def _header(message: EmailMessage, name: str) -> str:
    """Return a header on one line, or "" if it is missing. An undeclared charset is guessed."""
    text = next((str(value) for key, value in message.raw_items() if key.lower() == name.lower()), "")
    # The header parser is slow for long headers.
    if text.isascii() and len(text) <= 10_000:
        with suppress(Exception):  # the header parser may raise any error for a hostile header
            text = str(message.get(name, ""))
    return collapse_spaces(decode_part(text.encode("utf-8", "surrogateescape"), "txt"))


def _read(part: EmailMessage, into: _Mail, depth: int) -> None:
    """Read a part and the parts within it. If there are several alternatives, read only the best one."""
    kind = part.get_content_type()
    name = ""
    with suppress(Exception):  # see `_header`
        name = collapse_spaces(str(part.get_filename() or ""))
    # Only the names of more deeply nested parts are kept.
    if depth > 20:
        into.attached.append(name or kind)
    elif kind in ("multipart/encrypted", "application/pkcs7-mime", "application/x-pkcs7-mime"):
        into.encrypted += 1
    elif kind == "multipart/alternative":
        _read_best(_parts(part), into, depth)
    elif part.is_multipart():
        for inner in _parts(part):
            if kind == "message/rfc822":
                into.texts += filter(None, [f"## {_header(inner, 'Subject') or '…'}", _head(inner)])
            _read(inner, into, depth + 1)
    elif kind in ("text/plain", "text/html") and part.get_content_disposition() != "attachment":
        into.texts.append(_text(part, into))
    elif kind not in ("application/pgp-signature", "application/pkcs7-signature", "application/x-pkcs7-signature"):
        into.attached.append(name or kind)


def _read_best(parts: Iterator[EmailMessage], into: _Mail, depth: int) -> None:
    """Read the first alternative that contains at least 60% of the last alternative's words.

    If there is none, read the longest alternative, counting the last alternative's length double.
    """
    readings = []
    for part in parts:
        mail = _Mail()
        _read(part, mail, depth + 1)
        into.attached += mail.attached
        into.encrypted += mail.encrypted
        text = re.sub(r"https?://\S+|\]\([^()\s]*\)", " ", "\n".join(mail.texts).lower())
        if words := {*re.findall(r"\w+", text)}:
            readings.append((words, mail))
    if not readings:
        return
    last = readings[-1][0]
    best = next(
        (mail for words, mail in readings[:-1] if len(words & last) >= 0.6 * len(last)),
        max(readings, key=lambda reading: len(reading[0]) / (1 if reading[0] is last else 2))[1],
    )
    into.texts += best.texts
    into.unreadable += best.unreadable


def _parts(part: EmailMessage) -> Iterator[EmailMessage]:
    payload = part.get_payload()
    return (held for held in payload if isinstance(held, EmailMessage)) if isinstance(payload, list) else iter(())


def _text(part: EmailMessage, into: _Mail) -> str:
    payload = part.get_payload(decode=True)
    charset = ""
    flowed = delsp = False
    with suppress(Exception):  # see `_header`
        flowed = part.get_param("format") == "flowed"
        delsp = part.get_param("delsp") == "yes"
        charset = str(part.get_content_charset() or "")
    kind = part.get_content_subtype().replace("plain", "txt")
    text = decode_part(payload if isinstance(payload, bytes) else b"", kind, charset).replace("\r\n", "\n")
    into.unreadable += text.count("\ufffd")
    if kind == "html":
        from core.documents.pandoc import html_to_markdown

        return html_to_markdown(text).strip()
    return _as_markdown(_join_lines(text, delsp=delsp) if flowed else text).strip()


def _join_lines(text: str, *, delsp: bool) -> str:
    """Return text with each paragraph on one line (RFC 3676). `delsp` says to drop the space at the end of a line."""
    made = []
    flows = -1  # quote depth of the paragraph that continues, or -1 if none does
    for line in text.split("\n"):
        content = line.lstrip(">")
        depth = len(line) - len(content)
        content = content.removeprefix(" ")
        goes_on = content.endswith(" ") and content != _SIGNATURE
        if flows != depth or content == _SIGNATURE:
            made.append([">" * depth + " " * bool(depth)])
        made[-1].append(content[:-1] if goes_on and delsp else content)
        flows = depth if goes_on else -1
    return "\n".join(map("".join, made))


def _as_markdown(text: str) -> str:
    """Escape plain text so that it contains no Markdown headings or HTML."""
    made = list[str]()
    for line in text.split("\n"):
        rule = re.fullmatch(r"((?:> ?)*) {0,3}(?:-+|=+)[ \t]*", line)
        if rule and made and made[-1].strip("> \t"):
            made.append(rule[1].rstrip())
        line = re.sub(r"^((?:> ?)* {0,3})(#{1,6}(?:[ \t]|$))", r"\1\\\2", line)
        made.append(re.sub(r"<(?=[A-Za-z/!?])(?!(?:[a-z]{3,9}:|[\w.+-]{1,99}@)[^\s<>]*>)", r"\\<", line))
    return "\n".join(made)
