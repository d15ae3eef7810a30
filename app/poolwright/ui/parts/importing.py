"""Modules that take long to import come in steps, each within one turn of the window.

In one go numpy and pyqtgraph stop the window for 0.7 s of processor time. A thread imports them, since only a thread
can rest in the middle of an import, but never beside the window: PySide ends the program where `sys.modules` changes
while it looks through it. The window waits while the thread works, and the thread while the window does.
"""

import builtins
import importlib
import sys
import time
from collections.abc import Generator
from threading import Condition, Thread, current_thread, main_thread
from types import ModuleType
from typing import Any

_STEP_SECONDS = 0.01
_LOOKS_SECONDS = 0.02  # after which the thread looks whether the window waits for what it has begun


_IMPORT = builtins.__import__  # what an import statement calls, before anything is locked


class _Import(Thread):
    def __init__(self, module: str) -> None:
        super().__init__(name=f"import {module}", daemon=True)
        self.module = module
        self._turns = Condition()
        self._has_turn = False
        self._until = 0.0
        self.has_ended = False
        self.problem: BaseException | None = None

    def run(self) -> None:
        with self._turns:
            self._turns.wait_for(lambda: self._has_turn)
        builtins.__import__ = self._rest_and_import
        try:
            importlib.import_module(self.module)
        except BaseException as problem:  # noqa: BLE001 - raised where the module is waited for
            self.problem = problem
        builtins.__import__ = _IMPORT
        with self._turns:
            self._has_turn, self.has_ended = False, True
            self._turns.notify()

    def step(self) -> None:
        """Let the thread work until it rests or ends."""
        with self._turns:
            self._has_turn, self._until = not self.has_ended, time.monotonic() + _STEP_SECONDS
            self._turns.notify()
            self._turns.wait_for(lambda: not self._has_turn)

    def _rest_and_import(self, *args: Any, **named: Any) -> ModuleType:
        if current_thread() is self and time.monotonic() > self._until:
            with self._turns:
                self._has_turn = False
                self._turns.notify()
                while not (self._has_turn or _window_waits_for_a_module()):
                    self._turns.wait(_LOOKS_SECONDS)
        return _IMPORT(*args, **named)


def _window_waits_for_a_module() -> bool:
    """Tell whether the main thread stands in an import of its own, of a module that another thread has begun."""
    at = sys._current_frames()[main_thread().ident or 0].f_code
    return (at.co_filename, at.co_name) == ("<frozen importlib._bootstrap>", "acquire")


def import_in_steps(name: str) -> Generator[None, None, None]:
    if name in sys.modules and name not in [at_work.module for at_work in _at_work]:
        return
    while True:
        # One at a time: a second would wait for what the first, at rest, has begun.
        if not _at_work:
            _at_work.append(_Import(name))
            _at_work[0].start()
        at_work = _at_work[0]
        while not at_work.has_ended:
            at_work.step()
            yield
        if at_work in _at_work:
            _at_work.remove(at_work)
        if at_work.module == name:
            break
    if at_work.problem is not None:
        raise at_work.problem


def wait_for_imports() -> None:
    for at_work in _at_work:
        while not at_work.has_ended:
            at_work.step()


_at_work: list[_Import] = []
