"""What the burn-in script writes of one disk: what it did, and smartctl's answers before and after."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from statistics import median
from typing import Any

from poolwright.domain.burn_in import BurnIn, BurnInCount
from poolwright.domain.disk import Disk, Health
from poolwright.domain.errors import UserError
from poolwright.domain.estimate import Origin
from poolwright.domain.grouping import grouped
from poolwright.machine.json_values import child, integer, nothing_of, number, parse_json
from poolwright.machine.smartctl.facts import SmartFacts
from poolwright.machine.smartctl.read import SmartctlReading, facts_in, read_smartctl
from poolwright.shipped import shipped

BURN_IN = "poolwright-burn-in "
_EXTENDED = 2  # as ATA, SCSI and NVMe alike call the long self-test
_FEWEST_SIBLINGS = 3
_LEAST_SECONDS = 60  # of reading, for a rate that can be held against others
_LATEST = 1 << 36  # seconds: beyond it a number is no moment
_Told = dict[str, list[list[str]]]  # the words of each line, by the first


def read_burn_in(text: str, origin: Origin) -> SmartctlReading:
    """Return the disk as smartctl saw it afterwards, with its burn-in; raises UserError where that cannot be read."""
    head, __, rest = text.partition("\n@before\n")
    before, __, after = rest.partition("\n@after\n")
    printed: _Told = defaultdict(list)
    for first, *words in filter(None, map(str.split, head.splitlines())):
        printed[first].append(words)
    name, serial = ("".join(word for words in printed[key][:1] for word in words) for key in ("name", "serial"))
    size = next(iter(_numbers(printed, "size")), 0)
    if not (name and size):
        raise nothing_of("burn-in.sh", origin.source)
    path, disk = f"/dev/disk/by-id/{name}", Disk(key=name, size_bytes=size, serial=serial or None)
    with suppress(UserError):  # where smartctl cannot read it, the script has
        reading = read_smartctl(after, origin, path_hint=path)
        disk = disk if reading.disk is None or reading.silent else reading.disk
    by_id = tuple(dict.fromkeys((*disk.by_id, name)))
    burn_in = _burn_in(printed, size, before, after, disk)
    return SmartctlReading(disk=replace(disk, path=path, by_id=by_id, burn_in=burn_in), path=path)


def _numbers(printed: _Told, key: str) -> list[int]:
    words = (line[0] for line in printed.get(key, ()) if line)
    return [int(word) for word in words if word.isascii() and word.isdigit() and len(word) < 20]


def _burn_in(printed: _Told, size: int, before: str, after: str, disk: Disk) -> BurnIn:
    read = [tuple(map(number, words)) for words in printed["read"] if len(words) == 3]
    done, seconds = (sum(each[place] or 0 for each in read) for place in (1, 2))
    test = _newest(after)
    kernel, ended = _numbers(printed, "kernel"), _numbers(printed, "ended")
    return BurnIn(
        ended=datetime.fromtimestamp(ended[-1], tz=UTC) if ended and ended[-1] < _LATEST else None,
        # None where no long test ended since, or it was broken off.
        self_test=test[1] if test and test != _newest(before) and ["started"] in printed["test"] else None,
        read_percent=min(100.0, 100 * done / size),
        bytes_per_second=round(done / seconds) if seconds >= _LEAST_SECONDS else None,
        read_error_at=next(iter(_numbers(printed, "error")), None),
        kernel_errors=max(kernel[-1] - kernel[0], 0) if kernel else 0,  # the log begins anew at a restart
        failing=disk.health is Health.FAILING,
        counts=tuple(_counts(before, after)),
    )


def _newest(text: str) -> tuple[str, bool | None] | None:
    """Return the newest entry in the log of self-tests where it is of a long one, and whether it passed."""
    try:
        document = parse_json(text, where="", tool="smartctl")
    except UserError:
        return None
    for places, code, result, shift, failed in _LOGS:
        entry = child(document, *places)
        if entry is not None:
            found = integer(entry, result, "value")
            ended = None if found is None else found >> shift
            passed = True if ended == 0 else False if ended in failed else None
            return (str(entry), passed) if integer(entry, code, "value") == _EXTENDED else None
    return None


# Where each kind of drive has its newest entry, its code and its result: the bits above `shift`, and which of them tell
# of a failure. The others are tests that were broken off, or are not over.
_LOGS: tuple[tuple[tuple[str | int, ...], str, str, int, range], ...] = (
    (("ata_smart_self_test_log", "extended", "table", 0), "type", "status", 4, range(3, 9)),
    (("ata_smart_self_test_log", "standard", "table", 0), "type", "status", 4, range(3, 9)),
    (("nvme_self_test_log", "table", 0), "self_test_code", "self_test_result", 0, range(5, 8)),
    (("scsi_self_test_0",), "code", "result", 0, range(3, 8)),
)


def _counts(before: str, after: str) -> Iterator[BurnInCount]:
    try:
        then, now = facts_in(before), facts_in(after)
    except UserError:
        return
    for count in shipped("burn_in")["count"]:
        first, last = _count(then, count), _count(now, count)
        if first is not None and last is not None:
            yield BurnInCount(name=count["name"], before=first, after=last)


def _count(facts: SmartFacts, count: Mapping[str, Any]) -> int | None:
    if "fact" in count:
        found: int | None = getattr(facts, count["fact"])
        return found
    named = count["named"].split()
    return next(
        (
            attribute.raw
            for attribute in facts.attributes
            if attribute.number == count["attribute"]
            and any(word in attribute.name.lower() for word in named)
            and (attribute.raw or 0) < 1 << 31  # else it packs several counters into one value
        ),
        None,
    )


def with_siblings(disks: Sequence[Disk]) -> tuple[Disk, ...]:
    """Return the disks with the median rate of those of their model; of all of which every byte was read."""
    rates = grouped(
        ((disk.model, disk.size_bytes), disk.burn_in.bytes_per_second)
        for disk in disks
        if disk.burn_in is not None and disk.burn_in.read_percent == 100 and disk.burn_in.bytes_per_second
    )
    medians = {alike: round(median(found)) for alike, found in rates.items() if len(found) >= _FEWEST_SIBLINGS}
    return tuple(
        replace(disk, burn_in=replace(disk.burn_in, others_bytes_per_second=medians.get((disk.model, disk.size_bytes))))
        if disk.burn_in is not None and disk.burn_in.read_percent == 100
        else disk
        for disk in disks
    )
