"""Of several questions only the newest is answered, whichever way it ends."""

from collections.abc import Generator, Iterator

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from poolwright.domain.errors import Refusal
from poolwright.jobs.job import Asking, JobQueue, SlicedJob


class Desk(QObject):
    """Asks, and notes in order what is told."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[object] = []
        self.jobs = JobQueue(self)
        self.asking = Asking(self.jobs, self)
        self.asking.moved.connect(self.on_moved)
        self.asking.answered.connect(self.told.append)
        self.asking.failed.connect(self.told.append)
        self.asking.cancelled.connect(self.on_cancelled)
        self.asking.ended.connect(self.on_ended)

    def ask(self, answer: str, target: str = "sum") -> None:
        self.asking.ask(SlicedJob(answer, target, work(answer), self))

    def on_moved(self) -> None:
        if "moved" not in self.told:
            self.told.append("moved")

    def on_cancelled(self) -> None:
        self.told.append("cancelled")

    def on_ended(self) -> None:
        self.told.append("idle" if not self.asking.busy else "busy")


def work(answer: str) -> Generator[None, None, str]:
    for _ in range(20):
        yield None
    if answer == "wrong":
        raise Refusal("Not so", reasons=("because",))
    return answer


@pytest.fixture
def desk() -> Iterator[Desk]:
    made = Desk()
    yield made
    made.deleteLater()


def test_that_a_question_moves_is_answered_and_then_over(qtbot: QtBot, desk: Desk) -> None:
    with qtbot.waitSignal(desk.asking.ended):
        desk.ask("four")
        assert desk.asking.busy
    assert desk.told == ["moved", "four", "idle"]


@pytest.mark.parametrize("target", ["sum", "another"])
def test_that_only_the_newest_of_two_questions_is_answered(qtbot: QtBot, desk: Desk, target: str) -> None:
    desk.ask("old")
    with qtbot.waitSignal(desk.asking.ended):
        desk.ask("new", target)
    assert desk.jobs.jobs == ()
    assert desk.told == ["moved", "new", "idle"]


def test_that_a_failure_is_told_in_words_and_as_the_error_itself(qtbot: QtBot, desk: Desk) -> None:
    with qtbot.waitSignal(desk.asking.ended):
        desk.ask("wrong")
    error = desk.asking.error
    assert isinstance(error, Refusal)
    assert desk.told == ["moved", error.text, "idle"]
    desk.ask("four")
    assert desk.asking.error is None
    desk.asking.forget()


def test_that_a_question_the_user_stops_is_told_as_stopped(qtbot: QtBot, desk: Desk) -> None:
    desk.ask("four")
    desk.jobs.cancel_all()
    assert desk.told == ["moved", "cancelled", "idle"]


def test_that_nothing_is_told_of_a_forgotten_question(qtbot: QtBot, desk: Desk) -> None:
    desk.ask("four")
    desk.told.clear()
    desk.asking.forget()
    assert (desk.told, desk.asking.busy, desk.jobs.jobs) == ([], False, ())
