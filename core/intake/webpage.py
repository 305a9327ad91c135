"""A page of the web by its address: one request, by a person's wish, to a public address and nowhere else."""

import http.client
import ipaddress
import re
import socket
import ssl
import time
from dataclasses import dataclass
from importlib.metadata import version
from urllib.parse import quote, urlsplit

from core.errors import SourceError

MAX_BYTES = 20 * 1024 * 1024
SECONDS = 30.0
_BLOCK = 65_536
_KINDS = {
    "text/html": ".html",
    "application/xhtml+xml": ".xhtml",
    "application/pdf": ".pdf",
    "text/markdown": ".md",
    "text/plain": ".txt",
}
_REDIRECTS = range(300, 400)


@dataclass(frozen=True, slots=True)
class WebPage:
    """What an address answered: its bytes, and the name of a file for them."""

    address: str
    name: str
    data: bytes


def is_address(text: str) -> bool:
    """Return whether a text is an address of the web."""
    return bool(re.match(r"https?://\S+$", text))


def fetch(address: str) -> WebPage:
    """Ask for a page. Nothing that it links to is loaded, and no redirect is followed.

    Raises SourceError for an address that isn't public, an answer that is none of a page, is too large or too late.
    """
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.password:
        raise SourceError(address, "is no address of a web page. It begins with https:// and holds no password.")
    ends = time.monotonic() + SECONDS
    try:
        port = parts.port or (443 if parts.scheme == "https" else 80)
        connection = http.client.HTTPConnection(parts.hostname, port)
        # The address that was checked is the one that is asked: a second look-up could lead elsewhere.
        connection.sock = _connected(address, parts.hostname, port, encrypted=parts.scheme == "https")
        try:
            return _answered(connection, address, ends)
        finally:
            connection.close()
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise SourceError(address, "can't be reached ({why}).", why=str(error) or type(error).__name__) from error


def _connected(address: str, host: str, port: int, *, encrypted: bool) -> socket.socket:
    found = {entry[4][0] for entry in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)}
    if not found or not all(_is_public(str(one)) for one in found):
        raise SourceError(address, "is an address of this machine or of its own network: refused.")
    plain = socket.create_connection((sorted(map(str, found))[0], port), timeout=SECONDS)
    return ssl.create_default_context().wrap_socket(plain, server_hostname=host) if encrypted else plain


def _is_public(number: str) -> bool:
    parsed = ipaddress.ip_address(number.partition("%")[0])
    mapped = getattr(parsed, "ipv4_mapped", None) or parsed
    return mapped.is_global and not mapped.is_multicast


def _answered(connection: http.client.HTTPConnection, address: str, ends: float) -> WebPage:
    parts = urlsplit(address)
    target = quote(parts.path or "/", safe="/%:@!$&'()*+,;=~-._") + (f"?{parts.query}" if parts.query else "")
    headers = {"User-Agent": f"Tessera/{version('tessera-notes')}", "Accept": ", ".join(_KINDS), "Connection": "close"}
    connection.request("GET", target, headers=headers)
    answer = connection.getresponse()
    if answer.status in _REDIRECTS:
        raise SourceError(
            address, "leads to {other}. Import that one.", other=answer.headers.get("Location", "?")[:500]
        )
    if answer.status != http.HTTPStatus.OK:
        raise SourceError(address, "answers with the status {status}.", status=answer.status)
    kind = answer.headers.get_content_type()
    if kind not in _KINDS:
        raise SourceError(address, "is of the kind {kind}, which isn't read.", kind=kind)
    data = bytearray()
    while block := answer.read1(_BLOCK):
        data += block
        if len(data) > MAX_BYTES:
            raise SourceError(address, "is more than {limit} MB.", limit=MAX_BYTES >> 20)
        if time.monotonic() > ends:
            raise SourceError(address, "takes longer than {n} seconds.", n=int(SECONDS))
    return WebPage(address, _name(address, _KINDS[kind]), bytes(data))


def _name(address: str, suffix: str) -> str:
    """Return the path of a page's note: its host, then its path and query in letters that every system allows."""
    parts = urlsplit(address)
    rest = re.sub(r"[^\w.-]+", "-", f"{parts.path}-{parts.query}").strip("-.").removesuffix(suffix)[:120]
    return f"{str(parts.hostname)[:100]}/{rest or 'index'}{suffix}"
