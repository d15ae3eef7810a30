"""A place is looked at before anything is measured there: what it lies on, and each reason against it."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.bench.running.places import needs_fio
from tests.cases import table

from poolwright.bench.record import BenchTarget
from poolwright.bench.running.inspection import look
from poolwright.bench.running.run import pool_watcher, sampler
from poolwright.domain.command import Batch, Completed, Ending
from poolwright.domain.errors import UserError
from poolwright.domain.version import ZfsVersion
from poolwright.process.blocking import drive

LOOKED: str = table(__file__, "looked")
STATUS: str = table(__file__, "status")


def looked(
    *,
    scan: str = "none requested",
    health: str = "ONLINE",
    looking: str = LOOKED,
    mount: str = "",
    status: str = STATUS,
) -> BenchTarget:
    def runner(batch: Batch) -> tuple[Completed, ...]:
        told = {
            "sh": looking.replace("rw,noatime", mount or "rw,noatime"),
            "get": "recordsize\t131072\nprimarycache\tmetadata\n",
            "list": f"tank\t6000000000000\t12\t3\t{health}\n",
            "status": status.format(scan=scan),
            "version": "zfs-2.3.2-1\nzfs-kmod-2.2.7-1\n",
        }
        return tuple(
            Completed(
                command=command,
                ending=Ending.EXITED,
                status=0,
                stdout=told["sh" if command.program == "sh" else command.argv[1]].encode(),
            )
            for command in batch
        )

    return drive(look("/tank/my data"), runner)


def test_that_pool_dataset_versions_and_cache_are_found() -> None:
    place = looked()
    assert (place.dataset, place.pool, place.filesystem) == ("tank/my data", "tank", "zfs")
    assert (place.userland, place.module) == (ZfsVersion(2, 3, 2), ZfsVersion(2, 2, 7))
    assert (place.arc_most_bytes, place.free_bytes, place.ram_bytes) == (8 << 30, 1 << 40, 65536000 * 1024)
    assert (place.property("recordsize"), place.property("primarycache")) == ("131072", "metadata")
    assert (place.pool_bytes, place.fill_percent, place.fragmentation_percent) == (6_000_000_000_000, 12, 3)
    assert place.refusals == ()
    assert any("the module of 2.2.7" in text for text in place.warnings)
    assert place.commands[1] == "zfs destroy tank/poolwright-bench"


def test_that_vdevs_log_and_disks_are_found_with_serials() -> None:
    place = looked()
    assert place.layout == ("mirror-0 ata-ST6000_ZR50 sdb1", "logs nvme0n1", "spares sdx")
    assert place.has_log is True
    found = {disk.name: (disk.kernel_name, disk.serial, disk.rotational) for disk in place.disks}
    assert found["ata-ST6000_ZR50"] == ("sda", "ZR50", True)
    assert found["sdb1"] == ("sdb", "ZR51", True)
    assert found["nvme0n1"] == ("nvme0n1", "S4X", False)
    assert found["sdx"] == (None, None, None)


def test_that_a_disk_is_found_by_any_of_its_names_and_below_what_is_mapped_on_it() -> None:
    below = """NAME="sdc" PKNAME="" SERIAL="ZR52" MODEL="ST6000" ROTA="1" SIZE="6001175126016" TYPE="disk" KNAME="sdc"
