"""Reports on one or two runs, as CSV, Markdown or HTML.

Questions, paths and names are hostile text, so a report escapes formulas, Markdown and HTML in them.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from html import escape

from core.base.frozen import frozen
from core.base.html_page import html_page
from core.base.messages import ENGLISH, Message, lines, message, message_table, plural, render
from core.features.evaluation import question_files
from core.model import (
    ENOUGH,
    FIGURES,
    QUESTION_KINDS,
    SETTINGS,
    TIMES,
    Change,
    ComparisonRow,
    SideBySide,
    setting_value,
)

STYLE = """
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

NONE = "–"

_BREAKS = re.compile("[\x00-\x20\x7f-\x9f\u2028\u2029]+")
_TURNS = re.compile("[\u202a-\u202e\u2066-\u2069]")
"""Characters that change the direction of text, even in other cells."""
_HALVES = re.compile("[\ud800-\udfff]")
_MARKUP = re.compile(
    r"(?i)[<>&]|(?<!\w)www\.|://|@(?=[^\W\d])"
    r"|[\\`*\[\]|~$#^]|(?<![^\W_])_|_(?![^\W_])|=(?==)|(?<==)=|%(?=%)|(?<=%)%"
    r"|^[-+](?=[-\s]|$)|^(?P<number>\d+)[.)](?!\d)",
)
"""Text that Markdown or one of its dialects would interpret; `_` within a word is text."""
_FIGURE = re.compile(rf"[-+]?[\d.]+( ms| \(.*\))?|{NONE}")

Cell = str | Message
"""A text from outside the program, or a message."""


@frozen
class ReportSection:
    """A section of a report in plain text: sentences, and a table whose first row is the header."""

    title: Cell
    sentences: Sequence[Message] = ()
    table: Sequence[Sequence[Cell]] = ()


def report(compared: SideBySide, form: str, base: str = "", language: str = ENGLISH) -> bytes:
    """Return a report as the bytes of a file in the format `csv`, `md` or `html`; `base` is the base's name."""
    if form == "csv":
        return to_csv(compared)
    return (to_html if form == "html" else to_markdown)(compared, base, language).encode()


def to_csv(compared: SideBySide) -> bytes:
    """Return CSV with a row for each question: its rank, time and metrics in each run."""
    return question_files.to_csv(_rows(compared))


def to_markdown(compared: SideBySide, base: str = "", language: str = ENGLISH) -> str:
    """Return a report in GitHub Flavored Markdown."""
    parts = [f"# {_markdown(_title(compared), language)}"]
    for section in _sections(compared, base):
        parts.append(f"## {_markdown(section.title, language)}")
        parts += [_markdown(sentence, language) for sentence in section.sentences]
        if section.table:
            head, *rows = [f"| {' | '.join(_markdown(cell, language) for cell in row)} |" for row in section.table]
            parts.append("\n".join([head, f"|{' --- |' * len(section.table[0])}", *rows]))
    return "\n\n".join(parts) + "\n"


def to_html(compared: SideBySide, base: str = "", language: str = ENGLISH) -> str:
    """Return a report as a self-contained HTML page without scripts."""
    title = render(_title(compared), language)
    parts = [f"<h1>{escape(title)}</h1>"]
    for section in _sections(compared, base):
        parts.append(f"<h2>{_html(section.title, language)}</h2>")
        parts += [f"<p>{_html(sentence, language)}</p>" for sentence in section.sentences]
        if section.table:
            parts.append(_html_table(section.table, language))
    return html_page(title, "\n".join(parts), STYLE, language)


# content


def _rows(compared: SideBySide) -> Iterator[list[str]]:
    several = len(compared.runs) > 1
    head, names = ["id", "question", "kind"], [name for name in compared.figures if name not in TIMES]
    for number, label in enumerate(compared.labels):
        columns = ("rank", *(("change",) if number else ()), "took_ms", *names)
        head += [f"{label}: {column}" if several else column for column in columns]
    yield head
    for row in compared.rows:
        cells = [row.id, row.question, row.kind]
        for number, (result, values) in enumerate(zip(row.results, row.values, strict=True)):
            cells.append("" if result.found_rank is None else f"{result.found_rank}")
            cells += [row.change] if number and row.change else []
            cells.append(f"{result.took_ms:.1f}")
            cells += [f"{values[name]:.6g}" if name in values else "" for name in names]
        yield cells


