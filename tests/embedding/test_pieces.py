"""The tokens of short texts are those of the whole tokenizer."""

from pathlib import Path
from random import Random

import pytest
from tokenizers import Tokenizer

from core.embedding import e5
from core.embedding.model_folder import ModelFacts
from core.embedding.sentence import PieceTokenizer, build_bundled

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
def pieces() -> PieceTokenizer:
    found = e5.installed_pieces()
    assert found
    return PieceTokenizer(found)


def test_tokens_are_those_of_the_whole_tokenizer(pieces: PieceTokenizer, facts: ModelFacts) -> None:
    whole, random = Tokenizer.from_file(str(facts.tokenizer)), Random(1)
    every = [piece for piece in whole.get_vocab() if not piece.startswith("<")]
    mixed = ["".join(random.choices(every, k=random.randint(1, 6))) for _ in range(100)]
    for left in (100_000, 0):  # with a few pieces for each text, then with those of its scripts
        pieces._left = left
        for text in ("one <s> two", *TEXTS, *mixed):
            for special in (True, False):
                ours, theirs = pieces.encode(text, special=special), whole.encode(text, add_special_tokens=special)
                assert ours.ids == theirs.ids, text
                assert ours.offsets == theirs.offsets
                assert ours.special_tokens_mask == theirs.special_tokens_mask
            pieces._grown = pieces._grown if left == 0 else None


def test_pieces_are_those_of_the_scripts_of_the_texts(pieces: PieceTokenizer) -> None:
    pieces.encode("words " * 600, special=True)
    assert pieces._grown is None
    pieces.encode("words " * 600, special=True)
    assert pieces._grown
    latin = len(pieces._grown[1])
    pieces.encode("Ångström and 备份", special=True)
    assert latin < len(pieces._grown[1]) < len(pieces._pieces.scores) / 2
    pieces.encode("\u212b", special=True)  # a sign that is read as a letter
    assert latin < len(pieces._grown[1])


def test_texts_are_neither_cut_nor_filled(pieces: PieceTokenizer) -> None:
    for text in ("word", "word" + 599 * " word"):
        encoding = pieces.encode(text, special=False)
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
    quick.warm()
    assert quick._pieces
    assert quick._pieces._grown is None
    quick.load_tokenizer()
    assert quick._pieces._grown
    assert "_tokenizer" not in vars(quick)
