"""The parts of the Settings page for backups, health checks, disk space, and the search index."""

import streamlit as st
from streamlit import rerun, session_state

from core.base.messages import message
from core.model import BACKUP_REASONS, SPACE_PARTS, Backup, Health, Status
from pages.ui.settings import general
from pages.ui.shared import jobs, shell
from pages.ui.shared.jobs import WRITING, blocked_by, hindrance, job_panel, start_job
from pages.ui.shared.names import local, megabytes
from pages.ui.shared.safe import plain
from pages.ui.shared.server import workspace
from pages.ui.shared.text import busy, small_print, t, t_plural, text_of
from pages.ui.shared.widgets import (
    Dialog,
    button,
    caption,
    errors,
    on_demand,
    popover,
    row,
    small,
    table,
    text_column,
    text_input,
    warn,
)

# Health checks, past jobs, disk space, and the bug report.


def draw_health() -> None:
    """Show the health checks and their results, past jobs, disk space, and the bug report."""
    small_print("Checks the notes, the search index, your folders, models, the disk and the backups.")
    with row():
        if button("Check everything", "doctor", "stethoscope", disabled=blocked_by("doctor")):
            start_job("doctor", lambda progress: workspace.doctor.examine(progress=progress))
        job = workspace.jobs.find("doctor")
        health = job.result if job and isinstance(job.result, Health) else None
        if (
            health
            and any(check.problem and check.mendable for check in health.checks)
            and button("Repair what can be repaired", "doctor_fix", "healing", disabled=hindrance(*WRITING, "doctor"))
        ):
            start_job("doctor", lambda progress: workspace.doctor.examine(fix=True, progress=progress))
    job_panel(("doctor", "compact"))
    if health:
        for check in health.checks:
            if check.mended:
                st.success(plain(t("Repaired: {title}", title=check.title)), icon=":material/check_circle:")
            if check.problem:
                draw, icon = (st.error, "error") if check.level == "broken" else (st.warning, "warning")
                draw(
                    f"**{plain(check.problem)}**  \n{plain(check.about)}  \n"
                    f"{plain(t('To repair it: {remedy}', remedy=check.remedy))}",
                    icon=f":material/{icon}:",
                )
        st.caption(
            t_plural(
                "{n} check found nothing wrong.",
                "{n} checks found nothing wrong.",
                n=sum(check.level == "sound" for check in health.checks),
            )
        )
    on_demand("Background tasks since Tessera started", "jobs_ended", "history", jobs.history)
    on_demand("What takes up space", "space", "hard_drive", _space)
    shell.report(workspace.bug_report)


def _space() -> None:
    """Draw a table of what takes up disk space, and the button that frees unused space."""
    space = workspace.doctor.space()
    rows = [{"part": text_of(name), "size": megabytes(getattr(space, part))} for part, name in SPACE_PARTS.items()]
    rows[1:1] = [  # below the database, which contains them
        {"part": t("of this, for fast reranking in '{base}'", base=base), "size": megabytes(size)}
        for base, size in space.tokens.items()
    ]
    table(rows, {"part": text_column("Part"), "size": text_column("Size")}, "space_table", most=420)
    caption(t("{free} of {total} free on the disk.", free=megabytes(space.free), total=megabytes(space.total)))
    if space.tokens:
        small_print(
            "You can delete the data for fast reranking on the Bases page. Reranking then has to read the passages "
            "again, which takes seconds. Without reranking, 69 of 100 test questions have their passage among the "
            "first five hits. With reranking, 80 do."
        )
    if button(
        "Free unused space",
        "compact",
        "compress",
        disabled=hindrance(*WRITING, "compact"),
        help=message("{size} unused.", size=megabytes(space.unused)),
    ):
        workspace.jobs.start("compact", workspace.doctor.compact)
        rerun()


# Dialog for restoring a backup. Its subject is the backup's name.
_DIALOG = Dialog("backup_chosen")
_FOLDER = "backup_folder"
_PASSPHRASE = "backup_passphrase"
_SHOWN = 30


def draw_backups() -> None:
    """Draw the backup settings, the list of backups, and the button that creates a backup."""
    small_print(
        "A backup contains all notes with their history, your questions, your preferences, and pictures pasted "
        "into notes that have no file. It doesn't include the files and pictures in your folders. The search index "
        "can be built again and models can be downloaded again, so they aren't included either."
    )
    if workspace.backups.problem:
        warn(t("The daily backup failed: {problem}", problem=workspace.backups.problem))
    if button("Make a backup now", "backup_make", "backup", disabled=blocked_by("backup")):
        start_job("backup", lambda progress: workspace.backups.make(progress=progress))
    job_panel(("backup", "verify"))
    _choices()
    backups = workspace.backups.all()
    for backup in backups[:_SHOWN]:
        _row(backup)
    if not backups:
        small_print("There is no backup yet.")
    _dialog({backup.name: backup for backup in backups})


