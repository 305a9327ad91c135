"""Processor time of commands without warm caches: python -m benchmarks.cold_search

Each run is a new process on a workspace of two notes, which is created first; the lowest of `--runs` counts.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
COMMANDS = {
    "--help": 0.3,
    "--version": 0.3,
    "search --help": 0.6,
    "status": 1.2,
    "search how are backups encrypted": 1.8,
}
"""Maximum number of seconds for each."""


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--runs", type=int, default=3)
    runs = options.parse_args().runs
    with tempfile.TemporaryDirectory(prefix="tessera-") as folder:
        vault = Path(folder, "vault")
        vault.mkdir()
        for name in ("architecture.md", "benchmarks.md"):
            (vault / name).write_text((ROOT / "docs" / name).read_text(encoding="utf-8"), encoding="utf-8")
        measure(["import", str(vault)], Path(folder, "workspace"))
        for command, most in COMMANDS.items():
            verb, _, rest = command.partition(" ")
            arguments = [verb, *([rest] if rest else [])]
            seconds = min(measure(arguments, Path(folder, "workspace")) for _ in range(runs))
            print(f"{command:34} {seconds:5.2f} s of {most:.1f}", flush=True)


def measure(arguments: list[str], workspace: Path) -> float:
    """Return the processor seconds of a command, including its child processes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = os.environ | {"TESSERA_WORKSPACE": str(workspace), "TESSERA_EMBEDDER": "bundled"}
    command = [sys.executable, "-m", "core.doors.cli", *arguments]
    subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()
