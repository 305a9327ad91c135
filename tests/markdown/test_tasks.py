"""The tasks of a note: what is to be done, whether it is, and where it stands."""

import pytest

from core.markdown.parser import parse
from core.markdown.tasks import tasks


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("- [ ] one\n- [x] two\n- [X] three\n", [("one", False), ("two", True), ("three", True)]),
        ("1. [ ] first\n2) [x] second\n", [("first", False), ("second", True)]),
        ("* [ ] a **bold** [link](x.md) with `*code*`\n", [("a bold link with *code*", False)]),
        ("- [ ] parent\n  - [x] child\n", [("parent", False), ("child", True)]),
        ("> - [ ] in a quote\n", [("in a quote", False)]),
        ("- [ ] two\n  lines\n\n  and a paragraph\n", [("two lines", False)]),
        ("- - [ ] inner\n", [("inner", False)]),
        ("- [ ] 任务 #标签\n", [("任务 #标签", False)]),
        ("[ ] no item\n\n- [] no\n- [y] no\n- [ ]no\n- [ ]\n- x [ ] no\n- \\[ ] no\n", []),
        ("```\n- [ ] no\n```\n\n    - [ ] no\n", []),
    ],
)
def test_tasks(body: str, expected: list[tuple[str, bool]]) -> None:
    assert [(task.text, task.done) for task in tasks(parse(body))] == expected


def test_a_task_is_a_slice_of_its_body() -> None:
    body = "intro\r\n\r\n> - [x] done `a`\r\n>   of it\r\n- [ ] more  \r\n"
    assert [body[task.start : task.end] for task in tasks(parse(body))] == ["[x] done `a`\r\n>   of it", "[ ] more"]


def test_a_body_of_tasks_is_read_in_linear_time() -> None:
    assert sum(task.done for task in tasks(parse("- [x] a\n" * 20_000))) == 20_000
