"""Does the paragraph that answers come first? Questions on Wikipedia's paragraphs, each paragraph a note.

python -m benchmarks.qa DATA [--workspace DIR] [--questions 300] [--slow 60] [--rerankers none,late-interaction]
[--sets xquad24_en,xquad24_zh,drcd_dev] : DATA holds qa/NAME.json in SQuAD's format; a kept workspace saves embedding
them again. Rerankers that read each pair anew are asked the first `--slow` questions, beside hybrid on the same.
"""

import argparse
import json
import random
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from core.model import Filters, SearchOptions
from core.workspace import Workspace

SETS = "xquad24_en,xquad24_zh,drcd_dev"
RERANKERS = "none,late-interaction"
SEED = 2026
DEPTH = 10
_QUICK = ("none", "late-interaction")

_PLAIN: dict[str, SearchOptions] = {
    "semantic": {"mode": "semantic"},
    "keyword": {"mode": "keyword"},
    "hybrid, weighted": {"mode": "hybrid", "fusion": "weighted"},
    "hybrid, reciprocal ranks": {"mode": "hybrid", "fusion": "reciprocal"},
}
"""All at the simple level and without a reranker, so that nothing but the scores differs."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question and the path of the note that answers it."""

    text: str
    path: str


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--workspace", type=Path)
    parser.add_argument("--questions", type=int, default=300, help="at most so many of each set, 0 for all")
    parser.add_argument("--slow", type=int, default=60, help="questions for rerankers that read each pair anew")
    parser.add_argument("--rerankers", default=RERANKERS, help="names, with commas between")
    parser.add_argument("--sets", default=SETS, help="names, with commas between")
    given = parser.parse_args()
    print("| search | set | questions | hit@1 | MRR@10 | p50 ms |\n|---|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as scratch, Workspace(given.workspace or Path(scratch)) as workspace:
        for name in given.sets.split(","):
            notes, questions = read(given.data / "qa" / f"{name}.json")
            shelve(workspace, name, notes)
            if given.questions and given.questions < len(questions):
                questions = random.Random(SEED).sample(questions, given.questions)
            for label, options in _PLAIN.items():
                row(workspace, name, label, questions, {"level": "simple", "reranker": "none", **options})
            for reranker in given.rerankers.split(","):
                reranked(workspace, name, reranker, questions, given.slow)
            row(workspace, name, "as typed", questions, {})


def read(file: Path) -> tuple[dict[str, str], list[Asked]]:
    """Return the paragraphs by the path they shall have, and the questions on them.

    A paragraph has no title, for its article's would answer some of the questions.
    """
    notes: dict[str, str] = {}
    questions: list[Asked] = []
    for article in json.loads(file.read_text(encoding="utf-8"))["data"]:
        for paragraph in article["paragraphs"]:
            path = f"{len(notes):05}.md"
            notes[path] = paragraph["context"]
            questions += [Asked(one["question"], path) for one in paragraph["qas"]]
    return notes, questions


def shelve(workspace: Workspace, base: str, notes: dict[str, str]) -> None:
    """Import the notes as a base, where the workspace doesn't have all of them."""
    held = {status.base.name: status.notes for status in workspace.status().bases}
    if held.get(base) == len(notes):
        return
    if base in held:
        workspace.bases.delete(base)
    with tempfile.TemporaryDirectory() as scratch:
        for path, text in notes.items():
            (Path(scratch) / path).write_text(f"{text}\n", encoding="utf-8")
        workspace.notes.apply(workspace.notes.plan_folder(Path(scratch), base))


def reranked(workspace: Workspace, base: str, reranker: str, questions: Sequence[Asked], slow: int) -> None:
    hybrid: SearchOptions = {"level": "simple", "mode": "hybrid"}
    if reranker == "none":
        return
    if reranker not in _QUICK and slow < len(questions):
        questions = questions[:slow]
        row(workspace, base, "hybrid, weighted", questions, {**hybrid, "reranker": "none"})
    row(workspace, base, f"hybrid, {reranker}", questions, {**hybrid, "reranker": reranker})


def row(workspace: Workspace, base: str, label: str, questions: Sequence[Asked], options: SearchOptions) -> None:
    """Ask every question and print how often its paragraph came first, and how long an answer took."""
    options = {**options, "filters": Filters(bases=(base,)), "limit": DEPTH}
    workspace.search("warm up", **options)
    first, reciprocal, times = 0, 0.0, []
    for asked in questions:
        started = time.perf_counter()
        result = workspace.search(asked.text, **options)
        times.append((time.perf_counter() - started) * 1000)
        if result.rerank_problem:
            raise SystemExit(f"{label}: {result.rerank_problem}")
        paths = list(dict.fromkeys(hit.note.path for hit in result.hits))
        if asked.path in paths:
            rank = paths.index(asked.path) + 1
            first += rank == 1
            reciprocal += 1 / rank
    count = len(questions)
    print(
        f"| {label} | {base} | {count} | {first / count:.3f} | {reciprocal / count:.3f}"
        f" | {sorted(times)[count // 2]:.0f} |",
        flush=True,
    )


if __name__ == "__main__":
    main()
