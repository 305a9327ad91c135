"""Where a model runs, in which numbers, and whose turn it is."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock
from typing import Literal


@dataclass(frozen=True, slots=True)
class Device:
    """A torch device, the numbers it calculates in, and why, as a sentence for the person."""

    name: Literal["cuda", "mps", "cpu"]
    dtype: Literal["float32", "bfloat16"]
    reason: str


@dataclass(frozen=True, slots=True)
class Running:
    """A loaded model: where it runs, and how many bytes its weights take there."""

    device: Device
    bytes: int


def choose() -> Device:
    """Return the fastest device of this machine.

    bfloat16 doubles the speed of bulk embedding on processors that calculate in it, and moves
    multilingual-e5-small's vectors by a cosine of 0.997; elsewhere it is emulated and slower.
    """
    import torch

    if torch.cuda.is_available():
        if torch.cuda.is_bf16_supported():
            return Device("cuda", "bfloat16", "a graphics card that calculates in bfloat16")
        return Device("cuda", "float32", "a graphics card without bfloat16")
    if torch.backends.mps.is_available():
        return Device("mps", "float32", "the graphics unit of an Apple processor")
    # Older torch doesn't tell what the processor can do; float32 is right everywhere.
    capabilities: dict[str, object] = getattr(torch.cpu, "get_capabilities", dict)()
    for feature, spoken in (("amx_bf16", "AMX"), ("avx512_bf16", "AVX-512")):
        if capabilities.get(feature):
            return Device("cpu", "bfloat16", f"a processor that calculates in bfloat16 ({spoken})")
    return Device("cpu", "float32", "a processor without bfloat16")


class Turns:
    """One run of a model at a time, in the order they came for it."""

    def __init__(self) -> None:
        self._queue = Lock()
        self._running = Lock()

    @contextmanager
    def take(self) -> Iterator[None]:
        """Wait for the turn; a plain lock would let a loop of batches take it again and again."""
        with self._queue:
            self._running.acquire()
        try:
            yield
        finally:
            self._running.release()
