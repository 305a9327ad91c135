"""Every embedder against plain `SentenceTransformer.encode` of the bundled model in float32.

    python -m benchmarks.embedding [--names bundled,onnx] [--workspace DIR | --notes DIR] [--count 100] [--exact DIR]

Windows a second, and how many times as fast as the first row that is, by the clock and by processor time; the time
of one question; and the cosine of the bundled model's vectors to those of float32, on average and at worst. All rows
embed the same texts in turns, in one process: windows of a workspace's bases, evenly, pieces of the Markdown files of
a folder, or synthetic notes in Chinese and English.
`--exact` names a workspace of `benchmarks.quality --float32`: all vectors of the other one are compared with its.
"""

import argparse
import random
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy as np

from core import embedding
from core.base.text import digest
from core.embedding import e5
from core.embedding.loading import choose_device
from core.embedding.sentence import build_bundled as build_bundled
from core.embedding.windows import windows_of
from core.model import Device, Filters, KnowledgeBase, Matrix, Role
from core.workspace import Workspace

PARTS = 4
"""The rows take turns at so many parts of the texts, for other work on the machine comes and goes."""

ENGLISH = "how do notes keep a backup of the database when server restarts after midnight and queue is full".split()
CHINESE = (
    "笔记 检索 知识库 数据库 备份 恢复 服务器 重启 配置 文件 夹 标题 段落 向量 模型 问题 答案 如何 什么 时候".split()
)


class Embed(Protocol):
    def __call__(self, texts: Sequence[str], *, role: Role) -> Matrix: ...


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
    embedder = workspace.models.embedder(workspace.bases.get(base))
    cards = workspace.notes.all(Filters(bases=(base,)))
    return [one.text for card in cards for one in windows_of(workspace.chunks.all(card.id), card.title, embedder)]


def from_workspace(folder: Path, count: int) -> list[str]:
    """So many windows, evenly from all bases of the bundled model."""
    with Workspace(folder, readonly=True) as workspace:
        bases = [base.name for base in workspace.bases.all() if base.embedder == "bundled"]
        texts = [text for base in bases for text in windows(workspace, base)]
    return [texts[number * len(texts) // count] for number in range(min(count, len(texts)))]


def compare(folder: Path, exact_folder: Path) -> None:
    """Print the cosines of all vectors of a workspace to those of one in float32, a base at a time."""
    with Workspace(folder, readonly=True) as workspace, Workspace(exact_folder, readonly=True) as exact:
        reference = exact.bases.all()[0]
        for base in workspace.bases.all():
            if base.embedder not in ("bundled", "onnx"):
                continue
            keys = [digest(text) for text in windows(workspace, base.name)]
            ours, theirs = vectors(workspace, base, keys), vectors(exact, reference, keys)
            found = [float(ours[key] @ theirs[key]) for key in ours]
            print(f"{base.name}: {len(found)} windows, cosine {np.mean(found):.5f}, at worst {min(found):.5f}")


def vectors(workspace: Workspace, base: KnowledgeBase, keys: Sequence[bytes]) -> dict[bytes, Matrix]:
    ids = workspace.store.vectors.ids(base.fingerprint, keys)
    found = workspace.store.vectors.vectors(ids.values(), base.dimension)
    return {key: found[number] for key, number in ids.items()}


def plain(batch_size: int) -> Embed:
    """The bundled model as sentence-transformers itself runs it."""
    import torch
    from sentence_transformers import SentenceTransformer

    folder = str(e5.ensure_folder())
    model = SentenceTransformer(folder, device="cpu", local_files_only=True, model_kwargs={"dtype": torch.float32})

    def embed(texts: Sequence[str], *, role: Role) -> Matrix:
        found = np.asarray(
            model.encode(
                list(texts),
                prompt=e5.PROMPTS["query" if role == "query" else "document"],
                batch_size=batch_size,
                show_progress_bar=False,
            )
        )
        unit: Matrix = found / np.linalg.norm(found, axis=1, keepdims=True)
        return unit

    return embed


def question_times(embed: Embed) -> tuple[float, float]:
    """Median and 95th percentile in milliseconds of 60 warm questions."""
    times = []
    for number in range(70):
        started = time.perf_counter()
        embed([f"how do I restore backup {number} of the database"], role="query")
        times.append(1000 * (time.perf_counter() - started))
    return float(np.percentile(times[10:], 50)), float(np.percentile(times[10:], 95))


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
    print(f"{len(texts)} windows; {choose_device().reason}")
    options: dict[str, Embed] = {
        "SentenceTransformer.encode, float32": plain(given.batch_size),
        "bundled, float32": build_bundled(device=Device("cpu", "float32", "")).embed,
    }
    options |= {name: embedding.build(name).embed for name in given.names.split(",")}
    wall, processor = dict.fromkeys(options, 0.0), dict.fromkeys(options, 0.0)
    vectors: dict[str, list[Matrix]] = {name: [] for name in options}
    asked = {name: question_times(embed) for name, embed in options.items()}
    for part in range(PARTS):
        for name, embed in options.items():
            started, spent = time.perf_counter(), time.process_time()
            vectors[name].append(embed(texts[part::PARTS], role="note"))
            wall[name] += time.perf_counter() - started
            processor[name] += time.process_time() - spent
    print(f"{'':<40}{'windows/s':>10}{'ratio':>9}{'processor':>11}{'p50 ms':>9}{'p95 ms':>9}{'cosine':>10}{'least':>9}")
    first = next(iter(options))
    exact = np.concatenate(vectors[first])
    for name in options:
        same = name.partition(",")[0] in (first.partition(",")[0], "bundled", "onnx")
        cosines = (np.concatenate(vectors[name]) * exact).sum(axis=1) if same else np.full(1, np.nan)
        print(
            f"{name:<40}{len(texts) / wall[name]:>10.1f}{wall[first] / wall[name]:>9.2f}"
            f"{processor[first] / processor[name]:>11.2f}{asked[name][0]:>9.1f}{asked[name][1]:>9.1f}"
            f"{cosines.mean():>10.5f}{cosines.min():>9.5f}"
        )


if __name__ == "__main__":
    main()
