"""What can stand in a comparison, and how the column of a choice is asked for."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QInputDialog, QWidget

from poolwright.design.assign import Identity
from poolwright.design.candidate import AnswerName, Candidate
from poolwright.design.compare import LEAST_COLUMNS, MOST_COLUMNS
from poolwright.design.md_column import md_raid6_of
from poolwright.domain.command import Reading
from poolwright.domain.design import Design
from poolwright.domain.errors import Refusal, UserError
from poolwright.domain.units import binary
from poolwright.domain.vdev import short_words
from poolwright.emit.comparison_charts import LETTERS
from poolwright.emit.report import Report, html_text, markdown_text
from poolwright.paper.report_pdf import drawn_elsewhere
from poolwright.questions import ColumnAsked, LayoutAsked
from poolwright.store.library import DesignEntry, Part, PartKind
from poolwright.texts import _, capital
from poolwright.ui.parts import widgets
from poolwright.ui.parts.save_file import REPORTS, ask_where
from poolwright.ui.parts.table import RowModel, TableColumn, plain_table
from poolwright.ui.parts.theme import GRID, Tone, theme
from poolwright.ui.parts.widgets import ToneLabel
from poolwright.ui.state.recommending import identity_of, request_of
from poolwright.ui.state.session import Session

# A column that was asked for: a design of the library or the open one, md RAID 6 of its disks, or the key of a layout.
Choice = Part | str


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparable:
    """Something that can be chosen; ``why_not`` is why it cannot at present."""

    choice: Choice
    group: str
    title: str
    detail: str
    why_not: str = ""


_PICKED = "layout "  # for machines: begins the key of a layout that has no name of its own


class Choices:
    """Knows what the session offers, and the candidates that were picked by hand."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._picked: dict[str, Candidate] = {}
        self._library: tuple[tuple[DesignEntry, ...], tuple[Comparable, ...]] = ((), ())

    def pick(self, candidate: Candidate) -> str:
        """Offer a layout of the ranking that has no name of its own; return how it is chosen."""
        for choice, known in self._candidates():
            if known is candidate:
                return choice
        key = f"{_PICKED}{candidate.words}"
        self._picked[key] = candidate
        return key

    def offers(self) -> tuple[Comparable, ...]:
        found: list[Comparable] = []
        current = self._session.design
        if current is not None:
            layout = short_words(current.layout())
            choice = Part(design_key=current.key)
            found.append(Comparable(choice=choice, group=_("This design"), title=current.name, detail=layout))
            found.append(self._md_offer(current))
        for key, candidate in self._candidates():
            detail = f"{candidate.words}, {binary(candidate.measures.usable_bytes)}"
            found.append(Comparable(choice=key, group=_("Layouts"), title=_candidate_title(key), detail=detail))
        found.extend(o for o in self._of_library() if current is None or o.choice != Part(design_key=current.key))
        return tuple(found)

    def _of_library(self) -> tuple[Comparable, ...]:
        entries = self._session.library.entries()
        if entries is not self._library[0]:
            group = _("Library")
            offers = [
                Comparable(choice=Part(design_key=entry.key), group=group, title=entry.name, detail=entry.summary)
                for entry in entries
            ]
            self._library = (entries, tuple(offers))
        return self._library[1]

    def candidate(self, key: str) -> Candidate | None:
        return next((candidate for known, candidate in self._candidates() if known == key), None)

    def design(self, part: Part) -> Design:
        """Return the design of a choice that is one; raises UserError where it is not there any more."""
        current = self._session.design
        if current is not None and part.design_key == current.key:
            return current
        found = self._session.library.read(part.design_key)
        if found is None:
            raise UserError(_("This design is no longer in the library"))
        return found

    def layout(self, candidate: Candidate, identity: Identity) -> LayoutAsked | None:
        """Return how the design of a layout is asked for; None where the ranking is gone."""
        request, found = request_of(self._session), self._session.recommendation
        if request is None or found is None:
            return None
        row, inventory = found.rank_of(candidate) or candidate, self._session.inventory
        return LayoutAsked(request=request, row=row, identity=identity, inventory=inventory)

    def column(self, choice: Choice) -> ColumnAsked:
        """Return how the column of a choice is asked for; raises UserError where it is not there any more."""
        ticked = tuple(self._session.ticked)
        if isinstance(choice, str):
            candidate = self.candidate(choice)
            title = "" if candidate is None else f"{_candidate_title(choice)}: {candidate.words}"
            name = choice.removeprefix(_PICKED) if choice.startswith(_PICKED) else title
            known = replace(identity_of(self._session), key=key_of(choice), name=name)
            layout = None if candidate is None else self.layout(candidate, known)
            if layout is None:
                raise UserError(_("This layout is no longer in the ranking"))
            return ColumnAsked(of=layout, offered=ticked)
        design = self.design(choice)
        of_all = choice.kind is PartKind.DESIGN and design is not self._session.design
        offered = tuple(disk.key for disk in design.disks if not disk.refusals()) if of_all else ticked
        return ColumnAsked(of=design, offered=offered, as_md=choice.kind is PartKind.MD_RAID6)

    def _candidates(self) -> list[tuple[str, Candidate]]:
        found = self._session.recommendation
        if found is None:
            return []
        named = [(answer.name.value, answer.candidate) for answer in found.answers]
        known: list[tuple[str, Candidate]] = []
        for key, candidate in (*named, *self._picked.items()):
            if any(c is candidate for c in found.candidates) and not any(other is candidate for __, other in known):
                known.append((key, candidate))
        return known

    def _md_offer(self, design: Design) -> Comparable:
        choice, title = Part(design_key=design.key, kind=PartKind.MD_RAID6), _("Linux md RAID 6")
        detail = why_not = ""
        try:
            detail = md_raid6_of(design).words
        except Refusal as refusal:
            why_not = " ".join(refusal.reasons)
        group = _("This design")
        return Comparable(choice=choice, group=group, title=title, detail=detail, why_not=why_not)


