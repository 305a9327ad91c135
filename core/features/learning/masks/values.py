"""Recognize names of secrets by their parts, find the values after them, and decide which values are secrets."""

import re
from enum import IntEnum
from functools import lru_cache
from math import log2
from typing import NamedTuple

from core.base.text import CJK
from core.features.learning.masks.spans import ESCAPE, MASK, Match, Secrets, SecretSpan


class Grade(IntEnum):
    """The values that count as secrets after a name: none, random strings, all but words, or all but placeholders."""

    NONE = 0
    RANDOM = 1
    NO_WORD = 2
    ANY = 3


# Parts of names. Every name of a secret contains at least one, except the names in OTHER_NAMES.
HINTS = tuple(
    "pass pwd pw pswd psw pword secret token key cred auth sess sig otp pin puk code cvv assw psk mnemonic phrase"
    " cvc ssn bearer contrase ugfzc3dvcmq6"
    " kennwort senha salasana".split()
)
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_SURE = (
    r"p?assw|passphrase|passcode|passkey|pwd|pswd|pword|psw|secret(?!ar)|credential|contrase|kennwort|senha"
    r"|salasana|sessid"
)
_WORDS = "pass passe pw cred creds otp totp pin puk cvv cvc ssn psk mnemonic bearer authcode requirepass masterauth"
_NOT_PASS = "bypass compass trespass surpass overpass underpass multipass singlepass"
_OF_KEY = (
    "api access auth client private priv secret signing sign encryption encrypt encrypted decryption master account"
    " shared subscription service deploy deployment ssh gpg pgp rsa license licence storage app application consumer"
    " webhook admin root hmac aes jwt ingest cipher crypt crypto function pre psk wpa wifi fi recovery unlock security"
    " openai anthropic stripe aws azure google gcp github gitlab sendgrid twilio host"
)
_OF_TOKEN = (
    "access refresh auth bearer api id csrf xsrf session bot personal deploy app registry slack github"
    " gitlab npm device"
    " push login reset security vault private oauth jwt secret"
)
_OF_CODE = (
    "door gate alarm safe lock locker garage building lobby keypad"
    " auth authorization verification security sms login access invite activation mfa recovery backup pairing unlock"
    " otp card confirmation pin reset"
)
# For each grade, the pattern for name parts between underscores. The most certain grade is first.
_GRADES = {
    grade: re.compile("_(?:" + re.sub("<(.+?)>", lambda words: f"(?:{words[1].replace(' ', '|')})", names) + ")(?=_)")
    for grade, names in (
        (
            Grade.ANY,
            f"<{_OF_KEY}>_?key|(?:<{_OF_TOKEN}>|my[a-z]*)_?token|<{_OF_CODE}>_codes?"
            f"|<seed recovery backup secret>_phrase|pass_<word wd phrase code>"
            f"|[a-z]*(?:{_SURE})[a-z]*|<{_WORDS}>|(?!<{_NOT_PASS}>_)[a-z]*<pass pw>",
        ),
        (
            Grade.NO_WORD,
            f"<{_OF_KEY}>_keys|<{_OF_TOKEN}>_tokens|session_id|[a-z]*token|<auth basicauth sessionid signature sig>",
        ),
        (Grade.RANDOM, "keys?|tokens|<session sid authorization>"),
    )
}
# Parts that, appended to a secret's name, turn it into the name of a property, as in `token_ttl`.
_ABOUT = frozenset(
    "min max minimum maximum length len size sizes ttl expire expires expiry expired expiration age"
    " count counts counter"
    " num number limit limits timeout attempts attempt retries rotation policy policies rule rules strength type types"
    " kind name names label hint column path paths file files filename dir directory folder url uri"
    " endpoint method mode"
    " provider providers service server version format encoding algorithm alg error errors exception"
    " reset change changed"
    " required enabled disabled valid invalid validation validator check match manager store ratio rate"
    " usage used total hasher hashers encoder encoders validators backend backends stdin header headers"
    " index bucket budget window cost through less fail failed failure scope scopes location lookup id ids map order"
    " press up down code codes ring board set sets space usage handler callback class field fields for of in protected"
    " policy generator gen helper prompt placeholder mask masked masker masking warning warnings".split()
)
_COUNTED = frozenset("max min num total public primary foreign sort cache partition unique composite index".split())
# Pattern for names of secrets in other languages.
OTHER_NAMES = (
    r"密码|口令|[密秘私]钥|密匙|令牌|验证码|密碼|金鑰|密鑰|驗證碼|授权码|提取码|动态码|校验码|激活码|安全码|取件码|凭证|凭据|关键内容|暗号|助记词"
    r"|(?:访问|通行|恢复|备用|备份|开门|门禁|解锁|登录|登陆|邀请|认证|身份|配对|PIN|PUK)\s?代?码"
    r"|パスワード|暗証番号|비밀번호|암호|пароль|mot de passe"
)
# Matches OTHER_NAMES, and "Password:" in Base64, the prompt used by mail servers (RFC 4954).
OTHER = re.compile(f"(?i){OTHER_NAMES}|UGFzc3dvcmQ6")


