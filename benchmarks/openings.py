"""Recall of the ten nearest over many openings of the same workspace, each in a process of its own.

python -m benchmarks.openings DATA [--workspace DIR] [--embedders bundled,tfidf] [--vaults d2l-zh,rust-book]
[--openings 50] [--chunks 20000] : DATA holds vaults/NAME and questions/NAME.jsonl; a kept workspace saves embedding
them again. `--chunks` makes copies of the notes, each vector shifted, until there are so many. A base is asked as the
app asks, and through its graph alone.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import numpy as np

from benchmarks import scale
from benchmarks.quality import imported, vaults
from core import embedding
from core.features.evaluation.question_files import parse
from core.model import Matrix
from core.store import Store
from core.store.index import exact_search
from core.workspace import Workspace

TEN = 10
LEAST = 0.99
QUESTIONS = 60
_NEAR = 1e-6
"""Difference of cosines under which two chunks are equally near."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--workspace", type=Path)
    parser.add_argument("--embedders", default="bundled,tfidf", help="names, with commas between")
    parser.add_argument("--vaults", help="names, with commas between; by default all")
    parser.add_argument("--openings", type=int, default=50)
    parser.add_argument("--chunks", type=int, help="of the copy that is measured in place of the vaults")
    given = parser.parse_args()
    names = given.vaults.split(",") if given.vaults else vaults(given.data)
    with tempfile.TemporaryDirectory() as scratch:
        for name in given.embedders.split(","):
            folder = given.workspace or Path(scratch) / "vaults"
            with Workspace(folder) as workspace:
                bases = [imported(workspace, given.data / "vaults" / vault, name) for vault in names]
                if given.chunks:
                    folder = Path(scratch) / workspace.bases.get(bases[0]).id
                    sources = [
                        each for base in bases for each in scale.read(workspace.store, workspace.bases.get(base))
                    ]
                    scale.build(folder, workspace.bases.get(bases[0]), sources, given.chunks)
                    bases = [scale.BASE]
            measure(folder, bases, asked(given.data, names, name), given.openings, name)


def asked(data: Path, names: Sequence[str], embedder: str) -> Matrix:
    """Return the vectors of questions on some vaults."""
    files = [data / "questions" / f"{name}.jsonl" for name in names]
    each = QUESTIONS // len(files)
    texts = [question.text for file in files for question in parse(file.read_bytes(), file.name)[:each]]
    return embedding.build(embedder).embed(texts, role="query")


def measure(folder: Path, bases: Sequence[str], questions: Matrix, openings: int, embedder: str) -> None:
    """Print the recall of the bases, the least and the mean of all openings."""
    with closing(Store(folder)) as store:
        store.open_index()
        exact, windows = {}, {}
        for name in bases:
            base = store.bases.named(name)
            windows[name] = store.chunks.count(base)[2]
            exact[name] = [store.chunks.cosines(base, question, None) for question in questions]
    file = folder / "questions.npy"
    np.save(file, questions)
    command = [sys.executable, "-m", "benchmarks.openings", "--ask", str(folder), str(file), *bases]
    opened = [json.loads(subprocess.run(command, check=True, capture_output=True).stdout) for _ in range(openings)]
    for name in bases:
        for way in ("the app", "the graph"):
            recalls = [statistics.mean(map(recall, answers[way][name], exact[name])) for answers in opened]
            verdict = "" if min(recalls) >= LEAST else f"  MISSED, at least {LEAST}"
            print(
                f"{embedder:<36}{name:<24}{windows[name]:>6} windows{openings:>4} openings  {way:<10}"
                f" recall@10 {min(recalls):.4f} least {statistics.mean(recalls):.4f} mean{verdict}",
                flush=True,
            )


def recall(answer: Sequence[int], exact: dict[int, float]) -> float:
    """Return the share of the ten nearest that an answer has; what is as near as the tenth is one of them."""
    least = sorted(exact.values(), reverse=True)[:TEN][-1]
    return sum(exact[rowid] >= least - _NEAR for rowid in answer) / min(TEN, len(exact))


def ask(folder: Path, questions: Matrix, bases: Sequence[str]) -> dict[str, dict[str, list[list[int]]]]:
    """Open a workspace; return the ten nearest chunks of each question by way and base."""
    answers: dict[str, dict[str, list[list[int]]]] = {}
    with closing(Store(folder)) as store:
        store.open_index()
        for way in ("the app", "the graph"):
            answers[way] = {
                name: [list(store.nearest(store.bases.named(name), question, TEN)) for question in questions]
                for name in bases
            }
            exact_search.BUDGET = 0
            store.exact_search = exact_search.ExactSearch(store.database)
    return answers


if __name__ == "__main__":
    if sys.argv[1:2] == ["--ask"]:
        print(json.dumps(ask(Path(sys.argv[2]), np.load(sys.argv[3]), sys.argv[4:])))
    else:
        main()
