"""A person's edits over whatever a chunker cuts: the regions stay theirs, nothing is lost between."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.errors import ChunkNotFound, EditError
from core.chunking import build
from core.indexing.edits import Act, Applied, ChunkEditor, apply, places, shift_edits
from core.model import Chunk, ChunkingOptions, Edit, EditKind
from tests.chunking.fakes import chunks_of, note, words
from tests.chunking.test_properties import BODIES, OPTIONS, many
from tests.growth import assert_grows_linearly, assert_linear

LINES = "one\ntwo\nthree\nfour\n"
PROSE = " ".join(f"Sentence {number} of a text that is cut by its size." for number in range(30))
SIZES = {"chunk_size": 40, "chunk_overlap": 10, "max_single_chunk_size": 60}
Acts = Sequence[Callable[[ChunkEditor], Act]]


def at_desk(body: str, edits: Sequence[Edit] = (), strategy: str = "lines", **sizes: int) -> ChunkEditor:
    options = replace(OPTIONS, strategy=strategy, **sizes)
    applied = apply(note(body), chunks_of(build(options), body), edits, words)
    return ChunkEditor(note(body), applied.chunks, applied.edits)


def after(body: str, *acts: Callable[[ChunkEditor], Act], strategy: str = "lines", **sizes: int) -> ChunkEditor:
    """The note as it is after some acts, each on what the one before left."""
    editor = at_desk(body, strategy=strategy, **sizes)
    for act in acts:
        editor = at_desk(body, act(editor).edits, strategy, **sizes)
    return editor


def edited(number: int, text: str) -> Callable[[ChunkEditor], Act]:
    return lambda editor: editor.edit(editor.chunks[number].id, text)


def merged(number: int) -> Callable[[ChunkEditor], Act]:
    return lambda editor: editor.merge(editor.chunks[number].id)


def joined(*numbers: int) -> Callable[[ChunkEditor], Act]:
    return lambda editor: editor.merge(*(editor.chunks[number].id for number in numbers))


def split(number: int, at: int) -> Callable[[ChunkEditor], Act]:
    return lambda editor: editor.split(editor.chunks[number].id, at)


def deleted(number: int) -> Callable[[ChunkEditor], Act]:
    return lambda editor: editor.delete(editor.chunks[number].id)


def restored(number: int) -> Callable[[ChunkEditor], Act]:
    return lambda editor: editor.restore(editor.chunks[number].id)


def added(text: str, behind: int | None = None) -> Callable[[ChunkEditor], Act]:
    return lambda editor: editor.add(text, None if behind is None else editor.chunks[behind].id)


def shown(editor: ChunkEditor) -> list[str]:
    """The chunks' texts: edited ones with a star, deleted ones with a minus."""
    return [
        ("-" if chunk.state == "deleted" else "") + ("*" if chunk.edited else "") + chunk.text
        for chunk in editor.chunks
    ]


def edit(kind: EditKind, anchor: str, start: int, text: str = "", *, name: str = "", second: int = 0) -> Edit:
    created = datetime(2026, 1, 1, 0, 0, second, tzinfo=UTC)
    return Edit(name or f"{kind}{start}", "n", kind, anchor, start, created, text, deleted=kind == "delete")


