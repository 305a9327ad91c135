"""The language of the search box, by example. It is Tuesday, 31 March 2026, in Shanghai."""

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.errors import QueryError
from core.intake.notefile import read
from core.model import Condition, Filters, Term, Understood
from core.query.fields import CHOICES, FIELDS
from core.query.parser import COPIED, parse
from tests.growth import assert_linear

NOW = datetime(2026, 3, 31, 15, tzinfo=ZoneInfo("Asia/Shanghai"))


def understood(typed: str) -> Understood:
    return parse(typed, now=NOW)


def shown(question: Understood) -> str:
    """Write down a question: text | "phrase" | ~emphasised | -excluded | tag=a/b | tag!=c | from day | before day."""
    filters = question.filters
    parts = [question.text, *(f'"{phrase}"' for phrase in question.phrases)]
    parts += [*(f"~{phrase}" for phrase in question.emphasised), *(f"-{out}" for out in question.excluded)]
    parts += [f"{one.field}{'!=' if one.negated else '='}{'/'.join(one.values)}" for one in filters.conditions]
    parts += ["base=" + "/".join(filters.bases)] if filters.bases else []
    parts += [f"from {filters.after.astimezone(NOW.tzinfo):%Y-%m-%d}"] if filters.after else []
    parts += [f"before {filters.before.astimezone(NOW.tzinfo):%Y-%m-%d}"] if filters.before else []
    return " | ".join(parts)


def check(table: str) -> None:
    """Hold a table of `typed -> understood` against what is understood; without an arrow, all of it is text."""
    for line in table.strip().splitlines():
        typed, _, expected = line.strip().partition(" -> ")
        assert (typed, shown(understood(typed))) == (typed, (expected or typed).strip().removeprefix("∅"))


def remove_term(typed: str, term: Term) -> str:
    """Return a question without one of its terms, with one space in its place."""
    before, after = typed[: term.start].rstrip(), typed[term.end :].lstrip()
    return f"{before} {after}" if before and after else before + after


def test_phrases() -> None:
    check(
        """
        what is "exact phrase" here -> what is exact phrase here | "exact phrase"
        “exact phrase” -> exact phrase | "exact phrase"
        「缓存穿透」、『缓存雪崩』？ -> 缓存穿透、缓存雪崩？ | "缓存穿透" | "缓存雪崩"
        “a” tag:rust -> a | "a" | tag=rust
        什么是"缓存穿透"和雪崩 -> 什么是缓存穿透和雪崩 | "缓存穿透"
        ＂主从　复制＂ -> 主从 复制 | "主从　复制"
        read"only"mode -> read only mode | "only"
        print("hello world") -> print(hello world) | "hello world"
        "tag:rust" -foo -> tag:rust | "tag:rust" | -foo
        "最近一个月" -> 最近一个月 | "最近一个月"
        "-v" -> -v | "-v"
        "a" "a" -> a a | "a"
        " padded " -> padded | "padded"
        “他说"好"” -> 他说"好" | "他说"好""
        "C:\\dir\\" -> C:\\dir\\ | "C:\\dir\\"
        foo "" bar -> foo bar
        foo “ ” bar -> foo bar
        x="" -> x=
        """
    )


def test_emphasis() -> None:
    check(
        """
        什么是「缓存穿透」和『缓存雪崩』 -> 什么是缓存穿透和缓存雪崩 | ~缓存穿透 | ~缓存雪崩
        点“编辑此页”和走 Fork 有什么不同 -> 点编辑此页和走 Fork 有什么不同 | ~编辑此页
        Redis“持久化” -> Redis持久化 | ~持久化
        Redis7“持久化” -> Redis7持久化 | ~持久化
        why “exact” and "literal" -> why exact and literal | "literal" | ~exact
        什么是“缓存
        什么是「缓存」「雪崩 -> 什么是缓存「雪崩 | ~缓存
        """
    )


