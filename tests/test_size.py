"""What has no type is counted wherever an annotation can say it."""

import ast

import pytest

from tests.size import annotations_of, has_any


@pytest.mark.parametrize(
    ("code", "counted"),
    [
        ("def f(a: Any) -> int: ...", True),
        ("def f(*a: Any, **b: int) -> int: ...", True),
        ("def f(a, /, b: Mapping[str, Any]) -> int: ...", True),
        ("async def f(*, a: 'dict[str, Any] | None' = None) -> int: ...", True),
        ("def f() -> Callable[..., Any]: ...", True),
        ("def f() -> Annotated[int, About('Any of them, or none.')]: ...", False),
        ("def f(a: Anything, b: 'Any one', *c: object) -> int: ...", False),
    ],
)
def test_a_signature_with_any_counts(code: str, counted: bool) -> None:
    (function,) = ast.parse(code).body
    assert any(map(has_any, annotations_of(function))) is counted
