"""Prompts before a text."""

import pytest

from core.embedding import model_folder

ASK = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"


@pytest.mark.parametrize(
    ("name", "query", "note"),
    [
        ("intfloat/multilingual-e5-base", "query: ", "passage: "),
        ("my_e5_small", "query: ", "passage: "),
        ("intfloat/multilingual-e5-large-instruct", f"{ASK} ", ""),
        ("BAAI/bge-large-zh-v1.5", "为这个句子生成表示以用于检索相关文章：", ""),
        ("bge-small-en", "Represent this sentence for searching relevant passages: ", ""),
        ("BAAI/bge-en-icl", "", ""),
        ("BAAI/bge-m3", "", ""),
        ("bge-m3:latest", "", ""),
        ("thenlper/gte-base", "", ""),
        ("Qwen/Qwen3-Embedding-0.6B", ASK, ""),
        ("sentence-transformers/all-MiniLM-L6-v2", "", ""),
        ("distiluse-base-multilingual-cased-v2", "", ""),
        ("te5t", "", ""),
    ],
)
def test_a_name_implies_the_prompts_of_its_family(name: str, query: str, note: str) -> None:
    assert model_folder.model_prompts({}, name) == {"query": query, "note": note}


@pytest.mark.parametrize(
    ("config", "query", "note"),
    [
        ({"prompts": {"query": "ask: ", "passage": "tell: "}}, "ask: ", "tell: "),
        ({"prompts": {"query": "ask: ", "document": "", "corpus": "tell: "}}, "ask: ", "tell: "),
        ({"prompts": {"document": "tell: "}}, "", "tell: "),
        ({"prompts": {"STS": "same: "}, "default_prompt_name": "STS"}, "same: ", "same: "),
        ({"prompts": {"query": "ask: ", "STS": "same: "}, "default_prompt_name": "STS"}, "ask: ", "same: "),
        ({"prompts": {"query": "", "document": ""}, "default_prompt_name": None}, "query: ", "passage: "),
        ({"prompts": {"STS": "same: "}}, "query: ", "passage: "),
        ({"prompts": None}, "query: ", "passage: "),
    ],
)
def test_prompts_in_the_folder_override_the_family(config: dict[str, object], query: str, note: str) -> None:
    assert model_folder.model_prompts(config, "multilingual-e5-small") == {"query": query, "note": note}
