"""What `feedback_weight` gives where persons judge hits, with mistakes, and whether it can bury a note.

python -m benchmarks.feedback [DATA] [--workspace DIR] [--only NAME] : DATA holds vaults/NAME and questions/NAME.jsonl.
Half of the questions of each set, by chance, are asked five times; each time a person judges the first three hits: the
note of the answer is helpful, another one not helpful, or in one of four cases misleading; one of ten verdicts is the
opposite. Measured are these questions and the other half, which nobody asked: right note first, and reciprocal rank in
ten hits. Then the right note of every question gets a hundred verdicts *misleading*: how many leave the ten hits that
had them; and all verdicts are taken back: how many answers differ from those before, in any score. With --recording
only the time is measured that the record of the hits of a question costs the caller, and the thread that writes it.
"""

import argparse
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter

from benchmarks.quality import imported, vaults
from core.model import SearchResult, Verdict
from core.workspace import Workspace

WEIGHTS = (0.0, 0.05, 0.1, 0.2, 0.5, 1.0)
ROUNDS, LOOKED_AT, MISTAKES, MISLEADING = 5, 3, 0.1, 0.25
HARMS = 100


@dataclass(frozen=True, slots=True)
class Asked:
    """A question of a base, and the paths of the notes that answer it."""

    text: str
    base: str
    paths: frozenset[str]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, nargs="?", default=Path("../shared/data"))
    parser.add_argument("--workspace", type=Path)
    parser.add_argument("--only", help="the name of a vault")
    parser.add_argument("--recording", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch, Workspace(given.workspace or Path(scratch)) as workspace:
        names = [given.only] if given.only else vaults(given.data)
        questions = [one for name in names for one in _questions(workspace, given.data, name)]
        if given.recording:
            _record(workspace, questions)
            return
        Random(7).shuffle(questions)
        judged, unasked = questions[::2], questions[1::2]
        print(f"{len(judged)} questions that are judged, {len(unasked)} others")
        before = {one: _search(workspace, one, 0.0) for one in questions}
        for weight in WEIGHTS:
            _judge(workspace, judged, weight, Random(7))
            rows = "  ".join(
                f"{name} {_measured(workspace, some, weight)}"
                for name, some in (("judged", judged), ("others", unasked))
            )
            print(f"weight {weight:<6}{rows}", flush=True)
            _take_back(workspace)
        _bury(workspace, questions, before)
        _take_back(workspace)
        different = sum(
            _values(_search(workspace, one, weight)) != _values(before[one]) for one in questions for weight in WEIGHTS
        )
        print(f"taken back: {different} of {len(questions) * len(WEIGHTS)} answers differ")


def _questions(workspace: Workspace, data: Path, name: str) -> Iterable[Asked]:
    base = imported(workspace, data / "vaults" / name, "bundled")
    file = data / "questions" / f"{name}.jsonl"
    for one in workspace.question_sets.read(base, file.read_bytes(), file.name):
        if one.gold:
            yield Asked(one.text, base, frozenset(gold.path for gold in one.gold))


def _search(workspace: Workspace, question: Asked, weight: float) -> SearchResult:
    return workspace.search(question.text, bases=question.base, feedback_weight=weight)


def _judge(workspace: Workspace, questions: Iterable[Asked], weight: float, chance: Random) -> None:
    for turn in range(ROUNDS):
        for question in questions:
            for hit in _search(workspace, question, weight).hits[:LOOKED_AT]:
                right = (hit.note.path in question.paths) != (chance.random() < MISTAKES)
                wrong: Verdict = "harmful" if chance.random() < MISLEADING else "not_helpful"
                text = f"{question.text} {turn}"
                workspace.uses.judge(text, hit.note.id, hit.chunk.id, "helpful" if right else wrong)


def _measured(workspace: Workspace, questions: list[Asked], weight: float) -> str:
    ranks = [_rank(_search(workspace, one, weight), one) for one in questions]
    first = sum(rank == 1 for rank in ranks) / len(ranks)
    return f"first {first:.3f} MRR@10 {sum(1 / rank for rank in ranks if rank) / len(ranks):.3f}"


def _rank(result: SearchResult, question: Asked) -> int:
    """Return the rank of the first hit in a note that answers, 0 for none."""
    return next((hit.rank for hit in result.hits if hit.note.path in question.paths), 0)


def _bury(workspace: Workspace, questions: Iterable[Asked], before: Mapping[Asked, SearchResult]) -> None:
    found = gone = 0
    ranks = []
    for question in questions:
        rank = _rank(before[question], question)
        if not rank:
            continue
        hit = before[question].hits[rank - 1]
        for number in range(HARMS):
            workspace.uses.judge(f"harm {number}", hit.note.id, hit.chunk.id, "harmful")
        now = [one.rank for one in _search(workspace, question, 1.0).hits if one.note.id == hit.note.id]
        found, gone = found + 1, gone + (not now)
        ranks += now[:1]
        for number in range(HARMS):
            workspace.uses.judge(f"harm {number}", hit.note.id, hit.chunk.id, None)
    print(f"{HARMS} misleading, weight 1: {gone} of {found} notes left the hits, ranks up to {max(ranks)}")


def _record(workspace: Workspace, questions: Iterable[Asked]) -> None:
    workspace.uses.hand_to(workspace.store.uses.add, 3600)
    caller, writer = [], []
    for question in questions:
        result = _search(workspace, question, 0.0)
        started = perf_counter()
        workspace.uses.found(result)
        caller.append(perf_counter() - started)
        started = perf_counter()
        workspace.uses.flush()
        writer.append(perf_counter() - started)
    print(f"record of an answer: {1e6 * median(caller):.0f} µs for the caller, {1e3 * median(writer):.1f} ms beside it")


def _take_back(workspace: Workspace) -> None:
    for use in workspace.uses.judged():
        workspace.uses.take_back(use.note_id, use.used_in, use.context, chunk_id=use.chunk_id)


def _values(result: SearchResult) -> list[object]:
    return [(hit.rank, hit.chunk.id, hit.score, hit.scores, hit.passage) for hit in result.hits]


if __name__ == "__main__":
    main()
