"""Retrieval's levels: each with and without reranking and expansion, by kind of question.

python -m benchmarks.retrieval DATA [--workspace DIR] [--also links,reciprocal,boost] : DATA holds vaults/NAME and
questions/NAME.jsonl. A kind's figure is how many of its questions are answered within 10 hits; of a comparison,
both sides.
"""

import argparse
import tempfile
from collections import defaultdict
from pathlib import Path

from benchmarks.quality import imported, vaults
from core.evaluation import METRICS, QuestionResult, summarise
from core.evaluation.metrics import hit_at, percentile
from core.evaluation.questions import load
from core.workspace import SearchOptions, Workspace

LEVELS: dict[str, SearchOptions] = {
    "level 1 (simple)": {"level": "simple"},
    "level 2 (focused)": {"level": "focused"},
    "level 3 (exploratory)": {"level": "exploratory"},
    "auto": {"level": "auto"},
}
ALSO: dict[str, SearchOptions] = {
    "reciprocal": {"fusion": "reciprocal"},
    "boost": {"phrase": "boost"},
    "links 0.05": {"link_weight": 0.05},
    "links 0.1": {"link_weight": 0.1},
    "links 0.2": {"link_weight": 0.2},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, nargs="?", default=Path("../shared/data"))
    parser.add_argument("--workspace", type=Path)
    parser.add_argument("--also", default="", help="settings besides the levels, by the beginning of their names")
    given = parser.parse_args()
    sets = vaults(given.data)
    questions = {name: load(given.data / "questions" / f"{name}.jsonl") for name in sets}
    kinds = list(dict.fromkeys(question.kind for name in sets for question in questions[name] if question.gold))
    print(f"{'':<52}" + "".join(f"{name:>15}" for name in (*METRICS, *kinds)) + f"{'p50 ms':>9}{'p95 ms':>9}")
    with tempfile.TemporaryDirectory() as scratch, Workspace(given.workspace or Path(scratch)) as workspace:
        bases = {name: imported(workspace, given.data / "vaults" / name, "bundled") for name in sets}

        def measured(row: str, options: SearchOptions) -> None:
            found = [
                result
                for name in sets
                for result in workspace.evaluate(questions[name], bases[name], **options).questions
            ]
            print(f"{row:<52}{told(found, kinds)}", flush=True)

        for expansion in (0, 1):
            for reranker in ("none", "late-interaction"):
                for level, options in LEVELS.items():
                    row = f"{level}, {'reranked' if reranker != 'none' else 'not reranked'}, expanded by {expansion}"
                    measured(row, {**options, "reranker": reranker, "expansion_size": expansion})
        for row, options in ALSO.items():
            if any(row.startswith(begin) for begin in given.also.split(",") if begin):
                measured(f"auto, not reranked, {row}", {**options, "reranker": "none"})
                measured(f"auto, reranked, {row}", options)


def told(found: list[QuestionResult], kinds: list[str]) -> str:
    """Return a row's metrics, the answered questions of each kind, and the times."""
    metrics = summarise(found)
    by_kind = defaultdict(list)
    for result in found:
        by_kind[result.kind].append(hit_at(result.found_rank, 10))
    times = [result.took_ms for result in found]
    return (
        "".join(f"{metrics[name]:>15.3f}" for name in METRICS)
        + "".join(f"{f'{sum(by_kind[kind]):.0f} of {len(by_kind[kind])}':>15}" for kind in kinds)
        + f"{percentile(times, 50):>9.0f}{percentile(times, 95):>9.0f}"
    )


if __name__ == "__main__":
    main()
