"""The title that a text without one gets."""

import pytest

from core.notes.texts import first_words


@pytest.mark.parametrize(
    ("body", "title"),
    [
        ("## Thyme\n\nMore.", "Thyme"),
        ("- [x] Water it", "Water it"),
        ("See [[hens|The hens]] and [[Coop]]", "See The hens and Coop"),
        ("After [the fair](https://a.test/x)", "After the fair"),
        ("[[not closed", "[[not closed"),
        ("![](pasted-1.png)\n\nThe shelf", "The shelf"),
        ("Before ![alt](a_(1).png) after", "Before after"),
        ("![[Pasted image.png]]", "Untitled"),
        ("> ![a](data:image/png;base64,AAAA) ![[b.png|300]]\n- second", "second"),
        ("![not closed", "![not closed"),
        ("", "Untitled"),
        ("x" * 70, "x" * 59 + "…"),
    ],
)
def test_a_title_is_the_first_line_with_words(body: str, title: str) -> None:
    assert first_words(body) == title


@pytest.mark.parametrize("sign", ["![", "![[", "![](", "![a](x(y)", "![](()", "[[", "[a", "[a](", "[[a|"])
def test_a_line_of_beginnings_is_no_trouble(sign: str) -> None:
    assert first_words(sign * 100_000)
