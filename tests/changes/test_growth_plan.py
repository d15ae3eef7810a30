"""Growth as a time line: dates, fill levels, what zfs list prints, what it costs, and where it ends."""

from dataclasses import replace
from datetime import date

import pytest

from poolwright.capacity.pool import predict_design
from poolwright.changes.growth.design import created_pool, grow
from poolwright.changes.growth.plan import CASES, GrowthQuestion, charged_percent, evaluate
from poolwright.domain.design import Design, Member, Vdev
from poolwright.domain.disk import Disk, Media
from poolwright.domain.errors import Refusal
from poolwright.domain.growth import GrowthStep, parse_growth_step
from poolwright.domain.money import Money, money
from poolwright.domain.units import TB
from poolwright.domain.vdev import VdevKind
from poolwright.domain.version import ZfsVersion
from poolwright.predict.rebuild import RebuildConditions, expansion_hours
from poolwright.predict.space import forecast


def eur(amount: int | str) -> Money:
    return money(amount, "EUR")


SIX = 6001175126016
BEGIN = date(2026, 11, 20)
QUESTION = GrowthQuestion(today=BEGIN, used_bytes=15 * TB, growth=20)


def raidz2_of_8(**changes: object) -> Design:
    disks = tuple(
        Disk(key=f"d{n}", by_id=(f"ata-X_{n}",), size_bytes=SIX, media=Media.HDD, price=eur(150)) for n in range(12)
    )
    members = tuple(Member(disk_key=f"d{n}") for n in range(8))
    facts: dict[str, object] = {
        "key": "k",
        "name": "n",
        "pool_name": "tank",
        "disks": disks,
        "vdevs": (Vdev(kind=VdevKind.RAIDZ, parity=2, members=members),),
    }
    return Design(**{**facts, **changes})  # type: ignore[arg-type]


def step(text: str, **changes: object) -> GrowthStep:
    return replace(parse_growth_step(text), **changes)  # type: ignore[arg-type]


def words_of(design: Design, text: str) -> str:
    return " ".join(note.text for note in evaluate(design, [step(text)], QUESTION).stages[1].notes)


def test_that_the_new_pool_is_the_one_the_script_makes() -> None:
    design = raidz2_of_8()
    stage = evaluate(design, (), QUESTION).stages[0]
    assert stage.capacity.available_bytes == predict_design(design).available_bytes
    assert stage.avail_bytes == stage.capacity.available_bytes - 15 * TB
    assert (stage.price, stage.failures_survived) == (eur(1200), 2)


def test_that_a_pool_in_use_is_asked_about_at_the_fill_that_a_step_leaves() -> None:
    asked: list[int | None] = []
    question = replace(QUESTION, predict=lambda design, _: asked.append(design.in_use_percent))  # type: ignore[arg-type, return-value]
    evaluate(raidz2_of_8(in_use_percent=90), [step("add:raidz2:8x6TB on 2027-03")], question)
    assert asked == [90, 45]


def test_that_the_first_date_is_that_of_the_forecast() -> None:
    stage = evaluate(raidz2_of_8(), (), QUESTION).stages[0]
    told = forecast(used_bytes=15 * TB, available_bytes=stage.capacity.available_bytes, growth=20, today=BEGIN)
    assert stage.full_on == told.typical


def test_that_a_step_at_80_percent_begins_when_80_percent_are_reached() -> None:
    plan = evaluate(raidz2_of_8(), [step("attach:6001175126016 at 80%")], QUESTION)
    first, second = plan.stages
    assert second.begins == first.full_on
    assert second.fill_before == pytest.approx(80, abs=0.1)
    assert second.work is not None
    assert second.work.typical > 1
    assert second.capacity.available_bytes > first.capacity.available_bytes
    slow, typical, fast = (plan.used_at(1.0, case) or 0 for case in CASES)
    assert slow < typical < fast


