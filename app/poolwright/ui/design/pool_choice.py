"""Which of the design's pools a part of the page shows."""

from collections.abc import Callable

from PySide6.QtWidgets import QComboBox, QWidget

from poolwright.domain.design import Design
from poolwright.ui.state.session import Session


class PoolChoice(QComboBox):
    """Seen where a design has several pools; ``chosen`` is called when another one is taken."""

    def __init__(self, name: str, session: Session, chosen: Callable[[], object], parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self.setAccessibleName(name)
        self.currentIndexChanged.connect(chosen)

    @property
    def number(self) -> int:
        return max(0, self.currentIndex())

    def pool(self) -> Design | None:
        design = self._session.design
        return None if design is None else design.pools()[self.number]

    def show_pools(self) -> Design | None:
        """Offer the pools of the session's design, and return the one in front."""
        design = self._session.design
        names = [] if design is None else [pool.pool_name for pool in design.pools()]
        if names != [self.itemText(number) for number in range(self.count())]:
            front = min(self.number, max(0, len(names) - 1))
            self.blockSignals(True)
            self.clear()
            self.addItems(names)
            self.setCurrentIndex(front)
            self.blockSignals(False)
        self.setVisible(len(names) > 1)
        return self.pool()
