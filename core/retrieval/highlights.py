"""Highlights: where a hit holds the question's words, its sentence nearest to the question, and how near it is."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

import numpy as np

from core.base.blobs import Span, blank_blobs
from core.base.registry import lazy
from core.base.text import (
    INVISIBLE,
    STOP_WORDS,
    UNSPACED,
    WORD,
    join_spans,
    keywords,
    parts_of,
    query_keywords,
    simplify,
    strip_span,
    with_newlines,
)
from core.chunking.slices import UNBREAKABLE
from core.embedding import tokens
from core.embedding.tokens import TokenEmbedder
from core.embedding.windows import places_of, windows_of
from core.indexing.models import Models
from core.markdown.parts import MarkdownTable, tables
from core.model import Bits, Chunk, Highlight, Hit, Matrix, SearchResult, Spans
from core.store import Store

Stems = Callable[[Sequence[str]], Mapping[str, str]]
"""Returns for each word the stem under which the index of words holds it."""

LONGEST = 320
"""Most characters of a sentence; a longer one is divided."""

_LATIN = re.compile(rf"[vV]?\d+(?:\.\d+)+|{WORD}(?:\+\+|#(?!\w))?")
_UNSPACED = re.compile(f"[{UNSPACED}]")
_CLINGING = f"[{INVISIBLE}\U0001f3fb-\U0001f3ff]*"
"""What is drawn with the character before: it is invisible, or the colour of a skin."""
_BLOCK = re.compile(
    r"(?m)^[ \t>]*(?:(?P<fence>`{3,}|~{3,}).*|(?P<aside>#{1,6}[ \t].*|<!--(?s:.*?)(?:-->|\Z)|</?[A-Za-z].*|[ \t>]*)"
    r"|.*(?:\n(?![ \t>]*(?:[-*+][ \t]|\d+[.)][ \t]|#{1,6}[ \t]|</?[A-Za-z]|\||`{3}|~{3}|$)).*)*)$"
)
"""A block of Markdown: a fence's line, a heading or HTML line, or the lines of a paragraph, an item or a row."""
_END = re.compile(r"[.!?]+[\"')\]*_”’]*(?=\s)|[。！？；…]+[”’」』）*_]*")
_BORDERS = (
    re.compile(r"\n"),
    re.compile(r"[,;，、：]\s?|\s"),
    re.compile(rf"(?<=[{UNSPACED}])(?=[{UNSPACED}])"),
)
_NEVER = re.compile(r"(?!)")
_WORD = re.compile(r"\w")
_SILENT = STOP_WORDS | frozenset(
    "all also am any being each either else every he her here hers herself him himself his itself just may me"
    " might mine most much must myself neither no nor not only other ought ours ourselves shall she should some"
    " such theirs themselves too us very whether whom whose yet yours yourself are aren couldn didn hadn hasn"
    " haven ll re shouldn ve wasn weren won wouldn".split()
)
"""Words that are marked only where a question has no other, and never for another word with their stem."""
_PARTICLES = "[的了吗呢吧啊嘛啦呀么着们我你您他她它这那哪把被给与或很也]"
_ACROSS = re.compile(
    "(?!目的|的确|了解|酒吧|网吧|给予|供给|补给|参与|或许|把握|把手|被子|自我|着色|着手|着重|着陆|着火)"
    f"(?:{_PARTICLES}.|.{_PARTICLES})"
)
"""Two characters of which one is a particle or a pronoun, and so no word."""


@dataclass(frozen=True)
class TokenizedHit:
    """The tokens of a question and the token bits of a hit, with the embedder and the centre that made them."""

    hit: Hit
    question: Matrix
    bits: Bits
    embedder: TokenEmbedder
    centre: Matrix

    @lazy
    def compared(self) -> tuple[Spans, Matrix] | None:
        """The place of each token of the hit's text, and its cosine to each token of the question.

        A place is (-1, -1) in a window's head. The shapes are (tokens, 2) and (tokens, question's tokens). None where
        the bits aren't those of the text.
        """
        if not len(self.question) or not len(self.bits):
            return None
        places = _places(self.hit.chunk, self.hit.note.title, self.embedder, len(self.bits))
        if places is None:
            return None
        return places, tokens.cosines(self.question, self.centre, self.bits)


def highlights(result: SearchResult, store: Store, read: Mapping[str, TokenizedHit]) -> dict[str, Highlight]:
    """Return the highlights of the hits by the id of their chunk."""
    words = words_to_mark(result)
    texts = [simplify(blank_blobs(hit.chunk.text)) for hit in result.hits]
    store.words.stems([*dict.fromkeys(form for text in texts for form, _ in _forms_in(text))])  # all at once
    return {
        hit.chunk.id: highlight(hit, words[hit.asked], store.words.stems, read.get(hit.chunk.id)) for hit in result.hits
    }


