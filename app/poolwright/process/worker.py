"""Work in Python beside the window: one process that is asked questions, and both ends of the pipes to it.

A message is its length and its pickle. The window asks by the name of a function, with values; the process tells what
it has so far, and ends with one answer. What anything prints goes to the log of its last words, never into an answer.
"""

import gc
import importlib
import os
import pickle
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import fields
from enum import IntEnum
from functools import cache
from inspect import isfunction
from io import BytesIO
from queue import SimpleQueue
from signal import SIGKILL
from struct import Struct
from threading import Thread
from traceback import format_exception
from types import MemberDescriptorType
from typing import IO, Any, BinaryIO, NoReturn, ParamSpec, TypeVar

from poolwright.domain.command import Command, Completed, Reading
from poolwright.domain.disk import Disk
from poolwright.domain.errors import EnvironmentFailure, PoolwrightError
from poolwright.process.piped import begin, close_streams, leave_behind, own_program, signal_session
from poolwright.texts import _, chosen, use

WORKER = "--worker"
MOST_BYTES = 2 << 20  # of an answer: more would be felt while the window reads it
_BETWEEN_SECONDS = 0.05  # from one share that is told to the next
_HEAD = Struct("!Q")
_CHUNK = 1 << 20
_LAST_WORDS = 2000


class Kind(IntEnum):
    """What a message of the worker is: how far it is, what it has so far, its answer, or why there is none."""

    SHARE = 0
    SO_FAR = 1
    ANSWER = 2
    ERROR = 3


class Reporter:
    """How a function that is asked tells what it has: a share of what there is to do, or a value. Here to nobody."""

    def share(self, _share: float | None) -> None:
        """Tell how far it is, from 0 to 1; None where that cannot be known."""

    def so_far(self, _value: object) -> None:
        """Tell what was found up to now."""


# How values are packed. The rows of a thousand disks are thousands of values, which the standard way unpacks field by
# field in Python; and each disk that was sent along comes back as the very one that the window has.


class _Packer(pickle.Pickler):
    def __init__(self, stream: IO[bytes], known: Mapping[str, Disk]) -> None:
        super().__init__(stream, pickle.HIGHEST_PROTOCOL)
        self._known = known

    def reducer_override(self, value: object) -> Any:
        if isinstance(value, Disk) and self._known.get(value.key) == value:
            return _sent_disk, (value.key,)
        kind: Any = type(value)
        fields_of = _slots(kind)
        return (_made, (kind, *[getattr(value, slot.__name__) for slot in fields_of])) if fields_of else NotImplemented


class _Unpacker(pickle.Unpickler):
    def __init__(self, data: bytes, known: Mapping[str, Disk]) -> None:
        super().__init__(BytesIO(data))
        self._known = known

    def find_class(self, module: str, name: str) -> Any:
        return self._known.__getitem__ if name == _sent_disk.__name__ else super().find_class(module, name)


def _sent_disk(key: str) -> Disk:
    raise NotImplementedError  # an unpacker has them


@cache
def _slots(kind: Any) -> tuple[MemberDescriptorType, ...]:
    """Return the slots of a frozen dataclass with nothing of its own to say of how it is packed; of others none."""
    if getattr(getattr(kind, "__setstate__", None), "__module__", "") != "dataclasses":
        return ()
    return tuple(getattr(kind, field.name) for field in fields(kind))


def _made(kind: Any, *values: object) -> object:
    made: object = object.__new__(kind)
    for slot, value in zip(_slots(kind), values, strict=True):
        slot.__set__(made, value)
    return made


def _packed(value: object, known: Mapping[str, Disk]) -> bytes:
    stream = BytesIO()
    _Packer(stream, known).dump(value)
    return stream.getvalue()


def _disks_of(args: Iterable[object]) -> dict[str, Disk]:
    """Return the disks that requests, machines and designs among the arguments have, by their keys."""
    held = [disks for arg in args if isinstance(disks := getattr(arg, "disks", None), tuple)]
    return {disk.key: disk for disks in held for disk in disks if isinstance(disk, Disk)}


# The process.


