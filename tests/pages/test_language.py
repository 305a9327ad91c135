"""Every page in a language that nobody speaks: whatever has letters outside of the brackets is in no catalogue.

Notes, bases and questions are written in Greek, so that Latin letters and Chinese characters are the program's own.
"""

import json
import re
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core import embedding, reranking
from core.base import messages
from core.base.errors import ModelError, TesseraError
from core.base.registry import Entry
from core.documents import CONVERTERS
from core.embedding import EMBEDDERS
from core.model import JOB_KINDS, ChangeCost, ChunkingOptions, ModelTrial, Pipeline, Rechunked, SearchSettings
from core.reranking import RERANKERS
from core.workspace import Workspace
from pages.ui import guide
from pages.ui.guide import Chapter
from pages.ui.settings.servers import PURPOSES
from pages.ui.shared import shell
from tests.pages import made_up
from tests.pages.conftest import Screen

SAME = {
    "Tessera": "the name of the program",
    "Ctrl+D": "a key",
    "English": "a language by its own name",
    "中文": "a language by its own name",
    "note": "a mark of a context, which an assistant reads",
    "eo": "the language that the browser is told of",
    "#": "a number",
    "ms": "a unit",
    "MB": "a unit",
    **dict.fromkeys(("orange-background", "green-background"), "a colour of Markdown"),
    "AVX-512": "a feature of a processor",
    "GB": "a unit",
    "σ": "a sign",
    **dict.fromkeys("ABCD", "the letter of a setup"),
    "AMX": "a kind of processor",
    "embeddings": "a section of tessera.toml",
    "rerank": "a section of tessera.toml",
    "llm": "a section of tessera.toml",
    "CPU": "a device",
    "FLOAT32": "a device's numbers",
    "bfloat16": "a device's numbers",
    "BFLOAT16": "a device's numbers",
    "float32": "a device's numbers",
    ".md": "a file's ending",
    ".markdown": "a file's ending",
    ".txt": "a file's ending",
    ".zip": "a file's ending",
    ".jsonl": "a file's ending",
    ".csv": "a file's ending",
    **dict.fromkeys((".json", ".yaml", ".yml"), "a file's ending"),
    ".tsv": "a file's ending",
    "β.png": "a note's own text",
    "H1": "a heading of level 1",
    "H2": "a heading of level 2",
    "tessera.toml": "a file's name",
    "TESSERA_SEARCH__RERANKER": "the name of an environment variable",
    "new-password": "what a browser is told of a field",
    "http": "the beginning of an address",
    "sentence:BAAI/bge-m3": "an example of a model",
    **dict.fromkeys(("ar", "nl", "fr", "de"), "the code of a language, as a model's card has it"),
    **dict.fromkeys(("Claude Desktop", "Claude Code", "Cursor", "VS Code"), "the name of a program"),
    **dict.fromkeys(
        ("mcpServers", "tessera", "command", "args", "mcp", "workspace"), "a word of such a program's settings"
    ),
    **dict.fromkeys(("choose", "auto", "refuse"), "a setting and its value"),
    **dict.fromkeys(("pending", "active", "archived", "expired"), "a value of the query language"),
}
"""What is the same in every language, and why."""

NAMES = ("sentence:OWNER/MODEL", "clip-ViT-B-32", "cross-encoder:OWNER/MODEL", Path(sys.argv[0]).name)
"""Forms of a model's name, and the process that runs the tests."""

NOTES = {
    "βουνό/όρος.md": "---\ntags: [ύψος, πέτρα]\nupdated: 2026-03-01\n---\n\n# Όρος\n\nΤο όρος έχει χιόνι.\n\n"
    "## Πρώτο\n\nΧιόνι και πάγος. ![α](β.png)\n\n```\nκώδικας\n```\n\n## Δεύτερο\n\n| α | β |\n|---|---|\n| 1 | 2 |\n",
    "λίμνη.md": "# Λίμνη\n\nΗ λίμνη έχει νερό και ψάρια. [[Όρος]]\n",
    "λάθος.md": "---\nα: *b\nβ: γ\n---\n\nΚάτι άλλο.\n",
    "κενό.md": "---\ntags: [ύψος]\n---\n",
    "μακρύ.md": "# Μακρύ\n\n"
    + "\n\n".join(f"## Μέρος {n}\n\n" + f"Η λέξη{n} στέκεται εδώ μόνη. " * 14 for n in range(12)),
}
QUOTE = "Το όρος έχει χιόνι."


