"""Prompts that a model expects before a text, from its folder or from the model family in its name."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.model import Role

NOTE_KEYS = ("document", "passage", "corpus")
"""Prompt keys of a note, in the order in which encode_document of sentence-transformers tries them."""

_WEB_SEARCH = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"


@dataclass(frozen=True, slots=True)
class Family:
    """Models trained with the same prompts.

    `pattern` matches a lower-case name with spaces in place of its punctuation. `card` is the model on huggingface.co
    whose card states the prompts.
    """

    pattern: str
    query: str
    note: str
    card: str


FAMILIES = (
    Family(r"\be5\b.*\binstruct\b", f"{_WEB_SEARCH} ", "", "intfloat/multilingual-e5-large-instruct"),
    Family(r"\be5\b", "query: ", "passage: ", "intfloat/multilingual-e5-base"),
    Family(r"\bbge\b.*\bzh\b", "为这个句子生成表示以用于检索相关文章：", "", "BAAI/bge-large-zh-v1.5"),
    Family(
        r"\bbge\b.*\ben\b(?! icl)",
        "Represent this sentence for searching relevant passages: ",
        "",
        "BAAI/bge-large-en-v1.5",
    ),
    Family(r"\bbge m3\b", "", "", "BAAI/bge-m3"),
    Family(r"\bqwen3 embedding\b", _WEB_SEARCH, "", "Qwen/Qwen3-Embedding-0.6B"),
    Family(r"\bgte\b", "", "", "thenlper/gte-base"),
)
"""The first match counts. A model outside these families, such as all-MiniLM-L6-v2, has no prompts."""


def model_prompts(config: Mapping[str, Any], name: str) -> dict[Role, str]:
    """Return the prompts in a model's config_sentence_transformers.json, or those of its family if it states none."""
    stated: Mapping[str, str] = config.get("prompts") or {}
    default = stated.get(config.get("default_prompt_name") or "") or ""
    configured: dict[Role, str] = {
        "query": stated.get("query") or default,
        "note": next((stated[key] for key in NOTE_KEYS if stated.get(key)), default),
    }
    if any(configured.values()):
        return configured
    plain = re.sub(r"[-_/.:]", " ", name.lower())
    match = next((family for family in FAMILIES if re.search(family.pattern, plain)), None)
    return {"query": match.query, "note": match.note} if match else {"query": "", "note": ""}
