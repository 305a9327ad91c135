"""Workspaces of every schema there was open with the present code, and nothing of them is lost."""

import shutil
import sqlite3
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.base.registry import Entry
from core.base.text import WORDS_FORM
from core.embedding import EMBEDDERS
from core.features.learning.facts import FactTable
from core.features.related.concepts import ConceptTable
from core.features.review.service import DecisionTable
from core.features.threads.service import ThreadTable
from core.model import (
    OPEN,
    BaseStatus,
    Chunk,
    ChunkingOptions,
    Edit,
    Filters,
    Hit,
    KnowledgeBase,
    Mode,
    Note,
    Pipeline,
    Question,
    QuestionResult,
    QuestionSet,
    Run,
    SearchSettings,
)
from core.store import Store
from core.store import migrations as schema
from core.store.migrations import MIGRATIONS
from core.workspace import Workspace
from tests.fakes import WordLengths
from tests.store.test_unreadable import READABLE, UNREADABLE

FILES = {int(file.stem.removeprefix("schema-")): file for file in Path(__file__).parent.glob("workspaces/schema-*.db")}

RENAMED = {"usage": "uses", "usage.query": "context", "usage.at": "used_at"}
"""Tables and columns (`table.column`, by their old names) that a migration named anew -> their names now."""
NEVER = 99
REWRITTEN = {
    "bases.limit": 9,
    "bases.score_threshold": 9,
    "bases.semantic_weight": 9,
    "bases.rerank_weight": 9,
    "bases.reranker": 9,
    "runs.pipeline": 9,
    "chunks.section_title": NEVER,
    "chunks.parent_sections": NEVER,
    "chunks.hierarchy_level": NEVER,
    "words.title": NEVER,
    "words.headings": NEVER,
    "words.body": NEVER,
    "version.number": NEVER,
    "version.words": NEVER,
    "usage.verdict": NEVER,
    "overdue.item": NEVER,
    "overdue.opening": NEVER,
}
"""Columns that a migration writes anew -> its version: 9 gives searches one value, 20 makes
verdicts numbers; every opening writes what is overdue, the first one the words and sections."""
SHADOWS = ("words_config", "words_content", "words_data", "words_docsize", "words_idx")
"""Tables within the full-text table `words`."""

RUNBOOK, CACHE, MEMORY, UNDATED = "Projects/runbook.md", "缓存/雪崩.md", "臺灣/記憶體.md", "undated.md"
DATABASE = "Create an empty database and run `pg_restore` on it."
ROWS = "Count the rows of the largest table and compare."

# The public seam, a call each.


def bases(workspace: Workspace) -> dict[str, KnowledgeBase]:
    return {base.name: base for base in workspace.bases.all()}


def statuses(workspace: Workspace) -> dict[str, BaseStatus]:
    return {status.base.name: status for status in workspace.status().bases}


def failures(workspace: Workspace, base: str) -> list[tuple[str, str]]:
    return [(failure.path, str(failure.error)) for failure in workspace.folders.failures(bases(workspace)[base])]


def notes(workspace: Workspace) -> dict[str | None, Note]:
    return {card.path: workspace.notes.get(card.id) for card in workspace.notes.all()}


def chunks(workspace: Workspace, path: str) -> list[Chunk]:
    return workspace.chunks.all(notes(workspace)[path].id)


def edits(workspace: Workspace) -> list[Edit]:
    return workspace.chunks.edits()


def own_options(workspace: Workspace, path: str) -> ChunkingOptions | None:
    return workspace.chunks.options(notes(workspace)[path].id)


def pending(workspace: Workspace, base: str) -> int:
    return workspace.pending.count(base)


def hits(workspace: Workspace, text: str, mode: Mode, base: str = "") -> Sequence[Hit]:
    return workspace.search(text, mode=mode, filters=Filters(bases=(base,) if base else ())).hits


def past_searches(workspace: Workspace) -> list[tuple[str, int, str]]:
    return [(past.query, past.times, past.name) for past in workspace.searches.all()]


