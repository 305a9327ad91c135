"""A few hostile archives of each kind; `python -m benchmarks.drills archives` tries thousands."""

import subprocess
import sys


def test_what_comes_from_outside_is_refused_or_can_be_used() -> None:
    """The drill forks for every archive, which a process of many tests with their threads can't do safely."""
    command = [sys.executable, "-m", "benchmarks.drills", "archives", "--count", "9", "--seed", "3"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "| all | 9 | 9 |" in done.stdout


_NOTICED = """
import socket
from contextlib import suppress
from benchmarks.drills import archives
from core.features.archives.collection import Archives
from core.base.errors import SourceError

def restore(self, place, name=""):
    with suppress(OSError):
        open('/etc/hostname').close()
    with suppress(OSError):
        socket.create_connection(('127.0.0.1', 9))
    raise SourceError("x", "y")

Archives.restore = restore
print(archives.again("JSON, values", 1, 2)[1].answer)
"""


def test_the_drill_notices_a_file_and_a_request() -> None:
    done = subprocess.run([sys.executable, "-c", _NOTICED], capture_output=True, text=True, timeout=300, check=False)
    assert "/etc/hostname is opened" in done.stdout, done.stdout + done.stderr
    assert "socket.connect" in done.stdout
