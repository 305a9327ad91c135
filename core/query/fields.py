"""The names and values of the query language's fields, and errors for invalid names and values."""

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping
from difflib import get_close_matches

from core.base.blobs import Span
from core.base.errors import QueryError, UnknownChoice
from core.base.frozen import Texts, TextValues
from core.base.messages import message, message_table
from core.base.text import fold
from core.documents.converting import converters_for
from core.documents.kinds import KINDS
from core.model import NOTE_FIELDS, fields_of
from core.query import dates
from core.query.own_words import Vocabulary

_FILTERS = [field for field in NOTE_FIELDS.values() if field.typed]


def _listed(names: str) -> dict[str, Texts]:
    """Parse groups of names separated by bars into a mapping from each group's first name to all of its names."""
    return {names[0]: names for names in (tuple(line.split()) for line in names.split("|"))}


def _pairs(texts: str) -> TextValues:
    return dict(pair.split() for pair in texts.split("|"))


# Maps each field to the names that users can type for it. Case and character width are ignored.
FIELDS: Mapping[str, Texts] = {
    **{field.typed[0]: field.typed for field in _FILTERS},
    **_listed(
        "in 在 标题|section 章节 小节|has 含 包含|like 相似|path 路径|page 页 页码|kind 文件类型"
        "|url source_url 网址 来源网址|language 语言|level 层级|use 使用 使用情况|base 知识库 库"
        "|after 之后 晚于|before 之前 早于|created 创建于|updated 更新于"
    ),
}

# Maps each field with fixed values to its values, and each value to the names that users can type for it.
CHOICES: Vocabulary = {
    "status": _listed(
        "pending 待审 待审核 待确认|active 使用中 活跃 有效 启用|archived 归档 已归档|expired 过期 已过期"
    ),
    "has": _listed(
        "code 代码|table 表格|task 任务 待办|image 图片|diagram chart 图表 架构图 流程图 示意图 时序图|link 链接"
    ),
    "use": _listed("unfound 从未找到 未找到|unhelpful 从未有用 没用过|misleading harmful 有误导 误导"),
}

# Fields whose values are days or day ranges.
DAYS = frozenset(("created", "updated"))

# Fields for which a match with any value is enough if a question names several values.
ANY_OF = frozenset(
    (*fields_of("word", "status"), "path", "has", "like", "page", "kind", "use", "url", "language", "level", *DAYS)
)

# Fields whose values are numbers or number ranges.
RANGES = frozenset(("priority", "page", "level"))

# Fields whose values keep a full stop or question mark at the end. Other values are trimmed.
AS_TYPED = frozenset(("in", "section", "path", "like", "url", *RANGES, *DAYS))

# Fields whose names also appear before a colon in prose. If a space follows the colon, the name is read as a
# word.
PROSE = frozenset(("url", "language", "level"))

_NOT_NEGATED = message_table(
    {
        "base": "Instead, name the bases to search: base:work,home.",
        "after": "Use 'before:' instead.",
        "before": "Use 'after:' instead.",
        "like": "You can search for similar pictures, but not exclude them.",
    }
)
_EXAMPLES = _pairs(
    "tag rust,go|status active|priority >=2|has code|path work/|page 3|kind pdf|url example.org|language zh|level 2"
    "|use unfound|base work,home|after 2026-01-31|before 2026-01-31|created 2026-01|updated 2026-01..2026-03"
)
_MEANT = _pairs(
    "title in|name in|file path|folder path|dir path|heading section|label tag|importance priority|prio priority"
    "|since after|date after|until before"
)
# Maximum number of properties listed in an error.
_SHOWN = 20
# The document kind of notes imported from another program's export.
_NOTES = "md"
_NAMES = {name: field for field, names in FIELDS.items() for name in names}
_RANGE = re.compile(r"(-?\d{1,18})?\.\.(-?\d{1,18})?[.,:;!?]?|(>=|<=|>|<|=)?(-?\d{1,18})[.,:;!?]?")
_AS_TEXT = message("To search for the text itself, put it in quotation marks.")


