"""Whether what is after the name of a secret is one: no placeholder, path, flag, reference or word of prose."""

import re

from core.features.learning.masks.names import OTHER_NAMES, Grade, grade
from core.features.learning.masks.spans import MASK
from core.features.learning.masks.tokens import change_rate, is_token

_PLACEHOLDER = re.compile(
    r"<[A-Za-z_ ./:|-]{1,60}>|\$\{[\w.:/-]{1,80}\}|\$[A-Za-z_]\w*(?:[.:>\[-].*)?|\$\{\{.*\}\}|\$\(.*\)"
    r"|`[^`]*`|%\w{1,40}%|%\(\w+\)s?|%[sdrvq]"
    r"|\{{1,2}[^{}]{0,80}\}{1,2}|#\{.*\}|<%.*%>|\?|:[a-z_]+|[*•●█]{2,}|[xX]{3,}|[.…_#-]+|\.{2,}|\[[A-Za-z"
    r" _-]{1,40}\]|!\w+\b.*|@\w+@"
    r"|(?:your|my|some|the|an?|insert|enter|put|replace|example|dummy|sample|fake)[-_ ][A-Za-z_ -]*"
    r"|YOUR[A-Z_]*|[A-Z_]*(?-i:TOKEN|KEY|SECRET|PASSWORD)[A-Z_]*|redacted|hidden|filtered"
    r"|masked|removed|omitted|censored|suppressed|secret_here|(?:true|false|yes|no|on|off|none|null|nil"
    r"|undefined|nan|void|auto|optional"
    r"|required|enabled|disabled|str|string|int|integer|bool|boolean|bytes?|char|text|varchar|number"
    r"|float|any|object|array|list|dict|map"
    r"|uuid|date|self|this|unset|empty|absent|present|n/a)[?!;,.)]*(?:\[.*\])?|\[?[A-Z]?[a-z]+\[[A-Za-z, |]+\]?",
    re.IGNORECASE,
)
_FORMATTED = re.compile(r"\{[^{}]*\}|%(?:\(\w+\))?[-+ #]?[\d.]*[sdrifx]\b|\(\.[*+]\??\)|\\x00")
"""Fields of a text with variables."""
_DEFAULT = re.compile(r"\$\{[\w.]+:[-=?]?(?P<value>[^{}]+)\}")
"""A variable with the value that it has where it isn't set."""
_CODE = re.compile(
    r"(?:[A-Za-z_]\w*(?:\.|->|::))*[A-Za-z_]\w*(?:\[(?:[\"'].*|[A-Za-z_]\w*\].*|\d+\]?)|\{.*)?", re.ASCII
)
_HEADS = frozenset(
    "self this args arg config cfg conf settings os env environ process request req response res options"
    " opts ctx context"
    " params data user cls secrets var vars local module props state event input form session app values"
    " row item kwargs"
    " process import".split()
)
_SEGMENT = r"[\w.@+ ,%$(){}-]+"
_PATH = re.compile(
    rf"(?:~|\.{{1,2}}|[A-Za-z]:|file:|\$\{{?\w+\}}?)?(?:[/\\]{{1,2}}{_SEGMENT}){{1,40}}[/\\]?"
    rf"|{_SEGMENT}(?:/{_SEGMENT}){{2,40}}/?"
    r"|[\w./-]+\.(?:pem|key|txt|json|ya?ml|env|conf|ini|crt|cer|p12|pfx|jks|gpg|pub|py|jsx?|tsx?|go|rs"
    r"|java|md|html|kdbx|asc|cfg|toml"
    r"|xml|csv|log|sh|php|rb|vue|test)(?::\d+)*"
)
_LINK = re.compile(r"[a-z][a-z0-9+.-]{1,20}://\S*|(?:www\.)\S+|\S+@\S+\.\w+", re.IGNORECASE)
_FLAG = re.compile(r"--?[a-z][a-z-]*(?:=\S*)?")
_PROSE = frozenset(
    "the a an is are was were be been being has have had having must should shall can cannot could may"
    " might will would do does did not no"
    " nor too and or but if for in on at to from with without by as of off into onto than that this"
    " these those it its your my our their"
    " his her any all each every both some none required expired expires invalid missing wrong incorrect"
    " rotated revoked changed failed"
    " mismatch verification header value unset empty set enter reset forgot forgotten change update"
    " updated use used uses using keep kept"
    " store stored stores shared sent send stays lies lives never always only just also now then when"
    " where which who why how what more most"
    " less least between before after during since until over under again once here there please see ask"
    " asks asked accepted rejected refused"
    " denied correct ok okay unknown provided given specified expected hidden visible encrypted hashed"
    " protected managed available"
    " unavailable based rejects authentication authorization rules length strength field prompt input"
    " output contains contain created"
    " deleted generated loaded found saved checked verified matched matches cannot can't isn't doesn't"
    " don't won't wasn't didn't works"
    " looks seems gets got read reads written stolen leaked lost safe unsafe weak strong short long too"
    " very really still already"
    " part pieces way question problem answer point idea reason difference thing things one two three"
    " four five choose pick type types"
    " make makes need needs let rotate revoke refresh add remove request refreshing whether about hash salt".split()
)
"""Words with which a sentence goes on after the name of a secret."""
_STOPS = re.compile(r"\b(?:the|is|are|must|be|your|to|of|an?|at|and|or|not|it|this|you|for|in|with)\b", re.IGNORECASE)
_CHINESE = re.compile(r"[\u3400-\u9fff]")
_CHINESE_PROSE = re.compile(
    r"(?:[是为有在和与或的了]|必须|至少|最[少多长短]|不|已|请|应|需|要|错|无|由|长度|强度|过期|正确|输入"
    r"|未|没|可|会|包含|太|只|用|存|放|保|找|忘|重"
    r"|修改|策略|管理|登录|失效|校验|格式|规则|建议|尽|统一|加密|都|每|定期|默认|一定|千万|别|仍|仅|被|将|能|该)"
)
_COMMON = re.compile(
    r"(?i)v\d+|v?\d+(?:\.\d+)+|oauth\d?|o?auth2\.0|http/?\d(?:\.\d)?|[hre]s\d{3}|sha-?\d{1,3}|md5"
    r"|utf-?\d{1,2}|base\d\d|aes-?\d*|ed25519|p-?\d{3}"
    r"|x509|pkcs\d+|\d+(?:ms|s|m|h|d|kb|mb|gb|px|em|%)|#?\d{1,3}(?:st|nd|rd|th)?|rfc\d+|s3|ec2|k8s|i18n"
    r"|mysql\d|python\d"
)
"""Words with figures that are no secrets."""
_SECRET_WORD = re.compile(rf"(?i)\b(?:password|passphrase|token|secret|key|pin|code|credentials?)s?\b|{OTHER_NAMES}")


