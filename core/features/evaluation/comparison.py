"""Compare two evaluation runs by their figures and by each question's rank, and write reports in CSV, Markdown or HTML.

Questions, paths and names are untrusted text. Reports escape any formulas, Markdown and HTML in this text.
"""

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from io import StringIO
from math import inf
from statistics import fmean

from markdown_it import MarkdownIt

from core.base.errors import ConfigError, UnknownChoice
from core.base.frozen import AnyValues, frozen
from core.base.html_page import html_page
from core.base.messages import ENGLISH, Message, Text, lines, message, message_table, plural, render
from core.base.text import make_storable
from core.features.evaluation.scoring import summarise, values
from core.model import (
    ANSWER_METRICS,
    BUDGET,
    ENOUGH,
    FIGURES,
    METRICS,
    MOST_RUNS,
    QUESTION_KINDS,
    SETTINGS,
    TIMES,
    WIDENING,
    Change,
    ChunkingOptions,
    ComparisonRow,
    Measured,
    QuestionResult,
    Run,
    SideBySide,
    pipeline_label,
    setting_value,
)
from core.retrieval.significance import compare

BY_RANK = "mrr@10"
BY_BUDGET = f"mrr@{BUDGET}chars"

# Settings that affect the length of hits.
_LENGTHS = {*ChunkingOptions.__dataclass_fields__, "embedder", WIDENING}


def shared(runs: Sequence[Measured]) -> list[tuple[QuestionResult, ...]]:
    """Return the results for the questions that all evaluation runs share, in the first run's order.

    Each tuple contains one result per run. Questions are the same if their ids, texts and correct passages are equal.
    Passages are compared by path and quote, not by position. Raises ConfigError if there are no common questions, or if
    the runs belong to different bases.
    """
    if len({run.base_id for run, _ in runs}) > 1:
        raise ConfigError("These test runs used different bases. Choose test runs of the same base.")
    by_key = [{result.identity: result for result in results} for _, results in runs]
    rows = [tuple(results[key] for results in by_key) for key in by_key[0] if all(key in results for results in by_key)]
    if not rows and len(runs) > 1:
        raise ConfigError("These test runs have no questions in common. Run the same question set with both setups.")
    return rows


def side_by_side(measured: Sequence[Measured], metric: str | None = None) -> SideBySide:
    """Compare two evaluation runs on one base, or present a single run in the same form.

    `metric` defaults to BY_RANK. If the runs' hits may differ in length, it defaults to BY_BUDGET, because a fixed
    number of hits favours long hits. Raises ConfigError unless there are one or two comparable runs, and UnknownChoice
    if the metric is unknown.
    """
    if not 0 < len(measured) <= MOST_RUNS:
        raise ConfigError("Choose one test run, or two to compare.")
    if metric is not None and metric not in METRICS:
        raise UnknownChoice("figure", metric, METRICS)
    runs = tuple(run for run, _ in measured)
    labels = _labels(runs)
    by_name = {name: tuple(run.settings.get(name) for run in runs) for each in runs for name in each.settings}
    # For two runs, keep only the settings that differ. For a single run, keep all.
    settings = {name: of_runs for name, of_runs in by_name.items() if of_runs != of_runs[:1] * 2}
    rows = tuple(
        ComparisonRow(results, tuple(map(values, results)), _change(*results) if len(results) > 1 else None)
        for results in shared(measured)
    )
    numbers = range(len(runs))
    summaries = [summarise([row.results[number] for row in rows]) for number in numbers]
    # A question to which a metric applies in one run only would change that run's mean, but not the difference.
    shared_by = {
        name: both
        for name in (*METRICS, *ANSWER_METRICS)
        if (both := [row for row in rows if all(name in of_run for of_run in row.values)]) or name in METRICS
    }
    uneven = len(runs) > 1 and not _LENGTHS.isdisjoint(settings)
    every = {result.identity for _, results in measured for result in results}
    return SideBySide(
        runs=runs,
        labels=labels,
        metric=metric or (BY_BUDGET if uneven else BY_RANK),
        rows=rows,
        figures={
            name: tuple(fmean([row.values[number][name] for row in both] or [0.0]) for number in numbers)
            for name, both in shared_by.items()
        }
        | {name: tuple(summary[name] for summary in summaries) for name in TIMES},
        comparisons={
            name: compare(*({row.id: row.values[number][name] for row in both} for number in numbers))
            for name, both in shared_by.items()
            if len(runs) > 1
        },
        settings=settings,
        notices=tuple(_notices(runs, labels, rows, len(every), uneven=uneven)),
    )


