"""Every embedder against plain `SentenceTransformer.encode` of the bundled model in float32.

    python -m benchmarks.embedding [--names bundled,onnx] [--workspace DIR | --notes DIR] [--count 100] [--exact DIR]

Windows a second, and their ratio to the first row; the time of one question; and the cosine of the bundled model's
vectors to those of float32, on average and at worst. All rows embed the same texts in one process: windows of a
workspace's bases, evenly, pieces of the Markdown files of a folder, or synthetic notes in Chinese and English.
`--exact` names a workspace of `benchmarks.quality --float32`: all vectors of the other one are compared with its.
"""

import argparse
import random
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from core import embedding
from core.embedding import e5
from core.embedding.bundled import build as build_bundled
from core.embedding.device import Device, choose
from core.embedding.windows import windows_of
from core.model import Filters, KnowledgeBase, Matrix
from core.text import digest
from core.workspace import Workspace

ENGLISH = "how do notes keep a backup of the database when server restarts after midnight and queue is full".split()
CHINESE = (
    "笔记 检索 知识库 数据库 备份 恢复 服务器 重启 配置 文件 夹 标题 段落 向量 模型 问题 答案 如何 什么 时候".split()
)


def synthetic(count: int) -> list[str]:
    """Texts of 20 to 900 words, half of them Chinese."""
    draw = random.Random(7)
    texts = []
    for index in range(count):
        words, joint = (CHINESE, "") if index % 2 else (ENGLISH, " ")
        texts.append(joint.join(draw.choices(words, k=int(draw.triangular(20, 400, 60)))))
    return texts


def from_notes(folder: Path, count: int) -> list[str]:
    """Paragraph groups of about 800 characters, spread over the folder."""
    pieces: list[str] = []
    for path in sorted(folder.rglob("*.md")):
        text = path.read_text(encoding="utf-8", errors="replace")
        pieces += (piece for start in range(0, len(text), 800) if (piece := text[start : start + 800]).strip())
    random.Random(7).shuffle(pieces)
    return pieces[:count]


def windows(workspace: Workspace, base: str) -> list[str]:
    """What a base's embedder was given, in the order of its notes."""
    embedder = workspace.embedder_of(workspace.base(base))
    cards = workspace.notes(Filters(bases=(base,)))
    return [one.text for card in cards for one in windows_of(workspace.chunks(card.id), card.title, embedder)]


def from_workspace(folder: Path, count: int) -> list[str]:
    """So many windows, evenly from all bases of the bundled model."""
    with Workspace(folder, readonly=True) as workspace:
        bases = [base.name for base in workspace.bases() if base.embedder == "bundled"]
        texts = [text for base in bases for text in windows(workspace, base)]
    return [texts[number * len(texts) // count] for number in range(min(count, len(texts)))]


def compare(folder: Path, exact_folder: Path) -> None:
    """Print the cosines of all vectors of a workspace to those of one in float32, a base at a time."""
    with Workspace(folder, readonly=True) as workspace, Workspace(exact_folder, readonly=True) as exact:
        reference = exact.bases()[0]
        for base in workspace.bases():
            if base.embedder not in ("bundled", "onnx"):
                continue
            keys = [digest(text) for text in windows(workspace, base.name)]
            ours, theirs = vectors(workspace, base, keys), vectors(exact, reference, keys)
            found = [float(ours[key] @ theirs[key]) for key in ours]
            print(f"{base.name}: {len(found)} windows, cosine {np.mean(found):.5f}, at worst {min(found):.5f}")


def vectors(workspace: Workspace, base: KnowledgeBase, keys: Sequence[bytes]) -> dict[bytes, Matrix]:
    ids = workspace.store.encoded.ids(base.fingerprint, keys)
    found = workspace.store.encoded.vectors(ids.values(), base.dimension)
    return {key: found[number] for key, number in ids.items()}


def timed(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def question_times(ask: Callable[[str], object]) -> tuple[float, float]:
    """Median and 95th percentile in milliseconds of 60 warm questions."""
    asked = [f"how do I restore backup {number} of the database" for number in range(70)]
    times = [1000 * timed(lambda question=question: ask(question)) for question in asked][10:]  # type: ignore[misc]
    return float(np.percentile(times, 50)), float(np.percentile(times, 95))


def row(name: str, texts: list[str], bulk: Callable[[], Matrix], ask: Callable[[str], object]) -> tuple[float, Matrix]:
    """Print a row's figures but the ratio, and return its seconds and vectors."""
    p50, p95 = question_times(ask)
    started = time.perf_counter()
    vectors = bulk()
    seconds = time.perf_counter() - started
    print(f"{name:<40}{len(texts) / seconds:>10.1f}{p50:>9.1f}{p95:>9.1f}", end="", flush=True)
    return seconds, vectors


def plain(texts: list[str], batch_size: int) -> tuple[float, Matrix]:
    import torch
    from sentence_transformers import SentenceTransformer

    folder = str(e5.ensure_folder())
    model = SentenceTransformer(folder, device="cpu", local_files_only=True, model_kwargs={"dtype": torch.float32})

    def encode(batch: list[str], prompt: str) -> Matrix:
        return np.asarray(model.encode(batch, prompt=prompt, batch_size=batch_size, show_progress_bar=False))

    return row(
        "SentenceTransformer.encode, float32",
        texts,
        lambda: encode(texts, "passage: "),
        lambda question: encode([question], "query: "),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--names", default="bundled,tfidf", help="embedders, with commas between")
    parser.add_argument("--workspace", type=Path, help="one of benchmarks.quality")
    parser.add_argument("--exact", type=Path, help="one of benchmarks.quality --float32")
    parser.add_argument("--notes", type=Path, help="a folder of Markdown files")
    parser.add_argument("--count", type=int, default=100, help="how many windows (default 100)")
    parser.add_argument("--batch-size", type=int, default=32, help="of the first row; 32 is encode's own default")
    given = parser.parse_args()
    if given.workspace and given.exact:
        compare(given.workspace, given.exact)
        return
    if given.workspace:
        texts = from_workspace(given.workspace, given.count)
    else:
        texts = from_notes(given.notes, given.count) if given.notes else synthetic(given.count)
    print(f"{len(texts)} windows; {choose().reason}")
    print(f"{'':<40}{'windows/s':>10}{'p50 ms':>9}{'p95 ms':>9}{'ratio':>9}{'cosine':>9}{'least':>9}")
    slowest, exact = plain(texts, given.batch_size)
    print(f"{1:>9.2f}{1:>9.4f}{1:>9.4f}")
    exact /= np.linalg.norm(exact, axis=1, keepdims=True)
    options = {"bundled, float32": build_bundled(device=Device("cpu", "float32", ""))}
    options |= {name: embedding.build(name) for name in given.names.split(",")}
    for name, embedder in options.items():
        embedder.warm()
        seconds, vectors = row(
            name,
            texts,
            lambda embedder=embedder: embedder.embed(texts, role="note"),  # type: ignore[misc]
            lambda question, embedder=embedder: embedder.embed([question], role="query"),  # type: ignore[misc]
        )
        same = name.partition(":")[0].partition(",")[0] in ("bundled", "onnx") and ":" not in name
        cosines = (vectors * exact).sum(axis=1) if same else np.full(1, np.nan)
        print(f"{slowest / seconds:>9.2f}{cosines.mean():>9.4f}{cosines.min():>9.4f}", flush=True)


if __name__ == "__main__":
    main()
