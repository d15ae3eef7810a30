"""What the user chose about the window and for new designs; kept in one INI file."""

from dataclasses import replace

from PySide6.QtCore import QByteArray, QSettings

from poolwright.domain.currency import parse_currency
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.version import DEFAULT_VERSION, ZfsVersion
from poolwright.domain.workload import Budget
from poolwright.ui.parts.theme import Scheme
from poolwright.ui.state.money_of_budget import money_kept, money_read


class Preferences:
    """Typed access to the settings; what is missing or unreadable is the default.

    Without ``settings`` everything is kept for the life of the object only.
    """

    def __init__(self, settings: QSettings | None = None) -> None:
        self._settings = settings
        self._memory: dict[str, object] = {}

    def _value(self, key: str, default: object) -> object:
        found: object = self._memory.get(key, default) if self._settings is None else self._settings.value(key, default)
        return found

    def _keep(self, key: str, value: object) -> None:
        if self._settings is None:
            self._memory[key] = value
        else:
            self._settings.setValue(key, value)

    def _text(self, key: str, default: str) -> str:
        return str(self._value(key, default))

    @property
    def scheme(self) -> Scheme:
        stored = self._text("window/scheme", Scheme.SYSTEM.value)
        return Scheme(stored) if stored in {s.value for s in Scheme} else Scheme.SYSTEM

    @scheme.setter
    def scheme(self, scheme: Scheme) -> None:
        self._keep("window/scheme", scheme.value)

    @property
    def typed_hosts(self) -> tuple[str, ...]:
        """Return the hosts that were typed, for the page of machines over SSH; only their names are kept."""
        return tuple(name for name in self._text("hosts/typed", "").split("\n") if name)

    @typed_hosts.setter
    def typed_hosts(self, names: tuple[str, ...]) -> None:
        self._keep("hosts/typed", "\n".join(names))

    @property
    def currency(self) -> str | None:
        """Return the currency of new designs (ISO 4217); None where nobody chose one."""
        try:
            return parse_currency(self._text("designs/currency", ""))
        except PoolwrightError:  # an older program took any text
            return None

    @currency.setter
    def currency(self, currency: str | None) -> None:
        self._keep("designs/currency", currency or "")

    def money_of(self, budget: Budget) -> Budget:
        """Return ``budget`` with the money, price, currency and rates that were said last."""
        found = money_read(budget, {name: self._text(f"money/{name}", "") for name in money_kept(budget)})
        return found if found.currency is not None else replace(found, currency=self.currency)

    def keep_money(self, budget: Budget) -> None:
        """Remember what is said of money, for a start without a design."""
        for name, text in money_kept(budget).items():
            if self._text(f"money/{name}", "") != text:
                self._keep(f"money/{name}", text)

    @property
    def version(self) -> ZfsVersion:
        """Return the OpenZFS that new designs are made for."""
        try:
            return ZfsVersion.parse(self._text("designs/openzfs", str(DEFAULT_VERSION)))
        except PoolwrightError:
            return DEFAULT_VERSION

    @version.setter
    def version(self, version: ZfsVersion) -> None:
        self._keep("designs/openzfs", str(version))

    @property
    def geometry(self) -> QByteArray | None:
        stored = self._value("window/geometry", None)
        return stored if isinstance(stored, QByteArray) else None

    @geometry.setter
    def geometry(self, geometry: QByteArray) -> None:
        self._keep("window/geometry", geometry)

    @property
    def summary_folded(self) -> bool:
        return self._text("window/summary_folded", "false").lower() == "true"

    @summary_folded.setter
    def summary_folded(self, folded: bool) -> None:
        self._keep("window/summary_folded", folded)

    @property
    def last_design(self) -> str:
        """Return the key of the design that was open last; empty when none was."""
        return self._text("window/last_design", "")

    @last_design.setter
    def last_design(self, key: str) -> None:
        self._keep_now("window/last_design", key)

    @property
    def last_beside(self) -> tuple[str, ...]:
        """Return the names of the pools that were designed from other disks of that design's machine."""
        return tuple(self._text("window/last_beside", "").split())  # a pool's name has no blanks

    @last_beside.setter
    def last_beside(self, names: tuple[str, ...]) -> None:
        self._keep_now("window/last_beside", " ".join(names))

    @property
    def last_wishes(self) -> str:
        """Return what was wished for last (`wishes_kept`); empty when nothing was."""
        return self._text("window/last_wishes", "")

    @last_wishes.setter
    def last_wishes(self, text: str) -> None:
        self._keep_now("window/last_wishes", text)

    @property
    def last_page(self) -> str:
        return self._text("window/last_page", "")

    @last_page.setter
    def last_page(self, name: str) -> None:
        self._keep_now("window/last_page", name)

    def arrangement(self, name: str) -> str:
        """Return how a part of a page was arranged, such as the columns of a table; empty when it never was."""
        return self._text(f"arrangement/{name}", "")

    def keep_arrangement(self, name: str, text: str) -> None:
        """Remember how a part of a page is arranged."""
        self._keep(f"arrangement/{name}", text)

    def _keep_now(self, key: str, text: str) -> None:
        """Write at once what has to survive a kill."""
        if self._text(key, "") != text:
            self._keep(key, text)
            self.sync()

    def sync(self) -> None:
        """Write everything to the file now."""
        if self._settings is not None:
            self._settings.sync()
