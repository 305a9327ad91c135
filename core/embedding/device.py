"""The device and number format of a model, and a fair lock for its runs."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from core.base.messages import message
from core.model import Device


def choose() -> Device:
    """Return the fastest device of this machine.

    bfloat16 doubles the speed of bulk embedding on processors that calculate in it. The cosine between
    multilingual-e5-small's vectors in bfloat16 and in float32 is 0.997. Other processors emulate bfloat16, which is
    slower than float32.
    """
    import torch

    if torch.cuda.is_available():
        if torch.cuda.is_bf16_supported():
            return Device("cuda", "bfloat16", message("this graphics card has fast half precision (bfloat16)"))
        return Device("cuda", "float32", message("this graphics card has no fast half precision (bfloat16)"))
    if torch.backends.mps.is_available():
        return Device("mps", "float32", message("the graphics part of an Apple processor"))
    # Older torch has no get_capabilities; float32 works on every processor.
    capabilities: dict[str, object] = getattr(torch.cpu, "get_capabilities", dict)()
    for feature, label in (("amx_bf16", "AMX"), ("avx512_bf16", "AVX-512")):
        if capabilities.get(feature):
            reason = message("this processor has fast half precision (bfloat16, {feature})", feature=label)
            return Device("cpu", "bfloat16", reason)
    return Device("cpu", "float32", message("this processor has no fast half precision (bfloat16)"))


class Turns:
    """A lock that runs a model for one thread at a time, first come, first served."""

    def __init__(self) -> None:
        self._queue = Lock()
        self._running = Lock()

    @contextmanager
    def take(self) -> Iterator[None]:
        """Wait for the turn. With a plain lock, a loop of batches could take it again before a waiting question."""
        with self._queue:
            self._running.acquire()
        try:
            yield
        finally:
            self._running.release()
