"""An answer of the language model on the Search page, the thread that it begins, and what becomes of its quotes."""

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs

import pytest

from core.settings.sections import LlmSettings
from tests.model_server import Answer, Handler, ModelServer, Script, chat, sentence, stream
from tests.pages.conftest import Screen
from tests.waiting import wait_until

QUESTION = "what are backups worth?"
QUOTE = "Backups are only worth what their last restore proved."


@pytest.fixture
def model(filled: Screen) -> Iterator[ModelServer]:
    with ModelServer() as server:
        filled.workspace.settings.llm = LlmSettings(base_url=server.url, model="scripted", retries=0)
        yield server


def answering(*lines: tuple[str, str], between: float = 0.0) -> Script:
    """A model that writes sentences with quotes, each from the passage that has it."""

    def write(handler: Handler) -> None:
        passages = json.loads(handler.server.models.requests[-1].body["messages"][-1]["content"])["passages"]
        written = []
        for text, quote in lines:
            numbers = [one["number"] for one in passages if quote in one["text"]]
            written.append(sentence(text, (numbers[0] if numbers else 99, quote)) + "\n")
        stream(*written, between=between)(handler)

    return write


def links(screen: Screen) -> list[tuple[str, dict[str, str]]]:
    """The labels of the links to quotes and to threads, with their addresses."""
    drawn = [link.proto for link in screen.app.get("page_link")]
    addresses = [(one.label, parse_qs(one.query_string)) for one in drawn]
    return [(label, {name: values[0] for name, values in address.items()}) for label, address in addresses if address]


def written(screen: Screen, model: ModelServer, *lines: tuple[str, str]) -> Screen:
    model.answers.append(answering(*lines))
    screen.open("search", q=QUESTION).press("write_answer")
    return screen.finish("answer")


def test_without_a_model_there_is_no_button(filled: Screen) -> None:
    assert "Write an answer" not in filled.open("search", q=QUESTION).text


def test_what_the_notes_do_not_answer_is_not_sent(filled: Screen, model: ModelServer) -> None:
    for typed in ("who has won the chess championship?", "pg_restore"):
        assert "Write an answer" not in filled.open("search", q=typed).text
    assert not model.requests


def test_an_answer_is_written_with_links_to_the_marked_places(filled: Screen, model: ModelServer) -> None:
    reworded, unproven = "Their only worth is that of the last restore.", "They cost <b>900</b> dollars."
    screen = written(filled, model, (QUOTE, QUOTE), (reworded, QUOTE), (unproven, QUOTE))
    assert f'<p class="t-word_for_word">{QUOTE} <b>[1]</b> <span class="t-tag">word for word</span></p>' in screen.text
    assert (
        f'<p class="t-in_other_words">{reworded} <b>[1]</b> <span class="t-tag">in other words</span></p>'
        in screen.text
    )
    assert "They cost &lt;b&gt;900&lt;/b&gt; dollars." in screen.text
    assert 'not in your notes</span> <span class="t-small">The quotes don' in screen.text
    (address,) = [address for label, address in links(screen) if label.startswith(r"\[1\]") and "at" in address][-1:]
    start, end = map(int, address["at"].split("-"))
    assert screen.workspace.notes.get(address["note"]).body[start:end] == QUOTE
    assert "What was sent" in screen.text
    assert model.requests[-1].body["messages"][-1]["content"] in screen.text
    screen.open("notes", **address)
    assert not screen.errors


def test_it_is_drawn_as_it_comes_and_can_be_stopped(filled: Screen, model: ModelServer) -> None:
    model.answers.append(answering(("Only restores prove them.", QUOTE), ("They prove more.", QUOTE), between=3.0))
    screen = filled.open("search", q=QUESTION).press("write_answer")
    wait_until(lambda: screen.workspace.threads.latest and screen.workspace.threads.latest.written)
    screen.app.run()
    assert "Only restores prove them." in screen.text
    screen.press("stop_answer").finish("answer")
    assert "Only restores prove them." in screen.text
    assert "They prove more." not in screen.text
    assert "Stopped. The text written so far is kept." in screen.text


def test_a_model_that_fails_is_told_and_the_hits_stay(filled: Screen, model: ModelServer) -> None:
    model.answers.append(Answer({"error": {"message": "out of memory"}}, 500))
    screen = filled.open("search", q=QUESTION).press("write_answer").finish("answer")
    assert "out of memory" in screen.text
    assert 'class="t-hit"' in screen.text


