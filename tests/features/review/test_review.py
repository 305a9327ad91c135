"""What waits for a person: of which kinds, in which order, and what the decisions on it do."""

import pytest

from core.base.errors import Conflict, EditError, UnknownChoice
from core.model import ReviewItem, Side
from core.workspace import Workspace

OVEN = "The oven bakes the bread at {n} degrees for an hour.\n"


def kinds(workspace: Workspace) -> list[tuple[str, str]]:
    return [(one.kind, one.title) for one in workspace.review.all()]


def add(workspace: Workspace, title: str, body: str, **fields: object) -> str:
    return workspace.notes.add("home", body, title=title, author="person", embed=False, **fields).id  # type: ignore[arg-type]


def the(workspace: Workspace, kind: str) -> ReviewItem:
    (one,) = workspace.review.all(kinds=[kind])
    return one


def test_each_kind_is_listed_once_in_its_order(workspace: Workspace) -> None:
    bread = add(workspace, "Bread", OVEN.format(n=220))
    add(workspace, "Bread anew", OVEN.format(n=240))
    add(workspace, "Milk", "Milk, open.\n", expires_at="2020-01-01")
    add(workspace, "Salt", "Salt the dough before it rests.\n")
    add(workspace, "Salt again", "Salt the  dough\nbefore it rests.\n")
    add(workspace, "Plan of old", "The old plan.\n")
    add(workspace, "Plan", "The plan of now.\n", supersedes=["Plan of old"])
    workspace.proposals.add("home", "Thyme is fine.", title="Thyme")
    workspace.proposals.update(bread, body="Another text.\n")
    assert kinds(workspace) == [
        ("note", "Thyme"),
        ("change", "Bread"),
        ("contradiction", "Bread anew"),
        ("expired", "Milk"),
        ("superseded", "Plan of old"),
        ("copy", "Salt again"),
    ]
    assert workspace.review.counts().total() == 6
    both = the(workspace, "contradiction")
    assert both.quotes == (OVEN.format(n=240).strip(), OVEN.format(n=220).strip())
    assert both.other is not None
    assert both.other.title == "Bread"
    with pytest.raises(UnknownChoice):
        workspace.review.all(kinds=["nonsense"])


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Meeting with the team on 2024-05-01 about bread.", "Meeting with the team on 2025-06-02 about bread."),
        ("The shop opened its doors at 10:30 this time.", "The shop opened its doors at 9:30 this time."),
        ("Listing 12-7 shows the changes that we need.", "Listing 21-18 shows the changes that we need."),
        ("Backups run two times per week on the host.", "Backups run 2 times per week on the host."),
        ("资料库备份每兩年做一次归档。", "资料库备份每2年做一次归档。"),
        ("第一天我们参观了故宫博物院。", "第二天我们参观了故宫博物院。"),
        ("Step one is to open the main valve.", "Step two is to open the main valve."),
        ("Costs 5 euros.", "Costs 6 euros."),
        ("The oven bakes at 220 degrees. The oven bakes at 240 degrees.", "The oven bakes at 230 degrees."),
    ],
)
def test_dates_times_short_sentences_and_lists_of_values_contradict_nothing(
    workspace: Workspace, first: str, second: str
) -> None:
    add(workspace, "One", first)
    add(workspace, "Two", second)
    assert kinds(workspace) == []


@pytest.mark.parametrize(
    "sentence",
    [
        "The shop opens its doors at {}:30 each day.",
        "备份每天凌晨{}:30开始。",
        "房租是每月480{}元。",
        "合同期是1{}个月，到期自动续约。",
    ],
)
def test_times_and_amounts_of_every_day_or_month_contradict(workspace: Workspace, sentence: str) -> None:
    add(workspace, "One", sentence.format(2))
    add(workspace, "Two", sentence.format(3))
    assert kinds(workspace) == [("contradiction", "Two")]


