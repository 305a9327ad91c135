"""Break a question down into sub-queries, using the rules in this module or a language model."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from core.base.frozen import Texts, frozen
from core.base.messages import Message, message
from core.base.text import CHINESE, one_line, simplify
from core.model import NOT_NARROWING, Classified, Decomposition, ExploratoryKind, Level, SubQuery, Understood
from core.query import compared_things

# Rules for questions about more than one item. A rule has a pattern, whose groups capture the items, and a reason.
#
# The rules are deliberately narrow. A false match costs several searches and fills the results with irrelevant hits,
# while a question that matches no rule is still searched as a whole. So most questions that ask how or why match no
# rule, and a single word ('list', 'all', 'or', 和, 还是) is never enough.

COMPARES = message("The question compares these: {things}.")
CHOOSES = message("The question asks you to choose between these: {things}.")
RELATES = message("The question asks how these are connected: {things}.")
AFFECTS = message("The question asks how the first affects the second: {things}.")
EVERYTHING = message("The question asks for everything about a subject: {words}.")
SUMMARISES = message("The question asks for a summary: {words}.")
LISTS = message("The question asks for a list: {words}.")


@frozen
class ExploratoryRule:
    """A pattern for exploratory questions, and the reason to show when it matches.

    The pattern's groups determine the items. A group named `and`, `or` or `vs` is split into sides at that connective,
    while `a` and `b` are the sides themselves. `topic` and `rest` apply to all sides. In list and summary patterns,
    `subject` is the subject, and `rest` is the text after the subject.
    """

    kind: ExploratoryKind
    reason: Message
    pattern: str
    """Regular expression, with any Chinese in simplified characters. `<name>` refers to an entry in `_PARTS`."""

    @property
    def form(self) -> re.Pattern[str]:
        """The compiled pattern, which must match the whole question."""
        return _compiled(self.pattern)


# plain: one character, not at the start of a "how" or "why". no_files: excludes lists produced in a terminal.
# no_command: excludes questions about a single fact. rest: starts after a noun such as 区别, but not in the middle of
# longer words such as 对比度 and 区别于. with: excludes words such as 和平 and 和弦. mine: somebody's knowledge of a
# subject, such as 在分块方面的所有经验
# Parts of patterns. Rules refer to a part as `<name>`.
_PARTS = dict(
    line.split(" ", 1)
    for line in r"""
