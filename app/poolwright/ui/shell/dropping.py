"""Files dropped on the window or chosen to be opened: what they are is found out, then each opens where it belongs."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QMimeData, QObject

from poolwright.jobs.job import Asking, SlicedJob
from poolwright.texts import _, ngettext
from poolwright.ui.parts.note_lines import Message
from poolwright.ui.parts.theme import Tone

if TYPE_CHECKING:
    from collections.abc import Generator

    from poolwright.design.binding.binding import Binding
    from poolwright.store.dropped import DroppedKind
    from poolwright.ui.shell.main_window import MainWindow

_TARGET = "dropped"  # for machines


class Dropping(QObject):
    """Opens what was dropped anywhere on a window; what it cannot be is told in the window's message."""

    def __init__(self, window: "MainWindow") -> None:
        super().__init__(window)
        self._window = window
        self._paths: tuple[Path, ...] = ()
        self._asking = Asking(window.session.jobs, self, self._on_known, window.show_fault)
        window.session.dropped.connect(self.take)

    def take(self, data: QMimeData) -> bool:
        """Begin to open the files and folders, or the text, in ``data``; tell whether there is anything."""
        paths = tuple(Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile())
        if paths:
            self.open(paths)
            return True
        if data.hasText() and data.text().strip():
            self._window.session.sources.open_pasted(data.text())
            return True
        return False

    def open(self, paths: Sequence[str | Path]) -> None:
        self._paths = tuple(map(Path, paths))
        self._asking.ask(SlicedJob(_("Identifying the file"), _TARGET, _looked(self._paths), self))

    def _on_known(self, kind: object) -> None:
        from poolwright.store.dropped import DroppedKind

        if kind is DroppedKind.DESIGN:
            for path in reversed(self._paths):  # the first is in front then, the others lie in the library
                self._window.open_design_file(path)
        elif kind is DroppedKind.MEASURED:
            self._window.ask("verify", self._paths)
        elif kind is DroppedKind.PROJECT:
            self._window.ask("library", self._paths)
        else:
            self._window.session.sources.open_captures(self._paths)


def _looked(paths: tuple[Path, ...]) -> "Generator[None, None, DroppedKind]":
    from poolwright.store.dropped import kind_of_paths

    yield None
    return (yield from kind_of_paths(paths))


# The message that a machine was read while a design is open: the design stays, its disks can be bound.


class MachineOffer(QObject):
    """Says so in the window's message, with what can be done."""

    def __init__(self, window: "MainWindow") -> None:
        super().__init__(window)
        self._window = window
        self._session, self._message = window.session, window.message
        self._session.machine_read.connect(self._on_read)
        self._session.binding_seen.connect(self._on_seen)
        self._session.changed.connect(self._on_changed)
        self._session.asked.connect(self._take_back)  # what was read leads there by itself
        self._offered = ""  # the text of the offer that waits

    def _on_read(self, binding: "Binding") -> None:
        again = _read_again(binding)
        if self._binds():
            return  # the page says it itself
        session = self._session
        offers: list[tuple[str, Callable[[], object]]] = [(_("New design with these"), session.begin_with_machine)]
        if again:
            offers.insert(0, (_("Use what was read"), self._take_over))
        elif binding.bound:
            offers.insert(0, (_("Bind disks…"), session.ask_binding))
        elif binding.inventory.imported():
            offers = [(_("Look at this pool"), partial(session.asked.emit, "pools", "design"))]
        self._offered = again or _beside(binding)
        self._message.say(Message(title=self._offered, tone=Tone.NOTE, offers=tuple(offers)))

    def _on_changed(self, parts: frozenset[str]) -> None:
        if "at_hand" in parts and self._session.work.at_hand is None:
            self._take_back()

    def _on_seen(self) -> None:
        """Do not lead to what is in front already."""
        if self._binds():
            self._take_back()

    def _binds(self) -> bool:
        from poolwright.ui.design.page import DesignPage

        page = self._window.stack.currentWidget()
        return isinstance(page, DesignPage) and page.shows("binding")

    def _take_back(self) -> None:
        """Close the offer where it is still the message that is shown."""
        if self._offered and self._message.text() == self._offered:
            self._message.hide()
        self._offered = ""

    def _take_over(self) -> None:
        self._session.bind_disks()
        self._session.say(_("The design has the disks as they were read."))


def _beside(binding: "Binding") -> str:
    return _(
        "{machine} was read: {disks}. “{name}” stays as it is.",
        machine=binding.inventory.name,
        disks=ngettext("{count} disk", "{count} disks", len(binding.inventory.disks)),
        name=binding.design.name,
    )


def _read_again(binding: "Binding") -> str:
    """Return that every disk of the design was found again; empty where not all were."""
    text = _("{machine} was read: all disks of “{name}” are there.")
    return text.format(machine=binding.inventory.name, name=binding.design.name) if binding.all_known else ""
