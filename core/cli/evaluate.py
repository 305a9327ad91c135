"""`tessera evaluate`: measures one pipeline or several with a file or set of questions."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from core.cli.options import WORKSPACE, Expand, Folder, Json, LevelName, Limit, ModeName, Rerank, search_settings
from core.cli.output import advice_json, comparison_json, comparison_lines, evaluation_lines, progress, show
from core.cli.texts import _
from core.errors import BelowTarget, ConfigError, QuestionSetError, SourceError, UnknownChoice
from core.messages import message, terminal_language
from core.model import METRICS, Question, QuestionSet

if TYPE_CHECKING:
    from core.model import SideBySide
    from core.workspace import Workspace

_BY = "hit@5=0.8"


def evaluate(
    questions: Annotated[
        str, typer.Argument(help=_("A file of questions with their right passages (JSONL, CSV), or the name of a set."))
    ],
    base: Annotated[str, typer.Option("--base", help=_("The knowledge base to ask."))],
    mode: ModeName = None,
    level: LevelName = None,
    limit: Limit = None,
    expand: Expand = None,
    rerank: Rerank = None,
    compare: Annotated[
        list[str] | None,
        typer.Option("--compare", help=_("Ask in this way too, such as chunk_size=256,reranker=none; repeatable.")),
    ] = None,
    grid: Annotated[
        list[str] | None,
        typer.Option(
            "--grid",
            help=_("Ask with all these values, such as semantic_weight=0.4,0.6; repeatable, or auto; advises."),
        ),
    ] = None,
    metric: Annotated[str | None, typer.Option("--metric", help=_("What is compared and advised by."))] = None,
    save: Annotated[
        str, typer.Option("--save", help=_("Keep the runs, and a file's questions as a set, by name."))
    ] = "",
    out: Annotated[
        Path | None, typer.Option("--report", help=_("Write the comparison to this file: .csv, .md or .html."))
    ] = None,
    fail_under: Annotated[
        list[str] | None,
        typer.Option("--fail-under", help=_("Exit with 1 below this, such as {example}; repeatable.", example=_BY)),
    ] = None,
    workspace: Folder = WORKSPACE,
    as_json: Json = False,
) -> None:
    from core.evaluation.runs import Runs
    from core.workspace import Workspace

    targets = dict(_target(text) for text in fail_under or ())
    for name in (*targets, *filter(None, [metric])):
        if name not in METRICS:
            raise UnknownChoice("metric", name, METRICS)
    write_report = _writer(out) if out else None
    search = search_settings(locals())
    with Workspace(workspace, readonly=not save) as opened:
        pipelines = opened.runs.pipelines(base, search, compare or (), grid or ())
        source = _questions(opened, base, questions, save)
        if isinstance(source, QuestionSet):
            measured = opened.runs.measured(run.id for run in opened.runs.run(source, pipelines, progress))
        else:
            measured = opened.runs.measure(base, source, pipelines, progress, name=questions)
    shown: dict[str, Any] = Runs.evaluation(measured[0][1]).to_dict()
    compared = Runs.side_by_side(measured, metric)
    if len(measured) > 1:
        shown["compared"] = comparison_json(compared)
    if grid:
        names = {run.id: label for (run, _), label in zip(measured, compared.labels, strict=True)}
        shown["advice"] = advice_json(Runs.advise(measured, *filter(None, [metric])), names)
    if write_report:
        write_report(compared, base)
    show(shown, as_json, comparison_lines if len(measured) > 1 else evaluation_lines)
    figures: dict[str, float] = shown["metrics"]
    below = [
        message("{name} is {value:.3f}", name=name, value=figures[name])
        for name in targets
        if figures[name] < targets[name]
    ]
    if below:
        wanted = [f"{name} {value:g}" for name, value in targets.items()]
        raise BelowTarget("{figures}; wanted: {targets}.", figures=below, targets=wanted)


def _writer(file: Path) -> "Callable[[SideBySide, str], object]":
    """Return a function that writes a comparison to a file, in the format of the file's suffix."""
    from core.evaluation.runs import Runs

    forms: dict[str, Callable[[SideBySide, str], bytes]] = {
        ".csv": lambda shown, base: Runs.to_csv(shown),
        ".md": lambda shown, base: Runs.to_markdown(shown, base, terminal_language()).encode(),
        ".html": lambda shown, base: Runs.to_html(shown, base, terminal_language()).encode(),
    }
    if file.suffix.lower() not in forms:
        raise UnknownChoice("form of report", file.suffix, forms)
    written = forms[file.suffix.lower()]

    def write(shown: "SideBySide", base: str) -> None:
        try:
            file.write_bytes(written(shown, base))
        except OSError as error:
            raise SourceError(str(file), "can't be written: {reason}.", reason=error.strerror or str(error)) from error

    return write


def _questions(opened: "Workspace", base: str, questions: str, save: str) -> Sequence[Question] | QuestionSet:
    """Return the questions of a file or a set; with `save`, the set itself."""
    file = Path(questions)
    names = [question_set.name for question_set in opened.questions.sets(base)]
    if questions in names and not file.is_file():
        question_set = opened.questions.named(base, questions)
        if save and save != questions:
            raise ConfigError(
                "The questions are those of the set '{name}': save the runs under this name.", name=questions
            )
        return question_set if save else opened.runs.to_ask(question_set)
    if not file.is_file() and names:
        raise QuestionSetError(
            questions, 0, "there is no such file, nor a question set of this name. Sets: {names}.", names=names
        )
    data = opened.questions.content(file)
    return (
        opened.questions.add_file(base, save, data, str(file)) if save else opened.questions.read(base, data, str(file))
    )


def _target(text: str) -> tuple[str, float]:
    name, _, value = text.partition("=")
    try:
        return name.strip(), float(value)
    except ValueError:
        raise ConfigError("'{text}' is no target. Write it as {example}.", text=text, example=_BY) from None
