"""What snapshots hold: the formula beside blocks that are written snapshot by snapshot; and how it is typed."""

import random
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolwright.domain.errors import UserError
from poolwright.domain.retention import DailyChange, Retention, parse_change, parse_retention, transfer_hours
from poolwright.domain.units import GB, MB, TB

KEPT = ("24h 14d", "12h 30d 3m", "10d 8w", "6w 4m", "48h")
PERIODS = {"hourly": 1, "daily": 24, "weekly": 168, "monthly": 730, "yearly": 8766}  # hours


def held_by_force(keep: Retention, blocks: int, written: int, pick: Callable[[int], int]) -> int:
    """Return how many versions of blocks only snapshots have at the most: taken and removed hour by hour, by age, as
    sanoid does, while ``written`` blocks a day are written.
    """
    version, number, most = list(range(blocks)), blocks, 0
    taken: dict[str, list[tuple[int, frozenset[int]]]] = {name: [] for name in PERIODS}
    kept = {name: getattr(keep, name) for name in PERIODS}
    oldest, longest = max((count * PERIODS[name], PERIODS[name]) for name, count in kept.items())
    for hour in range(oldest + longest + 1):
        for _ in range(written * (hour + 1) // 24 - written * hour // 24):
            version[pick(number)] = number
            number += 1
        if hour >= oldest and hour % 24 in (0, longest % 24):  # before the oldest go
            snapshots = frozenset().union(*(image for images in taken.values() for _, image in images))
            most = max(most, len(snapshots - set(version)))
        for name, period in PERIODS.items():
            if kept[name] and hour % period == 0:
                taken[name] = [one for one in taken[name] if hour - one[0] < kept[name] * period]
                taken[name].append((hour, frozenset(version)))
    return most


@pytest.mark.parametrize("text", KEPT)
@pytest.mark.parametrize("percent", [1, 12])
def test_that_the_formula_is_what_writing_at_random_leaves_in_snapshots(text: str, percent: int) -> None:
    keep, blocks, chance = parse_retention(text), 800, random.Random(f"{text} {percent}")
    found = held_by_force(keep, blocks, blocks * percent // 100, lambda _: chance.randrange(blocks))
    told = keep.held(blocks, DailyChange(amount=percent, percent=True))
    assert told.typical == pytest.approx(found, rel=0.06)
    assert told.low <= found * 1.06


@pytest.mark.parametrize("text", KEPT)
def test_that_blocks_written_in_turn_hold_most_and_a_busy_tenth_least(text: str) -> None:
    keep, blocks, chance = parse_retention(text), 800, random.Random(text)
    told = keep.held(blocks, DailyChange(amount=5, percent=True))
    in_turn = held_by_force(keep, blocks, blocks // 20, lambda number: number % blocks)
    busy = held_by_force(keep, blocks, blocks // 20, lambda _: chance.randrange(blocks // 10))
    assert told.high == pytest.approx(in_turn, rel=0.06)
    assert told.low == pytest.approx(busy, rel=0.08)


@given(st.builds(Retention, hourly=st.integers(0, 99), daily=st.integers(0, 99), yearly=st.integers(0, 9)),
       st.integers(0, 10**15), st.floats(0, 100))  # fmt: skip
def test_that_the_band_is_in_order_and_no_snapshot_holds_more_than_all(keep: Retention, data: int, part: float) -> None:
    told = keep.held(data, DailyChange(amount=part, percent=True))
    count = sum(getattr(keep, name) for name in PERIODS)
    assert 0 <= told.low <= told.typical * (1 + 1e-9) <= told.high * (1 + 1e-6) + 1
    assert told.high <= count * data * (1 + 1e-9)


def test_that_a_month_of_days_is_the_arithmetic_of_a_month() -> None:
    # 10 TB, 100 GB written a day, 30 days kept: 30 times 10 TB * (1 - exp(-0.01)), 30 times 100 GB at most.
    told = parse_retention("30d").held(10 * TB, parse_change("100GB"))
    assert told.typical == pytest.approx(30 * 99.5017 * GB, rel=1e-5)
    assert told.high == pytest.approx(30 * 100 * GB)
    assert told.low == pytest.approx(30 * 95.1626 * GB, rel=1e-5)


def test_that_what_is_typed_is_written_back() -> None:
    for text in (*KEPT, "24h 30d 8w 12m 2y"):
        assert str(parse_retention(text)) == text
    assert parse_retention("12 m, 24H") == Retention(hourly=24, monthly=12)
    for text in ("1 %", "0.25 %", "200000000000"):
        assert str(parse_change(text)) == text
    assert parse_change("200 GB").of(TB) == 200 * GB
    for text in ("", "30", "0d", "24h x", "d30", "-1d"):
        with pytest.raises(UserError):
            parse_retention(text)
    for text in ("", "%", "1", "-1 %", "a %"):
        with pytest.raises(UserError):
            parse_change(text)


def test_that_a_copy_takes_its_bytes_over_the_line_or_what_ssh_lets_through() -> None:
    over_line, over_ssh = transfer_hours(TB, 125 * MB), transfer_hours(TB, 1250 * MB)
    assert over_line.typical == pytest.approx(1e12 / (0.85 * 125e6) / 3600)
    assert over_ssh.typical == pytest.approx(1e12 / 300e6 / 3600)
    assert over_line.low < over_line.typical < over_line.high
