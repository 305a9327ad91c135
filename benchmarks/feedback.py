"""Effects of verdicts and clicks by users who make mistakes, and whether they can bury a note.

python -m benchmarks.feedback [DATA] [--workspace DIR] [--only NAME] : DATA contains vaults/NAME and
questions/NAME.jsonl. A random half of the questions of each set is asked five times; each time a user judges the first
three hits: the note with the answer is helpful, another one is not helpful or, in one of four cases, misleading; one of
ten verdicts is the opposite. The results are for these questions and for the other half, which nobody asked: right note
first, and reciprocal rank in ten hits. Then the right note of every question gets a hundred verdicts *misleading*: how
many leave the ten hits that they were in; and all verdicts are withdrawn: how many answers differ from those before, in
any score.

With --clicks the same is measured for clicks: on five consecutive days, each of the first three hits is opened, in the
right note nine times in ten (and then copied three times in ten), in another note once in ten. Also measured are the
judged questions without one of their words, and all of them 90 days later. Then the last hit of every question is cited
a thousand times: how many hits leave, and how many of those that it passes led by the gain or more.

With --recording, only the time is measured for which recording the hits of a question keeps the caller and the writing
thread busy.
"""

import argparse
import re
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter

from benchmarks.quality import imported, vaults
from core.base.text import query_keywords
from core.model import Click, SearchResult, Verdict
from core.notes.uses import Clicks
from core.query.synonyms import SynonymsFile
from core.retrieval import hits as ranking
from core.retrieval.engine import SearchEngine
from core.retrieval.ranking import normalise
from core.workspace import Workspace

WEIGHTS = (0.0, 0.05, 0.1, 0.2, 0.5, 1.0)
ROUNDS, LOOKED_AT, MISTAKES, MISLEADING = 5, 3, 0.1, 0.25
HARMS = 100
GAINS = (0.0, 0.1, 0.2, 0.3, 0.5, 1.0)
COPIED, LATER, CITED = 0.3, 90, 1000


