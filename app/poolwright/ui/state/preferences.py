"""What the user chose about the window and for new designs; kept in one INI file."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, overload

from PySide6.QtCore import QByteArray, QSettings

from poolwright.domain.errors import PoolwrightError
from poolwright.domain.money import parse_currency
from poolwright.domain.version import DEFAULT_VERSION, ZfsVersion
from poolwright.ui.parts.theme import Scheme

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Kept(Generic[T]):
    """A value under ``key``; the default where it is missing, or was edited by hand and cannot be read.

    ``at_once`` writes what has to survive a kill.
    """

    key: str
    default: T
    read: Callable[[str], T]
    write: Callable[[T], str] = str
    at_once: bool = False

    @overload
    def __get__(self, of: None, _: object = None) -> "_Kept[T]": ...
    @overload
    def __get__(self, of: "Preferences", _: object = None) -> T: ...
    def __get__(self, of: "Preferences | None", _: object = None) -> "_Kept[T] | T":
        if of is None:
            return self
        text = of.value(self.key, None)
        try:
            return self.default if text is None else self.read(str(text))
        except (ValueError, PoolwrightError):
            return self.default

    def __set__(self, of: "Preferences", value: T) -> None:
        text = self.write(value)
        if not self.at_once:
            of.keep(self.key, text)
        elif of.value(self.key, "") != text:
            of.keep(self.key, text)
            of.sync()


class Preferences:
    """Typed access to the settings. Without ``settings`` all is kept for the life of the object only."""

    language = _Kept("window/language", "", str)  # empty for that of the system
    scheme = _Kept("window/scheme", Scheme.SYSTEM, Scheme)
    size_percent = _Kept("window/size", 100, int)  # of all that is drawn
    # Of the page of machines over SSH; only the names are kept.
    typed_hosts: _Kept[tuple[str, ...]] = _Kept(
        "hosts/typed", (), lambda text: tuple(filter(None, text.split("\n"))), "\n".join
    )
    # The currency (ISO 4217), OpenZFS and system of new designs; None where nobody chose a currency or a system.
    currency: _Kept[str | None] = _Kept("designs/currency", None, parse_currency, lambda code: code or "")
    version = _Kept("designs/openzfs", DEFAULT_VERSION, ZfsVersion.parse)
    system: _Kept[str | None] = _Kept("designs/system", None, lambda key: key or None, lambda key: key or "")
    author = _Kept("reports/author", "", str)
    logo = _Kept("reports/logo", "", str)
    summary_folded = _Kept("window/summary_folded", False, lambda text: text.lower() == "true")
    # The key of the design that was open last, empty when none was; the names of the pools designed from other disks
    # of its machine; what was wished for (`last_work.wishes_text`).
    last_design = _Kept("window/last_design", "", str, at_once=True)
    last_beside: _Kept[tuple[str, ...]] = _Kept(
        "window/last_beside", (), lambda text: tuple(text.split()), " ".join, at_once=True
    )
    last_wishes = _Kept("window/last_wishes", "", str, at_once=True)
    last_page = _Kept("window/last_page", "", str, at_once=True)
    typed_disks = _Kept("designs/typed_disks", "", str, at_once=True)  # as they were typed last

    def __init__(self, settings: QSettings | None = None) -> None:
        self._settings = settings
        self._memory: dict[str, object] = {}

    def value(self, key: str, default: object) -> Any:
        return self._memory.get(key, default) if self._settings is None else self._settings.value(key, default)

    def keep(self, key: str, value: object) -> None:
        if self._settings is None:
            self._memory[key] = value
        else:
            self._settings.setValue(key, value)

    @property
    def geometry(self) -> QByteArray | None:
        stored = self.value("window/geometry", None)
        return stored if isinstance(stored, QByteArray) else None

    @geometry.setter
    def geometry(self, geometry: QByteArray) -> None:
        self.keep("window/geometry", geometry)

    def arrangement(self, name: str) -> str:
        return str(self.value(f"arrangement/{name}", ""))

    def keep_arrangement(self, name: str, text: str) -> None:
        self.keep(f"arrangement/{name}", text)

    def sync(self) -> None:
        if self._settings is not None:
            self._settings.sync()
