"""Masks of secrets: what stands in their place before anything of a log is shown, stored or sent."""

import math
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise

from core.model import LogEvent

_NAMES = (
    r"pass(?:word|wd|phrase|code)?|pwd|secret|token|api[_-]?key|apikey|access[_-]?key(?:[_-]?id)?|auth[_-]?key"
    r"|client[_-]?secret|private[_-]?key|secret[_-]?key|signing[_-]?key|encryption[_-]?key|credentials?|bearer"
    r"|sess(?:ion)?[_-]?(?:id|token)|sessid|signature|sig|otp|pin[_-]?code|密码|口令|密钥|秘钥|令牌|验证码|密碼|金鑰"
)
_NO_VALUE = (
    r"(?!(?:<[\w .-]{1,40}>|\$\{?[A-Z_][A-Z0-9_]*\}?|\{\w{1,40}\}|\*+|x{3,}|\.{3}|…|\[[a-z-]+-\d+\]|true"
    r"|false|null|none|nil"
    r"|required|expired|invalid|missing|must|has|have|is|are|was|were|not|no|too|the|a|an|and|or|of|for|in|on|to|from|with"
    r"|token|value|header|unset|empty|set|wrong|incorrect|rotated|revoked|changed|failed|mismatch|verification"
    r"|不能|已|无效|过期|错误|缺失|不正确|必须)(?![\w-]))"
)
"""What stands behind the name of a secret and is none: a placeholder, a word of a sentence."""
_BARE = r"[^\s\"'`,;&|<>)\]}，。；、）】]{1,400}"
_QUOTED = (
    r"\\{1,3}\"(?P<escaped>[^\"\\\n]{1,1000})\\{1,3}\"|\"(?P<double>(?:[^\"\\\n]|\\.){1,1000})\"|'(?P<single>"
    r"(?:[^'\\\n]|\\.){1,1000})'"
)
_ORDINARY = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\d+(?:[-_]\d+)*|[a-z]+(?:[-_][a-z]+)*", re.IGNORECASE
)
"""Long runs that are no tokens: identifiers of rows, numbers, words with dashes."""
_RUN = re.compile(r"(?<![A-Za-z0-9_/+.@-])[A-Za-z0-9+/_=-]{20,400}(?![A-Za-z0-9_/+@])")
_LONG_PART = 16
_SHORTEST, _SHORTEST_OF_TWO = 20, 24
"""Characters of an unknown token at least: of three kinds of characters, and of letters of one case and figures."""
_LEAST_CHANGES = 0.3
"""Changes between letters and figures, or of case, for each character of an unknown token; words have fewer."""
_LEAST_CHANGES_OF_LETTERS = 0.4
_LEAST_BITS = 3.0
"""Bits of entropy for each character of an unknown token."""
_MOST_TEXT = 20_000
_LONGEST_VALUE = 1_000
"""Characters of a value in quotes that is a secret."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """A kind of secret: its name in a mask, and what matches it; where it has groups, only they are masked.

    A text with none of the `hints`, in lower case, isn't looked at: that is ten times as fast.
    """

    kind: str
    regex: re.Pattern[str]
    hints: tuple[str, ...]


def _pattern(kind: str, hints: str, regex: str, flags: int = 0) -> Pattern:
    return Pattern(kind, re.compile(regex, flags | re.ASCII), tuple(hints.split()))


_HINTS = "pass pwd secret token key credential bearer sess sig otp pin 密 口令 秘钥 令牌 验证码 金鑰"
_FIGURES = "0 1 2 3 4 5 6 7 8 9"


PATTERNS = (
    _pattern(
        "key",
        "private key",
        r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END [A-Z ]{0,40}-----|\Z)",
        re.DOTALL,
    ),
    _pattern("token", "eyj", r"\beyJ[\w-]{8,2000}\.[\w-]{2,8000}(?:\.[\w-]{0,2000})?"),
    _pattern(
        "cookie",
        "cookie",
        r"(?i)\b(?:set-)?cookie\b\\?[\"']?[ \t]*[:=][ \t]*\\?[\"']?(?P<value>[^\s\"'][^\"'\n]{0,4000})",
    ),
    _pattern(
        "token",
        "authorization",
        r"(?i)\b(?:proxy-)?authorization\b\\?[\"']?[ \t]*[:=][ \t]*\\?[\"']?(?:(?:bearer|basic|token"
        r"|digest|apikey)[ \t]+)?+(?!bearer\b|basic\b)"
        rf"{_NO_VALUE}(?P<value>[^\s\"',;<>]{{2,4000}})",
    ),
    _pattern(
        "token",
        "x- api-key",
        rf"(?i)\b(?:x-[a-z-]{{0,30}}(?:key|token|secret|signature)|api-key)\b\\?[\"']?[ \t]*[:=]["
        rf" \t]*\\?[\"']?{_NO_VALUE}"
        rf"(?P<value>{_BARE})",
    ),
    _pattern(
        "token",
        "bearer basic",
        rf"(?i)\b(?:bearer|basic)[ \t]+{_NO_VALUE}(?P<value>(?=[^\s]{{0,80}}[\d=+/._~-])[\w.~+/=-]{{8,4000}})",
    ),
    _pattern(
        "password",
        "://",
        r"[a-z][a-z0-9+.-]{1,20}://[^\s/:@\"']{0,200}:(?!\[[a-z]+-\d+\]@)(?P<value>[^\s/@\"']{1,400})@",
        re.IGNORECASE,
    ),
    _pattern(
        "token",
        "gh glpat sk- sk_ rk_ pk_ whsec_ xox xapp- akia asia abia acca aiza ya29 npm_ pypi- hf_ sg. _v1_"
        " shp dckr_ ltai akid age- :aa",
        r"(?<![A-Za-z0-9])(?:gh[pousr]_[A-Za-z0-9]{16,255}|github_pat_\w{20,255}|glpat-[\w-]{16,100}"
        r"|sk-(?:ant-|proj-|live-|test-)?[\w-]{16,250}|(?:sk|rk|pk)_(?:live|test)_\w{10,200}|whsec_\w{16,200}"
        r"|xox[a-z]-[\w-]{10,250}|xapp-[\w-]{10,250}|(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{12,20}|AIza[\w-]{30,40}"
        r"|ya29\.[\w-]{20,300}|npm_[A-Za-z0-9]{20,100}|pypi-[\w-]{20,250}|hf_[A-Za-z0-9]{20,100}"
        r"|SG\.[\w-]{16,64}\.[\w-]{16,64}|do[oprt]_v1_[a-f0-9]{32,80}|shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{20,80}"
        r"|dckr_pat_[\w-]{16,100}|LTAI[A-Za-z0-9]{12,30}|AKID[A-Za-z0-9]{13,40}|age-secret-key-1[a-z0-9]{40,80}"
        r"|AGE-SECRET-KEY-1[A-Z0-9]{40,80}|\d{8,10}:AA[\w-]{30,40})",
    ),
    _pattern(
        "password",
        _HINTS,
        rf"(?i)(?:(?<=-)-|(?<![A-Za-z0-9])|(?<=[a-z])(?=[A-Z])|(?<=_)|(?<=-))(?:{_NAMES})(?![A-Za-z0-9_-]|["
        rf" \t]*\()\\{{0,3}}[\"'`]?[ \t]{{0,8}}"
        rf"(?:[:=：＝]{{1,3}}|=>|(?<=[ \t])(?:is|was)(?=[ \t])|为|是|->|→)[ \t]{{0,8}}\n?[ \t]{{0,8}}[`]?{_NO_VALUE}"
        rf"(?:{_QUOTED}|(?P<value>{_BARE}))",
    ),
    _pattern(
        "password",
        _HINTS,
        rf"(?i)(?<![^\s\"'`(])--?(?:[a-z]{{1,20}}[_-]?)?(?:{_NAMES})[ =]+{_NO_VALUE}(?:{_QUOTED}"
        rf"|(?P<value>[^\s\"'-][^\s\"']{{0,400}}))",
    ),
    _pattern(
        "password",
        "-u --user --proxy",
        r"(?<![^\s\"'`(])(?:-u|--user|--proxy-user)[ =]+[\"']?[\w.@+-]{1,100}:(?P<value>[^\s\"']{1,400})",
    ),
    _pattern(
        "password",
        "mysql mariadb",
        r"\b(?:mysql|mysqldump|mysqladmin|mariadb)\b[^\n|]{0,300}? -p(?P<value>[^\s\"']{1,200})",
    ),
    _pattern("password", "sshpass", r"\bsshpass[ \t]+-p[ \t]*[\"']?(?P<value>[^\s\"']{1,200})"),
    _pattern("email", "@", r"(?<![\w.+-])(?!git@)[\w.+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,6}[A-Za-z]{2,24}(?![\w-])"),
    _pattern("id", "19 20", r"(?<![\w.-])\d{6}(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01])\d{3}[\dXx](?![\w-])"),
    _pattern("phone", "+", r"(?<![\w.+])\+\d{1,3}[ -]?(?:\(\d{1,4}\)[ -]?)?\d{2,5}(?:[ .-]?\d{2,5}){1,4}(?![\w.]\d)"),
    _pattern("phone", "1", r"(?<![\w.:-])1[3-9]\d(?:[ -]?\d{4}){2}(?![\w.:-]\d|\d)"),
    _pattern("phone", "0", r"(?<![\w.-])0\d{2,3}-\d{7,8}(?![\w-])"),
    _pattern("phone", _FIGURES, r"(?<![\w.(-])(?:\(\d{3}\) ?|\d{3}[.-])\d{3}[.-]\d{4}(?![\w-])"),
)
"""The kinds of secrets, in the order in which they are masked. No repetition stands in another without a bound."""

_CARD = re.compile(r"(?<![\w.-])\d(?:[ -]?\d){12,18}(?![\w.-])")
_BEGIN = re.compile(r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_END = re.compile(r"-----END [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_OF_KEY = re.compile(r"[\sA-Za-z0-9+/=:,.\"\\|-]*")
_MASK = re.compile(r"\[(?P<kind>key|token|cookie|password|email|id|phone|card|secret)-\d+\]")


class Masker:
    """Masks the secrets of logs: each gets its kind and a number, `[token-2]`, the same one wherever it stands.

    The numbers are those of this object, so that a mask says nothing of its secret.
    """

    def __init__(self) -> None:
        self._masks: dict[str, str] = {}
        self._numbers: Counter[str] = Counter()

    def __len__(self) -> int:
        return len(self._masks)

    def masked(self, text: str, *, unknown: bool = True) -> str:
        """Return a text without its secrets; with `unknown` also without what only looks like a token."""
        lower = text.lower()
        for pattern in PATTERNS:
            if any(hint in lower for hint in pattern.hints):
                text = pattern.regex.sub(partial(self._of_match, pattern.kind), text)
        text = _CARD.sub(lambda match: self._mask("card", match[0]) if _is_card(match[0]) else match[0], text)
        if unknown:
            text = _RUN.sub(lambda match: self._mask("secret", match[0]) if _is_token(match[0]) else match[0], text)
        return text

    def event(self, event: LogEvent) -> LogEvent:
        """Return an event without its secrets."""
        fields = {self.masked(name): self.masked(value) for name, value in event.fields.items()}
        text = shortened(event.text, _MOST_TEXT)
        time, source = self.masked(event.time[:100], unknown=False), self.masked(event.source[:200])
        return replace(event, text=self.masked(text), time=time, source=source, fields=fields)

    def without_keys(self, text: str) -> str:
        """Return a text whose private keys are masked; its lines stay in their places."""
        if not _BEGIN.search(text):
            return text
        lines, key = text.split("\n"), False
        for number, line in enumerate(lines):
            if key:
                end = _END.search(line)
                key = not end and bool(_OF_KEY.fullmatch(line))
                lines[number] = line[end.end() :] if end else "" if key else line
            elif (begin := _BEGIN.search(line)) and not _END.search(line, begin.end()):
                key = "\\n" not in line[begin.end() :]
                if key:
                    lines[number] = line[: begin.start()] + self._mask("key", f"{number}:{line}")
        return "\n".join(lines)

    def _of_match(self, kind: str, match: re.Match[str]) -> str:
        groups = [name for name, value in match.groupdict().items() if value is not None]
        if not groups:
            return match[0] if match.re.groups else self._mask(kind, match[0])
        start, end = match.start(groups[0]) - match.start(), match.end(groups[0]) - match.start()
        return match[0][:start] + self._mask(kind, match[groups[0]]) + match[0][end:]

    def _mask(self, kind: str, secret: str) -> str:
        if _MASK.search(secret):
            return secret if _MASK.fullmatch(secret) else _MASK.search(secret)[0]  # type: ignore[index]
        if secret not in self._masks:
            self._numbers[kind] += 1
            self._masks[secret] = f"[{kind}-{self._numbers[kind]}]"
        return self._masks[secret]


def unnumbered(text: str) -> str:
    """Return a text whose masks say their kind only, as two logs number them otherwise."""
    return _MASK.sub(r"[\g<kind>]", text)


def shortened(text: str, most: int) -> str:
    """Return the first characters of a text; what may be a part of a secret at the cut isn't among them."""
    if len(text) <= most:
        return text
    whole = text[:most].rstrip()
    end = max((whole.rfind(blank) for blank in " \n\t"), default=-1)
    quote = whole.rfind('"')
    open_value = whole.count('"') % 2 and len(whole) - quote < _LONGEST_VALUE
    return whole[: max(0, min(end, quote) if open_value else end)] + "…"


