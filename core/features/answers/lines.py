"""What a language model writes, as values: objects of JSON, each on a line, read as the text comes."""

import json
import re
from collections.abc import Iterator
from typing import Any

_MOST = 8_000
"""Characters of a line, and of an object that runs over several, at most."""
_DECODER = json.JSONDecoder()
_LIST = re.compile(r'\s*\{\s*"sentences"\s*:\s*\[')
"""The start of an object that holds all sentences in a list."""
_OPENING = 200
"""Characters of that start at most."""
_BETWEEN = " ,\r\n\t"
"""Characters between the objects of a list."""


class StreamedLines:
    """The lines of a text that comes in pieces; text between <think> and </think> isn't read.

    An object whose only field `sentences` is a list counts as the objects of that list, each of which is read as soon
    as it is complete.
    """

    def __init__(self) -> None:
        self.thinking = False
        self._rest = self._begun = ""
        self._in_list = False

    def add(self, piece: str) -> Iterator[dict[str, Any]]:
        """Yield the objects that a piece completes; a line break completes a line."""
        self._rest += piece
        goes_on = True
        while goes_on:
            if self._in_list or self._enters_list():
                yield from self._listed()
                goes_on = not self._in_list
            else:
                line, end, after = self._rest.partition("\n")
                goes_on = bool(end)
                if goes_on:
                    self._rest = after
                    yield from self._line(line)
        if len(self._rest) >= _MOST:
            self._rest, self._in_list = "", False
        self.thinking = self.thinking or self._rest.lstrip().startswith("<think>")

    def _enters_list(self) -> bool:
        """Whether a list of sentences opens here; its objects are the rest then."""
        text = self._begun + self._rest
        opening = None if self.thinking or len(self._begun) > _OPENING else _LIST.match(text)
        if opening:
            self._rest, self._begun, self._in_list = text[opening.end() :], "", True
        return self._in_list

    def _listed(self) -> Iterator[dict[str, Any]]:
        """Yield the complete objects of a list, and leave the list where it ends."""
        self._rest = self._rest.lstrip(_BETWEEN)
        while self._rest.startswith("{"):
            try:
                value, end = _DECODER.raw_decode(self._rest)
            except (ValueError, RecursionError):
                return
            self._rest = self._rest[end:].lstrip(_BETWEEN)
            yield value
        self._in_list = not self._rest

    def _line(self, line: str) -> Iterator[dict[str, Any]]:
        if self.thinking or line.lstrip().startswith("<think>"):
            _, end, after = line.rpartition("</think>")
            self.thinking = not end
            line = after if end else ""
        # An object within another one may have a line of its own.
        whole = [item for item in _objects(line) if "sentence" in item]
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
