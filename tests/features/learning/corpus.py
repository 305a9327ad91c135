"""Secrets at random in many shapes, made from templates, and what of a secret is left in a text."""

import base64
import json
import random
import string
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

SHAPES = Path(__file__).with_name("shapes.txt")
UNSEEN = Path(__file__).with_name("unseen_shapes.txt")
"""Shapes that were written when the masks were done: 189 of 235 were masked then."""
TOOLS = Path(__file__).with_name("tool_shapes.txt")
"""What 175 programs print, written before the masks read escapes and wrappings: 164 were masked then."""
LATER = Path(__file__).with_name("later_shapes.txt")
"""60 more, written when those of `TOOLS` were mended: 52 were masked then."""
FRESH = Path(__file__).with_name("fresh_shapes.txt")
"""112 of tools and notes, written when those of `LATER` were mended: 100 were masked then."""
SIGHT = Path(__file__).with_name("sight_shapes.txt")
"""284 of tools and people in three parts: of the first 112, 96 were masked at first sight; of the next 112, when those
were mended, 103; of 60 more then 49. `{=…}` is a secret as it stands there."""
HARMLESS = Path(__file__).with_name("harmless.txt")
_MIXED = string.ascii_letters + string.digits
_LOWER = string.ascii_lowercase + string.digits
_SIGNS = "!#%*.?^~+="
_WORDS = "horse tiger candle orbit velvet marble lantern pepper anchor meadow".split()
_LEFT = 4
"""Characters of a secret in a row that are a part of it."""


class Shape(NamedTuple):
    """A text with secrets in it, and the template that it is made of."""

    template: str
    text: str
    secrets: tuple[str, ...]


def shapes(file: Path = SHAPES, seed: int = 40) -> Iterator[Shape]:
    """Yield a text for each line of templates, as one seed makes it."""
    chance = random.Random(seed)
    for line in file.read_text(encoding="utf-8").splitlines():
        template = (
            line.replace("\\u200b", "\u200b")
            .replace("\\u200d", "\u200d")
            .replace("\\\\", "\0")
            .replace("\\n", "\n")
            .replace("\\t", "\t")
        )
        template, text, secrets = template.replace("\0", "\\"), "", []
        rest = template
        while rest:
            before, brace, after = rest.partition("{")
            name, _, behind = after.partition("}")
            text += before
            if not brace:
                break
            if make := maker(name):
                secret = make(chance)
                text, rest = text + secret, behind
                secrets.append(secret)
            else:
                text, rest = text + brace, after
        yield Shape(line, text, tuple(secrets))


def left_of(shape: Shape, masked: str) -> list[str]:
    """Return the parts of the secrets of a text that are still there, in the text as JSON too."""
    around = shape.text
    for secret in shape.secrets:
        around = around.replace(secret, "\n")
    shown = f"{masked}\n{json.dumps(masked, ensure_ascii=False)}"
    least = min([_LEFT, *(len(secret) for secret in shape.secrets)])
    parts = [secret[at : at + least] for secret in shape.secrets for at in range(len(secret) - least + 1)]
    return [part for part in parts if part in shown and part not in around]


def _of(letters: str, n: int) -> Callable[[random.Random], str]:
    return lambda chance: "".join(chance.choice(letters) for _ in range(n))


def _token(n: int) -> Callable[[random.Random], str]:
    return lambda chance: (
        _of(_MIXED, n - 2)(chance) + chance.choice(string.digits) + chance.choice(string.ascii_letters)
    )


def _password(chance: random.Random) -> str:
    word = chance.choice(_WORDS)
    return chance.choice((word, word.title())) + chance.choice(_SIGNS) + _token(6)(chance)


def _luhn(figures: str) -> str:
    digits = [int(one) for one in figures][::-1]
    total = sum(sum(divmod(2 * one, 10)) for one in digits[::2]) + sum(digits[1::2])
    return figures + str(-total % 10)


def _card(n: int, first: str = "") -> Callable[[random.Random], str]:
    def make(chance: random.Random) -> str:
        start = first or chance.choice(("4", "51", "62", "37" if n == 15 else "55"))
        return _luhn(start + _of(string.digits, n - 1 - len(start))(chance))

    return make


def _grouped(make: Callable[[random.Random], str], n: int) -> Callable[[random.Random], str]:
    def grouped(chance: random.Random) -> str:
        text = make(chance)
        return " ".join(text[at : at + n] for at in range(0, len(text), n))

    return grouped


def _iban(chance: random.Random) -> str:
    country, n = chance.choice((("DE", 18), ("FR", 23), ("GB", 18)))
    bank = "NWBK" if country == "GB" else ""
    body = bank + _of(string.digits, n - len(bank))(chance)
    number = int("".join(str(int(one, 36)) for one in f"{body}{country}00"))
    return f"{country}{98 - number % 97:02}{body}"


def _born(chance: random.Random) -> str:
    return f"{chance.randint(1950, 2004)}{chance.randint(1, 12):02}{chance.randint(1, 28):02}"


