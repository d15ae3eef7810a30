"""The log file and crash reports. Neither leaves the machine by itself; reports are fit to be mailed."""

import logging
import platform
import re
import sys
import traceback
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType

from poolwright import __version__
from poolwright.domain.shown import shown_lines, shown_text
from poolwright.paths import home, user_folder
from poolwright.texts import _

LOG_NAME = "poolwright.log"
REPORTS_KEPT = 20
_LOG_BYTES = 512 << 10
_LOG_FILES = 3
_SHORTEST_SECRET = 4  # anything shorter would blank out ordinary words
_PATTERNS = (
    (
        re.compile(r"\b(?:ata|nvme|scsi|usb|virtio|mmc|dm-uuid|wwn)-[A-Za-z0-9._:+@-]{6,}"),
        "<by-id name>",  # for machines
    ),
    (re.compile(r"\b0x[0-9a-fA-F]{16,}\b"), "<wwn>"),
    (re.compile(r"(?i)(serial[ _]?(?:number|no)?[\"']?\s*[:=]\s*[\"']?)[A-Za-z0-9_-]{4,}"), r"\1<serial>"),
    (re.compile(r"\b(?:[0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}\b"), "<mac>"),
    (re.compile(r"\b\d{1,3}(?:\.\d{1,3}){3}\b"), "<address>"),
)


class Redactor:
    """Takes serials, host names and the user's name out of texts; it knows those it was told and those it can guess."""

    def __init__(self) -> None:
        self._secrets: dict[str, str] = {}
        self.learn("host", (platform.node(), platform.node().partition(".")[0]))
        own = home()
        self.learn("home", () if own is None else (str(own),))

    def learn(self, kind: str, secrets: Iterable[str | None]) -> None:
        """Replace each of ``secrets`` by ``<kind>`` from now on."""
        for secret in secrets:
            if secret is not None and len(secret.strip()) >= _SHORTEST_SECRET:
                self._secrets[secret.strip()] = f"<{kind}>"

    def clean(self, text: str) -> str:
        for secret in sorted(self._secrets, key=len, reverse=True):
            text = text.replace(secret, self._secrets[secret])
        for pattern, substitute in _PATTERNS:
            text = pattern.sub(substitute, text)
        return text


class _CleanFormatter(logging.Formatter):
    def __init__(self, redactor: Redactor) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")
        self._redactor = redactor

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - the name in logging
        # One line a message: a name with a line break in it must not look like a line of ours.
        return shown_text(self._redactor.clean(super().formatMessage(record)))

    def format(self, record: logging.LogRecord) -> str:
        return shown_lines(self._redactor.clean(super().format(record)))


def start_log(redactor: Redactor, folder: Path | None = None) -> Path | None:
    """Write the log of this run to the user's data folder; return its path, None where it cannot be written."""
    from logging.handlers import RotatingFileHandler  # noqa: PLC0415 - brings sockets along, before the first page

    folder = folder or user_folder("data")
    path = folder / LOG_NAME
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handler = RotatingFileHandler(path, maxBytes=_LOG_BYTES, backupCount=_LOG_FILES - 1, encoding="utf-8")
    except OSError as error:
        sys.stderr.write(_("poolwright: there will be no log ({error})\n", error=error))
        return None
    logging.raiseExceptions = False  # on a full disk each line would bring a traceback to the terminal
    handler.setFormatter(_CleanFormatter(redactor))
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    return path


def write_crash_report(
    kind: type[BaseException],
    error: BaseException,
    trace: TracebackType | None,
    redactor: Redactor,
    folder: Path | None = None,
) -> Path | None:
    """Write what is needed to find the fault to a file of its own and return it; None where it cannot be written."""
    now = datetime.now(UTC)
    lines = [
        _("Poolwright {version} made a mistake.", version=__version__),
        f"time: {now.isoformat(timespec='seconds')}",
        _(
            "Python: {python_version} on {platform}",
            python_version=platform.python_version(),
            platform=platform.platform(),
        ),
        _("Qt binding: {version_of}", version_of=_version_of("PySide6")),
        "",
        *(line.rstrip() for line in traceback.format_exception(kind, error, trace)),
        "",
        _("Serials, names of disks and hosts, and your home folder were replaced. Read it before you mail it."),
    ]
    folder = (folder or user_folder("data")) / "crashes"
    path = folder / f"crash-{now:%Y%m%d-%H%M%S-%f}.txt"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(redactor.clean("\n".join(lines)) + "\n", encoding="utf-8")
        for old in sorted(folder.glob("crash-*.txt"))[:-REPORTS_KEPT]:
            old.unlink(missing_ok=True)
    except OSError:
        return None
    return path


def _version_of(module: str) -> str:
    return str(getattr(sys.modules.get(module), "__version__", _("not loaded")))
