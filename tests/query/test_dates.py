"""Dates as people type them. It is Tuesday, 31 March 2026."""

import re
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.errors import QueryError
from core.model import midnight
from core.query.dates import EXAMPLES, DateRange, read, spoken
from core.query.parser import parse

TODAY = date(2026, 3, 31)


def span(first: str, behind: str = "") -> DateRange:
    return DateRange(date.fromisoformat(first), date.fromisoformat(behind) if behind else None)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("2026-01-05", span("2026-01-05", "2026-01-06")),
        ("2026-1-5", span("2026-01-05", "2026-01-06")),
        ("2026/1/5", span("2026-01-05", "2026-01-06")),
        ("20260105", span("2026-01-05", "2026-01-06")),
        ("2026年1月5日", span("2026-01-05", "2026-01-06")),
        ("2026年1月5号", span("2026-01-05", "2026-01-06")),
        ("２０２６－０１－０５", span("2026-01-05", "2026-01-06")),
        ("2026-12", span("2026-12-01", "2027-01-01")),
        ("2026/2", span("2026-02-01", "2026-03-01")),
        ("2026年2月", span("2026-02-01", "2026-03-01")),
        ("2026", span("2026-01-01", "2027-01-01")),
        ("2026年", span("2026-01-01", "2027-01-01")),
        ("2024-02-29", span("2024-02-29", "2024-03-01")),
        ("today", span("2026-03-31")),
        ("Today", span("2026-03-31")),
        ("今天", span("2026-03-31")),
        ("yesterday", span("2026-03-30", "2026-03-31")),
        ("昨天", span("2026-03-30", "2026-03-31")),
        ("前天", span("2026-03-29", "2026-03-30")),
        ("this week", span("2026-03-30")),
        ("本周", span("2026-03-30")),
        ("last  WEEK", span("2026-03-23", "2026-03-30")),
        ("上周", span("2026-03-23", "2026-03-30")),
        ("上个星期", span("2026-03-23", "2026-03-30")),
        ("past week", span("2026-03-24")),
        ("this month", span("2026-03-01")),
        ("last month", span("2026-02-01", "2026-03-01")),
        ("上个月", span("2026-02-01", "2026-03-01")),
        ("past month", span("2026-02-28")),
        ("this year", span("2026-01-01")),
        ("last year", span("2025-01-01", "2026-01-01")),
        ("去年", span("2025-01-01", "2026-01-01")),
        ("past year", span("2025-03-31")),
        ("7d", span("2026-03-24")),
        ("2w", span("2026-03-17")),
        ("3m", span("2025-12-31")),
        ("1y", span("2025-03-31")),
        ("2 weeks ago", span("2026-03-17")),
        ("last 30 days", span("2026-03-01")),
        ("past two weeks", span("2026-03-17")),
        ("1 month", span("2026-02-28")),
        ("最近一个月", span("2026-02-28")),
        ("近三天", span("2026-03-28")),
        ("过去两周", span("2026-03-17")),
        ("过去的两周", span("2026-03-17")),
        ("最近７天", span("2026-03-24")),
        ("最近半年", span("2025-09-30")),
        ("半个月", span("2026-03-16")),
        ("十天", span("2026-03-21")),
        ("十五天", span("2026-03-16")),
        ("二十天前", span("2026-03-11")),
        ("九十天", span("2025-12-31")),
        ("一百零一天", span("2025-12-20")),
        ("两百二十天", span("2025-08-23")),
        ("三个月前", span("2025-12-31")),
    ],
)
def test_what_a_date_stands_for(typed: str, meant: DateRange) -> None:
    assert read(typed, TODAY) == meant


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("soon", f"'soon' isn't a date. Write it like {EXAMPLES}."),
        ("last", f"'last' isn't a date. Write it like {EXAMPLES}."),
        ("2026-1-5-2", f"'2026-1-5-2' isn't a date. Write it like {EXAMPLES}."),
        ("半天", f"'半天' isn't a date. Write it like {EXAMPLES}."),
        ("0d", f"'0d' isn't a date. Write it like {EXAMPLES}."),
        ("", f"'' isn't a date. Write it like {EXAMPLES}."),
        ("2026-02-30", "'2026-02-30' doesn't exist in the calendar. Check the month and the day."),
        ("2026-13", "'2026-13' doesn't exist in the calendar. Check the month and the day."),
        ("2025年2月29日", "'2025年2月29日' doesn't exist in the calendar. Check the month and the day."),
        ("2026-00-01", "'2026-00-01' doesn't exist in the calendar. Check the month and the day."),
        ("0001", "'0001' is out of range. Use a date from 1900 to 2999."),
        ("9999-12-31", "'9999-12-31' is out of range. Use a date from 1900 to 2999."),
        ("99999y", "'99999y' is out of range. Use a date from 1900 to 2999."),
        ("99999w", "'99999w' is out of range. Use a date from 1900 to 2999."),
        ("200y", "'200y' is out of range. Use a date from 1900 to 2999."),
    ],
)
def test_what_is_no_date_says_so(typed: str, says: str) -> None:
    with pytest.raises(QueryError, match=f"^{re.escape(says)}$"):
        read(typed, TODAY)


