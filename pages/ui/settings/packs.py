"""Available and installed packs, and the notes from packs that the user has changed."""

from functools import partial

import streamlit as st
from streamlit import rerun

from core.base.messages import message
from core.model import PackCard, PackReport, Progress
from pages.ui.shared import jobs
from pages.ui.shared.jobs import hindrance, start_job
from pages.ui.shared.names import TEXT_LANGUAGES, local
from pages.ui.shared.safe import facts, html, plain
from pages.ui.shared.server import workspace
from pages.ui.shared.text import join_list, small_print, t, t_plural, text_of
from pages.ui.shared.widgets import (
    button,
    caption,
    code,
    errors,
    form,
    in_columns,
    on_demand,
    row,
    small,
    submit,
    text_input,
    warn,
)

# Pack descriptions as translatable messages, keyed by the description in `pack.toml`.
DESCRIPTIONS = {
    text.text: text
    for text in (
        message("A guide to Tessera that you can ask questions."),
        message("Twenty notes about software, work and life, to try things out with."),
    )
}


def section() -> None:
    """Show the progress of an installation, a card for each pack, and the form for installing a pack from a folder."""
    jobs.job_panel((jobs.PACKS,))
    small_print(
        "A pack is a versioned collection of notes. Upgrades leave notes that you changed or deleted as they are."
    )
    for problem in workspace.packs.problems.values():
        warn(problem)
    with st.container(key="halves_packs"):
        for column, card in in_columns(workspace.packs.all(), 2):
            with column.container(border=True, key=f"pack_{card.name}"):
                _pack(card)
    with form("pack_folder"), row(vertical_alignment="bottom"):
        folder = text_input("Folder with a pack.toml", "pack_folder_path").strip()
        if submit("Install", "install_folder", "folder_open", disabled=hindrance()):
            if folder:
                start_job(jobs.PACKS, partial(_install, folder))
            rerun()


def _pack(card: PackCard) -> None:
    name = card.name
    found = card.found
    installed = card.installed
    remarks = []
    if found:
        remarks = [
            t("Version {version}", version=found.version),
            join_list(text_of(TEXT_LANGUAGES.get(code, code)) for code in found.language.replace(",", " ").split()),
        ]
    if installed:
        remarks = [
            t("Installed: version {version}", version=installed.version or "…"),
            t("Base: {name}", name=installed.base),
            t_plural("{n} note", "{n} notes", n=installed.notes),
            t("Last checked {at}", at=local(installed.checked_at)),
        ]
    st.html(f'<div class="t-name">{html(name)}</div>{facts(remarks)}')
    if found and found.description:
        caption(DESCRIPTIONS.get(found.description, found.description))
    shut = hindrance()
    with row():
        if found and not installed and button("Install", f"install_{name}", "download", disabled=shut):
            start_job(jobs.PACKS, partial(_install, name))
        if (
            found
            and card.newer
            and button(t("Upgrade to {version}", version=found.version), f"upgrade_{name}", "upgrade", disabled=shut)
        ):
            start_job(jobs.PACKS, lambda progress: workspace.packs.upgrade(name, embed=False, progress=progress))
        if installed and small("Remove", f"remove_{name}", "delete", disabled=shut):
            with errors():
                workspace.packs.delete(name)
                rerun()
    if found and installed:
        on_demand("Notes that you changed", f"edited_{name}", "edit_note", partial(_edited, name))


def _install(source: str, progress: Progress) -> PackReport:
    return workspace.packs.install(source, embed=False, progress=progress)


def _edited(name: str) -> None:
    """Show the notes from a pack that the user has changed, each with the difference from the pack's text."""
    notes = workspace.packs.edited(name)
    if not notes:
        small_print("You haven't changed any notes in this pack.")
    for note in notes:
        st.markdown(f"**{plain(note.title)}** · {plain(note.path)}")
        if note.offered is None:
            small_print("The pack no longer has this note.")
        elif lines := note.difference():
            code("\n".join(lines), "diff")
        else:
            small_print("Only the fields differ.")
