from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from core.base.errors import ConfigError, EditError, SourceError, WorkspaceLocked
from core.model import SyncPlan, SyncReport
from core.notes.daily import fill, format_date
from core.settings.sections import DailySettings
from core.workspace import Workspace

FRIDAY = datetime(2026, 11, 27, 23, 59, tzinfo=UTC)
SATURDAY = datetime(2026, 11, 28, 0, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("pattern", "english", "chinese"),
    [
        ("YYYY-MM-DD", "2026-11-27", "2026-11-27"),
        ("YYYY/MM/D. MMMM", "2026/11/27. November", "2026/11/27. 十一月"),
        ("dddd, ddd", "Friday, Fri", "星期五, 周五"),
        ("GGGG-[W]WW, [Day] DDDD", "2026-W48, Day 331", "2026-W48, Day 331"),
        ("HH:mm, h a", "23:59, 11 pm", "23:59, 11 下午"),
        ("MMMM Do", "November 27th", "十一月 27日"),
    ],
)
def test_a_date_is_written_as_obsidian_writes_it(pattern: str, english: str, chinese: str) -> None:
    assert (format_date(FRIDAY, pattern), format_date(FRIDAY, pattern, "zh_CN")) == (english, chinese)


def test_a_template_is_filled() -> None:
    text = "# {{title}}\n{{date}} {{ Date:dddd }} {{time}} {{weather}} {{date:}}"
    assert fill(text, FRIDAY, "Today") == "# Today\n2026-11-27 Friday 23:59 {{weather}} {{date:}}"


def chosen(workspace: Workspace, **values: str) -> None:
    workspace.settings.daily = DailySettings(**values)


def chosen_folder(workspace: Workspace, tmp_path: Path) -> Path:
    """Return a folder with a note, whose base writes files and is chosen for the notes of the days."""
    folder = tmp_path / "vault"
    folder.mkdir()
    (folder / "a.md").write_text("A note.\n")
    workspace.imports.apply(workspace.imports.plan_folder(folder))
    workspace.bases.update("vault", write_files=True)
    chosen(workspace, base="vault")
    return folder


def test_a_day_has_one_note_with_the_text_and_the_fields_of_the_template(workspace: Workspace) -> None:
    template = workspace.notes.add(
        "work", "# {{title}}\n\n{{date:dddd}} #log\n", title="Day", tags=["daily"], embed=False
    )
    chosen(workspace, base="work", folder="days/", template="Day")
    note = workspace.daily.open(FRIDAY)
    assert (note.path, note.title) == ("days/2026-11-27.md", "2026-11-27")
    assert (note.body, set(note.tags)) == ("# 2026-11-27\n\nFriday #log\n", {"daily", "log"})
    assert workspace.daily.open(FRIDAY).id == note.id
    assert workspace.daily.open(SATURDAY).path == "days/2026-11-28.md"
    workspace.trash.put(template.id)
    with pytest.raises(ConfigError, match="'Day', no longer exists"):
        workspace.daily.open(FRIDAY)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_text_is_added_as_a_paragraph_at_the_end_of_a_day(workspace: Workspace, end: str) -> None:
    workspace.notes.add("work", f"# {{{{title}}}}{end}{end}", title="Day", embed=False)
    chosen(workspace, base="work", template="Day")
    workspace.daily.add(" Call\nthe plumber ", FRIDAY)
    note = workspace.daily.add("Buy bread", FRIDAY)
    assert note.body == "# 2026-11-27\n\nCall\nthe plumber\n\nBuy bread\n".replace("\n", end)
    assert workspace.daily.open(FRIDAY) == note


def test_texts_added_at_once_all_find_their_place(workspace: Workspace) -> None:
    workspace.notes.add("work", "A note.", embed=False)
    chosen(workspace, base="work")
    workspace.daily.open(FRIDAY)
    texts = [f"text {number}" for number in range(12)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(partial(workspace.daily.add, now=FRIDAY), texts))
    assert sorted(workspace.daily.open(FRIDAY).body.strip().split("\n\n")[1:]) == sorted(texts)


def test_text_is_added_to_a_file_as_another_program_left_it_and_to_no_proposed_note(
    workspace: Workspace, tmp_path: Path
) -> None:
    folder = chosen_folder(workspace, tmp_path)
    workspace.daily.add("one", FRIDAY)
    file = folder / "2026-11-27.md"
    with file.open("a") as opened:
        opened.write("\nfrom outside\n")
    workspace.daily.add("two", FRIDAY)
    assert file.read_text() == "# 2026-11-27\n\none\n\nfrom outside\n\ntwo\n"
    file.unlink()
    workspace.daily.add("three", FRIDAY)
    assert file.read_text() == "# 2026-11-27\n\nthree\n"
    workspace.bases.add("work")
    chosen(workspace, base="work")
    workspace.proposals.add("work", "Of a program.", title="2026-11-27")
    with pytest.raises(EditError, match="waiting in Review"):
        workspace.daily.add("Call the bank", FRIDAY)


