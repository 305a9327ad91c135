"""The forms of questions that ask for more than one thing: what they are, why, and where in them the things stand.

The rules are held narrow on purpose. A question that is taken for exploratory by mistake costs several
searches, and parts of it that nobody meant take places among the hits; one that is missed is still searched
for as a whole. So a question that asks how or why is ordinary, and a word alone ('list', 'all', 'or', 和, 还是)
decides nothing.
"""

import re
from dataclasses import dataclass

from core.model import ExploratoryKind
from core.retrieval.traditional import compiled

COMPARES = "It compares these: {things}."
CHOOSES = "It asks to choose between these: {things}."
RELATES = "It asks how these are connected: {things}."
AFFECTS = "It asks how the first affects the second: {things}."
EVERYTHING = "It asks for everything about a subject: {words}."
SUMMARISES = "It asks for a summary: {words}."
LISTS = "It asks for a list: {words}."


@dataclass(frozen=True, slots=True)
class Rule:
    """The form of an exploratory question, and the sentence that is the reason.

    Of the pattern's groups, `sides` is parted at connectives of the kind `by`, or `a` and `b` are the two
    sides; `topic` and `rest` are said of all. Else `words` decide, and the subject is what is left without them.
    """

    kind: ExploratoryKind
    reason: str
    by: str
    pattern: re.Pattern[str]


_PARTS = {
    # Text that asks neither how nor why, up to where the rule looks on.
    "plain": r"(?:(?!为什么|为何|为啥|怎么|怎样|如何|咋|\bwhy\b|\bhow\b|还不|不管|不论|无论).)",
    # Imperatives that a terminal or a program is told, and 'how' at the end of the sentence.
    "no_task": r"(?!.*(?:怎么|如何|怎样|为什么|为何|吗$|(?:命令|方法|函数|代码|脚本|快捷键|语句|指令|正则|api|sql)$))",
    "no_files": r"(?!.*\b(?:files|folders|directories|processes|ports|tables|columns|rows|containers|images|branches"
    r"|packages|pods|services|threads|keys|elements|permutations|combinations|subsets|substrings|commits)\b)",
    "end": r"(?=$|[\s,，、.。:：;；?？!！（()]|是|在|有|之处|点|到底|及|和|与|吗|呢|总结|分析)",
    "what": r"(?:的|有(?:什么|啥|何|哪些|没有)?|是(?:什么|啥)|存在(?:什么)?)",
    "better": r"(?:better|worse|best|faster|slower|cheaper|safer|easier|simpler|healthier|good|preferable"
    r"|(?:more|less) \w+)",
    "whether": r"(?:should|shall|would|can|could|do|does)",
    "pick": r"(?:use|pick|choose|buy|get|take|learn|prefer|go with|go for|switch to|adopt|rent|install|try|start with"
    r"|order|book)",
    "choosing": r"(?:choos(?:e|ing)|decid(?:e|ing)|pick(?:ing)?|decision|choice)",
    "give": r"(?:(?:give|show|tell|get|find|send|bring)(?: me| us)? (?:of )?(?:(?:an?|the) )?)",
    "things": r"(?:[a-z][\w-]*(?<![suio])s|people|children)",
    "mine": r"(?: (?:of|the|my|our))*",
    "ways": r"(?:ways?|kinds|types|sorts|options|alternatives|methods|approaches|techniques|strategies|examples|reasons"
    r"|advantages|disadvantages|benefits|drawbacks|downsides|pros|cons|trade-?offs|features|categories|components|parts)",
    "of": r"(?:that|which|with|about|from|in|where|who|of|to|for|on|by|i|we|mentioning|related|containing|tagged|using"
    r"|involving)",
    "about": r"(?:about|on|related to|regarding|concerning)",
    "known": r"(?:know|have|wrote|learned|learnt|noted|saved|said|decided|did|do)",
    "all": r"(?:所有(?![权者制格物])|全部|一切|每一?[个篇条次本])",
    "material": r"(?:内容|资料|信息|知识|东西)",
    "notes": r"(?:笔记|记录|会议|文章|书|事项|清单|想法|项目|账号|食谱|内容|资料)",
}
"""What `<name>` in a pattern stands for."""


def _rules(kind: ExploratoryKind, reason: str, by: str, *patterns: str) -> tuple[Rule, ...]:
    return tuple(Rule(kind, reason, by, compiled(_whole(pattern), re.IGNORECASE)) for pattern in patterns)


