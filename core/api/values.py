"""Nouns that only the API answers with, as values for JSON; `core.data` has the others."""

from typing import Any

from typing_extensions import TypedDict

from core import data
from core.json_forms import packs
from core.model import Chunk, Job, PackReport, Question, QuestionSet, Rechunked, Run, SyncReport


class JobForm(TypedDict):
    """A job: how far it is, how it ended; `result` is what its work came to, null where that isn't told."""

    id: str
    name: str
    base: str
    state: str
    done: float
    total: float
    share: float
    what: str
    seconds: float
    result: dict[str, Any] | None
    error: str | None


def job_id(job: Job) -> str:
    """Return the id of a job: its name, and its number in this process."""
    return f"{job.name}-{job.number}"


def of_job(job: Job) -> dict[str, Any]:
    """Return a job; `result` is what its work came to, null where that isn't told."""
    return {
        "id": job_id(job),
        **data.pick(job, "name base state done total share what"),
        "seconds": round(job.seconds, 3),
        "result": _result(job.result),
        "error": job.error.message if job.error else None,
    }


def _result(result: object) -> dict[str, Any] | None:
    match result:
        case SyncReport() | Rechunked():
            return data.of_report(result)
        case PackReport():
            return dict(packs.of_report(result))
        case list():
            return {"runs": [of_run(run) for run in result if isinstance(run, Run)]}
        case int() if not isinstance(result, bool):
            return {"count": result}
    return None


def of_chunk(chunk: Chunk) -> dict[str, Any]:
    """Return a chunk with its text; `start` and `end` are its place in the note's text."""
    return data.pick(chunk, "id index total kind section start end text token_count overlap_tokens state edited")


def of_set(one: QuestionSet) -> dict[str, Any]:
    """Return a question set without its questions."""
    return {**data.pick(one, "id name questions suggested flagged"), "created_at": one.created_at.isoformat()}


def of_question(question: Question) -> dict[str, Any]:
    """Return a question with the places of its right passages."""
    spans = [data.pick(span, "note_id path quote start end flagged") for span in question.spans]
    return {**data.pick(question, "id text kind note suggested any"), "gold": spans}


def of_run(run: Run) -> dict[str, Any]:
    """Return a run without its questions; one that was stopped has no `ended_at`."""
    return {
        **data.pick(run, "id set_id set_name questions asked metrics settings"),
        "pipeline": run.pipeline.name,
        "started_at": run.started_at.isoformat(),
        "ended_at": run.ended_at.isoformat() if run.ended_at else None,
    }
