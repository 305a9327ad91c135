"""Precision of the excerpts shown above the hits, for natural questions on eleven folders with verbatim answers.

python -m benchmarks.answers DATA [--workspace DIR] [--sets til,howtocook,…] [--kinds] [--cross | --fit | --older]
[--half other] [--readers FILE:18f,til …] : DATA contains vaults/NAME, questions/NAME.jsonl and the same in natural;
`benchmarks/questions` contains more questions on them and on the sample notes. With a permanent workspace, nothing is
embedded twice.

The first excerpt is right if its marked part (or its lead) overlaps a right quote by half of the shorter one, or
contains half of a right quote. *Sure* and *perhaps* are *From your notes* and *Possibly*; *perhaps* includes the sure
ones. `none` are questions without an answer, *others* are questions on another folder. `--kinds` adds a row for each
kind. `--fit` prints the weights for the probability; `--cross` reports each folder with the weights fitted on the other
folders. `--older` reports the hard questions of DATA/questions: the share of right excerpts among all of them, and
among the half and the quarter with the most evidence, for every second question (`--half`). `--readers` names reader
weights that were trained without some folders (`benchmarks.training --without`), and the folders to test them on.
"""

import argparse
import json
import re
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.quality import imported
from core.features.answers import candidates, choosing, reader
from core.features.answers.candidates import EvidenceCandidate
from core.features.answers.choosing import Selection, excerpts
from core.model import Filters, Quote, SearchResult
from core.workspace import Workspace

OTHERS = {
    **{"til": "rust-book", "howtocook": "d2l-zh", "sample": "rust-book", "rust-book": "til", "d2l-zh": "howtocook"},
    **{"18f": "pihole", "sourcegraph": "til2", "pihole": "18f", "til2": "18f"},
    **{"advanced-java": "vue-zh", "vue-zh": "advanced-java"},
}
"""The folders, each with another one whose questions it doesn't answer."""
AGAIN = {"howtocook": "howtocook2", "d2l-zh": "d2l2"}
"""More questions on a folder."""
ALIKE = {"til": "til2", "til2": "til"}
"""Folders by the same author; each is tested with weights fitted on neither."""
MOST_OTHERS = 60
OF_OTHERS = 0.1
"""Weight of the questions on another folder, relative to those on the folder itself."""
OLDER = ("rust-book", "d2l-zh")
OWN = Path(__file__).with_name("questions")
SAMPLE = Path(__file__).parents[1] / "data" / "packs" / "sample"
Figures = NDArray[np.float64]
_STEPS, _RATE, _DECAY = 4000, 0.5, 0.02
HALVES: dict[str, slice] = {"tuned": slice(0, None, 2), "other": slice(1, None, 2), "both": slice(None)}


@dataclass(frozen=True, slots=True)
class Place:
    """A right place: a slice of the note at a path."""

    path: str
    start: int
    end: int

    def overlaps(self, path: str | None, start: int, end: int) -> bool:
        """Return whether the place overlaps a slice by half of the shorter one."""
        shared = min(end, self.end) - max(start, self.start)
        return path == self.path and shared >= 0.5 * min(end - start, self.end - self.start)

    def is_inside(self, path: str | None, start: int, end: int) -> bool:
        """Return whether half of the place is inside a slice."""
        return path == self.path and min(end, self.end) - max(start, self.start) >= 0.5 * (self.end - self.start)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with its right places, any of which answers it; `best` has one for each side of a comparison."""

    text: str
    kind: str
    best: tuple[Place, ...] = ()
    also: tuple[Place, ...] = ()

    @property
    def places(self) -> tuple[Place, ...]:
        return self.best + self.also


@dataclass(frozen=True, slots=True)
class Searched:
    """A question's hits with their units, for fitting the weights."""

    asked: Asked
    result: SearchResult
    units: list[EvidenceCandidate]
    took_ms: float


