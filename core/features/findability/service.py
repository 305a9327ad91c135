"""Whether the notes of a base can be found: questions made from them, asked as a person would, and the findings."""

import re
import threading
import time
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from datetime import UTC, datetime
from typing import cast

from core import embedding
from core.base.call_log import log_bases, log_call, skip_log
from core.base.errors import ConfigError, NoteNotFound, QueryError, UnknownChoice
from core.base.jobs import Jobs
from core.base.text import digest
from core.features.findability import probes
from core.features.findability.table import CheckTable
from core.indexing.models import Models
from core.model import (
    DEPTH,
    ENOUGH,
    BaseCheck,
    CheckDiff,
    CompleteSettings,
    Filters,
    Findability,
    Finding,
    FindingReason,
    KnowledgeBase,
    Note,
    Probe,
    ProbeResult,
    Progress,
    SearchOptions,
    SearchResult,
    SearchSettings,
    SettingsTrial,
    Vanished,
    no_progress,
)
from core.notes.links import NoteLinks
from core.notes.texts import blank_hidden
from core.query.synonyms import SynonymsFile
from core.reranking import NONE
from core.retrieval.comparison import compare
from core.retrieval.engine import SearchEngine, SearchServices
from core.settings.config import Settings
from core.settings.preferences import CHECK_AFTER_IMPORT, Preferences
from core.store import Store

SECONDS = 50.0
"""Time for the questions of a check; the rest of a minute is for drawing them."""
MOST_NOTES = 2_000
"""Notes that questions are drawn from, those with the least hash."""
TOGETHER = 32
"""Questions that are embedded together."""
TRIED, TRIED_AGAIN = 60, 40
"""Questions on which a change of settings is tried: without reranking, and with it."""

SHORT, LONG = 200, 3_000
"""Characters of a note that is short, and of one that needs headings."""
_HEADING = re.compile(r"^#{1,6} |^(?:=+|-{3,})$", re.MULTILINE)


