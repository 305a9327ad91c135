"""Is the answer shown above the hits right? Questions with known places, on both vaults and Wikipedia's paragraphs.

python -m benchmarks.answers DATA [--workspace DIR] [--sets rust-book,d2l-zh,xquad24_en,xquad24_zh] [--questions 100]
[--half other] [--fit] : DATA holds vaults/NAME, questions/NAME.jsonl and qa/NAME.json; a kept workspace saves embedding
them again. An answer is right where a quote or its lead overlaps a right place by half of the shorter one: among all
questions, and among the half and the quarter with the most evidence. Then the share of questions with a box on the
Search page, and that of refused ones, of its own and of the other vault's (for Wikipedia, those on the vault of its
language). Weights are tuned on every second question of each set, and the others are reported; `--half both` reports
all. `--fit` prints the weights that the tuned half gives.
"""

import argparse
import json
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.qa import drawn, read, shelve
from benchmarks.quality import imported
from core.answers import bars, choosing, evidence
from core.answers.evidence import Candidate
from core.model import Filters, Quote
from core.workspace import Workspace

VAULTS = ("rust-book", "d2l-zh")
OTHERS = {"rust-book": "d2l-zh", "d2l-zh": "rust-book", "xquad24_en": "rust-book", "xquad24_zh": "d2l-zh"}
"""The sets, each with the vault whose questions it doesn't answer."""
Figures = NDArray[np.float64]
HALVES: dict[str, slice] = {"tuned": slice(0, None, 2), "other": slice(1, None, 2), "both": slice(None)}
_STEPS, _RATE, _DECAY = 4000, 0.5, 0.002


@dataclass(frozen=True, slots=True)
class Place:
    """A right place: a slice of the note at a path."""

    path: str
    start: int
    end: int

    def holds(self, path: str | None, start: int, end: int) -> bool:
        """Return whether it overlaps a slice by half of the shorter one."""
        shared = min(end, self.end) - max(start, self.start)
        return path == self.path and shared >= 0.5 * min(end - start, self.end - self.start)


@dataclass(frozen=True, slots=True)
class Asked:
    text: str
    places: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a question: the evidence of its answer, whether that is right or refused, and the time it took."""

    evidence: float
    right: bool
    refused: bool
    took_ms: float

    @property
    def has_box(self) -> bool:
        return not self.refused and self.evidence >= choosing.SURE


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--workspace", type=Path)
    parser.add_argument("--sets", default=",".join(OTHERS))
    parser.add_argument("--questions", type=int, default=100, help="at most so many of each set of Wikipedia")
    parser.add_argument("--half", choices=HALVES, default="other")
    parser.add_argument("--fit", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch, Workspace(given.workspace or Path(scratch)) as workspace:
        sets = {name: of_set(workspace, given.data, name, given.questions) for name in given.sets.split(",")}
        warm(workspace)
        half = HALVES["tuned" if given.fit else given.half]
        chosen = {name: asked[half] for name, asked in sets.items()}
        if given.fit:
            fit(workspace, chosen)
            return
        heads = ("base", "questions", "right: all", "half", "quarter", "box", "right in it", "refused")
        print(f"| {' | '.join((*heads, 'others: box', 'refused', 'ms'))} |\n|---{'|---' * (len(heads) + 2)}|")
        for name, asked in chosen.items():
            row(
                workspace,
                name,
                asked,
                [Asked(one["question"]) for one in lines(given.data, OTHERS[name]) if one["gold"]],
            )


def of_set(workspace: Workspace, data: Path, name: str, count: int) -> list[Asked]:
    """Import a set and return the questions that it answers."""
    return (
        of_vault(workspace, data, name)
        if name in VAULTS
        else of_articles(workspace, data / "qa" / f"{name}.json", count)
    )


def lines(data: Path, name: str) -> list[Any]:
    """Return the questions on a vault as they stand in its file."""
    return [*map(json.loads, (data / "questions" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines())]


def of_vault(workspace: Workspace, data: Path, name: str) -> list[Asked]:
    """Return the questions on a vault that it answers, with their places."""
    imported(workspace, data / "vaults" / name, "bundled")
    bodies = {card.path: workspace.notes.get(card.id).body for card in workspace.notes.all(Filters(bases=(name,)))}

    def place(gold: dict[str, str]) -> Place:
        start = bodies[gold["path"]].index(gold["quote"])
        return Place(gold["path"], start, start + len(gold["quote"]))

    return [Asked(one["question"], tuple(map(place, one["gold"]))) for one in lines(data, name) if one["gold"]]


def of_articles(workspace: Workspace, file: Path, count: int) -> list[Asked]:
    """Return questions on Wikipedia's paragraphs, each a note, with the place of the answer."""
    shelve(workspace, file.stem, read(file)[0])
    paragraphs = [
        each for article in json.loads(file.read_text(encoding="utf-8"))["data"] for each in article["paragraphs"]
    ]
    asked = []
    for number, paragraph in enumerate(paragraphs):
        for one in paragraph["qas"]:
            start = one["answers"][0]["answer_start"]
            place = Place(f"{number:05}.md", start, start + len(one["answers"][0]["text"]))
            asked.append(Asked(one["question"], (place,)))
    return list(drawn(asked, count))


