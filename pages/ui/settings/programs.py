"""Other programs on the settings page: the switch that lets them in, the address, the token."""

import streamlit as st

from core.base.errors import TesseraError
from core.base.messages import reason_of
from core.workspace import Workspace
from pages.ui.settings import program
from pages.ui.shared import shell, widgets
from pages.ui.shared.text import t

_API = "/api/v1"


def draw_programs(workspace: Workspace) -> None:
    """Draw the switch, and while it is on, what programs need."""
    about = t(
        "A script, a bot or an editor on this machine can search your notes, and write new ones, which wait until "
        "you accept them on the page Review."
    )
    st.caption(about)
    enabled = workspace.settings_file.get("http.enabled")
    now = program.choice(workspace, enabled.key, "programs", workspace.open_to_programs, workspace.set_program_access)
    st.toggle(t("Allow apps on this computer"), **now)
    program.remark(enabled)
    run = workspace.access.run
    if workspace.open_to_programs and run:
        _needed(workspace, f"{run.address}{_API}")


def _needed(workspace: Workspace, address: str) -> None:
    """Draw the address, the token, and a request to try."""
    st.markdown(f"**{t('Address')}**")
    st.code(address, language=None)
    with shell.errors():
        shell.on_demand(t("Show the token"), "token", "key", lambda: _token(workspace))
    st.markdown(f"**{t('To try it in a terminal')}**")
    request = f'curl -H "Authorization: Bearer TOKEN" {address}/status'
    st.code(request, language="bash", wrap_lines=True)
    st.caption(t("Every request is in docs/http.md, with an example."))


def _token(workspace: Workspace) -> None:
    """Draw the token, to be copied, and the button that makes another one."""
    try:
        token = workspace.access.token
    except OSError as error:
        raise TesseraError(reason_of(error)) from error
    st.code(token, language=None, wrap_lines=True)
    st.caption(t("Whoever has it can read all your notes: give it to programs that you trust, and to nobody else."))

    def renew() -> None:
        workspace.access.renew()
        st.toast(t("There is a new token. Programs with the old one are shut out."))

    about = t("Programs with the old token are shut out until you give them the new one.")
    label = t("Make another token")
    widgets.button(label, "renew", "autorenew", on_click=shell.guarded(renew), help=about, disabled=workspace.readonly)
