"""Speed of searches as a workspace grows to 100,000 chunks, and agreement of the index with exact search.

python -m benchmarks.scale DATA FOLDER [--workspace DIR] [--chunks 1000,10000,100000] : DATA contains vaults/NAME and
questions/NAME.jsonl. FOLDER keeps a workspace for each size; a missing one is built from the vaults as embedded in
`--workspace` (by default they are embedded first). In each further copy of a note, a fifth of the words come from other
notes, and each vector is shifted by the difference of two others: texts and vectors stay realistic, and none occurs
twice. There are no token bits, so nothing is reranked.
"""

import argparse
import random
import re
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.quality import imported, vaults
from core.base.text import CJK, digest, query_keywords
from core.features.evaluation.questions import parse
from core.model import Chunk, Filters, KnowledgeBase, Matrix, Note, Rowids
from core.query.parser import filters_of
from core.store import Store
from core.store.note_to_index import NoteToIndex
from core.workspace import Workspace

BASE = "scale"
SIZES = (1_000, 10_000, 100_000)
SWAPPED = 0.2
SHIFT = 0.3
POOL = 50
WARM_UP = 20
HYBRID_MS, SELECTIVE_MS, BROAD_MS, COMPARED_MS, NEIGHBOURS_MS, RECALL = 60.0, 80.0, 150.0, 500.0, 2.0, 0.99
_WORDS = re.compile(rf"[{CJK}]{{1,2}}|[A-Za-z]{{2,}}")


@dataclass(frozen=True, slots=True)
class Source:
    """An embedded note: its chunks, each with the vectors of its windows."""

    note: Note
    chunks: Sequence[Chunk]
    vectors: Sequence[Matrix]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "--workspace", type=Path, help="a workspace that holds the vaults, embedded by the bundled model"
    )
    parser.add_argument("--chunks", default=",".join(map(str, SIZES)), help="sizes, with commas between")
    given = parser.parse_args()
    names = vaults(given.data)
    files = [given.data / "questions" / f"{name}.jsonl" for name in names]
    asked = [question.text for file in files for question in parse(file.read_bytes(), file.name)]
    questions = random.Random(1).sample(asked, len(asked))
    for size in map(int, given.chunks.split(",")):
        folder = given.folder / str(size)
        if not folder.exists():
            with tempfile.TemporaryDirectory() as scratch:
                source = given.workspace or Path(scratch)
                with Workspace(source) as workspace:
                    for name in names:
                        imported(workspace, given.data / "vaults" / name, "bundled")
                    sources = [found for name in names for found in read(workspace.store, workspace.bases.get(name))]
                    like = workspace.bases.get(names[0])
            build(folder, like, sources, size)
        with Workspace(folder) as workspace:
            measure(workspace, questions)


# building


def read(store: Store, base: KnowledgeBase) -> Iterator[Source]:
    """Yield the notes of a base with their chunks and vectors."""
    for card in store.notes.cards(Filters(bases=(base.name,))):
        rows = store.database.connection.execute(
            "SELECT chunk, vectors.vector FROM windows JOIN vectors ON vectors.id = windows.vector"
            ' JOIN chunks ON chunks.rowid = chunk WHERE note_id = ? ORDER BY chunks."index", windows."index"',
            (card.id,),
        )
        windows: dict[int, list[bytes]] = {}
        for chunk, blob in rows:
            windows.setdefault(chunk, []).append(blob)
        vectors = [np.frombuffer(b"".join(blobs), "<f4").reshape(len(blobs), -1) for blobs in windows.values()]
        yield Source(store.notes.note(card.id), store.chunks.for_note(card.id), vectors)


