"""What the screens say, and what they make of texts from outside."""

import ast
import re
import string
from pathlib import Path

import pytest

from core import encoding, errors, frontmatter
from core.errors import QueryError, SourceError, UnknownChoice
from core.retrieval import diagnosis, reasons
from core.workspace import Workspace
from pages.ui import marks, safe, sentences
from pages.ui.text import LANGUAGES, TEXT

CHINESE = re.compile(r"[\u4e00-\u9fff]")
ROOT = Path(__file__).parents[2]
SOURCES = [ROOT / "app.py", *sorted((ROOT / "pages").rglob("*.py"))]
ALLOWED = {"core.workspace", "core.model", "core.errors", "pages.ui", "streamlit"}


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


@pytest.mark.parametrize("key", TEXT)
def test_a_text_is_there_in_every_language_with_the_same_fields(key: str) -> None:
    forms = TEXT[key]
    assert len(forms) == len(LANGUAGES)
    assert all(form.strip() for form in forms)
    assert len({frozenset(fields(part)) for form in forms for part in form.split("|")}) == 1


def keys(source: Path) -> list[str]:
    """The patterns of the keys that a file asks `t` for; what is put in is any name."""
    patterns = []
    for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "t":
            for part in ast.walk(node.args[0]):
                if isinstance(part, ast.JoinedStr):
                    pieces = [
                        re.escape(value.value) if isinstance(value, ast.Constant) else r"[\w.]+"
                        for value in part.values
                    ]
                    patterns.append("".join(pieces))
                elif isinstance(part, ast.Constant) and isinstance(part.value, str) and part.value in TEXT:
                    patterns.append(re.escape(part.value))
                elif part is node.args[0] and isinstance(part, ast.Constant):
                    patterns.append(re.escape(str(part.value)))
    return patterns


def test_every_text_that_is_asked_for_exists_and_every_text_is_asked_for() -> None:
    asked = [pattern for source in SOURCES for pattern in keys(source)]
    missing = [pattern for pattern in asked if not any(re.fullmatch(pattern, key) for key in TEXT)]
    assert missing == []
    written = {
        node.value
        for source in SOURCES
        if source.name != "text.py"
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    unused = [key for key in TEXT if key not in written and not any(re.fullmatch(pattern, key) for pattern in asked)]
    assert unused == []


def test_pages_talk_to_the_facade_only() -> None:
    for source in SOURCES:
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [name.name for name in node.names] if isinstance(node, ast.Import) else []
            for name in names:
                if name.split(".")[0] in ("core", "pages", "torch", "chromadb", "pandas"):
                    assert any(name == one or name.startswith("pages.ui") for one in ALLOWED), (source, name)


def test_no_page_lets_notes_bring_html_of_their_own() -> None:
    for source in SOURCES:
        text = source.read_text(encoding="utf-8")
        assert "unsafe_allow" not in text, source
        assert "innerHTML" not in text, source


@pytest.mark.parametrize(("english", "translation"), sentences.CHINESE.items())
def test_a_sentence_of_the_core_keeps_its_fields_in_chinese(english: str, translation: str) -> None:
    assert fields(translation) <= fields(english)
    assert CHINESE.search(translation)


def test_errors_of_the_core_are_told_in_chinese(tmp_path: Path) -> None:
    said: list[str] = []
    with Workspace(tmp_path / "workspace") as workspace:
        for text in ("", "?!", "x" * 20_000):
            with pytest.raises(QueryError) as caught:
                workspace.search(text)
            said.append(str(caught.value))
        (tmp_path / "empty").mkdir()
        (tmp_path / "file.md").write_text("text")
        for path in ("nowhere", "empty", "workspace", "file.md"):
            with pytest.raises(SourceError) as refused:
                workspace.plan_folder(tmp_path / path)
            said.append(refused.value.reason)
        with pytest.raises(SourceError) as refused:
            workspace.plan_upload([("../x.md", b"x")], "base")
        said.append(refused.value.reason)
    for error in said:
        assert CHINESE.search(sentences.chinese(error)), error


def told(file: Path) -> list[str]:
    """The sentences that a file of the core raises or reports, with a number where something is put in."""
    kinds = {name for name, kind in vars(errors).items() if isinstance(kind, type) and "__init__" not in vars(kind)}
    found = []
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in {*kinds, "SourceError", "Failed"}:
            match node.args[-1:]:
                case [ast.Constant(value=str(text))]:
                    found.append(text)
                case [ast.JoinedStr(values=parts)]:
                    found.append("".join(part.value if isinstance(part, ast.Constant) else "7" for part in parts))
    return found


PARTS = (
    "chunking config.py editing.py embedding encoding.py evaluating.py evaluation folder.py frontmatter.py"
    " importing.py indexing.py models.py outline.py pinning.py providers questioning.py reranking retrieval scratch.py"
    " searching.py store switching.py sync.py trials.py upload.py workspace.py"
)


@pytest.mark.parametrize("part", PARTS.split())
def test_whatever_the_core_raises_is_told_in_chinese(part: str) -> None:
    place = ROOT / "core" / part
    sentences_of_it = [text for file in (sorted(place.rglob("*.py")) or [place]) for text in told(file)]
    assert [text for text in sentences_of_it if not CHINESE.search(sentences.chinese(text))] == []


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        (str(UnknownChoice("base", "nots", ["notes"])), "没有名为“nots”的知识库。是不是“notes”？现有：notes。"),
        (str(UnknownChoice("base", "x", [])), "没有名为“x”的知识库。现有：还没有。"),
        (
            "The model server http://x/v1 gave 2 vectors for 3 texts. Check base_url and model ('m') in [embeddings] of"
            " tessera.toml, and the server's log.",
            "模型服务 http://x/v1 为 3 段文字给出了 2 个向量。"
            "请检查 base_url 和 model（“m”）（tessera.toml 的 [embeddings]），以及服务的日志。",
        ),
        (
            "The model isn't on this machine. Download it: tessera models download llm, or put its files into /m",
            "本机没有这个模型。可以下载它（tessera models download llm），或把文件放进 /m",
        ),
        (
            "/m is not a cross-encoder: it is empty. Name the model's own folder.",
            "/m 不是交叉编码器：是空的。请指定模型自己的文件夹。",
        ),
        (frontmatter.parse("a: *b").warnings[0], "元数据无法识别（第 2 行：不允许使用 YAML 别名（*name）），已忽略。"),
        (encoding.damage("a��")[0], "文件中有 2 个字符无法读取，显示为“�”。"),
        (
            "The setting 'chunking.chunk_size' is not valid: Input should be greater than or equal to 256"
            " (in tessera.toml or TESSERA_*).",
            "设置“chunking.chunk_size”无效：应不小于 256（见 tessera.toml 或环境变量 TESSERA_*）。",
        ),
    ],
)
def test_a_sentence_with_another_inside_is_told_in_chinese(english: str, chinese: str) -> None:
    assert sentences.chinese(english) == chinese


