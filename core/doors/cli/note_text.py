"""Texts of notes from the command line: from an option, from stdin, or from the person's editor."""

import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from core.base.errors import ConfigError, TesseraError
from core.base.terminal import _
from core.intake.encoding import MAX_BYTES


def text(given: str | None, before: str, name: str) -> str:
    """Return a text: the argument, else that of stdin, else the old one as edited in the editor."""
    if given is not None:
        return given
    return _edited(before, name) if sys.stdin.isatty() else _read(before)


@contextmanager
def kept(text: str) -> Iterator[None]:
    """Write an edited text into a file if it can't be stored, and print its path."""
    try:
        yield
    except TesseraError:
        if sys.stdin.isatty():
            with tempfile.NamedTemporaryFile("w", encoding="utf-8", newline="", suffix=".md", delete=False) as file:
                file.write(text)
            sys.stderr.write(f"{_('Your text is in {file}.', file=file.name)}\n")
        raise


def _read(before: str) -> str:
    try:
        data = sys.stdin.buffer.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise ConfigError(
                "More than {limit} MB came from stdin, so nothing is written. Split it into several notes.",
                limit=MAX_BYTES // 2**20,
            )
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigError("What came from stdin is no text in UTF-8, so nothing is written.") from error
    if before and not text.strip():
        raise ConfigError("Nothing came from stdin, so the note stays as it is. --body '' empties it.")
    return text


def _edited(before: str, name: str) -> str:
    """Return a text as the user edits it in an editor, in a file of the note's name."""
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ("notepad" if os.name == "nt" else "vi")
    with tempfile.TemporaryDirectory() as folder:
        stem = "".join(char for char in PurePosixPath(name).stem if char.isalnum() or char in " -_")[:60].strip()
        file = Path(folder, f"{stem or 'note'}.md")
        file.write_bytes(before.encode("utf-8"))
        try:
            ended = subprocess.run([*shlex.split(editor), str(file)], check=False).returncode
        except OSError as error:
            raise ConfigError("The editor '{editor}' can't be started. Set $EDITOR.", editor=editor) from error
        if ended:
            raise ConfigError("The editor '{editor}' ended with {n}, so nothing is written.", editor=editor, n=ended)
        try:
            return file.read_bytes().decode("utf-8")
        except UnicodeDecodeError as error:
            raise ConfigError("The editor stored no text in UTF-8, so nothing is written.") from error
