"""Time until the notes of a large import can be found.

python -m benchmarks.arrival [VAULT] [--notes 3000] [--words 1000]

Notes of two pages, made from the paragraphs of a vault, each with a unique word, are imported in a thread, as in the
app. The results are the seconds from the start until a note is found by its word, until the hundred latest notes are
indexed for semantic search, and until all are. `--used` asks a question every second meanwhile, and prints the median
response time.
"""

import argparse
import os
import statistics
import tempfile
import time
from pathlib import Path
from random import Random
from threading import Thread

NEWEST = 100
LOOK = 0.1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vault", type=Path, nargs="?", default=Path("../shared/data/vaults/rust-book"))
    parser.add_argument("--notes", type=int, default=3000)
    parser.add_argument("--words", type=int, default=1000, help="words of each note")
    parser.add_argument("--used", action="store_true", help="search meanwhile")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TESSERA_WORKSPACE"] = str(Path(folder, "workspace"))
        write(given.vault, Path(folder, "notes"), given.notes, given.words)
        measure(Path(folder, "notes"), given.notes, used=given.used)


def write(vault: Path, folder: Path, count: int, words: int) -> None:
    """Write the notes; notes with higher numbers were changed later."""
    random = Random(1)
    folder.mkdir()
    texts = [file.read_text("utf-8") for file in sorted(vault.rglob("*.md"))]
    paragraphs = [part for text in texts for part in text.split("\n\n") if len(part.split()) > 20]
    now = time.time()
    for number in range(count):
        body: list[str] = []
        while sum(len(part.split()) for part in body) < words:
            body.append(random.choice(paragraphs))
        file = folder / f"{random.randrange(10**9)}-{number}.md"
        file.write_text(f"# Note {number}\n\nIts word is zq{number}x.\n\n" + "\n\n".join(body), encoding="utf-8")
        os.utime(file, (now - 60 * (count - number),) * 2)


def measure(folder: Path, count: int, *, used: bool) -> None:
    """Import the notes and print when they can be found."""
    from core.workspace import Workspace

    with Workspace() as workspace:
        started = time.perf_counter()

        def seconds() -> str:
            return f"{time.perf_counter() - started:.1f} s"

        thread = Thread(target=lambda: workspace.imports.apply(workspace.imports.plan_folder(folder, "notes")))
        thread.start()
        asked: list[float] = []
        by_words = by_meaning = False
        while thread.is_alive():
            time.sleep(LOOK)
            if not workspace.bases.all():
                continue
            if not by_words and any(
                f"zq{number}x" in hit.chunk.text
                for number in (count - 1, 0)
                for hit in workspace.search(f"zq{number}x", mode="keyword").hits[:1]
            ):
                by_words = True
                print("found by words", seconds(), flush=True)
            if not by_meaning:
                newest = [card for card in workspace.notes.all() if int(card.title.split()[-1]) >= count - NEWEST]
                if len(newest) == NEWEST and not any(card.pending for card in newest):
                    by_meaning = True
                    print(f"the newest {NEWEST} by meaning", seconds(), flush=True)
            if used and (not asked or time.perf_counter() - started > len(asked)):
                begun = time.perf_counter()
                workspace.search(f"how is memory freed in note {len(asked)}")
                asked.append(time.perf_counter() - begun)
        thread.join()
        print("all by meaning", seconds(), f"({sum(base.pending for base in workspace.status().bases)} left)")
        if asked:
            print(f"{len(asked)} searches meanwhile, median {1000 * statistics.median(asked):.0f} ms")


if __name__ == "__main__":
    main()
