"""The noise floor: what machine and pool do before anything of ours runs."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from poolwright.bench.judging.seen import cores_of
from poolwright.bench.judging.signals import pool_rate
from poolwright.domain.measurement import Direction, Recorded
from poolwright.domain.rates import rate_text
from poolwright.predict.number_words import share_text
from poolwright.texts import tell


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


def noise_words(floor: NoiseFloor) -> str:
    """Return the floor in words; that nobody looked where nothing is known."""
    parts = []
    if floor.cpu is not None:
        parts.append(tell("processor {share}", share=share_text(floor.cpu)))
    if floor.pool_read is not None and floor.pool_write is not None:
        read, written = rate_text(floor.pool_read), rate_text(floor.pool_write)
        parts.append(tell("the pool read {read}, wrote {written}", read=read, written=written))
    return ", ".join(parts) or tell("not known, so that other load cannot be ruled out")