@pytest.mark.parametrize(
    ("acts", "expected"),
    [
        ([edited(1, "zwei")], ["one", "*zwei", "three", "four"]),
        ([edited(1, "two")], ["one", "two", "three", "four"]),
        ([edited(1, "zwei"), edited(1, "deux")], ["one", "*deux", "three", "four"]),
        ([edited(0, "uno"), edited(3, "quattro")], ["*uno", "two", "three", "*quattro"]),
        ([edited(1, "zwei"), restored(1)], ["one", "two", "three", "four"]),
        ([merged(1)], ["one", "*two\nthree", "four"]),
        ([merged(0), merged(0), merged(0)], ["*one\ntwo\nthree\nfour"]),
        ([merged(0), restored(0)], ["one", "two", "three", "four"]),
        ([joined(2, 0, 1)], ["*one\ntwo\nthree", "four"]),
        ([joined(1, 1)], ["one", "*two\nthree", "four"]),
        ([joined(0, 1, 2, 3), restored(0)], ["one", "two", "three", "four"]),
        ([edited(1, "zwei"), joined(0, 1, 2)], ["*one\nzwei\nthree", "four"]),
        ([split(2, 2), joined(1, 2, 3)], ["one", "*two\nthree", "four"]),
        ([added("a", 1), added("b", 2), joined(1, 2, 3, 4)], ["one", "*two\n\na\n\nb\n\nthree", "four"]),
        (
            [added("a", 1), added("b", 2), added("c", 3), joined(2, 3, 4)],
            ["one", "two", "*a\n\nb\n\nc", "three", "four"],
        ),
        ([edited(1, "zwei"), merged(1)], ["one", "*zwei\nthree", "four"]),
        ([edited(1, "zwei"), merged(0)], ["*one\nzwei", "three", "four"]),
        ([split(2, 2)], ["one", "two", "*th", "*ree", "four"]),
        ([split(2, 2), split(3, 1)], ["one", "two", "*th", "*r", "*ee", "four"]),
        ([split(2, 2), merged(2)], ["one", "two", "*three", "four"]),
        ([split(2, 2), restored(3)], ["one", "two", "three", "four"]),
        ([split(2, 2), edited(3, "mine"), restored(2)], ["one", "two", "th", "*mine", "four"]),
        ([split(2, 2), split(3, 1), restored(3)], ["one", "two", "*th", "ree", "four"]),
        ([edited(2, "drei vier"), split(2, 4)], ["one", "two", "*drei", "* vier", "four"]),
        ([deleted(1)], ["one", "-two", "three", "four"]),
        ([deleted(1), restored(1)], ["one", "two", "three", "four"]),
        ([edited(1, "zwei"), deleted(1)], ["one", "-*zwei", "three", "four"]),
        ([edited(1, "zwei"), deleted(1), restored(1)], ["one", "*zwei", "three", "four"]),
        ([merged(1), deleted(1), restored(1)], ["one", "*two\nthree", "four"]),
        ([added("new", 1)], ["one", "two", "*new", "three", "four"]),
        ([added("new")], ["one", "two", "three", "four", "*new"]),
        ([added("new"), added("newer")], ["one", "two", "three", "four", "*new", "*newer"]),
        ([added("b", 0), added("a", 0)], ["one", "*a", "*b", "two", "three", "four"]),
        ([added("a", 0), added("b", 1), added("ab", 1)], ["one", "*a", "*ab", "*b", "two", "three", "four"]),
        ([added("new", 1), edited(2, "newer")], ["one", "two", "*newer", "three", "four"]),
        ([added("new", 1), deleted(2)], ["one", "two", "-*new", "three", "four"]),
        ([added("new", 1), deleted(2), restored(2)], ["one", "two", "*new", "three", "four"]),
        ([added("new", 1), restored(2)], ["one", "two", "three", "four"]),
        ([added("new", 1), merged(1)], ["one", "*two\n\nnew", "three", "four"]),
        ([added("new", 1), merged(2)], ["one", "two", "*new\n\nthree", "four"]),
        ([added("a", 1), added("b", 2), merged(2)], ["one", "two", "*a\n\nb", "three", "four"]),
        ([added("a b", 1), added("c", 2), split(2, 1)], ["one", "two", "*a", "* b", "*c", "three", "four"]),
        ([added("new", 1), deleted(1)], ["one", "-two", "*new", "three", "four"]),
    ],
)
def test_acts(acts: Acts, expected: list[str]) -> None:
    editor = after(LINES, *acts)
    assert shown(editor) == expected
    assert [chunk.index for chunk in editor.chunks] == list(range(len(expected)))
    assert {chunk.total for chunk in editor.chunks} == {len(expected)}
    assert not any(edit.flagged for edit in editor.edits)


