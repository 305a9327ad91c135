"""The tokens of short texts are those of the whole tokenizer."""

from pathlib import Path
from random import Random

import pytest
from tokenizers import Tokenizer

from core.embedding import e5
from core.embedding.model_folder import ModelFacts
from core.embedding.sentence import ShortTexts, build_bundled

TEXTS = (
    "",
    " ",
    "query: how are backups encrypted?",
    "缓存雪崩和备份的区别是什么？",
    "Ünïcödé cafe\u0301 ﬁn ＡＢＣ ～ ㎏ \u00ad soft",
    "deja\u0300 vu\tTabs\nand  many   spaces ",
    "👩‍👩‍👧 emoji 🦄🦄 \U0001f9ff \ue000\ue001 unknown",
    "ภาษาไทย हिन्दी العربية עברית русский 日本語 한국어",
    "▁▁ metaspace ▁x",
    "A" * 300,
)


@pytest.fixture(scope="module")
def facts() -> ModelFacts:
    return build_bundled().facts


@pytest.fixture
def short() -> ShortTexts:
    pieces = e5.installed_pieces()
    assert pieces
    return ShortTexts(pieces)


def test_tokens_are_those_of_the_whole_tokenizer(short: ShortTexts, facts: ModelFacts) -> None:
    whole, random = Tokenizer.from_file(str(facts.tokenizer)), Random(1)
    every = [piece for piece in whole.get_vocab() if not piece.startswith("<")]
    mixed = ["".join(random.choices(every, k=random.randint(1, 6))) for _ in range(100)]
    for text in (*TEXTS, *mixed):
        for special in (True, False):
            short._left = 10_000
            ours, theirs = short.encode(text, special=special), whole.encode(text, add_special_tokens=special)
            assert ours
            assert ours.ids == theirs.ids, text
            assert ours.offsets == theirs.offsets
            assert ours.special_tokens_mask == theirs.special_tokens_mask


def test_special_pieces_and_much_text_take_the_whole_tokenizer(short: ShortTexts) -> None:
    assert short.encode("one <s> two", special=True) is None
    assert short.encode("words " * 600, special=True)
    assert short.encode("words " * 600, special=True) is None


def test_texts_are_neither_cut_nor_filled(short: ShortTexts) -> None:
    for text in ("word", "word" + 599 * " word"):
        encoding = short.encode(text, special=False)
        assert encoding
        assert set(encoding.special_tokens_mask) == {0}
        assert len(encoding.ids) == text.count("word")


def test_pieces_of_another_version_are_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / e5.WEIGHTS).write_bytes(bytes(100))
    monkeypatch.setattr(e5, "weights_file", lambda: tmp_path / e5.WEIGHTS)
    assert e5.installed_pieces() is None


def test_a_question_needs_no_whole_tokenizer(facts: ModelFacts) -> None:
    whole, quick = build_bundled(), build_bundled()
    assert whole._tokenizer
    question = "how are backups encrypted"
    assert (quick.embed([question], role="query") == whole.embed([question], role="query")).all()
    assert (quick.tokens(question) == whole.tokens(question)).all()
    assert "_tokenizer" not in vars(quick)
    quick.warm()
    assert "_tokenizer" not in vars(quick)
    quick.load_tokenizer()
    assert "_tokenizer" in vars(quick)
