"""Is a question searched at the level that a person means? `python -m benchmarks.levels [--set held-out]`

levels.jsonl was written before the rules were: rules are made on `development` and judged on `held-out`.
"""

import argparse
import json
import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from core.query.decomposition import classify, recognise
from core.query.language import parse

FILE = Path(__file__).with_name("levels.jsonl")
SETS = ("development", "held-out")
NOW = datetime(2026, 6, 15, 12, tzinfo=UTC)
"""When the questions are asked, for those that tell a time from then."""

_FIELD = re.compile(r"(?i)\b(?:tag|type|category|project|status|in|section|has|path|base|after|before):")

Labelled = Mapping[str, str]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--set", choices=SETS, help="only this one")
    given = parser.parse_args()
    labelled = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
    said = {one["query"]: judged(one["query"]) for one in labelled}
    for name in (given.set,) if given.set else SETS:
        asked = [one for one in labelled if one["set"] == name]
        share(name, asked, said)
        for of in (language, level, kind):
            groups(asked, of, said)
        for one in asked:
            if not right(one, said):
                answer, reason, found = said[one["query"]]
                print(f"  {one['query']!r}: {one['level']} {one['kind']}, not {answer} {found} ({reason})")


def judged(query: str) -> tuple[str, str, str]:
    """Return the level a query is searched at, the reason, and the kind of the exploratory ones."""
    understood = parse(query, now=NOW)
    match = recognise(understood.text, understood.quoted)
    found = classify(understood, match)
    return found.level, str(found.reason), match.kind if match else ""


def right(one: Labelled, said: Mapping[str, tuple[str, str, str]]) -> bool:
    """Whether the level is the labelled one; the kind is counted apart."""
    return said[one["query"]][0] == one["level"]


def language(one: Labelled) -> str:
    chinese = re.search("[\u4e00-\u9fff]", one["query"])
    english = re.search("[A-Za-z]{2}", _FIELD.sub("", one["query"]))
    return "mixed" if chinese and english else "Chinese" if chinese else "English"


def level(one: Labelled) -> str:
    return one["level"]


def kind(one: Labelled) -> str:
    return one["kind"]


def groups(asked: Sequence[Labelled], of: Callable[[Labelled], str], said: Mapping[str, tuple[str, str, str]]) -> None:
    found: defaultdict[str, list[Labelled]] = defaultdict(list)
    for one in asked:
        found[of(one)].append(one)
    for name, group in sorted(found.items()):
        if name:
            share(f"  {name}", group, said)


def share(name: str, group: Sequence[Labelled], said: Mapping[str, tuple[str, str, str]]) -> None:
    """Print how many of a group get their level, and how many of its exploratory ones their kind too."""
    correct = sum(right(one, said) for one in group)
    kinds = [one for one in group if one["kind"]]
    same = sum(said[one["query"]][2] == one["kind"] for one in kinds)
    of_kind = f"   kind {same}/{len(kinds)}" if kinds else ""
    print(f"{name:<16}{correct:>4}/{len(group):<4}{correct / len(group):>7.3f}{of_kind}")


if __name__ == "__main__":
    main()
