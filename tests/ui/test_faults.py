"""A fault is told and written down, and a running job can be seen and stopped."""

import errno
import io
import logging
import platform
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QMessageLogContext, QtMsgType
from pytestqt.qtbot import QtBot
from tests.cases import table
from tests.ui.controls import there

from poolwright.domain.errors import UserError
from poolwright.jobs.job import SlicedJob
from poolwright.logs import LOG_NAME, REPORTS_KEPT, Redactor, start_log, write_crash_report
from poolwright.paths import user_folder
from poolwright.ui.parts.page import JobStrip
from poolwright.ui.shell.application import Faults, log_qt_message
from poolwright.ui.shell.main_window import MainWindow


def test_that_a_mistake_of_the_program_becomes_a_report(window: MainWindow) -> None:
    faults = Faults(Redactor(), window)
    faults.said.connect(window.show_fault)
    faults.on_exception(ValueError, ValueError("odd"), None)
    reports = list((user_folder("data") / "crashes").glob("crash-*.txt"))
    assert len(reports) == 1
    assert "ValueError: odd" in reports[0].read_text()
    assert str(reports[0]) in window.message.text()


def test_that_an_error_for_people_is_told_without_a_report(window: MainWindow) -> None:
    faults = Faults(Redactor(), window)
    faults.said.connect(window.show_fault)
    faults.on_exception(UserError, UserError("“x” is no size", todo="Write 6TB."), None)
    assert window.message.text() == "“x” is no size. Write 6TB."
    assert not (user_folder("data") / "crashes").exists()


def test_that_what_qt_says_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    log_qt_message(QtMsgType.QtWarningMsg, QMessageLogContext(), "something is odd")
    assert [(r.levelno, "something is odd" in r.getMessage()) for r in caplog.records] == [(logging.WARNING, True)]


@pytest.mark.slow
def test_that_a_short_job_is_not_shown(window: MainWindow, qtbot: QtBot) -> None:
    strip = window.page("start").findChildren(JobStrip)[0]
    queue = window.session.jobs
    job = SlicedJob("Counting", "meadow", (0.5 for _ in range(3)), queue)
    with qtbot.waitSignal(job.ended):
        queue.add(job)
    qtbot.wait(400)
    assert not strip.isVisible()


# What may be mailed names no disk, no host and no person.


class Full(io.StringIO):
    def write(self, _text: str) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")


@pytest.fixture
def root_logger() -> Iterator[logging.Logger]:
    root = logging.getLogger()
    before, level = list(root.handlers), root.level
    yield root
    for handler in [h for h in root.handlers if h not in before]:
        root.removeHandler(handler)
        handler.close()
    root.setLevel(level)


@pytest.mark.parametrize("secret", table(__file__, "secrets"))
def test_that_names_of_disks_and_addresses_are_taken_out(secret: str) -> None:
    assert secret not in Redactor().clean(f"/dev/disk/by-id/{secret} failed, {secret}")


def test_that_what_it_was_told_serials_beside_their_word_home_and_host_are_taken_out() -> None:
    redactor = Redactor()
    redactor.learn("serial", ["Z1Z7ABCD", None, "", "12"])
    redactor.learn("host", ["db1.example.org"])
    assert redactor.clean("disk Z1Z7ABCD of db1.example.org, 12 left") == "disk <serial> of <host>, 12 left"
    assert Redactor().clean('"serial_number": "ZAD0X1Y2"') == '"serial_number": "<serial>"'
    text = Redactor().clean(f"{Path.home()}/designs on {platform.node()}")
    assert str(Path.home()) not in text or len(str(Path.home())) < 4
    assert platform.node() not in text or len(platform.node()) < 4


def place_disk() -> None:
    raise RuntimeError("cannot place Z1Z7ABCD")


def test_that_a_crash_report_has_the_trace_and_no_serial_and_old_ones_are_dropped(tmp_path: Path) -> None:
    redactor = Redactor()
    redactor.learn("serial", ["Z1Z7ABCD"])
    try:
        place_disk()
    except RuntimeError as error:
        path = write_crash_report(RuntimeError, error, error.__traceback__, redactor, tmp_path)
    assert path is not None
    text = path.read_text()
    assert "in place_disk" in text
    assert "cannot place <serial>" in text
    assert "Z1Z7ABCD" not in text
    for _ in range(REPORTS_KEPT + 5):
        write_crash_report(ValueError, ValueError("x"), None, Redactor(), tmp_path)
    assert len(list((tmp_path / "crashes").iterdir())) == REPORTS_KEPT


def test_that_a_folder_that_cannot_be_written_is_no_second_fault(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    assert write_crash_report(ValueError, ValueError("x"), None, Redactor(), blocked) is None
    assert start_log(Redactor(), blocked) is None


def test_that_the_log_is_redacted(tmp_path: Path, root_logger: logging.Logger) -> None:
    redactor = Redactor()
    path = start_log(redactor, tmp_path)
    redactor.learn("serial", ["Z1Z7ABCD"])
    logging.getLogger("poolwright").warning("lost %s", "Z1Z7ABCD")
    assert path == tmp_path / LOG_NAME
    assert "lost <serial>" in (tmp_path / LOG_NAME).read_text()


def test_that_a_full_disk_brings_no_traceback_to_the_terminal(
    tmp_path: Path, root_logger: logging.Logger, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logging, "raiseExceptions", True)
    assert start_log(Redactor(), tmp_path) is not None
    handler = root_logger.handlers[-1]
    assert isinstance(handler, logging.StreamHandler)
    opened = there(handler.setStream(Full()))
    with opened:
        logging.getLogger("poolwright").warning("lost")
    assert capsys.readouterr().err == ""
