"""Vdevs of unlike disks: each fails and is rebuilt as its own members do, whatever stands beside it."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from math import prod

import pytest
from tests.design.side_by_side import one_vdev
from tests.predict.test_md_raid import expected_of

from poolwright.domain.design import Design, Member, Vdev
from poolwright.domain.disk import Disk, Media
from poolwright.domain.units import TB
from poolwright.domain.vdev import VdevClass, VdevKind
from poolwright.predict.assessment import Assessment, assess
from poolwright.predict.assumptions import Assumptions
from poolwright.predict.drives import typed_rate
from poolwright.predict.montecarlo import simulate
from poolwright.predict.reliability import Risk, yearly_loss
from poolwright.predict.risk_conditions import RiskConditions, design_conditions, mean_rate, rebuild_conditions
from poolwright.table_library import load_drive_book

BOOK = load_drive_book()
# Of one size, that fail at 1.5, 4.7 and 5.9 per cent a year or so (drive_afr.csv).
ONE, OTHER, WORST = "ST8000VN004", "ST8000DM002", "ST14000NM0138"


def of(count: int, model: str | None = ONE, **what: object) -> list[Disk]:
    disk = Disk(key="", model=model, media=Media.HDD, size_bytes=8 * TB)
    return [replace(disk, **what) for _ in range(count)]  # type: ignore[arg-type]


def design(*vdevs: tuple[VdevKind, int, Sequence[Disk]], support: Sequence[Sequence[Disk]] = ()) -> Design:
    """Return a pool of vdevs of (kind, parity, disks) and special mirrors of ``support``."""
    disks: list[Disk] = []

    def members(own: Sequence[Disk]) -> tuple[Member, ...]:
        named = [replace(disk, key=f"d{len(disks) + at}") for at, disk in enumerate(own)]
        disks.extend(named)
        return tuple(Member(disk_key=disk.key) for disk in named)

    made = [Vdev(kind=kind, parity=parity, members=members(own)) for kind, parity, own in vdevs]
    made += [Vdev(kind=VdevKind.MIRROR, vdev_class=VdevClass.SPECIAL, members=members(own)) for own in support]
    return Design(key="k", name="n", pool_name="tank", disks=tuple(disks), vdevs=tuple(made))


def risk_of(pool: Design) -> Risk:
    return yearly_loss(pool.layout(), design_conditions(pool, BOOK))


def expected(pool: Design, assumed: Assumptions | None = None) -> Assessment:
    return assess(pool, None, BOOK, assumed or Assumptions(), today=date(2026, 1, 1))


def bare(own: Sequence[Disk]) -> tuple[VdevKind, int, Sequence[Disk]]:
    return VdevKind.STRIPE, 0, own


def raidz2(own: Sequence[Disk]) -> tuple[VdevKind, int, Sequence[Disk]]:
    return VdevKind.RAIDZ, 2, own


def mirror(own: Sequence[Disk]) -> tuple[VdevKind, int, Sequence[Disk]]:
    return VdevKind.MIRROR, 0, own


def alone(pool: Design, number: int) -> float:
    """Return the loss by failing disks of one of the vdevs were it a data vdev with its members and no other."""
    vdev = replace(pool.vdevs[number], vdev_class=VdevClass.DATA)
    disks = [pool.disk(member.disk_key) for member in vdev.members]
    conditions = RiskConditions(drive=mean_rate(disks, BOOK), rebuild=rebuild_conditions(disks), causes=BOOK.causes)
    return yearly_loss((pool.spec(vdev),), conditions).disk_probability


def test_that_a_bare_disk_decides_whatever_stands_beside_it() -> None:
    lone = [risk_of(design(raidz2(beside), bare(of(1)))) for beside in (of(4), of(4, WORST), of(6, "ST16000NM001G"))]
    for risk in lone:
        assert risk.disk_probability == pytest.approx(lone[0].disk_probability, rel=1e-3)
        assert risk.worst.drive == BOOK.rate(ONE)
        assert [vdev.drive.typical for vdev, _ in risk.vdevs if vdev.spec.kind is VdevKind.STRIPE] == [
            BOOK.rate(ONE).typical
        ]


UNLIKE = {
    "a bare disk": design(raidz2(of(4)), bare(of(1, OTHER))),
    "two models in a vdev": design(mirror([*of(1), *of(1, OTHER)]), mirror(of(2)), raidz2([*of(3, WORST), *of(3)])),
    "equal vdevs apart": design(mirror(of(2)), mirror(of(2, WORST)), mirror(of(2))),
    "a stripe": design(bare([*of(2), *of(1, WORST), *of(1)]), mirror(of(2))),
    "typed rates": design(mirror(of(2, None, afr_percent=0.3)), mirror(of(2, None, afr_percent=9.0))),
    "special": design(
        mirror(of(2)),
        support=(of(2, None, media=Media.SSD, afr_percent=0.5), of(2, None, media=Media.NVME, afr_percent=4.0)),
    ),
    "shingled beside": design(raidz2(of(4)), raidz2(of(4, smr=True))),
    "slow beside": design(mirror(of(2, write_bytes_per_second=20_000_000)), mirror(of(2))),
}  # fmt: skip


@pytest.mark.parametrize("name", UNLIKE)
def test_that_a_pool_is_kept_when_each_vdev_is_by_itself(name: str) -> None:
    pool = UNLIKE[name]
    each: list[float] = []
    for number, vdev in enumerate(pool.vdevs):
        if vdev.kind is VdevKind.STRIPE:
            singles = [replace(vdev, members=(member,)) for member in vdev.members]
            each += [alone(replace(pool, vdevs=(single,)), 0) for single in singles]
        else:
            each.append(alone(pool, number))
    risk = risk_of(pool)
    assert risk.disk_probability == pytest.approx(1 - prod(1 - loss for loss in each), rel=1e-9)
    assert risk.disk_loss.typical == pytest.approx(risk.disk_probability, rel=1e-9)
    assert risk.disk_loss.low <= risk.disk_probability <= risk.disk_loss.high
    assert risk.loss.typical == pytest.approx(risk.probability, rel=1e-9)
    assert expected(pool).risk.disk_probability == pytest.approx(risk.disk_probability, rel=0.2)


def test_that_a_simulation_plays_each_vdev_with_its_own_disks() -> None:
    quick, slow = of(2, None, afr_percent=1.0), of(2, None, afr_percent=60.0)
    pool = design(mirror(quick), mirror(slow), raidz2([*of(3, None, afr_percent=50.0), *of(1)]), bare(quick[:1]))
    risk = yearly_loss(pool.layout(), replace(design_conditions(pool, BOOK), rebuild_hours=200.0))
    played = simulate(risk.hazards, pool_years=200_000, seed=3)
    low, high = played.lost.interval(z=3)
    assert low <= risk.disk_probability <= high
    assert high - low < 0.1 * risk.disk_probability


def test_that_a_shingled_vdev_does_not_slow_the_rebuild_of_another() -> None:
    pool = design(raidz2(of(4)), raidz2(of(4, smr=True)))
    usual, shingled = (vdev.repairs.rebuild for vdev, _ in risk_of(pool).vdevs)
    (own, _), *_ = risk_of(design(raidz2(of(4)))).vdevs
    assert usual is not None
    assert shingled is not None
    assert usual == own.repairs.rebuild
    assert shingled.typical > 3 * usual.typical
    found = expected(pool)
    assert found.rebuild_hours(pool.layout()[0]) == found.rebuild.typical  # type: ignore[union-attr]


def test_that_flash_beside_hard_disks_is_read_as_flash() -> None:
    conditions = design_conditions(design(bare(of(1)), bare(of(1, None, media=Media.SSD))), BOOK)
    errors = [own.errors_per_bit(spec) for spec, own in conditions.by_vdev(design(bare(of(1)), bare(of(1))).layout())]
    assert errors == [1e-15, 1e-17]


def test_that_equal_vdevs_have_conditions_of_all() -> None:
    for pool in (design(mirror(of(2)), mirror(of(2))), design(mirror([*of(1), *of(1, OTHER)]), support=(of(2), of(2)))):
        conditions = design_conditions(pool, BOOK)
        assert not conditions.of_data
        assert not conditions.of_support


def test_that_what_is_typed_for_all_disks_holds_for_every_vdev() -> None:
    pool = design(raidz2(of(4, smr=True)), bare(of(1, OTHER)))
    found = expected(pool, Assumptions(afr_percent=2.0, fill_percent=30, load_percent=20))
    assert {vdev.drive for vdev, _ in found.risk.vdevs} == {typed_rate(2.0)}
    (raidz, _), (lone, _) = found.risk.vdevs
    for vdev in (raidz, lone):
        how = vdev.conditions.rebuild_of(vdev.spec)
        assert (how.fill_percent, how.load_percent) == (30.0, 20.0)
    assert raidz.conditions.rebuild.smr
    assert not lone.conditions.rebuild.smr


def test_that_slices_keep_the_rates_of_their_own_disks() -> None:
    """Two vdevs on slices of the same good disks, and a bare bad disk beside them."""
    disks = (*(replace(disk, key=f"g{n}") for n, disk in enumerate(of(3))), replace(of(1, WORST)[0], key="bad"))

    def slices(part: int) -> tuple[Member, ...]:
        return tuple(Member(disk_key=f"g{n}", slice_bytes=2 * TB, part=part) for n in range(3))

    pool = Design(
        key="k", name="n", pool_name="tank", disks=disks,
        vdevs=(
            Vdev(kind=VdevKind.STRIPE, members=(Member(disk_key="bad"),)),
            Vdev(kind=VdevKind.MIRROR, members=slices(1)), Vdev(kind=VdevKind.RAIDZ, parity=1, members=slices(2)),
        ),
    )  # fmt: skip
    rates = {vdev.spec.kind: vdev.drive for vdev, _ in expected(pool).risk.vdevs}
    assert rates == {
        VdevKind.STRIPE: BOOK.rate(WORST), VdevKind.MIRROR: BOOK.rate(ONE), VdevKind.RAIDZ: BOOK.rate(ONE),
    }  # fmt: skip


def test_that_a_disk_is_scrubbed_and_rebuilt_for_one_vdev_after_the_other_that_it_serves() -> None:
    whole = one_vdev()
    (vdev,) = whole.vdevs
    size = whole.disks[0].size_bytes
    assert size is not None
    thirds = [
        replace(vdev, members=tuple(replace(m, slice_bytes=size // 3, part=part) for m in vdev.members))
        for part in (1, 2, 3)
    ]
    scrub = expected_of(whole).scrub
    for parts in (1, 2, 3):
        found = expected_of(replace(whole, vdevs=tuple(thirds[:parts])))
        assert found.rebuild_hours(found.layout[0]) > 0.999 * found.rebuild.typical  # type: ignore[operator, union-attr]
        for name in ("low", "typical", "high"):
            assert getattr(found.scrub, name) == pytest.approx(getattr(scrub, name) * parts / 3, rel=1e-6)
