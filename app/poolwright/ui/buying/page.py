"""The buying page: wishes in money, space and bays, what to buy for them, and behind it the prices."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from uuid import uuid4

from PySide6.QtCore import Qt
from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QCheckBox, QPushButton, QWidget

from poolwright.design.amounts import parse_count, parse_rate
from poolwright.design.buying import Buying, BuyProgress, Offer, offer_words
from poolwright.design.candidate import Candidate
from poolwright.domain.catalogue import Catalogue, Product, converted, stale_prices
from poolwright.domain.design import Design
from poolwright.domain.disk import Media
from poolwright.domain.errors import PoolwrightError, Refusal
from poolwright.domain.money import Money, money_words
from poolwright.domain.units import TB
from poolwright.jobs.job import Asking
from poolwright.jobs.worker_job import BriefJob, WorkerJob
from poolwright.machine.catalogue import read_catalogue, write_catalogue
from poolwright.questions import buy, designs_of_offers
from poolwright.store.tool_files import text_of
from poolwright.texts import N_, _, ngettext, numeral
from poolwright.ui.budget.page import wish_fields
from poolwright.ui.buying.offer_table import (
    OfferColumn,
    ProductTable,
    buy_request,
    cards_of,
    identity_with,
    inventory_with,
    offer_columns,
    take_offer,
)
from poolwright.ui.parts import widgets
from poolwright.ui.parts.estimate_line import sentence
from poolwright.ui.parts.form import Field, Form, Remark, Typed
from poolwright.ui.parts.note_lines import Line, NoteLines
from poolwright.ui.parts.page import AskingInSight, Page
from poolwright.ui.parts.panes import Panes
from poolwright.ui.parts.save_file import ask_file, ask_where
from poolwright.ui.parts.table import ROW_HEIGHT, RowModel, plain_table
from poolwright.ui.parts.theme import GRID, Tone
from poolwright.ui.parts.widgets import Complaint, ToneLabel
from poolwright.ui.ranking.layout_card import LayoutCards
from poolwright.ui.state.expectations import today_here, today_text
from poolwright.ui.state.recommending import identity_of

JOB_TARGET = "buying"
_MOST_REASONS = 3
_WIDE_FROM, _ROOM_FOR_ALL = 150 * GRID, 110 * GRID


class BuyingPage(Page):
    """Searches as soon as wishes change. Beside the answer, or behind a tab, stand the prices."""

    heading = N_("Buy")
    about = N_("What to buy, and the pool it makes.")

    def build(self) -> None:
        self._asking = AskingInSight(self, self._search, self._show_found, self._show_failure)
        self._asking.cancelled.connect(self._show_stopped)
        self._comparing = Asking(self.session.jobs, self, self._on_designed)
        self._taking = Asking(self.session.jobs, self, self._on_taken, self.session.complain)
        self._taken: Offer | None = None  # whose design is being made
        self._so_far: BuyProgress | None = None
        self._panes = Panes(_("Parts of this page"), _WIDE_FROM, self)
        self._panes.add(_("What to buy"), self._make_answer(), 3)
        self._panes.add(_("Prices"), self._make_catalogue(), 2)
        self.body.addWidget(self._panes, 1)
        self.put_in_foot(self._compare, self._take)
        self.begins = (self._form.editor("money"),)
        self._show_catalogue(self.session.library.catalogue())

    def refresh(self) -> None:
        ticked = len(self.session.ticked)
        self._hand.setText(ngettext("With the {count} ticked disk", "With the {count} ticked disks", ticked))
        self._hand.setVisible(ticked > 0)
        self._form.show_values(self.session.budget, _remark)
        self._show_prices()
        self._follow()

    def missing(self) -> str:
        wrong = self._form.unread()
        return _("Not understood, so no limit: {names}.", names=", ".join(wrong)) if wrong else ""

    def main_button(self) -> QPushButton | None:
        if self._rate_row.isVisibleTo(self):
            return self._convert
        return None if self._cards.isHidden() else self._take

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._follow()
        self._on_row()

    def hideEvent(self, event: QHideEvent) -> None:
        """Let the summary tell of offers only beside them."""
        super().hideEvent(event)
        if self.session.inventory is None:
            self.session.look_at(None)

    # The prices

    def _make_catalogue(self) -> QWidget:
        part = QWidget(self)
        row = widgets.row()
        for icon, text, hint, slot in (
            ("add", _("Add"), "", self._on_add),
            ("delete", _("Remove"), "", self._on_remove),
            ("import", _("Import…"), _("Read a catalogue from a CSV file"), partial(ask_file, self, self.import_file)),
            ("export", _("Export…"), _("Write the catalogue to a CSV file"), self._on_export),
            ("undo", _("Reset"), _("Back to the catalogue of Poolwright"), self._on_shipped),
        ):
            row.addWidget(widgets.button(text, part, slot, icon=icon, tip=hint))
        row.addStretch(1)
        self._trouble = Complaint(_("What was not taken"), part, Tone.WARN, small=True)
        self._products = ProductTable(today_text, self._currency, self)
        self._filter = widgets.search_line(
            part, _("Filter the catalogue"), _("Filter the catalogue"), self._products.keep
        )
        self._products.edited.connect(self._on_edited)
        self._products.refused.connect(self._trouble.say)
        by_price = (4, Qt.SortOrder.AscendingOrder)
        self._view = plain_table(_("Catalogue of disks"), self._products, part, sorted_by=by_price)
        self._view.horizontalHeader().setStretchLastSection(True)
        widgets.action(_("Remove"), self._view, "Del", self._on_remove)
        widgets.column(self._filter, row, self._trouble, (self._view, 1), of=part)
        return part

    def _on_edited(self, catalogue: Catalogue) -> None:
        self._trouble.say("")
        self.session.library.keep_catalogue(catalogue)
        self._show_prices()
        self._follow()

    def _on_add(self) -> None:
        known = {product.key for product in self._products.catalogue.products}
        number = next(n for n in range(1, len(known) + 2) if f"new-disk-{n}" not in known)
        product = Product(
            key=f"new-disk-{number}", model=_("New disk {number}", number=number), media=Media.HDD, size_bytes=16 * TB
        )
        self._products.insert(product)
        line = self._products.line_of(product.key)
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

    def import_file(self, name: str) -> None:
        """Read a catalogue in place of the present one; nothing changes where it cannot be read."""
        path = Path(name)
        try:
            self._put_catalogue(read_catalogue(text_of(path), where=path.name))
        except PoolwrightError as error:
            self._trouble.say(error.text)

    def _on_export(self) -> None:
        text = write_catalogue(self._products.catalogue)
        ask_where(self, "catalogue.csv", partial(self.session.write, text=text))

    def _put_catalogue(self, catalogue: Catalogue) -> None:
        self._show_catalogue(catalogue)
        self._on_edited(catalogue)

    def _on_shipped(self) -> None:
        self.session.library.keep_catalogue(None)
        self._show_catalogue(self.session.library.catalogue())
        self._follow()

    def _show_catalogue(self, catalogue: Catalogue) -> None:
        self._products.show_rows(catalogue.products)
        self._view.resizeColumnsToContents()
        self._show_prices()

    def _priced_in(self) -> str | None:
        """Return the one currency of all prices; None where there are several, or none."""
        codes = {p.price.currency for p in self._products.catalogue.products if p.price is not None}
        return codes.pop() if len(codes) == 1 else None

    def _currency(self) -> str | None:
        return self.session.currency or self._priced_in()

    def _show_prices(self) -> None:
        """Say in which currency prices are and of when; ask for the rate where the money is in another."""
        one, wanted = self._priced_in(), self.session.budget.reckoned_in
        priced = [product for product in self._products.catalogue.products if product.price is not None]
        days = sorted({product.priced_on for product in priced if product.priced_on})
        text = ngettext("{count} price", "{count} prices", len(priced))
        when = " – ".join(dict.fromkeys((days[0], days[-1]))) if days else ""
        old = stale_prices(priced, today_here())
        sources = {product.source.partition(" (")[0] for product in priced}
        summary = old or ", ".join(filter(None, (text, when, one)))
        text = " ".join((summary, *(sentence(source) for source in sources if len(sources) == 1)))
        self._origin.show_lines([Line(text=text, tone=Tone.WARN if old else Tone.MUTED)] if text else [])
        self._rate_row.setVisible(one is not None and wanted is not None and one != wanted)
        self._rate_words.setText(_("Type what 1 {one} is in {other} to see what can be bought:", one=one, other=wanted))
        self.show_main_button()

    def _on_rate(self) -> None:
        wanted = self.session.budget.reckoned_in
        try:
            rate = parse_rate(self._rate.text())
        except PoolwrightError as error:
            self._rate_wrong.say(error.text)
            return
        if wanted is not None:
            self._rate.clear()
            self._form.editor("money").setFocus(Qt.FocusReason.OtherFocusReason)  # the row with the rate goes
            self._put_catalogue(converted(self._products.catalogue, rate, wanted))

    def _on_price(self) -> None:
        """Take today's price of the model that is marked."""
        offer = self._selected()
        if offer is not None and offer.product is not None:
            self._products.write("price", _("Price"), offer.product, self._price.text())

    # The wishes and the answer

    def _make_answer(self) -> QWidget:
        part = QWidget(self)
        self._form = Form(part, editors=14 * GRID, columns=2)
        wishes = {field.key: field for field in wish_fields(self._currency)}
        self._form.add(*map(wishes.__getitem__, ("money", "bays", "least_usable_bytes", "survive")))
        self._form.add(Field("buy_most", _("Most disks to buy"), Typed(parse_count, str), "", _("no limit")))
        self._form.edited.connect(self._on_wish)
        boxes = QWidget(self._form)
        self._hand = widgets.named(QCheckBox(boxes), _("Use the ticked disks too"))
        self._only_sold = QCheckBox(_("Only models &still sold"), boxes)
        self._only_sold.setChecked(True)
        self._only_sold.setToolTip(_("Otherwise used disks and old stock are offered too"))
        for box in (self._hand, self._only_sold):
            box.toggled.connect(self._follow)
        widgets.column(self._only_sold, self._hand, of=boxes, gap=0)
        self._form.add_beside(boxes)
        self._origin = NoteLines(_("About the prices"), part, small=True)
        self._price_row = QWidget(part)
        self._costs = ToneLabel("", Tone.TEXT, self._price_row, wrapped=False)
        self._price = widgets.entry(self._price_row, _("Price of one disk"), "289 EUR")
        self._price.setFixedWidth(14 * GRID)
        self._price.returnPressed.connect(self._on_price)
        widgets.row(self._costs, self._price, of=self._price_row)
        self._rate_row = QWidget(part)
        self._rate_words = ToneLabel("", Tone.TEXT, self._rate_row, wrapped=False)
        self._rate = widgets.entry(self._rate_row, _("Rate of exchange"), "")
        self._rate.returnPressed.connect(self._on_rate)
        self._convert = widgets.button(_("Convert prices"), self._rate_row, self._on_rate)
        self._rate_wrong = Complaint(_("Rate of exchange"), self._rate_row, small=True)
        self._rate.textChanged.connect(self._rate_wrong.hide)
        exchange = widgets.row(self._rate_words, self._rate, self._convert, 1)
        widgets.column(exchange, self._rate_wrong, of=self._rate_row, gap=0)
        self._notes = NoteLines(_("What the search found"), part, most=1, small=True)
        self._cards = LayoutCards(part)
        self._cards.be_low(low=True, bought=True)
        self._cards.picked.connect(self._select)
        self._offers = RowModel[Offer](offer_columns(), self)
        name, wide = _("What can be bought"), (OfferColumn.BUY,)
        self._offer_view = plain_table(name, self._offers, part, fitted=True, stretched=wide)
        self._offer_view.doubleClicked.connect(self._on_take)
        self._offer_view.selectionModel().selectionChanged.connect(self._on_row)
        self._take = widgets.button(_("Design with these"), self, self._on_take, icon="design")
        self._compare = widgets.button(_("Compare"), self, self._on_compare, icon="compare")
        prices = widgets.row(self._price_row, (self._origin, 1), gap=2 * GRID)
        widgets.column(self._form, self._rate_row, self._cards, prices, self._offer_view, self._notes, 1, of=part)
        return part

    def _on_wish(self, key: str, value: object) -> None:
        self.session.set_budget(replace(self.session.budget, **{key: value}))  # type: ignore[arg-type]
        self.show_missing()

    def _follow(self) -> None:
        """Search anew where something else is asked now."""
        with_hand = self._hand.isChecked() and bool(self.session.ticked)
        request = buy_request(self.session, with_hand=with_hand)
        question = request, self._products.catalogue, not self._only_sold.isChecked()
        budget = request.budget
        ready = any((budget.money, budget.bays, budget.buy_most, budget.least_usable_bytes))
        if self._asking.follow(question, ready=ready):
            self._so_far = None
            self._show_offers((), None, None)
            self._notes.show_lines([] if ready else [Line(text=_("Enter money, a capacity or drive bays."))])

    def _search(self) -> None:
        request, catalogue, with_old = self._asking.wanted
        job = WorkerJob(_("Searching for offers"), JOB_TARGET, self, buy, request, catalogue, with_old=with_old)
        job.so_far.connect(self._show_so_far)
        self._asking.ask(job)

    def _show_found(self, found: Buying) -> None:
        self._show_offers(found.front, found.cheapest, found.best)
        self._notes.show_lines([Line(text=_("Not tried, or not known:")), *(Line(text=t) for t in found.left_out)])

    def _show_stopped(self) -> None:
        if self._so_far is None or not self._so_far.done:
            self._say_tried(_("Stopped before the first model."), Tone.WARN)
        else:
            self._say_tried(_("Stopped: {done} of {models} models were tried, the others were not."), Tone.WARN)

    def _say_tried(self, text: str, tone: Tone) -> None:
        progress = self._so_far
        words = text if progress is None else text.format(done=numeral(progress.done), models=numeral(progress.models))
        self._notes.show_lines([Line(text=words, tone=tone)])

    def _show_so_far(self, progress: BuyProgress) -> None:
        before, self._so_far = self._so_far, progress
        self._say_tried(_("Searching: {done} of {models} models are tried."), Tone.NOTE)
        best, cheapest = progress.best, progress.cheapest
        if best and cheapest and (before is None or (best, cheapest) != (before.best, before.cheapest)):
            self._show_offers(tuple(dict.fromkeys((cheapest, best))), cheapest, best)

    def _show_failure(self, text: str) -> None:
        self._show_offers((), None, None)
        if self._rate_row.isVisibleTo(self):
            return  # which asks for what is missing
        reasons = self._asking.error.reasons if isinstance(self._asking.error, Refusal) else ()
        lines = (Line(text=reason, tone=Tone.MUTED) for reason in reasons[:_MOST_REASONS])
        self._notes.show_lines([Line(text=text, tone=Tone.BLOCK), *lines])

    def _show_offers(self, offers: tuple[Offer, ...], cheapest: Offer | None, best: Offer | None) -> None:
        self._offers.show_rows(offers)
        cards = cards_of(offers, cheapest, best)
        self._cards.show_cards(cards)
        for part in (self._cards, self._offer_view, self._take):
            part.setVisible(bool(offers))
        self._compare.setVisible(len(self._cards.shown) > 1)
        if cards:
            self._select(cards[0].candidate)
        else:
            self._on_row()  # of which none is left
        self._fit_offers()
        self.show_main_button()

    def _fit_offers(self) -> None:
        """Be as high as all offers, for the page scrolls and nothing in it; on a narrow page cards tell the rest."""
        view = self._offer_view
        around = view.horizontalHeader().sizeHint().height() + 2 * view.frameWidth()
        view.setFixedHeight(around + self._offers.rowCount() * ROW_HEIGHT)
        for column in (OfferColumn.SURVIVES, OfferColumn.LOSS):
            view.setColumnHidden(column, self.width() < _ROOM_FOR_ALL)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.is_built:
            self._fit_offers()

    def _select(self, candidate: Candidate) -> None:
        """Mark an offer in the table; its card follows."""
        line = next((n for n, offer in enumerate(self._offers.shown()) if offer.candidate is candidate), None)
        if line is not None:
            self._offer_view.selectRow(line)

    def _selected(self) -> Offer | None:
        rows = self._offer_view.selectionModel().selectedRows()
        return self._offers.row(rows[0].row()) if rows else None

    def _on_row(self) -> None:
        offer = self._selected()
        self._take.setEnabled(offer is not None)
        product = None if offer is None else offer.product
        self._price_row.setVisible(product is not None)
        if product is not None:
            self._costs.setText(_("{model} costs today", model=product.model))
            self._price.setText("" if product.price is None else money_words(product.price))
        if offer is not None:
            self._cards.select(offer.candidate)
        if self.session.inventory is None:
            self.session.look_at(None if offer is None else offer.candidate)

    def _on_compare(self) -> None:
        shown, known = self._cards.shown, identity_of(self.session)
        offers = [offer for offer in self._offers.shown() if any(offer.candidate is each for each in shown)]
        named = tuple((offer, replace(known, key=uuid4().hex, name=offer_words(offer))) for offer in offers)
        title, inventory = _("Creating the designs"), self.session.inventory
        self._comparing.ask(WorkerJob(title, JOB_TARGET, self, designs_of_offers, named, inventory))

    def _on_designed(self, designs: tuple[Design, ...]) -> None:
        if all(self.session.library.save(design) for design in designs):
            self.session.asked.emit("compare", tuple(design.key for design in designs))

    def _on_take(self) -> None:
        offer = self._taken = self._selected()
        if self.missing():
            self.session.say(self.missing())  # what is bought may not be what was meant
        elif offer is not None:
            named, inventory = identity_with(self.session, offer), inventory_with(self.session, offer)
            title = _("Assigning disks")
            self._taking.ask(BriefJob(title, JOB_TARGET, self, designs_of_offers, ((offer, named),), inventory))

    def _on_taken(self, designs: tuple[Design, ...]) -> None:
        if self._taken is not None:
            take_offer(self.session, self._taken, designs[0])
            self.go.emit("design")


def _remark(_field: Field, value: object) -> Remark:
    return Remark(text=money_words(value) if isinstance(value, Money) else "")
