"""Start background jobs, and show their progress and results. `workspace.jobs` runs the jobs."""

import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path

import streamlit as st
from streamlit import fragment, rerun

from core.base.datetimes import utc_now
from core.base.messages import Message
from core.model import (
    JOB_KINDS,
    ChangeCost,
    Failed,
    IndexedChunks,
    Job,
    LearningReport,
    ModelTrial,
    PackReport,
    Progress,
    ReadPictures,
    Rechunked,
    ServerTrial,
    SyncPlan,
    SyncReport,
    jobs_at,
    left_line,
)
from pages.ui.shared import reports
from pages.ui.shared.names import IMPORTING, READONLY, local, megabytes
from pages.ui.shared.safe import html, plain
from pages.ui.shared.server import workspace
from pages.ui.shared.text import small_print, t, text_of
from pages.ui.shared.widgets import Callback, button, close, errors, page_link, popup, row, table, text_column, warn

SAMPLES = Path(__file__).parents[3] / "data" / "packs" / "sample"
# Name of the pack with the sample notes, and of its base.
SAMPLE = "sample"
PACKS = "packs"
IMPORTS = jobs_at("notes")
CHUNKS = jobs_at("chunks")
BASES = jobs_at("bases")
MODELS = jobs_at("models")
EVALUATION = jobs_at("evaluation")
QUESTIONS = jobs_at("questions")
LEARNING = jobs_at("learning")
# Jobs that lock the notes or chunks they write.
#
# Indexing isn't one of them, because it skips chunks that change while it runs.
WRITING = [name for name, kind in JOB_KINDS.items() if kind.writes]
# Seconds for which the report of a finished job stays on the page.
STAYS = 60.0
# Jobs that usually start automatically.
ROUTINE = ("embed", *jobs_at("index", "pictures"))
# Minimum duration of a routine job, in seconds, for a toast to announce its end.
NOTABLE = 10.0
# Seconds after which the page shows a routine job's progress. The sidebar shows the progress immediately.
BRIEF = 3.0
# Session keys for the id of the job whose suggested notes this session reports, and of the one whose report was read.
_WANTED = "report_wanted"
_READ = "report_read"
_REPORTS = (SyncReport, PackReport, Rechunked)
_ANSWERS = (ChangeCost, LearningReport, ModelTrial, ServerTrial)
# Maximum number of seconds a page waits for a job that may be short.
SOON = 1.2


def follow(draw: Callback, *, idle: float | None = None) -> None:
    """Draw a fragment that depends on jobs, and redraw it while any job is running.

    The whole page is redrawn when a job starts or ends, and after a watched folder is synced. While no job runs, the fragment is redrawn
    every `idle` seconds.
    """
    running = _running()
    synced = workspace.watching.synced

    @fragment(run_every=0.5 if "warm" in running else 1.0 if running else idle)
    def part() -> None:
        if _running() != running or workspace.watching.synced != synced:
            rerun()
        draw()

    part()


def redraw_after(*names: str) -> None:
    """Redraw the page when the named jobs have ended. For `warm`, redraw as soon as the models are loaded.

    Use this for jobs started by the page itself, which the sidebar doesn't watch.
    """
    drawn: list[bool] = []

    @fragment(run_every=0.5)
    def part() -> None:
        with errors():
            left = [name for name in names if name != "warm" or not workspace.models.loaded]
            if drawn and not (left and workspace.jobs.running(*left)):
                rerun()
        drawn.append(True)

    part()


def _running() -> set[str]:
    return {job.name for job in workspace.jobs.all() if job.state == "running" and not job.quiet}


def is_importing(base: str = "") -> bool:
    """Return whether an import into `base` is running. If `base` is "", return whether any import is running."""
    job = workspace.jobs.find("import")
    return job is not None and job.state == "running" and (not base or job.base in ("", base))


def is_shut() -> bool:
    """Return whether notes and bases can't be changed because the workspace is read-only or an import is running."""
    return workspace.readonly or is_importing()


def hindrance(*names: str, base: str = "") -> str:
    """Return the reason why nothing can be changed now, or "" if changes are possible.

    The reason is that the workspace is read-only, or that one of the named jobs is running. The default jobs are those
    in WRITING. `base` is used as in `blocked_by`.
    """
    return text_of(READONLY) if workspace.readonly else blocked_by(*(names or WRITING), base=base)


def blocked_by(*names: str, base: str = "") -> str:
    """Return a sentence that says which of the named jobs has to finish first, or "" if none of them is running.

    An import counts only for the base it imports into. If `base` is "", every import counts.
    """
    for name in names:
        if name == "import":
            if is_importing(base):
                return text_of(IMPORTING)
        elif workspace.jobs.running(name):
            return t("{doing}. You can continue when this is finished.", doing=JOB_KINDS[name].doing)
    return ""


