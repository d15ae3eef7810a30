"""Unlike drives for unlike data: which two pools `recommend` names beside its one, and that its commands make them."""

import re
import shlex

from tests.command_line import poolwright

MACHINE = ("--disks", "8 x 16TB hdd, 8 x 1.92TB ssd plp, 1 x 480GB nvme plp")
NAMED = "note: Unlike drives for unlike data make two pools: "


def test_that_machines_go_on_flash_and_films_on_hard_disks_by_the_commands_that_are_told() -> None:
    told = poolwright("recommend", *MACHINE, "--preset", "vm-images", "--preset", "media-archive").stdout
    (line,) = (line for line in told.splitlines() if line.startswith(NAMED))
    assert "4 × mirror of 2 of flash for VM images, where 6.81 TiB are enough" in line
    assert "raidz2 of 8 of hard disks for Media archive" in line
    fast, large = (poolwright(*shlex.split(words)[1:]).stdout for words in _commands(line))
    assert "Your layout: 4 × mirror of 2," in fast
    assert "usable 6.81 TiB" in fast
    assert "tank-flash/vm:" in fast
    assert "tank/media" not in fast
    assert "Your layout: raidz2 of 8," in large
    assert "tank/media:" in large
    assert "tank/vm" not in large


def test_that_nothing_is_said_of_two_pools_where_the_data_or_the_drives_are_of_one_kind() -> None:
    for disks, presets in (
        (MACHINE[1], ("vm-images", "database")),
        (MACHINE[1], ("vm-images", "nfs")),
        (MACHINE[1], ("media-archive",)),
        ("8 x 16TB hdd", ("vm-images", "media-archive")),
        ("8 x 16TB hdd, 1 x 480GB nvme plp", ("vm-images", "media-archive")),
    ):
        told = poolwright("recommend", "--disks", disks, *(f"--preset={preset}" for preset in presets))
        assert told.returncode == 0
        assert NAMED not in told.stdout


def _commands(line: str) -> list[str]:
    found = re.search(r"Design them with `(.*)` and `(.*)`\.$", line)
    assert found is not None
    return list(found.groups())
