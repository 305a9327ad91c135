"""Fields that are written into front matter read the same, and nothing else of it changes."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.errors import EditError
from core.markdown import frontmatter
from core.markdown.frontwriting import rewrite
from core.markdown.inline import split_tags

_WORDS = st.sampled_from(
    "no;1.10;2026-01-31;y;null;~;😀 emoji;a: b;x # y;\";it's;[a];{b};- c;!;&a;*a;@;`;%;? q;|;>;0o17;1e3;\\;a, b;"
    "中文：冒号;\u2028;\x85;\ufeff;=;<<".split(";")
)
_TEXT = (
    (_WORDS | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=30))
    .map(lambda text: " ".join(text.split()))
    .filter(lambda text: text == text.strip())
)
_TAG = _TEXT.filter(lambda text: list(split_tags(text)) == [text])
_TARGET = _TEXT.filter(lambda text: text != "" and frontmatter.target(text) == text)
_TIME = st.datetimes(timezones=st.just(UTC)).filter(lambda time: 1000 < time.year < 9000)


def _tuples(values: st.SearchStrategy[str]) -> st.SearchStrategy[tuple[str, ...]]:
    return st.lists(values, max_size=4, unique_by=str.casefold).map(tuple)


_FIELDS = st.fixed_dictionaries(
    {},
    optional={
        **dict.fromkeys(("title", "type", "category", "project", "scope"), _TEXT),
        "tags": _tuples(_TAG),
        "related": _tuples(_TARGET),
        "supersedes": _tuples(_TARGET),
        "priority": st.integers(-999_999, 999_999),
        "status": st.sampled_from(["active", "archived", "pending"]),
        "expires_at": st.none() | _TIME,
        "created_at": st.none() | _TIME,
    },
)
_OTHERS = """\
# a comment
cssclass:   wide    # spaces stay
rating: 4.50
nested: {when: 2024-01-02,  list: [1, yes]}
text: |
  several

  lines
'quoted key': "x"
aliases:
- One
# in a list
-   'two'
empty:
"""
_BEFORE = [
    "",
    "---\n---\n",
    f"---\n{_OTHERS}---\n",
    f"---\n{_OTHERS}title: old\ntags: [a, 'no']\nstatus: archived # done\npriority: 7\n...\n",
    f"---\nTitle: 'old'\ntag: one\nexpires: 2024-01-02\nrelated:\n  - \"[[A]]\" # why\n  - B\n{_OTHERS}---\n",
    f"---\ntags:\n- a\n- b # stays\n\n# before\n{_OTHERS}supersedes: '[[X]]'\ntype: >-\n  folded\n  text\n---  \n",
    "---\n  title: deep\n  tags: x, y\n  other: {a: b}\n---\n",
    "---\n{title: flow, tags: [a, b], other: [1, 2]}\n---\n",
    "---\ntitle: one\ntitle: two\ntags: a\ntag: [b]\n---\n",
]


@given(st.sampled_from(_BEFORE), st.sampled_from(["\n", "\r\n"]), _FIELDS)
def test_what_is_written_is_read(front: str, newline: str, fields: dict[str, object]) -> None:
    front = front.replace("\n", newline)
    after = rewrite(front, fields, newline)
    start, end, body = frontmatter.span(after)
    assert body == len(after)
    read = frontmatter.parse(after[start:end])
    start, end, _ = frontmatter.span(front)
    before = frontmatter.parse(front[start:end])
    for name in frontmatter.KEYS:
        assert read.value(name) == (fields[name] if name in fields else before.value(name))
    assert read.extra == before.extra
    if _OTHERS.replace("\n", newline) in front:
        assert _OTHERS.replace("\n", newline) in after
    assert newline == "\n" or "\n" not in after.replace("\r\n", "")
    assert rewrite(after, {}) == after


def test_only_the_lines_of_the_changed_fields_change() -> None:
    front = "---\ntitle: 'Old'   # why\nTag:\n  - a # first\n  - \"b\"\n\nmodified: 2024-01-02\nx: [1,  2]\n---\n"
    fields = {"title": "New: one", "tags": ("a", "no"), "updated_at": datetime(2026, 1, 31, tzinfo=UTC), "priority": 2}
    assert rewrite(front, fields) == (
        "---\ntitle: 'New: one'   # why\nTag:\n  - a # first\n  - \"no\"\n\nmodified: 2026-01-31\nx: [1,  2]\n"
        "priority: 2\n---\n"
    )


def test_links_stay_links() -> None:
    assert rewrite('---\nrelated: "[[A]]"\n---\n', {"related": ("A", "B")}) == (
        '---\nrelated: ["[[A]]", "[[B]]"]\n---\n'
    )
    assert rewrite("---\nrelated:\n- '[[A]]'\n---\n", {"related": ("A", "B")}) == (
        "---\nrelated:\n- '[[A]]'\n- \"[[B]]\"\n---\n"
    )


@pytest.mark.parametrize("front", ["---\n- a list\n---\n", "---\na: [\n---\n", "---\n# a heading\n---\n"])
def test_what_is_no_mapping_stays_below_new_front_matter(front: str) -> None:
    assert rewrite(front, {"title": "x"}) == f"---\ntitle: x\n---\n{front}"


@pytest.mark.parametrize(
    "unread",
    [
        "title: Plan: second part",
        "\ttabbed: 1",
        "mail: @home",
        "{{title}}",
        "title: {{title}}",
        "*****",
        "c: *x",
        "a: [",
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_lines_that_cannot_be_read_stay_as_they_are(unread: str, newline: str) -> None:
    lines = ["---", "tags: [old]", "reviewer: Kim", unread, "scope: a", "---", ""]
    front = newline.join(lines)
    changed = rewrite(front, {"tags": ("new",), "scope": "b", "title": "Plan"}, newline)
    assert changed == newline.join(["---", "tags: [new]", *lines[2:4], "scope: b", "title: Plan", "---", ""])
    assert frontmatter.parse(changed[3 + len(newline) :].rpartition("---")[0]).extra == {"reviewer": "Kim"}


def test_comments_alone_stay_front_matter() -> None:
    front = rewrite("---\n# mine\ntags: [a]\n---\n", {"tags": ()})
    assert front == "---\n# mine\ntags:\n---\n"
    assert frontmatter.span(front)[2] == len(front)


@pytest.mark.parametrize("fields", [{"tags": ("a, b",)}, {"related": ("a|b",)}])
def test_a_value_that_would_read_otherwise_is_refused(fields: dict[str, object]) -> None:
    with pytest.raises(EditError):
        rewrite("---\nx: y\n---\n", fields)
