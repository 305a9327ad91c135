"""A base goes over to another embedder: stopped half way and taken up again, then killed half way and taken up again.

python -m benchmarks.switching DATA [--notes 112] [--old bundled] [--new onnx] : DATA holds vaults/NAME, of which so
many notes are taken, evenly. Told are the cost that is estimated against the time it took, whether the old model
answered as before all the while, and how many windows were embedded twice.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

from core import embedding
from core.base.errors import Cancelled
from core.embedding.tokens import TYPICAL
from core.model import Progress, no_progress
from core.workspace import Workspace

BASE = "notes"
QUESTIONS = ("how do I return an error from main", "怎样防止过拟合", "lifetime elision rules", "为什么需要注意力机制")
PAUSE = 1.0
"""Seconds between two searches, so that they hardly slow down what they watch."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, nargs="?", default=Path("../shared/data"))
    parser.add_argument("--notes", type=int, default=112)
    parser.add_argument("--old", default="bundled")
    parser.add_argument("--new", default="onnx")
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        child(given.child, given.new)
        return
    with tempfile.TemporaryDirectory() as scratch:
        begun = Path(scratch) / "begun"
        seconds, windows = begin(begun, drawn(given.data / "vaults", given.notes, Path(scratch) / "vault"), given)
        stopped = shutil.copytree(begun, Path(scratch) / "stopped")
        first, embedded = stop(stopped, given.new)
        second = resume(stopped, given, embedded, windows)
        took = first + second
        print(f"both runs: {took:.1f} s, the estimate was {seconds:.1f} s, {seconds / took:.2f} of it")
        killed = shutil.copytree(begun, Path(scratch) / "killed")
        resume(killed, given, kill(killed, given.new), windows)


def drawn(vaults: Path, count: int, into: Path) -> Path:
    """Copy so many notes, evenly from all vaults, into a folder."""
    files = sorted(vaults.glob("*/**/*.md"))
    for number in range(min(count, len(files))):
        file = files[number * len(files) // min(count, len(files))]
        target = into / file.relative_to(vaults)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, target)
    return into


def begin(folder: Path, vault: Path, given: argparse.Namespace) -> tuple[float, int]:
    """Import with the old model and begin the change; return the seconds and the windows it is said to take."""
    with Workspace(folder) as workspace:
        workspace.settings.embedder = given.old
        workspace.bases.add(BASE)
        report = workspace.notes.apply(workspace.notes.plan_folder(vault, BASE))
        (status,) = workspace.status().bases
        print(f"{status.notes} notes, {status.chunks} chunks by {given.old}, imported in {report.seconds:.1f} s")
        started = time.perf_counter()
        cost = workspace.bases.switch_cost(BASE, given.new)
        looked = time.perf_counter() - started
        print(
            f"to {given.new}: {cost.to_embed} windows in {cost.seconds:.1f} s, estimated in {looked:.1f} s", flush=True
        )
        workspace.bases.begin_switch(BASE, given.new)
    return cost.seconds, cost.to_embed


def stop(folder: Path, new: str) -> tuple[float, int]:
    """Cancel half way; return the seconds, and how many windows were embedded."""

    def half(done: float, total: float, what: str) -> None:
        if done >= total / 2:
            raise Cancelled

    with Workspace(folder) as workspace, Counted(new) as counted:
        seconds = watched(workspace, half)
    print(f"stopped half way after {seconds:.1f} s, {counted.windows} windows embedded", flush=True)
    return seconds, counted.windows


def kill(folder: Path, new: str) -> int:
    """Let another process do it, kill it half way, and return how many windows it had begun to embed."""
    command = [sys.executable, "-u", "-m", "benchmarks.switching", "--child", str(folder), "--new", new]
    windows = 0
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        for line in process.stdout:
            windows, half = int(line.split()[0]), line.split()[1] == "half"
            if half:
                process.kill()
        process.wait()
    assert process.returncode == -9, "it ended before it was killed"
    print(f"killed half way, {windows} windows embedded", flush=True)
    return windows


def child(folder: Path, new: str) -> None:
    with Workspace(folder) as workspace, Counted(new) as counted:

        def progress(done: float, total: float, what: str) -> None:
            print(counted.windows, "half" if done >= total / 2 else "before")

        counted.said = lambda: print(counted.windows, "before")
        workspace.bases.run_switch(BASE, progress=progress)


def resume(folder: Path, given: argparse.Namespace, embedded: int, windows: int) -> float:
    """Take it up again to its end; return the seconds, and tell what was embedded twice."""
    with Workspace(folder) as workspace, Counted(given.new) as counted:
        assert workspace.bases.get(BASE).embedder == given.old
        seconds = watched(workspace, no_progress)
        assert workspace.bases.get(BASE).embedder == given.new
        (status,) = workspace.status().bases
        assert all(workspace.search(question).hits for question in QUESTIONS)
        print(
            f"taken up again, {counted.windows} windows embedded in {seconds:.1f} s; {status.windows} are there,"
            f" {embedded + counted.windows - windows} were embedded twice",
            flush=True,
        )
    return seconds


def watched(workspace: Workspace, progress: Progress) -> float:
    """Run the change while somebody else asks, tell how they were answered, and return its seconds."""
    old = workspace.bases.get(BASE).embedder
    before, asked, over = answers(workspace), [], Event()

    def ask() -> None:
        while not over.wait(PAUSE):
            started = time.perf_counter()
            found = answers(workspace)
            took = (time.perf_counter() - started) / len(QUESTIONS)
            if workspace.bases.get(BASE).embedder == old:
                asked.append((found == before, 1000 * took))

    with ThreadPoolExecutor() as elsewhere:
        asking = elsewhere.submit(ask)
        started = time.perf_counter()
        try:
            workspace.bases.run_switch(BASE, progress=progress)
        except Cancelled:
            assert workspace.bases.get(BASE).embedder == old
        seconds = time.perf_counter() - started
        over.set()
        asking.result()
    times = sorted(took for _, took in asked)
    same = sum(same for same, _ in asked)
    median = times[len(times) // 2]
    print(f"  meanwhile {same} of {len(asked)} times answered as before, {median:.0f} ms a question in the median")
    return seconds


def answers(workspace: Workspace) -> list[list[str]]:
    return [[hit.chunk.id for hit in workspace.search(question, reranker="none").hits] for question in QUESTIONS]


class Counted:
    """Counts the windows that an embedder is given while it is open; `said` hears of it before each batch."""

    def __init__(self, name: str) -> None:
        self.windows = 0
        self.said: Callable[[], None] = lambda: None
        self._embedder: Any = embedding.build(name)

    def __enter__(self) -> "Counted":
        for method in ("embed", "embed_tokens"):
            if hasattr(self._embedder, method):
                setattr(self._embedder, method, self._counting(getattr(self._embedder, method)))
        return self

    def __exit__(self, *_: object) -> None:
        for method in ("embed", "embed_tokens"):
            vars(self._embedder).pop(method, None)

    def _counting(self, method: Callable[..., Any]) -> Callable[..., Any]:
        def counted(texts: Sequence[str], *, role: str) -> Any:
            if role == "note":
                self.windows += sum(text not in TYPICAL for text in texts)  # those that settle the tokens' mean
                self.said()
            return method(texts, role=role)

        return counted


if __name__ == "__main__":
    main()
