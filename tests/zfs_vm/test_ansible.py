"""The playbook of a design, run twice by Ansible from outside over SSH: the design to the byte, then nothing more."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from shutil import which

import pytest
from tests.zfs_vm.designs import DESIGNS, differences
from tests.zfs_vm.machine import Machine
from tests.zfs_vm.measuring import connected
from tests.zfs_vm.test_designs import command, designed, looked

from poolwright.store.design_file import from_json

OLDEST = (11, 0)


def ansible() -> str:
    """Return the command; skips the test where Ansible or the collection that playbooks need is not installed."""
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    tool, galaxy = which("ansible-playbook", path=path), which("ansible-galaxy", path=path)
    if tool is None or galaxy is None:
        pytest.skip("ansible-playbook is not installed")
    asked = [galaxy, "collection", "list", "community.general", "--format", "json"]
    listed = subprocess.run(asked, capture_output=True, text=True, check=False).stdout or "{}"
    found = [one["version"] for place in json.loads(listed).values() for one in place.values()]
    if not any(tuple(map(int, version.split(".")[:2])) >= OLDEST for version in found):
        pytest.skip(f"community.general is {found or 'missing'}; playbooks need 11.0 or newer")
    return tool


def played(tool: str, folder: Path, config: Path, *words: str) -> tuple[int, str]:
    """Play it on the machine; return how many tasks changed something, and what was told."""
    env = os.environ | {"ANSIBLE_SSH_ARGS": f"-F {config}", "ANSIBLE_HOME": str(folder / "home"), "LC_ALL": "C.UTF-8"}
    done = subprocess.run(
        [tool, "-i", "hosts", "site.yml", *words], cwd=folder, env=env, capture_output=True, text=True, check=False
    )
    told = done.stdout + done.stderr
    assert done.returncode == 0, told
    recap = re.search(r"zfs-vm .*changed=(\d+) .*failed=0", told)
    assert recap, told
    return int(recap[1]), told


@pytest.mark.parametrize("title", ["raidz1", "special", "volumes"])
def test_that_a_playbook_builds_the_design_once(machine: Machine, tmp_path: Path, title: str) -> None:
    tool = ansible()
    asked = next(one for one in DESIGNS if one.title == title)
    file = tmp_path / "design.json"
    file.write_text(designed(machine.inventory, asked), encoding="utf-8")
    (tmp_path / "site.yml").write_text(command("script", str(file), "--format", "ansible"), encoding="utf-8")
    (tmp_path / "hosts").write_text("[storage]\nzfs-vm ansible_python_interpreter=/usr/bin/python3\n")
    design = from_json(file.read_text(encoding="utf-8"))
    with connected(machine):
        _, config = machine.reached()
        played(tool, tmp_path, config, "--check")
        assert machine.run("zpool list -H").text == ""
        assert played(tool, tmp_path, config)[0] > 0
        assert not list(differences(design, **looked(machine, design.pool_name)))
        changed, told = played(tool, tmp_path, config)
        assert changed == 0, told
