"""Parsing of Model Context Protocol messages."""

import json

from mcp.shared.message import SessionMessage
from mcp_types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError
from mcp_types.jsonrpc import JSONRPCNotification, jsonrpc_message_adapter
from pydantic import ValidationError


def parse(data: bytes) -> SessionMessage:
    """Parse a line as a protocol message; for an invalid line, return the error to answer with."""
    line = data.decode("utf-8", "replace")
    message, code, text = None, INVALID_REQUEST, "The id is neither a string nor an integer"
    try:
        message = jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValidationError as invalid:
        wrong = invalid.errors()[0]
        is_json = wrong["type"] != "json_invalid"
        code, text = (code, "Invalid request") if is_json else (PARSE_ERROR, f"Parse error: {wrong['msg']}")
    try:
        given = json.loads(line)  # json accepts lone surrogates, so that the request gets an answer
    except (ValueError, RecursionError):
        given = None
    given = given if isinstance(given, dict) else {}
    if message and not (isinstance(message, JSONRPCNotification) and "id" in given):  # a request, by its id
        return SessionMessage(message)
    return error(code, text, given.get("id"))


def error(code: int, text: str, number: object = None) -> SessionMessage:
    """Return an error, with the id of its request if the id is valid in the protocol."""
    known = number if isinstance(number, str | int) and not isinstance(number, bool) else None
    return SessionMessage(JSONRPCError(jsonrpc="2.0", id=known, error=ErrorData(code=code, message=text)))
