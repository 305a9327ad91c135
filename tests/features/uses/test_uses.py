"""Uses of notes: recorded beside the work, judged, exported, filtered by, heeded by a search that is told to."""

import io
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.base.errors import ConfigError, NoteNotFound, TesseraError
from core.model import SCOPE_GAIN, TAGS_GAIN, NoteSummary, SearchResult, UseFigures, Verdict
from core.workspace import Workspace
from tests.features.archives.test_guests import changed

QUESTION = "storage of backups in the attic"
TITLES = ("attic", "cellar", "office", "garden")


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    """Four notes that all answer the question by words, each less than the one before."""
    for name, value in {"EMBEDDER": "tfidf", "INDEX__KIND": "none", "SEARCH__RERANKER": "none"}.items():
        monkeypatch.setenv(f"TESSERA_{name}", value)
    with Workspace(tmp_path / "workspace") as workspace:
        workspace.bases.add("desk", embedder="tfidf")
        for number, title in enumerate(TITLES):
            text = " ".join(QUESTION.split()[4 - number :: -1])
            workspace.notes.add("desk", f"{text}\n\nMore of the {title}, number {number}.", title=title)
        yield workspace


def order(result: SearchResult) -> list[str]:
    return [hit.note.title for hit in result.hits]


def card(workspace: Workspace, title: str) -> NoteSummary:
    return next(card for card in workspace.notes.all() if card.title == title)


def judge(workspace: Workspace, title: str, verdict: Verdict | None, question: str = "another one") -> None:
    note = card(workspace, title).id
    workspace.uses.judge(question, note, workspace.chunks.all(note)[0].id, verdict)


def test_uses_are_gathered_counted_and_shown(desk: Workspace) -> None:
    result = desk.search(QUESTION)
    desk.uses.found(result)
    desk.uses.found(result)
    desk.uses.cited(QUESTION, desk.context(QUESTION))
    note = card(desk, "attic").id
    assert desk.uses.figures(note) == UseFigures(2, 1, desk.uses.of(note)[0].used_at)
    reported = desk.uses.report(note, "notebook", "cell 3", helpful=1)
    assert desk.uses.report(note, "notebook", "cell 3", helpful=-1).times == 2
    assert (reported.helpful, reported.times) == (1, 1)
    figures = desk.uses.figures(note)
    assert (figures.used, figures.helpful, figures.misleading) == (3, 0, 1)
    assert desk.uses.figures(card(desk, "garden").id).found == 2
    assert desk.uses.forget([note]) == 3
    assert desk.uses.figures(note) == UseFigures()


def test_what_cannot_be_is_refused(desk: Workspace) -> None:
    note = card(desk, "attic").id
    with pytest.raises(NoteNotFound):
        desk.uses.report("nothing", "notebook")
    for used_in, context, more in (
        (" ", "", {}),
        ("x", "y" * 10_001, {}),
        ("x", "\ud800", {}),
        ("x", "", {"helpful": 2}),
        ("x", "", {"chunk_id": "z"}),
    ):
        with pytest.raises(ConfigError):
            desk.uses.report(note, used_in, context, **more)  # type: ignore[arg-type]
    assert desk.uses.of(note) == []


