"""The commands of `tessera note` that take a note's text or run several operations.

The text comes from an option, stdin or the user's editor.
"""

import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Annotated

import typer

from core.base.codec import assemble
from core.base.errors import ConfigError, NoteNotFound, TesseraError
from core.base.terminal import _
from core.doors.cli.binding import Command, Commands
from core.doors.cli.calling import RunOperation, call, opened
from core.doors.cli.options import WORKSPACE, Base, Folder, Json, argument, option
from core.doors.cli.terminal import show
from core.intake.encoding import MAX_BYTES
from core.operations import notes as operations
from core.operations import views
from core.operations.printing import sentence
from core.operations.views import ChangedNote, WholeNote

app = typer.Typer()

Body = Annotated[str | None, option("--body", "The text. By default, it comes from stdin or your editor.")]


def new(workspace: Path, path: str, title: str | None, *, body: Body = None, **fields: object) -> WholeNote:
    text = _read_text(body, "", path or title or "note")
    if not text.strip() and not title:
        raise ConfigError("The note has no text and no title, so it wasn't saved.")
    with _save_on_failure(text), opened(workspace) as run:
        return run(operations.show, note=run(operations.new, body=text, path=path, title=title, **fields).id)


def edit(workspace: Path, note: str, expected_version: int | None, *, body: Body = None) -> ChangedNote:
    with opened(workspace, writes=False) as run:
        before = run(operations.show, note=note)
        if run(operations.history, note=before.id).versions[0].kind == "delete":
            raise NoteNotFound(note)
    text = _read_text(body, before.body, before.path or before.title)
    expected = expected_version or before.version
    with _save_on_failure(text), opened(workspace) as run:
        run(operations.update, note=before.id, body=text, expected_version=expected)
        return _compare(run, before)


def revert(workspace: Path, **arguments: object) -> ChangedNote:
    with opened(workspace) as run:
        before = run(operations.show, note=arguments["note"])
        run(operations.revert, **arguments)
        return _compare(run, before)


def _compare(run: RunOperation, before: WholeNote) -> ChangedNote:
    after = run(operations.show, note=before.id)
    return assemble(ChangedNote, after, changed=after.version != before.version)


@app.command("list", help=_("List the notes that match the given filters, or those in the trash."))
def list_(
    filters: Annotated[
        list[str] | None,
        argument("Filters as in the search box, such as tag:rust status:archived."),
    ] = None,
    base: Base = None,
    trash: Annotated[bool, option("--trash", "List the deleted notes instead.")] = False,
    workspace: Folder = WORKSPACE,
    as_json: Json = False,
) -> None:
    if trash:
        show(call(operations.trash, workspace, {"base": base}), as_json, views.format_trash)
        return
    show(
        call(operations.list_, workspace, {"bases": [base] if base else None, "filters": filters}),
        as_json,
        views.format_list,
    )


@app.command(
    help=_(
        "List what is waiting for your approval: new notes and changes from other programs. For a single note, "
        "show its text or what would change."
    )
)
def waiting(
    name: Annotated[str, argument("A note's id, path, title or alias.")] = "",
    base: Base = None,
    workspace: Folder = WORKSPACE,
    as_json: Json = False,
) -> None:
    if name:
        show(call(operations.proposed, workspace, {"note": name}), as_json, views.format_proposed)
    else:
        show(call(operations.waiting, workspace, {"base": base}), as_json, views.format_waiting)


def _read_text(text: str | None, before: str, name: str) -> str:
    """Return `text` if it was given. If not, let the user edit the old text, or read stdin if it isn't a terminal."""
    if text is not None:
        return text
    if sys.stdin.isatty():
        return _edit(before, name)
    try:
        data = sys.stdin.buffer.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise ConfigError(
                "More than {limit} MB came from stdin, so nothing was saved. Split the text into several notes.",
                limit=MAX_BYTES >> 20,
            )
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigError("The input from stdin isn't UTF-8 text, so nothing was saved.") from error
    if before and not text.strip():
        raise ConfigError("Nothing came from stdin, so the note stays as it is. To empty it, use --body ''.")
    return text


@contextmanager
def _save_on_failure(text: str) -> Iterator[None]:
    """If text typed in an editor can't be stored, write it to a file and print the file's path."""
    try:
        yield
    except TesseraError:
        if sys.stdin.isatty():
            with tempfile.NamedTemporaryFile("w", encoding="utf-8", newline="", suffix=".md", delete=False) as file:
                file.write(text)
            sys.stderr.write(f"{_('Your text is in {file}.', file=file.name)}\n")
        raise


def _edit(before: str, name: str) -> str:
    """Let the user edit the old text in an editor, and return the new text. The file is named after the note."""
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ("notepad" if os.name == "nt" else "vi")
    with tempfile.TemporaryDirectory() as folder:
        stem = "".join(char for char in PurePosixPath(name).stem if char.isalnum() or char in " -_")[:60].strip()
        file = Path(folder, f"{stem or 'note'}.md")
        file.write_bytes(before.encode())
        try:
            exit_status = subprocess.run([*shlex.split(editor), str(file)], check=False).returncode
        except (OSError, ValueError) as error:  # a quotation mark in $EDITOR may be unclosed
            raise ConfigError("The editor '{editor}' can't be started. Set $EDITOR.", editor=editor) from error
        if exit_status:
            raise ConfigError(
                "The editor '{editor}' exited with status {n}, so nothing was saved.", editor=editor, n=exit_status
            )
        try:
            return file.read_bytes().decode()
        except UnicodeDecodeError as error:
            raise ConfigError("The editor didn't save UTF-8 text, so nothing was saved.") from error


def _version(note: ChangedNote) -> list[str]:
    if note.changed:
        return sentence("'{title}' is now version {version}.")(note)
    return [_("'{title}' was left unchanged.", title=note.title)]


COMMANDS: Commands = {
    "note.new": Command("'{title}' was saved in {base} as {path} ({id})", new),
    "note.update": Command(_version, edit),
    "note.revert": Command(_version, revert),
}
