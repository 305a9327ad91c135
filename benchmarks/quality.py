"""`make eval`: do the right passages come back? Both vaults, each mode, one table.

python -m benchmarks.quality DATA [--workspace DIR] [--weights] : DATA holds vaults/NAME and
questions/NAME.jsonl; a kept workspace saves embedding them again.
"""

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path

from core.evaluation import Evaluation
from core.evaluation.questions import load
from core.model import Mode
from core.workspace import Workspace

MODES: tuple[Mode, ...] = ("semantic", "keyword", "hybrid")
WEIGHTS = (0.4, 0.5, 0.6, 0.7, 0.8)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, nargs="?", default=Path("../shared/data"))
    parser.add_argument("--workspace", type=Path)
    parser.add_argument("--weights", action="store_true", help="sweep the semantic weight of hybrid too")
    given = parser.parse_args()
    sets = sorted(file.stem for file in (given.data / "questions").glob("*.jsonl"))
    with tempfile.TemporaryDirectory() as scratch, Workspace(given.workspace or Path(scratch)) as workspace:
        for name in sets:
            report = workspace.apply(workspace.plan_folder(given.data / "vaults" / name, name))
            print(f"{name}: {report.added} added, {report.unchanged} unchanged, {report.seconds:.0f} s")
        questions = {name: load(given.data / "questions" / f"{name}.jsonl") for name in sets}
        rows = {
            mode: [workspace.evaluate(questions[name], name, mode=mode) for name in sets] for mode in map(str, MODES)
        }
        if given.weights:
            for weight in WEIGHTS:
                workspace.settings.search.semantic_weight = weight
                rows[f"hybrid {weight}"] = [workspace.evaluate(questions[name], name, mode="hybrid") for name in sets]
        table(sets, rows)


def table(sets: Sequence[str], rows: dict[str, list[Evaluation]]) -> None:
    """Print each row's metrics, a set at a time and over all questions."""
    names = list(next(iter(rows.values()))[0].metrics)
    print(f"\n{'':<16}{'set':<12}" + "".join(f"{name:>16}" for name in names) + f"{'p50 ms':>10}{'p95 ms':>10}")
    for row, evaluations in rows.items():
        for label, group in [*zip(sets, ([one] for one in evaluations), strict=True), ("all", evaluations)]:
            answered = [one.scored for one in group]
            means = [
                sum(one.metrics[name] * count for one, count in zip(group, answered, strict=True)) / sum(answered)
                for name in names
            ]
            times = sorted(question.took_ms for one in group for question in one.questions)
            print(
                f"{row:<16}{label:<12}"
                + "".join(f"{mean:>16.3f}" for mean in means)
                + f"{times[len(times) // 2]:>10.0f}{times[int(len(times) * 0.95)]:>10.0f}"
            )


if __name__ == "__main__":
    main()
