"""What becomes of a pool when disks, shelves or controllers are gone: against OpenZFS and against every set."""

from dataclasses import replace
from datetime import date
from itertools import combinations
from pathlib import Path

import pytest

from poolwright.design.blast import Losses, State, pool_outcome, unit_outcomes
from poolwright.design.evaluate import evaluate, judge_pools, numbers_of
from poolwright.domain.design import Design, Member, Vdev
from poolwright.domain.disk import Disk, Media
from poolwright.domain.finding import Outcome
from poolwright.domain.outage import UnitKind, deadly_units, survives
from poolwright.domain.units import TB
from poolwright.domain.vdev import VdevClass, VdevKind, parse_spec
from poolwright.rule_library import load_rules
from poolwright.rules.rulebook import RuleBook
from poolwright.table_library import load_drive_book

OUTAGES = Path(__file__).with_name("outages-of-our-machine.tsv")
_STATES = {"ONLINE": State.ONLINE, "DEGRADED": State.DEGRADED, "UNAVAIL": State.LOST, "FAULTED": State.LOST}


def design_of(*specs: str, **changes: object) -> Design:
    """Return a design of these vdevs; disk d0 is the first member of the first vdev, and so on."""
    vdevs, number = [], 0
    for text in specs:
        spec = parse_spec(text)
        members = tuple(Member(disk_key=f"d{number + n}") for n in range(spec.width))
        number += spec.width
        vdevs.append(
            Vdev(
                kind=spec.kind,
                members=members,
                parity=spec.parity,
                vdev_class=spec.vdev_class,
                draid_data=spec.draid_data,
                draid_spares=spec.draid_spares,
            )
        )
    facts: dict[str, object] = {
        "key": "k",
        "name": "n",
        "pool_name": "tank",
        "vdevs": tuple(vdevs),
        "disks": tuple(Disk(key=f"d{n}", path=f"/b/f{n}", size_bytes=10**12) for n in range(number)),
    }
    return Design(**{**facts, **changes})  # type: ignore[arg-type]


def outages() -> list[tuple[str, str, str, str, str]]:
    """Return what OpenZFS 2.3.2 said: layout, lost members, state, how it could be imported, states of vdevs."""
    rows = [line.split("\t") for line in OUTAGES.read_text("utf-8").splitlines() if not line.startswith("#")]
    return [(row[0], row[1], row[2], row[3], row[4]) for row in rows[1:]]


@pytest.mark.parametrize(("layout", "lost", "state", "imports", "tops"), outages())
def test_that_the_outcome_is_what_openzfs_says(layout: str, lost: str, state: str, imports: str, tops: str) -> None:
    design = design_of(*(spec.rpartition(":")[0] + ":" + spec.rpartition(":")[2] + "x1T" for spec in layout.split(";")))
    pool = pool_outcome(design, {f"d{n}" for n in lost.split(",")}).pools[0]
    assert pool.state is _STATES[state]
    assert (pool.state is State.LOST) == (imports == "refused")
    dead_logs = [v for v in pool.vdevs if v.vdev_class is VdevClass.LOG and v.state is State.LOST]
    assert bool(dead_logs) == (imports == "-m") or pool.state is State.LOST
    told = {v.name: v.state for v in pool.vdevs}
    for name, said in (top.split("=") for top in tops.split(" ") if top):
        if said in _STATES:
            assert told[name] is _STATES[said], name


@pytest.mark.parametrize(
    "specs",
    [
        ("raidz2:5x1T", "mirror:2x1T"),
        ("raidz1:3x1T", "special/mirror:3x1T", "log/stripe:1x1T"),
        ("draid1:2d:1s:5x1T", "stripe:1x1T"),
        ("mirror:3x1T", "mirror:3x1T", "cache/stripe:1x1T"),
    ],
)
def test_that_the_failures_still_borne_are_those_of_every_further_set(specs: tuple[str, ...]) -> None:
    design = design_of(*specs)
    keys = sorted(design.used_keys())
    for lost in ((), *combinations(keys, 1), *combinations(keys, 2)):
        pool = pool_outcome(design, lost).pools[0]
        if not survives(design.vdevs, frozenset(lost)):
            assert (pool.state, pool.bears_more) == (State.LOST, None)
            continue
        rest = [key for key in keys if key not in lost]
        borne = 0
        while all(survives(design.vdevs, frozenset(lost + more)) for more in combinations(rest, borne + 1)):
            borne += 1
        assert pool.bears_more == borne


def test_that_a_disk_with_two_partitions_in_a_vdev_takes_two_members() -> None:
    members = tuple(
        Member(disk_key=key, slice_bytes=10**11, part=part)
        for key, part in (("a", 1), ("a", 2), ("b", 1), ("c", 1), ("d", 1))
    )
    vdev = Vdev(kind=VdevKind.RAIDZ, parity=2, members=members)
    disks = tuple(Disk(key=key, size_bytes=10**12) for key in "abcd")
    design = Design(key="k", name="n", pool_name="tank", vdevs=(vdev,), disks=disks)
    whole = pool_outcome(design, ()).pools[0]
    assert whole.bears_more == 1
    assert pool_outcome(design, {"a"}).pools[0].bears_more == 0
    assert pool_outcome(design, {"b", "c"}).state is State.DEGRADED
    assert pool_outcome(design, {"a", "b"}).state is State.LOST