def _change(old: QuestionResult, new: QuestionResult) -> Change:
    if old.answered != new.answered:
        return "gained" if new.answered else "lost"
    was, now = (inf if result.found_rank is None else result.found_rank for result in (old, new))
    return "same" if was == now else "better" if now < was else "worse"


def _labels(runs: Sequence[Run]) -> tuple[Text, ...]:
    """Return labels for the pipelines of evaluation runs.

    Identical labels are numbered by the position of their run.
    """
    # A run with the base's own chunking stores the base's options at the time of the run.
    settings: AnyValues = next((run.settings for run in runs if run.pipeline.chunking is None), {})
    own = ChunkingOptions(**{name: settings[name] for name in ChunkingOptions.__slots__ if name in settings})
    names = [pipeline_label(run.pipeline, own) for run in runs]
    return tuple(
        name if names.count(name) == 1 else message("{name} ({number})", name=name, number=number)
        for number, name in enumerate(names, 1)
    )


def _notices(
    runs: Sequence[Run], labels: Sequence[Text], rows: Sequence[ComparisonRow], every: int, *, uneven: bool
) -> Iterator[Message]:
    if every > len(rows):
        yield message(
            (
                "{n} of {every} questions were left out because they weren't asked in every test run or their "
                "correct passages were changed."
            ),
            n=every - len(rows),
            every=every,
        )
    if len({run.index_version for run in runs}) > 1:
        yield message("The notes or the base changed between these test runs, which may explain a difference.")
    for run, name in zip(runs, labels, strict=True):
        if run.ended_at is None:
            yield message(
                "'{run}' was stopped after {n} of {every} questions.", run=name, n=run.asked, every=run.questions
            )
    if uneven:
        yield message(
            (
                "The hits in these test runs may differ in length. Counting hits favours long ones, so it is fairer "
                "to compare what was found in the first {n} characters."
            ),
            n=BUDGET,
        )
    for number, name in enumerate(labels):
        judged = [judgement for row in rows if (judgement := row.results[number].judged)]
        if failed := sum(judgement.verdict is None for judgement in judged):
            yield message(
                (
                    "In '{run}', the language model didn't judge {n} of {every} answers, so these answers aren't "
                    "counted."
                ),
                n=failed,
                every=len(judged),
                run=name,
            )


# The start of a cell that a spreadsheet would read as a formula, including any protective apostrophes in front.
FORMULA = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")

STYLE = """
:root { color-scheme: light dark; --ink: #1f2328; --paper: #fff; --line: #d1d9e0; --shade: #f6f8fa; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6edf3; --paper: #0d1117; --line: #3d444d; --shade: #161b22; }
}
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin-top: 2rem; }
table { border-collapse: collapse; display: block; overflow-x: auto; }
th, td { border: 1px solid var(--line); padding: .3rem .6rem; text-align: start; vertical-align: top;
  overflow-wrap: anywhere; min-width: 3rem; }
th { background: var(--shade); } td { font-variant-numeric: tabular-nums; }
@media print {
  :root { color-scheme: light; --ink: #000; --paper: #fff; --line: #999; --shade: #eee; }
  body { max-width: none; margin: 0; font-size: 10pt; } table { display: table; }
  tr { break-inside: avoid; } h2 { break-after: avoid; } thead { display: table-header-group; }
}
"""

NONE = "–"

_BREAKS = re.compile("[\x00-\x20\x7f-\x9f\u2028\u2029]+")
# Control characters that change the text direction. Their effect could extend to other cells.
_TURNS = re.compile("[\u202a-\u202e\u2066-\u2069]")
# Characters with a special meaning in Markdown or one of its dialects. `_` within a word is plain text.
_MARKUP = re.compile(
    r"(?i)[<>&]|(?<!\w)www\.|://|@(?=[^\W\d])"
    r"|[\\`*\[\]|~$#^]|(?<![^\W_])_|_(?![^\W_])|=(?==)|(?<==)=|%(?=%)|(?<=%)%"
    r"|^[-+](?=[-\s]|$)|^(?P<number>\d+)[.)](?!\d)",
)


