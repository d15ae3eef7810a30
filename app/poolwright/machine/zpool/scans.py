"""What scans or moves a pool's blocks, out of the texts of `scan`, `remove` and `expand`, from 0.6 to 2.4."""

import re
from datetime import datetime

from poolwright.domain.existing_pool import Scan, ScanKind, ScanState, printed_number
from poolwright.domain.pool import Pool

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_CTIME = r"\w{3} (?P<month>\w{3}) {1,2}(?P<day>\d{1,2}) (?P<clock>\d\d?:\d\d:\d\d) (?:[A-Z]{1,5} )?(?P<year>\d{4})"
_MOMENT = re.compile(rf"{_CTIME}|(?P<iso>\d{{4}}-\d\d-\d\d \d\d:\d\d:\d\d)")
_SUBJECT = r"(?: \(([^)\s]{1,80})\))?"
# JSON's words (“scrub scanning, start …”) are those of `status_json`.
_SCAN = re.compile(
    rf"(?P<kind>scrub|resilver){_SUBJECT}(?P<state> in progress since| paused since| canceled on| completed after|"
    rf" repaired| scanning| finished| canceled)\b|resilvered{_SUBJECT} "
)
_STATES = {
    "in progress since": ScanState.RUNNING,
    "scanning": ScanState.RUNNING,
    "paused since": ScanState.PAUSED,
    "canceled on": ScanState.CANCELLED,
    "canceled": ScanState.CANCELLED,
}
_OPERATION = re.compile(
    r"(?:evacuation|removal|expansion) of (?P<vdev>vdev \d+|\S+)|expanded (?P<expanded>\S+)|\((?P<json>[^)\s]{1,80})\)",
    re.IGNORECASE,
)
_PERCENT = re.compile(r"(\d{1,3}(?:\.\d{1,4})?)% done")
_ERRORS = re.compile(r"(?:with |, )(\d{1,18}) errors")
# JSON tells what was repaired as “processed”.
_REPAIRED = re.compile(r"(?:repaired|processed) (\d[\d.]{0,9}[KMGTPE]?)B?\b")
_MAPPING = re.compile(r"(\d[\d.]{0,9}[KMGTPE]?)B? memory used for removed device mappings")
_CHECKPOINT = re.compile(r"(?:consumes|discarding, ) ?(\d[\d.]{0,9}[KMGTPE]?)B?")


def scans_of(pool: Pool) -> tuple[Scan, ...]:
    """Return every scan, removal and expansion that the pool tells of, in the order of its lines. Pure.

    What was never asked for (“none requested”) and what scrubs known errors only gives none.
    """
    found = [_scan(text) for text in pool.scans]
    for text in pool.operations:
        key, _, told = text.partition(": ")
        if key in {"remove", "expand"}:
            found.append(_operation(ScanKind(key), told))
    return tuple(scan for scan in found if scan is not None)


def mapping_bytes(pool: Pool) -> int | None:
    """Return the memory that the mappings of removed vdevs take; None where none is told."""
    return _first(pool, "remove", _MAPPING)


def checkpoint_bytes(pool: Pool) -> int | None:
    """Return what the pool's checkpoint holds; None without one."""
    return _first(pool, "checkpoint", _CHECKPOINT)


def _first(pool: Pool, key: str, pattern: re.Pattern[str]) -> int | None:
    for text in pool.operations:
        match = pattern.search(text) if text.startswith(f"{key}: ") else None
        if match is not None:
            return printed_number(match.group(1))
    return None


def _scan(text: str) -> Scan | None:
    match = _SCAN.match(text)
    if match is None:
        return None
    kind = ScanKind(match.group("kind")) if match.group("kind") else ScanKind.RESILVER
    state = _STATES.get((match.group("state") or "").strip(), ScanState.FINISHED)
    if "paused since" in text:
        state = ScanState.PAUSED
    return _of(text, kind, state, match.group(2) or match.group(4))


def _operation(kind: ScanKind, text: str) -> Scan | None:
    low = text.lower()
    subject = _OPERATION.search(text)
    vdev = next((word for word in subject.groups() if word), None) if subject is not None else None
    if "in progress" in low or low.startswith("scanning"):
        return _of(text, kind, ScanState.RUNNING, vdev)
    if "canceled" in low:
        return _of(text, kind, ScanState.CANCELLED, vdev)
    if "completed on" in low or low.startswith(("expanded", "finished")):
        return _of(text, kind, ScanState.FINISHED, vdev)
    return None


def _of(text: str, kind: ScanKind, state: ScanState, vdev: str | None) -> Scan:
    moments = [moment for moment in (_moment(match) for match in _MOMENT.finditer(text)) if moment is not None]
    percent, errors = _PERCENT.search(text), _ERRORS.search(text)
    repaired = _REPAIRED.search(text) if kind is ScanKind.SCRUB and state is ScanState.FINISHED else None
    began = ended = None
    if state is ScanState.RUNNING:
        began = moments[0] if moments else None
    elif state is ScanState.PAUSED:
        began = min(moments, default=None)  # “paused since” and “scrub started on”
    else:
        began = moments[0] if len(moments) > 1 else None
        ended = moments[-1] if moments else None
    return Scan(
        kind=kind,
        state=state,
        began=began,
        ended=ended,
        percent=float(percent.group(1)) if percent and state in {ScanState.RUNNING, ScanState.PAUSED} else None,
        errors=int(errors.group(1)) if errors and state is ScanState.FINISHED else None,
        repaired_bytes=printed_number(repaired.group(1)) if repaired else None,
        vdev=vdev,
    )


def _moment(match: re.Match[str]) -> datetime | None:
    try:
        if match.group("iso"):
            return datetime.fromisoformat(match.group("iso"))
        month = _MONTHS.index(match.group("month")) + 1
        hour, minute, second = (int(part) for part in match.group("clock").split(":"))
        return datetime(int(match.group("year")), month, int(match.group("day")), hour, minute, second)  # noqa: DTZ001 - printed without a zone
    except ValueError:
        return None
