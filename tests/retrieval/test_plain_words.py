"""Questions in plain words: metadata, everything about a subject, exceptions, fields of notes, words that are right."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from core.model import SearchResult
from core.workspace import Workspace

pytestmark = pytest.mark.usefixtures("bundled")

NOTES: dict[str, tuple[str, str]] = {
    "code/event-loop.md": ("tags: [python]", "# Event loop\n\nCoroutines take turns; a blocking call stops them all."),
    "code/venv.md": ("tags: [python]", "# Isolated environments\n\nKeep the packages of each program apart."),
    "code/hints.md": ("tags: [python, typing]", "# Type hints\n\nA checker reads them, the interpreter doesn't."),
    "code/borrow.md": ("tags: [lang/rust]", "# Borrowing\n\nOne writer or many readers, never both."),
    "code/gradients.md": ("tags: [machine-learning]", "# Vanishing gradients\n\nDeep networks learn slowly at first."),
    "zoo.md": ("", "# Snakes in the zoo\n\nThe python sleeps all day; the notes of the keeper say it eats on Mondays."),
    "film.md": ("", "# Film night\n\nMonty Python again, with notes on the best sketches."),
    "a/kick-off.md": ("project: 项目A", "# 启动会议\n\n周三之前定下预算，张伟负责采购。"),
    "a/risks.md": ("project: 项目A", "# 风险清单\n\n供应商可能延期两周。"),
    "a/colours.md": ("project: 项目A", "# 配色方案\n\n主色用深蓝，辅色用米白。"),
    "b/launch.md": ("project: Apollo", "# Countdown\n\nFuel on Monday, final checks on Tuesday."),
    "b/crew.md": ("project: Apollo", "# Crew list\n\nThree pilots and a doctor."),
    "kitchen/dumplings.md": ("category: 菜谱", "# 饺子\n\n面团醒半小时，馅里放白菜。"),
    "kitchen/porridge.md": ("category: 菜谱", "# 小米粥\n\n小火煮四十分钟。"),
    "travel/japan/kyoto.md": ("", "# Kyoto\n\nThe bus to the temple leaves at nine."),
    "travel/japan/osaka.md": ("", "# Osaka\n\nThe aquarium closes on Thursdays."),
    "travel/visa.md": ("", "# Visa papers\n\nTwo photographs and a bank statement."),
    "读书/红楼梦.md": ("", "# 红楼梦\n\n第五回预示了众人的结局。"),
    "读书/百年孤独.md": ("", "# 百年孤独\n\n马孔多的雨下了四年。"),
    "drafts/poem.md": ("tags: [draft]", "# Autumn\n\nThe leaves lie still."),
    "drafts/letter.md": ("tags: [draft]", "# Letter to the landlord\n\nThe heating is broken."),
    "cache/redis-persistence.md": (
        "",
        "# Redis persistence\n\nRedis writes a log, so a restart of the cache loses little.",
    ),
    "cache/redis-eviction.md": ("", "# Redis 缓存淘汰\n\nRedis 缓存满了以后按 LRU 淘汰旧的键。"),
    "cache/redis-cluster.md": (
        "",
        "# Redis cluster\n\nRedis spreads the keys of its cache over sixteen thousand slots.",
    ),
    "cache/memcached.md": ("", "# Memcached\n\nA cache in memory, with several threads and no log. 一种内存缓存。"),
    "cache/http.md": ("", "# HTTP cache headers\n\nETag and max-age tell a browser cache what to keep. 浏览器缓存。"),
    "cache/cdn.md": ("", "# CDN 缓存\n\n边缘节点缓存静态文件，过期后回源。A cache near the reader."),
    "db/postgres-index.md": ("", "# Postgres indexes\n\nPostgres databases keep a B-tree for each index."),
    "db/postgres-vacuum.md": ("", "# Postgres vacuum\n\nPostgres 数据库用 vacuum 清理旧行。"),
    "db/sqlite.md": ("", "# SQLite\n\nA database in one file. 单文件数据库。"),
    "db/duckdb.md": ("", "# DuckDB\n\nA database for analysis, by columns. 列式数据库。"),
    "tea/green.md": ("", "# Green tea\n\nGreen tea takes water at eighty degrees. 绿茶用八十度的水。"),
    "tea/black.md": ("", "# Black tea\n\nBlack tea takes boiling water. 红茶是全发酵的茶。"),
    "tea/oolong.md": ("", "# Oolong tea\n\nTea between the two. 乌龙茶是半发酵的茶。"),
    "cake/oven.md": ("", "# 烤箱蛋糕\n\n烤箱预热到一百八十度，蛋糕烤四十分钟。"),
    "cake/steamed.md": ("", "# 蒸蛋糕\n\n蛋糕糊放进蒸锅，大火蒸半小时。"),
    "cake/rice-cooker.md": ("", "# 电饭锅蛋糕\n\n蛋糕糊倒进电饭锅，按煮饭键。"),
    "web/fusion.md": ("source_url: https://example.org/fusion", "# Fusion\n\nTwo nuclei join and give off energy."),
    "web/聚变.md": ("url: https://example.cn/聚变", "# 聚变\n\n两个原子核结合，放出能量。"),
    "web/course.md": ("level: beginner\nlanguage: German", "## Words of greeting\n\nGuten Tag, guten Abend."),
    "words.md": (
        "",
        "# Odd words\n\nA parting says more: faster, aware of the loads, the speed, the factory, the pointer, the"
        " pasting and the caching. 蜜蜂采花。",
    ),
}


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    folder = tmp_path_factory.mktemp("plain")
    for path, (front, body) in NOTES.items():
        file = folder / "vault" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"---\n{front}\n---\n\n{body}\n" if front else f"{body}\n", encoding="utf-8")
    with Workspace(folder / "workspace") as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(folder / "vault"))
        yield workspace


def paths(result: SearchResult) -> list[str]:
    return list(dict.fromkeys(str(hit.note.path) for hit in result.hits))


def below(*folders: str) -> set[str]:
    return {path for path in NOTES if path.startswith(folders)}


def having(front: str) -> set[str]:
    return {path for path, (own, _) in NOTES.items() if front in own}


def preferred(result: SearchResult) -> list[str]:
    return [term.value for term in result.understood.terms if term.kind == "preferred"]


def finds_named(filled: Workspace, typed: str, first: set[str]) -> bool:
    """Whether the notes with the metadata come first, before others."""
    result = filled.search(typed, limit=20)
    found = paths(result)
    return set(found[: len(first)]) == first and len(found) > len(first) and bool(preferred(result))


NAMED: dict[str, set[str]] = {
    "关于Python的笔记": having("python"),
    "notes about Python": having("python"),
    "项目A的相关笔记": having("项目A"),
    "notes tagged draft": having("draft"),
    "Apollo project notes": having("Apollo"),
    "菜谱分类下的笔记": having("菜谱"),
    "all notes in the travel/japan folder": below("travel/japan"),
    "读书文件夹里的笔记": below("读书"),
    "找一下和 Apollo 有关的资料": having("Apollo"),
    "show me my machine learning notes": having("machine-learning"),
}


def takes_all_apart(filled: Workspace, typed: str, subject: str) -> bool:
    """Whether a question is searched broadly, with its subject alone among the parts."""
    result = filled.search(typed, mode="keyword")
    return result.classified.level == "exploratory" and subject in {asked.text for asked in result.asked}


EVERYTHING: dict[str, str] = {
    "与Redis相关的所有知识点": "Redis",
    "和光合作用有关的一切": "光合作用",
    "我知道的关于梯度下降的一切": "梯度下降",
    "缓存的全部知识点": "缓存",
    "关于红楼梦我所知道的一切": "红楼梦",
    "all that I know of databases": "databases",
    "everything related to the Kyoto trip": "the Kyoto trip",
    "all there is to know about tea": "tea",
    "everything on Postgres": "Postgres",
    "all my knowledge on type hints": "type hints",
}


def sinks_excepted(filled: Workspace, typed: str, expected: tuple[set[str], set[str]]) -> bool:
    """Whether the first hit is none of the excepted notes, and these are below the others and still found."""
    found = paths(filled.search(typed, limit=60, pool=60))
    excepted, others = expected
    if not excepted | others <= {*found} or found[0] in excepted:
        return False
    return max(map(found.index, others)) < min(map(found.index, excepted))


REDIS, POSTGRES, GREEN = below("cache/redis"), below("db/postgres"), {"tea/green.md"}
CACHES, FILES, TEAS = below("cache/") - REDIS, below("db/") - POSTGRES, below("tea/") - GREEN
EXCEPTED: dict[str, tuple[set[str], set[str]]] = {
    "除了Redis以外的缓存": (REDIS, CACHES),
    "caches except Redis": (REDIS, CACHES),
    "databases but not Postgres": (POSTGRES, FILES),
    "不用烤箱的蛋糕": ({"cake/oven.md"}, below("cake/") - {"cake/oven.md"}),
    "绿茶之外的茶": (GREEN, TEAS),
    "tea other than green tea": (GREEN, TEAS),
    "数据库，但不要Postgres": (POSTGRES, FILES),
    "cache without Redis": (REDIS, CACHES),
    "Besides Redis, which caches do I know?": (REDIS, CACHES),
    "除了 Postgres，还有哪些数据库": (POSTGRES, FILES),
}


def passes(filled: Workspace, typed: str, expected: set[str]) -> bool:
    """Whether a filter lets exactly these notes of the folder `web` pass."""
    return {*paths(filled.search(f"{typed} path:web/", mode="keyword"))} == expected


FUSION, GERMAN, CHINESE = {"web/fusion.md"}, {"web/course.md"}, {"web/聚变.md"}
FIELDS: dict[str, set[str]] = {
    "url:example.org": FUSION,
    "source_url:https://example.org/fusion": FUSION,
    "网址：example.cn": CHINESE,
    "-url:example": GERMAN,
    "language:zh": CHINESE,
    "语言：中文": CHINESE,
    "language:german": GERMAN,
    "-language:english": CHINESE,
    "level:2": GERMAN,
    "level:beginner": GERMAN,
}


def spells(filled: Workspace, typed: str, nearest: str) -> bool:
    """Whether a word is searched in another spelling, as it is where that is empty."""
    return dict(filled.search(typed, mode="keyword").spelled) == ({typed: nearest} if nearest else {})


RIGHT = dict.fromkeys(
    ("parking", "stays", "foster", "leads", "spend", "award", "factor", "printer", "posting", "蜂蜜"), ""
)
MISSPELT: dict[str, str] = {
    "cahce": "cache",
    "memroy": "memory",
    "databsae": "database",
    "boilign": "boiling",
    "aquariun": "aquarium",
    "photgraphs": "photographs",
    "interpretr": "interpreter",
    "landlrod": "landlord",
    "pakcages": "packages",
    "件文": "文件",
}

KINDS: dict[str, tuple[Callable[[Workspace, str, Any], bool], Mapping[str, Any]]] = {
    "metadata": (finds_named, NAMED),
    "everything": (takes_all_apart, EVERYTHING),
    "exceptions": (sinks_excepted, EXCEPTED),
    "fields": (passes, FIELDS),
    "right words": (spells, RIGHT),
    "misspelt words": (spells, MISSPELT),
}


@pytest.mark.parametrize("kind", KINDS)
def test_nine_of_ten_questions_of_a_kind_are_understood(filled: Workspace, kind: str) -> None:
    understands, questions = KINDS[kind]
    misses = [typed for typed, expected in questions.items() if not understands(filled, typed, expected)]
    assert len(questions) == 10
    assert len(misses) <= 1, misses


@pytest.mark.parametrize(
    ("typed", "removed", "terms"),
    [
        ("关于Python的笔记", "关于\\Python的笔记", [("preferred", "Python", "tag")]),
        ("notes of project Apollo", "notes of project \\Apollo", [("preferred", "Apollo", "project")]),
        ("notes about how I use Python", "", []),
        ("caches except Redis", "caches \\except Redis", [("avoided", "Redis", "")]),
        ("log in to Postgres without typing a password", "", []),
        ("删除Redis外键", "", []),
    ],
)
def test_what_comes_first_or_last_is_told_and_can_be_taken_back(
    filled: Workspace, typed: str, removed: str, terms: list[tuple[str, str, str]]
) -> None:
    def ordering(question: str, **options: Any) -> list[tuple[str, str, str]]:
        understood = filled.search(question, **options).understood
        return [(term.kind, term.value, term.field) for term in understood.terms if term.kind != "words"]

    assert ordering(typed) == terms
    assert ordering(typed, plain=True) == []
    if removed:
        assert ordering(removed) == []
        assert filled.search(removed).understood.text == typed


def test_what_is_named_neither_passes_a_filter_nor_hides_a_note(filled: Workspace) -> None:
    assert set(paths(filled.search("notes about Python -tag:typing", limit=60))) >= having("python") - {"code/hints.md"}
    assert "code/hints.md" not in paths(filled.search("notes about Python -tag:typing", limit=60))
    assert paths(filled.search("关于Python的笔记 path:zoo.md")) == ["zoo.md"]
    result = filled.search("notes about Python in the travel folder", limit=60)
    assert set(paths(result)[:6]) == having("python") | below("travel/")
    assert result.classified.level == "simple"
