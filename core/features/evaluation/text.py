"""Lines about question sets, runs and their figures."""

from collections.abc import Mapping, Sequence
from typing import Any

from core.base.messages import plural
from core.base.terminal import _, say
from core.model import FIGURES, figure_name


def format_sets(values: dict[str, Any]) -> list[str]:
    return [*map(_set_line, values["question_sets"])] or [_("The base has no question sets.")]


def format_set(values: dict[str, Any]) -> list[str]:
    return [_set_line(values)]


def format_whole_set(values: dict[str, Any]) -> list[str]:
    lines = [_set_line(values)]
    for question in values["all"]:
        lines += ["", question["text"]]
        lines += [f"  {gold['path']}: {' '.join(gold['quote'].split())}" for gold in question["gold"]]
    return lines


def format_deleted_set(values: dict[str, Any]) -> list[str]:
    return [_("The question set is deleted; its runs stay.")]


def format_suggested(values: dict[str, Any]) -> list[str]:
    return [say(plural("{n} question suggested", "{n} questions suggested", n=values["count"]))]


def format_runs(values: dict[str, Any]) -> list[str]:
    return [*map(_run_line, values["runs"])] or [_("There are no runs of this base yet.")]


def format_run(values: dict[str, Any]) -> list[str]:
    lines = [_run_line(values), *_figures([values["metrics"]])]
    for result in values["per_question"]:
        rank = _("rank {rank}", rank=result["found_rank"]) if result["found_rank"] else _("missed")
        lines.append(f"  {result['question']}" if result["negative"] else f"  {result['question']} ({rank})")
    return lines


def format_deleted_run(values: dict[str, Any]) -> list[str]:
    return [_("The run is deleted.")]


def _set_line(values: dict[str, Any]) -> str:
    count = plural("{n} question", "{n} questions", n=values["questions"])
    return _("{name}: {questions} ({id})", name=values["name"], questions=count, id=values["id"])


def _run_line(values: dict[str, Any]) -> str:
    return _(
        "{set_name}: {pipeline}, {asked} of {questions} questions asked ({id})",
        **{name: values[name] for name in ("set_name", "pipeline", "asked", "questions", "id")},
    )


def format_evaluation(evaluation: dict[str, Any]) -> list[str]:
    return [_question_line(evaluation), *_figures([evaluation["metrics"]])]


def _question_line(evaluation: dict[str, Any]) -> str:
    questions = say(plural("{n} question", "{n} questions", n=evaluation["questions"]))
    if not evaluation["pending"]:
        return questions
    return questions + "\n" + _("Some notes of this base are not indexed yet: the figures will change when they are.")


def _figures(runs: Sequence[Mapping[str, float]]) -> list[str]:
    """Return a line for each figure: its value in each run, then its name, whose width depends on the language."""
    return ["".join(f"{run[name]:>9.3f}" for run in runs) + f"  {say(figure_name(name))}" for name in runs[0]]


def format_comparison(evaluation: dict[str, Any]) -> list[str]:
    compared = evaluation["compared"]
    lines = [_question_line(evaluation)]
    for number, run in enumerate(compared["runs"], 1):
        lines.append(f"  {number}  {say(run['pipeline'])}")
    lines.append("".join(f"{number:>9}" for number in range(1, len(compared["runs"]) + 1)))
    lines += _figures([run["metrics"] for run in compared["runs"]])
    metric = compared["metric"]
    for number, difference in enumerate(compared["differences"], 2):
        fields = {"number": number, "metric": FIGURES[metric], "text": difference[metric]["explanation"]}
        lines.append(_("{number} against 1, by “{metric}”: {text}", **fields))
    lines += map(say, compared["notices"])
    if advice := evaluation.get("advice"):
        lines.append(_("Best: {name}. {text}", name=advice["best"], text=advice["explanation"]))
    return lines