def key_of(layout: str) -> str:
    """Return the key of the column of a layout."""
    return f"candidate:{layout}"


def _candidate_title(key: str) -> str:
    return next((capital(name.words) for name in AnswerName if name == key), _("Picked layout"))


# Writing a report: PDF, HTML or Markdown.


def write_report(session: Session, path: str, make: Callable[[], Report]) -> None:
    """Have a job write the report that ``make`` returns, in the form of the file's ending; any other is Markdown."""
    session.write_beside(_("Writing the report"), path, _content(session, Path(path).suffix.lower(), make))


def _content(session: Session, ending: str, make: Callable[[], Report]) -> Reading[bytes]:
    report = session.covered(make())
    if ending == ".pdf":  # drawn by another process
        return (yield from drawn_elsewhere(report))
    return (html_text(report) if ending in (".html", ".htm") else markdown_text(report)).encode()


class ReportDialog(QInputDialog):
    """Asks whom a report is for, and then where it goes: ``slot`` gets the path."""

    def __init__(self, session: Session, suggested: str, slot: object, parent: QWidget, *more: str) -> None:
        super().__init__(parent)
        self._session, self._ask_where = session, partial(ask_where, parent, suggested, slot, *REPORTS, *more)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(_("Report"))
        self.setLabelText(_("Customer, for the first page (may stay empty)"))
        self.setTextValue(session.customer)
        self.setOkButtonText(_("Save…"))
        self.textValueSelected.connect(self._on_named)
        self.open()

    def _on_named(self, customer: str) -> None:
        self._session.customer = customer.strip()
        self._ask_where()


# The table from which two to six designs are ticked, with a filter.

_TABLE = 24 * GRID


class ComparisonChooser(QWidget):
    """``asked`` sends a choice and whether it is wanted."""

    asked = Signal(object, bool)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._chosen: tuple[Choice, ...] = ()
        self.model = RowModel[Comparable](
            (
                TableColumn(title=_("Design"), text=self._title, ticked=self._ticked, tick=self._tick, look=_look),
                TableColumn(title=_("Layout"), text=_detail, tip=_detail, look=_look),
                TableColumn(title=_("From"), text=lambda offer: offer.group),
            ),
            self,
            key=lambda offer: offer.choice,
        )
        name, hint = _("Filter what can be compared"), _("Filter the designs")
        self.search = widgets.search_line(self, name, hint, self.model.keep)
        self.view = plain_table(_("Designs to compare"), self.model, self, stretched=(0, 1), fitted=True)
        self.view.setFixedHeight(_TABLE)
        self._count = widgets.named(ToneLabel("", Tone.MUTED, self, small=True), _("Designs ticked"))
        widgets.column(self.search, self.view, self._count, of=self)

    def show_offers(self, offers: Sequence[Comparable], chosen: Sequence[Choice]) -> None:
        """Show these offers; ``chosen`` are ticked, in their order."""
        self._chosen = tuple(chosen)
        self.model.show_rows(offers)
        text = _("{count} ticked, of {least} to {most}. The first is the reference.")
        self._count.setText(text.format(count=len(chosen), least=LEAST_COLUMNS, most=MOST_COLUMNS))

    def _title(self, offer: Comparable) -> str:
        letter = f"{LETTERS[self._chosen.index(offer.choice)]}  " if offer.choice in self._chosen else ""
        return f"{letter}{offer.title}"

    def _ticked(self, offer: Comparable) -> bool | None:
        return None if offer.why_not else offer.choice in self._chosen

    def _tick(self, offer: Comparable, wanted: bool) -> bool:
        if wanted and len(self._chosen) >= MOST_COLUMNS:
            self._count.setText(_("At most {most} can be compared. Untick one first.", most=MOST_COLUMNS))
            return False
        self.asked.emit(offer.choice, wanted)
        return True


def _detail(offer: Comparable) -> str:
    return offer.why_not or offer.detail


def _look(offer: Comparable, role: int) -> object:
    return theme().colour(Tone.MUTED) if offer.why_not and role == Qt.ItemDataRole.ForegroundRole else None


# What stands over the columns.
