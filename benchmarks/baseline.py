"""Compare Tessera with LangChain's Chroma store and with exact search in numpy; print the ratios of ours to theirs.

    python -m benchmarks.baseline [NOTES] [--notes 40] [--questions FILE] [--own-chunks] [--dtype float32]

needs the extra `bench`. NOTES is a folder of Markdown files, from which `--notes` files are taken at even intervals;
FILE contains the questions as JSON lines. All use the bundled model's weights, in Tessera's number format unless
`--dtype` sets another one. All embed the same texts: Tessera's windows, which LangChain is given, so reading and
cutting files counts for Tessera only. With `--own-chunks` LangChain reads the files and cuts them with
RecursiveCharacterTextSplitter, 512 tokens with an overlap of 100. It imports with its `index`, which keeps its records
in memory; numpy searches LangChain's vectors.

Each row runs in a separate process. Because other work on the machine comes and goes, they take turns after each part
of the notes and each question. Each question is asked once, to rule out caches. `first answer` is the time since the
start of a process, `vectors` the time for the nearest 10 to a question's vector, `index` the disk space for vectors
only, and recall is relative to exact search over the same vectors.
"""

import argparse
import json
import shutil
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from core.model import ChunkingOptions, Matrix

# The rest is imported where it is needed, because a row's first answer must not wait for another row's libraries.

BASE = "notes"
PARTS = 4
"""Number of parts of the notes; the two imports take turns after each."""

K, POOL = 10, 50
"""Number of hits, and of results that Tessera takes from its index for them."""

SEARCHES: dict[str, tuple[tuple[str, Any], ...]] = {
    "semantic": (("mode", "semantic"), ("reranker", "none"), ("level", "simple")),
    "hybrid": (("mode", "hybrid"), ("reranker", "none"), ("level", "simple")),
    "by default": (),
}
"""Tessera's rows: semantic search like the others, hybrid search, and the default with reranking."""

WARM_UP = ("warm", "what is in these notes", "how do I begin")
COLUMNS = ("import s", "again s", "first answer s", "p50 ms", "p95 ms", "vectors ms", "RSS MB", "disk MB", "index MB")
RECALL = f"recall@{K}"


class Tessera:
    """A workspace with a single base, searched with fixed `options`."""

    def __init__(self, folder: Path, *options: tuple[str, Any]) -> None:
        from core.workspace import Workspace

        self._workspace = Workspace(folder)
        self._options = dict(options)

    def add(self, vault: Path) -> None:
        self._workspace.imports.apply(self._workspace.imports.plan_folder(vault, BASE))

    def windows(self, path: str) -> list[str]:
        """Return the texts that the embedder got for a note."""
        from core.embedding.windows import windows_of

        embedder = self._workspace.models.embedder(self._workspace.bases.get(BASE))
        card = self._workspace.notes.find(path)
        return [window.text for window in windows_of(self._workspace.chunks.all(card.id), card.title, embedder)]

    def open(self) -> None:
        """Load model and index, as the app does in the background at its start."""
        from core import embedding

        embedding.build(embedding.resolve(self._workspace.settings.embedder)).warm()
        self._workspace.store.index.open()

    def search(self, question: str) -> None:
        assert not self._workspace.search(question, limit=K, **self._options).cached

    def embed(self, question: str) -> None:
        self._base = self._workspace.bases.get(BASE)
        self._vector = self._workspace.models.embedder(self._base).embed([question], role="query")[0]

    def nearest(self) -> list[int]:
        return list(self._workspace.store.nearest(self._base, self._vector, POOL))[:K]

    def exact(self) -> list[int]:
        return list(self._workspace.store.chunks.nearest(self._base, self._vector, K))

    def close(self) -> None:
        self._workspace.close()