def test_a_day_is_opened_and_added_to_while_its_folder_is_imported(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = chosen_folder(workspace, tmp_path)
    apply = workspace.imports.apply
    others: list[Thread] = []

    def apply_after_another(plan: SyncPlan, **options: Any) -> SyncReport:
        (folder / "a.md").write_text(f"A note, changed {len(others)} times.\n")
        other = Thread(target=lambda: apply(workspace.imports.plan_folder(folder)), daemon=True)
        other.start()
        other.join(30)
        assert not other.is_alive()
        others.append(other)
        return apply(plan, **options)

    monkeypatch.setattr(workspace.imports, "apply", apply_after_another)
    workspace.daily.open(FRIDAY)
    workspace.daily.add("one", FRIDAY)
    assert (folder / "2026-11-27.md").read_text() == "# 2026-11-27\n\none\n"
    assert len(others) == 2


def test_the_template_and_the_base_are_followed_where_they_are_renamed_or_moved(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tessera.toml").write_text('# mine\n[daily]\nbase = "work"\ntemplate = "Day.md"\n')
    workspace.settings_file.look()
    notes, chosen = workspace.notes, lambda: workspace.settings.daily.template
    template = notes.add("work", "From work.", title="Day", author="person", embed=False)
    other = notes.add("home", "From home.", title="Day", author="person", embed=False)
    workspace.renames.rename(other.id, "Evening")
    assert chosen() == "Day.md"
    (moved,) = workspace.renames.move(template.id, "templates")
    assert chosen() == "templates/Day.md"
    workspace.renames.rename(template.id, "Every day")
    assert chosen() == "templates/Every day.md"
    assert workspace.daily.open(FRIDAY).body == "From work."
    workspace.renames.undo(moved)
    assert chosen() == "Day.md"
    workspace.settings_file.write("daily.template", "Day")
    workspace.renames.move(template.id, "templates")
    assert chosen() == "Day"
    workspace.renames.rename(template.id, "Every day")
    assert chosen() == "Every day"
    workspace.bases.rename("home", "house")
    assert workspace.settings.daily.base == "work"
    workspace.bases.rename("work", "office")
    assert workspace.settings.daily.base == "office"
    (tmp_path / "tessera.toml").write_text("no TOML")
    assert workspace.renames.rename(template.id, "Day").title == "Day"
    assert workspace.bases.rename("office", "work").name == "work"


def test_a_base_that_writes_files_gets_a_file(workspace: Workspace, tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    (vault / "templates").mkdir(parents=True)
    (vault / "templates" / "day.md").write_text("---\ntags: [daily]\nmood: {{date:ddd}}\n---\nRain on {{date}}.\n")
    workspace.imports.apply(workspace.imports.plan_folder(vault), embed=False)
    workspace.bases.update("vault", write_files=True)
    chosen(workspace, base="vault", folder="日记", format="YYYY/YYYY-MM-DD", template="templates/day.md")
    note = workspace.daily.open(FRIDAY)
    file = vault / "日记" / "2026" / "2026-11-27.md"
    assert file.read_text() == "---\ntags: [daily]\nmood: Fri\n---\nRain on 2026-11-27.\n"
    assert (note.in_file, note.title, note.tags) == (True, "2026-11-27", ("daily",))
    assert workspace.imports.plan_folder(vault).is_empty
    # A file that another program made a moment ago is the day's note.
    file.with_name("2026-11-28.md").write_text("Made elsewhere.")
    assert workspace.daily.open(SATURDAY).body == "Made elsewhere."
    chosen(workspace, base="vault", folder=".hidden")
    with pytest.raises(EditError, match="leave out"):
        workspace.daily.open(FRIDAY)


@pytest.mark.parametrize("text", ["", "one"])
@pytest.mark.parametrize("for_good", [False, True])
def test_a_day_whose_note_was_deleted_gets_a_note_again(
    workspace: Workspace, tmp_path: Path, text: str, for_good: bool
) -> None:
    folder = chosen_folder(workspace, tmp_path)
    note = workspace.daily.add(text, FRIDAY) if text else workspace.daily.open(FRIDAY)
    file = folder / "2026-11-27.md"
    for again in ("two", "three"):
        workspace.trash.put(note.id)
        assert not file.exists()
        if for_good:
            workspace.trash.delete_for_good([note.id])
        assert workspace.daily.open(FRIDAY).body == file.read_text() == "# 2026-11-27\n\n"
        note = workspace.daily.add(again, FRIDAY)
        assert file.read_text() == note.body == f"# 2026-11-27\n\n{again}\n"
        assert workspace.imports.plan_folder(folder).is_empty


@pytest.mark.parametrize(
    ("form", "path"),
    [
        ("/YYYY//MM/ /DD/", "2026/11/27.md"),
        ("YYYY-MM-DD.md", "2026-11-27.md"),
        ("../[..]/YYYY", "note/note/2026.md"),
        ("[con]/[a<b>\0c]", "_con/a b c.md"),
    ],
)
def test_a_name_of_any_form_is_a_place_in_the_base(workspace: Workspace, form: str, path: str) -> None:
    workspace.bases.add("work")
    chosen(workspace, base="work", format=form)
    assert workspace.daily.open(FRIDAY).path == path


def test_nothing_is_written_where_no_import_reads_it_or_where_a_file_is(workspace: Workspace, tmp_path: Path) -> None:
    vault, outside = tmp_path / "vault", tmp_path / "outside"
    for folder in (vault / "inside", outside):
        folder.mkdir(parents=True)
    (vault / "a.md").write_text("A note.")
    (vault / ".tesseraignore").write_text("ignored/\n")
    (vault / "link").symlink_to(outside)
    (vault / "loop").symlink_to(vault / "inside")
    workspace.imports.apply(workspace.imports.plan_folder(vault), embed=False)
    workspace.bases.update("vault", write_files=True)
    before = sorted(tmp_path.rglob("*"))
    for folder in (".hidden", "ignored", "link/deep", "loop", "a.md", "x" * 300, "/".join(["y" * 90] * 50)):
        chosen(workspace, base="vault", folder=folder)
        with pytest.raises((EditError, SourceError)):
            workspace.daily.open(FRIDAY)
    (vault / "inside" / "2026-11-27.md").mkdir()
    (vault / "2026-11-27.md").symlink_to(outside / "day.md")
    for folder in ("inside", ""):
        chosen(workspace, base="vault", folder=folder)
        with pytest.raises(EditError, match="leave out"):
            workspace.daily.open(FRIDAY)
    made = {path for path in tmp_path.rglob("*") if path.name != "2026-11-27.md"} - {*before}
    assert {path for path in made if not path.is_relative_to(workspace.store.folder)} == set()


def test_an_empty_file_of_the_day_gets_the_text_and_a_new_one_the_rights_of_its_folder(
    workspace: Workspace, tmp_path: Path
) -> None:
    vault = tmp_path / "vault"
    vault.mkdir(mode=0o755)
    (vault / "a.md").write_text("A note.")
    workspace.imports.apply(workspace.imports.plan_folder(vault), embed=False)
    workspace.bases.update("vault", write_files=True)
    chosen(workspace, base="vault")
    file = vault / "2026-11-27.md"
    file.touch()  # as Obsidian makes one
    assert workspace.daily.open(FRIDAY).body == file.read_text() == "# 2026-11-27\n\n"
    workspace.daily.open(SATURDAY)
    assert (vault / "2026-11-28.md").stat().st_mode & 0o777 == 0o644


def test_a_base_of_text_files_has_no_note_of_the_day(workspace: Workspace) -> None:
    workspace.bases.add("logs", kind="lines")
    chosen(workspace, base="logs")
    with pytest.raises(ConfigError, match="are read-only"):
        workspace.daily.open(FRIDAY)


def test_what_is_missing_is_named(workspace: Workspace) -> None:
    with pytest.raises(ConfigError, match="Choose where to save today's note"):
        workspace.daily.open(FRIDAY)
    for name in ("work", "home"):
        workspace.bases.add(name)
    chosen(workspace, base="gone")
    with pytest.raises(ConfigError, match="the base 'gone', which doesn't exist here"):
        workspace.daily.open(FRIDAY)
    template = workspace.notes.add("work", "From work.", title="Day", author="person", embed=False)
    workspace.trash.put(template.id)
    workspace.trash.delete_for_good([template.id])
    for name in ("Day", "Day.md", "Dya"):
        chosen(workspace, base="work", template=name)
        with pytest.raises(ConfigError, match=f"The template for today's note, '{name}', no longer exists"):
            workspace.daily.open(FRIDAY)


@pytest.mark.parametrize(
    ("own", "base", "path"), [("", "of another workspace", "days/2026.md"), ("home", "home", "2026.md")]
)
def test_the_base_of_another_workspace_is_replaced_by_the_only_one_or_made(
    workspace: Workspace, own: str, base: str, path: str
) -> None:
    workspace.bases.add("logs", kind="lines")
    if own:
        workspace.bases.add(own)
    chosen(workspace, base="of another workspace", folder="days", template="Day", format="YYYY")
    note = workspace.daily.add("one", FRIDAY)
    assert (workspace.bases.by_id(note.base_id).name, note.path) == (base, path)
    assert note.body == "# 2026\n\none\n"
    assert workspace.settings.daily.template == "Day"


def test_a_workspace_for_reading_only_shows_the_note_and_makes_none(workspace: Workspace) -> None:
    workspace.bases.add("work")
    chosen(workspace, base="work")
    note = workspace.daily.open(FRIDAY)
    with Workspace(workspace.store.folder, settings=workspace.settings, readonly=True) as reading:
        assert reading.daily.open(FRIDAY).id == note.id
        with pytest.raises(WorkspaceLocked):
            reading.daily.open(SATURDAY)