@lru_cache(maxsize=16_384)
def grade(name: str) -> Grade:
    """Return a name's grade, from Grade.NONE if it can't name a secret to Grade.ANY if it certainly does."""
    if OTHER.search(name):
        return Grade.ANY
    form = "_".join(["", *_PARTS.findall(name), ""]).lower()
    for sure, regex in _GRADES.items():
        if found := [*regex.finditer(form)]:
            about = _ABOUT & {*form[found[-1].end() :].split("_")}
            counted = sure is not Grade.ANY and _COUNTED & {*form[: found[-1].start()].split("_")}
            is_session = form.endswith("_id_") and "_session_" in form
            return Grade.RANDOM if (about or counted) and not is_session else sure
    return Grade.NONE


_MARK = re.compile(
    r"(?:[bBrRuUfF]{1,2}|[@$LNEn])?(?:\\{0,7}(?:\"{3}|'{3}|[\"'`])|&quot;|&#3[49];|&apos;|%2[27]|[“‘「『«])"
)
# A quoted value. The last group is the text between the quotes. An escaped or doubled quote doesn't end the value.
_QUOTED = re.compile(
    r"(?:[bBrRuUfF]{1,2}|[@$LNEn])?(?:(?P<mark>\"{3}|'{3})(?P<lines>(?s:.*?))(?P=mark)"
    r"|\"(?!\"\")(?P<double>(?:(?:[^\\\n\"]|\\.)(?:\"\")*+)*+)\"|'(?!'')(?P<single>(?:(?:[^\\\n']|\\.)(?:'')*+)*+)'"
    r"|`(?P<back>(?:[^\\\n`]|\\.)*+)`"
    r"|(?P<escaped>(?>\\{1,7}(?:\"{3}|'{3}|[\"'`]))|&quot;|&#3[49];|&apos;|%2[27])(?P<line>[^\n]*?)(?P=escaped)"
    r"|“(?P<curly>[^\n”]*)”|‘(?P<inner>[^\n’]*)’|「(?P<corner>[^\n」]*)」|『(?P<white>[^\n』]*)』|«(?P<angle>[^\n»]*)»)"
)
_NO_OPENING = re.compile(r"[ \t]*(?:[)\],;:}.+|]|$|\n)")
_NEXT = re.compile(r"[ \t]*[+.]?[ \t]*(?=[bBrRuUfF]?[\"'])")
# Maximum length, in characters, of a quoted value or an XML element.
MOST = 4_000
_BARE = re.compile(
    r"(?:\$\{[^{}\n]{0,200}\}|\$?\{\{[^{}\n]{0,200}\}\}|\{[\w.\[\]!:]{1,60}\}|<[\w -]{1,60}>"
    rf"|[^\s\"'`,;&|<>()\]}}。、】」』”’\\]|\\(?![\"'])|\((?=[^\s])|[\"'`](?=[^\s\"'`,;:&|<>)\]}}.\\])"
    rf"|[,;](?![\s\"']|$|\\|[\w.-]{{1,40}}\s{{0,4}}[=:]|[{CJK}])|&(?!(?:amp;)?[\w.\[\]-]{{1,40}}=)(?=\S)"
    r"|[)\]}>](?=[^\s\"'`,;:.)\]}<>|\\])|\|(?=[^\s|])|<(?![/A-Za-z!])(?=\S))++"
)
_URL_BARE = re.compile(r"(?:[^\s\"'`<>&)\]}\\]|&(?!(?:amp;)?[\w.\[\]-]{1,40}=)(?=\S))++")
# Text with balanced parentheses, nested up to eight levels deep, ignoring any in quotes.
_INNER = ""
for _ in range(8):
    _INNER = rf"(?:[^()\"'\n]|\"[^\"\n]*+\"?|'[^'\n]*+'?|\({_INNER}\))*+"
