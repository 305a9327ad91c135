"""Two thousand hostile and random questions: none may raise anything but a told error, none may take a second.

python -m benchmarks.hostile WORKSPACE [--count 2000] : asks the real bases of a workspace, with the real model.
"""

import argparse
import random
import time
from pathlib import Path

from core.errors import TesseraError
from core.workspace import Workspace

PIECES = (
    '" “ ” 「 」 \' - -- -" * ( ) { } [ ] ^ : ： , . ; \\ / | & % _ + # ~ ` < > = ! ? AND OR NOT NEAR( rowid body:'
    " tag: -tag: in:a section:b has:code after:2020 before:2030 标签：x status:active redis Redis缓存 数据库 數據庫"
    " ＲＥＤＩＳ 最近一个月 vs 对比 和 的区别 总结 the of and what how list all everything about model 🔥 שלום مرحبا"
    " \u202e \u200d \x00 \x07 \ufeff"
).split(" ")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("workspace", type=Path)
    parser.add_argument("--count", type=int, default=2000)
    given = parser.parse_args()
    chance = random.Random(0)
    times: list[tuple[float, str]] = []
    refused = 0
    with Workspace(given.workspace) as workspace:
        workspace.store.open_index()
        workspace.search("warm")
        for _ in range(given.count):
            typed = question(chance)
            started = time.perf_counter()
            try:
                workspace.search(typed)
            except TesseraError:
                refused += 1
            times.append((time.perf_counter() - started, typed))
    times.sort()
    print(f"{given.count} questions, {refused} refused with a reason, no other error")
    print(f"p50 {times[len(times) // 2][0] * 1000:.0f} ms, p99 {times[len(times) * 99 // 100][0] * 1000:.0f} ms")
    for took, typed in reversed(times[-5:]):
        print(f"  {took * 1000:6.0f} ms  {len(typed):6} characters  {typed[:60]!r}")


def question(chance: random.Random) -> str:
    """Return pieces of the query language, of FTS5 and of scripts in any order, or characters at random."""
    kind = chance.random()
    if kind < 0.05:
        return (chance.choice(PIECES) + chance.choice(["", " "])) * 10_000
    if kind < 0.3:
        return "".join(chr(chance.randrange(0x20, 0xD7FF)) for _ in range(chance.randrange(1, 80)))
    return chance.choice(["", " "]).join(chance.choices(PIECES, k=chance.randrange(1, 25)))


if __name__ == "__main__":
    main()
