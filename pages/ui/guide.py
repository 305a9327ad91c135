"""Load and search the guide's chapters, which are notes in two packs, one per language."""

import posixpath
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from math import log
from operator import itemgetter

from core.base.app_paths import PROGRAM
from core.base.frozen import Texts, frozen
from core.base.messages import ENGLISH
from core.base.text import STOP_WORDS, name_key, query_keywords
from pages.ui.shared.document import Sources, SourceSpan
from pages.ui.shared.safe import Span

PACKS = {ENGLISH: "guide", "zh_CN": "guide-zh"}
# The note paths of the guide's parts, each with the paths of its sections, in the order of docs/guide.md.
PARTS: dict[str, Texts] = {
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
# Maximum number of characters in an excerpt, and of bytes in a passage with more than one sentence.
LONGEST = 240
# Maximum number of returned chapters that don't contain all words.
NEAREST = 6
# Weight of keyword matches relative to semantic similarity.
#
# Of the values 0, 0.01, 0.02, 0.03 and 0.05, this one gave the best results on data/questions.
WORDS = 0.02
# Function that returns the similarity of each text to a question.
#
# The result is empty while no model is loaded.
Similarities = Callable[[str, Sequence[str]], Sequence[float]]
# Function words in Chinese questions, which aren't separated by spaces.
_FILLERS = "为什么|怎么样?|什么|怎样|如何|哪里|哪些|可以|[的了吗呢是把在我你请能]"
_MARKS = r"[*`]|(?m:^(?:#+|[->]) )|\]\([^)]*\)|\[(?=[^\]]*\]\()"
_BEGIN = "(?<![A-Za-z0-9])"
_ROW = r"(?m)^\|(.*)\|$"
_SENTENCE = r"[^\n]+?(?:[.;:?!] |[。；：？！]|\n|\Z)"


@frozen
class Chapter:
    """A part of the guide, or a section of a part. `path` is the path of the chapter's note without `.md`."""

    path: str
    title: str
    text: str

    @property
    def part(self) -> str:
        return self.path.partition("/")[0]


# Chapters by path.
Chapters = dict[str, Chapter]


@frozen
class GuideSources(Sources):
    """Link resolver for a chapter. Only links to other chapters are resolved."""

    language: str
    path: str

    def note(self, target: str, *, relative: bool) -> SourceSpan | None:
        path = posixpath.normpath(posixpath.join(posixpath.dirname(self.path), target)).removesuffix(".md")
        chapter = chapters(self.language).get(path)
        return SourceSpan(chapter.path, chapter.title) if chapter else None


@cache
def chapters(language: str) -> Chapters:
    """Load the guide's chapters, keyed by path and in reading order."""
    folder = PROGRAM / "data" / "packs" / PACKS.get(language, PACKS[ENGLISH])
    found: Chapters = {}
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
    """Return a pattern for each word that isn't a stop word. If all words are stop words, use all of them.

    An ASCII pattern matches only at the beginning of a word.
    """
    typed = [word.strip("?!.,;:？！。，；：") or word for word in words.split()]
    telling = [word for word in typed if word.casefold() not in STOP_WORDS] or typed
    return [re.compile(f"{_BEGIN if word[0].isascii() else ''}{re.escape(word)}", re.IGNORECASE) for word in telling]


@cache
def passages(chapter: Chapter) -> Texts:
    """Return a chapter's passages, stripped of Markdown syntax.

    A passage has one sentence, or several sentences with at most LONGEST bytes in total. A Chinese
    character takes three bytes.
    """
    text = re.sub(_ROW, lambda row: row[1].strip("-|: ").replace("|", "·"), re.sub(_MARKS, "", chapter.text))
    joined: list[str] = []
    for sentence in re.findall(_SENTENCE, text):
        if joined and len(f"{joined[-1]}{sentence}".encode()) <= LONGEST:
            joined[-1] += sentence
        else:
            joined.append(sentence)
    return tuple(map(str.strip, joined))


def embedded_texts(language: str) -> Chapters:
    """Return the texts to compare with questions, one for each passage in the guide.

    Each text is mapped to a copy of its chapter that contains only this passage.
    """
    return {
        f"{item.title}\n{passage}": replace(item, text=passage)
        for item in chapters(language).values()
        for passage in passages(item)
    }


def find(language: str, words: str, compare: Similarities = lambda question, texts: ()) -> list[Chapter]:
    """Return the chapters whose title and excerpt contain all words, with title matches first.

    At most NEAREST chapters that match best otherwise follow. `compare` computes semantic similarities.
    """
    patterns = _patterns(name_key(words))

    def lacks(text: str) -> bool:
        return not all(pattern.search(name_key(text)) for pattern in patterns)

    holding = [item for item in chapters(language).values() if not lacks(f"{item.title}\n{excerpt(item, words)[0]}")]
    found: Chapters = {}
    for item in (*sorted(holding, key=lambda item: lacks(item.title)), *_nearest(language, words, compare)):
        found.setdefault(item.path, item)
    return [*found.values()]


def _nearest(language: str, question: str, compare: Similarities) -> list[Chapter]:
    """Return the chapters that best match a question, at most NEAREST.

    Chapters are ranked by semantic similarity, and keywords break near ties. Each chapter is then cut down to its best
    passage. If the question is a single word or no model is loaded, only keywords count. Rare keywords and
    keywords in titles weigh more.
    """
    every = list(chapters(language).values())
    shares = dict.fromkeys(chapters(language), 0.0)
    patterns = _keyword_patterns(question)
    for pattern in patterns:
        holding = [item for item in every if pattern.search(f"{item.title}\n{item.text}")]
        for item in holding:
            shares[item.path] += log(1 + len(every) / len(holding)) * (3 if pattern.search(item.title) else 1)
    best = max(shares.values()) or 1.0
    texts = embedded_texts(language)
    similarities = compare(question, [*texts]) if len(patterns) > 1 else ()
    scored = [
        (similarity + WORDS * shares[item.path] / best, item)
        for similarity, item in zip(similarities, texts.values(), strict=False)
    ]
    scored = scored or [(shares[item.path], item) for item in every if shares[item.path] > best / 2]
    nearest: Chapters = {}
    for _, item in sorted(scored, key=itemgetter(0), reverse=True):
        nearest.setdefault(item.path, item)
    return [*nearest.values()][:NEAREST]


def _keyword_patterns(words: str) -> list[re.Pattern[str]]:
    """Return patterns for a question's keywords. Chinese keywords are pairs of characters."""
    return _patterns(" ".join(query_keywords(re.sub(_FILLERS, " ", words))) or words)


def excerpt(chapter: Chapter, words: str) -> tuple[str, list[Span]]:
    """Return an excerpt from the passage that contains the most keywords, and the spans of the keywords in the excerpt.

    If no passage contains a keyword, use the first passage.
    """
    pattern = re.compile("|".join(pattern.pattern for pattern in _keyword_patterns(words)), re.IGNORECASE)
    text = max(passages(chapter), key=lambda text: len({match[0].casefold() for match in pattern.finditer(text)}))
    first = next(pattern.finditer(text), None)
    start = max(0, min(first.start() - LONGEST // 2, len(text) - LONGEST)) if first else 0
    part = text[start : start + LONGEST].strip()
    shown = f"{'… ' if start else ''}{part}{' …' if start + LONGEST < len(text) else ''}"
    return shown, [match.span() for match in pattern.finditer(shown)]
