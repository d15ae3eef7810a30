"""Every smartctl file of the corpus against a plain reading of the same file, and the odd ones against the eye."""

import json
import re
from pathlib import Path

import pytest

from poolwright.domain.disk import Health, Media
from poolwright.domain.estimate import Origin, OriginKind
from poolwright.machine.smartctl.read import SmartctlReading, read_smartctl

CORPUS = Path(__file__).parents[2].parent / "shared" / "corpus"
JSON_FILES = sorted((CORPUS / "smartctl_json").glob("*.json"))
TEXT_FILES = sorted(p for p in (CORPUS / "smartctl_text").glob("*") if "_scan" not in p.name)

pytestmark = pytest.mark.skipif(not JSON_FILES, reason="the corpus is not here")


def reading(path: Path) -> SmartctlReading:
    text = path.read_text(encoding="utf-8", errors="replace")
    return read_smartctl(text, Origin(kind=OriginKind.READ, source=path.name))


def find(folder: str, part: str) -> Path:
    found = [p for p in sorted((CORPUS / folder).glob("*")) if part in p.name]
    if not found:
        pytest.skip(f"{part} is not in this corpus")
    return found[0]


@pytest.mark.parametrize("path", JSON_FILES, ids=lambda p: p.stem)
def test_that_the_facts_of_a_json_file_are_what_its_keys_say(path: Path) -> None:
    document = json.loads(path.read_text(encoding="utf-8"))
    farm = document.get("seagate_farm_log", {}).get("page_1_drive_information", {})
    disk = reading(path).disk
    kind = document.get("device_type", {}).get("name", "")
    product = f"{document.get('scsi_product', '')}{document.get('product', '')}"
    if disk is None:
        assert "CD" in kind or "DVD" in product or document["smartctl"]["exit_status"] & 3
        assert "user_capacity" not in document
        return
    capacity = document.get("user_capacity", {}).get("bytes") or document.get("nvme_total_capacity")
    if farm:
        capacity = farm["device_capacity_in_sectors"] * farm["logical_sector_size"]
    assert disk.size_bytes == (capacity or None)
    assert disk.logical_sector_bytes == document.get("logical_block_size", farm.get("logical_sector_size"))
    assert disk.physical_sector_bytes == document.get("physical_block_size", farm.get("physical_sector_size"))
    assert disk.serial == document.get("serial_number", farm.get("serial_number"))
    name = document.get("model_name") or document.get("scsi_model_name")
    if name:
        assert disk.model == name.strip()
    rotation = document.get("rotation_rate", farm.get("rotation_rate"))
    if rotation:
        assert (disk.media, disk.rotation_rpm) == (Media.HDD, rotation)
    elif rotation == 0 and capacity:
        assert disk.media is Media.SSD
    if document.get("device", {}).get("protocol") == "NVMe":
        assert disk.media is Media.NVME
    passed = document.get("smart_status", {}).get("passed")
    if passed is None:
        assert disk.health is None
    else:
        assert (disk.health is Health.FAILING) == (not passed)
    hours = document.get("power_on_time", {}).get("hours", farm.get("poh"))
    assert disk.power_on_hours == hours
    if disk.path:
        assert disk.path in (document.get("device", {}).get("name"), document["smartctl"]["argv"][-1])


def number(text: str, pattern: str) -> int | None:
    match = re.search(pattern, text, re.MULTILINE)
    return int(re.sub(r"[^0-9]", "", match.group(1))) if match else None


