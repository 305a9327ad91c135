"""The length of the passages in a request to a language model."""

import re
from collections.abc import Sequence

import httpx

from core.base.text import CJK
from core.model import Hit
from core.providers.connection import is_this_machine
from core.settings.sections import LlmSettings

LOCAL_TOKENS = 2_200
"""Tokens of passages for a server on this machine. Ollama and LM Studio read 4,096 tokens in all by default; what is
more, the first cuts away with the task, and the second refuses. The rest is for the task, the marks of JSON, and what
the model writes."""
LATIN, IDEOGRAPH = 0.27, 0.75
"""Tokens of a character, rather too many than too few: of any but CJK, and of CJK."""

_IDEOGRAPH = re.compile(f"[{CJK}]")


def characters(llm: LlmSettings, hits: Sequence[Hit]) -> int:
    """Return how many characters of the hits a request may hold: the setting, by default less on this machine."""
    if "input_characters" in llm.model_fields_set or not _is_here(llm.base_url):
        return llm.input_characters
    text = "".join(hit.chunk.text for hit in hits)
    share = len(_IDEOGRAPH.findall(text)) / max(1, len(text))
    return min(llm.input_characters, round(LOCAL_TOKENS / (share * IDEOGRAPH + (1 - share) * LATIN)))


def _is_here(url: str) -> bool:
    try:
        return is_this_machine(httpx.URL(url).host)
    except httpx.InvalidURL:  # in a file; the request says so
        return False
