"""Secrets that are known by how they look: tokens of vendors, keys, hashes of passwords, URLs with a password."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from core.features.learning.masks.spans import Hints, SecretSpan
from core.features.learning.masks.values import is_placeholder


class SecretPattern(NamedTuple):
    """A kind of secret and what matches it; of a pattern with a group `value` only that is the secret.

    A text with none of the `hints`, in lower case, isn't looked at where there are some. No repetition is within
    another without a bound.
    """

    kind: str
    hints: tuple[str, ...]
    regex: re.Pattern[str]


def _shape(kind: str, hints: str, regex: str, flags: int = 0) -> SecretPattern:
    return SecretPattern(kind, tuple(hints.split()), re.compile(regex, flags | re.ASCII))


_VENDORS = (
    r"gh[pousr]_[A-Za-z0-9]{16,}|github_pat_\w{20,}|gl(?:pat|dt|rt|soat|cbt|ptt|ft|imt|agent|oas|wt|ffct)-[\w-]{16,}",
    r"sk-[\w-]{16,}|(?:sk|rk|pk)_(?:live|test|prod)_\w{10,}|whsec_[\w+/=]{16,}|xox[a-z]{1,2}-[\w.-]{10,}"
    r"|xapp-[\w-]{10,}",
    r"(?:AKIA|ASIA|ABIA|ACCA|AGPA|AIDA|AROA|ANPA|ANVA|AIPA)[A-Z0-9]{12,}|AIza[\w-]{30,}|ya29\.[\w.-]{20,}",
    r"1//0[\w-]{20,}|GOCSPX-[\w-]{20,}|npm_[A-Za-z0-9]{20,}|pypi-[\w-]{20,}|hf_[A-Za-z0-9]{20,}|rubygems_[a-f0-9]{20,}",
    r"SG\.[\w-]{16,}\.[\w-]{16,}|do[oprt]_v1_[a-f0-9]{32,}|shp(?:at|ca|pa|ss|tka)_[A-Fa-f0-9]{20,}"
    r"|dckr_[a-z]{3}_[\w-]{16,}",
    r"LTAI[A-Za-z0-9]{12,}|AKID[A-Za-z0-9]{13,}|age-secret-key-1[a-z0-9]{40,}|AGE-SECRET-KEY-1[A-Z0-9]{40,}",
    r"(?:bot)?\d{8,10}:AA[\w-]{30,}|hv[sbr]\.[\w.-]{20,}|[sb]\.[A-Za-z0-9]{24}(?!\w)"
    r"|dp\.[a-z]{2,6}\.(?:[\w-]{2,40}\.)?[\w-]{20,}",
    r"ATATT3x[\w=-]{20,}|ATCTT3x[\w=-]{20,}|ATBB[\w=]{20,}|lin_(?:api|oauth)_\w{20,}|ntn_\w{20,}"
    r"|figd_[\w-]{20,}|fig[ou]_[\w-]{20,}",
    r"pat[A-Za-z0-9]{14}\.[a-f0-9]{40,}|sq0[a-z]{3}-[\w-]{20,}|EAA[A-Za-z0-9]{30,}|(?:AC|SK"
    r"|PK)[a-f0-9]{32}|key-[a-f0-9]{32}",
    r"[a-f0-9]{32}-us\d{1,2}|PMAK-[\w-]{20,}|sntry[su]_[\w+/=-]{20,}|dapi[a-f0-9]{32}(?:-\d)?|gl(?:c|sa)_[\w=+/-]{20,}",
    r"pscale_[a-z]{2,6}_[\w.-]{20,}|tf[ep]_[\w-]{20,}|[A-Za-z0-9]{14}\.atlasv1\.[\w-]{40,}"
    r"|FLWSECK[\w-]{12,}|shippo_\w{20,}",
    r"NR(?:AK|II|JS|BR|SP)-[\w-]{12,}|ph[cx]_\w{20,}|sbp_[a-f0-9]{20,}|sb_(?:secret"
    r"|publishable)_[\w-]{20,}|FlyV1 fm\d_[\w+/=,-]{20,}",
    r"fo1_[\w-]{20,}|fm[12]_[\w+/=-]{20,}|r8_[A-Za-z0-9]{20,}|gsk_\w{20,}|xai-\w{20,}|pplx-\w{20,}"
    r"|nvapi-[\w-]{20,}|tvly-[\w-]{16,}",
    r"lsv2_[a-z]{2}_\w{20,}|ops_eyJ[\w-]{20,}|A3-[A-Z0-9]{6}-[A-Z0-9]{6,11}(?:-[A-Z0-9]{5,6}){3,4}"
    r"|[\w~.-]{3}\dQ~[\w~.-]{30,}",
    r"[MNO][A-Za-z0-9_-]{23,27}\.[\w-]{6}\.[\w-]{27,}|dt0c01\.[A-Z0-9]{24}\.[A-Z0-9]{64}|oy2[a-z0-9]{43}"
    r"|AQVN[\w-]{35,}",
    r"EZ[AT]K\w{40,}|xkeysib-[a-f0-9]{40,}(?:-\w+)?|CFPAT-[\w-]{40,}|(?:live|test)_[A-Za-z0-9]{30,}"
    r"|v1\.0-[a-f0-9]{20,}-[a-f0-9]{100,}",
    r"cio_?[a-z]?[A-Za-z0-9]{32,}|crates?io[A-Za-z0-9]{32,}|HRKU-[\w-]{30,}|PRVK-[\w-]{20,}"
    r"|bkua_[a-f0-9]{40}|ory_[a-z]{2}_[\w-]{20,}",
)
_HASHES = (
    r"\$(?:2[abxy]?\$\d\d|[156y7]|gy|apr1|md5|sha1|scrypt|argon2(?:id|i|d)|pbkdf2[\w-]*|P|H|S"
    r"|bcrypt-sha256)\$[^\s\"':;<>|]{8,}",
    r"\$[PHS]\$[./A-Za-z0-9]{20,}|\{(?:S?SHA\d{0,3}|S?MD5|CRYPT|PBKDF2[\w-]*|ARGON2)\}[^\s\"',;<>|]{12,}",
    r"(?:pbkdf2|scrypt|bcrypt|argon2)(?:_sha\d+|:[\w:]{1,100})?\$[^\s\"',;<>|]{16,}|pbkdf2:sha\d+:\d+\$[^\s\"',;<>|]{16,}",
    r"\*[0-9A-F]{40}(?!\w)|(?<![\w])[a-f0-9]{32}:[a-f0-9]{32}(?=:|\W|$)|SCRAM-SHA-\d+\$[^\s\"',;<>|]{16,}",
)
_URL = r"[a-z][a-z0-9+.-]{1,20}:(?:\\?/){2}"
SHAPES = (
    _shape(
        "key",
        "private key",
        r"-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}.*?(?:-{4,5} ?END [A-Z0-9 ]{0,40}-{4,5}|\Z)",
        re.DOTALL,
    ),
    _shape("token", "eyj", r"(?<![A-Za-z0-9])eyJ[\w-]{8,}(?:\.[\w-]*){1,4}"),
    _shape("token", "", rf"(?<![A-Za-z0-9])(?=[\w.~/+ -]{{16}})(?:{'|'.join(_VENDORS)})(?:[.~]?[\w+/=-])*+"),
    _shape("password", "$ {s {m {c {p {a * scram :", rf"(?<![A-Za-z0-9])(?:{'|'.join(_HASHES)})"),
    _shape(
        "password",
        ":",
        r"(?m)^[a-z_][\w.-]{0,31}\$?:(?P<value>[!*]{0,2}(?:\$[^:\s]{8,}|[./A-Za-z0-9]{13}))(?=:(?:\d*:){2,6})",
    ),
    _shape(
        "token",
        "hooks.slack.com discord /hook webhook.office logic.azure",
        r"(?i)(?:hooks\.slack\.com/(?:services|workflows|triggers)/|discord(?:app)?\.com/api/(?:v\d+/)?webhooks/"
        r"|/open-apis/bot/v2/hook/|/webhookb2/|hooks\.zapier\.com/hooks/catch/|hook\.\w+\.make\.com/"
        r"|webhook\.site/)(?P<value>[^\s\"'<>)\]]{8,})",
    ),
    _shape("token", "webhook/send?key=", r"(?i)webhook/send\?key=(?P<value>[\w-]{16,})"),
    _shape("token", "api.telegram.org/bot", r"api\.telegram\.org/(?:file/)?bot(?P<value>[^\s/\"']{16,})"),
    _shape(
        "cookie",
        "cookie",
        r"(?i)\b(?:set-)?cookie2?\b\\?[\"']?[ \t]*[:=][ \t]*\\?[\"']?(?P<value>[^\s\"'=;]{1,200}=[^\"'\r\n]*+)",
    ),
    _shape(
        "token",
        "authorization",
        r"(?i)authorization\b\\{0,3}[\"']?[ \t]*(?:[:=,]|=>)[ \t]*\\{0,3}[\"']?(?:(?:bearer|basic|token"
        r"|apikey|api-key|key|negotiate|ntlm"
        r"|digest|aws4-hmac-sha256|oauth|hawk|signature|sharedkey|bot|jwt|sso-key|splunk|genie[kK]ey"
        r"|private-token)[ \t]+)?+"
        r"(?!(?:bearer|basic)\b)(?P<value>(?<=digest )[^\r\n]+|(?<=oauth )[^\r\n]+|(?<=sha256 )[^\r\n]+"
        r"|(?<=hawk )[^\r\n]+|(?<=signature )[^\r\n]+"
        r"|[^\s\"',;<>]{2,}+)",
    ),
    _shape(
        "token",
        "bearer basic",
        r"(?i)\b(?:bearer|basic)[ \t]+(?![A-Za-z_]+=\S)(?P<value>(?=[^\s\"']{0,200}[\d=+/._~-])[\w.~+/=-]{8,}+)",
    ),
    _shape(
        "password",
        "://",
        rf"(?i){_URL}[^\s/:@\"'<>]{{0,200}}:(?!\d{{1,5}}(?:[/?#]|$)[^@]*+@[^/]*(?:$"
        rf"|[\s,]))(?P<value>[^\s\"'<>]{{1,2000}})@(?=[\w.\[%{{$-])",
    ),
    _shape("token", "://", rf"(?i){_URL}(?P<value>(?=[a-z_-]*\d)[\w~.-]{{16,400}})@"),
    _shape(
        "password",
        "@",
        r"(?<![\w:/.@-])[\w.+-]{1,60}:(?!//)(?P<value>(?=[^\s@]{0,60}[A-Za-z!#$%^&*])(?=[^\s@]{0,60}[\d!#$%^&"
        r"*])[^\s:@\"'/,]{4,200})"
        r"@(?:[\w-]{1,60}\.){0,6}[A-Za-z][\w-]{0,60}(?=:\d|[.\w]*\.[a-z])",
    ),
    _shape(
        "token",
        "code verif 验 驗",
        r"(?i)(?<![\w.-])(?P<value>(?:[A-Z]-)?\d{4,8})(?=[ ,]{0,3}(?:(?:is|as|为|是)[ ]?)(?:your|the|您"
        r"|你)[^\n.。]{0,40}(?:code|otp|验证码|驗證碼|动态码|校验码))",
    ),
    _shape(
        "card",
        "cv security 安全码 c码",
        r"(?i)(?<![A-Za-z0-9])(?:cvv2?|cvc2?|cvn2?|security code|安全码)[^\w\n]{1,4}(?:is )?(?P<value>\d{3,4})(?!\d)",
    ),
    _shape(
        "email",
        "@",
        rf"{_URL}[^\s\"'<>@]{{0,300}}@|(?P<value>(?<![\w.+-])(?!git@)[\w.+-]{{1,64}}@(?:[A-Za-z0-9-]{{1,63}}\."
        rf"){{1,6}}[A-Za-z]{{2,24}}(?![\w-])"
        r"|[\u4e00-\u9fff]{1,8}@(?:[A-Za-z0-9-]{1,63}\.){1,6}[A-Za-z]{2,24}(?![\w-]))",
        re.IGNORECASE,
    ),
)
"""The kinds of secrets that are known by their look, the surest first."""


_HINTS = Hints(shape.hints or ("",) for shape in SHAPES)


def shapes(text: str, lower: str) -> Iterator[SecretSpan]:
    """Yield what looks like a secret of a known kind; `lower` is the text in lower case."""
    for place in _HINTS.places(lower):
        shape = SHAPES[place]
        named = "value" in shape.regex.groupindex
        for match in shape.regex.finditer(text):
            if not named:
                yield SecretSpan(*match.span(), shape.kind)
            elif match["value"] is not None and (shape.kind == "email" or not is_placeholder(match["value"])):
                yield SecretSpan(*match.span("value"), shape.kind)
