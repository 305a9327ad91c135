"""Find figures in a sentence: amounts, dates, times, ordinals, frequencies and names, in English and Chinese.

Every figure in a sentence written by a language model must be in the sentence's quotes. Sentences and quotes are parsed
in the same way. A form unknown to the parser may therefore cause a correct sentence to be rejected, but never a wrong
sentence to be accepted.
"""

import re
import unicodedata
from collections.abc import Container, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise

from core.base.blobs import Span
from core.base.frozen import Texts, frozen
from core.base.text import ABBREVIATED, CJK, STOP_WORDS, fold, shared_length, simplify
from core.features.answers.numbers import (
    CASED,
    CHINESE_UNITS,
    COUNTED,
    COUNTED_UNITS,
    DEGREES,
    MULTIPLES,
    NUMBER,
    PLAIN,
    SCALES,
    SPELLED,
    UNIT,
    UNIT_AFTER,
    WORDS,
    read_number,
)
from core.features.answers.wording import singular, tokens

_LATIN = re.compile(rf"(?:(?![{CJK}])\w)+(?:[.'’+#&/-]+(?:(?![{CJK}])\w)+)*(?:\+\+|#)?")
_HAN = re.compile(f"[{CJK}]+")
# Surnames whose characters begin few other words.
_SURNAME = (
    "王李张刘陈杨赵周吴徐孙朱郭林罗郑梁谢宋唐韩冯邓曹彭肖董潘袁蔡蒋杜苏魏吕沈卢姚崔汪范廖贾邹孟秦邱尹薛侯陶黎郝邵钱"
)
# Chinese names of people (a surname with a title), places and services.
_CHINESE = re.compile(
    rf"[{_SURNAME}马黄胡高丁程叶田雷武](?:先生|女士|小姐|老师|医生|大夫|主任|经理|师傅|阿姨|叔|姨|奶奶|爷爷|教授|护士"
    rf"|律师|同学|[校院局处科部组店]长|老板|博士|姐|哥|总(?![是共会在计]))|[小老阿][{_SURNAME}](?![期末醋子女梅树桃打])"
    r"|(?<![东今每次其变换改浙黄出上北太泰])(?:"
    r"北京|上海|天津|重庆|广州|深圳|杭州|南京|苏州|无锡|宁波|武汉|成都|西安|长沙|郑州|洛阳|"
    r"济南|青岛|烟台|大连|沈阳|长春|哈尔滨|厦门|福州|泉州|合肥|昆明|丽江|南昌|石家庄|太原|南宁|"
    r"桂林|贵阳|海口|三亚|兰州|西宁|敦煌|银川|乌鲁木齐|拉萨|呼和浩特|香港|澳门|台北|东莞|佛山|珠海|"
    r"河北|山西|辽宁|吉林|黑龙江|江苏|浙江|安徽|福建|江西|山东|河南|湖北|湖南|广东|广西|海南|"
    r"四川|贵州|云南|陕西|甘肃|青海|新疆|西藏|内蒙古|台湾|中国|日本|韩国|泰国|越南|印度|新加坡|"
    r"英国|法国|德国|意大利|西班牙|葡萄牙|荷兰|瑞士|瑞典|挪威|丹麦|芬兰|俄罗斯|美国|加拿大|澳大利亚|新西兰|"
    r"东京|大阪|京都|首尔|曼谷|伦敦|巴黎|柏林|慕尼黑|罗马|米兰|马德里|巴塞罗那|维也纳|苏黎世|莫斯科|纽约|"
    r"旧金山|洛杉矶|悉尼|阿里|腾讯|华为|百度|京东|淘宝|天猫|拼多多|微信|支付宝|钉钉|飞书|抖音|美团|"
    r"滴滴|携程|顺丰|网易|微博|知乎|豆瓣(?!酱)|谷歌|微软|苹果手机|索尼)"
)
# Patterns for what may be a person's name, with the words after the name.
_EXCHANGED = [
    re.compile(pattern)
    for pattern in (
        r"(?m)(?:^[ *-]*|(?<=[.!?]\s))((?!S?he\b|Every|Any|Some|One\b|Each\b)[A-Z]\w*[^\Ws])\s(\w+(?:s|ed)\s\w+)",
        *(
            rf"(?<![小老阿])(?=([{_SURNAME}](?:(?![要来去会已将可能应须需必不没在是有和与跟对向给把被让为从到说做都也就还只的了前后时先再])"
            rf"[{CJK}]){{{given}}})([{CJK}]{{2}}))"
            for given in (1, 2)
        ),
    )
]
# Punctuation before the first word of a sentence.
_OPENS = re.compile(ABBREVIATED + '[.!?:;。！？：；"“「(（]')
# The beginning of a name's second word, with the space before it.
_SECOND_NAME = re.compile(r" [A-ZÀ-Þ]\w")
# Letters that match `i` if case is ignored, but whose lowercase form isn't `i`.
_DOTS = str.maketrans("İı", "Ii")


