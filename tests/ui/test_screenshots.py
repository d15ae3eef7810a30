"""Every page and every tab of it as a picture, for people to look at: light and dark, small and large.

Runs only where POOLWRIGHT_SCREENSHOTS names the folder to write to (`make screenshots`). QT_SCALE_FACTOR draws them as
on a screen of 150 or 200 %: then in the window that fits there, 800 by 500.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QTabBar
from pytestqt.qtbot import QtBot

from poolwright.ui.parts.theme import Scheme, theme
from poolwright.ui.shell.main_window import MainWindow
from poolwright.ui.shell.pages import page_entries

FOLDER = os.environ.get("POOLWRIGHT_SCREENSHOTS", "")
SCALE = float(os.environ.get("QT_SCALE_FACTOR", "1"))
SIZES = ((800, 500), (1280, 800), (1920, 1080)) if SCALE == 1 else ((800, 500),)

pytestmark = pytest.mark.skipif(not FOLDER, reason="POOLWRIGHT_SCREENSHOTS names no folder")


@pytest.mark.parametrize("scheme", [Scheme.LIGHT, Scheme.DARK])
def test_that_every_page_can_be_photographed(designed: MainWindow, qtbot: QtBot, scheme: Scheme) -> None:
    window = designed
    theme().choose(scheme)
    Path(FOLDER).mkdir(parents=True, exist_ok=True)
    for width, height in SIZES:
        window.resize(width, height)
        for entry in page_entries():
            window.show_page(entry.name)
            for name in views(window, entry.name):
                qtbot.waitUntil(lambda: not window.session.jobs.jobs, timeout=30_000)
                qtbot.wait(400)
                path = Path(FOLDER, f"{name}-{width}x{height}-{round(100 * SCALE)}-{scheme.value}.png")
                assert window.grab().save(str(path))


def views(window: MainWindow, page: str) -> Iterator[str]:
    """Turn to each tab of the page that is shown, one after the other, and name what is seen then."""
    tabs = [bar for bar in window.page(page).findChildren(QTabBar) if bar.isVisible() and bar.count() > 1]
    if not tabs:
        yield page
        return
    for index in range(tabs[0].count()):
        tabs[0].setCurrentIndex(index)
        yield f"{page}-{index + 1}"