def _is_card(text: str) -> bool:
    """Return whether the figures have the check digit of a card."""
    figures = [int(one) for one in text if one.isdigit()][::-1]
    doubled = [sum(divmod(2 * one, 10)) for one in figures[1::2]]
    return len(set(figures)) > 2 and (sum(figures[::2]) + sum(doubled)) % 10 == 0


def _is_token(text: str) -> bool:
    """Return whether a run of characters is as mixed as only a token is."""
    core = text.strip("=-_/+")
    if re.fullmatch(r"[0-9a-f]{32,128}|[0-9A-F]{32,128}", core):
        return len(set(core)) > 4
    if _ORDINARY.fullmatch(core) or len(core) < _SHORTEST:
        return False
    if max(map(len, re.split(r"[-_/]", core))) < _LONG_PART and not ("/" in core and _mixed(core) >= _LEAST_CHANGES):
        return False
    kinds = {_kind(one) for one in core}
    few = len(kinds & {"upper", "lower", "digit"}) < 3
    if few and len(core) < _SHORTEST_OF_TWO:
        return False
    return (
        _mixed(core) >= (_LEAST_CHANGES_OF_LETTERS if "digit" not in kinds else _LEAST_CHANGES)
        and _bits(core) >= _LEAST_BITS
    )


def _mixed(text: str) -> float:
    kinds = [_kind(one) for one in text]
    return sum(one != other and "other" not in (one, other) for one, other in pairwise(kinds)) / len(text)


def _kind(letter: str) -> str:
    return "digit" if letter.isdigit() else "upper" if letter.isupper() else "lower" if letter.islower() else "other"


def _bits(text: str) -> float:
    counts: Mapping[str, int] = Counter(text)
    return -sum(count / len(text) * math.log2(count / len(text)) for count in counts.values())