def tokenize_hits(result: SearchResult, store: Store, models: Models) -> dict[str, TokenizedHit]:
    """Return the tokens of question and chunk by chunk, for a search by meaning: it has loaded its bases' models."""
    if result.mode not in ("semantic", "hybrid"):
        return {}
    read: dict[str, TokenizedHit] = {}
    for base in store.bases.all():
        hits = [hit for hit in result.hits if hit.note.base_id == base.id]
        if not hits or not base.has_vectors:
            continue
        embedder = tokens.token_embedder(models.embedder(base))
        if embedder is None or (centre := store.vectors.centre(base.fingerprint)) is None:
            continue
        rowids = store.chunks.rowids_by_id([hit.chunk.id for hit in hits])
        bits = store.vectors.bits(rowids.values(), base.fingerprint)
        held = [hit for hit in hits if rowids[hit.chunk.id] in bits]
        texts = list(dict.fromkeys(hit.asked or result.understood.text for hit in held))
        questions = dict(zip(texts, embedder.embed_tokens(texts, role="query")[1], strict=True)) if texts else {}
        for hit in held:
            question = questions[hit.asked or result.understood.text]
            read[hit.chunk.id] = TokenizedHit(hit, question, bits[rowids[hit.chunk.id]], embedder, centre)
    return read


def words_to_mark(result: SearchResult) -> dict[str, list[str]]:
    """Return the words to mark in the hits of each part of the question.

    A phrase is marked as a whole; its words are marked by themselves only where it is nowhere.
    """
    required = () if "phrase_not_found" in result.notices else result.understood.phrases
    phrases = (*required, *result.understood.emphasised)
    words = {}
    for part in {hit.asked for hit in result.hits}:
        text = part or result.understood.text
        for written, marked in (*((phrase, " ") for phrase in phrases), *result.spelled.items()):
            text = text.replace(written, marked)
        words[part] = [*phrases, *query_keywords(text)] if text.strip() else list(phrases)
    return words


def highlight(hit: Hit, words: Sequence[str], stems: Stems, read: TokenizedHit | None) -> Highlight:
    """Return the highlights of a hit; without its bits the sentence with most of the words is taken for the nearest."""
    text = hit.chunk.text
    found, telling = word_places(text, words, stems), telling_words(words)
    marked = tuple(join_spans(sorted(span for span, word in found if word in telling)))
    held = {word for _, word in found} | words_in(" ".join((hit.note.title, *hit.chunk.titles)), words, stems)[1]
    share = len(held) / len(words) if words else 0.0
    spans = _with_rows(sentences(text), tables(text, hit.chunk.lead))
    if read and read.compared:
        places, cosines = read.compared
        return Highlight(marked, _nearest_sentence(spans, places, cosines), float(cosines.max(axis=0).mean()), share)
    return Highlight(marked, _fullest_sentence(spans, marked), None, share)


def sentences(text: str) -> list[Span]:
    """Return the sentences of a Markdown text that hold words; headings, code and HTML only where nothing else does."""
    text = with_newlines(blank_blobs(text))
    plain = hide_inline(text)
    prose: list[Span] = []
    other: list[Span] = []
    fence = ""
    for block in _BLOCK.finditer(text):
        mark = block["fence"] or ""
        if mark and (not fence or mark.startswith(fence)):
            fence = "" if fence else mark
        elif fence or block["aside"]:
            other += split_sentences(plain, *block.span(), _NEVER, LONGEST)
        else:
            prose += split_sentences(plain, *block.span(), _END, LONGEST)
    return prose or other


def _with_rows(spans: Sequence[Span], tables: Sequence[MarkdownTable]) -> Sequence[Span]:
    """Return sentences with whole rows in place of what they have of tables; a table's header answers nothing."""
    rows = [(row.start, row.end) for table in tables for row in table.rows]
    if not rows:
        return spans
    around = [(table.start, table.end) for table in tables]
    outside = [span for span in spans if not any(start < span[1] and span[0] < end for start, end in around)]
    return sorted([*outside, *rows])


def split_sentences(plain: str, start: int, end: int, ends: re.Pattern[str], longest: int) -> Iterator[Span]:
    """Yield the sentences of a block that hold words, by the pattern of their ends; `plain` has passed `hide_inline`.

    One that is too long is divided between lines; a line at its pauses, else between characters of Chinese.
    """
    for first, last in pairwise([start, *(match.end() for match in ends.finditer(plain, start, end)), end]):
        begin, stop = strip_span(plain, first, last)
        while begin < stop:
            near = (list(border.finditer(plain, begin, begin + longest)) for border in _BORDERS)
            cut = stop if stop - begin <= longest or not (found := next(filter(None, near), ())) else found[-1].end()
            if _WORD.search(plain, begin, cut):
                yield strip_span(plain, begin, cut)
            begin = strip_span(plain, cut, stop)[0]


def hide_inline(text: str) -> str:
    """Return a text of the same length whose code and links within lines are letters, so that nothing divides them."""
    return UNBREAKABLE.sub(lambda match: "x" * len(match[0]), text)


