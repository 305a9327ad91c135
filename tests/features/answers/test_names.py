"""A question that names somebody is answered from that section, and never for sure with what is said of another one."""

from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

from core.features.answers.names import names_other, sections_of_others
from core.workspace import Workspace

pytestmark = pytest.mark.usefixtures("bundled")

FORMS = {
    "line": "{label} {value}. {rest}",
    "colons": "- {label}: {value}\n- {more}",
    "table": "| What | Value |\n|---|---|\n| {label} | {value} |\n| {other} | {again} |",
}
ENGLISH = ("Maren", "Tom", "Anna Schmidt", "Jonas")
CHINESE = ("小满", "妈妈", "王建国", "舅舅")
WORDS = {
    "en": {"label": "Phone", "rest": "Away on Wednesdays.", "more": "Away on Wednesdays", "other": "Room"},
    "zh": {"label": "电话", "rest": "周三休息。", "more": "周三休息", "other": "房间"},
}


def value(place: int) -> str:
    return f"0171 555 0{place}99"


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    with Workspace(tmp_path_factory.mktemp("people") / "workspace") as workspace:
        for (form, text), (language, names) in product(FORMS.items(), {"en": ENGLISH, "zh": CHINESE}.items()):
            sections = (
                f"## {name}\n\n{text.format(value=value(place), again=place, **WORDS[language])}"
                for place, name in enumerate(names, 1)
            )
            title = {"en": "Team members", "zh": "家人"}[language]
            workspace.notes.add(f"{language}-{form}", "\n\n".join([f"# {title}", *sections]), title=title)
        yield workspace


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("language", "place", "question"),
    [
        *(("en", place, f"What is {name}'s phone number?") for place, name in enumerate(ENGLISH, 1)),
        *(("en", place, f"Which phone number does {name} have?") for place, name in enumerate(ENGLISH, 1)),
        *(("zh", place, f"{name}的电话是多少") for place, name in enumerate(CHINESE, 1)),
    ],
)
def test_nobody_elses_section_is_quoted(people: Workspace, form: str, language: str, place: int, question: str) -> None:
    answer = people.answers.ask(question, bases=[f"{language}-{form}"])
    assert answer.answered != "no"
    assert value(place) in answer.quotes[0].marked_text
    assert all(value(other) not in quote.text for quote in answer.quotes for other in range(1, 5) if other != place)


def test_a_section_that_names_the_person_in_its_text_may_answer(tmp_path: Path) -> None:
    body = "# Team\n\n## Maren\n\nOwner of hosting.\n\n## Tom\n\nWhen Maren is away, her phone is answered by Tom.\n"
    with Workspace(tmp_path / "workspace") as workspace:
        workspace.notes.add("team", body, title="Team")
        answer = workspace.answers.ask("Who answers Maren's phone when she is away?")
        assert "answered by Tom" in answer.quotes[0].text


@pytest.mark.parametrize(
    ("question", "body", "others"),
    [
        ("What is Tim's phone?", "# Tim\r\n1\r\n# Anna\r\n2\r\n", ["# Anna\r\n2\r\n"]),
        ("What did Ann say about Project Mars?", "# Project Mars\n1\n# Project Venus\n2\n", ["# Project Venus\n2\n"]),
        ("What is Anna's address?", "# Anna Smith\n1\n# Anna Jones\n2\n", []),
        ("What is Tim's phone?", "# Tim\n```say``` it\n# Anna\n2\n", ["# Anna\n2\n"]),
        ("What is Tim's phone?", "# Tim\n```\n# Anna\n```\n1\n", []),
        ("какой бюджет проекта", "# Бюджет\n1\n# Сроки\n2\n", []),
    ],
)
def test_sections_headed_by_other_names_are_found(question: str, body: str, others: list[str]) -> None:
    words = [word.strip("?").removesuffix("'s").casefold() for word in question.split()]
    assert [body[start:end] for start, end, _ in sections_of_others(question, words, body)] == others


def test_a_name_within_a_word_names_nobody(tmp_path: Path) -> None:
    body = "# Team\n\n## Tim\n\nHis room is 4.\n\n## Anna\n\nHer room, most of the time, is 5.\n"
    with Workspace(tmp_path / "workspace") as workspace:
        workspace.notes.add("team", body, title="Team")
        answer = workspace.answers.ask("What is Tim's room?")
        assert all("is 5" not in quote.text for quote in answer.quotes)


