"""`predict` and `risk` for the disks and the host of a machine, instead of numbers typed one by one."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.command_line import answer_of, own_process, poolwright, printed, refused, written
from tests.machines.writing import block, lsblk

from poolwright.cli.main import run
from poolwright.domain.design import Design
from poolwright.paths import library_file
from poolwright.store.database import Database
from poolwright.store.design_file import from_json
from poolwright.store.library import Designs

CAPTURE = Path(__file__).parents[1] / "machines" / "vm-44-disks-512e.capture"


def test_that_speeds_take_class_and_limits_from_the_machine() -> None:
    plain = answer_of("predict", "--vdev", "raidz2:8x6TB")
    there = answer_of("predict", "--vdev", "raidz2:8x6TB", "--example", "thesis")
    told = answer_of("predict", "--vdev", "raidz2:8x6TB", "--cores", "8", "--hba", "9.6GB/s", "--network", "10Gbit/s")
    limits = ("HBA", "CPU", "network")
    of_machine, of_options, of_none = ([c for c in one["chain"] if c["name"] in limits] for one in (there, told, plain))
    assert of_machine == of_options != of_none
    assert "measured of ST6000NM0034" in there["seq_read"]["origin"]
    assert "usual for a hard disk of 6 TB" in told["seq_read"]["origin"]


def test_that_flash_of_a_machine_is_predicted_as_flash() -> None:
    flash = answer_of("predict", "--vdev", "mirror:2x250GB", "--example", "tunables")
    disks = answer_of("predict", "--vdev", "mirror:2x6TB", "--example", "tunables")
    assert flash["rand_read_iops"]["typical"] > 20 * disks["rand_read_iops"]["typical"]


def test_that_what_is_told_comes_before_the_machine() -> None:
    words = ("predict", "--vdev", "raidz2:8x6TB", "--example", "thesis", "--network", "1Gbit/s")
    assert answer_of(*words)["seq_read"]["typical"] <= 125e6


def test_that_risk_takes_the_failure_rate_of_the_models(tmp_path: Path) -> None:
    model = "HGST HUH721212ALE600"
    seen = written(
        tmp_path / "lsblk.json",
        lsblk(*(block(f"sd{letter}", model=model, size=12000138625024) for letter in "abcdefgh")),
    )
    there = answer_of("risk", "--vdev", "raidz2:8x12TB", "--from", str(seen))
    named = answer_of("risk", "--vdev", "raidz2:8x12TB", "--model", model)
    fleet = answer_of("risk", "--vdev", "raidz2:8x12TB")
    rates = [document["terms"][0]["afr_percent"]["typical"] for document in (there, named, fleet)]
    assert rates[0] == rates[1] != rates[2]


def test_that_shingled_disks_of_a_machine_rebuild_slowly() -> None:
    shingled = answer_of("risk", "--vdev", "raidz1:4x8TB", "--disks", "4 x 8TB SMR hdd")
    plain = answer_of("risk", "--vdev", "raidz1:4x8TB", "--disks", "4 x 8TB CMR hdd")
    hours = [document["terms"][0]["rebuild_hours"]["typical"] for document in (shingled, plain)]
    assert hours[0] > 10 * hours[1]


@pytest.mark.parametrize("command", ["predict", "risk"])
def test_that_sizes_the_machine_has_not_are_refused(command: str) -> None:
    said = refused(command, "--vdev", "raidz2:8x16TB", "--example", "thesis")
    assert "no disks of 16 TB" in said
    assert "6 TB" in said


@pytest.mark.parametrize("command", ["predict", "risk"])
def test_that_a_line_of_a_batch_may_name_a_machine(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [{"vdev": "raidz2:8x6TB", "example": "thesis"}, {"vdev": "raidz2:8x6TB", "example": "x"}]
    batch = written(tmp_path / "batch.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
    assert run([command, "--batch", str(batch)]) == 0
    good, bad = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert good["vdev"]
    assert "example" in bad["error"]


# What the commands say of machines whose tools print odd things: no false alarm, no disk twice, no wrong device.


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
MULTIHOST = "status: multihost writes failed or were delayed\n"
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
    whole = () if command.startswith("script") else ("--all", "--why")
    run([*command.split(), "--from", *map(str, files), *whole])
    told = " ".join("".join(capsys.readouterr()).split())
    assert (said in told, unsaid in told) == (True, False), told


# The design a command is asked about: a file, a name of the library, a pool that exists: each command takes each.


COMMANDS = (
    ("capacity",), ("usage",), ("growth",), ("outage",), ("risk",), ("predict",), ("roles",), ("report",),
    ("bench", "--list", "--design"),
)  # fmt: skip


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a design in a file and in the library, and a capture of a machine with one pool."""
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    file = tmp_path / "d.json"
    made = poolwright("recommend", "--disks", "4 x 4TB", "--goal", "safety", "--save-design", str(file))
    assert made.returncode == 0, made.stderr
    save(replace(from_json(file.read_text()), name="of the office"))
    (tmp_path / "nas.txt").write_text(status("ata-A", "ata-B", "ata-C", "ata-D") + SIZES.replace("44.0T", "14.5T"))
    return tmp_path


