"""The summary shows its values whole, whatever they are."""

import pytest
from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QLabel, QScrollArea
from tests.ui.conftest import thesis_design

from poolwright.ui.parts.estimate_line import EstimateLine, OriginLine
from poolwright.ui.shell.main_window import MainWindow


@pytest.mark.parametrize("value", ["cannot tell", "123,456 fresh, 12,345 aged", "1 in 1,000,000", "12,345.67 GB/s"])
def test_that_no_value_of_the_summary_is_cut(window: MainWindow, value: str) -> None:
    window.resize(1280, 800)
    window.session.show_design(thesis_design())
    area = window.summary.findChild(QScrollArea)
    assert area is not None
    for line in area.findChildren(OriginLine):
        if isinstance(line, EstimateLine):
            line.show_value(value, "")
    QCoreApplication.processEvents()
    inner = area.widget()
    assert inner is not None
    assert inner.width() <= area.viewport().width()
    for line in inner.findChildren(OriginLine):
        label = next(w for w in line.button.findChildren(QLabel) if w.text() == value or w.font().bold())
        right = label.mapTo(inner, label.rect().topRight()).x()
        assert right < area.viewport().width()
        assert label.sizeHint().width() <= label.width()
