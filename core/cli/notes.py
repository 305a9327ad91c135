"""`tessera note`: writes, shows, classifies, archives, deletes and restores notes."""

import inspect
from collections.abc import Callable
from typing import Annotated, Any

import typer

from core import data
from core.cli import note_text, notelines
from core.cli.binding import option
from core.cli.options import WORKSPACE, Base, Folder, Json, workspace_at
from core.cli.output import show
from core.cli.texts import _
from core.errors import ConfigError
from core.json_forms import versions
from core.model import NOTE_FIELDS, NoteFields
from core.operations.parameters import NOTE_PARAMETERS

app = typer.Typer(
    help=_("Notes: write them, show them, set their fields, look at their versions, delete and restore them."),
    no_args_is_help=True,
    rich_markup_mode=None,
)

Name = Annotated[str, typer.Argument(help=_("A note's id, path or title."))]
Names = Annotated[list[str], typer.Argument(help=_("Notes, each by its id, path or title."))]
Expected = Annotated[
    int | None,
    typer.Option("--version", help=_("Change the note only if it still has this version.")),
]
Body = Annotated[str | None, typer.Option("--body", help=_("The text; by default stdin, or what your editor gives."))]


def _with_fields(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command an option for each field of a note in place of its parameter `fields`."""

    def with_fields(**given: Any) -> None:
        values = {name: given.pop(name) for name in NOTE_FIELDS}
        command(fields={name: value for name, value in values.items() if value is not None}, **given)

    taken = inspect.signature(command).parameters.values()
    options = [option(one) for one in NOTE_PARAMETERS]
    signature = [each for one in taken for each in (options if one.name == "fields" else [one])]
    with_fields.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in signature]
    )
    with_fields.__annotations__ = {one.name: one.annotation for one in signature}
    with_fields.__name__ = command.__name__
    return with_fields


@app.command(help=_("Write a note: its text comes from --body, from stdin, or from your editor ($VISUAL, $EDITOR)."))
@_with_fields
def new(
    base: Annotated[str, typer.Argument(help=_("The knowledge base, which is made if there is none of this name."))],
    body: Body = None,
    path: Annotated[str, typer.Option("--path", help=_("Its place in the base, such as work/plan.md."))] = "",
    *,
    fields: NoteFields,
    workspace: Folder = WORKSPACE,
    as_json: Json = False,
) -> None:
    text = note_text.text(body, "", path or fields.get("title") or "note")
    if not text.strip() and not fields.get("title"):
        raise ConfigError("The note has no text and no title, so it isn't written.")
    with note_text.kept(text), workspace_at(workspace) as opened:
        note = opened.notes.add(base, text, path=path, author="person", **fields)
    show(data.of_note(note, base), as_json, notelines.of_written)


@app.command("show", help=_("Show a note: its fields and its text, as it is or as it was in a version."))
def show_(
    name: Name,
    number: Annotated[int | None, typer.Option("--version", help=_("The number of a version."))] = None,
    workspace: Folder = WORKSPACE,
    as_json: Json = False,
) -> None:
    with workspace_at(workspace, readonly=True) as opened:
        note_id = note_text.note_id(opened, name)
        note = opened.notes.at(note_id, number or opened.notes.history(note_id)[0].number)
        base = note_text.base_of(opened, note)
    show(data.of_note(note, base), as_json, notelines.of_note)


@app.command(help=_("Change the text of a note: it comes from --body, from stdin, or from your editor."))
def edit(
    name: Name,
    body: Body = None,
    expected: Expected = None,
    workspace: Folder = WORKSPACE,
    as_json: Json = False,
) -> None:
    with workspace_at(workspace, readonly=True) as opened:
        card = opened.notes.resolve(name)
        note = opened.notes.at(card.id, card.version)
    text = note_text.text(body, note.body, note.path or note.title)
    with note_text.kept(text), workspace_at(workspace) as opened:
        changed = opened.notes.update(note.id, body=text, expected_version=expected or note.version, author="person")
    show(data.of_note(changed, card.base) | {"changed": changed.version != note.version}, as_json, notelines.of_change)


@app.command("set", help=_("Set fields of notes; what isn't given stays. An empty value removes it."))
@_with_fields
def set_(
    names: Names,
    fields: NoteFields,
    add_tags: Annotated[list[str] | None, typer.Option("--add-tag", help=_("A tag to add; repeatable."))] = None,
    remove_tags: Annotated[
        list[str] | None, typer.Option("--remove-tag", help=_("A tag to remove; repeatable."))
    ] = None,
    expected: Expected = None,
    workspace: Folder = WORKSPACE,
    as_json: Json = False,
) -> None:
    if not (fields or add_tags or remove_tags):
        raise ConfigError("Say what to set, such as --status archived.")
    with workspace_at(workspace) as opened:
        ids = [card.id for card in opened.notes.resolve_all(names)]
        if fields:
            opened.notes.set_fields(ids, expected_version=expected, **fields)
        if add_tags or remove_tags:
            expected = None if fields else expected
            opened.notes.tag(ids, add=add_tags or (), remove=remove_tags or (), expected_version=expected)
        cards = opened.notes.cards_of(ids)
    show({"notes": [data.of_card(cards[one]) for one in ids]}, as_json, notelines.of_list)


@app.command(help=_("Give a note the text and fields of one of its versions; that is a new version."))
def revert(
    name: Name,
    number: Annotated[int, typer.Argument(help=_("The version to go back to."))],
    expected: Expected = None,
    workspace: Folder = WORKSPACE,
    as_json: Json = False,
) -> None:
    with workspace_at(workspace) as opened:
        card = opened.notes.resolve(name)
        note = opened.notes.revert(card.id, number, expected_version=expected)
    show(data.of_note(note, card.base) | {"changed": note.version != card.version}, as_json, notelines.of_change)


@app.command(help=_("Bring notes back: deleted ones from the trash, archived ones to the active ones."))
def restore(names: Names, workspace: Folder = WORKSPACE, as_json: Json = False) -> None:
    with workspace_at(workspace) as opened:
        ids = [note_text.note_id(opened, name) for name in names]
        opened.notes.restore(ids)
    show({"restored": ids}, as_json, notelines.of_restored)


@app.command(help=_("Put notes into the trash, from which they can be restored for some days."))
def delete(names: Names, workspace: Folder = WORKSPACE, as_json: Json = False) -> None:
    with workspace_at(workspace) as opened:
        ids = [card.id for card in opened.notes.resolve_all(names)]
        opened.notes.delete(ids)
        days = opened.notes.trash_stays.days
    show({"deleted": ids, "days": days}, as_json, notelines.of_deleted)


@app.command(
    help=_("List what programs wrote that waits until you accept it; of one note, show its text or what would change.")
)
def waiting(
    name: Annotated[str, typer.Argument(help=_("A note's id, path or title."))] = "",
    base: Base = None,
    workspace: Folder = WORKSPACE,
    as_json: Json = False,
) -> None:
    with workspace_at(workspace, readonly=True) as opened:
        if not name:
            submissions = [*map(data.of_submission, opened.proposals.all(base))]
            show({"waiting": submissions}, as_json, notelines.of_waiting)
            return
        one = opened.proposals.get(opened.notes.resolve(name).id)
        text = data.of_note(opened.proposals.proposed(one), one.note.base)
        compared = versions.of_difference(opened.proposals.difference(one), one.note.version, one.note.version + 1)
    show(data.of_submission(one) | compared | {"text": text}, as_json, notelines.of_submission)


@app.command(help=_("Accept what waits of notes: new ones are found from then on, and proposed changes are made."))
def accept(
    names: Names,
    over: Annotated[
        int | None,
        typer.Option(help=_("The version over which a change is made of a note that was changed since.")),
    ] = None,
    workspace: Folder = WORKSPACE,
    as_json: Json = False,
) -> None:
    with workspace_at(workspace) as opened:
        chosen = [opened.proposals.get(card.id) for card in opened.notes.resolve_all(names)]
        opened.proposals.accept(chosen, over=over)
    show({"accepted": [*map(data.of_submission, chosen)]}, as_json, notelines.of_accepted)


@app.command(help=_("Reject what waits of notes: new ones go into the trash, proposed changes go for good."))
def reject(names: Names, workspace: Folder = WORKSPACE, as_json: Json = False) -> None:
    with workspace_at(workspace) as opened:
        chosen = [opened.proposals.get(card.id) for card in opened.notes.resolve_all(names)]
        opened.proposals.reject(chosen)
    show({"rejected": [*map(data.of_submission, chosen)]}, as_json, notelines.of_rejected)


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
    with workspace_at(workspace, readonly=True) as opened:
        if trash:
            names = {one.id: one.name for one in opened.bases.all()}
            deleted = [data.of_trashed(one, names[one.base_id]) for one in opened.notes.trash(base)]
            show({"trash": deleted}, as_json, notelines.of_trash)
            return
        narrowed = opened.searching.filters(bases=[base] if base else [], terms=filters or [])
        cards = [*map(data.of_card, opened.notes.all(narrowed))]
    show({"notes": cards}, as_json, notelines.of_list)
