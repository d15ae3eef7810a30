"""What the commands say of machines whose tools print odd things: no false alarm, no disk twice, no wrong device."""

import json
from pathlib import Path
from typing import Any

import pytest

from poolwright.cli.main import run

LOST = "0 0 0 too many errors"


def status(*rows: str, state: str = "ONLINE", more: str = "", kind: str = "raidz2-0  ONLINE  0 0 0") -> str:
    """Return what `zpool status` prints of a pool; rows that begin with two blanks belong to an inner vdev."""
    counts = [row if len(row.split()) > 1 else f"{row}  ONLINE  0  0  0" for row in rows]
    lines = "".join(f"\t    {row}\n" for row in counts)
    head = f"  pool: tank\n state: {state}\n{more}config:\n\n\tNAME  STATE  READ WRITE CKSUM\n\ttank  {state}  0 0 0\n"
    return f"{head}\t  {kind}\n{lines}\nerrors: No known data errors\n"


def disk(letter: str, **more: Any) -> dict[str, Any]:
    facts = {"name": f"sd{letter}", "path": f"/dev/sd{letter}", "type": "disk", "size": 4000787030016, "rota": True}
    return facts | {"model": "ST4000VN008-2DR166", "tran": "sata", "fstype": None, "mountpoint": None} | more


def lsblk(*disks: dict[str, Any]) -> str:
    return json.dumps({"blockdevices": disks})


def namespace(number: int, serial: str = "S64HNE0R1", **more: Any) -> dict[str, Any]:
    name, wwn = f"nvme0n{number}", f"eui.363636305260000{number}0025384700000001"
    flash = {"rota": False, "model": "SAMSUNG MZQL23T8", "serial": serial, "wwn": wwn, "tran": "nvme"}
    return disk("a", name=name, path=f"/dev/{name}", size=3840755982336) | flash | more


def mapped(letter: str) -> dict[str, Any]:
    above = {"name": "mpatha", "path": "/dev/mapper/mpatha", "type": "mpath", "size": 4000787030016}
    return disk(letter, serial="ZA10", wwn="0x5000c500a0000000", children=[above])


LISTED = "   pool: {}\n     id: 1{}\n  state: {}\n action: The pool {}.\n config:\n\n\t{}  ONLINE\n\t  {}  ONLINE\n\n"
IMPORTS = "".join((
    LISTED.format("tank", 1, "ONLINE (DESTROYED)", "can be imported", "tank", "sda"),
    LISTED.format("tank", 2, "ONLINE", "can be imported", "tank", "sdb"),
    LISTED.format("busy", 3, "UNAVAIL", "must be exported from node2 (hostid=1)", "busy", "sdc"),
))  # fmt: skip
ID_NS = (
    "NVME Identify Namespace 1:\nnsze    : 0x1bf1f72b0\nflbas   : 0x1\neui64   : 0025385b71b0a1b2\n"
    "lbaf  0 : ms:0   lbads:9  rp:0x1 \nlbaf  1 : ms:8   lbads:9  rp:0 (in use)\n"
)
SIZES = (
    "NAME  SIZE  ALLOC  FREE  CKPOINT  EXPANDSZ  FRAG  CAP  DEDUP  HEALTH  ALTROOT\n"
    "tank  44.0T  1T  43T  -  -  0%  2%  1.00x  ONLINE  -\n"
)
SHARED = ("replacing-0  DEGRADED  0 0 12", "  9911  UNAVAIL  0 0 0  was /dev/sdb1/old", "  sdg  ONLINE  0 0 12",
          "sdc  ONLINE  0 0 12", "sdd  ONLINE  0 0 12")  # fmt: skip
MOVED = ("5533  FAULTED  0 0 0  was /dev/sdc1", "sdb", "sdc")
MULTIHOST = "status: multihost writes failed or were delayed\n   see: https://x/msg/ZFS-8000-MM\n"
DRIVES = "252:0 8 UGood - 3.637 TB SATA HDD N N 512B WDC U -\n252:1 9 UBad - 3.637 TB SATA HDD N N 512B WDC U -\n"


@pytest.mark.parametrize(
    ("command", "texts", "said", "unsaid"),
    [
        ("audit", [status("gpt/d1", "gpt/d2", "label/d1", "label/d2")], "label/d1", "more than one place"),
        ("inventory", [status("gpt/d1", "label/d1")], "/dev/label/d1", "/dev/d1"),
        ("audit", [status(*SHARED, state="DEGRADED", kind="raidz1-0  DEGRADED  0 0 12")], "Replace no disk",
         "zpool replace tank sdc"),
        ("audit", [status(*MOVED, state="DEGRADED")], "zpool import -d /dev/disk/by-id tank", "not online: sdc"),
        ("audit", [status("d1  ONLINE  0 12 0", "d2", state="SUSPENDED", more=MULTIHOST)], "reboot", "smartctl"),
        ("audit", [status("sda", "sdb"), "NAME  PROPERTY  VALUE  SOURCE\ntank  dedup  verify  local\n"],
         "zfs set dedup=off tank", "nothing is urgent"),
        ("inventory", [IMPORTS, lsblk(*map(disk, "abc"))], "tank, destroyed, comes back", "busy, can be"),
        ("inventory", [ID_NS, lsblk(namespace(1, wwn="eui.0025385b71b0a1b2"))], "8 bytes of metadata", "left out"),
        ("inventory", ['{"nsze":9,"flbas":0,"lbafs":[{"ms":0,"ds":12}]}', lsblk(namespace(1))], "fits 0 disks",
         "36.9 KB"),
        ("script --layout mirror:2x3.84TB", [lsblk(namespace(1), namespace(2), namespace(1, "S2", name="nvme1n1",
         path="/dev/nvme1n1", wwn="eui.36363630526100010025384700000001"))], "nvme-eui.3636363052600001", "no link"),
        ("recommend", [lsblk(*(disk(x, serial="MYSERIAL", wwn="0x5000XXXXXXXXXXXX") for x in "abcd"))], "raidz2 of 4",
         "seen twice"),
        ("recommend", [lsblk(mapped("a"), mapped("b")), "wwn-0x5000c500a0000000 -> ../../dm-0\n"], "multipath -f",
         "seen twice"),
        ("inventory", [DRIVES], "failing", "not output"),
        ("outage --lose d1", [status("d1", "d2", "d3", "d4")], "raidz2-0", "neither a disk"),
        ("capacity", [status("d1", "d2", "d3", "d4").replace("\nerrors", "\tspecial\n\t  s1  ONLINE  0 0 0\n\nerrors"),
         SIZES], "disks of 12 TB, assumed from SIZE", "1 TiB stands"),
    ],
)  # fmt: skip
def test_that_an_odd_machine_gets_the_right_answer(
    command: str, texts: list[str], said: str, unsaid: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [tmp_path / f"{number}.txt" for number, _ in enumerate(texts)]
    for file, text in zip(files, texts, strict=True):
        file.write_text(text, encoding="utf-8")
    run([*command.split(), "--from", *map(str, files)])
    printed = capsys.readouterr()
    told = " ".join((printed.out + printed.err).split())
    assert said in told
    assert unsaid not in told
