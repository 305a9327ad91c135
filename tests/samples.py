"""A small folder of notes, Chinese and English, that tests import."""

from pathlib import Path

CACHE = """---
title: 缓存雪崩
tags: [redis, 缓存]
updated: 2026-03-01
---

# 缓存雪崩

大量的键同时过期，请求全部落到数据库上，这就是缓存雪崩。给过期时间加上随机值，可以把失效的时刻错开。
"""

BACKUPS = """# Backups

Backups are only worth what their last restore proved.

## Taking one

Run `pg_dump --format=custom shop > shop.dump` every night and copy the file to another machine.

## Restoring

Create an empty database and run `pg_restore --dbname=shop_test shop.dump`. Count the rows of the
largest table and compare them with production.
"""

BREAD = "The dough rested for two hours at 24 degrees, then a night in the fridge. Crumb open, crust dark.\n"


def write(folder: Path) -> Path:
    """Write the three notes below `folder` and return it."""
    for path, text in {"缓存/雪崩.md": CACHE, "backups.md": BACKUPS, "kitchen/bread.txt": BREAD}.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return folder


def long_note(sections: int) -> str:
    """A note of many sections, each with words of its own."""
    parts = [
        f"## Section {number}\n\n" + f"The word{number} of this section stands here in a sentence. " * 12
        for number in range(sections)
    ]
    return "# Long\n\n" + "\n\n".join(parts) + "\n"


def write_pictured(folder: Path) -> Path:
    """Write a note with two pictures below `folder`, which `fakes.read_picture` reads, and return it."""
    folder.mkdir()
    (folder / "plan.md").write_text("# Plan\n\n![[board.png]] ![[torn.png]]\n")
    (folder / "board.png").write_bytes(b"board")
    (folder / "torn.png").write_bytes(b"torn")
    return folder
