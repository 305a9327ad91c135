"""What a test of a model found, and what a change of embedder costs, as figures."""

import streamlit as st

from core.model import SwitchCost, Trial
from pages.ui.shared import names, sizes
from pages.ui.shared.safe import html
from pages.ui.shared.text import said, t


def trial(done: Trial) -> None:
    """Draw how a model did: what it ranked right, how fast it is, what it takes."""
    rows = []
    for language, asked in done.asked.items():
        good = done.right[language] == asked
        rows.append(
            f'<div class="t-count {"" if good else "bad"}"><b>{done.right[language]}/{asked}</b>'
            f"<span>{html(said(names.TEXT_LANGUAGES[language]))}</span></div>"
        )
    facts = [
        t("loaded in {seconds:.1f} s", seconds=done.seconds_to_load),
        t("{ms:.1f} ms per text", ms=1000 * done.seconds_a_text),
        *([t("{size} in memory", size=sizes.megabytes(done.running.bytes))] if done.running else []),
        *([f"{done.running.device.name.upper()}, {done.running.device.dtype}"] if done.running else []),
    ]
    told = "".join(f"<span>{html(fact)}</span>" for fact in facts)
    partly = (
        t("Usable, but not for notes in: {names}.", names=[names.TEXT_LANGUAGES[name] for name in done.wrong])
        if done.wrong
        else t("Usable: it put the right sentences first.")
    )
    verdict = partly if done.usable else t("Not usable: it put wrong sentences first. Choose another model.")
    tone = "" if done.usable else "t-problem"
    st.html(
        f'<div class="t-counts">{"".join(rows)}</div><div class="t-small {tone}">{html(verdict)}</div>'
        f'<div class="t-facts">{told}</div>'
    )


def cost(told: SwitchCost) -> None:
    """Draw what a change of embedder takes."""
    figures = [(t("pieces of text to index"), f"{told.to_embed:,}"), (t("about"), sizes.duration(told.seconds))]
    boxes = [f'<div class="t-count"><b>{html(value)}</b><span>{html(name)}</span></div>' for name, value in figures]
    st.html(f'<div class="t-counts">{"".join(boxes)}</div>')
