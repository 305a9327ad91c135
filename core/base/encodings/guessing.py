"""Bytes that declare no encoding -> the encodings that they may be in, the likeliest first."""

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass

from core.base.encodings.plausibility import bits

_UNLIKELY = {
    "cp1252": 0,
    "gb18030": 0,
    "cp932": 0,
    "cp949": 3,
    "big5hkscs": 2,
    "euc_jp": 3,
    "cp1251": 4,
    "cp1250": 3,
    "cp1253": 3,
    "cp1254": 3,
    "cp1255": 3,
    "cp1256": 3,
    "cp1257": 4,
    "cp874": 4,
    "koi8-r": 5,
    "iso8859-7": 5,
    "koi8-u": 6,
    "iso8859-5": 6,
    "iso8859-6": 6,
    "iso8859-8": 6,
    "cp866": 7,
    "cp1258": 7,
    "iso8859-2": 8,
    "iso8859-15": 8,
    "cp850": 8,
    "cp852": 8,
    "cp437": 8,
    "cp737": 8,
    "cp862": 9,
    "utf-16-le": 10,
    "utf-16-be": 10,
    "mac-roman": 10,
    "cp857": 10,
    "cp865": 10,
    "cp775": 10,
    "iso8859-4": 10,
    "iso8859-13": 10,
    "mac-cyrillic": 11,
    "cp855": 12,
    "iso8859-3": 12,
    "iso8859-10": 12,
    "iso8859-16": 12,
    "mac-latin2": 13,
    "mac-greek": 13,
    "mac-turkish": 13,
    "kz1048": 13,
}
"""The encodings that text is in where nothing says which, and how many bits each is rarer than the most usual."""
_SAMPLE = 2048
_BYTES_OF_DAMAGE = 200
"""Bytes of which one may be unreadable."""
_DAMAGE = 30
_ANOTHER = 60
"""Bits by which a decoding may be less likely than the best and is still looked at."""
_SURE = 10
"""Bits by which the best is better than the next; benchmarks/encodings.py measures how often it is wrong then."""
_NO_LANGUAGE = 13.5
"""Bits per byte outside ASCII beyond which a decoding is not text of any language."""
_ASCII, _ASCII_BITS = bytes(range(128)), 5
_LINES = re.compile(rb"[^\n]*[^\x00-\x7f\n][^\n]*\n?")


@dataclass(frozen=True, slots=True)
class Guess:
    """An encoding that bytes may be in; `sure` where the next one is far less likely, or gives the same text."""

    encoding: str
    sure: bool


def guesses(data: bytes) -> list[Guess]:
    """Return the encodings in which bytes are text of a language, the likeliest first; none for binary data."""
    ranked = _ranked(data)
    return [
        Guess(encoding, all(other - cost >= _SURE for other, _, second in ranked[at:] if second != text))
        for at, (cost, encoding, text) in enumerate(ranked)
    ]


def _ranked(data: bytes) -> list[tuple[float, str, str]]:
    """Return bits, encoding and text of a sample in each encoding that it may be in."""
    sample, may_be_wide = _sample(data)
    beyond = len(sample.translate(None, _ASCII))
    least = _NO_LANGUAGE * beyond + _ASCII_BITS * (len(sample) - beyond) + _DAMAGE
    ranked: list[tuple[float, str, str]] = []
    for encoding, rarity in _UNLIKELY.items():
        if encoding.startswith("utf-16") and not may_be_wide:
            continue
        text = codecs.getincrementaldecoder(encoding)("replace").decode(sample)
        damage = text.count("\ufffd")
        if encoding.startswith("utf-16") and 3 * _zeros(text) < 2 * sample.count(0):
            continue
        if damage * _BYTES_OF_DAMAGE > len(sample) and damage * 50 > beyond:
            continue
        cost = bits(text.replace("\ufffd", ""), least + _ANOTHER) + rarity + _DAMAGE * damage
        if cost <= least + _ANOTHER:
            ranked.append((cost, encoding, text))
            least = min(least, cost)
    return sorted(item for item in ranked if item[0] <= least + _ANOTHER)


def _zeros(text: str) -> int:
    """Return how many zeros of UTF-16 are halves of letters that are usual in text: of ASCII, of 一, of 준."""
    return sum(char < "\u0100" or (char > "\u2e7f" and not ord(char) & 0xFF) for char in text)


def _sample(data: bytes) -> tuple[bytes, bool]:
    """Return the beginning, or the first lines with bytes outside ASCII, and whether it may be UTF-16."""
    start = data[:_SAMPLE]
    if len(data) % 2 == 0 and (0 in start or 8 * len(start.translate(None, _ASCII)) >= len(start)):
        return start, True
    return b"".join(_first(_LINES.finditer(data))), False


def _first(lines: "Iterator[re.Match[bytes]]") -> Iterator[bytes]:
    left = _SAMPLE
    for line in lines:
        yield line[0][:left]
        left -= len(line[0])
        if left <= 0:
            return
