from datetime import UTC, datetime
from pathlib import Path

import pytest

from core.base.errors import ConfigError, EditError, WorkspaceLocked
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
        ("HH:mm", "23:59", "23:59"),
    ],
)
def test_a_date_is_written_as_obsidian_writes_it(pattern: str, english: str, chinese: str) -> None:
    assert (format_date(FRIDAY, pattern), format_date(FRIDAY, pattern, "zh_CN")) == (english, chinese)


def test_a_template_is_filled() -> None:
    text = "# {{title}}\n{{date}} {{ Date:dddd }} {{time}} {{weather}} {{date:}}"
    assert fill(text, FRIDAY, "Today") == "# Today\n2026-11-27 Friday 23:59 {{weather}} {{date:}}"


def chosen(workspace: Workspace, **values: str) -> None:
    workspace.settings.daily = DailySettings(**values)


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
    workspace.notes.delete(template.id)
    with pytest.raises(ConfigError, match="'Day', isn't there any more"):
        workspace.daily.open(FRIDAY)


def test_a_base_that_writes_files_gets_a_file(workspace: Workspace, tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    (vault / "templates").mkdir(parents=True)
    (vault / "templates" / "day.md").write_text("---\ntags: [daily]\nmood: {{date:ddd}}\n---\nRain on {{date}}.\n")
    workspace.notes.apply(workspace.notes.plan_folder(vault), embed=False)
    workspace.bases.update("vault", write_files=True)
    chosen(workspace, base="vault", folder="日记", format="YYYY/YYYY-MM-DD", template="templates/day.md")
    note = workspace.daily.open(FRIDAY)
    file = vault / "日记" / "2026" / "2026-11-27.md"
    assert file.read_text() == "---\ntags: [daily]\nmood: Fri\n---\nRain on 2026-11-27.\n"
    assert (note.in_file, note.title, note.tags) == (True, "2026-11-27", ("daily",))
    assert workspace.notes.plan_folder(vault).is_empty
    # A file that another program made a moment ago is the day's note.
    file.with_name("2026-11-28.md").write_text("Made elsewhere.")
    assert workspace.daily.open(SATURDAY).body == "Made elsewhere."
    chosen(workspace, base="vault", folder=".hidden")
    with pytest.raises(EditError, match="aren't imported"):
        workspace.daily.open(FRIDAY)


def test_what_is_missing_is_named(workspace: Workspace) -> None:
    with pytest.raises(ConfigError, match="Choose once where today's note goes"):
        workspace.daily.open(FRIDAY)
    chosen(workspace, base="gone")
    with pytest.raises(ConfigError, match="no base 'gone'"):
        workspace.daily.open(FRIDAY)


def test_a_workspace_for_reading_only_shows_the_note_and_makes_none(workspace: Workspace) -> None:
    workspace.bases.add("work")
    chosen(workspace, base="work")
    note = workspace.daily.open(FRIDAY)
    with Workspace(workspace.store.folder, settings=workspace.settings, readonly=True) as reading:
        assert reading.daily.open(FRIDAY).id == note.id
        with pytest.raises(WorkspaceLocked):
            reading.daily.open(SATURDAY)
