"""Checks whether the notes of a base can be found: questions made from them, and what those reach."""

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import ClassVar, Literal

from core.base.messages import Message, message
from core.model.comparison import Comparison
from core.model.evaluation import DEPTH

ProbeKind = Literal["title", "sentence", "heading", "definition", "identifier", "link"]
FindingReason = Literal["copy", "pending", "short", "no_heading", "behind", "elsewhere"]

PROBE_KINDS: dict[ProbeKind, Message] = {
    "title": message("Title"),
    "sentence": message("Sentence with a gap"),
    "heading": message("Heading"),
    "definition": message("Definition"),
    "identifier": message("Name in code"),
    "link": message("Text of a link"),
}
"""The sources of questions, in the order in which a note's questions are asked."""


@dataclass(frozen=True, slots=True)
class Probe:
    """A question made from a note. `source` is the text of the note that it is made from, of the linking note for a
    link.
    """

    id: str
    note_id: str
    kind: ProbeKind
    text: str
    source: str


@dataclass(frozen=True, slots=True)
class ProbeResult(Probe):
    """What a probe reached: the rank of its note among the notes, None beyond DEPTH, and of its best chunk by meaning
    alone; `first` is the id of the note that came first, empty without hits.
    """

    rank: int | None = None
    by_meaning: int | None = None
    first: str = ""

    @property
    def share(self) -> float:
        """One divided by the rank, 0 without one."""
        return 1 / self.rank if self.rank else 0.0

    @property
    def meaning_share(self) -> float:
        return 1 / self.by_meaning if self.by_meaning else 0.0


@dataclass(frozen=True, slots=True)
class Finding:
    """A note that no question reaches, or a copy of another one: the `other` that ranks before it, and its title."""

    note_id: str
    title: str
    reason: FindingReason
    other: str = ""
    other_title: str = ""

    @property
    def message(self) -> Message:
        """The reason, and what to do."""
        match self.reason:
            case "copy":
                return message("A copy of '{other}': only one of the two is shown. Keep one.", other=self.other_title)
            case "pending":
                return message("It is not indexed yet. Index the rest of the base.")
            case "short":
                return message("It has too little text to tell it from other notes. Add what it is about.")
            case "no_heading":
                return message("It is long and has no heading. Give its parts headings that say what they are about.")
            case "behind":
                return message(
                    "'{other}' always ranks above it. Say in its title what sets it apart, or merge the two.",
                    other=self.other_title,
                )
        return message("Other notes are closer to its words. Give it a title that says what it is about.")


@dataclass(frozen=True, slots=True)
class Vanished:
    """A note that is gone since the last check, or a `text` that it had as its title or as a heading."""

    SHOWN: ClassVar = ("message",)

    note_id: str
    title: str
    kind: Literal["note", "title", "heading"] = "note"
    text: str = ""

    @property
    def message(self) -> Message:
        match self.kind:
            case "heading":
                return message("The heading '{text}' of '{title}' no longer exists.", text=self.text, title=self.title)
            case "title":
                return message("The note '{text}' is called '{title}' now.", text=self.text, title=self.title)
        return message("The note '{title}' no longer exists.", title=self.title)


@dataclass(frozen=True)
class BaseCheck:
    """A check of a base. `titles` are those of all its notes, and `headings` theirs, by the note's id.

    `settings` are complete, with the model. `probes` is how many questions there were; fewer `results` mean that the
    time was over.
    """

    base_id: str
    at: datetime
    settings: dict[str, object]
    titles: dict[str, str]
    results: tuple[ProbeResult, ...]
    findings: tuple[Finding, ...] = ()
    headings: dict[str, tuple[str, ...]] = field(default_factory=dict)
    probes: int = 0
    seconds: float = 0.0

    @property
    def first(self) -> float:
        """Share of the questions whose note comes first."""
        return self._share(1)

    @property
    def reached(self) -> float:
        """Share of the questions whose note is among the first DEPTH."""
        return self._share(DEPTH)

    @property
    def first_by_meaning(self) -> float | None:
        """Share of the questions whose note comes first by meaning alone; None in a base without a model."""
        if not self.results or not any(result.by_meaning for result in self.results):
            return None
        return sum(result.by_meaning == 1 for result in self.results) / len(self.results)

    @property
    def left_out(self) -> int:
        """Number of questions for which there was no time."""
        return self.probes - len(self.results)

    @cached_property
    def by_note(self) -> dict[str, list[ProbeResult]]:
        """The results by the id of their note."""
        grouped: defaultdict[str, list[ProbeResult]] = defaultdict(list)
        for result in self.results:
            grouped[result.note_id].append(result)
        return dict(grouped)

    @property
    def by_kind(self) -> dict[ProbeKind, tuple[int, int]]:
        """For each kind the number of questions, and of those whose note comes first."""
        every = Counter(result.kind for result in self.results)
        first = Counter(result.kind for result in self.results if result.rank == 1)
        return {kind: (every[kind], first[kind]) for kind in PROBE_KINDS if every[kind]}

    def findable(self, note_id: str) -> float | None:
        """Return the share of a note's questions that rank it first, None for a note without questions."""
        own = self.by_note.get(note_id)
        return sum(probe_result.rank == 1 for probe_result in own) / len(own) if own else None

    def _share(self, depth: int) -> float:
        ranks = [result.rank for result in self.results]
        return sum(rank is not None and rank <= depth for rank in ranks) / len(ranks) if ranks else 0.0


@dataclass(frozen=True, slots=True)
class CheckDiff:
    """A check against the one before, on the questions of both: by the whole search, and by meaning alone.

    `vanished` were there at the last check; `lost` are questions that no longer reach their note; `settings` are the
    names of those that changed.
    """

    at: datetime
    comparison: Comparison
    by_meaning: Comparison
    vanished: tuple[Vanished, ...] = ()
    lost: tuple[ProbeResult, ...] = ()
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
        if "fingerprint" in self.settings:
            return message(
                "The base has another model since the last check. Searched by their own words, your notes are found "
                "as well as before; other wordings may differ. Run a question set on the page Evaluation."
            )
        if self.comparison.settled:
            return message("Your notes are found better than at the last check, by more than chance explains.")
        return message("Your notes are found as well as at the last check.")


@dataclass(frozen=True, slots=True)
class Findability:
    """The newest check of a base, and its difference from the one before, if there is one."""

    base: str
    check: BaseCheck
    since: CheckDiff | None = None


@dataclass(frozen=True, slots=True)
class SettingsTrial:
    """A change of settings tried on the questions of the last check, before it is made."""

    comparison: Comparison
    lost: tuple[ProbeResult, ...] = ()

    @property
    def loses(self) -> bool:
        """Whether the change loses more than chance explains."""
        return self.comparison.settled and self.comparison.difference < 0
