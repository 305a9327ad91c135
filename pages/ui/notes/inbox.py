"""The box above a note that waits for the user, or for which a program proposes a change."""

import streamlit as st

from core.model import AUTHORS, MATTERS, SUBMISSIONS
from core.workspace import Workspace
from pages.ui.notes import composer, history
from pages.ui.review import deciding
from pages.ui.shared import jobs, shell, widgets
from pages.ui.shared.text import t, text_of
from pages.ui.shared.units import local


def box(workspace: Workspace, note_id: str) -> None:
    """Draw the waiting change of a note, its differences and its actions; draw nothing without one."""
    submission = next((proposal for proposal in workspace.proposals.all() if proposal.note.id == note_id), None)
    if submission is None:
        return
    kind = MATTERS[submission.kind]
    with st.container(border=True, key="waiting_box"):
        st.markdown(f":material/{kind.icon}: {text_of(kind.about)}")
        st.caption(
            f"{t('{done} {by}', done=SUBMISSIONS[submission.kind], by=AUTHORS[submission.author])} · {local(submission.at)}"
        )
        if submission.change:
            history.draw(workspace.proposals.difference(submission))
        shut = jobs.shut(workspace)
        with st.container(horizontal=True):
            click = {"args": (workspace, [submission]), "disabled": shut}
            accept, reject = shell.guarded(deciding.accept), shell.guarded(deciding.reject)
            widgets.button(t("Accept"), "accept_box", "check", type="primary", on_click=accept, **click)
            edit = shell.guarded(composer.edit_proposed)
            label = t("Edit, then accept")
            widgets.button(label, "waiting_edit", "edit", on_click=edit, args=(workspace, submission), disabled=shut)
            widgets.button(t("Reject"), "reject_box", "close", on_click=reject, **click)
            st.page_link("review.py", label=t("Everything that waits"), icon=":material/rule:")
