"""What each chunking strategy gives a search: the same vaults and questions, cut four ways.

python -m benchmarks.strategies DATA [--workspace DIR] : DATA as for benchmarks.quality.
"""

import argparse
import tempfile
from pathlib import Path
from statistics import fmean

from benchmarks.quality import vaults
from core.evaluation import BUDGET, Evaluation, locate, source_texts
from core.evaluation.metrics import iou, within_budget
from core.evaluation.questions import load
from core.model import ChunkingOptions, Mode, Question
from core.workspace import Workspace

STRATEGIES = ("none", "markdown", "recursive", "auto")
MODES: tuple[Mode, ...] = ("semantic", "hybrid")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, nargs="?", default=Path("../shared/data"))
    parser.add_argument("--workspace", type=Path)
    given = parser.parse_args()
    sets = vaults(given.data)
    questions = {name: load(given.data / "questions" / f"{name}.jsonl") for name in sets}
    print(f"{'':<24}{'set':<12}" + "".join(f"{name:>14}" for name in ("hit@5", "mrr@10", f"hit@{BUDGET}", "IoU")))
    with tempfile.TemporaryDirectory() as scratch, Workspace(given.workspace or Path(scratch)) as workspace:
        for strategy in STRATEGIES:
            for name in sets:
                cut(workspace, given.data / "vaults" / name, f"{name}-{strategy}", strategy)
            for mode in MODES:
                for name in sets:
                    base = f"{name}-{strategy}"
                    evaluation = workspace.evaluate(questions[name], base, mode=mode, reranker="none")
                    metrics = evaluation.metrics
                    exact = overlap(workspace, base, questions[name], evaluation)
                    cells = (metrics["hit@5"], metrics["mrr@10"], metrics[f"hit@{BUDGET}chars"], exact)
                    print(f"{strategy + ', ' + mode:<24}{name:<12}" + "".join(f"{cell:>14.3f}" for cell in cells))


def cut(workspace: Workspace, vault: Path, base: str, strategy: str) -> None:
    """Import a vault cut by one strategy, embedding it once."""
    if base not in {known.name for known in workspace.bases()}:
        workspace.add_base(base, embed_at_once=False)
        workspace.rechunk(base, options=ChunkingOptions(strategy=strategy))
        workspace.set_embed_at_once(base, True)
    workspace.apply(workspace.plan_folder(vault, base))


def overlap(workspace: Workspace, base: str, questions: list[Question], evaluation: Evaluation) -> float:
    """Return the mean IoU of the gold passages with what the first BUDGET characters of the hits hold."""
    source_text = source_texts(workspace.store, base)
    values = []
    for question, result in zip(questions, evaluation.questions, strict=True):
        if question.gold:
            golds = [locate(gold, source_text, question) for gold in question.gold]
            hits = [(hit.path, hit.file_start, hit.file_end) for hit in result.hits]
            values.append(iou(golds, within_budget(hits, BUDGET)))
    return fmean(values)


if __name__ == "__main__":
    main()
