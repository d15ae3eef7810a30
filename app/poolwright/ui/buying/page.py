"""The buying page: the user's catalogue of disks, and what to buy from it within budget and bays."""

from dataclasses import replace
from pathlib import Path
from uuid import uuid4

from PySide6.QtCore import QAbstractItemModel, Qt, QTimer
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QAbstractItemView, QCheckBox, QHBoxLayout, QPushButton, QSpinBox, QTableView, QWidget

from poolwright.design.buying import Buying, BuyProgress, Offer, closest_to, offer_words
from poolwright.design.compare import LEAST_COLUMNS, MOST_COLUMNS
from poolwright.domain.catalogue import Catalogue, Product
from poolwright.domain.design import Design
from poolwright.domain.disk import Media
from poolwright.domain.errors import PoolwrightError, Refusal
from poolwright.domain.units import TB
from poolwright.jobs.job import Asking
from poolwright.jobs.worker_job import BriefJob, WorkerJob
from poolwright.machine.catalogue import read_catalogue, write_catalogue
from poolwright.questions import buy, designs_of_offers
from poolwright.texts import N_, _, ngettext
from poolwright.ui.buying.offer_table import (
    OfferColumn,
    OfferTable,
    ProductTable,
    buy_request,
    identity_with,
    inventory_with,
    price_told,
    purchase_text,
    take_offer,
)
from poolwright.ui.parts import lay
from poolwright.ui.parts.assumption_form import today_text
from poolwright.ui.parts.card import EchoDelegate, ReadCell
from poolwright.ui.parts.lay import Complaint, ToneLabel
from poolwright.ui.parts.note_lines import Line, NoteLines
from poolwright.ui.parts.page import Page
from poolwright.ui.parts.panes import Flow, Panes, Place
from poolwright.ui.parts.save_file import ask_file, ask_where
from poolwright.ui.parts.table import plain_table
from poolwright.ui.parts.theme import GRID, SMALL_POINTS, Tone, text_font
from poolwright.ui.state.money_of_budget import money_words
from poolwright.ui.state.recommending import identity_of
from poolwright.ui.state.steps import wishes_words

JOB_TARGET = "buying"
_MOST_CATALOGUE_BYTES = 16 << 20
_MOST_REASONS = 3
_WIDE_FROM = 150 * GRID
_MOST_TO_BUY = 96


