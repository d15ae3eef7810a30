"""Where disks come from: each source ends with a new inventory in the session, or with a text that says why not."""

from functools import cache
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from poolwright.domain.errors import EnvironmentFailure, PoolwrightError
from poolwright.domain.inventory import Inventory
from poolwright.inventory.examples import example_file, load_example
from poolwright.inventory.typed import read_typed
from poolwright.paths import resources_folder

if TYPE_CHECKING:
    from poolwright.ui.session import Session


@cache
def example(name: str) -> Inventory:
    """Return an example machine; raises UserError for an unknown name, EnvironmentFailure for a missing file."""
    path = resources_folder() / "machines" / example_file(name)
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise EnvironmentFailure(f"The example machine cannot be read: {error.strerror}", where=str(path)) from error
    return load_example(name, text)


class Sources(QObject):
    """Opens inventories for the session. ``opened`` follows success, ``failed`` carries the text for people."""

    opened = Signal()
    failed = Signal(str)

    def __init__(self, session: "Session") -> None:
        super().__init__(session)
        self._session = session

    def open_example(self, name: str) -> None:
        """Begin with an example machine."""
        try:
            self._begin(example(name))
        except PoolwrightError as error:
            self.failed.emit(error.text)

    def take_typed(self, text: str) -> None:
        """Begin with disks typed by hand, such as “12 x 16TB CMR SATA”."""
        try:
            self._begin(read_typed([text], name=self.tr("shopping list")))
        except PoolwrightError as error:
            self.failed.emit(error.text)

    def _begin(self, inventory: Inventory) -> None:
        self._session.start_from(inventory)
        self.opened.emit()
