"""The tab on growth: what the pool can grow by, the steps that are planned, and the data over the years."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

from PySide6.QtWidgets import QTableView, QWidget

from poolwright.changes.growth.plan import GrowthPlan, GrowthQuestion, GrowthWay, Stage, evaluate, ways
from poolwright.design.amounts import parse_growth, size_text
from poolwright.domain.design import Design
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.growth import GrowthStep
from poolwright.domain.pool_settings import autoexpands
from poolwright.domain.rates import growth_read, size_read
from poolwright.domain.units import binary, parse_size
from poolwright.emit.model_charts import growth_chart
from poolwright.predict.assessment import Assessment, Stored, assess, growth_of, stored_of
from poolwright.predict.risk_conditions import rebuild_conditions
from poolwright.texts import _
from poolwright.ui.design.growth.stages import (
    StageRow,
    StepDialog,
    plan_text,
    row_blocks,
    stage_columns,
    stage_rows,
    way_blocks,
    way_columns,
)
from poolwright.ui.outlook.pane import AssumptionForm, Standing
from poolwright.ui.parts import widgets
from poolwright.ui.parts.form import Field, Typed, short
from poolwright.ui.parts.panes import Panes
from poolwright.ui.parts.report_view import ReportView
from poolwright.ui.parts.save_file import ask_where
from poolwright.ui.parts.table import ROW_HEIGHT, RowModel, plain_table
from poolwright.ui.parts.theme import Tone
from poolwright.ui.parts.widgets import ToneLabel
from poolwright.ui.plots.place import ChartHolder
from poolwright.ui.state.expectations import today_here
from poolwright.ui.state.session import Session

_SIDE_BY_SIDE_FROM = 1300
_ROWS = 6  # of a table, with its heading
R = TypeVar("R")


class GrowthPlanPane(QWidget):
    """Shows and edits the steps by which the design's pool is to grow; every edit can be undone."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.plan: GrowthPlan | None = None
        self._of = ""  # the key of the design that was shown last
        self.setAccessibleName(_("Growth"))
        self.intro = ToneLabel("", Tone.MUTED, self)
        self.ways, self.stages = RowModel[GrowthWay](way_columns(), self), RowModel[StageRow](stage_columns(), self)
        self.way_table = self._table(_("Ways to grow"), self.ways, self._on_way, 0)
        self.table = self._table(_("Plan"), self.stages, self._on_row, 1)
        self.about_way, self.detail = (ReportView(_("About this step"), self, grows=True) for __ in range(2))
        for view in (self.about_way, self.detail):
            view.copied.connect(session.copy)
        self.take = widgets.button(_("Plan this…"), self, self._on_take, icon="add")
        self.change = widgets.button(_("Change…"), self, self._on_edit, icon="rename")
        self.remove = widgets.button(_("Remove"), self, self._on_remove, icon="delete", tip="Del")
        self.main = self.save = widgets.button(_("Save commands…"), self, self._on_save, icon="save")
        self.way_table.activated.connect(self._on_take)
        self.table.activated.connect(self._on_edit)
        widgets.action(_("Remove"), self.table, "Del", self._on_remove)
        fields = (
            Field("used_bytes", _("Stored at the start"), Typed(parse_size, size_text, size_read)),
            Field("growth_percent", _("Growth (% a year)"), Typed(parse_growth, short, growth_read)),
        )
        self.form = AssumptionForm(fields, session.expectations, self)
        missing = _("Enter how much is stored and how fast it grows to see the curve.")
        hint = _("USED; the band is a third faster and slower.")
        self.plot = ChartHolder(hint, session.complain, self, missing=missing)
        self.panes = Panes(_("Growth"), _SIDE_BY_SIDE_FROM, self)
        self.next, self.planned, self.data = (QWidget(self) for __ in range(3))
        widgets.column(self.way_table, widgets.row(self.take, 1), self.about_way, 1, of=self.next)
        widgets.column(self.table, widgets.row(self.change, self.remove, 1), self.detail, 1, of=self.planned)
        widgets.column(self.form, (self.plot, 1), of=self.data)
        self.panes.add(_("Ways to grow"), self.next)
        self.panes.add(_("Plan"), self.planned)
        self.panes.add(_("Data over time"), self.data, below=True)
        self.panes.arranged.connect(self._on_way)
        self.panes.arranged.connect(self._on_row)
        widgets.column(self.intro, (self.panes, 1), of=self)
        session.expectations.changed.connect(self._on_assumed)

    def refresh(self) -> None:
        design, self.plan = self.session.design, None
        if design is None:
            return
        if design.key != self._of:
            self._of = design.key
            self.panes.bring_to_front(self.next)
        stored, percent = self._stored(design), design.workload.growth_percent
        used = binary(None if stored is None else stored.used_bytes)
        growth = _("unknown") if percent is None else str(percent)
        self.form.show_standing({"used_bytes": Standing(used, ""), "growth_percent": Standing(growth, "")})
        try:
            self.plan = evaluate(design, design.growth, self._question(design))
            problem = self._problem(self.plan)
        except PoolwrightError as error:
            problem = error.text
        self.panes.setVisible(self.plan is not None)
        self.save.setVisible(self.plan is not None and len(self.plan.stages) > 1)
        intro = _("How the pool can grow, and what each way adds and costs.")
        if self.plan is not None and self.plan.question.used_bytes is None:
            intro = _("Enter under “Data over time” how much is stored to see times and dates.")
        self.intro.setText(problem or intro)
        self.intro.set_tone(Tone.WARN if problem else Tone.MUTED)
        if self.plan is not None:
            self.plot.show_chart(growth_chart(self.plan))
            found = () if self.plan.problem is not None else ways(self.plan)
            self._show(self.way_table, self.ways, found, self._on_way)
            self._show(self.table, self.stages, stage_rows(self.plan, design.growth), self._on_row)

    def _show(self, view: QTableView, model: RowModel[R], rows: Sequence[R], selected: Callable[[], None]) -> None:
        row = _row(view)
        model.show_rows(rows)
        model.hide_empty(view)
        silent = view.currentIndex().isValid() or not rows  # else selecting tells
        view.selectRow(min(row, model.rowCount() - 1))
        if silent:
            selected()

    def _problem(self, plan: GrowthPlan) -> str:
        if plan.problem is not None:
            return _("A planned step is not possible: change or remove it.")
        if plan.stages[0].grown.sizes_invented:
            return _("Disk sizes are not known: read zpool list -v -p on the Pools page too.")
        return ""

    def _stored(self, design: Design) -> Stored | None:
        assessment = self.session.assessment
        return stored_of(design, self.session.expectations.assumed, assessment.capacity if assessment else None)

    def _question(self, design: Design) -> GrowthQuestion:
        percent, stored = growth_of(design, self.session.expectations.assumed), self._stored(design)
        disks = [design.disk(key) for key in sorted(design.used_keys())]
        return GrowthQuestion(
            today=today_here(),
            used_bytes=None if stored is None else stored.used_bytes,
            growth=None if percent is None else float(percent),
            conditions=rebuild_conditions(disks, ashift=design.ashift, version=design.version),
            autoexpand=autoexpands(design) is not False,
        )

    def _on_way(self) -> None:
        way = _selected(self.way_table, self.ways)
        self.take.setEnabled(way is not None)
        if self.panes.shows(self.next):
            last = way.stages[-1] if way is not None and way.stages else None
            self.about_way.show_blocks(() if way is None else way_blocks(way, self._predicted(last)))

    def _on_row(self) -> None:
        row, plan = _selected(self.table, self.stages), self.plan
        for button in (self.change, self.remove):
            button.setEnabled(row is not None and row.step is not None)
        if row is not None and plan is not None and self.panes.shows(self.planned):
            self.detail.show_blocks(row_blocks(plan, row, self._predicted(row.stage)))

    def _predicted(self, stage: Stage | None) -> Assessment | None:
        if stage is None or stage.usable_bytes is None:
            return None
        try:
            today, known = stage.begins or today_here(), self.session.expectations
            return assess(stage.grown.design, stage.capacity, known.book(), known.assumed, today=today)
        except PoolwrightError:
            return None

    def _on_save(self) -> None:
        if self.session.design is not None and self.plan is not None:
            text = plan_text(self.plan, stage_rows(self.plan, self._steps()))
            ask_where(self, f"grow-{self.session.design.pool_name}.txt", partial(self.session.write, text=text))

    def _on_assumed(self) -> None:
        if self.isVisible():
            self.refresh()

    def _on_take(self) -> None:
        way = _selected(self.way_table, self.ways)
        if way is None or self.plan is None:
            return
        if len(way.steps) > 1 and way.stages and way.gain_bytes is not None:
            self._add(*way.steps)
            return
        dialog = StepDialog(self.plan, way.steps[0], self, fresh=True)
        dialog.ok.setText(_("Add to plan"))
        dialog.taken.connect(self._add)
        dialog.open()

    def _add(self, *steps: GrowthStep) -> None:
        before = self._steps()
        self._change((*before, *steps), _("Add step of growth"), len(before) + 1)
        self.panes.bring_to_front(self.planned)

    def _on_edit(self) -> None:
        design, row = self.session.design, _row(self.table)
        if design is not None and 1 <= row <= len(design.growth):
            before = evaluate(design, design.growth[: row - 1], self._question(design))
            dialog = StepDialog(before, design.growth[row - 1], self)
            dialog.taken.connect(self._on_applied)
            dialog.open()

    def _on_applied(self, step: GrowthStep) -> None:
        steps, row = self._steps(), _row(self.table)
        self._change((*steps[: row - 1], step, *steps[row:]), _("Change step of growth"), row)

    def _on_remove(self) -> None:
        steps, row = self._steps(), _row(self.table)
        if row >= 1:
            self._change((*steps[: row - 1], *steps[row:]), _("Remove step of growth"), row)

    def _steps(self) -> tuple[GrowthStep, ...]:
        return () if self.session.design is None else self.session.design.growth

    def _change(self, steps: tuple[GrowthStep, ...], text: str, row: int) -> None:
        if self.session.design is not None:
            self.session.change_design(replace(self.session.design, growth=steps), text)
            self.refresh()
            self.table.selectRow(min(row, self.stages.rowCount() - 1))

    def _table(self, name: str, model: RowModel[R], selected: object, names: int) -> QTableView:
        view = plain_table(name, model, self, stretched=(names,), fitted=True, selected=selected)
        view.setFixedHeight(_ROWS * ROW_HEIGHT + ROW_HEIGHT // 2)
        return view


def _row(view: QTableView) -> int:
    return max(0, view.currentIndex().row())


def _selected(view: QTableView, model: RowModel[R]) -> R | None:
    return model.row(_row(view)) if _row(view) < model.rowCount() else None