def test_quotation_marks_that_are_text() -> None:
    check(
        """
        a 27" monitor and a 24" one
        27"显示器和24"显示器
        5'10" tall
        don't and 'single' and ’curly’
        the end"
        缓存穿透" 是什么
        foo"bar
        print("x") and f(x)" -> print(x) and f(x)" | "x"
        a stray ” here 」
        a lone " mark
        foo "bar
        x -"bar baz
        tag:"bar baz -> baz | tag=bar
        say \\"this\\" -> say "this"
        „German“ words
        """
    )


def test_leaving_out() -> None:
    check(
        """
        redis -cluster -> redis | -cluster
        -cluster redis -> redis | -cluster
        redis -"hot key" -> redis | -hot key
        缓存 -雪崩 -> 缓存 | -雪崩
        缓存 －雪崩 -> 缓存 | -雪崩
        缓存，-雪崩 -> 缓存， | -雪崩
        缓存 -「热点 数据」 -> 缓存 | -热点 数据
        redis -cluster? -> redis | -cluster
        redis -C++ -> redis | -C++
        redis -http://x.org/a -> redis | -http://x.org/a
        redis -std::mem -> redis | -std::mem
        rm -rf -> rm | -rf
        a -foo -bar -foo -> a | -foo | -bar
        a -"" b -> a b
        redis -"v" -> redis | -v
        """
    )


def test_a_minus_that_is_text() -> None:
    check(
        """
        UTF-8
        well-known
        a - b
        -
        cargo build --release
        <!-- x -->
        -1
        -5%
        -.5
        ->
        tar -v
        a–b – c
        x \\-foo -> x -foo
        """
    )


def test_what_notes_hold_is_a_filter() -> None:
    check(
        """
        找到包含代码示例的笔记 -> ∅ | has=code
        有哪些笔记包含架构图？ -> ∅ | has=diagram
        有没有带表格的文章 -> ∅ | has=table
        笔记里有表格吗？ -> ∅ | has=table
        带图片的 Redis 笔记 -> Redis 笔记 | has=image
        没有链接的笔记 -> ∅ | has!=link
        包含待办事项的笔记 tag:rust -> ∅ | has=task | tag=rust
        最近一周包含图片的笔记 -> ∅ | has=image | from 2026-03-24
        notes with code -> ∅ | has=code
        Find all notes with a diagram! -> ∅ | has=diagram
        notes with pictures about Rome -> about Rome | has=image
        which notes have tables? -> ∅ | has=table
        notes without links -> ∅ | has!=link
        pages containing open tasks -> ∅ | has=task
        """
    )
    typed = "找到包含代码示例的笔记"
    [term] = understood(typed).terms
    assert remove_term(typed, term) == "找到"


def test_words_that_only_look_like_what_notes_hold_are_text() -> None:
    check(
        """
        how do I write notes with code
        notes with code reviews
        notes with tables of contents
        函数包含代码
        为什么包含代码的笔记打不开
        Redis 有什么优点
        没有图片
        """
    )
    assert understood("\\notes with code").text == "notes with code"


