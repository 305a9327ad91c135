"""Memory of the app after an hour of use: resident megabytes of its process and its child processes, step by step.

    python -m benchmarks.hour [VAULT …] [--notes 60] [--searches 100] [--embedder bundled]

The app runs in its own process, and its pages are drawn without a browser: the vaults are imported into three bases;
Word documents, a PDF and a scan are read, and the pictures of a note with the extra `ocr`; then searches, answers,
related notes, opened notes, the map, every page. `torch` tells whether the app's own process has loaded it.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.baseline import drawn
from benchmarks.documents import book, scan, word_document, words

if TYPE_CHECKING:
    from core.workspace import Workspace

PROGRAM = Path(__file__).parents[1]
VAULTS = [Path("../shared/data/vaults", name) for name in ("rust-book", "d2l-zh", "til")]
BASES, PICTURES = 3, 3
WAIT = 65
"""Seconds after which idle processes have ended."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vaults", type=Path, nargs="*", default=VAULTS)
    parser.add_argument("--notes", type=int, default=60, help="how many of each vault are imported")
    parser.add_argument("--searches", type=int, default=100)
    parser.add_argument("--embedder", default="bundled")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        os.environ["TESSERA_WORKSPACE"] = str(Path(scratch, "workspace"))
        os.environ["TESSERA_EMBEDDER"] = given.embedder
        notes = [file for vault in given.vaults for file in drawn(vault, given.notes)]
        work(Path(scratch), notes, words(given.vaults[0]), given.searches)


def work(scratch: Path, notes: Sequence[Path], text: Sequence[str], searches: int) -> None:
    """Use the app for an hour's work, and print its memory after each step."""
    from streamlit.testing.v1 import AppTest

    from pages.ui.shared import shell

    print(f"{'':<34}{'app':>8}{'others':>8}{'all':>8}  torch", flush=True)
    app = AppTest.from_file(str(PROGRAM / "pages" / "main.py"), default_timeout=300)
    app.run()
    workspace = shell._opened()[0]
    workspace.jobs.wait("warm", 300)
    step("shown, the model warm")
    for number in range(BASES):
        files = {f"{at}-{file.name}": file.read_bytes() for at, file in enumerate(notes[number::BASES])}
        take(workspace, scratch, f"base {number}", files)
        step(f"{len(files)} notes imported")
    documents = {f"{number}.docx": word_document(text, number) for number in range(30)}
    take(workspace, scratch, "documents", documents | {"book.pdf": book(text, 100)})
    step("30 DOCX and a PDF of 100 pages")
    if workspace.pictures.can_read:
        take(workspace, scratch, "scans", {"scan.pdf": scan(text, 2)})
        step("a scan of 2 pages")
        pictures = {f"{number}.png": scan(text[100 * number :], 1, "PNG") for number in range(PICTURES)}
        note = "\n\n".join(f"![]({name})" for name in pictures)
        take(workspace, scratch, "pictures", {**pictures, "shown.md": note.encode()})
        workspace.bases.update("pictures", read_pictures=True)
        workspace.pictures.read()
        step(f"{PICTURES} pictures of a note")
    questions = [" ".join(text[37 * number :][:5]) for number in range(searches)]
    for question in questions:
        workspace.search(question)
    step(f"{searches} searches")
    for question in questions[: searches // 5]:
        workspace.answers.ask(f"What is {question}?")
    step(f"{searches // 5} questions answered")
    note_ids = sorted(workspace.store.notes.ids())[:searches]
    for note_id in note_ids:
        workspace.related.of(note_id)
    step(f"related notes of {len(note_ids)}")
    for note_id in note_ids[: searches // 4]:
        app.switch_page(shell.PAGES["notes"][0])
        app.query_params["note"] = note_id
        app.run()
    step(f"{searches // 4} notes opened")
    workspace.maps.build_map()
    for path, _, _ in [*shell.PAGES.values()] * 3:
        app.switch_page(path)
        app.run()
    step("the map, each page three times")
    time.sleep(WAIT)
    step("a minute later")
    workspace.close()


def take(workspace: "Workspace", scratch: Path, base: str, files: Mapping[str, bytes]) -> None:
    """Import files into a base, by file name."""
    folder = scratch / base
    folder.mkdir()
    for name, data in files.items():
        (folder / name).write_bytes(data)
    report = workspace.imports.apply(workspace.imports.plan_folder(folder, base), watch=False)
    assert not report.failed, report.failed


def step(name: str) -> None:
    """Print the memory of the app's process and its descendants."""
    own, others = resident(os.getpid())
    print(f"{name:<34}{own:>8}{others:>8}{own + others:>8}  {'torch' in sys.modules}", flush=True)


def resident(pid: int) -> tuple[int, int]:
    """Return the megabytes of a process, and those of all its descendants."""
    listing = subprocess.run(["ps", "-eo", "pid=,ppid=,rss=,comm="], capture_output=True, text=True, check=True).stdout
    children, kilobytes = defaultdict[int, list[int]](list), dict[int, int]()
    for row in listing.splitlines():
        number, parent, size, name = row.split(None, 3)
        if name != "ps":
            children[int(parent)].append(int(number))
            kilobytes[int(number)] = int(size)
    below = list(children[pid])
    for child in below:
        below += children[child]
    return kilobytes.get(pid, 0) >> 10, sum(kilobytes[child] for child in below) >> 10


if __name__ == "__main__":
    main()