class BuyingPage(Page):
    """Catalogue above, offers below."""

    heading = N_("Buy")
    about = N_("Every model of the catalogue is tried in every number.")

    def build(self) -> None:
        self._asking = Asking(self.session.jobs, self, self._show_found, self._show_failure)
        self._asking.cancelled.connect(self._show_stopped)
        self._asking.ended.connect(self.show_main_button)
        self._comparing = Asking(self.session.jobs, self, self._on_designed)
        self._taking = Asking(self.session.jobs, self, self._on_taken, self.session.complain)
        self._offer: Offer | None = None  # whose design is being made
        self._seen: BuyProgress | None = None
        self._found: Buying | None = None
        panes = Panes(_("Parts of this page"), _WIDE_FROM, self)
        panes.add(_("What to buy"), self._make_answer(), Place(column_stretch=3))
        panes.add(_("Catalogue"), self._make_catalogue(), Place(column=1, column_stretch=2))
        self.body.addWidget(panes, 1)
        self.put_in_foot(self._compare, self._search, self._take)
        self._products.show_catalogue(self.session.library.catalogue())
        self._view.resizeColumnsToContents()
        self._show_nothing_yet()

    def refresh(self) -> None:
        ticked = len(self.session.ticked)
        self._hand.setText(ngettext("With the {count} ticked disk", "With the {count} ticked disks", ticked))
        self._hand.setEnabled(ticked > 0)
        self._most.setValue(self.session.budget.buy_most or 0)
        goal = _("Asked for: {goal}", goal=_(self.session.workload.goal.value))
        self._wishes.setText(", ".join((goal, *wishes_words(self.session.budget))))

    def main_button(self) -> QPushButton | None:
        return self._search if self._found is None else self._take

    # The catalogue

    def _make_catalogue(self) -> QWidget:
        part = QWidget(self)
        row = lay.row()
        for icon, text, hint, slot in (
            ("add", _("Add"), "", self._on_add),
            ("delete", _("Remove"), "", self._on_remove),
            ("import", _("Import…"), _("Read a catalogue from a CSV file"), self._on_import),
            ("export", _("Export…"), _("Write the catalogue to a CSV file"), self._on_export),
            ("undo", _("Shipped"), _("Back to the catalogue of Poolwright"), self._on_shipped),
        ):
            row.addWidget(lay.button(text, part, slot, icon=icon, tip=hint))
        row.addStretch(1)
        self._trouble = Complaint(_("What was not taken"), part, Tone.WARN, small=True)
        self._products = ProductTable(today_text, self._currency, self)
        self._filter = lay.search_line(part, _("Filter the catalogue"), _("Filter: model…"), self._products.keep)
        self._products.edited.connect(self._on_edited)
        self._products.refused.connect(self._trouble.say)
        self._view = _table(_("Catalogue of disks"), self._products, part, self._products.understood)
        self._view.setSortingEnabled(True)
        self._view.sortByColumn(5, Qt.SortOrder.AscendingOrder)
        delete = QShortcut(QKeySequence(Qt.Key.Key_Delete), self._view)
        delete.setContext(Qt.ShortcutContext.WidgetShortcut)
        delete.activated.connect(self._on_remove)
        lay.column(self._filter, row, self._trouble, (self._view, 1), of=part)
        return part

    def _on_edited(self, catalogue: Catalogue) -> None:
        self._trouble.say("")
        self.session.library.keep_catalogue(catalogue)

    def _on_add(self) -> None:
        known = {product.key for product in self._products.catalogue.products}
        number = next(n for n in range(1, len(known) + 2) if f"new-disk-{n}" not in known)
        made = Product(
            key=f"new-disk-{number}", model=_("New disk {number}", number=number), media=Media.HDD, size_bytes=16 * TB
        )
        self._products.insert(made)
        line = self._products.line_of(made.key)
        if line is not None:
            index = self._products.index(line, 0)
            self._view.setCurrentIndex(index)
            self._view.edit(index)

    def _on_remove(self) -> None:
        rows = self._view.selectionModel().selectedRows()
        if rows:
            line = rows[0].row()
            self._products.remove(self._products.row(line).key)
            self._view.selectRow(min(line, self._products.rowCount() - 1))

    def _on_import(self) -> None:
        ask_file(self, self.import_file)

    def import_file(self, name: str) -> None:
        """Read a catalogue in place of the present one; nothing changes where it cannot be read."""
        path = Path(name)
        try:
            if path.stat().st_size > _MOST_CATALOGUE_BYTES:
                self._trouble.say(_("{file} is too large to be a catalogue.", file=path.name))
                return
            catalogue = read_catalogue(path.read_bytes().decode("utf-8"), where=path.name)
        except OSError as error:
            self._trouble.say(f"{path.name}: {error.strerror or error}")
        except UnicodeDecodeError:
            self._trouble.say(_("{file} is not UTF-8 text.", file=path.name))
        except PoolwrightError as error:
            self._trouble.say(error.text)
        else:
            self._show_catalogue(catalogue)
            self._on_edited(catalogue)

    def _on_export(self) -> None:
        ask_where(self, "catalogue.csv", self.export_file)

    def export_file(self, name: str) -> None:
        self.session.write(name, write_catalogue(self._products.catalogue))

    def _on_shipped(self) -> None:
        self.session.library.keep_catalogue(None)
        self._show_catalogue(self.session.library.catalogue())

    def _show_catalogue(self, catalogue: Catalogue) -> None:
        self._products.show_catalogue(catalogue)
        self._view.resizeColumnsToContents()

    # The offers

    def _make_answer(self) -> QWidget:
        part = QWidget(self)
        column = lay.column(self._make_wishes(part), self._make_question(part), of=part)
        self._told = NoteLines(_("What the search found"), part, most=6, small=True)
        self._offers = OfferTable(self)
        self._offer_view = _table(_("What can be bought"), self._offers, part)
        self._offer_view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self._offer_view.doubleClicked.connect(self._on_take)
        column.addWidget(self._offer_view, 1)
        column.addWidget(self._told)
        column.addStretch(0)
        self._chosen = lay.named(ToneLabel("", Tone.MUTED, part), _("Chosen offer"))
        self._offer_view.selectionModel().selectionChanged.connect(self._show_chosen)
        self._take = lay.button(_("Design with these disks"), self, self._on_take, icon="design")
        self._compare = lay.button(_("Compare the ticked"), self, self._on_compare, icon="compare")
        column.addWidget(self._chosen)
        return part

    def _make_wishes(self, part: QWidget) -> QHBoxLayout:
        self._wishes = lay.named(ToneLabel("", Tone.TEXT, part), _("Wishes of the budget"))
        change = lay.button(_("Change wishes"), part, self._on_wishes, icon="budget")
        return lay.row((self._wishes, 1), change, gap=2 * GRID)

    def _make_question(self, part: QWidget) -> Flow:
        """Make the controls for what a search may use: the ticked disks, how many bought ones, and which models."""
        self._hand = lay.named(QCheckBox(part), _("Use the ticked disks too"))
        self._most = lay.named(QSpinBox(part), _("Most disks to buy"))
        self._most.setRange(0, _MOST_TO_BUY)
        self._most.setSpecialValueText(_("buy any number"))
        self._most.setPrefix(_("buy at most "))
        self._most.setKeyboardTracking(False)
        self._most.valueChanged.connect(self._on_most)
        self._only_sold = QCheckBox(_("Only models &still sold"), part)
        self._only_sold.setChecked(True)
        self._only_sold.setToolTip(_("Else used disks and old stock are offered as well"))
        self._search = lay.button(_("Search"), self, self._on_search, icon="search", name=_("Search what to buy"))
        row = Flow(gap=2 * GRID)
        for widget in (self._hand, self._only_sold, self._most):
            row.addWidget(widget)
        return row

    def _currency(self) -> str | None:
        return self.session.currency

    def _on_most(self, count: int) -> None:
        self.session.set_budget(replace(self.session.budget, buy_most=count or None))

    def _on_wishes(self) -> None:
        self.go.emit("budget")

    def _show_nothing_yet(self) -> None:
        self._told.show_lines(
            [Line(text=_("Set money, drive bays or a capacity under Budget, then search."), tone=Tone.NOTE)]
        )
        self._show_answer(shown=False)

    def _show_answer(self, *, shown: bool) -> None:
        for part in (self._offer_view, self._take, self._compare):
            part.setVisible(shown)

    def _on_search(self) -> None:
        request = buy_request(self.session, with_hand=self._hand.isChecked() and self._hand.isEnabled())
        self._seen = self._found = None
        title, catalogue, with_old = (
            _("Searching what to buy"),
            self._products.catalogue,
            not self._only_sold.isChecked(),
        )
        job = WorkerJob(title, JOB_TARGET, self, buy, request, catalogue, with_old=with_old)
        job.so_far.connect(self._show_so_far)
        self._asking.ask(job)

    def _show_found(self, found: Buying) -> None:
        self._found = found
        self._show_offers(found.front, found.cheapest, found.best)
        left = [Line(text=text, tone=Tone.MUTED) for text in found.left_out]
        self._told.show_lines([Line(text=_("Not tried, or not known:"), tone=Tone.NOTE), *left])

    def _show_stopped(self) -> None:
        if self._seen is None:
            self._told.show_lines([Line(text=_("Stopped before the first model was tried."), tone=Tone.WARN)])
        else:
            self._say_tried(
                self._seen, _("Stopped: {done} of {models} models were tried, the others were not."), Tone.WARN
            )

    def _say_tried(self, progress: BuyProgress, text: str, tone: Tone) -> None:
        told = text.format(done=f"{progress.done:,}", models=f"{progress.models:,}")
        self._told.show_lines([Line(text=told, tone=tone)])

    def _show_so_far(self, progress: BuyProgress) -> None:
        before, self._seen = self._seen, progress
        self._say_tried(progress, _("Searching: {done} of {models} models are tried."), Tone.NOTE)
        if progress.best is None or progress.cheapest is None:
            return
        if before is None or (progress.best, progress.cheapest) != (before.best, before.cheapest):
            self._show_offers(
                tuple(dict.fromkeys((progress.best, progress.cheapest))), progress.cheapest, progress.best
            )

    def _show_failure(self, text: str) -> None:
        self._show_answer(shown=False)
        lines = [Line(text=text, tone=Tone.BLOCK)]
        reasons = self._asking.error.reasons if isinstance(self._asking.error, Refusal) else ()
        self._told.show_lines(lines + [Line(text=reason, tone=Tone.MUTED) for reason in reasons[:_MOST_REASONS]])

    def _show_offers(self, offers: tuple[Offer, ...], cheapest: Offer, best: Offer) -> None:
        self._offers.show_offers(offers, cheapest, best, closest_to(self.session.budget, offers))
        self._show_answer(shown=True)
        self._offer_view.resizeColumnsToContents()
        self._offer_view.setColumnWidth(
            OfferColumn.LAYOUT, min(self._offer_view.columnWidth(OfferColumn.LAYOUT), 28 * GRID)
        )
        row = self._offers.line_of(id(best))
        self._offer_view.selectRow(0 if row is None else row)
        QTimer.singleShot(0, self._offer_view, self._bring_to_sight)  # once the table has its size

    def _bring_to_sight(self) -> None:
        self._offer_view.scrollTo(self._offer_view.currentIndex().siblingAtColumn(0))

    def _show_chosen(self) -> None:
        rows = self._offer_view.selectionModel().selectedRows()
        self._take.setEnabled(bool(rows))
        if not rows:
            self._chosen.setText("")
            return
        offer = self._offers.row(rows[0].row())
        mark = str(rows[0].siblingAtColumn(OfferColumn.MARK).data())
        cost = ", ".join(part for part in (money_words(offer.cost), price_told(offer)) if part)
        told = f"{purchase_text(offer, _('nothing'))}: {cost}"
        self._chosen.setText(f"{told} ({mark})" if mark else told)

    def _on_compare(self) -> None:
        ticked = self._offers.ticked()
        if not LEAST_COLUMNS <= len(ticked) <= MOST_COLUMNS:
            least, most = LEAST_COLUMNS, MOST_COLUMNS
            self.session.say(_("Tick {least} to {most} offers to compare them.", least=least, most=most))
            return
        known = identity_of(self.session)
        named = tuple((offer, replace(known, key=uuid4().hex, name=offer_words(offer))) for offer in ticked)
        title, inventory = _("Designing the ticked offers"), self.session.inventory
        self._comparing.ask(WorkerJob(title, JOB_TARGET, self, designs_of_offers, named, inventory))

    def _on_designed(self, designs: tuple[Design, ...]) -> None:
        if all(self.session.library.save(design) for design in designs):
            self.session.asked.emit("compare", tuple(design.key for design in designs))

    def _on_take(self) -> None:
        rows = self._offer_view.selectionModel().selectedRows()
        if rows:
            self._offer = offer = self._offers.row(rows[0].row())
            named, inventory = identity_with(self.session, offer), inventory_with(self.session, offer)
            title = _("Assigning disks")
            self._taking.ask(BriefJob(title, JOB_TARGET, self, designs_of_offers, ((offer, named),), inventory))

    def _on_taken(self, designs: tuple[Design, ...]) -> None:
        if self._offer is not None:
            take_offer(self.session, self._offer, designs[0])
            self.go.emit("design")


def _table(name: str, model: QAbstractItemModel, parent: QWidget, read: ReadCell | None = None) -> QTableView:
    view = plain_table(name, model, parent)
    for part in (view, view.horizontalHeader()):
        part.setFont(text_font(SMALL_POINTS))
    if read is not None:
        view.setItemDelegate(EchoDelegate(read, view))
    view.horizontalHeader().setStretchLastSection(True)
    return view
