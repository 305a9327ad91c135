"""Parts of hit cards as HTML, such as a passage's path, its scores, and an excerpt with highlighted words."""

import re
from collections.abc import Callable, Mapping, Sequence

from core.base.fences import open_fence
from core.base.flow import flow
from core.base.frozen import Texts, TextValues
from core.base.messages import message
from core.base.text import with_newlines
from core.model import (
    NOTE_FIELDS,
    STAGES,
    Chunk,
    Highlight,
    Hit,
    Note,
    NoteSummary,
    Quote,
    StageScore,
    classification,
    remarks,
)
from pages.ui.shared import rendered
from pages.ui.shared.names import field_value
from pages.ui.shared.safe import Span, Spans, elements, facts, folded, html, marked, t_html
from pages.ui.shared.style import TILES
from pages.ui.shared.text import join_facts, t, text_of, with_label, with_note

# Choosing the excerpt with the most highlighted text.

# Approximate number of characters in an excerpt.
EXCERPT = 420

# Maximum number of characters to search backwards for the start of a line.
_LONGEST = 1000


def best_excerpt(text: str, spans: Spans) -> Span:
    """Return the span of about EXCERPT characters with the most highlighted text, or the whole of a short text."""
    if len(text) <= EXCERPT * 1.3:
        return 0, len(text)
    best = 0
    most = 0
    last = 0
    weight = 0
    for first, (start, _) in enumerate(spans):
        while last < len(spans) and spans[last][1] <= start + EXCERPT - 60:
            weight += spans[last][1] - spans[last][0]
            last += 1
        if weight > most:
            best = start
            most = weight
        if last > first:
            weight -= spans[first][1] - spans[first][0]
        last = max(last, first + 1)
    start = max(0, best - 60)
    line = text.rfind("\n", max(0, start - _LONGEST), best) + 1
    if best - line <= EXCERPT // 3:
        start = line
    return start, min(len(text), start + EXCERPT)


def spans_in(spans: Spans, start: int, end: int) -> list[Span]:
    """Return the spans that overlap the part from `start` to `end`, clipped to the part and relative to `start`."""
    return [(max(a, start) - start, min(b, end) - start) for a, b in spans if a < end and b > start]


# Colours of the bars for the search stages, in the order of the stages.
COLOURS = {
    "vector": TILES[0],
    "keyword": TILES[1],
    "fused": TILES[3],
    "boosted": TILES[5],
    "rerank": TILES[4],
    "final": TILES[2],
    **dict.fromkeys(("priority", "context", "feedback", "clicks"), TILES[5]),
    "literal": TILES[2],
}

# Maximum number of lines in an excerpt.
LINES = 9

# Functions that map unbounded scores to the range from 0 to 1, keyed by search stage.
#
# The scores of all other stages are already in this range.
SCALES: Mapping[str, Callable[[float], float]] = {
    "keyword": lambda score: score / (score + 10),
    **dict.fromkeys(("priority", "context", "feedback", "clicks"), lambda score: score / 2),
    "literal": lambda score: score / 3,
}

MATCHES = (message("Weak match"), message("Good match"), message("Strong match"))

# Blank lines, which are left out of excerpts.
_BLANK = r"\n\s*\n"


def tags(names: Sequence[str]) -> str:
    """Return tags as HTML."""
    return f'<div class="t-tags">{elements(names, "span", "t-tag")}</div>' if names else ""


def meter(level: int) -> str:
    """Return a relevance level as HTML, with a word and one to three filled bars. Return "" if the level is 0."""
    if not level:
        return ""
    bars = "".join(f'<i class="{"on" if number < level else ""}"></i>' for number in range(3))
    return f'<div class="t-meter t-level-{level}"><span>{html(MATCHES[level - 1])}</span><span class="t-bars">{bars}</span></div>'


