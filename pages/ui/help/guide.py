"""The guide: its chapters are the notes of two packs, one per language, installed with the program."""

import posixpath
import re
from functools import cache
from math import log

from core.base.app_paths import PROGRAM
from core.base.frozen import frozen
from core.base.messages import ENGLISH
from core.base.text import STOP_WORDS, name_key, query_keywords
from pages.ui.shared.document import Sources, SourceSpan
from pages.ui.shared.safe import Span

PACKS = {ENGLISH: "guide", "zh_CN": "guide-zh"}
PARTS: dict[str, tuple[str, ...]] = {
    "import": ("vaults-and-other-programs", "documents"),
    "notes": (
        "reading",
        "writing",
        "notes-that-find-each-other",
        "history-and-trash",
        "what-programs-write",
        "what-waits-for-your-decision",
        "learning-from-logs",
        "writing-to-your-files",
    ),
    "bases": ("folders-with-text-files", "kinds-of-bases", "export-import-and-the-trash-of-bases"),
    "chunks": (),
    "while-an-import-runs": (),
    "search": (
        "what-can-be-typed",
        "pictures-by-what-they-show",
        "kinds-of-search",
        "as-you-typed-it",
        "hits",
        "answers",
        "answers-of-a-language-model",
        "reranking",
    ),
    "models": (),
    "measure": ("a-map-of-the-notes", "can-my-notes-be-found", "questions", "runs", "in-a-script"),
    "packs": (),
    "assistants": (),
    "commands": ("beside-the-open-app",),
    "other-programs": (),
    "settings": ("where-the-search-index-is",),
    "backups": (),
    "health-and-space": (),
    "when-something-is-wrong": (),
    "glossary": (),
}
"""Parts of the guide in the order of docs/guide.md, each with its sections; names are the notes' paths."""
LONGEST = 240
"""Maximum number of characters of an excerpt."""
NEAREST = 6
"""Maximum number of chapters in the result if none contains all words."""
_PUNCTUATION = "?!.,;:？！。，；："
_FILLERS = re.compile("为什么|怎么样?|什么|怎样|如何|哪里|哪些|可以|[的了吗呢是把在我你请能]")
"""Function words in Chinese questions, which have no spaces around them."""
_MARKS = re.compile(r"[*`]|(?m:^(?:#+|[-|>]) )|\]\([^)]*\)|\[(?=[^\]]*\]\()")
_BEGIN = "(?<![A-Za-z0-9])"
_END = re.compile(r"(?<=[.;:?!]) |(?<=[。；：？！])|\n| \| ")


@frozen
class Chapter:
    """A part of the guide or a section of a part; `path` is its note's path without `.md`."""

    path: str
    title: str
    text: str

    @property
    def part(self) -> str:
        return self.path.partition("/")[0]


@frozen
class GuideSources(Sources):
    """Sources of a chapter: links resolve to other chapters only."""

    language: str
    path: str

    can_click = can_tick = False
    first_line = 0

    def note(self, target: str, *, relative: bool) -> SourceSpan | None:
        path = posixpath.normpath(posixpath.join(posixpath.dirname(self.path), target)).removesuffix(".md")
        chapter = chapters(self.language).get(path)
        return SourceSpan(chapter.path, chapter.title) if chapter else None

    def missing(self, target: str, *, relative: bool) -> str:
        return ""

    def file(self, target: str) -> str | None:
        return None

    def text(self, note_id: str) -> tuple[str, Sources]:
        return "", self


@cache
def chapters(language: str) -> dict[str, Chapter]:
    """Load the chapters, in order, by path."""
    folder = PROGRAM / "data" / "packs" / PACKS.get(language, PACKS[ENGLISH])
    found: dict[str, Chapter] = {}
    for part, sections in PARTS.items():
        for path in (part, *(f"{part}/{section}" for section in sections)):
            title, _, text = (folder / f"{path}.md").read_text(encoding="utf-8").partition("\n")
            title = title.removeprefix("# ")
            if path != part:
                prefix, _, rest = title.replace("：", ": ").partition(": ")
                title = rest if rest and found[part].title.startswith(prefix) else title
            found[path] = Chapter(path, title, text.strip())
    return found


def _patterns(words: str) -> list[re.Pattern[str]]:
    """Return a pattern for each word that isn't a stop word; an ASCII word matches at the beginning of words."""
    typed = [word.strip(_PUNCTUATION) or word for word in words.split()]
    telling = [word for word in typed if word.casefold() not in STOP_WORDS] or typed
    return [re.compile(f"{_BEGIN if word[0].isascii() else ''}{re.escape(word)}", re.IGNORECASE) for word in telling]


def find(language: str, words: str) -> list[Chapter]:
    """Return the chapters that contain all words: first by title, then by one sentence, then the others.

    If there is none, as for a question, return the chapters that fit its words best.
    """
    patterns = _patterns(name_key(words))

    def lacks(text: str) -> bool:
        return not all(pattern.search(name_key(text)) for pattern in patterns)

    holding = [item for item in chapters(language).values() if not lacks(f"{item.title}\n{item.text}")]
    if not holding:
        return _nearest(language, words)
    return sorted(holding, key=lambda item: (lacks(item.title), lacks(excerpt(item, words)[0])))


def _nearest(language: str, words: str) -> list[Chapter]:
    """Return the chapters that fit a question best; words that are rare, or in a title, count more."""
    every = list(chapters(language).values())
    scores = dict.fromkeys(every, 0.0)
    for pattern in _keyword_patterns(words):
        holding = [item for item in every if pattern.search(f"{item.title}\n{item.text}")]
        for item in holding:
            scores[item] += log(1 + len(every) / len(holding)) * (3 if pattern.search(item.title) else 1)
    best = max(scores.values())
    fitting = [item for item in every if scores[item] > best / 2]
    return sorted(fitting, key=scores.__getitem__, reverse=True)[:NEAREST]


def _keyword_patterns(words: str) -> list[re.Pattern[str]]:
    """Return patterns of a question's keywords; for Chinese, of its pairs of characters."""
    return _patterns(" ".join(query_keywords(_FILLERS.sub(" ", words))))


def excerpt(chapter: Chapter, words: str) -> tuple[str, list[Span]]:
    """Return the sentence of a chapter that contains the most words, and the spans of the words in it."""
    patterns = _patterns(words)
    if not all(pattern.search(f"{chapter.title}\n{chapter.text}") for pattern in patterns):
        patterns = _keyword_patterns(words)
    pattern = re.compile("|".join(pattern.pattern for pattern in patterns), re.IGNORECASE)
    sentences = _END.split(_MARKS.sub("", chapter.text))
    text = max(sentences, key=lambda text: len({match[0].casefold() for match in pattern.finditer(text)}))
    first = next(pattern.finditer(text), None)
    start = max(0, min(first.start() - LONGEST // 2, len(text) - LONGEST)) if first else 0
    part = text[start : start + LONGEST].strip()
    shown = f"{'… ' if start else ''}{part}{' …' if start + LONGEST < len(text) else ''}"
    return shown, [match.span() for match in pattern.finditer(shown)]
