"""Runs next to each other, or one by itself, as a file to keep: CSV, Markdown, HTML.

Questions, paths and names are hostile text: nothing of them is a formula, Markdown or HTML in a report.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape

from core.evaluation import METRICS, sheets
from core.evaluation.compare import ENOUGH, Comparison
from core.evaluation.sidebyside import TIMES, Change, Row, SideBySide, answered
from core.model import QuestionResult, Run

Say = Callable[[str], str]
"""What puts a sentence into the person's language."""

NONE = "–"
_COLUMNS = 4
"""Runs that have a column each: a page is not wider."""

_BREAKS = re.compile("[\x00-\x20\x7f-\x9f\u2028\u2029]+")
_TURNS = re.compile("[\u202a-\u202e\u2066-\u2069]")
"""Characters that would turn the text around them, in other cells too."""
_HALVES = re.compile("[\ud800-\udfff]")
_MARKUP = re.compile(
    r"[<>&]|(?<!\w)www\.|://|@(?=[^\W\d])"
    r"|[\\`*\[\]|~$#^]|(?<![^\W_])_|_(?![^\W_])|=(?==)|(?<==)=|%(?=%)|(?<=%)%"
    r"|^[-+](?=[-\s]|$)|^(?P<number>\d+)[.)](?!\d)",
    re.IGNORECASE,
)
"""What Markdown, or a reader's own kind of it, would take for more than text; `_` within a word is text."""
_FIGURE = re.compile(rf"[-+]?[\d.]+( \(.*\))?|{NONE}")


@dataclass(frozen=True, slots=True)
class _Section:
    """A part of a report, in plain text: sentences, and a table whose first row is its head."""

    title: str
    told: Sequence[str] = ()
    table: Sequence[Sequence[str]] = ()


def to_csv(shown: SideBySide) -> bytes:
    """Return a row for each question, with its rank, time and METRICS in each run, in UTF-8 with its mark."""
    return sheets.written(_rows(shown))


def to_markdown(shown: SideBySide, base: str = "", say: Say = str) -> str:
    """Return a report in Markdown, with the tables of GitHub; `base` is the base's name, where that shall be told."""
    parts = [f"# {_markdown(_title(shown, say))}"]
    for section in _sections(shown, base, say):
        parts.append(f"## {_markdown(section.title)}")
        parts += [_markdown(sentence) for sentence in section.told]
        if section.table:
            head, *rows = [f"| {' | '.join(map(_markdown, row))} |" for row in section.table]
            parts.append("\n".join([head, f"|{' --- |' * len(section.table[0])}", *rows]))
    return "\n\n".join(parts) + "\n"


def to_html(shown: SideBySide, base: str = "", say: Say = str, *, language: str = "en") -> str:
    """Return a report as a page that needs nothing else and runs nothing; `language` is that of `say`."""
    title = escape(_title(shown, say))
    parts = [f"<h1>{title}</h1>"]
    for section in _sections(shown, base, say):
        parts.append(f"<h2>{_html(section.title)}</h2>")
        parts += [f"<p>{_html(sentence)}</p>" for sentence in section.told]
        if section.table:
            parts.append(_html_table(section.table))
    return _PAGE.format(language=escape(language), title=title, style=_STYLE, body="\n".join(parts))


# what a report says


def _rows(shown: SideBySide) -> Iterator[list[str]]:
    several = len(shown.runs) > 1
    head = ["id", "question", "kind"]
    for number, label in enumerate(shown.labels):
        columns = ("rank", *(("change",) if number else ()), "took_ms", *METRICS)
        head += [f"{label}: {column}" if several else column for column in columns]
    yield head
    for row in shown.rows:
        cells = [row.id, row.question, row.kind]
        for number, (result, values) in enumerate(zip(row.results, row.values, strict=True)):
            cells.append("" if result.found_rank is None else f"{result.found_rank}")
            cells += [row.changes[number - 1]] if number else []
            cells.append(f"{result.took_ms:.1f}")
            cells += [f"{values[name]:.6g}" if values else "" for name in METRICS]
        yield cells