def test_the_reasons_of_a_cut_are_told_in_chinese() -> None:
    reason = (
        "markdown: tried for its 3 headings of level 2 or 3, but 4 of its 5 chunks would have fewer than 32 tokens."
    )
    assert sentences.chinese(reason) == "因有 3 个二、三级标题而试过，但 5 块中有 4 块不足 32 个词元。"


@pytest.mark.parametrize("reason", [*reasons.TOLD.values(), *diagnosis.TOLD.values()])
def test_why_something_is_no_hit_is_told_in_chinese(reason: str) -> None:
    assert CHINESE.search(sentences.chinese(reason))


@pytest.mark.parametrize(
    "markdown",
    [
        "![a](http://x.test/a.png)",
        "[![a](http://x.test/a.png)](http://x.test)",
        "![a][r]\n\n[r]: http://x.test/a.png",
        "`code` ![a](b) `more`",
        "```\n![a](b)\n",
        "> ```\n> ![a](b)\n\n![c](d)",
        "!" + "![a](b)",
        "`![a](b)",
    ],
)
def test_no_picture_is_left_in_a_note(markdown: str) -> None:
    assert "![" not in safe.harmless(markdown)


def test_code_keeps_its_look() -> None:
    shown = safe.harmless("```rust\nlet v = vec![1, 2];\n```\n\nand `vec![3]` too")
    assert shown.replace("\u2060", "") == "```rust\nlet v = vec![1, 2];\n```\n\nand `vec![3]` too"


@pytest.mark.parametrize(
    "fence",
    [
        "```mermaid",
        "~~~ Mermaid",
        "```mer&#109;aid",
        "> ```mer\\maid",
        "- ```mermaid",
        "~~~mermaid `x`",
        "````  MERMAID x",
    ],
)
def test_diagrams_are_not_drawn(fence: str) -> None:
    shown = safe.harmless(f"{fence}\ngraph TD\n")
    assert re.fullmatch(r"[> -]*(`+|~+)text\ngraph TD\n", shown)


def test_other_fences_keep_their_language() -> None:
    assert safe.harmless("```python\nx = 1\n```") == "```python\nx = 1\n```"


def test_a_long_run_of_marks_is_read_in_one_go() -> None:
    for hostile in ("`" * 200_000, "~" * 200_000, "![" * 100_000, "> " * 100_000, "` `` " * 40_000):
        assert "![" not in safe.harmless(hostile)


def test_labels_read_as_they_are_written() -> None:
    assert safe.plain("![x](http://a) *b* :red[c]\n# d") == r"\!\[x\]\(http\:\/\/a\) \*b\* \:red\[c\] \# d"


def test_marked_text_is_escaped_everywhere() -> None:
    assert safe.marked("<b>x</b>", [(3, 4)]) == "&lt;b&gt;<mark>x</mark>&lt;/b&gt;"


@pytest.mark.parametrize(
    ("text", "words", "found"),
    [
        ("A RefCell and a cell; excellent", ["cell"], ["Cell", "cell"]),
        ("RefCell", ["refcell", "ref", "cell"], ["RefCell"]),
        ("什么是缓存穿透呢", ["缓存", "存穿", "穿透"], ["缓存穿透"]),
        ("the cat", ["dog"], []),
        ("C++ and c", ["c++"], ["C++"]),
    ],
)
def test_words_are_marked_where_keyword_search_finds_them(text: str, words: list[str], found: list[str]) -> None:
    assert [text[start:end] for start, end in marks.find(text, words)] == found


def test_an_excerpt_is_where_most_words_are() -> None:
    text = "start. " * 200 + "here the needle and the needle again. " + "end. " * 200
    spans = marks.find(text, ["needle"])
    start, end = marks.excerpt(text, spans)
    assert "needle and the needle" in text[start:end]
    assert end - start <= marks.EXCERPT
    assert marks.excerpt("short", []) == (0, 5)


def test_simplified_words_mark_traditional_text_in_its_place() -> None:
    assert marks.find("把數據庫放進緩存", ["数据", "缓存"]) == [(1, 3), (6, 8)]
