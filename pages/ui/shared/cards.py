"""Hits as cards: the place of a passage, the scores of its stages, and its excerpt with the question's words marked."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from core.base.messages import message
from core.base.text import CJK, simplify, with_newlines
from core.model import (
    NOTE_FIELDS,
    STAGES,
    Chunk,
    Highlight,
    Hit,
    NoteSummary,
    StageScore,
    classification,
    remarks,
)
from pages.ui.shared import rendered, style
from pages.ui.shared.safe import Span, facts, folded, html, marked
from pages.ui.shared.text import t, text_of, with_note

# Places of a question's words in a text, and the excerpt that holds most of them.

EXCERPT = 420
"""Characters of a hit before it is unfolded."""

_LONGEST = 1000
"""Characters searched backwards for the start of a line."""


def find(text: str, words: Sequence[str]) -> list[Span]:
    """Return the spans of the words in order; spans that touch are joined.

    A word of letters is marked where it begins: at a border, or at a capital inside of an identifier.
    Simplified Chinese characters mark the traditional ones too.
    """
    text = simplify(text)
    latin = [re.escape(word) for word in words if word.isascii()]
    other = [re.escape(word) for word in words if not word.isascii()]
    spans = [match.span() for word in other for match in re.finditer(word, text, re.IGNORECASE)]
    if latin:
        pattern = "|".join(sorted(latin, key=len, reverse=True))
        for match in re.finditer(rf"(?:{pattern})(?![a-z0-9])", text, re.IGNORECASE):
            start = match.start()
            inside = start > 0 and text[start - 1].isascii() and text[start - 1].isalnum()
            if not inside or (text[start].isupper() and not text[start - 1].isupper()):
                spans.append(match.span())
    return join_spans(sorted(spans))


def best_excerpt(text: str, spans: Sequence[Span], length: int = EXCERPT) -> Span:
    """Return where a part of about `length` characters with most of the marked text begins and ends."""
    if len(text) <= length * 1.3:
        return 0, len(text)
    best, most, last, weight = 0, 0, 0, 0
    for first, (start, _) in enumerate(spans):
        while last < len(spans) and spans[last][1] <= start + length - 60:
            weight += spans[last][1] - spans[last][0]
            last += 1
        if weight > most:
            best, most = start, weight
        if last > first:
            weight -= spans[first][1] - spans[first][0]
        last = max(last, first + 1)
    start = max(0, best - 60)
    line = text.rfind("\n", max(0, start - _LONGEST), best) + 1
    if best - line <= length // 3:
        start = line
    return start, min(len(text), start + length)


def spans_in(spans: Sequence[Span], start: int, end: int) -> list[Span]:
    """Return the spans of a part, counted from where it begins."""
    return [(max(a, start) - start, min(b, end) - start) for a, b in spans if a < end and b > start]


def join_spans(spans: Iterable[Span]) -> list[Span]:
    """Return sorted spans with those that touch joined."""
    apart: list[Span] = []
    for start, end in spans:
        if apart and start <= apart[-1][1]:
            apart[-1] = apart[-1][0], max(apart[-1][1], end)
        else:
            apart.append((start, end))
    return apart


COLOURS = {
    "vector": style.TILES[0],
    "keyword": style.TILES[1],
    "fused": style.TILES[3],
    "boosted": style.TILES[5],
    "rerank": style.TILES[4],
    "final": style.TILES[2],
    **dict.fromkeys(("priority", "context", "feedback", "clicks"), style.TILES[5]),
    "literal": style.TILES[2],
}
"""The colour of each stage of a search."""

LINES = 9
"""Lines of an excerpt at most."""

SCALES: Mapping[str, Callable[[float], float]] = {
    "keyword": lambda score: score / (score + 10),
    **dict.fromkeys(("priority", "context", "feedback", "clicks"), lambda score: score / 2),
    "literal": lambda score: score / 3,
}
"""By stage, the function that maps a score without an upper bound to 0..1; other stages score from 0 to 1."""

MATCHES = (message("Weak match"), message("Good match"), message("Strong match"))
_CHINESE = re.compile(f"[{CJK}]")

_BLANK = re.compile(r"\n\s*\n")
"""The blank lines of an excerpt, which are left out."""


def tags(names: Sequence[str]) -> str:
    """Return tags as HTML."""
    if not names:
        return ""
    return f'<div class="t-tags">{"".join(f"""<span class="t-tag">{html(name)}</span>""" for name in names)}</div>'


def meter(level: int) -> str:
    """Return a relevance as HTML: a word with three bars, empty for none."""
    if not level:
        return ""
    bars = "".join(f'<i class="{"on" if number < level else ""}"></i>' for number in range(3))
    word = text_of(MATCHES[level - 1])
    return f'<div class="t-meter t-level-{level}"><span>{html(word)}</span><span class="t-bars">{bars}</span></div>'


def crumb(hit: Hit, *, base: bool, tone: str = "") -> str:
    """Return the note's file, the sections and the number of a hit's chunk as HTML."""
    file = " / ".join(filter(None, [hit.note.base if base else "", hit.note.path]))
    trail = " › ".join(filter(None, [file, *section(hit.note, hit.chunk)]))
    return f'<div class="t-trail"><span>{html(trail)}</span>{place_line(hit, tone)}</div>'


def place_line(hit: Hit, tone: str = "") -> str:
    """Return the number of a hit's chunk and its marks as HTML; `tone` is the colour of the part that found it."""
    number = t("passage {index} of {total}", index=hit.chunk.index + 1, total=hit.chunk.total)
    if hit.chunk.line:
        number = t("line {n}", n=hit.chunk.line)
    if hit.page:
        number = t("page {n}", n=hit.page)
    if hit.chunk.picture:
        number = t("picture {name}", name=hit.chunk.picture)
    return f'<span class="t-number">{html(number)}</span>{_edited_tag(hit)}{_subquery_tag(hit, tone)}'


