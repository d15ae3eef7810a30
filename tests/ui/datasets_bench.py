"""The pane of datasets on a bench, and the steps a person takes in it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QTreeWidgetItem, QWidget
from pytestqt.qtbot import QtBot
from tests.ui.conftest import thesis_design
from tests.ui.controls import there

from poolwright.domain.design import Dataset, Design, Setting
from poolwright.domain.units import TIB
from poolwright.domain.workload import Goal, Workload
from poolwright.ui.design.datasets.pane import DatasetsPane
from poolwright.ui.design.datasets.properties import PropertyColumn
from poolwright.ui.design.datasets.tree import DatasetColumn
from poolwright.ui.state.session import Session


def designed() -> Design:
    return replace(
        thesis_design(),
        workload=Workload(goal=Goal.SAFETY, growth_percent=20, compressible=False),
        datasets=(
            Dataset(name="", settings=(Setting(name="compression", value="zstd", reason="packs well", rule_id="r"),)),
            Dataset(name="home", logical_bytes=8 * TIB),
            Dataset(name="home/ann", logical_bytes=TIB),
            Dataset(name="later"),
            Dataset(
                name="vm",
                volume_bytes=2 * TIB,
                logical_bytes=TIB,
                settings=(Setting(name="volblocksize", value="8K"), Setting(name="refreservation", value="none")),
            ),
        ),
    )


@contextmanager
def opened(session: Session, qtbot: QtBot) -> Iterator[DatasetsPane]:
    """Show the datasets of `designed` without the window around them."""
    around = QWidget()  # without a layout, so that the window keeps its size whatever the pane asks for
    around.resize(736, 520)
    made = DatasetsPane(session, around)
    made.setGeometry(around.rect())
    qtbot.addWidget(around)
    session.changed.connect(made.refresh)  # as the page does for the part in front
    around.show()
    session.put_design(designed())
    around.activateWindow()
    qtbot.waitUntil(around.isActiveWindow)
    yield made
    session.changed.disconnect(made.refresh)


def names(pane: DatasetsPane) -> list[str]:
    design = there(pane.session.design)
    return [d.name for d in design.datasets]


def dataset(pane: DatasetsPane, name: str) -> Dataset:
    design = there(pane.session.design)
    return next(d for d in design.datasets if d.name == name)


def settings(pane: DatasetsPane, name: str) -> dict[str, str]:
    return {s.name: s.value for s in dataset(pane, name).settings}


def cell(pane: DatasetsPane, name: str, column: DatasetColumn) -> str:
    return line(pane, name).text(column)


def line(pane: DatasetsPane, name: str) -> QTreeWidgetItem:
    return there(pane.tree.item_of(name))


def undo(pane: DatasetsPane) -> None:
    pane.session.undo_steps.undo()


def key(widget: QWidget, pressed: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    QTest.keyClick(widget, pressed, modifiers)


def focused() -> QWidget:
    return there(QApplication.focusWidget())


def to_properties(pane: DatasetsPane, name: str, property_name: str) -> None:
    pane.select(name)
    pane.panes.bring_to_front(pane.properties)
    assert pane.properties.select(property_name)
    pane.properties.view.setFocus()


def property_cell(pane: DatasetsPane, name: str, column: PropertyColumn) -> str:
    row = there(pane.properties.table.line_of(name))
    return str(pane.properties.table.index(row, column).data())


def complaint(pane: DatasetsPane) -> str:
    return pane.complaint.text() if pane.complaint.isVisible() else ""