@pytest.fixture(autouse=True)
def language(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    made_up.install(tmp_path / "locale", monkeypatch)
    monkeypatch.setitem(EMBEDDERS, "λέξεις", Entry("tests.fakes:WordLengths"))
    monkeypatch.setitem(EMBEDDERS, "ψηφία", Entry("tests.fakes:WordTokens"))
    monkeypatch.setenv("TESSERA_EMBEDDER", "λέξεις")
    # Each language has a guide of its own.
    greek = {path: Chapter(path, "οδηγός", "κείμενο") for path in guide.chapters(messages.ENGLISH)}
    monkeypatch.setattr(guide, "chapters", lambda _: greek)
    yield
    messages.catalogue.cache_clear()


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> made_up.Sent:
    return made_up.Sent(monkeypatch)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write(tmp_path / "βιβλίο", NOTES)


@pytest.fixture
def screen(place: Path, folder: Path, sent: made_up.Sent) -> Screen:
    """The app with two bases."""
    other = write(folder.parent / "γραφή", {"άλλο.md": "# Άλλο\n\nΤο όρος και η λίμνη.\n"})
    with Workspace(place) as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(folder))
        workspace.imports.apply(workspace.imports.plan_folder(other))
    return Screen(made_up.LANGUAGE).finish("warm")


def write(folder: Path, notes: dict[str, str]) -> Path:
    for name, text in notes.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return folder


def check(sent: made_up.Sent, screen: Screen, *data: str) -> None:
    """Fail with all that is in no catalogue."""
    cards = screen.workspace.models.all()
    of_models = [text for card in cards for text in (card.name, str(card.folder or ""), card.server) if text]
    workspace = screen.workspace.store.folder
    places = [str(workspace), str(workspace.parent), str(shell.PAGES), str(Path.cwd())]
    of_models += [model.removeprefix("pkg:") for card in cards if (model := card.name.partition(":")[2])]
    of_servers = [name for purpose in PURPOSES.values() for name in (*purpose.presets, purpose.model)]
    packs = [card.found for card in screen.workspace.packs.all() if card.found]
    of_packs = [text for pack in packs for text in (pack.name, pack.language, pack.description)]
    of_packs += [part for pack in packs for part in pack.language.split(", ")]
    types = screen.workspace.vocabulary.text()
    converters = [*map(CONVERTERS.build, CONVERTERS)]
    of_documents = [*CONVERTERS, *(text for one in converters for text in (one.kinds, *one.version.split(", ")))]
    names = (*EMBEDDERS, *RERANKERS, *NAMES, *of_models, *of_servers, *places, *of_packs, *of_documents)
    rest = sent.left(*SAME, *names, types, *data)
    assert not rest, "\n".join(rest)


def state(screen: Screen, **values: object) -> Screen:
    """Draw the page with these in its state."""
    for name, value in values.items():
        screen.app.session_state[name] = value
    screen.app.run()
    assert not screen.app.exception, screen.app.exception
    return screen


def note(screen: Screen, title: str) -> str:
    return next(card.id for card in screen.workspace.notes.all() if card.title == title)


def test_home(sent: made_up.Sent, folder: Path) -> None:
    screen = Screen(made_up.LANGUAGE).finish("warm")
    (folder / "δυαδικό.md").write_bytes(bytes(range(256)) * 9)
    for page in ("notes", "chunks", "search", "evaluation", "bases", "settings"):
        screen.open(page)
    for label in screen.tabs:
        screen.tab(label)
    screen.open("notes")
    screen.press("look_path")
    screen.app.text_input("import_path").input(str(folder))
    screen.press("look_path").press("plan_apply").finish("import")
    screen.open("home")
    check(sent, screen)


