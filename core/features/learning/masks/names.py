"""Names of secrets, recognized by their parts, and how certain a name is."""

import re
from enum import IntEnum
from functools import lru_cache


class Grade(IntEnum):
    """Which values after a name are secrets: none, random ones, all except words, or all except placeholders."""

    NONE = 0
    RANDOM = 1
    NO_WORD = 2
    ANY = 3


HINTS = tuple(
    "pass pwd pw pswd psw pword secret token key cred auth sess sig otp pin puk code cvv assw psk mnemonic phrase"
    " cvc ssn bearer contrase ugfzc3dvcmq6"
    " kennwort senha salasana".split()
)
"""Parts of names; every name of a secret contains one, except the names in OTHER_NAMES."""
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_SURE = re.compile(
    r"p?assw|passphrase|passcode|passkey|pwd|pswd|pword|psw|secret(?!ar)|credential|contrase|kennwort|senha|salasana|sessid"
)
_WORDS = frozenset(
    "pass passe pw cred creds otp totp pin puk cvv cvc ssn psk mnemonic bearer authcode requirepass masterauth".split()
)
_NOT_PASS = ("bypass", "compass", "trespass", "surpass", "overpass", "underpass", "multipass", "singlepass")
_OF_KEY = frozenset(
    "api access auth client private priv secret signing sign encryption encrypt encrypted decryption master account"
    " shared subscription service deploy deployment ssh gpg pgp rsa license licence storage app application consumer"
    " webhook admin root hmac aes jwt ingest cipher crypt crypto function pre psk wpa wifi fi recovery unlock security"
    " openai anthropic stripe aws azure google gcp github gitlab sendgrid twilio host".split()
)
_OF_TOKEN = frozenset(
    "access refresh auth bearer api id csrf xsrf session bot personal deploy app registry slack github"
    " gitlab npm device"
    " push login reset security vault private oauth jwt secret".split()
)
_OF_CODE = frozenset(
    "door gate alarm safe lock locker garage building lobby keypad"
    " auth authorization verification security sms login access invite activation mfa recovery backup pairing unlock"
    " otp card confirmation pin reset".split()
)
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
"""Parts that follow the name of a secret and turn it into the name of a property: `token_ttl`."""
_COUNTED = frozenset("max min num total public primary foreign sort cache partition unique composite index".split())
OTHER_NAMES = (
    r"密码|口令|[密秘私]钥|密匙|令牌|验证码|密碼|金鑰|密鑰|驗證碼|授权码|提取码|动态码|校验码|激活码|安全码|取件码|凭证|凭据|关键内容|暗号|助记词"
    r"|(?:访问|通行|恢复|备用|备份|开门|门禁|解锁|登录|登陆|邀请|认证|身份|配对|PIN|PUK)\s?代?码"
    r"|パスワード|暗証番号|비밀번호|암호|пароль|mot de passe"
)
"""Pattern of names of secrets in other languages."""
OTHER = re.compile(f"{OTHER_NAMES}|UGFzc3dvcmQ6", re.IGNORECASE)
"""Matches OTHER_NAMES, and *Password:* in Base64, the prompt of mail servers (RFC 4954)."""


@lru_cache(maxsize=16_384)
def grade(name: str) -> Grade:
    """Return how certain it is that a name belongs to a secret."""
    if OTHER.search(name):
        return Grade.ANY
    parts = [part.lower() for part in _PARTS.findall(name)]
    grades = [_part_grade(part, before) for part, before in zip(parts, ["", *parts], strict=False)]
    best = max(grades, default=Grade.NONE)
    if best is Grade.NONE:
        return best
    last = max(place for place, item in enumerate(grades) if item is best)
    about = any(part in _ABOUT for part in parts[last + 1 :])
    counted = best is not Grade.ANY and any(part in _COUNTED for part in parts[:last])
    if (about or counted) and not (parts[-1] == "id" and "session" in parts):
        return Grade.RANDOM
    return best


def _part_grade(part: str, before: str) -> Grade:
    """Return the grade of a part of a name; `before` is the part before it."""
    if _SURE.search(part) or part in _WORDS or (before == "pass" and part in ("word", "wd", "phrase", "code")):
        return Grade.ANY
    if part.endswith(("pass", "pw")) and part not in _NOT_PASS:
        return Grade.ANY
    for end, firsts, usual in (("key", _OF_KEY, Grade.RANDOM), ("token", _OF_TOKEN, Grade.NO_WORD)):
        if part.endswith(end):
            first = part[: -len(end)] or before
            known = first in firsts or (first.startswith("my") and end == "token")
            return Grade.ANY if known else usual if part == end or end == "token" else Grade.NONE
        if part == f"{end}s":
            return Grade.NO_WORD if before in firsts else Grade.RANDOM
    if part in ("code", "codes"):
        return Grade.ANY if before in _OF_CODE else Grade.NONE
    if part == "phrase":
        return Grade.ANY if before in ("seed", "recovery", "backup", "secret") else Grade.NONE
    if part in ("auth", "basicauth", "sessionid", "signature", "sig") or (part == "id" and before == "session"):
        return Grade.NO_WORD
    return Grade.RANDOM if part in ("session", "sid", "authorization") else Grade.NONE
