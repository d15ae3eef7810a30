"""What lies in the folder that somebody works in is never run: not for a password, a page or a long calculation."""

import os
import re
import subprocess
from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication

from poolwright.emit.report import Report
from poolwright.paper import report_pdf
from poolwright.process.blocking import drive
from poolwright.process.piped import own_program
from poolwright.process.ssh import ASKPASS, TERMINAL
from poolwright.process.worker import done_elsewhere

APP = Path(__file__).parents[2] / "app"
PLANTED = ("poolwright/__init__.py", "poolwright/__main__.py", "json.py", "pickle.py", "PySide6.py", "sitecustomize.py")


@pytest.fixture
def mark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder of planted modules; return the file that any of them writes when it is run."""
    mark = tmp_path / "was-run"
    for name in PLANTED:
        planted = tmp_path / "folder" / name
        planted.parent.mkdir(parents=True, exist_ok=True)
        planted.write_text(f"open({str(mark)!r}, 'a').write(__name__ + chr(10))\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path / "folder")
    return mark


def test_that_the_worker_runs_no_code_of_the_current_folder(mark: Path) -> None:
    assert drive(done_elsewhere(os.getpid)) != os.getpid()
    assert not mark.exists()


def test_that_the_password_helper_runs_no_code_of_the_current_folder(mark: Path) -> None:
    argv = (*own_program(ASKPASS), TERMINAL, "/dev/null", "Are you sure you want to continue connecting (yes/no)?")
    done = subprocess.run(argv, capture_output=True, check=False, stdin=subprocess.DEVNULL)
    assert (done.returncode, done.stdout) == (1, b"")
    assert not mark.exists()


def test_that_the_printer_runs_no_code_of_the_current_folder(
    mark: Path, qapp: QGuiApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report_pdf, "pdf_of", lambda _report: b"drawn by the window itself")
    page = Report(title="a page", subtitle="", blocks=(), foot="")
    assert drive(report_pdf.drawn_elsewhere(page)).startswith(b"%PDF")
    assert not mark.exists()


def test_that_every_python_is_started_by_one_function() -> None:
    elsewhere = APP / "poolwright/process/piped.py"
    for path in APP.rglob("*.py"):
        if path != elsewhere:
            assert not re.search(r'sys\.executable,\s*"-', path.read_text(encoding="utf-8")), path
