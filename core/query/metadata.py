"""Metadata that a question names in its own words: notes about Python, 项目A的相关笔记, notes tagged draft."""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from core.base.text import STOP_WORDS, fold, fold_in_place, simplify
from core.markdown.inline import with_parents
from core.model import Condition

Vocabulary = Mapping[str, Mapping[str, tuple[str, ...]]]
"""Values of metadata by name and field: `apollo` may be a project and the folder `work/apollo/`."""

MOST_CHARACTERS = 300
"""Maximum number of characters of a question that may name metadata or exclusions; a longer one is pasted text."""
ASKS_HOW = re.compile(r"(?i)\b(?:how|why)\b|怎么|怎样|如何|为什么|为何")
"""Words that ask how or why; the rest of these questions seldom describes notes."""
_NOTES = re.compile(
    r"(?<![a-z])notes?(?![a-z])|笔记|(?=.*(?:(?<![a-z])(?:about|regarding|concerning|related|tagged|label+ed|filed"
    r"|belong(?:s|ing)?|categor\w+|folders?)(?![a-z])|关于|有关|相关|标签|标记|分类|归类|属于|文件夹))"
    r".*(?:(?<![a-z])(?:docs?|documents?|pages?|articles?|entries|entry|files?|materials?|stuff|things?|everything"
    r"|anything|all|what)(?![a-z])|文档|文章|资料|内容|记录|页面|材料|文件|东西|知识)"
)
"""Questions that ask for notes: with the word itself, or with a word for texts and a word for "about"."""
_FIELDS = {
    "tag": r"(?<![a-z])(?:tag(?:s|ged)?|label+ed)(?: (?:with|as))?|标签|标记",
    "project": r"(?<![a-z])projects?|项目",
    "category": r"(?<![a-z])categor(?:y|ies|i[sz]ed as)|分类|类别|归类",
    "path": r"(?<![a-z])(?:folders?|director(?:y|ies))|文件夹|目录",
}
"""Words for a field that may be next to its value."""
_SURE = _FIELDS.keys() - {"category", "path"}
"""Fields that count wherever their words are next to a value; other fields count only if the question asks for notes.
"""
_LINK = r"(?:\s|is|are|called|named|of|the|this|for|in|为|是|叫做?|到|在|里|下|这个|那个|打了|带有?|[:：\"“”「」'‘’])*+"
_JOINED = str.maketrans("-_", "  ")


def asks_for_notes(typed: str) -> bool:
    """Return whether a question may name metadata, so that the vocabulary must be read."""
    text = simplify(fold_in_place(typed[:MOST_CHARACTERS]))
    if len(typed) > MOST_CHARACTERS or ASKS_HOW.search(text):
        return False
    return any(re.search(form, text) for form in (_NOTES, _FIELDS["tag"], _FIELDS["project"]))


@lru_cache(4)
def vocabulary(values: tuple[tuple[str, str], ...]) -> Vocabulary:
    """Return the vocabulary of (field, value) pairs; tags and folders are also named by their last part."""
    names: dict[str, dict[str, tuple[str, ...]]] = {}
    every = ((field, whole) for field, value in values for whole in with_parents(value.strip("/")))
    for field, whole in dict.fromkeys(every):
        for name in {whole, whole.rpartition("/")[2]}:
            held = names.setdefault(fold(name).translate(_JOINED), {})
            held[field] = (*held.get(field, ()), f"{whole}/" if field == "path" else whole)
    return names


def named(typed: str, known: Vocabulary) -> Iterator[tuple[int, int, tuple[Condition, ...]]]:
    """Yield the start and end of each named value, and alternative conditions for its notes.

    If values overlap, the longest counts.
    """
    text = simplify(fold_in_place(typed)) if known else ""
    are_notes, rest = _NOTES.search(text), text.translate(_JOINED)
    for name in sorted(known, key=len, reverse=True):
        for match in re.finditer(name_pattern(name), rest) if name.removesuffix("s") in rest else ():
            start, end = match.span()
            around = f"{text[:start]}\0{text[end:]}"
            fields = [
                field
                for field, called in _FIELDS.items()
                if field in known[name] and re.search(rf"(?:{called}){_LINK}\0|\0{_LINK}(?:{called})", around)
            ]
            if (are_notes and (fields or _is_telling(name))) or not _SURE.isdisjoint(fields):
                rest = f"{rest[:start]}{' ' * (end - start)}{rest[end:]}"
                yield start, end, tuple(Condition(field, known[name][field]) for field in fields or known[name])


def name_pattern(name: str) -> str:
    """Return a pattern for a folded name, singular or plural; a Latin name must be a whole word."""
    plural = "(?:e?s)?" if name[-1:].isascii() and len(name) > 2 else ""
    whole = re.escape(name.removesuffix("s") if plural else name)
    return rf"(?:(?<![a-z0-9])|(?=[^a-z0-9])){whole}{plural}(?:(?![a-z0-9])|(?<=[^a-z0-9]))"


def _is_telling(name: str) -> bool:
    """Return whether a name is specific enough without its field: not a single letter, a number or a word for notes."""
    is_for_notes = any(map(_NOTES.fullmatch, (name, f"about {name}")))
    return len(name) > 1 and not (is_for_notes or name.isdigit() or name in STOP_WORDS)
