"""A predicted value on a line: name, value, bar with its band; a press tells where it comes from."""

from collections.abc import Callable

from PySide6.QtWidgets import QVBoxLayout, QWidget

from poolwright.domain.estimate import Estimate
from poolwright.predict.number_words import CANNOT_TELL, band_text, untold_text
from poolwright.texts import tell
from poolwright.ui.parts import lay
from poolwright.ui.parts.estimate_bar import EstimateBar
from poolwright.ui.parts.expected_words import origin_text
from poolwright.ui.parts.labels import ToneLabel
from poolwright.ui.parts.origin_line import OriginLine
from poolwright.ui.parts.theme import GRID, Tone

_HEIGHT = 3 * GRID  # the bar below belongs to the line


class EstimateLine(OriginLine):
    """``text`` writes a value with its unit. With ``told`` low and high end stand below in words as well.

    ``measurable`` is what a benchmark could tell: a band too wide for a value says so instead of one.
    """

    def __init__(
        self,
        label: str,
        text: Callable[[float], str],
        parent: QWidget | None = None,
        *,
        told: bool = False,
        measurable: bool = False,
    ) -> None:
        super().__init__(label, parent)
        self._text, self._measurable = text, measurable
        self.bar = EstimateBar(self)
        below = QWidget(self)
        column = lay.column(self.bar, of=below, gap=0, around=(GRID, 0, GRID, 2 if not told else GRID // 2))
        self._band: ToneLabel | None = None
        if told:
            self._band = ToneLabel("", Tone.MUTED, below, small=True)
            column.addWidget(self._band)
        whole = self.layout()
        assert isinstance(whole, QVBoxLayout)
        whole.insertWidget(1, below)
        self.button.setMinimumHeight(_HEIGHT)

    def show_estimate(
        self, estimate: Estimate, most: float, *more: str, before: Estimate | None = None, told: str = ""
    ) -> None:
        """Show ``estimate`` on an axis up to ``most``; ``more`` are further sentences on where it comes from.

        ``before`` is what it was without what is known now; ``told`` replaces the band in words.
        """
        band = band_text(estimate, self._text)
        value = self._text(estimate.typical)
        if self._measurable and estimate.cannot_tell:
            value = untold_text(estimate, self._text, CANNOT_TELL)
            more = (tell("too wide a band for a value: run the benchmark on this host"), *more)
        self.show_value(value, origin_text(estimate, self._text, *more))
        self.bar.show_estimate(estimate, most, before)
        self.bar.setToolTip(band)
        if self._band is not None:
            self._band.setText(told or f"{band} · {estimate.limit}")
