"""Disks of several sizes: what is packed how, what is stranded, and what the documents conclude."""

from dataclasses import replace

import pytest
from tests.design.test_recommend import disk, disks, no_rules, request

from poolwright import paths
from poolwright.capacity.pool import predict_design
from poolwright.design.answers import trade_off
from poolwright.design.assign import Identity, design_of
from poolwright.design.candidate import AnswerName, Candidate, Recommendation, survivors
from poolwright.design.equal_layouts import SEVERAL_KINDS, family_of
from poolwright.design.evaluate import unassigned_of
from poolwright.design.floors import FEW_DISKS, Floor
from poolwright.design.groups import Packing
from poolwright.design.plan import Purpose
from poolwright.design.recommend import recommend
from poolwright.design.request import Request
from poolwright.domain.design import Design
from poolwright.domain.disk import Disk, Media
from poolwright.domain.reserve import sliceable_bytes
from poolwright.domain.units import MIB, TB
from poolwright.domain.vdev import VdevClass, VdevKind
from poolwright.domain.workload import Allowance, Budget, Goal, Workload
from poolwright.judging import judge_maker
from poolwright.machine.examples import example_file, load_example
from poolwright.machine.typed.read import read_typed
from poolwright.rule_library import load_shipped

TWO_TB, THREE_TB = 2000398934016, 3000592982016


def macblog(*, third: bool = False) -> Request:
    text = (paths.resources_folder() / "machines" / example_file("macblog")).read_text(encoding="utf-8")
    inventory = load_example("macblog", text)
    large = next(d for d in inventory.disks if d.size_bytes == THREE_TB)
    more = (replace(large, key="third", serial="EXAMPLEM9", by_id=("ata-WDC_WD30EZRS_9",)),) if third else ()
    return Request(disks=(*inventory.disks, *more), workload=Workload(goal=Goal.SAFETY), host=inventory.host)


@pytest.fixture(scope="module")
def blog() -> Recommendation:
    return recommend(macblog(), judge_maker(load_shipped()))


def mixed(*groups: tuple[int, int]) -> tuple[Disk, ...]:
    """Return ``count`` disks of ``size`` for each pair."""
    return tuple(
        disk(100 * at + number, size_bytes=size) for at, (count, size) in enumerate(groups) for number in range(count)
    )


def designed(candidate: Candidate, asked: Request) -> Design:
    return design_of(candidate, asked, Identity(key="k", name="n"))


def raidz2(found: Recommendation, way: Packing, width: int) -> Candidate:
    """Return the best layout that is packed so and begins with a raidz2 of so many disks or partitions."""
    begun = ((c, c.main.layout[0]) for c in found.candidates if c.way is way)
    return next(c for c, vdev in begun if (vdev.word, vdev.width) == ("raidz2", width))


def test_that_the_blogs_five_disks_can_become_raidz2_of_2_tb_partitions_and_a_pool_of_the_rest(
    blog: Recommendation,
) -> None:
    best = raidz2(blog, Packing.LAYERED, 5)
    assert blog.ashift == 12
    (main,) = best.main.layout
    assert (main.word, main.width, set(main.sizes)) == ("raidz2", 5, {sliceable_bytes(TWO_TB)})
    (rest,) = best.further
    (mirror,) = rest.layout
    assert (mirror.word, mirror.width) == ("mirror", 2)
    assert set(mirror.sizes) == {sliceable_bytes(THREE_TB) - sliceable_bytes(TWO_TB)}
    assert best.main.plan.failures_survived == 2
    assert best.measures.failures_survived == 1  # of the two large disks the second takes the small pool with it


def test_that_the_blogs_whole_disks_come_first_with_what_they_strand(blog: Recommendation) -> None:
    whole, cut = blog.best, raidz2(blog, Packing.LAYERED, 5)
    assert (whole.way, whole.main.layout[0].word, whole.main.layout[0].width) == (Packing.CUT, "raidz2", 5)
    assert whole.stranded_bytes == 2 * (THREE_TB - TWO_TB)
    assert whole.measures.usable_bytes < cut.measures.usable_bytes
    assert cut.stranded_bytes < 20 * MIB
    assert Floor.PARTITIONS in cut.below


@pytest.mark.slow
def test_that_a_layout_of_vdevs_of_several_kinds_is_of_no_one_family(blog: Recommendation) -> None:
    for candidate in blog.candidates:
        data = [spec for spec in candidate.pools[0].layout if spec.vdev_class is VdevClass.DATA]
        families = {family_of(spec.kind, spec.parity, spec.width) for spec in data}
        assert {candidate.family} == (families if len(families) == 1 else {SEVERAL_KINDS}), candidate.words


