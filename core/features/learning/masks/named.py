"""Find secrets by the name before them in settings, code, URLs, flags, sentences, XML, pairs and tables."""

import re
from collections.abc import Iterable, Iterator
from itertools import islice, pairwise
from urllib.parse import unquote

from core.base.text import CJK
from core.features.learning.masks.spans import Match, Regex, Secrets, SecretSpan
from core.features.learning.masks.values import (
    HINTS,
    LONGEST,
    MOST,
    OTHER,
    OTHER_NAMES,
    Grade,
    Value,
    grade,
    is_mixed,
    is_phrase,
    is_secret,
    values_at,
)

_HINT = "|".join(HINTS)
_NAME = re.compile(
    rf"(?ia)(?<![\w$.-])(?=[\w$.-]*?(?:{_HINT}))[\w$.-]++(?:[ ]?码)?"
    rf"|(?=[^ -~]|mot)(?:{OTHER_NAMES})(?:[ \t]?\([^()\n]{{0,20}}\))?",
)
_CLOSE = r"(?:\\{0,7}[\"'`”’]|&quot;|&#3[49];|%2[27]|[\])*_}]){0,6}"
_JOINT = re.compile(
    rf"{_CLOSE}[ \t]{{0,20}}(?:(?<=[ \t])\([^()\n]{{0,30}}\)[ \t]?)?"
    r"(?:(?<=[ \t])for[ \t](?:key )?['\"]?[\w.@/:~-]{1,100}['\"]?[ \t]{0,4})?"
    r"(?:(?P<sign>(?P<compared>!?={2,3}|!=)|[?+|]{0,2}(?:={1}>?|:=?(?!:))(?!//)|(?<=-)>|[-=]>|→|&gt;|%3[DdAa])"
    r"|(?P<comma>(?<=[\"'`]),(?=[ \t]{0,8}\\{0,3}[\"']))"
    r"|(?<=[ \t])(?:(?:has been|is|was|are|will be)[ \t])?(?:re)?(?:set|changed|updated|generated|created|rotated)[ \t]"
    r"(?:to|as|for[ \t][\w.@%*'\"-]{1,100}(?:[ \t]?:|[ \t](?:is|to)))(?=[ \t:]):?"
    r"|(?<=[ \t])(?P<said>is|was|are|to|becomes|will[ ]be)(?=[ \t:])(?:[ ](?:now|still|currently))?:?"
    rf"|[{CJK}]{{0,4}}?(?:改|设|重置|更新|变更|修改|换|调整|配)[置定]?[为成到了][ \t]?:?|[是为](?:[:=])?)"
    r"[ \t]{0,20}(?:\*\*|__)?[ \t]{0,20}"
)
_SPACED = re.compile(rf"{_CLOSE}(?:[ \t]{{1,40}}|(?<=[{CJK}])(?=[\"'`“‘「『]|(?![!?])[!-~]{{4}}))(?P<pair>[\w.-]+=)?")
# The next value in a list, as in "recovery codes: …, …".
_NEXT = re.compile(r"[ \t]*[,;，、][ \t]*(?P<value>[^\s,;，、\"']{4,100})")
_BEFORE = re.compile(r"(?<!\w)[A-Za-z]{2,20}[ ]\Z")
_PUT = re.compile(r"\w\([ \t]*\\{0,3}[\"'`]?\Z")
_ALONE = re.compile(
    r"(?i)(?:[^\n]{0,40}\{[^\n{}]{0,40}[,{][ ]?|[\s>*#+-]*)(?:\d{1,2}[.)] )?"
    r"(?:(?:export|set|setx|env|arg|const|let|var|final|local|declare|password"
    r" for \w+)[ \t]+|\$env:)*[\"'`*_$]*",
)
_REST = re.compile(r"(?:[ \t]+(?![#|&<>]|//|--|[\w.-]{1,40}[=:])[^\s]+)+(?=[ \t]*(?:$|\n|[ \t]#|[ \t]//))")
_WORDS = re.compile(r"(?:[ \t]+[A-Za-z]{2,12}){2,24}(?!\w)")
_MARKS = ('"', "'", "\\")
_END = re.compile(r"[\"' \t\r]*(?:\n|\Z)")
_RUN = re.compile(
    rf"(?<![^\s\\\"'`<>()\[\]{{}},;|{CJK}。、【】「」“”:])[^\s\\\"'`<>()\[\]{{}},;|{CJK}。、【】「」“”:]{{6,200}}+"
)
# Names that contain digits but aren't passwords.
_THING = (
    r"(?:[a-z]+[-_.]?)?(?:host|node|user|worker|server|web|db|app|test|vm|port|line|build|release|version|rev|ver|v"
    r"|python|java|iphone|windows|win|ubuntu|debian|room|task|step|page|job|pod|shard|part|chapter|ticket|issue|case"
    r"|id|no|level|phase|zone|disk|eth|core|cpu|gpu|http|tls|ssl|sha|md|aes|rsa|utf|iso|oauth|file|table|row|col"
    r"|column|key|token|slot|bucket|model|layer|team|group|client|customer|order|thread|branch|sprint|argon|scrypt"
    r"|pbkdf|crypt|base|section|figure|block)s?[-_.]?\d+[a-z]?|[0-9a-f]{6,40}|(?-i:[A-Z]{2,10}(?:-\d+){1,4})"
    r"|[\w-]{1,60}[-_]v?\d{1,4}(?:\.\d{1,4}){1,4}[\w.-]{0,20}|[\w.-]{1,60}\.[a-z]{2,5}"
)
_SAY = (
    r"(?:(?<![\w'-])(?:is|was|are|be|it'?s|to|as|use|using|enter|try|type|now|currently|again|still|just|called|means)"
    r"(?!\w)|'s|[是为成到用填叫即前了定回的]|好像|应该)[ \t]{0,3}"
)
# A word that may itself be the secret. Words such as "required" don't match, because they describe a secret.
_ODD = (
    r"(?:(?!\w*(?:able|a[lr]|ance|ant|ary|ate|ct|cy|ed|ence|ent|er|est|ext|ful|ible|ic|id|ing|ity|ive|less|ly|ment|ness"
    r"|on|o?rs?|ory|ous|que|rong|self|ship|ss|thing|ure|ways|ex|ple|le)\b)[A-Za-z]{6,}|[a-z]+(?:[-_][a-z]+){2,4})[.!]?"
)
_NO_AIM = r"(?<!\bto )(?<!\bas )(?<!\buse )(?<!ing )(?<!try )(?<!type )"
_UNIT = (
    r"[年月日天次位个小时分秒元字条周岁号楼版]|(?:years?|months?|days?|hours?|minutes?|seconds?|h|min|s|ms|char\w*|bytes?"
    r"|bits?|times|attempts?|[KMG]B|tokens?|users?|files?|of|rows?|percent|entries|items)\b"
)
# A secret that follows its name in a sentence: quoted text, digits, or a run of letters and digits.
_TOLD = re.compile(
    rf"(?a)(?:(?:[^\n,;:()=.。]{{0,60}}?{_SAY}|(?<=[{CJK}])[ ](?=[A-Za-z]))"
    rf"(?:{_NO_AIM}[“「\"'`](?P<quoted>[^“”「」\"'`\n]{{4,60}})[”」\"'`]"
    rf"|(?:(?:(?<=[{CJK}])|(?<=[{CJK}] ))(?<!用)"
    rf"|(?:(?<=\bis )|(?<=\bwas )|(?<=\bbe )|(?<='s ))(?={_ODD}(?:[,;]|\s|\Z)))"
    r"(?P<word>[A-Za-z][\w!@#$%^&*+?~-]{5,60})(?![\w.(])|(?=[\d\"*`]))"
    rf"|(?<=[{CJK}:\n>])(?=[ \d\"*])|(?i:(?<=code)|(?<=pin))(?=[ ]\d))(?(quoted)|(?(word)|"
    rf"[ ]?[\"`*]{{0,3}}(?P<figures>\d{{4,8}}[#*]?|\d\d?(?:-\d\d?){{2,3}})"
    rf"(?![\w%]|[.,:/-]\d|[ \t]?(?:{_UNIT}))))"
    rf"|(?:(?:[^\n;=.。]|\.(?=\w)){{0,100}}?(?:{_SAY}|(?<![\w'-])(?:with|and|then|or)[ \t]"
    r"|(?<=[ \t])[–—→-]{1,2}>?|[(“「\"'`:,或者和]))?(?:[ \t;,]{0,3}|\n[ \t]*(?=\S+[ \t]*(?:\n|\Z)))[“「\"'`*(]{0,3}"
    rf"(?P<run>(?!(?i:{_THING})(?![\w@#$%^&*+~]))(?!\S{{0,60}}%[0-9A-F]{{2}})"
    r"(?=\S{0,60}?\d|\w{0,60}[a-z][A-Z]\w{0,60}[a-z][A-Z]\w{0,60}[a-z][A-Z])"
    r"(?:(?=\S{0,60}?[A-Za-z]{3})[A-Za-z](?:[\w!@#$%^&*+?~-]|\.(?=\w)){4,60}[\w!#$%^&*+?~]={0,2}"
    r"|[A-Za-z\d]{4,6}(?:-[A-Za-z\d]{4,6}){1,7}(?=[ \t]*(?:\n|\Z))))(?![\w/@(\[=:\\]|\.\w)",
)
# A line in which a person or program asks for a secret, and the next line up to the answer.
_ASKED = re.compile(
    rf"(?i)(?=[^\n]*\n)(?=[^\n]*(?:[?:]|(?:{_HINT})\w{{0,20}}|{OTHER_NAMES})[\"'*”)]{{0,3}}[ \t]*\n"
    r"|[^\n]*(?:\b(?:send|tell|give|what|which)\b|[发给]|告诉|多少|什么))"
    rf"[^\n]*?(?P<name>(?<!\w)(?:[a-z]{{2,20}}[ ])?[\w.-]{{0,40}}(?:{_HINT})[\w-]{{0,40}}|{OTHER_NAMES})"
    r"[^\n]*\n(?:[ \t]*\n)?[ \t]*(?:\[?[\d:./ -]{4,24}\]?[ \t]+)?(?:[^\s:<>\d][^\s:<>]{0,19}:|<[^<>\n]{1,30}>)?[ \t]*",
)
# Maximum distance, in characters, between a secret and its name in a sentence.
_FAR = 240
_XML = re.compile(
    r"(?s)<(?P<name>[\w:.-]{1,80})(?:\s[^<>]{0,300})?(?<!/)>\s{0,100}(?:<!\[CDATA\[(?P<data>.{0,2000}?)\]\]>"
    r"|(?P<value>[^<]{1,2000}))",
)
_LABELS = (
    r"(?:name|key|field|param|parameter|variable|var|setting|option|property|id|label|header|env"
    r"|attribute|item|title|type|account|k|n|键|名称|参数|变量|字段|配置项)"
)
_VALUES = (
    r"(?:value|val|default|defaultvalue|default_value|content|data|text|stringvalue|v|string|current|值|取值|内容)"
)
_LABEL = re.compile(
    rf"(?i)(?<![\w.-]){_LABELS}(?:\\{{0,3}}[\"'])?\s{{0,8}}(?:[:=>]|=>)\s{{0,8}}(?:\\{{0,3}}[\"'`])?(?P<name>"
    rf"[\w.-]{{2,100}}|{OTHER_NAMES})",
)
_VALUE = re.compile(
    rf"(?i)(?:(?<![\w.-]){_VALUES}(?:\\{{0,3}}[\"'])?\s{{0,8}}(?:=>|[:=])\s{{0,8}}"
    rf"|</[\w:.-]{{1,40}}>\s{{0,200}}<{_VALUES}(?:\s[^<>]{{0,100}})?>\s{{0,20}})",
)
_TEXT = re.compile(r"[\"']?[^<>\n]{0,200}>\s{0,20}(?P<value>[^<\n]{1,1000})<")
# The contents of an XML element, or the rest of the line if the element isn't closed.
_CONTENT = re.compile(rf"[^<]{{0,{MOST - 1}}}+(?=<)|[^\n]*")
_APART = re.compile(r"[{}]|\n\s{0,200}\n|\n\s{0,200}-\s")
# Maximum distance, in characters, between the name and the value in a pair.
_NEAR = 240

