"""The words of the engine room stay off the screen: the guide's glossary has the plain ones."""

import re
from collections.abc import Iterator

from core.base.messages import render
from core.model import LOST, NOTICES, setting_value
from core.reranking import RERANKERS
from core.retrieval.reasons import _REASONS
from pages.ui.search.hits import RANKED
from tests import catalogues

ENGLISH = re.compile(
    r"\b(?:bundled|candidates?|considered and lost|cosine|cross.encoders?|cuts?|dimensions?|embed\w*|fus(?:e|ed|ion)|"
    r"harmful|hub|late.interaction|look what would change|lost|metrics?|nearness|parameters?|pending|pipelines?|pools?|"
    r"retriev\w+|score_threshold|short_doc_threshold|sigma|thresholds?|together|token bits|vectors?|weighted|"
    r"second looks?|re-check\w*|windows?|word.by.word check)\b|σ",
    re.IGNORECASE,
)
CHINESE = re.compile(
    "二次排序|复查|精查|逐词比对|按意思|词元位|窗口|新算|向量|嵌入|逐词元|落选|倒数名次|与偶然无法区分|余弦|阈值|流水线|您|被|σ"
)

TYPED = re.compile(
    r"\{[^}]*\}"  # a field, which code fills
    r"|'cross-encoder'|cross-encoder:\S+|weighted \("
    r"|embeddings \(meaning\)|embeddings, rerank"  # what a person types, or a server has
    r"|\(short_doc_threshold\)"  # the name of a setting behind its plain one
    r"|(?:has|have|that)? ?lost (?:its|their) place|Nothing is lost"  # what a person fears to lose
)
"""What may hold such a word: each with its reason."""


def texts() -> Iterator[tuple[str, str]]:
    """Every text of the screen, and its translation."""
    for one in catalogues.read("zh_CN"):
        if one.id:
            ids = one.id if isinstance(one.id, tuple) else (one.id,)
            strings = one.string if isinstance(one.string, tuple | list) else (one.string,)
            yield " / ".join(ids), " / ".join(strings)


def test_english_texts_have_no_words_of_the_engine_room() -> None:
    assert [(ENGLISH.findall(prose), text) for text, _ in texts() if ENGLISH.search(prose := TYPED.sub("", text))] == []


def test_chinese_texts_have_no_words_of_the_engine_room() -> None:
    assert [(CHINESE.findall(text), text) for _, text in texts() if CHINESE.search(TYPED.sub("", text))] == []


def test_the_pages_of_everyday_use_spell_out_reranking_in_chinese() -> None:
    names = (setting_value("reranker", name) for name in ("none", *RERANKERS))
    shown = (*LOST.values(), *NOTICES.values(), *_REASONS.values(), *RANKED.values(), *names)
    assert [text for text in (render(one, "zh_CN") for one in shown) if "重排" in text] == []
