"""The tests of a profile as a list that fills, and the one that runs or is selected, over its time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log

from PySide6.QtCore import QObject, QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QLabel, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from poolwright.bench.charts import histogram_chart, latency_of_test, percentiles_of_test, profile_charts
from poolwright.bench.judging import verdicts
from poolwright.bench.lanes import watched_lanes
from poolwright.bench.record import BenchTest, Profile, Repeat, RunRecord, TestRun
from poolwright.domain.measurement import TimeCurve
from poolwright.domain.rates import rate_unit
from poolwright.domain.units import binary
from poolwright.emit.chart import Chart
from poolwright.texts import N_, _, capital, inside, numeral
from poolwright.ui.parts import icons, widgets
from poolwright.ui.parts.card import Card
from poolwright.ui.parts.note_lines import TONE_ICONS
from poolwright.ui.parts.table import ROW_HEIGHT, Index, RowModel, TableColumn, plain_table
from poolwright.ui.parts.theme import GRID, SMALL_POINTS, Tone, text_font, theme
from poolwright.ui.parts.widgets import ToneLabel
from poolwright.ui.plots.lanes_place import PlotStack
from poolwright.ui.plots.place import Say

JUDGEMENT_TONES = {
    verdicts.Judgement.PASSED: Tone.OK,
    verdicts.Judgement.SLOWER: Tone.WARN,
    verdicts.Judgement.TOO_FAST: Tone.WARN,
    verdicts.Judgement.CANNOT_TELL: Tone.UNKNOWN,
}
_SHORT = {verdicts.Judgement.SLOWER: N_("slower"), verdicts.Judgement.TOO_FAST: N_("too fast")}  # beside a title


@dataclass(frozen=True, slots=True, kw_only=True)
class TestLine:
    """A test with what is expected of it, and what is measured of it by now; ``doing`` tells how far the one is that
    runs. With ``over`` no other is begun."""

    __test__ = False  # pytest looks for tests by this beginning

    test: BenchTest
    expectation: verdicts.Expectation
    verdict: verdicts.TestVerdict | None = None
    doing: str = ""
    over: bool = False

    @property
    def is_rate(self) -> bool:
        return self.test.metric is None or self.test.metric in verdicts.RATES

    @property
    def values(self) -> tuple[float, ...]:
        band, measured = self.expectation.estimate, self.verdict.measured if self.verdict is not None else None
        return (
            *((band.low, band.high) if band is not None else ()),
            *((measured.least, measured.most) if measured is not None else ()),
        )


def _title(line: TestLine) -> str:
    """Return the title, of a test in operations with their size."""
    sizes = {dict(job.options).get("bs", "") for job in line.test.jobs}
    size = sizes.pop() if len(sizes) == 1 and not line.is_rate else ""
    return f"{line.test.title}, {binary(int(size))}" if size.isdigit() else line.test.title


def _expected(line: TestLine) -> str:
    band = line.expectation.estimate
    if band is None:
        return ""
    if line.is_rate:  # in one unit
        factor, unit = rate_unit(band.high)
        least, most = float(f"{band.low / factor:.2g}"), float(f"{band.high / factor:.3g}")
        return f"{numeral(least, 'g')}–{numeral(most, 'g')} {unit}"
    low, high = (verdicts.value_words(line.test.metric, value) for value in (band.low, band.high))
    return f"{low.removesuffix(high.lstrip('0123456789.,'))}–{high}"


def _measured(line: TestLine) -> str:
    measured = line.verdict.measured if line.verdict is not None else None
    if measured is None:
        return ""
    value = verdicts.value_words(line.test.metric, measured.median)
    if measured.known is None:
        return value
    return _("{value} ± {percent:.0f} %", value=value, percent=50 * measured.known)


def _verdict(line: TestLine) -> str:
    if line.doing or line.verdict is None:
        return line.doing or (_("not measured") if line.over else _("to do"))
    return _(_SHORT.get(line.verdict.judgement, "")) or verdicts.judgement_words(line.verdict)


def _judged(line: TestLine) -> Tone | None:
    return None if line.doing or line.verdict is None else JUDGEMENT_TONES[line.verdict.judgement]


def _colour(line: TestLine, role: int) -> object:
    return theme().colour(_judged(line) or Tone.MUTED) if role == Qt.ItemDataRole.ForegroundRole else None


def _mark(line: TestLine, role: int) -> object:
    if role != Qt.ItemDataRole.DecorationRole:
        return None
    verdict, judged = line.verdict, _judged(line)  # one that was stopped has a verdict and no value
    if verdict is None or judged is None or (verdict.metric is not None and verdict.measured is None):
        return icons.icon("state-working" if line.doing else "state-not-yet", Tone.MUTED)
    return icons.icon(TONE_ICONS[judged], judged)


def _bold(_line: TestLine, role: int) -> object:
    return text_font(SMALL_POINTS, semibold=True) if role == Qt.ItemDataRole.FontRole else None


def _why(line: TestLine) -> str:
    reasons = line.verdict.reasons if line.verdict is not None else ()
    return " ".join(reasons) or line.expectation.why


_EXPECTED, _BAND, _MEASURED = 1, 2, 3
# Kept for what comes, so that no column moves in a run.
_ROOM = {_MEASURED: "1.62 GB/s ± 7 %", 4: "repeat 3 of 3"}  # for machines
_LEAST_BAND = 6 * GRID
_TIGHT_BELOW = 88 * GRID  # there what is measured takes the place of the band


class TestList(QWidget):
    __test__ = False  # pytest looks for tests by this beginning

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        meaning = _("The bar is what is expected, the dot the measured median")
        self.table = RowModel[TestLine](
            (
                TableColumn(title=_("Test"), text=_title, look=_mark),
                TableColumn(title=_("Expected"), text=_expected, tip=_why, number=True),
                TableColumn(title=_("Band"), meaning=meaning, text=lambda _line: ""),
                TableColumn(title=capital(_("measured")), text=_measured, number=True, look=_bold),
                TableColumn(title=_("Verdict"), text=_verdict, tip=_why, look=_colour),
            ),
            self,
            key=lambda line: line.test.name,
        )
        self.view = plain_table(_("Tests"), self.table, self)
        self.view.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.view.setItemDelegateForColumn(_BAND, _BandDelegate(self.table, self.view))
        header = self.view.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        widgets.column(self.view, of=self)

    def show_lines(self, lines: Sequence[TestLine]) -> None:
        self.table.show_rows(lines)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Be as high as all rows, for the page scrolls and nothing in it; what has no room is the end of a title."""
        rows, header = self.table.rowCount(), self.view.horizontalHeader()
        self.setVisible(rows > 0)
        self.view.setFixedHeight(header.height() + rows * ROW_HEIGHT + 2 * self.view.frameWidth())
        tight, none = self.view.width() < _TIGHT_BELOW, self.table.is_empty(_MEASURED)
        hidden = {_EXPECTED: self.table.is_empty(_EXPECTED), _MEASURED: tight and none, _BAND: tight and not none}
        for column, hides in hidden.items():
            self.view.setColumnHidden(column, hides)
        wide = self.view.fontMetrics().horizontalAdvance
        room = {} if tight else {n: wide(text) + 2 * GRID for n, text in _ROOM.items()}
        wanted = [
            max(self.view.sizeHintForColumn(n) + GRID, header.sectionSizeHint(n), room.get(n, 0))
            if not header.isSectionHidden(n)
            else 0
            for n in range(header.count())
        ]
        left = self.view.width() - 2 * self.view.frameWidth() - sum(wanted) + wanted[_BAND]
        least = 0 if hidden[_BAND] else max(_LEAST_BAND, wanted[_BAND], header.sectionSizeHint(_BAND))
        wanted[0] -= max(0, least - left)
        wanted[4 if hidden[_BAND] else _BAND] += max(least, left) - wanted[_BAND]
        for column, width in enumerate(wanted):
            header.resizeSection(column, width)

    def line(self) -> TestLine | None:
        return self.table.at(self.view.currentIndex())

    def select(self, name: str) -> None:
        row = self.table.line_of(name)
        if row is not None:
            self.view.selectRow(row)


