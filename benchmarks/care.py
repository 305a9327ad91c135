"""What the care of a large workspace takes: backups, the doctor, space and compact, each as a command.

python -m benchmarks.care DATA FOLDER [--notes 5000] : DATA holds vaults/NAME. FOLDER keeps the vault of so many notes,
made of paragraphs of those vaults with a fifth of their words swapped, and its workspace, imported with the bundled
model and its token data; both are made when they are missing. The memory is that of the largest process of a command.
"""

import argparse
import os
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.quality import vaults
from benchmarks.scale import _WORDS, swapped

_PARAGRAPHS = (3, 8)
"""Paragraphs of a note, at least and at most."""
_SHORTEST = 120
"""Characters of a paragraph."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--notes", type=int, default=5_000)
    given = parser.parse_args()
    vault, workspace = given.folder / "vault", given.folder / "workspace"
    if not vault.exists():
        make(given.data, vault, given.notes)
    if not workspace.exists():
        command(workspace, "import", str(vault))
    print(f"workspace: {_size(workspace):,.0f} MB")
    command(workspace, "backup", "make")
    print(f"backup: {_size(workspace / 'backups'):,.0f} MB")
    command(workspace, "backup", "verify", "latest")
    restored = given.folder / "restored"
    shutil.rmtree(restored, ignore_errors=True)
    command(workspace, "backup", "restore", "latest", "--to", str(restored))
    command(workspace, "doctor")
    command(restored, "doctor")
    command(workspace, "space")
    command(workspace, "compact")


def make(data: Path, folder: Path, notes: int) -> None:
    """Write a vault of so many notes."""
    chance = random.Random(3)
    texts = [
        path.read_text("utf-8") for name in vaults(data) for path in sorted((data / "vaults" / name).rglob("*.md"))
    ]
    every = [part.strip() for text in texts for part in text.split("\n\n") if len(part) >= _SHORTEST]
    words = [word for text in every for word in _WORDS.findall(text)]
    vocabulary = {cjk: [word for word in words if word.isascii() != cjk] for cjk in (False, True)}
    for number in range(notes):
        parts = [swapped(part, chance, vocabulary) for part in chance.sample(every, chance.randint(*_PARAGRAPHS))]
        path = folder / f"{number // 100}" / f"{number}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# Note {number}\n\n" + "\n\n".join(parts) + "\n", "utf-8")


def command(workspace: Path, *arguments: str) -> None:
    """Run a command, and print its last line, the seconds and the memory it took, and its exit status."""
    line = [sys.executable, "-m", "core.doors.cli", *arguments, "--workspace", str(workspace)]
    began = time.perf_counter()
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        assert process.stdout is not None
        last = [line for line in process.stdout if line.strip()][-1:]
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.perf_counter() - began
    print(f"{' '.join(arguments[:2]):20} {seconds:8.1f} s {usage.ru_maxrss / 1024:8,.0f} MB", end="  ")
    print(f"status {process.returncode}: {' '.join(last).strip()[:90]}", flush=True)


def _size(folder: Path) -> float:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 1e6


if __name__ == "__main__":
    main()