# Text in parentheses, which may span several lines.
_BRACKETS = re.compile(rf"\({_INNER}\)".replace(r"\n", ""))
_CALL = re.compile(
    r"(?:(?:await|new|return)[ \t]+)?(?P<name>[A-Za-z_][A-Za-z_.:]*\d{0,3})!?(?:<[\w, ]{0,40}>)?"
    rf"\((?!\w{{0,3}}[ ]?[\u3400-\u9fff])(?P<inner>{_INNER})\)(?=[\s\[,;.)\]}}:|\"'`&<*。，”]|\Z)"
)
# The only argument of a call, if it is unquoted.
_SOLE = re.compile(r"\s*(?:\w+=)?(?P<value>(?=[^\s(),=]*\d)[^\s(),=\"']{4,})\s*")
_GETTERS = frozenset("getenv get getitem getattr header env lookup fetch read".split())
_CHOICE = re.compile(r"\s{0,4}(?:\|\||\?\?|\?:|or\b|if [^\n\"']{1,80} else)\s{0,4}")
_LITERAL = re.compile(
    r"(?<![A-Za-z0-9_])(?:[bBrRuUfF]{1,2}|@)?(?P<mark>\\{0,3}[\"'])(?P<text>(?:(?!(?P=mark))[^\n]){1,1000})(?P=mark)"
)

_GROUP = re.compile(r"(?:\[[^]]{1,4000}\]|\{\s{0,40}\\{0,3}[\"'][^}]{1,4000}\})(?=[\s\[,;.)\]}:|\"'`&<*。，”]|$)")
_KEY = re.compile(r"\s{0,8}:")
# Long runs that aren't tokens: UUIDs, numbers, and hyphenated or camel-case words.
_ORDINARY = re.compile(
    r"(?i)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\d+(?:[-_]\d+)*|[a-z]+(?:[-_][a-z]+)*"
    r"|(?-i:[A-Z]?[a-z]{3,}\d?(?:[A-Z][a-z]{3,}\d?)+)",
)
# A possible token (`run`). The alternatives before it aren't tokens: named hashes and ids, images, checksums.
_RUN = re.compile(
    r"(?i:\b(?:commit|merge|revision|rev|tree|parent|blob|object|index|head is now at|checksum|digest|etag"
    r"|integrity|(?:trace|span|parent|request|correlation|event|build|image|container)[_-]?id|traceparent|x-b3-\w+"
    r"|sha-?\d{1,3}(?:sums?)?|md5(?:sums?)?(?:[ ]\([^()\n]{1,200}\))?|git)(?!\w)[\"']?[-:=@ ]{0,3}"
    r"[\"']?(?:W/\")?|(?<=\w)@)"
    r"(?:sha\d{1,3}[-:])?(?:[0-9a-f]{32,}|[0-9A-F]{32,}|00-[0-9a-f]{32}-[0-9a-f]{16}-\d\d|(?i:(?<=sha...))[-:]?[\w+/=]{27,88})"
    r"(?![\w+/])"
    r"|\b(?:ssh-(?:rsa|dss|ed25519)|ecdsa-[\w-]{1,40}|sk-\w[\w@.-]{1,60}) AAAA[\w+/=]*+"
    r"|\bh1:[\w+/]{43}=|data:(?:image|font|audio|video)/[\w.+-]{1,60};base64,[\w+/=]*+"
    r"|(?<![\w+/-])[0-9a-f]{32,128}(?=[ ][ *][\w./-]{1,200}\.\w)"
    r"|(?<![A-Za-z0-9+/_-])(?P<run>[A-Za-z0-9+/_-]{20,}+={0,2})"
)
_AROUND = re.compile(r"(?:[.~:]?[A-Za-z0-9+/_=-])*+")
_PART = re.compile(r"[^/=]{16,}+")
_LONG_PART = re.compile(r"[^-_/]{16}")
# Matches text long enough to be an unknown token. The minimum is greater if upper case, lower case or digits are
# missing.
_LONG = re.compile(r"(?s)(?=.*[A-Z])(?=.*[a-z])(?=.*\d).{20,}|.{24,}")
# Minimum number of changes between kinds of characters, per character of an unknown token. Words have fewer.
_LEAST_CHANGES = 0.3
_LEAST_CHANGES_OF_LETTERS = 0.4
_CHANGE = re.compile(r"(?<=[a-z])(?=[A-Z\d])|(?<=[A-Z])(?=[a-z\d])|(?<=\d)(?=[A-Za-z])")
# Minimum entropy of an unknown token, in bits per character.
_LEAST_BITS = 3.0
_HEXADECIMAL = re.compile(r"[0-9a-f]{32,}|[0-9A-F]{32,}")