LONGEST = 1_000
"""Characters of a value that may be no secret."""


def is_placeholder(value: str) -> bool:
    """Return whether a value only takes the place of a secret."""
    return bool(MASK.fullmatch(value) or _PLACEHOLDER.fullmatch(value.strip()))


def is_secret(value: str, sure: Grade, *, quoted: bool = False, said: bool = False) -> bool:
    """Return whether a value under a name of a grade is a secret; `said` is one after *is* or blanks."""
    if len(value) > LONGEST:
        return True
    value = value.strip()
    if not any(map(str.isalnum, _FORMATTED.sub("", value))):
        return False
    if default := _DEFAULT.fullmatch(value):
        value = default["value"]
    if len(value) < 2 or is_placeholder(value) or _LINK.fullmatch(value) or _is_path(value):
        return False
    if (_FLAG.fullmatch(value) and not quoted) or _COMMON.fullmatch(value):
        return False
    if _is_label(value) if quoted else _is_prose(value):
        return False
    if not quoted and _is_code(value):
        return False
    if value.rstrip(".!。").isdigit():
        return len(value) >= (4 if sure is Grade.ANY else 6) and sure is not Grade.RANDOM
    if sure is Grade.RANDOM:
        return is_token(value) or (
            len(value) >= 12 and sum(map(str.isdigit, value)) > 1 and change_rate(value) >= 0.25 and value.isalnum()
        )
    if sure is Grade.NO_WORD or said:
        return _is_no_word(value)
    return True