def test_that_every_known_shelf_and_controller_is_asked() -> None:
    disks = tuple(
        Disk(key=f"d{n}", size_bytes=10**12, enclosure=f"shelf {n % 2}", controller=f"hba {n // 2}") for n in range(4)
    )
    design = design_of("mirror:2x1T", "mirror:2x1T", disks=disks)
    states = {str(found.unit): found.blast.state for found in unit_outcomes(design)}
    assert states == {
        "enclosure shelf 0": State.DEGRADED,
        "enclosure shelf 1": State.DEGRADED,
        "controller hba 0": State.SUSPENDED,
        "controller hba 1": State.SUSPENDED,
    }
    assert deadly_units(design, UnitKind.ENCLOSURE) == ()
    assert [unit.name for unit in deadly_units(design, UnitKind.CONTROLLER)] == ["hba 0", "hba 1"]


def test_that_a_shelf_with_one_disk_of_the_pool_is_no_more_than_that_disk() -> None:
    disks = tuple(Disk(key=f"d{n}", size_bytes=10**12, enclosure=f"shelf {n % 2}") for n in range(6))
    assert deadly_units(design_of("stripe:1x1T", "stripe:1x1T", disks=disks), UnitKind.ENCLOSURE) == ()
    assert (
        len(deadly_units(design_of("stripe:1x1T", "stripe:1x1T", "stripe:1x1T", disks=disks), UnitKind.ENCLOSURE)) == 1
    )


def test_that_a_single_shelf_is_nothing_to_spread_over() -> None:
    disks = tuple(Disk(key=f"d{n}", size_bytes=10**12, enclosure="only") for n in range(2))
    assert deadly_units(design_of("mirror:2x1T", disks=disks), UnitKind.ENCLOSURE) == ()


def test_that_many_losses_of_one_design_are_answered_as_one_by_one() -> None:
    design = design_of("mirror:2x1T", "raidz2:5x1T", "stripe:2x1T")
    losses = Losses(design)
    keys = [disk.key for disk in design.disks]
    for lost in (set(), {keys[0]}, set(keys[:2]), set(keys[3:6]), set(keys), {"no disk of it"}):
        assert losses.of(lost) == pool_outcome(design, lost)
    assert [v.name for v in losses.of({keys[0]}).pools[0].vdevs if v.missing] == ["mirror-2"]
    assert losses.of(()).pools[0].state is State.ONLINE


# What is known of a design: the numbers first, then the same with predictions and findings.

KEYS = tuple(f"d{n}" for n in range(6))


@pytest.fixture(scope="module")
def book() -> RuleBook:
    return load_rules(with_own=False)


def design(keys: tuple[str, ...] = KEYS, size_bytes: int | None = 8 * TB) -> Design:
    disks = tuple(Disk(key=key, media=Media.HDD, size_bytes=size_bytes) for key in KEYS)
    vdev = Vdev(kind=VdevKind.RAIDZ, parity=2, members=tuple(Member(disk_key=key) for key in keys))
    return Design(key="one", name="one", pool_name="tank", disks=disks, vdevs=(vdev,))


def test_that_the_numbers_are_there_at_once_and_stay_when_predictions_and_findings_join_them(book: RuleBook) -> None:
    numbers = numbers_of(design())
    assert (numbers.survived, numbers.disks_used, numbers.findings) == (2, 6, None)
    whole = judge_pools(numbers, book)
    assert whole.usable_bytes == numbers.usable_bytes
    assert whole.survived == 2
    assert whole.findings


def test_that_window_and_report_find_the_same_of_a_design(book: RuleBook) -> None:
    report = evaluate(design(), drives=load_drive_book(), today=date(2026, 11, 2), rules=book)
    predicted = {report.main.design.pool_name: report.main.expected}
    window = judge_pools(numbers_of(design()), book, 0, lambda pool, _capacity, _among: predicted[pool.pool_name])
    assert window == replace(report, cost=None, survives_two=None, survives_three=None)


def test_that_a_disk_that_holds_two_members_counts_as_both_wherever_failures_are_told(book: RuleBook) -> None:
    twice = judge_pools(numbers_of(design((*KEYS[:5], KEYS[0]))), book)
    assert (twice.survived, twice.main.survived) == (1, 1)


def test_that_of_a_disk_without_a_size_the_failures_are_known_and_the_rest_has_its_reason(book: RuleBook) -> None:
    found = judge_pools(numbers_of(design(size_bytes=None)), book)
    assert (found.survived, found.capacity, found.findings) == (2, None, None)
    assert "size" in found.problem
    assert not [f for f in found.findings or () if f.outcome is Outcome.VIOLATED]
