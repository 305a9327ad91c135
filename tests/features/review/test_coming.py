"""Lines of notes that name one of the next days."""

from datetime import datetime
from zoneinfo import ZoneInfo

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
        ("今年11月30日前交税，每年如此", "2026-11-30"),
        ("2026年11月30日23:59截止", "2026-11-30"),
        ("Trip 28-30 November", "2026-11-30"),
        ("- [!] Nov. 30 at the latest", "2026-11-30"),
        ("1. [x] paid by 30 November", ""),
        ("> - [x] paid by 30 November", ""),
        ("paid on 30 Nov. 2025", ""),
        ("due 30 November of 2019", ""),
        ("30 Novembers", ""),
        ("November 30th, 2024 wedding", ""),
        ("30 November (2019), Nov 30,2019", ""),
        ("2019 年11月30日", ""),
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


def test_every_month_and_a_leap_day_are_named_in_both_languages(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    days = [datetime(2028, month, 1, 9, tzinfo=LOCAL) for month in range(1, 13)] + [datetime(2028, 2, 29, tzinfo=LOCAL)]
    for day in days:
        workspace.notes.add("home", f"Due on {day:%B} {day.day}", title=f"{day:%m-%d} English")
        workspace.notes.add("home", f"到期：{day.month}月{day.day}日", title=f"{day:%m-%d} 中文")
    for day in days:
        monkeypatch.setattr(service, "local_now", lambda day=day: day)
        news = workspace.review.digest()
        assert news
        titles = [line.note.title for line in news.coming if line.day == day.date()]
        assert sorted(titles) == [f"{day:%m-%d} English", f"{day:%m-%d} 中文"]


def test_the_sentence_around_a_day_is_quoted_and_a_note_once_a_day(workspace: Workspace) -> None:
    said = "The landlord said many things. " * 20
    workspace.notes.add("home", f"{said}We must cancel by 30 November.\nAnd 30 November again.", title="Flat")
    workspace.notes.add("home", "很长的话，" * 60 + "12 月 3 日到期。", title="租房")
    (flat, rent) = found(workspace)
    assert flat[1] == "We must cancel by 30 November."
    assert rent[1].startswith("…很长的话，")
    assert rent[1].endswith("12 月 3 日到期。")


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (  # each sentence of a line has its day
            "The dentist is on 1 December. Cancel the gym by 3 December at the latest. Bring cash.",
            {"12-01": "The dentist is on 1 December.", "12-03": "Cancel the gym by 3 December at the latest."},
        ),
        ("牙医在12月1日。健身房最晚12月3日退。", {"12-01": "牙医在12月1日。", "12-03": "健身房最晚12月3日退。"}),
        (  # a day that is taken, one that is past, and one that is coming
            "Rent is due on 1 December.\n\nAsked on 1 December, they answer by 4 December.\n\n"
            "Ordered on 28 November, it arrives on 5 December.",
            {
                "12-01": "Rent is due on 1 December.",
                "12-04": "Asked on 1 December, they answer by 4 December.",
                "12-05": "Ordered on 28 November, it arrives on 5 December.",
            },
        ),
        (  # lines that are wrapped, and lines that are not
            "The contract of the flat in the old town can be cancelled only by\n30 November, and only in "
            "writing.\nDentist: 1 December\nHairdresser: 2 December\nthe new one",
            {
                "11-30": "The contract of the flat in the old town can be cancelled only by 30 November, and only in "
                "writing.",
                "12-01": "Dentist: 1 December",
                "12-02": "Hairdresser: 2 December the new one",
            },
        ),
        ("> The parcel must be fetched at the post office in the station by Dec\n> 2, or it", {}),
        (
            "- [x] paid the rent and the parking\n  by 1 December\n- call\n  on 2 December",
            {"12-02": "call on 2 December"},
        ),
        ("| what | when |\n| --- | --- |\n| boiler | 2026-12-02 |", {"12-02": "boiler · 2026-12-02"}),
        ("```\n1 December\n```\n~~~~\n2 December\n```\n~~~~\n3 December", {"12-03": "3 December"}),
        ("30 November, 2026-12-05", {"11-30": "30 November, 2026-12-05"}),
        # a month at the end of a line, and a date at the beginning of the next
        (
            "Closed on 29 November\n30 November: reopening\n1 December\n2 December",
            {"11-30": "30 November: reopening", "12-01": "1 December", "12-02": "2 December"},
        ),
    ],
)
def test_days_are_quoted_in_whole_sentences(workspace: Workspace, text: str, lines: dict[str, str]) -> None:
    workspace.notes.add("home", f"Things.\n\n{text}\n", title="Things", embed=False)
    assert {day.removeprefix("2026-"): line for day, line in found(workspace)} == lines