@dataclass(frozen=True, slots=True)
class Outcome:
    asked: Asked
    selection: Selection
    took_ms: float

    @property
    def is_sure(self) -> bool:
        return self.selection.chance >= choosing.LEAST["yes"]

    @property
    def is_likely(self) -> bool:
        return self.selection.chance >= choosing.LEAST["possibly"]

    @property
    def marked(self) -> bool:
        return any(_is_marked(self.asked, quote) for quote in self.selection.quotes[:1])

    @property
    def first(self) -> bool:
        return any(_is_right(self.asked, quote) for quote in self.selection.quotes[:1])

    @property
    def any(self) -> bool:
        return any(_is_right(self.asked, quote) for quote in self.selection.quotes)

    @property
    def both_sides(self) -> bool:
        places = [(one.note.path, one.start, one.end) for one in self.selection.quotes]
        return all(any(side.is_inside(*place) for place in places) for side in self.asked.best)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, nargs="?", default=Path("../shared/data"))
    parser.add_argument("--workspace", type=Path)
    parser.add_argument("--sets", default=",".join(OTHERS))
    parser.add_argument("--kinds", action="store_true")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--cross", action="store_true")
    how.add_argument("--fit", action="store_true")
    how.add_argument("--older", action="store_true")
    parser.add_argument("--half", choices=HALVES, default="other")
    parser.add_argument("--readers", nargs="*", default=())
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch, Workspace(given.workspace or Path(scratch)) as workspace:
        warm(workspace)
        if given.older:
            older(workspace, given.data, HALVES[given.half])
            return
        names = given.sets.split(",")
        readers = {
            name: Path(file)
            for file, _, held in (one.partition(":") for one in given.readers)
            for name in held.split(",")
        }
        sets: dict[str, list[Searched]] = {}
        others: dict[str, list[Searched]] = {}
        for name in names:
            if name in readers:
                reader.WEIGHTS = Path(readers[name])
                reader.shipped.cache_clear()
            sets[name] = [*searches(workspace, name, of_folder(workspace, given.data, name))]
            others[name] = [*searches(workspace, name, foreign(given.data, name)[:MOST_OTHERS])]
        if given.fit:
            fit(sets, others)
            print(choosing.WEIGHTS, choosing.CONSTANT)
            return
        print(
            "| folder | questions | first right | marked | any | sure | right | perhaps | right | none: sure | perhaps "
            "| others: sure | perhaps | both sides | p50 ms | p90 |\n|---" + "|---" * 15 + "|"
        )
        for name, own in sets.items():
            if given.cross:
                fit(
                    *(
                        {key: one for key, one in each.items() if key not in (name, ALIKE.get(name))}
                        for each in (sets, others)
                    )
                )
            row(name, [*map(outcome, own)], [*map(outcome, others[name])])
            for kind in sorted({one.asked.kind for one in own} - {"none"}) if given.kinds else ():
                row(f"{name}, {kind}", [outcome(one) for one in own if one.asked.kind == kind], [])


def of_folder(workspace: Workspace, data: Path, name: str) -> list[Asked]:
    """Import a folder and return the natural questions on it."""
    places = [SAMPLE] if name == "sample" else [data / "natural" / name, data / "vaults" / name]
    imported(workspace, next(place for place in places if place.is_dir()), "bundled")
    return [_asked(workspace, name, row) for file in _files(data, name) for row in lines(file) if "best" in row]


def foreign(data: Path, name: str) -> list[Asked]:
    """Return the questions on another folder, as questions without an answer."""
    rows = [row for file in _files(data, OTHERS[name]) for row in lines(file) if row.get("best")]
    return [Asked(row["question"], "none") for row in rows]


def _files(data: Path, name: str) -> list[Path]:
    natural = [data / "natural" / f"{other}.jsonl" for other in (name, AGAIN.get(name, name))]
    places = [data / "questions" / f"{name}.jsonl", OWN / f"{name}.jsonl", OWN / f"{name}-none.jsonl", *natural]
    return [file for file in dict.fromkeys(places) if file.is_file()]


def lines(file: Path) -> list[Any]:
    return [*map(json.loads, file.read_text(encoding="utf-8").splitlines())]


def _asked(workspace: Workspace, base: str, row: dict[str, Any]) -> Asked:
    bodies = {card.path: card.id for card in workspace.notes.all(Filters(bases=(base,)))}

    def places(name: str) -> tuple[Place, ...]:
        found = []
        for gold in row.get(name, ()):
            path, quote = gold["path"], gold["quote"]
            body = workspace.notes.get(bodies[path]).body  # without the front matter of its file
            found += [Place(path, at.start(), at.end()) for at in re.finditer(re.escape(quote), body)]
        return tuple(found)

    return Asked(row["question"], row["kind"], places("best") or places("gold"), places("also"))


def warm(workspace: Workspace) -> None:
    workspace.models.start_warming()
    workspace.jobs.wait("warm", 600)


def searches(workspace: Workspace, base: str, asked: Sequence[Asked]) -> Iterator[Searched]:
    for one in asked:
        result = workspace.search(one.text, filters=Filters(bases=(base,)))
        workspace.searching.highlights(result)
        started = time.perf_counter()
        units = (
            candidates.collect_candidates(workspace.store, workspace.searching.tokenized_hits, result)
            if result.hits
            else []
        )
        yield Searched(one, result, units, (time.perf_counter() - started) * 1000)


def outcome(one: Searched) -> Outcome:
    started = time.perf_counter()
    selection = choosing.select(one.result, one.units)
    took = one.took_ms + (time.perf_counter() - started) * 1000
    return Outcome(one.asked, selection, took)


