"""Turn headings and defining sentences into questions, in Chinese and English."""

import re
from collections import Counter

from core.base.text import CHINESE, is_chinese

# Headings that say nothing about the contents of their section.
NAVIGATION = frozenset(
    "summary|exercises|exercise|references|contents|table of contents|further reading|see also|conclusion|conclusions"
    "|links|resources|appendix|faq|todo|notes|changelog|license|overview|introduction|next steps|discussion"
    "|acknowledgements|acknowledgments|quiz|bibliography|index"
    "|小结|总结|本章小结|练习|习题|作业|参考|参考文献|参考资料|目录|讨论|附录|延伸阅读|扩展阅读|相关链接|链接|致谢|前言|引言"
    "|简介|概述|介绍|结论|常见问题|待办|备注|更新日志".split("|")
)

_VERBS = (
    "access add adjust allow analyze archive attach automate avoid back build call change check choose clean clone"
    " collect combine compile compare compute configure connect control convert copy create customize debug declare"
    " define delete deploy describe design detect disable document download edit enable encrypt evaluate exclude"
    " execute export extend extract fetch filter find fix format generate get group handle implement import improve"
    " include increase initialize insert inspect install instantiate integrate invoke iterate join limit link list"
    " load loop make manage match measure merge migrate minimize modify monitor mount move open optimize organize"
    " override pack parse pass plan plot prepare prevent print process protect provide publish query read recover"
    " redirect reduce refactor register remove rename repair replace represent reset resize resolve restart restore"
    " retrieve return reuse run save scale schedule search secure select send separate serve set share sort specify"
    " speed split start stop store structure submit switch sync synchronize test track train transfer transform"
    " translate trigger troubleshoot tune turn uninstall update upgrade upload use validate verify view wrap write"
).split()
_DOUBLED = frozenset("get plan plot reset run set split stop submit wrap".split())
_IMPERATIVES = "install configure create enable disable deploy upgrade uninstall".split()

# Maps the verb forms with which a heading may start to the verbs.
_VERB_OF = {f"{verb + verb[-1] if verb in _DOUBLED else verb.removesuffix('e')}ing": verb for verb in _VERBS}
_VERB_OF |= {verb: verb for verb in _IMPERATIVES}

# Words after 'is a' that rule out a definition.
_BAD = frozenset(
    "abbreviation bad best big bit challenge common complex complicated convenience crucial default difficult"
    " different double-edged example fact first foundation good great hard important key little lot main matter most"
    " must necessity new next nice one only other pain piece problem question reason result same second similar special"
    " term thing useful very".split()
)

# Minimum number of words after a definition's verb.
_WORDS = 5

_DEFINED = re.compile(
    r"(?:(?P<article>An?|The) )?"
    r"(?P<mark>\*\*|__|\*|_|`)?(?P<term>[^\W_][^\s*_`()]*(?: [^\s*_`()]+){0,4}?)(?(mark)(?P=mark))"
    r"(?: \([^()]{1,60}\))? (?P<verb>is|are) (?P<rest>.+)"
)
_DEFINED_IN_CHINESE = re.compile(
    r"(?:所谓)?(?P<mark>\*\*|\*|_|`)?(?P<term>[^，。；：、（）()\[\]*_`“”$\\:]{2,24}?)(?(mark)(?P=mark))"
    r"(?:（[^（）]{1,80}）|\([^()]{1,80}\))? ?[，,]?(?:(?P<pointed>就是指|指的是|是指)|就是|是)(?P<rest>.{8,})"
)
_KIND_OF = re.compile(
    r"指|用来|用于|描述"
    r"|[^，。；]{0,40}一[种类个组项套门款](?![^，。；]{0,6}(?:好|坏|巨大|重要|关键|特例|例子|问题|挑战|双刃剑|难题|话题))"
    r"|[^，。；]{0,20}的(?:总称|统称|简称|集合|过程|能力|方法|技术|工具|系统|语言|协议|标准)"
)
_NAMED = re.compile(
    r"[A-Z][^,:;()$]{15,} (?P<verb>is|are) (?:called|known as|referred to as)"
    r" (?P<thing>(?:an? |the )?(?P<mark>\*\*|\*|_)[^*_]{2,40}(?P=mark))\."
)
_NAMED_IN_CHINESE = re.compile(
    r"(?![^。]*(?:也|又|还|有时|常|后者|前者)(?:可以)?被?(?:称|叫))"
    r"[^，：；（）$]{6,}?(?:被?(?:称为|称作|称之为)|叫做|叫作)(?:一[个种])?"
    r"(?P<mark>\*\*|\*|_)(?P<thing>[^*_]{2,24})(?P=mark)(?:（[^（）]{1,60}）)?。"
)
_POINTING = re.compile(
    r"(?i)上述|本[节章书文]|这|那|我们|你|任务|前面|例子|特例|如何|什么|:\w+:`"
    r"|\b(?:this|these|that we|such|new|our|above)\b",
)
_NEAR = 30
_PARTS = re.compile(r"\s*(?:[与和及、：:/（）()]|的)\s*")
_NUMBERED = re.compile(r"(?i)(?:chapter|section|part|step|figure|table|listing|appendix)\b")
_TWO_THINGS = re.compile(r"(?i):|^from | vs\.? |\b(?:is|are)\b|\b(?:and|or) (?:\w+ly )?\w+ing\b")
_CAPITAL = re.compile(r"(?<![^\s(\"“])[A-Z][a-z]*(?:-[A-Z]?[a-z]+)*(?:[’'][a-z]+)?(?=[\s,;)?]|$)")

