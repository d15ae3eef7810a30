"""One fact at a time: where smartctl's JSON and text say it, which place counts first, and what it says of a drive."""

import pytest

from poolwright.domain.disk import LbaFormat
from poolwright.machine.smartctl.as_text import document_of, grouped_number
from poolwright.machine.smartctl.facts import (
    Attribute,
    believable_hours,
    believable_temperature,
    canonical_wwn,
    facts_of,
    first_number,
    sector,
)

FARM = "seagate_farm_log"


def farm(**page: object) -> dict[str, object]:
    return {FARM: {"page_1_drive_information": page}}


def nvme(log: dict[str, object]) -> dict[str, object]:
    return {"nvme_smart_health_information_log": log}


def uncorrected(**counts: int) -> dict[str, object]:
    return {"scsi_error_counter_log": {name: {"total_uncorrected_errors": n} for name, n in counts.items()}}


def named(path: str = "/dev/nvme0n2", *namespaces: object) -> dict[str, object]:
    return {"device": {"name": path}, "nvme_namespaces": list(namespaces)}


ONE, TWO = ({"id": n, "size": {"bytes": n * 1000}, "formatted_lba_size": 256 << n} for n in (1, 2))


@pytest.mark.parametrize(
    ("document", "field", "value"),
    [
        ({"device": {"name": "/dev/sda"}, "smartctl": {"argv": ["smartctl", "/dev/sdb"]}}, "path", "/dev/sda"),
        ({"smartctl": {"argv": ["smartctl", 5, "/dev/sdb"]}}, "path", "/dev/sdb"),
        ({"smartctl": {"argv": ["smartctl", "-x"]}}, "path", None),
        ({"device": {"name": "IOService:/x"}}, "path", None),
        ({"device": {"type": "sat"}}, "device_type", "sat"),
        ({"device": {"protocol": "ATA"}, "nvme_version": {}}, "protocol", "ATA"),
        ({"nvme_version": {}}, "protocol", "NVMe"),
        ({"model_name": "ATA"}, "protocol", None),
        ({"model_name": "A", "scsi_model_name": "B", "scsi_product": "C"}, "model", "A"),
        ({"scsi_model_name": "B", "scsi_product": "C"}, "model", "B"),
        ({"scsi_model_name": "ATA B", "scsi_vendor": "ATA"}, "model", "B"),
        ({"scsi_vendor": "V", "scsi_product": "C", "product": "D"}, "model", "V C"),
        ({"vendor": "V", "product": "D"}, "model", "V D"),
        ({"scsi_vendor": "ATA", "scsi_product": "C"}, "model", "C"),
        ({"scsi_vendor": "V"}, "model", "V"),
        ({}, "model", None),
        ({"scsi_vendor": "V", "vendor": "W"}, "vendor", "V"),
        ({"scsi_vendor": "ATA"}, "vendor", None),
        ({"model_family": "F"}, "family", "F"),
        ({"serial_number": "S"} | farm(serial_number="T"), "serial", "S"),
        (farm(serial_number="T"), "serial", "T"),
        ({"serial_number": "[No Information Found]"}, "serial", None),
        ({"wwn": {"naa": 5, "oui": 3152, "id": 43}}, "wwn", "0x5000c5000000002b"),
        ({"wwn": {"naa": 5, "oui": 3152}, "logical_unit_id": "0x5000c50000000001"}, "wwn", "0x5000c50000000001"),
        (named("/dev/nvme0", {"eui64": {"oui": 9528, "ext_id": 17}}), "wwn", "eui.0025380000000011"),
        ({"logical_unit_id": "x"} | farm(world_wide_name="0x5000c50000000002"), "wwn", None),
        (farm(world_wide_name="0x5000c50000000002"), "wwn", "0x5000c50000000002"),
        ({"firmware_version": "1", "scsi_revision": "2", "revision": "3"}, "firmware", "1"),
        ({"scsi_revision": "2", "revision": "3"}, "firmware", "2"),
        ({"revision": "3"}, "firmware", "3"),
        (named("/dev/nvme0n2", ONE, TWO), "size_bytes", 2000),
        (named("/dev/nvme0", ONE, TWO), "size_bytes", 1000),
        (named("/dev/nvme0n7", ONE, TWO), "size_bytes", 1000),
        (named("/dev/nvme0n1", ONE) | {"user_capacity": {"bytes": 7}}, "size_bytes", 1000),
        ({"user_capacity": {"bytes": 7}, "nvme_total_capacity": 9}, "size_bytes", 7),
        (named("/dev/nvme0n1", {"capacity": {"bytes": 8}}), "size_bytes", 8),
        ({"nvme_total_capacity": 9, "nvme_unallocated_capacity": 4}, "size_bytes", 5),
        ({"nvme_total_capacity": 9}, "size_bytes", 9),
        ({"nvme_total_capacity": 9, "nvme_unallocated_capacity": 9}, "size_bytes", None),
        (farm(device_capacity_in_sectors=10, logical_sector_size=512), "size_bytes", 5120),
        (farm(device_capacity_in_sectors=10), "size_bytes", None),
        ({"logical_block_size": 520} | farm(logical_sector_size=512), "logical_sector_bytes", 520),
        (named("/dev/nvme0n2", ONE, TWO), "logical_sector_bytes", 1024),
        (farm(logical_sector_size=4096), "logical_sector_bytes", 4096),
        ({"physical_block_size": 4096} | farm(physical_sector_size=512), "physical_sector_bytes", 4096),
        (farm(physical_sector_size=512), "physical_sector_bytes", 512),
        ({"rotation_rate": 7200} | farm(rotation_rate=5400), "rotation", 7200),
        (farm(rotation_rate=5400), "rotation", 5400),
        ({"rotation_rate": 0}, "rotation", 0),
        ({"rotation_rate": 0, "user_capacity": {"bytes": 0}}, "rotation", None),
        ({"rotation_rate": 7200, "user_capacity": {"bytes": 0}}, "rotation", 7200),
        ({"zoned_device": {"capabilities": "host managed"}}, "zoned", True),
        ({"zoned_device": "Host Aware"}, "zoned", True),
        ({"zoned_device": "not reported"}, "zoned", None),
        ({"device_type": {"name": "Host Managed Zoned"}}, "zoned", True),
        (farm(drive_recording_type="SMR"), "recording", "SMR"),
        ({"device": {"type": "usbjmicron"}, "sata_version": {}}, "transport", "usb"),
        ({"device": {"type": "sntasmedia"}}, "transport", "usb"),
        ({"device": {"info_name": "/dev/sdb [USB NVMe]"}}, "transport", "usb"),
        ({"smartctl": {"messages": [{"string": "Unknown USB bridge"}]}}, "transport", "usb"),
        ({"device": {"protocol": "NVMe"}}, "transport", "nvme"),
        ({"sata_version": {"value": 1}}, "transport", "sata"),
        (farm(device_interface="SATA"), "transport", "sata"),
        (farm(device_interface="SAS"), "transport", None),
        ({"scsi_transport_protocol": {"name": "SAS (SPL-4)"}}, "transport", "sas"),
        ({"scsi_transport_protocol": {"name": "iSCSI"}}, "transport", "iscsi"),
        ({"device_type": {"name": "disk"}, "scsi_product": "DVD-RAM"}, "kind", "disk"),
        ({"scsi_product": "DVD-RAM"}, "kind", "CD/DVD"),
        ({"model_name": "BD-RE"}, "kind", "CD/DVD"),
        ({"model_name": "CD4000"}, "kind", None),
        ({"smartctl": {"exit_status": 4}}, "exit_status", 4),
        ({"smartctl": {"messages": [{"string": "a"}, {}, {"string": "b"}]}}, "messages", ("a", "b")),
        ({"smart_support": {"enabled": False}}, "smart_enabled", False),
        ({"smart_status": {"passed": False}}, "passed", False),
        (nvme({"critical_warning": 4}), "critical_warning", 4),
        (nvme({"available_spare": 90}), "available_spare", 90),
        (nvme({"available_spare_threshold": 10}), "spare_threshold", 10),
        (nvme({"media_errors": 3}), "media_errors", 3),
        (nvme({"percentage_used": 0}) | {"endurance_used": {"current_percent": 5}}, "percentage_used", 0),
        ({"endurance_used": {"current_percent": 5}}, "percentage_used", 5),
        ({"scsi_percentage_used_endurance_indicator": 6}, "percentage_used", 6),
        ({"scsi_grown_defect_list": 7}, "grown_defects", 7),
        (uncorrected(read=1, write=2, other=4), "uncorrected_errors", 3),
        (uncorrected(verify=0), "uncorrected_errors", 0),
        ({"scsi_error_counter_log": {"read": {}}}, "uncorrected_errors", None),
        ({"power_on_time": {"hours": 5}} | farm(poh=6), "hours", 5),
        (nvme({"power_on_hours": 8}) | farm(poh=6), "hours", 8),
        ({FARM: {"page_1_drive_information": {"poh": 6}}}, "hours", 6),
        ({"temperature": {"current": 31}} | nvme({"temperature": 40}), "temperature", 31),
        ({"scsi_environmental_reports": {"temperature_1": {"current": 33}}, "temperature": {}}, "temperature", 33),
        (nvme({"temperature": 40}), "temperature", 40),
        ({"temperature": {"op_limit_max": 60, "drive_trip": 65}}, "temperature_limit", 60),
        ({"temperature": {"op_limit_max": 0, "drive_trip": 65}}, "temperature_limit", 65),
        ({"nvme_composite_temperature_threshold": {"warning": 1}}, "temperature_limit", 1),
        ({"temperature": {"drive_trip": 0}}, "temperature_limit", None),
    ],
)  # fmt: skip
def test_that_each_fact_is_read_from_its_place_in_the_json(document: object, field: str, value: object) -> None:
    assert getattr(facts_of(document), field) == value


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
    assert facts_of(named("/dev/nvme0", {"lba_formats": sizes})).lba_formats == (
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


@pytest.mark.parametrize(
    ("line", "field", "value"),
    [
        ("Device Model:     ST6000", "model", "ST6000"),
        ("Vendor:               SEAGATE\nProduct:              ST6000", "model", "SEAGATE ST6000"),
        ("Vendor:               ATA\nProduct:              ST6000", "model", "ST6000"),
        ("Model Number:                       EXAMPLE", "protocol", "NVMe"),
        ("Model Family:     Exos", "family", "Exos"),
        ("Serial Number:    S1", "serial", "S1"),
        ("Serial number:        S2", "serial", "S2"),
        ("Serial Number:    [No Information Found]", "serial", None),
        ("LU WWN Device Id: 5 000c50 0123456ab", "wwn", "0x5000c500123456ab"),
        ("Logical Unit id:      0x5000c50012345678", "wwn", "0x5000c50012345678"),
        ("Namespace 1 IEEE EUI-64:            002538 0000000011", "wwn", "eui.0025380000000011"),
        ("Firmware Version: F1", "firmware", "F1"),
        ("Revision:             R1", "firmware", "R1"),
        ("User Capacity:    6,001,175,126,016 bytes [6.00 TB]", "size_bytes", 6001175126016),
        ("Namespace 1 Size/Capacity:          1,000,204,886,016 [1.00 TB]", "size_bytes", 1000204886016),
        ("Total NVM Capacity:                 1,000 [1]\nUnallocated NVM Capacity:           400", "size_bytes", 600),
        ("Total NVM Capacity:         1,000 [1]\nUnallocated NVM Capacity:           1,000", "size_bytes", None),
        ("Sector Size:      512 bytes logical/physical", "physical_sector_bytes", 512),
        ("Sector Sizes:     512 bytes logical, 4096 bytes physical", "physical_sector_bytes", 4096),
        ("Sector Sizes:     512 bytes logical, 4096 bytes physical", "logical_sector_bytes", 512),
        ("Logical block size:   520 bytes", "logical_sector_bytes", 520),
        ("Logical block size:   512 bytes", "physical_sector_bytes", None),
        ("Physical block size:  4096 bytes", "physical_sector_bytes", 4096),
        ("Namespace 1 Formatted LBA Size:     4096", "logical_sector_bytes", 4096),
        ("Rotation Rate:    7200 rpm", "rotation", 7200),
        ("Rotation Rate:    Solid State Device", "rotation", 0),
        ("Rotation Rate:    Solid State Device\nUser Capacity:    0 bytes", "rotation", None),
        ("Zoned Device:     Host Managed Zones", "zoned", True),
        ("Device type:          disk", "zoned", None),
        ("SATA Version is:  SATA 3.3", "transport", "sata"),
        ("Model Number:                       X", "transport", "nvme"),
        ("Transport protocol:   SAS (SPL-4)", "transport", "sas"),
        ("Device type:          disk", "kind", "disk"),
        ("Product:              DVD-RAM", "kind", "CD/DVD"),
        ("SMART support is: Available\nSMART support is: Disabled", "smart_enabled", False),
        ("SMART overall-health self-assessment test result: PASSED", "passed", True),
        ("SMART overall-health self-assessment test result: FAILED!", "passed", False),
        ("SMART overall-health self-assessment test result: UNKNOWN!", "passed", None),
        ("SMART Health Status: OK", "passed", True),
        ("SMART Health Status: FAILURE PREDICTION", "passed", False),
        ("Critical Warning:                   0x04", "critical_warning", 4),
        ("Percentage Used:                    3%", "percentage_used", 3),
        ("Percentage used endurance indicator: 4%", "percentage_used", 4),
        ("0x07  0x008  1               7  ---  Percentage Used Endurance Indicator", "percentage_used", 7),
        ("Available Spare:                    90%", "available_spare", 90),
        ("Available Spare Threshold:          10%", "spare_threshold", 10),
        ("Media and Data Integrity Errors:    1,234", "media_errors", 1234),
        ("Elements in grown defect list: 7", "grown_defects", 7),
        ("Power On Hours:                     12,345", "hours", 12345),
        ("Temperature:                        41 Celsius", "temperature", 41),
        ("Current Drive Temperature:     31 C", "temperature", 31),
        ("Drive Trip Temperature:        65 C", "temperature_limit", 65),
        ("Warning  Comp. Temp. Threshold:     70 Celsius", "temperature_limit", 70),
        ("Min/Max recommended Temperature:      0/60 Celsius", "temperature_limit", 60),
    ],
)  # fmt: skip
def test_that_each_fact_is_read_from_its_line_of_the_text(line: str, field: str, value: object) -> None:
    assert getattr(facts_of(document_of(f"=== START OF INFORMATION SECTION ===\n{line}\n")), field) == value


def test_that_only_values_that_a_drive_can_have_are_believed() -> None:
    years = 50 * 366 * 24
    assert [believable_hours(h) for h in (-1, 0, years, years + 1, None)] == [None, 0, years, None, None]
    warm = [believable_temperature(t) for t in (-60, -59, 0, 1, 149, 150, None)]
    assert warm == [None, -59, None, 1, 149, None, None]
    assert [sector(s) for s in (127, 128, 1 << 20, (1 << 20) + 1, None)] == [None, 128, 1 << 20, None, None]
    numbers = [first_number(t) for t in ("28 (Min 21)", "463h+45m", " 7", "x", "1" * 21, None)]
    assert numbers == [28, 463, 7, None, None, None]
    assert [grouped_number(t) for t in ("500.107 bytes", "3'840 [x]", "", None, "1" * 24, "1" * 25)] == [
        500107, 3840, None, None, int("1" * 24), None,
    ]  # fmt: skip
    assert {canonical_wwn(t) for t in ("5 000c50 012345678", "0x5000C50012345678")} == {"0x5000c50012345678"}
    assert [canonical_wwn(t) for t in ("0" * 16, "eui." + "0" * 15, None)] == [None] * 3
