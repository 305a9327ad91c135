"""A few damages of a workspace's files; `python -m benchmarks.drills damage` tries them all."""

import subprocess
import sys


def test_no_damage_ends_a_process_or_makes_a_wrong_answer() -> None:
    """The drill forks for every step, which a process of many tests with their threads can't do safely."""
    command = [sys.executable, "-m", "benchmarks.drills", "damage", "--count", "3", "--seed", "926"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "| all | 3 | 3 |" in done.stdout
