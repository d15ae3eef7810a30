"""What is recommended, and what is said of the rest. Mostly without rules: the score alone."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from poolwright.capacity.pool import predict_design, predict_pool
from poolwright.design.assign import Identity, design_of
from poolwright.design.choose import NEAR_WISH, NEARLY_POINTS, order
from poolwright.design.groups import assignment_order
from poolwright.design.recommend import recommend
from poolwright.design.request import LayoutJudge, Request
from poolwright.design.search import Search
from poolwright.design.slots import placed_vdevs
from poolwright.domain.design import Setting
from poolwright.domain.disk import Disk, Health, Media, Use, UseKind
from poolwright.domain.errors import Refusal, UserError
from poolwright.domain.estimate import Origin, OriginKind
from poolwright.domain.finding import Finding, Outcome, Severity
from poolwright.domain.host import Inventory
from poolwright.domain.money import Money, money
from poolwright.domain.pool import Pool
from poolwright.domain.vdev import Layout, VdevClass
from poolwright.domain.version import DEFAULT_VERSION, ZfsVersion
from poolwright.domain.workload import Budget, Goal, Workload
from poolwright.emit.validity import check_design
from poolwright.judging import judge_maker
from poolwright.machine.typed.read import read_typed
from poolwright.rule_library import load_shipped
from poolwright.rules.propose import Proposals


def eur(amount: int | str) -> Money:
    return money(amount, "EUR")


SIX_TB = 6001175126016
TYPED = Origin(kind=OriginKind.TYPED, source="typed")


def disk(number: int, **changes: object) -> Disk:
    facts: dict[str, object] = {
        "key": f"d{number}",
        "path": f"/dev/sd{chr(97 + number % 26)}{number}",
        "size_bytes": SIX_TB,
        "logical_sector_bytes": 512,
        "physical_sector_bytes": 4096,
        "media": Media.HDD,
    }
    return Disk(**{**facts, **changes})  # type: ignore[arg-type]


def named(device: Disk) -> Disk:
    return replace(device, by_id=(f"ata-DISK_{device.key}",))


def disks(count: int, **changes: object) -> tuple[Disk, ...]:
    return tuple(disk(number, **changes) for number in range(count))


def no_rules(request: Request, group: Sequence[Disk], ashift: int) -> LayoutJudge:
    def judge(layout: Layout, numbers: object, places: object) -> tuple[Finding, ...]:
        return ()

    return judge


def request(goal: Goal, group: tuple[Disk, ...], **budget: object) -> Request:
    return Request(disks=group, workload=Workload(goal=goal), budget=Budget(**budget))  # type: ignore[arg-type]


OLD = ZfsVersion(0, 6, 5)


def test_that_equal_pools_are_one_design_with_every_one_of_them() -> None:
    asked = replace(request(Goal.SPEED, disks(44), spares=1), version=OLD)
    best = next(c for c in recommend(asked, no_rules).candidates if c.main.copies == 3)
    machine = Inventory(name="box", origin=TYPED, disks=asked.disks, pools=(Pool(name="tank2"),))
    settings = Proposals(root=(Setting(name="recordsize", value="1M"),))
    identity = Identity(key="k", name="fast")
    design = design_of(best, asked, identity, inventory=machine, properties=(settings,))
    pools = design.pools()
    assert [pool.pool_name for pool in pools] == ["tank", "tank3", "tank4"]
    assert tuple(pool.vdevs for pool in pools) == placed_vdevs(best.pools)
    assert tuple(pool.vdevs for pool in pools[:-1]) != placed_vdevs(best.pools)
    for pool in pools:
        assert [str(pool.spec(vdev)) for vdev in pool.vdevs] == [str(spec) for spec in best.main.layout]
        assert pool.datasets[0].settings == settings.root
    used = [member.disk_key for vdev in design.all_vdevs() for member in vdev.members]
    assert len(used) == len(set(used)) == 44 - best.unassigned
    assert sum(predict_design(pool).available_bytes for pool in pools) == best.measures.usable_bytes
    check_design(replace(design, disks=tuple(named(disk) for disk in design.disks)))


def test_that_a_suspect_disk_is_a_spare_of_equal_pools_and_not_in_a_stripe() -> None:
    group = (*disks(3, health=Health.SUSPECT), *(disk(number) for number in range(3, 44)))
    asked = replace(request(Goal.SPEED, assignment_order(group), spares=1), version=OLD)
    several = next(c for c in recommend(asked, no_rules).candidates if c.main.copies == 3 and c.unassigned == 2)
    design = design_of(several, asked, Identity(key="k", name="fast"))
    data = {m.disk_key for v in design.all_vdevs() if v.vdev_class is VdevClass.DATA for m in v.members}
    assert not data & {"d0", "d1", "d2"}


@pytest.mark.parametrize("goal", list(Goal))
@pytest.mark.parametrize("count", [1, 2, 7, 23])
def test_that_the_terms_add_up_to_the_score_and_the_order_follows_it(goal: Goal, count: int) -> None:
    ranked = recommend(request(goal, disks(count)), no_rules).candidates
    for candidate in ranked:
        assert sum(term.points for term in candidate.terms) == pytest.approx(candidate.score)
        assert 0 <= candidate.score <= 100
        assert all(0 <= term.points <= term.weight for term in candidate.terms if term.weight)
    first, *others = ranked
    assert others == sorted(others, key=order)
    assert order(first)[:3] <= order(others[0])[:3] if others else True
    assert first.score >= max(c.score for c in ranked if bool(c.below) == bool(first.below)) - NEARLY_POINTS


@pytest.mark.parametrize("goal", [Goal.SAFETY, Goal.SPEED])
@pytest.mark.parametrize("count", [23, 36])
def test_that_the_best_draid_or_the_best_without_is_named_beside_the_first_where_it_is_as_good(
    goal: Goal, count: int
) -> None:
    found = recommend(request(goal, disks(count)), no_rules)
    first, *kept = [c for c in found.candidates if not c.below]
    others = [c for c in kept if c.measures.draid is not first.measures.draid]
    best = max(others, key=lambda c: c.score)
    assert (best.score >= first.score - NEARLY_POINTS) is (goal is Goal.SAFETY)
    assert (best in found.as_good) is (goal is Goal.SAFETY)
    assert bool(found.decided_by) is bool(found.as_good)


@pytest.mark.slow
def test_that_a_running_search_shows_the_best_of_what_it_has_found() -> None:
    shown: list[list[float]] = []
    firsts: list[tuple[float, ...]] = []

    def look(search: Search) -> None:
        assert 0 <= search.share <= 1
        if (found := search.so_far()) is not None:
            assert list(found.candidates[1:]) == sorted(found.candidates[1:], key=order)
            firsts.append(min(order(candidate) for candidate in found.candidates))
            shown.append([round(candidate.score, 6) for candidate in found.candidates])

    whole = recommend(request(Goal.SAFETY, disks(44)), no_rules, look)
    assert firsts == sorted(firsts, reverse=True)
    assert max(map(len, shown)) <= 200
    assert len(shown) > 3
    assert shown[-1][:100] == [round(candidate.score, 6) for candidate in whole.candidates[:100]]


def test_that_every_candidate_has_the_capacity_of_its_layout_computed_alone() -> None:
    for candidate in recommend(request(Goal.SAFETY, disks(12)), no_rules).candidates:
        copies = tuple(type(v)(**{f: getattr(v, f) for f in v.__slots__}) for v in candidate.main.layout)
        alone = predict_pool(copies, ashift=12, version=DEFAULT_VERSION)
        assert alone.available_bytes == candidate.main.capacity.available_bytes
        assert alone.available_bytes * candidate.main.copies == candidate.measures.usable_bytes


def test_that_a_refusal_names_the_layout_of_each_family_that_comes_closest() -> None:
    with pytest.raises(Refusal) as caught:
        recommend(request(Goal.SAFETY, disks(12), least_usable_bytes=10**15), no_rules)
    told = {reason.partition(": ")[0]: reason for reason in caught.value.reasons}
    assert "6 × mirror of 2: " in told["mirror of 2"]
    assert "raidz2 of 12: " in told["raidz2"]


@pytest.mark.parametrize(
    ("budget", "reason"),
    [
        ({"bays": 0}, "At most 0 of 12 disks can be used: 0 bays."),
        (
            {"money": eur(5), "price_per_disk": eur(10)},
            "At most 0 of 12 disks can be used: 5.00 EUR buys 0 disks at 10.00 EUR.",
        ),
        ({"spares": 12}, "12 spares of 12 disks leave none for data."),
    ],
)
def test_that_a_refusal_says_what_leaves_too_few_disks(budget: dict[str, object], reason: str) -> None:
    with pytest.raises(Refusal) as caught:
        recommend(request(Goal.SAFETY, disks(12), **budget), no_rules)
    assert caught.value.reasons[0] == reason


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_that_sums_must_be_numbers(value: float) -> None:
    with pytest.raises(UserError, match="out of range"):
        recommend(request(Goal.SAFETY, disks(12), most_rebuild_hours=value), no_rules)


def test_that_a_wish_is_kept_by_every_candidate() -> None:
    wish = request(Goal.CONCURRENT, disks(12), survive=2, spares=1, bays=10, least_usable_bytes=20 * 10**12)
    found = recommend(wish, no_rules)
    assert found.candidates
    for candidate in found.candidates:
        assert candidate.measures.failures_survived >= 2
        assert candidate.spare_count == 1
        assert candidate.used_count <= 10
        assert candidate.measures.usable_bytes >= 20 * 10**12


def test_that_money_without_a_price_is_bad_input() -> None:
    with pytest.raises(UserError, match="price"):
        recommend(request(Goal.SAFETY, disks(4), money=eur(1000)), no_rules)


def test_that_money_limits_the_disks_and_the_cost_is_told() -> None:
    found = recommend(request(Goal.SAFETY, disks(12), money=eur(1000), price_per_disk=eur(150)), no_rules)
    assert all(c.used_count <= 6 for c in found.candidates)
    assert found.best.cost == eur(150) * found.best.used_count


def test_that_disks_in_use_or_failing_are_left_out_with_the_reason() -> None:
    group = (
        *disks(4),
        disk(4, uses=(Use(kind=UseKind.MOUNTED, detail="/srv"),)),
        disk(5, health=Health.FAILING),
        disk(6, size_bytes=None),
    )
    found = recommend(request(Goal.SAFETY, group), no_rules)
    assert found.best.used_count <= 4
    text = " ".join(note.text for note in found.notes)
    assert "mounted: /srv" in text
    assert "failing" in text
    assert "size is unknown" in text


def test_that_disks_whose_use_nobody_looked_at_are_recommended_with_a_warning() -> None:
    notes = recommend(request(Goal.SAFETY, (*disks(3, use_known=False), disk(4))), no_rules).notes
    assert any("What uses 3 of 4 disks is not known" in note.text for note in notes)
    assert not any("is not known" in note.text for note in recommend(request(Goal.SAFETY, disks(4)), no_rules).notes)


def test_that_equal_disks_are_assigned_by_slot_and_then_by_name() -> None:
    slots = ["2:0:10:0", "2:0:9:0", None, None]
    paths = ["/dev/sda", "/dev/sdb", "/dev/sdaa", "/dev/sdc"]
    group = tuple(disk(n, path=path, slot=slot) for n, (path, slot) in enumerate(zip(paths, slots, strict=True)))
    assert [d.path for d in assignment_order(group)] == ["/dev/sdc", "/dev/sdaa", "/dev/sdb", "/dev/sda"]


def test_that_no_usable_disk_is_refused() -> None:
    with pytest.raises(Refusal, match="No disk"):
        recommend(request(Goal.SAFETY, ()), no_rules)


def test_that_a_rule_that_blocks_takes_a_layout_out_and_is_named() -> None:
    def no_raidz(asked: Request, group: Sequence[Disk], ashift: int) -> LayoutJudge:
        def judge(layout: Layout, numbers: object, places: object) -> tuple[Finding, ...]:
            if not layout[0].word.startswith("raidz"):
                return ()
            return (
                Finding(
                    rule_id="test.no-raidz",
                    title="No raidz",
                    severity=Severity.BLOCK,
                    basis="convention",
                    subject="pool",
                    outcome=Outcome.VIOLATED,
                    text="There is a raidz.",
                ),
            )

        return judge

    found = recommend(request(Goal.SAFETY, disks(12)), no_raidz)
    assert all("raidz" not in c.family for c in found.candidates)
    blocked = next(r for r in found.rejected if r.family == "raidz2")
    assert (blocked.rule_id, blocked.feasible) == ("test.no-raidz", False)


@pytest.mark.parametrize(
    ("logical", "physical", "ashift"),
    [(512, 512, 12), (512, 4096, 12), (4096, 4096, 12), (512, 8192, 13), (512, None, 12), (None, None, 12)],
)
def test_that_ashift_is_never_below_12_and_follows_larger_sectors(
    logical: int | None, physical: int | None, ashift: int
) -> None:
    group = disks(4, logical_sector_bytes=logical, physical_sector_bytes=physical)
    assert recommend(request(Goal.SAFETY, group), no_rules).ashift == ashift


def test_that_a_candidate_becomes_a_design_with_each_disk_in_one_place() -> None:
    group = (*disks(11), disk(11, health=Health.SUSPECT))
    asked = request(Goal.SAFETY, group, spares=1)
    best = next(c for c in recommend(asked, no_rules).candidates if c.family == "raidz2")
    design = design_of(best, asked, Identity(key="k", name="n"))
    placed = [member.disk_key for vdev in design.vdevs for member in vdev.members]
    assert len(placed) == len(set(placed)) == best.used_count
    assert len(design.disks) - len(design.used_keys()) == 12 - len(placed)
    assert design.layout() == best.main.layout
    assert predict_design(design).available_bytes == best.main.capacity.available_bytes
    spare = next(vdev for vdev in design.vdevs if vdev.vdev_class is VdevClass.SPARE)
    assert spare.members[0].disk_key == "d11"  # the suspect disk holds no data


def test_that_where_no_layout_meets_a_wish_those_that_miss_it_by_hardly_more_come_in_order_of_their_score() -> None:
    asked = replace(request(Goal.SAFETY, disks(24)), budget=Budget(least_usable_bytes=125 * 10**12))
    found = recommend(asked, no_rules).candidates
    short = [c for c in found if not c.below]
    assert all(c.missed for c in short)
    least = min(c.missing_share for c in short)
    near = [c for c in short if c.missing_share <= least + NEAR_WISH]
    assert set(map(id, short[: len(near)])) == set(map(id, near))
    shares = [round(c.missing_share, 6) for c in short[len(near) :]]
    assert len(near) > 1
    assert shares == sorted(shares)
    assert len(shares) > 1
    assert len(set(map(id, short))) == len(short)


def test_that_a_family_with_a_layout_is_told_as_feasible_beside_the_first_choice() -> None:
    found = recommend(request(Goal.SAFETY, disks(12)), no_rules)
    told = {r.family: r for r in found.rejected}
    assert set(told) == {c.family for c in found.candidates} - {found.best.family} | {
        r.family for r in found.rejected if not r.feasible
    }
    for rejected in found.rejected:
        assert rejected.feasible is bool(rejected.layout) is ("best is" in rejected.reason)


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("10 x 4TB ssd + 10 x 4TB hdd", "5 × mirror of 2 (4 TB SSD)"),
        ("6 x 4TB hdd + 6 x 3.84TB ssd", "3 × mirror of 2 (3.84 TB SSD)"),
        ("6 x 8TB hdd + 10 x 7.68TB ssd", "5 × mirror of 2"),
        # Too small for the data: what it is worth beside the pool is said with its roles.
        ("8 x 8TB hdd + 2 x 1TB nvme", "4 × mirror of 2"),
    ],
)
def test_that_many_clients_get_the_flash_that_could_hold_their_data(typed: str, words: str) -> None:
    disks = read_typed([typed]).disks
    found = recommend(Request(disks=disks, workload=Workload(goal=Goal.CONCURRENT)), judge_maker(load_shipped()))
    assert found.best.words == words
    assert not found.as_good
    slow = next(c for c in found.candidates if c.main.disks[0].media is Media.HDD)
    told = next(term.why for term in slow.terms if term.name == "reads")
    assert ("the faster drives alone" in told) is (slow is not found.best)


# Disks that are left out for one reason share one note, however many they are.


def test_that_twenty_disks_with_repeated_serials_are_one_note() -> None:
    machine = disks(44)
    twins = tuple(replace(disk, serial=f"TWIN{number // 2}") for number, disk in enumerate(machine[:20]))
    notes = recommend(request(Goal.SAFETY, (*twins, *machine[20:])), no_rules).notes
    told = [note.text for note in notes if "left out" in note.text]
    first = ", ".join(disk.label for disk in machine[:3])
    why = "another disk has its serial number TWIN0, TWIN1, TWIN2 and 7 more too; it may be one disk seen twice"
    assert told == [f"20 disks are left out ({first} and 17 more): {why}."]


def test_that_a_disk_that_is_left_out_alone_is_named() -> None:
    first, *others = disks(12)
    notes = recommend(request(Goal.SAFETY, (replace(first, health=Health.FAILING), *others)), no_rules).notes
    assert f"{first.label} is left out: it reports that it is failing." in [note.text for note in notes]
