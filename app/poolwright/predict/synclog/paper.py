"""The paper's experiment in the model: its machine, its rows, and what the model says of each.

Shen, Zhang, Yang, "An approach to optimizing synchronous write performance of ZFS on Linux" (2014), section 3: three
SATA disks of 7200 rpm, three zvols of 10 GB with blocks of 128 kB, fio with one thread per zvol, asynchronous, 100
requests handed over at once. The paper gives the gains of all four block sizes at fsync=5, says that there is none at
fsync=1 and that it grows with fsync; the rows for 10 and 20 stand only in a picture. It does not say at which block
size fsync was varied: 4 kB, the size of the figure before, is assumed.
"""

import csv
import io
from collections.abc import Generator, Iterator
from dataclasses import dataclass

from poolwright.domain.steps import at_each
from poolwright.domain.units import KIB
from poolwright.predict.synclog.model import AFTER, BEFORE, Setup
from poolwright.predict.synclog.simulate import SEED, LogRun, simulate

REQUESTS = 15_000
_ASSUMED_BLOCK_KIB = 4
_ROWS_WITHOUT_FIGURE = ((10, _ASSUMED_BLOCK_KIB), (20, _ASSUMED_BLOCK_KIB))


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperRow:
    """A row of the paper: ``gain_percent`` in IOPS, None where it prints no figure."""

    requests_per_sync: int
    block_bytes: int
    gain_percent: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reproduced:
    """A row of the paper with what the model gives for it: IOPS, gain and mean latency before and after."""

    row: PaperRow
    iops_before: float
    iops_after: float
    latency_before_seconds: float
    latency_after_seconds: float

    @property
    def gain_percent(self) -> float:
        return 100.0 * (self.iops_after / self.iops_before - 1.0)

    @property
    def error_points(self) -> float | None:
        """Return the model's gain less the paper's, in percentage points; None where the paper prints none."""
        return None if self.row.gain_percent is None else self.gain_percent - self.row.gain_percent


def paper_rows(table: str) -> tuple[PaperRow, ...]:
    """Return the rows of ``table``, the text of rules/tables/fsync_paper.csv, and those the paper only draws."""
    rows = [
        PaperRow(
            requests_per_sync=int(row["fsync"]),
            block_bytes=int(row["block_kib"] or _ASSUMED_BLOCK_KIB) * KIB,
            gain_percent=float(row["iops_gain_percent"]),
        )
        for row in csv.DictReader(io.StringIO(table))
    ]
    rows.extend(
        PaperRow(requests_per_sync=fsync, block_bytes=kib * KIB, gain_percent=None)
        for fsync, kib in _ROWS_WITHOUT_FIGURE
    )
    return tuple(rows)


def paper_setup(row: PaperRow) -> Setup:
    """Return the paper's machine under the load of ``row``."""
    return Setup(volumes=3, disks=3, depth=100, requests_per_sync=row.requests_per_sync, block_bytes=row.block_bytes)


def reproduce(
    rows: tuple[PaperRow, ...], *, requests: int = REQUESTS, seed: int = SEED
) -> Generator[float, None, tuple[Reproduced, ...]]:
    """Yield the share done, return what the model gives for ``rows``."""
    questions = [(row, policy) for row in rows for policy in (BEFORE, AFTER)]
    runs: list[LogRun] = []
    for row, policy in questions:
        steps = simulate(paper_setup(row), policy, requests=requests, seed=seed)
        runs.append((yield from at_each(steps, lambda share: (len(runs) + share) / len(questions))))
    return tuple(
        Reproduced(
            row=row,
            iops_before=before.iops,
            iops_after=after.iops,
            latency_before_seconds=before.latency_seconds,
            latency_after_seconds=after.latency_seconds,
        )
        for row, before, after in zip(rows, runs[::2], runs[1::2], strict=True)
    )


# What a run did to its devices: how busy each was, and how unevenly the log blocks lay.


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """The log blocks of one device over time: from ``seconds[i]`` on there were ``blocks[i]`` waiting or under way."""

    device: int
    seconds: tuple[float, ...]
    blocks: tuple[int, ...]


def busy_shares(run: LogRun) -> tuple[float, ...]:
    """Return for each device the share of the run (0 to 1) in which it wrote."""
    busy = [0.0] * len(run.setup.devices)
    for write in run.writes:
        busy[write.device] += write.ended - write.began
    return tuple(seconds / run.seconds for seconds in busy)


def written_bytes(run: LogRun) -> tuple[int, ...]:
    """Return for each device the bytes of log blocks it wrote."""
    sums = [0] * len(run.setup.devices)
    for write in run.writes:
        sums[write.device] += write.size_bytes
    return tuple(sums)


def loads(run: LogRun, *, begin: float, end: float) -> tuple[Load, ...]:
    """Return the load of each device between two seconds of the run; blocks that never ended are not counted."""
    counts = [0] * len(run.setup.devices)
    seconds: list[list[float]] = [[begin] for _ in counts]
    blocks: list[list[int]] = [[0] for _ in counts]
    for at, device, change in _changes(run):
        if at >= end:
            break
        counts[device] += change
        if at <= begin:
            blocks[device][0] = counts[device]
        elif at == seconds[device][-1]:
            blocks[device][-1] = counts[device]
        else:
            seconds[device].append(at)
            blocks[device].append(counts[device])
    return tuple(
        Load(device=number, seconds=tuple(seconds[number]), blocks=tuple(blocks[number]))
        for number in range(len(counts))
    )


def lopsided_share(run: LogRun) -> float:
    """Return the share of the run (0 to 1) in which a device idled while blocks queued up at another."""
    counts = [0] * len(run.setup.devices)
    idle, queued = len(counts), 0
    lopsided = before = 0.0
    for at, device, change in _changes(run):
        if idle and queued:
            lopsided += at - before
        before = at
        counts[device] += change
        if change > 0:
            idle -= counts[device] == 1
            queued += counts[device] == 2
        else:
            idle += counts[device] == 0
            queued -= counts[device] == 1
    return lopsided / run.seconds


def _changes(run: LogRun) -> Iterator[tuple[float, int, int]]:
    """Yield when (in order), at which device and by how much the number of blocks changed; ends before arrivals."""
    changes = [(write.asked, 1, write.device) for write in run.writes]
    changes.extend((write.ended, -1, write.device) for write in run.writes)
    for at, change, device in sorted(changes):
        yield at, device, change
