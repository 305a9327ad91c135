"""Questions, Markdown and front matter at random."""

from random import Random

_SCRIPTS = (
    "redis",
    "Redis缓存",
    "数据库",
    "數據庫",
    "ＲＥＤＩＳ",
    "カタカナ",
    "한국어",
    "שלום",
    "مرحبا",
    "🔥",
    "👩‍👩‍👧",
    "é",
    "e\u0301",
)
ODD = (
    "\u202e",
    "\u200d",
    "\0",
    "\x07",
    "\x1b[31m",
    "\ufeff",
    "\u2028",
    "\x85",
    "\x0c",
    "\xa0",
    "\u3000",
    "\ud800",
    "\udcff",
)

_QUESTION = (
    *_SCRIPTS,
    *ODD,
    *'" “ ” 「 」 \' - -- -" * ( ) { } [ ] ^ : ： , ， . ; \\ / | & % _ + # ~ ` < > = ! ? ？'.split(),
    *"AND OR NOT NEAR( rowid body: title: NULL tag: -tag: in:a section:b has:code has:x path:* base:x status:".split(),
    *"after:2020 after:9999-99-99 before:2030-02-31 created:2024..2025 标签：x status:active #tag type:a,b".split(),
    *"最近一个月 上周 last-30-days yesterday vs 对比 和 的区别 总结 the of and what how list all about model".split(),
    "; DROP TABLE notes; --",
    "../../etc/passwd",
    "{0} {n} %s",
    "<script>",
    "x" * 500,
    "很" * 300,
)

_LINES = (
    *("# ", "## ", "###### ", "#", "=", "===", "---", "- ", "* ", "1. ", "- [ ] ", "- [x] ", "> ", ">", "> [!note]- "),
    *("```", "```mermaid", "~~~~", "$$", "$", "%%", "|a|b|", "|-|-|", "|", "    ", "\t", "<details>", "</details>"),
    *("<summary>", "<!--", "-->", "<div>", "<script>", "<img src=x onerror=alert(1)>", "<pre>", "[^1]: ", "[a]: b"),
)
_SPANS = (
    *_SCRIPTS,
    *(
        "[[",
        "]]",
        "[[a|b]]",
        "[[a#b]]",
        "![[x.png]]",
        "[a](b.md)",
        "[a](",
        "![](http://x)",
        "](",
        "[",
        "]",
        "(",
        ")",
        "`",
    ),
    *(
        "``",
        "**",
        "*",
        "_",
        "__",
        "~~",
        "==",
        "#tag",
        "#a/b",
        "#",
        "&amp;",
        "&#xD800;",
        "&#0;",
        "\\",
        "<",
        ">",
        "http://a",
    ),
    *("word", "Word.", "RefCell ", "a. ", "。", "，", "1.2.3", " ", "  ", "\u200b"),
)
_ENDS = ("\n", "\n", "\n\n", "\r\n", "\r", "\n\n\n", "", " \n", "\u2028", "\x0b", "\x0c", "\x85")

_KEYS = (
    *"title tags tag aliases category type project scope created updated date priority status url own".split(),
    *("标签", "", "a b", "? x", "<<", "=", "- ", "[x]", "{x}", "*x", "&x a", "!!str k", "'", '"'),
)
_TAGS = (
    *"timestamp bool int float null binary set omap pairs seq map str merge value".split(),
    *("python/object/apply:os.system", "x"),
)
_VALUES = (
    *_SCRIPTS,
    *ODD,
    *"~ null yes no on true 1 -1 +1 0x1f 0b1 0o7 0777 1_000 1:30 1:x .5 1e400 .inf -.nan + - = <<".split(),
    *'2024-01-02 2024-13-45 2024-1-2T3:4:5Z 0000-00-00 9999-12-31T23:59:60+99:99 \'\' "\\ud800" "\\x00"'.split(),
    *(
        "[a, b]",
        "[",
        "]",
        "{a: b}",
        "{",
        "}",
        "[[[[a]]]]",
        "- a\n  - b",
        "|\n  text\n",
        ">-\n  text",
        "&x a",
        "*x",
        "# x",
    ),
    *("? a\n: b", "a: b", "\t", "%YAML 1.1", "---", "...", "@a", "`", "!", "!!", "!<x>", "'", '"', "9" * 400, "[" * 30),
)


def question(chance: Random) -> str:
    """Return pieces of the query language, of FTS5 and of scripts in any order, characters at random, or very many."""
    kind = chance.random()
    if kind < 0.02:
        return (chance.choice(_QUESTION) + chance.choice(("", " "))) * chance.randrange(1, 3000)
    if kind < 0.25:
        return "".join(chr(chance.randrange(0x20, 0x3000)) for _ in range(chance.randrange(80)))
    return chance.choice(("", " ")).join(chance.choices(_QUESTION, k=chance.randrange(25)))


def markdown(chance: Random) -> str:
    """Return lines of Markdown's marks in any order, one mark very often, or many lines of words between marks."""
    kind = chance.random()
    if kind < 0.05:
        piece = chance.choice(_LINES) + chance.choice(_SPANS) * chance.randrange(2) + chance.choice(_ENDS)
        return piece * chance.randrange(1, 10_000)
    long = chance.random() < 0.1
    lines = []
    for _ in range(chance.randrange(40)):
        opened = "".join(chance.choices(_LINES, k=chance.choice((0, 0, 1, 1, 2, 3))))
        words = chance.choices(_SPANS, k=chance.randrange(300 if long else 12))
        lines.append(opened + chance.choice(("", " ")).join(words) + chance.choice(_ENDS))
    if kind > 0.9:
        lines += [chr(chance.randrange(1, 0xD7FF)) for _ in range(200)]
    return "".join(lines)


def front_matter(chance: Random) -> str:
    """Return YAML of keys, tags and values in any order, some lines of it out of place."""
    lines = []
    for _ in range(chance.randrange(1, 8)):
        value = chance.choice(_VALUES)
        if chance.random() < 0.4:
            value = f"!!{chance.choice(_TAGS)} {value}"
        if chance.random() < 0.1:
            value = chance.choice((f"[{value}, {value}]", f"{{a: {value}}}", f"\n  - {value}\n  - {value}", value * 50))
        indent = " " * chance.choice((0, 0, 0, 0, 1, 2))
        lines.append(f"{indent}{chance.choice(_KEYS)}{chance.choice((':', ': ', ': ', ': ', ''))}{value}")
    if chance.random() < 0.1:
        lines.append("".join(chr(chance.randrange(0x20, 0x500)) for _ in range(40)))
    return "\n".join(lines)
