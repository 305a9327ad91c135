"""What the doctor says on the settings page, what takes how much space, and what a bug report needs."""

from functools import partial

import streamlit as st

from core.model import SPACE_PARTS, Health, Progress
from core.workspace import Workspace
from pages.ui.shared import jobs, names, shell, widgets
from pages.ui.shared.safe import plain
from pages.ui.shared.text import t, t_plural, text_of


def section(workspace: Workspace) -> None:
    """Draw the check of everything with what it found, what takes space, and what a bug report needs."""
    st.caption(t("Checks the notes, the search index, your folders, models, the disk and the backups."))
    busy = workspace.jobs.running("doctor")
    with st.container(horizontal=True):
        if widgets.button(t("Check everything"), "doctor", "stethoscope", disabled=busy):
            jobs.start(workspace, "doctor", partial(_examined, workspace, False))
        job = workspace.jobs.find("doctor")
        health = job.result if job and isinstance(job.result, Health) else None
        mendable = health and any(check.told and check.mendable for check in health.checks)
        shut = busy or jobs.writing(workspace)
        if mendable and widgets.button(t("Mend what can be mended"), "doctor_fix", "healing", disabled=shut):
            jobs.start(workspace, "doctor", partial(_examined, workspace, True))
    jobs.panel(workspace, ("doctor", "compact"))
    if health:
        _found(health)
    shell.on_demand(t("What takes how much space"), "space", "hard_drive", partial(_space, workspace))
    shell.report(workspace.bug_report)


def _examined(workspace: Workspace, fix: bool, progress: Progress) -> Health:
    return workspace.doctor.examine(fix=fix, progress=progress)


def _found(health: Health) -> None:
    """Draw what is wrong with what mends it, and what was mended."""
    for check in health.checks:
        if check.mended:
            st.success(plain(t("Mended: {title}", title=text_of(check.title))), icon=":material/check_circle:")
        if check.told:
            text = f"**{plain(text_of(check.told))}** {plain(text_of(check.about))}"
            draw, icon = (st.error, "error") if check.level == "broken" else (st.warning, "warning")
            draw(f"{text}  \n{plain(t('To mend it: {cure}', cure=text_of(check.cure)))}", icon=f":material/{icon}:")
    sound = sum(check.level == "sound" for check in health.checks)
    st.caption(t_plural("{n} check finds nothing wrong.", "{n} checks find nothing wrong.", n=sound))


def _space(workspace: Workspace) -> None:
    """Draw what takes how much space, and the button that gives unused space back."""
    space = workspace.doctor.space()
    rows = [
        {"part": text_of(name), "size": names.megabytes(getattr(space, part))} for part, name in SPACE_PARTS.items()
    ]
    rows += [
        {"part": t("of it data for fast re-checking of '{base}'", base=base), "size": names.megabytes(size)}
        for base, size in space.tokens.items()
    ]
    columns = {"part": st.column_config.TextColumn(t("Part")), "size": st.column_config.TextColumn(t("Size"))}
    widgets.table(rows, columns, "space_table", most=420)
    free, total = names.megabytes(space.free), names.megabytes(space.total)
    st.caption(plain(t("{free} of {total} are free on the disk.", free=free, total=total)))
    if space.tokens:
        st.caption(
            t(
                "The data for fast re-checking can be left out, on the page Bases: the re-check then reads the passages "
                "again, which takes seconds. Without any re-check, 69 instead of 80 of 100 test questions have their "
                "passage among the first five."
            )
        )
    about = t("{size} unused.", size=names.megabytes(space.unused))
    shut = workspace.jobs.running("compact") or jobs.writing(workspace)
    if widgets.button(t("Give unused space back"), "compact", "compress", disabled=shut, help=about):
        workspace.jobs.start("compact", workspace.doctor.compact)
        st.rerun()