def _choices() -> None:
    """Show the settings for daily backups, the backup folder, and encryption."""
    folder = workspace.settings_file.get("backups.folder")
    backups = workspace.backups
    shut = general.is_fixed(folder)

    def put() -> None:
        typed = session_state[_FOLDER].strip()
        backups.choose_place(typed)
        if folder.source == "file":
            workspace.settings_file.write(folder.key, typed or None)

    general.switch(
        "backups.daily",
        t("Make a backup every day"),
        "backup_daily",
        backups.enabled,
        backups.enable,
        t(
            "Backups are made while Tessera is running. The last seven daily backups are kept. Backups that you "
            "make yourself are kept until you delete them."
        ),
    )
    session_state.setdefault(_FOLDER, str(backups.place))
    with row(vertical_alignment="bottom"):
        text_input(
            "Folder for backups",
            _FOLDER,
            disabled=shut,
            help=t(
                "Backups on another disk survive if this disk fails. If you leave this field empty, backups are "
                "stored next to the notes."
            ),
        )
        unchanged = session_state[_FOLDER] == str(backups.place) and t("Nothing has been changed yet.")
        button("Save", "backup_folder_save", "save", put, disabled=shut or unchanged)
    general.remark(folder)
    popover("Encryption", "backup_encryption", "lock", _encryption)


def _encryption() -> None:
    """Draw the field for a passphrase that encrypts future backups, and a button that stops encryption."""
    on = workspace.backups.encrypted
    st.caption(
        t(
            "Backups are encrypted from now on. To restore a backup, you need its passphrase, which "
            "is not stored anywhere."
        )
        if on
        else t("With a passphrase, nobody else can read your backups. If you forget it, you can't read them either.")
    )
    text_input("Passphrase", _PASSPHRASE, type="password", disabled=workspace.readonly)

    def protect() -> None:
        passphrase = session_state[_PASSPHRASE]
        session_state[_PASSPHRASE] = ""
        workspace.backups.protect(passphrase)

    with row():
        label = t("Change the passphrase") if on else t("Encrypt backups")
        button(
            label,
            "backup_protect",
            "lock",
            protect,
            disabled=not session_state[_PASSPHRASE] and t("Enter a passphrase first."),
        )
        if on:
            button("Stop encrypting", "backup_unprotect", "lock_open", workspace.backups.unprotect, writes=True)


def _row(backup: Backup) -> None:
    with row(f"backup_{backup.name}"):
        st.markdown(f"**{plain(local(backup.made_at))}**  \n:small[:gray[{plain(_about(backup))}]]", width="stretch")
        if not backup.problem:
            if small("Check", f"verify_{backup.name}", "verified", disabled=blocked_by("verify")):
                start_job("verify", lambda _: workspace.backups.verify(backup.name))
            small(
                "Restore",
                f"restore_{backup.name}",
                "settings_backup_restore",
                _DIALOG.open,
                backup.name,
                disabled=hindrance(),
            )


def _about(backup: Backup) -> str:
    if backup.problem:
        return f"{backup.name} · {text_of(backup.problem)}"
    parts = [megabytes(backup.bytes), text_of(BACKUP_REASONS[backup.reason])]
    if backup.encrypted:
        parts.append(t("encrypted"))
    elif backup.program:
        parts.append(t_plural("{n} note", "{n} notes", n=backup.notes))
    return " · ".join([*parts, str(backup.file.parent)])


def _dialog(backups: dict[str, Backup]) -> None:
    """Draw the dialog for restoring a backup, if it is open. `backups` has the backups by name."""
    backup = backups.get(_DIALOG.subject)
    if backup is None:
        return

    def content() -> None:
        st.write(
            plain(
                t(
                    (
                        "Everything is restored to how it was on {at}. The current data is kept in a folder next to the "
                        "workspace."
                    ),
                    at=local(backup.made_at),
                )
            )
        )
        secret = text_input("Passphrase", "backup_secret", type="password") if backup.encrypted else ""
        with row():
            if button("Restore", "backup_restore_yes", "settings_backup_restore", type="primary"):
                with errors(), busy("Unpacking…"):
                    workspace.backups.restore(backup.name, passphrase=secret)
                    _DIALOG.close()
                    shell.reopen()
            if button("Cancel", "backup_restore_no"):
                _DIALOG.finish()

    _DIALOG.draw(t("Restore this backup"), content)


# The vector index.


def index(status: Status) -> None:
    """Show the state of the vector index, the size of the workspace, and the button that rebuilds the index."""
    chosen = workspace.settings.index
    if status.index_problem:
        problem(status)
    elif chosen.kind == "none":
        st.info(t("There is no search index, so a search by meaning compares the question with every passage."))
    else:
        st.success(t("The search index is in order."), icon=":material/check_circle:")
        if chosen.url:
            caption(t("The search index is on the Chroma server at {url}.", url=chosen.url))
    st.caption(
        f"{t_plural('{n} passage', '{n} passages', n=sum(base.chunks for base in status.bases))} · "
        f"{plain(t('{size} on disk in {folder}', size=megabytes(status.bytes_on_disk), folder=str(status.folder)))}"
    )
    if chosen.kind != "none":
        rebuild()
    job_panel(("rebuild",))


def problem(status: Status) -> None:
    """Draw a warning with the reason why the vector index is unavailable."""
    st.warning(
        f"**{t('The search index is unavailable')}** "
        f"{t('Your notes are safe, and search works without the index, but more slowly.')}",
        icon=":material/healing:",
    )
    caption(status.index_problem)


def rebuild() -> None:
    """Draw the button that rebuilds the vector index."""
    if button(
        "Rebuild the index",
        "rebuild",
        "restart_alt",
        disabled=hindrance(*WRITING, "switch"),
        help="Rebuilds the search index from stored data. This needs no model and changes no notes.",
    ):
        start_job("rebuild", workspace.rebuild)
