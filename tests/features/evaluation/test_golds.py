"""A correct passage is where its quote stands, however its note was edited and is cut."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from core.base.errors import QuestionSetError
from core.features.evaluation.golds import follow, gold_at, only_place, place, portable, resolve
from core.model import Gold, GoldSpan, KnowledgeBase, Note, Question
from core.store import Store
from tests.growth import assert_linear
from tests.store.test_question_table import make, put

QUOTE = "The heron waits without moving, and takes its time."
TEXTS = st.text(alphabet="ab 中文。\n\r\t>*", max_size=40)


def note(body: str, **fields: object) -> Note:
    return replace(Note("n1", "b", body, "h", title="Title", path="a.md"), **fields)  # type: ignore[arg-type]


def in_body(body: str, quote: str = QUOTE) -> GoldSpan:
    return gold_at(note(body), body.index(quote), body.index(quote) + len(quote))


def followed(gold: GoldSpan, body: str) -> GoldSpan:
    (now,) = follow([gold], note(body))
    return now


@given(TEXTS, TEXTS, TEXTS, TEXTS)
def test_edits_around_a_quote_move_it(before: str, after: str, newly: str, later: str) -> None:
    gold = in_body(before + QUOTE + after)
    now = followed(gold, newly + QUOTE + later)
    assert now == replace(gold, start=len(newly), end=len(newly) + len(QUOTE))


@given(TEXTS, TEXTS, TEXTS)
def test_a_quote_that_is_cut_out_is_flagged_until_it_is_back(before: str, after: str, newly: str) -> None:
    gold = in_body(before + QUOTE + after)
    gone = followed(gold, before + QUOTE[:20] + newly + "x" + QUOTE[20:] + after)
    assert gone == replace(gold, flagged=True)
    back = followed(gone, newly + before + QUOTE + after)
    assert (back.flagged, back.start, back.quote) == (False, len(newly + before), QUOTE)


@given(TEXTS, TEXTS, TEXTS)
def test_a_quote_that_moves_to_another_place_is_found_there(before: str, between: str, after: str) -> None:
    gold = in_body(QUOTE + before + between + after)
    assert followed(gold, before + between + QUOTE + after).start == len(before + between)


@given(st.lists(st.integers(0, 40), min_size=1, max_size=5), st.integers(0, 400))
def test_of_several_places_the_nearest_is_its(gaps: list[int], was: int) -> None:
    body = "".join("·" * gap + QUOTE for gap in gaps)
    starts = [at for at in range(len(body)) if body.startswith(QUOTE, at)]
    gold = GoldSpan("a.md", QUOTE, was, was + len(QUOTE), "n1")
    now = followed(gold, body)
    assert now.start in starts
    assert abs(now.start - was) == min(abs(start - was) for start in starts)


@given(st.lists(st.sampled_from([" ", "\n", "\r\n", "\n\n  ", "\t"]), min_size=8, max_size=8), TEXTS)
def test_other_white_space_is_no_other_quote(spaces: list[str], newly: str) -> None:
    words = QUOTE.split()
    written = words[0] + "".join(space + word for space, word in zip(spaces, words[1:], strict=True))
    now = followed(in_body(f"x\n{QUOTE}"), f"{newly}\n{written}\nend")
    assert not now.flagged
    assert (now.quote, now.start, now.end) == (written, len(newly) + 1, len(newly) + 1 + len(written))


@given(TEXTS, st.integers(0, 40), st.integers(0, 40))
def test_a_passage_is_the_slice_that_was_chosen(body: str, start: int, end: int) -> None:
    if 0 <= start < end <= len(body) and body[start:end].strip():
        gold = gold_at(note(body), start, end)
        assert body[gold.start : gold.end] == gold.quote == body[start:end].strip()
        assert start <= gold.start < gold.end <= end
    else:
        with pytest.raises(QuestionSetError, match=r"a\.md: (the note has|this passage is blank)"):
            gold_at(note(body), start, end)


def test_a_span_that_leaves_the_body_is_refused() -> None:
    for start, end in ((-3, 5), (0, 11), (7, 7), (8, 2)):
        with pytest.raises(QuestionSetError, match="10 characters"):
            gold_at(note("0123456789"), start, end)


def test_chinese_that_is_wrapped_otherwise_is_the_same_quote() -> None:
    quote = "苍鹭一动不动地等着，从不着急。"
    now = followed(in_body(quote, quote), "前言。\n\n苍鹭一动不动\n地等着，\n从不着急。\n")
    assert now.quote == "苍鹭一动不动\n地等着，\n从不着急。"
    assert now.start == 5


def test_white_space_makes_no_word_of_parts_of_two() -> None:
    assert followed(in_body("is it", "is it"), "We saw this\nitem.").flagged
    assert followed(in_body("is it", "is it"), "What is\nit?").quote == "is\nit"


def test_a_passage_goes_by_the_name_that_its_note_has_now() -> None:
    gold = in_body(QUOTE)
    (now,) = follow([gold], note(QUOTE, path="b/c.md"))
    assert now == replace(gold, path="b/c.md")
    (now,) = follow([gold], note(QUOTE, path=None))
    assert now == replace(gold, path="Title")


@pytest.mark.parametrize("quote", ["word " * 4000, "a" * 20_000, "· " * 10_000])
def test_a_long_note_of_one_thing_takes_linear_time(quote: str) -> None:
    def find(quote: str) -> None:
        body = quote * 40
        gold = GoldSpan("a.md", quote.strip() + "!", 5, 5 + len(quote), "n1")
        assert all(now.flagged for now in follow([gold] * 3, note(body)))
        assert only_place(body, quote + "!") is None

    assert_linear(find, quote)


# in a store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = Store(tmp_path / "ws")
    yield store
    store.close()


@pytest.fixture
def base(store: Store) -> KnowledgeBase:
    return make(store, "notes")


def test_a_set_follows_its_notes_and_remembers(store: Store, base: KnowledgeBase) -> None:
    heron = put(store, base, "n1", body=f"One. {QUOTE}")
    otter = put(store, base, "n2", body="Otters hold hands while they sleep.", path="b.md")
    golds = (gold_at(heron, 5, 5 + len(QUOTE)), gold_at(otter, 0, 35))
    kept = store.questions.add_set(base, "mine", [Question("q1", "who waits?", golds), Question("q2", "x", golds[1:])])
    assert resolve(store, kept) == store.questions.for_set(kept)
    put(store, base, "n1", body=f"Another beginning. {QUOTE}", path="birds/a.md")
    store.notes.delete(["n2"])
    moved = replace(golds[0], path="birds/a.md", start=19, end=19 + len(QUOTE))
    flagged = replace(golds[1], flagged=True)
    version = store.database.version()
    assert [one.gold for one in resolve(store, kept)] == [(moved, flagged), (flagged,)]
    assert [one.gold for one in store.questions.for_set(kept)] == [(moved, flagged), (flagged,)]
    assert store.questions.named(base, "mine").flagged == 2
    assert store.database.version() == version
    put(store, base, "n2", body="Otters hold hands while they sleep.", path="b.md")
    assert [one.gold for one in resolve(store, kept)] == [(moved, golds[1]), (golds[1],)]


def test_a_note_that_came_back_under_another_id_is_known_by_its_path(store: Store, base: KnowledgeBase) -> None:
    gold = gold_at(put(store, base, "n1", body=QUOTE), 0, len(QUOTE))
    kept = store.questions.add_set(base, "mine", [Question("q1", "x", (gold,))])
    store.notes.delete(["n1"])
    put(store, base, "n7", body=f"New: {QUOTE}")
    (question,) = resolve(store, kept)
    assert question.gold == (replace(gold, note_id="n7", start=5, end=5 + len(QUOTE)),)
    put(store, base, "n8", body=QUOTE, source_ref="/other")
    store.notes.delete(["n7"])
    put(store, base, "n9", body=QUOTE, source_ref="/third")
    (question,) = resolve(store, kept)
    assert question.spans[0].flagged, "two notes have that path"


def test_a_reader_is_told_the_places_and_stores_none(store: Store, base: KnowledgeBase) -> None:
    gold = gold_at(put(store, base, "n1", body=QUOTE), 0, len(QUOTE))
    kept = store.questions.add_set(base, "mine", [Question("q1", "x", (gold,))])
    put(store, base, "n1", body=f"{QUOTE} {QUOTE} ... {QUOTE}"[5:])
    reader = Store(store.folder, readonly=True)
    (question,) = resolve(reader, kept)
    assert question.spans[0].start == len(QUOTE) - 4
    assert reader.questions.for_set(kept)[0].gold == (gold,)
    reader.close()


def test_file_golds_are_placed(store: Store, base: KnowledgeBase) -> None:
    put(store, base, "n1", body=f"One.\r\n{QUOTE} End.")
    put(store, base, "n2", body="No file.", path=None, title="Loose")
    asked = [
        Question("q1", "x", (Gold("a.md", QUOTE), Gold("Loose", "No file."), Gold("a.md", QUOTE)), line=1),
        Question("q2", "y", (Gold("a.md", "One. The heron"),), line=2, kind="short", note="n", suggested=True),
        Question("q3", "z", (), line=3),
    ]
    first, second, third = place(store, base, asked, "f.jsonl")
    assert first.gold == (
        GoldSpan("a.md", QUOTE, 6, 6 + len(QUOTE), "n1"),
        GoldSpan("Loose", "No file.", 0, 8, "n2"),
    ), "a passage that is named twice is one"
    assert second == replace(asked[1], gold=(GoldSpan("a.md", "One.\r\nThe heron", 0, 15, "n1"),))
    assert third == asked[2]


def test_every_gold_that_has_no_place_is_listed(store: Store, base: KnowledgeBase) -> None:
    put(store, base, "n1", body=f"{QUOTE} {QUOTE} aaa")
    asked = [
        Question("q1", "x", (Gold("none.md", "x"),), line=2),
        Question("q2", "x", (Gold("a.md", QUOTE), Gold("a.md", "lost")), line=4),
        Question("q3", "x", (Gold("a.md", QUOTE, start=52),), line=5),
        Question("q4", "x", (Gold("a.md", QUOTE, start=50),), line=6),
        Question("q5", "x", (Gold("a.md", "aa"),), line=7),
    ]
    with pytest.raises(QuestionSetError) as caught:
        place(store, base, asked, "f.jsonl")
    assert caught.value.line == 2
    lines = str(caught.value).split("\n")
    assert lines[0].startswith("f.jsonl, line 2: question 'q1': there is no note 'none.md'.")
    assert [line.partition(": its quote")[0] for line in lines[1:]] == [
        "line 4: question 'q2'",
        "line 4: question 'q2'",
        "line 6: question 'q4'",
        "line 7: question 'q5'",
    ]
    assert [("more than once" in line, "isn't in" in line) for line in lines[1:]] in (
        [(True, False), (False, True), (False, True), (True, False)],
        [(False, True), (True, False), (False, True), (True, False)],
    )


def test_a_quote_in_two_folders_is_not_one_place(store: Store, base: KnowledgeBase) -> None:
    put(store, base, "n1", body=f"{QUOTE} one", source_ref="/x")
    put(store, base, "n2", body=f"{QUOTE} two", source_ref="/y")
    (question,) = place(store, base, [Question("q", "x", (Gold("a.md", "time. two"),))], "f")
    assert question.spans[0].note_id == "n2"
    with pytest.raises(QuestionSetError, match="more than once"):
        place(store, base, [Question("q", "x", (Gold("a.md", QUOTE),))], "f")


@given(st.lists(st.sampled_from([QUOTE, "Another one.", "\n", "中文"]), min_size=1, max_size=6), st.data())
def test_what_is_told_is_placed_where_it_was(parts: list[str], data: st.DataObject) -> None:
    body = "".join(parts)
    assume(body.strip())
    start = data.draw(st.integers(0, len(body) - 1))
    end = data.draw(st.integers(start + 1, len(body)))
    assume(body[start:end].strip())
    held = _Held(note(body))
    question = Question("q", "x", (gold_at(note(body), start, end),))
    (written,) = portable(held, [question])  # type: ignore[arg-type]
    assert type(written.gold[0]) is Gold
    assert place(held, held.base, [written], "f") == [question]  # type: ignore[arg-type]


class _Held:
    """As much of a store as one note in memory needs."""

    def __init__(self, note: Note) -> None:
        self.notes = self.questions = self
        self.base = self
        self.id = "b"
        self._note = note

    def note(self, note_id: str) -> Note:
        return self._note

    def note_ids(self, base_id: str) -> dict[str, list[str]]:
        return {"a.md": ["n1"]}