plain (?!为什么|为何|怎[么样]|如何|\bwhy\b|\bhow\b|不管|无论).
no_files (?!.*\b(?:files|directories|processes|tables|columns|rows|containers|branches|commits|elements)\b)
no_command (?!.*(?:命令|方法|代码|吗|谁|多少|什么)$)
what_is (?:what(?:'s| is| are) )?(?:the |any )?(?:main |key )?
better \w+er|best|worse|good|(?:more|less) \w+
pick (?:(?:use|pick|choose|buy|get|take|learn|go with) )?
give (?:(?:give|show|tell|get|find)(?: me)? )?
i (?:i|we)\b
know know|have|wrote|learned|noted|saved|decided
about about|on
notes (?:(?: of)?(?: the| my| our))?(?: notes <about>)?
lessons (?:all )?(?:of )?(?:my|our) (?:experiences?|lessons|insights|knowledge) (?:with|of|about|on|in|from)[ ]
things (?:[\w-]+ )?(?:[a-z][\w-]*s|people)\b
ways (?:ways|methods|options|approaches|kinds|types|examples|reasons|advantages|disadvantages|pros)\b
what 的|(?:有|产生)(?:什么|啥|何|哪些|没有)?|是什么
which (?:哪[个种款家]|谁)\w{0,2}?(?=更|比较|最|好|快|强|值得|适合|划算|便宜)
some 哪(?:些|几[种个类])
rest (?P<rest>(?:[是有在哪吗呢]|\W).*)?
of (?:有?关于)\s*
all (?:所有(?![权者])|全部|一切)的?
matter 内容|资料|信息|知识点?|记录|要点|笔记|材料|经验|东西
with (?:[与跟同]|和(?![平谐弦田])|<of>|有关)
known_zh 我们?所?(?:知道|了解|掌握|学过?|记过?|写过?)
known <i> (?:(?:ever|already) )?(?:<know>|learnt|understand)(?: down)?
facts (?:(?:the|my|our) )?(?:facts|knowledge|information|info|materials?|details|things|stuff)
whole everything|anything and everything|all(?: of)?(?: <facts>)?|all there is(?: to <know>)?|whatever
matters (?:有关|相关)?的<all>?<matter>
mine 我们?(?:在|对于?|关于)
field (?:这个|这)?(?:方面|领域)
learnt 的<all>?(?:经验教训|经验|教训|心得体会|心得|体会|知识|理解|看法|认识|做法|笔记)
sum_up 总结|汇总|归纳|概括|梳理|(?:整理|复盘|回顾|盘点)(?=一下)
""".strip("\n").split("\n")
)

_PART = re.compile(r"(?<!\?P)<(\w+)>")


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    while (whole := _PART.sub(lambda part: f"(?:{_PARTS[part[1]]})", pattern)) != pattern:
        pattern = whole
    return re.compile(f"(?i){pattern}")


def _rules(kind: ExploratoryKind, reason: Message, *patterns: str) -> tuple[ExploratoryRule, ...]:
    return tuple(ExploratoryRule(kind, reason, pattern) for pattern in patterns)


# All rules, in the order they are tried.
RULES = (
    *_rules(
        "comparison",
        COMPARES,
        # Rc vs Arc
        r"(?P<vs>.+)",
        # compare A, B and C; comparison of A and B; compare A to B
        r"(?:compare|contrast|comparing|comparison (?:of|between)) (?P<and>.+)",
        r"(?:compare|contrast) (?P<a>.+?) (?:to|with|against) (?P<b>.+)",
        # what's the difference between A and B; but not a time difference, which is a number
        r"(?:(?P<topic>.+?)(?:[:,] ?| (?=what)))?<what_is>(?:difference|distinction|similaritie|trade-?off)s? between "
        r"(?P<and>.+)",
        # how do A and B differ; are A and B the same; A and B compared
        r"how (?:do|are) (?P<and>.+ and .+?) (?:differ|different|compare)\b(?P<rest>.*)",
        r"are (?P<and>.+ and .+) the same(?: thing)?",
        # isn't A the same thing as B
        r"(?:is|are|isn't|aren't) (?P<a>.+?) (?:really )?the same(?: thing)? as (?P<b>[^?,]+)(?:[?,]+ *differences?)?",
        # A or B, what's the difference; A or B, how do they differ in C; A or B: what is each one good for
        r"(?P<or>.+ or .+?)\s*[,:?-]+\s*(?P<rest>(?:<what_is>difference|how (?:do|are) (?:they|these) differ"
        r"|(?:what|when|how) .*\b(?:each|both)\b).*)",
        r"(?P<and>.+ and .+?) (?:differences?|comparison|compared)",
        # how does A differ from B; A compared to B
        r"how (?:is|are|does|do) (?P<a>.+?) (?:different from|differ from|compare (?:to|with)) (?P<b>.+)",
        r"(?P<a><plain>+?),? (?:compared|in comparison) (?:to|with) (?P<b>.+)",
        # 对比 A 和 B；but not 对比度, 比较好；A 和 B 相比
        r"(?:对比(?!度)|比较(?![好多少大小高低快慢难贵]))(?:一下)?\s*(?P<and>.+)",
        r"(?P<and><plain>+?)\s*(?:相比|比起来|比较一下)<rest>",
        # A 和 B 的区别；A 和 B 有什么不同；A 和 B 各有什么优缺点
        r"(?P<and><plain>+?)\s*(?:主要|最大)?<what>?\s*(?:主要|最大|本质)?上?的?"
        r"(?:区别|差别|差异|不同|异同|不一样|对比|比较|(?P<topic>优缺点|优劣|共同点))<rest>",
        # A 和 B 差在哪；A 和 B 怎么区分；A 和 B 各放多少；A 和 B，哪个糖多哪个醋多
        r"(?P<and><plain>+?)\s*(?:差在?哪[儿里]?|(?:怎么|如何|怎样)(?:区分|分辨|辨别))<rest>",
        r"(?P<and><plain>+?)\s*(?P<rest>(?:各|分别)\S{0,3}(?:多少|什么|啥|怎[么样]|几|如何).*)",
        r"(?P<and><plain>+?)[,，\s]*(?P<rest>哪[个种]\S+哪[个种]\S+)",
        # A 和 B 是一回事吗
        r"(?P<and><plain>+?)\s*(?:是不是|是)?(?:一样|一回事|同一个东西)的?吗?",
        # rebase merge 区别；A 比 B 好在哪；A 相比 B
        r"(?P<a>[A-Z]\S*)\s+(?P<b>[A-Z]\S*)\s*<what>?(?:区别|差别|差异|异同|对比)<rest>",
        r"(?P<a><plain>+?)\s*比\s*(?P<b><plain>+?)\s*(?P<rest>[好强快慢贵](?:在哪里?|多少))",
        r"(?P<a>[^和跟与]+?)\s*(?:相比于?|相较于)\s*(?P<b>.+)",
    ),
    *_rules(
        "comparison",
        CHOOSES,
        # should I use A or B; is A or B better; which is better, A or B; A or B: which ...
        r"(?P<topic>.*?)\b(?:should <i> <pick>|is it better to )(?P<or>.+ or .+)",
        r"(?:is|are) (?P<or>.+ or .+?) (?P<rest><better>\b.*)",
        r"(?:which|what)(?: one)?(?: is)? (?P<rest><better>\b[^,:?]*)[,:?]* (?P<or>.+ or .+)",
        r"(?P<or>.+ or .+?)\s*[,:?-]*\s(?P<rest>(?:which|what(?:'s| is) better)\b.*)",
        # choosing between A and B; is A better than B
        r"(?:choos(?:e|ing)|decid(?:e|ing)|choice) between (?P<and>.+)",
        r"(?:is|are) (?P<a>.+?) (?P<rest><better>) than (?P<b>.+)",
        # tea or coffee; but not 'true or false'
        r"(?!(?:true|more|sooner)\b)(?P<a>\S+(?: \S+)?) or (?P<b>\S+)(?P<rest> (?:for|when) .+)?",
        # 哪个更快，A 还是 B
        r"(?P<rest>哪个?(?:更|比较|最)[^,，:：]+)[,，:：\s]+(?P<or>.+)",
        # 买房还是租房；应该用 A 还是 B；but not 'still': 之后还是连不上
        r"(?!.*(?:什么|吗$))(?:(?P<topic><plain>*?)(?:应该用|选择?)\s*)?"
        r"(?P<or>(?:(?!是)<plain>)+(?<!后)还是\s*(?![没不很有出会能]|觉得|\S{1,2}不).+)",
        # A 和 B 哪个更适合老人；A 和 B 怎么选；but not 在哪个会议室
        r"(?P<and><plain>+?)[,，\s]*(?P<rest><which>.*)",
        r"(?P<and><plain>+?)[,，\s]*(?:应该|该)?(?:怎么选|如何选择|[选用买]哪个)",
    ),
    *_rules(
        "relation",
        AFFECTS,
        # how does A affect B; the effect of A on B
        r"(?:how )?(?:does|do|did) (?P<a>.+?) (?:affect|influence|impact) (?P<b>.+)",
        r"<what_is>(?:effects?|impact|influence) of (?P<a>.+?) on (?P<b>.+)",
        # A 如何影响 B；A 对 B 有什么影响
        r"(?P<a><plain>+?)\s*(?:如何|怎[么样])影响\s*(?P<b>.+)",
        r"(?P<a><plain>+?)\s*对于?\s*(?P<b><plain>+?)\s*<what>(?:多大)?影响(?:是什么|有多大|有哪些)?",
    ),
    *_rules(
        "relation",
        RELATES,
        # how is A related to B; what does A have to do with B
        r"how (?:(?:does|do|is|are) )?(?P<a>.+?) (?:relates?|related|connected|linked) to (?P<b>.+)",
        r"what (?:does|do) (?P<a>.+?) have to do with (?P<b>.+)",
        # how do A and B work together; the relationship between A and B; but not a failing connection
        r"how (?:(?:do|are) )?(?P<and>.+ and .+?) (?:relate|related|interact|(?:are )?(?:connected|related)"
        r"|(?:fit|work|play|go) together)\b(?P<rest>.*)",
        r"<what_is>(?:relation(?:ship)?|correlation|interaction|(?<=the )(?:connection|link))s? between (?P<and>.+)",
        # A 和 B 的关系；but not 联系方式, 关系怎么建
        r"(?P<and><plain>+?)<what>\s*(?:\w\w)?(?:关系|关联|联系)(?:是什么|如何|怎样|吗)?",
    ),
    *_rules(
        "summary",
        SUMMARISES,
        # summarise A; give me an overview of A; but not R's 'summarise by'
        r"(?:summari[sz]e|sum up|recap) (?!(?:by|in|function)\b)(?:everything about |<lessons>)?(?P<subject>.+)",
        r"<give>(?:an? |the )?(?:short |quick |brief )?(?:overview|summary|recap|rundown) of<notes> "
        r"(?:(?:everything|what) <i> <know> (?:<about> )?)?(?P<subject>.+)",
        r"(?:bring|catch) me up(?: to speed)? on (?P<subject>.+)",
        # 总结我在 A 方面的所有经验；总结我对 A 的理解；把我在 A 方面的经验归纳一下
        r"<no_command><sum_up>(?:一下)?\s*<mine>?(?P<subject><plain>+?)<field><learnt>",
        r"<no_command><sum_up>(?:一下)?\s*<mine>(?P<subject><plain>+?)上?<learnt>",
        r"[把将]?<mine>(?P<subject><plain>+?)(?:<field>|上)?<learnt>(?:都|全部)?<sum_up>(?:一下|出来|起来)?",
        # 总结 A；把 A 归纳一下；but not 总结会, 归纳推理
        r"<no_command><sum_up>(?!会(?!议)|\S{1,2}$)(?:一下)?\s*(?:里|<all>|<of>|的)*(?P<subject><plain>+?)<matters>?",
        r"[把将]?<of>?(?P<subject><plain>+?)<matters>?<sum_up>(?:一下|出来|起来)",
    ),
    *_rules(
        "summary",
        EVERYTHING,
        # everything about A; everything I know about A; what do I know about A
        r"<give>(?:everything|all)(?: <i> <know>)? (?:about|related to) (?P<subject>.+)",
        r"what (?:do <i> know|do my notes say|have <i> (?:written|learned|noted|saved)) <about> (?P<subject>.+)",
        # all that I know of A; all my knowledge on A; everything connected with A; what I know about A
        r"<give><whole>,?(?: that| what| which)? <known> (?:of|with|<about>) (?P<subject>.+)",
        r"<give>(?:all that|what) <known> (?:of|<about>) (?P<subject>.+)",
        r"<give>(?:all(?: of)? <facts>|anything and everything|all there is(?: to <know>)?"
        r"|everything(?: there is)?(?: to <know>)?)"
        r"(?: that(?:'s| is))? (?:of|about|on|around|(?:related|connected) (?:to|with)|relating to|concerning"
        r"|to do with|regarding) (?P<subject>.+)",
        # 关于 A 的一切；与 A 相关的所有知识点；我知道的关于 A 的一切；A 的来龙去脉；关于 A 我记过什么
        r"<with>(?P<subject><plain>+?)[,，]?\s*<known_zh>的?<all><matter>?",
        r"(?:<known_zh>的?)?<with>\s*(?P<subject><plain>+?)\s*(?:有关|相关)?的?<all><matter>?(?:的?<sum_up>)?",
        r"(?:<known_zh>的)(?P<subject><plain>+?)的?<all><matter>?",
        r"我们?对于?\s*(?P<subject><plain>+?)\s*(?:方面|上)?的?<all>?(?:了解|认识|理解|知识)(?:有?多少|有哪些|都有什么)?",
        r"(?P<subject><plain>+?)\s*(?:有关|相关)?的?<all>的?(?:知识点|要点)",
        r"[把将]?<with>?(?P<subject><plain>+?)\s*(?:有关|相关)的<matter>?(?:都|全都?|全部)(?:给我|找出来|列出来|拿出来|告诉我)",
        r"<all>(?:<of>|[和与跟])\s*(?P<subject><plain>+?)(?:有关|相关)?的<matter>",
        r"<all>\s*(?P<subject><plain>+?)(?:有关|相关)?的?(?:知识点|要点)",
        r"(?P<subject><plain>+?)(?:有关|相关)?的(?:<all><matter>|一切|来龙去脉|全貌)",
        r"<of>(?P<subject><plain>+?)[,，]?\s*我都?(?:记|写|学|知道|了解)[了过]?(?:些)?什么",
    ),
    *_rules(
        "list",
        LISTS,
        # list all A; give me every A; but not files or processes, which are listed in a terminal
        r"<no_files>(?:list|name|enumerate) (?:all|every|each|my|our|the)<notes> (?P<subject>.+)",
        r"(?:give|show|tell|find|get) me (?:all|every|each|a list of)<notes> (?P<subject>.+)",
        # what are the ways to A; what kinds of A are there; which As have I read
        r"what are (?:all|(?:the )?(?:different|various|possible)|the(?: main)?(?= <ways>))<notes> (?P<subject>.+)",
        r"(?:what|which) (?:(?:kinds|types|sorts) of )?(?P<subject>.+?) (?:are there|exist)",
        r"(?:which|what(?!.* did\b)) (?P<subject><things>.*?) (?:have|did) <i>(?P<rest>.*)",
        # all my A; all recipes with A; every book that A; but not 'all the time' or 'every day'
        r"<give>all(?: my)? notes <about> (?P<subject>.+)",
        r"<no_files><give>all (?:of )?(?:the|my|our) (?P<subject><things><plain>*)",
        r"<no_files><give>all (?P<subject><things> (?:that|with|about|from|in|of|to|for|on|by|<i>)\b<plain>+)",
        r"every (?P<subject>[\w-]+ (?:that|where|about|mentioning)\b<plain>+)",
        r"(?:different|various|other) (?P<subject><ways> (?:to|of|for) .+)",
        # A 有哪些；我读过哪些 A；列出 A；所有提到 A 的 B；but not 所有权, 列出 A 的命令
        r"(?P<subject><plain>*?)(?:[都还]?有<some>|都有(?:什么|谁))(?P<rest><plain>*)",
        r"(?P<subject><plain>*?我<plain>*?)<some>(?P<rest><plain>*)",
        r"<no_command>(?:列出|列举|列一下|列个)<all>?\s*(?P<subject>.+)",
        r"<no_command>(?:找出|查找)?<all><of>?(?P<subject>.+的.+)",
        r"(?:找出|查找|我的?)<all>(?P<subject><plain>+)",
    ),
)


if TYPE_CHECKING:
    from core.providers.chat import Chat

# A question's level.

SIMPLE = message("This is a single question and is not broken down.")

# Polite openings, removed before the rules are tried.
_POLITE = re.compile(
    r"(?i)(?:(?:please|ok|so|can you|could you|help me|i(?: want| need|'d like| would like)(?: to)?|explain)\b[\s,]*"
    r"|(?:请问|请|麻烦你?|帮我|帮忙|给我|能不能|我?想知道|我想|告诉我|问一?下|说一?下|讲讲|解释一?下)[\s,，]*)+",
)

# Maximum number of characters shown in the reason for each compared item.
_SHOWN = 60


@frozen
class Recognised:
    """A question recognised by a rule. `things` holds the items it names, or just the subject of a list or summary."""

    kind: ExploratoryKind
    reason: Message
    things: Texts
    shared: str
    chinese: bool


def classify(understood: Understood, match: Recognised | None) -> Classified:
    """Return a question's level with the reason. `match` is the result of `recognise`."""
    if match:
        return Classified("exploratory", match.reason)
    narrowing = []
    for term in understood.terms:
        if term.kind not in NOT_NARROWING:  # written in query language syntax
            value = f'"{term.value}"' if term.kind == "phrase" or " " in term.value else term.value
            minus = "-" if term.negated or term.kind == "excluded" else ""
            name = "" if term.kind in ("phrase", "excluded") else f"{term.field or term.kind}:"
            narrowing.append(f"{minus}{name}{value}")
    if narrowing:
        return Classified("focused", message("The question narrows the search: {words}.", words=" ".join(narrowing)))
    return Classified("simple", SIMPLE)


def recognise(text: str, phrases: Sequence[str] = ()) -> Recognised | None:
    """Match a question against the rules. Return the match of the first rule that fits, or None if no rule fits.

    Each phrase counts as a single name, whatever words it contains.
    """
    if len(text) > MOST_CHARACTERS:
        return None
    # Replace each phrase with a private-use character.
    question = " ".join(text.replace("’", "'").split())
    names = {}
    for number, phrase in enumerate(sorted(phrases, key=len, reverse=True), compared_things.FIRST_NAME):
        plain = " ".join(phrase.replace("’", "'").split())
        if plain and number <= compared_things.LAST_NAME:
            names[number] = phrase
            question = question.replace(plain, chr(number))
    question = question.strip(" ?？.。!！,，")
    polite = _POLITE.match(simplify(question))
    question = question[polite.end() :] if polite else question
    plain = simplify(question)
    for rule in RULES:
        if (match := rule.form.fullmatch(plain)) and (named := _named_things(match, question)):
            things = tuple(thing.translate(names) for thing in named.things)
            # The words that make the question a list or a summary: all but the subject.
            subject = [match.span(name) for name in ("subject", "rest") if match.groupdict().get(name)]
            words = "…".join(filter(None, map(str.strip, compared_things.cut(question, subject)))).translate(names)
            reason = replace(rule.reason, fields={"things": list(map(_quote, things)), "words": _quote(words)})
            return Recognised(rule.kind, reason, things, named.shared.translate(names), bool(CHINESE.search(question)))
    return None


def _named_things(match: re.Match[str], question: str) -> compared_things.ComparedThings | None:
    """Return the sides named by a matched question, or the subject of a list or summary, or None if there are none."""
    groups = {name: question[slice(*match.span(name))] for name in match.re.groupindex}
    topic = groups.pop("topic", "")
    rest = groups.pop("rest", "")
    if "subject" in groups:
        subject = " ".join(f"{groups['subject']}{rest}".split()).strip(" ,，、的:：")
        return compared_things.ComparedThings((subject,)) if subject else None
    if "a" in groups:
        return compared_things.split_sides([groups["a"], groups["b"]], [topic], [rest])
    ((connective, text),) = groups.items()
    return compared_things.split(text, connective, topic=topic, rest=rest)


def _quote(text: str) -> Message:
    return message("'{text}'", text=text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…")


# Names of sub-queries for one side, the subject, both sides, or a part suggested by a language model.
SIDE, SUBJECT, BOTH, PART = message("one side"), message("the subject"), message("both sides"), message("a part")
# Name of a sub-query that is the whole, undivided question.
WHOLE = message("the whole question")

# Aspects to append to the subject of a list or summary, each in English and in Chinese.
ASPECTS = {
    "list": ((message("kinds"), "种类"), (message("examples"), "例子")),
    "summary": (
        (message("definition"), "是什么"),
        (message("how to"), "怎么做"),
        (message("examples"), "例子"),
        (message("problems"), "问题"),
    ),
}

TASK = """You take a question to someone's notes apart into smaller questions that are searched one by one.
You are given JSON: "question", and "most", the largest number of smaller questions.
Each smaller question stands by itself, names the thing it is about in the question's own words and language, and \
asks for one thing. Add nothing that isn't asked.
Reply with one JSON list of strings only, such as ["backups of the database", "backups of the photos"]."""

# Maximum number of characters in a question to match against the rules, or in a language model's sub-query.
MOST_CHARACTERS = 300


def classify_question(understood: Understood, level: Level) -> tuple[Classified, Decomposition | None]:
    """Return a question's level and its decomposition. The decomposition is None unless the question is exploratory.

    If `level` is `auto`, the rules determine the level.
    """
    match = recognise(understood.text, understood.quoted) if level in ("auto", "exploratory") else None
    result = Classified(level, message("You chose this kind of search."))
    if level == "auto":
        result = classify(understood, match)
    if result.level != "exploratory" or not understood.text.strip():
        return result, None
    return result, decompose(match) if match else Decomposition("summary", (SubQuery(understood.text, WHOLE),))


def decompose(match: Recognised, *, limit: int = 6) -> Decomposition:
    """Decompose an exploratory question into at most `limit` parts.

    A comparison yields one part per side, each with the shared text added. A relation also yields a part with both
    sides. A list or summary yields the subject alone, followed by the subject with each aspect. Phrases are never
    split.
    """
    return Decomposition(match.kind, drop_repeats(_parts(match), limit))


def decompose_by_model(text: str, kind: ExploratoryKind, chat: "Chat", *, limit: int = 6) -> Decomposition:
    """Decompose a question with a language model.

    Raises ProviderError if the model fails or doesn't answer with a list of questions.
    """
    answer = _strings(chat.ask(TASK, {"question": text, "most": limit}))
    whole = " ".join(text.split()).casefold()
    parts = drop_repeats((SubQuery(part, PART) for part in answer if part.casefold() != whole), limit)
    if not parts:
        raise chat.server.unusable("didn't return a list of smaller questions")
    return Decomposition(kind, parts, by=chat.server.model)


def _parts(match: Recognised) -> Iterable[SubQuery]:
    if match.kind in ("list", "summary"):
        (subject,) = match.things
        yield SubQuery(subject, SUBJECT)
        for aspect, in_chinese in ASPECTS[match.kind]:
            yield SubQuery(
                f"{subject} {in_chinese if match.chinese else aspect}", message("aspect: {aspect}", aspect=aspect)
            )
        return
    for thing in match.things:
        yield SubQuery(f"{thing} {match.shared}".strip(), SIDE)
    if match.kind == "relation":
        yield SubQuery(" ".join((*match.things, match.shared)).strip(), BOTH)


def drop_repeats(parts: Iterable[SubQuery], limit: int) -> tuple[SubQuery, ...]:
    """Return at most `limit` sub-queries, without those that repeat the text of an earlier one."""
    first: dict[str, SubQuery] = {}
    for part in parts:
        first.setdefault(part.text.casefold(), part)
    return tuple(first.values())[:limit]


def _strings(answer: str) -> list[str]:
    """Return the last JSON list of strings in a reply, or an empty list if there is none."""
    from core.providers.chat import values  # imported here because it takes 0.2 s

    for strings in values(answer, r"\["):
        if strings and all(isinstance(part, str) and len(part) <= MOST_CHARACTERS for part in strings):
            return [line for line in map(one_line, strings) if any(map(str.isalnum, line))]
    return []
