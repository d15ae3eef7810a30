"""Running commands on the command line: blocking, several side by side, each in its own session."""

import select
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from poolwright.domain.command import Batch, Command, Completed, Ending, Reading
from poolwright.process.piped import Conversation, LetGo, Piped, Scene, Step, commands_of

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
    begun: list[Piped] = []
    running: list[Piped] = []
    pause = _SHORTEST_PAUSE_SECONDS
    # Ctrl-C comes to the main thread only, and to none of the children, which live in sessions of their own: one that
    # is begun by another thread is always known here.
    starter = ThreadPoolExecutor(max_workers=1)
    try:
        while running or len(begun) < len(batch):
            while len(begun) < len(batch) and len(running) < MOST_AT_ONCE:
                starter.submit(lambda: begun.append(Piped(batch[len(begun)]))).result()
                running.append(begun[-1])
            moved = [piped.move() or piped.completed is not None for piped in running]
            running = [piped for piped in running if piped.completed is None]
            pause = _SHORTEST_PAUSE_SECONDS if any(moved) else min(2 * pause, _LONGEST_PAUSE_SECONDS)
            if not any(moved):
                select.select(running, (), (), pause)
    finally:
        starter.shutdown()
        for piped in begun:
            piped.kill()
    return tuple(piped.completed for piped in begun if piped.completed is not None)


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


# Conversations: Ctrl-C is a cancel that they may answer.


def converse(conversation: Conversation[_T]) -> _T:
    """Run a conversation to its end and return its value.

    A first Ctrl-C ends what runs and lets the conversation return what it has; a second one is raised.
    """
    scene = Scene()
    stopped = False
    try:
        step = next(conversation)
        while True:
            try:
                answers = _answers(scene, step, stopped=stopped)
            except KeyboardInterrupt:
                if stopped:
                    raise
                stopped = True
                if isinstance(step, tuple):
                    answers = not_begun(step)
                else:
                    scene.cancel()
                    answers = _awaited(scene)
            step = conversation.send(answers)
    except StopIteration as stop:
        value: _T = stop.value
        return value
    finally:
        conversation.close()
        scene.leave()


def _answers(scene: Scene, step: Step, *, stopped: bool) -> tuple[Completed, ...]:
    if stopped and not isinstance(step, LetGo):
        return not_begun(step)
    if isinstance(step, tuple):
        return run_batch(step) if step else ()
    scene.begin(step)
    return _awaited(scene)


def _awaited(scene: Scene) -> tuple[Completed, ...]:
    while scene.answers is None:
        if not scene.move():
            time.sleep(_LONGEST_PAUSE_SECONDS)
    return scene.answers


def not_begun(step: Step) -> tuple[Completed, ...]:
    return tuple(Completed(command=command, ending=Ending.CANCELLED) for command in commands_of(step))
