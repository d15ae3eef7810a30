"""None, True and False survive what PySide6 does to them."""

import subprocess
import sys

import pytest

MANY = 20_000
PROGRAM = f"""
from PySide6.QtCore import QCoreApplication, QObject, QTimer, Signal

class Sender(QObject):
    sent = Signal()

application = QCoreApplication([])
sender, timer = Sender(), QTimer()
for _ in range({MANY}):
    sender.sent.emit()
    timer.setInterval(3)
print("alive")
"""


@pytest.mark.slow
def test_that_many_signals_do_not_end_the_interpreter() -> None:
    ended = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stdout.strip(), ended.stderr) == (0, "alive", "")