def feedback(workspace: Workspace) -> set[tuple[str, str, str]]:
    return {(one.context, one.note_id, one.verdict) for one in workspace.uses.judged()}


def question_sets(workspace: Workspace, base: str) -> list[QuestionSet]:
    return workspace.question_sets.all(base)


def questions(workspace: Workspace, base: str) -> list[Question]:
    (questions,) = question_sets(workspace, base)
    return workspace.questions.all(questions)


def runs(workspace: Workspace, base: str) -> dict[str, Run]:
    return {run.pipeline.name: run for run in workspace.runs.all(base)}


def results(workspace: Workspace, run: Run) -> list[QuestionResult]:
    return workspace.runs.results(run.id)


# What is in the workspaces, as `workspaces/make.py` wrote it.


def check(workspace: Workspace, version: int) -> None:
    """Assert that all that a workspace of this version was made with is there and has its meaning."""
    check_notes(workspace, version)
    check_keywords(workspace, version)
    if version >= 2:
        check_edits(workspace)
    if version >= 3:
        check_tokens_and_switch(workspace)
    check_search_settings(workspace, version)
    if version >= 4:
        check_usage(workspace)
    if version >= 7:
        check_questions(workspace)
    if version >= 8:
        check_runs(workspace)
    if version >= 15:
        check_documents(workspace)
    if version >= 16:
        check_pictures(workspace)
    if version >= 17:
        assert "copy-0a1b2c3d4e5f" in DecisionTable(workspace.store.database).hidden_keys()
    if version >= 18:
        assert [(fact.rejected, fact.reason) for fact in FactTable(workspace.store.database).all()] == [
            (True, "known"),
            (False, ""),
        ]
    if version >= 19:
        check_answers(workspace)
    if version >= 20:
        clicks = workspace.store.clicks.for_notes()
        assert [(click.note_id, click.kind) for click in clicks] == [(notes(workspace)[RUNBOOK].id, "cite")]
        assert [omission.kind for omission in notes(workspace)["garden.csv"].left_out] == []
    for base in bases(workspace):
        for run in runs(workspace, base).values():
            assert all(result.id for result in results(workspace, run))
    assert workspace.unreadable == ()


def check_notes(workspace: Workspace, version: int) -> None:
    own = notes(workspace)
    names = {RUNBOOK, CACHE, MEMORY, UNDATED, "embedded.md"}
    names |= {"waiting.md"} if version >= 2 else {"leaving.md"}
    names |= {"bits.md"} if version >= 3 else set()
    names |= {"Words that no model takes.md"} if version >= 14 else set()
    names |= {"garden.csv"} if version >= 15 else set()
    names |= {"board.md"} if version >= 16 else set()
    if version >= 18:
        names.add("learnt/pool.least = 2.md" if version <= 20 else "learnt/least is listening on 0.0.0.0 2002.md")
    assert set(own) == names
    note = own[RUNBOOK]
    assert (note.title, note.tags) == ("Backup runbook", ("backup", "PostgreSQL"))
    assert (note.type, note.project, note.priority) == ("runbook", "atlas", 2)
    assert (str(note.created_at), str(note.updated_at)) == ("2024-03-01 00:00:00+00:00", "2024-05-06 07:08:09+00:00")
    assert (note.extra, note.source_url) == (
        {"aliases": ["restoring"], "reviewer": "Ada"},
        "https://example.org/runbook",
    )
    assert note.links == ("缓存雪崩",)
    assert note.body.startswith("\n# Backup runbook\n\nBackups are only worth what their last restore proved.")
    assert note.body.endswith("def newest(folder):\n    return max(folder.iterdir())\n```\n")
    note = own[CACHE]
    assert (note.title, set(note.tags), note.type, note.project) == ("缓存雪崩", {"redis", "缓存"}, "笔记", "电商")
    assert "给过期时间加上随机值，可以把失效的时刻错开。" in note.body
    assert own[MEMORY].body == "# 記憶體筆記\n\n臺灣的說法是記憶體。\n\n資料庫要先放進快取。\n"
    note = own[UNDATED]
    assert tuple(map(str, note.warnings)) == ("'created' in the front matter (line 3) is not a date like 2026-01-31.",)
    assert (note.status, note.extra, note.tags) == ("archived", {"created": "someday"}, ("draft",))
    # Later versions list an empty file among those that hold nothing to read.
    assert failures(workspace, "notes") == ([("empty.md", "is empty.")] if version < 20 else [])
    sections = [chunk.section for chunk in chunks(workspace, RUNBOOK) if not chunk.edited]
    assert sections[-2:] == [("Backup runbook", "Machines"), ("Backup runbook", "Script")]
    for name in names:
        for chunk in chunks(workspace, str(name)):
            assert chunk.edited or chunk.picture or own[name].body[chunk.start : chunk.end] == chunk.text