class Plain:
    """The bundled model, run by sentence-transformers."""

    def __init__(self, dtype: str) -> None:
        from sentence_transformers import SentenceTransformer

        from core.embedding import e5

        folder = str(e5.ensure_folder())
        self.model = SentenceTransformer(folder, device="cpu", local_files_only=True, model_kwargs={"dtype": dtype})

    def embed(self, texts: Sequence[str], prompt: str) -> Matrix:
        found = self.model.encode(list(texts), prompt=prompt, convert_to_tensor=True, show_progress_bar=False)
        vectors: Matrix = found.float().numpy()  # numpy knows no bfloat16
        return vectors

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        listed: list[list[float]] = self.embed(texts, "passage: ").tolist()
        return listed

    def embed_query(self, text: str) -> list[float]:
        listed: list[float] = self.embed([text], "query: ")[0].tolist()
        return listed


class LangChain:
    """LangChain's Chroma store, used as in its documentation."""

    def __init__(self, folder: Path, dtype: str) -> None:
        from langchain_chroma import Chroma
        from langchain_core.embeddings import Embeddings
        from langchain_core.indexing import InMemoryRecordManager

        class Bundled(Plain, Embeddings):
            pass

        self._model = Bundled(dtype)
        self._store = Chroma(BASE, self._model, persist_directory=str(folder))
        self._records = InMemoryRecordManager(BASE)
        self._records.create_schema()

    def add(self, texts: Sequence[tuple[str, str]]) -> None:
        """Add texts, each with the name of its note."""
        from langchain_core.documents import Document
        from langchain_core.indexing import index

        documents = [Document(text, metadata={"source": source}) for source, text in texts]
        index(
            documents,
            self._records,
            self._store,
            cleanup="scoped_full",  # incremental embeds notes that span two of its batches again
            source_id_key="source",
            key_encoder="blake2b",
        )

    def add_files(self, files: Sequence[Path]) -> None:
        """Read files, cut them and add the pieces."""
        from langchain_text_splitters import RecursiveCharacterTextSplitter

        options = ChunkingOptions()
        splitter = RecursiveCharacterTextSplitter.from_huggingface_tokenizer(
            self._model.model.tokenizer, chunk_size=options.chunk_size, chunk_overlap=options.chunk_overlap
        )
        self.add([(file.name, text) for file in files for text in splitter.split_text(file.read_text("utf-8"))])

    def save(self, folder: Path) -> int:
        """Write texts and vectors for `Numpy`, and return their number."""
        folder.mkdir()
        kept = self._store.get(include=["embeddings", "documents"])
        np.save(folder / "vectors.npy", np.asarray(kept["embeddings"], np.float32))
        (folder / "texts.json").write_text(json.dumps(kept["documents"]), "utf-8")
        return len(kept["ids"])

    def open(self) -> None:
        kept = self._store.get(include=["embeddings"])
        self._ids, self._vectors = np.asarray(kept["ids"]), np.asarray(kept["embeddings"], np.float32)

    def search(self, question: str) -> None:
        assert self._store.similarity_search(question, k=K)

    def embed(self, question: str) -> None:
        self._vector = self._model.embed_query(question)

    def nearest(self) -> list[str | None]:
        return [found.id for found in self._store.similarity_search_by_vector(self._vector, k=K)]

    def exact(self) -> list[str]:
        # By Chroma's own measure: rounded to bfloat16, vectors aren't unit length, and cosines order differently.
        away = np.linalg.norm(self._vectors - np.asarray(self._vector, np.float32), axis=1)
        best: list[str] = self._ids[np.argsort(away)[:K]].tolist()
        return best

    def close(self) -> None:
        pass


