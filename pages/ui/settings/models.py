"""The state, downloads and tests of the embedders, the rerankers and the picture model."""

from collections.abc import Mapping, Sequence
from functools import partial

import streamlit as st
from streamlit import html as draw_html

from core.base.errors import TesseraError
from core.base.messages import message_table
from core.model import Device, ModelCard, Status, embedder_name, reranker_name
from pages.ui.settings import general
from pages.ui.shared import jobs, reports
from pages.ui.shared.jobs import blocked_by, panel_about, start_job
from pages.ui.shared.names import TEXT_LANGUAGES, megabytes
from pages.ui.shared.safe import elements, facts, folded, html, plain
from pages.ui.shared.server import workspace
from pages.ui.shared.text import join_facts, join_list, section_title, small_print, t, t_plural, text_of, with_label
from pages.ui.shared.widgets import button, caption, expander, form, in_columns, row, submit, text_input, warn

# The picture model, and the number of pictures it has indexed.


def draw_picture_model() -> None:
    """Draw the field for the picture model's name. If a model is set, also show how many pictures it has indexed."""
    section_title("Model for pictures")
    general.field(
        "pictures.model",
        partial(st.text_input, t("Name or folder"), placeholder="clip-ViT-B-32"),
        str,
        workspace.images.start,
    )
    small_print(
        "The name of a CLIP model on huggingface.co, such as clip-ViT-B-32 (600 MB, downloaded once), or its "
        "folder. Pictures in your notes can then be found by what they show. The pictures stay on this machine. "
        "Without a model, pictures are found by their file names and the text in them."
    )
    if not workspace.settings.pictures.model:
        return
    try:
        status = workspace.images.status()
    except TesseraError as error:
        warn(error.message)
    else:
        draw_html(
            facts(
                [
                    t_plural(
                        "{n} picture can be found by what it shows",
                        "{n} pictures can be found by what they show",
                        n=status.known,
                    ),
                    t_plural("{n} waiting", "{n} waiting", n=status.waiting) if status.waiting else "",
                ]
            )
        )
        if status.failed:
            draw_html(
                folded(
                    t_plural("{n} picture can't be read", "{n} pictures can't be read", n=len(status.failed)),
                    elements((with_label(failed.path, failed.error) for failed in status.failed), "div", "t-small"),
                    css="t-more",
                )
            )
        job = workspace.jobs.find("images")
        if job and job.state != "done":
            jobs.job_panel(("images",))


COLUMNS = 2
SHOWN = 6
PARTS = message_table({"embedder": "Models for searching by meaning", "reranker": "Models for reranking"})
TITLES = message_table(
    {
        "bundled": "Built-in model",
        "onnx": "Built-in model (8-bit)",
        "tfidf": "No model, keyword search only",
        "openai_compatible": "Model server",
    }
)
# Minimum size of a model on disk, in bytes, for the size to be shown.
LEAST_BYTES = 100_000
# Jobs that test or download a single model.
TRIED = ("test", "download")
SERVED = ("openai_compatible", "rerank-api", "llm")
KINDS = message_table(
    {
        "bundled": "Built-in model for about 100 languages (multilingual-e5-small)",
        "onnx": (
            "A smaller 8-bit copy of the built-in model, which is 1.5 to 2 times as fast without a graphics card "
            "and is created on first use"
        ),
        "sentence": "A model in the sentence-transformers format",
        "tfidf": (
            "Without a model, notes are found by keyword only. Choose this for a machine that can't run a model."
        ),
        "openai_compatible": "A model on an OpenAI-compatible server: Ollama, vLLM, TEI, LM Studio, OpenAI",
        "late-interaction": (
            "Compares each word of the question with the words of a hit. This is fast because it uses data stored "
            "at import."
        ),
        "cross-encoder": "Reads each hit with the question in mind, which gives the most accurate order but is slow "
        "without a graphics card",
        "rerank-api": "A server that ranks hits (/rerank): Cohere, Jina, TEI",
        "llm": "A language model on an OpenAI-compatible chat server (slow; a last resort)",
    }
)


def in_use(status: Status) -> str:
    """Return a sentence, as Markdown, that names the embedders in use, or says that only the built-in one is."""
    used = {base.base.embedder for base in status.bases if base.base.has_vectors}
    if used <= {"bundled"}:
        return t("The built-in model is in use, so you don't need to set up anything.")
    return t("Models in use: {names}.", names=[plain(embedder_name(name)) for name in sorted(used)])


def draw_models(status: Status) -> None:
    """Show the device that the models run on, a card for each embedder and reranker, and the picture model."""
    models = workspace.models.all()
    _device(models)
    used: dict[str, list[str]] = {}
    for base in (item.base for item in status.bases if item.base.has_vectors):
        used.setdefault(base.embedder, []).append(base.name)
    # A model on a server that isn't set up is shown only if a base uses the model.
    shown = [model for model in models if model.name in used or model.name not in SERVED or model.server]
    for part in ("embedder", "reranker"):
        st.subheader(text_of(PARTS[part]), anchor=False)
        cards = [model for model in shown if model.part == part]
        rare = [card for card in cards if card.downloadable and card.name not in used]
        _cards([card for card in cards if card not in rare], used)
        if rare:
            with expander("Models to download", "download", f"rare_{part}"):
                _cards(rare, used)
    draw_picture_model()
    _other(models)