def test_notes(sent: made_up.Sent, screen: Screen, folder: Path) -> None:
    screen.open("notes")
    for title in ("Όρος", "λάθος", "κενό", "Μακρύ"):
        state(screen.open("notes", note=note(screen, title)), raw=True)
        state(screen, raw=False)
    state(screen, open_note="", notes_view="list", chosen=[card.id for card in screen.workspace.notes.all()][:2])
    screen.press("delete_notes").press("delete_no")
    screen.open("bases", base="βιβλίο").press("delete_base").press("delete_no")
    state(screen, notes_filters=["τίποτα"])
    (folder / "λίμνη.md").unlink()
    (folder / "μακρύ.md").rename(folder / "άλλο.md")
    (folder / "όρος.md").write_text("νέο")
    (folder / "δυαδικό.md").write_bytes(bytes(range(256)) * 9)
    screen.open("notes").press("again_0").press("plan_discard").press("again_0")
    screen.press("plan_apply").finish("import")
    screen.open("home").open("notes").press("again_0")
    check(sent, screen)


def test_chunks(sent: made_up.Sent, screen: Screen) -> None:
    screen.open("chunks")
    for title in ("Όρος", "κενό", "Μακρύ"):
        screen.open("chunks", note=note(screen, title))
    id_ = note(screen, "Μακρύ")
    chunks = screen.workspace.chunks
    for view in ("preview", "compare", "stored"):
        state(screen, cut_view=view)
    chunks.update(chunks.all(id_)[0].id, "άλλο κείμενο")
    chunks.delete(chunks.all(id_)[1].id)
    chunks.split(chunks.all(id_)[2].id, 40)
    chunks.merge(chunks.all(id_)[5].id)
    chunks.add(id_, "δικό μου")
    screen.workspace.bases.update("βιβλίο", embed_at_once=False)
    chunks.add(id_, "περιμένει")
    screen.open("chunks", note=id_, chunk="99")
    for at in (0, 1, 3):
        for mode in ("edit", "split", "add"):
            state(screen, drawer=chunks.all(id_)[at].id, drawer_mode=mode)
    screen.app.session_state["drawer"] = ""
    marked = {"selection": {"rows": [3, 5], "columns": [], "cells": []}}
    state(screen, **{screen.app.dataframe[0].key: marked})
    assert next(button for button in screen.app.button if button.key == "act_merge").disabled
    check(sent, screen)


def test_edits_that_lost_their_place(sent: made_up.Sent, screen: Screen, folder: Path) -> None:
    chunks = screen.workspace.chunks
    for chunk in chunks.all(note(screen, "Μακρύ"))[:3]:
        chunks.update(chunk.id, "άλλο κείμενο")
    (folder / "μακρύ.md").write_text("# Μακρύ\n\nΝέο κείμενο.\n")
    screen.workspace.imports.apply(screen.workspace.imports.plan_folder(folder))
    screen.open("chunks")
    assert chunks.flagged()
    check(sent, screen)