_BAR, _DOT = 10.0, 4.5


class _BandDelegate(QStyledItemDelegate):
    """Draws the expected band as a bar, and the measured median as a dot with least and most as its whisker.

    The scale is logarithmic, one for the tests in bytes a second and one for those in operations.
    """

    def __init__(self, table: RowModel[TestLine], parent: QObject) -> None:
        super().__init__(parent)
        self._table = table

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        super().paint(painter, option, index)
        line = self._table.row(index.row())
        cell = QRectF(option.rect).adjusted(GRID, 0, -GRID, 0)
        alike = [each for each in self._table.rows if each.is_rate == line.is_rate]
        values = [value for each in alike for value in each.values if value > 0]
        if not line.values or not values:
            return
        low, high = log(min(values) / 1.5), log(max(values) * 1.5)

        def at(value: float) -> float:
            return cell.left() + cell.width() * min(1.0, max(0.0, (log(max(value, 1e-9)) - low) / (high - low)))

        middle = cell.center().y()
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(theme().colour("line"), 1.0))
        painter.drawLine(QPointF(cell.left(), middle), QPointF(cell.right(), middle))
        band, measured = line.expectation.estimate, line.verdict.measured if line.verdict is not None else None
        painter.setPen(Qt.PenStyle.NoPen)
        if band is not None:
            painter.setBrush(theme().colour("tint"))
            painter.drawRoundedRect(
                QRectF(at(band.low), middle - _BAR / 2, at(band.high) - at(band.low), _BAR), 2.0, 2.0
            )
        if measured is not None:
            painter.setPen(QPen(theme().colour(Tone.TEXT), 1.5))
            painter.drawLine(QPointF(at(measured.least), middle), QPointF(at(measured.most), middle))
            painter.setBrush(theme().colour("base" if line.doing else Tone.TEXT))
            painter.drawEllipse(QPointF(at(measured.median), middle), _DOT, _DOT)
        painter.restore()


