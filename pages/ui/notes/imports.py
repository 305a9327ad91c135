"""Choose the source of an import, preview the changes, and confirm them."""

import os
from pathlib import Path

import streamlit as st
from streamlit import container, query_params, rerun, session_state

from core import desktop as window
from core.base.messages import verbatim
from core.model import NOTE_SUFFIXES, KnowledgeBase, SyncPlan
from pages.ui.notes import composer, listing, places
from pages.ui.shared import jobs, reports
from pages.ui.shared.names import base_names
from pages.ui.shared.safe import plain
from pages.ui.shared.server import workspace
from pages.ui.shared.text import busy, small_print, t, t_plural
from pages.ui.shared.widgets import (
    button,
    caption,
    errors,
    expander,
    form,
    frame,
    page_link,
    popup,
    row,
    small,
    submit,
    tabs,
    text_input,
    warn,
)

# The question asked on the first import of a folder into a base: whether edits may change the user's files.


def question(plan: SyncPlan) -> bool | None:
    """Ask whether edits may be saved to the user's files, and return the answer.

    Return None if the question doesn't apply, or if it was already answered for the base.
    """
    folder = Path(plan.source_ref)
    base = workspace.bases.find(plan.base)
    decided = base is not None and (base.plain or base.write_files or workspace.folders.all(base))
    # The first import of a writable folder with notes into a base.
    if decided or not (
        folder.is_absolute()
        and any(file.path.lower().endswith(NOTE_SUFFIXES) for file in plan.added)
        and os.access(folder, os.W_OK)
    ):
        return None
    texts = {False: t("Nowhere (your files are read-only)"), True: t("The note's own file")}
    return st.radio(
        t("Save edits to"),
        list(texts),
        format_func=texts.__getitem__,
        captions=[
            t("You can copy a note and edit the copy."),
            t("A file changes only when you edit its note here, and changes by other programs are never overwritten."),
        ],
        key="plan_writes",
    )


# Choosing a folder on this machine, in the system's dialog if there is one, or from a list of folders.

_LISTED = "folders_listed"
# Number of folders chosen so far. It is part of the popup's key, so that the popup is closed after each choice.
_CHOICES = "folders_chosen"
# Session keys for the box with the folder's path, and for the folder just chosen.
_PATH = "import_path"
_CHOSEN = "import_path_chosen"


def _choose() -> None:
    """Draw the button for choosing a folder. The next run puts the folder's path into the path box."""
    if window.command():
        if button("Choose a folder…", "import_path_choose", "folder_open"):
            with busy("Choose the folder in the dialog that opened."):
                folder = window.choose()
            if folder:
                session_state[_CHOSEN] = str(folder)
                rerun()
        return
    with popup("Choose a folder…", "folder_open", f"import_path_browse_{session_state.get(_CHOICES, 0)}"):
        _browse()


@st.fragment
def _browse() -> None:
    """Draw a folder browser with the current folder, its subfolders, and a button that chooses the current folder."""
    now = Path(session_state.get(_LISTED, "") or Path.home())

    caption(str(now))
    with row():
        if now != now.parent:
            small("Up", "import_path_up", "arrow_upward", session_state.update, {_LISTED: str(now.parent)})
        if button("Use this folder", "import_path_take", "check", type="primary"):
            session_state[_CHOSEN] = str(now)
            session_state[_CHOICES] = session_state.get(_CHOICES, 0) + 1
            rerun()
    with container(height=260, border=False):
        for number, folder in enumerate(window.inside(now)):
            key = f"import_path_in_{number}"
            small(verbatim(plain(folder.name)), key, "folder", session_state.update, {_LISTED: str(folder)})


def popover(*, vacant: bool) -> None:
    """Draw the button that opens the import form, unless the page already shows the form.

    `vacant` means that the chosen base has no notes.
    """
    if not (vacant or _opens_ways() or _is_locked()):
        with popup("Import", "sync"), container(key="import_body"):
            _ways()


def section() -> None:
    """Show the import plan awaiting confirmation, if any.

    Otherwise, show the import form if there are no notes yet or a link asks for the form.
    """
    plan: SyncPlan | None = session_state.get("plan")
    if plan is not None:
        _decide(plan)
    elif _opens_ways() and not _is_locked():
        with expander("Import and update", "sync", expanded=True):
            _ways()


