"""Derive the letter statistics by which encodings are told apart, and measure how often the guesses are right.

`python -m benchmarks.encodings derive FOLDER` writes `core/base/encodings/letters.txt`. FOLDER contains unpacked
packages from PyPI: the catalogues of Django (BSD), the words of Faker, spaCy and stopwordsiso (MIT), and the dictionary
of jieba (MIT), whose words opencc (Apache) converts to traditional characters.
`python -m benchmarks.encodings measure` encodes messages from the catalogues on this machine (`/usr/share/locale`) in
old code pages, and prints how many short texts are decoded correctly, and how many wrong guesses count as certain.
"""

import ast
import gettext
import json
import math
import random
import re
import sys
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path

from core.base.encodings.guessing import TABLE, backoff, fold, guesses

LANGUAGES = (
    "en de fr es pt it nl sv da nb fi is et lv lt pl cs sk hu sl hr ro sq tr bg ru uk be mk sr el he ar fa th vi ca eu"
    " ga cy eo gl ja ko zh tw kk"
).split()
ELSEWHERE = {"zh": ("zh_Hans", ["zh_CN"], "zh"), "tw": ("zh_Hant", ["zh_TW"], ""), "nb": ("nb", ["no_NO"], "no")}
"""Names of languages in Django, Faker and stopwordsiso, if they differ."""
EVERYDAY = {
    "ja": ("euc_jp", range(0xA4, 0xD0), range(0xA1, 0xFF)),
    "ko": ("euc_kr", range(0xB0, 0xC9), range(0xA1, 0xFF)),
    "zh": ("gb2312", range(0xB0, 0xD8), range(0xA1, 0xFF)),
    "tw": ("big5", range(0xA4, 0xC7), [*range(0x40, 0x7F), *range(0xA1, 0xFF)]),
}
"""Ranges of everyday characters in languages with thousands of them; even those that no source contains are likely."""
SHARE_OF_UNSEEN = 0.08
WIDE = "\u2e7f"
RARE = 15
SMOOTHING = 8
ENCODINGS = {
    "de fr es pt_BR it nl sv da nb fi ca is": ("cp1252",),
    "de fr es": ("mac_roman", "cp850"),
    "et lt lv": ("cp1257",),
    "pl cs hu": ("cp1250", "iso8859_2", "cp852"),
    "sk sl hr ro": ("cp1250",),
    "tr": ("cp1254",),
    "bg be sr": ("cp1251",),
    "ru uk": ("cp1251", "koi8_u", "cp866"),
    "el": ("cp1253", "iso8859_7"),
    "he": ("cp1255",),
    "ar": ("cp1256",),
    "th": ("cp874",),
    "ja": ("cp932", "euc_jp", "iso2022_jp", "utf-16-le", "utf-16-be"),
    "ko": ("cp949", "euc_kr", "utf-16-le"),
    "zh_CN": ("gbk", "gb18030", "utf-16-le"),
    "zh_TW": ("big5", "utf-16-be"),
}
LENGTHS = (1, 1, 1, 2, 5, 20)
TEXTS = 3


def derive(folder: Path) -> None:
    """Write the table: the language, the characters of an entry, the bits, and the entries with that many bits."""
    lines = []
    for language in LANGUAGES:
        by_bits: defaultdict[tuple[int, int], list[str]] = defaultdict(list)
        costs = of_characters(language, folder) if language in EVERYDAY else of_pairs(language, folder)
        for entry, cost in costs.items():
            by_bits[len(entry), cost].append(entry)
        lines += [
            f"{language}\t{size}\t{cost}\t{''.join(sorted(by_bits[size, cost]))}" for size, cost in sorted(by_bits)
        ]
    TABLE.write_text("\n".join(lines) + "\n", "utf-8")


def of_characters(language: str, folder: Path) -> dict[str, int]:
    """Return the bits of each character, for a language with thousands of characters."""
    counts: Counter[str] = Counter({char: n for char, n in Counter(source(language, folder)).items() if char > WIDE})
    if language in ("zh", "tw"):
        counts = joined(counts, of_dictionary(folder, traditional=language == "tw"))
    encoding, leads, trails = EVERYDAY[language]
    everyday = [bytes((lead, trail)).decode(encoding, "ignore") for lead in leads for trail in trails]
    everyday = [char for char in everyday if len(char) == 1]
    unseen = SHARE_OF_UNSEEN * counts.total() / len(everyday)
    weights = {char: counts[char] + unseen * (char in everyday) for char in {*counts, *everyday}}
    total = sum(weights.values())
    costs = {char: round(-math.log2(weight / total)) for char, weight in weights.items()}
    return {char: cost for char, cost in costs.items() if cost < RARE}


def of_pairs(language: str, folder: Path) -> dict[str, int]:
    """Return the bits of each letter outside ASCII, and of each pair of letters of which one is outside ASCII."""
    text = source(language, folder)
    if language == "vi":
        text += f"\n{with_loose_tones(text)}"
    folded = [fold(char) for char in f" {text} "]
    letters = Counter(char for char in folded if char > "\x7f" and unicodedata.category(char)[0] in "LM")
    known = {char for char, n in letters.items() if n >= max(3, letters.total() * 0.0003)}
    known |= set(" abcdefghijklmnopqrstuvwxyz")
    pairs = Counter(pair for pair in pairwise(folded) if known.issuperset(pair))
    firsts: Counter[str] = Counter()
    seconds: Counter[str] = Counter()
    for (first, second), n in pairs.items():
        firsts[first] += n
        seconds[second] += n
    share = {char: n / pairs.total() for char, n in seconds.items()}
    costs = {char: min(RARE, round(-math.log2(share[char])) + 3) for char in known if char > "\x7f" and char in share}
    for (first, second), n in pairs.items():
        if max(first, second) > "\x7f" and n > 1:
            cost = round(-math.log2((n + SMOOTHING * share[second]) / (firsts[first] + SMOOTHING)))
            if abs(cost - backoff(costs, first, second)) > 1:
                costs[first + second] = max(1, min(RARE, cost))
    return costs


