"""`tessera note`: writes, shows, classifies, archives, deletes and restores notes."""

from typing import Annotated, Any, cast, get_args

import typer

from core import data
from core.cli import notelines, writing
from core.cli.options import WORKSPACE, Base, Folder, Json, workspace_at
from core.cli.output import show
from core.cli.texts import _
from core.errors import ConfigError
from core.json_forms import versions
from core.model import FIELDS, NoteStatus
from core.notes.fields import NoteFields

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
Title = Annotated[str | None, typer.Option("--title", help=_("The title."))]
Tags = Annotated[list[str] | None, typer.Option("--tag", help=_("A tag, in place of those it has; repeatable."))]
Type = Annotated[str | None, typer.Option("--type", help=_("The type."))]
Category = Annotated[str | None, typer.Option("--category", help=_("The category."))]
Project = Annotated[str | None, typer.Option("--project", help=_("The project."))]
Scope = Annotated[str | None, typer.Option("--scope", help=_("Where the note holds."))]
Priority = Annotated[int | None, typer.Option("--priority", help=_("The priority, a whole number."))]
Status = Annotated[
    str | None, typer.Option("--status", help=_("One of {choices}.", choices=", ".join(get_args(NoteStatus))))
]
Expires = Annotated[
    str | None, typer.Option("--expires", help=_("The day after which the note is out of date; '' for none."))
]
Supersedes = Annotated[
    list[str] | None, typer.Option("--supersedes", help=_("A note that this one replaces; repeatable."))
]
Related = Annotated[list[str] | None, typer.Option("--related", help=_("A note that is related to it; repeatable."))]
DependsOn = Annotated[list[str] | None, typer.Option("--depends-on", help=_("A note it depends on; repeatable."))]
Body = Annotated[str | None, typer.Option("--body", help=_("The text; by default stdin, or what your editor gives."))]


@app.command(help=_("Write a note: its text comes from --body, from stdin, or from your editor ($VISUAL, $EDITOR)."))
def new(
    base: Annotated[str, typer.Argument(help=_("The knowledge base, which is made if there is none of this name."))],
    body: Body = None,
    path: Annotated[str, typer.Option("--path", help=_("Its place in the base, such as work/plan.md."))] = "",
    title: Title = None,
    tags: Tags = None,
    type_: Type = None,
    category: Category = None,
    project: Project = None,
    scope: Scope = None,
    priority: Priority = None,
    status: Status = None,
    expires_at: Expires = None,
    supersedes: Supersedes = None,
    related: Related = None,
    depends_on: DependsOn = None,
    workspace: Folder = WORKSPACE,
    as_json: Json = False,
) -> None:
    fields = _fields(locals())
    text = writing.text(body, "", path or title or "note")
    if not text.strip() and not title:
        raise ConfigError("The note has no text and no title, so it isn't written.")
    with writing.kept(text), workspace_at(workspace) as opened:
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
        note_id = writing.note_id(opened, name)
        note = opened.notes.at(note_id, number or opened.notes.history(note_id)[0].number)
        base = writing.base_of(opened, note)
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
    text = writing.text(body, note.body, note.path or note.title)
    with writing.kept(text), workspace_at(workspace) as opened:
        changed = opened.notes.update(note.id, body=text, expected_version=expected or note.version, author="person")
    show(data.of_note(changed, card.base) | {"changed": changed.version != note.version}, as_json, notelines.of_change)


@app.command("set", help=_("Set fields of notes; what isn't given stays. An empty value removes it."))
def set_(
    names: Names,
    title: Title = None,
    tags: Tags = None,
    add_tags: Annotated[list[str] | None, typer.Option("--add-tag", help=_("A tag to add; repeatable."))] = None,
    remove_tags: Annotated[
        list[str] | None, typer.Option("--remove-tag", help=_("A tag to remove; repeatable."))
    ] = None,
    type_: Type = None,
    category: Category = None,
    project: Project = None,
    scope: Scope = None,
    priority: Priority = None,
    status: Status = None,
    expires_at: Expires = None,
    supersedes: Supersedes = None,
    related: Related = None,
    depends_on: DependsOn = None,
    expected: Expected = None,
    workspace: Folder = WORKSPACE,
    as_json: Json = False,
) -> None:
    fields = _fields(locals())
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
        ids = [writing.note_id(opened, name) for name in names]
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


def _fields(arguments: dict[str, Any]) -> NoteFields:
    """Return the fields of a note that the arguments of a command set."""
    given = {("type" if name == "type_" else name): value for name, value in arguments.items() if value is not None}
    return cast(NoteFields, {name: given[name] for name in FIELDS if name in given})