def _citizen(chance: random.Random) -> str:
    body = chance.choice(("110101", "310104", "440305", "510107")) + _born(chance) + _of(string.digits, 3)(chance)
    weights = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
    return body + "10X98765432"[sum(w * int(one) for w, one in zip(weights, body, strict=True)) % 11]


def _wide(make: Callable[[random.Random], str]) -> Callable[[random.Random], str]:
    return lambda chance: "".join(chr(ord(one) + 0xFEE0) if "!" <= one <= "~" else one for one in make(chance))


def _base64(n: int) -> Callable[[random.Random], str]:
    return lambda chance: base64.b64encode(chance.randbytes(n)).decode()


def _jwt(chance: random.Random) -> str:
    parts = [
        b'{"alg":"HS256","typ":"JWT"}',
        b'{"sub":"' + chance.randbytes(9).hex().encode() + b'"}',
        chance.randbytes(32),
    ]
    return ".".join(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in parts)


_CRYPT = "./" + _MIXED
_MOBILE = _of(string.digits, 8)
_MAKERS: dict[str, Callable[[random.Random], str]] = {
    "pw": _password,
    "pw2": _password,
    "pwa": _token(7),
    "pwb": _token(7),
    "word": lambda chance: chance.choice(_WORDS) + chance.choice(("fish", "cloud", "stone", "bird")),
    "words": lambda chance: " ".join(chance.sample(_WORDS, 4)),
    "slashpw": lambda chance: f"{_token(5)(chance)}/{_token(5)(chance)}",
    "atpw": lambda chance: f"{_token(5)(chance)}@{_token(5)(chance)}",
    "commapw": lambda chance: f"{_token(5)(chance)},{_token(5)(chance)}",
    "quotepw": lambda chance: f"{_token(5)(chance)}'{_token(5)(chance)}",
    "zwpw": lambda chance: f"{_token(4)(chance)}\u200b{_token(4)(chance)}",
    "fullpw": _wide(_password),
    "fullmixed": _wide(_token(24)),
    "alnum": _token(12),
    "four": _token(4),
    "pin": _of(string.digits, 4),
    "otp": _of(string.digits, 6),
    "cvv": _of("123456789", 3),
    "mobile": lambda chance: f"1{chance.choice('3578')}{chance.choice(string.digits)}{_MOBILE(chance)}",
    "mobile4": lambda chance: (
        f"13{chance.choice(string.digits)} {_of(string.digits, 4)(chance)} {_of(string.digits, 4)(chance)}"
    ),
    "landline": lambda chance: f"0{chance.choice(('10', '21', '755'))}-{_of('23456789', 8)(chance)}",
    "card": _card(16),
    "card19": _card(19, "62"),
    "card4": _grouped(_card(16), 4),
    "card2": _grouped(_card(16), 2),
    "card_amex": _card(15, "37"),
    "card_two": lambda chance: "4111111111111111",
    "iban": _iban,
    "iban4": _grouped(_iban, 4),
    "id18": _citizen,
    "id15": lambda chance: "310104" + _born(chance)[2:] + _of(string.digits, 3)(chance),
    "aws_secret": _base64(30),
    "b64": _base64(24),
    "b64_short": lambda chance: base64.b64encode(f"ada:{_password(chance)}".encode()).decode(),
    "b64_44": _base64(32),
    "b64_64": _base64(48),
    "b64_88": _base64(64),
    "bcrypt": _of(_CRYPT, 53),
    "salt8": _of(_CRYPT, 8),
    "salt22": _of(_MIXED, 22),
    "crypt43": _of(_CRYPT, 43),
    "crypt86": _of(_CRYPT, 86),
    "vault": lambda chance: "hvs." + _token(24)(chance),
    "email": lambda chance: f"{_of(string.ascii_lowercase, 7)(chance)}@{_of(string.ascii_lowercase, 6)(chance)}.org",
    "uuid": lambda chance: str(uuid.UUID(int=chance.getrandbits(128), version=4)),
    "jwt": _jwt,
}
_MAKERS["fullmobile"], _MAKERS["fullcard"] = _wide(_MAKERS["mobile"]), _wide(_card(16))


def maker(name: str) -> Callable[[random.Random], str] | None:
    """Return what makes a secret of a kind: of the table, or letters, figures or hexadecimal ones of a length."""
    if name in _MAKERS:
        return _MAKERS[name]
    if name.startswith("="):
        return lambda _: name[1:]
    kinds = {"mixed": _token, "hex": lambda n: _of("0123456789abcdef", n)}
    kinds |= {
        "fig": lambda n: _of(string.digits, n),
        "low": lambda n: _of(_LOWER, n),
        "up": lambda n: _of(string.ascii_uppercase + string.digits, n),
    }
    kind = name.rstrip(string.digits)
    return kinds[kind](int(name[len(kind) :])) if kind in kinds and kind != name else None
