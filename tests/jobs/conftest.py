"""What a job leaves behind fails the test: a running timer, a process, a thread."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject
from tests.leaks import nothing_leaks, worker_of_module

__all__ = ["nothing_leaks", "worker_of_module"]


@pytest.fixture
def owner() -> Iterator[QObject]:
    made = QObject()
    yield made
    made.deleteLater()
