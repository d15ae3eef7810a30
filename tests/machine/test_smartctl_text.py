"""smartctl's text output, fact by fact: a SATA disk, a SAS disk and an NVMe drive with made-up serial numbers."""

import pytest

from poolwright.domain.disk import LbaFormat
from poolwright.machine.smartctl.as_text import (
    SmartFacts,
    believable_hours,
    believable_temperature,
    facts_from_text,
    sector,
)

SATA = """smartctl 7.3 2022-02-28 r5338 [x86_64-linux-6.1.0] (local build)

=== START OF INFORMATION SECTION ===
Model Family:     Example Family
Device Model:     EXAMPLE ST4000
Serial Number:    EXSER01
LU WWN Device Id: 5 000c50 0d0000010
Firmware Version: SN04
User Capacity:    4,000,787,030,016 bytes [4.00 TB]
Sector Sizes:     512 bytes logical, 4096 bytes physical
Rotation Rate:    5900 rpm
SATA Version is:  SATA 3.1, 6.0 Gb/s (current: 6.0 Gb/s)
Zoned Device:     Device managed zones
SMART support is: Available - device has SMART capability.
SMART support is: Enabled
SMART overall-health self-assessment test result: PASSED

ID# ATTRIBUTE_NAME          FLAG     VALUE WORST THRESH TYPE      UPDATED  WHEN_FAILED RAW_VALUE
  5 Reallocated_Sector_Ct   0x0033   100   100   010    Pre-fail  Always       -       8
  9 Power_On_Hours          0x0032   089   089   000    Old_age   Always       -       9999
190 Airflow_Temperature_Cel 0x0022   071   053   045    Old_age   Always   In_the_past 29 (Min/Max 28/30)
194 Temperature_Celsius     0x0022   029   047   000    Old_age   Always       -       31 (0 17 0 0 0)
"""
SAS = """smartctl 7.3 2022-02-28 r5338 [x86_64-linux-6.1.0] (local build)
Vendor:               EXAMPLE
Product:              HUS726
Revision:             A1
User Capacity:        6,001,175,126,016 bytes [6.00 TB]
Logical block size:   512 bytes
Physical block size:  4096 bytes
Rotation Rate:        7200 rpm
Logical Unit id:      0x5000cca200000010
Serial number:        EXSER02
Device type:          disk
Transport protocol:   SAS (SPL-4)
SMART Health Status: OK
Current Drive Temperature:     33 C
Drive Trip Temperature:        85 C
Elements in grown defect list: 3
           Errors Corrected by           Total   Correction     Gigabytes    Total
read:   1  0  0  1  0  10.000           2
write:  0  0  0  0  0  20.000           5
number of hours powered up = 1234.50
"""
NVME = """smartctl 7.3 2022-02-28 r5338 [x86_64-linux-6.1.0] (local build)
Model Number:                       EXAMPLE SSD
Serial Number:                      EXSER03
Firmware Version:                   2B2
Total NVM Capacity:                 1,000,204,886,016 [1.00 TB]
Unallocated NVM Capacity:           204,886,016
Namespace 1 Size/Capacity:          1,000,000,000,000 [1.00 TB]
Namespace 1 Formatted LBA Size:     512
Namespace 1 IEEE EUI-64:            002538 5b01234567
Warning  Comp. Temp. Threshold:     85 Celsius

Supported LBA Sizes (NSID 0x1)
Id Fmt  Data  Metadt  Rel_Perf
 0 +     512       0         0
 1 -    4096       8         0
SMART overall-health self-assessment test result: FAILED!
Critical Warning:                   0x04
Temperature:                        41 Celsius
Available Spare:                    90%
Available Spare Threshold:          10%
Percentage Used:                    12%
Power On Hours:                     12,345
Media and Data Integrity Errors:    1,002
"""


def told(facts: SmartFacts, **expected: object) -> None:
    assert {name: getattr(facts, name) for name in expected} == expected


