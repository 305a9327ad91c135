"""What a test of a model found, and what a change of embedder costs, as figures."""

import streamlit as st

from core.workspace import SwitchCost, Trial
from pages.ui import sizes
from pages.ui.safe import html
from pages.ui.text import t


def trial(done: Trial) -> None:
    """Draw how a model did: what it ranked right, how fast it is, what it takes."""
    rows = []
    for language, asked in done.asked.items():
        good = done.right[language] == asked
        rows.append(
            f'<div class="t-count {"" if good else "bad"}"><b>{done.right[language]}/{asked}</b>'
            f"<span>{html(t(f'lang.{language}'))}</span></div>"
        )
    facts = [
        t("trial.load", seconds=done.seconds_to_load),
        t("trial.text", ms=1000 * done.seconds_a_text),
        *([t("models.dimension", n=done.dimension)] if done.dimension else []),
        *([t("models.memory", size=sizes.megabytes(done.running.bytes))] if done.running else []),
        *([f"{done.running.device.name.upper()}, {done.running.device.dtype}"] if done.running else []),
    ]
    told = "".join(f"<span>{html(fact)}</span>" for fact in facts)
    names = ", ".join(t(f"lang.{language}") for language in done.wrong)
    partly = t("trial.partly", names=names) if done.wrong else t("trial.usable")
    verdict = partly if done.usable else t("trial.unusable")
    tone = "" if done.usable else "t-problem"
    st.html(
        f'<div class="t-counts">{"".join(rows)}</div><div class="t-small {tone}">{html(verdict)}</div>'
        f'<div class="t-facts">{told}</div>'
    )


def cost(told: SwitchCost) -> None:
    """Draw what a change of embedder takes."""
    boxes = [
        f'<div class="t-count"><b>{number:,}</b><span>{html(t(f"switch.{name}"))}</span></div>'
        for name, number in (("windows", told.windows), ("to_embed", told.to_embed))
    ]
    boxes.append(
        f'<div class="t-count"><b>{html(sizes.duration(told.seconds))}</b><span>{html(t("switch.time"))}</span></div>'
    )
    st.html(f'<div class="t-counts">{"".join(boxes)}</div>')
