"""Highlights in hits: the question's words, and the sentence nearest to the question."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

import numpy as np

from core.base.blobs import Span, blank_blobs, join_spans
from core.base.fences import open_fence
from core.base.frozen import TextMap
from core.base.registry import lazy
from core.base.text import (
    ABBREVIATED,
    INVISIBLE,
    STOP_WORDS,
    UNSPACED,
    WORD,
    keywords,
    parts_of,
    query_keywords,
    simplify,
    strip_span,
    with_newlines,
)
from core.chunking.reading import UNBREAKABLE
from core.embedding import tokens
from core.embedding.tokens import TokenEmbedder
from core.embedding.windows import places_of, windows_of
from core.indexing.models import Models
from core.markdown.parts import tables
from core.model import Bits, Chunk, Highlight, Hit, Matrix, SearchResult, Spans
from core.store import Store

# A function that returns the stem under which each word is indexed.
Stems = Callable[[Sequence[str]], TextMap]

# Maximum number of characters per sentence. Longer sentences are divided.
LONGEST = 320

_LATIN = re.compile(rf"[vV]?\d+(?:\.\d+)+|{WORD}(?:\+\+|#(?!\w))?")
_UNSPACED = re.compile(f"[{UNSPACED}]")
# Characters that attach to the previous character: invisible characters and emoji skin tones.
_CLINGING = f"[{INVISIBLE}\U0001f3fb-\U0001f3ff]*"
# A Markdown block: a fence, heading or HTML line, or all lines of a paragraph, list item or table row.
_BLOCK = re.compile(
    r"(?m)^[ \t>]*(?:(?P<fence>`{3,}|~{3,}).*|(?P<aside>#{1,6}[ \t].*|<!--(?s:.*?)(?:-->|\Z)|</?[A-Za-z].*|[ \t>]*)"
    r"|.*(?:\n(?![ \t>]*(?:[-*+][ \t]|\d+[.)][ \t]|#{1,6}[ \t]|</?[A-Za-z]|\||`{3}|~{3}|$)).*)*)$"
)
# Pattern for the punctuation that ends a sentence in scripts with spaces, if a space follows.
SENTENCE_MARKS = ABBREVIATED + r"(?<![.!?])[.!?]++[\"')\]*_”’]*+"
# Pattern for the end of a sentence, which must not be followed by a word in lower case.
SENTENCE_END = re.compile(SENTENCE_MARKS + r"(?=\s+[^a-z\s]|\s*\Z)|[。！？；…]+[”’」』）*_]*")
_END = re.compile(SENTENCE_MARKS + r"(?=\s|\Z)|[。！？；…]+[”’」』）*_]*")
_BORDERS = (
    re.compile(r"\n"),
    re.compile(r"[,;，、：]\s?|\s"),
    re.compile(rf"(?<=[{UNSPACED}])(?=[{UNSPACED}])"),
)
_NEVER = re.compile(r"(?!)")
_WORD = re.compile(r"\w")
# Words to mark only if the question has no other words. Words that merely share a stem with these are never marked.
_SILENT = STOP_WORDS | frozenset(
    "all also am any being each either else every he her here hers herself him himself his itself just may me"
    " might mine most much must myself neither no nor not only other ought ours ourselves shall she should some"
    " such theirs themselves too us very whether whom whose yet yours yourself are aren couldn didn hadn hasn"
    " haven ll re shouldn ve wasn weren won wouldn".split()
)
_PARTICLES = "[的了吗呢吧啊嘛啦呀么着们我你您他她它这那哪把被给与或很也]"
# Two Chinese characters that don't form a word because one of them is a particle or pronoun.
_ACROSS = re.compile(
    "(?!目的|的确|了解|酒吧|网吧|给予|供给|补给|参与|或许|把握|把手|被子|自我|着色|着手|着重|着陆|着火)"
    f"(?:{_PARTICLES}.|.{_PARTICLES})"
)

# Chinese question words and connectives. Highlights never begin or end with one of these.
_FUNCTION_WORD = re.compile(
    "[是有]?(?:为什么|什么|怎么样|怎么|怎样|哪些|哪[个里种]|多少)[是的]?|如何|为何|任何|[是能可]否|有没有|是不是|能不能"
    "|可以|所以|因为|还是|或者|以及|[这那一某有]些|[这那一两几每各多]个"
    "|(?<![于总但要])是(?!非)|(?<![所拥没具含只还私公国共原独特])有(?![效限关序趣利害用机])"
)


@dataclass(frozen=True)
class TokenizedHit:
    """A question's token vectors and a hit's token bits, with the embedder and the centre used for both."""

    hit: Hit
    question: Matrix
    bits: Bits
    embedder: TokenEmbedder
    centre: Matrix

    @lazy
    def compared(self) -> tuple[Spans, Matrix] | None:
        """The spans of the hit's tokens, and each token's cosine similarity to each of the question's tokens.

        The shapes are (tokens, 2) and (tokens, question tokens). Tokens in a window's head have the span (-1, -1). The
        value is None if there are no tokens, or if the bits don't match the text.
        """
        if len(self.question) and len(self.bits):
            places = _places(self.hit.chunk, self.hit.note.title, self.embedder, len(self.bits))
            if places is not None:
                return places, tokens.cosines(self.question, self.centre, self.bits)
        return None


# Tokenized hits by chunk id.
TokenizedHits = dict[str, TokenizedHit]


def highlights(result: SearchResult, store: Store, read: TokenizedHits) -> dict[str, Highlight]:
    """Return the hits' highlights by chunk id."""
    words = words_to_mark(result)
    texts = [simplify(blank_blobs(hit.chunk.text)) for hit in result.hits]
    # Cache all stems with one query.
    store.words.stems(list(dict.fromkeys(form for text in texts for form, _ in _forms_in(text))))
    return {
        hit.chunk.id: highlight(hit, words[hit.asked], store.words.stems, read.get(hit.chunk.id)) for hit in result.hits
    }


