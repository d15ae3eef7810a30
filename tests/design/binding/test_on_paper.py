"""The designs of the example machines as plans on paper, bound to their own machine."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.design.binding.at_hand import machine

from poolwright.design.binding.applying import bound_design, space_changes
from poolwright.design.binding.binding import bind_disks
from poolwright.domain.design import Design, Vdev
from poolwright.domain.disk import Disk
from poolwright.emit.validity import check_design
from poolwright.store.design_file import from_json

DESIGNS = sorted((Path(__file__).parents[2] / "emit" / "golden" / "designs").glob("*.json"))


def on_paper(design: Design) -> Design:
    """Return the design of planned disks of the same sizes and kinds."""
    keys = {disk.key: f"planned-{number:03d}" for number, disk in enumerate(design.disks)}

    def renamed(vdevs: tuple[Vdev, ...]) -> tuple[Vdev, ...]:
        return tuple(replace(v, members=tuple(replace(m, disk_key=keys[m.disk_key]) for m in v.members)) for v in vdevs)

    return replace(
        design,
        disks=tuple(
            Disk(
                key=keys[disk.key],
                planned=True,
                size_bytes=disk.size_bytes,
                media=disk.media,
                model=disk.model,
                logical_sector_bytes=disk.logical_sector_bytes,
                physical_sector_bytes=disk.physical_sector_bytes,
            )
            for disk in design.disks
        ),
        vdevs=renamed(design.vdevs),
        further_pools=tuple(replace(pool, vdevs=renamed(pool.vdevs)) for pool in design.further_pools),
    )


@pytest.mark.parametrize("path", DESIGNS, ids=lambda path: path.stem)
def test_that_a_plan_of_a_machine_is_bound_to_it_whole(path: Path) -> None:
    design = from_json(path.read_text(encoding="utf-8"), where=path.name)
    plan = on_paper(design)
    found = bind_disks(plan, machine(design.disks))
    made = bound_design(found)
    assert not found.missing
    assert found.to_look_at == 0
    check_design(made)
    assert all(change.before_bytes == change.after_bytes for change in space_changes(plan, made))


@pytest.mark.parametrize("path", DESIGNS, ids=lambda path: path.stem)
def test_that_a_machine_read_again_changes_nothing(path: Path) -> None:
    design = from_json(path.read_text(encoding="utf-8"), where=path.name)
    found = bind_disks(design, machine(design.disks))
    made = bound_design(found)
    assert found.all_known
    assert (made.vdevs, made.further_pools, made.disks) == (design.vdevs, design.further_pools, design.disks)