def _title(shown: SideBySide, say: Say) -> str:
    return say("Comparison of runs" if len(shown.runs) > 1 else "Report of a run")


def _sections(shown: SideBySide, base: str, say: Say) -> Iterator[_Section]:
    labels = [" · ".join(map(say, label.split(" · "))) for label in shown.labels]
    yield _runs(shown, labels, base, say)
    if shown.settings:
        title = say("Settings that differ" if len(shown.runs) > 1 else "Settings")
        rows = [[name, *map(_value, given)] for name, given in shown.settings.items()]
        yield _Section(title, table=_laid([[say("Setting"), *labels], *rows], labels))
    yield _figures(shown, labels, say)
    if any(kind.kind for kind in shown.kinds):
        rows = [[kind.kind or NONE, f"{kind.questions}", *map(str, kind.answered)] for kind in shown.kinds]
        yield _Section(say("Answered, by kind"), table=_laid([[say("Kind"), say("Questions"), *labels], *rows], labels))
    if any(row.negative for row in shown.rows):
        told = [f"{label}: {say(one.told)}" for label, one in zip(labels, shown.false_positives, strict=True)]
        yield _Section(say("Questions without an answer"), told)
    yield from _changed(shown, labels, say) if len(shown.runs) > 1 else _missed(shown, say)


def _runs(shown: SideBySide, labels: Sequence[str], base: str, say: Say) -> _Section:
    told = [say(f"{len(shown.rows)} questions, {shown.answerable} of them with an answer.")]
    told += [f"{say('Knowledge base')}: {base}"] if base else []
    head = [say(word) for word in ("Run", "Question set", "Asked", "Started", "Ended")]
    rows = [[label, *_told_of(run, say)] for label, run in zip(labels, shown.runs, strict=True)]
    return _Section(say("What was asked"), [*told, *map(say, shown.notices)], [head, *rows])


def _told_of(run: Run, say: Say) -> list[str]:
    ended = f"{run.ended_at:%Y-%m-%d %H:%M} UTC" if run.ended_at else say("stopped")
    asked = f"{run.asked}" if run.asked == run.questions else f"{run.asked} / {run.questions}"
    return [run.set_name or NONE, asked, f"{run.started_at:%Y-%m-%d %H:%M} UTC", ended]


def _figures(shown: SideBySide, labels: Sequence[str], say: Say) -> _Section:
    told = [
        f"{label} ({shown.metric}): {say(by_metric[shown.metric].told)}"
        for label, by_metric in zip(labels[1:], shown.comparisons, strict=True)
    ]
    if shown.comparisons and shown.answerable >= ENOUGH:
        told.append(say("Behind a difference stands its interval of 95 % (paired bootstrap)."))
    head = [say("Figure"), *labels, *(f"{label} − {labels[0]}" for label in labels[1:])]
    rows = [
        [
            name,
            *(f"{figure:.3f}" for figure in shown.figures[name]),
            *(_difference(one[name]) for one in shown.comparisons),
        ]
        for name in METRICS
    ]
    for name in TIMES:
        first, *others = shown.figures[name]
        rows.append([name, *(f"{one:.1f}" for one in (first, *others)), *(f"{one - first:+.1f}" for one in others)])
    return _Section(say("Figures"), told, _laid([head, *rows], labels))


def _laid(table: Sequence[Sequence[str]], labels: Sequence[str]) -> Sequence[Sequence[str]]:
    """A table with a column for each run; where those are many, with a row for each."""
    return table if len(labels) <= _COLUMNS else list(zip(*table, strict=True))


def _difference(comparison: Comparison) -> str:
    told = f"{comparison.difference:+.3f}"
    if comparison.questions < ENOUGH:
        return told
    return f"{told} ({comparison.low:+.3f} … {comparison.high:+.3f})"


