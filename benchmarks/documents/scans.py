"""Scanned pages, clean and noisy, turned, Chinese and English: how many characters are read wrong."""

import random
import resource
import time
from pathlib import Path
from typing import Any

from benchmarks.documents.corpus import sentence
from benchmarks.documents.pdfs import PdfPage, pdf
from core.documents.converting import convert

_EACH = 20
_SIGNS = "知识库把一个人的笔记和文档放在一起按字词和语义查找结果说明它来自哪里会议纪要预算批准招聘办公室星期五"


def measure() -> None:
    """Print the character error of clean and of noisy pages, and pages a minute."""
    fonts = sorted(Path("/usr/share/fonts").rglob("Noto*CJK-Regular.ttc"))
    if not fonts:
        print("scans: no font with Chinese is installed (fonts-noto-cjk)")
        return
    seconds = 0.0
    for name, noise in (("clean", 0), ("noisy", 24)):
        wrong = characters = 0
        for number in range(_EACH):
            chance = random.Random(number)
            lines = [
                sentence(number * 20 + line, 45)
                if chance.random() < 0.5
                else "".join(chance.choice(_SIGNS) for _ in range(18))
                for line in range(8)
            ]
            page = PdfPage()
            page.picture(_picture(lines, fonts[number % len(fonts)], 9 + number % 16, chance, noise))
            started = time.perf_counter()
            text = convert(pdf([page]), "scan.pdf")[0].text
            seconds += time.perf_counter() - started
            wanted, got = "".join("".join(lines).split()), "".join(text.split())
            wrong += _distance(wanted, got)
            characters += len(wanted)
        print(f"{name}: {_EACH} pages, character error {wrong / characters:.2%} of {characters:,}")
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"{2 * _EACH / seconds * 60:.1f} pages a minute, each in a process of its own; {most:.0f} MB")


def _picture(lines: list[str], font: Path, points: int, chance: random.Random, noise: int) -> Any:
    """Return a page of A4 at 150 dots an inch, turned a little; `noise` is how much the brightness of a dot varies."""
    import numpy as np
    from PIL import Image, ImageDraw, ImageFont

    image = Image.new("L", (1240, 1754), 250)
    drawn, loaded = ImageDraw.Draw(image), ImageFont.truetype(str(font), round(points * 150 / 72))
    for number, line in enumerate(lines):
        drawn.text((100, 140 + number * points * 4.2), line, fill=20, font=loaded)
    image = image.rotate(chance.uniform(-1.5, 1.5), fillcolor=250)
    if noise:
        dots = np.random.default_rng(chance.randrange(2**32)).normal(0, noise, (1754, 1240))
        image = Image.fromarray(np.clip(np.asarray(image) + dots, 0, 255).astype("uint8"))
    return image


def _distance(first: str, second: str) -> int:
    """Return the number of characters to insert, delete and replace (Levenshtein)."""
    row = list(range(len(second) + 1))
    for at, one in enumerate(first, 1):
        before, row[0] = row[0], at
        for place, other in enumerate(second, 1):
            before, row[place] = row[place], min(row[place] + 1, row[place - 1] + 1, before + (one != other))
    return row[-1]
