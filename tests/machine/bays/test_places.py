"""Where disks are: made-up trees of /sys read by the real script, and what a virtual machine printed."""

import re
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from tests.command_line import poolwright
from tests.fuzz.readers import MULTIPATH
from tests.machine.bays.captured import capture_text
from tests.machine.bays.sysfs import Sysfs, two_shelves
from tests.machines.writing import block, lsblk

from poolwright.domain.disk import Disk, UseKind
from poolwright.domain.errors import UserError
from poolwright.domain.estimate import Origin, OriginKind
from poolwright.domain.host import ControllerKind, Inventory
from poolwright.domain.steps import at_once
from poolwright.domain.version import DEFAULT_VERSION
from poolwright.machine.bays.read import DiskPlace, Places, read_multipath, read_places_in_steps
from poolwright.machine.lsblk.read import read_lsblk
from poolwright.machine.packed import collector_part
from poolwright.predict.media import host_caps
from poolwright.rules.facts import host_facts
from poolwright.store.capture_files import open_captures
from poolwright.store.design_file import from_json

MACHINES = Path(__file__).parents[2] / "machines"
READ = Origin(kind=OriginKind.READ, source="a test")


def read(sys: Sysfs) -> Places:
    return at_once(read_places_in_steps(sys.look(), READ))


def place(places: Places, name: str) -> DiskPlace:
    return next(disk for disk in places.disks if disk.kernel_name == name)


def told(found: DiskPlace) -> str:
    return "\n".join(note.text for note in found.notes)


def adapter(root: Path, driver: str, **facts: str) -> tuple[Sysfs, str]:
    sys = Sysfs(root)
    path = sys.pci("devices/pci0000:00/0000:00:01.0", driver, vendor="0x1000", device="0x005d")
    return sys, sys.host(f"{path}/host0", driver, **facts)


def test_that_each_disk_of_two_shelves_has_shelf_bay_and_adapter(tmp_path: Path) -> None:
    places = read(two_shelves(tmp_path))
    assert [(disk.enclosure, disk.slot) for disk in places.disks] == [
        (f"SMC SC826-N4 ({shelf})", str(bay)) for shelf in ("3d0f", "3d1f") for bay in range(12)
    ]
    assert {disk.controller for disk in places.disks} == {"SAS9300-8e (03:00.0)"}
    # Eight lanes of PCIe 3 carry less than two cables of four lanes of 12 Gbit/s.
    (hba,) = places.controllers
    assert (hba.kind, hba.bytes_per_second, hba.origin) == (ControllerKind.HBA, 7_876_923_080, READ)
    assert [note.text for note in places.notes] == [
        f"12 disks on the SAS expander SMC SC826-SAS3 of SMC SC826-N4 ({shelf}) share 4 lanes of 12 Gbit/s: "
        "4.80 GB/s in all, 400 MB/s a disk when all are busy"
        for shelf in ("3d0f", "3d1f")
    ]


def one_number(root: Path, sys: Sysfs) -> list[str]:
    """Give both shelves one number; return what the shelves of all disks are called then."""
    for file in root.glob("class/enclosure/*/id"):
        file.write_text("0x500304801f2e3d0f\n")
    return sorted({str(disk.enclosure) for disk in read(sys).disks})


def test_that_two_ways_into_one_shelf_are_one_shelf(tmp_path: Path) -> None:
    sys = two_shelves(tmp_path)
    for file in tmp_path.glob("devices/**/wwid"):
        file.write_text(f"naa.5000c500a1b2{int(file.read_text()[-5:], 16) % 12:04x}\n")
    assert one_number(tmp_path, sys) == ["SMC SC826-N4 (3d0f)"]


def test_that_shelves_that_share_a_number_are_told_apart_by_what_is_in_them(tmp_path: Path) -> None:
    assert one_number(tmp_path, two_shelves(tmp_path)) == ["SMC SC826-N4 (0:0:09:0)", "SMC SC826-N4 (0:0:19:0)"]


def test_that_shelves_of_an_old_kernel_are_told_apart_by_their_expanders(tmp_path: Path) -> None:
    sys = two_shelves(tmp_path)
    for number, file in enumerate(sorted(tmp_path.glob("class/enclosure/*/id"))):
        file.unlink()
        expander = f"devices/pci0000:00/0000:00:02.0/0000:03:00.0/host0/port-0:{number}/expander-0:{number}"
        sys.member("sas_device", expander, {"sas_address": f"0x500304801f2e3c{number}f"})
    assert sorted({str(disk.enclosure) for disk in read(sys).disks}) == ["SMC SC826-N4 (3c0f)", "SMC SC826-N4 (3c1f)"]


