"""Tasks of a note of Evernote, and the words that Evernote read in its pictures."""

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from xml.parsers import expat
from zoneinfo import ZoneInfo

TASK = ("title", "taskStatus", "dueDate", "timeZone", "description", "sortWeight", "taskGroupNoteLevelID")
"""Elements of a task that are read."""
_SURE = 60
"""Weight, up to 100, below which a word of a picture is a guess."""


def groups(tasks: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """Return the tasks of each group as items of a list with boxes, by the group's id."""
    made: dict[str, list[str]] = {}
    for task in sorted(tasks, key=lambda item: item.get("sortWeight", "")):
        box = "x" if task.get("taskStatus") == "completed" else " "
        due = _day(task.get("dueDate", ""), task.get("timeZone", ""))
        title = " ".join(task.get("title", "").split())
        lines = [f"- [{box}] {title}" + (f" 📅 {due}" if due else "")]
        lines += [f"  {line.strip()}" for line in task.get("description", "").splitlines() if line.strip()]
        made.setdefault(task.get("taskGroupNoteLevelID", ""), []).extend(lines)
    return {group: "\n".join(lines) for group, lines in made.items()}


def _day(time: str, zone: str) -> str:
    """Return the day of a time in UTC on the clock of a zone, "" for none."""
    try:
        at = datetime.strptime(time.strip(), "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
        return at.astimezone(ZoneInfo(zone.strip() or "UTC")).date().isoformat()
    except (ValueError, OSError, KeyError, OverflowError):
        return f"{time[:4]}-{time[4:6]}-{time[6:8]}" if re.match(r"\d{8}T", time) else ""


def recognised(index: str) -> str:
    """Return the words of a picture of which Evernote was sure, "" where its index can't be read."""
    words: list[str] = []
    best: list[tuple[int, str]] = []

    def start(name: str, about: dict[str, str]) -> None:
        if name == "item":
            best.clear()
        elif name == "t":
            weight = about.get("w", "")
            best.append((int(weight) if weight.isdecimal() and len(weight) < 4 else 0, ""))

    def text(data: str) -> None:
        if best:
            best[-1] = (best[-1][0], best[-1][1] + data)

    def end(name: str) -> None:
        if name == "item" and best:
            weight, word = max(best, key=lambda item: item[0])
            words.append(" ".join(word.split()) if weight >= _SURE else "")
            best.clear()

    parser = expat.ParserCreate()
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
    parser.StartElementHandler, parser.CharacterDataHandler, parser.EndElementHandler = start, text, end
    try:
        if index and "<!ENTITY" not in index:
            parser.Parse(index, True)
    except expat.ExpatError:
        return ""
    return " ".join(filter(None, words))
