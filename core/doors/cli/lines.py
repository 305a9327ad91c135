"""Output of commands for people, from the data of their JSON output."""

import re
from typing import Any

from core.base.messages import lines, message, plural
from core.base.terminal import _, say
from core.base.text import CJK, STOP_WORDS, fold
from core.model import (
    LEVELS,
    LOST,
    MODES,
    NOTE_FIELDS,
    NOTICES,
    STAGES,
    classification,
)

# The few lines of a hit in a terminal.

_WORD = re.compile(rf"(?=([{CJK}]{{2}}))|((?:(?![{CJK}])\w)+)")
SNIPPET = 6
"""Most lines of a passage that a hit prints."""


def snippet_lines(hit: dict[str, Any], question: str) -> list[str]:
    """Return up to SNIPPET lines of a hit side by side, those with the most words of a question.

    Blank lines are left out, and so is a heading that is in the line above.
    """
    heading = re.compile(rf"#+\s+{re.escape(hit['section'][-1])}\s*" if hit["section"] else "(?!)")
    every = [line for line in hit["text"].splitlines() if line.strip()]
    every = [line for line in every if not heading.fullmatch(line)] or every
    wanted = {pair or word for pair, word in _WORD.findall(fold(question))} - STOP_WORDS
    held = [{word for word in wanted if word in fold(line)} for line in every]
    starts = range(max(1, len(every) - SNIPPET + 1))
    start = max(starts, key=lambda at: len(set().union(*held[at : at + SNIPPET])))
    before, after = ["…"] * (start > 0), ["…"] * (start + SNIPPET < len(every))
    within = every[start : start + SNIPPET]
    return [*before, *within[len(before) : len(within) - len(after)], *after]


def format_refusal(answer: dict[str, Any]) -> list[str]:
    lines = [_("{name}: {text}", name=answer["title"], text=answer["explanation"])]
    if answer["chunk_index"] is not None:
        lines.append(_("Its best passage is number {n}:", n=answer["chunk_index"] + 1))
    for stage, score in answer["scores"].items():
        name = STAGES.get(stage, stage)
        if score["rank"]:
            lines.append(_("  {name} {score:.3f}, rank {rank}", name=name, **score))
        else:
            lines.append(f"  {say(name)} {score['score']:.3f}")
    return lines


def format_context(context: dict[str, Any]) -> list[str]:
    return [*([] if context["confident"] else [_("Nothing close. The nearest:"), ""]), context["text"]]


def format_result(result: dict[str, Any], *, full: bool = False, explain: bool = False) -> list[str]:
    """Return the lines of the hits: whole passages with `full`, scores and matching words with `explain`."""
    head: list[object] = [
        plural("{n} hit", "{n} hits", n=len(result["hits"])),
        MODES[result["mode"]],
        LEVELS[result["level"]],
        *([message("re-check: {name}", name=result["reranker"])] if result["reranker"] else []),
        message("{ms:.0f} ms", ms=result["took_ms"]),
    ]
    printed = [say(lines(*head, separator=" · ")), *(say(NOTICES[notice]) for notice in result["notices"])]
    printed += [
        _(
            "No note holds '{word}': '{nearest}' was looked for too. For '{word}' only: --as-typed",
            word=word,
            nearest=near,
        )
        for word, near in result["spelled"].items()
    ]
    if result["rerank_problem"]:
        printed.append(_("No re-check: {reason}", reason=result["rerank_problem"]))
    if result["decompose_problem"]:
        printed.append(_("The question was broken down by rules instead: {reason}", reason=result["decompose_problem"]))
    printed += [
        _("round {round}: {text} ({why}; {found} found, {new} new)", **sub_query) for sub_query in result["sub_queries"]
    ]
    if result["choice"]:
        printed += [say(result["choice"]["explanation"]), *result["choice"]["answer"].splitlines()]
    if result["hits"] and not result["confident"]:
        printed.append(_("Nothing close. The nearest:"))
    for hit in result["hits"]:
        text = hit["text"].splitlines() if full else snippet_lines(hit, result["understood"]["text"])
        printed += ["", *_hit_lines(hit, explain=explain), *_about(hit), *(f"   {line}" for line in text)]
    if result["lost"]:
        printed += ["", _("Also considered:")]
        for lost in result["lost"]:
            first, second = _hit_lines(lost, explain=explain)
            printed += [first, f"{second} [{say(LOST[lost['lost_at']])}]"]
    return printed


def _about(hit: dict[str, Any]) -> list[str]:
    """Return the classification of a hit's note, and remarks on its reliability."""
    fields = [
        message("{field}: {value}", field=NOTE_FIELDS[name].title, value=value)
        for name, value in classification(hit).items()
    ]
    said = [f"   {say(lines(*fields, separator=' · '))}"] if fields else []
    return said + [f"   ! {say(remark)}" for remark in hit["remarks"]]


def _hit_lines(hit: dict[str, Any], *, explain: bool) -> list[str]:
    section = hit["section"]
    where = " > ".join([hit["title"], *section[section[:1] == [hit["title"]] :]])
    place = f"{hit['path']}:{hit['line']}" if hit["line"] else hit["path"]
    scores = ", ".join(
        f"{say(STAGES.get(stage, stage))} {score:.3f}" for stage, score in hit["scores"].items() if score is not None
    )
    matched = f"; {', '.join(hit['matched'])}" if hit["matched"] else ""
    place = _("{path}, picture {picture}", path=place, picture=hit["picture"]) if hit["picture"] else place
    return [f"{hit['rank']}. {where}", f"   {hit['base']}: {place}" + (f" ({scores}{matched})" if explain else "")]