def check_documents(workspace: Workspace) -> None:
    note = notes(workspace)["garden.csv"]
    assert note.document is not None
    assert (note.document.kind, "tomato" in note.body) == ("csv", True)
    assert {one.path for one in workspace.documents.unread("uploads")} == {"torn.pdf", "film.mp4"}
    assert workspace.documents.original(note.id).data.startswith(b"plant,sun")


def check_pictures(workspace: Workspace) -> None:
    assert bases(workspace)["pictures"].read_pictures
    read = [(chunk.picture, chunk.text) for chunk in chunks(workspace, "board.md") if chunk.picture]
    assert read == [("board.png", "Irrigation of the greenhouse")]


def check_answers(workspace: Workspace) -> None:
    ((turn,),) = [thread.turns for thread in ThreadTable(workspace.store.database).all()]
    note = notes(workspace)[RUNBOOK]
    assert [(one.note_id, one.quote) for one in turn.citations] == [(note.id, ROWS)]
    assert ConceptTable(workspace.store.database).choices() == {"backup": ("pin", "")}


def check_keywords(workspace: Workspace, version: int) -> None:
    def paths(text: str) -> list[str | None]:
        return [hit.note.path for hit in hits(workspace, text, "keyword")]

    assert paths("rack") == [RUNBOOK]
    assert paths("随机") == [CACHE]
    assert paths("台湾") == paths("臺灣") == [MEMORY]
    assert paths("sourdough status:archived") == [UNDATED]
    assert set(paths("roles")) == ({RUNBOOK} if version == 1 else set())


def check_edits(workspace: Workspace) -> None:
    own = notes(workspace)
    states = [(chunk.text, chunk.state, chunk.edited) for chunk in chunks(workspace, RUNBOOK)]
    assert states[0] == ("Backups are proved by restores, says a person.", "embedded", True)
    assert states[1][0].startswith(f"## Restoring\n\n{DATABASE}")
    assert states[1][1:] == ("deleted", False)
    assert states[3] == ("A person's own remark: ask Grace for the passphrase.", "embedded", True)
    assert len(states) == 5
    halves = [chunk.text for chunk in chunks(workspace, CACHE)]
    assert halves[0] == "# 缓存雪崩\n\n大量"
    assert halves[1].endswith("可以把失效的时刻错开。")
    lines = ["# 記憶體筆記\n\n臺灣的說法是記憶體。", "資料庫要先放進快取。"]
    assert [chunk.text for chunk in chunks(workspace, MEMORY)] == lines
    options = own_options(workspace, MEMORY)
    assert options is not None
    assert options.strategy == "lines"
    assert own_options(workspace, RUNBOOK) is None
    by_note = {path: [edit for edit in edits(workspace) if edit.note_id == note.id] for path, note in own.items()}
    assert [(edit.kind, edit.deleted) for edit in by_note[RUNBOOK]] == [
        ("add", False),
        ("text", False),
        ("delete", True),
    ]
    assert [edit.kind for edit in by_note[CACHE]] == ["split", "split"]
    assert [edit.kind for edit in by_note[MEMORY]] == ["merge"]
    (stray,) = [edit for edit in edits(workspace) if edit.flagged]
    assert (stray.kind, stray.text) == ("text", "What stays of the note that left.")
    assert stray.anchor == "# Leaving\n\nThis note goes away, and what was written over it stays."
    assert not bases(workspace)["waiting"].embed_at_once
    assert (pending(workspace, "waiting"), pending(workspace, "notes")) == (1, 0)
    assert [chunk.state for chunk in chunks(workspace, "waiting.md")] == ["pending"]


