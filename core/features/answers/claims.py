"""What a text claims, clause by clause: negations, modality, comparisons and order, in English and Chinese.

Texts of either language are compared by these classes, not by their words, so both are read alike.
"""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from operator import itemgetter

from core.base.text import CJK, STOP_WORDS, simplify
from core.features.answers import figures
from core.features.answers.claim_words import BREAKS, NUMBER, OPPOSITES, PEOPLE, WORDS

_APOSTROPHES = str.maketrans({"’": "'", "‘": "'", "`": " ", "*": " ", "~": " ", "|": " "})
_SHORTENED = re.compile(r"(ca|wo|sha)?n't\b|(?<=can)not\b")
_FULL = {"ca": "can not", "wo": "will not", "sha": "shall not", None: " not"}
_LATIN = re.compile(rf"(?:(?![{CJK}_])\w)+")
_HAN = re.compile(f"[{CJK}]")
_FUNCTION = frozenset(
    "的了是在和与或也就都把被对为以从到上下中个这那一着过会要将请它他你我们其之时后前里内外所而且并又还让使给由于则及等各能可"
)
"""Characters of Chinese that carry no subject."""
_PRONOUN = re.compile(r"(?:it|they|this|these)\b|[它其这]|[\u4e00-\u9fff]")
"""The start of a clause that speaks of the subject of the clause before it; Chinese leaves it out."""
_PREFIX = re.compile(r"(?:un|in|im|ir|dis|non-?)(?=\w{3})")
_IRREGULAR = {
    past: verb
    for verb, pasts in {
        "hold": "held", "keep": "kept", "take": "took taken", "give": "gave given", "write": "wrote written",
        "send": "sent", "leave": "left", "make": "made", "build": "built", "find": "found", "run": "ran",
        "begin": "began begun", "choose": "chose chosen", "freeze": "froze frozen", "break": "broke broken",
        "eat": "ate eaten", "drink": "drank drunk", "feed": "fed", "sell": "sold", "tell": "told", "know": "knew known",
        "grow": "grew grown", "throw": "threw thrown", "draw": "drew drawn", "drive": "drove driven",
        "wear": "wore worn", "read": "reads", "lie": "lay lain", "rise": "rose risen", "hide": "hid hidden",
        "shake": "shook shaken", "child": "children", "person": "people", "tooth": "teeth", "foot": "feet",
        "mean": "meant", "spend": "spent", "lend": "lent", "bring": "brought", "buy": "bought", "teach": "taught",
        "go": "went gone", "come": "came", "see": "saw seen", "do": "did done", "say": "said", "pay": "paid",
    }.items()
    for past in pasts.split()
}  # fmt: skip
_PLAIN = STOP_WORDS | frozenset(
    "no not only also must may should never always any all it's don doesn one be being".split()
)
_ENDING = re.compile(r"(?<=\w{3})(?:ations?|ings?|ed|es|(?<!http)s|ly|ers?|ions?|ment|e|y|ies|ied)$")
_DOUBLED = re.compile(r"([b-df-hj-np-tv-z])\1$")
_SUFFIXED = re.compile(r"or |and |[及或]?以|之?内|起")
_CONTINUES = re.compile(r"\s*(?:is|are|was|were|must|should|can|will|it is|that is|这|那|是|属于|均|都|一律)(?![a-z])")
"""The start of a clause whose subject is the clause before it."""
_RESUMES = re.compile(r"(?: [^ ,.;:!?]+){1,5}?(?= (?:is|are|was|were|will|must|should|can|may|has|have|do|does)\b)")
"""Where the words of *without* end and the verb of its sentence follows."""
_TWICE = re.compile(r"\btwice\b")
_LISTED = re.compile(r"[,，][^.;!?。；]{0,80}?(?:\bor\b|或)")
_NEAR, _NEAR_BEFORE = 24, 12
"""Characters between a comparison and its number at most."""

Span = tuple[int, int]
Number = tuple[str, int, int]
Word = tuple[str, int]
"""A word in its common form, and its place."""


