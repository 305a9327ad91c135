"""Uses and clicks are recorded, reported and shown through each door."""

from typing import Any

from typer.testing import CliRunner

from core.doors import cli
from core.doors.assistants import server
from core.doors.assistants.stdio import WriteCalls
from core.workspace import Workspace
from tests.doors.programs import Doors
from tests.doors.test_searches import BASE, workspace

__all__ = ["workspace"]


def test_a_use_is_reported_shown_and_taken_back_through_each_door(workspace: Workspace) -> None:
    doors, note = Doors(workspace), workspace.notes.find("pond").id
    use = {"used_in": "notebook", "context": "cell 3", "helpful": 1}
    assert doors.http("POST", f"/v1/notes/{note}/uses", json=use)["times"] == 1
    assert doors.tool("note_used", note="pond", **use | {"helpful": -1})["times"] == 2
    shown = doors.http("GET", f"/v1/notes/{note}/uses")
    assert (shown["used"], shown["helpful"], shown["misleading"]) == (2, 0, 1)
    assert doors.command("note", "uses", "pond") == shown
    assert [(one["used_in"], one["context"], one["helpful"]) for one in shown["uses"]] == [("notebook", "cell 3", -1)]
    assert doors.tool("note_take_back", note="pond", used_in="notebook", context="cell 3")["misleading"] == 0
    refused: Any = server.run(lambda: workspace, "note_used", {"note": "pond", "used_in": "x", "helpful": 2})
    assert refused.is_error
    workspace.uses.report(note, "notebook", "cell 3", helpful=0)
    gone = doors.http("DELETE", f"/v1/notes/{note}/verdict", params={"used_in": "notebook", "context": "cell 3"})
    assert (gone["not_helpful"], gone["used"]) == (0, 3)


def test_commands_that_write_report_forget_and_take_back(workspace: Workspace) -> None:
    folder, note = workspace.store.folder, workspace.notes.find("pond").id
    workspace.close()

    def run(*arguments: str) -> str:
        done = CliRunner().invoke(cli.app, [*arguments, "--workspace", str(folder)])
        assert done.exit_code == 0, done.output
        return done.stdout

    assert "helpful" in run("note", "used", note, "--used-in", "desk", "--context", "why", "--helpful", "1")
    assert "Found 0 times, used 1 time. Verdicts: 1 helpful, 0 not helpful" in run("note", "uses", "pond")
    assert "Verdicts: 0 helpful" in run("note", "take-back", "pond", "--used-in", "desk", "--context", "why")
    assert "1 record of use was deleted." in run("note", "forget-uses", "pond")


def test_what_programs_find_cite_and_read_is_recorded(workspace: Workspace) -> None:
    doors, note = Doors(workspace), workspace.notes.find("pond").id
    asked = {"query": "heron stands at the pond", "bases": [BASE]}
    doors.http("POST", "/v1/search", json=asked)
    doors.http("POST", "/notes/search/complex", json={"query": asked["query"]})
    doors.tool("knowledge_query", knowledge_base=BASE, query=asked["query"])
    doors.tool("knowledge_retrieve", query=asked["query"])
    assert workspace.uses.figures(note).found == 4
    doors.http("POST", "/v1/context", json=asked)
    server.run(lambda: workspace, "knowledge_context", {"query": asked["query"]})
    doors.http("GET", f"/v1/notes/{note}")
    doors.tool("note_read", note="pond")
    quoted = doors.http("POST", "/v1/answer", json={"query": "where does a heron stand at the pond?"})
    counted = {use.used_in: use.times for use in workspace.uses.of(note)}
    answers = {"answer": 1} if note in [one["note_id"] for one in quoted["citations"]] else {}
    assert counted == {"found": 4, "context": 2, "read": 2} | answers


def test_a_process_that_reads_hands_its_uses_to_one_that_writes(workspace: Workspace) -> None:
    folder, note = workspace.store.folder, workspace.notes.find("pond").id
    workspace.close()
    with Workspace(folder, readonly=True) as reading:
        calls = WriteCalls(folder, lambda: reading)
        reading.uses.hand_to(calls.record, 0.01)
        server.run(lambda: reading, "note_read", {"note": "pond"})
        reading.uses.flush()
        assert [use.used_in for use in reading.uses.of(note)] == ["read"]


def test_clicks_are_recorded_listed_and_forgotten_through_each_door(workspace: Workspace) -> None:
    doors, note, question = Doors(workspace), workspace.notes.find("pond").id, "where is the heron"
    click = {"question": question, "kind": "open"}
    assert doors.refused("POST", f"/v1/notes/{note}/clicks", json=click) == 422
    off: Any = server.run(lambda: workspace, "note_clicked", {"note": "pond", **click})
    assert "aren't recorded" in off.content[0].text
    assert doors.http("GET", "/v1/clicks")["clicks"] == []
    workspace.clicks.enable(True)
    assert doors.http("POST", f"/v1/notes/{note}/clicks", json=click)["note_id"] == note
    assert doors.tool("note_clicked", note="pond", question=question, kind="cite")["kind"] == "cite"
    wrong: Any = server.run(lambda: workspace, "note_clicked", {"note": "pond", "question": question, "kind": "lick"})
    assert wrong.is_error
    listed = doors.http("GET", "/v1/clicks", params={"note": "pond"})
    assert [one["kind"] for one in listed["clicks"]] == ["cite", "open"]
    assert doors.command("click", "list") == listed
    assert doors.http("GET", "/v1/clicks", params={"note": "roof"})["clicks"] == []
    raised = doors.http("POST", "/v1/search", json={"query": question, "bases": [BASE]})["hits"]
    assert next(one for one in raised if one["note_id"] == note)["scores"]["clicks"] > 0
    assert doors.tool("note_forget_clicks", note="pond")["clicks"] == 2
    doors.tool("note_clicked", note="pond", **click)
    assert doors.http("DELETE", f"/v1/notes/{note}/clicks")["clicks"] == 1
    doors.tool("note_clicked", note="pond", **click)
    assert doors.http("DELETE", "/v1/clicks")["clicks"] == 1


def test_commands_record_list_and_forget_clicks(workspace: Workspace) -> None:
    folder, note = workspace.store.folder, workspace.notes.find("pond").id
    workspace.clicks.enable(True)
    workspace.close()

    def run(*arguments: str) -> str:
        done = CliRunner().invoke(cli.app, [*arguments, "--workspace", str(folder)])
        assert done.exit_code == 0, done.output
        return done.stdout

    clicked = ("note", "clicked", "pond", "--question", "where is\nthe heron", "--kind")
    assert run(*clicked, "copy") == "The click was recorded.\n"
    assert f"{note}  copied  where is the heron" in run("click", "list", "--note", "pond")
    assert "1 recorded click was deleted." in run("note", "forget-clicks", "pond")
    run(*clicked, "cite")
    assert "1 recorded click was deleted." in run("click", "forget")
    assert "There are no records." in run("click", "list")