def check_tokens_and_switch(workspace: Workspace) -> None:
    own = statuses(workspace)
    assert [(name, own[name].with_bits, own[name].base.keep_tokens) for name in ("bits", "notes", "waiting")] == [
        ("bits", 1, True),
        ("notes", 0, False),
        ("waiting", 0, True),
    ]
    switch = own["waiting"].switch
    assert switch is not None
    assert (switch.embedder, own["notes"].switch, own["bits"].switch) == ("tfidf", None, None)


def check_search_settings(workspace: Workspace, version: int) -> None:
    own = {name: base.search for name, base in bases(workspace).items()}
    chosen = SearchSettings(limit=7, score_threshold=0.125, semantic_weight=0.25, rerank_weight=0.75)
    if version >= 8:
        chosen = replace(chosen, reranker="late-interaction")
    assert (own["notes"], own["waiting"]) == (chosen if version >= 4 else OPEN, OPEN)
    base = bases(workspace)["notes"]
    assert (base.embedder, base.fingerprint, base.dimension) == ("words", "word-lengths", 16)
    assert base.chunking == ChunkingOptions(chunk_size=256)


def check_usage(workspace: Workspace) -> None:
    own = notes(workspace)
    assert past_searches(workspace) == [("tag:redis 雪崩", 0, "Outages 事故"), ("restore", 2, "")]
    assert feedback(workspace) == {("restore", own[RUNBOOK].id, "helpful"), ("雪崩", own[CACHE].id, "harmful")}


def check_questions(workspace: Workspace) -> None:
    (own,) = question_sets(workspace, "notes")
    assert (own.name, own.questions, own.suggested, own.flagged) == ("Nights 夜班", 5, 1, 1)
    every = questions(workspace, "notes")
    assert [one.id for one in every] == ["restore", "q-002", "left", "none", "guess"]
    restore, _, left, none, guess = every
    assert (restore.text, restore.any, restore.kind, restore.note) == (
        "how to restore a dump",
        False,
        "how",
        "asked every week",
    )
    assert [(gold.path, gold.quote, gold.flagged) for one in every for gold in one.spans] == [
        (RUNBOOK, DATABASE, False),
        (RUNBOOK, ROWS, False),
        (CACHE, "给过期时间加上随机值", False),
        ("leaving.md", "This note goes away", True),
        (MEMORY, "臺灣的說法是記憶體。", False),
    ]
    for gold in (gold for one in every if one is not left for gold in one.spans):
        assert workspace.notes.get(gold.note_id).body[gold.start : gold.end] == gold.quote
    assert none.gold == ()
    assert [one.suggested for one in every] == [one is guess for one in every]


def check_runs(workspace: Workspace) -> None:
    own = runs(workspace, "notes")
    assert {name: run.pipeline.chunking for name, run in own.items()} == {
        "by word": None,
        "by line": ChunkingOptions(strategy="lines"),
    }
    assert {name: run.pipeline.search for name, run in own.items()} == dict.fromkeys(
        own, SearchSettings(mode="keyword", reranker="none")
    )
    for run in own.values():
        assert (run.set_name, run.questions, run.asked, run.ended_at is not None) == ("Nights 夜班", 3, 3, True)
        assert run.metrics["recall@10"] == 0.5
        assert [result.id for result in results(workspace, run)] == ["restore", "q-002", "none"]
    restore, cache, none = results(workspace, own["by word"])
    assert [gold.quote for gold in restore.golds] == [DATABASE, ROWS]
    assert restore.found_rank is None
    assert [(one.gold, one.stage) for one in restore.diagnoses] == [(0, "not_indexed"), (1, "not_indexed")]
    assert (cache.found_rank, cache.hits[0].path) == (2, CACHE)
    assert none.negative