# The lanes of the test in front: fixed, with a large value of now, finished repeats in grey.

_NOW_POINTS = 36.0
_NOW_WIDTH = 23 * GRID


class LiveCard(Card):
    """Shows the lanes of a test while it runs and afterwards, and after a run its charts."""

    def __init__(self, complain: Say, parent: QWidget) -> None:
        super().__init__(parent)
        self.title = ToneLabel("", Tone.MUTED, self, bold=True)
        self.now = QLabel(self)
        self.now.setFont(text_font(_NOW_POINTS))
        self.now.setMinimumHeight(self.now.fontMetrics().height())  # also before the first value
        self.unit = ToneLabel("", Tone.TEXT, self)
        self.doing = ToneLabel("", Tone.MUTED, self)
        self.limit = ToneLabel("", Tone.TEXT, self)
        self.evidence = ToneLabel("", Tone.MUTED, self, small=True)
        self.plots = PlotStack(_("The first values come within seconds."), complain, self, low=True)
        left = QWidget(self)
        left.setFixedWidth(_NOW_WIDTH)
        parts = (self.now, self.unit, self.doing, 1, self.limit, self.evidence)
        widgets.column(widgets.row((self.title, 1), *self.plots.menus), *parts, of=left, gap=GRID // 2)
        self.body.addLayout(widgets.row(left, (self.plots, 1), gap=2 * GRID))
        self.hide()

    def show_live(self, test: BenchTest, done: Sequence[Repeat], curves: tuple[TimeCurve, ...], doing: str) -> None:
        """Show a repeat under way after those that are ``done``; it has the value of the one before at first."""
        lanes = watched_lanes(
            done, curves, most=test.repeats,
            seconds=0.0 if test.seconds is None else test.seconds + test.ramp_seconds,
        )  # fmt: skip
        self.plots.show_plots("", lanes, ())
        lane = lanes[0 if test.metric is None or test.metric in verdicts.RATES else 1]
        self._say(f"{_('Now')}: {inside(lane.title)}", lane.value or "–", doing)
        self.show()

    def show_run(self, record: RunRecord, run: TestRun, expectation: Mapping[str, verdicts.Expectation]) -> None:
        latency = latency_of_test(run)
        charts: list[tuple[str, Chart | None]] = [(each.title, each) for each in profile_charts(record, expectation)]
        if latency is not None:
            charts += [
                (_("How long operations took"), histogram_chart(run.test.title, latency)),
                (_("Percentiles of latency"), percentiles_of_test(run)),
            ]
        self.plots.show_plots(f"{record.profile.name}-{record.name}", watched_lanes(run.repeats), charts)
        self.show()

    def show_verdict(self, verdict: verdicts.TestVerdict | None, doing: str = "") -> None:
        """Show what limits the test; with ``doing`` also what was measured of it."""
        factor = "" if verdict is None or verdict.limiting is None else verdicts.factor_words(verdict)
        self.limit.setText(_("Limited by {factor}", factor=factor) if factor else "")
        self.evidence.setText(verdict.limiting.evidence[0] if verdict is not None and verdict.limiting else "")
        measured = verdict.measured if verdict is not None else None
        if verdict is not None and doing:
            value = "" if measured is None else verdicts.value_words(verdict.metric, measured.median)
            self._say(capital(_("measured")), value, doing)

    def _say(self, title: str, value: str, doing: str) -> None:
        number, __, unit = value.partition(" ")
        self.title.setText(title)
        self.now.setText(number)
        self.unit.setText(unit)
        self.doing.setText(doing)


def lines_of(
    profile: Profile,
    expectation: Mapping[str, verdicts.Expectation],
    verdict: verdicts.RunVerdict | None,
    running: str = "",
    doing: str = "",
) -> tuple[TestLine, ...]:
    """Return the lines of a profile; ``verdict`` is on what is measured by now, ``running`` the test under way."""
    judged = {test.test: test for test in verdict.tests} if verdict is not None else {}
    return tuple(
        TestLine(
            test=test,
            expectation=expectation.get(test.name, verdicts.Expectation(test=test.name)),
            verdict=judged.get(test.name),
            doing=doing if test.name == running else "",
            over=verdict is not None and not running,
        )
        for test in profile.tests
    )