def _title(compared: SideBySide) -> Message:
    return message("Comparison of runs") if len(compared.runs) > 1 else message("Run report")


def _sections(compared: SideBySide, base: str) -> Iterator[ReportSection]:
    yield _runs(compared, base)
    yield from settings(compared)
    yield figures(compared, compared.figures)
    yield from kinds(compared)
    yield from _change_sections(compared) if len(compared.runs) > 1 else _missed(compared)
    for number, label in enumerate(compared.labels):
        rows = [
            [row.id, row.question, judged.label, judged.why]
            for row in compared.rows
            if (judged := row.results[number].judged)
        ]
        if rows:
            head = [*_HEAD[:2], message("Judgement"), message("Reason")]
            yield ReportSection(_joined_cells(message("Judged by a language model"), label), table=[head, *rows])


def _joined_cells(name: Cell, what: Cell) -> Message:
    return message("{name}: {text}", name=name, text=what)


def _runs(compared: SideBySide, base: str) -> ReportSection:
    counts = plural(
        "{n} question, {answerable} of them with an answer.",
        "{n} questions, {answerable} of them with an answer.",
        n=len(compared.rows),
        answerable=compared.answerable,
    )
    of_base = [_joined_cells(message("Knowledge base"), base)] if base else []
    head = [message("Run"), message("Question set"), message("Asked"), message("Started"), message("Ended")]
    rows: list[list[Cell]] = []
    for label, run in zip(compared.labels, compared.runs, strict=True):
        started, ended = (
            f"{at:%Y-%m-%d %H:%M} UTC" if at else message("stopped") for at in (run.started_at, run.ended_at)
        )
        rows.append([label, run.set_name or NONE, run.progress, started, ended])
    return ReportSection(message("Question"), [counts, *of_base, *compared.notices], [head, *rows])


def settings(compared: SideBySide) -> Iterator[ReportSection]:
    """Yield a table of the settings that differ between the runs, or of all settings of one run, if there are any."""
    if compared.settings:
        title = message("Settings that differ") if len(compared.runs) > 1 else message("Settings")
        rows = [
            [SETTINGS.get(name, name), *(_value(name, value) for value in values)]
            for name, values in compared.settings.items()
        ]
        yield ReportSection(title, table=[[message("Setting"), *compared.labels], *rows])


def figures(compared: SideBySide, names: Iterable[str]) -> ReportSection:
    """Return a table of the figures of each run, and for two runs of their differences, with an explanation."""
    sentences, head = [], [message("Figure"), *compared.labels]
    if compared.comparisons:
        first, second = compared.labels
        metric, text = FIGURES[compared.metric], compared.comparisons[compared.metric].message
        sentences.append(message("{name}, by “{metric}”: {text}", name=second, metric=metric, text=text))
        if compared.answerable >= ENOUGH:
            sentences.append(
                message("The 95% confidence interval (paired bootstrap) is in brackets after each difference.")
            )
        head.append(lines(second, first, separator=" − "))
    rows: list[list[Cell]] = []
    for name in names:
        values = compared.figures[name]
        form = "{:.1f} ms" if name in TIMES else "{:.3f}"
        difference = [_difference(compared, name)] if compared.comparisons else []
        rows.append([FIGURES[name], *map(form.format, values), *difference])
    return ReportSection(message("Figures"), sentences, [head, *rows])


