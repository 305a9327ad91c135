"""Texts that say no encoding are read in the right one, or a wrong one is never said to be sure."""

from collections.abc import Iterator

import pytest

from core.base.encodings.guessing import guesses
from core.intake.encoding import decode_file
from tests.growth import assert_linear

JAPANESE = """# 引っ越しの準備

段ボールは三階の廊下に置いてあります。鍵は管理人さんから受け取ってください。
電気とガスの手続きは来週の火曜日までに済ませること。
- 冷蔵庫の中身を空にする
- カーテンの寸法を測る
会議室予約 東京本社 請求書送付
"""
KOREAN = """# 이사 준비

상자는 3층 복도에 있습니다. 열쇠는 관리인에게서 받으세요.
전기와 가스는 다음 주 화요일까지 신청해야 합니다.
- 냉장고 비우기
- 커튼 크기 재기
"""
SIMPLIFIED = """# 搬家准备

箱子放在三楼的走廊里，钥匙请向管理员领取。
水电过户手续要在下周二之前办完。
- 清空冰箱
- 测量窗帘尺寸
"""
TRADITIONAL = """# 搬家準備

箱子放在三樓的走廊裡，鑰匙請向管理員領取。
水電過戶手續要在下週二之前辦完。
- 清空冰箱
- 測量窗簾尺寸
"""
EASTERN = [
    *[(JAPANESE, encoding) for encoding in ("shift_jis", "euc_jp", "iso2022_jp", "utf-16-le", "utf-16-be")],
    *[(KOREAN, encoding) for encoding in ("euc_kr", "cp949", "utf-16-le")],
    *[(SIMPLIFIED, encoding) for encoding in ("gb2312", "gbk", "gb18030", "utf-16-be")],
    *[(TRADITIONAL, encoding) for encoding in ("big5", "utf-16-le")],
]
WESTERN = {
    "Der Schlüssel liegt im Büro; Größe prüfen.\n": "cp1252",
    "Straße;Öffnung\nMühlgasse 4;9 Uhr\n": "cp1252",
    "Käse, Brötchen, Öl\n": "cp1252",
    "Der „große“ Raum kostet 45 € – pro Tag.\n": "cp1252",
    "Übung macht den Meister\n": "cp1252",
    "La fenêtre du bureau est cassée, où est la clé ?\n": "cp1252",
    "« Déjà vu » – à l’hôtel, ça dépend.\n": "cp1252",
    "Prénom;Ville\nHélène;Orléans\n": "cp1252",
    "La reunión será mañana en el salón pequeño. ¿Quién llamó?\n": "cp1252",
    "Año;Población\n2024;Logroño\n": "cp1252",
    "A reunião não será amanhã; a chave está no balcão.\n": "cp1252",
    "Perché la città è così piena? Più tardi sarà libera.\n": "cp1252",
    "Mötet börjar på måndag, glöm inte nycklarna på översta hyllan.\n": "cp1252",
    "Nøglen ligger på kontoret, kør forbi på søndag.\n": "cp1252",
    "Brødet står på kjøkkenet, og osten er også kjøpt.\n": "cp1252",
    "Kokous siirtyi keskiviikoksi, tämä päivä jää väliin.\n": "cp1252",
    "> (8)\xa0[{…}, {…}, {…}, {…}, {…}, {…}, {…}, {…}]\n": "cp1252",
    "She’s at the café – it’s “closed” today.\n": "cp1252",
    "Het café is geopend; de financiële ruïne is geïnd.\n": "cp1252",
    "Proszę wziąć klucze od sąsiada, są w żółtej skrzynce.\n": "cp1250",
    "Schůzka je v úterý, přineste prosím všechny účty.\n": "cp1250",
    "A kulcsot kérjük a portán leadni, köszönjük. Őszi szünet.\n": "cp1250",
}
OTHERS = {
    "Ключи от склада лежат в ящике, спросите сторожа.\n": ("cp1251", "koi8_r", "cp866", "iso8859_5", "mac_cyrillic"),
    "Τα κλειδιά είναι στο συρτάρι, ρωτήστε τον φύλακα.\n": ("cp1253", "iso8859_7"),
    "Anahtarlar çekmecede, bekçiye sorunuz. Şubat ayında dağıtılacak.\n": ("cp1254",),
    "המפתחות נמצאים במגירה, שאלו את השומר.\n": ("cp1255",),
    "المفاتيح في الدرج، اسأل الحارس.\n": ("cp1256", "iso8859_6"),
    "กุญแจอยู่ในลิ้นชัก ถามยามได้\n": ("cp874",),
    "Raktai yra stalčiuje, klauskite sargo. Ačiū už žinutę.\n": ("cp1257",),
    "Der Schlüssel liegt im Büro, Größe prüfen: 4 Stück für München.\n": ("mac_roman", "cp850"),
}