def is_phrase(value: str) -> bool:
    """Return whether a value may be words by chance, and no sentence, as a passphrase is."""
    is_sentence = _STOPS.search(value) or _SECRET_WORD.search(value) or is_placeholder(value)
    return len(value.split()) > 2 and not is_sentence


def is_mixed(run: str) -> bool:
    """Return whether a run of characters is as mixed as a password: letters, figures, and signs or both cases."""
    run = re.sub(r"\\+[nrt]$", "", run).strip("*_~.!?#-")
    name, sign, value = run.partition("=")
    if sign and not re.search(r"[A-Z]", value) and re.fullmatch(r"[A-Za-z_][\w.-]*", name):
        return False
    if len(run) < 6 or "/" in run or "\\" in run or run[0].isdigit() or _LINK.fullmatch(run) or _COMMON.fullmatch(run):
        return False
    if is_placeholder(run) or _is_path(run) or not (re.search("[A-Za-z]", run) and re.search(r"\d", run)):
        return False
    if re.search(r"[\w@.][!#$%^&*+=?~][\w@]", run) and not run.startswith("%"):
        return True
    return (
        run.isalnum()
        and len(run) >= 8
        and change_rate(run) >= 0.3
        and bool(re.search("[A-Z]", run) and re.search("[a-z]", run))
    )


def _is_no_word(value: str) -> bool:
    letters = bool(re.search("[A-Za-z]", value))
    figures = any(map(str.isdigit, value))
    signs = bool(re.search(r"[!@#$%^&*+=?~]", value.rstrip("!?")))
    return len(value) > 3 and (
        (letters and (figures or signs)) or is_token(value) or (value.isdigit() and len(value) >= 6)
    )


def _is_path(value: str) -> bool:
    return (
        bool(_PATH.fullmatch(value))
        and all(len(part) < 30 and (change_rate(part) < 0.25 or len(part) < 8) for part in re.split(r"[/\\]", value))
        and (value[0] in "/~.\\$" or value[1:2] == ":" or "/" not in value or not re.search(r"\d\D|[!+=]", value))
    )


def _is_code(value: str) -> bool:
    """Return whether a value without quotes is another name: `settings.api_key`, `os.environ["KEY"]`."""
    if not _CODE.fullmatch(value):
        return False
    parts = re.split(r"\.|->|::|[\[{]", value)
    if "[" in value or "{" in value:
        return not re.search(r"\d", parts[0]) and ("{" not in value or len(parts[0]) > 1)
    composed = len(parts) > 1 or "_" in value or re.search(r"[a-z][A-Z]", value)
    return (
        bool(composed)
        and not re.search(r"\d", value)
        and (any(grade(part) > Grade.NONE for part in parts) or parts[0].lower() in _HEADS)
    )


def _is_prose(value: str) -> bool:
    if _CHINESE.match(value):
        return bool(_CHINESE_PROSE.match(value)) or not re.search(r"[A-Za-z0-9]", value)
    first = re.match(r"[A-Za-z']+(?=[^\w@#$%^&*+=~]*(?:\s|$))", value)
    return bool(first) and first[0].lower() in _PROSE  # type: ignore[index]


def _is_label(value: str) -> bool:
    """Return whether a value in quotes is a sentence or a label of a form."""
    if _CHINESE.match(value):
        return bool(_CHINESE_PROSE.match(value)) or bool(_SECRET_WORD.search(value))
    words = value.split()
    if len(words) > 1 and _SECRET_WORD.search(value) and not re.search(r"\d", value):
        return True
    if len(words) > 2:
        return words[0].lower() in _PROSE or bool(_STOPS.search(value)) or value.endswith(".")
    return bool(re.fullmatch(r"[A-Z][a-z]+\W{0,2}", value)) and bool(_SECRET_WORD.search(value))