def about(hit: Hit) -> str:
    """Return the fields of a hit's note and warnings about it (archived, expired) as HTML, empty without any."""
    fields = classification(hit.note)
    chips = [_chip(text_of(value), text_of(NOTE_FIELDS[name].title), name) for name, value in fields.items()]
    warnings = "".join(f'<span class="t-tag t-gone">{html(text_of(remark))}</span>' for remark in remarks(hit))
    return f'<div class="t-tags">{"".join(chips)}{warnings}</div>' if chips or warnings else ""


def _chip(value: str, name: str, field: str) -> str:
    named = value if field in ("type", "category") else t("{field}: {value}", field=name, value=value)
    return f'<span class="t-tag" title="{html(name)}">{html(named)}</span>'


def body(hit: Hit, seen: Highlight, *, around: bool) -> str:
    """Return a hit's text as HTML: a few lines around what answers, or with `around` all of it and its neighbours."""
    if around:
        return f'<div class="t-hit">{_context(hit, seen)}{_copies(hit)}</div>'
    if hit.chunk.line or hit.chunk.picture:
        return f'<div class="t-hit">{_clip(hit.chunk.text, seen.words, LINES)[0]}{_copies(hit)}</div>'
    lines = rendered.excerpt(hit.chunk.text, seen.words, seen.sentence, underline=seen.is_close)
    return f'<div class="t-hit"><div class="t-lines">{lines}</div>{_copies(hit)}</div>'


def legend(*, parts: bool) -> str:
    """Return what the marks of hits mean as Markdown; with `parts`, the dots of a question that was broken down too."""
    rows = [
        (f":orange-background[{t('word')}]", t("a word of your question")),
        (f":green-background[{t('sentence')}]", t("the sentence closest to it in meaning")),
        (":material/signal_cellular_alt:", t("how well the hit matches: strong, good or weak")),
        *([("●", t("the part of the question that found the hit"))] if parts else []),
    ]
    return "  \n".join(f"{mark} {text}" for mark, text in rows)


def section(note: NoteSummary, chunk: Chunk) -> tuple[str, ...]:
    """Return a chunk's chain of titles, without the first where that only says the note's again."""
    return chunk.section[chunk.section[:1] == (note.title,) :]


