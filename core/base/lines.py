"""The lines of a text: where they begin, and how they end."""

import re

LINE_END = r"(?:\r\n|\n|\r)"
"""What ends a line, here as in Markdown and in browsers: all else that may (form feed, U+2028) is white space in it."""

_NEAR = 256


def line_starts(text: str) -> list[int]:
    """Return where each line begins; after the last line end a line begins only if text follows."""
    ending = LINE_END if "\r" in text else r"\n"
    return [0, *(match.end() for match in re.finditer(ending, text) if match.end() < len(text))]


def text_end(text: str, start: int, end: int) -> int:
    """Return where a span ends without the white space at its end; a long span isn't copied for it."""
    near = max(start, end - _NEAR)
    while not (tail := text[near:end].rstrip()) and near > start:
        near = max(start, end - 2 * (end - near))
    return near + len(tail)


def with_newlines(text: str) -> str:
    """Return a text whose lines all end in \\n, in which every character keeps its place: \\r\\n is a space and \\n."""
    return text.replace("\r\n", " \n").replace("\r", "\n")


def with_line_ends(text: str, before: str) -> str:
    """Return a text of an editor, all of whose lines end in \\n, with the line ends of the text before the edit.

    Lines at the start and the end that are the same keep theirs; the others get the commonest. A text with any \\r
    stays.
    """
    if "\r" in text or "\r" not in before:
        return text
    new = re.split(LINE_END, text)
    old = re.split(LINE_END, before)
    ends = re.findall(LINE_END, before)
    commonest = max(dict.fromkeys(ends), key=ends.count)
    head = _common(new, old)
    tail = _common(new[head:][::-1], old[head:][::-1])
    most = len(new) - 1
    first = ends[: min(head, most)]
    last = ends[len(ends) - max(0, min(tail - 1, most - len(first))) :]
    middle = [commonest] * (most - len(first) - len(last))
    return "".join(f"{line}{end}" for line, end in zip(new, [*first, *middle, *last, ""], strict=True))


def _common(first: list[str], second: list[str]) -> int:
    """Return how many items at the start of two lists are the same."""
    return next(
        (n for n, (item, other) in enumerate(zip(first, second, strict=False)) if item != other),
        min(len(first), len(second)),
    )
