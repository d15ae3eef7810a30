"""What the risk of a pool is made of: a row for each kind of vdev."""

from math import expm1

from PySide6.QtCore import QObject

from poolwright.domain.vdev import VdevClass, VdevKind
from poolwright.predict.number_words import hours_text, odds_text
from poolwright.predict.reliability import Risk, VdevRisk
from poolwright.texts import tell
from poolwright.ui.parts.table import RowModel, text_columns


class RiskTerms(RowModel[tuple[str, ...]]):
    """The kinds of vdev, the one that contributes most first."""

    def __init__(self, parent: QObject | None = None) -> None:
        headings = (
            (tell("vdevs"), tell("How many vdevs of this kind the pool has")),
            (tell("Loss"), tell("The probability that these vdevs lose the pool within a year, by whatever cause")),
            (tell("Share"), tell("Of the risk of the pool")),
            (tell("Disks alone"), tell("That by failures of disks one by one")),
            (tell("AFR"), tell("Failures per hundred disk years of these disks")),
            (tell("Rebuild"), tell("From the start of a rebuild to full redundancy")),
            (tell("Repair"), tell("From a first failure to full redundancy, the wait for a disk included")),
            (tell("Spare"), tell("How likely a spare is free when a first disk fails")),
        )
        super().__init__(text_columns(headings, left=1), parent)

    def show_risk(self, risk: Risk) -> None:
        whole = sum(vdev.log_kept_of_all * count for vdev, count in risk.vdevs) + risk.log_spared(1)
        terms = (_term(vdev, count, whole) for vdev, count in sorted(risk.vdevs, key=_contribution))
        self.show_rows((*terms, *_units(risk, whole), _whole_machine(risk, whole)))


def _term(vdev: VdevRisk, count: int, whole: float) -> tuple[str, ...]:
    return (
        f"{count} × {vdev_name(vdev)}" if count > 1 else vdev_name(vdev),
        odds_text(-expm1(vdev.log_kept_of_all * count)),
        f"{100 * vdev.log_kept_of_all * count / whole:.0f} %",
        odds_text(-expm1(vdev.log_kept * count)),
        f"{vdev.drive.typical:.2f} %",
        tell("none") if vdev.rebuild is None else hours_text(vdev.rebuild.typical),
        tell("none") if vdev.repair is None else hours_text(vdev.repair.typical),
        "–" if vdev.rebuild is None else f"{100 * vdev.spare_free:.0f} %",
    )


def _units(risk: Risk, whole: float) -> tuple[tuple[str, ...], ...]:
    """Return the row of shelves and controllers that take the pool with them; none where there are no such."""
    if not risk.units:
        return ()
    lost, none = len(risk.units) * risk.causes.log_unit(1), "–"
    name = ", ".join(sorted(risk.units))
    return ((name, odds_text(-expm1(lost)), f"{100 * lost / whole:.0f} %", none, none, none, none, none),)


def _whole_machine(risk: Risk, whole: float) -> tuple[str, ...]:
    """Return the row of what no layout prevents: controller, software, a wrong command."""
    spared = risk.causes.log_spared(1)
    none = "–"
    name, odds = tell("whole machine"), odds_text(-expm1(spared))
    return (name, odds, f"{100 * spared / whole:.0f} %", none, none, none, none, none)


def vdev_name(vdev: VdevRisk) -> str:
    """Return a kind of vdev in words: raidz2 of 8, special mirror of 2, single disk."""
    spec = vdev.spec
    front = "" if spec.vdev_class is VdevClass.DATA else f"{spec.vdev_class.value} "
    if spec.kind is VdevKind.STRIPE:
        return front + tell("single disk")
    return front + tell("{kind} of {width}", kind=spec.word, width=spec.width)


def _contribution(part: tuple[VdevRisk, int]) -> float:
    vdev, count = part
    return vdev.log_kept_of_all * count
