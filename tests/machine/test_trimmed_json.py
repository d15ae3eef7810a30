"""smartctl's JSON as people post it: keys trimmed, the block “smartctl” gone, several drives in one list."""

import json
from pathlib import Path

import pytest

from poolwright.domain.disk import Disk
from poolwright.store.capture_files import open_captures

SIZE = 16000900661248
WHOLE = {
    "json_format_version": [1, 0],
    "smartctl": {"version": [7, 4], "argv": ["smartctl", "-x", "--json", "/dev/sda"], "exit_status": 0},
    "device": {"name": "/dev/sda", "type": "sat", "protocol": "ATA"},
    "model_name": "ST16000NM001G-2KK103",
    "serial_number": "ZL2ABC",
    "user_capacity": {"blocks": SIZE // 512, "bytes": SIZE},
    "logical_block_size": 512,
    "physical_block_size": 4096,
    "rotation_rate": 7200,
    "smart_status": {"passed": True},
}
NVME = {
    "model_name": "Samsung SSD 980 PRO 1TB",
    "serial_number": "S5GX",
    "nvme_total_capacity": 1000204886016,
    "nvme_smart_health_information_log": {"percentage_used": 3},
}


def without(*keys: str) -> dict[str, object]:
    return {key: value for key, value in WHOLE.items() if key not in keys}


def read(tmp_path: Path, document: object) -> tuple[Disk, ...]:
    path = tmp_path / "posted.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return open_captures([path]).disks


@pytest.mark.parametrize(
    "gone",
    [
        (),
        ("smartctl",),
        ("smartctl", "json_format_version"),
        ("smartctl", "json_format_version", "device"),
        ("smartctl", "json_format_version", "device", "smart_status", "rotation_rate"),
    ],
)
def test_that_a_drive_is_known_by_its_shape(tmp_path: Path, gone: tuple[str, ...]) -> None:
    (disk,) = read(tmp_path, without(*gone))
    assert (disk.serial, disk.size_bytes, disk.physical_sector_bytes) == ("ZL2ABC", SIZE, 4096)


def test_that_a_list_of_drives_is_read_as_all_of_them(tmp_path: Path) -> None:
    second = {**without("smartctl"), "serial_number": "ZL2XYZ", "device": {"name": "/dev/sdb"}}
    disks = read(tmp_path, [without("smartctl"), second, NVME])
    assert sorted(disk.serial or "" for disk in disks) == ["S5GX", "ZL2ABC", "ZL2XYZ"]
