"""Model servers on this machine: the job that looks for them, and choosing one for writing answers."""

import time
from collections.abc import Callable

import streamlit as st

from core.model import LocalServer
from pages.ui.shared import shell
from pages.ui.shared.server import workspace

_JOB = "local_servers"
_FRESH = 30.0
"""Seconds for which a result stays valid; the page is redrawn at each click."""
_SOON = 0.15
"""Seconds that a page waits for the search, which usually takes a few milliseconds."""
_AGAIN = 0.3
"""Seconds between two checks whether the search has ended."""

Found = tuple[LocalServer, ...]


def draw(inside: Callable[[Found | None], None]) -> None:
    """Look for model servers, and call `inside` with the result to draw it, or with None while the search runs."""
    _start()
    running = workspace.jobs.running(_JOB)

    @st.fragment(run_every=_AGAIN if running else None)
    def part() -> None:
        if running and not workspace.jobs.running(_JOB):
            st.rerun()
        with shell.errors():
            inside(None if running else found_servers())

    part()


def found_servers() -> Found:
    """Return the usual addresses with the results of the last search; empty if there is none or it failed."""
    job = workspace.jobs.find(_JOB)
    return job.result if job is not None and isinstance(job.result, tuple) else ()


def forget() -> None:
    """Forget the last result, so that the next run of the page searches again."""
    workspace.jobs.forget(_JOB)


def is_open() -> bool:
    """Return whether a page may set the language model, because neither the environment nor the file sets it."""
    return {"environment", "file"}.isdisjoint(workspace.servers.get("llm").sources.values())


def use(server: LocalServer, model: str) -> None:
    """Use a model of a local server as the language model; raises ConfigError."""
    workspace.servers.update("llm", base_url=server.base_url, model=model)


def short(model: str) -> str:
    """Return the name of a model, without the folder and suffix that llama.cpp gives."""
    return model.replace("\\", "/").rpartition("/")[2].removesuffix(".gguf") if model.endswith(".gguf") else model


def _start() -> None:
    last = workspace.jobs.find(_JOB)
    if last and (last.state == "running" or time.monotonic() - last.started - last.seconds < _FRESH):
        return
    if workspace.jobs.start(_JOB, workspace.servers.look, quiet=True):
        workspace.jobs.wait(_JOB, _SOON)
