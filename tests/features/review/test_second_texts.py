"""Second texts of files: known by names that sync programs give, and by near contents where a person may give them."""

import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.features.review.two_texts import are_versions, originals
from core.workspace import Workspace
from tests.growth import assert_linear

PLAN = (
    "# Trip plan\n\nThe train leaves at 9:05 from platform 4.\nBring the blue folder and the tickets for the museum.\n"
)
SURE = (
    "Trip plan (Conflicted copy Laptop 202611201030).md",  # Obsidian Sync
    "Trip plan (Anna's conflicted copy 2026-11-20).md",  # Dropbox, from here
    "Trip plan (Anna's conflicted copy 2026-11-20 (1)).md",
    "Trip plan (Anna (Mac)'s CONFLICTED COPY 2026-11-20).md",
    "Trip plan (In Konflikt stehende Kopie von Anna 2026-11-20).md",
    "Trip plan (Annas in Konflikt stehende Kopie 2026-11-20).md",
    "Trip plan (Copie en conflit de Anna 2026-11-20).md",
    "Trip plan (Copia en conflicto de Anna 2026-11-20).md",
    "Trip plan (Copia conflictiva de Anna 2026-11-20).md",
    "Trip plan (Copia in conflitto di Anna 2026-11-20).md",
    "Trip plan (Cópia em conflito de Anna 2026-11-20).md",
    "Trip plan (Anna's conflicterende kopie 2026-11-20).md",
    "Trip plan (Anna:s motstridiga kopia 2026-11-20).md",
    "Trip plan (kopia powodująca konflikt użytkownika Anna 2026-11-20).md",
    "Trip plan (Конфликтующая копия пользователя Anna 2026-11-20).md",
    "Trip plan (Anna 的冲突副本 2026-11-20).md",
    "Trip plan（Anna 的衝突複本 2026-11-20）.md",
    "Trip plan (Anna の競合コピー 2026-11-20).md",
    "Trip plan (Anna 上の問題のあるコピー 2026-11-20).md",
    "Trip plan (Anna의 충돌된 사본 2026-11-20).md",
    "Trip plan (Case Conflict).md",
    "Trip plan (Case Conflict 1).md",
    "Trip plan (Selective Sync Conflict).md",
    "Trip plan (Unicode Encoding Conflict).md",
    "Trip plan (conflicted copy 2026-11-20 103000).md",  # Nextcloud
    "Trip plan (case clash from anna 2026-11-20 103000).md",
    "Trip plan_conflict-20261120-103000.md",  # ownCloud
    "Trip plan.sync-conflict-20261120-103000-ABCDEF7.md",  # Syncthing
    "Trip plan (SFConflict anna@example.org 2026-11-20-10-30-00).md",  # Seafile
    "Trip plan (anna@example.org 2026-11-20-10-30-00).md",
    "Trip plan.Conflict.md",  # Resilio Sync
    "Trip plan.conflict2.md",  # rclone
    "Trip plan [conflicted].md",  # pCloud
    "Trip plan_conf(1).md",  # Google Drive
    "Trip plan-anna-laptop-safeBackup-0001.md",  # OneDrive on Linux
    "Trip plan_DESKTOP-7Q2K1_Nov-20-103000-2026_Conflict.md",  # Synology Drive
    "Trip plan(Anna的冲突副本1_2026-11-20 10-30-00).md",  # Nutstore
    "Trip plan (CONFLICT 20261120T103000).md",  # FSNotes
    "Trip plan (Konflikt 2026-11-20).md",
    "Trip plan (conflict 2026-11-20 10-30-00.123456).md",  # Tessera
    "Trip plan-conflicted copy.md",
    "Trip plan.sync-conflict-20261119-103000-ABCDEF7.sync-conflict-20261120-103000-ABCDEF7.md",
    "Trip plan (Anna's conflicted copy 2026-11-20) (1).md",
)
POSSIBLE = (
    "Trip plan 2.md",  # iCloud, Finder
    "Trip plan 12.md",
    "Trip plan (1).md",  # Google Drive
    "Trip plan(2).md",
    "Trip plan (conflict).md",
    "Trip plan-DESKTOP-7Q2K1.md",  # OneDrive
    "Trip plan-Annas-MacBook-Pro.md",
    "Trip plan-Anna’s MacBook.md",
)
OWN = (
    "How to end a conflict.md",
    "Trip plan (conflict of 1812).md",
    "Trip plan (copy).md",
    "Trip plan 1.md",
    "Trip plan 2026.md",
    "Trip plan-2026-11-20.md",
    "Trip plan (2026-11-20).md",
    " (conflicted copy).md",
    "(1).md",
    "-DESKTOP.md",
)


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    monkeypatch.setenv("TESSERA_EMBEDDER", "tfidf")
    with Workspace(tmp_path / "workspace") as workspace:
        yield workspace


def second_texts(workspace: Workspace, tmp_path: Path, files: dict[str, str]) -> set[tuple[str, str]]:
    """The second texts on Review that a vault of these files has, each with its file."""
    for path, text in files.items():
        (tmp_path / "vault" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "vault" / path).write_text(text)
    workspace.imports.apply(workspace.imports.plan_folder(tmp_path / "vault"), embed=False)
    return listed(workspace)


