"""What other notes say about a note: who is related and why, what is suggested, and what accepting it does."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from core.base.errors import EditError
from core.doors import cli
from core.model import Related, Use
from core.workspace import Workspace

DOUGH = (
    "The sourdough rests overnight in the fridge. A cold sourdough starter makes the crumb sour. Fold the sourdough."
)
NETS = "卷积神经网络用卷积核提取图像的特征。卷积核在图像上滑动，卷积核的参数由训练得到。"


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    monkeypatch.setenv("TESSERA_EMBEDDER", "tfidf")
    monkeypatch.setenv("TESSERA_INDEX__KIND", "none")
    with Workspace(tmp_path / "workspace") as workspace:
        yield workspace


def add(workspace: Workspace, title: str, body: str = "", **fields: Any) -> str:
    return workspace.notes.add("home", body, title=title, author="person", **fields).id


def titles(notes: Any) -> list[str]:
    return [one.note.title for one in notes]


def why(related: Related) -> dict[str, list[str]]:
    return {one.note.title: [str(reason) for reason in one.reasons] for one in related.notes}


def test_related_notes_tell_why_and_those_that_answer_nothing_are_none(workspace: Workspace) -> None:
    bread = add(workspace, "Bread", f"{DOUGH} See [[Ovens]].\n", tags=["baking"])
    add(
        workspace,
        "Starter",
        f"Feed the sourdough. {DOUGH[:60]} The starter is a cold sourdough starter.",
        tags=["baking"],
    )
    add(workspace, "Ovens", "Stones hold the heat.")
    add(workspace, "Crust", "See [[Bread]] for steam.")
    add(workspace, "Taxes", "The form is due in May.")
    add(workspace, "Archived", DOUGH, status="archived")
    add(workspace, "Old", DOUGH, expires_at="2020-01-01")
    workspace.proposals.add("home", DOUGH, title="Pending")
    reasons = why(workspace.related.of(bread))
    assert reasons.keys() == {"Starter", "Ovens", "Crust"}
    assert reasons["Starter"][:2] == ["Both have #baking", "Both mention sourdough"]
    assert reasons["Ovens"] == ["This note links to that one"]
    assert reasons["Crust"] == ["That note links to this one"]


def test_what_a_person_hid_is_no_reason(workspace: Workspace) -> None:
    one = add(workspace, "One", "Zebras and quaggas. Zebras and quaggas.\n")
    shown, secret = f"Zebras graze. Zebras run. {'So it is. ' * 60}", f"quaggas, quaggas. {'It was. ' * 80}"
    other = add(workspace, "Other", f"# Zebras\n\n{shown}\n\n# Secret\n\n{secret}\n")
    assert "quagga" in str(why(workspace.related.of(one)))
    workspace.chunks.delete(next(chunk.id for chunk in workspace.chunks.all(other) if "quaggas" in chunk.text))
    assert "quagga" not in str(workspace.related.of(one))


def test_relatedness_follows_every_change(workspace: Workspace) -> None:
    bread = add(workspace, "Bread", DOUGH)
    other = add(workspace, "Other", "The form is due in May, says the office of taxes.")
    assert titles(workspace.related.of(bread).notes) == []
    workspace.notes.update(other, body=f"Another text: {DOUGH[:70]}", author="person")
    assert titles(workspace.related.of(bread).notes) == ["Other"]
    workspace.trash.put([other])
    assert workspace.related.of(bread).notes == ()


def test_notes_without_vectors_are_compared_by_words(workspace: Workspace) -> None:
    workspace.bases.add("plain", kind="literal")
    ids = [workspace.notes.add("plain", body, title=body[:9], author="person").id for body in (DOUGH, DOUGH[:80], NETS)]
    related = workspace.related.of(ids[0])
    assert [one.note.id for one in (*related.notes, *related.copies)] == [ids[1]]


def test_copies_are_told_apart_from_related_notes(workspace: Workspace) -> None:
    text = " ".join(f"word{number} stands here" for number in range(40))
    one = add(workspace, "One", text)
    add(workspace, "Twin", text)
    add(workspace, "Longer", f"{text} {' '.join(f'other{number}' for number in range(300))}")
    add(workspace, "中文", NETS * 3)
    related = workspace.related.of(one)
    assert {copy.note.title: str(copy.reasons[0]) for copy in related.copies} == {
        "Twin": "The two notes have about 99 % of the shorter note's text in common",
        "Longer": "The two notes have about 99 % of the shorter note's text in common",
    }
    assert related.notes == ()


def test_tags_and_places_of_the_nearest_notes_are_suggested_and_accepted(workspace: Workspace) -> None:
    for number in range(4):
        add(
            workspace,
            f"Loaf {number}",
            f"{DOUGH} Loaf number{number}.",
            path=f"kitchen/bread/{number}.md",
            tags=["baking", "food"],
        )
        add(workspace, f"Tax {number}", f"The form is due in May{number}.", path=f"office/{number}.md", tags=["tax"])
    one = add(workspace, "Rye", f"Rye and {DOUGH.lower()} baking", tags=["Food"], path="inbox/rye.md")
    related = workspace.related.of(one)
    assert [(tag.tag, str(tag.reason)) for tag in related.tags] == [
        ("baking", "4 of the most similar notes have this tag, and the text mentions it")
    ]
    (place,) = related.places
    assert (place.base, place.folder, place.movable) == ("home", "kitchen/bread", True)
    assert str(place.reason) == "4 of the 8 most similar notes are in that location, and 0 in the current one"
    (moved,) = workspace.renames.move(one, place.folder, expected_version=1)
    assert (moved.path, workspace.notes.get(one).version) == ("kitchen/bread/rye.md", 2)
    assert workspace.related.of(one).places == ()
    assert workspace.renames.move(one, "/")[0].path == "rye.md"
    with pytest.raises(EditError):
        workspace.renames.move(one, "../out")


def test_a_moved_note_takes_no_place_and_its_links_lead_where_they_say(workspace: Workspace) -> None:
    add(workspace, "There", "b", path="b/a.md")
    one = add(workspace, "Here", "[up](../a.md)", path="x/y/a.md")
    assert workspace.notes.get(one).links == ("x/a.md",)
    workspace.renames.move(one, "b")
    moved = workspace.notes.get(one)
    assert (moved.path, moved.links) == ("b/a 2.md", ("a.md",))


def test_a_file_is_moved_by_its_own_program(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / "a.md").write_text("Zebra")
    workspace.imports.apply(workspace.imports.plan_folder(tmp_path / "vault"))
    with pytest.raises(EditError, match="is a file"):
        workspace.renames.move(workspace.notes.resolve("a.md").id, "other")


BODY = """# 卷积层 in a heading

