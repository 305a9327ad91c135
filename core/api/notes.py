"""The notes: listed, read, written and put into the trash, with their versions."""

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from pydantic import create_model
from starlette.responses import Response

from core import data
from core.api.answers import answer
from core.api.examples import CARD, NOTE, TRASHED, WRITTEN
from core.api.shared import Body, IfMatch, LongText, Opened, Text, documented, expected
from core.model import NOTE_FIELDS, Note, Proposal
from core.notes.writer import check_version
from core.operations.parameters import with_texts
from core.workspace import Workspace

router = APIRouter(tags=["notes"])
Number = Annotated[int, Path(ge=1, le=1_000_000_000)]
_NEW = {"base": "work", "body": "# Roadmap\n\nThe search comes first.\n"}


class _Fields(Body):
    def fields(self) -> dict[str, Any]:
        """Return the fields that are given."""
        return {name: value for name, value in self.given().items() if name in NOTE_FIELDS}


_TYPES: dict[str, Any] = {
    name: (with_texts(field.type, Text) | None, None) for name, field in NOTE_FIELDS.items() if field.by_programs
}
Fields: Any = create_model("Fields", __base__=_Fields, **_TYPES)
"""Fields of a note; what isn't given stays."""


class NewNote(Fields):
    """A note to add."""

    base: Text
    body: LongText = ""
    path: Text = ""


class NoteChange(Fields):
    """Another text or other fields of a note."""

    body: LongText | None = None


@router.get("/notes", **documented({"notes": [CARD], "left_out": 0}))
def every(
    workspace: Opened,
    base: Annotated[list[Text], Query(description="Only notes of these bases")] = [],  # noqa: B006 FastAPI copies it
    filter: Annotated[list[Text], Query(description="As in the search box, such as tag:rust")] = [],  # noqa: B006 FastAPI copies it
    text: Annotated[Text, Query(description="What the title or the path holds")] = "",
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
    offset: Annotated[int, Query(ge=0, le=10_000_000)] = 0,
) -> Response:
    """List the notes that pass some filters, without their texts."""
    cards = workspace.notes.all(workspace.searching.filters(bases=base, terms=filter), text=text)
    shown = cards[offset : offset + limit]
    return answer({"notes": [*map(data.of_card, shown)], "left_out": len(cards) - len(shown)})


@router.post("/notes", **documented(WRITTEN, 201, takes=_NEW))
def add(workspace: Opened, new: NewNote) -> Response:
    """Add a note. It is `pending` until the person accepts it, unless its base trusts programs."""
    note = workspace.proposals.add(new.base, new.body, path=new.path, **new.fields())
    return _written(workspace, note, 201)


@router.get("/notes/{note}", **documented(NOTE))
def one(workspace: Opened, note: Text) -> Response:
    """Read a note; its ETag is its version."""
    return _read(workspace, workspace.notes.get(note))


@router.patch("/notes/{note}", **documented(WRITTEN, takes={"tags": ["plan"], "priority": 1}))
def change(workspace: Opened, note: Text, changes: NoteChange, if_match: IfMatch = "") -> Response:
    """Change a note. The change is `pending` until the person accepts it, unless the note's base trusts programs."""
    done = workspace.proposals.update(note, body=changes.body, expected_version=expected(if_match), **changes.fields())
    return _written(workspace, done, 200)


@router.delete("/notes/{note}", **documented({"id": "4f1c", "deleted": True}))
def delete(workspace: Opened, note: Text, if_match: IfMatch = "") -> Response:
    """Put a note into the trash, from which it can be restored for some days."""
    check_version(workspace.notes.get(note), expected(if_match))
    workspace.notes.delete(note, author="program")
    return answer({"id": note, "deleted": True})


@router.get("/trash", **documented({"trash": [TRASHED]}))
def trash(
    workspace: Opened, base: Annotated[Text | None, Query(description="Only notes of this base")] = None
) -> Response:
    """List the deleted notes, the last deleted first."""
    deleted = workspace.notes.trash(base)
    return answer({"trash": [data.of_trashed(one, _base(workspace, one.base_id)) for one in deleted]})


@router.post("/trash/{note}/restore", **documented(WRITTEN))
def restore(workspace: Opened, note: Text) -> Response:
    """Bring a deleted note back, as it was; one that waited for the person waits again."""
    note_id = workspace.notes.resolve_deleted(note).version.note_id
    workspace.notes.restore([note_id], author="program")
    return _written(workspace, workspace.notes.get(note_id), 200)


@router.get("/notes/{note}/versions/{number}", **documented(NOTE))
def version(workspace: Opened, note: Text, number: Number) -> Response:
    """Read a note as it was in a version."""
    return _read(workspace, workspace.notes.at(note, number))


@router.post("/notes/{note}/versions/{number}/revert", **documented(WRITTEN))
def revert(workspace: Opened, note: Text, number: Number, if_match: IfMatch = "") -> Response:
    """Give a note the text and fields of one of its versions; that is a change, `pending` like any other."""
    old = workspace.notes.at(note, number)
    fields: dict[str, Any] = {name: getattr(old, name) for name in NOTE_FIELDS if name != "status"}
    done = workspace.proposals.update(note, body=old.body, expected_version=expected(if_match), **fields)
    return _written(workspace, done, 200)


def _read(workspace: Workspace, note: Note) -> Response:
    return answer(data.of_note(note, _base(workspace, note.base_id)), ETag=f'"{note.version}"')


def _written(workspace: Workspace, done: Note | Proposal, status: int) -> Response:
    note = workspace.notes.get(done.note_id) if isinstance(done, Proposal) else done
    pending = isinstance(done, Proposal) or note.status == "pending"
    values = data.pick(note, "id version path") | {
        "base": _base(workspace, note.base_id),
        "status": "pending" if pending else note.status,
    }
    return answer(values, status, ETag=f'"{note.version}"', Location=f"/api/v1/notes/{note.id}")


def _base(workspace: Workspace, base_id: str) -> str:
    return next(base.name for base in workspace.bases.all() if base.id == base_id)
