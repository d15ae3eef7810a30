"""What every page of the window is: title, one sentence, content, and a footer with Back, Next and what is missing."""

import time
from collections.abc import Generator, Sequence
from datetime import date, datetime
from operator import itemgetter
from typing import Any, ClassVar

from PySide6.QtCore import QDate, QLocale, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QAbstractScrollArea,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QBoxLayout,
    QCheckBox,
    QComboBox,
    QFocusFrame,
    QFrame,
    QLabel,
    QLayout,
    QLineEdit,
    QPlainTextEdit,
    QProgressBar,
    QProxyStyle,
    QPushButton,
    QScrollArea,
    QScrollBar,
    QSplitter,
    QStyle,
    QTabBar,
    QTextEdit,
    QVBoxLayout,
    QWidget,
)

from poolwright.domain.steps import at_once
from poolwright.jobs.job import SLICE_SECONDS, Asking, Job, JobQueue
from poolwright.texts import _, dated
from poolwright.ui.parts import icons, widgets
from poolwright.ui.parts.icons import IconLabel, Sheet
from poolwright.ui.parts.save_file import ask_files
from poolwright.ui.parts.theme import GRID, TITLE_POINTS, Recoloured, Tone, text_font, theme
from poolwright.ui.parts.widgets import ElidedLabel, ToneLabel
from poolwright.ui.state.session import Session

LOW_BELOW = 60 * GRID


class _Holder(QWidget):
    """What the page scrolls: as high as the window is, and higher only where its parts could not be smaller."""

    def heightForWidth(self, width: int) -> int:
        layout = self.layout()
        return layout.totalMinimumHeightForWidth(width) if layout is not None else -1


class _StandingBar(QScrollBar):
    """Takes its room whether or not there is anything to scroll, and is seen only where there is.

    A bar that came and went would change the width of the page, which decides what stands side by side, hence how
    high the page is, hence whether there is a bar: without end.
    """

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.maximum() > self.minimum():
            super().paintEvent(event)