def warm(workspace: Workspace) -> None:
    workspace.models.start_warming()
    workspace.jobs.wait("warm", 600)


def row(workspace: Workspace, base: str, asked: Sequence[Asked], others: Sequence[Asked]) -> None:
    """Ask a base its own questions and others, and print the shares."""
    own = sorted(outcomes(workspace, base, asked), key=lambda one: -one.evidence)
    foreign = [*outcomes(workspace, base, others)]
    boxed = [one for one in own if one.has_box]
    shares = [share([one.right for one in own[: max(1, round(len(own) * part))]]) for part in (1, 0.5, 0.25)]
    shares += [
        share([one.has_box for one in own]),
        share([one.right for one in boxed]),
        share([one.refused for one in own]),
    ]
    shares += [share([one.has_box for one in foreign]), share([one.refused for one in foreign])]
    times = sorted(one.took_ms for one in (*own, *foreign))
    print(f"| {base} | {len(own)} | {' | '.join(shares)} | {times[len(times) // 2]:.0f} |", flush=True)


def share(values: Sequence[bool]) -> str:
    return f"{np.mean(values or [0]):.2f}"


def outcomes(workspace: Workspace, base: str, asked: Sequence[Asked]) -> Iterator[Outcome]:
    for one in asked:
        result = workspace.search(one.text, filters=Filters(bases=(base,)))
        workspace.searching.highlights(result)
        started = time.perf_counter()
        choice = choosing.choose(workspace.store, workspace.searching.reads(result), result)
        took = (time.perf_counter() - started) * 1000
        right = any(_is_right(one, quote, workspace) for quote in choice.quotes)
        yield Outcome(choice.evidence, right, result.evidence < bars.EXAMPLES.least, took)


def _is_right(asked: Asked, quote: Quote, workspace: Workspace) -> bool:
    spans = [(quote.start, quote.end)]
    if quote.lead:
        at = workspace.notes.get(quote.note.id).body.rfind(quote.lead, 0, quote.start)
        spans.append((at, at + len(quote.lead)))
    return any(place.holds(quote.note.path, *span) for place in asked.places for span in spans)


def fit(workspace: Workspace, sets: dict[str, list[Asked]]) -> None:
    """Print the weights of a logistic regression: is a unit in a right place? Each set counts the same."""
    rows: list[list[float]] = []
    right: list[bool] = []
    counts: list[float] = []
    for base, asked in sets.items():
        compared = [*each(workspace, base, asked)]
        for one, candidates in compared:
            for unit in candidates:
                start = unit.hit.chunk.start
                rows.append([unit.parts[name] for name in evidence.WEIGHTS])
                right.append(
                    any(
                        place.holds(unit.hit.note.path, start + unit.unit.start, start + unit.unit.end)
                        for place in one.places
                    )
                )
                counts.append(1 / len(compared) / max(1, len(candidates)))
    weights, constant = logistic(np.array(rows), np.array(right, float), np.array(counts))
    for name, weight in zip(evidence.WEIGHTS, weights, strict=True):
        print(f"{name:<10}{weight:8.2f}")
    print(f"{'constant':<10}{constant:8.2f}")


def each(workspace: Workspace, base: str, asked: Sequence[Asked]) -> Iterator[tuple[Asked, list[Candidate]]]:
    for one in asked:
        result = workspace.search(one.text, filters=Filters(bases=(base,)))
        yield one, choosing.compared(workspace.store, workspace.searching.reads(result), result)


def logistic(rows: Figures, right: Figures, share: Figures) -> tuple[Figures, float]:
    """Return weights and constant by gradient descent with a small decay."""
    mean, spread = rows.mean(axis=0), rows.std(axis=0) + 1e-9
    scaled = (rows - mean) / spread
    share = share / share.sum()
    weights, constant = np.zeros(rows.shape[1]), 0.0
    for _ in range(_STEPS):
        gap = share * (1 / (1 + np.exp(-(scaled @ weights + constant))) - right)
        weights -= _RATE * (scaled.T @ gap + _DECAY * weights)
        constant -= _RATE * gap.sum()
    return weights / spread, float(constant - (weights / spread) @ mean)


if __name__ == "__main__":
    main()