class Numpy:
    """All vectors in memory, each compared with the question's."""

    def __init__(self, folder: Path, dtype: str) -> None:
        self._model = Plain(dtype)
        self._vectors = np.load(folder / "vectors.npy")
        self._texts: list[str] = json.loads((folder / "texts.json").read_text("utf-8"))

    def open(self) -> None:
        pass

    def search(self, question: str) -> list[str]:
        self.embed(question)
        return [self._texts[row] for row in self.nearest()]

    def embed(self, question: str) -> None:
        self._vector = self._model.embed([question], "query: ")[0]

    def nearest(self) -> list[int]:
        scores = self._vectors @ self._vector
        best = np.argpartition(scores, -K)[-K:]
        found: list[int] = best[np.argsort(-scores[best])].tolist()
        return found

    exact = nearest

    def close(self) -> None:
        pass


class Process:
    """A row in a separate process."""

    def __init__(self, row: Callable[..., Any], *given: object) -> None:
        self._pool = ProcessPoolExecutor(1, get_context("spawn"))
        self._row = (row, *given)

    def ask(self, method: str, *given: object) -> tuple[float, Any]:
        """Return the seconds that a method of the row took, without creating the row, and the method's result."""
        return self._pool.submit(_ask, self._row, method, given).result()

    def resident(self) -> int:
        """Return the resident memory of the process in MB."""
        return self._pool.submit(_resident).result()

    def close(self) -> None:
        self.ask("close")
        self._pool.shutdown()


_made = cache(lambda row, *given: row(*given))


def _ask(row: Sequence[Any], method: str, given: Sequence[object]) -> tuple[float, Any]:
    work = getattr(_made(*row), method)
    started = time.perf_counter()
    found = work(*given)
    return time.perf_counter() - started, found


def _resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 // 2**20


def main() -> None:
    from core.embedding.loading import choose_device
    from core.features.evaluation.questions import parse

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", default=Path("../shared/data/vaults/rust-book"))
    parser.add_argument("--notes", type=int, help="how many are taken (default all)")
    parser.add_argument("--questions", type=Path, help="(default the questions/NAME.jsonl next to the folder's vaults)")
    parser.add_argument("--own-chunks", action="store_true", help="LangChain reads and cuts the notes itself")
    parser.add_argument("--dtype", default=choose_device().dtype, help="numbers of the others (default %(default)s)")
    given = parser.parse_args()
    asked = given.questions or given.folder.parents[1] / "questions" / f"{given.folder.name}.jsonl"
    questions = [question.text for question in parse(asked.read_bytes(), asked.name)]
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        figures, texts = imported(scratch, drawn(given.folder, given.notes), given)
        print(
            f"{texts[0]} windows, {texts[1]} texts of LangChain; {len(questions)} questions, {choose_device().reason}"
        )
        rows = {
            f"Tessera, {name}": Process(Tessera, shutil.copytree(scratch / "tessera", scratch / name), *options)
            for name, options in SEARCHES.items()  # a workspace for each, because only one process can open an index
        }
        rows["LangChain, Chroma"] = Process(LangChain, scratch / "langchain", given.dtype)
        rows["numpy, exact"] = Process(Numpy, scratch / "numpy", given.dtype)
        table({name: figures.get(name, {}) | found for name, found in asked_all(rows, questions).items()})


