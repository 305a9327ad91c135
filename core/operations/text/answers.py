"""Output about written answers for people."""

from collections.abc import Sequence
from typing import Protocol

from core.base.messages import Message
from core.base.terminal import say
from core.model import MARKS, Mark


class WrittenText(Protocol):
    """A sentence that a language model wrote."""

    @property
    def text(self) -> str: ...
    @property
    def citations(self) -> Sequence[int]: ...
    @property
    def mark(self) -> Mark: ...
    @property
    def explanation(self) -> Message | None: ...


def format_sentence(sentence: WrittenText) -> str:
    """Return a sentence with its numbers, or indented without any, and how far it rests on the notes."""
    mark = say(MARKS[sentence.mark])
    if sentence.explanation:
        return f"  {sentence.text} ({mark}: {say(sentence.explanation)})"
    return f"{sentence.text} {''.join(f'[{number}]' for number in sentence.citations)} ({mark})"
