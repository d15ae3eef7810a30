"""One fact at a time: where smartctl's JSON and text say it, which place counts first, and what it says of a drive."""

import pytest
from tests.cases import cases

from poolwright.domain.disk import LbaFormat
from poolwright.machine.smartctl.facts import (
    Attribute,
    believable_temperature,
    canonical_wwn,
    document_of,
    facts_of,
    first_number,
    grouped_number,
    sector,
)


@pytest.mark.parametrize(("document", "field", "value"), cases(__file__, "json"))
def test_that_each_fact_is_read_from_its_place_in_the_json(document: object, field: str, value: object) -> None:
    assert getattr(facts_of(document), field) == (tuple(value) if isinstance(value, list) else value)


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ({"nvme_total_capacity": 9}, "controller, not of a namespace"), ({"user_capacity": {"bytes": 0}}, "0 bytes"),
        ({"user_capacity": {"bytes": 7}}, ""), ({}, ""),
    ],
)  # fmt: skip
def test_that_a_doubtful_size_has_its_remark(document: object, words: str) -> None:
    remarks = facts_of(document).remarks
    assert [words in remark for remark in remarks] == ([True] if words else [])


def test_that_formats_and_attributes_are_read_row_by_row() -> None:
    sizes = [
        {"data_bytes": 512, "formatted": True}, {"data_bytes": 4096, "metadata_bytes": 8}, {"data_bytes": 0},
    ]  # fmt: skip
    assert facts_of({"nvme_namespaces": [{"lba_formats": sizes}]}).lba_formats == (
        LbaFormat(data_bytes=512, current=True), LbaFormat(data_bytes=4096, metadata_bytes=8),
    )  # fmt: skip
    rows = [
        {"id": 5, "name": "Reallocated", "value": 99, "thresh": 10, "when_failed": "past",
         "raw": {"value": 7, "string": "3 (x)"}},
        {"id": 9, "raw": {"value": 4}},
        {"name": "without a number"},
    ]  # fmt: skip
    assert facts_of({"ata_smart_attributes": {"table": rows}}).attributes == (
        Attribute(number=5, name="Reallocated", value=99, raw=3, failed="past"),
        Attribute(number=9, name="", raw=4),
    )


@pytest.mark.parametrize(("valid", "used"), [(True, 12), (False, None), (None, 12)])
def test_that_endurance_in_the_statistics_counts_where_it_is_valid(valid: bool | None, used: int | None) -> None:
    row = {"name": "Percentage Used Endurance Indicator", "value": 12, "flags": {"valid": valid}}
    pages = [{"table": [{"name": "Other", "value": 3}, row]}]
    assert facts_of({"ata_device_statistics": {"pages": pages}}).percentage_used == used


@pytest.mark.parametrize(("line", "field", "value"), cases(__file__, "text"))
def test_that_each_fact_is_read_from_its_line_of_the_text(line: str, field: str, value: object) -> None:
    assert getattr(facts_of(document_of(f"=== START OF INFORMATION SECTION ===\n{line}\n")), field) == value


def test_that_only_values_that_a_drive_can_have_are_believed() -> None:
    years = 50 * 366 * 24
    hours = [facts_of({"power_on_time": {"hours": h}}).hours for h in (-1, 0, years, years + 1, None)]
    assert hours == [None, 0, years, None, None]
    warm = [believable_temperature(t) for t in (-60, -59, 0, 1, 149, 150, None)]
    assert warm == [None, -59, None, 1, 149, None, None]
    assert [sector(s) for s in (127, 128, 1 << 20, (1 << 20) + 1, None)] == [None, 128, 1 << 20, None, None]
    numbers = [first_number(t) for t in ("28 (Min 21)", "463h+45m", " 7", "x", "1" * 21, None)]
    assert numbers == [28, 463, 7, None, None, None]
    assert [grouped_number(t) for t in ("500.107 bytes", "3'840 [x]", "", "1" * 24, "1" * 25)] == [
        500107, 3840, None, int("1" * 24), None,
    ]  # fmt: skip
    assert {canonical_wwn(t) for t in ("5 000c50 012345678", "0x5000C50012345678")} == {"0x5000c50012345678"}
    assert [canonical_wwn(t) for t in ("0" * 16, "eui." + "0" * 15, None)] == [None] * 3
