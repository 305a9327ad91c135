"""What came of logs that were learnt from: what is suggested and by whom, what was known, masked, dropped, not read."""

from collections.abc import Iterator

import streamlit as st

from core.model import LearningReport
from pages.ui.shared.safe import plain
from pages.ui.shared.text import t, t_plural, text_of

_MOST = 10
"""Suggestions that were dropped, of which each is shown with its reason."""


def draw(report: LearningReport) -> None:
    """Draw a report."""
    st.info(" · ".join(_lines(report)), icon=":material/school:")
    if report.problem:
        st.warning(t("The language model stopped: {reason}", reason=plain(text_of(report.problem))))
    for item in [dropped for log in report.logs for dropped in log.dropped][:_MOST]:
        st.caption(plain(t("Dropped: {title} ({reason})", title=item.title, reason=text_of(item.reason))))


def _lines(report: LearningReport) -> Iterator[str]:
    logs = report.logs
    yield t_plural("{n} note suggested", "{n} notes suggested", n=sum(len(log.suggested) for log in logs))
    if by_model := sum(len(log.by_model) for log in logs):
        yield t_plural("{n} of them by the language model", "{n} of them by the language model", n=by_model)
    if known := sum(log.known for log in logs):
        yield t_plural("{n} was suggested before", "{n} were suggested before", n=known)
    if rejected := sum(log.rejected for log in logs):
        yield t_plural("{n} was rejected before, and stays away", "{n} were rejected before, and stay away", n=rejected)
    if secrets := sum(log.secrets for log in logs):
        yield t_plural("{n} secret is masked", "{n} secrets are masked", n=secrets)
    if dropped := sum(len(log.dropped) for log in logs):
        yield t_plural("{n} suggestion dropped", "{n} suggestions dropped", n=dropped)
    if unsent := sum(log.unsent for log in logs):
        yield t_plural(
            "{n} event wasn't sent to the language model, for the log is too long",
            "{n} events weren't sent to the language model, for the log is too long",
            n=unsent,
        )
    for failed in report.failed:
        yield plain(t("{path} wasn't read: {reason}", path=failed.path, reason=text_of(failed.reason)))
