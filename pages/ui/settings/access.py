"""Access for other programs and assistants, with the toggle, the URL, the token, and configuration snippets."""

import streamlit as st

from core.base.app_paths import PROGRAM
from core.base.errors import TesseraError
from core.base.messages import message_table, reason_of
from pages.ui.settings import general
from pages.ui.shared.server import workspace
from pages.ui.shared.text import small_print, t, text_of
from pages.ui.shared.widgets import button, caption, code, errors, on_demand, paragraph, segments

# Assistants, with the configuration that connects each of them to Tessera.

WAYS = message_table(
    {
        "stdio": "The assistant starts Tessera itself",
        "http": "The assistant uses this app while it is open",
    }
)


def draw_assistants() -> None:
    """Explain what assistants are, and show the configuration to copy for the one selected."""
    paragraph(
        t(
            "An assistant such as Claude can search and read your notes and write new ones, which wait on the "
            "Review page until you accept them. Whatever the assistant reads goes to whoever runs its model."
        ),
        "t-about t-dim",
    )
    run = workspace.access.run
    snippets = workspace.snippets(run.address if run else f"http://127.0.0.1:{st.get_option('server.port')}")
    programs = {snippet.program: snippet.program for snippet in snippets}
    program = segments("Assistant", programs, "assistant", default=next(iter(programs)))
    mine = {snippet.way: snippet for snippet in snippets if snippet.program == program}
    ways = {way: text_of(WAYS[way]) for way in mine}
    way = next(iter(ways))
    if len(ways) > 1:
        way = st.radio(
            t("How the assistant connects to your notes"),
            list(ways),
            format_func=ways.__getitem__,
            key=f"way_{program}",
        )
    chosen = mine[way]
    if chosen.file:
        caption(t("Add this to {file}:", file=chosen.file))
    else:
        small_print("Run this in a terminal:")
    code(chosen.text, "json" if chosen.file else "bash")
    if chosen.way == "http":
        small_print(
            "This contains your token, with which any program can read all your notes. Keep the token to yourself."
        )
    small_print("Then restart the assistant, and ask it what it finds in your notes.")


def draw_programs() -> None:
    """Draw the toggle that lets other programs access the notes. While it is on, also draw the URL and the token."""
    small_print(
        "A script, a bot or an editor on this machine can search your notes and write new ones, "
        "which wait on the Review page until you accept them."
    )
    on = workspace.open_to_programs
    general.switch(
        "http.enabled",
        t("Allow apps on this computer"),
        "programs",
        on,
        workspace.set_program_access,
    )
    run = workspace.access.run
    if on and run:
        address = f"{run.address}/api/v1"
        st.markdown(f"**{t('Address')}**")
        st.code(address, language=None)
        with errors():
            on_demand("Show the token", "token", "key", _token)
        steps = (
            t(
                "In Chrome, Edge or Brave, open chrome://extensions, turn on Developer mode, click "
                "Load unpacked and choose this folder:"
            ),
            t("On the page that opens, enter the address and token shown here."),
            t(
                "On any web page, click the Tessera button in the browser's toolbar. The page, or the text you "
                "selected, then appears on the Review page."
            ),
        )
        st.markdown(f"**{t('Save pages from your browser')}**")
        for number, step in enumerate(steps, 1):
            st.caption(f"{number}. {step}")
            if number == 1:
                code(str(PROGRAM / "data" / "extension"))
        small_print(
            "In Firefox, open about:debugging, choose This Firefox, and load manifest.json from this "
            "folder as a temporary add-on."
        )
        st.markdown(f"**{t('To try it in a terminal')}**")
        code(f'curl -H "Authorization: Bearer TOKEN" {address}/status', "bash")
        small_print("docs/http.md describes every request, with an example.")


def _token() -> None:
    """Show the access token, and the button that replaces it with a new token."""
    try:
        token = workspace.access.token
    except OSError as error:
        raise TesseraError(reason_of(error)) from error
    code(token)
    small_print("Anyone who has the token can read all your notes, so give it only to programs that you trust.")

    def renew() -> None:
        workspace.access.renew()
        st.toast(t("A new token was created. Programs with the old token no longer have access."))

    button(
        "Create a new token",
        "renew",
        "autorenew",
        renew,
        help="Programs with the old token lose access until you give them the new one.",
        writes=True,
    )