# Separators between table cells, most certain first. The last one isn't used for rows of just a name and a value.
_SEPARATORS = (re.compile(r"(?<!\\)[|│┃]"), re.compile(r"\t"), re.compile(r"[ \t]{2,}"), re.compile(r"[,;]"))
_HEAD = re.compile(rf"(?i)[ \t]*(?:{OTHER_NAMES})[ \t]*|[\w .-]{{1,40}}")
_RULE = re.compile(r"[\s|:+=│┃┼├┤─-]+")
_TITLES = frozenset(
    "role value user name email type description required default notes note status value values created"
    " host port id key date"
    " string int integer str bool boolean text varchar prod production dev staging test active yes no"
    " owner used rotated where"
    " purpose example meaning comment action result scope environment".split()
)
# Maximum length, in characters, of a line that may be a table row.
MOST_LINE = 4_000


def named_secrets(text: str, lower: str) -> Secrets:
    """Yield the values that follow the name of a secret."""
    if is_named(lower):
        yield from _assigned(text)
        # The contents of XML elements whose tag is the name of a secret.
        for match in _XML.finditer(text) if "<" in text else ():
            yield from _secrets(text, [Value(*match.span(match.lastgroup or ""))], grade(match["name"]))
        yield from pairs(text)


def _assigned(text: str) -> Secrets:
    at = end = 0
    while match := _NAME.search(text, at):
        at = match.end()
        begin = match.start()
        name = match[0][-120:]
        certainty = grade(name)
        if certainty is not Grade.ANY and (before := _BEFORE.search(text, max(0, begin - 22), begin)):
            begin = before.start()
            certainty = max(certainty, grade(f"{before[0]}{name}"))
        if not certainty:
            continue
        if certainty is Grade.ANY and at > end:
            end = text.find("\n", at) % (len(text) + 1)
            yield from _mixed_runs(text, text.rfind("\n", 0, at) + 1, end)
        for value in _values(text, match, begin, certainty):
            yield SecretSpan(value.start, value.end)
            at = max(at, value.end)
            while name.lower().endswith("s") and (following := _NEXT.match(text, at)):
                if not is_secret(following["value"], Grade.NO_WORD):
                    break
                yield SecretSpan(*following.span("value"))
                at = following.end()
        if certainty is Grade.ANY and at == match.end():
            yield from _told(text, at)