def test_search(sent: made_up.Sent, screen: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(RERANKERS, "σπασμένο", Entry("tests.pages.test_language:Broken"))
    monkeypatch.setattr(reranking.RERANKERS, "_built", {})
    screen.open("search").open("search", q="")
    screen.open("search", q="όρος")
    state(screen, past=("όρος", ""))
    screen.press("options")
    state(screen, past=None, context_of="όρος", lost_box=True, why_not_box=True)
    state(screen, why_not_note=note(screen, "Μακρύ"))
    state(screen, why_not_note=note(screen, "Όρος"))
    for name in ("semantic", "keyword", "hybrid", "auto"):
        state(screen, mode=name)
    screen.app.slider("score_threshold").set_value(0.95).run()
    state(screen, search_bases=["βιβλίο"], search_tags=["ύψος"])
    screen.open("search", q="τίποτα")
    screen.press("reset_options")
    state(screen, expansion=2, search_bases=[], search_tags=[])
    screen.press("why_1")
    pill = next(one for one in screen.app.pills if (one.key or "").startswith("verdict_"))
    pill.set_value("harmful").run()
    screen.press("mark_")
    typed = (
        'tag:ύψος "έχει χιόνι" -νερό in:όρος has:code path:βουνό/ section:Πρώτο after:2020 before:2030 -tag:λίμνη',
        "tag:ύψος",
        "tag:τίποτα όρος",
        "type:β category:γ project:δ status:ε base:βιβλίο όρος",
        '"δεν υπάρχει πουθενά" όρος',
        "όρος vs λίμνη",
        "compare όρος and λίμνη",
        "summarize όρος",
        "list all όρος",
        "how are όρος and λίμνη connected",
        "?!",
        "-όρος",
        "foo:όρος",
        "after:όρος",
        "λέξη " * 3000,
        "λέξη " * 90,
    )
    for text in typed:
        screen.open("search", q=text)
    screen.app.selectbox("reranker").set_value("σπασμένο").run()
    screen.open("search", q="όρος").finish("warm_reranker").open("search", q="χιόνι")
    check(sent, screen, *typed, *(text.strip() for text in typed), *WORDS)


WORDS = (
    *("tag", "in", "has", "like", "path", "section", "type", "category", "project", "base", "after", "before"),
    *("definition", "how to", "examples", "problems", "kinds"),
    *(
        "code",
        "vs",
        "compare",
        "and",
        "summarize",
        "list all",
        "how are",
        "connected",
        "foo",
        "status",
        "all",
        "scope",
        "page",
        "kind",
        "use",
        "created",
        "updated",
        "priority",
    ),
)
"""Words of the questions that are asked here, and of the smaller ones that they are broken down into."""


class Broken:
    """A reranker whose model can't be loaded."""

    fingerprint = "σπασμένο"
    reads_bits = False

    def warm(self) -> None:
        raise ModelError("⟦The model⟧ {name} ⟦has no description⟧", name="σπασμένο")

    def score(self, query: str, candidates: object) -> list[float | None]:
        self.warm()
        return []


def test_search_while_the_model_loads_and_without_it(
    place: Path, folder: Path, sent: made_up.Sent, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Workspace(place) as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(folder))
    gate = threading.Event()

    def warm(self: object) -> None:
        gate.wait(30)
        raise ModelError("⟦The model can't be found.⟧")

    monkeypatch.setattr("tests.fakes.WordLengths.warm", warm)
    screen = Screen(made_up.LANGUAGE).open("search", q="όρος").open("search", q="τίποτα")
    gate.set()
    screen.finish("warm").open("search", q="όρος").open("home")
    check(sent, screen)


QUESTIONS = (
    ("α", "Τι έχει το όρος;", "βουνό/όρος.md", QUOTE, {"kind": "paraphrase"}),
    ("β", "Τι έχει η λίμνη;", "λίμνη.md", "Η λίμνη έχει νερό και ψάρια.", {}),
    ("γ", "Ποιος το έγραψε;", "", "", {"kind": "δικό μου", "suggested": True}),
    ("δ", "Πού είναι;", "", "", {}),
)


def questions(screen: Screen, copies: int = 1) -> None:
    rows = [
        {"id": f"{id_}{copy}", "question": text, "gold": [{"path": path, "quote": quote}] if path else [], **more}
        for copy in range(copies)
        for id_, text, path, quote, more in QUESTIONS
    ]
    data = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows).encode()
    screen.workspace.question_sets.add_file("βιβλίο", "σύνολο", data, "σύνολο.jsonl")


def test_question_sets(sent: made_up.Sent, screen: Screen, folder: Path) -> None:
    screen.open("evaluation", base="βιβλίο")
    screen.press("import_first")
    screen.app.file_uploader("question_file").set_value([("λάθος.jsonl", b"[]\n{}\n" * 30, "")]).run()
    screen.press("import_questions")
    state(screen, questions_dialog="")
    screen.press("suggest_first").finish("suggest")
    state(screen, adding_question=True)
    state(screen, adding_question=False)
    questions(screen)
    screen.open("evaluation", base="βιβλίο", set="σύνολο", view="questions")
    for name in ("new", "rename", "delete", "import"):
        state(screen, questions_dialog=name)
    state(screen, questions_dialog="", suggest=True)
    for question in ("α0", "β0", "γ0", "δ0"):
        screen.open("evaluation", base="βιβλίο", set="σύνολο", view="questions", question=question)
    state(screen, chosen_questions=["α0", "γ0"]).press("questions_delete").press("questions_delete_no")
    state(screen, questions_text="τίποτα")
    (folder / "λίμνη.md").write_text("# Λίμνη\n\nΝέο κείμενο.\n")
    screen.workspace.imports.apply(screen.workspace.imports.plan_folder(folder))
    screen.open("evaluation", base="βιβλίο", set="σύνολο", view="questions", question="β0")
    check(sent, screen, "β0", "α0", "id")


