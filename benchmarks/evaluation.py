"""How long evaluating takes: 500 questions over 5,000 chunks without reranking, and two such runs side by side.

    python -m benchmarks.evaluation DATA [--workspace DIR] [--chunks 5000] [--questions 500]

DATA holds vaults/NAME, of which one base is made as `benchmarks.scale` makes it: the notes as `--workspace` has them
embedded (by default they are embedded first), then copies of them with other words and shifted vectors. The questions
are those that Tessera suggests by rules, and sentences of the notes where those are too few, each with the passage it
was taken from; of such a sentence every third word is left out.
"""

import argparse
import random
import re
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

from benchmarks.quality import imported, vaults
from benchmarks.scale import BASE, build, read
from core.features.evaluation.golds import gold_at
from core.model import Mode, Pipeline, Question, QuestionSet, SearchSettings
from core.workspace import Workspace

RUN_SECONDS = 30.0
LEAST_WORDS = 6
MODES: tuple[Mode, ...] = ("hybrid", "semantic")
_SENTENCE = re.compile(r"[^\n.!?。！？|`#<>$]{24,200}[.。]")
_PIECE = re.compile(r"[A-Za-z']+|[\u4e00-\u9fff]{1,2}|\d+")

_T = TypeVar("_T")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, nargs="?", default=Path("../shared/data"))
    parser.add_argument("--workspace", type=Path, help="one that holds the vaults, embedded by the bundled model")
    parser.add_argument("--chunks", type=int, default=5_000)
    parser.add_argument("--questions", type=int, default=500)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "grown"
        grow(folder, given.workspace or Path(scratch) / "workspace", given.data, given.chunks)
        with Workspace(folder) as workspace:
            measure(workspace, given.questions)


def grow(folder: Path, source: Path, data: Path, chunks: int) -> None:
    """Make a workspace with a base of so many chunks."""
    names = vaults(data)
    with Workspace(source) as workspace:
        for name in names:
            imported(workspace, data / "vaults" / name, "bundled")
        sources = [found for name in names for found in read(workspace.store, workspace.bases.get(name))]
        like = workspace.bases.get(names[0])
    print(f"{sum(len(source.chunks) for source in sources)} chunks of the vaults, the others are copies")
    build(folder, like, sources, chunks)


def measure(workspace: Workspace, count: int) -> None:
    """Print what runs in several modes take, and what showing them takes."""
    workspace.models.start_warming()
    workspace.jobs.wait("warm")
    kept = asked(workspace, count)
    (status,) = workspace.status().bases
    print(f"{status.chunks} chunks, {kept.questions} questions")
    runs = []
    for mode in MODES:
        pipeline = Pipeline(mode, search=SearchSettings(mode=mode, reranker="none"))
        seconds, (run,) = timed(partial(workspace.runs.run, kept, [pipeline]))
        results = workspace.runs.results(run.id)
        missed = sum(bool(result.diagnoses) for result in results)
        searching = sum(result.took_ms for result in results) / 1000
        verdict = "ok" if seconds <= RUN_SECONDS else "MISSED"
        print(
            f"run, {mode:<10}{seconds:8.1f} s   target <= {RUN_SECONDS:g}: {verdict}   searching {searching:.1f} s,"
            f" p50 {run.metrics['p50_ms']:.0f} ms, p95 {run.metrics['p95_ms']:.0f} ms;"
            f" hit@10 {run.metrics['hit@10']:.3f}, {missed} misses explained",
            flush=True,
        )
        runs.append(run)
    for label, shown in (("one run ", runs[:1]), ("two runs", runs)):
        measured = [run.id for run in shown]
        seconds, _ = timed(lambda: workspace.runs.side_by_side(workspace.runs.measured(measured)))  # noqa: B023
        print(f"shown, {label}  {seconds:8.2f} s, with bootstrap intervals")


def asked(workspace: Workspace, count: int) -> QuestionSet:
    """Return a set of so many questions."""
    kept = workspace.question_sets.add(BASE, "questions")
    seconds, suggested = timed(lambda: workspace.questions.suggest(kept, count))
    workspace.questions.accept(kept, [question.id for question in suggested])
    print(f"{len(suggested)} questions suggested in {seconds:.1f} s, the others are sentences")
    workspace.questions.add(kept, sentences(workspace, count - len(suggested)))
    return workspace.question_sets.get(BASE, kept.name)


def sentences(workspace: Workspace, count: int) -> list[Question]:
    """Return questions that are sentences of the notes with words left out."""
    chance = random.Random(5)
    cards = workspace.notes.all()
    questions: dict[str, Question] = {}
    while len(questions) < count:
        note = workspace.notes.get(chance.choice(cards).id)
        found = list(_SENTENCE.finditer(note.body))
        for sentence in chance.sample(found, min(1, len(found))):
            words = _PIECE.findall(sentence.group())
            text = " ".join(word for place, word in enumerate(words) if place % 3)
            if len(words) >= LEAST_WORDS:
                questions[text] = Question("", text, (gold_at(note, *sentence.span()),))
    return list(questions.values())


def timed(work: Callable[[], _T]) -> tuple[float, _T]:
    started = time.perf_counter()
    result = work()
    return time.perf_counter() - started, result


if __name__ == "__main__":
    main()