@pytest.mark.parametrize(
    ("acts", "says"),
    [
        ([edited(0, " \n")], "empty"),
        ([added("")], "empty"),
        ([merged(3)], "last"),
        ([joined(0, 2)], "not next to each other"),
        ([joined(0, 1, 3)], "not next to each other"),
        ([deleted(1), joined(0, 1, 2)], "Chunk 2 of the note is deleted"),
        ([deleted(1), joined(0, 2)], "not next to each other"),
        ([split(0, 0)], "from 1 to 2"),
        ([split(0, 3)], "from 1 to 2"),
        ([split(0, -1)], "from 1 to 2"),
        ([split(0, 99)], "from 1 to 2"),
        ([restored(0)], "no edit"),
        ([deleted(0), deleted(0)], "Restore it first"),
        ([deleted(0), edited(0, "x")], "Restore it first"),
        ([deleted(1), merged(0)], "Chunk 2 of the note is deleted"),
        ([added("new"), merged(4)], "last"),
    ],
)
def test_what_can_not_be_done_says_why(acts: Acts, says: str) -> None:
    with pytest.raises(EditError, match=says):
        after(LINES, *acts)


def test_a_chunk_that_is_not_there() -> None:
    editor = at_desk(LINES)
    for act in (
        editor.merge,
        editor.delete,
        editor.restore,
        lambda name: editor.edit(name, "x"),
        lambda name: editor.add("x", name),
        lambda name: editor.merge(editor.chunks[0].id, name),
    ):
        with pytest.raises(ChunkNotFound):
            act("n:nothing")


def test_a_note_without_a_chunk_takes_additions() -> None:
    assert shown(after(" \n", added("first"))) == ["*first"]
    assert shown(after("", added("first"), added("second", 0))) == ["*first", "*second"]


# other cuts of the same text


@pytest.mark.parametrize("strategy", ["none", "recursive", "markdown", "lines", "auto"])
def test_edits_stay_where_they_are_however_the_note_is_cut(strategy: str) -> None:
    body = "\n\n".join(["# Note", "First paragraph.", "## A", "Words of A.", "## B", "Words of B.", "The end."])
    edits = after(body, edited(1, "My first."), deleted(3), merged(4), added("Mine.", 4)).edits
    editor = at_desk(body, edits, strategy)
    texts = shown(editor)
    for mine in ("*My first.", "-Words of A.", "*## B\n\nWords of B.", "*Mine."):
        assert texts.count(mine) == 1
    assert texts.index("*Mine.") == texts.index("*## B\n\nWords of B.") + 1
    assert not any("First paragraph." in text or "Words of A." in text for text in texts if text[0] != "-")
    assert any("The end." in text for text in texts)


def test_a_chunk_gives_up_what_an_edit_holds_and_keeps_the_rest() -> None:
    edits = after(LINES, edited(1, "zwei"), deleted(2)).edits
    editor = at_desk(LINES, edits, "none")
    assert shown(editor) == ["one", "*zwei", "-three", "four"]
    assert [LINES[chunk.start : chunk.end] for chunk in editor.chunks] == ["one", "two", "three", "four"]


def test_chunks_no_edit_touches_stay_the_same() -> None:
    plain = at_desk(PROSE, strategy="recursive", **SIZES).chunks
    editor = after(PROSE, edited(3, "Mine."), strategy="recursive", **SIZES)
    same = [chunk for chunk in editor.chunks if chunk.id in {chunk.id for chunk in plain}]
    # The edited one, and the one after it, which gives up the text that they share.
    assert len(same) == len(plain) - 2 > 3
    for chunk in same:
        (before,) = (other for other in plain if other.id == chunk.id)
        assert chunk == replace(before, index=chunk.index, total=chunk.total)


