"""The window: menus and toolbar above, rail left, pages in the middle, summary right, status bar below."""

from collections.abc import Callable, Generator
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEvent, QLibraryInfo, QLocale, QSize, Qt, QTranslator
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QKeyEvent, QResizeEvent, QScreen, QShowEvent
from PySide6.QtWidgets import QAbstractButton, QMainWindow, QPushButton, QStackedWidget, QStatusBar, QToolBar, QWidget

from poolwright.domain.errors import PoolwrightError
from poolwright.jobs.job import Asking, SlicedJob
from poolwright.languages import choose
from poolwright.logs import Redactor
from poolwright.texts import _
from poolwright.ui.parts import icons, widgets
from poolwright.ui.parts.icons import Sheet
from poolwright.ui.parts.importing import import_in_steps, wait_for_imports
from poolwright.ui.parts.note_lines import Notice
from poolwright.ui.parts.page import FocusRing, Page, Slices, focus_order
from poolwright.ui.parts.theme import GRID, Tone
from poolwright.ui.parts.widgets import ToneLabel
from poolwright.ui.shell.dropping import Dropping, MachineOffer
from poolwright.ui.shell.pages import HOME, PageEntry, neighbours, page_entries
from poolwright.ui.shell.rail import Rail
from poolwright.ui.shell.summary import Summary
from poolwright.ui.shell.warm_up import WarmUp, keep_for_good
from poolwright.ui.shell.window_actions import WindowActions
from poolwright.ui.state.last_work import LastWork
from poolwright.ui.state.preferences import Preferences
from poolwright.ui.state.session import Session

if TYPE_CHECKING:
    from poolwright.rules.rulebook import RuleBook


