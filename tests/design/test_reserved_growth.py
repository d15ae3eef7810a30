"""A pool beside reserved partitions, as it grows and on other disks: each new disk has them, the words say so first."""

from dataclasses import replace
from datetime import date

from tests.design.binding.at_hand import machine
from tests.domain.test_reserve import ESP, LAST, SIZE, mirror

from poolwright.capacity.of_design import predict_design
from poolwright.changes.growth.plan import GrowthPlan, GrowthQuestion, evaluate
from poolwright.design.binding.applying import bound_design
from poolwright.design.binding.binding import bind_disks
from poolwright.design.binding.judging import seats_of
from poolwright.domain.as_built import as_built
from poolwright.domain.growth import parse_growth_step
from poolwright.domain.units import MIB
from poolwright.emit.growth import step_commands


def grown(*steps: str) -> GrowthPlan:
    asked = [parse_growth_step(step) for step in steps]
    plan = evaluate(mirror(ESP, LAST), asked, GrowthQuestion(today=date(2026, 11, 20)))
    assert plan.problem is None
    return plan


def test_that_a_new_pool_has_the_space_of_its_design_and_a_replaced_one_that_of_larger_disks() -> None:
    plan = grown("replace:12TB@1")
    assert plan.stages[0].capacity.available_bytes == predict_design(mirror(ESP, LAST)).available_bytes
    larger = plan.stages[1].grown.design
    sizes = {member.slice_bytes for member in larger.vdevs[0].members}
    (size,) = {larger.disk(member.disk_key).size_bytes for member in larger.vdevs[0].members}
    assert sizes == {((size or 0) // MIB - 2 - 512 - 2048) * MIB}
    assert as_built(larger) == larger


def test_that_a_new_disk_gets_its_table_before_the_pool_gets_the_rest() -> None:
    plan = grown("attach:4TB@1")
    lines = [command.text for command in step_commands(plan, 1)]
    at = next(number for number, line in enumerate(lines) if line.startswith("zpool attach"))
    assert [line.split()[4] for line in lines[:at] if line.startswith("sgdisk")] == ["1:EF00", "2:BF01", "3:8200"]
    assert lines[at] == "zpool attach tank /dev/disk/by-id/ata-a-part2 '/dev/disk/by-id/<new disk 1>-part2'"
    replaced = [command.text.split()[0:2] for command in step_commands(grown("replace:12TB@1"), 1)]
    assert [words[1] for words in replaced if words[0] == "zpool" and words[1] in ("replace", "attach")] == [
        "replace"
    ] * 2
    tables = [number for number, words in enumerate(replaced) if words[0] == "sgdisk"]
    first = replaced.index(["zpool", "replace"])
    assert len([number for number in tables if number < first]) == len([number for number in tables if number > first])
    assert any(line.startswith("mkfs.vfat") and line.endswith("<new disk 1>-part1'") for line in lines[:at])


def test_that_what_is_reserved_on_named_disks_goes_with_them_to_the_real_ones() -> None:
    named = mirror(replace(ESP, disk_keys=("b",)))
    real = tuple(replace(disk, key=f"real {disk.key}", serial=f"S{disk.key}") for disk in named.disks)
    bound = bound_design(bind_disks(named, machine(real)))
    assert bound.reserve[0].disk_keys == (bound.vdevs[0].members[1].disk_key,)
    assert predict_design(bound) == predict_design(named)


def test_that_a_disk_in_partitions_needs_room_for_what_is_reserved_too() -> None:
    cut = as_built(mirror(ESP, LAST))
    seat = next(seat for seat in seats_of(cut) if seat.disk.key == "a")
    assert seat.least_bytes == SIZE // MIB * MIB