def _cards(cards: Sequence[ModelCard], used: Mapping[str, Sequence[str]]) -> None:
    for column, card in in_columns(cards, COLUMNS):
        with column.container(border=True, height="stretch", key=f"model_{card.name}"):
            _card(card, used.get(card.name, []))


def _device(models: Sequence[ModelCard]) -> None:
    """Show the device that the loaded models run on, or a button that detects it. Detection takes a few seconds."""
    job = workspace.jobs.find("device")
    devices = [model.running.device for model in models if model.running and not model.name.startswith("onnx")]
    if job and isinstance(job.result, Device):
        devices.append(job.result)
    if devices:
        device = devices[0]
        caption(
            t(
                "Models run on {name} with {dtype} precision: {reason}.",
                name=device.name.upper(),
                dtype=device.dtype,
                reason=device.reason,
            )
        )
        return
    if not workspace.jobs.running("warm") and button(
        "Show where models run", "device", "memory", disabled=blocked_by("device")
    ):
        start_job("device", lambda _: workspace.models.device())


def _card(card: ModelCard, used: Sequence[str]) -> None:
    tags = [t("used by {names}", names=list(used))] if used else []
    tags += [t("loaded")] if card.running else []
    problem = t("Not downloaded to this machine yet.") if card.downloadable and card.problem else card.problem or ""
    draw_html(
        f'<div class="t-head"><span class="t-dotted"><span class="t-dot {"absent" if card.problem else "ready"}"></span><span class="t-name">{html(_title(card))}</span></span>{elements(tags, "span", "t-tag")}</div>'
        f'<div class="t-small">{html(KINDS.get(card.name.partition(":")[0], ""))}</div>{facts(_facts(card))}{_details(card)}'
        f'<div class="t-small t-problem">{html(problem)}</div>'
    )
    busy = blocked_by(*jobs.MODELS)
    with row():
        if card.downloadable:
            if button("Download", f"download_{card.name}", "download", disabled=busy):
                _download(card.name)
        elif not card.problem and button("Test", f"test_{card.name}", "play_arrow", disabled=busy):
            _test(card.name)
    panel_about(TRIED, lambda what: what == card.name)


def _title(card: ModelCard) -> str:
    """Return a model's display name, which may differ from the name used in commands."""
    kind, _, model = card.name.partition(":")
    if card.part == "reranker":
        return model or text_of(reranker_name(kind))
    title = text_of(TITLES[kind]) if kind in TITLES and not (kind == "onnx" and model) else ""
    return join_facts((title, model.removeprefix("pkg:"))) or card.name


def _facts(card: ModelCard) -> list[str]:
    named = [name for name in card.languages if name != "multilingual"]
    languages = [text_of(TEXT_LANGUAGES.get(name, name)) for name in named[:SHOWN]]
    if len(named) > SHOWN:
        languages.append(t("and {n} more", n=len(named) - SHOWN))
    listed = join_list(languages)
    if len(named) < len(card.languages):
        listed = t("{many}, including {some}", many=TEXT_LANGUAGES["multilingual"], some=listed)
    size = ""
    if card.bytes_on_disk >= LEAST_BYTES:
        size = t("{size} on disk", size=megabytes(card.bytes_on_disk))
    elif card.download_bytes:
        size = t("{size} to download", size=megabytes(card.download_bytes))
    return [listed, size, reports.memory(card.running) if card.running else ""]


def _details(card: ModelCard) -> str:
    """Return a model's technical details as an HTML element that is initially collapsed."""
    details = [
        t("Name in commands: {name}", name=card.name),
        t("{n} numbers per passage", n=card.dimension) if card.dimension else "",
        t("reads up to {n} tokens", n=card.input_tokens) if card.input_tokens else "",
        reports.place(card.running) if card.running else "",
        str(card.folder or card.server),
        text_of(card.problem) if card.problem and card.downloadable else "",
    ]
    return folded(t("Model details"), elements(filter(None, details), "div", "t-small t-dim t-where"), css="t-more")


def _other(models: Sequence[ModelCard]) -> None:
    """Draw a form for downloading or testing a model that has no card."""
    section_title("Another model")
    busy = blocked_by(*jobs.MODELS)
    with form("other_model"), row(vertical_alignment="bottom"):
        name = text_input("Name", "other_name", placeholder="sentence:BAAI/bge-m3").strip()
        download = submit("Download", "download_other", "download", disabled=busy)
        test = submit("Test", "test_other", "play_arrow", disabled=busy)
    small_print(
        "Write sentence:OWNER/MODEL for a model that searches by meaning, or cross-encoder:OWNER/MODEL for a model "
        "that reranks. Both come from huggingface.co. If that site can't be reached, start Tessera with the "
        "environment variable HF_ENDPOINT set to a mirror."
    )
    if download and name:
        _download(name)
    elif test and name:
        _test(name)
    known = {card.name for card in models}
    panel_about(TRIED, lambda what: what not in known)


def _test(name: str) -> None:
    start_job("test", lambda progress: workspace.models.test(name, progress=progress))


def _download(name: str) -> None:
    start_job("download", lambda progress: workspace.models.download(name, progress=jobs.about(name, progress)))