def test_runs(sent: made_up.Sent, screen: Screen) -> None:
    screen.open("evaluation", base="βιβλίο")
    questions(screen, copies=8)
    for view in ("compare", "history"):
        screen.open("evaluation", base="βιβλίο", set="σύνολο", view=view)
    screen.open("evaluation", base="βιβλίο", set="σύνολο", view="compare")
    key = f"ways_{screen.workspace.bases.get('βιβλίο').id}"
    base = screen.workspace.bases.get("βιβλίο")
    small = screen.workspace.chunks.options(note(screen, "Όρος")) or base.chunking
    first, second, third = (
        Pipeline(
            search=SearchSettings(mode="semantic", level="focused", fusion="reciprocal", semantic_weight=0.3, limit=20)
        ),
        Pipeline(search=SearchSettings(reranker="none", rerank_weight=0.5, expansion_size=1)),
        Pipeline(chunking=small.__class__(strategy="recursive", chunk_size=256, max_single_chunk_size=1000)),
    )
    state(screen, **{key: [Pipeline(), Pipeline()]})
    for pair in ([Pipeline(), first], [second, third]):
        state(screen, **{key: pair}).press("run").finish("evaluate")
    for row in ("α0", "β0", "δ0"):
        screen.open("evaluation", base="βιβλίο", set="σύνολο", view="compare", question=row)
    runs = screen.workspace.runs.all("βιβλίο")
    screen.open("evaluation", base="βιβλίο", set="σύνολο", view="compare", runs=runs[0].id)
    screen.open("evaluation", base="βιβλίο", set="σύνολο", view="history")
    for rows in ([0], [0, 1]):
        marked = {"selection": {"rows": rows, "columns": [], "cells": []}}
        state(screen, **{screen.app.dataframe[0].key: marked})
    check(sent, screen)


