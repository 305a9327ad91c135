"""A language model judges an answer by what a person wishes; code checks the form of what it says."""

import json
from typing import Annotated

from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError

from core.base.errors import ProviderError
from core.base.messages import message
from core.base.text import make_storable, one_line
from core.model import Agreement, Judgement, QuestionResult
from core.providers.chat import AGAIN, Chat
from core.providers.connection import Stop
from core.retrieval.llm_choice import shares

TASK = """You compare an answer with what a person wishes to read.
You are given JSON: "question", "wished" (the wished answer, empty where there is none), "passages" (the texts that \
hold the right answer), and "answer".
Judge only whether "answer" states what "wished" states, or without it what the passages say to the question. Other \
words, another language, another order and more detail are no fault; a wrong figure or name is one.
Reply with one JSON object only, such as
{"reason": "...", "verdict": "partly"}
"reason" is one or two sentences in the language of the question: what agrees, what is missing, what is wrong. \
"verdict" is "agrees", "partly" where a part is missing or wrong, or "no"."""
REASON = 500
"""Characters of a reason at most."""
_STARTS_TRIED = 64
"""Brackets, from the end of a reply, that are tried as the start of the judgement."""


class _Reply(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")

    reason: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=4 * REASON)]
    verdict: Agreement


def is_due(result: QuestionResult) -> bool:
    """Whether there is an answer to a question, and something to judge it by."""
    return bool(result.given and result.given.text and (result.wished or result.golds))


def judge(chat: Chat, result: QuestionResult, characters: int, stop: Stop) -> Judgement:
    """Return what a model says of the answer of a result, whose texts are sent up to so many characters.

    A reply in another form is asked for once more. What its server does wrong is the judgement's problem; raises
    Cancelled once `stop` says so.
    """
    assert result.given, "it is due"
    texts = [result.wished, result.given.text, *(gold.quote for gold in result.golds)]
    wished, answer, *passages = shares(texts, characters)
    asking = {"question": result.question, "wished": wished, "passages": passages, "answer": answer}
    try:
        for task in (TASK, TASK + AGAIN):
            if read := _parse_judgement(chat.reply(task, asking, stop)):
                return Judgement(read.verdict, one_line(make_storable(read.reason))[:REASON])
    except ProviderError as error:
        return Judgement(problem=error.message)
    return Judgement(problem=chat.server.unusable(message("didn't answer in the form that was asked for")).message)


def _parse_judgement(reply: str) -> _Reply | None:
    """Return the judgement that ends a reply, None where none does.

    What is before may be the model's reasoning; what is after or around an object makes it a quotation.
    """
    text = reply.rstrip(" \n\r\t`")
    end = len(text)
    for _ in range(_STARTS_TRIED):
        end = text.rfind("{", 0, end)
        if end < 0:
            return None
        try:
            return _Reply.model_validate(json.loads(text[end:]))
        except (ValueError, RecursionError, ValidationError):
            continue
    return None