# Rows of cells, each of which contains untrusted text or one of the program's messages.
Rows = list[list[Text]]


@frozen
class ReportSection:
    """A section of a report, with sentences and a table. The table's first row is its header."""

    title: Text
    sentences: Sequence[Message] = ()
    table: Sequence[Sequence[Text]] = ()


Sections = Iterator[ReportSection]


def report(compared: SideBySide, form: str, base: str = "", language: str = ENGLISH) -> bytes:
    """Return a report as a file's bytes. `form` is `csv`, `md` or `html`. `base` is the base's name."""
    if form == "csv":
        return to_csv(compared)
    return (to_html if form == "html" else to_markdown)(compared, base, language).encode()


def to_csv(compared: SideBySide) -> bytes:
    """Return a report as CSV. Each row contains a question's rank, time and metrics in each evaluation run."""
    return csv_of(_rows(compared))


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
    body = MarkdownIt("commonmark", {"html": False}).enable("table").render(to_markdown(compared, base, language))
    return html_page(render(_title(compared), language), body, STYLE, language)


def csv_of(rows: Iterable[Iterable[str]]) -> bytes:
    """Return rows as CSV for spreadsheets, separated by commas and in UTF-8 with a byte order mark.

    A cell that a spreadsheet would read as a formula gets a leading apostrophe.
    """
    text = StringIO(newline="")
    csv.writer(text).writerows([f"'{cell}" if FORMULA.match(cell) else cell for cell in row] for row in rows)
    return text.getvalue().encode("utf-8-sig", "replace")


# contents


def _rows(compared: SideBySide) -> Iterator[list[str]]:
    several = len(compared.runs) > 1
    head = ["id", "question", "kind"]
    names = [name for name in compared.figures if name not in TIMES]
    for number, label in enumerate(compared.labels):
        columns = ("rank", *(("change",) if number else ()), "took_ms", *names)
        head += [f"{label}: {column}" if several else column for column in columns]
    yield head
    for row in compared.rows:
        cells = [row.id, row.question, row.kind]
        for number, (result, of_run) in enumerate(zip(row.results, row.values, strict=True)):
            cells += [
                f"{result.found_rank or ''}",
                *([row.change] if number and row.change else []),
                f"{result.took_ms:.1f}",
                *(f"{of_run[name]:.6g}" if name in of_run else "" for name in names),
            ]
        yield cells


def _title(compared: SideBySide) -> Message:
    return message("Comparison of test runs") if len(compared.runs) > 1 else message("Test run report")


def _sections(compared: SideBySide, base: str) -> Sections:
    counts = plural(
        "{n} question, {answerable} with an answer in the notes.",
        "{n} questions, {answerable} with an answer in the notes.",
        n=len(compared.rows),
        answerable=compared.answerable,
    )
    of_base = [message("{name}: {text}", name=message("Knowledge base"), text=base)] if base else []
    table: Rows = [
        [message("Test run"), message("Question set"), message("Questions asked"), message("Started"), message("Ended")]
    ]
    for label, run in zip(compared.labels, compared.runs, strict=True):
        started, ended = (
            f"{at:%Y-%m-%d %H:%M} UTC" if at else message("stopped") for at in (run.started_at, run.ended_at)
        )
        table.append([label, run.set_name or NONE, run.progress, started, ended])
    yield ReportSection(message("Question"), [counts, *of_base, *compared.notices], table)
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
            yield ReportSection(
                message("{name}: {text}", name=message("Judged by a language model"), text=label),
                table=[[*_HEAD[:2], message("Judgement"), message("Reason")], *rows],
            )