@pytest.mark.parametrize("path", TEXT_FILES, ids=lambda p: p.stem)
def test_that_the_facts_of_a_text_file_are_what_its_lines_say(path: Path) -> None:
    text = path.read_text(encoding="utf-8", errors="replace")
    disk = reading(path).disk
    if disk is None:
        assert "User Capacity" not in text
        assert "Total NVM" not in text
        return
    size = number(text, r"^User Capacity: +(.+) bytes") or number(text, r"^Namespace 1 Size/Capacity: +([^\[]+)")
    assert disk.size_bytes == size
    one = number(text, r"^Sector Size: +(\d+) bytes logical/physical")
    logical = (
        one or number(text, r"^Sector Sizes: +(\d+) bytes logical") or number(text, r"^Logical block size: +(\d+)")
    )
    logical = logical or number(text, r"^Namespace 1 Formatted LBA Size: +(\d+)")
    physical = (
        one or number(text, r"^Sector Sizes: .* (\d+) bytes physical") or number(text, r"^Physical block.*: +(\d+)")
    )
    assert (disk.logical_sector_bytes, disk.physical_sector_bytes) == (logical, physical)
    serial = re.search(r"^Serial [Nn]umber: +(.*\S)", text, re.MULTILINE)
    assert disk.serial == (serial.group(1) if serial and not serial.group(1).startswith("[No") else None)
    model = re.search(r"^(?:Device Model|Model Number): +(.*\S)", text, re.MULTILINE)
    if model:
        assert disk.model == model.group(1)
    if "test result: FAILED" in text:
        assert disk.health is Health.FAILING
    if not re.search(r"test result:|Health Status:|Reallocated|Critical Warning|WHEN_FAILED|FAIL RAW", text):
        assert disk.health is None


ODD = [
    ("smartctl_json", "smart-ata-farm", (16000900661248, 512, 4096, Media.HDD)),
    ("smartctl_json", "hitachi_autodetect", (None, 512, None, None)),
    ("smartctl_json", "history_smart-scsi-sas-env-temp", (18000207937536, 512, None, Media.HDD)),
    ("smartctl_json", "INTEL_SSDPE2KX080T8_3", (8001563222016, None, None, Media.NVME)),
    ("smartctl_json", "INTEL_SSDPE2KX020T7-nvme6", (2000398934016, 4096, None, Media.NVME)),
    ("smartctl_json", "ST3200820AS_16", (200048565760, 512, 512, None)),
    ("smartctl_text", "issue159_german_locale", (500107862016, 512, 512, Media.HDD)),
    ("smartctl_text", "issue479_usb_scsi_fallback", (4000787030016, 512, None, Media.SSD)),
    ("smartctl_text", "issue419_usb_sat_noserial", (960197124096, 512, 4096, Media.SSD)),
    ("smartctl_text", "issue14730_mz7lm_512n", (3840755982336, 512, 512, Media.SSD)),
]


@pytest.mark.parametrize(("folder", "part", "facts"), ODD, ids=[o[1] for o in ODD])
def test_that_odd_files_come_out_as_a_person_reads_them(
    folder: str, part: str, facts: tuple[int | None, int | None, int | None, Media | None]
) -> None:
    disk = reading(find(folder, part)).disk
    assert disk is not None
    assert (disk.size_bytes, disk.logical_sector_bytes, disk.physical_sector_bytes, disk.media) == facts


def test_that_a_drive_behind_megaraid_does_not_take_the_path_of_the_logical_drive() -> None:
    disk = reading(find("smartctl_json", "smart-megaraid1")).disk
    assert disk is not None
    assert (disk.path, disk.controller, disk.slot) == (None, "sat+megaraid,1", "1")
    assert disk.health is Health.SUSPECT


def test_that_an_nvme_backup_failure_is_failing_health() -> None:
    disk = reading(find("smartctl_json", "SAMSUNG_MZWLL3T2HAJQ")).disk
    assert disk is not None
    assert disk.health is Health.FAILING
    assert any("backup of volatile memory" in note.text for note in disk.notes)


def test_that_the_supported_lba_sizes_are_read_from_text() -> None:
    disk = reading(find("smartctl_text", "trixie_smartctl_x_nvme512")).disk
    assert disk is not None
    assert [f.data_bytes for f in disk.lba_formats if f.current] == [512]
    assert 4096 in {f.data_bytes for f in disk.lba_formats}


def test_that_attributes_failing_their_checksum_are_not_believed() -> None:
    disk = reading(find("smartctl_text", "80G_ide_zura-a.37.smrt_dis")).disk
    assert disk is not None
    assert disk.health is Health.GOOD
    assert any("checksum" in note.text for note in disk.notes)