def test_text_shared_with_the_chunk_before_is_that_ones() -> None:
    plain = at_desk(PROSE, strategy="recursive", **SIZES).chunks
    assert plain[2].start < plain[1].end
    for act in (deleted(2), edited(2, "Mine.")):
        editor = after(PROSE, act, strategy="recursive", **SIZES)
        assert editor.chunks[1] == plain[1]
        assert editor.chunks[2].start == plain[1].end + 1
        assert plain[3].start < plain[2].end <= editor.chunks[3].start


def test_an_edit_inside_shared_text_leaves_it_to_the_chunk_before() -> None:
    plain = at_desk(PROSE, strategy="recursive", **SIZES).chunks
    shared = PROSE[plain[2].start : plain[1].end]
    inside = edit("text", shared[3:8], plain[2].start + 3, "Mine.")
    editor = at_desk(PROSE, [inside], "recursive", **SIZES)
    texts = [chunk.text for chunk in editor.chunks[1:5]]
    start, end = plain[0].end, plain[1].end
    assert texts == [
        PROSE[start : plain[2].start + 3].strip(),
        "Mine.",
        shared[8:].strip(),
        PROSE[end : plain[2].end].strip(),
    ]


def test_an_addition_stands_between_two_chunks_that_share_text() -> None:
    editor = after(PROSE, added("Mine.", 1), strategy="recursive", **SIZES)
    assert [chunk.index for chunk in editor.chunks if chunk.edited] == [2]
    assert (editor.chunks[2].overlap_tokens, editor.chunks[2].start, editor.chunks[3].start < editor.chunks[1].end) == (
        0,
        editor.chunks[1].end,
        True,
    )


def test_two_chunks_that_share_text_are_merged_without_doubling_it() -> None:
    plain = at_desk(PROSE, strategy="recursive", **SIZES).chunks
    both = PROSE[plain[1].start : plain[2].end]
    assert after(PROSE, merged(1), strategy="recursive", **SIZES).chunks[1].text == both
    editor = after(PROSE, edited(1, "Mine."), merged(1), strategy="recursive", **SIZES)
    assert editor.chunks[1].text == "Mine. " + PROSE[plain[1].end : plain[2].end].lstrip()
    three = PROSE[plain[1].start : plain[3].end]
    assert after(PROSE, joined(1, 2, 3), strategy="recursive", **SIZES).chunks[1].text == three
    editor = after(PROSE, edited(3, "Mine."), joined(1, 2, 3), strategy="recursive", **SIZES)
    assert editor.chunks[1].text == PROSE[plain[1].start : plain[2].end] + " Mine."


def test_a_part_has_its_own_section_and_size() -> None:
    body = "# Top\n\nIntro words.\n\n## A\n\nText of A.\n\n## B\n\n```py\nx = 1\n```\n"
    at = body.index("## B")
    editor = after(body, split(0, at), strategy="none")
    left, right = editor.chunks
    assert (left.section_title, left.has_code) == ("Top", False)
    assert (right.section_title, right.parent_sections, right.hierarchy_level) == ("B", ("Top",), 2)
    assert (right.has_code, right.language, right.lead) == (True, "code", "")
    assert right.token_count == len(words(right.text))
    editor = after(body, split(0, at), edited(1, "只有中文。"), added("Behind B", 1), strategy="none")
    assert [chunk.section_title for chunk in editor.chunks] == ["Top", "B", "B"]
    assert (editor.chunks[1].language, editor.chunks[1].has_code) == ("zh", False)
    assert editor.chunks[1].token_count == 5


def test_a_part_of_a_table_repeats_its_header() -> None:
    body = "| a | b |\n|---|---|\n" + "".join(f"| r{row} | x |\n" for row in range(6))
    editor = after(body, split(0, body.index("| r3")), strategy="none")
    assert editor.chunks[1].lead.startswith("| a | b |")
    assert editor.chunks[1].text.startswith("| r3")
    editor = after(body, split(0, body.index("| r3")), edited(1, "| r3 | mine |"), added("Mine.", 0), strategy="none")
    assert [bool(chunk.lead) for chunk in editor.chunks] == [False, False, True]


