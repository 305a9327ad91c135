"""Lines of notes that name one of the next days."""

from datetime import datetime

import pytest

from core.base.datetimes import LOCAL
from core.features.review import service
from core.workspace import Workspace


@pytest.fixture(autouse=True)
def _clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "local_now", lambda: datetime(2026, 11, 30, 9, tzinfo=LOCAL))


def found(workspace: Workspace) -> list[tuple[str, str]]:
    news = workspace.review.digest()
    return [(line.day.isoformat(), line.text) for line in news.coming] if news else []


@pytest.mark.parametrize(
    ("line", "day"),
    [
        ("Cancel the **insurance** by 30 November.", "2026-11-30"),
        ("- [ ] Call on December 1st, 2026", "2026-12-01"),
        ("The dentist: Dec 3 at nine", "2026-12-03"),
        ("到期：2026年12月5日", "2026-12-05"),
        ("第二针在 12 月 7 日打", "2026-12-07"),
        ("| boiler | 2026-12-02 |", "2026-12-02"),
        ("a day too late: 8 December", ""),
        ("paid on 30 November 2024", ""),
        ("paid on 2025年11月30日", ""),
        ("paid on 2025 年 11 月 30 日", ""),
        ("build 2026-12-012 and 13 December and 1 decade", ""),
        ("- [x] paid by 30 November", ""),
        ("## 30 November", ""),
    ],
)
def test_a_line_that_names_one_of_the_next_days_is_found(workspace: Workspace, line: str, day: str) -> None:
    workspace.notes.add("home", f"Things to do.\n\n{line}\n", title="Things", embed=False)
    assert [at for at, _ in found(workspace)] == ([day] if day else [])


def test_only_active_notes_count_and_the_nearest_day_comes_first(workspace: Workspace) -> None:
    for number, status in ((3, "active"), (1, "active"), (2, "pending"), (2, "archived")):
        workspace.notes.add("home", f"Rent of **{status}** is due {number} December", title=f"{number}", status=status)
    assert found(workspace) == [(f"2026-12-0{n}", f"Rent of active is due {n} December") for n in (1, 3)]