def test_one_switch_turns_it_off(desk: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    note = card(desk, "attic").id
    desk.uses.enable(False)
    desk.uses.found(desk.search(QUESTION))
    with pytest.raises(ConfigError, match="isn't recorded"):
        desk.uses.report(note, "notebook")
    assert desk.uses.of(note) == []
    judge(desk, "attic", "helpful")
    assert desk.uses.figures(note).helpful == 1, "a verdict is an act of the person's"
    monkeypatch.setenv("TESSERA_SEARCH__RECORD_USES", "true")
    with Workspace(desk.store.folder, readonly=True) as other:
        assert other.uses.enabled
        other.uses.found(other.search(QUESTION))
        other.uses.flush()
    assert desk.uses.figures(note).found == 0, "one that may only read writes nothing"


def test_uses_leave_and_come_with_their_notes(desk: Workspace) -> None:
    note = card(desk, "attic").id
    desk.uses.report(note, "notebook", "cell 3", helpful=1)
    judge(desk, "cellar", "harmful")
    data = desk.archives.exported("desk", "zip")
    desk.archives.restore_data(data, "desk.zip", "again")
    copies = {card.title: card.id for card in desk.notes.all() if card.base == "again"}
    (use,) = desk.uses.of(copies["attic"])
    assert (use.used_in, use.context, use.helpful, use.note_id) == ("notebook", "cell 3", 1, copies["attic"])
    assert desk.uses.figures(copies["cellar"]).misleading == 1
    desk.trash.put(note)
    assert desk.uses.of(note), "a deleted note may come back"
    desk.trash.empty()
    assert desk.uses.of(note) == []


def test_verdicts_of_an_archive_of_before_are_read(desk: Workspace) -> None:
    note = card(desk, "attic").id
    judge(desk, "attic", "helpful")
    chunk = desk.chunks.all(note)[0].id
    old = {"query": "old", "note_id": note, "chunk_id": chunk, "verdict": "not_helpful", "at": "2026-01-01"}
    data = changed(desk.archives.exported("desk", "zip"), {"uses": lambda records: records.clear()})
    data = _rezipped(changed(data, {"uses": lambda records: records.append(old)}), "uses.jsonl", "feedback.jsonl")
    desk.archives.restore_data(data, "desk.zip", "again")
    copy = next(card for card in desk.notes.all() if card.base == "again" and card.title == "attic")
    assert [(use.context, use.verdict) for use in desk.uses.of(copy.id)] == [("old", "not_helpful")]


def _rezipped(data: bytes, old: str, new: str) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as before, zipfile.ZipFile(stream, "w") as after:
        for name in before.namelist():
            after.writestr(new if name == old else name, before.read(name))
    return stream.getvalue()


def test_notes_are_filtered_by_their_use(desk: Workspace) -> None:
    desk.uses.found(desk.search("attic storage", limit=1))
    desk.uses.note("read", [(card(desk, "garden").id, "")])
    judge(desk, "cellar", "helpful")
    judge(desk, "office", "harmful")
    desk.uses.flush()

    def passing(term: str) -> set[str]:
        return {card.title for card in desk.notes.all(desk.searching.filters(terms=[term]))}

    assert passing("use:unfound") == {"garden"}
    assert passing("使用：从未找到") == {"garden"}
    assert passing("use:unhelpful") == {"attic", "office"}
    assert passing("use:misleading") == passing("use:harmful") == {"office"}
    assert passing("-use:unfound,misleading") == {"attic", "cellar"}
    found = desk.search(f"{QUESTION} use:unfound")
    desk.uses.found(found)
    assert order(found) == order(desk.search(f"{QUESTION} use:unfound")) == ["garden"]
    desk.uses.report(card(desk, "garden").id, "notebook")
    assert order(desk.search(f"{QUESTION} use:unfound")) == [], "no answer of before is given"


def comparable(result: SearchResult) -> object:
    return [(hit.chunk.id, hit.score, hit.strength, hit.scores) for hit in result.hits]


def test_a_verdict_that_is_taken_back_leaves_nothing(desk: Workspace) -> None:
    before = {weight: comparable(desk.search(QUESTION, feedback_weight=weight)) for weight in (0.0, 0.5, 1.0)}
    assert before[0.0] == before[1.0]
    for number in range(3):
        judge(desk, "cellar", "helpful", str(number))
        judge(desk, "attic", "harmful", str(number))
    assert comparable(desk.search(QUESTION, feedback_weight=0.0)) == before[0.0]
    heeding = desk.search(QUESTION, feedback_weight=1.0)
    assert order(heeding)[0] == "cellar"
    assert heeding.hits[0].scores["feedback"].rank == 1
    for number in range(3):
        judge(desk, "cellar", None, str(number))
        judge(desk, "attic", None, str(number))
    desk.uses.report(card(desk, "office").id, "notebook", helpful=-1)
    desk.uses.take_back(card(desk, "office").id, "notebook")
    for weight, expected in before.items():
        assert comparable(desk.search(QUESTION, feedback_weight=weight)) == expected


def test_no_verdicts_bury_a_note(desk: Workspace) -> None:
    for limit in (2, 3):
        without = order(desk.search(QUESTION, limit=limit))
        for number in range(50):
            judge(desk, without[0], "harmful", f"question {number}")
            for title in (without[1], "garden"):
                judge(desk, title, "helpful", f"question {number}")
        said = order(desk.search(QUESTION, limit=limit, feedback_weight=1.0))
        assert set(said) == set(without)
        assert said.index(without[0]) > said.index(without[1])
        for number in range(50):
            for title in (without[0], without[1]):
                judge(desk, title, None, f"question {number}")


def test_notes_of_the_callers_type_tags_and_scope(desk: Workspace) -> None:
    fields = {"attic": ("guide", ["a"], ""), "cellar": ("guide", ["A", "b"], "home"), "office": ("log", ["a"], "home")}
    for title, (kind, tags, scope) in fields.items():
        desk.notes.set_fields([card(desk, title).id], type=kind, tags=tags, scope=scope)
    plain = desk.search(QUESTION)
    task = desk.retrieve(QUESTION, {"type": "Guide", "tags": ["a", "b"], "scope": "HOME"})
    assert set(order(task)) == {"attic", "cellar"}
    alone = desk.search(QUESTION, type="guide", any_tags=["a", "b"])
    gains = {"attic": TAGS_GAIN / 2, "cellar": TAGS_GAIN + SCOPE_GAIN}
    fused = {hit.note.title: hit.strength for hit in alone.hits}
    low, high = min(fused.values()), max(fused.values())
    for hit in task.hits:
        before = (fused[hit.note.title] - low) / (high - low)
        assert hit.scores["context"].score == pytest.approx(before + gains[hit.note.title])
    assert comparable(desk.retrieve(QUESTION, {})) == comparable(plain)
    for wrong in ({"kind": "x"}, {"type": 5}, {"tags": [None, 3]}):
        with pytest.raises(TesseraError):
            desk.retrieve(QUESTION, wrong)
