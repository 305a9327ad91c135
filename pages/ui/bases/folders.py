"""The current view of the Bases page, a base's folders, and a restored base's permissions."""

from pathlib import Path

import streamlit as st
from streamlit import query_params, session_state, switch_page

from core.model import FOREIGN, BaseStatus, KnowledgeBase, Restored
from pages.ui.notes.places import disk_folders
from pages.ui.shared import jobs, links, reports, shell
from pages.ui.shared.knobs import HELPS, SWITCHES
from pages.ui.shared.links import arrived_value
from pages.ui.shared.names import base_names, last_update, local
from pages.ui.shared.safe import plain
from pages.ui.shared.server import workspace
from pages.ui.shared.text import busy, join_list, small_print, t, t_plural, with_label
from pages.ui.shared.widgets import button, caption, errors, expander, form, small, submit, text_input, warn

# The current view of the Bases page: all bases, one base, or the form for a new base. It is kept in the URL.

# Name of the view with the form for a new base. No base can have this name.
NEW = "\0new"
_OPEN = "open_base"
_ADDING = "adding_to_base"


def settle_view() -> str:
    """Return the current view: the name of the open base, NEW, or "" for all bases."""
    if arrived_value("new"):
        session_state.update({_OPEN: NEW, "new_name": query_params.get("name", "")})
    elif (linked := arrived_value("base")) is not None:
        session_state[_OPEN] = linked
    elif links.last_value("base") and "base" not in query_params:
        session_state[_OPEN] = ""  # the user clicked the link to this page in the sidebar
    chosen: str = session_state.get(_OPEN, "")
    if chosen != NEW and chosen not in base_names():
        chosen = session_state[_OPEN] = ""
    is_new = chosen == NEW
    links.set_values({"base": "" if is_new else chosen, "new": "yes" if is_new else "", "name": ""})
    return chosen


def go(base: str, *, adding: bool = False) -> None:
    """Change the view on the next rerun, to a base, NEW, or "" for all bases. Use this in callbacks.

    With `adding`, the base's import form is expanded.
    """
    session_state.update({_OPEN: base, _ADDING: adding})


def is_adding() -> bool:
    """Return whether the base was opened in order to add notes."""
    return bool(session_state.get(_ADDING))


def back() -> None:
    """Draw the button for going back to all bases."""
    small("All knowledge bases", "all_bases", "arrow_back", go, "")


# A base's watched folders, problems with them, and syncs awaiting the user's consent.


def problems(base: KnowledgeBase) -> None:
    """Show a base's unreadable files and problems with its watched folders, and any syncs awaiting consent."""
    failures = workspace.folders.failures(base)
    reports.draw_unread(base)
    away = workspace.folders.not_downloaded(base)
    reports.not_downloaded(away)
    shown = {*failures, *away}
    unread = [failed for failed in workspace.documents.unread(base.name) if failed not in shown]
    reports.unfold(
        t_plural("{n} file isn't read", "{n} files aren't read", n=len(unread)),
        reports.failed(unread),
        ":material/draft:",
    )
    reports.draw_incomplete(workspace.documents.incomplete(base.name))
    if not base.watch or not disk_folders(base):
        return
    seen = workspace.watching.folders(base)
    last = max((watched_folder.at for watched_folder in seen), default=None)
    caption(t("Watched (last checked {at})", at=local(last)) if last else t("Watched"), "visibility")
    for number, watched_folder in enumerate(seen):
        if watched_folder.problem:
            warn(with_label(watched_folder.folder, watched_folder.problem), "folder_off")
        elif watched_folder.removals:
            warn(
                t_plural(
                    "{n} note is no longer in {folder}. Review the changes before they are applied.",
                    "{n} notes are no longer in {folder}. Review the changes before they are applied.",
                    n=watched_folder.removals,
                    folder=watched_folder.folder,
                )
            )
            if button("Review the changes", f"look_{base.id}_{number}", "difference", writes=True):
                session_state["plan"] = workspace.imports.plan_folder(Path(watched_folder.folder), base.name)
                switch_page("notes.py")