_PLACEHOLDER = re.compile(
    r"(?i)<[A-Za-z_ ./:|-]{1,60}>|\$\{[\w.:/-]{1,80}\}|\$[A-Za-z_]\w*(?:[.:>\[-].*)?|\$\{\{.*\}\}|\$\(.*\)"
    r"|`[^`]*`|%\w{1,40}%|%\(\w+\)s?|%[sdrvq]"
    r"|\{{1,2}[^{}]{0,80}\}{1,2}|#\{.*\}|<%.*%>|\?|:[a-z_]+|[*•●█]{2,}|[xX]{3,}|[.…_#-]+|\.{2,}|\[[A-Za-z"
    r" _-]{1,40}\]|!\w+\b.*|@\w+@"
    r"|(?:your|my|some|the|an?|insert|enter|put|replace|example|dummy|sample|fake)[-_ ][A-Za-z_ -]*"
    r"|YOUR[A-Z_]*|[A-Z_]*(?-i:TOKEN|KEY|SECRET|PASSWORD)[A-Z_]*|password|example|include|omit|redacted|hidden|filtered"
    r"|masked|removed|omitted|censored|suppressed|secret_here|(?:true|false|yes|no|on|off|none|null|nil"
    r"|undefined|nan|void|auto|optional"
    r"|required|enabled|disabled|str|string|int|integer|bool|boolean|bytes?|char|text|varchar|number"
    r"|float|any|object|array|list|dict|map"
    r"|uuid|date|self|this|unset|empty|absent|present|n/a)[?!;,.)]*(?:\[.*\])?|\[?[A-Z]?[a-z]+\[[A-Za-z, |]+\]?",
)
# Placeholders in a format string.
_FORMATTED = re.compile(r"\{[^{}]*\}|%(?:\(\w+\))?[-+ #]?[\d.]*[sdrifx]\b|\(\.[*+]\??\)|\\x00")
# A variable with a default value.
_DEFAULT = re.compile(r"\$\{[\w.]+:[-=?]?(?P<value>[^{}]+)\}")
_NAMES = r"(?:[A-Za-z_]\w*(?:\.|->|::))*[A-Za-z_]\w*"
# An expression with an index, such as `os.environ["KEY"]`, without digits in its first name.
_INDEXED = re.compile(
    rf"(?a)(?=[A-Za-z_]{{2,}}(?!\w)|[A-Za-z_](?!\w)[^{{]*\Z){_NAMES}"
    r"(?:\[(?:[\"'].*|[A-Za-z_]\w*\].*|\d+\]?)|\{.*)",
)
# A name with several parts and no digits, such as `settings.api_key`.
_COMPOSED = re.compile(rf"(?a)(?=.*(?:\.|->|::|_|[a-z][A-Z]))(?!.*(?:\d|[a-z][A-Z][a-z][A-Z])){_NAMES}")
_HEADS = frozenset(
    "self this args arg config cfg conf settings os env environ process request req response res options"
    " opts ctx context"
    " params data user cls secrets var vars local module props state event input form session app values"
    " row item kwargs"
    " process import".split()
)
_SEGMENT = r"[\w.@+ ,%$(){}-]+"
_PATH = re.compile(
    rf"(?:~|\.{{1,2}}|[\w.-]{{1,40}}:|\$\{{?\w+\}}?)?(?:[/\\]{{1,2}}{_SEGMENT}){{1,40}}[/\\]?"
    rf"|{_SEGMENT}(?:/{_SEGMENT}){{2,40}}/?"
    r"|[\w./-]+\.(?:pem|key|txt|json|ya?ml|env|conf|ini|crt|cer|p12|pfx|jks|gpg|pub|py|jsx?|tsx?|go|rs"
    r"|java|md|html|kdbx|asc|cfg|toml"
    r"|xml|csv|log|sh|php|rb|vue|test)(?::\d+)*"
)
_LINK = re.compile(r"[a-z][a-z0-9+.-]{1,20}://\S*|(?:www\.)\S+|\S+@\S+\.\w+", re.IGNORECASE)
_FLAG = re.compile(r"--?[a-z][a-z-]*(?:=\S*)?")
# Words that continue a sentence after the name of a secret.
_PROSE = (
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
    " denied correct expire raise return ok okay"
    " unknown provided given specified expected hidden visible encrypted hashed"
    " protected managed available"
    " unavailable based rejects authentication authorization rules length strength field prompt input"
    " output contains contain created"
    " deleted generated loaded found saved checked verified matched matches cannot can't isn't doesn't"
    " don't won't wasn't didn't works"
    " looks seems gets got read reads written stolen leaked lost safe unsafe weak strong short long too"
    " very really still already"
    " part pieces way question problem answer point idea reason difference thing things one two three"
    " four five choose pick type types"
    " make makes need needs let rotate revoke refresh add remove request refreshing whether about hash salt"
)
_STOPS = re.compile(r"(?i)\b(?:the|is|are|must|be|your|to|of|an?|at|and|or|not|it|this|you|for|in|with)\b")
_CHINESE = re.compile(r"[\u3400-\u9fff]")
_CHINESE_PROSE = (
    r"(?=[\u3400-\u9fff])(?:[是为有在和与或的了]|必须|至少|最[少多长短]|不|已|请|应|需|要|错|无|由|长度|强度|过期|正确|输入"
    r"|未|没|可|会|包含|太|只|用|存|放|保|找|忘|重"
    r"|修改|策略|管理|登录|失效|校验|格式|规则|建议|尽|统一|加密|都|每|定期|默认|一定|千万|别|仍|仅|被|将|能|该)"
)
_FIRST_WORD = f"(?:{_PROSE.replace(' ', '|')})"
# The continuation of a sentence after the name of a secret.
_SENTENCE = re.compile(
    rf"(?i:{_FIRST_WORD})(?![A-Za-z'])(?=[^\w@#$%^&*+=~]*(?:\s|$))|{_CHINESE_PROSE}|(?=[\u3400-\u9fff])[^A-Za-z0-9]*\Z"
)
_LABEL = re.compile(rf"(?i:{_FIRST_WORD})(?!\S)|{_CHINESE_PROSE}")
# Common terms that contain digits but aren't secrets.
_COMMON = re.compile(
    r"(?i:v\d+|v?\d+(?:\.\d+)+|oauth\d?|o?auth2\.0|http/?\d(?:\.\d)?|[hre]s\d{3}|sha-?\d{1,3}|md5"
    r"|utf-?\d{1,2}|base\d\d|aes-?\d*|ed25519|p-?\d{3}"
    r"|x509|pkcs\d+|\d+(?:ms|s|m|h|d|kb|mb|gb|px|em|%)|#?\d{1,3}(?:st|nd|rd|th)?|rfc\d+|s3|ec2|k8s|i18n"
    r"|mysql\d|python\d)"
)
_UNMIXED = re.compile(
    rf"(?s).{{0,5}}|\d.*|.*[/\\].*|[^A-Za-z]*|\D*|[A-Za-z_][\w.-]*=(?:[^A-Z]*|\d{{4}}-\d\d.*)|{_COMMON.pattern}|(?i:{_LINK.pattern})",
)
_RANDOM = re.compile(r"(?=.*\d.*\d)[^\W_]{12,}")
_NO_WORD = re.compile(r"(?s)(?=.{4})(?=.*[A-Za-z])(?=.*(?:\d|[@#$%^&*+=~]|[!?].*[^!?]))|\d{6,}\Z")
_MIXED = re.compile(r"(?=.*[A-Z])(?=.*[a-z])[^\W_]{8,}")
_SECRET_WORD = re.compile(rf"(?i)\b(?:password|passphrase|token|secret|key|pin|code|credentials?)s?\b|{OTHER_NAMES}")

