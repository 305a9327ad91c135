"""The list of bases, the forms for creating and importing a base, and the trash for deleted bases."""

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeGuard, TypeVar, cast

import streamlit as st
from streamlit import container, rerun
from streamlit import html as draw_html

from core.base.errors import ArchiveError
from core.model import (
    ABOUT_KINDS,
    BASE_KINDS,
    BaseFields,
    BaseStatus,
    KnowledgeBase,
    Restored,
    SearchSettings,
    TrashedBase,
    embedder_name,
)
from pages.ui.bases import folders, model
from pages.ui.notes import trash
from pages.ui.notes.places import disk_folders
from pages.ui.shared import knobs, names, welcome, widgets
from pages.ui.shared.jobs import hindrance
from pages.ui.shared.knobs import value_label
from pages.ui.shared.names import base_names, local
from pages.ui.shared.safe import facts, html, plain
from pages.ui.shared.server import workspace
from pages.ui.shared.text import busy, join_list, label_of, section_title, small_print, t, t_plural, text_of, with_label
from pages.ui.shared.widgets import (
    Dialog,
    base_link,
    button,
    download,
    errors,
    expander,
    form,
    group_title,
    in_columns,
    paragraph,
    popup,
    row,
    select_in,
    select_or_type,
    small,
    submit,
    tabs,
    text_input,
)

# The form for a new base, which offers all of the base's settings before the base is created.

# Width of the form in pixels.
_WIDTH = 640


def draw_new_base() -> None:
    """Draw the form for a new base, with rarely used options collapsed."""
    folders.back()
    section_title("New base")
    with container(key="new_base_form", width=_WIDTH):
        title = text_input("Name", "new_name", max_chars=80)
        kinds = [*BASE_KINDS]
        kind = st.radio(
            t("Kind"),
            kinds,
            format_func=lambda kind: text_of(BASE_KINDS[kind]),
            captions=[text_of(ABOUT_KINDS[kind]) for kind in kinds],
            key="new_kind",
        )
        usual = workspace.bases.usual(kind)
        literal = kind == "literal"
        act = container()
        more = expander("More options", "tune")
    with more:
        description = text_input("Description", "new_description", placeholder=t("What is this base for?"))
        embedder = usual.embedder if literal else _model(usual.embedder)
        chosen = {}
        for column, name in zip(st.columns(2), knobs.OF_BASES[: 1 if literal else 2], strict=False):
            value = select_in(column, knobs.setting_label(name), knobs.value_labels(name), f"new_{name}")
            chosen[name] = None if value == knobs.AS_SET else value
        search = SearchSettings.from_values(chosen)
        switched = knobs.draw_new_base_switches(indexes=not literal, plain=kind == "lines")
        group_title("How notes are split")
        chunking = knobs.choose(
            "new" if kind == "vector" else f"new_{kind}",
            usual.chunking,
            usual.chunking,
            reset=t("Reset to the defaults"),
        )
        model.preview(chunking, embedder)
    with act, errors():
        if button("Create base", "make_base", "check", type="primary", writes=True):
            fields = cast(BaseFields, {"description": description.strip(), "search": search, **switched})
            base = workspace.bases.add(
                title.strip(), kind=kind, embedder="" if literal else embedder, chunking=chunking, **fields
            )
            if st.session_state.get("plan"):
                st.switch_page("notes.py")  # an import is waiting for this base
            folders.go(base.name)
            rerun()


def _model(usual: str) -> str:
    names = {
        card.name: value_label("embedder", card.name)
        for card in workspace.models.all()
        if card.part == "embedder" and not card.problem
    }
    names.setdefault(usual, value_label("embedder", usual))
    about = t(
        "The model decides which passages are similar in meaning. If you change the model later, all notes are "
        "indexed again."
    )
    return select_or_type("Model for searching by meaning", names, usual, "new_embedder", about) or usual


# The trash for deleted bases, which can be restored or permanently deleted.

_DIALOG = Dialog("emptying_bases")
_TITLES = 5


