"""The operations of users and programs on a workspace: one declaration for each, which every door reads."""

from collections.abc import Mapping
from importlib import import_module

from core.doors.operations.declaring import CommandGroup, Operation
from core.features import FEATURES

_STAGES = (
    "bases",
    "notes",
    "documents",
    "chunks",
    "search",
    "index",
    "models",
)
_MODULES = (
    *(f"core.doors.operations.{name}" for name in _STAGES),
    *(f"core.features.{name}.operations" for name in FEATURES),
    "core.doors.program.operations",
)

_DECLARED = [value for module in _MODULES for value in vars(import_module(module)).values()]

OPERATIONS: Mapping[str, Operation] = {value.name: value for value in _DECLARED if isinstance(value, Operation)}
"""All operations by their names, in the order of their modules."""

GROUPS = tuple(value for value in _DECLARED if isinstance(value, CommandGroup))
"""The groups of commands that features declare."""