def test_fields() -> None:
    check(
        """
        tag:rust -> ∅ | tag=rust
        ownership tag:rust -> ownership | tag=rust
        tag:rust ownership -> ownership | tag=rust
        how does tag:rust ownership work -> how does ownership work | tag=rust
        标签：数据库 主从 -> 主从 | tag=数据库
        标签:数据库 主从 -> 主从 | tag=数据库
        缓存，标签：redis -> 缓存， | tag=redis
        TAG:Rust -> ∅ | tag=Rust
        ｔａｇ：rust -> ∅ | tag=rust
        tag:rust,go -> ∅ | tag=rust/go
        标签：数据库，缓存 主从 -> 主从 | tag=数据库/缓存
        标签：数据库，状态：活跃 -> ∅ | tag=数据库 | status=active
        tag:"hello world" x -> x | tag=hello world
        tag:"a, b",c x -> x | tag=a, b/c
        标签：「主 从」 x -> x | tag=主 从
        tag:a tag:b -> ∅ | tag=a | tag=b
        tag:a tag:a -> ∅ | tag=a
        tag:#rust -> ∅ | tag=rust
        tag:rust, how -> how | tag=rust
        tag:rust? -> ∅ | tag=rust
        标签：缓存。怎么用 -> 怎么用 | tag=缓存
        -tag:rust x -> x | tag!=rust
        -tag:a x -tag:b,c -> x | tag!=a/b/c
        －标签：数据库 x -> x | tag!=数据库
        type:rule type:note -> ∅ | type=rule/note
        类型：规则 -类型：草稿 -> ∅ | type=规则 | type!=草稿
        category:work 分类：life -> ∅ | category=work/life
        project:tessera x -> x | project=tessera
        项目：甲 x -> x | project=甲
        status:archived x -> x | status=archived
        状态：归档，待审 x -> x | status=archived/pending
        状态:使用中 x -> x | status=active
        status:expired x -> x | status=expired
        状态：已过期 x -> x | status=expired
        scope:api 范围：web x -> x | scope=api/web
        priority:2 x -> x | priority=2..2
        priority:>=2 x -> x | priority=2..
        优先级：>2 x -> x | priority=3..
        priority:<2 x -> x | priority=..1
        priority:≤2, x -> x | priority=..2
        优先级：＞＝２ x -> x | priority=2..
        priority:=-2 x -> x | priority=-2..-2
        priority:1..3 x -> x | priority=1..3
        priority:-1.. x -> x | priority=-1..
        priority:..-1 x -> x | priority=..-1
        priority:1,3 x -> x | priority=1..1/3..3
        priority:>=1 priority:<=3 x -> x | priority=1.. | priority=..3
        -priority:3 x -> x | priority!=3..3
        score:10 x -> score:10 x
        in:C++ x -> x | in=C++
        在：缓存 x -> x | in=缓存
        in:"What now?" in:b x -> x | in=What now? | in=b
        section:Usage x -> x | section=Usage
        章节：安装 x -> x | section=安装
        has:code x -> x | has=code
        含：代码 x -> x | has=code
        -has:code x -> x | has!=code
        has:table has:task x -> x | has=table/task
        含：表格 包含：待办 x -> x | has=table/task
        path:work/ path:*.md x -> x | path=work//*.md
        路径：a? x -> x | path=a?
        base:work,home x -> x | base=work/home
        知识库：工作 库：家 x -> x | base=工作/家
        x"a"tag:b -> x a | "a" | tag=b
        """
    )


def test_days_that_notes_were_created_and_updated_on() -> None:
    """Of the person's days, as times in UTC; Shanghai is eight hours ahead."""
    check(
        """
        created:2026-01 x -> x | created=2025-12-31T16:00:00+00:00..2026-01-31T16:00:00+00:00
        创建于：2026-03-30 x -> x | created=2026-03-29T16:00:00+00:00..2026-03-30T16:00:00+00:00
        updated:2026-03-30.. x -> x | updated=2026-03-29T16:00:00+00:00..
        更新于：<2026 x -> x | updated=..2025-12-31T16:00:00+00:00
        created:>2026-01 x -> x | created=2026-01-31T16:00:00+00:00..
        created:>=2026-01 x -> x | created=2025-12-31T16:00:00+00:00..
        created:<=2026-03-30 x -> x | created=..2026-03-30T16:00:00+00:00
        created:2025..2026-02 x -> x | created=2024-12-31T16:00:00+00:00..2026-02-28T16:00:00+00:00
        created:yesterday x -> x | created=2026-03-29T16:00:00+00:00..2026-03-30T16:00:00+00:00
        created:2026-01. x -> x | created=2025-12-31T16:00:00+00:00..2026-01-31T16:00:00+00:00
        created:..7d x -> x | created=..2026-03-24T16:00:00+00:00
        created:<=7d x -> x | created=..2026-03-24T16:00:00+00:00
        created:>7d x -> x | created=2026-03-24T16:00:00+00:00..
        created:7d..3d x -> x | created=2026-03-23T16:00:00+00:00..2026-03-28T16:00:00+00:00
        created:..today x -> x | created=..2026-03-31T16:00:00+00:00
        created:>today x -> x | created=2026-03-31T16:00:00+00:00..
        created:7d x -> x | created=2026-03-23T16:00:00+00:00..
        -created:today x -> x | created!=2026-03-30T16:00:00+00:00..
        """
    )
    for typed in (
        "created:soon",
        "created:..",
        "updated:2026-13",
        "created:>",
        "created:1..2",
        "created:2026-05..2026-01",
    ):
        with pytest.raises(QueryError):
            understood(typed)