def _told(text: str, at: int) -> Secrets:
    """Yield the secrets that follow a name in a sentence, as in "the door code was changed to …".

    The name ends at the offset `at`.
    """
    end = at + _FAR
    while told := _TOLD.match(text, at, end):
        at = told.end()
        value = told.lastgroup or ""
        if is_secret(told[value], Grade.ANY, quoted=value == "quoted"):
            yield SecretSpan(*told.span(value))


def _mixed_runs(text: str, start: int, end: int) -> Secrets:
    """Yield the words that look like passwords, in a line such as "the password was set to …"."""
    for run in _RUN.finditer(text, start, end):
        if is_mixed(run[0]):
            name, sign, _ = run[0].rpartition("=")
            yield SecretSpan(run.start() + (len(name + sign) if grade(name) else 0), run.end())


def _values(text: str, match: Match, begin: int, certainty: Grade) -> Iterator[Value]:
    """Yield those values after a name that count as secrets.

    `begin` is the start of the name, including a preceding word such as "access" in "access code". `certainty` is the
    name's grade.
    """
    name = match[0].lower()
    joint = _JOINT.match(text, match.end())
    if joint is None:
        yield from _spaced(text, match, certainty)
        return
    start = joint.end()
    sign = joint["sign"] or ""
    if text[start : start + 1] == "\n":
        return
    alone = _is_alone(text, begin)
    if name == "pass" and not alone and not text.startswith(_MARKS, start):
        certainty = Grade.NO_WORD
    listed = joint["comma"] and not _PUT.search(text, max(0, match.start() - 8), match.start())
    said = bool(joint["said"] or listed or text.startswith("{", start))
    in_url = sign == "=" and match.start() > 0 and text[match.start() - 1] in "?&"
    words = re.search("phrase|mnemonic", name)
    for value in values_at(text, start, in_url=in_url):
        candidate = text[value.start : value.end]
        if value.quoted:
            if not (words and is_phrase(candidate)) and not is_secret(candidate, certainty, quoted=True, said=said):
                continue
        else:
            if sign.startswith("%"):
                candidate = re.split(r"[\s)]", unquote(candidate).lstrip("+"))[0]
            compared = joint["compared"] and len(candidate) <= LONGEST
            if compared or _is_itself(candidate, name) or not is_secret(candidate, certainty, said=said):
                continue
            if certainty is Grade.ANY and sign:
                rest = ((alone or words) and _REST.match(text, value.end)) or (words and _WORDS.match(text, value.end))
                value = Value(value.start, rest.end()) if rest else value
        yield value


