"""The check boxes of task lists, clicked in the text of a note."""

import pytest

from core.markdown.parts import toggle_task


@pytest.mark.parametrize(
    ("line", "after"),
    [
        ("- [ ] milk", "- [x] milk"),
        ("- [x] milk", "- [ ] milk"),
        ("  * [X] milk", "  * [ ] milk"),
        ("12) [-] milk", "12) [ ] milk"),
        ("> - - [ ] [x] milk", "> - - [x] [x] milk"),
        ("[ ] no item", None),
        ("- [y](z) a link", None),
        ("text - [ ] no box", None),
    ],
)
def test_the_box_of_a_line_is_clicked_and_nothing_else(line: str, after: str | None) -> None:
    for end in ("\n", "\r\n", "\r"):
        body = f"- [ ] first{end}{line}{end}- [x] last"
        assert toggle_task(body, 1) == (after and f"- [ ] first{end}{after}{end}- [x] last")
    assert toggle_task(line, 1) is None
    assert toggle_task("- [ ] " * 50_000 + "x" * 50_000, 0) is not None
    assert toggle_task("- " * 100_000, 0) is None
