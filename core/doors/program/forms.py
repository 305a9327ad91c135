"""Jobs as JSON."""

from typing import Any

from core.base.codec import encode
from core.doors.json_forms.bases import SYNCED
from core.doors.operations.forms import Form
from core.features.backups import forms as backups
from core.features.doctor.forms import COMPACTED, HEALTH
from core.features.evaluation.views import RunList
from core.model import Backup, Compacted, Health, Job, LearningReport, PackReport, Rechunked, SyncReport


def job_id(job: Job) -> str:
    """Return the id of a job: its name, and its number in this process."""
    return f"{job.name}-{job.number}"


def _result(job: Job) -> Any:
    """Return the result of a job for JSON, None where it isn't shown."""
    match job.result:
        case SyncReport():
            return SYNCED(job.result)
        case Rechunked():
            values: dict[str, Any] = encode(job.result)
            return values
        case PackReport() | LearningReport():
            return encode(job.result)
        case Backup():
            return backups.BACKUP(job.result)
        case Compacted():
            return COMPACTED(job.result)
        case Health():
            return HEALTH(job.result)
        case list():
            return encode(RunList.from_runs(job.result))
        case int() if not isinstance(job.result, bool):
            return {"count": job.result}
    return job.result if isinstance(job.result, dict) else None


JOB = Form(
    "Job",
    Job,
    "name base state done total share what",
    id=(str, job_id),
    seconds=(float, lambda job: round(job.seconds, 3)),
    seconds_left=(float | None, lambda job: None if job.left is None else round(job.left, 1)),
    result=(dict[str, Any] | None, _result),
    error=(str | None, lambda job: job.error.message if job.error else None),
)
JOBS = Form("Jobs", list, jobs=([JOB], list))