def adding(base: str, *, opened: bool) -> None:
    """Draw the forms for adding notes to a base: importing a folder, files or a web page, and writing a note.

    If an import plan for the base awaits confirmation, show the plan instead.
    """
    plan: SyncPlan | None = session_state.get("plan")
    if plan is not None and plan.base == base:
        _decide(plan)
    elif not _is_locked() and "import" not in query_params:
        with expander("Add notes", "note_add", f"add_notes_{base}", expanded=opened):
            _ways(base)
            if button("Write a note", "write_into", "edit_square", composer.begin, base, writes=True):
                st.switch_page("notes.py")


def _opens_ways() -> bool:
    return not workspace.bases.all() or "import" in query_params


def _is_locked() -> bool:
    return jobs.is_shut() or session_state.get("plan") is not None


def _ways(base: str = "") -> None:
    """Draw the import form, with a tab for each kind of source. If `base` is "", the form asks for a base."""
    folder = t("Upload a folder")
    files = t("Upload files or a zip")
    tabs(
        {
            t("Folder on this machine"): lambda: _by_path(base),
            folder: lambda: _by_upload(folder, "directory", base),
            files: lambda: _by_upload(files, "files", base),
            **({t("A web page"): lambda: _by_address(base)} if workspace.documents.asks_web else {}),
        }
    )


def _by_path(base: str) -> None:
    _choose()
    if chosen := session_state.pop(_CHOSEN, ""):
        session_state[_PATH] = chosen
    with form("by_path"):
        path = text_input(
            "Folder path",
            _PATH,
            help=t(
                "Imports Markdown, text files and documents (Word, PDF, …) from this folder and its "
                "subfolders. The files stay where they are. Before the import, you choose whether "
                "edits may change them."
            ),
            placeholder="~/Documents/notes",
        )
        name = base or places.choose_base("import_base", session_state.get("notes_base", ""))
        submitted = submit("Preview changes", "look_path", type="primary")
    if submitted:
        if path.strip():
            _look(path.strip(), name)
        else:
            st.error(t("Enter a folder path first."))
    known = [
        (stored.name, folder)
        for stored in workspace.bases.all()
        if base in ("", stored.name)
        for folder in places.disk_folders(stored)
    ]
    for number, (into, folder) in enumerate(known):
        label = t("Update again: {base} · {folder}", base=plain(into), folder=plain(folder))
        if small(label, f"again_{number}", "sync"):
            _look(folder, into)


def _by_address(into: str) -> None:
    with form("by_address"):
        address = text_input("Address", "import_address", placeholder="https://example.org/page").strip()
        base = into or places.choose_base("import_address_base", session_state.get("notes_base", ""))
        submitted = submit("Preview changes", "look_address", type="primary")
    if submitted:
        with errors(), busy("Loading the page…"):
            _propose(workspace.imports.plan_page(workspace.documents.page(address), base))


def _look(path: str, base: str) -> None:
    with errors(), busy("Reading the folder…"):
        _propose(workspace.imports.plan_folder(Path(path), base))


def _by_upload(label: str, kind: str, base: str) -> None:
    count = session_state.setdefault("uploads", 0)
    with container(key=f"by_{kind}"):
        files = st.file_uploader(
            label,
            accept_multiple_files="directory" if kind == "directory" else True,
            key=f"upload_{kind}_{count}",
            on_change="ignore",
            label_visibility="collapsed",
        )
        small_print("For more than a few hundred files, importing a folder on this machine is much faster.")
        name = base or places.choose_base(f"upload_base_{kind}", session_state.get("notes_base", ""))
        if button("Preview changes", f"look_{kind}", type="primary"):
            if not files:
                st.error(t("Choose files first."))
                return
            with errors(), busy("Reading the folder…"):
                plan = workspace.imports.plan_upload(((file.name, file.getvalue()) for file in files), name)
                session_state["uploads"] = count + 1
                _propose(plan)


def _propose(plan: SyncPlan) -> None:
    session_state["plan"] = plan
    workspace.jobs.forget("import")
    rerun()