def dot(tone: str) -> str:
    """Return a dot in a colour as HTML."""
    return f'<i class="t-part" style="background: {tone}"></i>'


def _edited_tag(hit: Hit) -> str:
    return f'<span class="t-tag t-edited">{html(t("edited"))}</span>' if hit.chunk.edited else ""


def _subquery_tag(hit: Hit, tone: str) -> str:
    if not hit.asked or not tone:
        return ""
    return f'<span class="t-by" title="{html(t("The part of the question that found it"))}">{dot(tone)}{html(hit.asked)}</span>'


def _copies(hit: Hit) -> str:
    if not hit.copies:
        return ""
    names = []
    for note, chunk in ((copy.note, copy.chunk) for copy in hit.copies):
        line = t("line {n}", n=chunk.line) if chunk.line else ""
        place = " · ".join(filter(None, [note.base if note.base_id != hit.note.base_id else "", note.path, line]))
        names.append(with_note(note.title, place) if place else note.title)
    return facts([t("Also in {names}", names=names)])


def stages(scores: Mapping[str, StageScore]) -> str:
    """Return the score and the rank of each stage as HTML, with a bar on a scale from 0 to 1."""
    bars = []
    for stage, tile in COLOURS.items():
        stage_score = scores.get(stage)
        if stage_score is None or not (stage_score.score or stage_score.rank):
            continue
        share = min(1.0, max(0.0, SCALES.get(stage, float)(stage_score.score)))
        rank = f"#{stage_score.rank:,}" if stage_score.rank else t("ranked too low")
        bars.append(
            f'<span class="t-stage">{html(text_of(STAGES[stage]))}'
            f'<span class="t-bar"><i style="width: {100 * share:.0f}%; background: {tile}"></i></span>'
            f'<b>{stage_score.score:.2f}</b><span class="t-dim">{html(rank)}</span></span>'
        )
    return f'<div class="t-stages">{"".join(bars)}</div>' if bars else ""


def excerpt_html(text: str, words: Sequence[str], lines: int) -> str:
    """Return the lines of a text that hold most of the words as HTML, with the words marked."""
    return _clip(text, find(text, words), lines)[0]


def foldable(text: str, spans: Sequence[Span], title: str, lines: int = LINES) -> str:
    """Return the lines of a text that hold most of its spans as HTML; the whole text unfolds below its title."""
    shown, whole = _clip(text, spans, lines)
    return shown if whole else shown + folded(title, f'<div class="t-text">{marked(text, spans)}</div>')


def _clip(text: str, spans: Sequence[Span], most: int) -> tuple[str, bool]:
    text = with_newlines(text)
    start, end = best_excerpt(text, spans)
    lines = _BLANK.sub("\n", marked(text[start:end].rstrip(), spans_in(spans, start, end))).split("\n")
    whole = (start, end) == (0, len(text)) and len(lines) <= most
    shown = "\n".join(lines[:most])
    return f'<div class="t-text">{"… " if start else ""}{shown}{"" if whole else " …"}</div>', whole


def _as_written(text: str, words: Sequence[Span] = (), _sentence: Span | None = None) -> str:
    return f'<div class="t-text">{marked(with_newlines(text), words)}</div>'


def _context(hit: Hit, seen: Highlight) -> str:
    """Return a whole hit with its neighbours as HTML; the style sheet shows the nearest lines of the neighbours."""
    passage, chunk = hit.passage, hit.chunk
    # Where the user edited a chunk of the passage, offsets of the note aren't those of its text.
    guess = chunk.start - passage.start
    start = guess if passage.text.startswith(chunk.text, guess) else max(0, passage.text.find(chunk.text))
    before, after = passage.text[:start], passage.text[start + len(chunk.text) :]
    whole = _as_written if chunk.line else rendered.render_text
    own = _as_written if chunk.picture else whole
    parts = [
        f'<div class="t-around t-before"><div>{whole(before)}</div></div>' if before.strip() else "",
        f'<div class="t-own">{own(chunk.text, seen.words, seen.sentence)}</div>',
        f'<div class="t-around">{whole(after)}</div>' if after.strip() else "",
    ]
    return f'<div class="t-context">{"".join(parts)}</div>'