def texts_of(text: str) -> Iterator[str]:
    """Yield five texts of 1 to 40 lines."""
    lines = text.splitlines(keepends=True)
    yield lines[0]
    yield "".join(lines[2:4])
    yield "".join(lines[3:])
    yield text
    yield "".join(lines * 6)[:1200]


def test_eastern_texts_of_any_length_are_told_apart() -> None:
    cases = [(text, encoding) for whole, encoding in EASTERN for text in texts_of(whole)]
    wrong = []
    for text, encoding in cases:
        found = decode_file(text.encode(encoding), "note.txt")
        if found.text != text:
            wrong.append((encoding, found.encoding, found.known, text[:20]))
    assert [one for one in wrong if one[2] != "unsure"] == []
    assert len(wrong) <= len(cases) // 40, wrong


def test_short_western_texts_are_read_as_they_are_written() -> None:
    wrong = []
    for text, encoding in WESTERN.items():
        found = decode_file(text.encode(encoding), "note.txt")
        if found.text != text:
            wrong.append((text, found.encoding, found.known))
    assert [one for one in wrong if one[2] != "unsure"] == []
    assert len(wrong) <= 1, wrong


@pytest.mark.parametrize(("text", "encoding"), [(text, one) for text, many in OTHERS.items() for one in many])
def test_other_alphabets_are_told_apart(text: str, encoding: str) -> None:
    assert decode_file(text.encode(encoding), "note.txt").text == text


def test_a_text_of_few_letters_outside_ascii_is_not_said_to_be_sure() -> None:
    assert decode_file("Zoë 5\n".encode("cp1252"), "note.txt").known == "unsure"
    assert decode_file(JAPANESE.encode("euc_jp"), "note.txt").known == "guessed"


def test_a_letter_with_a_zero_is_no_ascii_of_the_other_order() -> None:
    for text in ("不能吊销最后一个有效的用户标识。", "# 이사 준비\n"):
        for encoding in ("utf-16-le", "utf-16-be"):
            assert decode_file(text.encode(encoding), "note.txt").text == text


def test_a_large_chinese_text_with_a_damaged_byte_stays_chinese() -> None:
    data = bytearray((SIMPLIFIED * 2000).encode("gb18030"))
    data[1001] = 0xFF
    found = decode_file(bytes(data), "note.txt")
    assert found.encoding == "gb18030"
    assert found.text.count("搬家准备") >= 1999
    assert found.text.count("\ufffd") <= 2


def test_letters_far_from_the_beginning_count() -> None:
    text = "Plain words only.\n" * 5000 + "Der Schlüssel liegt im Büro; Größe prüfen.\n"
    assert decode_file(text.encode("cp1252"), "note.txt").text == text


@pytest.mark.parametrize(
    "data",
    [bytes(range(128, 256)) * 200, b"\x00\x01" * 99, bytes(7 * n * n % 251 for n in range(9000)), b"\xff" * 5000],
)
def test_what_is_no_text_has_no_likely_encoding(data: bytes) -> None:
    assert not [guess for guess in guesses(data) if guess.sure and guess.encoding.startswith("utf-16")]


@pytest.mark.parametrize("unit", [b"\xb0\xa1", b"a\xe9 ", b"\xe9", b"\x00\xe9"])
def test_a_long_text_takes_no_longer(unit: bytes) -> None:
    assert_linear(guesses, unit * (4_000_000 // len(unit)))
