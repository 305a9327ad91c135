"""How many of the labelled facts of the logs the rules suggest, and how much of what they suggest is none."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from core.features.learning.masks import Masker
from core.features.learning.reading import read
from core.features.learning.rules import facts

LOGS = Path(__file__).with_name("logs")
LABELS: dict[str, list[list[str]]] = json.loads((LOGS / "facts.json").read_text(encoding="utf-8"))


@dataclass(frozen=True, slots=True)
class Measured:
    """The labels of a log that are missing, and the suggestions that fit none."""

    log: str
    labels: int
    missing: Sequence[Sequence[str]]
    suggestions: Sequence[str]
    noise: Sequence[str]


def measured(name: str) -> Measured:
    """Return what the rules make of a log."""
    log = read((LOGS / name).read_bytes(), name, Masker())
    texts = [f"[{fact.rule}] {fact.title} | {fact.text}" for _, fact in facts(log)]
    labels = LABELS[name]
    missing = [label for label in labels if not any(fits(label, text) for text in texts)]
    noise = [text for text in texts if not any(fits(label, text) for label in labels)]
    return Measured(name, len(labels), missing, texts, noise)


def fits(label: Sequence[str], text: str) -> bool:
    """Return whether a suggestion says all that a label wants."""
    return all(part.casefold() in text.casefold() for part in label)


def all_measured() -> list[Measured]:
    return [measured(name) for name in LABELS]
