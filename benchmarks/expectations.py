"""What users expect of a search box: a title, a sentence or a rare word finds its note first.

python -m benchmarks.expectations DATA [--workspace DIR] [--count 100] [--words 200] [--modes default,keyword] : DATA
contains vaults/NAME; notes, sentences and words are drawn from each with a fixed seed. With a permanent workspace,
nothing is embedded twice. A row shows in how many of its cases a right chunk is first, among three, and among ten hits.
"""

import argparse
import random
import re
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.quality import imported
from core.base.errors import QueryError
from core.base.text import fold
from core.model import Chunk, Filters, Hit, Note, SearchOptions
from core.workspace import Workspace

SEED = 2026
VAULTS = ("d2l-zh", "rust-book")
MODES: dict[str, SearchOptions] = {"default": {}, "keyword": {"mode": "keyword"}, "plain": {"reranker": "none"}}

FORMS = {
    "en": (
        "how does {} work here",
        "what is {}",
        "when should I use {}",
        "why is {} needed",
        "where is {} described",
        "explain {} to me",
        "an example of {}",
        "what did I write about {}",
        "how do I use {} in practice",
        "is {} a good idea",
    ),
    "zh": (
        "{}是什么",
        "{}是怎么实现的",
        "什么时候用{}",
        "为什么需要{}",
        "{}怎么用",
        "请解释一下{}",
        "{}有什么缺点",
        "哪里提到过{}",
        "关于{}我记了什么",
        "举一个{}的例子",
    ),
}

_HAN = "\u3400-\u9fff"
_CODE = re.compile(r"^(```|~~~).*?^\1", re.M | re.S)
_MARKUP = re.compile(r"[`*_\[\]<>|$\\#{}]|https?:|^\s*(?:[-+>:]|\d+\.)")
_SENTENCE = {
    "en": re.compile(r"[A-Z][^.!?\n]{40,180}[.!?](?=\s|$)"),
    "zh": re.compile(rf"(?<=[。！？\n])[{_HAN}][^。！？\n]{{14,70}}[。！？]"),
}
_IDENTIFIER = re.compile(
    r"(?<![\w-])(?=\w*(?:[a-z][A-Z]|[^\W_]_[^\W_]|\d))[A-Za-z]\w{2,28}[A-Za-z0-9](?![\w-])", re.ASCII
)
_TOGETHER = 60
"""How many times as often as by chance the parts of a Chinese word occur side by side."""
_RUN = re.compile(rf"[{_HAN}]{{2,}}")
_GRAMMAR = frozenset(
    "的了是在和与及或为之其某些这那个们中上下可以能会要就也都而但如从被把对将到于由等所有没不很更最每各该此当时后前间"
    "一二两三几何么什么怎吗呢吧啊地得着过来去给让使用并且则即若因它他她我你您向比式量度性者化"
)
"""Characters that join or end words; a string that begins or ends with one is usually no word."""


@dataclass(frozen=True, slots=True)
class Case:
    """A query, and a test whether a hit is the expected one."""

    text: str
    right: Callable[[Hit], bool]