def draw_trash() -> None:
    """Show the deleted bases, newest first, with buttons that restore or permanently delete each base.

    If there are none, show nothing.
    """
    trashed = workspace.archives.trash()
    if not trashed:
        return
    with expander(
        t_plural("{n} deleted base in the trash", "{n} deleted bases in the trash", n=len(trashed)),
        "delete",
        "bases_trash",
    ):
        st.caption(
            t_plural(
                "Deleted bases stay here for {n} day.",
                "Deleted bases stay here for {n} days.",
                n=workspace.archives.trash_stays.days,
            )
        )
        small_print("The base is restored with its notes, their history and your edited passages.")
        names = base_names()
        for trashed_base in trashed:
            with row(f"trashed_{trashed_base.key}"):
                st.markdown(
                    f"**{plain(trashed_base.name)}**  \n:small[:gray[{plain(_describe(trashed_base))}]]",
                    width="stretch",
                )
                if not trashed_base.problem:
                    free = trashed_base.name
                    number = 1
                    while free in names:
                        number += 1
                        free = f"{trashed_base.name} {number}"
                    label = t("Restore") if free == trashed_base.name else t("Restore as '{name}'", name=plain(free))
                    if small(
                        label, f"restore_base_{trashed_base.key}", "restore_from_trash", disabled=hindrance("import")
                    ):
                        with errors():
                            with busy("Restoring…"):
                                restored = workspace.archives.restore_deleted(trashed_base.key, free)
                            folders.draw_restored(restored, trashed=True)
                            rerun()
                _deleting(t("Delete for good"), f"forget_base_{trashed_base.key}", [trashed_base])
        if len(trashed) > 1:
            _deleting(t("Empty the trash"), "bases_trash_empty", trashed)
    _draw_emptying()


def _describe(trashed_base: TrashedBase) -> str:
    if trashed_base.problem:
        return t("This base can't be restored: {problem}", problem=trashed_base.problem)
    at = local(trashed_base.at)
    if trashed_base.titles:
        return t(
            "notes removed from the trash {at}, kept here for one more week: {titles}",
            at=at,
            titles=join_list(trashed_base.titles[:_TITLES]) + ("…" if len(trashed_base.titles) > _TITLES else ""),
        )
    return t("deleted {at}, kept here for one more week", at=at) if trashed_base.expired else t("deleted {at}", at=at)


def _deleting(label: str, key: str, trashed: list[TrashedBase]) -> None:
    small(label, key, "delete_forever", _DIALOG.open, trashed, disabled=hindrance("import"))


def _draw_emptying() -> None:
    trashed: list[TrashedBase] = _DIALOG.subject or []
    if not trashed:
        return

    def delete() -> None:
        for trashed_base in trashed:
            workspace.archives.delete_for_good(trashed_base.key)

    text = t("The notes, their history and your edits can't be restored afterwards. Files on disk are kept.")
    _DIALOG.confirm(
        t_plural("Delete {n} base for good", "Delete {n} bases for good", n=len(trashed)),
        f"{join_list(plain(trashed_base.name) for trashed_base in trashed)}\n\n{text}",
        "forget_bases",
        delete,
    )


# Importing an exported base, or a folder of notes that are then stored in Tessera.

TYPES = ["zip", "json", "yaml", "yml"]

Value = TypeVar("Value")


def section() -> None:
    """Draw the forms for importing a base, unless an import is running. All errors in an invalid file are listed."""
    if hindrance("import"):
        return
    with expander("Import a base", "upload", "import_a_base"):
        small_print(
            "The import becomes a new base, and its notes are stored in Tessera. To keep a base "
            "in sync with the files in a folder, import the folder on the Notes page."
        )
        tabs(
            {
                t("A file"): _file,
                t("A folder of Markdown files"): _folder,
                t("Folder on this machine"): _import_here,
            }
        )


def _file() -> None:
    with form("import_file"):
        upload = st.file_uploader(
            t("A zip, JSON or YAML file exported by Tessera, or a zip of Markdown notes"),
            type=TYPES,
            key="import_base_file",
        )
        name = _name("import_file_name", "Leave empty to keep the base's name")
        if _submitted("import_file") and _require(upload, "Choose a file first."):
            _restore(lambda: workspace.archives.restore_data(upload.getvalue(), upload.name, name))


def _folder() -> None:
    with form("import_folder"):
        uploads = st.file_uploader(
            t("A folder of Markdown notes, such as one exported by Tessera"),
            ["md", "markdown", "txt", "text"],
            "directory",
            key="import_base_folder",
        )
        name = _name("import_folder_name", "Name of the new base")
        if (
            _submitted("import_folder")
            and _require(uploads, "Choose a folder first.")
            and _require(name, "Enter a name first.")
        ):
            files = [(upload.name.lstrip("/"), upload.getvalue()) for upload in uploads]
            # If all files are in one top-level folder, that folder isn't part of the base.
            if len({path.partition("/")[0] for path, _ in files}) == 1 and all("/" in path for path, _ in files):
                files = [(path.partition("/")[2], data) for path, data in files]
            _restore(lambda: workspace.archives.restore_files(files, name))


def _import_here() -> None:
    with form("import_here"):
        path = text_input("Path of a folder or file", "import_place", placeholder="~/Documents/notes").strip()
        name = _name("import_here_name", "Leave empty to keep the base's name")
        if _submitted("import_here") and _require(path, "Enter a path first."):
            _restore(lambda: workspace.archives.restore(Path(path), name))