class _Answering(Reporter):
    def __init__(self, stream: BinaryIO) -> None:
        self._stream, self._told = stream, 0.0
        self.known: Mapping[str, Disk] = {}

    def share(self, share: float | None) -> None:
        now = time.monotonic()
        if now - self._told >= _BETWEEN_SECONDS:
            self._told = now
            self.send(Kind.SHARE, share)

    def so_far(self, value: object) -> None:
        self.send(Kind.SO_FAR, value)

    def send(self, kind: Kind, value: object) -> None:
        data = _packed((kind.value, value), self.known)
        if len(data) > MOST_BYTES:
            raise OverflowError(f"{len(data):,} bytes are too many for one answer")  # for machines
        self._stream.write(_HEAD.pack(len(data)) + data)
        self._stream.flush()


def serve(questions: str) -> NoReturn:
    """Answer by the functions of the module ``questions`` until the window closes the pipe or is gone."""
    report = _Answering(os.fdopen(os.dup(1), "wb"))
    os.dup2(2, 1)
    asked: SimpleQueue[bytes] = SimpleQueue()
    # A thread of its own sees the end of the window in the middle of a search as well.
    Thread(target=_listen, args=(asked,), daemon=True).start()
    table = answered_by(questions)
    # A search makes much and hardly any garbage: looked through at Python's own pace it took a third longer.
    gc.set_threshold(100_000, 50, 50)
    while True:
        language, name, args, named = pickle.loads(asked.get())  # noqa: S301 - from the window that started this
        use(language)
        report.known = _disks_of(args)
        try:
            report.send(Kind.ANSWER, table[name](report, *args, **named))
        except Exception as error:  # noqa: BLE001 - raised over there, as if it had been done there
            report.send(Kind.ERROR, _sendable(error))


def answered_by(questions: str) -> dict[str, Callable[..., object]]:
    """Return the public functions of a module by their names: nothing else can be asked for."""
    every = vars(importlib.import_module(questions)).items()
    return {name: f for name, f in every if name[0] != "_" and isfunction(f) and f.__module__ == questions}


def _listen(asked: "SimpleQueue[bytes]") -> None:
    while head := sys.stdin.buffer.read(_HEAD.size):
        asked.put(sys.stdin.buffer.read(*_HEAD.unpack(head)))
    os._exit(0)


def _sendable(error: Exception) -> Exception:
    """Return an error that can be sent, a bug with where it happened."""
    if not isinstance(error, PoolwrightError):
        error.add_note("".join(format_exception(error)))
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301 - our own
    except Exception:  # noqa: BLE001 - whatever an error of a library holds
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


# Who asks.


