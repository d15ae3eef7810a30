"""What the user chose about the window and for new designs; kept in one INI file."""

from PySide6.QtCore import QByteArray, QSettings

from poolwright.domain.errors import PoolwrightError
from poolwright.domain.version import DEFAULT_VERSION, ZfsVersion
from poolwright.ui.theme import Scheme


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
        """Return the colours to show."""
        stored = self._text("window/scheme", Scheme.SYSTEM.value)
        return Scheme(stored) if stored in {s.value for s in Scheme} else Scheme.SYSTEM

    @scheme.setter
    def scheme(self, scheme: Scheme) -> None:
        self._keep("window/scheme", scheme.value)

    @property
    def currency(self) -> str:
        """Return what stands behind an amount of money; only a label."""
        return self._text("designs/currency", "")

    @currency.setter
    def currency(self, currency: str) -> None:
        self._keep("designs/currency", currency)

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
        """Return where the window stood."""
        stored = self._value("window/geometry", None)
        return stored if isinstance(stored, QByteArray) else None

    @geometry.setter
    def geometry(self, geometry: QByteArray) -> None:
        self._keep("window/geometry", geometry)

    @property
    def summary_folded(self) -> bool:
        """Tell whether the summary was folded."""
        return self._text("window/summary_folded", "false").lower() == "true"

    @summary_folded.setter
    def summary_folded(self, folded: bool) -> None:
        self._keep("window/summary_folded", folded)

    def sync(self) -> None:
        """Write everything to the file now."""
        if self._settings is not None:
            self._settings.sync()