def test_a_colon_that_is_text() -> None:
    check(
        """
        https://example.com/a?b=c:d
        std::mem::swap
        type::Foo and path::Path
        base://x
        12:30
        C:\\Users
        localhost:8080
        python:3.11
        key: value
        example:
        a:b
        :smile: :) foo:)
        file:/etc/hosts
        问题：什么是缓存
        对比:X 和 Y
        Note：x
        log in:foo?x -> log | in=foo?x
        (tag:rust)
        Final Project: Building a Web Server
        mytag:
        \\tag:x and \\foo:bar -> tag:x and foo:bar
        the\\tag
        \\d+ \\alpha C:\\x
        """
    )


def test_hash_tags() -> None:
    check(
        """
        #rust ownership -> ownership | tag=rust
        ownership #rust -> ownership | tag=rust
        #数据库 主从 -> 主从 | tag=数据库
        ＃数据库 主从 -> 主从 | tag=数据库
        #work/plans-2026 x -> x | tag=work/plans-2026
        what about #rust? -> what about | tag=rust
        #a,#b x -> x | tag=a | tag=b
        -#rust x -> x | tag!=rust
        #2024-plan x -> x | tag=2024-plan
        tag:2024-plan tag:#2024-plan -> ∅ | tag=2024-plan
        tag:2024 x -> x | tag=2024
        -#2024/01 x -> x | tag!=2024/01
        ＃2024计划，进度 -> 进度 | tag=2024计划
        #项目/子项 x -> x | tag=项目/子项
        -#12 x -> -#12 x
        #rust"hot key" -> hot key | "hot key" | tag=rust
        C# and F#
        # heading
        #1 #2026 #2026- #-x
        #include <stdio.h>
        x#rust
        #rust.md #f(x) #缓存#
        \\#rust -> #rust
        """
    )


def test_dates() -> None:
    check(
        """
        after:2026-01-05 x -> x | from 2026-01-05
        after:2026-03 x -> x | from 2026-03-01
        before:2026-03 x -> x | before 2026-03-01
        before:2026 x -> x | before 2026-01-01
        after:2026/1/5 before:2026-02 x -> x | from 2026-01-05 | before 2026-02-01
        之后：2026年1月5日 x -> x | from 2026-01-05
        晚于：上周 早于：今天 x -> x | from 2026-03-23 | before 2026-03-31
        after:7d x -> x | from 2026-03-24
        before:1m x -> x | before 2026-02-28
        after:yesterday x -> x | from 2026-03-30
        after:"last week" x -> x | from 2026-03-23
        after:去年 x -> x | from 2025-01-01
        after:2026-01 after:2026-02 x -> x | from 2026-02-01
        before:2026-01 before:2026-02 x -> x | before 2026-01-01
        """
    )


def test_times_that_count_anywhere() -> None:
    check(
        """
        最近一个月的 Redis 笔记 -> Redis 笔记 | from 2026-02-28
        最近一个月 -> ∅ | from 2026-02-28
        Redis 最近7天 -> Redis | from 2026-03-24
        整理最近三天的会议 -> 整理 会议 | from 2026-03-28
        近三天写的 -> 写的 | from 2026-03-28
        在过去的两周里，我学了什么？ -> 我学了什么？ | from 2026-03-17
        最近半年的计划 -> 计划 | from 2025-09-30
        最近十五天 缓存 -> 缓存 | from 2026-03-16
        redis notes from the last 30 days -> redis notes | from 2026-03-01
        last 30 days redis -> redis | from 2026-03-01
        what did I learn in the past 2 weeks about redis -> what did I learn about redis | from 2026-03-17
        past three months plans -> plans | from 2025-12-31
        changes since 2026-03-01 in redis -> changes in redis | from 2026-03-01
        since 2026-03 redis -> redis | from 2026-03-01
        最近一个月的标签：redis -> ∅ | tag=redis | from 2026-02-28
        最近一周 after:2026-03-30 x -> x | from 2026-03-30
        """
    )


