"""An ordinary machine: how long the window does not answer while its pages are opened, in processor time of a turn."""

import json
import subprocess
import sys

import pytest
from tests.pace import slowness

# In a process of its own: here everything is imported already, and a great deal more than a window holds.
_PROGRAM = """
import json
import sys
from dataclasses import replace
from functools import partial
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication
application = QApplication([])
from poolwright.ui.shell.warm_up import ShortCollections
from poolwright.ui.shell.main_window import MainWindow
from poolwright.ui.shell.rail import page_entries
from poolwright.ui.state.preferences import Preferences
from poolwright.ui.state.session import Session
from tests.ui.conftest import thesis_design
from tests.ui.turns import Turns
session = Session()
window = MainWindow(session, Preferences(QSettings()))
window.show()
ShortCollections().begin()  # as the program does
measured = Turns(busy=lambda: bool(session.jobs.jobs))
measured.step("start")
measured.step("rules", window.begin_work)
assert session.rules is not None
assert "poolwright.store.structure" in sys.modules  # else a design of the library waits for it
measured.step("design", lambda: session.show_design(thesis_design()))
for entry in page_entries():
    measured.step(entry.name, partial(window.show_page, entry.name))
    assert window.current_page() == entry.name
measured.step("commands again", partial(window.show_page, "commands"))
measured.step("edit", lambda: session.change_design(session.design.renamed(pool_name="other"), "Rename"))
print(json.dumps({"over": measured.over(float(sys.argv[1])), "edit": measured.longest["edit"]}))
window.close()
"""
# What a person is to wait at most, and how much longer it may take beside other work and without compiled modules.
WITHIN = 0.05
SLACK = 1.5


@pytest.mark.slow
def test_that_every_page_of_an_ordinary_machine_opens_without_waiting() -> None:
    for _ in range(2):  # the first one may have to compile everything
        ended = subprocess.run(
            [sys.executable, "-c", _PROGRAM, str(WITHIN * SLACK)],
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )
        assert ended.returncode == 0, ended.stderr
    told = json.loads(ended.stdout.splitlines()[-1])
    assert told["over"] == {}
    # Of all pages the commands took 0.16 s, what is drawn 0.7 s, the rules 0.36 s.
    assert told["edit"] < WITHIN * slowness()
