"""Synonyms: a file that a person edits, and a question in other words."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.errors import ConfigError
from core.query.synonyms import Synonyms, load
from core.workspace import Workspace
from tests.growth import assert_linear

BUILT_IN = Path(__file__).parents[2] / "data" / "synonyms.txt"

WORDS = Synonyms(
    [
        ("k8s", "kubernetes"),
        ("js", "JavaScript"),
        ("C++", "cpp"),
        ("c", "C language"),
        ("暂退法", "dropout"),
        ("数据库", "database", "db"),
        ("密码", "password"),
        ("密码学", "cryptography"),
        ("machine learning", "机器学习"),
    ]
)


@pytest.mark.parametrize(
    ("text", "variants"),
    [
        ("k8s backup", ["kubernetes backup"]),
        ("what is K8S?", ["what is kubernetes?"]),
        ("k8s to k8s", ["kubernetes to kubernetes"]),
        ("I like js.", ["I like JavaScript."]),
        ("Ｋ８Ｓ 部署", ["kubernetes 部署"]),
        ("暂退法怎么用", ["dropout怎么用"]),
        ("用dropout训练", ["用暂退法训练"]),
        ("数据库备份", ["database备份", "db备份"]),
        ("Machine Learning 笔记", ["机器学习 笔记"]),
        ("k8s db", ["kubernetes db", "k8s 数据库", "k8s database"]),
        # letters beside letters stay apart
        ("java数据库", ["java database", "java db"]),
        ("数据库js", ["database js", "数据库JavaScript", "db js"]),
        ("数据库a", ["database a", "db a"]),
        # the longest
        ("密码学", ["cryptography"]),
        ("C++ 模板", ["cpp 模板"]),
        # never inside of another word
        ("json", []),
        ("node.js", []),
        ("js.map", []),
        ("k8s-pod", []),
        ("my_db", []),
        ("C#", []),
        ("@js", []),
        ("machine learnings", []),
        ("", []),
        ("nothing known", []),
    ],
)
def test_a_known_word_in_other_words(text: str, variants: list[str]) -> None:
    assert WORDS.variants(text) == variants


def test_at_most_so_many() -> None:
    assert WORDS.variants("k8s js db", limit=2) == ["kubernetes js db", "k8s JavaScript db"]
    assert WORDS.variants("k8s js db", limit=0) == []
    assert WORDS.variants("k8s js db", limit=9) == [
        "kubernetes js db",
        "k8s JavaScript db",
        "k8s js 数据库",
        "k8s js database",
    ]


def test_a_word_of_two_groups_has_the_others_of_both(tmp_path: Path) -> None:
    synonyms = Synonyms([("db", "database"), ("DB", "数据库", "database")])
    assert synonyms.variants("db") == ["database", "数据库"]


def written(folder: Path, content: str | bytes) -> Path:
    file = folder / "synonyms.txt"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return file


def test_a_file_is_read(tmp_path: Path) -> None:
    content = "\ufeff# a comment, with a comma\r\n\r\nk8s, kubernetes\r\n  C#，  c   sharp ,\r\n"
    synonyms = load(written(tmp_path, content))
    assert synonyms.variants("k8s") == ["kubernetes"]
    assert synonyms.variants("C# 教程") == ["c sharp 教程"]
    assert len(synonyms) == 4


def test_without_a_file_there_are_none(tmp_path: Path) -> None:
    assert load(tmp_path / "none.txt").variants("k8s") == []
    assert len(load(written(tmp_path, ""))) == 0


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("a, b\nalone\n", "synonyms.txt, line 2: a group needs two words or more"),
        ("\n\nsame, SAME", "synonyms.txt, line 3: a group needs two words or more"),
        (",,,", "synonyms.txt, line 1: a group needs two words or more"),
        ("a, ---", "synonyms.txt, line 1: '---' isn't a word"),
        ("a, b\x00c", r"synonyms.txt, line 1: 'b\?c' isn't a word"),
        ("a, " + "x" * 101, "synonyms.txt, line 1: a word has more than 100 characters"),
        (b"a, b\n\xb0\xa1, c\n", "synonyms.txt, line 2: this isn't UTF-8 text. Save the file as UTF-8."),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, content: str | bytes, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        load(written(tmp_path, content))


def test_what_cannot_be_read_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="can't be read"):
        load(tmp_path)


def test_many_lines_and_long_questions_take_no_time(tmp_path: Path) -> None:
    file = written(tmp_path, "\n".join(f"word{number}, 词{number}号, other thing {number}" for number in range(10_000)))
    assert_linear(lambda text: load(written(tmp_path, text)), file.read_text("utf-8"))
    synonyms = load(file)
    for text in ("word77 x ", "词77号", "o", "other thing ", "word"):
        assert_linear(synonyms.variants, (text * 10_000)[:10_000])


def test_the_built_in_list() -> None:
    synonyms = load(BUILT_IN)
    assert synonyms.variants("暂退法 k8s 备份", limit=9) == [
        "dropout k8s 备份",
        "暂退法 kubernetes 备份",
        "暂退法 k8s backup",
    ]
    assert synonyms.variants("how to resume a download and where to go") == []
    lines = [line for line in BUILT_IN.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    assert len(lines) >= 230
    words = [word.strip().casefold() for line in lines for word in line.split(",")]
    assert len(words) == len(set(words)), "a word stands in one group"


@pytest.mark.parametrize(
    ("text", "variants"),
    [
        ("怎么优化", ["怎么提升性能", "怎么性能优化", "怎么性能调优"]),
        ("如何提升性能", ["如何优化", "如何性能优化", "如何性能调优"]),
        ("启动报错", ["启动出错", "启动错误"]),
        ("部署步骤", ["上线步骤", "发布上线步骤"]),
        ("番茄炒蛋", ["tomato炒蛋", "西红柿炒蛋"]),
        ("adding a grocery list", ["adding a shopping list", "adding a 购物清单"]),
        # a longer word that means something else
        ("优化算法", ["optimization algorithm", "optimisation algorithm"]),
        ("错误处理", ["error handling"]),
        ("工资单", ["payslip", "pay slip", "工资条"]),
    ],
)
def test_pairs_of_the_built_in_list(text: str, variants: list[str]) -> None:
    assert load(BUILT_IN).variants(text) == variants


@pytest.mark.parametrize(
    "text", ["断点续传", "术后并发症", "龙虾", "测试集成", "请问这个问题怎么解决", "a flat list of quotations"]
)
def test_words_in_which_a_synonym_would_mean_something_else(text: str) -> None:
    assert load(BUILT_IN).variants(text) == []


def test_a_broad_question_finds_notes_in_other_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TESSERA_EMBEDDER", "tfidf")
    monkeypatch.setenv("TESSERA_SEARCH__RERANKER", "none")
    with Workspace(tmp_path) as workspace:
        workspace.bases.add("notes")
        workspace.notes.add("notes", "# 缓存\n\n提升性能要靠缓存。\n")
        workspace.notes.add("notes", "# 花园\n\n每天浇水。\n")
        result = workspace.search("优化", level="exploratory", mode="keyword")
        assert [hit.note.title for hit in result.hits] == ["缓存"]


@given(st.text(), st.integers(0, 5))
def test_any_text_has_variants(text: str, limit: int) -> None:
    for question in (text, f"k8s{text}js 数据库", f"{text} c++ db{text}"):
        variants = WORDS.variants(question, limit)
        assert len(variants) <= limit
        assert len(set(variants)) == len(variants)


@given(st.lists(st.lists(st.text(min_size=1).filter(str.strip), min_size=2), max_size=5), st.text())
def test_any_words_can_be_synonyms(groups: list[list[str]], text: str) -> None:
    synonyms = Synonyms(groups)
    for word in (text, *(word for group in groups for word in group)):
        assert all(isinstance(variant, str) for variant in synonyms.variants(word))


@given(st.binary(max_size=200))
def test_any_file_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    file = written(tmp_path_factory.getbasetemp(), content)
    try:
        load(file)
    except ConfigError as error:
        assert str(file) in str(error)  # noqa: PT017