@pytest.mark.parametrize(
    ("sentence", "first", "second"),
    [
        ("The boiler in the cellar is serviced {} by Helm.", "every year", "every two years"),
        ("The boiler in the cellar is serviced {} by Helm.", "every 3 years", "every two years"),
        ("The cleaner comes {} and takes the key.", "once each week", "twice each week"),
        ("锅炉{}保养一次，由物业负责。", "每年", "每两年"),
        ("锅炉每{}年保养一次，由物业负责。", "两", "三"),
    ],
)
def test_numbers_in_words_contradict(workspace: Workspace, sentence: str, first: str, second: str) -> None:
    add(workspace, "One", sentence.format(first))
    add(workspace, "Two", sentence.format(second))
    assert kinds(workspace) == [("contradiction", "Two")]


def test_chinese_notes_contradict_each_other_and_forms_that_many_notes_fill_in_do_not(workspace: Workspace) -> None:
    add(workspace, "一", "面包要在烤箱里烤220度左右。")
    add(workspace, "二", "面包要在烤箱里烤240度左右。")
    for number in range(4):
        add(workspace, f"Form {number}", f"The width of this part in all is {number} metres.")
    assert kinds(workspace) == [("contradiction", "二")]


def test_an_item_quotes_all_that_differs_and_comes_back_with_more(workspace: Workspace) -> None:
    tyres, battery = "The tyres of the car want {n} bar.", "The battery of the car cost {n} euros."
    add(workspace, "Car", f"{tyres.format(n=2.2)}\n\n{battery.format(n=139)}\n\nIt has 5 doors and 4 seats.")
    second = add(workspace, "Car of Ben", f"{tyres.format(n=2.5)}\n\n{battery.format(n=149)}")
    both = the(workspace, "contradiction")
    assert both.quotes == (*(tyres.format(n=n) for n in (2.5, 2.2)), *(battery.format(n=n) for n in (149, 139)))
    workspace.review.let_be([both.key])
    assert kinds(workspace) == []
    workspace.notes.update(second, body=f"{tyres.format(n=2.5)}\n\nIt has 3 doors and 4 seats.", author="person")
    assert the(workspace, "contradiction").quotes[2:] == ("It has 3 doors and 4 seats.", "It has 5 doors and 4 seats.")


@pytest.mark.parametrize(("side", "n"), [("mine", 2.5), ("theirs", 2.2)])
def test_the_right_sentences_replace_those_of_the_other_note_until_this_is_undone(
    workspace: Workspace, side: Side, n: float
) -> None:
    text = "# Car\n\n- The tyres of the **car** want {n} bar.\n- The battery of the car cost {n} euros.\n"
    notes = [add(workspace, title, text.format(n=n)) for title, n in (("Car", 2.2), ("Car of Ben", 2.5))]
    before = [workspace.notes.get(note).body for note in notes]
    undo = workspace.review.settle(the(workspace, "contradiction"), side)
    assert [workspace.notes.get(note).body for note in notes] == [text.format(n=n)] * 2
    assert kinds(workspace)[0][0] == "copy"
    undo()
    assert [workspace.notes.get(note).body for note in notes] == before
    assert the(workspace, "contradiction").quotes


def test_a_sentence_that_a_note_has_twice_is_left_to_the_editor(workspace: Workspace) -> None:
    add(workspace, "One", OVEN.format(n=220) * 2)
    add(workspace, "Two", OVEN.format(n=240))
    both = the(workspace, "contradiction")
    with pytest.raises(EditError, match="exactly once"):
        workspace.review.settle(both, "mine")
    workspace.review.settle(both, "theirs")
    assert kinds(workspace) == []


def test_a_note_that_changed_meanwhile_is_not_corrected(workspace: Workspace) -> None:
    first = add(workspace, "One", OVEN.format(n=220))
    add(workspace, "Two", OVEN.format(n=240))
    both = the(workspace, "contradiction")
    workspace.notes.update(first, body=OVEN.format(n=220) + "More.\n", author="person")
    with pytest.raises(Conflict):
        workspace.review.settle(both, "mine")