def test_that_every_fact_of_a_sata_disk_is_read() -> None:
    facts = facts_from_text(SATA)
    told(facts, model="EXAMPLE ST4000", family="Example Family", serial="EXSER01", wwn="0x5000c500d0000010",
         firmware="SN04", size_bytes=4000787030016, logical_sector_bytes=512,
         physical_sector_bytes=4096, rotation=5900, zoned=True, transport="sata", passed=True,
         protocol=None, hours=9999, temperature=31, temperature_limit=None, smart_enabled=None)  # fmt: skip
    rows = [(a.number, a.name, a.value, a.threshold, a.raw, a.failed) for a in facts.attributes]
    assert rows[0] == (5, "Reallocated_Sector_Ct", 100, 10, 8, "")
    assert rows[2] == (190, "Airflow_Temperature_Cel", 71, 45, 29, "In_the_past")


def test_that_every_fact_of_a_sas_disk_is_read() -> None:
    told(facts_from_text(SAS), model="EXAMPLE HUS726", vendor="EXAMPLE", serial="EXSER02", wwn="0x5000cca200000010",
         firmware="A1", size_bytes=6001175126016, logical_sector_bytes=512, physical_sector_bytes=4096, rotation=7200,
         zoned=None, transport="sas", kind="disk", passed=True, temperature=33, temperature_limit=85, grown_defects=3,
         uncorrected_errors=7, hours=1234)  # fmt: skip


def test_that_every_fact_of_an_nvme_drive_is_read() -> None:
    facts = facts_from_text(NVME)
    told(facts, model="EXAMPLE SSD", protocol="NVMe", serial="EXSER03", wwn="eui.0025385b01234567", firmware="2B2",
         size_bytes=1000000000000, logical_sector_bytes=512, physical_sector_bytes=None,
         transport="nvme", passed=False, critical_warning=4, temperature=41, temperature_limit=85, available_spare=90,
         spare_threshold=10, percentage_used=12, hours=12345, media_errors=1002)  # fmt: skip
    assert facts.lba_formats == (
        LbaFormat(data_bytes=512, metadata_bytes=0, current=True),
        LbaFormat(data_bytes=4096, metadata_bytes=8, current=False),
    )


def test_that_the_controllers_capacity_without_what_is_not_allocated_stands_in_for_a_namespace() -> None:
    facts = facts_from_text("\n".join(line for line in NVME.splitlines() if "Size/Capacity" not in line))
    assert facts.size_bytes == 1000000000000


def test_that_the_temperature_is_the_first_that_can_be_one() -> None:
    lines = SATA.splitlines()
    assert facts_from_text("\n".join(line for line in lines if not line.startswith("194"))).temperature == 29
    assert facts_from_text(SATA.replace("31 (0 17", "0 (0 17")).temperature == 29
    assert facts_from_text("\n".join(line for line in lines if not line.startswith("19"))).temperature is None


@pytest.mark.parametrize(("said", "enabled"), [("Disabled", False), ("Enabled", None)])
def test_that_switched_off_smart_is_known_by_the_last_line_that_tells(said: str, enabled: bool | None) -> None:
    assert facts_from_text(SATA.replace("is: Enabled", f"is: {said}")).smart_enabled is enabled


@pytest.mark.parametrize(
    ("celsius", "believed"),
    [(-60, None), (-59, -59), (-1, -1), (0, None), (1, 1), (149, 149), (150, None), (255, None), (None, None)],
)
def test_that_only_temperatures_a_drive_can_have_are_believed(celsius: int | None, believed: int | None) -> None:
    assert believable_temperature(celsius) == believed


def test_that_only_sector_sizes_and_hours_that_can_be_are_believed() -> None:
    assert [sector(size) for size in (127, 128, 520, 1 << 20, (1 << 20) + 1)] == [None, 128, 520, 1 << 20, None]
    fifty_years = 50 * 366 * 24
    assert [believable_hours(hours) for hours in (-1, 0, fifty_years, fifty_years + 1)] == [None, 0, fifty_years, None]
