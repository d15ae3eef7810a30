"""Short turns of Python's collector of garbage: a full one over half a million objects stops the window for 0.3 s.

What has survived a full collection is left out of later ones as soon as these are felt. Values of the core have no
cycles, so that their memory is given back by counting references, whether the collector looks at them or not; only
cycles that die later than they were left out are never given back, and the window makes hardly any.
"""

import gc
import time

FELT_SECONDS = 0.005
# Allocations before the youngest are looked at, and how often before the next older are; the last was 10, with which
# the first full collection comes after 80,000 new objects.
THRESHOLDS = (700, 10, 3)


def keep_for_good() -> None:
    """Leave what was made so far out of every later collection: modules, rules and pages live as long as the program.

    To look through them all takes a fifth of a second, in the middle of whatever is being done.
    """
    gc.freeze()
    # Of nothing, and at once; without it, as much as survived the last full collection puts off the next one, which
    # then looks through a quarter of all that the program holds.
    gc.collect()


class ShortCollections:
    """Keeps full collections short from `begin` to `end`."""

    def __init__(self) -> None:
        self._began = 0.0
        self._before: tuple[int, int, int] | None = None

    def begin(self) -> None:
        """Leave out what there is now, and from now on what survives a full collection that takes long."""
        if self._before is None:
            self._before = gc.get_threshold()
            gc.set_threshold(*THRESHOLDS)
            keep_for_good()
            gc.enable()
            gc.callbacks.append(self._on_collection)

    def end(self) -> None:
        """Collect as before; what was left out stays out."""
        if self._before is not None:
            gc.callbacks.remove(self._on_collection)
            gc.set_threshold(*self._before)
            self._before = None

    def _on_collection(self, phase: str, info: dict[str, int]) -> None:
        if info["generation"] < len(THRESHOLDS) - 1:
            return
        if phase == "start":
            self._began = time.thread_time()
        elif time.thread_time() - self._began > FELT_SECONDS:
            keep_for_good()
