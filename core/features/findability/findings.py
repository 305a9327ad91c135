"""What a check says: the notes that can't be found, and what changed since the check before."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence

from core.model import BaseCheck, CheckDiff, Finding, FindingReason, Note, ProbeResult, Vanished
from core.retrieval.comparison import compare

SHORT, LONG = 200, 3_000
"""Characters of a note that is short, and of one that needs headings."""
_HEADING = re.compile(r"^#{1,6} |^(?:=+|-{3,})$", re.MULTILINE)


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
