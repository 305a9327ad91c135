"""60 documents in 15 kinds, Chinese and English: how many headings, words and tables come back."""

import random
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from benchmarks.documents.making import mhtml, of_markdown, xlsx
from benchmarks.documents.pdfs import HEIGHT, PdfPage, pdf
from core.base.errors import SourceError
from core.documents.converting import convert

_EACH = 4
_KINDS = "docx odt pptx epub html mhtml rst org ipynb mediawiki tex rtf xlsx csv pdf".split()
_WORDS = (
    "archive budget canal delivery engine forest garden harbour invoice journey kitchen ladder meadow notebook orchard "
    "paper quarry river station timber uniform valley window yellow zebra".split()
)
_SIGNS = "山水田土日月星云风雨花草木石金玉春夏秋冬东南西北高低长短新旧书画文字学校工厂公司市场道路桥梁河湖海岸城镇村庄"
_WORD = re.compile(r"[a-z]+|[\u4e00-\u9fff]")
_HEADING = re.compile(r"(#{1,6}) (.+)")
_SEPARATOR = re.compile(r"\|[ :|-]+\|")


@dataclass(frozen=True)
class Section:
    """A part of a document."""

    level: int
    title: str
    text: str
    items: tuple[str, ...]
    table: tuple[tuple[str, ...], ...]
    code: str
    footnote: str


def sentence(seed: int, length: int = 60) -> str:
    """Return words up to a number of characters, always the same ones for a seed."""
    chance = random.Random(seed)
    words = [chance.choice(_WORDS)]
    while sum(map(len, words)) + len(words) < length - 9:
        words.append(chance.choice(_WORDS))
    return " ".join(words) + "."


def _chinese(chance: random.Random, length: int) -> str:
    return "".join(chance.choice(_SIGNS) for _ in range(length)) + "。"


def _sections(seed: int) -> Iterator[Section]:
    chance = random.Random(seed)
    for number in range(6):
        wide = chance.random() < 0.5
        title = _chinese(chance, 6)[:-1] if wide else " ".join(chance.sample(_WORDS, 2)).capitalize()
        text = _chinese(chance, 120) if wide else " ".join(sentence(chance.random().__hash__(), 70) for _ in range(5))
        rows = tuple(tuple(chance.sample(_WORDS, 3)) for _ in range(4)) if number % 2 else ()
        items = tuple(sentence(seed * 100 + number * 10 + at, 40) for at in range(3)) if number % 3 == 0 else ()
        code = "def ladder():\n    return river" if number == 2 else ""
        yield Section(1 + number % 3, title, text, items, rows, code, sentence(seed + number) if number == 4 else "")


def _markdown(sections: list[Section]) -> str:
    parts = []
    for section in sections:
        parts.append(f"{'#' * section.level} {section.title}")
        parts.append(section.text + ("[^1]" if section.footnote else ""))
        parts += ["\n".join(f"- {item}" for item in section.items)] if section.items else []
        if section.table:
            lines = ["| " + " | ".join(row) + " |" for row in section.table]
            parts.append("\n".join([lines[0], "|---|---|---|", *lines[1:]]))
        parts += [f"```python\n{section.code}\n```"] if section.code else []
        parts += [f"[^1]: {section.footnote}"] if section.footnote else []
    return "\n\n".join(parts) + "\n"


