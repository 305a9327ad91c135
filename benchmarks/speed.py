"""`make bench`: times of importing, importing again, searching and rebuilding.

python -m benchmarks.speed VAULTS : every folder in VAULTS is imported as a base.
"""

import argparse
import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path
from typing import Any

from benchmarks.baseline import Plain
from core import embedding
from core.embedding.loading import choose_device
from core.embedding.windows import windows_of
from core.model import Filters, Mode
from core.workspace import Workspace

QUESTIONS = (
    "what stops the memory behind a string being released two times",
    "RefCell",
    "difference between a process and a thread",
    "怎样防止过拟合",
    "批量归一化",
    "how do I return an error from main",
    "为什么需要注意力机制",
    "lifetime elision rules",
)
MODES: tuple[Mode, ...] = ("hybrid", "semantic", "keyword")
ROUNDS = 12
WORDS_SECONDS = 15.0
RAW_SHARE = 0.9
IMPORT_FACTOR = 1.2
UNCHANGED_SECONDS = 1.0
EDIT_WINDOWS = 3
SEARCH_MS = 40.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("vaults", type=Path, nargs="?", default=Path("../shared/data/vaults"))
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        vaults = Path(scratch) / "vaults"
        shutil.copytree(given.vaults, vaults)
        folders = sorted(folder for folder in vaults.iterdir() if folder.is_dir())
        with Workspace(Path(scratch) / "workspace") as workspace:
            measure(workspace, folders)


def measure(workspace: Workspace, folders: Sequence[Path]) -> None:
    embedder = embedding.build(embedding.resolve(workspace.settings.embedder))
    embedder.embed(["warm"] * 8, role="note")  # enough texts for torch to be loaded
    written, _ = timed(lambda: [synced(workspace, folder, embed=False) for folder in folders])
    say("all notes found by word", written, "s", WORDS_SECONDS)
    embedded, reports = timed(lambda: [synced(workspace, folder) for folder in folders])
    imported = written + embedded
    windows = sum(report.embedded_windows for report in reports)
    print(f"import                    {imported:8.1f} s   {windows} windows, {windows / imported:.1f} a second")
    texts = texts_of(workspace, embedder)
    raw = timed(lambda: embedder.embed(texts, role="note"))[0]
    say("embedding / model alone", embedded / raw, "", 1 / RAW_SHARE)
    plain = Plain(choose_device().dtype)
    encoded = timed(lambda: plain.embed(texts, "passage: "))[0]
    say("import / plain encode", imported / encoded, "", IMPORT_FACTOR)
    again, reports = timed(lambda: [synced(workspace, folder) for folder in folders])
    say("import again, unchanged", again, "s", UNCHANGED_SECONDS)
    say("  windows embedded", sum(report.embedded_windows for report in reports), "", 0)
    longest = max(folders[0].rglob("*.md"), key=lambda file: file.stat().st_size)
    text = longest.read_text()
    paragraphs = text.split("\n\n")
    paragraphs[len(paragraphs) // 2] += " This sentence was added a moment ago."
    longest.write_text("\n\n".join(paragraphs))
    say("edit a paragraph, windows", synced(workspace, folders[0]).embedded_windows, "", EDIT_WINDOWS)
    longest.rename(longest.with_stem("renamed"))
    report = synced(workspace, folders[0])
    assert report.renamed == 1
    say("rename a file, windows", report.embedded_windows, "", 0)
    numbers = count()
    for mode in MODES:
        for scope in (None, *(Filters(bases=(folder.name,)) for folder in folders)):
            times = sorted(
                # With a unique number, because results and the vectors of questions are cached.
                workspace.search(f"{question} {next(numbers)}", mode=mode, filters=scope).took_ms
                for _ in range(ROUNDS)
                for question in QUESTIONS
            )
            where = scope.bases[0] if scope else "all bases"
            p50, p95 = times[len(times) // 2], times[int(len(times) * 0.95)]
            print(f"{f'search {where}, {mode}':<34}{p50:6.1f} ms p50, {p95:.1f} ms p95")
            if mode == "hybrid":
                say("  p50", p50, "ms", SEARCH_MS)
    before = answers(workspace, folders)
    rebuilt = timed(workspace.rebuild)[0]
    print(f"rebuild                   {rebuilt:8.1f} s   same hits: {answers(workspace, folders) == before}")


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    started = time.perf_counter()
    result = work()
    return time.perf_counter() - started, result


def synced(workspace: Workspace, folder: Path, **more: bool) -> Any:
    return workspace.imports.apply(workspace.imports.plan_folder(folder), **more)


def texts_of(workspace: Workspace, embedder: Any) -> list[str]:
    """Return the texts that are embedded for all notes."""
    return [
        window.text
        for note in workspace.notes.all()
        for window in windows_of(workspace.chunks.all(note.id), note.title, embedder)
    ]


def answers(workspace: Workspace, folders: Sequence[Path]) -> list[list[str]]:
    return [
        [hit.chunk.id for hit in workspace.search(question, filters=Filters(bases=(folder.name,))).hits]
        for folder in folders
        for question in QUESTIONS
    ]


def say(what: str, value: float, unit: str, target: float) -> None:
    verdict = "ok" if value <= target else "MISSED"
    print(f"{what:<26}{value:8.2f} {unit:<3} target <= {target:g}: {verdict}")


if __name__ == "__main__":
    main()
