"""Threads that use one embedder from its first moment on."""

import threading
import time
from pathlib import Path

import pytest
from threadpoolctl import ThreadpoolController

from core.embedding import sentence
from core.embedding.sentence import Encoder, build


def test_a_thread_that_loads_and_one_that_reads_the_facts_do_not_wait_for_each_other(
    tiny_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An import resolves the model of its base while the notes of another are embedded."""
    loads, choose = threading.Event(), sentence.choose_device

    def slowly() -> object:
        loads.set()
        time.sleep(0.3)
        return choose()

    monkeypatch.setattr(sentence, "choose_device", slowly)
    embedder = build(str(tiny_folder))
    assert isinstance(embedder, Encoder)
    vars(embedder).pop("facts", None)
    threads = [
        threading.Thread(target=embedder.loaded, daemon=True),
        threading.Thread(target=lambda: loads.wait() and embedder.facts, daemon=True),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)


@pytest.mark.parametrize("before", [1, 2, 3])
def test_blas_runs_on_two_threads_at_most_and_on_no_more_than_it_had(tiny_folder: Path, before: int) -> None:
    pools = ThreadpoolController().select(internal_api="openblas")
    with pools.limit(limits=before):
        build(str(tiny_folder)).warm()
        assert {pool.num_threads for pool in pools.lib_controllers} <= {min(before, 2)}