def test_recipes_of_two_dishes_and_notes_from_logs_contradict_nothing(workspace: Workspace) -> None:
    for dish, n in (("红芸豆", 5), ("鹰嘴豆", 8)):
        add(
            workspace,
            f"{dish}的做法",
            f"{dish}泡一夜。{dish}煮软。\n\n加入姜黄粉 3g、香菜粉 {n}g、孜然粉 3g\n\n盛出{dish}。",
        )
    for n in (3, 4):
        text = f"The build stopped. It appears {n} times in the log."
        workspace.notes.add("home", text, title=f"Build {n}", source="log_learning", author="person", embed=False)
    assert kinds(workspace) == []


def test_dates_and_budgets_of_two_meetings_about_one_thing_contradict(workspace: Workspace) -> None:
    text = "- 新品的上市日期定为 2027 年 {month} 月 {day} 日。\n- 市场预算 {n} 万元。\n"
    add(workspace, "会议 2026-11-10 新品发布", text.format(month=1, day=15, n=80))
    add(workspace, "会议 2026-11-24 新品发布复盘", text.format(month=3, day=1, n=65))
    assert len(the(workspace, "contradiction").quotes) == 4


def test_a_note_that_replaces_another_does_not_contradict_it(workspace: Workspace) -> None:
    add(workspace, "Bread", OVEN.format(n=220))
    add(workspace, "Bread anew", OVEN.format(n=240), supersedes=["Bread"])
    assert [kind for kind, _ in kinds(workspace)] == ["superseded"]


def test_what_is_let_be_comes_back_when_it_changes_and_what_is_put_off_when_taken_back(workspace: Workspace) -> None:
    first = add(workspace, "Salt", "Salt the dough before it rests.\n")
    add(workspace, "Salt again", "Salt the dough before it rests.\n")
    copy = the(workspace, "copy")
    workspace.review.let_be([copy.key])
    assert kinds(workspace) == []
    workspace.notes.update(first, body="salt the dough before it rests.\n", author="person", embed=False)
    assert the(workspace, "copy").key != copy.key
    workspace.review.postpone([the(workspace, "copy").key])
    assert kinds(workspace) == []
    workspace.review.reopen([copy.key])
    assert kinds(workspace) == []


def test_a_new_note_is_added_to_another_and_only_as_it_was_seen(workspace: Workspace) -> None:
    bread = add(workspace, "Bread", "Bread.\n")
    thyme = workspace.proposals.add("home", "Thyme is fine.", title="Thyme")
    seen = the(workspace, "note")
    workspace.proposals.update(thyme.id, body="Thyme is good.")
    with pytest.raises(Conflict):
        workspace.review.merge(seen, bread)
    assert workspace.notes.get(bread).body == "Bread.\n"
    workspace.review.merge(the(workspace, "note"), bread)
    assert workspace.notes.get(bread).body == "Bread.\n\nThyme is good.\n"
    assert [one.version.title for one in workspace.trash.all()] == ["Thyme"]
    workspace.proposals.update(bread, body="Else.\n")
    with pytest.raises(EditError):
        workspace.review.merge(the(workspace, "change"), bread)
    with pytest.raises(EditError):
        workspace.review.get("note-000000000000")


def test_a_refused_passage_waits_also_where_its_time_cannot_be_read(workspace: Workspace) -> None:
    add(workspace, "Bread", "Bread.\n")
    database = workspace.store.database
    for statement in (
        "INSERT INTO refusals (id, fingerprint, text_hash, reason, at) VALUES (1, 'f', x'00', '{}', 'never')",
        "INSERT INTO refused_chunks SELECT rowid, 1 FROM chunks",
    ):
        database.execute(statement)
    refused = the(workspace, "refused")
    assert (refused.title, refused.at, workspace.review.counts().total()) == ("Bread", None, 1)
