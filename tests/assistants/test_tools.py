"""The tools through the real client, over stdio and over HTTP, beside the open app."""

from pathlib import Path
from typing import Any

from tests.assistants.conftest import CHINESE, Assistant

PARAMETERS = {
    "knowledge_list": set(),
    "knowledge_text_search": {"knowledge_base", "keyword", "max_lines", "max_chars"},
    "knowledge_semantic_search": {"knowledge_base", "query", "top_k", "neighbours"},
    "knowledge_query": {"knowledge_base", "query", "keywords", "limit", "neighbours"},
    "knowledge_context": {"query", "budget", "bases", "tags", "filters", "neighbours"},
    "knowledge_answer": {"query", "bases", "tags", "filters", "with_model"},
    "knowledge_retrieve": {"query", "context", "bases", "limit", "neighbours"},
    "note_read": {"note"},
    "note_list": {"bases", "tags", "filters", "text", "limit"},
    "note_add": {"text", "base", "source", "source_ref", "created_by", "metadata", "fields"},
    "log_learn": {"base", "text", "events", "name", "parser", "with_model"},
    "note_update": {"note", "text", "fields", "expected_version"},
    "note_move": {"notes", "folder", "expected_version"},
    "note_history": {"note"},
    "note_related": {"note"},
    "concept_list": {"base", "limit"},
    "concept_notes": {"concepts", "base"},
    "concept_way": {"note", "to"},
    "note_difference": {"note", "first", "second"},
    "note_used": {"note", "used_in", "context", "helpful", "chunk"},
    "note_take_back": {"note", "used_in", "context", "chunk"},
    "note_clicked": {"note", "question", "kind", "chunk"},
    "note_forget_clicks": {"note"},
}
DEEP = "tessera://%E7%AC%94%E8%AE%B0/%E8%AF%BB%E4%B9%A6/%E6%B7%B1%E5%BA%A6%20%E5%AD%A6%E4%B9%A0.md"


def test_the_tools_have_their_names_and_parameters(assistant: Assistant) -> None:
    tools = assistant.portal.call(assistant.client.list_tools).tools
    assert {tool.name: {*tool.input_schema.get("properties", {})} for tool in tools} == PARAMETERS
    assert all(tool.description for tool in tools)
    assert {tool.name for tool in tools if not tool.annotations.read_only_hint} == {
        "note_add",
        "note_update",
        "note_move",
        "log_learn",
        "note_used",
        "note_take_back",
        "note_clicked",
        "note_forget_clicks",
    }


def test_bases_are_listed_by_name_with_kind_notes_and_description(assistant: Assistant) -> None:
    result = assistant.call("knowledge_list")
    assert result.content[0].text == '["kitchen", "笔记"]'
    assert result.structured_content["result"][1] == {"name": "笔记", "kind": "vector", "notes": 2, "description": ""}


def test_an_unknown_base_lists_the_bases(assistant: Assistant) -> None:
    for tool, arguments in (
        ("knowledge_text_search", {"knowledge_base": "garden", "keyword": "a"}),
        ("knowledge_semantic_search", {"knowledge_base": "garden", "query": "a"}),
        ("knowledge_query", {"knowledge_base": "garden", "query": "a"}),
        ("knowledge_context", {"query": "a", "bases": ["garden"]}),
        ("knowledge_answer", {"query": "a", "bases": ["garden"]}),
        ("note_list", {"bases": ["garden"]}),
        ("note_add", {"text": "a", "base": "garden"}),
    ):
        said = assistant.refused(tool, **arguments)
        assert all(name in said for name in ("garden", "kitchen", "笔记")), said


def test_wrong_arguments_are_named(assistant: Assistant) -> None:
    wrong = assistant.refused("knowledge_text_search", knowledge_base="kitchen", max_lines="b")
    assert wrong == "keyword: it is missing; max_lines: it must be a whole number"
    assert "no option 'colour'" in assistant.refused("knowledge_list", colour="red")
    assert "at least 1" in assistant.refused("knowledge_query", knowledge_base="kitchen", query="oven", limit=0)
    assert "isn't a filter" in assistant.refused("note_list", filters=["baking"])


def test_text_is_found_by_line_in_any_case_and_either_script(assistant: Assistant) -> None:
    lines = assistant.items("knowledge_text_search", knowledge_base="kitchen", keyword="oven")
    assert lines == [
        {"source": "ovens/bread.md", "line": 7, "content": "Heat the Oven first."},
        {"source": "ovens/bread.md", "line": 9, "content": "The OVEN steams."},
    ]
    for keyword in ("循环网络处理", "循環網絡處理"):
        lines = assistant.items("knowledge_text_search", knowledge_base="笔记", keyword=keyword)
        assert lines == [{"source": "读书/深度 学习.md", "line": 8, "content": "循环網絡處理。"}]


def test_long_results_are_bounded_and_say_so(assistant: Assistant) -> None:
    def said(**most: int) -> tuple[str, str]:
        first, *remarks = assistant.call("knowledge_text_search", knowledge_base="kitchen", **most).content
        return first.text, " ".join(remark.text for remark in remarks)

    assert "left out: 1" in said(keyword="oven", max_lines=1)[1]
    assert "left out: 1" in said(keyword="oven", max_chars=30)[1]
    text, remarks = said(keyword="ballast")
    assert 2000 < len(text) < 2100
    assert "64000 characters" in remarks
    note = assistant.call("note_read", note="wide.md")
    assert len(note.structured_content["content"]) == 50_000
    assert "64008 characters" in note.content[1].text


