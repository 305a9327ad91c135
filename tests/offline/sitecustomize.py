"""Refuses every connection that leaves this machine.

Python runs this file at the start of every process that finds it in PYTHONPATH; tests/conftest.py puts it there, and
runs it in the tests' own process. A connection that was refused is written down too, for whoever asked may hide it.
"""

import os
import sys
from pathlib import Path

RECORD = "TESTS_REFUSED_CONNECTIONS"
"""The environment variable that names the file."""

SAID = "Tests and what they start may reach this machine only, but the network was asked for"


def refuse(event: str, arguments: tuple[object, ...]) -> None:
    """Hear of every socket's use, that of libraries' compiled parts of Python too; raises AssertionError."""
    if event in ("socket.connect", "socket.sendto", "socket.sendmsg"):
        address = arguments[1]
        host = address[0] if isinstance(address, tuple) else None  # else the path of a socket of this machine
    elif event in ("socket.getaddrinfo", "socket.gethostbyname"):
        host = arguments[0]
    else:
        return
    host = host.decode(errors="replace") if isinstance(host, bytes) else host
    if isinstance(host, str) and host not in ("", "localhost", "::1") and not host.startswith("127."):
        if record := os.environ.get(RECORD):
            with Path(record).open("a", encoding="utf-8") as file:
                file.write(f"{host}\n")
        raise AssertionError(f"{SAID} {host}.")


sys.addaudithook(refuse)
