"""The model for pictures on the settings page, and how many pictures can be found by it."""

from typing import Any

import streamlit as st

from core.base.errors import TesseraError
from core.model import ImageStatus
from core.workspace import Workspace
from pages.ui.settings import program
from pages.ui.shared import jobs
from pages.ui.shared.safe import facts, folded, html, plain
from pages.ui.shared.text import t, t_plural, text_of


def draw_picture_model(workspace: Workspace) -> None:
    """Draw the choice of the model, and what it knows."""
    st.subheader(t("Model for pictures"))
    program.field(workspace, "pictures.model", _name, str, workspace.images.start)
    st.caption(
        t(
            "A CLIP model by its name on huggingface.co, such as clip-ViT-B-32 (600 MB, downloaded once), or its folder. "
            "Pictures of your notes are then found by what they show; they stay on this machine. Without one, pictures "
            "are found by their names and the text in them."
        )
    )
    if not workspace.settings.pictures.model:
        return
    try:
        status = workspace.images.status()
    except TesseraError as error:
        st.warning(plain(text_of(error.message)), icon=":material/warning:")
    else:
        _draw_counts(status)
        job = workspace.jobs.find("images")
        if job and job.state != "done":
            jobs.panel(workspace, ("images",))


def _name(**more: Any) -> None:
    st.text_input(t("Name or folder"), placeholder="clip-ViT-B-32", **more)


def _draw_counts(status: ImageStatus) -> None:
    texts = [
        t_plural(
            "{n} picture can be found by what it shows", "{n} pictures can be found by what they show", n=status.known
        )
    ]
    if status.waiting:
        texts.append(t_plural("{n} waits", "{n} wait", n=status.waiting))
    st.html(facts(texts))
    if status.failed:
        lines = "".join(
            f'<div class="t-small">{html(f"{failed.path}: {text_of(failed.error)}")}</div>' for failed in status.failed
        )
        title = t_plural("{n} can't be read", "{n} can't be read", n=len(status.failed))
        st.html(folded(title, lines, css="t-more"))