class MainWindow(QMainWindow):
    """Shows one page at a time; a page is made when it is first shown."""

    def __init__(self, session: Session, preferences: Preferences, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.preferences = preferences
        self._redactor: Redactor | None = None
        self.first_file: Path | None = None  # the design to open instead of the last one
        self._warned = False  # that closing would lose a design
        session.setParent(self)
        self._warm_up = WarmUp(self)
        self._warm_up.ready.connect(self._reopen_in_turns)
        self._warm_up.ended.connect(self._on_rules_loaded)
        self._opening, self._reopening = Slices(self), Slices(self)
        self._rereading = Asking(session.jobs, self, session.set_rules, self.show_fault)
        self._page_in_front = HOME
        self._in_turns = False  # until the window stands, pages are made at once
        self.setWindowTitle("Poolwright")
        self.setMinimumSize(*LEAST_SIZE)
        self.setAcceptDrops(True)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
        self._make_parts()
        session.complained.connect(self.show_fault)
        session.library.failed.connect(self.show_fault)
        session.library.mended.connect(self._on_mended)
        session.library.opened.connect(self._on_library_opened)
        session.shown.connect(self._on_design_shown)
        session.asked.connect(self.ask)
        session.sources.opened.connect(self._on_source_opened)
        session.replaced.connect(self._on_replaced)
        session.changed.connect(self._on_changed)
        session.language_chosen.connect(self._tell_anew, Qt.ConnectionType.QueuedConnection)
        self._restore()
        self._last = LastWork(session, preferences)
        self.show_page(HOME)

    def _make_parts(self) -> None:
        """Make all that tells something; its pages come when they are shown."""
        self._entries: dict[str, PageEntry] = {entry.name: entry for entry in page_entries()}
        self._pages: dict[str, Page] = {}
        self.rail = Rail(tuple(self._entries.values()), self.session, self)
        self.rail.chosen.connect(self._open)
        self.stack = QStackedWidget(self)
        self.summary = Summary(self.session, self)
        middle = QWidget(self)
        widgets.row(self.rail, (self.stack, 1), self.summary, of=middle, gap=0)
        self.setCentralWidget(middle)
        self._make_bars()
        self._ring = FocusRing(self)
        for part in (self.menuBar(), self._tools, self.rail, self.summary, self.status):
            Sheet(part)

    def _tell_anew(self) -> None:
        """Tell everything in the language that is chosen now; what is open stays open."""
        if any(job.target == "benchmark" for job in self.session.jobs.jobs):
            self.session.say(_("The language changes at the next start: a benchmark is running."))
            return
        name, folded = self._page_in_front, self.summary.wished_folded
        self._opening.stop()
        self.session.jobs.cancel_all()  # they answer pages that go
        self.session.sources.retell(lambda: tell_in(self.preferences.language))
        self.setMenuBar(None)  # type: ignore[arg-type]  # the next is a new one
        self.removeToolBar(self._tools)
        for part in (self._tools, self._actions, self._offers, self.dropping, self._ring):
            part.deleteLater()
        self._make_parts()
        self.resizeEvent(QResizeEvent(self.size(), self.size()))
        self.summary.set_folded(folded=folded)
        self.show_page(name)
        if self.session.rules is not None:
            from poolwright.rule_library import load_rules_in_steps

            self._rereading.ask(SlicedJob(_("Reading the rules"), "program", load_rules_in_steps(), self))

    def page(self, name: str) -> Page:
        if name not in self._pages:
            page = self._entries[name].load()(self.session, self.stack)
            page.set_neighbours(*neighbours(tuple(self._entries.values()), name))
            page.setAccessibleName(self._entries[name].title)
            page.go.connect(self.show_page)
            self._pages[name] = page
            self.stack.addWidget(page)
        return self._pages[name]

    def show_page(self, name: str) -> None:
        """Bring this page to the front and give it the keyboard; one that is new comes some turns later."""
        self._open(name, keyboard=True)

    def _open(self, name: str, *, keyboard: bool = False) -> None:
        """Open a page. Disks that are typed on the first one are taken on the way to a step, as by its button."""
        typed = self.session.previewed is not None and self.session.design is None
        if typed and self._entries[name].status and (begin := self.page(HOME).main_button()):
            begin.click()
        self._opening.stop()
        steps = self._opening_in_steps(name, keyboard=keyboard)
        if self._in_turns and not (name in self._pages and self._pages[name].is_built):
            self._turn_to(name)
            self._opening.begin(steps)
        else:
            self._opening.do(steps)

    def _opening_in_steps(self, name: str, *, keyboard: bool) -> Generator[None, None, None]:
        if self._in_turns:
            yield from import_in_steps(self._entries[name].module)
        page = self.page(name)
        yield
        new = not page.is_built
        yield from page.build_in_steps()
        self.stack.setCurrentWidget(page)
        self._turn_to(name)
        if keyboard or not self.rail.has_keyboard:
            page.focus_first()
        yield
        if name != HOME or self.session.design is not None:
            self.preferences.last_page = name
        if new and self._in_turns:
            keep_for_good()

    def _turn_to(self, name: str) -> None:
        self._page_in_front = name
        self.rail.show_current(name)
        self.status.turn_to(name)
        if name != HOME:
            self.session.preview(None)
        if name != "recommendation" and self.session.design is None:
            self.session.look_at(None)
        self._fold_summary()

    def focusNextPrevChild(self, next_: bool) -> bool:
        """Let Tab go through the rail, the page and the summary as they are seen, not as they were made."""
        stops = [stop for part in self._parts() for stop in focus_order(part)]
        if not stops:
            return False
        focused = self.focusWidget()
        if focused in stops:
            stop = stops[(stops.index(focused) + (1 if next_ else -1)) % len(stops)]
        else:  # it was disabled or hidden while it had the keyboard: go on with the page
            stop = next((widget for widget in stops if self.stack.isAncestorOf(widget)), stops[0])
        stop.setFocus(Qt.FocusReason.TabFocusReason if next_ else Qt.FocusReason.BacktabFocusReason)
        self._ring.lie_around(stop)
        return True

    def focus_next_part(self) -> None:
        parts = [part for part in self._parts() if focus_order(part)]
        focused = self.focusWidget()
        at = next((i for i, part in enumerate(parts) if focused and part.isAncestorOf(focused)), -1)
        part = parts[(at + 1) % len(parts)]
        if part is self.stack:
            self._pages[self.current_page()].focus_first()
        else:
            focus_order(part)[0].setFocus(Qt.FocusReason.TabFocusReason)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Return presses the focused button, Ctrl+Return the one that goes on from this page."""
        if event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            super().keyPressEvent(event)
            return
        focused: QWidget | None = self.focusWidget()
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            focused = self._pages[self.current_page()].main_button()
        if isinstance(focused, QPushButton) and focused.menu() is not None:
            focused.showMenu()
        elif isinstance(focused, QAbstractButton):
            focused.click()

    def _parts(self) -> tuple[QWidget, ...]:
        # Not the status bar: Qt frees the parts of its layout, whose wrappers then pass for other objects.
        return (self.rail, self.stack, self.summary, self.message)

    def current_page(self) -> str:
        shown = self.stack.currentWidget()
        return next(name for name, page in self._pages.items() if page is shown)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasUrls() or "\n" in event.mimeData().text():
            event.acceptProposedAction()
            self._ring.setWidget(self.stack)

    def dragLeaveEvent(self, _event: QEvent) -> None:
        self._ring.leave()

    def dropEvent(self, event: QDropEvent) -> None:
        self._ring.leave()
        if self.dropping.take(event.mimeData()):
            event.acceptProposedAction()

    def showEvent(self, event: QShowEvent) -> None:
        """Give the page the keyboard, which it could not take before it was seen."""
        super().showEvent(event)
        self._pages[self.current_page()].focus_first()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.rail.set_narrow(self.width() < NARROW_BELOW)
        self._fold_summary()

    def _fold_summary(self) -> None:
        """Give its room to pages that are not about the design, and to any in a small window."""
        about_design = self._entries[self._page_in_front].about_design
        bare = self.width() < BARE_BELOW
        self.summary.set_narrow(narrow=self.width() < FOLDED_BELOW or not about_design, bare=bare)
        self._tools.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        if bare or self._tools.sizeHint().width() > self.width():
            self._tools.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Remember how the window stood; the first attempt to close over a design that lies nowhere is refused."""
        self.session.library.close()
        danger = self.session.library.unsaved.in_danger
        if danger and not self._warned:
            self._warned = True
            text = _("{names} could not be saved. Export it, or close the window again to discard it. {reason}")
            self.show_fault(text.format(names=danger, reason=self.session.library.unsaved.reason))
            event.ignore()
            return
        self._warm_up.stop()
        self._opening.stop()
        self._reopening.stop()
        wait_for_imports()
        self.session.jobs.cancel_all()
        self.preferences.geometry = self.saveGeometry()
        self.preferences.summary_folded = self.summary.wished_folded
        self._last.keep()
        self.preferences.sync()
        super().closeEvent(event)

    def reopen(self) -> None:
        self._reopening.do(self._reopening_in_steps())

    def _reopen_in_turns(self) -> None:
        self._reopening.begin(self._reopening_in_steps())

    def _reopening_in_steps(self) -> Generator[None, None, None]:
        if self.first_file is not None:
            path, self.first_file = self.first_file, None
            return self.open_design_file(path)
        name = self.preferences.last_page
        opened = yield from self._last.reopen_in_steps()
        yield
        if opened:
            if self.current_page() == HOME and name in self._entries:
                self.show_page(name)
            self.session.say(_("“{name}” is open again, as you left it.", name=opened))

    def open_design_file(self, path: Path) -> None:
        """Open a design from a file; a text says why where that fails, and what is open stays."""
        from poolwright.ui.state.sources import read_design

        try:
            design, under = read_design(path)
        except PoolwrightError as error:
            self.show_fault(error.text)
            return
        self.session.show_design(design, under)

    def _on_design_shown(self) -> None:
        self.message.hide()
        self.show_page("design")

    def begin_work(self) -> None:
        self._in_turns = True
        self._warm_up.begin()

    def ask(self, name: str, what: object) -> None:
        """Bring a page to the front, at once where it is to show something of its own."""
        if what is None:
            self.show_page(name)
        else:
            self.page_now(name).take(what)

    def page_now(self, name: str) -> Page:
        self._opening.do(self._opening_in_steps(name, keyboard=True))
        return self._pages[name]

    def show_fault(self, text: str) -> None:
        self.message.show_text(text, Tone.BLOCK)

    def offer(self, text: str, action: str, does: Callable[[], object], tone: Tone = Tone.NOTE) -> None:
        """Say something, with a button for what can be done about it."""
        self.message.show_text(text, tone, action=action, does=does)

    def _on_replaced(self, text: str) -> None:
        self.offer(text, _("Go back"), self.session.take_back)

    def _on_mended(self, text: str) -> None:
        """Say what came of a damaged library, and open what could not be opened before it was whole."""
        library = self.session.library
        self.offer(text, _("Take from the backup") if library.offer() else "", library.take_offer, Tone.WARN)
        self.reopen()

    def _on_library_opened(self) -> None:
        self.message.show_text(_("The library can be used again."))
        self.reopen()

    def learn_secrets(self, redactor: Redactor) -> None:
        """Tell ``redactor`` which serials and host names this window shows, now and later."""
        self._redactor = redactor
        self._learn_names()

    def _learn_names(self) -> None:
        inventory = self.session.inventory
        if inventory is None or self._redactor is None:
            return
        self._redactor.learn("host", (inventory.host.name,))
        for disk in inventory.disks:
            self._redactor.learn("serial", (disk.serial, disk.wwn, *disk.by_id))

    def _on_rules_loaded(self, rules: "RuleBook | None", problem: str) -> None:
        self.session.set_rules(rules, problem)
        if problem:
            self.show_fault(problem)
        self.session.library.back_up()

    def _make_bars(self) -> None:
        self._actions = WindowActions(self)
        self._actions.fill_menus(self.menuBar())
        self._tools = tools = QToolBar(_("Tools"), self)
        tools.setObjectName("tools")
        tools.setMovable(False)
        tools.setIconSize(QSize(icons.MEDIUM, icons.MEDIUM))
        self._actions.fill_toolbar(tools)
        self.addToolBar(tools)
        self.status = StatusLine(self.session, self)
        self.message = self.status.message
        self.session.library.noted.connect(self.message.show_text)
        self.setStatusBar(self.status)
        self._offers, self.dropping = MachineOffer(self), Dropping(self)

    def _on_source_opened(self) -> None:
        if not self.message.said.offers:
            self.message.hide()
        read = self.session.inventory
        looks = read is not None and read.imported() and (self.current_page() == "pools" or not read.usable())
        self.show_page("pools" if looks else "disks")

    def _on_changed(self, parts: frozenset[str]) -> None:
        if "inventory" in parts:
            self._learn_names()
        if "design" in parts and any(does == self.session.undo_steps.redo for __, does in self.message.said.offers):
            self.message.hide()
        design = self.session.design
        self.setWindowTitle(f"{design.name} – Poolwright" if design else "Poolwright")

    def _restore(self) -> None:
        geometry = self.preferences.geometry
        if geometry is None or not self.restoreGeometry(geometry):
            self.resize(first_size(self.screen()))
        self.summary.set_folded(folded=self.preferences.summary_folded)
        self.session.take_preferences(self.preferences)


# The language: of our own texts, of Qt's, and of the numbers in its fields.

_qt_speaks: list[QTranslator] = []


def tell_in(language: str) -> None:
    """Tell everything that is made from now on in this language, empty for that of the system."""
    code, application = choose(language), QCoreApplication.instance()
    assert application is not None
    while _qt_speaks:
        application.removeTranslator(_qt_speaks.pop())
    translator = QTranslator(application)
    QLocale.setDefault(QLocale(code))
    if translator.load(f"qtbase_{code}", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)):
        application.installTranslator(translator)
        _qt_speaks.append(translator)