def test_that_without_the_driver_of_shelves_the_adapter_tells_the_bays(tmp_path: Path) -> None:
    sys = two_shelves(tmp_path)
    for link in tmp_path.glob("class/enclosure/*"):
        link.unlink()
    places = read(sys)
    assert [place(places, name).enclosure for name in ("sda", "sdx")] == ["shelf 3d0f", "shelf 3d1f"]
    assert [place(places, name).slot for name in ("sda", "sdx")] == ["0", "11"]
    assert "2 shelves (SMC SC826-N4) answer, but their bays are not known: load the kernel module ses" in "\n".join(
        note.text for note in places.notes
    )


@pytest.mark.parametrize(
    ("name", "number", "bay"),
    [
        ("Slot 01", 0, "1"), ("SLOT 000", 0, "0"), ("ArrayDevice0A", 10, "10"), ("DriveBay7", 6, "7"),
        ("Disk #12", 11, "12"), ("11", 3, "11"), ("SLOT  3 ,3FA0", 2, "3"), ("left", 4, "4"),
    ],
)  # fmt: skip
def test_that_a_bay_is_called_as_its_shelf_calls_it(tmp_path: Path, name: str, number: int, bay: str) -> None:
    sys, host = adapter(tmp_path, "mpt3sas")
    shelf = sys.shelf(f"{host}/target0:0:9/0:0:9:0", "0x5003048000000001", "SC846")
    sys.bay(shelf, name, number, sys.disk("sda", f"{host}/target0:0:0/0:0:0:0"))
    assert place(read(sys), "sda").slot == bay


def test_that_arrays_of_a_megaraid_are_told_from_drives_that_it_passes_through(tmp_path: Path) -> None:
    sys, host = adapter(tmp_path, "megaraid_sas")
    sys.disk("sda", f"{host}/target0:2:0/0:2:0:0", vendor="AVAGO", model="MR9361-8i")
    sys.disk("sdb", f"{host}/target0:0:8/0:0:8:0")
    places = read(sys)
    assert "an array of the RAID controller megaraid_sas 1000:005d (00:01.0): ZFS wants" in told(place(places, "sda"))
    assert "which passes the drive through (JBOD or HBA mode)" in told(place(places, "sdb"))
    assert [place(places, name).array for name in ("sda", "sdb")] == [True, False]
    assert [controller.kind for controller in places.controllers] == [ControllerKind.RAID]


@pytest.mark.parametrize(
    ("driver", "fact", "array"),
    [
        ("hpsa", {"raid_level": "RAID 6"}, True), ("hpsa", {"raid_level": "N/A"}, False), ("hpsa", {}, None),
        ("smartpqi", {"raid_level": "RAID 0"}, True), ("smartpqi", {"raid_level": "N/A"}, False),
        ("aacraid", {"level": "JBOD"}, False), ("aacraid", {"level": "RAID 5"}, True), ("arcmsr", {}, None),
        ("mpt3sas", {}, False), ("ahci", {}, None),
    ],
)  # fmt: skip
def test_that_what_drivers_tell_of_arrays_is_believed(
    tmp_path: Path, driver: str, fact: dict[str, str], array: bool | None
) -> None:
    sys, host = adapter(tmp_path, driver)
    sys.disk("sda", f"{host}/target0:0:0/0:0:0:0", **fact)
    assert place(read(sys), "sda").array is array


def test_that_a_smart_array_tells_box_and_bay(tmp_path: Path) -> None:
    sys, host = adapter(tmp_path, "hpsa")
    way = "[0:0:0:0]        Direct-Access     PORT: 1I BOX: 1 BAY: 3 Active"
    sys.disk("sda", f"{host}/target0:0:0/0:0:0:0", raid_level="N/A", path_info=way)
    found = place(read(sys), "sda")
    assert (found.enclosure, found.slot) == ("box 1 at 1I of hpsa 1000:005d (00:01.0)", "3")


def test_that_a_slow_link_is_pointed_out(tmp_path: Path) -> None:
    sys, host = adapter(tmp_path, "mpt3sas", host_sas_address="0x500605b000000000")
    for number, (rate, most) in enumerate(
        (("12.0 Gbit", "12.0 Gbit"), ("3.0 Gbit", "12.0 Gbit"), ("1.5 Gbit", "3.0 Gbit"))
    ):
        end = sys.put(f"{sys.port(f'{host}/port-0:{number}', 1, rate, most)}/end_device-0:{number}")
        sys.member("sas_device", end, {"enclosure_identifier": "0x500605b000000000", "bay_identifier": "2"})
        sys.disk(f"sd{'abc'[number]}", f"{end}/target0:0:{number}/0:0:{number}:0")
    places = read(sys)
    assert told(place(places, "sda")) == ""
    assert "its link runs at 3 Gbit/s (300 MB/s) on a port for 12: old drive, bad cable" in told(place(places, "sdb"))
    assert [note.level.value for note in place(places, "sdc").notes] == ["warn"]
    # What an adapter calls its own bays is no shelf.
    assert [(disk.enclosure, disk.slot) for disk in places.disks] == [(None, f"port {n}") for n in range(3)]


