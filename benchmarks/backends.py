"""What each backend of the search index costs as a base grows: memory, disk, times to build, open and ask it; recall.

python -m benchmarks.backends FOLDER [--windows 100000,1000000] [--backends none,folder,server] [--minutes 40]
[--questions 200] : FOLDER keeps a made workspace for each size (`benchmarks.clusters`: synthetic vectors, no model),
and is the disk that is measured. Each backend is measured in a process of its own, on the same `notes.db`. `server` is
`chroma run` on this machine. A build that takes longer than `--minutes` is given up, and said so. Milliseconds depend
on what else the machine does: the load is printed, and the product of a question with 100,000 vectors in the same
process.
"""

import argparse
import multiprocessing
import os
import shutil
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks import clusters
from core.base import files
from core.model import KnowledgeBase, Matrix
from core.store import Store
from core.store.index import chroma_process
from core.workspace import Workspace
from tests.chroma_server import ChromaServerProcess

BACKENDS = ("none", "folder", "server")
POOL = 50
"""Chunks that a search by meaning takes from a base."""
_SAID = 50_000
"""Windows after which a build says how far it is."""
_LONGEST = 60
"""Seconds for the questions of one kind."""


Spent = Callable[[], float]
"""Returns the seconds of the processor until now."""


class GivenUp(Exception):
    """A build took too long."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--windows", default="100000,1000000", help="sizes, with commas between")
    parser.add_argument("--backends", default=",".join(BACKENDS), help="names, with commas between")
    parser.add_argument("--minutes", type=float, default=40)
    parser.add_argument("--questions", type=int, default=200)
    given = parser.parse_args()
    spawned = multiprocessing.get_context("spawn")
    for windows in map(int, given.windows.split(",")):
        folder = given.folder / str(windows)
        if not folder.exists():
            clusters.fill(folder, windows)
        for name in given.backends.split(","):
            child = spawned.Process(target=measure, args=(folder, name, windows, given.minutes, given.questions))
            child.start()
            child.join()


def measure(folder: Path, name: str, windows: int, minutes: float, count: int) -> None:
    """Print what a backend costs in a workspace of so many windows; this process has measured nothing before."""
    clusters.offer_model()
    os.environ["TESSERA_SEARCH__RERANKER"] = "none"
    os.environ["TESSERA_INDEX__KIND"] = "none" if name == "none" else "chroma"
    print(f"\n{name}, {windows:,} windows; load {_load()}", flush=True)
    with serving(folder.with_name(f"{folder.name}-server"), name) as server:
        os.environ["TESSERA_INDEX__URL"] = server.url if server else ""
        with Workspace(folder) as workspace:
            spent = partial(processor, server)
            if not built(workspace, minutes * 60, windows, spent):
                return
            ask(workspace, clusters.questions(windows, count), spent)
            held(workspace, server)
            say("a product with 100,000 vectors, ms", 1000 * statistics.median(_yardstick()))
            if name != "none":
                agreement(workspace, clusters.questions(windows, min(count, 100)))
            started = time.perf_counter()
        say("closing, s", time.perf_counter() - started)
        for what in ("opening after it was written, s", "opening, s") if name != "none" else ():
            with Workspace(folder) as workspace:
                started, before = time.perf_counter(), spent()
                workspace.store.open_index()
                say(what, time.perf_counter() - started)
                say("of the processor, s", spent() - before)
                if problem := workspace.store.index.problem:
                    print(f"  {problem}", flush=True)
    print(f"load {_load()}", flush=True)


@contextmanager
def serving(folder: Path, name: str) -> Iterator[ChromaServerProcess | None]:
    """Run an empty server for the backend that needs one."""
    if name != "server":
        yield None
        return
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    server = ChromaServerProcess(folder / "data")
    server.start()
    try:
        yield server
    finally:
        server.kill()
        shutil.rmtree(folder)


def built(workspace: Workspace, seconds: float, windows: int, spent: Spent) -> bool:
    """Build the index from the database as `tessera rebuild` does; return whether there was time for it."""
    started, before, said = time.perf_counter(), spent(), 0

    def progress(done: float, total: float, what: object) -> None:
        nonlocal said
        took = time.perf_counter() - started
        if done >= said + _SAID:
            said = int(done)
            used = spent() - before
            print(f"  {said:,} after {took:.0f} s, {used:.0f} s of the processor, load {_load()}", flush=True)
        if took > seconds:
            raise GivenUp

    try:
        workspace.rebuild(progress)
    except GivenUp:
        print(f"  given up after {seconds:.0f} s, of {windows:,} windows {said:,} are in the index", flush=True)
        return False
    say("building, s", time.perf_counter() - started)
    say("building, s of the processor", spent() - before)
    return True


def ask(workspace: Workspace, questions: Sequence[str], spent: Spent) -> None:
    """Print what searches take, each part in turn, and the first one after a change."""
    store, base = workspace.store, workspace.bases.get(clusters.BASE)
    vectors = dict(zip(questions, clusters.Clusters().embed(questions, role="query"), strict=True))

    def search(mode: str) -> Callable[[str], object]:
        return lambda text: workspace.search(text, mode=mode, level="simple")  # type: ignore[arg-type]

    timed("nearest vectors", lambda text: store.nearest(base, vectors[text], POOL), questions, spent)
    timed("semantic search", search("semantic"), questions, spent)
    timed("hybrid search", search("hybrid"), questions, spent)
    firsts = []
    for text in questions[:5]:
        with store.database.write():  # what searches keep is read again
            pass
        started = time.perf_counter()
        store.nearest(base, vectors[text], POOL)
        firsts.append(1000 * (time.perf_counter() - started))
    say("nearest vectors after a change, ms", statistics.median(firsts))
    if store.index.ready:
        timed("nearest vectors by the graph", lambda text: graph(store, base, vectors[text]), questions, spent)


def graph(store: Store, base: KnowledgeBase, vector: Matrix) -> dict[str, float]:
    """Return the entries that the graph finds where a search asks it."""
    return store.index.nearest(base, store.vectors.centring(base).questions(vector), 3 * POOL + 1) or {}


def timed(what: str, work: Callable[[str], object], texts: Sequence[str], spent: Spent) -> None:
    """Print the median and the 95th percentile of the milliseconds of each text after the first five.

    And the mean milliseconds of the processor in all processes, which don't grow with the load.
    """
    times: list[float] = []
    before = 0.0
    deadline = time.perf_counter() + _LONGEST
    for number, text in enumerate(texts):
        before = spent() if number == 5 else before
        started = time.perf_counter()
        work(text)
        times.append(1000 * (time.perf_counter() - started))
        if time.perf_counter() > deadline and len(times) > 8:
            break
    used, rest = 1000 * (spent() - before), sorted(times[5:])
    middle, late = statistics.median(rest), rest[int(0.95 * len(rest))]
    mean = used / len(rest)
    print(f"  {what}: p50 {middle:.1f} ms, p95 {late:.1f} ms, processor {mean:.1f} ms, of {len(rest)}", flush=True)


def agreement(workspace: Workspace, questions: Sequence[str]) -> None:
    """Print which share of the nearest windows the graph finds, against the product with all vectors."""
    store, base = workspace.store, workspace.bases.get(clusters.BASE)
    asked = clusters.Clusters().embed(questions, role="query")
    best: list[list[tuple[float, str]]] = [[] for _ in questions]
    for ids, vectors in store.chunks.windows(base):
        for number, scores in enumerate(asked @ vectors.T):
            top = np.argpartition(scores, -min(POOL, len(ids)))[-POOL:]
            best[number] = sorted(best[number] + [(scores[at], ids[at]) for at in top], reverse=True)[:POOL]
    hits = [list(graph(store, base, vector)) for vector in asked]
    for count in (10, POOL):
        shares = [
            len({key for _, key in right[:count]} & set(keys[:count])) / count
            for right, keys in zip(best, hits, strict=True)
        ]
        say(f"recall@{count} of the graph", statistics.mean(shares), places=4)


def held(workspace: Workspace, server: ChromaServerProcess | None) -> None:
    """Print the memory of the processes and the space on disk."""
    for what, pid in processes(server).items():
        now, most = memory(pid)
        print(f"  memory of {what}: {now:,} MB, at most {most:,} MB", flush=True)
    folder = workspace.store.folder
    say("notes.db, MB", (folder / "notes.db").stat().st_size >> 20)
    place = server.folder if server else folder / "chroma"
    say("the index on disk, MB", (files.size(place) if place.exists() else 0) >> 20)


def processes(server: ChromaServerProcess | None) -> dict[str, int]:
    """Return the processes that work for a search, by name."""
    chroma = chroma_process._PROCESS._running
    ids = {
        "the app": os.getpid(),
        "the process of Chroma": chroma and chroma.pid,
        "the server": server and server.pid,
    }
    return {what: pid for what, pid in ids.items() if pid}


def processor(server: ChromaServerProcess | None) -> float:
    """Return the seconds of the processor that these processes have had."""
    times = (Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split() for pid in processes(server).values())
    return sum(int(fields[11]) + int(fields[12]) for fields in times) / os.sysconf("SC_CLK_TCK")


def memory(pid: int) -> tuple[int, int]:
    """Return the resident memory of a process now and at most, in MB."""
    lines = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    now, most = (int(lines[name].split()[0]) >> 10 for name in ("VmRSS", "VmHWM"))
    return now, most


def say(what: str, value: float, places: int = 1) -> None:
    print(f"  {what}: {value:,.{places}f}", flush=True)


def _yardstick() -> Iterator[float]:
    matrix, vector = np.random.default_rng(1).standard_normal((100_000, 384), np.float32), np.ones(384, np.float32)
    for _ in range(20):
        started = time.perf_counter()
        matrix @ vector
        yield time.perf_counter() - started


def _load() -> str:
    return " ".join(f"{load:.1f}" for load in os.getloadavg())


if __name__ == "__main__":
    main()
