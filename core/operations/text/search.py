"""Output of searches for people."""

import re

from core.base.messages import lines, message, plural
from core.base.terminal import _, say
from core.base.text import CJK, STOP_WORDS, fold
from core.model import LEVELS, LOST, MODES, NOTE_FIELDS, NOTICES, STAGES, classification, ordering_lines
from core.operations.views.search import (
    ContextView,
    DroppedHit,
    HitView,
    PictureHitView,
    ResultView,
    SearchOutput,
    WhyNotView,
)

_WORD = re.compile(rf"(?=([{CJK}]{{2}}))|((?:(?![{CJK}])\w)+)")
SNIPPET = 6
"""Most lines of a passage that a hit prints."""


def format_found(found: SearchOutput, *, full: bool = False, explain: bool = False) -> list[str]:
    """Return the lines of what `tessera search` gives."""
    if isinstance(found, ContextView):
        return format_context(found)
    return format_why_not(found) if isinstance(found, WhyNotView) else format_result(found, full=full, explain=explain)


def format_context(context: ContextView) -> list[str]:
    if not context.text:
        return [*(say(NOTICES[notice]) for notice in context.notices)] or [_("Nothing found.")]
    return [*([] if context.confident else [_("Nothing similar. The nearest:"), ""]), context.text]


def format_why_not(answer: WhyNotView) -> list[str]:
    printed = [_("{name}: {text}", name=answer.title, text=answer.explanation)]
    if answer.chunk_index is not None:
        printed.append(_("Its best passage is number {n}:", n=answer.chunk_index + 1))
    for stage, score in answer.scores.items():
        name = STAGES.get(stage, stage)
        if score.rank:
            printed.append(_("  {name} {score:.3f}, rank {rank}", name=name, score=score.score, rank=score.rank))
        else:
            printed.append(f"  {say(name)} {score.score:.3f}")
    return printed


def format_result(result: ResultView, *, full: bool = False, explain: bool = False) -> list[str]:
    """Return the lines of the hits: whole passages with `full`, scores and matching words with `explain`."""
    printed = _format_head(result)
    if result.hits and not result.confident:
        printed.append(_("Nothing similar. The nearest:"))
    for hit in result.hits:
        text = hit.text.splitlines() if full else snippet_lines(hit, result.understood.text)
        text += hit.definitions
        printed += ["", *_format_hit(hit, explain=explain), *_format_note(hit), *(f"   {line}" for line in text)]
    if result.lost:
        printed += ["", _("Also considered:"), *_format_dropped(result.lost, explain=explain)]
    return [*printed, *_format_pictures(result.pictures)]


def _format_head(result: ResultView) -> list[str]:
    """Return how a question was searched, its problems, and the choice of a language model."""
    head: list[object] = [
        plural("{n} hit", "{n} hits", n=len(result.hits)),
        MODES[result.mode],
        LEVELS[result.level],
        *([message("reranking: {name}", name=result.reranker)] if result.reranker else []),
        message("{ms:.0f} ms", ms=result.took_ms),
    ]
    printed = [say(lines(*head, separator=" · ")), *(say(NOTICES[notice]) for notice in result.notices)]
    printed += map(say, ordering_lines(result.understood))
    printed += [
        _(
            "No note contains '{word}': '{nearest}' was searched for too. For '{word}' only: --as-typed",
            word=word,
            nearest=nearest,
        )
        for word, nearest in result.spelled.items()
    ]
    if result.rerank_problem:
        printed.append(_("Not reranked: {reason}", reason=result.rerank_problem))
    if result.decompose_problem:
        printed.append(_("The question was broken down by rules instead: {reason}", reason=result.decompose_problem))
    printed += [
        _(
            "round {round}: {text} ({why}; {found} found, {new} new)",
            round=sub_query.round,
            text=sub_query.text,
            why=sub_query.why,
            found=sub_query.found,
            new=sub_query.new,
        )
        for sub_query in result.sub_queries
    ]
    return [*printed, *([say(choice.explanation), *choice.answer.splitlines()] if (choice := result.choice) else [])]


def _format_hit(hit: HitView, *, explain: bool) -> tuple[str, str]:
    where = " > ".join([hit.title, *hit.section[hit.section[:1] == (hit.title,) :]])
    place: object = f"{hit.path}:{hit.line}" if hit.line else hit.path
    scores = ", ".join(
        f"{say(STAGES.get(stage, stage))} {score:.3f}" for stage, score in hit.scores.items() if score is not None
    )
    matched = f"; {', '.join(hit.matched)}" if hit.matched else ""
    place = _("{path}, picture {picture}", path=place, picture=hit.picture) if hit.picture else place
    return f"{hit.rank}. {where}", f"   {hit.base}: {place}" + (f" ({scores}{matched})" if explain else "")


def _format_note(hit: HitView) -> list[str]:
    """Return the classification of a hit's note, and remarks on its reliability."""
    fields = [
        message("{field}: {value}", field=NOTE_FIELDS[name].title, value=value)
        for name, value in classification(hit).items()
    ]
    details = [f"   {say(lines(*fields, separator=' · '))}"] if fields else []
    return details + [f"   ! {say(remark)}" for remark in hit.remarks]


def _format_dropped(dropped: tuple[DroppedHit, ...], *, explain: bool) -> list[str]:
    printed = []
    for hit in dropped:
        first, second = _format_hit(hit, explain=explain)
        printed += [first, f"{second} [{say(LOST[hit.lost_at])}]"]
    return printed


def _format_pictures(pictures: tuple[PictureHitView, ...]) -> list[str]:
    printed = ["", _("Pictures:")] if pictures else []
    for hit in pictures:
        place = _("{path}, picture {picture}", path=f"{hit.base}: {hit.path}", picture=hit.picture)
        printed.append(f"{hit.rank}. {hit.title}\n   {place}")
    return printed


def snippet_lines(hit: HitView, question: str) -> list[str]:
    """Return up to SNIPPET lines of a hit side by side, those with the most words of a question.

    Blank lines are left out, and so is a heading that is in the line above.
    """
    heading = re.compile(rf"#+\s+{re.escape(hit.section[-1])}\s*" if hit.section else "(?!)")
    every = [line for line in hit.text.splitlines() if line.strip()]
    every = [line for line in every if not heading.fullmatch(line)] or every
    wanted = {pair or word for pair, word in _WORD.findall(fold(question))} - STOP_WORDS
    matches = [{word for word in wanted if word in fold(line)} for line in every]
    starts = range(max(1, len(every) - SNIPPET + 1))
    start = max(starts, key=lambda at: len(set().union(*matches[at : at + SNIPPET])))
    before, after = ["…"] * (start > 0), ["…"] * (start + SNIPPET < len(every))
    within = every[start : start + SNIPPET]
    return [*before, *within[len(before) : len(within) - len(after)], *after]
