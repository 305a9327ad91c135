"""Operations on the files behind notes: converters, unread files, encodings, originals, web pages and pictures."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from core.base.codec import assemble
from core.base.frozen import TextValues, frozen
from core.base.messages import Message, plural
from core.base.terminal import _, say
from core.model import ConverterCard, IncompleteNote, Progress, ReadAs, ReadPictures
from core.operations.declaring import About, operation
from core.operations.parameters import Base, NoteName, SomeBase
from core.operations.printing import table
from core.operations.views import UnreadFile, WrittenNote, missing_parts

if TYPE_CHECKING:
    from core.workspace import Workspace


@frozen
class ConverterDetails(ConverterCard):
    """A converter. See `ConverterCard` for the fields."""

    problem: str | Message = ""  # type: ignore[assignment]


@frozen
class ConverterList:
    """The document converters."""

    converters: tuple[ConverterDetails, ...]


@frozen
class UnreadFiles:
    """A base's unread files, and its notes that are missing parts of their files."""

    files: tuple[UnreadFile, ...]
    incomplete: tuple[IncompleteNote, ...]


@frozen
class EncodingList:
    """The encodings in which a file can be read."""

    encodings: tuple[ReadAs, ...]


@frozen
class OriginalFile:
    """The file a note was converted from. `path` is empty if the file is stored in the workspace."""

    name: str
    kind: str
    path: str


@operation(
    "document.converters",
    "List the document converters, and the file types that each one reads.",
    http="GET /converters",
    cli="document converters",
    lines=table("name", "version", "kinds", "problem", empty="There are no converters."),
)
def converters(workspace: "Workspace") -> ConverterList:
    return ConverterList(
        tuple(assemble(ConverterDetails, card, problem=card.problem or "") for card in workspace.documents.converters())
    )


@operation(
    "document.unread",
    "List files that weren't read, and parts of files that are missing from their notes.",
    http="GET /unread",
    cli="document unread {base}",
    lines=lambda unread: (
        [
            *(f"{file.path}: {say(file.reason)}" for file in unread.files),
            *missing_parts(unread.incomplete),
        ]
        or [_("All files were read.")]
    ),
)
def unread(workspace: "Workspace", base: Base) -> UnreadFiles:
    return UnreadFiles(
        tuple(map(UnreadFile.from_failure, workspace.documents.unread(base))),
        tuple(workspace.documents.incomplete(base)),
    )


@operation(
    "document.convert",
    "Convert a note's document again, without uploading it again.",
    http="POST /notes/{note}/convert",
    cli="document convert {note}",
    writes=True,
    takes={"converter": "pdftext"},
    lines="'{path}' is now version {version}.",
)
def convert(
    workspace: "Workspace",
    note: NoteName,
    converter: Annotated[str, About("The name of the converter. By default, the usual one for the file type.")] = "",
) -> WrittenNote:
    return WrittenNote.from_result(workspace, workspace.documents.convert(note, converter))


@operation(
    "document.clip",
    "Save a web page sent by a browser, or part of it, as a note to review. By default, it goes into the base 'web'.",
    http="POST /pages",
    writes=True,
    creates="/notes/{id}",
    takes={"title": "Boots"},
)
def clip(
    workspace: "Workspace",
    html: Annotated[str, About("The page, or part of it, as HTML.", long=True, example="<p>Keep boots dry.</p>")],
    address: Annotated[str, About("The address of the page.", example="https://example.org/boots")],
    title: Annotated[str, About("The title. By default, the page's own title.")] = "",
    pictures: Annotated[
        TextValues | None,
        About(
            "Pictures in Base64, keyed by name. In the page, put a picture's description between two copies of its "
            "name."
        ),
    ] = None,
    base: SomeBase = None,
) -> WrittenNote:
    return WrittenNote.from_result(
        workspace, workspace.proposals.add_page(base or "web", html, address=address, title=title, pictures=pictures)
    )


@operation(
    "document.encodings",
    (
        "List the encodings in which a note's file can be read, most likely first, and show the first words as read in "
        "each encoding."
    ),
    http="GET /notes/{note}/encodings",
    cli="document encodings {note}",
    lines=table("encoding", "beginning", empty="The file has no text."),
)
def encodings(workspace: "Workspace", note: NoteName) -> EncodingList:
    return EncodingList(tuple(workspace.documents.encodings(note)))


@operation(
    "document.read_as",
    "Read a note's file in another encoding, now and whenever its folder is updated.",
    http="POST /notes/{note}/encoding",
    cli="document read-as {note}",
    writes=True,
    takes={"encoding": "EUC-KR"},
    lines="'{path}' is now version {version}.",
)
def read_as(
    workspace: "Workspace",
    note: NoteName,
    encoding: Annotated[
        str, About("The name of the encoding. By default, the one that the file declares or most likely uses.")
    ] = "",
) -> WrittenNote:
    return WrittenNote.from_result(workspace, workspace.documents.read_as(note, encoding))


@operation(
    "document.original",
    "Show the path of the file that a note was converted from, or write a copy of the file.",
    http="GET /notes/{note}/original",
    cli="document original {note}",
    by_hand="http",
    takes={"to": "/home/ada/vegetables.pdf"},
    lines=lambda file: [
        file.path or _("'{name}' is stored in the workspace. To get a copy, use --to FILE", name=file.name),
    ],
)
def original(
    workspace: "Workspace",
    note: NoteName,
    to: Annotated[Path | None, About("A new file for the copy.", doors=("cli",))] = None,
) -> OriginalFile:
    documents = workspace.documents
    return assemble(OriginalFile, documents.save_original(note, to) if to else documents.original(note))


Again = Annotated[bool, About("Also retry what could not be read before.")]


@operation(
    "document.pictures",
    "Read the text in pictures now, so that it can be found. This includes only the bases that have this turned on.",
    http="POST /pictures/read",
    cli="document pictures",
    writes=True,
    job="pictures",
    takes={"again": True},
    lines=plural("{n} picture was read.", "{n} pictures were read."),
)
def pictures(workspace: "Workspace", progress: Progress, again: Again = False) -> ReadPictures:
    return ReadPictures(workspace.pictures.read(progress, again=again))


@operation(
    "document.index_pictures",
    "Index the pictures in the notes now, so that they can be found by what they show.",
    http="POST /pictures/index",
    cli="document index-pictures",
    writes=True,
    job="images",
    takes={"again": True},
    lines=plural("{n} picture recognised", "{n} pictures recognised"),
)
def index_pictures(workspace: "Workspace", progress: Progress, again: Again = False) -> ReadPictures:
    return ReadPictures(workspace.images.update(progress, again=again))
