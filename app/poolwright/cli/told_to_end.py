"""A run that is told to end from outside, by kill or by a terminal that is closed: to it that is a Ctrl-C."""

import signal
import threading
from types import FrameType, TracebackType

_NUMBERS = (signal.SIGTERM, signal.SIGHUP)


class ToldToEnd:
    """While it is entered, the first of these signals is a KeyboardInterrupt, and later ones are passed over.

    A terminal that closes sends two of them. What somebody had ignored before, as nohup does, stays ignored. After
    `late` none of them counts any more: what was measured is being kept.
    """

    def __init__(self) -> None:
        self._heard = False
        self._taken: list[signal.Signals] = []

    def __enter__(self) -> "ToldToEnd":
        """Take the signals, where this thread may."""
        if threading.current_thread() is threading.main_thread():
            self._taken = [number for number in _NUMBERS if signal.getsignal(number) is signal.SIG_DFL]
        for number in self._taken:
            signal.signal(number, self._hear)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number in self._taken:
            signal.signal(number, signal.SIG_DFL)

    def late(self) -> None:
        self._heard = True

    def _hear(self, _number: int, _frame: FrameType | None) -> None:
        if not self._heard:
            self._heard = True
            raise KeyboardInterrupt
