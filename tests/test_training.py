"""Training a cross-encoder: what is learned from, what is held back, and that it really learns."""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core import cli, training
from core.embedding import Embedder, bundled
from core.embedding.device import Device
from core.errors import Cancelled, ConfigError, QuestionSetError, SourceError
from core.training import Recipe, examples, student, train
from core.training.examples import Example, Passage, Source
from core.training.groups import TEACHER, groups
from core.training.student import Group
from core.workspace import Workspace
from tests import notes

EXACT = Device("cpu", "float32", "")
TINY = Recipe(layers=2, steps=4, minutes=5, tokens=48, wrong=2, batch=2, held_back=0.3)
SUBJECTS = "bread tea snow glass paper copper salt honey".split()


def article(subject: str) -> dict[str, Any]:
    """An article of two paragraphs, with a question on each."""
    paragraphs = [
        (f"{subject} is made in the north. " * 4, f"Where is {subject} made?"),
        (f"{subject} is sold on every market in May. " * 4, f"When is {subject} sold?"),
    ]
    return {
        "title": subject,
        "paragraphs": [
            {"context": text, "qas": [{"question": question, "answers": [{"answer_start": 3}]}]}
            for text, question in paragraphs
        ],
    }


@pytest.fixture
def squad(tmp_path: Path) -> Path:
    file = tmp_path / "squad.json"
    file.write_text(json.dumps({"data": [article(subject) for subject in SUBJECTS]}), encoding="utf-8")
    return file


@pytest.fixture
def workspace(tmp_path: Path, bundled: Embedder) -> Iterator[Workspace]:
    with Workspace(tmp_path / "workspace") as opened:
        opened.apply(opened.plan_folder(notes.write(tmp_path / "vault"), "mine"))
        yield opened


def test_a_file_of_questions(squad: Path) -> None:
    source = examples.squad(squad)
    assert len(source.passages) == len(source.examples) == 16
    asked = source.examples[1]
    assert asked.question == "When is bread sold?"
    assert source.passages[asked.right].text.startswith("bread is sold")
    assert {passage.note for passage in source.passages} == set(SUBJECTS)


@pytest.mark.parametrize("content", ["", "[]", '{"data": [{}]}', '{"data": 3}', '{"data": [{"paragraphs": [1]}]}'])
def test_a_file_that_holds_no_questions_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "x.json").write_text(content)
    with pytest.raises(SourceError, match="isn't a file of questions"):
        examples.squad(tmp_path / "x.json")
    with pytest.raises(SourceError, match="can't be read"):
        examples.squad(tmp_path / "none.json")


def test_a_vault_gives_headings_without_their_text(workspace: Workspace, bundled: Embedder) -> None:
    source = examples.vault(workspace.store, workspace.base("mine"), bundled)
    asked = {example.question: source.passages[example.right].text for example in source.examples}
    headings = {question: text for question, text in asked.items() if question in ("Backups", "缓存雪崩")}
    assert headings
    for question, text in headings.items():
        assert f"# {question}" not in text
    assert len(source.passage_vectors) == len(source.passages)
    assert len(source.question_vectors) == len(source.examples)


def test_a_sentence_is_asked_of_what_is_left(tmp_path: Path, bundled: Embedder) -> None:
    folder = tmp_path / "vault"
    folder.mkdir()
    text = "The first sentence says this. The second sentence\nspeaks of quite another thing. The third one ends it."
    (folder / "note.md").write_text(f"# Note\n\n{text}\n")
    with Workspace(tmp_path / "workspace") as opened:
        opened.apply(opened.plan_folder(folder, "mine"))
        source = examples.vault(opened.store, opened.base("mine"), bundled)
    (sentence,) = [example for example in source.examples if example.hidden]
    assert sentence.question == "The second sentence speaks of quite another thing."
    assert sentence.hidden in source.passages[sentence.right].text


def test_own_questions_find_the_chunk_of_their_passage(workspace: Workspace, bundled: Embedder, tmp_path: Path) -> None:
    file = tmp_path / "own.jsonl"
    row = {"id": "1", "question": "restore?", "gold": [{"path": "backups.md", "quote": "Create an empty database"}]}
    file.write_text(json.dumps(row), encoding="utf-8")
    source = training.sources(workspace.store, workspace.base("mine"), bundled, [file])[0]
    (example,) = source.examples
    assert "Create an empty database" in source.passages[example.right].text
    row["gold"][0]["quote"] = "not there"  # type: ignore[index]
    file.write_text(json.dumps(row), encoding="utf-8")
    with pytest.raises(QuestionSetError, match="line 1"):
        training.sources(workspace.store, workspace.base("mine"), bundled, [file])


def source(judge: bool = False) -> Source:
    """Four passages; the question is nearest to 0, then 1, 2, 3; 0 and 1 are one section, 0 and 3 one note."""
    passages = [
        Passage("zero. hidden words", "a", "s"),
        Passage("one", "b", "s"),
        Passage("two", "c", "t"),
        Passage("three", "a", "u"),
    ]
    vectors = np.array([[4], [3], [2], [1]], np.float32)
    return Source(
        "mine",
        passages,
        [Example("q", 0, "hidden")],
        vectors,
        np.array([[1]], np.float32),
        (lambda example, numbers: [float(number == 2) for number in numbers]) if judge else None,
    )


def test_wrong_passages_are_of_the_same_note_and_near_and_never_of_the_same_section() -> None:
    (group,) = groups(source(), 3, random.Random(0))
    assert group.passages == ("zero.   words", "three", "two")
    assert group.target == (1.0, 0.0, 0.0)


