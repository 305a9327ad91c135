"""Questions with the units that answer them: Wikipedia's paragraphs, and headings of documentation with their sections.

Some passages get a sentence that restates the question: it is about the same and answers nothing, as introductions are.
"""

import gzip
import json
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from core.embedding.tokens import TokenEmbedder, signs, unit
from core.features.answers.units import units_of
from core.model import Bits, Matrix, Spans

PARAGRAPHS = ("cmrc2018_trial", "drcd_dev", "drcd_test", "xquad24_en", "xquad24_zh", "xquad24_de", "xquad24_es")
ROOM = {"en": 1100, "zh": 600}
"""Most characters of the sections that are one passage, by language."""
LONGEST = 2700
"""Characters of a passage that are read."""
MOST_OF_ONE = {"MicrosoftDocs/PowerShell-Docs": 2200}
"""Most sections of a repository that has a third of all."""
COMMONEST = 3
"""How often a heading may occur; *Examples* or *Parameters* ask nothing."""
RESTATED = {"paragraph": 4200, "question": 1500, "heading": 3300}
"""Passages that get a sentence that restates their question, by kind."""
_AT_ONCE = 512

_CJK = re.compile("[\u4e00-\u9fff]")
_ASKS = re.compile(r"(?i)(what|why|how|when|where|which|who|is|are|can|do|does|did|was|were)\b")
_HOW = re.compile(
    r"(?i)^\W*(how (to|do|can|i)\b|\w+ing\b|(add|use|install|create|set|get|run|remove|delete|update|change|make|"
    r"write|build|configure|enable|disable|start|stop|list|find|check|show|import|export|convert)\b)"
    r"|如何|怎么|怎样|^(安装|创建|使用|配置|添加|设置|启动|删除|修改|查看|运行|编写|构建|获取|发布|部署|更新)"
)
_STEP = re.compile(r"\s*\d+[.)、]")
_WHY = re.compile(r"(?i)\bwhy\b|为什么|为何|原因")
_REASON = re.compile(r"(?i)\bbecause\b|\bsince\b|so that|\bdue to\b|therefore|因为|由于|否则|因此|以便|避免")
_WHAT = re.compile(r"(?i)^\W*what('s| is| are)\b|什么是|是什么")
_LIKELIER, _FIRST = 4.0, 3.0
"""How much likelier code and steps are for how-to headings, reasons for why, and the first unit for what is."""

_OF_QUESTIONS = (
    "In this section, we look at {text}.",
    "You may wonder {text}.",
    "Sometimes you want to know {text}.",
    "People often ask {text}.",
    "The question here is {text}.",
    "Let's see {text}.",
    "A common question is {text}.",
    "I wanted to find out {text}.",
)
_OF_HEADINGS = (
    "Sometimes you want to {text}.",
    "This section describes {text}.",
    "You may need {text}.",
    "In this note we look at {text}.",
    "There are times when {text} comes up.",
    "To demonstrate {text}, we start with an example.",
    "I recently had to deal with {text}.",
    "{text} is something that comes up often.",
)
_IN_CHINESE = (
    "本节将介绍{text}。",
    "很多人想知道{text}。",
    "下面来看看{text}。",
    "有时候会遇到这个问题：{text}。",
    "首先我们要问的是{text}。",
    "我们经常需要了解{text}。",
    "这里讨论{text}。",
)


@dataclass
class Passage:
    """A text below its headings, with its units and, once it is encoded, the bits and places of its tokens."""

    heading: str
    text: str
    bits: Bits = field(default_factory=lambda: np.empty((0, 0), np.uint8))
    places: Spans = field(default_factory=lambda: np.empty((0, 2), np.int32))

    @property
    def units(self) -> Sequence[Any]:
        return units_of(self.text)


@dataclass(frozen=True)
class Example:
    """A question, the passage and the numbers of its units that answer it, and other passages of its document."""

    question: str
    passage: Passage
    right: tuple[int, ...]
    others: tuple[Passage, ...]
    kind: str
    vectors: Matrix = field(default_factory=lambda: np.empty((0, 0), np.float16))

    def target(self) -> Matrix:
        """Return how likely each right unit is to be the answer, 1 for the likeliest."""
        weights = np.ones(len(self.right))
        if self.kind != "paragraph":
            units = self.passage.units
            for at, number in enumerate(self.right):
                one = units[number]
                text = self.passage.text[one.start : one.end]
                if _HOW.search(self.question) and (one.kind == "code" or _STEP.match(text)):
                    weights[at] *= _LIKELIER
                if _WHY.search(self.question) and _REASON.search(text):
                    weights[at] *= _LIKELIER
            if _WHAT.search(self.question):
                weights[0] *= _FIRST
        return weights / weights.max()


def of_paragraphs(file: Path) -> Iterator[Example]:
    """Yield the questions of a file in SQuAD's format; the unit with the answer is right."""
    for article in json.loads(file.read_text(encoding="utf-8"))["data"]:
        title = str(article.get("title", "")).replace("_", " ")
        passages: list[tuple[Passage, Any]] = []
        for paragraph in article["paragraphs"]:
            heading = f"{title}\n" if title and not title.isdigit() and random.random() < 0.5 else ""
            passages.append((Passage(heading, paragraph["context"]), paragraph["qas"]))
        every = [passage for passage, _ in passages]
        for passage, questions in passages:
            others = tuple(one for one in every if one is not passage)
            for row in questions:
                start = row["answers"][0]["answer_start"]
                end = start + len(row["answers"][0]["text"])
                right = tuple(n for n, one in enumerate(passage.units) if one.start < end and start < one.end)
                if right:
                    yield Example(row["question"], passage, right, others, "paragraph")