class Worker:
    """The process as its owner sees it, who moves what there is to move: nothing here waits.

    Raises EnvironmentFailure where it cannot be started.
    """

    def __init__(self) -> None:
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as the process
        command = Command(argv=own_program(WORKER), stdin=b"")
        try:
            began = begin(command, stderr=self._said)
            problem = began.stderr.decode() or began.ending.value if isinstance(began, Completed) else ""
        except OSError as error:
            problem = str(error)
        if problem:
            self._said.close()
            raise EnvironmentFailure(
                _("The process that does the long calculations cannot be started: {problem}", problem=problem)
            )
        assert not isinstance(began, Completed)
        assert began.stdin is not None
        assert began.stdout is not None
        self._child, self.reads, self.writes = began, began.stdout.fileno(), began.stdin.fileno()
        for number in (self.reads, self.writes):
            os.set_blocking(number, False)
        self._out, self._in = b"", bytearray()
        self._known: Mapping[str, Disk] = {}

    @property
    def pid(self) -> int:
        return self._child.pid

    def ask(self, name: str, args: tuple[object, ...], named: dict[str, object]) -> None:
        self._known = _disks_of(args)
        data = _packed((chosen(), name, args, named), {})
        self._out += _HEAD.pack(len(data)) + data

    def write(self) -> bool:
        """Write what it takes now; tell whether that was all."""
        with suppress(BlockingIOError, BrokenPipeError):  # that it is gone is seen by `read`
            self._out = self._out[os.write(self.writes, self._out) :]
        return not self._out

    def read(self) -> Iterator[tuple[Kind, Any]]:
        """Yield the messages that are there whole; raises EnvironmentFailure where none will come any more."""
        try:
            chunk = os.read(self.reads, _CHUNK)
        except BlockingIOError:
            return
        if not chunk:
            raise EnvironmentFailure(
                _("The process that did the calculation has ended"), where=self.end(), todo=_("Try again.")
            )
        self._in += chunk
        while len(self._in) >= _HEAD.size and len(self._in) >= (end := sum(_HEAD.unpack_from(self._in), _HEAD.size)):
            data = bytes(memoryview(self._in)[_HEAD.size : end])
            del self._in[:end]
            yield self._unpacked(data)

    def _unpacked(self, data: bytes) -> tuple[Kind, Any]:
        collects = gc.isenabled()
        gc.disable()  # none of it is garbage: to look through it again and again takes longer than to unpack it
        try:
            kind, value = _Unpacker(data, self._known).load()
        finally:
            if collects:
                gc.enable()
        return Kind(kind), value

    def end(self) -> str:
        """End it with all that it started, at once; return its last words."""
        if self._said.closed:
            return ""
        signal_session(self._child, SIGKILL)
        close_streams(self._child)
        leave_behind(self._child)
        with self._said as said:
            said.seek(max(0, said.seek(0, os.SEEK_END) - _LAST_WORDS))
            lines = said.read().decode(errors="replace").split("\n")
        return lines[-2].strip() if len(lines) > 1 else ""


# Work done by a process of its own, as a reading: for what takes longer than a window can wait. The process is this
# program, started by a word of its own; language, function, arguments and answer go through pipes.

_P = ParamSpec("_P")
_T = TypeVar("_T")
ONCE = "--once"  # for machines
LARGE_BYTES = 1 << 21  # some 50 ms of packing or reading
_TIMEOUT_SECONDS = 600.0
_MOST_ANSWER_BYTES = 2 << 30
_BEGINS_ANSWER = b"poolwright-answer\n"


def done_elsewhere(function: Callable[_P, _T], *args: _P.args, **named: _P.kwargs) -> Reading[_T]:
    """Return what ``function``, one of a module, returns of these arguments; raises what it raises.

    Where no process can be started it is done here.
    """
    asked = pickle.dumps((chosen(), function, args, named), protocol=pickle.HIGHEST_PROTOCOL)
    command = Command(
        argv=own_program(ONCE), stdin=asked, timeout_seconds=_TIMEOUT_SECONDS, most_output_bytes=_MOST_ANSWER_BYTES
    )
    (answer,) = yield (command,)
    if not answer.ok or not answer.stdout.startswith(_BEGINS_ANSWER):
        return function(*args, **named)
    returned, value = pickle.loads(memoryview(answer.stdout)[len(_BEGINS_ANSWER) :])  # noqa: S301 - our own process wrote it
    if isinstance(value, PoolwrightError) and not returned:
        raise value
    result: _T = value
    return result


def is_elsewhere(command: Command) -> bool:
    """Tell whether a command is only this: its words tell nobody what is done."""
    return command.argv == own_program(ONCE)


def done_beside(size: int, function: Callable[_P, _T], *args: _P.args, **named: _P.kwargs) -> Reading[_T]:
    """Do the same where ``size`` bytes of data make it long; what is short is done here, without a process."""
    if size >= LARGE_BYTES:
        return (yield from done_elsewhere(function, *args, **named))
    yield ()
    return function(*args, **named)


def answer_once() -> int:
    """Do what stands on standard input, and write what came of it; what is printed on the way goes to the errors."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    language, function, args, named = pickle.load(sys.stdin.buffer)  # noqa: S301 - from the process that started this
    use(language)
    try:
        answer = (True, function(*args, **named))
    except PoolwrightError as error:
        answer = (False, error)
    with answers:
        answers.write(_BEGINS_ANSWER)
        pickle.dump(answer, answers, protocol=pickle.HIGHEST_PROTOCOL)
    return 0
