"""A language model behind an OpenAI-compatible chat server."""

from typing import Any

from core.config import LlmSettings
from core.errors import ProviderError
from core.providers import Server

ANSWER_BYTES = 1 << 20
"""An answer is some thousand characters, of a model that thinks aloud some hundred thousand."""


class Chat:
    """The model `model`, else the one of the settings; what it answers is to be checked, never trusted."""

    def __init__(self, settings: LlmSettings, model: str = "") -> None:
        """Raise ConfigError as Server does."""
        self.server = Server("llm", settings, model)
        self._options: dict[str, Any] = {"temperature": 0}

    def ask(self, task: str, material: str) -> str:
        """Return the answer to a task about its material, which is kept apart from it as another message.

        Raises ProviderError as Server.post does, and for an answer without text.
        """
        try:
            answer = self._post(task, material, self._options)
        except ProviderError as error:
            if error.status not in (400, 422) or not self._options:
                raise
            answer = self._post(task, material, {})
            self._options = {}  # models that reason take no temperature
        try:
            text = answer["choices"][0]["message"]["content"]
        except (KeyError, IndexError, TypeError):
            text = None
        if not isinstance(text, str) or not text.strip():
            raise self.server.unusable("answered without a text")
        return text

    def _post(self, task: str, material: str, options: dict[str, Any]) -> Any:
        messages = [{"role": "system", "content": task}, {"role": "user", "content": material}]
        body = {"model": self.server.model, "messages": messages, "stream": False, **options}
        return self.server.post("chat/completions", body, limit=ANSWER_BYTES)
