"""Secrets in logs: masked before anything else sees them, equal ones equally, and nothing else with them."""

import json
from pathlib import Path

import pytest

from core.features.learning.masks import Masker, shorten
from core.features.learning.masks.patterns import PATTERNS as KNOWN
from core.features.learning.reading import read_events, read_text
from tests.features.learning.corpus import FRESH, HARMLESS, LATER, SHAPES, SIGHT, TOOLS, UNSEEN, left_of, shapes
from tests.features.learning.generated import Text, in_wrappings, lookalikes, secret_texts
from tests.features.learning.secrets import planted
from tests.growth import assert_linear


@pytest.mark.parametrize("seed", [11, 12, 13])
def test_of_200_planted_secrets_none_is_left(seed: int) -> None:
    left = []
    for kind, secret, line in planted(200, seed):
        log = read_text(f"before\n{line}\nafter\n", "a.log", Masker())
        shown = repr(log)
        if secret in shown or json.dumps(secret)[1:-1] in shown:
            left.append((kind, line))
    assert not left


@pytest.mark.parametrize("name", ["a.log", "a.md"])
@pytest.mark.parametrize(
    ("file", "seed"), [(SHAPES, 40), (SHAPES, 41), *((file, 40) for file in (UNSEEN, TOOLS, LATER, FRESH, SIGHT))]
)
def test_of_300_shapes_no_part_is_left_beside_a_mask(file: Path, seed: int, name: str) -> None:
    all_shapes = [*shapes(file, seed)]
    left = []
    for shape in all_shapes:
        log = read_text(f"# Log\n\n# Of today\n\n{shape.text}\n\nafter\n", name, Masker())
        shown = "\n".join(f"{event.source} {event.text} {dict(event.fields)}" for event in log.events)
        if left_of(shape, f"{shown}\n{Masker().masked(shape.text)}"):
            left.append(shape.template)
    assert len(left) <= 0.02 * len(all_shapes), left


def test_of_5000_secrets_in_all_wrappings_none_is_left() -> None:
    left = []
    for text in secret_texts(5_000):
        masker = Masker()
        masked = masker.masked(masker.across_lines(text.text))
        if text.left_in(masked):
            left.append((text.template, masked))
    assert not left


def test_of_shapes_in_wrappings_hardly_any_part_is_left() -> None:
    all_shapes = [shape for file in (SHAPES, UNSEEN, TOOLS, LATER, FRESH, SIGHT) for shape in shapes(file)]
    texts = [Text(text, *shape[::2]) for shape, text in zip(all_shapes, in_wrappings(all_shapes), strict=True)]
    left = [text.text for text in texts if text.left_in(Masker().masked(Masker().across_lines(text.text)))]
    assert len(left) <= 0.003 * len(texts), left


def test_of_2000_lookalikes_none_is_masked() -> None:
    texts = [text.text for text in lookalikes(2_000)]
    touched = [text for text in texts if Masker().masked(Masker().across_lines(text)) != text]
    assert not touched


def test_harmless_lines_stay_as_they_are() -> None:
    lines = HARMLESS.read_text(encoding="utf-8").splitlines()
    touched = [line for line in lines if Masker().masked(line) != line]
    assert len({*lines}) >= 300
    assert len(touched) <= 0.03 * len(lines), touched


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("密码：hunter2，请保密", "密码：[password-1]，请保密"),
        ("见 ｐａｓｓｗｏｒｄ＝ｈｕｎｔｅｒ２ （旧）", "见 ｐａｓｓｗｏｒｄ＝[password-1] （旧）"),
        ("see pass\u200bword=hun\u200bter2 x", "see pass\u200bword=[password-1] x"),
        ("ﬁle “a”，①", "ﬁle “a”，①"),
        ("ada@x.org Velvet9aB3x", "[email-1] [password-1]"),
        ("ada@x.org tiger!aB3xY9 joined", "[email-1] [password-1] joined"),
        ("ada@x.org opened ticket A1B2C3-44", "[email-1] opened ticket A1B2C3-44"),
        ("ada@x.org iPhone14 v2.0.1 build#42", "[email-1] iPhone14 v2.0.1 build#42"),
        ("password=the%20horse7&x=1", "password=[password-1]&x=1"),
    ],
)
def test_a_text_keeps_its_signs_around_the_masks(text: str, expected: str) -> None:
    assert Masker().masked(text) == expected


def test_a_mask_that_somebody_wrote_hides_nothing() -> None:
    assert "hunter2" not in Masker().masked("password=[password-1]hunter2")
    assert "hunter2" not in Masker().masked("[token-1] password=hunter2[token-1]")


