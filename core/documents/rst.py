"""A reStructuredText without what it takes from other files: pandoc may read none, and else refuses the whole text."""

import re

_DIRECTIVE = re.compile(rb"([ \t]*)\.\.[ \t]+(?:\|[^|\n]+\|[ \t]+)?([\w-]+)::[ \t]*(\S?)")
_FILE = re.compile(rb"\s*:(?:file|url):")
_INCLUDES = (b"include", b"literalinclude")


def without_files(data: bytes) -> tuple[bytes, int]:
    """Return a text without the directives that name a file or an address, and their number."""
    kept, count = list[bytes](), 0
    indent, first = -1, 0  # of the directive that is read, -1 outside of one; and its first line, -1 if it is left out
    for line in data.splitlines(keepends=True):
        own = len(line) - len(line.lstrip())
        if indent >= 0 and line.strip() and own <= indent:
            indent = -1
        if indent < 0 and (found := _DIRECTIVE.match(line)):
            indent, first = len(found[1]), len(kept)
            if found[2].lower() in _INCLUDES and found[3]:
                count, first = count + 1, -1
        elif indent >= 0 and first >= 0 and _FILE.match(line):
            del kept[first:]
            count, first = count + 1, -1
        if indent < 0 or first >= 0 or not line.strip():
            kept.append(line)
    return b"".join(kept), count
