"""The rehearsal: what its script leaves out and refuses, run by bash with tools that only remember what was asked."""

import os
import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from tests.cases import table
from tests.emit.pretend import STAMP, small_design

from poolwright.domain.design import Dataset, Design, Setting
from poolwright.domain.names import LONGEST_POOL_NAME
from poolwright.emit.rehearsal import rehearsal_script

POOL = re.compile(r"^readonly suffix=(\S+)$", re.MULTILINE)
_ID = "#!/bin/sh\necho ${WHO-0}\n"
# Pools are lines of a file; what a pool lies on is told by another.
_ZPOOL: str = table(__file__, "zpool")
_STAT = """#!/bin/sh
if [ "$1 $3" = "-f %a %S" ] && [ -n "$FREE" ]; then echo "$FREE 1"; else exec /usr/bin/stat "$@"; fi
"""


class Bench:
    """A folder to rehearse in, and one for the tools and what they remember."""

    def __init__(self, root: Path, design: Design | None = None) -> None:
        self.root, self.scratch, self.state = root, root / "scratch", root / "state"
        for folder in (self.scratch, self.state, root / "bin"):
            folder.mkdir()
        for name, text in (("id", _ID), ("zpool", _ZPOOL), ("zfs", "#!/bin/sh\n"), ("stat", _STAT)):
            (root / "bin" / name).write_text(text, encoding="utf-8")
            (root / "bin" / name).chmod(0o755)
        text = written(design or small_design())
        self.script = root / "rehearse.sh"
        self.script.write_text(text, encoding="utf-8")
        found = POOL.search(text)
        assert found is not None
        self.pool, self.place = f"tank{found[1]}", self.scratch / f"poolwright{found[1]}"

    def run(self, *words: object, said: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
        told = {"PATH": f"{self.root / 'bin'}:{os.environ['PATH']}", "STATE": str(self.state)}
        return subprocess.run(
            ["bash", self.script, *map(str, words)],
            input=said,
            env=told | environment,
            capture_output=True,
            text=True,
            check=False,
        )

    def log(self) -> list[str]:
        file = self.state / "log"
        return file.read_text(encoding="utf-8").splitlines() if file.exists() else []

    def left_by_a_killed_run(self, *, device: str | None = None) -> None:
        """Make what a run leaves that was killed; its pool may have a device elsewhere."""
        (self.place / "files").mkdir(parents=True)
        mark = f"org.poolwright:{self.place.name}\n"
        (self.place / "poolwright-rehearsal").write_text(mark, encoding="utf-8")
        (self.place / "files" / "disk-01").touch()
        (self.state / "pools").write_text(f"other\n{self.pool}\n", encoding="utf-8")
        lines = (
            self.pool,
            "\traidz2-0",
            f"\t{self.place}/files/disk-01",
            f"\t{device or self.place / 'files/disk-02'}",
        )
        (self.state / "devices").write_text("".join(f"{line}\t1\t2\n" for line in lines), encoding="utf-8")


def written(design: Design) -> str:
    return rehearsal_script(design, STAMP)


def with_settings(*settings: tuple[str, str], root: tuple[tuple[str, str], ...] = ()) -> Design:
    made = tuple(Setting(name=name, value=value) for name, value in settings)
    of_root = tuple(Setting(name=name, value=value) for name, value in root)
    return replace(small_design(), pool_settings=made, datasets=(Dataset(name="", settings=of_root),))


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def test_that_no_device_is_named() -> None:
    text = written(small_design())
    assert set(re.findall(r"/dev/[a-z]+", text)) == {"/dev/null", "/dev/urandom", "/dev/zero"}
    assert "/dev/disk" not in text


def test_that_planned_disks_are_rehearsed_with_their_sizes() -> None:
    design = small_design()
    planned = replace(design, disks=tuple(replace(d, by_id=(), planned=True) for d in design.disks))
    lines = re.findall(r"^  file disk-\d+ (\d+) ", written(planned), re.MULTILINE)
    used = [m.disk_key for vdev in design.vdevs for m in vdev.members]
    assert [int(size) for size in lines] == [design.disk(key).size_bytes for key in used]


def test_that_what_would_reach_out_of_the_directory_is_left_out_and_told() -> None:
    design = with_settings(("failmode", "panic"), ("multihost", "on"), root=(("sharenfs", "on"), ("atime", "off")))
    lines = written(design).partition("design() {")[2].partition("\n}\n")[0]
    commands = lines.partition("# What is created")[2]
    assert not any(word in commands for word in ("failmode", "multihost", "sharenfs"))
    assert "atime=off" in commands
    for told in ("failmode=panic of tank", "multihost=on of tank", "sharenfs=on of tank"):
        assert f"left_out '{told}: " in lines


def test_that_a_volume_shows_no_device() -> None:
    volume = Dataset(name="vm", volume_bytes=1 << 30, settings=(Setting(name="volmode", value="dev"),))
    text = written(replace(small_design(), datasets=(volume,)))
    assert "-o volmode=none" in text
    assert "volmode=dev of tank/vm" in text


def test_that_a_key_is_made_for_the_rehearsal() -> None:
    given = (("encryption", "on"), ("keyformat", "raw"), ("keylocation", "file:///etc/zfs/tank.key"))
    text = written(with_settings(root=given))
    assert "-O keylocation=files/key-1" in text
    assert "\n  key key-1 raw\n" in text
    assert "/etc/zfs/tank.key" not in text
    typed = written(with_settings(root=(*given[:1], ("keyformat", "passphrase"))))  # zfs would ask whoever watches
    assert "-O keylocation=files/key-1" in typed
    assert "\n  key key-1 passphrase\n" in typed


def test_that_a_long_name_keeps_room_for_the_suffix() -> None:
    text = written(small_design(pool_name="t" * LONGEST_POOL_NAME, datasets=()))
    names = re.findall(r"\bt+-rehearsal-[0-9a-f]{8}\b", text)
    assert {len(name) for name in names} == {LONGEST_POOL_NAME}


def test_that_a_directory_is_wanted(bench: Bench) -> None:
    done = bench.run("--agree")
    assert done.returncode == 2
    assert "Usage:" in done.stderr
    assert bench.run(bench.scratch, bench.scratch).returncode == 2
    assert bench.run("--zap", bench.scratch).returncode == 2


def test_that_odd_places_are_refused(bench: Bench) -> None:
    (bench.scratch / "a b").mkdir()
    for place, why in (("/", "no place"), ("/dev/shm", "no place"), ("/proc", "no place"), ("a b", "characters")):
        done = bench.run("--agree", bench.scratch / place)
        assert (done.returncode, why in done.stderr) == (2, True)
    assert "no directory" in bench.run("--agree", bench.scratch / "not-there").stderr
    assert bench.log() == []


def test_that_only_root_may(bench: Bench) -> None:
    done = bench.run("--agree", bench.scratch, WHO="1000")
    assert done.returncode == 3
    assert "Only root" in done.stderr


def test_that_nothing_happens_unless_it_was_typed(bench: Bench) -> None:
    for said in ("", "yes\n"):
        done = bench.run(bench.scratch, said=said)
        assert done.returncode == 1
        assert "MiB" in done.stdout
        assert list(bench.scratch.iterdir()) == []
    assert bench.log() == []


def test_that_a_pool_of_that_name_is_left_alone(bench: Bench) -> None:
    (bench.state / "pools").write_text(f"{bench.pool}\n", encoding="utf-8")
    done = bench.run("--agree", bench.scratch)
    assert done.returncode == 1
    assert "There is a pool" in done.stderr
    assert (bench.log(), list(bench.scratch.iterdir())) == ([], [])


@pytest.mark.parametrize("kind", ["file", "folder", "link", "other mark"])
def test_that_what_others_put_in_its_place_is_left_alone(bench: Bench, kind: str) -> None:
    mine = bench.root / "mine"
    mine.mkdir()
    (mine / "kept").touch()
    if kind == "file":
        bench.place.touch()
    elif kind == "link":
        bench.place.symlink_to(mine)
    else:
        bench.place.mkdir()
        (bench.place / ("kept" if kind == "folder" else "poolwright-rehearsal")).write_text("mine\n", encoding="utf-8")
    for words in (("--agree",), ("--clean",)):
        done = bench.run(*words, bench.scratch)
        assert done.returncode == 1
        assert "was not made by this script" in done.stderr
    assert bench.place.exists()
    assert (mine / "kept").exists()
    assert bench.log() == []


def test_that_too_little_room_is_told_and_nothing_stays(bench: Bench) -> None:
    done = bench.run("--agree", bench.scratch, FREE="1000000")
    assert done.returncode == 1
    assert "0 MiB free" in done.stderr
    assert (bench.log(), list(bench.scratch.iterdir())) == ([], [])


def test_that_a_create_that_fails_leaves_nothing(bench: Bench) -> None:
    done = bench.run("--agree", "--no-pauses", bench.scratch)
    assert done.returncode == 3
    (create,) = bench.log()
    assert create.startswith(f"create -R {bench.place}/mounts -o cachefile=none -o failmode=continue ")
    devices = [word for word in create.split(f" {bench.pool} ")[1].split() if word.startswith("/")]
    assert devices
    assert all(device.startswith(f"{bench.place}/files/disk-") for device in devices)
    assert (bench.state / "files").read_text(encoding="utf-8").split() == [d.rpartition("/")[2] for d in devices]
    assert "Nothing of the rehearsal is left." in done.stdout
    assert list(bench.scratch.iterdir()) == []


def test_that_what_a_killed_run_left_is_removed(bench: Bench) -> None:
    bench.left_by_a_killed_run()
    done = bench.run("--clean", bench.scratch)
    assert done.returncode == 0, done.stderr
    assert bench.log() == [f"destroy {bench.pool}"]
    assert (bench.state / "pools").read_text(encoding="utf-8") == "other\n"
    assert list(bench.scratch.iterdir()) == []


@pytest.mark.parametrize("device", ["/mnt/disk-02", "12345678901234567", "/dev/sda1"])
def test_that_a_pool_with_a_device_elsewhere_is_never_destroyed(bench: Bench, device: str) -> None:
    bench.left_by_a_killed_run(device=device)
    done = bench.run("--clean", bench.scratch)
    assert done.returncode == 1
    assert "devices outside" in done.stderr
    assert bench.log() == []
    assert (bench.place / "files" / "disk-01").exists()


def test_that_a_second_run_waits_for_nobody_and_touches_nothing(bench: Bench) -> None:
    bench.left_by_a_killed_run()
    with subprocess.Popen(["flock", bench.place / "poolwright-rehearsal", "cat"], stdin=subprocess.PIPE) as other:
        while (
            subprocess.run(["flock", "-n", bench.place / "poolwright-rehearsal", "true"], check=False).returncode == 0
        ):
            pass
        done = bench.run("--agree", bench.scratch)
        other.communicate()
    assert done.returncode == 1
    assert "Another run" in done.stderr
    assert bench.log() == []


def test_that_a_changed_fixed_part_is_not_run(bench: Bench) -> None:
    text = bench.script.read_text(encoding="utf-8")
    bench.script.write_text(text.replace("case $name in\n", "case $name in #\n", 1), encoding="utf-8")
    done = bench.run("--agree", bench.scratch)
    assert done.returncode == 3
    assert "was changed since it was written" in done.stderr
