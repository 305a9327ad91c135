"""Names that sync programs give to the second text of a file, and which file each is a second text of.

Sources: the programs' help pages and source code, and file names that people show in their reports.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

_CONFLICT = r"(?:[ck]onfli[ckt]|mo[dt]strid|конфл|冲突|衝突|競合|問題のある|충돌|çakış)"
"""Beginnings of the word for a conflict: Dropbox writes names in the language of the person."""
_COPY = r"(?:c[oó]p[iy]|kop[iy]|exemplaar|коп[иі]|副本|複本|拷[贝貝]|コピー|사본)"
_OTHERWISE = (
    r"(?:case|casse|schreib|may[uú]sc|mai[uú]sc|大小|大文字|unicode|encod|[ck]odi|编码|編碼|s[eé]le[ck]|选择|選擇|選択"
    r"|white ?space|leerzeichen)"
)
"""Other conflicts of Dropbox: names that differ in their case or their code only, and selective sync."""
_DAY = r"(?:\d{4}-\d\d-\d\d|\d{8})"
_NUMBER = r"(?: ?\(?\d{1,3}\)?)?"
_LONGEST = 160
"""Characters of what a program adds to a name at most."""
_HINT = re.compile(rf"{_CONFLICT}|case clash|safebackup|_conf\(|@")
"""What is in every name that a program surely gives."""


@dataclass(frozen=True)
class CopyName:
    """How programs name a second text: what the end of the name matches, without suffix and folded.

    What is `divided` may begin at several places of a name.
    """

    programs: str
    end: str
    divided: bool = False

    @cached_property
    def _pattern(self) -> "re.Pattern[str]":
        return re.compile(rf"(?=(?:{self.end})\Z)")

    def originals(self, name: str) -> Iterator[str]:
        """Yield the names before the end, the longest first if there are several."""
        starts = (match.start() for match in self._pattern.finditer(name, max(0, len(name) - _LONGEST)))
        for start in sorted(starts, reverse=True) if self.divided else [min(starts, default=0)]:
            if name[:start].strip():
                yield name[:start]


def _within(*parts: str) -> str:
    """Return the pattern of brackets, perhaps with others in them, that hold all these parts."""
    ahead = "".join(rf"(?=.*{part})" for part in parts)
    return rf" ?\({ahead}(?:[^()]|\([^()]*\))*\)"


SURE = (
    CopyName("Dropbox, Nextcloud, ownCloud, Obsidian Sync, Box, Nutstore", _within(_CONFLICT, _COPY)),
    CopyName("Tessera, FSNotes, Seafile, Tresorit", _within(_CONFLICT, _DAY)),
    CopyName("Dropbox", _within(_CONFLICT, _OTHERWISE)),
    CopyName("Nextcloud", r" ?\(case clash from [^()]*\)"),
    CopyName("Seafile", r" ?\([^()\s]+@[^()\s]+ \d{4}-\d\d-\d\d(?:-\d\d){3}\)"),
    CopyName("pCloud, Google Drive", rf" ?\[{_CONFLICT}[^\[\]]*\]"),
    CopyName("Syncthing", r"\.sync-conflict-\d{8}-\d{6}(?:-[a-z\d]{7})?"),
    CopyName("Resilio Sync, rclone", r"\.conflict(?:ed)?\d*"),
    CopyName("ownCloud", r"_conflict-(?:[^_()]{1,64}-)?\d{8}-\d{6}"),
    CopyName("Google Drive", r"_conf\(\d{1,3}\)"),
    CopyName(
        "Synology Drive", r"_[^()]{1,64}_[^_()\d]{2,12}-\d\d-\d{6}-\d{4}_(?:case|unreadable)?conflict", divided=True
    ),
    CopyName("OneDrive on Linux", r"-[^()]{1,63}-safebackup-\d{4}", divided=True),
    CopyName("programs without brackets", rf"[-_] ?(?=[^()]*{_CONFLICT})(?=[^()]*{_COPY})[^-_()][^()]*", divided=True),
)
"""Names that no person gives."""
_NUMBERS = (
    CopyName("Google Drive, Resilio Sync, Windows", r" ?\(\d{1,3}\)"),
    CopyName("iCloud, Finder", r" (?:[2-9]|[1-9]\d)"),
)
POSSIBLE = (
    *_NUMBERS,
    CopyName("programs that name the conflict only", rf" ?\((?:sync)?conflict(?:ed|ing)?{_NUMBER}\)"),
    CopyName("OneDrive", r"-(?=[^()]*[^\W\d_])\w[\w .'’-]{1,39}", divided=True),
)
"""Names that may be a person's own."""


def folded(path: str) -> str:
    """Return a path as it is compared: programs change the case and the code of names."""
    return unicodedata.normalize("NFKC", path).casefold()


@lru_cache(100_000)
def originals(path: str) -> tuple[tuple[str, bool], ...]:
    """Return the folded paths of which a file may be a second text by its name, and whether that is sure.

    A second text may have one of its own: then the name before both ends is one that is sure.
    """
    folder, slash, name = folded(path).rpartition("/")
    stem, dot, suffix = name.rpartition(".")
    found = [(first, True) for first in _sure(stem, 2)] if _HINT.search(stem) else []
    found += ((first, False) for copy_name in POSSIBLE for first in copy_name.originals(stem))
    return tuple((f"{folder}{slash}{first}{dot}{suffix}", sure) for first, sure in found)


def _sure(name: str, depth: int) -> Iterator[str]:
    """Yield the names before the ends that are sure, at most `depth` behind each other, or before numbers."""
    for number in (*SURE, *_NUMBERS) if depth else ():
        for first in number.originals(name):
            if number in SURE:
                yield first
            if _HINT.search(first):
                yield from _sure(first, depth - 1)