def of_headings(file: Path) -> Iterator[Example]:
    """Yield the headings of a file with their sections; consecutive sections of a document are one passage."""
    documents: dict[tuple[str, str], list[Any]] = defaultdict(list)
    with gzip.open(file, "rt", encoding="utf-8") as rows:
        for row in map(json.loads, rows):
            documents[row["repo"], row["path"]].append(row)
    count: Counter[str] = Counter()
    for (repo, _), sections in random.sample(sorted(documents.items()), len(documents)):
        if count[repo] > MOST_OF_ONE.get(repo, len(sections) + count[repo]):
            continue
        count[repo] += len(sections)
        found = [*_together(sections)]
        every = [passage for passage, _ in found]
        for passage, places in found:
            others = tuple(one for one in every if one is not passage)
            for row, start, end in places:
                right = tuple(n for n, one in enumerate(passage.units) if start <= one.start and one.end <= end)
                if right and len(row["question"]) > 2:
                    yield Example(row["question"], passage, right, others, row["kind"])


def _together(sections: Sequence[Any]) -> Iterator[tuple[Passage, list[tuple[Any, int, int]]]]:
    """Yield passages of consecutive sections, half of them with their headings, and where each section is."""
    at = 0
    while at < len(sections):
        text, places, named, first = "", list[tuple[Any, int, int]](), random.random() < 0.5, at
        while at < len(sections) and (
            not text or len(text) + len(sections[at]["passage"]) < ROOM[sections[at]["lang"]]
        ):
            text += f"### {sections[at]['question']}\n\n" if named else ""
            start = len(text)
            text += sections[at]["passage"].strip()
            places.append((sections[at], start, len(text)))
            text += "\n\n"
            at += 1
        trail = " > ".join(sections[first]["trail"])
        yield Passage(f"{trail}\n" if trail else "", text[:LONGEST]), places


def without_common(examples: Sequence[Example]) -> list[Example]:
    count = Counter(one.question.strip().lower() for one in examples)
    return [one for one in examples if count[one.question.strip().lower()] <= COMMONEST]


def restated(examples: Sequence[Example]) -> Iterator[Example]:
    """Yield some examples again, each with a sentence that restates its question and answers nothing."""
    for kind, most in RESTATED.items():
        own = [one for one in examples if one.kind == kind and len(one.question) > 5]
        for one in random.sample(own, min(most, len(own))):
            if again := _restated(one):
                yield again


def _restated(example: Example) -> Example | None:
    text, units = example.passage.text, example.passage.units
    sentence = _restating(example)
    apart = example.kind != "paragraph" or random.random() < 0.35
    if example.kind != "paragraph":
        at = text.rfind("\n", 0, units[example.right[0]].start) + 1
    else:
        at = 0 if apart else random.choice(units).start
    piece = sentence + ("\n\n" if apart else "" if _CJK.search(sentence) else " ")
    passage = Passage(example.passage.heading, (text[:at] + piece + text[at:])[:LONGEST])
    old = [(units[number].start, units[number].end) for number in example.right]
    moved = [(start + len(piece) * (start >= at), end + len(piece) * (end > at)) for start, end in old]
    right = tuple(
        number
        for number, one in enumerate(passage.units)
        if not at <= one.start < at + len(sentence)
        and any(
            min(one.end, end) - max(one.start, start) >= 0.5 * min(one.end - one.start, end - start)
            for start, end in moved
        )
    )
    return replace(example, passage=passage, right=right) if right else None


def _restating(example: Example) -> str:
    text = example.question.strip().rstrip("?？.。 ")
    if _CJK.search(text):
        return random.choice(_IN_CHINESE).format(text=text)
    text = text if text[1:2].isupper() else text[:1].lower() + text[1:]
    asks = example.kind == "paragraph" or _ASKS.match(text)
    return random.choice(_OF_QUESTIONS if asks else _OF_HEADINGS).format(text=text)


def encode(examples: Sequence[Example], embedder: TokenEmbedder, centre: Matrix) -> list[Example]:
    """Fill the passages' bits, and return the examples with the vectors of their questions' tokens."""
    passages = {id(one): one for example in examples for one in (example.passage, *example.others)}
    todo = [one for one in passages.values() if not len(one.bits)]
    for at in range(0, len(todo), _AT_ONCE):
        part = todo[at : at + _AT_ONCE]
        _, vectors = embedder.embed_tokens([one.heading + one.text for one in part], role="note")
        for one, rows in zip(part, vectors, strict=True):
            spans = embedder.tokens(one.heading + one.text)[: len(rows)] - len(one.heading)
            one.places, one.bits = np.where(spans[:, :1] < 0, -1, spans), signs(rows[: len(spans)], centre)
    done = []
    for at in range(0, len(examples), _AT_ONCE):
        questions = examples[at : at + _AT_ONCE]
        _, vectors = embedder.embed_tokens([one.question for one in questions], role="query")
        done += [
            replace(one, vectors=unit(rows - centre).astype(np.float16))
            for one, rows in zip(questions, vectors, strict=True)
        ]
    return done
