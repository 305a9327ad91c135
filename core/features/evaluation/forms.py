"""Question sets, runs and metrics as JSON."""

from collections.abc import Mapping
from operator import itemgetter
from typing import Any

from core import model
from core.base.codec import encode
from core.base.messages import Message
from core.doors.operations.forms import Form

SET = Form("QuestionSet", model.QuestionSet, "id name questions suggested flagged created_at")
QUESTION = Form(
    "Question",
    model.Question,
    "id text kind note suggested any answer",
    gold=([Form("RightPassage", model.GoldSpan, "note_id path quote start end flagged")], "spans"),
)
RESULT = Form(
    "QuestionResult",
    model.QuestionResult,
    "id question kind negative took_ms found_rank",
    hits=([Form("FoundPassage", model.FoundSpan, "path file_start file_end score")], "hits"),
    answer=(str | None, lambda result: result.given and result.given.text),
    cited=(
        [Form("CitedPassage", model.FoundSpan, "path file_start file_end")],
        lambda result: result.given.cited if result.given else (),
    ),
    verdict=(str | None, lambda result: result.judged and result.judged.verdict),
    reason=(str | None, lambda result: result.judged and result.judged.reason),
    found_in_budget=(bool, lambda result: result.budget_rank is not None),
)
RUN = Form(
    "Run",
    model.Run,
    "id set_id set_name questions asked metrics settings pipeline=pipeline.name started_at ended_at",
)
SETS = Form("QuestionSets", list, question_sets=([SET], list))
WHOLE_SET = Form("WholeQuestionSet", tuple, **SET.through(itemgetter(0)), all=([QUESTION], itemgetter(1)))
RUNS = Form("Runs", list, runs=([RUN], list))
MEASURED = Form("MeasuredRun", tuple, **RUN.through(itemgetter(0)), per_question=([RESULT], itemgetter(1)))
COUNT = Form("Count", int, count=(int, int))
EVALUATION = Form(
    "Evaluation",
    model.Evaluation,
    "scored negatives metrics",
    questions=(int, lambda evaluation: len(evaluation.questions)),
    per_question=([RESULT], "questions"),
)


def comparison_form(compared: model.SideBySide) -> dict[str, Any]:
    figures = [{name: figure[at] for name, figure in compared.figures.items()} for at in range(len(compared.labels))]
    return {
        "metric": compared.metric,
        "settings": compared.settings,
        "notices": compared.notices,
        "runs": [
            {"pipeline": label, "metrics": metrics} for label, metrics in zip(compared.labels, figures, strict=True)
        ],
        "differences": [
            {name: encode(comparison) | {"settled": comparison.settled} for name, comparison in by_metric.items()}
            for by_metric in compared.comparisons
        ],
    }


def advice_form(advice: model.Advice, names: Mapping[str, str | Message]) -> dict[str, Any]:
    values: dict[str, Any] = encode(advice)
    return values | {
        "best": names[advice.best],
        "ranking": [{"pipeline": names[run], "mean": mean} for run, mean in advice.ranking],
        "refused": advice.refused or "",
    }
