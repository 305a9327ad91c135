"""Kill an import ten times at random moments: does the workspace open, whole, each time? One that ended starts anew.

python -m benchmarks.kills VAULT [--kills 10]
"""

import argparse
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from core.model import Filters
from core.workspace import Workspace

EARLIEST, LATEST = 8.0, 60.0
"""Seconds after the start: before the model is loaded nothing is written."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("vault", type=Path, nargs="?", default=Path("../shared/data/vaults/rust-book"))
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    moments = random.Random(given.seed)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "workspace"
        command = [sys.executable, "-m", "core.cli", "import", str(given.vault), "--workspace", str(folder)]
        kill = 0
        while kill < given.kills:
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            moment = moments.uniform(EARLIEST, LATEST)
            time.sleep(moment)
            if process.poll() is not None:
                shutil.rmtree(folder)
                continue
            process.send_signal(signal.SIGKILL)
            process.wait()
            kill += 1
            print(f"kill {kill:2} after {moment:4.1f} s: {checked(folder)}")
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        print(f"completed: {checked(folder)}")


def checked(folder: Path) -> str:
    """Open the workspace as the app would, and count what is there; raises where a note isn't whole."""
    with Workspace(folder) as workspace:
        workspace.store.open_index()
        assert not workspace.store.index_problem, workspace.store.index_problem
        cards = workspace.notes.cards()
        for card in cards:
            note, chunks = workspace.notes.get(card.id), workspace.chunks.of_note(card.id)
            assert all(note.body[chunk.start : chunk.end] == chunk.text for chunk in chunks), card.path
        for base in workspace.bases.all():
            pending = workspace.chunks.pending(base.name)
            expected = {key for ids, _ in workspace.store.chunks.windows(base) for key in ids}
            assert workspace.store.index.ids(base) == expected
            hits = workspace.search("ownership", filters=Filters(bases=(base.name,)), mode="keyword").hits
            return f"{len(cards)} whole notes, {len(expected)} windows, {pending} chunks pending, {len(hits)} hits"
        return "nothing stored yet"


if __name__ == "__main__":
    main()