def test_times_that_count_at_the_edges() -> None:
    check(
        """
        last week meetings -> meetings | from 2026-03-23 | before 2026-03-30
        what happened last week? -> what happened | from 2026-03-23 | before 2026-03-30
        notes from the last month -> notes | from 2026-02-01 | before 2026-03-01
        budget last year -> budget | from 2025-01-01 | before 2026-01-01
        plans this month -> plans | from 2026-03-01
        redis past week -> redis | from 2026-03-24
        redis last week tag:x "y" -> redis y | "y" | tag=x | from 2026-03-23 | before 2026-03-30
        tag:x last week redis -> redis | tag=x | from 2026-03-23 | before 2026-03-30
        summarise last week's meetings -> summarise meetings | from 2026-03-23 | before 2026-03-30
        上周 会议 -> 会议 | from 2026-03-23 | before 2026-03-30
        上周开了什么会 -> 开了什么会 | from 2026-03-23 | before 2026-03-30
        整理上周的会议 -> 整理 会议 | from 2026-03-23 | before 2026-03-30
        会议纪要 上个月 -> 会议纪要 | from 2026-02-01 | before 2026-03-01
        本月账单 -> 账单 | from 2026-03-01
        since last week redis -> redis | from 2026-03-23
        """
    )


def test_days_and_years_that_count_at_the_beginning() -> None:
    check(
        """
        昨天的笔记 -> 笔记 | from 2026-03-30 | before 2026-03-31
        今天的 tag:x -> ∅ | tag=x | from 2026-03-31
        去年的计划 -> 计划 | from 2025-01-01 | before 2026-01-01
        今年的目标 -> 目标 | from 2026-01-01
        today's notes -> notes | from 2026-03-31
        this year's goals -> goals | from 2026-01-01
        """
    )


def test_times_that_are_text() -> None:
    check(
        """
        今天是晴天
        今天
        我昨天的笔记
        去年夏天
        what is today
        today I learned
        this year in review
        what changed in the last month of pregnancy
        last month of pregnancy
        first and last week
        at the end of last year
        last weekend plans
        上周五的会议
        上个月底
        本周期的任务
        晚上周会的记录
        附近三天
        最近几天
        a last few days trip
        the last 10000 years of history
        git log --last 30 days
        new in python since 3.8
        inflation since 1970
        上个月和本月的区别
        last month vs last week
        最近一个月和最近一年的对比
        \\最近一个月 的 -> 最近一个月 的
        """
    )


def test_filters_need_no_words() -> None:
    check(
        """
        tag:rust -draft -> ∅ | -draft | tag=rust
        -tag:rust -> ∅ | tag!=rust
        base:work -> ∅ | base=work
        tag:rust ? -> ∅ | tag=rust
        ???
        """
    )


