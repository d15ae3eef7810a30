"""Plays years of a pool in slices beside the window."""

from collections.abc import Generator
from typing import TYPE_CHECKING

from poolwright.predict.hazard import VdevHazard
from poolwright.ui.parts.importing import import_in_steps

if TYPE_CHECKING:
    from poolwright.predict.montecarlo import Simulation

Hazards = tuple[tuple[VdevHazard, int], ...]
SEED = 1
# Vdev-years at a time: some 16 ms where every pool degrades, under 1 ms as a rule.
_PIECE = 1 << 16


def simulating(vdevs: Hazards, pool_years: int, seed: int = SEED) -> Generator[float, None, "Simulation"]:
    """Yield the share of years that are played; return all of them together. The same seed gives the same result."""
    yield 0.0
    for _ in import_in_steps("numpy.random"):
        yield 0.0
    from poolwright.predict.montecarlo import Share, Simulation, simulate  # noqa: PLC0415 - numpy only when asked

    piece = max(1, _PIECE // sum(count for _, count in vdevs))
    lost = damaged = done = number = 0
    while done < pool_years:
        years = min(piece, pool_years - done)
        part = simulate(vdevs, pool_years=years, seed=(seed << 32) + number)
        lost, damaged = lost + part.lost.hits, damaged + part.damaged.hits
        done, number = done + years, number + 1
        yield done / pool_years
    return Simulation(
        pool_years=pool_years,
        seed=seed,
        lost=Share(hits=lost, trials=pool_years),
        damaged=Share(hits=damaged, trials=pool_years),
    )
