"""The tools as a server of the Model Context Protocol; its descriptions are what an assistant reads."""

import json
from collections.abc import Callable
from importlib.metadata import version
from typing import Annotated, Any, TypeVar

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult, TextContent
from pydantic import Field

from core.assistants.tools import Answer, Tools
from core.errors import TesseraError

NAME = "tessera"
Result = TypeVar("Result")
_INSTRUCTIONS = (
    "The person's own notes. Begin with knowledge_list. knowledge_query finds by meaning and by words, "
    "knowledge_text_search exact text with line numbers; knowledge_context gives passages to cite by number. "
    "What you write waits until the person accepts it."
)

Base = Annotated[str, Field(description="Name of the knowledge base, as knowledge_list gives it")]
Names = Annotated[list[str] | None, Field(description="Only these bases")]
Tags = Annotated[list[str] | None, Field(description="Only notes that have all these tags")]
Terms = Annotated[
    list[str] | None, Field(description='Filters such as "type:guide", "priority:>=2", "after:2026-01-31"')
]
NoteName = Annotated[str, Field(description="The note's id, path or title")]


def make(tools: Callable[[], Tools]) -> MCPServer[Any]:
    """Return the server; `tools` is called for each use, for a workspace may be opened late."""
    server: MCPServer[Any] = MCPServer(NAME, version=version("tessera-notes"), instructions=_INSTRUCTIONS)
    _reading(server, tools)
    _searching(server, tools)
    _writing(server, tools)
    return server


def _reading(server: MCPServer[Any], tools: Callable[[], Tools]) -> None:
    @server.tool()
    def knowledge_list() -> CallToolResult:
        """List the person's knowledge bases by name."""
        bases = _checked(lambda: tools().bases())
        return CallToolResult(
            content=[_text("\n".join(base["name"] for base in bases))], structured_content={"bases": bases}
        )

    @server.tool()
    def note_read(note: NoteName) -> CallToolResult:
        """Read a whole note with its fields. Very long notes are shortened, and say so."""
        return _one(lambda: tools().read(note))

    @server.tool()
    def note_list(
        bases: Names = None, tags: Tags = None, filters: Terms = None, text: str = "", limit: int = 50
    ) -> CallToolResult:
        """List notes without their texts: those that pass the filters and have `text` in their title or path."""
        chosen = {"bases": bases or (), "tags": tags or (), "terms": filters or ()}
        return _many(lambda: tools().notes(chosen, text, limit))

    @server.resource("tessera://{base}/{+path}", mime_type="text/markdown")
    def note(base: str, path: str) -> str:
        """A note's Markdown, by its base and its path in it."""
        return _checked(lambda: tools().text(base, path))


def _searching(server: MCPServer[Any], tools: Callable[[], Tools]) -> None:
    @server.tool()
    def knowledge_text_search(
        knowledge_base: Base, keyword: str, max_lines: int = 20, max_chars: int = 2000
    ) -> CallToolResult:
        """Find the lines of a base that hold a text, in any case, with the line numbers of the source."""
        return _many(lambda: tools().lines(knowledge_base, keyword, max_lines, max_chars))

    @server.tool()
    def knowledge_semantic_search(knowledge_base: Base, query: str, top_k: int = 5) -> CallToolResult:
        """Find the passages of a base that are nearest to a question in meaning, in any language."""
        return _many(lambda: tools().semantic(knowledge_base, query, top_k))

    @server.tool()
    def knowledge_query(
        knowledge_base: Base,
        query: str = "",
        keywords: Annotated[list[str] | None, Field(description="Each is searched for by itself")] = None,
        limit: int = 10,
    ) -> CallToolResult:
        """Find the best passages of a base for a question, or for each of some keywords, by meaning and words."""
        return _many(lambda: tools().query(knowledge_base, [query, *(keywords or ())], limit))

    @server.tool()
    def knowledge_context(
        query: str,
        budget: Annotated[int, Field(description="Length in tokens, at most")] = 2000,
        bases: Names = None,
        tags: Tags = None,
        filters: Terms = None,
    ) -> CallToolResult:
        """Get the passages that answer a question as one text with numbered citations, to answer from."""
        chosen = {"bases": bases or (), "tags": tags or (), "terms": filters or ()}
        return _one(lambda: tools().context(query, budget, chosen))


def _writing(server: MCPServer[Any], tools: Callable[[], Tools]) -> None:
    @server.tool()
    def note_add(
        knowledge_base: Base,
        text: Annotated[str, Field(description="The note in Markdown")],
        title: str | None = None,
        tags: list[str] | None = None,
        type: str | None = None,
        category: str | None = None,
        project: str | None = None,
        scope: str | None = None,
        priority: int | None = None,
        expires_at: Annotated[str | None, Field(description="A date such as 2026-01-31")] = None,
    ) -> CallToolResult:
        """Write a new note into a base. It is `pending`, and not found, until the person accepts it."""
        fields = {
            "title": title,
            "tags": tags,
            "type": type,
            "category": category,
            "project": project,
            "scope": scope,
            "priority": priority,
            "expires_at": expires_at,
        }
        return _one(lambda: tools().add(knowledge_base, text, fields))

    @server.tool()
    def note_update(
        note: NoteName,
        text: Annotated[str | None, Field(description="The whole new text; left out, it stays")] = None,
        expected_version: Annotated[int | None, Field(description="The version that you read")] = None,
        title: str | None = None,
        tags: list[str] | None = None,
        type: str | None = None,
        category: str | None = None,
        project: str | None = None,
        scope: str | None = None,
        priority: int | None = None,
        expires_at: str | None = None,
    ) -> CallToolResult:
        """Change a note's text or fields. The change is `pending` until the person accepts it."""
        fields = {
            "title": title,
            "tags": tags,
            "type": type,
            "category": category,
            "project": project,
            "scope": scope,
            "priority": priority,
            "expires_at": expires_at,
        }
        return _one(lambda: tools().update(note, text, expected_version, fields))


def _checked(act: Callable[[], Result]) -> Result:
    """Return a result; what is wrong is an error of the tool, which the assistant reads."""
    try:
        return act()
    except TesseraError as error:
        raise ToolError(str(error)) from error


def _one(act: Callable[[], dict[str, Any]]) -> CallToolResult:
    value = _checked(act)
    return CallToolResult(content=[_json(value)], structured_content=value)


def _many(act: Callable[[], Answer]) -> CallToolResult:
    """Return results as a list; what was left out is said behind it."""
    answer = _checked(act)
    content = [_json(answer.items)]
    if answer.left_out:
        content.append(_text(f"{answer.left_out} more results are left out. Ask more narrowly, or for more at a time."))
    if answer.shortened:
        content.append(_text("The last content is shortened."))
    structured = {"result": answer.items, "left_out": answer.left_out}
    return CallToolResult(content=[*content], structured_content=structured)


def _json(value: object) -> TextContent:
    return _text(json.dumps(value, ensure_ascii=False))


def _text(text: str) -> TextContent:
    return TextContent(type="text", text=text)