# Length, in characters, above which any value counts as a secret.
LONGEST = 1_000


class Value(NamedTuple):
    """The span of a value, without its quotes."""

    start: int
    end: int
    quoted: bool = True


def quoted_value(text: str, at: int) -> Value | None:
    """Return the quoted value at the offset `at`, or None if there is none.

    Concatenated strings count as one value. An unclosed value ends with its line.
    """
    if not (mark := _MARK.match(text, at)):
        return None
    start = mark.end()
    quoted = _QUOTED.match(text, at, at + MOST)
    if quoted is None:
        line = text.find("\n", start)
        return None if _NO_OPENING.match(text, start) else Value(start, line if line >= 0 else len(text))
    while (more := _NEXT.match(text, quoted.end())) and (further := _QUOTED.match(text, more.end(), more.end() + MOST)):
        quoted = further
    return Value(start, quoted.end(quoted.lastgroup or ""))


def values_at(text: str, at: int, *, in_url: bool = False) -> list[Value]:
    """Return the values at the offset `at`. A call, a list, or an expression with a fallback has several values."""
    if item := quoted_value(text, at):
        return [item]
    if text.startswith("(", at) and quoted_value(text, at + 1):
        group = _BRACKETS.match(text, at, at + MOST)
        return _literals(text, at, group.end() if group else at + MOST)
    if in_url:
        match = _URL_BARE.match(text, at)
        return [Value(*match.span(), quoted=False)] if match else []
    if call := _CALL.match(text, at):
        return [*_arguments(text, call), *_otherwise(text, call.end())]
    if text.startswith(("[", "{"), at) and (group := _GROUP.match(text, at)):
        close = group.end() - 1
        found = [value for value in _literals(text, at, close) if not _KEY.match(text, value.end + 1)]
        return found or [Value(at + 1, close, quoted=False)]
    bare = _BARE.match(text, at)
    return [Value(*bare.span(), quoted=False), *_otherwise(text, bare.end())] if bare else []


