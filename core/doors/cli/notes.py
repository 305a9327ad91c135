"""`tessera note`: the commands on notes that read a text, and those that do the work of two operations."""

from pathlib import Path
from typing import Annotated, Any

import typer

from core.base.errors import ConfigError, NoteNotFound
from core.base.terminal import _
from core.doors.cli import note_text, notelines
from core.doors.cli.calling import call, opened
from core.doors.cli.options import WORKSPACE, Base, Folder, Json
from core.doors.cli.output import show
from core.doors.operations import note_trash, note_versions
from core.doors.operations import notes as operations

app = typer.Typer(
    help=_("Notes: write them, show them, set their fields, look at their versions, delete and restore them."),
    no_args_is_help=True,
    rich_markup_mode=None,
)

Body = Annotated[str | None, typer.Option("--body", help=_("The text; by default stdin, or what your editor gives."))]


def new(workspace: Path, *, body: Body = None, **given: Any) -> Any:
    text = note_text.text(body, "", given["path"] or given["title"] or "note")
    if not text.strip() and not given["title"]:
        raise ConfigError("The note has no text and no title, so it isn't written.")
    with note_text.kept(text), opened(workspace) as run:
        return run(operations.show, note=run(operations.new, body=text, **given)["id"])


def edit(workspace: Path, *, body: Body = None, **given: Any) -> Any:
    with opened(workspace, writes=False) as run:
        before = run(operations.show, note=given["note"])
        if run(note_versions.history, note=before["id"])["versions"][0]["kind"] == "delete":
            raise NoteNotFound(given["note"])
    text = note_text.text(body, before["body"], before["path"] or before["title"])
    expected = given["expected_version"] or before["version"]
    with note_text.kept(text), opened(workspace) as run:
        run(operations.update, note=before["id"], body=text, expected_version=expected)
        return _changed(before, run(operations.show, note=before["id"]))


def revert(workspace: Path, **given: Any) -> Any:
    with opened(workspace) as run:
        before = run(operations.show, note=given["note"])
        run(note_versions.revert, **given)
        return _changed(before, run(operations.show, note=before["id"]))


def _changed(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    return after | {"changed": after["version"] != before["version"]}


@app.command("list", help=_("List the notes that pass some filters, or those in the trash."))
def list_(
    filters: Annotated[
        list[str] | None,
        typer.Argument(help=_("Filters as in the search box, such as tag:rust status:archived.")),
    ] = None,
    base: Base = None,
    trash: Annotated[bool, typer.Option("--trash", help=_("List the deleted notes instead."))] = False,
    workspace: Folder = WORKSPACE,
    as_json: Json = False,
) -> None:
    if trash:
        show(call(note_trash.trash, workspace, {"base": base}), as_json, notelines.format_trash)
        return
    chosen = {"bases": [base] if base else None, "filters": filters}
    show({"notes": call(operations.list_, workspace, chosen)["notes"]}, as_json, notelines.format_list)


@app.command(
    help=_("List what programs wrote that waits until you accept it; of one note, show its text or what would change.")
)
def waiting(
    name: Annotated[str, typer.Argument(help=_("A note's id, path or title."))] = "",
    base: Base = None,
    workspace: Folder = WORKSPACE,
    as_json: Json = False,
) -> None:
    if name:
        show(call(note_trash.proposed, workspace, {"note": name}), as_json, notelines.format_submission)
    else:
        show(call(note_trash.waiting, workspace, {"base": base}), as_json, notelines.format_waiting)
