"""Parses front matter into a note's fields.

Front matter begins with `---` on the first line of a file and ends at the next `---` or `...`, with a mapping in
between. The YAML isn't trusted, so only plain values are built.
"""

import math
import re
from collections.abc import Iterator
from dataclasses import MISSING, dataclass, field, fields
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple, get_args

import yaml
from yaml.constructor import SafeConstructor
from yaml.reader import Reader

from core.base.frozen import AnyValues, ValueMap, Values, frozen
from core.base.messages import Message, message, reason_of
from core.base.text import LINE_END
from core.markdown.inline import split_tags
from core.model import NOTE_FIELDS, FieldKind, FieldValues, NoteStatus, Omission, clock_to_utc, exact

MAX_CHARACTERS = 64 * 1024
MAX_DEPTH = 20

_KEY = re.compile(r"""(["']?)(?P<key>[^\W_][^\s:#"']*)\1:(?=[ \t\r\n]|\Z)""")
_ITEM = re.compile(r"-[ \t]")
_OPEN_KEY = re.compile(r"[^:]*:[ \t]*(?:#[^\r\n]*)?[\r\n]*\Z")
_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@frozen
class UnreadLine:
    """A line that isn't valid YAML, with its number in the file, its key (or ""), and the reason."""

    number: int
    key: str
    reason: Message


@frozen
class YamlBlock:
    """The mapping in front matter, and any unreadable lines. The mapping is None if the front matter is empty."""

    root: yaml.MappingNode | None
    unread: tuple[UnreadLine, ...] = ()


@lru_cache(maxsize=8)
def mapping(source: str) -> YamlBlock | None:
    """Return the mapping in front matter, without any invalid lines.

    Return None if the text is too long, looks like prose, or is YAML but not a mapping.
    """
    if not source.strip():
        return YamlBlock(None)
    if len(source) > MAX_CHARACTERS:
        return None
    try:
        root = compose(source)
    except (yaml.YAMLError, ValueError):
        return _by_lines(source)
    if not isinstance(root, yaml.MappingNode):
        return None
    return YamlBlock(root) if all(map(_has_plain_keys, root.value)) else _by_lines(source)


def compose(source: str) -> yaml.Node | None:
    """Parse YAML into nodes with offsets.

    Raises YAMLError if the YAML is invalid. Raises ValueError, before building anything, if it contains control
    characters or aliases, or is nested too deeply.
    """
    if Reader.NON_PRINTABLE.search(source):
        raise ValueError(message("it contains a control character"))
    too_deep = ValueError(message("it is nested deeper than {n} levels", n=MAX_DEPTH))
    depth = 0
    try:
        for event in yaml.parse(source, Loader=_Loader):
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if isinstance(event, yaml.AliasEvent):
                raise ValueError(message("YAML aliases (*name) are not allowed"))  # noqa: TRY004
            if depth > MAX_DEPTH:
                raise too_deep
    except yaml.MarkedYAMLError as error:
        if "nesting depth" in (error.problem or ""):  # since 6.0.4, PyYAML looks ahead and fails first
            raise too_deep from error
        raise
    return yaml.compose(source, Loader=_Loader)


def _has_plain_keys(pair: tuple[yaml.Node, yaml.Node]) -> bool:
    """Return whether a key and all keys in its value are scalars. The key `{{title}}`, for example, isn't a scalar."""
    key, value = pair
    if isinstance(value, yaml.SequenceNode):
        return isinstance(key, yaml.ScalarNode) and all(_has_plain_keys((key, item)) for item in value.value)
    return isinstance(key, yaml.ScalarNode) and all(
        map(_has_plain_keys, value.value if isinstance(value, yaml.MappingNode) else [])
    )


def _by_lines(source: str) -> YamlBlock | None:
    """Return the mapping in the lines that are valid YAML, or None if the text looks like prose.

    Invalid lines become comments, so that node offsets stay the same.
    """
    lines = list[str]()
    unread = []
    keys = fields = readable = prose = 0
    for entry in _entries(source):
        reasons = _reasons(entry)
        key = _KEY.match(entry[0].lstrip())
        if key:
            keys += 1
            fields += key["key"].lower() in _FIELDS
            readable += reasons[0] is None
        else:
            # A line is prose if it contains words, apart from templates and ornaments.
            words = [re.sub(r"\{\{[^{}\r\n]*\}\}|<%[^%\r\n]*%>", "", line).split() for line in entry]
            prose += any(len(line) > 1 or not "".join(line).isascii() for line in words)
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
    """Yield each key's lines: the line with the key, and the lines below it that belong to the key."""
    entry = list[str]()
    for line in filter(None, re.findall(rf"[^\r\n]*(?:{LINE_END}|\Z)", source)):
        if entry and not (re.match(r"[ \t\r\n#\]}]", line) or (_ITEM.match(line) and _OPEN_KEY.match(entry[0]))):
            yield entry
            entry = []
        entry.append(line)
    if entry:
        yield entry