@pytest.mark.parametrize(
    ("typed", "at", "says"),
    [
        ("", None, "The question is empty. Type a word or a sentence to search for."),
        (" \n\u200b", None, "The question is empty. Type a word or a sentence to search for."),
        ('""', None, "The question is empty. Type a word or a sentence to search for."),
        (
            " -foo ",
            "-foo",
            "The question only excludes things. Add a word to search for, or a filter such as tag:rust.",
        ),
        (
            '-foo ? -"bar"',
            '-foo ? -"bar"',
            "The question only excludes things. Add a word to search for, or a filter such as tag:rust.",
        ),
        (
            "x tag:",
            "tag:",
            "'tag:' has no value. Write the value directly after the colon, as in tag:rust,go."
            " To search for the text itself, put it in quotation marks.",
        ),
        (
            "-类型： rust",
            "-类型：",
            "'类型：' has no value. Write the value directly after the colon, as in 类型：work."
            " To search for the text itself, put it in quotation marks.",
        ),
        (
            'after:"" x',
            'after:""',
            "'after:' has no value. Write the value directly after the colon, as in after:2026-01-31."
            " To search for the text itself, put it in quotation marks.",
        ),
        (
            "x status:done",
            "done",
            "'status:' can't be 'done'. Choices: pending, active, archived, expired."
            " To search for the text itself, put it in quotation marks.",
        ),
        (
            "x priority:high",
            "high",
            "'priority:' needs a number, such as priority:2, priority:>=2 or priority:1..3."
            " To search for the text itself, put it in quotation marks.",
        ),
        (
            f"x priority:{'9' * 5000}",
            "9" * 5000,
            "'priority:' needs a number, such as priority:2, priority:>=2 or priority:1..3."
            " To search for the text itself, put it in quotation marks.",
        ),
        (
            "x 含：视频",
            "视频",
            "'含：' can't be '视频'. Choices: code, table, task, image, diagram, link."
            " To search for the text itself, put it in quotation marks.",
        ),
        ("x -base:work", "-base:", "'-base:' can't be used. Instead, name the bases to search: base:work,home."),
        ("x -after:2026", "-after:", "'-after:' can't be used. Use 'before:' instead."),
        ("x -早于：2026", "-早于：", "'-早于：' can't be used. Use 'after:' instead."),
        ("x after:2026,2025", "2026,2025", "'after:' accepts one date, not a list."),
        (
            "x after:last week",
            "last",
            "'last' isn't a date. Write it like 2026-01-31, 2026-01, 2026, 7d, 2w, 3m, 1y, today or \"last week\".",
        ),
        (
            "x before:2026-02-30",
            "2026-02-30",
            "'2026-02-30' doesn't exist in the calendar. Check the month and the day.",
        ),
        (
            "x since 2026-02-30",
            "since 2026-02-30",
            "'2026-02-30' doesn't exist in the calendar. Check the month and the day.",
        ),
        ("x after:99999y", "99999y", "'99999y' is out of range. Use a date from 1900 to 2999."),
        (
            "after:2026-03 x before:2026-01",
            "before:2026-01",
            "No note can match, because 2026-03-01 isn't earlier than 2026-01-01. Change one of the dates.",
        ),
        (
            "after:2026-03 before:2026-03 x",
            "before:2026-03",
            "No note can match, because 2026-03-01 isn't earlier than 2026-03-01. Change one of the dates.",
        ),
        (
            "last week redis after:today",
            "after:today",
            "No note can match, because 2026-03-31 isn't earlier than 2026-03-30. Change one of the dates.",
        ),
    ],
)
def test_what_is_said_of_a_question_that_cannot_be_asked(typed: str, at: str | None, says: str) -> None:
    with pytest.raises(QueryError, match=f"^{re.escape(says)}$") as raised:
        understood(typed)
    assert (raised.value.at and typed[slice(*raised.value.at)]) == at


@pytest.mark.parametrize(
    "typed",
    [
        "foo:bar",
        "title:x",
        "tagg:x",
        "KeyError:foo in the worker",
        "redis:get key",
        "std::vector",
        "retry:forever",
        "ModuleNotFoundError:numpy",
        "重试:永远",
        "怎么修 TODO:fix",
    ],
)
def test_a_name_before_a_colon_that_is_no_field_is_text(typed: str) -> None:
    expected = understood("x " + typed.replace(":", " "))
    read = understood(f"x {typed}")
    assert (read.text, read.filters) == (f"x {typed}", expected.filters)
    assert (len(read.colons), len(expected.colons)) == (1, 0)


def test_what_is_left_out_may_have_a_colon() -> None:
    read = understood("x -Tags:rust")
    assert (read.text, read.excluded, read.colons) == ("x", ("Tags:rust",), (("Tags", "tag"),))


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("titel:x", "in"),
        ("title:x", "in"),
        ("tagg:x", "tag"),
        ("catgory:x", "category"),
        ("folder:x", "path"),
        ("date:2026-01-01", "after"),
        ("befor:2026", "before"),
        ('tags:"a b"', "tag"),
        ("secton:x", "section"),
        ("foo:bar", ""),
        ("std::vector", ""),
    ],
)
def test_a_misspelt_field_is_told(typed: str, meant: str) -> None:
    assert understood(f"\u200bx {typed}").colons == ((typed.partition(":")[0], meant),)


