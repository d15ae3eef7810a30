"""What a search of the catalogue may use: the ticked disks, so many bought ones, and which models."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QSpinBox, QWidget

from poolwright.texts import tell, tell_counted
from poolwright.ui.parts import lay
from poolwright.ui.parts.theme import GRID

_MOST_TO_BUY = 96


class BuyingQuestion(QWidget):
    """``asked`` is sent by the search button, ``most_changed`` with the most disks to buy (0: any number)."""

    asked = Signal()
    most_changed = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._hand = QCheckBox(self)
        self._hand.setAccessibleName(tell("Use the ticked disks too"))
        self._most = QSpinBox(self)
        self._most.setAccessibleName(tell("Most disks to buy"))
        self._most.setRange(0, _MOST_TO_BUY)
        self._most.setSpecialValueText(tell("buy any number"))
        self._most.setPrefix(tell("buy at most "))
        self._most.setKeyboardTracking(False)
        self._most.valueChanged.connect(self.most_changed)
        self._only_sold = QCheckBox(tell("Only models that are &still sold"), self)
        self._only_sold.setChecked(True)
        self._only_sold.setToolTip(
            tell("Without it, models that makers no longer sell are offered as well: used ones and old stock")
        )
        self.search = lay.button(tell("Search"), self, self.asked, icon="search", name=tell("Search what to buy"))
        first = lay.row(self._hand, 1, self._most, gap=2 * GRID)
        lay.column(first, lay.row(self._only_sold, 1, self.search, gap=2 * GRID), of=self)

    @property
    def with_hand(self) -> bool:
        """Tell whether the ticked disks are used as well."""
        return self._hand.isChecked() and self._hand.isEnabled()

    @property
    def with_old(self) -> bool:
        """Tell whether models that are no longer sold are offered too."""
        return not self._only_sold.isChecked()

    def show_state(self, ticked: int, most: int | None) -> None:
        """Show how many disks are ticked, and how many may be bought."""
        self._hand.setText(
            tell_counted("Together with the {count} ticked disk", "Together with the {count} ticked disks", ticked)
        )
        self._hand.setEnabled(ticked > 0)
        self._most.setValue(most or 0)
