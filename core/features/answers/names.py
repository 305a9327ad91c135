"""Names in a sentence: words with capitals, digits or symbols, and people and places in Chinese."""

import re
import unicodedata
from collections.abc import Container, Iterator, Sequence

from core.base.text import CJK, STOP_WORDS, fold, simplify
from core.features.answers.numbers import NUMBER
from core.features.answers.units import ABBREVIATED

_LATIN = re.compile(rf"(?:(?![{CJK}])\w)+(?:[.'’+#&/-]+(?:(?![{CJK}])\w)+)*(?:\+\+|#)?")
_HAN = re.compile(f"[{CJK}]+")
_SURNAME = (
    "王李张刘陈杨赵周吴徐孙朱郭林罗郑梁谢宋唐韩冯邓曹彭肖董潘袁蔡蒋杜苏魏吕沈卢姚崔汪范廖贾邹孟秦邱尹薛侯陶黎郝邵钱"
)
"""Surnames that few other words begin with."""
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
"""People (surname with a title), places, and services."""
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
"""Patterns for a possible personal name and the words after it."""
_OPENS = re.compile(ABBREVIATED + '[.!?:;。！？：；"“「(（]')
"""Punctuation before the first word of a sentence."""
_DOTS = str.maketrans("İı", "Ii")
"""Letters that match an `i` if case is ignored, but have another lower-case form."""


def normal(text: str) -> str:
    """Return a text of the same length, in normal-width characters and simplified Chinese."""
    text = text.translate(_DOTS)
    parts = (unicodedata.normalize("NFKC", letter) for letter in text)
    return simplify("".join(new if len(new) == 1 else old for old, new in zip(text, parts, strict=True)))


def names(text: str, known: Container[str]) -> Iterator[tuple[int, str]]:
    """Yield the names in a text, with their positions; in a Chinese text every Latin word is a name."""
    yield from ((match.start(), match[0]) for match in _CHINESE.finditer(text))
    chinese = bool(_HAN.search(text))
    for match in _LATIN.finditer(text):
        word = match.group().strip("_'’")
        if len(word) < 2 or NUMBER.fullmatch(word) or fold(word) in STOP_WORDS or re.fullmatch(r"\w(?:\.\w)+", word):
            continue
        inner = any(letter.isupper() or letter.isdecimal() or letter in "_/+#." for letter in word[1:])
        within = not _starts(text, match.start()) or fold(word) in known or _followed_by_name(text, match.end())
        if chinese or inner or (word[0].isupper() and within):
            yield match.start() + match.group().index(word), word


def exchanged(text: str, others: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield possible names, with their positions, that precede the same words as a name in other texts."""
    tails = {match[2] for pattern in _EXCHANGED for other in others for match in pattern.finditer(other)}
    for pattern in _EXCHANGED:
        for match in pattern.finditer(text):
            if match[2] in tails and fold(match[1]) not in STOP_WORDS:
                yield match.start(1), match[1]


def _followed_by_name(text: str, end: int) -> bool:
    """Whether the next word is capitalized too, as in a name of two words."""
    then = _LATIN.match(text, end + 1) if text[end : end + 1] == " " else None
    return bool(then and then.group()[0].isupper() and len(then.group()) > 1)


def _starts(text: str, at: int) -> bool:
    """Whether a sentence starts at a position."""
    end = at
    while end and text[end - 1].isspace():
        end -= 1
    return not end or bool(_OPENS.match(text, end - 1)) or "\n" in text[end:at]


def large(text: str) -> frozenset[str]:
    """Return the words that are capitalized within a sentence, folded."""
    text = normal(text)
    matches = (match for match in _LATIN.finditer(text) if match.group()[0].isupper())
    return frozenset(fold(match.group()) for match in matches if not _starts(text, match.start()))


def words(text: str) -> set[str]:
    """Return the folded words of a text, their parts between punctuation marks, and the runs of Chinese characters."""
    found = {fold(match.group()).strip("_") for match in _LATIN.finditer(text)}
    return found.union(_HAN.findall(text), (part.strip("_") for word in found for part in re.split(r"[^\w]+", word)))


def contains_name(name: str, held: set[str]) -> bool:
    """Whether a set of words contains a name, also with another English ending.

    A Chinese name counts as contained if the set has no Chinese words.
    """
    if _HAN.match(name):
        chinese = [*filter(_HAN.match, held)]
        return not chinese or any(name in text for text in chinese)
    folded = fold(name)
    forms = {folded, re.sub("['’]?s$", "", folded), f"{folded}s"}
    if folded.endswith("al"):
        forms.add(folded[:-1])  # mitochondrial: of mitochondria
    parts = re.findall(r"\w+", folded)
    version = re.search(r"\d\.\d", folded)  # 2.0 isn't 2.0.1
    return bool(forms & held) or (not version and held.issuperset(parts))
