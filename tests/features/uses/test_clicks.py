"""Clicks on hits: recorded and heeded only while they are on, for like questions, within a bound, fading, forgotten."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from core.base.errors import ConfigError, NoteNotFound, UnknownChoice
from core.model import Click, GoldSpan, NoteSummary, Pipeline, Question, SearchResult
from core.notes.uses import Clicks
from core.retrieval.engine import SearchEngine
from core.retrieval.hits import GAIN, likeness
from core.workspace import Workspace

WORDS = "storage of backups in the attic and the cellar".split()
QUESTION = " ".join(WORDS)
LIKE, UNLIKE = "where is the storage of backups, attic or cellar?", "storage heaters"
NOW = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    """Eight notes that all answer the question by words, each less than the one before."""
    for name, value in {"EMBEDDER": "tfidf", "INDEX__KIND": "none", "SEARCH__RERANKER": "none"}.items():
        monkeypatch.setenv(f"TESSERA_{name}", value)
    with Workspace(tmp_path / "workspace") as workspace:
        workspace.bases.add("shelf", embedder="tfidf")
        for number in range(8):
            text = " ".join(WORDS[: 9 - number] * 2 + ["paper"] * number)
            workspace.notes.add("shelf", f"{text}\n\nBox {number}.", title=f"box {number}")
        yield workspace


def ids(result: SearchResult) -> list[str]:
    return [hit.note.id for hit in result.hits]


def comparable(result: SearchResult) -> object:
    return [(hit.chunk.id, hit.rank, hit.score, hit.strength, hit.scores) for hit in result.hits]


def on_day(workspace: Workspace, days: int) -> Clicks:
    """Return clicks by a clock that is so many days after NOW."""
    return Clicks(workspace.store, workspace.settings, workspace.preferences, lambda: NOW + timedelta(days=days))


def searched(workspace: Workspace, days: int, question: str = QUESTION) -> SearchResult:
    parts = workspace.store, workspace.settings, workspace.models, workspace.searching._synonyms
    engine = SearchEngine(*parts, on_day(workspace, days))
    return engine.answer(engine.prepare(question, {}))


def test_off_they_are_not_recorded_and_change_nothing(shelf: Workspace) -> None:
    before = shelf.search(QUESTION)
    note, score = before.hits[1].note.id, before.hits[1].strength
    low, high = before.hits[-1].strength, before.hits[0].strength
    assert not shelf.clicks.enabled
    shelf.clicks.note("open", QUESTION, [(note, "")])
    with pytest.raises(ConfigError, match="aren't recorded"):
        shelf.clicks.record(note, QUESTION, "cite")
    assert shelf.clicks.all() == []
    shelf.clicks.enable(True)
    for kind in ("open", "copy", "cite"):
        shelf.clicks.note(kind, QUESTION, [(note, "")])
    raised = shelf.search(QUESTION)
    (hit,) = (hit for hit in raised.hits if hit.note.id == note)
    assert hit.scores["clicks"].score == pytest.approx((score - low) / (high - low) + GAIN * 2.5 / 5.5)
    shelf.clicks.enable(False)
    assert comparable(shelf.search(QUESTION)) == comparable(before)
    assert len(shelf.clicks.all()) == 3, "what was recorded stays until it is forgotten"


def test_they_raise_notes_for_like_questions_only(shelf: Workspace) -> None:
    shelf.clicks.enable(True)
    before = {text: shelf.search(text) for text in (QUESTION, LIKE, UNLIKE)}
    note = ids(before[QUESTION])[2]
    click = shelf.clicks.record(note, f" {QUESTION} base:shelf", "cite", chunk_id=before[QUESTION].hits[2].chunk.id)
    for days in range(1, 6):
        shelf.store.clicks.add([Click(note, click.question, "cite", click.day - timedelta(days=days))], click.day)
    for text in (QUESTION, LIKE):
        assert ids(shelf.search(text)).index(note) < ids(before[text]).index(note)
        assert {one.note_id for one in shelf.searching.clicks_on(shelf.search(text))} == {note}
    assert comparable(shelf.search(UNLIKE)) == comparable(before[UNLIKE])
    assert not shelf.searching.clicks_on(shelf.search(UNLIKE))


@pytest.mark.parametrize(
    ("first", "second", "alike"),
    [
        ("how do I restore a backup", "restore a backup of notes", True),
        ("怎么恢复备份", "如何恢复备份", True),
        ("tag:redis cache avalanche", "avalanche of a cache", True),
        ("how do I restore a backup", "how do I write a note", False),
        ("tag:redis path:cache old", "tag:redis path:cache new", False),
        ("怎么恢复备份", "怎么写笔记", False),
        ("base:x", "base:x", False),
        ('an "open quote', 'an "open quote', True),
    ],
)
def test_questions_are_alike_by_the_words_that_carry_a_subject(first: str, second: str, alike: bool) -> None:
    assert likeness(first, second) == likeness(second, first)
    assert (likeness(first, second) > 0.5) == alike


def test_a_thousand_clicks_bury_nothing(shelf: Workspace) -> None:
    shelf.clicks.enable(True)
    for limit in (3, 8):
        plain = shelf.search(QUESTION, limit=limit)
        low, high = plain.hits[-1].strength, plain.hits[0].strength
        lead = {hit.note.id: (hit.strength - low) / (high - low) for hit in plain.hits}
        for note in ids(plain):
            today = shelf.clicks.today
            clicks = (Click(note, f"{QUESTION} {n}", "cite", today - timedelta(days=n % 300)) for n in range(1000))
            shelf.store.clicks.add(clicks, today)
            now = shelf.search(QUESTION, limit=limit)
            assert {*ids(now)} == {*ids(plain)}, "nothing goes, nothing comes in"
            passed = set(ids(plain)[: ids(plain).index(note)]) & set(ids(now)[ids(now).index(note) :])
            assert all(lead[other] - lead[note] < GAIN for other in passed), "what is clearly better stays above"
            others = [one for one in ids(plain) if one != note]
            assert [one for one in ids(now) if one != note] == others, "the others keep their order"
            assert shelf.clicks.forget() == 1000
    assert lead[ids(plain)[0]] - lead[ids(plain)[-1]] > GAIN


def test_they_fade_and_are_deleted_after_a_year(shelf: Workspace) -> None:
    shelf.clicks.enable(True)
    note = ids(shelf.search(QUESTION))[-1]
    on_day(shelf, 0).record(note, QUESTION, "open")
    on_day(shelf, 0).record(note, QUESTION, "open")
    assert len(shelf.clicks.all()) == 1, "the same once a day"

    def gain(days: int) -> float:
        hit = next(hit for hit in searched(shelf, days).hits if hit.note.id == note)
        return hit.scores["clicks"].score

    gains = [gain(days) for days in (0, 1, 30, 60, 300)]
    assert gains == sorted(gains, reverse=True)
    assert gains[0] == pytest.approx(GAIN * 0.5 / 3.5)
    assert gains[2] == pytest.approx(GAIN * 0.25 / 3.25)
    assert 0 < gains[-1] < 0.001
    other = ids(shelf.search(QUESTION))[0]
    on_day(shelf, 366).record(other, QUESTION, "copy")
    assert [click.note_id for click in shelf.clicks.all()] == [other]


def test_they_are_forgotten_and_leave_with_their_notes(shelf: Workspace) -> None:
    shelf.clicks.enable(True)
    before = comparable(shelf.search(QUESTION))
    first, second, third = ids(shelf.search(QUESTION))[:3]
    for note in (first, second, third):
        shelf.clicks.record(note, QUESTION, "copy")
    assert shelf.clicks.forget([first]) == 1
    shelf.notes.set_fields([second], tags=["kept"])
    assert {click.note_id for click in shelf.clicks.all()} == {second, third}, "a note that is changed keeps its clicks"
    shelf.trash.put(third)
    assert [click.note_id for click in shelf.clicks.all()] == [second]
    shelf.trash.restore([third])
    assert shelf.clicks.forget() == 1
    assert comparable(shelf.search(QUESTION)) == before
    shelf.clicks.record(first, f"{QUESTION} base:shelf", "open")
    shelf.bases.rename("shelf", "rack")
    assert [click.question for click in shelf.clicks.all()] == [f"{QUESTION} base:rack"]
    shelf.bases.delete("rack")
    assert shelf.clicks.all() == []


def test_they_are_in_backups(shelf: Workspace) -> None:
    shelf.clicks.enable(True)
    note: NoteSummary = next(iter(shelf.notes.all()))
    shelf.clicks.record(note.id, QUESTION, "open")
    backup = shelf.backups.make()
    shelf.clicks.forget()
    shelf.backups.restore(backup.name)
    shelf.close()
    with Workspace(shelf.store.folder) as again:
        assert [click.note_id for click in again.clicks.all()] == [note.id]


def test_what_cannot_be_is_refused(shelf: Workspace) -> None:
    shelf.clicks.enable(True)
    note = next(iter(shelf.notes.all())).id
    with pytest.raises(NoteNotFound):
        shelf.clicks.record("nothing", QUESTION, "open")
    with pytest.raises(UnknownChoice):
        shelf.clicks.record(note, QUESTION, "smell")  # type: ignore[arg-type]
    for question in (" ", "x" * 10_001, "\ud800", "a\0b"):
        with pytest.raises(ConfigError):
            shelf.clicks.record(note, question, "open")
    with pytest.raises(ConfigError):
        shelf.clicks.record(note, QUESTION, "open", chunk_id="z")
    shelf.clicks.note("open", "\ud800", [(note, "")])
    assert shelf.clicks.all() == []


def test_measurements_do_not_heed_them(shelf: Workspace) -> None:
    last = shelf.search(QUESTION).hits[-1]
    gold = GoldSpan(last.note.path or "", last.chunk.text, 0, len(last.chunk.text), last.note.id)

    def measured() -> object:
        ((_, results),) = shelf.runs.measure("shelf", [Question("q", QUESTION, (gold,))], [Pipeline()])
        return results[0].hits, results[0].found_rank

    before = measured()
    shelf.clicks.enable(True)
    today = shelf.clicks.today
    shelf.store.clicks.add((Click(last.note.id, f"{QUESTION} {n}", "cite", today) for n in range(50)), today)
    assert ids(shelf.search(QUESTION)).index(last.note.id) < 7
    assert measured() == before