# The files, as plain SQLite reads them.

Rows = dict[str, list[dict[str, object]]]


def rows(file: Path) -> Rows:
    """Return all rows of all tables; those of `words` by its columns."""
    with closing(sqlite3.connect(file)) as connection:
        connection.row_factory = sqlite3.Row
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        return {
            name: [dict(row) for row in connection.execute(f'SELECT {"rowid, " * (name == "words")}* FROM "{name}"')]
            for (name,) in tables
            if name not in SHADOWS
        }


def schema_of(file: Path) -> tuple[int, set[tuple[str, str]]]:
    """Return the version of a database's schema and what it consists of."""
    with closing(sqlite3.connect(file)) as connection:
        version: int = connection.execute("PRAGMA user_version").fetchone()[0]
        return version, set(connection.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL"))


def closest(file: Path, text: str, ids: set[str]) -> tuple[str, float]:
    """Return which of some chunks has the vector closest to a text's, with its cosine."""
    with closing(sqlite3.connect(file)) as connection:
        vectors = connection.execute(
            "SELECT chunks.id, vectors.vector FROM windows JOIN vectors ON vectors.id = windows.vector"
            " JOIN chunks ON chunks.rowid = chunk"
        ).fetchall()
    query = WordLengths().embed([text], role="query")[0]
    cosines = [(key, float(np.frombuffer(blob, "<f4") @ query)) for key, blob in vectors if key in ids]
    return max(cosines, key=lambda pair: pair[1])


@pytest.fixture(autouse=True)
def _embedders(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(EMBEDDERS, "_built", {})
    monkeypatch.setitem(EMBEDDERS, "words", Entry("tests.fakes:WordLengths"))
    monkeypatch.setitem(EMBEDDERS, "word-tokens", Entry("tests.fakes:WordTokens"))


@pytest.fixture(params=sorted(FILES))
def version(request: pytest.FixtureRequest) -> int:
    number: int = request.param
    return number


@pytest.fixture
def folder(tmp_path: Path, version: int) -> Path:
    """A workspace of that version."""
    folder = tmp_path / "workspace"
    folder.mkdir()
    shutil.copyfile(FILES[version], folder / "notes.db")
    return folder


def test_there_is_a_workspace_of_every_earlier_version() -> None:
    missing = set(range(1, len(schema.MIGRATIONS))) - set(FILES)
    assert not missing, (
        f"No workspace of schema {sorted(missing)} is kept. Check out the commit before the new migration, run"
        " `python -m tests.store.workspaces.make` there, and add the file it writes to tests/store/workspaces."
    )
    assert {version: schema_of(file)[0] for version, file in FILES.items()} == {version: version for version in FILES}


def test_no_row_is_lost_nor_changed(folder: Path, version: int) -> None:
    Workspace(folder).close()
    now = rows(folder / "notes.db")
    for table, old in rows(FILES[version]).items():
        assert old, f"the workspace has nothing in '{table}'"
        columns = {
            column: RENAMED.get(f"{table}.{column}", column)
            for column in old[0]
            if REWRITTEN.get(f"{table}.{column}", 0) <= version
        }
        before = Counter(repr([row[column] for column in columns]) for row in old)
        after = Counter(repr([row[column] for column in columns.values()]) for row in now[RENAMED.get(table, table)])
        assert not before - after, table


def test_its_schema_is_that_of_a_new_workspace(folder: Path, tmp_path: Path) -> None:
    Workspace(folder).close()
    Workspace(tmp_path / "new").close()
    assert schema_of(folder / "notes.db")[0] == len(schema.MIGRATIONS)
    assert schema_of(folder / "notes.db") == schema_of(tmp_path / "new" / "notes.db")


def test_it_opens_with_all_it_had_and_opens_again(folder: Path, version: int) -> None:
    for _ in range(2):
        with Workspace(folder) as workspace:
            check(workspace, version)
    with Workspace(folder, readonly=True) as workspace:
        check(workspace, version)


def test_it_opens_for_reading_first(folder: Path, version: int) -> None:
    with Workspace(folder, readonly=True) as workspace:
        check(workspace, version)


def test_its_vectors_answer_exactly_and_through_the_index_made_of_them(folder: Path, version: int) -> None:
    with Workspace(folder) as workspace:
        own = {card.id for card in workspace.notes.all() if card.base == "notes" and card.status == "active"}
        ids = {chunk.id for key in own for chunk in workspace.chunks.all(key) if chunk.state == "embedded"}
        texts = ("rack nodes of size", "一二三四 五六", "Backups proved by restores")
        expected = [closest(FILES[version], text, ids) for text in texts]

        def best(text: str) -> tuple[str, float]:
            hit = hits(workspace, text, "semantic", "notes")[0]
            return hit.chunk.id, pytest.approx(hit.scores["vector"].score, abs=1e-5)

        assert [best(text) for text in texts] == expected
        assert workspace.rebuild() == len(rows(FILES[version])["windows"])
        assert [best(text) for text in texts] == expected


def test_work_on_it_goes_on(folder: Path, version: int) -> None:
    with Workspace(folder) as workspace:
        (chunk, *_) = chunks(workspace, CACHE)
        workspace.chunks.update(chunk.id, "What a later version writes over it.")
        assert [hit.note.path for hit in hits(workspace, "later version", "keyword")] == [CACHE]
        assert workspace.pending.embed("waiting") == pending(workspace, "waiting") + (version >= 2)
        if version < 3:
            workspace.switches.begin("waiting", "tfidf")
        assert workspace.switches.run("waiting").embedder == "tfidf"
        assert hits(workspace, "embedded already", "semantic", "waiting")[0].note.path == "embedded.md"
        workspace.switches.begin("notes", "tfidf")
        workspace.switches.abandon("notes")
        if version < 7:
            fresh = workspace.question_sets.add("notes", "Nights 夜班")
            workspace.questions.add(fresh, [Question("none", "zzz", ())])
        (nights,) = question_sets(workspace, "notes")
        workspace.runs.run(nights, [Pipeline("again", search=SearchSettings(mode="keyword", reranker="none"))])
        assert set(runs(workspace, "notes")) == {"again"} | ({"by word", "by line"} if version >= 8 else set())


def test_times_and_properties_of_notes_are_brought_up_to_date(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.setenv("TZ", "Asia/Shanghai")
    time.tzset()
    request.addfinalizer(time.tzset)
    request.addfinalizer(monkeypatch.undo)
    (tmp_path / "old").mkdir()
    shutil.copyfile(FILES[19], tmp_path / "old" / "notes.db")
    with closing(sqlite3.connect(tmp_path / "old" / "notes.db")) as connection:
        connection.execute(
            "UPDATE notes SET front = replace(front, 'project:', ?), overridden = ? WHERE path = ?",
            ("expires: 2027-03-01 10:00\nproject:", '{"expires_at": "2027-03-01T10:00:00+00:00"}', RUNBOOK),
        )
        connection.commit()
    with Workspace(tmp_path / "old") as workspace:
        note = notes(workspace)[RUNBOOK]
        assert str(note.overridden["expires_at"]) == "2027-03-01 02:00:00+00:00", "what the file says"
        assert str(note.updated_at) == "2024-05-05 23:08:09+00:00", "07:08:09 on the clock of this machine"
        assert str(note.created_at) == "2024-03-01 00:00:00+00:00", "a bare day"
        for typed in ("reviewer:ada", "has:reviewer", "updated:2024-05-06", "created:2024-03-01"):
            filters = workspace.searching.filters(terms=[typed])
            assert [card.path for card in workspace.notes.all(filters)] == [RUNBOOK], typed


@pytest.mark.parametrize("path", [UNDATED, "elsewhere.md", "edited.md"])
def test_a_file_that_reads_differently_now_is_read_again(tmp_path: Path, path: str) -> None:
    """Also where it was renamed meanwhile; before, an edit is no conflict."""
    vault, old = tmp_path / "vault", tmp_path / "old"
    vault.mkdir()
    old.mkdir()
    shutil.copyfile(FILES[19], old / "notes.db")
    with closing(sqlite3.connect(old / "notes.db")) as connection:
        ((front, body),) = connection.execute("SELECT front, body FROM notes WHERE path = ?", (UNDATED,))
        (vault / UNDATED).write_text(front + body, newline="")
        warnings = '[{"text": "The front matter is ignored.", "fields": {}}]'
        connection.execute(
            "UPDATE notes SET source_ref = ?, warnings = ? WHERE path = ?", (str(vault), warnings, UNDATED)
        )
        connection.execute("UPDATE bases SET write_files = 1 WHERE name = 'notes'")
        connection.commit()
    with Workspace(old) as workspace:
        note = notes(workspace)[UNDATED]
        assert workspace.files.read(note.id).version == note.version
        if path == "edited.md":
            workspace.notes.update(note.id, body="Another body.\n", expected_version=note.version)
            assert (vault / UNDATED).read_text() == f"{front}Another body.\n"
            return
        (vault / UNDATED).rename(vault / path)
        plan = workspace.imports.plan_folder(vault, "notes")
        assert [match.note.note_id for match in plan.changed] == [note.id]
        workspace.imports.apply(plan, confirmed=True)
        assert (notes(workspace)[path].id, "date like" in str(notes(workspace)[path].warnings)) == (note.id, True)
        assert workspace.imports.plan_folder(vault, "notes").is_empty


DAMAGED = {
    **{f"notes: {wrong}": change for wrong, change in (UNREADABLE | READABLE).items() if "left_out" not in change},
    "notes: front matter that is a blob": "front = x'ff00'",
    "chunks: titles that are no JSON": "parent_sections = '{'",
    "chunks: titles that are no list": "parent_sections = '5'",
    "chunks: a title that is a blob": "section_title = x'ff'",
    "chunks: a text that is a blob": "text = x'ff', has_code = 1",
    "chunks: no place": "start = 'x', overlap_tokens = 1, text = 'One' || char(10) || '# Two'",
    "chunks: no note": "note_id = 'gone', text = 'One' || char(10) || '# Two'",
}
"""Values in rows of a note, or of its chunks, that Tessera didn't write."""


@pytest.mark.parametrize("wrong", DAMAGED)
def test_it_opens_with_a_row_that_cannot_be_read(tmp_path: Path, wrong: str) -> None:
    shutil.copyfile(FILES[19], tmp_path / "notes.db")
    table = wrong.partition(":")[0]
    with closing(sqlite3.connect(tmp_path / "notes.db")) as connection:
        ((note_id,),) = connection.execute("SELECT id FROM notes WHERE path = ?", (RUNBOOK,))
        key = "id" if table == "notes" else "note_id"
        assert connection.execute(f"UPDATE {table} SET {DAMAGED[wrong]} WHERE {key} = ?", (note_id,)).rowcount
        connection.commit()
    for _ in range(2):
        store = Store(tmp_path)
        assert store.database.value("SELECT words FROM version") == WORDS_FORM
        (card,) = [card for card in store.notes.cards() if card.path == CACHE]
        (first, *_) = store.chunks.for_note(card.id)
        assert first.breadcrumb
        assert first.breadcrumb == first.section
        store.close()


def test_only_the_last_migration_is_open() -> None:
    assert FILES.keys() >= {*range(1, len(MIGRATIONS))}
