"""Load on a laptop: processor seconds and peak memory of each action, each in a new process.

Next to the seconds is their ratio to an empty loop, run before each action on the same machine. Child processes count.
`peak MB` is the total of all processes, sampled twice a second, and `largest` the largest single process.
`benchmarks.hour` prints the memory of the app step by step.

    python -m benchmarks.laptop ../shared/data/vaults/rust-book --notes 30
"""

import argparse
import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread

from benchmarks.baseline import drawn
from benchmarks.documents import book, word_document, words
from benchmarks.hour import resident

PAGES, LETTERS = 500, 130
_SET_CHILD_SUBREAPER = 36
LOOK = 0.5

SAMPLE = """
from core.workspace import Workspace
with Workspace() as workspace:
    workspace.packs.install("sample")
"""
IMPORT = """
import sys
from pathlib import Path
from core.workspace import Workspace
with Workspace() as workspace:
    workspace.imports.apply(workspace.imports.plan_folder(Path(sys.argv[1]), "notes"))
"""
READ = """
import sys
from pathlib import Path
from core.workspace import Workspace
with Workspace() as workspace:
    report = workspace.imports.apply(workspace.imports.plan_folder(Path(sys.argv[1]), "documents"), embed=False)
    assert report.added and not report.failed, report.failed
"""
HOUR = "from benchmarks.hour import main; main()"
COMMAND = "from core.doors.cli import main; main()"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", default=Path("../shared/data/vaults/rust-book"))
    parser.add_argument("--notes", type=int, help="how many are imported (default all)")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        vault = Path(folder, "vault")
        vault.mkdir()
        files = drawn(given.folder, given.notes)
        for number, file in enumerate(files):
            shutil.copy(file, vault / f"{number}-{file.name}")
        text = words(given.folder)
        book_folder, letters = Path(folder, "book"), Path(folder, "letters")
        book_folder.mkdir()
        letters.mkdir()
        Path(book_folder, "book.pdf").write_bytes(book(text, PAGES))
        for number in range(LETTERS):
            Path(letters, f"{number}.docx").write_bytes(word_document(text, number))
        acts = {
            "tessera --help": ("notes", COMMAND, "--help"),
            "the sample, ready by meaning": ("sample", SAMPLE),
            f"import of {len(files)} notes": ("notes", IMPORT, str(vault)),
            "tessera search, from cold": ("notes", COMMAND, "search", "how do I begin"),
            f"a PDF of {PAGES} pages, read": ("documents", READ, str(book_folder)),
            f"{LETTERS} DOCX, read": ("documents", READ, str(letters)),
            "an hour of the app": ("hour", HOUR, str(given.folder), "--notes", str(len(files))),
        }
        print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
        print(f"{'':<32}{'seconds':>10}{'loops':>10}{'clock':>10}{'peak MB':>10}{'largest':>10}")
        for name, (workspace, *act) in acts.items():
            loop = bare_loop()
            seconds, clock, *peaks = run(Path(folder, workspace), act)
            figures = f"{seconds:>10.2f}{seconds / loop:>10.1f}{clock:>10.1f}{peaks[0]:>10}{peaks[1]:>10}"
            print(f"{name:<32}{figures}", flush=True)


def bare_loop() -> float:
    """Return the processor seconds for five million additions."""
    started, total = time.process_time(), 0
    for number in range(5_000_000):
        total += number
    return time.process_time() - started


def run(workspace: Path, act: list[str]) -> tuple[float, float, int, int]:
    """Run a program in a new process; return its processor and wall-clock seconds, and both peaks in MB."""
    if sys.platform == "linux":  # orphaned child processes become children of this one
        ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1)
    started = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-c", *act],
        env=os.environ | {"TESSERA_WORKSPACE": str(workspace), "TESSERA_EMBEDDER": "bundled"},
        stdout=subprocess.DEVNULL,
    )
    ended, peak = Event(), 0

    def look() -> None:
        nonlocal peak
        while not ended.wait(LOOK):
            peak = max(peak, sum(resident(process.pid)))

    looking = Thread(target=look)
    looking.start()
    _, status, used = os.wait4(process.pid, 0)
    clock = time.perf_counter() - started
    ended.set()
    looking.join()
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, act)
    all_used = [used]
    with suppress(ChildProcessError):
        while True:
            all_used.append(os.wait4(-1, 0)[2])
    largest = max(one.ru_maxrss for one in all_used) // 1024
    return sum(one.ru_utime + one.ru_stime for one in all_used), clock, max(peak, largest), largest


if __name__ == "__main__":
    main()