@dataclass(slots=True, eq=False)
class Clause:
    """A clause of a text and the classes of its words.

    `part`: the number of the part of the text that *but* and full stops divide. `aside`: it only conditions another
    one, as *if*, *without* and *unless* say; the last two make it `spared`. `negated` counts negations. `unless`: words
    of a spared clause that made this one even. `limits`: the comparisons of each number. `topic`: the word that a
    pronoun refers to. `marks`: words of a class, each with its place.
    """

    start: int
    part: int
    end: int = 0
    aside: bool = False
    spared: bool = False
    negated: int = 0
    kinds: set[str] = field(default_factory=set)
    unless: set[str] = field(default_factory=set)
    prefixed: list[str] = field(default_factory=list)
    opposites: list[tuple[str, int]] = field(default_factory=list)
    limits: dict[str, set[str]] = field(default_factory=dict)
    numbers: set[str] = field(default_factory=set)
    topic: set[str] = field(default_factory=set)
    words: list[Word] = field(default_factory=list)
    marks: list[tuple[str, int, int]] = field(default_factory=list)

    @property
    def odd(self) -> bool:
        return self.negated % 2 == 1

    @property
    def keys(self) -> set[str]:
        return {key for key, _ in self.words}

    def absorb(self, other: "Clause") -> None:
        """Add what a clause says that goes on with this one."""
        self.start, self.end = min(self.start, other.start), max(self.end, other.end)
        self.negated += other.negated
        self.kinds |= other.kinds
        self.opposites += other.opposites
        self.prefixed += other.prefixed
        self.limits |= other.limits
        self.numbers |= other.numbers
        self.words += other.words
        self.marks += other.marks


def normalise(text: str) -> str:
    """Return a text in small letters and simplified characters, without short forms."""
    text = simplify(unicodedata.normalize("NFKC", text)).translate(_APOSTROPHES).lower()
    text = _SHORTENED.sub(lambda match: _FULL[match[1]] if "'" in match[0] else " not", text)
    return re.sub(r"\s+", " ", text)


def is_chinese(text: str) -> bool:
    """Whether more of a text is Chinese than of another language, a character counted as a word."""
    return len(_HAN.findall(text)) > len(_LATIN.findall(text)) / 2


def clauses(text: str) -> list[Clause]:
    """Return the clauses of a `normalise` text in their order."""
    twice = (("2", *match.span()) for match in _TWICE.finditer(text))
    numbers = sorted([*figures.numbers(text), *twice], key=itemgetter(1))
    result: list[Clause] = [Clause(0, 0)]
    covered: list[Span] = []
    resumes = -1
    for match in _pattern().finditer(text):
        kind = match.lastgroup or ""
        covered.append(match.span())
        if 0 <= resumes <= match.start():
            result[-1].end = resumes
            result.append(Clause(resumes, result[-1].part))
            resumes = -1
        last = result[-1]
        if kind == "lacks" and (prefix := _PREFIX.match(match[0])):  # unsafe has the word safe
            covered[-1] = match.start(), match.start() + prefix.end()
            result[-1].prefixed.append(stem(match[0]))
        if kind in _BREAK:
            if kind == "clause" and last.odd and _LISTED.match(text, match.start()):
                continue
            part = last.part + (kind == "contrast")
            last.end = match.start()
            if kind == "otherwise":
                result.append(Clause(match.end(), part, kinds={kind}))
                continue
            if kind == "then_if":
                last.aside, last.spared = True, last.odd
            result.append(Clause(match.start() if kind in ("if", "clause") else match.end(), part, aside=kind == "if"))
            continue
        if kind in ("instead", "without", "except"):
            last.end = match.start()
            verb = _RESUMES.match(text, match.end())
            resumes = verb.end() if verb else -1
            result.append(
                Clause(
                    match.start(), last.part, aside=kind != "instead", spared=kind != "instead", negated=1, kinds={kind}
                )
            )
        elif kind.startswith("o_"):
            _, name, pole = kind.split("_")
            last.opposites.append((name, int(pole)))
            covered.pop()
        elif match[0] == "nor" and last.odd:
            continue  # it goes on with what neither, not or no began
        elif kind in _LIMITS:
            _limit(last, kind, match, numbers, text)
        elif kind not in ("nothing", "double"):
            if kind == "optional" and match[0].isascii():  # no restart is needed
                covered.pop()
            last.negated += kind in _NEGATIVE
            last.kinds |= _AS.get(kind, {kind})
            last.marks.append((kind, *match.span()))
    result[-1].end = len(text)
    _give_words(text, result, covered, numbers)
    whole = list(_join_clauses(text, result))
    _cancel_double_negations(whole)
    return whole


