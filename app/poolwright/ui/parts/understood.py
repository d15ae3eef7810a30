"""What the text of a field means, or why it cannot be read, told below it while it is typed."""

from collections.abc import Callable

from PySide6.QtWidgets import QLineEdit, QSizePolicy, QWidget

from poolwright.domain.errors import PoolwrightError
from poolwright.texts import tell
from poolwright.ui.parts.form import Remark, RemarkLabel
from poolwright.ui.parts.theme import GRID, Tone

_LINE = 2 * GRID


class Understood(RemarkLabel):
    """``read`` turns a text into words, or raises what is wrong. An empty text is not spoken of.

    The place of ``lines`` lines is kept from the beginning, so that nothing moves; what does not fit is in the tip.
    """

    def __init__(self, field: QLineEdit, read: Callable[[str], str], parent: QWidget, *, lines: int = 1) -> None:
        super().__init__(parent)
        self._field, self._read = field, read
        self.name(tell("What is understood: {field}", field=field.accessibleName()))
        self.setFixedHeight(lines * _LINE + GRID // 2)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        field.textChanged.connect(self.read_again)
        self.read_again()

    def read_again(self) -> None:
        """Tell anew; for when what a text means depends on something else that has changed."""
        remark = Remark(text="")
        if self._field.isEnabled() and self._field.text().strip():
            try:
                remark = Remark(text=f"= {self._read(self._field.text())}")
            except PoolwrightError as error:
                remark = Remark(text=error.text, tone=Tone.WARN)
        self.show_remark(remark)
        self.setToolTip(remark.text)
        self._field.setAccessibleDescription(remark.text)
