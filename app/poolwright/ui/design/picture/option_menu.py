"""A menu of options that is made anew each time it opens: every line with what it would do, or why it cannot be."""

from collections.abc import Callable

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from poolwright.texts import tell
from poolwright.ui.design.picture.editing import Editing
from poolwright.ui.design.picture.effects import effect_of
from poolwright.ui.design.picture.options import Option

_LONGEST = 90


class OptionMenu(QMenu):
    """``make`` returns the options for the selection of the moment; ``further`` are actions that stand below them."""

    def __init__(
        self,
        title: str,
        editing: Editing,
        make: Callable[[Editing], list[Option]],
        parent: QWidget,
        further: tuple[QAction, ...] = (),
    ) -> None:
        super().__init__(title, parent)
        self._editing, self._make, self._further = editing, make, further
        self._options: list[Option] = []
        self.setAccessibleName(title)
        self.setToolTipsVisible(True)
        self.aboutToShow.connect(self.fill)
        self.triggered.connect(self._on_triggered)

    def fill(self) -> None:
        """Offer what is possible with the selection now."""
        self.clear()
        self._options = self._make(self._editing)
        for number, option in enumerate(self._options):
            if option.apart and number:
                self.addSeparator()
            self._add(number, option)
        if not self._options:
            nothing = self.addAction(tell("Nothing is selected that this applies to"))
            nothing.setEnabled(False)
        if self._further:
            self.addSeparator()
            self.addActions(list(self._further))

    def _add(self, number: int, option: Option) -> None:
        text, possible, effect = option.text.replace("&", "&&"), True, ""
        if option.change is not None and not option.checked:
            told = effect_of(self._editing, option.change)
            possible, effect = told.possible, told.text
        shown = effect if len(effect) <= _LONGEST else f"{effect[:_LONGEST]}…"
        action = self.addAction(f"{text}\t{shown}" if shown else text)
        action.setData(number)
        action.setEnabled(possible)
        action.setToolTip(effect)
        action.setCheckable(option.checked)
        action.setChecked(option.checked)

    def _on_triggered(self, action: QAction) -> None:
        number = action.data()
        if action in self._further or not isinstance(number, int) or number >= len(self._options):
            return
        option = self._options[number]
        if not option.checked:
            option.run()
