"""The tokens of short texts are those of the whole tokenizer."""

from pathlib import Path
from random import Random
from types import SimpleNamespace

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


# A range of code points for each script or kind of sign that `_LEADS` tells apart, and some that NFKC changes.
RANGES = {
    "ASCII": (0x00, 0x80), "Latin": (0x80, 0x250), "marks": (0x2B0, 0x370), "Greek": (0x370, 0x400),
    "Cyrillic": (0x400, 0x530), "Armenian": (0x530, 0x590), "Hebrew": (0x590, 0x600), "Arabic": (0x600, 0x800),
    "Indic": (0x900, 0xE00), "Thai": (0xE00, 0x1000), "Georgian": (0x10A0, 0x1100), "jamo": (0x1100, 0x1200),
    "accents": (0x1E00, 0x2000), "signs": (0x2000, 0x2C00), "kana": (0x3000, 0x3400), "Chinese": (0x4E00, 0xA000),
    "Korean": (0xAC00, 0xD7B0), "old forms": (0xF900, 0x10000), "emoji": (0x1F000, 0x1FA00),
    "letters in mathematics": (0x1D400, 0x1D800), "rare Chinese": (0x20000, 0x30000),
}  # fmt: skip


@pytest.mark.parametrize("left", [100_000, 0])  # with a few pieces for each text, then with those of its scripts
def test_tokens_of_random_letters_of_every_script_are_those_of_the_whole_tokenizer(
    pieces: PieceTokenizer, facts: ModelFacts, left: int
) -> None:
    whole, random = Tokenizer.from_file(str(facts.tokenizer)), Random(2)
    pieces._left = left
    for points in RANGES.values():
        for _ in range(5):
            letters = [chr(random.randrange(*points)) for _ in range(random.randint(1, 12))]
            text = "".join(random.choice((letter, f"{letter} ", f"a{letter}")) for letter in letters)
            ours, theirs = pieces.encode(text, special=True), whole.encode(text)
            assert (ours.ids, ours.offsets) == (theirs.ids, theirs.offsets), text
        pieces._grown = pieces._grown if left == 0 else None


@pytest.mark.parametrize("text", ["words", "Grüße", "缓存雪崩"])
@pytest.mark.parametrize("left", [100_000, 0])
def test_a_text_is_normalised_at_most_once_to_find_its_pieces(
    pieces: PieceTokenizer, monkeypatch: pytest.MonkeyPatch, text: str, left: int
) -> None:
    plain, normalised = pieces._plain, list[str]()

    def normalise(text: str) -> str:
        normalised.append(text)
        return str(plain.normalizer.normalize_str(text))

    normalizer = SimpleNamespace(normalize_str=normalise)
    monkeypatch.setattr(pieces, "_plain", SimpleNamespace(normalizer=normalizer, pre_tokenizer=plain.pre_tokenizer))
    pieces._left = left
    pieces.encode(text, special=True)
    assert len(normalised) <= 1


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
