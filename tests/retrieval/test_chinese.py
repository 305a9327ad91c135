"""Chinese in keyword search: each query finds exactly the notes that contain it."""

from collections.abc import Iterator

import pytest

from core.model import SearchResult
from core.workspace import Workspace

NOTES = {
    "database": "关系型数据库的事务与索引，见第三章。",
    "database-traditional": "資料表放在數據庫裡面，隨著時間變大。",
    "cache": "我们用Redis缓存热点内容，过期时间30分钟。",
    "cache-traditional": "緩存雪崩是大量的鍵同時過期。",
    "cluster": "用ＨＥＬＭ做K8s部署，延迟50ms。",
    "japanese": "東京でデータベースを勉強する。",
    "hair": "理髮店電話",
    "send": "发送邮件",
    "peace": "世界和平",
    "letter": "K线图，向量k和s",
}


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    folder = tmp_path_factory.mktemp("chinese")
    for name, text in NOTES.items():
        # A title of its own, so that only the text answers.
        (folder / f"{name}.md").write_text(f"---\ntitle: {name}\n---\n\n{text}\n", encoding="utf-8")
    with Workspace(tmp_path_factory.mktemp("workspace")) as workspace:
        workspace.settings.embedder = "tfidf"
        workspace.imports.apply(workspace.imports.plan_folder(folder, "notes"))
        yield workspace


def found(workspace: Workspace, query: str) -> list[str]:
    result: SearchResult = workspace.search(query, mode="keyword", as_typed=True)
    return [hit.note.title for hit in result.hits]


@pytest.mark.parametrize(
    ("query", "notes"),
    [
        ("崩", {"cache-traditional"}),
        ("雪崩", {"cache-traditional"}),
        ("热点", {"cache"}),
        ("关系型", {"database"}),
        ("型数", {"database"}),
        ("数据库", {"database", "database-traditional"}),
        ("數據庫", {"database", "database-traditional"}),
        ("缓存", {"cache", "cache-traditional"}),
        ("緩存", {"cache", "cache-traditional"}),
        ("鍵", {"cache-traditional"}),
        ("键", {"cache-traditional"}),
        ("里面", {"database-traditional"}),
        ("随着", {"database-traditional"}),
        ("理发", {"hair"}),
        ("發送", {"send"}),
        ("Redis", {"cache"}),
        ("ＲＥＤＩＳ", {"cache"}),
        ("helm", {"cluster"}),
        ("K8s", {"cluster"}),
        ("k8s部署", {"cluster"}),
        ("部署", {"cluster"}),
        ("Redis 雪崩", {"cache", "cache-traditional"}),
        ("雪崩，部署", {"cache-traditional", "cluster"}),
        ("「雪崩」", {"cache-traditional"}),
        ("50ms", {"cluster"}),
        ("30", {"cache"}),
        ("30分钟", {"cache"}),
        ("データ", {"japanese"}),
        ("东京", {"japanese"}),
        ("東京", {"japanese"}),
        ("勉", {"japanese"}),
        ("和平", {"peace"}),
        ("存热", {"cache"}),
        ("点热", set()),
        ("库据", set()),
    ],
)
def test_a_query_finds_exactly_the_notes_that_contain_it(workspace: Workspace, query: str, notes: set[str]) -> None:
    assert set(found(workspace, query)) == notes


def test_what_holds_the_whole_word_comes_before_what_holds_a_part(workspace: Workspace) -> None:
    assert found(workspace, "缓存雪崩")[0] == "cache-traditional"
    assert found(workspace, "Redis 緩存")[0] == "cache"


def test_words_that_only_ask_find_nothing_where_something_else_is_asked(workspace: Workspace) -> None:
    assert set(found(workspace, "為什麼 雪崩")) == {"cache-traditional"}


def test_two_characters_that_changed_places_are_looked_for_as_the_notes_have_them(workspace: Workspace) -> None:
    result = workspace.search("点热", mode="keyword")
    assert result.spelled == {"点热": "热点"}
    assert {hit.note.title for hit in result.hits} >= {"cache"}
    assert not workspace.search("点热", mode="keyword", as_typed=True).spelled