def test_every_field_and_choice_is_known_by_all_its_names() -> None:
    values = {
        "status": "active",
        "priority": ">=2",
        "page": "3",
        "level": "2",
        "kind": "pdf",
        "has": "code",
        "use": "unfound",
        **dict.fromkeys(("after", "before", "created", "updated"), "2026"),
    }
    for field, names in FIELDS.items():
        for name in names:
            for colon in ":：":
                terms = understood(f"{name}{colon}{values.get(field, 'x')}").terms
                assert [term.field for term in terms] == [field]
    for field, choices in CHOICES.items():
        for choice, names in choices.items():
            for name in names:
                assert understood(f"{field}:{name}").filters.conditions[0].values == (choice,)


def test_a_question_in_full() -> None:
    typed = '最近一个月的 "主从 复制" tag:redis,数据库 怎么做 -雪崩 -type:draft base:work before:2026-03-30'
    assert understood(typed) == Understood(
        "主从 复制 怎么做",
        ("主从 复制",),
        ("雪崩",),
        Filters(
            ("work",),
            (Condition("tag", ("redis", "数据库")), Condition("type", ("draft",), negated=True)),
            datetime(2026, 2, 27, 16, tzinfo=UTC),
            datetime(2026, 3, 29, 16, tzinfo=UTC),
        ),
        terms=(
            Term("after", "最近一个月", 0, 6),
            Term("phrase", "主从 复制", 7, 14),
            Term("condition", "redis,数据库", 15, 28, "tag"),
            Term("words", "怎么做", 29, 32),
            Term("excluded", "雪崩", 33, 36),
            Term("condition", "draft", 37, 48, "type", negated=True),
            Term("base", "work", 49, 58, "base"),
            Term("before", "2026-03-30", 59, 76, "before"),
        ),
    )


def test_a_term_takes_in_the_punctuation_behind_it() -> None:
    typed = "最近一个月，tag:rust, -foo? x"
    assert [typed[term.start : term.end] for term in understood(typed).terms] == [
        "最近一个月，",
        "tag:rust,",
        "-foo?",
        "x",
    ]


def test_a_term_can_be_taken_out() -> None:
    typed = '缓存"雪崩"标签：redis 怎么办'
    phrase, condition = understood(typed).terms[1:3]
    assert remove_term(typed, phrase) == "缓存 标签：redis 怎么办"
    assert remove_term(typed, condition) == '缓存"雪崩" 怎么办'
    assert remove_term("tag:a x", understood("tag:a x").terms[0]) == "x"
    assert remove_term("x tag:a", understood("x tag:a").terms[1]) == "x"


PIECES = [
    *('"', "“", "”", "「", "」", "'", "\\", "-", "--", "#", ":", "：", ",", "，", "。", "?", ".", "/", " ", "  ", "\n"),
    *("缓存", "foo", "a", "27", "UTF-8", "C++", "http://x", "std::mem", "tag:rust", "-tag:x,y", "标签：数据库"),
    *(
        'tag:"a b"',
        "path:a/*.md",
        "status:active",
        "priority:>=2",
        "has:table",
        "created:2026-01..",
        "has:code",
        "base:work",
        "after:2026-01",
        "before:2026-03-30",
    ),
    *("-foo", '-"a b"', '"a b"', "「主从」", "“x”", "#rust", "\u202e", "\u200b", "مرحبا", "🦀"),
    # Behind a space: what stands on both sides of a time in the middle of a word would be a word of its own.
    *(" 最近一个月", " 近三天的", " last 30 days", " since 2026-03-01", " last week", " 上周", " 上个月的", " 昨天的"),
    *(" today's", " this month"),
]
questions = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)
"""Questions made of what has a meaning, glued together anyhow."""