# other texts


def test_edits_follow_their_text_through_changes_elsewhere() -> None:
    edits = after(LINES, edited(1, "zwei"), merged(2), added("new", 1)).edits
    editor = at_desk("zero\n\n" + LINES.replace("one", "ONE, longer"), edits)
    assert shown(editor) == ["zero", "ONE, longer", "*zwei", "*new", "*three\nfour"]
    assert shown(at_desk(LINES, editor.edits)) == ["one", "*zwei", "*new", "*three\nfour"]


def test_an_edit_whose_text_is_gone_is_flagged_and_comes_back_with_it() -> None:
    edits = after(LINES, edited(1, "zwei"), deleted(2)).edits
    editor = at_desk(LINES.replace("two", "TWO"), edits)
    assert shown(editor) == ["one", "TWO", "-three", "four"]
    assert [(edit.text, edit.flagged) for edit in editor.edits] == [("zwei", True), ("", False)]
    assert shown(at_desk(LINES, editor.edits)) == ["one", "*zwei", "-three", "four"]


def test_line_ends_may_change() -> None:
    body = "# 标题\n\n第一行，\n第二行。\n\nEnd.\n"
    windows = body.replace("\n", "\r\n")
    edits = after(body, merged(1), edited(1, "我的"), deleted(2), added("new", 1)).edits
    for other in (windows, "第零行\r\n" + windows, body.replace("\n", "\r"), body):
        editor = at_desk(other, edits)
        assert shown(editor)[-4:] == ["# 标题", "*我的", "*new", "-End."]
        assert other[editor.chunks[-3].start : editor.chunks[-3].end].splitlines() == ["第一行，", "第二行。"]
    backwards = after(windows, merged(1)).edits
    assert shown(at_desk(body, backwards))[1] == "*第一行，\n第二行。"


@pytest.mark.parametrize(("was", "now"), [(0, 0), (5, 0), (8, 13), (13, 13), (29, 27), (500, 27)])
def test_of_equal_texts_the_nearest_is_meant(was: int, now: int) -> None:
    body = "todo\n\nfirst\n\ntodo\n\nsecond\n\ntodo\n"
    editor = at_desk(body, [edit("text", "todo", was, "mine")], "none")
    assert [chunk.start for chunk in editor.chunks if chunk.edited] == [now]
    assert editor.edits[0].anchor_start == now


def test_equal_texts_with_edits_of_their_own_keep_them() -> None:
    body = "todo\n\nfirst\n\ntodo\n\nsecond\n\ntodo\n"
    starts = [at for at in range(len(body)) if body.startswith("todo", at)]
    edits = [edit("text", "todo", start, f"mine {number}") for number, start in enumerate(starts)]
    for head in ("", "x\n\n", "A long new paragraph at the top of the note.\n\n"):
        editor = at_desk(head + body, shift_edits(edits, body, head + body), "none")
        assert [chunk.text for chunk in editor.chunks if chunk.edited] == ["mine 0", "mine 1", "mine 2"]
    shorter = body.replace("first\n\ntodo", "first")
    editor = at_desk(shorter, shift_edits(edits, body, shorter), "none")
    assert [chunk.text for chunk in editor.chunks if chunk.edited] == ["mine 0", "mine 2"]
    assert [edit.flagged for edit in editor.edits] == [False, True, False]


def test_of_two_edits_that_overlap_the_later_wins_and_the_other_is_flagged() -> None:
    first = edit("merge", "two\nthree", 4, name="first", second=1)
    later = edit("text", "three\nfour", 8, "mine", name="later", second=2)
    for edits in ([first, later], [later, first]):
        editor = at_desk(LINES, edits)
        assert shown(editor) == ["one", "two", "*mine"]
        assert {edit.id: edit.flagged for edit in editor.edits} == {"first": True, "later": False}
    assert shown(at_desk(LINES, [first])) == ["one", "*two\nthree", "four"]