def drawn(folder: Path, count: int | None) -> list[Path]:
    files = sorted(folder.rglob("*.md"))
    count = min(count or len(files), len(files))
    return [files[number * len(files) // count] for number in range(count)]


def imported(
    scratch: Path, files: Sequence[Path], given: argparse.Namespace
) -> tuple[dict[str, dict[str, float]], tuple[int, int]]:
    """Import the notes on both sides, twice; return the figures, and how many texts each side embedded."""
    numbered = list(enumerate(files))
    ours, theirs = Process(Tessera, scratch / "tessera"), Process(LangChain, scratch / "langchain", given.dtype)
    vault = scratch / "vault"
    vault.mkdir()
    ours.ask("open")
    theirs.ask("embed", "warm")
    seconds, again = [0.0, 0.0], [0.0, 0.0]
    copies: list[Path] = []
    texts: list[tuple[str, str]] = []
    for part in range(PARTS):
        some = [Path(shutil.copy(file, vault / f"{number}-{file.name}")) for number, file in numbered[part::PARTS]]
        seconds[0] += ours.ask("add", vault)[0]
        windows = [(file.name, text) for file in some for text in ours.ask("windows", file.name)[1]]
        seconds[1] += theirs.ask(*(("add_files", some) if given.own_chunks else ("add", windows)))[0]
        copies, texts = [*copies, *some], [*texts, *windows]
    again[0] = ours.ask("add", vault)[0]
    again[1] = theirs.ask(*(("add_files", copies) if given.own_chunks else ("add", texts)))[0]
    saved = theirs.ask("save", scratch / "numpy")[1]
    ours.close()
    theirs.close()
    folders = {
        "Tessera, semantic": (scratch / "tessera", scratch / "tessera" / "chroma"),
        "LangChain, Chroma": (scratch / "langchain", scratch / "langchain"),
        "numpy, exact": (scratch / "numpy", scratch / "numpy" / "vectors.npy"),
    }
    figures = {
        name: {"disk MB": megabytes(whole), "index MB": megabytes(index)} for name, (whole, index) in folders.items()
    }
    for number, name in enumerate(("Tessera, semantic", "LangChain, Chroma")):
        figures[name] |= {"import s": seconds[number], "again s": again[number]}
    return figures, (len(texts), saved)


def megabytes(path: Path) -> float:
    files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
    return sum(file.stat().st_size for file in files) / 2**20


def asked_all(rows: Mapping[str, Process], questions: Sequence[str]) -> dict[str, dict[str, float]]:
    """Ask each row every question, in turns, and return the figures of each."""
    figures: dict[str, dict[str, float]] = {}
    for name, row in rows.items():
        started = time.perf_counter()
        row.ask("search", WARM_UP[0])
        figures[name] = {"first answer s": time.perf_counter() - started}
        row.ask("open")
        for question in WARM_UP[1:]:
            row.ask("search", question)
    searches: dict[str, list[float]] = {name: [] for name in rows}
    vectors: dict[str, list[float]] = {name: [] for name in rows}
    recalls: dict[str, list[float]] = {name: [] for name in rows}
    for question in questions:
        for name, row in rows.items():
            searches[name].append(1000 * row.ask("search", question)[0])
    for name, row in rows.items():
        figures[name]["RSS MB"] = row.resident()
    for question in questions:
        for name, row in rows.items():
            row.ask("embed", question)
            seconds, found = row.ask("nearest")
            vectors[name].append(1000 * seconds)
            recalls[name].append(len({*found} & {*row.ask("exact")[1]}) / K)
    for name, row in rows.items():
        figures[name] |= {
            "p50 ms": float(np.percentile(searches[name], 50)),
            "p95 ms": float(np.percentile(searches[name], 95)),
            "vectors ms": float(np.percentile(vectors[name], 50)),
            RECALL: fmean(recalls[name]),
        }
        row.close()
    return figures


def table(figures: Mapping[str, Mapping[str, float]]) -> None:
    """Print the rows, then the ratios of ours to theirs."""
    *ours, langchain, exact = figures
    print(f"{'':<40}" + "".join(f"{name:>16}" for name in (*COLUMNS, RECALL)))
    for name in figures:
        line(name, {column: figures[name].get(column) for column in (*COLUMNS, RECALL)})
    for theirs in (langchain, exact):
        for name in ours:
            both = [column for column in COLUMNS if column in figures[name] and figures[theirs].get(column)]
            line(f"{name} / {theirs}", {column: figures[name][column] / figures[theirs][column] for column in both})


def line(name: str, values: Mapping[str, float | None]) -> None:
    cells = (values.get(column) for column in (*COLUMNS, RECALL))
    print(f"{name:<40}" + "".join(f"{'' if cell is None else f'{cell:.4g}':>16}" for cell in cells))


if __name__ == "__main__":
    main()