NAME="sdc1" PKNAME="sdc" SERIAL="" MODEL="" ROTA="1" SIZE="6001165271040" TYPE="part" KNAME="sdc1"
NAME="safe" PKNAME="sdc1" SERIAL="" MODEL="" ROTA="1" SIZE="6001165271040" TYPE="crypt" KNAME="dm-0"
@names
/dev/disk/by-id:
total 0
lrwxrwxrwx 1 root root  9 Nov 23 13:02 wwn-0x5000c50000000000 -> ../../sda
lrwxrwxrwx 1 root root 10 Nov 23 13:02 dm-name-safe -> ../../dm-0
@caches
"""
    members = STATUS.replace("ata-ST6000_ZR50 ", "wwn-0x5000c50000000000").replace("sdb1", "safe")
    found = {
        disk.name: disk.serial for disk in looked(looking=LOOKED.replace("@caches\n", below), status=members).disks
    }
    assert (found["wwn-0x5000c50000000000"], found["safe"]) == ("ZR50", "ZR52")
    mapped = looked(looking=LOOKED.replace("@caches\n", below), status=members.replace("safe", "dm-name-safe"))
    assert {disk.name: disk.serial for disk in mapped.disks}["dm-name-safe"] == "ZR52"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"scan": "scrub in progress since Mon Nov 23 09:30:19 2026"}, "at work: scrub in progress"),
        ({"scan": "resilver in progress since Mon Nov 23 09:30:19 2026"}, "at work: resilver"),
        ({"scan": "resilver (draid1:4d:8c:1s-0) in progress since Mon Nov 23 09:30:19 2026"}, "at work: resilver"),
        ({"scan": "none requested\n    (3% initialized, started at Mon Nov 23)"}, "at work: 3% initialized"),
        ({"health": "DEGRADED"}, "is DEGRADED"),
        ({"mount": "ro,noatime"}, "read-only"),
        ({"looking": LOOKED.replace("yes", "")}, "may not be written"),
        ({"looking": LOOKED.replace("fio-3.33", "fio-2.1.3")}, "too old"),
        ({"looking": LOOKED.replace("fio-3.33\n", "")}, "not installed"),
        ({"looking": LOOKED.replace("/tank/my data\n@w", "/usr/share\n@w")}, "belongs to the system"),
        ({"looking": LOOKED.replace(" 1073741824 1%", " 100 1%")}, "next to no room"),
    ],
)
def test_that_each_reason_against_a_place_is_told(changes: dict[str, str], said: str) -> None:
    assert any(said in text for text in looked(**changes).refusals)


def test_that_a_dataset_that_is_not_mounted_there_is_refused() -> None:
    def runner(batch: Batch) -> tuple[Completed, ...]:
        told = {
            "sh": "@directory\n/tank/data/bench\n@writable\nyes\n@df\n/dev/sda1 9 9 1073741824 1% /\n@mount\n"
            "/ /dev/sda1 ext4 rw\n@fio\nfio-3.33\n",
            "zfs": "tank\t/tank\tyes\t-\ntank/data\t/tank/data\tno\tunavailable\ntank/d\t/tank/d\tno\t-\n",
        }
        return tuple(
            Completed(command=command, ending=Ending.EXITED, status=0, stdout=told[command.program].encode())
            for command in batch
        )

    (refusal,) = drive(look("/tank/data/bench"), runner).refusals
    assert "tank/data belongs at /tank/data, and its key is not loaded" in refusal


@pytest.mark.parametrize(("name", "refused"), [("/home", True), ("/home/me/bench", False), ("/run/media/x", False)])
def test_that_a_directory_of_all_users_is_refused_and_one_below_it_is_not(name: str, refused: bool) -> None:
    place = looked(looking=LOOKED.replace("/tank/my data\n@w", f"{name}\n@w"))
    assert any("belongs to the system" in text for text in place.refusals) is refused


def test_that_what_a_run_left_is_told_with_its_removal() -> None:
    place = looked(looking=LOOKED + "@left\npoolwright-bench-20260101-000000-abcd\n")
    assert any("rm -r -- '/tank/my data/poolwright-bench-2026" in text for text in place.warnings)


@needs_fio
def test_that_a_directory_of_this_machine_is_looked_at(tmp_path: Path) -> None:
    place = drive(look(str(tmp_path)))
    assert place.directory == os.path.realpath(tmp_path)
    assert place.free_bytes > 0
    assert (place.fio or "").startswith("fio-")
    assert place.refusals == ()
    with pytest.raises(UserError, match="no directory"):
        drive(look(str(tmp_path / "missing")))


def test_that_links_and_write_caches_are_told() -> None:
    place = looked()
    assert place.links == (("eth0", 125_000_000),)
    assert {disk.kernel_name: disk.flushed for disk in place.disks} == {
        "sda": True,
        "sdb": False,
        "nvme0n1": None,
        None: None,
    }


@pytest.fixture
def zpool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put a zpool before others that notes its number and words, and then prints for ever as the real one does."""
    program = tmp_path / "bin" / "zpool"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\necho "$$ $*" >{tmp_path}/began\nwhile :; do echo report; sleep 0.1; done\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/sbin:/usr/bin:/sbin:/bin")
    return tmp_path / "began"


@pytest.mark.slow
@pytest.mark.parametrize("what", ["pool", "machine"])
def test_that_a_watcher_ends_when_the_directory_of_its_run_is_gone(tmp_path: Path, zpool: Path, what: str) -> None:
    scratch = tmp_path / "poolwright-bench-one"
    scratch.mkdir()
    command = pool_watcher(str(scratch), "tank") if what == "pool" else sampler(str(scratch), None)
    with subprocess.Popen(command.argv, stdout=subprocess.PIPE, start_new_session=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline()
        assert child.poll() is None
        shutil.rmtree(scratch)
        child.stdout.read()  # until nothing of it has its output open any more
        assert child.wait(10) != 0
    if what == "pool":
        assert zpool.read_text().split(maxsplit=1)[1] == "iostat -T u -y -v -l -p -H tank 1\n"


def test_that_a_watcher_that_ends_by_itself_says_how(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "zpool").write_text("#!/bin/sh\necho 'no such pool' >&2\nexit 3\n")
    (tmp_path / "zpool").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    command = pool_watcher(str(tmp_path), "tank")
    done = subprocess.run(command.argv, check=False, capture_output=True, text=True, timeout=30)
    assert (done.returncode, done.stderr) == (3, "no such pool\n")