def test_that_the_two_disks_of_a_drive_with_two_actuators_fail_together(tmp_path: Path) -> None:
    sys, host = adapter(tmp_path, "mpt3sas")
    end = sys.put(f"{sys.port(f'{host}/port-0:0', 1)}/end_device-0:0")
    sys.member("sas_device", end, {"sas_address": "0x5000c500d0c1b001"})
    for lun in (0, 1):
        wwid = f"naa.5000c500d0c1b00{lun + 2}"
        sys.disk(f"sd{'ab'[lun]}", f"{end}/target0:0:0/0:0:0:{lun}", model="ST14000NM0001", wwid=wwid)
    places = read(sys)
    assert {disk.controller for disk in places.disks} == {"SAS device 0x5000c500d0c1b001"}
    assert "a part of SAS device 0x5000c500d0c1b001: all parts" in told(place(places, "sda"))


def test_that_what_is_not_told_stays_unknown(tmp_path: Path) -> None:
    sys = Sysfs(tmp_path)
    sys.disk("sda", "devices/platform/host0/target0:0:0/0:0:0:0")
    found = place(read(sys), "sda")
    assert (found.enclosure, found.slot, found.controller, found.array, found.wwid) == (None,) * 5
    assert found.notes == ()
    assert read(Sysfs(tmp_path / "empty")) == Places()


def test_that_a_cut_text_is_told_and_another_refused(tmp_path: Path) -> None:
    text = two_shelves(tmp_path).look()
    whole = at_once(read_places_in_steps(text, READ))
    for end in range(21, len(text) - 6, 997):
        cut = at_once(read_places_in_steps(text[:end], READ))
        assert cut.notes[-1].text == "The list of bays was cut off: some are not known"
        assert len(cut.disks) <= len(whole.disks)
    with pytest.raises(UserError, match="What tells the places of the disks is of version"):
        at_once(read_places_in_steps("poolwright-places 2\n", READ))


def test_that_the_script_runs_in_other_shells_and_writes_nothing(tmp_path: Path) -> None:
    sys = two_shelves(tmp_path)
    want = sys.look()
    before = sorted(str(path) for path in tmp_path.rglob("*"))
    for shell in (["bash"], ["bash", "--posix"], ["busybox", "sh"]):
        try:
            done = subprocess.run(
                [*shell, "-c", collector_part("places"), "places", str(tmp_path)],
                capture_output=True, check=True, text=True, env={"PATH": "/usr/bin:/bin"},
            )  # fmt: skip
        except FileNotFoundError:
            continue
        assert re.sub(r"(?m)^lspci .*\n", "", done.stdout) == want
    assert sorted(str(path) for path in tmp_path.rglob("*")) == before


@pytest.fixture(scope="module")
def adapters() -> Inventory:
    return open_captures([MACHINES / "vm-adapters.capture"])


def at(inventory: Inventory, path: str) -> Disk:
    return next(disk for disk in inventory.disks if disk.path == path)


def notes_of(disk: Disk) -> str:
    return "\n".join(note.text for note in disk.notes)


def test_that_real_adapters_are_told_apart(adapters: Inventory) -> None:
    kinds = {controller.name: controller.kind for controller in adapters.host.controllers}
    assert kinds["MegaRAID SAS 1078 (00:05.0)"] is ControllerKind.RAID
    assert kinds["MegaRAID SAS 9260-8i (00:06.0)"] is ControllerKind.PASSING
    assert {name for name, kind in kinds.items() if kind is ControllerKind.HBA} == {
        "53c895a (00:08.0)", "virtio-scsi (00:03.0)", "virtio-scsi (00:04.0)", "USB (00:0c.0)", "AHCI (00:1f.2)",
        "QEMU MPT Fusion (00:07.0)",
    }  # fmt: skip
    assert "an array of the RAID controller MegaRAID SAS 1078" in notes_of(at(adapters, "/dev/sda"))
    assert "MegaRAID SAS 9260-8i (00:06.0), which passes the drive through" in notes_of(at(adapters, "/dev/sdd"))
    assert at(adapters, "/dev/sdh").slot == "port 2"
    assert at(adapters, "/dev/nvme0n1").controller == "XIO3130 PCI Express Switch (Upstream) (01:00.0)"


def test_that_two_ways_to_a_real_disk_are_one_disk_with_its_names(adapters: Inventory) -> None:
    first, second = at(adapters, "/dev/sde"), at(adapters, "/dev/sdf")
    assert (first.in_use, [use.kind for use in second.uses]) == (False, [UseKind.MULTIPATH])
    # udev lets the name lead to the way that came last.
    assert (first.by_id_name, second.by_id_name) == ("scsi-35000c500aaaa0001", None)
    assert "2 controllers lead to it without multipath" in notes_of(first)


