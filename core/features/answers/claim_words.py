"""The words by which a claim is read: its negations, modality, comparison, order and opposites, in two languages.

Each class is a list of patterns; the first class that matches at a place wins. NUMBER and PEOPLE are the two
patterns below.
English is compared in small letters, with `n't` written as ` not`. White space divides patterns, `_` is a space.
"""

NUMBER = (
    r"(?:\d|(?:two|three|four|five|six|seven|eight|nine|ten|twelve|twenty)\b"
    r"|an?_(?:second|minute|hour|day|week|month|year)\b|[一二两三四五六七八九十百千万半])"
)
PEOPLE = r"\b(?:you|we|they|users?|people|anyone|everyone|admins?|members?|guests?|editors?|adults?|children)\b"

WORDS: dict[str, str] = {
    # What looks like another class and says nothing of its kind.
    "nothing": r"""
not_(?:only|just|merely|simply|to_mention) whether_or_not no_matter regardless_of no_doubt no\._?(?=\d)
under_any_circumstances in_any_case any_?(?:longer|more)\b at_all\b close_to more_and_more more_or_less\b
of_course by_all_means needless_to_say may_\d (?<=\d_)may after_all let'?s must-have a_little (?<!only_)a_few
last_(?:for|\d) 不仅 不但 不光 不只 不单 无论 不论 不管 是否 能否 可否 不断 不久 不少(?!于) 不错 不锈钢 不等
returns?_none\b 不妨 对不起 差不多 没关系 不好意思 不禁 不已 无线 无数 无非 非常 非洲 未来 别人 别的 特别 区别 级别 类别
分别 鉴别 识别 性别 个别 告别 不得了 了不起 不时 不由 (?P<same>\S)[不没](?P=same) 有没有 可不可以 前提 需求
(?<=[的有])才能 所能 只要
应用 反应 适应 响应 供应 效应 对应 [能性智技职节机功]能 能[力量源耗] 许可 认可 可[靠见视是口乐读信] 目前
当前 前[端面景者后缀台往] 后[端台面缀果者续备] [背今落]后 时[间刻区钟长常期代效段光]
[同及实小临随定计按准超延暂平]时 没错 如下 热水 免费 大小 多少 无锡 不同步骤
""",
    "double": r"""
can_?not_(?:help|do_without) never_(?:forget|fail)_to not_(?:forget|fail|neglect|omit)_to indispensable 不得不
不能不 不可不 必不可少 不可或缺 不可缺少 缺一不可 [别勿不][要能可]?忘[记了]? 不可避免 难免
""",
    "optional": r"""
(?:do|does|did|is|are|was|were|will|would)_not_(?:\w+_){0,2}?(?:need|have_to|require|necessary|mandatory|compulsory)\w*(?:_to)?
need_not (?:not|never|nor)_(?:need|require|necessary|mandatory|obligatory|compulsory|have_to)\w* no_need
(?:needs?|requir\w+|needing)_no\b without_(?:having|needing|the_need)_to without_(?:needing|requiring)
unnecessary un(?:needed|required) optional(?:ly)? no_\w+(?:_\w+)?_(?:is|are)_(?:needed|required|necessary)
选填 [不无毋]必(?!须) [不无毋]必须 [不无毋]须 [不无毋]需要? 不强制 不用(?![的于来]) 没有?必要
不(?:一定|强制)?(?:要求|是必[须需要]) 并?非必[须需] 可选 用不着 不一定非?要
""",
    "least": r"""
(?:not|no|never)_(?:be_|fall_|go_|drop_)*(?:below|under|(?:less|fewer|lower|shorter|smaller|earlier|younger)_than)
at_least a_minimum_of minimum or_(?:more|higher|later|newer|older|above|longer|greater|over)\b
and_(?:up|above|over|older|newer|later)\b >= ≥ 至少 最少 起码 最低 最短 下限 不下(?=\d)
不(?:应该|[得能可应会宜要])?(?:少于|低于|小于|短于|早于) (?<=\d年)起
""",
    "most": r"""
(?:not|no|never)_(?:be_|go_|last_|take_)*(?:over|above|beyond|exceed\w*|(?:more|longer|greater|higher|larger|bigger|later|older)_than)
at_(?:the_)?(?:very_)?most a_maximum_of up_to\b(?!_date)
or_(?:less|fewer|lower|below|shorter|earlier|younger|under|smaller)\b maximum max\b within(?=_\w*_?NUMBER)
limit(?:ed)?_(?:is|of|to) <= ≤ 不(?:应该|[得能可应会宜要])?(?:超过|多于|高于|大于|晚于|长于|超出) 至多 最多 最大
最高 最长 顶多 以内 之内 上限 (?<=[天时周钟秒年月])内
""",
    "above": r"[及或]?以上",
    "below": r"[及或]?以下",
    "more": r"""
(?:more|longer|larger|bigger|higher|greater|older|later|hotter|heavier|farther|further)_than(?=_\S?(?:\w+_)?NUMBER)
newer_than(?=_\S?(?:\w+_)?NUMBER)(?!_NUMBER\w*_(?:second|minute|hour|day|week|month|year))
exceed\w* over(?=_(?:\w+_)?NUMBER) above(?=_(?:\w+_)?NUMBER) beyond(?=_(?:\w+_)?NUMBER) >(?=_?\d) 超过 多于 高于
大于 超出 长于 晚于
""",
    "less": r"""
(?:less|fewer|lower|smaller|shorter|younger|earlier|colder)_than(?=_\S?(?:\w+_)?NUMBER)
newer_than(?=_NUMBER\w*_(?:second|minute|hour|day|week|month|year))
under(?=_(?:\w+_)?NUMBER) below(?=_(?:\w+_)?NUMBER) <(?=_?\d) 少于 低于 小于 短于 早于 不到 不足(?=\d) 未满 不满
""",
    "should": r"""
should ought_to supposed_to recommend\w* advis\w+ (?:had|is|it's)_better(?:_to)? best_to suggest\w* 应该 应当
应(?!急) 建议 推荐 最好 宜(?!家) 提倡
""",
    "maybe": r"""
might perhaps maybe possibly possible_that probably potentially likely(?:_to)?
(?:can|could|may)(?=_(?:\w+ly_)?(?:cause|lead|result|damage|harm|hurt|fail|lose|break|corrupt|crash|irritate|burn))
(?:can|could|may)(?=_(?:\w+ly_)?(?:trigger|worsen|delay|happen|occur|explode|kill|spoil|make_you|overwrite|leak|slow))
(?:can|could|may)(?=_be_(?:lost|fatal|dangerous)) 有?可能(?:需要?|要)? 也许 或许 大概 说不定 没准
""",
    "can": r"""
PEOPLE_may may_PEOPLE \bcan\b (?:is_|are_|be_)?able_to allow(?:s|ed|ing)? permit(?:s|ted)? \blets?_PEOPLE
possible capable free_to support(?:s|ed)? 可以 能够 允许 支持 准许 能 可(?!能)
""",
    "may": r"\bmay\b \bcould\b",
    "must": r"""
\bmust\b ha(?:ve|s)_to \bneed(?:s|ed)? requir\w+ necessary mandatory obligatory compulsory obliged \bshall\b
essential be_sure_to make_sure 必须 必需 需要 需 一定要 务必 务请 须 必[填选备] 必要 强制 非得 得先
""",
    "only": r"\bonly\b(?!_a_few) solely exclusively nothing_but none_but no_one_but 仅仅? 只(?!是) 唯一 唯有",
    "just": r"才[能可会]",
    "some": r"""
not_(?:all\b|every\w*|always) sometimes occasionally \bsome_(?:of\b|\w+s\b) partly partially at_times
(?:不是|并非|不|非)(?:所有|每|全部|都|总是?|完全) 有时候? 偶尔 有些 有的 某些 部分(?!_)
""",
    "often": r"""
usually mostly \bmost\b often generally typically normally frequently 通常 一般 往往 大多数? 大部分 经常 常常
多半 多数
""",
    "all": r"""
\balways\b \ball\b(?!_but) \bevery\w* \beach\b \bany\b entire whole\b 总是 始终 一直 所有 每 全部 一律 任何 全都
凡是 永远
""",
    "before": r"\bbefore(?:hand)?\b prior_to ahead_of in_advance 之前 以前 提前 事先 预先 前(?![进方天沿置])",
    "after": r"\bafter(?:wards?)?\b \bonce\b(?!_(?:a|per|every|daily)) 之后 以后 过后 后(?![退门代悔天])",
    "row": " ".join(f"(?<=先[^，,。]{{{n}}})再" for n in range(1, 7)),
    "then": r"\bthen\b 然后 接着 随后 (?<=[，,])再",
    "than": r"\bthan\b 比(?![如较例赛])",
    "except": r"""
\bunless\b except(?:ing)?\b apart_from other_than exclud\w+ (?<=all_)but with_the_exception_of
(?<=everything_)but (?<=everyone_)but (?<=nothing_)but
but(?=_the_(?:first|last|latest|oldest|newest)_(?:\w+_)?(?:are|is|was|were)\b)
除非
除(?![法以])(?=[^，,。；]{1,20}[，,外])(?![^。；]{1,24}[还也])
""",
    "instead": r"instead_of rather_than 而不是 而非",
    "without": r"""
\bwithout\b (?:that|which|who)_(?:do|does|did|are|is|has|have)_not\b(?:_(?:use|have|hold|contain))? 不经过?
""",
    "cannot": r"""
impossible \b(?:is_|are_|be_)?unable_to \bfail(?:s|ed)?_to\b 无法 不可能
""",
    "forbidden": r"""
\bforbid\w* forbade prohibit\w* \bban(?:s|ned)?\b disallow\w* contraindicat\w+ 禁止 严禁 禁(?=[食烟忌酒])
(?<=[妇者童人婴])禁用 忌 切勿 请勿 不得 不许 不准
""",
    "not": r"""
\bnot\b \bnever\b \bno\b(?:_longer|_one)? \bnone\b \bnobody\b \bnothing\b \bnowhere\b \bneither\b \bnor\b 不
没有? 无 未(?!来) 勿 莫 别 毫无 从未 并未 未必
""",
    "lacks": r"""
\bnon-? \w+-free\b free_(?:of|from)\b \bout_of(?!_(?:the_box|\d|NUMBER|memory|order|date|sync|space|time))\b
\b(?:stop(?:s|ped|ping)?|quit|quits|ceas\w+)_\w+ing\b (?:stay|keep|leave|left|leaves)_(?:out|away|off)
\b(?:den(?:y|ies|ied)|against)\b \btoo_\w+_(?:to|for)\b
\b(?:avoid|prevent|refus|reject|lack|absen|missing\b|fail|unable|refrain|seldom|rarely)\w*
\b(?:hardly|scarcely|barely|forg[eo]t|ignor|omit|skip|insuffic|offline)\w*
\bun(?!der|til|i|less|do|lock|load|plug|install|mount|block|subscri)[a-z]{3,}
\bin(?=valid|correct|complete|active|visible|secure|compatible|accurate|appropriate)[a-z]+
\bin(?=edible|capable|consist|accessible|effective|eligible|depend)[a-z]+ \bim(?=prop|mutab|perfect)[a-z]+
\bir(?=revers|relev|regul|recover)[a-z]+ \billegal\w* \bdis(?=connect|agree|continu|appear|courag)[a-z]+
\b(?:harm(?!less)|damag|hurt|ruin|destroy|spoil|kill)\w* \b(?:use|pain|limit|end|care|cord|time|stain)less\b 伤
损[坏害] 破坏 毁 only_a_few (?<!a_)few(?=_\w) 少数 避免 防止 以免 免得 以防 阻止 难以 拒绝 失败 缺[少乏失] 很少
忘记? 忽略 忽视 省略 跳过 遗漏 非(?!得) 免(?=[洗]) 脱机 离线 漏掉
""",
}