`Zebra crossing` in code, [Zebra crossing](x.md) in a link, Zebra crossings, <b title="Zebra crossing">.

A zebra crossing, then a Zebra, 图像用卷积层处理，又是卷积层。 Also [[Known]] and Known.
"""


def test_names_of_other_notes_are_suggested_as_links_and_accepted(workspace: Workspace) -> None:
    crossing, layer = add(workspace, "Zebra crossing", "x"), add(workspace, "卷积层", "x")
    add(workspace, "Known", "x")
    add(workspace, "图像", "x", status="archived")
    add(workspace, "Zebra", "x")
    one = add(workspace, "Text", BODY)
    links = {link.note.title: (link.text, link.link) for link in workspace.related.of(one).links}
    assert links == {
        "Zebra crossing": ("zebra crossing", "[[zebra crossing]]"),
        "Zebra": ("Zebra", "[[Zebra]]"),
        "卷积层": ("卷积层", "[[卷积层]]"),
    }
    workspace.related.link(one, crossing, expected_version=1)
    changed = workspace.related.link(one, layer, expected_version=2)
    assert "A [[zebra crossing]], then a Zebra, 图像用[[卷积层]]处理，又是卷积层。" in changed.body
    assert changed.body.startswith("# 卷积层 in a heading")
    assert {link.note.title for link in workspace.related.of(one).links} == {"Zebra"}
    with pytest.raises(EditError, match="no longer mentions"):
        workspace.related.link(one, crossing)


def test_a_word_that_many_passages_hold_is_no_name(workspace: Workspace) -> None:
    add(workspace, "Summary", "x")
    for number in range(30):
        add(workspace, f"Note {number}", f"The summary of number {number}.")
    add(workspace, "The Summary", "x")
    one = add(workspace, "Text", "A summary of all. The summary of it.")
    assert [link.note.title for link in workspace.related.of(one).links] == ["The Summary"]


def hints(workspace: Workspace, note_id: str) -> list[tuple[str, str]]:
    return [(one.kind, str(one.about)) for one in workspace.related.of(note_id).hints]


def test_hints_say_what_is_wrong_and_what_to_do(workspace: Workspace) -> None:
    bad = add(
        workspace,
        "Untitled 3",
        f"The oven bakes the bread at 220 degrees. {'word ' * 3_100} [[Nowhere]]",
        expires_at="2020-01-01",
    )
    add(workspace, "Other", "The oven bakes the bread at 240 degrees.")
    add(workspace, "Newer", "x", supersedes=["Untitled 3"])
    assert hints(workspace, bad) == [
        ("outdated", "This note expired on 2020-01-01."),
        ("outdated", "'Newer' says that it replaces this note."),
        ("contradiction", "'Other' says the same thing with a different number."),
        ("dead_links", "1 link doesn't lead to a note: Nowhere"),
        ("untitled", "This note has no title of its own."),
        ("headless", "About 3,100 words in a row have no heading."),
    ]
    assert all(str(one.remedy) for one in workspace.related.of(bad).hints)
    good = add(workspace, "Good", "# Good\n\nThe train leaves the city with 12 wagons today.")
    add(workspace, "Wrong", "# Wrong\n\nThe train leaves the city with 14 wagons today.")
    assert hints(workspace, good) == [("contradiction", "'Wrong' says the same thing with a different number.")]
    (hint,) = workspace.related.of(good).hints
    assert hint.quotes == (
        "The train leaves the city with 12 wagons today.",
        "The train leaves the city with 14 wagons today.",
    )
    workspace.notes.update(good, supersedes=["Wrong"], author="person")
    assert hints(workspace, good) == []


def test_the_command_prints_every_part(workspace: Workspace) -> None:
    add(workspace, "Zebra crossing", f"A zebra crossing. {DOUGH}")
    add(workspace, "Text", f"A zebra crossing and [[Nowhere]]. {DOUGH.upper()}")
    folder = str(workspace.store.folder)
    workspace.close()
    result = CliRunner().invoke(cli.app, ["note", "related", "Text", "--workspace", folder])
    assert result.exit_code == 0, result.output
    assert result.output.splitlines()[0] in ("Related notes", "Possible duplicates")
    assert "[[zebra crossing]]  Zebra crossing (home: Zebra crossing.md)" in result.output
    assert "1 link doesn't lead to a note: Nowhere" in result.output
    for command, said in (
        (["note", "link", "Text", "Zebra crossing"], "The link was added. The note is now version 2."),
        (["note", "move", "Text", "a/b"], "Title  Path         Previous path\nText   a/b/Text.md  Text.md"),
    ):
        result = CliRunner().invoke(cli.app, [*command, "--workspace", folder])
        assert result.output.strip() == said


# concepts


@pytest.fixture
def kitchen(workspace: Workspace) -> dict[str, str]:
    texts = {
        "Starter": "A sourdough starter needs flour. Feed the sourdough starter. The oven waits, the oven is cold.",
        "Loaf": "The sourdough starter lifts the loaf. A sourdough starter, flour. See [[Oven]].",
        "Oven": "The oven has a stone. The oven is hot. 烤箱的石板很热，石板要预热，石板。",
        "石板": "石板放进烤箱，石板吸热。石板。",
        "Taxes": "The form is due. The form is long.",
    }
    return {title: add(workspace, title, text) for title, text in texts.items()}


def names(workspace: Workspace) -> dict[str, int]:
    return {one.name: one.notes for one in workspace.related.concepts.all()}


def test_concepts_are_phrases_of_several_notes(workspace: Workspace, kitchen: dict[str, str]) -> None:
    assert names(workspace) == {"sourdough starter": 2, "oven": 2, "石板": 2}
    concepts = workspace.related.concepts
    assert titles(concepts.notes(["Sourdough Starter", "oven"])) == ["Starter"]
    assert [(one.note.title, one.times) for one in concepts.notes(["oven"])] == [("Oven", 3), ("Starter", 2)]
    workspace.notes.update(kitchen["Starter"], body="Nothing.", author="person")
    workspace.notes.archive([kitchen["石板"]])
    assert names(workspace) == {}


def test_a_person_pins_merges_and_hides_concepts_and_takes_it_back(
    workspace: Workspace, kitchen: dict[str, str]
) -> None:
    concepts = workspace.related.concepts
    concepts.decide("form", "pin")
    concepts.decide("oven", "merge", "石板")
    first, *others = concepts.all()
    assert (first.name, first.notes, first.pinned) == ("form", 1, True)
    assert {one.name: (one.notes, one.merged) for one in others} == {
        "sourdough starter": (2, ()),
        "石板": (3, ("oven",)),
    }
    assert titles(concepts.notes(["oven", "sourdough starter"])) == ["Starter"]
    concepts.decide("石板", "undo")
    concepts.decide("form", "undo")
    concepts.decide("oven", "hide")
    assert names(workspace) == {"sourdough starter": 2, "石板": 2}
    with pytest.raises(EditError):
        concepts.decide("oven", "merge")


def test_a_way_leads_over_links_and_shared_concepts(workspace: Workspace, kitchen: dict[str, str]) -> None:
    way = workspace.related.concepts.way
    steps = way(kitchen["Loaf"], kitchen["石板"])
    assert [(step.note.title, step.way and str(step.way)) for step in steps] == [
        ("Loaf", "Links to the next note"),
        ("Oven", "Both mention 石板"),
        ("石板", None),
    ]
    assert titles(way(kitchen["Loaf"], kitchen["Loaf"])) == ["Loaf"]
    assert way(kitchen["Loaf"], kitchen["Taxes"]) == []


def test_concepts_by_command(workspace: Workspace, kitchen: dict[str, str]) -> None:
    folder = str(workspace.store.folder)
    workspace.close()
    for command, said in (
        (["list"], "Notes  Name\n    2  sourdough starter\n    2  石板\n    2  oven"),
        (["notes", "oven", "sourdough starter"], "Times  Title    Base  Path\n    4  Starter  home  Starter.md"),
        (["way", "Loaf", "Oven"], "Loaf (home: Loaf.md)\n  Links to the next note\nOven (home: Oven.md)"),
        (["decide", "oven", "hide"], "The concept 'oven' was updated."),
        (["list"], "Notes  Name\n    2  sourdough starter\n    2  石板"),
    ):
        result = CliRunner().invoke(cli.app, ["concept", *command, "--workspace", folder])
        assert result.output.rstrip() == said, result.output


def test_passages_near_the_paragraph_that_is_written_are_of_other_notes(
    workspace: Workspace, kitchen: dict[str, str]
) -> None:
    text = "The form is due.\n\nA sourdough starter for the loaf\n\n"
    passages = workspace.related.passages
    assert titles(passages(text, len(text)))[0] in ("Loaf", "Starter")
    assert titles(passages(text, 3))[:1] == ["Taxes"]
    assert "Taxes" not in titles(passages(text, 3, without=kitchen["Taxes"]))
    assert passages("tag:x -y", 3) == passages("", 0) == []


def test_a_note_that_nothing_finds_says_so_and_what_to_do(workspace: Workspace) -> None:
    lost = add(workspace, "Lost", "# Lost\n\nNobody looks for the old ferry to the northern harbour.")
    others = [add(workspace, f"Note {number}", f"# Note {number}\n\nText {number}.") for number in range(20)]
    workspace.store.database.execute("UPDATE notes SET updated_at = '2026-01-02T00:00:00+00:00'")
    workspace.store.uses.add(Use(one, "found", "", datetime.now(UTC)) for one in others[1:])
    assert hints(workspace, lost) == [], "19 others say little"
    workspace.store.uses.add([Use(others[0], "found", "", datetime.now(UTC))])
    assert hints(workspace, lost) == [("unfound", "No search has found this note since 2026-01-02.")]
    assert hints(workspace, others[0]) == []
    workspace.uses.enable(False)
    assert hints(workspace, lost) == [], "nothing is known of uses that aren't recorded"
    copy = add(workspace, "Lost", "# Lost\n\nNobody looks for the old ferry to the northern harbour.")
    workspace.findability.check("home")
    (hint,) = *workspace.related.of(lost).hints, *workspace.related.of(copy).hints
    assert (hint.kind, "match this note's own words better" in str(hint.remedy)) == ("unreached", True)
    for note_id in (lost, copy):
        workspace.notes.update(note_id, body=f"# Anew\n\nAnother text {note_id}.", author="person")
        assert hints(workspace, note_id) == [], "the check is of an older text"
    workspace.store.database.execute("UPDATE results SET result = '{'")
    assert hints(workspace, others[0]) == []