# Openings of sentences that refer back to the text before them.
_LEANING = re.compile(
    r"(?i)(?:in (?:this|the (?:next|previous|last))|let[’']s|we[’']|we|now|next|so far|as|this|these|that|those|it|they"
    r"|however|but|and|also|note|recall|first|then|finally|here|again|another|to start|with (?:this|the)|right now"
    r"|at the moment|currently|the (?:first|second|third|next|last|final|other|program))\b"
    r"|下面|接下来|首先|然后|最后|我们|现在|这|那|它|该|其|此|在(?:本|上|前|下)|如(?:上|前|下|图)|正如|但|而|同样|另|也"
    r"|以下|上面|前面|与 ",
)
_POINTING_ELSEWHERE = re.compile(
    r"(?i):\w+:`|\[\^|\b(?:listing|figure|chapter|table) \d|\bsections?\b"
    r"|\b(?:this|next|last) (?:chapter|book|note|article|post)\b"
    r"|\b(?:earlier|previous(?:ly)?|above|below|following|so far|let[’']s|we[’'](?:ll|re|ve)|our)\b"
    r"|本[节章书文小]|下面|接下来|如下|以下|上一|前面|之前|回想|回顾|这里|后面|下一",
)
_INSTRUCTION = re.compile(
    r"(?i)\b(?:you (?:can|could|need|have to|must|should|might|may)|we (?:can|need|use|must|call)|use the|using|run `"
    r"|go to|click|open|enter|type|select|install|lets? you|allows? you|can be|by \w+ing"
    r"|to \w+ .{3,60}, (?:use|run|call|add|you|we|go|open|click|set|write|choose|put))\b",
)
_CHINESE_INSTRUCTION = re.compile(
    r"可以|通过|使用|只需|需要|请|运行|执行|点击|单击|打开|输入|选择|登录|填写|添加|下载|安装"
)

_SPOKEN = ("如何", "怎么", "怎样")
_CHINESE_VERBS = (
    "安装 卸载 配置 部署 搭建 创建 新建 设置 升级 更新 使用 导入 导出 备份 恢复 还原 编译 启用 禁用 读取 下载 上传 添加"
    " 删除 初始化 发布 迁移 调试 查看 修改 保存 加载 实现 定义"
).split()
# Endings of Chinese headings that start with a verb but are really noun phrases.
_NOUNS = re.compile(
    r"(?:方法|步骤|说明|文件|结果|误差|链接|指南|教程|环境|方式|流程|过程|原理|示例|手册|概念|日志|记录|版本"
    r"|场景|场合|案例|实例|技巧|经验|情况|条件|限制|问题|规范|要求|原则|心得|事项|体验|效果|优势|成本|频率|详解|对比|区别|好处)$"
)


class Casing:
    """How words are usually capitalized in a note's sentences. Titles capitalize many more words."""

    def __init__(self, prose: str) -> None:
        self._code = frozenset(re.findall(r"`(\w+)`", prose))
        prose = re.sub(r"`[^`]*`", "", prose)
        self._small = Counter(re.findall(r"\b[a-z]+\b", prose))
        self._capital = Counter(re.findall(r"(?<=[a-z,;] )[A-Z][a-z]+\b", prose))

    def plain(self, text: str, *, title: bool = False) -> str:
        """Return text with words capitalized as is usual in the note. In a `title`, unknown words are lowercased."""
        return _CAPITAL.sub(lambda word: self._plain(word[0], title), text)

    def _plain(self, word: str, title: bool) -> str:
        small = word.lower()
        lead = self._small[small] - self._capital[word]
        keep = word in self._code or lead < 0 if title else lead <= 0
        return word if keep and word != "A" else small


