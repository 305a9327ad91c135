"""`tessera evaluate`: questions with their right passages, asked in one way or several."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from core.cli.options import WORKSPACE, Expand, Folder, Json, LevelName, ModeName, Rerank
from core.cli.shown import advice_told, comparison_lines, comparison_told, evaluation_lines, progress, show
from core.errors import BelowTarget, ConfigError, QuestionSetError, SourceError, UnknownChoice
from core.model import Question, QuestionSet

if TYPE_CHECKING:
    from core.evaluation.sidebyside import Brought, SideBySide
    from core.workspace import Workspace

_BY = "hit@5=0.8"


def evaluate(
    questions: Annotated[
        str, typer.Argument(help="A file of questions with their right passages (JSONL, CSV), or the name of a set.")
    ],
    base: Annotated[str, typer.Option("--base", help="The knowledge base to ask.")],
    mode: ModeName = "auto",
    level: LevelName = "auto",
    limit: Annotated[int, typer.Option("--limit", help="How many hits at most.")] = 10,
    expand: Expand = 0,
    rerank: Rerank = None,
    compare: Annotated[
        list[str] | None,
        typer.Option("--compare", help="Ask in this way too, such as chunk_size=256,reranker=none; repeatable."),
    ] = None,
    grid: Annotated[
        list[str] | None,
        typer.Option(
            "--grid", help="Ask with all these values, such as semantic_weight=0.4,0.6; repeatable, or auto; advises."
        ),
    ] = None,
    metric: Annotated[str | None, typer.Option("--metric", help="What is compared and advised by.")] = None,
    save: Annotated[str, typer.Option("--save", help="Keep the runs, and a file's questions as a set, by name.")] = "",
    out: Annotated[
        Path | None, typer.Option("--report", help="Write the comparison to this file: .csv, .md or .html.")
    ] = None,
    fail_under: Annotated[
        list[str] | None, typer.Option("--fail-under", help=f"Exit with 1 below this, such as {_BY}; repeatable.")
    ] = None,
    workspace: Folder = WORKSPACE,
    as_json: Json = False,
) -> None:
    """Ask a base every question of a file or a set, and measure whether the right passages come back."""
    from core.evaluation import METRICS, advice, evaluation_of, pipelines
    from core.evaluation.sidebyside import BY_BUDGET, alone, side_by_side
    from core.workspace import Workspace

    targets = dict(_target(text) for text in fail_under or ())
    for name in (*targets, *filter(None, [metric])):
        if name not in METRICS:
            raise UnknownChoice("metric", name, METRICS)
    write_report = _writer(out) if out else None
    start = replace(advice.AS_IT_IS, mode=mode, level=level, limit=limit, expansion_size=expand, reranker=rerank)  # type: ignore[arg-type]
    with Workspace(workspace, readonly=not save) as opened:
        own = opened.base(base)
        ways = [start, *(pipelines.parse(spec, start, own.chunking) for spec in compare or ())]
        specs = [spec for spec in grid or () if spec != "auto"]
        ways += pipelines.combined(specs, start, own.chunking)[1:] if specs else []
        if "auto" in (grid or ()):
            known = opened.evaluation.as_it_is(base)
            usual = advice.grid(known if rerank is None else replace(known, reranker=rerank))[1:]
            own_way: dict[str, Any] = {"mode": mode, "level": level, "limit": limit, "expansion_size": expand}
            ways += [replace(way, **own_way, reranker=way.reranker or rerank) for way in usual]
        ways = pipelines.distinct(ways)
        asked = _asked(opened, base, questions, save)
        if isinstance(asked, QuestionSet):
            runs = opened.evaluation.run(asked, ways, progress)
            brought: list[Brought] = [(run, opened.evaluation.results(run.id)) for run in runs]
        else:
            brought = opened.evaluation.measure(base, asked, ways, progress, name=questions)
    told: dict[str, Any] = evaluation_of(brought[0][1]).to_dict()
    shown = side_by_side(brought, metric) if len(brought) > 1 else alone(*brought[0], metric)
    if len(brought) > 1:
        told["compared"] = comparison_told(shown)
    if grid:
        names = {run.id: run.pipeline.name for run, _ in brought}
        told["advice"] = advice_told(advice.of_runs(brought, metric or BY_BUDGET), names)
    if write_report:
        write_report(shown, base)
    show(told, as_json, comparison_lines if len(brought) > 1 else evaluation_lines)
    below = [f"{name} is {told['metrics'][name]:.3f}" for name in targets if told["metrics"][name] < targets[name]]
    if below:
        wanted = ", ".join(f"{name} {value:g}" for name, value in targets.items())
        raise BelowTarget(f"{', '.join(below)}; wanted: {wanted}.")


def _writer(file: Path) -> "Callable[[SideBySide, str], object]":
    """What writes a comparison into a file, in the form that its name says."""
    from core.evaluation import report

    forms: dict[str, Callable[[SideBySide, str], bytes]] = {
        ".csv": lambda shown, base: report.to_csv(shown),
        ".md": lambda shown, base: report.to_markdown(shown, base).encode(),
        ".html": lambda shown, base: report.to_html(shown, base).encode(),
    }
    if file.suffix.lower() not in forms:
        raise UnknownChoice("form of report", file.suffix, forms)
    written = forms[file.suffix.lower()]

    def write(shown: "SideBySide", base: str) -> None:
        try:
            file.write_bytes(written(shown, base))
        except OSError as error:
            raise SourceError(str(file), f"can't be written: {error.strerror or error}.") from error

    return write


def _asked(opened: "Workspace", base: str, questions: str, save: str) -> Sequence[Question] | QuestionSet:
    """What is asked: questions of a file, or a set, where the runs are kept."""
    file = Path(questions)
    names = [kept.name for kept in opened.question_sets.sets(base)]
    if questions in names and not file.is_file():
        kept = opened.question_sets.named_set(base, questions)
        if save and save != questions:
            raise ConfigError(f"The questions are those of the set '{questions}': save the runs under this name.")
        return kept if save else opened.evaluation.to_ask(kept)
    if not file.is_file() and names:
        reason = f"there is no such file, nor a question set of this name. Sets: {', '.join(names)}."
        raise QuestionSetError(questions, 0, reason)
    from core.evaluation.questions import content

    data = content(file)
    return (
        opened.question_sets.add_file(base, save, data, str(file))
        if save
        else opened.question_sets.read(base, data, str(file))
    )


def _target(text: str) -> tuple[str, float]:
    name, _, value = text.partition("=")
    try:
        return name.strip(), float(value)
    except ValueError:
        raise ConfigError(f"'{text}' is no target. Write it as {_BY}.") from None