def state(status: BaseStatus) -> str:
    """Return HTML that says whether a base is up to date and when it was last synced.

    Return "" if it was never synced and there is nothing to report.
    """
    now = workspace.freshness_of(status.base)
    if now.state == "current" and not status.base.synced_at:
        return ""
    return shell.freshness_html(now, last_update(status.base))


def sync(base: KnowledgeBase, folder: str) -> None:
    """Sync a base with a folder. If the plan needs confirmation, show it on the Notes page instead."""
    with errors():
        with busy("Reading the folder…"):
            plan = workspace.imports.plan_folder(Path(folder), base.name)
        if plan.needs_confirmation:
            session_state["plan"] = plan
            switch_page("notes.py")
        if jobs.start_import(plan):
            st.rerun()


def text_folders() -> None:
    """Show the bases created for text folders since startup, and the rejected folders with the reasons."""
    if made := workspace.watching.made:
        st.info(
            t("Bases created for folders with text files: {names}", names=join_list(map(plain, made))),
            icon=":material/folder:",
        )
    for name, why in workspace.watching.refused.items():
        warn(with_label(name, why), "folder_off")


_RESTORED = "restored_base"
_FOREIGN = "restored_foreign"


def draw_restored(restored: Restored, *, trashed: bool = False) -> None:
    """Open a restored base on the next rerun. Its page then also shows the permissions that it had before.

    `trashed` is True for a base from the trash. If this version of Tessera didn't put it there, a warning is shown too.
    """
    session_state[_RESTORED] = restored
    session_state[_FOREIGN] = trashed and not restored.own
    go(restored.base.name)


def section(base: KnowledgeBase) -> None:
    """Show the permissions that a base had before it was restored and doesn't have now, and how to grant them."""
    restored: Restored | None = session_state.get(_RESTORED)
    if restored is None or restored.base.id != base.id:
        return
    if session_state.get(_FOREIGN):
        warn(FOREIGN, "shield")
    lines = [
        f"- **{plain(SWITCHES[name])}** — {plain(HELPS[name])}"
        for name in restored.powers.switches
        if not getattr(base, name)
    ]
    if restored.powers.folders:
        lines.append(
            "- "
            + t(
                "The notes in this base were files in {folders}. They are now stored in Tessera, but you can "
                "connect a folder below.",
                folders=join_list(map(plain, restored.powers.folders)),
            )
        )
    if restored.powers.reranker:
        name = plain(restored.powers.reranker)
        lines.append("- " + t("This base was reranked with {name}. Choose a model on the Search tab.", name=name))
    if not lines:
        return
    head = t(
        "An imported base brings its notes but no permissions. These settings were on in the original base. "
        "Here they stay off until you turn them on:"
    )
    st.info("\n".join([head, "", *lines]), icon=":material/shield:")


def connection(base: KnowledgeBase) -> None:
    """Draw the form for connecting a folder to a base. The user reviews the changes before they are applied."""
    with expander("Connect a folder", "create_new_folder", f"connect_{base.id}"):
        small_print(
            "Notes with the same path as a file are linked to that file and keep their history. Other files are "
            "imported. Differences are shown first, and nothing is written to the folder."
        )
        with form(f"connect_form_{base.id}"):
            path = text_input("Path to the folder", f"connect_path_{base.id}", placeholder="~/Documents/notes").strip()
            if not submit(
                "Review the changes", f"connect_yes_{base.id}", "difference", disabled=jobs.hindrance("import")
            ):
                return
        if not path:
            st.error(t("Enter a folder path first."))
            return
        with errors():
            with busy("Reading the folder…"):
                session_state["plan"] = workspace.imports.plan_connection(Path(path), base.name)
            workspace.jobs.forget("import")
            switch_page("notes.py")
