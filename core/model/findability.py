"""Checks whether the notes of a base can be found: a run of the questions that its notes give, read note by note."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import ClassVar, Literal

from core.base.messages import Message, message
from core.model.comparison import Comparison
from core.model.evaluation import DEPTH, QuestionResult, Run

FindingReason = Literal["pending", "short", "no_heading", "behind", "elsewhere"]


@dataclass(frozen=True, slots=True)
class Finding:
    """A note that no question reaches; the `other` one, with its title, mostly ranks before it."""

    note_id: str
    title: str
    reason: FindingReason
    other: str = ""
    other_title: str = ""

    @property
    def message(self) -> Message:
        """The reason, and what to do."""
        match self.reason:
            case "pending":
                return message("It is not indexed yet. Index the rest of the base.")
            case "short":
                return message("It has too little text to tell it from other notes. Add what it is about.")
            case "no_heading":
                return message("It is long and has no heading. Give its parts headings that say what they are about.")
            case "behind":
                return message(
                    "'{other}' mostly ranks above it. Say in its title what sets it apart, or merge the two.",
                    other=self.other_title,
                )
        return message("Other notes are closer to its words. Give it a title that says what it is about.")


@dataclass(frozen=True, slots=True)
class Vanished:
    """A note that is gone since the last check, or a heading that it had."""

    SHOWN: ClassVar = ("message",)

    note_id: str
    title: str
    heading: str = ""

    @property
    def message(self) -> Message:
        if self.heading:
            return message("The heading '{text}' of '{title}' no longer exists.", text=self.heading, title=self.title)
        return message("The note '{title}' no longer exists.", title=self.title)


@dataclass(frozen=True)
class NoteRanks:
    """The results of a run by the ranks of the notes that its questions are made from, instead of their passages."""

    results: Sequence[QuestionResult]

    @cached_property
    def best(self) -> dict[str, int]:
        """The rank of the first right note, by the id of the question; DEPTH + 1 where none is a hit."""
        ranks = {}
        for result in self.results:
            hits = list(dict.fromkeys(hit.note_id for hit in result.hits))
            right = {gold.note_id for gold in result.golds}
            ranks[result.id] = next((rank for rank, note in enumerate(hits, start=1) if note in right), DEPTH + 1)
        return ranks

    @cached_property
    def by_note(self) -> dict[str, list[QuestionResult]]:
        """The results by the ids of the notes."""
        grouped: defaultdict[str, list[QuestionResult]] = defaultdict(list)
        for result in self.results:
            for note_id in {gold.note_id for gold in result.golds}:
                grouped[note_id].append(result)
        return dict(grouped)

    @property
    def values(self) -> dict[str, float]:
        """One divided by the rank, 0 where no right note is a hit, by the id of the question."""
        return {question: 1 / rank if rank <= DEPTH else 0.0 for question, rank in self.best.items()}

    def share(self, depth: int = DEPTH) -> float:
        """Return the share of the questions with a right note among the first hits."""
        return sum(rank <= depth for rank in self.best.values()) / len(self.best) if self.best else 0.0

    def findable(self, note_id: str) -> float | None:
        """Return the share of a note's questions that rank it first, None for a note without questions."""
        own = self.by_note.get(note_id)
        if not own:
            return None
        return sum(hit.note_id == note_id for result in own for hit in result.hits[:1]) / len(own)


@dataclass(frozen=True, slots=True)
class CheckDiff:
    """A check against the one before, on the questions of both: by the whole search, and by meaning alone.

    `vanished` were there at the last check; `lost` are questions that no longer reach their note; `settings` are the
    names of those that changed.
    """

    SHOWN: ClassVar = ("message",)

    at: datetime
    comparison: Comparison
    by_meaning: Comparison
    vanished: tuple[Vanished, ...] = ()
    lost: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()

    @property
    def message(self) -> Message:
        """What changed, as a sentence."""
        if self.comparison.settled and self.comparison.difference < 0:
            return message("Your notes are found less well than at the last check, by more than chance explains.")
        if self.by_meaning.settled and self.by_meaning.difference < 0:
            return message(
                "By meaning your notes are found less well than at the last check, by more than chance explains. Was "
                "the model of the base changed? Index the base again."
            )
        if "embedder" in self.settings:
            return message(
                "The base has another model since the last check. Searched by their own words, your notes are found "
                "as well as before; other wordings may differ. Run a question set on the page Evaluation."
            )
        if self.comparison.settled:
            return message("Your notes are found better than at the last check, by more than chance explains.")
        return message("Your notes are found as well as at the last check.")


@dataclass(frozen=True, slots=True)
class NoteCheck:
    """The newest check of a base: its run, what that found, and its difference from the one before, if there is one.

    `first_by_meaning` is the share that comes first by meaning alone, None in a base without a model.
    """

    base: str
    run: Run
    ranks: NoteRanks
    findings: tuple[Finding, ...]
    first_by_meaning: float | None
    since: CheckDiff | None = None

    @property
    def left_out(self) -> int:
        """Number of questions for which there was no time."""
        return self.run.questions - self.run.asked


@dataclass(frozen=True, slots=True)
class SettingsTrial:
    """A change of settings tried on questions of the last check, before it is made; `lost` lead to their note later."""

    SHOWN: ClassVar = ("loses",)

    comparison: Comparison
    lost: tuple[str, ...] = ()

    @property
    def loses(self) -> bool:
        """Whether the change loses more than chance explains."""
        return self.comparison.settled and self.comparison.difference < 0