def normal(text: str) -> str:
    """Return `text` with normal-width characters and simplified Chinese. Its length stays the same."""
    text = text.translate(_DOTS)
    parts = (unicodedata.normalize("NFKC", letter) for letter in text)
    return simplify("".join(new if len(new) == 1 else old for old, new in zip(text, parts, strict=True)))


def names(text: str, known: Container[str]) -> Iterator[tuple[int, str]]:
    """Yield the names in `text` with their positions. In Chinese text, every Latin word counts as a name."""
    yield from ((match.start(), match[0]) for match in _CHINESE.finditer(text))
    chinese = bool(_HAN.search(text))
    for match in _LATIN.finditer(text):
        word = match.group().strip("_'’")
        if len(word) < 2 or NUMBER.fullmatch(word) or fold(word) in STOP_WORDS or re.fullmatch(r"\w(?:\.\w)+", word):
            continue
        inner = any(letter.isupper() or letter.isdecimal() or letter in "_/+#." for letter in word[1:])
        within = not _starts(text, match.start()) or fold(word) in known or bool(_SECOND_NAME.match(text, match.end()))
        if chinese or inner or (word[0].isupper() and within):
            yield match.start() + match.group().index(word), word


def exchanged(text: str, others: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield possible names in `text` that precede the same words as a name in `others`, with their positions."""
    tails = {match[2] for pattern in _EXCHANGED for other in others for match in pattern.finditer(other)}
    for pattern in _EXCHANGED:
        for match in pattern.finditer(text):
            if match[2] in tails and fold(match[1]) not in STOP_WORDS:
                yield match.start(1), match[1]


def _starts(text: str, at: int) -> bool:
    """Return whether a sentence starts at the given position."""
    end = len(text[:at].rstrip())
    return not end or bool(_OPENS.match(text, end - 1)) or "\n" in text[end:at]


def large(text: str) -> frozenset[str]:
    """Return the words that are capitalized in the middle of a sentence, with case folded."""
    text = normal(text)
    matches = (match for match in _LATIN.finditer(text) if match.group()[0].isupper())
    return frozenset(fold(match.group()) for match in matches if not _starts(text, match.start()))


def words(text: str) -> set[str]:
    """Return the case-folded words in `text`, their parts around punctuation, and its runs of Chinese characters."""
    found = {fold(match.group()).strip("_") for match in _LATIN.finditer(text)}
    return found.union(_HAN.findall(text), (part.strip("_") for word in found for part in re.split(r"[^\w]+", word)))


def contains_name(name: str, held: set[str]) -> bool:
    """Return whether a set of words contains a name. English endings such as the plural's may differ.

    If the set has no Chinese words, a Chinese name counts as contained.
    """
    if _HAN.match(name):
        chinese = list(filter(_HAN.match, held))
        return not chinese or any(name in text for text in chinese)
    folded = fold(name)
    forms = {folded, re.sub("['’]?s$", "", folded), f"{folded}s"}
    if folded.endswith("al"):
        forms.add(folded[:-1])  # "mitochondrial" matches "mitochondria"
    # The parts of a version don't count, because 2.0 isn't 2.0.1.
    return bool(forms & held) or (not re.search(r"\d\.\d", folded) and held.issuperset(re.findall(r"\w+", folded)))


Match = re.Match[str]
# One meaning of a figure, which has a kind, such as `n` or `date`, followed by values.
Reading = tuple[object, ...]
Readings = tuple[Reading, ...]

_RANGE = re.compile(r"(?i)\s?(?:-|–|—|~|to|and|or|到|至|和|或)\s?")
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_MONTH = (
    r"may|(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\.?"
)
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split()
_PARTS = {"half": 2, "quarter": 4, "third": 3, "fifth": 5, "tenth": 10}
# Maps each word for a period to the period's common name.
_EACH = {
    name: words[0]
    for words in map(
        str.split,
        """second seconds s 秒 秒钟
minute minutes 分 分钟
hour hours h hourly 小时
day days daily 天 日
night nights nightly 晚 晚上 夜 夜里
week weeks weekly 周 星期 礼拜
fortnight fortnightly
month months monthly 月 个月
quarter quarters quarterly 季 季度 个季 个季度
year years yearly annually annual 年""".split("\n"),
    )
    for name in words
}
_PERIODS = UNIT | {"fortnight": ("s", Fraction(14 * 86400)), "quarter": ("month", Fraction(3))}
_PERIOD = "seconds?|minutes?|hours?|days?|nights?|weeks?|months?|quarters?|years?"
_DAYS = "mon tue wed thu fri sat sun".split()
_HOURS = {"noon": 720, "midday": 720, "正午": 720, "midnight": 0, "午夜": 0, "半夜": 0}
_QUARTERS = {"半": 30, "一刻": 15, "三刻": 45}
# Words for times of day and seasons -> (kind, common form). Different forms of the same kind contradict each other.
_CLOSED = {
    word: (kind, words[0])
    for kind, *words in map(
        str.split,
        """daytime morning 早上 上午 早晨 清晨
daytime afternoon 下午
daytime evening 傍晚 晚上
daytime night nights 夜里 夜间
season spring 春天 春季
season summer 夏天 夏季
season autumn 秋天 秋季
season winter 冬天 冬季""".split("\n"),
    )
    for word in words
}


@frozen
class Figure:
    """A figure in text. `says` are its possible meanings, and `implies` are meanings that follow from them.

    A `weak` figure may be a word with another meaning, such as *one*. It counts as missing only if the quotes contain a
    different figure of the same kind with the same `nouns` (the words after the figure).
    """

    start: int
    end: int
    says: Readings
    implies: Readings = ()
    weak: bool = False
    nouns: frozenset[str] = frozenset()

    def is_like(self, other: "Figure") -> bool:
        """Return whether two figures are of the same kind and, if they are amounts, have the same unit."""
        first, second = (
            {(item[0], item[2] if item[0] == "n" else "") for item in figure.says} for figure in (self, other)
        )
        return bool(first & second)


# Figures, each with the text that contains it.
Sources = Sequence[tuple[str, Figure]]
# A figure's `says`, `implies` and `weak`, or None if the match isn't a figure.
Read = tuple[Readings, Readings, bool] | None


def find_missing(sentence: str, quotes: Sequence[str], passages: Iterable[str], known: Container[str] = ()) -> Texts:
    """Return the figures and names in a sentence that its quotes lack, as written in the sentence.

    Names may be in the passages instead. The capitalized first word of an English sentence counts as a name if it is in
    `known`, the words that are capitalized within sentences (see `large`). A figure that was swapped with another one
    counts as missing too.
    """
    plain = normal(sentence)
    texts = [normal(text) for text in quotes]
    ours = find(plain)
    pairs = _figures_of(texts)
    lost = {
        figure.start: plain[figure.start : figure.end]
        for figure in ours
        if _is_missing(figure, pairs) or _is_exchanged(figure, plain, pairs)
    }
    own = words(" ".join(texts))
    more = words(" ".join([*texts, *map(normal, passages)]))
    for start, name in [*names(plain, known), *exchanged(plain, texts)]:
        if any(figure.start <= start < figure.end for figure in ours):
            continue
        if not contains_name(name, own if any(map(str.isdecimal, name)) else more):
            lost.setdefault(start, name)
    return tuple(dict.fromkeys(lost[start] for start in sorted(lost)))


def compare(text: str, others: Iterable[str]) -> tuple[list[Span], list[Span]]:
    """Return the spans of the figures and names in `text` that `others` lack, and of the figures that they contain."""
    text = normal(text)
    others = [normal(other) for other in others]
    pairs = _figures_of(others)
    held = words(" ".join(others))
    lacking = [(at, at + len(name)) for at, name in names(text, ()) if not contains_name(name, held)]
    shared = list[Span]()
    for item in find(text):
        (lacking if _is_missing(item, pairs) else shared).append((item.start, item.end))
    return lacking, shared


def _figures_of(texts: Iterable[str]) -> Sources:
    """Return the figures in texts. A list of times of day is also counted: *at 8 and at 20* means twice."""
    found = []
    for text in texts:
        figures = find(text)
        times = [figure for figure in figures if figure.says[0][0] in ("time", "hour", "daytime")]
        if len(times) > 1 and all(_AND.fullmatch(text, left.end, right.start) for left, right in pairwise(times)):
            figures.append(Figure(times[0].start, times[-1].end, (("n", Fraction(len(times)), "time"),)))
        found += [(text, figure) for figure in figures]
    return found


def _is_missing(figure: Figure, pairs: Sources) -> bool:
    others = [other for _, other in pairs]
    said = {reading for other in others for reading in other.says + other.implies}
    if said & {*figure.says}:
        return False
    if figure.weak:
        return any(figure.is_like(other) and (not figure.nouns or figure.nouns & other.nouns) for other in others)
    return not any(  # a table's header may contain the unit
        kind == "bare" and ("n", value, "") in said and any(f"({unit})" in other for other, _ in pairs)
        for kind, value, *unit_of in figure.implies
        for unit in unit_of
    )


_AND = re.compile(r"\s?(?:,|、|，|and|和|与|及|以及)(?:\s?\b(?:and|again|at|in|on|the)\b)*\s?")


# Number of words to compare on each side of a figure.
_CONTEXT = 6


def _is_exchanged(figure: Figure, text: str, pairs: Sources) -> bool:
    """Return whether another figure in the quotes fits the figure's context clearly better.

    For example, if the quotes say *bought 8, sold 5*, the 8 in *sold 8* has been exchanged.
    """
    around = _context(figure, text)
    best = {True: 0, False: 0}
    for source, item in pairs:
        if figure.is_like(item):
            equal = sum(
                any(map(str.isalnum, word))
                for ours, theirs in zip(around, _context(item, source), strict=True)
                for word in ours[: shared_length(ours, theirs)]
            )
            same = bool({*figure.says} & {*item.says, *item.implies})
            best[same] = max(best[same], equal)
    return best[False] >= best[True] + 2


def _context(figure: Figure, text: str) -> tuple[list[str], list[str]]:
    left, right = (
        [token.key for token in tokens(part) if token.key not in ("a", "an", "the")]
        for part in (text[max(0, figure.start - 80) : figure.start], text[figure.end : figure.end + 80])
    )
    return left[::-1][:_CONTEXT], right[:_CONTEXT]


_NOUNS = re.compile(rf"\s?([{CJK}]{{2}})|[ -]?([A-Za-z]+)(?:[ -]([A-Za-z]+))?")


def find(text: str) -> list[Figure]:
    """Return the figures in text, in order. The text must be normalized with `normal`."""
    found = []
    for pattern, read in _READERS:
        for match in pattern.finditer(text):
            if result := read(match):
                start = match.start()
                kept = match.group().removesuffix(match.groupdict().get("classifier") or "")
                # The next two English words, except stop words, or the next two Chinese characters.
                after = _NOUNS.match(text, match.end(), match.end() + 40)
                nouns = frozenset(singular(word.lower()) for word in after.groups() if word) if after else frozenset()
                found.append(Figure(start, start + len(kept.rstrip()), *result, nouns - STOP_WORDS))
        for figure in found:
            text = text[: figure.start] + "\0" * (figure.end - figure.start) + text[figure.end :]
    return sorted(found, key=lambda figure: figure.start)


# Parsers for the kinds of figures


def _date(match: Match) -> Read:
    if match["of"]:  # a day of each month
        return (("nth", read_number(match["of"])),), (), False
    parts = {name[0]: value for name, value in match.groupdict().items() if value}
    year, day = (int(read_number(parts[name]) or 0) if name in parts else None for name in "yd")
    plain = (("n", Fraction(year), ""),) if year else ()
    if "m" not in parts:
        return (("date", year, None, None), *plain), (), False
    name = parts["m"]
    month = int(number) if (number := read_number(name)) else _MONTHS.index(name[:3].lower()) + 1
    if not 1 <= month <= 12 or not 1 <= (day or 1) <= 31:
        return None
    vaguer = [("date", y, m, d) for y in (year, None) for m, d in ((month, day), (month, None), (None, None)) if y or m]
    return (("date", year, month, day),), (*vaguer, *plain), False


def _percent(match: Match) -> Read:
    value = read_number(match["of"])
    whole = read_number(match["whole"])
    return ((("n", value / whole * 100, "%"),), (), False) if value is not None and whole else None


def _part(match: Match) -> Read:
    """Parse fractions such as *a half*, *two thirds* and *half an hour*."""
    share = Fraction(1, _PARTS[(match["part"] or "half").lower().rstrip("s")])
    share *= WORDS.get((match["count"] or "").lower(), 1)
    if unit := match["unit"] or match["chinese"]:
        base, factor = UNIT[unit.lower()]
        return (("n", share * factor, base),), (), False
    return (("n", share * 100, "%"),), (), False


def _and_a_half(match: Match) -> Read:
    """Parse durations such as *an hour and a half*, *two and a half days* and *an hour and 15 minutes*."""
    count, unit, *more = filter(None, match.groups())
    base, factor = UNIT[unit.lower()]
    small, less = UNIT[more[1].lower().replace("分钟", "分").replace("分", "分钟")] if more else (base, factor / 2)
    if small != base or less >= factor:
        return None
    rest = (read_number(more[0]) or 0) if more else 1
    return ((("n", (read_number(count) or 1) * factor + rest * less, base),), (), False)


def _time(match: Match) -> Read:
    """Parse a time of day as minutes since midnight. If the time may be before or after noon, the kind is `hour`."""
    word = match.group().strip().lower()
    if word in _HOURS:
        return (("time", _HOURS[word]),), (("hour", 0),), False
    alone = match["at"] or match["alone"]
    hour = read_number(match["hour"] or match["clock"] or alone or match["chinese"])
    if hour is None or hour > 24:
        return None
    past = (match["minute"] or match["past"] or match["more"] or "").removesuffix("分")
    minute = _QUARTERS.get(past) or int(read_number(past) or 0)
    if minute > 59:
        return None
    total = int(hour) % 24 * 60 + minute
    half = (match["half"] or match["part"] or "").lower()
    if half.startswith(("p", "下午", "晚", "傍晚", "夜")):
        total = total % 720 + 720
    elif half.startswith("a"):
        total %= 720
    vague = ("hour", total % 720)
    if (alone and hour <= 12) or (match["clock"] and not half) or (match["chinese"] and not half and hour <= 12):
        return (vague, *((("n", hour, ""),) if alone and not past else ())), (), False
    return (("time", total),), (vague,), False


def _frequency(match: Match) -> Read:
    period = _EACH[next(filter(None, map(match.group, ("adverb", "period", "an", "a", "short", "chinese")))).lower()]
    single = bool(match["an"] or match["a"] or match["one"])  # *a day*: one day or every day
    typed = match["count"] or match["every"]
    count = read_number(typed) if typed else Fraction(1)
    if count is None:
        return None
    if period == "night":
        return (("each", count, "night"),), (("each", count * 86400, "s"),), False
    base, factor = _PERIODS[period]
    rate = ("each", count * factor, base)
    amount = ("n", count * factor, base)
    return (amount, rate) if single else (rate, amount) if typed else (rate,), (), single


def _ordinal(match: Match) -> Read:
    word = (match["word"] or "").lower()
    typed = match["figures"] or match["chinese"]
    if word == "second" and re.search(
        r"(?:\d|\b(?:an?|per|each|every|half|one|ten|five|two|few))[ -]\Z", match.string[: match.start()]
    ):
        return None
    value = (
        read_number(typed)
        if typed
        else Fraction(_ORDINALS.index(word or "first") + 1)
        if word or match["head"]
        else Fraction(-1)
    )
    return ((("nth", value),), (), value in (1, -1)) if value is not None else None


def _day(match: Match) -> Read:
    chinese = match["chinese"]
    day = "一二三四五六日天".index(chinese) if chinese else _DAYS.index(match[0][:3].lower())
    return (("weekday", min(day, 6)),), (("each", Fraction(604800), "s"),), False


def _closed(match: Match) -> Read:
    return (_CLOSED[match.group().lower()],), (), True


def _often(match: Match) -> Read:
    word = match.group().lower()
    if word == "both":
        return (("n", Fraction(2), ""),), (), True
    return (("n", Fraction(("once", "twice", "thrice").index(word) + 1), "time"),), (), word == "once"


def _amount(match: Match) -> Read:
    word = (match["word"] or "").lower()
    alone = not (match["unit"] or match["classifier"] or match["scale"])
    if (alone and match["chinese"] in PLAIN) or (
        word in MULTIPLES and not re.search(r"\ba\s\Z", match.string[: match.start()])
    ):
        return None
    unit, factor = _unit(match)
    if not unit and (between := _RANGE.match(match.string, match.end())):
        # In a range such as 5-10 minutes, the first number shares the second number's unit.
        then = NUMBER.match(match.string, between.end())
        unit, factor = _unit(then) if then else (unit, factor)
    typed = match["figures"] or ""
    value = read_number(word or match["chinese"] or typed)
    if value is None and not typed:
        return None
    if value is not None and match["scale"]:
        value *= SCALES[match["scale"].lower()]
    sign = -1 if match["sign"] else 1
    if value is None or ("." in typed and not (unit or match["scale"])):  # a version: 3.10 isn't 3.1
        return (("n", f"{'-' * (sign < 0)}{'0' * typed.startswith('.')}{typed}", unit),), (), False
    value *= sign * factor
    says: Readings = (("n", value, unit),)
    if unit in COUNTED_UNITS:
        says += (("n", value, ""),)
    implied = [("n", value, other) for other in DEGREES.get(unit, ())]
    implied += [("bare", value / factor, match["unit"].strip(" -"))] if match["unit"] else []
    loose = value == 1 and (not typed or bool(match["classifier"])) and (not unit or word != "one")
    loose |= alone and match["chinese"] == "两"
    return says, tuple(implied), loose


def _unit(match: Match) -> tuple[str, Fraction]:
    typed = (match["unit"] or match["before"] or "").strip(" -")
    return UNIT[CASED.get(typed, typed.lower())] if typed else ("", Fraction(1))


_N = rf"\d+(?:\.\d+)?|[{COUNTED}]+"
_EVERY = rf"(?:(?P<count>\d+|{SPELLED})[ -])?(?P<period>{_PERIOD})\b"
_READERS = tuple(
    (re.compile(f"(?i){pattern}"), read)
    for pattern, read in (
        (
            r"(?P<y1>(?<!\d)[12]\d{3})[-/.](?P<m1>\d{1,2})(?:[-/.](?P<d1>\d{1,2}))?(?!\.?\d)"
            r"|(?:(?P<y2>\d{4})\s?年\s?)?(?P<m2>(?<!\d)\d{1,2}|十[一二]?|(?<![一二三四五六七八九十])[一二三四五六七八九])\s?月"
            r"(?:\s?(?P<d2>\d{1,2}|[一二三四五六七八九十]{1,3})\s?[日号])?|(?<=月)(?P<of>\d{1,2}|[一二三四五六七八九十]{1,3})[日号]|(?P<y6>[12]\d{3})\s?年"
            rf"|\b(?P<d3>\d{{1,2}})(?:st|nd|rd|th)?\s(?:of\s)?(?P<m3>{_MONTH})(?!\w)(?:,?\s(?P<y3>[12]\d{{3}})\b)?"
            rf"|\b(?P<m4>{_MONTH})\s(?P<d4>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,?\s(?P<y4>[12]\d{{3}})\b)?"
            rf"|\b(?P<m5>{_MONTH})\s(?P<y5>[12]\d{{3}})\b"
            rf"|(?:(?<=\bin\s)|(?<=\bof\s)|(?<=since\s)|(?<=until\s)|(?<=by\s)|(?<=every\s))(?=(?-i:[A-Z]))(?P<m6>{_MONTH})(?!\w)",
            _date,
        ),
        (rf"(?P<whole>[{COUNTED}]+)分之(?P<of>{_N})", _percent),
        (
            rf"\b(?:(an?|\d+|{SPELLED})\s(hour|day|week|month|year)s?\sand\sa\shalf"
            rf"|(\d+|{SPELLED})\sand\sa\shalf\s(hour|day|week|month|year)s?)\b"
            rf"|(?<![{COUNTED}第])(?:({_N})个半(小时|钟头|月|星期)|({_N})(小时|分钟|天|年|公?斤|公里|米|升)半)(?![{COUNTED}])"
            rf"|(?<![\w.])(an?|\d+|{SPELLED})[ -]?(years?|months?|weeks?|days?|hours?|hrs?|h)\s(?:and\s)?"
            rf"(\d+|{SPELLED})[ -]?(months?|days?|hours?|minutes?|mins?)\b"
            rf"|(?<![{COUNTED}\d.第])({_N})(年|个?月|周|天|个?小时|个?钟头)[又零]?({_N})(个月|天|小时|分钟?)",
            _and_a_half,
        ),
        (
            r"\b(?:(?P<count>an?|one|two|three|four)[ -])?(?P<part>half|"
            r"(?<!\bthe\s)(?:quarter|third|fifth|tenth)s?(?=\sof\b))(?!-)"
            rf"(?:\s(?:of\s)?an?\s(?P<unit>hour|day|minute|second|year|month)\b)?|半(?P<chinese>{CHINESE_UNITS})|一半",
            _part,
        ),
        (
            r"(?P<part>早上|早晨|上午|凌晨|清晨|中午|下午|傍晚|晚上|晚)?\s?(?:"
            r"(?<![\d.:])(?:(?P<hour>\d{1,2}):(?P<minute>\d{2})(?![\d:]|\.\d)|(?P<clock>\d{1,2})(?=\s?[ap]\.?m\b|\so['’]clock))"
            r"(?:\s?(?P<half>[ap]\.?m\b\.?)|\so['’]clock)?"
            rf"|(?<=[午晨上晚])(?P<chinese>{_N})[点时](?P<past>半|[一三]刻|(?:{_N})分?)?"
            rf"|(?<![{COUNTED}第.])(?P<alone>{_N})点(?:钟|整|(?P<more>半|[一三]刻|(?:{_N})分))?(?![{COUNTED}\d])"
            rf"|(?<=\bat\s)(?P<at>\d{{1,2}})(?![\d:.,%°-]|{UNIT_AFTER}))"
            r"|\b(?P<word>noon|midday|midnight)\b|正午|午夜|半夜",
            _time,
        ),
        (
            rf"\b(?P<adverb>(?:hour|night|week|fortnight|month|quarter|year)ly|daily|annual(?:ly)?)"
            rf"\b|\b(?:every|each|per)\s{_EVERY}"
            rf"|\ban\s(?P<an>hour)\b|\ba\s(?P<a>{_PERIOD})\b|(?<=\w)/(?P<short>s|h|{_PERIOD})\b(?![/\w.])"
            rf"|(?:每隔?(?P<every>{_N})?|(?<![{COUNTED}第])(?P<one>一))\s?个?(?P<chinese>"
            r"秒钟?|分钟?|小时|天|日|晚上?|夜里?|周|星期|礼拜|个?月|个?季度?|年)",
            _frequency,
        ),
        (
            rf"\b(?P<word>{'|'.join(_ORDINALS)})\b(?!,)|\b(?P<figures>\d+)(?:st|nd|rd|th)\b|第(?P<chinese>{_N})"
            r"|(?P<head>首)(?=[个次位批])|\blast\b(?!\s(?:for|until|a|an|\d+)\b)|最后(?=一)",
            _ordinal,
        ),
        (
            r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(?-i:Mon|Tue|Wed|Thu|Fri|Sat)\b"
            r"|(?<![一两二三四五六\d])(?:周|星期|礼拜)(?P<chinese>[一二三四五六日天])(?![次个])",
            _day,
        ),
        (r"\b(?:once(?=\s(?:an?|per|every|each|daily)\b)|twice|thrice|both)\b", _often),
        (NUMBER.pattern, _amount),
        (rf"(?<![a-z\d_])(?:{'|'.join(_CLOSED)})(?![a-z\d_])", _closed),
    )
)
