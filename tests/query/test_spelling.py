"""The nearest spelling of a word that no note holds."""

from collections.abc import Collection, Mapping, Sequence

import pytest

from core.query.synonyms import Spelling, correct

HELD = {"restore": 4, "backup": 9, "backups": 2, "softmax": 3, "form": 5, "from": 80, "cafe": 1, "class": 7}
PAIRS = {"数据": 50, "据预": 2, "预处": 2, "处理": 20, "回归": 9, "安装": 6}


def known(words: Sequence[str]) -> Collection[str]:
    return {word for word in words if word in HELD or word in PAIRS}


def counts(words: Sequence[str]) -> Mapping[str, int]:
    return {word: (HELD | PAIRS)[word] for word in known(words)}


@pytest.mark.parametrize(
    ("typed", "spelled", "words"),
    [
        ("resotre a backup", "restore a backup", {"resotre": "restore"}),
        ("Bakcup", "backup", {"bakcup": "backup"}),
        ("restre", "restore", {"restre": "restore"}),
        ("据数预处理", "数据预处理", {"据数预处理": "数据预处理"}),
        ("装安", "安装", {"装安": "安装"}),
        ("softmxa回归", "softmax回归", {"softmxa": "softmax"}),
        # as they are: known, too short, accents, without a near word, in a long question
        ("restore", "restore", {}),
        ("frm", "frm", {}),
        ("café", "café", {}),
        ("zxqv", "zxqv", {}),
        ("什么预处理", "什么预处理", {}),
        ("does my resotre run slower than writing out every loop myself", None, {}),
    ],
)
def test_the_nearest_spelling(typed: str, spelled: str | None, words: dict[str, str]) -> None:
    assert correct(typed, known, counts) == Spelling(spelled or typed, words)


@pytest.mark.parametrize(
    ("typed", "spelled"),
    [
        ("washing", "washing"),  # no note and no list of words knows *wash*
        ("washed", "washed"),
        ("wsahing", "washing"),
        ("wishinng", "wishing"),
        ("restired", "restored"),
        ("carries", "carries"),
        ("stirring", "stirring"),
        ("renewing", "renewing"),
    ],
)
def test_a_form_of_a_word_is_no_mistake(typed: str, spelled: str) -> None:
    held = {"wishing", "wished", "restored", "curries", "starring", "reviewing", "renew"}
    if spelled == "washing" != typed:
        held.add("washing")

    def some(words: Sequence[str]) -> dict[str, int]:
        return {word: 1 for word in words if word in held}

    assert correct(typed, some, some, {"carry", "stir"}.__contains__).text == spelled
