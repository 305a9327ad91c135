"""Text folders: how long many lines take to be indexed, a line that changed, a search, and lines that hold a text.

python -m benchmarks.lines DATA FOLDER [--lines 100000] : DATA holds vaults/NAME, of whose lines the text files in
FOLDER are made, a fifth of them twice. FOLDER stays; a second run goes on where the first one ended.
"""

import argparse
import os
import statistics
import time
from collections.abc import Callable
from itertools import count, islice
from pathlib import Path
from random import Random

from benchmarks.drills.processes import held_by
from core.model import SyncReport
from core.workspace import Workspace

_BASE = "lines"
_TEXTS = Path("knowledge") / _BASE / "texts"
_PER_FILE = 1000
_ASKED = 100


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--lines", type=int, default=100_000)
    given = parser.parse_args()
    lines = made(given.data.resolve(), given.lines)
    given.folder.mkdir(parents=True, exist_ok=True)
    os.chdir(given.folder)
    os.environ |= {"TESSERA_KNOWLEDGE__ENABLED": "1", "TESSERA_SEARCH__RERANKER": "none"}
    if not _TEXTS.exists():
        _TEXTS.mkdir(parents=True)
        for at in range(0, len(lines), _PER_FILE):
            write(at // _PER_FILE, lines[at : at + _PER_FILE])
    with Workspace() as workspace:
        told("all", lambda: scan(workspace))
        told("nothing changed", lambda: scan(workspace))
        first = lines[:_PER_FILE]
        write(0, [*first[:500], f"A line that nobody wrote before, at {time.time()}.", *first[501:]])
        told("one line changed", lambda: scan(workspace))
        questions = Random(2).sample(lines, _ASKED)
        workspace.search(lines[0], bases=[_BASE])
        for what, search in {
            "search": lambda text: workspace.search(text, bases=[_BASE]).hits,
            "lines that hold a text": lambda text: workspace.notes.lines(_BASE, text[:8]),
        }.items():
            print(f"{what}: p50 {1000 * statistics.median(timed(search, text) for text in questions):.0f} ms")
        status = workspace.bases.status(workspace.bases.get(_BASE))
        print(f"{status.chunks:,} lines, {status.windows:,} windows, {status.pending} pending")
        print(f"memory of the process: {held_by(os.getpid()).memory:.0f} MB")


def made(data: Path, wanted: int) -> list[str]:
    """Return lines of the vaults and, where these are too few, the same with numbers; a fifth of all comes twice."""
    files = sorted(data.glob("vaults/*/**/*.md"))
    texts = (line.strip()[:200] for file in files for line in file.read_text("utf-8", "replace").splitlines())
    real = [*dict.fromkeys(text for text in texts if len(text) > 15)]
    numbered = (f"{real[number % len(real)]} {number}" for number in count())
    different = [*real, *islice(numbered, max(0, wanted))][: wanted * 4 // 5]
    random = Random(3)
    lines = [*different, *random.choices(different, k=wanted - len(different))]
    random.shuffle(lines)
    return lines


def write(number: int, lines: list[str]) -> None:
    (_TEXTS / f"{number:03}.txt").write_text("".join(f"{line}\n" for line in lines))


def scan(workspace: Workspace) -> SyncReport:
    (scanned,) = workspace.text_folders.scan()
    assert scanned.report is not None, scanned.problem
    return scanned.report


def told(what: str, act: Callable[[], SyncReport]) -> None:
    started, used = time.perf_counter(), time.process_time()
    report = act()
    seconds, processor = time.perf_counter() - started, time.process_time() - used
    print(
        f"{what}: {seconds:.1f} s, {processor:.1f} s of the processor; {report.embedded_windows:,} texts read",
        flush=True,
    )


def timed(act: Callable[[str], object], text: str) -> float:
    started = time.perf_counter()
    act(text)
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