@pytest.mark.usefixtures("indexed")
def test_settings(sent: made_up.Sent, screen: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(embedding.EMBEDDERS._built, "bundled", raising=False)
    monkeypatch.delitem(reranking.RERANKERS._built, "cross-encoder", raising=False)
    screen.open("bases").open("bases", base="βιβλίο")
    _, _, model, *_ = screen.tabs
    for label in (*screen.tabs, model):
        screen.tab(label)
    next(box for box in screen.app.selectbox if box.key.startswith("switch_to_")).set_value("ψηφία").run()
    screen.press("cost_").finish("cost")
    screen.workspace.switches.begin("βιβλίο", "ψηφία")
    screen.workspace.bases.update("γραφή", embed_at_once=False)
    screen.workspace.chunks.add(note(screen, "Άλλο"), "περιμένει")
    screen.open("bases", base="βιβλίο").tab(model).press("resume_").finish("switch")
    screen.press("tokens_") if any((one.key or "").startswith("tokens_") for one in screen.app.button) else None
    search, models = screen.open("settings").tabs[1:3]
    for label in screen.tabs:
        screen.tab(label, "note_types", "converters", "search_index", "model_servers", "jobs_ended")
    screen.tab(models, "another_model").press("test_tfidf").finish("test")
    screen.app.text_input("other_name").input("κάτι")
    screen.press("download_other").finish("download").finish("test")
    screen.press("device").finish("device")
    screen.tab(search, "search_index").press("rebuild").finish("rebuild")
    check(sent, screen)


RESULTS = {
    "rechunk": Rechunked(notes=1, unchanged=2, chunks=3, flagged=1),
    "embed": 2,
    "tokens": 3,
    "cost": ChangeCost("ψηφία", ChunkingOptions(), 1, 2, 4, 2, 600.0),
    "test": ModelTrial("ψηφία", "embedder", 1.0, 0.1, 16, None, None, {"zh": 0, "en": 1}, {"zh": 1, "en": 1}, ()),
    "suggest": 2,
}


@pytest.mark.parametrize("end", ["running", "done", "failed", "cancelled"])
def test_jobs(sent: made_up.Sent, screen: Screen, end: str) -> None:
    questions(screen)
    jobs, gate = screen.workspace.jobs, threading.Event()
    for name in JOB_KINDS:
        if name.startswith("warm"):
            continue

        def job(progress: object, name: str = name) -> object:
            progress(1, 2, "βιβλίο")  # type: ignore[operator]
            gate.wait(30)
            progress(2, 2, "")  # type: ignore[operator]
            if end == "failed":
                raise TesseraError("⟦There is no reason for this.⟧")
            return RESULTS.get(name)

        jobs.start(name, job)
    if end != "running":
        for name in JOB_KINDS:
            if end == "cancelled" and not name.startswith("warm"):
                jobs.cancel(name)
        gate.set()
        for name in JOB_KINDS:
            screen.finish(name) if not name.startswith("warm") and name == "import" else jobs.wait(name, 30)
    for page in shell.PAGES:
        screen.open(page)
    for view in ("questions", "compare"):
        screen.open("evaluation", base="βιβλίο", view=view)
    gate.set()
    check(sent, screen, "words, token by token")


def test_a_workspace_that_cannot_be_opened(
    place: Path, sent: made_up.Sent, screen: Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(shell, "_opened", refuse)
        Screen(made_up.LANGUAGE).open("home")
    check(sent, screen)


def refuse() -> None:
    raise ModelError("⟦Nothing can be opened.⟧")


def test_open_for_reading(place: Path, folder: Path, sent: made_up.Sent) -> None:
    with Workspace(place) as holder:
        holder.imports.apply(holder.imports.plan_folder(folder))
        screen = Screen(made_up.LANGUAGE).finish("warm")
        for page in shell.PAGES:
            screen.open(page)
        screen.open("chunks", note=note(screen, "Όρος"))
        check(sent, screen)


def test_a_language_is_a_catalogue_and_a_line(sent: made_up.Sent, screen: Screen) -> None:
    screen.open("settings").app.segmented_control("settings_language").set_value("zh_CN").run()
    assert screen.app.session_state["language"] == "zh_CN"
    assert Screen(made_up.LANGUAGE).app.session_state["language"] == "zh_CN"


@pytest.mark.parametrize(("stored", "expected"), [("zh", "zh_CN"), ("en", "en"), ("", made_up.LANGUAGE)])
def test_a_choice_of_an_earlier_version_is_kept(screen: Screen, stored: str, expected: str) -> None:
    screen.workspace.preferences.set("language", stored)
    assert Screen(made_up.LANGUAGE).app.session_state["language"] == expected


def everything() -> None:
    """A page with a text of its own in every place where one can stand."""
    import altair as alt
    import streamlit as st

    st.html('<b title="one">two</b><i aria-label="three"></i>')
    st.button("four", help="five")
    st.selectbox("six", ["seven"], placeholder="eight")
    st.text_input("nine", placeholder="ten")
    st.markdown("**eleven** :material/home:")
    st.dataframe([{"a": "twelve"}], column_config={"a": st.column_config.TextColumn("thirteen", help="fourteen")})
    st.tabs(["fifteen"])
    st.expander("sixteen")
    st.metric("seventeen", "eighteen")
    st.toast("nineteen")
    st.segmented_control("twenty", ["x"], format_func=lambda _: "twentyone")
    data = alt.Data(values=[{"x": 1, "y": "twentytwo"}])
    st.altair_chart(alt.Chart(data).mark_bar().encode(x=alt.X("x:Q", title="twentythree"), y="y:N"))
    st.info("⟦in brackets⟧ 7 ⟦and ⟦inside⟧ them⟧")


def test_a_text_of_no_catalogue_is_found_wherever_it_stands(sent: made_up.Sent) -> None:
    AppTest.from_function(everything).run()
    found = " ".join(sent.left("x", "y"))
    words = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    more = "eighteen nineteen twenty twentyone twentytwo twentythree"
    assert [word for word in f"{words} {more}".split() if f"{word!r}" not in found] == []
    assert "brackets" not in found
    assert "'material'" not in found


def test_lists_and_labels_have_the_signs_of_the_language() -> None:
    own = re.compile(r'", "\.join|</b>: |\(text_of\([^()]*\)\)\}: |\)\}: \{')
    pages = Path(shell.__file__).parents[2]
    written = {path.name: own.findall(path.read_text(encoding="utf-8")) for path in pages.rglob("*.py")}
    assert {name: found for name, found in written.items() if found} == {}
