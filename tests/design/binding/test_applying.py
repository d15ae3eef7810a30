"""The design after its disks were bound: real ones in its places, all else as it was."""

from dataclasses import replace
from decimal import Decimal

from tests.design.binding.at_hand import TB8, machine, planned_design, real_disk

from poolwright.design.binding.applying import bound_design, space_changes
from poolwright.design.binding.binding import bind_disks
from poolwright.domain.design import Dataset, FurtherPool, Setting, Vdev
from poolwright.domain.disk import Use, UseKind
from poolwright.domain.growth import parse_growth_step
from poolwright.domain.host import Host
from poolwright.domain.money import Money
from poolwright.domain.units import MIB
from poolwright.domain.vdev import VdevClass, VdevKind
from poolwright.domain.version import ZfsVersion
from poolwright.emit.commands import plan_actions, shell_text

FOUR = [real_disk(f"sd{letter}") for letter in "abcd"]


def test_that_only_disks_host_and_inventory_change() -> None:
    design = planned_design("mirror:2x8TB", "spare/stripe:1x8TB", disks="4 x 8TB")
    last = design.vdevs[0].members[0]
    design = replace(
        design,
        version=ZfsVersion(2, 2, 0),
        pool_settings=(Setting(name="autotrim", value="on"),),
        datasets=(Dataset(name="", settings=(Setting(name="compression", value="zstd"),)), Dataset(name="home")),
        growth=(replace(parse_growth_step("attach:8TB@1"), disk_keys=(design.disks[3].key,), note="later"),),
        vdevs=(
            replace(design.vdevs[0], members=tuple(
                replace(m, slice_bytes=MIB << 20, part=1) for m in design.vdevs[0].members
            )),
            *design.vdevs[1:],
        ),
        further_pools=(
            FurtherPool(
                pool_name="second",
                vdevs=(Vdev(kind=VdevKind.STRIPE, members=(replace(last, slice_bytes=MIB << 20, part=2),)),),
                purpose="rest",
                datasets=(Dataset(name=""),),
            ),
        ),
    )  # fmt: skip
    box = machine(FOUR)
    made = bound_design(bind_disks(design, replace(box, host=Host(name="store", ram_bytes=64 << 30))))
    assert not any(made.disk(key).planned for key in made.used_keys())
    assert made.disks == tuple(FOUR)
    assert made.host.name == "store"
    assert made.inventory_name == "store"
    assert made.growth[0].disk_keys[0] in {disk.key for disk in FOUR}
    assert made.growth[0].note == "later"
    assert [m.slice_bytes for m in made.vdevs[0].members] == [MIB << 20] * 2
    assert made.further_pools[0].vdevs[0].members[0].disk_key == made.vdevs[0].members[0].disk_key
    same = ("key", "name", "pool_name", "workload", "budget", "ashift", "version", "pool_settings", "datasets")
    assert [getattr(made, name) for name in same] == [getattr(design, name) for name in same]
    assert [v.sizeless() for v in made.all_vdevs()] == [v.sizeless() for v in design.all_vdevs()]
    assert "ata-MODEL_S-sd" in shell_text(plan_actions(made))


def test_that_a_place_without_a_disk_keeps_the_planned_one() -> None:
    design = planned_design("raidz1:3x8TB")
    made = bound_design(bind_disks(design, machine(FOUR[:2])))
    assert [made.disk(m.disk_key).planned for m in made.vdevs[0].members] == [False, False, True]
    assert len(made.disks) == 3


def test_that_a_disk_left_as_it_is_gets_another_key_where_a_real_one_has_it() -> None:
    design = planned_design("mirror:2x8TB")
    box = machine([replace(FOUR[0], key=design.disks[1].key)])
    made = bound_design(bind_disks(design, box, chosen={design.disks[1].key: None}))
    keys = [m.disk_key for m in made.vdevs[0].members]
    assert len(set(keys)) == 2
    assert [made.disk(key).planned for key in keys] == [False, True]


def test_that_the_own_disk_in_use_is_told_as_it_is_now() -> None:
    design = replace(planned_design("mirror:2x8TB"))
    first = bound_design(bind_disks(design, machine(FOUR[:2])))
    used = replace(FOUR[0], uses=(Use(kind=UseKind.SWAP),))
    found = bind_disks(first, machine([used, *FOUR[1:]]))
    assert len(found.missing) == 1
    again = bound_design(found)
    assert [again.disk(m.disk_key).in_use for m in again.vdevs[0].members] == [True, False]


def test_that_a_price_stays_and_what_is_said_of_a_model_only_with_the_model() -> None:
    design = planned_design("mirror:2x8TB", disks="2 x 8TB model=ST8000NM")
    price = Money(amount=Decimal(200), currency="EUR")
    design = replace(
        design,
        disks=tuple(replace(disk, price=price, afr_percent=1.2, power_loss_protection=True) for disk in design.disks),
    )
    same, other = real_disk("sda", model="ST8000NM000A"), real_disk("sdb", model="WD80EFAX")
    made = bound_design(bind_disks(design, machine([same, other])))
    by_path = {disk.path: disk for disk in made.disks}
    assert by_path["/dev/sda"].price == by_path["/dev/sdb"].price == price
    assert by_path["/dev/sda"].afr_percent == 1.2
    assert by_path["/dev/sdb"].afr_percent is None
    assert by_path["/dev/sda"].power_loss_protection is True
    assert by_path["/dev/sdb"].power_loss_protection is None


def test_that_what_changes_in_the_space_is_counted() -> None:
    design = planned_design("mirror:2x8TB")
    larger = [real_disk(name, 2 * TB8) for name in ("sda", "sdb")]
    (change,) = space_changes(design, bound_design(bind_disks(design, machine(larger))))
    assert change.before_bytes is not None
    assert change.after_bytes is not None
    assert change.after_bytes > 1.9 * change.before_bytes


def test_that_support_vdevs_keep_their_purpose() -> None:
    design = planned_design("mirror:2x8TB", "special/mirror:2x8TB")
    made = bound_design(bind_disks(design, machine(FOUR)))
    assert [vdev.vdev_class for vdev in made.vdevs] == [VdevClass.DATA, VdevClass.SPECIAL]
