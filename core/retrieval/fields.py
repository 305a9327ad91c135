"""The fields of the question language: their names, what they can be, and what is said of the rest."""

import unicodedata
from collections.abc import Iterable, Mapping
from difflib import get_close_matches

from core.errors import QueryError

FIELDS: Mapping[str, tuple[str, ...]] = {
    "tag": ("tag", "标签"),
    "type": ("type", "类型"),
    "category": ("category", "分类", "类别"),
    "project": ("project", "项目"),
    "status": ("status", "状态"),
    "in": ("in", "在", "标题"),
    "section": ("section", "章节", "小节"),
    "has": ("has", "含", "包含"),
    "path": ("path", "路径"),
    "base": ("base", "知识库", "库"),
    "after": ("after", "之后", "晚于"),
    "before": ("before", "之前", "早于"),
}
"""Every field and the names it is typed by, in any case and width."""

CHOICES: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "status": {
        "pending": ("pending", "待审", "待审核", "待确认"),
        "active": ("active", "活跃", "有效", "启用"),
        "archived": ("archived", "归档", "已归档"),
    },
    "has": {"code": ("code", "代码")},
}
"""The values of the fields that can't have any value, and the names each is typed by."""

ANY_OF = frozenset(("type", "category", "project", "status", "path", "has"))
"""Fields that a note has one of: asked for twice, either value will do."""

AS_TYPED = frozenset(("in", "section", "path"))
"""Fields whose values keep a full stop or a question mark at their end."""

_NOT_NEGATED = {
    "base": "Name the bases to search instead: base:work,home.",
    "after": "Use 'before:' instead.",
    "before": "Use 'after:' instead.",
}
_EXAMPLES = {
    "tag": "rust,go",
    "status": "active",
    "has": "code",
    "path": "work/",
    "base": "work,home",
    "after": "2026-01-31",
    "before": "2026-01-31",
}
_MEANT = {
    "title": "in",
    "name": "in",
    "file": "path",
    "folder": "path",
    "dir": "path",
    "heading": "section",
    "label": "tag",
    "kind": "type",
    "since": "after",
    "date": "after",
    "updated": "after",
    "until": "before",
}
_NAMES = {name: field for field, names in FIELDS.items() for name in names}
_QUOTED_HELP = "To search for the text itself, put it in quotation marks."


def field_of(name: str) -> str | None:
    """Return the field that a name stands for."""
    return _NAMES.get(_folded(name))


def chosen(name: str, field: str, values: Iterable[str], at: tuple[int, int]) -> tuple[str, ...]:
    """Return the values as notes have them; raises QueryError for one that the field, typed `name`, can't have."""
    if field not in CHOICES:
        return tuple(values)
    names = {name: choice for choice, names in CHOICES[field].items() for name in names}
    for value in values:
        if _folded(value) not in names:
            choices = ", ".join(CHOICES[field])
            raise QueryError(f"'{name}' can't be '{value}'. Choices: {choices}. {_QUOTED_HELP}", at)
    return tuple(names[_folded(value)] for value in values)


def refuse_empty(name: str, field: str, at: tuple[int, int]) -> None:
    """Raise QueryError for a field, typed `name` with its colon, that has no value."""
    example = name + _EXAMPLES.get(field, "work")
    raise QueryError(f"'{name}' has no value. Write it directly behind the colon, as in {example}. {_QUOTED_HELP}", at)


def refuse_minus(name: str, field: str, at: tuple[int, int]) -> None:
    """Raise QueryError where a minus before the field means nothing."""
    if field in _NOT_NEGATED:
        raise QueryError(f"'-{name}' can't be asked. {_NOT_NEGATED[field]}", at)


def refuse_unknown(name: str, at: tuple[int, int], *, surely: bool) -> None:
    """Raise QueryError for a name that is no field; unless that is `surely` meant, only for nearly one."""
    nearest = get_close_matches(name.casefold(), [*FIELDS, *_MEANT], n=1, cutoff=0.6 if surely else 0.8)
    if not surely and not nearest:
        return
    hint = f" Did you mean '{_MEANT.get(nearest[0], nearest[0])}:'?" if nearest else ""
    raise QueryError(f"There is no field '{name}'.{hint} Fields: {', '.join(FIELDS)}. {_QUOTED_HELP}", at)


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold()
