"""Lines about question sets, runs and their figures."""

from collections.abc import Mapping, Sequence

from core.base.messages import plural
from core.base.terminal import _, say
from core.doors.operations.views import Deletion
from core.features.evaluation.views import (
    EvaluationView,
    MeasuredRun,
    QuestionSetList,
    QuestionSetView,
    SuggestionCount,
)
from core.model import FIGURES, QuestionSet, RunList, RunView, figure_name


def format_sets(listed: QuestionSetList) -> list[str]:
    return [*map(_set_line, listed.question_sets)] or [_("The base has no question sets.")]


def format_set(question_set: QuestionSet) -> list[str]:
    return [_set_line(question_set)]


def format_whole_set(question_set: QuestionSetView) -> list[str]:
    lines = [_set_line(question_set)]
    for question in question_set.all:
        lines += ["", question.text]
        lines += [f"  {gold.path}: {' '.join(gold.quote.split())}" for gold in question.gold]
    return lines


def format_deleted_set(_set: Deletion) -> list[str]:
    return [_("The question set is deleted; its runs stay.")]


def format_suggested(suggested: SuggestionCount) -> list[str]:
    return [say(plural("{n} question suggested", "{n} questions suggested", n=suggested.count))]


def format_runs(listed: RunList) -> list[str]:
    return [*map(_run_line, listed.runs)] or [_("There are no runs of this base yet.")]


def format_run(run: MeasuredRun) -> list[str]:
    lines = [_run_line(run), *_figures([run.metrics])]
    for result in run.per_question:
        rank = _("rank {rank}", rank=result.found_rank) if result.found_rank else _("missed")
        lines.append(f"  {result.question}" if result.negative else f"  {result.question} ({rank})")
    return lines


def format_deleted_run(_run: Deletion) -> list[str]:
    return [_("The run is deleted.")]


def _set_line(question_set: QuestionSet) -> str:
    count = plural("{n} question", "{n} questions", n=question_set.questions)
    return _("{name}: {questions} ({id})", name=question_set.name, questions=count, id=question_set.id)


def _run_line(run: RunView) -> str:
    return _(
        "{set_name}: {pipeline}, {asked} of {questions} questions asked ({id})",
        **{name: getattr(run, name) for name in ("set_name", "pipeline", "asked", "questions", "id")},
    )


def format_evaluation(evaluation: EvaluationView) -> list[str]:
    if compared := evaluation.compared:
        lines = [_question_line(evaluation)]
        lines += [f"  {number}  {say(run.pipeline)}" for number, run in enumerate(compared.runs, 1)]
        lines.append("".join(f"{number:>9}" for number in range(1, len(compared.runs) + 1)))
        lines += _figures([run.metrics for run in compared.runs])
        metric = compared.metric
        for number, difference in enumerate(compared.differences, 2):
            fields = {"number": number, "metric": FIGURES[metric], "text": difference[metric].message}
            lines.append(_("{number} against 1, by “{metric}”: {text}", **fields))
        lines += map(say, compared.notices)
        if advice := evaluation.advice:
            lines.append(_("Best: {name}. {text}", name=advice.best, text=advice.message))
        return lines
    return [_question_line(evaluation), *_figures([evaluation.metrics])]


def _question_line(evaluation: EvaluationView) -> str:
    questions = say(plural("{n} question", "{n} questions", n=evaluation.questions))
    if not evaluation.pending:
        return questions
    return questions + "\n" + _("Some notes of this base are not indexed yet: the figures will change when they are.")


def _figures(runs: Sequence[Mapping[str, float]]) -> list[str]:
    """Return a line for each figure: its value in each run, then its name, whose width depends on the language."""
    return ["".join(f"{run[name]:>9.3f}" for run in runs) + f"  {say(figure_name(name))}" for name in runs[0]]