@dataclass(frozen=True, slots=True)
class Vault:
    """A base with its notes and their chunks."""

    base: str
    language: str
    notes: list[Note]
    chunks: dict[str, list[Chunk]]

    @property
    def texts(self) -> list[str]:
        return [chunk.text for chunks in self.chunks.values() for chunk in chunks]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--workspace", type=Path)
    parser.add_argument("--count", type=int, default=100, help="notes and sentences drawn from each vault")
    parser.add_argument("--words", type=int, default=200, help="identifiers, and rare Chinese words, at most")
    parser.add_argument("--modes", default="default", help=f"of {', '.join(MODES)}, with commas between")
    given = parser.parse_args()
    print("| mode | typed | vault | cases | first | in three | in ten | p50 ms |\n|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as scratch, Workspace(given.workspace or Path(scratch)) as workspace:
        vaults = [read(workspace, imported(workspace, given.data / "vaults" / name, "bundled")) for name in VAULTS]
        for mode in given.modes.split(","):
            for vault in vaults:
                for typed, cases in kinds(vault, given.count, given.words):
                    row(workspace, mode, typed, vault.base, cases)


def read(workspace: Workspace, base: str) -> Vault:
    notes = [workspace.notes.get(card.id) for card in workspace.notes.all(Filters(bases=(base,)))]
    chunks = {note.id: workspace.chunks.all(note.id) for note in notes}
    return Vault(base, base.rpartition("-")[2] if base.endswith("zh") else "en", notes, chunks)


def kinds(vault: Vault, count: int, words: int) -> Iterator[tuple[str, list[Case]]]:
    """Yield the kinds of queries, each with its cases, all drawn with SEED."""
    draw = random.Random(SEED)
    notes = draw.sample(vault.notes, min(count, len(vault.notes)))
    yield "title", [Case(note.title, of_title(note.title)) for note in notes]
    yield "title, two letters swapped", [Case(swapped(note.title, draw), of_title(note.title)) for note in notes]
    sections = [(note, draw.choice(own)) for note in notes if (own := titled(vault.chunks[note.id], note.title))]
    yield "title and section", [Case(f"{note.title} {name}", of_section(note, name)) for note, name in sections]
    pasted = draw.sample(every := sentences(vault), min(count, len(every)))
    yield "whole sentence", [Case(sentence, holds(sentence)) for sentence in pasted]
    yield "half a sentence", [Case(half(sentence), holds(half(sentence))) for sentence in pasted]
    # Identifiers come from both vaults in equal numbers; only one of them has Chinese words.
    rare = {"identifier": (identifiers(vault), words // len(VAULTS)), "rare word": (chinese(vault), words)}
    for name, (known, most) in rare.items():
        drawn = draw.sample(known, min(most, len(known)))
        if drawn:
            yield name, [Case(word, holds(word)) for word in drawn]
            forms = [(word, form) for word in drawn for form in FORMS[vault.language]]
            yield f"{name} in a question", [Case(form.format(word), holds(word)) for word, form in forms]


def of_title(title: str) -> Callable[[Hit], bool]:
    return lambda hit: fold(hit.note.title) == fold(title)


def of_section(note: Note, name: str) -> Callable[[Hit], bool]:
    return lambda hit: hit.note.id == note.id and name in hit.chunk.titles


def holds(text: str) -> Callable[[Hit], bool]:
    """Return whether a hit's chunk contains a text, regardless of line breaks."""
    wanted = " ".join(fold(text).split())
    return lambda hit: wanted in " ".join(fold(hit.chunk.text).split())


def swapped(title: str, draw: random.Random) -> str:
    """Swap two different neighbouring letters, as in a typing error."""
    places = [
        at for at in range(len(title) - 1) if title[at] != title[at + 1] and (title[at] + title[at + 1]).isalpha()
    ]
    at = draw.choice(places or [0])
    return title[:at] + title[at + 1 : at + 2] + title[at : at + 1] + title[at + 2 :]


def titled(chunks: Sequence[Chunk], title: str) -> list[str]:
    """Return the titles of a note's sections, except the note's own title."""
    return sorted({chunk.section_title for chunk in chunks if chunk.section_title not in ("", title)})


def sentences(vault: Vault) -> list[str]:
    """Return the sentences without markup that are entirely in one chunk."""
    prose = ("\n".join(_CODE.sub("", note.body).splitlines()) for note in vault.notes)
    every = {match.group() for text in prose for match in _SENTENCE[vault.language].finditer(text)}
    within = "\n".join(vault.texts)
    return sorted(sentence for sentence in every if not _MARKUP.search(sentence) and sentence in within)


def half(sentence: str) -> str:
    """Return the first half, up to the end of a word."""
    cut = len(sentence) // 2
    return sentence[:cut] if re.match(rf"[{_HAN}]", sentence) else sentence[: sentence.index(" ", cut)]


def identifiers(vault: Vault) -> list[str]:
    """Return the identifiers (an inner capital, a digit or an underscore) that occur in at most two chunks."""
    holders = Counter(word for text in vault.texts for word in {*_IDENTIFIER.findall(text)})
    folded = [fold(text) for text in vault.texts]
    few = [word for word, count in holders.items() if count <= 2]
    return sorted(word for word in few if sum(fold(word) in text for text in folded) <= 2)


def chinese(vault: Vault) -> list[str]:
    """Return the rare words of two to four characters that occur in at most two chunks, three times or more.

    Their neighbours on both sides vary, and their parts occur together much more often than by chance, so each is one
    word, neither a part of one nor two words.
    """
    holders: Counter[str] = Counter()
    uses: Counter[str] = Counter()
    left, right = defaultdict[str, set[str]](set), defaultdict[str, set[str]](set)
    for text in vault.texts:
        inside: set[str] = set()
        for run in _RUN.finditer(text):
            padded = f" {run.group()} "
            for size in (1, 2, 3, 4):
                for at in range(1, len(padded) - size):
                    word = padded[at : at + size]
                    inside.add(word)
                    uses[word] += 1
                    left[word].add(padded[at - 1])
                    right[word].add(padded[at + size])
        holders.update(inside)
    total = sum(count for word, count in uses.items() if len(word) == 1)

    def is_word(word: str) -> bool:
        parts = ((word[:at], word[at:]) for at in range(1, len(word)))
        together = min(uses[word] * total / (uses[one] * uses[other]) for one, other in parts)
        return together >= _TOGETHER and min(len(left[word]), len(right[word])) >= 2

    few = [word for word, count in holders.items() if count <= 2 and uses[word] >= 3 and len(word) > 1]
    return sorted(word for word in few if not _GRAMMAR & {*word} and is_word(word))


def row(workspace: Workspace, mode: str, typed: str, base: str, cases: Sequence[Case]) -> None:
    """Search for every case and print how often a right chunk was first, among three and among ten."""
    ranks, times = [], []
    workspace.search("warm up", filters=Filters(bases=(base,)), **MODES[mode])
    for case in cases:
        started = time.perf_counter()
        try:
            hits = workspace.search(case.text, filters=Filters(bases=(base,)), limit=10, **MODES[mode]).hits
        except QueryError:
            hits = ()
        times.append((time.perf_counter() - started) * 1000)
        ranks.append(next((hit.rank for hit in hits if case.right(hit)), 11))
    shares = " | ".join(f"{sum(rank <= within for rank in ranks) / len(ranks):.3f}" for within in (1, 3, 10))
    print(f"| {mode} | {typed} | {base} | {len(cases)} | {shares} | {sorted(times)[len(times) // 2]:.0f} |", flush=True)


if __name__ == "__main__":
    main()
