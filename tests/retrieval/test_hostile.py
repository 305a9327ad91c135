"""Whatever is typed is answered or told why it can't be asked."""

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.base.errors import QueryError, TesseraError
from core.base.registry import Entry
from core.embedding import EMBEDDERS
from core.workspace import Workspace
from tests import samples

PIECES = st.sampled_from(
    [
        *('" “ ” 「 」 \' - -- -" * ( ) { } [ ] ^ : ： , ， . ; \\ / | & % _ + # ~ ` < > = ! ?'.split()),
        *"AND OR NOT NEAR NEAR( rowid title: body: col : NULL -- ;".split(),
        *"tag: -tag: in: section: has:code has:x after: before:2026 标签： status: base: path:*".split(),
        *"redis Redis缓存 数据库 數據庫 ＲＥＤＩＳ 最近一个月 last-30-days 昨天的 vs 对比 和 的区别".split(),
        *"👩\u200d👩\u200d👧 🔥 שלום مرحبا \u202e \u200d".split(),
        " ",
        "\n",
        "\t",
        "\x00",
        "\x07",
        "\x1b[31m",
        "\ufeff",
        "\u0301",
        "x" * 500,
        "很" * 300,
        '"' * 99,
        "'; DROP TABLE notes; --",
        "../../etc/passwd",
        "{{7*7}}",
        "<script>",
    ]
)
QUERIES = st.one_of(
    st.text(max_size=60), st.lists(PIECES, max_size=14).map("".join), st.lists(PIECES, max_size=14).map(" ".join)
)


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    folder = samples.write(tmp_path_factory.mktemp("hostile") / "vault")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(EMBEDDERS, "words", Entry("tests.fakes:WordLengths"))
        patch.setenv("TESSERA_EMBEDDER", "words")
        patch.setenv("TESSERA_SEARCH__RERANKER", "none")
        with Workspace(folder.with_name("workspace")) as opened:
            opened.imports.apply(opened.imports.plan_folder(folder))
            yield opened


def refused(workspace: Workspace, typed: str) -> TesseraError | None:
    """Ask, and return why that can't be; anything but a told error is raised."""
    try:
        result = workspace.search(typed, explain=len(typed) % 2 == 0)
    except TesseraError as error:
        return error
    assert all(hit.passage.text for hit in result.hits)
    assert all(0 <= term.start < term.end <= len(typed) for term in result.understood.terms)
    return None


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(QUERIES)
def test_a_question_is_answered_or_told_why_not(workspace: Workspace, typed: str) -> None:
    error = refused(workspace, typed)
    assert error is None or str(error)
    if isinstance(error, QueryError) and error.at:
        assert 0 <= error.at[0] < error.at[1] <= len(typed)


@pytest.mark.parametrize(
    "typed", ['"' * 10_000, "-" * 10_000, ": " * 5_000, "tag:" * 2_500, "和" * 10_000, "a vs " * 2_000, "\x00" * 10_000]
)
def test_ten_thousand_characters_are_answered_or_told(workspace: Workspace, typed: str) -> None:
    refused(workspace, typed)
    with pytest.raises(QueryError, match="limit is 10,000"):
        workspace.search("word " * 2_001)