spaced = st.lists(
    st.sampled_from([piece for piece in PIECES if len(piece) > 2]), min_size=2, max_size=10, unique=True
).map(" ".join)


def told(terms: Iterable[Term]) -> list[tuple[str, ...]]:
    """Return what terms say, wherever they stand; words that touch when something between them goes are one."""
    return [(term.kind, term.value, term.field, str(term.negated)) for term in terms if term.kind != "words"]


def asked(typed: str) -> Understood | None:
    """Return what is understood, None where it is refused, with a place that lies in the question."""
    try:
        return understood(typed)
    except QueryError as refused:
        start, end = refused.at or (0, len(typed))
    assert 0 <= start < end <= len(typed) or not typed
    return None


@given(st.one_of(st.text(), questions))
def test_any_text_is_understood_or_refused(typed: str) -> None:
    question = asked(typed)
    if not question:
        return
    places = [place for term in question.terms for place in (term.start, term.end)]
    assert places == sorted(places)
    assert all(0 <= term.start < term.end <= len(typed) for term in question.terms)
    seen = COPIED.sub("", typed)
    assert all(term.value in seen for term in question.terms if term.kind in ("phrase", "excluded", "after", "before"))
    assert question.text == " ".join(question.text.split())
    assert question.text or question.filters != Filters()


def check_rest(typed: str, question: Understood, term: Term) -> None:
    """Hold `typed`, which is `question` without `term`, against the rest of it."""
    left = told(one for one in question.terms if one is not term)
    rest = asked(typed)
    if rest is None:  # nothing is left to search for
        assert {kind for kind, *_ in left} <= {"excluded"}
        return
    assert told(rest.terms) == left
    if term.kind not in ("phrase", "emphasis") and question.text:
        assert rest.text == question.text


@given(questions, st.data())
def test_without_a_term_the_rest_means_the_same(typed: str, data: st.DataObject) -> None:
    question = asked(typed)
    terms = [term for term in question.terms if term.kind != "words"] if question else []
    if question and terms:
        term = data.draw(st.sampled_from(terms))
        check_rest(remove_term(typed, term), question, term)


@given(spaced, st.data())
def test_between_spaces_a_term_can_simply_be_cut_out(typed: str, data: st.DataObject) -> None:
    question = asked(typed)
    terms = [term for term in question.terms if term.kind != "words"] if question else []
    if question and terms:
        term = data.draw(st.sampled_from(terms))
        check_rest(typed[: term.start] + typed[term.end :], question, term)


@given(st.text(st.characters(exclude_categories=("C", "Z", "P", "S", "N")), min_size=1))
def test_letters_alone_are_searched_for_as_they_stand(typed: str) -> None:
    question = asked(typed)
    assert question is None or question.filters != Filters() or question.text == typed


@pytest.mark.parametrize(
    "piece",
    [
        *(
            '"',
            "-",
            ":",
            "#",
            "\\",
            " ",
            "tag:",
            "tag:x ",
            "#a(",
            "，#a(",
            "\\-“",
            "“",
            "a“",
            'x"',
            '"a"',
            "-a ",
            "foo:",
        ),
        *(
            'tag:"a",',
            "path:x,",
            "缓存",
            "最近",
            "上周",
            "最近一个月的",
            "last ",
            "in the last ",
            "in  ",
            "x last week ",
        ),
        *("since ", "x last 30 days "),
    ],
)
def test_ten_thousand_characters_take_no_time(piece: str) -> None:
    for typed in ((piece * 10_000)[:10_000], "x" + (piece * 10_000)[:9_998] + "”"):
        assert_linear(asked, typed)


@given(st.lists(st.sampled_from([*"aB2_-/项é", "2024", "\u0301"]), min_size=1, max_size=6).map("".join))
def test_a_tag_that_a_note_has_can_be_typed(name: str) -> None:
    for tag in read(f"x #{name} y".encode(), "n.md")[0].tags:
        for typed in (f"#{name}", f"tag:{tag}", f"tag:#{tag}"):
            assert understood(typed).filters.conditions == (Condition("tag", (tag,)),)