def test_passages_are_found_by_meaning(assistant: Assistant) -> None:
    found = assistant.items("knowledge_semantic_search", knowledge_base="kitchen", query="quarterly budget", top_k=1)
    assert [{*one} for one in found] == [{"content", "source", "relevance"}]
    assert found[0]["source"] == "plan.md"
    assert "due in March" in found[0]["content"]
    assert 0 < found[0]["relevance"] <= 1


def test_each_keyword_is_asked_by_itself(assistant: Assistant) -> None:
    found = assistant.items("knowledge_query", knowledge_base="kitchen", keywords=["supplier", "steams"], limit=2)
    assert {one["document"] for one in found} == {"plan.md", "ovens/bread.md"}
    assert {*found[0]} == {"document", "section", "chunk_index", "score", "embedding_model", "content"}
    assert found[0]["embedding_model"] == "tfidf"
    both = assistant.items("knowledge_query", knowledge_base="笔记", query="注意力机制")
    assert (both[0]["document"], both[0]["section"], both[0]["chunk_index"]) == ("日记/一月.md", "一月", 0)


def test_without_a_question_the_notes_are_those_that_were_changed_last(assistant: Assistant) -> None:
    assert {one["document"] for one in assistant.items("knowledge_query", knowledge_base="笔记")} == {*CHINESE}
    assert len(assistant.items("knowledge_query", knowledge_base="kitchen", keywords=[" "], limit=2)) == 2


def test_an_answer_is_quoted_with_its_source(assistant: Assistant) -> None:
    answer = assistant.call("knowledge_answer", query="what steams in the oven?", tags=["baking"]).structured_content
    assert answer["answered"] != "no"
    assert [one["number"] for one in answer["sentences"]] == [one["number"] for one in answer["citations"]]
    (cited,) = [one for one in answer["citations"] if "The OVEN steams." in one["quote"]]
    assert (cited["path"], cited["end"] - cited["start"]) == ("ovens/bread.md", len(cited["quote"]))
    assert "The OVEN steams." in answer["sentences"][cited["number"] - 1]["marked"]


def test_a_language_model_answers_where_one_is_set_up(assistant: Assistant) -> None:
    arguments = {"query": "what steams in the oven?", "with_model": True}
    assert "No model server is set up" in assistant.refused("knowledge_answer", **arguments)


def test_a_context_has_numbered_citations_within_its_filters(assistant: Assistant) -> None:
    context = assistant.call("knowledge_context", query="oven steam budget", budget=500, tags=["baking"])
    assert context.content[0].text.startswith("[1] <note> Bread (ovens/bread.md)\n")
    assert [one["source"] for one in context.structured_content["citations"]] == ["ovens/bread.md"]
    chinese = assistant.call("knowledge_context", query="卷积网络", bases=["笔记"], filters=["in:深度"])
    assert [one["base"] for one in chinese.structured_content["citations"]] == ["笔记"]
    unsure = assistant.call("knowledge_context", query="zebra crossings", bases=["笔记"])
    assert "hardly answer" in unsure.content[-1].text


def test_a_note_is_read_by_id_path_title_and_address(assistant: Assistant) -> None:
    note = assistant.items("note_read", note="深度学习")
    assert [note[name] for name in ("title", "base", "address")] == ["深度学习", "笔记", DEEP]
    assert "卷积" in note["content"]
    for name in (note["id"], note["path"], note["address"]):
        assert assistant.items("note_read", note=name) == note
    assert "no note 'none'" in assistant.refused("note_read", note="none")


def test_notes_are_listed_by_filters(assistant: Assistant) -> None:
    def paths(**chosen: Any) -> list[str]:
        return [note["path"] for note in assistant.items("note_list", filters=["status:active"], **chosen)]

    assert paths(bases=["kitchen"], limit=2) == ["ovens/bread.md", "plan.md"]
    assert paths(tags=["baking"]) == ["ovens/bread.md"]
    assert paths(text="一月") == ["日记/一月.md"]


def test_notes_are_resources(assistant: Assistant) -> None:
    portal, client = assistant.portal, assistant.client
    listed = {str(resource.uri): resource for resource in portal.call(client.list_resources).resources}
    assert "tessera://kitchen/ovens/bread.md" in listed
    assert (listed[DEEP].name, listed[DEEP].title) == ("读书/深度 学习.md", "深度学习")
    assert portal.call(client.read_resource, DEEP).contents[0].text.startswith("# 深度\r\n")
    wide = portal.call(client.read_resource, "tessera://kitchen/wide.md").contents
    assert "shortened" in wide[1].text
    templates = portal.call(client.list_resource_templates).resource_templates
    assert [template.uri_template for template in templates] == ["tessera://{base}/{+path}"]


def test_what_is_written_waits_for_the_person(assistant: Assistant, shared: tuple[Path, str]) -> None:
    text = "# 面包计划\n\nSourdough starter 每天喂养。"
    added = assistant.items("note_add", text=text, base="kitchen", fields={"tags": ["新"], "priority": 2})
    assert (added["status"], added["version"]) == ("pending", 1)
    note = assistant.items("note_read", note=added["id"])
    assert (note["title"], note["tags"], note["priority"], note["content"]) == ("面包计划", ["新"], 2, text)
    assert assistant.items("knowledge_text_search", knowledge_base="kitchen", keyword="sourdough") == []
    changed = assistant.items("note_update", note=added["id"], text=f"{text}\n\n再写一行。")
    assert (changed["status"], changed["version"]) == ("pending", 2)
    proposed = assistant.items("note_update", note="plan.md", fields={"tags": ["work"]})
    assert proposed["status"] == "pending"
    assert assistant.items("note_read", note="plan.md")["tags"] == []
    assert "version" in assistant.refused("note_update", note=added["id"], text="x", expected_version=1)
    assert "fields.colour" in assistant.refused("note_update", note="plan.md", fields={"colour": "red"})