def _is_marked(asked: Asked, quote: Quote) -> bool:
    spans = [(quote.start + quote.marked[0], quote.start + quote.marked[1])]
    if quote.lead:
        at = quote.chunk.start + quote.chunk.text.find(quote.lead)
        spans.append((at, at + len(quote.lead)))
    return any(place.overlaps(quote.note.path, *span) for place in asked.places for span in spans)


def _is_right(asked: Asked, quote: Quote) -> bool:
    inside = any(place.is_inside(quote.note.path, quote.start, quote.end) for place in asked.places)
    return inside or _is_marked(asked, quote)


def row(name: str, own: Sequence[Outcome], foreign: Sequence[Outcome]) -> None:
    """Print the results for a folder's questions."""
    answered = [one for one in own if one.asked.places]
    unanswered = [one for one in own if not one.asked.places]
    sure, likely = ([one for one in answered if shown(one)] for shown in (Outcome.is_sure.fget, Outcome.is_likely.fget))
    versus = [one for one in likely if one.asked.kind == "versus"]
    shares = [
        share([one.first for one in answered]),
        share([one.marked for one in answered]),
        share([one.any for one in answered]),
        *(value for some in (sure, likely) for value in (share_of(some, answered), share([one.first for one in some]))),
        *(
            share([shown(one) for one in some])
            for some in (unanswered, foreign)
            for shown in (Outcome.is_sure.fget, Outcome.is_likely.fget)
        ),
        share([one.both_sides for one in versus]),
    ]
    times = [one.took_ms for one in (*own, *foreign)]
    milliseconds = [f"{np.quantile(times, part):.0f}" for part in (0.5, 0.9)]
    print(f"| {' | '.join([name, str(len(answered)), *shares, *milliseconds])} |", flush=True)


def share(values: Sequence[bool]) -> str:
    return f"{np.mean(values):.2f}" if values else "-"


def share_of(some: Sequence[object], every: Sequence[object]) -> str:
    return f"{len(some) / len(every):.2f}" if every else "-"


def fit(sets: dict[str, list[Searched]], others: dict[str, list[Searched]]) -> None:
    """Fit and set the weights of the probability on some folders and, with a tenth of the weight, on others' questions.

    The weights for comparisons don't change, because there are too few comparisons.
    """
    rows = [
        (*first, weight / len(asked))
        for each, weight in ((sets, 1), (others, OF_OTHERS))
        for asked in each.values()
        for one in asked
        if (first := _first(one))
    ]
    names = [name for name in choosing.WEIGHTS if name != "sides"]
    features, right, shares = (np.array(column, float) for column in zip(*rows, strict=True))
    weights, constant = logistic(features, right, shares)
    choosing.WEIGHTS = dict(choosing.WEIGHTS) | dict(zip(names, map(float, weights), strict=True))
    choosing.CONSTANT = constant


def _first(one: Searched) -> tuple[list[float], float] | None:
    """Return the features of the first excerpt from a question's hits, and whether it is right."""
    ranked = excerpts(one.units)
    if not ranked or one.result.is_comparison or not outcome(one).selection.chance:
        return None
    values = choosing.features(ranked[:1], ranked, one.result)
    return [values[name] for name in choosing.WEIGHTS if name != "sides"], float(outcome(one).first)


def logistic(features: Figures, right: Figures, share: Figures) -> tuple[Figures, float]:
    """Return the weights and the constant of a logistic regression; `share` weighs each row in the loss."""
    mean, spread = features.mean(axis=0), features.std(axis=0) + 1e-9
    scaled, share = (features - mean) / spread, share / share.sum()
    weights, constant = np.zeros(features.shape[1]), 0.0
    for _ in range(_STEPS):
        gap = share * (1 / (1 + np.exp(-(scaled @ weights + constant))) - right)
        weights -= _RATE * (scaled.T @ gap + 2 * _DECAY * weights)
        constant -= _RATE * gap.sum()
    return weights / spread, float(constant - (weights / spread) @ mean)


def older(workspace: Workspace, data: Path, half: slice) -> None:
    """Print the share of right quotes for hard questions, among all of them and among those with the most evidence."""
    print("| folder | questions | right: all | half | quarter |\n|---|---|---|---|---|")
    for name in OLDER:
        imported(workspace, data / "vaults" / name, "bundled")
        rows = [one for one in lines(data / "questions" / f"{name}.jsonl") if one["gold"]]
        asked = [_asked(workspace, name, one) for one in rows][half]
        own = sorted(map(outcome, searches(workspace, name, asked)), key=lambda one: -one.selection.chance)
        shares = [share([one.any for one in own[: max(1, round(len(own) * part))]]) for part in (1, 0.5, 0.25)]
        print(f"| {name} | {len(own)} | {' | '.join(shares)} |", flush=True)


if __name__ == "__main__":
    main()
