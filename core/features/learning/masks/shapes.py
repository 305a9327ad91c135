"""Secrets that are known by how they look: tokens, keys, hashes, URLs with a password, numbers of people."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from core.features.learning.masks.spans import Hints, SecretSpan
from core.features.learning.masks.values import is_placeholder

_BEFORE, _AFTER = r"(?<![A-Za-z0-9])(?<!\d[.:-])", r"(?![A-Za-z0-9])(?![.:-]\d)"
_PHONES = tuple(
    re.compile(regex, re.ASCII)
    for regex in (
        r"(?<![\w.+])\+\d{1,3}[ -]?(?:\(\d{1,4}\)[ -]?)?\d{2,5}(?:[ .-]?\d{2,5}){1,4}(?![\w.]\d)",
        rf"(?<![A-Za-z0-9])(?<!\d[.:-])(?:\(?(?:\+|00)?86\)?[ -]?)?1[3-9]\d(?:[ .-]?\d{{4}}){{2}}{_AFTER}",
        rf"{_BEFORE}1[3-9]\d(?:[ -]?\d{{2}}){{4}}{_AFTER}",
        r"(?<![\w.-])(?:\(0\d{2,3}\) ?|0\d{2,3}-)\d{7,8}(?![\w-])",
        r"(?<![\w.(-])(?:\(\d{3}\) ?|\d{3}[.-])\d{3}[.-]\d{4}(?![\w-])",
    )
)
_SOCIAL = re.compile(rf"{_BEFORE}(?!000|666|9)\d{{3}}-(?!00)\d\d-(?!0000)\d{{4}}(?![\w-])", re.ASCII)
_REGION = r"(?:1[1-5]|2[1-3]|3[1-7]|4[1-6]|5[0-4]|6[1-5]|71|8[1-3]|91)"
_DAY = r"(?:0[1-9]|1[0-2])[ -]?(?:0[1-9]|[12]\d|3[01])"
_CITIZEN = re.compile(
    rf"(?<![A-Za-z0-9])(?<!\d[.-])(?:{_REGION}\d{{4}}[ -]?(?:19|20)\d\d{_DAY}[ -]?\d{{3}}[\dXx]"
    rf"|{_REGION}\d{{6}}{_DAY}\d{{3}})"
    r"(?![A-Za-z0-9])(?![.-]\d)"
)
"""Chinese identity numbers of 18 digits, and of 15 as they were before 1999."""
_PASSPORT = re.compile(
    r"(?:护照|通行证|passport)(?:号码?|[ ](?:no\.?|number))?\s{0,4}[:：是为]?\s{0,4}"
    r"(?P<value>[A-Z]{1,2}\d{7,8})(?![A-Za-z0-9])",
    re.IGNORECASE,
)
_EIGHTEEN = re.compile(r"(?<![A-Za-z0-9.])\d{17}[\dXx](?![A-Za-z0-9])")
_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
_GROUPS = re.compile(r"(?<![A-Za-z0-9])(?<!\d[.:-])\d++(?:[ .-]\d++)*+(?![A-Za-z0-9])")
_ISSUER = re.compile(r"2[2-7]|[3-6]|8[1-9]|9[1-9]")
"""First figures of cards; 1 and 20 begin times."""
_CARD_FORMS = re.compile(
    r"\d{13,19}|\d{4}(?: \d{4}){3}(?: \d{1,3})?|\d{4} \d{6} \d{4,5}|\d{4}(?: \d{4}){2} \d{1,3}|\d{6} \d{10,13}"
)
_MOST_GROUPS = 5
_IBAN = re.compile(r"(?<![A-Za-z0-9])[A-Z]{2}\d\d(?:[ -]?[A-Z0-9]){11,30}", re.IGNORECASE)
_FIGURE = re.compile(r"\d")


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


def numbers(text: str) -> Iterator[SecretSpan]:
    """Yield the numbers of people in a text."""
    if not _FIGURE.search(text):
        return
    yield from (SecretSpan(*match.span(), "id") for match in _CITIZEN.finditer(text))
    yield from (SecretSpan(*match.span(), "id") for match in _EIGHTEEN.finditer(text) if _is_citizen(match[0]))
    yield from (SecretSpan(*match.span("value"), "id") for match in _PASSPORT.finditer(text))
    yield from _cards(text)
    yield from _accounts(text)
    yield from (SecretSpan(*match.span(), "id") for match in _SOCIAL.finditer(text))
    for regex in _PHONES:
        yield from (SecretSpan(*match.span(), "phone") for match in regex.finditer(text))


def _is_citizen(text: str) -> bool:
    """Return whether a number has the check digit of ISO 7064 and a day of birth."""
    total = sum(weight * int(figure) for weight, figure in zip(_WEIGHTS, text, strict=False))
    return "10X98765432"[total % 11] == text[-1].upper() and bool(re.fullmatch(r"(?:19|20)\d\d" + _DAY, text[6:14]))


def _cards(text: str) -> Iterator[SecretSpan]:
    """Yield numbers of cards: whole, in groups as they are printed, and in groups of two."""
    for row in _GROUPS.finditer(text):
        if sum(map(str.isdigit, row[0])) < 13:
            continue
        groups = [*re.finditer(r"\d+", row[0])]
        if len(groups) > 6 and all(len(group[0]) == 2 for group in groups[:-1]) and _is_card(row[0]):
            yield SecretSpan(*row.span(), "card")
            continue
        for place, first in enumerate(groups):
            for end in range(place + _MOST_GROUPS, place, -1):
                item = groups[place:end]
                form = " ".join(group[0] for group in item)
                if _CARD_FORMS.fullmatch(form) and _is_card(form):
                    yield SecretSpan(row.start() + first.start(), row.start() + item[-1].end(), "card")
                    break


def _is_card(text: str) -> bool:
    """Return whether figures have the first ones, the number and the check digit (Luhn) of a card."""
    figures = [int(item) for item in text if item.isdigit()][::-1]
    doubled = [sum(divmod(2 * figure, 10)) for figure in figures[1::2]]
    known = _ISSUER.match("".join(map(str, figures[:-3:-1])))
    return (
        bool(known)
        and 13 <= len(figures) <= 19
        and len(set(figures)) > 1
        and (sum(figures[::2]) + sum(doubled)) % 10 == 0
    )


def _accounts(text: str) -> Iterator[SecretSpan]:
    """Yield IBANs: what ends after a whole group and is 1 modulo 97."""
    for match in _IBAN.finditer(text):
        for end in range(match.end(), match.start() + 14, -1):
            compact = re.sub("[ -]", "", text[match.start() : end]).upper()
            if not text[end : end + 1].isalnum() and len(compact) >= 15 and _is_account(compact):
                yield SecretSpan(match.start(), end, "account")
                break


def _is_account(text: str) -> bool:
    return int("".join(str(int(item, 36)) for item in text[4:] + text[:4])) % 97 == 1
