"""Examples -> groups: a question, its right passage, and wrong ones that are hard to tell from it."""

import math
import random
from collections.abc import Sequence

import numpy as np

from core.training.examples import Source
from core.training.student import Group

NEAREST = 24
"""The wrong passages are drawn from so many that are nearest to the question."""

TEACHER = 0.4
"""The share of late interaction in the target; the rest is the right passage's."""

TEMPERATURE = 0.03
"""The difference of two cosines at which late interaction finds one passage e times as likely."""


def groups(source: Source, wrong: int, chance: random.Random) -> list[Group]:
    """Return a group an example, each with up to `wrong` wrong passages: one of the same note, the others near."""
    by_note: dict[str, list[int]] = {}
    for number, passage in enumerate(source.passages):
        by_note.setdefault(passage.note, []).append(number)
    found = []
    for row, example in enumerate(source.examples):
        right = source.passages[example.right]
        distances = source.passage_vectors @ source.question_vectors[row]
        many = min(len(distances), 2 * NEAREST)
        near = np.argpartition(-distances, many - 1)[:many].tolist()
        near = [n for n in sorted(near, key=lambda n: -distances[n]) if source.passages[n].section != right.section]
        same = [number for number in by_note[right.note] if source.passages[number].section != right.section]
        drawn = chance.sample(same, min(1, len(same)))
        left = [number for number in near[:NEAREST] if number not in drawn]
        drawn += chance.sample(left, min(wrong - len(drawn), len(left)))
        if drawn:
            found.append(_group(source, row, [example.right, *drawn]))
    return found


def _group(source: Source, row: int, candidates: Sequence[int]) -> Group:
    example = source.examples[row]
    texts = [source.passages[number].text for number in candidates]
    if example.hidden:
        texts[0] = texts[0].replace(example.hidden, " ")
    judged = source.judge(row, candidates) if source.judge else None
    target = [1.0, *[0.0] * (len(candidates) - 1)]
    if judged:
        heights = [math.exp((score - max(judged)) / TEMPERATURE) for score in judged]
        target = [
            (1 - TEACHER) * sure + TEACHER * height / sum(heights) for sure, height in zip(target, heights, strict=True)
        ]
    return Group(example.question, tuple(texts), tuple(target))
