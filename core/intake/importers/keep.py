"""Google Keep notes in a Takeout export (JSON), with their pictures and recordings."""

from collections.abc import Collection, Iterator
from itertools import islice
from pathlib import PurePosixPath

from core.base.codec import objects
from core.base.frozen import ValueMap
from core.intake.importers import (
    FolderImporter,
    Imported,
    ImportedNotes,
    NoteFiles,
    Taken,
    add_front_matter,
    file_name,
    files,
    find,
    read_json,
    tags_of,
    text_of,
    time_of,
    unique,
)
from core.model import Failed

_EDITED = "userEditedTimestampUsec"
# Suffixes of the files in an export that contains only Keep's data.
_SUFFIXES = tuple(".json .html .txt .jpg .jpeg .png .gif .webp .3gp .amr .m4a .aac .awb".split())
_MICROSECONDS = 1_000_000


class Keep(FolderImporter):
    """Reads the notes in an export, except those in Keep's trash."""

    name = "Google Keep"

    @property
    def knows(self) -> bool:
        """Whether one of the first JSON files is a note, and every file could be part of a Keep or Takeout export."""
        others = (path for path in files(self._folder) if "Takeout/" not in f"{self._folder.name}/{path}")
        first = islice(self._json(), 20) if all(path.lower().endswith(_SUFFIXES) for path in others) else ()
        return any(_is_note(read_json(self._folder, path, [])) for path in first)

    def _json(self) -> Iterator[str]:
        return (path for path in files(self._folder) if path.endswith(".json"))

    def notes(self, paths: Collection[str] = ()) -> ImportedNotes:
        failed = list[Failed]()
        taken: Taken = {}
        for path in self._json():
            note = read_json(self._folder, path, failed)
            if _is_note(note) and note.get("isTrashed") is not True:
                yield self._to_imported(note, path, unique(f"{file_name(PurePosixPath(path).stem)}.md", taken))
        yield from failed

    def _to_imported(self, note: ValueMap, path: str, place: str) -> Imported:
        attached = NoteFiles()
        names = filter(None, (text_of(file, "filePath") for file in objects(note, "attachments")))
        top = PurePosixPath(path).parent
        parts = (
            text_of(note, "textContent"),
            "\n".join(
                f"- [{'x' if item.get('isChecked') is True else ' '}] {text_of(item, 'text')}"
                for item in objects(note, "listContent")
            ),
            "\n".join(
                f"[{text_of(link, 'title') or text_of(link, 'url')}]({text_of(link, 'url')})"
                + (f": {about}" if (about := text_of(link, "description")) else "")
                for link in objects(note, "annotations")
            ),
            "\n".join(
                # A note may refer to a `.jpg` file by a name that ends in `.jpeg`.
                attached.link(find(self._folder, path) or find(self._folder, path.replace(".jpeg", ".jpg")), name)
                for name in names
                for path in [f"{top}/{name}"]
            ),
        )
        sharees = (text_of(sharee, "email") for sharee in objects(note, "sharees") if sharee.get("isOwner") is not True)
        return attached.note(
            place,
            add_front_matter(
                {
                    "title": text_of(note, "title"),
                    "tags": tags_of(text_of(label, "name") for label in objects(note, "labels")),
                    "status": "archived" if note.get("isArchived") is True else "",
                    "pinned": note.get("isPinned") is True or None,
                    "shared_with": list(filter(None, sharees)),
                    "created": time_of(text_of(note, "createdTimestampUsec"), _MICROSECONDS),
                    "updated": time_of(text_of(note, _EDITED), _MICROSECONDS),
                },
                "\n\n".join(filter(None, parts)) + "\n",
            ),
        )


def _is_note(node: object) -> bool:
    return isinstance(node, dict) and _EDITED in node