# How large the window begins, how small it may be, and which parts make room in a small one.

START_SIZE = (1280, 800)
LEAST_SIZE = (640, 400)
NARROW_BELOW = 1160  # the rail shows icons only in windows narrower than this
FOLDED_BELOW = 1000  # and the summary is a strip
BARE_BELOW = 720  # which goes as well, with the words of the toolbar
_FRAME = QSize(2 * GRID, 5 * GRID)  # what borders and title take at most


def first_size(screen: QScreen) -> QSize:
    return QSize(*START_SIZE).boundedTo(screen.availableSize() - _FRAME)


# The line at the foot of the window: what was just done, and what is not saved yet.

SAID_MILLISECONDS = 8000


class StatusLine(QStatusBar):
    """What is said goes after a while, and before that where it speaks of another page or of another design.

    A ``message`` stands there too, for as long as its page: what is offered there covers nothing. Warnings and faults
    stay until they are closed.
    """

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._page = self._said_on = ""
        self._design = session.design  # as it was when something was said
        self.setSizeGripEnabled(False)
        self.message = Notice(_("Message"), self, bar=True)
        self.message.message_changed.connect(self._on_message)
        self.addWidget(self.message, 1)
        self.message.hide()
        self._message_page: str | None = None  # the page that the message belongs to; None while it comes
        self._settle = widgets.single_shot_timer(self, 0, self._on_settled)
        self.saving = ToneLabel("", Tone.WARN, self, wrapped=False)
        widgets.room(self.saving, around=(GRID, 0, 2 * GRID, 0))
        self.saving.hide()
        self.addPermanentWidget(self.saving)
        session.said.connect(self._on_said)
        session.changed.connect(self._on_changed)
        session.library.unsaved.changed.connect(self._on_unsaved_changed)

    def turn_to(self, page: str) -> None:
        """Follow the window to a page, or to one that is being made: what is said from now on is said of that one."""
        self._page = page
        if page != self._said_on:
            self.clearMessage()
        if self._message_page not in (None, page) and self.message.said.tone is Tone.NOTE:
            self.message.hide()

    def _on_message(self) -> None:
        """Let the message belong to the page to which what it tells of leads."""
        self._message_page = None
        self._settle.start()
        self.clearMessage()

    def _on_settled(self) -> None:
        self._message_page = self._page

    def _on_said(self, text: str) -> None:
        self._said_on, self._design = self._page, self._session.design
        self.showMessage(text, SAID_MILLISECONDS)

    def _on_changed(self, parts: frozenset[str]) -> None:
        if "design" in parts and self._session.design is not self._design:
            self.clearMessage()

    def _on_unsaved_changed(self) -> None:
        unsaved = self._session.library.unsaved
        self.saving.setText(unsaved.text)
        self.saving.setToolTip(unsaved.reason)
        self.saving.setVisible(bool(unsaved.text))
