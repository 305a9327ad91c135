"""Jobs: progress, cancellation, results and errors."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from core.base.errors import Cancelled, ModelError, SourceError
from core.base.jobs import Busy, Jobs
from core.model import Progress
from tests.waiting import wait_until


def test_a_job_has_its_progress_and_its_result() -> None:
    jobs, reported, go = Jobs(), threading.Event(), threading.Event()

    def work(progress: Progress) -> int:
        progress(1, 4, "first")
        reported.set()
        go.wait(60)
        return 42

    assert jobs.start("count", work)
    reported.wait(60)
    job = jobs.find("count")
    assert job is not None
    assert (job.state, job.share, job.what) == ("running", 0.25, "first")
    assert not jobs.start("count", work)
    go.set()
    job = jobs.wait("count", 5)
    assert job is not None
    assert (job.state, job.result) == ("done", 42)


def test_a_cancel_stops_at_the_next_step() -> None:
    jobs, steps, started = Jobs(), [], threading.Event()

    def work(progress: Progress) -> None:
        for step in range(10_000):
            progress(step, 10_000, "")
            steps.append(step)
            started.set()

    jobs.start("long", work)
    started.wait(60)
    jobs.cancel("long")
    job = jobs.wait("long", 5)
    assert job is not None
    assert job.state == "cancelled"
    assert len(steps) < 10_000


def test_a_failed_job_has_its_error() -> None:
    jobs = Jobs()

    def work(progress: Progress) -> None:
        raise SourceError("a.md", "This file is empty.")

    jobs.start("read", work)
    job = jobs.wait("read", 5)
    assert job is not None
    assert (job.state, str(job.error)) == ("failed", "a.md: This file is empty.")
    assert isinstance(job.error, SourceError)


def test_a_bug_is_reported_and_logged(caplog: pytest.LogCaptureFixture) -> None:
    jobs = Jobs()
    jobs.start("bug", lambda progress: 1 / 0)
    job = jobs.wait("bug", 5)
    assert job is not None
    assert (job.state, str(job.error)) == (
        "failed",
        "This failed because of a bug in Tessera. Try again. If it fails again, please report it: "
        "ZeroDivisionError: division by zero",
    )
    assert "Traceback" in caplog.text


def test_closing_waits_for_running_jobs() -> None:
    jobs, ended = Jobs(), []

    def work(progress: Progress) -> None:
        try:
            for step in range(10_000_000):
                progress(step, 10_000_000, "")
        finally:
            ended.append(True)

    jobs.start("long", work)
    jobs.close()
    assert ended
    assert jobs.find("nothing") is None


def test_closing_stops_all_jobs_before_it_waits_for_one() -> None:
    jobs, others = Jobs(), threading.Barrier(3)

    def work(progress: Progress) -> None:
        while True:
            try:
                progress(0, 1, "")
            except Cancelled:
                others.wait(10)  # until the other jobs are stopped too
                raise

    for name in ("one", "two", "three"):
        assert jobs.start(name, work)
    jobs.close()
    assert [job.state for job in jobs.ended()] == ["cancelled"] * 3
    assert not others.broken


def test_nothing_starts_once_all_are_closed() -> None:
    jobs, ran = Jobs(), threading.Event()
    jobs.close()
    assert not jobs.start("late", lambda progress: ran.set())
    with pytest.raises(Cancelled):
        jobs.result("late", lambda progress: ran.set(), patience=60)
    assert jobs.find("late") is None
    assert not ran.is_set()


def test_a_running_job_does_its_work_once_more_for_what_came_meanwhile() -> None:
    jobs, going, gate, rounds = Jobs(), threading.Event(), threading.Event(), []

    def work(_: Progress) -> int:
        rounds.append(len(rounds))
        going.set()
        assert gate.wait(60)
        return len(rounds)

    assert jobs.start("embed", work, again=True)
    assert going.wait(60)
    assert not jobs.start("embed", work, again=True)
    gate.set()
    job = jobs.wait("embed", 10)
    assert job is not None
    assert (job.state, job.result) == ("done", 2)
    jobs.close()


def test_a_running_job_does_what_is_asked_for_meanwhile_not_its_own_work_twice() -> None:
    jobs, gate, done = Jobs(), threading.Event(), []

    def work(_: Progress) -> str:
        assert gate.wait(60)
        done.append("own")
        return "own"

    def later(_: Progress) -> str:
        job = jobs.find("embed")
        assert job is not None
        assert (job.state, job.result) == ("running", "own")
        done.append("later")
        return "later"

    answers = ThreadPoolExecutor()
    answer = answers.submit(jobs.result, "embed", work, patience=10)
    wait_until(lambda: jobs.running("embed"))
    assert not jobs.start("embed", later, again=True)
    gate.set()
    assert answer.result(60) == "own"
    assert done == ["own", "later"]
    assert [(job.state, job.result) for job in jobs.ended()] == [("done", "later")]
    answers.shutdown()


@pytest.mark.parametrize("ends", ["stopped", "failed"])
def test_a_job_that_is_stopped_or_fails_still_does_what_is_asked_for_afterwards(ends: str) -> None:
    jobs, going, gate, done = Jobs(), threading.Event(), threading.Event(), []

    def work(progress: Progress) -> None:
        going.set()
        assert gate.wait(60)
        progress(0, 1, "")
        raise ModelError("It is away.")

    assert jobs.start("embed", work, again=True)
    assert going.wait(60)
    if ends == "stopped":
        jobs.start("embed", lambda progress: done.append("before"), again=True)
        jobs.cancel("embed")
    jobs.start("embed", lambda progress: done.append("after"), again=True)
    gate.set()
    job = jobs.wait("embed", 10)
    assert job is not None
    assert (job.state, job.error, done) == ("done", None, ["after"])
    jobs.close()


def test_a_job_does_nothing_more_once_all_are_closed() -> None:
    jobs, going, done = Jobs(), threading.Event(), []

    def work(progress: Progress) -> None:
        going.set()
        while True:
            try:
                progress(0, 1, "")
            except Cancelled:
                jobs.start("embed", lambda progress: done.append("after"), again=True)
                raise

    jobs.start("embed", work)
    assert going.wait(60)
    jobs.close()
    assert not done


def test_a_result_is_the_callers_who_waits_for_its_turn() -> None:
    jobs, ends = Jobs(), threading.Event()
    jobs.start("first", lambda progress: ends.wait())
    jobs.start("second", lambda progress: "still read")
    jobs.wait("second")
    with pytest.raises(Busy):
        jobs.result("second", lambda progress: 2, apart=("first",), patience=0.1)
    threading.Timer(0.2, ends.set).start()
    assert jobs.result("second", lambda progress: 2, apart=("first",), patience=60) == 2
    earlier = jobs.find("second")
    assert earlier
    assert earlier.result == "still read"
    with pytest.raises(ZeroDivisionError):
        jobs.result("second", lambda progress: 1 // 0, patience=0)
    with pytest.raises(Cancelled):
        jobs.result("second", lambda progress: jobs.cancel("second"), patience=0)
