"""Damages of a workspace, each of one kind: the doctor has to name it, mend what can be mended, and say the rest."""

import json
import os
import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from core.base.errors import TesseraError
from core.features.doctor.doctor import diagnose_error
from core.model import Health
from core.store.backups.restoring import ASIDE
from core.workspace import Workspace

QUESTION = "the kettle and the harbour"


@dataclass(frozen=True)
class Damage:
    """What is done to a workspace, the check that has to name it, and whether that mends it."""

    check: str
    do: Callable[[Path], object]
    mended: bool = False
    chroma: bool = False


def sql(*statements: str) -> Callable[[Path], None]:
    """Return a damage by statements, which no foreign key holds back."""

    def do(folder: Path) -> None:
        with closing(sqlite3.connect(folder / "notes.db")) as connection:
            connection.create_function("fold", 1, str)
            for statement in statements:
                connection.execute(statement)
            connection.commit()

    return do


def write(path: str, data: bytes, *, age: int = 0) -> Callable[[Path], None]:
    """Return a damage by a file, which has been there for so many days."""

    def do(folder: Path) -> None:
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
        for one in (file, file.parent):
            if age:
                os.utime(one, (one.stat().st_mtime - age * 86_400,) * 2)

    return do


def _overwrite(folder: Path) -> None:
    file = folder / "notes.db"
    data = bytearray(file.read_bytes())
    for page in range(3, len(data) // 4096, 3):
        data[page * 4096 : page * 4096 + 512] = random.Random(page).randbytes(512)
    file.write_bytes(data)


def _cut(folder: Path) -> None:
    os.truncate(folder / "notes.db", (folder / "notes.db").stat().st_size // 2)


def _of_index(folder: Path) -> None:
    file = max((folder / "chroma").rglob("*.*"), key=lambda one: one.stat().st_size)
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 0xFF
    file.write_bytes(data)


def _damaged_backup(folder: Path) -> None:
    (file,) = (folder / "backups").glob("*.zip")
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 0xFF
    file.with_name(f"copy-{file.name}").write_bytes(data)


def _without_backups(folder: Path) -> None:
    shutil.rmtree(folder / "backups")


_FIRST = "(SELECT min(rowid) FROM chunks)"
_EDIT = (
    "INSERT INTO edits SELECT 'e', id, base_id, 1, 'edit', 'a', 0, 'b', 0, 1, '2026-01-01T00:00:00+00:00'"
    " FROM notes LIMIT 1"
)
_GOLD = (
    "INSERT INTO question_sets SELECT 's', id, 'set', '2026-01-01T00:00:00+00:00' FROM bases LIMIT 1",
    "INSERT INTO questions (set_id, id, text, any, kind, note, suggested) VALUES ('s', 'q', 'text', 0, '', '', 0)",
    "INSERT INTO golds SELECT rowid, 1, 'gone', 'a.md', 'quote', 0, 5, 1 FROM questions",
)
DAMAGES: dict[str, Damage] = {
    "pages of the database": Damage("database", _overwrite),
    "half of the database": Damage("database", _cut),
    "no database": Damage("database", write("notes.db", b"no database" * 1000)),
    "the database is gone": Damage("database", lambda folder: (folder / "notes.db").unlink()),
    "words that lack": Damage("words", sql(f"DELETE FROM words WHERE rowid = {_FIRST}"), mended=True),
    "words of nothing": Damage("words", sql("INSERT INTO words (rowid, body) VALUES (99999, 'x')"), mended=True),
    "the index of words": Damage("words", sql("UPDATE words_data SET block = x'00ff00ff' WHERE id > 10"), mended=True),
    "windows that lack": Damage("windows", sql(f"DELETE FROM windows WHERE chunk = {_FIRST}"), mended=True),
    "a state": Damage("windows", sql(f"UPDATE chunks SET state = 'pending' WHERE rowid = {_FIRST}"), mended=True),
    "vectors that lack": Damage("references", sql("DELETE FROM vectors WHERE id % 2"), mended=True),
    "vectors that are cut": Damage("vectors", sql("UPDATE vectors SET vector = x'00' WHERE id % 2"), mended=True),
    "a note without passages": Damage("chunks", sql("DELETE FROM words", "DELETE FROM windows", "DELETE FROM chunks")),
    "a note that is gone": Damage("references", sql("DELETE FROM notes WHERE rowid = 1"), mended=True),
    "a base that is gone": Damage("references", sql("DELETE FROM bases")),
    "a version that lacks": Damage("versions", sql("DELETE FROM versions"), mended=True),
    "a field": Damage("values", sql("UPDATE notes SET links = '[half' WHERE rowid = 1")),
    "unused vectors": Damage(
        "unused", sql("INSERT INTO vectors SELECT 9999, embedder, x'09', vector, 'e' FROM vectors LIMIT 1"), mended=True
    ),
    "an edit without its place": Damage("edits", sql(_EDIT)),
    "a question without its passage": Damage("questions", sql(*_GOLD)),
    "a half change of model": Damage(
        "switches",
        sql("INSERT INTO switches SELECT id, 'tfidf', 'other', '2026-01-01T00:00:00+00:00' FROM bases LIMIT 1"),
    ),
    "a note that waits": Damage(
        "waiting", sql("DELETE FROM windows", "UPDATE chunks SET state = 'pending' WHERE state = 'embedded'")
    ),
    "a refused text": Damage(
        "refused", sql("DELETE FROM windows", "UPDATE chunks SET state = 'refused' WHERE state = 'embedded'")
    ),
    "a folder that is gone": Damage("sources", lambda folder: shutil.rmtree(folder.parent / "notes")),
    "a file that is gone": Damage("files", lambda folder: (folder.parent / "notes" / "1.md").unlink()),
    "a file that stopped halfway": Damage(
        "halfway",
        sql("INSERT INTO file_intents (folder, path, new_path, after, left) VALUES ('', '1.md', '2.md', '', 1)"),
        mended=True,
    ),
    "a file that can't be read": Damage(
        "unread", sql("""UPDATE syncs SET report = '{"failed": [{"path": "a.pdf", "error": "is damaged."}]}'""")
    ),
    "a note that lacks parts": Damage("omissions", sql('UPDATE notes SET left_out = \'[{"kind": "chart"}]\'')),
    "a picture that is gone": Damage("attachments", lambda folder: (folder.parent / "notes" / "kettle.png").unlink()),
    "no index": Damage("index", lambda folder: shutil.rmtree(folder / "chroma"), mended=True, chroma=True),
    "a file of the index": Damage("index", _of_index, mended=True, chroma=True),
    "an index that was not closed": Damage(
        "index", lambda folder: (folder / "chroma.seal").unlink(), mended=True, chroma=True
    ),
    "a model that is gone": Damage("models", sql("UPDATE bases SET embedder = 'sentence:acme/gone'")),
    "rights of others": Damage("permissions", lambda folder: (folder / "notes.db").chmod(0o644), mended=True),
    "no backup": Damage("backups", _without_backups, mended=True),
    "a damaged backup": Damage("damaged_backups", _damaged_backup),
    "settings": Damage("config", lambda folder: (folder.parent / "tessera.toml").write_text("limit = [half")),
    "a file that was set aside": Damage("set_aside", write("preferences.json.broken", b"half")),
    "an old copy": Damage("scratch", write("scratch/0123456789abcdef/notes.db", b"old", age=60), mended=True),
    "a file of a killed process": Damage("leftovers", write(".preferences.json.ab12cd34", b"half", age=2), mended=True),
    "what a backup replaced": Damage("replaced", write(f"{ASIDE}/20260101T000000Z/notes.db", b"old")),
    "a deleted base": Damage("trash", write("trash/20260101T000000000000-b.zip", b"half a zip")),
    "a clock": Damage("clock", sql("INSERT INTO openings (day) VALUES ('2999-01-01')")),
}
"""Damages by their names."""


def make(place: Path) -> None:
    """Make notes and a workspace of them in which the doctor finds nothing wrong."""
    notes = place / "notes"
    notes.mkdir(parents=True)
    for number in range(1, 9):
        (notes / f"{number}.md").write_text(
            f"# Note {number}\n\n![[kettle.png]]\n\n{QUESTION} {number}. " + "word " * 40
        )
    (notes / "kettle.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    with Workspace(place / "workspace") as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(notes, "base"))
        workspace.store.index.open()
        workspace.backups.make()


def tried(made: Path, place: Path, damage: Damage) -> str:
    """Damage a copy, and return what the doctor misses or doesn't mend, empty if it does all it should."""
    # SQLite makes it anew; that of a closed workspace may go while it is copied.
    shutil.copytree(made, place, ignore=shutil.ignore_patterns("*-shm"))
    folder = place / "workspace"
    sql(f"UPDATE notes SET source_ref = '{place}/notes'", f"UPDATE syncs SET folder = '{place}/notes'")(folder)
    before = examined(folder)
    if before.level != "sound":
        return f"before: {_problems(before)}"
    damage.do(folder)
    with patch("core.settings.config.FILE", place / "tessera.toml"):
        after = examined(folder)
        found = {one.name: one for one in after.checks if one.problem}
        if damage.check not in found:
            return f"not named: {_problems(after)}"
        if not found[damage.check].remedy:
            return "no remedy is shown"
        fixed = examined(folder, fix=True)
        one = next((each for each in fixed.checks if each.name == damage.check), None)
        mended = one is not None and one.level == "sound"
        if mended != damage.mended:
            return f"{'' if mended else 'not '}mended: {_problems(fixed)}"
        again = examined(folder)
        if damage.mended and [each.name for each in again.checks if each.problem and each.name != "waiting"]:
            return f"after: {_problems(again)}"
    return ""


def examined(folder: Path, *, fix: bool = False) -> Health:
    """Return what the doctor says of a workspace, as the command does."""
    try:
        with Workspace(folder, readonly=not fix) as workspace:
            return workspace.doctor.examine(fix=fix)
    except TesseraError as error:
        return diagnose_error(folder, error)


def _problems(health: Health) -> str:
    return json.dumps({one.name: str(one.problem) for one in health.checks if one.problem}, ensure_ascii=False)
