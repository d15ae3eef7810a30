"""How pools grow: plans that take every kind of step, the strategies of some pools, and what is refused."""

from dataclasses import replace
from datetime import date

from tests.changes.test_growth_plan import QUESTION, eur, raidz2_of_8

from poolwright.changes.growth.plan import GrowthPlan, GrowthQuestion, disks_bought, evaluate, strategies, ways
from poolwright.domain.design import Design, Member, Setting, Vdev
from poolwright.domain.growth import parse_growth_step
from poolwright.domain.money import money
from poolwright.domain.units import TB
from poolwright.domain.vdev import VdevClass, VdevKind
from poolwright.domain.version import ZfsVersion
from poolwright.domain.workload import Budget

_PRICED = Budget(price_per_disk=money(130, "EUR"), price_on="2026-11-01", bays=11)


def _vdev(kind: VdevKind, *numbers: int, parity: int = 0, vdev_class: VdevClass = VdevClass.DATA) -> Vdev:
    return Vdev(
        kind=kind, members=tuple(Member(disk_key=f"d{n}") for n in numbers), parity=parity, vdev_class=vdev_class
    )


def _mirrors() -> Design:
    """Return two mirrors, a single disk, a log, a cache and a spare."""
    vdevs = (
        _vdev(VdevKind.MIRROR, 0, 1),
        _vdev(VdevKind.MIRROR, 2, 3, 4),
        _vdev(VdevKind.STRIPE, 5),
        _vdev(VdevKind.STRIPE, 6, vdev_class=VdevClass.LOG),
        _vdev(VdevKind.STRIPE, 7, vdev_class=VdevClass.CACHE),
        _vdev(VdevKind.STRIPE, 8, vdev_class=VdevClass.SPARE),
    )
    return raidz2_of_8(vdevs=vdevs, budget=_PRICED)


def _plan(design: Design, *steps: str, question: GrowthQuestion = QUESTION) -> dict[str, object]:
    read = [parse_growth_step(text) for text in steps]
    priced = [replace(step, price_per_disk=eur(99), note=f"step {n}") for n, step in enumerate(read)]
    plan = evaluate(design, priced, question)
    bought = [str(disks) for stage in plan.stages for disks in disks_bought(stage)]
    return {"plan": plan, "in three years": _told(plan), "bought": bought, "pool": plan.stages[-1].grown.design.vdevs}


def _told(plan: GrowthPlan) -> tuple[object, ...]:
    return plan.used_at(3.0), plan.used_at(3.0, 1.4)


def _next(design: Design, *steps: str, question: GrowthQuestion = QUESTION) -> list[object]:
    plan = evaluate(design, [parse_growth_step(text) for text in steps], question)
    return [[way.steps, way.gain_bytes, way.hours, way.price] for way in ways(plan)]


def grown_answers() -> dict[str, object]:
    old = raidz2_of_8(version=ZfsVersion(2, 3, 1), pool_settings=(Setting(name="compatibility", value="openzfs-2.2"),))
    slow = replace(QUESTION, growth=3)
    fast = replace(QUESTION, growth=60, used_bytes=26 * TB)
    still = GrowthQuestion(today=date(2026, 11, 20))
    spared = replace(raidz2_of_8(), vdevs=(*raidz2_of_8().vdevs, _vdev(VdevKind.STRIPE, 9, vdev_class=VdevClass.SPARE)))
    fixed = replace(QUESTION, autoexpand=False)
    return {
        "a disk, larger disks, a vdev": _plan(
            spared, "attach:6001175126016 at 80%", "replace:12TB at 85%", "add:raidz2:8x8TB on 2030-01-01"
        ),
        "an old version": _plan(old, "attach:6001175126016", "attach:6001175126016 at 90%"),
        "mirrors": _plan(
            _mirrors(),
            "attach:6001175126016@1",
            "detach@2",
            "replace:8TB@1 at 80%",
            "attach:8TB@3",
            "remove@4",
            "add:mirror:2x12TB at 70%",
            "add:log/mirror:2x100GB",
            "remove@2 on 2031-05-05",
        ),
        "without autoexpand": _plan(raidz2_of_8(), "replace:8TB", "expand@1 at 80%", question=fixed),
        "hardly larger": _plan(raidz2_of_8(), "replace:6001200000000"),
        "slowly": _plan(raidz2_of_8(budget=_PRICED), "add:raidz1:3x6TB at 80%", question=slow),
        "full at once": _plan(raidz2_of_8(), "attach:6001175126016 on 2029-01-01", question=fast),
        "nothing told": _plan(raidz2_of_8(), "attach:6001175126016", "replace:8TB", question=still),
        "too small": _plan(raidz2_of_8(), "attach:4TB"),
        "no such vdev": _plan(raidz2_of_8(), "replace:8TB@3"),
        "strategies of a raidz2": strategies(raidz2_of_8(budget=_PRICED), QUESTION, years=4.0),
        "strategies of mirrors": strategies(_mirrors(), slow),
        "strategies in haste": strategies(raidz2_of_8(), fast),
        "next of a raidz2": _next(raidz2_of_8(budget=_PRICED)),
        "next of mirrors": _next(_mirrors()),
        "next of a raidz2 with room": _next(raidz2_of_8(), "replace:8TB", question=fixed),
    }