def test_that_after_an_expansion_new_data_are_charged_less_than_they_are() -> None:
    # 128 KiB at ashift 12: 45 sectors on raidz2 of 8 (ratio 364), 42 on 9 (OpenZFS vdev_raidz_asize).
    state = grow(created_pool(raidz2_of_8()), step(f"attach:{SIX}"), 1)
    assert charged_percent(state) == pytest.approx(100 * (42 * 4096 // 512) * 364 / 131072)
    assert charged_percent(created_pool(raidz2_of_8())) == 100
    plan = evaluate(raidz2_of_8(), [step(f"attach:{SIX} at 60%")], QUESTION)
    after = plan.stages[1]
    assert after.rewrite_gain_bytes == pytest.approx((after.used_bytes or 0) * (1 - 0.933), rel=0.01)
    assert any("raidz_expansion" in note.text for note in after.notes)


@pytest.mark.parametrize(
    ("version", "words"), [((2, 3, 3), "needs OpenZFS 2.3.4"), ((2, 3, 4), "rewrite -r"), ((2, 4, 0), "rewrite -P -r")]
)
def test_that_how_to_rewrite_depends_on_the_version(version: tuple[int, int, int], words: str) -> None:
    design = raidz2_of_8(version=ZfsVersion(*version))
    stage = evaluate(design, [step(f"attach:{SIX}")], QUESTION).stages[1]
    assert any(words in note.text for note in stage.notes)


def test_that_steps_in_another_currency_have_no_sum() -> None:
    steps = [step(f"attach:{SIX} on 2027-11-20", price_per_disk=money("50.10", "USD"))]
    assert evaluate(raidz2_of_8(), steps, QUESTION).stages[1].price == money("50.10", "USD")
    assert evaluate(raidz2_of_8(), steps, QUESTION).stages[1].spent is None


def test_that_named_disks_of_the_design_are_used_before_any_is_bought() -> None:
    plan = evaluate(raidz2_of_8(), [step(f"attach:{SIX}", disk_keys=("d9",))], QUESTION)
    assert [disk.key for disk in plan.stages[1].disks] == ["d9"]
    taken = evaluate(raidz2_of_8(), [step(f"attach:{SIX}", disk_keys=("d1",))], QUESTION)
    assert taken.problem is not None
    assert "a member already" in taken.problem.reasons[0]


def test_that_a_disk_of_4096_byte_sectors_does_not_join_a_vdev_of_ashift_9() -> None:
    design = raidz2_of_8(ashift=9)
    native = replace(design.disks[9], logical_sector_bytes=4096)
    design = replace(design, disks=(*design.disks[:9], native, *design.disks[10:]))
    with pytest.raises(Refusal, match="ashift 9"):
        grow(created_pool(design), step(f"attach:{SIX}", disk_keys=("d9",)), 1)


@pytest.mark.parametrize(
    ("like", "version", "asks"),
    [
        ("raidz2:8x6TB", (2, 3, 2), False),
        ("raidz2:6x6TB", (2, 3, 2), True),
        ("raidz2:6x6TB", (2, 4, 0), False),
        ("raidz1:8x6TB", (2, 4, 0), True),
        ("mirror:2x6TB", (2, 3, 2), True),
        ("mirror:2x6TB", (2, 4, 0), True),
        ("stripe:1x6TB", (2, 4, 0), True),
    ],
)
def test_that_a_vdev_of_other_redundancy_is_said_to_need_force(
    like: str, version: tuple[int, int, int], asks: bool
) -> None:
    told = words_of(raidz2_of_8(version=ZfsVersion(*version)), f"add:{like}")
    assert ("zpool add asks for -f" in told) is asks


def test_that_a_stripe_can_be_made_mirrors_disk_by_disk() -> None:
    members = tuple(Member(disk_key=f"d{n}") for n in range(2))
    design = raidz2_of_8(vdevs=(Vdev(kind=VdevKind.STRIPE, members=members),))
    steps = [step(f"attach:{SIX}@1", disk_keys=("d2",)), step(f"attach:{SIX}@2", disk_keys=("d3",))]
    plan = evaluate(design, steps, QUESTION)
    assert [stage.failures_survived for stage in plan.stages] == [0, 0, 1]
    assert len({stage.capacity.available_bytes for stage in plan.stages}) == 1
    grown = plan.stages[-1].grown.design
    assert [(v.kind, len(v.members)) for v in grown.vdevs] == [(VdevKind.MIRROR, 2)] * 2


def test_that_an_expansion_of_a_fuller_or_shingled_pool_takes_longer() -> None:
    def hours(terabytes: int, *, smr: bool = False) -> float:
        how = RebuildConditions(smr=smr)
        return expansion_hours(old_width=8, disk_bytes=16 * TB, allocated_bytes=terabytes * TB, how=how).typical

    assert hours(40) == pytest.approx(2 * hours(20))
    assert hours(20, smr=True) > 10 * hours(20)
    # Each disk reads an eighth and writes a ninth: never quicker than the thesis' scrub of the same bytes.
    assert hours(100) > 100 * TB / 8 / (200e6 * 3600)
