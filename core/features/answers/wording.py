"""Check whether a sentence was copied word for word from a note, and find words that change a sentence's meaning.

A copy may leave out words in `_HARMLESS`, and clauses before or after a semicolon if they contain no word in TURNING.
Articles may differ, and so may singular and plural. A sentence with any other change counts as a paraphrase, so that no
rule has to understand the text.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import combinations, pairwise

from core.base.blobs import Span
from core.base.frozen import frozen
from core.base.text import CJK, fold
from core.features.answers.units import units_of
from core.retrieval.highlights import SENTENCE_MARKS, split_sentences

# Words that change the meaning of a sentence, by kind of change.
#
# `_` means a space. Chinese words also match within longer words.
TURNING = {
    "not": r"""
not never no none nobody nothing nowhere neither nor cannot [a-z]+n['’]t without lacks? un(?:able|less) fail\w* avoid\w*
refus\w* den(?:y|ies|ied) impossible forbid\w* forbidden prohibit\w* hardly rarely seldom instead_of rather_than against
不 没 无 未 非 勿 莫 别 禁 忌 免 拒 失败 而不是
""",
    "untrue": r"""
false wrong\w* myth\w* mistake\w* incorrect\w* supposed\w* alleged\w* claim\w* believ\w* said says? thinks? thought
rumou?r\w* would 错 误 谣 据说 声称 认为 以为 传言 说
""",
    "past": r"""
used_to former\w* previous\w* once deprecated obsolete old was were had 曾 以前 过去 原先 原来 本来 旧 废
""",
    "only": "only solely just exclusively alone 只 仅 唯 才",
    "if": r"""
if when whenever while where wherever unless provided depend\w* in_case as_long_as assuming otherwise
如 若 假 要是 一旦 除非 否则 的话 当 时 情况
""",
    "except": r"""
except\w* but apart_from other_than exclud\w* although though however yet 除 但 却 不过 然而 虽 尽管
""",
    "order": """
before after then until since till prior previously later earlier during 前 后 先 再 然后 直到 以来 期间
""",
    "least": r"at_least minimum more_than over above exceed\w* or_more 至少 最少 最低 超过 多于 大于 高于 以上 >=? ≥",
    "most": """
at_most maximum up_to less_than fewer_than under below within or_less 至多 最多 最高 少于 小于 低于 以下 以内 <=? ≤
""",
    "some": r"some several few little part\w* sometimes occasionally about almost nearly 有些 有的 某 部分 偶尔 几 约",
    "usual": r"most mostly usual\w* often general\w* typical\w* normal\w* 通常 一般 往往 多数 大部分 经常",
    "all": r"all always every\w* each any\w* both either whole 总 所有 每 全 都 任何 各 皆",
    "must": r"must shall need\w* requir\w+ have_to has_to ought should recommend\w* 必 须 需 应 建议 要",
    "may": r"may might can could perhaps maybe probabl\w+ possibl\w+ likely plan\w* will 可 能 也许 或许 大概 计划 将",
    "because": "because so therefore thus hence due 因 由于 所以 因此",
    "or": "or than like as 或 比 像 似",
}

# Maximum number of source sentences for a quote. Any further ones are ignored.
_MOST = 12
# Words whose meaning depends on an article in front, such as "few" and "a few".
_MEASURING = frozenset(
    "little few lot bit couple dozen hundred thousand million half third quarter second first most more same only "
    "other one two three four five six seven eight nine ten hour day week month year minute night time once".split()
)
# Words that a copy may leave out. Each Chinese character counts as a word.
_HARMLESS = re.compile(r" (?:also|very|really|simply|actually|非 常|其 实)(?= )")
# Words that a copy may leave out at its start.
_OPENINGS = re.compile(
    r"(?i)\s*(?:(?:(?:(?:also|moreover|furthermore|in addition|additionally|(?:please )?note that|of course|in fact)\b"
    r"|此外|另外|而且|并且|事实上|总之|当然)[,，]?|please\s|请(?![假教求示愿帖客安]))\s*)+",
)
_ALIKE = str.maketrans("“”„‟«»「」『』‘’‚‛′–—−‐‑", '"' * 10 + "'" * 5 + "-" * 5)
_MARKER = re.compile(r"[ \t>]*(?:(?:[-*+]|\d+[.)])[ \t]+|\d+、|#+[ \t]+)?")
_LINKS = re.compile(r"!?\[\[(?:[^\]|]*\|)?([^\]]*)\]\]|!?\[([^\]]*)\]\([^)]*\)|\[\^[^\]]*\]")
_EMPHASIS = re.compile(rf"(\*{{1,3}}|(?<!\w)_{{1,3}})(?=\S)([^*\n]{{1,400}}?)(?<=\S)\1(?!(?![{CJK}])\w)")
_TOKEN = re.compile(
    rf"[{CJK}]|[A-Za-z]+(?=(?i:n't)\b)|(?i:n't\b|\bcan(?=not\b))|(?:(?![{CJK}])\w)+(?:(?:[.:'’/+&_-]|(?<=\d),(?=\d))(?:(?![{CJK}])\w)+)*(?:\+\+|#)?|[^\s\w\"`。|]"
)
_ENDS = re.compile(SENTENCE_MARKS + r"(?=\s+[^a-z\s]|\s*\Z)|[。！？…]+[”’」』）*_]*")
_NUMBERED = {"are": "is", "were": "was", "have": "has", "do": "does", "these": "this", "those": "that"}
_NUMBERED |= {"people": "person", "children": "child", "men": "man", "women": "woman", "feet": "foot", "teeth": "tooth"}
_PLURAL = re.compile(r"([a-z]+?)(?:(ies)|(?:(?<=[sc]h)|(?<=[xz])|(?<=ss))es|(?<![sui])s)")
_SINGULAR = frozenset("news means goods customs sometimes besides always perhaps species series across its".split())


@frozen
class WordToken:
    """A word, a Chinese character or a punctuation mark. `key` ignores case, width, and singular or plural."""

    key: str
    start: int
    end: int


def tokens(text: str) -> list[WordToken]:
    """Return the words and punctuation marks in a string, except quotation marks, with their spans."""
    plain = text.translate(_ALIKE)
    found = []
    for match in _TOKEN.finditer(plain):
        word = unicodedata.normalize("NFKC", match.group())
        if plain[match.end() : match.end() + 3].lower() == "n't":
            word = {"ca": "can", "wo": "will", "sha": "shall"}.get(word.lower(), word.lower())
        found.append(WordToken("not" if word.lower() == "n't" else _key(word), *match.span()))
    return found


@lru_cache(10_000)
def _key(word: str) -> str:
    """Return a word's normalized form. Names such as PATH and units such as mW keep their case."""
    if not word[0].isalpha() or any(letter.isupper() for letter in word[1:]) or (len(word) == 1 and word not in "aAI"):
        return fold(word) if not word.isascii() else word
    return singular(fold(word))


def singular(word: str) -> str:
    """Return the singular of a lower-case English word."""
    match = _PLURAL.fullmatch(word) if len(word) > 3 and word not in _SINGULAR else None
    if match is None or word in _NUMBERED:
        return _NUMBERED.get(word, word)
    return f"{match[1]}y" if match[2] else match[1]


@frozen
class Source:
    """A whole sentence that a quote is taken from, with its span in the passage.

    `lead` and `before` are the span and the text of the words needed to understand the sentence, such as a list's
    lead-in.
    """

    text: str
    start: int
    end: int
    lead: Span | None = None
    before: str = ""


def sources(passage: str, span: Span, fence: str = "") -> list[Source]:
    """Return the sentences in a passage that overlap a quote's span, or the span's whole lines if no unit overlaps it.

    `fence` is the opening line of the fence in which the passage begins.
    """
    start, end = span
    found = {}
    for unit in units_of(passage, fence):
        if unit.start >= end or unit.end <= start:
            continue
        block = unit.block if unit.kind in ("sentence", "item") else (unit.start, unit.end)
        before = passage[slice(*unit.lead)] if unit.lead else ""
        for first, last in [block] if unit.kind == "row" else split_sentences(passage, *block, _ENDS, len(passage)):
            if first < end and last > start:
                found[first, last] = Source(passage[first:last], first, last, unit.lead, before)
    if not found:
        first = passage.rfind("\n", 0, start) + 1
        last = (passage + "\n").index("\n", end)
        found[first, last] = Source(passage[first:last], first, last)
    return [found[place] for place in sorted(found)][:_MOST]


def is_copy(sentence: str, source: Source, place: str) -> bool:
    """Return whether a sentence copies its source word for word. The module's docstring lists the allowed differences.

    `place` contains the titles above the source. No sentence counts as a copy if the source has struck-out text, or if
    a lead-in or title contains a word that may change the meaning of the text below it.
    """
    # In a title, these kinds of words change the meaning of the text below it.
    if "~~" in source.text or turns(source.before) or turns(place).keys() & {"not", "untrue", "past", "if", "except"}:
        return False
    plain = _LINKS.sub(lambda match: match[1] or match[2] or "", _MARKER.sub("", source.text, count=1))
    while (bare := _EMPHASIS.sub(r"\2", plain)) != plain:
        plain = bare
    ours = _comparable(sentence)
    clauses = re.split("[;；]", plain)
    for first, last in combinations(range(len(clauses) + 1), 2):
        rest = " ".join([*clauses[:first], *clauses[last:]])
        clause = ";".join(clauses[first:last])
        if turns(rest) or re.search("[:：]", rest):
            continue
        for text in (clause, _OPENINGS.sub("", clause, count=1)):
            if ours and _lacks_only_harmless(ours, _comparable(text), bool(turns(text))):
                return True
    return False


def _comparable(text: str) -> list[str]:
    keys = [token.key for token in tokens(text)]
    while keys and keys[-1] in (".", "!", "…"):
        keys.pop()
    following = pairwise([*keys, ""])
    return [
        key for key, after in following if key not in ("a", "an", "the") or not after.isalpha() or after in _MEASURING
    ]


def _lacks_only_harmless(ours: Sequence[str], theirs: Sequence[str], turned: bool) -> bool:
    """Return whether `ours` equals `theirs` apart from harmless words that `ours` leaves out.

    If `turned` is True, no word is harmless.
    """
    first, second = (f" {' '.join(words)} " for words in (ours, theirs))
    if turned or first == second:
        return first == second
    added = Counter(_HARMLESS.findall(first)) - Counter(_HARMLESS.findall(second))
    return not added and _HARMLESS.sub("", first) == _HARMLESS.sub("", second)


def turns(text: str) -> dict[str, list[Span]]:
    """Return the spans of the words in a text that are in TURNING, by kind."""
    found: dict[str, list[Span]] = {}
    for match in _turning().finditer(text):
        found.setdefault(match.lastgroup or "", []).append(match.span())
    return found


@cache
def _turning() -> re.Pattern[str]:
    return re.compile("(?i)" + "|".join(f"(?P<{kind}>{_either(words)})" for kind, words in TURNING.items()))


def _either(words: str) -> str:
    latin = [word.replace("_", r"\s") for word in words.split() if word.isascii() and word[0] not in "<>"]
    rest = [word for word in words.split() if not word.isascii() or word[0] in "<>"]
    return "|".join([rf"(?<![A-Za-z])(?:{'|'.join(latin)})(?![A-Za-z])", *rest])
