"""The numbers of the current design: space, speed, rebuild, risk, cost; each with its steps, or band and origin.

How it fills is told where that can be planned for: on the tabs Datasets and Growth of the design.
"""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from poolwright.domain.units import binary
from poolwright.emit.report import Block, ReportHeading
from poolwright.emit.report_design import space_blocks
from poolwright.emit.report_outlook import outlook_blocks, section_words
from poolwright.texts import _
from poolwright.ui.design.pool_pane import PoolChoice
from poolwright.ui.outlook.assumed import AssumedPane
from poolwright.ui.parts import widgets
from poolwright.ui.parts.card import FoldCard
from poolwright.ui.parts.report_view import ReportView
from poolwright.ui.parts.theme import GRID, Tone
from poolwright.ui.parts.widgets import ToneLabel
from poolwright.ui.state.session import Session

_SECTIONS = 5  # space, speed, risk, cost, and where they come from


class OutlookPane(QWidget):
    """Follows design and assumptions at once; nothing here changes the design."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.pools = PoolChoice(_("Pool"), session, self.refresh, self)
        self._note = ToneLabel("", Tone.MUTED, self)
        self.assumed = AssumedPane(session, self)
        self.fold = FoldCard(_("What is assumed"), self.assumed, self)
        self.fold.head.show_words(_("disks, host, failures, prices, measured runs"))
        self.views = [ReportView("", self, least=0, grows=True) for __ in range(_SECTIONS)]
        self.sections = [FoldCard("", view, self) for view in self.views]
        self.sections[0].fold(folded=False)
        pools = (self.pools, 0, Qt.AlignmentFlag.AlignLeft)
        widgets.column(pools, self._note, *self.sections, self.fold, 1, of=self, gap=GRID)
        session.expectations.changed.connect(self._on_assumed)

    def refresh(self) -> None:
        assessment, whole = self._session.assessment, self._session.expected
        pool = self.pools.show_pools()
        if assessment is None or pool is None:
            return
        pools, expected, note = assessment.pools, whole, ""
        if assessment.design.sizes_invented:
            note = _("Disk sizes are not known: read zpool list -v -p on the Pools page too.")
            expected, pools = None, ()
        elif whole is None:
            note = self._session.expectations.problem
        elif len(pools) > 1:
            of_pools = self._session.expectations.of_pools((found.design, found.capacity) for found in pools)
            expected = of_pools[self.pools.number] if of_pools else None
            note = _("Expected of pool {name} while the others are idle.", name=pool.pool_name)
        self._note.setText(note)
        self._note.setVisible(bool(note))
        self.fold.setVisible(expected is not None)
        blocks: list[Block] = []
        words: tuple[str, ...] = ()
        for found in pools[self.pools.number : self.pools.number + 1]:
            blocks += space_blocks(found, many=len(pools) > 1)
            words = ("" if found.capacity is None else binary(found.capacity.available_bytes),)
        if whole is not None and expected is not None:
            blocks += outlook_blocks(expected, whole.cost)
            words += section_words(expected, whole.cost)
            self.assumed.show_expected(expected, pools[self.pools.number].design, whole, assessment.design)
        self._show_sections(blocks, words)

    def _show_sections(self, blocks: Sequence[Block], words: Sequence[str]) -> None:
        """Show what stands below each heading in a card of its own, with the answer beside its title."""
        starts = [n for n, block in enumerate(blocks) if isinstance(block, ReportHeading)]
        for number, (card, view) in enumerate(zip(self.sections, self.views, strict=True)):
            card.setVisible(number < len(starts))
            if number < len(starts):
                heading, *below = blocks[starts[number] : (*starts, len(blocks))[number + 1]]
                assert isinstance(heading, ReportHeading)
                card.head.show_title(heading.text)
                card.head.show_words(words[number])
                widgets.named(view, heading.text).show_blocks(below)

    def _on_assumed(self) -> None:
        if self.isVisible():
            self.refresh()
