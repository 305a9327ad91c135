"""The models on the settings page: what each is, whether it works, how to have it."""

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from core.model import Progress
from core.workspace import Device, ModelCard, Status, Workspace
from pages.ui import sizes, work
from pages.ui.safe import html, plain
from pages.ui.sentences import said
from pages.ui.text import TEXT, t

COLUMNS = 2
LANGUAGES = ("zh", "en", "multilingual")
"""Languages of a model that have a name of their own here; the others are shown by their codes."""
SHOWN = 6


def section(workspace: Workspace, status: Status, models: Sequence[ModelCard]) -> None:
    """Draw where models run, and a card for each."""
    _device(workspace, models)
    used: dict[str, list[str]] = {}
    for base in status.bases:
        used.setdefault(base.base.embedder, []).append(base.base.name)
    for part in ("embedder", "reranker"):
        st.subheader(t(f"models.{part}"))
        cards = [model for model in models if model.part == part]
        for first in range(0, len(cards), COLUMNS):
            for column, card in zip(st.columns(COLUMNS), cards[first : first + COLUMNS], strict=False):
                with column.container(border=True, key=f"model_{card.name}"):
                    _card(workspace, card, used.get(card.name, []))
    _other(workspace, models)


def _device(workspace: Workspace, models: Sequence[ModelCard]) -> None:
    """Say where models run, once one was loaded; before that it costs seconds to find out."""
    job = workspace.jobs.get("device")
    found = [model.running.device for model in models if model.running and not model.name.startswith("onnx")]
    if job and isinstance(job.result, Device):
        found.append(job.result)
    if found:
        device = found[0]
        st.caption(
            plain(t("models.device", name=device.name.upper(), dtype=device.dtype, reason=said(device.reason))),
        )
    elif not workspace.jobs.running("warm") and st.button(
        t("models.device.ask"), key="device", icon=":material/memory:", disabled=bool(job and not job.error)
    ):
        work.start(workspace, "device", lambda _: workspace.device())


def _card(workspace: Workspace, card: ModelCard, used: Sequence[str]) -> None:
    tags = [t("models.used", names=", ".join(used))] if used else []
    tags += [t("models.loaded")] if card.running else []
    shown = "".join(f'<span class="t-tag">{html(tag)}</span>' for tag in tags)
    dot = "ready" if not card.problem else "absent"
    facts = "".join(f"<span>{html(fact)}</span>" for fact in _facts(card))
    where = str(card.folder) if card.folder else card.server
    st.html(
        f'<div class="t-head"><span class="t-dot {dot}"></span><span class="t-name">{html(card.name)}</span>{shown}</div>'
        f'<div class="t-small">{html(_about(card))}</div><div class="t-facts">{facts}</div>'
        f'<div class="t-small t-dim t-where">{html(where)}</div>'
        f'<div class="t-small t-problem">{html(said(card.problem))}</div>'
    )
    busy = workspace.jobs.running(*work.MODELS)
    with st.container(horizontal=True):
        if card.downloadable:
            if st.button(t("models.download"), key=f"download_{card.name}", icon=":material/download:", disabled=busy):
                _download(workspace, card.name)
        elif not card.problem and st.button(
            t("models.test"), key=f"test_{card.name}", icon=":material/play_arrow:", disabled=busy
        ):
            _test(workspace, card.name)
    for name in ("test", "download"):
        if (job := workspace.jobs.get(name)) and job.what == card.name:
            work.panel(workspace, (name,))


def _about(card: ModelCard) -> str:
    """What kind of a model it is, in a few words."""
    key = f"models.about.{card.name.partition(':')[0].replace('-', '_')}"
    return t(key) if key in TEXT else ""


def _facts(card: ModelCard) -> list[str]:
    languages = [t(f"lang.{name}") if name in LANGUAGES else said(name) for name in card.languages[:SHOWN]]
    if len(card.languages) > SHOWN:
        languages.append(t("more", n=len(card.languages) - SHOWN))
    facts = [", ".join(languages)] if languages else []
    if card.dimension:
        facts.append(t("models.dimension", n=card.dimension))
    if card.input_tokens:
        facts.append(t("models.reads", n=card.input_tokens))
    if card.bytes_on_disk:
        facts.append(t("models.disk", size=sizes.megabytes(card.bytes_on_disk)))
    elif card.download_bytes:
        facts.append(t("models.to_download", size=sizes.megabytes(card.download_bytes)))
    if card.running:
        device = card.running.device
        facts.append(t("models.memory", size=sizes.megabytes(card.running.bytes)))
        facts.append(f"{device.name.upper()}, {device.dtype}")
    return facts


def _other(workspace: Workspace, models: Sequence[ModelCard]) -> None:
    """Draw a box for a model that no card shows."""
    st.subheader(t("models.other"))
    busy = workspace.jobs.running(*work.MODELS)
    with st.form("other_model", border=False), st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.text_input(t("models.other.name"), key="other_name", placeholder="sentence:BAAI/bge-m3").strip()
        wanted = st.form_submit_button(t("models.download"), icon=":material/download:", disabled=busy)
        tried = st.form_submit_button(t("models.test"), icon=":material/play_arrow:", disabled=busy)
    st.caption(t("models.other.help"))
    if wanted and name:
        _download(workspace, name)
    elif tried and name:
        _test(workspace, name)
    known = {card.name for card in models}
    for kind in ("test", "download"):
        if (job := workspace.jobs.get(kind)) and job.what not in known:
            work.panel(workspace, (kind,))


def _test(workspace: Workspace, name: str) -> None:
    work.start(workspace, "test", lambda progress: workspace.test_model(name, progress=progress))


def _download(workspace: Workspace, name: str) -> None:
    def job(progress: Progress) -> Path:
        return workspace.download_model(name, progress=work.about(name, progress))

    work.start(workspace, "download", job)
