"""Fetches a web page from a public address on the user's behalf, with a single request."""

import codecs
import http.client
import ipaddress
import re
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import blake2b
from importlib.metadata import version
from urllib.parse import SplitResult, quote, urljoin, urlsplit

from core.base.encodings import decode_declared, normalize_encoding
from core.base.errors import SourceError
from core.base.frozen import frozen

MAX_BYTES = 20 * 1024 * 1024
SECONDS = 30.0
_KINDS = {
    "text/html": ".html",
    "application/xhtml+xml": ".xhtml",
    "application/pdf": ".pdf",
    "text/markdown": ".md",
    "text/plain": ".txt",
}
# The IPv6 range used by internet hosts.
_UNICAST = ipaddress.IPv6Network("2000::/3")
_OVER_IPV4 = ipaddress.IPv6Network("2002::/16")
# Addresses used in IPv6-only networks (NAT64), with an IPv4 address in the last four bytes.
_TRANSLATED = ipaddress.IPv6Network("64:ff9b::/96")
_SAFE = "/%:@!$&'()*+,;=~-._?"


@frozen
class WebPage:
    """A fetched page, with its address, a file name, and its bytes."""

    address: str
    name: str
    data: bytes


def fetch(address: str) -> WebPage:
    """Fetch a page. Redirects aren't followed, and nothing that the page links to is loaded.

    Raises SourceError if the address isn't public, or if the response isn't a page, is too large, or takes too long.
    """
    parts = address_parts(address)
    host = str(parts.hostname)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        connection = http.client.HTTPConnection(host, port)
        # Connect to the address that was checked, because a second lookup could return a different one.
        connection.sock = _connect(address, host, port, encrypted=parts.scheme == "https")
        try:
            with _in_time(connection.sock, address):
                return _read_answer(connection, address)
        finally:
            connection.close()
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise SourceError(
            address,
            "This page can't be reached ({why}). Check the address and the network connection.",
            why=str(error) or type(error).__name__,
        ) from error


def address_parts(address: str) -> SplitResult:
    """Split the address of a web page into its parts. Raises SourceError for any other address."""
    with suppress(ValueError):
        parts = urlsplit(address)
        if parts.scheme in ("http", "https") and parts.hostname and not (parts.username or parts.password):
            _ = parts.port  # raises ValueError
            return parts
    raise SourceError(
        address,
        ("This isn't the address of a web page. Such an address begins with https:// and contains no password."),
    )


def _connect(address: str, host: str, port: int, *, encrypted: bool) -> socket.socket:
    """Connect to a host's first reachable address. All the host's addresses must be public."""
    found = list(dict.fromkeys(str(entry[4][0]) for entry in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)))
    if not found or not all(map(_is_public, found)):
        raise SourceError(address, "This address is on this machine or its local network. The page was not imported.")
    for number in found:
        try:
            plain = socket.create_connection((number, port), timeout=SECONDS / len(found))
            break
        except OSError:
            if number == found[-1]:
                raise
    plain.settimeout(SECONDS)
    return ssl.create_default_context().wrap_socket(plain, server_hostname=host) if encrypted else plain


def _is_public(number: str) -> bool:
    parsed = ipaddress.ip_address(number.partition("%")[0])
    if isinstance(parsed, ipaddress.IPv6Address):
        inner = ipaddress.IPv4Address(int(parsed) & 0xFFFFFFFF) if parsed in _TRANSLATED else parsed.ipv4_mapped
        if inner is None:
            return parsed.is_global and parsed in _UNICAST and parsed not in _OVER_IPV4
        parsed = inner
    return parsed.is_global and not parsed.is_multicast


@contextmanager
def _in_time(connected: socket.socket, address: str) -> Iterator[None]:
    """Shut down a connection after `SECONDS`, even if bytes are still trickling in."""
    over = threading.Event()

    def end() -> None:
        over.set()
        with suppress(OSError):
            socket.socket.shutdown(connected, socket.SHUT_RDWR)

    timer = threading.Timer(SECONDS, end)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        if over.is_set():
            raise SourceError(
                address,
                "This page takes longer than {n} seconds to load. Try again later, or save the page in a browser "
                "and import the file.",
                n=int(SECONDS),
            )


def _read_answer(connection: http.client.HTTPConnection, address: str) -> WebPage:
    parts = urlsplit(address)
    target = quote(parts.path or "/", safe=_SAFE) + (f"?{quote(parts.query, safe=_SAFE)}" if parts.query else "")
    headers = {"User-Agent": f"Tessera/{version('tessera-notes')}", "Accept": ", ".join(_KINDS), "Connection": "close"}
    connection.request("GET", target, headers=headers)
    answer = connection.getresponse()
    if answer.status in range(300, 400):
        raise SourceError(
            address,
            "This address redirects to {other}. Import that address instead.",
            other=urljoin(address, answer.headers.get("Location", "?"))[:500],
        )
    if answer.status != http.HTTPStatus.OK:
        raise SourceError(
            address, "The server answered with status {status}. Check the address in a browser.", status=answer.status
        )
    kind = answer.headers.get_content_type()
    if kind not in _KINDS:
        raise SourceError(
            address,
            "This page has the type {kind}, which Tessera can't read. Save its text as a file and import that file.",
            kind=kind,
        )
    data = bytearray()
    while block := answer.read1(65_536):
        data += block
        if len(data) > MAX_BYTES:
            raise SourceError(
                address,
                "This page is larger than {limit} MB. Save its text as a file and import that file.",
                limit=MAX_BYTES >> 20,
            )
    suffix = _KINDS[kind]
    return WebPage(
        address, _name(address, suffix), in_its_charset(bytes(data), suffix, answer.headers.get_content_charset())
    )


def in_its_charset(data: bytes, suffix: str, charset: str | None) -> bytes:
    """Convert text from a response's charset to UTF-8 with a byte order mark, as a file can't store the charset."""
    if suffix == ".pdf" or normalize_encoding(charset or "") in ("", "utf-8"):
        return data
    declared = decode_declared(data, suffix[1:], charset or "")
    return codecs.BOM_UTF8 + declared[0].encode() if declared else data


def _name(address: str, suffix: str) -> str:
    """Return the path for a page's note, made of the host, path and query in characters allowed on every system.

    A hash is appended if another page could get the same path.
    """
    parts = urlsplit(address)
    path = parts.path.strip("/").removesuffix(suffix)
    rest = re.sub(r"[^\w.-]+", "-", f"{path}-{parts.query}").strip("-.")[:120]
    if parts.port or parts.query or rest.replace("-", "/") != path:
        rest += "-" + blake2b(f"{parts.port}{parts.path}?{parts.query}".encode(), digest_size=4).hexdigest()
    return f"{str(parts.hostname)[:100]}/{rest.lstrip('-') or 'index'}{suffix}"