def telling_words(words: Sequence[str]) -> Sequence[str]:
    """Return those of a question's words that carry meaning, all where none does."""
    return [word for word in words if word not in _SILENT and not _ACROSS.fullmatch(word)] or words


def words_in(text: str, words: Sequence[str], stems: Stems) -> tuple[tuple[Span, ...], set[str]]:
    """Return where a text holds some words, in any of their forms, and which of the words it holds."""
    places = word_places(text, words, stems)
    return tuple(join_spans(sorted(span for span, _ in places))), {word for _, word in places}


def word_places(text: str, words: Sequence[str], stems: Stems) -> list[tuple[Span, str]]:
    """Return each place where a text holds one of some words, in any of their forms, with the word."""
    plain = simplify(blank_blobs(text))
    places = [
        (match.span(), word)
        for word in words
        if _UNSPACED.search(word) or not _LATIN.fullmatch(word)
        for match in re.finditer("".join(f"{re.escape(item)}{_CLINGING}" for item in word), plain, re.IGNORECASE)
    ]
    latin = [word for word in words if _LATIN.fullmatch(word)]
    if latin:
        forms = _forms_in(plain)
        known = stems([*latin, *dict.fromkeys(form for form, _ in forms)])
        wanted: dict[str, list[str]] = {}
        for word in latin:
            wanted.setdefault(known[word], []).append(word)
        places += [
            (span, word)
            for form, span in forms
            for word in wanted.get(known[form], ())
            if form == word or _SILENT.isdisjoint((form, word))
        ]
    return places


@lru_cache(200)  # the hits of a question are looked through for their marks and for its answer
def _forms_in(text: str) -> list[tuple[str, Span]]:
    """Return the forms of each word of a text, with their places."""
    return [
        (form, (match.start() + start, match.start() + end))
        for match in _LATIN.finditer(text)
        for form, (start, end) in _forms(match[0])
    ]


@lru_cache(20_000)
def _forms(word: str) -> list[tuple[str, Span]]:
    """Return a word and the parts of an identifier as keyword search knows them, each with its place in the word."""
    places = ((0, len(word)), *parts_of(word))
    return [(form, (start, end)) for start, end in places if (form := _form(word[start:end]))]


def _form(word: str) -> str:
    return word.strip("_").lower() if word.isascii() else next(iter(keywords(word)), "")


def _places(chunk: Chunk, title: str, embedder: TokenEmbedder, count: int) -> Spans | None:
    """Return the place of each of `count` stored tokens in the chunk's text, (-1, -1) for those of a window's head.

    A chunk that was embedded before rows were has none of them; None for a chunk that was embedded otherwise.
    """
    usual = places_of(chunk, title, embedder)
    if len(usual) == count:
        return usual
    places = []
    at = reached = 0
    for window in windows_of([chunk], title, embedder):
        if reached == count:
            break
        spans = embedder.tokens(window.text)
        inside = spans[:, 0] >= window.head
        places.append(np.where(inside[:, None], window.row or spans + (at - window.head), -1))
        at += len(window.text) - window.head
        reached += len(spans)
    return np.concatenate(places) if places and reached == count else None


def _nearest_sentence(spans: Sequence[Span], places: Spans, products: Matrix) -> Span | None:
    """Return the sentence whose tokens are nearest to those of the question in the mean."""
    scores = {}
    for start, end in spans:
        within = products[tokens.tokens_within(places, [(start, end)])]
        if len(within):
            scores[start, end] = float(within.max(axis=0).mean())
    return max(scores, key=scores.__getitem__, default=None)


def _fullest_sentence(spans: Sequence[Span], words: Sequence[Span]) -> Span | None:
    """Return the sentence with the most characters of words; the first one where there are none."""

    def held(sentence: Span) -> int:
        start, end = sentence
        return sum(last - first for first, last in words if start <= first and last <= end)

    return max(spans, key=held, default=None)


def add_pages(result: SearchResult, store: Store, models: Models) -> SearchResult:
    """Return a result whose hits have the page of their sentence; one on a single page has it already."""
    spread = [hit for hit in result.hits if _runs_on(hit)]
    if not spread:
        return result
    part = replace(result, hits=tuple(spread))
    seen = highlights(part, store, tokenize_hits(part, store, models))
    pages = {
        hit.chunk.id: hit.chunk.page_at(hit.note.document, hit.chunk.start + sentence[0])
        for hit in spread
        if (sentence := seen[hit.chunk.id].sentence)
    }
    hits = tuple(replace(hit, page=pages.get(hit.chunk.id, hit.page)) for hit in result.hits)
    return replace(result, hits=hits)


def _runs_on(hit: Hit) -> bool:
    """Whether the text of a hit's chunk, as the document has it, ends on another page than it begins on."""
    document, chunk = hit.note.document, hit.chunk
    return chunk.page_at(document, chunk.start) != chunk.page_at(document, chunk.end - 1)
