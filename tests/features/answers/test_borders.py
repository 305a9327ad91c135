"""What is shown of a note begins and ends at a sentence, a row or a line, and never inside of a command or a link."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

import pytest

from core.features.answers.choosing import excerpts
from core.features.answers.units import units_of
from tests.features.answers.test_excerpts import candidates, only_reading

WORDS = "oven dough stone water flour restores the night backup copies in mill with cold heavy rack".split()
CHARACTERS = "烤箱石板温度备份数据面团发酵揉面清洗位置时间风干木炭"
INLINE = ["`pip install x. y`", "`` git a `b. c` ``", "[How. To bake](a%20b.md)", "[[Baking. Bread]]", "`a, b; c`"]

__all__ = ["only_reading"]


@dataclass
class Made:
    """A note that is written piece by piece, with the places where something shown may begin and end."""

    random: Random
    text: str = ""
    starts: set[int] = field(default_factory=set)
    ends: set[int] = field(default_factory=set)

    def piece(self, text: str, after: str = "") -> None:
        self.starts |= {len(self.text), len(self.text) + len(text) - len(text.lstrip())}
        self.text += text
        self.ends.add(len(self.text))
        self.text += after

    def words(self, least: int, most: int) -> list[str]:
        count = self.random.randint(least, most)
        return [self.random.choice(INLINE if self.random.random() < 0.1 else WORDS) for _ in range(count)]

    def prose(self) -> None:
        for _ in range(self.random.randint(1, 5)):
            self.piece(f"The {' '.join(self.words(3, 25))}.", self.random.choice(" \n"))

    def wrapped(self) -> None:
        for _ in range(self.random.randint(8, 20)):
            self.piece(f"the {' '.join(self.words(6, 12))}", "\n")

    def long_line(self) -> None:
        for _ in range(self.random.randint(80, 250)):
            self.piece(self.words(1, 1)[0], " ")

    def chinese(self) -> None:
        for _ in range(self.random.randint(5, 80)):
            run = "".join(self.random.choices(CHARACTERS, k=self.random.randint(4, 30)))
            self.piece(f"{run}{self.random.choice(INLINE) if self.random.random() < 0.1 else ''}，")

    def unbroken(self) -> None:
        for character in self.random.choices(CHARACTERS, k=self.random.randint(10, 1200)):
            self.piece(character)

    def command(self, indent: str) -> None:
        lines = [f"{indent}$ run --{word}. Now! {word}" for word in self.words(1, 1)]
        lines += [f"{indent}    --{word} 'a. B' " + "x" * 40 for word in self.words(0, 14)]
        joined = self.random.choice([" \\\n", " |\n", " &&\n"]).join(lines)
        self.piece(joined, "\n")

    def fenced(self) -> None:
        start = len(self.text)
        if self.random.random() < 0.5:
            self.piece(f"Then do as follows, {' '.join(self.words(1, 9))}:", "\n\n")
        self.text += "```sh\n"
        for _ in range(self.random.randint(1, 9)):
            self.command("")
        self.text += "```"
        self.ends.add(len(self.text))
        assert start in self.starts or self.text[start:].startswith("```")

    def indented(self) -> None:
        self.piece(f"So {' '.join(self.words(1, 9))}:", "\n\n")
        for _ in range(self.random.randint(1, 9)):
            self.command(self.random.choice(["    ", "\t"]))

    def table(self) -> None:
        self.piece("| what | how. Much |", "\n|---|---|\n")
        for _ in range(self.random.randint(1, 6)):
            self.piece(f"| {' '.join(self.words(1, 90))} | A. B, `c. D` {' '.join(self.words(1, 9))} |", "\n")

    def items(self) -> None:
        for _ in range(self.random.randint(1, 6)):
            self.piece(f"- Take {' '.join(self.words(3, 20))}.", "\n")


BLOCKS: list[Callable[[Made], None]] = [
    Made.prose,
    Made.wrapped,
    Made.long_line,
    Made.chinese,
    Made.unbroken,
    Made.fenced,
    Made.indented,
    Made.table,
    Made.items,
]


def make(seed: int) -> Made:
    made = Made(Random(seed))
    for number in range(4):
        made.text += f"\n\n## Part {number}\n\n"
        made.random.choice(BLOCKS)(made)
    return made


@pytest.mark.parametrize("seed", range(60))
def test_what_is_shown_begins_and_ends_at_a_border(seed: int) -> None:
    made = make(seed)
    units = units_of(made.text)
    assert units
    values = [made.random.gauss(0, 3) for _ in units]
    spans = {(unit.start, unit.end) for unit in units}
    for excerpt in excerpts(candidates(made.text, *values)):
        spans.add((excerpt.start, excerpt.end))
        spans |= {excerpt.shown, excerpt.marked}
    wrong = [
        made.text[max(0, start - 40) : start] + "⟦" + made.text[start:end] + "⟧" + made.text[end : end + 40]
        for start, end in spans
        if start not in made.starts or end not in made.ends
    ]
    assert not wrong, wrong[0]


def test_a_line_that_is_short_enough_is_not_divided() -> None:
    for seed in range(60):
        made = make(seed)
        inside = [unit for unit in units_of(made.text) if re.search(r"\w\Z", made.text[: unit.start].rstrip(" "))]
        for unit in inside:
            start = made.text.rfind("\n", 0, unit.start) + 1
            assert len(made.text[start:].partition("\n")[0]) > 400
