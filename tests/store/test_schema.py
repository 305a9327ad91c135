"""Migrations: a database of an earlier version opens and keeps what it holds."""

import ast
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from filelock import FileLock

from core.base.errors import DiskFull, WorkspaceLocked
from core.embedding import centring
from core.features.backups.service import restore_into
from core.features.evaluation.runs import RunTable
from core.model import Condition, Filters, Pipeline, SearchSettings
from core.store import Store, migrations
from core.store import migrations as schema
from core.store.ids import entry_id
from tests.store.test_faults import limit

FIRST = """
    INSERT INTO bases (id, name, kind, embedder, fingerprint, dimension, chunking, "limit", score_threshold,
        index_generation, created_at)
    VALUES ('b', 'old', 'vector', 'fake', 'word-lengths', 2, '{"strategy": "lines"}', 10, 0, 0, '2026-01-01T00:00:00Z');
    INSERT INTO notes VALUES ('n', 'b', 3, 'Title', 'the body', 0, 'h', 'a.md', 'folder', '/x', '', 1, 8, '[]', '', '',
        '', '', 0, 'active', NULL, NULL, 1, '{}', '[]', 'none', '[]');
    INSERT INTO chunks VALUES (7, 'n:1', 'n', 0, 0, 8, 'the body', 'full_document', '', '[]', 0, 0, 'en', 2, 0, '',
        'embedded', 0);
    INSERT INTO words (rowid, title, headings, body) VALUES (7, 'title', '', 'the body');
    INSERT INTO embedders VALUES (1, 'word-lengths');
    INSERT INTO vectors VALUES (1, 1, X'00', X'0000803F00000000');
    INSERT INTO windows VALUES (7, 0, 1);
"""


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A workspace of the first version, with a note."""
    connection = sqlite3.connect(tmp_path / "notes.db")
    connection.executescript(f"{schema.MIGRATIONS[0]} {FIRST} PRAGMA user_version = 1;")
    connection.close()
    return tmp_path


def test_a_database_of_the_first_version_opens_and_keeps_its_notes(old: Path) -> None:
    store = Store(old)
    assert schema.schema_version(store.database.connection) == len(schema.MIGRATIONS)
    (base,) = store.bases.all()
    assert (base.name, base.chunking.strategy, base.embed_at_once) == ("old", "lines", True)
    note = store.notes.note("n")
    assert (note.title, note.body, note.generation) == ("Title", "the body", 3)
    assert [(chunk.text, chunk.state) for chunk in store.chunks.for_note("n")] == [("the body", "embedded")]
    assert store.notes.options("n") is None
    assert store.edits.all() == []
    (card,) = store.notes.cards()
    assert (card.state, card.chunks) == ("ready", 1)
    assert store.words.rank(["body"], 5).keys() == {7}
    store.index.open()
    assert store.index.ids(store.bases.named("old")) == {entry_id(bytes.fromhex("0000803F00000000"))}
    store.close()


def test_traditional_characters_are_indexed_anew(old: Path) -> None:
    connection = sqlite3.connect(old / "notes.db")
    connection.execute(
        "INSERT INTO chunks SELECT 8, 'n:2', 'n', 1, 0, 8, '記憶體 and RAM', kind, 'Note', '[\"臺灣\"]', 1,"
        " has_code, language, token_count, overlap_tokens, lead, state, edited FROM chunks"
    )
    connection.execute("INSERT INTO words (rowid, title, headings, body) VALUES (8, 'title', '臺灣 note', '記 憶 ram')")
    connection.commit()
    connection.close()
    store = Store(old)
    assert store.words.find_phrase("记忆体") == store.words.find_phrase("記憶體") == {8}
    assert store.words.rank(["台湾"], 5).keys() == store.words.rank(["ram"], 5).keys() == {8}
    assert store.words.rank(["body"], 5).keys() == {7}
    store.close()


def test_words_in_an_earlier_form_are_written_anew_once(old: Path) -> None:
    connection = sqlite3.connect(old / "notes.db")
    connection.execute("UPDATE chunks SET text = 'The ware\u00adhouse of the iPhone15'")
    connection.execute("UPDATE words SET body = 'the ware house of the iphone15 phone'")
    connection.commit()
    connection.close()
    for _ in range(2):
        store = Store(old)
        assert store.words.rank(["warehouse"], 5).keys() == store.words.rank(["iphone"], 5).keys() == {7}
        assert store.words.rank(["house"], 5) == {}
        version = store.database.version()
        store.close()
    assert Store(old, readonly=True).database.version() == version


def test_chunks_get_their_sections_and_keep_their_breadcrumb_and_vectors(old: Path) -> None:
    body = "# Guide\n\nIn short.\n\n## Installation\n\nRun it.\n\n## Usage\n\nAsk."
    connection = sqlite3.connect(old / "notes.db")
    connection.execute("UPDATE notes SET body = ?", (body,))
    chunk = "UPDATE chunks SET kind = 'markdown_section', section_title = 'Guide', text = ?, start = 0, \"end\" = ?"
    end = body.index("\n\n## Usage")
    connection.execute(chunk, (body[:end], end))
    connection.commit()
    connection.close()
    for _ in range(2):
        store = Store(old)
        (found,) = store.chunks.for_note("n")
        assert (found.section, found.hierarchy_level) == (("Guide", "Installation"), 2)
        assert (found.sections, found.breadcrumb) == (("Guide", "Installation"), ("Guide",))
        assert found.state == "embedded"
        assert store.words.rank(["installation"], 5).keys() == {7}
        where = Filters(conditions=(Condition("section", ("installation",)),))
        assert store.chunks.allowed(where).tolist() == [7]
        assert store.database.value("SELECT count(*) FROM windows WHERE chunk = 7") == 1
        store.close()


def test_a_migration_that_fails_leaves_everything_as_it_was(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(connection: sqlite3.Connection) -> None:
        connection.execute("DELETE FROM notes")
        raise KeyboardInterrupt

    steps = [fail if callable(step) else step for step in schema.MIGRATIONS]
    with monkeypatch.context() as patched:
        patched.setattr(schema, "MIGRATIONS", steps)
        with pytest.raises(KeyboardInterrupt):
            Store(old)
    connection = sqlite3.connect(old / "notes.db")
    assert connection.execute("PRAGMA user_version").fetchone()[0] == [*map(callable, steps)].index(True)
    connection.close()
    store = Store(old)
    assert store.notes.ids() == {"n"}
    store.close()


def test_a_migration_imports_nothing_of_tessera() -> None:
    files = [*Path(migrations.__file__).parent.glob("v*.py")]
    assert files
    trees = [ast.parse(file.read_text(encoding="utf-8")) for file in files]
    imports = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = [name.name for node in imports for name in node.names]
    names += [f"{node.module}" for node in imports if isinstance(node, ast.ImportFrom)]
    assert {name.partition(".")[0] for name in names}.isdisjoint({"core", "pages", "benchmarks", "tests"})
    assert not any(node.level for node in imports if isinstance(node, ast.ImportFrom))


def test_a_backup_is_made_before_a_migration_and_the_last_two_stay(old: Path) -> None:
    before = dump(old / "notes.db")
    first = shutil.copyfile(old / "notes.db", old / "first.db")
    for _ in range(3):
        shutil.copyfile(first, old / "notes.db")
        Store(old).close()
        Store(old).close()
    made = sorted((old / "backups").glob("*.zip"))
    assert len(made) == 2
    for number, file in enumerate(made):
        restore_into(file, old.with_name(f"restored-{number}"), "", schema.objects_of)
        assert dump(old.with_name(f"restored-{number}") / "notes.db") == before


def test_without_space_for_the_backup_nothing_is_migrated(old: Path) -> None:
    before = dump(old / "notes.db")
    with limit((old / "notes.db").stat().st_size - 1), pytest.raises(DiskFull):
        Store(old)
    assert dump(old / "notes.db") == before
    assert [file.name for file in (old / "backups").iterdir()] == [".lock"]
    Store(old).close()


def test_a_workspace_without_notes_needs_no_backup(tmp_path: Path) -> None:
    Store(tmp_path).close()
    Store(tmp_path).close()
    assert not (tmp_path / "backups").exists()


def dump(file: Path) -> list[str]:
    with closing(sqlite3.connect(file)) as connection:
        return list(connection.iterdump())


def test_a_reader_brings_it_up_to_date_unless_another_writes(old: Path) -> None:
    lock = FileLock(old / "lock")
    with lock, pytest.raises(WorkspaceLocked):
        Store(old, readonly=True)
    reader = Store(old, readonly=True)
    assert [card.title for card in reader.notes.cards()] == ["Title"]
    with pytest.raises(WorkspaceLocked):
        reader.bases.delete(reader.bases.named("old"))
    reader.close()


def test_a_column_that_was_there_between_two_releases_goes(tmp_path: Path) -> None:
    shutil.copyfile(Path(__file__).parent / "workspaces" / "schema-8.db", tmp_path / "notes.db")
    connection = sqlite3.connect(tmp_path / "notes.db")
    connection.execute("ALTER TABLE switches ADD COLUMN dimension INTEGER NOT NULL DEFAULT 16")
    connection.commit()
    connection.close()
    store = Store(tmp_path)
    assert [row["name"] for row in store.database.connection.execute("PRAGMA table_info('switches')")] == [
        "base_id",
        "embedder",
        "fingerprint",
        "started_at",
    ]
    assert store.switches.for_base(store.bases.named("waiting")) is not None
    store.close()


def test_what_a_later_version_chooses_for_searches_is_left_out(old: Path) -> None:
    store = Store(old)
    with store.database.write() as connection:
        connection.execute("UPDATE bases SET search = ?", ('{"limit": 3, "of_a_later_version": 0.5}',))
    assert store.bases.named("old").search == SearchSettings(limit=3)
    store.close()


def test_a_pipeline_with_its_search_beside_the_rest_is_read(tmp_path: Path) -> None:
    shutil.copyfile(Path(__file__).parent / "workspaces" / "schema-8.db", tmp_path / "notes.db")
    store = Store(tmp_path)
    flat = '{"name": "old", "chunking": null, "embedder": "", "mode": "keyword", "semantic_weight": null}'
    with store.database.write() as connection:
        connection.execute("UPDATE runs SET pipeline = ?", (flat,))
    runs = RunTable(store.database).for_base(store.bases.named("notes"))
    assert {run.pipeline for run in runs} == {Pipeline("old", search=SearchSettings(mode="keyword"))}
    store.close()


def test_bases_of_the_bundled_model_are_centred_and_their_indexes_built_anew(old: Path) -> None:
    ((fingerprint, constants),) = centring.shipped().items()
    connection = sqlite3.connect(old / "notes.db")
    connection.executescript(
        f"UPDATE bases SET fingerprint = '{fingerprint}', dimension = {constants.shape[1]};"
        f" UPDATE embedders SET fingerprint = '{fingerprint}';"
    )
    connection.close()
    store = Store(old)
    (base,) = store.bases.all()
    assert base.index_generation == 1
    assert (store.vectors.centring(base).constants == constants).all()
    store.close()


def test_a_workspace_that_had_the_column_before_version_21_was_closed_opens(tmp_path: Path) -> None:
    Store(tmp_path).close()
    with closing(sqlite3.connect(tmp_path / "notes.db")) as connection:
        connection.executescript("ALTER TABLE bases DROP COLUMN floor; PRAGMA user_version = 21;")
    with closing(Store(tmp_path)) as store:
        assert store.searches.unanswered() == []