def field_of(name: str, properties: Collection[str] = ()) -> str | None:
    """Return the field or property that a typed name refers to, or None. Fields take precedence over properties.

    `properties` are the folded names of all the notes' properties.
    """
    folded = fold(name)
    return _NAMES.get(_folded(name)) or (folded if folded in properties else None)


def chosen(name: str, field: str, values: Iterable[str], properties: Collection[str] = ()) -> Texts:
    """Return values in their stored form. `name` is the field's name as typed.

    For `has`, a property's name is also a valid value. Raises QueryError if a value is invalid.
    """
    if field in RANGES:
        return tuple(_range(name, field, value, is_property=field in properties) for value in values)
    if field != "kind" and field not in CHOICES:
        return tuple(values)
    others = properties if field == "has" else ()
    try:
        return tuple(_kind(value) if field == "kind" else stored(field, value, others) for value in values)
    except UnknownChoice as error:
        raise QueryError(
            "'{name}' can't be '{value}'. Choices: {choices}. {help}",
            name=name,
            value=error.message.fields["name"],
            choices=[*CHOICES.get(field, KINDS), *sorted(others)[:_SHOWN]],
            help=_AS_TEXT,
        ) from error


def stored(field: str, value: str, others: Collection[str] = ()) -> str:
    """Return the stored form of a typed value, for a field with fixed values.

    `others` are further valid values, folded. Raises UnknownChoice if the value is unknown.
    """
    folded = _folded(value)
    for choice, names in CHOICES[field].items():
        if folded in names:
            return choice
    if (folded := fold(value)) in others:
        return folded
    raise UnknownChoice(field, value, CHOICES[field])


def _kind(value: str) -> str:
    """Return a document kind in its stored form. Raises UnknownChoice if the kind is unknown."""
    folded = _folded(value).removeprefix(".")
    if folded not in KINDS and folded != _NOTES and not converters_for(folded):
        raise UnknownChoice("kind of document", value, KINDS)
    return folded


def _range(name: str, field: str, value: str, *, is_property: bool) -> str:
    """Return a number range in its stored form, such as 2.., ..3 or 1..3.

    Raises QueryError if the value isn't a number or range, if the ends are reversed, or if a page is below 1. A
    property may have other values, which are returned unchanged.
    """
    match = _RANGE.fullmatch(unicodedata.normalize("NFKC", value.translate(dates.SIGNS)).replace(" ", ""))
    least, most, sign, number = match.groups() if match else (None,) * 4
    first, last = (None if end is None else int(end) for end in (least, most))
    if number:
        sign = sign or ""
        first = None if "<" in sign else int(number) + (sign == ">")
        last = None if ">" in sign else int(number) - (sign == "<")
    if first is None and last is None:
        if is_property:
            return value
        raise QueryError(
            "'{name}' needs a number, such as {name}2, {name}>=2 or {name}1..3. {help}", name=name, help=_AS_TEXT
        )
    if first is not None and last is not None and first > last:
        raise QueryError("'{value}' ends before it begins. Write the smaller number first.", value=value)
    if field == "page" and last is not None and last < 1:
        raise QueryError("There is no page {n} because pages are counted from 1. {help}", n=last, help=_AS_TEXT)
    return "..".join("" if end is None else str(end) for end in (first, last))


def check_use(name: str, field: str, at: Span, *, is_empty: bool, negated: bool) -> None:
    """Raise QueryError if a field has no value, or if it is negated but doesn't support negation.

    `name` includes the colon.
    """
    if is_empty:
        raise QueryError(
            "'{name}' has no value. Write the value directly after the colon, as in {example}. {help}",
            at,
            name=name,
            example=name + _EXAMPLES.get(field, "work"),
            help=_AS_TEXT,
        )
    if negated and field in _NOT_NEGATED:
        raise QueryError("'-{name}' can't be used. {instead}", at, name=name, instead=_NOT_NEGATED[field])


def nearest(name: str, properties: Collection[str], *, surely: bool) -> str:
    """Return the field that was probably meant by an unknown name, or "" if no field is similar enough.

    Unless the name is `surely` meant as a field, the match must be closer.
    """
    near = get_close_matches(name.casefold(), [*FIELDS, *_MEANT, *properties], n=1, cutoff=0.6 if surely else 0.81)
    return _MEANT.get(near[0], near[0]) if near else ""


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold()
