"""The risk of losing a pool, against closed formulas, an independent solution of the chain, and a plain event list."""

import heapq
import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.predict.shipped import layout

from poolwright.domain.errors import Refusal
from poolwright.domain.units import HOURS_PER_YEAR
from poolwright.domain.vdev import parse_spec
from poolwright.predict.drives import typed_rate
from poolwright.predict.reliability import Risk, absorption, yearly_loss
from poolwright.predict.risk_conditions import RiskConditions
from poolwright.table_library import load_drive_book


def risk(*specs: str, afr: float = 1.5, **conditions: float) -> Risk:
    return yearly_loss(layout(*specs), RiskConditions(drive=typed_rate(afr), **conditions))  # type: ignore[arg-type]


def mttdl(*specs: str, afr: float, **conditions: float) -> float:
    found = risk(*specs, afr=afr, **conditions).mttdl_hours
    assert found is not None
    return found


def test_that_a_mirror_has_the_mean_time_of_the_textbook() -> None:
    failing, repair = 0.05 / HOURS_PER_YEAR, 1 / 24
    expected = (3 * failing + repair) / (2 * failing**2)
    assert mttdl("mirror:2x6TB", afr=5, rebuild_hours=24) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(("spec", "parity"), [("raidz1:5x6TB", 1), ("raidz2:8x6TB", 2), ("raidz3:11x6TB", 3)])
def test_that_raidz_has_the_mean_time_of_the_textbook_where_failures_are_rare(spec: str, parity: int) -> None:
    # Patterson, Gibson and Katz 1988, and its extension to more parity: repair^p / (n (n-1) ... failing^(p+1)).
    width, failing, repair = parse_spec(spec).width, 0.001 / HOURS_PER_YEAR, 1 / 10
    expected = repair**parity / (math.perm(width, parity + 1) * failing ** (parity + 1))
    assert mttdl(spec, afr=0.1, rebuild_hours=10) == pytest.approx(expected, rel=1e-3)


def test_that_a_stripe_lives_as_long_as_its_first_disk() -> None:
    found = risk("stripe:4x6TB", afr=2)
    assert found.disk_probability == pytest.approx(1 - math.exp(-4 * 0.02), rel=1e-12)
    assert found.mttdl_hours == pytest.approx(HOURS_PER_YEAR / 0.08)
    assert found.vdevs[0][0].repairs.rebuild is None
    assert risk(*["stripe:1x6TB"] * 4, afr=2).disk_probability == pytest.approx(found.disk_probability)


def solved_by_squaring(births: tuple[float, ...], deaths: tuple[float, ...], hours: float) -> float:
    """Return the absorbed share by repeated squaring of a short step's transition matrix: nothing negative is added."""
    size = len(births)
    rates = np.zeros((size + 1, size + 1))
    for state in range(size):
        rates[state, state + 1] = births[state]
        if state:
            rates[state, state - 1] = deaths[state - 1]
    leaving = rates.sum(axis=1)
    fastest = leaving.max()
    doublings = max(0, math.ceil(math.log2(fastest * hours * 4)))
    mean = fastest * hours / 2**doublings
    jump = rates / fastest + np.diag(1 - leaving / fastest)
    power, weight = np.eye(size + 1), math.exp(-mean)
    step = weight * power
    for count in range(1, 60):
        power, weight = power @ jump, weight * mean / count
        step = step + weight * power
    for _ in range(doublings):
        step = step @ step
    return float(step[0, -1])


@given(
    failing=st.floats(1e-8, 1e-3),
    repairs=st.lists(st.floats(1e-3, 2.0), max_size=5),
    spare_width=st.integers(1, 20),
    correlation=st.floats(1, 5),
)
def test_that_the_chain_is_solved_exactly(
    failing: float, repairs: list[float], spare_width: int, correlation: float
) -> None:
    width = len(repairs) + spare_width
    births = tuple((width - u) * failing * (correlation if u else 1) for u in range(len(repairs) + 1))
    expected = solved_by_squaring(births, tuple(repairs), HOURS_PER_YEAR)
    found = absorption(births, tuple(repairs)).probability(HOURS_PER_YEAR)
    assert found == pytest.approx(expected, rel=1e-5, abs=1e-12)


def test_that_even_a_tiny_probability_keeps_its_digits() -> None:
    births, deaths = tuple(n * 2e-7 for n in (11, 10, 9, 8)), (0.2, 0.2, 0.2)
    found = absorption(births, deaths).probability(HOURS_PER_YEAR)
    assert found < 1e-15
    assert found == pytest.approx(solved_by_squaring(births, deaths, HOURS_PER_YEAR), rel=1e-7)


def test_that_a_lost_special_or_dedup_vdev_loses_the_pool_and_a_log_or_cache_does_not() -> None:
    data = "raidz2:8x6TB"
    alone = risk(data).disk_probability
    for support in ("special/stripe:1x960GB", "dedup/stripe:1x960GB"):
        found = risk(data, support)
        assert found.disk_probability > 0.01
        assert found.disk_loss.limit.startswith(support.split("/")[0])
    assert risk(data, "log/stripe:1x100GB", "cache/stripe:2x960GB").disk_probability == alone


