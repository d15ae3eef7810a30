"""What disks would not tell for lack of rights, and the offer to read them as administrator."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from poolwright.domain.inventory import Inventory
from poolwright.process.administrator import helper_problem
from poolwright.texts import first_of, says, tell, tell_counted
from poolwright.ui.parts.notice import Message, Notice
from poolwright.ui.parts.theme import Tone

_ASK = "ask"  # for machines
THIS_MACHINE = "this machine"  # for machines
_BY_HAND = "poolwright collector | sudo sh > machine.capture"  # for machines


class RightsNotice(Notice):
    """Shown while facts of this machine's disks are missing for lack of rights; ``wanted`` asks to read with them."""

    wanted = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(tell("Missing rights"), parent)
        self.pressed.connect(self._on_pressed)

    def show_for(self, inventory: Inventory | None, refusal: str) -> None:
        """Say what is missing of an inventory; ``refusal`` is why it was not read as administrator when asked for."""
        here = inventory is not None and says(inventory.origin.source, THIS_MACHINE)
        if inventory is None or not here or not inventory.denied:
            self.hide()
            return
        names = first_of([path.removeprefix("/dev/") for path in inventory.denied], 4)
        missing = tell_counted(
            "{count} disk ({names}) told no health, hours and exact sectors: only the administrator is told.",
            "{count} disks ({names}) told no health, hours and exact sectors: only the administrator is told.",
            len(inventory.denied),
            names=names,
        )
        problem = helper_problem()
        why = refusal or problem or ""
        self.say(
            Message(
                title=missing,
                tone=Tone.WARN if refusal else Tone.NOTE,
                reasons=tell("Not read as administrator: {why}.", why=why) if why else "",
                todo=tell("In a terminal: {command}, then open the capture.", command=_BY_HAND) if why else "",
                offers=() if problem else ((tell("Read as administrator"), _ASK),),
            )
        )

    def _on_pressed(self, asked: str) -> None:
        if asked == _ASK:
            self.wanted.emit()