def _whole(pattern: str) -> str:
    return re.sub(r"(?<!\?P)<(\w+)>", lambda part: _PARTS[part[1]], pattern)


RULES: tuple[Rule, ...] = (
    *_rules(
        "comparison",
        COMPARES,
        "vs",
        # Rc vs Arc; but 'one vs rest' is a classifier
        r"(?!why\b|为什么|.*\bone vs\.? (?:rest|all|one)\b)(?P<sides>.+)",
    ),
    *_rules(
        "comparison",
        COMPARES,
        "and",
        # compare A, B and C; comparison of A and B
        r"(?:compare(?: and contrast)?|contrast|comparing|comparison (?:of|between)) (?P<sides>.+)",
        # the difference between A and B; but a time difference is a number
        r"(?P<topic>(?:(?!\b(?:why|how|calculat\w+|compute|get|find|measure|subtract)\b).)*?)"
        r"(?<!time )(?<!date )(?<!phase )(?<!set )(?<!age )(?<!potential )(?<!temperature )(?<!symmetric )(?<!finite )"
        r"\b(?:differences?|distinctions?|similarit(?:y|ies)|trade-?offs?|comparisons?)"
        r"(?: and (?:differences|similarities))? (?:between|among) (?P<sides>.+)",
        # how do A and B differ; are A and B the same; A and B compared
        r"how (?:do|are) (?P<sides>.+ and .+?) (?:differ|different|compare)\b(?P<rest>.*)",
        r"are (?P<sides>.+ and .+) the same(?: thing)?",
        r"(?P<sides>.+ and .+?) (?:differences?|comparison|compared)",
        # 对比 A 和 B；but 对比度, 比较好
        r"(?:对比(?![度色学损散组实图表剂例])|辨析|比一比|比较(?!运算|操作|函数|级|器|符|法|排序"
        r"|[好多少大小高低快慢难容易贵重便长短远近常热冷新旧强弱深浅早晚久喜想适合有不优]))(?:一下|下|分析)?\s*(?P<sides>.+)",
        # A 和 B 相比
        r"(?P<sides><plain>+?)\s*(?:相比(?![于邻鄰拼])|比起来|比较起来|比较一下|对比一下)(?P<rest>.*)",
        # A 和 B 的区别；A 和 B 有什么不同；but 不同步, 区别于
        r"(?P<sides><plain>+?)(?:之间|两者|二者|俩)?\s*(?:到底|究竟|各自?|分别|主要|最大|本质)?(?:<what>\s*"
        r"(?:[两几]个|一些)?(?:主要|本质|根本|最大|具体|核心|明显|性能|使用)?上?的?(?:区别(?!对)|差别|差异|不同(?!步)|异同|不一样"
        r"|(?P<topic>优劣|优缺点|相同点|共同点))|(?:区别(?![对于])|差别|差异|异同|优劣|对比|比较))<end>(?P<rest>.*)",
        # A 和 B 是一回事吗
        r"(?P<sides><plain>+?)\s*(?:是不是|是)?(?:一样|一回事|同一个?东西)的?[吗么]?",
    ),
    *_rules("comparison", COMPARES, "to", r"(?:compare|contrast) (?P<sides>.+)"),
    *_rules(
        "comparison",
        COMPARES,
        "",
        # how does A differ from B; A compared to B
        r"(?:how|in what ways?) (?:(?:is|are|does|do|did) )?(?P<a>.+?) "
        r"(?:different (?:from|than|to)|differs? from|compares? (?:to|with|against)) (?P<b>.+)",
        r"(?P<a><plain>+?),? (?:compared|in comparison) (?:to|with|against) (?P<b>.+)",
        # rebase merge 区别；A 比 B 好在哪；A 相比 B
        r"(?P<a>[A-Za-z][\w.+#/-]*)\s+(?P<b>[A-Za-z][\w.+#/-]*)\s*<what>?(?:区别|差别|差异|异同|对比)(?:是什么|在哪里?)?",
        r"(?P<a><plain>+?)\s*比\s*(?P<b><plain>+?)\s*(?P<rest>[好强快慢贵差省](?:在哪里?|多少|在什么地方))",
        r"(?P<a>(?:(?!和|跟|与)<plain>)+?)\s*(?:相比(?![邻鄰拼])于?|相较于|较之|比起)\s*(?P<b>.+)",
    ),
    *_rules(
        "comparison",
        CHOOSES,
        "or",
        # should I use A or B; is A or B better; which is better, A or B; A or B: which ...
        r"(?P<topic>.*?)\b<whether> (?:(?:i|we|you|one) )?(?:rather )?<pick> (?P<sides>.+ or .+)",
        r"(?:is|are) (?P<sides>.+ or .+?) (?P<rest>(?:<better>|the best)\b.*)",
        r"(?:which|what)(?: one)?(?: is|'s|s)? (?P<rest><better>\b[^,:;?]*)[,:;?]* (?P<sides>.+ or .+)",
        r"(?:which|what)\b(?P<rest>[^,:;?]*)[,:;?] ?(?P<sides>[^,]+ or .+)",
        r"(?P<sides>.+ or .+?)\s*[,:;?–—-]*\s(?P<rest>(?:which|what(?:'s| is) better)\b.*)",
        r"<choosing> between (?P<sides>.+ or .+)",
        # 哪个更快，A 还是 B
        r"(?P<rest>哪[个种款家]?(?:更|比较|最)[^,，:：]{1,12})[,，:：\s]+(?P<sides>.+(?:还是|或).+)",
        # 买房还是租房；but 'still': 还是连不上, 一直还是
        r"(?!.*(?:[吗么]$|什么|谁))(?P<sides>(?:(?!还是|(?<!^)是|一直|依然|仍|但|可是|结果|后来|不知道|\S不\S)<plain>)+(?<![了过后都就却也我他她它])\s*"
        r"还是\s*(?!要[^求素点件]|[没不会得很有无能想老总太那这只需被先别]|报错|出[现错在]|提示|显示|失败|可以|应该|一样|觉得|挺|慢$|卡$|同样"
        r"|\S{1,2}不).+)",
    ),
    *_rules(
        "comparison",
        CHOOSES,
        "and",
        r"<choosing> between (?P<sides>.+)",
        # A 和 B 哪个更适合老人；but 在哪个会议室
        r"(?P<sides><plain>+?)[,，:：\s]*(?P<rest>(?:应该|该)?[选用买去学]哪一?[个种款家边]"
        r"|(?<![在到从于是])(?:哪一?[个种款家边]|[谁孰])"
        r"(?=更|比较|好|快|强|贵|便宜|适合|划算|值得|省|优|靠谱|合适|性价比|难|容易|简单|安全|稳|胜).*)",
        r"(?P<sides><plain>+?)[,，\s]*(?:应该|该|要)?(?:怎么|如何|怎样)(?:选|选择|取舍|抉择|挑)",
    ),
    *_rules(
        "comparison",
        CHOOSES,
        "",
        r"(?:is|are) (?P<a>.+?) (?P<rest><better>|[a-z]+er) than (?P<b>.+)",
        r"is it <better> to (?P<a>.+?) or (?:to )?(?P<b>.+)",
        # tea or coffee; but 'true or false'
        r"(?!(?:yes|true|now|trick|truth|do|dead|fight|sink|more|to be|all|one|two|make|swim|hit|credit|profit|this"
        r"|sooner) or\b)(?P<a>[\w+#.-]+(?: [\w+#.-]+)?) or "
        r"(?P<b>(?!(?:not|no|never|else|so|less|more|die|dare|later)\b)[\w+#.-]+)"
        r"(?P<rest> (?:for|when) .+)?",
    ),
    *_rules(
        "relation",
        AFFECTS,
        "",
        # how does A affect B; the effect of A on B
        r"(?:do|does|how (?:does|do|did|can|could|will|would|might)) (?P<a>.+?) "
        r"(?:affect|influence|impact|depend on) (?P<b>.+)",
        r"how (?P<a>.+?) (?:affects?|influences?|impacts?|depends? on) (?P<b>.+)",
        r"(?:what(?:'s| is| are) )?(?:the )?(?:effects?|impact|influence) of (?P<a>.+?) on (?P<b>.+)",
        # A 如何影响 B；A 对 B 有什么影响
        r"(?P<a><plain>{1,40}?)\s*是?(?:如何|怎么|怎样|怎么样)[去来]?影响到?\s*(?P<b>.+?)的?",
        r"(?P<a><plain>{1,40}?)\s*对\s*(?P<b><plain>+?)\s*(?:<what>|有多大|产生(?:什么)?)(?:作用和)?影响(?:是什么|有多大|有哪些)?",
    ),
    *_rules(
        "relation",
        RELATES,
        "",
        # how is A related to B; what does A have to do with B
        r"how (?:does|do|is|are|did) (?P<a>.+?) (?:relate to|(?:related|connected|linked|tied) (?:to|with)"
        r"|interact with|connect (?:to|with)|fit (?:in )?with) (?P<b>.+)",
        r"how (?P<a>.+?) (?:relates? to|(?:is|are) (?:related|connected|linked) to) (?P<b>.+)",
        r"what (?:does|do|did|has|have) (?P<a>.+?) (?:have |got )?to do with (?P<b>.+)",
    ),
    *_rules(
        "relation",
        RELATES,
        "and",
        # how do A and B work together; the relationship between A and B; but a connection that fails
        r"how (?:do|are) (?P<sides>.+ and .+?) (?:relate|related|interact|connect|connected|linked"
        r"|(?:fit|work|play|go) together|influence each other)\b(?: (?:to|with) each other)?(?P<rest>.*)",
        r"how (?P<sides>.+ and .+?) (?:are (?:related|connected|linked)|relate|fit together|work together)",
        r"(?:(?:what(?:'s| is| are)|is there) )?(?:the |an? |any )?(?:relations?|relationships?|connections?|links?"
        r"|correlations?|interplay|interactions?|association) between "
        r"(?!.*\b(?:fail|fails|drops?|times? out|timeout|refused|lost|slow|errors?|broken|closed)\b)(?P<sides>.+)",
        # A 和 B 的关系；but 联系方式, 关系怎么建
        r"(?P<sides><plain>+?)(?:之间\s*<what>?|两者\s*<what>?|<what>)\s*(?:相互|内在|因果|数学|对应|依赖|数量)?"
        r"(?:关系|关联|相关性|联系(?!方式|人|电话|我))(?=是什么|是啥|是怎样的|如何|怎样|[?？。吗么呢]|$)(?P<rest>.*)",
    ),
    *_rules(
        "summary",
        EVERYTHING,
        "",
        # everything about A; everything I know about A; what have I learned about A
        r"<give>?(?P<words>(?:summar(?:y|i[sz]e)(?: of)? )?(?:everything|anything) <about>) .+",
        r"(?:(?!\bwhy\b|\bhow\b).)*?(?P<words>\beverything (?:(?!on\b)<about>"
        r"|(?:that )?(?:i|we) <known>(?: \w+)?(?: about| on)?|there is(?: to know)? about)) .+",
        r"<give>?(?P<words>all (?:about|(?:of )?(?:the |my )?(?:information|info|material) <about>)) .+",
        r"(?P<words>what (?:do (?:i|we)(?: already)? know about|do my notes say (?:about|on)"
        r"|have (?:i|we) (?:written|learned|learnt|noted|collected|saved|got) (?:about|on))) .+",
        # 关于 A 的一切；所有关于 A 的内容；A 的来龙去脉；关于 A 我记过什么
        r"(?P<words>有?关于)\s*<plain>+?[的,，]?\s*(?:<all>的?(?:<material>|笔记)?|一切)",
        r"(?P<words><all>(?:有关|关于|与|和|跟))\s*<plain>+?(?:有关|相关)?的?<material>",
        r"[和跟与]?\s*<plain>+?(?P<words>(?:有关|相关)?的(?:<all>的?(?:<material>|笔记)|一切|来龙去脉|全貌|总览|概览))",
        r"有?关于\s*<plain>+?[,，]?\s*(?P<words>我[都还]?(?:记|写|学|知道|了解|读|存|整理)[录下]?过?了?些?什么)",
    ),
    *_rules(
        "summary",
        SUMMARISES,
        "",
        # summarise A; give me an overview of A; but 'summarise by' in R
        r"(?P<words>(?:summari[sz]e|summing up|sum up|recap)(?! (?:by|in|function|across|vs|and|verb|meeting)\b)"
        r"|<give>?(?:(?:an?|the|short|quick|brief|high-level|general) )*(?:overview|summary|recap|rundown|synopsis)"
        r" (?:of|on|about)(?: what (?:i|we) <known>(?: about| on)?)?) .+",
        r"(?P<words>(?:bring|get|catch) me up(?: to speed)? on|tl;?dr (?:of|on|for)|(?:the )?big picture of) .+",
        # 总结 A；把 A 归纳一下；A 梳理一下；but 总结会, 归纳法
        r"先?来?(?P<words>总结(?!会(?!议)|报告|陈词|文档|模板|表|语|材料|稿|性|ppt)|汇总(?!表|函数)|归纳(?!法|偏置|推理|演绎|证明)|概括(?!性)"
        r"|梳理|概述|整理(?=一下|出)|复盘(?=一下)|综述(?!论文|文章|类)|回顾(?!会|性)|盘点(?!机|库存|表))(?:一下|下|出)?\s*<no_task>.+",
        r"[把将对]<plain>+?(?P<words>(?:做一?个|进行|都|全部)?(?:总结|汇总|归纳|概括|梳理|整理|盘点)(?:一下|下|成文|起来|出来)?)",
        r"<plain>+?(?P<words>(?:总结|汇总|归纳|概括|梳理|盘点|回顾|复盘)一下)",
    ),
    *_rules(
        "list",
        LISTS,
        "",
        # list all A; give me every A; but files and processes are for a terminal to list
        r"<no_files><give>?(?P<words>(?:list|name|enumerate) (?:all|every|each|out|me|my|our|the)<mine>) .+",
        r"(?P<words>(?:give|show|tell|send) me (?:all|every|each|a list of|some examples of)<mine>) .+",
        r"(?P<words>(?:find|get|pull up|bring up) (?:all|every)<mine>) (?:notes|entries|meetings|mentions|places"
        r"|references|pages|decisions|recipes|ideas|books|people|projects|posts|quotes)\b.*",
        # what are the ways to A; what kinds of A are there; which As have I read
        r"(?P<words>what are (?:all(?! hands)(?: of)?(?: the| my| our)?|(?:the )?(?:different|various|possible)|some"
        r"|(?:the|my|our|some)(?: different| various| possible| main| other| most common| common)?(?= <ways>\b))) .+",
        r"(?P<words>(?:what|which) (?:kinds|types|sorts) of) "
        r"(?:[\w-]+|.+ (?:are there|exist|(?:have|did|do) (?:i|we)\b.*))",
        r"(?P<words>what|which) <things>\b.* (?:are there|exist)",
        r"(?P<words>which) <things>\b.*\b(?:have|did|do|should) (?:i|we)\b.*",
        r"(?P<words>what) <things>\b.*\bhave (?:i|we)\b.*",
        # all the A; all recipes with A; every book that A; but 'all the time', 'every day'
        r"<no_files>(?P<words>all (?:of )?(?:the|my|our)) (?!(?:time|way|same|right|best|rage)\b)<plain>+",
        r"<no_files>(?P<words>all) (?!(?:things|hands|systems)\b)(?:[\w-]+ )?<things> <of>\b<plain>+",
        r"(?P<words>every) (?!time|day|other|few|single day|morning|night|year|week|month)[\w-]+ "
        r"(?:that|i|we|mentioning|with|about|from|where|which|involving)\b<plain>+",
        r"(?P<words>(?:different|various|possible|other|alternative) (?:ways|methods|options|approaches)) "
        r"(?:to|of|for) .+",
        # A 有哪些；都有谁；列出 A；所有提到 A 的 B；but 所有权, 列出 A 的命令
        r"(?!.*吗$)<plain>*?(?P<words>[都还]?有哪(?:些|几[种个类样本])|都有(?:什么|啥|谁))<plain>*",
        r"(?!.*吗$)<plain>*?(?:我们?|咱们?)<plain>{0,20}?(?P<words>哪(?:些(?!天)|几[种个类样本]))<plain>*",
        r"<no_task>(?:我的)?(?P<words>列出|列举|罗列|列一下|列一?[个份])(?!的)(?:一下)?\s*.+",
        r"<no_task>(?:找出|找到|查找|列出|显示|查看|搜索|我的?)?\s*(?P<words><all>)(?!.*(?:什么|谁|多少|几)).*的.+",
        r"<no_task>(?:(?:找出|找到|查找|搜索)|我们?的?.{0,12}?)(?P<words><all>)的?.*<notes>",
    ),
)
"""What makes a question exploratory, tried in this order; the whole question has the form."""