def joined(counts: Counter[str], others: Counter[str]) -> Counter[str]:
    """Return counts together with those of a dictionary, which count twice."""
    factor = 2 * counts.total() / others.total()
    return Counter({char: counts[char] + others[char] * factor for char in {*counts, *others}})


def of_dictionary(folder: Path, *, traditional: bool) -> Counter[str]:
    """Return how often each character occurs in Chinese text, according to the words of jieba."""
    import opencc

    converter = opencc.OpenCC("s2t")
    counts: Counter[str] = Counter()
    for line in next(folder.glob("jieba*/jieba/dict.txt")).read_text("utf-8").splitlines():
        word, number, *_ = line.split()
        for char in converter.convert(word) if traditional else word:
            counts[char] += int(number)
    return counts


def with_loose_tones(text: str) -> str:
    """Return Vietnamese as Windows-1258 encodes it: a letter with its shape, then its tone."""
    parts = []
    for char in text:
        decomposed = unicodedata.normalize("NFD", char)
        shape = "".join(part for part in decomposed if part not in "\u0300\u0301\u0303\u0309\u0323")
        tone = "".join(part for part in decomposed if part not in shape)
        parts.append(unicodedata.normalize("NFC", shape) + tone)
    return "".join(parts)


def source(language: str, folder: Path) -> str:
    """Return the text of a language from the packages in a folder, without placeholders and tags."""
    django, faker, words = ELSEWHERE.get(language, (language, [], language))
    parts: list[str] = []
    for path in sorted(folder.glob(f"django/**/locale/{django}/LC_MESSAGES/*.po")):
        parts += messages(path)
    for path in sorted(folder.glob("faker/**/providers/*/*/__init__.py")):
        if path.parent.name in faker or (not faker and path.parent.name.startswith(f"{language}_")):
            parts += [text for text in literals(path) if not text.isascii()]
    for path in sorted(folder.glob(f"spacy/spacy/lang/{words or '-'}/*.py")):
        parts += literals(path) if path.stem in ("stop_words", "examples") else []
    parts += json.loads(next(folder.glob("stopwordsiso/**/*.json")).read_text("utf-8")).get(words, [])
    return "\n".join(re.sub(r"%\(\w+\)\w|%\w|\{\w*\}|<[^>]+>", "", part) for part in parts)


def messages(path: Path) -> list[str]:
    """Return the translations in a catalogue."""
    entries = re.findall(r'^msgstr(?:\[\d\])? ((?:".*"\n?)+)', path.read_text("utf-8"), re.MULTILINE)
    return ["".join(map(ast.literal_eval, entry.splitlines())) for entry in entries][1:]


def literals(path: Path) -> list[str]:
    """Return the texts in a module."""
    nodes = ast.walk(ast.parse(path.read_text("utf-8")))
    return [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]


def measure() -> None:
    """Print how many texts are decoded correctly, by their number of messages, and which wrong guesses are certain."""
    right: Counter[int] = Counter()
    every: Counter[int] = Counter()
    unsure = surely_wrong = 0
    for language, encoding, length, text in texts():
        found = guesses(text.encode(encoding))
        is_right = bool(found) and text.encode(encoding).decode(found[0].encoding, "replace") == text
        every[length] += 1
        right[length] += is_right
        unsure += bool(found) and not found[0].sure
        if found and found[0].sure and not is_right:
            surely_wrong += 1
            print(f"sure and wrong: {language} {encoding} as {found[0].encoding}: {text[:60]!r}")
    for length in sorted(every):
        print(f"{length} messages: {right[length]} of {every[length]} right")
    print(f"{right.total()} of {every.total()} right, {unsure} said to be unsure, {surely_wrong} wrong and sure")


def texts() -> Iterator[tuple[str, str, int, str]]:
    """Yield languages, encodings, numbers of messages, and texts of that many messages that fit the encoding."""
    chance = random.Random(5)
    for languages, encodings in ENCODINGS.items():
        for language in languages.split():
            pool = catalogues(language)
            for encoding in encodings if len(pool) >= LENGTHS[-1] else ():
                for length in LENGTHS * TEXTS:
                    text = "\n".join(chance.sample(pool, length)).encode(encoding, "ignore").decode(encoding)
                    if is_mixed(text, encoding):
                        yield language, encoding, length, text


def is_mixed(text: str, encoding: str) -> bool:
    """Return whether a text in an encoding is neither ASCII nor accidentally valid UTF-8."""
    data = text.encode(encoding)
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return True
    return encoding.startswith("utf-16") and not text.isascii()


def catalogues(language: str) -> list[str]:
    """Return the messages of a language on this machine with at least two letters outside ASCII."""
    found: set[str] = set()
    for path in sorted(Path("/usr/share/locale").glob(f"{language}/LC_MESSAGES/*.mo")):
        if not path.stem.startswith("iso_"):
            found |= set(catalogue(path))
    return sorted(text for text in found if len(text) > 15 and sum(char > "\x7f" for char in text) > 1)


def catalogue(path: Path) -> Iterable[str]:
    """Return the messages of a compiled catalogue; none if it isn't in UTF-8."""
    try:
        with path.open("rb") as file:
            entries = vars(gettext.GNUTranslations(file))["_catalog"]
    except UnicodeDecodeError:
        return []
    return [text.strip() for text in entries.values()]


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["derive", folder]:
            derive(Path(folder))
        case ["measure"]:
            measure()
        case _:
            sys.exit(__doc__)
