"""The tab on growth: the plan as a time line, its steps in a table to edit, and the usual ways side by side."""

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QItemSelectionModel, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QPushButton, QSpinBox, QTableView, QTabWidget, QWidget

from poolwright.changes.growth.plan import GrowthPlan, GrowthQuestion, Stage, Strategy, evaluate, strategies
from poolwright.domain.design import Design
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.growth import GrowthStep
from poolwright.domain.pool_settings import autoexpands
from poolwright.domain.units import binary
from poolwright.emit.report import TextTone, paragraph
from poolwright.predict.assessment import Assessment, Stored, assess, growth_of, stored_of
from poolwright.predict.risk_conditions import rebuild_conditions
from poolwright.predict.space import Growth
from poolwright.texts import _
from poolwright.ui.design.growth.stages import (
    GrowthPlanEditor,
    StageRow,
    datasets_words,
    day_text,
    growth_chart,
    stage_blocks,
    stage_columns,
    stage_rows,
)
from poolwright.ui.parts import lay
from poolwright.ui.parts.assumption_form import AssumptionForm, Standing
from poolwright.ui.parts.form import stored_and_growth
from poolwright.ui.parts.lay import ToneLabel
from poolwright.ui.parts.report_view import ReportView
from poolwright.ui.parts.table import ROW_HEIGHT, RowModel, TableColumn, plain_table
from poolwright.ui.parts.theme import GRID, Tone
from poolwright.ui.plots.place import ChartHolder
from poolwright.ui.state.expectations import today_here
from poolwright.ui.state.session import Session