def crumb(hit: Hit, *, base: bool, tone: str = "", level: int = 0, trail: bool = True) -> str:
    """Return a hit's path, section titles, chunk number, labels and relevance level as HTML.

    If the chunk has a line, a page or a picture's name, that replaces the chunk number. `tone` is the colour of the sub-query that found the hit. If
    `base` is True, the base's name is included. If `trail` is False, the path and section titles are left out.
    """
    file = " / ".join(filter(None, [hit.note.base if base else "", hit.note.path]))
    way = " › ".join(filter(None, [file, *section(hit.note, hit.chunk)])) if trail else ""
    number = ""
    if hit.chunk.total > 1:
        number = t("passage {index} of {total}", index=hit.chunk.index + 1, total=hit.chunk.total)
    if hit.chunk.line:
        number = t("line {n}", n=hit.chunk.line)
    if hit.page:
        number = t("page {n}", n=hit.page)
    if hit.chunk.picture:
        number = t("picture {name}", name=hit.chunk.picture)
    edited = f'<span class="t-tag t-edited">{t_html("edited")}</span>' if hit.chunk.edited else ""
    about = t_html("The part of the question that found this hit")
    by = f'<span class="t-by" title="{about}">{dot(tone)}{html(hit.asked)}</span>' if hit.asked and tone else ""
    return (
        f'<div class="t-trail"><span>{html(way)}</span><span class="t-number">{html(number)}</span>{edited}{by}'
        f"{meter(level)}</div>"
    )


def about(hit: Hit) -> str:
    """Return labels as HTML: the classification of a hit's note, such as its type, and remarks on the hit.

    Return "" if there are none.
    """
    chips = ""
    for name, value in classification(hit.note).items():
        title = text_of(NOTE_FIELDS[name].title)
        text = field_value(name, value) if name in ("type", "category") else with_label(title, value)
        chips += f'<span class="t-tag" title="{html(title)}">{html(text)}</span>'
    for remark in remarks(hit):
        chips += f'<span class="t-tag t-gone">{html(remark)}</span>'
    return f'<div class="t-tags">{chips}</div>' if chips else ""


def body(hit: Hit, seen: Highlight, *, around: bool) -> str:
    """Return an excerpt of a hit as HTML, with the words of the question and the closest sentence highlighted.

    If `around` is True, return the whole passage and the neighbouring passages instead.
    """
    chunk = hit.chunk
    if around:
        shown = _context(hit, seen)
    elif chunk.line or chunk.picture:
        shown = clip(chunk.text, seen.words, LINES)[0]
    else:
        text = flow(chunk.text, paged=hit.note.is_paged, fence=chunk.fence)
        lines = rendered.excerpt(text, seen.words, seen.sentence, underline=seen.is_close, fence=chunk.fence)
        footnotes = [line for line in chunk.definitions if line.startswith("[^")]
        shown = f'<div class="t-lines">{lines}</div>{definitions(footnotes)}'
    return f'<div class="t-hit">{shown}{_copies(hit)}</div>'


def lines(note: NoteSummary, chunk: Chunk, words: Spans = ()) -> str:
    """Return a few lines of a chunk as HTML, around the first of `words` if any. All of them are highlighted."""
    if chunk.line or chunk.picture:
        shown = clip(chunk.text, words, 3)[0]
    else:
        text = flow(chunk.text, paged=note.is_paged, fence=chunk.fence)
        shown = rendered.excerpt(text, words, words[0] if words else None, underline=False, fence=chunk.fence)
    return f'<div class="t-brief">{shown}</div>'


def definitions(lines: Sequence[str]) -> str:
    """Return footnote and link definitions as HTML, one per line."""
    return elements(lines, "div", "t-small t-dim")


def legend(*, parts: bool) -> str:
    """Return, as Markdown, what the marks on hits mean. If `parts` is True, include the dots for sub-queries."""
    rows = [
        (f":orange-background[{t('word')}]", t("a word of your question")),
        (f":green-background[{t('sentence')}]", t("the sentence closest to the question in meaning")),
        (":material/signal_cellular_alt:", t("how well the hit matches: strong, good or weak")),
        *([("●", t("the part of the question that found this hit"))] if parts else []),
    ]
    return "  \n".join(f"{mark} {text}" for mark, text in rows)


def section(note: Note | NoteSummary, chunk: Chunk) -> Texts:
    """Return a chunk's section titles. If the first title repeats the note's title, leave it out."""
    return chunk.section[chunk.section[:1] == (note.title,) :]


def place(of: Hit | Quote) -> str:
    """Return the title of a passage's note, followed by the passage's section titles."""
    return " › ".join([of.note.title, *section(of.note, of.chunk)])