@dataclass(frozen=True, slots=True)
class Asked:
    """A question to a base, and the paths of the notes that answer it."""

    text: str
    base: str
    paths: frozenset[str]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, nargs="?", default=Path("../shared/data"))
    parser.add_argument("--workspace", type=Path)
    parser.add_argument("--only", help="the name of a vault")
    parser.add_argument("--recording", action="store_true")
    parser.add_argument("--clicks", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch, Workspace(given.workspace or Path(scratch)) as workspace:
        names = [given.only] if given.only else vaults(given.data)
        questions = [one for name in names for one in _questions(workspace, given.data, name)]
        if given.recording:
            _record(workspace, questions)
            return
        Random(7).shuffle(questions)
        judged, unasked = questions[::2], questions[1::2]
        if given.clicks:
            _click(workspace, judged, unasked)
            return
        print(f"{len(judged)} questions that are judged, {len(unasked)} others")
        before = {one: _search(workspace, one, 0.0) for one in questions}
        for weight in WEIGHTS:
            _judge(workspace, judged, weight, Random(7))
            rows = "  ".join(
                f"{name} {_measured(workspace, some, weight)}"
                for name, some in (("judged", judged), ("others", unasked))
            )
            print(f"weight {weight:<6}{rows}", flush=True)
            _take_back(workspace)
        _bury(workspace, questions, before)
        _take_back(workspace)
        different = sum(
            _values(_search(workspace, one, weight)) != _values(before[one]) for one in questions for weight in WEIGHTS
        )
        print(f"taken back: {different} of {len(questions) * len(WEIGHTS)} answers differ")


def _questions(workspace: Workspace, data: Path, name: str) -> Iterable[Asked]:
    base = imported(workspace, data / "vaults" / name, "bundled")
    file = data / "questions" / f"{name}.jsonl"
    for one in workspace.question_sets.read(base, file.read_bytes(), file.name):
        if one.gold:
            yield Asked(one.text, base, frozenset(gold.path for gold in one.gold))


def _search(workspace: Workspace, question: Asked, weight: float) -> SearchResult:
    return workspace.search(question.text, bases=question.base, feedback_weight=weight)


def _judge(workspace: Workspace, questions: Iterable[Asked], weight: float, chance: Random) -> None:
    for turn in range(ROUNDS):
        for question in questions:
            for hit in _search(workspace, question, weight).hits[:LOOKED_AT]:
                right = (hit.note.path in question.paths) != (chance.random() < MISTAKES)
                wrong: Verdict = "harmful" if chance.random() < MISLEADING else "not_helpful"
                text = f"{question.text} {turn}"
                workspace.uses.judge(text, hit.note.id, hit.chunk.id, "helpful" if right else wrong)


def _measured(workspace: Workspace, questions: list[Asked], weight: float) -> str:
    ranks = [_rank(_search(workspace, one, weight), one) for one in questions]
    first = sum(rank == 1 for rank in ranks) / len(ranks)
    return f"first {first:.3f} MRR@10 {sum(1 / rank for rank in ranks if rank) / len(ranks):.3f}"


def _rank(result: SearchResult, question: Asked) -> int:
    """Return the rank of the first hit in a note that answers, 0 if there is none."""
    return next((hit.rank for hit in result.hits if hit.note.path in question.paths), 0)


def _bury(workspace: Workspace, questions: Iterable[Asked], before: Mapping[Asked, SearchResult]) -> None:
    found = gone = 0
    ranks = []
    for question in questions:
        rank = _rank(before[question], question)
        if not rank:
            continue
        hit = before[question].hits[rank - 1]
        for number in range(HARMS):
            workspace.uses.judge(f"harm {number}", hit.note.id, hit.chunk.id, "harmful")
        now = [one.rank for one in _search(workspace, question, 1.0).hits if one.note.id == hit.note.id]
        found, gone = found + 1, gone + (not now)
        ranks += now[:1]
        for number in range(HARMS):
            workspace.uses.judge(f"harm {number}", hit.note.id, hit.chunk.id, None)
    print(f"{HARMS} misleading, weight 1: {gone} of {found} notes left the hits, ranks up to {max(ranks)}")


def _record(workspace: Workspace, questions: Iterable[Asked]) -> None:
    workspace.uses.hand_to(workspace.store.uses.add, 3600)
    caller, writer = [], []
    for question in questions:
        result = _search(workspace, question, 0.0)
        started = perf_counter()
        workspace.uses.found(result)
        caller.append(perf_counter() - started)
        started = perf_counter()
        workspace.uses.flush()
        writer.append(perf_counter() - started)
    microseconds, milliseconds = 1e6 * median(caller), 1e3 * median(writer)
    print(f"record of an answer: {microseconds:.0f} µs for the caller, {milliseconds:.1f} ms in its thread")


class _Person:
    """Searches with clicks, with a simulated clock in days."""

    def __init__(self, workspace: Workspace) -> None:
        self.days, self._begin, self.store = 0, datetime.now(UTC), workspace.store
        parts = workspace.store, workspace.settings, workspace.preferences
        self.clicks = Clicks(*parts, lambda: self._begin + timedelta(days=self.days))
        searched = (
            workspace.store,
            workspace.settings,
            workspace.models,
            SynonymsFile(workspace.store.folder, make=False),
        )
        self.engine = SearchEngine(*searched, self.clicks)

    def search(self, question: Asked) -> SearchResult:
        return self.engine.answer(self.engine.prepare(question.text, {"bases": question.base}))

    def use(self, question: Asked, chance: Random) -> None:
        """Open and copy some of the hits of a question."""
        for hit in self.search(question).hits[:LOOKED_AT]:
            right = hit.note.path in question.paths
            if right == (chance.random() >= MISTAKES):
                place = [(hit.note.id, hit.chunk.id)]
                self.clicks.note("open", question.text, place)
                if right and chance.random() < COPIED:
                    self.clicks.note("copy", question.text, place)

    def measured(self, questions: list[Asked]) -> str:
        ranks = [_rank(self.search(one), one) for one in questions]
        first = sum(rank == 1 for rank in ranks) / len(ranks)
        return f"first {first:.3f} MRR@10 {sum(1 / rank for rank in ranks if rank) / len(ranks):.3f}"


def _click(workspace: Workspace, clicked: list[Asked], others: list[Asked]) -> None:
    person, gain = _Person(workspace), ranking.GAIN
    person.clicks.enable(True)
    person.clicks.forget()
    before = {one: person.search(one) for one in (*clicked, *others)}
    alike = [_without_a_word(one, Random(7)) for one in clicked]
    for ranking.GAIN in GAINS:
        chance, person.days = Random(7), 0
        for person.days in range(ROUNDS):
            for question in clicked:
                person.use(question, chance)
        for name, days in (("", 0), (f", {LATER} days later", LATER)):
            person.days = ROUNDS - 1 + days
            sets = (("clicked", clicked), ("alike", alike), ("others", others))
            rows = "  ".join(f"{label} {person.measured(some)}" for label, some in sets)
            moved = sum(_values(person.search(one)) != _values(before[one]) for one in others)
            print(f"gain {ranking.GAIN}{name}: {rows}; {moved} of {len(others)} others have other scores", flush=True)
        person.clicks.forget()
    ranking.GAIN = gain
    _bury_by_clicks(person, before)
    different = sum(_values(person.search(one)) != _values(before[one]) for one in before)
    print(f"forgotten: {different} of {len(before)} answers differ")


def _without_a_word(question: Asked, chance: Random) -> Asked:
    """Return a question without one of its content words; in Chinese, without a pair of characters."""
    word = chance.choice(query_keywords(question.text))
    return replace(question, text=re.sub(re.escape(word), " ", question.text, count=1, flags=re.IGNORECASE))


def _bury_by_clicks(person: _Person, before: Mapping[Asked, SearchResult]) -> None:
    gone = passed = wrongly = raised = 0
    for question, result in before.items():
        scores = normalise({hit.rank: hit.strength for hit in result.hits})
        last, today = result.hits[-1], person.clicks.today
        note, places = last.note.id, {hit.chunk.id: hit.rank for hit in result.hits}
        clicks = (Click(note, question.text, "cite", today - timedelta(days=n % 300), str(n)) for n in range(CITED))
        person.store.clicks.add(clicks, today)
        now = person.search(question).hits
        gone += len(places.keys() ^ {hit.chunk.id for hit in now})
        rank = next(hit.rank for hit in now if hit.chunk.id == last.chunk.id)
        over = [places[hit.chunk.id] for hit in now if hit.rank > rank and hit.note.id != note]
        passed, raised = passed + len(over), raised + (rank < last.rank)
        wrongly += sum(scores[place] - scores[last.rank] >= ranking.GAIN for place in over)
        person.clicks.forget()
    print(
        f"{CITED} citations of the last hit, gain {ranking.GAIN}: {gone} hits left or came, {raised} of {len(before)}"
        f" rose, past {passed} hits, {wrongly} of which led by the gain or more"
    )


def _take_back(workspace: Workspace) -> None:
    for use in workspace.uses.judged():
        workspace.uses.take_back(use.note_id, use.used_in, use.context, chunk_id=use.chunk_id)


def _values(result: SearchResult) -> list[object]:
    return [(hit.rank, hit.chunk.id, hit.score, hit.scores, hit.passage) for hit in result.hits]


if __name__ == "__main__":
    main()
