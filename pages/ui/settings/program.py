"""Settings of `tessera.toml` on the settings page: each with what sets it, and the file as it is."""

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from core.base.messages import message
from core.model import ProgramSetting
from core.workspace import Workspace
from pages.ui.shared import language, look, shell, widgets
from pages.ui.shared.safe import html, plain
from pages.ui.shared.text import t, text_of

# The language, the look, folders and old versions on the settings page.


def draw_general(workspace: Workspace) -> None:
    """Draw the choices of this workspace, then what is in `tessera.toml`."""
    draw_with_file(workspace, "general", partial(_draw_language_and_look, workspace))


def _draw_language_and_look(workspace: Workspace) -> None:
    language.choose_language(workspace, "settings_language", label_visibility="visible")
    look.choose_look(workspace, "settings_look", label_visibility="visible")
    st.html(f'<div class="t-caption">{html(t("Folders and old versions"))}</div>')
    numbers(workspace)


FILE = "tessera.toml"

NUMBERS = {
    "scan_interval": (
        message("Seconds between two checks of watched folders"),
        message("Most changes are seen at once; this check finds those that the system didn't report."),
    ),
    "trash_days": (message("Days in the trash"), message("A deleted note can be restored for this long.")),
    "keep_versions": (
        message("Earlier versions kept of each note"),
        message("The oldest are deleted when a note has more."),
    ),
}
"""The label and the help of each number outside of the sections."""


def numbers(workspace: Workspace) -> None:
    """Draw the numbers."""
    for name, (label, about) in NUMBERS.items():
        field(workspace, name, partial(_number, workspace, name, text_of(label), text_of(about)))


def _number(workspace: Workspace, name: str, label: str, about: str, **more: Any) -> None:
    program_setting = workspace.settings_file.get(name)
    st.number_input(label, int(program_setting.least or 0), int(program_setting.most or 0), help=about, **more)


def field(
    workspace: Workspace,
    key: str,
    draw: Callable[..., object],
    shown: Callable[[Any], Any] = int,
    then: Callable[[], object] = lambda: None,
) -> None:
    """Draw a setting by its widget, which takes the value as `shown`, with what sets it and the way to its default.

    `then` is called after a change.
    """
    program_setting, widget = workspace.settings_file.get(key), f"setting_{key}"

    def write(value: object) -> None:
        workspace.settings_file.write(key, value)
        then()

    with st.container(horizontal=True, vertical_alignment="bottom", gap="xsmall", key=f"{widget}_row"):
        with st.container():
            draw(
                **widgets.bound(widget, shown(program_setting.value), shell.guarded(write)),
                disabled=_is_fixed(workspace, program_setting),
            )
        if program_setting.source == "file":
            about = t("Take this line out of {file}", file=FILE)
            shut, undo = workspace.readonly, shell.guarded(partial(write, None))
            widgets.small("", f"{widget}_undo", "undo", help=about, on_click=undo, disabled=shut)
    remark(program_setting)


def choice(
    workspace: Workspace, key: str, widget: str, value: object, store: Callable[[Any], object]
) -> dict[str, Any]:
    """Return the arguments of a widget for a choice that the workspace stores, unless `tessera.toml` makes it."""
    program_setting = workspace.settings_file.get(key)
    chosen = partial(workspace.settings_file.write, key) if program_setting.source == "file" else store
    return {**widgets.bound(widget, value, shell.guarded(chosen)), "disabled": _is_fixed(workspace, program_setting)}


def remark(program_setting: ProgramSetting) -> None:
    """Say what else fixes a setting, or that it waits for the next start."""
    if program_setting.source == "environment":
        st.caption(plain(t("Fixed by the environment variable {name}.", name=program_setting.place)))
    elif program_setting.waits:
        st.caption(t("Takes effect when Tessera starts again."))


def _is_fixed(workspace: Workspace, program_setting: ProgramSetting) -> bool:
    return workspace.readonly or program_setting.source == "environment"


def draw_with_file(workspace: Workspace, key: str, fields: Callable[[], object]) -> None:
    """Draw fields, and next to them the file that they are written into, folded."""
    left, right = st.columns([5, 6], gap="large")
    with left:
        fields()
    with right:
        shell.on_demand(FILE, f"file_{key}", "description", partial(_file, workspace))


def _file(workspace: Workspace) -> None:
    path, text = workspace.settings_file.path, workspace.settings_file.text()
    about = t("What you choose above is written here at once. Comments and order stay as they are.")
    st.caption(plain(f"{path} · {about}"))
    if text.strip():
        st.code(text, language="toml", line_numbers=True)
    else:
        st.caption(t("There is no such file yet: everything is at its default."))
