"""Threads keep questions, answers and quotes; a quote is found again in its changed note, or its change is shown."""

import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.base.errors import NoteNotFound, UnknownChoice
from core.features.threads.service import relocate
from core.model import Cited, Thread
from core.settings.sections import LlmSettings
from core.workspace import Workspace
from tests import samples
from tests.model_server import Answer, ModelServer, chat, sentence, stream
from tests.waiting import PATIENCE, wait_until

pytestmark = pytest.mark.usefixtures("bundled")

QUESTION = "what are backups worth?"
QUOTE = "Backups are only worth what their last restore proved."
FINE = stream(sentence("They are only worth *their* last <b>restore</b>! [[x]]", (1, QUOTE)) + "\n")
COMPLETIONS = ("no JSON", '{"question": ""}', '{"question": 7}', json.dumps({"question": "x" * 900}))


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with Workspace(tmp_path / "workspace") as opened:
        for file in sorted(samples.write(tmp_path / "vault").rglob("*.md")):
            body = file.read_text(encoding="utf-8").rpartition("---\n")[2]
            opened.notes.add("vault", body, path=file.name, author="person")
        yield opened


@pytest.fixture
def model(workspace: Workspace) -> Iterator[ModelServer]:
    with ModelServer() as server:
        workspace.settings.llm = LlmSettings(base_url=server.url, model="scripted", retries=0)
        yield server


def begun(workspace: Workspace, model: ModelServer) -> Thread:
    model.answers.append(FINE)
    list(workspace.threads.ask(QUESTION))
    return workspace.threads.all()[0]


def changed(workspace: Workspace, cited: Cited, old: str, new: str) -> None:
    body = workspace.notes.get(cited.note_id).body
    assert old in body
    workspace.notes.update(cited.note_id, body=body.replace(old, new), author="person", embed=False)


def test_an_answer_is_stored_with_note_version_and_quote(workspace: Workspace, model: ModelServer) -> None:
    thread = begun(workspace, model)
    (turn,) = thread.turns
    (cited,) = turn.citations
    note = workspace.notes.get(cited.note_id)
    assert (thread.title, turn.model, turn.sentences[0].citations) == (QUESTION, "scripted", (1,))
    assert (cited.quote, cited.version, note.body[cited.start : cited.end]) == (QUOTE, note.version, QUOTE)
    assert workspace.threads.place(cited).state == "same"
    folder = workspace.store.folder
    workspace.close()
    with Workspace(folder, readonly=True) as again:
        assert again.threads.get(thread.id) == thread


def test_a_question_goes_on_with_a_thread_completed_from_it(workspace: Workspace, model: ModelServer) -> None:
    thread = begun(workspace, model)
    completed = {"question": "how often are backups  restored?"}
    model.answers.extend([Answer(chat(f"Sure: {json.dumps(completed)}")), FINE])
    question = workspace.threads.complete(thread.id, "how often?")
    assert question == "how often are backups restored?"
    material = json.loads(model.requests[-1].body["messages"][-1]["content"])
    assert material["earlier"] == [{"question": QUESTION, "answer": thread.turns[0].sentences[0].text}]
    list(workspace.threads.ask(question, thread.id, typed="how often?"))
    turns = workspace.threads.get(thread.id).turns
    assert [(turn.number, turn.typed, turn.question) for turn in turns] == [
        (1, QUESTION, QUESTION),
        (2, "how often?", question),
    ]


@pytest.mark.parametrize(
    "answer", ["no JSON", '{"question": ""}', '{"question": 7}', json.dumps({"question": "x" * 900})]
)
def test_a_completion_that_is_none_leaves_the_question(workspace: Workspace, model: ModelServer, answer: str) -> None:
    thread = begun(workspace, model)
    model.answers.append(Answer(chat(answer)))
    assert workspace.threads.complete(thread.id, "how often?") == "how often?"


def test_what_is_refused_or_fails_is_not_stored(workspace: Workspace, model: ModelServer) -> None:
    list(workspace.threads.ask("who won the chess championship?"))
    model.answers.append(Answer({"error": "no"}, 500))
    list(workspace.threads.ask(QUESTION))
    assert workspace.threads.all() == []