def _changed(shown: SideBySide, labels: Sequence[str], say: Say) -> Iterator[_Section]:
    head = [say(word) for word in ("Id", "Question", "Right passage")]
    titles: dict[Change, str] = {"gained": "Gained", "lost": "Lost"}
    for number, label in enumerate(labels[1:], start=1):
        for change, title in titles.items():
            rows = [
                [row.id, row.question, _where(row), *(_rank(row.ranks[at]) for at in (0, number))]
                for row in shown.changed(change, run=number)
            ]
            told = [] if rows else [say("No question.")]
            table = [[*head, labels[0], label], *rows] if rows else []
            yield _Section(f"{say(title)}: {label}", told, table)


def _missed(shown: SideBySide, say: Say) -> Iterator[_Section]:
    rows = [
        [row.id, row.question, _where(row), _why(row.results[0], say)]
        for row in shown.rows
        if not (row.negative or answered(row.results[0]))
    ]
    head = [say(word) for word in ("Id", "Question", "Right passage", "Why")]
    yield _Section(say("Missed"), [] if rows else [say("No question.")], [head, *rows] if rows else [])


def _where(row: Row) -> str:
    return ", ".join(dict.fromkeys(gold.path for gold in row.results[0].golds))


def _why(result: QuestionResult, say: Say) -> str:
    return " ".join(dict.fromkeys(say(one.told) for one in result.diagnoses)) or NONE


def _rank(rank: int | None) -> str:
    return NONE if rank is None else f"{rank}"


def _value(value: object) -> str:
    if value is None or value == "":
        return NONE
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


# how it is written


def _plain(text: str) -> str:
    """A text in one line that leaves the direction of what is around it alone."""
    return _HALVES.sub("\ufffd", _TURNS.sub("", _BREAKS.sub(" ", text))).strip()


def _markdown(text: str) -> str:
    return _MARKUP.sub(_escaped, _plain(text))


def _escaped(found: re.Match[str]) -> str:
    sign = found.group()
    if number := found["number"]:
        return f"{number}\\{sign[-1]}"
    if sign in ("<", ">", "&"):
        return escape(sign)
    # Not by a backslash: addresses are made links by some readers that don't look at those.
    if sign[-1] in "/.@":
        return {"://": "&#58;//", "@": "&#64;"}.get(sign, f"{sign[:-1]}&#46;")
    return f"\\{sign}"


def _html(text: str) -> str:
    return f"<bdi>{escape(_plain(text))}</bdi>"


def _html_table(table: Sequence[Sequence[str]]) -> str:
    head, *rows = table
    lines = ["".join(f'<th scope="col">{_html(cell)}</th>' for cell in head)]
    for row in rows:
        cells = (f"<td{' class=n' if _FIGURE.fullmatch(cell) else ''}>{_html(cell)}</td>" for cell in row)
        lines.append("".join(cells))
    inner = "\n".join(f"<tr>{line}</tr>" for line in lines[1:])
    return f'<div class="wide"><table><thead><tr>{lines[0]}</tr></thead>\n<tbody>\n{inner}\n</tbody></table></div>'


_STYLE = """
:root { color-scheme: light dark; --ink: #1f2328; --paper: #fff; --line: #d1d9e0; --shade: #f6f8fa; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6edf3; --paper: #0d1117; --line: #3d444d; --shade: #161b22; }
}
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin-top: 2rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; }
th, td { border: 1px solid var(--line); padding: .3rem .6rem; text-align: start; vertical-align: top;
  overflow-wrap: anywhere; min-width: 3rem; }
th { background: var(--shade); } .n { text-align: end; font-variant-numeric: tabular-nums; white-space: nowrap; }
@media print {
  :root { color-scheme: light; --ink: #000; --paper: #fff; --line: #999; --shade: #eee; }
  body { max-width: none; margin: 0; font-size: 10pt; } .wide { overflow: visible; }
  tr { break-inside: avoid; } h2 { break-after: avoid; } thead { display: table-header-group; }
}
"""

_PAGE = """<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
{body}
</body>
</html>
"""
