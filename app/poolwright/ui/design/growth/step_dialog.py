"""The dialog in which a step of growth is written: what, to which vdev, how large, when, for how much."""

from datetime import date

from PySide6.QtCore import QDate, QLocale
from PySide6.QtWidgets import QWidget

from poolwright.changes.growth.plan import LARGER_FACTOR, GrowthPlan, Way, brings_disks, extended
from poolwright.domain.errors import UserError
from poolwright.domain.growth import MOST_PERCENT, GrowthKind, GrowthStep
from poolwright.domain.money import Money, money_typed, parse_money
from poolwright.domain.rates import drive_read
from poolwright.domain.units import binary, drive_text, drive_word, parse_drive_size
from poolwright.domain.vdev import VdevClass, VdevSpec, describe, parse_spec
from poolwright.texts import _, either
from poolwright.ui.design.dialog import FormDialog
from poolwright.ui.design.growth.stages import kind_title, work_text
from poolwright.ui.parts.assumption_form import today_text
from poolwright.ui.parts.form import Field, Remark, Typed
from poolwright.ui.parts.theme import GRID

_SIZED = (GrowthKind.ADD, GrowthKind.ATTACH, GrowthKind.REPLACE)
_WIDTH = 28 * GRID


class StepDialog(FormDialog):
    """Shows ``step``, which would follow on ``plan``, and what comes of it while it is changed.

    Of a ``fresh`` one nobody has typed anything yet.
    """

    def __init__(self, plan: GrowthPlan, step: GrowthStep, parent: QWidget, *, fresh: bool = False) -> None:
        super().__init__(_("Step of growth"), parent)
        self._plan, self._before = plan, step
        self._stage = plan.stages[-1]
        pool = self._stage.grown.pool
        tops = [(n, pool.name(n)) for n, top in enumerate(pool.tops) if not top.removed]
        self.show_fields(
            Field("kind", _("Step"), tuple((kind, kind_title(kind)) for kind in GrowthKind), width=_WIDTH),
            Field("top", _("Vdev"), tops, width=_WIDTH),
            Field("amount", _("Disks"), Typed(self._amount, _written, _amount_told), width=_WIDTH),
            Field("when", _("When"), Typed(_when, _when_written, _when_told), width=_WIDTH),
            Field(
                "price", _("Price of a disk"), Typed(self._price, money_typed, str), empty=_("unknown"), width=_WIDTH
            ),
        )
        self.form.edited.connect(self._on_edited)
        when = step.at_percent if step.at_percent is not None else step.on
        amount = None if fresh and self._stage.usable_bytes is None else step.vdev or step.size_bytes
        self._show(kind=step.kind, top=step.top, amount=amount, when=when, price=step.price_per_disk)

    def asked(self) -> GrowthStep:
        kind, amount, when = (self.form.value(name) for name in ("kind", "amount", "when"))
        before, price = self._before, self.form.value("price")
        kept = before.price_per_disk == price  # is still of the day on which it was typed
        alike = before.kind is kind
        return GrowthStep(
            kind=kind,
            vdev=amount if isinstance(amount, VdevSpec) else None,
            size_bytes=amount if isinstance(amount, int) else None,
            top=None if kind is GrowthKind.ADD else self.form.value("top"),
            at_percent=when if isinstance(when, int) else None,
            on=when if isinstance(when, str) else None,
            price_per_disk=price,
            price_on="" if price is None else before.price_on if kept else today_text(),
            disk_keys=before.disk_keys if alike else (),
            note=before.note if alike else "",
        )

    def outcome(self) -> tuple[str, bool]:
        step = self.asked()
        if step.kind in _SIZED and not brings_disks(step):
            return _("Write the disks as in raidz2:8x6TB for a vdev, 6TB for a disk."), False
        plan = extended(self._plan, step)
        if plan.problem is not None:
            return plan.problem.text, False
        gain, last = Way(steps=(step,), plan=plan).gain_bytes, plan.stages[-1]
        if gain is None:
            return _("What it gives is not known, for nobody knows the sizes of the disks."), True
        told = _("{gain} more: {size} usable.", gain=binary(gain), size=binary(last.usable_bytes))
        return f"{told} {work_text(last)}".rstrip(), True

    def _show(self, **values: object) -> None:
        for key, value in values.items():
            empty = {"when": _("at once"), "price": _("unknown")}.get(key, "")
            self.form.editor(key).show_value(value, Remark(text=""), empty)
        kind = self.form.value("kind")
        self.form.editor("top").setEnabled(kind is not GrowthKind.ADD)
        for key in ("amount", "price"):
            self.form.editor(key).setEnabled(kind in _SIZED)
        self.tell()

    def _on_edited(self, key: str, _value: object) -> None:
        if key in ("kind", "top"):
            self._show(amount=self._usual())

    def _usual(self) -> VdevSpec | int | None:
        """Return what is most likely meant: a vdev like the last, a disk like those of the vdev, one twice as large."""
        kind: GrowthKind = self.form.value("kind")
        tops = self._stage.grown.pool.tops
        if self._stage.usable_bytes is None or kind not in _SIZED:
            return None
        if kind is GrowthKind.ADD:
            data = [t for t in tops if not t.removed and t.spec.vdev_class is VdevClass.DATA]
            return data[-1].exact if data else None
        top: int = self.form.value("top")
        least = min(tops[top].spec.sizes)
        return least if kind is GrowthKind.ATTACH else LARGER_FACTOR * least

    def _amount(self, text: str) -> VdevSpec | int:
        return parse_spec(text) if self.form.value("kind") is GrowthKind.ADD else parse_drive_size(text)

    def _price(self, text: str) -> Money:
        return parse_money(text, currency=self._stage.grown.origin.budget.reckoned_in, what="price")


def _written(amount: VdevSpec | int) -> str:
    return amount.written(drive_word) if isinstance(amount, VdevSpec) else drive_text(amount)


def _amount_told(amount: VdevSpec | int) -> str:
    if isinstance(amount, int):
        return drive_read(amount)
    sizes = sorted(set(amount.sizes))
    return _("{vdev}, each {disk}", vdev=describe((amount,)), disk=either([drive_read(size) for size in sizes[:2]]))


def _when(text: str) -> int | str:
    """Return a fill level in per cent, or a day. Raises UserError."""
    text = text.strip()
    level = text.rstrip("% ")
    if level.isdecimal() and 0 < int(level) <= MOST_PERCENT:
        return int(level)
    try:
        date.fromisoformat(f"{text}-01" if len(text) == len("2028-03") else text)
    except ValueError:
        raise UserError(
            _("“{text}” is neither a fill level nor a month", text=text), todo=_("Write 80 % or 2028-03.")
        ) from None
    return text


def _when_written(when: int | str) -> str:
    return f"{when} %" if isinstance(when, int) else when


def _when_told(when: int | str) -> str:
    if isinstance(when, int):
        return _("when {percent} % of USED + AVAIL are used", percent=when)
    day = date.fromisoformat(f"{when}-01"[: len("2028-03-01")])
    return QLocale().toString(QDate(day.year, day.month, day.day), "d MMMM yyyy")
