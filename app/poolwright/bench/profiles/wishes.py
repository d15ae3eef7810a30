"""What a person wishes of a run beside its profile."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchWishes:
    """None leaves it to the profile. ``repeats`` of each test, ``seconds`` of a repeat, ``most_bytes`` written in all.

    ``fill_percent``: the pool is filled so far first, by writes all over, and emptied at the end of the run.

    ``steps`` tells that a person stands by who runs what tests need as root; without, those tests are left out.
    """

    repeats: int | None = None
    seconds: float | None = None
    most_bytes: int | None = None
    fill_percent: int | None = None
    steps: bool = False
