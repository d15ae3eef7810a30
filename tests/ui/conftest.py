"""A window with settings and data folders of its own; what it leaves behind fails the test."""

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QSettings
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from shiboken6 import isValid
from tests.leaks import nothing_leaks, worker_of_module

from poolwright.domain.design import Design, Member, Vdev
from poolwright.domain.vdev import VdevClass, VdevKind
from poolwright.rule_library import load_rules
from poolwright.rules.rulebook import RuleBook
from poolwright.ui.parts.theme import Scheme, theme
from poolwright.ui.shell.main_window import START_SIZE, MainWindow
from poolwright.ui.shell.warm_up import ShortCollections
from poolwright.ui.state.preferences import Preferences
from poolwright.ui.state.session import Session
from poolwright.ui.state.sources import example

__all__ = ["nothing_leaks", "worker_of_module"]


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep settings and data of the tests out of the user's folders."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


@pytest.fixture
def light(qapp: QApplication) -> Iterator[None]:
    theme().choose(Scheme.LIGHT)
    yield
    theme().choose(Scheme.SYSTEM)


@pytest.fixture
def settings(tmp_path: Path) -> QSettings:
    return QSettings(str(tmp_path / "window.ini"), QSettings.Format.IniFormat)


@pytest.fixture
def session(qapp: QApplication) -> Iterator[Session]:
    made = Session()
    yield made
    if isValid(made):
        made.library.close()
        made.deleteLater()  # with timers for what follows a moment later


@pytest.fixture
def window(qtbot: QtBot, session: Session, settings: QSettings, light: None) -> Iterator[MainWindow]:
    made = MainWindow(session, Preferences(settings))
    qtbot.addWidget(made)
    made.resize(*START_SIZE)  # the screen of the tests is smaller
    made.show()
    yield made
    made.close()
    made.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


@pytest.fixture
def designed(window: MainWindow, rules: RuleBook) -> MainWindow:
    """Return the window with the rules and a design, so that every page has something to show."""
    window.session.set_rules(rules)
    window.session.start_from(example("thesis"))
    window.session.change_design(thesis_design(), "Choose layout")
    return window


@pytest.fixture(scope="session")
def rules() -> RuleBook:
    return load_rules(with_own=False)


def thesis_design(*, width: int = 8, spares: int = 4) -> Design:
    """Return raidz2 vdevs of the thesis machine's disks of 6 TB, with spares."""
    inventory = example("thesis")
    keys = [disk.key for disk in inventory.disks if disk.size_bytes == 6_001_175_126_016]
    placed, kept = keys[: len(keys) - spares], keys[len(keys) - spares :]
    vdevs = [
        Vdev(kind=VdevKind.RAIDZ, parity=2, members=tuple(Member(disk_key=k) for k in placed[at : at + width]))
        for at in range(0, len(placed) - width + 1, width)
    ]
    if kept:
        members = tuple(Member(disk_key=k) for k in kept)
        vdevs.append(Vdev(kind=VdevKind.STRIPE, vdev_class=VdevClass.SPARE, members=members))
    return Design(
        key="thesis-raidz2",
        name="thesis, raidz2",
        pool_name="tank",
        host=inventory.host,
        disks=inventory.disks,
        vdevs=tuple(vdevs),
        inventory_name=inventory.name,
        inventory_origin=inventory.origin,
    )


@pytest.fixture
def design() -> Design:
    return thesis_design()


@pytest.fixture
def frozen() -> Iterator[None]:
    """Leave what the tests before made out of the collections, and collect as the program does."""
    gc.collect()
    collections = ShortCollections()
    collections.begin()
    yield
    collections.end()
    gc.unfreeze()
