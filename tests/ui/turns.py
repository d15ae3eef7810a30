"""How long the window does not answer: the processor time of each turn of the event loop.

Not the wall clock: another program on the machine would be measured along. A turn is one call of ``processEvents``;
what is asked of the window directly, such as a pressed button, counts as a turn of its own.
"""

import cProfile
import pstats
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from PySide6.QtCore import QCoreApplication
from tests.pace import most_slowness

MOST_SECONDS = 600.0  # by the clock, which judges nothing: a ranking of 35 s took longer than 120 on a busy machine
_QUIET_SECONDS = 0.06
_QUIET_TURNS = 20  # as well: a machine that does not run this process for a while is not a window at rest
_LONG_SECONDS = 0.05  # from here on the machine's pace is taken beside a turn


@dataclass(slots=True)
class Turns:
    """Drives a window through steps and keeps the longest turn of each, in seconds of this thread's processor time.

    ``profile_from`` prints where the time went in turns at least that long; for work at the desk, not for tests.
    """

    busy: Callable[[], bool]
    profile_from: float | None = None
    longest: dict[str, float] = field(default_factory=dict)
    total: dict[str, float] = field(default_factory=dict)
    _paced: dict[str, float] = field(default_factory=dict)

    def step(self, name: str, action: Callable[[], object] | None = None) -> float:
        """Do ``action``, let the window come to rest, and return the longest turn on the way."""
        longest = total = self._timed(name, action) if action is not None else 0.0
        until, quiet_from, quiet = time.monotonic() + MOST_SECONDS, time.monotonic(), 0
        while time.monotonic() < until:
            took = self._timed(name, QCoreApplication.processEvents)
            longest, total = max(longest, took), total + took
            if self.busy() or took > 0.0005:
                quiet_from, quiet = time.monotonic(), 0
                continue
            quiet += 1
            if quiet >= _QUIET_TURNS and time.monotonic() - quiet_from > _QUIET_SECONDS:
                break
            time.sleep(0.001)
        else:
            raise AssertionError(f"{name}: the window did not come to rest")
        self.total[name] = total
        # Beside the turn, not at the end of them all: a shared machine is slow for a while and then is not.
        paced = longest / most_slowness() if longest > _LONG_SECONDS else longest
        if name not in self.longest:
            self._paced[name] = self.longest[name] = 0.0
        self.longest[name] = max(longest, self.longest[name])
        self._paced[name] = max(paced, self._paced[name])
        return longest

    def over(self, bound: float) -> dict[str, int]:
        """Return the steps with a turn longer than ``bound`` seconds of an ordinary machine, and its milliseconds."""
        return {name: round(self._paced[name] * 1000) for name in self.longest if self._paced[name] > bound}

    def _timed(self, name: str, action: Callable[..., object]) -> float:
        if self.profile_from is None:
            began = time.thread_time()
            action()
            return time.thread_time() - began
        profile = cProfile.Profile()
        began = time.thread_time()
        profile.enable()
        action()
        profile.disable()
        took = time.thread_time() - began
        if took >= self.profile_from:
            sys.stdout.write(f"\n--- {name}: a turn of {took * 1000:.0f} ms (profiled)\n")
            pstats.Stats(profile, stream=sys.stdout).sort_stats("cumulative").print_stats(45)
        return took
