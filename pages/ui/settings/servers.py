"""A form for each model server's address, model and key, and the model servers found on this machine."""

import time
from collections.abc import Iterable

import streamlit as st
from streamlit import container, rerun, session_state
from streamlit import html as draw_html

from core.base.frozen import TextMap, frozen
from core.base.messages import Message, message, message_table, verbatim
from core.model import LocalServer, ServerCard, Status
from pages.ui.shared import jobs
from pages.ui.shared.safe import elements, html, t_html
from pages.ui.shared.server import workspace
from pages.ui.shared.text import small_print, t, text_of
from pages.ui.shared.widgets import (
    button,
    caption,
    errors,
    form,
    frame,
    paragraph,
    row,
    select,
    small,
    submit,
    text_input,
    warn,
)

# Model servers found on this machine, each with a button that sets it as the language model.


# Instructions for installing a local language model.
_STEPS = (
    message("Install Ollama from ollama.com and start it."),
    message("In a terminal, run: ollama pull qwen3:4b (a 2.5 GB download; the model needs 8 GB of memory)."),
    message("Come back here and press 'Search again', then 'Use it to write answers'."),
)


def _draw_found_server(server: LocalServer) -> None:
    card = workspace.servers.get("llm")
    used = card.complete and card.base_url == server.base_url
    state = (
        f'<span class="t-tag">{t_html("in use: {model}", model=short(card.model))}</span>'
        if used
        else f'<span class="t-dim t-small">{html(_state(server))}</span>'
    )
    port = server.address.rpartition(":")[2]
    with row(f"local_{port}"):
        draw_html(
            f'<div class="t-head"><span class="t-dot {"ready" if server.running else "absent"}"></span>'
            f"<span>{html(server.name)}</span>"
            f'<span class="t-dim t-small">{html(server.address)}</span>{state}</div>',
            width="stretch",
        )
        models = [model for model in server.models if not (used and model == card.model)]
        if not models or not {"environment", "file"}.isdisjoint(card.sources.values()):
            return
        model = models[0]
        if len(server.models) > 1:
            model = select(
                "Language model",
                {name: short(name) for name in models},
                f"local_model_{port}",
                label_visibility="collapsed",
                width=220,
            )
        if button("Use it to write answers", f"use_local_{port}", "edit_note"):
            _renew(card, "base_url", "model")
            workspace.servers.update("llm", base_url=server.base_url, model=model)
            rerun()


def _state(server: LocalServer) -> str:
    if not server.running:
        return t("not running")
    if not server.models:
        return t("running, without a language model")
    if len(server.models) == 1:
        return t("running with {model}", model=short(server.models[0]))
    return t("running, {n} language models", n=len(server.models))


@frozen
class Purpose:
    """A use for a model server, with the text on its card, an example model, and usual local addresses."""

    title: Message
    about: Message
    use: Message
    model: str
    presets: TextMap


_LOCAL = {
    "Ollama": "http://localhost:11434/v1",
    "LM Studio": "http://localhost:1234/v1",
    "llama.cpp": "http://localhost:8080/v1",
}
PURPOSES = {
    "embeddings": Purpose(
        message("Search by meaning with a server"),
        message(
            "This server replaces the built-in model for searches by meaning. It reads your questions and all notes "
            "in the bases that use it."
        ),
        message(
            (
                "To use this server, open a base on the Bases page, and choose {name} on the Model tab. The notes in the "
                "base are then indexed again."
            ),
            name="openai_compatible",
        ),
        "bge-m3",
        _LOCAL,
    ),
    "rerank": Purpose(
        message("Rerank with a server"),
        message("This server reranks the best hits of a search. It reads your question and the text of these hits."),
        message("To use this server, choose 'Ranking server' for reranking, in the options of a search or a base."),
        "bge-reranker-v2-m3",
        {
            "llama.cpp": "http://localhost:8080/v1",
            "vLLM": "http://localhost:8000/v1",
            "TEI": "http://localhost:8080",
        },
    ),
    "llm": Purpose(
        message("Language model"),
        message(
            "This server writes answers from your notes, breaks down broad questions, suggests questions for an "
            "evaluation, and can rerank the best hits. It reads your questions, and the text of notes when it "
            "writes, suggests or judges."
        ),
        message(
            "To use this server, press 'Write an answer' above the hits. From now on, broad questions use it, too."
        ),
        "qwen3:8b",
        _LOCAL,
    ),
}
KEYS = message_table(
    {
        "environment": "The key is set by the environment variable {variable}, which overrides this page.",
        "keyring": "The key is saved in this system's keyring.",
        "file": "The key is saved in a file that only you can read.",
    }
)
SOURCES = message_table(
    {
        "environment": "{what}: set by the environment variable {name}, which overrides this page.",
        "file": "{what}: set in {file}, which overrides this page.",
    }
)
FILE = "tessera.toml"


