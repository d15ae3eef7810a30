"""What a disk that is out costs, held against measurements; and the second failure, against a lottery."""

import random
from collections.abc import Iterable

import pytest
from tests.predict.shipped import layout

from poolwright.domain.disk import Media
from poolwright.domain.estimate import OriginKind
from poolwright.domain.version import DEFAULT_VERSION, ZfsVersion
from poolwright.predict.assumptions import DEFAULT_LOG, PoolLoad, speed_inputs
from poolwright.predict.degraded import Losses, degraded_losses
from poolwright.predict.drives import typed_rate
from poolwright.predict.measured_runs import NO_RUNS
from poolwright.predict.media import UNKNOWN_HOST, disk_rates
from poolwright.predict.reliability import yearly_loss
from poolwright.predict.risk_conditions import RiskConditions
from poolwright.table_library import load_shipped_tables


def lost(
    words: str, *, clients: int | None = None, zfs: ZfsVersion = DEFAULT_VERSION, media: Media = Media.HDD
) -> Losses:
    load = PoolLoad(clients=clients, version=zfs)
    return degraded_losses(
        layout(words), speed_inputs(UNKNOWN_HOST, disk_rates(media=media), DEFAULT_LOG, load, NO_RUNS)
    )


def test_that_raidz2_of_eight_loses_what_the_thesis_measured() -> None:
    tables = load_shipped_tables()
    found = lost("raidz2:8x6TB", clients=1, zfs=ZfsVersion(0, 6, 5))
    for name, metric in (("degraded_read", "seq_read"), ("degraded_write", "seq_write")):
        measured = tables.named("raid6_comparison").one(spec="raidz2:8", state="degraded", metric=metric)
        assert 100 * found[name].typical == measured.number_of("value") == 0
    write = tables.named("rebuild").one(metric="seq_write_lost_during_rebuild").number_of("value")
    assert write is not None
    assert 100 * found["rebuild_write"].typical == pytest.approx(write, abs=3)
    assert 100 * found["rebuild_write"].low < write < 100 * found["rebuild_write"].high


def test_that_one_reader_beside_a_scan_of_0_8_keeps_what_was_reported() -> None:
    # 20 to 60 of 250 reads a second (openzfs/zfs#10253): the band has both ends, and what lies between them.
    found = lost("raidz1:4x300GB", clients=1, zfs=ZfsVersion(0, 8, 3))["rebuild_iops"]
    assert found.low < 1 - 60 / 250 < found.typical < 1 - 20 / 250 <= found.high + 0.01


def test_that_users_lose_less_since_a_resilver_yields_to_them_and_many_of_them_less_than_one() -> None:
    before, since = (lost("raidz2:8x6TB", zfs=zfs) for zfs in (ZfsVersion(2, 0, 7), ZfsVersion(2, 1, 0)))
    assert all(since[name].typical <= before[name].typical for name in before)
    assert since["rebuild_iops"].typical < before["rebuild_iops"].typical
    assert lost("raidz2:8x6TB", clients=1)["rebuild_iops"].typical > since["rebuild_iops"].typical


@pytest.mark.parametrize("vdevs", [1, 2, 12])
def test_that_mirrors_under_load_wait_for_the_one_with_half_its_heads(vdevs: int) -> None:
    many, one = (lost(" ".join(["mirror:2x6TB"] * vdevs), clients=clients) for clients in (None, 1))
    assert many["degraded_iops"].typical == pytest.approx(0.5, abs=0.03)
    assert one["degraded_iops"].typical == 0  # it never asks both sides at once
    assert many["degraded_iops"].low < 1 / vdevs
    assert many["degraded_write"].typical == 0


def test_that_flash_reads_from_one_disk_less_and_that_nobody_measured_its_resilver() -> None:
    found, kinds = lost("raidz1:4x4TB", media=Media.NVME), {OriginKind.PREDICTED, OriginKind.ASSUMED}
    assert 0 < found["degraded_read"].typical <= 0.25
    assert {share.origin.kind for share in found.values()} <= kinds
    assert found["rebuild_read"].origin.kind is OriginKind.ASSUMED


@pytest.mark.parametrize("words", ["stripe:4x6TB", "raidz2:8x6TB stripe:1x6TB"])
def test_that_a_pool_that_a_disk_takes_with_it_loses_no_share(words: str) -> None:
    assert lost(words) == {}


@pytest.mark.parametrize(
    "words", ["raidz2:8x6TB", "mirror:2x6TB", "raidz3:11x6TB raidz3:11x6TB", "draid2:8d:2s:24x6TB", "raidz1:4x4TB"]
)
@pytest.mark.parametrize("clients", [None, 1, 40])
@pytest.mark.parametrize("media", Media)
def test_that_a_resilver_costs_no_less_than_the_missing_disk(words: str, clients: int | None, media: Media) -> None:
    found = lost(words, clients=clients, media=media)
    for of in ("read", "write", "iops"):
        out, rebuilt = found[f"degraded_{of}"], found[f"rebuild_{of}"]
        assert 0 <= out.typical <= rebuilt.typical < 1
        assert all(share.low <= share.typical <= share.high < 1 for share in (out, rebuilt))


# The second failure: members that fail and are rebuilt one at a time, drawn disk by disk.


def drawn(
    dice: random.Random, disks: int, survived: int, mean_life: float, mean_repair: float, most: int
) -> Iterable[int]:
    """Yield how many members were failed at a time at most, of so many first failures."""
    for __ in range(most):
        lives = [dice.expovariate(1 / mean_life) for _ in range(disks - 1)]
        clock, failed, worst = 0.0, 1, 1
        while failed and worst <= survived:
            repaired = clock + dice.expovariate(1 / mean_repair)
            if lives and min(lives) < repaired:
                clock = min(lives)
                lives.remove(clock)
                failed, worst = failed + 1, max(worst, failed + 1)
            else:
                clock, failed = repaired, failed - 1
                lives.append(clock + dice.expovariate(1 / mean_life))
        yield worst


@pytest.mark.parametrize(("words", "survived"), [("mirror:2x6TB", 1), ("raidz1:5x6TB", 1), ("raidz2:8x6TB", 2)])
def test_that_the_second_failure_is_as_likely_as_by_a_lottery(words: str, survived: int) -> None:
    rate, hours, tries = 200.0, 100.0, 20_000
    own = RiskConditions(drive=typed_rate(rate), rebuild_hours=hours)
    vdev = yearly_loss(layout(words), own).worst
    played = list(drawn(random.Random(1), vdev.spec.width, survived, 8766 / (rate / 100), hours, tries))
    for found, failed in ((vdev.second_failure, 2), (vdev.lost_meanwhile, survived + 1)):
        assert found is not None
        seen = sum(worst >= failed for worst in played) / tries
        assert found.typical == pytest.approx(seen, abs=4 * (seen / tries) ** 0.5)
        assert found.low <= found.typical <= found.high
    assert vdev.repair is not None
    assert vdev.repair.typical == hours


def test_that_where_nothing_is_rebuilt_nothing_follows() -> None:
    assert yearly_loss(layout("stripe:2x6TB"), RiskConditions(drive=typed_rate(2))).worst.second_failure is None
    never = yearly_loss(layout("raidz1:4x6TB"), RiskConditions(drive=typed_rate(0))).worst.second_failure
    assert never is not None
    assert never.high == 0