def test_that_spares_help_and_a_spare_that_is_too_small_does_not() -> None:
    data = ["raidz2:8x6TB"] * 5
    none, one, two = (
        risk(*data, *extra).disk_probability for extra in ([], ["spare/stripe:1x6TB"], ["spare/stripe:2x6TB"])
    )
    assert two < one < none
    assert risk(*data, "spare/stripe:2x4TB").disk_probability == none
    assert risk(*data, spares=1).disk_probability == one
    slow = risk(*data, "spare/stripe:1x6TB", replace_hours=2000).vdevs[0][0]
    assert slow.spare_free < 0.9
    repair, rebuild = slow.repair, slow.repairs.rebuild
    assert repair is not None
    assert rebuild is not None
    assert repair.typical == pytest.approx(
        rebuild.typical + slow.spare_free * 0.1 + (1 - slow.spare_free) * 2000, rel=1e-6
    )


def test_that_read_errors_damage_files_but_do_not_lose_the_pool() -> None:
    clean, dirty = (risk("raidz1:5x6TB", read_errors_per_bit=rate) for rate in (0.0, 1e-14))
    assert clean.disk_probability == dirty.disk_probability
    assert clean.disk_damage.typical == pytest.approx(clean.disk_loss.typical, rel=1e-9)
    # One rebuild in 13 years reads 4 x 4.8 TB: 1.5e14 bits, 78 % of them meet a bad one.
    assert dirty.disk_damage.typical == pytest.approx(5 * 0.015 * (1 - math.exp(-1.536)), rel=0.05)
    assert risk("raidz2:6x6TB", read_errors_per_bit=1e-14).disk_damage.typical < dirty.disk_damage.typical / 50


def test_that_a_pool_without_data_is_refused() -> None:
    with pytest.raises(Refusal):
        risk("special/mirror:2x960GB")


SPECS = (
    "stripe:3x4TB", "mirror:2x4TB", "mirror:3x4TB", "raidz1:4x4TB", "raidz2:10x4TB", "raidz3:15x4TB",
    "draid1:4d:1s:11x4TB", "draid2:8d:24x4TB", "draid3:8d:2s:40x4TB",
)  # fmt: skip


class SharedSpares:
    """One year of a pool as an event list: spares are really shared and handed out one by one."""

    def __init__(self, generator: random.Random, times: dict[str, float], *, vdevs: int, spares: int) -> None:
        self._generator, self._times, self._free = generator, times, spares
        self._events: list[tuple[float, int, str, int]] = []
        self._failed, self._repairing = [0] * vdevs, [False] * vdevs
        self._serial = 0

    def _plan(self, now: float, mean: float, what: str, vdev: int) -> None:
        self._serial += 1
        heapq.heappush(self._events, (now + self._generator.expovariate(1 / mean), self._serial, what, vdev))

    def lost(self, *, width: int, parity: int) -> bool:
        for vdev in range(len(self._failed)):
            for _ in range(width):
                self._plan(0, self._times["failure"], "failure", vdev)
        while self._events[0][0] < HOURS_PER_YEAR:
            now, _, what, vdev = heapq.heappop(self._events)
            if what == "refill":
                self._free += 1
                continue
            self._failed[vdev] += 1 if what == "failure" else -1
            if what == "repaired":
                self._plan(now, self._times["failure"], "failure", vdev)
                self._repairing[vdev] = False
            if self._failed[vdev] > parity:
                return True
            if self._failed[vdev] and not self._repairing[vdev]:
                self._repair(now, vdev)
        return False

    def _repair(self, now: float, vdev: int) -> None:
        self._repairing[vdev] = True
        if self._free:
            self._free -= 1
            self._plan(now, self._times["replace"], "refill", -1)
            self._plan(now, self._times["rebuild"], "repaired", vdev)
        else:
            self._plan(now, self._times["rebuild"] + self._times["replace"], "repaired", vdev)


@pytest.mark.slow
def test_that_shared_spares_are_counted_nearly_as_if_handed_out_one_by_one() -> None:
    years, rebuild, replace = 20_000, 60.0, 240.0
    found = risk(
        *["raidz1:6x6TB"] * 4, "spare/stripe:1x6TB", afr=10, rebuild_hours=rebuild, replace_hours=replace
    ).disk_probability
    times = {"failure": HOURS_PER_YEAR / 0.1, "rebuild": rebuild, "replace": replace}
    generator = random.Random(7)
    lost = sum(SharedSpares(generator, times, vdevs=4, spares=1).lost(width=6, parity=1) for _ in range(years))
    without = risk(*["raidz1:6x6TB"] * 4, afr=10, rebuild_hours=rebuild, replace_hours=replace).disk_probability
    assert found < without / 2
    assert lost / years == pytest.approx(found, rel=0.12)


def floor(one: Risk) -> float:
    return -math.expm1(one.causes.log_spared(1, len(one.units)))


@pytest.mark.parametrize(
    "specs",
    [("raidz2:8x6TB",), ("mirror:2x6TB", "mirror:2x6TB"), ("raidz1:5x6TB", "special/mirror:2x1TB"), ("stripe:4x6TB",)],
)
def test_that_the_middle_of_the_band_is_the_risk_that_is_told(specs: tuple[str, ...]) -> None:
    found = risk(*specs, afr=3.0, causes=load_drive_book().causes)  # type: ignore[arg-type]
    assert found.loss.typical == pytest.approx(found.probability, rel=1e-6)
    assert found.disk_loss.typical == pytest.approx(found.disk_probability, rel=1e-6)
    assert found.loss.low <= found.loss.typical <= found.loss.high