def _literals(text: str, start: int, end: int) -> list[Value]:
    """Return the quoted values between two positions."""
    return [Value(*match.span("text")) for match in _LITERAL.finditer(text, start, end)]


def _otherwise(text: str, at: int) -> list[Value]:
    """Return the quoted fallback after an expression, as in `env.KEY || "…"`."""
    choice = _CHOICE.match(text, at)
    return [*filter(None, [quoted_value(text, choice.end())])] if choice else []


def _arguments(text: str, call: Match) -> list[Value]:
    """Return the values passed to a call. A getter's key and an input function's prompt don't count."""
    found = _literals(text, *call.span("inner"))
    last = re.split(r"[.:]", call["name"])[-1].lower()
    if last in ("getpass", "input", "prompt"):
        return []
    if last in _GETTERS:
        return found[1:]
    if found:
        return [value for value in found if not _is_name(text[value.start : value.end])]
    sole = _SOLE.fullmatch(text, *call.span("inner"))
    return [Value(*sole.span("value"), quoted=False)] if sole else []


def _is_name(value: str) -> bool:
    return bool(re.fullmatch(r"[A-Za-z_.-]+", value) and grade(value))


def find_tokens(text: str) -> Secrets:
    """Yield the sequences of characters, or parts of paths, that look like tokens."""
    for run in _RUN.finditer(text):
        if not run["run"]:
            continue
        if is_token(run[0]):
            yield SecretSpan(run.start(), (_AROUND.match(text, run.end()) or run).end(), "secret")
            continue
        for part in _PART.finditer(text, *run.span()):
            if is_token(part[0]):
                yield SecretSpan(*part.span(), "secret")


