"""What a drill is given."""

import time
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Given:
    """What a drill is given; it ends at `count` attempts, or at `deadline` by the monotonic clock."""

    count: int
    seed: int = 1
    deadline: float = float("inf")
    vault: Path = Path("data/packs/sample")

    @property
    def goes_on(self) -> bool:
        """Whether there is time for another attempt."""
        return time.monotonic() < self.deadline