def test_an_edit_in_its_place_is_not_pushed_out_by_one_that_lost_its_own() -> None:
    here = edit("text", "todo", 0, "here", name="here", second=1)
    lost = edit("text", "todo", 50, "lost", name="lost", second=2)
    editor = at_desk("todo\n\nother", [here, lost])
    assert shown(editor) == ["*here", "other"]
    assert [edit.flagged for edit in editor.edits] == [False, True]


def test_an_addition_inside_a_chunk_stands_behind_it() -> None:
    assert shown(at_desk(LINES, [edit("add", "two", 4, "new")], "none")) == [LINES.strip(), "*new"]
    assert shown(at_desk(LINES, [edit("add", "gone", 4, "new")], "none")) == [LINES.strip()]


def test_keeping_a_flagged_edit_puts_it_at_the_end() -> None:
    changed = LINES.replace("two", "TWO").replace("four", "FOUR")
    editor = at_desk(changed, after(LINES, edited(1, "zwei"), merged(2), deleted(0)).edits)
    text, pinned, _ = editor.edits
    editor = at_desk(changed, editor.keep(text).edits)
    editor = at_desk(changed, editor.keep(pinned).edits)
    assert shown(editor) == ["-one", "TWO", "three", "FOUR", "*zwei", "*three\nfour"]
    assert shown(at_desk("all new", editor.edits)) == ["all new", "*zwei", "*three\nfour"]
    (lost,) = (edit for edit in at_desk("all new", editor.edits).edits if edit.flagged)
    with pytest.raises(EditError, match="nothing to keep"):
        editor.keep(lost)
    assert lost not in editor.drop(lost).edits


@pytest.mark.parametrize(
    ("before", "after", "start", "expected"),
    [
        ("a\nx\nb\nx\n", "a\nx\nb\nx\n", 6, 6),
        ("a\nx\nb\nx\n", "new\na\nx\nb\nx\n", 2, 6),
        ("a\nx\nb\nx\n", "a\nx\nnew\nb\nx\nnew\n", 2, 2),
        ("a\nx\nb\nx\n", "a\nx\nnew\nb\nx\nnew\n", 6, 10),
        ("a\nx\nb\nx\n", "new\na\nx\nb\nx\nnew\n", 6, 10),
        ("a\nx\nb\nx\n", "b\nx\na\nx\n", 6, 2),
        ("a\nx\nb\nx\n", "a\r\nx\r\nb\r\nx\r\n", 6, 8),
        ("a\nx\nb\nx\n", "b\nx\n", 6, 2),
        ("x\na\n", "new\nx\na\n", 0, 4),
        ("x\nx\n", "x\nx\nx\n", 2, 2),
        ("abc", "", 0, 0),
        ("", "abc", 0, 0),
    ],
)
def test_places_move_with_the_text_around(before: str, after: str, start: int, expected: int) -> None:
    assert shift_edits([edit("text", "", start)], before, after)[0].anchor_start == expected


def test_many_edits_and_a_hostile_text_take_no_quadratic_time() -> None:
    anchor = "a" * 700 + "b" + "a" * 700

    def find(body: str) -> None:
        end = len(body)
        edits = [edit("text", anchor, 5, "x", name="1"), edit("text", "a", end - 1, "x", name="2")]
        assert places(body, edits) == {"2": (end - 1, end)}

    def prepare(size: int) -> Callable[[], object]:
        lines = [f"line {number}" for number in range(size)]
        text = "\n".join(lines)
        starts = [0, *accumulate(len(line) + 1 for line in lines)]
        edits = [edit("text", lines[n], starts[n], "mine", name=str(n)) for n in range(0, size, 20)]

        def shift() -> None:
            editor = at_desk("new\n" + text, shift_edits(edits, text, "new\n" + text))
            assert sum(chunk.edited for chunk in editor.chunks) == len(edits)

        return shift

    assert_linear(find, "a" * 2_000_000)
    assert_grows_linearly(prepare, 8_000)


