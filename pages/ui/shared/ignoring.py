"""Files that could not be read, and the user's patterns for ignoring them."""

from collections.abc import Sequence
from functools import partial
from glob import escape
from pathlib import PurePosixPath

import streamlit as st

from core.model import Failed, KnowledgeBase
from pages.ui.shared import names, reports, widgets
from pages.ui.shared.safe import html, plain
from pages.ui.shared.server import workspace
from pages.ui.shared.text import small_print, t, t_plural

_SHOWN = 10
"""Maximum number of files with their own buttons; the rest is only listed."""


def unread(base: KnowledgeBase) -> None:
    """Draw the unreadable files of a base, folded; draws nothing without any."""
    files = workspace.folders.unread(base)
    if not files:
        return
    title = t_plural("{n} file could not be read", "{n} files could not be read", n=len(files))
    place = names.base_name(base.name)
    with st.expander(" · ".join(filter(None, [title, plain(place)])), icon=":material/draft:", key=f"unread_{base.id}"):
        rows(base.name, files, base.id)


def rows(base: str, files: Sequence[Failed], key: str) -> None:
    """Draw unreadable files with the reasons, and buttons that ignore a file or all files of its kind."""
    for number, failed in enumerate(files[:_SHOWN]):
        ignore = partial(workspace.folders.ignore, base)
        with widgets.row(f"unread_{key}_{number}"):
            row = f"{html(failed.path)} <i>{html(failed.error)}</i>"
            st.html(f'<div class="t-list">{row}</div>')
            act = {"on_click": ignore, "args": (escape(failed.path),), "disabled": workspace.readonly}
            widgets.small(t("Ignore this file"), f"ignore_{key}_{number}", "visibility_off", **act)
            if kind := PurePosixPath(failed.path).suffix.lower():
                about = plain(t("All {kind} files in this base that can't be read, now or later", kind=kind))
                act = {"on_click": ignore, "args": (f"*{escape(kind)}",), "disabled": workspace.readonly}
                widgets.small(t("Ignore such files"), f"ignore_all_{key}_{number}", "hide_source", help=about, **act)
    if others := files[_SHOWN:]:
        reports.listing(reports.failed(others))


def patterns(base: KnowledgeBase) -> None:
    """Draw the ignored files and kinds of files of a base, with buttons that undo it; draws nothing without any."""
    ignored = workspace.folders.ignored(base)
    if not ignored:
        return
    label = t_plural("{n} ignored file or kind of file", "{n} ignored files or kinds of files", n=len(ignored))
    with st.expander(label, icon=":material/visibility_off:", key=f"ignored_{base.id}"):
        small_print("These files are not reported while they can't be read. As soon as they can be, they are read.")
        for number, pattern in enumerate(ignored):
            with widgets.row():
                st.html(f'<div class="t-list">{html(pattern)}</div>', width="content")
                widgets.close(
                    f"report_{base.id}_{number}",
                    t("Stop ignoring"),
                    disabled=workspace.readonly,
                    on_click=workspace.folders.report_again,
                    args=(base.name, pattern),
                )
