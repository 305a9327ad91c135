"""The results of a model's test and the cost of a change of embedder, as figures."""

import streamlit as st

from core.model import ChangeCost, ModelTrial, Running, ServerTrial
from pages.ui.shared import names, units
from pages.ui.shared.safe import boxes, facts, html
from pages.ui.shared.text import t, text_of


def trial(done: ModelTrial) -> None:
    """Draw the result of a model's test: right rankings, speed and memory."""
    values = [
        (text_of(names.TEXT_LANGUAGES[name]), f"{done.right[name]}/{total}", "" if done.right[name] == total else "bad")
        for name, total in done.asked.items()
    ]
    texts = [
        t("loaded in {seconds:.1f} s", seconds=done.seconds_to_load),
        t("{ms:.1f} ms per text", ms=1000 * done.seconds_a_text),
        *([memory(done.running), place(done.running)] if done.running else []),
    ]
    partly = (
        t("Usable, but not for notes in: {names}.", names=[names.TEXT_LANGUAGES[name] for name in done.wrong])
        if done.wrong
        else t("Usable: it put the right sentences first.")
    )
    verdict = partly if done.usable else t("Not usable: it put wrong sentences first. Choose another model.")
    tone = "" if done.usable else "t-problem"
    st.html(f'{boxes(values)}<div class="t-small {tone}">{html(verdict)}</div>{facts(texts)}')


def server(done: ServerTrial) -> None:
    """Draw the result of a server's test: its time, and whether its answer is right."""
    texts = [t("answered in {ms:,.0f} ms", ms=1000 * done.seconds)]
    texts += [t("{n} numbers per text", n=done.dimension)] if done.dimension else []
    verdict = (
        t("Of three sentences it put the right one first.")
        if done.right
        else t("Of three sentences it put a wrong one first. Check that the model fits this purpose.")
    )
    st.html(f'<div class="t-small {"" if done.right else "t-problem"}">{html(verdict)}</div>{facts(texts)}')


def memory(model: Running) -> str:
    """Return the memory that a loaded model takes."""
    return t("{size} in memory", size=units.megabytes(model.bytes))


def place(model: Running) -> str:
    """Return the device of a loaded model, and the kind of its numbers."""
    return f"{model.device.name.upper()}, {model.device.dtype}"


def cost(change: ChangeCost) -> None:
    """Draw how much a change of embedder has to index, and how long that takes."""
    values = [(t("notes to split again"), f"{change.notes:,}", "")] if change.notes else []
    values += [(t("pieces of text to index"), f"{change.to_embed:,}", "")]
    st.html(boxes([*values, (t("about"), units.duration(change.seconds), "")]))