def kinds(compared: SideBySide) -> Iterator[ReportSection]:
    """Yield a table with the number of questions that each run found, by kind, if any question has a kind."""
    answerable = [row for row in compared.rows if not row.negative]
    counts = Counter(row.kind for row in answerable)
    if any(counts):
        found = [
            Counter(row.kind for row in answerable if row.results[run].answered) for run in range(len(compared.runs))
        ]
        rows = [
            [QUESTION_KINDS.get(kind) or kind or NONE, f"{count}", *(f"{of_run[kind]}" for of_run in found)]
            for kind, count in counts.most_common()
        ]
        head = [message("Kind"), message("Questions"), *compared.labels]
        yield ReportSection(message("Found, by kind of question"), table=[head, *rows])


def _difference(compared: SideBySide, name: str) -> str:
    if name in TIMES:
        old, new = compared.figures[name]
        return f"{new - old:+.1f} ms"
    comparison = compared.comparisons.get(name)
    if comparison is None:
        return NONE
    difference = f"{comparison.difference:+.3f}"
    if comparison.questions < ENOUGH:
        return difference
    return f"{difference} ({comparison.low:+.3f} … {comparison.high:+.3f})"


def _change_sections(compared: SideBySide) -> Iterator[ReportSection]:
    titles: dict[Change, Message] = message_table({"gained": "Newly found", "lost": "No longer found"})
    for change, title in titles.items():
        rows = [
            [row.id, row.question, _where(row), *(f"{rank or NONE}" for rank in row.ranks)]
            for row in compared.rows
            if row.change == change
        ]
        yield _table_section(_joined_cells(title, compared.labels[1]), [*_HEAD, *compared.labels], rows)


def _missed(compared: SideBySide) -> Iterator[ReportSection]:
    rows: list[list[Cell]] = []
    for row in compared.rows:
        if row.missed:
            reasons = dict.fromkeys(diagnosis.message for diagnosis in row.results[0].diagnoses)
            why = lines(*reasons, separator=" ") if reasons else NONE
            rows.append([row.id, row.question, _where(row), why])
    yield _table_section(message("Missed"), [*_HEAD, message("Why")], rows)


_HEAD = (message("Id"), message("Question"), message("Right passage"))


def _table_section(title: Message, head: Sequence[Cell], rows: Sequence[Sequence[Cell]]) -> ReportSection:
    return ReportSection(title, table=[head, *rows]) if rows else ReportSection(title, [message("No questions.")])


def _where(row: ComparisonRow) -> str:
    return ", ".join(dict.fromkeys(gold.path for gold in row.results[0].golds))


def _value(name: str, value: object) -> Cell:
    return f"{value:g}" if isinstance(value, int | float) else setting_value(name, value)


# rendering


def _clean_line(text: str) -> str:
    """Return a text on one line, without characters that change the text direction."""
    return _HALVES.sub("\ufffd", _TURNS.sub("", _BREAKS.sub(" ", text))).strip()


def _markdown(text: Cell, language: str) -> str:
    return _MARKUP.sub(_escaped, _clean_line(render(text, language)))


def _escaped(match: re.Match[str]) -> str:
    sign = match.group()
    if number := match["number"]:
        return f"{number}\\{sign[-1]}"
    if sign in ("<", ">", "&"):
        return escape(sign)
    # No backslash here, because some Markdown readers link addresses despite it.
    if sign[-1] in "/.@":
        return {"://": "&#58;//", "@": "&#64;"}.get(sign, f"{sign[:-1]}&#46;")
    return f"\\{sign}"


def _html(text: Cell, language: str) -> str:
    return f"<bdi>{escape(_clean_line(render(text, language)))}</bdi>"


def _html_table(table: Sequence[Sequence[Cell]], language: str) -> str:
    head, *rows = table
    names = "".join(f'<th scope="col">{_html(cell, language)}</th>' for cell in head)
    cells = (
        [
            f"<td{' class=n' if isinstance(cell, str) and _FIGURE.fullmatch(cell) else ''}>{_html(cell, language)}</td>"
            for cell in row
        ]
        for row in rows
    )
    inner = "\n".join(f"<tr>{''.join(row)}</tr>" for row in cells)
    return f'<div class="wide"><table><thead><tr>{names}</tr></thead>\n<tbody>\n{inner}\n</tbody></table></div>'