OPPOSITES: dict[str, tuple[str, str]] = {
    "off": (
        r"""
disabl\w+ \boff\b clos(?:e|es|ed|ing)\b shut(?:s|ting)?\b deactivat\w+ stop(?:s|ped|ping)?\b quit\w* halt\w*
ceas\w+ 禁用 停用 关闭 关掉 关(?=[火机电灯上门窗了]) 停止 停下 停 中止 终止 断开
""",
        r"""
enabl\w+ (?:turn|switch)(?:s|ed|ing)?(?:_it|_them)?_on\b
\b(?:is|are|be|was)_on(?=[.,;]|$|_(?:by|in|when|during|for)\b) activat\w+ \bopen\w* start(?:s|ed|ing)?\b
begin\w* \bkeep_\w+ing continu\w+ resum\w+ 启用 打开 开启 启动 开始 开(?=[火机电灯门窗着]) 继续 激活 恢复
""",
    ),
    "fewer": (
        r"""
reduc\w+ decreas\w+ lower(?:s|ed|ing)?\b \bless\b \blittle\b \bfewer\b shrink\w* shorten\w* shorter smaller
minimi[sz]\w+ \blow\b \bsmall\b \bshort\b drop(?:s|ped)?\b fall(?:s|ing)?\b 减少 降低 减小 缩短 下降 更少 更低
更小 更短 变小 变少 较少 较低 较小 低(?!于) 小(?![于心组]) 短(?!信) 少(?!于) 减
""",
        r"""
increas\w+ rais(?:e|es|ed|ing)\b rise(?:s|n)?\b \bmore\b(?!_than) grow\w* lengthen\w* longer larger bigger
higher maximi[sz]\w+ \bhigh\b \blarge\b \bbig\b \blong\b 增加 提高 提升 增大 延长 上升 升高 更多 更高 更大 更长
变大 变多 较多 较高 较大 高(?!于) 大(?![于小]) 加大
""",
    ),
    "slow": (r"slow\w* 慢", r"\bfast\w* quick\w* rapid\w* speed\w* 快(?!捷键) 迅速 加速"),
    "cold": (
        r"cold(?:er)?\b cool\w* chill\w* frozen freez\w+ fridge refrigerat\w+ 冷 凉 冰",
        r"\bhot(?:ter)?\b warm\w* heat\w* boil\w* 热 温(?!度) 烫",
    ),
    "bad": (
        r"\bbad\w* \bwors\w+ \bpoor\w* \bwrong\w* 坏 差(?![别异距]) 糟 恶化 错误",
        r"\bgood\b \bbetter\b \bbest\b \bwell\b \bcorrect\w* \bright\b improv\w+ 好 更佳 正确 改善",
    ),
    "lost": (
        r"\blos(?:e|es|t|ing|s)\b discard\w* delet\w+ remov\w+ eras\w+ 丢 遗失 失去 流失 删 移除 清除",
        r"\bke(?:ep|eps|eping|pt)\b retain\w* preserv\w+ \badd(?:s|ed|ing)?\b restor\w+ 保留 留下 添加 加入 保持 恢复",
    ),
    "hidden": (r"\bhid(?:e|es|den|ing)\b 隐藏", r"\bshow(?:s|n|ed|ing)?\b display\w* visibl\w+ 显示 可见 展示"),
    "last": (r"\blast\b \bnewest\b \blatest\b 最后 最新", r"\bfirst\b \boldest\b 最先 首先 第一 最早 最旧"),
    "manual": (r"manual\w* by_hand 手动 手工 人工", r"automat\w+ by_itself 自动"),
    "apart": (
        r"differ\w* separate\w* \bapart\b 不同 不一样 分开 单独",
        r"\bsame\b identical\w* \bequal\w* together 相同 一样 一起 同样",
    ),
    "empty": (r"\bempty\b 空(?![间格气调])", r"\bfull\b 满 饱"),
    "out": (r"\boutside\b outdoors 室外 户外 外面", r"\binside\b indoors 室内 户内 里面"),
    "down": (r"\bdown\b downgrad\w+ 降级 向下 下移", r"\bup\b upgrad\w+ upwards? 升级 向上 上移"),
    "hard": (r"\bhard(?:er)?\b difficult 困难 难", r"\beas(?:y|ily|ier)\b simpl\w+ 容易 简单 轻松"),
    "late": (r"\blate\b \blater\b(?!_than) 晚(?![上饭餐])", r"\bearl(?:y|ier)\b 早(?![上饭餐])"),
    "private": (r"privat\w* 私有 私密", r"\bpublic\w* 公开 公共"),
    "danger": (r"danger\w* risky 危险", r"\bsafe\w* 安全"),
    "old": (r"\bold(?:er)?\b 旧", r"\bnew(?:er)?\b 新(?!建)"),
    "raw": (r"\braw\b 生(?=[吃食的鸡肉鱼])", r"\bcooked\b 熟 煮过"),
    "dry": (r"\bdry\w* \bdried\b 干(?=[燥的布])", r"\bwet\b moist\w* damp 湿"),
    "remote": (r"\bremote\w* \bcloud\b 远程 云端", r"\blocal\w* 本地 本机"),
    "left": (r"\bleft\b 左", r"\bright\b 右"),
    "thin": (r"\bthin\w* 薄 稀", r"\bthick\w* 厚 稠"),
    "import": (r"\bexport\w* \bdownload\w* 导出 下载", r"\bimport\w* \bupload\w* 导入 上传"),
    "encrypted": (r"\bdecrypt\w* 解密", r"\bencrypt\w* 加密"),
    "plug": (r"\bunplug\w* 拔", r"\bplug\w* 插"),
    "install": (r"\buninstall\w* \bunmount\w* 卸载", r"\binstall\w* \bmount\w* 安装 挂载"),
    "block": (r"\bblock(?:s|ed|ing)?\b 屏蔽 封锁", r"\bunblock\w* 解封"),
    "subscribe": (r"unsubscri\w+ 退订", r"\bsubscri\w+ 订阅"),
    "pass": (r"驳回 否决", r"\baccept\w* approv\w+ 接受 批准 采纳 通过(?=[了审])"),
    "lock": (r"\bunlock\w* 解锁", r"\block\w* 锁(?!屏)"),
    "loosen": (r"loosen\w* 松", r"tighten\w* 拧紧 紧"),
}
"""Words of opposite meaning: a sentence with one for the other says as much as one with another negation."""

BREAKS: dict[str, str] = {
    "contrast": r"""
[.!?;](?=\s|$) [。！？；\n] \bbut\b \bhowever\b \bwhereas\b \balthough\b \bthough\b \byet\b 但是? 而是 然而
而(?=[不在用]) 却 反而 不过 虽然 尽管
""",
    "if": r"""
\b(?:if|when|whenever|while|during|in_case|as_long_as|as_soon_as|where)\b 如果 若(?!干) 倘若 假如
当(?![天地日作成中]) 一旦
""",
    "then if": r"的?时候? 的?情况下 的话 期间 就(?=[不没别无会])",
    "otherwise": r"\b(?:otherwise|or_else)\b 否则 不然 要不然?",
    "clause": r"""
[,()，（）](?!\d) \b(?:because|since|so|which|therefore|thus)\b 因为 由于 所以 因此 从而
\band(?=_(?:do|does|is|are|was|were|must|should|can|may|will|never|not|no|need|you|it|they|then|has|have|only|always)\b)
(?:并且|而且|也|且|并|又|还)(?=[会要请应可]{0,2}(?:[不没勿别无]|必须|禁止|可以|应))
""",
}
