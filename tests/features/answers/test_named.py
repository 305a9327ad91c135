"""A row or a list item that a question names is the answer, not those beside it, in any order of the columns."""

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from core.features.answers.candidates import collect_candidates
from core.features.answers.names import named_among
from core.workspace import Workspace

pytestmark = pytest.mark.usefixtures("bundled")

Rows = dict[str, tuple[str, ...]]
TABLES: list[tuple[str, tuple[str, ...], Rows, list[str]]] = [
    (
        "每月开销",
        ("项目", "每月"),
        {"房租": ("4500",), "网费": ("120",), "水电": ("300",), "停车": ("450",), "健身": ("199",)},
        ["{}每月多少钱", "{}一个月要多少钱"],
    ),
    (
        "红烧肉用料",
        ("用料", "用量"),
        {"五花肉": ("500 克",), "冰糖": ("30 克",), "生抽": ("20 毫升",), "老抽": ("10 毫升",), "盐": ("3 克",)},
        ["红烧肉放多少{}", "{}要放多少"],
    ),
    (
        "值班表",
        ("日期", "值班人", "电话"),
        {"周一": ("小林", "1101"), "周二": ("老陈", "1102"), "周三": ("阿芳", "1103")},
        ["{}谁值班", "{}值班电话是多少"],
    ),
    (
        "Monthly costs",
        ("Item", "Monthly"),
        {"Rent": ("1,150",), "Internet": ("35",), "Electricity": ("80",), "Parking": ("60",), "Phone": ("22",)},
        ["how much is the {} per month", "what do we pay for {}"],
    ),
    (
        "Bread formula",
        ("Ingredient", "Amount"),
        {"Flour": ("500 g",), "Water": ("350 ml",), "Salt": ("10 g",), "Yeast": ("3 g",), "Olive oil": ("15 ml",)},
        ["how much {} goes into the bread"],
    ),
    (
        "Ports of the services",
        ("Service", "Port", "Owner"),
        {"Orders": ("8081", "Kim"), "Inventory": ("8082", "Lee"), "Gateway": ("8080", "Ruiz")},
        ["which port does {} use", "who owns {}"],
    ),
]


def as_table(head: tuple[str, ...], rows: Rows, random: Random) -> dict[str, str]:
    """The rows of a table in any order, with their columns in any order, by what they are about."""
    order = random.sample(range(len(head)), len(head))

    def line(*cells: str) -> str:
        return f"| {' | '.join(cells[number] for number in order)} |"

    names = random.sample([*rows], len(rows))
    return {"": f"{line(*head)}\n|{'---|' * len(head)}"} | {name: line(name, *rows[name]) for name in names}


def as_list(head: tuple[str, ...], rows: Rows, random: Random) -> dict[str, str]:
    names = random.sample([*rows], len(rows))
    colon = ": " if head[0].isascii() else "："
    return {"": f"{head[1]}{colon}\n"} | {name: f"- {name}{colon}{', '.join(rows[name])}" for name in names}


@pytest.fixture(scope="module", params=[(as_table, 1), (as_table, 2), (as_list, 1)], ids=["table", "again", "list"])
def filled(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Workspace, dict[str, str]]]:
    shape, seed = request.param
    random = Random(seed)
    wanted: dict[str, str] = {}
    with Workspace(tmp_path_factory.mktemp("named")) as workspace:
        workspace.bases.add("notes")
        for title, head, rows, questions in TABLES:
            lines = shape(head, rows, random)
            workspace.notes.add("notes", f"# {title}\n\n" + "\n".join(lines.values()) + "\n", title=title)
            wanted |= {question.format(name): lines[name] for name in rows for question in questions}
        yield workspace, wanted


def test_the_named_row_is_marked_alone(filled: tuple[Workspace, dict[str, str]]) -> None:
    workspace, wanted = filled
    marked = {question: workspace.answers.ask(question).quotes[:1] for question in wanted}
    other = {question: [quote.marked_text for quote in quotes] for question, quotes in marked.items()}
    assert {key: texts for key, texts in other.items() if texts and texts != [wanted[key]]} == {}
    assert sum(map(bool, other.values())) > 0.9 * len(wanted)


@pytest.mark.parametrize(
    ("question", "units", "named"),
    [
        ("房租2月多少", ["|房租|1月|4500|", "|房租|2月|4600|", "|网费|2月|120|"], [False, True, False]),
        ("保险每月多少", ["|房租|4500|每月|", "|网费|120|每月|", "|保险|2000|每年|"], [False, False, True]),
        ("水电每月多少", ["|水|30|", "|水电|300|"], [False, True]),
        ("房租和网费是多少", ["|房租|4500|", "|网费|120|", "|押金|是|"], [True, True, False]),
        ("how much is the parking garage", ["|Parking|60|", "|Parking garage|90|"], [False, True]),
        ("how many apples", ["- **Apple** (red): 3", "- Pear: 4"], [True, False]),
        ("is there a phone", ["| no | phone |", "| is there | mail |"], [True, False]),
        ("房租多少", ["- 房租：4500。很长。", "- 房租：4500。很长。", "- 网费：120"], [True, True, False]),
        ("who is it", ["| is | 3 |", "| it | 4 |"], [False, False]),
    ],
)
def test_what_is_named_best(question: str, units: list[str], named: list[bool]) -> None:
    assert named_among(question, units) == named


LONG = "It is described in many words that say little. " * 10
STATED = {
    "a long item": (
        "how much is the rent?",
        f"# Costs\n\nMonthly:\n\n- Rent: 1,150. {LONG}\n- Internet: 35 and a router.\n- Parking: 60 by the door.\n",
        {"- Rent: 1,150.": 0.5, LONG.split(". ")[0] + ".": 0.5, "- Parking: 60 by the door.": -1.5},
    ),
    "a stated cause": (
        "Why does the backup fail?",
        "# Night\n\nWe know of it:\n\n- Backup: runs nightly on the big server\n- Cause: the disk was full\n",
        {"- Backup: runs nightly on the big server": 0.0, "- Cause: the disk was full": 1.0},
    ),
}


@pytest.mark.parametrize("name", STATED)
def test_what_is_named_by_an_item_counts_for_all_of_it_and_not_above_what_is_stated(tmp_path: Path, name: str) -> None:
    question, body, wanted = STATED[name]
    with Workspace(tmp_path) as workspace:
        workspace.bases.add("notes")
        workspace.notes.add("notes", body, title="Note")
        result = workspace.search(question)
        units = collect_candidates(workspace.store, lambda _: {}, result)
    found = {unit.text: unit.parts["stated"] for unit in units}
    assert {text: found.get(text) for text in wanted} == wanted, found