def address(of: Hit | Quote, question: str, span: Span | None = None) -> TextValues:
    """Return the query parameters of a link that opens a passage in its note.

    `question` is the question that found the passage, and `span` the span to highlight.
    """
    at = {"at": f"{span[0]}-{span[1]}"} if span else {}
    return {"note": of.note.id, "chunk": str(of.chunk.index), "q": question, **at}


def dot(tone: str) -> str:
    """Return a dot in the colour `tone` as HTML."""
    return f'<i class="t-part" style="background: {tone}"></i>'


def _copies(hit: Hit) -> str:
    if not hit.copies:
        return ""
    names = []
    for note, chunk in ((copy.note, copy.chunk) for copy in hit.copies):
        line = t("line {n}", n=chunk.line) if chunk.line else ""
        place = join_facts([note.base if note.base_id != hit.note.base_id else "", note.path, line])
        names.append(with_note(note.title, place) if place else note.title)
    return facts([t("Also in {names}", names=names)])


def stages(scores: Mapping[str, StageScore]) -> str:
    """Return, as HTML, a hit's score, rank and bar (on a scale from 0 to 1) in each search stage that affected it."""
    bars = []
    for stage, tile in COLOURS.items():
        if (found := scores.get(stage)) and (found.score or found.rank):
            share = min(1.0, max(0.0, SCALES.get(stage, float)(found.score)))
            rank = f"#{found.rank:,}" if found.rank else t("ranked too low")
            bars.append(
                f'<span class="t-stage">{html(STAGES[stage])}'
                f'<span class="t-bar"><i style="width: {100 * share:.0f}%; background: {tile}"></i></span>'
                f'<b>{found.score:.2f}</b><span class="t-dim">{html(rank)}</span></span>'
            )
    return f'<div class="t-stages">{"".join(bars)}</div>' if bars else ""


def foldable(text: str, spans: Spans = (), lines: int = LINES) -> str:
    """Return the lines with the most highlighted text as HTML. If there are more, the whole text follows, collapsed."""
    shown, whole = clip(text, spans, lines)
    if whole:
        return shown
    return shown + folded(
        t("Whole passage, {n} characters", n=len(text)), f'<div class="t-text">{marked(text, spans)}</div>'
    )


def clip(text: str, spans: Spans, most: int) -> tuple[str, bool]:
    """Return up to `most` lines with the most highlighted text as HTML, and whether they are the whole text."""
    text = with_newlines(text)
    start, end = best_excerpt(text, spans)
    lines = re.sub(_BLANK, "\n", marked(text[start:end].rstrip(), spans_in(spans, start, end))).split("\n")
    whole = (start, end) == (0, len(text)) and len(lines) <= most
    shown = "\n".join(lines[:most])
    return f'<div class="t-text">{"… " if start else ""}{shown}{"" if whole else " …"}</div>', whole


def _context(hit: Hit, seen: Highlight) -> str:
    """Return a whole passage with its neighbouring passages as HTML.

    The style sheet shows only the nearest lines of the neighbours.
    """
    passage = hit.passage
    chunk = hit.chunk
    # If the user has edited a chunk in the passage, the offsets in the note don't match the passage's text.
    guess = chunk.start - passage.start
    start = guess if passage.text.startswith(chunk.text, guess) else max(0, passage.text.find(chunk.text))
    before = passage.text[:start]
    after = passage.text[start + len(chunk.text) :]

    def draw(text: str, fence: str, written: object, words: Spans = (), sentence: Span | None = None) -> str:
        if written:
            return f'<div class="t-text">{marked(with_newlines(text), words)}</div>'
        return rendered.render_text(flow(text, paged=hit.note.is_paged, fence=fence), words, sentence, fence)

    own = draw(chunk.text, chunk.fence, chunk.line or chunk.picture, seen.words, seen.sentence)
    parts = [
        f'<div class="t-around t-before"><div>{draw(before, passage.fence, chunk.line)}</div></div>'
        if before.strip()
        else "",
        f'<div class="t-own">{own}{definitions(chunk.definitions)}</div>',
        f'<div class="t-around">{draw(after, open_fence(chunk.text, chunk.fence), chunk.line)}</div>'
        if after.strip()
        else "",
    ]
    return f'<div class="t-context">{"".join(parts)}</div>'
