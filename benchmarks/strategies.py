"""Retrieval quality of each chunking strategy: the same vaults and questions, cut in four ways.

python -m benchmarks.strategies DATA [--workspace DIR] : DATA as for benchmarks.quality.
"""

import argparse
import tempfile
from pathlib import Path

from benchmarks.quality import measured_set, vaults
from core.model import BUDGET, ChunkingOptions, Mode, Pipeline, SearchSettings
from core.workspace import Workspace

STRATEGIES = ("none", "markdown", "recursive", "auto")
COLUMNS = ("hit@5", "mrr@10", f"hit@{BUDGET}chars", "span_iou")
MODES: tuple[Mode, ...] = ("semantic", "hybrid")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, nargs="?", default=Path("../shared/data"))
    parser.add_argument("--workspace", type=Path)
    given = parser.parse_args()
    sets = vaults(given.data)
    print(f"{'':<24}{'set':<12}" + "".join(f"{name:>14}" for name in COLUMNS))
    with tempfile.TemporaryDirectory() as scratch, Workspace(given.workspace or Path(scratch)) as workspace:
        for strategy in STRATEGIES:
            for name in sets:
                cut(workspace, given.data / "vaults" / name, f"{name}-{strategy}", strategy)
            for mode in MODES:
                for name in sets:
                    base = f"{name}-{strategy}"
                    pipeline = Pipeline(search=SearchSettings(mode=mode, reranker="none"))
                    metrics = measured_set(workspace, given.data, name, base, pipeline).metrics
                    cells = [metrics[metric] for metric in COLUMNS]
                    print(f"{strategy + ', ' + mode:<24}{name:<12}" + "".join(f"{cell:>14.3f}" for cell in cells))


def cut(workspace: Workspace, vault: Path, base: str, strategy: str) -> None:
    """Import a vault cut by one strategy, embedding it once."""
    if base not in {known.name for known in workspace.bases.all()}:
        workspace.bases.add(base, embed_at_once=False)
        workspace.chunks.rechunk(base, options=ChunkingOptions(strategy=strategy))
        workspace.bases.update(base, embed_at_once=True)
    workspace.imports.apply(workspace.imports.plan_folder(vault, base))


if __name__ == "__main__":
    main()
