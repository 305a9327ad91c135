"""The text between the two lines of front matter -> its keys and values, with their places, line by line where needed.

A text that is no mapping (a poem, minutes, a list, a table) isn't front matter. Of a mapping in which YAML can't read
some lines, the other lines count. YAML isn't trusted: what expands when it is loaded is refused before it is built.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import yaml
from yaml.reader import Reader

from core.base.messages import Message, message, reason_of
from core.base.text import LINE_END

MAX_CHARACTERS = 64 * 1024
MAX_DEPTH = 20

_MOST_TRIED = 20
"""Lines of one key that are tried one by one."""
_LINE = re.compile(rf"[^\r\n]*(?:{LINE_END}|\Z)")
_KEY = re.compile(r"""(["']?)(?P<key>[^\W_][^\s:#"']*)\1:(?=[ \t\r\n]|\Z)""")
_GOES_ON = re.compile(r"[ \t\r\n#\]}]")
_ITEM = re.compile(r"-[ \t]")
_OPEN_KEY = re.compile(r"[^:]*:[ \t]*(?:#[^\r\n]*)?[\r\n]*\Z")
_TEMPLATE = re.compile(r"\{\{[^{}\r\n]*\}\}|<%[^%\r\n]*%>")
"""What a program that makes notes from templates left as it was."""
_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True, slots=True)
class UnreadLine:
    """A line that YAML can't read: its number in the file, the key in it, if any, and why."""

    number: int
    key: str
    reason: Message

    @property
    def place(self) -> str:
        """The line as the user would search for it."""
        return f"{self.number} ({self.key})" if self.key else str(self.number)


@dataclass(frozen=True, slots=True)
class YamlBlock:
    """The mapping of front matter, `None` for an empty one, and the lines that aren't part of it."""

    root: yaml.MappingNode | None
    unread: tuple[UnreadLine, ...] = ()


@lru_cache(maxsize=8)
def block(source: str, known: frozenset[str] = frozenset()) -> YamlBlock | None:
    """Return the mapping that a text holds, None where it holds none; `known` are keys that nobody writes in prose."""
    if not source.strip():
        return YamlBlock(None)
    if len(source) > MAX_CHARACTERS:
        return None
    try:
        root = compose(source)
    except (yaml.YAMLError, ValueError):
        return _by_lines(source, known)
    if not isinstance(root, yaml.MappingNode):
        return None
    return YamlBlock(root) if all(map(_has_plain_keys, root.value)) else _by_lines(source, known)


def compose(source: str) -> yaml.Node | None:
    """Return the YAML as nodes with their places; raises ValueError and YAMLError."""
    _refuse_hostile(source)
    root: yaml.Node | None = yaml.compose(source, Loader=_Loader)
    return root


def _refuse_hostile(source: str) -> None:
    """Raise ValueError for YAML that is small but costly to load, before anything is built."""
    if Reader.NON_PRINTABLE.search(source):
        raise ValueError(message("it holds a control character"))
    depth = 0
    for event in _events(source):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if isinstance(event, yaml.AliasEvent):
            raise ValueError(message("YAML aliases (*name) are not allowed"))  # noqa: TRY004
        if depth > MAX_DEPTH:
            raise ValueError(message("it is nested deeper than {n} levels", n=MAX_DEPTH))


def _events(source: str) -> Iterator[yaml.Event]:
    try:
        yield from yaml.parse(source, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        if "nesting depth" not in (error.problem or ""):  # of PyYAML from 6.0.4 on, which looks ahead
            raise
        raise ValueError(message("it is nested deeper than {n} levels", n=MAX_DEPTH)) from error


def _has_plain_keys(pair: tuple[yaml.Node, yaml.Node]) -> bool:
    """Return whether the key of a pair, and every key within its value, is a text: `{{title}}` has a mapping as key."""
    key, value = pair
    if isinstance(value, yaml.SequenceNode):
        return isinstance(key, yaml.ScalarNode) and all(_has_plain_keys((key, item)) for item in value.value)
    inner = value.value if isinstance(value, yaml.MappingNode) else []
    return isinstance(key, yaml.ScalarNode) and all(map(_has_plain_keys, inner))


def _by_lines(source: str, known: frozenset[str]) -> YamlBlock | None:
    """Return the mapping of the lines that YAML can read, None where too little speaks for a mapping.

    The other lines are read as comments, so that all nodes have their places in the source.
    """
    lines: list[str] = []
    unread: list[UnreadLine] = []
    keys = fields = readable = prose = 0
    for entry in _entries(source):
        reasons = _reasons(entry)
        key = _KEY.match(entry[0].lstrip())
        keys += key is not None
        fields += key is not None and key["key"].lower() in known
        readable += key is not None and reasons[0] is None
        prose += key is None and any(map(_is_prose, entry))
        for line, reason in zip(entry, reasons, strict=True):
            if reason:
                inner = _KEY.match(line.lstrip())
                unread.append(UnreadLine(len(lines) + 2, inner["key"] if inner else "", reason))
            lines.append(_as_comment(line) if reason else line)
    if not (readable or fields) or (prose and not (fields and prose < keys)):
        return None
    try:
        root = compose("".join(lines))
    except (yaml.YAMLError, ValueError):
        return None
    return YamlBlock(root, tuple(unread)) if root is None or isinstance(root, yaml.MappingNode) else None


def _entries(source: str) -> Iterator[list[str]]:
    """Yield the lines of each key: its own, and those below that can only belong to it."""
    entry: list[str] = []
    for line in filter(None, _LINE.findall(source)):
        if entry and not (_GOES_ON.match(line) or (_ITEM.match(line) and _OPEN_KEY.match(entry[0]))):
            yield entry
            entry = []
        entry.append(line)
    if entry:
        yield entry


def _reasons(entry: list[str]) -> list[Message | None]:
    """Return for each line of a key why YAML can't read it after the readable lines above it."""
    if _reason(entry) is None:
        return [None] * len(entry)
    reasons: list[Message | None] = []
    read: list[str] = []
    for number, line in enumerate(entry):
        reason = _reason([*read, line]) if number < _MOST_TRIED and line.strip() else reasons[-1] if reasons else None
        reasons.append(reason)
        read.append(_as_comment(line) if reason else line)
    return reasons


def _reason(lines: list[str]) -> Message | None:
    """Return why YAML can't read some lines, of which the last is new, as keys with values; None where it can."""
    try:
        root = compose("".join(lines))
    except yaml.YAMLError:
        pass
    except ValueError as error:
        return reason_of(error)
    else:
        if root is None or (isinstance(root, yaml.MappingNode) and all(map(_has_plain_keys, root.value))):
            return None
    has_value = _KEY.match(lines[-1].lstrip()) or _ITEM.match(lines[-1].lstrip())
    return message("put its value in quotation marks") if has_value else message("it is no 'key: value'")


def _as_comment(line: str) -> str:
    """Return a comment of the length of a line, with its end."""
    text = line.rstrip("\r\n")
    return "#" * len(text) + line[len(text) :]


def _is_prose(line: str) -> bool:
    """Return whether a line without a key has words of its own, as no template and no ornament has."""
    words = _TEMPLATE.sub("", line).split()
    return len(words) > 1 or not "".join(words).isascii()