def build(folder: Path, like: KnowledgeBase, sources: Sequence[Source], size: int) -> None:
    """Fill a workspace with `size` chunks: the notes, then copies of them."""
    chance = random.Random(7)
    pieces = [chunk.text for source in sources for chunk in source.chunks]
    vocabulary = {
        language: [word for text in pieces for word in _WORDS.findall(text) if _is_cjk(word) == language]
        for language in (False, True)
    }
    every = np.concatenate([vector for source in sources for vector in source.vectors])
    started, written = time.perf_counter(), 0
    with Workspace(folder) as workspace:
        store = workspace.store
        store.index.open()
        base = store.bases.add(
            BASE, embedder=like.embedder, fingerprint=like.fingerprint, dimension=like.dimension, chunking=like.chunking
        )
        store.index.build(base)
        waiting: list[NoteToIndex] = []
        for number in range(10 * size):
            source = sources[number % len(sources)]
            original = number < len(sources)
            cutting = copied(store, base, source, number, size - written, chance, vocabulary, every, original)
            written += len(cutting.chunks)
            waiting.append(cutting)
            if len(waiting) == 100 or written == size:
                store.put(base, waiting)
                waiting.clear()
                print(f"\r{written} of {size} chunks, {time.perf_counter() - started:.0f} s", end="", flush=True)
            if written == size:
                break
    print()


def copied(
    store: Store,
    base: KnowledgeBase,
    source: Source,
    number: int,
    most: int,
    chance: random.Random,
    vocabulary: dict[bool, list[str]],
    every: Matrix,
    original: bool,
) -> NoteToIndex:
    """Return a varied copy of a note, with at most this many chunks."""
    note_id = f"{number:012x}"
    chunks: list[Chunk] = []
    vectors: list[Matrix] = []
    body = ""
    for chunk, rows in list(zip(source.chunks, source.vectors, strict=True))[:most]:
        text = chunk.text if original else swapped(chunk.text, chance, vocabulary)
        chunks.append(
            replace(
                chunk,
                id=f"{note_id}:{chunk.index}",
                note_id=note_id,
                text=text,
                start=len(body),
                end=len(body) + len(text),
            )
        )
        body += f"{text}\n\n"
        vectors.append(rows if original else shifted(rows, chance, every))
    hashes = [
        [digest(f"{number}:{chunk.index}:{row}") for row in range(len(rows))]
        for chunk, rows in zip(chunks, vectors, strict=True)
    ]
    flat = [key for keys in hashes for key in keys]
    store.vectors.add(base.fingerprint, flat, np.concatenate(vectors))
    ids = store.vectors.ids(base.fingerprint, flat)
    note = replace(
        source.note,
        id=note_id,
        base_id=base.id,
        generation=1,
        path=f"{number // 1000}/{number}.md",
        body=body,
        tags=(f"one-of-100-{number % 100}", f"half-{number % 2}"),
        updated_at=datetime(2020, 1, 1, tzinfo=UTC) + timedelta(hours=number),
    )
    return NoteToIndex(note, chunks, [[ids[key] for key in keys] for keys in hashes], "copied", "copied")


def swapped(text: str, chance: random.Random, vocabulary: dict[bool, list[str]]) -> str:
    """Replace words with words from other notes, which keeps the word frequencies."""

    def other(found: re.Match[str]) -> str:
        word = found.group()
        return chance.choice(vocabulary[_is_cjk(word)]) if chance.random() < SWAPPED else word

    return _WORDS.sub(other, text)


def shifted(rows: Matrix, chance: random.Random, every: Matrix) -> Matrix:
    moved = rows + SHIFT * (every[chance.randrange(len(every))] - every[chance.randrange(len(every))])
    return np.asarray(moved / np.linalg.norm(moved, axis=1, keepdims=True), np.float32)


def _is_cjk(word: str) -> bool:
    return not word.isascii()


# measuring


