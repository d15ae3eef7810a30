"""A system by name: the OpenZFS that it ships, and what a design, a script and advice say for it."""

import json
import subprocess
from pathlib import Path

import pytest
from tests.cases import cases
from tests.command_line import answer_of, printed, refused

from poolwright.design.roles.cache import arc_bytes
from poolwright.domain.host import Host
from poolwright.domain.units import GIB
from poolwright.domain.version import ZfsVersion

# Each system, its OpenZFS, and what its tools do that others' do not: a line of the advice, or of the answer.
SYSTEMS = cases(__file__, "systems")


@pytest.mark.parametrize(("name", "version", "fact"), SYSTEMS)
def test_that_a_system_tells_its_openzfs_and_what_holds_there(
    name: str, version: str, fact: str, tmp_path: Path
) -> None:
    file = str(tmp_path / "tank.json")
    said = printed("recommend", "--example", "thesis", "--layout", "raidz2:6x6TB", "--zfs", name, "--save-design", file)
    design = json.loads(Path(file).read_text())["design"]
    title = design["host"]["os_name"]
    assert (design["version"], design["host"]["zfs_version"]) == (version, version)
    assert fact in said + printed("script", file, "--format", "advice").replace("\n# | ", " ")
    assert f"computed for OpenZFS {version} ({title})." in printed("script", file)
    assert f"OpenZFS {version} ({title})" in printed("report", file)


def test_that_point_releases_with_another_openzfs_are_told_apart() -> None:
    of = {name: answer_of("capacity", "--vdev", "mirror:2x6TB", "--zfs", name)["zfs"] for name in (
        "proxmox 9.1", "pve 9.0", "debian 13 backports", "FreeBSD 14.3-RELEASE-p2", "ubuntu 24.04.3", "2.2",
    )}  # fmt: skip
    assert list(of.values()) == ["2.3.4", "2.3.3", "2.4.4", "2.2.7", "2.2.2", "2.2.11"]


@pytest.mark.parametrize("name", ["proxmox 7", "ubuntu", "solaris"])
def test_that_another_system_is_refused_with_the_names_that_there_are(name: str) -> None:
    told = refused("capacity", "--vdev", "mirror:2x6TB", "--zfs", name)
    assert name in told
    assert "proxmox-9, ubuntu-24.04" in told


@pytest.mark.parametrize(("name", "file"), [
    ("debian 12", "openzfs-2.1-linux"), ("proxmox 8", "openzfs-2.2"), ("truenas 25.10", "openzfs-2.3"),
    ("freebsd 14", "openzfs-2.2"), ("freebsd 15", "openzfs-2.4"),
])  # fmt: skip
def test_that_a_pool_can_be_kept_importable_on_a_system(name: str, file: str) -> None:
    said = printed("recommend", "--disks", "6x16TB", "--zfs", "ubuntu 26.04", "--import-on", name)
    assert f"-o compatibility={file} " in said


def capture(tmp_path: Path, os_name: str, kernel: str) -> str:
    path = tmp_path / "new.capture"
    disk = {"type": "disk", "size": 8001563222016, "rota": True, "log-sec": 512, "phy-sec": 4096, "model": "ST8000NM"}
    disks = [{"name": f"sd{letter}", "serial": f"ZA{letter}", **disk} for letter in "abcdef"]
    lsblk = json.dumps({"blockdevices": disks})
    parts = {"uname": kernel, "os-release": f'PRETTY_NAME="{os_name}"', "lsblk": lsblk}
    sections = "".join(f"### file: {name}\n{text}\n### status: 0\n" for name, text in parts.items())
    path.write_text(f"### poolwright-capture 1\n{sections}### end\n")
    return str(path)


@pytest.mark.parametrize(("os_name", "kernel", "version"), [
    ("Ubuntu 24.04.3 LTS", "6.8.0-60-generic", "2.2.2"),
    ("Debian GNU/Linux 12 (bookworm)", "6.1.0-42-amd64", "2.1.11"),
    ("Debian GNU/Linux 13 (trixie)", "7.0.14-12-pve", "2.4.4"),
    ("Debian GNU/Linux 12 (bookworm)", "6.12.33-production+truenas", "2.3.4"),
    ("openSUSE Leap 15.6", "6.4.0", "2.3.9"),
])  # fmt: skip
def test_that_a_machine_without_openzfs_gets_what_its_system_ships(
    os_name: str, kernel: str, version: str, tmp_path: Path
) -> None:
    file = str(tmp_path / "tank.json")
    printed("recommend", "--from", capture(tmp_path, os_name, kernel), "--save-design", file)
    assert json.loads(Path(file).read_text())["design"]["version"] == version


def test_that_the_system_told_comes_before_the_one_that_was_read(tmp_path: Path) -> None:
    file, read = str(tmp_path / "tank.json"), capture(tmp_path, "Ubuntu 24.04.3 LTS", "6.8.0-60-generic")
    printed("recommend", "--from", read, "--ram", "256GiB", "--zfs", "proxmox 9", "--save-design", file)
    assert json.loads(Path(file).read_text())["design"]["host"]["os_name"] == "Proxmox VE 9"


@pytest.mark.parametrize(("ram", "arc"), [(64, 64 * GIB // 10), (512, 16 * GIB)])
def test_that_the_arc_has_the_limit_that_the_installer_sets(ram: int, arc: int) -> None:
    assert arc_bytes(Host(os_name="Proxmox VE 9", ram_bytes=ram * GIB), ZfsVersion(2, 4, 4)) == arc
    read = Host(os_name="Debian GNU/Linux 13 (trixie)", kernel="7.0.14-12-pve", ram_bytes=ram * GIB)
    assert arc_bytes(read, ZfsVersion(2, 4, 4)) == arc


def test_that_truenas_is_told_the_records_that_it_would_enlarge_on_draid(tmp_path: Path) -> None:
    file, layout = str(tmp_path / "tank.json"), "draid2:8d:1s:24x6TB"
    printed("recommend", "--example", "thesis", "--layout", layout, "--zfs", "truenas 26", "--save-design", file)
    calls = json.loads(printed("script", file, "--format", "truenas"))["calls"]
    assert calls[1]["params"][1]["recordsize"] == "128K"


def test_that_a_script_tells_when_another_openzfs_runs_there(tmp_path: Path) -> None:
    file, script = str(tmp_path / "tank.json"), tmp_path / "tank.sh"
    printed("recommend", "--example", "thesis", "--layout", "raidz2:6x6TB", "--zfs", "proxmox 9", "--save-design", file)
    text = printed("script", file)
    check = text[text.index("check_version() {") : text.index("changed_words() {")]
    planned = next(line for line in text.splitlines() if line.startswith("readonly designed_for="))
    said = {}
    for here in ("2.4.4-pve1", "2.4.2-pve1", "2.3.4-pve1"):
        script.write_text(
            f'{planned}\nsay() {{ echo "$1"; }}\nzfs() {{ echo zfs-kmod-{here}; }}\n{check}\ncheck_version'
        )
        said[here] = subprocess.run(["bash", script], capture_output=True, text=True, check=True).stdout
    assert said == {
        "2.4.4-pve1": "",
        "2.4.2-pve1": "note: OpenZFS 2.4.2-pve1 runs here, the design was computed for 2.4.4 (Proxmox VE 9)\n",
        "2.3.4-pve1": "WARNING: OpenZFS 2.3.4-pve1 runs here, the design was computed for 2.4.4 (Proxmox VE 9)\n",
    }
