"""Recognize filters expressed in plain words.

Such filters name metadata (notes about Python, 项目A的相关笔记, notes tagged draft), contents ("notes with a table",
包含代码示例的笔记) or exclusions (除了Redis以外的缓存, caches except Redis, 不用烤箱的蛋糕).
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from core.base.frozen import Pair, Texts, TextValues
from core.base.text import CJK, STOP_WORDS, fold, fold_in_place, simplify
from core.markdown.inline import with_parents
from core.markdown.parts import DIAGRAMS
from core.model import Condition, Term

# Metadata.

# Maps each name to the fields that have values with this name, and to these values.
#
# For example, `apollo` may be both a project and the folder `work/apollo/`.
Vocabulary = Mapping[str, Mapping[str, Texts]]

NOTHING: Vocabulary = {}
# Maximum number of characters in a question that may name metadata or exclusions. Longer ones are pasted text.
MOST_CHARACTERS = 300
# Words that ask how or why. Questions containing them seldom describe notes.
ASKS_HOW = re.compile(r"(?i)\b(?:how|why)\b|怎么|怎样|如何|为什么|为何")
# Questions that ask for notes. They contain the word "notes", or a word like "pages" together with one like "about".
_NOTES = re.compile(
    r"(?<![a-z])notes?(?![a-z])|笔记|(?=.*(?:(?<![a-z])(?:about|regarding|concerning|related|tagged|label+ed|filed"
    r"|belong(?:s|ing)?|categor\w+|folders?)(?![a-z])|关于|有关|相关|标签|标记|分类|归类|属于|文件夹))"
    r".*(?:(?<![a-z])(?:docs?|documents?|pages?|articles?|entries|entry|files?|materials?|stuff|things?|everything"
    r"|anything|all|what)(?![a-z])|文档|文章|资料|内容|记录|页面|材料|文件|东西|知识)"
)
# Words for each field that may appear next to its value.
_FIELDS = {
    "tag": r"(?<![a-z])(?:tag(?:s|ged)?|label+ed)(?: (?:with|as))?|标签|标记",
    "project": r"(?<![a-z])projects?|项目",
    "category": r"(?<![a-z])categor(?:y|ies|i[sz]ed as)|分类|类别|归类",
    "path": r"(?<![a-z])(?:folders?|director(?:y|ies))|文件夹|目录",
}
# Fields that count whenever one of their words is next to a value. Other fields count only if the question asks for
# notes.
_SURE = _FIELDS.keys() - {"category", "path"}
_LINK = r"(?:\s|is|are|called|named|of|the|this|for|in|为|是|叫做?|到|在|里|下|这个|那个|打了|带有?|[:：\"“”「」'‘’])*+"
_JOINED = str.maketrans("-_", "  ")


def asks_for_notes(typed: str) -> bool:
    """Return whether a question may name metadata, so that the vocabulary is needed."""
    if len(typed) > MOST_CHARACTERS or ASKS_HOW.search(text := simplify(fold_in_place(typed))):
        return False
    return any(re.search(form, text) for form in (_NOTES, _FIELDS["tag"], _FIELDS["project"]))


@lru_cache(4)
def vocabulary(values: tuple[Pair, ...]) -> Vocabulary:
    """Build the vocabulary from (field, value) pairs. Tags and folders can also be named by their last part."""
    names: dict[str, dict[str, Texts]] = {}
    every = ((field, whole) for field, value in values for whole in with_parents(value.strip("/")))
    for field, whole in dict.fromkeys(every):
        for name in {whole, whole.rpartition("/")[2]}:
            held = names.setdefault(fold(name).translate(_JOINED), {})
            held[field] = (*held.get(field, ()), f"{whole}/" if field == "path" else whole)
    return names


def named_metadata(typed: str, known: Vocabulary) -> Iterator[tuple[int, int, tuple[Condition, ...]]]:
    """Yield the start, end and conditions of each metadata value that a question names.

    Notes have to meet one of the conditions. If values overlap, the longest one counts.
    """
    text = simplify(fold_in_place(typed)) if known else ""
    are_notes = _NOTES.search(text)
    rest = text.translate(_JOINED)
    for name in sorted(known, key=len, reverse=True):
        for match in re.finditer(name_pattern(name), rest) if name.removesuffix("s") in rest else ():
            start, end = match.span()
            around = f"{text[:start]}\0{text[end:]}"
            fields = [
                field
                for field, called in _FIELDS.items()
                if field in known[name] and re.search(rf"(?:{called}){_LINK}\0|\0{_LINK}(?:{called})", around)
            ]
            # A single letter, a number or a word for notes counts only next to a word for its field.
            is_for_notes = any(map(_NOTES.fullmatch, (name, f"about {name}")))
            is_vague = len(name) < 2 or name.isdigit() or name in STOP_WORDS or is_for_notes
            if (are_notes and (fields or not is_vague)) or not _SURE.isdisjoint(fields):
                rest = f"{rest[:start]}{' ' * (end - start)}{rest[end:]}"
                yield start, end, tuple(Condition(field, known[name][field]) for field in fields or known[name])


def name_pattern(name: str) -> str:
    """Return a pattern for a folded name, in the singular or plural. Latin names must match whole words."""
    plural = "(?:e?s)?" if name[-1:].isascii() and len(name) > 2 else ""
    whole = re.escape(name.removesuffix("s") if plural else name)
    return rf"(?:(?<![a-z0-9])|(?=[^a-z0-9])){whole}{plural}(?:(?![a-z0-9])|(?<=[^a-z0-9]))"


# Contents.

_IN_CHINESE = {
    "code": "(?:示例|样例|例子)?代码(?:示例|样例|例子|片段|块)?",
    "diagram": DIAGRAMS,
    "image": "图片|照片|截图|插图|配图",
    "table": "表格",
    "link": "(?:超|外部?)?链接",
    "task": "待办(?:事项|任务|清单)?|任务清单|复选框",
}
_IN_ENGLISH = {
    "code": "code(?: (?:example|sample|snippet|block)s?)?",
    "diagram": "(?:(?:architecture|block|class|data ?flow|er|flow|network|sequence|state|system|uml) )?diagrams?"
    "|(?:flow ?|bar |pie |line |gantt )?charts?|mind ?maps?",
    "image": "pictures?|images?|photos?|screenshots?",
    "table": "tables?",
    "link": "links?",
    "task": "(?:open )?tasks?|task lists?|to-?dos?|check ?boxes",
}


def _things(names: TextValues) -> str:
    return "|".join(f"(?P<{thing}>{pattern})" for thing, pattern in names.items())


_TEXTS = "笔记|文档|文章|资料|记录|页面|段落|内容|文件"
_VERB = (
    "(?:(?P<negated>不|(?<!有)没有?|未)(?:包含|含有?|带有?|附有?|有)?"
    "|包含|含有?|(?<!热)带有?|附有|附带|画[了有]|(?<![没所拥])有)[了着]?"
)
_BEFORE_NOTES = re.compile(
    rf"{_VERB}\s?(?:{_things(_IN_CHINESE)})的\s?(?:(?:{_TEXTS})|(?=[^，。；！？,.;!?]{{1,20}}(?:{_TEXTS})))"
)
_AFTER_NOTES = re.compile(
    rf"(?:(?<={_TEXTS})|(?<=(?:{_TEXTS})[里中]))(?:里|中)?面?都?{_VERB}\s?(?:{_things(_IN_CHINESE)})[吗呢]?(?=[?？。！!\s]*\Z)"
)
_AT_THE_END = re.compile(rf"{_VERB}\s?(?P<diagram>{DIAGRAMS})的?[吗呢]?(?=[?？。！!\s]*\Z)")
_HAVING = (
    r"(?P<negated>without|with no|that (?:don['’]t|do not) (?:have|contain))"
    r"|with|containing|including|(?:(?:that|which) )?(?:have|has|contains?|includes?|shows?)|showing"
)
_ENGLISH_NOTES = re.compile(
    r"(?i)(?:notes?|pages?|documents?|passages?|files?|articles?)"
    rf" (?:{_HAVING}) (?:(?:a|an|any|some|the) )?(?:{_things(_IN_ENGLISH)})(?![\w-])"
    r"(?=\s*(?:\Z|[?.!,;，。？#]|(?:about|on|for|from|in|by|that|which|since|updated|created|(?(diagram)of|on))\b|\w+:))",
)
_ENGLISH_AT_THE_END = re.compile(
    rf"(?i)(?:(?P<negated>without)|with|containing|including|showing) (?:(?:a|an|any|some|the) |(?!charts?\b))"
    rf"(?P<diagram>{_IN_ENGLISH['diagram']})(?=[?.!\s]*\Z)",
)
_CHINESE = (_BEFORE_NOTES, _AFTER_NOTES, _AT_THE_END)
_ENGLISH = (_ENGLISH_NOTES, _ENGLISH_AT_THE_END)
_ASKING = re.compile(r"(?i)\s*(?:how|why|when|where|who|should|can|could|do|does|is|are|what (?:is|are))\b")
_ASKING_IN_CHINESE = re.compile("怎么|怎样|如何|为什么|为何|是否|该不该")
_PICTURE = re.compile(
    r"(?i)\b(?:pictures?|images?|photo(?:graph)?s?|screenshots?|snapshots?)\b|图片|照片|相片|截图|插图|配图|图像|画面",
)
_FRAME = re.compile(
    r"(?i)(?:请|帮我|帮忙|给我|我想|我要|找到|找出|查找|搜索|搜|列出|显示|查看|看看|找|有没有|有哪些|哪些|哪几篇|哪篇|所有|全部|一下|我|的|里|中"
    rf"|{_TEXTS}|[，。？！、]|[\s?.!,;]|\b(?:find|show|list|get|give|search|look|for|me|all|of|the|my|any|every|which|what"
    r"|notes?|pages?|documents?|passages?|files?|articles?|please|are|there|only)\b)++",
)
# All characters with which a match may start. They rule out most positions quickly.
_BEGINNINGS = frozenset("不没未包含带附有画里中面都nNpPdDfFaAwWcCiIsS")


def named_contents(text: str, start: int) -> Term | None:
    """Return the filter on contents (a condition on `has`) that a question names at `start`, or None.

    `start` must not be inside a word in Latin script.
    """
    if text[start : start + 1] not in _BEGINNINGS:
        return None
    is_english = text[start].isascii()
    found = (pattern.match(text, start) for pattern in (_ENGLISH if is_english else _CHINESE))
    match = next(filter(None, found), None)
    if not match or (_ASKING.match(text) if is_english else _ASKING_IN_CHINESE.search(text, 0, start)):
        return None
    groups = match.groupdict()
    return Term(
        "condition",
        next(filter(groups.get, _IN_CHINESE)),
        start,
        match.end(),
        "has",
        bool(groups["negated"]),
    )


def is_frame(text: str) -> bool:
    """Return whether text asks for notes but names no subject, such as "find all notes" or 找到."""
    return _FRAME.fullmatch(text) is not None


def names_picture(text: str) -> bool:
    """Return whether a question asks for a picture, such as "the photo of the whiteboard"."""
    return _PICTURE.search(text) is not None


# Exclusions.

_WORD = r"[^\s\\,，。；;？?！!()（）]+"
_THING = rf"(?P<thing>{_WORD}(?: (?!(?:for|in|on|with|from|when|that|which|are|is|do)\b){_WORD}){{0,4}}?)"
_NAME = r"(?P<thing>[^\s\\，,。；;？?！!（）()的]{1,30}?)"
_LEAD = "(?:请|帮我|给我|我想|我|有没有|有哪些|有什么|查找|查|找|搜索|搜|要|看|列出|所有|全部|一下|些|的)*+"
_STARTS = rf"(?:(?<![{CJK}])|(?<=[找看要的有查搜做些么]))"
_END = r"(?=\s*(?:[,，.。;；?？!！)）]|\Z|\s(?:for|in|on|with|from|when)\b))"
_NOT = (
    "不要|不用|不含|不是|不包括|不包含|不涉及|不使用|不需要|不带|不放|不加|不看|不算|排除|去掉|除掉|剔除|别要|没有|非"
)
_FORMS = tuple(
    re.compile(f"(?i){form}")
    for form in (
        # 除了Redis以外的缓存；除Redis外还有哪些缓存；除了Redis，还有什么缓存；but not 删除外键
        rf"(?<![删清移去扣排解消免开])除(?:了|去|开)?\s*{_NAME}\s*(?:(?:以外|之外|外(?![键部观网包]))(?:的(?!话)|[，,])?|[，,]"
        r"|(?=还有|其他|其它|别的|都有))\s*(?:其他|其它|别的|所有|全部)*的?",
        # Redis以外的缓存；缓存（Redis除外）
        rf"[，,（(]?\s*(?<![{CJK}]){_LEAD}{_NAME}\s*(?:除外|以外|之外)(?:的|[)）]|\Z)",
        # 不用Redis的缓存；非Redis的缓存
        rf"(?P<keeps>{_STARTS}(?:不(?:[使采]?用|含有?|要|包括|包含|涉及|放|加|带|需要|依赖|基于|是)|非)\s*{_NAME}\s*的(?=\s*\w))",
        # 缓存，但不要Redis；缓存（不含Redis）
        rf"(?:[，,（(]\s*(?:但是?|可是?|而)?|但是?|可是?)\s*(?:{_NOT})(?:关于|有关)?\s*{_NAME}\s*(?:的|了)?\s*[)）]?"
        r"(?=[。！!？?\s]*\Z)",
        # Besides Redis, which caches are there
        rf"\A\s*(?:except(?: for)?|besides|apart from|aside from|other than)\s+(?:the\s+)?{_THING}\s*,\s*",
        # caches except Redis; X but not Y
        r",?\s*\b(?:except(?:ing)?(?: for)?|excluding|other than|apart from|aside from|besides|but not|not counting"
        r"|not including|leaving out|save for|(?:that (?:are|is) )?not about|that do(?:es)?(?:n['’]t| not) use)"
        rf"\s+(?:(?:the|any|about|on|using|with)\s+)?{_THING}{_END}",
        # caches that aren't Redis
        rf"\s+that (?:are|is)n['’]t\s+(?:about\s+)?{_THING}(?=\s*[?？.。]*\s*\Z)",
        # caches without Redis, but not in a full sentence; non-Redis caches
        rf"\A\s*(?!(?:can|could|do|does|is|are|should|may|must)\b)(?:{_WORD} ){{1,4}}"
        r"(?P<keeps>(?:without(?: using)?|not (?:using|with))\s+(?:(?:the|any|an?)\s+)?"
        rf"(?P<thing>(?!\w+ing\b){_WORD}(?: {_WORD})?)(?=\s*[?？.。]*\s*\Z))",
        r"(?P<keeps>\b(?:non|not)-(?P<thing>(?-i:[A-Z])[\w.+#]*)(?=\s))",
    )
)
_ONES = re.compile(r"(?i)\s+(?:ones?|notes?|stuff|things?)\Z|[做写用]\Z")
_AND = re.compile(r"\s+(?:and|or|nor)\s+|[和与跟、及或,，]\s*")


def excepted(typed: str) -> tuple[int, int, Texts, bool] | None:
    """Return an exclusion's start, end and excluded items, or None if the question excludes nothing.

    The last value is True if the words of the exclusion also describe the subject, as in "caches without Redis". They
    are then searched for too.
    """
    if len(typed) > MOST_CHARACTERS or ASKS_HOW.search(text := simplify(typed)):
        return None
    for match in filter(None, (form.search(text) for form in _FORMS)):
        keeps = "keeps" in match.groupdict()
        whole, thing = (typed[slice(*match.span(group))] for group in ("keeps" if keeps else 0, "thing"))
        rest = typed.replace(whole, " ")
        if any(map(str.isalnum, rest)) and not is_frame(rest):
            things = tuple(filter(None, map(str.strip, _AND.split(_ONES.sub("", thing)))))
            return match.end() - len(whole.lstrip()), match.end(), things, keeps
    return None


_NEGATED = (
    r"(?P<negated>(?:(?<![a-z])(?:without|no|not|non|except(?: for)?|excluding|minus|avoid|than|of)"
    r"(?:[\s-]+(?:the|an?|any|using))*[\s-]+"
    r"|(?:不[用含要放加带是]|不使用|不需要?|没有|没|无需?|非|免|除了?|代替|替代)\s?))?"
)
_ALONGSIDE = r"\s*(?:vs\.?(?![a-z])|versus|(?<![a-z])(?:and|or)(?![a-z])|[和与跟、/,，&+或及])\s*"


def share_about(things: Iterable[str], titles: Iterable[str], text: str) -> float:
    """Return how much of a passage is about the given items, from 0 to 1.

    The share is 1 if a title names only these items. It is 0.25 if every title that names these items also names
    others. If no title names these items, it is the share of lines that do, or 0 if at most half of the lines do.
    Negated mentions don't count. For example, a note on logging in without a password isn't about passwords.
    """
    thing = f"(?:{'|'.join(name_pattern(fold(thing)) for thing in things)})"

    def names(text: str) -> bool:
        return any(not match["negated"] for match in re.finditer(_NEGATED + thing, text))

    if named := list(filter(names, map(fold, titles))):
        beside = re.compile(rf"\w{_ALONGSIDE}{thing}|{thing}{_ALONGSIDE}\w")
        return 0.25 if all(map(beside.search, named)) else 1.0
    lines = [names(line) for line in fold(text).splitlines() if line.strip()]
    return sum(lines) / len(lines) if 2 * sum(lines) > len(lines) else 0.0
