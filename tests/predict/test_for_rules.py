"""Rules are told what the pool itself can do: a slow network does not make the pool slow."""

from datetime import date

from poolwright.capacity.of_design import predict_design
from poolwright.domain.design import Design, Member, Vdev
from poolwright.domain.disk import Disk, Media
from poolwright.domain.units import TB
from poolwright.domain.vdev import VdevKind
from poolwright.domain.workload import Goal, Workload
from poolwright.predict.assumptions import Assumptions
from poolwright.predict.drives import read_drive_book
from poolwright.predict.expected import basis_of, expect, predictions_for_rules

GIGABIT = 125_000_000


def test_that_rates_for_rules_leave_the_network_out_and_the_rest_is_as_predicted() -> None:
    disks = tuple(Disk(key=f"d{n}", path=f"/dev/sd{n}", size_bytes=6 * TB, media=Media.HDD) for n in range(8))
    design = Design(
        key="eight",
        name="eight",
        pool_name="tank",
        workload=Workload(goal=Goal.SAFETY, network_bytes_per_second=GIGABIT),
        disks=disks,
        vdevs=(Vdev(kind=VdevKind.RAIDZ, parity=2, members=tuple(Member(disk_key=d.key) for d in disks)),),
    )
    basis = basis_of(design, predict_design(design), read_drive_book({}))
    expected = expect(basis, Assumptions(used_bytes=TB, growth_percent=50), today=date(2026, 1, 1))
    facts = predictions_for_rules(expected)
    assert expected.speed.seq_read.typical < GIGABIT
    assert facts.seq_read_bytes_per_second is not None
    assert facts.seq_read_bytes_per_second > 2 * GIGABIT
    assert facts.yearly_loss_percent == 100 * expected.predictions.risk.probability
    assert facts.scrub_hours == expected.predictions.scrub.typical
    assert facts.years_until_full is not None
    assert facts.years_until_full > 1