def test_late_interaction_has_a_share_in_the_target() -> None:
    (group,) = groups(source(judge=True), 3, random.Random(0))
    assert group.target == pytest.approx((1 - TEACHER, 0, TEACHER), abs=1e-6)


def test_what_has_no_wrong_passage_teaches_nothing() -> None:
    alone = Source("x", [Passage("t", "a", "s")], [Example("q", 0)], np.ones((1, 1)), np.ones((1, 1)))  # type: ignore[arg-type]
    assert groups(alone, 3, random.Random(0)) == []


def test_layers_are_kept_evenly() -> None:
    assert student.chosen(6, 12) == [0, 2, 4, 6, 8, 10]
    assert student.chosen(12, 12) == list(range(12))
    with pytest.raises(ConfigError, match="12 layers"):
        student.chosen(13, 12)


def learned(steps: int, seed: int = 0, stop_at: int | None = None) -> tuple[student.Learned, list[float], list[float]]:
    """Learn by heart which of two passages is right; what it came to, and the margins before and after."""
    import torch

    group = Group("Where is tea made?", ("tea is sold in May", "tea is made in the north"), (0.0, 1.0))
    network = student.make(bundled.find()[1](), 2, 32, EXACT)

    def margins() -> list[float]:
        with torch.inference_mode():
            pairs = [(group.question, text) for text in group.passages]
            found: list[float] = network(network.preprocess(pairs))["scores"][:, 0].tolist()
        return found

    def progress(done: float, total: float, what: str) -> None:
        if stop_at is not None and done >= stop_at:
            raise KeyboardInterrupt

    before = margins()
    result = student.learn(
        network, [group], [group], steps=steps, seconds=1e9, batch=2, device=EXACT, seed=seed, progress=progress
    )
    return result, before, margins()


def test_it_learns(bundled: Embedder) -> None:
    result, before, after = learned(6)
    assert (result.steps, result.stopped) == (6, False)
    assert after[1] - after[0] > before[1] - before[0] + 0.05


def test_the_same_seed_gives_the_same_model(bundled: Embedder) -> None:
    assert learned(2)[2] == pytest.approx(learned(2)[2], abs=1e-4)


def test_stopped_it_keeps_the_best_so_far(bundled: Embedder) -> None:
    result, before, after = learned(20, stop_at=8)
    assert result.stopped
    assert result.steps < 20
    assert after[1] - after[0] > before[1] - before[0]


def test_training_writes_a_model_and_tells_what_it_gives(workspace: Workspace, squad: Path, tmp_path: Path) -> None:
    report = workspace.train_reranker(tmp_path / "out" / "model", base="mine", questions=[squad], recipe=TINY)
    assert report.learned.steps == 4
    assert report.sources["squad.json"] == 16
    assert 0 < report.asked < 16
    assert {one.reranker for one in report.figures} == {"", "own", "late-interaction"}
    assert all(0 <= one.hit_at_1 <= one.mrr_at_10 <= 1 for one in report.figures)
    assert report.best is not None
    hits = workspace.search("How do I restore?", reranker=f"cross-encoder:{report.folder}")
    assert hits.reranker
    assert not hits.rerank_problem
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["model"]


def test_notes_that_are_held_back_are_never_trained_on(squad: Path) -> None:
    from core.training import kept_back

    found = [examples.squad(squad)]
    held = kept_back(found, TINY)
    assert len(held) == 3
    assert held == kept_back(found, TINY)
    trained = found[0].where(lambda note: note not in held)
    asked = found[0].where(held.__contains__)
    assert len(trained.examples) + len(asked.examples) == 16
    assert not {found[0].passages[one.right].note for one in trained.examples} & held
    assert len(trained.question_vectors) == len(trained.examples)


def test_what_can_not_be_trained_is_refused_at_once(workspace: Workspace, squad: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="something at"):
        workspace.train_reranker(tmp_path, questions=[squad])
    with pytest.raises(ConfigError, match="nothing to learn from"):
        workspace.train_reranker(tmp_path / "new")
    (tmp_path / "own.jsonl").write_text("")
    with pytest.raises(ConfigError, match="--base"):
        workspace.train_reranker(tmp_path / "new", questions=[tmp_path / "own.jsonl"])
    with pytest.raises(ConfigError, match="12 layers"):
        workspace.train_reranker(tmp_path / "new", questions=[squad], recipe=Recipe(layers=40))
    with pytest.raises(ConfigError, match="steps"):
        Recipe(steps=0)
    assert not (tmp_path / "new").exists()


def test_a_job_that_is_cancelled_keeps_the_best(squad: Path, tmp_path: Path) -> None:
    def progress(done: float, total: float, what: str) -> None:
        if what.startswith("loss"):
            raise Cancelled

    report = train([examples.squad(squad)], tmp_path / "model", TINY, progress)
    assert report.learned.stopped
    assert list((tmp_path / "model").iterdir())


def test_the_command(squad: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["models", "train-reranker", "--questions", str(squad), "--layers", "2", "--steps", "1"]
    with pytest.raises(SystemExit) as end:
        cli.main([*command, "--out", str(tmp_path / "model"), "--workspace", str(tmp_path / "w"), "--json"])
    assert not end.value.code
    told = json.loads(capsys.readouterr().out)
    assert told["name"] == f"cross-encoder:{tmp_path / 'model'}"
    assert told["steps"] == 1
    assert told["figures"][0]["reranker"] == ""