def _is_alone(text: str, start: int) -> bool:
    """Return whether only punctuation and keywords precede the offset `start` on its line."""
    line = text.rfind("\n", max(0, start - 60), start) + 1
    return (line > 0 or start <= 60) and bool(_ALONE.fullmatch(text, line, start))


def _spaced(text: str, match: Match, sure: Grade) -> Iterator[Value]:
    """Yield the value that follows a name and a space.

    The value must belong to a flag, be alone on a line with its name, or be more than an ordinary word.
    """
    spaced = _SPACED.match(text, match.end())
    flag = match[0].startswith("-") or bool(re.search(r"(?:^|\s)/\Z", text[max(0, match.start() - 2) : match.start()]))
    if not spaced or sure is Grade.RANDOM or (spaced["pair"] and not flag):
        return
    for value in values_at(text, spaced.start("pair") if spaced["pair"] else spaced.end())[:1]:
        ends = sure is Grade.ANY and text[value.end - 1] not in ".:,!?" and _END.match(text, value.end)
        own = (flag or (ends and _is_alone(text, match.start()))) and not text.startswith("(", value.end)
        known = Grade.ANY if own or value.quoted else Grade.NO_WORD
        if (own or (sure is Grade.ANY and match[0].lower() != "pass")) and is_secret(
            text[value.start : value.end], known, quoted=value.quoted
        ):
            yield value


