"""The cost of one block: OpenZFS's tables, and a brute-force layout of its sectors."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cases import cases

from poolwright.capacity.vdev import allocated_bytes, deflate_ratio, deflated, record_cost
from poolwright.domain.vdev import VdevKind, parse_spec

KIB = 1024


@pytest.mark.parametrize(("spec", "smallest"), [("mirror:2x4TB", 4), ("raidz2:8x4TB", 12), ("draid2:4d:11x4TB", 24)])
def test_that_the_smallest_block_takes_a_sector_with_its_redundancy_and_no_block_takes_nothing(
    spec: str, smallest: int
) -> None:
    vdev = parse_spec(spec)

    def taken(size: int) -> int:
        return allocated_bytes(vdev.kind, vdev.width, vdev.parity, vdev.group_data, 12, size)

    assert (taken(0), taken(1), taken(4096)) == (0, smallest << 10, smallest << 10)
    assert taken(4097) >= taken(4096)


@pytest.mark.parametrize(("spec", "size", "charged"), cases(__file__, "charged"))
def test_that_a_block_is_charged_as_real_datasets_were(spec: str, size: int, charged: int) -> None:
    assert record_cost(parse_spec(spec), ashift=12, record_bytes=size).used_bytes == charged


@pytest.mark.parametrize(("spec", "ratio"), cases(__file__, "deflate_ratios"))
def test_that_the_deflate_ratio_is_that_of_a_128k_block(spec: str, ratio: int) -> None:
    vdev = parse_spec(spec)
    assert deflate_ratio(vdev.kind, vdev.width, vdev.parity, 0, 12) == ratio


@given(width=st.integers(2, 40), parity=st.integers(1, 3), ashift=st.integers(9, 16), size=st.integers(1, 1 << 20))
def test_that_raidz_allocates_what_laying_out_the_sectors_one_by_one_needs(
    width: int, parity: int, ashift: int, size: int
) -> None:
    if width <= parity:
        return
    data = -(-size // (1 << ashift))
    sectors = 0
    while data > 0:
        row = min(width - parity, data)
        sectors += row + parity
        data -= row
    while sectors % (parity + 1):
        sectors += 1
    assert allocated_bytes(VdevKind.RAIDZ, width, parity, 0, ashift, size) == sectors << ashift


@given(data=st.integers(1, 32), parity=st.integers(1, 3), ashift=st.integers(9, 16), size=st.integers(1, 1 << 20))
def test_that_draid_allocates_whole_stripes(data: int, parity: int, ashift: int, size: int) -> None:
    allocated = allocated_bytes(VdevKind.DRAID, 60, parity, data, ashift, size)
    stripe = (data + parity) << ashift
    held = allocated // stripe * (data << ashift)
    assert allocated % stripe == 0
    assert held >= size > held - (data << ashift)


@given(
    spec=st.sampled_from(["mirror:3x1TB", "raidz1:5x1TB", "raidz3:11x1TB", "draid2:4d:12x1TB", "stripe:1TB"]),
    ashift=st.integers(9, 16),
    shift=st.integers(9, 24),
)
def test_that_data_parity_and_padding_make_up_the_allocation(spec: str, ashift: int, shift: int) -> None:
    vdev = parse_spec(spec)
    cost = record_cost(vdev, ashift=ashift, record_bytes=1 << shift)
    assert cost.padding_bytes >= 0
    assert cost.disk_bytes >= cost.allocated_bytes >= cost.record_bytes
    assert 0 < cost.efficiency <= cost.nominal_efficiency + 1e-9
    if vdev.kind is VdevKind.MIRROR:
        return
    data = -(-(1 << shift) >> ashift)
    rows = -(-data // (vdev.group_data if vdev.kind is VdevKind.DRAID else vdev.width - vdev.parity))
    assert cost.padding_bytes == cost.allocated_bytes - (data + rows * vdev.parity << ashift)


@pytest.mark.parametrize(
    ("spec", "size", "allocated", "disk", "padding", "nominal"),
    [
        # 5 sectors of 4096 bytes on 3 + 1 disks: two rows, 7 sectors, rounded up to a multiple of 2.
        ("raidz1:4x1TB", 20480, 8 * 4096, 8 * 4096, 4096, 3 / 4),
        ("raidz1:4x1TB", 20481, 8 * 4096, 8 * 4096, 0, 3 / 4),
        # 3 + 2 sectors, rounded up to a multiple of 3.
        ("raidz2:8x1TB", 8193, 6 * 4096, 6 * 4096, 4096, 6 / 8),
        ("draid2:4d:12x1TB", 4097, 6 * 4096, 6 * 4096, 2 * 4096, 4 / 6),
        ("draid2:4d:12x1TB", 16385, 12 * 4096, 12 * 4096, 3 * 4096, 4 / 6),
        ("mirror:3x1TB", 4097, 2 * 4096, 6 * 4096, 0, 1 / 3),
        ("stripe:3x1TB", 4097, 2 * 4096, 2 * 4096, 0, 1),
    ],
)
def test_that_one_record_costs_what_counting_its_sectors_gives(
    spec: str, size: int, allocated: int, disk: int, padding: int, nominal: float
) -> None:
    cost = record_cost(parse_spec(spec), ashift=12, record_bytes=size)
    assert (cost.allocated_bytes, cost.disk_bytes, cost.padding_bytes) == (allocated, disk, padding)
    assert (cost.record_bytes, cost.efficiency, cost.nominal_efficiency) == (size, size / disk, nominal)


def test_that_deflating_is_exact_for_more_than_64_bit_products() -> None:
    assert deflated(1 << 60, 364) == (1 << 51) * 364