def save(design: Design) -> None:
    with Database.open(library_file()) as database:
        Designs(database).save(design)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_that_a_command_takes_a_file_a_saved_name_and_a_pool_that_exists(command: tuple[str, ...], home: Path) -> None:
    nas = ("--from", str(home / "nas.txt"), "--pool", "tank")
    call = own_process if command[0] == "report" else poolwright  # which writes bytes
    of_file = call(*command, str(home / "d.json"))
    of_name = call(*command, "of the office")
    of_pool = call(*(word for word in command if word != "--design"), *nas)
    assert [one.returncode for one in (of_file, of_name, of_pool)] == [0, 0, 0], (of_file, of_name, of_pool)
    assert of_file.stdout.count("\n") == of_name.stdout.count("\n") > 1
    assert "Traceback" not in of_pool.stderr


def test_that_designs_are_compared_with_a_pool_that_exists(home: Path) -> None:
    nas = ("--from", str(home / "nas.txt"), "--pool", "tank")
    answer = printed("compare", str(home / "d.json"), "of the office", *nas)
    assert "of the office" in answer
    assert "tank" in answer


def test_that_script_bind_migrate_and_live_take_a_saved_name(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nas = ("--from", str(home / "nas.txt"))
    monkeypatch.chdir(home)
    (home / "of the office").mkdir()  # as a mounted pool has one
    typed = poolwright("script", "of the office", "--format", "sheet")
    assert typed.returncode == 0, typed.stderr
    rest = (("bind", "of the office"), ("migrate", "of the office", "--pool", "tank"),
            ("compare", "of the office", "--live"), ("audit", "--design", "of the office"))  # fmt: skip
    for words in rest:
        answer = poolwright(*words, *nas)
        assert answer.returncode in {0, 1}, (words, answer.stderr)
        assert "no such file" not in answer.stderr


def test_that_a_name_that_two_saved_designs_have_is_not_guessed(home: Path) -> None:
    save(replace(from_json((home / "d.json").read_text()), name="of the office", key="another"))
    assert "2 designs of this name" in refused("capacity", "of the office")


def test_that_a_name_that_is_neither_file_nor_saved_is_refused_and_makes_no_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("XDG_DATA_HOME", "HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    assert "no such file" in refused("outage", "nothing.json")
    assert not library_file().exists()


def test_that_a_run_is_not_judged_by_a_design_and_a_pool_at_once(home: Path) -> None:
    assert "cannot be combined" in refused(
        "bench", "--list", "--design", str(home / "d.json"), "--from", str(home / "nas.txt")
    )