class FindabilityChecks:
    """The checks of a workspace. They are searched without reranking, which only sorts what was reached."""

    def __init__(
        self,
        store: Store,
        settings: Settings,
        models: Models,
        synonyms: SynonymsFile,
        preferences: Preferences,
        jobs: Jobs,
    ) -> None:
        self._store = store
        self._table = CheckTable(store.database)
        self._jobs = jobs
        self._settings = settings
        self._preferences = preferences
        # Each question is new, and its result isn't looked at again.
        self._searching = SearchEngine(SearchServices(store, settings, models, synonyms), cached=False)
        self._checking = threading.Lock()

    @property
    def after_import(self) -> bool:
        """Whether bases are checked after every import."""
        return self._preferences.get(CHECK_AFTER_IMPORT) == "on"

    def check_after_import(self, check: bool) -> None:
        """Store the person's choice whether bases are checked after every import."""
        self._preferences.set(CHECK_AFTER_IMPORT, "on" if check else "off")

    def start_due(self) -> bool:
        """Start the job `findable` for bases that an import changed since their last check, if the person wishes."""
        due = [base.name for base in self._store.bases.all() if self._is_due(base)] if self.after_import else []

        def work(progress: Progress) -> None:
            for name in due:
                with suppress(ConfigError, UnknownChoice):  # its notes went meanwhile, or it did
                    self.check(name, progress)

        return bool(due) and not self._store.readonly and self._jobs.start("findable", work, quiet=True)

    def last(self, base: str) -> Findability | None:
        """Return the newest check of a base against the one before, None before the first one.

        What it says of notes that answer no questions any more is left out.
        """
        named = self._store.bases.named(base)
        checks = self._table.for_base(named)
        if not checks:
            return None
        answering = {card.id for card in self._store.notes.cards(Filters(bases=(named.name,)), answering=True)}
        current = tuple(finding for finding in checks[0].findings if finding.note_id in answering)
        checks[0] = replace(checks[0], findings=current)
        since = compare_checks(checks[1], checks[0]) if len(checks) > 1 else None
        if since:
            since = replace(
                since, lost=tuple(probe_result for probe_result in since.lost if probe_result.note_id in answering)
            )
        return Findability(named.name, checks[0], since)

    def is_current(self, base: str) -> bool:
        """Whether the searchable data is unchanged since the newest check of a base."""
        checks = self._table.for_base(self._store.bases.named(base))
        return bool(checks) and checks[0].settings.get("version") == self._store.database.version()

    @log_call("findability.check")
    def check(self, base: str, progress: Progress = no_progress, *, seconds: float = SECONDS) -> Findability:
        """Ask the questions of a base's notes for about `seconds`, and store what they reached.

        Each note has its first question before any has its second. Raises ConfigError for a base without notes, and
        what a search raises.
        """
        with self._checking:
            named = self._store.bases.named(base)
            log_bases([named])
            return self._check(named, progress, seconds)

    @log_call("findability.try")
    def try_settings(self, base: str, search: SearchSettings, progress: Progress = no_progress) -> SettingsTrial | None:
        """Ask questions of the last check with the settings of a base as they are, and with others.

        Return None without enough questions. Reranking is done where the settings change it.
        """
        named = self._store.bases.named(base)
        checks = self._table.for_base(named)
        known = self._store.notes.cut_by(named)
        results = (
            [probe_result for probe_result in checks[0].results if probe_result.note_id in known] if checks else []
        )
        ways = [asdict(self._complete(replace(named, search=chosen))) for chosen in (named.search, search)]
        looks = any(ways[0][name] != ways[1][name] for name in ways[0] if name.startswith("rerank"))
        sample = sorted(results, key=lambda probe_result: digest(probe_result.id))[: TRIED_AGAIN if looks else TRIED]
        if len(sample) < ENOUGH:
            return None
        old: list[ProbeResult] = []
        new: list[ProbeResult] = []
        for number, probe in enumerate(sample):
            progress(number, len(sample), probe.text)
            if number % TOGETHER == 0:
                self._embed_ahead(named, sample[number : number + TOGETHER])
            for way, reached in zip(ways, (old, new), strict=True):
                reached.append(self._result(probe, _options(named, way if looks else way | {"reranker": NONE})))
        lost = (after for before, after in zip(old, new, strict=True) if after.share < before.share)
        return SettingsTrial(compare(shares(old), shares(new)), tuple(lost))

    # within

    def _is_due(self, base: KnowledgeBase) -> bool:
        checks = self._table.for_base(base)
        changed = (
            sync.at
            for sync in self._store.bases.syncs(base)
            if any(sync.report.get(name) for name in ("added", "changed", "removed"))
        )
        return (last := next(changed, None)) is not None and not (checks and checks[0].at > last)

    @skip_log()
    def _check(self, base: KnowledgeBase, progress: Progress, seconds: float) -> Findability:
        started = time.monotonic()
        cards = self._store.notes.cards(Filters(bases=(base.name,)), answering=True)
        drawn_from = sorted(cards, key=lambda card: digest(card.id))[:MOST_NOTES]
        notes = []
        for card in drawn_from:
            progress(0, 0, card.title)
            with suppress(NoteNotFound):
                notes.append(blank_hidden(self._store.notes.note(card.id), self._store.chunks.hidden(card.id)))
        if not notes:
            raise ConfigError("The base '{base}' has no notes that could be found. Import some first.", base=base.name)
        shelf = probes.shelf(notes, NoteLinks(self._store))
        questions = shelf.in_turns()
        search = asdict(self._complete(base))
        settings: dict[str, object] = search | {
            "embedder": base.embedder if base.has_vectors else "",
            "fingerprint": base.fingerprint,
            "chunking": asdict(base.chunking),
            "version": self._store.database.version(),
        }
        options = _options(base, search | {"reranker": NONE})
        results: list[ProbeResult] = []
        for number, probe in enumerate(questions):
            spent = time.monotonic() - started
            if spent > seconds:
                break
            if number % TOGETHER == 0:
                self._embed_ahead(base, questions[number : number + TOGETHER])
            progress(max(spent / seconds, number / len(questions)), 1, probe.text)
            with suppress(QueryError):
                results.append(self._result(probe, options))
        titles = {card.id: card.title for card in cards}
        pending = {card.id for card in drawn_from if card.pending and base.has_vectors}
        check = BaseCheck(
            base.id,
            datetime.now(UTC),
            settings,
            titles,
            tuple(results),
            headings=shelf.headings,
            probes=len(questions),
            seconds=round(time.monotonic() - started, 1),
        )
        check = replace(check, findings=tuple(list_findings(check, notes, shelf.copies, pending)))
        before = self._table.for_base(base)
        self._table.add(check)
        return Findability(base.name, check, compare_checks(before[0], check) if before else None)

    def _complete(self, base: KnowledgeBase) -> CompleteSettings:
        """Return the search settings of a base, each of them chosen."""
        return self._settings.search_in([base], {})

    def _embed_ahead(self, base: KnowledgeBase, questions: Sequence[Probe]) -> None:
        """Embed questions together, a quarter of the time of each by itself; a built-in model remembers them."""
        if base.has_vectors and embedding.is_built_in(base.embedder):
            embedding.build(base.embedder).embed([question.text for question in questions], role="query")

    def _result(self, probe: Probe, options: SearchOptions) -> ProbeResult:
        result = self._searching.answer(self._searching.prepare(probe.text, options))
        notes = list(dict.fromkeys(hit.note.id for hit in result.hits))
        rank = notes.index(probe.note_id) + 1 if probe.note_id in notes else None
        own = {name: getattr(probe, name) for name in Probe.__slots__}
        return ProbeResult(**own, rank=rank, by_meaning=_by_meaning(result, probe.note_id), first=(notes or [""])[0])


