"""A predicted value on a line: name, value, bar with its band; a press tells where it comes from."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from poolwright.design.evaluate import Evaluation, PoolEvaluation
from poolwright.domain.estimate import Estimate
from poolwright.domain.rates import rate_text
from poolwright.predict.assessment import Assessment
from poolwright.predict.cost import Cost
from poolwright.predict.groups import longest
from poolwright.predict.number_words import (
    SPEED_TITLES,
    advice_on,
    band_text,
    between_text,
    hours_text,
    money_text,
    odds_text,
    operations_text,
    speed_text,
    units_words,
)
from poolwright.predict.reliability import joined
from poolwright.texts import _
from poolwright.ui.parts import icons, lay
from poolwright.ui.parts.card import inert
from poolwright.ui.parts.icons import Mark
from poolwright.ui.parts.lay import ElidedLabel, ToneLabel
from poolwright.ui.parts.theme import GRID, Tone, text_font, theme
from poolwright.ui.state.money_of_budget import money_words

_LONGEST_BESIDE = 20

# A line of the summary: a name, a value, and on a press where the value comes from.


class _LineButton(QAbstractButton):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setCheckable(True)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def paintEvent(self, _event: QPaintEvent) -> None:
        if not (self.underMouse() or self.hasFocus() or self.isChecked()):
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(theme().colour(Tone.ACCENT) if self.hasFocus() else Qt.PenStyle.NoPen)
        painter.setBrush(theme().colour(Tone.SELECTION) if self.isChecked() else theme().colour("button"))
        painter.drawRoundedRect(self.rect().adjusted(0, 0, -1, -1), 4, 4)


class OriginLine(QWidget):
    """Shows ``label`` and a value side by side; a press unfolds the origin below."""

    def __init__(self, label: str, parent: QWidget | None = None, *, icon: str = "", tone: Tone = Tone.TEXT) -> None:
        super().__init__(parent)
        self.button = _LineButton(self)
        mark = inert(Mark(icon, self.button, tone, icons.SMALL))
        mark.setVisible(bool(icon))
        self._label = inert(ElidedLabel(Tone.MUTED, self.button))
        self._label.show_text(label)
        self._label.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        self._value = inert(QLabel(self.button))
        self._value.setFont(text_font(semibold=True))
        self._value.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        around = (GRID, GRID // 2, GRID, GRID // 2)
        self._row = lay.row(mark, self._label, (self._value, 1), of=self.button, around=around)
        self.origin = ToneLabel("", Tone.TEXT, self, small=True)
        lay.room(self.origin, around=(GRID, GRID // 2, GRID, GRID))
        self.origin.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.origin.hide()
        lay.column(self.button, self.origin, of=self, gap=0)
        self.button.setMinimumHeight(4 * GRID)
        self.button.toggled.connect(self.origin.setVisible)

    def show_value(self, value: str, origin: str) -> None:
        self._value.setText(value)
        # Beside its name it would push all values of a narrow summary out of sight.
        long = len(value) > _LONGEST_BESIDE and len(self._label.text()) > len(value) // 3
        self._row.setDirection(QBoxLayout.Direction.TopToBottom if long else QBoxLayout.Direction.LeftToRight)
        self.origin.setText(origin)
        self.button.setAccessibleName(f"{self._label.text()}: {value}")
        self.button.setAccessibleDescription(origin)
        self.button.setToolTip(_("Show where this comes from"))


_HEIGHT = 3 * GRID  # the bar below belongs to the line


class EstimateLine(OriginLine):
    """``text`` writes a value with its unit; a band too wide for a value says so instead of one."""

    def __init__(self, label: str, text: Callable[[float], str], parent: QWidget | None = None) -> None:
        super().__init__(label, parent)
        self._text = text
        self.bar = EstimateBar(self)
        below = QWidget(self)
        lay.column(self.bar, of=below, gap=0, around=(GRID, 0, GRID, 2))
        whole = self.layout()
        assert isinstance(whole, QVBoxLayout)
        whole.insertWidget(1, below)
        self.button.setMinimumHeight(_HEIGHT)

    def show_estimate(self, estimate: Estimate, most: float, *more: str, before: Estimate | None = None) -> None:
        """Show ``estimate`` on an axis up to ``most``; ``more`` are further sentences on where it comes from.

        ``before`` is what it was without what is known now.
        """
        if estimate.cannot_tell:
            more = (_("too wide a band for a value: run the benchmark on this host"), *more)
        self.show_value(speed_text(estimate, self._text), origin_text(estimate, self._text, *more))
        self.bar.show_estimate(estimate, most, before)
        self.bar.setToolTip(band_text(estimate, self._text))


# A predicted value as a bar from zero, with its band over it and, behind, what it was before.

_ESTIMATE_BAR_HEIGHT = 13
_BAR, _WHISKER = 6, 12


class EstimateBar(QWidget):
    """Draws an estimate on an axis from 0 to ``most``; nothing until `show_estimate`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._estimate: Estimate | None = None
        self._before: Estimate | None = None
        self._most = 1.0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(8 * GRID)
        theme().changed.connect(self.update)

    def show_estimate(self, estimate: Estimate | None, most: float, before: Estimate | None = None) -> None:
        shown = (estimate, before, max(most, 1e-300))
        if shown != (self._estimate, self._before, self._most):
            self._estimate, self._before, self._most = shown
            self.update()

    @property
    def shares(self) -> tuple[float, float, float] | None:
        if self._estimate is None:
            return None
        low, typical, high = (self._share(v) for v in (self._estimate.low, self._estimate.typical, self._estimate.high))
        return low, typical, high

    def sizeHint(self) -> QSize:
        return QSize(20 * GRID, _ESTIMATE_BAR_HEIGHT)

    def paintEvent(self, _event: QPaintEvent) -> None:
        shares = self.shares
        if shares is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colours = theme()
        middle = self.height() / 2
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colours.colour("line"))
        painter.drawRect(QRectF(0, middle - _BAR / 2, self.width(), _BAR))
        low, typical, high = (share * self.width() for share in shares)
        if self._before is not None:
            self._paint_before(painter, middle)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colours.colour(Tone.ACCENT))
        painter.drawRect(QRectF(0, middle - _BAR / 2, typical, _BAR))
        # The band: lighter over what may be missing, tinted over what may be gained, its ends as whiskers.
        shade = QColor(colours.colour("base"))
        shade.setAlpha(120)
        painter.setBrush(shade)
        painter.drawRect(QRectF(low, middle - _BAR / 2, typical - low, _BAR))
        shade = QColor(colours.colour(Tone.ACCENT))
        shade.setAlpha(90)
        painter.setBrush(shade)
        painter.drawRect(QRectF(typical, middle - _BAR / 2, high - typical, _BAR))
        painter.setPen(QPen(colours.colour(Tone.TEXT), 1.2))
        for at in (low, high):
            painter.drawLine(*_whisker(at, middle, self.width(), _BAR / 2 + 1))
        painter.setPen(QPen(colours.colour(Tone.TEXT), 2.0))
        painter.drawLine(*_whisker(typical, middle, self.width(), _WHISKER / 2))

    def _paint_before(self, painter: QPainter, middle: float) -> None:
        assert self._before is not None
        pen = QPen(theme().colour(Tone.MUTED), 1.0, Qt.PenStyle.DotLine)
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        left, right = (self._share(v) * self.width() for v in (self._before.low, self._before.high))
        painter.drawRect(QRectF(left, middle - _WHISKER / 2, max(1.0, right - left - 1), _WHISKER))

    def _share(self, value: float) -> float:
        return min(1.0, max(0.0, value / self._most))


