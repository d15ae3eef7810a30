"""World-wide names in smartctl's JSON, whichever way a drive tells them."""

import pytest
from tests.machines.writing import nvme_smartctl, smartctl

from poolwright.domain.origin import Origin, OriginKind
from poolwright.machine.smartctl.read import read_smartctl

ORIGIN = Origin(kind=OriginKind.READ, source="smartctl")
PARTS = {"naa": 5, "oui": 0x000C50, "id": 0x0D0000010}
FARM = {"page_1_drive_information": {"world_wide_name": "0x5000c500d0000030"}}


def wwn_of(text: str) -> str | None:
    disk = read_smartctl(text, ORIGIN).disk
    assert disk is not None
    return disk.wwn


@pytest.mark.parametrize(
    ("facts", "name"),
    [
        ({"wwn": PARTS}, "0x5000c500d0000010"),
        ({"wwn": {**PARTS, "naa": None}}, None),
        ({"wwn": {**PARTS, "id": None}}, None),
        ({"logical_unit_id": "0x5000c500d0000020"}, "0x5000c500d0000020"),
        ({"seagate_farm_log": FARM}, "0x5000c500d0000030"),
        ({"logical_unit_id": "0x5000c500d0000020", "seagate_farm_log": FARM}, "0x5000c500d0000020"),
        ({"wwn": PARTS, "logical_unit_id": "0x5000c500d0000020"}, "0x5000c500d0000010"),
        ({}, None),
    ],
)
def test_that_a_drive_has_the_name_it_tells_first(facts: dict[str, object], name: str | None) -> None:
    assert wwn_of(smartctl("/dev/sda", **({"logical_unit_id": None} | facts))) == name


def test_that_a_namespace_has_its_own_name() -> None:
    space = {"id": 1, "eui64": {"oui": 0x002538, "ext_id": 0x5B01234567}, "size": {"blocks": 8, "bytes": 4096}}
    assert wwn_of(nvme_smartctl("/dev/nvme0n1", nvme_namespaces=[space])) == "eui.0025385b01234567"
