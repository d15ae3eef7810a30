"""What smartctl's JSON and text give, on drives written for the purpose."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.machines.writing import smartctl

from poolwright.domain.disk import Disk, is_placeholder
from poolwright.domain.estimate import Origin, OriginKind
from poolwright.machine.drive_words import recording_of
from poolwright.machine.smartctl.read import read_smartctl

ORIGIN = Origin(kind=OriginKind.READ, source="smartctl on box")
HEAD = "smartctl 7.4 2023-08-01 r5530 [x86_64-linux-6.8.0] (local build)\n\n=== START OF INFORMATION SECTION ===\n"


def disk_of(text: str, hint: str | None = None) -> Disk:
    disk = read_smartctl(text, ORIGIN, path_hint=hint).disk
    assert disk is not None
    return disk


@pytest.mark.parametrize(
    "number",
    ["500,107,862,016", "500.107.862.016", "500'107'862'016", "500 107 862 016", "500\u202f107\u202f862\u202f016"],
)
def test_that_any_separator_of_thousands_is_read(number: str) -> None:
    lines = f"User Capacity:    {number} bytes [500 GB]\nSector Size:      512 bytes logical/physical\n"
    text = f"{HEAD}Device Model:     X\n{lines}"
    disk = disk_of(text)
    assert (disk.size_bytes, disk.logical_sector_bytes, disk.physical_sector_bytes) == (500107862016, 512, 512)


def test_that_a_shell_prompt_before_the_output_does_no_harm() -> None:
    disk = disk_of("[root@box ~]# smartctl -i /dev/sdb\n" + HEAD + "Device Model:     X\n")
    assert disk.path == "/dev/sdb"
    assert disk_of("$ smartctl --json -x /dev/sda\n" + smartctl("/dev/sda")).size_bytes == 6001175126016


@pytest.mark.parametrize(
    "model",
    [
        "WDC WD40EFAX-68JH4N0", "WDC_WD60EZAZ-00SF3B0", "WD10SPSX-00A6WT0", "WDC WD20SPZX-22UA7T0",
        "ST8000DM004-2U9188", "ST4000DM005-2DP166", "ST8000AS0002-1NA17Z", "ST5000LM000-2AN170", "ST2000LM007-1R8174",
        "TOSHIBA MQ04ABF100", "TOSHIBA HDWD240", "TOSHIBA DT02ABA600V", "TOSHIBA HDWL120",
    ],
)  # fmt: skip
def test_that_drive_managed_smr_models_are_known(model: str) -> None:
    assert recording_of(model)


# WD80EFAX and WD80EAZZ record conventionally although smaller models of their names do not.
@pytest.mark.parametrize(
    "model",
    [
        "WDC WD40EFRX-68N32N0", "WDC WD80EFAX-68KNBN0", "WDC WD100EFAX-68LHPN0", "WDC WD80EAZZ-00BKLB0", "WD20NPVZ",
        "WDC WD40EFZX", "ST6000NM0034", "ST16000NM001G", "ST1000DM010-2EP102", "TOSHIBA HDWD120", None,
    ],
)  # fmt: skip
def test_that_other_models_are_not_said_to_be_smr(model: str | None) -> None:
    assert not recording_of(model)


def test_that_a_family_called_smr_in_smartctls_database_is_believed() -> None:
    document = smartctl("/dev/sda", model_name="NEW 9000", model_family="Maker Line (SMR)")
    assert disk_of(document).smr is True
    assert disk_of(smartctl("/dev/sda", model_name="NEW 9000", model_family="Maker Line")).smr is None


@pytest.mark.parametrize(
    "serial",
    ["XXXXXXXX", "REDACTED", "<hidden>", "0000000", "1234567890", "2PKXXXXXXX", " ", "n/a", "0x5000cca0499602d2",
     "0x5000c50fffffffff", "eui.00253800499602d2", "0x0"],
)  # fmt: skip
def test_that_blacked_out_serials_are_known_as_such(serial: str) -> None:
    assert is_placeholder(serial)


@pytest.mark.parametrize(
    "serial", ["WD-WCC7K0000000", "ZR500000", "S3ESNX0J306123", "9QJ0FFG7", "7", "A0000", "0x50014ee0499602d3"]
)
def test_that_real_serials_are_not_taken_for_blacked_out(serial: str) -> None:
    assert not is_placeholder(serial)


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
