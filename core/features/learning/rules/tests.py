"""Tests that fail and pass again, and tests that keep failing."""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

from core.base.messages import message, plural
from core.features.learning.rules.common import abbreviate, fact, generalise
from core.model import Fact, LogEvent, LogText

_KIND = ("test_experience", "common_issue")
_FEW = 2


def unsteady_tests(log: LogText) -> Iterator[Fact]:
    """Yield tests that failed and passed later in the same log."""
    for name, events in _tests(log).items():
        failed = [number for number, event in enumerate(events) if event.fields["outcome"] == "failed"]
        passed = [number for number, event in enumerate(events) if event.fields["outcome"] == "passed"]
        if not (failed and passed and passed[-1] > failed[0]):
            continue
        cause = _cause([events[number] for number in failed])
        title = message("The test {test} fails and passes again", test=abbreviate(name))
        text = message("{title}. It failed with: {cause}", title=title, cause=abbreviate(cause, 300))
        rests = [events[number] for number in (*failed[:3], passed[-1])]
        yield fact("unsteady_test", [generalise(name)], title, text if cause else title, rests, _KIND)


def failing_tests(log: LogText) -> Iterator[Fact]:
    """Yield tests that failed in at least two runs with the same cause, and never passed."""
    for name, events in _tests(log).items():
        failed = [event for event in events if event.fields["outcome"] == "failed"]
        if any(event.fields["outcome"] == "passed" for event in events):
            continue
        detailed = [event for event in failed if event.fields.get("detail")]
        runs = max(sum("\n" in event.text for event in failed), sum("\n" not in event.text for event in detailed))
        if runs < _FEW:
            continue
        cause = _cause(failed)
        title = message("The test {test} keeps failing: {cause}", test=abbreviate(name), cause=abbreviate(cause))
        times = plural("It failed in {n} run.", "It failed in {n} runs.", n=runs)
        text = message("{what}. {count}", what=title, count=times)
        failing = fact("failing_test", [generalise(name), generalise(cause)], title, text, detailed[:3], _KIND)
        yield replace(failing, priority=1)


def _tests(log: LogText) -> dict[str, list[LogEvent]]:
    """Return the events of each test; the header of a failure names it without its file."""
    events = [event for event in log.events if event.kind == "test" and "outcome" in event.fields]
    full = {
        _last_part(event.fields.get("test", "")): event.fields["test"]
        for event in events
        if "::" in event.fields["test"]
    }
    groups: dict[str, list[LogEvent]] = defaultdict(list)
    for event in events:
        name = event.fields["test"]
        groups[name if "::" in name else full.get(_last_part(name), name)].append(event)
    return groups


def _last_part(name: str) -> str:
    return re.split(r"::|\.(?=test)", name)[-1]


def _cause(failed: list[LogEvent]) -> str:
    return next((event.fields["detail"].partition("\n")[0] for event in failed if event.fields.get("detail")), "")
