"""Writes fields to front matter. Only the lines of changed fields are rewritten.

The offsets of keys and values come from PyYAML. The result is parsed again. It is rejected unless the changed fields
have the intended values and all other fields have the same values as before.
"""

import json
import re
from contextlib import suppress
from datetime import datetime
from typing import cast

import yaml
from yaml.reader import Reader

from core.base.errors import EditError
from core.base.frozen import Texts, ValueMap
from core.base.text import LINE_END
from core.markdown import frontmatter
from core.markdown.frontmatter import KEYS, mapping, moment
from core.markdown.inline import split_tags
from core.model import day_of, fields_of, is_day, on_clock

_LISTS = fields_of("tags", "notes")
_NUMBERS = fields_of("number")
_ESCAPED = re.compile(f"{Reader.NON_PRINTABLE.pattern}|[\x85\u2028\u2029\ufeff]")


def rewrite(front: str, fields: ValueMap, newline: str = "\n") -> str:
    """Return front matter with new values for some fields. `front` includes both `---` lines, or is empty.

    A field with an empty value is removed. `newline` ends the lines of new front matter. Raises EditError if the front
    matter is unreadable, or if it can't represent a value.
    """
    start, end, body = frontmatter.span(front)
    if not body:  # without a mapping, the text belongs to the body
        front = f"---{newline}---{newline}{front}"
        start, end, _ = frontmatter.span(front)
    source = front[start:end]
    ending = cast(re.Match[str], re.search(rf"{LINE_END}\Z", front[:start]))[0]
    changed = _YamlWriter(source, ending).write(fields)
    if mapping(changed) is None:  # front matter that contains only comments would belong to the body
        changed += "".join(f"{KEYS[name][0]}:{ending}" for name in list(fields)[:1])
    # The changed fields must have the intended values, and all other fields the same values as before.
    before = frontmatter.parse(source)
    after = frontmatter.parse(changed)
    touched = {key for name in fields for key in KEYS[name]}
    wrong = [name for name in KEYS if after.value(name) != (fields[name] if name in fields else before.value(name))]
    wrong += [
        name
        for name in sorted({*before.extra, *after.extra})
        if name.lower() not in touched and before.extra.get(name) != after.extra.get(name)
    ]
    if wrong:
        raise EditError(
            (
                "The front matter of this file can't store this value for '{key}'. Choose another value, or change "
                "the file in another program."
            ),
            key=KEYS.get(wrong[0], (wrong[0],))[0],
        )
    return front[:start] + changed + front[end:]


