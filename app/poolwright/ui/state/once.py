"""Many changes that are told as one: pages show the whole state again at each, however little became another."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from PySide6.QtCore import SignalInstance


def send_each(*signals: SignalInstance) -> None:
    """Send signals that carry nothing, in this order."""
    for signal in signals:
        signal.emit()


class Once:
    """Calls ``tell`` at each `note`; inside `held`, at most once, when it ends."""

    def __init__(self, tell: Callable[[], object]) -> None:
        self._tell = tell
        self._depth = 0
        self._noted = False

    def note(self) -> None:
        """Tell now, or at the end of what is held."""
        if self._depth:
            self._noted = True
        else:
            self._tell()

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep back what is noted until the outermost of these ends, also by an error."""
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1
            if self._noted and not self._depth:
                self._noted = False
                self._tell()