class Page(QWidget):
    """A page. Subclasses have a ``heading`` and say what it is ``about``, make their widgets in ``build`` and show the
    session's state in ``refresh``.

    ``build`` is called once, when the page is first shown; ``refresh`` after it, and whenever something in the session
    changed while the page is visible (or when it becomes visible after a change). Put content into ``self.body``.
    The body fills the window, and scrolls in one that is smaller than the least sizes of its parts.
    ``go`` asks the window for another page by name; ``self.session`` is the window's state.
    """

    go = Signal(str)

    heading: ClassVar[str] = ""
    about: ClassVar[str] = ""  # what to do here, in one sentence
    gap: ClassVar[int] = 2 * GRID  # between the parts of the body
    narrow_below: ClassVar[int] = 70 * GRID
    width_limit: ClassVar[int | None] = None  # the widest the body may get, for pages of text and forms

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        Sheet(self)
        self.session = session
        self.body = widgets.column(gap=self.gap)
        self._built = self.is_built = False  # the widgets are there; they show the session as well
        self._building: Generator[None, None, None] | None = None
        self._stale = True
        self._back_to = self._next_to = self._back_title = self._next_title = ""
        self.begins: tuple[QWidget, ...] = ()  # where the keyboard does, the first of these that is in sight
        self.short: list[QPushButton] = []  # of the footer, that show their icons alone on a narrow page
        self._next_button: QPushButton | None = None
        self._main: QPushButton | None = None
        self._visited = False  # Qt gives the keyboard to anything when a page is first shown
        session.changed.connect(self._on_session_changed)

    def title(self) -> str:
        return _(self.heading)

    def sentence(self) -> str:
        return _(self.about)

    def missing(self) -> str:
        return ""

    def build(self) -> Generator[None, None, None] | None:
        """Make the page's widgets; called once. What makes very many yields between them."""
        return None

    def refresh(self) -> None:
        """Show the session's state."""

    def take(self, what: Any) -> None:
        """Show what another page or a menu asks of this one, once it is built."""

    def recolour(self) -> None:
        """Take the colours of the theme, after it changed; for what does not follow the palette by itself."""

    def main_button(self) -> QPushButton | None:
        """Return the button that goes on from here, one a page: it stands out, and Ctrl+Return presses it."""
        return None if self.missing() else self._next_button

    def focus_first(self) -> None:
        """Put the keyboard where it was on this page, else where one begins."""
        before, stops = self.focusWidget(), focus_order(self._holder)
        target = before if self._visited and before in stops else self.first_stop(stops)
        self._visited = True
        if target is not None:
            target.setFocus(Qt.FocusReason.OtherFocusReason)

    def first_stop(self, stops: Sequence[QWidget]) -> QWidget | None:
        """Return where the keyboard begins on this page, out of what Tab visits on it."""
        begins = next((widget for widget in self.begins if widget in stops), None)
        return begins or (stops[0] if stops else self.main_button())

    def go_back(self) -> None:
        if self._back_to:
            self.go.emit(self._back_to)

    def go_next(self) -> None:
        if self._next_to:
            self.go.emit(self._next_to)

    def set_neighbours(self, back: tuple[str, str] | None, onward: tuple[str, str] | None) -> None:
        self._back_to, self._back_title = back or ("", "")
        self._next_to, self._next_title = onward or ("", "")

    def explain(self, of: Any) -> None:
        """Tell what a finding rests on, or a rule of this id says."""
        from poolwright.ui.parts.finding_rows import show_why  # noqa: PLC0415 - the first page does not wait for it

        show_why(self, of)

    def ask_files(self) -> None:
        ask_files(self, self.session.open_files)

    @property
    def stands_low(self) -> bool:
        return self.height() < LOW_BELOW

    def ensure_built(self) -> None:
        at_once(self.build_in_steps())

    def build_in_steps(self) -> Generator[None, None, None]:
        """Do the same as `ensure_built` in steps: the widgets, then what they show.

        Who leaves the page while it is built finds it later as far as it came; it goes on from there.
        """
        if self.is_built:  # also where what it shows asks for it to be built
            return
        if self._building is None:
            self._building = self._whole_build()
        for __ in self._building:  # no `yield from`: closing these steps would end the building for good
            yield

    def _whole_build(self) -> Generator[None, None, None]:
        self._make_frame()
        yield from self.build() or ()
        self._built = True
        Recoloured(self, self.recolour)
        yield
        self.is_built = True
        self.refresh_now()
        yield

    def refresh_now(self) -> None:
        self._stale = False
        self._sentence_label.setText(self.sentence())
        self.refresh()
        self.show_missing()

    def show_missing(self) -> None:
        """Bring the footer up to date; pages call it when ``missing`` may have changed without the session."""
        text = self.missing()
        self._missing_label.setText(text)
        self._missing_icon.setVisible(bool(text))
        self.show_main_button()

    def show_main_button(self) -> None:
        """Let the button that goes on stand out; called whenever it may have become another."""
        main = self.main_button()
        if main is not self._main:
            if self._main is not None:
                mark_main(self._main, main=False)
            if main is not None:
                mark_main(main, main=True)
            self._main = main
        if self._next_button is not None:  # one way on at a time
            self._next_button.setVisible(main is self._next_button or main is None or self._foot.indexOf(main) < 0)

    def put_in_foot(self, *parts: QWidget) -> None:
        """Put buttons, or words beside them, where Next is, in front of it; any page has a footer then."""
        self._footer.show()
        for part in parts:
            self._foot.insertWidget(self._foot.count() - (self._next_button is not None), part)

    def showEvent(self, event: QShowEvent) -> None:
        self.ensure_built()
        if self._stale:
            self.refresh_now()
        super().showEvent(event)
        self._strip.refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._built:
            for button in self.short:
                button.setText("" if self.width() < self.narrow_below else button.accessibleName())
            low = self.stands_low
            self._sentence_label.setVisible(self._strip.isHidden() or not low)
            self._head.setDirection(QBoxLayout.Direction.LeftToRight if low else QBoxLayout.Direction.TopToBottom)
            self._head.setStretch(1, 1 if low else 0)
            above_head, below_head = (GRID, GRID // 2) if low else (2 * GRID, GRID)
            widgets.room(
                self._head, gap=2 * GRID if low else GRID // 2, around=(3 * GRID, above_head, 3 * GRID, below_head)
            )
            above_foot = GRID // 4 if low else GRID
            widgets.room(self._foot, around=(3 * GRID, above_foot, 3 * GRID, above_foot))
            widgets.room(self.body, gap=min(self.gap, GRID) if low else self.gap)
            self._around_body(above=GRID // 2 if low else GRID, below=GRID if low else 2 * GRID)

    def _around_body(self, above: int, below: int) -> None:
        """Set the margins of the body; the scroll bar stands in the right one."""
        bar = self.area.verticalScrollBar().sizeHint().width()
        widgets.room(self.body, around=(3 * GRID, above, max(0, 3 * GRID - bar), below))

    def _make_way(self, shown: bool) -> None:
        """Let the running job take the place of the sentence where both have one line; what is below stays."""
        instead = self.stands_low and shown
        self._strip.setMinimumHeight(self._sentence_label.height() if instead else 0)
        self._sentence_label.setVisible(not instead)

    def _on_session_changed(self) -> None:
        if self._built and self.isVisible():
            self.refresh_now()
        else:
            self._stale = True

    def _make_frame(self) -> None:
        outer = widgets.column(self._make_head(), of=self, gap=0)
        self.area = area = QScrollArea(self)
        area.setVerticalScrollBar(_StandingBar(area))
        area.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self._holder = holder = _Holder(self)
        holder.setLayout(self.body)
        self._around_body(above=GRID, below=2 * GRID)
        if self.width_limit is not None:
            margins = self.body.contentsMargins()
            holder.setMaximumWidth(self.width_limit + margins.left() + margins.right())
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        # The page's ground shows through one that is not filled; `viewport()` would make every class of widgets.
        area.setViewport(QWidget(area))
        area.setWidget(holder)
        area.setAccessibleName(self.title())
        holder.setAutoFillBackground(False)
        outer.addWidget(area, 1)
        outer.addWidget(self._make_footer())

    def _make_head(self) -> QVBoxLayout:
        title = widgets.named(QLabel(self.title(), self), _("Page title"))
        title.setFont(text_font(TITLE_POINTS))
        self._sentence_label = widgets.named(ToneLabel(self.sentence(), Tone.MUTED, self), _("What to do here"))
        self._strip = JobStrip(self.session.jobs, self)
        self._strip.turned.connect(self._make_way)
        first = widgets.row((title, 1), self._strip, gap=2 * GRID)
        around = (3 * GRID, 2 * GRID, 3 * GRID, GRID)
        self._head = widgets.column(first, self._sentence_label, gap=GRID // 2, around=around)
        return self._head

    def _make_footer(self) -> QWidget:
        footer = self._footer = QWidget(self)
        footer.setProperty("look", "foot")
        footer.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        row = self._foot = widgets.row(of=footer)
        self._missing_icon = IconLabel("state-not-yet", footer, Tone.MUTED, icons.SMALL)
        self._missing_label = widgets.named(ToneLabel("", Tone.MUTED, footer), _("What is still missing"))
        if self._back_to:
            title = _("Back: {page}", page=self._back_title)
            self.short.append(widgets.button(title, footer, self.go_back, icon="back", tip=title, name=title))
            row.addWidget(self.short[0])
        row.addWidget(self._missing_icon)
        row.addWidget(self._missing_label, 1)
        if self._next_to:
            self._next_button = widgets.button(
                _("Next: {page}", page=self._next_title), footer, self.go_next, icon="next"
            )
            row.addWidget(self._next_button)
        footer.setVisible(bool(self._back_to or self._next_to))
        return footer


# How the one button of a page that goes on stands out from the others.


def mark_main(button: QPushButton, *, main: bool) -> None:
    button.setProperty("main", main)
    icons.recolour(button, Tone.ON_ACCENT if main else Tone.TEXT)
    style = button.style()
    style.unpolish(button)
    style.polish(button)


# The order in which Tab visits what is on the screen: as it is laid out, whatever was made first.

# What is inside these is theirs: Tab stops at the whole.
_WHOLES = (QAbstractItemView, QAbstractSpinBox, QComboBox, QLineEdit, QPlainTextEdit, QTabBar, QTextEdit)


def focus_order(root: QWidget) -> list[QWidget]:
    if not root.isVisible() or not root.isEnabled():
        return []
    stops = root.focusPolicy() & Qt.FocusPolicy.TabFocus == Qt.FocusPolicy.TabFocus
    if isinstance(root, _WHOLES):
        return [root] if stops else []
    below = [stop for child in _children(root) for stop in focus_order(child)]
    if stops and not (isinstance(root, QScrollArea) and below):
        # An area is moved by what is focused in it; only one without such a thing needs the keys itself.
        return [root, *below]
    return below


def _children(parent: QWidget) -> list[QWidget]:
    widgets = [child for child in parent.children() if isinstance(child, QWidget)]
    layout = parent.layout()
    first = [] if layout is None else _widgets_of(layout, widgets)
    if isinstance(parent, QSplitter):
        first = [w for number in range(parent.count()) if (w := parent.widget(number)) is not None]
    known = set(first)
    return [*first, *(w for w in widgets if not w.isWindow() and w not in known)]


def _widgets_of(layout: QLayout, widgets: Sequence[QWidget]) -> list[QWidget]:
    """Return those of the widgets that lie in a layout, in its order.

    Its items are not asked for: PySide keeps what `QLayout.itemAt` returns for as long as the layout, also when Qt has
    deleted the item with its widget; it takes what lies at that address later for the same, and the program crashes.
    """
    inner = (child for child in layout.children() if isinstance(child, QLayout))
    places = [(layout.indexOf(each), [each]) for each in widgets]
    places += [(layout.indexOf(each), _widgets_of(each, widgets)) for each in inner]
    return [each for place, parts in sorted(places, key=itemgetter(0)) if place >= 0 for each in parts]


# Where the keyboard is, on controls that do not show it themselves.

_SILENT = (QAbstractScrollArea, QAbstractSlider, QCheckBox, QComboBox, QTabBar)


class _Above(QProxyStyle):
    """Lets the ring lie over what is beside the control, where its parent leaves no room."""

    def styleHint(self, hint: QStyle.StyleHint, *more: Any) -> int:
        return 1 if hint is QStyle.StyleHint.SH_FocusFrame_AboveWidget else super().styleHint(hint, *more)


class FocusRing(QFocusFrame):
    """Lies around the control that Tab came to until the keyboard goes on."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        above = _Above("Fusion")
        above.setParent(self)
        self.setStyle(above)
        self.hide()
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self.leave)

    def leave(self) -> None:
        self.setWidget(None)  # type: ignore[arg-type]

    def lie_around(self, control: QWidget) -> None:
        """Show that the keyboard is there, and scroll there."""
        for area in control.window().findChildren(QScrollArea):
            if area.isAncestorOf(control):
                area.ensureWidgetVisible(control, 0, 2 * GRID)
        shows_it = isinstance(control, (QAbstractItemView, QPlainTextEdit)) or not isinstance(control, _SILENT)
        if not shows_it and not QApplication.mouseButtons():  # else a press hid what had the keyboard
            self.setWidget(control)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(QPen(theme().colour(Tone.ACCENT), 2))
        painter.drawRect(self.rect().adjusted(1, 1, -1, -1))


# The running job on the page where one waits: what it does, how far it is, and Cancel. Under 300 ms none is shown.

SHOW_AFTER_MILLISECONDS = 300
_STEPS = 1000


class JobStrip(QWidget):
    """Follows a queue while its page is in sight. ``turned`` tells before it appears or goes."""

    turned = Signal(bool)

    def __init__(self, queue: JobQueue, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._queue = queue
        self._job: Job | None = None
        self._left = False
        self._text = ElidedLabel(Tone.TEXT, self)
        self._bar = widgets.named(QProgressBar(self), _("Progress"))
        self._bar.setMinimumWidth(6 * GRID)
        self._bar.setMaximumWidth(20 * GRID)
        self._bar.setTextVisible(False)
        self._cancel = widgets.button(_("Cancel"), self, self._on_cancel, icon="cancel")
        widgets.row(self._text, self._bar, self._cancel, of=self)
        self._timer = widgets.single_shot_timer(self, SHOW_AFTER_MILLISECONDS, self._appear)
        self.hide()
        queue.changed.connect(self.refresh)

    def refresh(self) -> None:
        page = self.parentWidget()
        self._job = self._queue.running() if page is not None and page.isVisible() else None
        if self._job is None or self._left:
            self._timer.stop()
            self._show(shown=False)
            return
        state = self._job.state
        self._text.show_text(f"{self._job.title}: {state.doing}" if state.doing else self._job.title)
        self._bar.setRange(0, 0 if state.fraction is None else _STEPS)
        self._bar.setValue(round((state.fraction or 0) * _STEPS))
        if self.isHidden() and not self._timer.isActive():
            self._timer.start()

    def leave_job(self, *, to_page: bool) -> None:
        """Show nothing while the page itself tells how far the job is, and has a button that ends it."""
        self._left = to_page
        self.refresh()

    def _appear(self) -> None:
        self._show(shown=self._queue.running() is not None and not self._left)

    def _show(self, *, shown: bool) -> None:
        if self.isHidden() is shown:
            self.turned.emit(shown)
            self.setVisible(shown)

    def _on_cancel(self) -> None:
        if self._job is not None:
            self._job.cancel()


# Steps of work taken between the events of the window, for parts of a page that are no job of their own.

_BETWEEN = 1  # milliseconds: with 0, Qt may take two slices between two events
Steps = Generator[object, None, object]


class Slices(QObject):
    """Drives one generator at a time, some milliseconds of it between two events."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._steps: Steps | None = None
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._go_on)

    def begin(self, steps: Steps) -> None:
        """Take these steps from the next event on; what was under way is closed."""
        self.stop()
        self._steps = steps
        self._timer.start(_BETWEEN)

    def do(self, steps: Steps) -> None:
        """Take all of these steps now; what was under way is closed."""
        self.stop()
        at_once(steps)

    def stop(self) -> None:
        self._timer.stop()
        steps, self._steps = self._steps, None
        if steps is not None:
            steps.close()

    def _go_on(self) -> None:
        until = time.monotonic() + SLICE_SECONDS
        steps = self._steps
        while steps is not None and steps is self._steps:
            try:
                next(steps)
            except BaseException as end:
                self._timer.stop()
                self._steps = None
                if isinstance(end, StopIteration):
                    return
                raise
            if time.monotonic() >= until:
                return


class AskingInSight(Asking):
    """Calls ``ask`` for what a page in sight wants to know, which is ``wanted``, once nothing changed for a moment."""

    def __init__(self, page: Page, ask: object, answered: object, failed: object) -> None:
        super().__init__(page.session.jobs, page, answered, failed)
        self._page = page
        self.wanted: Any = None
        self._pause = widgets.single_shot_timer(self, 500, ask)

    @property
    def pending(self) -> bool:
        return self.busy or self._pause.isActive()

    def follow(self, wanted: Any, *, ready: bool) -> bool:
        """Tell whether something else is wanted than before; it is asked for where it is ``ready``."""
        if wanted == self.wanted or not self._page.isVisible():
            return False
        self.leave()
        self.wanted = wanted
        if ready:
            self._pause.start()
        return True

    def leave(self) -> None:
        self._pause.stop()
        self.forget()
        self.wanted = None


# A moment and a month as people read them.


def when(moment: datetime) -> str:
    return dated(moment.astimezone(), "%Y-%m-%d %H:%M")


def month(day: date) -> str:
    return QLocale().toString(QDate(day.year, day.month, day.day), "MMMM yyyy")
