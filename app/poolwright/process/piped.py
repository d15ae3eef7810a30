"""Programs with pipes that nobody waits for: begun in a session of their own, moved from time to time, ended whole."""

import errno
import math
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import IO, Protocol, TypeVar

from poolwright.domain.command import Batch, Command, Completed, Ending

# A child: begun, and ended with everything that it started.

Child = subprocess.Popen[bytes]
_left_behind: list[Child] = []  # what the kernel held when it was to end; collected once it is let go


def begin(command: Command, stderr: int | IO[bytes] = subprocess.PIPE) -> Child | Completed:
    """Start the program with locale C and without a terminal; where there is none to start, return that ending."""
    _left_behind[:] = [child for child in _left_behind if child.poll() is None]
    try:
        return subprocess.Popen(
            command.argv,
            stdin=subprocess.PIPE if command.stdin is not None else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=stderr,
            env=child_environment(extra=command.environment),
            start_new_session=True,
            bufsize=0,
        )
    except (FileNotFoundError, NotADirectoryError):
        return Completed(command=command, ending=Ending.NOT_FOUND)
    except OSError as error:
        if error.errno in {errno.EACCES, errno.EPERM, errno.ENOEXEC}:
            return Completed(command=command, ending=Ending.NOT_PERMITTED, stderr=str(error).encode())
        raise