def tokenize_hits(result: SearchResult, store: Store, models: Models) -> TokenizedHits:
    """Return each hit's tokens together with the question's, by chunk id.

    Hits without token bits are left out. A keyword search has no tokens, so the result is empty.
    """
    if result.mode not in ("semantic", "hybrid"):
        return {}
    read: TokenizedHits = {}
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
            read[hit.chunk.id] = TokenizedHit(
                hit, questions[hit.asked or result.understood.text], bits[rowids[hit.chunk.id]], embedder, centre
            )
    return read


def words_to_mark(result: SearchResult) -> dict[str, list[str]]:
    """Return the words to mark in each sub-query's hits.

    A phrase is marked as a whole. Its words are marked individually only if no chunk contains the phrase.
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
    """Return a hit's highlights. If the hit has no token bits, pick the sentence with the most marked text."""
    text = hit.chunk.text
    found = word_places(text, words, stems)
    telling = telling_words(words)
    marked = tuple(join_spans(sorted(span for span, word in found if word in telling)))
    held = {word for _, word in found} | words_in(" ".join((hit.note.title, *hit.chunk.titles)), words, stems)[1]
    share = len(held) / len(words) if words else 0.0
    spans = _sentences_and_rows(text, hit.chunk.lead)
    nearness = None
    if read and read.compared:
        # Pick the sentence whose tokens are nearest to the question's tokens on average.
        places, cosines = read.compared
        nearness = float(cosines.max(axis=0).mean())
        inside = ((span, cosines[tokens.tokens_within(places, [span])]) for span in spans)
        scores = {span: float(within.max(axis=0).mean()) for span, within in inside if len(within)}
    else:
        # Pick the sentence with the greatest total length of marked words, or the first one if no words are marked.
        scores = {
            (start, end): sum(last - first for first, last in marked if start <= first and last <= end)
            for start, end in spans
        }
    return Highlight(_trim(text, marked), max(scores, key=scores.__getitem__, default=None), nearness, share)


@lru_cache(500)  # questions on a topic find the same hits
def _sentences_and_rows(text: str, lead: str) -> Sequence[Span]:
    """Return the spans of sentences outside tables, and of whole rows inside tables except header rows."""
    spans = sentences(text, open_fence(lead))
    drawn = tables(text, lead)
    rows = [(row.start, row.end) for table in drawn for row in table.rows]
    outside = [span for span in spans if not any(table.start < span[1] and span[0] < table.end for table in drawn)]
    return sorted([*outside, *rows]) if rows else spans


def sentences(text: str, fence: str = "") -> list[Span]:
    """Return the spans of sentences in Markdown text. Headings, code and HTML count only if there is no prose.

    `fence` is the opening line of the fence in which the text begins.
    """
    text = with_newlines(blank_blobs(text))
    plain = hide_inline(text)
    prose: list[Span] = []
    other: list[Span] = []
    for block in _BLOCK.finditer(text):
        before, fence = fence, open_fence(block[0], fence)
        if (before and fence) or block["aside"]:
            other += split_sentences(plain, *block.span(), _NEVER, LONGEST)
        elif before == fence:
            prose += split_sentences(plain, *block.span(), _END, LONGEST)
    return prose or other


