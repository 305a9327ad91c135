"""How often the paragraph with the answer comes first: questions on Wikipedia paragraphs, each paragraph a note.

python -m benchmarks.qa DATA [--workspace DIR] [--questions 300] [--slow 60] [--rerankers none,late-interaction]
[--sets xquad24_en,xquad24_zh,drcd_dev] [--mixed xquad24_en,xquad24_zh] : DATA contains qa/NAME.json in SQuAD's format.
With a permanent workspace, nothing is embedded twice. Rerankers that read every pair get only the first `--slow`
questions, next to hybrid search on the same questions. `--mixed`: two translations of a set in one base, half of the
articles in one language only; the same questions are asked in the other language than their paragraph (across) and in
its language (within).
"""

import argparse
import json
import random
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from core.model import Filters, SearchOptions
from core.workspace import Workspace

SETS = "xquad24_en,xquad24_zh,drcd_dev"
MIXED = "xquad24_en,xquad24_zh"
RERANKERS = "none,late-interaction"
SEED = 2026
PARAGRAPHS = 5
"""Number of paragraphs per article in XQuAD."""
DEPTH = 10
T = TypeVar("T")
_QUICK = ("none", "late-interaction")

_PLAIN: dict[str, SearchOptions] = {
    "semantic": {"mode": "semantic"},
    "keyword": {"mode": "keyword"},
    "hybrid, weighted": {"mode": "hybrid", "fusion": "weighted"},
    "hybrid, reciprocal ranks": {"mode": "hybrid", "fusion": "reciprocal"},
}
"""All searches are at the simple level and without a reranker: only the scores differ."""


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
    parser.add_argument("--mixed", default=MIXED, help="two sets that are translations, or nothing")
    given = parser.parse_args()
    print("| search | set | questions | hit@1 | hit@10 | MRR@10 | p50 ms |\n|---|---|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as scratch, Workspace(given.workspace or Path(scratch)) as workspace:
        for name in filter(None, given.sets.split(",")):
            notes, questions = read(given.data / "qa" / f"{name}.json")
            shelve(workspace, name, notes)
            every_search(workspace, name, "", drawn(questions, given.questions), given)
        if given.mixed:
            one, other = (read(given.data / "qa" / f"{name}.json") for name in given.mixed.split(","))
            notes, across, within = mix(one, other, given.questions)
            shelve(workspace, name := f"{given.mixed} mixed", notes)
            every_search(workspace, name, "across", across, given)
            every_search(workspace, name, "within", within, given)


def every_search(
    workspace: Workspace, base: str, kind: str, questions: Sequence[Asked], given: argparse.Namespace
) -> None:
    """Print a row for each way to search a base."""
    name = f"{base}, {kind}" if kind else base
    for label, options in _PLAIN.items():
        row(workspace, base, name, label, questions, {"level": "simple", "reranker": "none", **options})
    for reranker in given.rerankers.split(","):
        reranked(workspace, base, name, reranker, questions, given.slow)
    row(workspace, base, name, "exact words", questions, {})


def drawn(questions: Sequence[T], count: int) -> Sequence[T]:
    """Return `count` of the questions, drawn with SEED; all for 0."""
    return random.Random(SEED).sample(questions, count) if 0 < count < len(questions) else questions


Set = tuple[dict[str, str], list[Asked]]


def mix(one: Set, other: Set, count: int) -> tuple[dict[str, str], Sequence[Asked], Sequence[Asked]]:
    """Return paragraphs, half of them from articles in one language, with questions across and within the languages."""
    articles = range(len(one[0]) // PARAGRAPHS)
    chosen = {*random.Random(SEED).sample(articles, len(articles) // 2)}
    of_one = {path for number, path in enumerate(one[0]) if number // PARAGRAPHS in chosen}
    notes = {path: (one if path in of_one else other)[0][path] for path in one[0]}
    pairs = drawn([*zip(one[1], other[1], strict=True)], count)
    within = [first if first.path in of_one else second for first, second in pairs]
    across = [second if first.path in of_one else first for first, second in pairs]
    return notes, across, within


def read(file: Path) -> tuple[dict[str, str], list[Asked]]:
    """Return the paragraphs by path, and the questions on them.

    A paragraph has no title, because the title of its article would answer some of the questions.
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
    """Import the notes as a base, unless the workspace already contains all of them."""
    held = {status.base.name: status.notes for status in workspace.status().bases}
    if held.get(base) == len(notes):
        return
    if base in held:
        workspace.bases.delete_for_good(base)
    with tempfile.TemporaryDirectory() as scratch:
        for path, text in notes.items():
            (Path(scratch) / path).write_text(f"{text}\n", encoding="utf-8")
        workspace.imports.apply(workspace.imports.plan_folder(Path(scratch), base))


def reranked(workspace: Workspace, base: str, name: str, reranker: str, questions: Sequence[Asked], slow: int) -> None:
    hybrid: SearchOptions = {"level": "simple", "mode": "hybrid"}
    if reranker == "none":
        return
    if reranker not in _QUICK and slow < len(questions):
        questions = questions[:slow]
        row(workspace, base, name, "hybrid, weighted", questions, {**hybrid, "reranker": "none"})
    row(workspace, base, name, f"hybrid, {reranker}", questions, {**hybrid, "reranker": reranker})


def row(
    workspace: Workspace, base: str, name: str, label: str, questions: Sequence[Asked], options: SearchOptions
) -> None:
    """Ask every question and print how often its paragraph was first, and the response times."""
    options = {**options, "filters": Filters(bases=(base,)), "limit": DEPTH}
    workspace.search("warm up", **options)
    first, among, reciprocal, times = 0, 0, 0.0, []
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
            among += 1
            reciprocal += 1 / rank
    count = len(questions)
    print(
        f"| {label} | {name} | {count} | {first / count:.3f} | {among / count:.3f} | {reciprocal / count:.3f}"
        f" | {sorted(times)[count // 2]:.0f} |",
        flush=True,
    )


if __name__ == "__main__":
    main()