def settings(compared: SideBySide) -> Sections:
    """Yield a table of the settings that differ between two evaluation runs, or of a single run's settings.

    If there are no such settings, nothing is yielded.
    """
    if compared.settings:
        rows = [
            [
                SETTINGS.get(name, name),
                *(f"{value:g}" if isinstance(value, int | float) else setting_value(name, value) for value in of_runs),
            ]
            for name, of_runs in compared.settings.items()
        ]
        yield ReportSection(
            message("Settings that differ") if len(compared.runs) > 1 else message("Settings"),
            table=[[message("Setting"), *compared.labels], *rows],
        )


def figures(compared: SideBySide, names: Iterable[str]) -> ReportSection:
    """Return a table of each evaluation run's figures. For two runs, the table includes the differences."""
    sentences = []
    head = [message("Figure"), *compared.labels]
    if compared.comparisons:
        first, second = compared.labels
        sentences.append(
            message(
                "{name}, measured by '{metric}': {text}",
                name=second,
                metric=FIGURES[compared.metric],
                text=compared.comparisons[compared.metric].message,
            )
        )
        if compared.answerable >= ENOUGH:
            sentences.append(
                message("The 95% confidence interval (paired bootstrap) is in brackets after each difference.")
            )
        head.append(lines(second, first, separator=" − "))
    rows: Rows = []
    for name in names:
        form = "{:.1f} ms" if name in TIMES else "{:.3f}"
        rows.append([FIGURES[name], *map(form.format, compared.figures[name])])
        if compared.comparisons:
            rows[-1].append(_difference(compared, name))
    return ReportSection(message("Figures"), sentences, [head, *rows])


def kinds(compared: SideBySide) -> Sections:
    """Yield a table that counts, by kind, the questions found in each evaluation run, if any question has a kind."""
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
        yield ReportSection(
            message("Found, by kind of question"),
            table=[[message("Kind"), message("Questions"), *compared.labels], *rows],
        )


def _difference(compared: SideBySide, name: str) -> str:
    if name in TIMES:
        old, new = compared.figures[name]
        return f"{new - old:+.1f} ms"
    if (comparison := compared.comparisons.get(name)) is None:
        return NONE
    difference = f"{comparison.difference:+.3f}"
    if comparison.questions < ENOUGH:
        return difference
    return f"{difference} ({comparison.low:+.3f} … {comparison.high:+.3f})"


def _change_sections(compared: SideBySide) -> Sections:
    titles = message_table({"gained": "Newly found", "lost": "No longer found"})
    for change, title in titles.items():
        rows = [
            [row.id, row.question, _where(row), *(f"{rank or NONE}" for rank in row.ranks)]
            for row in compared.rows
            if row.change == change
        ]
        yield _table_section(
            message("{name}: {text}", name=title, text=compared.labels[1]), [*_HEAD, *compared.labels], rows
        )


def _missed(compared: SideBySide) -> Sections:
    rows = []
    for row in compared.rows:
        if row.missed:
            reasons = dict.fromkeys(diagnosis.message for diagnosis in row.results[0].diagnoses)
            rows.append([row.id, row.question, _where(row), lines(*reasons, separator=" ") if reasons else NONE])
    yield _table_section(message("Missed"), [*_HEAD, message("Why")], rows)


_HEAD = (message("Id"), message("Question"), message("Correct passage"))


def _table_section(title: Message, head: Sequence[Text], rows: Sequence[Sequence[Text]]) -> ReportSection:
    return ReportSection(title, table=[head, *rows]) if rows else ReportSection(title, [message("No questions.")])


def _where(row: ComparisonRow) -> str:
    return ", ".join(dict.fromkeys(gold.path for gold in row.results[0].golds))


# rendering


def _markdown(text: Text, language: str) -> str:
    """Escape text for Markdown, put it on one line, and remove characters that change the text direction."""
    return _MARKUP.sub(_escaped, make_storable(_TURNS.sub("", _BREAKS.sub(" ", render(text, language)))).strip())


def _escaped(match: re.Match[str]) -> str:
    sign = match.group()
    if number := match["number"]:
        return f"{number}\\{sign[-1]}"
    if sign in ("<", ">", "&"):
        return escape(sign)
    # Some Markdown renderers turn an address into a link even after a backslash, so use a character reference.
    if sign[-1] in "/.@":
        return {"://": "&#58;//", "@": "&#64;"}.get(sign, f"{sign[:-1]}&#46;")
    return f"\\{sign}"
