"""Files that are written anew keep what their owner chose for them."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from poolwright.domain.disk import Disk
from poolwright.domain.errors import EnvironmentFailure, PoolwrightError
from poolwright.domain.estimate import OriginKind
from poolwright.domain.host import Inventory
from poolwright.store.capture_files import open_pasted
from poolwright.store.files import SCRIPT_MODE, redacted, write_bytes, write_text


def mode_of(path: Path) -> int:
    return path.stat().st_mode & 0o777


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o444])
def test_that_a_file_that_is_there_keeps_its_permissions(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "design.json"
    path.write_text("old")
    path.chmod(mode)
    write_text(path, "new")
    assert path.read_text() == "new"
    assert mode_of(path) == mode


def test_that_a_new_file_has_what_the_umask_leaves(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_text(tmp_path / "design.json", "text")
        write_text(tmp_path / "create.sh", "text", mode=SCRIPT_MODE)
    finally:
        os.umask(before)
    assert mode_of(tmp_path / "design.json") == 0o640
    assert mode_of(tmp_path / "create.sh") == 0o750


def test_that_a_private_file_that_becomes_a_script_stays_private(tmp_path: Path) -> None:
    path = tmp_path / "create.sh"
    path.write_text("old")
    path.chmod(0o600)
    write_text(path, "new", mode=SCRIPT_MODE)
    assert mode_of(path) == 0o700


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_that_a_file_that_is_there_keeps_its_owner(tmp_path: Path) -> None:
    path = tmp_path / "design.json"
    path.write_text("old")
    os.chown(path, 1234, 2345)
    write_text(path, "new")
    assert (path.stat().st_uid, path.stat().st_gid) == (1234, 2345)


def test_that_nothing_is_left_of_a_file_that_could_not_be_written(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFailure):
        write_bytes(tmp_path / "no folder" / "design.json", b"text")
    assert list(tmp_path.iterdir()) == []


ROOT = Path(__file__).parents[2]
CORPUS = ROOT.parent / "shared" / "corpus"
COLLECTOR = ROOT / "app/poolwright/machine/collector.sh"
CAPTURES = sorted((ROOT / "tests" / "machines").glob("*.capture"))
ALREADY = {"REDACTED", "<hidden>"}  # what people put there themselves
Redact = Callable[[str], str]


def replaced(text: str) -> str:
    return redacted(text, COLLECTOR)


def with_awk(awk: str, folder: Path) -> Redact:
    own = folder / "awk"
    own.write_text(f'#!/bin/sh\nexec {awk} "$@"\n', encoding="utf-8")
    own.chmod(0o755)
    return lambda text: shell(text, f"{folder}:{os.environ['PATH']}")


def shell(text: str, path: str = "") -> str:
    return subprocess.run(
        ["sh", str(COLLECTOR), "--redact-text"],
        input=text.encode(),
        capture_output=True,
        check=True,
        timeout=120,
        env={"PATH": path or os.environ["PATH"]},
    ).stdout.decode("utf-8", "replace")


def read(text: str) -> Inventory:
    return open_pasted(text)


def secrets_of(inventory: Inventory) -> set[str]:
    found = {value for disk in inventory.disks for value in (disk.serial, disk.wwn) if value and len(value) > 5}
    return {value for value in found if value not in ALREADY}


def names_read(disk: Disk) -> tuple[str, ...]:
    """Return the names under by-id that a tool listed; others follow from the serial number."""
    origin = disk.origin_of("by_id")
    return () if origin is not None and origin.kind is OriginKind.COMPUTED else disk.by_id


def told(inventory: Inventory) -> list[object]:
    """Return what must stay as it was: all but the names."""
    return [
        (
            disk.size_bytes, disk.model, disk.logical_sector_bytes, disk.physical_sector_bytes, disk.in_use,
            len(disk.uses), len(names_read(disk)), disk.serial is None, disk.wwn is None, disk.power_on_hours,
            disk.media,
        )
        for disk in inventory.disks
    ]  # fmt: skip


def check(text: str, redact: Redact) -> None:
    before = read(text)
    other = redact(text)
    after = read(other)
    assert told(after) == told(before)
    assert [secret for secret in secrets_of(before) if secret in other] == []
    assert len(secrets_of(after)) == len(secrets_of(before))
    for was, now in zip(before.disks, after.disks, strict=True):
        assert len(now.serial or "") == len(was.serial or "")
        # A name below by-id that held the serial number holds the new one.
        held = [bool(was.serial and was.serial in name) for name in was.by_id]
        assert [bool(now.serial and now.serial in name) for name in now.by_id] == held


@pytest.mark.parametrize("capture", CAPTURES, ids=lambda path: path.stem)
def test_that_a_capture_keeps_its_disks_and_loses_their_names(capture: Path) -> None:
    check(capture.read_text(encoding="utf-8"), replaced)


@pytest.mark.slow
@pytest.mark.parametrize("capture", CAPTURES, ids=lambda path: path.stem)
@pytest.mark.parametrize("awk", ["mawk", "busybox awk", "gawk", "original-awk"])
def test_that_the_collector_does_the_same_with_any_awk(capture: Path, awk: str, tmp_path: Path) -> None:
    if shutil.which(awk.split(maxsplit=1)[0]) is None:
        pytest.skip(f"{awk} is not here")
    check(capture.read_text(encoding="utf-8"), with_awk(awk, tmp_path))


def corpus_files() -> list[Path]:
    folders = ("lsblk_json", "lsblk_text", "smartctl_json", "smartctl_text", "nvme_cli", "by_id", "zpool_status_json")
    return [file for folder in folders for file in sorted((CORPUS / folder).glob("*")) if file.is_file()]


@pytest.mark.slow
def test_that_the_collector_leaves_no_serial_number_of_the_corpus() -> None:
    if not CORPUS.exists():
        pytest.skip("the corpus is not here")
    faults = []
    for file in corpus_files()[::6]:
        text = file.read_text(encoding="utf-8", errors="replace")
        try:
            before = read(text)
        except PoolwrightError:
            continue
        other = replaced(text)
        left = [value for value in secrets_of(before) if value in other]
        if left or told(read(other)) != told(before):
            faults.append((file.name, left))
    assert faults == []


def test_that_equal_ones_stay_equal_and_beginnings_too() -> None:
    text = '{"blockdevices": [{"serial": "ZA1ABCDE0000C812"}, {"serial": "ZA1ABCDE"}, {"serial": "ZA1ABCDF"}]}'
    long, short, other = (part.split('"')[0] for part in replaced(text).split('"serial": "')[1:])
    assert long.startswith(short)
    assert other[:-1] == short[:-1]
    assert other != short
    assert len({long, short, other, "ZA1ABCDE"}) == 4
    assert replaced(text) != replaced(text)  # another secret each time


def test_that_world_wide_names_agree_in_every_form() -> None:
    text = (
        'WWN="0x5000c500a1b2c3d4"\nLU WWN Device Id: 5 000c50 0a1b2c3d4\nwwn-0x5000c500a1b2c3d4'
        " scsi-35000c500a1b2c3d4\n"
        '"wwn": {\n    "naa": 5,\n    "oui": 3152,\n    "id": 2712847316\n  }\nnaa.5000c500a1b2c3d7\n'
    )
    lines = replaced(text).splitlines()
    name = lines[0].split('"')[1]
    digits = name.removeprefix("0x")
    assert digits[:7] == "5000c50"
    assert digits != "5000c500a1b2c3d4"
    assert lines[1] == f"LU WWN Device Id: {digits[0]} {digits[1:7]} {digits[7:]}"
    assert lines[2] == f"wwn-{name} scsi-3{digits}"
    assert int(lines[6].split(": ")[1]) == int(digits[7:], 16)
    assert lines[8] == f"naa.{digits[:-1]}7"  # another port of the same disk


def test_that_names_of_pools_go_only_when_they_are_to() -> None:
    text = "  pool: zebra\n state: ONLINE\nconfig:\n\n\tNAME        STATE\n\tzebra       ONLINE\n\t  sda       ONLINE\n"
    assert "zebra" in replaced(text)
    other = redacted(text, COLLECTOR, names=True)
    assert "zebra" not in other
    assert "ONLINE" in other
    assert "sda" in other


def test_that_names_known_beforehand_go_and_without_a_collector_it_is_refused(tmp_path: Path) -> None:
    text = '{"name": "nas", "by_id": ["ata-WDC_ZQ7Y12XW"], "pool_guid": "1234567890123456789"}\n'
    other = redacted(text, COLLECTOR, hosts=["nas"], links=["ata-WDC_ZQ7Y12XW"])
    assert not [word for word in ("nas", "ZQ7Y12XW", "1234567890123456789") if word in other]
    assert len(other) == len(text)
    with pytest.raises(EnvironmentFailure, match="could not be replaced"):
        redacted(text, tmp_path / "none.sh")
