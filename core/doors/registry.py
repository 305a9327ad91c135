"""The registry of operations on a workspace. Each operation is declared once for all interfaces."""

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING

from core.features import FEATURES

if TYPE_CHECKING:
    from core.operations.declaring import Operation

# Modules that declare operations.
MODULES = (
    *(f"core.operations.{name}" for name in ("bases", "notes", "documents", "search", "chunks", "models")),
    *(f"core.features.{name}.operations" for name in FEATURES),
    "core.operations.program",
)

# All operations by name, in the order of their modules. The modules are imported on first use.
OPERATIONS: "Mapping[str, Operation[object]]"


def __getattr__(name: str) -> object:
    if name != "OPERATIONS":
        raise AttributeError(name)
    from core.operations.declaring import Operation

    declared = [value for module in MODULES for value in vars(import_module(module)).values()]
    operations = globals()[name] = {value.name: value for value in declared if isinstance(value, Operation)}
    return operations
