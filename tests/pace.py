"""How fast the machine is while a test runs, so that bounds of time are asked of the program and not of the machine.

The bounds in tests are what a person is to wait on an ordinary machine. A machine that is shared, old or throttled
needs longer for the same steps, a moment later it may not; so a yardstick is timed right beside what is measured.
"""

import gc
import time
from collections.abc import Callable

_ROUNDS = 3
_STEPS = 12_000
# Processor seconds of the yardstick on the machine for which the bounds were written, an ordinary desktop computer.
_ORDINARY_SECONDS = 0.003


class _Part:
    __slots__ = ("name", "size")

    def __init__(self, name: str, size: int) -> None:
        self.name, self.size = name, size


def _yardstick() -> int:
    """Do what the program mostly does: make small objects, call, look up, compare and join text."""
    known: dict[str, _Part] = {}
    for step in range(_STEPS):
        part = _Part(f"part-{step % 997}", step)
        if (before := known.get(part.name)) is None or before.size < part.size:
            known[part.name] = part
    return sum(len(part.name) for part in sorted(known.values(), key=lambda part: part.size))


def slowness() -> float:
    """Return how many times longer a step takes here and now than on an ordinary machine; at least 1.

    The least of some rounds: what interrupts one of them is not the machine's speed.
    """
    least = min(processor_seconds(_yardstick) for _ in range(_ROUNDS))
    return max(1.0, least / _ORDINARY_SECONDS)


def most_slowness() -> float:
    """Return the most of many rounds: for a step that cannot be taken again, on a machine that is slow in bursts."""
    return max(1.0, max(processor_seconds(_yardstick) for _ in range(4 * _ROUNDS)) / _ORDINARY_SECONDS)


def processor_seconds(action: Callable[[], object]) -> float:
    """Return the processor time that ``action`` takes of this thread, without a look through what other tests left."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        began = time.thread_time()
        action()
        return time.thread_time() - began
    finally:
        if collecting:
            gc.enable()
