"""What was written is published once it is committed, to each subscriber once, in their order."""

import threading
from collections.abc import Iterator

import pytest

from core.base.frozen import frozen
from core.store import Store


@frozen
class Written:
    name: str


def _enter(store: Store) -> None:
    with store.changing:
        pass


class _Refused(Exception):
    pass


@pytest.fixture
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    store = Store(tmp_path_factory.mktemp("events"))
    yield store
    store.close()


@pytest.fixture
def calls(store: Store) -> list[str]:
    """The calls of three subscribers; each finds the transaction committed and the lock free for other threads."""
    calls: list[str] = []

    def subscriber(name: str) -> None:
        def take(event: Written) -> None:
            assert not store.database.connection.in_transaction
            thread = threading.Thread(target=_enter, args=[store], daemon=True)
            thread.start()
            thread.join(60)
            assert not thread.is_alive()
            calls.append(f"{name} {event.name}")
            if name == "second":
                raise LookupError(name)

        store.events.subscribe(Written, take)

    for name in ("first", "second", "third"):
        subscriber(name)
    return calls


EVERYBODY = ["first a", "second a", "third a"]
"""The second raises; the third is called nevertheless."""


def test_without_a_write_an_event_is_published_at_once(store: Store, calls: list[str]) -> None:
    store.events.publish(Written("a"))
    assert calls == EVERYBODY


@pytest.mark.parametrize("fails", [False, True])
@pytest.mark.parametrize("within", ["lock", "transaction", "transaction in the lock", "transaction before the end"])
def test_a_rolled_back_event_is_never_published(store: Store, calls: list[str], within: str, *, fails: bool) -> None:
    """What was committed is published also where the rest of the act fails."""

    def publish() -> None:
        for _ in range(2):  # equal events of one write are one
            store.events.publish(Written("a"))
        assert not calls

    def write() -> None:
        if within == "transaction":
            with store.database.write():
                publish()
                if fails:
                    raise _Refused
            return
        with store.changing:
            if within == "lock":
                publish()
            else:
                with store.database.write(), store.database.write():
                    publish()
                    if fails and within == "transaction in the lock":
                        raise _Refused
            assert not calls
            if fails:
                raise _Refused

    if fails:
        with pytest.raises(_Refused):
            write()
    else:
        write()
    rolled_back = fails and within in ("transaction", "transaction in the lock")
    assert calls == ([] if rolled_back else EVERYBODY)
    with store.changing, store.database.write():
        pass
    assert len(calls) == (0 if rolled_back else 3), "nothing is left for a later write"
