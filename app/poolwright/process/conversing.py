"""Conversations on the command line: blocking, and Ctrl-C is a cancel that the conversation may answer."""

import time
from typing import TypeVar

from poolwright.domain.command import Completed
from poolwright.process.blocking import Runner, run_batch
from poolwright.process.piped import Scene, cancelled
from poolwright.process.watched import Conversation, Held, LetGo, Step, Watched

_PAUSE_SECONDS = 0.02
_T = TypeVar("_T")


def converse(conversation: Conversation[_T], runner: Runner = run_batch) -> _T:
    """Run a conversation to its end and return its value; ``runner`` does what is neither watched nor stays.

    A first Ctrl-C ends what runs and lets the conversation return what it has; a second one is raised.
    """
    scene = Scene()
    stopped = False
    try:
        step = next(conversation)
        while True:
            try:
                answers = _answers(scene, step, runner, stopped=stopped)
            except KeyboardInterrupt:
                if stopped:
                    raise
                stopped = True
                answers = _ended(scene, step)
            step = conversation.send(answers)
    except StopIteration as stop:
        value: _T = stop.value
        return value
    finally:
        conversation.close()
        scene.leave()


def _answers(scene: Scene, step: Step, runner: Runner, *, stopped: bool) -> tuple[Completed, ...]:
    if stopped and not isinstance(step, LetGo):
        return not_begun(step)
    if isinstance(step, tuple):
        return runner(step) if step else ()
    scene.begin(step)
    return _awaited(scene)


def _awaited(scene: Scene) -> tuple[Completed, ...]:
    while scene.answers is None:
        if not scene.move():
            time.sleep(_PAUSE_SECONDS)
    return scene.answers


def _ended(scene: Scene, step: Step) -> tuple[Completed, ...]:
    if isinstance(step, tuple):
        return not_begun(step)
    scene.cancel()
    return _awaited(scene)


def not_begun(step: Step) -> tuple[Completed, ...]:
    """Return the answer to a step that is not begun after a cancel."""
    if isinstance(step, Watched):
        return tuple(cancelled(command) for command in step.commands)
    if isinstance(step, tuple):
        return tuple(cancelled(command) for command in step)
    return (cancelled(step.command),) if isinstance(step, Held) else ()