def listed(workspace: Workspace) -> set[tuple[str, str]]:
    matters = workspace.review.all(kinds=["file"])
    return {(str(one.other.path), str(one.note.path)) for one in matters if one.note and one.other}


def test_every_name_of_a_sync_program_is_on_review_with_its_file(workspace: Workspace, tmp_path: Path) -> None:
    files = {name: f"Something else of {number}.\n" for number, name in enumerate(SURE)}
    files |= {name: PLAN.replace("9:05", f"10:{number}") for number, name in enumerate(POSSIBLE)}
    found = second_texts(workspace, tmp_path, {"Trip plan.md": PLAN, **files})
    assert found == {(name, "Trip plan.md") for name in (*SURE, *POSSIBLE)}


def test_names_that_may_be_a_persons_own_need_near_contents_and_the_file(workspace: Workspace, tmp_path: Path) -> None:
    files = {
        name: f"# Of its own\n\nThe harbour has {number} lamps, each of another colour.\n"
        for number, name in enumerate(POSSIBLE + OWN)
    }
    files |= {
        "Trip plan.md": PLAN,
        "Lone (1).md": PLAN,
        "sub/Trip plan (1).md": PLAN,
        "Lone (conflicted copy).md": PLAN,
    }
    assert second_texts(workspace, tmp_path, files) == set()
    (tmp_path / "vault/Trip plan 2.md").write_text(PLAN + "\nAnd a long addition of an afternoon.\n" * 30)
    assert second_texts(workspace, tmp_path, {}) == {("Trip plan 2.md", "Trip plan.md")}
    (copy,) = (card.id for card in workspace.notes.all() if card.path == "Trip plan 2.md")
    workspace.notes.archive([copy])
    assert listed(workspace) == set()


def test_names_of_a_person_are_none_even_where_contents_are_the_same(workspace: Workspace, tmp_path: Path) -> None:
    files = dict.fromkeys(("Trip plan.md", *OWN), PLAN)
    assert second_texts(workspace, tmp_path, files) == set()


def test_a_file_is_found_in_another_case_and_another_form_of_unicode(workspace: Workspace, tmp_path: Path) -> None:
    decomposed = unicodedata.normalize("NFD", "Café (Unicode Encoding Conflict).md")
    files = {"TRIP PLAN (Case Conflict).md": "a", "Trip plan.md": "b", decomposed: "c", "Café.md": "d"}
    assert second_texts(workspace, tmp_path, files) == {
        ("TRIP PLAN (Case Conflict).md", "Trip plan.md"),
        (decomposed, "Café.md"),
    }


def test_a_copy_that_was_made_here_is_a_persons_own(workspace: Workspace, tmp_path: Path) -> None:
    assert second_texts(workspace, tmp_path, {"Trip plan.md": PLAN}) == set()
    (note,) = workspace.notes.all()
    assert [workspace.notes.copy(note.id).path for _ in range(2)] == ["Trip plan.md", "Trip plan 2.md"]
    assert listed(workspace) == set()


def test_second_texts_with_other_numbers_are_no_contradictions_besides(workspace: Workspace, tmp_path: Path) -> None:
    budget = "The budget of the garden project is {n} euros this year.\n"
    files = {
        "Garden.md": budget.format(n=12_000),
        "Garden (conflicted copy).md": budget.format(n=14_000),
        "Fence.md": budget.format(n=16_000),
    }
    assert second_texts(workspace, tmp_path, files) == {("Garden (conflicted copy).md", "Garden.md")}
    pairs = [
        {str(note.path) for note in (one.note, one.other) if note}
        for one in workspace.review.all(kinds=["contradiction"])
    ]
    assert len(pairs) == 2
    assert all("Fence.md" in pair for pair in pairs)


def test_second_texts_with_the_same_words_are_no_copies_besides(workspace: Workspace, tmp_path: Path) -> None:
    assert len(second_texts(workspace, tmp_path, {"Trip plan.md": PLAN, "Trip plan (1).md": PLAN})) == 1
    assert [one.kind for one in workspace.review.all()] == ["file"]


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (PLAN, PLAN.replace("9:05", "9:20"), True),
        (PLAN, PLAN + PLAN.replace("train", "bus") * 20, True),
        ("The train leaves at nine.", "The train leaves at ten.", True),
        ("火车九点五分从四号站台出发。", "火车九点二十分从四号站台出发。", True),
        (PLAN, "# Trip plan\n\nWe go by car to the sea and stay for a week in the house of an aunt.\n", False),
        ("", "", False),
        ("---", "***", False),
        (PLAN, "", False),
    ],
)
def test_texts_are_near_where_most_of_one_is_in_the_other(first: str, second: str, expected: bool) -> None:
    assert are_versions(first, second) is are_versions(second, first) is expected


@pytest.mark.parametrize(
    "name",
    [
        "b" + " (" * 4_000 + "conflicted copy" * 1_000,
        "-a" * 8_000,
        "(1)" * 5_000,
        "-copy conflict" * 1_000,
        "@(" * 9_000,
    ],
)
def test_hostile_names_take_no_time(name: str) -> None:
    assert_linear(lambda name: (originals(f"{name}.md"), are_versions(name, name[::-1])), name)