def _whisker(at: float, middle: float, width: float, reach: float) -> tuple[int, int, int, int]:
    x = round(min(max(at, 1.0), width - 1.0))
    return x, round(middle - reach), x, round(middle + reach)


# The words behind a predicted number; see `predict.number_words` for the number itself.


def sentence(text: str) -> str:
    text = text.strip()
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith(('.', '?')) else '.'}" if text else ""


def origin_text(estimate: Estimate, text: Callable[[float], str], *more: str) -> str:
    """Return what stands behind an estimate, a line each: its band, what limits it, the model with its error."""
    lines = [
        between_text(estimate, text),
        _("Limited by: {limit}.", limit=estimate.limit),
        *(sentence(part) for part in str(estimate.origin).split("; ")),
        *(sentence(part) for part in more if part),
    ]
    return "\n".join(lines)


# What is predicted of the current design, as lines of the summary.


def _per_second(value: float) -> str:
    return f"{operations_text(value)}/s"


# Those that share an axis, with the text of their values.
_SPEEDS = {("seq_read", "seq_write"): rate_text, ("rand_read_iops", "rand_write_iops"): _per_second}


class PredictedLines(QWidget):
    """Speeds as bars with their bands, risk, rebuild time and cost; hidden where nothing can be predicted."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        column = lay.column(of=self, gap=0)
        self.speeds = {
            name: EstimateLine(_(SPEED_TITLES[name]), text, self) for names, text in _SPEEDS.items() for name in names
        }
        self.risk = OriginLine(_("Loss a year"), self)
        self.rebuild = OriginLine(_("Rebuild"), self)
        self.cost = OriginLine(_("Cost"), self)
        for line in (*self.speeds.values(), self.risk, self.rebuild, self.cost):
            column.addWidget(line)

    def show_expected(
        self, expected: Assessment | None, of_pools: Sequence[Assessment] = (), whole: Evaluation | None = None
    ) -> None:
        """Show this: the speed of the main pool, the risk and the rebuild of all pools of the ``whole`` design."""
        self.setVisible(expected is not None)
        if expected is None:
            return
        pools = whole.pools if whole is not None else ()
        speed, bare = expected.speed, expected.without_runs
        for names in _SPEEDS:
            most = max(getattr(speed, name).high for name in names)
            for name in names:
                before = getattr(bare, name) if bare is not None else None
                more = self._beyond(expected, pools)
                self.speeds[name].show_estimate(getattr(speed, name), most, *more, before=before)
        self._show_risk(expected, of_pools or (expected,), pools)
        self._show_rebuild(of_pools or (expected,), shared=whole is not None and whole.disks_shared)
        self._show_cost(expected.cost)

    def _show_rebuild(self, of_pools: Sequence[Assessment], *, shared: bool) -> None:
        rebuilds = [e.rebuild for e in of_pools]
        known = [rebuild for rebuild in rebuilds if rebuild is not None]
        if len(known) < len(rebuilds):
            self.rebuild.show_value(_("none"), _("No redundancy: nothing can be rebuilt."))
            return
        rebuild = longest(known, shared=shared)
        full = _("at {fill:g} % full, without the wait for a disk", fill=of_pools[0].conditions.rebuild.fill_percent)
        self.rebuild.show_value(hours_text(rebuild.typical), origin_text(rebuild, hours_text, full))

    def _beyond(self, expected: Assessment, pools: Sequence[PoolEvaluation]) -> tuple[str, ...]:
        if len(pools) > 1:
            return (_("of the pool {name} while the others rest", name=pools[0].design.pool_name),)
        network = expected.host.network_bytes_per_second
        if network is not None and any(link.name == "network" and link.narrowest_read for link in expected.speed.chain):
            return (_("over the network; the numbers of the design say what the disks themselves give"),)
        return ()

    def _show_risk(self, expected: Assessment, of_pools: Sequence[Assessment], pools: Sequence[PoolEvaluation]) -> None:
        risk = joined([e.risk for e in of_pools], pools=len(of_pools))
        each = zip((pool.design.pool_name for pool in pools), (e.risk.loss.typical for e in of_pools), strict=False)
        named = ", ".join(f"{name} {odds_text(chance)}" for name, chance in each) if len(pools) > 1 else ""
        lines = (
            _("from disk failures alone: {odds}", odds=_odds_words(risk.disk_loss)),
            units_words(risk.units),
            advice_on(risk.disk_probability),
            _("each by itself: {pools}", pools=named) if named else "",
            _("any data lost: {odds}", odds=_odds_words(risk.damage)),
            *_rate_lines(expected),
        )
        self.risk.show_value(odds_text(risk.loss.typical), origin_text(risk.loss, odds_text, *lines))

    def _show_cost(self, cost: Cost | None) -> None:
        mixed = cost is not None and cost.purchase is None and bool(cost.groups) and priced(cost)
        self.cost.setVisible(cost is not None and (cost.purchase is not None or mixed))
        if cost is None:
            return
        if cost.purchase is None:
            self.cost.show_value(_("unknown"), cost.problem)
            return
        unit = cost.purchase.currency or ""
        lines = [sentence(_("purchase of the disks: {origin}", origin=cost.purchase_origin or ""))]
        if cost.total is not None:
            total = _("with power and replacements over {years:g} years: {typical} {currency} ({band})")
            if cost.years == 1:
                total = _("with power and replacements over 1 year: {typical} {currency} ({band})")
            typical, band = money_text(cost.total.typical), band_text(cost.total, money_text)
            lines.append(
                sentence(total.format(years=cost.years, typical=typical, currency=unit, band=band).replace("  ", " "))
            )
        if cost.per_usable_tb is not None:
            lines.append(sentence(_("{money} per usable TB", money=money_words(cost.per_usable_tb))))
        lines += [sentence(cost.problem)] if cost.problem else []
        self.cost.show_value(money_words(cost.purchase), "\n".join(lines))


def _odds_words(estimate: Estimate) -> str:
    return f"{odds_text(estimate.typical)} ({band_text(estimate, odds_text)})"


def _rate_lines(expected: Assessment) -> tuple[str, ...]:
    """Return how often a disk of the data fails; where the vdevs have unlike disks, each rate that counts."""
    conditions = expected.conditions
    rates = dict.fromkeys(own.drive for own in conditions.of_data) or (conditions.drive,)
    return tuple(
        _("failure rate of a disk {rate:.2f} % a year: {origin}", rate=rate.typical, origin=rate.origin)
        for rate in rates
    )


def priced(cost: Cost) -> bool:
    """Tell whether the price of every disk is known, so that only their currencies keep them apart."""
    return all(group.price is not None for group in cost.groups if not group.at_hand)