# whatever the text, the cut and the acts


@st.composite
def worked(draw: st.DrawFn) -> tuple[str, list[Edit]]:
    """A body, and its edits after some acts on its chunks."""
    body = draw(BODIES)
    strategy = draw(st.sampled_from(["none", "markdown", "recursive", "lines"]))
    edits: list[Edit] = []
    for _ in range(draw(st.integers(1, 6))):
        editor = at_desk(body, edits, strategy)
        name = draw(st.sampled_from([chunk.id for chunk in editor.chunks] or [""]))
        act = draw(st.sampled_from(["edit", "merge", "split", "delete", "restore", "add"]))
        given = {"edit": ["My text"], "split": [draw(st.integers(0, 40))]}.get(act, [])
        try:
            done = editor.add("Added", name or None) if act == "add" else getattr(editor, act)(name, *given)
        except (EditError, ChunkNotFound):
            continue
        edits = done.edits
    return body, edits


def check(body: str, applied: Applied | ChunkEditor, plain: Sequence[Chunk]) -> None:
    chunks = applied.chunks
    texts = {edit.chunk_id: edit for edit in applied.edits if edit.text}
    assert len({chunk.id for chunk in chunks}) == len(chunks)
    assert [chunk.index for chunk in chunks] == list(range(len(chunks)))
    wide = [chunk for chunk in chunks if chunk.start < chunk.end]
    assert [chunk.start for chunk in wide] == sorted(chunk.start for chunk in wide)
    for chunk in chunks:
        assert chunk.text == (texts[chunk.id].text if chunk.id in texts else body[chunk.start : chunk.end])
        assert chunk.text.strip()
    covered = bytearray(len(body))
    for chunk in wide:
        covered[chunk.start : chunk.end] = b"\1" * (chunk.end - chunk.start)
    for chunk in plain:
        assert all(covered[at] or body[at].isspace() for at in range(chunk.start, chunk.end))
    placed = [edit for edit in applied.edits if not edit.flagged]
    assert {edit.chunk_id for edit in placed} == {chunk.id for chunk in chunks if ":edit-" in chunk.id}


@many
@given(worked(), st.sampled_from(["none", "markdown", "recursive", "lines"]))
def test_nothing_is_lost_and_every_edit_has_its_chunk(work: tuple[str, list[Edit]], strategy: str) -> None:
    body, edits = work
    editor = at_desk(body, edits, strategy)
    assert not any(edit.flagged for edit in editor.edits)
    check(body, editor, chunks_of(build(replace(OPTIONS, strategy=strategy)), body))
    assert at_desk(body, editor.edits, strategy).chunks == editor.chunks


@many
@given(worked(), BODIES, st.sampled_from(["before", "behind", "instead"]))
def test_no_edit_is_dropped_when_the_text_changes(work: tuple[str, list[Edit]], other: str, where: str) -> None:
    body, edits = work
    changed = {"before": other + "\n\n" + body, "behind": body + "\n\n" + other, "instead": other}[where]
    editor = at_desk(changed, shift_edits(edits, body, changed), "recursive")
    assert [edit.id for edit in editor.edits] == [edit.id for edit in edits]
    assert where == "instead" or not any(edit.flagged for edit in editor.edits)
    check(changed, editor, chunks_of(build(replace(OPTIONS, strategy="recursive")), changed))


def test_a_note_without_edits_is_left_as_it_was_cut() -> None:
    chunks = chunks_of(build(ChunkingOptions(strategy="lines")), LINES)
    assert apply(note(LINES), chunks, [], words) == Applied(tuple(chunks), ())
