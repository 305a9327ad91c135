"""Is the answer shown above the hits right? Questions with known places, on both vaults and Wikipedia's paragraphs.

python -m benchmarks.answers DATA [--workspace DIR] [--questions 100] [--half other] [--fit] : DATA holds vaults/NAME,
questions/NAME.jsonl and qa/NAME.json. An answer is right where a quote overlaps a right place by half of the shorter
one. Right among all questions, and among the half and the quarter with the most evidence; then the share of the other
vault's questions (and of as many on Wikipedia) that are answered, by the bar in use. Weights are tuned on every second
question of each set, and the others are reported; `--half both` reports all. `--fit` prints weights fitted on the
tuned half instead.
"""

import argparse
import json
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.qa import drawn, read, shelve
from benchmarks.quality import imported
from core.answers import bars, choosing, evidence
from core.answers.evidence import Candidate
from core.model import Filters, Matrix, Quote
from core.workspace import Workspace

VAULTS = ("rust-book", "d2l-zh")
WIKIPEDIA = ("xquad24_en", "xquad24_zh")
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
    """What became of a question: the evidence of its answer, whether that is right, and the time it took."""

    evidence: float
    right: bool
    took_ms: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--workspace", type=Path)
    parser.add_argument("--questions", type=int, default=100, help="at most so many of each set of Wikipedia")
    parser.add_argument("--half", choices=HALVES, default="other")
    parser.add_argument("--fit", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch, Workspace(given.workspace or Path(scratch)) as workspace:
        sets = {name: of_vault(workspace, given.data, name) for name in VAULTS}
        sets |= {
            name: of_articles(workspace, given.data / "qa" / f"{name}.json", given.questions) for name in WIKIPEDIA
        }
        warm(workspace)
        chosen = {name: asked[HALVES["tuned" if given.fit else given.half]] for name, asked in sets.items()}
        if given.fit:
            fit(workspace, chosen)
            return
        print("| base | questions | right: all | half | quarter | of others answered | of its own | p50 ms | p95 ms |")
        print("|---|---|---|---|---|---|---|---|---|")
        for name, asked in chosen.items():
            others = [Asked(one.text) for one in others_of(name, sets)[HALVES[given.half]]]
            row(workspace, name, asked, others)


def others_of(name: str, sets: dict[str, list[Asked]]) -> list[Asked]:
    """Return the questions on the other vault; for Wikipedia on the vault of the same language."""
    other = {"rust-book": "d2l-zh", "d2l-zh": "rust-book", "xquad24_en": "rust-book", "xquad24_zh": "d2l-zh"}[name]
    return sets[other]


def of_vault(workspace: Workspace, data: Path, name: str) -> list[Asked]:
    """Return the questions on a vault that it answers, with their places."""
    imported(workspace, data / "vaults" / name, "bundled")
    bodies = {card.path: workspace.notes.get(card.id).body for card in workspace.notes.all(Filters(bases=(name,)))}
    lines = (data / "questions" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()

    def place(gold: dict[str, str]) -> Place:
        start = bodies[gold["path"]].index(gold["quote"])
        return Place(gold["path"], start, start + len(gold["quote"]))

    return [Asked(one["question"], tuple(map(place, one["gold"]))) for one in map(json.loads, lines) if one["gold"]]


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
    right = [one.right for one in own]
    shares = [np.mean(right[: max(1, round(len(right) * part))]) for part in (1, 0.5, 0.25)]
    answered = [np.mean([one.evidence >= bars.EXAMPLES.least for one in some]) for some in (foreign, own)]
    times = sorted(one.took_ms for one in (*own, *foreign))
    figures = " | ".join(f"{share:.2f}" for share in (*shares, *answered))
    print(
        f"| {base} | {len(own)} | {figures} | {times[len(times) // 2]:.0f} | {times[int(len(times) * 0.95)]:.0f} |",
        flush=True,
    )


def outcomes(workspace: Workspace, base: str, asked: Sequence[Asked]) -> Iterator[Outcome]:
    for one in asked:
        result = workspace.search(one.text, filters=Filters(bases=(base,)))
        workspace.searching.highlights(result)
        started = time.perf_counter()
        choice = choosing.choose(workspace.store, workspace.searching.reads(result), result)
        took = (time.perf_counter() - started) * 1000
        yield Outcome(choice.evidence, any(_is_right(one, quote) for quote in choice.quotes), took)


def _is_right(asked: Asked, quote: Quote) -> bool:
    return any(place.holds(quote.note.path, quote.start, quote.end) for place in asked.places)


def fit(workspace: Workspace, sets: dict[str, list[Asked]]) -> None:
    """Print the weights of a logistic regression: is a unit in a right place? Each set counts the same."""
    rows: list[list[float]] = []
    right: list[bool] = []
    share: list[float] = []
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
                share.append(1 / len(compared) / max(1, len(candidates)))
    weights, constant = logistic(np.array(rows), np.array(right, float), np.array(share))
    for name, weight in zip(evidence.WEIGHTS, weights, strict=True):
        print(f"{name:<10}{weight:8.2f}")
    print(f"{'constant':<10}{constant:8.2f}")


def each(workspace: Workspace, base: str, asked: Sequence[Asked]) -> Iterator[tuple[Asked, list[Candidate]]]:
    for one in asked:
        result = workspace.search(one.text, filters=Filters(bases=(base,)))
        yield one, choosing.compared(workspace.store, workspace.searching.reads(result), result)


def logistic(rows: Matrix, right: Matrix, share: Matrix) -> tuple[Matrix, float]:
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
