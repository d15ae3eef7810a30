"""Running commands on the command line: blocking, several side by side, each in its own session."""

import select
from collections.abc import Callable
from typing import TypeVar

from poolwright.domain.command import Batch, Command, Completed, Reading
from poolwright.process.piped import Piped

MOST_AT_ONCE = 8
# A program that has closed its pipes is about to end: it is looked for soon, and then more and more seldom.
_SHORTEST_PAUSE_SECONDS, _LONGEST_PAUSE_SECONDS = 0.0005, 0.02
_T = TypeVar("_T")
Runner = Callable[[Batch], tuple[Completed, ...]]


def run(command: Command) -> Completed:
    """Run one command to its end and return what came of it.

    The child gets locale C, no terminal and its own session; at the timeout the whole session is ended, first
    politely. A missing program, a timeout or a signal is told in ``ending``. Output beyond the limit ends the child.
    """
    return run_batch((command,))[0]


def run_batch(batch: Batch) -> tuple[Completed, ...]:
    """Run commands side by side, at most eight at once; answers are in the order of the commands."""
    answers: dict[int, Completed] = {}
    running: dict[int, Piped] = {}
    begun, pause = 0, _SHORTEST_PAUSE_SECONDS
    try:
        while len(answers) < len(batch):
            while begun < len(batch) and len(running) < MOST_AT_ONCE:
                running[begun] = Piped(batch[begun])
                begun += 1
            moved = False
            for place, piped in tuple(running.items()):
                moved = piped.move() or piped.completed is not None or moved
                if piped.completed is not None:
                    answers[place] = piped.completed
                    del running[place]
            pause = _SHORTEST_PAUSE_SECONDS if moved else min(2 * pause, _LONGEST_PAUSE_SECONDS)
            if not moved:
                select.select(running.values(), (), (), pause)
    finally:
        # Ctrl-C reaches this process only: the children live in sessions of their own.
        for piped in running.values():
            piped.kill()
    return tuple(answers[place] for place in range(len(batch)))


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