def _name(key: str, placeholder: str) -> str:
    return text_input("Name", key, max_chars=80, placeholder=label_of(placeholder)).strip()


def _submitted(form: str) -> bool:
    return submit("Import", f"{form}_yes", "upload", type="primary")


def _require(value: Value | None, missing: str) -> TypeGuard[Value]:
    if not value:
        st.error(label_of(missing))
    return bool(value)


def _restore(restore: Callable[[], Restored]) -> None:
    with errors():
        try:
            with busy("Importing…"):
                restored = restore()
        except ArchiveError as error:
            st.error(
                plain(
                    t_plural(
                        "{path} has {n} mistake, so nothing was imported. Correct it, then import the file again.",
                        "{path} has {n} mistakes, so nothing was imported. Correct them, then import the file again.",
                        n=len(error.mistakes),
                        path=error.path,
                    )
                ),
                icon=":material/error:",
            )
            rows = "".join(
                f"<div>{with_label(f'<b>{html(where)}</b>', html(why))}</div>" for where, why in error.mistakes
            )
            draw_html(f'<div class="t-list">{rows}</div>')
            return
        folders.draw_restored(restored)
        rerun()


COLUMNS = 2
FOLDERS = 3


def page() -> None:
    """Draw a card for each base, the button for a new base, the import forms and the trash."""
    status = workspace.status()
    paragraph(
        t(
            "A base is a collection of notes with its own model, splitting and search settings. Each "
            "note belongs to one base."
        ),
        "t-lead",
        "p",
    )
    button("New base", "new_base", "add", folders.go, folders.NEW, writes=True)
    folders.text_folders()
    if not status.bases:
        welcome.no_notes("There are no bases yet. Create one, or import notes, which also creates one.")
    for column, base in in_columns(status.bases, COLUMNS):
        with column.container(border=True, height="stretch", key=f"card_{base.base.id}"):
            _card(base)
    section()
    draw_trash()


def _card(status: BaseStatus) -> None:
    base = status.base
    about = f'<div class="t-small">{html(base.description)}</div>' if base.description else ""
    draw_html(f'<div class="t-name">{html(base.name)}</div>{about}{facts(figures(status))}{folders.state(status)}')
    folders.problems(base)
    paths = disk_folders(base)
    for number, path in enumerate(paths[:FOLDERS]):
        with row(f"folder_{base.id}_{number}"):
            paragraph(path, "t-small t-dim t-where")
            if small("Update now", f"sync_{base.id}_{number}", "sync", disabled=hindrance("import")):
                folders.sync(base, path)
    widgets.more(len(paths) - FOLDERS)
    shut = hindrance("import")
    with row(f"card_actions_{base.id}"):
        small("Add notes", f"add_{base.id}", "note_add", partial(folders.go, base.name, adding=True), disabled=shut)
        small("Settings", f"open_{base.id}", "tune", folders.go, base.name)
        base_link(base.name)
        with row(width="content"):  # the trash button shares the row
            export(base)
            small(
                "",
                f"delete_{base.id}",
                "delete",
                trash.ask,
                (),
                base.name,
                disabled=shut,
                help="Move this base to the trash",
            )


def figures(status: BaseStatus) -> list[str]:
    """Return facts about a base, such as its model and its number of notes and passages. Some of them may be ""."""
    return [
        *names.note_counts(workspace.notes.counts(status.base.name)),
        t_plural("{n} passage", "{n} passages", n=status.chunks),
        t("Text files, line by line") if status.base.plain else "",
        t("Model: {name}", name=embedder_name(status.base.embedder))
        if status.base.has_vectors
        else text_of(BASE_KINDS[status.base.kind]),
        t_plural("{n} passage rejected by the model", "{n} passages rejected by the model", n=status.refused)
        if status.refused
        else "",
    ]


def export(base: KnowledgeBase) -> None:
    """Draw a popup with a download button for each of a base's export formats."""
    forms = {
        "zip": (t("Everything, including the history (zip)"), "application/zip", ".zip", "folder_zip"),
        "markdown": (t("Markdown files (zip)"), "application/zip", " Markdown.zip", "description"),
        "json": (t("Notes and fields (JSON)"), "application/json", ".json", "data_object"),
        "yaml": (t("Notes and fields (YAML)"), "application/yaml", ".yaml", "data_object"),
    }
    name = re.sub(r'[\\/:*?"<>|\x00-\x1f]', "-", base.name)
    with popup("Export", "download", f"export_{base.id}", type="tertiary"):
        for form, (label, mime, end, icon) in forms.items():
            download(
                label,
                partial(workspace.archives.exported, base.name, form),
                f"{name}{end}",
                mime,
                f"export_{base.id}_{form}",
                icon,
                type="tertiary",
            )
        small_print(
            "The first format contains everything in the base. The others contain only the notes as they are now."
        )
