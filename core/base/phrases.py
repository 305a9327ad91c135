"""Key phrases in text: words and names that show what the text is about. Code and markup are ignored."""

import re
from collections import Counter
from collections.abc import Iterator

from core.base.text import CJK, STOP_WORDS, normalize, simplify

# Maximum number of words in a phrase, and of characters in a phrase in a script without spaces.
LONGEST_PHRASE = 3, 10
# Maximum number of phrases per note. The most frequent ones are kept.
_PHRASES = 60
# If at least this share of a phrase's occurrences are inside a longer phrase, only the longer one counts.
_SWALLOWED = 0.7
_CJK_RUN = re.compile(f"[{CJK}]+")
_WORDS = re.compile(rf"(?:(?![{CJK}])\w)(?:(?![{CJK}])[\w+#'-])*")
_TAKEN = re.compile(
    r"(?s)```.*?(?:```|\Z)|`[^`\n]*`|\$\$.*?\$\$|\$[^$\n]+\$|<[^<>\n]*>|\]\([^()\n]*\)|\{[^{}\n]*\}|[A-Za-z][A-Za-z0-9+.-]{0,20}://\S+|:\w+:"
)
# Characters that can't begin or end a phrase.
_EDGE = frozenset(
    "的了是在和与及或也就都而但并且其之于以为被把将对从到由向给让使得着过吗呢吧啊我你他她它们这那哪每各某几"
    "不没有无未很更最又再还只才已所如何因此则若当要会能可应该需请下上中里外前后时个些种次本该等即做用来去说看想一么"
)
# Characters in `_EDGE` that may also begin or end a word: *卡路里* (calorie) is a word, *锅里* (in the pan) isn't.
_IN_WORDS = frozenset("上下中里外前后时种次本从一不无未")
# A character in `_IN_WORDS` is part of a word if it is next to at least this share of the word's occurrences.
_WHOLE = 0.95
_PLAIN = STOP_WORDS | frozenset(
    "after also any because before been both each even every few first get got here however just let like made"
    " make many may more most much must need new next no not now one only other out over own same see shall should"
    " since some still such take two until up upon us use used uses using very via want way well were yet you'll"
    " we'll let's it's isn't don't doesn't that's there's can't won't you're we're they're i'm we've you've i've"
    " aren't didn't wouldn't".split()
)


def phrases(text: str, most: int = _PHRASES) -> Counter[str]:
    """Count the key phrases that occur at least twice in the text. Return the `most` frequent ones, in lower case.

    A phrase that occurs mostly within a longer one is left out.
    """
    text = simplify(normalize(_TAKEN.sub("\n", text))).lower().replace("’", "'")
    counts = Counter(_latin(text))
    for word in [word for word in counts if word.endswith("s") and word[:-1] in counts]:
        counts[word[:-1]] += counts.pop(word)
    counts.update(_chinese_phrases(text))
    # Keep phrases that occur at least twice and aren't mostly part of a longer phrase.
    often = {phrase: count for phrase, count in counts.items() if count > 1}
    inside = Counter[str]()
    for phrase, count in often.items():
        units, between, least = (phrase, "", 2) if _CJK_RUN.fullmatch(phrase) else (phrase.split(" "), " ", 1)
        for at in range(len(units)):
            for end in range(at + least, len(units) + 1):
                if end - at < len(units):
                    part = between.join(units[at:end])
                    inside[part] = max(inside[part], count)
    kept = Counter({phrase: count for phrase, count in often.items() if inside[phrase] < _SWALLOWED * count})
    return Counter(dict(kept.most_common(most)))


def size_of(phrase: str) -> float:
    """Return the number of words in a phrase, or half its number of Chinese characters."""
    return len(phrase) / 2 if _CJK_RUN.match(phrase) else 1 + phrase.count(" ")


def _latin(text: str) -> Iterator[str]:
    """Yield all sequences of up to three content words with no punctuation or other words between them."""
    run: list[str] = []
    end = -1
    for match in _WORDS.finditer(text):
        word = match[0].rstrip("'-")
        if text[end : match.start()] not in (" ", "\n"):
            run = []
        end = match.end()
        if word in _PLAIN or len(word) < 3 or "_" in word or not word[0].isalpha():
            run = []
        else:
            run = [*run[1 - LONGEST_PHRASE[0] :], word]
            yield from (" ".join(run[at:]) for at in range(len(run)))


def _chinese_phrases(text: str) -> Counter[str]:
    """Count the sequences of 2 to 10 Chinese characters that occur at least twice in the text.

    Sequences that begin or end with a grammatical particle or the like are left out.
    """
    runs = _CJK_RUN.findall(text)
    counts = Counter[str]()
    known: dict[str, int] | None = None
    for size in range(2, LONGEST_PHRASE[1] + 1):
        grown = Counter(
            run[at : at + size]
            for run in runs
            for at in range(len(run) - size + 1)
            if known is None or run[at : at + size - 1] in known
        )
        known = {gram: count for gram, count in grown.items() if count > 1}
        if not known:
            break
        counts.update(known)

    def is_whole(sign: str, rest: str, count: int) -> bool:
        if sign in _IN_WORDS and rest in counts and _EDGE.isdisjoint((rest[0], rest[-1])):
            return count >= _WHOLE * counts[rest]
        return sign not in _EDGE

    return Counter(
        {
            gram: count
            for gram, count in counts.items()
            if is_whole(gram[0], gram[1:], count) and is_whole(gram[-1], gram[:-1], count)
        }
    )
