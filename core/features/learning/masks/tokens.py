"""What looks like a token of no known kind: long runs of characters that are as mixed as only tokens are."""

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import pairwise

from core.features.learning.masks.spans import SecretSpan

_ORDINARY = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\d+(?:[-_]\d+)*|[a-z]+(?:[-_][a-z]+)*", re.IGNORECASE
)
"""Long runs that are no tokens: identifiers of rows, numbers, words with dashes."""
_RUN = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{20,}+={0,2}")
_AROUND = re.compile(r"(?:[.~:]?[A-Za-z0-9+/_=-])*+")
_DIGEST = re.compile(
    r"(?i)(?:\b(?:commit|merge|revision|rev|tree|parent|blob|object|index|head is now at|checksum|digest"
    r"|etag|integrity)"
    r"\b[\"']?[:= ]{0,3}[\"']?|\b(?:sha-?\d{1,3}|md5|git)[-:=@ ]{1,2}|@)\Z"
)
"""What is before a hash that is no secret."""
_LONG_PART = 16
_SHORTEST, _SHORTEST_OF_TWO = 20, 24
"""Characters of an unknown token at least: of three kinds of characters, and of letters of one case and figures."""
_LEAST_CHANGES = 0.3
"""Changes between letters and figures, or of case, for each character of an unknown token; words have fewer."""
_LEAST_CHANGES_OF_LETTERS = 0.4
_LEAST_BITS = 3.0
"""Bits of entropy for each character of an unknown token."""
_HEXADECIMAL = re.compile(r"[0-9a-f]{32,}|[0-9A-F]{32,}")


def find_tokens(text: str) -> Iterator[SecretSpan]:
    """Yield the runs that look like tokens; of a path only the parts that do."""
    for run in _RUN.finditer(text):
        if _HEXADECIMAL.fullmatch(run[0]) and _DIGEST.search(text, max(0, run.start() - 20), run.start()):
            continue
        if is_token(run[0]):
            start, end = run.span()
            yield SecretSpan(start, (_AROUND.match(text, end) or run).end(), "secret")
            continue
        for part in re.finditer(r"[^/=]{16,}+", run[0]):
            if is_token(part[0]):
                yield SecretSpan(run.start() + part.start(), run.start() + part.end(), "secret")


def is_token(text: str) -> bool:
    """Return whether a run of characters is as mixed as only a token is."""
    core = text.strip("=-_/+")
    if _HEXADECIMAL.fullmatch(core):
        return len(set(core)) > 4
    if _ORDINARY.fullmatch(core) or len(core) < _SHORTEST:
        return False
    if max(map(len, re.split(r"[-_/]", core))) < _LONG_PART and not (
        "/" in core and change_rate(core) >= _LEAST_CHANGES
    ):
        return False
    kinds = {_kind(item) for item in core}
    few = len(kinds & {"upper", "lower", "digit"}) < 3
    if few and len(core) < _SHORTEST_OF_TWO:
        return False
    return (
        change_rate(core) >= (_LEAST_CHANGES_OF_LETTERS if "digit" not in kinds else _LEAST_CHANGES)
        and _bits(core) >= _LEAST_BITS
    )


def change_rate(text: str) -> float:
    """Return the changes of kind between the characters of a text, for each of them."""
    kinds = [_kind(item) for item in text]
    return sum(kind != other and "other" not in (kind, other) for kind, other in pairwise(kinds)) / max(1, len(text))


def _kind(letter: str) -> str:
    return "digit" if letter.isdigit() else "upper" if letter.isupper() else "lower" if letter.islower() else "other"


def _bits(text: str) -> float:
    counts: Mapping[str, int] = Counter(text)
    return -sum(count / len(text) * math.log2(count / len(text)) for count in counts.values())
