"""How long `tessera search` takes in a cold process, after the interpreter has started and the modules are imported.

python -m benchmarks.cold_search [--notes 1000] [--embedder tfidf] [--runs 5]

A first process lists the modules that a search loads. Each measured one imports these, looks at its clocks and runs the
command: it opens the workspace, searches, prints and closes. What the search imports beyond the list is measured too.
"""

import argparse
import os
import random
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

QUESTION = "how do I restore the backup of the cluster"
TARGET_MS = 500.0
_WORDS = "backup restore cluster garden tomato bread thread lock index vector search budget invoice travel meeting rule"
_SEARCH = """
from core.doors.cli import main
with suppress(SystemExit):
    main(["search", *sys.argv[2:]])
"""
_LIST = f"""
import sys
from contextlib import suppress
{_SEARCH}
print(*sys.modules, file=sys.stderr)
"""
_TIMED = f"""
import sys, time
from contextlib import suppress
from importlib import import_module
for name in sys.argv[1].split(","):
    with suppress(ImportError):
        import_module(name)
clocks = time.perf_counter(), time.process_time()
{_SEARCH}
print(time.perf_counter() - clocks[0], time.process_time() - clocks[1], "torch" in sys.modules, file=sys.stderr)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notes", type=int, default=1000)
    parser.add_argument("--embedder", default="tfidf")
    parser.add_argument("--runs", type=int, default=5)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        notes = Path(scratch) / "notes"
        write(notes, given.notes)
        environment = os.environ | {"TESSERA_EMBEDDER": given.embedder, "TESSERA_WORKSPACE": f"{scratch}/workspace"}
        subprocess.run([sys.executable, "-m", "core.doors.cli", "import", str(notes)], env=environment, check=True)
        modules = stderr(environment, _LIST, "").split()
        rows = [stderr(environment, _TIMED, ",".join(modules)).split() for _ in range(given.runs)]
    walls = [float(row[0]) * 1000 for row in rows]
    processor = [float(row[1]) * 1000 for row in rows]
    best = min(walls)
    verdict = "ok" if best < TARGET_MS else "MISSED"
    print(
        f"a clock's     best {best:6.0f} ms, median {statistics.median(walls):6.0f}, target < {TARGET_MS:g}: {verdict}"
    )
    print(f"a processor's best {min(processor):6.0f} ms, median {statistics.median(processor):6.0f}")
    print(f"torch loaded: {any(row[2] == 'True' for row in rows)}")


def write(folder: Path, count: int) -> None:
    """Write notes of two chapters with random words."""
    folder.mkdir()
    draw = random.Random(1)
    for number in range(count):
        chapters = (f"## Chapter {part}\n\n{' '.join(draws(draw, 150))}\n" for part in (1, 2))
        (folder / f"{number}.md").write_text("\n".join([f"# Note {number} {draws(draw, 1)[0]}\n", *chapters]))


def draws(draw: random.Random, count: int) -> Sequence[str]:
    return draw.choices(_WORDS.split(), k=count)


def stderr(environment: dict[str, str], code: str, modules: str) -> str:
    """Run code in a new process, with these modules and the question as its arguments."""
    arguments = [sys.executable, "-c", code, modules, QUESTION]
    return subprocess.run(arguments, env=environment, check=True, capture_output=True, text=True).stderr


if __name__ == "__main__":
    main()
