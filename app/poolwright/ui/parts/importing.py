"""Modules that take long to import come by a thread of their own, while the window answers.

In one go numpy and pyqtgraph stop the window for 0.7 s of processor time; beside such a thread its longest turn takes
20 ms.
"""

import importlib
import sys
from collections.abc import Generator
from threading import Thread

_BETWEEN_SECONDS = 0.002  # in which the thread has the processor


class _Import(Thread):
    def __init__(self, name: str) -> None:
        super().__init__(name=f"import {name}")
        self._module = name
        self.problem: BaseException | None = None

    def run(self) -> None:
        try:
            importlib.import_module(self._module)
        except BaseException as problem:  # noqa: BLE001 - raised where the module is waited for
            self.problem = problem


def import_in_steps(name: str) -> Generator[None, None, None]:
    if name in sys.modules and name not in _under_way:
        return
    under_way = _under_way.get(name)
    if under_way is None:
        under_way = _under_way[name] = _Import(name)
        under_way.start()
    while under_way.is_alive():
        under_way.join(_BETWEEN_SECONDS)
        yield
    _under_way.pop(name, None)
    if under_way.problem is not None:
        raise under_way.problem


def wait_for_imports() -> None:
    for under_way in tuple(_under_way.values()):
        under_way.join()


_under_way: dict[str, _Import] = {}
