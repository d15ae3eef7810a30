"""What may be mailed names no disk, no host and no person."""

import errno
import io
import logging
import platform
from collections.abc import Iterator
from pathlib import Path

import pytest

from poolwright.logs import LOG_NAME, REPORTS_KEPT, Redactor, start_log, write_crash_report


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


@pytest.mark.parametrize(
    "secret",
    [
        "ata-WDC_WD60EFRX-68L0BN1_WD-WX11D7",
        "scsi-35000c500a1b2c3d4",
        "nvme-Samsung_SSD_970_S4EVNX0R",
        "wwn-0x5000c500a1b2c3d4",
        "0x5000c500a1b2c3d4",
        "192.168.17.4",
        "aa:bb:cc:dd:ee:ff",
    ],
)
def test_that_names_of_disks_and_addresses_are_taken_out(secret: str) -> None:
    assert secret not in Redactor().clean(f"/dev/disk/by-id/{secret} failed, {secret}")


def test_that_what_it_was_told_is_taken_out() -> None:
    redactor = Redactor()
    redactor.learn("serial", ["Z1Z7ABCD", None, "", "12"])
    redactor.learn("host", ["db1.example.org"])
    assert redactor.clean("disk Z1Z7ABCD of db1.example.org, 12 left") == "disk <serial> of <host>, 12 left"


def test_that_a_serial_beside_its_word_is_taken_out() -> None:
    assert Redactor().clean('"serial_number": "ZAD0X1Y2"') == '"serial_number": "<serial>"'


def test_that_home_and_host_are_taken_out() -> None:
    text = Redactor().clean(f"{Path.home()}/designs on {platform.node()}")
    assert str(Path.home()) not in text or len(str(Path.home())) < 4
    assert platform.node() not in text or len(platform.node()) < 4


def place_disk() -> None:
    raise RuntimeError("cannot place Z1Z7ABCD")


def test_that_a_crash_report_has_the_trace_and_no_serial(tmp_path: Path) -> None:
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


def test_that_old_crash_reports_are_dropped(tmp_path: Path) -> None:
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
    opened = handler.setStream(Full())
    assert opened is not None
    with opened:
        logging.getLogger("poolwright").warning("lost")
    assert capsys.readouterr().err == ""