def test_a_task_of_two_sentences_has_a_row_for_each_of_its_days(workspace: Workspace) -> None:
    text = "- [ ] Pay the rent by 1 December. Ask for\n  the receipt by 3 December.\n"
    workspace.notes.add("home", text, title="Flat", embed=False)
    news = workspace.review.digest()
    assert news
    assert [line.text for line in news.coming] == ["Pay the rent by 1 December.", "Ask for the receipt by 3 December."]
    assert all(line.is_task and text[line.start :].startswith("- [ ] Pay") for line in news.coming)


def test_the_verb_may_is_no_month_and_expired_notes_name_no_days(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "local_now", lambda: datetime(2027, 5, 1, 9, tzinfo=LOCAL))
    workspace.notes.add("home", "Option 1 may fail.", title="Options")
    workspace.notes.add("home", "The offer ends on 1 May.", title="Offer", expires_at="2020-01-01")
    workspace.notes.add("home", "Rent is due on May 1.", title="Rent")
    assert found(workspace) == [("2027-05-01", "Rent is due on May 1.")]


def test_open_tasks_are_overdue_and_a_line_is_quoted_once(workspace: Workspace) -> None:
    text = (
        "Paid on 27 November.\n\n- [ ] Return the books by 27 November\n- [x] Rent by 28 November\n"
        "- [ ] Asked on 29 November, answer by 1 December\n- [ ] Call by 1 December\nFrom 2 December to 3 December\n"
    )
    workspace.notes.add("home", text, title="Things", embed=False)
    assert found(workspace) == [
        ("2026-11-27", "Return the books by 27 November"),
        ("2026-12-01", "Asked on 29 November, answer by 1 December"),
        ("2026-12-01", "Call by 1 December"),
        ("2026-12-02", "From 2 December to 3 December"),
    ]


def test_open_tasks_are_found_at_their_place_and_not_in_code(workspace: Workspace) -> None:
    text = "Things.\n\n- [ ] **Jonas**: a torch\n- [x] Mia\n\n```\n- [ ] code\n```\n\n> 1. [ ] quoted\n\nno [ ] box\n"
    note = workspace.notes.add("home", text, title="Presents", embed=False)
    hidden = workspace.notes.add("home", "- [ ] old", title="Old", embed=False)
    workspace.notes.archive([hidden.id])
    tasks = workspace.review.open_tasks()
    assert [(task.text, text[task.start : task.end]) for task in tasks] == [
        ("Jonas: a torch", "- [ ] **Jonas**: a torch"),
        ("quoted", "> 1. [ ] quoted"),
    ]
    workspace.notes.tick(note.id, 2, expected_version=note.version)
    assert [task.text for task in workspace.review.open_tasks()] == ["quoted"]


def test_open_tasks_come_by_their_day_and_then_by_their_note(workspace: Workspace) -> None:
    lines = (
        "Sow peas",
        "Renew the passport by 3 March",
        "Call on 29 November 2026, at nine",
        "护照 2027年2月1日前续签",
    )
    for number, line in enumerate(lines):
        workspace.notes.add("home", f"- [ ] {line}\n", title=f"{number}", embed=False)
    text = "- [ ] Ask Mia\n- [ ] From 28 November to 1 December\n- [ ] Tax since 2019-02-30,\n  due 2025-05-31\n"
    workspace.notes.add("home", text, title="House", embed=False)
    assert [(task.text, task.day and task.day.isoformat()) for task in workspace.review.open_tasks()] == [
        ("Tax since 2019-02-30, due 2025-05-31", "2025-05-31"),
        ("Call on 29 November 2026, at nine", "2026-11-29"),
        ("From 28 November to 1 December", "2026-12-01"),
        ("护照 2027年2月1日前续签", "2027-02-01"),
        ("Renew the passport by 3 March", "2027-03-03"),
        ("Ask Mia", None),
        ("Sow peas", None),
    ]


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Call by 1 December", "2026-12-01"),
        ("Call by 29 November", "2026-11-29"),
        ("Call by 15 June", "2026-06-15"),
        ("Call by 15 May", "2027-05-15"),
        ("Call by 29 February", ""),
        ("Call by 29 February 2028", "2028-02-29"),
        ("Call by 30 February", ""),
        ("Call by 2 Dec 2031", "2031-12-02"),
        ("12月7日交房租", "2026-12-07"),
        ("Call 2026-13-40", ""),
        ("Room 1204, 3 may come", ""),
    ],
)
def test_a_task_names_a_day_of_any_year(workspace: Workspace, text: str, day: str) -> None:
    workspace.notes.add("home", f"- [ ] {text}\n", title="Things", embed=False)
    (task,) = workspace.review.open_tasks()
    assert (task.text, task.day.isoformat() if task.day else "") == (text, day)


