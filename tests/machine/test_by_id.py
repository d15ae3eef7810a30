"""Listings of /dev/disk/by-id and its neighbours."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.cases import table

from poolwright.domain.disk import Disk, best_by_id
from poolwright.domain.errors import UserError
from poolwright.domain.estimate import OriginKind
from poolwright.machine.by_id import read_by_id, with_derived_names
from poolwright.store.capture_files import open_captures

CORPUS = Path(__file__).parents[3] / "shared" / "corpus" / "by_id"

LISTING: str = table(__file__, "listing")


def test_that_each_disk_has_its_names_without_those_of_partitions() -> None:
    found = read_by_id(LISTING)
    assert found.directory == "by-id"
    assert found.names().get("sda", ()) == ("ata-WDC_WD80_VX1", "wwn-0x5000cca25")
    assert found.names().get("sda1", ()) == ()
    assert found.names().get("nvme0n1", ()) == ("nvme-Samsung_S4",)
    assert found.names().get("cciss!c0d0", ()) == ("scsi-3600508",)
    assert best_by_id(found.names().get("sda", ())) == "ata-WDC_WD80_VX1"


def test_that_names_of_what_is_on_a_disk_or_of_an_alias_do_not_identify_it() -> None:
    found = read_by_id(LISTING)
    assert found.names().get("sdb", ()) == ()
    assert found.names().get("dm-3", ()) == ("dm-uuid-mpath-35000cca",)


def test_that_a_pools_device_name_leads_back_to_the_disk() -> None:
    found = read_by_id(LISTING)
    assert found.disk_of("/dev/disk/by-id/ata-WDC_WD80_VX1-part1") == "sda"
    assert found.disk_of("wwn-0x5000cca25") == "sda"
    assert found.kernel_name("ata-WDC_WD80_VX1-part1") == "sda1"
    assert found.kernel_name("dm-name-mpatha") == "dm-3"
    assert found.disk_of("nosuch") is None


@pytest.mark.parametrize(
    "text",
    [
        LISTING.replace("\n", "\r\n"),
        "\n".join(line.split(" 10:00 ")[-1] for line in LISTING.splitlines()),
        LISTING.replace(" -> ../../", " -> /dev/"),
        LISTING.replace("ata-WDC", "\x1b[01;36mata-WDC").replace("VX1 ->", "VX1\x1b[0m ->"),
        LISTING.replace("ata-WDC_WD80_VX1 ", "'ata-WDC_WD80_VX1' "),
        f"/dev/disk/by-id:\n{LISTING}\n/dev/disk/by-path:\ntotal 0\nlrwxrwxrwx 1 root pci-0000:00 -> ../../sda\n",
    ],
    ids=["crlf", "bare", "absolute", "colours", "quotes", "several directories"],
)
def test_that_the_form_of_the_listing_does_not_matter(text: str) -> None:
    found = read_by_id(text)
    assert found.names().get("sda", ()) == ("ata-WDC_WD80_VX1", "wwn-0x5000cca25")
    assert found.kernel_name("ata-WDC_WD80_VX1-part1") == "sda1"


def test_that_by_path_is_recognised() -> None:
    found = read_by_id("lrwxrwxrwx 1 root root 9 Jan 1 10:00 pci-0000:00:1f.2-ata-1 -> ../../sda\n")
    assert (found.directory, found.names().get("sda", ())) == ("by-path", ("pci-0000:00:1f.2-ata-1",))


def test_that_an_empty_directory_is_an_answer_and_other_text_is_not() -> None:
    assert read_by_id("total 0\n").links == ()
    for text in ("", "ls: cannot access '/dev/disk/by-id': No such file or directory\n", "hello"):
        with pytest.raises(UserError, match="ls -l /dev/disk/by-id"):
            read_by_id(text)


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the collection of real outputs is not here")
@pytest.mark.parametrize(
    ("name", "directory", "links", "disk", "names"),
    [
        ("local__vm__zfs-0.6.5.6_xenial_by-id_used.txt", "by-id", 218, "sdba",
         ("ata-WDC_WD80EFZZ-68BTXN0_WD-CA2B3C4D", "wwn-0x50014ee2b1234567")),
        ("local__vm__zfs-2.2.2_noble_by-id_used.txt", "by-id", 220, "nvme1n1",
         ("nvme-QEMU_NVMe_Ctrl_S5QNVME512", "nvme-QEMU_NVMe_Ctrl_S5QNVME512_1")),
        ("local__vm__zfs-0.6.5.6_xenial_by-path_blank.txt", "by-path", 55, "sdba", ("pci-0000:00:1f.2-ata-1",)),
        ("local__vm__zfs-0.8.3_focal_by-path_blank.txt", "by-path", 58, "vda", ("pci-0000:00:02.0",)),
    ],
)  # fmt: skip
def test_that_real_listings_are_read(name: str, directory: str, links: int, disk: str, names: tuple[str, ...]) -> None:
    if not (CORPUS / name).is_file():
        pytest.skip("this capture is not here")
    found = read_by_id((CORPUS / name).read_text())
    assert (found.directory, len(found.links)) == (directory, links)
    assert set(names) <= set(found.names().get(disk, ()))


def test_that_a_bare_listing_is_by_path_where_most_names_are() -> None:
    def directory(*names: str) -> str:
        return read_by_id("".join(f"lrwxrwxrwx 1 root root 9 Nov 20 08:57 {n} -> ../../sda\n" for n in names)).directory

    assert directory("pci-0000:00:1f.2-ata-1") == "by-path"
    assert directory("pci-0000:00:1f.2-ata-1", "ata-A_1") == "by-id"
    assert directory("pci-0000:00:1f.2-ata-1", "pci-0000:00:1f.2-ata-2", "ata-A_1") == "by-path"
    assert directory("pci-0000:00:1f.2-ata-1", "ata-A_1", "ata-A_2") == "by-id"


SATA = Disk(key="a", path="/dev/sda", model="WDC WD20EFRX-68EUZN0", serial="WD-WCC4M10111", transport="sata",
            wwn="0x50014ee2aaaa0111")  # fmt: skip
NVME = Disk(key="n", path="/dev/nvme0n1", model="Samsung SSD 990  PRO 2TB", serial="S7 (1", transport="nvme")


def test_that_names_nobody_read_are_made_as_udev_makes_them_and_marked() -> None:
    sata, nvme = with_derived_names((SATA, NVME))
    assert sata.by_id == ("wwn-0x50014ee2aaaa0111", "ata-WDC_WD20EFRX-68EUZN0_WD-WCC4M10111")
    assert nvme.by_id == ("nvme-Samsung_SSD_990_PRO_2TB_S7__1",)
    origin = sata.origin_of("by_id")
    assert origin is not None
    assert origin.kind is OriginKind.COMPUTED
    assert "derived" in origin.source


@pytest.mark.parametrize(
    "disk",
    [
        replace(SATA, wwn=None, model="WDC WD20EFRX-68"),  # as sysfs cuts a model
        replace(SATA, wwn="0x0000000000000000", serial="REDACTED"),
        replace(SATA, controller="megaraid,3"),
        replace(SATA, planned=True),
        replace(SATA, path="/dev/mapper/mpatha"),
        replace(NVME, path="/dev/nvme0n2"),
    ],
)
def test_that_no_name_is_made_of_what_is_not_certain(disk: Disk) -> None:
    assert with_derived_names((disk,)) == (disk,)


def test_that_two_disks_never_get_one_name() -> None:
    first, second = with_derived_names((SATA, replace(SATA, key="b", path="/dev/sdb", serial="WD-WCC4M10222")))
    assert first.by_id == ("ata-WDC_WD20EFRX-68EUZN0_WD-WCC4M10111",)
    assert second.by_id == ("ata-WDC_WD20EFRX-68EUZN0_WD-WCC4M10222",)


def test_that_a_name_that_was_read_stays_as_it_is() -> None:
    read = replace(SATA, by_id=("scsi-SATA_x",))
    assert with_derived_names((read,)) == (read,)


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not here")
def test_that_every_name_that_is_made_of_lsblk_stands_in_the_listing_of_the_same_machine() -> None:
    names = read_by_id((CORPUS / "local__vm__zfs-0.6.5.6_xenial_by-id_used.txt").read_text(encoding="utf-8")).names()
    lsblk = CORPUS.parent / "lsblk_json" / "local__vm__zfs-0.6.5.6_xenial_lsblk_used_JbO.json"
    made = with_derived_names(tuple(replace(disk, by_id=(), origins=()) for disk in open_captures([lsblk]).disks))
    derived = [(disk, name) for disk in made for name in disk.by_id]
    assert len(derived) == 45
    for disk, name in derived:
        assert name in names[(disk.path or "").removeprefix("/dev/")]
