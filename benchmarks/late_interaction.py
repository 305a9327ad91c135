"""What keeping the bits of tokens costs an import, and what reranking with them costs a search.

python -m benchmarks.late_interaction DATA [--workspace DIR] [--notes 40] : DATA as for benchmarks.quality;
a workspace of benchmarks.quality saves embedding the vaults again.
"""

import argparse
import shutil
import tempfile
import time
from pathlib import Path
from statistics import median

from benchmarks.quality import vaults
from core.features.evaluation.question_files import parse
from core.model import DEFAULTS
from core.reranking import Candidate
from core.workspace import Workspace

POOLS = (20, 50)
TURNS = 4


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, nargs="?", default=Path("../shared/data"))
    parser.add_argument("--workspace", type=Path)
    parser.add_argument(
        "--notes", type=int, default=40, help="how many notes of each vault are imported with and without"
    )
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        with Workspace(given.workspace or Path(scratch) / "workspace") as workspace:
            for name in vaults(given.data):
                workspace.notes.apply(workspace.notes.plan_folder(given.data / "vaults" / name, name))
                workspace.bases.keep_tokens(name, True)
            latency(workspace, given.data)
        imports(given.data, Path(scratch), given.notes)


def latency(workspace: Workspace, data: Path) -> None:
    """Time reading the bits and scoring them, for every question and pool; the question is encoded already."""
    for status in workspace.status().bases:
        per_chunk = status.bit_bytes / max(1, status.chunks)
        print(f"{status.base.name}: {status.bit_bytes / 1e6:.1f} MB of bits, {per_chunk:,.0f} bytes a chunk")
    for pool in POOLS:
        times = []
        for name in vaults(data):
            base = workspace.bases.get(name)
            embedder = workspace.models.embedder(base)
            reranker = workspace.models.reranker(base, DEFAULTS.reranker)
            for question in parse((data / "questions" / f"{name}.jsonl").read_bytes(), name):
                vector = embedder.embed([question.text], role="query")[0]
                rowids = list(workspace.store.nearest(base, vector, pool, None))
                started = time.perf_counter()
                chunks = workspace.store.chunks.by_rowid(rowids)
                bits = workspace.store.vectors.bits(chunks, base.fingerprint)
                reranker.score(question.text, [Candidate("", rows) for rows in bits.values()])
                times.append(1000 * (time.perf_counter() - started))
        times.sort()
        print(f"pool {pool}: p50 {median(times):.1f} ms, p95 {times[int(len(times) * 0.95)]:.1f} ms")


def imports(data: Path, scratch: Path, count: int) -> None:
    """Import the same notes with and without bits, in turns; the median of the ratios of neighbouring runs."""
    folder = scratch / "notes"
    for name in vaults(data):
        files = sorted((data / "vaults" / name).rglob("*.md"))[:count]
        for file in files:
            target = folder / name / file.relative_to(data / "vaults" / name)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, target)
    seconds: dict[bool, list[float]] = {True: [], False: []}
    for turn in range(2 * TURNS):
        keep = turn % 4 in (0, 3)  # the first of two imports is the slower one, whichever it is
        with Workspace(scratch / f"import-{turn}") as workspace:
            base = workspace.bases.add("notes")
            workspace.bases.keep_tokens("notes", keep)
            workspace.models.embedder(base).warm()
            workspace.store.open_index()
            seconds[keep].append(workspace.notes.apply(workspace.notes.plan_folder(folder, "notes")).seconds)
            print(f"{'with' if keep else 'without'} bits: {seconds[keep][-1]:.1f} s", flush=True)
    ratios = [with_bits / without for with_bits, without in zip(seconds[True], seconds[False], strict=True)]
    print(f"import with bits / without: {median(ratios):.2f} (median of {len(ratios)} pairs)")


if __name__ == "__main__":
    main()