def _pdf(sections: list[Section], *, columns: bool) -> bytes:
    """Return the sections on pages, in one column or in two, with running heads and page numbers."""
    pages = [PdfPage()]
    y, column = 90.0, 0
    width = 230 if columns else 470

    def room(height: float) -> float:
        nonlocal y, column
        if y + height > HEIGHT - 90:
            column = (column + 1) % (2 if columns else 1)
            y = 90.0
            if column == 0:
                pages.append(PdfPage())
        return 60 + column * 250

    def write(text: str, size: float, font: str = "body", *, mark: str = "") -> None:
        nonlocal y
        letter = 1.0 if not text.isascii() else 0.6 if font == "fixed" else 0.52
        per_line = int((width - (20 if mark else 0)) / (size * letter))
        lines = list(_lines(text, per_line))
        for number, line in enumerate(lines):
            x = room(size * 1.3)
            if mark and not number:
                pages[-1].text(x, y, mark, size)
            pages[-1].text(x + (14 if mark else 0), y, line, size, font)
            y += size * 1.3

    for section in sections:
        room(60)
        y += 14
        write(section.title, {1: 20, 2: 16, 3: 13}[section.level], "bold")
        y += 8
        write(section.text, 10)
        y += 10
        for item in section.items:
            write(item, 10, mark="-")
        if section.table:
            x = room(20 * len(section.table) + 20)
            y = pages[-1].table(x, y, [list(row) for row in section.table], width / 3.2) + 24
        for line in section.code.splitlines():
            x = room(13) + 6 * (len(line) - len(line.lstrip()))
            pages[-1].text(x, y, line.strip(), 10, "fixed")
            y += 13
        y += 8
        if section.footnote:
            write(section.footnote, 8)
    for number, page in enumerate(pages, 1):
        page.text(240, 40, "Running head of the corpus", 8)
        page.text(280, HEIGHT - 30, f"{number} / {len(pages)}", 8)
    return pdf(pages)


def _lines(text: str, length: int) -> Iterator[str]:
    """Yield a text in lines; a long English word may be divided."""
    if not text.isascii():
        yield from (text[at : at + length] for at in range(0, len(text), length))
        return
    line = ""
    for word in text.split(" "):
        if len(line) + len(word) + 1 > length:
            room = length - len(line) - 2
            if len(word) > 7 and room >= 4:
                yield f"{line} {word[:4]}-"
                line = word[4:]
                continue
            yield line
            line = word
        else:
            line = f"{line} {word}".strip()
    yield line


def _document(kind: str, number: int) -> tuple[bytes, list[Section]]:
    sections = list(_sections(number + 1000 * _KINDS.index(kind)))
    if kind == "pptx":  # the titles of slides are of one level
        sections = [replace(section, level=2) for section in sections]
    if kind in ("xlsx", "csv"):
        tables = [Section(2, section.title, "", (), section.table, "", "") for section in sections if section.table]
        if kind == "csv":
            return "\n".join(",".join(row) for row in tables[0].table).encode(), [
                Section(0, "", "", (), tables[0].table, "", "")
            ]
        return xlsx({one.title: [list(row) for row in one.table] for one in tables}), tables
    if kind == "pdf":
        return _pdf(sections, columns=number % 2 == 1), sections
    if kind == "mhtml":
        return mhtml(of_markdown(_markdown(sections), "html").decode()), sections
    return of_markdown(_markdown(sections), kind), sections


def _bag(text: str) -> Counter[str]:
    return Counter(_WORD.findall(text.casefold()))


def measure() -> None:
    """Print headings at their level, words and tables of each kind and of all."""
    total: Counter[str] = Counter()
    for kind in _KINDS:
        of_kind: Counter[str] = Counter()
        for number in range(_EACH):
            data, sections = _document(kind, number)
            try:
                text = convert(data, f"{number}.{kind}")[0].text
            except SourceError as error:
                print(f"  {kind} {number}: {error}")
                text = ""
            wanted = [(section.level, section.title) for section in sections if section.level]
            got = Counter(
                (len(match[1]), match[2].strip()) for match in map(_HEADING.fullmatch, text.splitlines()) if match
            )
            of_kind["headings"] += len(wanted)
            of_kind["right headings"] += (Counter(wanted) & got).total()
            words = _bag(_markdown(sections).replace("```python", ""))
            of_kind["words"] += words.total()
            of_kind["right words"] += (words & _bag(text)).total()
            of_kind["tables"] += sum(bool(section.table) for section in sections)
            of_kind["right tables"] += len([line for line in text.splitlines() if _SEPARATOR.fullmatch(line.strip())])
        print(f"{kind:10} " + _line(of_kind))
        total += of_kind
    print(f"{'all':10} " + _line(total))


def _line(counts: Counter[str]) -> str:
    return ", ".join(
        f"{name} {counts[f'right {name}']:,} of {counts[name]:,} ({counts[f'right {name}'] / max(1, counts[name]):.1%})"
        for name in ("headings", "words", "tables")
    )