def definition_question(sentence: str, heading: str, casing: Casing) -> str | None:
    """Return the question that a defining sentence answers, or None if the sentence isn't a usable definition.

    The defined term must be emphasised in the sentence or appear in the heading.
    """
    if is_chinese(sentence):
        return _chinese_definition_question(sentence, heading)
    if named := _NAMED.fullmatch(sentence):
        return None if _POINTING.search(sentence) else f"What {named['verb']} {named['thing'].replace('_', '')}?"
    match = _DEFINED.match(sentence)
    if match is None or not (match["mark"] or _names(heading, match["term"])):
        return None
    after = match["rest"].lower().split()
    if len(after) < _WORDS or not _BAD.isdisjoint(after[:3]) or _NUMBERED.match(match["term"]):
        return None
    # A definition continues with a noun, marked by an article, a possessive or a plural.
    first = after[0]
    is_plural = match["verb"] == "are" and match["mark"] and first.endswith("s")
    if not (is_plural or first in ("a", "an", "the") or first.endswith(("’s", "'s"))):
        return None
    article = f"{match['article'].lower()} " if match["article"] else ""
    return f"What {match['verb']} {article}{match['term'] if match['mark'] == '`' else casing.plain(match['term'])}?"


def heading_question(heading: str, casing: Casing, *, chinese: bool) -> str | None:
    """Return a how-to question for a heading, or None. A heading that is already a question is returned."""
    heading = re.sub(r"^(?:\d+(?:\.\d+)*[.、)]?|[一二三四五六七八九十]+、)\s*", "", heading).strip()
    if heading.casefold() in NAVIGATION:
        return None
    if heading.endswith(("?", "？")):
        return heading if len(heading) > 5 else None
    if chinese:
        if heading.startswith(_SPOKEN) and len(heading) > 3:
            return f"{heading}？"
        for begins in _CHINESE_VERBS:
            thing = heading.removeprefix(begins).strip()
            if heading.startswith(begins) and len(thing) > 1 and "的" not in thing and not _NOUNS.search(thing):
                return f"如何{heading}？"
        return None
    first, _, rest = heading.partition(" ")
    title = len(_CAPITAL.findall(rest)) > len(re.findall(r"(?<!\S)[a-z]{4,}\b", rest))
    if heading.casefold().startswith("how to "):
        return f"How do I {casing.plain(heading[7:], title=title)}?"
    verb = _VERB_OF.get(first.lower())
    rest = re.sub(
        r"\b((?:and|or) )(\w+ing)\b", lambda match: f"{match[1]}{_VERB_OF.get(match[2].lower(), match[2])}", rest
    )
    if verb is None or not rest or _TWO_THINGS.search(rest):
        return None
    return f"How do I {verb} {casing.plain(rest, title=title)}?"


def is_self_contained(sentence: str, *, first: bool) -> bool:
    """Return whether a sentence refers to nothing outside its passage.

    If the sentence is the `first` one in its passage, it must not begin with a word that refers to earlier text.
    """
    sentence = " ".join(sentence.split())
    leans = first and _LEANING.match(sentence)
    return not (leans or _POINTING_ELSEWHERE.search(sentence) or sentence.endswith((":", "：")))


def instructs(text: str) -> bool:
    """Return whether a passage gives instructions."""
    return bool((_CHINESE_INSTRUCTION if is_chinese(text) else _INSTRUCTION).search(text))


def _names(heading: str, term: str) -> bool:
    """Return whether a heading contains a term, in the singular or plural."""
    stripped = ([word.strip("?:,.()") for word in text.lower().split()] for text in (heading, term))
    words, wanted = ([re.sub("(?<!s)s$", "", word) for word in words] for words in stripped)
    return any(words[at : at + len(wanted)] == wanted for at in range(len(words)))


def _chinese_definition_question(sentence: str, heading: str) -> str | None:
    if named := _NAMED_IN_CHINESE.fullmatch(sentence):
        return None if _POINTING.search(sentence) else f"{named['thing']}是什么？"
    match = _DEFINED_IN_CHINESE.match(sentence)
    if match is None:
        return None
    term = match["term"].strip()
    rest = match["rest"]
    is_named = match["mark"] or term.casefold() in (part.casefold() for part in _PARTS.split(heading))
    if not is_named or _POINTING.search(sentence[:_NEAR]) or not (match["pointed"] or _KIND_OF.match(rest)):
        return None
    return f"{term}是什么？" if CHINESE.search(term[-1]) else f"{term} 是什么？"
