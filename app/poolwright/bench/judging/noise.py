"""The noise floor: what machine and pool do before anything of ours runs."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from poolwright.bench.judging.seen import cores_of
from poolwright.bench.judging.signals import pool_rate
from poolwright.bench.result import Direction, Recorded


@dataclass(frozen=True, slots=True, kw_only=True)
class NoiseFloor:
    """What others do: share of all processor time, bytes/s read from and written to the pool; None where not looked."""

    cpu: float | None = None
    pool_read: float | None = None
    pool_write: float | None = None


def noise_floor(idle: Sequence[Recorded], pool: str | None = None) -> NoiseFloor:
    """Return the floor from what was recorded while nothing of ours ran."""
    busy = cores_of(idle)
    return NoiseFloor(
        cpu=None if busy is None else float(np.nanmean(busy)),
        pool_read=pool_rate(idle, pool, Direction.READ),
        pool_write=pool_rate(idle, pool, Direction.WRITE),
    )