def _decide(plan: SyncPlan) -> None:
    """Show an import plan, with buttons that carry it out or cancel it.

    If the plan removes many notes or replaces differing text, the user has to confirm this too.
    """
    with frame("plan"):
        bases = base_names()
        several = len({*bases, plan.base}) > 1
        st.subheader(plain(t("What will change in '{base}'", base=plan.base) if several else t("What will change")))
        if plan.makes is not None and plan.base not in bases:
            if bases:  # the first base needs no name
                st.info(
                    plain(t("'{base}' will be created as a new knowledge base.", base=plan.base)),
                    icon=":material/add_circle:",
                )
            page_link("bases.py", "Settings of the new base", "tune", new="yes", name=plan.base)
        into = _draw_addition(plan)
        reports.show(plan)
        confirmed = not plan.joined or _joins(plan)
        if plan.removes_many():
            warn(
                t(
                    "{n} of {known} notes are no longer in the folder and would be removed. Is this the right folder?",
                    n=len(plan.removed),
                    known=plan.known,
                )
            )
            confirmed &= st.checkbox(
                t_plural("Yes, remove {n} note", "Yes, remove {n} notes", n=len(plan.removed)), key="plan_confirmed"
            )
        writes = question(plan)
        if into and into.write_files:
            # The base writes edits to the files in all its folders, and this folder is a new one.
            small_print("To keep this folder's files as they are, first make another base for it on the Bases page.")
            confirmed &= st.checkbox(t("Yes, edits may change the files in this folder too"), key="plan_writes_too")
        why = "" if confirmed else t("Tick the box above first.")
        if plan.is_empty:
            why = t("Everything is up to date, so there is nothing to do.")
        if why:
            st.caption(why)
        with row():
            if button("Apply", "plan_apply", "check", type="primary", writes=True, disabled=why):
                if jobs.start_import(plan, confirmed=confirmed, writes=writes):
                    del session_state["plan"]
                    query_params.pop("import", None)
                    listing.narrow(plan.base)
                    rerun()
                st.error(t("Another import is running. Wait for it to finish, or cancel it first."))
            label = t("Close") if plan.is_empty else t("Cancel")
            if button(label, "plan_discard"):
                workspace.imports.discard(plan)
                del session_state["plan"]
                rerun()


def _draw_addition(plan: SyncPlan) -> KnowledgeBase | None:
    """Return the base that the plan adds a folder to, or None. If the folder's notes join others there, say so."""
    base = workspace.bases.find(plan.base)
    if (
        base is None
        or not Path(plan.source_ref).is_absolute()
        or plan.importer
        or plan.source_ref in dict(workspace.folders.all(base))
    ):
        return None
    notes = workspace.notes.counts(base.name).notes
    if notes and plan.added and not plan.joined:
        st.info(
            plain(
                t_plural(
                    "The notes in {folder} will be added to your {n} note.",
                    "The notes in {folder} will be added to your {n} notes.",
                    n=notes,
                    folder=plan.source_ref,
                )
            ),
            icon=":material/create_new_folder:",
        )
    return base


def _joins(plan: SyncPlan) -> bool:
    """Show how many notes will be linked to files at the same paths.

    If a note's text differs from its file, ask whether to replace the text. Return False if the user hasn't agreed.
    """
    st.info(
        plain(
            t_plural(
                "{n} note has the same path as a file in {folder}, and will be linked to it.",
                "{n} notes have the same paths as files in {folder}, and will be linked to them.",
                n=len(plan.joined),
                folder=plan.source_ref,
            )
        ),
        icon=":material/link:",
    )
    if not plan.differing:
        return True
    count = len(plan.differing)
    warn(
        t_plural(
            (
                "{n} note differs from its file. Its text will be replaced with the file's text, and kept in the "
                "history."
            ),
            (
                "{n} notes differ from their files. Their text will be replaced with the files' text, and kept in the "
                "history."
            ),
            n=count,
        ),
        "difference",
    )
    return st.checkbox(
        t_plural("Yes, use the file's text for {n} note", "Yes, use the files' text for {n} notes", n=count),
        key="plan_differing",
    )