def is_token(text: str) -> bool:
    """Return whether a string is random enough to be a token."""
    core = text.strip("=-_/+")
    if _HEXADECIMAL.fullmatch(core):
        return len(set(core)) > 4
    if _ORDINARY.fullmatch(core) or not _LONG.fullmatch(core):
        return False
    if not _LONG_PART.search(core) and not ("/" in core and change_rate(core) >= _LEAST_CHANGES):
        return False
    entropy = -sum(share * log2(share) for share in (core.count(letter) / len(core) for letter in set(core)))
    least = _LEAST_CHANGES if re.search(r"\d", core) else _LEAST_CHANGES_OF_LETTERS
    return change_rate(core) >= least and entropy >= _LEAST_BITS


def change_rate(text: str) -> float:
    """Return the number of changes between kinds of characters, divided by the length of the text."""
    return len(_CHANGE.findall(text)) / max(1, len(text))


def is_placeholder(value: str) -> bool:
    """Return whether a value is only a placeholder for a secret."""
    return bool(MASK.fullmatch(value) or _PLACEHOLDER.fullmatch(value.strip()))


def is_secret(value: str, sure: Grade, *, quoted: bool = False, said: bool = False) -> bool:
    """Return whether a value is a secret. `sure` is the grade of the value's name.

    If `said` is True, the value may be part of a sentence, so ordinary words don't count as secrets.
    """
    if len(value) > LONGEST:
        return True
    value = value.strip().rstrip("*`)")
    if not any(map(str.isalnum, _FORMATTED.sub("", value))):
        return False
    if default := _DEFAULT.fullmatch(value):
        value = default["value"]
    if len(value) < 2 or is_placeholder(value) or _LINK.fullmatch(value) or _is_path(value) or _COMMON.fullmatch(value):
        return False
    if _is_label(value) if quoted else _FLAG.fullmatch(value) or _SENTENCE.match(value) or _is_code(value):
        return False
    if value.rstrip(".!。").isdigit():
        return len(value) >= (4 if sure is Grade.ANY else 6) and sure is not Grade.RANDOM
    if sure is Grade.RANDOM:
        return is_token(value) or bool(_RANDOM.fullmatch(value) and change_rate(value) >= 0.25)
    return is_token(value) or bool(_NO_WORD.match(value)) or not (sure is Grade.NO_WORD or said)


def is_phrase(value: str) -> bool:
    """Return whether a value may be a passphrase: several words that don't form a sentence."""
    return len(value.split()) > 2 and not (_STOPS.search(value) or _SECRET_WORD.search(value) or is_placeholder(value))


def is_mixed(run: str) -> bool:
    """Return whether a string looks like a password.

    A password has punctuation between letters or digits, or changes the kind of character often.
    """
    run = re.split(r"&(?=[\w.-]{1,40}=)", run)[0].strip("*_~.!?#-")
    if ESCAPE.search(run) or _UNMIXED.fullmatch(run) or is_placeholder(run) or _is_path(run):
        return False
    if re.search(r"[\w@.][!#$%^&*+=?~][\w@]", run) and not run.startswith("%"):
        return True
    return bool(_MIXED.fullmatch(run)) and change_rate(run) >= 0.3


def _is_path(value: str) -> bool:
    return (
        bool(_PATH.fullmatch(value))
        and all(len(part) < 30 and (change_rate(part) < 0.25 or len(part) < 8) for part in re.split(r"[/\\]", value))
        and (value[0] in "/~.\\$" or value[1:2] == ":" or "/" not in value or not re.search(r"\d\D|[!+=]", value))
    )


def _is_code(value: str) -> bool:
    """Return whether an unquoted value is an expression, such as `settings.api_key` or `os.environ["KEY"]`."""
    if not _COMPOSED.fullmatch(value):
        return bool(_INDEXED.fullmatch(value))
    parts = re.split(r"\.|->|::", value)
    return any(map(grade, parts)) or parts[0].lower() in _HEADS


def _is_label(value: str) -> bool:
    """Return whether a quoted value is a sentence or the label of a form field."""
    named = bool(_SECRET_WORD.search(value))
    words = len(value.split())
    if _CHINESE.match(value):
        return named or bool(_LABEL.match(value))
    if words > 1 and named and not re.search(r"\d", value):
        return True
    if words > 2:
        return bool(_LABEL.match(value) or _STOPS.search(value)) or value.endswith(".")
    return named and bool(re.fullmatch(r"[A-Z][a-z]+\W{0,2}", value))
