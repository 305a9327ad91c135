"""`make eval`: how well the right passages are found. Both vaults, each mode, model and reranker, one table.

python -m benchmarks.quality DATA [--workspace DIR] [--embedders bundled,tfidf] [--rerankers none,late-interaction]
[--weights] [--float32] : DATA contains vaults/NAME and questions/NAME.jsonl. With a permanent workspace, nothing is
embedded twice. `--float32` runs the bundled model in float32, in a separate workspace.
"""

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path
from unittest.mock import patch

from benchmarks.evaluation import Evaluation, evaluation_of
from core.embedding import sentence
from core.model import DEFAULTS, MAIN, Device, Mode, Pipeline, SearchSettings
from core.workspace import Workspace

POOLS = {"cross-encoder": 20}
"""Number of hits for each reranker, if it isn't the default: fewer for slow ones."""

MODES: tuple[Mode, ...] = ("semantic", "keyword", "hybrid")
WEIGHTS = (0.4, 0.5, 0.6, 0.7, 0.8)
RERANK_WEIGHTS = (0.0, 0.3, 0.5, 0.7, 0.85, 1.0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, nargs="?", default=Path("../shared/data"))
    parser.add_argument("--workspace", type=Path)
    parser.add_argument("--embedders", default="bundled", help="names, with commas between")
    parser.add_argument("--rerankers", default="none,late-interaction", help="names, with commas between")
    parser.add_argument("--float32", action="store_true", help="in place of the processor's fastest numbers")
    parser.add_argument("--weights", action="store_true", help="sweep the weights of fusion and of reranking too")
    given = parser.parse_args()
    if given.float32:
        patch.object(sentence, "choose_device", lambda: Device("cpu", "float32", "asked for")).start()
    sets = vaults(given.data)
    heading()
    with tempfile.TemporaryDirectory() as scratch, Workspace(given.workspace or Path(scratch)) as workspace:

        def measured(row: str, bases: Sequence[str], search: SearchSettings) -> None:
            pipeline = Pipeline(search=search)
            asked = zip(sets, bases, strict=True)
            rows(row, sets, [measured_set(workspace, given.data, name, base, pipeline) for name, base in asked])

        for embedder in given.embedders.split(","):
            bases = [imported(workspace, given.data / "vaults" / name, embedder) for name in sets]
            for mode in MODES:
                measured(f"{embedder}, {mode}", bases, SearchSettings(mode, reranker="none"))
            for reranker in given.rerankers.split(","):
                if reranker != "none":
                    pool = POOLS.get(reranker.partition(":")[0], DEFAULTS.rerank_pool)
                    search = SearchSettings("hybrid", reranker=reranker, rerank_pool=pool)
                    measured(f"{embedder}, hybrid, {reranker}, {pool}", bases, search)
            if given.weights:
                for weight in WEIGHTS:
                    search = SearchSettings("hybrid", semantic_weight=weight, reranker="none")
                    measured(f"{embedder}, hybrid, meaning {weight}", bases, search)
                for weight in RERANK_WEIGHTS:
                    search = SearchSettings("hybrid", reranker="late-interaction", rerank_weight=weight)
                    measured(f"{embedder}, late-interaction {weight}", bases, search)


def measured_set(workspace: Workspace, data: Path, name: str, base: str, pipeline: Pipeline) -> Evaluation:
    """Ask a base the questions on a vault."""
    file = data / "questions" / f"{name}.jsonl"
    questions = workspace.question_sets.read(base, file.read_bytes(), file.name)
    ((_, results),) = workspace.runs.measure(base, questions, [pipeline])
    return evaluation_of(results)


def vaults(data: Path) -> list[str]:
    """Return the names of the vaults with hard questions; those of `benchmarks.answers` have no `gold`."""
    files = (data / "questions").glob("*.jsonl")
    return sorted(file.stem for file in files if '"gold"' in file.read_text(encoding="utf-8"))


def imported(workspace: Workspace, vault: Path, embedder: str) -> str:
    """Return the name of a base with the vault, embedded by this model, with token bits."""
    base = vault.name if embedder == "bundled" else f"{vault.name}, {embedder}"
    workspace.settings.embedder = embedder
    if base not in {known.name for known in workspace.bases.all()}:
        workspace.bases.add(base)
    workspace.imports.apply(workspace.imports.plan_folder(vault, base))
    workspace.bases.keep_tokens(base, True)
    return base


def heading() -> None:
    print(f"{'':<68}{'set':<12}" + "".join(f"{name:>15}" for name in MAIN) + f"{'p50 ms':>9}{'p95 ms':>9}")


def rows(row: str, sets: Sequence[str], evaluations: Sequence[Evaluation]) -> None:
    """Print a row's metrics, per set and over all questions."""
    for label, group in [*zip(sets, ([one] for one in evaluations), strict=True), ("all", evaluations)]:
        answered = [one.scored for one in group]
        means = [
            sum(one.metrics[name] * count for one, count in zip(group, answered, strict=True)) / sum(answered)
            for name in MAIN
        ]
        times = sorted(question.took_ms for one in group for question in one.questions)
        print(
            f"{row:<68}{label:<12}"
            + "".join(f"{mean:>15.3f}" for mean in means)
            + f"{times[len(times) // 2]:>9.0f}{times[int(len(times) * 0.95)]:>9.0f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
