"""What all datasets of a pool take together, how full it is, and when 80 % is reached."""

from datetime import date, datetime

from PySide6.QtCore import QDate, QLocale
from PySide6.QtWidgets import QWidget

from poolwright.domain.units import PLAN_FILL_PERCENT, binary
from poolwright.predict.growth import FillForecast, Growth
from poolwright.predict.space import PoolSpace
from poolwright.texts import tell
from poolwright.ui.design.datasets.words import band_words
from poolwright.ui.parts import lay
from poolwright.ui.parts.origin_line import OriginLine
from poolwright.ui.parts.theme import GRID

_WIDEST = 54 * GRID


class SpaceSummary(QWidget):
    """Four lines; each unfolds where its number comes from."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.used = OriginLine(tell("All take"), self)
        self.fill = OriginLine(tell("Filled"), self)
        self.full = OriginLine(tell("80 % is reached"), self)
        self.special = OriginLine(tell("Special vdevs"), self)
        grid = lay.grid(of=self, gap=(2 * GRID, 0))
        for number, line in enumerate((self.used, self.fill, self.full, self.special)):
            line.setMaximumWidth(_WIDEST)
            grid.addWidget(line, number // 2, number % 2)
            grid.setColumnStretch(number % 2, 10)
        grid.setColumnStretch(2, 1)

    def show_space(self, space: PoolSpace | None, growth_percent: float | None, problem: str) -> None:
        """Show the sum; without any ``problem`` says why there is none."""
        unknown = tell("unknown")
        if space is None:
            for line in (self.used, self.fill, self.full):
                line.show_value(unknown, problem)
            self.special.hide()
            return
        least = tell("at least {size}") if space.uncounted else "{size}"
        self.used.show_value(
            least.format(size=binary(round(space.used.typical))),
            " ".join(
                (
                    tell(
                        "{band} of {size} available.", band=band_words(space.used), size=binary(space.available_bytes)
                    ),
                    *self._uncounted(space),
                    str(space.usage.used.origin),
                )
            ),
        )
        fill = space.fill_percent
        full = f"{fill.typical:.1f} %"
        if fill.typical > 100:
            full = tell("{full} (too small)", full=full)
        self.fill.show_value(
            least.format(size=full),
            tell(
                "{low:.1f} to {high:.1f} % of the data vdevs. {left} are left.",
                low=fill.low,
                high=fill.high,
                left=binary(max(0, space.free_bytes)),
            )
            if fill.typical <= 100
            else tell("{size} do not fit.", size=binary(-space.free_bytes)),
        )
        self._show_date(space, growth_percent)
        self._show_special(space)

    def _uncounted(self, space: PoolSpace) -> tuple[str, ...]:
        if not space.uncounted:
            return ()
        names = ", ".join(space.uncounted)
        return (tell("Not counted, for nobody said how much will lie in them: {names}.", names=names),)

    def _show_date(self, space: PoolSpace, growth_percent: float | None) -> None:
        if growth_percent is None:
            why = tell("Say on the workload page how much the data grow in a year, and the date follows.")
            self.full.show_value(tell("unknown"), why)
            return
        fill = space.full_at(Growth(percent=growth_percent), datetime.now().astimezone().date())
        told = tell(
            "{percent} % are {size}. Growth of {growth:g} % a year, a third faster and slower.",
            percent=PLAN_FILL_PERCENT,
            size=binary(fill.level_bytes),
            growth=growth_percent,
        )
        if space.fixed_bytes:
            told = f"{told} {tell('What volumes reserve does not grow.')}"
        self.full.show_value(self._when(fill), f"{self._span(fill)} {told}".strip())

    def _when(self, fill: FillForecast) -> str:
        if fill.reached:
            return tell("at once")
        return tell("not within 200 years") if fill.typical is None else _month(fill.typical)

    def _span(self, fill: FillForecast) -> str:
        if fill.reached or fill.typical is None:
            return ""
        latest = tell("later than 200 years") if fill.latest is None else _month(fill.latest)
        return tell("{earliest} to {latest}.", earliest=_month(fill.earliest or fill.typical), latest=latest)

    def _show_special(self, space: PoolSpace) -> None:
        usage = space.usage
        self.special.setVisible(usage.special_bytes is not None)
        if usage.special_bytes is None:
            return
        value = tell("{used} of {size}", used=binary(round(usage.special.typical)), size=binary(usage.special_bytes))
        if usage.special_overflows:
            value = tell("{value} (too small)", value=value)
        self.special.show_value(
            value,
            tell(
                "Metadata and small blocks: {band}. Small blocks stay off a special vdev that is 75 % full.",
                band=band_words(usage.special),
            ),
        )


def _month(day: date) -> str:
    return QLocale().toString(QDate(day.year, day.month, day.day), "MMMM yyyy")
