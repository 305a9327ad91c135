"""Front matter -> the fields of a note.

Only a file whose first line is `---` has front matter, down to the next `---` or `...`. The YAML isn't trusted:
only plain values are built, and YAML that expands when loaded is refused first.
"""

import re
from collections.abc import Iterator
from dataclasses import MISSING, dataclass, field, fields
from datetime import datetime
from typing import Any, get_args

import yaml
from yaml.constructor import SafeConstructor
from yaml.reader import Reader

from core.markdown.tags import in_list
from core.messages import Message, message, reason_of
from core.model import NOTE_FIELDS, FieldKind, FieldValues, NoteStatus, exact
from core.text import LINE_END

MAX_CHARACTERS = 64 * 1024
MAX_DEPTH = 20

_OPENING = re.compile(rf"---[ \t]*+{LINE_END}")
_CLOSING = re.compile(rf"(?<=[\r\n])(?:---|\.\.\.)[ \t]*+(?:{LINE_END}|\Z)")
_DATE = re.compile(r"(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})日?(?:[T\s]\s?(\d{1,2})(:\S+(?:\s?[+-]\S+|\sZ)?))?")
_TIMES = {"created_at": ("created", "created_at", "date"), "updated_at": ("updated", "updated_at", "modified")}
KEYS = {name: field.keys or (name,) for name, field in NOTE_FIELDS.items()} | _TIMES
"""The keys of each field of a note, the usual one first; a key is the same in any case."""
_KINDS = {name: field.kind for name, field in NOTE_FIELDS.items()} | dict.fromkeys(_TIMES, "day")
_FIELDS = {key: name for name, keys in KEYS.items() for key in keys}
_EMPTY = {one.name: "" if one.default is MISSING else one.default for one in fields(FieldValues)}
_YAML_TAG = "tag:yaml.org,2002:"
_NULL = f"{_YAML_TAG}null"
_UNFIT = (yaml.YAMLError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What PyYAML's constructors raise for a text that doesn't fit its tag: they check nothing themselves."""
_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(slots=True)
class FrontMatter:
    """The values of the front matter by the fields of a note; `extra` holds those without a field, as JSON values."""

    fields: dict[str, Any] = field(default_factory=dict)
    extra: dict[str, object] = field(default_factory=dict)
    warnings: list[Message] = field(default_factory=list)

    def value(self, name: str) -> Any:
        """Return the value of a field of a note, or of one of its times."""
        return self.fields.get(name, _EMPTY.get(name))


def span(text: str) -> tuple[int, int, int]:
    """Return the start and end of the YAML and the start of the body; zeros where there is none."""
    opening = _OPENING.match(text)
    closing = _CLOSING.search(text, opening.end()) if opening else None
    return (opening.end(), closing.start(), closing.end()) if opening and closing else (0, 0, 0)


def parse(source: str) -> FrontMatter:
    """Read the YAML between the two lines; an unreadable value leaves a warning with its line."""
    front = FrontMatter()
    try:
        root = compose(source)
    except (yaml.YAMLError, ValueError) as error:
        front.warnings.append(unreadable(error))
        return front
    if isinstance(root, yaml.MappingNode):
        for key, value in root.value:
            if isinstance(key, yaml.ScalarNode) and value.tag != _NULL:
                _take(front, key.value.strip(), value)
    elif root is not None:
        front.warnings.append(message("The front matter (line 2) is not a list of 'key: value' lines; it is ignored."))
    return front


def compose(source: str) -> yaml.Node | None:
    """Return the YAML as nodes with their places; raises ValueError and YAMLError."""
    _refuse_hostile(source)
    root: yaml.Node | None = yaml.compose(source, Loader=_Loader)
    return root


def _refuse_hostile(source: str) -> None:
    """Raise ValueError for YAML that is small but costly to load, before anything is built."""
    if len(source) > MAX_CHARACTERS:
        raise ValueError(message("line 2: it is longer than {size} KB", size=MAX_CHARACTERS // 1024))
    if unprintable := Reader.NON_PRINTABLE.search(source):
        line = len(re.findall(LINE_END, source[: unprintable.start()])) + 2
        raise ValueError(message("line {line}: it holds a control character", line=line))
    depth = 0
    for event in _events(source):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        line = event.start_mark.line + 2 if event.start_mark else 2
        if isinstance(event, yaml.AliasEvent):
            raise ValueError(message("line {line}: YAML aliases (*name) are not allowed", line=line))  # noqa: TRY004
        if depth > MAX_DEPTH:
            raise ValueError(message("line {line}: it is nested deeper than {n} levels", line=line, n=MAX_DEPTH))


def _events(source: str) -> Iterator[yaml.Event]:
    try:
        yield from yaml.parse(source, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        if "nesting depth" not in (error.problem or ""):  # of PyYAML from 6.0.4 on, which looks ahead
            raise
        line = error.problem_mark.line + 2 if error.problem_mark else 2
        raise ValueError(message("line {line}: it is nested deeper than {n} levels", line=line, n=MAX_DEPTH)) from error


def unreadable(error: Exception) -> Message:
    """Return the message of what `compose` raises."""
    mark = getattr(error, "problem_mark", None)
    reason = reason_of(error)
    if mark:
        reason = message("line {line}: {reason}", line=mark.line + 2, reason=getattr(error, "problem", "") or "")
    return message("The front matter can't be read and is ignored ({reason}).", reason=reason)


def _take(front: FrontMatter, key: str, node: yaml.Node) -> None:
    """Store one key in its field; a value that its field can't hold goes to `extra`.

    Fields take the text as typed: YAML would make a number of `1.10` and a truth of `no`.
    """
    texts = list(strings(node))
    value = ", ".join(texts).strip()
    name = _FIELDS.get(key.lower(), "")
    taken = _read(_KINDS[name], value, texts) if name else None
    if taken is not None:
        front.fields[name] = front.value(name) + taken if name == "tags" else taken
    elif key.lower() in ("aliases", "alias"):
        names = front.extra.setdefault("aliases", [])
        front.extra["aliases"] = [*dict.fromkeys([*names, *texts])]  # type: ignore[misc]
    elif key.lower() in ("source_url", "url") and re.match(r"https?://", value):
        front.fields["source_url"] = value
    elif name and _KINDS[name] == "day":
        line = node.start_mark.line + 2
        front.extra[key] = value
        front.warnings.append(
            message("'{key}' in the front matter (line {line}) is not a date like 2026-01-31.", key=key, line=line)
        )
    else:
        _keep(front, key, node)


def _read(kind: FieldKind, value: str, texts: list[str]) -> Any:
    """Return the value of a field of this kind, None for a text that the field can't hold."""
    match kind:
        case "tags":
            return tuple(tag for text in texts for tag in in_list(text))
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


def _keep(front: FrontMatter, key: str, node: yaml.Node) -> None:
    line = node.start_mark.line + 2
    try:
        front.extra[key] = _plain(_AsTyped().construct_document(node))
    except _UNFIT:
        if not isinstance(node, yaml.ScalarNode):
            front.warnings.append(
                message("'{key}' in the front matter (line {line}) can't be read and is ignored.", key=key, line=line)
            )
            return
        front.extra[key] = node.value.replace("\0", "�")
        front.warnings.append(
            message(
                "'{key}' in the front matter (line {line}) can't be read as '{tag}'; it is kept as text.",
                key=key,
                line=line,
                tag=node.tag.replace(_YAML_TAG, "!!"),
            )
        )


def target(text: str) -> str:
    """Return the note that an entry names, also by a wikilink: its title, file name or path."""
    return re.sub(r"^\[\[|\]\]$", "", text.strip()).partition("|")[0].strip()


def strings(node: yaml.Node) -> Iterator[str]:
    """Yield the texts of a value, those of a list one by one."""
    if isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from strings(item)
    elif isinstance(node, yaml.ScalarNode) and node.tag != _NULL:
        yield node.value.replace("\0", "�")


def moment(value: str) -> datetime | None:
    """Return a date or time in UTC; one without an offset counts as UTC."""
    match = _DATE.fullmatch(value)
    if match is None:
        return None
    year, month, day, hour, rest = match.groups()
    clock = f"T{int(hour):02d}{''.join(rest.split())}" if hour else ""
    try:
        return exact(datetime.fromisoformat(f"{year}-{int(month):02d}-{int(day):02d}{clock}"))
    except ValueError:
        return None


def _as_typed(constructor: SafeConstructor, node: yaml.ScalarNode) -> object:
    value: object = SafeConstructor.yaml_constructors[node.tag](constructor, node)
    return value if str(value) == node.value else node.value


class _AsTyped(SafeConstructor):
    """Builds the values of YAML; a number or a time that would be written otherwise than it was typed stays text."""

    yaml_constructors = SafeConstructor.yaml_constructors | {
        f"{_YAML_TAG}{name}": _as_typed for name in ("int", "float", "timestamp")
    }


def _plain(value: object) -> object:
    """Return the nearest value that JSON can hold."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | set | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, str):
        return value.replace("\0", "�")
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int) and abs(value) < 2**63:
        return value
    if isinstance(value, float) and abs(value) < float("inf"):
        return value
    return str(value)