def test_a_thread_goes_on_changes_and_becomes_a_note(filled: Screen, model: ModelServer) -> None:
    body = f"Of the museum. {QUOTE} Count the rows."
    note = filled.workspace.notes.add("museum", body, title="Museum backups", author="person")
    model.answers.append(answering(("They are only worth a restore.", f"Of the museum. {QUOTE}")))
    screen = filled.open("search", q="what are museum backups worth?").press("write_answer").finish("answer")
    thread = screen.workspace.threads.all()[0].id
    assert ("Open the thread, or keep it as a note", {"thread": thread}) in links(screen)

    screen.open("search", thread=thread)
    assert "They are only worth a restore. <b>[1]</b>" in screen.text
    completed = json.dumps({"question": "how often are museum backups restored?"})
    model.answers.extend([Answer(chat(completed)), answering(("Count them.", "Count the rows."))])
    screen.app.text_input(key="thread_question").set_value("how often?")
    screen.press("thread_complete")
    assert screen.app.text_area(key="thread_asked").value == "how often are museum backups restored?"
    screen.app.text_area(key="thread_asked").set_value("how are museum backups restored?")
    screen.press("thread_write").finish("answer")
    turns = screen.workspace.threads.get(thread).turns
    assert [(turn.typed, turn.question) for turn in turns][1] == ("how often?", "how are museum backups restored?")
    screen.app.run()
    assert "Searched for" in screen.text

    screen.workspace.notes.update(note.id, body=body.replace("last restore", "first restore"), author="person")
    screen.app.run()
    assert "The source has changed." in screen.text
    assert "<del>last</del><ins>first</ins>" in screen.text
    screen.press("thread_keep")
    (kept,) = screen.workspace.notes.all(screen.workspace.searching.filters(terms=["status:pending"]))
    assert kept.title == "what are museum backups worth?"
    assert "Saved as a note" in screen.text
    screen.press("thread_delete")
    assert screen.workspace.threads.all() == []
    assert "They are only worth a restore." not in screen.text


def test_a_thread_that_is_gone_is_told(filled: Screen) -> None:
    assert "There is no thread" in filled.open("search", thread="0123456789ab").errors


def position(screen: Screen, *parts: str) -> list[int]:
    """The places of texts in the order in which the page draws them."""
    drawn: list[str] = []

    def walk(block: Any) -> None:
        for child in getattr(block, "children", {}).values():
            if hasattr(child, "children"):
                walk(child)
            else:
                proto = child.proto
                drawn.append(str(getattr(proto, "body", "") or getattr(proto, "label", "")))

    walk(screen.app.main)
    return [next(place for place, text in enumerate(drawn) if part in text) for part in parts]


def test_the_written_answer_comes_before_the_quotes_and_the_hits(filled: Screen, model: ModelServer) -> None:
    screen = filled.open("search", q=QUESTION)
    before = position(screen, "Write an answer", "From your notes", 't-hit"')
    assert before == sorted(before)
    screen = written(filled, model, ("Only restores prove them.", QUOTE))
    after = position(screen, "Only restores prove them.", "Ask a follow-up question", "From your notes", 't-hit"')
    assert after == sorted(after)


def test_a_follow_up_is_asked_and_answered_in_place(filled: Screen, model: ModelServer) -> None:
    screen = written(filled, model, ("Only restores prove them.", QUOTE))
    thread = screen.workspace.threads.all()[0].id
    completed = json.dumps({"question": "what are old backups worth?"})
    model.answers.extend([Answer(chat(completed)), answering(("They prove more.", QUOTE))])
    screen.app.text_input(key="thread_question").set_value("and old ones?")
    screen.press("thread_complete")
    screen.press("thread_write").finish("answer")
    assert len(screen.workspace.threads.get(thread).turns) == 2
    order = position(screen, "Only restores prove them.", "and old ones?", "They prove more.", "From your notes")
    assert order == sorted(order)
    assert screen.text.count("They prove more.") == 1
    assert screen.app.text_input(key="thread_question").value == ""
    # Another question has no part in the thread, and the first one finds it again.
    assert "They prove" not in screen.open("search", q="how often should I run pg_dump?").text
    assert "They prove more." in screen.open("search", q=QUESTION).text
    screen.workspace.threads.delete_for_good(thread)
    screen.app.run()
    assert "They prove more." not in screen.text
    assert not screen.errors


def test_a_follow_up_that_fails_is_reported_in_place(filled: Screen, model: ModelServer) -> None:
    screen = written(filled, model, ("Only restores prove them.", QUOTE))
    model.answers.append(Answer({"error": {"message": "out of memory"}}, 500))
    screen.app.text_input(key="thread_question").set_value("and old ones?")
    screen.press("thread_complete")
    assert "out of memory" in screen.errors
    assert "Only restores prove them." in screen.text
    assert 't-hit"' in screen.text


def test_a_failed_answer_can_be_started_again(filled: Screen, model: ModelServer) -> None:
    model.answers.append(Answer({"error": {"message": "out of memory"}}, 500))
    screen = filled.open("search", q=QUESTION).press("write_answer").finish("answer")
    assert "Try again" in screen.text
    model.answers.append(answering(("Only restores prove them.", QUOTE)))
    screen.press("write_answer").finish("answer")
    assert "Only restores prove them." in screen.text
    assert "out of memory" not in screen.text