def test_a_job_writes_it_and_can_be_stopped(workspace: Workspace, model: ModelServer) -> None:
    model.answers.append(stream(sentence("Only restores prove them.", (1, QUOTE)) + "\n", *["\n"] * 99, between=1.0))
    assert workspace.threads.start(QUESTION)
    assert not workspace.threads.start(QUESTION)
    wait_until(lambda: workspace.threads.latest and workspace.threads.latest.written)
    assert workspace.threads.latest
    workspace.jobs.cancel("answer")
    ended = workspace.jobs.wait("answer", PATIENCE)
    assert ended
    assert ended.state == "cancelled"
    assert workspace.threads.latest.writing
    assert workspace.threads.latest.writing.stopped
    assert workspace.threads.latest_thread == workspace.threads.all()[0].id  # what there is stays


def test_a_quote_is_found_again_or_its_change_is_shown(workspace: Workspace, model: ModelServer) -> None:
    (cited,) = begun(workspace, model).turns[0].citations
    changed(workspace, cited, QUOTE, f"A new sentence comes first. {QUOTE}")
    place = workspace.threads.place(cited)
    assert place.state == "moved"
    assert workspace.notes.get(cited.note_id).body[place.start : place.end] == QUOTE
    changed(workspace, cited, "last restore", "first restore")
    place = workspace.threads.place(cited)
    assert place.state == "changed"
    assert [(piece.kind, piece.text) for piece in place.pieces if piece.kind != "equal"][-2:] == [
        ("removed", "last"),
        ("added", "first"),
    ]
    workspace.trash.put(cited.note_id)
    assert workspace.threads.place(cited).state == "deleted"
    workspace.trash.restore([cited.note_id])
    assert workspace.threads.place(cited).state == "changed"


def test_a_thread_becomes_a_note_that_waits_with_links_to_its_sources(workspace: Workspace, model: ModelServer) -> None:
    thread = begun(workspace, model)
    note = workspace.threads.keep(thread.id)
    assert (note.status, note.title, note.extra["created_by"]) == ("pending", QUESTION, "scripted")
    assert r"They are only worth \*their\* last \<b\>restore\</b\>\! \[\[x\]\] \[1\]" in note.body
    assert "- \\[1\\] [[backups|Backups]]: “Backups are only worth" in note.body
    assert [one.note_id for one in workspace.notes.links().resolve(note, note.links)] == [
        thread.turns[0].citations[0].note_id
    ]
    workspace.trash.put(thread.turns[0].citations[0].note_id)
    with pytest.raises(NoteNotFound):
        workspace.threads.keep(thread.id)
    workspace.threads.delete_for_good(thread.id)
    with pytest.raises(UnknownChoice, match="There is no thread"):
        workspace.threads.get(thread.id)


def test_a_place_is_never_a_wrong_one() -> None:
    """Edits at random, with every character followed by hand: the place is the right one, or none."""
    seeded = random.Random(28)
    words = "the pool of a client holds ten open connections and waits until one is free again".split()
    found = 0
    for _ in range(400):
        lines = [" ".join(seeded.choices(words, k=seeded.randrange(3, 9))) for _ in range(12)]
        old = "\n".join(seeded.choices(lines, k=16))  # some stand twice
        start = seeded.randrange(len(old) - 40)
        span = (start, start + seeded.randrange(5, 40))
        letters = [(letter, at) for at, letter in enumerate(old)]
        for _ in range(seeded.randrange(1, 5)):
            at, size = seeded.randrange(len(letters)), seeded.randrange(30)
            match seeded.randrange(3):
                case 0:
                    letters[at : at + size] = []
                case 1:
                    letters[at:at] = [(letter, -1) for letter in " ".join(seeded.choices(words, k=4))]
                case 2:
                    moved, letters[at : at + size] = letters[at : at + size], []
                    to = seeded.randrange(len(letters) + 1)
                    letters[to:to] = moved
        new = "".join(letter for letter, _ in letters)
        place = relocate(old, span, new)
        if place is not None:
            assert new[slice(*place)] == old[slice(*span)]
            assert [at for _, at in letters[slice(*place)]] == list(range(*span))
            found += 1
    assert found > 200