def split_sentences(plain: str, start: int, end: int, ends: re.Pattern[str], longest: int) -> Iterator[Span]:
    """Yield the spans of a block's sentences, except those without words.

    `plain` is the text returned by `hide_inline`, and `ends` matches sentence ends. A sentence longer than `longest` is
    divided at line ends. If there are none, it is divided at pauses, or else between Chinese characters.
    """
    for first, last in pairwise([start, *(match.end() for match in ends.finditer(plain, start, end)), end]):
        begin, stop = strip_span(plain, first, last)
        while begin < stop:
            near = (list(border.finditer(plain, begin + 1, begin + longest)) for border in _BORDERS)
            cut = stop if stop - begin <= longest or not (found := next(filter(None, near), ())) else found[-1].end()
            if _WORD.search(plain, begin, cut):
                yield strip_span(plain, begin, cut)
            begin = strip_span(plain, cut, stop)[0]


def hide_inline(text: str) -> str:
    """Mask inline code and links with letters, so that sentences aren't split inside them. Offsets stay valid."""
    return UNBREAKABLE.sub(lambda match: "x" * len(match[0]), text)


def telling_words(words: Sequence[str]) -> Sequence[str]:
    """Return the content words among a question's words, or all words if there are no content words."""
    return [word for word in words if word not in _SILENT and not _ACROSS.fullmatch(word)] or words


def words_in(text: str, words: Sequence[str], stems: Stems) -> tuple[tuple[Span, ...], set[str]]:
    """Return the spans of any form of the words in the text, and the set of words that were found."""
    places = word_places(text, words, stems)
    return _trim(text, tuple(join_spans(sorted(span for span, _ in places)))), {word for _, word in places}


def _trim(text: str, spans: tuple[Span, ...]) -> tuple[Span, ...]:
    """Trim Chinese question and function words, or halves of them, from the ends of spans.

    If nothing would be left, return the spans unchanged.
    """
    words = [match.span() for match in _FUNCTION_WORD.finditer(simplify(text))]
    trimmed = []
    for span in spans:
        start, end = span
        for first, last in words:
            start = min(last, end) if first <= start < last else start
        for first, last in reversed(words):
            end = max(first, start) if first < end <= last else end
        if end - start > 1 or (start, end) == span:  # a single character left is half of a word
            trimmed.append((start, end))
    return tuple(trimmed) or spans


def word_places(text: str, words: Sequence[str], stems: Stems) -> list[tuple[Span, str]]:
    """Return the span of each word found in the text, in any of its forms, together with the word."""
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


@lru_cache(200)  # a page reads each hit twice: for the highlights and for the answer
def _forms_in(text: str) -> list[tuple[str, Span]]:
    """Return the searchable forms of every word in the text, with their spans."""
    return [
        (form, (match.start() + start, match.start() + end))
        for match in _LATIN.finditer(text)
        for form, (start, end) in _forms(match[0])
    ]


@lru_cache(20_000)
def _forms(word: str) -> list[tuple[str, Span]]:
    """Return the forms under which keyword search finds a word and its parts, with their spans in the word."""
    return [
        (form, (start, end)) for start, end in ((0, len(word)), *parts_of(word)) if (form := _form(word[start:end]))
    ]


def _form(word: str) -> str:
    return word.strip("_").lower() if word.isascii() else next(iter(keywords(word)), "")


def _places(chunk: Chunk, title: str, embedder: TokenEmbedder, count: int) -> Spans | None:
    """Return the spans of `count` stored tokens in the chunk's text, or None if the tokens don't match the chunk.

    Tokens in a window's head have the span (-1, -1). Chunks embedded by an older version lack the windows for single
    table rows.
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
        places.append(np.where((spans[:, 0] >= window.head)[:, None], window.row or spans + (at - window.head), -1))
        at += len(window.text) - window.head
        reached += len(spans)
    return np.concatenate(places) if places and reached == count else None


def add_pages(result: SearchResult, store: Store, models: Models) -> SearchResult:
    """Set each hit's page to that of the sentence nearest to the question. Hits on a single page already have one."""

    def page_at(hit: Hit, offset: int) -> int:
        return hit.chunk.page_at(hit.note.document, offset)

    spread = [hit for hit in result.hits if page_at(hit, hit.chunk.start) != page_at(hit, hit.chunk.end - 1)]
    if not spread:
        return result
    part = replace(result, hits=tuple(spread))
    seen = highlights(part, store, tokenize_hits(part, store, models))
    hits = []
    for hit in result.hits:
        sentence = seen[hit.chunk.id].sentence if hit in spread else None
        hits.append(replace(hit, page=page_at(hit, hit.chunk.start + sentence[0])) if sentence else hit)
    return replace(result, hits=tuple(hits))
