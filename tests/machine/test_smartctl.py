"""What smartctl's JSON and text give, on drives written for the purpose."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.machines.writing import nvme_smartctl, smartctl, smartctl_complaint

from poolwright.domain.disk import Disk, Health, LbaFormat, Media, is_placeholder
from poolwright.domain.errors import UserError
from poolwright.domain.origin import Origin, OriginKind
from poolwright.machine.drive_words import is_known_smr
from poolwright.machine.smartctl.as_text import canonical_wwn
from poolwright.machine.smartctl.read import other_types, read_smartctl

ORIGIN = Origin(kind=OriginKind.READ, source="smartctl on box")
HEAD = "smartctl 7.4 2023-08-01 r5530 [x86_64-linux-6.8.0] (local build)\n\n=== START OF INFORMATION SECTION ===\n"


def disk_of(text: str, hint: str | None = None) -> Disk:
    disk = read_smartctl(text, ORIGIN, path_hint=hint).disk
    assert disk is not None
    return disk


def texts(disk: Disk) -> str:
    return "\n".join(note.text for note in disk.notes)


def ata(*rows: dict[str, object]) -> dict[str, object]:
    return {"table": list(rows)}


def test_that_a_512e_sas_drive_is_read_whole() -> None:
    disk = disk_of(smartctl("/dev/sda"))
    assert (disk.size_bytes, disk.logical_sector_bytes, disk.physical_sector_bytes) == (6001175126016, 512, 4096)
    assert (disk.model, disk.vendor, disk.serial) == ("SEAGATE ST6000NM0034", "SEAGATE", "SERsda")
    assert (disk.media, disk.rotation_rpm, disk.health) == (Media.HDD, 7200, Health.GOOD)
    assert disk.origin_of("physical_sector_bytes") == ORIGIN


def test_that_smart_support_may_be_a_bare_bool() -> None:
    assert disk_of(smartctl("/dev/sda", smart_support=True)).health is Health.GOOD


def test_that_a_controllers_capacity_is_taken_with_a_note_when_no_namespace_tells() -> None:
    text = nvme_smartctl("/dev/nvme0", user_capacity=None, nvme_namespaces=None, logical_block_size=None)
    reading = read_smartctl(text, ORIGIN)
    assert reading.whole_controller
    assert reading.disk is not None
    assert (reading.disk.size_bytes, reading.disk.logical_sector_bytes) == (1000204886016, None)
    assert "not of a namespace" in texts(reading.disk)


def test_that_a_device_named_by_id_keeps_that_name() -> None:
    disk = disk_of(smartctl("/dev/disk/by-id/ata-X_1"))
    assert disk.by_id == ("ata-X_1",)


def test_that_a_refused_open_names_the_disk_and_asks_for_root() -> None:
    disk = disk_of(smartctl_complaint("/dev/sda", "Smartctl open device: /dev/sda failed: Permission denied"))
    assert disk.path == "/dev/sda"
    assert (disk.size_bytes, disk.health) == (None, None)
    assert "run it as root" in texts(disk)


@pytest.mark.parametrize(
    "number",
    ["500,107,862,016", "500.107.862.016", "500'107'862'016", "500 107 862 016", "500\u202f107\u202f862\u202f016"],
)
def test_that_any_separator_of_thousands_is_read(number: str) -> None:
    lines = f"User Capacity:    {number} bytes [500 GB]\nSector Size:      512 bytes logical/physical\n"
    text = f"{HEAD}Device Model:     X\n{lines}"
    disk = disk_of(text)
    assert (disk.size_bytes, disk.logical_sector_bytes, disk.physical_sector_bytes) == (500107862016, 512, 512)


def test_that_nothing_else_is_asked_where_the_answer_was_cut_off() -> None:
    assert other_types('{"smartctl": ') == ()


def test_that_text_without_a_serial_line_gives_none() -> None:
    disk = disk_of(f"{HEAD}Device Model:     BIWIN SSD\nFirmware Version: SHY09A0\n")
    assert disk.serial is None
    assert disk.media is Media.SSD


def test_that_a_usb_bridge_is_named_as_the_reason() -> None:
    disk = disk_of(f"{HEAD}/dev/sdg: Unknown USB bridge [0x1e91:0xa3a5 (0x100)]\n")
    assert (disk.path, disk.transport, disk.physical_sector_bytes) == ("/dev/sdg", "usb", None)
    assert "cannot be told" in texts(disk)


def test_that_a_shell_prompt_before_the_output_does_no_harm() -> None:
    disk = disk_of("[root@box ~]# smartctl -i /dev/sdb\n" + HEAD + "Device Model:     X\n")
    assert disk.path == "/dev/sdb"
    assert disk_of("$ smartctl --json -x /dev/sda\n" + smartctl("/dev/sda")).size_bytes == 6001175126016


def test_that_a_file_name_gives_the_path_where_the_text_does_not() -> None:
    assert disk_of(f"{HEAD}Device Model:     X\n", "/dev/sdc").path == "/dev/sdc"


@pytest.mark.parametrize(
    "model",
    [
        "WDC WD40EFAX-68JH4N0", "WDC_WD60EZAZ-00SF3B0", "WD10SPSX-00A6WT0", "WDC WD20SPZX-22UA7T0",
        "ST8000DM004-2U9188", "ST4000DM005-2DP166", "ST8000AS0002-1NA17Z", "ST5000LM000-2AN170", "ST2000LM007-1R8174",
        "TOSHIBA MQ04ABF100", "TOSHIBA HDWD240", "TOSHIBA DT02ABA600V", "TOSHIBA HDWL120",
    ],
)  # fmt: skip
def test_that_drive_managed_smr_models_are_known(model: str) -> None:
    assert is_known_smr(model)


# WD80EFAX and WD80EAZZ record conventionally although smaller models of their names do not.
@pytest.mark.parametrize(
    "model",
    [
        "WDC WD40EFRX-68N32N0", "WDC WD80EFAX-68KNBN0", "WDC WD100EFAX-68LHPN0", "WDC WD80EAZZ-00BKLB0", "WD20NPVZ",
        "WDC WD40EFZX", "ST6000NM0034", "ST16000NM001G", "ST1000DM010-2EP102", "TOSHIBA HDWD120", None,
    ],
)  # fmt: skip
def test_that_other_models_are_not_said_to_be_smr(model: str | None) -> None:
    assert not is_known_smr(model)


def test_that_a_family_called_smr_in_smartctls_database_is_believed() -> None:
    document = smartctl("/dev/sda", model_name="NEW 9000", model_family="Maker Line (SMR)")
    assert disk_of(document).smr is True
    assert disk_of(smartctl("/dev/sda", model_name="NEW 9000", model_family="Maker Line")).smr is None


def test_that_lba_formats_are_read_under_the_names_smartctl_gives_them() -> None:
    formats = [
        {"formatted": True, "data_bytes": 512, "metadata_bytes": 0, "relative_performance": 2},
        None,
        {"formatted": False, "data_bytes": 4096, "metadata_bytes": 8, "relative_performance": 0},
    ]
    size = {"blocks": 1953525168, "bytes": 1000204886016}
    namespace = {"id": 1, "size": size, "capacity": size, "formatted_lba_size": 512, "lba_formats": formats}
    disk = disk_of(nvme_smartctl("/dev/nvme0n1", nvme_namespaces=[namespace]))
    assert disk.lba_formats == (
        LbaFormat(data_bytes=512, current=True), LbaFormat(data_bytes=4096, metadata_bytes=8)
    )  # fmt: skip


def test_that_a_thin_namespace_is_as_large_as_the_kernel_shows_it() -> None:
    size, capacity = {"bytes": 2000398934016}, {"bytes": 1000204886016}
    namespace = {"id": 1, "size": size, "capacity": capacity, "formatted_lba_size": 512}
    document = nvme_smartctl("/dev/nvme0n1", user_capacity=capacity, nvme_namespaces=[namespace])
    assert disk_of(document).size_bytes == 2000398934016


def test_that_a_translation_layer_is_neither_vendor_nor_part_of_the_model() -> None:
    document = smartctl("/dev/sda", scsi_vendor="ATA", scsi_product="WDC WD40EFRX-68N", scsi_model_name=None)
    assert (disk_of(document).vendor, disk_of(document).model) == (None, "WDC WD40EFRX-68N")
    document = smartctl("/dev/sda", scsi_vendor="ATA", scsi_model_name="ATA WDC WD40EFRX-68N")
    assert (disk_of(document).vendor, disk_of(document).model) == (None, "WDC WD40EFRX-68N")
    text = f"{HEAD}Vendor:               ATA\nProduct:              ST6000NM0034\nUser Capacity:  6 bytes\n"
    assert (disk_of(text).vendor, disk_of(text).model) == (None, "ST6000NM0034")


@pytest.mark.parametrize("serial", ["XXXXXXXX", "REDACTED", "<hidden>", "0000000", "1234567890", "2PKXXXXXXX"])
def test_that_blacked_out_serials_are_known_as_such(serial: str) -> None:
    assert is_placeholder(serial)


@pytest.mark.parametrize("serial", ["WD-WCC7K0000000", "ZR500000", "S3ESNX0J306123", "9QJ0FFG7", "7"])
def test_that_real_serials_are_not_taken_for_blacked_out(serial: str) -> None:
    assert not is_placeholder(serial)


def test_that_world_wide_names_have_one_spelling() -> None:
    assert canonical_wwn("5 0014ee 2b1234567") == canonical_wwn("0x50014EE2B1234567") == "0x50014ee2b1234567"
    assert canonical_wwn("REDACTED") is None


@given(st.text(max_size=400))
def test_that_no_text_crashes_the_reader(text: str) -> None:
    body = f"{HEAD}Device Model:     X\n{text}"
    try:
        reading = read_smartctl(body, ORIGIN)
    except UserError:
        return
    assert reading.disk is not None or reading.notes


ODD_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
SIZES = ["user_capacity", "nvme_namespaces", "logical_block_size", "seagate_farm_log"]
NAMES = ["device", "wwn", "serial_number", "smartctl", "rotation_rate"]
HEALTH = ["smart_status", "ata_smart_attributes", "temperature", "power_on_time", "scsi_error_counter_log"]
KEYS = st.sampled_from(SIZES + NAMES + HEALTH)


@given(st.dictionaries(KEYS, ODD_VALUES, max_size=6))
def test_that_values_of_any_shape_become_unknown_and_not_a_crash(changes: dict[str, object]) -> None:
    reading = read_smartctl(smartctl("/dev/sda", **changes), ORIGIN)
    assert reading.disk is None or reading.disk.size_bytes is None or reading.disk.size_bytes > 0
