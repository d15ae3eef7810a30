"""The disk that answers more slowly than its siblings under the same load."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log
from statistics import median

import numpy as np

from poolwright.bench.judging.reasons import Numbers

# How many times the siblings' wait it takes, at how many of the moments, and how far outside of their own differences.
LEAST_RATIO, LEAST_MOMENTS, LEAST_SCORE = 1.5, 0.6, 4.0
# How many standard errors of its own median the difference has to be.
LEAST_ERRORS = 5.0
# A disk that stalls now and then (SMR, retries) waits several times as long on an average, in a fifth of the moments.
STALL_RATIO, STALL_MOMENTS = 3.0, 0.2
_LONGER = 1.25
# Healthy disks of one model differ by a tenth (logarithm): fewer siblings show less than there is.
_USUAL_SPREAD = 0.10
_MAD = 1.4826  # makes the median deviation of a normal distribution its standard deviation
_MOST_LOAD = 1.5  # times that of its siblings: more work would explain the wait
_LEAST_SEEN = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskWaits:
    """The waits of one disk, ns at each moment (NaN: none seen), and what it was given: operations and bytes a second.

    ``vdev`` names its siblings; disks of one vdev have the same. ``busy`` is the share of the time that it worked.
    """

    name: str
    vdev: str
    waits: Numbers
    load: float | None = None
    rate: float | None = None
    busy: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SlowDisk:
    """The slow one: its wait and that of its siblings at the same moments, ns; ``score`` is in robust deviations.

    Both are medians, or means where it ``stalls``.
    """

    name: str
    wait_ns: float
    siblings_ns: float
    score: float
    stalls: bool = False

    @property
    def ratio(self) -> float:
        """How many times as long it waits."""
        return self.wait_ns / self.siblings_ns


@dataclass(frozen=True)
class _Beside:
    """The waits of a disk and the median of its siblings at the moments that both know, ns."""

    own: Numbers
    siblings: Numbers

    @cached_property
    def differences(self) -> Numbers:
        found: Numbers = np.log(self.own) - np.log(self.siblings)
        return found

    @property
    def usual(self) -> float:
        """The middle difference: that of a disk that is slow all the time."""
        return float(median(self.differences.tolist()))

    @property
    def on_average(self) -> float:
        """The logarithm of how many times as long it waits in all.

        Not the mean of the moments' ratios: where siblings had hardly anything to do, one moment would be all of it.
        """
        return log(float(self.own.mean()) / float(self.siblings.mean()))

    def told(self, name: str, score: float, *, stalls: bool) -> SlowDisk:
        middle = np.mean if stalls else np.median
        return SlowDisk(
            name=name,
            wait_ns=float(middle(self.own)),
            siblings_ns=float(middle(self.siblings)),
            score=score,
            stalls=stalls,
        )


def find_slow_disks(disks: Sequence[DiskWaits]) -> tuple[SlowDisk, ...]:
    """Return the disks that stand out among their siblings, the slowest first.

    A disk is held against the median of its siblings at each moment, so load that comes and goes does not matter.
    """
    count = min((one.waits.size for one in disks), default=0)
    if len(disks) < 2 or count < _LEAST_SEEN:
        return ()
    with np.errstate(invalid="ignore"):
        waits = np.array([np.where(one.waits[:count] > 0, one.waits[:count], np.nan) for one in disks])
    seen = {n: beside for n in range(len(disks)) if (beside := _beside(disks, waits, n)) is not None}
    usual = {n: beside.usual for n, beside in seen.items()}
    average = {n: beside.on_average for n, beside in seen.items()}
    slow = [one for n in seen if (one := _judged(disks, n, seen[n], usual, average)) is not None]
    return tuple(sorted(slow, key=lambda one: -one.ratio))


def _siblings(disks: Sequence[DiskWaits], number: int) -> list[int]:
    """Return the other disks of its vdev; all others where it has but one there, as in a mirror."""
    vdev = disks[number].vdev
    near = [n for n, one in enumerate(disks) if n != number and one.vdev == vdev]
    return near if len(near) > 1 else [n for n in range(len(disks)) if n != number]


def _beside(disks: Sequence[DiskWaits], waits: Numbers, number: int) -> _Beside | None:
    near = waits[_siblings(disks, number)]
    known = np.isfinite(waits[number]) & (np.isfinite(near).sum(axis=0) * 2 >= len(near))
    if known.sum() < _LEAST_SEEN:
        return None
    return _Beside(waits[number, known], _middle_of_known(near[:, known]))


def _middle_of_known(values: Numbers) -> Numbers:
    """Return the median of each column without its NaN, which sort last; each column has a value.

    It is a tenth of the work of numpy's own for so few rows.
    """
    known = np.isfinite(values).sum(axis=0)
    rows, columns = np.sort(values, axis=0), np.arange(values.shape[1])
    found: Numbers = (rows[(known - 1) // 2, columns] + rows[known // 2, columns]) / 2
    return found


def _judged(
    disks: Sequence[DiskWaits], number: int, beside: _Beside, usual: Mapping[int, float], average: Mapping[int, float]
) -> SlowDisk | None:
    others = [n for n in usual if n != number]
    longer = float((beside.differences > np.log(_LONGER)).mean())
    steadily, now_and_then = _score(usual, number, others), _score(average, number, others)
    is_slow = usual[number] >= np.log(LEAST_RATIO) and longer >= LEAST_MOMENTS and steadily >= LEAST_SCORE
    is_slow = is_slow and usual[number] >= LEAST_ERRORS * _error(beside.differences)
    beyond = average[number] - max(0.0, median(average[n] for n in others) if others else 0.0)
    stalls = beyond >= np.log(STALL_RATIO) and longer >= STALL_MOMENTS and now_and_then >= LEAST_SCORE
    if not (is_slow or stalls) or _has_more_to_do(disks, number):
        return None
    found = beside.told(disks[number].name, steadily if is_slow else now_and_then, stalls=not is_slow)
    return found if found.ratio > 1 else None  # what is longer at most moments is shorter in the middle


def _score(values: Mapping[int, float], number: int, others: Sequence[int]) -> float:
    rest = [values[n] for n in others]
    middle = median(rest) if rest else 0.0
    spread = _MAD * median(abs(value - middle) for value in rest) if rest else 0.0
    return (values[number] - middle) / max(spread, _USUAL_SPREAD)


def _error(differences: Numbers) -> float:
    """Return the standard error of a median, from the median deviation (normal distribution: 1.25 that of the mean)."""
    deviation: float = median(np.abs(differences - median(differences.tolist())).tolist())
    return 1.25 * _MAD * deviation / float(np.sqrt(differences.size))


def _has_more_to_do(disks: Sequence[DiskWaits], number: int) -> bool:
    """Tell whether a disk did more operations, or larger ones: those alone make them wait.

    Not where it works longer for each of both: of records of one size a raidz reads some disks more than others.
    """
    own, near = disks[number], [disks[n] for n in _siblings(disks, number)]
    if _takes_longer(own.busy, own.load, [(one.busy, one.load) for one in near]) and _takes_longer(
        own.busy, own.rate, [(one.busy, one.rate) for one in near]
    ):
        return False
    return _is_more(own.load, [one.load for one in near]) or _is_more(own.rate, [one.rate for one in near])


def _is_more(own: float | None, near: Sequence[float | None]) -> bool:
    known = [value for value in near if value is not None]
    return own is not None and bool(known) and own > _MOST_LOAD * median(known)


def _takes_longer(busy: float | None, work: float | None, near: Sequence[tuple[float | None, float | None]]) -> bool:
    known = [one_busy / one_work for one_busy, one_work in near if one_busy is not None and one_work]
    if not busy or not work or not known:
        return False
    return busy / work >= _MOST_LOAD * median(known)