def test_that_two_namespaces_of_a_real_drive_on_two_ways_are_two_disks_that_fail_together(adapters: Inventory) -> None:
    both = [at(adapters, path) for path in ("/dev/nvme2n1", "/dev/nvme2n2")]
    assert [disk.in_use for disk in both] == [False, False]
    assert {disk.controller for disk in both} == {"NVMe drive NVMESUB"}
    assert all("a part of NVMe drive NVMESUB: all parts of it fail together" in notes_of(disk) for disk in both)
    assert all("one drive on 2 ways (05:00.0, 06:00.0)" in notes_of(disk) for disk in both)


def test_that_a_real_multipath_disk_stands_once_without_a_controller_that_takes_it() -> None:
    inventory = open_captures([MACHINES / "vm-multipath.capture"])
    mapped = at(inventory, "/dev/mapper/mpatha")
    assert (mapped.controller, mapped.in_use) == (None, False)
    assert "reached over 2 controllers (virtio-scsi (00:03.0), virtio-scsi (00:04.0))" in notes_of(mapped)
    assert all(at(inventory, path).in_use for path in ("/dev/sde", "/dev/sdf"))
    assert not any("ways are down" in note.text for note in inventory.notes)


def test_that_a_way_that_is_down_is_told_by_multipath() -> None:
    (note,) = read_multipath(MULTIPATH)
    assert note.text == "multipath disk mpatha: 1 of 2 ways are down (sdf)"
    assert read_multipath(MULTIPATH.replace("failed faulty offline", "active ready running")) == ()


def test_that_a_disk_with_a_name_of_the_whole_world_is_merged_only_with_itself() -> None:
    same = {"serial": "S1", "model": "X", "wwn": "eui.0025385b71b0", "tran": "nvme"}
    alike = [block(f"nvme0n{n}", **same) for n in (1, 2)]
    read_twice = [disk.in_use for disk in at_once(read_lsblk(lsblk(*alike), READ)).disks]
    assert read_twice == [False, False]  # two namespaces that share a name are two disks
    bare = [block(f"sd{n}", serial=None, wwn=None) for n in "ab"]
    assert [disk.in_use for disk in at_once(read_lsblk(lsblk(*bare), READ)).disks] == [False, False]


@pytest.mark.slow
def test_that_what_was_read_is_used_by_spread_outage_rules_and_sheet(tmp_path: Path) -> None:
    capture, file = tmp_path / "vault.capture", tmp_path / "vault.json"
    capture.write_text(capture_text(two_shelves(tmp_path / "sys")), encoding="utf-8")
    source = ("--from", str(capture), "--goal", "safety", "--pool", "tank")
    asked = poolwright("recommend", *source, "--layout", "3 x raidz2 of 8", "--save-design", str(file))
    assert asked.returncode == 0, asked.stderr
    design = from_json(file.read_text(encoding="utf-8"))
    for vdev in design.vdevs:
        shelves = Counter(design.disk(member.disk_key).enclosure for member in vdev.members)
        assert sorted(shelves.values()) == [4, 4]
    lost = poolwright("outage", str(file)).stdout
    assert re.search(r"enclosure SMC SC826-N4 \(3d0f\) +12 +suspended", lost)
    assert re.search(r"controller SAS9300-8e \(03:00\.0\) +24 +suspended", lost)
    assert "enclosures.loss-takes-pool" in asked.stdout
    sheet, name = poolwright("script", str(file), "--format", "sheet").stdout, "scsi-SSEAGATE_ST16000NM002G_ZL2A0023"
    assert re.search(rf"SMC SC826-N4 \(3d1f\), bay 11 +\| ZL2A0023 +\| {name} +\| raidz2-2", sheet)
    table = poolwright("inventory", "--from", str(capture)).stdout
    assert "SMC SC826-N4 (3d1f), bay 11" in table
    assert "share 4 lanes of 12 Gbit/s: 4.80 GB/s in all" in table
    assert host_facts(design.host, DEFAULT_VERSION)["host.raid_controller"] == "none"


def test_that_only_adapters_that_make_arrays_are_held_against_a_machine(adapters: Inventory) -> None:
    assert host_facts(adapters.host, DEFAULT_VERSION)["host.raid_controller"] == "MegaRAID SAS 1078 (00:05.0)"


def test_that_only_the_adapters_of_a_pool_limit_it(adapters: Inventory) -> None:
    sas = [disk for disk in adapters.disks if disk.controller == "QEMU MPT Fusion (00:07.0)"]
    assert host_caps(adapters.host, None, sas).hba_bytes_per_second == 600_000_000
    assert host_caps(adapters.host, None, [*sas, at(adapters, "/dev/vda")]).hba_bytes_per_second is None
