"""Where datasets are mounted, and the folders that no dataset may cover; the script judges as the core does."""

import subprocess

import pytest
from tests.domain.written import dataset, tank

from poolwright.domain.errors import Refusal
from poolwright.emit.commands import plan_actions
from poolwright.emit.script import shell_part
from poolwright.emit.validity import is_system_folder, mountpoint_problems, mounts

# By the Filesystem Hierarchy Standard 3.0 and what distributions add: folders that the running system needs with all
# that is in them, those that it needs but where something may be mounted further down, and those that are for users.
WITH_ALL_BELOW = (
    *("bin", "boot", "dev", "efi", "etc", "lib", "proc", "run", "sbin", "sys", "usr", "var/run"),
    "nix/store",
)
THEMSELVES = (
    *("lib32", "lib64", "libx32", "lost+found", "nix", "root", "snap", "tmp"),
    *("var", "var/cache", "var/lib", "var/lock", "var/log", "var/spool", "var/tmp"),
)
FOR_USERS = (
    *("home", "media", "mnt", "opt", "srv", "tank", "library", "devices", "etcetera", "nix/storehouse", "var/runner"),
    *("usr/local", "usr/src", "usr/local/share/x"),
)
REFUSED = (
    "/",
    *(f"/{name}{more}" for name in WITH_ALL_BELOW for more in ("", "/x", "/x/y")),
    *(f"/{n}" for n in THEMSELVES),
)
FREE = (
    *(f"/{name}{more}" for name in FOR_USERS for more in ("", "/x", "/x/y")),
    *(f"/{name}/x" for name in THEMSELVES if name != "var"),
    *(f"/{name}x" for name in (*WITH_ALL_BELOW, *THEMSELVES)),
)


@pytest.mark.parametrize(("paths", "system"), [(REFUSED, True), (FREE, False)])
def test_that_system_folders_are_known_to_core_and_script_alike(paths: tuple[str, ...], system: bool) -> None:
    told = {path: is_system_folder(path) for path in paths}
    assert told == dict.fromkeys(paths, system)
    script = f'{shell_part("28_mountpoints.sh")}\nfor path; do is_system_folder "$path" && echo "$path"; done\ntrue'
    done = subprocess.run(["bash", "-c", script, "bash", *paths], stdout=subprocess.PIPE, text=True, check=True)
    assert done.stdout.split() == (list(paths) if system else [])


def test_that_mountpoints_are_inherited_as_openzfs_does() -> None:
    design = tank(
        dataset("", "mountpoint=/srv/data"),
        dataset("a/b"),
        dataset("own", "mountpoint=/home"),
        dataset("own/ann"),
        dataset("off", "canmount=off mountpoint=/usr"),
        dataset("off/local"),
        dataset("none", "mountpoint=none"),
        dataset("none/below"),
        dataset("disk", volume_bytes=1 << 30),
    )
    assert dict(mounts(design)) == {
        "tank": "/srv/data",
        "tank/a": "/srv/data/a",
        "tank/a/b": "/srv/data/a/b",
        "tank/own": "/home",
        "tank/own/ann": "/home/ann",
        "tank/off/local": "/usr/local",
    }
    assert not list(mountpoint_problems([design]))


def test_that_another_root_comes_before_every_mountpoint() -> None:
    design = tank(dataset("", "mountpoint=/"), pool="altroot=/mnt")
    assert list(mounts(design)) == [("tank", "/mnt")]
    assert not list(mountpoint_problems([design]))


def test_that_a_design_that_covers_the_system_is_refused_with_its_reason() -> None:
    datasets = dataset("conf", "mountpoint=/etc/"), dataset("x/y", "mountpoint=/srv"), dataset("z", "mountpoint=/srv")
    with pytest.raises(Refusal) as refused:
        plan_actions(tank(*datasets))
    assert refused.value.reasons == (
        "tank/conf would be mounted on the system folder /etc and hide what is in it",
        "tank/x/y and tank/z would both be mounted on /srv",
    )
