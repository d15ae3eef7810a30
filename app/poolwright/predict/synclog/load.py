"""What a run did to its devices: how busy each was, and how unevenly the log blocks lay."""

from collections.abc import Iterator
from dataclasses import dataclass

from poolwright.predict.synclog.simulate import LogRun


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
