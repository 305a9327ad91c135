"""Speed of embedding: windows and tokens a second, and the time of one question.

    python -m benchmarks.embedding                 synthetic notes in Chinese and English
    python -m benchmarks.embedding --notes DIR     the Markdown files of a folder

Every row embeds the same windows in the same process. Ratios mean more than figures: other
programs on the machine slow all rows alike.
"""

import argparse
import random
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from core.embedding.bundled import Bundled
from core.embedding.device import Device, choose

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


def timed(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def question_times(ask: Callable[[str], object]) -> tuple[float, float]:
    """Median and 95th percentile in milliseconds of 60 warm questions."""
    asked = [f"how do I restore backup {number} of the database" for number in range(70)]
    times = [1000 * timed(lambda question=question: ask(question)) for question in asked][10:]  # type: ignore[misc]
    return float(np.percentile(times, 50)), float(np.percentile(times, 95))


def row(name: str, bulk: Callable[[], object], ask: Callable[[str], object], windows: int, tokens: int) -> None:
    p50, p95 = question_times(ask)
    seconds = timed(bulk)
    print(f"{name:<44}{windows / seconds:>10.1f}{tokens / seconds:>10.0f}{p50:>9.1f}{p95:>9.1f}", flush=True)


def plain(device: Device, texts: Sequence[str], batch_size: int, tokens: int) -> None:
    import torch
    from sentence_transformers import SentenceTransformer

    from core.embedding import e5

    model = SentenceTransformer(
        str(e5.ensure_folder()),
        device=device.name,
        local_files_only=True,
        model_kwargs={"dtype": getattr(torch, device.dtype)},
    )

    def encode(batch: list[str], prompt: str) -> object:
        found = model.encode(
            batch, prompt=prompt, batch_size=batch_size, convert_to_tensor=True, show_progress_bar=False
        )
        return found.float().cpu().numpy()

    row(
        f"SentenceTransformer.encode {device.dtype}, {batch_size} rows",
        lambda: encode(list(texts), "passage: "),
        lambda question: encode([question], "query: "),
        len(texts),
        tokens,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--notes", type=Path, help="a folder of Markdown files")
    parser.add_argument("--count", type=int, default=100, help="how many windows (default 100)")
    parser.add_argument("--budgets", type=int, nargs="*", default=[], help="also try these tokens a batch")
    arguments = parser.parse_args()
    texts = from_notes(arguments.notes, arguments.count) if arguments.notes else synthetic(arguments.count)
    device = choose()
    bundled = Bundled()
    tokens = sum(min(len(bundled.tokens(text)), bundled.input_tokens) for text in texts)
    print(f"{len(texts)} windows, {tokens} tokens; {device.name} in {device.dtype}: {device.reason}")
    print(f"{'':<44}{'windows/s':>10}{'tokens/s':>10}{'p50 ms':>9}{'p95 ms':>9}")
    numbers = dict.fromkeys(["float32", device.dtype])
    for dtype in numbers:
        for batch_size in (8, 16, 32):
            plain(Device(device.name, dtype, ""), texts, batch_size, tokens)
    from core.embedding import encoder

    for dtype in numbers:
        embedder = Bundled(device=Device(device.name, dtype, ""))
        for budget in [encoder.BATCH_TOKENS[device.name], *arguments.budgets]:
            encoder.BATCH_TOKENS[device.name] = budget
            row(
                f"Bundled {dtype}, {budget} tokens a batch",
                lambda embedder=embedder: embedder.embed(texts, role="note"),
                lambda question, embedder=embedder: embedder.embed([question], role="query"),
                len(texts),
                tokens,
            )


if __name__ == "__main__":
    main()
