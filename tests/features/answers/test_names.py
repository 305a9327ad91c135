"""A question that names somebody is answered from that section, whatever the sections next to it say."""

from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

from core.features.answers.names import sections_of_others
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