def test_a_day_begins_at_its_own_midnight() -> None:
    assert midnight(date(2026, 3, 1), ZoneInfo("Asia/Shanghai")) == datetime(2026, 2, 28, 16, tzinfo=UTC)
    assert midnight(date(2026, 1, 1), ZoneInfo("Europe/Berlin")) == datetime(2025, 12, 31, 23, tzinfo=UTC)
    assert midnight(date(2026, 7, 1), ZoneInfo("Europe/Berlin")) == datetime(2026, 6, 30, 22, tzinfo=UTC)
    assert midnight(date(2026, 7, 1), UTC).tzinfo is UTC


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("in the last 30 days we", "in the last 30 days"),
        ("last week's notes", "last week's"),
        ("最近一个月的 Redis", "最近一个月的"),
        ("最近一周内的", "最近一周内的"),
        ("最近一周内存泄漏", "最近一周"),
        ("最近一年会议", "最近一年"),
        ("最近两周一直", "最近两周"),
        ("最近一年的确", "最近一年"),
        ("上周一直", "上周"),
        ("在过去三个月里，", "在过去三个月里"),
    ],
)
def test_what_belongs_to_a_time_that_is_spoken_of(text: str, whole: str) -> None:
    said = spoken(text, 0)
    assert said is not None
    assert text[: said.end] == whole


@pytest.mark.parametrize(
    "text",
    [
        *(
            "上周五",
            "上周末",
            "上周一例会",
            "上个月底",
            "本周期",
            "本月初",
            "上月球",
            "最近几天",
            "最近二三天",
            "最近半天",
        ),
        *("最近一年级", "近三月份", "last month of", "last weekend", "last week-end", "lastly", "since 2.0"),
        *("since 2026", "since 2026-01-011", "last few days", "past 0 days", "最近0天", "最近123456天", ""),
    ],
)
def test_what_only_looks_like_a_time(text: str) -> None:
    assert spoken(text, 0) is None


@pytest.mark.parametrize(
    ("text", "at"), [("附近三天", 1), ("晚上周", 1), ("早上周会", 1), ("日本月", 1), ("接近两周", 1), ("版本周", 1)]
)
def test_a_time_is_not_cut_out_of_a_word(text: str, at: int) -> None:
    assert spoken(text, at) is None


def test_a_span_beyond_the_calendar_is_a_subject() -> None:
    assert spoken("last 9999 years", 0) is not None
    (words,) = parse("the last 9999 years of the mill", now=datetime.now(UTC)).terms
    assert words.kind == "words"


@given(st.text())
def test_any_text_is_a_date_or_an_error(text: str) -> None:
    try:
        meant = read(text, TODAY)
    except QueryError:
        return
    assert meant.end is None or meant.first < meant.end


@given(st.dates(date(1900, 1, 1), date(2999, 12, 30)))
def test_every_day_is_read_as_it_is_written(day: date) -> None:
    written = [day.isoformat(), f"{day:%Y/%m/%d}", f"{day.year}年{day.month}月{day.day}日", f"{day:%Y%m%d}"]
    assert {read(text, TODAY).first for text in written} == {day}


@given(st.dates(date(1910, 1, 1), date(2999, 12, 31)), st.integers(1, 100))
def test_a_month_back_is_in_the_month_before(today: date, count: int) -> None:
    first = read(f"{count}m", today).first
    assert (today.year * 12 + today.month) - (first.year * 12 + first.month) == count
    assert first.day <= today.day
