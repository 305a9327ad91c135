"""A row that can't be read is that row's problem: it is named, everything else goes on, and it can be deleted."""

import json
import random
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from core.base.errors import TesseraError
from core.base.registry import Entry
from core.doors import cli
from core.embedding import EMBEDDERS
from core.model import CALENDAR_BEGINS, GoldSpan, NoteDraft, Pipeline, Proposal, Question
from core.workspace import Workspace

MANY = "1" * 6_000
UNREADABLE = {
    "aliases, a number": "extra = '{\"aliases\": 5}'",
    "aliases, numbers": "extra = '{\"aliases\": [5, null]}'",
    "a number of 6,000 figures": f"extra = '{{\"x\": {MANY}}}'",
    "no JSON": "extra = '{', links = '[', warnings = 'x', overridden = '', supersedes = '[[', related = '5'",
    "half a character": """extra = '{"x": "\\ud800"}', supersedes = '["\\ud800"]'""",
    "nested": f"extra = '{'[' * 100_000}', depends_on = '{'[' * 900}{']' * 900}'",
    "no number": 'extra = \'{"x": NaN, "y": 1e999}\'',
    "other types": "extra = 'null', links = '{}', supersedes = '{\"a\": 1}', overridden = '[]', warnings = '[5]'",
    "omissions of other types": """left_out = '[{"kind": 5}, {"count": "x"}]'""",
    "no omissions": "left_out = '{}'",
    "a warning that has no fields": """warnings = '[{"text": "{n}", "fields": {}}, {"text": 5}]'""",
    "a priority of 5,000 figures": f"priority = '{'9' * 5_000}'",
    "priorities": "priority = 1e300",
    "a blob": "title = x'ff00', priority = x'00', created_at = x'00', type = x'ff', body = x'ff'",
    "times": "created_at = 'yesterday', updated_at = '', expires_at = '2026-13-01'",
    "times that are numbers": "created_at = 5, updated_at = 1e300, expires_at = -1",
    "no status": "status = 'lost'",
    "other fields": 'overridden = \'{"priority": "x", "nothing": 1}\'',
    "its own chunking": 'chunking = \'{"chunk_size": "x"}\'',
}
READABLE = {
    "bytes that aren't text": "body = CAST(x'ff' || body AS TEXT), type = CAST(x'ffc3' AS TEXT)",
    "created at the end of the calendar": "created_at = '9999-12-31T23:59:59-14:00', updated_at = '9999-12-31'",
    "expires at the end of the calendar": "expires_at = '9999-12-31T00:00:00+00:00'",
    "at its beginning": "created_at = '0001-01-01T00:00:00+14:00', expires_at = NULL",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace with a note for each way to damage its row, which is named after it, and one that stays as it is."""
    monkeypatch.setitem(EMBEDDERS, "words", Entry("tests.fakes:WordLengths"))
    for name, value in {"EMBEDDER": "words", "SEARCH__RERANKER": "none", "INDEX__KIND": "none"}.items():
        monkeypatch.setenv(f"TESSERA_{name}", value)
    with Workspace(tmp_path / "workspace") as workspace:
        bodies = {
            "Stork": "a stork stands",
            **{wrong: f"a heron, {wrong}, [[Stork]]" for wrong in UNREADABLE | READABLE},
        }
        for title, body in bodies.items():
            workspace.notes.add("desk", body, title=title, author="person", embed=False)
    return tmp_path / "workspace"


def change(folder: Path, *statements: str) -> None:
    with closing(sqlite3.connect(folder / "notes.db")) as database:
        for statement in statements:
            database.execute(statement)
        database.commit()


class Shell:
    """Runs commands, none of which may fail."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self._capsys, self.beside = folder, capsys, ""

    def run(self, *arguments: str) -> Any:
        cli.main([*arguments, "--workspace", str(self.folder), "--json"])  # ends by SystemExit
        raise AssertionError

    def __call__(self, *arguments: str) -> Any:
        with pytest.raises(SystemExit) as end:
            self.run(*arguments)
        printed = self._capsys.readouterr()
        assert not end.value.code, (arguments, printed.err)
        self.beside = printed.err
        return json.loads(printed.out)


def test_a_note_that_can_not_be_read_is_one_note_s_problem(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tessera = Shell(folder, capsys)
    ids = {note["title"]: note["id"] for note in tessera("note", "list")["notes"]}
    wrongs = UNREADABLE | READABLE
    change(folder, *(f"UPDATE notes SET {wrong} WHERE id = '{ids[title]}'" for title, wrong in wrongs.items()))

    assert tessera("status")["bases"][0]["notes"] == len(ids)
    assert len(tessera("note", "list")["notes"]) == len(ids)
    assert "'aliases, a number'" in tessera.beside
    for question in ("stork", "heron OR stork", "stork -tag:x priority:..5", 'in:stork "stork"', "stork after:2000"):
        assert tessera("search", question, "--mode", "keyword")["hits"], question
    for form in ("zip", "json", "yaml", "markdown"):
        tessera("export", "desk", "--to", str(folder.parent / f"out {form}"), "--as", form)
    with Workspace(folder) as workspace:
        workspace.notes.expiring(days=36_500)
        workspace.notes.switch("stork", 5)
        for title, note_id in ids.items():
            workspace.notes.links().to(note_id)
            workspace.store.database.unread.clear()
            assert workspace.notes.get(note_id).id == note_id
            workspace.store.notes.options(note_id)
            assert bool(workspace.unreadable) == (title in UNREADABLE), title
    for note_id in ids.values():
        tessera("note", "show", note_id)
        tessera("note", "history", note_id)
    tessera("note", "set", *ids.values(), "--tag", "seen")
    tessera("note", "list")
    assert not tessera.beside


ROWS = (
    "UPDATE versions SET fields = '{', at = 'x', kind = iif(kind = 'delete', kind, 'lost'), author = 5, body = x'00'",
    "UPDATE drafts SET fields = '[1', at = '', version = 'x'",
    "UPDATE proposals SET fields = '{\"tags\": \"\\ud800\"}', at = 5, body = x'ff'",
    "UPDATE question_sets SET created_at = '9999-12-31T23:59:59-14:00'",
    "UPDATE questions SET \"any\" = 5, suggested = 'x', kind = x'ff'",
    "UPDATE golds SET start = 'x', \"end\" = 1e300, flagged = 7",
    f"UPDATE runs SET pipeline = '[', settings = '{{\"x\": {MANY}}}', started_at = 'x', ended_at = 'x', metrics = '5'",
    "UPDATE results SET result = '{\"id\": 5}'",
    "UPDATE searches SET at = 'x', times = 'x'",
    "UPDATE uses SET used_at = x'ff', helpful = 'odd', times = 'x'",
    "UPDATE clicks SET kind = 'odd', day = x'ff', question = 5",
    "UPDATE bases SET chunking = '{\"chunk_size\": \"x\"}', search = '5', created_at = 'x', synced_at = 5, watch = 9",
    "UPDATE syncs SET at = 'x', report = '{\"failed\": [5]}'",
    "UPDATE edits SET created_at = 'x', deleted = 'x'",
    "UPDATE checks SET result = '{\"titles\": [5]}'",
    "UPDATE concepts SET choice = 5, into_name = x'ff'",
    "INSERT INTO turns VALUES ('t', 'x', 5, x'ff', 'm', '{', '[5]', 'x')",
)


@pytest.fixture
def used(folder: Path, tmp_path: Path) -> Path:
    """A workspace with a row in each table that a person owns, none of which can be read."""
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "crane.md").write_text("A crane stands.\n")
    with Workspace(folder) as workspace:
        note = workspace.notes.find("Stork")
        workspace.imports.apply(workspace.imports.plan_folder(vault, "desk"))
        workspace.pending.embed("desk")
        chunk = workspace.chunks.all(note.id)[0]
        workspace.chunks.update(chunk.id, "a stork sits")
        workspace.store.drafts.put(NoteDraft("new x", "", 1, "A draft", "text", {}, CALENDAR_BEGINS))
        workspace.store.proposals.put(Proposal(note.id, note.version, "other", {}, CALENDAR_BEGINS))
        gold = GoldSpan("Stork.md", "a stork", 0, 7, note.id)
        kept = workspace.store.questions.add_set(workspace.bases.all()[0], "Set", [Question("q", "stork?", (gold,))])
        workspace.runs.run(kept, [Pipeline()])
        workspace.searches.add("stork")
        workspace.uses.judge("stork", note.id, chunk.id, "helpful")
        workspace.clicks.enable(True)
        workspace.clicks.record(note.id, "stork", "cite")
        workspace.findability.check("desk")
        workspace.related.concepts.decide("stork", "pin")
        workspace.trash.put(workspace.notes.find("crane").id)
    change(folder, *ROWS)
    return folder


def test_rows_of_other_tables_that_can_not_be_read_are_one_row_s_problem(used: Path) -> None:
    with Workspace(used) as workspace:
        (base,) = workspace.bases.all()
        (draft,) = workspace.drafts.all()
        (waiting,) = workspace.proposals.all()
        kept = workspace.question_sets.get("desk", "Set")
        run = next(run for run in workspace.runs.all("desk") if run.set_id == kept.id)
        workspace.runs.results(run.id)
        assert [question.text for question in workspace.questions.all(kept)] == ["stork?"]
        assert [one.query for one in workspace.searches.all()] == ["stork"]
        assert [one.context for one in workspace.uses.judged()] == ["stork"]
        assert len(workspace.clicks.all()) == 1
        assert workspace.search("stork").hits
        assert workspace.folders.failures(base) == []
        assert workspace.findability.results(base.id)[1] == {}
        workspace.related.concepts.all()
        (thread,) = workspace.threads.all()
        workspace.versions.all(waiting.note.id)
        workspace.trash.all()
        named = " ".join(map(str, workspace.unreadable))
        for what in (
            "draft",
            "proposed change",
            "question",
            "correct passage",
            "test run",
            "base",
            "version",
            "last update of the folder",
        ):
            assert f"The {what} '" in named, named
        for what, remedy in {
            "draft": "Enter these values again",
            "question": "Enter these values again",
            "base": "Enter these values again",
            "last update of the folder": "Update the base from the folder again",
            "test run": "Start the test again",
            "version": "To get these values back, restore a backup",
        }.items():
            told = [str(one) for one in workspace.unreadable if f"The {what} '" in str(one)]
            assert told, what
            assert all(remedy in one for one in told), told
        assert workspace.search("stork", mode="keyword").hits
        workspace.archives.exported("desk", "zip")

        workspace.threads.delete_for_good(thread.id)
        workspace.drafts.delete_for_good(draft.key)
        workspace.proposals.reject([waiting])
        workspace.runs.delete_for_good([run.id])
        workspace.store.questions.delete_set(kept)
        workspace.searches.delete_for_good("stork")
        workspace.trash.restore([workspace.trash.all()[0].version.note_id])
        workspace.bases.delete_for_good("desk")
        assert not workspace.unreadable


# Each JSON value of each column, replaced by others.

JSON_COLUMNS = {
    "bases": ("chunking", "search", "floor"),
    "notes": ("links", "extra", "warnings", "chunking", "supersedes", "related", "overridden", "document", "left_out"),
    "chunks": ("parent_sections", "sections", "breadcrumb"),
    "syncs": ("report",),
    "runs": ("pipeline", "settings", "metrics"),
    "results": ("result",),
    "versions": ("fields",),
    "drafts": ("fields",),
    "proposals": ("fields",),
    "turns": ("sentences", "citations"),
    "unread_files": ("reason",),
}
OTHERS = (None, [], {}, "x", 5, -1, 0, True, float("inf"), float("nan"), 10**30, [None], {"a": None}, "\ud800")
NO_JSON = ("", "{", "9" * 5_000, "[" * 5_000, "[1", b"\xff")


def replaced(value: Any) -> Iterator[Any]:
    """Yield the value with each value in it, and itself, replaced by each of OTHERS."""
    yield from OTHERS
    for key, item in list(value.items() if isinstance(value, dict) else enumerate(value or ())):
        for other in replaced(item) if isinstance(item, dict | list) else OTHERS:
            changed = value.copy()
            changed[key] = other
            yield changed


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return workspace_with_all(tmp_path_factory.mktemp("whole"))


def workspace_with_all(top: Path) -> Path:
    """A workspace with a row for each of JSON_COLUMNS, next to the folder that its base is synced with."""
    vault = top / "vault"
    vault.mkdir()
    (vault / "crane.md").write_text(
        "---\naliases: [Kranich]\n---\n# Crane\n\nIt stands.\n\n## Food\n\nFrogs [[stork]]\n"
    )
    (vault / "stork.md").write_text("---\nsupersedes: [crane.md]\n---\nA stork sits. [[crane]]\n")
    (vault / "heron.md").write_text("A heron stands.\n")
    (vault / "bad.pdf").write_bytes(b"%PDF-1.4 broken")
    with pytest.MonkeyPatch.context() as patch:
        _plain(patch)
        with Workspace(top / "w") as workspace:
            workspace.imports.apply(workspace.imports.plan_folder(vault, "desk"))
            workspace.pending.embed("desk")
            (base,) = workspace.bases.all()
            workspace.models.settle_floor(base)
            note = workspace.notes.find("stork")
            workspace.store.drafts.put(NoteDraft("new x", "", 1, "A draft", "text", {"tags": ["a"]}, CALENDAR_BEGINS))
            workspace.store.proposals.put(Proposal(note.id, note.version, "b", {"tags": ["b"]}, CALENDAR_BEGINS))
            gold = GoldSpan("stork.md", "A stork", 0, 7, note.id)
            kept = workspace.store.questions.add_set(base, "Set", [Question("q", "stork?", (gold,))])
            workspace.runs.run(kept, [Pipeline()])
            workspace.trash.put(workspace.notes.find("heron").id)
            workspace.trash.delete_for_good([item.version.note_id for item in workspace.trash.all()])
            assert workspace.store.bases.deleted_files(base, str(vault))
    sentences = json.dumps([{"text": "A stork sits.", "citations": [1]}])
    change(top / "w", f"INSERT INTO turns VALUES ('t', 1, '?', '?', 'm', '{sentences}', '[]', '2026-01-01')")
    return top / "w"


def _plain(patch: pytest.MonkeyPatch) -> None:
    patch.setitem(EMBEDDERS, "words", Entry("tests.fakes:WordLengths"))
    for name, value in {"EMBEDDER": "words", "SEARCH__RERANKER": "none", "INDEX__KIND": "none"}.items():
        patch.setenv(f"TESSERA_{name}", value)


def damage(folder: Path, choice: random.Random, share: float) -> list[str]:
    """Damage a share of the JSON columns, and return what was done."""
    done = []
    with closing(sqlite3.connect(folder / "notes.db")) as database:
        for table, columns in JSON_COLUMNS.items():
            for column in columns:
                (stored,) = database.execute(f"SELECT {column} FROM {table} ORDER BY length({column}) DESC").fetchone()
                if choice.random() > share:
                    continue
                values = [json.dumps(value) for value in replaced(json.loads(stored or "null"))]
                now = choice.choice(NO_JSON if choice.random() < 0.2 else values)
                database.execute(f"UPDATE {table} SET {column} = ?", (now,))
                done.append(f"{table}.{column} = {str(now)[:200]}")
        database.commit()
    return done


ACTS: dict[str, Callable[[Workspace, Path], object]] = {
    "status": lambda workspace, _: [str(item) for item in (workspace.status(), *workspace.unreadable)],
    "list": lambda workspace, _: workspace.notes.all(),
    "search": lambda workspace, _: workspace.searching.below_background(workspace.search("stork crane")),
    "search by words": lambda workspace, _: workspace.search("section:food frogs", mode="keyword"),
    "search a phrase": lambda workspace, _: workspace.search('"A stork sits"', mode="keyword"),
    "ask": lambda workspace, _: workspace.answers.ask("where does the stork sit?"),
    "measure": lambda workspace, _: workspace.models.settle_floor(workspace.bases.all()[0]),
    "unread files": lambda workspace, _: workspace.folders.unread(workspace.bases.all()[0]),
    "sync": lambda workspace, vault: workspace.imports.apply(workspace.imports.plan_folder(vault, "desk")),
    "chunks": lambda workspace, _: [workspace.chunks.all(note.id) for note in workspace.notes.all()],
    "notes": lambda workspace, _: [workspace.notes.get(note.id) for note in workspace.notes.all()],
    "related": lambda workspace, _: [workspace.related.of(note.id) for note in workspace.notes.all()],
    "history": lambda workspace, _: [workspace.versions.all(note.id) for note in workspace.notes.all()],
    "review": lambda workspace, _: (workspace.review.all(), workspace.review.digest(), workspace.review.open_tasks()),
    "drafts": lambda workspace, _: (workspace.drafts.all(), workspace.proposals.all(), workspace.threads.all()),
    "runs": lambda workspace, _: [workspace.runs.results(run.id) for run in workspace.runs.all("desk")],
    "export": lambda workspace, _: workspace.archives.exported("desk", "zip"),
    "doctor": lambda workspace, _: workspace.doctor.examine(),
    "delete": lambda workspace, _: [workspace.trash.put(note.id) for note in workspace.notes.all()],
    "delete for good": lambda workspace, _: workspace.trash.delete_for_good(
        [item.version.note_id for item in workspace.trash.all()]
    ),
}


@pytest.mark.parametrize("seed", range(12))
def test_no_json_value_of_the_database_stops_what_a_person_does(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    _plain(monkeypatch)
    folder = Path(shutil.copytree(whole, tmp_path / "w"))
    done = damage(folder, random.Random(seed), 0.25)
    with Workspace(folder) as workspace:
        for act, do in ACTS.items():
            try:
                do(workspace, whole.with_name("vault"))
            except Exception as error:
                raise AssertionError((act, *done)) from error


@pytest.mark.parametrize("value", [json.dumps(value) for value in OTHERS] + ['{"heron.md": 5}'])
@pytest.mark.parametrize("name", ["deleted_files", "ignored"])
def test_a_damaged_record_of_the_last_sync_stops_no_sync(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    _plain(monkeypatch)
    folder = Path(shutil.copytree(whole, tmp_path / "w"))
    change(folder, f'UPDATE syncs SET report = replace(report, \'"added"\', \'"{name}": {value}, "added"\')')
    with Workspace(folder) as workspace:
        (base,) = workspace.bases.all()
        plan = workspace.imports.plan_folder(whole.with_name("vault"), "desk")
        workspace.imports.apply(plan)
        workspace.folders.ignore("desk", "*.pdf")
        assert "*.pdf" in workspace.folders.ignored(base)
        workspace.trash.put(workspace.notes.find("stork").id)
        workspace.trash.delete_for_good([item.version.note_id for item in workspace.trash.all()])
        assert "stork.md" in workspace.store.bases.deleted_files(base, str(whole.with_name("vault")))


OF_CHUNKS = (
    "start",
    "end",
    "text",
    "section_title",
    "hierarchy_level",
    "token_count",
    "lead",
    "line",
    "page",
    "picture",
)


@pytest.mark.parametrize("value", ["x'ff'", "'x'", "1e300"])
def test_a_damaged_passage_stops_no_search(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    _plain(monkeypatch)
    for column in OF_CHUNKS:
        folder = Path(shutil.copytree(whole, tmp_path / column))
        of_crane = "(SELECT id FROM notes WHERE title = 'Crane')"
        change(folder, f'UPDATE chunks SET "{column}" = {value} WHERE note_id = {of_crane}')
        with Workspace(folder) as workspace:
            assert "stork" in [hit.note.title for hit in workspace.search("stork crane").hits], column
            assert workspace.search('"A stork sits"').hits, column
            workspace.answers.ask("where does the stork sit?")
            workspace.chunks.all(workspace.notes.find("Crane").id)


_FLOOR = {"mean": 0.3, "spread": 0.1, "windows": 4}
FLOORS = ("", "[", *(json.dumps(value) for value in replaced(_FLOOR)))


def test_a_damaged_background_similarity_counts_as_unmeasured(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _plain(monkeypatch)
    folder = Path(shutil.copytree(whole, tmp_path / "w"))
    with Workspace(folder) as workspace:
        (base,) = workspace.bases.all()
        for floor in FLOORS:
            change(folder, f"UPDATE bases SET floor = '{floor}'")
            workspace.search("stork crane")
            workspace.models.settle_floor(base)
            measured = workspace.store.floors.get(base)
            assert measured, floor
            assert measured.spread > 0, floor


@pytest.mark.parametrize("dimension", ["-1", "0", "7", "1e300", "'x'"])
def test_a_base_with_a_damaged_dimension_says_what_to_do_and_finds_by_words(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dimension: str
) -> None:
    """A negative one ended the search with an error of NumPy."""
    _plain(monkeypatch)
    folder = Path(shutil.copytree(whole, tmp_path / "w"))
    change(folder, f"UPDATE bases SET dimension = {dimension}")
    with Workspace(folder) as workspace:
        with pytest.raises(TesseraError):
            workspace.search("stork crane", mode="semantic")
        assert workspace.search("stork", mode="keyword").hits
