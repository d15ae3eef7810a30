"""The set-up script, run on a copy of the few files it reads, with `dpkg` and `id` answering for another machine."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
PACKAGES = (REPOSITORY / "packaging" / "system-packages.txt").read_text("utf-8")


def wanted(group: str) -> list[str]:
    rows = [line.split() for line in PACKAGES.splitlines() if line and not line.startswith("#")]
    return [row[1] for row in rows if row[0] == group]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder with a space and a quote in its name, holding what the script reads and nothing else."""
    folder = tmp_path / "o'brien's pool wright"
    shutil.copytree(REPOSITORY / "packaging", folder / "packaging")
    for name in ("pyproject.toml", "uv.lock"):
        shutil.copy(REPOSITORY / name, folder)
    return folder


class Machine:
    """A PATH whose first folder answers as the machine that a test describes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir()
        self.answer("id", "1000")
        self.answer("apt-get", "apt-get must not be started")

    def answer(self, tool: str, text: str) -> None:
        path = self._folder / tool
        path.write_text(f"#!/bin/sh\ncat <<'END'\n{text}\nEND\n", "utf-8")
        path.chmod(0o755)

    def has(self, *packages: str, provides: str = "", architecture: str = "amd64") -> None:
        self.answer("dpkg", "amd64")
        rows = [f"installed\t{architecture}\t{package}\t{provides}" for package in packages]
        self.answer("dpkg-query", "\n".join(rows))

    def run(self, checkout: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        path = f"{self._folder}:{os.environ['PATH']}"
        return subprocess.run(
            [str(checkout / "packaging" / "setup.sh"), *arguments],
            env={"PATH": path, "HOME": str(checkout), **environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path / "bin")


def test_that_an_ordinary_user_is_shown_the_command_that_installs_what_is_missing(
    checkout: Path, machine: Machine
) -> None:
    machine.has("bash")
    ran = machine.run(checkout, "packages", "display")
    assert ran.returncode == 1
    command = "sudo apt-get update && sudo apt-get install --no-install-recommends " + " ".join(wanted("display"))
    assert command in ran.stderr
    assert "must not be started" not in ran.stdout + ran.stderr


def test_that_only_missing_packages_are_named(checkout: Path, machine: Machine) -> None:
    first, *others = wanted("display")
    machine.has(*others)
    ran = machine.run(checkout, "packages", "display")
    assert f"--no-install-recommends {first}\n" in ran.stderr


def test_that_nothing_is_said_when_all_packages_are_there(checkout: Path, machine: Machine) -> None:
    machine.has(*wanted("run"))
    ran = machine.run(checkout, "packages", "run")
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")


def test_that_a_library_counts_under_the_name_it_had_before(checkout: Path, machine: Machine) -> None:
    rest = [name for name in wanted("run") if name != "libglib2.0-0"]
    machine.has("libglib2.0-0t64", *rest, provides="libglib2.0-0 (= 2.80.0), libgio (= 2.80.0)")
    assert machine.run(checkout, "packages", "run").returncode == 0


def test_that_a_library_of_another_architecture_does_not_count(checkout: Path, machine: Machine) -> None:
    machine.has(*wanted("run"), architecture="i386")
    ran = machine.run(checkout, "packages", "run")
    assert " ".join(wanted("run")) in ran.stderr


def test_that_the_check_of_packages_can_be_skipped(checkout: Path, machine: Machine) -> None:
    machine.has("bash")
    assert machine.run(checkout, "packages", "run", SYSTEM_PACKAGES="skip").returncode == 0


def test_that_a_python_that_does_not_run_is_refused_by_name(checkout: Path, machine: Machine) -> None:
    ran = machine.run(checkout, PYTHON="/no/such/python", SYSTEM_PACKAGES="skip")
    assert ran.returncode == 1
    assert "PYTHON=/no/such/python" in ran.stderr
    assert "3.11" in ran.stderr
    assert not (checkout / ".venv").exists()


@pytest.mark.skipif(
    subprocess.run(
        ["/usr/bin/python3", "-c", "import sys, ensurepip, venv; assert sys.version_info >= (3, 11)"],
        capture_output=True,
        check=False,
    ).returncode
    != 0,
    reason="the distribution's Python is older or lacks python3-venv",
)
def test_that_the_python_of_the_distribution_comes_before_one_on_the_path_unless_another_is_asked_for(
    checkout: Path, machine: Machine, tmp_path: Path
) -> None:
    own = tmp_path / "bin" / "python3"
    machine.answer("python3", str(own))
    assert machine.run(checkout, "python").stdout.strip() == str(Path("/usr/bin/python3").resolve())
    assert machine.run(checkout, "python", PYTHON=str(own)).stdout.strip() == str(own)


def test_that_the_installer_is_pinned_to_one_version_with_hashes() -> None:
    text = (REPOSITORY / "packaging" / "uv-requirements.txt").read_text("utf-8")
    pins = [line for line in text.splitlines() if line.startswith("uv==")]
    assert len(pins) == 1
    assert text.count("--hash=sha256:") >= 2


def test_that_no_group_of_packages_is_empty_and_no_package_is_named_twice() -> None:
    groups = [wanted(group) for group in ("run", "display", "bench")]
    names = [name for group in groups for name in group]
    assert all(groups)
    assert len(names) == len(set(names))
