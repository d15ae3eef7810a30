"""How fast the pool will be: five speeds with their bands, the chain of limits, runs on the host, the machine."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QHelpEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QGridLayout, QSizePolicy, QToolTip, QVBoxLayout, QWidget

from poolwright.design.amounts import parse_count
from poolwright.domain.design import Design
from poolwright.domain.errors import UserError
from poolwright.domain.estimate import Estimate, OriginKind
from poolwright.domain.rates import link_read, parse_disk_rate, parse_link_rate, rate_read, rate_text
from poolwright.domain.units import binary
from poolwright.domain.vdev import describe
from poolwright.predict.assessment import Assessment
from poolwright.predict.assumptions import Assumptions, Metric, Run, data_disks, host_of, rates_of
from poolwright.predict.drives import measured_rates
from poolwright.predict.media import DiskRates
from poolwright.predict.number_words import band_text, operations_text
from poolwright.predict.speed import ChainLink, predict_speed
from poolwright.texts import tell, tell_counted
from poolwright.ui.parts import lay
from poolwright.ui.parts.assumption_form import AssumptionForm, Standing
from poolwright.ui.parts.estimate_line import EstimateLine, sentence
from poolwright.ui.parts.form import Field, Typed
from poolwright.ui.parts.lay import SmallHeading, ToneLabel
from poolwright.ui.parts.note_lines import Line, NoteLines
from poolwright.ui.parts.save_file import ask_file
from poolwright.ui.parts.theme import GRID, SMALL_POINTS, Tone, text_font, theme
from poolwright.ui.state.expectations import Expectations

_LARGEST_RUNS_BYTES = 4 << 20
_MOST_RUNS_SHOWN = 4


class SpeedPane(QWidget):
    """``failed`` sends why a file of runs was not taken."""

    failed = Signal(str)

    def __init__(self, expectations: Expectations, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._expectations = expectations
        self._under = ToneLabel("", Tone.MUTED, self, small=True)
        column = lay.column(self._under, self._make_lines(), of=self)
        self.beyond = NoteLines(tell("Beyond what was measured"), self, most=3, small=True)
        column.addWidget(self.beyond)
        column.addWidget(SmallHeading(tell("What limits it, from the disks to the network"), self))
        self.chain = ChainPicture(self)
        column.addWidget(self.chain)
        column.addWidget(SmallHeading(tell("Runs on this host"), self))
        column.addLayout(self._make_runs())
        column.addWidget(SmallHeading(tell("What the disks and the host give"), self))
        self.machine = AssumptionForm(self._rows(), expectations, self)
        column.addWidget(self.machine)
        column.addStretch(1)

    def show_expected(self, expected: Assessment, design: Design) -> None:
        speed, bare = expected.speed, expected.without_runs
        clients = expected.load.clients
        who = (
            tell("plenty of clients")
            if clients is None
            else tell_counted("{count} client", "{count} clients at once", clients)
        )
        record = binary(expected.load.record_bytes)
        asked = expected.load.request_bytes
        text = tell("For records of {record} and {clients}.", record=record, clients=who)
        if asked is not None:
            text = tell(
                "For requests of {asked} on records of {record}, and {clients}.",
                asked=binary(asked),
                record=record,
                clients=who,
            )
        self._under.setText(text)
        notes = [Line(text=self._told_itself(expected))] if _held_by_network(expected) else []
        beyond = [tell("the band is wider here: {reason}", reason=reason) for reason in speed.extrapolations]
        for metric, line in self.lines.items():
            estimate: Estimate = getattr(speed, metric.value)
            before: Estimate | None = getattr(bare, metric.value) if bare is not None else None
            same = [getattr(speed, m.value).high for m in self.lines if (m in _RATES) == (metric in _RATES)]
            if metric is Metric.SYNC_WRITE:
                same = [estimate.high]
            most = max(same)
            if before is not None:
                most = max(most, before.high)
            line.show_estimate(estimate, most, before=before)
        self.beyond.show_lines([*notes, *(Line(text=sentence(text), tone=Tone.NOTE) for text in beyond)])
        self.chain.show_chain(speed.chain)
        self._show_runs(expected)
        self._show_machine(design)

    def _told_itself(self, expected: Assessment) -> str:
        read, write = expected.itself.seq_read, expected.itself.seq_write
        return tell(
            "The network limits it. The pool alone reads {read} ({reads}), writes {write} ({writes}).",
            read=rate_text(read.typical),
            reads=band_text(read, rate_text),
            write=rate_text(write.typical),
            writes=band_text(write, rate_text),
        )

    def open_runs_file(self, path: Path) -> None:
        """Adapt the speeds to the runs in a file; `failed` says why where they cannot be."""
        try:
            if path.stat().st_size > _LARGEST_RUNS_BYTES:
                self.failed.emit(tell("{path} is larger than 4 MiB.", path=path))
                return
            self._expectations.open_runs(path.read_text(encoding="utf-8-sig"), path.name)
        except UserError as error:
            self.failed.emit(error.text)
        except UnicodeDecodeError:
            self.failed.emit(tell("{path} is not UTF-8 text.", path=path))
        except OSError as error:
            self.failed.emit(tell("{path} cannot be read: {why}.", path=path, why=error.strerror))

    def _make_lines(self) -> QGridLayout:
        grid = lay.grid(gap=(2 * GRID, 0))
        self.lines: dict[Metric, EstimateLine] = {}
        self._names = {
            Metric.SEQ_READ: tell("Sequential read"),
            Metric.SEQ_WRITE: tell("Sequential write"),
            Metric.RAND_READ: tell("Random reads a second"),
            Metric.RAND_WRITE: tell("Random writes a second"),
            Metric.SYNC_WRITE: tell("Synchronous writes a second"),
        }
        for number, (metric, name) in enumerate(self._names.items()):
            line = EstimateLine(
                name, rate_text if metric in _RATES else operations_text, self, told=True, measurable=True
            )
            self.lines[metric] = line
            grid.addWidget(line, number // 2, number % 2, Qt.AlignmentFlag.AlignTop)
        grid.setColumnStretch(0, 1)
        grid.setColumnStretch(1, 1)
        return grid

    def _make_runs(self) -> QVBoxLayout:
        self._runs_text = ToneLabel("", Tone.MUTED, self, small=True)
        self._runs_text.setAccessibleName(tell("Runs on this host"))
        self.runs = NoteLines(tell("Measured against predicted"), self, most=_MOST_RUNS_SHOWN, small=True)
        self._open = lay.button(tell("Open runs…"), self, self._ask_which, icon="open")
        self._forget = lay.button(tell("Forget the runs"), self, self._expectations.forget_runs, icon="delete")
        return lay.column(self._runs_text, self.runs, lay.row(self._open, self._forget, 1))

    def _rows(self) -> tuple[Field, ...]:
        disk, links = (
            Typed(partial(parse_disk_rate, what=what), rate_text, rate_read)
            for what in (tell("rate of a disk"), tell("rate of the links"))
        )
        return (
            Field("disk_read", tell("One disk reads"), disk),
            Field("disk_write", tell("One disk writes"), disk),
            Field("hba", tell("HBA, all links"), links),
            Field("network", tell("Network"), Typed(parse_link_rate, rate_text, link_read)),
            Field("cores", tell("Processor cores"), Typed(partial(parse_count, what=tell("number of cores"), least=1))),
        )

    def _why_rate(self, disks: DiskRates, told: float | None) -> str:
        if told is not None:
            return tell("As told of the disks; of several the slowest.")
        if disks.origin.kind is OriginKind.MEASURED:
            return tell("Measured of drives of this model: {source}.", source=disks.origin.source)
        usual = tell("Not measured: usual for its kind and size ({media}).")
        return usual.format(media=disks.media)

    def _show_machine(self, design: Design) -> None:
        disks, host = rates_of(design, Assumptions()), host_of(design, Assumptions())
        unknown = tell("unknown")
        reads, writes = (self._why_rate(disks, rate) for rate in measured_rates(data_disks(design)))
        told = tell("As read, or told on the workload page.")
        missing = tell("Not known: part of the host’s limit, which is assumed.")
        no_network = tell("Not known: no limit. Such as 10 Gbit/s.")
        hba, network, cores = host.hba_bytes_per_second, host.network_bytes_per_second, host.cores
        self.machine.show_standing(
            {
                "disk_read": Standing(value=rate_text(disks.read_bytes_per_second), why=reads),
                "disk_write": Standing(value=rate_text(disks.write_bytes_per_second), why=writes),
                "hba": Standing(value=unknown if hba is None else rate_text(hba), why=missing if hba is None else told),
                "network": Standing(
                    value=unknown if network is None else rate_text(network),
                    why=no_network if network is None else told,
                ),
                "cores": Standing(
                    value=unknown if cores is None else str(cores), why=missing if cores is None else told
                ),
            }
        )

    def _show_runs(self, expected: Assessment) -> None:
        assumed = self._expectations.assumed
        runs = assumed.calibration.runs
        self._forget.setVisible(bool(runs))
        if not runs or expected.without_runs is None:
            self._runs_text.setText(
                tell("None yet. A CSV file narrows the bands: vdevs, metric, value (raidz2:8x6TB, seq_read, 870MB/s).")
            )
            self.runs.show_lines([])
            return
        local = replace(expected.host, network_bytes_per_second=None)
        bare = predict_speed(expected.layout, host=local, disks=expected.disks, load=expected.load).seq_read
        read = expected.itself.seq_read
        self._runs_text.setText(
            tell(
                "{count} from {file}. The band of reads spans a factor of {now:.2g}; without runs {then:.2g} (dotted).",
                count=len(runs),
                file=assumed.runs_name,
                now=_span(read),
                then=_span(bare),
            )
        )
        self.runs.show_lines([Line(text=self._told_run(run, expected)) for run in runs[:100]])

    def _told_run(self, run: Run, expected: Assessment) -> str:
        found = predict_speed(
            run.layout,
            host=replace(expected.host, network_bytes_per_second=None),
            disks=expected.disks,
            load=expected.load,
            calibration=self._expectations.assumed.calibration,
        )
        text = rate_text if run.metric in _RATES else operations_text
        model: Estimate = getattr(found, run.metric.value)
        return tell(
            "{metric} of {pool}: measured {measured}, model {model}",
            pool=describe(run.layout),
            metric=self._names[run.metric],
            measured=text(run.value),
            model=text(model.typical),
        )

    def _ask_which(self) -> None:
        kinds = tell("Runs (*.csv)"), tell("All files (*)")
        ask_file(self, tell("Open measured runs"), self._on_file, *kinds)

    def _on_file(self, name: str) -> None:
        self.open_runs_file(Path(name))


_RATES = (Metric.SEQ_READ, Metric.SEQ_WRITE)


def _held_by_network(expected: Assessment) -> bool:
    return any(
        link.name == "network" and (link.narrowest_read or link.narrowest_write) for link in expected.speed.chain
    )


def _span(estimate: Estimate) -> float:
    return estimate.high / estimate.low if estimate.low > 0 else float("inf")


# The chain from the disks to the network: each link as wide as the rate it passes, the narrowest marked.

_LANE = 5 * GRID  # the widest a link gets
_LEAST = 3.0
_HEAD = 3 * GRID  # the names of the links
_NAMES = 6 * GRID  # of the directions, at the left
_FULL = 0.62  # of a column is the link itself
_CENTRE = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class ChainPicture(QWidget):
    """Draws the links of a prediction: a lane for reads and one for writes."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._links: tuple[ChainLink, ...] = ()
        self.setAccessibleName(tell("Chain of limits"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme().changed.connect(self.update)

    def show_chain(self, links: Sequence[ChainLink]) -> None:
        self._links = tuple(links)
        self.setAccessibleDescription(". ".join(self.told(number) for number in range(len(self._links))))
        self.update()

    def told(self, number: int) -> str:
        link = self._links[number]
        words = []
        for name, rate, narrowest in (
            (tell("read"), link.read_bytes_per_second, link.narrowest_read),
            (tell("write"), link.write_bytes_per_second, link.narrowest_write),
        ):
            value = f"{name} {tell('not known') if rate is None else rate_text(rate)}"
            words.append(tell("{told} (the narrowest)", told=value) if narrowest else value)
        told = f"{link.limit[:1].upper()}{link.limit[1:]}: {', '.join(words)}"
        return tell("{told}; assumed, no run on this host is known", told=told) if link.assumed else told

    def sizeHint(self) -> QSize:
        return QSize(60 * GRID, int(_HEAD + 2 * self._lane_height()))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(text_font(SMALL_POINTS))
        for number, link in enumerate(self._links):
            name = tell("{name} (assumed)", name=tell(link.name)) if link.assumed else tell(link.name)
            self._write(painter, number, 0, name, Tone.TEXT)
        reads = [(link.read_bytes_per_second, link.narrowest_read) for link in self._links]
        writes = [(link.write_bytes_per_second, link.narrowest_write) for link in self._links]
        most = max((rate for rate, _ in (*reads, *writes) if rate is not None), default=1.0)
        for lane, (name, rates) in enumerate(((tell("Read"), reads), (tell("Write"), writes))):
            top = _HEAD + lane * self._lane_height()
            painter.setPen(theme().colour(Tone.MUTED))
            painter.drawText(QRectF(0, top, _NAMES, _LANE), _LEFT, name)
            for number, (rate, narrowest) in enumerate(rates):
                self._paint_link(painter, number, top, rate, most, narrowest=narrowest)

    def event(self, event: QEvent) -> bool:
        """Tell about the link under the pointer."""
        if isinstance(event, QHelpEvent) and event.type() == QHelpEvent.Type.ToolTip:
            at = event.pos().toPointF()
            number = next((n for n in range(len(self._links)) if self._column(n).contains(at)), None)
            QToolTip.showText(event.globalPos(), "" if number is None else self.told(number), self)
            return True
        return super().event(event)

    def _paint_link(
        self, painter: QPainter, number: int, top: float, rate: float | None, most: float, *, narrowest: bool
    ) -> None:
        column, tall = self._column(number), _LANE if rate is None else max(_LEAST, _LANE * rate / most)
        if rate is None:
            painter.setPen(QPen(theme().colour(Tone.UNKNOWN), 1.0, Qt.PenStyle.DashLine))
            painter.setBrush(Qt.BrushStyle.NoBrush)
        else:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme().colour(Tone.WARN if narrowest else Tone.ACCENT))
        wide = column.width() * _FULL
        painter.drawRect(QRectF(column.center().x() - wide / 2, top + (_LANE - tall) / 2, wide, tall))
        told = tell("not known") if rate is None else rate_text(rate)
        self._write(painter, number, top + _LANE, told, Tone.MUTED if rate is None else Tone.TEXT)
        if narrowest:
            self._write(
                painter, number, top + _LANE + painter.fontMetrics().lineSpacing(), tell("narrowest"), Tone.WARN
            )

    def _write(self, painter: QPainter, number: int, top: float, text: str, tone: Tone) -> None:
        column, metrics = self._column(number), painter.fontMetrics()
        shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, int(column.width()) - 2)
        painter.setPen(theme().colour(tone))
        painter.drawText(QRectF(column.left(), top, column.width(), metrics.lineSpacing()), _CENTRE, shown)

    def _lane_height(self) -> float:
        return _LANE + 2 * QFontMetrics(text_font(SMALL_POINTS)).lineSpacing() + 1.5 * GRID

    def _column(self, number: int) -> QRectF:
        width = (self.width() - _NAMES) / max(1, len(self._links))
        return QRectF(_NAMES + number * width, 0, width, self.height())