def test_that_with_the_third_large_disk_the_blog_gets_its_six_partitions_where_it_asks_for_their_space() -> None:
    asked = macblog(third=True)
    whole = recommend(asked, judge_maker(load_shipped())).best
    assert (whole.way, whole.main.layout[0].word, whole.main.layout[0].width) == (Packing.CUT, "raidz2", 6)
    most = whole.measures.usable_bytes
    wish = replace(asked.budget, least_usable_bytes=most + TB // 2, allow=(Allowance.PARTITIONS,))
    best = recommend(replace(asked, budget=wish), judge_maker(load_shipped())).best
    assert best.way is Packing.LAYERED
    assert (best.main.layout[0].word, best.main.layout[0].width) == ("raidz2", 6)
    assert [spec.width for spec in best.further[0].layout] == [3]


def test_that_partitions_become_members_in_order_on_their_disks(blog: Recommendation) -> None:
    design = designed(raidz2(blog, Packing.LAYERED, 5), macblog())
    (rest,) = design.further_pools
    assert rest.purpose == "what is left over of the larger disks"
    large = {d.key for d in design.disks if d.size_bytes == THREE_TB}
    assert {m.disk_key for v in design.vdevs for m in v.members if m.part == 1} == {d.key for d in design.disks}
    assert {(m.disk_key, m.part) for v in rest.vdevs for m in v.members} == {(key, 2) for key in large}
    for one in design.disks:
        cut = [m.slice_bytes or 0 for v in design.all_vdevs() for m in v.members if m.disk_key == one.key]
        assert all(size % MIB == 0 for size in cut)
        assert sum(cut) <= sliceable_bytes(one.size_bytes or 0)


@pytest.mark.slow
@pytest.mark.parametrize("goal", list(Goal))
@pytest.mark.parametrize("group", [((2, THREE_TB), (3, TWO_TB)), ((4, 8 * TB), (5, 6 * TB), (4, 4 * TB))])
def test_that_every_packing_places_each_disk_once_and_has_the_space_of_its_design(
    goal: Goal, group: tuple[tuple[int, int], ...]
) -> None:
    asked = request(goal, mixed(*group))
    found = recommend(asked, no_rules).candidates
    # Slices on one disk share its heads: for many clients nothing stacked is among what is listed.
    assert {c.way for c in found} >= set(Packing) - ({Packing.STACKED} if goal is Goal.CONCURRENT else set())
    for candidate in found[:: max(1, len(found) // 60)]:
        design = designed(candidate, asked)
        pools = design.pools()
        assert [p.layout() for p in pools] == [p.layout for p in candidate.pools]
        spaces = [predict_design(p).available_bytes for p in pools]
        assert spaces == [p.capacity.available_bytes for p in candidate.pools]
        assert sum(spaces) + (candidate.main.copies - 1) * spaces[0] == candidate.measures.usable_bytes
        places = [(m.disk_key, m.part) for v in design.all_vdevs() for m in v.members]
        assert len(places) == len(set(places))
        whole = [m.disk_key for v in design.all_vdevs() for m in v.members if m.slice_bytes is None]
        assert len(whole) == len(set(whole))
        assert not set(whole) & {m.disk_key for v in design.all_vdevs() for m in v.members if m.part}
        if candidate.main.copies == 1:
            assert len(design.used_keys()) == candidate.used_count


@pytest.mark.slow
def test_that_stranded_and_idle_bytes_and_what_the_vdevs_hold_are_all_bytes_of_the_disks() -> None:
    group = mixed((4, 8 * TB), (5, 6 * TB), (4, 4 * TB))
    raw = sum(d.size_bytes or 0 for d in group)
    asked = request(Goal.SAFETY, group)
    for candidate in recommend(asked, no_rules).candidates:
        held = spared = 0
        for pool in candidate.pools:
            for spec in pool.layout:
                if spec.vdev_class is VdevClass.SPARE:
                    spared += sum(spec.sizes)
                else:
                    # A stripe uses each of its disks whole, other vdevs what their smallest has.
                    held += sum(spec.sizes) if spec.kind is VdevKind.STRIPE else min(spec.sizes) * spec.width
        assert held + spared + candidate.stranded_bytes + candidate.idle_bytes == raw


def test_that_a_spare_beside_partitions_is_a_disk_that_no_vdev_has() -> None:
    asked = request(Goal.SAFETY, mixed((4, 8 * TB), (5, 6 * TB), (4, 4 * TB)))
    asked = replace(asked, budget=replace(asked.budget, spares=2))
    cut = [c for c in recommend(asked, no_rules).candidates if c.way is Packing.LAYERED]
    assert cut
    for candidate in cut[::10]:
        vdevs = designed(candidate, asked).all_vdevs()
        spares = [m.disk_key for v in vdevs for m in v.members if v.vdev_class is VdevClass.SPARE]
        assert len(spares) == len(set(spares)) >= 2
        assert not set(spares) & {m.disk_key for v in vdevs for m in v.members if v.vdev_class is not VdevClass.SPARE}


@pytest.mark.parametrize("wished", [None, 1, 2])
def test_that_the_spares_of_packed_disks_count_for_the_wish_and_beside_a_lone_raidz(wished: int | None) -> None:
    asked = request(Goal.SAFETY, mixed((4, 8 * TB), (5, 6 * TB), (4, 4 * TB)))
    asked = replace(asked, budget=replace(asked.budget, spares=wished))
    counted = set()
    for candidate in (c for c in recommend(asked, no_rules).candidates if not c.main.medium.equal):
        spares = [sum(v.width for v in p.layout if v.vdev_class is VdevClass.SPARE) for p in candidate.pools]
        counted.add(candidate.measures.spare_count)
        distributed = sum(v.draid_spares for v in candidate.main.layout)
        assert candidate.measures.spare_count == spares[0] + distributed >= (wished or 0)
        data = [[v for v in p.layout if v.vdev_class is VdevClass.DATA] for p in candidate.pools]
        lone = any(n and len(v) == 1 and v[0].kind is VdevKind.RAIDZ for n, v in zip(spares, data, strict=True))
        assert (Floor.LONE_SPARE in candidate.below) == (lone and wished is None)
    assert max(counted) > 0


def test_that_flash_and_hard_disks_are_never_in_one_vdev() -> None:
    group = (*disks(5), *(disk(n, size_bytes=2 * TB, media=Media.SSD) for n in range(10, 14)))
    for candidate in recommend(request(Goal.CONCURRENT, group), no_rules).candidates:
        media = {d.key: d.media for d in group}
        design = designed(candidate, request(Goal.CONCURRENT, group))
        assert all(len({media[m.disk_key] for m in v.members}) == 1 for v in design.all_vdevs())


def test_that_a_wish_to_survive_two_failures_rules_out_a_second_pool_that_survives_one() -> None:
    asked = macblog()
    found = recommend(replace(asked, budget=replace(asked.budget, survive=2)), judge_maker(load_shipped()))
    assert all(pool.plan.failures_survived >= 2 for c in found.candidates for pool in c.pools)


def test_that_a_disk_rebuilt_for_two_pools_takes_longer_than_for_one() -> None:
    found = recommend(macblog(), no_rules)
    shared, whole = raidz2(found, Packing.LAYERED, 5), raidz2(found, Packing.CUT, 5)
    assert shared.predictions.rebuild is not None
    assert whole.predictions.rebuild is not None
    assert shared.predictions.rebuild.typical > whole.predictions.rebuild.typical
    assert shared.predictions.risk.probability > whole.predictions.risk.probability


@pytest.mark.slow
def test_that_further_vdevs_on_the_same_disks_make_a_pool_slower_than_its_disks(blog: Recommendation) -> None:
    found = recommend(macblog(third=True), no_rules).candidates
    stacked = next(c for c in found if c.way is Packing.STACKED and c.main.layout[0].width == 6)
    alone = next(c for c in found if c.way is Packing.CUT and [vdev.width for vdev in c.main.layout] == [6])
    assert stacked.measures.speed.seq_write < alone.measures.speed.seq_write
    speed = stacked.predictions.speed.seq_write
    assert speed.limit == "one disk serves several vdevs"
    assert "one disk" in speed.limit
    assert stacked.measures.usable_bytes > alone.measures.usable_bytes


def test_that_a_pool_of_left_over_slices_survives_what_is_asked_of_so_many_disks() -> None:
    found = recommend(request(Goal.SPACE, mixed((6, 8 * TB), (2, 4 * TB))), no_rules)
    rests = {
        (pool.plan.members, pool.plan.failures_survived)
        for candidate in found.candidates
        for pool in candidate.pools
        if pool.plan.purpose is Purpose.REST and not candidate.below
    }
    assert {survived for members, survived in rests if members <= FEW_DISKS[Goal.SPACE]} >= {1, 2}
    assert {survived for members, survived in rests if members > FEW_DISKS[Goal.SPACE]} <= {2, 3}


def test_that_each_pool_tells_how_many_failures_it_survives_itself() -> None:
    found = recommend(request(Goal.SPACE, mixed((4, 8 * TB), (4, 4 * TB))), no_rules)
    apart = next(c for c in found.candidates if [pool.plan.failures_survived for pool in c.pools] == [2, 1])
    assert survivors(apart.pools) == "pool 1 survives any 2 failures, pool 2 survives any 1 failure"
    assert survivors(apart.pools[:1]) == "survives any 2 failures"
    whole = next(c for c in found.candidates if c.measures.failures_survived == 2)
    assert "survives any 2 failures, pool 2 survives any 1 failure instead of 2" in trade_off(
        AnswerName.SPACE, whole, apart
    )


def test_that_flash_beside_hard_disks_is_not_told_to_be_left_over() -> None:
    flash = tuple(disk(n, size_bytes=TB, media=Media.SSD) for n in range(10, 12))
    asked = request(Goal.SAFETY, (*disks(8), *flash))
    found = recommend(asked, judge_maker(load_shipped()))
    assert found.best.unassigned == 2
    assert found.best.idle_disks == 0
    assert "spares.unused-disks" not in {finding.rule_id for finding in found.best.findings}
    with_a_rest = next(candidate for candidate in found.candidates if candidate.idle_disks == 1)
    told = next(finding for finding in with_a_rest.findings if finding.rule_id == "spares.unused-disks")
    assert told.text == "1 disk is not used."
    design = designed(found.best, asked)
    assert unassigned_of(design, [one.key for one in asked.disks]) == 0
    assert unassigned_of(designed(with_a_rest, asked), [one.key for one in asked.disks]) == 1


def test_that_vdevs_without_redundancy_are_combined_only_where_the_goal_asks_for_none() -> None:
    group = mixed((6, 8 * TB), (6, 4 * TB))
    bare = {
        goal: any(
            c.way is Packing.STACKED and c.measures.failures_survived == 0
            for c in recommend(request(goal, group), no_rules).candidates
        )
        for goal in (Goal.SPEED, Goal.SAFETY)
    }
    assert bare == {Goal.SPEED: True, Goal.SAFETY: False}


def words_of(*typed: str, goal: Goal = Goal.SAFETY) -> list[str]:
    found = recommend(Request(disks=read_typed(typed).disks, workload=Workload(goal=goal)), no_rules)
    assert len({c.words for c in found.candidates}) == len(found.candidates)
    return [c.words for c in found.candidates]


def test_that_words_tell_shingled_disks_from_others_of_their_size() -> None:
    words = words_of("6 x 8TB hdd", "6 x 8TB hdd smr", goal=Goal.CONCURRENT)
    assert "3 × mirror of 2 (8 TB), 3 × mirror of 2 (8 TB SMR)" in words
    assert "3 × mirror of 2 (8 TB); pool 2: 2 × mirror of 3 (8 TB SMR)" in words
    assert "3 × mirror of 2 (8 TB SMR); pool 2: 2 × mirror of 3 (8 TB)" in words


def test_that_words_tell_flash_from_hard_disks_and_only_beside_them() -> None:
    words = words_of("6 x 4TB hdd", "6 x 4TB ssd")
    assert "raidz2 of 6" in words
    assert "raidz2 of 6 (4 TB SSD)" in words
    assert words_of("6 x 4TB ssd")[0] == "raidz2 of 6"


def test_that_no_spare_is_too_small_for_every_vdev() -> None:
    disks = read_typed(["1 x 4TB hdd", "3 x 8TB hdd"]).disks
    asked = Request(disks=disks, workload=Workload(goal=Goal.SAFETY), budget=Budget(survive=2))
    found = recommend(asked, judge_maker(load_shipped()))
    assert found.best.words in ("mirror of 3 (8 TB)", "raidz2 of 4 (3 × 8 TB, 1 × 4 TB)")
    for candidate in found.candidates:
        for pool in candidate.pools:
            spares = [size for v in pool.layout if v.vdev_class is VdevClass.SPARE for size in v.sizes]
            data = [min(v.sizes) for v in pool.layout if v.vdev_class is VdevClass.DATA]
            assert all(size >= min(data) for size in spares)
