"""nvme-cli's JSON: flat and nested lists, namespaces, the health log."""

import json

import pytest

from poolwright.domain.disk import Health, Media
from poolwright.domain.errors import UserError
from poolwright.domain.origin import Origin, OriginKind
from poolwright.machine.nvme import read_id_ns, read_nvme_list, read_smart_log

ORIGIN = Origin(kind=OriginKind.READ, source="nvme on box")
FLAT = {
    "Devices": [
        {
            "NameSpace": 1, "DevicePath": "/dev/nvme0n1", "Firmware": "1.0", "ModelNumber": "EXAMPLE 1TB",
            "SerialNumber": "NV1", "UsedBytes": 0, "MaximumLBA": 1953525168, "PhysicalSize": 1000204886016,
            "SectorSize": 512,
        }
    ]
}  # fmt: skip
SPACE = {"NameSpace": "nvme1n1", "NSID": 1, "PhysicalSize": 1000204886016, "SectorSize": 4096}
CONTROLLER = {
    "Controller": "nvme1",
    "SerialNumber": "NV2",
    "ModelNumber": "EXAMPLE",
    "Firmware": "2",
    "Transport": "pcie",
}


def nested(controllers: list[object], namespaces: list[object]) -> str:
    system = {"Subsystem": "nvme-subsys0", "Controllers": controllers, "Namespaces": namespaces}
    return json.dumps({"Devices": [{"HostNQN": "x", "Subsystems": [system]}]})


def test_that_the_flat_list_of_nvme_cli_1_is_read() -> None:
    (disk,) = read_nvme_list(json.dumps(FLAT), ORIGIN)
    assert (disk.path, disk.model, disk.serial, disk.firmware) == ("/dev/nvme0n1", "EXAMPLE 1TB", "NV1", "1.0")
    assert (disk.size_bytes, disk.logical_sector_bytes, disk.physical_sector_bytes) == (1000204886016, 512, None)
    assert (disk.media, disk.transport) == (Media.NVME, "nvme")


@pytest.mark.parametrize(
    "text",
    [nested([CONTROLLER | {"Namespaces": [SPACE]}], []), nested([CONTROLLER | {"Namespaces": []}], [SPACE])],
    ids=["under the controller", "under the subsystem"],
)
def test_that_the_nested_list_of_nvme_cli_2_is_read(text: str) -> None:
    (disk,) = read_nvme_list(text, ORIGIN)
    assert (disk.path, disk.serial, disk.logical_sector_bytes) == ("/dev/nvme1n1", "NV2", 4096)


def test_that_a_namespace_shared_by_two_controllers_is_one_disk() -> None:
    text = nested([CONTROLLER | {"Namespaces": [SPACE]}, CONTROLLER | {"Namespaces": [SPACE]}], [])
    assert len(read_nvme_list(text, ORIGIN)) == 1


def test_that_a_namespace_tells_its_size_and_every_format() -> None:
    document = {"nsze": 1953525168, "flbas": 0, "lbafs": [{"ms": 0, "ds": 9}, {"ms": 8, "ds": 9}, {"ms": 0, "ds": 12}]}
    disk = read_id_ns(json.dumps(document), ORIGIN, path_hint="/dev/nvme0n1")
    assert (disk.path, disk.size_bytes, disk.logical_sector_bytes) == ("/dev/nvme0n1", 1000204886016, 512)
    assert [(f.data_bytes, f.metadata_bytes, f.current) for f in disk.lba_formats] == [
        (512, 0, True), (512, 8, False), (4096, 0, False),
    ]  # fmt: skip


def test_that_unused_format_slots_are_not_offers() -> None:
    document = {"nsze": 1, "flbas": 1, "lbafs": [{"ms": 0, "ds": 0}, {"ms": 0, "ds": 12}]}
    disk = read_id_ns(json.dumps(document), ORIGIN)
    assert [(f.data_bytes, f.current) for f in disk.lba_formats] == [(4096, True)]


def test_that_the_health_log_counts_kelvin_and_floats() -> None:
    log = {"critical_warning": 0, "temperature": 310.0, "avail_spare": 100.0, "spare_thresh": 5.0, "percent_used": 2.0,
           "power_on_hours": 4974.0, "media_errors": 0}  # fmt: skip
    disk = read_smart_log(json.dumps(log), ORIGIN, path_hint="/dev/nvme0").disk
    assert disk is not None
    assert (disk.temperature_celsius, disk.wear_percent, disk.power_on_hours) == (37, 2, 4974)
    assert disk.health is Health.GOOD


def test_that_a_truncated_list_is_refused() -> None:
    with pytest.raises(UserError, match="ends in the middle"):
        read_nvme_list(json.dumps(FLAT)[:-10], ORIGIN)


@pytest.mark.parametrize(
    ("spare", "threshold", "media_errors", "health"),
    [(5, 5, 0, Health.GOOD), (4, 5, 0, Health.SUSPECT), (4, 0, 0, Health.GOOD), (100, 5, 3, Health.SUSPECT)],
)
def test_that_too_few_spare_blocks_and_lost_data_make_a_drive_suspect(
    spare: int, threshold: int, media_errors: int, health: Health
) -> None:
    log = {"critical_warning": 0, "avail_spare": spare, "spare_thresh": threshold, "media_errors": media_errors}
    disk = read_smart_log(json.dumps(log), ORIGIN, path_hint="/dev/nvme0").disk
    assert disk is not None
    assert disk.health is health
