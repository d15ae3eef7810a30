"""Rows of assumptions that can be typed over: empty is what the model or the machine says."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from PySide6.QtWidgets import QWidget

from poolwright.domain.reserve import ReservedPartition, parse_reserve
from poolwright.texts import N_
from poolwright.ui.parts.form import Field, Form, Remark
from poolwright.ui.state.expectations import Expectations, today_here


def today_text() -> str:
    return today_here().isoformat()


class Standing(NamedTuple):
    """What holds while nothing is typed, short enough for an empty field, and why it does."""

    value: str
    why: str


class AssumptionForm(Form):
    """Shows and changes some of what `Expectations` assume."""

    def __init__(
        self, rows: Sequence[Field], expectations: Expectations, parent: QWidget | None = None, *, least_names: int = 0
    ) -> None:
        super().__init__(parent, least_names=least_names)
        self._expectations = expectations
        self.add(*rows)
        self.edited.connect(self._on_edited)

    def show_standing(self, standing: Mapping[str, Standing]) -> None:
        for key, holds in standing.items():
            self.editor(key).show_value(getattr(self._expectations.assumed, key), Remark(text=holds.why), holds.value)

    def _on_edited(self, key: str, value: object) -> None:
        self._expectations.assume(**{key: value})


# Room beside the data as the makers of systems divide disks, to be chosen instead of typed.

# Key, what it is called, and what is reserved.
USUAL_RESERVES = (
    ("proxmox", N_("Proxmox VE"), ("bios=1MiB", "esp=1GiB")),
    ("truenas", N_("older TrueNAS"), ("truenas=2GiB",)),
    ("debian", N_("Debian"), ("bios=1MiB", "esp=512MiB")),
    ("system", N_("ESP, boot, swap"), ("esp=512MiB", "boot=2GiB", "swap=8GiB:last")),
)


def usual_partitions(texts: tuple[str, ...]) -> tuple[ReservedPartition, ...]:
    return tuple(parse_reserve(text).partition for text in texts)
