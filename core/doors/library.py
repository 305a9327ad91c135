"""The package imported by `import tessera`. It exports the names in `core`, each imported on first use."""

from typing import TYPE_CHECKING, Any

import core
from core import __all__ as __all__

if TYPE_CHECKING:
    from core import *


def __getattr__(name: str) -> Any:
    return getattr(core, name)
