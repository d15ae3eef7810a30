"""Work in Python done by a process of its own, as a reading: for what takes longer than a window can wait.

The process is this program, started by a word of its own; language, function, arguments and answer go through pipes.
"""

import os
import pickle
import sys
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from poolwright.domain.command import Command, Reading
from poolwright.domain.errors import PoolwrightError
from poolwright.process import worker as _worker  # noqa: F401 - it knows how a language is sent
from poolwright.process.child import own_program
from poolwright.texts import chosen, use

_P = ParamSpec("_P")
_T = TypeVar("_T")
ONCE = "--once"  # for machines
LARGE_BYTES = 1 << 21  # some 50 ms of packing or reading
_TIMEOUT_SECONDS = 600.0
_MOST_BYTES = 2 << 30
_BEGINS = b"poolwright-answer\n"


def done_elsewhere(function: Callable[_P, _T], *args: _P.args, **named: _P.kwargs) -> Reading[_T]:
    """Return what ``function``, one of a module, returns of these arguments; raises what it raises.

    Where no process can be started it is done here.
    """
    asked = pickle.dumps((chosen(), function, args, named), protocol=pickle.HIGHEST_PROTOCOL)
    command = Command(
        argv=own_program(ONCE), stdin=asked, timeout_seconds=_TIMEOUT_SECONDS, most_output_bytes=_MOST_BYTES
    )
    (answer,) = yield (command,)
    if not answer.ok or not answer.stdout.startswith(_BEGINS):
        return function(*args, **named)
    returned, value = pickle.loads(memoryview(answer.stdout)[len(_BEGINS) :])  # noqa: S301 - our own process wrote it
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
        answers.write(_BEGINS)
        pickle.dump(answer, answers, protocol=pickle.HIGHEST_PROTOCOL)
    return 0