def _reasons(entry: list[str]) -> list[Message | None]:
    """Return the reason why each of a key's lines is invalid, or None for a valid line.

    A line is valid if it forms valid YAML together with the valid lines above it.
    """
    if _reason(entry) is None:
        return [None] * len(entry)
    reasons: list[Message | None] = []
    read = list[str]()
    for number, line in enumerate(entry):
        reason = _reason([*read, line]) if number < 20 and line.strip() else reasons[-1] if reasons else None
        reasons.append(reason)
        read.append(_as_comment(line) if reason else line)
    return reasons


def _reason(lines: list[str]) -> Message | None:
    """Return what is wrong with the last line, or None if the lines are YAML with keys and values."""
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
    return message("put its value in quotation marks") if has_value else message("it isn't 'key: value'")


def _as_comment(line: str) -> str:
    """Return a comment with the same length and line end as the given line."""
    text = line.rstrip("\r\n")
    return "#" * len(text) + line[len(text) :]


# Maximum number of unreadable lines to report individually.
_MOST_NAMED = 10
_CLOSING = re.compile(rf"(?<=[\r\n])(?:---|\.\.\.)[ \t]*+(?:{LINE_END}|\Z)")
_TIMES = {"created_at": ("created", "created_at", "date"), "updated_at": ("updated", "updated_at", "modified")}
# The front matter keys of each note field, in lower case. The usual key comes first.
KEYS = {name: field.keys or (name,) for name, field in NOTE_FIELDS.items()} | _TIMES
_KINDS = {name: field.kind for name, field in NOTE_FIELDS.items()} | dict.fromkeys(_TIMES, "day")
_FIELDS = {key: name for name, keys in KEYS.items() for key in keys}
_EMPTY = {field.name: "" if field.default is MISSING else field.default for field in fields(FieldValues)}
_YAML_TAG = "tag:yaml.org,2002:"
_NULL = f"{_YAML_TAG}null"
# Exceptions raised by PyYAML's constructors if text doesn't fit its tag, because they don't validate the text first.
_UNFIT = (yaml.YAMLError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


@dataclass(slots=True)
class FrontMatter:
    """The values in front matter, keyed by note field. `extra` contains all other keys, with JSON-compatible values.

    `left_out` lists the unreadable lines and values.
    """

    fields: AnyValues = field(default_factory=dict)
    extra: Values = field(default_factory=dict)
    warnings: list[Message] = field(default_factory=list)
    left_out: list[Omission] = field(default_factory=list)

    def value(self, name: str) -> Any:
        """Return the value of a note field or time, or its default if unset."""
        return self.fields.get(name, _EMPTY.get(name))


def dump(values: ValueMap) -> str:
    """Return values as front matter, or "" if there are none."""
    dumped = yaml.safe_dump(dict(values), allow_unicode=True, sort_keys=False, width=10_000)
    return f"---\n{dumped}---\n" if values else ""


class FrontSpan(NamedTuple):
    """The start and end of the YAML in text, and the start of the body. All are 0 if there is no front matter."""

    start: int = 0
    end: int = 0
    body: int = 0


def span(text: str) -> FrontSpan:
    """Return the span of the front matter in text.

    If there is no mapping between the two `---` lines, these lines belong to the body.
    """
    found = delimited(text)
    return found if found.body and mapping(text[found.start : found.end]) else FrontSpan()


def delimited(text: str) -> FrontSpan:
    """Return the span between the two `---` lines, even if the text between them isn't a mapping."""
    opening = re.match(rf"---[ \t]*+{LINE_END}", text)
    closing = _CLOSING.search(text, opening.end()) if opening else None
    return FrontSpan(opening.end(), closing.start(), closing.end()) if opening and closing else FrontSpan()


def parse(source: str) -> FrontMatter:
    """Parse the YAML in front matter. Unreadable lines are left out, with warnings for the first ones."""
    front = FrontMatter()
    read = mapping(source) or YamlBlock(None)
    unread = read.unread
    if unread:
        more = ", …" if len(unread) > _MOST_NAMED else ""
        numbers = (f"{line.number} ({line.key})" if line.key else str(line.number) for line in unread[:_MOST_NAMED])
        front.left_out.append(Omission("field", len(unread), ", ".join(numbers) + more))
    for line in unread[:_MOST_NAMED]:
        front.warnings.append(
            message("Line {line} of the front matter can't be read: {reason}.", line=line.number, reason=line.reason)
        )
    for key, value in read.root.value if read.root else ():
        if value.tag != _NULL:
            _set_field(front, key.value.strip(), value)
    return front


def _set_field(front: FrontMatter, key: str, node: yaml.Node) -> None:
    """Store a key's value in its note field, or in `extra` if there is no such field or it doesn't accept the value.

    Fields get the text as written, because YAML would read `1.10` as a number and `no` as False.
    """
    texts = list(strings(node))
    value = ", ".join(texts).strip()
    name = _FIELDS.get(key.lower(), "")
    line = node.start_mark.line + 2
    taken = _field_value(_KINDS[name], value, texts) if name and not _holds_mapping(node) else None
    if taken is not None:
        front.fields[name] = front.value(name) + taken if name == "tags" else taken
    elif key.lower() in ("aliases", "alias"):
        front.extra["aliases"] = list(dict.fromkeys([*front.extra.setdefault("aliases", []), *texts]))  # type: ignore[misc]
    elif key.lower() in ("source_url", "url") and re.match(r"https?://", value):
        front.fields["source_url"] = value
    elif name and _KINDS[name] == "day":
        front.extra[key] = value
        front.warnings.append(
            message("'{key}' in the front matter (line {line}) is not a date like 2026-01-31.", key=key, line=line)
        )
    else:
        try:
            front.extra[key] = _as_json(_AsTyped().construct_document(node))
        except _UNFIT:
            if isinstance(node, yaml.ScalarNode):
                front.extra[key] = node.value.replace("\0", "�")
                why = message(
                    "'{key}' in the front matter (line {line}) can't be read as '{tag}' and was kept as text.",
                    key=key,
                    line=line,
                    tag=node.tag.replace(_YAML_TAG, "!!"),
                )
            else:
                front.left_out.append(Omission("field", place=f"{line} ({key})"))
                why = message(
                    "'{key}' in the front matter (line {line}) can't be read and was ignored.", key=key, line=line
                )
            front.warnings.append(why)


def _field_value(kind: FieldKind, value: str, texts: list[str]) -> object:
    """Return a value converted for a field of the given kind, or None if the field doesn't accept it."""
    match kind:
        case "tags":
            return tuple(tag for text in texts for tag in split_tags(text))
        case "notes":
            return tuple(filter(None, map(target, texts)))
        case "number":
            return int(value) if re.fullmatch(r"[+-]?[0-9]{1,6}", value) else None
        case "status":
            return value.lower() if value.lower() in get_args(NoteStatus) else None
        case "day":
            return moment(value)
        case _:
            return value


def _holds_mapping(node: yaml.Node) -> bool:
    """Return whether a value contains a mapping, which no note field accepts."""
    if isinstance(node, yaml.SequenceNode):
        return any(map(_holds_mapping, node.value))
    return isinstance(node, yaml.MappingNode) and bool(node.value)


def target(text: str) -> str:
    """Return the note title, file name or path in a front matter entry. The entry may be a wikilink."""
    return re.sub(r"^\[\[|\]\]$", "", text.strip()).partition("|")[0].strip()


def strings(node: yaml.Node) -> Iterator[str]:
    """Yield the strings in a value, one per list item."""
    if isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from strings(item)
    elif isinstance(node, yaml.ScalarNode) and node.tag != _NULL:
        yield node.value.replace("\0", "�")


def moment(value: str) -> datetime | None:
    """Parse a date or time, and return it in UTC, or None if the value is neither.

    A date becomes midnight UTC. A time without an offset is local time.
    """
    match = re.fullmatch(
        r"(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})日?(?:[T\s]\s?(\d{1,2})(:\S+(?:\s?[+-]\S+|\sZ)?))?", value
    )
    if match is None:
        return None
    year, month, day, hour, rest = match.groups()
    clock = f"T{int(hour):02d}{''.join(rest.split())}" if hour else ""
    try:
        at = datetime.fromisoformat(f"{year}-{int(month):02d}-{int(day):02d}{clock}")
        return clock_to_utc(at) if clock else exact(at)
    except ValueError:
        return None


def _as_typed(constructor: SafeConstructor, node: yaml.ScalarNode) -> object:
    value: object = SafeConstructor.yaml_constructors[node.tag](constructor, node)
    return value if str(value) == node.value else node.value


class _AsTyped(SafeConstructor):
    """Builds values from YAML. A number or time stays a string if it would be written back differently."""

    yaml_constructors = SafeConstructor.yaml_constructors | {
        f"{_YAML_TAG}{name}": _as_typed for name in ("int", "float", "timestamp")
    }


def _as_json(value: object) -> object:
    match value:
        case dict():
            return {str(key): _as_json(item) for key, item in value.items()}
        case list() | set() | tuple():
            return list(map(_as_json, value))
        case str():
            return value.replace("\0", "�")
        case None | bool():
            return value
        case int() if abs(value) < 2**63:
            return value
        case float() if math.isfinite(value):
            return value
    return str(value)
