"""A question file is read whole or its bad lines are named."""

import json
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.errors import QuestionSetError, SourceError
from core.features.evaluation.golds import portable, resolve
from core.features.evaluation.questions import content, dump, dump_table, parse, read
from core.model import Gold, Question
from core.store import Store
from tests.growth import assert_grows_linearly
from tests.store.test_question_table import make, put

ROW = {"id": "q1", "question": "为什么?", "gold": [{"path": "a/b.md", "quote": "because"}]}


def written(folder: Path, *rows: object) -> Path:
    path = folder / "set.jsonl"
    lines = [row if isinstance(row, bytes) else json.dumps(row).encode() for row in rows]
    path.write_bytes(b"\n".join(lines))
    return path


def load(path: Path) -> list[Question]:
    return parse(content(path), str(path))


def test_all_fields_and_defaults(tmp_path: Path) -> None:
    full = {**ROW, "id": "q2", "kind": "short", "any": False, "gold": [], "note": "from Ann", "suggested": True}
    full["author"] = "unknown keys are left alone"
    path = written(tmp_path, b"\xef\xbb\xbf" + json.dumps(ROW).encode() + b"\r", b"", b"  \r", full, b"")
    assert load(path) == [
        Question("q1", "为什么?", (Gold("a/b.md", "because"),), any=True, kind="", line=1),
        Question("q2", "为什么?", (), any=False, kind="short", line=4, note="from Ann", suggested=True),
    ]


def test_empty_file_has_no_questions(tmp_path: Path) -> None:
    assert load(written(tmp_path)) == []


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (b"{nonsense", "isn't a JSON object"),
        (b"\xff\xfe{", "UTF-8"),
        (b"[1, 2]", "must be a JSON object"),
        (b"null", "must be a JSON object"),
        (b"[" * 100_000, "isn't a JSON object|nested too deeply"),
        (b'{"id": ' + b"9" * 5000 + b"}", "."),
        ({"question": "x", "gold": []}, "'id' is missing"),
        ({**ROW, "id": 7}, "'id' must be text"),
        ({**ROW, "id": "q2", "question": "  "}, "'question' is missing"),
        ({"id": "q2", "question": "x"}, "'gold' is missing"),
        ({**ROW, "id": "q2", "gold": "a.md"}, "'gold' must be a list"),
        ({**ROW, "id": "q2", "gold": ["a.md"]}, "'gold' must be an object"),
        ({**ROW, "id": "q2", "gold": [{"path": "a.md"}]}, "'quote' is missing"),
        ({**ROW, "id": "q2", "gold": [{"path": "a.md", "quote": ""}]}, "'quote' is missing"),
        ({**ROW, "id": "q2", "any": "yes"}, "'any' must be true or false"),
        ({**ROW, "id": "q2", "kind": 1}, "'kind' must be text"),
        ({**ROW, "id": "q2", "note": None}, "'note' must be text"),
        ({**ROW, "id": "q2", "note": "\udfff"}, "'note' must be text"),
        ({**ROW, "id": "q2", "suggested": 2}, "'suggested' must be true or false"),
        (
            {**ROW, "id": "q2", "gold": [{"path": "a.md", "quote": "x", "start": -1}]},
            "'start' must be a character position",
        ),
        (
            {**ROW, "id": "q2", "gold": [{"path": "a.md", "quote": "x", "start": True}]},
            "'start' must be a whole number",
        ),
        ({**ROW, "id": "q2", "question": "\ud800"}, "'question' must be text"),
        (ROW, "'q1' is already used in line 1"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, row: object, reason: str) -> None:
    with pytest.raises(QuestionSetError, match=rf"set\.jsonl, line 3: .*({reason})") as caught:
        load(written(tmp_path, ROW, b"", row))
    assert caught.value.line == 3


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="There is no such file"):
        load(tmp_path / "none.jsonl")


def test_every_bad_line_is_listed(tmp_path: Path) -> None:
    path = written(tmp_path, ROW, b"{", {**ROW, "id": ""}, ROW)
    with pytest.raises(QuestionSetError) as caught:
        load(path)
    assert caught.value.line == 2
    assert str(caught.value).split("\n") == [
        f"{path}, line 2: this isn't a JSON object (a name in double quotation marks is expected here, column 2).",
        "line 3: the field 'id' is missing.",
        "line 4: the id 'q1' is already used in line 1.",
    ]


def test_twenty_bad_lines_are_listed_and_the_others_counted() -> None:
    with pytest.raises(QuestionSetError) as caught:
        parse(b"[]\n" * 1021, "many.jsonl")
    lines = str(caught.value).split("\n")
    assert len(lines) == 21
    assert lines[19].startswith("line 20: ")
    assert lines[20] == "1,001 more problems were found."