def _by_meaning(result: SearchResult, note_id: str) -> int | None:
    """Return the rank of a note's best chunk by meaning alone, None beyond DEPTH."""
    hits = [hit for hit in (*result.hits, *(lost.hit for lost in result.lost)) if hit.note.id == note_id]
    ranks = [score.rank for hit in hits if (score := hit.scores.get("vector")) and score.rank]
    rank = min(ranks, default=None)
    return rank if rank and rank <= DEPTH else None


def _options(base: KnowledgeBase, search: Mapping[str, object]) -> SearchOptions:
    fixed = {"limit": DEPTH, "level": "simple", "explain": True, "choose": False}
    return cast(SearchOptions, {**search, **fixed, "filters": Filters(bases=(base.name,))})


def compare_checks(old: BaseCheck, new: BaseCheck) -> CheckDiff:
    """Compare two checks on their common questions."""
    before, after = ({result.id: result for result in check.results} for check in (old, new))
    pairs = [(before[item], after[item]) for item in sorted(before.keys() & after.keys())]
    was, now = ([pair[at] for pair in pairs] for at in (0, 1))
    return CheckDiff(
        old.at,
        compare(shares(was), shares(now)),
        compare(
            {probe_result.id: probe_result.meaning_share for probe_result in was},
            {probe_result.id: probe_result.meaning_share for probe_result in now},
        ),
        tuple(_vanished(old, new)),
        tuple(after for before, after in pairs if before.rank and not after.rank),
        tuple(name for name in new.settings if name != "version" and new.settings[name] != old.settings.get(name)),
    )


def _vanished(old: BaseCheck, new: BaseCheck) -> Iterator[Vanished]:
    """Yield the notes, the titles and the headings of the last check that are gone."""
    for note_id, title in old.titles.items():
        now = new.titles.get(note_id)
        if now is None:
            yield Vanished(note_id, title)
        elif now != title:
            yield Vanished(note_id, now, "title", title)
    for note_id, headings in old.headings.items():
        for heading in headings:
            if note_id in new.headings and heading not in new.headings[note_id]:
                yield Vanished(note_id, new.titles[note_id], "heading", heading)


def list_findings(
    check: BaseCheck, notes: Sequence[Note], copies: Mapping[str, str], pending: Collection[str]
) -> Iterator[Finding]:
    """Yield the notes that no question reaches, and those that are copies."""
    for note in notes:
        results = check.by_note.get(note.id, [])
        if note.id in copies:
            yield Finding(note.id, note.title, "copy", copies[note.id], check.titles[copies[note.id]])
        elif not any(result.rank for result in results) and (results or len(note.body) < SHORT):
            reason, other = _reason(note, results, pending)
            yield Finding(note.id, note.title, reason, other, check.titles.get(other, ""))


def _reason(note: Note, results: Sequence[ProbeResult], pending: Collection[str]) -> tuple[FindingReason, str]:
    first = Counter(result.first for result in results if result.first).most_common(1)
    if note.id in pending:
        return "pending", ""
    if len(note.body) < SHORT:
        return "short", ""
    if len(note.body) > LONG and not _HEADING.search(note.body):
        return "no_heading", ""
    if first and first[0][1] == len(results):
        return "behind", first[0][0]
    return "elsewhere", ""


def shares(results: Sequence[ProbeResult]) -> dict[str, float]:
    return {result.id: result.share for result in results}
