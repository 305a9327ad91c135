"""The program with one more field of a note, a `mood`: a line in each class of its table, and a column.

`python -m tests.doors.one_field_more FOLDER` prints as JSON what the doors make of it.
"""

import json
import sys
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import spec_from_loader
from pathlib import Path
from types import CodeType
from typing import Any

TABLE = "core.model.note_fields"
VALUE = """    mood: Annotated[
        str, NoteField("word", message("Mood"), message("The mood."), message("mood"), ("mood", "心情"))
    ] = ""
    priority: Annotated["""


class _Loader(SourceFileLoader):
    def get_code(self, fullname: str) -> CodeType:
        source = Path(self.path).read_text(encoding="utf-8")
        changed = source.replace("    priority: Annotated[", VALUE).replace(
            "    priority: int\n", "    mood: str\n    priority: int\n"
        )
        assert changed.count("mood:") == 2
        return compile(changed, self.path, "exec")


class _Finder(MetaPathFinder):
    def find_spec(self, fullname: str, path: Any, target: Any = None) -> ModuleSpec | None:
        spec = PathFinder.find_spec(fullname, path) if fullname == TABLE else None
        return spec_from_loader(fullname, _Loader(fullname, str(spec.origin))) if spec else None


def seen(folder: Path) -> dict[str, Any]:
    """Return what each door makes of the field."""
    from typer.testing import CliRunner

    from core.doors.assistants import server
    from core.doors.cli import app
    from core.notes.file_writing import text_of
    from core.workspace import Workspace
    from tests.doors.programs import connected

    place = ["--workspace", str(folder)]
    with Workspace(folder) as workspace:
        workspace.store.database.execute("ALTER TABLE notes ADD COLUMN mood TEXT NOT NULL DEFAULT ''")
    made = CliRunner().invoke(
        app, ["note", "new", "work", "--body", "# Tea\n\nGreen.", "--mood", "calm", "--json", *place]
    )
    with Workspace(folder) as workspace:
        workspace.bases.update("work", trusts_programs=True)
        workspace.notes.add("work", "# Coffee\n\nBlack.", path="coffee.md", mood="wide awake")
        workspace.set_program_access(True)
        program = connected(workspace)
        note = json.loads(made.output)
        changed = program.patch(f"/api/v1/notes/{note['id']}", json={"mood": "serene"})
        server.run(lambda: workspace, "note_update", {"note": "coffee.md", "fields": {"mood": "tired"}})
        found = workspace.search("mood:serene green")
        text = text_of(workspace.notes.get(note["id"]))
        exported = workspace.archives.exported("work", "json")
        again = workspace.archives.restore_data(exported, "work.json", "again").base
        cards = workspace.notes.all(workspace.searching.filters(bases=["again"], terms=["心情:tired"]))
        return {
            "command": note["mood"],
            "status": changed.status_code,
            "read": program.get(f"/api/v1/notes/{note['id']}").json()["mood"],
            "hits": [hit.note.title for hit in found.hits],
            "facets": {facet.value for facet in workspace.search("green black").facets if facet.field == "mood"},
            "front matter": text,
            "of another workspace": [(card.title, card.mood) for card in cards],
            "base": again.name,
            "versions": [one.name for one in workspace.versions.difference(note["id"], 1, 2).fields],
        }


if __name__ == "__main__":
    sys.meta_path.insert(0, _Finder())
    sys.stdout.write(json.dumps(seen(Path(sys.argv[1])), default=sorted))