def test_the_form_of_a_written_file() -> None:
    questions = [
        Question("q1", "为什么?", (Gold("a.md", "“因为”\n其"), Gold("b.md", "x", 7)), kind="short", line=3),
        Question("q2", "?", (), any=False, note="n", suggested=True),
    ]
    assert dump(questions).decode() == (
        '{"id": "q1", "question": "为什么?", "kind": "short", "gold": [{"path": "a.md", "quote": "“因为”\\n其"}, '
        '{"path": "b.md", "quote": "x", "start": 7}], "any": true}\n'
        '{"id": "q2", "question": "?", "kind": "", "gold": [], "any": false, "note": "n", "suggested": true}\n'
    )


CHARACTERS = st.characters(exclude_categories=("Cs", "Cc"), include_characters="\n\t")
WORDS = st.text(CHARACTERS, min_size=1, max_size=12).filter(str.strip)
GOLDS = st.builds(Gold, WORDS, WORDS, st.none() | st.integers(0, 99))
QUESTIONS = st.builds(
    Question,
    id=WORDS.map(str.strip),
    text=WORDS,
    gold=st.lists(GOLDS, max_size=3).map(tuple),
    any=st.booleans(),
    kind=st.just("") | WORDS,
    line=st.just(0),
    note=st.just("") | WORDS,
    suggested=st.booleans(),
)
SETS = st.lists(QUESTIONS, max_size=4, unique_by=lambda question: question.id)


@given(SETS)
def test_what_is_written_is_read(questions: list[Question]) -> None:
    found = parse(dump(questions), "set.jsonl")
    assert [one.line for one in found] == list(range(1, len(found) + 1))
    assert list(map(_without_line, found)) == questions


def _without_line(question: Question) -> Question:
    fields = {name: getattr(question, name) for name in Question.__slots__}
    return Question(**fields | {"line": 0})


@pytest.mark.parametrize("name", ["large.jsonl", "large.csv"])
def test_lines_are_read_in_linear_time(name: str) -> None:
    def prepare(count: int) -> Callable[[], object]:
        rows = [Question(f"q{n}", f"question {n}?", (Gold("a.md", f"Sentence {n}."),)) for n in range(count)]
        data = dump(rows) if name.endswith("jsonl") else dump_table(rows)

        def read_all() -> None:
            assert len(parse(data, name)) == count

        return read_all

    assert_grows_linearly(prepare, 10_000)


# into a base


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = Store(tmp_path / "ws")
    yield store
    store.close()


def test_a_file_is_taken_whole_or_not_at_all(store: Store) -> None:
    base = make(store, "notes")
    put(store, base, "n1", body="It rains because clouds are heavy.", path="a/b.md")
    (question,) = read(store, base, json.dumps(ROW).encode(), "set.jsonl")
    assert [(gold.note_id, gold.start, gold.end) for gold in question.spans] == [("n1", 9, 16)]
    kept = store.questions.add_set(base, "mine", [question])
    again = b"\n".join(json.dumps({**ROW, "id": name}).encode() for name in ("q0", "q1"))
    with pytest.raises(QuestionSetError, match=r"set\.jsonl, line 2: the id 'q1' is already in the question set\."):
        read(store, base, again, "set.jsonl", taken={one.id for one in store.questions.for_set(kept)})
    empty = (
        (b"", "s.jsonl"),
        (b"\xef\xbb\xbf \n\n", "s.jsonl"),
        (b"", "s.csv"),
        (b"id,question,path,quote\n", "s.csv"),
    )
    for data, name in empty:
        with pytest.raises(QuestionSetError, match=r"line 1: there are no questions in this file"):
            read(store, base, data, name)


def test_a_set_is_the_same_after_it_was_written_and_read(store: Store) -> None:
    base = make(store, "notes")
    body = "Twice it stands. Twice it stands.\r\nAnd once."
    put(store, base, "n1", body=body, path="a.md")
    golds = (Gold("a.md", "Twice it stands.", 17), Gold("a.md", "stands.\r\nAnd"))
    asked = [Question("q1", "x", golds, any=False, kind="k", line=1), Question("q2", "y", (), line=2)]
    placed = read(store, base, dump(asked), "set.jsonl")
    assert [gold.start for gold in placed[0].spans] == [17, 26]
    kept = store.questions.add_set(base, "mine", placed)
    assert dump(portable(store, resolve(store, kept))) == dump(asked)


def test_questions_are_placed_in_linear_time(store: Store) -> None:
    base = make(store, "notes")
    for number in range(10):
        body = " ".join(f"Sentence {n} of it." for n in range(500))
        put(store, base, f"n{number}", body=body, path=f"{number}.md")
    names = map(str, count())

    def prepare(size: int) -> Callable[[], object]:
        golds = [Gold(f"{n % 10}.md", f"Sentence {n // 10} of it.") for n in range(size)]
        asked = [Question(f"q{n}", "x", (gold,), line=n + 1) for n, gold in enumerate(golds)]

        def place_all() -> None:
            kept = store.questions.add_set(base, next(names), read(store, base, dump(asked), "large.jsonl"))
            assert dump(portable(store, resolve(store, kept))) == dump(asked)

        return place_all

    assert_grows_linearly(prepare, 4_000)
