"""Bytes become text with one character for one character, or a sentence says why not."""

import pytest

from core.base.errors import SourceError
from core.intake.encoding import MAX_BYTES, decode_file, unreadable
from tests.growth import assert_linear

CHINESE = "# 线性回归\r\n\r\n线性回归基于几个简单的假设：首先，假设自变量和因变量之间的关系是线性的。\r\n"


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        (CHINESE.encode(), "utf-8"),
        (b"\xef\xbb\xbf" + CHINESE.encode(), "utf-8"),
        (b"\xff\xfe" + CHINESE.encode("utf-16-le"), "utf-16-le"),
        (b"\xfe\xff" + CHINESE.encode("utf-16-be"), "utf-16-be"),
        (CHINESE.encode("utf-16-le"), "utf-16-le"),
        (CHINESE.encode("utf-16-be"), "utf-16-be"),
        (CHINESE.encode("gb18030"), "gb18030"),
    ],
)
def test_chinese_is_read_in_every_usual_encoding(data: bytes, encoding: str) -> None:
    assert decode_file(data, "n.md")[:2] == (CHINESE, encoding)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_english_utf16_needs_no_byte_order_mark(encoding: str) -> None:
    text = "Rates & fees\r\nof the year\r\n"
    assert decode_file(text.encode(encoding), "n.md")[:2] == (text, encoding)


def test_long_gb18030_is_judged_by_a_sample() -> None:
    text = CHINESE * 20_000
    assert decode_file(text.encode("gb18030"), "n.md")[:2] == (text, "gb18030")
    assert_linear(lambda data: decode_file(data, "n.md"), text.encode("gb18030"))


def test_other_encodings_are_detected() -> None:
    text = "Das Gerät läuft schön über die Straße, größer als früher, und fährt natürlich weiter.\n" * 5
    assert decode_file(text.encode("cp1252"), "n.md").text == text


def test_a_single_bad_byte_costs_one_character_and_is_told() -> None:
    data = ("好" * 100 + "|").encode() + b"\xff" + b"|end"
    text, encoding, _ = decode_file(data, "n.md")
    assert (text, encoding) == ("好" * 100 + "|�|end", "utf-8")
    assert [str(one.explanation) for one in unreadable(text)] == [f"1 character could not be read: {'好' * 19}|�|end"]
    assert unreadable("fine") == ()


def test_unreadable_characters_are_named_with_the_first_words_that_hold_them() -> None:
    (one,) = unreadable("caf� au lait, ��, na�ve\tr�sum�" + " �" * 100_000)
    assert (one.kind, one.count, one.place) == ("character", 100_006, "caf�, ��,, na�ve")


def test_a_single_nul_keeps_every_offset() -> None:
    data = ("note " * 100 + "\0 end").encode()
    text = decode_file(data, "n.md").text
    assert len(text) == len(data)
    assert "\0" not in text


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "is empty"),
        (b"\xef\xbb\xbf", "is empty"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)) * 4, "a PNG picture"),
        (b"%PDF-1.7\nhello", "a PDF"),
        (bytes(range(256)) * 40, "isn't text"),
        (b"\0" * 5000, "binary data"),
        (b"text\x01\x02\x03\x04\x05" * 50, "binary data"),
        (b"\xff\xfea", "damaged"),
        (b"x" * (MAX_BYTES + 1), "20.0 MB; the limit is 20 MB"),
    ],
)
def test_what_is_not_text_says_so(data: bytes, reason: str) -> None:
    with pytest.raises(SourceError, match=reason) as caught:
        decode_file(data, "folder/n.md")
    assert caught.value.path == "folder/n.md"