def signal_session(child: Child, number: signal.Signals) -> None:
    """Send a signal to everything the child started: the session's group is its process id."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, number)


def close_streams(child: Child) -> None:
    for stream in (child.stdin, child.stdout, child.stderr):
        if stream is not None:
            with suppress(BrokenPipeError):
                stream.close()


def leave_behind(child: Child) -> None:
    """Forget a child that was killed, also one that is held in the kernel by a dead disk and does not even die."""
    if child.poll() is None:
        _left_behind.append(child)


# The environment child processes get.

_SBIN = ("/usr/local/sbin", "/usr/sbin", "/sbin", "/usr/local/bin", "/usr/bin", "/bin")
# What PyInstaller's boot loader changes for itself and saves under NAME_ORIG.
_LOADER_VARIABLES = ("LD_LIBRARY_PATH", "LD_PRELOAD", "DYLD_LIBRARY_PATH")
_FOREIGN = ("PYTHONPATH", "PYTHONHOME", "QT_PLUGIN_PATH", "QT_QPA_PLATFORM_PLUGIN_PATH", "LANGUAGE")


def child_environment(own: Mapping[str, str] | None = None, extra: tuple[tuple[str, str], ...] = ()) -> dict[str, str]:
    """Return the environment for a child: locale C, the system's own libraries, sbin in the search path.

    ``own`` is our environment (default: the process's). ``extra`` wins over everything. Administration tools live
    in sbin, which an ordinary user's PATH leaves out on Debian.
    """
    environment = dict(os.environ if own is None else own)
    for name in _LOADER_VARIABLES:
        saved = environment.pop(f"{name}_ORIG", None)
        if saved is not None:
            environment[name] = saved
    for name in [n for n in environment if n.startswith("LC_") or n in _FOREIGN]:
        del environment[name]
    environment["LC_ALL"] = "C"
    environment["LANG"] = "C"
    # A relative one would run what lies in the folder that somebody works in.
    folders = [f for f in environment.get("PATH", "").split(os.pathsep) if f.startswith("/")]
    environment["PATH"] = os.pathsep.join([*folders, *(f for f in _SBIN if f not in folders)])
    environment.update(extra)
    return environment


def own_program(word: str) -> tuple[str, ...]:
    """Return the words that start this program again, also as PyInstaller packs it, for what ``word`` says.

    Without -P the folder that somebody works in comes first in the search path: a ``poolwright`` that lies there
    would be run, with the password that is asked for. Not -I: it hides what ``pip install --user`` installed.
    """
    return (sys.executable, *(() if getattr(sys, "frozen", False) else ("-P", "-m", "poolwright")), word)


# Programs that are watched while they run, and programs that stay while others run; apart from who runs them.


class Watcher(Protocol):
    """Who hears what programs print, as it comes."""

    def hear(self, place: int, chunk: bytes) -> None:
        """Take what the main program (place 0) or one of those beside it (from 1 on) printed."""

    def enough(self) -> bool:
        """Tell whether the programs are to end now; asked several times a second."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Watched:
    """A program that is watched, and others that run beside it until it ends.

    The main program's standard input stays open after its ``stdin`` was fed: its end tells the program that nobody
    waits for it any more. To end it, that input is closed and its session told to end; within 3 s it is gone in any
    case. Answered by what came of the main program and of those beside it; what they printed went to the watcher.
    Ended by the watcher or by a person, the main program's ending is CANCELLED. With ``beats`` a dot is written into
    the open input every few seconds, so that a far side sees when nobody is there any more.
    """

    main: Command
    watcher: Watcher
    beside: tuple[Command, ...] = ()
    beats: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Held:
    """A program that stays, with its standard input open, while others run.

    Answered by nothing once it printed its first line, or by what came of it where it ended instead. ``beats`` as in
    `Watched`.
    """

    command: Command
    beats: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LetGo:
    """The end of a program's stay: its standard input is closed; answered by what came of it."""

    held: Held


Step = Batch | Watched | Held | LetGo


def commands_of(step: Step) -> Batch:
    if isinstance(step, tuple):
        return step
    if isinstance(step, Watched):
        return (step.main, *step.beside)
    return (step.command if isinstance(step, Held) else step.held.command,)


_T = TypeVar("_T")
Conversation = Generator[Step, tuple[Completed, ...], _T]
"""As `command.Reading`, with programs that stay and programs that are watched. A person's cancel is an answer as well:
all that follows is answered by CANCELLED at once, but for `LetGo`, and the generator returns what it has."""


Answers = tuple[Completed, ...]
_S = TypeVar("_S")


def through(
    asking: Generator[_S, Answers, _T], there: Callable[[_S], Generator[_S, Answers, Answers]]
) -> Generator[_S, Answers, _T]:
    """Be a conversation of which ``there`` answers each step, by asking in its turn; it is closed however this ends."""
    try:
        step = next(asking)
        while True:
            step = asking.send((yield from there(step)))
    except StopIteration as stop:
        value: _T = stop.value
        return value
    finally:
        asking.close()


GRACE_SECONDS = 1.6  # a program that is told to end may tell what it has; then it is ended without asking
LEFT_BEHIND_SECONDS = 1.0  # who still lives then is held in the kernel by a dead disk
_MOST_COMPLAINT_BYTES = 1 << 20
_CHUNK = 1 << 16
BEAT_SECONDS, _BEAT = 5.0, b"."


class Piped:
    """One program from its start to its one ending, ``completed``. What it prints is kept, or goes to ``hear``.

    Output that is kept ends the program where it is more than its command allows. With ``lifeline`` its standard input
    stays open after what is fed, until `let_go` or `stop`; ``stays`` tells that its time begins with `let_go` only,
    ``beats`` that a dot is written into that input every few seconds.
    """

    def __init__(
        self,
        command: Command,
        hear: Callable[[bytes], None] | None = None,
        *,
        lifeline: bool = False,
        stays: bool = False,
        beats: bool = False,
        grace_seconds: float = GRACE_SECONDS,
    ) -> None:
        self.command, self._hear, self._lifeline, self._grace = command, hear, lifeline, grace_seconds
        self.completed: Completed | None = None
        self._started = time.monotonic()
        self._deadline = math.inf if stays else self._started + command.timeout_seconds
        self._next_beat = self._started if beats else math.inf
        self._killed = self._truncated = False
        self._rest = memoryview(command.stdin or b"")
        self._kept, self._complaint = bytearray(), bytearray()
        self._ending: Ending | None = None
        self._selector = selectors.DefaultSelector()
        try:
            began = begin(command)
        except OSError as error:
            began = Completed(command=command, ending=Ending.NOT_PERMITTED, stderr=str(error).encode())
        if isinstance(began, Completed):
            self.completed = began
            self._selector.close()
            return
        self._child = began
        for stream in (began.stdin, began.stdout, began.stderr):
            if stream is not None:
                os.set_blocking(stream.fileno(), False)
                writes = stream is began.stdin
                self._selector.register(stream, selectors.EVENT_WRITE if writes else selectors.EVENT_READ, stream)

    def fileno(self) -> int:
        """Return what can be waited for: it is ready to be read where there is something to `move`."""
        number: int = self._selector.fileno()
        return number

    def move(self) -> bool:
        """Feed, hear and look at the clock, without waiting; tell whether anything moved."""
        if self.completed is not None:
            return False
        moved = self._pump()
        self._beat()
        if self._child.poll() is not None:
            if not self._killed:
                self._kill()  # grandchildren may have outlived it and would go on to write
            if not self._pump():
                self._let_go_of(self._ending)
        elif time.monotonic() >= self._deadline:
            if self._ending is None:
                self.stop(Ending.TIMED_OUT)
            elif not self._killed:
                self._kill()
            else:
                self._let_go_of(self._ending)
        return moved

    def _pump(self) -> bool:
        moved = [self._move_one(key.data) for key, _ in self._selector.select(0)]
        return any(moved)

    def _beat(self) -> None:
        now, stream = time.monotonic(), self._child.stdin
        if now < self._next_beat or self._rest or stream is None or stream.closed:
            return
        self._next_beat = now + BEAT_SECONDS
        with suppress(BlockingIOError, BrokenPipeError):
            os.write(stream.fileno(), _BEAT)

    def _move_one(self, stream: object) -> bool:
        if stream is self._child.stdin:
            return self._feed()
        number = self._child.stdout if stream is self._child.stdout else self._child.stderr
        assert number is not None
        try:
            chunk = os.read(number.fileno(), _CHUNK)
        except BlockingIOError:
            return False
        if not chunk:
            self._selector.unregister(number)
        elif self._hear is None:
            self._keep(chunk, self._kept if number is self._child.stdout else self._complaint)
        elif number is self._child.stdout:
            self._hear(chunk)
        else:
            self._complaint.extend(chunk[: _MOST_COMPLAINT_BYTES - len(self._complaint)])
        return bool(chunk)

    def _keep(self, chunk: bytes, kept: bytearray) -> None:
        room = self.command.most_output_bytes - len(kept)
        kept.extend(chunk[:room])
        if len(chunk) > room:
            self._truncated = True
            self.stop(Ending.EXITED)

    def _feed(self) -> bool:
        stream = self._child.stdin
        if stream is None or stream.closed:  # it was stopped a moment ago
            return False
        written = 0
        with suppress(BlockingIOError):
            try:
                written = os.write(stream.fileno(), self._rest[:_CHUNK]) if self._rest else 0
            except BrokenPipeError:  # it does not want to hear more
                written = len(self._rest)
        self._rest = self._rest[written:]
        if not self._rest:
            self._selector.unregister(stream)
            if not self._lifeline:
                self._close_stdin()
        return written > 0

    def _kill(self) -> None:
        self._killed, self._deadline = True, time.monotonic() + LEFT_BEHIND_SECONDS
        signal_session(self._child, signal.SIGKILL)

    def let_go(self) -> None:
        """Close its standard input, and wait for its own end until the deadline."""
        if self.completed is None:
            self._close_stdin()
            self._deadline = time.monotonic() + self.command.timeout_seconds

    def stop(self, ending: Ending = Ending.CANCELLED) -> None:
        """End it and all it started, first politely; returns at once."""
        if self.completed is not None or self._ending is not None:
            return
        self._ending, self._deadline = ending, time.monotonic() + self._grace
        self._close_stdin()
        signal_session(self._child, signal.SIGTERM)

    def _close_stdin(self) -> None:
        stream = self._child.stdin
        if stream is not None and not stream.closed:
            if stream in self._selector.get_map():
                self._selector.unregister(stream)
            with suppress(BrokenPipeError):
                stream.close()

    def leave(self) -> None:
        """Wait for it no longer: close its pipes; it ends by itself, at the latest by writing into them."""
        if self.completed is None:
            self._close_stdin()
            self._let_go_of(Ending.CANCELLED)

    def kill(self) -> None:
        """End it and all it started without asking, and wait for nothing."""
        if self.completed is None:
            self._kill()
            self._let_go_of(Ending.CANCELLED)

    def _let_go_of(self, ending: Ending | None) -> None:
        """Tell the one ending; where nobody asked for it, it is the program's own."""
        self._selector.close()
        close_streams(self._child)
        leave_behind(self._child)
        code = self._child.returncode
        exited = code is not None and code >= 0
        ending = ending or (Ending.EXITED if exited else Ending.KILLED)
        self.completed = Completed(
            command=self.command,
            ending=ending,
            status=code if ending is Ending.EXITED and exited else None,
            stdout=bytes(self._kept),
            stderr=bytes(self._complaint),
            truncated=self._truncated,
            seconds=time.monotonic() - self._started,
        )


# What a conversation has running: programs that stay, and those that are watched now. Nothing here waits.


class Scene:
    """Answers what is not a batch of commands. `begin` it, then `move` until `answers` are there."""

    def __init__(self) -> None:
        self.answers: tuple[Completed, ...] | None = None
        self._step: Watched | Held | LetGo | None = None
        self._running: tuple[Piped, ...] = ()
        self._staying: dict[Held, Piped] = {}
        self._said = False

    def begin(self, step: Watched | Held | LetGo) -> None:
        self.answers, self._step = None, step
        if isinstance(step, Watched):
            self._running = tuple(
                Piped(
                    command,
                    partial(step.watcher.hear, place),
                    lifeline=place == 0,
                    stays=place > 0,
                    beats=step.beats and place == 0,
                )
                for place, command in enumerate(commands_of(step))
            )
        elif isinstance(step, Held):
            self._said = False
            self._staying[step] = Piped(step.command, self._on_said, lifeline=True, stays=True, beats=step.beats)
        elif step.held in self._staying:
            self._staying[step.held].let_go()

    def _on_said(self, chunk: bytes) -> None:
        self._said = self._said or b"\n" in chunk

    def move(self) -> bool:
        """Hear what is new, and look whether the step is over; tell whether anything moved."""
        moved = [piped.move() for piped in (*self._running, *self._staying.values())]
        if isinstance(self._step, Watched):
            self._look_at(self._step)
        elif isinstance(self._step, Held):
            completed = self._staying[self._step].completed
            if completed is not None or self._said:
                self._answer(() if completed is None else (completed,))
        elif self._step is not None:
            gone = self._staying.get(self._step.held)
            if gone is None:
                self._answer(())
            elif gone.completed is not None:
                del self._staying[self._step.held]
                self._answer((gone.completed,))
        return any(moved)

    def _look_at(self, watched: Watched) -> None:
        main, *beside = self._running
        if main.completed is None:
            if watched.watcher.enough():
                main.stop()
            return
        for piped in beside:
            piped.stop()
        completed = tuple(piped.completed for piped in self._running if piped.completed is not None)
        if len(completed) == len(self._running):
            self._running = ()
            self._answer(completed)

    def _answer(self, answers: tuple[Completed, ...]) -> None:
        self.answers, self._step = answers, None

    def cancel(self) -> None:
        """End what is watched, as a person's cancel does; what stays is left to `LetGo`, unless it is waited for."""
        if isinstance(self._step, Held) and self._step in self._staying:
            self._staying[self._step].let_go()
        for piped in self._running[:1]:
            piped.stop()

    def leave(self) -> None:
        """Give everything up at once: what stays sees the end of its input, what is watched is told to end."""
        for piped in self._running:
            piped.stop()
        for piped in (*self._running, *self._staying.values()):
            piped.leave()
        self._running, self._staying, self._step = (), {}, None