# Notes on the first of the people; the pronoun's person is in the title or in the sentence before.
ABOUT = {
    "en": {
        "sentence": ("{0}", "{0} is allergic to peanuts and cat hair.\n\n{0} goes to school by bus number 14.\n"),
        "heading": (
            "Family",
            "# Family\n\n## {0}\n\nAllergies: peanuts, cat hair.\n\nGoes to school by bus number 14.\n",
        ),
        "item": ("Health", "- {0}: allergic to peanuts and cat hair\n- {0}: goes to school by bus number 14\n"),
        "title": ("{0}", "She is allergic to peanuts and cat hair. She goes to school by bus number 14.\n"),
        "before": (
            "Health",
            "{0} was ill in March. She is allergic to peanuts and cat hair. She goes to school by bus number 14.\n",
        ),
    },
    "zh": {
        "sentence": ("{0}", "{0}对花生和猫毛过敏。\n\n{0}坐14路公交车上学。\n"),
        "heading": ("家人", "# 家人\n\n## {0}\n\n过敏：花生、猫毛。\n\n她坐14路公交车上学。\n"),
        "item": ("家人健康", "- {0}：对花生和猫毛过敏\n- {0}：坐14路公交车上学\n"),
        "title": ("{0}", "她对花生和猫毛过敏。她坐14路公交车上学。\n"),
        "before": ("健康", "{0}三月做了体检。她对花生和猫毛过敏。她坐14路公交车上学。\n"),
    },
}
MORE = {
    "en": ("Trip", "Met {1} and {2} at the station, and {3} was late."),
    "zh": ("出行", "{1}、{2}和{3}一起去了车站。"),
}
PEOPLE = {"en": ("Mia", "Aylin", "Dr. Weber", "Jonas"), "zh": ("小满", "艾琳", "王建国", "李医生")}
FACTS = {
    "en": (
        "does {} have allergies",
        "What is {} allergic to?",
        "what are {}'s allergies",
        "which bus does {} take to school",
    ),
    "zh": ("{}对什么过敏", "{}有没有过敏", "{}的过敏原是什么", "{}坐几路车上学"),
}


@pytest.fixture(scope="module")
def families(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    with Workspace(tmp_path_factory.mktemp("families") / "workspace") as workspace:
        for language, forms in ABOUT.items():
            for (form, about), others in product(forms.items(), ((), (MORE[language],))):
                for title, text in (about, *others):
                    name = f"{language}-{form}-{len(others)}"
                    people = PEOPLE[language]
                    workspace.notes.add(name, text.format(*people), title=title.format(*people))
        yield workspace


@pytest.mark.parametrize(
    ("language", "form", "others"), [(*one, others) for one in product(ABOUT, ABOUT["en"]) for others in range(2)]
)
def test_what_is_said_of_another_person_is_never_sure(
    families: Workspace, language: str, form: str, others: int
) -> None:
    first = PEOPLE[language][0]
    answers = {
        question.format(name): families.answers.ask(question.format(name), bases=[f"{language}-{form}-{others}"])
        for name, question in product(PEOPLE[language], FACTS[language])
    }
    trip = MORE[language][0]
    sure = {
        question
        for question, answer in answers.items()
        if answer.answered == "yes" and answer.quotes[0].note.title != trip
    }
    assert sure == {question.format(first) for question in FACTS[language]}


@pytest.mark.parametrize(
    ("question", "text", "other"),
    [
        ("what is the top speed of the XR-500?", "XR-200\nIts top speed is 90.", True),
        ("what is the top speed of the XR-500?", "XR-500\nIts top speed is 90.", False),
        ("How long does the iPhone 15 charge?", "The iPhone 14 charges in an hour.", True),
        ("where did we stay in Lisbon", "Porto\nWe stayed at the harbour.", True),
        ("what did we plan for Monday, 5 May", "On 2026-05-05 we plant.", False),
        ("what are aylin's allergies", "Mia\nAllergies: peanuts", True),
        ("is there a key for anyone?", "The key is in the hall.", False),
        ("who are sitting at the table", "Mia and Tom sit there.", False),
        ("重庆的酒店在哪里", "成都\n酒店在市中心。", True),
        ("妈妈的生日是哪天", "爸爸\n生日：5月3日", True),
        ("今天有什么安排", "周二：体检。", False),
        ("缓存雪崩怎么处理", "Cache avalanche\nAdd jitter to the expiry.", False),
        ("红烧肉要不要焯水", "红烧肉\n先焯水。", False),
        ("What's the Wi-Fi password?", "The WiFi password is abc123.", False),
        ("WiFi密码是多少", "Wi-Fi 密码：abc123", False),
        ("can tomatoes be frozen", "A tomato can be frozen for six months.", False),
        ("do children pay at the museum", "A child under six pays nothing at the museum.", False),
        ("who is responsible for backups", "Anna is in charge of the backups.", False),
        ("How do I restart PostgreSQL?", "Restart the Postgres server with `pg_ctl restart`.", False),
        ("能不能养狗", "可以养狗，但要交押金 500 元。", False),
        ("是不是要预约牙医", "看牙要提前两天预约。", False),
        ("放在哪里了护照", "护照放在书桌抽屉里。", False),
        ("会不会下雨", "周五下雨。", False),
        ("可不可以退票", "车票可以退。", False),
        ("在哪里买票", "买票在南门。", False),
        ("一共有多少人", "全班42人。", False),
        ("总共要多少钱", "装修花费8万元。", False),
        ("应该吃几片", "每次吃两片。", False),
        ("还有多少假", "剩余年假5天。", False),
        ("早上几点起床", "每天7点起床。", False),
        ("家里有几只猫", "我们养了两只猫。", False),
        ("what is wrong with the pump", "The pump leaks oil.", False),
        ("is dinner at seven", "We eat at seven.", False),
        ("when does next train leave", "Train at 8", False),
        ("what are today's tasks", "Tasks 2026: plant", False),
        ("where did grandma's recipe come from", "Grandmother, Recipe from Ulm", False),
        ("What did José say", "Jose said no", False),
        ("what are some good restaurants", "Restaurants, Luigi", False),
        ("are batteries included", "A battery is included.", False),
    ],
)
def test_a_text_names_what_the_question_does(question: str, text: str, other: bool) -> None:
    assert names_other(question, text) == other