def start_job(name: str, job: Callable[[Progress], object], base: str = "") -> None:
    """Start a job unless it is already running, and rerun the page when it ends, or after SOON seconds."""
    if workspace.jobs.start(name, job, base=base):
        _want(workspace.jobs.find(name))
        ended = workspace.jobs.wait(name, SOON)
        if name == "edits" and ended and ended.state == "done":
            workspace.jobs.forget(name)
    rerun()


def about(subject: str, progress: Progress) -> Progress:
    """Return a progress callback that reports `subject`, such as a base, instead of the job's current step."""

    def named(done: float, total: float, what: str | Message) -> None:
        progress(done, total, subject)

    named(0, 0, "")
    return named


def start_import(plan: SyncPlan, *, confirmed: bool = False, writes: bool | None = None) -> bool:
    """Start a job that carries out an import plan. Return False if another import is already running.

    `writes` sets whether edits may change the base's files. If it is None, the setting stays as it is.
    """

    def work(progress: Progress) -> SyncReport:
        try:
            return workspace.imports.apply(plan, confirmed=confirmed, embed=False, progress=progress)
        finally:
            if writes is not None and workspace.bases.find(plan.base):
                workspace.bases.update(plan.base, write_files=writes)

    return workspace.jobs.start("import", work, base=plan.base)


def job_panel(names: Sequence[str] = (*IMPORTS, "embed"), base: str = "") -> None:
    """Show the progress of the named jobs that are running, and the reports of those that have finished.

    The end of a job that has no report is announced by a toast. If `base` is given, jobs for other bases are left out.
    """

    def draw() -> None:
        for name in names:
            job = workspace.jobs.find(name)
            if job and _is_visible(job) and (not base or job.base in ("", base)):
                with st.container(border=job.state != "done", key=f"job_{name}"):
                    _running_job(job) if job.state == "running" else _ended(job)

    if any(map(workspace.jobs.find, names)):
        follow(draw)


def _is_visible(job: Job) -> bool:
    """Return whether to draw a job.

    A job is drawn while it runs (a routine job after BRIEF seconds), if it failed or was stopped, if its result answers a question from the user, or if its
    report is new or lists failures. Suggested notes are reported in the session that asked for them, until the user
    has left the page with the report or has decided on all of the notes.
    """
    if job.state == "running" and job.name in ROUTINE:
        return time.monotonic() - job.started > BRIEF
    if isinstance(job.result, LearningReport):
        if job.id != st.session_state.get(_WANTED):
            return False
        suggested = {note_id for log in job.result.logs for note_id in log.suggested}
        return not suggested or any(card.status == "pending" for card in workspace.notes.cards_of(suggested).values())
    if job.state != "done" or isinstance(job.result, _ANSWERS):
        return True
    return bool(_unread(job) or (isinstance(job.result, Rechunked) and job.result.failed)) or (
        isinstance(job.result, _REPORTS) and time.monotonic() - job.started - job.seconds < STAYS
    )


def _unread(job: Job) -> list[Failed]:
    """Return the files that an import couldn't read, except for those that have been read or ignored since."""
    if not isinstance(job.result, SyncReport) or not workspace.bases.find(job.base):
        return []
    unread = set(workspace.folders.unread(workspace.bases.get(job.base)))
    return [failed for failed in job.result.failed if failed in unread]


def _want(job: Job | None) -> None:
    """Make this session show the job's report of suggested notes. Jobs that don't suggest notes are ignored."""
    if job and job.name in LEARNING:
        st.session_state[_WANTED] = job.id


def leave_page() -> None:
    """Remove the report of suggested notes if the page that the user is leaving has shown it."""
    read = st.session_state.pop(_READ, None)
    if read and read == st.session_state.get(_WANTED):
        del st.session_state[_WANTED]


def announce() -> None:
    """Show a toast for each notable job that has ended since this session last ran."""
    ended = {job.id: job for job in workspace.jobs.all() if job.state != "running" and JOB_KINDS[job.name].place}
    announced = st.session_state.setdefault("jobs_announced", set(ended))
    for key, job in ended.items():
        if key in announced:
            continue
        if job.state == "failed":
            st.toast(f"**{plain(JOB_KINDS[job.name].title)}**  \n{plain(outcome(job))}", icon=":material/error:")
        elif job.state == "done" and not _is_unremarkable(job):
            st.toast(plain(outcome(job)), icon=":material/check_circle:")
    announced.update(ended)


def _is_unremarkable(job: Job) -> bool:
    """Return whether a job ends without a toast, because the user isn't waiting for it or the page shows its result."""
    if job.quiet or isinstance(job.result, _ANSWERS) or not _end(job):
        return True
    is_empty = bool(JOB_KINDS[job.name].done.plural) and not _count(job.result)
    return job.name in ROUTINE and (is_empty or job.seconds < NOTABLE)