class GrowthPlanPane(QWidget):
    """Shows and edits the steps by which the design's pool is to grow; every edit can be undone."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.plan: GrowthPlan | None = None
        self.setAccessibleName(_("Growth"))
        self.intro = ToneLabel("", Tone.MUTED, self)
        fields = stored_and_growth(_("Stored at first"), _("Growth (% a year)"))
        self.form = AssumptionForm(fields, session.expectations, self)
        hint = _("USED, a third faster and slower as the band; 80 % and full after each step.")
        missing = _("Say how much is stored at first and how fast it grows, and the curve is drawn here.")
        self.plot = ChartHolder(hint, self, missing=missing)
        self.plot.failed.connect(session.complain)
        self.stages = RowModel(stage_columns(), self)
        self.table = self._make_table()
        self.editor = GrowthPlanEditor(self)
        self.editor.added.connect(self._on_added)
        self.editor.applied.connect(self._on_applied)
        self.detail = ReportView(_("Notes and commands"), self)
        self.detail.copied.connect(self._on_copied)
        self.ways = GrowthPlanWays(self)
        self.ways.taken.connect(self._on_taken)
        self.timeline, self.edit = QWidget(self), QWidget(self)
        self.below = lay.named(QTabWidget(self), _("Time line, step and usual ways"))
        self.below.tabBar().setAccessibleName(self.below.accessibleName())
        self.below.setDocumentMode(True)
        for widget, title in (
            (self.timeline, _("Time line")),
            (self.edit, _("Edit step")),
            (self.detail, _("Notes and commands")),
            (self.ways, _("Usual ways")),
        ):
            self.below.addTab(widget, title)
        self.below.currentChanged.connect(self._show_ways)
        self._lay_out()
        session.expectations.changed.connect(self._on_assumed)

    def refresh(self) -> None:
        design = self.session.design
        self._body.setVisible(design is not None)
        if design is None:
            self._tell(_("Choose a layout first."))
            return
        unknown, percent = _("unknown"), design.workload.growth_percent
        stored = self._stored(design)
        used = unknown if stored is None else binary(stored.used_bytes)
        growth = unknown if percent is None else str(percent)
        why = _("As read.") if stored is not None and stored.used_bytes == design.in_use_bytes else ""
        why = why if stored is None or stored.space is None else datasets_words(stored.space)
        standing = {"used_bytes": Standing(used, why), "growth_percent": Standing(growth, "")}
        self.form.show_standing(standing)
        try:
            self.plan = evaluate(design, design.growth, self._question(design))
        except PoolwrightError as error:
            self.plan = None
            self._body.hide()
            self._tell(error.text)
            return
        self.intro.setVisible(not design.growth)
        self.intro.setText(_("Add a step, or take over one of the usual ways."))
        self._show_plan(design, self.plan)

    def _tell(self, text: str) -> None:
        self.intro.setText(text)
        self.intro.show()

    def _stored(self, design: Design) -> Stored | None:
        assessment = self.session.assessment
        return stored_of(design, self.session.expectations.assumed, assessment.capacity if assessment else None)

    def _question(self, design: Design) -> GrowthQuestion:
        assumed = self.session.expectations.assumed
        percent = growth_of(design, assumed)
        stored = self._stored(design)
        disks = [design.disk(key) for key in sorted(design.used_keys())]
        return GrowthQuestion(
            today=today_here(),
            used_bytes=None if stored is None or design.sizes_invented else stored.used_bytes,
            growth=None if percent is None else Growth(percent=float(percent)),
            conditions=rebuild_conditions(disks, ashift=design.ashift, version=design.version),
            autoexpand=autoexpands(design) is not False,
        )

    def _show_plan(self, design: Design, plan: GrowthPlan) -> None:
        row = self._row()
        self.stages.show_rows(stage_rows(plan, design.growth))
        self.plot.show_chart(growth_chart(plan))
        self._select(min(row, self.stages.rowCount() - 1))
        self._fit()
        self._show_ways()

    def _selected(self) -> StageRow | None:
        rows, row = self.stages.rows, self._row()
        return rows[row] if 0 <= row < len(rows) else None

    def _row(self) -> int:
        return max(0, self.table.currentIndex().row())

    def _select(self, row: int) -> None:
        index = self.stages.index(max(0, row), 0)
        if index == self.table.currentIndex():
            self._on_row()
            return
        flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
        self.table.selectionModel().setCurrentIndex(index, flags)  # tells `_on_row`

    def _on_row(self) -> None:
        row, plan = self._selected(), self.plan
        if row is None or plan is None:
            return
        self.remove_button.setEnabled(row.step is not None)
        before = plan.stages[min(max(0, self._row() - 1), len(plan.stages) - 1)]
        self.editor.show_stage(before if row.step is not None else plan.stages[0], row.step)
        if row.stage is None:
            self.detail.show_blocks((paragraph(row.problem, TextTone.BLOCK),))
        else:
            self.detail.show_blocks(stage_blocks(plan, row, row.stage, self._predicted(row.stage)))

    def _predicted(self, stage: Stage) -> Assessment | None:
        session = self.session
        try:
            today, known = stage.begins or today_here(), session.expectations
            return assess(stage.grown.design, stage.capacity, known.book(), known.assumed, today=today)
        except PoolwrightError:
            return None

    def _show_ways(self) -> None:
        design, plan = self.session.design, self.plan
        if design is not None and plan is not None and self.below.currentWidget() is self.ways:
            self.ways.show_design(design, plan.question)

    def _on_copied(self) -> None:
        self.session.say(_("Copied."))

    def _on_assumed(self) -> None:
        if self.isVisible():
            self.refresh()

    def _on_added(self, step: GrowthStep) -> None:
        steps = self._steps()
        at = min(self._row(), len(steps))
        self._change((*steps[:at], step, *steps[at:]), _("Add step of growth"), at + 1)

    def _on_applied(self, step: GrowthStep) -> None:
        steps, row = self._steps(), self._row()
        if row >= 1:
            self._change((*steps[: row - 1], step, *steps[row:]), _("Change step of growth"), row)

    def _on_remove(self) -> None:
        steps, row = self._steps(), self._row()
        if row >= 1:
            self._change((*steps[: row - 1], *steps[row:]), _("Remove step of growth"), row)

    def _steps(self) -> tuple[GrowthStep, ...]:
        return () if self.session.design is None else self.session.design.growth

    def _on_taken(self, steps: object) -> None:
        if isinstance(steps, tuple):
            self._change(steps, _("Take a way to grow"), 1)
            self.below.setCurrentWidget(self.timeline)

    def _change(self, steps: tuple[GrowthStep, ...], text: str, row: int) -> None:
        design = self.session.design
        if design is None:
            return
        self.session.change_design(replace(design, growth=steps), text)
        self.refresh()
        self._select(min(row, self.stages.rowCount() - 1))

    def _fit(self) -> None:
        header = self.table.horizontalHeader()
        self.table.resizeColumnsToContents()
        left_over = self.table.viewport().width() - header.length()
        if left_over > 0:
            header.resizeSection(1, header.sectionSize(1) + left_over)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _on_begin_step(self) -> None:
        self.below.setCurrentWidget(self.edit)
        self.editor.kind.setFocus()

    def _make_table(self) -> QTableView:
        view = plain_table(_("Steps of growth"), self.stages, self)
        view.setMinimumHeight(4 * ROW_HEIGHT)
        view.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        view.selectionModel().currentRowChanged.connect(self._on_row)
        self.new_button = self._button(_("Add step…"), "add", view, "Ins", self._on_begin_step)
        self.remove_button = self._button(_("Remove step"), "delete", view, "Del", self._on_remove)
        return view

    def _button(self, text: str, icon: str, view: QTableView, keys: str, pressed: object) -> QPushButton:
        tip = _("{text} ({keys} in the table)", text=text, keys=keys)
        button = lay.button(text, self, pressed, icon=icon, tip=tip)
        lay.action(text, view, keys, button.click)
        return button

    def _lay_out(self) -> None:
        self._body = QWidget(self)
        upper = QWidget(self._body)
        buttons = lay.row(self.new_button, self.remove_button, 1)
        lay.column((self.table, 1), buttons, of=upper)
        self.form.setMaximumWidth(48 * GRID)
        form = (self.form, 0, Qt.AlignmentFlag.AlignTop)
        lay.row(form, (self.plot, 1), of=self.timeline, gap=2 * GRID, around=(0, GRID, 0, 0))
        lay.column(self.editor, 1, of=self.edit, around=(0, GRID, 0, 0))
        lay.column(lay.split(self._body, (upper, 2), (self.below, 3)), of=self._body)
        lay.column(self.intro, (self._body, 1), of=self)


# The usual ways to make room, side by side, with a button to take one over as the plan.

_DEFAULT_YEARS, _MOST_YEARS = 5, 25


def _way_columns(ways: Sequence[Strategy] = ()) -> tuple[TableColumn[Strategy], ...]:
    """Return the columns; the cheapest of the ways that are enough is marked in words."""
    prices = [way.spent for way in ways if way.enough and way.spent is not None]
    cheapest = min(prices) if len(prices) > 1 and len({price.currency for price in prices}) == 1 else None

    def verdict(way: Strategy) -> str:
        if not way.enough:
            return _("not enough")
        return _("enough, cheapest") if cheapest is not None and way.spent == cheapest else _("enough")

    return (
        TableColumn(title=_("Way"), text=lambda way: way.name),
        TableColumn(title=_("Verdict"), text=verdict),
        TableColumn(title=_("80 % on"), text=lambda way: day_text(way.lasts_until), number=True),
        TableColumn(title=_("Steps"), text=lambda way: str(len(way.steps)), number=True),
        TableColumn(title=_("Disks"), text=lambda way: str(way.disks), number=True),
        TableColumn(title=_("Spent"), text=lambda way: "" if way.spent is None else str(way.spent), number=True),
        TableColumn(
            title=_("Usable then"), text=lambda way: binary(way.plan.stages[-1].capacity.available_bytes), number=True
        ),
    )


class GrowthPlanWays(QWidget):
    """``taken`` sends the steps of the chosen way."""

    taken = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._asked: tuple[Design, GrowthQuestion] | None = None
        self.model = RowModel[Strategy](_way_columns(), self)
        self.hint = ToneLabel("", Tone.MUTED, self)
        self.years = QSpinBox(self)
        self.years.setRange(1, _MOST_YEARS)
        self.years.setValue(_DEFAULT_YEARS)
        self.years.setPrefix(_("enough for "))
        self.years.setSuffix(_(" years"))
        self.years.setAccessibleName(_("Years that the room has to be enough for"))
        self.years.valueChanged.connect(self._on_years)
        self.take = lay.button(_("Take this way"), self, self._on_take, icon="ok")
        self.view = plain_table(_("Usual ways to grow"), self.model, self)
        self.view.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.view.selectionModel().currentRowChanged.connect(self._on_row)
        self.view.activated.connect(self._on_take)
        lay.column(lay.row((self.hint, 1), self.years, self.take), (self.view, 1), of=self, around=(0, GRID, 0, 0))

    def show_design(self, design: Design, question: GrowthQuestion) -> None:
        self._asked = (design, question)
        known = question.growth is not None and question.used_bytes is not None
        self.hint.setText(
            "" if known else _("Say above how much is stored and how fast it grows; until then no way needs a step.")
        )
        try:
            ways = strategies(design, question, years=float(self.years.value()))
        except PoolwrightError as error:
            ways = ()
            self.hint.setText(error.text)
        self.model.show_rows(ways, _way_columns(ways))
        self.view.resizeColumnsToContents()
        self._on_row()

    def _on_years(self) -> None:
        if self._asked is not None:
            self.show_design(*self._asked)

    def _on_row(self) -> None:
        row = self.view.currentIndex().row()
        self.take.setEnabled(0 <= row < len(self.model.rows))

    def _on_take(self) -> None:
        row = self.view.currentIndex().row()
        if 0 <= row < len(self.model.rows):
            self.taken.emit(self.model.rows[row].steps)
