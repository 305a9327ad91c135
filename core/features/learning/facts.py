"""Build facts from log events, extract their requests and quotes, and store the facts."""

import re
from collections.abc import Collection, Iterable, Sequence

from core.base.datetimes import utc_now
from core.base.frozen import Pair
from core.base.messages import Message
from core.base.text import digest, fold, one_line, shorten
from core.features.learning.masks.spans import MASK
from core.model import TIME_MARK, Fact, LearntFact, LogEvent
from core.store.reading import RowReader, columns_of
from core.store.table import StoreTable

_VARYING = re.compile(
    r"(?i)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|0x[0-9a-f]+|(?<![a-z0-9])(?=[a-z]*\d)[0-9a-f]{8,}(?![a-z0-9])"
    r"|\d+(?:[.,:]\d+)*",
)
_REQUEST = re.compile(
    r"\b(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) (?:https?://[^\s/\"']{1,200})?(/[^\s\"'?#,，：:）)]{0,500})"
)
_CURL = re.compile(r"\bcurl\b[^\n]{0,2000}?https?://[^\s/\"']{1,200}(?P<path>/[^\s\"'?#]{0,500}).*")
_ID = re.compile(r"(?i)\d+|[0-9a-f]{8,}|[0-9a-f]{8}-[0-9a-f-]{27}")
_MOST_QUOTES = 6
_MOST_QUOTE = 2_000
MOST_TITLE = 160


def normalise_exact(text: str) -> str:
    """Normalize case and white space, and drop the numbers in masks such as `[token-2]`. Other numbers are kept."""
    return " ".join(fold(MASK.sub(r"[\g<kind>]", text)).split())


def generalise(text: str) -> str:
    """Normalize a string, and replace its numbers and identifiers with `#`, because they differ from log to log."""
    return _VARYING.sub("#", normalise_exact(text))


def generalise_source(source: str) -> str:
    """Replace standalone numbers in a source's name: `worker-3` becomes `worker-#`, but `api2` stays the same."""
    return re.sub(r"(?<![a-z])\d+", "#", normalise_exact(source))


def abbreviate(text: str, most: int = MOST_TITLE) -> str:
    """Return text on a single line, truncated to `most` characters with an ellipsis."""
    return shorten(one_line(text), most)


def first_line(event: LogEvent) -> str:
    return event.text.partition("\n")[0]


def request_of(event: LogEvent) -> str:
    """Return the method and path of the request in an event, or "" if there is none. Ids are replaced by `{id}`."""
    if "path" in event.fields:
        method = event.fields.get("method", "")
        path = event.fields["path"]
    elif match := _REQUEST.search(event.text):
        method, path = match.groups()
    elif match := _CURL.search(first_line(event)):
        sends = re.search(r" (?:-d|--data\S*|-F) ", match[0])
        chosen = re.search(r"(?:-X|--request) ?([A-Z]{3,7})\b", match[0])
        method = chosen[1] if chosen else "POST" if sends else "GET"
        path = match["path"]
    else:
        return ""
    parts = ("{id}" if _ID.fullmatch(part) else part for part in path.partition("?")[0].split("/"))
    return f"{method} {'/'.join(parts)}".strip()


def fact(
    rule: str,
    key: Iterable[str],
    title: Message,
    text: Message,
    events: Sequence[LogEvent],
    kind: Pair,
) -> Fact:
    """Return a fact with quotes from its events.

    If there are many events, only the first few and the last are quoted.
    """
    sources = events if len(events) <= _MOST_QUOTES else [*events[: _MOST_QUOTES - 1], events[-1]]
    lines = tuple((event.line, max(event.line, event.end)) for event in sources)
    return Fact(rule, "\n".join(key), title, text, lines, tuple(map(_quote, sources)), *kind)


def _quote(event: LogEvent) -> str:
    """Return an event as a quote. A long event is reduced to its first and last lines."""
    lines = [line.rstrip() for line in event.text.split("\n") if line.strip()]
    if len(lines) > _MOST_QUOTES:
        lines = [*lines[:3], "…", *lines[-2:]]
    head = " ".join((event.time, event.source if event.kind != "test" else "", "")).lstrip()
    if event.head:
        head = event.head.replace(TIME_MARK, event.time)
    lines[:1] = [f"{head}{lines[0]}".strip()] if lines else []
    return "\n".join(line if len(line) <= _MOST_QUOTE else line[:_MOST_QUOTE] + "…" for line in lines)


class FactTable(StoreTable):
    """The table of facts that were suggested as notes, with the user's decisions."""

    def put(self, facts: Iterable[LearntFact]) -> None:
        """Store facts. A fact replaces any earlier fact with the same rule and key."""
        now = utc_now().isoformat()
        with self._write(aside=True):
            for fact in facts:
                self._insert(
                    "learnt_facts",
                    {"hash": digest(f"{fact.rule}\n{fact.key}"), "at": now, **columns_of(fact)},
                    replace=True,
                )

    def all(self) -> list[LearntFact]:
        """Return the facts that were rejected, and those whose notes exist or are in the trash."""
        return self._nouns(
            _READER,
            "SELECT rule, key, note_id, rejected, reason FROM learnt_facts"
            " WHERE rejected OR note_id IN (SELECT note_id FROM versions) ORDER BY at, hash",
        )

    def settle(self, note_ids: Collection[str], reason: str | None) -> None:
        """Record whether the user accepted or rejected the given notes, which were suggested from facts.

        `reason` says why they were rejected, or is None if they were accepted.
        """
        self._execute(
            "UPDATE learnt_facts SET rejected = ?, reason = ? WHERE note_id IN ?",
            *(reason is not None, reason or "", [*note_ids]),
            aside=True,
        )


_READER = RowReader(LearntFact, "suggested fact", "key", key="key")