def outcome(job: Job) -> str:
    """Return a short summary of a job's result, or a sentence saying why it failed or that it was stopped."""
    if job.state == "failed":
        return t("Something went wrong: {reason}", reason=job.error)
    if job.state == "cancelled":
        return text_of(JOB_KINDS[job.name].stopped)
    return " · ".join([_end(job), *_figures(job)])


def _end(job: Job) -> str:
    return text_of(JOB_KINDS[job.name].done, n=_count(job.result))


def _figures(job: Job) -> list[str]:
    return reports.summary(job.result) if isinstance(job.result, _REPORTS) else []


def history() -> None:
    """Draw a table of the jobs that ended most recently, latest first."""
    now = utc_now()
    clock = time.monotonic()
    rows = [
        {
            "at": local(now - timedelta(seconds=clock - job.started)),
            "what": text_of(JOB_KINDS[job.name].title) + (f" · {job.base}" if job.base else ""),
            "result": outcome(job),
            "seconds": t("{seconds:.1f} s", seconds=job.seconds),
        }
        for job in workspace.jobs.ended()
        if JOB_KINDS[job.name].place
    ]
    if rows:
        table(
            rows,
            {
                "at": text_column("When"),
                "what": text_column("Task"),
                "result": text_column("Result"),
                "seconds": text_column("Duration"),
            },
            "jobs_table",
            most=420,
        )
    else:
        small_print("Nothing has run since Tessera started.")


def estimate(subject: str) -> ChangeCost | None:
    """Show the job that estimates the cost of a change to `subject`, and return the estimate.

    Return None if there is no estimate yet, or if the job is about something else.
    """
    job = workspace.jobs.find("cost")
    if job is None or job.what != subject:
        return None
    job_panel(("cost",))
    return job.result if isinstance(job.result, ChangeCost) else None


def panel_about(names: Sequence[str], is_meant: Callable[[object], bool]) -> None:
    """Show the named jobs whose subject satisfies `is_meant`."""
    for name in names:
        if (job := workspace.jobs.find(name)) and is_meant(job.what):
            job_panel((name,))


def resume() -> None:
    """Draw the button that starts indexing the notes that aren't indexed yet."""
    if button("Index the rest", "go_on", "bolt", writes=True, disabled=blocked_by("embed")):
        workspace.start_indexing()
        rerun()


def resumes(name: str) -> bool:
    """Return whether the job `name` was indexing, ended early, and left notes that still have to be indexed."""
    job = workspace.jobs.find(name) if name == "embed" else None
    return job is not None and job.state in ("failed", "cancelled") and workspace.pending.any()


def _running_job(job: Job) -> None:
    name = job.name
    _want(job)
    number = (lambda count: megabytes(int(count))) if name == "download" else "{:,.0f}".format
    whole = name in EVALUATION or isinstance(job.what, Message)
    share = f"{job.share:.0%}" if whole else f"{number(job.done)} / {number(job.total)}"
    done = f"{share} · {plain(job.what)}" if job.total else t("Getting ready…")
    left = f" · {text_of(left_line(job.left))}" if job.left is not None else ""
    with row():
        st.progress(job.share, text=f"**{text_of(JOB_KINDS[name].doing)}** {done}{left}")
        if name != "rebuild":
            button(
                "Cancel",
                "cancel_job" if name == "import" else f"cancel_{name}",
                "stop_circle",
                workspace.jobs.cancel,
                name,
            )


def _count(result: object) -> int:
    match result:
        case int(count) | IndexedChunks(count) | ReadPictures(count):
            return count
    return 0


def _ended(job: Job) -> None:
    name = job.name
    result = job.result
    if job.state == "failed":
        st.error(f"**{t('Something went wrong')}** {plain(job.error)}", icon=":material/error:")
    elif job.state == "cancelled":
        warn(JOB_KINDS[name].stopped, "stop_circle")
    match result:
        case LearningReport():
            st.session_state[_READ] = job.id
            reports.draw(result)
        case ModelTrial():
            reports.trial(result)
        case ServerTrial():
            reports.server(result)
        case ChangeCost():
            reports.cost(result)
    with row():
        if job.state == "done":
            facts = html(" · ".join([*_figures(job), t("{seconds:.1f} s", seconds=job.seconds)]))
            st.html(
                f'<div class="t-done" data-job="{job.id}"><b>✓ {html(_end(job))}</b>'
                f'<span class="t-dim t-small">{facts}</span></div>',
                width="content",
            )
            if isinstance(result, _REPORTS):
                with popup("Details", "", f"report_{name}", type="tertiary"):
                    reports.draw_report(result)
            if name == "import":
                page_link("search.py", "Search these notes", "search")
        elif resumes(name):
            resume()
        close(f"close_{name}", "Close", workspace.jobs.forget, name)
    if isinstance(result, Rechunked) and result.failed:
        reports.listing(reports.failed(result.failed))
    if isinstance(result, SyncReport):
        reports.unread_rows(job.base, _unread(job), name)
        reports.not_downloaded(result.not_downloaded)
