"""Find what a question names: sections headed by names, table rows with a named cell, and list items by their label.

A question about one person isn't answered by a section about another, nor one about a row by the row below it.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from itertools import chain

from core.base.flow import cells
from core.base.text import CHINESE, CJK, STOP_WORDS, fold, query_keywords, without_accents
from core.features.answers import figures
from core.features.answers.wording import tokens

# A fenced code block, in which `#` begins no heading, or a heading.
_HEADING = re.compile(
    r"(?m)^[ \t>]*(?P<fence>`{3,}(?=[^`\n]*$)|~{3,})(?s:.*?)(?:^[ \t>]*(?P=fence)|\Z)"
    r"|^(?P<marks>#{1,6})[ \t]+(?P<title>.*)$"
)
# A heading that may be a name: up to three capitalized words, or a few Chinese characters.
_NAME = re.compile(rf"[^\W\d_a-z{CJK}][\w.'’-]*(?:[ \t]+[^\W\d_a-z{CJK}][\w.'’-]*){{0,2}}|[{CJK}·]{{2,6}}")
# A word in a question that may be a name: it has a capital within a sentence, or a possessive ending.
_NAMING = re.compile(r"(?<=[\w,;] )([^\W\d_]\w*)|\b\w+(?=['’]s\b)")
# What a question is about: somebody with a possessive, how a Chinese question begins, or a relative. Also the number
# after a model's name.
_SUBJECT = re.compile(
    r"(?i)\b(?P<owner>[a-z]+)['’]s |\b\w*(?-i:[A-Z])\w+ (?P<number>\d[\w.]*\b)"
    r"|^\W*(?:请问)?(?![谁什怎哪几多为如何我你您他她它这那有今明昨上下最现]|[一总]共|应该|还有|[早晚]上|中午|周末|每|家里|大家|咱)"
    rf"(?P<first>(?:(?![不没哪几多吗])[{CJK}]){{2,3}}?)"
    r"(?=[对的有是在会能可要应该想住坐放加什怎如为几多去用需不吃被得和跟与里上\W]|今年|喜欢|\Z)"
    r"|(?P<relative>[爸妈爷奶哥姐弟妹舅姑叔]{2}|外[公婆]|老[公婆]|儿子|女儿)"
)
# Words in such a place that name nothing, and days, which may be written in other ways.
_NAMELESS = STOP_WORDS | frozenset(
    "he she anyone anybody someone somebody everyone everybody one who let here today tomorrow yesterday monday tuesday"
    " wednesday thursday friday saturday sunday january february march april may june july august september october"
    " november december".split()
)

# Number of letters above which a name's last three may differ, as in Postgres and PostgreSQL.
_LONG = 6

# Spans of sections headed by other names, each with the names in the question that its heading lacks.
OthersSections = Iterable[tuple[int, int, set[str]]]


def headings_in(text: str, fence: str = "") -> list[tuple[int, str, int]]:
    """Return the level, the title and the start of each heading in Markdown text.

    `fence` is the opening line of the fence in which the text begins.
    """
    head = f"{fence}\n" if fence else ""
    return [
        (len(at["marks"]), at["title"].strip(" \t\r#*_:："), at.start() - len(head))
        for at in _HEADING.finditer(head + text)
        if at["marks"]
    ]


def sections_of_others(question: str, words: Collection[str], body: str) -> OthersSections:
    """Yield the spans of a note's sections about people or things that the question doesn't name.

    `words` are the question's words. Such a section is headed by a name that isn't in the question, next to a section
    whose name is. The third value contains the question's names that the heading lacks. A sentence with one of these
    names isn't about somebody else.
    """
    named = (match for match in _NAMING.finditer(question) if not (match[1] and match[1][0].islower()))
    names = {fold(match[0]) for match in named}.intersection(words)
    if not (names or CHINESE.search(question)):
        return

    def named_in(heading: str) -> set[str]:
        """Return the names in a heading that the question contains."""
        if CHINESE.match(heading):
            return {fold(heading)} if question.startswith(heading) or f"{heading}的" in question else set()
        return names & {*query_keywords(heading)}

    siblings = defaultdict(list)
    above = list[tuple[int, str, int]]()
    for level, title, start in [*headings_in(body), (0, "", len(body))]:
        while above and above[-1][0] >= level:
            deep, name, begin = above.pop()
            if _NAME.fullmatch(name) and not name[0].islower():
                siblings[deep, above[-1][2] if above else -1].append((name, begin, start))
        above.append((level, title, start))
    for sections in siblings.values():
        found = [named_in(title) for title, _, _ in sections]
        meant = set().union(*found)
        for (title, start, end), own in zip(sections, found, strict=True):
            if any(own < other for other in found) and fold(title) not in fold(question):
                yield start, end, meant - own


def _squeezed(text: str) -> str:
    return without_accents(text).replace("-", "")


def names_other(question: str, text: str) -> bool:
    """Return whether a question names something that a text, with the titles above it, doesn't name.

    In a text without Chinese, Chinese names aren't missed.
    """
    plain = figures.normal(question)
    wanted = [match[match.lastgroup or 0] for match in _SUBJECT.finditer(plain)]
    wanted += [name for _, name in figures.names(plain, ())]
    held = figures.words(figures.normal(text))
    spaced = re.sub(r"\W+", " ", f" {_squeezed(text)} ")

    def is_held(name: str) -> bool:
        """Return whether the text contains a name, perhaps with another hyphen, accent or, if it is long, ending."""
        key = _squeezed(name)
        beginning = f" {key[:-3]}" if len(key) > _LONG and key.isalpha() else f" {key} "
        return figures.contains_name(name, held) or beginning in spaced

    return not all(fold(name) in _NAMELESS or is_held(name) for name in wanted)


# A list item's label: the words before its colon.
_LABEL = re.compile(r"\A[ \t>]*(?:[-*+]|\d+[.)、])[ \t]*([^:：\n]{1,40})[:：]")
# Markup in a label, and remarks in parentheses.
_REMARK = re.compile(r"[*_`]|\([^()]*\)|（[^（）]*）")


def named_among(question: str, units: Sequence[str]) -> list[bool]:
    """Return whether the question names each of a table's rows or of a list's items, given their texts.

    It names a row by a cell, and an item by its label. A label scores its number of words, divided by the number of
    different units that have it. Only units that score more than half of the best score count as named.
    """
    asked = _plain(question)
    labels = [map(_plain, _LABEL.findall(unit) or cells(unit)) for unit in units]
    named = [{label for label in of_unit if label and label in asked} for of_unit in labels]
    shared = Counter(chain.from_iterable(dict(zip(units, named, strict=True)).values()))
    counts = [sum((label.count(" ") - 1) / shared[label] for label in labels) for labels in named]
    return [count > max(counts) / 2 for count in counts]


def _plain(text: str) -> str:
    """Return the keys of a text's words, with a space on each side, or "" if it has only stop words."""
    keys = [token.key for token in tokens(_REMARK.sub("", text))]
    return "" if STOP_WORDS.issuperset(keys) else f" {' '.join(keys)} "