def draw_servers(status: Status) -> None:
    """Show an explanation of model servers, and a card for each use of a server except as a language model."""
    _about()
    _cards(status, [section for section in PURPOSES if section != "llm"])


def draw_language_model(status: Status) -> None:
    """Draw the card for the language model. If searching for local servers is allowed, draw those found first."""
    if workspace.settings.llm.discover:
        with frame("local_servers", gap="small"):
            draw_looking()
    else:
        _about()
    _cards(status, ["llm"])


def _about() -> None:
    paragraph(
        t(
            "A model server runs a model for Tessera, on this machine or elsewhere. You don't need one, because the "
            "built-in models work without a server. With a server elsewhere, the text of your notes and questions "
            "leaves this machine."
        ),
        "t-about t-dim",
    )


def _cards(status: Status, sections: Iterable[str]) -> None:
    for card in map(workspace.servers.get, sections):
        with frame(f"server_{card.section}"):
            _card(status, card)


def _card(status: Status, card: ServerCard) -> None:
    purpose = PURPOSES[card.section]

    def remove() -> None:
        _renew(card, "base_url", "model", "key")
        session_state.pop(_preset(card), None)
        workspace.servers.delete_for_good(card.section)
        workspace.jobs.forget("server")

    dot, state = ("ready", t("set up")) if card.complete else ("absent", t("not set up"))
    with row():
        draw_html(
            f'<div class="t-head"><span class="t-dot {dot}"></span><span class="t-name">{html(purpose.title)}</span>'
            f'<span class="t-tag">{html(state)}</span></div>',
            width="stretch",
        )
        if "entered" in card.sources.values():
            small(
                "Remove server",
                f"remove_server_{card.section}",
                "delete",
                remove,
                help="Removes the server's address, model and key from this machine.",
            )
    paragraph(purpose.about, "t-small")
    open_ = [name for name in ("base_url", "model") if card.sources[name] in ("entered", "default")]
    if "base_url" in open_:
        _presets(card)
    _form(card, open_)
    if card.here:
        small_print("This server is on this machine, so the text stays here.")
    elif card.encrypted:
        caption(t("The text leaves this machine, encrypted, and goes to {host}.", host=card.host))
    elif card.host:
        warn(
            t(
                "The text of your notes and the key are sent to {host} unencrypted, so others on the network can read "
                "them. Use an address that begins with https://.",
                host=card.host,
            ),
            "no_encryption",
        )
    if card.key or card.key_for:
        _key(card)
    jobs.panel_about(("server",), lambda what: what == card.section)
    users = [base.base.name for base in status.bases if base.base.embedder.partition(":")[0] == "openai_compatible"]
    if users and card.section == "embeddings":
        caption(t("Used by {names}. If you change the model, index these bases again.", names=users))
    elif card.complete:
        caption(purpose.use)


def _presets(card: ServerCard) -> None:
    """Draw buttons that fill in the usual addresses of local servers."""

    def put(address: str) -> None:
        _renew(card, "base_url")
        session_state[_preset(card)] = address

    with row(f"presets_{card.section}", gap="small"):
        st.caption(t("Usual addresses on this machine:"), width="content")
        for name, address in PURPOSES[card.section].presets.items():
            small(verbatim(name), f"preset_{card.section}_{name}", "", put, address)