def _is_itself(value: str, name: str) -> bool:
    """Return whether a value only repeats its lower-case name, as in `self.password = password`."""
    return name.lstrip("_-").endswith(value.lower().lstrip("_").rstrip("*`)")) and not re.search(r"\d", value)


def _secrets(text: str, values: Iterable[Value], sure: Grade) -> Secrets:
    """Yield the values that count as secrets, given the grade of their name."""
    for value in values if sure else ():
        if is_secret(text[value.start : value.end], sure, quoted=True):
            yield SecretSpan(value.start, value.end)


def pairs(text: str) -> Secrets:
    """Yield the secrets in name-value pairs, such as `{"name": "DB_PASSWORD", "value": "…"}`."""
    for match in _LABEL.finditer(text):
        if sure := grade(match["name"]):
            yield from _secrets(text, [*_values_after(text, match.end())] or _value_before(text, match.start()), sure)


def _values_after(text: str, at: int) -> Iterator[Value]:
    """Yield the values after a name in the same object or element."""
    if element := _TEXT.match(text, at):
        yield Value(*element.span("value"))
    for label in _VALUE.finditer(text, at, at + _NEAR):
        if _APART.search(text, at, label.start()):
            return
        if label[0].startswith("</"):
            if content := _CONTENT.match(text, label.end()):
                yield Value(*content.span())
        else:
            yield from values_at(text, label.end())[:1]