def test_fields_of_events_are_masked_by_their_names() -> None:
    item = {"text": "login", "fields": {"password": "swordfish", "path": "/a", "user": "ada"}}
    (event,) = read_events([item], "a", Masker()).events
    assert event.fields == {"password": "[password-1]", "path": "/a", "user": "ada"}


def test_equal_secrets_look_equal_and_say_nothing_of_themselves() -> None:
    masker = Masker()
    first = masker.masked("password=hunter2 then password=other4 and password=hunter2")
    assert first == "password=[password-1] then password=[password-2] and password=[password-1]"
    assert masker.masked("PASSWORD: hunter2") == "PASSWORD: [password-1]"
    assert masker.masked(first) == first


@pytest.mark.parametrize(
    "text",
    [
        "max_tokens=4096 token_ttl=3600 password_min_length=12",
        "Invalid token: token has expired",
        "the header X-Api-Key is missing",
        "Authorization: Bearer <token>",
        "password=$DB_PASSWORD secret=${SECRET} token={token}",
        "密码错误，令牌已过期",
        "commit 4f2a91c on branch release-2026-03",
        "6f9619ff-8b86-d011-b42d-00cf4fc964ff is the request",
        "2026-03-01 10:00:00,123 took 1234 ms on 10.0.0.12:5432",
        "org.springframework.beans.factory.UnsatisfiedDependencyException",
        "/usr/lib/python3.11/site-packages/sqlalchemy/engine/base.py",
        "tests/api/test_orders.py::test_that_an_order_is_paid_once[visa-eur-2]",
        "git clone git@github.com:ada/notes.git",
        "worker_connections 1024; keepalive_timeout 65;",
        "KeyError: 'session'",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert Masker().masked(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "curl -u ada:S3cret! https://api.example.org",
        "mysql -uroot -pS3cret! orders",
        "sshpass -p S3cret! ssh web1",
        "--password S3cret!",
        "Cookie: session=S3cret!; theme=dark",
        "GET /cb?code=1&access_token=S3cret!&x=2",
        "Authorization: S3cret!",
        "X-Api-Key: S3cret!",
        "我的密码是 S3cret!",
        '{"user": {"password": "S3cret!"}}',
        "password:\n  S3cret!",
    ],
)
def test_secrets_are_known_by_what_stands_before_them(text: str) -> None:
    assert "S3cret" not in Masker().masked(text)


def test_a_private_key_goes_whole_and_the_lines_stay_in_their_places() -> None:
    lines = [
        "-----BEGIN RSA PRIVATE KEY-----",
        *(f"MIIEow{n}ab/cd+ef" for n in range(9)),
        "-----END RSA PRIVATE KEY-----",
    ]
    text = "\n".join(["before", *lines, "2026-03-01 10:00:00 ERROR after"])
    log = read_text(text, "a.log", Masker())
    assert "MIIEow" not in repr(log)
    assert log.events[-1].line == 13
    cut_off = read_text("\n".join(["before", *lines[:-1]]), "a.log", Masker())
    assert "MIIEow" not in repr(cut_off)


@pytest.mark.parametrize("rest", ["", "<b>x</b>\n"])
def test_an_element_that_is_never_closed_hides_no_later_lines(rest: str) -> None:
    later = "2026-03-01 10:00:00 INFO all is well\n" * 200
    masked = Masker().across_lines(f"<name>DB_PASSWORD</name><value>hunter2\n{later}{rest}")
    assert masked == f"<name>DB_PASSWORD</name><value>[password-1]\n{later}{rest}"


def test_a_value_of_several_lines_leaves_the_lines_in_their_places() -> None:
    text = '{"name": "DB_PASSWORD", "value": """hunter2\nswordfish9\n"""}\nafter\n'
    masked = Masker().across_lines(text)
    assert masked.count("\n") == text.count("\n")
    assert "hunter2" not in masked
    assert "swordfish" not in masked


def test_a_secret_at_the_end_of_a_cut_line_is_no_part_of_it() -> None:
    for shift in range(60):
        line = "x " * (1960 + shift) + "password=correct-horse-battery-staple-9 and more words " + "y" * 500
        assert "correct-horse" not in repr(read_text(line, "a.log", Masker()))


@pytest.mark.parametrize(
    "hostile",
    [
        "a" * 20_000,
        "password" * 2_000,
        "=" * 20_000,
        "1 " * 10_000,
        "a.b@" * 5_000,
        "eyJ" * 6_000,
        "+1" * 9_000,
        "-----BEGIN " * 2_000,
        '"\\' * 9_000,
        "://a:" * 4_000,
        "cookie" * 3_000,
        "password=" * 2_000,
        "password " * 2_000,
        "password(" * 2_000,
        "password='" * 2_000,
        "password=(" * 2_000,
        "password: [" * 2_000,
        "--token " * 3_000,
        "a_key" * 4_000,
        "key-" * 5_000,
        "密码" * 10_000,
        "密码是" * 7_000,
        "密码（" * 7_000,
        "<key>token</key>" * 1_500,
        "<password>" * 2_000,
        "<name " * 4_000,
        "name: token value: " * 1_200,
        '{"name":"token",' * 1_300,
        "| password " * 2_000,
        "password,user\n" * 1_500,
        "password  " * 2_000,
        "curl -u a:" * 2_000,
        "mysql -p " * 2_000,
        "docker login " * 1_600,
        "docker " * 3_000,
        "echo a " * 3_000,
        "net use /user:" * 1_400,
        "INSERT INTO a (password) VALUES ('" * 600,
        "INSERT INTO a (" * 1_300,
        "identified by " * 1_400,
        "machine a login b password " * 750,
        "set set set " * 1_700,
        "4111 " * 4_000,
        "41 " * 6_000,
        "12345678901234567890" * 1_000,
        "DE89 " * 4_000,
        "DE12" * 5_000,
        "a:b@" * 5_000,
        "http://a:" * 2_200,
        "http://" + "a:" * 9_000,
        "http://" + "@" * 19_000,
        "a.b." * 5_000,
        "eyJ." * 5_000,
        "Authorization: Bearer " * 900,
        "Authorization: Digest " * 900,
        "Cookie: a=" * 2_000,
        "$6$" * 6_000,
        "a:$6$" * 4_000,
        "[password-1]" * 1_700,
        "ａ＝" * 10_000,
        "\u200b" * 20_000,
        "A1b/" * 5_000,
        "a1" * 10_000,
        "-pass " * 3_000,
        "123456 is " * 2_000,
        '\\"' * 9_000,
        'password=\\"' * 1_800,
        "password=${" * 1_800,
        "password={" * 2_000,
        "password=<" * 2_000,
        "password=a,b" * 1_600,
        "password==" * 8_000,
        "bcrypt:" * 11_000,
        "printf '%s' a " * 1_400,
        "data:\n  a: b\n" * 1_500,
        '"data": {"a":"b"} ' * 1_100,
        "-----BEGIN PRIVATE KEY-----\nabc\n" * 600,
        'name="password"\n\n' * 1_200,
        "%e5%af%86" * 2_200,
        "\\u0040" * 3_300,
        "+a%20" * 4_000,
        "md5 (" * 4_000,
        "ipa -p " * 3_000,
        "ada@x.org " * 2_000,
        "admin A" * 3_000,
        "net use z: " * 1_800,
        "wifi key=" * 2_000,
        "passphrase: a" * 1_600,
        "password=%20" * 1_700,
        "my password\n" * 1_700,
    ],
)
def test_no_text_takes_long(hostile: str) -> None:
    assert_linear(lambda text: Masker().masked(text), hostile)


def test_many_masks_and_many_secrets_take_no_time() -> None:
    pairs = "".join(f'{{"name": "DB_PASSWORD", "value": "hunter{number}"}}\n' for number in range(1_500))
    masked: list[str] = []
    assert_linear(lambda text: masked.append(Masker().across_lines(text)), "[token-1]\n" * 20_000 + pairs)
    assert "hunter" not in masked[-1]


def test_what_is_cut_ends_before_a_word_or_a_quoted_value() -> None:
    assert shorten("one two three", 9) == "one two…"
    assert "my long" not in shorten('say password="my long pass phrase"', 26)
    assert len({shape.kind for shape in KNOWN}) > 5


def test_many_more_at_random_stay_hidden_too() -> None:
    left = [line for _, secret, line in planted(2_000, 99) if secret in repr(read_text(line, "a.log", Masker()))]
    assert len(left) == 0, left[:5]


def test_a_passphrase_in_quotes_is_masked_and_a_sentence_is_not() -> None:
    assert "boats" not in Masker().masked('passphrase = "four old green boats"')
    harmless = 'passphrase: "must not be empty", token for bob is expired, steps: one, two'
    assert Masker().masked(harmless) == harmless
