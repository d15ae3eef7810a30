"""What the commands say of machines whose tools print odd things: no false alarm, no disk twice, no wrong device."""

from pathlib import Path
from typing import Any

import pytest
from tests.machines.writing import block, lsblk

from poolwright.cli.main import run

ONLINE = "ONLINE  0  0  0"


def status(*rows: str, state: str = "ONLINE", more: str = "", kind: str = f"raidz2-0  {ONLINE}") -> str:
    """Return what `zpool status` prints of a pool; rows that begin with two blanks belong to an inner vdev."""
    rows = tuple(row if " " in row else f"{row}  {ONLINE}" for row in (kind, *rows))
    head = (
        f"  pool: tank\n state: {state}\n{more}config:\n\n\tNAME  STATE  READ WRITE CKSUM\n\ttank  {state}  0 0 0\n\t  "
    )
    return head + "\n\t    ".join(rows) + "\n\nerrors: No known data errors\n"


def space(name: str, serial: str = "S64HNE0R1", **more: Any) -> dict[str, object]:
    facts = {"wwn": f"eui.3636363052600{name[4::2]}00025384700000001", "size": 3840755982336, "tran": "nvme"}
    return block(name, serial=serial, **facts | {"model": "SAMSUNG MZQL23T8", "rota": False} | more)


def parts(letter: str, *names: str) -> dict[str, object]:
    below = [block(f"sd{letter}{n}", type="part", size=10**12, partuuid=name) for n, name in enumerate(names, 1)]
    return block(f"sd{letter}", size=4 * 10**12, children=below)


LISTED = "   pool: {}\n     id: 1{}\n  state: {}\n action: The pool {}.\n config:\n\n\t{}  ONLINE\n\t  {}  ONLINE\n\n"
IMPORTS = (
    LISTED.format("tank", 1, "ONLINE (DESTROYED)", "can be imported", "tank", "sda")
    + LISTED.format("tank", 2, "ONLINE", "can be imported", "tank", "sdb")
    + LISTED.format("busy", 3, "UNAVAIL", "must be exported from node2 (hostid=1)", "busy", "sdc")
)
ID_NS = (
    "NVME Identify Namespace 1:\nnsze    : 0x1bf1f72b0\nflbas   : 0x1\neui64   : 0025385b71b0a1b2\n"
    "lbaf  0 : ms:0   lbads:9  rp:0x1 \nlbaf  1 : ms:8   lbads:9  rp:0 (in use)\n"
)
SHARED = ("replacing-0  DEGRADED  0 0 12", "  9911  UNAVAIL  0 0 0  was /dev/sdb1/old", "  sdg  ONLINE  0 0 12",
          "sdc  ONLINE  0 0 12", "sdd  ONLINE  0 0 12")  # fmt: skip
MOVED = ("5533  FAULTED  0 0 0  was /dev/sdc1", "sdb", "sdc")
MULTIHOST = "status: multihost writes failed or were delayed\n   see: https://x/msg/ZFS-8000-MM\n"
DRIVES = "252:0 8 UGood - 3.637 TB SATA HDD N N 512B WDC U -\n252:1 9 UBad - 3.637 TB SATA HDD N N 512B WDC U -\n"
MAP = {"name": "mpatha", "path": "/dev/mapper/mpatha", "type": "mpath", "size": 4000787030016}
SIZES = "NAME  SIZE  ALLOC  FREE  CAP  DEDUP  HEALTH  ALTROOT\ntank  44.0T  1T  43T  2%  1.00x  ONLINE  -\n"


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
        ("audit", [status("uuid-1", "uuid-2", "uuid-3"), lsblk(parts("a", "uuid-1", "uuid-3"), parts("b", "uuid-2"))],
         "1 disk has more than one place in it", "nothing is urgent"),
        ("inventory", ["total 0\nl 1 root d1 -> ../../sda\n", lsblk(block("sda"))], "/dev/sda", "d1 "),
        ("inventory", [IMPORTS, lsblk(*(block(f"sd{x}") for x in "abc"))], "tank, destroyed, comes", "busy, can be"),
        ("inventory", [ID_NS, lsblk(space("nvme0n1", wwn="eui.0025385b71b0a1b2"))], "8 bytes of metadata", "left out"),
        ("inventory", ['{"nsze":9,"lbafs":[{"ms":0,"ds":12}]}', lsblk(space("nvme0n1"))], "fits 0 disks", "36.9 KB"),
        ("script --layout mirror:2x3.84TB", [lsblk(space("nvme0n1"), space("nvme0n2"), space("nvme1n1", "S2"))],
         "nvme-eui.3636", "no link"),
        ("recommend", [lsblk(*(block(f"sd{x}", serial="MYSERIAL", wwn="0x5000XXXXXXXXXXXX") for x in "abcd"))],
         "raidz2 of 4", "seen twice"),
        ("recommend", [lsblk(*(block(f"sd{x}", serial="Z1", wwn="0x5000c500a0000000", children=[MAP]) for x in "ab")),
         "wwn-0x5000c500a0000000 -> ../../dm-0\n"], "multipath -f", "seen twice"),
        ("inventory", [DRIVES], "failing", "not output"),
        ("outage --lose d1", [status("d1", "d2", "d3", "d4")], "raidz2-0", "neither a disk"),
        ("capacity", [status("d1", "d2", "d3", "d4").replace("\ne", f"\tspecial\n\t  s1  {ONLINE}\n\ne"), SIZES],
         "disks of 12 TB, assumed from SIZE", "1 TiB stands"),
    ],
)  # fmt: skip
def test_that_an_odd_machine_gets_the_right_answer(
    command: str, texts: list[str], said: str, unsaid: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [tmp_path / f"{number}.txt" for number, _ in enumerate(texts)]
    for file, text in zip(files, texts, strict=True):
        file.write_text(text, encoding="utf-8")
    run([*command.split(), "--from", *map(str, files)])
    told = " ".join("".join(capsys.readouterr()).split())
    assert (said in told, unsaid in told) == (True, False), told
