"""Long work on the screen: what runs, how far it is, how it ended. The work itself is in `workspace.jobs`."""

import gc
from collections.abc import Callable, Sequence
from pathlib import Path

import streamlit as st

from core.model import Progress
from core.workspace import Job, Rechunked, SwitchCost, SyncPlan, SyncReport, Trial, Workspace
from pages.ui import plans, sizes, verdicts
from pages.ui.safe import html, plain
from pages.ui.sentences import said
from pages.ui.text import t

SAMPLES = Path(__file__).parents[2] / "data" / "sample_notes"
IMPORTS = ("import", "rebuild")
CHUNKS = ("rechunk", "embed", "edits")
BASES = ("switch", "tokens")
MODELS = ("test", "download", "device")
EVALUATION = ("evaluate", "advise")
QUESTIONS = ("suggest",)
WATCHED = ("warm", "warm_reranker", *IMPORTS, *CHUNKS, *BASES, "cost", *MODELS, *EVALUATION, *QUESTIONS)
SOON = 1.2
"""Seconds that a page waits for work which may be done at once."""


def follow(workspace: Workspace, draw: Callable[[], None]) -> None:
    """Draw what depends on jobs: again while one runs, and the whole page once when one starts or ends."""
    running = _running(workspace)

    @st.fragment(run_every=1.0 if running else None)
    def part() -> None:
        if "warm" in running:
            # Streamlit collects all garbage after every run, and what the model's libraries make while
            # they load is half a million objects: without this the page's polling starves the loading.
            gc.freeze()
        if _running(workspace) != running:
            st.rerun()
        draw()

    part()


def _running(workspace: Workspace) -> list[str]:
    return [name for name in WATCHED if workspace.jobs.running(name)]


def importing(workspace: Workspace) -> bool:
    """Tell whether notes are being written."""
    return workspace.jobs.running("import")


def writing(workspace: Workspace) -> bool:
    """Tell whether chunks can't be changed: another job is at it, or the workspace is for reading only."""
    return workspace.readonly or workspace.jobs.running(*IMPORTS, *CHUNKS)


def start(workspace: Workspace, name: str, job: Callable[[Progress], object]) -> None:
    """Run a job and draw the page anew: at its end where that is soon."""
    if workspace.jobs.start(name, job):
        ended = workspace.jobs.wait(name, SOON)
        if name == "edits" and ended and ended.state == "done":
            workspace.jobs.forget(name)
    st.rerun()


def about(what: str, progress: Progress) -> Progress:
    """Return a progress that says what it is about, from now on, whatever the work says."""

    def told(done: float, total: float, _: str) -> None:
        progress(done, total, what)

    told(0, 0, "")
    return told


def start_import(workspace: Workspace, plan: SyncPlan, *, confirmed: bool) -> bool:
    """Apply a plan in a job; False, starting nothing, while another import runs."""
    return workspace.jobs.start(
        "import", lambda progress: workspace.apply(plan, confirmed=confirmed, progress=progress)
    )


def start_samples(workspace: Workspace) -> None:
    """Import the notes that come with the program."""

    def work(progress: Progress) -> SyncReport:
        return workspace.apply(workspace.plan_folder(SAMPLES, "sample"), progress=progress)

    workspace.jobs.start("import", work)


def panel(workspace: Workspace, names: Sequence[str] = IMPORTS) -> None:
    """Draw the jobs of these names that run or have just ended."""

    def draw() -> None:
        for name in names:
            if job := workspace.jobs.get(name):
                with st.container(border=True, key=f"job_{name}"):
                    _running_job(workspace, job) if job.state == "running" else _ended(workspace, job)

    if any(workspace.jobs.get(name) for name in names):
        follow(workspace, draw)


def _running_job(workspace: Workspace, job: Job) -> None:
    shown = (lambda count: sizes.megabytes(int(count))) if job.name == "download" else "{:,.0f}".format
    far = f"{job.share:.0%}" if job.name in EVALUATION else f"{shown(job.done)} / {shown(job.total)}"
    done = f"{far} · {plain(job.what)}" if job.total else t("work.starting")
    st.progress(job.share, text=f"**{t(f'work.{job.name}')}** {done}")
    if job.name != "rebuild":
        st.button(
            t("cancel"),
            key="cancel_job" if job.name == "import" else f"cancel_{job.name}",
            icon=":material/stop_circle:",
            on_click=workspace.jobs.cancel,
            args=(job.name,),
        )


def _ended(workspace: Workspace, job: Job) -> None:
    if job.state == "failed":
        st.error(f"**{t('work.failed')}** {plain(said(job.error))}", icon=":material/error:")
    elif job.state == "cancelled":
        key = "work.stopped" if job.name in (*BASES, "cost", *MODELS, *EVALUATION) else "work.cancelled"
        told = t("questions.suggest.stopped") if job.name in QUESTIONS else t(key)
        st.warning(told, icon=":material/stop_circle:")
    if isinstance(job.result, SyncReport):
        plans.report(job.result)
    if isinstance(job.result, Rechunked):
        plans.rechunked(job.result)
    if isinstance(job.result, Trial):
        verdicts.trial(job.result)
    if isinstance(job.result, SwitchCost):
        verdicts.cost(job.result)
    with st.container(horizontal=True, vertical_alignment="center"):
        if job.state == "done":
            took = html(t("work.seconds", seconds=job.seconds))
            count = job.result if isinstance(job.result, int) else 0
            done = html(t(f"work.done.{job.name}", n=count))
            st.html(
                f'<div class="t-done"><b>✓ {done}</b><span class="t-dim t-small">{took}</span></div>', width="content"
            )
            if job.name == "import":
                st.page_link("pages/3_search.py", label=t("work.to_search"), icon=":material/search:")
        st.button(t("close"), key=f"close_{job.name}", on_click=workspace.jobs.forget, args=(job.name,))
