"""What a language model writes, as values: objects of JSON, each on a line, read as the text comes."""

import json
from collections.abc import Iterator
from typing import Any

_MOST = 8_000
"""Characters of a line, and of an object that runs over several, at most."""
_DECODER = json.JSONDecoder()


class Lines:
    """The lines of a text that comes in pieces; what stands between <think> and </think> isn't read."""

    def __init__(self) -> None:
        self.thinking = False
        self._rest = self._begun = ""

    def add(self, piece: str) -> Iterator[dict[str, Any]]:
        """Yield the objects that a piece completes; a line break completes a line."""
        *lines, rest = (self._rest + piece).split("\n")
        self._rest = rest if len(rest) < _MOST else ""
        self.thinking = self.thinking or self._rest.lstrip().startswith("<think>")
        for line in lines:
            yield from self._line(line)

    def _line(self, line: str) -> Iterator[dict[str, Any]]:
        if self.thinking or line.lstrip().startswith("<think>"):
            _, end, after = line.rpartition("</think>")
            self.thinking = not end
            line = after if end else ""
        # An object within another one may have a line of its own.
        whole = [one for one in _objects(line) if "sentence" in one]
        found = whole or list(_objects(self._begun + line))
        if found:
            self._begun = ""
            yield from found
        elif len(self._begun) + len(line) < _MOST and (self._begun or line.lstrip(" [").startswith("{")):
            self._begun += f"{line}\n"
        else:
            self._begun = ""


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """Yield the objects that stand in a text one behind the other, from its first bracket on."""
    at = text.find("{")
    while at >= 0:
        try:
            value, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            return
        yield value
        at = text.find("{", end)
