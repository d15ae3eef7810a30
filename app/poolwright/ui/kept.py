"""What was open before other disks took its place, and what a machine says of its OpenZFS."""

from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from poolwright.domain.design import Design
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.inventory import Inventory
from poolwright.domain.version import OLDEST_MODELLED, ZfsVersion
from poolwright.domain.workload import Budget, Workload


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """The state of a session that can be brought back."""

    inventory: Inventory
    ticked: frozenset[str]
    workload: Workload
    budget: Budget
    version: ZfsVersion
    ashift: int | None
    design: Design | None

    def words(self) -> str:
        """Return the sentence that says that other disks took its place."""
        if self.design is None:
            text = _tr("These disks took the place of {name} and what you had ticked there.")
            return text.format(name=self.inventory.name)
        text = _tr("These disks took the place of “{name}”, which stays in the library.")
        return text.format(name=self.design.name)


def version_of(inventory: Inventory) -> ZfsVersion | None:
    """Return the OpenZFS of the machine, where it is known and one whose space can be computed."""
    known = inventory.host.zfs_version
    if known is None:
        return None
    try:
        version = ZfsVersion.parse(known)
    except PoolwrightError:
        return None
    return version if version >= OLDEST_MODELLED else None


def _tr(text: str) -> str:
    return QCoreApplication.translate("kept", text)
