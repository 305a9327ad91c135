"""Secrets at random, of the kinds that stand in logs, and the texts around them; the same ones at every run."""

import base64
import json
import random
import string
from collections.abc import Callable, Iterator

_LETTERS = string.ascii_letters + string.digits
_LOWER = string.ascii_lowercase + string.digits


def _of(letters: str) -> Callable[[random.Random, int], str]:
    return lambda chance, n: "".join(chance.choice(letters) for _ in range(n))


_mixed, _low, _figures = _of(_LETTERS), _of(_LOWER), _of(string.digits)


def _jwt(chance: random.Random) -> str:
    def part(n: int) -> str:
        return base64.urlsafe_b64encode(chance.randbytes(n)).decode().rstrip("=")

    head = base64.urlsafe_b64encode(b'{"alg":"HS256","typ":"JWT"}').decode().rstrip("=")
    return f"{head}.{part(60)}.{part(32)}"


def _password(chance: random.Random) -> str:
    return (
        chance.choice("Trubador horse correct-Staple Blue!sky tiger".split())
        + chance.choice("!#%_*.?")
        + _mixed(chance, 6)
    )


KINDS: dict[str, Callable[[random.Random], str]] = {
    "password": _password,
    "word": lambda chance: chance.choice(("swordfish", "letmein", "dragonfly", "hunter", "monkey")) + _low(chance, 3),
    "github": lambda chance: f"gh{chance.choice('pous')}_{_mixed(chance, 36)}",
    "openai": lambda chance: f"sk-{chance.choice(('', 'proj-', 'ant-api03-'))}{_mixed(chance, 40)}",
    "aws_id": lambda chance: "AKIA" + _of(string.ascii_uppercase + string.digits)(chance, 16),
    "aws_secret": lambda chance: base64.b64encode(chance.randbytes(30)).decode(),
    "google": lambda chance: "AIza" + _mixed(chance, 35),
    "slack": lambda chance: f"xoxb-{_figures(chance, 11)}-{_figures(chance, 12)}-{_mixed(chance, 24)}",
    "stripe": lambda chance: f"sk_live_{_mixed(chance, 24)}",
    "jwt": _jwt,
    "hex": lambda chance: chance.randbytes(20).hex(),
    "unknown": lambda chance: _mixed(chance, 32),
    "email": lambda chance: (
        f"{_low(chance, 7)}.{_low(chance, 4)}@{_low(chance, 6)}.{chance.choice(('org', 'com.cn', 'io'))}"
    ),
    "phone": lambda chance: f"+44 {_figures(chance, 4)} {_figures(chance, 6)}",
    "mobile": lambda chance: f"1{chance.choice('3578')}{_figures(chance, 9)}",
    "connection": lambda chance: _mixed(chance, 12),
}
"""Each kind with what makes one."""
_NAMED = (
    "{name}={secret}",
    "{name}: {secret}",
    '{{"{name}": "{secret}"}}',
    "--{name} {secret}",
    "export {name}='{secret}'",
)
_BARE = (
    "request by {secret} refused",
    "login with {secret}, then retried",
    "值为 {secret} 的请求失败",
    "({secret})",
    "got '{secret}' from the caller",
)
_NAMES = {
    "password": ("password", "DB_PASSWORD", "passwd", "dbPassword", "密码"),
    "word": ("password", "REDIS_PASSWORD", "secret", "pwd", "口令"),
    "aws_secret": ("aws_secret_access_key", "secretKey", "SECRET_KEY"),
}
_LINES = (
    "2026-03-01 10:00:00 ERROR api - {text}",
    "{text}",
    "- {text}",
    "User: {text}",
    "$ deploy {text}",
    "    {text}",
)


def planted(n: int, seed: int = 11) -> Iterator[tuple[str, str, str]]:
    """Yield the kind of a secret, the secret, and a line of a log with it."""
    chance = random.Random(seed)
    kinds = [*KINDS]
    for number in range(n):
        kind = kinds[number % len(kinds)]
        secret = KINDS[kind](chance)
        if kind == "connection":
            text = f"connecting to postgres://app:{secret}@db.internal:5432/app"
        elif kind in _NAMES:
            text = chance.choice(_NAMED).format(name=chance.choice(_NAMES[kind]), secret=secret)
        else:
            text = chance.choice(_BARE).format(secret=secret)
        line = chance.choice(_LINES).format(text=text)
        if chance.random() < 0.2:
            line = json.dumps({"time": "2026-03-01T10:00:00Z", "level": "error", "msg": text}, ensure_ascii=False)
        yield kind, secret, line
