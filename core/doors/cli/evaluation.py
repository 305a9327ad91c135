"""The command `tessera evaluate`, which measures one or two setups with a question file or a question set."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from core.base.errors import BelowTarget, ConfigError, QuestionSetError, SourceError, UnknownChoice
from core.base.messages import message, terminal_language
from core.base.terminal import _
from core.doors.cli.binding import taking
from core.doors.cli.calling import call, reading
from core.doors.cli.options import WORKSPACE, Folder, Json, argument, option
from core.doors.cli.terminal import progress, show
from core.features.evaluation import operations
from core.features.evaluation.operations import EvaluationView
from core.model import METRICS, QuestionSet, SearchSettings

if TYPE_CHECKING:
    from core.workspace import Workspace

_BY = "hit@5=0.8"
_REPORTS = (".csv", ".md", ".html")


app = typer.Typer()


@app.command(
    help=_(
        "Search a base with every question from a file or a question set, and measure whether the correct passages "
        "are found."
    )
)
@taking(operations.start)
def evaluate(
    questions: Annotated[
        str, argument("A file with questions and their correct passages (JSONL, CSV), or the name of a question set.")
    ],
    base: Annotated[str, option("--base", "The knowledge base to search.")],
    metric: Annotated[str | None, option("--metric", "The figure to compare by, such as mrr@10.")] = None,
    save: Annotated[
        str,
        option(
            "--save",
            (
                "Save the test runs under this name. Questions from a file are saved as a question set "
                "with the same name."
            ),
        ),
    ] = "",
    out: Annotated[Path | None, option("--report", "Write the comparison to this file: .csv, .md or .html.")] = None,
    fail_under: Annotated[
        list[str] | None,
        typer.Option(
            "--fail-under",
            help=_("Fail (exit with 1) if a figure is below this value, such as {example}. Repeatable.", example=_BY),
        ),
    ] = None,
    workspace: Folder = WORKSPACE,
    as_json: Json = False,
    **given: Any,
) -> None:
    targets = dict(map(_target, fail_under or ()))
    for name in (*targets, *filter(None, [metric])):
        if name not in METRICS:
            raise UnknownChoice("figure", name, METRICS)
    if out and out.suffix.lower() not in _REPORTS:
        raise UnknownChoice("report format", out.suffix, _REPORTS)
    search = SearchSettings.from_values(given.get("search", {}))
    with reading(workspace) as opened:
        runs = opened.runs
        pipelines = runs.variants(base, search, given["compare"])
        source = _questions(opened, base, questions, save)
        if save:
            chosen = (
                source
                if isinstance(source, QuestionSet)
                else call(operations.add, workspace, {"base": base, "name": save, "file": source})
            )
            values = {
                "question_set": str(chosen.id),
                "search": search.chosen(),
                "compare": given["compare"],
            }
            results = runs.measured(run.id for run in call(operations.start, workspace, values).runs)
        else:
            results = runs.measure(base, source, pipelines, progress, name=questions)
        waiting = opened.pending.count(base)
    compared = runs.side_by_side(results, metric)
    if out:
        content = runs.report(compared, out.suffix.lower().removeprefix("."), base, terminal_language())
        try:
            out.write_bytes(content)
        except OSError as error:
            raise SourceError(
                str(out), "This file can't be written: {reason}.", reason=error.strerror or str(error)
            ) from error
    show(EvaluationView.from_side_by_side(compared, waiting), as_json, operations.format_evaluation)
    figures = compared.runs[0].metrics
    below = [
        message("{name} is {value:.3f}", name=name, value=figures[name])
        for name, target in targets.items()
        if figures[name] < target
    ]
    if below:
        raise BelowTarget(
            "{figures}, but the target is {targets}.",
            figures=below,
            targets=[f"{name} {target:g}" for name, target in targets.items()],
        )


def _questions(opened: "Workspace", base: str, questions: str, save: str) -> Any:
    """Return the questions in a file or question set.

    If `save` is given, return the question set or the file's path.
    """
    file = Path(questions)
    names = [question_set.name for question_set in opened.question_sets.all(base)]
    if names and not os.path.isfile(file):  # noqa: PTH113 Path.is_file raises for a path that is too long
        if questions not in names:
            raise QuestionSetError(
                questions,
                0,
                "there is no such file, and no question set with this name. Question sets: {names}.",
                names=names,
            )
        if save and save != questions:
            raise ConfigError(
                "These questions are in the question set '{name}'. Save the test runs under that name.", name=questions
            )
        question_set = opened.question_sets.get(base, questions)
        return question_set if save else opened.runs.to_ask(question_set)
    read = opened.question_sets.read(base, opened.question_sets.content(file), str(file))
    return file.absolute() if save else read


def _target(text: str) -> tuple[str, float]:
    name, _, value = text.partition("=")
    try:
        return name.strip(), float(value)
    except ValueError:
        raise ConfigError("'{text}' isn't a valid target. Write it as {example}.", text=text, example=_BY) from None
