"""How East Asian text is pronounced (furigana, pinyin): the text stays whole, its readings follow in brackets."""

import re

_KANA = re.compile(r"[\u3040-\u30ff\u31f0-\u31ff]+")


class Readings:
    """The readings of a paragraph; readings of adjacent texts are a group."""

    def __init__(self) -> None:
        self._groups: list[list[str]] = []

    def add(self, reading: str, *, joined: bool) -> None:
        """Add a reading, to the group of the last one where their texts are `joined`."""
        if joined and self._groups:
            self._groups[-1].append(reading)
        else:
            self._groups.append([reading])

    @property
    def text(self) -> str:
        """The readings in brackets, "" where there are none."""
        groups = [[reading for reading in map(str.strip, group) if reading] for group in self._groups]
        joined = [("" if all(map(_KANA.fullmatch, group)) else " ").join(group) for group in groups]
        return f"（{'、'.join(filter(None, joined))}）" if any(joined) else ""