def test_a_dated_task_of_an_old_note_isnt_crowded_out(workspace: Workspace) -> None:
    workspace.notes.add("home", "- [ ] Call by 1 February\n", title="Old", embed=False)
    workspace.notes.add("home", "".join(f"- [ ] task {n}\n" for n in range(150)), title="New", embed=False)
    tasks = workspace.review.open_tasks()
    assert (tasks[0].text, len(tasks) > 50) == ("Call by 1 February", True)


def test_tasks_are_ticked_in_their_lines_as_markdown_has_them(workspace: Workspace) -> None:
    text = (
        "```no fence``` here\n- [ ] alpha\u2028- [ ] beta\npage\x0c- [ ] no line\n\n"
        "~~~\n```\n- [ ] code\n~~~\n\n````\n```\n- [ ] code\n```\n- [ ] code\n````\n\n- [ ] gamma\n"
    )
    workspace.notes.add("home", text, title="Pasted", embed=False)
    tasks = workspace.review.open_tasks()
    assert [text[task.start : task.end].splitlines()[0] for task in tasks] == ["- [ ] alpha", "- [ ] gamma"]
    assert "code" not in "".join(task.text for task in tasks)


def test_the_day_is_that_of_the_users_clock(workspace: Workspace) -> None:
    workspace.notes.add("home", "Rent is due on 8 December.", title="Rent", embed=False)
    assert not found(workspace)
    news = workspace.review.digest(datetime(2026, 12, 1, 1, tzinfo=ZoneInfo("Asia/Tokyo")))
    assert news
    assert (news.day, [line.text for line in news.coming]) == ("2026-12-01", ["Rent is due on 8 December."])


def test_logs_that_are_text_files_name_no_days(workspace: Workspace) -> None:
    workspace.bases.add("logs", kind="lines")
    workspace.notes.add("logs", "2026-11-30 09:00 INFO started", title="log")
    assert not found(workspace)


def test_a_task_of_one_letter_may_end_a_note(workspace: Workspace) -> None:
    workspace.notes.add("home", "- [ ] x", title="Short", embed=False)
    assert [line.text for line in workspace.review.open_tasks()] == ["x"]


def test_a_task_at_the_beginning_hides_no_sentence_of_its_day(workspace: Workspace) -> None:
    workspace.notes.add("home", "- [ ] call by 1 December\n\nThe rent is due on 1 December.", title="Day", embed=False)
    assert found(workspace) == [
        ("2026-12-01", "call by 1 December"),
        ("2026-12-01", "The rent is due on 1 December."),
    ]


@pytest.mark.parametrize(
    ("task", "day"),
    [
        ("Pay by 5 December 1500 EUR", "2026-12-05"),
        ("12月5日1500元转账", "2026-12-05"),
        ("Call on 3 Dec, 1430", "2026-12-03"),
        ("民国115年12月1日交税", "2026-12-01"),
        ("Pay by 5 December 2000 EUR", None),
        ("Renew by 5 December 2027", "2027-12-05"),
        (f"pay 2026-12-01{' ' * 20_000}x", "2026-12-01"),
    ],
)
def test_a_number_after_a_date_is_its_year_only_if_it_can_be(workspace: Workspace, task: str, day: str | None) -> None:
    workspace.notes.add("home", f"- [ ] {task}", title="Task", embed=False)
    (found,) = workspace.review.open_tasks()
    assert (found.day and found.day.isoformat()) == day
