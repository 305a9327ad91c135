"""Levels of retrieval: each with and without reranking and expansion, by kind of question.

python -m benchmarks.retrieval DATA [--workspace DIR] [--also links,reciprocal,boost] : DATA contains vaults/NAME and
questions/NAME.jsonl. The figure for a kind is the number of its questions answered within 10 hits; for a comparison,
both sides must be.
"""

import argparse
import tempfile
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

from benchmarks.evaluation import evaluation_of
from benchmarks.quality import imported, measured_set, vaults
from core.features.evaluation.scoring import hit_at
from core.model import MAIN, OPEN, Pipeline, QuestionResult, SearchSettings
from core.workspace import Workspace

LEVELS = {
    "level 1 (simple)": SearchSettings(level="simple"),
    "level 2 (focused)": SearchSettings(level="focused"),
    "level 3 (exploratory)": SearchSettings(level="exploratory"),
    "auto": OPEN,
}
ALSO = {
    "reciprocal": SearchSettings(fusion="reciprocal"),
    "boost": SearchSettings(phrase="boost"),
    "links 0.05": SearchSettings(link_weight=0.05),
    "links 0.1": SearchSettings(link_weight=0.1),
    "links 0.2": SearchSettings(link_weight=0.2),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, nargs="?", default=Path("../shared/data"))
    parser.add_argument("--workspace", type=Path)
    parser.add_argument("--also", default="", help="settings besides the levels, by the beginning of their names")
    given = parser.parse_args()
    sets = vaults(given.data)
    with tempfile.TemporaryDirectory() as scratch, Workspace(given.workspace or Path(scratch)) as workspace:
        bases = {name: imported(workspace, given.data / "vaults" / name, "bundled") for name in sets}

        def measured(row: str, settings: SearchSettings) -> None:
            pipeline = Pipeline(search=settings)
            asked = [measured_set(workspace, given.data, name, bases[name], pipeline) for name in sets]
            print(f"{row:<52}{line([result for one in asked for result in one.questions])}", flush=True)

        for expansion in (0, 1):
            for reranker in ("none", "late-interaction"):
                for level, settings in LEVELS.items():
                    row = f"{level}, {'reranked' if reranker != 'none' else 'not reranked'}, expanded by {expansion}"
                    measured(row, replace(settings, reranker=reranker, expansion_size=expansion))
        for row, settings in ALSO.items():
            if any(row.startswith(begin) for begin in given.also.split(",") if begin):
                measured(f"auto, not reranked, {row}", replace(settings, reranker="none"))
                measured(f"auto, reranked, {row}", settings)


def line(found: list[QuestionResult]) -> str:
    """Return a row's metrics with their names, the answered questions of each kind, and the times."""
    metrics = evaluation_of(found).metrics
    by_kind = defaultdict(list)
    for result in found:
        if not result.negative:
            by_kind[result.kind].append(hit_at(result.found_rank, 10))
    cells = [f"{name} {metrics[name]:.3f}" for name in MAIN]
    cells += [f"{kind} {sum(values):.0f} of {len(values)}" for kind, values in by_kind.items()]
    return "  ".join([*cells, f"p50 {metrics['p50_ms']:.0f} ms", f"p95 {metrics['p95_ms']:.0f} ms"])


if __name__ == "__main__":
    main()
