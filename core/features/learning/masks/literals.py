"""Where the value after a name begins and ends: in quotes, in a call, in a list, or up to the next blank."""

import re
from typing import NamedTuple

from core.base.text import CJK
from core.features.learning.masks.names import Grade, grade


class Value(NamedTuple):
    """A value in a text, without its quotes."""

    start: int
    end: int
    quoted: bool = True


_MARK = re.compile(
    r"(?:[bBrRuUfF]{1,2}|[@$LNEn])?(?P<mark>\\{0,7}(?:\"{3}|'{3}|[\"'`])|&quot;|&#3[49];|&apos;|%2[27]|[“‘「『«])"
)
_CLOSING = {"“": "”", "‘": "’", "「": "」", "『": "』", "«": "»"}
_NO_OPENING = re.compile(r"[ \t]*(?:[)\],;:}.+|]|$|\n)")
_NEXT = re.compile(r"[ \t]*[+.]?[ \t]*(?=[bBrRuUfF]?[\"'])")
MOST = 4_000
"""Most characters of a value in quotes, or of an element."""
_BARE = re.compile(
    r"(?:\$\{[^{}\n]{0,200}\}|\$?\{\{[^{}\n]{0,200}\}\}|\{[\w.\[\]!:]{1,60}\}|<[\w -]{1,60}>"
    rf"|[^\s\"'`,;&|<>()\]}}。、】」』”’\\]|\\(?![\"'])|\((?=[^\s])|[\"'`](?=[^\s\"'`,;:&|<>)\]}}.\\])"
    rf"|[,;](?![\s\"']|$|\\|[\w.-]{{1,40}}\s{{0,4}}[=:]|[{CJK}])|&(?!(?:amp;)?[\w.\[\]-]{{1,40}}=)(?=\S)"
    r"|[)\]}>](?=[^\s\"'`,;:.)\]}<>|\\])|\|(?=[^\s|])|<(?![/A-Za-z!])(?=\S))++"
)
_URL_BARE = re.compile(r"(?:[^\s\"'`<>&)\]}\\]|&(?!(?:amp;)?[\w.\[\]-]{1,40}=)(?=\S))++")
_CALL = re.compile(
    r"(?:(?:await|new|return)[ \t]+)?(?P<name>[A-Za-z_][A-Za-z_.:]*\d{0,3})!?(?:<[\w,"
    r" ]{0,40}>)?\((?P<inner>[^\n]{0,2000})"
)
_AFTER_CALL = re.compile(r"[\s\[,;.)\]}:|\"'`]|$")
_GETTERS = frozenset("getenv get getitem getattr header env lookup fetch read".split())
_CHOICE = re.compile(r"\s{0,4}(?:\|\||\?\?|\?:|or\b|if [^\n\"']{1,80} else)\s{0,4}")
_LITERAL = re.compile(
    r"(?<![A-Za-z0-9_])(?:[bBrRuUfF]{1,2}|@)?(?P<mark>\\{0,3}[\"'])(?P<text>(?:(?!(?P=mark))[^\n]){1,1000})(?P=mark)"
)


def quoted_value(text: str, at: int) -> Value | None:
    """Return the value in quotes that begins at a place, None where none does; joined pieces are one value."""
    mark = _MARK.match(text, at)
    if not mark:
        return None
    start = mark.end()
    if (end := _find_closing_quote(text, start, mark["mark"])) is None:
        if _NO_OPENING.match(text, start):
            return None
        line = text.find("\n", start)
        return Value(start, line if line >= 0 else len(text))
    while (more := _NEXT.match(text, end + len(mark["mark"]))) and (another := _MARK.match(text, more.end())):
        further = _find_closing_quote(text, another.end(), another["mark"])
        if further is None:
            break
        end, mark = further, another
    return Value(start, end)


def _find_closing_quote(text: str, start: int, mark: str) -> int | None:
    """Return where the quotes close that opened before a place."""
    closing = _CLOSING.get(mark, mark)
    line = text.find("\n", start) if len(closing) < 3 or closing[0] != closing[-1] else -1
    most = min(len(text), start + MOST, line if line >= 0 else len(text))
    at = start
    while (end := text.find(closing, at, most)) >= 0:
        slashes = len(text[max(start, end - 20) : end]) - len(text[max(start, end - 20) : end].rstrip("\\"))
        if closing in "\"'`" and slashes % 2:
            at = end + 1
        elif closing in "'\"" and text.startswith(closing * 2, end) and end > start:
            at = end + 2
        else:
            return end
    return None


def values_at(text: str, at: int, *, in_url: bool = False) -> list[Value]:
    """Return the values that begin at a place of a text: one as a rule, several in a call, a list, or a choice."""
    if item := quoted_value(text, at):
        return [item]
    if text.startswith("(", at) and quoted_value(text, at + 1):
        most: int = _call_end(text[at + 1 : at + MOST]) or MOST
        return [Value(*item.span("text")) for item in _LITERAL.finditer(text, at, at + 1 + most)]
    if in_url:
        match = _URL_BARE.match(text, at)
        return [Value(*match.span(), quoted=False)] if match else []
    if (call := _CALL.match(text, at)) and (end := _call_end(call["inner"])) is not None:
        inner = call.start("inner")
        if _AFTER_CALL.match(text, inner + end + 1):
            return [*_arguments(text, call["name"], inner, inner + end), *_otherwise(text, inner + end + 1)]
    if (
        text.startswith("[", at)
        and (close := text.find("]", at, at + MOST)) > at
        and _AFTER_CALL.match(text, close + 1)
    ):
        found = [Value(*item.span("text")) for item in _LITERAL.finditer(text, at, close)]
        return found or [Value(at + 1, close, quoted=False)]
    bare = _BARE.match(text, at)
    return [Value(*bare.span(), quoted=False), *_otherwise(text, bare.end())] if bare else []


def _otherwise(text: str, at: int) -> list[Value]:
    """Return the value in quotes that counts where the one before has none: `env.KEY || "…"`."""
    choice = _CHOICE.match(text, at)
    other = quoted_value(text, choice.end()) if choice else None
    return [other] if other else []


def _call_end(inner: str) -> int | None:
    depth, mark = 1, ""
    for place, letter in enumerate(inner):
        if mark:
            mark = "" if letter == mark else mark
        elif letter in "\"'":
            mark = letter
        elif letter in "()":
            depth += 1 if letter == "(" else -1
            if not depth:
                return place
    return None


def _arguments(text: str, name: str, start: int, end: int) -> list[Value]:
    """Return the values within a call: its texts, but not the name that a getter looks up, or what it shows."""
    found = [Value(*match.span("text")) for match in _LITERAL.finditer(text, start, end)]
    last = re.split(r"[.:]", name)[-1].lower()
    if last in ("getpass", "input", "prompt"):
        return []
    if last in _GETTERS:
        return found[1:]
    if found:
        return [value for value in found if not _is_name(text[value.start : value.end])]
    if '"' in text[start:end] or "'" in text[start:end]:
        return []
    inner = re.match(r"\s*(?:\w+=)?(?P<value>[^\s(),=]{4,})\s*\Z", text[start:end])
    if not inner or not re.search(r"\d", inner["value"]):
        return []
    return [Value(start + inner.start("value"), start + inner.end("value"), quoted=False)]


def _is_name(value: str) -> bool:
    return bool(re.fullmatch(r"[A-Za-z_.-]+", value)) and grade(value) is not Grade.NONE