def _form(card: ServerCard, open_: list[str]) -> None:
    """Draw the form for a server's address, model and key. The form's button saves and tests these values.

    `open_` has the names of the settings that can be changed.
    """
    purpose = PURPOSES[card.section]
    texts = {"base_url": t("Address"), "model": t("Model")}
    with form(f"server_form_{card.section}"):
        examples = {"base_url": next(iter(purpose.presets.values())), "model": purpose.model}
        for column, (name, label) in zip(st.columns([3, 2]), texts.items(), strict=True):
            shut = name not in open_
            text = getattr(card, name)
            if name == "base_url" and not shut:
                text = session_state.get(_preset(card), text)
            # Pass the text as `value`. Text in the session state is lost when switching languages changes the label.
            column.text_input(label, text, key=_box(name, card), placeholder=examples[name], disabled=shut)
        for name in texts:
            if source := SOURCES.get(card.sources[name]):
                caption(text_of(source, what=texts[name], name=f"TESSERA_{card.section}__{name}".upper(), file=FILE))
        if not card.key or _replacing(card) in session_state:
            text_input(
                "Key, if the server requires one",
                _box("key", card),
                type="password",
                autocomplete="new-password",
                placeholder=t("Servers on this machine rarely require a key"),
            )
        label = t("Save and test") if open_ or not card.key else t("Test")
        if submit(label, _box("save", card), "play_arrow", type="primary", disabled=jobs.blocked_by(*jobs.MODELS)):
            with errors():
                section = card.section
                if open_:
                    workspace.servers.update(section, **{name: session_state[_box(name, card)] for name in open_})
                if key := session_state.get(_box("key", card)):
                    workspace.servers.enter_key(section, key)
                _renew(card, "key")
                session_state.pop(_preset(card), None)
                if any(workspace.servers.get(section).sources[name] != "default" for name in texts):
                    jobs.start_job("server", lambda progress: workspace.servers.test(section, progress))
                rerun()


def _key(card: ServerCard) -> None:
    """Show where a server's key comes from, with buttons to replace and remove it."""
    replacing = _replacing(card)
    with row(f"key_{card.section}"):
        paragraph(
            text_of(KEYS[card.key], variable=card.variable)
            if card.key
            else t("The saved key belongs to {url} and is not sent to this address.", url=card.key_for),
            "t-small",
            width="content",
        )
        with container(horizontal=True, width="content"):
            if card.key in ("keyring", "file") and replacing not in session_state:
                small("Replace", f"replace_key_{card.section}", "key", session_state.update, {replacing: True})
            removed = card.key_for and small("Remove", f"remove_key_{card.section}", "delete")
        if removed:
            with errors():
                workspace.servers.remove_key(card.section)
                _renew(card, "key")
                rerun()


def _box(what: str, card: ServerCard) -> str:
    """Return the widget key of a server's text box. `what` is "base_url", "model" or "key"."""
    return f"server_{what}_{card.section}_{session_state.get(f'server_{what}_number_{card.section}', 0)}"


def _renew(card: ServerCard, *boxes: str) -> None:
    """Replace text boxes with new ones by changing their widget keys.

    Browsers keep the text typed in a box, and a key must not remain there.
    """
    for what in boxes:
        session_state.pop(_box(what, card), None)
        number = f"server_{what}_number_{card.section}"
        session_state[number] = session_state.get(number, 0) + 1
    session_state.pop(_replacing(card), None)


def _preset(card: ServerCard) -> str:
    return f"server_preset_{card.section}"


def _replacing(card: ServerCard) -> str:
    return f"server_replacing_{card.section}"


# The job that looks for model servers on this machine.

_JOB = "local_servers"
# Seconds for which a result is reused. The page is redrawn on each click, which shouldn't start a new search.
_FRESH = 30.0
# Seconds for which a page waits for the search. It usually takes a few milliseconds.
_SOON = 0.15


def draw_looking() -> None:
    """Look for model servers on this machine, and draw those found, or how to install one if none has a model."""
    last = workspace.jobs.find(_JOB)
    is_fresh = last and (last.state == "running" or time.monotonic() - last.started - last.seconds < _FRESH)
    if not is_fresh and workspace.jobs.start(_JOB, workspace.servers.look, quiet=True):
        workspace.jobs.wait(_JOB, _SOON)
    running = workspace.jobs.running(_JOB)
    job = workspace.jobs.find(_JOB)
    found = job.result if job and isinstance(job.result, tuple) else ()
    with row():
        paragraph(t("Language models on this machine"), "t-name", width="stretch")
        if small("Search again", "look_again", "refresh", disabled=running):
            workspace.jobs.forget(_JOB)
            rerun()
    small_print(
        "Programs such as Ollama run a language model on your own machine. Tessera looks for them at their "
        "usual addresses when this page opens."
    )
    if running:
        caption(t("Looking for servers…"), "hourglass_top")
        jobs.redraw_after(_JOB)
        return
    if not any(server.models for server in found):
        draw_html(f"<ol>{elements(_STEPS, 'li')}</ol>")
    with errors():
        for server in found:
            _draw_found_server(server)


def short(model: str) -> str:
    """Return a model's name without the folder and the suffix `.gguf`, which llama.cpp adds to names."""
    return model.replace("\\", "/").rpartition("/")[2].removesuffix(".gguf") if model.endswith(".gguf") else model