def _limit(clause: Clause, kind: str, match: re.Match[str], numbers: list[Number], text: str) -> None:
    """Add a comparison to the number that it's of, if any."""
    place = bisect_left(numbers, match.end(), key=itemgetter(1))
    after = [value for value, start, _ in numbers[place : place + 1] if start - match.end() <= _NEAR]
    if not after and re.match(r" ?(?:one|an?|一)(?![a-z])", text[match.end() : match.end() + 5]):
        after = ["1"]
    place = bisect_left(numbers, match.start(), key=itemgetter(1))
    before = [value for value, _, end in numbers[max(0, place - 1) : place] if match.start() - end <= _NEAR_BEFORE]
    values = before or after if _SUFFIXED.match(match[0]) else after or before
    for value in values[:1]:
        clause.limits.setdefault(value, set()).add(kind)
    if not values:
        clause.opposites.append(("limit", int(kind in ("most", "less", "below"))))


def _give_words(text: str, found: list[Clause], covered: list[Span], numbers: list[Number]) -> None:
    """Give each clause its words, without those that name a class."""
    plain = list(text)
    for start, end in covered:
        plain[start:end] = " " * (end - start)
    rest = "".join(plain)
    last: Clause | None = None
    for clause in found:
        clause.words = list(_words(rest, clause.start, clause.end))
        if last and last.words and (_PRONOUN.match(text[clause.start : clause.end].lstrip(" ,，"))):
            clause.topic = {last.words[0][0]}
        last = clause if clause.words else last
        clause.numbers = {value for value, start, _ in numbers if clause.start <= start < clause.end}


def _words(text: str, start: int, end: int) -> Iterator[Word]:
    for match in _LATIN.finditer(text, start, end):
        if match[0] not in _PLAIN and len(match[0]) > (0 if match[0].isdecimal() else 1):
            yield stem(match[0]), match.start()
    for match in _HAN.finditer(text, start, end):
        if match[0] not in _FUNCTION:
            yield match[0], match.start()


def stem(word: str) -> str:
    """Return an English word without its ending, roughly: two forms of a word are to be equal."""
    word = _IRREGULAR.get(word, word)
    short = _ENDING.sub("", _ENDING.sub("", word)) if word.isascii() else word
    return _DOUBLED.sub(r"\1", short)


def _join_clauses(text: str, clause_list: list[Clause]) -> Iterator[Clause]:
    """Yield the clauses, joined where one has no words, or goes on with the one before."""
    last = clause_list[0]
    for clause in clause_list[1:]:
        goes_on = clause.odd and not last.spared and _CONTINUES.match(text[clause.start : clause.end].lstrip(" ,，"))
        if last.part == clause.part and (not last.words or not clause.words or (goes_on and not clause.spared)):
            if not last.words and last.odd and clause.spared:  # nobody except them: only they
                last.negated, clause.negated = 0, 0
                last.kinds = last.kinds - {"not"} | {"only"}
            if last.words and not clause.words and clause.kinds in ({"not", "before"}, {"not", "after"}):
                continue  # before it, not after
            last.aside, last.spared = (last.aside, last.spared) if last.words else (clause.aside, clause.spared)
            last.absorb(clause)
            continue
        if last.words or last.kinds:
            yield last
        last = clause
    if last.words or last.kinds:
        yield last


def _cancel_double_negations(clause_list: list[Clause]) -> None:
    """Make even what is negated and has *without* or *unless*: *never X without Y* says *X only with Y*."""
    for aside in clause_list:
        if aside.spared and aside.odd:
            for main in clause_list:
                if main.part == aside.part and main.odd and not main.spared and "not" in main.kinds:
                    main.negated = aside.negated = 0
                    main.unless = aside.keys
                    main.kinds.discard("not")
                    main.marks = [mark for mark in main.marks if mark[0] not in ("not", "cannot")]


_BREAK = frozenset(name.replace(" ", "_") for name in BREAKS)
_NEGATIVE = frozenset(("not", "lacks", "cannot", "forbidden", "optional"))
_AS = {"cannot": {"not", "can"}, "forbidden": {"not", "must"}}
_LIMITS = frozenset(("least", "most", "above", "below", "more", "less"))


@cache
def _pattern() -> re.Pattern[str]:
    """Match a word of a class, which names the group; the first class at a place wins."""
    groups = {**WORDS, **BREAKS} | {
        f"o_{name}_{pole}": words for name, pair in OPPOSITES.items() for pole, words in enumerate(pair)
    }
    either = "|".join(f"(?P<{name.replace(' ', '_')}>{_either(words)})" for name, words in groups.items())
    return re.compile(either, re.ASCII)  # a Chinese character isn't a part of an English word


def _either(words: str) -> str:
    patterns = "|".join(rf"\b{word}" if word[0].isascii() and word[0].isalpha() else word for word in words.split())
    return patterns.replace("NUMBER", NUMBER).replace("PEOPLE", PEOPLE).replace("_", " ")
