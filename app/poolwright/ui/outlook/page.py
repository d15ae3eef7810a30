"""What to expect of the current design: speed, rebuild, risk, cost; each number with band and origin.

How it fills is told where that can be planned for: on the tabs Datasets and Growth of the design.
"""

from collections.abc import Generator

from PySide6.QtCore import Qt

from poolwright.texts import _
from poolwright.ui.design.pool_pane import PoolChoice
from poolwright.ui.outlook.assumed import AssumedPane
from poolwright.ui.outlook.expected import outlook_blocks
from poolwright.ui.outlook.model_error_pane import ModelErrorPane
from poolwright.ui.parts import lay
from poolwright.ui.parts.lay import ToneLabel
from poolwright.ui.parts.page import Page
from poolwright.ui.parts.panes import Panes, Place
from poolwright.ui.parts.report_view import ReportView
from poolwright.ui.parts.theme import GRID, Tone

_WIDE_FROM = 150 * GRID


class OutlookPage(Page):
    """Follows design and assumptions at once; nothing here changes the design."""

    def title(self) -> str:
        return _("Outlook")

    def sentence(self) -> str:
        """Return what to do here, and of which pool where there are several."""
        design = self.pools.show_pools() if self.is_built else self.session.design
        if design is not None and design is not self.session.design:
            return _("What the pool {name} will do while those beside it rest.", name=design.pool_name)
        return _("What this pool will do, and what that assumes.")

    def missing(self) -> str:
        return "" if self.session.design is not None else _("Choose a layout first.")

    def build(self) -> Generator[None, None, None]:
        expectations = self.session.expectations
        self.pools = PoolChoice(_("Pool"), self.session, self.refresh_now, self)
        self.body.addWidget(self.pools, 0, Qt.AlignmentFlag.AlignLeft)
        self._none = ToneLabel("", Tone.MUTED, self)
        self._choose = lay.button(_("Choose a layout"), self, self._go_choose)
        self.body.addWidget(self._none)
        self.body.addWidget(self._choose)
        self.expected = ReportView(_("What is expected"), self, least=40 * GRID)
        yield
        self.assumed = AssumedPane(self.session, self)
        yield
        self.rows = ModelErrorPane(self)
        self.panes = Panes(_("Parts of the outlook"), _WIDE_FROM, self)
        self.panes.add(_("Expected"), self.expected, Place(column_stretch=3, rows=2))
        self.panes.add(_("Assumed"), self.assumed, Place(column=1, column_stretch=2, row_stretch=0))
        self.panes.add(_("Measured rows"), self.rows, Place(row=1, column=1, column_stretch=2))
        # Or panes that stand side by side would keep the page too wide to go behind tabs again.
        self.panes.setMinimumWidth(60 * GRID)
        self.body.addWidget(self.panes, 1)
        self.body.addStretch(0)
        expectations.changed.connect(self._on_assumed)
        self.assumed.failed.connect(self.session.complain)
        self.rows.failed.connect(self.session.complain)
        self.rows.asked.connect(self._on_table)

    def _on_table(self, name: str) -> None:
        self.session.asked.emit("tables", name)

    def refresh(self) -> None:
        assessment, whole = self.session.assessment, self.session.expected
        pools = assessment.pools if assessment is not None else ()
        expected = whole
        if len(pools) > 1:
            of_pools = self.session.expectations.of_pools((pool.design, pool.capacity) for pool in pools)
            expected = of_pools[self.pools.number] if of_pools else None
        self.panes.setVisible(expected is not None)
        self._none.setVisible(expected is None)
        self._choose.setVisible(assessment is None)
        if assessment is None:
            self._none.setText(_("No design yet: choose a layout first."))
            return
        if expected is None or whole is None:
            self._none.setText(self.session.expectations.problem)
            return
        self.expected.show_blocks(outlook_blocks(expected, whole.cost))
        self.assumed.show_expected(expected, pools[self.pools.number].design, whole, assessment.design)

    def _on_assumed(self) -> None:
        if self.isVisible():
            self.refresh()
        else:
            self._stale = True

    def _go_choose(self) -> None:
        self.go.emit("recommendation")
