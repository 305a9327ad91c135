"""Two languages in one base: figures on paper, and questions in the other language with the real model."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.model import SearchOptions
from core.retrieval.ranking import level_scores, trust_words
from core.workspace import Workspace

GROUPS = {1: True, 2: True, 3: False, 4: False}

ENGLISH = {
    "bread.md": "# Bread\n\nLet the dough rest in the fridge overnight and bake it until the crust is dark.",
    "tides.md": "# Tides\n\nThe moon pulls the water of the sea towards it, twice a day it rises and falls.",
    "backup.md": "# Backups\n\nRestore last night's dump on another machine once a month and count the rows.",
    "flu.md": "# Flu\n\nStay in bed, drink a lot, and call the doctor if the fever lasts for three days.",
}
CHINESE = {
    "租房.md": "# 租房\n\n退租要提前两个月通知房东，搬走以后押金会退还。",
    "围棋.md": "# 围棋\n\n棋盘上有十九条横线和十九条竖线，黑棋先下，围住的地多者胜。",
    "缓存.md": "# 缓存\n\n大量的键同时过期，请求全部落到数据库上；给过期时间加上随机值。",
    "睡眠.md": "# 睡眠\n\n每天在同一时间上床，睡前一小时不看手机，下午两点以后不喝咖啡。",
}
ACROSS = [
    ("面团要放多久才能烤", "bread.md"),
    ("海水为什么每天涨落两次", "tides.md"),
    ("怎么知道备份真的能用", "backup.md"),
    ("发烧几天以后要看医生", "flu.md"),
    ("when do I get my deposit back after moving out", "租房.md"),
    ("which colour begins, and who wins on the board", "围棋.md"),
    ("many entries expire at the same moment and overload the database", "缓存.md"),
    ("what helps to fall asleep in the evening", "睡眠.md"),
]


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    folder = tmp_path_factory.mktemp("mixed")
    with Workspace(tmp_path_factory.mktemp("workspace")) as workspace:
        for name, text in (ENGLISH | CHINESE).items():
            (folder / name).write_text(text, encoding="utf-8")
        workspace.imports.apply(workspace.imports.plan_folder(folder, "mixed"))
        yield workspace


@pytest.mark.parametrize("options", [{}, {"mode": "semantic", "reranker": "none"}, {"reranker": "none"}])
def test_a_question_finds_its_passage_in_the_other_language(mixed: Workspace, options: SearchOptions) -> None:
    first = {text: mixed.search(text, **options).hits[0].note.path for text, _ in ACROSS}
    assert first == dict(ACROSS)


def test_exact_similarities_are_those_of_the_index(mixed: Workspace) -> None:
    store = mixed.store
    (base,) = store.bases.all()
    vector = mixed.models.embedder(base).embed(["睡眠和咖啡"], role="query")[0]
    exact = store.chunks.nearest(base, vector, 8)
    assert store.index.ready
    assert store.nearest(base, vector, 8) == pytest.approx(exact, abs=1e-3)


def test_an_answer_by_words_only_comes_before_what_a_model_of_one_language_says_of_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TESSERA_EMBEDDER", "tfidf")
    with Workspace(tmp_path) as workspace:
        for number in range(4):  # among so many words some share a place with the question's
            workspace.notes.add("english", " ".join(f"word{number}{other}" for other in range(300)))
        workspace.bases.add("words", kind="literal")
        workspace.notes.add("words", "办公室冬天从九点开到十五点。", title="营业时间")
        result = workspace.search("冬天几点去办公室", reranker="none")
    assert (result.hits[0].note.base, result.confident) == ("words", True)


def test_words_are_trusted_as_far_as_they_say_something_in_a_language() -> None:
    assert trust_words({1: 8.0, 2: 4.0, 3: 2.0, 4: 0.0}, GROUPS) == {1: 1.0, 2: 1.0, 3: 0.5, 4: 0.5}
    assert trust_words({1: 8.0, 2: 0.0}, GROUPS) == {1: 1.0, 2: 1.0}
    assert trust_words({1: 0.0, 3: 0.0}, GROUPS) == {1: 1.0, 3: 1.0}


def test_a_second_look_compares_languages_as_meaning_does() -> None:
    near = {1: 0.9, 2: 0.8, 3: 0.9, 4: 0.8}
    assert level_scores({1: 0.2, 2: 0.1, 3: 0.9, 4: 0.8}, near, GROUPS) == pytest.approx(
        {1: 0.9, 2: 0.8, 3: 0.9, 4: 0.8}
    )
    nearer = level_scores({1: 0.2, 2: None, 3: 0.9, 4: 0.8}, {1: 0.9, 3: 0.8, 4: 0.8}, GROUPS)
    assert nearer[2] is None
    assert (nearer[1] or 0) > (nearer[3] or 0)
    assert level_scores({1: 0.2, 2: None}, near, GROUPS) == {1: 0.2, 2: None}
