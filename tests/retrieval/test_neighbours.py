"""What is near a note is found in one place, leaves out what is hidden, and is the same at each start."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.workspace import Workspace

ROOT = Path(__file__).parents[2]
OVEN = "The oven bakes the bread at {n} degrees for an hour."


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    monkeypatch.setenv("TESSERA_EMBEDDER", "tfidf")
    monkeypatch.setenv("TESSERA_INDEX__KIND", "none")
    with Workspace(tmp_path / "workspace") as workspace:
        yield workspace


def test_a_hidden_sentence_contradicts_nothing(workspace: Workspace) -> None:
    sections = "\n\n".join(
        f"# {name}\n\n{text}" for name, text in (("Rye", "Rye. " * 300), ("Heat", OVEN.format(n=220)))
    )
    long = workspace.notes.add("home", sections, title="Long", author="person")
    workspace.notes.add("home", OVEN.format(n=240), title="Short", author="person")
    kinds = ["contradiction"]
    assert [item.quotes for item in workspace.review.all(kinds=kinds)] != []
    hidden = next(chunk for chunk in workspace.chunks.all(long.id) if "220" in chunk.text)
    deleted = workspace.chunks.delete(hidden.id)
    assert workspace.review.all(kinds=kinds) == []
    assert workspace.related.of(long.id).hints == ()
    workspace.chunks.restore(deleted)
    assert len(workspace.review.all(kinds=kinds)) == 1


def test_a_pair_of_which_one_note_replaces_the_other_is_settled(workspace: Workspace) -> None:
    old = workspace.notes.add("home", OVEN.format(n=220), title="Old", author="person")
    new = workspace.notes.add("home", OVEN.format(n=240), title="New", author="person")
    likeness = workspace.neighbours.likeness
    assert [pair.second for pair in likeness.contradictions_of(old.id, [new.id])] == [new.id]
    workspace.notes.update(new.id, supersedes=["Old"], author="person")
    assert [*likeness.contradictions(), *likeness.contradictions_of(old.id, [new.id])] == []


def test_phrases_are_the_same_in_every_process() -> None:
    """Among phrases that a note has equally often, the choice may not depend on the hashes of a process."""
    signs = "".join(map(chr, range(0x5200, 0x5300)))
    text = " ".join(f"{signs[at : at + 2]}。{signs[at : at + 2]}。" for at in range(0, 200, 2))
    code = f"from core.base.phrases import phrases; print(list(phrases({text!r}, 20)))"
    printed = {
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=ROOT,
            env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONIOENCODING": "utf-8"},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(printed) == 1


def test_reads_are_remembered_also_after_many_others(workspace: Workspace) -> None:
    for number in range(40):
        assert workspace.store.remembered.get(("read", number), lambda number=number: [number]) == [number]
    last = workspace.store.remembered.get(("read", 39), lambda: [0])
    assert last == [39]


def test_vectors_of_whole_notes_are_read_in_one_place() -> None:
    reading = [
        str(file.relative_to(ROOT))
        for file in sorted((ROOT / "core").rglob("*.py"))
        if "note_vectors.means(" in file.read_text(encoding="utf-8")
    ]
    assert reading == ["core/retrieval/neighbours/service.py"]


@pytest.mark.parametrize(
    "sentence",
    [
        "The garage opens its gates on weekdays (6 a.m. Eastern to {n} p.m. Pacific) for members of the club only.",
        "According to No. 5 of the rules, e.g. Part B, members of the club pay {n} euros for the use of the gates.",
        "Wheels of bikes by Dr. Smith, approx. 3 kg in weight, cost {n} euros each for members of the club.",
    ],
)
def test_a_sentence_isnt_cut_at_an_abbreviation(workspace: Workspace, sentence: str) -> None:
    for n in (9, 8):
        workspace.notes.add("home", sentence.format(n=n), title=f"Note {n}", author="person")
    (item,) = workspace.review.all(kinds=["contradiction"])
    assert set(item.quotes) == {sentence.format(n=n) for n in (9, 8)}


def test_times_of_day_alone_contradict_nothing(workspace: Workspace) -> None:
    for n, place in ((6, "Paris"), (9, "Rome")):
        workspace.notes.add(
            "home",
            f"During business hours ({n} a.m. – 5 p.m. in {place}), the desk is staffed by two people.",
            title=place,
            author="person",
        )
    assert workspace.review.all(kinds=["contradiction"]) == []