def measure(workspace: Workspace, questions: Sequence[str]) -> None:
    """Print the times of each stage and of a whole search, by the filters of the search."""
    store, base = workspace.store, workspace.bases.get(BASE)
    store.index.open()
    embedder = workspace.models.embedder(base)
    vectors = dict(zip(questions, embedder.embed(list(questions), role="query"), strict=True))
    notes, chunks, windows = store.chunks.count(base)
    print(f"\n{chunks} chunks, {windows} windows, {notes} notes")
    scopes = {
        "all": Filters(),
        "1 in 100": filters_of(tags=["one-of-100-7"]),
        "half": filters_of(tags=["half-0"]),
        "base": Filters(bases=(BASE,)),
    }
    targets = {"all": HYBRID_MS, "1 in 100": SELECTIVE_MS, "half": BROAD_MS, "base": HYBRID_MS}
    for name, filters in scopes.items():
        allowed = store.chunks.allowed(filters)
        print(f"  {name}: {'every chunk' if allowed is None else len(allowed)}")

        def near(question: str, allowed: Rowids | None = allowed) -> object:
            return store.nearest(base, vectors[question], POOL, allowed)

        def worded(question: str, allowed: Rowids | None = allowed) -> object:
            return store.words.rank(query_keywords(question), POOL, allowed=allowed)

        def whole(question: str, filters: Filters = filters) -> object:
            return workspace.search(question, filters=filters, mode="hybrid", level="simple", reranker="none")

        say("    filters", timed(lambda _, filters=filters: store.chunks.allowed(filters), questions))
        say("    vectors", timed(near, questions))
        forget(store)
        say("    words, new", timed(worded, questions))
        say("    words, met before", timed(worded, questions))
        forget(store)
        say("    hybrid search", timed(whole, questions), targets[name])
    forget(store)
    say("  comparison (level 3)", timed(partial(compared, workspace), comparisons(workspace)), COMPARED_MS)
    some = random.Random(3).choices(workspace.notes.all(), k=200)
    places = [(card.id, card.chunks // 2) for card in some]
    say("  neighbours", timed(lambda place: store.chunks.neighbours(place[0], place[1], 2), places), NEIGHBOURS_MS)
    for phrase in ("backpropagation", "the value of", "过拟合", "我们可以", "as well as", "in the", "->", "，"):
        found = store.words.find_phrase(phrase)
        say(f"  phrase, in {len(found)} chunks", timed(store.words.find_phrase, [phrase] * 8))
    matrix = np.concatenate([rows for _, rows in store.chunks.windows(base)])
    say("  exact search in numpy, in memory", timed(lambda asked: exact(matrix, vectors[asked]), questions))
    recall = statistics.mean(recalled(store, base, vectors[question]) for question in questions[WARM_UP:])
    print(f"  recall@10 {recall:.4f}   {'ok' if recall >= RECALL else 'MISSED'}, at least {RECALL}")
    print(f"  memory {_resident()} MB, the model included")


def forget(store: Store) -> None:
    """Drop what searches cache until the index changes."""
    with store.database.write():
        pass


def comparisons(workspace: Workspace) -> list[str]:
    """Return questions that compare the subjects of two notes, in the language of both."""
    chance = random.Random(5)
    titles = sorted({card.title for card in workspace.notes.all()})
    asked = []
    for form, chinese in (("Compare {} and {}", False), ("对比{}和{}", True)) * 40:
        asked.append(form.format(*chance.sample([title for title in titles if _is_cjk(title) == chinese], 2)))
    return asked


def compared(workspace: Workspace, question: str) -> object:
    return workspace.search(question, mode="hybrid", level="exploratory", reranker="none")


def recalled(store: Store, base: KnowledgeBase, vector: Matrix, k: int = 10) -> float:
    exact = list(store.chunks.nearest(base, vector, k))
    return len(set(exact) & set(list(store.nearest(base, vector, POOL))[:k])) / len(exact)


def exact(matrix: Matrix, vector: Matrix) -> object:
    """Search all vectors without an index, as the reference for the vector stage."""
    scores = matrix @ vector
    best = np.argpartition(scores, -POOL)[-POOL:]
    return best[np.argsort(-scores[best])]


def timed(work: Callable[..., object], over: Sequence[object]) -> list[tuple[float, float]]:
    """Return the wall-clock and processor milliseconds of each call, without the first ones."""
    times = []
    for item in over:
        started, used = time.perf_counter(), time.process_time()
        work(item)
        times.append(((time.perf_counter() - started) * 1000, (time.process_time() - used) * 1000))
    return times[min(WARM_UP, len(times) // 5) :]


def say(what: str, times: Sequence[tuple[float, float]], target: float | None = None) -> None:
    clock, processor = (sorted(column) for column in zip(*times, strict=True))
    middle, late = len(times) // 2, int(len(times) * 0.95)
    verdict = "" if target is None else f"   {'ok' if clock[middle] <= target else 'MISSED'}, p50 <= {target:g}"
    print(
        f"{what:<32}{clock[middle]:8.1f} ms p50{clock[late]:8.1f} ms p95"
        f"{processor[middle]:8.1f} ms p50 of the processor{verdict}",
        flush=True,
    )


def _resident() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 // 2**20


if __name__ == "__main__":
    main()