def _value_before(text: str, at: int) -> Iterable[Value]:
    """Return the last value before a name in the same object."""
    labels = [*_VALUE.finditer(text, max(0, at - _NEAR), at)]
    if not labels or _APART.search(text, labels[-1].end(), at):
        return ()
    return [value for value in values_at(text, labels[-1].end())[:1] if value.end <= at]


def tables(text: str) -> Secrets:
    """Yield the secrets in table rows and columns that have the name of a secret."""
    at = 0
    columns = None
    for line, following in pairwise([*text.split("\n"), ""]):
        end = at + len(line)
        short = len(line) <= MOST_LINE
        if columns and short and not _RULE.fullmatch(line):
            separator, width, secret = columns
            cells = _cells(text, at, end, separator)
            if len(cells) == width:
                yield from _secrets(text, [cells[place] for place in secret], Grade.ANY)
            else:
                columns = None
        if short and is_named(line.lower()):
            if (asked := _ASKED.match(text, at)) and grade(asked["name"]) is Grade.ANY:
                yield from _told(text, asked.end())
            for separator in _SEPARATORS if not columns else ():
                cells = _cells(text, at, end, separator)
                named = [text[cell.start : cell.end] for cell in cells]
                heads = [_head(name) for name in named]
                if len(cells) < 2 or not any(heads):
                    continue
                secret = [place for place, head in enumerate(heads) if head is Grade.ANY]
                ruled = _RULE.fullmatch(following) and following.strip()
                below = _cells(text, end + 1, end + 1 + len(following), separator)
                aligned = len(below) == len(cells) and all(map(_HEAD.fullmatch, named))
                valued = any(re.search(r"\d", name) for name, head in zip(named, heads, strict=True) if not head)
                if secret and (ruled or (aligned and not valued)):
                    columns = separator, len(cells), secret
                    break
                if separator is not _SEPARATORS[-1]:
                    # The cells after the first secret's name.
                    first = next(place for place, head in enumerate(heads) if head)
                    rest = islice(zip(cells, named, strict=True), first + 1, None)
                    values = [cell for cell, name in rest if name.lower() not in _TITLES]
                    alone = len(cells) == first + 2 and heads[first] is Grade.ANY
                    yield from _secrets(text, values, Grade.ANY if alone else Grade.NO_WORD)
                    break
        at = end + 1


def is_named(lower: str) -> bool:
    """Return whether lower-case text may contain the name of a secret."""
    return any(hint in lower for hint in HINTS) or (not lower.isascii() and bool(OTHER.search(lower)))


def _cells(text: str, start: int, end: int, separator: Regex) -> list[Value]:
    """Return the cells in a line, without surrounding white space and punctuation."""
    borders = [start, *(border for match in separator.finditer(text, start, end) for border in match.span()), end]
    cells = []
    for first, last in zip(borders[::2], borders[1::2], strict=True):
        inner = text[first:last].rstrip(" \t*`\"'\r")
        left = first + len(inner) - len(inner.lstrip(" \t*`\"'_"))
        cells.append(Value(left, first + len(inner)))
    if separator is _SEPARATORS[-1]:
        return cells
    # Only the first and the last cell are left out if they are empty.
    return [cell for cell in cells if cell.start < cell.end or cell not in (cells[0], cells[-1])]


def _head(cell: str) -> Grade:
    if (other := OTHER.search(cell)) and len(cell) < 12 and not cell[other.end() :].strip(")）:"):
        return Grade.ANY
    is_name = len(cell) <= 60 and re.fullmatch(r"(?a)[\w.-]+(?: [\w-]+){0,2}", cell)
    return known if is_name and (known := grade(cell)) > Grade.RANDOM else Grade.NONE
