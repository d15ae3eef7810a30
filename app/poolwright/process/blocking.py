"""Running commands on the command line: blocking, several side by side, each in its own session."""

import os
import selectors
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from typing import IO, TypeVar

from poolwright.domain.command import Batch, Command, Completed, Ending, Reading
from poolwright.process.child import Child, begin, close_streams, leave_behind, signal_session

MOST_AT_ONCE = 8
GRACE_SECONDS = 2.0
_CHUNK = 1 << 16
_T = TypeVar("_T")
Runner = Callable[[Batch], tuple[Completed, ...]]


class Running:
    """The children of one batch, so that an interruption ends all of them at once, and nothing starts afterwards."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._children: set[Child] = set()
        self.stopped = False

    def enter(self, child: Child) -> None:
        """Count a child that was just started."""
        with self._lock:
            self._children.add(child)
            if self.stopped:
                signal_session(child, signal.SIGKILL)

    def leave(self, child: Child) -> None:
        """Forget a child before it is waited for."""
        with self._lock:
            self._children.discard(child)

    def end(self) -> None:
        """End every child and whatever it started."""
        with self._lock:
            self.stopped = True
            for child in self._children:
                signal_session(child, signal.SIGKILL)


def run(command: Command, running: Running | None = None) -> Completed:
    """Run one command to its end and return what came of it.

    The child gets locale C, no terminal and its own session; at the timeout the whole session is ended, first
    politely. A missing program, a timeout or a signal is told in ``ending``. Output beyond the limit ends the child.
    """
    running = running or Running()
    started = time.monotonic()
    if running.stopped:
        return Completed(command=command, ending=Ending.CANCELLED)
    child = begin(command)
    if isinstance(child, Completed):
        return child
    talk = _Conversation(child=child, command=command, deadline=started + command.timeout_seconds)
    try:
        running.enter(child)
        talk.pump()
    finally:
        running.leave(child)
        _end_session(child, politely=talk.ending is not None)
    return talk.completed(time.monotonic() - started)


@dataclass(slots=True, kw_only=True)
class _Conversation:
    """Feeding a child and collecting its two streams until both end, the deadline passes or the limit is reached."""

    child: Child
    command: Command
    deadline: float
    ending: Ending | None = None
    truncated: bool = False
    collected: dict[str, bytearray] = field(default_factory=lambda: {"stdout": bytearray(), "stderr": bytearray()})

    def pump(self) -> None:
        """Move bytes; returns when the child is done or must be ended."""
        with selectors.DefaultSelector() as selector:
            self._register(selector)
            while selector.get_map():
                left = self.deadline - time.monotonic()
                if left <= 0:
                    self.ending = Ending.TIMED_OUT
                    return
                for key, _ in selector.select(left):
                    if not self._move(selector, key):
                        return
        try:
            self.child.wait(max(0.0, self.deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            self.ending = Ending.TIMED_OUT

    def _register(self, selector: selectors.BaseSelector) -> None:
        for name, stream in (("stdout", self.child.stdout), ("stderr", self.child.stderr)):
            if stream is not None:
                selector.register(stream, selectors.EVENT_READ, name)
        if self.child.stdin is not None:
            os.set_blocking(self.child.stdin.fileno(), False)
            selector.register(self.child.stdin, selectors.EVENT_WRITE, memoryview(self.command.stdin or b""))

    def _move(self, selector: selectors.BaseSelector, key: selectors.SelectorKey) -> bool:
        """Move one chunk; False when the output limit is reached."""
        if not isinstance(key.data, str):
            self._feed(selector, key)
            return True
        chunk = os.read(key.fd, _CHUNK)
        if not chunk:
            selector.unregister(key.fileobj)
            return True
        kept = self.collected[key.data]
        room = self.command.most_output_bytes - len(kept)
        kept.extend(chunk[:room])
        if len(chunk) > room:
            self.truncated = True
            self.ending = Ending.EXITED
            return False
        return True

    def _feed(self, selector: selectors.BaseSelector, key: selectors.SelectorKey) -> None:
        rest: memoryview = key.data
        try:
            written = os.write(key.fd, rest[:_CHUNK]) if rest else 0
        except BrokenPipeError:
            written = len(rest)  # it does not want to hear more
        if written >= len(rest):
            stream: IO[bytes] = self.child.stdin  # type: ignore[assignment]
            selector.unregister(key.fileobj)
            with suppress(BrokenPipeError):
                stream.close()
        else:
            selector.modify(key.fileobj, selectors.EVENT_WRITE, rest[written:])

    def completed(self, seconds: float) -> Completed:
        """Return what came of it, once the child is gone."""
        code: int | None = self.child.returncode
        ending = self.ending or (Ending.EXITED if code is not None and code >= 0 else Ending.KILLED)
        return Completed(
            command=self.command,
            ending=ending,
            status=code if ending is Ending.EXITED and code is not None and code >= 0 else None,
            stdout=bytes(self.collected["stdout"]),
            stderr=bytes(self.collected["stderr"]),
            truncated=self.truncated,
            seconds=seconds,
        )


def _end_session(child: Child, *, politely: bool) -> None:
    if child.poll() is None and politely:
        signal_session(child, signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            child.wait(GRACE_SECONDS)
    # Grandchildren may have outlived the child and would hold on to disks or pipes.
    signal_session(child, signal.SIGKILL)
    close_streams(child)
    # A child that a dead disk holds in the kernel does not even die: it is left behind rather than waited for.
    with suppress(subprocess.TimeoutExpired):
        child.wait(GRACE_SECONDS)
    leave_behind(child)


def run_batch(batch: Batch) -> tuple[Completed, ...]:
    """Run commands side by side, at most eight at once; answers are in the order of the commands."""
    if len(batch) == 1:
        return (run(batch[0]),)
    running = Running()
    with ThreadPoolExecutor(max_workers=max(1, min(MOST_AT_ONCE, len(batch)))) as pool:
        try:
            return tuple(pool.map(lambda command: run(command, running), batch))
        except BaseException:
            # Ctrl-C reaches this thread only: the children live in sessions of their own.
            running.end()
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def drive(reading: Reading[_T], runner: Runner = run_batch) -> _T:
    """Run a reading to its end and return its value; ``runner`` may be a recording."""
    try:
        batch = next(reading)
        while True:
            batch = reading.send(runner(batch) if batch else ())
    except StopIteration as stop:
        value: _T = stop.value
        return value
    finally:
        reading.close()