class _YamlWriter:
    """Edits the YAML in front matter. `newline` ends each line."""

    def __init__(self, source: str, newline: str) -> None:
        self._source = source
        self._newline = newline
        root = self._root()
        if root is not None and root.flow_style:
            self._source = "".join(f"{self._raw(key)}: {self._raw(value)}{newline}" for key, value in root.value)
            root = self._root()
        self._pairs = [(key, value) for key, value in root.value if isinstance(key, yaml.ScalarNode)] if root else []
        self._indent = " " * self._pairs[0][0].start_mark.column if self._pairs else ""
        # Replacements: the start and end in the YAML, and the new text.
        self._changes = list[tuple[int, int, str]]()

    def write(self, fields: ValueMap) -> str:
        """Return the YAML with new values for some fields."""
        added = ""
        for name, value in fields.items():
            places = [pair for pair in self._pairs if pair[0].value.strip().lower() in KEYS[name]]
            kept = 0
            if value or (places and name in _NUMBERS):
                kept = len(places) if isinstance(value, datetime) else 1
                if not places and (name, value) != ("status", "active"):
                    added += f"{self._indent}{KEYS[name][0]}: {self._text(name, value)}{self._newline}"
            for key, node in places[:kept]:
                self._set(name, key, node, value)
            for key, node in places[kept:]:
                self._changes.append((self._line(key), self._next_line(self._end(key, node)), ""))
        text = self._source
        for start, end, new in sorted(self._changes, reverse=True):
            text = text[:start] + new + text[end:]
        return text + added

    def _root(self) -> yaml.MappingNode | None:
        read = mapping(self._source)
        if read is None:
            raise EditError("The front matter isn't a list of 'key: value' lines. Change the field in the file.")
        return read.root

    # one key

    def _set(self, name: str, key: yaml.Node, node: yaml.Node, value: object) -> None:
        if name in _LISTS and isinstance(node, yaml.SequenceNode) and not node.flow_style:
            lines = {item.start_mark.line for item in node.value if isinstance(item, yaml.ScalarNode)}
            if lines and len(lines) == len(node.value):
                self._set_lines(name, node, cast(Texts, value))
                return
        colon = self._colon(key)
        start = node.start_mark.index
        end = self._end(key, node)
        new = self._text(name, value, node)
        if not self._source[colon:end].strip() or re.search(LINE_END, self._source[colon:start]):
            start = colon
            new = f" {new}"
        self._changes.append((start, end, new))

    def _text(self, name: str, value: object, node: yaml.Node | None = None) -> str:
        """Return a value as YAML, in the style of the old value if there is one."""
        raw = self._raw(node) if node else ""
        if name in _LISTS:
            entry = isinstance(node, yaml.ScalarNode)
            listed = node.value if isinstance(node, yaml.SequenceNode) and node.flow_style else []
            items = [node] if isinstance(node, yaml.ScalarNode) else listed
            meant = {_item_values(name, item): self._raw(item) for item in items}
            written = {values[0]: text for values, text in meant.items() if len(values) == 1}
            texts = [
                written[item]
                if item in written and (not entry or raw[:1] in "'\"")
                else self._item(name, item, raw, flow=True)
                for item in cast(Texts, value)
            ]
            return texts[0] if entry and len(texts) == 1 and "[" not in texts[0][:1] else f"[{', '.join(texts)}]"
        if isinstance(value, datetime):
            return _date(value, raw)
        return _quote(str(value), style=getattr(node, "style", None), plain=name in _NUMBERS)

    def _item(self, name: str, value: str, raw: str, *, flow: bool) -> str:
        """Return a new list item, as a wikilink if the old list, `raw`, contains wikilinks."""
        return _quote(f"[[{value}]]" if name != "tags" and "[[" in raw else value, flow=flow)

    def _set_lines(self, name: str, node: yaml.SequenceNode, values: Texts) -> None:
        """Rewrite a list with one item per line. The lines of remaining items, and all comments, are kept."""
        lines = {}
        comments = ""
        start = end = self._line(node.value[0])
        for item in node.value:
            meant = _item_values(name, item)
            begin = end
            end = self._next_line(self._end_of(item))
            if len(meant) == 1 and meant[0] in values:
                lines[meant[0]] = comments + self._source[begin:end]
                comments = ""
            else:
                comments += self._source[begin : self._line(item)]
        indent = " " * node.start_mark.column
        raw = self._raw(node)
        new = (
            lines.get(value) or f"{indent}- {self._item(name, value, raw, flow=False)}{self._newline}"
            for value in values
        )
        self._changes.append((start, end, "".join(new) + comments))

    # offsets

    def _raw(self, node: yaml.Node) -> str:
        return self._source[node.start_mark.index : self._end_of(node)]

    def _colon(self, key: yaml.Node) -> int:
        """Return the offset after a key's colon."""
        return self._source.index(":", key.end_mark.index) + 1

    def _end(self, key: yaml.Node, value: yaml.Node) -> int:
        return max(self._colon(key), self._end_of(value))

    def _end_of(self, node: yaml.Node) -> int:
        """Return the end of a node's text, excluding the blank lines and comments that PyYAML includes in the node."""
        if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
            last = node.value[-1]
            return self._end(*last) if isinstance(last, tuple) else self._end_of(last)
        start = node.start_mark.index
        return start + len(self._source[start : node.end_mark.index].rstrip())

    def _line(self, node: yaml.Node) -> int:
        return max(self._source.rfind(end, 0, node.start_mark.index) for end in "\r\n") + 1

    def _next_line(self, at: int) -> int:
        ending = re.compile(LINE_END).search(self._source, at)
        return ending.end() if ending else len(self._source)


def _item_values(name: str, item: yaml.Node) -> Texts:
    """Return the values in a list item."""
    texts = frontmatter.strings(item)
    values = (tag for text in texts for tag in split_tags(text)) if name == "tags" else map(frontmatter.target, texts)
    return tuple(filter(None, values))


def _date(value: datetime, like: str) -> str:
    """Return a time in the same format as the old text, with or without a time of day and an offset."""
    if is_day(value) and (not like or ":" not in like):
        return day_of(value)
    plain = like.strip("\"'")
    bare = moment(plain) and ":" in plain and not re.search(r"[Zz]$|\d[+-]\d\d:?\d\d$", plain)
    text = on_clock(value).replace(tzinfo=None).isoformat() if bare else ""
    # When clocks go back, an hour occurs twice, so its times are ambiguous without an offset.
    return text if moment(text) == value else value.isoformat()


def _quote(value: str, *, flow: bool = False, style: str | None = None, plain: bool = False) -> str:
    """Return a string as YAML. It is quoted if necessary, or if the old value was quoted."""
    if plain or (style not in ("'", '"') and _is_plain(value, flow=flow)):
        return value
    if style == "'" and value.isprintable() and "\\" not in value:
        return "'" + value.replace("'", "''") + "'"
    return as_json(value)


def as_json(value: object) -> str:
    """Return a value as JSON that YAML parsers read as the same value."""
    return _ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(value, ensure_ascii=False))


def _is_plain(value: str, *, flow: bool) -> bool:
    # Another YAML parser may read some plain strings as a boolean, a number or a time.
    if value != value.strip() or re.fullmatch(r"[yYnN]|[-+.]?\d[\d_.eExXoOa-fA-F+:-]*|[=<~]", value):
        return False
    with suppress(yaml.YAMLError, ValueError):
        root = frontmatter.compose(f"[{value}]\n" if flow else f"- {value}\n")
        if isinstance(root, yaml.SequenceNode) and len(root.value) == 1:
            item = root.value[0]
            return (item.tag, item.value) == ("tag:yaml.org,2002:str", value) and not item.style
    return False
