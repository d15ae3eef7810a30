"""Every page as a picture, for people to look at: light and dark, small and large.

Runs only where POOLWRIGHT_SCREENSHOTS names the folder to write to (`make screenshots`).
"""

import os
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot
from tests.ui.conftest import thesis_design

from poolwright.rules.model import RuleBook
from poolwright.ui.parts.theme import Scheme, theme
from poolwright.ui.shell.main_window import MainWindow
from poolwright.ui.shell.registry import page_entries
from poolwright.ui.state.sources import example

FOLDER = os.environ.get("POOLWRIGHT_SCREENSHOTS", "")
SIZES = ((1024, 700), (1280, 800), (1920, 1080))

pytestmark = pytest.mark.skipif(not FOLDER, reason="POOLWRIGHT_SCREENSHOTS names no folder")


@pytest.mark.parametrize("scheme", [Scheme.LIGHT, Scheme.DARK])
def test_that_every_page_can_be_photographed(window: MainWindow, qtbot: QtBot, rules: RuleBook, scheme: Scheme) -> None:
    theme().choose(scheme)
    window.session.set_rules(rules)
    window.session.start_from(example("thesis"))
    window.session.change_design(thesis_design(), "Choose layout")
    Path(FOLDER).mkdir(parents=True, exist_ok=True)
    for width, height in SIZES:
        window.resize(width, height)
        for entry in page_entries():
            window.show_page(entry.name)
            qtbot.waitUntil(lambda: not window.session.jobs.jobs, timeout=30_000)
            qtbot.wait(100)
            path = Path(FOLDER, f"{entry.name}-{width}x{height}-{scheme.value}.png")
            assert window.grab().save(str(path))
