"""The fields for room beside the data: as a maker of systems divides disks, or in sizes of one's own."""

from PySide6.QtCore import QObject, Signal

from poolwright.domain.reserve import ReservedPartition, parse_reserves
from poolwright.domain.units import binary
from poolwright.texts import listed, marked, tell
from poolwright.ui.parts.form import FactChoice, FactEntry, Form, Remark, Typed
from poolwright.ui.parts.usual_reserves import USUAL_RESERVES, usual_partitions

Reserve = tuple[ReservedPartition, ...]
_OWN = "own"
_LONGEST = 200
_HELP = marked(
    "Such as esp=1GiB swap=8GiB:last; also bios, boot, raid, truenas, and bare for room without a partition."
)


class RoomBeside(QObject):
    """Two rows of a form. ``changed`` carries what is reserved on each data disk."""

    changed = Signal(object)

    def __init__(self, form: Form) -> None:
        super().__init__(form)
        usual = tuple((usual_partitions(texts), tell(title)) for _, title, texts in USUAL_RESERVES)
        self._usual = {value for value, _ in usual}
        self.choice = FactChoice(
            tell("Room beside the data"), (((), tell("none")), *usual, (_OWN, tell("as typed below"))), form
        )
        self.sizes = FactEntry(tell("Reserved on each disk"), Typed(parse_reserves, reserve_shown), form)
        self.sizes.setMaxLength(_LONGEST)
        form.add_row(tell("Room beside the data"), self.choice)
        form.add_row(tell("Reserved on each disk"), self.sizes)
        self.choice.value_changed.connect(self._on_chosen)
        self.sizes.value_changed.connect(self._on_typed)
        self.sizes.editingFinished.connect(self._show_beginning)

    def show_reserve(self, reserve: Reserve) -> None:
        chosen: object = reserve if not reserve or reserve in self._usual else _OWN
        about = tell("Partitions of other systems on the data disks. The ranking counts without them.")
        self.choice.show_value(chosen, Remark(text=about))
        self.sizes.show_value(reserve or None, Remark(text=_told(reserve) if reserve else tell(_HELP)), tell("nothing"))

    def _on_chosen(self, value: object) -> None:
        if value == _OWN:
            self.sizes.setFocus()
        else:
            self.changed.emit(value)
            self._show_beginning()

    def _show_beginning(self) -> None:
        """Show the text as one reads it: it is longer than its field."""
        self.sizes.setCursorPosition(0)

    def _on_typed(self, value: object) -> None:
        self.changed.emit(value if isinstance(value, tuple) else ())


def reserve_shown(reserve: Reserve) -> str:
    return " ".join(str(partition) for partition in reserve)


def _told(reserve: Reserve) -> str:
    parts = [tell("{what} {size}", what=one.words, size=binary(one.size_bytes)) for one in reserve]
    size = binary(sum(partition.size_bytes for partition in reserve))
    return tell("{size} of each data disk: {parts}.", parts=listed(parts), size=size)
